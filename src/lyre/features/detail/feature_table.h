// features/detail/feature_table.h: what Features is made of: the table of features, and each feature's record.
//
// A Feature drives its own StateMachine (feature_steps.cpp: what the transitions do), keeps who owns it, what it holds
// of others, and in which worlds it applies (attachments.cpp). The table finds features, decides what a wish comes to
// (feature_plans.cpp), carries out what was asked for (feature_requests.cpp), and lets them run: settle() goes through
// those that have something to do until none has. A request runs its feature at once, also from inside a callback of
// another; where kMaxDepth stand on the stack that way it only marks the feature as busy, and the settle() below them
// comes to it.
#pragma once

#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "lyre/features/action_reading.h"
#include "lyre/features/action_run.h"
#include "lyre/features/features.h"
#include "lyre/features/registrar.h"
#include "lyre/features/state_machine.h"

namespace lyre::features {

struct Feature;
struct Reload;

// One owner of a feature, and its claims.
struct Claim {
    std::uint64_t serial = 0;  // of a FeatureHold; 0: the process, or a dependent feature
    Destination level = Destination::Installed;
    UnloadPolicy unload{};
};
inline constexpr std::size_t kMaxClaims = 65'536;  // on one feature
struct OwnerEntry {
    Owner owner;
    std::vector<Claim> claims;
    std::int64_t since_us = 0;
    Destination level() const;
    // What only its owner gives back: all, but what calls for the process have asked for.
    Destination held_level() const;
    std::string to_string() const;  // "world arena (1) (Active)"
};

// A feature in one world.
struct Attachment {
    enum class Phase : std::uint8_t { Waiting, Applied, Leaving };
    World* world = nullptr;
    std::uint32_t serial = 0;  // of the world
    Phase phase = Phase::Waiting;
    std::unique_ptr<ActionRun> run;
    std::int64_t since_us = 0;  // of the phase
    std::string waits_for;
    bool is_activated = false;
    bool was_paused = false;
    std::uint64_t unswept_until = 0;  // it has left, and what it forgot until then is still to be taken back
};

struct WorldFailure : FeatureError {
    std::int64_t since_us = 0;
};

struct DependencyHold {
    enum class State : std::uint8_t { Pending, Ready, Failed };
    Name id;
    bool is_optional = false;
    Destination level = Destination::Installed;
    State state = State::Pending;
    std::uint64_t attempt = 0;  // answers to earlier ones do not count
    FeatureError error{};
};

// An optional dependency that a feature works without.
struct LeftOut {
    Name id;
    std::string reason;
    bool is_planned = false;  // by the plan of a wish, and in again with one that has room for it
    friend bool operator==(const LeftOut&, const LeftOut&) = default;
};

// What plans said of a feature in a world.
struct PlannedIn {
    Roles roles{};                   // that they were made for
    std::vector<LeftOut> without{};  // optional dependencies that stay out of it there
    bool is_further = false;         // made as it joined a world: no wish of that world says so
    friend bool operator==(const PlannedIn&, const PlannedIn&) = default;
};

// What the actions need for some roles.
struct BundleLoad {
    struct Of {
        ActionItem item;
        Status status;              // of what it says
        assets::LoadHandle handle;  // of its assets; complete if it needs none
        bool is_optional() const { return item.action->need == ActionNeed::Optional; }
        Status wrong() const { return status && handle.is_over() ? handle.status() : status; }
    };
    Roles roles;
    std::vector<Of> actions;

    Status failure() const;         // of a required one
    std::string waits_for() const;  // empty: nothing is under way
    std::vector<LeftOutAction> left_out() const;
    assets::LoadBytes bytes() const;
};

// What cannot be taken away yet is tried in each update at first, then every kRetryUs.
struct Retry {
    static constexpr std::size_t kQuickRetries = 8;
    static constexpr std::int64_t kRetryUs = 250'000;
    std::size_t count = 0;
    std::int64_t last_us = 0;
    bool is_due(std::int64_t now) const { return count < kQuickRetries || now - last_us >= kRetryUs; }
    void note(std::int64_t now) { ++count, last_us = now; }
};

// As if what, when it is asked what is there.
using Planned = std::vector<std::pair<Owner, Plan>>;
struct Supposed {
    // What else the owner wants counts as gone; null: it keeps all.
    const std::unordered_set<Name>* planned = nullptr;
    // These count as gone, with what is there only for them; null: all stay. `coming`: what comes in their place.
    const std::vector<Feature*>* going = nullptr;
    const Planned* coming = nullptr;
    bool is_going(const Feature& feature) const;
};

// What a feature comes up with.
struct Edition {
    ManifestFile file;
    std::shared_ptr<const ModuleImage> image{};  // opened instead of the library on disk
};

enum class RegisterStage : std::uint8_t { Module, Declarations, Classes, Actions, Hooks, Done };

struct Feature final : StateMachine::Driver {
    Feature(FeatureTable& of, Name called, std::string in_folder);

