#include "lyre/world/world_codes.h"

namespace lyre::inline world {
namespace world_code {

constexpr ProblemCode kBoxInverted{1101, "box the wrong way round",
                                   "min is the corner with the smallest coordinates, max the one with the largest."};
constexpr ProblemCode kTwoPoints{1102, "two points of one name",
                                 "Points are found by name, so each point of a level has its own."};
constexpr ProblemCode kEmptyArea{1103, "empty area",
                                 "What is strewn over an area needs one: min.x < max.x and min.y < max.y."};
constexpr ProblemCode kArchetypeParent{1104, "class cannot be a parent",
                                       "An archetype derives from a native actor class that can be made, not from "
                                       "another archetype: put what two share into a component."};
constexpr ProblemCode kSaidWherePlaced{
    1105, "said where it is placed",
    "Place, yaw and the like are of each actor, not of its class: say them where it is "
    "placed or spawned."};
constexpr ProblemCode kArchetypeComponent{1106, "component cannot be added",
                                          "A component of an archetype is of a class that can be made and has a name "
                                          "that no other component of it has."};

constexpr ProblemCode kTooManyRows{1107, "too many placed actors",
                                   "Actors placed one by one and scattered count together; a level has at most 64 M."};

}  // namespace world_code

std::span<const ProblemCode* const> world_codes() {
    using namespace world_code;
    static constexpr const ProblemCode* kAll[] = {&kBoxInverted,     &kTwoPoints,       &kEmptyArea,
                                                  &kArchetypeParent, &kSaidWherePlaced, &kArchetypeComponent,
                                                  &kTooManyRows};
    return kAll;
}

}  // namespace lyre::inline world
