// game/bots/poet.h: a bot: a controller that knows the arena only through arena_core's api.
//
//     think, five times a second (not all in the same tick)
//         where to       the objective that is worth the way; away from threats; else a stroll
//         how            straight, or by a corner of the wall that stands between
//         stuck?         no way made for a while: somewhere else first
//         vote           if there is a ballot, once in each of its rounds
//     steer, every tick
//         of sixteen ways the one that leads there best, around solids near by and not into each other
//
// What a bot is like (how far it looks ahead, how stubborn it is, how it likes its neighbours) is drawn from a stream
// of its name: the same seed gives the same poets. A tick in which nothing new happens allocates nothing.
#pragma once

#include "lyre/core/random.h"
#include "lyre/gameplay/controller.h"

#include "game/arena_core/api.h"

namespace plectrum {

class Poet : public AIController {
public:
    using Described = Poet;
    static void describe(TypeBuilder<Poet>& t);
    void begin_play();
    void tick(float dt);

private:
    struct Character {
        float stubborn = 1.3f;  // so much better must another objective be
        float lead = 0.5f;      // how much it aims ahead of what moves
        float elbow = 1.5f;     // m, to others
        float pace = 1;         // when strolling
        float taste = 0;        // which of equal objectives it likes: a phase in degrees
        float sloth = 1;        // s between arriving and moving about
        float patience = 6;     // s at an objective, then it looks for another
    };
    void become(const PlayerState& player);
    void think(const Seat& me);
    bool choose_objective(const Seat& me);
    void grow_bored(const Seat& me, const Objective& objective);
    void stroll(const Seat& me);
    void flee(const Seat& me, const Objective& threat);
    void notice_being_stuck(const Seat& me);
    void vote();
    bool is_way_free(Vec3 from, Vec3 to) const;
    Vec3 way_to(Vec3 from, Vec3 to) const;
    Vec3 choose_direction(const Seat& me, Vec3 wanted) const;
    Vec3 push_from_others(const Seat& me, std::span<const Seat> seats) const;
    Vec3 random_place(Vec3 around, float reach);

    Character character_;
    Random random_{0};
    bool is_somebody_ = false;  // has its character
    Ground ground_;
    std::vector<Solid> solids_;  // near by, as of the last thought
    std::vector<Solid> at_place_;
    std::vector<Objective> objectives_;

    double next_thought_ = 0, next_stroll_ = 0, detour_until_ = 0, vote_at_ = -1;
    std::uint64_t voted_in_ = 0;  // ballot and round
    Vec3 goal_, via_;             // where to, and where first
    Vec3 objective_at_;           // that it goes for
    float arrived_within_ = 0.5f, pace_ = 1;
    bool has_objective_ = false, is_chasing_ = false;
    double there_since_ = -1, bored_until_ = 0;  // at the objective, of it
    Vec3 bored_of_;
    Vec3 stood_at_;  // when it last made way
    double stood_since_ = 0;
};

}  // namespace plectrum