    // What the machine asks for: feature_steps.cpp.
    Step run(FeatureState transition, bool is_first) override;
    void undo(FeatureState transition) override;
    void changed(FeatureState before, FeatureState now) override;
    void failed(const FeatureError& error) override;
    double step_seconds() const override;

    Step check_status();
    Edition change_edition(Edition to);  // gives the one before
    bool take_newer();                   // true: it did, and ranks may have changed
    void keep_image();                   // as it goes down in a reload
    Step mount();
    Step wait_for_dependencies(Destination level, bool is_first);
    Step do_register(bool is_first);
    Step do_load(bool is_first);
    Step activate(bool is_first);
    Step deactivate(bool is_first);
    Step do_unload();
    Step unregister();
    Step unmount();
    std::optional<FeatureError> open_module();
    std::optional<FeatureError> declare();
    std::optional<FeatureError> make_classes();
    std::optional<FeatureError> build_actions();
    std::optional<FeatureError> why_not_unregister(bool only_asks = false);
    std::vector<Holder> content_users() const;
    std::size_t count_instances() const;  // of its types, in all worlds
    void drop_registrations();
    void close_module();
    std::optional<Step> wait_for_leftovers();
    ActionSubject subject() const;
    BundleLoad::Of load_for(const ActionItem& item, const std::vector<Name>& bundle_names);
    const BundleLoad& load_bundles(Roles roles);
    void leave_out_unreadable(const ActionReading& reading);
    std::vector<std::string> left_out_actions() const;

    // Dependencies.
    void hold_dependencies(Destination level, Roles roles);
    std::optional<LeftOut> why_without(const Dependency& optional) const;
    bool has_no_room(Name dependency, std::uint32_t world) const;
    const std::string* why_no_room(Name dependency) const;  // of the first world that has none
    // There; 0: wherever it is wanted. With `planned`: as if the owner had what it plans, and no more.
    bool is_without(Name id, std::uint32_t world, const Owner* owner = nullptr,
                    const std::unordered_set<Name>* planned = nullptr) const;
    std::vector<std::uint32_t> wanting() const;  // serials of the worlds that do; 0: the process does
    void drop_failed_optional();
    // At rest: what has room again is held, what nobody has room for any more is given back.
    void look_at_optional(Destination level, bool is_up);
    void lower_dependencies(Destination level);
    void drop_dependencies();
    const DependencyHold* pending_dependency() const;
    DependencyHold* find_hold(Name id);
    const DependencyHold* find_hold(Name id) const;
    const LeftOut* find_degraded(Name id) const;
    void let_go(Name dependency, LeftOut why);
    const Dependency* find_dependency(Name id) const;
    void degrade(LeftOut left_out);

