// experience/experience_codes.h: the mistakes that experiences and action sets can make beyond those of any content
// file, LY-40xx. What each means stands in experience_codes.cpp.
#pragma once

#include <span>

#include "lyre/core/problem.h"

namespace lyre::experience {

namespace experience_code {
// They keep the file from being loaded.
extern const ProblemCode kDerived;         // 4001
extern const ProblemCode kNestedSets;      // 4002
extern const ProblemCode kTooManyEntries;  // 4003
extern const ProblemCode kNoFallback;      // 4004
extern const ProblemCode kUnusedSetting;   // 4005
// `lyre check` tells them; at run time the entry is skipped, or the load fails with a cause of its own.
extern const ProblemCode kEmptyEntry;        // 4006
extern const ProblemCode kRepeated;          // 4007
extern const ProblemCode kUnknownFeature;    // 4008
extern const ProblemCode kVersionsConflict;  // 4009
extern const ProblemCode kUnusableFeature;   // 4010
extern const ProblemCode kUnknownFallback;   // 4011
extern const ProblemCode kFallbackToItself;  // 4012
extern const ProblemCode kFallbackCircle;    // 4013
extern const ProblemCode kOutOfPlan;         // 4014
extern const ProblemCode kUnknownPoint;      // 4015
}  // namespace experience_code

std::span<const ProblemCode* const> experience_codes();  // in order of number

}  // namespace lyre::experience
