// Stage by stage: how each one is left, what is waited for in it, and what a world is like before and after.
#include <set>

#include "lyre/features/symmetry.h"

#include "tests/experience/playhouse.h"

namespace lyre::experience {
namespace host_stages_test {

void set_variable(Playhouse& house, std::string_view name, std::string_view value) {
    const Status status = house.runtime().variables().set(name, value, {VariableSource::CommandLine, "test"});
    EXPECT_TRUE(status.is_ok()) << status.text();
}

constexpr LoadState kStages[] = {LoadState::Loading, LoadState::LoadingGameFeatures,
                                 LoadState::LoadingChaosTestingDelay, LoadState::ExecutingActions};

// An experience that goes through all stages, on a server or a client.
struct Staged {
    Staged(bool is_client, std::vector<FaultRule> rules)
        : house(std::make_shared<FaultPlan>(FaultPlanDef{std::move(rules)}, 1)) {
        house.thing("slow");
        house.feature("ball", note("b", "asset = \"slow\""));
        house.experience("tag", "features = [\"ball\"]\n" + note("a") + "[limits]\nstage_secs = 30\n");
        set_variable(house, "lyre.chaos.ExperienceDelayLoad.MinSecs", "1");
        server = &house.stage("server", NetMode::DedicatedServer);
        subject = is_client ? &house.stage("client", NetMode::Client) : server;
    }
    // The subject begins; a server that is not the subject has loaded before.
    void begin() {
        EXPECT_TRUE(server->host().set_experience("tag").is_ok());
        if (subject == server) return;
        house.frames(100);  // the delay is world time
        EXPECT_TRUE(server->host().is_experience_loaded());
        Playhouse::carry(*server, *subject);
    }
    void clear() {
        EXPECT_TRUE(server->host().clear_experience("").is_ok());
        if (subject != server) Playhouse::carry(*server, *subject);
    }
    std::string trace() { return house.trace(subject->world().def().name.text()); }
    Playhouse house;
    Stage* server;
    Stage* subject;
};

std::string through(LoadState last, std::string_view end) {
    std::string text;
    for (const LoadState stage : kStages)
        if (stage <= last) text += fmt::format("{} ", to_string(stage));
    return text + "Deactivating " + std::string(end);
}

TEST(HostStages, a_failing_load_goes_from_its_stage_through_deactivating_to_failed) {
    // E-32, E-115
    for (const bool is_client : {false, true})
        for (const LoadState stage : kStages) {
            SCOPED_TRACE(fmt::format("{} {}", is_client ? "client" : "server", to_string(stage)));
            FaultRule fails;
            fails.side = is_client ? "client" : "server";
            fails.effect = FaultEffect::Fail;
            fails.code = "disk_full";
            fails.stage = stage == LoadState::Loading ? FaultStage::Definition : FaultStage::ActionHook;
            const bool by_plan = stage == LoadState::Loading || stage == LoadState::ExecutingActions;
            Staged one(is_client, by_plan ? std::vector{fails} : std::vector<FaultRule>());
            if (stage == LoadState::LoadingGameFeatures)
                story().at = [&](const std::string& line, features::ActionContext*) {
                    return line.find("ball.b.activating") == 0 &&
                                   line.find(one.subject->world().def().name.text()) != std::string::npos
                               ? Status::failed("on purpose")
                               : Status::ok();
                };
            one.begin();
            if (stage == LoadState::LoadingChaosTestingDelay) {
                one.house.settle(6);
                EXPECT_EQ(one.subject->host().state(), stage);
                one.subject->world().set_paused(true);
                one.house.frame(31);
            }
            one.house.frames(100);
            EXPECT_EQ(one.subject->host().state(), LoadState::Failed);
            EXPECT_EQ(one.trace(), through(stage, "Failed"));
            EXPECT_EQ(one.subject->host().failure().stage, stage);
        }
}

TEST(HostStages, a_cleared_load_goes_from_its_stage_through_deactivating_to_unloaded) {
    // E-32, E-78
    for (const bool is_client : {false, true})
        for (const LoadState stage : kStages) {
            SCOPED_TRACE(fmt::format("{} {}", is_client ? "client" : "server", to_string(stage)));
            Staged one(is_client, {});
            one.house.action_set("set", note("s"));
            one.house.experience("tag", "features = [\"ball\"]\naction_sets = [\"set\"]\n" + note("a"));
            bool has_cleared = false;
            story().at = [&](const std::string& line, features::ActionContext*) {
                const std::string here = fmt::format("tag.a.activating({})", one.subject->world().def().name);
                if (stage == LoadState::ExecutingActions && line == here && !std::exchange(has_cleared, true))
                    one.clear();
                return Status::ok();
            };
            one.begin();
            for (int i = 0; i < 100 && one.subject->host().state() != stage && !has_cleared; ++i) {
                if (stage == LoadState::LoadingGameFeatures) one.house.inner.executor.hold("slow");
                one.house.frame();
                if (is_client && stage == LoadState::LoadingGameFeatures) break;  // its features are there already
            }
            if (is_client && stage == LoadState::LoadingGameFeatures) continue;
            if (!has_cleared) {
                EXPECT_EQ(one.subject->host().state(), stage);
                one.clear();
            }
            one.house.inner.executor.release("slow");
            one.house.settle(8);
            EXPECT_EQ(one.trace(), through(stage, "Unloaded"));
            EXPECT_EQ(one.house.held(), "");
        }
}

TEST(HostStages, clear_works_in_every_state_and_retry_in_failed_alone) {
    // E-25
    for (int state = 0; state < static_cast<int>(kLoadStates); ++state) {
        const auto wanted = static_cast<LoadState>(state);
        SCOPED_TRACE(to_string(wanted));
        Playhouse house;
        house.thing("slow");
        house.feature("ball", note("b", "asset = \"slow\""));
        const bool fails = wanted == LoadState::Failed;
        const bool with_feature = wanted == LoadState::LoadingGameFeatures;
        house.experience("tag", (with_feature ? "features = [\"ball\"]\n" : "") +
                                    note("a", fails ? "fails = \"activating\"" : "pauses = true"));
        if (with_feature) house.inner.executor.hold("slow");
        if (wanted == LoadState::LoadingChaosTestingDelay)
            set_variable(house, "lyre.chaos.ExperienceDelayLoad.MinSecs", "5");
        Stage& stage = house.stage("arena", NetMode::Standalone, wanted != LoadState::ExecutingActions);
        Host& host = stage.host();
        if (wanted != LoadState::Unloaded) {
            ASSERT_TRUE(host.set_experience("tag").is_ok());
            if (wanted != LoadState::Loading) house.settle(8);
        }
        if (wanted == LoadState::Deactivating) {
            ASSERT_TRUE(host.clear_experience("").is_ok());
        }
        ASSERT_EQ(host.state(), wanted);
        const std::uint32_t generation = host.generation();
        if (!fails) {
            EXPECT_FALSE(host.retry_experience().is_ok());
        }
        EXPECT_EQ(host.generation(), generation);
        EXPECT_TRUE(host.clear_experience("").is_ok());
        const bool does_nothing = wanted == LoadState::Unloaded || wanted == LoadState::Deactivating;
        EXPECT_EQ(host.generation(), generation + (does_nothing ? 0 : 1));
        story().tokens.clear();
        house.inner.executor.release("slow");
        house.settle(6);
        story().tokens.clear();
        house.settle(2);
        EXPECT_EQ(host.state(), LoadState::Unloaded);
        EXPECT_EQ(house.held(), "");
    }
}

TEST(HostStages, a_feature_that_answers_inside_the_call_waits_with_the_others) {
    // E-43, E-105
    for (int there = 0; there < 4; ++there) {
        SCOPED_TRACE(there);
        Playhouse house;
        for (int i = 0; i < 4; ++i) {
            house.thing(fmt::format("t{}", i));
            house.feature(fmt::format("f{}", i), note("n", fmt::format("asset = \"t{}\"", i)));
        }
        house.experience("tag", "features = [\"f0\", \"f1\", \"f2\", \"f3\"]\n");
        const Name id(fmt::format("f{}", there));
        house.features().load(id);
        house.settle(6);
        ASSERT_EQ(house.features().state(id), features::FeatureState::Loaded);
        house.inner.executor.hold("thing");
        Stage& stage = house.stage();
        ASSERT_TRUE(stage.host().set_experience("tag").is_ok());
        house.settle(6);
        EXPECT_EQ(stage.host().state(), LoadState::LoadingGameFeatures);
        // All are asked for; those that have not answered are told, none is active.
        EXPECT_EQ(stage.host().taken().size(), 4u + 1u);  // and the bundles of the experience itself
        for (int i = 0; i < 4; ++i) {
            const bool may_be_active = there == 0 && i == 0;  // in the order of the plan, one by one
            EXPECT_EQ(house.features().is_attached(Name(fmt::format("f{}", i)), stage.world()), may_be_active) << i;
        }
        house.inner.executor.release("thing");
        house.settle(6);
        EXPECT_TRUE(stage.host().is_experience_loaded());
        EXPECT_EQ(stage.host().counters().second_answers, 0u);
        EXPECT_EQ(stage.host().counters().stale_completions, 0u);
    }
}

// Says no to some from a moment on: after the plan was made.
struct ChangesItsMind : features::FeaturePolicy {
    Status allow(const features::Manifest& feature) const override {
        if (no.empty()) return Status::ok();
        asked.insert(feature.id);
        return no.count(feature.id) != 0 ? Status::refused("{} was taken off the list", feature.id) : Status::ok();
    }
    std::set<Name> no;
    mutable std::set<Name> asked;  // since then
};

TEST(HostStages, a_feature_that_is_refused_inside_the_call_is_told_when_all_have_been_asked_for) {
    // E-43, E-108, E-109, E-110
    const std::string ids[] = {"f0", "f1", "f2", "f3"};
    for (const std::string need : {"required", "optional"})
        for (int refused = 0; refused <= 4; ++refused) {
            SCOPED_TRACE(fmt::format("{} {}", need, refused));
            ChangesItsMind policy;
            Playhouse house({}, &policy);
            house.thing("slow");
            std::string list;
            for (const std::string& id : ids) {
                house.feature(id, note("n"));
                list += fmt::format("{{ id = \"{}\", need = \"{}\" }}, ", id, need);
            }
            house.experience("tag", fmt::format("features = [{}]\nassets = [\"thing:slow\"]\n", list));
            house.inner.executor.hold("slow");
            Stage& stage = house.stage();
            Host& host = stage.host();
            ASSERT_TRUE(host.set_experience("tag").is_ok());
            house.settle(6);
            ASSERT_EQ(host.state(), LoadState::Loading);
            ASSERT_FALSE(host.published().experience.is_none());  // the plan is made
            for (int i = 0; i < 4; ++i)
                if (refused == i || refused == 4) policy.no.insert(Name(ids[i]));
            house.inner.executor.release("slow");
            std::string trace;
            for (int i = 0; i < 10 && trace.find("LoadingGameFeatures") == std::string::npos; ++i) {
                house.frame();
                trace = house.trace("arena");
            }
            EXPECT_EQ(policy.asked.size(), 4u);
            const std::size_t count = policy.no.size();
            if (need == "required") {  // in the update in which they were asked for
                EXPECT_EQ(host.failure().code, CauseCode::FeatureFailed) << trace;
                EXPECT_EQ(host.failure().feature, Name(ids[refused % 4]));
                EXPECT_NE(host.failure().text.find("was taken off the list"), std::string::npos) << host.failure().text;
                EXPECT_EQ(host.failure().others.size(), count - 1);
            } else {
                EXPECT_EQ(host.degraded().size(), count) << trace;
            }
            house.settle(8);
            EXPECT_EQ(host.counters().second_answers, 0u);
            if (need == "required") {
                EXPECT_EQ(host.state(), LoadState::Failed);
                EXPECT_EQ(house.held(), "");
                continue;
            }
            EXPECT_TRUE(host.is_experience_loaded());
            for (int i = 0; i < 4; ++i)
                EXPECT_EQ(house.features().is_attached(Name(ids[i]), stage.world()), refused != i && refused != 4) << i;
        }
}

TEST(HostStages, a_client_whose_choice_is_cleared_while_its_features_load_leaves) {
    // E-32, E-24, E-78
    Playhouse there, here;  // a process each, so that the server's features are not the client's
    for (Playhouse* house : {&there, &here}) {
        house->thing("slow");
        house->feature("quick", note("q"));
        house->feature("ball", note("b", "asset = \"slow\""));
        house->experience("tag", "features = [\"ball\", \"quick\"]\n" + note("a"));
    }
    Stage& server = there.stage("server", NetMode::DedicatedServer);
    Stage& client = here.stage("client", NetMode::Client);
    here.inner.executor.hold("slow");
    ASSERT_TRUE(server.host().set_experience("tag").is_ok());
    there.settle(10);
    ASSERT_TRUE(server.host().is_experience_loaded());
    Playhouse::carry(server, client);
    here.settle(8);
    ASSERT_EQ(client.host().state(), LoadState::LoadingGameFeatures);
    EXPECT_TRUE(server.host().clear_experience("").is_ok());
    there.settle(3);
    story().lines.clear();
    Playhouse::carry(server, client);
    here.settle(4);
    EXPECT_EQ(here.trace("client"), "Loading LoadingGameFeatures Deactivating Unloaded");
    here.inner.executor.release("slow");  // too late
    here.settle(4);
    EXPECT_EQ(client.host().state(), LoadState::Unloaded);
    EXPECT_EQ(client.host().generation(), server.host().generation());
    EXPECT_EQ(here.log().find("activating"), std::string::npos);
    EXPECT_EQ(here.held(), "");
}

TEST(HostStages, a_bundle_that_stalls_is_in_the_report_and_named_when_time_is_up) {
    // X-29, E-115
    FaultRule stalls;
    stalls.stage = FaultStage::Bundle;
    stalls.effect = FaultEffect::Never;
    Playhouse house(std::make_shared<FaultPlan>(FaultPlanDef{{stalls}}, 1));
    house.experience("tag", note("a") + "[limits]\nstage_secs = 5\n");
    Stage& stage = house.stage();
    ASSERT_TRUE(stage.host().set_experience("tag").is_ok());
    house.settle(6);
    house.frame(2);
    const LoadingReport report = stage.host().explain_loading();
    EXPECT_EQ(report.state, LoadState::Loading);
    EXPECT_EQ(report.side, "Standalone");
    EXPECT_EQ(report.generation, 1u);
    ASSERT_EQ(report.pending.size(), 1u) << report.to_text();
    EXPECT_EQ(report.pending[0].kind, "bundle");
    EXPECT_EQ(report.pending[0].id, "experience:tag");
    EXPECT_GE(report.pending[0].seconds, 2);
    house.frame(3);
    house.settle(3);
    EXPECT_EQ(stage.host().failure().code, CauseCode::StageTimeout);
    EXPECT_NE(stage.host().failure().text.find("bundle experience:tag"), std::string::npos)
        << stage.host().failure().text;
    EXPECT_EQ(house.held(), "");
}

TEST(HostStages, progress_begins_anew_with_each_load_rises_and_is_whole_when_loaded_alone) {
    //
    Playhouse house;
    for (const char* name : {"big", "slow"}) house.thing(name);
    house.feature("ball", note("b", "asset = \"slow\""));
    for (const char* id : {"a", "b"})
        house.experience(id, "features = [\"ball\"]\nassets = [\"thing:big\"]\n" + note(id));
    Stage& stage = house.stage();
    for (const char* id : {"a", "b", "a"}) {
        SCOPED_TRACE(id);
        for (const char* held : {"big", "slow"}) house.inner.executor.hold(held);
        ASSERT_TRUE(stage.host().set_experience(id).is_ok());
        float before = 0;
        for (int i = 0; i < 30 && !stage.host().is_experience_loaded(); ++i) {
            EXPECT_LT(stage.host().progress(), 1);
            EXPECT_GE(stage.host().progress(), before);
            before = stage.host().progress();
            house.frame();
            if (i == 8) house.inner.executor.release("big");
            if (i == 16) house.inner.executor.release("slow");
        }
        EXPECT_TRUE(stage.host().is_experience_loaded());
        EXPECT_EQ(stage.host().progress(), 1);
    }
    EXPECT_TRUE(stage.host().clear_experience("").is_ok());
    EXPECT_EQ(stage.host().progress(), 0);
}

TEST(HostStages, features_that_take_too_long_are_named) {
    // E-115, X-29
    Playhouse house;
    house.thing("slow");
    house.feature("quick", note("q"));
    house.feature("ball", note("b", "asset = \"slow\""));
    house.experience("tag", "features = [\"quick\", \"ball\"]\n[limits]\nstage_secs = 2\n");
    house.inner.executor.hold("slow");
    Stage& stage = house.stage();
    ASSERT_TRUE(stage.host().set_experience("tag").is_ok());
    house.settle(6);
    house.frame(2.1);
    house.settle(4);
    EXPECT_EQ(stage.host().failure().code, CauseCode::StageTimeout);
    EXPECT_EQ(stage.host().failure().stage, LoadState::LoadingGameFeatures);
    EXPECT_NE(stage.host().failure().text.find("feature ball"), std::string::npos) << stage.host().failure().text;
    house.inner.executor.release("slow");
    house.settle(4);
    EXPECT_EQ(house.held(), "");
}

TEST(HostStages, whatever_a_load_waits_for_is_in_its_report) {
    //
    struct Case {
        const char* kind;
        const char* id;
        std::string text;
        const char* held;
        LoadState state;
    };
    const Case cases[] = {
        {"asset", "thing:slow", note("a", "asset = \"slow\""), "slow", LoadState::Loading},
        {"delay", "lyre.chaos.ExperienceDelayLoad", note("a"), "", LoadState::LoadingChaosTestingDelay},
        {"world", "arena", note("a"), "", LoadState::ExecutingActions},
        {"action", "experience:tag, action 1 (note)", note("a"), "", LoadState::ExecutingActions},
    };
    for (const Case& one : cases) {
        SCOPED_TRACE(one.kind);
        Playhouse house;
        house.thing("slow");
        house.experience("tag", one.text);
        if (*one.held != 0) house.inner.executor.hold(one.held);
        if (one.state == LoadState::LoadingChaosTestingDelay)
            set_variable(house, "lyre.chaos.ExperienceDelayLoad.MinSecs", "5");
        Stage& stage = house.stage("arena", NetMode::Standalone, one.state != LoadState::ExecutingActions);
        ASSERT_TRUE(stage.host().set_experience("tag").is_ok());
        house.settle(6);
        const LoadingReport report = stage.host().explain_loading();
        EXPECT_EQ(report.state, one.state);
        const auto found = std::find_if(report.pending.begin(), report.pending.end(),
                                        [&](const PendingItem& item) { return item.kind == one.kind; });
        ASSERT_NE(found, report.pending.end()) << report.to_text();
        EXPECT_EQ(found->id, one.id);
        EXPECT_GT(found->seconds, 0);
    }
}

TEST(HostStages, a_switch_that_fails_for_good_gives_back_what_it_kept) {
    // X-03, E-109, E-111
    for (const FailureKind kind : {FailureKind::StayFailed, FailureKind::Retry}) {
        Playhouse house;
        house.feature("ball", note("ball"));
        house.experience("a", "features = [\"ball\"]\n" + note("x"));
        house.experience("b", "features = [\"ball\", \"nobody\"]\n" + note("x"));
        Stage& stage = house.stage();
        ASSERT_TRUE(stage.host().set_experience("a").is_ok());
        house.settle(8);
        house.log();
        SetOptions options;
        options.failure = FailurePolicy{kind, 2, 0.5, {}};
        ASSERT_TRUE(stage.host().set_experience("b", options).is_ok());
        house.settle(8);
        EXPECT_EQ(stage.host().state(), LoadState::Failed);
        EXPECT_EQ(stage.host().seconds_to_next_attempt().has_value(), kind == FailureKind::Retry);
        EXPECT_NE(house.log().find("a.x.deactivating(arena)"), std::string::npos);
        EXPECT_EQ(house.held(), "");
        house.frame(1);
        house.settle(6);
        EXPECT_FALSE(stage.host().seconds_to_next_attempt().has_value());
        EXPECT_EQ(stage.host().explain_failure().attempts.size(), kind == FailureKind::Retry ? 2u : 1u);
    }
}

TEST(HostStages, work_bound_to_a_load_that_is_cancelled_is_not_called) {
    //
    Playhouse house;
    house.experience("tag", note("a") + note("b"));
    Stage& stage = house.stage();
    std::function<void()> later;
    int called = 0;
    story().at = [&](const std::string& line, features::ActionContext* context) {
        if (line == "tag.a.activating(arena)") later = context->cancellation().bind([&] { ++called; });
        if (line == "tag.b.activating(arena)") {
            EXPECT_TRUE(stage.host().clear_experience("").is_ok());
        }
        if (line == "tag.a.deactivating(arena)") later();
        return Status::ok();
    };
    ASSERT_TRUE(stage.host().set_experience("tag").is_ok());
    house.settle(8);
    EXPECT_EQ(stage.host().state(), LoadState::Unloaded);
    EXPECT_EQ(called, 0);
    EXPECT_EQ(stage.host().counters().dropped_completions, 1u);
}

// ---- generated experiences

// Features, sets and actions by chance; all of them take back what they do, and several give the same settings values.
std::vector<std::string> generate(Playhouse& house, Random& random, int count) {
    for (const char* name : {"game.gravity", "game.wind"})
        EXPECT_TRUE(house.runtime().variables().add<double>({.name = name, .default_value = 1}).is_ok());
    const auto setting = [&] {
        return fmt::format("[[action]]\nkind = \"set_variables\"\nvariables = {{ \"game.{}\" = {} }}\n",
                           random.chance(0.5f) ? "gravity" : "wind", 2 + random.next_below(4));
    };
    for (int i = 0; i < 4; ++i) {
        house.thing(fmt::format("t{}", i));
        house.feature(fmt::format("f{}", i), note("n", fmt::format("asset = \"t{}\"", i)) + setting() +
                                                 (i > 0 && random.chance(0.5f) ? features::needs("f0") : ""));
        house.action_set(fmt::format("s{}", i), note(fmt::format("s{}", i)) + setting());
    }
    std::vector<std::string> ids;
    for (int e = 0; e < count; ++e) {
        const auto some = [&](std::string_view letter) {
            std::string list;
            for (int i = 0; i < 4; ++i)
                if (random.chance(0.4f)) list += fmt::format("{}\"{}{}\"", list.empty() ? "" : ", ", letter, i);
            return list;
        };
        std::string text = fmt::format("features = [{}]\naction_sets = [{}]\n", some("f"), some("s"));
        for (auto actions = random.next_below(5); actions > 0; --actions)
            text += random.chance(0.6f) ? setting() : note(fmt::format("a{}", random.next_below(3)));
        ids.push_back(fmt::format("e{}", e));
        house.experience(ids.back(), text);
    }
    return ids;
}

TEST(HostStages, any_experience_leaves_a_world_as_it_found_it_and_is_the_same_after_any_other) {
    //
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        Playhouse house;
        Random random(seed);
        const std::vector<std::string> ids = generate(house, random, 6);
        Stage& stage = house.stage();
        const features::WorldSnapshot before = features::take_snapshot(stage.world());
        const auto play = [&](const std::string& id) {
            EXPECT_TRUE(stage.host().set_experience(id).is_ok());
            house.settle(10);
            EXPECT_TRUE(stage.host().is_experience_loaded()) << stage.host().explain_failure().to_text();
        };
        const auto values = [&] {
            std::string text;
            for (const char* name : {"game.gravity", "game.wind"})
                text += format_value(stage.world().variables().describe(name)->value) + " ";
            return text;
        };
        for (const std::string& a : ids) {
            play(a);
            const features::WorldSnapshot alone = features::take_snapshot(stage.world());
            const std::string values_alone = values();
            const std::uint64_t hash = world_hash(stage.world());
            for (const std::string& b : ids) {
                SCOPED_TRACE(fmt::format("seed {} {} {}", seed, a, b));
                play(b);
                play(a);
                EXPECT_EQ(values(), values_alone);
                EXPECT_EQ(world_hash(stage.world()), hash);
                EXPECT_EQ(features::compare(alone, features::take_snapshot(stage.world())), "");
            }
            EXPECT_TRUE(stage.host().clear_experience("").is_ok());
            house.settle(4);
            EXPECT_EQ(features::compare(before, features::take_snapshot(stage.world())), "") << a;
            EXPECT_EQ(house.held(), "") << a;
            story().lines.clear();
        }
        if (testing::Test::HasFailure()) return;
    }
}

TEST(HostStages, what_others_than_the_plan_need_is_there_when_loaded_is_said_and_goes_with_the_experience) {
    // E-32, E-60, E-82, K-05
    Playhouse house;
    house.inner.files.write("features/ball/content/skin.thing.toml", "size = 3\n");
    house.feature("ball");
    house.thing("slow");
    house.experience("tag", "features = [\"ball\"]\n");
    house.experience("plain", "");
    Stage& stage = house.stage("server", NetMode::DedicatedServer);
    const auto thing = [](const char* name) { return assets::PrimaryAssetId{Name("thing"), Name(name)}; };
    std::vector<assets::PrimaryAssetId> wanted{thing("skin"), thing("nowhere"), thing("skin")};
    stage.host().need_assets([&](const ExperienceDefinition&) { return wanted; });
    house.inner.executor.hold("skin");
    ASSERT_TRUE(stage.host().set_experience("tag").is_ok());
    house.frames(20);
    EXPECT_EQ(stage.host().state(), LoadState::ExecutingActions);
    const auto waits_for = [&](const char* name) {
        const auto pending = stage.host().explain_loading().pending;
        return pending.size() == 1 && pending[0].waits.find(name) != std::string::npos;
    };
    EXPECT_TRUE(waits_for("thing:skin")) << stage.host().explain_loading().to_text();
    wanted.push_back(thing("slow"));  // by somebody who has come meanwhile
    house.inner.executor.hold("slow");
    house.inner.executor.release("skin");
    house.frames(5);
    EXPECT_TRUE(waits_for("thing:slow")) << stage.host().explain_loading().to_text();
    house.inner.executor.release("slow");
    house.frames(5);
    ASSERT_TRUE(stage.host().is_experience_loaded()) << "what cannot be there is no failure";
    const auto is_there = [&](const char* name) {
        return house.assets().find<features::Thing>(thing(name)) != nullptr;
    };
    EXPECT_TRUE(is_there("skin") && is_there("slow"));

    wanted = {thing("slow")};
    ASSERT_TRUE(stage.host().set_experience("plain").is_ok());
    house.frames(10);
    ASSERT_TRUE(stage.host().is_experience_loaded());
    EXPECT_TRUE(!is_there("skin") && is_there("slow"));
    EXPECT_EQ(house.reports("feature.asset_held"), 0u) << house.last_report("feature.asset_held");

    house.inner.executor.hold("skin");
    wanted = {thing("skin"), thing("slow")};
    ASSERT_TRUE(stage.host().set_experience("tag").is_ok());
    house.frames(20);
    ASSERT_TRUE(stage.host().clear_experience("").is_ok());  // in the middle of it
    house.frames(5);
    EXPECT_EQ(house.held(), "");
    house.inner.executor.release("skin");
    stage.host().need_assets({});
    ASSERT_TRUE(stage.host().set_experience("tag").is_ok());
    house.frames(20);
    EXPECT_TRUE(stage.host().is_experience_loaded());
    EXPECT_FALSE(is_there("slow"));
}

}  // namespace host_stages_test
}  // namespace lyre::experience
