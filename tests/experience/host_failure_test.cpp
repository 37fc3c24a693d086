// What happens when an experience cannot be loaded, and who decides what follows.
#include "tests/experience/playhouse.h"

namespace lyre::experience {
namespace host_failure_test {

using Said = std::vector<std::string>;

std::string failing(std::string_view label) {
    return note(label, "fails = \"activating\"");
}

struct HostFailure : testing::Test {
    Host& host() { return stage->host(); }
    void set(std::string_view id, int frames = 20) {
        if (stage == nullptr) stage = &house.stage();
        const auto ticket = host().set_experience(id);
        ASSERT_TRUE(ticket.is_ok()) << ticket.status().text();
        house.settle(frames);
    }
    Playhouse house;
    Stage* stage = nullptr;
};

TEST_F(HostFailure, each_cause_says_what_where_and_when) {
    // E-108, E-41, E-107, E-120, E-17
    struct Case {
        const char* id;
        std::string text;
        CauseCode code;
        const char* stage;
        const char* says;
    };
    house.feature("broken", features::note_action("n", "fails = \"loading\""));
    house.feature("needs_more", features::needs("nobody"));
    house.feature("old", "", "0.9.0");
    house.write("spoilt.thing.toml", "size = \"big\"\n");
    const Case cases[] = {
        {"bad_asset", "assets = [\"thing:spoilt\"]\n", CauseCode::AssetFailed, "Loading", "spoilt"},
        {"no_set", "action_sets = [\"missing\"]\n", CauseCode::DefinitionFailed, "Loading", "missing"},
        {"bad_key", "featurs = []\n", CauseCode::DefinitionFailed, "Loading", "featurs"},
        {"no_asset", "assets = [\"thing:empty\", \"thing:none\"]\n", CauseCode::AssetFailed, "Loading", "none"},
        {"unknown", "features = [\"brokn\"]\n", CauseCode::UnknownFeature, "Loading", "broken"},
        {"conflict", "features = [{ id = \"old\", versions = \"^1.0\" }]\n", CauseCode::DependencyConflict, "Loading",
         "0.9.0"},
        {"missing", "features = [\"needs_more\"]\n", CauseCode::DependencyConflict, "Loading", "nobody"},
        {"feature", "features = [\"broken\"]\n", CauseCode::FeatureFailed, "LoadingGameFeatures", "on purpose"},
        {"kind", "[[action]]\nkind = \"nothing\"\n", CauseCode::ActionFailed, "ExecutingActions", "nothing"},
        {"argument", note("a", "colour = 3"), CauseCode::DefinitionFailed, "Loading", "colour"},
        {"type", note("a", "pauses = 3"), CauseCode::DefinitionFailed, "Loading", "type.experience.toml:4"},
        {"hook", note("a") + failing("b"), CauseCode::ActionFailed, "ExecutingActions", "action 2"},
        {"throws", note("a", "throws = \"activating\""), CauseCode::ActionFailed, "ExecutingActions", "thrown"},
    };
    for (const Case& one : cases) {
        SCOPED_TRACE(one.id);
        house.experience(one.id, one.text);
        set(one.id);
        const Cause& cause = host().failure();
        EXPECT_EQ(host().state(), LoadState::Failed);
        EXPECT_EQ(to_string(cause.code), to_string(one.code)) << cause.to_string();
        EXPECT_EQ(to_string(cause.stage), one.stage);
        EXPECT_EQ(cause.side, "Standalone");
        if (one.code == CauseCode::AssetFailed) {
            EXPECT_EQ(cause.asset.to_string(), fmt::format("thing:{}", one.says));
        }
        EXPECT_EQ(cause.experience.name, Name(one.id));
        EXPECT_EQ(cause.generation, host().generation() - 1);  // the final failure took one more
        EXPECT_NE(cause.to_string().find(one.says), std::string::npos) << cause.to_string();
        EXPECT_EQ(house.held(), "");
        EXPECT_EQ(house.trace("arena"),
                  fmt::format("Loading {}{}Deactivating Failed",
                              one.stage == std::string("LoadingGameFeatures") ? "LoadingGameFeatures " : "",
                              one.stage == std::string("ExecutingActions") ? "ExecutingActions " : ""));
    }
}

TEST_F(HostFailure, a_wrong_argument_does_not_take_down_what_runs) {
    // E-05, X-03
    house.experience("good", note("g"));
    house.experience("wrong", note("a") + note("b", "colour = 3"));
    house.experience("optional", note("a") + note("b", "colour = 3\nneed = \"optional\""));
    set("good");
    house.log();
    SetOptions back;
    back.failure = FailurePolicy{FailureKind::FallBack, 1, 0, Name("previous")};
    ASSERT_TRUE(host().set_experience("wrong", back).is_ok());
    house.settle(8);
    EXPECT_TRUE(host().is_experience_loaded()) << host().explain_failure().to_text();
    EXPECT_EQ(host().experience_id().to_string(), "experience:good");
    EXPECT_NE(host().explain_failure().to_text().find("wrong.experience.toml:8:1"), std::string::npos)
        << host().explain_failure().to_text();
    EXPECT_EQ(house.log(), "");
    set("optional");
    EXPECT_TRUE(host().is_experience_loaded());
    EXPECT_EQ(host().degraded().size(), 1u);
}

TEST_F(HostFailure, what_failed_to_load_is_asked_for_anew_on_the_way_back) {
    //
    FaultRule second;
    second.stage = FaultStage::Asset;
    second.match = "thing:a";
    second.effect = FaultEffect::Fail;
    second.nth = 2;
    Playhouse own(std::make_shared<FaultPlan>(FaultPlanDef{{second}}, 1));
    for (const char* name : {"a", "slow"}) own.thing(name);
    own.feature("slow", note("s", "asset = \"slow\""));
    own.experience("good", "assets = [\"thing:a\"]\n");
    own.experience("between", "features = [\"slow\"]\n");
    own.experience("bad", "assets = [\"thing:a\"]\n" + note("b"));
    Host& host = own.stage().host();
    ASSERT_TRUE(host.set_experience("good").is_ok());
    own.settle(8);
    ASSERT_TRUE(host.is_experience_loaded()) << host.explain_failure().to_text();
    own.inner.executor.hold("slow.thing");
    ASSERT_TRUE(host.set_experience("between").is_ok());
    own.settle(8);
    ASSERT_EQ(host.state(), LoadState::LoadingGameFeatures);  // a has gone
    SetOptions back;
    back.failure = Host::to_previous();
    const auto ticket = host.set_experience("bad", back);
    ASSERT_TRUE(ticket.is_ok());
    own.inner.executor.release("slow.thing");
    own.settle(15);
    EXPECT_EQ(ticket->outcome().kind, SetOutcome::Kind::FellBack) << ticket->outcome().to_string();
    EXPECT_TRUE(host.is_experience_loaded()) << host.explain_failure().to_text();
    EXPECT_EQ(host.experience_id().to_string(), "experience:good");
    EXPECT_TRUE(host.clear_experience("").is_ok());
    own.settle(4);
    EXPECT_EQ(own.held(), "");
}

TEST_F(HostFailure, no_bad_experience_takes_down_a_good_one_that_runs) {
    // X-03, E-05, E-41, E-53, E-107, E-112
    struct Case {
        const char* id;
        std::string text;
        CauseCode code;
        std::string says;  // with the place or the fix
    };
    house.feature("ball", note("ball"));
    house.feature("ring", features::needs("round"));
    house.feature("round", features::needs("ring"));
    house.action_set("nested", "action_sets = [\"nested\"]\n");
    house.experience("good", "features = [\"ball\"]\n" + note("g"));
    const Case cases[] = {
        {"no_toml", "features = [\n", CauseCode::DefinitionFailed, "no_toml.experience.toml:1:12"},
        {"key", "titel = \"x\"\n", CauseCode::DefinitionFailed, "did you mean \"title\""},
        {"feature", "features = [\"ball\", \"bal\"]\n", CauseCode::UnknownFeature, "did you mean \"ball\""},
        {"version", "features = [{ id = \"ball\", versions = \"^7\" }]\n", CauseCode::DependencyConflict, "^7"},
        {"circle", "features = [\"ball\", \"ring\"]\n", CauseCode::DependencyConflict, "ring -> round -> ring"},
        {"set", "action_sets = [\"neste\"]\n", CauseCode::DefinitionFailed, "did you mean \"nested\""},
        {"nests", "action_sets = [\"nested\"]\n", CauseCode::DefinitionFailed, "nested.action_set.toml:1:15"},
        {"asset", "assets = [\"thing:emty\"]\n", CauseCode::AssetFailed, "did you mean \"thing:empty\""},
        {"argument", note("g") + note("a", "pauses = \"yes\""), CauseCode::DefinitionFailed,
         "argument.experience.toml:8:10"},
        {"kind", "features = [\"ball\"]\n" + note("g") + "[[action]]\nkind = \"noet\"\n", CauseCode::ActionFailed,
         "did you mean \"note\""},
        {"order", note("a", "name = \"a\"\nafter = [\"b\"]") + note("b", "name = \"b\"\nafter = [\"a\"]"),
         CauseCode::DefinitionFailed, "a -> b -> a"},
        {"hook", "features = [\"ball\"]\n" + note("g") + failing("bad"), CauseCode::ActionFailed, "action 2 (note)"},
    };
    for (const Case& one : cases) house.experience(one.id, one.text);
    set("good");
    Stage& other = house.stage("other");
    SetOptions back;
    back.failure = FailurePolicy{FailureKind::FallBack, 1, 0, Name("previous")};
    house.log();
    for (const Case& one : cases) {
        SCOPED_TRACE(one.id);
        // Over the good one itself: what is not there yet is left out, what is there stays.
        const auto ticket = host().set_experience(one.id, back);
        ASSERT_TRUE(ticket.is_ok()) << ticket.status().text();
        house.settle(15);
        EXPECT_TRUE(host().is_experience_loaded()) << host().explain_loading().to_text();
        EXPECT_EQ(host().experience_id().to_string(), "experience:good");
        EXPECT_EQ(ticket->outcome().kind, SetOutcome::Kind::FellBack) << ticket->outcome().to_string();
        EXPECT_EQ(to_string(ticket->outcome().cause.code), to_string(one.code)) << ticket->outcome().cause.to_string();
        EXPECT_NE(host().explain_failure().to_text().find(one.says), std::string::npos)
            << host().explain_failure().to_text();
        const std::string log = house.log();
        EXPECT_EQ(log.find("good.g."), std::string::npos) << log;
        EXPECT_EQ(log.find("ball."), std::string::npos) << log;
        // And beside it.
        ASSERT_TRUE(other.host().set_experience(one.id).is_ok());
        house.settle(15);
        EXPECT_EQ(other.host().state(), LoadState::Failed);
        EXPECT_TRUE(host().is_experience_loaded());
        EXPECT_EQ(house.log().find("(arena)"), std::string::npos);
        EXPECT_TRUE(house.features().is_attached(Name("ball"), stage->world()));
    }
}

TEST_F(HostFailure, all_failures_of_an_update_are_in_the_cause) {
    // E-108
    for (const char* id : {"a", "b"}) house.feature(id, features::note_action("n", "fails = \"loading\""));
    house.experience("two", "features = [\"a\", \"b\"]\n");
    set("two");
    EXPECT_EQ(host().failure().feature, Name("a"));
    ASSERT_EQ(host().failure().others.size(), 1u);
    EXPECT_NE(host().failure().others[0].find("FeatureFailed"), std::string::npos);
}

TEST_F(HostFailure, a_failed_action_undoes_those_before_it_in_reverse) {
    // E-107, E-109, E-77
    house.experience("tag", note("a") + note("b") + failing("c") + note("d"));
    set("tag");
    EXPECT_EQ(house.log(),
              "tag.a.registering tag.a.loading tag.a.activating(arena) tag.b.registering tag.b.loading "
              "tag.b.activating(arena) tag.c.registering tag.c.loading tag.c.activating(arena) tag.c.unloading "
              "tag.c.unregistering tag.b.deactivating(arena) tag.a.deactivating(arena) tag.b.unloading "
              "tag.b.unregistering tag.a.unloading tag.a.unregistering");
    EXPECT_EQ(host().failure().action, "experience:tag, action 3 (note)");
}

TEST_F(HostFailure, optional_parts_that_fail_are_left_out) {
    // E-110, E-107, E-41
    house.feature("broken", features::note_action("n", "fails = \"loading\""));
    house.feature("good");
    house.experience("tag",
                     "features = [\"good\", { id = \"broken\", need = \"optional\" }, { id = \"unknown\", need = "
                     "\"optional\" }]\n" +
                         note("a") + note("b", "fails = \"activating\"\nneed = \"optional\"") +
                         "[[action]]\nkind = \"nothing\"\nneed = \"optional\"\n" + note("c"));
    set("tag");
    ASSERT_TRUE(host().is_experience_loaded()) << host().explain_failure().to_text();
    std::string left_out;
    for (const features::Degraded& one : host().degraded())
        left_out += fmt::format("[{} {}: {}]", one.feature, one.wanted_by, one.reason);
    EXPECT_EQ(host().degraded().size(), 4u) << left_out;
    EXPECT_NE(left_out.find("broken"), std::string::npos) << left_out;
    EXPECT_NE(left_out.find("action 2"), std::string::npos) << left_out;
    for (const features::Degraded& one : host().degraded()) {
        const std::string_view why = one.feature == Name("unknown")                       ? "no such feature"
                                     : one.wanted_by.find("nothing") != std::string::npos ? "nobody has registered"
                                                                                          : "on purpose";
        EXPECT_NE(one.reason.find(why), std::string::npos) << one.reason;
    }
    EXPECT_EQ(house.features().state(Name("broken")), features::FeatureState::Installed);
    EXPECT_TRUE(host().clear_experience("").is_ok());
    house.settle(4);
    EXPECT_EQ(house.held(), "");
}

TEST_F(HostFailure, what_was_left_out_is_that_of_the_last_load) {
    // E-110
    house.experience("poor", note("a") + note("b", "fails = \"activating\"\nneed = \"optional\""));
    house.experience("rich", note("a"));
    for (const char* id : {"poor", "rich", "poor", "poor"}) {
        SetOptions again;
        again.reload = true;
        if (stage == nullptr) stage = &house.stage();
        ASSERT_TRUE(host().set_experience(id, again).is_ok());
        house.settle(8);
        EXPECT_TRUE(host().is_experience_loaded());
        EXPECT_EQ(host().degraded().size(), std::string_view(id) == "poor" ? 1u : 0u) << id;
    }
}

TEST_F(HostFailure, a_retry_tries_again_in_a_new_generation) {
    // E-111, E-113, E-98
    house.experience("tag", note("a") + "[failure]\npolicy = \"retry\"\nattempts = 3\ndelay_secs = 1.0\n");
    int fails = 2;
    story().at = [&](const std::string& line, features::ActionContext*) {
        return line == "tag.a.activating(arena)" && fails-- > 0 ? Status::failed("not yet") : Status::ok();
    };
    stage = &house.stage();
    Said said;
    CallbackHandle failed =
        host().call_or_register_on_experience_failed({}, [&](const Cause&) { said.push_back("failed"); });
    CallbackHandle loaded = host().call_or_register_on_experience_loaded(
        Priority::High, {}, [&](const auto&) { said.push_back("loaded"); });
    auto ticket = host().set_experience("tag");
    house.settle(6);
    EXPECT_EQ(host().state(), LoadState::Failed);
    ASSERT_TRUE(host().seconds_to_next_attempt().has_value());
    EXPECT_GT(*host().seconds_to_next_attempt(), 0.5);
    EXPECT_FALSE(host().loading_screen_reason().is_final);
    EXPECT_TRUE(ticket->is_open());
    house.frame(1.1);
    house.settle(6);
    EXPECT_EQ(host().generation(), 2u);
    house.frame(1.1);
    house.settle(6);
    EXPECT_TRUE(host().is_experience_loaded());
    EXPECT_EQ(host().generation(), 3u);
    EXPECT_EQ(said, (Said{"loaded"}));
    EXPECT_EQ(ticket->outcome().kind, SetOutcome::Kind::Loaded);
    EXPECT_EQ(host().explain_failure().attempts.size(), 2u);
}

TEST_F(HostFailure, used_up_attempts_fall_back_and_the_report_tells_all_of_it) {
    // E-111, X-30
    house.experience("lobby", note("l"));
    house.experience("tag",
                     failing("a") + "[failure]\npolicy = \"retry\"\nattempts = 2\ndelay_secs = 0.1\nto = \"lobby\"\n");
    stage = &house.stage();
    auto ticket = host().set_experience("tag");
    house.settle(30);
    EXPECT_TRUE(host().is_experience_loaded());
    EXPECT_EQ(host().experience_id().to_string(), "experience:lobby");
    EXPECT_EQ(ticket->outcome().kind, SetOutcome::Kind::FellBack);
    const FailureReport report = host().explain_failure();
    ASSERT_EQ(report.attempts.size(), 2u);
    EXPECT_EQ(report.attempts[0].decision, "retry 2 of 2 in 0.1 s");
    EXPECT_EQ(report.attempts[1].decision, "fall back to experience:lobby");
    EXPECT_GT(report.attempts[0].seconds_ago, report.attempts[1].seconds_ago);
    EXPECT_NE(report.to_text().find("then: fall back to experience:lobby"), std::string::npos);
}

TEST_F(HostFailure, who_waits_for_failed_is_told_first_in_first_out_and_who_waits_for_loaded_goes_on_waiting) {
    // E-113
    house.experience("tag", failing("a"));
    house.experience("good", note("g"));
    stage = &house.stage();
    Said said;
    const auto tell = [&](std::string what) { return [&said, what](const auto&) { said.push_back(what); }; };
    std::vector<CallbackHandle> handles;
    handles.push_back(host().call_or_register_on_experience_loaded(Priority::Normal, {}, tell("loaded")));
    for (const char* name : {"c", "a", "b"})
        handles.push_back(host().call_or_register_on_experience_failed({}, tell(name)));
    set("tag");
    EXPECT_EQ(host().state(), LoadState::Failed);
    EXPECT_EQ(said, (Said{"c", "a", "b"}));
    set("good");
    EXPECT_EQ(said, (Said{"c", "a", "b", "loaded"}));
    set("tag");
    EXPECT_EQ(said, (Said{"c", "a", "b", "loaded"}));  // each once
}

TEST_F(HostFailure, a_retry_from_who_is_told_of_the_failure_breaks_the_telling_off) {
    // E-104, E-113
    house.experience("tag", failing("a"));
    stage = &house.stage();
    Said said;
    std::uint32_t generation = 0;
    CallbackHandle first = host().call_or_register_on_experience_failed({}, [&](const Cause&) {
        said.push_back("first");
        const std::uint32_t before = host().generation();
        ASSERT_TRUE(host().retry_experience().is_ok());
        generation = host().generation();
        const auto delayed = house.runtime().variables().set("lyre.chaos.ExperienceDelayLoad.MinSecs", "1",
                                                             {VariableSource::CommandLine, "test"});
        EXPECT_TRUE(delayed.is_ok()) << delayed.text();
        EXPECT_EQ(generation, before + 1);             // taken at once
        EXPECT_EQ(host().state(), LoadState::Failed);  // and begun when this returns
    });
    CallbackHandle second =
        host().call_or_register_on_experience_failed({}, [&](const Cause&) { said.push_back("second"); });
    ASSERT_TRUE(host().set_experience("tag").is_ok());
    house.settle();
    EXPECT_EQ(host().state(), LoadState::LoadingChaosTestingDelay);
    EXPECT_EQ(said, (Said{"first"}));
    house.settle(80);
    EXPECT_EQ(said, (Said{"first", "second"}));  // of the retry, which fails as well
    EXPECT_EQ(host().generation(), generation + 1);
}

TEST_F(HostFailure, a_circle_of_fallbacks_stops_with_the_whole_chain) {
    // E-112, E-113, E-114
    house.experience("a", failing("a") + "[failure]\npolicy = \"fall_back\"\nto = \"b\"\n");
    house.experience("b", failing("b") + "[failure]\npolicy = \"fall_back\"\nto = \"a\"\n");
    stage = &house.stage();
    int failed = 0;
    CallbackHandle callback = host().call_or_register_on_experience_failed({}, [&](const Cause&) { ++failed; });
    auto ticket = host().set_experience("a");
    house.settle(30);
    EXPECT_EQ(host().state(), LoadState::Failed);
    EXPECT_EQ(host().failure().experience.to_string(), "experience:b");
    ASSERT_EQ(host().failure().earlier.size(), 1u);
    EXPECT_NE(host().failure().earlier[0].find("experience:a: ActionFailed"), std::string::npos);
    EXPECT_EQ(failed, 1);
    EXPECT_EQ(ticket->outcome().kind, SetOutcome::Kind::Failed);
    EXPECT_TRUE(host().published().experience.is_none());
    EXPECT_EQ(host().published().failure.code, CauseCode::ActionFailed);
    CallbackHandle late = host().call_or_register_on_experience_failed({}, [&](const Cause&) { ++failed; });
    EXPECT_EQ(failed, 2);  // at once
    house.settle(5);
    EXPECT_EQ(failed, 2);
}

TEST_F(HostFailure, only_a_failed_experience_can_be_retried) {
    // E-25, E-42
    house.experience("tag", "features = [\"later\"]\n");
    set("tag");
    EXPECT_EQ(host().failure().code, CauseCode::UnknownFeature);
    house.feature("later");  // discovered while running
    auto ticket = host().retry_experience();
    ASSERT_TRUE(ticket.is_ok());
    EXPECT_EQ(host().state(), LoadState::Loading);
    house.settle(10);
    EXPECT_TRUE(host().is_experience_loaded());
    EXPECT_FALSE(host().retry_experience().is_ok());
    EXPECT_TRUE(host().clear_experience("").is_ok());
    EXPECT_FALSE(host().retry_experience().is_ok());
}

TEST_F(HostFailure, a_cleared_failure_is_unloaded) {
    // E-25
    house.experience("tag", failing("a"));
    set("tag");
    house.trace("arena");
    EXPECT_TRUE(host().clear_experience("").is_ok());
    EXPECT_EQ(house.trace("arena"), "Unloaded");
    EXPECT_TRUE(host().failure().is_none());
    const std::uint32_t generation = host().generation();
    EXPECT_TRUE(host().clear_experience("").is_ok());
    EXPECT_EQ(host().generation(), generation);  // nothing was done
}

TEST_F(HostFailure, a_stage_that_takes_too_long_names_what_it_waited_for) {
    // E-115, X-29
    struct Case {
        const char* held;
        const char* kind;
        const char* names;
    };
    house.thing("big");
    house.thing("mine");
    house.feature("ball", features::note_action("n", "asset = \"mine\""));
    house.experience("definition", "");
    house.action_set("plenty", note("s"));
    house.experience("set", "action_sets = [\"plenty\"]\n");
    house.experience("asset", "assets = [\"thing:big\"]\n");
    house.experience("feature", "features = [\"ball\"]\n");
    stage = &house.stage();
    for (const auto& [id, held, kind, names] :
         {std::tuple{"definition", "definition", "definition", "experience:definition"},
          std::tuple{"set", "plenty", "action set", "action_set:plenty"},
          std::tuple{"asset", "big", "asset", "thing:big"}, std::tuple{"feature", "mine", "feature", "ball"}}) {
        SCOPED_TRACE(id);
        house.inner.executor.hold(held);
        ASSERT_TRUE(host().set_experience(id).is_ok());
        house.frames(8);
        const LoadingReport waiting = host().explain_loading();
        ASSERT_EQ(waiting.pending.size(), 1u) << waiting.to_text();
        EXPECT_EQ(waiting.pending[0].kind, kind);
        EXPECT_EQ(waiting.pending[0].id, names);
        EXPECT_NE(waiting.to_text().find(names), std::string::npos);
        stage->world().set_paused(true);  // the frame's clock counts, not the world's
        house.frame(59);
        house.frame(1);
        if (std::string_view(id) != "feature") {  // a feature has a limit of its own
            EXPECT_NE(host().state(), LoadState::Failed);
            house.frame(61);
        }
        house.settle(5);
        EXPECT_EQ(host().state(), LoadState::Failed);
        if (std::string_view(id) != "feature") {
            EXPECT_EQ(host().failure().code, CauseCode::StageTimeout);
            EXPECT_NE(host().failure().text.find(names), std::string::npos) << host().failure().text;
        }
        stage->world().set_paused(false);
        house.inner.executor.release(held);
        house.settle(5);
        EXPECT_EQ(house.held(), "");
    }
}

TEST_F(HostFailure, a_definition_may_have_limits_of_its_own) {
    // E-115
    house.thing("big");
    house.experience("tag", "assets = [\"thing:big\"]\n[limits]\nstage_secs = 2\n");
    house.inner.executor.hold("big");
    set("tag", 5);
    house.frame(2.1);
    EXPECT_EQ(host().failure().code, CauseCode::StageTimeout);
    house.inner.executor.release("big");
}

TEST_F(HostFailure, a_load_that_somebody_else_cancels_fails) {
    // E-38
    house.thing("big");
    house.feature("ball");
    house.experience("tag", "features = [\"ball\"]\nassets = [\"thing:big\"]\n");
    house.inner.executor.hold("big");
    set("tag", 6);
    EXPECT_EQ(host().state(), LoadState::Loading);
    for (const assets::AssetHoldInfo& hold : house.assets().holds_of(stage->world().owner()))
        if (hold.text.find("big") != std::string::npos) {
            EXPECT_TRUE(house.assets().release_hold(hold.registered));
        }
    house.settle(5);
    EXPECT_EQ(host().state(), LoadState::Failed);
    EXPECT_EQ(host().failure().code, CauseCode::AssetLoadCancelled);
    EXPECT_EQ(house.features().state(Name("ball")), features::FeatureState::Installed);
    house.inner.executor.release("big");
}

TEST_F(HostFailure, a_client_with_other_content_takes_nothing) {
    // E-102, E-114
    Playhouse there, here;
    there.feature("ball");
    here.feature("ball");
    there.experience("tag", "features = [\"ball\"]\n" + note("a", "pauses = false"));
    here.experience("tag", "features = [\"ball\"]\n" + note("a", "pauses = true"));
    Stage& server = there.stage("server", NetMode::DedicatedServer);
    Stage& client = here.stage("client", NetMode::Client);
    ASSERT_TRUE(server.host().set_experience("tag").is_ok());
    there.settle();
    EXPECT_TRUE(client.host().receive(server.host().published()).is_ok());
    here.settle();
    EXPECT_EQ(client.host().state(), LoadState::Failed);
    EXPECT_EQ(client.host().failure().code, CauseCode::ContentMismatch);
    EXPECT_NE(client.host().failure().text.find(fmt::format("{:016x}", server.host().published().content_hash)),
              std::string::npos);
    EXPECT_EQ(here.trace("client"), "Loading Deactivating Failed");  // no bundle, no feature
    EXPECT_EQ(here.held(), "");
    EXPECT_EQ(here.features().state(Name("ball")), features::FeatureState::Installed);
    EXPECT_TRUE(server.host().is_experience_loaded());
    Stage& own = here.stage("own", NetMode::DedicatedServer);  // says what the client's content is
    ASSERT_TRUE(own.host().set_experience("tag").is_ok());
    here.settle();
    EXPECT_NE(
        client.host().failure().text.find(fmt::format("this client's {:016x}", own.host().published().content_hash)),
        std::string::npos)
        << client.host().failure().text;
}

TEST_F(HostFailure, a_client_retries_by_itself_and_follows_again) {
    // E-114
    house.experience("good", "");
    house.experience("tag",
                     note("a") + "[failure]\npolicy = \"retry\"\nattempts = 2\ndelay_secs = 0.1\nto = \"good\"\n");
    story().at = [&](const std::string& line, features::ActionContext*) {
        return line == "tag.a.activating(client)" ? Status::failed("no") : Status::ok();
    };
    Stage& server = house.stage("server", NetMode::DedicatedServer);
    Stage& client = house.stage("client", NetMode::Client);
    Stage& other = house.stage("other", NetMode::Client);
    ASSERT_TRUE(server.host().set_experience("tag").is_ok());
    house.settle();
    Playhouse::carry(server, client);
    Playhouse::carry(server, other);
    house.settle(30);
    EXPECT_EQ(client.host().state(), LoadState::Failed);  // it does not fall back
    EXPECT_EQ(client.host().explain_failure().attempts.size(), 2u);
    EXPECT_EQ(client.host().generation(), server.host().generation());
    EXPECT_TRUE(server.host().is_experience_loaded());
    EXPECT_TRUE(other.host().is_experience_loaded());
    ASSERT_TRUE(server.host().set_experience("good").is_ok());
    house.settle();
    Playhouse::carry(server, client);
    house.settle();
    EXPECT_TRUE(client.host().is_experience_loaded());
}

TEST_F(HostFailure, when_the_server_fails_its_clients_fail_with_its_cause) {
    // E-114, E-22
    house.experience("good", note("g"));
    house.experience("bad", failing("b"));
    Stage& server = house.stage("server", NetMode::DedicatedServer);
    Stage& client = house.stage("client", NetMode::Client);
    ASSERT_TRUE(server.host().set_experience("good").is_ok());
    house.settle();
    Playhouse::carry(server, client);
    house.settle();
    EXPECT_TRUE(client.host().is_experience_loaded());
    ASSERT_TRUE(server.host().set_experience("bad").is_ok());
    house.settle();
    EXPECT_EQ(server.host().state(), LoadState::Failed);
    Playhouse::carry(server, client);
    house.settle();
    EXPECT_EQ(client.host().state(), LoadState::Failed);
    EXPECT_EQ(client.host().failure().code, CauseCode::ServerFailed);
    EXPECT_EQ(client.host().failure().text, server.host().failure().to_string());
    EXPECT_EQ(house.held(), "");
}

TEST_F(HostFailure, nothing_is_held_after_a_failure_at_any_step) {
    // E-109, E-78
    const char* const hooks[] = {"registering", "loading", "activating"};
    for (int failing_action = 0; failing_action < 3; ++failing_action)
        for (const char* hook : hooks)
            for (const bool of_feature : {false, true}) {
                SCOPED_TRACE(fmt::format("{} {} {}", failing_action, hook, of_feature));
                Playhouse own;
                own.thing("a");
                std::string actions;
                for (int i = 0; i < 3; ++i)
                    actions +=
                        note(fmt::format("n{}", i), i == failing_action ? fmt::format("fails = \"{}\"", hook) : "");
                own.feature("base", note("base"));
                own.feature("ball", features::needs("base") + (of_feature ? actions : ""));
                own.experience("tag", "assets = [\"thing:a\"]\nfeatures = [\"ball\"]\n" + (of_feature ? "" : actions));
                Stage& there = own.stage();
                const std::uint64_t before = world_hash(there.world());
                ASSERT_TRUE(there.host().set_experience("tag").is_ok());
                own.settle(20);
                EXPECT_EQ(there.host().state(), LoadState::Failed);
                EXPECT_EQ(own.held(), "");
                EXPECT_EQ(world_hash(there.world()), before);
            }
}

TEST_F(HostFailure, of_many_attempts_the_first_and_the_newest_are_kept_and_the_others_counted) {
    // E-108, E-111, X-31
    house.experience("tag", failing("a") + "[failure]\npolicy = \"retry\"\nattempts = 400\ndelay_secs = 0\n");
    set("tag", 2000);
    ASSERT_EQ(host().state(), LoadState::Failed);
    ASSERT_FALSE(host().seconds_to_next_attempt().has_value());
    const FailureReport report = host().explain_failure();
    ASSERT_EQ(report.attempts.size(), 256u);
    EXPECT_EQ(report.attempts.front().generation, 1u);
    EXPECT_EQ(report.attempts.front().decision, "retry 2 of 400 in 0 s");
    EXPECT_EQ(report.attempts[127].decision, "retry 129 of 400 in 0 s");
    EXPECT_EQ(report.attempts[128].decision, "retry 274 of 400 in 0 s");
    EXPECT_EQ(report.attempts.back().decision, "stay failed");
    EXPECT_LT(report.attempts.back().seconds_ago, report.attempts.front().seconds_ago);
    EXPECT_NE(report.to_text().find("5 of 400 in 0 s\n  392 more\n  experience:tag (generation 397)"), std::string::npos)
        << report.to_text();
    const Cause& cause = host().failure();
    ASSERT_EQ(cause.earlier.size(), Cause::kMaxOthers);
    EXPECT_EQ(cause.earlier.back(), "and 368 more");  // of 399
}

TEST_F(HostFailure, no_source_that_names_a_known_experience_is_a_failure_that_lists_them) {
    // E-17, E-07, E-12, E-16, X-28
    house.experience("tag", "");
    stage = &house.stage();
    SelectionSources sources;
    sources.command_line = "tagg";
    int failed = 0;
    CallbackHandle callback = host().call_or_register_on_experience_failed({}, [&](const Cause&) { ++failed; });
    EXPECT_TRUE(host().init_game(sources).is_ok());
    EXPECT_EQ(host().state(), LoadState::Unloaded);
    house.frame();
    EXPECT_EQ(host().state(), LoadState::Failed);
    EXPECT_EQ(host().failure().code, CauseCode::NoExperienceChosen);
    EXPECT_NE(host().failure().text.find("ProjectDefault"), std::string::npos) << host().failure().text;
    EXPECT_EQ(failed, 1);
    EXPECT_NE(house.last_report("experience.unknown").find("tag"), std::string::npos);

    Stage& second = house.stage("second");
    sources.project_default = "tag";
    EXPECT_TRUE(second.host().init_game(sources).is_ok());
    EXPECT_TRUE(second.host().experience_id().is_none());
    house.frame();
    EXPECT_EQ(second.host().experience_id().to_string(), "experience:tag");
    house.settle(5);
    EXPECT_TRUE(second.host().is_experience_loaded());
    EXPECT_EQ(second.host().explain_selection().winner, Source::ProjectDefault);
    EXPECT_NE(house.last_report("experience.selected").find("ProjectDefault"), std::string::npos);
    EXPECT_EQ(house.last_report("experience.selected"), "experience:tag, by ProjectDefault");
    EXPECT_EQ(house.reports("experience.unknown"), 2u);  // one for each that asked
    const auto& lines = house.runtime().trace().lines();
    const auto selected = std::find_if(lines.rbegin(), lines.rend(),
                                       [](const TraceLine& line) { return line.kind == Name("experience.selected"); });
    ASSERT_NE(selected, lines.rend());
    EXPECT_EQ(selected->subject, "experience:tag");
    EXPECT_EQ(selected->detail, "ProjectDefault");

    Stage& third = house.stage("third");  // set before: nothing is selected
    EXPECT_TRUE(third.host().init_game(sources).is_ok());
    house.experience("chess", "");
    EXPECT_TRUE(third.host().set_experience("chess").is_ok());
    house.settle(5);
    EXPECT_EQ(third.host().experience_id().to_string(), "experience:chess");
}

}  // namespace host_failure_test
}  // namespace lyre::experience
