// experience/rounds.h: who waits for something of an experience, and how they are told: High, then Normal, then Low.
//
//     Rounds<ExperienceDefinition> loaded;
//     CallbackHandle handle = loaded.add(Priority::High, *this, [this](const ExperienceDefinition& e) { ... });
//     loaded.broadcast(definition, [&] { return generation == at_start; }, report);
//
//     waiting --broadcast--> called;   Once: gone, before its call begins    EachLoad: waits for the next broadcast
//        +--- handle dropped, owner gone, Rounds gone: never called
//
// Within a level the order is that of adding. A broadcast reaches those that were there when it began: one that is
// added meanwhile waits for the next (the Host, which calls late ones at once, has called it already). `goes_on` is
// asked before each call; once it says no the rest is not called and stays as it was.
//
// A callback may do anything: add, drop handles (its own too), end its owner, broadcast again, destroy the Rounds. It
// runs under the Owner that added it, and on behalf of an actor in a call scope of its world, so that the actor stays
// in memory until the call is over. What it throws is handed to `threw`. Callbacks of features are listed like those of
// any delegate (core/subscriptions.h), so nothing of a feature stays behind when it is taken back. A callable is
// destroyed when no broadcast stands on its Rounds any more. Frame's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "lyre/core/delegate.h"
#include "lyre/core/status.h"
#include "lyre/world/fwd.h"

namespace lyre::experience {

enum class Priority : std::uint8_t { High, Normal, Low };
enum class Repeat : std::uint8_t { Once, EachLoad };
std::string_view to_string(Priority priority);
std::string_view to_string(Repeat repeat);

// Somebody a registration must not outlive: an actor, one of its components, any shared object; or nobody. An actor
// counts from its pre_initialize on; one that was placed in a level does not rest while it is an owner. Asking is safe
// also when the world has gone.
class WeakOwner {
public:
    WeakOwner();  // nobody
    WeakOwner(const Actor& actor);
    WeakOwner(const Component& component);
    WeakOwner(std::weak_ptr<const void> object);
    template <class T> WeakOwner(const std::weak_ptr<T>& object) : WeakOwner(std::weak_ptr<const void>(object)) {}
    template <class T> WeakOwner(const std::shared_ptr<T>& object) : WeakOwner(std::weak_ptr<const void>(object)) {}
    WeakOwner(WeakOwner&& other) noexcept;
    WeakOwner& operator=(WeakOwner&& other) noexcept;
    ~WeakOwner();

    bool is_none() const { return !is_object_ && in_world_ == nullptr; }
    bool is_gone() const;           // never of nobody
    std::string to_string() const;  // "actor #3.1", "component engine of actor #3.1", "an object"; empty: nobody

    // Somebody in a world: the world, if they are still there.
    World* world() const;
    // A shared object: keeps it for the time of a call on its behalf, in which it is there.
    std::shared_ptr<const void> lock() const { return object_.lock(); }

private:
    struct InWorld;
    std::weak_ptr<const void> object_;
    std::unique_ptr<InWorld> in_world_;
    bool is_object_ = false;
};

// One who waits, for lists and reports.
struct RegistrationInfo {
    Priority priority = Priority::Normal;
    Repeat repeat = Repeat::Once;
    Owner by{};                     // who added it
    Name place{};                   // where: "game/tag/tag.cpp:12"
    std::string weak_owner{};       // WeakOwner::to_string
    std::string to_string() const;  // "High, once, by feature tag at game/tag/tag.cpp:12, for actor #3.1"
};

using GoesOn = std::function<bool()>;                                               // empty: always
using Threw = std::function<void(const RegistrationInfo&, std::string_view what)>;  // empty: of no interest
using Called = std::function<void(const RegistrationInfo&, bool begins)>;           // around each call; empty: nobody

namespace detail {
struct RoundState;
}

// Holds one callback; dropping it removes the callback. May outlive the Rounds, the owner and the world.
class [[nodiscard]] CallbackHandle {
public:
    CallbackHandle() = default;
    explicit CallbackHandle(Status refused) : status_(std::move(refused)) {}
    CallbackHandle(CallbackHandle&& other) noexcept;
    CallbackHandle& operator=(CallbackHandle&& other) noexcept;
    ~CallbackHandle() { reset(); }

