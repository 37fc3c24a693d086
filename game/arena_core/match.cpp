#include "game/arena_core/match.h"

#include <algorithm>

#include "lyre/core/numbers.h"
#include "lyre/core/suggest.h"
#include "lyre/experience/host.h"
#include "lyre/gameplay/controller.h"
#include "lyre/gameplay/game_mode.h"
#include "lyre/gameplay/player_state.h"

#include "game/arena_core/hero.h"

namespace plectrum {
namespace {

constexpr double kShortest = 0.1, kLongest = 86'400;  // s, of a phase or a vote

constexpr std::size_t kMaxStarts = 256;  // points that are looked at
constexpr std::size_t kMaxNamed = 3;     // winners in one line
constexpr std::size_t kMaxTold = 12;     // votes that everybody hears of
constexpr int kTries = 4;                // places around a start
constexpr float kSpread = 3;             // m, around a start
constexpr float kFarEnough = 12;         // m: more room is no better

}  // namespace

void RosterBook::describe(TypeBuilder<RosterBook>& t) {
    t.help("who plays and where they are");
    t.parent<Roster>();
}

void RosterBook::begin_play() {
    if (!actor().has_authority()) return set_tick_enabled(false);
    for (const PlayerState* player : game_state().players()) players_.push_back(player->id());
    added_ = game_state().player_added.add([this](PlayerState& player) { players_.push_back(player.id()); });
    removed_ = game_state().player_removed.add([this](PlayerState& player) { std::erase(players_, player.id()); });
}

void RosterBook::tick(float) {
    seats_.clear();
    for (ActorId id : players_) {
        const auto* player = world().find<PlayerState>(id);
        const Pawn* pawn = player != nullptr ? player->pawn() : nullptr;
        if (pawn == nullptr) continue;
        const auto* steering = pawn->find<Steering>();
        seats_.push_back(
            {id, pawn->id(), player->team(), pawn->position(), steering != nullptr ? steering->velocity() : Vec3{}});
    }
}

void ArenaTeams::describe(TypeBuilder<ArenaTeams>& t) {
    t.help("two teams");
    t.parent<TeamCreation>();
}

void ArenaTeams::begin_play() {
    std::vector<std::int32_t> numbers;
    std::vector<std::string> titles;
    for (std::size_t i = 0; i < kTeams.size(); ++i) {
        numbers.push_back(static_cast<std::int32_t>(i));
        titles.emplace_back(kTeams[i].name);
    }
    configure(std::move(numbers), std::move(titles));
    TeamCreation::begin_play();
}

void ArenaSpawning::describe(TypeBuilder<ArenaSpawning>& t) {
    t.help("starts players far from each other, at the points of their team");
    t.parent<PlayerSpawning>();
}

void ArenaSpawning::begin_play() {
    random_ = world().random().stream("arena.starts");
    ground_.begin(world());
}

// Heroes are of this feature: they go with it. Whoever steered them stays.
void ArenaSpawning::end_play(EndReason) {
    if (const Type* hero = world().runtime().types().find<ArenaHero>(); hero != nullptr && actor().has_authority())
        world().destroy_actors(*hero);
}

// Points are called start_a... for the first team, start_b... for the second; who has no team takes any.
Result<Transform> ArenaSpawning::choose_start(Controller& controller) {
    const PlayerState* player = controller.player_state();
    const std::int32_t team = player != nullptr ? player->team() : kNoTeam;
    const std::string mine = team >= 0 ? std::string("start_") + static_cast<char>('a' + team) : "start";
    const ActorId own = controller.pawn() != nullptr ? controller.pawn()->id() : ActorId();
    std::optional<Transform> best;
    float best_room = -1;
    std::size_t looked_at = 0;
    for (LevelId id : world().levels().all())
        for (const LevelPoint& point : world().levels().find(id)->points()) {
            if (!point.name.text().starts_with(mine) || ++looked_at > kMaxStarts) continue;
            for (int i = 0; i < kTries; ++i) {
                const Vec3 by = {random_.next_range_float(-kSpread, kSpread),
                                 random_.next_range_float(-kSpread, kSpread), 0};
                const Vec3 at = ground_.inside(point.at + by, kHeroRadius);
                ground_.gather(at, kHeroRadius, solids_);
                const float room = solids_.empty() ? room_around(at, own) : 0;
                if (room <= best_room) continue;
                best_room = room;
                best = Transform{at, point.yaw};
            }
        }
    return best ? *best : PlayerSpawning::choose_start(controller);
}

float ArenaSpawning::room_around(Vec3 at, ActorId except) const {
    float room = kFarEnough;
    for (const PlayerState* player : game_state().players())
        if (const Pawn* pawn = player->pawn(); pawn != nullptr && pawn->id() != except)
            room = std::min(room, length(flat(pawn->position() - at)));
    return room;
}

void ArenaMatch::describe(TypeBuilder<ArenaMatch>& t) {
    t.help("warm-up, play, end, and on to the next experience");
    t.parent<MatchFlow>();
    t.property("ends_at", &ArenaMatch::ends_at_).replicated().units("s").help("of the phase, in world time");
    t.tick_in(TickGroup::PrePhysics, 0.1f);
}

void ArenaMatch::begin_play() {
    if (const auto tag = world().runtime().tags().find("Phase.Playing")) playing_ = *tag;
    if (!actor().has_authority()) return set_tick_enabled(false);
    loads_ = game_state().host().call_or_register_on_experience_loaded(
        experience::Priority::Low, *this, [this](const auto&) { loaded(); }, experience::Repeat::EachLoad);
}

void ArenaMatch::end_play(EndReason) {
    loads_ = {};
    phase_.end();
}

// A mutator that comes or goes is a load, too, but no other match. Coming back from a switch that failed is one where the
// match was over, or where its teams have gone on the way and are others now, with nothing won.
void ArenaMatch::loaded() {
    const assets::PrimaryAssetId now = game_state().host().experience_id();
    std::vector<ActorId> teams;
    for (const Team* team : game_state().teams()) teams.push_back(team->id());
    const bool has_other_teams = std::exchange(played_by_, teams) != teams;
    if (std::exchange(played_, now) != now || has_other_teams || ends_at_ <= 0) warm_up();
}

void ArenaMatch::tick(float) {
    if (stage_ == Stage::Playing) tell_what_is_left();
    if (ends_at_ <= 0 || world().time() < ends_at_) return;
    switch (stage_) {
        case Stage::None:
            return;
        case Stage::Warmup:
            return play();
        case Stage::Playing:
            return conclude();
        case Stage::PostGame:
            return leave();
    }
}

void ArenaMatch::enter(Stage stage, const char* phase, const Setting<double>& seconds) {
    stage_ = stage;
    ends_at_ = world().time() + bounded(seconds.get(world()), kShortest, kLongest);
    const auto tag = world().runtime().tags().find(phase);
    if (!tag) return;
    if (auto hold = game_state().phases().start(*tag)) phase_ = std::move(*hold);
}

void ArenaMatch::warm_up() {
    reset_scores();
    const auto current = game_state().host().current_experience();
    game_state().say(fmt::format("{}: get ready", current ? (*current)->title : "A match"));
    enter(Stage::Warmup, "Phase.Warmup", warmup_secs_);
}

// Everybody begins at a start, whatever the warm-up was used for.
void ArenaMatch::play() {
    reset_scores();
    for (const PlayerState* player : game_state().players()) send_to_start(player->id());
    game_state().say("Go!");
    enter(Stage::Playing, "Phase.Playing", match_secs_);
    told_left_ = ends_at_ - world().time();
    game_state().start_match();
}

// The phase is replicated: clients know it, too.
bool ArenaMatch::is_playing() const {
    return playing_ && game_state().phases().is_active(*playing_);
}

void ArenaMatch::finish() {
    if (stage_ == Stage::Playing && is_playing()) conclude();
}

void ArenaMatch::send_to_start(ActorId id) {
    auto* spawning = game_state().find<PlayerSpawning>();
    const auto* player = world().find<PlayerState>(id);
    auto* controller = player != nullptr ? world().find<Controller>(player->controller_id()) : nullptr;
    if (spawning == nullptr || controller == nullptr || controller->pawn() == nullptr) return;
    if (const auto start = spawning->choose_start(*controller))
        world().movers().teleport(controller->pawn()->id(), *start).ignore();
}

void ArenaMatch::tell_what_is_left() {
    for (const double mark : {60.0, 10.0}) {
        if (told_left_ <= mark || ends_at_ - world().time() > mark) continue;
        told_left_ = mark;
        game_state().say(fmt::format("{:.0f} seconds left", mark));
    }
}

void ArenaMatch::conclude() {
    game_state().say(winner());
    if (std::string best = best_player(); !best.empty()) game_state().say(best);
    enter(Stage::PostGame, "Phase.PostGame", post_game_secs_);
}

void ArenaMatch::leave() {
    ends_at_ = 0;
    const std::string next = next_.get(world());
    if (game_state().host().experience_id().name.text() == next) return warm_up();
    const auto set = next.empty() ? Result<experience::SetTicket>(Status::not_found("nothing comes next"))
                                  : game_state().host().set_experience(next);
    if (set) return;
    game_state().say(fmt::format("Once more: {}", set.status().text()));
    warm_up();
}

void ArenaMatch::reset_scores() {
    if (GameMode* mode = Match::mode(world())) mode->reset();
    for (Team* team : game_state().teams()) team->add_score(-team->score());
}

// "Red wins, 150 to 98", "Anna, Ben win with 71".
std::string ArenaMatch::winner() const {
    std::vector<std::pair<std::int64_t, std::string>> all;
    for (const Team* team : game_state().teams()) all.emplace_back(team->score(), team->title());
    if (all.empty()) {
        for (const PlayerState* player : game_state().players())
            if (!player->is_spectator()) all.emplace_back(player->score(), player->player_name());
    }
    if (all.empty()) return "Nobody has played";
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::size_t best = 1;
    while (best < all.size() && all[best].first == all[0].first) ++best;
    if (best == all.size() && best > 1) return fmt::format("A draw at {}", all[0].first);
    std::string names = all[0].second;
    for (std::size_t i = 1; i < best && i < kMaxNamed; ++i) names += ", " + all[i].second;
    if (best > kMaxNamed) names += " and others";
    if (best > 1) return fmt::format("{} win with {}", names, all[0].first);
    return all.size() == 1 ? fmt::format("{} wins with {}", names, all[0].first)
                           : fmt::format("{} wins, {} to {}", names, all[0].first, all[1].first);
}

std::string ArenaMatch::best_player() const {
    const std::vector<PlayerState*> all = game_state().players();
    const auto score = [](const PlayerState* player) { return player->score(); };
    const auto best = std::max_element(all.begin(), all.end(), [&](auto* a, auto* b) { return score(a) < score(b); });
    if (game_state().teams().empty() || best == all.end() || score(*best) <= 0) return {};
    if (std::count_if(all.begin(), all.end(), [&](auto* one) { return score(one) == score(*best); }) > 1) return {};
    return fmt::format("{} was best, with {}", (*best)->player_name(), score(*best));
}

void VoteBox::describe(TypeBuilder<VoteBox>& t) {
    t.help("votes for the next experience");
    t.parent<Ballot>();
    t.property("choices", &VoteBox::choices_).replicated().help("experiences");
    t.property("counts", &VoteBox::counts_).replicated().help("votes for each");
    t.property("ends_at", &VoteBox::ends_at_).replicated().units("s").help("0: no vote is on");
    t.property("round", &VoteBox::round_).replicated().help("how many there were");
    t.tick_in(TickGroup::PrePhysics, 0.1f);
}

void VoteBox::begin_play() {
    if (!actor().has_authority()) return set_tick_enabled(false);
    removed_ = game_state().player_removed.add([this](PlayerState& player) {
        std::erase_if(votes_, [&](const Vote& vote) { return vote.player == player.id(); });
        count();
    });
    loaded_ = game_state().host().call_or_register_on_experience_loaded(
        experience::Priority::Low, *this,
        [this](const auto&) {
            if (ends_at_ <= 0) open();  // also when what was voted for has failed
        },
        experience::Repeat::EachLoad);
    auto command = world().runtime().console().add_command(
        {"vote", "<choice>", "votes for what comes next, by its number or name"},
        [this](CommandArguments words) { return take_word(words[0]); });
    if (command) command_ = std::move(*command);  // else the box of another world has it
}

void VoteBox::end_play(EndReason) {
    command_.release();
    loaded_ = {};
    removed_ = {};
}

// What is named in arena.Choices and is there, each once, as many as one has keys for.
std::vector<std::string> VoteBox::offered() const {
    std::vector<std::string> names;
    const std::string all = listed_.get(world());
    for (std::size_t at = 0; at < all.size() && names.size() < kMaxChoices;) {
        const std::size_t end = std::min(all.find(' ', at), all.size());
        std::string name = all.substr(at, end - at);
        at = end + 1;
        if (name.empty() || std::find(names.begin(), names.end(), name) != names.end()) continue;
        if (const Status known = game_state().host().check_experience(name); known.is_ok())
            names.push_back(std::move(name));
        else
            game_state().say(fmt::format("arena.Choices: {}", known.text()));
    }
    return names;
}

void VoteBox::open() {
    const std::vector<std::string> names = offered();
    if (names.empty()) return;
    std::string question = "What next?";
    for (std::size_t i = 0; i < names.size(); ++i) question += fmt::format(" {}: {}", i + 1, names[i]);
    game_state().say(std::move(question));
    choices_ = names;
    round_ = round_ + 1;
    votes_.clear();
    count();
    ends_at_ = world().time() + bounded(seconds_.get(world()), kShortest, kLongest);
}

void VoteBox::vote(PlayerState& player, std::size_t choice) {
    if (choice < choices() && !player.is_spectator()) take(player.id(), player.player_name(), choice);
}

CommandResult VoteBox::take_word(const std::string& choice) {
    if (choices() == 0) return {Status::refused("no vote is on"), ""};
    const auto number = parse_number<std::size_t>(choice);
    const auto& names = choices_.get();
    const auto at = number && *number >= 1 && *number <= names.size()
                        ? names.begin() + static_cast<std::ptrdiff_t>(*number - 1)
                        : std::find(names.begin(), names.end(), choice);
    if (at == names.end())
        return {
            Status::not_found("no choice {}; {}", in_quotes(choice), name_hint(choice, {names.begin(), names.end()})),
            ""};
    if (!take({}, "The audience", static_cast<std::size_t>(at - names.begin())))
        return {Status::capacity("{} have voted, and no more votes are taken", votes_.size()), ""};
    return {{}, fmt::format("your vote is for {}", *at)};
}

bool VoteBox::take(ActorId player, std::string_view name, std::size_t choice) {
    const auto at = std::find_if(votes_.begin(), votes_.end(), [&](const Vote& vote) { return vote.player == player; });
    const bool is_first = at == votes_.end();
    if (is_first && votes_.size() >= GameState::kMaxPlayers) return false;
    if (!is_first && at->choice == choice) return true;
    if (is_first)
        votes_.push_back({player, choice});
    else
        at->choice = choice;
    if (is_first && votes_.size() <= kMaxTold)
        game_state().say(fmt::format("{} votes for {}", name, choices_.get()[choice]));
    count();
    return true;
}

void VoteBox::count() {
    std::vector<std::int32_t> counts(choices_->size());
    for (const Vote& vote : votes_) ++counts[vote.choice];
    counts_ = counts;
}

// Most votes win, of equals one by chance, and so if nobody voted.
void VoteBox::tick(float) {
    if (ends_at_ <= 0 || world().time() < ends_at_) return;
    ends_at_ = 0;
    const auto& counts = counts_.get();
    const auto most = *std::max_element(counts.begin(), counts.end());
    std::vector<std::size_t> best;
    for (std::size_t i = 0; i < counts.size(); ++i)
        if (counts[i] == most) best.push_back(i);
    Random random = world().random().stream(fmt::format("arena.vote.{}", world().tick_number()));
    const std::string chosen = choices_.get()[best[random.next_below(best.size())]];
    game_state().say(fmt::format("{} it is, with {} {}", chosen, most, most == 1 ? "vote" : "votes"));
    if (game_state().host().experience_id().name.text() == chosen) return open();  // nothing changes, so nothing loads
    if (const auto set = game_state().host().set_experience(chosen); !set) {
        game_state().say(set.status().text());
        open();
    }
}

}  // namespace plectrum
