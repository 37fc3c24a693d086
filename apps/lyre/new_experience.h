// apps/lyre/new_experience.h: the file of a new experience: what one that is there says, under another name; or where
// there is none, a file to be filled in. What is written in it stands in new_experience.cpp and nowhere else.
#pragma once

#include <string_view>

#include "apps/lyre/new_feature.h"

namespace lyre::app {

NewFile new_experience(std::string_view name);  // of an asset
// With what an experience says: `text` is that of its file. One whose title cannot be replaced is no model.
NewFile new_experience_like(std::string_view name, std::string_view model, std::string_view text);

}  // namespace lyre::app
