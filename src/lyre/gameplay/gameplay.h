// gameplay/gameplay.h: the room's doors: its types, and what the actors of a game find through their world.
//
//     add_gameplay(runtime, assets.types());                     // once, after add_framework and add_experience
//     Gameplay::of(game).connect({assets, experiences});         // once per game, before its world
//
// A game instance has one Gameplay. It registers the init states Spawned, DataAvailable, DataInitialized and
// GameplayReady in this order; a game may register others between them. A world has one Match: its GameState, and on
// the server its GameMode. Frame's thread.
#pragma once

#include "lyre/assets/assets.h"
#include "lyre/experience/experiences.h"
#include "lyre/gameplay/bots.h"
#include "lyre/gameplay/pawn_data.h"
#include "lyre/world/subsystem.h"

namespace lyre::gameplay {

class GameMode;
class GameState;
class PlayerState;

extern const Name kSpawned, kDataAvailable, kDataInitialized, kGameplayReady;

struct GameplaySetup {
    assets::Assets& assets;
    experience::Experiences& experiences;
    assets::PrimaryAssetId default_pawn{};  // of the project; none: there is none
};

class Gameplay final : public GameSubsystem {
public:
    static void describe(TypeBuilder<Gameplay>& t) { t.help("what the actors of a game find through their world"); }
    static Gameplay* of(const World& world);  // null in a world without a game
    static Gameplay& of(GameInstance& game);
    void initialize();
    void connect(const GameplaySetup& setup);

    experience::Host* host(const World& world) const;                 // null: not connected, or no GameState yet
    const PawnData* find_pawn_data(assets::PrimaryAssetId id) const;  // null: not loaded
    // Loads it, and keeps it as long as the handle.
    assets::LoadHandle hold_pawn_data(const World& world, assets::PrimaryAssetId id) const;
    // That of this world's players which is to be there when an experience is Loaded: their own, and the project's if
    // the experience names none. Its Host holds it like the experience's own. On a client nobody is started by it, and
    // what is a player's own is not known to be: each pawn there holds what it names.
    std::vector<assets::PrimaryAssetId> pawn_data_needed(const World& world,
                                                         const experience::ExperienceDefinition& experience) const;
    // For whoever has this PlayerState: its own, the Loaded experience's, the project's once Loaded; none.
    assets::PrimaryAssetId pawn_data_for(const World& world, const PlayerState* player) const;

private:
    assets::Assets* assets_ = nullptr;
    experience::Experiences* experiences_ = nullptr;
    assets::PrimaryAssetId default_pawn_{};
    assets::LoadHandle default_data_;  // of the project's content: it stays when experiences go
};

class Match final : public WorldSubsystem {
public:
    static void describe(TypeBuilder<Match>& t) { t.help("a world's GameState and GameMode"); }
    static GameState* state(const World& world);  // null: there is none yet
    static GameMode* mode(const World& world);    // null also where the server is elsewhere
    BotCounts bots{};

private:
    friend class GameMode;
    friend class GameState;
    ActorId state_, mode_;
};

// Types and types of content of this room.
Status add_gameplay(Runtime& runtime, assets::ContentTypes& types);
Status add_content_types(assets::ContentTypes& types);  // of it these alone

}  // namespace lyre::gameplay
