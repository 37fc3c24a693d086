#include "lyre/gameplay/teams.h"

#include <algorithm>
#include <map>

#include "lyre/experience/host.h"
#include "lyre/gameplay/detail/bounded_sum.h"
#include "lyre/gameplay/detail/servers_alone.h"
#include "lyre/gameplay/game_state.h"
#include "lyre/gameplay/player_state.h"
#include "lyre/world/class_info.h"
#include "lyre/world/world.h"

namespace lyre::gameplay {

void Team::describe(TypeBuilder<Team>& t) {
    t.help("a team, as everybody or its members know it");
    t.parent<ModularActor>();
    t.property("number", &Team::number_).replicated();
    t.property("is_private", &Team::is_private_).replicated();
    t.property("title", &Team::title_).replicated();
    t.property("score", &Team::score_).replicated();
}

void Team::add_score(std::int64_t points) {
    if (detail::may_write(*this, "its score")) score_ = detail::bounded_sum(score_, points);
}

std::string Team::title() const {
    return title_->empty() ? fmt::format("team {}", number()) : title_.get();
}

void TeamCreation::describe(TypeBuilder<TeamCreation>& t) {
    t.help("makes teams and fills them");
    t.parent<GameStateComponent>();
    t.property("teams", &TeamCreation::teams_).help("their numbers");
    t.property("titles", &TeamCreation::titles_).help("their names, in the same order");
}

void TeamCreation::configure(std::vector<std::int32_t> teams, std::vector<std::string> titles) {
    teams_ = std::move(teams);
    titles_ = std::move(titles);
}

void TeamCreation::begin_play() {
    auto* host = actor().has_authority() ? game_state().find_host() : nullptr;
    if (host != nullptr)
        loaded_ = host->call_or_register_on_experience_loaded(experience::Priority::High, *this,
                                                              [this](const auto&) { create(); });
    GameStateComponent::begin_play();
}

void TeamCreation::end_play(EndReason) {
    loaded_ = {};
    joined_ = {};
    returned_ = {};
    if (!actor().has_authority()) return;  // elsewhere the server's values stand as they came
    for (ActorId id : std::exchange(made_, {})) {
        std::erase(*game_state().teams_.edit(), id);
        world().destroy(id);
    }
    const auto all = std::exchange(numbers_, {});
    for (PlayerState* player : game_state().players())
        if (std::find(all.begin(), all.end(), player->team()) != all.end()) player->set_team(kNoTeam);
}

// Of what is configured now those that are teams, each once.
void TeamCreation::create() {
    const std::vector<std::int32_t> wanted = configured();
    const std::vector<std::string> titles = titles_.get();
    const auto place_of = [&](std::int32_t number) {
        return static_cast<std::size_t>(std::find(wanted.begin(), wanted.end(), number) - wanted.begin());
    };
    for (std::size_t i = 0; i < wanted.size() && numbers_.size() < kMaxTeams; ++i)
        if (wanted[i] != kNoTeam && place_of(wanted[i]) == i) numbers_.push_back(wanted[i]);
    const auto all = numbers_;
    if (all.size() != wanted.size())
        world().runtime().log().report(
            LogLevel::Error, Name("gameplay.teams_left_out"), "teams",
            fmt::format("{} of {} configured teams are made: -1 is none, a number is one team, {} are allowed",
                        all.size(), wanted.size(), kMaxTeams));
    for (std::int32_t number : all)
        for (const bool is_private : {false, true}) {
            if (is_doomed()) return;  // what hears of a team may end them all
            const std::size_t place = place_of(number);
            const auto id = world().spawn<Team>({}, [&](Team& team) {
                team.number_ = number;
                team.is_private_ = is_private;
                if (place < titles.size()) team.title_ = titles[place];
            });
            if (!id) continue;
            made_.push_back(*id);
            if (!is_private) game_state().teams_.edit()->push_back(*id);
        }
    if (is_doomed()) return;
    for (PlayerState* player : game_state().players()) assign(*player);
    joined_ = game_state().player_added.add([this](PlayerState& player) { assign(player); });
    returned_ = game_state().player_returned.add([this](PlayerState& player) { assign(player); });
}

Team* TeamCreation::team(std::int32_t number, bool is_private) const {
    for (ActorId id : made_)
        if (Team* one = world().find<Team>(id);
            one != nullptr && one->number() == number && one->is_private() == is_private)
            return one;
    return nullptr;
}

std::int32_t TeamCreation::assign(PlayerState& player) {
    std::map<std::int32_t, std::size_t> members;
    for (std::int32_t number : numbers_) members[number] = 0;
    if (player.is_spectator() || members.empty()) {
        player.set_team(kNoTeam);
        return kNoTeam;
    }
    if (player.team() != kNoTeam) {
        if (members.contains(player.team())) return player.team();
        world().runtime().log().report(LogLevel::Warning, Name("gameplay.unknown_team"), player.player_name(),
                                       fmt::format("team {} is not configured; another one is chosen", player.team()));
        player.set_team(kNoTeam);
    }
    for (const PlayerState* other : game_state().players())
        if (const auto at = members.find(other->team()); at != members.end() && !other->is_inactive()) ++at->second;
    const auto least = std::min_element(members.begin(), members.end(),
                                        [](const auto& a, const auto& b) { return a.second < b.second; });
    player.set_team(least->first);
    return least->first;
}

}  // namespace lyre::gameplay
