// assets/detail/toml_text.h: a quick look over a TOML text before and after the parser: what must be refused so that
// the parser stays within its stack and memory, and what was open and begun at the place where it stopped.
//
// Knows strings, comments and brackets, nothing else; of text that is no TOML it is right up to the first mistake.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lyre/core/problem.h"

namespace lyre::assets {

// A quick look. Knows texts in quotes, comments and brackets, nothing else; right up to the first mistake.
struct TomlScan {
    static constexpr std::size_t kNowhere = SIZE_MAX;

    bool is_too_deep = false, has_too_many = false;  // it stopped there, at `end`
    std::size_t end = 0;
    std::size_t bad_name = kNowhere;  // the first character of a table's name that begins none
    // Offsets in bytes, as of the end of the text:
    std::vector<std::size_t> open;     // brackets of values that are not closed, outermost first
    std::size_t string = kNowhere;     // the quote that began an unclosed text
    std::size_t statement = kNowhere;  // first character of the last key, also in { }, or of the last table's name
    std::size_t header = kNowhere;     // "[" of the last table's name
    std::size_t value = kNowhere;      // first character after the last "=", "[" or ","
};
TomlScan scan_toml(std::string_view text);

// The parser's complaint in our words, at the place where the mistake begins.
struct TomlMistake {
    const ProblemCode* code = nullptr;
    SourcePlace place;
    std::string text, hint;
};
// The line in which the part of a table's path that is there already was defined, in the text before an offset; 0: not
// known.
using FindDefinition = std::function<std::uint32_t(const std::vector<std::string>& path, std::size_t before)>;
// `complaint`: "Error while parsing boolean: expected 'true', saw 'T'".
TomlMistake explain_toml(std::string_view text, std::string_view complaint, const SourcePlace& at,
                         const FindDefinition& find);

SourcePlace place_at(std::string_view text, std::size_t offset);
std::size_t offset_at(std::string_view text, const SourcePlace& place);

}  // namespace lyre::assets
