// experience/host.h: the experience of one world: chosen, loaded in stages, played, switched, left.
//
//     Host& host = ...;                                        // a component of the GameState
//     host.call_or_register_on_experience_loaded(Priority::High, *this, [](const ExperienceDefinition&) { ... });
//     Result<SetTicket> ticket = host.set_experience(id);       // the server decides
//     ...once per frame, after features.update(): experiences.update();
//
//                set          features in plan?            delay > 0?
//     Unloaded ------> Loading --+--> LoadingGameFeatures --+--> LoadingChaosTestingDelay --+--> ExecutingActions
//        ^                |      +--------------------------+-------------------------------+        |       |
//        |                |                                 |                                        |    Loaded
//        |                +------- failure, clear, another set: legal everywhere --------------------+-------+
//        |                                                  v
//        +------------- cleared --------------------  Deactivating  ---- load had failed ---->  Failed (cause)
//        |                 Loading <---- a reload ----------+---- a switch ----> LoadingGameFeatures, or what follows it
//        +------------- clear ------------------------------------------------------------------+   |
//                                       Loading, next generation  <---- retry, fallback, set -------+
//
// There is one mechanism. A host has taken things, in order: bundles of assets, features, actions. A target says what
// it should have. Loading, leaving and switching are the same walk from what is taken to the target: load the target's
// definition and bundles; take away what it does not name, newest first (Deactivating, the point of no return); bring
// up what is missing, in order of the plan. A reload takes all away before it asks for bundles. Leaving is a walk to
// the empty target, a failed load too. A set in the middle of a walk changes the target, and the walk goes on from
// where it is.
//
// Every set, clear, retry and fallback takes the next generation. What travels to clients is the Choice alone: id,
// generation, content hash. Each side computes the rest for itself. Answers to an older walk are dropped and counted.
//
// Everything happens inside update(), but that clear leaves as far as it can at once, and that the end of the world
// leaves at once and waits for nobody. Callbacks may do anything, also set and clear, which begin when the running step
// returns; what a broadcast has not reached by then stays registered. Frame's thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lyre/experience/cause.h"
#include "lyre/experience/definition.h"
#include "lyre/experience/loading_report.h"
#include "lyre/experience/plan.h"
#include "lyre/experience/rounds.h"
#include "lyre/experience/selection.h"
#include "lyre/experience/timeline.h"
#include "lyre/world/object.h"
#include "lyre/world/property.h"

namespace lyre::experience {

namespace detail {
class HostWalk;  // detail/host_walk.h
class ExperienceTable;
struct TicketState;
struct HoldState;
}  // namespace detail

// What the server tells its clients, in one value.
struct Choice {
    assets::PrimaryAssetId experience{};  // none: no experience
    std::uint32_t generation = 0;
    std::uint64_t content_hash = 0;
    std::vector<assets::PrimaryAssetId> overlays{};
    Cause failure{};  // with none: why there is none
    static void describe(TypeBuilder<Choice>& t);
};

// How a set ended, once.
struct SetOutcome {
    enum class Kind : std::uint8_t { Open, Loaded, FellBack, Failed, Cancelled, Superseded } kind = Kind::Open;
    assets::PrimaryAssetId experience{};  // that is loaded now: of Loaded and FellBack
    Cause cause{};                        // of FellBack and Failed
    std::uint32_t by_generation = 0;      // of Superseded
    std::string to_string() const;        // "Superseded by generation 3"
};

// Follows one set through retries and fallback. A plain value; copies are the same ticket; may outlive everything.
class SetTicket {
public:
    SetTicket() = default;
    std::uint32_t generation() const;  // that the set took
    const SetOutcome& outcome() const;
    bool is_open() const { return outcome().kind == SetOutcome::Kind::Open; }
    // Once, when it ends: in the update in which that is decided, in the next if a call outside of updates supersedes
    // it, at once if it has ended or is cleared.
    CallbackHandle on_end(WeakOwner owner, std::function<void(const SetOutcome&)> callback);

private:
    friend class detail::HostWalk;
    std::shared_ptr<detail::TicketState> state_;
};

struct SetOptions {
    bool reload = false;                             // also if it is in force already: everything is left first
    std::vector<assets::PrimaryAssetId> overlays{};  // action_set:NAME or feature:NAME
    std::optional<FailurePolicy> failure{};          // instead of what the definition says, also if it cannot be read
};

struct ReadyResult {
    enum class Kind : std::uint8_t { Ready, Failed, Ended } kind = Kind::Ready;
    Cause cause{};  // of Failed
};
using ReadyCallback = std::function<void(const ReadyResult&)>;

// Keeps play from starting while it lives, or until its limit. May outlive everything.
class [[nodiscard]] PlayStartHold {
public:
    PlayStartHold() = default;
    PlayStartHold(PlayStartHold&&) noexcept = default;
    PlayStartHold& operator=(PlayStartHold&& other) noexcept;
    ~PlayStartHold() { release(); }
    void release();
    bool is_held() const;

private:
    friend class detail::HostWalk;
    std::shared_ptr<detail::HoldState> state_;
};

struct HostCounters {
    std::uint64_t stale_completions = 0;    // answers to an older walk
    std::uint64_t second_answers = 0;       // for the same thing
    std::uint64_t ignored_choices = 0;      // that were not newer
    std::uint64_t late_pausers = 0;         // done after nobody waited any more
    std::uint64_t dropped_completions = 0;  // bound to a CancelToken
    std::uint64_t retries = 0;              // attempts after the first, by a policy
};

class Host : public Component {
public:
    using Described = Host;
    static void describe(TypeBuilder<Host>& t);
    Host();
    ~Host();
    void registered();
    void end_play(EndReason reason);
    void connect();  // experiences.add_game() does it; nothing if it is, or there is nobody to connect to

