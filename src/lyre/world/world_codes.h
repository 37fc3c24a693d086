// world/world_codes.h: the mistakes in levels and archetypes that no single property shows, LY-11xx. What each means
// stands in world_codes.cpp.
#pragma once

#include <span>

#include "lyre/core/problem.h"

namespace lyre::inline world {

namespace world_code {
extern const ProblemCode kBoxInverted;         // 1101
extern const ProblemCode kTwoPoints;           // 1102
extern const ProblemCode kEmptyArea;           // 1103
extern const ProblemCode kArchetypeParent;     // 1104
extern const ProblemCode kSaidWherePlaced;     // 1105
extern const ProblemCode kArchetypeComponent;  // 1106
extern const ProblemCode kTooManyRows;         // 1107
}  // namespace world_code

std::span<const ProblemCode* const> world_codes();  // in order of number

}  // namespace lyre::inline world
