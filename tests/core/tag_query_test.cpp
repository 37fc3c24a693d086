#include "lyre/core/tag_query.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/allocations.h"

namespace lyre {
namespace tag_query_test {

struct TagQueryTest : testing::Test {
    TagQueryTest() {
        for (const char* text : {"A.B", "A.BC", "C", "D", "E.F", "E.G", "all", "none.Of"})
            EXPECT_TRUE(table.declare(text)) << text;
    }
    GameplayTag tag(std::string_view text) const { return *table.find(text); }
    TagQuery query(std::string_view text) const { return TagQuery::parse(text, table).value(); }
    std::string failure(std::string_view text) const { return TagQuery::parse(text, table).status().text(); }
    TagContainer set(std::initializer_list<const char*> texts) const {
        TagContainer result;
        for (const char* text : texts) result.add(tag(text));
        return result;
    }

    TagTable table;
};

TEST_F(TagQueryTest, all_any_and_none_nest) {
    // W-05
    const TagQuery q = query("all(A.B, any(C, D), none(E))");
    EXPECT_TRUE(q.evaluate(set({"A.B", "D"})));
    EXPECT_TRUE(q.evaluate(set({"A.B", "C", "D", "A.BC"})));
    EXPECT_FALSE(q.evaluate(set({"A.BC", "D"})));
    EXPECT_FALSE(q.evaluate(set({"A.B"})));
    EXPECT_FALSE(q.evaluate(set({"A.B", "C", "E.F"})));
    EXPECT_FALSE(q.evaluate(TagContainer()));
    EXPECT_TRUE(query("A").evaluate(set({"A.BC"})));
    EXPECT_FALSE(query("A").evaluate(set({"C"})));
    EXPECT_TRUE(query("none(none(C))").evaluate(set({"C"})));
}

TEST_F(TagQueryTest, it_asks_counts_and_types_of_your_own_too) {
    // W-05, W-32
    const TagQuery q = query("all(A, none(C))");
    TagCounts counts;
    counts.add(tag("A.B"), 2);
    EXPECT_TRUE(q.evaluate(counts));
    counts.add(tag("C"));
    EXPECT_EQ(q.explain(counts), "none(C): has C");
    struct Both {  // an actor's own tags and those of its effects
        const TagCounts& own;
        const TagContainer& effects;
        bool has(GameplayTag tag) const { return own.has(tag) || effects.has(tag); }
        GameplayTag first_match(GameplayTag tag) const {
            return own.has(tag) ? own.first_match(tag) : effects.first_match(tag);
        }
    };
    TagCounts own;
    own.add(tag("A.BC"));
    EXPECT_TRUE(q.evaluate(Both{own, set({"D"})}));
    EXPECT_FALSE(q.evaluate(Both{own, set({"C"})}));
}

TEST_F(TagQueryTest, clauses_of_nothing_and_the_query_never_given) {
    // W-05
    const TagContainer tags = set({"A.B", "C"});
    EXPECT_TRUE(query("all()").evaluate(tags));
    EXPECT_TRUE(query("none()").evaluate(tags));
    EXPECT_FALSE(query("any()").evaluate(tags));
    EXPECT_FALSE(TagQuery().evaluate(tags));
    EXPECT_TRUE(TagQuery().is_empty());
    EXPECT_EQ(TagQuery(), query(" any( ) "));
    EXPECT_EQ(TagQuery().to_string(), "any()");
    EXPECT_EQ(TagQuery().explain(tags), "any(): an empty query never holds");
    EXPECT_EQ(TagQuery::all({TagQuery(), TagQuery::none({})}).to_string(), "all(any(), none())");
}

TEST_F(TagQueryTest, code_and_text_make_the_same_query) {
    // W-05
    const TagQuery made = TagQuery::all({tag("A.B"), TagQuery::any({tag("C"), tag("D")}), TagQuery::none({tag("E")})});
    const std::string text = "all(A.B, any(C, D), none(E))";
    EXPECT_EQ(made.to_string(), text);
    EXPECT_EQ(made, query(text));
    EXPECT_EQ(made, query("\n all ( A.B,any(C ,\tD), none(E) )  "));
    EXPECT_NE(made, query("all(A.B, any(C, D, none(E)))"));
    EXPECT_EQ(fmt::format("{}", made), text);
    EXPECT_EQ(made.tags(), set({"A.B", "C", "D", "E"}));
    EXPECT_EQ(query("all(all, none.Of, none)").to_string(), "all(all, none.Of, none)");  // tags may be so called
}

TEST_F(TagQueryTest, the_first_failing_clause_is_named) {
    // W-05
    const TagQuery q = query("all(A.B, any(C, D), none(E))");
    EXPECT_EQ(q.explain(set({"A.B", "D"})), "");
    EXPECT_EQ(q.explain(set({"C", "E.F"})), "all: missing A.B");
    EXPECT_EQ(q.explain(set({"A.B", "E.F"})), "any(C, D): none of these holds");
    EXPECT_EQ(q.explain(set({"A.B", "C", "E.F", "E.G"})), "none(E): has E.F");
    EXPECT_EQ(query("A.B").explain(set({"A.BC"})), "missing A.B");
    EXPECT_EQ(query("none(D, all(A, C))").explain(set({"A.B", "C"})), "none(D, all(A, C)): all(A, C) holds");
    EXPECT_EQ(query("all(all(A, all(C)))").explain(set({"A.B"})), "all: missing C");
}

TEST_F(TagQueryTest, a_wrong_text_is_refused_with_the_column_and_what_was_expected) {
    // W-05, W-03
    const std::string part = "a tag, all(...), any(...) or none(...)";
    EXPECT_EQ(failure(""), "column 1: expected " + part + ", found the end");
    EXPECT_EQ(failure("all("), "column 5: expected " + part + ", found the end");
    EXPECT_EQ(failure("all(A.B,)"), "column 9: expected " + part + ", found \")\"");
    EXPECT_EQ(failure("all(A.B, )"), "column 10: expected " + part + ", found \")\"");
    EXPECT_EQ(failure("all(,C)"), "column 5: expected " + part + ", found \",\"");
    EXPECT_EQ(failure("(A.B)"), "column 1: expected " + part + ", found \"(\"");
    EXPECT_EQ(failure("all(A.B"), "column 8: expected \",\" or \")\", found the end");
    EXPECT_EQ(failure("all(A.B C)"), "column 9: expected \",\" or \")\", found \"C\"");
    EXPECT_EQ(failure("all(C) D"), "column 8: expected the end, found \"D\"");
    EXPECT_EQ(failure("all(C))"), "column 7: expected the end, found \")\"");
    EXPECT_EQ(failure("all(C, al(D))"), "column 8: expected all, any or none before \"(\", found \"al\"");
    EXPECT_EQ(failure("all(A.BD)"), "column 5: no tag \"A.BD\"; did you mean \"A.B\"?");
    EXPECT_EQ(failure("any(C, A..B)"),
              "column 8: tag \"A..B\" has an empty part at column 3; parts are joined by one '.'");
    EXPECT_EQ(TagQuery::parse("all(A.BD)", table).status().code(), StatusCode::NotFound);
    EXPECT_EQ(TagQuery::parse("all(", table).status().code(), StatusCode::InvalidArgument);
}

TEST_F(TagQueryTest, depth_and_size_are_bounded) {
    // W-05
    const auto nested = [](std::size_t depth) {
        std::string text;
        for (std::size_t i = 0; i < depth; ++i) text += "all(";
        return text + 'C' + std::string(depth, ')');
    };
    const auto wide = [](std::size_t tags) {
        std::string text = "any(C";
        for (std::size_t i = 1; i < tags; ++i) text += ",C";
        return text + ")";
    };
    EXPECT_TRUE(TagQuery::parse(nested(TagQuery::kMaxDepth), table));
    EXPECT_EQ(failure(nested(TagQuery::kMaxDepth + 1)),
              "column 65: the query is too deep; 16 clauses inside each other are allowed");
    EXPECT_EQ(TagQuery::parse(nested(100000), table).status().code(), StatusCode::Capacity);
    EXPECT_TRUE(TagQuery::parse(wide(TagQuery::kMaxNodes - 1), table));
    EXPECT_EQ(failure(wide(TagQuery::kMaxNodes)),
              "column 515: the query is too large; 256 tags and clauses are allowed");
}

TEST_F(TagQueryTest, evaluating_does_not_allocate) {
    // W-05
    const TagQuery q = query("all(A.B, any(C, D), none(E, all(A.BC, none(D))))");
    const TagContainer some = set({"A.B", "D"}), others = set({"A.B", "E.F", "A.BC"});
    TagCounts counts;
    counts.add(tag("A.B"));
    const std::size_t before = allocations();
    EXPECT_TRUE(q.evaluate(some));
    EXPECT_FALSE(q.evaluate(others));
    EXPECT_FALSE(q.evaluate(counts));
    EXPECT_EQ(allocations(), before);
}

TEST_F(TagQueryTest, arbitrary_text_gives_a_query_or_a_reason) {
    // W-05
    const std::vector<std::string> pieces = {"all", "any(", "none", "(",  ")",    ",", " ",
                                             "A.B", "C",    ".",    "\n", "\xff", "x"};
    std::mt19937 random(11);
    int good = 0;
    for (int round = 0; round < 20000; ++round) {
        std::string text;
        for (auto n = random() % 9; n > 0; --n) text += pieces[random() % pieces.size()];
        const Result<TagQuery> result = TagQuery::parse(text, table);
        if (result) {
            ++good;
            ASSERT_EQ(query(result->to_string()), *result) << text;
        } else {
            ASSERT_EQ(result.status().text().find("column "), 0u) << text;
        }
    }
    EXPECT_GT(good, 100);
}

// A query as a tree of its own, evaluated by plain text.
struct Tree {
    std::string word;  // a clause's, or a tag
    std::vector<Tree> parts;
    bool is_clause = false;

