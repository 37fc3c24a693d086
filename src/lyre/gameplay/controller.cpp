#include "lyre/gameplay/controller.h"

#include "lyre/framework/component_manager.h"
#include "lyre/gameplay/components.h"
#include "lyre/gameplay/detail/each_part.h"
#include "lyre/gameplay/detail/servers_alone.h"
#include "lyre/gameplay/game_mode.h"
#include "lyre/gameplay/gameplay.h"
#include "lyre/gameplay/hud.h"
#include "lyre/gameplay/input.h"
#include "lyre/gameplay/pawn.h"
#include "lyre/gameplay/player_state.h"
#include "lyre/world/class_info.h"

namespace lyre::gameplay {

void Controller::describe(TypeBuilder<Controller>& t) {
    t.help("who steers a pawn");
    t.parent<ModularActor>();
    t.abstract();
    t.property("pawn", &Controller::pawn_).replicated(Condition::OwnerOnly).notify(&Controller::pawn_replicated);
    t.property("player_state", &Controller::player_state_)
        .replicated(Condition::OwnerOnly)
        .notify(&Controller::player_state_replicated);
}

void AIController::describe(TypeBuilder<AIController>& t) {
    t.help("steers for a bot");
    t.parent<Controller>();
}

void PlayerController::describe(TypeBuilder<PlayerController>& t) {
    t.help("steers for a person");
    t.parent<Controller>();
    t.property("hud", &PlayerController::hud_class_)
        .class_of("HUD")
        .or_none()
        .replicated(Condition::OwnerOnly)
        .notify(&PlayerController::refresh_hud)
        .help("class of the HUD where the person sits; none: there is none");
}

void Controller::initialized() {
    const World::CallScope scope(world());
    Pawn::has_come(*this);
    follow();
}

void Controller::end_play(EndReason reason) {
    GameMode* mode = reason != EndReason::WorldEnded && has_authority() ? Match::mode(world()) : nullptr;
    // Also one whose PlayerState has gone before it.
    if (mode != nullptr && !player_state_.get().is_none()) mode->logout(*this);
    unpossess();
    follow();  // where the values of one side have come, and nobody has heard of them yet
    ModularActor::end_play(reason);
}

Status Controller::possess(Pawn& pawn) {
    if (!has_authority()) return Status::refused("only the server says who steers what");
    if (is_doomed() || pawn.is_doomed()) return Status::refused("{} or {} is on its way out", id(), pawn.id());
    if (pawn.life() == LifeState::Constructed) return Status::refused("{} is still being made", pawn.id());
    if (this->pawn() == &pawn) return Status::ok();
    if (world().is_too_deep()) return Status::capacity("possessions inside possessions have no end");
    const World::CallScope scope(world());
    unpossess();
    if (pawn.held_by_ != nullptr) pawn.held_by_->unpossess();
    if (is_doomed() || pawn.is_doomed() || pawn.held_by_ != nullptr || this->pawn() != nullptr)
        return Status::refused("{} or {} was given away meanwhile", id(), pawn.id());
    pawn_ = pawn.id();
    pawn.held_by_ = this;
    pawn.tell(pawn.belong_to(id(), player_state_));
    follow();
    return Status::ok();
}

void Controller::unpossess() {
    if (Pawn* held = pawn()) leave(*held);
}

// Also one on its way out, whose components have ended.
void Controller::leave(Pawn& pawn) {
    if (pawn_.get() != pawn.id()) return;
    const World::CallScope scope(world());
    if (has_authority()) {
        pawn_ = ActorId();
        pawn.held_by_ = nullptr;
        const Pawn::Change change = pawn.belong_to({}, {});
        release_held(pawn.id());
        pawn.tell(change);
    } else {  // the server's values stand as they came
        release_held(pawn.id());
        pawn.signal(kControllerSignal);
    }
    follow(&pawn);
}

void Controller::release_held(ActorId pawn) {
    auto* person = as<PlayerController>();
    if (person != nullptr && person->local_player() != nullptr) person->local_player()->release_held(pawn);
}

// Tells whom it concerns which pawn it has now, whoever changed that. What is told may change it again: then each part
// is told the rest by the innermost call. `ending`: a pawn that is not found any more.
void Controller::follow(Pawn* ending) {
    const World::CallScope scope(world());
    const auto now = [&] { return is_doomed() ? nullptr : pawn(); };
    const auto id_of = [](const Pawn* pawn) { return pawn != nullptr ? pawn->id() : ActorId(); };
    const auto find = [&](ActorId id) {
        return ending != nullptr && ending->id() == id ? ending : world().find<Pawn>(id);
    };
    if (steered_ != id_of(now())) release_held(steered_);
    if (const ActorId before = std::exchange(steered_, id_of(now())); before != steered_)
        if (Pawn* left = find(before)) left->tell_parts();
    if (Pawn* pawn = now()) pawn->tell_parts();
    detail::each_part<ControllerComponent>(*this, "pawn_changed", [&](ControllerComponent& part) {
        Pawn* pawn = now();
        if (part.told_pawn_ == id_of(pawn)) return;
        Pawn* last = find(std::exchange(part.told_pawn_, id_of(pawn)));
        part.pawn_changed(last, pawn);
    });
}

Pawn* Controller::pawn() const {
    auto* held = world().find<Pawn>(pawn_);
    return held != nullptr && held->controller_.get() == id() ? held : nullptr;
}

PlayerState* Controller::player_state() const {
    return world().find<PlayerState>(player_state_);
}

void Controller::set_player_state(ActorId id) {
    if (!detail::may_write(*this, "its PlayerState")) return;
    if (PlayerState* before = player_state(); before != nullptr && before->controller_ == this->id())
        before->controller_ = {};
    const bool is_another = player_state_.set(id);
    if (PlayerState* player = player_state()) player->controller_ = this->id();
    if (!is_another) return;
    if (Pawn* held = pawn()) held->tell(held->belong_to(this->id(), id));
}

bool Controller::is_player() const {
    return is_a<PlayerController>();
}

bool Controller::is_local() const {
    const auto* players = as<PlayerController>();
    return players != nullptr ? players->local_player() != nullptr : has_authority();
}

// Values of the server have come: what a pawn's parts ask of its controller may be otherwise now. The one that was left
// lets go before the next takes.
void Controller::pawn_replicated(const ActorId& old) {
    const World::CallScope scope(world());
    for (ActorId id : {old, pawn_.get()})
        if (auto* named = world().find<Pawn>(id)) named->signal(kControllerSignal);
    follow();
}

void Controller::player_state_replicated() {
    if (Pawn* held = pawn()) held->signal(kControllerSignal);
}

void PlayerController::tick(float dt) {
    if (local_player_ == nullptr) return;
    detail::each_part<ControllerComponent>(*this, "player_tick",
                                           [&](ControllerComponent& part) { part.player_tick(dt); });
}

void PlayerController::end_play(EndReason reason) {
    release_player();
    Controller::end_play(reason);
}

void PlayerController::release_player() {
    if (local_player_ != nullptr) local_player_->let_go(*this);
    refresh_hud();
}

HUD* PlayerController::hud() const {
    return world().find<HUD>(hud_);
}

void PlayerController::set_hud_class(Name class_name) {
    if (hud_class_.set(class_name)) refresh_hud();
}

// The HUD is that of the class now wanted, or goes. One that comes up may do anything, also change what is wanted: then
// it is judged again, and who never comes to an end does without.
void PlayerController::refresh_hud() {
    if (is_making_hud_) return;
    const World::CallScope scope(world());
    for (int made = 0;; ++made) {
        const bool is_here = has_player_ && local_player_ != nullptr && !is_doomed() && !world().has_ended();
        const Name wanted = is_here && made < 8 ? hud_class_.get() : Name();
        const HUD* has = hud();
        if ((has != nullptr ? has->type().name : Name()) == wanted) return;
        if (has != nullptr) world().destroy(hud_);
        is_making_hud_ = true;
        const bool is_made = wanted && make_hud(wanted);
        is_making_hud_ = false;
        if (!is_made) return;
    }
}

bool PlayerController::make_hud(Name class_name) {
    const auto told = [&](std::string_view why) {
        world().runtime().log().report(LogLevel::Error, Name("gameplay.no_hud"), fmt::format("{}", id()),
                                       fmt::format("no HUD of class {}: {}", class_name, why));
        return false;
    };
    const Type* type = world().runtime().types().find(class_name);
    if (type == nullptr) return told("there is no such class");
    if (!type->is_a(*world().runtime().types().find<HUD>())) return told("it is no HUD");
    auto made = world().spawn_deferred(*type);
    if (!made) return told(made.status().text());
    static_cast<HUD&>(made->actor()).controller_ = id();
    hud_ = made->actor().id();  // so that it is found while it comes up
    const auto hud = made->finish();
    if (!hud) return told(hud.status().text());
    return this->hud() != nullptr;  // it may have ended itself
}

void PlayerController::tell_player() {
    if (!has_player_) return;
    detail::each_part<ControllerComponent>(*this, "received_player", [](ControllerComponent& part) {
        if (!std::exchange(part.told_player_, true)) part.received_player();
    });
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
    ModularActor::begin_play();
    tell_player();
    refresh_hud();
    if (Pawn* held = pawn()) held->signal(kInputSignal);
    return Status::ok();
}

}  // namespace lyre::gameplay
