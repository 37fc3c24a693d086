// features/features.h: the features of a process: found, brought up, shared between worlds, and really taken away.
//
//     Features features({runtime, assets, files, modules});
//     features.discover("game");                                   // game/*/feature.toml
//     FeatureHold hold = features.acquire(Name("tag"), world.owner(), Destination::Active, done);
//     ...once per frame, after assets.pump():  features.update();
//     hold.release();                                              // nobody else wants it: unloaded
//
// Each feature has one state machine (state_machine.h) for the whole process. It climbs to the highest level that any
// owner asks for and comes down when the last has left:
//
//     an owner is     the process (load, activate, deactivate, unload), a world, or a feature that depends on it
//     going up        dependencies first; Registered: its code is open and what it brings is registered; Loaded: what
//                     its actions need is in memory; Active: its actions apply
//     in a world      a feature owned by a world applies there and nowhere else; one owned by the process applies to
//                     all worlds; a dependency, and what a feature acquires by its own code, where that feature does
//     going down      dependents first; then actions newest first, assets, registrations, the library: unmapped
//     who is held     is not lowered; the refusal lists who holds it
//     what fails      undoes its own work, tells everybody who waits, and can be asked for again
//
// Callbacks are called once, at the latest in the update in which it is decided, and may do anything: ask for more,
// drop holds, destroy this object. Until then each is a subscription of the code that asked: listed in its ledger, and
// with it taken back, reported and never called, as whatever else is left when that code goes. The code of a feature is
// closed inside update(), also if it failed to register, and never while code of any feature is on the stack. Frame's
// thread.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "lyre/assets/assets.h"
#include "lyre/core/problem.h"
#include "lyre/features/feature_error.h"
#include "lyre/features/feature_report.h"
#include "lyre/features/ledger.h"
#include "lyre/features/manifest.h"
#include "lyre/features/module.h"
#include "lyre/features/policy.h"
#include "lyre/features/solver.h"
#include "lyre/world/runtime.h"

