// apps/lyre/demo_world.h: a small standalone world of the library's own: wanderers break crates.
//
// `lyre play` shows it until the sample game is here, on a map of the project (game/content). It is also a first
// example of the library at work: read demo_world.cpp from the top.
//
//     crate:  a row of the level  -- bumped into -->  an actor, hurt  -- left alone: mended -->  a row again
//                                                                     -- struck too often -->  gone
//
// Nothing here asks the machine for time or chance: one seed gives one game, whoever calls tick() and how fast.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lyre/world/game_instance.h"
#include "lyre/world/level_def.h"

namespace lyre::app {

// The classes, tags and settings of the demo. Once per runtime, before a DemoWorld is made.
Status add_demo(Runtime& runtime);

struct DemoDef {
    std::uint64_t seed = 1;
    std::int64_t tick_hz = 60;
    std::int64_t wanderers = 8;
    const LevelDef* map = nullptr;  // the project's
};

struct Standing {
    ActorId id;
    std::string_view name;
    Vec3 position;
    std::int32_t broken = 0;
    std::int32_t strikes = 0;
};

struct DemoCounts {
    std::uint32_t rows = 0;     // placed at the beginning
    std::uint64_t touches = 0;  // rows that became actors, a row that rested in between each time
    std::uint32_t awake = 0;    // are actors now
    std::uint32_t broken = 0;
    std::size_t actors = 0;
    std::size_t row_bytes = 0;
};

class DemoWorld {
public:
    // In a runtime that add_demo knows, and whose project is open.
    static Result<DemoWorld> open(GameInstance& game, const DemoDef& def);

    void tick() { world_->tick(); }
    // Ends the world. What it left behind, as people read it; ok when that is nothing.
    Status end();

    World& world() const { return *world_; }
    std::vector<Standing> standings() const;  // who broke most first
    DemoCounts counts() const;
    std::uint64_t hash() const;

private:
    DemoWorld(World& world, LevelId level, std::vector<ActorId> wanderers)
        : world_(&world), level_(level), wanderers_(std::move(wanderers)) {}

    World* world_;  // the game instance's
    LevelId level_;
    std::vector<ActorId> wanderers_;
};

}  // namespace lyre::app
