#include "lyre/core/utf8.h"

#include <gtest/gtest.h>

namespace lyre {
namespace utf8_test {

TEST(Utf8, characters_of_every_length_are_taken_whole) {
    // C-11
    for (auto [text, code] : {std::pair<std::string_view, char32_t>{"a", 'a'},
                              {"\u00e4", 0xE4},
                              {"\u20ac", 0x20AC},
                              {"\U0001F600", 0x1F600},
                              {"\U0010FFFF", 0x10FFFF}}) {
        EXPECT_EQ(first_character(text).code, code);
        EXPECT_EQ(first_character(text).size, text.size());
        for (std::size_t cut = 1; cut < text.size(); ++cut) {
            EXPECT_EQ(first_character(text.substr(0, cut)).code, kNoCharacter);
            EXPECT_EQ(first_character(text.substr(0, cut)).size, 1u);
        }
    }
    EXPECT_EQ(first_character("").size, 0u);
}

TEST(Utf8, wrong_bytes_are_taken_one_by_one) {
    // C-11
    for (std::string_view wrong :
         {"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xe0\x80\x80", "\xed\xa0\x80", "\xf0\x80\x80\x80",
          "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "\xc3(", "\xe2\x82("}) {
        EXPECT_EQ(first_character(wrong).code, kNoCharacter);
        EXPECT_EQ(first_character(wrong).size, 1u);
    }
    EXPECT_EQ(count_characters("a\xff\u20ac\xe2\x82"), 5u);
    EXPECT_EQ(cleaned("a\xff\u20ac\x07\tz"), "a\uFFFD\u20ac\uFFFD\uFFFDz");
}

TEST(Utf8, characters_are_as_wide_as_a_terminal_shows_them) {
    // K-04
    for (auto [code, columns] : {std::pair<char32_t, int>{U'a', 1}, {U'\u00e4', 1}, {U'\u0301', 0}, {U'\u200d', 0},
                                 {U'\u2588', 1}, {U'\u65e5', 2}, {U'\uac00', 2}, {U'\uff21', 2}, {U'\U0001F600', 2},
                                 {U'\U00020000', 2}, {U'\uFFFD', 1}, {kNoCharacter, 1}})
        EXPECT_EQ(columns_of(code), columns) << static_cast<unsigned>(code);
    EXPECT_EQ(count_columns("e\u0301\u65e5\xff"), 4u);
    std::string text;
    for (const char32_t code : {U'a', U'\u00e4', U'\u20ac', U'\U0001F600'}) append_character(text, code);
    EXPECT_EQ(text, "a\u00e4\u20ac\U0001F600");
}

TEST(Utf8, a_bom_is_skipped_once) {
    // C-11
    EXPECT_EQ(skip_bom("\xEF\xBB\xBF\xEF\xBB\xBFx"), "\xEF\xBB\xBFx");
    EXPECT_EQ(skip_bom("\xEF\xBB"), "\xEF\xBB");
    EXPECT_EQ(skip_bom(""), "");
}

TEST(Utf8, a_line_is_wrapped_at_blanks_and_never_within_a_character_or_a_word) {
    // K-04
    using Lines = std::vector<std::string>;
    EXPECT_EQ(wrapped("", 5, 5), (Lines{""}));
    EXPECT_EQ(wrapped("one two", 7, 3), (Lines{"one two"}));
    EXPECT_EQ(wrapped("one two six", 7, 3), (Lines{"one two", "six"}));
    EXPECT_EQ(wrapped("one two six", 6, 3), (Lines{"one", "two", "six"}));
    EXPECT_EQ(wrapped("  one two", 5, 9), (Lines{"  one", "two"}));
    EXPECT_EQ(wrapped("\u00e4\u00e4\u00e4 \u65e5\u65e5", 3, 4), (Lines{"\u00e4\u00e4\u00e4", "\u65e5\u65e5"}));
    EXPECT_EQ(wrapped("\u65e5\u65e5\u65e5 x", 3, 3), (Lines{"\u65e5\u65e5\u65e5", "x"}));
    EXPECT_EQ(wrapped("      ", 3, 3), (Lines{"      "}));
}

}  // namespace utf8_test
}  // namespace lyre
