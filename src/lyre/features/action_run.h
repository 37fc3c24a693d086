// features/action_run.h: the actions of one feature or experience, in one world or in the process.
//
//     ActionRun run(services, {feature, owner, "feature tag"}, actions, &world);
//     Status status = run.activate();          // activating of each in order; a failure undoes those before it
//     run.activated();
//     ...
//     run.deactivate();                        // deactivating of each, newest first
//     while (run.is_paused()) ...              // somebody asked for time
//     run.finish();                            // what was kept goes, newest first
//
//     idle --activate--> active --deactivate--> leaving --finish--> idle
//
// It runs hooks under the owner of the actions, catches what they throw, writes a line into the trace for each
// (feature, action, world, side, result), and remembers what each action keeps. Process-wide hooks (register, load and
// their ways back) are a run of their own without a world.
//
// A required action that fails undoes the others and its Status is the answer; an optional one is reported in the log
// (feature.action) and left out from then on. deactivate() and finish() are legal at any time: from inside a hook they
// are carried out when the outermost call returns (activate() has failed then), and finish() of what is up goes the way
// back first, without waiting for anybody. The destructor finishes. Whoever owns a run does not destroy it from inside
// one of its hooks, nor from what is dropped. A world that ends makes activate() fail; one that has gone is not touched
// any more. Frame's thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lyre/features/action.h"
#include "lyre/features/world_ref.h"

namespace lyre::features {

struct ActionItem {
    const GameFeatureAction* action = nullptr;
    std::size_t index = 0;  // as written, from 0
    std::string kind{};     // "add_components"
};

// An optional action that has nothing to work with.
struct LeftOutAction {
    std::size_t index = 0;  // as written, from 0
    std::string why{};
};

// Whose actions they are.
struct ActionSubject {
    Name name;                        // of the feature or experience
    Owner owner;                      // hooks run under it
    std::string who;                  // "feature tag"
    Roles roles = Roles::all();       // of its worlds; what is not known counts
    std::uint64_t rank = 0;           // of its actions, among all of a world (action.h)
    std::size_t* on_stack = nullptr;  // counts calls of its code that are not over
};

struct PauserInfo {
    std::string name;
    std::string place;  // "action 2 (add_components)"
    std::int64_t since_us = 0;
};

// A hook that ran, and what was registered meanwhile: numbers of next_registration() in [first, last).
// Its run's place_of() says which hook it was.
struct HookSpan {
    std::uint64_t first = 0, last = 0;
    std::int64_t at_us = 0;
    std::uint32_t action = 0;  // in the order they run
    std::uint32_t hook = 0;
    bool has_registered() const { return last > first + 1; }  // its own ends are numbers, too
};

class ActionRun {
public:
    static constexpr std::size_t kMaxFaults = 64;
    static constexpr std::size_t kMaxPausers = 1024;  // more are reported and not waited for

    // `actions` in the order they run; they outlive the run. No world: hooks of the process.
    ActionRun(const ActionServices& services, ActionSubject subject, std::vector<ActionItem> actions, World* world);
    ~ActionRun();
    ActionRun(const ActionRun&) = delete;
    ActionRun& operator=(const ActionRun&) = delete;

    // Of the process: each in order, a failure undoes those before it with the hook of the way back. Not from inside a
    // hook.
    Status registering();
    Status loading(std::span<const LeftOutAction> left_out = {});  // without these, until it is loaded again
    void unloading();
    void unregistering();
    bool is_registered() const { return is_registered_; }  // unregistering() has something to do
    bool is_loaded() const { return is_loaded_; }          // unloading() has
    std::vector<ActionItem> usable() const;                // without optional ones that have failed or are left out
    std::vector<std::string> left_out() const;             // those: "action 2 (add_components): why"
    void set_roles(Roles roles) { subject_.roles = roles; }

