// experience/detail/host_walk.h: what a Host is made of: what it has taken, where it is to go, and the way between.
//
// A Goal is what somebody asked for; the walk towards it has a serial, and whatever is asked of others on the way
// carries it. `wanted_` is what the goal's plan comes down to; `taken_…` is what the host has, in the order it came.
// The steps (one function per state) do what can be done now and say whether something moved; run() calls them until
// nothing does. After each call to the outside a step looks whether a newer goal has come (`next_`), and returns then.
//
//     host.cpp         the public face            host_loading.cpp   definition, plan, bundles
//     host_goals.cpp   what is asked for          host_bringing.cpp  features, delay, actions
//     host_walk.cpp    steps, failure, Loaded     host_leaving.cpp   taking away
//                                                 host_explain.cpp   reports
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "lyre/experience/detail/experience_table.h"
#include "lyre/experience/detail/shared_actions.h"
#include "lyre/experience/host.h"
#include "lyre/features/features.h"

namespace lyre::experience::detail {

struct TicketState {
    std::uint32_t generation = 0;
    SetOutcome outcome{};
    Rounds<SetOutcome> ended;
    std::weak_ptr<ExperienceTable> table{};  // for reports
};

// At most Cause::kMaxOthers; the last counts those that did not fit.
struct CountedLines {
    std::vector<std::string> lines{};
    std::size_t count = 0;
    void add(std::string line);
};

struct HoldState {
    std::string name;
    std::int64_t since_us = 0;
    std::int64_t due_us = 0;  // 0: never
    bool is_released = false;
};

// Something of assets that is asked for: what it is called, what came of it, and what a fault plan does to it.
struct Request {
    std::string kind;  // "definition", "action set", "bundle", "asset"
    assets::PrimaryAssetId id;
    assets::LoadHandle handle;
    Fault fault{};
    std::int64_t since_us = 0;
    std::int64_t order = 0;  // of asking
    bool is_done = false;
    SpanId span{};
};

struct TakenBundle {
    Request request;
    std::vector<Name> bundles;  // empty: the asset as such
    std::string by_kind;        // of the action that wants it; empty: the plan does
    std::uint64_t by_hash = 0;
};

struct TakenFeature {
    enum class Phase : std::uint8_t { Asked, Loaded, Activating, Active, Leaving };
    Name id{};
    Phase phase = Phase::Asked;
    features::FeatureHold hold{};
    std::int64_t since_us = 0;
    std::int64_t order = INT64_MAX;  // of becoming active, among requests; not yet: after all
    features::UnloadPolicy unload{};
    SpanId span{};
};

// An action of the plan that is to run, if it is not taken by then.
struct WantedAction {
    const PlannedAction* planned = nullptr;  // in the plan
    features::ActionPart part{};             // as written
    SharedUse use{};                         // once it is decoded
    bool has_asked = false;                  // for what it adds to bundles
    bool is_left_out = false;                // optional, and failed
};

struct TakenAction {
    std::string kind;
    std::uint64_t hash = 0;
    std::string where;
    SharedUse use;
    std::unique_ptr<features::ActionRun> run;
    Owner owner;                 // the feature that its kind comes from, or else one of the walk that brought it
    bool is_leaving = false;     // deactivating ran
    bool was_activated = false;  // activated ran
};

// A use that the walk has no more, of an action that is up and goes with it.
struct LeavingUse {
    SharedUse use;
    std::string where;
    std::vector<std::string> problems{};  // there were already
};

// What a goal comes down to.
struct Wanted {
    std::shared_ptr<const ExperiencePlan> plan;
    std::vector<WantedAction> actions;                          // without those that are taken and stay
    std::unordered_set<std::uint64_t> left_out;                 // hashes of those actions that are
    std::vector<TakenBundle> bundles;                           // without requests: what there should be
    std::unordered_set<assets::PrimaryAssetId> bundled, plain;  // of them: with bundles, and as such
    bool has_action(std::uint64_t hash) const {
        return plan->has_action(hash) && (left_out.empty() || left_out.count(hash) == 0);
    }
    bool has(const TakenAction& action) const;
    bool has(const TakenFeature& feature) const;
    bool has(const TakenBundle& bundle) const;
};

// What is held in memory besides what is taken: nothing of it is a reason to fail.
struct Extras {
    assets::LoadHandle preload;
    std::vector<assets::PrimaryAssetId> needed;  // by others than the plan, sorted
    assets::LoadHandle needed_load;
    std::int64_t needed_since_us = 0;
};

// What was asked for and cannot be.
struct FailedRequest {
    std::int64_t order;  // of the request
    Cause cause;
};

class HostWalk {
public:
    static constexpr std::size_t kMaxRounds = 10'000;  // steps of one update
    static constexpr std::size_t kMaxGoals = 64;       // new goals in one update
    static constexpr std::size_t kMaxHolds = 256, kMaxAttempts = 256, kMaxLeaveReport = 256;
    static constexpr std::size_t kMaxOverlays = 64;
    static constexpr std::size_t kMaxAsks = 64;   // for what is needed, in one update
    static constexpr double kReorderSeconds = 5;  // a choice that is to come later than others comes then at the latest

