// gameplay/pawn.h: what a player or a bot steers; it comes and goes, while who steers it stays.
//
//     Controller ----possesses----> Pawn         one pawn at a time, one controller at a time
//         |                           |
//         +------> PlayerState <------+          the pawn's is its controller's, also where there is no controller
//
// The server possesses (controller.h) and writes who belongs to whom into described properties. Other machines get
// these values one by one and in any order, also before the actor they name; each arrival, of a value or of who is
// named, is a signal to the pawn's init states, so nothing has to ask. A pawn and a controller have each other when
// both say so: a pawn whose controller has another one by now has none, however late it hears of it itself.
//
// Parts of a pawn that declare needs are moved by signals; those that only have hooks are asked to check on each, if
// there is a PawnExtensionComponent. A pawn that ends gives its controller back. Frame's thread.
#pragma once

#include "lyre/gameplay/modular.h"
#include "lyre/world/property.h"

namespace lyre::gameplay {

class Controller;
class PlayerState;

// Signals to the init states of a pawn (framework/init_states.h): what its parts wait for may have come or gone.
extern const Name kControllerSignal, kPlayerStateSignal, kPawnDataSignal, kInputSignal;

class Pawn : public ModularActor {
public:
    using Described = Pawn;
    static void describe(TypeBuilder<Pawn>& t);
    void begin_play();
    void end_play(EndReason reason);

    Controller* controller() const;                // null: nobody steers it, or that is not known here
    PlayerState* player_state() const;             // null: it has none, or it is not there yet
    bool is_locally_controlled() const;            // by a controller of this machine, a bot's too
    bool is_locally_controlled_by_player() const;  // by a person at this machine
    void signal(Name name);                        // to its init states
    // A controller or a PlayerState has come where it is not made by the rules: pawns that named it before hear of it.
    static void has_come(const Actor& named);

private:
    friend class Controller;
    friend class PawnComponent;
    void controller_replicated(const ActorId& old);
    void player_state_replicated() { signal(kPlayerStateSignal); }
    struct Change {
        bool is_controller = false, is_player = false;
    };
    Change belong_to(ActorId controller, ActorId player);
    void tell(Change change);
    void tell_parts();

    Property<ActorId> controller_;
    Property<ActorId> player_state_;
    Controller* held_by_ = nullptr;  // where the server is; also one on its way out, until it has let go
};

}  // namespace lyre::gameplay
