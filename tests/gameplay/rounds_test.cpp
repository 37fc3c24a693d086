// Who comes when the experience is loaded: teams, then players, then bots; and the phases of the match.
#include <limits>

#include "lyre/features/symmetry.h"
#include "lyre/gameplay/bots.h"
#include "lyre/gameplay/phases.h"
#include "lyre/gameplay/teams.h"

#include "tests/gameplay/parcel.h"

namespace lyre::gameplay {
namespace rounds_test {

const char* kTag = "pawn = \"walker\"\n";

struct Teamed : SmallMatch {
    explicit Teamed(std::uint64_t bots = 3) {
        house.experience("tag", kTag);
        open();
        teams = *state().add<TeamCreation>();
        teams->configure({2, 1});
        maker = *state().add<BotCreation>();
        maker->count = static_cast<std::int64_t>(bots);
        maker->controller_class = Name("AIController");
        maker->names = std::vector<std::string>{"Orfeo", "Sappho"};
        made = world().actor_initialized.add([this](Actor& actor) {
            if (actor.as<Team>() != nullptr) order.push_back("team");
            if (actor.as<Walker>() != nullptr) order.push_back("pawn");
            if (actor.as<AIController>() != nullptr) order.push_back("bot");
        });
    }
    std::string orders() {
        std::string text;
        for (const std::string& one : std::exchange(order, {})) text += (text.empty() ? "" : " ") + one;
        return text;
    }
    TeamCreation* teams = nullptr;
    BotCreation* maker = nullptr;
    std::vector<std::string> order;
    Connection made;
};

TEST(Rounds, teams_exist_before_pawns_and_pawns_before_bots_and_nothing_before_loaded) {
    // E-60, E-69, E-70, E-75
    Teamed match;
    match.login("anna");
    match.login("bert");
    match.frames(20);
    EXPECT_EQ(match.orders(), "");
    match.load("tag");
    EXPECT_EQ(match.orders(), "team team team team pawn pawn bot pawn bot pawn bot pawn");
    std::map<std::int32_t, int> members;
    std::set<std::string> names;
    for (PlayerState* player : match.state().players()) {
        ++members[player->team()];
        names.insert(player->player_name());
    }
    EXPECT_EQ(members, (std::map<std::int32_t, int>{{1, 3}, {2, 2}}));
    EXPECT_EQ(names.size(), 5u);
    EXPECT_TRUE(names.contains("Orfeo") && names.contains("Sappho"));
    for (ActorId id : match.maker->bots()) {
        Controller& bot = *match.world().find<Controller>(id);
        ASSERT_NE(bot.pawn(), nullptr);
        EXPECT_TRUE(match.is_ready(*bot.pawn())) << match.manager().explain_actor_init(*bot.pawn());
    }
    EXPECT_NE(match.teams->team(1), nullptr);
    EXPECT_NE(match.teams->team(2, true), nullptr);
}

TEST(Teams, the_least_populated_one_wins_and_who_watches_has_none) {
    // E-69
    Teamed match(0);
    match.load("tag");
    PlayerController& anna = match.login("anna");
    EXPECT_EQ(anna.player_state()->team(), 1);
    PlayerController& bert = match.login("bert");
    EXPECT_EQ(bert.player_state()->team(), 2);
    const auto watcher = match.mode().login({.name = "cora", .is_spectator = true});
    ASSERT_TRUE(watcher.is_ok());
    EXPECT_EQ((*watcher)->player_state()->team(), kNoTeam);
    EXPECT_EQ((*watcher)->pawn(), nullptr);
    anna.player_state()->set_inactive(true);
    EXPECT_EQ(match.login("dora").player_state()->team(), 1);
    bert.player_state()->set_team(9);
    EXPECT_EQ(match.teams->assign(*bert.player_state()), 2);
    EXPECT_EQ(match.reports("gameplay.unknown_team"), 1u);
    ASSERT_TRUE(match.world().remove_component(*match.teams).is_ok());
    EXPECT_EQ(bert.player_state()->team(), kNoTeam);
    EXPECT_EQ(match.world().count_instances(*match.house.runtime().types().find<Team>()), 0u);
}

TEST(Rounds, who_waits_has_a_pawn_before_the_first_bot_whoever_brings_its_data_and_however_slowly) {
    // E-60, E-26
    for (const char* slow : {"hatter", "stroller", "nothing"}) {
        SCOPED_TRACE(slow);
        SmallMatch match;
        match.house.inner.files.write("features/hats/content/hatter.pawn_data.toml", "class = \"Walker\"\n");
        match.house.feature("hats");
        match.house.experience("plain", "features = [\"hats\"]\n");
        match.open(NetMode::Standalone,
                   {Name("pawn_data"), Name("hatter")});  // the project's is of a feature's content
        BotCreation& maker = **match.state().add<BotCreation>();
        maker.count = 2;
        maker.controller_class = Name("AIController");
        std::string order;
        const Connection made = match.world().actor_initialized.add([&](Actor& actor) {
            if (actor.as<Walker>() != nullptr) order += "pawn ";
            if (actor.as<AIController>() != nullptr) order += "bot ";
        });
        match.login("anna");
        ASSERT_TRUE(match.mode().login({.name = "own", .pawn_data = {Name("pawn_data"), Name("stroller")}}).is_ok());
        match.house.inner.executor.hold(slow);
        ASSERT_TRUE(match.host().set_experience("plain").is_ok());
        match.frames(40);
        if (slow != std::string("nothing")) {
            EXPECT_EQ(match.host().state(), experience::LoadState::ExecutingActions) << "it is part of the load";
            const auto pending = match.host().explain_loading().pending;
            ASSERT_EQ(pending.size(), 1u);
            EXPECT_NE(pending[0].waits.find(slow), std::string::npos) << pending[0].waits;
            match.mode().login({.name = "late", .pawn_data = {Name("pawn_data"), Name("runner")}}).status().ignore();
        }
        match.house.inner.executor.release(slow);
        match.frames(40);
        EXPECT_EQ(order, slow == std::string("nothing") ? "pawn pawn bot pawn bot pawn "
                                                        : "pawn pawn pawn bot pawn bot pawn ");
    }
}

TEST(Rounds, data_that_cannot_be_loaded_holds_nobody_up) {
    // E-60, E-28
    SmallMatch match;
    match.house.write("broken.pawn_data.toml", "clas = \"Walker\"\n");
    match.house.experience("plain", "");
    match.open(NetMode::Standalone, {Name("pawn_data"), Name("broken")});
    match.mode().fallback_pawn_class = Name("Walker");
    PlayerController& anna = match.login("anna");
    const auto own = match.mode().login({.name = "own", .pawn_data = {Name("pawn_data"), Name("nowhere")}});
    ASSERT_TRUE(match.host().set_experience("plain").is_ok());
    bool has_pawns = false;
    const auto loaded = match.host().call_or_register_on_experience_loaded(
        experience::Priority::Low, {},
        [&](const auto&) { has_pawns = anna.pawn() != nullptr && (*own)->pawn() != nullptr; });
    match.frames(40);
    ASSERT_TRUE(match.host().is_experience_loaded()) << match.host().failure().to_string();
    EXPECT_TRUE(has_pawns);
    std::string told;
    for (const LogEntry& entry : match.house.runtime().log().entries())
        if (entry.kind == Name("gameplay.no_pawn_data")) told += entry.text + "\n";
    EXPECT_NE(told.find("pawn_data:broken is named but not in memory: "), std::string::npos) << told;
    EXPECT_NE(told.find("pawn_data:nowhere is named but not in memory: "), std::string::npos) << told;
}

TEST(Rounds, while_it_loads_nobody_and_nothing_of_the_match_comes) {
    // E-75, E-65
    Teamed match;
    match.house.thing("slow");
    match.house.experience("late", std::string(kTag) + "assets = [\"thing:slow\"]\n");
    match.house.inner.executor.hold("slow.thing");
    int ready = 0;
    const auto hears = match.manager().add_extension_handler(
        framework::Selector("PlayerState"), [&](Actor&, Name event, const framework::EventPayload&) {
            if (event == framework::events::kAbilitiesReady) ++ready;
        });
    LocalPlayer person(Name("anna"));
    match.login("anna", &person);
    ASSERT_TRUE(match.host().set_experience("late").is_ok());
    match.frames(20);
    ASSERT_EQ(match.host().state(), experience::LoadState::Loading);
    ASSERT_TRUE(match.mode().login({.name = "own", .pawn_data = {Name("pawn_data"), Name("walker")}}).is_ok());
    match.frames(20);
    EXPECT_EQ(match.orders(), "");
    EXPECT_EQ(ready, 0);
    EXPECT_TRUE(person.contexts().empty());
    match.house.inner.executor.release("slow.thing");
    match.frames(20);
    EXPECT_EQ(match.orders(), "team team team team pawn pawn bot pawn bot pawn bot pawn");
    EXPECT_FALSE(person.contexts().empty());
}

TEST(Teams, who_is_there_already_is_assigned_in_the_order_of_login_and_without_teams_nobody_is) {
    // E-69
    Teamed match(0);
    match.login("anna");
    match.login("bert");
    match.load("tag");
    EXPECT_EQ(match.state().players()[0]->team(), 1);
    EXPECT_EQ(match.state().players()[1]->team(), 2);
    Teamed none(0);
    none.teams->configure({});
    none.login("anna");
    none.load("tag");
    EXPECT_EQ(none.login("bert").player_state()->team(), kNoTeam);
    EXPECT_EQ(none.state().players()[0]->team(), kNoTeam);
    EXPECT_EQ(none.world().count_instances(*none.house.runtime().types().find<Team>()), 0u);
}

TEST(Rounds, on_a_client_teams_bots_and_phases_are_the_servers) {
    // E-69, E-70, A-25
    Parcel match;
    EXPECT_TRUE(match.house.runtime().tags().declare("Playing").is_ok());
    match.house.experience("phased", std::string(kTag) + "[[action]]\nkind = \"start_game_phase\"\n"
                                                         "phase = [\"Playing\"]\n");
    match.load("phased");
    EXPECT_EQ(match.state().phases().active().size(), 1u);
    World& client = *match.open(NetMode::Client).world();
    ASSERT_TRUE(client.spawn<GameState>({.role = Role::SimulatedProxy}).is_ok());
    GameState& state = *Match::state(client);
    (*state.add<TeamCreation>())->configure({1, 2});
    (*state.add<BotCreation>())->controller_class = Name("AIController");
    ASSERT_TRUE(state.host().receive(match.host().published()).is_ok());
    match.frames(40);
    ASSERT_TRUE(state.host().is_experience_loaded());
    for (const char* type : {"Team", "AIController", "Pawn"})
        EXPECT_EQ(client.count_instances(*match.house.runtime().types().find(Name(type))), 0u) << type;
    EXPECT_TRUE(state.phases().active().empty());
    EXPECT_EQ(match.reports("gameplay.phase_refused"), 0u);
}

TEST(Bots, are_five_unless_told_otherwise_and_known_before_they_start) {
    // E-70
    SmallMatch match;
    match.house.experience("tag", kTag);
    match.open();
    (*match.state().add<BotCreation>())->controller_class = Name("AIController");
    std::vector<bool> had_pawn;
    const Connection hears = match.state().player_added.add([&](PlayerState& player) {
        const auto* bot = match.world().find<Controller>(player.controller_id());
        had_pawn.push_back(bot == nullptr || bot->pawn() != nullptr);
    });
    match.load("tag");
    EXPECT_EQ(had_pawn, std::vector<bool>(5, false));
}

TEST(Bots, their_number_is_the_requests_else_the_developers_else_the_components) {
    // E-70
    const auto bots = [](BotCounts counts) {
        Teamed match;
        match.world().subsystem<Match>()->bots = counts;
        match.load("tag");
        return match.state().players().size();
    };
    EXPECT_EQ(bots({}), 3u);
    EXPECT_EQ(bots({.developer = 1, .requested = {}}), 1u);
    EXPECT_EQ(bots({.developer = 1, .requested = 6}), 6u);
    EXPECT_EQ(bots({.developer = {}, .requested = 0}), 0u);
}

TEST(Bots, that_are_asked_for_are_there_also_where_nothing_of_the_game_makes_any) {
    // E-70, E-60
    SmallMatch match;
    match.house.experience("tag", "pawn = \"walker\"\n");
    match.house.experience("run", "pawn = \"runner\"\n");
    match.house.experience("menu", "title = \"nothing to steer\"\n");
    match.open();
    match.world().subsystem<Match>()->bots.requested = 3;
    match.load("tag");
    const auto names = [&] {
        std::string text;
        for (const PlayerState* player : match.state().players())
            text += fmt::format("{}:{}:{} ", player->player_name(), player->is_bot(),
                                player->pawn() != nullptr ? player->pawn()->type().name : Name());
        return text;
    };
    ASSERT_EQ(names(), "Bot 1:true:Walker Bot 2:true:Walker Bot 3:true:Walker ");
    EXPECT_TRUE(match.is_ready(*match.state().players().front()->pawn()));
    match.load("run");  // as players do, they stay
    EXPECT_EQ(names(), "Bot 1:true:Runner Bot 2:true:Runner Bot 3:true:Runner ");
    EXPECT_EQ(match.reports("gameplay.no_bots"), 0u);
    match.load("menu");
    EXPECT_EQ(names(), "");
    EXPECT_EQ(match.reports("gameplay.no_bots"), 1u);
    match.load("tag");
    EXPECT_EQ(match.state().players().size(), 3u);
    (*match.state().add<BotCreation>())->count = 9;  // one of the game, in the middle of the match
    match.frames(2);
    EXPECT_EQ(match.state().players().size(), 3u);
    EXPECT_EQ(match.state().find<BotCreation>()->bots().size(), 3u);
    match.load("run");
    EXPECT_EQ(match.state().players().size(), 3u);
    ASSERT_TRUE(match.world().remove_component(*match.state().find<BotCreation>()).is_ok());
    EXPECT_EQ(match.state().players().size(), 0u);
    EXPECT_EQ(match.state().find<BotCreation>(), nullptr);
}

TEST(Bots, that_nobody_asks_for_are_none_where_nothing_of_the_game_makes_any) {
    // E-70
    SmallMatch match;
    match.house.experience("tag", "pawn = \"walker\"\n");
    match.open();
    match.load("tag");
    EXPECT_EQ(match.state().find<BotCreation>(), nullptr);
    EXPECT_EQ(match.state().players().size(), 0u);
}

TEST(Bots, without_a_controller_there_are_none_and_it_is_told_and_they_go_with_their_component) {
    // E-70
    Teamed match;
    match.maker->controller_class = Name();
    match.load("tag");
    EXPECT_EQ(match.state().players().size(), 0u);
    EXPECT_EQ(match.reports("gameplay.no_bots"), 1u);
    Teamed other;
    other.load("tag");
    EXPECT_EQ(other.state().players().size(), 3u);
    ASSERT_TRUE(other.world().remove_component(*other.maker).is_ok());
    EXPECT_EQ(other.state().players().size(), 0u);
    EXPECT_EQ(other.world().count_instances(*other.house.runtime().types().find<Walker>()), 0u);
}

TEST(Bots, have_the_same_names_for_the_same_seed_and_others_for_another) {
    // E-70
    const auto names = [](std::uint64_t seed) {
        SmallMatch match;
        match.house.experience("tag", kTag);
        match.seed = seed;
        match.open();
        BotCreation& maker = **match.state().add<BotCreation>();
        maker.count = 12;
        maker.controller_class = Name("AIController");
        std::vector<std::string> pool;
        for (int i = 0; i < 40; ++i) pool.push_back(fmt::format("Muse {}", i));
        pool.push_back("Muse 3");  // one name, one bot
        maker.names = pool;
        match.load("tag");
        std::vector<std::string> all;
        for (const PlayerState* player : match.state().players()) all.push_back(player->player_name());
        EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), 12u);
        return all;
    };
    EXPECT_EQ(names(7), names(7));
    EXPECT_NE(names(7), names(8));
}

