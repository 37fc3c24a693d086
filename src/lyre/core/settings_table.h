// core/settings_table.h: values of variables as content gives them: with dots in quotes, or as tables in each other.
//
//     [variables]
//     "net.rate" = 30                  # is the same as
//     net.rate   = 30                  # a table net with a key rate
//
// Plain functions over what was written; any thread, but for suggest_variable.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lyre/core/content_node.h"
#include "lyre/core/variables.h"

namespace lyre::inline core {

struct WrittenSetting {
    std::string name;  // "net.rate"
    const Node* node;  // in the table that was given
};
std::vector<WrittenSetting> collect_settings(const Node& table);  // in the order of the file; of what is no table: none
std::string setting_text(const Node& value);                      // as Variables take it

// `did you mean "net.rate"?`, or what there is.
std::string suggest_variable(const Variables& variables, std::string_view wanted);

}  // namespace lyre::inline core
