// tests/framework/init_world.h: a game with a component manager, the four states, and parts that say what they do.
//
//     InitGame game;                                   // Spawned, DataAvailable, DataInitialized, GameplayReady
//     Body* body = game.spawn<Body>();
//     game.set(*body, "Hero", kSpawned);               // as a feature without an implementer
//     EXPECT_EQ(game.log(), "…");
#pragma once

#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "lyre/framework/component_manager.h"
#include "lyre/world/game_instance.h"

namespace lyre::framework {

inline const Name kSpawned("Spawned"), kAvailable("DataAvailable"), kInitialized("DataInitialized"),
    kReady("GameplayReady");

struct Body : Actor {
    using Described = Body;
    static void describe(TypeBuilder<Body>& t) { t.parent<Actor>(); }
};
struct BigBody : Body {
    static void describe(TypeBuilder<BigBody>&) {}
};
struct Chest : Actor {
    static void describe(TypeBuilder<Chest>&) {}
};

// A plain object that implements a feature, told what to do by the test.
struct Part : InitStateInterface {
    Part(std::string_view feature, Actor* of) : name(feature), actor(of) {}
    Name feature_name() const override { return name; }
    Actor* owning_actor() const override { return actor; }
    Verdict can_change_init_state(Name from, Name to) const override { return can ? can(from, to) : Verdict::yes(); }
    Status handle_change_init_state(Name from, Name to) override { return handle ? handle(from, to) : Status::ok(); }
    void handle_exit_init_state(Name from, Name to) override {
        if (exit) exit(from, to);
    }
    void check_default_initialization() override {
        ++checks;
        if (check) check();
    }
    void on_actor_init_state_changed(const InitStateChange& change) override {
        if (heard) heard(change);
    }

    Name name;
    Actor* actor;
    std::function<Verdict(Name, Name)> can;
    std::function<Status(Name, Name)> handle;
    std::function<void(Name, Name)> exit;
    std::function<void()> check;
    std::function<void(const InitStateChange&)> heard;
    int checks = 0;
};

struct InitGame {
    explicit InitGame(const WorldDef& def = {}) {
        EXPECT_TRUE(runtime.types().add<Body>().is_ok() && runtime.types().add<BigBody>().is_ok() &&
                    runtime.types().add<Chest>().is_ok() && add_framework(runtime).is_ok());
        game = std::make_unique<GameInstance>(runtime);
        game->open_world(def);
        for (Name state : {kSpawned, kAvailable, kInitialized, kReady})
            EXPECT_EQ(manager().register_init_state(state), InitResult::Done);
    }
    World& world() { return *game->world(); }
    ComponentManager& manager() { return *ComponentManager::of(world()); }
    template <class T> T* spawn(const SpawnDef& def = {}) {
        auto id = world().spawn<T>(def);
        EXPECT_TRUE(id) << id.status().to_string();
        return id ? world().find<T>(*id) : nullptr;
    }
    InitResult set(Actor& actor, std::string_view feature, Name state) {
        return manager().change_feature_init_state(actor, Name(feature), nullptr, state);
    }
    Name state(const Actor& actor, std::string_view feature) { return manager().init_state(actor, Name(feature)); }
    std::size_t problems(std::string_view kind = "framework.init") { return runtime.log().count(Name(kind)); }
    std::string last_report() { return runtime.log().entries().empty() ? "" : runtime.log().entries().back().text; }

    void say(const std::string& word) { words += (words.empty() ? "" : " ") + word; }
    InitStateCallback teller(const std::string& who) {
        return [this, who](const InitStateChange& change) {
            say(fmt::format("{}:{}:{}", who, change.feature, change.new_state));
        };
    }
    std::string log() { return std::exchange(words, {}); }  // and forgets it

    VirtualClock clock;
    Runtime runtime{clock};
    std::unique_ptr<GameInstance> game;
    std::string words;
};

}  // namespace lyre::framework
