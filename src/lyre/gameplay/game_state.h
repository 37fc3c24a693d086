// gameplay/game_state.h: what everybody may know of the match: its experience, its players and teams, the newest lines
// of its feed.
//
// One per world. On the server the GameMode makes it; it carries the experience's Host. Everything about a player who
// comes or goes passes through add_player and remove_player, once each; who comes back while the PlayerState is kept
// (game_mode.h) is told as player_returned instead. What a listener throws is reported. Frame's thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lyre/assets/asset_id.h"
#include "lyre/core/delegate.h"
#include "lyre/experience/rounds.h"
#include "lyre/gameplay/components.h"
#include "lyre/gameplay/modular.h"
#include "lyre/world/property.h"

namespace lyre::experience {
class Host;
}

namespace lyre::gameplay {

class Controller;
class GamePhases;
class Pawn;
class PlayerState;
class Team;

class GameState : public ModularActor {
public:
    using Described = GameState;
    static constexpr std::size_t kMaxFeed = 64;       // lines
    static constexpr std::size_t kMaxLine = 256;      // characters of a line; control characters are replaced
    static constexpr std::size_t kMaxPlayers = 1024;  // each waits at the Host (kMaxRegistrations)
    static void describe(TypeBuilder<GameState>& t);
    void pre_initialize();
    void initialized();
    void end_play(EndReason reason);

    experience::Host& host() const;       // it is made with it
    experience::Host* find_host() const;  // null: somebody has removed it
    GamePhases& phases() const;
    std::vector<PlayerState*> players() const;  // in login order, inactive ones too; those that are there

    // The server's; elsewhere nothing changes, and it is reported.
    Status add_player(PlayerState& player);
    bool remove_player(PlayerState& player);  // false: it was not there (any more)
    bool is_full() const { return players_.get().size() >= kMaxPlayers; }
    void return_player(PlayerState& player);                  // active again
    void say(std::string_view line);                          // into the feed
    std::vector<std::string> feed() const;                    // oldest first
    std::uint64_t lines_said() const { return lines_said_; }  // ever: the feed has the newest of them
    void start_match();  // components are told, everywhere, once until GameMode::reset() or another one is Loaded
    bool has_match_started() const;  // of the experience that is chosen now

    std::vector<Team*> teams() const;       // as everybody knows them, in order; none: it is each for themselves
    Team* team(std::int32_t number) const;  // null: there is none

    // On the server. Elsewhere PlayerStates come and go by themselves (World::actor_initialized).
    Delegate<PlayerState&> player_added, player_removed;
    Delegate<PlayerState&> player_returned;  // it was inactive

private:
    friend class GameMode;
    friend class GameStateComponent;
    friend class TeamCreation;
    void follow_match();
    void replace_player(PlayerState& old, PlayerState& by);
    Property<std::vector<ActorId>> players_, teams_;
    Property<std::vector<std::string>> feed_;  // line n of all at n % kMaxFeed: a new one changes one place
    Property<bool> has_started_ = false;
    Property<assets::PrimaryAssetId> started_in_;  // an experience
    Property<std::uint64_t> lines_said_ = 0;
    experience::CallbackHandle loaded_, pawns_look_;
};

// Decides where players start, instead of the GameMode's own rule, and refuses some of those who may start at all until
// somebody calls GameMode::restart() for them; on the GameState, brought by a feature.
class PlayerSpawning : public GameStateComponent {
public:
    using Described = PlayerSpawning;
    static void describe(TypeBuilder<PlayerSpawning>& t);
    virtual Result<Transform> choose_start(Controller& controller);
    virtual Status may_restart(Controller&) { return Status::ok(); }  // of who has logged in to play, in a match
    virtual void finish_restart(Controller&, Pawn&) {}
};

}  // namespace lyre::gameplay
