// Leaving: in which order, for whom it waits, and what is left.
#include "lyre/core/subscriptions.h"
#include "lyre/features/symmetry.h"

#include "tests/allocations.h"
#include "tests/experience/playhouse.h"

namespace lyre::experience {
namespace host_leaving_test {

struct HostLeaving : testing::Test {
    Host& host() { return stage->host(); }
    void load(std::string_view id = "tag") {
        if (stage == nullptr) stage = &house.stage();
        ASSERT_TRUE(host().set_experience(id).is_ok());
        house.settle(12);
        ASSERT_TRUE(host().is_experience_loaded()) << host().explain_failure().to_text();
    }
    Playhouse house;
    Stage* stage = nullptr;
};

TEST_F(HostLeaving, it_is_the_exact_reverse_of_what_happened) {
    // E-77, E-79, E-52, E-105
    house.feature("zebra", note("z"));
    house.feature("ant", note("a") + features::needs("zebra"));
    house.experience("tag", "features = [\"ant\"]\n" + note("1") + note("2"));
    load();
    EXPECT_EQ(house.log(),
              "zebra.z.registering zebra.z.loading ant.a.registering ant.a.loading zebra.z.activating(arena) "
              "zebra.z.activated(arena) ant.a.activating(arena) ant.a.activated(arena) tag.1.registering tag.1.loading "
              "tag.1.activating(arena) tag.2.registering tag.2.loading tag.2.activating(arena) tag.1.activated(arena) "
              "tag.2.activated(arena)");
    EXPECT_TRUE(host().clear_experience("").is_ok());
    house.settle(4);
    EXPECT_EQ(house.log(),
              "tag.2.deactivating(arena) tag.1.deactivating(arena) tag.2.unloading tag.2.unregistering tag.1.unloading "
              "tag.1.unregistering ant.a.deactivating(arena) ant.a.unloading zebra.z.deactivating(arena) "
              "zebra.z.unloading ant.a.unregistering zebra.z.unregistering");  // code goes in the features' own update
    EXPECT_EQ(house.held(), "");
}

TEST_F(HostLeaving, the_order_is_that_of_becoming_active_also_after_a_superseded_load) {
    // E-77
    house.thing("slow");
    house.feature("ant", note("a"));
    house.feature("dog", note("d", "asset = \"slow\""));
    house.experience("first", "features = [\"dog\"]\n");
    house.experience("second", "features = [\"ant\", \"dog\"]\n" + note("x"));
    house.inner.executor.hold("slow");
    stage = &house.stage();
    ASSERT_TRUE(host().set_experience("first").is_ok());
    house.settle(8);
    EXPECT_EQ(host().state(), LoadState::LoadingGameFeatures);  // dog was asked for first
    ASSERT_TRUE(host().set_experience("second").is_ok());
    house.settle(8);
    house.inner.executor.release("slow");
    house.settle(8);
    ASSERT_TRUE(host().is_experience_loaded());
    std::vector<std::string> up, down;
    const auto collect = [&](std::vector<std::string>& to, std::string_view hook) {
        for (const std::string& line : story().lines)
            if (line.find(hook) != std::string::npos) to.push_back(line.substr(0, line.find('.')));
        story().lines.clear();
    };
    collect(up, ".activating");
    EXPECT_TRUE(host().clear_experience("").is_ok());
    house.settle(4);
    collect(down, ".deactivating");
    std::reverse(down.begin(), down.end());
    EXPECT_EQ(up, down);
    EXPECT_EQ(up, (std::vector<std::string>{"ant", "dog", "second"}));
}

TEST_F(HostLeaving, a_feature_that_takes_its_time_is_waited_for) {
    // E-77, X-26
    for (const bool for_ever : {false, true}) {
        SCOPED_TRACE(for_ever);
        FaultRule slow;
        slow.stage = FaultStage::FeatureDeactivate;
        slow.match = "upper";
        slow.effect = for_ever ? FaultEffect::Never : FaultEffect::Delay;
        if (!for_ever) slow.seconds = 2;
        Playhouse own(std::make_shared<FaultPlan>(FaultPlanDef{{slow}}, 1));
        own.feature("base", note("base"));
        own.feature("upper", features::needs("base") + note("upper"));
        own.experience("tag", "features = [\"upper\"]\n");
        EXPECT_TRUE(own.runtime()
                        .variables()
                        .set("lyre.experience.StageTimeoutSecs", "20", {VariableSource::CommandLine, "test"})
                        .is_ok());
        Stage& arena = own.stage();
        ASSERT_TRUE(arena.host().set_experience("tag").is_ok());
        own.settle(12);
        ASSERT_TRUE(arena.host().is_experience_loaded());
        EXPECT_TRUE(arena.host().clear_experience("").is_ok());
        own.log();
        own.settle(6);
        EXPECT_EQ(arena.host().state(), LoadState::Deactivating) << "its actions still apply";
        EXPECT_EQ(own.log(), "");
        EXPECT_NE(arena.host().explain_loading().to_text().find("upper"), std::string::npos);
        own.frames(for_ever ? 21 : 3, 1.0);
        own.settle(3);
        EXPECT_EQ(arena.host().state(), LoadState::Unloaded);
        const std::string log = own.log();
        if (for_ever) {
            ASSERT_FALSE(arena.host().leave_report().empty());
            EXPECT_NE(arena.host().leave_report()[0].find("feature upper"), std::string::npos);
        } else {
            EXPECT_LT(log.find("upper.upper.deactivating"), log.find("base.base.deactivating")) << log;
            EXPECT_EQ(own.held(), "");
        }
    }
}

TEST_F(HostLeaving, what_pauses_is_told_when_the_wait_begins_and_how_old_it_is_when_it_is_over) {
    // E-81, E-117
    house.experience("tag", note("a", "pauses = true"));
    load();
    EXPECT_TRUE(host().clear_experience("").is_ok());
    EXPECT_EQ(house.reports("experience.leaving"), 1u);
    EXPECT_NE(house.last_report("experience.leaving").find("fade of experience:tag, action 1 (note)"),
              std::string::npos);
    house.frame(4);
    house.frame(7);
    EXPECT_EQ(host().state(), LoadState::Unloaded);
    EXPECT_EQ(house.reports("experience.leaving"), 1u);
    EXPECT_NE(house.last_report("experience.pausers").find("fade of experience:tag, action 1 (note), 11.0 s"),
              std::string::npos)
        << house.last_report("experience.pausers");
}

TEST_F(HostLeaving, it_waits_for_those_who_ask_for_time) {
    // E-80, E-81
    for (const int pausers : {0, 1, 2}) {
        SCOPED_TRACE(pausers);
        house.experience("tag",
                         note("a", pausers > 0 ? "pauses = true" : "") + note("b", pausers > 1 ? "pauses = true" : ""));
        load();
        EXPECT_TRUE(host().clear_experience("").is_ok());
        EXPECT_EQ(host().state(), pausers == 0 ? LoadState::Unloaded : LoadState::Deactivating);
        house.settle(3);
        const LoadingReport report = host().explain_loading();
        EXPECT_EQ(report.pausers.size(), static_cast<std::size_t>(pausers));
        if (pausers > 0) {
            EXPECT_EQ(report.pausers[0].id, "fade");
            EXPECT_GT(report.pausers[0].seconds, 0);
            EXPECT_NE(report.to_text().find("fade"), std::string::npos);
        }
        for (int i = 0; i < pausers; ++i) {
            EXPECT_EQ(host().state(), LoadState::Deactivating);
            if (i == 0) {
                story().tokens[0].done();  // by hand
            } else {
                story().tokens.clear();  // by dropping it
            }
            house.frame();
        }
        house.settle(3);
        EXPECT_EQ(host().state(), LoadState::Unloaded);
        story().tokens.clear();
        house.settle(2);
        EXPECT_EQ(house.held(), "");
    }
}

TEST_F(HostLeaving, who_asks_for_time_in_an_action_of_a_feature_is_named_with_action_and_age) {
    // E-81, E-117, X-29, X-37
    house.feature("core", note("c") + note("d", "pauses = true"));
    house.experience("tag", "features = [\"core\"]\n");
    load();
    EXPECT_TRUE(host().clear_experience("").is_ok());
    EXPECT_EQ(house.last_report("experience.leaving"),
              "leaving waits for fade of feature core, action 2 (note), 0.0 s");
    house.frame(4);
    EXPECT_EQ(host().state(), LoadState::Deactivating);
    const LoadingReport waits = host().explain_loading();
    ASSERT_EQ(waits.pausers.size(), 1u);
    EXPECT_EQ(waits.pausers[0].id, "fade");
    EXPECT_EQ(waits.pausers[0].waits, "feature core, action 2 (note)");
    EXPECT_GE(waits.pausers[0].seconds, 4);
    EXPECT_NE(waits.to_text().find("is held up by pauser fade, 4."), std::string::npos) << waits.to_text();
    EXPECT_EQ(house.reports("experience.leaving"), 1u);
    story().tokens.clear();
    house.settle(4);
    EXPECT_EQ(host().state(), LoadState::Unloaded);
    EXPECT_TRUE(host().explain_loading().pausers.empty());
    std::string leaving;
    for (const Span& span : host().timeline()->spans())
        if (span.kind == SpanKind::Feature) {
            leaving += host().timeline()->id_of(span);
            EXPECT_GE(span.length_us, 4'000'000);
            EXPECT_EQ(host().timeline()->spans().at(span.parent).kind, SpanKind::Stage);
        }
    EXPECT_EQ(leaving, "core: leaving");
}

TEST_F(HostLeaving, a_feature_that_is_not_waited_for_any_longer_is_told_with_who_asked_for_time) {
    // E-117
    ASSERT_TRUE(house.runtime()
                    .variables()
                    .set("lyre.experience.StageTimeoutSecs", "5", {VariableSource::CommandLine, "test"})
                    .is_ok());
    house.feature("core", note("d", "pauses = true"));
    house.experience("tag", "features = [\"core\"]\n");
    load();
    EXPECT_TRUE(host().clear_experience("").is_ok());
    house.frame(4);
    EXPECT_EQ(host().state(), LoadState::Deactivating);
    house.frame(2);
    EXPECT_EQ(host().state(), LoadState::Unloaded);
    ASSERT_EQ(host().leave_report().size(), 1u);
    EXPECT_EQ(host().leave_report()[0],
              "feature core has not left after 5 s, and is not waited for any longer: fade of feature core, action 1 "
              "(note), 6.0 s");
    story().tokens.clear();
}

TEST_F(HostLeaving, a_token_done_in_its_own_hook_does_not_end_the_wait_for_others) {
    // E-80
    house.experience("tag", note("a", "pauses = true") + note("b", "pauses = true"));
    load();
    story().at = [&](const std::string& line, features::ActionContext*) {
        if (line == "tag.a.deactivating(arena)") story().tokens.at(0).done();  // b's; a's own comes after
        return Status::ok();
    };
    EXPECT_TRUE(host().clear_experience("").is_ok());
    EXPECT_EQ(host().state(), LoadState::Deactivating);
    story().tokens.clear();
    house.frame();
    EXPECT_EQ(host().state(), LoadState::Unloaded);
    // And one that is done inside the hook that took it, while another one is still out.
    house.experience("own", note("a") + note("b", "pauses = true"));
    load("own");
    story().at = [&](const std::string& line, features::ActionContext* context) {
        if (line == "own.a.deactivating(arena)") {
            auto& leaving = static_cast<features::DeactivatingContext&>(*context);
            features::PauseToken token = leaving.pause_until_done("short");
            token.done();
        }
        return Status::ok();
    };
    EXPECT_TRUE(host().clear_experience("").is_ok());
    EXPECT_EQ(host().state(), LoadState::Deactivating);
    ASSERT_EQ(host().explain_loading().pausers.size(), 1u);
    EXPECT_EQ(host().explain_loading().pausers[0].id, "fade");
    story().tokens.clear();
    house.frame();
    EXPECT_EQ(host().state(), LoadState::Unloaded);
}

TEST_F(HostLeaving, who_never_finishes_is_named_and_not_waited_for) {
    // E-117, E-118
    house.experience("tag", note("a", "pauses = true"));
    load();
    EXPECT_TRUE(host().clear_experience("").is_ok());
    house.frame(9.5);
    EXPECT_EQ(host().state(), LoadState::Deactivating);
    house.frame(1);
    EXPECT_EQ(host().state(), LoadState::Unloaded);
    EXPECT_NE(house.last_report("experience.pausers").find("fade of experience:tag, action 1 (note)"),
              std::string::npos)
        << house.last_report("experience.pausers");
    ASSERT_EQ(host().leave_report().size(), 1u);
    EXPECT_EQ(host().counters().late_pausers, 0u);
    story().tokens.clear();  // done when nobody waits any more
    EXPECT_EQ(host().counters().late_pausers, 1u);
    // And after the world has gone.
    load();
    EXPECT_TRUE(host().clear_experience("").is_ok());
    stage->end();
    story().tokens.clear();
    house.settle(3);
    EXPECT_EQ(house.held(), "");
}

TEST_F(HostLeaving, it_cannot_fail) {
    // E-116
    house.experience("tag", note("a", "throws = \"deactivating\"") + note("b", "throws = \"unloading\"") +
                                note("c", "throws = \"deactivating\""));
    load();
    EXPECT_TRUE(host().clear_experience("").is_ok());
    EXPECT_EQ(host().state(), LoadState::Unloaded);
    EXPECT_EQ(host().leave_report().size(), 3u);
    house.settle(3);
    EXPECT_EQ(house.held(), "");
}

TEST_F(HostLeaving, what_an_action_forgets_is_taken_back_and_told) {
    // X-40, E-116
    house.experience("tag", note("a"));
    story().at = [&](const std::string& line, features::ActionContext* context) {
        if (line == "tag.a.activating(arena)") context->find_world()->timers().after(1000, [] {});
        return Status::ok();
    };
    load();
    EXPECT_EQ(stage->world().timers().count(), 1u);
    EXPECT_TRUE(host().clear_experience("").is_ok());
    EXPECT_EQ(stage->world().timers().count(), 0u);
    ASSERT_EQ(host().leave_report().size(), 1u);
    EXPECT_NE(host().leave_report()[0].find("timer"), std::string::npos) << host().leave_report()[0];
    EXPECT_NE(host().leave_report()[0].find("action 1 (note), activating"), std::string::npos);
}

TEST_F(HostLeaving, what_an_action_forgets_goes_with_it_and_not_with_the_last_of_those_it_came_with) {
    // X-40, E-116
    house.experience("tag", note("a") + note("b"));
    house.experience("other", note("a"));
    story().at = [&](const std::string& line, features::ActionContext* context) {
        if (line == "tag.b.activating(arena)") context->find_world()->timers().after(1000, [] {});
        return Status::ok();
    };
    load();
    EXPECT_EQ(stage->world().timers().count(), 1u);
    load("other");  // a stays
    EXPECT_EQ(stage->world().timers().count(), 0u);
    ASSERT_EQ(host().leave_report().size(), 1u);
}

TEST_F(HostLeaving, what_an_action_that_stays_has_registered_stays_when_those_it_came_with_go) {
    //
    house.experience("tag", note("a") + note("b"));
    house.experience("other", note("a"));
    story().at = [&](const std::string& line, features::ActionContext* context) {
        if (line.find(".activating(arena)") != std::string::npos) context->find_world()->timers().after(1000, [] {});
        return Status::ok();
    };
    load();
    EXPECT_EQ(stage->world().timers().count(), 2u);
    load("other");
    EXPECT_EQ(stage->world().timers().count(), 1u);
    EXPECT_EQ(host().leave_report().size(), 1u);
    EXPECT_TRUE(host().clear_experience("").is_ok());
    EXPECT_EQ(stage->world().timers().count(), 0u);
}

TEST_F(HostLeaving, what_an_action_whose_kind_a_feature_brings_forgets_is_taken_back) {
    // X-40, E-116
    static const features::ModuleEntry entry =
        features::linked_entry("foreign", "1.0.0", [](features::Registrar& feature) { feature.type<Foreign>(); });
    ASSERT_TRUE(house.inner.modules.add(entry).is_ok());
    house.feature("foreign", "[module]\nname = \"foreign\"\n");
    house.experience("tag", "features = [\"foreign\"]\n[[action]]\nkind = \"foreign\"\nlabel = \"x\"\n");
    house.experience("other", "features = [\"foreign\"]\n");
    for (const char* hook : {"tag.x.activating", "tag.x.registering"}) {
        SCOPED_TRACE(hook);
        story().at = [&](const std::string& line, features::ActionContext*) {
            if (line == hook) stage->world().timers().after(1000, [] {});
            return Status::ok();
        };
        load();
        EXPECT_EQ(stage->world().timers().count(), 1u);
        load("other");
        EXPECT_EQ(stage->world().timers().count(), 0u);
        EXPECT_EQ(host().leave_report().size(), 1u);
    }
}

TEST_F(HostLeaving, bundles_that_others_hold_stay_with_them) {
    // E-35, E-36, E-39
    for (const char* name : {"shared", "own", "later"}) house.thing(name);
    house.experience("tag", "assets = [\"thing:shared\", \"thing:own\"]\npreload = [\"thing:later\"]\n");
    const assets::PrimaryAssetId ids[] = {{Name("thing"), Name("shared")}};
    const assets::LoadHandle theirs = house.assets().load_assets(ids);
    house.inner.executor.hold("later");  // nobody waits for it
    load();
    const auto state = [&](const char* name) { return house.assets().state({Name("thing"), Name(name)}); };
    EXPECT_EQ(state("own"), assets::AssetState::There);
    EXPECT_NE(state("later"), assets::AssetState::There);
    house.inner.executor.release("later");
    house.settle(3);
    EXPECT_EQ(state("later"), assets::AssetState::There);
    EXPECT_TRUE(host().clear_experience("").is_ok());
    house.settle(3);
    EXPECT_EQ(state("own"), assets::AssetState::Absent);
    EXPECT_EQ(state("later"), assets::AssetState::Absent);
    EXPECT_EQ(state("shared"), assets::AssetState::There);
}

TEST_F(HostLeaving, what_it_needs_is_read_before_what_others_ask_for_and_what_it_preloads_after) {
    // E-35, E-39
    for (const char* name : {"own", "theirs", "more", "later", "w0", "w1", "w2", "w3"}) house.thing(name);
    house.experience("tag", "assets = [\"thing:own\"]\npreload = [\"thing:later\"]\n");
    const auto ask = [&](std::string_view type, const char* name) {
        const assets::PrimaryAssetId ids[] = {{Name(type), Name(name)}};
        return house.assets().load_assets(ids);
    };
    std::vector<assets::LoadHandle> theirs;
    theirs.push_back(ask("experience", "tag"));
    house.settle(3);
    for (const char* name : {"w0", "w1", "w2", "w3"}) {  // all workers are busy
        house.inner.executor.hold(name);
        theirs.push_back(ask("thing", name));
    }
    house.settle(3);
    stage = &house.stage();
    theirs.push_back(ask("thing", "theirs"));
    ASSERT_TRUE(host().set_experience("tag").is_ok());
    house.settle(3);
    theirs.push_back(ask("thing", "more"));
    for (const char* name : {"own", "theirs", "more", "later"}) house.inner.executor.hold(name);
    house.inner.executor.release("w0");  // but one
    for (const char* name : {"own", "theirs", "more", "later"}) {
        const auto is_there = [&] {
            house.settle(3);
            return house.assets().state({Name("thing"), Name(name)}) == assets::AssetState::There;
        };
        EXPECT_FALSE(is_there()) << name;
        house.inner.executor.release(name);
        EXPECT_TRUE(is_there()) << name;
    }
    EXPECT_TRUE(host().is_experience_loaded());
}

TEST_F(HostLeaving, bundles_that_somebody_else_has_added_stay_with_him) {
    // E-35
    house.experience("tag", note("a"));
    const assets::PrimaryAssetId tag[] = {{Name("experience"), Name("tag")}};
    assets::LoadHandle theirs = house.assets().change_bundle_state(tag, {.add = {Name("Equipped")}});
    house.settle(4);
    const std::size_t held = house.assets().memory_of_bundle(Name("Equipped")).assets;
    load();
    EXPECT_TRUE(host().clear_experience("").is_ok());
    house.settle(4);
    EXPECT_EQ(house.assets().memory_of_bundle(Name("Equipped")).assets, held);
    EXPECT_EQ(house.assets().state(tag[0]), assets::AssetState::There);
    theirs.reset();
    house.settle(4);
    EXPECT_EQ(house.assets().state(tag[0]), assets::AssetState::Absent);
}

TEST_F(HostLeaving, a_feature_that_is_leaving_is_left_before_it_comes_again) {
    // E-77, X-08
    house.feature("ball", note("b", "pauses = true"));
    house.experience("tag", "features = [\"ball\"]\n");
    load();
    EXPECT_TRUE(host().clear_experience("").is_ok());
    house.settle(3);
    ASSERT_EQ(host().state(), LoadState::Deactivating);
    house.trace("arena");
    house.log();
    EXPECT_TRUE(host().set_experience("tag").is_ok());
    house.settle(8);
    EXPECT_EQ(host().state(), LoadState::Deactivating);
    EXPECT_EQ(house.log(), "");
    story().tokens.clear();
    house.settle(8);
    EXPECT_TRUE(host().is_experience_loaded()) << host().explain_loading().to_text();
    EXPECT_EQ(house.trace("arena"), "Loading Deactivating LoadingGameFeatures ExecutingActions Loaded");
}

TEST_F(HostLeaving, each_leave_waits_for_features_anew) {
    // E-77
    house.feature("ball", note("b", "pauses = true"));
    house.experience("tag", "features = [\"ball\"]\n");
    for (int round = 0; round < 3; ++round) {
        load();
        EXPECT_TRUE(host().clear_experience("").is_ok());
        house.settle(3);
        EXPECT_EQ(host().state(), LoadState::Deactivating) << round;
        story().tokens.clear();
        house.settle(3);
        EXPECT_EQ(host().state(), LoadState::Unloaded) << round;
        EXPECT_TRUE(host().leave_report().empty());
        house.frame(1000);
    }
}

TEST_F(HostLeaving, features_stay_warm_if_what_is_left_says_so) {
    // E-82, X-102
    house.feature("ball", note("b"));
    house.experience("warm", "features = [\"ball\"]\n[unload]\npolicy = \"keep_warm\"\ncount = 2\nseconds = 30\n");
    house.experience("cold", "features = [\"ball\"]\n");
    const auto state = [&] { return house.features().state(Name("ball")); };
    for (const bool by_switch : {false, true}) {  // a feature that was there before goes by the newest policy, too
        SCOPED_TRACE(by_switch);
        if (by_switch) load("cold");
        load("warm");
        EXPECT_TRUE(host().clear_experience("").is_ok());
        house.settle(4);
        EXPECT_EQ(state(), features::FeatureState::Loaded);
        house.log();
        load("warm");
        EXPECT_EQ(house.log(), "ball.b.activating(arena) ball.b.activated(arena)");
        EXPECT_TRUE(host().clear_experience("").is_ok());
        house.settle(4);
        house.frame(31);
        house.settle(4);
        EXPECT_EQ(state(), features::FeatureState::Installed);
        EXPECT_EQ(house.held(), "");
    }
    load("warm");
    load("cold");
    EXPECT_TRUE(host().clear_experience("").is_ok());
    house.settle(4);
    EXPECT_EQ(state(), features::FeatureState::Installed);
}

TEST_F(HostLeaving, a_delay_that_is_left_runs_nothing) {
    // E-48, E-47, E-78
    house.experience("tag", note("a"));
    const auto set = [&](const char* name, const char* value) {
        EXPECT_TRUE(house.runtime()
                        .variables()
                        .set(fmt::format("lyre.chaos.ExperienceDelayLoad.{}", name), value,
                             {VariableSource::CommandLine, "test"})
                        .is_ok());
    };
    set("MinSecs", "1");
    stage = &house.stage();
    ASSERT_TRUE(host().set_experience("tag").is_ok());
    house.settle(10);
    EXPECT_EQ(host().state(), LoadState::LoadingChaosTestingDelay);
    EXPECT_TRUE(host().clear_experience("").is_ok());
    house.settle(100);
    EXPECT_EQ(host().state(), LoadState::Unloaded);
    EXPECT_EQ(house.log(), "");
    // By how much: exactly what the variables and the world's own stream say.
    set("MinSecs", "-5");
    house.trace("arena");
    load();
    EXPECT_EQ(house.trace("arena").find("Chaos"), std::string::npos);
    EXPECT_TRUE(host().clear_experience("").is_ok());
    set("MinSecs", "0.25");
    set("RandomSecs", "0.5");
    house.trace("arena");
    Stage& second = house.stage("second");
    Random stream = second.world().random().stream("experience.chaos");
    const double delay = 0.25 + static_cast<double>(stream.next_float01()) * 0.5;
    ASSERT_TRUE(second.host().set_experience("tag").is_ok());
    double began = -1, ended = -1;
    for (int i = 0; i < 100; ++i) {
        const double time = second.world().time();
        house.frame();
        if (began < 0 && second.host().state() == LoadState::LoadingChaosTestingDelay) began = time;
        if (ended < 0 && second.host().is_experience_loaded()) ended = time;
    }
    EXPECT_GE(ended - began, delay);
    EXPECT_LE(ended - began, delay + 1.0 / 60 + 1e-6);
}

TEST_F(HostLeaving, a_world_that_closes_leaves_first) {
    // E-119, E-76
    house.experience("tag", note("a"));
    load();
    house.log();
    house.experiences().close_world(*stage->game, "over");
    EXPECT_EQ(stage->game->world(), nullptr);  // nobody asked for time
    EXPECT_EQ(house.log(), "tag.a.deactivating(arena) tag.a.unloading tag.a.unregistering");

    house.feature("ball", note("ball"));
    house.experience("match", "features = [\"ball\"]\n" + note("m"));
    Stage& third = house.stage("third");
    ASSERT_TRUE(third.host().set_experience("match").is_ok());
    house.settle(10);
    ASSERT_EQ(house.features().state(Name("ball")), features::FeatureState::Active);
    house.experiences().close_world(*third.game, "over");
    EXPECT_EQ(third.game->world(), nullptr);

    house.experience("slow", note("s", "pauses = true"));
    Stage& second = house.stage("second");
    ASSERT_TRUE(second.host().set_experience("slow").is_ok());
    house.settle(10);
    house.experiences().close_world(*second.game, "over");
    EXPECT_TRUE(house.experiences().is_closing(*second.game));
    house.frame(1.5);
    house.frame(1.5);
    EXPECT_NE(second.game->world(), nullptr);
    story().tokens.clear();
    house.frame();
    EXPECT_EQ(second.game->world(), nullptr);
    EXPECT_FALSE(house.experiences().is_closing(*second.game));
    house.settle(3);
    EXPECT_EQ(house.held(), "");
}

TEST_F(HostLeaving, experiences_that_end_take_everything_along) {
    // E-76
    house.feature("ball", note("b"));
    house.experience("tag", "features = [\"ball\"]\n" + note("a", "pauses = true"));
    load();
    house.log();
    std::string said;
    CallbackHandle wait = house.experiences().wait_for_experience_ready(stage->world(), [&](const ReadyResult& result) {
        said += result.kind == ReadyResult::Kind::Ended ? "ended" : "?";
    });
    house.close();
    EXPECT_EQ(said, "ended");
    EXPECT_EQ(house.log(),
              "tag.a.deactivating(arena) tag.a.unloading tag.a.unregistering ball.b.deactivating(arena) "
              "ball.b.unloading");
    EXPECT_FALSE(host().set_experience("tag").is_ok());
    EXPECT_EQ(host().state(), LoadState::Unloaded);
}

TEST_F(HostLeaving, work_bound_to_a_cancelled_token_is_not_called) {
    //
    house.experience("tag", note("a"));
    std::vector<std::function<void()>> later;
    features::CancelToken token;
    int called = 0;
    story().at = [&](const std::string& line, features::ActionContext* context) {
        if (line == "tag.a.activating(arena)") {
            token = context->cancellation();
            for (int i = 0; i < 2; ++i) later.emplace_back(token.bind([&] { ++called; }));
        }
        return Status::ok();
    };
    load();
    EXPECT_FALSE(token.is_cancelled());
    later[0]();
    EXPECT_EQ(called, 1);
    bool was_cancelled = false;
    story().at = [&](const std::string& line, features::ActionContext*) {
        if (line == "tag.a.deactivating(arena)") {
            was_cancelled = token.is_cancelled();
            later[1]();
        }
        return Status::ok();
    };
    EXPECT_TRUE(host().clear_experience("").is_ok());
    EXPECT_TRUE(was_cancelled);
    EXPECT_EQ(called, 1);
    EXPECT_EQ(host().counters().dropped_completions, 1u);
}

TEST_F(HostLeaving, a_thousand_rounds_leave_nothing_behind_and_take_no_more_memory) {
    //
    house.runtime().trace().set_level(TraceLevel::Off);  // it and the log are lists that fill up
    house.thing("t");
    house.feature("ball", note("b", "asset = \"t\""));
    house.experience("tag", "features = [\"ball\"]\nassets = [\"thing:t\"]\n" + note("a") + note("b"));
    stage = &house.stage();
    CallbackHandle loaded = host().call_or_register_on_experience_loaded(
        Priority::High, {}, [](const ExperienceDefinition&) {}, Repeat::EachLoad);
    const features::WorldSnapshot before = features::take_snapshot(stage->world());
    constexpr int kWarmUp = 500;  // what grows by doubling has done so by then
    std::size_t memory = 0, names = 0, counts = 0;
    for (int i = 0; i < 2 * kWarmUp; ++i) {
        ASSERT_TRUE(host().set_experience("tag").is_ok());
        const auto wait = host().wait_for_experience_ready([](const ReadyResult&) {});
        house.frames(8);
        ASSERT_TRUE(host().is_experience_loaded()) << i << host().explain_loading().to_text();
        ASSERT_TRUE(host().clear_experience("").is_ok());
        house.frames(3);
        ASSERT_EQ(house.held(), "") << i;
        story().lines.clear();
        if ((i + 1) % kWarmUp != 0) continue;
        EXPECT_EQ(features::compare(before, features::take_snapshot(stage->world())), "");
        for (std::size_t fill = 0; fill < Log::kDefaultCapacity; ++fill)
            house.runtime().log().report(LogLevel::Debug, Name("test"), fmt::format("subject number {}", fill), "full");
        if (i + 1 == kWarmUp) {
            names = Name::count();
            counts = subscriptions_of(Owner::process()).size();
            memory = live_allocations();
        }
    }
    EXPECT_LE(live_allocations(), memory);
    EXPECT_EQ(Name::count(), names);
    EXPECT_EQ(subscriptions_of(Owner::process()).size(), counts);
}

TEST_F(HostLeaving, the_report_names_what_went_wrong_with_an_action_that_was_left_while_it_came_up) {
    // E-116, X-37, E-51
    struct Case {
        const char* at;      // the hook that clears, or sets
        const char* throws;  // on the way back
        const char* fails;
        bool is_clear;
    };
    for (const Case& one :
         {Case{"loading", "unloading", "", true}, Case{"registering", "unregistering", "", true},
          Case{"loading", "unregistering", "", false}, Case{"registering", "unregistering", "loading", true},
          Case{"registering", "unregistering", "loading", false},
          Case{"activating", "unregistering", "activating", true}}) {
        house.experience("tag", note("a", fmt::format("throws = \"{}\"\nfails = \"{}\"", one.throws, one.fails)));
        house.experience("other", note("b"));
        house.assets().look_for_changes();
        house.settle(3);
        bool has_acted = false;
        story().at = [&](const std::string& line, features::ActionContext*) {
            if (line.starts_with(fmt::format("tag.a.{}", one.at)) && !std::exchange(has_acted, true)) {
                const Status status =
                    one.is_clear ? host().clear_experience("") : host().set_experience("other").status();
                EXPECT_TRUE(status.is_ok()) << status.text();
            }
            return Status::ok();
        };
        if (stage == nullptr) stage = &house.stage();
        ASSERT_TRUE(host().set_experience("tag").is_ok());
        house.settle(12);
        ASSERT_TRUE(has_acted);
        EXPECT_EQ(host().state(), one.is_clear ? LoadState::Unloaded : LoadState::Loaded);
        ASSERT_EQ(host().leave_report().size(), 1u) << one.throws;
        EXPECT_NE(host().leave_report()[0].find(one.throws), std::string::npos) << host().leave_report()[0];
        const std::string spans = host().timeline()->to_json();
        const bool went_back_at_once = std::string_view(one.fails) == "loading";  // in the load before
        const bool is_told = spans.find("experience:tag, action 1 (note): unregistering") != std::string::npos;
        EXPECT_NE(is_told, went_back_at_once) << spans;
        story().at = {};
        EXPECT_TRUE(host().clear_experience("").is_ok());
        house.settle(6);
        EXPECT_EQ(house.held(), "");
    }
}

TEST_F(HostLeaving, a_call_of_set_runs_no_hook_of_what_it_replaces) {
    // E-104, E-51, E-116
    house.thing("slow");
    house.experience("a", note("x", "throws = \"unregistering\""));
    house.experience("b", "assets = [\"thing:slow\"]\n" + note("x", "throws = \"unregistering\""));
    house.experience("c", "");
    load("a");
    Stage& two = house.stage("two");
    house.inner.executor.hold("slow");
    ASSERT_TRUE(two.host().set_experience("b").is_ok());
    house.frames(5);  // it has decoded x and not run it
    EXPECT_TRUE(host().clear_experience("").is_ok());
    house.log();
    ASSERT_TRUE(two.host().set_experience("c").is_ok());
    EXPECT_EQ(house.log(), "");
    house.settle(8);
    EXPECT_EQ(house.log(), "a.x.unloading a.x.unregistering");
    EXPECT_TRUE(two.host().is_experience_loaded());
    ASSERT_EQ(two.host().leave_report().size(), 1u);
    EXPECT_NE(two.host().leave_report()[0].find("unregistering"), std::string::npos);
}

}  // namespace host_leaving_test
}  // namespace lyre::experience