    // Of a world.
    Status activate(std::span<const LeftOutAction> left_out = {});  // AlreadyExists: it is active already, and stays so
    void activated();
    void deactivate();
    bool is_active() const { return stage_ == Stage::Active; }
    bool is_paused() const;  // pausers are not done
    std::vector<PauserInfo> pausers() const;
    // Once, when the last pauser is done after deactivate() had returned, under the owner that is current now. May be
    // called from anywhere but a hook of this run, and may destroy it. Not called after finish().
    void on_resumed(std::function<void()> resumed);
    // Tokens that are done (or dropped) when nobody waits for them any more are counted there.
    void count_late_pausers(std::shared_ptr<std::uint64_t> counter) { late_pausers_ = std::move(counter); }
    void finish();  // also while paused: who pauses is not waited for any more

    bool set_rank(std::uint64_t rank);  // true: an action uses it, and it is another one than before

    World* world() const { return ref_.find(); }  // null: of the process, or it has gone
    ContextKey key() const { return key_; }
    const ActionSubject& subject() const { return subject_; }
    // What hooks failed with beside the answer of a call: of optional actions, and on the way back. At most kMaxFaults.
    const std::vector<std::string>& faults() const { return faults_; }
    const std::vector<HookSpan>& spans() const { return spans_; }  // at most one per action and hook
    bool has_registered() const;                                   // one of these hooks has
    std::string place_of(const HookSpan& span) const;              // "action 2 (add_components), activating"
    std::uint64_t dropped_completions() const { return life_ != nullptr ? life_->dropped : 0; }  // see CancelToken

private:
    friend class ActionContext;
    friend class DeactivatingContext;
    enum class Hook : std::uint8_t {
        Registering,
        Loading,
        Activating,
        Activated,
        Deactivating,
        Unloading,
        Unregistering,
    };
    enum class Stage : std::uint8_t { Idle, Active, Leaving };
    struct Entry {
        ActionItem item;
        detail::ActionMemory memory{};
        bool is_registered = false, is_loaded = false, is_up = false;
        std::optional<Hook> failed_in{};  // or was left out before it; it is optional
        std::string why{};                // it has failed
    };
    struct Busy;
    static std::string_view to_string(Hook hook);
    std::string place(std::size_t at) const;
    std::string world_text() const;

    Status up(Hook hook, bool Entry::*flag, Hook back);
    void down(Hook hook, bool Entry::*flag);
    Status interrupted(Hook hook) const;
    Status run_hook(Hook hook, std::size_t at);
    Status call(Hook hook, std::size_t at);
    void note(Hook hook, std::size_t at, const HookSpan& span, const Status& status);
    void report(Hook hook, std::size_t at, const Status& status, std::string_view consequence);
    void report(LogLevel level, const std::string& text);
    void leave_out(Hook hook, std::span<const LeftOutAction> left_out);
    void drop(std::uint64_t from);                  // what was kept since, of all
    void drop(std::size_t at, std::uint64_t from);  // of one
    void cancel();                                  // tokens: leaving begins
    detail::Pausers& pausers_made();
    void drop_states();
    void drop_state(Entry& entry);
    void do_wishes();

    ActionServices services_;
    ActionSubject subject_;
    std::vector<Entry> entries_;  // in the order they run
    bool is_of_world_;
    ContextKey key_;
    WorldRef ref_;
    std::vector<HookSpan> spans_;
    std::vector<std::string> faults_;
    std::shared_ptr<detail::Pausers> pausers_;  // made when somebody pauses, or wants to know
    std::shared_ptr<detail::RunLife> life_;     // made when asked for
    std::shared_ptr<std::uint64_t> rank_;       // made when asked for
    std::shared_ptr<std::uint64_t> late_pausers_;
    std::uint64_t kept_ = 0;         // things kept ever
    std::uint64_t loaded_from_ = 0;  // the first that was kept in loading
    Stage stage_ = Stage::Idle;
    bool is_registered_ = false, is_loaded_ = false;
    bool is_busy_ = false;  // inside a hook, or dropping
    bool wants_deactivate_ = false, wants_finish_ = false;
};

}  // namespace lyre::features
