// gameplay/components.h: bases for components that belong to one kind of actor: typed owners, and what their owner has
// to tell them, in the order of the owner's components.
//
//     struct Score : PlayerStateComponent {
//         static void describe(TypeBuilder<Score>& t) { t.property("points", &Score::points_); }
//         void reset() override { points_ = 0; }
//
// Hooks are told to components that are there then. One that a feature puts on an actor later, as in the middle of a
// match, finds in its begin_play what it has missed:
//
//     void begin_play() {
//         if (Controller* by = pawn().controller()) possessed(*by);          // or game_state().has_match_started(), or
//     }                                                                      // the LocalPlayer of a PlayerController
//
// A hook may do anything, also remove its component or destroy its actor. On another kind of actor such a component is
// refused, whoever asks for it (world/class_info.h, belongs_to). Frame's thread.
#pragma once

#include <optional>

#include "lyre/world/object.h"

namespace lyre::gameplay {

class Controller;
class GameState;
class Pawn;
class PlayerState;

class PawnComponent : public Component {
public:
    using Described = PawnComponent;
    static void describe(TypeBuilder<PawnComponent>& t);
    Pawn& pawn() const;
    virtual void possessed(Controller&) {}
    virtual void unpossessed(Controller&) {}

protected:
    virtual ~PawnComponent() = default;

private:
    friend class Pawn;
    std::optional<Controller*> told_by_;  // whom it was told of; none: it came later, and has looked itself
};

class ControllerComponent : public Component {
public:
    using Described = ControllerComponent;
    static void describe(TypeBuilder<ControllerComponent>& t);
    Controller& controller() const;
    virtual void received_player() {}
    virtual void player_tick(float) {}          // of a player at this machine, before the controller's own tick
    virtual void pawn_changed(Pawn*, Pawn*) {}  // old, new

protected:
    virtual ~ControllerComponent() = default;

private:
    friend class Controller;
    std::optional<ActorId> told_pawn_;  // that it was told of; none: it came later, and has looked itself
};

class GameStateComponent : public Component {
public:
    using Described = GameStateComponent;
    static void describe(TypeBuilder<GameStateComponent>& t);
    GameState& game_state() const;
    virtual void match_started() {}

protected:
    virtual ~GameStateComponent() = default;
};

class PlayerStateComponent : public Component {
public:
    using Described = PlayerStateComponent;
    static void describe(TypeBuilder<PlayerStateComponent>& t);
    PlayerState& player_state() const;
    virtual void reset() {}
    virtual void copy_properties(PlayerState&) {}  // to one that takes over

protected:
    virtual ~PlayerStateComponent() = default;
};

}  // namespace lyre::gameplay
