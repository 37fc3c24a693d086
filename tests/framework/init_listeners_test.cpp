#include "tests/framework/init_world.h"

namespace lyre::framework {
namespace init_listeners_test {

struct Listeners : ::testing::Test {
    InitGame game;
    ComponentManager& manager = game.manager();
    Body* body = game.spawn<Body>();

    InitStateHandle on(Actor& actor, std::string_view feature, Name state, InitStateCallback callback,
                       ListenOptions options = {}) {
        return manager.register_and_call_for_actor_init_state(actor, Name(feature), state, std::move(callback),
                                                              options);
    }
    InitStateHandle on_class(std::string_view type, std::string_view feature, Name state, InitStateCallback callback,
                             ListenOptions options = {}) {
        return manager.register_and_call_for_class_init_state(Name(type), Name(feature), state, std::move(callback),
                                                              options);
    }
    void climb(Actor& actor, std::string_view feature) {
        for (Name state : {kSpawned, kAvailable, kInitialized, kReady}) game.set(actor, feature, state);
    }
};

TEST_F(Listeners, changes_are_told_breadth_first) {
    // I-12
    auto first = on(*body, "A", {}, [&](const InitStateChange& change) {
        game.say(fmt::format("1:{}", change.new_state));
        if (change.new_state != kSpawned) return;
        EXPECT_EQ(game.set(*body, "A", kAvailable), InitResult::Done);
        EXPECT_EQ(game.state(*body, "A"), kAvailable);
        game.say("back");
    });
    auto second = on(*body, "A", {}, game.teller("2"));
    game.set(*body, "A", kSpawned);
    EXPECT_EQ(game.log(), "1:Spawned back 2:A:Spawned 1:DataAvailable 2:A:DataAvailable");
}

TEST_F(Listeners, each_delivery_is_a_snapshot_of_its_change) {
    // I-13, I-27
    Part part("A", body);
    std::vector<InitStateChange> heard;
    auto first = on(*body, "A", {}, [&](const InitStateChange& change) {
        if (change.new_state == kSpawned) game.set(*body, "A", kReady);
    });
    auto second = on(*body, "A", {}, [&](const InitStateChange& change) {
        heard.push_back(change);
        EXPECT_EQ(game.state(*body, "A"), kReady);
    });
    manager.change_feature_init_state(*body, Name("A"), &part, kSpawned);
    ASSERT_EQ(heard.size(), 2u);
    EXPECT_EQ(&heard[0].actor, body);
    EXPECT_EQ(heard[0].feature, Name("A"));
    EXPECT_EQ(heard[0].implementer, &part);
    EXPECT_EQ(heard[0].old_state, Name());
    EXPECT_EQ(heard[0].new_state, kSpawned);
    EXPECT_EQ(heard[0].kind, InitChangeKind::Changed);
    EXPECT_EQ(heard[1].implementer, nullptr);
    EXPECT_EQ(heard[1].old_state, kSpawned);
    EXPECT_EQ(heard[1].new_state, kReady);
}

TEST_F(Listeners, who_is_added_during_a_delivery_does_not_hear_it) {
    // I-14
    InitStateHandle late;
    auto first = on(*body, "A", {}, [&](const InitStateChange&) {
        if (!late.is_valid()) late = on(*body, "A", {}, game.teller("late"), {.call_now = false});
    });
    game.set(*body, "A", kSpawned);
    EXPECT_EQ(game.log(), "");
    game.set(*body, "A", kAvailable);
    EXPECT_EQ(game.log(), "late:A:DataAvailable");
}

TEST_F(Listeners, nobody_hears_a_change_twice) {
    // I-15
    InitStateHandle late;
    auto first = on(*body, "A", {}, [&](const InitStateChange& change) {
        if (change.new_state != kSpawned) return;
        game.set(*body, "A", kAvailable);                // waits to be told
        late = on(*body, "A", {}, game.teller("late"));  // hears the present state at once
        game.say("registered");
    });
    game.set(*body, "A", kSpawned);
    EXPECT_EQ(game.log(), "late:A:DataAvailable registered");
}

TEST_F(Listeners, actors_come_before_classes_and_derived_before_base) {
    // I-16
    BigBody* big = game.spawn<BigBody>();
    auto h1 = on_class("Actor", "A", {}, game.teller("actor"));
    auto h2 = on_class("Body", "A", {}, game.teller("body1"));
    auto h3 = on_class("BigBody", "A", {}, game.teller("big"));
    auto h4 = on_class("Body", "A", {}, game.teller("body2"));
    auto h5 = on(*big, "A", {}, game.teller("one"));
    auto h6 = on(*big, "", {}, game.teller("two"));
    auto h7 = on_class("Chest", "A", {}, game.teller("chest"));
    game.set(*big, "A", kSpawned);
    EXPECT_EQ(game.log(), "one:A:Spawned two:A:Spawned big:A:Spawned body1:A:Spawned body2:A:Spawned actor:A:Spawned");
}

TEST_F(Listeners, a_listener_for_a_state_fires_once_and_for_every_change_if_it_asks) {
    // I-17
    auto once = on(*body, "A", kAvailable, game.teller("once"));
    auto every = on(*body, "A", kAvailable, game.teller("every"), {.every_change = true});
    auto any = on(*body, "A", {}, game.teller("any"));
    climb(*body, "A");
    EXPECT_EQ(game.log(),
              "any:A:Spawned once:A:DataAvailable every:A:DataAvailable any:A:DataAvailable "
              "every:A:DataInitialized any:A:DataInitialized every:A:GameplayReady any:A:GameplayReady");
    any.reset();
    every.reset();
    game.set(*body, "A", kSpawned);
    game.set(*body, "A", kReady);
    EXPECT_EQ(game.log(), "");
    auto skipped = on(*body, "B", kAvailable, game.teller("skipped"));
    game.set(*body, "B", kReady);
    EXPECT_EQ(game.log(), "skipped:B:GameplayReady");
    EXPECT_TRUE(once.is_valid());
}

TEST_F(Listeners, once_is_per_feature_or_per_actor_and_a_feature_made_anew_is_new) {
    // I-54
    auto named = on(*body, "A", kSpawned, game.teller("named"));
    auto any = on(*body, "", kSpawned, game.teller("any"));
    auto of_class = on_class("Body", "A", kSpawned, game.teller("class"));
    climb(*body, "A");
    EXPECT_EQ(game.log(), "named:A:Spawned any:A:Spawned class:A:Spawned");
    climb(*body, "B");
    EXPECT_EQ(game.log(), "any:B:Spawned");
    manager.unregister_init_state_feature(*body, Name("A"));
    climb(*body, "A");
    EXPECT_EQ(game.log(), "any:A:Spawned class:A:Spawned");
    Body* other = game.spawn<Body>();
    climb(*other, "A");
    EXPECT_EQ(game.log(), "class:A:Spawned");
    game.world().destroy(other->id());
    climb(*game.spawn<Body>(), "A");
    EXPECT_EQ(game.log(), "class:A:Spawned");
}

TEST_F(Listeners, more_once_listeners_of_classes_than_a_word_has_bits_each_fire_once) {
    // I-54
    for (int round = 0; round < 3; ++round) {
        std::vector<InitStateHandle> handles;
        int calls = 0;
        for (int i = 0; i < 200; ++i)
            handles.push_back(on_class("Body", "A", kSpawned, [&](const InitStateChange&) { ++calls; }));
        const int before = calls;
        Body* fresh = game.spawn<Body>();
        climb(*fresh, "A");
        EXPECT_EQ(calls - before, 200);
        EXPECT_EQ(before, 200 * round);  // those of the rounds before, at once
    }
    EXPECT_EQ(manager.init_counts().listeners, 0u);
}

TEST_F(Listeners, a_class_listener_names_its_feature) {
    // I-18
    EXPECT_FALSE(on_class("Body", "", kSpawned, game.teller("x")).is_valid());
    EXPECT_FALSE(on_class("", "A", kSpawned, game.teller("x")).is_valid());
    auto any = on(*body, "", kSpawned, game.teller("any"));
    EXPECT_TRUE(any.is_valid());
    game.set(*body, "B", kSpawned);
    EXPECT_EQ(game.log(), "any:B:Spawned");
}

TEST_F(Listeners, who_comes_late_is_called_at_once_for_what_qualifies) {
    // I-19
    game.set(*body, "A", kAvailable);
    game.set(*body, "B", kReady);
    manager.register_init_state_feature(*body, Name("C"), nullptr);
    auto named = on(*body, "A", kSpawned, game.teller("named"));
    EXPECT_EQ(game.log(), "named:A:DataAvailable");
    auto any = on(*body, "", kSpawned, game.teller("any"));
    EXPECT_EQ(game.log(), "any:A:DataAvailable any:B:GameplayReady");
    auto high = on(*body, "", kReady, game.teller("high"));
    EXPECT_EQ(game.log(), "high:B:GameplayReady");
    auto stateless = on(*body, "C", {}, game.teller("stateless"));
    auto unknown = on(*body, "D", {}, game.teller("unknown"));
    auto later = on(*body, "A", kSpawned, game.teller("later"), {.call_now = false});
    EXPECT_EQ(game.log(), "");
    game.set(*body, "A", kReady);
    EXPECT_EQ(game.log(), "high:A:GameplayReady later:A:GameplayReady");
    EXPECT_FALSE(on(*body, "A", Name("Elsewhere"), game.teller("x")).is_valid());
    EXPECT_FALSE(on(*body, "A", kSpawned, nullptr).is_valid());
    auto made = game.world().spawn_deferred<Body>();
    EXPECT_FALSE(on(made->actor(), "A", kSpawned, game.teller("x")).is_valid());
}

struct Newcomer : Actor {
    static void describe(TypeBuilder<Newcomer>&) {}
};

TEST_F(Listeners, a_class_is_meant_by_its_name_with_its_subclasses_now_and_later) {
    // I-20
    BigBody* big = game.spawn<BigBody>();
    Chest* chest = game.spawn<Chest>();
    game.set(*big, "A", kReady);
    game.set(*body, "A", kReady);
    game.set(*chest, "A", kReady);
    std::string ids;
    auto handle = on_class("Body", "A", kReady,
                           [&](const InitStateChange& change) { ids += fmt::format("{} ", change.actor.id()); });
    EXPECT_EQ(ids, fmt::format("{} {} ", big->id(), body->id()));  // in order of their first feature
    auto early = on_class("Newcomer", "A", kReady, game.teller("new"));
    EXPECT_TRUE(early.is_valid());
    ASSERT_TRUE(game.runtime.types().add<Newcomer>().is_ok());
    Newcomer* newcomer = game.spawn<Newcomer>();
    game.set(*newcomer, "A", kReady);
    EXPECT_EQ(game.log(), "new:A:GameplayReady");
}

TEST_F(Listeners, a_listener_may_come_before_the_first_feature) {
    // I-21
    auto handle = on(*body, "A", kSpawned, game.teller("l"));
    EXPECT_EQ(manager.init_counts().features, 0u);
    game.set(*body, "A", kSpawned);
    EXPECT_EQ(game.log(), "l:A:Spawned");
}

TEST_F(Listeners, a_listener_ends_with_its_handle_or_its_weak_owner) {
    // I-22
    auto dropped = on(*body, "A", {}, game.teller("dropped"));
    dropped.reset();
    dropped.reset();
    auto owner = std::make_shared<int>();
    auto weak = on(*body, "A", {}, game.teller("weak"), {.weak_owner = owner});
    auto weak_class = on_class("Body", "A", {}, game.teller("class"), {.weak_owner = owner});
    game.set(*body, "A", kSpawned);
    EXPECT_EQ(game.log(), "weak:A:Spawned class:A:Spawned");
    owner = nullptr;
    EXPECT_FALSE(weak.is_valid());
    game.set(*body, "A", kAvailable);
    EXPECT_EQ(game.log(), "");
    InitStateHandle moved = std::move(weak);
    InitStateHandle outlives = on(*body, "A", {}, game.teller("outlives"));
    game.game = nullptr;
    EXPECT_FALSE(outlives.is_valid());
    outlives.reset();
}

TEST_F(Listeners, callbacks_run_under_the_owner_that_registered_them) {
    // I-22
    const Owner feature = Owner::feature(Name("tag"), 3);
    Owner seen;
    InitStateHandle handle;
    {
        const OwnerScope as(feature);
        handle = on(*body, "A", {}, [&](const InitStateChange&) { seen = Owner::current(); });
    }
    game.set(*body, "A", kSpawned);
    EXPECT_EQ(seen, feature);
    EXPECT_EQ(Owner::current(), Owner::process());
}

TEST_F(Listeners, nobody_is_told_of_an_actor_that_is_gone) {
    // I-23
    auto of_class = on_class("Body", "A", {}, game.teller("class"));
    auto first = on(*body, "A", {}, [&](const InitStateChange&) {
        game.set(*body, "A", kReady);
        game.world().destroy(body->id());
    });
    auto second = on(*body, "A", {}, game.teller("second"));
    game.set(*body, "A", kSpawned);
    EXPECT_EQ(game.log(), "");
    EXPECT_EQ(manager.init_counts().actors, 0u);
}

TEST_F(Listeners, who_is_removed_during_a_delivery_is_not_called) {
    // I-24
    InitStateHandle second, third;
    auto first = on(*body, "A", {}, [&](const InitStateChange&) {
        game.say("first");
        second.reset();
        third.reset();
    });
    second = on(*body, "A", {}, game.teller("second"));
    third = on_class("Body", "A", {}, game.teller("third"));
    game.set(*body, "A", kSpawned);
    EXPECT_EQ(game.log(), "first");
    InitStateHandle itself;
    itself = on(*body, "A", {}, [&](const InitStateChange&) { itself.reset(); }, {.call_now = false});
    game.set(*body, "A", kAvailable);
    auto remover = on(*body, "A", {}, [&](const InitStateChange& change) {
        if (change.new_state == kReady) manager.unregister_init_state_feature(*body, Name("A"));
    });
    auto after = on(*body, "A", {}, game.teller("after"), {.call_now = false});
    game.log();
    game.set(*body, "A", kReady);
    EXPECT_EQ(game.log(), "first after:A:GameplayReady");
}

TEST_F(Listeners, a_callback_that_throws_is_reported_and_the_others_hear) {
    // I-24
    auto bad = on(*body, "A", {}, [](const InitStateChange&) { throw std::runtime_error("malice"); });
    auto good = on(*body, "A", {}, game.teller("good"));
    game.set(*body, "A", kSpawned);
    EXPECT_EQ(game.log(), "good:A:Spawned");
    EXPECT_EQ(game.problems(), 1u);
    EXPECT_EQ(game.last_report(), "a listener of A threw: malice");
}

TEST_F(Listeners, ready_is_told_once_when_all_have_got_there) {
    //
    int now = 0, later = 0;
    auto handle = manager.when_actor_ready(*body, kReady, [&](Actor& actor) {
        EXPECT_EQ(&actor, body);
        ++later;
    });
    game.set(*body, "A", kReady);
    EXPECT_EQ(later, 1);
    manager.register_init_state_feature(*body, Name("Late"), nullptr);
    EXPECT_FALSE(manager.is_actor_ready(*body, kReady));
    EXPECT_EQ(game.state(*body, "A"), kReady);
    auto again = manager.when_actor_ready(*body, kReady, [&](Actor&) { ++now; });
    EXPECT_EQ(now, 0);
    game.set(*body, "Late", kReady);
    EXPECT_TRUE(manager.is_actor_ready(*body, kReady));
    EXPECT_EQ(now, 1);
    EXPECT_EQ(later, 1);
    auto at_once = manager.when_actor_ready(*body, kReady, [&](Actor&) { ++now; });
    EXPECT_EQ(now, 2);
    manager.register_init_state_feature(*body, Name("Blocking"), nullptr);
    auto by_removal = manager.when_actor_ready(*body, kReady, [&](Actor&) { ++now; });
    manager.unregister_init_state_feature(*body, Name("Blocking"));
    EXPECT_EQ(now, 3);
}

TEST_F(Listeners, callbacks_that_chase_each_other_are_stopped) {
    // I-12
    auto chase = on(*body, "A", {}, [&](const InitStateChange& change) {
        game.set(*body, "A", change.new_state == kSpawned ? kReady : kSpawned);
    });
    game.set(*body, "A", kSpawned);
    EXPECT_EQ(game.problems(), 1u);
    chase.reset();
    EXPECT_EQ(game.set(*body, "A", kInitialized), InitResult::Done);
}

}  // namespace init_listeners_test
}  // namespace lyre::framework
