#include "lyre/assets/toml.h"

#include <chrono>
#include <cmath>
#include <gtest/gtest.h>

namespace lyre::assets {
namespace toml_test {

// The message for a text with one mistake: its code, place, sentence and hint, as `2001 1:9 sentence | hint`.
std::string mistake(std::string_view text) {
    const TomlDocument document = parse_toml(text, "a.toml");
    if (document.problems.count() != 1) return fmt::format("{} problems", document.problems.count());
    EXPECT_EQ(document.root, Node::table());
    const Problem& problem = document.problems.all().front();
    EXPECT_EQ(problem.file, "a.toml");
    EXPECT_EQ(problem.to_text().find('\t'), std::string::npos);
    return fmt::format("{} {}:{}+{} {}{}{}", problem.code->number, problem.place.line, problem.place.column,
                       problem.place.length, problem.text, problem.hint.empty() ? "" : " | ", problem.hint);
}

std::string printed(std::string_view text) {
    const TomlDocument document = parse_toml(text, "a.toml");
    return document.problems.is_empty() ? document.root.print() : document.problems.to_text();
}

std::string at(const SourcePlace& place) {
    return fmt::format("{}:{}+{}", place.line, place.column, place.length);
}

std::string repeated(std::string_view text, std::size_t count) {
    std::string all;
    all.reserve(text.size() * count);
    for (std::size_t i = 0; i < count; ++i) all += text;
    return all;
}

TEST(Toml, becomes_a_tree_in_the_order_of_the_file) {
    // C-11
    EXPECT_EQ(printed("z = 1\n"
                      "a = [true, 2.5, 'x', {k = 1}]\n"
                      "m.n.o = \"\"\n"
                      "[t]\nx = -1\n"
                      "[[list]]\ni = 1\n[[list]]\ni = 2\n[list.sub]\nj = 3\n"
                      "[t.u]\ny = 0x10\n"),
              "{z = 1, a = [true, 2.5, \"x\", {k = 1}], m = {n = {o = \"\"}}, t = {x = -1, u = {y = 16}}, "
              "list = [{i = 1}, {i = 2, sub = {j = 3}}]}");
    EXPECT_EQ(printed(""), "{}");
    EXPECT_EQ(printed("# nothing\n"), "{}");
}

TEST(Toml, values_and_keys_know_their_places_in_characters) {
    // C-11
    const TomlDocument document = parse_toml(
        "title = \"Täg\"  # ü\n"
        "  \"ключ\".x = [ 1,\n 22 ]\n"
        "[a.b]\n"
        "list = [\"ä\", 2.5]\n"
        "[[c]]\n",
        "a.toml");
    const Node& root = document.root;
    EXPECT_EQ(at(root.find("title")->key_place), "1:1+5");
    EXPECT_EQ(at(root.find("title")->place), "1:9+5");
    const Node& quoted = *root.find("ключ");
    EXPECT_EQ(at(quoted.key_place), "2:3+6");
    EXPECT_EQ(at(quoted.find("x")->key_place), "2:10+1");
    EXPECT_EQ(at(quoted.find("x")->place), "2:14+4");  // to the end of its first line
    EXPECT_EQ(at(quoted.find("x")->entries()[1].place), "3:2+2");
    EXPECT_EQ(at(root.find("a")->key_place), "4:2+1");
    EXPECT_EQ(at(root.find("a")->find("b")->place), "4:1+5");
    const Node& list = *root.find("a")->find("b")->find("list");
    EXPECT_EQ(at(list.place), "5:8+10");
    EXPECT_EQ(at(list.entries()[1].place), "5:14+3");
    EXPECT_EQ(at(root.find("c")->place), "6:1+5");
}

TEST(Toml, a_bom_and_line_ends_of_windows_are_taken) {
    // C-11
    const TomlDocument document = parse_toml("\xEF\xBB\xBFx = 1\r\ny = [\r\n2]\r\n", "a.toml");
    ASSERT_TRUE(document.problems.is_empty());
    EXPECT_EQ(document.root.print(), "{x = 1, y = [2]}");
    EXPECT_EQ(at(document.root.find("x")->key_place), "1:1+1");
    EXPECT_EQ(at(document.root.find("y")->place), "2:5+1");
    EXPECT_EQ(mistake("\xEF\xBB\xBFx = y\r\n"), mistake("x = y\n"));
}

TEST(Toml, dates_infinities_and_every_kind_of_text_are_kept) {
    // C-11
    EXPECT_EQ(printed("a = 1979-05-27\nb = 07:32:00\nc = 1979-05-27T07:32:00Z\n"),
              "{a = 1979-05-27, b = 07:32:00, c = 1979-05-27T07:32:00Z}");
    EXPECT_EQ(parse_toml("a = 1979-05-27", "").root.find("a")->kind(), NodeKind::Date);
    EXPECT_EQ(printed("a = \"\"\"x\\\n  äöü\"\"\""), "{a = \"xäöü\"}");
    EXPECT_TRUE(std::isnan(parse_toml("a = nan", "").root.find("a")->as_float()));
    EXPECT_TRUE(std::isinf(parse_toml("a = -inf", "").root.find("a")->as_float()));
    EXPECT_EQ(printed("a = \"\"\"x\n\"y\"\"\"\"\nb = [1]"), "{a = \"x\\n\\\"y\\\"\", b = [1]}");
    EXPECT_EQ(printed("a = ['''[[[''', \"\\\"]\", \"\"\"[\\\"\"\"\", '', \"\"]"),
              "{a = [\"[[[\", \"\\\"]\", \"[\\\"\", \"\", \"\"]}");
}

TEST(Toml, a_mistake_in_a_value_is_named_with_what_to_write) {
    // C-11, C-12
    EXPECT_EQ(mistake("title = Tag"), "2001 1:9+3 \"Tag\" is no value | if it is a text, put it in quotes: \"Tag\"");
    EXPECT_EQ(mistake("x = [1, tag]"), "2001 1:9+3 \"tag\" is no value | if it is a text, put it in quotes: \"tag\"");
    EXPECT_EQ(mistake("a = 1\nx = True\n"), "2001 2:5+4 \"True\" is no value | write true");
    EXPECT_EQ(mistake("x = 2\"ä\""),
              "2001 1:5+4 \"2\"ä\"\" is no number | if it is a text, put it in quotes; units are left out");
    EXPECT_EQ(mistake("x = ä"), "2001 1:5+1 \"ä\" is no value | if it is a text, put it in quotes: \"ä\"");
    EXPECT_EQ(mistake("x = 1\u00a0\n"), "2001 1:6+1 U+00A0 is no plain space | replace it by a space");
    EXPECT_EQ(mistake("x = yes"), "2001 1:5+3 \"yes\" is no value | write true or false");
    EXPECT_EQ(mistake("x = null"), "2001 1:5+4 \"null\" is no value | leave the key out where there is no value");
    EXPECT_EQ(mistake("x = 012"),
              "2001 1:5+3 \"012\" is no number | remove the zeros in front, or put it in quotes if it is a text");
    EXPECT_EQ(mistake("x = .5"), "2001 1:5+2 \".5\" is no number | write 0.5");
    EXPECT_EQ(mistake("x = 1."), "2001 1:5+2 \"1.\" is no number | write 1.0");
    EXPECT_EQ(mistake("x = 10 m"),
              "2001 1:8+1 the value of \"x\" has ended before this | write one key and its value "
              "per line, texts in quotes");
    EXPECT_EQ(mistake("x = 10m"),
              "2001 1:5+3 \"10m\" is no number | if it is a text, put it in quotes; units are left out");
    EXPECT_EQ(mistake("x = 99999999999999999999"),
              "2001 1:5+20 \"99999999999999999999\" is no number | whole numbers have up to 18 digits");
    EXPECT_EQ(mistake("x = 1979-13-01"),
              "2001 1:5+10 \"1979-13-01\" is no date | expected month between 1 and 12 (inclusive)");
    EXPECT_EQ(mistake("x = 1,"), "2001 1:6+1 , stands behind the value | remove it");
}

TEST(Toml, a_mistake_in_a_text_is_named_where_it_begins) {
    // C-11, C-12
    EXPECT_EQ(mistake("x = 1\ntitle = \"Tag\ny = 2"), "2001 2:9+4 this text has no closing quote | end it with \"");
    EXPECT_EQ(mistake("x = 'a\r\n"), "2001 1:5+2 this text has no closing quote | end it with '");
    EXPECT_EQ(mistake("x = \"\"\"a\nb\n"), "2001 1:5+4 this text has no closing quote | end it with \"\"\"");
    EXPECT_EQ(mistake("x = \"Tag”"), "2001 1:5+5 this text has no closing quote | ” does not close it: write \"");
    EXPECT_EQ(mistake("title = “Tag”"), "2001 1:9+5 “ does not begin a text | use straight quotes: \"Tag\"");
    EXPECT_EQ(mistake("x = \"C:\\maps\""),
              "2001 1:8+2 \\m means nothing in a text | write \\\\ for a backslash, or put the text in single quotes");
    EXPECT_EQ(mistake("x = \"a\x01\""),
              "2001 1:7+1 control character U+0001 | remove it, or write it as an escape in a text");
}

TEST(Toml, a_mistake_around_a_key_is_named_with_the_key) {
    // C-11, C-12
    EXPECT_EQ(mistake("title \"Tag\""), "2001 1:1+5 = is missing after key \"title\" | write title = VALUE");
    EXPECT_EQ(mistake("title"), "2001 1:1+5 = is missing after key \"title\" | write title = VALUE");
    EXPECT_EQ(mistake("title: \"Tag\""), "2001 1:6+1 key \"title\" is followed by : instead of = | write title = ...");
    EXPECT_EQ(mistake("title ="), "2001 1:1+5 key \"title\" has no value | write title = VALUE, or remove the line");
    EXPECT_EQ(mistake("x == 1"), "2001 1:4+1 one = is enough | remove this one");
    EXPECT_EQ(mistake("my key = 3"),
              "2001 1:1+6 key \"my key\" has a space in it | put it in quotes: \"my key\" = ...");
    EXPECT_EQ(mistake("größe = 3"),
              "2001 1:1+5 key \"größe\" is not in plain letters | put it in quotes: \"größe\" = ...");
    EXPECT_EQ(mistake("= 3"), "2001 1:1+1 a key is missing before =");
    EXPECT_EQ(mistake("// x\n"), "2001 1:1+4 this is no key | comments begin with #");
}

TEST(Toml, a_bracket_that_is_never_closed_is_named_where_it_is) {
    // C-11, C-12
    EXPECT_EQ(mistake("x = [1, 2\ny = 3"), "2001 1:5+1 this [ is never closed | close it with ]");
    EXPECT_EQ(mistake("x = [1, [2, 3]\n[table]\n"), "2001 1:5+1 this [ is never closed | close it with ]");
    EXPECT_EQ(mistake("x = [1, {a = 1}, [2\n"), "2001 1:18+1 this [ is never closed | close it with ]");
    EXPECT_EQ(mistake("x = [1 2]"),
              "2001 1:8+1 a comma is missing before this value | put a comma between the values of a list");
    EXPECT_EQ(mistake("x = [1,,2]"), "2001 1:8+1 a value is missing before this comma");
    EXPECT_EQ(mistake("x = {a = 1\ny = 2"),
              "2001 1:5+6 a table in { } is not closed on its line | close it here, or "
              "write it as [name] with its keys below");
    EXPECT_EQ(mistake("x = {a = 1, }"), "2001 1:13+1 a comma stands before } | remove the comma");
    EXPECT_EQ(mistake("[a\nx = 1"), "2001 1:1+2 the name of this table is not closed | write [a]");
    EXPECT_EQ(mistake("[[a]\nx = 1"), "2001 1:1+4 the name of this table is not closed | write [[a]]");
    EXPECT_EQ(mistake("x = 1\n[=]"),
              "2001 2:2+1 no name of a table begins with this | write [name], or [[name]] for a "
              "list of tables");
    EXPECT_EQ(mistake("x = 1]"),
              "2001 1:6+1 the value of \"x\" has ended before this | write one key and its value per "
              "line, texts in quotes");
}

TEST(Toml, what_is_defined_twice_is_named_with_its_first_place) {
    // C-11, C-12
    EXPECT_EQ(mistake("x = 1\ny = 2\nx = 2"), "2005 3:1+1 key \"x\" is defined twice | the first is in line 1");
    EXPECT_EQ(mistake("x = 0\n[a]\nx = 1\n[b]\nx = 3\nx = [\n4]\n"),
              "2005 6:1+1 key \"x\" is defined twice | the first is in line 5");
    EXPECT_EQ(mistake("a = {x = 1, x = 2}"), "2005 1:13+1 key \"x\" is defined twice | remove one of them");
    EXPECT_EQ(mistake("[a]\nx = 1\n[a]\ny = 1"),
              "2005 3:1+3 [a] is defined twice | the first is in line 1; put them together");
    EXPECT_EQ(mistake("[a]\n[[a]]\n"),
              "2005 2:1+5 [[a]] is a list of tables here and a single table before | if a list is "
              "meant, write [[ ]] in line 1, too");
    EXPECT_EQ(mistake("[[a]]\n[a]\n"),
              "2005 2:1+3 [a] is a single table here and a list before | for one more table of the "
              "list write [[a]]; it begins in line 1");
    EXPECT_EQ(mistake("a = {b = 1}\n[a.c]\n"),
              "2005 2:1+5 [a.c] adds to a table in { }, which is complete | write its keys there, in line 1");
    EXPECT_EQ(mistake("a = 1\na.b = 2"),
              "2005 2:1+3 \"a.b\" adds a key to what is complete already | it was defined in line 1");
}

TEST(Toml, what_is_no_text_is_refused_with_its_place) {
    // C-11
    EXPECT_EQ(mistake(std::string_view("x = 1\ny\0z", 9)), "2003 2:2+1 this is no text file: it has a zero byte");
    EXPECT_EQ(mistake("a = \"ä\"\nb = \"\xe4\"\n"),
              "2002 2:6+1 byte 0xE4 is not part of UTF-8 text | save the file as UTF-8");
    EXPECT_EQ(mistake("\xff"), "2002 1:1+1 byte 0xFF is not part of UTF-8 text | save the file as UTF-8");
    EXPECT_EQ(mistake("x = \"\xed\xa0\x80\""),
              "2002 1:6+1 byte 0xED is not part of UTF-8 text | save the file as UTF-8");
}

TEST(Toml, nesting_is_taken_up_to_its_bound_and_refused_above) {
    // C-11
    const auto lists = [](std::size_t depth) { return "x = " + repeated("[", depth) + repeated("]", depth); };
    EXPECT_TRUE(parse_toml(lists(Node::kMaxDepth - 1), "").problems.is_empty());  // the file's table is one
    const std::string too_deep = "more than 64 levels of tables and lists in each other";
    EXPECT_EQ(mistake(lists(Node::kMaxDepth)), "2004 1:68+1 " + too_deep);
    const auto dotted = [](std::size_t depth) { return repeated("a.", depth - 1) + "a = 1"; };
    EXPECT_TRUE(parse_toml(dotted(Node::kMaxDepth), "").problems.is_empty());
    EXPECT_EQ(mistake(dotted(Node::kMaxDepth + 1)).substr(0, 4), "2004");
    EXPECT_EQ(mistake("[" + dotted(100).substr(0, 199) + "]").substr(0, 4), "2004");
    EXPECT_EQ(mistake("[[" + dotted(63).substr(0, 125) + "]]\n").substr(0, 4), "2004");  // a list counts, too
    std::string lists_of_tables = "[[a]]\n", name = "a";
    for (int i = 0; i < 40; ++i) lists_of_tables += "[[" + (name += ".a") + "]]\n";
    EXPECT_EQ(mistake(lists_of_tables).substr(0, 4), "2004");
}

TEST(Toml, every_piece_of_a_file_is_refused_or_taken_without_harm) {
    // C-11
    const std::string_view text =
        "title = \"Täg\\u00e4\" # ü\r\n\"a b\".c = [1, {x = 'y', z.w = 1e5}, \"\"\"m\nn\"\"\"]\n"
        "[t.u]\nd = 1979-05-27T07:32:00.5+01:00\n[[l]]\nb = true\n[[l.m]]\nf = -inf\n";
    ASSERT_TRUE(parse_toml(text, "").problems.is_empty());
    for (std::size_t size = 0; size <= text.size(); ++size) {
        EXPECT_LE(parse_toml(text.substr(0, size), "").problems.count(), 1u);
        EXPECT_LE(parse_toml(text.substr(size), "").problems.count(), 1u);
        for (char c : {'\0', '"', '\'', '[', '{', '=', '\n', '\\', '\xff', ']', ','}) {
            std::string changed(text);
            if (size < changed.size()) changed[size] = c;
            EXPECT_LE(parse_toml(changed, "").problems.count(), 1u);
        }
    }
}

TEST(Toml, hostile_texts_are_refused_quickly) {
    // C-11
    const std::size_t largest = 16 << 20, size = 1 << 20;  // the largest where even debug builds are quick
    const std::vector<std::pair<std::string, std::string>> hostile{
        {"2004", "x = " + repeated("[", 100'000)},
        {"2004", "x = " + repeated("{a=", 100'000)},
        {"2004", repeated("a.", 100'000) + "a = 1"},
        {"2004", "[" + repeated("a.", 100'000) + "a]"},
        {"2004", "x = {" + repeated("a.", 100'000) + "a = 1}"},
        {"2006", "x = [" + repeated("1,", largest / 2) + "]"},
        {"2006", repeated("[[a]]\n", largest / 6)},
        {"2001", std::string(size, 'k')},
        {"2001", std::string(largest, '"')},
        {"2001", std::string(size, '[')},
        {"2001", "x = \"" + std::string(size, 'x')},
        {"2001", "x = " + std::string(size, '9')},
        {"2002", std::string(largest, '\xff')},
        {"2003", std::string(largest, '\0')},
    };
    const auto begin = std::chrono::steady_clock::now();
    for (const auto& [code, text] : hostile) EXPECT_EQ(mistake(text).substr(0, 4), code) << text.substr(0, 20);
    EXPECT_TRUE(parse_toml(std::string(size, 'k') + " = 1", "").problems.is_empty());
    EXPECT_TRUE(parse_toml(std::string(size, '\n'), "").problems.is_empty());
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::minutes(1));
}

TEST(Toml, codes_are_listed_with_what_they_mean) {
    // C-12
    std::uint16_t last = 2000;
    for (const ProblemCode* code : toml_codes()) {
        EXPECT_EQ(code->number, ++last);
        EXPECT_FALSE(code->title.empty());
        EXPECT_GT(code->help.size(), 20u);
    }
}

}  // namespace toml_test
}  // namespace lyre::assets
