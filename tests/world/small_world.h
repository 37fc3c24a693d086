// tests/world/small_world.h: a running game on a clock that stands still, and classes that tell what happens to them.
//
//     Game game;                                  // one standalone world, not begun
//     game.know<Engine, Wheel, Car>();
//     stage().at = [&](const std::string& point, Object*) { if (point == "Wheel.registered") throw Malice(); };
//     auto id = game.world().spawn<Car>();
//     EXPECT_EQ(log(), "...");
#pragma once

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <vector>

#include "lyre/world/game_instance.h"

namespace lyre {

// Where the classes of a test report to. Objects are made by pools, so they find it without being handed it.
struct Stage {
    std::vector<std::string> log;
    std::function<void(const std::string& point, Object* object)> at;  // may do anything; null object: in a constructor
    int alive = 0;                                                     // reporting objects in memory
};
inline Stage& stage() {
    static Stage stage;
    return stage;
}
inline void report(const std::string& point, Object* object) {
    stage().log.push_back(point);
    if (auto at = stage().at) at(point, object);
}
inline std::string log() {  // and forgets it
    std::string text;
    for (const std::string& line : stage().log) text += (text.empty() ? "" : " ") + line;
    stage().log.clear();
    return text;
}
inline std::size_t times(std::string_view point) {
    return static_cast<std::size_t>(std::count(stage().log.begin(), stage().log.end(), point));
}

struct Malice : std::runtime_error {
    Malice() : std::runtime_error("malice") {}
};

// Counts the reporting objects in memory. A constructor that throws has not made one.
struct Counted {
    Counted() { ++stage().alive; }
    Counted(const Counted&) = delete;
    ~Counted() { --stage().alive; }
};

template <class Self> struct ReportingComponent : Component {
    Counted counted;
    ReportingComponent() { tell("construct", nullptr); }
    void registered() { tell("registered", this); }
    void begin_play() { tell("begin_play", this); }
    void end_play(EndReason reason) { tell(fmt::format("end_play({})", to_string(reason)), this); }

private:
    static void tell(const std::string& what, Object* object) {
        report(fmt::format("{}.{}", type_name<Self>(), what), object);
    }
};

template <class Self> struct ReportingActor : Actor {
    Counted counted;
    ReportingActor() { tell("construct", nullptr); }
    void pre_initialize() { tell("pre_initialize", this); }
    void initialized() { tell("initialized", this); }
    void begin_play() { tell("begin_play", this); }
    void end_play(EndReason reason) { tell(fmt::format("end_play({})", to_string(reason)), this); }

private:
    static void tell(const std::string& what, Object* object) {
        report(fmt::format("{}.{}", type_name<Self>(), what), object);
    }
};

struct Engine : ReportingComponent<Engine> {
    static void describe(TypeBuilder<Engine>&) {}
};
struct Wheel : ReportingComponent<Wheel> {
    static void describe(TypeBuilder<Wheel>&) {}
};
struct Radio : ReportingComponent<Radio> {
    static void describe(TypeBuilder<Radio>&) {}
};
struct Car : ReportingActor<Car> {
    static void describe(TypeBuilder<Car>& t) {
        t.component<Engine>("engine");
        t.component<Wheel>("wheel");
        t.slot<Radio>("radio");
    }
};
struct Rock : ReportingActor<Rock> {
    static void describe(TypeBuilder<Rock>&) {}
};

struct Game {
    explicit Game(const WorldDef& def = {}) {
        stage() = {};
        instance.open_world(def);
    }
    ~Game() { stage().at = nullptr; }  // what a test hung there knows the test's variables

    template <class... T> void know() {
        const bool known = (runtime.types().add<T>().is_ok() && ...);
        EXPECT_TRUE(known);
        stage() = {};  // describing made an object of each class; those are not counted
    }
    World& world() { return *instance.world(); }
    template <class T> T* spawn(const SpawnDef& def = {}) {
        auto id = world().spawn<T>(def);
        EXPECT_TRUE(id) << id.status().to_string();
        return id ? world().find<T>(*id) : nullptr;
    }
    std::uint64_t failures() { return runtime.log().count(Name("world.callback")); }
    bool is_bare() { return world().actor_count() + world().component_count() + world().timers().count() == 0; }

    VirtualClock clock;
    Runtime runtime{clock};
    GameInstance instance{runtime};
};

}  // namespace lyre
