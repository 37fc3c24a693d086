#include "lyre/world/actor_tags.h"

#include <gtest/gtest.h>

#include "tests/world/place_world.h"

namespace lyre {
namespace actor_tags_test {

using place::contains;
using place::Crate;
using place::Game;
using place::on_hook;
using place::yard;

struct Tagged : Game {
    Tagged() {
        listening = world.tags().changed.add(
            [this](Actor&, GameplayTag tag, bool has) { told.push_back((has ? "+" : "-") + std::string(tag.text())); });
    }
    std::vector<std::string> take() { return std::exchange(told, {}); }
    ActorTags& tags() { return world.tags(); }

    GameplayTag hot = tag("State.Burning.Hot"), burning = tag("State.Burning"), wet = tag("State.Wet");
    GameplayTag wooden = tag("Prop.Wooden"), prop = tag("Prop");
    std::vector<std::string> told;
    Connection listening;
};
using Told = std::vector<std::string>;

TEST(ActorTags, each_edge_is_told_once_for_the_tag_and_its_parents) {
    // W-32
    Tagged game;
    const ActorId id = *game.world.spawn<Crate>();
    ASSERT_TRUE(game.tags().add(id, game.hot).is_ok());
    EXPECT_EQ(game.take(), (Told{"+State.Burning.Hot", "+State.Burning", "+State"}));
    ASSERT_TRUE(game.tags().add(id, game.hot).is_ok());
    EXPECT_EQ(game.take(), Told());
    ASSERT_TRUE(game.tags().add(id, game.wet).is_ok());
    EXPECT_EQ(game.take(), (Told{"+State.Wet"}));
    EXPECT_EQ(game.tags().count(id, game.hot), 2u);
    EXPECT_EQ(game.tags().count(id, game.burning), 2u);
    EXPECT_TRUE(game.tags().has(id, game.burning));
    ASSERT_TRUE(game.tags().remove(id, game.hot).is_ok());
    EXPECT_EQ(game.take(), Told());
    ASSERT_TRUE(game.tags().remove(id, game.hot).is_ok());
    EXPECT_EQ(game.take(), (Told{"-State.Burning.Hot", "-State.Burning"}));
    EXPECT_EQ(game.tags().remove(id, game.hot).code(), StatusCode::NotFound);
    ASSERT_TRUE(game.tags().remove(id, game.wet).is_ok());
    EXPECT_EQ(game.take(), (Told{"-State.Wet", "-State"}));
}

TEST(ActorTags, a_class_gives_tags_which_are_counted_with_the_rest_and_not_told) {
    // W-32
    Tagged game;
    const ActorId id = *game.world.spawn("Barrel");
    EXPECT_EQ(game.take(), Told());
    EXPECT_TRUE(game.tags().has(id, game.wooden));
    EXPECT_EQ(game.tags().count(id, game.prop), 2u);  // Wooden of its parent, Round of its own
    EXPECT_EQ(game.tags().all(id).to_string(), "Prop.Round, Prop.Wooden");
    ASSERT_TRUE(game.tags().add(id, game.wooden).is_ok());
    EXPECT_EQ(game.take(), Told());
    EXPECT_EQ(game.tags().count(id, game.wooden), 2u);
    EXPECT_EQ(game.tags().all(id).to_string(), "Prop.Round, Prop.Wooden");
    ASSERT_TRUE(game.tags().remove(id, game.wooden).is_ok());
    ASSERT_TRUE(game.tags().remove(id, game.wooden).is_ok());  // what the class gave, too
    EXPECT_EQ(game.take(), (Told{"-Prop.Wooden"}));
    EXPECT_EQ(game.tags().all(id).to_string(), "Prop.Round");
    EXPECT_FALSE(game.tags().is_at_class(*game.world.find(id)));
}

TEST(ActorTags, an_actor_without_tags_of_its_own_pays_nothing_also_afterwards) {
    // W-32
    Tagged game;
    const ActorId id = *game.world.spawn<Crate>();
    const Actor& crate = *game.world.find(id);
    EXPECT_TRUE(game.tags().has(id, game.wooden));
    EXPECT_EQ(game.tags().find(crate), nullptr);
    ASSERT_TRUE(game.tags().add(id, game.wet).is_ok());
    EXPECT_NE(game.tags().find(crate), nullptr);
    ASSERT_TRUE(game.tags().remove(id, game.wet).is_ok());
    EXPECT_EQ(game.tags().find(crate), nullptr);
    EXPECT_TRUE(game.tags().has(id, game.wooden));
    ASSERT_TRUE(game.tags().remove(id, game.wooden).is_ok());
    ASSERT_TRUE(game.tags().add(id, game.wooden).is_ok());
    EXPECT_EQ(game.tags().find(crate), nullptr);
    EXPECT_FALSE(game.tags().add(id, GameplayTag()).is_ok());
    EXPECT_FALSE(game.tags().remove(id, game.prop).is_ok());  // it has only a tag below
    EXPECT_EQ(game.tags().find(crate), nullptr);
}

TEST(ActorTags, asking_touches_no_row_and_adding_does_with_a_reason) {
    // W-32, W-24
    Tagged game;
    const Level& level = *game.world.levels().find(game.level(yard()));
    const ActorId row = level.id_of(2);
    EXPECT_TRUE(game.tags().has(row, game.wooden));
    EXPECT_EQ(game.tags().count(row, game.prop), 2u);
    EXPECT_EQ(game.tags().all(row).count(), 2u);
    EXPECT_FALSE(game.tags().has(row, game.wet));
    EXPECT_FALSE(game.tags().remove(row, game.wet).is_ok());
    EXPECT_FALSE(game.tags().remove(row, game.prop).is_ok());
    EXPECT_FALSE(game.tags().add(row, GameplayTag()).is_ok());
    EXPECT_EQ(game.world.actor_count(), 0u);
    ASSERT_TRUE(game.tags().add(row, game.wet).is_ok());
    EXPECT_EQ(game.world.levels().touches(Name("tag")), 1u);
    EXPECT_NE(game.world.find(row), nullptr);
    ASSERT_TRUE(game.tags().remove(row, game.wet).is_ok());
    EXPECT_TRUE(game.world.levels().rest(row).is_ok());
    ASSERT_TRUE(game.tags().remove(row, game.wooden).is_ok());  // of a row's class: touches as well
    EXPECT_EQ(game.world.levels().touches(Name("tag")), 2u);
    EXPECT_FALSE(game.tags().has(row, game.wooden));
}

TEST(ActorTags, and_place_and_level_and_timer_can_be_asked_for_by_who_may_change_nothing) {
    // W-21, W-24, W-32
    Tagged game;
    const LevelId level = game.level(yard());
    const ActorId id = game.world.levels().find(level)->id_of(0);
    const World& world = game.world;
    EXPECT_TRUE(world.tags().has(id, game.wooden));
    EXPECT_EQ(world.levels().find(level)->name(), Name("yard"));
    std::vector<Found> found;
    world.space().find(Circle{{0, 0, 0}, 1}, {}, found);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].id, id);
    EXPECT_EQ(world.timers().count() + world.subsystems().count() + world.movers().late_commands(), 0u);
    EXPECT_FALSE(world.variables().describe("nothing").is_ok());
    EXPECT_EQ(world.actor_count(), 0u);
}

