#include "lyre/gameplay/components.h"

#include "lyre/gameplay/controller.h"
#include "lyre/gameplay/game_state.h"
#include "lyre/gameplay/pawn.h"
#include "lyre/gameplay/player_state.h"
#include "lyre/world/class_info.h"

namespace lyre::gameplay {
namespace {

template <class T> T& owner_of(const Component& component) {
    return static_cast<T&>(component.actor());  // belongs_to
}

}  // namespace

void PawnComponent::describe(TypeBuilder<PawnComponent>& t) {
    t.help("belongs to a pawn");
    t.parent<Component>();
    t.belongs_to<Pawn>();
    t.abstract();
}
void ControllerComponent::describe(TypeBuilder<ControllerComponent>& t) {
    t.help("belongs to a controller");
    t.parent<Component>();
    t.belongs_to<Controller>();
    t.abstract();
}
void GameStateComponent::describe(TypeBuilder<GameStateComponent>& t) {
    t.help("belongs to the GameState");
    t.parent<Component>();
    t.belongs_to<GameState>();
    t.abstract();
}
void PlayerStateComponent::describe(TypeBuilder<PlayerStateComponent>& t) {
    t.help("belongs to a PlayerState");
    t.parent<Component>();
    t.belongs_to<PlayerState>();
    t.abstract();
}

void PawnComponent::begin_play() {
    pawn().tell_parts();
}
void ControllerComponent::begin_play() {
    if (auto* person = controller().as<PlayerController>()) person->tell_player();
    controller().follow();
}
void GameStateComponent::begin_play() {
    game_state().follow_match();
}

Pawn& PawnComponent::pawn() const {
    return owner_of<Pawn>(*this);
}
Controller& ControllerComponent::controller() const {
    return owner_of<Controller>(*this);
}
GameState& GameStateComponent::game_state() const {
    return owner_of<GameState>(*this);
}
PlayerState& PlayerStateComponent::player_state() const {
    return owner_of<PlayerState>(*this);
}

}  // namespace lyre::gameplay
