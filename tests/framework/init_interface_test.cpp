#include "tests/framework/init_world.h"

namespace lyre::framework {
namespace init_interface_test {

struct Arm : Component, InitStateFeature<Arm> {
    static void describe(TypeBuilder<Arm>&) {}
    Name feature_name() const override { return Name("Arm"); }
};
struct Robot : Actor, InitStateFeature<Robot> {
    static void describe(TypeBuilder<Robot>& t) { t.component<Arm>("arm"); }
    Name feature_name() const override { return Name("Robot"); }
};
struct Homeless : InitStateInterface {
    Name feature_name() const override { return Name("Homeless"); }
};

struct Interface : ::testing::Test {
    Interface() { EXPECT_TRUE((game.runtime.types().add_all<Arm, Robot>().is_ok())); }
    InitGame game;
    ComponentManager& manager = game.manager();
    Body* body = game.spawn<Body>();
};

TEST_F(Interface, the_owning_actor_is_itself_or_its_owner_or_what_it_says) {
    // I-28
    Robot* robot = game.spawn<Robot>();
    Arm* arm = robot->find<Arm>();
    EXPECT_EQ(robot->owning_actor(), robot);
    EXPECT_EQ(arm->owning_actor(), robot);
    Part part("Part", robot);
    Homeless homeless;
    EXPECT_TRUE(robot->register_init_state_feature().is_ok());
    EXPECT_TRUE(arm->register_init_state_feature().is_ok());
    EXPECT_TRUE(part.register_init_state_feature().is_ok());
    EXPECT_FALSE(homeless.register_init_state_feature().is_ok());
    EXPECT_EQ(manager.implementers(*robot), (std::vector<InitStateInterface*>{robot, arm, &part}));
}

TEST_F(Interface, a_try_says_no_for_every_cause) {
    // I-29
    Part a("A", body);
    std::vector<std::string> steps;
    a.handle = [&](Name from, Name to) {
        steps.push_back(fmt::format("{}>{}", from, to));
        return Status::ok();
    };
    EXPECT_FALSE(Homeless().try_to_change_init_state(kSpawned));
    EXPECT_FALSE(a.try_to_change_init_state(Name("Elsewhere")));
    EXPECT_TRUE(a.try_to_change_init_state(kSpawned));
    EXPECT_FALSE(a.try_to_change_init_state(kSpawned));
    a.can = [](Name, Name) { return Verdict::no("not today"); };
    EXPECT_FALSE(a.try_to_change_init_state(kAvailable));
    EXPECT_NE(manager.explain_actor_init(*body).find("refused DataAvailable: not today"), std::string::npos);
    a.can = [](Name, Name) -> Verdict { throw std::runtime_error("malice"); };
    EXPECT_FALSE(a.try_to_change_init_state(kAvailable));
    EXPECT_EQ(game.problems(), 2u);
    a.can = nullptr;
    EXPECT_TRUE(manager.declare_init_need(*body, Name("A"), kReady, Need::reached(Name("B"), kSpawned)));
    EXPECT_EQ(game.state(*body, "A"), kInitialized);  // what it needs for these is there
    EXPECT_FALSE(a.try_to_change_init_state(kReady));
    EXPECT_EQ(steps, (std::vector<std::string>{">Spawned", "Spawned>DataAvailable", "DataAvailable>DataInitialized"}));
}

TEST_F(Interface, a_transition_cannot_be_started_from_inside_itself) {
    // I-30
    Part a("A", body);
    a.check = [&] { a.continue_init_state_chain(); };
    std::string steps;
    bool inside = true;
    a.handle = [&](Name from, Name to) {
        steps += fmt::format("{} ", to);
        EXPECT_EQ(game.state(*body, "A"), from);
        if (to == kAvailable) {
            a.check_default_initialization();
            inside = a.try_to_change_init_state(kReady);
            EXPECT_EQ(game.set(*body, "A", kReady), InitResult::InTransition);
            EXPECT_FALSE(manager.reset_init_state(*body, Name("A"), {}).is_ok());
            a.checks = 0;
        }
        return Status::ok();
    };
    EXPECT_TRUE(a.try_to_change_init_state(kSpawned));
    EXPECT_TRUE(a.try_to_change_init_state(kAvailable));
    EXPECT_FALSE(inside);
    EXPECT_EQ(a.checks, 1);
    EXPECT_EQ(steps, "Spawned DataAvailable DataInitialized GameplayReady ");
}

TEST_F(Interface, a_step_that_fails_leaves_the_old_state) {
    // I-55
    Part a("A", body);
    EXPECT_TRUE(a.try_to_change_init_state(kSpawned));
    int tries = 0;
    a.handle = [&](Name, Name) -> Status {
        a.check_default_initialization();  // remembered, and forgotten with the failure
        if (++tries == 1) return Status::failed("no memory");
        if (tries == 2) throw std::runtime_error("malice");
        return Status::ok();
    };
    for (std::size_t failure = 1; failure <= 2; ++failure) {
        EXPECT_FALSE(a.try_to_change_init_state(kAvailable));
        EXPECT_EQ(game.state(*body, "A"), kSpawned);
        EXPECT_EQ(game.problems(), failure);
    }
    EXPECT_NE(manager.explain_actor_init(*body).find("the step from Spawned to DataAvailable failed"),
              std::string::npos);
    EXPECT_TRUE(a.try_to_change_init_state(kAvailable));
    EXPECT_EQ(tries, 3);
}

TEST_F(Interface, an_implementer_that_says_nothing_may_go_everywhere) {
    // I-31
    struct Bare : InitStateInterface {
        explicit Bare(Actor* of) : actor(of) {}
        Name feature_name() const override { return Name("Bare"); }
        Actor* owning_actor() const override { return actor; }
        Actor* actor;
    } bare(body);
    EXPECT_TRUE(bare.can_change_init_state(kSpawned, kReady).allowed);
    EXPECT_TRUE(bare.handle_change_init_state(kSpawned, kReady).is_ok());
    bare.handle_exit_init_state(kReady, kSpawned);
    bare.check_default_initialization();
    bare.on_actor_init_state_changed({*body, {}, nullptr, {}, {}});
    EXPECT_EQ(bare.init_state(), Name());
    EXPECT_TRUE(bare.try_to_change_init_state(kSpawned));
    EXPECT_EQ(bare.continue_init_state_chain(), kReady);
    EXPECT_TRUE(bare.has_reached_init_state(kInitialized));
}

TEST_F(Interface, a_chain_is_climbed_until_somebody_refuses) {
    // I-32
    Part a("A", body);
    const std::vector<Name> chain{kSpawned, kAvailable, kReady};
    EXPECT_EQ(a.continue_init_state_chain(chain), Name());  // no state: not in the chain
    EXPECT_TRUE(a.try_to_change_init_state(kSpawned));
    EXPECT_EQ(a.continue_init_state_chain(chain), kReady);
    manager.change_feature_init_state(*body, Name("A"), &a, kInitialized);
    EXPECT_EQ(a.continue_init_state_chain(chain), kInitialized);  // not in the chain
    manager.change_feature_init_state(*body, Name("A"), &a, kSpawned);
    a.can = [](Name, Name to) { return to == kInitialized ? Verdict::no("stall") : Verdict::yes(); };
    EXPECT_EQ(a.continue_init_state_chain(), kAvailable);
    a.can = nullptr;
    EXPECT_EQ(a.continue_init_state_chain(), kReady);
}

TEST_F(Interface, a_chain_goes_on_where_a_listener_left_it) {
    // I-32
    Part a("A", body);
    std::string steps;
    a.handle = [&](Name, Name to) {
        steps += fmt::format("{} ", to);
        return Status::ok();
    };
    auto jump = manager.register_and_call_for_actor_init_state(
        *body, Name("A"), kAvailable,
        [&](const InitStateChange&) { manager.change_feature_init_state(*body, Name("A"), &a, kInitialized); });
    EXPECT_TRUE(a.try_to_change_init_state(kSpawned));
    EXPECT_EQ(a.continue_init_state_chain(), kReady);
    EXPECT_EQ(steps, "Spawned DataAvailable GameplayReady ");
}

TEST_F(Interface, a_state_in_the_middle_of_the_list_is_climbed_without_a_change_in_any_part) {
    // X-313, I-32
    Part a("A", body);
    const Name between("Between");
    std::string steps;
    a.handle = [&](Name, Name to) {
        steps += fmt::format("{} ", to);
        return Status::ok();
    };
    manager.register_init_state(between, InitOrder::Before, kReady);
    EXPECT_TRUE(a.try_to_change_init_state(kSpawned));
    EXPECT_EQ(a.continue_init_state_chain(), kReady);
    EXPECT_EQ(steps, "Spawned DataAvailable DataInitialized Between GameplayReady ");
}

TEST_F(Interface, poking_the_others_goes_in_order_and_comes_to_an_end) {
    // I-33, I-30
    Part a("A", body), b("B", body), c("C", body);
    for (Part* part : {&a, &b, &c}) {
        EXPECT_TRUE(part->register_init_state_feature().is_ok());
        EXPECT_TRUE(part->try_to_change_init_state(kSpawned));
        part->check = [this, part] {
            game.say(std::string(part->name.text()));
            part->continue_init_state_chain();
        };
        part->handle = [part](Name, Name) {
            part->check_default_initialization_for_implementers();
            return Status::ok();
        };
    }
    a.check_default_initialization_for_implementers();
    EXPECT_EQ(a.checks + b.checks + c.checks > 2, true);
    EXPECT_EQ(game.words.substr(0, 1), "B");
    for (Part* part : {&a, &b, &c}) EXPECT_EQ(part->init_state(), kReady);
    for (Part* part : {&a, &b, &c}) {
        part->handle = nullptr;
        part->checks = 0;
    }
    game.log();
    b.check_default_initialization_for_implementers();
    EXPECT_EQ(game.log(), "A C");
}

TEST_F(Interface, a_bound_object_hears_the_others_once_and_not_itself) {
    // I-34
    Part a("A", body);
    auto b = std::make_unique<Part>("B", body);
    std::string heard;
    a.heard = [&](const InitStateChange& change) { heard += fmt::format("{}:{} ", change.feature, change.new_state); };
    b->heard = [&](const InitStateChange&) { heard += "b "; };
    a.bind_on_actor_init_state_changed();
    a.bind_on_actor_init_state_changed();
    b->bind_on_actor_init_state_changed();
    b->try_to_change_init_state(kSpawned);
    EXPECT_EQ(heard, "B:Spawned ");
    b = nullptr;
    heard.clear();
    a.try_to_change_init_state(kSpawned);
    EXPECT_EQ(heard, "");
    EXPECT_EQ(manager.init_counts().listeners, 2u);  // the dead one goes when the next comes
    Part c("C", body);
    c.bind_on_actor_init_state_changed();
    EXPECT_EQ(manager.init_counts().listeners, 2u);
}

TEST_F(Interface, an_actor_takes_back_all_and_a_part_its_own) {
    // I-35
    Robot* robot = game.spawn<Robot>();
    Arm* arm = robot->find<Arm>();
    Part part("Part", robot);
    for (InitStateInterface* one : std::vector<InitStateInterface*>{robot, arm, &part}) {
        EXPECT_TRUE(one->register_init_state_feature().is_ok());
        one->bind_on_actor_init_state_changed();
    }
    EXPECT_EQ(manager.init_counts(), (InitCounts{1, 3, 3, 0, 1}));
    part.unregister_init_state_feature();
    EXPECT_EQ(manager.init_counts(), (InitCounts{1, 2, 2, 0, 1}));
    EXPECT_EQ(manager.implementers(*robot), (std::vector<InitStateInterface*>{robot, arm}));
    robot->unregister_init_state_feature();
    EXPECT_EQ(manager.init_counts(), InitCounts());
    part.unregister_init_state_feature();
    EXPECT_TRUE(arm->register_init_state_feature().is_ok());
}

TEST_F(Interface, a_world_without_a_manager_answers_nothing) {
    // I-36
    World preview(game.runtime, {.kind = WorldKind::Preview});
    Robot* robot = preview.find<Robot>(*preview.spawn<Robot>());
    EXPECT_EQ(ComponentManager::of(preview), nullptr);
    EXPECT_FALSE(robot->register_init_state_feature().is_ok());
    EXPECT_FALSE(robot->try_to_change_init_state(kSpawned));
    EXPECT_EQ(robot->continue_init_state_chain(), Name());
    EXPECT_EQ(robot->init_state(), Name());
    EXPECT_FALSE(robot->has_reached_init_state(kSpawned));
    robot->bind_on_actor_init_state_changed();
    robot->check_default_initialization_for_implementers();
    robot->unregister_init_state_feature();
    EXPECT_EQ(game.set(*robot, "A", kSpawned), InitResult::Refused);  // the manager of another game
    EXPECT_EQ(manager.init_counts(), InitCounts());
}

TEST_F(Interface, hooks_run_under_the_owner_that_registered_the_feature) {
    // I-29
    Part a("A", body);
    const Owner feature = Owner::feature(Name("tag"), 3);
    Owner seen;
    a.handle = [&](Name, Name) {
        seen = Owner::current();
        return Status::ok();
    };
    {
        const OwnerScope as(feature);
        EXPECT_TRUE(a.register_init_state_feature().is_ok());
    }
    EXPECT_TRUE(a.try_to_change_init_state(kSpawned));
    EXPECT_EQ(seen, feature);
}

}  // namespace init_interface_test
}  // namespace lyre::framework
