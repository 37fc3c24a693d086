#include "lyre/world/level_def.h"

namespace lyre::inline world {

void LevelPoint::describe(TypeBuilder<LevelPoint>& t) {
    t.property("name", &LevelPoint::name).required();
    t.property("at", &LevelPoint::at).required().units("m");
    t.property("yaw", &LevelPoint::yaw).units("degrees");
}

void PlacedActor::describe(TypeBuilder<PlacedActor>& t) {
    t.property("class", &PlacedActor::class_name).required().help("an archetype or a native class");
    t.property("at", &PlacedActor::at).required().units("m");
    t.property("yaw", &PlacedActor::yaw).units("degrees");
    t.property("scale", &PlacedActor::scale);
}

void Scatter::describe(TypeBuilder<Scatter>& t) {
    t.property("class", &Scatter::class_name).required().help("an archetype or a native class");
    t.property("count", &Scatter::count).required();
    t.property("area", &Scatter::area).required();
    t.property("seed", &Scatter::seed);
}

void LevelDef::describe(TypeBuilder<LevelDef>& t) {
    t.property("name", &LevelDef::name);
    t.property("experience", &LevelDef::experience).help("the level's default");
    t.property("bounds", &LevelDef::bounds);
    t.property("point", &LevelDef::points);
    t.property("box", &LevelDef::boxes);
    t.property("placed", &LevelDef::placed);
    t.property("scatter", &LevelDef::scatters);
}

}  // namespace lyre::inline world
