// features/state_machine.h: one feature's way up and down: where it goes next, who waits for what, when it gives up.
//
// It knows the states (feature_state.h) and nothing of what the transitions do: a Driver runs those. A goal is a range
// of destinations; the machine moves exactly while its state is outside. It runs at once as far as it can without
// waiting, and goes on in update() when what a step waited for is due: nothing is polled.
//
//     set_goal     at rest: moves there. Moving: the goals' common range counts; one without anything in common is
//                  refused, and the caller may cancel() first
//     lower_goal   of one that climbs higher than that: who waits for more is answered Cancelled, for the others it
//                  goes on; a step up that leads beyond and only waits is undone at once
//     waiters      each is answered once, when its destination is passed, or with the error that ended the climb
//     an error     the step's own work is undone; the machine rests in the error state until a goal is set
//     a refusal    of a step down: the machine rests at the destination above, everything as it was
//     cancel       takes effect at the next destination; a step up that only waits is undone at once
//
// What is asked for from inside a step, an answer or an observer is done when that is over. Whoever lets it move on and
// on within one update (asking again each time it fails is enough) is answered StateLoop where it rests next, and what
// is asked for from then on waits for the next update. The driver's functions may do anything but destroy the machine;
// callbacks do not throw. Frame's thread.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "lyre/core/clock.h"
#include "lyre/features/feature_error.h"

namespace lyre::features {

// What a transition says each time it was run.
struct Step {
    enum class What : std::uint8_t { Done, Again, NextUpdate, After, OnWake, Failed, Refused };
    What what = What::Done;
    double seconds = 0;       // of After
    std::string waits_for{};  // for people: "bundle of 3 assets"
    FeatureError error{};     // of Failed and Refused

    static Step done() { return {}; }
    static Step again() { return {What::Again}; }
    static Step next_update(std::string waits_for) { return {What::NextUpdate, 0, std::move(waits_for)}; }
    static Step after(double seconds, std::string waits_for) { return {What::After, seconds, std::move(waits_for)}; }
    static Step on_wake(std::string waits_for) { return {What::OnWake, 0, std::move(waits_for)}; }
    static Step failed(FeatureError error) { return {What::Failed, 0, {}, std::move(error)}; }
    static Step refused(FeatureError error) { return {What::Refused, 0, {}, std::move(error)}; }  // on the way down
};

class StateMachine {
public:
    static constexpr std::size_t kMaxTransitions = 10'000;  // in one update; who goes on from there is in a StateLoop
    static constexpr std::size_t kMaxWaiters = 65'536;
    static constexpr std::size_t kMaxPosted = 65'536;

    class Driver {
    public:
        virtual ~Driver() = default;
        virtual Step run(FeatureState transition, bool is_first) = 0;  // first: it was just entered
        virtual void undo(FeatureState transition) = 0;                // up: back to what the destination below is
        virtual void changed(FeatureState before, FeatureState now) = 0;
        virtual void failed(const FeatureError& error) = 0;  // it rests now; before anybody is answered
        virtual double step_seconds() const = 0;             // limit of one transition; 0: none
    };

    StateMachine(Name feature, Driver& driver, const Clock& clock);
    StateMachine(const StateMachine&) = delete;
    StateMachine& operator=(const StateMachine&) = delete;

    FeatureState state() const { return state_; }
    GoalRange goal() const { return goal_; }
    bool is_at_rest() const;                            // neither moving nor about to
    bool is_inside_step() const { return depth_ > 0; }  // its code is on the stack
    // While one stands the machine does not move: what is asked for is done afterwards.
    class Inside {
    public:
        explicit Inside(StateMachine& machine) : machine_(machine) { ++machine_.depth_; }
        ~Inside() { --machine_.depth_; }
        Inside(const Inside&) = delete;
        Inside& operator=(const Inside&) = delete;

    private:
        StateMachine& machine_;
    };
    std::size_t waiters() const { return waiters_.size(); }
    const std::string& waits_for() const { return waits_for_; }  // while a step waits
    double seconds_in_state() const;

    // False: refused, and nothing has happened. The callback may be answered inside the call.
    bool set_goal(GoalRange goal, FeatureCallback callback);
    bool lower_goal(GoalRange goal, FeatureCallback callback);  // likewise
    void cancel(FeatureCallback callback);
    void wake() { is_due_ = true; }  // what an OnWake step waited for has happened
    void update();                   // a new frame: also steps that wanted to wait for it are due
    void run();                      // what is due now

    // Does it now, or when the step that is on the stack is over. False: too much waits for that, and it is not done.
    bool post(std::function<void()> work);
    bool post_later(std::function<void()> work);  // does it when it is run next; false likewise
    void abandon();                               // answers everybody who waits; nothing moves any more
    void set_name(Name feature) { feature_ = feature; }

private:
    struct Waiter {
        FeatureState target;
        FeatureCallback callback;
    };
    void wait_for(GoalRange goal, FeatureCallback callback);
    bool is_due() const;
    bool advance();  // one move; false: there is nothing to do now
    bool leave_rest();
    void stop();
    void run_step();
    void take(Step step);
    void enter(FeatureState state);
    void fail(FeatureError error);
    void refuse(FeatureError error);
    void rest_at(FeatureState state, const FeatureError* error);
    void arrived();
    void answer(std::vector<Waiter> waiters, const FeatureError* error);
    void call(const Waiter& waiter, const FeatureError* error);
    void drain_posted();
    FeatureError error(ErrorCode code, std::string text) const;

    Name feature_;
    Driver& driver_;
    const Clock& clock_;
    FeatureState state_ = FeatureState::UnknownStatus;
    GoalRange goal_;
    bool has_goal_ = false;  // a new machine does nothing
    std::vector<Waiter> waiters_;
    std::vector<Waiter> cancelling_;  // who asked to cancel
    bool is_cancelled_ = false;
    bool is_first_ = false;  // of the transition it is in
    Step::What waiting_ = Step::What::Done;
    std::string waits_for_;
    std::int64_t entered_us_ = 0, due_us_ = 0;
    bool is_due_ = false;
    std::uint64_t update_number_ = 0, waiting_since_update_ = 0;
    std::size_t transitions_ = 0;  // in this update
    bool is_stopped_ = false;      // until the next update: a loop was told
    std::size_t depth_ = 0;
    bool is_running_ = false;
    std::deque<std::function<void()>> posted_;
};

}  // namespace lyre::features
