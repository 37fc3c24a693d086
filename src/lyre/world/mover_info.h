// world/mover_info.h: what makes a component class a mover; see mover.h.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "lyre/core/random.h"
#include "lyre/core/value_type.h"

namespace lyre::inline world {

struct MoverStep {
    float dt = 0;            // s
    std::uint64_t tick = 0;  // of the world
    std::uint64_t seed = 0;  // drawn from the world's seed, the actor and the tick
    Random random() const { return Random(seed); }
};

template <class T>
concept Mover = requires(T& t, const T& c, const typename T::State& state, const typename T::Command& command,
                         const MoverStep& step) {
    { c.capture() } -> std::same_as<typename T::State>;
    t.restore(state);
    t.step(command, step);
};

// Commands of one mover that wait for their tick.
struct CommandQueue {
    virtual ~CommandQueue() = default;
    // Gives the mover the command for this tick, or an empty one. Older ones are dropped; gives how many.
    virtual std::size_t step(void* object, const MoverStep& step) = 0;
};

// What carries movements and repeats them needs of a class of movers (Movers::capture, restore, repeat). A value of one
// of the two types is made by its record(). All of it is the class's code: none of it outlives the class.
struct MoverInfo {
    const ValueType* state = nullptr;
    const ValueType* command = nullptr;
    void (*capture)(const void* object, void* state) = nullptr;
    void (*restore)(void* object, const void* state) = nullptr;
    void (*step)(void* object, const void* command, const MoverStep& step) = nullptr;
    std::unique_ptr<CommandQueue> (*make_queue)() = nullptr;
};

// By class of command, so that a derived mover's queue is found through its parent too.
template <class Command> struct CommandsOf : CommandQueue {
    static constexpr std::size_t kMaxWaiting = 128;
    std::vector<std::pair<std::uint64_t, Command>> waiting;  // by tick; mostly one, so that its room stays
};

template <class T> struct CommandQueueOf final : CommandsOf<typename T::Command> {
    std::size_t step(void* object, const MoverStep& step) override {
        auto& waiting = this->waiting;
        std::size_t late = 0;
        while (late < waiting.size() && waiting[late].first < step.tick) ++late;
        waiting.erase(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(late));
        typename T::Command command{};
        if (!waiting.empty() && waiting.front().first == step.tick) {
            command = std::move(waiting.front().second);
            waiting.erase(waiting.begin());
        }
        static_cast<T*>(object)->step(command, step);
        return late;
    }
    static const MoverInfo& info() {
        using State = typename T::State;
        using Command = typename T::Command;
        static const MoverInfo info{
            &value_type<State>(),
            &value_type<Command>(),
            [](const void* object, void* state) {
                *static_cast<State*>(state) = static_cast<const T*>(object)->capture();
            },
            [](void* object, const void* state) {
                static_cast<T*>(object)->restore(*static_cast<const State*>(state));
            },
            [](void* object, const void* command, const MoverStep& step) {
                static_cast<T*>(object)->step(*static_cast<const Command*>(command), step);
            },
            []() -> std::unique_ptr<CommandQueue> { return std::make_unique<CommandQueueOf>(); }};
        return info;
    }
};

}  // namespace lyre::inline world
