#include "lyre/gameplay/game_state.h"

#include <algorithm>
#include <stdexcept>

#include "lyre/core/assert.h"
#include "lyre/experience/host.h"
#include "lyre/gameplay/controller.h"
#include "lyre/gameplay/detail/each_part.h"
#include "lyre/gameplay/detail/servers_alone.h"
#include "lyre/gameplay/detail/shown_text.h"
#include "lyre/gameplay/game_mode.h"
#include "lyre/gameplay/gameplay.h"
#include "lyre/gameplay/pawn_extension.h"
#include "lyre/gameplay/phases.h"
#include "lyre/gameplay/player_state.h"
#include "lyre/gameplay/teams.h"
#include "lyre/world/class_info.h"

namespace lyre::gameplay {
namespace {

constexpr std::string_view kPlayers = "the list of players";

}  // namespace

void GameState::describe(TypeBuilder<GameState>& t) {
    t.help("what everybody may know of the match");
    t.parent<ModularActor>();
    t.component<experience::Host>("experience");
    t.component<GamePhases>("phases");
    t.property("players", &GameState::players_).replicated().help("in login order");
    t.property("teams", &GameState::teams_).replicated().help("those that everybody knows");
    t.property("feed", &GameState::feed_)
        .replicated()
        .help("the newest lines; the newest of all is number lines_said - 1, in the place of its number modulo 64");
    t.property("lines_said", &GameState::lines_said_).replicated().help("ever");
    t.property("has_started", &GameState::has_started_).replicated().notify(&GameState::follow_match);
    t.property("started_in", &GameState::started_in_)
        .replicated()
        .notify(&GameState::follow_match)
        .help("the experience whose match has started");
}

void GameState::pre_initialize() {
    ModularActor::pre_initialize();
    Match* match = world().subsystem<Match>();
    if (match == nullptr) return;
    if (Match::state(world()) != nullptr) throw std::logic_error("the world has a GameState already");
    match->state_ = id();
}

// Elsewhere it may hear that the match has started before it knows of which experience.
void GameState::initialized() {
    auto* host = find_host();
    if (host == nullptr) return;
    const OwnerScope as(world().owner());  // what is registered goes with it, whoever's code has made it
    if (const Gameplay* gameplay = Gameplay::of(world()))
        host->need_assets([this, gameplay](const experience::ExperienceDefinition& experience) {
            return gameplay->pawn_data_needed(world(), experience);
        });
    if (!host->is_connected()) return;
    pawns_look_ = host->call_or_register_on_experience_loaded(  // after players, who may name other data for them
        experience::Priority::Low, *this, [this](const auto&) { PawnExtensionComponent::look_for_data(world()); },
        experience::Repeat::EachLoad);
    loaded_ = host->call_or_register_on_experience_loaded(
        experience::Priority::Normal, *this,
        [this](const auto&) {
            if (has_authority() && !has_match_started()) has_started_ = false;  // another one's match is over
            follow_match();
        },
        experience::Repeat::EachLoad);
}

void GameState::end_play(EndReason reason) {
    loaded_ = {};
    pawns_look_ = {};
    if (Match* match = world().subsystem<Match>(); match != nullptr && match->state_ == id()) match->state_ = {};
    ModularActor::end_play(reason);
}

experience::Host* GameState::find_host() const {
    return find<experience::Host>();
}

experience::Host& GameState::host() const {
    auto* host = find_host();
    LYRE_ASSERT(host != nullptr, "the GameState has gone, or somebody removed its Host: ask find_host()");
    return *host;
}

GamePhases& GameState::phases() const {
    auto* phases = find<GamePhases>();
    LYRE_ASSERT(phases != nullptr, "the GameState has gone, or somebody removed its phases");
    return *phases;
}

std::vector<PlayerState*> GameState::players() const {
    std::vector<PlayerState*> there;
    for (ActorId id : players_.get())
        if (auto* player = world().find<PlayerState>(id)) there.push_back(player);
    return there;
}

Status GameState::add_player(PlayerState& player) {
    if (!detail::may_write(*this, kPlayers)) return Status::refused("only the server says who plays");
    const auto& all = players_.get();
    if (std::find(all.begin(), all.end(), player.id()) != all.end()) return Status::refused("{} is there", player.id());
    if (is_full()) return Status::capacity("{} players are there", all.size());
    players_.edit()->push_back(player.id());
    detail::guarded(world(), player.id(), "player_added", [&] { player_added.broadcast_to_all(player); });
    return Status::ok();
}

bool GameState::remove_player(PlayerState& player) {
    if (!detail::may_write(*this, kPlayers)) return false;
    const auto& all = players_.get();
    if (std::find(all.begin(), all.end(), player.id()) == all.end()) return false;
    std::erase(*players_.edit(), player.id());
    detail::guarded(world(), player.id(), "player_removed", [&] { player_removed.broadcast_to_all(player); });
    return true;
}

// In its place.
void GameState::replace_player(PlayerState& old, PlayerState& by) {
    {
        auto edit = players_.edit();
        std::replace(edit->begin(), edit->end(), old.id(), by.id());
    }
    detail::guarded(world(), old.id(), "player_removed", [&] { player_removed.broadcast_to_all(old); });
    if (!by.is_doomed()) detail::guarded(world(), by.id(), "player_added", [&] { player_added.broadcast_to_all(by); });
}

void GameState::return_player(PlayerState& player) {
    if (!player.is_inactive() || !detail::may_write(*this, kPlayers)) return;
    player.set_inactive(false);
    detail::guarded(world(), player.id(), "player_returned", [&] { player_returned.broadcast_to_all(player); });
}

void GameState::say(std::string_view line) {
    if (!detail::may_write(*this, "its feed")) return;
    {
        auto edit = feed_.edit();
        if (edit->size() < kMaxFeed) edit->emplace_back();
        (*edit)[lines_said_ % kMaxFeed] = detail::shown_text(line, kMaxLine);
    }
    lines_said_ = lines_said_ + 1;
}

// Of the two values one may have come without the other.
std::vector<std::string> GameState::feed() const {
    const auto& ring = feed_.get();
    std::vector<std::string> lines = ring;
    if (ring.size() == kMaxFeed)
        std::rotate(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(lines_said_ % kMaxFeed), lines.end());
    return lines;
}

bool GameState::has_match_started() const {
    const auto* host = find<experience::Host>();
    return has_started_ && host != nullptr && started_in_.get() == host->experience_id();
}

std::vector<Team*> GameState::teams() const {
    std::vector<Team*> there;
    for (ActorId id : teams_.get())
        if (auto* team = world().find<Team>(id)) there.push_back(team);
    return there;
}

Team* GameState::team(std::int32_t number) const {
    for (ActorId id : teams_.get())
        if (auto* team = world().find<Team>(id); team != nullptr && team->number() == number) return team;
    return nullptr;
}

void GameState::start_match() {
    if (has_match_started() || !detail::may_write(*this, "the start of the match")) return;
    has_started_ = true;
    const auto* host = find_host();
    started_in_ = host != nullptr ? host->experience_id() : assets::PrimaryAssetId();
    follow_match();
}

// Whoever changed what says whether the match has started.
void GameState::follow_match() {
    detail::each_part<GameStateComponent>(*this, "match_started", [this](GameStateComponent& part) {
        const auto now = has_match_started() ? std::optional(started_in_.get()) : std::nullopt;
        if (std::exchange(part.told_match_, now) != now && now) part.match_started();
    });
}

void PlayerSpawning::describe(TypeBuilder<PlayerSpawning>& t) {
    t.help("decides where players start, and may refuse them");
    t.parent<GameStateComponent>();
}

Result<Transform> PlayerSpawning::choose_start(Controller& controller) {
    GameMode* mode = Match::mode(world());
    return mode != nullptr ? mode->choose_start(controller) : Result<Transform>(Status::refused("no GameMode here"));
}

}  // namespace lyre::gameplay
