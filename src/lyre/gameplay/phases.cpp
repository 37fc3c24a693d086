#include "lyre/gameplay/phases.h"

#include <algorithm>

#include "lyre/features/side.h"
#include "lyre/gameplay/detail/guarded.h"
#include "lyre/gameplay/game_state.h"
#include "lyre/gameplay/gameplay.h"
#include "lyre/world/class_info.h"
#include "lyre/world/world.h"

namespace lyre::gameplay {

PhaseHold& PhaseHold::operator=(PhaseHold&& other) noexcept {
    if (this == &other) return *this;
    end();
    phases_ = std::move(other.phases_);
    id_ = other.id_;
    return *this;
}

void PhaseHold::end() {
    if (const auto phases = std::exchange(phases_, {}).lock()) (*phases)->end(id_);
}

bool PhaseHold::is_active() const {
    const auto phases = phases_.lock();
    return phases != nullptr && std::find((*phases)->ids_.begin(), (*phases)->ids_.end(), id_) != (*phases)->ids_.end();
}

void GamePhases::describe(TypeBuilder<GamePhases>& t) {
    t.help("where in the match one is");
    t.parent<GameStateComponent>();
    t.property("active", &GamePhases::active_).replicated().notify(&GamePhases::active_replicated);
}

// A start or an end: what callbacks start in the outermost one is counted.
struct GamePhases::Inside {
    explicit Inside(GamePhases& phases) : of(phases) {
        if (of.depth_++ == 0) of.nested_ = 0;
    }
    ~Inside() { --of.depth_; }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
    GamePhases& of;
};

GamePhases::GamePhases() : self_(std::make_shared<GamePhases*>(this)) {}

void GamePhases::end_play(EndReason) {
    self_.reset();  // nothing starts any more
    while (!ids_.empty()) end(ids_.back());
}

Result<PhaseHold> GamePhases::start(GameplayTag phase) {
    if (!actor().has_authority() || self_ == nullptr) return Status::refused("only the server starts phases");
    if (phase.is_none()) return Status::invalid("no phase is named");
    if (depth_ > 0 && ++nested_ > kMaxNested)
        return Status::refused("callbacks of one start or end have started {} others", kMaxNested);
    const World::CallScope scope(world());
    const Inside inside(*this);
    return start_now(phase);
}

Result<PhaseHold> GamePhases::start_now(GameplayTag phase) {
    for (std::size_t ends = 0;; ++ends) {  // what is told of an end may start and end others
        const auto other =
            std::find_if(active().rbegin(), active().rend(), [&](GameplayTag one) { return !phase.matches(one); });
        if (other == active().rend()) break;
        if (ends == 4 * kMaxActive) return Status::refused("others are started as fast as {} ends them", phase.text());
        end(ids_[static_cast<std::size_t>(active().rend() - other - 1)]);
    }
    if (self_ == nullptr) return Status::refused("the match has ended meanwhile");
    if (ids_.size() == kMaxActive) return Status::capacity("{} phases are active", ids_.size());
    PhaseHold hold(self_, ++last_);
    ids_.push_back(last_);
    active_.edit()->push_back(phase);
    tell(started, "started", phase);
    return hold;
}

void GamePhases::tell(Delegate<GameplayTag>& delegate, std::string_view what, GameplayTag phase) {
    detail::guarded(world(), actor().id(), what, [&] { delegate.broadcast_to_all(phase); });
}

// Ends first, newest first, as where they were made.
void GamePhases::active_replicated(const std::vector<GameplayTag>& old) {
    const World::CallScope scope(world());
    std::vector<GameplayTag> gone = old, come;
    for (GameplayTag phase : active()) {
        const auto at = std::find(gone.begin(), gone.end(), phase);
        if (at != gone.end())
            gone.erase(at);
        else
            come.push_back(phase);
    }
    for (auto phase = gone.rbegin(); phase != gone.rend() && !is_doomed(); ++phase) tell(ended, "ended", *phase);
    for (GameplayTag phase : come)
        if (!is_doomed()) tell(started, "started", phase);
}

bool GamePhases::is_active(GameplayTag phase) const {
    return std::any_of(active().begin(), active().end(), [&](GameplayTag one) { return one.matches(phase); });
}

void GamePhases::end(std::uint64_t id) {
    const auto at = std::find(ids_.begin(), ids_.end(), id);
    if (at == ids_.end()) return;
    const World::CallScope scope(world());
    const Inside inside(*this);
    const auto index = at - ids_.begin();
    const GameplayTag phase = active()[static_cast<std::size_t>(index)];
    ids_.erase(at);
    {
        auto edit = active_.edit();
        edit->erase(edit->begin() + index);
    }
    tell(ended, "ended", phase);
}

void StartGamePhase::describe(TypeBuilder<StartGamePhase>& t) {
    t.help("starts a phase of the match");
    t.property("phase", &StartGamePhase::phase).required().help("tags, started in the order they are written");
}

// Declared tags stay as long as they are used.
Status StartGamePhase::activating(features::ActivatingContext& context) const {
    TagTable& table = context.runtime().tags();
    for (GameplayTag tag : phase) {
        if (auto known = table.find(tag.text()); !known) return known.status();
        context.keep(table.use(tag, context.where()));
    }
    return Status::ok();
}

void StartGamePhase::activated(features::ActivatingContext& context) const {
    if (!features::is_server_side(context.world().net_mode())) return;
    for (GameplayTag tag : phase) {
        const GameState* state = Match::state(context.world());  // what starts with one may end all of them
        auto* phases = state != nullptr ? state->find<GamePhases>() : nullptr;
        auto hold = phases != nullptr ? phases->start(tag) : Result<PhaseHold>(Status::refused("no GameState here"));
        if (!hold)
            context.runtime().log().report(LogLevel::Error, Name("gameplay.phase_refused"), context.where(),
                                           fmt::format("phase {}: {}", tag.text(), hold.status().text()));
        else
            context.keep(std::move(*hold));
    }
}

}  // namespace lyre::gameplay