    // The server decides. Unknown: refused with the nearest id; a client: refused.
    Result<SetTicket> set_experience(assets::PrimaryAssetId id, const SetOptions& options = {});
    Result<SetTicket> set_experience(std::string_view id, const SetOptions& options = {});  // "tag", "experience:tag"
    Status check_experience(std::string_view id) const;  // what set_experience would say of the id
    static Status check_overlays(const std::vector<assets::PrimaryAssetId>& overlays);  // not too many, none twice
    Status clear_experience(std::string reason);
    Result<SetTicket> retry_experience();  // in Failed
    // While Loaded: an action set, or feature:NAME, on top. Adding what is there, removing what is not, and what cannot
    // be planned are refused. If it fails what runs now is gone back to, unless `failure` says otherwise.
    Result<SetTicket> add_action_set(assets::PrimaryAssetId id, const FailurePolicy& failure = to_previous());
    Result<SetTicket> remove_action_set(assets::PrimaryAssetId id, const FailurePolicy& failure = to_previous());
    static FailurePolicy to_previous() { return {FailureKind::FallBack, 1, 0, Name(kPrevious)}; }
    // Selects in the next update, or when what is there has been left, unless something was set or cleared by then.
    // `overlays` are put on whatever is set. Refused when it has failed: clear comes first.
    Status init_game(SelectionSources sources, std::vector<assets::PrimaryAssetId> overlays = {});

    // What the network carries: the server's value, taken by its clients.
    const Choice& published() const { return choice_.get(); }
    Status receive(const Choice& choice);

    bool is_connected() const;  // to Experiences; else everything is refused
    LoadState state() const;
    std::uint32_t generation() const;
    float progress() const;  // 0 to 1: only rises on the way to Loaded, 1 exactly there; 0 when it leaves or failed
    bool is_experience_loaded() const;
    assets::PrimaryAssetId experience_id() const;                    // that is loaded, on its way or failed; none
    const std::vector<assets::PrimaryAssetId>& overlays() const;     // on top of it, the standing ones too
    Result<const ExperienceDefinition*> current_experience() const;  // good as long as it is loaded
    const std::vector<features::Degraded>& degraded() const;         // of Loaded
    const Cause& failure() const;                                    // of Failed, and of the attempts on the way there
    std::optional<double> seconds_to_next_attempt() const;
    const std::vector<std::string>& leave_report() const;  // problems met while leaving, the last time
    HostCounters counters() const;
    std::vector<std::string> taken() const;  // what it holds now, oldest first; empty after leaving
    const Timeline* timeline() const;        // of the last load or leave; null: not connected
    // For a loading screen: empty in Loaded; final: nothing more will happen by itself.
    struct ScreenReason {
        std::string text{};
        bool is_final = false;
    };
    ScreenReason loading_screen_reason() const;

    CallbackHandle call_or_register_on_experience_loaded(Priority priority, WeakOwner owner,
                                                         std::function<void(const ExperienceDefinition&)> callback,
                                                         Repeat repeat = Repeat::Once,
                                                         const char* file = __builtin_FILE(),
                                                         int line = __builtin_LINE());
    CallbackHandle call_or_register_on_experience_failed(WeakOwner owner, std::function<void(const Cause&)> callback,
                                                         const char* file = __builtin_FILE(),
                                                         int line = __builtin_LINE());
    // One answer: in the Normal round, in the next update if it is Loaded or Failed already, or Ended. None if its
    // handle is refused: too many wait.
    CallbackHandle wait_for_experience_ready(ReadyCallback callback, WeakOwner owner = {},
                                             const char* file = __builtin_FILE(), int line = __builtin_LINE());

    // What is to be in memory before Loaded is said besides what the plan names: asked when all else is done, with the
    // definition that was planned, again and again until nothing new is named and all is there or cannot be, which is
    // no failure; one that throws is told, and asks for nothing; of one list kMaxAssets count. It is held until the
    // experience is left, in a switch until the next is Loaded; what lies in a feature goes before the feature. There
    // is one, for all loads: it goes with the feature whose code it is, or when an empty one takes its place.
    using AssetsNeeded = std::function<std::vector<assets::PrimaryAssetId>(const ExperienceDefinition&)>;
    void need_assets(AssetsNeeded needed, const char* file = __builtin_FILE(), int line = __builtin_LINE());

    // Play may start when the server is Loaded and nobody holds it; it stays so for the generation. A hold that comes
    // later is refused. `limit` in seconds of the frame's clock; 0: none.
    Result<PlayStartHold> hold_play_start(std::string name, double limit);
    CallbackHandle call_when_play_may_start(Priority priority, WeakOwner owner, std::function<void()> callback,
                                            Repeat repeat = Repeat::Once, const char* file = __builtin_FILE(),
                                            int line = __builtin_LINE());
    bool may_play_start() const;

    bool is_leaving_held_up() const;  // somebody asks for time
    SelectionReport explain_selection() const;
    LoadingReport explain_loading() const;
    FailureReport explain_failure() const;

    void update();  // experiences.update() does it for all

private:
    friend class detail::HostWalk;
    friend class detail::ExperienceTable;
    Status not_connected() const;
    Property<Choice> choice_;
    Rounds<ExperienceDefinition, std::vector<assets::PrimaryAssetId>*> needed_;  // of one at most
    CallbackHandle needed_by_;
    std::unique_ptr<detail::HostWalk> walk_;
};

}  // namespace lyre::experience
