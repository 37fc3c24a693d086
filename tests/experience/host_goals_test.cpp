// What a host is asked for, and when it may not be.
#include "tests/experience/playhouse.h"

namespace lyre::experience {
namespace host_goals_test {

struct HostGoals : testing::Test {
    HostGoals() {
        house.experience("tag", note("t"));
        house.experience("fading", note("a", "pauses = true"));
        sources.project_default = "tag";
    }
    Stage& loaded(std::string_view id) {
        Stage& stage = house.stage();
        EXPECT_TRUE(stage.host().set_experience(id).is_ok());
        house.settle(12);
        EXPECT_TRUE(stage.host().is_experience_loaded());
        return stage;
    }
    Playhouse house;
    SelectionSources sources;
};

TEST_F(HostGoals, sources_that_come_while_it_is_left_are_asked_when_it_has_been) {
    // E-07, E-98
    house.feature("sprint", note("s"));
    const assets::PrimaryAssetId sprint{Name("feature"), Name("sprint")};
    Stage& stage = loaded("fading");
    ASSERT_TRUE(stage.host().clear_experience("").is_ok());
    ASSERT_EQ(stage.host().state(), LoadState::Deactivating);
    EXPECT_TRUE(stage.host().init_game(sources, {sprint}).is_ok());
    house.settle(3);
    EXPECT_EQ(stage.host().state(), LoadState::Deactivating);
    story().tokens.clear();
    house.settle(8);
    EXPECT_TRUE(stage.host().is_experience_loaded());
    EXPECT_EQ(stage.host().experience_id().to_string(), "experience:tag");
    EXPECT_EQ(stage.host().published().overlays, std::vector{sprint});
}

TEST_F(HostGoals, sources_that_come_in_the_callback_that_clears_are_asked_when_it_has_been_left) {
    // E-07, E-104
    Stage& stage = house.stage();
    CallbackHandle loaded =
        stage.host().call_or_register_on_experience_loaded(Priority::High, {}, [&](const ExperienceDefinition&) {
            EXPECT_TRUE(stage.host().clear_experience("").is_ok());
            EXPECT_TRUE(stage.host().init_game(sources).is_ok());
        });
    ASSERT_TRUE(stage.host().set_experience("fading").is_ok());
    house.settle(8);
    story().tokens.clear();
    house.settle(8);
    EXPECT_TRUE(stage.host().is_experience_loaded());
    EXPECT_EQ(stage.host().experience_id().to_string(), "experience:tag");
}

TEST_F(HostGoals, a_clear_takes_sources_back_that_were_not_asked_yet) {
    // E-07
    Stage& stage = loaded("fading");
    ASSERT_TRUE(stage.host().clear_experience("").is_ok());
    ASSERT_TRUE(stage.host().init_game(sources).is_ok());
    ASSERT_TRUE(stage.host().clear_experience("").is_ok());
    story().tokens.clear();
    house.settle(8);
    EXPECT_EQ(stage.host().state(), LoadState::Unloaded);
}

TEST_F(HostGoals, sources_are_refused_when_it_has_failed_and_change_nothing) {
    // E-07, E-17
    house.feature("sprint", note("s"));
    house.experience("bad", note("b", "fails = \"activating\""));
    Stage& stage = house.stage();
    ASSERT_TRUE(stage.host().set_experience("bad").is_ok());
    house.settle(8);
    ASSERT_EQ(stage.host().state(), LoadState::Failed);
    EXPECT_EQ(stage.host().init_game(sources, {{Name("feature"), Name("sprint")}}).code(), StatusCode::Refused);
    house.experience("bad", note("a", "pauses = true") + note("b", "fails = \"activating\""));
    ASSERT_TRUE(stage.host().retry_experience().is_ok());
    house.settle(8);
    ASSERT_EQ(stage.host().state(), LoadState::Deactivating);  // it has failed, and is leaving what it has
    EXPECT_EQ(stage.host().init_game(sources, {{Name("feature"), Name("sprint")}}).code(), StatusCode::Refused);
    story().tokens.clear();
    ASSERT_TRUE(stage.host().set_experience("tag").is_ok());
    house.settle(8);
    EXPECT_TRUE(stage.host().is_experience_loaded());
    EXPECT_TRUE(stage.host().published().overlays.empty());
}

TEST_F(HostGoals, an_assignment_that_closes_the_world_is_not_asked_what_comes) {
    // E-119, X-26
    Stage& stage = house.stage();
    sources.assignment = [&] {
        house.experiences().close_world(*stage.game, "an operator says so");
        return std::string();
    };
    ASSERT_TRUE(stage.host().init_game(sources).is_ok());
    house.settle(8);
    EXPECT_EQ(stage.game->world(), nullptr);
    EXPECT_EQ(house.log(), "");
    EXPECT_EQ(house.held(), "");
}

TEST_F(HostGoals, an_assignment_that_clears_has_decided) {
    // E-07
    Stage& stage = house.stage();
    sources.assignment = [&] {
        EXPECT_TRUE(stage.host().clear_experience("nothing is to be played").is_ok());
        return std::string();
    };
    ASSERT_TRUE(stage.host().init_game(sources).is_ok());
    house.settle(8);
    EXPECT_EQ(stage.host().state(), LoadState::Unloaded);
    EXPECT_EQ(house.log(), "");
}

TEST_F(HostGoals, a_closing_world_takes_no_sources) {
    // E-119
    Stage& stage = loaded("fading");
    house.experiences().close_world(*stage.game, "over");
    EXPECT_EQ(stage.host().init_game(sources).code(), StatusCode::Refused);
    story().tokens.clear();
    house.settle(4);
    EXPECT_EQ(stage.game->world(), nullptr);
}

TEST_F(HostGoals, a_choice_that_was_held_up_does_not_keep_a_closing_world) {
    // E-119, X-26
    FaultRule held;
    held.stage = FaultStage::ReplicatedChoice;
    held.match = "experience:tag";
    held.effect = FaultEffect::Delay;
    held.seconds = 1;
    Playhouse own(std::make_shared<FaultPlan>(FaultPlanDef{{held}}, 1));
    own.experience("tag", note("t"));
    own.experience("fading", note("a", "pauses = true"));
    own.experience("other", note("o"));
    Stage& server = own.stage("server", NetMode::DedicatedServer);
    Stage& client = own.stage("client", NetMode::Client);
    ASSERT_TRUE(server.host().set_experience("fading").is_ok());
    own.settle(8);
    Playhouse::carry(server, client);
    own.settle(8);
    ASSERT_TRUE(client.host().is_experience_loaded());
    for (const char* id : {"other", "tag"}) {  // the clear of the client's world takes a number of its own
        ASSERT_TRUE(server.host().set_experience(id).is_ok());
        own.settle(4);
        story().tokens.clear();
    }
    own.settle(12);
    ASSERT_TRUE(server.host().is_experience_loaded());
    Playhouse::carry(server, client);  // held up
    own.experiences().close_world(*client.game, "over");
    ASSERT_EQ(client.host().state(), LoadState::Deactivating);
    own.frame(1.1);  // it would come now
    own.frame();
    story().tokens.clear();
    own.settle(8);
    EXPECT_EQ(client.game->world(), nullptr);
}

}  // namespace host_goals_test
}  // namespace lyre::experience
