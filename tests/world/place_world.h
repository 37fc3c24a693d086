// tests/world/place_world.h: a small game with crates to place, for the tests of levels, space, tags, movers and
// hashes.
//
// What the hooks of its actors and components do is said by on_hook; it is empty again when the game is gone.
#pragma once

#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "lyre/world/game_instance.h"

namespace lyre::place {

inline std::function<void(std::string_view hook, Actor& actor)> on_hook;
inline std::function<void(std::string_view what)> on_construct;
inline void tell(std::string_view hook, Actor& actor) {
    if (on_hook) on_hook(hook, actor);
}

struct Health : Component {
    Property<float> value = 100;
    Health() {
        if (on_construct) on_construct("Health");
    }
    static void describe(TypeBuilder<Health>& t) { t.property("value", &Health::value).quantised(0.5); }
    void registered() { tell("registered", actor()); }
    void begin_play() { tell("component begin_play", actor()); }
    void end_play(EndReason) { tell("component end_play", actor()); }
};

struct Armour : Component {
    Property<std::int32_t> plates = 2;
    static void describe(TypeBuilder<Armour>& t) { t.property("plates", &Armour::plates); }
};

struct Crate : Actor {
    using Described = Crate;
    Property<std::int32_t> loot = 3;
    Property<ActorId> friend_id;
    EndReason ended = EndReason::Destroyed;
    Crate() {
        if (on_construct) on_construct("Crate");
    }
    static void describe(TypeBuilder<Crate>& t) {
        t.parent<Actor>();
        t.property("loot", &Crate::loot);
        t.property("friend_id", &Crate::friend_id);
        t.component<Health>("health");
        t.component<Armour>("armour");
        t.tag("Prop.Wooden");
        t.radius(0.5f);
    }
    void pre_initialize() { tell("pre_initialize", *this); }
    void initialized() { tell("initialized", *this); }
    void begin_play() { tell("begin_play", *this); }
    void end_play(EndReason reason) {
        ended = reason;
        tell("end_play", *this);
    }
};

struct Barrel : Crate {
    static void describe(TypeBuilder<Barrel>& t) {
        t.tag("Prop.Round");
        t.radius(2);
    }
};

struct Rules : Actor {  // stands nowhere
    static void describe(TypeBuilder<Rules>& t) { t.placeless(); }
};

struct Shape : Actor {
    static void describe(TypeBuilder<Shape>& t) { t.abstract(); }
};

struct Note : Component {
    Property<std::int32_t> page = 0;
    static void describe(TypeBuilder<Note>& t) { t.property("page", &Note::page); }
};

struct Game {
    explicit Game(const WorldDef& def = {}) : world(game.open_world(def)) {
        for (const char* tag : {"Prop.Wooden", "Prop.Round", "State.Burning.Hot", "State.Wet"})
            EXPECT_TRUE(runtime.tags().declare(tag).is_ok());
        add<Health, Armour, Note, Crate, Barrel, Rules, Shape>();
    }
    ~Game() {
        on_hook = nullptr;
        on_construct = nullptr;
    }
    template <class... T> void add() {
        for (const Status& status : {runtime.types().add<T>().status()...})
            EXPECT_TRUE(status.is_ok()) << status.text();
    }
    GameplayTag tag(std::string_view text) { return *runtime.tags().find(text); }
    LevelId level(const LevelDef& def) {
        auto id = world.levels().add(def);
        EXPECT_TRUE(id.is_ok()) << id.status().text();
        return id ? *id : LevelId();
    }
    template <class T = Crate> T* touch(ActorId id, std::string_view reason = "test") {
        auto touched = world.levels().touch(id, Name(reason));
        EXPECT_TRUE(touched.is_ok()) << touched.status().text();
        return touched ? static_cast<T*>(*touched) : nullptr;
    }
    RowState state(ActorId id) {
        const Level& level = *world.levels().level_of(id);
        return level.rows().state(id.index - level.id_of(0).index);
    }

    VirtualClock clock;
    Runtime runtime{clock};
    GameInstance game{runtime};
    World& world;
};

inline LevelDef yard(int crates = 8) {
    LevelDef def;
    def.name = Name("yard");
    def.bounds = {{-100, -100, 0}, {100, 100, 10}};
    for (int i = 0; i < crates; ++i)
        def.placed.push_back({Name(i % 3 == 2 ? "Barrel" : "Crate"), {static_cast<float>(i) * 4, 0, 0}, 90, 1});
    return def;
}

inline bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

}  // namespace lyre::place
