// gameplay/detail/refused_pawn_data.h: PawnData that a pawn or a player does not take is told, in one way.
#pragma once

#include <fmt/format.h>

#include "lyre/world/world.h"

namespace lyre::gameplay::detail {

inline Status refused_pawn_data(const Actor& actor, Status why) {
    actor.world().runtime().log().report(LogLevel::Warning, Name("gameplay.pawn_data_refused"),
                                         fmt::format("{}", actor.id()), why.text());
    return why;
}

}  // namespace lyre::gameplay::detail
