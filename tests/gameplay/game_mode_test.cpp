#include "lyre/gameplay/game_mode.h"

#include "lyre/gameplay/bots.h"
#include "lyre/gameplay/teams.h"

#include "tests/gameplay/small_match.h"

namespace lyre::gameplay {
namespace game_mode_test {

TEST(GameMode, players_who_wait_are_started_when_the_experience_is_loaded_and_later_ones_at_once) {
    // E-65, E-67, E-75, E-28, G-52
    SmallMatch match;
    match.house.experience("tag", "pawn = \"walker\"\n");
    match.open();
    PlayerController& anna = match.login("anna");
    PlayerController& bert = match.login("bert");
    match.frames(20);
    EXPECT_EQ(anna.pawn(), nullptr);
    EXPECT_EQ(match.world().count_instances(*match.house.runtime().types().find<Walker>()), 0u);
    match.load("tag");
    ASSERT_NE(anna.pawn(), nullptr);
    ASSERT_NE(bert.pawn(), nullptr);
    EXPECT_LT(anna.pawn()->id().index, bert.pawn()->id().index);
    EXPECT_TRUE(match.is_ready(*anna.pawn())) << match.manager().explain_actor_init(*anna.pawn());
    EXPECT_EQ(anna.player_state()->pawn_data().to_string(), "pawn_data:walker");
    PlayerController& cora = match.login("cora");
    ASSERT_NE(cora.pawn(), nullptr);
    EXPECT_EQ(cora.player_state()->pawn_data().to_string(), "pawn_data:walker");
    match.frames(2);
    EXPECT_TRUE(match.is_ready(*cora.pawn())) << match.manager().explain_actor_init(*cora.pawn());
    EXPECT_EQ(match.state().players().size(), 3u);
}

TEST(GameMode, a_player_takes_data_of_its_own_no_earlier_than_the_experience_that_may_bring_it_is_loaded) {
    // E-26, E-75, E-68
    SmallMatch match;
    match.house.inner.files.write("features/hats/content/hatter.pawn_data.toml", "class = \"Walker\"\n");
    match.house.feature("hats");
    match.house.experience("tag", "pawn = \"runner\"\nfeatures = [\"hats\"]\n");
    match.house.experience("plain", "pawn = \"runner\"\n");
    match.open();
    int ready = 0;
    const auto hears = match.manager().add_extension_handler(
        framework::Selector("PlayerState"), [&](Actor&, Name event, const framework::EventPayload&) {
            if (event == framework::events::kAbilitiesReady) ++ready;
        });
    const auto own = match.mode().login({.name = "own", .pawn_data = {Name("pawn_data"), Name("hatter")}});
    ASSERT_TRUE(own.is_ok()) << own.status().text();
    match.frames(20);
    EXPECT_EQ(ready, 0) << "what it grants is not there yet";
    EXPECT_TRUE((*own)->player_state()->has_own_pawn_data());
    match.load("tag");
    EXPECT_EQ(ready, 1);
    ASSERT_NE((*own)->pawn(), nullptr) << match.house.last_report("gameplay.restart_failed");
    EXPECT_EQ((*own)->pawn()->type().name, Name("Walker"));
    EXPECT_TRUE(match.is_ready(*(*own)->pawn())) << match.manager().explain_actor_init(*(*own)->pawn());
    EXPECT_EQ(match.reports("gameplay.restart_failed"), 0u);
    match.load("plain");
    EXPECT_EQ(ready, 1) << "it has what it had";
}

TEST(GameMode, the_pawn_data_is_the_players_own_else_the_experiences_else_the_projects) {
    // E-26
    SmallMatch match;
    match.house.experience("tag", "pawn = \"walker\"\n");
    match.house.experience("plain", "");
    match.open(NetMode::Standalone, {Name("pawn_data"), Name("runner")});
    const auto data = [&](Controller& controller) {
        return Gameplay::of(match.world())->pawn_data_for(match.world(), controller.player_state()).to_string();
    };
    PlayerController& anna = match.login("anna");
    EXPECT_EQ(data(anna), "none");
    match.load("tag");
    EXPECT_EQ(data(anna), "pawn_data:walker");
    match.load("plain");
    EXPECT_EQ(data(anna), "pawn_data:runner");
    ASSERT_NE(anna.pawn(), nullptr);
    EXPECT_EQ(anna.pawn()->type().name, Name("Runner"));
    EXPECT_TRUE(match.is_ready(*anna.pawn())) << match.manager().explain_actor_init(*anna.pawn());
    const auto own = match.mode().login({.name = "own", .pawn_data = {Name("pawn_data"), Name("stroller")}});
    ASSERT_TRUE(own.is_ok()) << own.status().text();
    EXPECT_EQ(data(**own), "pawn_data:stroller");
    EXPECT_EQ((*own)->pawn(), nullptr) << "it is being loaded";
    match.frames(5);
    ASSERT_NE((*own)->pawn(), nullptr);
    EXPECT_TRUE(match.is_ready(*(*own)->pawn())) << match.manager().explain_actor_init(*(*own)->pawn());
    EXPECT_EQ(match.reports("gameplay.restart_failed"), 0u);
    match.load("tag");  // what is one's own stays in memory
    EXPECT_NE((*own)->pawn()->find<PawnExtensionComponent>()->pawn_data(), nullptr);
}

TEST(GameMode, pawn_data_that_cannot_be_loaded_is_told_as_that) {
    // E-26, E-28, E-66
    SmallMatch match;
    match.house.experience("plain", "");
    match.open();
    match.load("plain");
    const auto told = [&](const char* kind) { return match.house.last_report(kind); };
    const auto none = match.mode().login({.name = "own", .pawn_data = {Name("pawn_data"), Name("nowhere")}});
    match.frames(5);
    EXPECT_EQ((*none)->pawn(), nullptr);
    EXPECT_NE(told("gameplay.restart_failed").find("pawn_data:nowhere is named but not in memory"), std::string::npos)
        << told("gameplay.restart_failed");
    match.mode().fallback_pawn_class = Name("Walker");
    match.mode().restart(**none);
    EXPECT_NE((*none)->pawn(), nullptr);
    EXPECT_NE(told("gameplay.no_pawn_data").find("pawn_data:nowhere"), std::string::npos)
        << told("gameplay.no_pawn_data");
}

TEST(GameMode, without_pawn_data_the_pawn_is_there_and_what_is_missing_is_told) {
    // E-28
    SmallMatch match;
    match.house.experience("tag", "");
    match.open();
    match.mode().fallback_pawn_class = Name("Walker");
    match.load("tag");
    PlayerController& anna = match.login("anna");
    ASSERT_NE(anna.pawn(), nullptr);
    EXPECT_EQ(match.reports("gameplay.no_pawn_data"), 1u);
    EXPECT_NE(match.manager().explain_actor_init(*anna.pawn()).find("PawnData"), std::string::npos);
}

TEST(GameMode, without_a_class_nothing_is_tried_again) {
    // E-66
    SmallMatch match;
    match.house.experience("tag", "");
    match.open();
    match.load("tag");
    match.login("anna");
    match.frames(20);
    EXPECT_EQ(match.reports("gameplay.restart_failed"), 1u);
}

struct NoPlace : PlayerSpawning {
    using Described = NoPlace;
    static void describe(TypeBuilder<NoPlace>& t) { t.parent<PlayerSpawning>(); }
    static inline int asked = 0, finished = 0;
    static inline int free_from = 1000;
    Result<Transform> choose_start(Controller&) override {
        if (++asked < free_from) return Status::failed("all places are taken");
        return Transform{{7, 8, 0}};
    }
    void finish_restart(Controller&, Pawn&) override { ++finished; }
};

TEST(GameMode, a_start_that_fails_is_tried_ten_times_more_and_then_told_once) {
    // E-66, E-29
    SmallMatch match;
    ASSERT_TRUE(match.house.runtime().types().add<NoPlace>().is_ok());
    match.house.experience("tag", "pawn = \"walker\"\n");
    match.open();
    ASSERT_TRUE(match.state().add<NoPlace>().is_ok());
    match.load("tag");
    NoPlace::asked = NoPlace::finished = 0;
    NoPlace::free_from = 1000;
    match.login("anna");
    match.frames(30);
    EXPECT_EQ(NoPlace::asked, 11);
    EXPECT_EQ(match.reports("gameplay.restart_failed"), 1u);
    NoPlace::asked = 0;
    NoPlace::free_from = 4;
    PlayerController& bert = match.login("bert");
    match.frames(30);
    EXPECT_EQ(NoPlace::asked, 4);
    EXPECT_EQ(NoPlace::finished, 1);
    ASSERT_NE(bert.pawn(), nullptr);
    EXPECT_EQ(bert.pawn()->position(), (Vec3{7, 8, 0}));
    EXPECT_EQ(match.reports("gameplay.restart_failed"), 1u);
}

TEST(GameMode, starts_that_are_asked_for_while_one_is_to_be_tried_again_begin_no_second_chain) {
    // E-66
    SmallMatch match;
    ASSERT_TRUE(match.house.runtime().types().add<NoPlace>().is_ok());
    match.house.experience("tag", "pawn = \"walker\"\n");
    match.open();
    ASSERT_TRUE(match.state().add<NoPlace>().is_ok());
    match.load("tag");
    NoPlace::free_from = 1000;
    for (const bool is_bot : {false, true}) {
        Controller* controller = nullptr;
        NoPlace::asked = 0;
        if (is_bot) {
            controller = match.world().find<AIController>(*match.world().spawn<AIController>());
            ASSERT_TRUE(match.mode().admit(*controller, {.name = "bot"}).is_ok());
            match.mode().restart(*controller);
        } else {
            controller = &match.login("anna");
        }
        match.mode().restart(*controller);
        match.mode().restart(*controller);
        match.frames(30);
        EXPECT_EQ(NoPlace::asked, 13);
        EXPECT_EQ(match.reports("gameplay.restart_failed"), is_bot ? 2u : 1u);
    }
}

struct Gatekeeper : PlayerSpawning {
    using Described = Gatekeeper;
    static void describe(TypeBuilder<Gatekeeper>& t) { t.parent<PlayerSpawning>(); }
    static inline bool is_open = false;
    static inline int asked = 0, throws = 0;
    Status may_restart(Controller& controller) override {
        ++asked;
        if (throws > 0 && throws-- > 0) throw std::runtime_error("no list of guests");
        return is_open ? PlayerSpawning::may_restart(controller) : Status::refused("the gate is shut");
    }
};

TEST(GameMode, a_reset_registers_nothing_anew) {
    // E-65
    SmallMatch match;
    ASSERT_TRUE(match.house.runtime().types().add<Gatekeeper>().is_ok());
    match.house.experience("tag", "pawn = \"walker\"\n");
    match.open();
    ASSERT_TRUE(match.state().add<Gatekeeper>().is_ok());
    PlayerController& anna = match.login("anna");
    anna.player_state()->add_score(7);
    match.mode().reset();
    match.mode().reset();
    EXPECT_EQ(anna.player_state()->score(), 0);
    Gatekeeper::is_open = false;
    Gatekeeper::asked = 0;
    match.load("tag");
    EXPECT_EQ(Gatekeeper::asked, 1);
    EXPECT_EQ(anna.pawn(), nullptr);
}

TEST(GameMode, who_may_restart_is_said_by_the_spawning_component_and_without_one_by_the_mode) {
    // E-29
    SmallMatch match;
    ASSERT_TRUE(match.house.runtime().types().add<Gatekeeper>().is_ok());
    match.house.experience("tag", "pawn = \"walker\"\n");
    match.open();
    const auto keeper = match.state().add<Gatekeeper>();
    ASSERT_TRUE(keeper.is_ok());
    match.load("tag");
    Gatekeeper::is_open = false;
    Gatekeeper::asked = 0;
    PlayerController& anna = match.login("anna");
    match.frames(30);
    EXPECT_EQ(anna.pawn(), nullptr);
    EXPECT_EQ(Gatekeeper::asked, 1) << "who may not is not tried again";
    EXPECT_EQ(match.reports("gameplay.restart_failed"), 0u);
    Gatekeeper::is_open = true;
    match.mode().restart(anna);
    EXPECT_NE(anna.pawn(), nullptr);
    Gatekeeper::is_open = false;
    ASSERT_TRUE(match.world().remove_component(**keeper).is_ok());
    EXPECT_NE(match.login("bert").pawn(), nullptr) << "the mode's own rule";
}

TEST(GameMode, a_permission_that_throws_is_a_start_that_failed_and_is_asked_for_again) {
    // E-66, E-29
    SmallMatch match;
    ASSERT_TRUE(match.house.runtime().types().add<Gatekeeper>().is_ok());
    match.house.experience("tag", "pawn = \"walker\"\n");
    match.open();
    ASSERT_TRUE(match.state().add<Gatekeeper>().is_ok());
    match.load("tag");
    Gatekeeper::is_open = true;
    Gatekeeper::asked = 0;
    Gatekeeper::throws = 3;
    PlayerController& anna = match.login("anna");
    match.frames(10);
    EXPECT_NE(anna.pawn(), nullptr);
    EXPECT_EQ(Gatekeeper::asked, 4);
    Gatekeeper::throws = 1000;
    match.login("bert");
    match.frames(30);
    Gatekeeper::throws = 0;
    EXPECT_EQ(Gatekeeper::asked, 4 + 11);
    EXPECT_NE(match.house.last_report("gameplay.restart_failed").find("may_restart threw"), std::string::npos);
}

struct Always : PlayerSpawning {  // a game's own rule that asks for nothing else
    using Described = Always;
    static void describe(TypeBuilder<Always>& t) { t.parent<PlayerSpawning>(); }
    Status may_restart(Controller&) override { return Status::ok(); }
};

TEST(GameMode, what_holds_for_everybody_is_no_spawning_components_to_allow) {
    // E-29, E-65, E-75
    SmallMatch match;
    ASSERT_TRUE(match.house.runtime().types().add<Always>().is_ok());
    match.house.experience("tag", "pawn = \"walker\"\n");
    match.open();
    ASSERT_TRUE(match.state().add<Always>().is_ok());
    PlayerController& anna = match.login("anna");
    auto& nobody = *match.world().find<AIController>(*match.world().spawn<AIController>());
    match.mode().restart(anna);
    EXPECT_EQ(anna.pawn(), nullptr) << "no experience is Loaded";
    match.load("tag");
    EXPECT_NE(anna.pawn(), nullptr);
    const auto watcher = match.mode().login({.name = "cora", .is_spectator = true});
    EXPECT_EQ((*watcher)->pawn(), nullptr) << "who only watches";
    match.mode().restart(nobody);
    EXPECT_EQ(nobody.pawn(), nullptr) << "who has not logged in";
    ASSERT_TRUE(match.host().clear_experience("").is_ok());
    match.world().destroy(anna.pawn()->id());
    match.mode().restart(anna);
    match.frames(3);
    EXPECT_EQ(anna.pawn(), nullptr) << "what is being left";
}

struct Ended : PlayerSpawning {
    using Described = Ended;
    static void describe(TypeBuilder<Ended>& t) { t.parent<PlayerSpawning>(); }
    Result<Transform> choose_start(Controller& controller) override {
        told().push_back("asked");
        return PlayerSpawning::choose_start(controller);
    }
};
struct Ender : PawnComponent {  // takes the rules away when its pawn is left
    using Described = Ender;
    static void describe(TypeBuilder<Ender>& t) { t.parent<PawnComponent>(); }
    void unpossessed(Controller&) override {
        if (auto* rules = Match::state(world())->find<PlayerSpawning>()) world().remove_component(*rules).ignore();
    }
};

TEST(GameMode, a_spawning_component_that_ends_in_a_restart_is_asked_no_more) {
    // E-29
    SmallMatch match;
    ASSERT_TRUE((match.house.runtime().types().add_all<Ended, Ender>().is_ok()));
    match.house.experience("tag", "pawn = \"walker\"\n");
    match.open();
    ASSERT_TRUE(match.state().add<Ended>().is_ok());
    match.load("tag");
    PlayerController& anna = match.login("anna");
    ASSERT_TRUE(anna.pawn()->add<Ender>().is_ok());
    story();
    match.mode().restart(anna);
    EXPECT_EQ(story().find("asked"), std::string::npos);
    EXPECT_EQ(match.state().find<PlayerSpawning>(), nullptr);
    EXPECT_NE(anna.pawn(), nullptr) << "the mode's own rule";
}

TEST(GameMode, what_players_have_of_an_experience_is_left_with_it) {
    // E-82, F-26, E-26
    SmallMatch match;
    match.house.inner.files.write("features/hats/content/hatter.pawn_data.toml", "class = \"Walker\"\n");
    match.house.feature("hats");
    match.house.experience("tag", "pawn = \"hatter\"\nfeatures = [\"hats\"]\n");
    match.house.experience("plain", "features = [\"hats\"]\n");
    match.open(NetMode::Standalone, {Name("pawn_data"), Name("hatter")});
    PlayerController& anna = match.login("anna");
    for (const char* experience : {"tag", "plain"}) {  // its own, and the project's, which it brings
        SCOPED_TRACE(experience);
        match.load(experience);
        ASSERT_NE(anna.pawn(), nullptr) << match.house.last_report("gameplay.restart_failed");
        EXPECT_EQ(anna.player_state()->pawn_data().to_string(), "pawn_data:hatter");
        ASSERT_TRUE(match.host().clear_experience("").is_ok());
        match.frames(20);
        EXPECT_EQ(match.reports("feature.asset_held"), 0u) << match.house.last_report("feature.asset_held");
        EXPECT_EQ(match.house.assets().memory().assets, 0u);
        EXPECT_EQ(match.house.held(), "");
    }
}

struct Both : Gatekeeper {  // lets everybody in until it shuts, and has no room
    using Described = Both;
    static void describe(TypeBuilder<Both>& t) { t.parent<Gatekeeper>(); }
    Result<Transform> choose_start(Controller&) override {
        if (++tries == shuts_at) is_open = false;
        return Status::failed("all places are taken");
    }
    int tries = 0, shuts_at = 0;
};

TEST(GameMode, starts_are_tried_as_often_as_the_variable_says_and_only_while_they_are_allowed) {
    // E-66
    SmallMatch match;
    ASSERT_TRUE((match.house.runtime().types().add_all<Gatekeeper, Both>().is_ok()));
    match.house.experience("tag", "pawn = \"walker\"\n");
    match.open();
    Both& gate = **match.state().add<Both>();
    match.load("tag");
    Gatekeeper::is_open = true;
    ASSERT_TRUE(match.house.runtime()
                    .variables()
                    .set("lyre.gamemode.MaxRestartRetries", "2", {VariableSource::CommandLine, "test"})
                    .is_ok());
    match.login("anna");
    match.frames(20);
    EXPECT_EQ(gate.tries, 3);
    const std::string reason = match.house.last_report("gameplay.restart_failed");
    EXPECT_NE(reason.find("given up after 2 retries: all places are taken"), std::string::npos) << reason;
    gate.tries = 0;
    gate.shuts_at = 2;
    match.login("bert");
    match.frames(20);
    EXPECT_EQ(gate.tries, 2) << "it is shut by then";
    EXPECT_EQ(match.reports("gameplay.restart_failed"), 1u);
}

TEST(GameMode, a_game_state_that_has_lost_its_host_takes_nothing_down) {
    // E-21
    SmallMatch match;
    ASSERT_TRUE(match.house.runtime().types().add<Gatekeeper>().is_ok());
    match.open();
    ASSERT_TRUE(match.world().remove_component(match.host()).is_ok());
    EXPECT_EQ(match.state().find_host(), nullptr);
    match.state().start_match();
    EXPECT_FALSE(match.state().has_match_started()) << "of which experience?";
    EXPECT_TRUE(match.state().add<TeamCreation>().is_ok());
    EXPECT_TRUE(match.state().add<BotCreation>().is_ok());
    EXPECT_EQ(match.login("anna").pawn(), nullptr);
    match.world().destroy(match.mode().id());
    EXPECT_TRUE(match.world().spawn<GameMode>().is_ok());
    match.frames(3);
    EXPECT_EQ(match.world().count_instances(*match.house.runtime().types().find<Team>()), 0u);
}

TEST(GameMode, without_a_spawning_component_players_start_at_the_levels_starts_in_turn) {
    // E-29
    SmallMatch match;
    match.house.experience("tag", "pawn = \"walker\"\n");
    match.open();
    match.load("tag");
    EXPECT_EQ(match.login("nobody").pawn()->position(), Vec3()) << "a level without starts: the middle";
    LevelDef level;
    level.name = Name("yard");
    level.bounds = {{-10, -10, 0}, {10, 10, 0}};
    level.points = {{Name("start_b"), {3, 4, 0}, 90}, {Name("flag"), {5, 5, 0}, 0}, {Name("start_a"), {1, 2, 0}, 0}};
    ASSERT_TRUE(match.world().levels().add(level).is_ok());
    EXPECT_EQ(match.login("anna").pawn()->position(), (Vec3{3, 4, 0}));
    EXPECT_EQ(match.login("bert").pawn()->position(), (Vec3{1, 2, 0}));
    EXPECT_EQ(match.login("cora").pawn()->position(), (Vec3{3, 4, 0}));
}

// Says at its registration which data its pawn has.
struct Reader : PawnComponent {
    using Described = Reader;
    static void describe(TypeBuilder<Reader>& t) { t.parent<PawnComponent>(); }
    void registered() {
        told().push_back("registered with " + pawn().find<PawnExtensionComponent>()->pawn_data_id().to_string());
    }
};
struct Student : Walker {
    using Described = Student;
    static void describe(TypeBuilder<Student>& t) {
        t.parent<Walker>();
        t.component<Reader>("reader");
    }
};

TEST(GameMode, a_pawn_has_its_data_before_its_parts_register) {
    // E-28
    SmallMatch match;
    ASSERT_TRUE((match.house.runtime().types().add_all<Reader, Student>().is_ok()));
    match.house.write("student.pawn_data.toml", "class = \"Student\"\n");
    match.house.experience("school", "pawn = \"student\"\n");
    match.open();
    match.load("school");
    story();
    match.login("anna");
    ASSERT_FALSE(told().empty());
    EXPECT_EQ(told().front(), "registered with pawn_data:student");
}

TEST(GameMode, a_player_who_leaves_takes_everything_along_or_stays_for_a_while) {
    // E-94, W-30
    SmallMatch match;
    match.house.experience("tag", "pawn = \"walker\"\n");
    match.house.experience("kept", "pawn = \"walker\"\nkeep_player_state_secs = 1\n");
    match.open();
    int removed = 0;
    const Connection counts = match.state().player_removed.add([&](PlayerState&) { ++removed; });
    match.load("tag");
    match.mode().logout(match.login("anna"));
    EXPECT_EQ(removed, 1);
    EXPECT_EQ(match.state().players().size(), 0u);
    match.load("kept");
    match.mode().logout(match.login("bert"));
    ASSERT_EQ(match.state().players().size(), 1u);
    EXPECT_TRUE(match.state().players()[0]->is_inactive());
    EXPECT_EQ(match.world().count_instances(*match.house.runtime().types().find<Walker>()), 0u);
    match.frames(90);
    EXPECT_EQ(removed, 2);
    EXPECT_EQ(match.state().players().size(), 0u);
}

TEST(GameMode, a_switch_gives_players_the_new_data_and_keeps_who_they_are) {
    // E-68, I-47
    SmallMatch match;
    match.house.experience("tag", "pawn = \"walker\"\n");
    match.house.experience("stroll", "pawn = \"stroller\"\n");
    match.house.experience("run", "pawn = \"runner\"\n");
    match.open();
    TeamCreation& teams = **match.state().add<TeamCreation>();
    teams.configure({4, 7});
    match.load("tag");
    LocalPlayer person(Name("anna"));
    PlayerController& anna = match.login("anna", &person);
    const auto own = match.mode().login({.name = "own", .pawn_data = {Name("pawn_data"), Name("walker")}});
    ASSERT_TRUE(own.is_ok());
    anna.player_state()->add_score(3);
    EXPECT_EQ(anna.player_state()->team(), 4);
    EXPECT_EQ((*own)->player_state()->team(), 7);
    const ActorId side = teams.team(7)->id();
    const ActorId player = anna.player_state()->id(), pawn = anna.pawn()->id(), others = (*own)->pawn()->id();
    match.frames(2);
    EXPECT_EQ(anna.camera_mode(), Name("above"));
    story();
    match.load("stroll");  // the same class: the pawn stays and climbs again
    ASSERT_NE(anna.pawn(), nullptr);
    EXPECT_EQ(anna.pawn()->id(), pawn);
    EXPECT_EQ(anna.camera_mode(), Name("far"));
    EXPECT_TRUE(match.is_ready(*anna.pawn())) << match.manager().explain_actor_init(*anna.pawn());
    EXPECT_EQ((*own)->pawn()->id(), others);
    EXPECT_NE((*own)->pawn()->find<PawnExtensionComponent>()->pawn_data(), nullptr)
        << "one's own data stays in memory, whatever else had it";
    match.load("run");  // another class
    ASSERT_NE(anna.pawn(), nullptr);
    EXPECT_NE(anna.pawn()->id(), pawn);
    EXPECT_EQ(anna.pawn()->type().name, Name("Runner"));
    EXPECT_TRUE(match.is_ready(*anna.pawn())) << match.manager().explain_actor_init(*anna.pawn());
    EXPECT_EQ(anna.player_state()->id(), player);
    EXPECT_EQ(anna.player_state()->score(), 3);
    EXPECT_EQ(anna.player_state()->team(), 4);
    EXPECT_EQ((*own)->player_state()->team(), 7);
    EXPECT_EQ(teams.team(7)->id(), side) << "whoever makes the teams was there all the time";
    EXPECT_EQ(match.state().players().size(), 2u);
    match.world().drain_urgent();
    EXPECT_TRUE(anna.player_state()->set_pawn_data({Name("pawn_data"), Name("walker")}).is_ok());
    const auto urgent = match.world().drain_urgent();
    EXPECT_NE(std::find(urgent.begin(), urgent.end(), player), urgent.end());
    EXPECT_FALSE(anna.player_state()->set_pawn_data({Name("pawn_data"), Name("runner")}).is_ok());
    EXPECT_TRUE(match.world().drain_urgent().empty());
    EXPECT_EQ(match.reports("gameplay.pawn_data_refused"), 1u);
}

TEST(GameMode, a_pawn_that_is_to_be_another_one_is_replaced_when_a_held_start_of_play_comes) {
    // X-05, E-60
    SmallMatch match;
    match.house.experience("tag", "pawn = \"walker\"\n");
    match.house.experience("run", "pawn = \"runner\"\n");
    match.open();
    match.load("tag");
    PlayerController& anna = match.login("anna");
    const auto made = match.world().spawn<AIController>();
    auto& bot = *match.world().find<AIController>(*made);
    ASSERT_TRUE(match.mode().admit(bot, {.name = "bot"}).is_ok());
    match.mode().restart(bot);
    ASSERT_NE(bot.pawn(), nullptr);
    match.world().destroy(bot.pawn()->id());  // as one of a feature that goes
    ASSERT_TRUE(match.host().set_experience("run").is_ok());
    match.frames(1);
    auto hold = match.host().hold_play_start("test", 60);
    ASSERT_TRUE(hold.is_ok()) << hold.status().text();
    match.frames(40);
    ASSERT_TRUE(match.host().is_experience_loaded());
    ASSERT_FALSE(match.host().may_play_start());
    EXPECT_EQ(anna.pawn()->type().name, Name("Walker"));
    EXPECT_EQ(bot.pawn(), nullptr);
    hold->release();
    match.frames(3);
    ASSERT_NE(anna.pawn(), nullptr);
    EXPECT_EQ(anna.pawn()->type().name, Name("Runner"));
    ASSERT_NE(bot.pawn(), nullptr);
    EXPECT_EQ(bot.pawn()->type().name, Name("Runner"));
    EXPECT_EQ(match.world().count_instances(*match.house.runtime().types().find<Runner>()), 2u);
}

// Starts everybody whenever a controller has another pawn.
struct Eager : ControllerComponent {
    using Described = Eager;
    static void describe(TypeBuilder<Eager>& t) { t.parent<ControllerComponent>(); }
    void pawn_changed(Pawn*, Pawn*) override {
        ++calls;
        for (const PlayerState* player : Match::state(world())->players())
            if (auto* other = world().find<Controller>(player->controller_id())) Match::mode(world())->restart(*other);
    }
    static inline int calls = 0;
};

TEST(GameMode, starts_inside_starts_come_to_an_end) {
    //
    SmallMatch match;
    ASSERT_TRUE(match.house.runtime().types().add<Eager>().is_ok());
    match.house.experience("tag", "pawn = \"walker\"\n");
    match.open();
    match.load("tag");
    for (int i = 0; i < 6; ++i) ASSERT_TRUE(match.login(fmt::format("{}", i)).add<Eager>().is_ok());
    Eager::calls = 0;  // each has heard of the pawn that it has already
    match.mode().restart(*match.world().find<Controller>(match.state().players()[0]->controller_id()));
    EXPECT_LT(Eager::calls, 2000);
    match.frames(30);
    for (const PlayerState* player : match.state().players()) EXPECT_NE(player->pawn(), nullptr);
}

// Takes its pawn again whenever it has lost it, and lets it go when it has it.
struct Fickle : ControllerComponent {
    using Described = Fickle;
    static void describe(TypeBuilder<Fickle>& t) { t.parent<ControllerComponent>(); }
    void pawn_changed(Pawn* before, Pawn* now) override {
        if (now != nullptr) return controller().unpossess();
        if (const Status status = controller().possess(*before); !status) refused = status.text();
    }
    static inline std::string refused;
};

TEST(GameMode, possessions_inside_possessions_come_to_an_end) {
    // W-30
    SmallMatch match;
    ASSERT_TRUE(match.house.runtime().types().add<Fickle>().is_ok());
    match.house.experience("tag", "pawn = \"walker\"\n");
    match.open();
    match.load("tag");
    PlayerController& anna = match.login("anna");
    ASSERT_TRUE(anna.add<Fickle>().is_ok());
    anna.unpossess();
    EXPECT_EQ(Fickle::refused, "possessions inside possessions have no end");
}

// What happens as a pawn is left, once.
struct Left : PawnComponent {
    using Described = Left;
    static void describe(TypeBuilder<Left>& t) { t.parent<PawnComponent>(); }
    void unpossessed(Controller&) override {
        if (then) std::exchange(then, {})();
    }
    static inline std::function<void()> then;
};

TEST(GameMode, who_is_given_a_pawn_inside_a_restart_keeps_it) {
    // W-30, E-65
    for (const std::string moment :
         {"it is left, another the old one", "it is left, it another one", "the next comes"}) {
        SCOPED_TRACE(moment);
        SmallMatch match;
        ASSERT_TRUE(match.house.runtime().types().add<Left>().is_ok());
        match.house.experience("tag", "pawn = \"walker\"\n");
        match.open();
        match.load("tag");
        PlayerController& anna = match.login("anna");
        PlayerController& bert = match.login("bert");
        const ActorId old = anna.pawn()->id(), berts = bert.pawn()->id();
        Pawn& other = *match.world().find<Pawn>(*match.world().spawn<Runner>());
        ASSERT_TRUE(anna.pawn()->add<Left>().is_ok());
        const bool is_the_old_one = moment.ends_with("the old one");
        std::function<void()> gives = [&] {
            Pawn& given = is_the_old_one ? *match.world().find<Pawn>(old) : other;
            EXPECT_TRUE((is_the_old_one ? bert : anna).possess(given).is_ok());
        };
        Connection comes;
        if (moment == "the next comes")
            comes = match.world().actor_initialized.add([&](Actor& actor) {
                if (actor.is_a<Pawn>() && gives) std::exchange(gives, {})();
            });
        else
            Left::then = gives;
        match.mode().restart(anna);
        match.frames(3);
        ASSERT_NE(anna.pawn(), nullptr);
        ASSERT_NE(bert.pawn(), nullptr);
        EXPECT_EQ(anna.pawn() == &other, !is_the_old_one);
        EXPECT_EQ(bert.pawn()->id(), is_the_old_one ? old : berts);
        EXPECT_EQ(match.world().find(old) != nullptr, is_the_old_one);
        std::size_t walkers = 0;  // none is left behind but the one that bert has left
        for (ActorId id : match.world().actors()) walkers += match.world().find<Walker>(id) != nullptr ? 1 : 0;
        EXPECT_EQ(walkers, is_the_old_one ? 4u : 2u);
        EXPECT_EQ(match.reports("gameplay.restart_failed"), 0u);
    }
}

struct Starts : GameStateComponent {
    using Described = Starts;
    static void describe(TypeBuilder<Starts>& t) { t.parent<GameStateComponent>(); }
    void match_started() override { then(); }
    static inline std::function<void()> then;
};

TEST(GameMode, a_match_starts_once_until_it_is_reset_or_another_experience_comes) {
    // G-51
    SmallMatch match;
    match.house.experience("tag", "pawn = \"walker\"\n");
    match.house.experience("run", "pawn = \"runner\"\n");
    match.open();
    match.load("tag");
    EXPECT_FALSE(match.state().has_match_started());
    match.state().start_match();
    EXPECT_TRUE(match.state().has_match_started());
    match.mode().reset();
    EXPECT_FALSE(match.state().has_match_started());
    int heard = 0;
    Starts::then = [&heard] { ++heard; };
    ASSERT_TRUE(match.house.runtime().types().add<Starts>().is_ok());
    ASSERT_TRUE(match.state().add<Starts>().is_ok());
    match.state().start_match();
    EXPECT_EQ(heard, 1);
    match.load("run");
    EXPECT_FALSE(match.state().has_match_started());
    match.load("tag");
    EXPECT_FALSE(match.state().has_match_started()) << "that was another match";
    match.state().start_match();
    EXPECT_EQ(heard, 2);
    match.load("run");
    match.state().start_match();
    EXPECT_TRUE(match.state().has_match_started());
}

TEST(GameMode, pawn_data_is_read_with_all_it_says_and_its_lists_are_bounded) {
    // E-27
    SmallMatch match;
    std::string actions = "class = \"Walker\"\nactions = [";
    for (std::size_t i = 0; i <= kMaxInputActions; ++i) actions += fmt::format("\"A{}\", ", i);
    match.house.write("long.pawn_data.toml", actions + "]\n");
    match.house.experience("tag", "pawn = \"walker\"\n");
    match.house.experience("much", "pawn = \"long\"\n");
    match.open();
    match.load("tag");
    const PawnData* data = Gameplay::of(match.world())->find_pawn_data({Name("pawn_data"), Name("walker")});
    ASSERT_NE(data, nullptr);
    EXPECT_EQ(data->class_name, Name("Walker"));
    EXPECT_EQ(data->camera, Name("above"));
    EXPECT_EQ(data->actions, std::vector{Name("Jump")});
    ASSERT_EQ(data->contexts.size(), 2u);
    EXPECT_TRUE(data->contexts[1].in_settings);
    EXPECT_EQ(data->contexts[1].priority, -1);
    EXPECT_EQ(data->contexts[1].map[1].action, Name("Jump"));
    ASSERT_TRUE(match.host().set_experience("much").is_ok());
    match.frames(40);
    EXPECT_EQ(Gameplay::of(match.world())->find_pawn_data({Name("pawn_data"), Name("long")}), nullptr);
    EXPECT_EQ(match.host().state(), experience::LoadState::Failed);
    EXPECT_NE(match.host().failure().to_string().find("LY-5001"), std::string::npos)
        << match.host().failure().to_string();
}

TEST(GameMode, there_is_one_and_only_where_the_server_is) {
    // G-52
    SmallMatch match;
    match.open();
    EXPECT_FALSE(match.world().spawn<GameMode>().is_ok());
    GameInstance& client = match.open(NetMode::Client);
    EXPECT_FALSE(client.world()->spawn<GameMode>().is_ok());
    EXPECT_EQ(Match::mode(*client.world()), nullptr);
}

}  // namespace game_mode_test
}  // namespace lyre::gameplay
