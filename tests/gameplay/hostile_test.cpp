// Callbacks that do the worst they can at the worst moment, and numbers, names and classes nobody means well with.
#include <limits>

#include "lyre/core/utf8.h"
#include "lyre/gameplay/hud.h"
#include "lyre/gameplay/phases.h"
#include "lyre/gameplay/teams.h"

#include "tests/gameplay/small_match.h"

namespace lyre::gameplay {
namespace hostile_test {

// The moments at which code of a game runs while a player comes, plays and goes, and the one deed done at one of them.
struct Moment {
    static inline std::string when;
    static inline std::function<void(World&)> deed;
    static inline int done = 0;
    static void is(const char* name, World& world) {
        if (when != name || !deed || done > 0) return;
        ++done;
        const auto now = deed;
        now(world);
    }
};

struct Nerves : ControllerComponent {
    using Described = Nerves;
    static void describe(TypeBuilder<Nerves>& t) { t.parent<ControllerComponent>(); }
    void received_player() override { Moment::is("received_player", world()); }
    void player_tick(float) override { Moment::is("player_tick", world()); }
    void pawn_changed(Pawn*, Pawn* now) override { Moment::is(now != nullptr ? "pawn_changed" : "pawn_lost", world()); }
    void end_play(EndReason) { Moment::is("controller_ends", world()); }
};
struct Nervous : PlayerController {
    using Described = Nervous;
    static void describe(TypeBuilder<Nervous>& t) {
        t.parent<PlayerController>();
        t.component<Nerves>("nerves");
    }
};
struct Skin : PawnComponent {
    using Described = Skin;
    static void describe(TypeBuilder<Skin>& t) { t.parent<PawnComponent>(); }
    void registered() { Moment::is("pawn_registered", world()); }
    void begin_play() { Moment::is("pawn_begins", world()); }
    void end_play(EndReason) { Moment::is("pawn_ends", world()); }
    void possessed(Controller&) override { Moment::is("possessed", world()); }
    void unpossessed(Controller&) override { Moment::is("unpossessed", world()); }
};
struct Victim : Walker {
    using Described = Victim;
    static void describe(TypeBuilder<Victim>& t) {
        t.parent<Walker>();
        t.component<Skin>("skin");
    }
};
struct Placer : PlayerSpawning {
    using Described = Placer;
    static void describe(TypeBuilder<Placer>& t) { t.parent<PlayerSpawning>(); }
    Result<Transform> choose_start(Controller& controller) override {
        Moment::is("choose_start", world());
        return PlayerSpawning::choose_start(controller);
    }
    Status may_restart(Controller& controller) override {
        Moment::is("may_restart", world());
        return PlayerSpawning::may_restart(controller);
    }
    void finish_restart(Controller&, Pawn&) override { Moment::is("finish_restart", world()); }
};

struct Hostile : SmallMatch {
    Hostile() {
        Moment::when.clear();
        Moment::deed = {};
        Moment::done = 0;
        const Status known = house.runtime().types().add_all<Nerves, Nervous, Skin, Victim, Placer>();
        EXPECT_TRUE(known.is_ok()) << known.text();
        house.write("victim.pawn_data.toml", "class = \"Victim\"\nactions = [\"Jump\"]\n");
        house.experience("tag", "pawn = \"victim\"\nkeep_player_state_secs = 1\n");
        house.experience("other", "pawn = \"runner\"\n");
        open();
        mode().player_controller_class = Name("Nervous");
        EXPECT_TRUE(state().add<TeamCreation>().is_ok());
        state().find<TeamCreation>()->configure({1, 2});
        EXPECT_TRUE(state().add<Placer>().is_ok());
        load("tag");
        World& here = world();
        heard[0] = state().player_added.add([&here](PlayerState&) { Moment::is("player_added", here); });
        heard[1] = state().player_removed.add([&here](PlayerState&) { Moment::is("player_removed", here); });
        heard[2] = state().player_returned.add([&here](PlayerState&) { Moment::is("player_returned", here); });
        heard[3] = here.actor_initialized.add([](Actor& actor) {
            if (actor.is_a<PlayerState>()) Moment::is("player_state_made", actor.world());
            if (actor.is_a<PlayerController>()) Moment::is("controller_made", actor.world());
            if (actor.is_a<Pawn>()) Moment::is("pawn_made", actor.world());
        });
    }
    ~Hostile() { Moment::deed = {}; }
    LocalPlayer person{Name("anna")};
    Connection heard[4];
};

template <class T> T* first_of(World& world) {
    for (ActorId id : world.actors())
        if (T* one = world.find<T>(id)) return one;
    return nullptr;
}
template <class T> void destroy_first(World& world) {
    if (T* one = first_of<T>(world)) world.destroy(one->id());
}

TEST(Hostile, whatever_a_callback_does_the_match_goes_on_or_ends_and_nothing_is_left) {
    // W-30, E-65, E-94, G-51
    const char* moments[] = {"controller_made", "player_state_made", "player_added",    "received_player",
                             "may_restart",     "choose_start",      "pawn_made",       "pawn_registered",
                             "pawn_begins",     "possessed",         "pawn_changed",    "finish_restart",
                             "player_tick",     "unpossessed",       "pawn_lost",       "pawn_ends",
                             "controller_ends", "player_removed",    "player_returned", "hud"};
    const std::vector<std::pair<const char*, std::function<void(World&)>>> deeds{
        {"destroys the GameMode", [](World& world) { destroy_first<GameMode>(world); }},
        {"destroys the GameState", [](World& world) { destroy_first<GameState>(world); }},
        {"destroys the controller", [](World& world) { destroy_first<PlayerController>(world); }},
        {"destroys the PlayerState", [](World& world) { destroy_first<PlayerState>(world); }},
        {"destroys the pawn", [](World& world) { destroy_first<Pawn>(world); }},
        {"destroys the HUD", [](World& world) { destroy_first<HUD>(world); }},
        {"ends the world", [](World& world) { world.end(); }},
        {"throws", [](World&) { throw std::runtime_error("hostile"); }},
        {"logs out",
         [](World& world) {
             auto* by = first_of<PlayerController>(world);
             if (Match::mode(world) != nullptr && by != nullptr) Match::mode(world)->logout(*by);
         }},
        {"logs another in",
         [](World& world) {
             if (GameMode* mode = Match::mode(world)) mode->login({.name = "another", .id = "b"}).status().ignore();
         }},
        {"logs the same in",
         [](World& world) {
             if (GameMode* mode = Match::mode(world)) mode->login({.name = "anna", .id = "a"}).status().ignore();
         }},
        {"restarts",
         [](World& world) {
             auto* by = first_of<PlayerController>(world);
             if (Match::mode(world) != nullptr && by != nullptr) Match::mode(world)->restart(*by);
         }},
        {"possesses a new pawn",
         [](World& world) {
             auto* by = first_of<PlayerController>(world);
             const auto pawn = world.spawn<Victim>();
             if (by != nullptr && pawn && world.find<Pawn>(*pawn) != nullptr)
                 by->possess(*world.find<Pawn>(*pawn)).ignore();
         }},
        {"unpossesses",
         [](World& world) {
             if (auto* by = first_of<PlayerController>(world)) by->unpossess();
         }},
        {"switches the experience",
         [](World& world) {
             if (GameState* state = Match::state(world)) state->host().set_experience("other").status().ignore();
         }},
        {"removes the rules",
         [](World& world) {
             GameState* state = Match::state(world);
             if (state == nullptr) return;
             if (auto* rules = state->find<PlayerSpawning>()) world.remove_component(*rules).ignore();
             if (auto* teams = state->find<TeamCreation>()) world.remove_component(*teams).ignore();
         }},
        {"resets",
         [](World& world) {
             if (GameMode* mode = Match::mode(world)) mode->reset();
         }},
    };
    for (const char* moment : moments)
        for (const auto& deed : deeds) {
            SCOPED_TRACE(fmt::format("at {} it {}", moment, deed.first));
            Hostile match;
            World& world = match.world();
            Moment::when = moment;
            Moment::deed = deed.second;
            framework::ExtensionHandlerHandle heard;
            if (moment == std::string("hud")) {
                heard = match.manager().add_extension_handler(
                    framework::Selector("HUD"),
                    [](Actor& actor, Name, const framework::EventPayload&) { Moment::is("hud", actor.world()); });
            }
            const auto login = match.mode().login({.name = "anna", .id = "a", .local = &match.person});
            if (login) {
                EXPECT_EQ(world.find((*login)->id()), *login);
            }
            match.frames(3);
            if (auto* by = first_of<PlayerController>(world); by != nullptr && Match::mode(world) != nullptr)
                Match::mode(world)->logout(*by);
            match.frames(2);
            if (Match::mode(world) != nullptr) Match::mode(world)->login({.name = "anna", .id = "a"}).status().ignore();
            match.frames(3);
            if (auto* by = first_of<PlayerController>(world); by != nullptr && Match::mode(world) != nullptr)
                Match::mode(world)->logout(*by);
            match.frames(90);
            EXPECT_EQ(Moment::done, 1) << "the moment came";
            if (world.has_ended()) continue;
            if (GameState* state = Match::state(world); state != nullptr && Match::mode(world) != nullptr) {
                for (const PlayerState* player : state->players()) {
                    EXPECT_FALSE(player->is_inactive()) << player->player_name();
                    EXPECT_NE(world.find(player->controller_id()), nullptr) << player->player_name();
                }
            }
            // Nobody's pawn is left, but those a deed made, gave away or left without rules.
            std::size_t pawns = 0;
            for (ActorId id : world.actors())
                if (const auto* pawn = world.find<Pawn>(id); pawn != nullptr && pawn->controller() == nullptr) ++pawns;
            const std::string what = deed.first;
            const bool gives_away = what.find("possesses") != std::string::npos;
            EXPECT_LE(pawns, gives_away || Match::mode(world) == nullptr ? 2u : 0u);
        }
}

TEST(Hostile, a_match_has_only_so_many_players) {
    // E-65
    Hostile match;
    std::size_t in = 0;
    for (int i = 0; i < 5000; ++i)
        if (match.mode().login({.name = "crowd", .id = fmt::format("{}", i), .is_spectator = i % 2 == 0})) ++in;
    EXPECT_EQ(in, GameState::kMaxPlayers);
    EXPECT_EQ(match.state().players().size(), GameState::kMaxPlayers);
    const auto count = [&](auto* type) { return match.world().count_instances(*type); };
    EXPECT_EQ(count(match.house.runtime().types().find<Nervous>()), GameState::kMaxPlayers);
    EXPECT_EQ(count(match.house.runtime().types().find<PlayerState>()), GameState::kMaxPlayers);
    EXPECT_EQ(match.reports("gameplay.not_waiting"), 0u);
    match.load("other");
    for (const PlayerState* player : match.state().players()) {
        ASSERT_EQ(player->pawn_data().to_string(), "pawn_data:runner");
    }
}

TEST(Hostile, names_and_lines_are_cut_and_cleaned) {
    // E-65
    Hostile match;
    const std::string nasty("a\x1b[2J\nb\0c\xff\xe2\x80\xae", 13);
    PlayerState& player = *match.login(nasty).player_state();
    for (char control : {'\x1b', '\n', '\0', '\xff'})
        EXPECT_EQ(player.player_name().find(control), std::string::npos) << static_cast<int>(control);
    EXPECT_EQ(player.player_name().find("\xe2\x80\xae"), std::string::npos);
    PlayerState& large = *match.login(std::string(1 << 20, 'x')).player_state();
    EXPECT_EQ(large.player_name(), std::string(PlayerState::kMaxName, 'x'));
    std::string wide;
    for (int i = 0; i < 100; ++i) wide += "\xc3\xa4";
    EXPECT_EQ(match.login(wide).player_state()->player_name().size(), 2 * PlayerState::kMaxName);
    match.state().say(std::string(1 << 20, '\n'));
    EXPECT_EQ(count_characters(match.state().feed().back()), GameState::kMaxLine);
    EXPECT_EQ(match.state().feed().back().find('\n'), std::string::npos);
    for (std::size_t i = 0; i < 2 * GameState::kMaxFeed + 3; ++i) match.state().say(fmt::format("line {}", i));
    const std::vector<std::string> feed = match.state().feed();
    ASSERT_EQ(feed.size(), GameState::kMaxFeed);
    for (std::size_t i = 0; i < feed.size(); ++i)
        EXPECT_EQ(feed[i], fmt::format("line {}", i + GameState::kMaxFeed + 3));
    std::string places = match.state().get(Name("feed")).value();  // as they travel
    const std::size_t oldest = places.find("line 67,");
    ASSERT_NE(oldest, std::string::npos) << places;
    match.state().say("another");
    EXPECT_EQ(match.state().get(Name("feed")).value(), places.replace(oldest, 7, "another"));
    EXPECT_EQ(match.state().feed().back(), "another");
    player.add_score(std::numeric_limits<std::int64_t>::max());
    player.add_score(std::numeric_limits<std::int64_t>::max());
    EXPECT_EQ(player.score(), std::numeric_limits<std::int64_t>::max());
    const auto failed = match.mode().login({.name = std::string(1 << 20, '\x07'), .id = std::string(9999, 'i')});
    EXPECT_LT(failed.status().text().size(), 1000u);
}

struct Ghost : Pawn {
    using Described = Ghost;
    static void describe(TypeBuilder<Ghost>& t) {
        t.parent<Pawn>();
        t.abstract();
    }
};

TEST(Hostile, pawn_data_of_a_class_that_cannot_be_a_pawn_is_told_once) {
    // E-66, E-28
    Hostile match;
    ASSERT_TRUE(match.house.runtime().types().add<Ghost>().is_ok());
    int number = 0;
    for (const char* name : {"Ghost", "ModularActor", "PlayerState", "Match", "InputComponent", "Nowhere"}) {
        const std::string data = fmt::format("odd{}", ++number);
        match.house.write(data + ".pawn_data.toml", fmt::format("class = \"{}\"\n", name));
        match.house.experience(data, fmt::format("pawn = \"{}\"\n", data));
        match.load(data);
        const std::uint64_t before = match.reports("gameplay.restart_failed");
        PlayerController& anna = match.login("anna");
        match.frames(20);
        EXPECT_EQ(anna.pawn(), nullptr) << name;
        EXPECT_EQ(match.reports("gameplay.restart_failed") - before, 1u) << name;
        match.mode().logout(anna);
    }
}

struct NoWhere : PlayerSpawning {
    using Described = NoWhere;
    static void describe(TypeBuilder<NoWhere>& t) { t.parent<PlayerSpawning>(); }
    Result<Transform> choose_start(Controller&) override {
        const float nan = std::numeric_limits<float>::quiet_NaN();
        return Transform{{nan, 0, std::numeric_limits<float>::infinity()}, nan};
    }
};

TEST(Hostile, a_start_that_is_nowhere_is_no_start) {
    // E-66, E-29
    Hostile match;
    ASSERT_TRUE(match.house.runtime().types().add<NoWhere>().is_ok());
    ASSERT_TRUE(match.world().remove_component(*match.state().find<Placer>()).is_ok());
    ASSERT_TRUE(match.state().add<NoWhere>().is_ok());
    PlayerController& anna = match.login("anna");
    match.frames(30);
    EXPECT_EQ(anna.pawn(), nullptr);
    EXPECT_EQ(match.reports("gameplay.restart_failed"), 1u);
}

TEST(Hostile, classes_of_the_wrong_kind_make_no_login_and_leave_nothing) {
    // E-65, G-52
    Hostile match;
    const std::size_t actors = match.world().actor_count();
    for (const char* name : {"Walker", "AIController", "Nothing", "Controller", "Skin", ""}) {
        match.mode().player_controller_class = Name(name);
        EXPECT_FALSE(match.mode().login({.name = "anna"}).is_ok()) << name;
        EXPECT_EQ(match.world().actor_count(), actors) << name;
    }
    match.mode().player_controller_class = Name("Nervous");
    for (const char* name : {"Walker", "Nothing", "ModularActor", ""}) {
        match.mode().player_state_class = Name(name);
        EXPECT_FALSE(match.mode().login({.name = "anna"}).is_ok()) << name;
        EXPECT_EQ(match.world().actor_count(), actors) << name;
    }
    match.mode().player_state_class = Name("PlayerState");
    EXPECT_TRUE(match.mode().login({.name = "anna"}).is_ok());
    // A GameMode whose GameState is none does not come up.
    GameInstance game(match.house.runtime());
    Gameplay::of(game).connect({match.house.assets(), match.house.experiences()});
    World& world = game.open_world({.name = Name("bare")});
    const auto made = world.spawn<GameMode>({}, [](GameMode& mode) { mode.game_state_class = Name("Walker"); });
    EXPECT_FALSE(made.is_ok());
    EXPECT_EQ(world.actor_count(), 0u);
    EXPECT_EQ(Match::mode(world), nullptr);
    game.close_world();
}

TEST(Hostile, a_start_inside_a_start_is_the_same_start) {
    // E-65
    Hostile match;
    Connection again = match.world().actor_initialized.add([&](Actor& actor) {
        if (!actor.is_a<Pawn>()) return;
        for (const PlayerState* player : match.state().players())
            if (auto* by = match.world().find<Controller>(player->controller_id())) match.mode().restart(*by);
    });
    PlayerController& anna = match.login("anna");
    EXPECT_NE(anna.pawn(), nullptr);
    EXPECT_EQ(match.world().count_instances(*match.house.runtime().types().find<Victim>()), 1u);
    // One that dies as it comes is tried again in later ticks, and not for ever.
    int born = 0;
    again = match.world().actor_initialized.add([&](Actor& actor) {
        if (actor.is_a<Pawn>() && ++born > 0) match.world().destroy(actor.id());
    });
    match.mode().restart(anna);
    match.frames(40);
    EXPECT_EQ(born, 11);
    EXPECT_EQ(match.reports("gameplay.restart_failed"), 1u);
}

}  // namespace hostile_test
}  // namespace lyre::gameplay
