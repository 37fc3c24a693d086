// gameplay/components.h: bases for components that belong to one kind of actor: typed owners, and what their owner has
// to tell them, in the order of the owner's components.
//
//     struct Score : PlayerStateComponent {
//         static void describe(TypeBuilder<Score>& t) { t.property("points", &Score::points_); }
//         void reset() override { points_ = 0; }
//
// Each component hears of each possession, of each player and of each start of the match once, however late it comes:
// one that a feature puts on an actor later, as in the middle of a match, hears in its begin_play what still holds. A
// class with a begin_play of its own therefore calls its parent's, best last, since hooks are told in it:
//
//     void begin_play() {
//         ...
//         PawnComponent::begin_play();
//     }
//
// What has arrived on a client with its actor is told before that. A hook may do anything, also remove its component or
// destroy its actor. On another kind of actor such a component is refused, whoever asks for it (world/class_info.h,
// belongs_to). Frame's thread.
#pragma once

#include <optional>

#include "lyre/assets/asset_id.h"
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
    void begin_play();
    Pawn& pawn() const;
    virtual void possessed(Controller&) {}
    virtual void unpossessed(Controller&) {}

protected:
    virtual ~PawnComponent() = default;

private:
    friend class Pawn;
    Controller* told_by_ = nullptr;  // whom it was told of; in memory: a controller that ends has all told of it
};

class ControllerComponent : public Component {
public:
    using Described = ControllerComponent;
    static void describe(TypeBuilder<ControllerComponent>& t);
    void begin_play();
    Controller& controller() const;
    virtual void received_player() {}
    virtual void player_tick(float) {}          // of a player at this machine, before the controller's own tick
    virtual void pawn_changed(Pawn*, Pawn*) {}  // old, new

protected:
    virtual ~ControllerComponent() = default;

private:
    friend class Controller;
    friend class PlayerController;
    ActorId told_pawn_;  // that it was told of
    bool told_player_ = false;
};

class GameStateComponent : public Component {
public:
    using Described = GameStateComponent;
    static void describe(TypeBuilder<GameStateComponent>& t);
    void begin_play();
    GameState& game_state() const;
    virtual void match_started() {}

protected:
    virtual ~GameStateComponent() = default;

private:
    friend class GameState;
    std::optional<assets::PrimaryAssetId> told_match_;  // of which experience it was told
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
