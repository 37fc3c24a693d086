// gameplay/game_mode.h: the rules of who plays; there is one where the server is, and none elsewhere.
//
//     login ------> PlayerController + PlayerState ----(experience Loaded, play may start)----> restart
//     restart       PawnData -> class -> start -> pawn spawned deferred, its PawnData set, finished, possessed
//     logout        the pawn goes, the PlayerState goes or stays a while as the experience says, the controller goes
//
// Nobody is started before the experience is Loaded and play may start: those who wait, bots that have lost their pawn
// in a switch and those who are to have another one are restarted in the Normal round, in login order; who comes later,
// at once; whose own PawnData is still being loaded, when it is there. A restart that fails is tried again in the next
// tick, at most lyre.gamemode.MaxRestartRetries times while restart is allowed, then reported with the last reason;
// without a class for the pawn there is nothing to try again. Whom may_restart allows, the PlayerSpawning of the
// GameState may still refuse: nobody asks again before the next start of play, so whoever refuses calls restart()
// later. If there is one it says where, too, else the rule here: the level's points named "start..." in turn.
//
// Coming back. An experience may keep the PlayerState of who has left for a while (keep_player_state_secs; while
// another one is on its way that of the last counts): it is inactive then. A login with the same id within that time
// has that very PlayerState again, with its team, score, own PawnData, components and whatever others know of it by its
// ActorId; name and watching are what the login says. Only if the GameMode makes PlayerStates of another class by now,
// a new one is made and the kept one's values are copied (PlayerState::copy_properties) before it goes; the new one is
// kept in its place, and comes back. Of a login that fails the kept one knows nothing, and its time goes on. An id is who
// somebody is, made sure of by whoever lets people in; names are not ids, and an empty id is nobody in particular.
// While somebody plays a second login with that id is refused: who knows that the first connection is dead logs it out.
// At most kMaxKept are kept, the oldest goes; a full match lets a kept one go for a new player.
//
// Callbacks may do anything, also log out who is being logged in or started, end the GameMode, the GameState or the
// world: then the login has failed and has left nothing. A start asked for inside a start of the same controller is
// that start; who is given a pawn meanwhile keeps that one, and so does who is given the one that is left. What
// PlayerSpawning throws is a start that failed.
//
// Which classes it uses are described properties, so that an archetype of content can choose others. Frame's thread.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "lyre/experience/host.h"
#include "lyre/gameplay/modular.h"
#include "lyre/world/property.h"
#include "lyre/world/timers.h"

namespace lyre::gameplay {

class BotCreation;
class Controller;
class GameState;
class LocalPlayer;
class Pawn;
class PlayerController;
class PlayerState;

struct LoginOptions {
    std::string name = "player";   // as shown (PlayerState::kMaxName)
    std::string id{};              // who it is; empty: nobody in particular
    LocalPlayer* local = nullptr;  // at this machine; null: elsewhere
    bool is_spectator = false;
    assets::PrimaryAssetId pawn_data{};  // of its own; none: the experience's. Who comes back with one keeps that
};

class GameMode : public ModularActor {
public:
    using Described = GameMode;
    static constexpr std::size_t kMaxIdentity = 256;  // bytes of LoginOptions::id
    static constexpr std::size_t kMaxKept = 256;      // PlayerStates of players who have left
    static void describe(TypeBuilder<GameMode>& t);
    void pre_initialize();  // refused on a client; makes the GameState
    void end_play(EndReason reason);

    GameState* game_state() const;
    Result<PlayerController*> login(const LoginOptions& options = {});
    // A bot, or whoever is made by other code: gets a PlayerState and is in the list of players.
    Status admit(Controller& controller, const LoginOptions& options);
    void logout(Controller& controller);  // a second time nothing happens; nothing starts it any more

    // Now, if it may; else as the essay says. A pawn it has goes first.
    void restart(Controller& controller);
    Status may_restart(Controller& controller) const;         // holds for everybody, whatever PlayerSpawning says
    Result<Transform> choose_start(Controller& controller);   // the rule here
    Name pawn_class_for(const Controller& controller) const;  // none: there is none

    void reset();  // the match may start again; players keep their places; registers nothing anew

    Property<Name> game_state_class = Name("GameState"), player_state_class = Name("PlayerState"),
                   player_controller_class = Name("PlayerController"), fallback_pawn_class;

private:
    friend class BotCreation;
    friend class PlayerState;
    struct Kept {  // and what a login that fails may have changed
        ActorId player;
        double until = 0;  // world time
        TimerId ends{};
        std::string name{};
        std::int32_t team = 0;
        bool is_spectator = false;
    };
    struct Retry {
        std::int64_t count = 0;
        TimerId next{};  // none: it is being tried
    };
    experience::Host* host() const;  // null: no GameState, or none of its own
    Status let_in(const LoginOptions& options, ActorId& controller);
    Status join(Controller& controller, const LoginOptions& options);
    void has_joined(const Controller& controller);
    PlayerState* find_player(const std::string& identity) const;
    Status may_enter(const LoginOptions& options) const;
    Result<PlayerState*> make_player(PlayerState* kept, const LoginOptions& options);
    Status enter(Controller& controller, PlayerState& player, const LoginOptions& options);
    void send_away(Controller& controller, bool may_keep);
    void remember_experience();
    bool keep(PlayerState& player);
    bool end_in_time(Kept& kept);
    Kept* find_kept(ActorId player);
    PlayerState* oldest_kept() const;
    void forget_kept(ActorId player);
    void start_waiting();
    void see_to_bots();
    void retry_later(ActorId controller, const Status& reason);
    void forget_retries(ActorId controller);
    void drop(PlayerState& player);

    experience::CallbackHandle play_starts_, bots_start_;
    std::unordered_map<ActorId, Retry> retries_;
    std::vector<ActorId> busy_;              // controllers that are being started or sent away, the innermost last
    std::vector<Kept> kept_;                 // oldest first; also who is just coming back
    double keep_seconds_ = 0;                // of the last experience that was Loaded
    std::unordered_set<ActorId> postponed_;  // players' controllers whose pawn is to go when play starts
    std::size_t next_start_ = 0;
};

void register_variables(Runtime& runtime);  // lyre.gamemode.MaxRestartRetries, if it is not there

}  // namespace lyre::gameplay
