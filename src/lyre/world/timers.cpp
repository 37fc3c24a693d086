#include "lyre/world/timers.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "lyre/world/world.h"

namespace lyre::inline world {

TimerBound::TimerBound(const Actor& bound) : actor(bound.id()) {}

TimerBound::TimerBound(const Component& bound)
    : actor(bound.actor().id()), component(bound.generation()), is_gone(bound.is_doomed()) {}

TimerId Timers::add(double delay, double interval, std::function<void()> callback, const TimerBound& bound,
                    const char* file, int line) {
    if (!std::isfinite(delay) || !callback || timers_.count() >= kMaxTimers || world_.has_ended()) return {};
    const ActorId actor = bound.actor;
    if (bound.is_gone || (actor && world_.find(actor) == nullptr)) return {};
    const Owner owner = Owner::current();
    const bool is_tracked = owner.kind == OwnerKind::Feature || owner.kind == OwnerKind::Experience;
    std::string place = is_tracked ? fmt::format("{}:{}", file, line) : std::string();
    const TimerId id = timers_.add(
        {std::move(callback), interval, actor, bound.component, owner, next_registration(), std::move(place)});
    // Due in a later tick, never in the one that runs now: time has moved to its end already.
    const double due = world_.time() + std::max(delay, 0.0);
    queue_.push({due, ++made_, id});
    due_[id] = due;
    if (actor) by_actor_.emplace(actor, id);
    if (bound.component != 0) by_component_.emplace(bound.component, id);
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
    const auto erase = [&](auto& bound, auto key) {
        auto [first, last] = bound.equal_range(key);
        while (first != last && first->second != id) ++first;
        if (first != last) bound.erase(first);
    };
    erase(by_actor_, timers_.find(id)->actor);
    erase(by_component_, timers_.find(id)->component);
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

void Timers::cancel_all(const Component& component) {
    if (by_component_.empty()) return;
    const std::uint32_t generation = component.generation();  // what goes with a callback may take the component along
    for (auto found = by_component_.find(generation); found != by_component_.end();
         found = by_component_.find(generation))
        cancel(found->second);
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
    timers_.each([&](TimerId, const Timer& timer) { all.push_back(timer.owner); });
    return all;
}

std::vector<TimerInfo> Timers::list(const Owner& owner) const {
    std::vector<TimerInfo> theirs;
    timers_.each([&](TimerId id, const Timer& timer) {
        if (timer.owner == owner) theirs.push_back({id, timer.actor, remaining(id), timer.registered, timer.place});
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
