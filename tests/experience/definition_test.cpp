#include "lyre/experience/definition.h"

#include <gtest/gtest.h>

#include "lyre/core/virtual_executor.h"
#include "lyre/core/virtual_files.h"
#include "lyre/experience/cause.h"
#include "lyre/experience/experience_codes.h"
#include "lyre/world/runtime.h"

#include "tests/experience/written.h"

namespace lyre::experience {
namespace definition_test {

const char* const kEveryKey = R"(title       = "Control points"
pawn        = "hero"
features    = ["arena", { id = "bots", need = "optional", side = "server", versions = "^1.2" }]
action_sets = ["input", "action_set:hud"]
assets      = ["map:yard"]
preload     = ["map:cellar"]
late_join   = "when_client_loaded"
keep_player_state_secs = 20
[failure]
policy   = "retry"
attempts = 5
delay_secs = 0.5
to       = "frontend"
[unload]
policy = "keep_warm"
count = 4
seconds = 60
[barrier]
need = -1
limit_secs = 12
on_expiry  = "fail"
[limits]
stage_secs  = 90
pauser_secs = 0
[[action]]
kind = "add_weather"
strength = 0.5
)";

TEST(ExperienceDefinition, every_key_of_the_file_is_a_value_of_the_definition) {
    // E-01
    const WrittenExperience written(kEveryKey);
    EXPECT_EQ(written.said(), "");
    const ExperienceDefinition& def = written.def;
    EXPECT_EQ(def.title, "Control points");
    EXPECT_EQ(def.pawn.to_string(), "pawn_data:hero");
    ASSERT_EQ(def.features.size(), 2u);
    EXPECT_EQ(def.features[0].id, Name("arena"));
    EXPECT_EQ(def.features[0].need, features::Need::Required);
    EXPECT_EQ(def.features[0].side, features::Side::Both);
    EXPECT_TRUE(def.features[0].versions.is_any());
    EXPECT_EQ(def.features[1].need, features::Need::Optional);
    EXPECT_EQ(def.features[1].side, features::Side::Server);
    EXPECT_EQ(def.features[1].versions.to_string(), "^1.2");
    EXPECT_EQ(def.action_sets, (std::vector{Name("input"), Name("hud")}));
    EXPECT_EQ(def.assets.at(0).to_string(), "map:yard");
    EXPECT_EQ(def.preload.at(0).to_string(), "map:cellar");
    EXPECT_EQ(def.late_join, LateJoin::WhenClientLoaded);
    EXPECT_EQ(def.keep_player_state_secs, 20);
    EXPECT_EQ(def.failure.policy, FailureKind::Retry);
    EXPECT_EQ(def.failure.attempts, 5);
    EXPECT_EQ(def.failure.delay_secs, 0.5);
    EXPECT_EQ(def.failure.to_experience().to_string(), "experience:frontend");
    EXPECT_EQ(def.unload.to_policy().kind, features::UnloadPolicy::Kind::KeepWarm);
    EXPECT_EQ(def.unload.to_policy().count, 4u);
    EXPECT_EQ(def.unload.to_policy().seconds, 60);
    EXPECT_EQ(def.barrier.need, -1);
    EXPECT_EQ(def.barrier.limit_secs, 12);
    EXPECT_EQ(def.barrier.on_expiry, OnExpiry::Fail);
    EXPECT_EQ(def.limits.stage_secs, 90);
    EXPECT_EQ(def.limits.pauser_secs, 0);
    ASSERT_EQ(def.actions.size(), 1u);
    EXPECT_EQ(def.actions[0].kind(), "add_weather");
    EXPECT_EQ(def.actions[0].written().find("strength")->as_float(), 0.5);
}

TEST(ExperienceDefinition, a_file_that_writes_all_defaults_out_is_the_empty_file) {
    // E-01
    const WrittenExperience written(R"(title = ""
pawn = ""
features = []
action_sets = []
assets = []
preload = []
late_join = "immediate"
keep_player_state_secs = 0
[failure]
policy = "stay_failed"
attempts = 3
delay_secs = 1.0
to = ""
[unload]
policy = "unload_now"
[barrier]
need = 0
limit_secs = 30
on_expiry = "start"
[limits]
stage_secs = -1
pauser_secs = -1
)");
    EXPECT_EQ(written.said(), "");
    const WrittenExperience empty("");
    EXPECT_TRUE(value_type<ExperienceDefinition>().equal(&written.def, &empty.def));
    EXPECT_TRUE(written.def.pawn.is_none());
    EXPECT_EQ(written.def.unload.to_policy().kind, features::UnloadPolicy::Kind::UnloadNow);
}

TEST(ExperienceDefinition, an_experience_that_names_a_parent_is_refused_and_told_of_action_sets) {
    // E-04
    EXPECT_EQ(
        WrittenExperience("parent = \"base\"").said(),
        "LY-4001 tag.experience.toml:1:10: \"parent\" in experience:tag: an experience is not derived from another "
        "(\"base\") (put what both have in common into an ActionSet, and name it in action_sets of both)\n");
    EXPECT_EQ(WrittenExperience("parent = \"\"").said(), "");
}

TEST(ExperienceDefinition, a_set_that_names_sets_is_refused_with_its_place) {
    // E-02
    EXPECT_EQ(WrittenSet("features = [\"a\"]\naction_sets = [\"hud\"]\n").said(),
              "LY-4002 tag.action_set.toml:2:15: \"action_sets\" in action_set:tag: sets do not nest (name all sets in "
              "action_sets of the experience)\n");
    const WrittenSet set("features = [\"a\"]\n[[action]]\nkind = \"x\"\n");
    EXPECT_EQ(set.said(), "");
    EXPECT_EQ(set.def.features.at(0).id, Name("a"));
    EXPECT_EQ(set.def.actions.at(0).kind(), "x");
}

TEST(ExperienceDefinition, empty_entries_are_read_as_none) {
    // E-05
    const WrittenExperience written(R"(features = ["", {}, "a", { need = "optional" }]
action_sets = ["", "hud"]
assets = [""]
preload = ["", "map:yard"]
[[action]]
[[action]]
kind = "x"
)");
    EXPECT_EQ(written.said(), "");
    const ExperienceDefinition& def = written.def;
    EXPECT_FALSE(def.features.at(0).id);
    EXPECT_FALSE(def.features.at(1).id);
    EXPECT_TRUE(def.features.at(2).id);
    EXPECT_FALSE(def.features.at(3).id);
    EXPECT_EQ(def.action_sets, (std::vector{Name(), Name("hud")}));
    EXPECT_TRUE(def.assets.at(0).is_none());
    EXPECT_TRUE(def.preload.at(0).is_none());
    EXPECT_TRUE(def.actions.at(0).is_none());
    EXPECT_FALSE(def.actions.at(1).is_none());
}

TEST(ExperienceDefinition, the_sets_to_load_are_those_named_each_once) {
    // E-33
    const WrittenExperience written(R"(action_sets = ["b", "", "a", "action_set:b", "a"])");
    std::string sets;
    for (const assets::PrimaryAssetId& id : sets_of(written.def)) sets += id.to_string() + " ";
    EXPECT_EQ(sets, "action_set:b action_set:a ");
}

TEST(ExperienceDefinition, settings_that_contradict_each_other_are_refused_with_what_would_mend_them) {
    // E-111
    EXPECT_EQ(
        WrittenExperience("[failure]\npolicy = \"fall_back\"\n").said(),
        "LY-4004 tag.experience.toml:2:10: failure in experience:tag does not say what to fall back to (write to = "
        "\"previous\", or the name of an experience)\n");
    EXPECT_EQ(
        WrittenExperience("[failure]\nto = \"lobby\"\nattempts = 4\n").said(),
        "LY-4005 tag.experience.toml:2:6: \"to\" of failure in experience:tag does nothing with this policy (write "
        "policy = \"fall_back\", or take it out)\n"
        "LY-4005 tag.experience.toml:3:12: \"attempts\" of failure in experience:tag does nothing with this policy "
        "(write policy = \"retry\", or take it out)\n");
    EXPECT_EQ(WrittenExperience("[unload]\nseconds = 4\n").said(),
              "LY-4005 tag.experience.toml:2:11: \"seconds\" of unload in experience:tag does nothing with this policy "
              "(write policy = \"keep_warm\", or take it out)\n");
    EXPECT_EQ(WrittenExperience("[failure]\npolicy = \"retry\"\nto = \"previous\"\n").said(), "");
    const std::string all = WrittenExperience("late_join = 3\n[unload]\ncount = 4\n").said();
    EXPECT_NE(all.find("LY-4005 tag.experience.toml:3:9: \"count\" of unload"), std::string::npos) << all;
}

TEST(ExperienceDefinition, numbers_that_make_no_sense_are_refused) {
    for (const char* toml :
         {"keep_player_state_secs = -1", "[failure]\npolicy = \"retry\"\nattempts = 0",
          "[failure]\npolicy = \"retry\"\ndelay_secs = -0.5", "[unload]\npolicy = \"keep_warm\"\ncount = -1",
          "[unload]\npolicy = \"keep_warm\"\nseconds = -1", "[barrier]\nneed = -2", "[barrier]\nlimit_secs = -1",
          "[limits]\nstage_secs = -2", "[limits]\npauser_secs = inf"}) {
        const WrittenExperience written(toml);
        EXPECT_EQ(written.problems.count(), 1u) << toml << "\n" << written.said();
    }
}

TEST(ExperienceDefinition, lists_are_bounded) {
    std::string toml = "features = [";
    for (std::size_t i = 0; i <= kMaxFeatureEntries; ++i) toml += fmt::format("\"f{}\", ", i);
    const std::string said = WrittenExperience(toml + "]").said();
    EXPECT_NE(said.find("LY-4003"), std::string::npos) << said;
    EXPECT_NE(said.find("1025 entries; 1024 are allowed"), std::string::npos) << said;
}

TEST(ExperienceDefinition, previous_is_no_experience_unless_its_type_is_written) {
    // E-111
    FailurePolicy policy;
    policy.to = Name("previous");
    EXPECT_TRUE(policy.is_to_previous());
    EXPECT_TRUE(policy.to_experience().is_none());
    policy.to = Name("experience:previous");
    EXPECT_FALSE(policy.is_to_previous());
    EXPECT_EQ(policy.to_experience().to_string(), "experience:previous");
    policy.to = Name("map:yard");
    EXPECT_TRUE(policy.to_experience().is_none());
    policy.to = Name();
    EXPECT_TRUE(policy.to_experience().is_none());
}

TEST(ExperienceDefinition, experiences_and_sets_are_content_whose_hash_covers_actions_of_unknown_kind) {
    // E-01, E-101, E-120
    VirtualClock clock;
    Runtime runtime(clock);
    VirtualFiles files;
    VirtualExecutor executor{clock, {.workers = 2}};
    assets::Assets assets{{runtime.types(), runtime.tags(), runtime.log(), clock, files, executor}};
    ASSERT_TRUE(add_content_types(assets.types()).is_ok());
    files.write("content/a.experience.toml", "action_sets = [\"s\", \"\"]\n[[action]]\nkind = \"fly\"\nspeed = 1\n");
    files.write("content/b.experience.toml",
                "# alike\naction_sets = [\"s\", \"\"]\n[[action]]\nspeed = 1\nkind = \"fly\"\n");
    files.write("content/c.experience.toml", "action_sets = [\"s\", \"\"]\n[[action]]\nkind = \"fly\"\nspeed = 2\n");
    files.write("content/s.action_set.toml", "features = [\"sky\"]\n");
    ASSERT_TRUE(assets.registry().add_folder("content", Name("project")).is_ok());
    const auto ids = assets.registry().all();
    ASSERT_EQ(ids.size(), 4u);
    const assets::LoadHandle hold = assets.load_assets(ids);
    assets.finish(hold);
    ASSERT_TRUE(hold.is_complete()) << hold.problems().to_text();
    const auto id = [](const char* name) { return assets::PrimaryAssetId{Name("experience"), Name(name)}; };
    const auto* def = assets.find<ExperienceDefinition>(id("a"));
    ASSERT_NE(def, nullptr);
    EXPECT_EQ(def->actions.at(0).get(), nullptr);
    EXPECT_EQ(assets.content_hash(id("a")).value(), assets.content_hash(id("b")).value());
    EXPECT_NE(assets.content_hash(id("a")).value(), assets.content_hash(id("c")).value());
    EXPECT_NE(assets.find<ActionSet>({Name("action_set"), Name("s")}), nullptr);
}

TEST(ExperienceCodes, numbers_rise_and_are_of_this_room) {
    int last = 4000;
    for (const ProblemCode* code : experience_codes()) {
        EXPECT_EQ(code->number, ++last);
        EXPECT_FALSE(code->title.empty());
        EXPECT_FALSE(code->help.empty());
    }
}

TEST(Cause, states_and_codes_have_names_and_a_cause_reads_as_a_line) {
    // E-31, E-108
    std::string states, codes;
    for (std::size_t i = 0; i < kLoadStates; ++i) states += fmt::format("{} ", to_string(static_cast<LoadState>(i)));
    for (std::size_t i = 0; i < kCauseCodes; ++i) codes += fmt::format("{} ", to_string(static_cast<CauseCode>(i)));
    EXPECT_EQ(
        states,
        "Unloaded Loading LoadingGameFeatures LoadingChaosTestingDelay ExecutingActions Loaded Deactivating Failed ");
    EXPECT_EQ(codes,
              "None NoExperienceChosen DefinitionFailed ContentMismatch AssetFailed AssetLoadCancelled UnknownFeature "
              "DependencyConflict FeatureFailed ActionFailed StageTimeout BarrierTimeout ServerFailed ");
    Cause cause;
    EXPECT_TRUE(cause.is_none());
    EXPECT_EQ(cause.to_string(), "None");
    cause.code = CauseCode::FeatureFailed;
    cause.text = "bots: no";
    EXPECT_EQ(cause.to_string(), "FeatureFailed: bots: no");
    cause.feature = Name("bots");
    EXPECT_EQ(cause.to_string(), "FeatureFailed: bots: no");
    cause.text = "robots: no";
    EXPECT_EQ(cause.to_string(), "FeatureFailed: feature bots: robots: no");
    cause.text = "no";
    EXPECT_EQ(cause.to_string(), "FeatureFailed: feature bots: no");
    cause.text = "";
    EXPECT_EQ(cause.to_string(), "FeatureFailed: feature bots");
    EXPECT_EQ(value_type<CauseCode>().print(&cause.code), "FeatureFailed");
    Cause copy = cause;
    EXPECT_TRUE(value_type<Cause>().equal(&cause, &copy));
}

}  // namespace definition_test
}  // namespace lyre::experience
