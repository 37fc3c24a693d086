// What outlives what: hooks and their objects, implementers and their features, bindings, recycled slots, two worlds.
#include "tests/framework/init_world.h"

namespace lyre::framework {
namespace init_lifetimes_test {

struct Mind : Component, InitStateFeature<Mind> {
    static void describe(TypeBuilder<Mind>&) {}
    Name feature_name() const override { return Name("Mind"); }
    ~Mind() { ++gone; }
    void act() {
        if (malice) malice();
        was_gone_inside = gone > 0;
    }
    Verdict can_change_init_state(Name, Name to) const override {
        if (where == "can" && to == kAvailable) const_cast<Mind*>(this)->act();
        return Verdict::yes();
    }
    Status handle_change_init_state(Name, Name to) override {
        if (where == "handle" && to == kAvailable) act();
        return Status::ok();
    }
    void handle_exit_init_state(Name, Name) override {
        if (where == "exit") act();
    }
    void check_default_initialization() override {
        if (where == "check") act();
    }
    void on_actor_init_state_changed(const InitStateChange&) override {
        if (where == "heard") act();
    }
    static inline int gone = 0;
    static inline bool was_gone_inside = false;
    static inline std::string where;
    static inline std::function<void()> malice;
};
struct Thinker : Actor {
    static void describe(TypeBuilder<Thinker>& t) { t.component<Mind>("mind"); }
};
struct Robot : Actor, InitStateFeature<Robot> {
    static void describe(TypeBuilder<Robot>&) {}
    Name feature_name() const override { return Name("Robot"); }
};
// As a game feature would inject it: it registers itself and never takes anything back.
struct Guest : Component, InitStateFeature<Guest> {
    static void describe(TypeBuilder<Guest>&) {}
    Name feature_name() const override { return Name("Guest"); }
    void registered() {
        register_init_state_feature().ignore();
        bind_on_actor_init_state_changed();
        try_to_change_init_state(kSpawned);
    }
    void on_actor_init_state_changed(const InitStateChange&) override { ++heard; }
    static inline int heard = 0;
};

struct Lifetimes : ::testing::Test {
    void SetUp() override {
        ASSERT_TRUE((game.runtime.types().add_all<Mind, Thinker, Robot, Guest>().is_ok()));
        body = game.spawn<Body>();
        game.world().begin_play();
        Mind::gone = Guest::heard = 0;
        Mind::was_gone_inside = false;
    }
    void TearDown() override { Mind::malice = nullptr; }
    InitGame game;
    ComponentManager& manager = game.manager();
    Body* body = nullptr;
};

TEST_F(Lifetimes, a_hook_that_destroys_its_own_actor_returns_to_an_object_that_is_there) {
    // I-30, I-55, I-26
    for (const char* hook : {"can", "handle", "exit", "check", "heard"}) {
        Thinker* thinker = game.spawn<Thinker>();
        Mind& mind = *thinker->find<Mind>();
        const ActorId id = thinker->id();
        EXPECT_TRUE(mind.try_to_change_init_state(kSpawned));
        mind.bind_on_actor_init_state_changed();
        Mind::gone = 0;
        Mind::was_gone_inside = false;
        Mind::where = hook;
        Mind::malice = [&] { game.world().destroy(id); };
        if (Mind::where == "exit")
            EXPECT_TRUE(manager.reset_init_state(*thinker, Name("Mind"), {}).is_ok());
        else if (Mind::where == "check")
            manager.unregister_init_state_feature(*thinker, (game.set(*thinker, "Other", kSpawned), Name("Other")));
        else if (Mind::where == "heard")
            game.set(*thinker, "Other", kSpawned);
        else
            mind.try_to_change_init_state(kAvailable);
        EXPECT_FALSE(Mind::was_gone_inside) << hook;
        EXPECT_EQ(Mind::gone, 1) << hook;
        EXPECT_EQ(manager.init_counts(), InitCounts()) << hook;
    }
}

TEST_F(Lifetimes, functions_of_needs_and_listeners_may_destroy_the_actor_they_are_asked_about) {
    // I-23, X-301, X-303
    const ActorId id = body->id();
    bool was_found = true, is_same = true;
    const auto destroy = [&](const Actor& actor) {
        game.world().destroy(id);
        was_found = game.world().find(id) != nullptr;
        is_same = is_same && actor.id() == id;  // it is in memory still
    };
    for (int round = 0; round < 3; ++round) {
        body = game.spawn<Body>();
        const_cast<ActorId&>(id) = body->id();
        was_found = true;
        InitStateHandle handle;
        if (round == 0)
            handle = manager.register_and_call_for_class_init_state(
                Name("Body"), Name("A"), {}, [&](const InitStateChange& change) { destroy(change.actor); });
        game.set(*body, "A", kSpawned);
        if (round == 1)
            manager
                .declare_init_need(*body, Name("A"), kAvailable,
                                   Need::holds(Name("n"),
                                               [&](const Actor& actor) {
                                                   destroy(actor);
                                                   return true;
                                               }))
                .ignore();
        if (round == 2)
            manager
                .declare_init_need(*body, Name("A"), kAvailable,
                                   Need::reached(Name("B"), kReady,
                                                 [&](const Actor& actor) {
                                                     destroy(actor);
                                                     return id;
                                                 }))
                .ignore();
        EXPECT_FALSE(was_found) << round;
        EXPECT_TRUE(is_same) << round;
    }
    EXPECT_EQ(manager.init_counts(), InitCounts());
}

TEST_F(Lifetimes, who_was_replaced_takes_nothing_of_the_new_implementer_back) {
    // I-35
    Part old("Hero", body), young("Hero", body);
    EXPECT_TRUE(old.register_init_state_feature().is_ok());
    EXPECT_TRUE(old.try_to_change_init_state(kSpawned));
    EXPECT_TRUE(young.register_init_state_feature().is_ok());
    old.unregister_init_state_feature();
    EXPECT_EQ(game.state(*body, "Hero"), kSpawned);
    EXPECT_EQ(manager.implementer(*body, Name("Hero")), &young);
    young.unregister_init_state_feature();
    EXPECT_EQ(manager.init_counts(), InitCounts());
}

TEST_F(Lifetimes, an_actor_that_never_registered_itself_drops_all_the_same) {
    // I-35
    Robot* robot = game.spawn<Robot>();
    game.set(*robot, "Arm", kSpawned);
    auto handle = manager.register_and_call_for_actor_init_state(*robot, {}, {}, game.teller("x"));
    robot->unregister_init_state_feature();
    EXPECT_EQ(manager.init_counts(), InitCounts());
    EXPECT_EQ(handle.status().text(), "the actor took back its init states");
}

TEST_F(Lifetimes, a_handle_says_what_ended_it) {
    // I-22, I-26
    auto handle = manager.register_and_call_for_actor_init_state(*body, {}, {}, game.teller("x"));
    game.world().destroy(body->id());
    EXPECT_EQ(handle.status().text(), "the actor is gone");
    Body* other = game.spawn<Body>();
    handle = manager.register_and_call_for_actor_init_state(*other, {}, {}, game.teller("x"));
    auto of_class = manager.register_and_call_for_class_init_state(Name("Body"), Name("A"), {}, game.teller("x"));
    game.game = nullptr;
    EXPECT_FALSE(handle.is_valid());
    EXPECT_EQ(of_class.status().text(), "the component manager is gone");
}

TEST_F(Lifetimes, a_bound_object_that_unbinds_during_a_delivery_is_not_called) {
    // I-24
    Part a("A", body), b("B", body);
    int heard = 0;
    for (Part* part : {&a, &b}) {
        EXPECT_TRUE(part->register_init_state_feature().is_ok());
        part->bind_on_actor_init_state_changed();
    }
    a.heard = [&](const InitStateChange& change) {
        if (change.kind == InitChangeKind::Changed) b.unregister_init_state_feature();
    };
    b.heard = [&](const InitStateChange&) { ++heard; };
    game.set(*body, "X", kSpawned);
    EXPECT_EQ(heard, 0);
    a.heard = [&](const InitStateChange& change) {  // bound anew: that change is older than the binding
        if (change.new_state != kAvailable) return;
        b.unregister_init_state_feature();
        b.bind_on_actor_init_state_changed();
    };
    b.bind_on_actor_init_state_changed();
    game.set(*body, "X", kAvailable);
    EXPECT_EQ(heard, 0);
    game.set(*body, "X", kReady);
    EXPECT_EQ(heard, 1);
}

TEST_F(Lifetimes, a_component_that_is_withdrawn_takes_its_features_along) {
    // I-25, I-10, X-312
    game.set(*body, "Ext", kReady);
    EXPECT_TRUE(manager.add_receiver(*body).is_ok());
    Part waiter("Waiter", body);
    waiter.check = [&] { waiter.continue_init_state_chain(); };
    waiter.can = [&](Name, Name to) {
        return to != kReady || manager.have_all_features_reached_init_state(*body, kAvailable, Name("Waiter"))
                   ? Verdict::yes()
                   : Verdict::no("not all");
    };
    {
        auto request = manager.add_component_request(Selector("Body"), Name("Guest"));
        EXPECT_EQ(game.state(*body, "Guest"), kSpawned);
        waiter.try_to_change_init_state(kSpawned);
        EXPECT_EQ(waiter.continue_init_state_chain(), kInitialized);
        EXPECT_EQ(manager.init_counts().listeners, 1u);
    }
    EXPECT_EQ(game.state(*body, "Guest"), Name());
    EXPECT_EQ(waiter.init_state(), kReady);  // it was checked again
    EXPECT_TRUE(manager.is_actor_ready(*body, kReady));
    EXPECT_EQ(manager.init_counts().listeners, 0u);
    ASSERT_TRUE(body->add<Guest>());
    EXPECT_FALSE(manager.is_actor_ready(*body, kReady));
}

TEST_F(Lifetimes, a_component_on_its_way_out_is_no_implementer_and_hears_nothing) {
    // I-08, I-09
    Guest* guest = *body->add<Guest>();
    EXPECT_EQ(manager.implementer(*body, Name("Guest")), guest);
    {
        const World::CallScope scope(game.world());
        EXPECT_TRUE(game.world().remove_component(*guest).is_ok());
        EXPECT_EQ(manager.implementer(*body, Name("Guest")), nullptr);
        EXPECT_TRUE(manager.implementers(*body).empty());
        game.set(*body, "Other", kSpawned);
        EXPECT_EQ(Guest::heard, 0);
    }
    EXPECT_EQ(manager.init_counts(), (InitCounts{1, 1, 0, 0, 1}));
}

TEST_F(Lifetimes, a_recycled_slot_starts_with_no_changes) {
    // I-26
    int done = 0;
    auto handle =
        manager.register_and_call_for_actor_init_state(*body, Name("R"), kSpawned, [&](const InitStateChange&) {
            for (int i = 0; i < 1500; ++i) {
                const World::CallScope scope(game.world());
                Body* one = game.spawn<Body>();
                for (Name state : {kSpawned, kAvailable, kInitialized, kReady})
                    done += game.set(*one, "A", state) == InitResult::Done;
                manager.unregister_init_state_feature(*one, Name("A"));
                game.world().destroy(one->id());
            }
        });
    game.set(*body, "R", kSpawned);
    EXPECT_EQ(done, 6000);
    EXPECT_EQ(game.problems(), 0u);
}

TEST_F(Lifetimes, an_actor_of_another_world_with_the_same_id_moves_nobody_here) {
    // X-308, X-311
    World second(game.runtime, {}, game.game.get());
    struct Pair {
        Actor *state, *pawn;
    };
    const auto make = [&](World& world) {
        Pair pair{world.find(*world.spawn<Chest>()), world.find(*world.spawn<Body>())};
        game.set(*pair.state, "PS", kReady);
        game.set(*pair.pawn, "Hero", kSpawned);
        const ActorId id = pair.state->id();
        EXPECT_TRUE(
            manager.declare_init_need(*pair.pawn, Name("Hero"), kAvailable,
                                      Need::reached(Name("PS"), kReady, [id](const Actor&) { return id; }).kept()));
        return pair;
    };
    second.spawn<Body>().status().ignore();  // as there is one in the first world
    const Pair here = make(game.world()), there = make(second);
    ASSERT_EQ(here.state->id(), there.state->id());
    EXPECT_EQ(game.state(*there.pawn, "Hero"), kReady);
    EXPECT_TRUE(manager.reset_init_state(*here.state, Name("PS"), kSpawned).is_ok());
    EXPECT_EQ(game.state(*here.pawn, "Hero"), kSpawned);
    EXPECT_EQ(game.state(*there.pawn, "Hero"), kReady);
    EXPECT_TRUE(manager.reset_init_state(*there.state, Name("PS"), kSpawned).is_ok());
    EXPECT_EQ(game.state(*there.pawn, "Hero"), kSpawned);
    second.end();
}

TEST_F(Lifetimes, a_class_listener_is_told_in_which_world_it_was) {
    // I-27, I-20
    World second(game.runtime, {.name = Name("second")}, game.game.get());
    std::string worlds;
    auto handle = manager.register_and_call_for_class_init_state(
        Name("Body"), Name("A"), kSpawned,
        [&](const InitStateChange& change) { worlds += fmt::format("{} ", change.actor.world().def().name); });
    game.set(*body, "A", kSpawned);
    game.set(*second.find(*second.spawn<Body>()), "A", kSpawned);
    EXPECT_EQ(worlds, "world second ");
    second.end();
}

TEST(InitLifetimes, what_needs_hold_may_end_their_actor_as_it_goes) {
    // I-35, I-26
    InitGame game;
    ASSERT_TRUE(game.runtime.types().add<Robot>().status().is_ok());
    Robot* robot = game.spawn<Robot>();
    game.world().begin_play();
    const ActorId id = robot->id();
    EXPECT_TRUE(robot->register_init_state_feature().is_ok());
    const std::shared_ptr<void> held(nullptr, [&](void*) { game.world().destroy(id); });
    EXPECT_TRUE(
        robot->declare_init_need(kReady, Need::holds(Name("x"), [held](const Actor&) { return false; })).is_ok());
    const_cast<std::shared_ptr<void>&>(held).reset();
    robot->unregister_init_state_feature();
    EXPECT_EQ(game.world().find(id), nullptr);
    EXPECT_EQ(game.manager().init_counts(), InitCounts());
}

TEST(InitLifetimes, a_class_listener_whose_owner_has_gone_is_not_called_any_more) {
    // I-22
    InitGame game;
    for (int i = 0; i < 2; ++i) game.set(*game.spawn<Body>(), "A", kReady);
    int called = 0;
    auto owner = std::make_shared<int>(0);
    const auto hear = [&](const InitStateChange&) {
        ++called;
        owner.reset();
    };
    const ListenOptions options{.weak_owner = std::weak_ptr<const void>(owner)};
    auto first = game.manager().register_and_call_for_class_init_state(Name("Body"), Name("A"), kReady, hear, options);
    EXPECT_EQ(called, 1);
    auto second = game.manager().register_and_call_for_class_init_state(Name("Body"), Name("A"), kReady, hear, options);
    EXPECT_EQ(called, 1);  // it was gone before
}

// On its way out it wants to come back.
struct Clingy : Component, InitStateFeature<Clingy> {
    static void describe(TypeBuilder<Clingy>&) {}
    Name feature_name() const override { return Name("Clingy"); }
    void end_play(EndReason) {
        EXPECT_FALSE(register_init_state_feature().is_ok());
        EXPECT_FALSE(try_to_change_init_state(kReady));
        bind_on_actor_init_state_changed();
    }
};

TEST(InitLifetimes, a_component_on_its_way_out_does_not_come_back) {
    // I-26
    InitGame game;
    ASSERT_TRUE(game.runtime.types().add<Clingy>().status().is_ok());
    Body* body = game.spawn<Body>();
    game.world().begin_play();
    auto* clingy = static_cast<Clingy*>(
        game.world().add_component(*body, *game.runtime.types().find<Clingy>(), Name("Clingy")).value());
    EXPECT_TRUE(clingy->register_init_state_feature().is_ok());
    EXPECT_TRUE(game.world().remove_component(*clingy).is_ok());
    EXPECT_EQ(game.manager().init_counts(), InitCounts());
}

TEST(InitLifetimes, a_handle_moved_onto_itself_stays) {
    // I-22
    InitGame game;
    Body* body = game.spawn<Body>();
    auto handle =
        game.manager().register_and_call_for_actor_init_state(*body, Name("A"), kReady, [](const InitStateChange&) {});
    InitStateHandle& same = handle;
    handle = std::move(same);
    EXPECT_TRUE(handle.is_valid());
}

}  // namespace init_lifetimes_test
}  // namespace lyre::framework
