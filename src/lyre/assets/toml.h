// assets/toml.h: the text of a content file as a tree of nodes with places. The one door to toml++.
//
// A text that is no TOML gives one problem, with the place where the parser stopped; hostile text (binary, deeply
// nested, wrong UTF-8) is refused in time and memory proportional to its length. Any thread.
#pragma once

#include <string>
#include <string_view>

#include "lyre/core/content_node.h"
#include "lyre/core/problem.h"

namespace lyre::assets {

struct TomlDocument {
    Node root;  // a table; empty if there are problems
    Problems problems;
};
TomlDocument parse_toml(std::string_view text, const std::string& file);

}  // namespace lyre::assets
