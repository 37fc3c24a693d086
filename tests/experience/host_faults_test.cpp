// Everything that can go wrong, at every place where it can: each side ends Loaded, Failed or Unloaded, and holds
// nothing when it has left.
#include <map>
#include <set>

#include "tests/effort.h"
#include "tests/experience/playhouse.h"

namespace lyre::experience {
namespace host_faults_test {

std::shared_ptr<FaultPlan> plan_of(std::vector<FaultRule> rules, std::uint64_t seed = 1) {
    return std::make_shared<FaultPlan>(FaultPlanDef{std::move(rules)}, seed);
}

FaultRule rule(FaultStage stage, FaultEffect effect, std::string side = "") {
    FaultRule one;
    one.side = std::move(side);
    one.stage = stage;
    one.effect = effect;
    if (effect == FaultEffect::Delay) one.seconds = 1.5;
    if (effect == FaultEffect::Fail) one.code = "disk_full";
    if (effect == FaultEffect::Reorder) one.count = 2;
    if (stage == FaultStage::FeatureDeactivate) one.nth = 1;  // for ever it would never leave
    return one;
}

// An experience with one of everything.
void furnish(Playhouse& house) {
    for (const char* name : {"a", "b", "c", "f", "g"}) house.thing(name);
    house.feature("base", note("base", "asset = \"f\""));
    house.feature("ball", features::needs("base") + note("ball", "asset = \"g\""));
    house.action_set("set", note("s", "asset = \"b\""));
    house.experience("tag", "features = [\"ball\"]\naction_sets = [\"set\"]\nassets = [\"thing:a\", \"thing:c\"]\n" +
                                note("x") + note("y", "pauses = true") +
                                "[limits]\nstage_secs = 20\npauser_secs = 3\n");
    house.experience("other", "features = [\"base\"]\n" + note("x"));
}

bool has_ended_up(LoadState state) {
    return state == LoadState::Loaded || state == LoadState::Failed || state == LoadState::Unloaded;
}

// No stage takes longer than its limit, and no attempt longer than all of them together.
constexpr double kStageSecs = 20, kPauserSecs = 3, kFrameSecs = 0.25;
constexpr double kAttemptSecs = 5 * kStageSecs + kStageSecs + kPauserSecs;  // a switch may be in Loading twice

void set_limits(Playhouse& house) {
    for (const auto& [name, seconds] :
         {std::pair{"StageTimeoutSecs", kStageSecs}, std::pair{"PauserTimeoutSecs", kPauserSecs}}) {
        const Status set = house.runtime().variables().set(
            fmt::format("lyre.experience.{}", name), fmt::format("{}", seconds), {VariableSource::CommandLine, "test"});
        EXPECT_TRUE(set.is_ok()) << set.text();
    }
}

class Limits {
public:
    void look(Playhouse& house) {
        const double now = static_cast<double>(house.inner.clock.now_us()) / 1e6;
        for (const auto& stage : house.stages) {
            if (!stage->has_host()) continue;
            const Host& host = stage->host();
            Seen& seen = seen_[stage.get()];
            const bool is_new = seen.generation != host.generation() || has_ended_up(seen.state);
            if (is_new) seen.began = now;
            if (is_new || seen.state != host.state()) seen.entered = now;
            seen.generation = host.generation();
            seen.state = host.state();
            if (has_ended_up(seen.state)) continue;
            const bool is_leaving = seen.state == LoadState::Deactivating;
            const double limit = kStageSecs + (is_leaving ? kPauserSecs : 0);
            EXPECT_LE(now - seen.entered, limit + 2 * kFrameSecs) << host.explain_loading().to_text();
            EXPECT_LE(now - seen.began, kAttemptSecs + 2 * kFrameSecs) << host.explain_loading().to_text();
        }
    }

private:
    struct Seen {
        std::uint32_t generation = 0;
        LoadState state = LoadState::Unloaded;
        double began = 0, entered = 0;
    };
    std::map<const Stage*, Seen> seen_;
};

void run_until_settled(Playhouse& house, Limits& limits, int frames = 500) {
    const auto is_settled = [&] {
        return std::all_of(house.stages.begin(), house.stages.end(),
                           [](const auto& stage) { return !stage->has_host() || has_ended_up(stage->host().state()); });
    };
    int still = 0;
    for (int i = 0; i < frames && still < 4; ++i) {
        house.frame(kFrameSecs);
        limits.look(house);
        still = is_settled() ? still + 1 : 0;
    }
}

void leave_all(Playhouse& house, Limits& limits) {
    for (const auto& stage : house.stages)
        if (stage->has_host() && stage->world().net_mode() != NetMode::Client) {
            EXPECT_TRUE(stage->host().clear_experience("").is_ok());
        }
    const auto each_client = [&](const auto& work) {
        for (const auto& stage : house.stages)
            if (stage->has_host() && stage->world().net_mode() == NetMode::Client) work(*stage);
    };
    each_client([](Stage& client) {
        Choice none;
        none.generation = client.host().generation() + 1;
        EXPECT_TRUE(client.host().receive(none).is_ok());
    });
    run_until_settled(house, limits);
    each_client([](Stage& client) { client.end(); });  // whatever became of that
    run_until_settled(house, limits);
    story().tokens.clear();
    house.frames(400, 0.5);  // features that never end have limits of their own
    EXPECT_EQ(house.held(), "");
}

// What a server of the same content tells its clients.
Choice choice_of_server() {
    Playhouse house;
    furnish(house);
    Stage& server = house.stage("server", NetMode::DedicatedServer);
    EXPECT_TRUE(server.host().set_experience("tag").is_ok());
    house.settle(4);
    EXPECT_FALSE(server.host().published().experience.is_none());
    return server.host().published();
}

TEST(HostFaults, every_effect_at_every_stage_on_every_side_ends_somewhere_with_nothing_held) {
    // E-115
    std::set<FaultEffect> observed;
    const Choice choice = choice_of_server();
    for (std::size_t s = 0; s < kFaultStages; ++s)
        for (std::size_t e = 1; e < kFaultEffects; ++e)
            for (const std::string side : {"server", "client"}) {
                const auto stage = static_cast<FaultStage>(s);
                const auto effect = static_cast<FaultEffect>(e);
                if (!can_happen(stage, effect)) continue;
                SCOPED_TRACE(fmt::format("{} {} {}", side, to_string(stage), to_string(effect)));
                const auto plan = plan_of({rule(stage, effect, side)});
                Playhouse house(plan);
                // Features are the process's: there each side is alone.
                const bool is_of_features = stage >= FaultStage::FeatureDiscover && stage < FaultStage::ActionHook;
                const bool has_server = side == "server" || !is_of_features;
                const bool has_client = side == "client" || !is_of_features;
                set_limits(house);
                Limits limits;
                Stage* server = has_server ? &house.stage("server", NetMode::DedicatedServer) : nullptr;
                Stage* client = has_client ? &house.stage("client", NetMode::Client) : nullptr;
                furnish(house);
                if (has_server) {
                    ASSERT_TRUE(server->host().set_experience("tag").is_ok());
                    run_until_settled(house, limits);
                }
                if (has_server && has_client) {
                    Playhouse::carry(*server, *client);
                } else if (has_client) {
                    ASSERT_TRUE(client->host().receive(choice).is_ok());
                }
                run_until_settled(house, limits);
                for (const auto& one : house.stages)
                    EXPECT_TRUE(has_ended_up(one->host().state())) << one->host().explain_loading().to_text();
                if (plan->given() > 0) observed.insert(effect);
                const bool should_fail = effect == FaultEffect::Fail && plan->given() > 0 &&
                                         stage != FaultStage::FeatureDeactivate && stage != FaultStage::FeatureDiscover;
                if (should_fail) {
                    EXPECT_TRUE((has_server && server->host().state() == LoadState::Failed) ||
                                (has_client && client->host().state() == LoadState::Failed));
                }
                leave_all(house, limits);
                const bool is_asked = stage != FaultStage::ClientReport &&  // sent with the network
                                      (stage != FaultStage::ReplicatedChoice || side == "client");
                EXPECT_EQ(plan->given() > 0, is_asked);
            }
    EXPECT_EQ(observed.size(), kFaultEffects - 1);
}

TEST(HostFaults, the_side_of_a_feature_is_that_of_the_worlds_that_want_it) {
    //
    const Choice choice = choice_of_server();
    for (const bool has_server : {false, true})
        for (const char* side : {"server", "client", "guest"}) {
            SCOPED_TRACE(fmt::format("{} {}", has_server, side));
            const auto plan = plan_of({rule(FaultStage::FeatureLoad, FaultEffect::Twice, side)});
            Playhouse house(plan);
            furnish(house);
            Stage& client = house.stage("guest", NetMode::Client);
            Stage& server = house.stage("server", NetMode::DedicatedServer);  // wants nothing, or the same
            if (has_server) {
                ASSERT_TRUE(server.host().set_experience("tag").is_ok());
            }
            house.settle();
            ASSERT_TRUE(client.host().receive(choice).is_ok());
            house.settle();
            ASSERT_TRUE(client.host().is_experience_loaded()) << client.host().explain_failure().to_text();
            EXPECT_EQ(plan->given() > 0, has_server == (side == std::string("server")));
        }
}

TEST(HostFaults, a_delay_is_as_long_as_it_says_and_what_never_comes_is_given_up_at_the_limit) {
    // E-115, E-117
    constexpr double kStep = 0.05;
    struct Taken {
        double loading = 0, leaving = 0;  // s, until it is over
        bool is_loaded = false;
        LoadState stage = LoadState::Unloaded;  // in which it failed
        bool is_timeout = false;
    };
    const auto play = [&](std::vector<FaultRule> rules) {
        Playhouse house(plan_of(std::move(rules)));
        furnish(house);
        set_limits(house);
        Stage& server = house.stage("server", NetMode::DedicatedServer);
        EXPECT_TRUE(server.host().set_experience("tag").is_ok());
        const auto run = [&] {
            int frames = 0;
            while (frames < 2000 && !has_ended_up(server.host().state())) {
                house.frame(kStep);
                story().tokens.clear();
                ++frames;
            }
            return frames * kStep;
        };
        Taken taken;
        taken.loading = run();
        taken.is_loaded = server.host().is_experience_loaded();
        taken.stage = server.host().failure().stage;
        taken.is_timeout = server.host().failure().code == CauseCode::StageTimeout;
        EXPECT_TRUE(server.host().clear_experience("").is_ok());
        taken.leaving = run();
        return taken;
    };
    const Taken plain = play({});
    EXPECT_TRUE(plain.is_loaded);
    const std::pair<FaultStage, LoadState> stages[] = {
        {FaultStage::Definition, LoadState::Loading},
        {FaultStage::Bundle, LoadState::Loading},
        {FaultStage::Asset, LoadState::Loading},
        {FaultStage::FeatureRegister, LoadState::LoadingGameFeatures},
        {FaultStage::FeatureLoad, LoadState::LoadingGameFeatures},
        {FaultStage::FeatureActivate, LoadState::LoadingGameFeatures},
        {FaultStage::Pauser, LoadState::Deactivating},
        {FaultStage::FeatureDeactivate, LoadState::Deactivating},
    };
    for (const auto& [stage, in] : stages) {
        SCOPED_TRACE(to_string(stage));
        const bool of_leaving = in == LoadState::Deactivating;
        FaultRule one = rule(stage, FaultEffect::Delay);
        one.nth = 1;
        const Taken late = play({one});
        EXPECT_TRUE(late.is_loaded);
        EXPECT_NEAR(of_leaving ? late.leaving - plain.leaving : late.loading - plain.loading, one.seconds, 3 * kStep);
        EXPECT_NEAR(of_leaving ? late.loading - plain.loading : late.leaving - plain.leaving, 0, 3 * kStep);
        one = rule(stage, FaultEffect::Never);
        one.nth = 1;
        const Taken never = play({one});
        EXPECT_EQ(never.is_loaded, of_leaving);
        if (of_leaving) {
            const double limit = stage == FaultStage::Pauser ? kPauserSecs : kStageSecs;
            EXPECT_NEAR(never.leaving - plain.leaving, limit, 3 * kStep);
            continue;
        }
        EXPECT_TRUE(never.is_timeout);
        EXPECT_EQ(never.stage, in);
        EXPECT_GE(never.loading, kStageSecs);
        EXPECT_LE(never.loading, plain.loading + kStageSecs + 3 * kStep);
    }
}

TEST(HostFaults, the_same_seed_gives_the_same_story_and_a_rule_more_does_not_change_the_others) {
    //
    const auto play = [](std::vector<FaultRule> rules, std::uint64_t seed) {
        Playhouse house(plan_of(std::move(rules), seed));
        furnish(house);
        set_limits(house);
        Limits limits;
        Stage& server = house.stage("server", NetMode::DedicatedServer);
        for (int i = 0; i < 6; ++i) {
            EXPECT_TRUE(server.host().set_experience(i % 2 == 0 ? "tag" : "other").is_ok());
            run_until_settled(house, limits);
            story().tokens.clear();
        }
        return house.runtime().trace().hash();
    };
    FaultRule some = rule(FaultStage::Asset, FaultEffect::Delay);
    some.probability = 0.5;
    FaultRule fails = rule(FaultStage::ActionHook, FaultEffect::Fail);
    fails.probability = 0.2;
    FaultRule nobody = rule(FaultStage::Definition, FaultEffect::Fail);
    nobody.match = "nothing*";
    nobody.probability = 0.5;
    EXPECT_EQ(play({some, fails}, 3), play({some, fails}, 3));
    EXPECT_EQ(play({some, fails}, 3), play({nobody, some, fails}, 3));
    EXPECT_NE(play({some, fails}, 3), play({some, fails}, 4));
}

TEST(HostFaults, random_plans_end_and_hold_nothing) {
    //
    const int plans = is_long_run() ? 10'000 : 1000;
    for (int seed = 1; seed <= plans; ++seed) {
        if (!is_played(seed, 7)) continue;
        SCOPED_TRACE(seed);
        Random random(static_cast<std::uint64_t>(seed));
        std::vector<FaultRule> rules;
        for (auto count = 1 + random.next_below(4); count > 0; --count) {
            const auto stage = static_cast<FaultStage>(random.next_below(kFaultStages));
            const auto effect = static_cast<FaultEffect>(1 + random.next_below(kFaultEffects - 1));
            if (!can_happen(stage, effect)) continue;
            FaultRule one = rule(stage, effect, random.chance(0.3f) ? "client" : "");
            one.probability = static_cast<double>(random.next_float01());
            rules.push_back(std::move(one));
        }
        Playhouse house(plan_of(std::move(rules), static_cast<std::uint64_t>(seed)));
        furnish(house);
        set_limits(house);
        Limits limits;
        Stage& server = house.stage("server", NetMode::DedicatedServer);
        Stage& client = house.stage("client", NetMode::Client);
        for (int round = 0; round < 3; ++round) {
            if (random.chance(0.2f)) {
                EXPECT_TRUE(server.host().clear_experience("").is_ok());
            } else {
                EXPECT_TRUE(server.host().set_experience(random.chance(0.5f) ? "tag" : "other").is_ok());
            }
            for (auto frames = random.next_below(20); frames > 0; --frames) {
                house.frame(kFrameSecs);
                limits.look(house);
                if (random.chance(0.3f)) Playhouse::carry(server, client);
            }
        }
        run_until_settled(house, limits);
        Playhouse::carry(server, client);
        run_until_settled(house, limits);
        EXPECT_TRUE(has_ended_up(server.host().state())) << server.host().explain_loading().to_text();
        EXPECT_TRUE(has_ended_up(client.host().state())) << client.host().explain_loading().to_text();
        leave_all(house, limits);
        if (testing::Test::HasFailure()) break;
    }
}

// The n-th call of a hook or callback does something drastic.
TEST(HostFaults, any_hook_or_callback_may_end_the_world_clear_set_or_destroy_the_game_state) {
    // E-104, E-76
    enum class Deed { EndWorld, Clear, Set, Destroy, Retry, EndExperiences };
    for (const Deed deed : {Deed::EndWorld, Deed::Clear, Deed::Set, Deed::Destroy, Deed::Retry, Deed::EndExperiences})
        for (int n = 1; n <= 40; ++n) {
            SCOPED_TRACE(fmt::format("deed {} at {}", static_cast<int>(deed), n));
            Playhouse house;
            furnish(house);
            Stage& stage = house.stage();
            int calls = 0;
            bool has_done = false;
            const auto act = [&] {
                if (++calls != n || !stage.has_host()) return;
                has_done = true;
                switch (deed) {
                    case Deed::EndWorld:
                        stage.world().end();
                        break;
                    case Deed::Clear:
                        EXPECT_TRUE(stage.host().clear_experience("").is_ok());
                        break;
                    case Deed::Set:
                        EXPECT_TRUE(stage.host().set_experience("other").is_ok());
                        break;
                    case Deed::Destroy:
                        stage.world().destroy(stage.host().actor().id());
                        break;
                    case Deed::Retry:
                        static_cast<void>(stage.host().retry_experience());
                        break;
                    case Deed::EndExperiences:
                        house.close();
                        break;
                }
            };
            story().at = [&](const std::string&, features::ActionContext*) { return act(), Status::ok(); };
            std::vector<CallbackHandle> handles;
            for (Priority level : {Priority::High, Priority::Normal, Priority::Low}) {
                handles.push_back(stage.host().call_or_register_on_experience_loaded(
                    level, {}, [&](const auto&) { act(); }, Repeat::EachLoad));
                handles.push_back(stage.host().call_when_play_may_start(level, {}, act, Repeat::EachLoad));
            }
            CallbackHandle wait = stage.host().wait_for_experience_ready([&](const ReadyResult&) { act(); });
            auto ticket = stage.host().set_experience("tag");
            CallbackHandle ended = ticket->on_end({}, [&](const SetOutcome&) { act(); });
            const auto frames = [&](int count) {
                for (int i = 0; i < count; ++i) {
                    if (house.is_open()) {
                        house.frame();
                    } else {
                        house.inner.frame(0.1);
                    }
                    story().tokens.clear();
                }
            };
            frames(15);
            if (house.is_open() && stage.has_host()) {
                EXPECT_TRUE(stage.host().clear_experience("").is_ok());
            }
            frames(8);
            if (house.is_open() && stage.has_host()) {
                EXPECT_TRUE(has_ended_up(stage.host().state())) << stage.host().explain_loading().to_text();
            }
            story().at = nullptr;
            stage.end();
            frames(6);
            if (house.is_open()) {
                EXPECT_EQ(house.held(), "");
            }
            if (!has_done || testing::Test::HasFailure()) break;
        }
}

}  // namespace host_faults_test
}  // namespace lyre::experience
