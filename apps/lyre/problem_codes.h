// apps/lyre/problem_codes.h: the codes of all rooms in one list, by number.
#pragma once

#include <vector>

#include "lyre/core/problem.h"

namespace lyre::app {

std::vector<const ProblemCode*> problem_codes();

}  // namespace lyre::app
