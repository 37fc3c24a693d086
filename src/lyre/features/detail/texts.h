// features/detail/texts.h: small texts that several sources of the room put together.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lyre/features/feature_error.h"

namespace lyre::features {

// "a, b, c"
std::string joined(const std::vector<std::string>& lines, std::string_view between = ", ");
std::string joined(const std::vector<Holder>& holders, std::string_view between = ", ");  // without who holds them
// "game/tag"; only the name, if the folder is none or "."
std::string join_path(std::string_view folder, std::string_view name);

}  // namespace lyre::features
