#include "lyre/features/state_machine.h"

#include <algorithm>
#include <exception>

namespace lyre::features {
namespace {

bool is_rest(FeatureState state) {
    return kind_of(state) != StateKind::Transition;
}

// On the way down a transition that is refused goes back up to here.
FeatureState destination_above(FeatureState transition) {
    switch (transition) {
        case FeatureState::Deactivating:
            return FeatureState::Active;
        case FeatureState::Unloading:
            return FeatureState::Loaded;
        case FeatureState::Unregistering:
            return FeatureState::Registered;
        default:
            return FeatureState::Installed;
    }
}

bool is_up(FeatureState transition) {
    return error_of(transition) != transition;
}

}  // namespace

StateMachine::StateMachine(Name feature, Driver& driver, const Clock& clock)
    : feature_(feature), driver_(driver), clock_(clock), entered_us_(clock.now_us()) {}

bool StateMachine::is_at_rest() const {
    return is_rest(state_) && (!has_goal_ || goal_.contains(state_)) && depth_ == 0 && posted_.empty();
}

double StateMachine::seconds_in_state() const {
    return static_cast<double>(clock_.now_us() - entered_us_) / 1e6;
}

bool StateMachine::set_goal(GoalRange goal, FeatureCallback callback) {
    if (goal.is_empty() || waiters_.size() >= kMaxWaiters) return false;
    if (state_ == FeatureState::Terminal) return false;
    const bool is_moving = !is_rest(state_) || (has_goal_ && !goal_.contains(state_));
    if (is_moving) {
        if (is_cancelled_) return false;
        const GoalRange common = goal_.common(goal);
        if (common.is_empty()) return false;
        goal_ = common;
    } else {
        goal_ = goal;
        has_goal_ = true;
    }
    wait_for(goal, std::move(callback));
    return true;
}

void StateMachine::wait_for(GoalRange goal, FeatureCallback callback) {
    Waiter waiter{state_, std::move(callback)};
    if (goal.contains(state_)) {
        ++depth_;
        call(waiter, nullptr);
        --depth_;
    } else {
        waiter.target = state_of(state_ < state_of(goal.min) ? goal.min : goal.max);
        waiters_.push_back(std::move(waiter));
    }
    run();
}

bool StateMachine::lower_goal(GoalRange goal, FeatureCallback callback) {
    const bool is_climbing_beyond = has_goal_ && state_ < state_of(goal_.min) && goal.max < goal_.min;
    if (goal.is_empty() || !is_climbing_beyond || is_cancelled_ || waiters_.size() >= kMaxWaiters) return false;
    std::vector<Waiter> in_vain, others;
    for (Waiter& waiter : waiters_)
        (waiter.target > state_of(goal.max) ? in_vain : others).push_back(std::move(waiter));
    waiters_ = std::move(others);
    goal_ = goal;
    for (const Waiter& waiter : waiters_) goal_.min = std::max(goal_.min, level_of(waiter.target));
    const FeatureError cancelled = error(ErrorCode::Cancelled, "something else was asked for meanwhile");
    answer(std::move(in_vain), &cancelled);
    wait_for(goal, std::move(callback));
    return true;
}

void StateMachine::cancel(FeatureCallback callback) {
    Waiter waiter{state_, std::move(callback)};
    if (is_rest(state_) && (!has_goal_ || goal_.contains(state_)) && !is_running_) {
        ++depth_;
        call(waiter, nullptr);
        --depth_;
        run();
        return;
    }
    if (cancelling_.size() >= kMaxWaiters) {
        const FeatureError full = error(ErrorCode::GoalRefused, fmt::format("{} wait already", kMaxWaiters));
        return answer({std::move(waiter)}, &full);
    }
    is_cancelled_ = true;
    cancelling_.push_back(std::move(waiter));
    run();
}

void StateMachine::update() {
    ++update_number_;
    transitions_ = 0;
    is_stopped_ = false;
    run();
}

void StateMachine::run() {
    if (is_running_ || depth_ > 0) return;
    is_running_ = true;
    while (advance()) {
    }
    is_running_ = false;
}

bool StateMachine::post(std::function<void()> work) {
    if (depth_ > 0 || !posted_.empty()) return post_later(std::move(work));
    work();
    return true;
}

bool StateMachine::post_later(std::function<void()> work) {
    if (posted_.size() >= kMaxPosted) return false;
    posted_.push_back(std::move(work));
    return true;
}

void StateMachine::abandon() {
    is_running_ = true;  // and never ends: what is still to be done only joins those who wait
    drain_posted();
    const FeatureError gone = error(ErrorCode::Abandoned, "nobody is left to see to it");
    auto waiters = std::exchange(waiters_, {});
    auto asked = std::exchange(cancelling_, {});
    answer(std::move(waiters), &gone);
    answer(std::move(asked), &gone);
}

void StateMachine::drain_posted() {
    while (depth_ == 0 && !posted_.empty()) {
        auto work = std::move(posted_.front());
        posted_.pop_front();
        work();
    }
}

bool StateMachine::is_due() const {
    switch (waiting_) {
        case Step::What::NextUpdate:
            return update_number_ > waiting_since_update_;
        case Step::What::After:
            return clock_.now_us() >= due_us_;
        case Step::What::OnWake:
            return is_due_;
        default:
            return true;
    }
}

bool StateMachine::advance() {
    drain_posted();
    if (is_rest(state_)) return leave_rest();
    const bool is_in_vain = is_cancelled_ || state_of(goal_.max) < state_;
    if (is_in_vain && waiting_ != Step::What::Done && is_up(state_)) {
        const FeatureState given_up = state_;
        ++depth_;
        driver_.undo(given_up);
        --depth_;
        enter(destination_below(given_up));
        return true;
    }
    const double limit = driver_.step_seconds();
    if (is_first_ || is_due()) {
        run_step();
        return true;
    }
    if (limit > 0 && seconds_in_state() >= limit) {
        FeatureError late = error(ErrorCode::StepTimeout,
                                  fmt::format("{} took longer than {} s; it waits for {}", to_string(state_), limit,
                                              waits_for_.empty() ? "nothing it could name" : waits_for_));
        is_up(state_) ? fail(std::move(late)) : refuse(std::move(late));
        return true;
    }
    return false;
}

bool StateMachine::leave_rest() {
    const bool is_to_move = has_goal_ && !goal_.contains(state_) && state_ != FeatureState::Terminal;
    if (is_stopped_ || (!is_cancelled_ && !is_to_move)) return false;
    if (transitions_ >= kMaxTransitions) {  // nowhere else: here no step is half done
        stop();
        return true;
    }
    if (is_cancelled_) {
        ++transitions_;
        is_cancelled_ = false;
        goal_ = {};
        has_goal_ = false;  // it stays where it is
        const FeatureError cancelled = error(ErrorCode::Cancelled, "something else was asked for meanwhile");
        auto waiters = std::exchange(waiters_, {});
        auto asked = std::exchange(cancelling_, {});
        answer(std::move(waiters), &cancelled);
        answer(std::move(asked), nullptr);
        return true;
    }
    const bool goes_up = state_ < state_of(goal_.min);
    FeatureState next = FeatureState::Terminal;
    if (is_error(state_))
        next = goes_up ? next_up(destination_below(state_)) : destination_below(state_);
    else
        next = goes_up ? next_up(state_) : next_down(state_);
    enter(next);
    return true;
}

// Answers all who wait; what these ask for then begins in the next update.
void StateMachine::stop() {
    is_stopped_ = true;
    const FeatureError loop =
        error(ErrorCode::StateLoop, fmt::format("it has left {} again and again within one update", to_string(state_)));
    rest_at(state_, &loop);
}

void StateMachine::enter(FeatureState state) {
    const FeatureState before = std::exchange(state_, state);
    ++transitions_;
    entered_us_ = clock_.now_us();
    is_first_ = !is_rest(state);
    waiting_ = Step::What::Done;
    waits_for_.clear();
    is_due_ = false;
    ++depth_;
    driver_.changed(before, state);
    --depth_;
    if (is_rest(state)) arrived();
}

void StateMachine::arrived() {
    std::vector<Waiter> here;
    for (Waiter& waiter : waiters_)
        if (waiter.target == state_) here.push_back(std::move(waiter));
    std::erase_if(waiters_, [&](const Waiter& waiter) { return waiter.target == state_; });
    answer(std::move(here), nullptr);
}

void StateMachine::run_step() {
    const bool is_first = std::exchange(is_first_, false);
    is_due_ = false;
    ++depth_;
    Step step = driver_.run(state_, is_first);
    --depth_;
    take(std::move(step));
}

void StateMachine::take(Step step) {
    waiting_ = step.what;
    waits_for_ = std::move(step.waits_for);
    switch (step.what) {
        case Step::What::Done:
            return enter(is_up(state_) ? next_up(state_) : next_down(state_));
        case Step::What::Again:
            if (++transitions_ > kMaxTransitions) {
                is_stopped_ = true;
                fail(error(ErrorCode::StateLoop, fmt::format("{} asks to be run again and again", to_string(state_))));
            }
            return;
        case Step::What::NextUpdate:
            waiting_since_update_ = update_number_;
            return;
        case Step::What::After:
            due_us_ = clock_.now_us() + static_cast<std::int64_t>(step.seconds * 1e6);
            return;
        case Step::What::OnWake:
            return;
        case Step::What::Failed:
            return is_up(state_) ? fail(std::move(step.error)) : refuse(std::move(step.error));
        case Step::What::Refused:
            return refuse(std::move(step.error));
    }
}

void StateMachine::fail(FeatureError error) {
    const FeatureState failed = state_;
    if (!is_up(failed)) return refuse(std::move(error));
    error.feature = feature_;
    error.state = error.code == ErrorCode::ManifestMissing ? FeatureState::ErrorUnavailable : error_of(failed);
    ++depth_;
    driver_.undo(failed);
    --depth_;
    rest_at(error.state, &error);
}

void StateMachine::refuse(FeatureError error) {
    // What has been taken down above these does not come back: there is nothing to rest at but further down.
    if (state_ == FeatureState::DeactivatingDependencies || state_ == FeatureState::Unmounting)
        return enter(next_down(state_));
    error.feature = feature_;
    error.state = state_;
    rest_at(destination_above(state_), &error);
}

// The climb or descent is over, for everybody who waited for any of it.
void StateMachine::rest_at(FeatureState state, const FeatureError* error) {
    const FeatureState before = std::exchange(state_, state);
    entered_us_ = clock_.now_us();
    waiting_ = Step::What::Done;
    waits_for_.clear();
    is_first_ = false;
    goal_ = {};
    has_goal_ = false;
    is_cancelled_ = false;
    auto waiters = std::exchange(waiters_, {});
    auto asked = std::exchange(cancelling_, {});
    ++depth_;
    if (state != before) driver_.changed(before, state);
    if (error != nullptr) driver_.failed(*error);
    --depth_;
    answer(std::move(waiters), error);
    answer(std::move(asked), nullptr);
}

void StateMachine::answer(std::vector<Waiter> waiters, const FeatureError* error) {
    ++depth_;
    for (const Waiter& waiter : waiters) call(waiter, error);
    --depth_;
}

void StateMachine::call(const Waiter& waiter, const FeatureError* error) {
    if (!waiter.callback) return;
    FeatureResult result{feature_, {}};
    if (error != nullptr) result.error = *error;
    waiter.callback(result);
}

FeatureError StateMachine::error(ErrorCode code, std::string text) const {
    FeatureError made;
    made.feature = feature_;
    made.state = state_;
    made.code = code;
    made.text = std::move(text);
    return made;
}

}  // namespace lyre::features
