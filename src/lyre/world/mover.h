// world/mover.h: components that move their actor, so that movement can be repeated.
//
//     struct Walk : Component {
//         struct State   { Vec3 position, velocity; ... describe };
//         struct Command { Vec3 direction; ... describe };
//         State capture() const;
//         void  restore(const State& state);                              // places the actor, too
//         void  step(const Command& command, const MoverStep& step);      // the only other place that moves it
//
// A component class with these is a mover. Each tick, in the Physics group, by class and then by id, the world gives it
// the command that was handed in for that tick, or an empty one. A step sees no clock and no randomness but what is
// passed in, and nothing of its actor that changes but what State captures: the place, and whatever else its speed
// depends on, is in State, written there before the step. So the same state and the same commands give the same
// movement, on server and client, now and when it is repeated after a correction. What stands still (the boxes of a
// level) may be asked.
//
// Who steps where: by the actor's role. With authority and as an autonomous proxy it is stepped; a simulated proxy is
// not, here it only goes where restore() puts it. Nothing else moves a mover's actor but teleport(), which is counted,
// so that nobody draws a streak from old to new place; restore() is not counted.
//
//     capture -> state of tick 40 -> ... the server's answer for tick 40 -> restore -> repeat 41, 42, ... -> now
//
// What carries and repeats movements (a network, a replay) does so without knowing the class, through MoverInfo. All on
// the thread that ticks the world.
#pragma once

#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lyre/world/class_info.h"
#include "lyre/world/mover_info.h"

namespace lyre::inline world {

class Movers {
public:
    explicit Movers(World& world) : world_(world) {}

    // For a tick whose steps are to come (0: the next one); before the Physics group that is also the tick that runs. A
    // second command for one tick replaces the first; one that comes too late is refused.
    template <Mover T> Status hand(T& mover, typename T::Command command, std::uint64_t tick = 0);
    // States and commands of the types that info_of() names. A repeated step is one more step, now.
    static const MoverInfo* info_of(const Component& mover);  // null: it is none
    Status capture(const Component& mover, void* state) const;
    Status restore(Component& mover, const void* state);
    Status repeat(Component& mover, const void* command, const MoverStep& step);
    MoverStep step_of(const Component& mover, std::uint64_t tick, float dt) const;  // what it is passed at that tick
    template <Mover T> Status restore(T& mover, const typename T::State& state);

    Status teleport(ActorId actor, const Transform& to);  // of actors with a mover; others are simply placed
    std::uint32_t teleports(ActorId actor) const;
    std::uint64_t late_commands() const { return late_; }  // came after their tick, all movers together
    std::size_t count() const { return by_component_.size(); }

private:
    friend class World;
    friend class Actor;
    struct Entry {
        Component* component;
        std::unique_ptr<CommandQueue> queue;
    };
    Status check(const Component& mover, const ValueType* state = nullptr) const;
    Status check(const Component& mover, const ValueType& command, std::uint64_t& tick);
    template <class Call> bool moving(Component& mover, const char* what, Call&& call);
    CommandQueue& queue_of(const Component& mover) { return *by_component_.at(&mover)->queue; }
    void add(Component& component, const MoverInfo& info);
    void remove(Component& component);
    void forget(Actor& actor);
    void run(float dt);
    void close_gaps();
    bool may_move(const Actor& actor) const { return moving_ == &actor; }

    World& world_;
    std::vector<std::unique_ptr<Entry>> entries_;  // by class, then by id; component null where one has gone
    std::vector<std::unique_ptr<Entry>> added_;
    std::unordered_map<const Component*, Entry*> by_component_;
    std::unordered_map<ActorId, std::uint32_t> teleports_;
    const Actor* moving_ = nullptr;
    std::uint64_t late_ = 0;
    std::uint64_t stepped_ = 0;  // the last tick in which movers stepped
    bool has_gaps_ = false;
    bool is_running_ = false;
};

template <Mover T> Status Movers::hand(T& mover, typename T::Command command, std::uint64_t tick) {
    using Commands = CommandsOf<typename T::Command>;
    if (Status status = check(mover, value_type<typename T::Command>(), tick); !status.is_ok()) return status;
    auto& waiting = static_cast<Commands&>(queue_of(mover)).waiting;
    auto place = waiting.end();
    while (place != waiting.begin() && std::prev(place)->first >= tick) --place;
    if (place != waiting.end() && place->first == tick) {
        place->second = std::move(command);
        return Status::ok();
    }
    if (waiting.size() == Commands::kMaxWaiting) return Status::capacity("{} commands wait already", waiting.size());
    waiting.emplace(place, tick, std::move(command));
    return Status::ok();
}

template <Mover T> Status Movers::restore(T& mover, const typename T::State& state) {
    if (Status status = check(mover, &value_type<typename T::State>()); !status.is_ok()) return status;
    return restore(static_cast<Component&>(mover), static_cast<const void*>(&state));
}

}  // namespace lyre::inline world
