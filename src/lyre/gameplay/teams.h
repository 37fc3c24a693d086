// gameplay/teams.h: teams: made first, then filled.
//
//     a component of the GameState, brought by a feature; on the server, in the High round of Loaded:
//     one public and one private team actor per configured id -> players who are there, in login order -> later ones
//
// Who has no team gets the least populated one, of equals the lower id; who only watches gets none, who has left does
// not count, who comes back keeps the one it had. A team that is not configured is reported and replaced. Of the
// configured numbers those count that are teams: -1, one that was named before and what is beyond kMaxTeams are
// reported and left out. When the experience goes its teams go, and their members have none. Everybody finds the public
// ones through the GameState, also where no component makes them. Frame's thread.
#pragma once

#include <string>
#include <vector>

#include "lyre/core/delegate.h"
#include "lyre/experience/rounds.h"
#include "lyre/gameplay/components.h"
#include "lyre/gameplay/modular.h"
#include "lyre/world/property.h"

namespace lyre::gameplay {

// What everybody knows of a team. The private one is for what its members alone shall know; whom an actor is sent to is
// not said by its class, so a network has to ask is_private().
class Team : public ModularActor {
public:
    using Described = Team;
    static void describe(TypeBuilder<Team>& t);
    std::int32_t number() const { return number_; }
    bool is_private() const { return is_private_; }
    std::string title() const;  // for people: "Red", or "team 1"
    std::int64_t score() const { return score_; }
    void add_score(std::int64_t points);  // the server's

private:
    friend class TeamCreation;
    Property<std::int32_t> number_ = -1;
    Property<bool> is_private_ = false;
    Property<std::string> title_;
    Property<std::int64_t> score_ = 0;
};

class TeamCreation : public GameStateComponent {
public:
    using Described = TeamCreation;
    static constexpr std::size_t kMaxTeams = 64;
    static void describe(TypeBuilder<TeamCreation>& t);
    void begin_play();
    void end_play(EndReason reason);

    const std::vector<std::int32_t>& configured() const { return teams_.get(); }
    // Before Loaded. The titles are those of the teams, in the same order; what is missing is made up.
    void configure(std::vector<std::int32_t> teams, std::vector<std::string> titles = {});
    Team* team(std::int32_t number, bool is_private = false) const;  // null: there is none
    std::int32_t assign(PlayerState& player);                        // the team it has now

private:
    void create();
    Property<std::vector<std::int32_t>> teams_;
    Property<std::vector<std::string>> titles_;
    std::vector<std::int32_t> numbers_;  // of the teams that are made; what is configured may be otherwise by now
    std::vector<ActorId> made_;
    experience::CallbackHandle loaded_;
    Connection joined_, returned_;
};

}  // namespace lyre::gameplay
