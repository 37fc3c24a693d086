// gameplay/hero.h: the part of a pawn that belongs to a player: binds input and sets the camera when everything is
// there.
//
//     Spawned --> DataAvailable --> DataInitialized --> GameplayReady
//        ^            |                   |
//        |            |                   the pawn's extension is initialised: input bound, camera set
//        |            a PlayerState; a controller with that PlayerState, unless others merely watch the pawn here;
//        |            a person's controller has its player, and if that sits here the pawn an InputComponent
//        +-- the controller is another one, or there is none: input unbound, camera given back; it climbs again
//
// It is up with one controller, or with none where others merely watch, and comes down whenever that is not the pawn's
// any more, also when the next one is there before anybody hears that the last is gone.
//
// Binding input: all contexts of the player go, those of the PawnData come into force, the PawnData's actions are
// bound, then BindInputsNow is sent to the controller and to the pawn, so that features bind theirs. Once per climb.
// Unbinding takes back what is still its own (controller.h); inputs that are held are released before. One per pawn.
#pragma once

#include <optional>
#include <vector>

#include "lyre/framework/init_state_interface.h"
#include "lyre/framework/init_states.h"
#include "lyre/gameplay/components.h"
#include "lyre/gameplay/input.h"

namespace lyre::gameplay {

extern const Name kHero;  // the name of its init-state feature

class HeroComponent : public PawnComponent, public framework::InitStateFeature<HeroComponent> {
public:
    using Described = HeroComponent;
    static void describe(TypeBuilder<HeroComponent>& t);
    void registered();
    void begin_play();
    void end_play(EndReason reason);

    bool is_ready_to_bind_inputs() const { return is_bound_; }  // features may bind theirs
    // What the PawnData's actions do.
    virtual void input_action(Name, const InputValue&) {}

    Name feature_name() const override { return kHero; }
    Status handle_change_init_state(Name from, Name to) override;
    void handle_exit_init_state(Name from, Name to) override;

private:
    static bool has_right_controller(const Actor& actor);
    void bind_input(PlayerController& controller);
    void unbind_input(PlayerController* its_own);
    void give_back();
    std::vector<InputComponent::BindingId> bindings_;
    std::vector<Name> contexts_;  // that it put into force
    // The controller that it is up with, whose input and camera it has if that decides here; empty: it is not up.
    std::optional<ActorId> with_;
    bool is_bound_ = false;
};

}  // namespace lyre::gameplay