    HostWalk(Host& host, std::shared_ptr<ExperienceTable> table);
    ~HostWalk();

    // What is asked for: host_goals.cpp.
    Status check_known(assets::PrimaryAssetId id) const;
    Result<SetTicket> set(assets::PrimaryAssetId id, const SetOptions& options);
    Status init_game(SelectionSources sources, std::vector<assets::PrimaryAssetId> overlays);
    Status clear(const std::string& reason);
    void close(const std::string& reason);  // as clear, on any side: the world is to be closed, nothing is set any more
    bool has_left() const;
    Result<SetTicket> retry();
    Result<SetTicket> change_overlays(assets::PrimaryAssetId id, bool is_added, const FailurePolicy& failure);
    Status receive(const Choice& choice);
    Status check_overlays(const std::vector<assets::PrimaryAssetId>& overlays) const;
    Status not_authority(std::string_view what) const;
    bool is_server() const { return world().net_mode() != NetMode::Client; }
    World& world() const { return host_.world(); }
    void run();  // as far as it can, now
    void end();  // the world ends, or everything: at once
    bool has_ended() const { return is_ended_; }

    struct Place {  // where something was registered
        const char* file;
        int line;
    };
    CallbackHandle on_loaded(Priority priority, WeakOwner owner,
                             std::function<void(const ExperienceDefinition&)> callback, Repeat repeat, Place place);
    CallbackHandle on_failed(WeakOwner owner, std::function<void(const Cause&)> callback, Place place);
    CallbackHandle on_play(Priority priority, WeakOwner owner, std::function<void()> callback, Repeat repeat,
                           Place place);
    Result<PlayStartHold> hold_play(std::string name, double limit);
    CallbackHandle on_ready(WeakOwner owner, ReadyCallback callback, Place place);
    HostCounters counters() const;

    bool is_loaded() const { return state_ == LoadState::Loaded && !next_; }
    bool is_failed_finally() const { return state_ == LoadState::Failed && after_ == After::Nothing && !next_; }
    float progress() const;
    std::vector<std::string> taken() const;
    bool has_taken(Name feature) const;  // or asked for it
    std::vector<StageCount> count_stages() const;
    std::string waits_of(const TakenFeature& feature) const;
    double progress_of(const TakenFeature& feature) const;
    bool is_leaving_held_up() const { return !pausers().empty(); }
    LoadingReport explain_loading() const;
    FailureReport explain_failure() const;

    Host& host_;
    std::shared_ptr<ExperienceTable> table_;
    LoadState state_ = LoadState::Unloaded;
    std::uint32_t generation_ = 0;
    Cause failure_;
    std::vector<std::string> leave_report_;
    std::vector<features::Degraded> degraded_;
    HostCounters counters_;
    Timeline timeline_;
    SelectionReport selection_;
    std::optional<SelectionSources> sources_;  // asked when nothing is there any more
    std::vector<assets::PrimaryAssetId> standing_overlays_;

    struct Goal {
        std::uint32_t generation = 0;
        assets::PrimaryAssetId experience{};  // none: nothing
        std::vector<assets::PrimaryAssetId> overlays{};
        bool reload = false;
        std::uint64_t expected_hash = 0;  // of a client
        Cause server_failure{};           // of a client that leaves because of it
        std::optional<FailurePolicy> failure{};
        bool is_retry = false;
    };
    const Goal& goal() const { return next_ ? *next_ : goal_; }  // the newest
    std::optional<double> seconds_to_next_attempt() const;
    bool may_play_start() const;
    std::shared_ptr<const ExperienceDefinition> current_;  // of Loaded

private:
    enum class Purpose : std::uint8_t { Switch, Clear, Fail };     // of Deactivating
    enum class After : std::uint8_t { Nothing, Retry, FallBack };  // of Failed

