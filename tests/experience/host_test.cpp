#include "lyre/experience/host.h"

#include "tests/experience/playhouse.h"

namespace lyre::experience {
namespace host_test {

using Kind = SetOutcome::Kind;

TEST(Host, an_experience_is_loaded_played_and_left) {
    // E-32, E-46, E-50, E-106, E-79, E-82
    Playhouse house;
    house.experience("tag", note("a") + note("b"));
    Stage& stage = house.stage();
    int activated = 0;
    story().at = [&](const std::string& line, features::ActionContext*) {
        if (line.find(".activated") != std::string::npos) {
            EXPECT_EQ(stage.host().state(), LoadState::ExecutingActions);
            ++activated;
        }
        return Status::ok();
    };
    auto ticket = stage.host().set_experience("tag");
    ASSERT_TRUE(ticket.is_ok()) << ticket.status().text();
    EXPECT_EQ(stage.host().state(), LoadState::Loading);
    house.settle();
    EXPECT_EQ(activated, 2);
    EXPECT_EQ(stage.host().state(), LoadState::Loaded) << stage.host().explain_failure().to_text();
    EXPECT_EQ(ticket->outcome().kind, Kind::Loaded);
    EXPECT_EQ(house.trace("arena"), "Loading ExecutingActions Loaded");
    EXPECT_EQ(house.log(),
              "tag.a.registering tag.a.loading tag.a.activating(arena) tag.b.registering tag.b.loading "
              "tag.b.activating(arena) tag.a.activated(arena) tag.b.activated(arena)");
    EXPECT_TRUE(stage.host().clear_experience("over").is_ok());
    EXPECT_EQ(stage.host().state(), LoadState::Unloaded);  // nobody asked for time
    EXPECT_EQ(house.trace("arena"), "Deactivating Unloaded");
    EXPECT_EQ(house.log(),
              "tag.b.deactivating(arena) tag.a.deactivating(arena) tag.b.unloading tag.b.unregistering "
              "tag.a.unloading tag.a.unregistering");
    house.frame();
    EXPECT_EQ(house.held(), "");
}

TEST(Host, the_states_follow_what_the_plan_has_and_whether_a_delay_is_wished) {
    // E-31, E-32, E-46, E-47
    for (const bool has_features : {false, true})
        for (const bool has_delay : {false, true}) {
            Playhouse house;
            house.feature("ball");
            house.experience("tag", has_features ? "features = [\"ball\"]\n" : "");
            if (has_delay) {
                const auto set = house.runtime().variables().set("lyre.chaos.ExperienceDelayLoad.MinSecs", "0.5",
                                                                 {VariableSource::CommandLine, "test"});
                ASSERT_TRUE(set.is_ok()) << set.text();
            }
            const std::string expected = std::string("Loading ") + (has_features ? "LoadingGameFeatures " : "") +
                                         (has_delay ? "LoadingChaosTestingDelay " : "") + "ExecutingActions Loaded";
            for (const NetMode mode : {NetMode::Standalone, NetMode::DedicatedServer, NetMode::ListenServer}) {
                Stage& server = house.stage("server", mode);
                Stage& client = house.stage("client", NetMode::Client);
                ASSERT_TRUE(server.host().set_experience("tag").is_ok());
                house.settle(80);
                Playhouse::carry(server, client);
                house.settle(80);
                EXPECT_TRUE(server.host().is_experience_loaded());
                EXPECT_TRUE(client.host().is_experience_loaded());
                EXPECT_EQ(house.trace("server"), expected);
                EXPECT_EQ(house.trace("client"), expected);
                EXPECT_TRUE(server.host().clear_experience("").is_ok());
                Playhouse::carry(server, client);
                house.settle(3);
                EXPECT_EQ(house.trace("server"), "Deactivating Unloaded");
                EXPECT_EQ(house.trace("client"), "Deactivating Unloaded");
                EXPECT_EQ(house.held(), "");
                server.end();
                client.end();
            }
        }
}

TEST(Host, all_states_have_names) {
    // E-31
    std::string names;
    for (std::size_t i = 0; i < kLoadStates; ++i) names += std::string(to_string(static_cast<LoadState>(i))) + " ";
    EXPECT_EQ(names,
              "Unloaded Loading LoadingGameFeatures LoadingChaosTestingDelay ExecutingActions Loaded Deactivating "
              "Failed ");
}

TEST(Host, a_server_and_clients_walk_the_same_states_each_for_itself) {
    // E-22, E-24, E-101, E-34, E-49
    Playhouse house;
    for (const char* name : {"both", "mine", "theirs"}) house.thing(name);
    house.feature("ball", note("ball"));
    house.experience("tag", "features = [\"ball\"]\n" + note("e", "asset = \"both\"") +
                                note("c", "asset = \"mine\"\nside = \"client\"") +
                                note("s", "asset = \"theirs\"\nside = \"server\""));
    Stage& server = house.stage("server", NetMode::DedicatedServer);
    Stage& client = house.stage("client", NetMode::Client);
    ASSERT_TRUE(server.host().set_experience("tag").is_ok());
    EXPECT_TRUE(server.host().published().experience.is_none());  // the plan is not resolved yet
    house.settle();
    EXPECT_TRUE(server.host().is_experience_loaded());
    EXPECT_EQ(client.host().state(), LoadState::Unloaded);
    EXPECT_EQ(server.host().published().experience.to_string(), "experience:tag");
    EXPECT_NE(server.host().published().content_hash, 0u);
    EXPECT_EQ(house.assets().state({Name("thing"), Name("theirs")}), assets::AssetState::There);
    EXPECT_EQ(house.assets().state({Name("thing"), Name("mine")}), assets::AssetState::Absent);
    Playhouse::carry(server, client);
    EXPECT_EQ(client.host().state(), LoadState::Loading);
    house.settle();
    EXPECT_TRUE(client.host().is_experience_loaded()) << client.host().explain_failure().to_text();
    EXPECT_EQ(house.trace("client"), house.trace("server"));
    EXPECT_EQ(house.assets().state({Name("thing"), Name("mine")}), assets::AssetState::There);
    EXPECT_EQ(house.assets().state({Name("thing"), Name("both")}), assets::AssetState::There);
    EXPECT_TRUE(server.host().clear_experience("done").is_ok());
    EXPECT_TRUE(client.host().is_experience_loaded());  // until it hears of it
    Playhouse::carry(server, client);
    house.settle(4);
    EXPECT_EQ(client.host().state(), LoadState::Unloaded);
    EXPECT_EQ(client.host().generation(), server.host().generation());
    EXPECT_EQ(house.held(), "");
}

TEST(Host, an_unknown_id_a_client_and_a_game_state_without_a_host_are_refused) {
    // E-23, E-21, E-25
    Playhouse house;
    house.experience("control_points", "");
    Stage& server = house.stage("server", NetMode::DedicatedServer);
    Stage& client = house.stage("client", NetMode::Client);
    const auto unknown = server.host().set_experience("control_point");
    EXPECT_EQ(unknown.status().code(), StatusCode::NotFound);
    EXPECT_NE(unknown.status().text().find("UnknownExperience"), std::string::npos) << unknown.status().text();
    EXPECT_NE(unknown.status().text().find("control_points"), std::string::npos) << unknown.status().text();
    EXPECT_EQ(server.host().generation(), 0u);
    EXPECT_EQ(server.host().state(), LoadState::Unloaded);
    for (const Status& status :
         {client.host().set_experience("control_points").status(), client.host().clear_experience(""),
          client.host().retry_experience().status(), client.host().init_game({})})
        EXPECT_NE(status.text().find("NotAuthority"), std::string::npos) << status.text();
    EXPECT_FALSE(server.host().receive({}).is_ok());

    GameInstance bare(house.runtime());
    World& world = bare.open_world({.name = Name("bare")});
    EXPECT_TRUE(world.spawn<BareState>().is_ok());
    const auto none = house.experiences().host(&world);
    EXPECT_NE(none.status().text().find("NoExperienceHost"), std::string::npos);
    EXPECT_FALSE(house.experiences().host(nullptr).is_ok());
    const auto made = world.spawn<StageState>();  // of a game that Experiences does not know
    ASSERT_TRUE(made.is_ok());
    Host& lonely = *world.find(*made)->find<Host>();
    EXPECT_FALSE(lonely.is_connected());
    EXPECT_FALSE(lonely.set_experience("control_points").is_ok());
    EXPECT_FALSE(lonely.clear_experience("").is_ok());
    EXPECT_FALSE(lonely.retry_experience().is_ok());
    EXPECT_FALSE(lonely.hold_play_start("save", 1).is_ok());
    EXPECT_FALSE(lonely.current_experience().is_ok());
    EXPECT_FALSE(lonely.call_or_register_on_experience_loaded(Priority::High, {}, [](const auto&) {}).is_registered());
    EXPECT_FALSE(lonely.wait_for_experience_ready([](const ReadyResult&) {}).is_registered());
    lonely.update();
}

TEST(Host, setting_never_blocks_and_never_goes_beyond_loading_inside_the_call) {
    // E-23, E-37
    Playhouse house;
    house.experience("tag", note("a"));
    Stage& stage = house.stage();
    house.inner.executor.hold("tag");
    ASSERT_TRUE(stage.host().set_experience("tag").is_ok());
    house.frames(5);
    EXPECT_EQ(stage.host().state(), LoadState::Loading);
    house.inner.executor.release("tag");
    house.settle();
    EXPECT_TRUE(stage.host().is_experience_loaded());
    // All is resident: one update is enough.
    const assets::PrimaryAssetId ids[] = {{Name("experience"), Name("tag")}};
    const assets::LoadHandle keeps = house.assets().load_assets(ids);
    EXPECT_TRUE(stage.host().clear_experience("").is_ok());
    ASSERT_TRUE(stage.host().set_experience("tag").is_ok());
    EXPECT_EQ(stage.host().state(), LoadState::Loading);
    house.experiences().update();
    EXPECT_EQ(stage.host().state(), LoadState::Loaded);
    // A feature that is active already, too.
    house.feature("ball", note("ball"));
    house.experience("match", "features = [\"ball\"]\n" + note("m"));
    house.features().activate(Name("ball"));
    const assets::PrimaryAssetId match[] = {{Name("experience"), Name("match")}};
    const assets::LoadHandle keeps_match = house.assets().load_assets(match);
    house.settle();
    ASSERT_EQ(house.features().state(Name("ball")), features::FeatureState::Active);
    EXPECT_TRUE(stage.host().clear_experience("").is_ok());
    ASSERT_TRUE(stage.host().set_experience("match").is_ok());
    EXPECT_EQ(stage.host().state(), LoadState::Loading);
    house.experiences().update();
    EXPECT_EQ(stage.host().state(), LoadState::Loaded) << stage.host().explain_loading().to_text();
}

TEST(Host, a_definition_holds_nothing_of_a_run) {
    // E-01
    Playhouse house;
    house.feature("ball", note("ball"));
    house.action_set("set", note("s"));
    house.experience("tag", "title = \"Tag\"\nfeatures = [\"ball\"]\naction_sets = [\"set\"]\n" + note("a"));
    Stage& stage = house.stage();
    const assets::PrimaryAssetId ids[] = {{Name("experience"), Name("tag")}};
    const assets::LoadHandle keeps = house.assets().load_assets(ids);
    house.settle(4);
    const auto* definition = house.assets().find<ExperienceDefinition>(ids[0]);
    ASSERT_NE(definition, nullptr);
    const auto said = [&] {
        Hasher parts;
        for (const auto& action : definition->actions) action.hash(parts);
        return fmt::format("{} {}", features::to_json(type_of_record<ExperienceDefinition>(), definition),
                           parts.finish());
    };
    const std::string before = said();
    EXPECT_NE(before.find("\"Tag\""), std::string::npos) << before;
    ASSERT_TRUE(stage.host().set_experience("tag").is_ok());
    house.settle();
    ASSERT_TRUE(stage.host().is_experience_loaded());
    EXPECT_EQ(said(), before);
    EXPECT_TRUE(stage.host().clear_experience("").is_ok());
    house.settle(4);
    ASSERT_EQ(house.assets().find<ExperienceDefinition>(ids[0]), definition);
    EXPECT_EQ(said(), before);
}

TEST(Host, clients_follow_the_newest_generation_and_count_the_rest) {
    // E-24, E-98
    Playhouse house;
    house.experience("tag", note("t"));
    house.experience("chess", note("c"));
    house.experience("race", note("r"));
    Stage& server = house.stage("server", NetMode::DedicatedServer);
    std::vector<Choice> choices(1);
    for (const char* id : {"tag", "chess", "race"}) {
        ASSERT_TRUE(server.host().set_experience(id).is_ok());
        house.settle();
        choices.push_back(server.host().published());
    }
    EXPECT_EQ(choices[3].generation, 3u);
    std::vector<int> order{1, 2, 2, 1, 3};
    std::sort(order.begin(), order.end());
    do {
        Stage& client = house.stage("client", NetMode::Client);
        int newest = 0, ignored = 0;
        for (int i : order) {
            ignored += i <= newest ? 1 : 0;
            newest = std::max(newest, i);
            EXPECT_TRUE(client.host().receive(choices[static_cast<std::size_t>(i)]).is_ok());
        }
        house.settle(12);
        EXPECT_EQ(client.host().experience_id().to_string(), "experience:race");
        EXPECT_TRUE(client.host().is_experience_loaded());
        EXPECT_EQ(client.host().generation(), 3u);
        EXPECT_EQ(client.host().counters().ignored_choices, static_cast<std::uint64_t>(ignored));
        client.end();
    } while (std::next_permutation(order.begin(), order.end()));
}

TEST(Host, what_is_in_force_is_not_set_again_unless_a_reload_is_asked_for) {
    // E-103
    Playhouse house;
    house.experience("tag", note("a"));
    Stage& stage = house.stage();
    auto first = stage.host().set_experience("tag");
    auto second = stage.host().set_experience("tag");
    EXPECT_EQ(first->generation(), second->generation());
    house.settle();
    EXPECT_EQ(second->outcome().kind, Kind::Loaded);
    EXPECT_EQ(stage.host().set_experience("tag")->outcome().kind, Kind::Loaded);
    EXPECT_EQ(stage.host().generation(), 1u);
    house.log();
    auto again = stage.host().set_experience("tag", {.reload = true});
    EXPECT_EQ(again->generation(), 2u);
    house.settle();
    EXPECT_EQ(again->outcome().kind, Kind::Loaded);
    EXPECT_EQ(house.log(),
              "tag.a.deactivating(arena) tag.a.unloading tag.a.unregistering tag.a.registering tag.a.loading "
              "tag.a.activating(arena) tag.a.activated(arena)");
    EXPECT_EQ(house.trace("arena"), "Loading ExecutingActions Loaded Loading Deactivating ExecutingActions Loaded");
}

TEST(Host, a_ticket_ends_once_in_each_of_its_ways) {
    // E-100, E-38
    Playhouse house;
    house.experience("good", "");
    house.experience("other", "");
    house.experience("bad", note("a", "fails = \"activating\""));
    house.experience("falls",
                     note("f", "fails = \"activating\"") + "[failure]\npolicy = \"fall_back\"\nto = \"good\"\n");
    Stage& stage = house.stage();
    std::vector<std::string> told;
    std::vector<CallbackHandle> handles;
    const auto watch = [&](Result<SetTicket> ticket) {
        handles.push_back(ticket->on_end({}, [&](const SetOutcome& outcome) {
            told.push_back(outcome.to_string().substr(0, outcome.to_string().find(':', 12)));
        }));
        return *ticket;
    };
    SetTicket loaded = watch(stage.host().set_experience("good"));
    house.settle(10);
    SetTicket failed = watch(stage.host().set_experience("bad"));
    house.settle(10);
    EXPECT_EQ(failed.outcome().cause.code, CauseCode::ActionFailed);
    SetTicket fell = watch(stage.host().set_experience("falls"));
    house.settle(10);
    EXPECT_EQ(fell.outcome().experience.to_string(), "experience:good");
    EXPECT_EQ(fell.outcome().cause.code, CauseCode::ActionFailed);
    EXPECT_TRUE(stage.host().is_experience_loaded());
    SetTicket cancelled = watch(stage.host().set_experience("other"));
    EXPECT_TRUE(stage.host().clear_experience("").is_ok());
    SetTicket superseded = watch(stage.host().set_experience("other"));
    SetTicket ended = watch(stage.host().set_experience("good"));
    EXPECT_EQ(superseded.outcome().by_generation, ended.generation());
    house.frame();
    stage.end();
    house.settle(5);
    EXPECT_EQ(told, (std::vector<std::string>{"Loaded experience", "Failed: ActionFailed", "FellBack to experience",
                                              "Cancelled", "Superseded by generation 9", "Cancelled"}));
    EXPECT_EQ(loaded.outcome().kind, Kind::Loaded);
    EXPECT_EQ(cancelled.outcome().kind, Kind::Cancelled);
}

TEST(Host, generations_only_rise) {
    // E-98
    Playhouse house;
    house.experience("a", note("a"));
    house.experience("b", note("b", "fails = \"activating\""));
    Stage& stage = house.stage();
    Random random(7);
    for (int i = 0; i < 200; ++i) {
        const std::uint32_t before = stage.host().generation();
        const LoadState state = stage.host().state();
        switch (random.next_below(4)) {
            case 0: {
                const bool is_a = random.chance(0.5f);
                const auto id = stage.host().experience_id();
                const auto ticket = stage.host().set_experience(is_a ? "a" : "b");
                ASSERT_TRUE(ticket.is_ok());
                const bool was_in_force = ticket->generation() <= before;
                EXPECT_EQ(stage.host().generation(), was_in_force ? before : before + 1);
                if (id.is_none()) {
                    EXPECT_FALSE(was_in_force);
                }
                break;
            }
            case 1:
                EXPECT_TRUE(stage.host().clear_experience("").is_ok());
                EXPECT_EQ(stage.host().generation(), state == LoadState::Unloaded ? before : before + 1);
                break;
            case 2: {
                const bool is_accepted = stage.host().retry_experience().is_ok();
                EXPECT_EQ(is_accepted, state == LoadState::Failed);
                EXPECT_EQ(stage.host().generation(), is_accepted ? before + 1 : before);
                break;
            }
            default:
                house.frame();
                EXPECT_GE(stage.host().generation(), before);
                EXPECT_LE(stage.host().generation(), before + 1);  // a final failure
        }
    }
    EXPECT_GT(stage.host().generation(), 50u);
}

TEST(Host, answers_to_an_older_set_change_nothing_and_are_counted) {
    // E-99
    Playhouse house;
    house.thing("slow");
    house.feature("ball", features::note_action("n", "asset = \"slow\""));
    house.experience("a", "features = [\"ball\"]\n" + note("a"));
    house.experience("b", note("b"));
    Stage& stage = house.stage();
    house.inner.executor.hold("slow");
    ASSERT_TRUE(stage.host().set_experience("a").is_ok());
    house.frames(6);
    EXPECT_EQ(stage.host().state(), LoadState::LoadingGameFeatures);
    EXPECT_TRUE(stage.host().clear_experience("").is_ok());
    ASSERT_TRUE(stage.host().set_experience("b").is_ok());
    house.inner.executor.release("slow");
    house.settle();
    EXPECT_TRUE(stage.host().is_experience_loaded());
    EXPECT_EQ(stage.host().experience_id().to_string(), "experience:b");
    EXPECT_EQ(stage.host().counters().stale_completions, 1u);  // of features; loads of assets are given up
    EXPECT_EQ(house.features().state(Name("ball")), features::FeatureState::Installed);
}

}  // namespace host_test
}  // namespace lyre::experience
