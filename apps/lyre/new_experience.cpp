#include "apps/lyre/new_experience.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "lyre/assets/toml.h"
#include "lyre/core/utf8.h"

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

// The text without what stands above its first line that says something.
std::string_view without_head(std::string_view text) {
    text = skip_bom(text);
    while (text.starts_with('#') || text.starts_with('\n') || text.starts_with("\r\n"))
        text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
    return text;
}

// Where the character at this column of this line begins; both count from 1.
std::size_t offset_of(std::string_view text, std::uint32_t line, std::uint32_t column) {
    std::size_t at = 0;
    for (; line > 1; --line) at = text.find('\n', at) + 1;
    for (; column > 1 && at < text.size(); --column) at += first_character(text.substr(at)).size;
    return at;
}

// With another title, and all else as it is; nothing if its title cannot be told from the rest.
std::optional<std::string> body_of(std::string_view text, const std::string& title) {
    text = without_head(text);
    Node wanted = assets::parse_toml(text, {}).root;
    const std::string quoted = fmt::format("\"{}\"", title);
    std::string body(text);
    if (const Node* old = wanted.find("title")) {
        const auto& [line, column, length] = old->place;
        const std::size_t begin = offset_of(text, line, column), end = offset_of(text, line, column + length);
        body.replace(begin, end - begin, quoted);
    } else {
        body.insert(0, fmt::format("title = {}\n", quoted));
    }
    wanted.set("title", Node::text(title));
    if (assets::parse_toml(body, {}).root != wanted) return std::nullopt;
    return body;
}

}  // namespace

NewFile new_experience(std::string_view name) {
    return {fmt::format("{}.experience.toml", name), fmt::format(kExperience, name, title_of(name))};
}

NewFile new_experience_like(std::string_view name, std::string_view model, std::string_view text) {
    const auto body = body_of(text, title_of(name));
    if (!body) return new_experience(name);
    return {fmt::format("{}.experience.toml", name), fmt::format(kLike, name, model) + *body};
}

}  // namespace lyre::app
