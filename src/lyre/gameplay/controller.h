// gameplay/controller.h: who steers: a person (PlayerController) or a bot (AIController). It outlives its pawns.
//
//     controller.possess(pawn)     the server's: leaves the pawn it has, takes the new one from whoever had it
//
//     order of a possession:  old pawn's components unpossessed -> the controller's components pawn_changed to none
//                             -> new pawn's components possessed -> the controller's components pawn_changed
//
// These hooks are told on every machine that knows both, where values of a network come one by one, when the last of
// them is there; inputs that the old pawn has heard pressed are released before. In them both sides are as they will
// be. Whatever they do, also possess something else, the outcome is that of the last call; each component hears that it
// was left by the one before it hears of the next, and each pawn_changed begins where its last one has ended. A
// controller that ends leaves its pawn; one that is in the match is logged out with that (game_mode.h).
//
// The hero of a pawn (hero.h) takes the input and the camera of its controller. The hero of the next pawn may come
// before the last one hears that it has lost them: the controller is lent to the newest, and only that one gives back.
//
// A PlayerController that has got its player (a LocalPlayer on this machine, a connection on a server) sends
// GameActorReady then, instead of in begin_play, and tells its components received_player; if the player sits here it
// has a HUD from then on (hud.h). Frame's thread.
#pragma once

#include "lyre/gameplay/modular.h"
#include "lyre/world/property.h"

namespace lyre::gameplay {

class HUD;
class LocalPlayer;
class Pawn;
class PlayerState;

class Controller : public ModularActor {
public:
    using Described = Controller;
    static void describe(TypeBuilder<Controller>& t);
    void initialized();
    void end_play(EndReason reason);

    Status possess(Pawn& pawn);  // refused: not the server; one of both goes, or the pawn is still being made
    void unpossess();
    Pawn* pawn() const;  // null: none, or the pawn does not know of it here yet (pawn.h)
    PlayerState* player_state() const;
    void set_player_state(ActorId id);  // the server's; its pawn has the same

    bool is_player() const;  // steered by a person, here or elsewhere
    bool is_local() const;   // decided on this machine: bots on the server, players where they sit
    Name camera_mode() const { return camera_mode_; }
    void set_camera_mode(Name mode) { camera_mode_ = mode; }
    ActorId lent_to() const { return lent_to_; }  // the pawn whose hero has its input and camera
    void lend_to(ActorId pawn) { lent_to_ = pawn; }

private:
    friend class ControllerComponent;
    friend class Pawn;
    void leave(Pawn& pawn);
    void follow(Pawn* ending = nullptr);
    void release_held(ActorId pawn);
    void pawn_replicated(const ActorId& old);
    void player_state_replicated();

    Property<ActorId> pawn_;
    Property<ActorId> player_state_;
    Name camera_mode_{};
    ActorId lent_to_;
    ActorId steered_;  // whose components may have heard that it possesses them
};

class AIController : public Controller {
public:
    using Described = AIController;
    static void describe(TypeBuilder<AIController>& t);
};

class PlayerController : public Controller {
public:
    using Described = PlayerController;
    static void describe(TypeBuilder<PlayerController>& t);
    void begin_play() {}  // ready when it has its player
    void tick(float dt);
    void end_play(EndReason reason);

    // Once: `player` sits at this machine; null: at another one, whose messages come here.
    Status receive_player(LocalPlayer* player);
    // Its LocalPlayer is free for another controller, its HUD goes. It does not receive a second one.
    void release_player();
    LocalPlayer* local_player() const { return local_player_; }
    bool has_player() const { return has_player_; }

    HUD* hud() const;                     // null: the player does not sit here, or there is none
    void set_hud_class(Name class_name);  // the server's; none: no HUD

private:
    friend class ControllerComponent;
    friend class LocalPlayer;
    void tell_player();
    void refresh_hud();
    bool make_hud(Name class_name);
    Property<Name> hud_class_ = Name("HUD");
    ActorId hud_;
    bool is_making_hud_ = false;
    LocalPlayer* local_player_ = nullptr;
    bool has_player_ = false;
};

}  // namespace lyre::gameplay
