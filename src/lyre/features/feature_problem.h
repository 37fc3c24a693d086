// features/feature_problem.h: why a feature cannot come up, as a problem of its manifest: LY-31xx, for `lyre check`.
#pragma once

#include <span>

#include "lyre/core/problem.h"
#include "lyre/features/feature_error.h"
#include "lyre/features/manifest.h"

namespace lyre::features {

Problem feature_problem(const FeatureError& error, const ManifestFile& file);
bool is_of_module(const FeatureError& error);                 // its code is not there: LY-3105
std::span<const ProblemCode* const> feature_problem_codes();  // in order of number

}  // namespace lyre::features
