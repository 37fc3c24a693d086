// gameplay/game_mode.h: the rules of who plays; there is one where the server is, and none elsewhere.
//
//     login ------> PlayerController + PlayerState ----(experience Loaded, play may start)----> restart
//     restart       PawnData -> class -> start -> pawn spawned deferred, its PawnData set, finished, possessed
//     logout        the pawn goes, the PlayerState goes or stays a while as the experience says, the controller goes
//
// Nobody is started before the experience is Loaded and play may start: those who wait are restarted in the Normal
// round, in login order; who comes later, at once. A restart that fails is tried again in the next tick, at most
// lyre.gamemode.MaxRestartRetries times while restart is allowed, then reported with the last reason; without a class
// for the pawn there is nothing to try again. Where a player starts and whether is the PlayerSpawning's of the
// GameState if there is one, else the rule here: the level's points named "start..." in turn.
//
// Which classes it uses are described properties, so that an archetype of content can choose others. Frame's thread.
#pragma once

#include <string>
#include <unordered_map>

#include "lyre/experience/host.h"
#include "lyre/gameplay/modular.h"
#include "lyre/world/property.h"

namespace lyre::gameplay {

class Controller;
class GameState;
class LocalPlayer;
class Pawn;
class PlayerController;
class PlayerState;

struct LoginOptions {
    std::string name = "player";
    LocalPlayer* local = nullptr;  // at this machine; null: elsewhere
    bool is_spectator = false;
    assets::PrimaryAssetId pawn_data{};  // of its own; none: the experience's
};

class GameMode : public ModularActor {
public:
    using Described = GameMode;
    static void describe(TypeBuilder<GameMode>& t);
    void pre_initialize();  // refused on a client; makes the GameState
    void end_play(EndReason reason);

    GameState* game_state() const;
    Result<PlayerController*> login(const LoginOptions& options = {});
    // A bot, or whoever is made by other code: gets a PlayerState and is in the list of players.
    Status admit(Controller& controller, const std::string& name, bool is_spectator = false);
    void logout(Controller& controller);

    // Now, if it may; else as the essay says. A pawn it has goes first.
    void restart(Controller& controller);
    Status may_restart(Controller& controller) const;         // the rule here
    Result<Transform> choose_start(Controller& controller);   // the rule here
    Name pawn_class_for(const Controller& controller) const;  // none: there is none

    void reset();  // players keep their places; registers nothing anew

    Property<Name> game_state_class = Name("GameState"), player_state_class = Name("PlayerState"),
                   player_controller_class = Name("PlayerController"), fallback_pawn_class;

private:
    void start_waiting();
    Status try_restart(Controller& controller, bool& is_final);
    void retry_later(ActorId controller, Status reason);
    void drop(PlayerState& player);

    experience::CallbackHandle play_starts_;
    std::unordered_map<ActorId, std::int64_t> retries_;
    std::size_t next_start_ = 0;
};

void register_variables(Runtime& runtime);  // lyre.gamemode.MaxRestartRetries, if it is not there

}  // namespace lyre::gameplay
