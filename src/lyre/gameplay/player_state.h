// gameplay/player_state.h: what everybody may know of a player or a bot: name, team, score, and which pawn is theirs.
//
// The server makes one with the controller at login (game_mode.h); it outlives the pawns of its player, and, if the
// experience says so (keep_player_state_secs), a lost connection: it is inactive then, and who comes back has it again
// with all that is on it. It leaves the GameState's list when it ends, whoever ends it. On the server it takes its
// PawnData when the experience is Loaded, in the Normal round: its own if one was named for it, else the experience's,
// else the project's. All of it is in memory by then; its own, also one that is named later, it keeps as long as it
// lives, and its player is started when it is there. The rest is the Host's, and goes with the experience.
// AbilitiesReady is sent on it whenever it has taken (new) data: what the data grants is there then. Frame's thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lyre/assets/asset_id.h"
#include "lyre/assets/load_handle.h"
#include "lyre/experience/rounds.h"
#include "lyre/gameplay/modular.h"
#include "lyre/world/property.h"

namespace lyre::gameplay {

class Pawn;

inline constexpr std::int32_t kNoTeam = -1;

class PlayerState : public ModularActor {
public:
    using Described = PlayerState;
    static void describe(TypeBuilder<PlayerState>& t);
    static constexpr std::size_t kMaxName = 64;  // characters; control characters are replaced
    void initialized();
    void end_play(EndReason reason);

    const std::string& player_name() const { return player_name_.get(); }
    std::int32_t team() const { return team_; }
    std::int64_t score() const { return score_; }
    ActorId controller_id() const { return controller_; }  // on the server; none: its player has left
    Pawn* pawn() const;                                    // that its controller steers; null: none now, or not here
    const std::string& identity() const { return identity_; }  // on the server only (LoginOptions::id)
    bool is_bot() const { return is_bot_; }
    bool is_spectator() const { return is_spectator_; }  // only watches: no pawn, no team
    bool is_inactive() const { return is_inactive_; }    // its player has left and may come back
    assets::PrimaryAssetId pawn_data() const { return pawn_data_; }

    // The server's; elsewhere nothing changes, and it is reported.
    void set_player_name(std::string_view name);
    void set_team(std::int32_t team);
    void set_bot(bool is_bot);
    void set_spectator(bool is);
    void set_inactive(bool is);
    void add_score(std::int64_t points);
    // Its own, which experiences leave alone; taken once one is Loaded. A second is refused and reported.
    Status set_pawn_data(assets::PrimaryAssetId data);
    bool has_own_pawn_data() const { return has_own_data_; }
    const assets::LoadHandle& pawn_data_load() const { return data_; }  // not over: who waits is started when it is

    void reset();                           // score; components are told
    void copy_properties(PlayerState& to);  // name, team, score, own PawnData; components are told

private:
    friend class Controller;
    friend class GameMode;
    friend class Pawn;
    void name_own(assets::PrimaryAssetId data);
    void take_own();
    void take_pawn_data();
    void take(assets::PrimaryAssetId data);
    void hold_pawn_data();
    void inform_pawn();

    Property<std::string> player_name_;
    Property<std::int32_t> team_ = kNoTeam;
    Property<std::int64_t> score_ = 0;
    Property<bool> is_bot_ = false;
    Property<bool> is_spectator_ = false;
    Property<bool> is_inactive_ = false;
    Property<assets::PrimaryAssetId> pawn_data_;
    Property<ActorId> pawn_;
    ActorId controller_;
    std::string identity_;
    bool has_own_data_ = false;
    bool has_taken_own_ = false;
    assets::LoadHandle data_;
    experience::CallbackHandle loaded_;
};

}  // namespace lyre::gameplay