TEST(ActorTags, who_does_not_exist_has_no_tags) {
    // W-32
    Tagged game;
    const ActorId id = *game.world.spawn<Crate>();
    ASSERT_TRUE(game.tags().add(id, game.wet).is_ok());
    game.world.destroy(id);
    for (ActorId none : {id, ActorId(), ActorId{77, 1}, ActorId{World::kFirstRowIndex, 1}}) {
        EXPECT_FALSE(game.tags().has(none, game.wet));
        EXPECT_FALSE(game.tags().has(none, game.wooden));
        EXPECT_EQ(game.tags().all(none).count(), 0u);
        EXPECT_EQ(game.tags().add(none, game.wet).code(), StatusCode::NotFound);
        EXPECT_EQ(game.tags().remove(none, game.wet).code(), StatusCode::NotFound);
    }
    const ActorId next = *game.world.spawn<Crate>();  // whoever gets the place has nothing of the old one
    EXPECT_FALSE(game.tags().has(next, game.wet));
}

TEST(ActorTags, a_listener_may_destroy_the_actor_and_the_rest_is_not_told) {
    // W-32
    Tagged game;
    const ActorId id = *game.world.spawn<Crate>();
    const Connection killer = game.tags().changed.add([&](Actor& actor, GameplayTag, bool has) {
        EXPECT_TRUE(has);
        EXPECT_FALSE(actor.is_doomed());
        EXPECT_TRUE(game.world.destroy(actor.id()));
    });
    EXPECT_TRUE(game.tags().add(id, game.hot).is_ok());
    EXPECT_EQ(game.take(), (Told{"+State.Burning.Hot"}));
    EXPECT_EQ(game.world.actor_count(), 0u);
    EXPECT_FALSE(game.tags().has(id, game.hot));
}