namespace lyre::features {

class FeatureTable;  // detail/feature_table.h
struct PauserInfo;   // action_run.h

// A fault that somebody asked for, to see what happens: of one run of one transition.
struct StepFault {
    enum class Effect : std::uint8_t { None, Fail, Delay, Never } effect = Effect::None;
    double seconds = 0;  // of Delay
    std::string text{};  // of Fail
};

struct FeaturesSetup {
    Runtime& runtime;
    assets::Assets& assets;
    const Files& files;
    ModuleLoader& modules;
    const FeaturePolicy* policy = nullptr;  // null: the default
    // Asked once per transition; empty: none. What delays CheckingStatus keeps discover() from finding the feature.
    std::function<StepFault(Name feature, FeatureState)> faults{};
};

// Why one of `planned` cannot be had; none: it can.
using PlannedRefusals = std::function<std::optional<FeatureError>(Name, const std::vector<Name>& planned)>;

// What observers are told, about one feature.
struct FeatureEvent {
    enum class What : std::uint8_t {
        Discovered,
        Downloading,
        Releasing,
        Mounted,
        Unmounting,
        Registering,
        Unregistering,
        Loading,
        Unloading,
        Activating,
        Activated,
        Deactivating,
        WorldAttached,
        WorldDetached,
        PauseChanged,  // is_paused says which
        Failed,
        Terminating,
    } what;
    Name feature;
    World* world = nullptr;  // of the world events, and of Failed if that is in one world
    bool is_paused = false;
    const FeatureError* error = nullptr;  // of Failed
};
std::string_view to_string(FeatureEvent::What what);

class FeatureObserver {
public:
    virtual ~FeatureObserver() = default;
    virtual void feature_event(const FeatureEvent& event) = 0;
};
enum class Replay : bool { FutureOnly, CurrentAndFuture };

// One observer may be added several times: it hears each event once, and goes with the last of its handles.
class [[nodiscard]] ObserverHandle {
public:
    ObserverHandle() = default;
    ObserverHandle(ObserverHandle&& other) noexcept { *this = std::move(other); }
    ObserverHandle& operator=(ObserverHandle&& other) noexcept;
    ~ObserverHandle() { reset(); }
    void reset();
    bool is_watching() const;  // false: dropped, refused, taken back with its feature, or everything has ended

private:
    friend class Features;
    std::weak_ptr<FeatureTable> table_;
    std::uint64_t number_ = 0;
};

// One owner's claim on a feature; dropping it gives the claim back. May outlive Features.
class [[nodiscard]] FeatureHold {
public:
    FeatureHold() = default;
    FeatureHold(FeatureHold&& other) noexcept { *this = std::move(other); }
    FeatureHold& operator=(FeatureHold&& other) noexcept;
    ~FeatureHold() { release(); }
    void release();
    bool is_held() const;  // false: released, refused, failed, or everything has ended
    Name feature() const { return feature_; }

private:
    friend class Features;
    std::weak_ptr<FeatureTable> table_;
    Name feature_;
    Owner owner_;
    std::uint64_t serial_ = 0;
};

enum class Dependents : bool { Refuse, TakeDown };  // of a feature that is to be lowered
enum class KeepRegistered : bool { No, Yes };

struct AcquireOptions {
    UnloadPolicy unload{};  // counts if this is the last owner to leave; Default: that of the policy
    // By the plan of several wishes that this is one of: an optional feature, whom it stays out of, and why.
    std::span<const Degraded> left_out{};
};

struct Target {
    Name feature;
    Destination destination;
};
using FeatureResults = std::vector<FeatureResult>;  // one for each that was asked for, in that order
using BatchCallback = std::function<void(const FeatureResults&)>;
enum class OnFailure : bool { GoOn, Stop };

// A callback, and the place that asked, for the ledger: any function that takes the result, or none.
template <class Result> struct AnswerTo : std::function<void(const Result&)> {
    AnswerTo() = default;
    template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, AnswerTo>)
        AnswerTo(F&& callback, const char* in_file = __builtin_FILE(), int in_line = __builtin_LINE())
        : std::function<void(const Result&)>(std::forward<F>(callback)), file(in_file), line(in_line) {}
    const char* file = "";
    int line = 0;
};
using FeatureAnswer = AnswerTo<FeatureResult>;
using BatchAnswer = AnswerTo<FeatureResults>;

class Features {
public:
    static constexpr std::size_t kMaxFeatures = 65'536;
    static constexpr std::size_t kMaxObservers = 4096;

    explicit Features(const FeaturesSetup& setup);
    ~Features();  // takes everything down, without waiting for anybody
    Features(const Features&) = delete;
    Features& operator=(const Features&) = delete;
    // Not ok: the runtime has a Features already, whose commands and settings are there. This one stays empty, and
    // answers whatever is asked of it with the reason.
    Status status() const;

    // Reads the manifests of a root's direct subfolders and brings those features to Installed. May be called again at
    // any time: new ones are known at once, changed ones when they are reloaded, or down while nothing is; those whose
    // folder has gone end when they are down, likewise. Gives what is wrong with manifests; their features are not known.
    Problems discover(const std::string& root);
    void install(std::string_view locator, FeatureAnswer callback = {});  // "file:game/tag": one, with its error
    void start(BatchAnswer callback = {});                                // brings all to their initial state, in order
    void update();                                                        // once per frame
    bool is_at_rest() const;  // none is on its way, or about to be; one that waits for what holds it is at rest

    // For the process. Active is answered when all game worlds have been joined, or with the error of one that could
    // not be; where the feature is Active already, activate() leaves it to the others.
    void load(Name id, FeatureAnswer callback = {});
    void activate(Name id, FeatureAnswer callback = {});
    void deactivate(Name id, Dependents dependents = Dependents::Refuse, FeatureAnswer callback = {});
    void unload(Name id, KeepRegistered keep = KeepRegistered::No, FeatureAnswer callback = {},
                Dependents dependents = Dependents::Refuse);
    void release(Name id, FeatureAnswer callback = {});
    void terminate(Name id, FeatureAnswer callback = {});
    void change_target(Name id, Destination destination, FeatureAnswer callback = {});
    void change_targets(std::span<const Target> targets, BatchAnswer callback = {},
                        OnFailure on_failure = OnFailure::GoOn);
    void cancel(Name id, FeatureAnswer callback = {});
    // Opens the newest version; if that fails or is cancelled, the old one again. Waits for reloads of what it needs, or
    // what needs it.
    void reload(Name id, FeatureAnswer callback = {});
    void trim();  // what nobody owns goes, whatever the policy said

