#include "lyre/world/level_def.h"

#include <algorithm>
#include <unordered_set>

#include "lyre/world/world_codes.h"

namespace lyre::inline world {
namespace {

bool is_proper(const Box& box) {
    return is_finite(box.min) && is_finite(box.max) && box.min.x <= box.max.x && box.min.y <= box.max.y &&
           box.min.z <= box.max.z;
}

const char* const kNotProper = "max lies below min, or a coordinate is not a number";

}  // namespace

void LevelPoint::describe(TypeBuilder<LevelPoint>& t) {
    t.help("a place with a name, for whoever looks for it: a start, a zone");
    t.property("name", &LevelPoint::name)
        .required()
        .help("unique in the map; features look for prefixes: \"start_a1\"");
    t.property("at", &LevelPoint::at).required().units("m").help("x, y and, where wanted, z");
    t.property("yaw", &LevelPoint::yaw).units("degrees").help("0 looks along x, 90 along y");
}

void PlacedActor::describe(TypeBuilder<PlacedActor>& t) {
    t.help("one actor; a row of the level until something touches it");
    t.property("class", &PlacedActor::class_name).required().class_of("Actor").help("an archetype or a native class");
    t.property("at", &PlacedActor::at).required().units("m").help("x, y and, where wanted, z");
    t.property("yaw", &PlacedActor::yaw).units("degrees").help("0 looks along x, 90 along y");
    t.property("scale", &PlacedActor::scale).range(0.001, 1000).help("of its size and radius");
}

void Scatter::describe(TypeBuilder<Scatter>& t) {
    t.help("many actors of one class, strewn evenly over an area");
    t.property("class", &Scatter::class_name).required().class_of("Actor").help("an archetype or a native class");
    t.property("count", &Scatter::count).required().range(0, kMaxLevelRows).help("how many");
    t.property("area", &Scatter::area).required().help("where");
    t.property("seed", &Scatter::seed).help("the same one gives the same places, everywhere");
}

void LevelDef::describe(TypeBuilder<LevelDef>& t) {
    t.property("name", &LevelDef::name).asset_name();
    t.property("experience", &LevelDef::experience).asset("experience").soft().help("the level's default");
    t.help("a place to play in: its size, named points, walls, and what stands there");
    t.property("bounds", &LevelDef::bounds).help("how far it goes; nobody leaves it");
    t.property("point", &LevelDef::points).help("named places");
    t.property("box", &LevelDef::boxes).help("solid walls");
    t.property("placed", &LevelDef::placed).help("actors, one by one");
    t.property("scatter", &LevelDef::scatters).help("actors, strewn from a seed");
    t.hook<&LevelDef::check>("check");
}

void LevelDef::check(ContentCheck& check) const {
    for (LevelFault& fault : find_faults(*this))
        check.problem(*fault.code, fault.path, fmt::format("{}: {}", check.where(fault.path), fault.text));
}

std::vector<LevelFault> find_faults(const LevelDef& def) {
    using namespace world_code;
    std::vector<LevelFault> faults;
    if (!is_proper(def.bounds)) faults.push_back({&kBoxInverted, "bounds", kNotProper});
    std::unordered_set<Name> names;
    for (std::size_t i = 0; i < def.points.size(); ++i)
        if (!names.insert(def.points[i].name).second)
            faults.push_back({&kTwoPoints, fmt::format("point[{}].name", i),
                              fmt::format("two points are called {}", def.points[i].name)});
    for (std::size_t i = 0; i < def.boxes.size(); ++i)
        if (!is_proper(def.boxes[i])) faults.push_back({&kBoxInverted, fmt::format("box[{}]", i), kNotProper});
    auto rows = static_cast<std::int64_t>(def.placed.size());
    for (std::size_t i = 0; i < def.scatters.size(); ++i) {
        const Box& area = def.scatters[i].area;
        if (!is_proper(area))
            faults.push_back({&kBoxInverted, fmt::format("scatter[{}].area", i), kNotProper});
        else if (area.min.x == area.max.x || area.min.y == area.max.y)
            faults.push_back({&kEmptyArea, fmt::format("scatter[{}].area", i), "the area is empty"});
        rows += std::clamp<std::int64_t>(def.scatters[i].count, 0, kMaxLevelRows);
    }
    if (rows > kMaxLevelRows)
        faults.push_back(
            {&kTooManyRows, "", fmt::format("{} actors are placed; a level has at most {}", rows, kMaxLevelRows)});
    return faults;
}

}  // namespace lyre::inline world
