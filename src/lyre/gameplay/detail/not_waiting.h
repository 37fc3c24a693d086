// gameplay/detail/not_waiting.h: a Host that is full does not tell an actor of experiences: that is told, in one way.
#pragma once

#include <fmt/format.h>

#include "lyre/world/world.h"

namespace lyre::gameplay::detail {

inline void report_not_waiting(const Actor& actor, const Status& why) {
    actor.world().runtime().log().report(LogLevel::Error, Name("gameplay.not_waiting"), fmt::format("{}", actor.id()),
                                         fmt::format("it will not hear of experiences: {}", why.text()));
}

}  // namespace lyre::gameplay::detail
