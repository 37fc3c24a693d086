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

}  // namespace host_content_test
}  // namespace lyre::experience