    // Worlds: attachments.cpp.
    std::vector<World*> wanted_worlds() const;
    const Roles& roles() const;                                    // of all worlds it is wanted for, at whatever level
    Roles planned_roles() const;                                   // those of them whose dependencies it may hold
    std::optional<FeatureError> plan_further(const World& world);  // that no plan of it knew; none: it can be had
    Attachment* find_attachment(const World& world);
    bool is_here(const Attachment* attachment) const;  // looks at nothing of one that has gone
    std::vector<Attachment*> attachments_now() const;
    const Attachment* find_attachment(const World& world) const {
        return const_cast<Feature*>(this)->find_attachment(world);
    }
    bool reconcile();  // worlds that came and went; true: something moved
    bool attach(Attachment& attachment);
    // Why an optional dependency that it holds is not in that world; null: it is, or will be.
    const FeatureError* failed_optional(const DependencyHold& hold, std::uint32_t world) const;
    std::string missing_in(Attachment& attachment, bool& has_failed);
    void wake_dependents();
    void mark_acquired();
    void fail_attachment(World& world, FeatureError error);
    void begin_leave(Attachment& attachment);
    bool finish_leave(Attachment& attachment, bool is_forced);
    void put_away(std::unique_ptr<Attachment> gone);
    void sweep_world(Attachment& gone, std::uint64_t until);
    void sweep_again();
    void leave_world(World& world);  // it is ending: at once
    void leave_all();                // at once
    bool is_moving_in_worlds() const;
    bool is_late_in_worlds() const;  // a limit of time has passed
    std::optional<WorldReport> report_in(const World& world) const;
    std::vector<WorldReport> world_reports() const;  // in order of joining, then those where it failed

    // Owners.
    OwnerEntry* find_owner(const Owner& owner);
    Claim* find_claim(const Owner& owner, std::uint64_t claim);
    Destination owned_level() const;    // the highest; Installed if nobody
    Destination settled_level() const;  // without what waits for the end of a reload
    Destination cap() const;            // a reload keeps it down
    bool is_owned() const;
    Destination needed_level() const;
    std::vector<Holder> owners_above(Destination level) const;  // whom a call for the process does not lower
    bool is_wanted_in(const Owner& world, NetMode mode) const;  // at Active: by it, the process, or a dependent
    // At Active, by that world, what counts for all or a dependent; no mode: by anybody. Optional dependencies of what
    // the owner has planned count as left out of it if they are not planned.
    bool stays_wanted(const Owner& owner, const Supposed& supposed, std::optional<NetMode> mode) const;
    std::vector<const Feature*> with_dependents(Destination level) const;  // it first; those that want it so high

    FeatureError make_error(ErrorCode code, std::string text) const;
    void report(LogLevel level, std::string_view kind, const std::string& text) const;
    std::function<void()> waker();
    LedgerQuery ledger_query(const World* only_world = nullptr) const;
    std::string name() const { return std::string(id.text()); }
    Runtime& runtime() const;

    FeatureTable& table;
    Name id;
    std::string folder;
    std::uint32_t serial;
    Owner owner;
    StateMachine machine;
    std::size_t rank = 0;               // dependencies have lower ones
    mutable std::uint64_t visited = 0;  // by the walk with this number
    mutable Roles known_roles;
    mutable std::uint64_t roles_version = 0;  // table.owners_version for which they are known

    ManifestFile file;                         // of its version: both are written by change_edition alone,
    std::shared_ptr<const ModuleImage> image;  // this one by keep_image, too
    std::optional<ManifestFile> newer;         // waits until it is down and nothing is reloaded
    bool is_folder_gone = false;

    std::vector<OwnerEntry> owners;  // in order of acquisition
    std::vector<Reload*> reloads;    // that it is a member of
    UnloadPolicy last_unload{};      // of the owner that left last
    bool was_owned = false;
    bool is_relaxing = false;  // asked to go down, because nobody needs it as high
    Destination relaxing_to = Destination::Installed;
    bool is_warm = false;
    std::int64_t left_us = 0;
    std::uint64_t left_order = 0;

    std::vector<DependencyHold> holds;
    std::set<Name> acquired;        // by its own code, in this climb: they are where it is
    std::vector<LeftOut> degraded;  // of this climb
    Roles planned_for{};            // roles that plans were made for; nobody may want it for some of them any more

    assets::RootId root{};
    bool is_mounted = false;
    bool has_told_loading = false, has_told_activating = false;
    RegisterStage stage = RegisterStage::Module;
    std::unique_ptr<Module> module;
    std::string module_path;
    bool is_resident = false;
    std::vector<CommandHold> commands;
    assets::LoadHandle class_load;
    std::vector<assets::PrimaryAssetId> class_ids;
    std::vector<ActionPart> actions;
    std::vector<TagUse> tag_uses;  // that these name
    Problems action_problems;
    std::vector<std::string> unreadable;  // optional ones: "action 2 (run): why"
    std::vector<ActionItem> items;        // in the order they run
    std::unique_ptr<ActionRun> process_run;
    bool is_registered = false;  // its actions' registering ran
    bool is_loaded = false;      // its actions' loading ran
    bool is_registrations_dropped = false;
    std::uint64_t loading_from = 0;  // the first that was registered in Loading
    std::vector<BundleLoad> bundles;
    assets::LoadHandle preload;