    // For anybody. A world's owner is world.owner(). The owner counts from the call on, and nowhere once it fails.
    FeatureHold acquire(Name id, const Owner& owner, Destination level, FeatureAnswer callback = {},
                        const AcquireOptions& options = {});
    // For an owner that goes from one plan to another. First, of what it holds, what the new plan leaves out goes at
    // once, so that there is room for what excludes it. Then, when the owner has released what it wants no more, what
    // the old plan left out and the new one does not comes to the features that stay.
    void leave_out(const Owner& owner, const std::vector<Name>& planned, std::span<const Degraded> left_out);
    void let_in(const Owner& owner, const std::vector<Name>& planned, std::span<const Degraded> left_out);
    ObserverHandle add_observer(FeatureObserver& observer, Replay replay = Replay::FutureOnly);

    std::vector<Name> known() const;  // in order of id
    // That start() brings up so far at least, with all that they depend on.
    std::vector<Name> from_the_start(InitialState least = InitialState::Registered) const;
    FeatureState state(Name id) const;  // unknown: Terminal
    const Manifest* manifest(Name id) const;
    std::string manifest_file(Name id) const;    // "game/tag/feature.toml"
    std::uint64_t manifest_hash(Name id) const;  // of what it says, without comments and order of keys; unknown: 0
    // What acquire() would be refused with now, dependencies included; none: it would not. Nothing is moved.
    std::optional<FeatureError> why_not(Name id, const Owner& owner, Destination level) const;
    // The same for many that are planned together, dependencies included: the policy, and what each cannot be active
    // together with. What the owner wants now and does not plan counts as gone. What is there is looked up once for one
    // plan, so the answers are good until something moves.
    PlannedRefusals why_not_planned(const Owner& owner) const;
    // For who plans before start() what comes after it: what cannot be active together with what start() activates.
    PlannedRefusals why_not_after_start() const;
    const Problems* problems(Name id) const;  // of its actions, the last time it was registered; null: unknown
    const Catalogue& catalogue() const;       // all that are known, for make_plan(); until some come or go
    std::uint64_t catalogue_version() const;  // another one when they have, or when a manifest has changed
    // What would come up for these, and in which order; like make_plan(), but with what the policy allows.
    Plan plan(std::span<const Wish> wishes, Roles roles) const;
    float progress(Name id) const;                    // 0 to 1, of the present climb
    float progress(std::span<const Name> ids) const;  // the mean
    const FeatureError* error(Name id) const;  // of the last failure or refusal; null: none since it was asked last
    bool is_attached(Name id, const World& world) const;
    bool is_in_call() const;  // on the stack: what is asked for now is carried out at its end
    bool is_leaving(Name id, const World& world) const;  // it applies there still, and nobody wants it to
    std::vector<PauserInfo> pausers(Name id, const World& world) const;  // who asks for time before it leaves there
    std::vector<LedgerEntry> ledger(Name id) const;
    FeatureReport report(Name id) const;
    std::optional<WorldReport> report_in(Name id, const World& world) const;  // none: it has nothing to do with it
    std::vector<FeatureReport> reports() const;
    std::string explain(Name id) const;  // for people: what it does, waits for, holds, and who holds it
    std::string ledger_json(Name id) const;
    std::vector<Holder> holders(Name id) const;  // what keeps it from being unloaded now; empty: nothing
    ActionServices services() const;

private:
    void change_all(std::span<const Target> targets, BatchAnswer callback, OnFailure on_failure, bool only_up);

    std::shared_ptr<FeatureTable> table_;
};

}  // namespace lyre::features
