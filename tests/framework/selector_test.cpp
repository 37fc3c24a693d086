#include "lyre/framework/selector.h"

#include "lyre/core/type_registry.h"

#include "tests/framework/small_game.h"

namespace lyre::framework {
namespace selector_test {

TEST(Selector, needs_a_class_tags_or_components) {
    //
    TagTable table;
    ASSERT_TRUE(table.declare("Team.Red").is_ok());
    EXPECT_FALSE(Selector().validate(table).is_ok());
    EXPECT_FALSE(Selector().where("named").validate(table).is_ok());
    EXPECT_FALSE(Selector("Actor").validate(table).is_ok());
    EXPECT_FALSE(Selector("Pawn").with_tags("all(").validate(table).is_ok());
    EXPECT_FALSE(Selector("Pawn").with_tags("Team.Blue").validate(table).is_ok());
    EXPECT_FALSE(Selector("Pawn").with("").validate(table).is_ok());
    EXPECT_TRUE(Selector("Pawn").validate(table).is_ok());
    EXPECT_TRUE(Selector().with_tags("Team.Red").validate(table).is_ok());
    EXPECT_TRUE(Selector().with("Health").validate(table).is_ok());
    EXPECT_TRUE(Selector().without("Health").where("named").validate(table).is_ok());
}

TEST(Selector, says_what_it_selects) {
    //
    EXPECT_EQ(Selector("Pawn").to_string(), "Pawn");
    EXPECT_EQ(Selector().with_tags("all(A)").with("X").without("Y").where("p").to_string(),
              "any actor with tags all(A) and component X and no component Y and predicate p");
}

TEST(Selector, is_described_for_content_with_the_class_as_short_form) {
    //
    TypeRegistry types;
    auto type = types.add<Selector>();
    ASSERT_TRUE(type) << type.status().text();
    EXPECT_EQ((*type)->short_form, Name("class"));
    for (const char* name : {"class", "tags", "has", "has_not", "predicate"})
        EXPECT_NE((*type)->find_property(Name(name)), nullptr) << name;
    EXPECT_EQ((*type)->properties.size(), 5u);
}

TEST(Selector, all_given_parts_must_hold) {
    //
    ExtendedGame game;
    const GameplayTag red = game.tag("Team.Red");
    EXPECT_TRUE(game.manager().add_predicate(Name("yes"), [](const Actor&) { return true; }).is_ok());
    EXPECT_TRUE(game.manager().add_predicate(Name("no"), [](const Actor&) { return false; }).is_ok());
    Crate* crate = game.spawn<Crate>();
    ASSERT_TRUE(game.world().tags().add(crate->id(), red).is_ok());
    const auto matches = [&](const Selector& selector) {
        auto request = game.request(selector, "Backpack");
        EXPECT_TRUE(request.is_valid()) << request.status().text();
        return components_of(*crate) == "native Backpack";
    };
    EXPECT_TRUE(matches(Selector().with_tags("Team.Red")));
    EXPECT_TRUE(matches(Selector().with_tags("all(Team)").with("Health")));
    EXPECT_FALSE(matches(Selector().with_tags("none(Team)")));
    EXPECT_FALSE(matches(Selector("Hero").with_tags("Team.Red")));
    EXPECT_TRUE(matches(Selector("Pawn").with("Health")));
    EXPECT_FALSE(matches(Selector("Pawn").with("Armour")));
    EXPECT_FALSE(matches(Selector("Pawn").with("Health").without("Health")));
    EXPECT_TRUE(matches(Selector().without("Armour")));
    EXPECT_TRUE(matches(Selector("Pawn").where("yes")));
    EXPECT_FALSE(matches(Selector("Pawn").where("no")));
    EXPECT_FALSE(matches(Selector("Pawn").where("unknown")));
}

TEST(Selector, by_tag_follows_the_tags_in_settle) {
    // X-202, G-56
    ExtendedGame game;
    const GameplayTag red = game.tag("Team.Red");
    Pawn* pawn = game.spawn<Pawn>();
    ComponentRequestHandle request;
    {
        const OwnerScope as(Owner::feature(Name("red"), 1));
        request = game.request(Selector("Pawn").with_tags("Team.Red"), "Health");
    }
    auto handler = game.listen("a", Selector().with_tags("Team"));
    game.manager().send_extension_event(*pawn, Name("Kept"), {}, Sticky::Yes);
    EXPECT_TRUE(game.world().tags().add(pawn->id(), red).is_ok());
    EXPECT_EQ(components_of(*pawn), "");
    game.manager().settle();
    EXPECT_EQ(components_of(*pawn), "Health");
    EXPECT_EQ(handler_log(), "a:ExtensionAdded(Pawn) a:Kept(Pawn)");
    EXPECT_TRUE(game.world().tags().remove(pawn->id(), red).is_ok());
    game.manager().settle();
    EXPECT_EQ(components_of(*pawn), "");
    EXPECT_EQ(handler_log(), "a:ExtensionRemoved(Pawn)");
    EXPECT_TRUE(game.world().tags().add(pawn->id(), red).is_ok());
    EXPECT_EQ(game.runtime.tags().undeclare("Team.Red").code(), StatusCode::Refused);  // a selector uses it
}

TEST(Selector, by_tag_follows_the_tags_also_where_listeners_answer_each_other_without_end) {
    // X-202, W-32
    ExtendedGame game;
    const GameplayTag red = game.tag("Team.Red");
    Pawn *pawn = game.spawn<Pawn>(), *other = game.spawn<Pawn>();
    const auto request = game.request(Selector("Pawn").with_tags("Team.Red"), "Health");
    std::uint32_t turns = 0;
    ActorTags& tags = game.world().tags();
    const Connection answers = tags.changed.add([&](Actor& actor, GameplayTag tag, bool has) {
        if (actor.id() != pawn->id() || tag != red) return;
        if (++turns == ActorTags::kMaxTurns) tags.add(other->id(), red).ignore();
        (has ? tags.remove(pawn->id(), red) : tags.add(pawn->id(), red)).ignore();
    });
    EXPECT_TRUE(tags.add(pawn->id(), red).is_ok());
    EXPECT_EQ(game.runtime.log().count(Name("world.tags_circle")), 1u);
    game.manager().settle();
    EXPECT_EQ(components_of(*other), "Health");
    EXPECT_EQ(components_of(*pawn), tags.has(pawn->id(), red) ? "Health" : "");
}

TEST(Selector, by_component_follows_the_components_in_settle) {
    // X-203, G-56
    ExtendedGame game;
    Pawn* pawn = game.spawn<Pawn>();
    auto with = game.request(Selector("Pawn").with("Health"), "Backpack");
    auto without = game.request(Selector("Pawn").without("Health"), "Team");
    EXPECT_EQ(components_of(*pawn), "Team");
    auto added = pawn->add<Armour>();
    ASSERT_TRUE(added);
    game.manager().settle();
    EXPECT_EQ(components_of(*pawn), "Armour Backpack");
    EXPECT_TRUE(game.world().remove_component(**added).is_ok());
    game.manager().settle();
    EXPECT_EQ(components_of(*pawn), "Team");
}

TEST(Selector, what_a_request_made_itself_does_not_stand_in_its_way) {
    //
    ExtendedGame game;
    Pawn* pawn = game.spawn<Pawn>();
    auto request = game.request(Selector("Pawn").without("Health"), "Health");
    for (int i = 0; i < 3; ++i) game.manager().settle();
    EXPECT_EQ(components_of(*pawn), "Health");
    EXPECT_EQ(game.reports("framework.settle"), 0u);
    ASSERT_TRUE(pawn->add<Armour>());  // another's does
    game.manager().settle();
    EXPECT_EQ(components_of(*pawn), "Armour");
}

TEST(Selector, two_requests_that_undo_each_other_are_stopped_and_named) {
    // X-203, G-56
    ExtendedGame game;
    Pawn* pawn = game.spawn<Pawn>();
    auto a = game.request(Selector("Pawn").without("Backpack"), "Health");
    auto b = game.request(Selector("Pawn").with("Health"), "Backpack");
    game.manager().settle();
    EXPECT_EQ(game.reports("framework.settle"), 1u);
    EXPECT_NE(game.last_report().find("Health to Pawn with no component Backpack"), std::string::npos);
    EXPECT_NE(game.last_report().find("Backpack to Pawn with component Health"), std::string::npos)
        << game.last_report();
    game.manager().settle();  // stopped until something else happens
    EXPECT_EQ(game.reports("framework.settle"), 1u);
    a.reset();
    game.manager().settle();
    EXPECT_EQ(components_of(*pawn), "");
}

TEST(Selector, a_predicate_is_judged_on_add_and_on_invalidate_and_never_otherwise) {
    //
    ExtendedGame game;
    const GameplayTag red = game.tag("Team.Red");
    int calls = 0;
    bool answer = true;
    EXPECT_TRUE(game.manager().add_predicate(Name("p"), [&](const Actor&) { return ++calls, answer; }).is_ok());
    EXPECT_EQ(game.manager().add_predicate(Name("p"), [](const Actor&) { return true; }).code(),
              StatusCode::AlreadyExists);
    Pawn* pawn = game.spawn<Pawn>();
    auto request = game.request(Selector("Pawn").with_tags("none(Team)").where("p"), "Health");
    EXPECT_EQ(calls, 1);
    answer = false;
    for (int i = 0; i < 3; ++i) {
        EXPECT_TRUE(game.world().tags().add(pawn->id(), red).is_ok());
        game.manager().settle();
        EXPECT_EQ(components_of(*pawn), "");
        EXPECT_TRUE(game.world().tags().remove(pawn->id(), red).is_ok());
        game.manager().settle();
        EXPECT_EQ(components_of(*pawn), "Health");
        game.manager().explain_receiver(*pawn);
    }
    EXPECT_EQ(calls, 1);
    game.manager().invalidate(*pawn);
    game.manager().settle();
    EXPECT_EQ(calls, 2);
    EXPECT_EQ(components_of(*pawn), "");
    answer = true;
    game.spawn<Pawn>();
    EXPECT_EQ(calls, 3);
}

TEST(Selector, a_predicate_may_come_and_go_later_and_may_throw) {
    //
    ExtendedGame game;
    Pawn* pawn = game.spawn<Pawn>();
    auto request = game.request(Selector("Pawn").where("late"), "Health");
    EXPECT_EQ(components_of(*pawn), "");
    EXPECT_TRUE(game.manager().add_predicate(Name("late"), [](const Actor&) { return true; }).is_ok());
    game.manager().settle();
    EXPECT_EQ(components_of(*pawn), "Health");
    EXPECT_TRUE(game.manager().remove_predicate(Name("late")).is_ok());
    EXPECT_EQ(game.manager().remove_predicate(Name("late")).code(), StatusCode::NotFound);
    game.manager().settle();
    EXPECT_EQ(components_of(*pawn), "");
    EXPECT_TRUE(game.manager().add_predicate(Name("late"), [](const Actor&) -> bool { throw Malice(); }).is_ok());
    game.manager().settle();
    EXPECT_EQ(components_of(*pawn), "");
    EXPECT_EQ(game.reports("framework.handler"), 1u);
}

}  // namespace selector_test
}  // namespace lyre::framework