    static constexpr std::size_t kMaxUnswept = 64;         // of more what was forgotten is taken back as it is
    std::vector<std::unique_ptr<Attachment>> attachments;  // in order
    std::vector<std::unique_ptr<Attachment>> unswept;      // have left, inside a callback
    std::map<std::uint32_t, WorldFailure> failed_worlds;   // by serial, until asked again
    struct Waiter {
        Owner owner;
        std::uint64_t serial;  // of the claim
        Destination level;     // that was asked for; the process may want it higher
        FeatureCallback callback;
    };
    static constexpr std::size_t kMaxWaiters = 60'000;  // fewer than its machine takes: others wait there, too
    std::size_t waiting = 0;                            // in all: in the machine, and in these
    std::vector<Waiter> world_waiters;                  // it is Active, and their worlds are to be joined
    std::vector<Waiter> reload_waiters;                 // they go on when the reload is over
    struct Lowering {
        GoalRange goal;
        FeatureCallback callback;
    };
    std::vector<Lowering> lowerings;  // wait for dependents to go down first

    std::optional<FeatureError> error;
    float best_progress = 0;
    bool is_busy = false, is_moving = false;
    bool is_optional_open = false;  // look_at_optional() when it rests
    bool is_refused = false;        // going down was refused: tried again when nothing holds it
    Retry retry;                    // since it was refused
    std::size_t instances_then = 0;
    bool is_fault_asked = false;
    StepFault fault{};
};

// What the plan of a reload said about a feature in a world, and what was said before.
struct Replanned {
    std::uint32_t world = 0;  // serial; 0: the process
    Name feature;
    std::optional<PlannedIn> before;
    PlannedIn after;
};

// A reload on its way. It waits for those that are about the same features; it is over when each member is as high as
// it was asked for, with the new version or with the old one again.
struct Reload {
    enum class Phase : std::uint8_t { Waiting, Down, Up, DownAgain, UpAgain } phase = Phase::Waiting;
    struct Member {
        Name id;
        Destination owed = Destination::Installed;     // it was asked to be so high again
        std::shared_ptr<const ModuleImage> before{};  // its code as it was open, for the way back
    };
    static constexpr std::size_t kMaxCallbacks = 4096;
    static constexpr std::size_t kMaxReturns = 4;  // of the old version, where others cancel its way
    Name feature;
    std::uint32_t serial = 0;                              // of that feature
    std::vector<Member> members;                           // it and those that depend on it
    std::vector<std::pair<Name, std::uint32_t>> attached;  // members, and serials of the worlds they were in
    std::vector<FeatureCallback> callbacks;
    Edition old;
    std::size_t returns = 0;
    std::vector<Replanned> replanned;  // by the new manifest: undone if the old one comes back
    std::optional<FeatureError> error;
    // The first answer of its own requests that was an error: what others ask of the members meanwhile is theirs.
    std::shared_ptr<std::optional<FeatureError>> trouble = std::make_shared<std::optional<FeatureError>>();
    bool keeps_down() const { return phase == Phase::Down || phase == Phase::DownAgain; }
};

// Of all types of that owner, newest type first; not in worlds that are in a callback.
void destroy_instances_of(Runtime& runtime, const Owner& owner);

// A walk along dependencies, which comes to each feature once. It calls nobody, so none begins inside another.
class FeatureWalk {
public:
    FeatureWalk(FeatureTable& table, const Feature& from);
    bool is_first(const Feature& feature) const { return std::exchange(feature.visited, number_) != number_; }

private:
    const std::uint64_t number_;
};

class FeatureTable final : public std::enable_shared_from_this<FeatureTable> {
public:
    static constexpr std::size_t kMaxRounds = 100'000;  // of one settle
    static constexpr std::size_t kMaxPlan = 2'000;      // features that one wish brings up
    static constexpr std::size_t kMaxDepth = 64;        // requests on the stack, each made inside the one before
    static constexpr std::size_t kMaxLowerings = 4096;  // that wait for dependents of one feature

