// Two runs of one seed are one story: the same hash after every tick, and the same trace.
#include <gtest/gtest.h>

#include "lyre/world/world_hash.h"

#include "tests/world/place_world.h"

namespace lyre {
namespace determinism_test {

using place::Crate;
using place::Game;
using place::Health;

struct Stroll : Component {
    struct State {
        Vec3 velocity;
        static void describe(TypeBuilder<State>& t) { t.property("velocity", &State::velocity); }
    };
    struct Command {
        Vec3 push;
        static void describe(TypeBuilder<Command>& t) { t.property("push", &Command::push); }
    };
    State state;
    static void describe(TypeBuilder<Stroll>&) {}
    State capture() const { return state; }
    void restore(const State& to) { state = to; }
    void step(const Command& command, const MoverStep& step) {
        Random random = step.random();
        state.velocity = state.velocity * 0.9f + command.push;
        state.velocity += {random.next_range_float(-1, 1), random.next_range_float(-1, 1), 0};
        EXPECT_TRUE(actor().set_position(actor().position() + state.velocity * step.dt).is_ok());
    }
};

// Walks, hits the crates it meets, and now and then hurries.
struct Rogue : Actor {
    Property<std::int32_t> hits = 0;
    static void describe(TypeBuilder<Rogue>& t) {
        t.property("hits", &Rogue::hits);
        t.component<Stroll>("stroll");
        t.radius(0.5f);
    }
    void tick(float) {
        std::vector<Found> near;
        world().space().find(Circle{position(), 2}, {.type = world().runtime().types().find<Crate>()}, near);
        for (const Found& crate : near) hit(crate.id);
    }
    void hit(ActorId id) {
        auto touched = world().levels().touch(id, Name("hit"));
        if (!touched) return;
        auto* health = (*touched)->find<Health>();
        if (health == nullptr) return;
        health->value -= 7;
        ++*hits.edit();
        if (health->value <= 0) world().destroy(id);
    }
};

struct Match {
    std::vector<std::uint64_t> hashes;
    std::uint64_t trace = 0;
    std::uint64_t touches = 0, rests = 0;
    std::size_t most_destroyed = 0;  // rows, at one time
};

// What happens in the game beside the rogues' own ticks: people join, crates heal and rest, a level comes and goes.
class Director {
public:
    Director(Game& game, Match& match) : game_(game), match_(match), chance_(game.world.random().stream("director")) {
        LevelDef def = place::yard(10);
        def.scatters = {{Name("Crate"), 300, {{-30, -30, 0}, {30, 30, 0}}, 3},
                        {Name("Barrel"), 50, {{-30, -30, 0}, {30, 30, 0}}, 4}};
        yard_ = game.level(def);
        Timers& timers = game.world.timers();
        timers.every(0.25, [this] { join(); });
        timers.every(0.1, [this] { push(); });
        timers.every(0.4, [this] { heal(); });
        timers.after(1.5, [this] { game_.level(place::yard(20)); });
    }

    void between_ticks(int tick) {
        Status status;
        if (tick == 200) status = game_.world.levels().reset(yard_);
        if (tick == 380) status = game_.world.levels().remove(yard_);
        EXPECT_TRUE(status.is_ok()) << status.text();
    }

private:
    void join() {
        if (game_.world.movers().count() >= 8) return;
        const Vec3 at{chance_.next_range_float(-20, 20), chance_.next_range_float(-20, 20), 0};
        ASSERT_TRUE(game_.world.spawn<Rogue>({{at, 0, 1}}).is_ok());
    }
    void push() {
        for (ActorId id : game_.world.actors()) {
            auto* rogue = game_.world.find<Rogue>(id);
            if (rogue == nullptr) continue;
            if (chance_.chance(0.02f)) {
                game_.world.destroy(id);
            } else {
                const Stroll::Command command{{chance_.next_range_float(-3, 3), chance_.next_range_float(-3, 3), 0}};
                ASSERT_TRUE(game_.world.movers().hand(*rogue->find<Stroll>(), command).is_ok());
            }
        }
    }
    void heal() {
        for (ActorId id : game_.world.actors()) {
            auto* crate = game_.world.find<Crate>(id);
            if (crate == nullptr || !chance_.chance(0.5f)) continue;
            if (auto* health = crate->find<Health>()) health->value = 100;
            match_.rests += game_.world.levels().rest(id).is_ok() ? 1 : 0;
        }
    }

    Game& game_;
    Match& match_;
    Random chance_;
    LevelId yard_;
};

Match play(std::uint64_t seed, int ticks = 400) {
    Game game({.seed = seed});
    game.add<Stroll, Rogue>();
    game.runtime.trace().set_level(TraceLevel::All);
    const TraceWriter story = game.runtime.trace().writer(Name("server"));
    const Connection comes = game.world.actor_initialized.add(
        [&](Actor& actor) { story.event(Name("come"), actor.id(), "{} {}", actor.type().name, actor.position().x); });
    const Connection goes = game.world.actor_ending.add(
        [&](Actor& actor, EndReason reason) { story.event(Name("go"), actor.id(), "{}", to_string(reason)); });
    Match match;
    Director director(game, match);
    game.world.begin_play();
    RunningHash running(game.world);
    for (int i = 0; i < ticks; ++i) {
        director.between_ticks(i);
        game.world.tick();
        game.clock.advance(16'667);
        match.hashes.push_back(running.value());
        EXPECT_EQ(running.value(), world_hash(game.world));
        std::size_t destroyed = 0;
        for (LevelId id : game.world.levels().all())
            destroyed += game.world.levels().find(id)->rows().count(RowState::Destroyed);
        match.most_destroyed = std::max(match.most_destroyed, destroyed);
    }
    match.trace = game.runtime.trace().hash();
    match.touches = game.world.levels().touches(Name("hit"));
    return match;
}

TEST(Determinism, two_runs_with_one_seed_are_equal_in_every_tick) {
    // W-12
    const Match first = play(11), second = play(11);
    EXPECT_EQ(first.hashes, second.hashes);
    EXPECT_EQ(first.trace, second.trace);
    EXPECT_GT(first.touches, 50u);  // it was not a quiet game
    EXPECT_GT(first.rests, 20u);
    EXPECT_GT(first.most_destroyed, 5u);
}

TEST(Determinism, another_seed_is_another_run) {
    // W-12
    const Match first = play(11), other = play(12);
    EXPECT_NE(first.hashes.back(), other.hashes.back());
    EXPECT_NE(first.trace, other.trace);
}

TEST(Determinism, neither_time_of_day_nor_a_neighbour_in_the_process_changes_a_run) {
    // W-12
    const Match alone = play(11, 120);
    Game neighbour({.seed = 5});
    neighbour.clock.set_wall_seconds(1'700'000'000);
    neighbour.world.begin_play();
    std::vector<ActorId> spawned;
    for (int i = 0; i < 100; ++i) spawned.push_back(*neighbour.world.spawn<Crate>());
    neighbour.world.tick();
    const Match beside = play(11, 120);
    EXPECT_EQ(alone.hashes, beside.hashes);
    EXPECT_EQ(alone.trace, beside.trace);
}

}  // namespace determinism_test
}  // namespace lyre
