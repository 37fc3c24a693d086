// world/timers.h: callbacks on world time.
//
//     TimerId id = world.timers().after(2.5, [] { ... });      // once
//     world.timers().every(1, [] { ... }, actor.id());         // until cancelled, or the actor is gone
//     world().timers().every(1, [this] { ... }, *this);        // in a component: until cancelled, or it is gone
//     world.timers().next_tick([] { ... });
//
// World time stands still while the world is paused and runs at the world's time scale. Timers run at the beginning of
// a tick, in order of due time, then of making. A callback may make and cancel timers, its own too; one made inside a
// callback runs in a later tick, since time stands at the end of this one already. A timer bound to an actor or to
// one of its components goes with it, and keeps the actor from resting: so bind a timer to whatever its callback uses.
// Callbacks run under the owner that made them. One that throws is reported, and its timer is cancelled.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lyre/core/owner.h"
#include "lyre/world/fwd.h"

namespace lyre::inline world {

struct Timer;
using TimerId = Handle<Timer>;

struct Timer {
    std::function<void()> callback;
    double interval = -1;  // s; below 0: once
    ActorId actor;
    std::uint32_t component = 0;  // its generation; 0: bound to none
    Owner owner;
    std::uint64_t registered = 0;
    std::string place;  // "game/tag/tag.cpp:12"; only of one that a feature has made
};

struct TimerInfo {
    TimerId id;
    ActorId actor;         // none: bound to none
    double remaining = 0;  // s
    std::uint64_t registered = 0;
    std::string place;  // as Timer::place
};

// What a timer is bound to: nothing, an actor or a component.
struct TimerBound {
    TimerBound() = default;
    TimerBound(ActorId id) : actor(id) {}
    TimerBound(const Actor& bound);
    TimerBound(const Component& component);
    ActorId actor;
    std::uint32_t component = 0;
    bool is_gone = false;  // on its way out already
};

class Timers {
public:
    static constexpr std::size_t kMaxTimers = 1'000'000;
    static constexpr int kMaxCatchUp = 64;  // runs of one timer in one tick; then it forgets what it missed

    explicit Timers(World& world) : world_(world) {}

    // None when there are kMaxTimers already, the time is not a number, or what it is bound to is gone.
    TimerId after(double seconds, std::function<void()> callback, const TimerBound& bound = {},
                  const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
        return add(seconds, -1, std::move(callback), bound, file, line);
    }
    TimerId every(double seconds, std::function<void()> callback, const TimerBound& bound = {},  // 0: every tick
                  const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
        return add(seconds, seconds > 0 ? seconds : 0.0, std::move(callback), bound, file, line);
    }
    TimerId next_tick(std::function<void()> callback, const TimerBound& bound = {}, const char* file = __builtin_FILE(),
                      int line = __builtin_LINE()) {
        return add(0, -1, std::move(callback), bound, file, line);
    }
    bool cancel(TimerId id);
    bool is_set(TimerId id) const { return timers_.find(id) != nullptr; }
    double remaining(TimerId id) const;  // s; below 0: not set

    std::size_t count() const { return timers_.count(); }
    bool has_any(ActorId actor) const { return by_actor_.count(actor) != 0; }
    std::vector<Owner> owners() const;                      // of all that are set, by id
    std::vector<TimerInfo> list(const Owner& owner) const;  // in order of making
    void cancel_all(const Owner& owner);

private:
    friend class World;
    struct Due {
        double at;
        std::uint64_t number;  // of making
        TimerId id;
        friend bool operator>(const Due& a, const Due& b) { return a.at != b.at ? a.at > b.at : a.number > b.number; }
    };
    TimerId add(double delay, double interval, std::function<void()> callback, const TimerBound& bound,
                const char* file, int line);
    void forget(TimerId id);
    void cancel_all(ActorId actor);
    void cancel_all(const Component& component);
    void run(double now);
    void clear();
    void run_one(const Due& due, double now);

    World& world_;
    HandleTable<Timer> timers_;
    std::priority_queue<Due, std::vector<Due>, std::greater<>> queue_;  // entries of cancelled timers find nothing
    std::vector<Due> later_;                                            // of the next tick, while this one runs
    std::unordered_map<TimerId, double> due_;
    std::unordered_multimap<ActorId, TimerId> by_actor_;
    std::unordered_multimap<std::uint32_t, TimerId> by_component_;  // generation
    std::uint64_t made_ = 0;
    std::size_t stale_ = 0;  // entries of queue_ that find nothing
};

}  // namespace lyre::inline world
