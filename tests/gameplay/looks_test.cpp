#include "lyre/gameplay/looks.h"

#include <algorithm>

#include "lyre/core/content_node.h"
#include "lyre/world/archetype.h"
#include "lyre/world/space.h"

#include "tests/gameplay/small_match.h"

namespace lyre::gameplay {
namespace looks_test {

bool is_found(World& world, ActorId id, Vec3 at) {
    std::vector<Found> found;
    world.space().find(Circle{at, 0.1f}, {}, found);
    return std::any_of(found.begin(), found.end(), [&](const Found& one) { return one.id == id; });
}

TEST(Looks, a_prop_is_found_as_wide_as_its_class_looks_whatever_look_it_is_given_later) {
    SmallMatch match;
    match.open();
    ArchetypeDef boulder;
    boulder.name = Name("Boulder");
    boulder.parent = Name("Prop");
    Node look = Node::table();
    look.set("radius", Node::number(4.0));
    boulder.defaults.set("look", look);
    const auto made = add_archetype(match.house.runtime().types(), match.house.runtime().tags(), boulder);
    ASSERT_TRUE(made.is_ok()) << made.status().text();
    const ActorId id = *match.world().spawn("Boulder", {.transform = {{20, 0, 0}, 0, 0.5f}});
    auto& stone = *match.world().find<Prop>(id);
    EXPECT_TRUE(is_found(match.world(), id, {21.9f, 0, 0}));
    EXPECT_FALSE(is_found(match.world(), id, {22.2f, 0, 0}));
    stone.look = Look{Shape::Circle, Colour::Red, 9, "O"};
    EXPECT_EQ(look_of(stone)->radius, 9);
    EXPECT_FALSE(is_found(match.world(), id, {22.2f, 0, 0})) << "as rows of its class";
    ASSERT_TRUE(stone.set_transform({{20, 0, 0}, 0, 1}).is_ok());
    EXPECT_TRUE(is_found(match.world(), id, {23.9f, 0, 0}));
}

TEST(Looks, the_first_marker_counts_and_a_label_before_a_local_one) {
    SmallMatch match;
    match.open();
    Actor& pawn = *match.world().find(*match.world().spawn<Pawn>());
    EXPECT_EQ(look_of(pawn), nullptr);
    EXPECT_EQ(label_of(pawn), nullptr);
    (*pawn.add<Marker>(Name("first")))->look = Look{Shape::Square, Colour::Blue, 2, "1"};
    (*pawn.add<Marker>(Name("second")))->look = Look{Shape::Dot, Colour::Red, 1, "2"};
    ASSERT_NE(look_of(pawn), nullptr);
    EXPECT_EQ(look_of(pawn)->glyph, "1");
    (*pawn.add<LocalLabel>(Name("own")))->text = "here";
    ASSERT_NE(label_of(pawn), nullptr);
    EXPECT_EQ(*label_of(pawn), "here");
    (*pawn.add<Label>(Name("all")))->text = "everywhere";
    EXPECT_EQ(*label_of(pawn), "everywhere");
}

}  // namespace looks_test
}  // namespace lyre::gameplay
