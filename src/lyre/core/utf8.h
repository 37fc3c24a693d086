// core/utf8.h: text as characters. Nothing here trusts that a text is UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lyre::inline core {

inline constexpr char32_t kNoCharacter = 0xFFFFFFFF;

struct Utf8Character {
    char32_t code = kNoCharacter;  // kNoCharacter: the first byte begins no character
    std::size_t size = 0;          // bytes; 1 for a byte that begins none, 0 at the end of the text
};
Utf8Character first_character(std::string_view text);

void append_character(std::string& text, char32_t code);  // a code that UTF-8 has
std::size_t count_characters(std::string_view text);  // a wrong byte counts as one
std::string_view skip_bom(std::string_view text);     // without the mark some editors put in front

// Whether a character moves the cursor, changes the direction of writing or otherwise garbles what is shown. Tabs and
// line ends do, too.
bool is_control(char32_t code);
// How wide a terminal shows it: 0 for marks on the character before, 2 for those of the far East and pictures, else 1.
int columns_of(char32_t code);
std::size_t count_columns(std::string_view text);  // a wrong byte takes one

// One line of text as lines of at most so many columns, the first of at most `first`: broken at blanks, of which those
// at the beginning are none. A word that is longer stays whole. At least one line.
std::vector<std::string> wrapped(std::string_view text, std::size_t first, std::size_t columns);

// Control characters and wrong bytes are replaced by U+FFFD, one for one.
std::string cleaned(std::string_view text);

}  // namespace lyre::inline core
