// game/arena_core/match.h: the parts of the GameState that make a match: who is there, teams, starts, phases, votes.
//
//     RosterBook     who plays where, once per tick for all who ask
//     ArenaTeams     two teams, in the High round
//     ArenaSpawning  a start of one's team, far from everybody
//     ArenaMatch     Warmup -> Playing -> PostGame -> the next experience
//     VoteBox        some seconds of voting, then the experience that won; `vote` in the console is a vote, too
//
// An experience says which of them it has. All of it is the server's; what clients must know is replicated.
#pragma once

#include <string>
#include <vector>

#include "lyre/core/console.h"
#include "lyre/core/random.h"
#include "lyre/gameplay/phases.h"
#include "lyre/gameplay/teams.h"

#include "game/arena_core/api.h"

namespace plectrum {

class RosterBook : public Roster {
public:
    using Described = RosterBook;
    static void describe(TypeBuilder<RosterBook>& t);
    void begin_play();
    void tick(float dt);
    std::span<const Seat> seats() const override { return seats_; }

private:
    std::vector<ActorId> players_;
    std::vector<Seat> seats_;
    Connection added_, removed_;
};

class ArenaTeams : public TeamCreation {
public:
    using Described = ArenaTeams;
    static void describe(TypeBuilder<ArenaTeams>& t);
    void begin_play();
};

class ArenaSpawning : public PlayerSpawning {
public:
    using Described = ArenaSpawning;
    static void describe(TypeBuilder<ArenaSpawning>& t);
    void begin_play();
    void end_play(EndReason reason);
    Result<Transform> choose_start(Controller& controller) override;

private:
    float room_around(Vec3 at, ActorId except) const;
    Random random_{0};
    Ground ground_;
    std::vector<Solid> solids_;
};

class ArenaMatch : public MatchFlow {
public:
    using Described = ArenaMatch;
    static void describe(TypeBuilder<ArenaMatch>& t);
    void begin_play();
    void end_play(EndReason reason);
    void tick(float dt);
    bool is_playing() const override;
    void finish() override;
    void send_to_start(ActorId player) override;

private:
    enum class Stage : std::uint8_t { None, Warmup, Playing, PostGame };
    void enter(Stage stage, const char* phase, const Setting<double>& seconds);
    void loaded();
    void warm_up();
    void play();
    void conclude();
    void leave();
    void reset_scores();
    void tell_what_is_left();
    std::string winner() const;
    std::string best_player() const;  // empty: nobody was better than all others, or there are no teams

    Setting<double> warmup_secs_{"arena.WarmupSecs"}, match_secs_{"arena.MatchSecs"};
    Setting<double> post_game_secs_{"arena.PostGameSecs"};
    Setting<std::string> next_{"arena.Next"};
    Property<double> ends_at_ = 0;  // s of world time
    Stage stage_ = Stage::None;     // the server's
    double told_left_ = 0;          // s of the match, in the feed
    std::optional<GameplayTag> playing_;
    PhaseHold phase_;
    assets::PrimaryAssetId played_;
    std::vector<ActorId> played_by_;  // teams
    experience::CallbackHandle loads_;
};

class VoteBox : public Ballot {
public:
    using Described = VoteBox;
    static void describe(TypeBuilder<VoteBox>& t);
    void begin_play();
    void end_play(EndReason reason);
    void tick(float dt);
    std::uint32_t round() const override { return round_; }
    std::size_t choices() const override { return ends_at_ > 0 ? choices_->size() : 0; }
    void vote(PlayerState& player, std::size_t choice) override;

private:
    struct Vote {
        ActorId player;  // none: who types at the console of the server, and watches
        std::size_t choice = 0;
    };
    std::vector<std::string> offered() const;
    void open();
    bool take(ActorId player, std::string_view name, std::size_t choice);  // false: too many have voted
    CommandResult take_word(const std::string& choice);
    void count();
    Setting<std::string> listed_{"arena.Choices"};
    Setting<double> seconds_{"arena.VoteSecs"};
    Property<std::vector<std::string>> choices_;  // experiences
    Property<std::vector<std::int32_t>> counts_;  // of votes, beside choices_
    Property<double> ends_at_ = 0;                // s of world time; 0: no vote is on
    Property<std::uint32_t> round_ = 0;
    std::vector<Vote> votes_;
    experience::CallbackHandle loaded_;
    Connection removed_;
    CommandHold command_;
};

}  // namespace plectrum