    Status check_plan(const Goal& goal) const;
    // Goals: host_walk.cpp.
    SetTicket take(Goal goal, bool opens_ticket);
    std::shared_ptr<TicketState> make_ticket(std::uint32_t generation) const;
    SetTicket ticket_in_force();
    void begin_next();
    void enter(LoadState state);
    void enter_unloaded();
    bool step();
    bool step_unloaded();
    bool step_failed();
    bool step_loaded();
    void say_loaded();
    void broadcast_level(Priority level, const ExperienceDefinition& definition, std::uint64_t loaded_mark,
                         std::uint64_t play_mark);
    void open_play_gate();
    bool is_over() const;  // the host is on its way out
    bool goes_on(std::uint64_t serial) const { return !next_ && serial == serial_ && !is_over(); }
    void expire_holds();
    Status why_no_goal() const;
    void leave(const std::string& reason);
    Threw reporter(std::string_view what);
    Called timed(SpanId in);
    void end_ticket(SetOutcome outcome);
    void deliver_tickets();
    void tell_waiters(const ReadyResult& result);
    void begin_span(SpanKind kind, const std::string& id);
    void publish(const Choice& choice);
    void report(LogLevel level, std::string_view kind, const std::string& text) const;
    std::string subject() const;

    // Failure.
    void fail(Cause cause);
    void fail(std::vector<Cause> causes);
    Cause make_cause(CauseCode code, std::string text) const;
    void note_attempt(std::string experience, std::string decision);
    void settle_failure();
    void forget_failures();
    void select();

    // host_loading.cpp
    bool step_loading();
    bool is_read_anew() const;
    bool ask_sets();
    std::shared_ptr<const ExperiencePlan> plan_for(const PlanSource& source) const;
    bool make_wanted();
    void ask_wanted(bool may_be_of_feature);
    bool ask_bundles();
    void ask_preload(bool may_be_of_feature);
    bool is_complete(Request& request, std::vector<FailedRequest>& failed);
    bool complete(const std::vector<Request*>& requests, std::vector<FailedRequest>& failed);
    Request ask(std::string kind, assets::PrimaryAssetId id, FaultStage stage, assets::LoadHandle handle);
    bool complete_all(std::vector<Request*> requests);
    void take_bundle(TakenBundle bundle);
    bool complete_bundles();
    bool leave_out_or_fail(std::vector<FailedRequest> failed);
    bool stays(const PlannedAction& planned) const;
    bool is_taken(const WantedAction& action) const;
    const ReadOptions& options_for(assets::PrimaryAssetId from);
    bool decode(WantedAction& action, bool may_be_of_feature, std::vector<Cause>& causes);
    void ask_for_action(WantedAction& action, bool has_some, bool may_wait, std::vector<Cause>& causes);
    bool has_taken_anything() const;
    bool has_surplus() const;
    void make_room();

    // host_bringing.cpp
    void bring();
    void begin_actions();
    bool step_features();
    TakenFeature* find_taken(Name feature);
    void ask_feature(Name id, features::Destination level);
    bool handle_answers();
    void degrade(Name feature, std::string who, std::string why);
    bool decode_late();
    bool decode_actions(bool may_be_of_feature);
    void became_active(TakenFeature& feature);
    void leave_out(WantedAction& action, std::string why);
    bool is_there(const TakenFeature& feature) const;
    bool has_features_to_bring() const;
    bool is_to_come(assets::PrimaryAssetId id) const;
    bool step_delay();
    void begin_executing();
    std::uint64_t rank_of(const PlannedAction& planned) const;
    SpanPlace span_place(std::string_view where) { return {where, &timeline_, generation_, stage_span_}; }
    bool step_actions();
    bool run_action(WantedAction& action);  // false: it stops here
    bool has_needed();
    bool ask_needed();

    // host_leaving.cpp
    bool step_leaving();
    bool keeps(const TakenAction& action) const;
    bool keeps(const TakenFeature& feature) const;
    bool keeps(const TakenBundle& bundle) const;
    bool keeps_any() const;
    const Wanted& kept() const;
    void deactivate_actions();
    bool wait_for_pausers();
    void finish_actions();
    void sweep(const Owner& owner, std::vector<TakenAction>& gone);
    void forget_loaded();
    void let_go(SharedUse use, std::string where, std::vector<std::string> problems = {});
    void let_go_of_wanted();
    void finish_uses();
    bool is_paused_by_fault() const;
    std::vector<PendingItem> pausers() const;
    std::string open_pausers() const;
    void note_leaving(const std::vector<std::string>& problems);
    void release_extras();
    void hold_needed(Extras& extras);
    bool release_features();
    void release_bundles(std::int64_t after);
    void renew_policies();
    void leave_at_once();

    std::int64_t now_us() const { return table_->now_us(); }
    bool is_over_limit(std::int64_t since_us, double limit) const;
    bool check_stage_limit();
    double stage_limit() const;

