#include "lyre/gameplay/gameplay.h"

#include "lyre/framework/component_manager.h"
#include "lyre/gameplay/controller.h"
#include "lyre/gameplay/game_mode.h"
#include "lyre/gameplay/game_state.h"
#include "lyre/gameplay/hero.h"
#include "lyre/gameplay/hud.h"
#include "lyre/gameplay/input.h"
#include "lyre/gameplay/looks.h"
#include "lyre/gameplay/pawn.h"
#include "lyre/gameplay/pawn_extension.h"
#include "lyre/gameplay/phases.h"
#include "lyre/gameplay/player_state.h"
#include "lyre/gameplay/teams.h"
#include "lyre/world/world.h"

namespace lyre::gameplay {

const Name kSpawned("Spawned"), kDataAvailable("DataAvailable"), kDataInitialized("DataInitialized"),
    kGameplayReady("GameplayReady");

Gameplay* Gameplay::of(const World& world) {
    return world.game() != nullptr ? world.game()->subsystems().find<Gameplay>() : nullptr;
}

Gameplay& Gameplay::of(GameInstance& game) {
    auto* gameplay = game.subsystems().find<Gameplay>();
    LYRE_ASSERT(gameplay != nullptr, "add_gameplay(runtime, types) comes before the game");
    return *gameplay;
}

void Gameplay::initialize() {
    auto* manager = game().subsystems().find<framework::ComponentManager>();
    LYRE_ASSERT(manager != nullptr, "add_framework(runtime) comes before add_gameplay");
    for (Name state : {kSpawned, kDataAvailable, kDataInitialized, kGameplayReady}) manager->register_init_state(state);
}

void Gameplay::connect(const GameplaySetup& setup) {
    assets_ = &setup.assets;
    experiences_ = &setup.experiences;
    default_pawn_ = setup.default_pawn;
    if (!default_pawn_.is_none() && !experience::feature_of(assets_->registry(), default_pawn_))
        default_data_ = assets_->load_assets({&default_pawn_, 1});
}

experience::Host* Gameplay::host(const World& world) const {
    return experiences_ != nullptr ? experiences_->find_host(world) : nullptr;
}

const PawnData* Gameplay::find_pawn_data(assets::PrimaryAssetId id) const {
    return assets_ != nullptr && !id.is_none() ? assets_->find<PawnData>(id) : nullptr;
}

assets::LoadHandle Gameplay::hold_pawn_data(const World& world, assets::PrimaryAssetId id) const {
    if (assets_ == nullptr || id.is_none()) return {};
    const OwnerScope as(world.owner());  // it goes with it, whoever's code has brought this about
    return assets_->load_assets({&id, 1}, lyre::Priority::High);
}

std::vector<assets::PrimaryAssetId> Gameplay::pawn_data_needed(
    const World& world, const experience::ExperienceDefinition& experience) const {
    std::vector<assets::PrimaryAssetId> needed;
    if (experience.pawn.is_none() && !default_pawn_.is_none()) needed.push_back(default_pawn_);
    if (const GameState* state = Match::state(world))
        for (const PlayerState* player : state->players())
            if (player->has_own_pawn_data()) needed.push_back(player->pawn_data());
    return needed;
}

assets::PrimaryAssetId Gameplay::pawn_data_for(const World& world, const PlayerState* player) const {
    if (player != nullptr && !player->pawn_data().is_none()) return player->pawn_data();
    const experience::Host* host = this->host(world);
    if (host == nullptr || !host->is_experience_loaded()) return {};
    const auto current = host->current_experience();
    if (current && !(*current)->pawn.is_none()) return (*current)->pawn;
    return default_pawn_;
}

GameState* Match::state(const World& world) {
    const Match* match = world.subsystem<Match>();
    return match != nullptr ? world.find<GameState>(match->state_) : nullptr;
}

GameMode* Match::mode(const World& world) {
    const Match* match = world.subsystem<Match>();
    return match != nullptr ? world.find<GameMode>(match->mode_) : nullptr;
}

Status add_gameplay(Runtime& runtime, assets::ContentTypes& types) {
    Status status = runtime.types()
                        .add_all<Gameplay, Match, ModularActor, PawnComponent, ControllerComponent, GameStateComponent,
                                 PlayerStateComponent, Pawn, Controller, AIController, PlayerController, HUD,
                                 PlayerState, InputComponent, PawnExtensionComponent, HeroComponent, Marker, Label,
                                 LocalLabel, Prop, PlayerSpawning, GamePhases, StartGamePhase, Team, TeamCreation,
                                 BotCreation, GameState, GameMode>();
    if (!status) return status;
    register_variables(runtime);
    return add_content_types(types);
}

Status add_content_types(assets::ContentTypes& types) {
    return types.add<PawnData>(kPawnDataType);
}

}  // namespace lyre::gameplay
