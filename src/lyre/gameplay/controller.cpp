#include "lyre/gameplay/controller.h"

#include "lyre/framework/component_manager.h"
#include "lyre/gameplay/components.h"
#include "lyre/gameplay/detail/each_part.h"
#include "lyre/gameplay/input.h"
#include "lyre/gameplay/pawn.h"
#include "lyre/gameplay/player_state.h"
#include "lyre/world/class_info.h"

namespace lyre::gameplay {

void Controller::describe(TypeBuilder<Controller>& t) {
    t.help("who steers a pawn");
    t.parent<ModularActor>();
    t.abstract();
    t.property("pawn", &Controller::pawn_).replicated(Condition::OwnerOnly).notify(&Controller::replicated);
    t.property("player_state", &Controller::player_state_)
        .replicated(Condition::OwnerOnly)
        .notify(&Controller::replicated);
}

void AIController::describe(TypeBuilder<AIController>& t) {
    t.help("steers for a bot");
    t.parent<Controller>();
}

void PlayerController::describe(TypeBuilder<PlayerController>& t) {
    t.help("steers for a person");
    t.parent<Controller>();
}

void Controller::end_play(EndReason reason) {
    unpossess();
    ModularActor::end_play(reason);
}

Status Controller::possess(Pawn& pawn) {
    if (!has_authority()) return Status::refused("only the server says who steers what");
    if (is_doomed() || pawn.is_doomed()) return Status::refused("{} or {} is on its way out", id(), pawn.id());
    if (this->pawn() == &pawn) return Status::ok();
    const World::CallScope scope(world());
    unpossess();
    if (Controller* before = pawn.controller()) before->unpossess();
    if (is_doomed() || pawn.is_doomed() || pawn.controller() != nullptr || this->pawn() != nullptr)
        return Status::refused("{} or {} was given away meanwhile", id(), pawn.id());
    pawn_ = pawn.id();
    pawn.set_player_state(player_state_);
    pawn.set_controller(id());
    detail::each_part<PawnComponent>(pawn, [&](PawnComponent& part) {
        if (pawn.controller() == this) part.possessed(*this);
    });
    detail::each_part<ControllerComponent>(*this, [&](ControllerComponent& part) {
        if (this->pawn() == &pawn) part.pawn_changed(nullptr, &pawn);
    });
    return Status::ok();
}

void Controller::unpossess() {
    if (Pawn* held = pawn()) leave(*held);
}

// Also one on its way out, whose components have ended.
void Controller::leave(Pawn& pawn) {
    if (pawn_.get() != pawn.id()) return;
    const World::CallScope scope(world());
    pawn_ = ActorId();
    detail::each_part<PawnComponent>(pawn, [&](PawnComponent& part) { part.unpossessed(*this); });
    if (pawn.controller() == this) pawn.set_controller({});
    if (pawn.controller() == nullptr) pawn.set_player_state({});
    detail::each_part<ControllerComponent>(*this,
                                           [&](ControllerComponent& part) { part.pawn_changed(&pawn, nullptr); });
}

Pawn* Controller::pawn() const {
    return world().find<Pawn>(pawn_);
}

PlayerState* Controller::player_state() const {
    return world().find<PlayerState>(player_state_);
}

void Controller::set_player_state(ActorId id) {
    if (!player_state_.set(id)) return;
    if (PlayerState* player = player_state()) player->controller_ = this->id();
    if (Pawn* held = pawn()) held->set_player_state(id);
}

bool Controller::is_player() const {
    return is_a<PlayerController>();
}

bool Controller::is_local() const {
    const auto* players = as<PlayerController>();
    return players != nullptr ? players->local_player() != nullptr : has_authority();
}

// Values of the server have come: what the pawn's parts ask of its controller may be otherwise now.
void Controller::replicated() {
    if (Pawn* held = pawn()) held->signal(kControllerSignal);
}

void PlayerController::tick(float dt) {
    if (local_player_ == nullptr) return;
    detail::each_part<ControllerComponent>(*this, [&](ControllerComponent& part) { part.player_tick(dt); });
}

void PlayerController::end_play(EndReason reason) {
    if (local_player_ != nullptr) local_player_->let_go(*this);
    Controller::end_play(reason);
}

Status PlayerController::receive_player(LocalPlayer* player) {
    if (has_player_) return Status::refused("{} has a player already", id());
    if (is_doomed()) return Status::refused("{} is on its way out", id());
    if (player != nullptr) {
        if (Status status = player->take(*this); !status) return status;
    }
    has_player_ = true;
    local_player_ = player;
    const World::CallScope scope(world());
    framework::send_extension_event(*this, framework::events::kGameActorReady);
    detail::each_part<ControllerComponent>(*this, [](ControllerComponent& part) { part.received_player(); });
    if (Pawn* held = pawn()) held->signal(kInputSignal);
    return Status::ok();
}

}  // namespace lyre::gameplay