    Goal goal_;
    std::optional<Goal> next_;
    std::uint64_t serial_ = 0;  // of the walk
    std::shared_ptr<TicketState> ticket_, last_ticket_;
    std::vector<std::shared_ptr<TicketState>> ended_tickets_;  // to be told
    After after_ = After::Nothing;
    bool is_running_ = false;
    bool is_ended_ = false;
    std::int64_t state_since_us_ = 0;
    bool is_closing_ = false;
    mutable float best_progress_ = 0;

    // Loading.
    std::optional<Request> definition_;
    std::shared_ptr<const ExperienceDefinition> read_;  // what this walk goes by; null: not there yet
    std::vector<Request> sets_;
    bool has_asked_bundles_ = false, has_asked_features_ = false, has_decoded_late_ = false;
    std::optional<Wanted> wanted_;
    std::optional<Wanted> loaded_;  // what was Loaded last, also if a switch has left some of it: for a way back
    assets::PrimaryAssetId last_loaded_;
    std::vector<assets::PrimaryAssetId> last_overlays_;
    Extras extras_, loaded_extras_;  // of this walk; of what was Loaded last
    FailurePolicy policy_;
    LimitsDef limits_;
    std::optional<LimitsDef> loaded_limits_;  // of what was Loaded last: for leaving it
    features::UnloadPolicy unload_;
    std::int64_t requests_ = 0;
    ReadOptions options_;
    assets::PrimaryAssetId options_from_;

    std::vector<TakenBundle> taken_bundles_;
    std::vector<TakenFeature> taken_features_;
    std::vector<TakenAction> taken_actions_;
    std::vector<LeavingUse> leaving_uses_;
    // Of those that are not leaving, by hash: whether the kind comes from a feature, and may leave with it.
    std::unordered_map<std::uint64_t, bool> taken_hashes_;
    std::optional<Owner> batch_;  // under which actions of this walk run
    std::map<std::uint32_t, std::vector<std::unique_ptr<features::ActionRun>>> finished_;  // by owner, until all are

    struct Answer {
        std::uint64_t serial;
        Name feature;
        bool is_active;
        features::FeatureResult result;
    };
    void handle(const Answer& answer, std::vector<Cause>& causes);
    struct LateAnswer {  // a fault: it comes after so many others
        Answer answer;
        std::int64_t after;
    };
    std::vector<LateAnswer> late_answers_;
    std::shared_ptr<std::vector<Answer>> answers_ = std::make_shared<std::vector<Answer>>();
    SpanId walk_span_, stage_span_;
    std::vector<SpanId> callback_spans_;  // of those that run now

    double delay_until_ = 0;  // of world time
    Random chaos_;

    // Leaving.
    Purpose purpose_ = Purpose::Switch;
    bool keeps_loaded_ = false;  // of a failure: the way back to what was loaded keeps what is still there of it
    std::int64_t pausers_since_us_ = 0, features_since_us_ = 0;  // they are waited for; 0: not yet
    std::shared_ptr<std::uint64_t> late_pausers_ = std::make_shared<std::uint64_t>(0);
    std::optional<Fault> pauser_fault_;

    // Failure.
    struct Attempt {
        FailedAttempt what;
        std::int64_t at_us;
    };
    std::vector<Attempt> attempts_;        // the first and the newest
    std::uint64_t attempts_left_out_ = 0;  // between them
    std::int64_t tries_ = 0;               // of goal_.experience in this chain
    std::set<std::pair<assets::PrimaryAssetId, std::vector<assets::PrimaryAssetId>>> failed_chain_;  // with overlays
    CountedLines chain_causes_;
    std::int64_t next_attempt_us_ = 0;
    assets::PrimaryAssetId fall_back_to_;
    std::vector<assets::PrimaryAssetId> fall_back_overlays_;
    std::optional<Cause> fell_back_because_;
    bool must_end_ = false;

    // Who is told.
    Rounds<ExperienceDefinition> loaded_rounds_;
    Rounds<Cause> failed_rounds_;
    Rounds<> play_rounds_;
    std::shared_ptr<Waits> waits_;
    std::vector<std::shared_ptr<HoldState>> holds_;
    std::uint32_t play_generation_ = 0;  // in which play may start

    // Choices that a fault plan holds up.
    struct HeldChoice {
        Choice choice;
        std::int64_t due_us;
        std::int64_t after;  // further choices
    };
    std::vector<HeldChoice> held_choices_;
    void take_choice(const Choice& choice);
    void release_choices();
};

}  // namespace lyre::experience::detail
