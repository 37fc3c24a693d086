#include "lyre/core/content_node.h"

#include <cmath>
#include <gtest/gtest.h>

#include "lyre/core/type_builder.h"

namespace lyre {
namespace content_node_test {

std::uint64_t hash_of(const Node& node) {
    Hasher hasher;
    node.hash(hasher);
    return hasher.finish();
}

Node sample() {
    Node node = Node::table();
    node.set("text", Node::text("a \"b\"\n"));
    node.set("whole", Node::integer(-3));
    node.set("half", Node::number(0.5));
    node.set("one", Node::number(1));
    node.set("yes", Node::boolean(true));
    node.set("day", Node::date("2024-02-29"));
    Node& list = node.set("list", Node::list());
    list.add(Node::integer(1));
    list.add(Node::list());
    node.set("two words", Node::table()).set("x", Node::integer(1));
    return node;
}

struct Kept {
    Node node;
    std::vector<Node> nodes;
    static void describe(TypeBuilder<Kept>& t) {
        t.property("node", &Kept::node);
        t.property("nodes", &Kept::nodes);
    }
};

TEST(Node, prints_as_it_would_be_written) {
    // C-19
    EXPECT_EQ(sample().print(),
              "{text = \"a \\\"b\\\"\\n\", whole = -3, half = 0.5, one = 1.0, yes = true, day = 2024-02-29, "
              "list = [1, []], \"two words\" = {x = 1}}");
    EXPECT_EQ(Node().print(), "none");
    EXPECT_EQ(Node::number(1e300).print(), "1e+300");
    EXPECT_EQ(Node::text("\x1b\xff").print(), "\"\\u001B\uFFFD\"");
}

TEST(Node, gives_back_what_it_was_made_of) {
    // C-19
    const Node node = sample();
    EXPECT_EQ(node.find("text")->as_text(), "a \"b\"\n");
    EXPECT_EQ(node.find("whole")->as_integer(), -3);
    EXPECT_EQ(node.find("whole")->as_float(), -3.0);
    EXPECT_EQ(node.find("half")->as_float(), 0.5);
    EXPECT_TRUE(node.find("yes")->as_bool());
    EXPECT_EQ(node.find("day")->kind(), NodeKind::Date);
    EXPECT_EQ(node.find("day")->key(), "day");
    EXPECT_EQ(node.find("list")->entries().size(), 2u);
    EXPECT_EQ(node.find("nothing"), nullptr);
    EXPECT_EQ(Node::integer(3).find("x"), nullptr);
    EXPECT_TRUE(Node().is_none());
}

TEST(Node, setting_a_key_again_replaces_its_value_in_place) {
    // C-19
    Node node = sample();
    node.set("whole", Node::text("now a text"));
    EXPECT_EQ(node.entries().size(), sample().entries().size());
    EXPECT_EQ(node.entries()[1].as_text(), "now a text");
    EXPECT_EQ(node.entries()[1].key(), "whole");
}

TEST(Node, equality_and_hash_ignore_places_and_the_order_of_keys) {
    // C-19
    const Node node = sample();
    Node other = Node::table();
    for (auto entry = node.entries().rbegin(); entry != node.entries().rend(); ++entry) {
        Node& added = other.set(entry->key(), *entry);
        added.place = {.line = 7, .column = 8, .length = 9};
        added.key_place = {.line = 7, .column = 1, .length = 3};
    }
    EXPECT_EQ(node, other);
    EXPECT_EQ(hash_of(node), hash_of(other));
    EXPECT_EQ(Node::number(std::nan("")), Node::number(-std::nan("")));
    EXPECT_EQ(hash_of(Node::number(0.0)), hash_of(Node::number(-0.0)));
}

TEST(Node, whatever_else_differs_differs_in_equality_and_hash) {
    // C-19
    Node one_two = Node::list(), two_one = Node::list(), nested = Node::list();
    for (int i : {1, 2}) one_two.add(Node::integer(i));
    for (int i : {2, 1}) two_one.add(Node::integer(i));
    nested.add(one_two);
    Node x = Node::table(), y = Node::table();
    x.set("x", Node::integer(1));
    y.set("y", Node::integer(1));
    const std::vector<Node> all{Node(),
                                Node::boolean(false),
                                Node::boolean(true),
                                Node::integer(0),
                                Node::integer(1),
                                Node::number(0),
                                Node::number(1),
                                Node::text(""),
                                Node::text("1"),
                                Node::date("1"),
                                Node::list(),
                                Node::table(),
                                one_two,
                                two_one,
                                nested,
                                x,
                                y,
                                sample()};
    for (std::size_t a = 0; a < all.size(); ++a)
        for (std::size_t b = 0; b < all.size(); ++b) {
            EXPECT_EQ(all[a] == all[b], a == b) << all[a].print() << " and " << all[b].print();
            EXPECT_EQ(hash_of(all[a]) == hash_of(all[b]), a == b);
        }
}

TEST(Node, a_copy_is_deep) {
    // C-19
    Node first = sample();
    const Node copy = first;
    first.set("two words", Node::integer(1));
    EXPECT_EQ(copy, sample());
    EXPECT_FALSE(copy == first);
}

TEST(Node, a_tree_of_any_depth_goes_without_recursion) {
    // C-11
    Node chain = Node::list();
    for (int i = 0; i < 200'000; ++i) {
        Node outer = Node::list();
        outer.add(std::move(chain));
        chain = std::move(outer);
    }
    chain = Node();
    Node table = Node::table();
    Node* last = &table;
    for (int i = 0; i < 200'000; ++i) last = &last->add("x", Node::table());
    EXPECT_EQ(table.entries().size(), 1u);
}

TEST(Node, a_property_can_be_one) {
    // C-19
    const Type& type = type_of_record<Kept>();
    EXPECT_EQ(type.properties[0].type->kind, ValueKind::Node);
    Kept kept, other;
    kept.node = sample();
    kept.nodes.push_back(sample());
    const ValueType& value = value_type<Kept>();
    EXPECT_FALSE(value.equal(&kept, &other));
    value.assign(&other, &kept);
    EXPECT_TRUE(value.equal(&kept, &other));
    EXPECT_EQ(value.print(&kept).find("{node = {text = "), 0u);
    EXPECT_FALSE(value_type<Node>().parse("1", &other.node).is_ok());
}

TEST(Node, kinds_are_named_as_errors_say_them) {
    // C-12
    EXPECT_EQ(to_string(NodeKind::None), "nothing");
    EXPECT_EQ(to_string(NodeKind::Integer), "a whole number");
    EXPECT_EQ(to_string(NodeKind::List), "a list");
    EXPECT_EQ(to_string(NodeKind::Date), "a date");
}

}  // namespace content_node_test
}  // namespace lyre
