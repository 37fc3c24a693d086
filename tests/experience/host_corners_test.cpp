// Corners that were wrong once.
#include <limits>

#include "tests/experience/playhouse.h"

namespace lyre::experience {
namespace host_corners_test {

using Kind = SetOutcome::Kind;

struct HostCorners : testing::Test {
    Stage& loaded(std::string_view id, std::string_view name = "arena") {
        Stage& stage = house.stage(name);
        EXPECT_TRUE(stage.host().set_experience(id).is_ok());
        house.settle(12);
        EXPECT_TRUE(stage.host().is_experience_loaded()) << stage.host().explain_failure().to_text();
        return stage;
    }
    // Does something the first time that a hook says this.
    void when(std::string line, std::function<void()> deed) {
        story().at = [this, line, deed](const std::string& now, features::ActionContext*) {
            if (now == line && !std::exchange(has_acted, true)) deed();
            return Status::ok();
        };
    }
    Playhouse house;
    bool has_acted = false;
};

TEST_F(HostCorners, a_set_whose_old_goal_lets_go_of_an_action_survives_what_its_hook_does) {
    // E-104, E-51
    house.thing("slow");
    house.experience("a", note("x"));
    house.experience("b", "assets = [\"thing:slow\"]\n" + note("x"));
    house.experience("c", "");
    Stage& one = loaded("a", "one");
    Stage& two = house.stage("two");
    house.inner.executor.hold("slow");
    EXPECT_TRUE(two.host().set_experience("b").is_ok());
    house.frames(5);  // it has decoded x and not run it
    EXPECT_TRUE(one.host().clear_experience("").is_ok());
    when("a.x.unregistering", [&] { two.world().destroy(two.host().actor().id()); });
    EXPECT_TRUE(two.host().set_experience("c").is_ok());
    house.inner.executor.release("slow");
    house.settle(4);
    EXPECT_TRUE(has_acted);
    EXPECT_FALSE(two.has_host());
    EXPECT_EQ(house.held(), "");
}

TEST_F(HostCorners, nothing_more_runs_when_experiences_or_the_world_end_inside_a_hook) {
    // E-78, E-100, E-64, E-76
    for (const bool ends_world : {false, true}) {
        Playhouse own;
        own.experience("tag", note("a") + note("b"));
        Stage& stage = own.stage();
        bool has_done = false;
        story().at = [&](const std::string& line, features::ActionContext*) {
            if (line == "tag.a.activating(arena)" && !std::exchange(has_done, true))
                ends_world ? stage.world().end() : own.close();
            return Status::ok();
        };
        std::string said;
        CallbackHandle loaded = stage.host().call_or_register_on_experience_loaded(
            Priority::High, {}, [&](const auto&) { said += "loaded "; });
        CallbackHandle failed =
            stage.host().call_or_register_on_experience_failed({}, [&](const auto&) { said += "failed "; });
        CallbackHandle wait = stage.host().wait_for_experience_ready(
            [&](const ReadyResult& result) { said += result.kind == ReadyResult::Kind::Ended ? "ended " : "? "; });
        auto ticket = stage.host().set_experience("tag");
        for (int i = 0; i < 8; ++i) own.frame();
        EXPECT_TRUE(has_done);
        EXPECT_EQ(said, "ended ");
        EXPECT_EQ(ticket->outcome().kind, Kind::Cancelled);
        const std::string log = own.log();
        EXPECT_EQ(log.find("tag.b"), std::string::npos) << log;
        EXPECT_NE(log.find("tag.a.unregistering"), std::string::npos) << log;
    }
}

TEST_F(HostCorners, a_closing_world_takes_no_new_goal) {
    // E-119
    house.experience("tag", note("a", "pauses = true"));
    house.experience("other", "");
    Stage& stage = loaded("tag");
    house.experiences().close_world(*stage.game, "over");
    EXPECT_FALSE(stage.host().set_experience("other").is_ok());
    EXPECT_FALSE(stage.host().retry_experience().is_ok());
    story().tokens.clear();
    house.settle(2);
    EXPECT_EQ(stage.game->world(), nullptr);
}

TEST_F(HostCorners, a_clear_from_inside_a_hook_of_a_feature_still_waits_for_features) {
    // E-77, E-82
    house.feature("base", note("base"));
    house.feature("ball", features::needs("base") + note("ball"));
    house.experience("tag", "features = [\"ball\"]\n");
    Stage& one = loaded("tag", "one");
    when("ball.ball.activating(two)", [&] {
        EXPECT_TRUE(one.host().clear_experience("").is_ok());
        EXPECT_FALSE(one.host().taken().empty());  // Features is busy: later
    });
    Stage& two = loaded("tag", "two");
    house.settle(4);
    EXPECT_EQ(one.host().state(), LoadState::Unloaded);
    const std::string log = house.log();
    EXPECT_LT(log.find("ball.ball.deactivating(one)"), log.find("base.base.deactivating(one)")) << log;
    EXPECT_TRUE(two.host().is_experience_loaded());
}

TEST_F(HostCorners, a_feature_that_became_active_for_the_goal_before_is_not_brought_again) {
    //
    house.thing("slow");
    house.feature("f", note("f"));
    house.experience("a", "features = [\"f\"]\n");
    house.experience("b", "features = [\"f\"]\nassets = [\"thing:slow\"]\n");
    Stage& stage = house.stage();
    when("f.f.activating(arena)", [&] { EXPECT_TRUE(stage.host().set_experience("b").is_ok()); });
    EXPECT_TRUE(stage.host().set_experience("a").is_ok());
    house.settle(12);
    EXPECT_TRUE(stage.host().is_experience_loaded());
    EXPECT_EQ(house.log(), "f.f.registering f.f.loading f.f.activating(arena) f.f.activated(arena)");
}

TEST_F(HostCorners, a_failed_overlay_falls_back_to_the_match_without_it) {
    //
    house.action_set("bad", note("bad", "fails = \"activating\""));
    house.experience("tag", note("a") + "[failure]\npolicy = \"fall_back\"\nto = \"previous\"\n");
    Stage& stage = loaded("tag");
    house.log();
    EXPECT_TRUE(stage.host().add_action_set({Name("action_set"), Name("bad")}).is_ok());
    house.settle(12);
    EXPECT_TRUE(stage.host().is_experience_loaded()) << stage.host().explain_failure().to_text();
    EXPECT_TRUE(stage.host().published().overlays.empty());
    EXPECT_EQ(house.log().find("tag.a."), std::string::npos);
}

TEST_F(HostCorners, a_fallback_may_be_written_with_its_type) {
    // E-111
    house.experience("lobby", "");
    house.experience(
        "tag", note("a", "fails = \"activating\"") + "[failure]\npolicy = \"fall_back\"\nto = \"experience:lobby\"\n");
    Stage& stage = house.stage();
    EXPECT_TRUE(stage.host().set_experience("tag").is_ok());
    house.settle(12);
    EXPECT_EQ(stage.host().experience_id().to_string(), "experience:lobby");
    EXPECT_TRUE(stage.host().is_experience_loaded());
}

TEST_F(HostCorners, what_selection_chose_has_a_ticket_like_any_other) {
    // E-103
    house.experience("tag", "");
    Stage& stage = house.stage();
    SelectionSources sources;
    sources.project_default = "tag";
    EXPECT_TRUE(stage.host().init_game(sources).is_ok());
    house.settle(8);
    auto ticket = stage.host().set_experience("tag");
    EXPECT_EQ(ticket->outcome().kind, Kind::Loaded);
    EXPECT_EQ(ticket->generation(), 1u);
    // After a clear the sources may be asked again.
    EXPECT_TRUE(stage.host().clear_experience("").is_ok());
    EXPECT_TRUE(stage.host().init_game(sources).is_ok());
    house.settle(8);
    EXPECT_TRUE(stage.host().is_experience_loaded());
}

TEST_F(HostCorners, what_a_failed_action_registered_is_taken_back) {
    // E-109, X-40
    for (const char* hook : {"registering", "activating"}) {
        house.experience(hook, note("a") + note("b", fmt::format("fails = \"{}\"", hook)));
        story().at = [&](const std::string& line, features::ActionContext* context) {
            if (line.find(fmt::format("b.{}", hook)) != std::string::npos)
                (context->find_world() != nullptr ? *context->find_world() : *house.runtime().worlds().back())
                    .timers()
                    .after(1000, [] {});
            return Status::ok();
        };
        Stage& stage = house.stage();
        EXPECT_TRUE(stage.host().set_experience(hook).is_ok());
        house.settle(10);
        EXPECT_EQ(stage.host().state(), LoadState::Failed);
        EXPECT_EQ(stage.world().timers().count(), 0u) << hook;
        stage.end();
    }
}

TEST_F(HostCorners, what_a_hook_registered_is_taken_back_also_when_it_clears_and_fails) {
    // E-109, X-40
    house.experience("tag", note("a") + note("b"));
    house.experience("other", note("o"));
    for (const bool sets : {false, true}) {
        SCOPED_TRACE(sets);
        Stage& stage = house.stage();
        has_acted = false;
        story().at = [&](const std::string& line, features::ActionContext* context) {
            if (line != "tag.b.activating(arena)" || std::exchange(has_acted, true)) return Status::ok();
            context->find_world()->timers().after(1000, [] {});
            if (sets) {
                EXPECT_TRUE(stage.host().set_experience("other").is_ok());
            } else {
                EXPECT_TRUE(stage.host().clear_experience("").is_ok());
            }
            return Status::failed("on purpose");
        };
        EXPECT_TRUE(stage.host().set_experience("tag").is_ok());
        house.settle(10);
        EXPECT_TRUE(has_acted);
        EXPECT_EQ(stage.host().state(), sets ? LoadState::Loaded : LoadState::Unloaded);
        EXPECT_EQ(stage.world().timers().count(), 0u);
        stage.end();
    }
}

TEST_F(HostCorners, an_action_whose_loading_fails_goes_back_before_what_it_forgot_is_told) {
    // E-107, E-116
    house.experience("tag", note("a", "fails = \"loading\""));
    Stage& stage = house.stage();
    story().at = [&](const std::string& line, features::ActionContext*) {
        static TimerId timer;
        if (line == "tag.a.registering") timer = stage.world().timers().after(1000, [] {});
        if (line == "tag.a.unregistering") {
            EXPECT_TRUE(stage.world().timers().cancel(timer)) << "it was taken from it";
            throw std::runtime_error("told");
        }
        return Status::ok();
    };
    EXPECT_TRUE(stage.host().set_experience("tag").is_ok());
    house.settle(8);
    EXPECT_EQ(stage.host().state(), LoadState::Failed);
    ASSERT_EQ(stage.host().leave_report().size(), 1u);
    EXPECT_NE(stage.host().leave_report()[0].find("told"), std::string::npos) << stage.host().leave_report()[0];
}

TEST_F(HostCorners, what_goes_wrong_on_the_way_back_of_a_failed_action_is_in_the_report) {
    // E-116, E-107
    for (const char* need : {"required", "optional"}) {
        SCOPED_TRACE(need);
        house.experience(
            need, note("a", fmt::format("fails = \"activating\"\nthrows = \"unregistering\"\nneed = \"{}\"", need)));
        Stage& stage = house.stage();
        EXPECT_TRUE(stage.host().set_experience(need).is_ok());
        house.settle(8);
        EXPECT_EQ(stage.host().state(), need[0] == 'r' ? LoadState::Failed : LoadState::Loaded);
        ASSERT_EQ(stage.host().leave_report().size(), 1u);
        EXPECT_NE(stage.host().leave_report()[0].find("unregistering"), std::string::npos)
            << stage.host().leave_report()[0];
        stage.end();
    }
}

TEST_F(HostCorners, what_a_failed_action_left_behind_is_in_the_report) {
    // E-116, E-107
    house.experience("tag", note("a", "fails = \"activating\""));
    Stage& stage = house.stage();
    story().at = [&](const std::string& line, features::ActionContext* context) {
        if (line == "tag.a.activating(arena)") context->find_world()->timers().after(1000, [] {});
        return Status::ok();
    };
    EXPECT_TRUE(stage.host().set_experience("tag").is_ok());
    house.settle(8);
    ASSERT_EQ(stage.host().leave_report().size(), 1u);
    EXPECT_NE(stage.host().leave_report()[0].find("timer"), std::string::npos);
}

TEST_F(HostCorners, hooks_of_the_process_have_the_roles_of_the_worlds_that_use_them) {
    // E-34
    house.thing("sky");
    house.experience("tag",
                     "[[action]]\nkind = \"add_assets\"\nassets = [\"thing:sky\"]\npreload = true\nside = "
                     "\"client\"\n");
    const auto is_there = [&] {
        return house.assets().state({Name("thing"), Name("sky")}) == assets::AssetState::There;
    };
    Stage& server = house.stage("server", NetMode::DedicatedServer);
    EXPECT_TRUE(server.host().set_experience("tag").is_ok());
    house.settle(8);
    EXPECT_TRUE(server.host().is_experience_loaded()) << server.host().explain_failure().to_text();
    EXPECT_FALSE(is_there());
    EXPECT_TRUE(server.host().clear_experience("").is_ok());
    Stage& listen = house.stage("listen", NetMode::ListenServer);
    EXPECT_TRUE(listen.host().set_experience("tag").is_ok());
    house.settle(8);
    EXPECT_TRUE(is_there());
}

TEST_F(HostCorners, a_world_of_a_further_role_does_not_load_a_shared_action_again_and_has_what_its_role_needs) {
    // E-51, E-34, A-32
    for (const char* name : {"sky", "sea"}) house.thing(name);
    house.experience("tag", note("n", "asset = \"sea\"\nside = \"client\"") +
                                "[[action]]\nkind = \"add_assets\"\nassets = [\"thing:sky\"]\npreload = true\nside = "
                                "\"client\"\n");
    const auto is_there = [&](const char* name) {
        return house.assets().state({Name("thing"), Name(name)}) == assets::AssetState::There;
    };
    std::string roles;
    story().at = [&](const std::string& line, features::ActionContext* context) {
        roles += fmt::format("{}:{}{} ", line.substr(line.rfind('.') + 1), context->roles().client ? "c" : "",
                             context->roles().server ? "s" : "");
        return Status::ok();
    };
    Stage& server = house.stage("server", NetMode::DedicatedServer);
    Stage& client = house.stage("client", NetMode::Client);
    EXPECT_TRUE(server.host().set_experience("tag").is_ok());
    house.settle(8);
    EXPECT_TRUE(server.host().is_experience_loaded());
    EXPECT_EQ(roles, "registering:s loading:s activating(server):s activated(server):s ");
    EXPECT_FALSE(is_there("sky") || is_there("sea"));
    roles.clear();
    Playhouse::carry(server, client);
    house.settle(8);
    EXPECT_TRUE(client.host().is_experience_loaded()) << client.host().explain_failure().to_text();
    EXPECT_EQ(roles, "activating(client):c activated(client):c ");
    EXPECT_TRUE(is_there("sky") && is_there("sea"));
    roles.clear();
    EXPECT_TRUE(server.host().clear_experience("").is_ok());
    house.settle(3);
    EXPECT_EQ(roles, "deactivating(server):s ");
    EXPECT_TRUE(is_there("sky") && is_there("sea"));  // they are the client's
    roles.clear();
    client.end();
    house.settle(3);
    EXPECT_EQ(roles, "deactivating(client):c unloading:s unregistering:s ");  // as it was loaded
    EXPECT_EQ(house.held(), "");
}

TEST_F(HostCorners, a_shared_action_is_loaded_for_the_roles_of_all_who_wait_for_it) {
    // E-51, E-34
    house.thing("slow");
    house.experience("tag", "assets = [\"thing:slow\"]\n" + note("n"));
    std::string roles;
    story().at = [&](const std::string& line, features::ActionContext* context) {
        if (line == "tag.n.loading")
            roles += fmt::format("{}{} ", context->roles().client ? "c" : "", context->roles().server ? "s" : "");
        return Status::ok();
    };
    Stage& server = house.stage("server", NetMode::DedicatedServer);
    Stage& client = house.stage("client", NetMode::Client);
    house.inner.executor.hold("slow");
    EXPECT_TRUE(server.host().set_experience("tag").is_ok());
    house.settle(6);
    Playhouse::carry(server, client);
    house.settle(6);
    EXPECT_EQ(client.host().state(), LoadState::Loading);
    house.inner.executor.release("slow");
    house.settle(6);
    EXPECT_TRUE(server.host().is_experience_loaded());
    EXPECT_TRUE(client.host().is_experience_loaded());
    EXPECT_EQ(roles, "cs ");
}

TEST_F(HostCorners, the_limits_of_what_has_been_left_do_not_count_for_what_comes) {
    // E-117
    house.experience("a", note("a") + "[limits]\npauser_secs = 30\n");
    house.experience(
        "b", note("b", "pauses = true") + note("fails", "fails = \"activating\"") + "[limits]\npauser_secs = 1\n");
    Stage& stage = loaded("a");
    EXPECT_TRUE(stage.host().set_experience("b").is_ok());
    house.settle(6);
    EXPECT_EQ(stage.host().state(), LoadState::Deactivating);
    house.frame(1.1);
    EXPECT_EQ(stage.host().state(), LoadState::Failed);
}

TEST_F(HostCorners, setting_what_a_fallback_has_loaded_is_a_set_that_went_well) {
    // E-103, E-100
    house.experience("lobby", "");
    house.experience("tag",
                     note("a", "fails = \"activating\"") + "[failure]\npolicy = \"fall_back\"\nto = \"lobby\"\n");
    Stage& stage = house.stage();
    const auto first = stage.host().set_experience("tag");
    house.settle(12);
    EXPECT_EQ(first->outcome().kind, Kind::FellBack);
    const std::uint32_t generation = stage.host().generation();
    const auto second = stage.host().set_experience("lobby");
    EXPECT_EQ(second->outcome().to_string(), "Loaded experience:lobby");
    EXPECT_EQ(second->generation(), generation);
    EXPECT_EQ(stage.host().generation(), generation);
    EXPECT_EQ(first->outcome().kind, Kind::FellBack);
    // The same again is the same ticket.
    EXPECT_EQ(stage.host().set_experience("lobby")->outcome().kind, Kind::Loaded);
}

TEST_F(HostCorners, setting_what_a_fallback_is_loading_has_a_ticket_of_its_own) {
    // E-103, E-100
    house.thing("slow");
    house.experience("lobby", "assets = [\"thing:slow\"]\n");
    house.experience("other", "");
    house.experience("tag",
                     note("a", "fails = \"activating\"") + "[failure]\npolicy = \"fall_back\"\nto = \"lobby\"\n");
    Stage& stage = house.stage();
    for (const bool fails : {false, true}) {
        SCOPED_TRACE(fails);
        house.inner.executor.hold("slow");
        auto first = stage.host().set_experience("tag");
        int told = 0;
        CallbackHandle ended = first->on_end({}, [&](const SetOutcome&) { ++told; });
        house.settle(12);
        ASSERT_EQ(stage.host().experience_id().to_string(), "experience:lobby");
        ASSERT_FALSE(stage.host().is_experience_loaded());
        EXPECT_TRUE(first->is_open());
        const std::uint32_t generation = stage.host().generation();
        const auto second = stage.host().set_experience("lobby");
        ASSERT_TRUE(second.is_ok());
        EXPECT_EQ(stage.host().generation(), generation);  // it is on its way already
        EXPECT_EQ(second->generation(), generation);
        EXPECT_TRUE(second->is_open());
        EXPECT_EQ(first->outcome().to_string(), fmt::format("Superseded by generation {}", generation));
        const auto again = stage.host().set_experience("lobby");
        EXPECT_EQ(again->generation(), generation);
        EXPECT_TRUE(second->is_open());  // the same ticket, not one more
        if (fails) house.inner.files.write("content/slow.thing.toml", "nonsense = 1\n");
        house.inner.executor.release("slow");
        house.settle(8);
        EXPECT_EQ(second->outcome().kind, fails ? Kind::Failed : Kind::Loaded) << second->outcome().to_string();
        EXPECT_EQ(again->outcome().kind, second->outcome().kind);
        EXPECT_EQ(first->outcome().kind, Kind::Superseded);
        EXPECT_EQ(told, 1);
        EXPECT_TRUE(stage.host().clear_experience("").is_ok());
        house.settle(4);
        EXPECT_EQ(house.held(), "");
    }
}

TEST_F(HostCorners, a_retry_by_hand_while_one_by_itself_waits_keeps_the_ticket) {
    // E-100, E-25
    int fails = 1;
    house.experience("tag", note("a") + "[failure]\npolicy = \"retry\"\nattempts = 3\ndelay_secs = 100\n");
    story().at = [&](const std::string& line, features::ActionContext*) {
        return line == "tag.a.activating(arena)" && fails-- > 0 ? Status::failed("not yet") : Status::ok();
    };
    Stage& stage = house.stage();
    const auto ticket = stage.host().set_experience("tag");
    house.settle(6);
    ASSERT_TRUE(stage.host().seconds_to_next_attempt().has_value());
    const auto again = stage.host().retry_experience();
    ASSERT_TRUE(again.is_ok());
    EXPECT_TRUE(ticket->is_open());
    EXPECT_EQ(again->generation(), ticket->generation());
    house.settle(6);
    EXPECT_EQ(ticket->outcome().kind, Kind::Loaded);
    EXPECT_EQ(again->outcome().kind, Kind::Loaded);
}

TEST_F(HostCorners, what_is_told_of_a_ticket_that_has_ended_may_throw) {
    // E-100
    house.experience("tag", "");
    Stage& stage = house.stage();
    auto ticket = stage.host().set_experience("tag");
    house.settle(6);
    CallbackHandle late = ticket->on_end({}, [](const SetOutcome&) { throw std::runtime_error("late"); });
    EXPECT_EQ(house.reports("experience.callback"), 1u);
    EXPECT_NE(house.last_report("experience.callback").find("late"), std::string::npos);
}

TEST_F(HostCorners, a_host_that_is_not_connected_answers_who_waits) {
    // E-64, E-21
    GameInstance game(house.runtime());
    World& world = game.open_world({.name = Name("alone")});
    Host& host = *world.find(*world.spawn<StageState>())->find<Host>();
    std::string said;
    CallbackHandle wait = host.wait_for_experience_ready(
        [&](const ReadyResult& result) { said += result.kind == ReadyResult::Kind::Ended ? "ended" : "?"; });
    EXPECT_EQ(said, "ended");
    EXPECT_FALSE(wait.is_registered());
}

TEST_F(HostCorners, a_host_that_found_no_experience_takes_new_sources_after_a_clear) {
    // E-17, E-98, E-07
    Stage& stage = house.stage();
    EXPECT_TRUE(stage.host().init_game({}).is_ok());
    house.frame();
    EXPECT_EQ(stage.host().state(), LoadState::Failed);
    EXPECT_EQ(stage.host().generation(), 1u);  // the final failure took one
    EXPECT_EQ(stage.host().published().generation, 1u);
    house.experience("tag", "");
    SelectionSources sources;
    sources.project_default = "tag";
    EXPECT_FALSE(stage.host().init_game(sources).is_ok());
    EXPECT_TRUE(stage.host().clear_experience("").is_ok());
    EXPECT_TRUE(stage.host().init_game(sources).is_ok());
    house.settle(6);
    EXPECT_TRUE(stage.host().is_experience_loaded());
}

TEST_F(HostCorners, a_bundle_that_is_to_come_later_waits_for_as_many_as_it_should) {
    //
    FaultRule late;
    late.stage = FaultStage::Asset;
    late.match = "thing:a";
    late.effect = FaultEffect::Reorder;
    late.count = 1;
    Playhouse own(std::make_shared<FaultPlan>(FaultPlanDef{{late}}, 1));
    for (const char* name : {"a", "b", "c"}) own.thing(name);
    own.experience("tag", "assets = [\"thing:a\", \"thing:b\", \"thing:c\"]\n");
    Stage& stage = own.stage();
    own.inner.executor.hold("c.thing");
    EXPECT_TRUE(stage.host().set_experience("tag").is_ok());
    own.settle(8);
    std::string pending;
    for (const PendingItem& item : stage.host().explain_loading().pending) pending += item.id + " ";
    EXPECT_EQ(pending, "thing:c ");  // a has come after b, and does not wait for c
    own.inner.executor.release("c.thing");
    own.settle(4);
    EXPECT_TRUE(stage.host().is_experience_loaded());
}

TEST_F(HostCorners, what_an_optional_action_needs_is_late_among_all_others) {
    // X-24, E-107
    FaultRule late;
    late.stage = FaultStage::Asset;
    late.match = "thing:a";
    late.effect = FaultEffect::Reorder;
    late.count = 2;
    Playhouse own(std::make_shared<FaultPlan>(FaultPlanDef{{late}}, 1));
    for (const char* name : {"a", "b", "c"}) own.thing(name);
    own.experience("tag", note("x", "asset = \"a\"\nneed = \"optional\"") +
                              note("y", "asset = \"b\"\nneed = \"optional\"") + note("z", "asset = \"c\""));
    Stage& stage = own.stage();
    own.inner.executor.hold("c.thing");
    EXPECT_TRUE(stage.host().set_experience("tag").is_ok());
    own.settle(8);
    std::string pending;
    for (const PendingItem& item : stage.host().explain_loading().pending) pending += item.id + " ";
    EXPECT_EQ(pending, "thing:a thing:c ");
    own.inner.executor.release("c.thing");
    own.settle(4);
    EXPECT_TRUE(stage.host().is_experience_loaded());
    EXPECT_TRUE(stage.host().degraded().empty());
}

TEST_F(HostCorners, an_optional_action_without_its_assets_is_left_out) {
    // E-107, E-110
    house.experience("tag", note("a") + note("b", "asset = \"missing\"\nneed = \"optional\"") + note("c"));
    Stage& stage = loaded("tag");
    EXPECT_EQ(stage.host().degraded().size(), 1u);
    EXPECT_EQ(house.log().find("tag.b"), std::string::npos);
}

TEST_F(HostCorners, progress_only_rises_in_a_switch) {
    //
    house.thing("slow");
    house.feature("f", note("f"));
    house.feature("g", note("g"));
    house.experience("a", "features = [\"f\"]\n" + note("a", "pauses = true"));
    house.experience("b", "features = [\"g\"]\nassets = [\"thing:slow\"]\n" + note("b"));
    Stage& stage = loaded("a");
    EXPECT_TRUE(stage.host().set_experience("b").is_ok());
    float last = 0;
    for (int i = 0; i < 20; ++i) {
        house.frame();
        EXPECT_GE(stage.host().progress(), last) << to_string(stage.host().state());
        last = stage.host().progress();
        if (i == 10) story().tokens.clear();
    }
    EXPECT_EQ(last, 1.0f);
}

TEST_F(HostCorners, who_waits_is_told_ready_only_while_it_is_true) {
    // E-64, E-104
    house.experience("tag", "");
    Stage& stage = house.stage();
    std::string said;
    CallbackHandle first = stage.host().wait_for_experience_ready([&](const ReadyResult&) {
        said += "first ";
        EXPECT_TRUE(stage.host().clear_experience("").is_ok());
    });
    CallbackHandle second = stage.host().wait_for_experience_ready([&](const ReadyResult&) {
        EXPECT_TRUE(stage.host().is_experience_loaded());
        said += "second ";
    });
    EXPECT_TRUE(stage.host().set_experience("tag").is_ok());
    house.settle(8);
    EXPECT_EQ(said, "first ");
    EXPECT_TRUE(stage.host().set_experience("tag").is_ok());
    house.settle(8);
    EXPECT_EQ(said, "first second ");
}

TEST_F(HostCorners, a_retry_that_cannot_read_the_definition_goes_on_with_its_policy) {
    // E-111
    house.experience("tag", note("a", "fails = \"activating\"") + "[failure]\npolicy = \"retry\"\nattempts = 3\n");
    Stage& stage = house.stage();
    EXPECT_TRUE(stage.host().set_experience("tag").is_ok());
    house.settle(6);
    house.experience("tag", "nonsense = 1\n");
    house.frame(1.1);
    house.settle(6);
    EXPECT_TRUE(stage.host().seconds_to_next_attempt().has_value()) << stage.host().explain_failure().to_text();
}

TEST_F(HostCorners, limits_and_policies_are_those_of_what_is_left) {
    // E-117, E-82
    house.feature("f", note("f"));
    house.experience("a", "features = [\"f\"]\n" + note("a", "pauses = true") +
                              "[limits]\npauser_secs = 1\n[unload]\npolicy = \"keep_warm\"\ncount = 4\n");
    house.experience("b", "features = [\"f\"]\n");
    Stage& stage = loaded("a");
    EXPECT_TRUE(stage.host().set_experience("b").is_ok());
    house.settle(6);
    EXPECT_EQ(stage.host().state(), LoadState::Deactivating);
    house.frame(1.1);
    house.settle(4);
    EXPECT_TRUE(stage.host().is_experience_loaded());
    story().tokens.clear();
    EXPECT_TRUE(stage.host().clear_experience("").is_ok());
    house.settle(4);
    EXPECT_EQ(house.held(), "");  // b unloads at once
}

TEST_F(HostCorners, a_hold_of_the_start_of_play_expires_in_every_state) {
    //
    house.thing("slow");
    house.experience("tag", "assets = [\"thing:slow\"]\n");
    Stage& stage = house.stage();
    house.inner.executor.hold("slow");
    auto hold = stage.host().hold_play_start("restore", 2);
    EXPECT_TRUE(stage.host().set_experience("tag").is_ok());
    house.frames(5, 1.0);
    EXPECT_FALSE(hold->is_held());
    EXPECT_EQ(house.reports("experience.play_hold"), 1u);
    std::string said;
    CallbackHandle play = stage.host().call_when_play_may_start(Priority::High, {}, [&] { said += "play "; });
    CallbackHandle low =
        stage.host().call_or_register_on_experience_loaded(Priority::Low, {}, [&](const auto&) { said += "low "; });
    house.inner.executor.release("slow");
    house.settle(6);
    EXPECT_EQ(said, "play low ");
}

TEST_F(HostCorners, a_host_that_was_there_before_its_game_was_known_is_connected) {
    // E-21
    house.experience("tag", "");
    GameInstance game(house.runtime());
    World& world = game.open_world({.name = Name("early")});
    Host& host = *world.find(*world.spawn<StageState>())->find<Host>();
    world.begin_play();
    EXPECT_FALSE(host.is_connected());
    house.experiences().add_game(game);
    EXPECT_TRUE(host.is_connected());
    EXPECT_TRUE(host.set_experience("tag").is_ok());
    house.settle(8);
    EXPECT_TRUE(host.is_experience_loaded());
}

TEST_F(HostCorners, a_host_whose_experiences_have_ended_answers_ended) {
    // E-64, E-21
    house.experience("tag", "");
    Stage& stage = loaded("tag");
    house.close();
    EXPECT_FALSE(stage.host().is_connected());
    EXPECT_FALSE(stage.host().hold_play_start("late", 1).is_ok());
    std::string said;
    CallbackHandle wait = stage.host().wait_for_experience_ready(
        [&](const ReadyResult& result) { said += result.kind == ReadyResult::Kind::Ended ? "ended" : "?"; });
    EXPECT_EQ(said, "ended");
    EXPECT_FALSE(wait.is_registered());
}

TEST_F(HostCorners, a_feature_may_answer_twice_or_later_than_others) {
    // E-43, X-24
    FaultRule twice;
    twice.stage = FaultStage::FeatureLoad;
    twice.match = "a";
    twice.effect = FaultEffect::Twice;
    FaultRule late;
    late.stage = FaultStage::FeatureLoad;
    late.match = "b";
    late.effect = FaultEffect::Reorder;
    late.count = 5;
    Playhouse own(std::make_shared<FaultPlan>(FaultPlanDef{{twice, late}}, 1));
    for (const char* id : {"a", "b", "c"}) own.feature(id, note(id));
    own.experience("tag", "features = [\"a\", \"b\", \"c\"]\n");
    Stage& stage = own.stage();
    EXPECT_TRUE(stage.host().set_experience("tag").is_ok());
    own.settle(12);
    EXPECT_TRUE(stage.host().is_experience_loaded());
    EXPECT_EQ(stage.host().counters().second_answers, 1u);
}

TEST_F(HostCorners, a_choice_that_is_to_come_after_others_comes_in_the_end) {
    //
    FaultRule late;
    late.stage = FaultStage::ReplicatedChoice;
    late.effect = FaultEffect::Reorder;
    late.count = 3;
    Playhouse own(std::make_shared<FaultPlan>(FaultPlanDef{{late}}, 1));
    own.experience("tag", "");
    Stage& server = own.stage("server", NetMode::DedicatedServer);
    Stage& client = own.stage("client", NetMode::Client);
    EXPECT_TRUE(server.host().set_experience("tag").is_ok());
    own.settle(6);
    Playhouse::carry(server, client);
    own.settle(6);
    EXPECT_EQ(client.host().state(), LoadState::Unloaded);
    own.frame(6);
    own.settle(6);
    EXPECT_TRUE(client.host().is_experience_loaded());
}

TEST_F(HostCorners, an_action_that_comes_up_for_one_world_is_waited_for_by_another) {
    // E-51
    house.experience("a", note("x"));
    Stage& one = house.stage("one");
    Stage& two = house.stage("two");
    when("a.x.loading", [&] { two.host().update(); });
    EXPECT_TRUE(one.host().set_experience("a").is_ok());
    EXPECT_TRUE(two.host().set_experience("a").is_ok());
    house.settle(6);
    EXPECT_TRUE(has_acted);
    EXPECT_TRUE(one.host().is_experience_loaded());
    EXPECT_TRUE(two.host().is_experience_loaded());
    std::string log = house.log();
    EXPECT_EQ(log.find("registering"), log.rfind("registering")) << log;
    // And one that goes: its next life begins when the old one is over.
    EXPECT_TRUE(two.host().clear_experience("").is_ok());
    has_acted = false;
    when("a.x.unloading", [&] {
        EXPECT_TRUE(two.host().set_experience("a").is_ok());
        two.host().update();
    });
    house.log();
    EXPECT_TRUE(one.host().clear_experience("").is_ok());
    house.settle(6);
    EXPECT_TRUE(two.host().is_experience_loaded());
    log = house.log();
    EXPECT_LT(log.find("a.x.unregistering"), log.find("a.x.registering")) << log;
}

TEST_F(HostCorners, a_variable_that_a_hook_registers_goes_with_the_experience) {
    //
    house.experience("a", note("x"));
    const auto add = [&] {
        EXPECT_TRUE(
            house.runtime().variables().add<double>({.name = "x.left", .default_value = 1, .help = "x"}).is_ok());
    };
    for (int i = 0; i < 2; ++i) {
        has_acted = false;
        when("a.x.activating(arena)", add);
        Stage& stage = loaded("a");
        EXPECT_TRUE(stage.host().clear_experience("").is_ok());
        EXPECT_FALSE(house.runtime().variables().find<double>("x.left").is_ok());
        EXPECT_EQ(stage.host().leave_report().size(), 1u);
        stage.end();
    }
}

TEST_F(HostCorners, an_action_is_not_kept_when_the_feature_of_its_kind_goes) {
    // E-82
    static const features::ModuleEntry entry =
        features::linked_entry("foreign", "1.0.0", [](features::Registrar& feature) { feature.type<Foreign>(); });
    ASSERT_TRUE(house.inner.modules.add(entry).is_ok());
    house.feature("foreign", "[module]\nname = \"foreign\"\n");
    const std::string action = "[[action]]\nkind = \"foreign\"\nlabel = \"x\"\n";
    house.experience("a", "features = [\"foreign\"]\n" + action);
    house.experience("b", action);
    Stage& stage = loaded("a");
    EXPECT_TRUE(stage.host().set_experience("b").is_ok());
    house.settle(12);
    EXPECT_EQ(stage.host().state(), LoadState::Failed);  // as if it had been set first
    EXPECT_EQ(stage.host().failure().code, CauseCode::ActionFailed);
    EXPECT_EQ(house.held(), "");
}

TEST_F(HostCorners, an_action_comes_again_when_the_feature_of_its_kind_goes_and_is_there_because_of_others) {
    // E-90
    static const features::ModuleEntry entry =
        features::linked_entry("foreign", "1.0.0", [](features::Registrar& feature) { feature.type<Foreign>(); });
    ASSERT_TRUE(house.inner.modules.add(entry).is_ok());
    house.feature("foreign", "[module]\nname = \"foreign\"\n");
    const std::string action = "[[action]]\nkind = \"foreign\"\nlabel = \"x\"\n";
    house.experience("a", "features = [\"foreign\"]\n" + action);
    house.experience("b", action);
    house.features().activate(Name("foreign"));
    house.settle(3);
    Stage& stage = loaded("a");
    house.log();
    EXPECT_TRUE(stage.host().set_experience("b").is_ok());
    house.settle(12);
    EXPECT_TRUE(stage.host().is_experience_loaded()) << stage.host().explain_failure().to_text();
    const std::string log = house.log();
    EXPECT_LT(log.find("a.x.deactivating"), log.find("b.x.activating")) << log;
    EXPECT_NE(log.find("b.x.activating"), std::string::npos) << log;
    EXPECT_TRUE(stage.host().clear_experience("").is_ok());
    house.features().unload(Name("foreign"));
    house.settle(4);
    EXPECT_EQ(house.held(), "");
}

TEST_F(HostCorners, a_retry_never_comes_in_the_same_update_and_long_delays_are_long) {
    // E-111
    house.experience("tag", note("a", "fails = \"activating\""));
    for (const double delay : {0.0, -1.0, 1e300, std::numeric_limits<double>::quiet_NaN()}) {
        Stage& stage = house.stage();
        SetOptions options;
        options.failure = FailurePolicy{FailureKind::Retry, 1'000'000, delay, {}};
        EXPECT_TRUE(stage.host().set_experience("tag", options).is_ok());
        house.frames(20);
        EXPECT_LE(stage.host().generation(), delay > 0 ? 1u : 20u);
        stage.end();
    }
    EXPECT_EQ(house.reports("experience.restless"), 0u);
}

TEST_F(HostCorners, waiters_whose_owners_have_gone_make_room) {
    //
    house.experience("tag", "");
    Stage& stage = house.stage();
    auto owner = std::make_shared<int>(1);
    std::vector<CallbackHandle> handles;
    for (int i = 0; i < 5000; ++i)
        handles.push_back(stage.host().wait_for_experience_ready([](const ReadyResult&) {}, std::weak_ptr<int>(owner)));
    owner.reset();
    bool is_ready = false;
    CallbackHandle last = stage.host().wait_for_experience_ready([&](const ReadyResult&) { is_ready = true; });
    EXPECT_TRUE(stage.host().set_experience("tag").is_ok());
    house.settle(6);
    EXPECT_TRUE(is_ready);
}

TEST_F(HostCorners, a_choice_without_measure_is_refused) {
    // E-24
    Stage& client = house.stage("client", NetMode::Client);
    Choice choice;
    choice.generation = 1;
    choice.experience = {Name("experience"), Name("nothing")};
    choice.overlays.resize(65, {Name("action_set"), Name("x")});
    EXPECT_EQ(client.host().receive(choice).code(), StatusCode::Capacity);
    choice.overlays.resize(1);
    EXPECT_TRUE(client.host().receive(choice).is_ok());
    house.settle(6);
    EXPECT_EQ(client.host().state(), LoadState::Failed);
    EXPECT_EQ(client.host().failure().code, CauseCode::DefinitionFailed);
}

TEST_F(HostCorners, many_assets_take_time_in_proportion) {
    // E-36
    std::string list;
    for (int i = 0; i < 3000; ++i) {
        house.inner.files.write(fmt::format("content/t{}.thing.toml", i), "size = 1\n");
        list += fmt::format("\"thing:t{}\", ", i);
    }
    house.experience("big", fmt::format("assets = [{}]\n", list));
    Stage& stage = house.stage();
    EXPECT_TRUE(stage.host().set_experience("big").is_ok());
    for (int i = 0; i < 2000 && !stage.host().is_experience_loaded(); ++i) house.frame();
    EXPECT_TRUE(stage.host().is_experience_loaded()) << stage.host().explain_loading().to_text();
    EXPECT_TRUE(stage.host().clear_experience("").is_ok());
    house.settle(4);
    EXPECT_EQ(house.held(), "");
}

}  // namespace host_corners_test
}  // namespace lyre::experience
