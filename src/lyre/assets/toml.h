// assets/toml.h: the text of a content file as a tree of nodes with places. The one door to toml++.
//
//     TomlDocument document = parse_toml(text, "content/tag.experience.toml");
//     if (document.problems.is_empty()) read_record(document.root, ...);
//
// A text that is no TOML gives one problem, with the place where the parser stopped and what to write instead; hostile
// text (binary, deeply nested, wrong UTF-8) is refused in time and memory proportional to its length. A BOM and CRLF
// are taken. Dates are kept as written, inf and nan as floats: whoever reads the tree judges them. Any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "lyre/core/content_node.h"
#include "lyre/core/problem.h"

namespace lyre::assets {

inline constexpr std::size_t kMaxTomlValues = 1'000'000;  // of one text; each takes some 300 bytes while it is parsed

struct TomlDocument {
    Node root;  // a table; empty if there are problems
    Problems problems;
};
TomlDocument parse_toml(std::string_view text, const std::string& file);

inline constexpr ProblemCode kTomlSyntax{2001, "not TOML",
                                         "The file breaks the rules of TOML (toml.io) at the place shown. Nothing of "
                                         "it was read; mend the line and look again."};
inline constexpr ProblemCode kTomlNotUtf8{2002, "not UTF-8",
                                          "Content files are text in UTF-8. Save the file again in that encoding."};
inline constexpr ProblemCode kTomlBinary{2003, "not a text file",
                                         "The file has bytes that no text has. It may be another kind of file with "
                                         "the wrong ending, or text in UTF-16: save it as UTF-8."};
inline constexpr ProblemCode kTomlTooDeep{2004, "nested too deep",
                                          "Tables and lists may be in each other up to 64 levels, dotted keys and "
                                          "table names counted."};
inline constexpr ProblemCode kTomlTwice{2005, "defined twice",
                                        "A key or table has one definition. Put the two together, remove one, or "
                                        "write [[name]] for both if a list of tables is meant."};
inline constexpr ProblemCode kTomlTooMany{2006, "too many values",
                                          "One file holds up to a million values. Split it into several."};
std::span<const ProblemCode* const> toml_codes();

}  // namespace lyre::assets