    explicit FeatureTable(const FeaturesSetup& setup);
    ~FeatureTable();
    void begin();  // subscribes
    void end();    // takes everything down
    bool has_ended() const { return has_ended_; }

    // Finding.
    Feature* find(Name id) const;
    Feature* find(Name id, std::uint32_t serial) const;
    Feature* find_feature(const Owner& owner) const {
        return owner.kind == OwnerKind::Feature ? find(owner.name, owner.serial) : nullptr;
    }
    const Catalogue& catalogue() const;
    const PartKinds& kinds();  // of actions
    Plan plan(std::span<const Wish> wishes, Roles roles) const;
    void forget_catalogue() {
        catalogue_.reset();
        ++catalogue_version_;
    }
    std::uint64_t catalogue_version() const { return catalogue_version_; }
    FeatureError unknown_error(Name id) const;
    std::vector<Feature*> dependents_of(const Feature& feature) const;  // that hold it now
    Holder holder_of(const OwnerEntry& entry) const;
    Holder holder_of(std::string what, const Owner& user) const;
    std::vector<std::string> chain_of(const Owner& owner) const;  // who wants it, up to a root
    World* find_world(const Owner& owner) const;
    bool has_gone(const Owner& owner) const;  // it is that of a world, which has ended
    std::vector<World*> game_worlds() const;  // that have begun play, with a game
    bool is_game_world(const World& world) const;
    // Active for that world (null: for any), or coming to be, with all that these need.
    std::vector<Name> present_in(const World* world, const Owner& owner, const Supposed& supposed) const;
    std::vector<std::uint32_t> wanting(const Owner& owner) const;  // as Feature::wanting
    bool lives(const World* world, std::uint32_t serial) const;    // looks at nothing of a world that has gone
    Status allowed(const Feature& feature) const;

    // Manifests.
    Problems discover(const std::string& root);
    CommandResult discover_again(CommandArguments folders);  // feature_console.cpp
    FeatureCallback told_in_log(Name id, FeatureCallback callback);
    void install(std::string_view locator, FeatureCallback callback);
    Feature& add(const std::string& folder);
    void rekey(Feature& feature, Name id);
    void unlist(Feature& feature);
    void rank_all();
    void look_again(Feature& feature, Problems& problems);

    // Requests. Callbacks come wrapped: whoever asked may have gone, then nothing is called; they do not throw.
    template <class Result> std::function<void(const Result&)> wrap(AnswerTo<Result> callback);
    static std::size_t claims_on(const Feature& feature);
    void request(Feature& feature, GoalRange goal, FeatureCallback callback);
    bool post(Feature& feature, std::function<void()> work);  // to its machine; it may run in here
    void want(Feature& feature, const Owner& owner, Claim claim, GoalRange goal, FeatureCallback callback,
              std::span<const Degraded> left_out = {});
    void wanted(Feature& feature, const Feature::Waiter& waiter, FeatureResult result);
    static bool waits_for_reload(const Feature& feature, const Owner& owner);
    static bool is_given_up(Feature& feature, const Feature::Waiter& waiter);
    static void answer(Feature& feature, const Feature::Waiter& waiter, const FeatureResult& result);
    void go_on_after_reload(Feature& feature);
    void unwant(Feature& feature, const Owner& owner, std::uint64_t claim);
    void lower(Feature& feature, Destination level, GoalRange goal, Dependents dependents, FeatureCallback callback);
    void lower_claims(Feature& feature, Destination level);
    void raise(Name id, Destination level, GoalRange goal, FeatureCallback callback);
    void lower(Name id, Destination level, GoalRange goal, Dependents dependents, FeatureCallback callback);
    void change_target(Name id, Destination destination, FeatureCallback callback);
    void cancel(Name id, FeatureCallback callback);
    void answer_lowerings(Feature& feature, const FeatureError& error);
    void answer_overtaken(Feature& feature, Destination level);
    void answer_in_vain(Feature& from, Destination level, const FeatureError& error);
    bool is_giving_back(const OwnerEntry& entry, const Feature& dependent, Destination level) const;
    void forget_failures(Feature& feature, std::uint32_t world);

