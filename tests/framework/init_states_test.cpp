#include "tests/framework/init_world.h"

namespace lyre::framework {
namespace init_states_test {

std::string list(InitGame& game) {
    std::string text;
    for (Name state : game.manager().init_states()) text += fmt::format("{} ", state);
    return text;
}

TEST(InitStates, states_are_registered_once_and_where_asked) {
    // I-01
    InitGame game;
    ComponentManager& manager = game.manager();
    EXPECT_EQ(manager.register_init_state(kSpawned), InitResult::AlreadyRegistered);
    EXPECT_EQ(manager.register_init_state(kSpawned, InitOrder::Before, kReady), InitResult::AlreadyRegistered);
    EXPECT_EQ(manager.register_init_state(Name("First"), InitOrder::Before), InitResult::Done);
    EXPECT_EQ(manager.register_init_state(Name("Last"), InitOrder::After), InitResult::Done);
    EXPECT_EQ(manager.register_init_state(Name("B"), InitOrder::Before, kReady), InitResult::Done);
    EXPECT_EQ(manager.register_init_state(Name("A"), InitOrder::After, kSpawned), InitResult::Done);
    EXPECT_EQ(manager.register_init_state(Name("X"), InitOrder::After, Name("Nowhere")), InitResult::UnknownReference);
    EXPECT_EQ(manager.register_init_state(Name()), InitResult::Refused);
    EXPECT_EQ(list(game), "First Spawned A DataAvailable DataInitialized B GameplayReady Last ");
}

TEST(InitStates, a_list_that_is_full_takes_no_more) {
    // I-01
    InitGame game;
    for (std::size_t i = 4; i < InitStates::kMaxStates; ++i)
        EXPECT_EQ(game.manager().register_init_state(Name(fmt::format("S{}", i))), InitResult::Done);
    EXPECT_EQ(game.manager().register_init_state(Name("One more")), InitResult::Refused);
}

TEST(InitStates, a_state_added_below_a_feature_counts_as_reached) {
    // I-53
    InitGame game;
    Body* body = game.spawn<Body>();
    game.set(*body, "A", kAvailable);
    game.set(*body, "B", kSpawned);
    const Name between("Between");
    EXPECT_EQ(game.manager().register_init_state(between, InitOrder::After, kSpawned), InitResult::Done);
    EXPECT_EQ(game.state(*body, "A"), kAvailable);
    EXPECT_EQ(game.state(*body, "B"), kSpawned);
    EXPECT_TRUE(game.manager().has_reached_init_state(*body, Name("A"), between));
    EXPECT_FALSE(game.manager().has_reached_init_state(*body, Name("B"), between));
}

TEST(InitStates, states_compare_by_their_place_and_unknown_ones_are_reported_once) {
    // I-02
    InitGame game;
    const std::vector<Name> all{kSpawned, kAvailable, kInitialized, kReady};
    for (std::size_t a = 0; a < all.size(); ++a)
        for (std::size_t b = 0; b < all.size(); ++b)
            EXPECT_EQ(game.manager().is_init_state_after_or_equal(all[a], all[b]), a >= b);
    EXPECT_EQ(game.problems(), 0u);
    for (Name strange : {Name(), Name("Spawnd")})
        for (int twice = 0; twice < 2; ++twice) {
            EXPECT_FALSE(game.manager().is_init_state_after_or_equal(kReady, strange));
            EXPECT_FALSE(game.manager().is_init_state_after_or_equal(strange, kSpawned));
            EXPECT_FALSE(game.manager().is_init_state_after_or_equal(strange, strange));
        }
    EXPECT_EQ(game.problems(), 2u);
    EXPECT_NE(game.last_report().find("did you mean \"Spawned\"?"), std::string::npos) << game.last_report();
}

TEST(InitStates, the_manager_lets_features_skip_and_go_back) {
    // I-03
    InitGame game;
    Body* body = game.spawn<Body>();
    EXPECT_EQ(game.set(*body, "A", kReady), InitResult::Done);
    EXPECT_EQ(game.set(*body, "A", kSpawned), InitResult::Done);
    EXPECT_EQ(game.state(*body, "A"), kSpawned);
}

struct Limb : Component, InitStateFeature<Limb> {
    static void describe(TypeBuilder<Limb>&) {}
    Name feature_name() const override { return Name("Limb"); }
};
struct Whole : Actor, InitStateFeature<Whole> {
    static void describe(TypeBuilder<Whole>& t) { t.component<Limb>("limb"); }
    Name feature_name() const override { return Name("Whole"); }
};

TEST(InitStates, components_actors_and_plain_objects_implement_features) {
    // I-04, I-09
    InitGame game;
    ASSERT_TRUE((game.runtime.types().add_all<Limb, Whole>().is_ok()));
    Whole* whole = game.spawn<Whole>();
    Limb* limb = whole->find<Limb>();
    auto plain = std::make_unique<Part>("Plain", whole);
    for (InitStateInterface* one : std::vector<InitStateInterface*>{plain.get(), limb, whole})
        EXPECT_EQ(game.manager().register_init_state_feature(*whole, one->feature_name(), one), InitResult::Done);
    const std::vector<InitStateInterface*> all{plain.get(), limb, whole};
    EXPECT_EQ(game.manager().implementers(*whole), all);
    EXPECT_EQ(game.manager().implementers(*whole, Name("Limb")),
              (std::vector<InitStateInterface*>{plain.get(), whole}));
    EXPECT_EQ(game.manager().change_feature_init_state(*whole, Name("Limb"), limb, kAvailable), InitResult::Done);
    EXPECT_EQ(game.manager().implementers(*whole, {}, kSpawned), (std::vector<InitStateInterface*>{limb}));
    EXPECT_TRUE(game.manager().implementers(*whole, {}, Name("Nothing")).empty());
    plain = nullptr;
    EXPECT_EQ(game.manager().implementers(*whole), (std::vector<InitStateInterface*>{limb, whole}));
}

TEST(InitStates, registering_again_replaces_the_implementer_and_keeps_the_state) {
    // I-05
    InitGame game;
    Body* body = game.spawn<Body>();
    Part one("A", body), two("A", body);
    auto all = game.manager().register_and_call_for_actor_init_state(*body, {}, {}, game.teller("l"));
    EXPECT_EQ(game.manager().register_init_state_feature(*body, Name("A"), &one), InitResult::Done);
    EXPECT_EQ(game.state(*body, "A"), Name());
    EXPECT_EQ(game.manager().change_feature_init_state(*body, Name("A"), &one, kAvailable), InitResult::Done);
    EXPECT_EQ(game.log(), "l:A:DataAvailable");
    EXPECT_EQ(game.manager().register_init_state_feature(*body, Name("A"), &two), InitResult::Done);
    EXPECT_EQ(game.state(*body, "A"), kAvailable);
    EXPECT_EQ(game.manager().implementer(*body, Name("A")), &two);
    EXPECT_EQ(game.manager().register_init_state_feature(*body, Name(), &two), InitResult::Refused);
    auto made = game.world().spawn_deferred<Body>();
    EXPECT_EQ(game.manager().register_init_state_feature(made->actor(), Name("A"), nullptr), InitResult::Refused);
    EXPECT_EQ(game.log(), "");
}

TEST(InitStates, a_change_is_refused_for_what_is_not_there) {
    // I-06
    InitGame game;
    Body* body = game.spawn<Body>();
    auto all = game.manager().register_and_call_for_actor_init_state(*body, {}, {}, game.teller("l"));
    EXPECT_EQ(game.set(*body, "", kSpawned), InitResult::Refused);
    EXPECT_EQ(game.set(*body, "A", Name()), InitResult::Refused);
    EXPECT_EQ(game.set(*body, "A", Name("Elsewhere")), InitResult::Refused);
    auto made = game.world().spawn_deferred<Body>();
    EXPECT_EQ(game.set(made->actor(), "A", kSpawned), InitResult::Refused);
    Part part("A", body);
    EXPECT_EQ(game.set(*body, "A", kSpawned), InitResult::Done);
    EXPECT_EQ(game.manager().change_feature_init_state(*body, Name("A"), &part, kSpawned), InitResult::Unchanged);
    EXPECT_EQ(game.manager().implementer(*body, Name("A")), &part);
    InitResult inside = InitResult::Done;
    part.handle = [&](Name, Name) {
        inside = game.set(*body, "A", kReady);
        return Status::ok();
    };
    EXPECT_TRUE(part.try_to_change_init_state(kAvailable));
    EXPECT_EQ(inside, InitResult::InTransition);
    EXPECT_EQ(game.log(), "l:A:Spawned l:A:DataAvailable");
}

TEST(InitStates, what_is_unknown_has_reached_nothing) {
    // I-07
    InitGame game;
    ComponentManager& manager = game.manager();
    Body* body = game.spawn<Body>();
    EXPECT_EQ(game.state(*body, "A"), Name());
    EXPECT_FALSE(manager.has_reached_init_state(*body, Name("A"), kSpawned));
    manager.register_init_state_feature(*body, Name("A"), nullptr);
    EXPECT_EQ(game.state(*body, "A"), Name());
    EXPECT_EQ(game.state(*body, "B"), Name());
    EXPECT_FALSE(manager.has_reached_init_state(*body, Name("A"), kSpawned));
    game.set(*body, "A", kAvailable);
    EXPECT_TRUE(manager.has_reached_init_state(*body, Name("A"), kSpawned));
    EXPECT_TRUE(manager.has_reached_init_state(*body, Name("A"), kAvailable));
    EXPECT_FALSE(manager.has_reached_init_state(*body, Name("A"), kInitialized));
    EXPECT_FALSE(manager.has_reached_init_state(*body, Name("A"), Name()));
    EXPECT_FALSE(manager.has_reached_init_state(*body, Name("A"), Name("Elsewhere")));
}

TEST(InitStates, an_implementer_is_found_while_it_lives_and_has_got_that_far) {
    // I-08
    InitGame game;
    ComponentManager& manager = game.manager();
    Body* body = game.spawn<Body>();
    auto part = std::make_unique<Part>("A", body);
    EXPECT_EQ(manager.implementer(*body, Name("A")), nullptr);
    manager.register_init_state_feature(*body, Name("A"), part.get());
    EXPECT_EQ(manager.implementer(*body, Name("A")), part.get());
    EXPECT_EQ(manager.implementer(*body, Name("A"), kSpawned), nullptr);
    manager.change_feature_init_state(*body, Name("A"), part.get(), kAvailable);
    EXPECT_EQ(manager.implementer(*body, Name("A"), kSpawned), part.get());
    EXPECT_EQ(manager.implementer(*body, Name("A"), kReady), nullptr);
    part = nullptr;
    EXPECT_EQ(manager.implementer(*body, Name("A")), nullptr);
}

TEST(InitStates, all_have_reached_a_state_when_each_feature_has) {
    // I-10, X-312
    InitGame game;
    ComponentManager& manager = game.manager();
    Body* body = game.spawn<Body>();
    EXPECT_FALSE(manager.have_all_features_reached_init_state(*body, kSpawned));
    auto listener = manager.register_and_call_for_actor_init_state(*body, {}, {}, game.teller("l"));
    EXPECT_FALSE(manager.have_all_features_reached_init_state(*body, kSpawned));
    manager.register_init_state_feature(*body, Name("A"), nullptr);
    EXPECT_FALSE(manager.have_all_features_reached_init_state(*body, kSpawned));
    EXPECT_TRUE(manager.have_all_features_reached_init_state(*body, kSpawned, Name("A")));
    game.set(*body, "A", kAvailable);
    EXPECT_TRUE(manager.is_actor_ready(*body, kAvailable));
    EXPECT_FALSE(manager.is_actor_ready(*body, kReady));
    EXPECT_FALSE(manager.is_actor_ready(*body, Name("Elsewhere")));
    manager.register_init_state_feature(*body, Name("B"), nullptr);
    EXPECT_FALSE(manager.is_actor_ready(*body, kAvailable));
    manager.unregister_init_state_feature(*body, Name("B"));
    EXPECT_TRUE(manager.is_actor_ready(*body, kAvailable));
    manager.unregister_init_state_feature(*body, Name("A"));
    EXPECT_FALSE(manager.is_actor_ready(*body, kSpawned));
}

TEST(InitStates, removing_a_feature_tells_bound_objects_and_rechecks_the_others_once) {
    // I-25
    InitGame game;
    ComponentManager& manager = game.manager();
    Body* body = game.spawn<Body>();
    Part a("A", body), b("B", body), c("C", body);
    for (Part* part : {&a, &b, &c}) {
        EXPECT_TRUE(part->register_init_state_feature().is_ok());
        EXPECT_TRUE(part->try_to_change_init_state(kSpawned));
    }
    a.can = [&](Name, Name to) {
        return manager.have_all_features_reached_init_state(*body, to, Name("A")) ? Verdict::yes() : Verdict::no("b");
    };
    a.check = [&] { a.continue_init_state_chain(); };
    a.heard = [&](const InitStateChange& change) {
        game.say(fmt::format("{}:{}:{}:{}", change.feature, change.old_state, change.new_state,
                             change.kind == InitChangeKind::Removed ? "removed" : "changed"));
    };
    EXPECT_TRUE(c.try_to_change_init_state(kAvailable));
    a.bind_on_actor_init_state_changed();
    EXPECT_EQ(a.continue_init_state_chain(), kSpawned);
    b.unregister_init_state_feature();
    EXPECT_EQ(game.log(), "B:Spawned::removed");
    EXPECT_EQ(game.state(*body, "A"), kAvailable);
    EXPECT_EQ(game.state(*body, "B"), Name());
    EXPECT_EQ(a.checks, 1);
    EXPECT_EQ(c.checks, 1);
}

TEST(InitStates, features_of_the_dead_go_with_the_next_that_is_removed) {
    // I-25
    InitGame game;
    Body* body = game.spawn<Body>();
    auto dead = std::make_unique<Part>("Dead", body);
    Part a("A", body), b("B", body);
    for (Part* part : {dead.get(), &a, &b}) EXPECT_TRUE(part->register_init_state_feature().is_ok());
    dead = nullptr;
    EXPECT_EQ(game.manager().init_counts().features, 3u);
    game.manager().unregister_init_state_feature(*body, a);
    EXPECT_EQ(game.manager().init_counts().features, 1u);
    EXPECT_EQ(game.manager().implementers(*body), (std::vector<InitStateInterface*>{&b}));
}

TEST(InitStates, an_actor_takes_its_features_and_listeners_along) {
    // I-26, X-317
    InitGame game;
    std::vector<InitStateHandle> handles;
    for (int i = 0; i < 1000; ++i) {
        Body* body = game.spawn<Body>();
        game.set(*body, "A", kSpawned);
        handles.push_back(game.manager().register_and_call_for_actor_init_state(*body, {}, kReady, game.teller("l")));
        EXPECT_TRUE(game.manager().declare_init_need(*body, Name("A"), kReady, Need::reached(Name("B"), kReady)));
        EXPECT_EQ(game.manager().init_counts(), (InitCounts{1, 1, 1, 1, 1}));
        EXPECT_TRUE(game.world().destroy(body->id()));
        EXPECT_FALSE(handles.back().is_valid());
    }
    EXPECT_EQ(game.manager().init_counts(), InitCounts());
}

struct Lingering : Component, InitStateFeature<Lingering> {
    static void describe(TypeBuilder<Lingering>&) {}
    Name feature_name() const override { return Name("Lingering"); }
    void registered() {
        register_init_state_feature().ignore();
        try_to_change_init_state(kReady);
    }
    void end_play(EndReason) { at_end = init_state(); }
    static inline Name at_end;
};
struct Host : Actor {
    static void describe(TypeBuilder<Host>& t) { t.component<Lingering>("lingering"); }
};

TEST(InitStates, states_can_be_asked_for_until_the_last_end_play) {
    // I-26
    InitGame game;
    ASSERT_TRUE((game.runtime.types().add_all<Lingering, Host>().is_ok()));
    Host* host = game.spawn<Host>();
    EXPECT_EQ(game.state(*host, "Lingering"), kReady);
    game.world().destroy(host->id());
    EXPECT_EQ(Lingering::at_end, kReady);
    EXPECT_EQ(game.manager().init_counts(), InitCounts());
}

TEST(InitStates, an_actor_of_another_world_with_the_same_id_is_another_actor) {
    // I-04, I-26
    InitGame game;
    const ActorId id = game.spawn<Body>()->id();
    game.set(*game.world().find(id), "A", kReady);
    game.game->open_world({});
    Body* body = game.spawn<Body>();
    EXPECT_EQ(body->id(), id);
    EXPECT_EQ(game.state(*body, "A"), Name());
    World second(game.runtime, {}, game.game.get());
    Actor* twin = second.find(*second.spawn<Body>());
    EXPECT_EQ(twin->id(), id);
    game.set(*body, "A", kReady);
    EXPECT_EQ(game.state(*twin, "A"), Name());
    game.set(*twin, "A", kSpawned);
    EXPECT_EQ(game.state(*body, "A"), kReady);
    second.end();
    EXPECT_EQ(game.manager().init_counts().actors, 1u);
}

TEST(InitStates, every_step_is_in_the_trace_with_its_cause) {
    // I-52
    InitGame game;
    Body* body = game.spawn<Body>({.role = Role::SimulatedProxy});
    Part hero("Hero", body), other("Other", body);
    for (Part* part : {&hero, &other}) EXPECT_TRUE(part->register_init_state_feature().is_ok());
    hero.check = [&] { hero.continue_init_state_chain(); };
    hero.can = [&](Name, Name to) { return to == kInitialized ? Verdict::no("no input yet") : Verdict::yes(); };
    hero.heard = [&](const InitStateChange&) { hero.check_default_initialization(); };
    hero.bind_on_actor_init_state_changed();
    game.runtime.trace().set_level(TraceLevel::Events);
    hero.try_to_change_init_state(kSpawned);
    other.try_to_change_init_state(kSpawned);
    other.unregister_init_state_feature();
    std::string text;
    for (const TraceLine& line : game.runtime.trace().lines())
        text += fmt::format("{} {} {} {}\n", line.side, line.kind, line.subject, line.detail);
    EXPECT_EQ(text,
              "world init.change #1.1 Hero (SimulatedProxy): none -> Spawned; by a call\n"
              "world init.change #1.1 Other (SimulatedProxy): none -> Spawned; by a call\n"
              "world init.change #1.1 Hero (SimulatedProxy): Spawned -> DataAvailable; by the change of Other to "
              "Spawned\n"
              "world init.refusal #1.1 Hero (SimulatedProxy): DataInitialized refused: no input yet; by the change of "
              "Other to Spawned\n"
              "world init.removal #1.1 Other (SimulatedProxy): removed at Spawned; by a call\n"
              "world init.refusal #1.1 Hero (SimulatedProxy): DataInitialized refused: no input yet; by the removal of "
              "Other\n"
              "world init.recheck #1.1 Hero (SimulatedProxy): at DataAvailable; by the removal of a feature\n"
              "world init.refusal #1.1 Hero (SimulatedProxy): DataInitialized refused: no input yet; by the removal of "
              "a feature\n");
}

}  // namespace init_states_test
}  // namespace lyre::framework
