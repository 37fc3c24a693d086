// Callbacks that pull the ground from under their caller.
#include <gtest/gtest.h>

#include "lyre/world/game_instance.h"

namespace lyre {
namespace reentrancy_test {

struct Ender : Actor {
    static void describe(TypeBuilder<Ender>& t) { t.remote<&Ender::vanish>("vanish"); }
    void end_play(EndReason) { world().end(); }
    void vanish(int times) {
        world().destroy(id());
        sum += times;  // still its own memory: the phase is not over
    }
    int sum = 0;
};
struct Stroll : Component {
    struct State {
        float x = 0;
        static void describe(TypeBuilder<State>& t) { t.property("x", &State::x); }
    };
    struct Command {
        float by = 0;
        static void describe(TypeBuilder<Command>& t) { t.property("by", &Command::by); }
    };
    using Described = Stroll;
    static void describe(TypeBuilder<Stroll>& t) { t.parent<Component>(); }
    State capture() const { return {x}; }
    void restore(const State& state) { x = state.x; }
    void step(const Command& command, const MoverStep&) { x += command.by; }
    float x = 0;
};
struct Run : Stroll {
    static void describe(TypeBuilder<Run>&) {}
};
struct Runner : Actor {
    static void describe(TypeBuilder<Runner>& t) { t.component<Run>("run"); }
};

struct Ground {
    Ground() {
        const Status known = runtime.types().add_all<Ender, Stroll, Run, Runner>();
        EXPECT_TRUE(known.is_ok()) << known.to_string();
    }
    VirtualClock clock;
    Runtime runtime{clock};
    GameInstance game{runtime};
    World& world = game.open_world({});
};

TEST(Reentrancy, a_level_may_be_removed_or_reset_while_its_actor_ends_the_world) {
    // W-26, W-28
    for (bool is_reset : {false, true}) {
        Ground ground;
        LevelDef def;
        def.placed = {{Name("Ender"), {1, 0, 0}}};
        const LevelId level = *ground.world.levels().add(def);
        const ActorId id = ground.world.levels().find(level)->id_of(0);
        ASSERT_TRUE(ground.world.levels().touch(id, Name("test")).is_ok());
        Levels& levels = ground.world.levels();
        EXPECT_TRUE((is_reset ? levels.reset(level) : levels.remove(level)).is_ok());
        EXPECT_TRUE(ground.world.has_ended());
        EXPECT_EQ(ground.world.actor_count(), 0u);
    }
}

TEST(Reentrancy, a_remote_function_run_in_place_may_destroy_its_object) {
    // W-16, W-35
    Ground ground;
    const ActorId id = *ground.world.spawn<Ender>();
    ground.world.find<Ender>(id)->call<&Ender::vanish>(3);
    EXPECT_EQ(ground.world.find(id), nullptr);
    EXPECT_EQ(ground.world.actor_count(), 0u);
}

TEST(Reentrancy, a_component_of_a_dropped_deferred_spawn_is_not_ended_twice) {
    // W-15, W-17
    Ground ground;
    ground.world.begin_play();
    ground.world.timers().next_tick([&] {
        auto made = ground.world.spawn_deferred<Runner>();
        ASSERT_TRUE(made.is_ok());
        EXPECT_TRUE(ground.world.remove_component(*made->actor().first_component()).is_ok());
    });
    ground.world.tick();
    EXPECT_EQ(ground.world.actor_count() + ground.world.component_count(), 0u);
}

TEST(Reentrancy, a_derived_mover_is_commanded_through_its_parent) {
    // W-36
    Ground ground;
    const ActorId id = *ground.world.spawn<Runner>();
    ground.world.begin_play();
    Stroll* mover = ground.world.find(id)->find<Stroll>();
    ASSERT_NE(mover, nullptr);
    EXPECT_TRUE(ground.world.movers().hand(*mover, {2.5f}).is_ok());
    ground.world.tick();
    EXPECT_EQ(mover->x, 2.5f);
}

}  // namespace reentrancy_test
}  // namespace lyre
