#include "lyre/gameplay/pawn.h"

#include <utility>
#include <vector>

#include "lyre/framework/component_manager.h"
#include "lyre/gameplay/components.h"
#include "lyre/gameplay/controller.h"
#include "lyre/gameplay/detail/each_part.h"
#include "lyre/gameplay/pawn_extension.h"
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
        .notify(&Pawn::controller_replicated)
        .help("who steers it");
    t.property("player_state", &Pawn::player_state_)
        .replicated()
        .notify(&Pawn::player_state_replicated)
        .help("whose it is");
}

void Pawn::begin_play() {
    ModularActor::begin_play();
    if (Controller* by = controller()) by->follow();
}

void Pawn::end_play(EndReason reason) {
    if (Controller* by = controller()) by->leave(*this);
    ModularActor::end_play(reason);
}

Controller* Pawn::controller() const {
    auto* by = world().find<Controller>(controller_);
    return by != nullptr && by->pawn_.get() == id() ? by : nullptr;
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
    const World::CallScope scope(world());
    if (auto* manager = framework::ComponentManager::of(*this)) manager->signal(*this, name);
    if (auto* extension = find<PawnExtensionComponent>()) extension->check_default_initialization_for_implementers();
}

void Pawn::has_come(const Actor& named) {
    if (named.has_authority()) return;
    World& world = named.world();
    std::vector<Pawn*> its;
    const Type* pawns = world.runtime().types().find<Pawn>();
    if (pawns == nullptr) return;
    world.each_object_of(*pawns, [&](Object& object) {
        auto& pawn = static_cast<Pawn&>(object);
        if (pawn.controller_.get() == named.id() || pawn.player_state_.get() == named.id()) its.push_back(&pawn);
    });
    const World::CallScope scope(world);
    for (Pawn* pawn : its) pawn->signal(pawn->controller_.get() == named.id() ? kControllerSignal : kPlayerStateSignal);
}

void Pawn::controller_replicated(const ActorId& old) {
    const World::CallScope scope(world());
    signal(kControllerSignal);
    for (ActorId id : {old, controller_.get()})
        if (auto* by = world().find<Controller>(id)) by->follow();
}

// The server's: all values are written before anybody hears of one.
Pawn::Change Pawn::belong_to(ActorId controller, ActorId player) {
    PlayerState* before = player_state();
    const Change change{controller_.set(controller), player_state_.set(player)};
    if (change.is_player) {
        if (before != nullptr && before->pawn_.get() == id()) before->pawn_ = ActorId();
        if (PlayerState* now = player_state()) now->pawn_ = id();
    }
    return change;
}

void Pawn::tell(Change change) {
    const World::CallScope scope(world());
    if (change.is_controller) signal(kControllerSignal);
    if (change.is_player) signal(kPlayerStateSignal);
}

// Each of its parts hears that it was left by the last before it hears of the one that is there now, whoever has
// brought that about, and from inside whatever it was done.
void Pawn::tell_parts() {
    if (is_doomed()) return;
    const World::CallScope scope(world());
    detail::each_part<PawnComponent>(*this, "unpossessed", [&](PawnComponent& part) {
        if (part.told_by_ == controller()) return;
        if (Controller* last = std::exchange(part.told_by_, nullptr)) part.unpossessed(*last);
    });
    detail::each_part<PawnComponent>(*this, "possessed", [&](PawnComponent& part) {
        Controller* by = controller();
        if (by == nullptr || part.told_by_ != nullptr) return;
        if (const ActorId last = std::exchange(by->steered_, id()); last && last != id()) {
            by->release_held(last);
            if (auto* left = world().find<Pawn>(last)) left->tell_parts();
            if (controller() != by || part.told_by_ != nullptr || part.is_doomed()) return;
        }
        part.told_by_ = by;
        part.possessed(*by);
    });
}

}  // namespace lyre::gameplay
