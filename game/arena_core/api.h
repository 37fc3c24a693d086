// game/arena_core/api.h: what arena_core offers to other features. Interfaces and inline code only: nothing to link.
//
//     on a hero        Steering     moves it; whoever steers says where to, tick by tick
//                      HeroTrait    a component of your own that makes it faster or recolours it, as long as it is
//                      there
//     on the match     Roster       who plays and where they are, once per tick
//                      Objectives   a component of your own that tells bots where to be, and where not to be
//                      MatchFlow    is the match on? It is won; this player begins anew
//                      Ballot       votes for what comes next
//     anywhere         Ground       what one cannot walk through
//
// Nothing is registered with arena_core: it asks the components of a hero and of the GameState what they are. So what
// a feature takes away leaves no trace. Find them with find<Steering>(), in the match with
// find_in_match<Roster>(world). Frame's thread.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "lyre/gameplay/game_state.h"
#include "lyre/gameplay/gameplay.h"
#include "lyre/gameplay/looks.h"
#include "lyre/gameplay/pawn.h"
#include "lyre/gameplay/player_state.h"
#include "lyre/world/class_info.h"
#include "lyre/world/setting.h"
#include "lyre/world/world.h"

namespace plectrum {

using namespace lyre;
using namespace lyre::gameplay;

inline constexpr float kHeroRadius = 0.4f;  // m

// What a setting says, within reason; what is no number is the least.
template <class T> constexpr T bounded(T value, T least, T most) {
    return value > least ? (value < most ? value : most) : least;
}

struct TeamLook {
    const char* name;
    Colour colour;
};
inline constexpr std::array<TeamLook, 2> kTeams = {{{"Red", Colour::Red}, {"Blue", Colour::Blue}}};
inline constexpr TeamLook kNoTeamLook = {"Nobody", Colour::Green};
inline const TeamLook& look_of_team(std::int32_t team) {
    return team >= 0 && static_cast<std::size_t>(team) < kTeams.size() ? kTeams[static_cast<std::size_t>(team)]
                                                                       : kNoTeamLook;
}

template <class Parent, class T> void describe_interface(TypeBuilder<T>& t, std::string_view help) {
    t.help(help);
    t.template parent<Parent>();
    t.abstract();
}

// The mover of a hero.
class Steering : public PawnComponent {
public:
    using Described = Steering;
    static void describe(TypeBuilder<Steering>& t) { describe_interface<PawnComponent>(t, "moves a hero"); }
    virtual void steer(Vec3 direction) = 0;  // for the next step; longer than 1 is 1, nothing is standing still
    virtual Vec3 velocity() const = 0;       // m/s
    virtual float top_speed() const = 0;     // m/s, with all traits
};

// Something special about a hero, as long as the component is there. What it says is asked before the hero's step and
// is part of the mover's state (world/mover.h), so it may be asked at any time, also on clients: say what replicated
// properties and settings say, and leave clocks and chance to the tick that writes them, on the server.
class HeroTrait : public PawnComponent {
public:
    using Described = HeroTrait;
    static void describe(TypeBuilder<HeroTrait>& t) {
        describe_interface<PawnComponent>(t, "something special about a hero");
    }
    virtual float speed_factor() const { return 1; }
    virtual std::optional<Colour> colour() const { return {}; }
};

// A player with a pawn, as the tick began.
struct Seat {
    ActorId player, pawn;
    std::int32_t team = kNoTeam;
    Vec3 at;
    Vec3 velocity;
};

class Roster : public GameStateComponent {
public:
    using Described = Roster;
    static void describe(TypeBuilder<Roster>& t) {
        describe_interface<GameStateComponent>(t, "who plays and where they are");
    }
    virtual std::span<const Seat> seats() const = 0;  // in login order
};

// A place worth being at; a negative worth says how much to keep away from it.
struct Objective {
    Vec3 at;
    Vec3 velocity;     // of what moves
    float radius = 1;  // m: within it one is there
    float worth = 1;
};
inline constexpr std::size_t kMaxObjectives = 256;  // of all sources together

class Objectives : public GameStateComponent {
public:
    using Described = Objectives;
    static void describe(TypeBuilder<Objectives>& t) {
        describe_interface<GameStateComponent>(t, "where it is worth being");
    }
    virtual void list(const Seat& who, std::vector<Objective>& list) const = 0;  // appends
};

class MatchFlow : public GameStateComponent {
public:
    using Described = MatchFlow;
    static void describe(TypeBuilder<MatchFlow>& t) {
        describe_interface<GameStateComponent>(t, "whether the match is on");
    }
    virtual bool is_playing() const = 0;             // points count
    virtual void finish() = 0;                       // the best score wins; nothing if it is not playing
    virtual void send_to_start(ActorId player) = 0;  // with its pawn, if it has one
};

class Ballot : public GameStateComponent {
public:
    using Described = Ballot;
    static constexpr std::size_t kMaxChoices = 9;  // arena_hero.pawn_data.toml has a key for each
    static void describe(TypeBuilder<Ballot>& t) {
        describe_interface<GameStateComponent>(t, "votes for what comes next");
    }
    virtual std::size_t choices() const = 0;                         // 0: no vote is on
    virtual std::uint32_t round() const = 0;                         // another one for each vote of this ballot
    virtual void vote(PlayerState& player, std::size_t choice) = 0;  // from 0; a later one replaces it
};

template <class T> T* find_in_match(const World& world) {
    const GameState* state = Match::state(world);
    return state != nullptr ? state->find<T>() : nullptr;
}

// The components of one kind of an actor, in order. Nothing may come or go meanwhile.
template <class T, class Visit> void each_of(const Actor& actor, Visit visit) {
    for (Component* part = actor.first_component(); part != nullptr; part = part->next())
        if (!part->is_doomed())
            if (const T* found = part->as<T>()) visit(*found);
}

inline Vec3 at_most(Vec3 v, float most) {
    const float long_ = length(v);
    return long_ > most ? v * (most / long_) : v;
}
inline Vec3 flat(Vec3 v) {
    return {v.x, v.y, 0};
}

// A box with round edges: of a wall only the box, of a crate only the rounding.
struct Solid {
    Vec3 centre, half;
    float radius = 0;

