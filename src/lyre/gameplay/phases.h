// gameplay/phases.h: where in a match one is: nested tags, of which one line is in force.
//
//     GamePhases& phases = state.phases();
//     PhaseHold playing = phases.start(tag("Playing"));           // Playing
//     PhaseHold flags = phases.start(tag("Playing.CaptureFlag")); // Playing, Playing.CaptureFlag
//     PhaseHold after = phases.start(tag("Playing.PostGame"));    // Playing, Playing.PostGame
//
// Starting a phase ends every phase that is not one of its ancestors, newest first; then it is told. A phase ends with
// its hold, or when another ends it; a hold may outlive everything. The action start_game_phase does this for content:
// started when the feature is active in the world, ended with it. The server's; elsewhere its values are told as they
// come. A callback may start and end phases, kMaxNested in all inside one start or end: callbacks that start phases for
// ever are refused there. What a callback throws is reported. Frame's thread.
#pragma once

#include <memory>
#include <vector>

#include "lyre/core/delegate.h"
#include "lyre/core/tags.h"
#include "lyre/features/action.h"
#include "lyre/gameplay/components.h"
#include "lyre/world/property.h"

namespace lyre::gameplay {

class GamePhases;

class [[nodiscard]] PhaseHold {
public:
    PhaseHold() = default;
    PhaseHold(PhaseHold&&) noexcept = default;
    PhaseHold& operator=(PhaseHold&& other) noexcept;
    ~PhaseHold() { end(); }
    void end();
    bool is_active() const;

private:
    friend class GamePhases;
    PhaseHold(std::weak_ptr<GamePhases*> phases, std::uint64_t id) : phases_(std::move(phases)), id_(id) {}
    std::weak_ptr<GamePhases*> phases_;
    std::uint64_t id_ = 0;
};

class GamePhases : public GameStateComponent {
public:
    using Described = GamePhases;
    static constexpr std::size_t kMaxActive = 64;
    static constexpr std::size_t kMaxNested = 8 * kMaxActive;  // starts inside callbacks of one start or end
    static void describe(TypeBuilder<GamePhases>& t);
    GamePhases();
    void end_play(EndReason reason);

    Result<PhaseHold> start(GameplayTag phase);  // refused: not the server, no tag, kMaxActive, kMaxNested
    const std::vector<GameplayTag>& active() const { return active_.get(); }  // oldest first
    bool is_active(GameplayTag phase) const;                                  // it or one below it

    Delegate<GameplayTag> started, ended;  // on every machine

private:
    friend class PhaseHold;
    struct Inside;
    Result<PhaseHold> start_now(GameplayTag phase);
    void end(std::uint64_t id);
    void tell(Delegate<GameplayTag>& delegate, std::string_view what, GameplayTag phase);
    void active_replicated(const std::vector<GameplayTag>& old);
    Property<std::vector<GameplayTag>> active_;
    std::vector<std::uint64_t> ids_;  // of active_
    std::uint64_t last_ = 0;
    std::size_t depth_ = 0;   // of start() and end()
    std::size_t nested_ = 0;  // starts since the outermost began
    std::shared_ptr<GamePhases*> self_;
};

// The feature's phase begins when it is active in the world.
struct StartGamePhase : features::GameFeatureAction {
    std::vector<GameplayTag> phase;  // as written

    void activated(features::ActivatingContext& context) const override;
    Status activating(features::ActivatingContext& context) const override;
    static void describe(TypeBuilder<StartGamePhase>& t);
};

}  // namespace lyre::gameplay
