#include "lyre/world/mover.h"

#include <gtest/gtest.h>
#include <limits>
#include <memory>

#include "tests/world/place_world.h"

namespace lyre {
namespace mover_test {

using place::contains;
using place::Crate;
using place::yard;

struct Walk;
std::function<void(Walk&, const MoverStep&)> on_step;

struct WalkState {
    Vec3 position, velocity;
    std::uint64_t drawn = 0;
    static void describe(TypeBuilder<WalkState>& t) {
        t.property("position", &WalkState::position);
        t.property("velocity", &WalkState::velocity);
        t.property("drawn", &WalkState::drawn);
    }
    friend bool operator==(const WalkState&, const WalkState&) = default;
};

struct WalkCommand {
    Vec3 push;
    std::shared_ptr<int> cargo;
    static void describe(TypeBuilder<WalkCommand>& t) {
        t.property("push", &WalkCommand::push);
        t.internal(&WalkCommand::cargo);
    }
};

struct Walk : Component {
    using State = WalkState;
    using Command = WalkCommand;
    WalkState state;
    std::vector<WalkCommand> seen;
    std::vector<MoverStep> steps;
    static void describe(TypeBuilder<Walk>&) {}

    State capture() const {
        State now = state;
        now.position = actor().position();
        return now;
    }
    void restore(const State& to) {
        state = to;
        EXPECT_EQ(actor().set_position(to.position).is_ok(), is_finite(to.position));
    }
    void step(const Command& command, const MoverStep& step) {
        seen.push_back(command);
        steps.push_back(step);
        Random random = step.random();
        state.velocity += command.push + Vec3{random.next_float01(), 0, 0};
        state.drawn ^= random.next_u64();
        EXPECT_TRUE(actor().set_position(actor().position() + state.velocity * step.dt).is_ok());
        if (on_step) on_step(*this, step);
    }
};

struct Glide : Component {  // registered before Walk: glides first
    struct Nothing {
        static void describe(TypeBuilder<Nothing>&) {}
    };
    using State = Nothing;
    using Command = Nothing;
    static void describe(TypeBuilder<Glide>&) {}
    State capture() const { return {}; }
    void restore(const State&) {}
    void step(const Command&, const MoverStep&) { place::tell("glide", actor()); }
};

struct Walker : Actor {
    static void describe(TypeBuilder<Walker>& t) { t.component<Walk>("walk"); }
};
struct Glider : Actor {
    static void describe(TypeBuilder<Glider>& t) { t.component<Glide>("glide"); }
};

struct Game : place::Game {
    explicit Game(const WorldDef& def = {}) : place::Game(def) {
        add<Glide, Walk, Walker, Glider>();
        world.begin_play();
    }
    ~Game() { on_step = nullptr; }
    Walk& walker(Vec3 at = {}) { return *world.find(*world.spawn<Walker>({{at}}))->find<Walk>(); }
    Movers& movers() { return world.movers(); }
};

WalkCommand push(float x) {
    return {{x, 0, 0}, nullptr};
}

TEST(Mover, a_step_gets_the_command_of_its_tick_or_an_empty_one) {
    // W-36
    Game game;
    Walk& walk = game.walker();
    ASSERT_TRUE(game.movers().hand(walk, push(1)).is_ok());  // tick 1
    ASSERT_TRUE(game.movers().hand(walk, push(4), 4).is_ok());
    ASSERT_TRUE(game.movers().hand(walk, push(3), 3).is_ok());  // out of order
    for (int i = 0; i < 5; ++i) game.world.tick();
    ASSERT_EQ(walk.seen.size(), 5u);
    const float expected[] = {1, 0, 3, 4, 0};
    for (std::size_t i = 0; i < 5; ++i) {
        EXPECT_EQ(walk.seen[i].push.x, expected[i]) << i;
        EXPECT_EQ(walk.steps[i].tick, i + 1);
        EXPECT_EQ(walk.steps[i].dt, game.world.tick_seconds());
    }
    EXPECT_NE(walk.steps[0].seed, walk.steps[1].seed);
    EXPECT_EQ(game.movers().late_commands(), 0u);
    game.world.set_paused(true);
    game.world.tick();
    EXPECT_EQ(walk.seen.size(), 5u);
}

TEST(Mover, a_second_command_for_a_tick_replaces_the_first_and_a_late_one_is_refused_and_counted) {
    // W-36
    Game game;
    Walk& walk = game.walker();
    ASSERT_TRUE(game.movers().hand(walk, push(1), 2).is_ok());
    ASSERT_TRUE(game.movers().hand(walk, push(5), 2).is_ok());
    game.world.tick();
    game.world.tick();
    EXPECT_EQ(walk.seen[1].push.x, 5);
    for (std::uint64_t over : {1u, 2u})
        EXPECT_TRUE(contains(game.movers().hand(walk, push(1), over).text(), "is over"));
    EXPECT_EQ(game.movers().late_commands(), 2u);
    game.world.tick();
    EXPECT_EQ(walk.seen[2].push.x, 0);
}

TEST(Mover, too_many_waiting_commands_are_refused_and_replacing_still_works) {
    // W-36
    Game game;
    Walk& walk = game.walker();
    for (std::uint64_t tick = 1; tick <= 128; ++tick) ASSERT_TRUE(game.movers().hand(walk, push(1), tick).is_ok());
    EXPECT_EQ(game.movers().hand(walk, push(1), 129).code(), StatusCode::Capacity);
    EXPECT_TRUE(game.movers().hand(walk, push(7), 64).is_ok());
    game.world.tick();
    EXPECT_TRUE(game.movers().hand(walk, push(1), 129).is_ok());
}

TEST(Mover, a_controller_hands_the_command_of_the_running_tick_before_movers_step) {
    // W-36
    Game game;
    Walk& walk = game.walker();
    game.world.timers().every(0, [&] {
        const float tick = static_cast<float>(game.world.tick_number());
        EXPECT_TRUE(game.movers().hand(walk, push(tick), game.world.tick_number()).is_ok());
    });
    on_step = [&](Walk& stepping, const MoverStep& step) {
        EXPECT_FALSE(game.movers().hand(stepping, push(1), step.tick).is_ok());  // now it is over
    };
    for (int i = 0; i < 3; ++i) game.world.tick();
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(walk.seen[i].push.x, static_cast<float>(i + 1));
}

TEST(Mover, commands_that_waited_past_their_tick_are_dropped_and_counted) {
    // W-36
    Game game({.net_mode = NetMode::Client});
    on_step = [&](Walk& walk, const MoverStep& step) {
        if (step.tick != 1) return;
        EXPECT_TRUE(walk.actor().add<Walk>(Name("second")).is_ok());
    };
    Walk& walk = game.walker();
    game.world.tick(0.1f);
    Walk& second = *static_cast<Walk*>(walk.actor().find_component(Name("second")));
    EXPECT_TRUE(second.seen.empty());  // made in a step: it steps from the next tick on
    on_step = nullptr;
    for (std::uint64_t tick : {2u, 3u}) ASSERT_TRUE(game.movers().hand(second, push(1), tick).is_ok());
    game.world.tick(0.1f);
    EXPECT_EQ(second.seen.size(), 1u);
    // One whose begin_play waits does not step, and its commands grow old.
    Connection holding = game.world.component_registered.add(
        [&](Component& component) { EXPECT_TRUE(game.world.hold_begin_play(component).is_ok()); });
    Walk& held = game.walker();
    holding.disconnect();
    for (std::uint64_t tick : {3u, 4u, 5u}) ASSERT_TRUE(game.movers().hand(held, push(float(tick)), tick).is_ok());
    game.world.tick(0.1f);
    game.world.tick(0.1f);
    EXPECT_TRUE(held.seen.empty());
    ASSERT_TRUE(game.world.release_begin_play(held).is_ok());
    game.world.tick(0.1f);
    ASSERT_EQ(held.seen.size(), 1u);
    EXPECT_EQ(held.seen[0].push.x, 5);
    EXPECT_EQ(game.movers().late_commands(), 2u);
}

TEST(Mover, movers_step_by_class_and_then_by_id_whatever_the_order_they_came_in) {
    // W-36
    Game game;
    const Level& level = *game.world.levels().find([&] {
        LevelDef def;
        def.placed = {{Name("Walker"), {}, 0, 1}, {Name("Glider"), {}, 0, 1}};
        return game.level(def);
    }());
    std::vector<ActorId> order;
    on_step = [&](Walk& walk, const MoverStep&) { order.push_back(walk.actor().id()); };
    place::on_hook = [&](std::string_view hook, Actor& actor) {
        if (hook == "glide") order.push_back(actor.id());
    };
    const ActorId row_walker = level.id_of(0), row_glider = level.id_of(1);
    game.touch<Actor>(row_walker);
    const ActorId a = *game.world.spawn<Walker>(), b = *game.world.spawn<Glider>(), c = *game.world.spawn<Walker>();
    const ActorId gone = *game.world.spawn<Walker>();
    game.touch<Actor>(row_glider);
    game.world.tick();
    EXPECT_EQ(order, (std::vector<ActorId>{b, row_glider, a, c, gone, row_walker}));
    order.clear();
    game.world.destroy(gone);
    game.world.destroy(a);
    const ActorId d = *game.world.spawn<Walker>();  // takes a freed index
    game.world.tick();
    EXPECT_EQ(order, (std::vector<ActorId>{b, row_glider, std::min(c, d), std::max(c, d), row_walker}));
    EXPECT_EQ(game.movers().count(), 5u);
}

TEST(Mover, restoring_what_was_captured_and_the_same_commands_give_the_same_state) {
    // W-36, N-428
    Game game;
    Walk& walk = game.walker({3, 4, 5});
    const auto command_of = [](std::uint64_t tick) { return push(static_cast<float>(tick % 5) - 2); };
    for (std::uint64_t tick = 1; tick <= 10; ++tick) {
        ASSERT_TRUE(game.movers().hand(walk, command_of(tick)).is_ok());
        game.world.tick();
    }
    const WalkState at_ten = walk.capture();
    std::vector<MoverStep> steps;
    for (std::uint64_t tick = 11; tick <= 30; ++tick) {
        ASSERT_TRUE(game.movers().hand(walk, command_of(tick)).is_ok());
        game.world.tick();
        steps.push_back(walk.steps.back());
    }
    const WalkState at_thirty = walk.capture();
    EXPECT_NE(at_thirty.position.x, at_ten.position.x);
    EXPECT_NE(at_thirty.drawn, at_ten.drawn);
    // Repeated: here, and in another world with another seed and tick. Only what is passed in counts.
    Game client({.net_mode = NetMode::Client, .seed = 77});
    Walk& copy = client.walker();
    for (Walk* again : {&walk, &copy}) {
        Movers& movers = again->world().movers();
        ASSERT_TRUE(movers.restore(*again, at_ten).is_ok());
        EXPECT_EQ(again->capture(), at_ten);
        for (const MoverStep& step : steps) {
            const WalkCommand command = command_of(step.tick);
            ASSERT_TRUE(movers.repeat(*again, &command, step).is_ok());
        }
        EXPECT_EQ(again->capture(), at_thirty);
        EXPECT_EQ(movers.teleports(again->actor().id()), 0u) << "nothing is drawn without a way between";
    }
    EXPECT_EQ(game.movers().step_of(walk, 11, steps[0].dt).seed, steps[0].seed);
}

TEST(Mover, its_state_is_captured_restored_and_repeated_without_knowing_its_class) {
    // W-36, N-428, N-427
    Game game;
    Component& mover = game.walker({3, 4, 5});
    const MoverInfo& info = *Movers::info_of(mover);
    EXPECT_EQ(info.command->name, "WalkCommand");
    const Type& type = info.state->record();
    EXPECT_EQ(type.name, Name("WalkState"));
    const std::unique_ptr<std::byte[]> room(new std::byte[type.size]);
    type.construct(room.get());
    ASSERT_TRUE(game.movers().capture(mover, room.get()).is_ok());
    const WalkCommand command = push(2);
    ASSERT_TRUE(game.movers().repeat(mover, &command, {.dt = 1, .tick = 9, .seed = 1}).is_ok());
    EXPECT_GE(mover.actor().position().x, 5);
    ASSERT_TRUE(game.movers().restore(mover, room.get()).is_ok());
    EXPECT_EQ(mover.actor().position(), (Vec3{3, 4, 5}));
    type.destruct(room.get());

    Walk& walk = *mover.as<Walk>();
    WalkState state;
    state.position.x = std::numeric_limits<float>::infinity();
    EXPECT_TRUE(game.movers().restore(walk, state).is_ok());
    EXPECT_EQ(mover.actor().position(), (Vec3{3, 4, 5})) << "what is not finite places nobody";
    EXPECT_FALSE(mover.actor().set_position({}).is_ok()) << "nor may it be placed after a restore";
    on_step = [](Walk&, const MoverStep&) { throw std::runtime_error("stumbled"); };
    EXPECT_FALSE(game.movers().repeat(mover, &command, {}).is_ok());
    on_step = [&](Walk& self, const MoverStep&) { self.world().destroy(self.actor().id()); };
    EXPECT_TRUE(game.movers().repeat(mover, &command, {}).is_ok());
    EXPECT_EQ(game.movers().count(), 0u);
}

TEST(Mover, what_is_no_mover_or_has_not_begun_is_neither_restored_nor_repeated) {
    // W-36
    struct Bag : Component {
        static void describe(TypeBuilder<Bag>&) {}
    };
    Game game;
    game.add<Bag>();
    Walk& walk = game.walker();
    Bag& bag = **walk.actor().add<Bag>();
    EXPECT_EQ(Movers::info_of(bag), nullptr);
    const WalkState state;
    EXPECT_EQ(game.movers().restore(bag, static_cast<const void*>(&state)).code(), StatusCode::Refused);
    EXPECT_EQ(game.movers().repeat(bag, &state, {}).code(), StatusCode::Refused);
    const World::CallScope scope(game.world);  // it is on its way out until then
    EXPECT_TRUE(game.world.remove_component(walk).is_ok());
    EXPECT_EQ(game.movers().restore(walk, state).code(), StatusCode::Refused);
}

TEST(Mover, a_simulated_proxy_is_not_stepped_and_goes_only_where_it_is_restored) {
    // N-422
    Game client({.net_mode = NetMode::Client});
    const auto walk_as = [&](Role role) -> Walk& {
        return *client.world.find(*client.world.spawn<Walker>({.role = role}))->find<Walk>();
    };
    Walk& shown = walk_as(Role::SimulatedProxy);
    Walk& own = walk_as(Role::AutonomousProxy);
    EXPECT_TRUE(contains(client.movers().hand(shown, push(1)).text(), "only shown here"));
    ASSERT_TRUE(client.movers().hand(own, push(1)).is_ok());
    for (int i = 0; i < 3; ++i) client.world.tick(0.1f);
    EXPECT_TRUE(shown.seen.empty());
    EXPECT_EQ(shown.actor().position(), Vec3{});
    EXPECT_EQ(own.seen.size(), 3u);
    WalkState state;
    state.position = {7, 0, 0};
    ASSERT_TRUE(client.movers().restore(shown, state).is_ok());
    client.world.tick(0.1f);
    EXPECT_EQ(shown.actor().position(), (Vec3{7, 0, 0}));
    EXPECT_EQ(client.movers().teleports(shown.actor().id()), 0u);
}

TEST(Mover, two_worlds_of_one_seed_move_alike) {
    // W-36, N-428
    std::vector<WalkState> ends;
    for (const std::uint64_t seed : {5u, 5u, 6u}) {
        Game game({.seed = seed});
        Walk& walk = game.walker();
        for (int i = 0; i < 50; ++i) {
            ASSERT_TRUE(game.movers().hand(walk, push(static_cast<float>(i % 3))).is_ok());
            game.world.tick();
        }
        ends.push_back(walk.capture());
    }
    EXPECT_EQ(ends[0], ends[1]);
    EXPECT_NE(ends[0], ends[2]);
}

TEST(Mover, only_its_step_moves_a_movers_actor) {
    // W-36, N-424
    Game game;
    Walk& walk = game.walker({1, 0, 0});
    Actor& actor = walk.actor();
    EXPECT_TRUE(contains(actor.set_position({9, 9, 9}).text(), "teleport"));
    EXPECT_FALSE(actor.set_transform({{9, 9, 9}, 1, 1}).is_ok());
    EXPECT_FALSE(actor.set(Name("position"), "9 9 9").is_ok());
    EXPECT_EQ(actor.position(), (Vec3{1, 0, 0}));
    Walk& other = game.walker();
    on_step = [&](Walk& stepping, const MoverStep&) {
        Actor& neighbour = &stepping == &walk ? other.actor() : walk.actor();
        EXPECT_FALSE(neighbour.set_position({9, 9, 9}).is_ok());
    };
    game.world.tick();
    on_step = [](Walk&, const MoverStep&) { throw std::runtime_error("stumbled"); };
    game.world.tick();
    EXPECT_FALSE(actor.set_position({9, 9, 9}).is_ok());  // also after a step that threw
    EXPECT_EQ(game.runtime.log().count(Name("world.callback")), 2u);
    EXPECT_TRUE(game.world.remove_component(walk).is_ok());
    EXPECT_TRUE(actor.set_position({9, 9, 9}).is_ok());  // nobody moves it any more
}

TEST(Mover, teleports_of_actors_with_a_mover_are_counted) {
    // W-36, N-424
    Game game;
    Walk& walk = game.walker();
    const ActorId id = walk.actor().id();
    EXPECT_EQ(game.movers().teleports(id), 0u);
    EXPECT_TRUE(game.movers().teleport(id, {{5, 6, 7}, 30, 2}).is_ok());
    EXPECT_EQ(walk.actor().transform(), (Transform{{5, 6, 7}, 30, 2}));
    EXPECT_TRUE(game.movers().teleport(id, {{5, 6, 7}, 30, 2}).is_ok());
    EXPECT_EQ(game.movers().teleports(id), 2u);
    EXPECT_FALSE(game.movers().teleport(id, {{std::numeric_limits<float>::infinity(), 0, 0}}).is_ok());
    EXPECT_EQ(game.movers().teleports(id), 2u);
    game.world.tick();
    EXPECT_EQ(game.movers().teleports(id), 2u);  // a step is no teleport
    const ActorId crate = *game.world.spawn<Crate>();
    EXPECT_TRUE(game.movers().teleport(crate, {{1, 1, 1}}).is_ok());
    EXPECT_EQ(game.world.find(crate)->position(), (Vec3{1, 1, 1}));
    EXPECT_EQ(game.movers().teleports(crate), 0u);
    game.world.destroy(id);
    EXPECT_EQ(game.movers().teleports(id), 0u);
    EXPECT_EQ(game.movers().teleport(id, {}).code(), StatusCode::NotFound);
}

TEST(Mover, a_teleport_touches_a_row_unless_it_is_refused) {
    // W-24, W-36
    Game game;
    const Level& level = *game.world.levels().find(game.level(yard(2)));
    EXPECT_FALSE(game.movers().teleport(level.id_of(0), {{std::numeric_limits<float>::quiet_NaN(), 0, 0}}).is_ok());
    EXPECT_EQ(game.world.actor_count(), 0u);
    EXPECT_TRUE(game.movers().teleport(level.id_of(0), {{1, 2, 3}}).is_ok());
    EXPECT_EQ(game.world.levels().touches(Name("teleport")), 1u);
    EXPECT_EQ(game.world.find(level.id_of(0))->position(), (Vec3{1, 2, 3}));
}

TEST(Mover, a_mover_may_be_removed_or_destroyed_in_its_own_step_or_anothers) {
    // W-36
    for (const bool whole : {false, true}) {
        Game game;
        Walk& first = game.walker();
        const ActorId first_id = first.actor().id();
        const ActorId second_id = game.walker().actor().id(), third_id = game.walker().actor().id();
        const auto leave = [&](ActorId id) {
            Actor* actor = game.world.find(id);
            EXPECT_TRUE(whole ? game.world.destroy(id) : game.world.remove_component(*actor->find<Walk>()).is_ok());
        };
        std::vector<ActorId> stepped;
        on_step = [&](Walk& walk, const MoverStep&) {
            stepped.push_back(walk.actor().id());
            if (walk.actor().id() != first_id) return;
            leave(first_id);
            leave(third_id);
            game.walker();  // steps from the next tick on
            EXPECT_EQ(game.movers().hand(walk, push(1)).code(), StatusCode::Refused);
        };
        game.world.tick();
        EXPECT_EQ(stepped, (std::vector<ActorId>{first_id, second_id}));
        EXPECT_EQ(game.movers().count(), 2u);
        stepped.clear();
        game.world.tick();
        EXPECT_EQ(stepped.size(), 2u);
    }
}

TEST(Mover, the_world_may_end_in_a_step) {
    // W-36
    Game game;
    game.walker();
    game.walker();
    int steps = 0;
    on_step = [&](Walk& walk, const MoverStep&) {
        ++steps;
        walk.world().end();
    };
    game.world.tick();
    EXPECT_EQ(steps, 1);
    EXPECT_EQ(game.movers().count(), 0u);
}

TEST(Mover, what_a_movers_commands_hold_goes_with_the_mover) {
    // W-36: the code of a command may be unloaded once its class has gone.
    const auto cargo = std::make_shared<int>(1);
    Game game;
    for (const bool has_stepped : {false, true}) {
        Walk& walk = game.walker();
        if (has_stepped) game.world.tick();
        ASSERT_TRUE(game.movers().hand(walk, {{}, cargo}).is_ok());
        EXPECT_EQ(cargo.use_count(), 2);
        game.world.destroy(walk.actor().id());
        EXPECT_EQ(cargo.use_count(), 1);
    }
    Walk& own = game.walker();
    ASSERT_TRUE(game.movers().hand(own, {{}, cargo}, game.world.tick_number() + 2).is_ok());
    on_step = [&](Walk& walk, const MoverStep&) { game.world.destroy(walk.actor().id()); };
    game.world.tick();
    EXPECT_EQ(cargo.use_count(), 1);
}

TEST(Mover, a_row_with_a_mover_steps_while_it_is_an_actor) {
    // W-24, W-25, W-36
    struct Statue : Actor {
        static void describe(TypeBuilder<Statue>& t) { t.component<Glide>("glide"); }
    };
    Game game;
    game.add<Statue>();
    LevelDef def;
    def.placed = {{Name("Statue"), {1, 2, 3}, 0, 1}};
    const ActorId row = game.world.levels().find(game.level(def))->id_of(0);
    int steps = 0;
    place::on_hook = [&](std::string_view, Actor&) { ++steps; };
    game.world.tick();
    EXPECT_EQ(steps, 0);
    game.touch<Actor>(row);
    game.world.tick();
    EXPECT_EQ(steps, 1);
    EXPECT_TRUE(game.movers().teleport(row, {{9, 9, 9}}).is_ok());
    EXPECT_FALSE(game.world.levels().rest(row).is_ok());
    EXPECT_TRUE(game.movers().teleport(row, {{1, 2, 3}}).is_ok());
    EXPECT_TRUE(game.world.levels().rest(row).is_ok());
    EXPECT_EQ(game.movers().count(), 0u);
    game.world.tick();
    EXPECT_EQ(steps, 1);
}

}  // namespace mover_test
}  // namespace lyre
