// tests/gameplay/small_match.h: a world with a GameMode on virtual files, and what it takes to see a pawn become ready.
//
//     SmallMatch match;
//     match.house.experience("tag", "pawn = \"walker\"\n");
//     match.open();
//     match.load("tag");
//     PlayerController& anna = match.login("anna");
//     match.pawn(anna);                                    // GameplayReady
#pragma once

#include <gtest/gtest.h>

#include "lyre/gameplay/controller.h"
#include "lyre/gameplay/game_mode.h"
#include "lyre/gameplay/game_state.h"
#include "lyre/gameplay/gameplay.h"
#include "lyre/gameplay/hero.h"
#include "lyre/gameplay/input.h"
#include "lyre/gameplay/pawn.h"
#include "lyre/gameplay/pawn_extension.h"
#include "lyre/gameplay/player_state.h"

#include "tests/experience/playhouse.h"

namespace lyre::gameplay {

using experience::Playhouse;

// What happened, in order.
inline std::vector<std::string>& told() {
    static std::vector<std::string> lines;
    return lines;
}
inline std::string story() {
    std::string text;
    for (const std::string& line : std::exchange(told(), {})) text += (text.empty() ? "" : " ") + line;
    return text;
}

// A hero that says what is done with it.
struct LoudHero : HeroComponent {
    using Described = LoudHero;
    static void describe(TypeBuilder<LoudHero>& t) { t.parent<HeroComponent>(); }
    void input_action(Name action, const InputValue& value) override {
        told().push_back(fmt::format("{}{}", action, value.kind == InputValue::Kind::Released ? "-" : "+"));
    }
    Status handle_change_init_state(Name from, Name to) override {
        const Status status = HeroComponent::handle_change_init_state(from, to);
        told().push_back(fmt::format("hero:{}", to));
        return status;
    }
};
struct Walker : Pawn {
    using Described = Walker;
    static void describe(TypeBuilder<Walker>& t) {
        t.parent<Pawn>();
        t.component<PawnExtensionComponent>("extension");
        t.component<LoudHero>("hero");
        t.component<InputComponent>("input");
    }
};
struct Runner : Walker {
    using Described = Runner;
    static void describe(TypeBuilder<Runner>& t) { t.parent<Walker>(); }
};

class SmallMatch {
public:
    SmallMatch() {
        told().clear();
        const Status room = add_gameplay(house.runtime(), house.assets().types());
        EXPECT_TRUE(room.is_ok()) << room.text();
        const Status known = house.runtime().types().add_all<LoudHero, Walker, Runner>();
        EXPECT_TRUE(known.is_ok()) << known.text();
        house.write("walker.pawn_data.toml",
                    "class = \"Walker\"\ncamera = \"above\"\nactions = [\"Jump\"]\n"
                    "[[context]]\nname = \"walking\"\nmap = [{ input = \"Space\", action = \"Jump\" }]\n"
                    "[[context]]\nname = \"menus\"\nin_settings = true\npriority = -1\n"
                    "map = [{ input = \"Space\", action = \"Choose\" }, { input = \"Escape\", action = \"Jump\" }]\n");
        house.write("stroller.pawn_data.toml", "class = \"Walker\"\ncamera = \"far\"\n");
        house.write("runner.pawn_data.toml", "class = \"Runner\"\n");
    }
    ~SmallMatch() {
        for (auto& game : games) game->close_world();
    }
    GameInstance& open(NetMode mode = NetMode::Standalone, assets::PrimaryAssetId default_pawn = {}) {
        games.push_back(std::make_unique<GameInstance>(house.runtime()));
        GameInstance& game = *games.back();
        house.experiences().add_game(game);
        Gameplay::of(game).connect({house.assets(), house.experiences(), default_pawn});
        World& world = game.open_world({.name = Name("arena"), .net_mode = mode, .seed = seed});
        if (mode != NetMode::Client) {
            const auto made = world.spawn<GameMode>();
            EXPECT_TRUE(made.is_ok()) << made.status().text();
        }
        world.begin_play();
        return game;
    }
    World& world() { return *games.front()->world(); }
    GameMode& mode() { return *Match::mode(world()); }
    GameState& state() { return *Match::state(world()); }
    experience::Host& host() { return state().host(); }
    framework::ComponentManager& manager() { return *framework::ComponentManager::of(world()); }

    void frames(int count = 1) {
        for (int i = 0; i < count; ++i) {
            house.inner.frame(1.0 / 60);
            house.experiences().update();
            for (auto& game : games) {
                if (game->world() == nullptr) continue;
                if (auto* manager = framework::ComponentManager::of(*game->world())) manager->settle();
                game->world()->net_mode() == NetMode::Client ? game->tick(1.0f / 60) : game->tick();
            }
        }
    }
    void load(std::string_view experience) {
        const auto ticket = host().set_experience(experience);
        ASSERT_TRUE(ticket.is_ok()) << ticket.status().text();
        frames(40);
        ASSERT_TRUE(host().is_experience_loaded()) << host().failure().to_string();
    }
    PlayerController& login(const std::string& name, LocalPlayer* local = nullptr) {
        const auto made = mode().login({.name = name, .local = local});
        EXPECT_TRUE(made.is_ok()) << made.status().text();
        return **made;
    }
    bool is_ready(const Actor& actor) { return manager().is_actor_ready(actor, kGameplayReady); }
    std::uint64_t reports(std::string_view kind) { return house.reports(kind); }

    Playhouse house;
    std::uint64_t seed = 1;  // of worlds that are opened
    std::vector<std::unique_ptr<GameInstance>> games;
};

}  // namespace lyre::gameplay
