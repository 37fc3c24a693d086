// features/symmetry.h: does an action take back all it has done? A test for everybody who writes one.
//
//     AddWeather rain;
//     EXPECT_EQ(check_symmetry(services, world, {&rain}).text(), "");
//
// The actions are put on the world and taken off again, once with the actors that are there, once with one of each of
// their classes that is spawned meanwhile, and once with such that are destroyed meanwhile. Each time the world must be
// in the end what it was in the beginning, with nothing in the actions' ledger; what differs is said. Not from inside a
// callback. Frame's thread.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "lyre/features/action_run.h"

namespace lyre::features {

// All that can be seen of a world, by the name of the thing: its hash, its actors with components and tags, timers,
// variables as it sees them, extensions and init states of its game, who listens, and what the runtime knows.
struct WorldSnapshot {
    std::map<std::string, std::string> things;  // "actor 3.1": "Hero, components Health (Health), tags Fast x1"
};
WorldSnapshot take_snapshot(World& world);
// Empty: equal. Else a line for each thing that differs: `variable fog: was "false (code)", is "true (console)"`.
std::string compare(const WorldSnapshot& before, const WorldSnapshot& after);

// `between` runs while the actions are in force, for example to tick, and leaves the world as it finds it. A failure of
// the actions themselves is the answer, if it has left nothing behind.
Status check_symmetry(const ActionServices& services, World& world,
                      const std::vector<const GameFeatureAction*>& actions,
                      const std::function<void(World& world)>& between = {});

}  // namespace lyre::features