TEST(Bots, more_than_can_be_are_told_and_fewer_than_none_are_none) {
    // E-70
    const auto bots = [](std::int64_t count, std::uint64_t reports) {
        Teamed match(0);
        match.mode().fallback_pawn_class = Name();
        match.maker->count = count;
        match.load("tag");
        EXPECT_EQ(match.reports("gameplay.too_many_bots"), reports) << count;
        return match.state().players().size();
    };
    EXPECT_EQ(bots(-1, 0), 0u);
    EXPECT_EQ(bots(std::numeric_limits<std::int64_t>::min(), 0), 0u);
    EXPECT_EQ(bots(1'000'000'000, 1), static_cast<std::size_t>(BotCreation::kMaxBots));
}

TEST(Bots, names_that_look_alike_when_shown_are_given_once) {
    // E-70
    Teamed match(3);
    match.maker->names = std::vector<std::string>{
        "Or\x1b"
        "feo",
        "Or\x07"
        "feo",
        std::string(1'000'000, 'x')};
    match.load("tag");
    std::set<std::string> names;
    for (const PlayerState* player : match.state().players()) names.insert(player->player_name());
    EXPECT_EQ(names.size(), 3u);
}

TEST(Teams, numbers_that_are_no_teams_and_too_many_are_told) {
    // E-69
    SmallMatch match;
    match.house.experience("tag", kTag);
    match.open();
    TeamCreation& teams = **match.state().add<TeamCreation>();
    std::vector<std::int32_t> many{5, 5, kNoTeam, -7};
    for (std::int32_t i = 100; i < 200; ++i) many.push_back(i);
    teams.configure(many);
    match.load("tag");
    EXPECT_EQ(match.reports("gameplay.teams_left_out"), 1u);
    EXPECT_EQ(match.world().count_instances(*match.house.runtime().types().find<Team>()), 2 * TeamCreation::kMaxTeams);
    EXPECT_NE(teams.team(-7), nullptr);
    EXPECT_EQ(teams.team(kNoTeam), nullptr);
    EXPECT_EQ(teams.team(199), nullptr);
    for (std::size_t i = 0; i < TeamCreation::kMaxTeams; ++i) {
        const std::int32_t team = match.login("anna").player_state()->team();
        EXPECT_NE(teams.team(team), nullptr) << team;
    }
    Team& one = *teams.team(5);
    one.add_score(std::numeric_limits<std::int64_t>::max());
    one.add_score(1);
    EXPECT_EQ(one.score(), std::numeric_limits<std::int64_t>::max());
    one.add_score(std::numeric_limits<std::int64_t>::min());
    one.add_score(std::numeric_limits<std::int64_t>::min());
    EXPECT_EQ(one.score(), std::numeric_limits<std::int64_t>::min());
}

struct TwoSides : TeamCreation {
    using Described = TwoSides;
    static void describe(TypeBuilder<TwoSides>& t) { t.parent<TeamCreation>(); }
    void begin_play() {
        configure({4, 7});
        TeamCreation::begin_play();
    }
};

TEST(Teams, that_two_experiences_bring_by_the_same_action_are_the_same_after_a_switch) {
    //
    SmallMatch match;
    ASSERT_TRUE(match.house.runtime().types().add<TwoSides>().is_ok());
    const std::string sides = "[[action]]\nkind = \"add_components\"\nto = \"GameState\"\ncomponent = \"TwoSides\"\n";
    match.house.experience("tag", kTag + sides);
    match.house.experience("run", "pawn = \"runner\"\n" + sides);
    match.house.experience("solo", kTag);
    match.open();
    PlayerController& anna = match.login("anna");
    PlayerController& bert = match.login("bert");
    const auto teams = [&] {
        std::vector<ActorId> ids;
        for (ActorId id : match.world().actors())
            if (match.world().find<Team>(id) != nullptr) ids.push_back(id);
        return ids;
    };
    match.load("tag");
    const auto before = teams();
    ASSERT_EQ(before.size(), 4u);
    bert.player_state()->set_team(4);  // not where it would be put
    match.state().team(4)->add_score(5);
    match.load("run");
    EXPECT_EQ(teams(), before);
    EXPECT_EQ(match.state().team(4)->score(), 5);
    EXPECT_EQ(anna.player_state()->team(), 4);
    EXPECT_EQ(bert.player_state()->team(), 4);
    match.load("solo");
    EXPECT_EQ(teams().size(), 0u);
    EXPECT_EQ(bert.player_state()->team(), kNoTeam);
}

TEST(Teams, are_those_that_were_made_whatever_is_configured_later) {
    // E-69, X-06
    SmallMatch match;
    match.house.experience("tag", "pawn = \"walker\"\n");
    match.open();
    auto& teams = **match.state().add<TeamCreation>();
    teams.configure({1, 2});
    match.load("tag");
    PlayerController& anna = match.login("anna");
    teams.configure({5});
    PlayerController& bert = match.login("bert");
    EXPECT_EQ(anna.player_state()->team(), 1);
    EXPECT_EQ(bert.player_state()->team(), 2);
    ASSERT_TRUE(match.world().remove_component(teams).is_ok());
    EXPECT_EQ(anna.player_state()->team(), kNoTeam);
    EXPECT_EQ(bert.player_state()->team(), kNoTeam);
}

TEST(Teams, whoever_hears_of_a_team_may_take_all_of_them_away) {
    // E-69
    SmallMatch match;
    match.house.experience("tag", kTag);
    match.open();
    TeamCreation& teams = **match.state().add<TeamCreation>();
    teams.configure({1, 2, 3});
    const Connection hears = match.world().actor_initialized.add([&](Actor& actor) {
        if (actor.is_a<Team>() && !teams.is_doomed()) {
            EXPECT_TRUE(match.world().remove_component(teams).is_ok());
        }
    });
    match.load("tag");
    EXPECT_EQ(match.world().count_instances(*match.house.runtime().types().find<Team>()), 0u);
    EXPECT_EQ(match.login("anna").player_state()->team(), kNoTeam);
}

struct Phased : SmallMatch {
    Phased() {
        for (const char* text : {"Playing.Flags", "Playing.PostGame", "Warmup"})
            EXPECT_TRUE(house.runtime().tags().declare(text).is_ok());
        open();
    }
    GameplayTag tag(const char* text) { return *house.runtime().tags().find(text); }
    std::string active() {
        std::string text;
        for (GameplayTag one : state().phases().active()) text += (text.empty() ? "" : " ") + std::string(one.text());
        return text;
    }
};

TEST(Phases, starting_one_ends_every_one_that_is_not_its_ancestor) {
    // E-74
    Phased match;
    GamePhases& phases = match.state().phases();
    std::string said;
    const Connection hears = phases.ended.add([&](GameplayTag tag) { said += std::string(tag.text()) + " "; });
    auto playing = phases.start(match.tag("Playing"));
    auto flags = phases.start(match.tag("Playing.Flags"));
    EXPECT_EQ(match.active(), "Playing Playing.Flags");
    auto after = phases.start(match.tag("Playing.PostGame"));
    ASSERT_TRUE(playing && flags && after);
    EXPECT_EQ(match.active(), "Playing Playing.PostGame");
    EXPECT_FALSE(flags->is_active());
    EXPECT_TRUE(phases.is_active(match.tag("Playing")));
    auto warm = phases.start(match.tag("Warmup"));
    EXPECT_EQ(said, "Playing.Flags Playing.PostGame Playing ");
    EXPECT_EQ(match.active(), "Warmup");
    *warm = {};
    EXPECT_EQ(match.active(), "");
    auto again = phases.start(match.tag("Warmup"));
    match.world().end();
    EXPECT_FALSE(again->is_active());
}

TEST(Phases, what_hears_of_an_end_may_start_and_end_others) {
    // E-74
    Phased match;
    GamePhases& phases = match.state().phases();
    std::vector<Result<PhaseHold>> held;
    const Connection hears = phases.ended.add([&](GameplayTag) {
        for (auto& one : held)
            if (one) one->end();
    });
    held.push_back(phases.start(match.tag("Playing")));
    held.push_back(phases.start(match.tag("Playing.Flags")));
    auto warm = phases.start(match.tag("Warmup"));
    EXPECT_EQ(match.active(), "Warmup");
}

TEST(Phases, what_is_started_at_the_end_of_another_ends_too_unless_it_never_ends) {
    // E-74
    Phased match;
    GamePhases& phases = match.state().phases();
    int left = 1;
    std::vector<Result<PhaseHold>> held;
    const Connection hears = phases.ended.add([&](GameplayTag) {
        if (left-- > 0) held.push_back(phases.start(match.tag("Playing.PostGame")));
    });
    auto flags = phases.start(match.tag("Playing.Flags"));
    auto warm = phases.start(match.tag("Warmup"));
    EXPECT_TRUE(warm.is_ok());
    EXPECT_EQ(match.active(), "Warmup");
    left = 10'000;
    auto next = phases.start(match.tag("Playing.Flags"));
    EXPECT_FALSE(next.is_ok());
    left = 0;
}

TEST(Phases, that_start_again_whenever_they_end_come_to_an_end) {
    // E-74
    Phased match;
    GamePhases& phases = match.state().phases();
    std::size_t starts = 0, refused = 0;
    const Connection again = phases.ended.add([&](GameplayTag phase) {
        const auto hold = phases.start(phase);  // ends as it goes
        ++(hold ? starts : refused);
    });
    for (int round = 0; round < 2; ++round) {
        starts = refused = 0;
        phases.start(match.tag("Warmup")).status().ignore();
        EXPECT_EQ(starts, GamePhases::kMaxNested);
        EXPECT_EQ(refused, 1u);
        EXPECT_TRUE(phases.active().empty());
    }
}

TEST(Phases, started_inside_each_other_for_ever_end_somewhere) {
    // E-74
    Phased match;
    GamePhases& phases = match.state().phases();
    std::vector<Result<PhaseHold>> held;
    int calls = 0;
    bool stops = false;
    const auto more = [&](GameplayTag) {
        if (stops || ++calls > 100'000) return;
        for (const char* next : {"Playing.Flags", "Warmup"}) held.push_back(phases.start(match.tag(next)));
    };
    {
        const Connection hears = phases.ended.add(more);
        auto first = phases.start(match.tag("Warmup"));
        auto second = phases.start(match.tag("Playing.Flags"));
        EXPECT_LT(calls, 100'000);
        stops = true;
    }
    held.clear();
    stops = false;
    calls = 0;
    const Connection hears = phases.started.add(more);
    auto third = phases.start(match.tag("Playing"));
    EXPECT_LT(calls, 100'000);
    stops = true;
    held.clear();
    auto fourth = phases.start(match.tag("Warmup"));
    EXPECT_EQ(match.active(), "Warmup");
}

TEST(Phases, what_hears_of_the_last_end_starts_nothing_more_and_may_throw) {
    // E-74
    Phased match;
    GamePhases& phases = match.state().phases();
    int calls = 0;
    const Connection hears = phases.ended.add([&](GameplayTag) {
        if (++calls < 1000) {
            EXPECT_FALSE(phases.start(match.tag("Playing")).is_ok());
        }
        throw std::runtime_error("no more");
    });
    auto warm = phases.start(match.tag("Warmup"));
    match.world().destroy(match.state().id());
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(match.reports("gameplay.callback"), 1u);
    EXPECT_FALSE(warm->is_active());
}

TEST(Phases, an_experiences_action_starts_one_and_it_ends_with_it) {
    //
    Phased match;
    match.house.experience("tag", "[[action]]\nkind = \"start_game_phase\"\nphase = [\"Playing.Flags\"]\n");
    match.load("tag");
    EXPECT_EQ(match.active(), "Playing.Flags");
    ASSERT_TRUE(match.host().clear_experience("").is_ok());
    match.frames(10);
    EXPECT_EQ(match.active(), "");
    EXPECT_EQ(match.house.held(), "");
}

TEST(Phases, of_an_action_begin_when_all_actions_are_active) {
    //
    Phased match;
    match.house.experience("tag", "[[action]]\nkind = \"start_game_phase\"\nphase = [\"Warmup\"]\n" +
                                      features::note_action("n"));
    std::string then;
    features::story().at = [&](const std::string& line, features::ActionContext*) {
        if (line.find("n.activating") != std::string::npos) then = "at activating: " + match.active();
        return Status::ok();
    };
    match.load("tag");
    features::story().at = {};
    EXPECT_EQ(then, "at activating: ");
    EXPECT_EQ(match.active(), "Warmup");
}

TEST(Phases, of_an_action_leave_the_world_as_it_was) {
    //
    Phased match;
    match.house.experience("tag", "");
    match.load("tag");
    StartGamePhase action;
    action.phase = {match.tag("Playing"), match.tag("Playing.Flags")};
    std::string while_active;
    const Status status = features::check_symmetry(match.house.features().services(), match.world(), {&action},
                                                   [&](World&) { while_active = match.active(); });
    EXPECT_EQ(status.to_string(), "ok");
    EXPECT_EQ(while_active, "Playing Playing.Flags");
}

TEST(Phases, of_an_action_that_nobody_has_declared_are_refused_with_their_place_and_what_was_meant) {
    //
    Phased match;
    match.house.experience("tag", "[[action]]\nkind = \"start_game_phase\"\nphase = [\"Playin\"]\n");
    ASSERT_TRUE(match.host().set_experience("tag").is_ok());
    match.frames(40);
    EXPECT_FALSE(match.host().is_experience_loaded());
    const std::string why = match.host().failure().to_string();
    for (const char* wanted : {"Playin", "did you mean \"Playing\"?", "tag.experience.toml:3:10"})
        EXPECT_NE(why.find(wanted), std::string::npos) << wanted << " in " << why;
    EXPECT_EQ(match.active(), "");
}

TEST(Phases, of_an_action_start_as_they_are_written_and_what_is_refused_is_told) {
    // A-25, E-74
    Phased match;
    match.house.experience("tag",
                           "[[action]]\nkind = \"start_game_phase\"\n"
                           "phase = [\"Warmup\", \"Playing\", \"Playing.Flags\"]\n");
    match.house.experience("other", "[[action]]\nkind = \"start_game_phase\"\nphase = [\"Warmup\"]\n");
    std::string said;
    const Connection hears =
        match.state().phases().started.add([&](GameplayTag tag) { said += std::string(tag.text()) + " "; });
    match.load("tag");
    EXPECT_EQ(said, "Warmup Playing Playing.Flags ");
    EXPECT_EQ(match.active(), "Playing Playing.Flags");
    auto next = match.state().phases().start(match.tag("Warmup"));  // ends the action's before it is taken back
    ASSERT_TRUE(match.host().clear_experience("").is_ok());
    match.frames(10);
    EXPECT_EQ(match.active(), "Warmup");
    next->end();
    ASSERT_TRUE(match.world().remove_component(match.state().phases()).is_ok());
    match.load("other");
    EXPECT_EQ(match.reports("gameplay.phase_refused"), 1u);
    EXPECT_EQ(match.house.last_report("gameplay.phase_refused"), "phase Warmup: no GameState here");
}

// What a client hears as the values of its GameState come.
struct Clapper : GameStateComponent {
    using Described = Clapper;
    static void describe(TypeBuilder<Clapper>& t) { t.parent<GameStateComponent>(); }
    void match_started() override { told().push_back("match_started"); }
};

TEST(Phases, and_the_start_of_the_match_are_told_on_clients_as_the_values_come) {
    // E-74, G-51
    Phased match;
    ASSERT_TRUE(match.house.runtime().types().add<Clapper>().is_ok());
    World& client = *match.open(NetMode::Client).world();
    auto& state = *client.find<GameState>(*client.spawn<GameState>({.role = Role::SimulatedProxy}));
    ASSERT_TRUE(state.add<Clapper>().is_ok());
    GamePhases& phases = state.phases();
    EXPECT_FALSE(phases.start(match.tag("Playing")).is_ok());
    const Connection start =
        phases.started.add([](GameplayTag tag) { told().push_back(fmt::format("+{}", tag.text())); });
    const Connection end = phases.ended.add([](GameplayTag tag) { told().push_back(fmt::format("-{}", tag.text())); });
    Parcel::arrives(phases, "active", std::vector{match.tag("Playing"), match.tag("Playing.Flags")});
    EXPECT_EQ(story(), "+Playing +Playing.Flags");
    Parcel::arrives(phases, "active", std::vector{match.tag("Playing"), match.tag("Playing.PostGame")});
    EXPECT_EQ(story(), "-Playing.Flags +Playing.PostGame");
    Parcel::arrives(phases, "active", std::vector<GameplayTag>());
    EXPECT_EQ(story(), "-Playing.PostGame -Playing");
    Parcel::arrives(state, "has_started", "true");
    EXPECT_EQ(story(), "match_started");
    Parcel::arrives(state, "has_started", "true");
    EXPECT_EQ(story(), "");
    Parcel::arrives(state, "has_started", "false");
    Parcel::arrives(state, "has_started", "true");
    EXPECT_EQ(story(), "match_started");
}

TEST(Teams, and_the_list_of_players_of_a_client_stand_as_they_came_when_things_end) {
    // X-06, E-94
    SmallMatch match;
    match.open();
    World& client = *match.open(NetMode::Client).world();
    const SpawnDef theirs{.role = Role::SimulatedProxy};
    auto& state = *client.find<GameState>(*client.spawn<GameState>(theirs));
    auto& teams = **state.add<TeamCreation>();
    auto& anna = *client.find<PlayerState>(*client.spawn<PlayerState>(theirs));
    auto& bert = *client.find<PlayerState>(*client.spawn<PlayerState>(theirs));
    teams.configure({4});
    Parcel::arrives(state, "players", std::vector{anna.id(), bert.id()});
    const std::string players = state.get(Name("players")).value();
    EXPECT_TRUE(anna.set(Name("team"), "4").is_ok());
    int removed = 0;
    const Connection hears = state.player_removed.add([&](PlayerState&) { ++removed; });
    ASSERT_TRUE(client.remove_component(teams).is_ok());
    client.destroy(bert.id());
    EXPECT_EQ(anna.team(), 4);
    EXPECT_EQ(state.get(Name("players")).value(), players);
    EXPECT_EQ(removed, 0);
}

TEST(Rounds, what_the_server_alone_writes_is_refused_on_a_client_and_told) {
    // W-30, E-68
    SmallMatch match;
    match.open();
    World& client = *match.open(NetMode::Client).world();
    const SpawnDef theirs{.role = Role::SimulatedProxy}, ones_own{.role = Role::AutonomousProxy};
    auto& state = *client.find<GameState>(*client.spawn<GameState>(theirs));
    auto& team = *client.find<Team>(*client.spawn<Team>(theirs));
    auto& anna = *client.find<PlayerState>(*client.spawn<PlayerState>(ones_own));
    auto& controller = *client.find<PlayerController>(*client.spawn<PlayerController>(ones_own));
    anna.set_player_name("anna");
    anna.set_team(3);
    anna.set_bot(true);
    anna.set_spectator(true);
    anna.set_inactive(true);
    anna.add_score(5);
    anna.reset();
    team.add_score(5);
    state.say("hello");
    state.start_match();
    EXPECT_FALSE(state.add_player(anna).is_ok());
    EXPECT_FALSE(state.remove_player(anna));
    controller.set_player_state(anna.id());
    EXPECT_EQ(anna.player_name(), "");
    EXPECT_EQ(anna.team(), kNoTeam);
    EXPECT_FALSE(anna.is_bot() || anna.is_spectator() || anna.is_inactive());
    EXPECT_EQ(anna.score() + team.score(), 0);
    EXPECT_TRUE(state.feed().empty() && state.players().empty());
    EXPECT_EQ(state.get(Name("has_started")).value(), "false");
    EXPECT_EQ(controller.player_state(), nullptr);
    EXPECT_EQ(match.reports("gameplay.not_the_server"), 13u);
    EXPECT_EQ(match.house.last_report("gameplay.not_the_server"),
              "its PlayerState is the server's to say; nothing has changed");
}

}  // namespace rounds_test
}  // namespace lyre::gameplay
