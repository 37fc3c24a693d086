// game/arena_core/hero.h: the pawn of the arena, the mover that carries it, and what a person's input does with it.
#pragma once

#include "lyre/gameplay/hero.h"

#include "game/arena_core/api.h"

namespace plectrum {

// Walks with a little inertia, slides along what is solid, and stays within the level.
class HeroWalk : public Steering {
public:
    using Described = HeroWalk;
    struct State {
        Vec3 position;        // m
        Vec3 velocity;        // m/s
        float top_speed = 0;  // m/s, with all traits
        static void describe(TypeBuilder<State>& t) {
            t.property("position", &State::position);
            t.property("velocity", &State::velocity);
            t.property("top_speed", &State::top_speed);
        }
        friend bool operator==(const State&, const State&) = default;
    };
    struct Command {
        Vec3 direction;
        static void describe(TypeBuilder<Command>& t) { t.property("direction", &Command::direction); }
    };
    static void describe(TypeBuilder<HeroWalk>& t);
    void begin_play();
    void tick(float dt);  // before the step: what traits and settings say now

    State capture() const { return {actor().position(), velocity_, top_speed_}; }
    void restore(const State& state);
    void step(const Command& command, const MoverStep& step);

    void steer(Vec3 direction) override;
    Vec3 velocity() const override { return velocity_; }
    float top_speed() const override { return top_speed_; }

private:
    Vec3 slide(Vec3 to, Vec3& velocity);
    Setting<double> speed_{"arena.Speed"};
    Property<Vec3> velocity_;
    Property<float> top_speed_ = 0;
    Ground ground_;
    std::vector<Solid> solids_;
};

// What a person's input does: walking, and voting where there is a vote.
class ArenaInput : public HeroComponent {
public:
    using Described = ArenaInput;
    static void describe(TypeBuilder<ArenaInput>& t);
    void tick(float dt);
    void input_action(Name action, const InputValue& value) override;
    void handle_exit_init_state(Name from, Name to) override;
    void vote(std::int32_t choice);  // on the server

private:
    Vec3 axis_;                      // of a stick
    std::array<bool, 4> is_held_{};  // of keys: right, left, up, down
};

class ArenaHero : public Pawn {
public:
    using Described = ArenaHero;
    static void describe(TypeBuilder<ArenaHero>& t);
    void begin_play();
    void tick(float dt);

private:
    void paint();
};

}  // namespace plectrum