    void reset();
    bool is_registered() const;  // false: dropped, called (Once), refused, or those it was registered with are gone
    const Status& status() const { return status_; }  // why it was refused; ok otherwise

private:
    friend struct detail::RoundState;
    CallbackHandle(std::weak_ptr<detail::RoundState> state, std::uint64_t serial)
        : state_(std::move(state)), serial_(serial) {}
    std::weak_ptr<detail::RoundState> state_;
    std::uint64_t serial_ = 0;
    Status status_;
};

inline constexpr std::size_t kMaxRegistrations = 4096;  // of one Rounds; some hundred are many

namespace detail {
using ErasedCallback = std::function<void(const void* arguments)>;  // a tuple of references
struct RoundDef {
    Priority priority;
    Repeat repeat;
    const char* file;
    int line;
};
std::shared_ptr<RoundState> make_round_state();
void end_rounds(RoundState& state);
CallbackHandle add_callback(const std::shared_ptr<RoundState>& state, const RoundDef& def, WeakOwner owner,
                            ErasedCallback callback);
void broadcast_round(std::shared_ptr<RoundState> state, std::optional<Priority> level, std::uint64_t newest,
                     const void* arguments, const GoesOn& goes_on, const Threw& threw, const Called& called);
void call_now(const RoundDef& def, const WeakOwner& owner, const ErasedCallback& callback, const void* arguments,
              const Threw& threw);
std::uint64_t newest_of(const RoundState& state);
bool is_empty(const RoundState& state);
std::vector<RegistrationInfo> list_of(const RoundState& state);
}  // namespace detail

template <class... Arguments> class Rounds {
public:
    using Callback = std::function<void(const Arguments&...)>;
    using Mark = std::uint64_t;

    Rounds() : state_(detail::make_round_state()) {}
    Rounds(const Rounds&) = delete;
    Rounds& operator=(const Rounds&) = delete;
    ~Rounds() { detail::end_rounds(*state_); }

    // A handle that is not registered if there are kMaxRegistrations (its status says so), the callback is empty, or
    // the owner has gone already.
    CallbackHandle add(Priority priority, WeakOwner owner, Callback callback, Repeat repeat = Repeat::Once,
                       const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
        return detail::add_callback(state_, {priority, repeat, file, line}, std::move(owner),
                                    erase(std::move(callback)));
    }

    void broadcast(const Arguments&... arguments, const GoesOn& goes_on = {}, const Threw& threw = {},
                   const Called& called = {}) {
        const std::tuple<const Arguments&...> all(arguments...);
        detail::broadcast_round(state_, std::nullopt, mark(), &all, goes_on, threw, called);
    }
    // One level, of those that were there at `mark`: for who does something between the levels, and takes the mark
    // before the first.
    void broadcast_level(Priority level, Mark mark, const Arguments&... arguments, const GoesOn& goes_on = {},
                         const Threw& threw = {}, const Called& called = {}) {
        const std::tuple<const Arguments&...> all(arguments...);
        detail::broadcast_round(state_, level, mark, &all, goes_on, threw, called);
    }
    Mark mark() const { return detail::newest_of(*state_); }

    // As a broadcast would call it, without registering: nothing if the owner has gone or the callback is empty.
    static void call(Priority priority, const WeakOwner& owner, const Callback& callback, Repeat repeat,
                     const Arguments&... arguments, const Threw& threw, const char* file = __builtin_FILE(),
                     int line = __builtin_LINE()) {
        const std::tuple<const Arguments&...> all(arguments...);
        detail::call_now({priority, repeat, file, line}, owner, erase(callback), &all, threw);
    }

    bool is_empty() const { return detail::is_empty(*state_); }  // false: somebody waits, or has gone unnoticed
    std::size_t count() const { return list().size(); }
    std::vector<RegistrationInfo> list() const { return detail::list_of(*state_); }  // in the order of calling

private:
    static detail::ErasedCallback erase(Callback callback) {
        if (callback == nullptr) return {};
        return [callback = std::move(callback)](const void* arguments) {
            std::apply(callback, *static_cast<const std::tuple<const Arguments&...>*>(arguments));
        };
    }

    std::shared_ptr<detail::RoundState> state_;
};

}  // namespace lyre::experience
