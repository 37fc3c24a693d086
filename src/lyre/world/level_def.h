// world/level_def.h: what a level is made of, as content gives it (NAME.map.toml) or code fills it in.
//
// The name of a level that is read is that of its file. What is wrong with a level as a whole is found by
// find_faults(), whether it was read or made.
#pragma once

#include <cstdint>
#include <vector>

#include "lyre/core/content_reader.h"
#include "lyre/core/type_builder.h"

namespace lyre::inline world {

inline constexpr std::uint32_t kMaxLevelRows = 1u << 26;  // 1.4 GB; content may ask for any number

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
    void check(ContentCheck& check) const;
    static void describe(TypeBuilder<LevelDef>& t);
};

struct LevelFault {
    const ProblemCode* code;
    std::string path;  // "box[1]", counted from 0
    std::string text;
};
std::vector<LevelFault> find_faults(const LevelDef& def);

}  // namespace lyre::inline world
