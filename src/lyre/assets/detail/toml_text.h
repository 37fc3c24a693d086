// assets/detail/toml_text.h: a quick look over a TOML text before and after the parser: what must be refused so that
// the parser stays within its stack and memory, and what was open and begun at the place where it stopped.
//
// Knows strings, comments and brackets, nothing else; of text that is no TOML it is right up to the first mistake.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "lyre/core/problem.h"

namespace lyre::assets {

struct TomlScan {
    static constexpr std::size_t kNowhere = SIZE_MAX;

    bool is_too_deep = false, has_too_many = false;  // it stopped there, at `end`
    std::size_t end = 0;
    // Offsets in bytes, as of the end of the text:
    std::vector<std::size_t> open;     // brackets of values that are not closed, outermost first
    std::size_t string = kNowhere;     // the quote that began an unclosed text
    std::size_t statement = kNowhere;  // first character of the last key, also in { }, or of the last table's name
    std::size_t header = kNowhere;     // "[" of the last table's name
    std::size_t value = kNowhere;      // first character after the last "=", "[" or ","
};
TomlScan scan_toml(std::string_view text);

SourcePlace place_at(std::string_view text, std::size_t offset);
std::size_t offset_at(std::string_view text, const SourcePlace& place);

}  // namespace lyre::assets
