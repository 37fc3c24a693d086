// world/level_def.h: what a level is made of, as content gives it (NAME.map.toml) or code fills it in.
#pragma once

#include <cstdint>
#include <vector>

#include "lyre/core/type_builder.h"

namespace lyre::inline world {

// A place with a name: where a team starts, where a flag stands.
struct LevelPoint {
    Name name{};
    Vec3 at{};      // m
    float yaw = 0;  // degrees
    static void describe(TypeBuilder<LevelPoint>& t);
};

struct PlacedActor {
    Name class_name{};
    Vec3 at{};
    float yaw = 0;
    float scale = 1;
    static void describe(TypeBuilder<PlacedActor>& t);
};

// Many of one class, strewn evenly over an area; the same seed gives the same places.
struct Scatter {
    Name class_name{};
    std::int64_t count = 0;
    Box area{};
    std::int64_t seed = 0;
    static void describe(TypeBuilder<Scatter>& t);
};

struct LevelDef {
    Name name{};
    Name experience{};  // the level's default; none: it has no wish
    Box bounds{};
    std::vector<LevelPoint> points{};
    std::vector<Box> boxes{};  // solid
    std::vector<PlacedActor> placed{};
    std::vector<Scatter> scatters{};
    static void describe(TypeBuilder<LevelDef>& t);
};

}  // namespace lyre::inline world
