#include "lyre/gameplay/teams.h"

#include <algorithm>
#include <map>

#include "lyre/experience/host.h"
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
    t.property("score", &Team::score_).replicated();
}

void TeamCreation::describe(TypeBuilder<TeamCreation>& t) {
    t.help("makes teams and fills them");
    t.parent<GameStateComponent>();
    t.property("teams", &TeamCreation::teams_).help("their numbers");
}

void TeamCreation::begin_play() {
    if (!actor().has_authority()) return;
    loaded_ = game_state().host().call_or_register_on_experience_loaded(experience::Priority::High, *this,
                                                                        [this](const auto&) { create(); });
}

void TeamCreation::end_play(EndReason) {
    loaded_ = {};
    joined_ = {};
    for (ActorId id : std::exchange(made_, {})) world().destroy(id);
    for (PlayerState* player : game_state().players())
        if (std::find(configured().begin(), configured().end(), player->team()) != configured().end())
            player->set_team(kNoTeam);
}

void TeamCreation::create() {
    for (std::size_t i = 0; i < configured().size() && i < kMaxTeams; ++i)
        for (const bool is_private : {false, true}) {
            const auto id = world().spawn<Team>({}, [&](Team& team) {
                team.number_ = configured()[i];
                team.is_private_ = is_private;
            });
            if (id) made_.push_back(*id);
        }
    for (PlayerState* player : game_state().players()) assign(*player);
    joined_ = game_state().player_added.add([this](PlayerState& player) { assign(player); });
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
    for (std::int32_t number : configured()) members[number] = 0;
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
