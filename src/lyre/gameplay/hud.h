// gameplay/hud.h: what a person at this machine sees of the game beside the world, as far as the game knows of it.
//
//     controller.receive_player(&person);      // a person sits here: the controller's HUD is made, of its hud class
//     controller.hud()->controller();
//
// One per PlayerController whose player sits at this machine, and there only: made when the controller has received
// its LocalPlayer, after GameActorReady and received_player; gone with the LocalPlayer or the controller, whichever
// goes first. Nothing of it is described for the network. Which class it is says the controller (`hud`), since a client
// has the server's controller but no GameMode; the value travels to the controller's owner, and another one replaces
// the HUD. None: there is no HUD. A class that is none, or cannot be made, is reported and the player plays without.
//
// It draws nothing: features put components on it (it is a receiver like the other bases), front ends read these.
// Frame's thread.
#pragma once

#include "lyre/gameplay/modular.h"

namespace lyre::gameplay {

class PlayerController;

class HUD : public ModularActor {
public:
    using Described = HUD;
    static void describe(TypeBuilder<HUD>& t);
    PlayerController* controller() const;  // from before it is a receiver; null: it has gone, and the HUD goes too

private:
    friend class PlayerController;
    ActorId controller_;
};

}  // namespace lyre::gameplay