    std::string text() const {
        if (!is_clause) return word;
        std::string result = word + '(';
        for (const Tree& part : parts) result += (&part == &parts[0] ? "" : ", ") + part.text();
        return result + ')';
    }
    bool holds(const std::vector<std::string>& tags) const {
        std::size_t held = 0;
        if (!is_clause)
            for (const auto& tag : tags) held += tag == word || tag.starts_with(word + '.');
        for (const Tree& part : parts) held += part.holds(tags);
        if (!is_clause || word == "any") return held > 0;
        return word == "all" ? held == parts.size() : held == 0;
    }
};

TEST_F(TagQueryTest, random_queries_survive_printing_and_evaluate_like_a_plain_search) {
    // W-05
    const std::vector<std::string> known = {"A", "A.B", "A.BC", "C", "D", "E", "E.F", "E.G"};
    const std::vector<std::string> words = {"all", "any", "none"};
    std::mt19937 random(13);
    const auto grow = [&](const auto& self, int depth) -> Tree {
        if (depth == 0 || random() % 3 == 0) return {known[random() % known.size()], {}, false};
        Tree tree{words[random() % 3], {}, true};
        for (auto n = random() % 4; n > 0; --n) tree.parts.push_back(self(self, depth - 1));
        return tree;
    };
    int held = 0, failed = 0;
    for (int round = 0; round < 3000; ++round) {
        const Tree tree = grow(grow, 4);
        const TagQuery q = query(tree.text());
        ASSERT_EQ(q.to_string(), tree.text());
        ASSERT_EQ(query(q.to_string()), q);
        std::vector<std::string> tags;
        TagContainer container;
        TagCounts counts;
        for (auto n = random() % 5; n > 0; --n) {
            tags.push_back(known[random() % known.size()]);
            container.add(tag(tags.back()));
            counts.add(tag(tags.back()));
        }
        const bool expected = tree.holds(tags);
        ASSERT_EQ(q.evaluate(container), expected) << tree.text() << " on " << container.to_string();
        ASSERT_EQ(q.evaluate(counts), expected);
        ASSERT_EQ(q.explain(container), q.explain(counts));
        ASSERT_EQ(q.explain(container).empty(), expected);
        ++(expected ? held : failed);
    }
    EXPECT_GT(held, 500);
    EXPECT_GT(failed, 500);
}

TEST_F(TagQueryTest, a_query_made_in_code_keeps_the_same_bounds) {
    // W-05
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    TagQuery deep = tag("C");
    for (std::size_t i = 0; i < TagQuery::kMaxDepth; ++i) deep = TagQuery::all({deep});
    EXPECT_TRUE(deep.evaluate(set({"C"})));
    EXPECT_DEATH(TagQuery::all({deep}), "the query is too large");
    EXPECT_DEATH(TagQuery::all({GameplayTag()}), "a query needs a known tag");
}

}  // namespace tag_query_test
}  // namespace lyre
