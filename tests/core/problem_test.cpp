#include "lyre/core/problem.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lyre/core/utf8.h"

namespace lyre {
namespace problem_test {

constexpr ProblemCode kUnknownKey{2104, "unknown key", "The key is not one of the type's."};

constexpr std::string_view kTag =
    "# Tag\n"
    "title = \"Tag\"\n"
    "\n"
    "featurs = [\"arena_core\"]\n";

Problem unknown_key() {
    Problem problem;
    problem.code = &kUnknownKey;
    problem.text = "unknown key \"featurs\" in experience:tag";
    problem.file = "content/tag.experience.toml";
    problem.place = {.line = 4, .column = 1, .length = 7};
    problem.hint = "did you mean \"features\"?";
    problem.chain = {"experience:tag"};
    quote_source(problem, kTag);
    return problem;
}

Problem quoted(std::string_view text, SourcePlace place) {
    Problem problem;
    problem.place = place;
    quote_source(problem, text);
    return problem;
}

// What the caret line of a problem points at.
std::string under_carets(const Problem& problem) {
    const std::string text = problem.to_text();
    const std::size_t source = text.find("   |  ") + 6, carets = text.rfind("   |  ") + 6;
    std::string_view rest = std::string_view(text).substr(source);
    std::string found;
    for (std::size_t i = carets; i < text.size() && text[i] != '\n'; ++i) {
        const std::size_t size = first_character(rest).size;
        if (text[i] == '^') found += rest.substr(0, size);
        rest.remove_prefix(size);
    }
    return found;
}

TEST(Problem, reads_with_its_place_the_line_a_caret_and_a_hint) {
    // C-13
    EXPECT_EQ(unknown_key().to_text(),
              "error LY-2104: unknown key \"featurs\" in experience:tag\n"
              "  --> content/tag.experience.toml:4:1\n"
              "   |  featurs = [\"arena_core\"]\n"
              "   |  ^^^^^^^ did you mean \"features\"?\n"
              "   = in: experience:tag\n");
}

TEST(Problem, says_the_same_as_text_as_json_and_as_a_struct) {
    // C-13
    const Problem problem = unknown_key();
    const auto json = nlohmann::json::parse(problem.to_json());
    EXPECT_EQ(json["code"], "LY-2104");
    EXPECT_EQ(json["title"], kUnknownKey.title);
    EXPECT_EQ(json["text"], problem.text);
    EXPECT_EQ(json["file"], problem.file);
    EXPECT_EQ(json["line"], 4);
    EXPECT_EQ(json["column"], 1);
    EXPECT_EQ(json["length"], 7);
    EXPECT_EQ(json["source"], "featurs = [\"arena_core\"]");
    EXPECT_EQ(json["source_column"], 1);
    EXPECT_EQ(json["hint"], problem.hint);
    EXPECT_EQ(json["chain"], nlohmann::json(problem.chain));
    for (const char* field : {"code", "text", "source", "hint"})
        EXPECT_NE(problem.to_text().find(json[field].get<std::string>()), std::string::npos) << field;
    EXPECT_EQ(json.size(), 11u);
}

TEST(Problem, of_a_whole_file_has_no_caret_and_its_hint_on_a_line_of_its_own) {
    // C-13
    Problem problem;
    problem.code = &kUnknownKey;
    problem.text = "the file is empty";
    problem.file = "a.map.toml";
    problem.hint = "write something";
    problem.chain = {"map:a", "experience:tag", "lyre.toml"};
    quote_source(problem, "");
    EXPECT_EQ(problem.to_text(),
              "error LY-2104: the file is empty\n"
              "  --> a.map.toml\n"
              "   = hint: write something\n"
              "   = in: map:a, from experience:tag, from lyre.toml\n");
    EXPECT_EQ(problem.where(), "a.map.toml");
}

TEST(Problem, without_anything_still_prints) {
    // C-13
    const Problem problem;
    EXPECT_EQ(problem.to_text(), "error: \n");
    EXPECT_EQ(problem.where(), "");
    EXPECT_EQ(nlohmann::json::parse(problem.to_json())["line"], 0);
    EXPECT_EQ(quoted("x", {.line = 1, .column = 1}).where(), "line 1:1");
}

TEST(Problem, carets_stand_under_the_place_behind_tabs_and_wide_letters) {
    // C-13
    const Problem problem = quoted("\t\tx = \"äöü\"\tnope # ключ", {.line = 1, .column = 13, .length = 4});
    EXPECT_EQ(problem.to_text(),
              "error: \n"
              "  --> line 1:13\n"
              "   |  \t\tx = \"äöü\"\tnope # ключ\n"
              "   |  \t\t         \t^^^^\n");
    EXPECT_EQ(under_carets(problem), "nope");
}

TEST(Problem, carets_do_not_run_past_the_end_of_the_line) {
    // C-13
    EXPECT_EQ(under_carets(quoted("abc", {.line = 1, .column = 2, .length = 4'000'000'000u})), "bc");
    EXPECT_EQ(quoted("abc\r\nd", {.line = 1, .column = 4, .length = 1}).to_text(),
              "error: \n  --> line 1:4\n   |  abc\n   |     ^\n");
    EXPECT_EQ(under_carets(quoted("\xEF\xBB\xBF"
                                  "abc",
                                  {.line = 1, .column = 1, .length = 1})),
              "a");
}

TEST(Problem, a_long_line_is_shortened_around_the_place) {
    // C-13
    const std::string line = std::string(500, 'a') + "HERE" + std::string(500, 'b');
    const Problem middle = quoted("first\n" + line, {.line = 2, .column = 501, .length = 4});
    EXPECT_EQ(under_carets(middle), "HERE");
    EXPECT_EQ(count_characters(middle.source_line), kMaxSourceLine + 2);
    EXPECT_EQ(middle.source_line.substr(0, 3), "…");
    EXPECT_EQ(middle.source_line.substr(middle.source_line.size() - 3), "…");
    EXPECT_EQ(middle.where(), "line 2:501");

    const Problem begin = quoted(line, {.line = 1, .column = 1, .length = 1});
    EXPECT_EQ(begin.source_line[0], 'a');
    const Problem end = quoted(line, {.line = 1, .column = 1004, .length = 1});
    EXPECT_EQ(end.source_line.back(), 'b');
    EXPECT_EQ(under_carets(end), "b");
}

TEST(Problem, hostile_text_cannot_garble_a_terminal) {
    // C-13
    Problem problem = quoted("x = \"\x1b[2J\xff\xc2\x9b\u202e!\" here", {.line = 1, .column = 16, .length = 4});
    problem.text = "bad\nname \x1b[31m\xfe";
    problem.file = "a\x07.toml";
    problem.hint = "\r\n";
    problem.chain = {"x\ny"};
    const std::string text = problem.to_text();
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    EXPECT_EQ(text.find('\x07'), std::string::npos);
    EXPECT_EQ(text.find("\xc2\x9b"), std::string::npos);
    EXPECT_EQ(text.find("\u202e"), std::string::npos);
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 5);
    EXPECT_EQ(under_carets(problem), "here");
    for (std::string_view rest = text; !rest.empty();) {
        const Utf8Character character = first_character(rest);
        ASSERT_NE(character.code, kNoCharacter);
        rest.remove_prefix(character.size);
    }
    EXPECT_TRUE(nlohmann::json::accept(problem.to_json()));
}

TEST(Problem, places_outside_the_text_are_safe) {
    // C-13
    for (std::uint32_t line : {0u, 1u, 2u, 3u, 4'000'000'000u})
        for (std::uint32_t column : {0u, 1u, 7u, 4'000'000'000u})
            for (std::string_view text : {"", "\n", "abc\ndef", "\r\n\r\n", "\xff\xff"})
                EXPECT_FALSE(quoted(text, {.line = line, .column = column, .length = 9}).to_text().empty());
    EXPECT_TRUE(quoted(std::string(1 << 20, 'x'), {.line = 1, .column = 1}).source_line.empty());
}

TEST(Problems, are_bounded_and_say_how_many_were_not_kept) {
    // C-12
    Problems problems;
    EXPECT_TRUE(problems.to_status().is_ok());
    for (std::size_t i = 0; i < Problems::kMax + 5; ++i) problems.add(unknown_key());
    EXPECT_EQ(problems.all().size(), Problems::kMax);
    EXPECT_EQ(problems.count(), Problems::kMax + 5);
    EXPECT_EQ(problems.dropped(), 5u);
    Problems twice = problems;
    twice.add_all(problems);
    EXPECT_EQ(twice.count(), 2 * (Problems::kMax + 5));
    EXPECT_NE(problems.to_text().find("\n5 more problems are not shown\n"), std::string::npos);
    const auto json = nlohmann::json::parse(problems.to_json());
    EXPECT_EQ(json["problems"].size(), Problems::kMax);
    EXPECT_EQ(json["problems"][0], nlohmann::json::parse(unknown_key().to_json()));
    EXPECT_EQ(json["dropped"], 5);
}

TEST(Problems, as_a_status_are_the_first_and_how_many_more) {
    // C-11
    Problems problems;
    problems.add(unknown_key());
    const std::string one =
        "content/tag.experience.toml:4:1: unknown key \"featurs\" in experience:tag; did you mean \"features\"? "
        "(LY-2104)";
    EXPECT_EQ(problems.to_status().text(), one);
    problems.add(unknown_key());
    EXPECT_EQ(problems.to_status().text(), one + "; 1 more problem");
    problems.add(unknown_key());
    EXPECT_EQ(problems.to_status().text(), one + "; 2 more problems");
}

TEST(Problems, as_a_status_about_something_are_all_and_garble_no_terminal) {
    // C-11
    Problems problems;
    Problem first, second;
    first.text = "no \x1b[2Jkey";
    first.hint = "did you\nmean \x07it?";
    second.text = "two";
    problems.add(first);
    problems.add(second);
    const std::string text = problems.to_status("a\x1b[1mb").text();
    for (char c : text) EXPECT_GE(static_cast<unsigned char>(c), 32) << text;
    EXPECT_NE(text.find("; two"), std::string::npos) << text;
}

}  // namespace problem_test
}  // namespace lyre
