#include "lyre/gameplay/pawn.h"

#include <vector>

#include "lyre/framework/component_manager.h"
#include "lyre/gameplay/controller.h"
#include "lyre/gameplay/player_state.h"
#include "lyre/world/class_info.h"
#include "lyre/world/world.h"

namespace lyre::gameplay {

const Name kControllerSignal("Controller"), kPlayerStateSignal("PlayerState"), kPawnDataSignal("PawnData"),
    kInputSignal("Input");

void Pawn::describe(TypeBuilder<Pawn>& t) {
    t.help("what a player or a bot steers");
    t.parent<ModularActor>();
    t.property("controller", &Pawn::controller_)
        .replicated(Condition::OwnerOnly)
        .notify(&Pawn::controller_changed)
        .help("who steers it");
    t.property("player_state", &Pawn::player_state_)
        .replicated()
        .notify(&Pawn::player_state_changed)
        .help("whose it is");
}

void Pawn::end_play(EndReason reason) {
    if (Controller* by = controller()) by->leave(*this);
    ModularActor::end_play(reason);
}

Controller* Pawn::controller() const {
    return world().find<Controller>(controller_);
}

PlayerState* Pawn::player_state() const {
    return world().find<PlayerState>(player_state_);
}

bool Pawn::is_locally_controlled() const {
    const Controller* by = controller();
    return by != nullptr && by->is_local();
}

bool Pawn::is_locally_controlled_by_player() const {
    const Controller* by = controller();
    return by != nullptr && by->is_local() && by->is_player();
}

void Pawn::signal(Name name) {
    if (is_doomed()) return;
    if (auto* manager = framework::ComponentManager::of(*this)) manager->signal(*this, name);
}

void Pawn::has_come(const Actor& named) {
    if (named.has_authority()) return;
    World& world = named.world();
    std::vector<Pawn*> its;
    world.each_object([&](Object& object) {
        auto* pawn = object.as<Pawn>();
        if (pawn != nullptr && (pawn->controller_.get() == named.id() || pawn->player_state_.get() == named.id()))
            its.push_back(pawn);
    });
    const World::CallScope scope(world);
    for (Pawn* pawn : its) pawn->signal(pawn->controller_.get() == named.id() ? kControllerSignal : kPlayerStateSignal);
}

void Pawn::set_controller(ActorId id) {
    if (controller_.set(id)) controller_changed();
}

void Pawn::set_player_state(ActorId id) {
    PlayerState* before = player_state();
    if (!player_state_.set(id)) return;
    if (before != nullptr && before->pawn_.get() == this->id()) before->pawn_ = ActorId();
    if (PlayerState* now = player_state()) now->pawn_ = this->id();
    player_state_changed();
}

}  // namespace lyre::gameplay
