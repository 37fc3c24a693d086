// Who moves on, who falls and who is told why: circles, poking, going down across actors, resets, stalls, new states.
#include "tests/framework/init_world.h"

namespace lyre::framework {
namespace init_progress_test {

struct Progress : ::testing::Test {
    InitGame game;
    ComponentManager& manager = game.manager();
    Body* body = game.spawn<Body>();

    Status declare(std::string_view feature, Name state, Need need) {
        return manager.declare_init_need(*body, Name(feature), state, std::move(need));
    }
    static Need always() {
        return Need::holds(Name("always"), [](const Actor&) { return true; }, {Name("go")});
    }
    std::size_t stalls() { return game.problems("framework.init.stall"); }
    void pass(double seconds) {
        game.clock.advance(static_cast<std::int64_t>(seconds * 1e6));
        manager.settle();
    }
    void set_stall_seconds(std::string_view seconds) {
        EXPECT_TRUE(game.runtime.variables().set("lyre.initstate.StallSecs", seconds, {VariableSource::Console, "c"}));
    }
    std::string trace() {
        std::string text;
        for (const TraceLine& line : game.runtime.trace().lines())
            if (line.kind == Name("init.refusal")) text += fmt::format("{}\n", line.detail);
        return text;
    }
};

// Circles.

TEST_F(Progress, a_refusal_that_asks_for_the_next_try_is_stopped_and_reported) {
    // X-302, I-29
    Part a("A", body);
    std::size_t tries = 0;
    EXPECT_TRUE(a.try_to_change_init_state(kSpawned));
    a.can = [&](Name, Name) {
        ++tries;
        manager.signal(*body, Name("look"));
        return Verdict::no("wait");
    };
    EXPECT_TRUE(declare("A", kAvailable, always()).is_ok());
    EXPECT_LE(tries, InitStates::kMaxChanges);
    EXPECT_EQ(game.problems(), 1u);
    EXPECT_EQ(game.last_report(), "4096 tries in one call: what is tried asks for the next; stopped");
    a.can = nullptr;
    manager.signal(*body, Name("look"));
    EXPECT_EQ(a.init_state(), kReady);  // it is not out for ever
}

TEST_F(Progress, predicates_and_steps_that_ask_for_the_next_try_are_stopped) {
    // X-303, I-55
    std::size_t asked = 0, steps = 0;
    game.set(*body, "A", kSpawned);
    EXPECT_TRUE(declare("A", kAvailable,
                        Need::holds(Name("n"),
                                    [&](const Actor&) {
                                        ++asked;
                                        manager.signal(*body, Name("x"));
                                        return false;
                                    },
                                    {Name("x")}))
                    .is_ok());
    EXPECT_LE(asked, InitStates::kMaxChanges);
    Body* other = game.spawn<Body>();
    Part b("B", other);
    b.handle = [&](Name, Name to) {
        if (to == kSpawned) return Status::ok();
        ++steps;
        b.register_init_state_feature().ignore();
        return Status::failed("not yet");
    };
    EXPECT_TRUE(b.try_to_change_init_state(kSpawned));
    EXPECT_TRUE(manager.declare_init_need(*other, Name("B"), kAvailable, always()).is_ok());
    EXPECT_LE(steps, InitStates::kMaxChanges);
}

TEST_F(Progress, removals_that_lead_to_removals_are_stopped) {
    // I-25
    Part a("A", body), b("B", body);
    EXPECT_TRUE(a.register_init_state_feature().is_ok());
    a.check = [&] {
        EXPECT_TRUE(b.register_init_state_feature().is_ok());
        b.unregister_init_state_feature();
    };
    a.check_default_initialization();
    EXPECT_LE(a.checks, static_cast<int>(InitStates::kMaxChanges) + 1);
    EXPECT_GE(game.problems(), 1u);
}

// Poking.

TEST_F(Progress, two_that_poke_the_others_and_then_climb_come_to_an_end) {
    // I-33, I-38
    Part a("A", body), b("B", body), c("C", body);
    int depth = 0, deepest = 0;
    for (Part* part : {&a, &b, &c}) {
        EXPECT_TRUE(part->register_init_state_feature().is_ok());
        EXPECT_TRUE(part->try_to_change_init_state(kSpawned));
        part->check = [&, part] {
            deepest = std::max(deepest, ++depth);
            ASSERT_LT(depth, 100);
            part->check_default_initialization_for_implementers();
            part->continue_init_state_chain();
            --depth;
        };
    }
    // Each waits for the others, state by state: nobody gets there in one go.
    for (Part* part : {&a, &b, &c})
        part->can = [&, part](Name from, Name) {
            return manager.have_all_features_reached_init_state(*body, from, part->name) ? Verdict::yes()
                                                                                         : Verdict::no("others first");
        };
    a.check_default_initialization();
    for (const Part* part : {&a, &b, &c}) EXPECT_EQ(part->init_state(), kReady);
    EXPECT_LE(deepest, 4);
    const int before = a.checks + b.checks + c.checks;
    a.check_default_initialization();  // nobody moves: a few checks and it is over
    EXPECT_LE(a.checks + b.checks + c.checks, before + 32);
    EXPECT_EQ(game.problems(), 0u);
}

TEST_F(Progress, a_poke_during_a_check_is_not_lost) {
    // I-33, I-30
    Part a("A", body), b("B", body);
    bool has_data = false;
    for (Part* part : {&a, &b}) {
        EXPECT_TRUE(part->register_init_state_feature().is_ok());
        EXPECT_TRUE(part->try_to_change_init_state(kSpawned));
    }
    a.can = [&](Name, Name) { return has_data ? Verdict::yes() : Verdict::no("no data"); };
    a.check = [&] {
        a.continue_init_state_chain();
        a.check_default_initialization_for_implementers();
    };
    b.check = [&] {  // what A waits for comes when A has already looked
        has_data = true;
        b.check_default_initialization_for_implementers();
    };
    Part c("C", body);
    EXPECT_TRUE(c.register_init_state_feature().is_ok());
    c.unregister_init_state_feature();  // everybody is checked once, A first
    EXPECT_EQ(a.init_state(), kReady);
}

// Going down.

TEST_F(Progress, a_reset_takes_dependents_of_other_actors_down_first) {
    //
    Chest* state = game.spawn<Chest>();
    const ActorId id = state->id();
    Part hero("Hero", body), player("Player", state);
    EXPECT_TRUE(player.try_to_change_init_state(kSpawned));
    EXPECT_EQ(player.continue_init_state_chain(), kReady);
    EXPECT_TRUE(hero.try_to_change_init_state(kSpawned));
    const auto of = [id](const Actor&) { return id; };
    EXPECT_TRUE(declare("Hero", kAvailable, Need::reached(Name("Player"), kReady, of)).is_ok());
    EXPECT_EQ(hero.init_state(), kReady);
    for (int i = 0; i < 3; ++i) manager.settle();  // nothing is waited for any more
    hero.exit = [&](Name from, Name) { game.say(fmt::format("hero-{}", from)); };
    player.exit = [&](Name from, Name) { game.say(fmt::format("player-{}", from)); };
    EXPECT_TRUE(manager.reset_init_state(*state, Name("Player"), kInitialized).is_ok());
    EXPECT_EQ(game.log(), "hero-GameplayReady hero-DataInitialized hero-DataAvailable player-GameplayReady");
    EXPECT_EQ(hero.init_state(), kSpawned);
    EXPECT_TRUE(player.try_to_change_init_state(kReady));
    EXPECT_EQ(hero.init_state(), kReady);  // and it comes up again by its need
}

TEST_F(Progress, a_step_whose_need_goes_down_meanwhile_is_taken_back) {
    // X-308, I-55
    Part hero("Hero", body);
    game.set(*body, "Ext", kInitialized);
    EXPECT_TRUE(hero.try_to_change_init_state(kSpawned));
    bool is_first = true;
    hero.handle = [&](Name, Name to) {
        game.say(fmt::format("+{}", to));
        if (to == kInitialized && std::exchange(is_first, false)) {
            EXPECT_TRUE(manager.reset_init_state(*body, Name("Ext"), kSpawned).is_ok());
        }
        return Status::ok();
    };
    hero.exit = [&](Name from, Name) { game.say(fmt::format("-{}", from)); };
    auto told = manager.register_and_call_for_actor_init_state(*body, Name("Hero"), kInitialized, game.teller("told"));
    EXPECT_TRUE(declare("Hero", kInitialized, Need::reached(Name("Ext"), kInitialized)).is_ok());
    EXPECT_EQ(game.state(*body, "Ext"), kSpawned);
    EXPECT_EQ(hero.init_state(), kAvailable);
    EXPECT_EQ(game.log(), "+DataAvailable +DataInitialized -DataInitialized");
    game.set(*body, "Ext", kInitialized);
    EXPECT_EQ(hero.init_state(), kReady);
    EXPECT_EQ(game.log(), "+DataInitialized told:Hero:DataInitialized +GameplayReady");
}

TEST_F(Progress, a_reset_goes_down_or_does_nothing) {
    //
    game.set(*body, "Hero", kSpawned);
    game.set(*body, "Ext", kSpawned);
    EXPECT_TRUE(declare("Hero", kAvailable, Need::reached(Name("Ext"), kAvailable)).is_ok());
    EXPECT_FALSE(manager.reset_init_state(*body, Name("Hero"), kReady).is_ok());
    EXPECT_TRUE(manager.reset_init_state(*body, Name("Hero"), kSpawned).is_ok());
    game.set(*body, "Ext", kAvailable);  // neither stops it from climbing
    EXPECT_EQ(game.state(*body, "Hero"), kReady);
}

// The list of states.

TEST_F(Progress, a_state_added_later_is_climbed_by_those_with_needs) {
    // I-53, X-302, X-313
    game.set(*body, "A", kSpawned);
    EXPECT_TRUE(declare("A", kAvailable, always()).is_ok());
    EXPECT_EQ(game.state(*body, "A"), kReady);
    EXPECT_EQ(manager.register_init_state(Name("Between"), InitOrder::Before, kReady), InitResult::Done);
    EXPECT_EQ(game.state(*body, "A"), kReady);
    EXPECT_EQ(manager.register_init_state(Name("Post")), InitResult::Done);
    EXPECT_EQ(game.state(*body, "A"), Name("Post"));
    pass(0.01);
    pass(6);
    EXPECT_EQ(stalls(), 0u);
}

TEST_F(Progress, a_full_list_still_knows_its_states) {
    // I-01
    for (std::size_t i = 4; i < InitStates::kMaxStates; ++i)
        EXPECT_EQ(manager.register_init_state(Name(fmt::format("s{}", i))), InitResult::Done);
    EXPECT_EQ(manager.register_init_state(Name("more")), InitResult::Refused);
    EXPECT_EQ(manager.register_init_state(kSpawned), InitResult::AlreadyRegistered);
}

// Stalls.

TEST_F(Progress, who_moved_during_a_hitch_has_not_stalled) {
    //
    game.set(*body, "A", kSpawned);
    game.set(*body, "B", kSpawned);
    pass(0.01);
    game.clock.advance(24'000'000);  // a load that blocks: no frame
    game.set(*body, "A", kAvailable);
    pass(0);
    ASSERT_EQ(stalls(), 1u);
    EXPECT_EQ(game.last_report().substr(0, 14), "B did not move");
    for (int i = 0; i < 49; ++i) pass(0.1);
    EXPECT_EQ(stalls(), 1u);
    pass(0.1);
    EXPECT_EQ(stalls(), 2u);
    EXPECT_EQ(game.last_report().substr(0, 14), "A did not move");
}

TEST_F(Progress, a_shorter_stall_time_counts_at_once) {
    //
    set_stall_seconds("1000");
    game.set(*body, "A", kSpawned);
    pass(0.01);
    set_stall_seconds("1");
    pass(10);
    EXPECT_EQ(stalls(), 1u);
}

TEST_F(Progress, stalls_are_reported_in_the_order_of_the_actors_first_features) {
    //
    std::vector<Body*> all{body};
    for (int i = 0; i < 4; ++i) all.push_back(game.spawn<Body>());
    for (Body* one : all) game.set(*one, "A", kSpawned);
    game.set(*all[1], "A", kReady);  // leaves a gap in the list of those who wait
    pass(0.01);
    pass(6);
    std::string subjects, expected;
    for (const auto& entry : game.runtime.log().entries()) subjects += entry.subject + " ";
    for (const std::size_t i : {0u, 2u, 3u, 4u}) expected += fmt::format("{} ", all[i]->id());
    EXPECT_EQ(subjects, expected);
}

TEST_F(Progress, needs_are_evaluated_in_the_order_in_which_they_became_open) {
    //
    Chest* chest = game.spawn<Chest>();
    const ActorId id = chest->id();
    std::vector<std::unique_ptr<Part>> parts;
    for (int i = 0; i < 5; ++i) {
        Body* one = game.spawn<Body>();
        Part& part = *parts.emplace_back(std::make_unique<Part>(fmt::format("P{}", i), one));
        EXPECT_TRUE(part.try_to_change_init_state(kSpawned));
        part.handle = [&](Name, Name to) {
            game.say(fmt::format("{}:{}", part.name, to));
            return Status::ok();
        };
        const auto of = [id](const Actor&) { return id; };
        for (Name state : {kAvailable, kReady})
            EXPECT_TRUE(manager.declare_init_need(*one, part.name, state, Need::reached(Name("Lock"), state, of)));
    }
    game.set(*chest, "Lock", kAvailable);
    EXPECT_EQ(game.log(),
              "P0:DataAvailable P1:DataAvailable P2:DataAvailable P3:DataAvailable P4:DataAvailable "
              "P0:DataInitialized P1:DataInitialized P2:DataInitialized P3:DataInitialized P4:DataInitialized");
}

// Owners and the trace.

TEST_F(Progress, functions_of_a_need_run_under_the_owner_that_declared_it) {
    //
    Owner of_predicate, of_function;
    const Owner feature = Owner::feature(Name("tag"), 7);
    game.set(*body, "A", kSpawned);
    {
        const OwnerScope as(feature);
        const auto asked = [&](const Actor&) {
            of_predicate = Owner::current();
            return false;
        };
        const auto of = [&](const Actor& actor) {
            of_function = Owner::current();
            return actor.id();
        };
        EXPECT_TRUE(declare("A", kAvailable, Need::reached(Name("B"), kSpawned, of)));
        EXPECT_TRUE(declare("A", kAvailable, Need::holds(Name("n"), asked, {Name("go")})));
    }
    game.set(*body, "B", kSpawned);
    of_predicate = of_function = Owner();
    manager.signal(*body, Name("go"));
    EXPECT_EQ(of_predicate, feature);
    EXPECT_EQ(of_function, feature);
}

TEST_F(Progress, every_refusal_is_in_the_trace) {
    // I-52
    Part a("A", body);
    a.handle = [&](Name, Name) {
        EXPECT_FALSE(manager.reset_init_state(*body, Name("A"), {}).is_ok());
        EXPECT_EQ(game.set(*body, "A", kReady), InitResult::InTransition);
        EXPECT_FALSE(a.try_to_change_init_state(kInitialized));
        Part("B", body).check_default_initialization_for_implementers();
        return Status::ok();
    };
    game.runtime.trace().set_level(TraceLevel::Events);
    EXPECT_EQ(game.set(*body, "A", Name("Nowhere")), InitResult::Refused);
    EXPECT_FALSE(a.try_to_change_init_state(Name("Elsewhere")));
    EXPECT_TRUE(a.try_to_change_init_state(kSpawned));
    EXPECT_EQ(trace(),
              "A (Authority): Nowhere refused: not a registered init state; by a call\n"
              "A (Authority): Elsewhere refused: not a registered init state; by a call\n"
              "A (Authority): none refused: a reset in transition; by a call\n"
              "A (Authority): GameplayReady refused: in transition; by a call\n"
              "A (Authority): DataInitialized refused: in transition; by a call\n"
              "A (Authority): re-check refused: in transition; by a call\n");
}

TEST_F(Progress, a_circle_that_was_stopped_is_in_the_trace) {
    // I-52, I-12
    auto chase =
        manager.register_and_call_for_actor_init_state(*body, Name("A"), {}, [&](const InitStateChange& change) {
            game.set(*body, "A", change.new_state == kSpawned ? kAvailable : kSpawned);
        });
    game.runtime.trace().set_level(TraceLevel::Events);
    game.set(*body, "A", kSpawned);
    EXPECT_EQ(trace(),
              "all features (Authority): 4096 changes in one call: callbacks undo what others do; stopped; by the "
              "change of A to DataAvailable\n");
}

TEST(InitProgress, parts_that_try_each_other_when_they_are_asked_end) {
    // I-33
    InitGame game;
    Body* body = game.spawn<Body>();
    Part first("A", body), second("B", body);
    int asked = 0;
    first.can = [&](Name, Name) {
        ++asked;
        second.try_to_change_init_state(kSpawned);
        return Verdict::no("B first");
    };
    second.can = [&](Name, Name) {
        first.try_to_change_init_state(kSpawned);
        return Verdict::no("A first");
    };
    EXPECT_FALSE(first.try_to_change_init_state(kSpawned));
    EXPECT_LT(asked, 100);
    EXPECT_NE(game.last_report().find("do parts ask each other?"), std::string::npos);
    EXPECT_TRUE(game.manager()
                    .declare_init_need(
                        *body, Name("C"), kSpawned,
                        Need::holds(Name("self"),
                                    [&](const Actor&) { return Part("C", body).try_to_change_init_state(kSpawned); }))
                    .is_ok());
}

TEST(InitProgress, states_are_not_registered_from_inside_a_step) {
    // I-53
    InitGame game;
    Body* body = game.spawn<Body>();
    Part part("A", body);
    InitResult result = InitResult::Done;
    part.exit = [&](Name, Name) {
        result = game.manager().register_init_state(Name("Early"), InitOrder::Before, kSpawned);
    };
    game.set(*body, "A", kReady);
    EXPECT_EQ(game.manager().change_feature_init_state(*body, Name("A"), &part, kReady), InitResult::Unchanged);
    EXPECT_TRUE(game.manager().reset_init_state(*body, Name("A"), kAvailable).is_ok());
    EXPECT_EQ(result, InitResult::InTransition);
    EXPECT_EQ(game.state(*body, "A"), kAvailable);
    EXPECT_EQ(game.manager().register_init_state(Name("Early"), InitOrder::Before, kSpawned), InitResult::Done);
}

}  // namespace init_progress_test
}  // namespace lyre::framework