    // Circles: a feature whose code would hold what needs it is refused that. Where that comes to need it later (for
    // another role, or as an optional dependency) the hold ends when nobody outside of the circle wants any of it.
    std::vector<Name> way_to(const Feature& from, const Feature& other, const Plan& coming = {});
    std::optional<FeatureError> why_circle(const Feature& feature, const Owner& owner, const Plan& coming);
    bool is_circular(Feature& feature, const Feature& holder);  // it holds it by code alone, and is needed
    bool is_at_rest() const;
    bool break_circles();                                       // true: somebody has something to do

    // What a wish comes to: a plan, whose optional features are there only as far as policy and what is active let
    // them; or why it is refused. Empty: nothing has to move, nothing joins anybody.
    struct Decision {
        Plan plan;
        std::optional<FeatureError> refused;
        Roles roles{};  // that it counts for
    };
    // All of them are for one owner. Where some are going each counts as down.
    Decision decide(const std::vector<const Feature*>& wanted, const Owner& owner, Destination level,
                    const Supposed& supposed) const;
    Decision decide(const Feature& feature, const Owner& owner, Destination level) const {
        return decide({&feature}, owner, level, {});
    }
    Roles roles_of(const Owner& owner) const;  // of the worlds that a wish of his applies to
    Roles game_roles() const;                  // of all that the process' wishes apply to
    void note_planned(const Plan& plan, Roles roles);
    // What it leaves out is left out for that owner; `undo` hears of what was said before. What it has, and the plan
    // before it left out, comes, or stays out until a plan is carried where it does.
    enum class Regained : std::uint8_t { Comes, StaysOut };
    void carry(const Owner& owner, const Plan& plan, Regained regained = Regained::Comes,
               std::vector<Replanned>* undo = nullptr);
    // Of a wish of a feature, which is in several worlds: what has no room in one is there in the others.
    void carry_to_each(const Feature& feature, const Owner& owner, const Plan& plan);
    void carry_further(const World& world, const Plan& plan);
    bool is_planned(const Feature& feature, const World& world) const;
    void forget_joined(const Feature& feature, std::optional<std::uint32_t> world = {});  // none: in all
    void take_back_plans(const std::vector<Replanned>& replanned);
    // The plan's reason; null: `dependent` has this dependency in that world (0: where no world says otherwise).
    const std::string* left_out(Name dependent, Name dependency, std::uint32_t world) const;
    bool has_left_out() const { return left_out_count_ != 0; }
    std::optional<Incompatibility> find_conflict(const Owner& owner, const std::vector<Name>& coming,
                                                 const Supposed& supposed) const;
    // Each of `planned` that cannot be with something that is there, all else that the owner wants being gone.
    std::map<Name, Incompatibility> find_conflicts(const Owner& owner, const std::vector<Name>& planned) const;
    void add_conflicts(std::map<Name, Incompatibility>& found, std::vector<Name> present,
                       const std::vector<Name>& planned, Scope scope) const;
    void begin_reload(Feature& feature, FeatureCallback callback);
    bool is_reloading() const { return !reloads_.empty(); }  // meanwhile versions stay, but of what is reloaded
    void take_in(Reload& reload, Feature& feature);          // with all that hold it
    void trim();
    void begin_wish(Feature& feature);
    // Whether who wants it Active has it where that is: in its world, or for the process in all. None: not yet.
    std::optional<FeatureResult> outcome_in_worlds(const Feature& feature, const Owner& owner) const;
    void answer_joined(Feature& feature);
    void answer_waiting(Feature& feature);

    // Running.
    void mark_busy(Feature& feature);
    void mark_moving(Feature& feature);
    // Stands in every call from outside: what is asked for inside it, and by callbacks, is carried out at its end.
    class Entry {
    public:
        explicit Entry(FeatureTable& table);
        ~Entry();
        Entry(const Entry&) = delete;
        Entry& operator=(const Entry&) = delete;

