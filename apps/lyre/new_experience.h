// apps/lyre/new_experience.h: the file of a new experience. What is written in it stands in new_experience.cpp and
// nowhere else.
#pragma once

#include <string_view>

#include "apps/lyre/new_feature.h"

namespace lyre::app {

NewFile new_experience(std::string_view name);  // of an asset

}  // namespace lyre::app
