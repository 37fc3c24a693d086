#include "tests/framework/init_world.h"

namespace lyre::framework {
namespace init_explain_test {

struct Explain : ::testing::Test {
    InitGame game;
    ComponentManager& manager = game.manager();
    Body* body = game.spawn<Body>();
};

TEST_F(Explain, an_actor_without_features_is_not_registered_and_a_ready_one_is_ready) {
    // X-307
    EXPECT_EQ(manager.explain_actor_init(*body), "#1.1 (Body) has no parts that get ready in steps: none is registered\n");
    game.set(*body, "A", kAvailable);
    EXPECT_EQ(manager.explain_actor_init(*body, kAvailable), "#1.1 (Body) is ready: all its parts have reached DataAvailable\n");
    EXPECT_EQ(manager.explain_actor_init(*body, Name("Elsewhere")),
              "#1.1 (Body): Elsewhere is not a registered init state\n");
    EXPECT_EQ(manager.explain_actor_init(*body),
              "#1.1 (Body) is not ready for GameplayReady:\n"
              "  A is at DataAvailable for 0.0 s, next DataInitialized\n"
              "    nobody has asked it to try\n");
}

TEST_F(Explain, root_causes_come_first) {
    // X-307
    Chest* chest = game.spawn<Chest>();
    game.set(*body, "Ext", kSpawned);
    game.set(*body, "Hero", kSpawned);
    game.set(*chest, "Lock", kSpawned);
    const auto of = [&](const Actor&) { return chest->id(); };
    EXPECT_TRUE(manager.declare_init_need(*body, Name("Ext"), kInitialized, Need::all_reached(kAvailable)));
    EXPECT_TRUE(manager.declare_init_need(*body, Name("Hero"), kAvailable, Need::reached(Name("Lock"), kReady, of)));
    Part lock("Lock", chest);
    EXPECT_TRUE(lock.register_init_state_feature().is_ok());
    lock.can = [](Name, Name) { return Verdict::no("no key"); };
    EXPECT_FALSE(lock.try_to_change_init_state(kAvailable));
    game.clock.advance(2'500'000);
    EXPECT_EQ(manager.explain_actor_init(*body),
              "#1.1 (Body) is not ready for GameplayReady:\n"
              "  Lock of #2.1 (Chest) is at Spawned for 2.5 s, next DataAvailable\n"
              "    refused DataAvailable: no key\n"
              "  Hero is at Spawned for 2.5 s, next DataAvailable\n"
              "    needs Lock at GameplayReady of #2.1: Lock is at Spawned\n"
              "  Ext is at DataAvailable for 2.5 s, next DataInitialized\n"
              "    needs all other features at DataAvailable: Hero is at Spawned\n");

    const InitReport report = manager.init_report(*body);
    EXPECT_EQ(report.actor + report.class_name + report.state, "#1.1BodyGameplayReady");
    EXPECT_FALSE(report.is_ready);
    ASSERT_EQ(report.features.size(), 3u);
    EXPECT_EQ(report.features[0].actor + report.features[0].feature, "#2.1Lock");
    EXPECT_TRUE(report.features[0].is_cause);
    EXPECT_EQ(report.features[0].reasons.at(0).kind, "refused");
    EXPECT_EQ(report.features[0].reasons.at(0).why, "no key");
    EXPECT_FALSE(report.features[1].is_cause);
    EXPECT_EQ(report.features[1].seconds, 2.5);
    const InitReason& need = report.features[1].reasons.at(0);
    EXPECT_EQ(need.kind + need.actor + need.feature + need.state, "needs#2.1LockGameplayReady");
}

TEST_F(Explain, predicates_unregistered_features_and_the_dead_are_named) {
    // X-307
    game.set(*body, "A", kSpawned);
    EXPECT_TRUE(manager.declare_init_need(*body, Name("A"), kAvailable,
                                          Need::holds(Name("controller"), [](const Actor&) { return false; }, {})));
    EXPECT_TRUE(manager.declare_init_need(*body, Name("A"), kAvailable, Need::reached(Name("Ghost"), kReady)));
    EXPECT_TRUE(manager.declare_init_need(*body, Name("A"), kAvailable,
                                          Need::reached(Name("B"), kReady, [](const Actor&) { return ActorId(); })));
    auto dead = std::make_unique<Part>("D", body);
    dead->can = [](Name, Name to) {
        return to == kSpawned ? Verdict::yes() : Verdict::waits(Name("A"), kSpawned, "slow");
    };
    dead->try_to_change_init_state(kSpawned);
    dead->try_to_change_init_state(kAvailable);
    dead = nullptr;
    EXPECT_EQ(manager.explain_actor_init(*body),
              "#1.1 (Body) is not ready for GameplayReady:\n"
              "  A is at Spawned for 0.0 s, next DataAvailable\n"
              "    needs controller: it did not hold when it was asked last\n"
              "    needs Ghost at GameplayReady: Ghost is not registered\n"
              "    needs B at GameplayReady: there is no such actor\n"
              "  D is at Spawned for 0.0 s, next DataAvailable\n"
              "    its implementer is gone\n"
              "    refused DataAvailable: slow; waits for A at Spawned: A is at Spawned, and it was not asked again\n");
}

TEST_F(Explain, a_stall_is_reported_once_and_again_after_moving_on) {
    // X-306
    const auto stalls = [&] { return game.problems("framework.init.stall"); };
    const auto pass = [&](double seconds) {
        game.clock.advance(static_cast<std::int64_t>(seconds * 1e6));
        manager.settle();
    };
    Part a("A", body);
    a.can = [](Name, Name to) { return to == kSpawned ? Verdict::yes() : Verdict::no("no data"); };
    a.try_to_change_init_state(kSpawned);
    a.continue_init_state_chain();
    pass(0.001);
    pass(4.9);
    EXPECT_EQ(stalls(), 0u);
    pass(0.2);
    EXPECT_EQ(stalls(), 1u);
    EXPECT_EQ(game.last_report(),
              "A did not move for 5 s; #1.1 (Body) is not ready for GameplayReady:\n"
              "  A is at Spawned for 5.1 s, next DataAvailable\n"
              "    refused DataAvailable: no data");
    pass(60);
    EXPECT_EQ(stalls(), 1u);
    a.can = nullptr;
    a.try_to_change_init_state(kAvailable);
    pass(0.001);
    pass(4.9);
    EXPECT_EQ(stalls(), 1u);
    pass(0.2);
    EXPECT_EQ(stalls(), 2u);
    EXPECT_TRUE(manager.set_target_init_state(*body, kAvailable).is_ok());
    EXPECT_EQ(manager.init_counts().waiting, 0u);
    EXPECT_TRUE(manager.set_target_init_state(*body, {}).is_ok());
    EXPECT_FALSE(manager.set_target_init_state(*body, Name("Nowhere")).is_ok());
    EXPECT_EQ(manager.init_counts().waiting, 1u);
    Body* other = game.spawn<Body>();
    game.set(*other, "A", kSpawned);
    EXPECT_TRUE(game.runtime.variables().set("lyre.initstate.StallSecs", "0", {VariableSource::Console, "console"}));
    pass(60);
    EXPECT_EQ(stalls(), 2u);
    EXPECT_TRUE(game.runtime.variables().set("lyre.initstate.StallSecs", "1", {VariableSource::Console, "console"}));
    pass(1);
    EXPECT_EQ(stalls(), 3u);
}

TEST_F(Explain, how_long_is_a_stall_can_be_set_before_there_is_a_game) {
    // X-306
    VirtualClock clock;
    Runtime runtime{clock};
    ASSERT_TRUE(add_framework(runtime).is_ok());
    EXPECT_TRUE(runtime.variables().set("lyre.initstate.StallSecs", "2", {VariableSource::CommandLine, "--set"}));
    GameInstance game(runtime);
    EXPECT_EQ(runtime.variables().find<double>("lyre.initstate.StallSecs")->get(), 2.0);
}

TEST_F(Explain, two_games_of_a_runtime_share_the_variable) {
    // X-306
    GameInstance second(game.runtime);
    second.open_world({});
    EXPECT_NE(ComponentManager::of(*second.world()), nullptr);
    EXPECT_EQ(game.runtime.variables().find<double>("lyre.initstate.StallSecs")->get(), 5.0);
}

TEST_F(Explain, actors_at_rest_are_on_no_list) {
    // X-316
    for (int i = 0; i < 100; ++i) game.set(*game.spawn<Body>(), "A", kReady);
    EXPECT_EQ(manager.init_counts().waiting, 0u);
    game.set(*body, "A", kSpawned);
    EXPECT_EQ(manager.init_counts().waiting, 1u);
    manager.register_init_state(Name("Later"));
    EXPECT_EQ(manager.init_counts().waiting, 101u);
}

TEST_F(Explain, the_dump_lists_actors_and_class_listeners) {
    // G-44
    game.set(*body, "A", kSpawned);
    auto handle = manager.register_and_call_for_class_init_state(Name("Body"), Name("A"), kReady, game.teller("x"));
    EXPECT_EQ(manager.dump_init_states(),
              "init states: Spawned DataAvailable DataInitialized GameplayReady\n"
              "  #1.1 (Body): A=Spawned (0 listeners)\n"
              "  class Body A at GameplayReady\n");
    EXPECT_EQ(manager.dump_init_states_json(),
              R"({"init states":["Spawned","DataAvailable","DataInitialized","GameplayReady"],)"
              R"("features":[{"actor":"#1.1","class":"Body","feature":"A","state":"Spawned"}],)"
              R"("class listeners":[{"class":"Body","feature":"A","state":"GameplayReady"}]})");
}

}  // namespace init_explain_test
}  // namespace lyre::framework
