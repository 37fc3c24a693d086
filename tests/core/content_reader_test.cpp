#include "lyre/core/content_reader.h"

#include <gtest/gtest.h>

#include "lyre/core/content_codes.h"
#include "lyre/core/tags.h"
#include "lyre/core/type_registry.h"

namespace lyre {
namespace {

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

}  // namespace
}  // namespace lyre
