#include "lyre/gameplay/player_state.h"

#include <utility>

#include "lyre/experience/host.h"
#include "lyre/framework/component_manager.h"
#include "lyre/gameplay/components.h"
#include "lyre/gameplay/controller.h"
#include "lyre/gameplay/detail/bounded_sum.h"
#include "lyre/gameplay/detail/each_part.h"
#include "lyre/gameplay/detail/refused_pawn_data.h"
#include "lyre/gameplay/detail/servers_alone.h"
#include "lyre/gameplay/detail/shown_text.h"
#include "lyre/gameplay/game_mode.h"
#include "lyre/gameplay/game_state.h"
#include "lyre/gameplay/gameplay.h"
#include "lyre/gameplay/pawn.h"
#include "lyre/gameplay/pawn_extension.h"
#include "lyre/world/class_info.h"

namespace lyre::gameplay {

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
    t.property("pawn", &PlayerState::pawn_).replicated().help("that its player steers");
}

void PlayerState::initialized() {
    if (!has_authority()) return Pawn::has_come(*this);
    const Gameplay* gameplay = Gameplay::of(world());
    experience::Host* host = gameplay != nullptr ? gameplay->host(world()) : nullptr;
    if (host == nullptr) return;
    loaded_ = host->call_or_register_on_experience_loaded(
        experience::Priority::Normal, *this, [this](const auto&) { take_pawn_data(); }, experience::Repeat::EachLoad);
    if (!loaded_.status())  // the Host is full
        world().runtime().log().report(LogLevel::Error, Name("gameplay.not_waiting"), fmt::format("{}", id()),
                                       fmt::format("it will not hear of experiences: {}", loaded_.status().text()));
}

void PlayerState::end_play(EndReason reason) {
    loaded_ = {};
    data_ = {};
    if (reason != EndReason::WorldEnded && has_authority()) {
        if (GameMode* mode = Match::mode(world())) mode->forget_kept(id());
        if (GameState* state = Match::state(world())) state->remove_player(*this);
    }
    if (Pawn* left = reason != EndReason::WorldEnded ? pawn() : nullptr) left->signal(kPlayerStateSignal);
    ModularActor::end_play(reason);
}

void PlayerState::set_player_name(std::string_view name) {
    if (detail::may_write(*this, "its name")) player_name_ = detail::shown_text(name, kMaxName);
}

void PlayerState::set_team(std::int32_t team) {
    if (detail::may_write(*this, "its team")) team_ = team;
}

void PlayerState::set_bot(bool is_bot) {
    if (detail::may_write(*this, "whether it is a bot")) is_bot_ = is_bot;
}

void PlayerState::set_spectator(bool is) {
    if (detail::may_write(*this, "whether it only watches")) is_spectator_ = is;
}

void PlayerState::set_inactive(bool is) {
    if (detail::may_write(*this, "whether its player has left")) is_inactive_ = is;
}

void PlayerState::add_score(std::int64_t points) {
    if (detail::may_write(*this, "its score")) score_ = detail::bounded_sum(score_, points);
}

Status PlayerState::set_pawn_data(assets::PrimaryAssetId data) {
    const auto refused = [&](Status why) { return detail::refused_pawn_data(*this, std::move(why)); };
    if (!has_authority()) return refused(Status::refused("only the server says what a player is made of"));
    if (data.is_none()) return refused(Status::invalid("no PawnData is named"));
    if (has_own_data_) return refused(Status::refused("{} has {} already", player_name(), pawn_data_.get()));
    name_own(data);
    return Status::ok();
}

// Before the experience is Loaded nothing is granted or loaded: it may bring what is named.
void PlayerState::name_own(assets::PrimaryAssetId data) {
    const Gameplay* gameplay = Gameplay::of(world());
    const experience::Host* host = gameplay != nullptr ? gameplay->host(world()) : nullptr;
    has_own_data_ = true;
    pawn_data_ = data;
    if (host == nullptr || host->is_experience_loaded()) take_own();
}

void PlayerState::take_own() {
    if (!std::exchange(has_taken_own_, true)) take(pawn_data_);
}

// The experience's, or the project's. A switch gives the new one's, if it is another.
void PlayerState::take_pawn_data() {
    if (has_own_data_) return take_own();
    const assets::PrimaryAssetId data = Gameplay::of(world())->pawn_data_for(world(), nullptr);
    if (data != pawn_data_.get()) take(data);
}

void PlayerState::take(assets::PrimaryAssetId data) {
    const World::CallScope scope(world());
    pawn_data_ = data;
    framework::send_extension_event(*this, framework::events::kAbilitiesReady);
    world().mark_urgent(id());
    if (!is_doomed() && pawn_data_.get() == data) hold_pawn_data();
}

// Its player may have been waiting for it. What is not its own is the Host's, if it is there at all; else it is asked
// for here, to know why not.
void PlayerState::hold_pawn_data() {
    const Gameplay* gameplay = Gameplay::of(world());
    data_ = {};
    if (gameplay == nullptr) return;
    if (has_own_data_ || gameplay->find_pawn_data(pawn_data_) == nullptr)
        data_ = gameplay->hold_pawn_data(world(), pawn_data_);
    if (data_.is_over()) return inform_pawn();
    data_.on_over([this](assets::LoadState how) {
        if (how == assets::LoadState::Cancelled) return;
        GameMode* mode = Match::mode(world());
        auto* controller = world().find<Controller>(controller_);
        if (pawn() == nullptr && mode != nullptr && controller != nullptr)
            mode->restart(*controller);
        else
            inform_pawn();
    });
}

Pawn* PlayerState::pawn() const {
    return world().find<Pawn>(pawn_);
}

// A pawn of the class that the data names goes on with it; another one is replaced.
void PlayerState::inform_pawn() {
    GameMode* mode = Match::mode(world());
    const Gameplay* gameplay = Gameplay::of(world());
    auto* controller = world().find<Controller>(controller_);
    const Pawn* pawn = this->pawn();
    if (pawn == nullptr || controller == nullptr || gameplay == nullptr) return;
    const PawnData* data = gameplay->find_pawn_data(pawn_data_);
    auto* extension = pawn->find<PawnExtensionComponent>();
    if (data != nullptr && extension != nullptr && pawn->type().name == data->class_name)
        extension->change_pawn_data(pawn_data_);
    else if (mode != nullptr)
        mode->restart(*controller);
}

void PlayerState::reset() {
    if (!detail::may_write(*this, "its score")) return;
    score_ = 0;
    detail::each_part<PlayerStateComponent>(*this, "reset", [](PlayerStateComponent& part) { part.reset(); });
}

void PlayerState::copy_properties(PlayerState& to) {
    const World::CallScope scope(world());
    to.player_name_ = player_name_;
    to.team_ = team_;
    to.score_ = score_;
    if (has_own_data_) to.name_own(pawn_data_);
    detail::each_part<PlayerStateComponent>(*this, "copy_properties", [&](PlayerStateComponent& part) {
        if (!to.is_doomed()) part.copy_properties(to);
    });
}

}  // namespace lyre::gameplay
