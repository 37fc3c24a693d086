#include "lyre/gameplay/player_state.h"

#include "lyre/experience/host.h"
#include "lyre/framework/component_manager.h"
#include "lyre/gameplay/components.h"
#include "lyre/gameplay/controller.h"
#include "lyre/gameplay/detail/each_part.h"
#include "lyre/gameplay/game_mode.h"
#include "lyre/gameplay/gameplay.h"
#include "lyre/gameplay/pawn.h"
#include "lyre/gameplay/pawn_extension.h"
#include "lyre/world/class_info.h"

namespace lyre::gameplay {

const Name kPawnDataRefused("gameplay.pawn_data_refused");

void PlayerState::describe(TypeBuilder<PlayerState>& t) {
    t.help("what everybody may know of a player");
    t.parent<ModularActor>();
    t.property("name", &PlayerState::player_name_).replicated();
    t.property("team", &PlayerState::team_).replicated().help("-1: none");
    t.property("score", &PlayerState::score_).replicated();
    t.property("is_bot", &PlayerState::is_bot_).replicated();
    t.property("is_spectator", &PlayerState::is_spectator_).replicated();
    t.property("is_inactive", &PlayerState::is_inactive_).replicated();
    t.property("pawn_data", &PlayerState::pawn_data_).replicated();
}

void PlayerState::initialized() {
    if (!has_authority()) return;
    const Gameplay* gameplay = Gameplay::of(world());
    experience::Host* host = gameplay != nullptr ? gameplay->host(world()) : nullptr;
    if (host == nullptr) return;
    loaded_ = host->call_or_register_on_experience_loaded(
        experience::Priority::Normal, *this, [this](const auto&) { take_pawn_data(); }, experience::Repeat::EachLoad);
}

Status PlayerState::set_pawn_data(assets::PrimaryAssetId data) {
    const auto refused = [&](Status status) {
        world().runtime().log().report(LogLevel::Warning, kPawnDataRefused, fmt::format("{}", id()), status.text());
        return status;
    };
    if (!has_authority()) return refused(Status::refused("only the server says what a player is made of"));
    if (data.is_none()) return refused(Status::invalid("no PawnData is named"));
    if (has_own_data_) return refused(Status::refused("{} has {} already", player_name(), pawn_data_.get()));
    has_own_data_ = true;
    give(data);
    return Status::ok();
}

// The experience's, or the project's. A switch gives the new one's, if it is another.
void PlayerState::take_pawn_data() {
    if (has_own_data_) return;
    const assets::PrimaryAssetId data = Gameplay::of(world())->pawn_data_for(world(), nullptr);
    if (data != pawn_data_.get()) give(data);
}

void PlayerState::give(assets::PrimaryAssetId data) {
    const World::CallScope scope(world());
    pawn_data_ = data;
    framework::send_extension_event(*this, framework::events::kAbilitiesReady);
    world().mark_urgent(id());
    inform_pawn();
}

// A pawn of the class that the data names goes on with it; another one is replaced.
void PlayerState::inform_pawn() {
    GameMode* mode = Match::mode(world());
    const Gameplay* gameplay = Gameplay::of(world());
    auto* controller = world().find<Controller>(controller_);
    const Pawn* pawn = controller != nullptr ? controller->pawn() : nullptr;
    if (pawn == nullptr || gameplay == nullptr) return;
    const PawnData* data = gameplay->find_pawn_data(pawn_data_);
    auto* extension = pawn->find<PawnExtensionComponent>();
    if (data != nullptr && extension != nullptr && pawn->type().name == data->class_name)
        extension->change_pawn_data(pawn_data_);
    else if (mode != nullptr)
        mode->restart(*controller);
}

void PlayerState::reset() {
    score_ = 0;
    detail::each_part<PlayerStateComponent>(*this, [](PlayerStateComponent& part) { part.reset(); });
}

void PlayerState::copy_properties(PlayerState& to) {
    to.player_name_ = player_name_;
    to.team_ = team_;
    to.score_ = score_;
    to.pawn_data_ = pawn_data_;
    to.has_own_data_ = has_own_data_;
    detail::each_part<PlayerStateComponent>(*this, [&](PlayerStateComponent& part) { part.copy_properties(to); });
}

}  // namespace lyre::gameplay
