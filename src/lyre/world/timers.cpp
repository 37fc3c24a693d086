#include "lyre/world/timers.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "lyre/world/world.h"

namespace lyre::inline world {

TimerId Timers::after(double seconds, std::function<void()> callback, ActorId actor) {
    return add(seconds, -1, std::move(callback), actor);
}

TimerId Timers::every(double seconds, std::function<void()> callback, ActorId actor) {
    return add(seconds, std::max(seconds, 0.0), std::move(callback), actor);
}

TimerId Timers::next_tick(std::function<void()> callback, ActorId actor) {
    return add(0, -1, std::move(callback), actor);
}

TimerId Timers::add(double delay, double interval, std::function<void()> callback, ActorId actor) {
    if (!std::isfinite(delay) || !callback || timers_.count() >= kMaxTimers || world_.has_ended()) return {};
    if (actor && world_.find(actor) == nullptr) return {};
    const TimerId id = timers_.add({std::move(callback), interval, actor, Owner::current(), next_registration()});
    // Due in a later tick, never in the one that runs now: time has moved to its end already.
    const double due = world_.time() + std::max(delay, 0.0);
    queue_.push({due, ++made_, id});
    due_[id] = due;
    if (actor) by_actor_.emplace(actor, id);
    return id;
}

bool Timers::cancel(TimerId id) {
    if (timers_.find(id) == nullptr) return false;
    forget(id);
    if (++stale_ > 64 && stale_ > queue_.size() / 2) {
        std::vector<Due> kept;
        for (; !queue_.empty(); queue_.pop())
            if (due_.count(queue_.top().id) != 0) kept.push_back(queue_.top());
        queue_ = decltype(queue_)(std::greater<>(), std::move(kept));
        stale_ = 0;
    }
    return true;
}

void Timers::forget(TimerId id) {
    const ActorId actor = timers_.find(id)->actor;
    auto [first, last] = by_actor_.equal_range(actor);
    for (; first != last; ++first)
        if (first->second == id) {
            by_actor_.erase(first);
            break;
        }
    due_.erase(id);
    Timer gone = std::move(*timers_.find(id));  // what its callback holds may come back here when it goes
    timers_.remove(id);
}

void Timers::clear() {
    timers_.each([&](TimerId id, Timer&) { forget(id); });
    queue_ = {};
}

void Timers::cancel_all(ActorId actor) {
    if (by_actor_.empty()) return;
    while (true) {
        const auto found = by_actor_.find(actor);
        if (found == by_actor_.end()) return;
        cancel(found->second);
    }
}

void Timers::cancel_all(const Owner& owner) {
    std::vector<TimerId> leaving;
    timers_.each([&](TimerId id, Timer& timer) {
        if (timer.owner == owner) leaving.push_back(id);
    });
    for (TimerId id : leaving) cancel(id);
}

std::vector<Owner> Timers::owners() const {
    std::vector<Owner> all;
    const_cast<Timers*>(this)->timers_.each([&](TimerId, Timer& timer) { all.push_back(timer.owner); });
    return all;
}

std::vector<TimerInfo> Timers::list(const Owner& owner) const {
    std::vector<TimerInfo> theirs;
    const_cast<Timers*>(this)->timers_.each([&](TimerId id, Timer& timer) {
        if (timer.owner == owner) theirs.push_back({id, timer.actor, remaining(id), timer.registered});
    });
    std::sort(theirs.begin(), theirs.end(),
              [](const TimerInfo& a, const TimerInfo& b) { return a.registered < b.registered; });
    return theirs;
}

double Timers::remaining(TimerId id) const {
    const auto found = due_.find(id);
    return found == due_.end() ? -1 : std::max(found->second - world_.time(), 0.0);
}

void Timers::run(double now) {
    const std::uint64_t newest = made_;
    while (!queue_.empty() && queue_.top().at <= now) {
        const Due due = queue_.top();
        queue_.pop();
        if (timers_.find(due.id) == nullptr) {
            if (stale_ > 0) --stale_;
        } else if (due.number > newest && due.at >= now) {
            later_.push_back(due);  // made by a callback of this very tick: for the next one
        } else {
            run_one(due, now);
        }
    }
    for (const Due& due : std::exchange(later_, {})) queue_.push(due);
}

void Timers::run_one(const Due& due, double now) {
    Timer& timer = *timers_.find(due.id);
    const OwnerScope as(timer.owner);
    const ActorId actor = timer.actor;
    const double interval = timer.interval;
    auto callback = std::move(timer.callback);  // it may cancel its own timer
    if (interval < 0) forget(due.id);
    const bool went_well = world_.guarded("timer", actor, callback);
    Timer* still = interval < 0 ? nullptr : timers_.find(due.id);
    if (still == nullptr) return;
    still->callback = std::move(callback);
    if (!went_well) return forget(due.id);
    const bool is_each_tick = now + interval <= now;  // 0, or less than time can tell apart
    const bool hopeless = !is_each_tick && (now - due.at) / interval > kMaxCatchUp;
    const double next = is_each_tick || hopeless ? now + interval : due.at + interval;
    due_[due.id] = next;
    if (is_each_tick) return later_.push_back({next, due.number, due.id});
    queue_.push({next, due.number, due.id});
}

}  // namespace lyre::inline world
