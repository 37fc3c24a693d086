// What lies in the content of a feature that an experience brings.
#include "tests/experience/playhouse.h"

namespace lyre::experience {
namespace host_content_test {

struct HostContent : testing::Test {
    HostContent() {
        house.inner.files.write("features/core/content/hall.thing.toml", "size = 3\n");
        house.inner.files.write("features/core/content/attic.thing.toml", "size = 4\n");
        house.feature("core", note("core"));
    }
    Host& host() { return stage.host(); }
    const features::Thing* find(std::string_view id) {
        return house.assets().find<features::Thing>(*assets::PrimaryAssetId::parse(id));
    }
    Playhouse house;
    Stage& stage = house.stage();
};

TEST_F(HostContent, an_asset_of_a_feature_is_loaded_when_the_feature_is_there_and_before_the_actions_run) {
    // E-36, E-39, X-39
    house.experience("tag",
                     "features = [\"core\"]\nassets = [\"thing:hall\"]\npreload = [\"thing:attic\"]\n" + note("a"));
    house.inner.executor.hold("hall");
    ASSERT_TRUE(host().set_experience("tag").is_ok());
    house.settle();
    EXPECT_EQ(host().state(), LoadState::LoadingGameFeatures);
    ASSERT_FALSE(host().explain_loading().pending.empty());
    EXPECT_EQ(host().explain_loading().pending[0].id, "thing:hall");
    house.inner.executor.release("hall");
    house.settle();
    ASSERT_TRUE(host().is_experience_loaded()) << host().explain_failure().to_text();
    EXPECT_NE(find("thing:hall"), nullptr);
    EXPECT_NE(find("thing:attic"), nullptr);
    EXPECT_TRUE(host().clear_experience("").is_ok());
    house.settle();
    EXPECT_EQ(house.held(), "");
    EXPECT_EQ(house.reports("feature.asset_held"), 0u);
}

TEST_F(HostContent, an_asset_that_no_feature_brings_is_a_failure_and_a_preload_is_told_and_done_without) {
    // E-36, E-39, E-108
    house.experience("tag", "features = [\"core\"]\nassets = [\"thing:hal\"]\n");
    ASSERT_TRUE(host().set_experience("tag").is_ok());
    house.settle();
    EXPECT_EQ(host().failure().code, CauseCode::AssetFailed);
    EXPECT_EQ(host().failure().asset.to_string(), "thing:hal");
    EXPECT_EQ(host().failure().stage, LoadState::LoadingGameFeatures);
    EXPECT_EQ(house.held(), "");
    house.experience("later", "features = [\"core\"]\npreload = [\"thing:atic\"]\n");
    ASSERT_TRUE(host().set_experience("later").is_ok());
    house.settle();
    EXPECT_TRUE(host().is_experience_loaded()) << host().explain_failure().to_text();
    EXPECT_EQ(house.reports("experience.preload"), 1u);
    EXPECT_NE(house.last_report("experience.preload").find("thing:atic"), std::string::npos);
}

TEST_F(HostContent, a_switch_between_experiences_that_share_the_feature_keeps_its_asset) {
    // X-01, E-36
    const std::string both = "features = [\"core\"]\nassets = [\"thing:hall\"]\n";
    house.experience("tag", both);
    house.experience("other", both);
    ASSERT_TRUE(host().set_experience("tag").is_ok());
    house.settle();
    const auto* hall = find("thing:hall");
    ASSERT_NE(hall, nullptr);
    house.log();
    ASSERT_TRUE(host().set_experience("other").is_ok());
    house.settle();
    EXPECT_TRUE(host().is_experience_loaded()) << host().explain_failure().to_text();
    EXPECT_EQ(find("thing:hall"), hall);
    EXPECT_EQ(house.log(), "");
}

// Features that ask for time when they leave: others are updated meanwhile.
struct HostContentLeaves : HostContent {
    HostContentLeaves() {
        house.inner.files.write("features/base/content/cellar.thing.toml", "size = 5\n");
        house.feature("base", note("base", "pauses = true"));
        house.feature("core", features::needs("base") + note("core", "pauses = true"));
        house.settle(3);
    }
    void load(Stage& at, std::string_view id = "tag") {
        ASSERT_TRUE(at.host().set_experience(id).is_ok());
        house.settle(12);
        ASSERT_TRUE(at.host().is_experience_loaded()) << at.host().explain_failure().to_text();
    }
    // Each feature asks for time in its turn.
    void leave(Stage& at) {
        EXPECT_TRUE(at.host().clear_experience("").is_ok());
        for (int i = 0; i < 4; ++i) {
            house.settle(6);
            story().tokens.clear();
        }
        house.settle(12);
        EXPECT_EQ(at.host().state(), LoadState::Unloaded);
        EXPECT_EQ(house.reports("feature.asset_held"), 0u) << house.last_report("feature.asset_held");
        EXPECT_EQ(house.reports("feature.refused"), 0u) << house.last_report("feature.refused");
    }
};

TEST_F(HostContentLeaves, what_features_brought_goes_before_they_do) {
    // E-77, E-82, E-116
    house.experience("tag", "features = [\"core\"]\nassets = [\"thing:hall\", \"thing:cellar\"]\n" + note("a"));
    load(stage);
    leave(stage);
    EXPECT_EQ(house.held(), "");
}

TEST_F(HostContentLeaves, what_actions_asked_for_and_what_is_preloaded_goes_before_features_too) {
    // E-77, E-82, E-39, E-120
    house.experience("tag",
                     "features = [\"core\"]\npreload = [\"thing:cellar\"]\n"
                     "[[action]]\nkind = \"add_assets\"\nassets = [\"thing:hall\"]\n" +
                         note("a"));
    load(stage);
    ASSERT_NE(find("thing:hall"), nullptr);
    ASSERT_NE(find("thing:cellar"), nullptr);
    leave(stage);
    EXPECT_EQ(house.held(), "");
}

TEST_F(HostContentLeaves, a_switch_gives_back_what_lies_in_a_feature_before_it_goes) {
    // X-01, E-77
    house.thing("own");
    house.experience("tag", "features = [\"core\"]\nassets = [\"thing:own\", \"thing:hall\"]\n" + note("a"));
    house.experience("other", "features = [\"base\"]\nassets = [\"thing:own\", \"thing:cellar\"]\n" + note("a"));
    load(stage);
    const auto* own = find("thing:own");
    ASSERT_TRUE(host().set_experience("other").is_ok());
    house.settle(6);
    story().tokens.clear();
    house.settle(6);
    ASSERT_TRUE(host().is_experience_loaded()) << host().explain_failure().to_text();
    EXPECT_EQ(find("thing:own"), own);
    EXPECT_EQ(find("thing:hall"), nullptr);
    EXPECT_NE(find("thing:cellar"), nullptr);
    leave(stage);
    EXPECT_EQ(house.held(), "");
}

TEST_F(HostContentLeaves, what_another_world_has_brought_is_asked_for_when_the_feature_is_here) {
    // E-36, E-77, E-90
    house.experience("tag",
                     "features = [\"core\"]\nassets = [\"thing:hall\"]\n"
                     "[[action]]\nkind = \"add_assets\"\nassets = [\"thing:cellar\"]\n");
    Stage& other = house.stage("other");
    load(other);
    load(stage);
    const auto index_of = [&](std::string_view line) {
        const auto all = host().taken();
        return std::find(all.begin(), all.end(), line) - all.begin();
    };
    EXPECT_LT(index_of("asset thing:hall"), static_cast<std::ptrdiff_t>(host().taken().size()));
    EXPECT_LT(index_of("asset thing:cellar"), static_cast<std::ptrdiff_t>(host().taken().size()));
    leave(other);
    leave(stage);
    EXPECT_EQ(house.held(), "");
}

TEST_F(HostContentLeaves, what_is_decoded_and_has_not_run_goes_before_the_feature_of_its_kind) {
    // E-77, E-116, E-120
    static const features::ModuleEntry entry =
        features::linked_entry("foreign", "1.0.0", [](features::Registrar& feature) { feature.type<Foreign>(); });
    ASSERT_TRUE(house.inner.modules.add(entry).is_ok());
    house.feature("foreign", "[module]\nname = \"foreign\"\n" + features::needs("base"));
    house.experience("tag", "features = [\"foreign\"]\n" + note("a", "fails = \"activating\"") +
                                "[[action]]\nkind = \"foreign\"\nlabel = \"late\"\n");
    ASSERT_TRUE(host().set_experience("tag").is_ok());
    house.settle(12);
    EXPECT_EQ(house.features().state(Name("foreign")), features::FeatureState::Installed) << "base asks for time";
    EXPECT_EQ(house.reports("feature.refused"), 0u) << house.last_report("feature.refused");
    story().tokens.clear();
    house.settle(12);
    EXPECT_EQ(host().state(), LoadState::Failed);
    EXPECT_EQ(house.held(), "");
}

TEST(HostSettings, what_an_experience_sets_of_a_feature_holds_over_a_reload_of_that) {
    //
    Playhouse house;
    house.feature("ball", "[[variable]]\nname = \"ball.Speed\"\ndefault = 1.0\n" + note("n"));
    house.experience("tag",
                     "features = [\"ball\"]\n[[action]]\nkind = \"set_variables\"\n"
                     "variables = { ball = { Speed = 9.0 } }\n");
    Stage& stage = house.stage();
    ASSERT_TRUE(stage.host().set_experience("tag").is_ok());
    house.frames(12);
    const auto speed = [&] { return format_value(stage.world().variables().describe("ball.Speed")->value); };
    EXPECT_EQ(speed(), "9");
    std::string answer;
    house.features().reload(Name("ball"), [&](const features::FeatureResult& r) { answer = r.to_string(); });
    house.frames(20);
    EXPECT_EQ(answer, "ok");
    EXPECT_EQ(speed(), "9");
    ASSERT_TRUE(stage.host().clear_experience("").is_ok());
    house.frames(12);
    EXPECT_EQ(house.held(), "");
}

}  // namespace host_content_test
}  // namespace lyre::experience