    private:
        std::shared_ptr<FeatureTable> table_;
        bool is_outermost_;
    };
    void settle();
    void tell_ranks();
    bool is_settling() const { return is_settling_; }
    void update();
    bool may_close_code() const { return may_close_code_ && calling_ == 0; }  // inside update(), none is on the stack
    void bury(std::unique_ptr<Attachment> attachment) { buried_.push_back(std::move(attachment)); }
    template <class Call> void guarded(Name feature, std::string_view what, const Owner& owner, Call call);
    bool is_safe_to_close() const;  // no callback of a world and no code of a feature is on the stack
    void keep_resident(std::unique_ptr<Module> module) { residents_.push_back(std::move(module)); }
    void keep_for_way_back(const Feature& feature, const std::shared_ptr<const ModuleImage>& image);
    // In an update, when nothing of it is left; what is left by then goes with it.
    void close_later(const Owner& owner, std::unique_ptr<Module> module, bool has_leftovers);
    bool is_closing(const Owner& owner, bool with_leftovers = false) const;
    void sweep(LedgerQuery query, std::string_view where);
    bool take_leftovers(const Owner& owner);      // true: nothing of it is left
    bool has_tried_to_close(const Owner& owner);  // in this update; if not, the next one does
    void close(const Owner& owner, std::unique_ptr<Module> module);
    std::size_t* on_stack() { return &calling_; }
    bool is_ending() const { return is_ending_; }

    // Telling.
    void tell(FeatureEvent event, bool is_down = false);
    std::uint64_t add_observer(FeatureObserver& observer, Replay replay);  // its number; 0: there are too many
    void remove_observer(std::uint64_t number);
    bool has_observer(std::uint64_t number) const;
    std::vector<LedgerEntry> observers_of(const Owner& owner) const;
    void take_back(const Owner& owner);

    ActionServices services() { return {setup.runtime, setup.assets, code}; }
    // What the policy says; what it says if it throws is the default, and that is reported.
    std::vector<Name> policy_bundles(Roles roles) const;
    std::vector<assets::PrimaryAssetId> policy_preload(const Manifest& feature) const;
    UnloadPolicy policy_unload() const;
    InstancesPolicy policy_instances(const Manifest& feature) const;

    FeaturesSetup setup;
    Status refusal;  // ok, unless the runtime has another table
    NamedCode code;
    std::optional<Variable<bool>> verify_unload, verify_chains, log_mounted;
    std::optional<Variable<double>> step_timeout, pauser_timeout;
    std::map<Name, std::unique_ptr<Feature>> features;  // through add, rekey and unlist
    std::uint64_t next_claim = 0;
    std::uint64_t next_attempt = 0;
    std::uint64_t next_walk = 0;
    std::uint64_t owners_version = 1;  // who owns what, and which worlds there are

private:
    using InWorld = std::pair<Name, std::uint32_t>;  // a feature, and the serial of a world
    struct Seen {                                    // one per handle
        FeatureObserver* observer;                   // null: removed while somebody is told
        Owner owner;
        std::uint64_t registered;
        std::shared_ptr<std::set<InWorld>> unheard{};  // of what is replayed to it: worlds that are still to be told
    };
    void forget_planned(std::uint32_t world, const std::function<bool(Name, const PlannedIn&)>& is_over);
    void look_at_left_out();
    void open_optional(Feature& feature);
    void carry_in(const std::vector<std::uint32_t>& worlds, const Plan& plan, const PlannedIn& like, Regained regained,
                  std::vector<Replanned>* undo);
    void set_planned(std::uint32_t world, Name feature, PlannedIn planned);
    const PlannedIn* find_planned(std::uint32_t world, Name feature) const;
    void forget_unneeded(const Owner& owner);
    std::unordered_set<Name> needed_by(std::uint32_t world) const;  // 0: by the process
    // What is there in one world after the other in which the owner wants things, then in the process; `call` ends it
    // by true.
    template <class Call> void each_present(const Owner& owner, const Supposed& supposed, Call call) const;
    using Reasons = std::map<Name, std::string>;  // of features that may not be
    Plan plan_without(const Reasons& reasons, std::span<const Wish> wishes, Roles roles) const;
    void close_what_can_be();
    void add_variables();
    void add_commands();  // feature_console.cpp
    void world_ended(World& world);
    void replay(FeatureObserver& observer, std::uint64_t number);
    void run_busy(Feature& feature);
    void relax(Feature& feature);
    void lower_waiting(Feature& feature);
    void retry_refused(Feature& feature);
    void trim_warm();
    template <class Call> auto ask_policy(Call call) const;
    const FeaturePolicy& policy() const { return setup.policy != nullptr ? *setup.policy : default_policy_; }
    void run_reloads();
    bool step_reload(Reload& reload);
    void end_reload(const Reload& reload);
    bool must_wait(const Reload& reload, const std::vector<Feature*>& members) const;
    std::optional<FeatureError> start_reload(Reload& reload);
    std::optional<FeatureError> cut_short(const Reload& reload) const;
    std::optional<FeatureError> lost_in_a_world(const Reload& reload) const;
    std::vector<Feature*> members_of(const Reload& reload) const;
    std::optional<FeatureError> take_new_file(Feature& feature, const std::vector<Feature*>& members, Edition& old,
                                              Planned& plans);
    void bring_up(Reload& reload);
    void come_back(Reload& reload);
    void silence(Feature& feature);
    void take_down(Feature& feature);
    std::vector<Feature*> highest_first() const;
    bool has_reason_to_retry(Feature& feature) const;

