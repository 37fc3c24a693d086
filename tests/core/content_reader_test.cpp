#include "lyre/core/content_reader.h"

#include <gtest/gtest.h>

#include "lyre/core/content_codes.h"
#include "lyre/core/tags.h"
#include "lyre/core/type_registry.h"

#include "tests/allocations.h"

namespace lyre {
namespace content_reader_test {

enum class Need : std::uint8_t { Required, Optional };
void describe(EnumBuilder<Need>& e) {
    e.value("required", Need::Required).value("optional", Need::Optional);
}

struct Wish {
    Name id{};
    Need need = Need::Required;
    static void describe(TypeBuilder<Wish>& t) {
        t.property("id", &Wish::id).required();
        t.property("need", &Wish::need);
        t.short_form("id");
    }
};

struct Meal {
    Name name{};
    std::string title{};
    int guests = 4;
    float warmth = 1;
    std::uint8_t courses = 3;
    Vec3 table{};
    GameplayTag mood{};
    TagContainer smells{};
    Name cook{};
    Name wine{};
    std::vector<Wish> wishes{};
    std::vector<Name> wines{};
    Node notes{};
    static void describe(TypeBuilder<Meal>& t) {
        t.property("name", &Meal::name).asset_name();
        t.property("title", &Meal::title).required();
        t.property("guests", &Meal::guests).range(1, 12);
        t.property("warmth", &Meal::warmth);
        t.property("courses", &Meal::courses);
        t.property("table", &Meal::table);
        t.property("mood", &Meal::mood);
        t.property("smells", &Meal::smells);
        t.property("cook", &Meal::cook).class_of("Wish");
        t.property("wine", &Meal::wine).asset("wine");
        t.property("wishes", &Meal::wishes);
        t.property("wines", &Meal::wines).asset("wine").soft();
        t.property("notes", &Meal::notes);
    }
};

Node list(std::initializer_list<Node> entries) {
    Node node = Node::list();
    for (const Node& entry : entries) node.add(entry);
    return node;
}

TEST(ContentReader, a_table_becomes_the_object_it_describes) {
    // C-03
    Node tree = Node::table();
    tree.set("title", Node::text("Supper"));
    tree.set("guests", Node::integer(7));
    tree.set("warmth", Node::integer(2));
    tree.set("table", list({Node::number(1.5), Node::integer(2)}));
    tree.set("wine", Node::text("wine:red"));
    tree.set("wines", list({Node::text("white"), Node::text("wine:red")}));
    Node wish = Node::table();
    wish.set("id", Node::text("salt"));
    wish.set("need", Node::text("optional"));
    tree.set("wishes", list({Node::text("bread"), wish}));
    tree.set("notes", Node::boolean(true));
    Meal meal;
    Reading reading = read_content(tree, value_type<Meal>(), &meal, {.name = "supper"});
    EXPECT_TRUE(reading.problems.is_empty()) << reading.problems.to_text();
    EXPECT_EQ(value_type<Meal>().print(&meal),
              "{name = supper, title = Supper, guests = 7, warmth = 2, courses = 3, table = [1.5, 2, 0], mood = , "
              "smells = , cook = , wine = red, wishes = [{id = bread, need = required}, {id = salt, need = optional}], "
              "wines = [white, red], notes = true}");
}

std::string problems_of(const Node& tree, Meal& meal) {
    const Reading reading = read_content(tree, value_type<Meal>(), &meal, {});
    std::string text;
    for (const Problem& problem : reading.problems.all())
        text += fmt::format("{} {}\n", problem.code->to_string(), problem.text);
    return text;
}

TEST(ContentReader, texts_lists_and_sets_are_bounded) {
    // C-12
    Meal meal;
    Node tree = Node::table();
    tree.set("title", Node::text(std::string(kMaxContentText + 1, 'x')));
    tree.set("cook", Node::text(std::string(Name::kMaxLength + 1, 'x')));
    Node& wines = tree.set("wines", Node::list());
    for (std::size_t i = 0; i <= kMaxListEntries; ++i) wines.add(Node());
    Node& smells = tree.set("smells", Node::list());
    for (std::size_t i = 0; i <= TagContainer::kMaxTags; ++i) smells.add(Node());
    EXPECT_EQ(problems_of(tree, meal),
              "LY-2113 \"title\" takes at most 65536 bytes of text, not 65537\n"
              "LY-2113 \"cook\" takes at most 1023 bytes of text, not 1024\n"
              "LY-2115 \"wines\" takes at most 1000000 entries, not 1000001\n"
              "LY-2115 \"smells\" takes at most 1024 tags, not 1025\n");
}

TEST(ContentReader, a_flood_of_problems_is_counted_and_not_kept) {
    // C-11
    Meal meal;
    Node tree = Node::table();
    tree.set("title", Node::text("Supper"));
    Node& wishes = tree.set("wishes", Node::list());
    for (int i = 0; i < 100'000; ++i) wishes.add(Node::integer(i));
    const Reading reading = read_content(tree, value_type<Meal>(), &meal, {});
    EXPECT_EQ(reading.problems.count(), 100'000u);
    EXPECT_EQ(reading.problems.all().size(), Problems::kMax);
}

TEST(ContentReader, a_reading_may_move_between_its_halves_and_is_linked_bit_by_bit) {
    // C-10
    Meal meal;
    Node tree = Node::table();
    tree.set("title", Node::text("Supper"));
    tree.set("mood", Node::text("Mood.Merry"));
    tree.set("smells", list({Node::text("Smell.Bread"), Node::text("Smell.Onion")}));
    tree.set("cook", Node::text("Wish"));
    Reading first = read_content(tree, value_type<Meal>(), &meal, {});
    EXPECT_TRUE(meal.mood.is_none());
    Reading reading = std::move(first);
    TypeRegistry types;
    TagTable tags;
    ASSERT_TRUE(types.add<Wish>());
    for (const char* tag : {"Mood.Merry", "Smell.Bread", "Smell.Onion"}) ASSERT_TRUE(tags.declare(tag).is_ok());
    int steps = 0;
    for (; !reading.is_linked(); ++steps) link_content(reading, {types, tags}, 1);
    EXPECT_EQ(steps, 4);
    EXPECT_TRUE(reading.problems.is_empty()) << reading.problems.to_text();
    EXPECT_EQ(meal.mood.text(), "Mood.Merry");
    EXPECT_EQ(meal.smells.to_string(), "Smell.Bread, Smell.Onion");
}

struct Crumb {
    Name kind{};
    Vec3 at{};
    float size = 1;
    static void describe(TypeBuilder<Crumb>& t) {
        t.property("kind", &Crumb::kind).required();
        t.property("at", &Crumb::at).required();
        t.property("size", &Crumb::size).range(0, 10);
    }
};
struct Crumbs {
    std::vector<Crumb> crumbs{};
    static void describe(TypeBuilder<Crumbs>& t) { t.property("crumb", &Crumbs::crumbs); }
};

TEST(ContentReader, entries_without_problems_are_read_without_memory_of_their_own) {
    // C-17
    Node tree = Node::table();
    Node& list_of = tree.set("crumb", Node::list());
    for (int i = 0; i < 1000; ++i) {
        Node& crumb = list_of.add(Node::table());
        crumb.set("kind", Node::text(i % 2 == 0 ? "rye" : "wheat"));
        crumb.set("at", list({Node::number(i), Node::number(1)}));
        crumb.set("size", Node::number(2));
    }
    Crumbs crumbs;
    static_cast<void>(read_content(tree, value_type<Crumbs>(), &crumbs, {}));
    const auto before = allocations();
    const Reading reading = read_content(tree, value_type<Crumbs>(), &crumbs, {});
    EXPECT_LE(allocations() - before, 4u);
    EXPECT_TRUE(reading.problems.is_empty());
    EXPECT_EQ(crumbs.crumbs[999].at, (Vec3{999, 1, 0}));
}

struct Inner {
    int a = 0;
    static inline std::vector<std::string> heard{};
    void check(ContentCheck& check) const {
        heard.push_back("check " + check.where("a"));
        if (a == 13) check.problem(content_code::kOutOfRange, "a", check.where("a") + " brings bad luck");
    }
    void link(ContentLink& link) const { heard.push_back("link " + link.where()); }
    static void describe(TypeBuilder<Inner>& t) {
        t.property("a", &Inner::a);
        t.hook<&Inner::check>("check");
        t.hook<&Inner::link>("link");
    }
};
struct Outer {
    std::vector<Inner> inner{};
    GameplayTag tag{};
    void check(ContentCheck& check) const { Inner::heard.push_back("check " + check.where()); }
    void link(ContentLink& link) const {
        Inner::heard.push_back(fmt::format("link {} with {}", link.where(), tag));
        static const PropertyInfo& as = *type_of_record<Inner>().find_property(Name("a"));
        int value = 0;
        Node kept = Node::table();
        EXPECT_FALSE(link.read("kept", kept.set("a", Node::text("x")), as, &value));
        EXPECT_TRUE(link.read("kept", kept.set("a", Node::integer(3)), as, &value));
        EXPECT_EQ(value, 3);
    }
    static void describe(TypeBuilder<Outer>& t) {
        t.property("inner", &Outer::inner);
        t.property("tag", &Outer::tag);
        t.hook<&Outer::check>("check");
        t.hook<&Outer::link>("link");
    }
};

TEST(ContentReader, hooks_are_called_innermost_first_and_only_for_what_was_read_without_problems) {
    // C-12
    Node tree = Node::table();
    Node& inner = tree.set("inner", Node::list());
    inner.add(Node::table()).set("a", Node::integer(1));
    inner.add(Node::table()).set("b", Node::integer(1));
    Outer outer;
    Inner::heard.clear();
    static_cast<void>(read_content(tree, value_type<Outer>(), &outer, {.subject = "outer:one"}));
    EXPECT_EQ(Inner::heard, std::vector<std::string>{"check \"a\" of inner[0] in outer:one"});

    tree = Node::table();
    tree.set("inner", Node::list()).add(Node::table()).set("a", Node::integer(1));
    tree.set("tag", Node::text("Merry"));
    Inner::heard.clear();
    TypeRegistry types;
    TagTable tags;
    ASSERT_TRUE(tags.declare("Merry").is_ok());
    Reading reading = read_content(tree, value_type<Outer>(), &outer, {.subject = "outer:one"});
    EXPECT_EQ(Inner::heard.size(), 2u);
    link_content(reading, {types, tags});
    EXPECT_EQ(Inner::heard, (std::vector<std::string>{"check \"a\" of inner[0] in outer:one", "check outer:one",
                                                      "link inner[0] in outer:one", "link outer:one with Merry"}));
    ASSERT_EQ(reading.problems.count(), 1u);
    EXPECT_EQ(reading.problems.all()[0].text, "\"a\" of kept in outer:one takes a whole number, not a text");
}

struct Cellar {
    Name best{"red"};
    std::vector<Name> others{};
    static void describe(TypeBuilder<Cellar>& t) {
        t.property("best", &Cellar::best).asset("wine").or_none();
        t.property("others", &Cellar::others).asset("wine").soft().or_none();
    }
};

TEST(ContentReader, an_empty_text_names_no_asset_where_the_property_says_so) {
    // C-03, E-05
    Node tree = Node::table();
    tree.set("best", Node::text(""));
    tree.set("others", list({Node::text("white"), Node::text("")}));
    Cellar cellar;
    const Reading reading = read_content(tree, value_type<Cellar>(), &cellar, {});
    EXPECT_TRUE(reading.problems.is_empty()) << reading.problems.to_text();
    EXPECT_EQ(cellar.best, Name());
    EXPECT_EQ(cellar.others, (std::vector{Name("white"), Name()}));
    EXPECT_EQ(reading.lookups.size(), 1u) << "nothing is looked up for none";
    tree.set("best", Node::text("Red wine"));
    EXPECT_EQ(read_content(tree, value_type<Cellar>(), &cellar, {}).problems.count(), 1u);
}

}  // namespace content_reader_test
}  // namespace lyre
