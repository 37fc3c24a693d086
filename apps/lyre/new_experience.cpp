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

constexpr std::string_view kLike =
    "# Begun as a copy of {1}. `lyre plan {0}` shows what would be loaded, `lyre check` what is wrong.\n";

// With another title, and without comments above its first key.
std::string body_of(std::string_view text, const std::string& title) {
    std::string body;
    bool is_head = true, is_top = true, has_title = false;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size() - 1);
        const std::string_view line = text.substr(0, end + 1);
        text.remove_prefix(end + 1);
        is_head = is_head && (line[0] == '#' || line == "\n");
        is_top = is_top && line[0] != '[';
        if (is_head) continue;
        const std::size_t equals = line.find('=');
        const bool is_title = is_top && line.starts_with("title") && line.find_first_not_of(" \t", 5) == equals;
        body += is_title ? fmt::format("{}= \"{}\"\n", line.substr(0, equals), title) : std::string(line);
        has_title = has_title || is_title;
    }
    return has_title ? body : fmt::format("title = \"{}\"\n{}", title, body);
}

}  // namespace

NewFile new_experience(std::string_view name) {
    return {fmt::format("{}.experience.toml", name), fmt::format(kExperience, name, title_of(name))};
}

NewFile new_experience_like(std::string_view name, std::string_view model, std::string_view text) {
    return {fmt::format("{}.experience.toml", name), fmt::format(kLike, name, model) + body_of(text, title_of(name))};
}

}  // namespace lyre::app
