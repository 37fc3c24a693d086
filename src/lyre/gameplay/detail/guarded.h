// gameplay/detail/guarded.h: code of a game that throws is reported and ends nothing but itself.
#pragma once

#include <exception>
#include <fmt/format.h>
#include <string_view>

#include "lyre/world/world.h"

namespace lyre::gameplay::detail {

inline const Name kCallbackThrew("gameplay.callback");

inline void report_throw(World& world, ActorId subject, std::string_view what, std::string_view text) {
    world.runtime().log().report(LogLevel::Error, kCallbackThrew, fmt::format("{}", subject),
                                 fmt::format("{} threw: {}", what, text));
}

// In a call scope of the world: what the code destroys stays in memory until the outermost is over. False: it threw.
template <class Call> bool guarded(World& world, ActorId subject, std::string_view what, Call call) {
    const World::CallScope scope(world);
    try {
        call();
        return true;
    } catch (const std::exception& error) {
        report_throw(world, subject, what, error.what());
    } catch (...) {
        report_throw(world, subject, what, "an exception");
    }
    return false;
}

}  // namespace lyre::gameplay::detail
