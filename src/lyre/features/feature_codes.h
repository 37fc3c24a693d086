// features/feature_codes.h: the mistakes that a feature.toml can make beyond those of any content file, LY-30xx. What
// each means stands in feature_codes.cpp.
#pragma once

#include <span>

#include "lyre/core/problem.h"

namespace lyre::features {

namespace feature_code {
extern const ProblemCode kManifestUnreadable;    // 3001
extern const ProblemCode kBadFeatureId;          // 3002
extern const ProblemCode kSelfDependency;        // 3003
extern const ProblemCode kDependencyConflict;    // 3004
extern const ProblemCode kScopeNotIncompatible;  // 3005
extern const ProblemCode kVariableDefault;       // 3006
extern const ProblemCode kVariableTwice;         // 3007
extern const ProblemCode kBadVariableName;       // 3008
extern const ProblemCode kFolderLeadsOut;        // 3009
extern const ProblemCode kBadModuleName;         // 3010
extern const ProblemCode kManifestTooMany;       // 3011
extern const ProblemCode kManifestTextTooLong;   // 3012
extern const ProblemCode kManifestTag;           // 3013
}  // namespace feature_code

std::span<const ProblemCode* const> feature_codes();  // in order of number

}  // namespace lyre::features