    Vec3 nearest(Vec3 to) const {
        return {std::clamp(to.x, centre.x - half.x, centre.x + half.x),
                std::clamp(to.y, centre.y - half.y, centre.y + half.y), to.z};
    }
    float distance(Vec3 to) const { return length(to - nearest(to)) - radius; }  // from its surface
};

// What one cannot walk through: the solid boxes of levels, and props but for those that are drawn as mere dots. It is
// taken to stand still: what a game moves belongs into the state of the mover that asks, or a repeated step is another.
class Ground {
public:
    void begin(World& world) {
        world_ = &world;
        levels_ = world.levels().all();
        prop_ = world.runtime().types().find<Prop>();
        found_.reserve(kUsual);
    }
    // All solids whose surface is within reach; `solids` is filled anew.
    void gather(Vec3 at, float reach, std::vector<Solid>& solids) {
        solids.clear();
        solids.reserve(kUsual);
        for (LevelId id : levels_)
            if (const Level* level = world_->levels().find(id))
                for (const Box& box : level->boxes()) {
                    const Solid wall = of(box);
                    if (wall.distance(at) <= reach) solids.push_back(wall);
                }
        world_->space().find(Circle{at, reach}, {.type = prop_}, found_);
        for (const Found& one : found_) {
            const Look* look =
                one.actor != nullptr ? look_of(*one.actor) : look_of(world_->runtime().types(), *one.type);
            if (look == nullptr || look->shape == Shape::Dot) continue;
            const Solid prop{one.position, {}, look->radius * one.scale};
            if (prop.distance(at) <= reach) solids.push_back(prop);
        }
    }
    // Calls visit(const Solid&) for each box of the levels.
    template <class Visit> void each_wall(Visit visit) const {
        for (LevelId id : levels_)
            if (const Level* level = world_->levels().find(id))
                for (const Box& box : level->boxes()) visit(of(box));
    }
    Box bounds() const {
        const Level* level = levels_.empty() ? nullptr : world_->levels().find(levels_.front());
        return level != nullptr ? level->bounds() : Box{{-1000, -1000, 0}, {1000, 1000, 0}};
    }
    Vec3 inside(Vec3 at, float margin) const {
        const Box b = bounds();
        const auto keep = [&](float v, float low, float high) {
            return std::max(low + margin, std::min(v, high - margin));
        };
        return {keep(at.x, b.min.x, b.max.x), keep(at.y, b.min.y, b.max.y), at.z};
    }

private:
    static constexpr std::size_t kUsual = 64;  // more than are near by in a crowded place
    static Solid of(const Box& box) { return {flat((box.min + box.max) * 0.5f), flat((box.max - box.min) * 0.5f)}; }
    World* world_ = nullptr;
    std::vector<LevelId> levels_;
    const Type* prop_ = nullptr;
    std::vector<Found> found_;
};

}  // namespace plectrum