    FeaturePolicy default_policy_;
    static constexpr std::size_t kMaxRoots = 1024;
    std::set<std::string> roots_;  // that were searched, for feature.discover
    std::vector<Seen> observers_;
    std::vector<std::unique_ptr<Feature>> graveyard_;  // until no call is on the stack
    std::vector<std::unique_ptr<Attachment>> buried_;  // likewise
    mutable std::optional<Catalogue> catalogue_;       // until features come or go, or a manifest changes
    std::uint64_t catalogue_version_ = 1;
    std::optional<PartKinds> kinds_;  // until types do
    // By serial of a world (0: the process, for worlds that have nothing of their own): as long as what it wants may
    // need the feature. Bounded by the worlds and features that there are.
    std::map<std::uint32_t, std::map<Name, PlannedIn>> planned_;
    std::size_t left_out_count_ = 0;  // of these, where something is left out
    std::vector<std::unique_ptr<Module>> residents_;
    struct Closing {
        Owner owner;
        std::unique_ptr<Module> module;  // null: it had none, and only has something left
        bool has_leftovers = false;
        Retry retry;
        bool is_tried = false;  // in this update
    };
    // What has left a library that may be in use, or something that could not be taken back. Until that is over the
    // feature does not climb again, so there are few of one.
    std::vector<Closing> closing_;
    std::vector<std::unique_ptr<Reload>> reloads_;
    std::vector<Connection> connections_;
    std::vector<CommandHold> commands_;
    std::vector<std::string> variables_;           // that this table registered
    std::set<std::pair<std::size_t, Name>> busy_;  // by rank: to be run in this settle
    std::vector<Name> moving_;                     // to be looked at in the next update
    std::vector<Feature*> scratch_;                // of update()
    std::unordered_map<std::string, Feature*> by_folder_;
    std::unordered_map<Name, Feature*> by_id_;  // as `features`, without comparing texts
    std::vector<std::uint32_t> emptied_;        // worlds that are ending, and have told so: their actors have gone
    std::set<std::uint32_t> reranked_;          // serials of worlds whose features have got other ranks
    std::unordered_set<Name> left_;             // somebody wants them less since circles were looked for
    std::size_t lowerings_ = 0;                 // that wait, of all features
    std::size_t depth_ = 0;                     // requests on the stack
    std::size_t telling_ = 0;
    std::size_t calling_ = 0;  // hooks, callbacks, observers on the stack: their code may be any feature's
    bool is_settling_ = false;
    bool may_close_code_ = false;
    bool must_end_ = false, is_ending_ = false;
    bool has_ended_ = false;
};

// Code of somebody: it runs under its owner, and what it throws is reported. It may be code of any feature, so nothing
// is closed meanwhile.
template <class Call> void FeatureTable::guarded(Name feature, std::string_view what, const Owner& owner, Call call) {
    const OwnerScope as(owner);
    ++calling_;
    std::string threw;
    try {
        call();
    } catch (const std::exception& error) {
        threw = error.what();
    } catch (...) {
        threw = "an exception";
    }
    --calling_;
    if (!threw.empty())
        setup.runtime.log().report(LogLevel::Error, Name("feature.callback"), feature.text(),
                                   fmt::format("{} threw: {}", what, threw));
}

}  // namespace lyre::features
