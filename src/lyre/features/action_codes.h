// features/action_codes.h: what can be wrong with an action beyond its keys, LY-32xx. What each means stands in
// action_codes.cpp.
#pragma once

#include <span>

#include "lyre/core/problem.h"

namespace lyre::features {

namespace action_code {
extern const ProblemCode kBadSelector;       // 3201
extern const ProblemCode kNoClass;           // 3202
extern const ProblemCode kEmptyList;         // 3203
extern const ProblemCode kUnknownCode;       // 3204
extern const ProblemCode kNoPlace;           // 3205
extern const ProblemCode kTwoPlaces;         // 3206
extern const ProblemCode kFlagsContradict;   // 3207
extern const ProblemCode kUnknownVariable;   // 3208
extern const ProblemCode kBadVariable;       // 3209
extern const ProblemCode kReadOnlyVariable;  // 3210
extern const ProblemCode kUnknownSide;       // 3211
extern const ProblemCode kValidateThrew;     // 3212
extern const ProblemCode kOrderCircle;       // 3213
extern const ProblemCode kNobodyNamed;       // 3214
extern const ProblemCode kOtherOwner;        // 3215
}  // namespace action_code

std::span<const ProblemCode* const> action_codes();  // in order of number

}  // namespace lyre::features
