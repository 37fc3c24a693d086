#include <deque>
#include <gtest/gtest.h>

#include "lyre/features/action.h"

namespace lyre::features {
namespace action_order_test {

struct Actions {
    Actions& add(const char* name, std::vector<const char*> before = {}, std::vector<const char*> after = {}) {
        GameFeatureAction& action = all.emplace_back();
        action.name = Name(name);
        for (const char* other : before) action.before.emplace_back(other);
        for (const char* other : after) action.after.emplace_back(other);
        return *this;
    }
    std::vector<const GameFeatureAction*> list() const {
        std::vector<const GameFeatureAction*> pointers;
        for (const GameFeatureAction& action : all) pointers.push_back(&action);
        return pointers;
    }
    std::vector<std::size_t> order() const { return order_actions(list()).value(); }
    std::string refusal() const { return order_actions(list()).status().text(); }
    std::deque<GameFeatureAction> all;
};
using Order = std::vector<std::size_t>;

TEST(ActionOrder, without_edges_actions_run_as_written) {
    //
    EXPECT_EQ(Actions().order(), Order{});
    EXPECT_EQ(Actions().add("c").add("").add("a").order(), (Order{0, 1, 2}));
}

TEST(ActionOrder, before_and_after_move_an_action_and_the_rest_stays) {
    //
    EXPECT_EQ(Actions().add("a").add("b").add("c", {"a"}).order(), (Order{1, 2, 0}));
    EXPECT_EQ(Actions().add("a", {}, {"c"}).add("b").add("c").order(), (Order{1, 2, 0}));
    EXPECT_EQ(Actions().add("", {}, {"b"}).add("b").add("c").order(), (Order{1, 0, 2}));
}

TEST(ActionOrder, names_that_nobody_has_are_ignored) {
    //
    EXPECT_EQ(Actions().add("a", {"nobody"}, {"somebody"}).add("b").order(), (Order{0, 1}));
}

TEST(ActionOrder, an_edge_holds_for_all_of_a_name) {
    //
    EXPECT_EQ(Actions().add("x").add("y").add("x").add("first", {"x", "x"}).order(), (Order{1, 3, 0, 2}));
    EXPECT_EQ(Actions().add("last", {}, {"x"}).add("x").add("y").add("x").order(), (Order{1, 2, 3, 0}));
}

TEST(ActionOrder, a_circle_is_refused_and_printed_whole) {
    //
    EXPECT_EQ(Actions().add("free").add("a", {"b"}).add("b", {"c"}).add("c", {"a"}).refusal(),
              "before and after of actions lead in a circle: a -> b -> c -> a; take one of them out");
    EXPECT_EQ(Actions().add("a").add("b", {"a"}).add("", {"b"}, {"a"}).add("behind", {}, {"a"}).refusal(),
              "before and after of actions lead in a circle: a -> action 3 -> b -> a; take one of them out");
    EXPECT_EQ(Actions().add("a", {"a"}).refusal(),
              "before and after of actions lead in a circle: a -> a; take one of them out");
}

TEST(ActionOrder, those_that_are_not_there_have_no_part_in_it_but_keep_their_number) {
    //
    const Actions actions = Actions().add("", {"b"}, {"b"}).add("b").add("free");
    std::vector<const GameFeatureAction*> list = actions.list();
    list.insert(list.begin(), nullptr);
    EXPECT_EQ(order_actions(list).status().text(),
              "before and after of actions lead in a circle: action 2 -> b -> action 2; take one of them out");
    list[1] = nullptr;
    EXPECT_EQ(order_actions(list).value(), (Order{2, 3}));
}

}  // namespace action_order_test
}  // namespace lyre::features