TEST(ActorTags, what_a_listener_changes_is_told_after_what_it_was_told_of) {
    // W-32
    Tagged game;
    const ActorId id = *game.world.spawn<Crate>();
    game.listening.disconnect();
    const Connection first = game.tags().changed.add([&](Actor& actor, GameplayTag tag, bool has) {
        if (has && tag == game.hot) {
            EXPECT_TRUE(game.tags().remove(actor.id(), game.hot).is_ok());
        }
    });
    Told told;
    const Connection second = game.tags().changed.add(
        [&](Actor&, GameplayTag tag, bool has) { told.push_back((has ? "+" : "-") + std::string(tag.text())); });
    EXPECT_TRUE(game.tags().add(id, game.hot).is_ok());
    EXPECT_EQ(told, (Told{"+State.Burning.Hot", "+State.Burning", "+State", "-State.Burning.Hot", "-State.Burning",
                          "-State"}));
    EXPECT_EQ(game.tags().find(*game.world.find(id)), nullptr);
}

TEST(ActorTags, listeners_that_answer_each_other_for_ever_are_stopped_and_named) {
    // W-32
    Tagged game;
    const ActorId id = *game.world.spawn<Crate>();
    int turns = 0;
    auto puts_out = game.tags().changed.add([&](Actor& actor, GameplayTag tag, bool has) {
        ASSERT_LT(++turns, 100'000) << "stopped long before";
        if (has && tag == game.wet) game.tags().remove(actor.id(), tag).ignore();
    });
    auto lights = game.tags().changed.add([&](Actor& actor, GameplayTag tag, bool has) {
        if (!has && tag == game.wet) game.tags().add(actor.id(), tag).ignore();
    });
    ASSERT_TRUE(game.tags().add(id, game.wet).is_ok());
    const Name kind("world.tags_circle");
    EXPECT_EQ(game.runtime.log().count(kind), 1u);
    for (const LogEntry& entry : game.runtime.log().entries())
        if (entry.kind == kind) {
            EXPECT_TRUE(contains(entry.subject, fmt::format("{}", id))) << entry.subject;
            EXPECT_TRUE(contains(entry.text, "State.Wet")) << entry.text;
        }
    lights.disconnect();
    game.take();
    game.tags().remove(id, game.wet).ignore();
    game.take();
    ASSERT_TRUE(game.tags().add(id, game.hot).is_ok());
    EXPECT_EQ(game.take().front(), "+State.Burning.Hot") << "what comes later is told as ever";
}

TEST(ActorTags, of_a_change_that_is_one_answer_too_many_one_hears_at_once_all_the_same) {
    // W-32
    Tagged game;
    const ActorId id = *game.world.spawn<Crate>(), other = *game.world.spawn<Crate>();
    int turns = 0;
    Told heard;
    const Connection at_once = game.tags().at_once.add([&](Actor& actor) {
        if (actor.id() == other) heard.push_back(game.tags().has(other, game.wet) ? "wet" : "dry");
    });
    auto answers = game.tags().changed.add([&](Actor& actor, GameplayTag tag, bool has) {
        if (actor.id() != id || tag != game.wet) return;
        if (++turns == int{ActorTags::kMaxTurns}) game.tags().add(other, game.wet).ignore();
        (has ? game.tags().remove(id, tag) : game.tags().add(id, tag)).ignore();
    });
    ASSERT_TRUE(game.tags().add(id, game.wet).is_ok());
    EXPECT_EQ(turns, int{ActorTags::kMaxTurns});
    EXPECT_EQ(heard, (Told{"wet", "wet"})) << "it and its parent";
    ASSERT_EQ(game.runtime.log().count(Name("world.tags_circle")), 1u);
    EXPECT_TRUE(contains(game.runtime.log().entries().back().text, "3 more changes"))
        << game.runtime.log().entries().back().text;
}

TEST(ActorTags, one_change_may_be_followed_by_very_many_on_other_actors) {
    // W-32
    Tagged game;
    std::vector<ActorId> others;
    for (int i = 0; i < 10'000; ++i) others.push_back(*game.world.spawn<Crate>());
    const ActorId boss = *game.world.spawn<Crate>();
    auto spreads = game.tags().changed.add([&](Actor& actor, GameplayTag tag, bool has) {
        if (actor.id() != boss || tag != game.wet || !has) return;
        for (ActorId other : others) ASSERT_TRUE(game.tags().add(other, game.wet).is_ok());
    });
    ASSERT_TRUE(game.tags().add(boss, game.wet).is_ok());
    EXPECT_EQ(game.take().size(), 2u * (others.size() + 1));
}

TEST(ActorTags, a_listener_that_throws_is_reported_and_the_tag_stays) {
    // W-32
    Tagged game;
    const ActorId id = *game.world.spawn<Crate>();
    const Connection bad =
        game.tags().changed.add([&](Actor&, GameplayTag, bool) { throw std::runtime_error("too hot"); }, -1);
    EXPECT_TRUE(game.tags().add(id, game.wet).is_ok());
    EXPECT_TRUE(game.tags().has(id, game.wet));
    EXPECT_EQ(game.take(), (Told{"+State.Wet", "+State"})) << "who listens after it hears";
    EXPECT_GT(game.runtime.log().count(Name("world.callback")), 0u);
    EXPECT_EQ(game.world.is_in_callback(), false);
}

TEST(ActorTags, an_actor_that_ends_leaves_no_counts_behind) {
    // W-32
    Tagged game;
    game.world.begin_play();
    const LevelId level = game.level(yard());
    const ActorId row = game.world.levels().find(level)->id_of(0);
    ASSERT_TRUE(game.tags().add(row, game.wet).is_ok());
    ASSERT_TRUE(game.world.levels().reset(level).is_ok());
    EXPECT_FALSE(game.tags().has(row, game.wet));
    const ActorId id = *game.world.spawn<Crate>();
    bool had = false;
    on_hook = [&](std::string_view hook, Actor& actor) {
        if (hook == "end_play") had = game.tags().find(actor) != nullptr;
    };
    ASSERT_TRUE(game.tags().add(id, game.wet).is_ok());
    game.world.destroy(id);
    EXPECT_TRUE(had);  // to its last moment
    EXPECT_FALSE(game.tags().has(id, game.wet));
}

TEST(ActorTags, a_tag_that_a_class_gives_cannot_be_undeclared_by_others_while_the_world_has_the_class) {
    // W-32
    struct Loan : Actor {
        static void describe(TypeBuilder<Loan>& t) { t.tag("Prop.Lent"); }
    };
    for (const bool is_row : {false, true}) {
        Game game;
        const OwnerScope as(Owner::feature(Name("lender"), 1));
        ASSERT_TRUE(game.runtime.tags().declare("Prop.Lent").is_ok());
        {
            const OwnerScope other(Owner::process());
            game.add<Loan>();
        }
        LevelDef def;
        def.placed = {{Name("Loan"), {}, 0, 1}};
        if (is_row)
            game.level(def);
        else
            ASSERT_TRUE(game.world.spawn<Loan>().is_ok());
        const Status refused = game.runtime.tags().undeclare("Prop.Lent");
        EXPECT_EQ(refused.code(), StatusCode::Refused);
        EXPECT_TRUE(contains(refused.text(), "class Loan")) << refused.text();
        game.world.end();
        EXPECT_TRUE(game.runtime.types().remove(Name("Loan")).is_ok());
        EXPECT_TRUE(game.runtime.tags().undeclare("Prop.Lent").is_ok());
    }
}

TEST(ActorTags, a_class_with_a_tag_nobody_declared_is_refused_until_it_is_declared) {
    // W-03, W-32
    struct Odd : Actor {
        static void describe(TypeBuilder<Odd>& t) { t.tag("Prop.Woden"); }
    };
    Tagged game;
    game.add<Odd>();
    const Status refused = game.world.spawn<Odd>().status();
    EXPECT_TRUE(contains(refused.text(), "Prop.Woden"));
    EXPECT_TRUE(contains(refused.text(), "Prop.Wooden"));  // the nearest
    EXPECT_EQ(game.world.actor_count(), 0u);
    ASSERT_TRUE(game.runtime.tags().declare("Prop.Woden").is_ok());
    const ActorId id = *game.world.spawn<Odd>();
    EXPECT_TRUE(game.tags().has(id, *game.runtime.tags().find("Prop.Woden")));
}

}  // namespace actor_tags_test
}  // namespace lyre
