// gameplay/detail/servers_alone.h: what the server alone writes is refused elsewhere, and told in one way: a client that
// wrote it would see another match than everybody else.
#pragma once

#include <fmt/format.h>
#include <string_view>

#include "lyre/world/world.h"

namespace lyre::gameplay::detail {

// False: it is not to be written here. `what` begins a sentence: "its team".
inline bool may_write(const Actor& actor, std::string_view what) {
    if (actor.has_authority()) return true;
    static const Name kNotTheServer("gameplay.not_the_server");
    actor.world().runtime().log().report(LogLevel::Warning, kNotTheServer, fmt::format("{}", actor.id()),
                                         fmt::format("{} is the server's to say; nothing has changed", what));
    return false;
}

}  // namespace lyre::gameplay::detail
