#include "apps/lyre/new_experience.h"

#include <algorithm>
#include <fmt/format.h>

namespace lyre::app {
namespace {

constexpr std::string_view kExperience =
    R"(# What a match of {0} is made of. `lyre plan {0}` shows what would be loaded, `lyre check` what is wrong.
title = "{1}"

# Game features that are on while it is played; `lyre list features` lists those that are there:
features = [] # "bots", or {{ id = "bots", need = "optional", side = "server", versions = "^1.2" }}

# Features and actions that several experiences share: "standard_input" is standard_input.action_set.toml.
action_sets = []

# What happens when it cannot be loaded:
# [failure]
# policy = "fall_back"
# to     = "previous"

# What it does itself while it is played, in this order, for example that every actor of a class has a component:
# [[action]]
# kind      = "add_components"
# to        = "Pawn"
# component = "Score"
)";

std::string title_of(std::string_view name) {  // "Control points" of control_points
    std::string title(name);
    std::replace(title.begin(), title.end(), '_', ' ');
    if (title[0] >= 'a' && title[0] <= 'z') title[0] = static_cast<char>(title[0] - 'a' + 'A');
    return title;
}

}  // namespace

NewFile new_experience(std::string_view name) {
    return {fmt::format("{}.experience.toml", name), fmt::format(kExperience, name, title_of(name))};
}

}  // namespace lyre::app
