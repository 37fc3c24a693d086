// core/delegate.h: a list of callbacks that survives being changed while it runs.
//
//     Delegate<ActorId> died;
//     Connection c = died.add([](ActorId id) { ... });     // called until c is destroyed
//     died.broadcast(id);
//
// Lower priority numbers run first, within one number in order of adding. While a broadcast runs: an added callback
// is not called in it, a removed one is not called any more, a broadcast inside it works, and the delegate itself may
// be destroyed by a callback (the rest is then not called). Each callback runs under the owner that added it. A
// delegate nobody listens to is one pointer, and broadcasting it is one test.
//
// Whatever callable is dropped, all that is left of it is memory: the node may stay as long as its Connection. Those of
// features are listed (subscriptions.h), with the place that added them.
//
// A Connection may outlive its delegate. Latch is a delegate for what happens once: who asks late is called at once.
// Use from one thread. A callback that throws ends the broadcast; the exception goes to the broadcaster. Whoever tells
// others what has happened, and goes on whatever they do, uses broadcast_and_catch, or tell of log.h.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "lyre/core/owner.h"

namespace lyre::inline core {

namespace detail {

// One callback. A node is in its list until removed, and is kept in memory while its Connection looks at it; the
// callable itself goes as soon as no broadcast can be inside it.
struct ListenerNode {
    ListenerNode* next = nullptr;
    ListenerNode* previous = nullptr;
    void (*drop)(ListenerNode*) = nullptr;  // destroys the callable; null then, as it is code of who added it
    std::uint64_t registered = 0;           // next_registration()
    Owner owner;
    int priority = 0;
    bool removed = false;  // not to be called any more
    bool linked = true;
    bool watched = true;  // a Connection points here
    std::uint32_t alignment = 0;
};

// Where a callback was added. The texts are copied if they are kept: they may lie in a feature's library.
struct ListenerPlace {
    const char* signature;  // __PRETTY_FUNCTION__ with "Args = ..." in it
    const char* file;
    int line;
};

// What a delegate and its connections share. Counted, so that either side may go first.
class ListenerList {
public:
    static ListenerList* create() { return new ListenerList; }
    void acquire() { ++references_; }
    void release() {
        if (--references_ == 0 && depth_ == 0) delete this;
    }

    void insert(ListenerNode* node, const ListenerPlace& place);
    void remove(ListenerNode* node);
    void unwatch(ListenerNode* node);
    void remove_all();

    // While one stands on the list nothing that is in it goes. The depth before is written back rather than counted
    // down: it is the same, and the processor need not wait for it.
    std::uint32_t begin_broadcast() {
        const std::uint32_t before = depth_;
        depth_ = before + 1;
        return before;
    }
    void end_broadcast(std::uint32_t before) {
        depth_ = before;
        if (before == 0 && (sweep_needed_ || references_ == 0)) finish();
    }
    std::uint64_t newest() const { return newest_; }
    ListenerNode* first() const { return first_; }
    std::size_t count() const { return count_; }

private:
    ListenerList() = default;
    ~ListenerList() = default;  // the last reference goes after remove_all and the last Connection: no node is left
    void unlink(ListenerNode* node);
    void retire(ListenerNode* node);
    void sweep();
    void finish();

    ListenerNode* first_ = nullptr;
    ListenerNode* last_ = nullptr;
    std::uint64_t newest_ = 0;  // registration
    std::size_t count_ = 0;     // not removed
    std::uint32_t references_ = 1;
    std::uint32_t depth_ = 0;
    bool sweep_needed_ = false;
};

}  // namespace detail

// Holds one callback in its delegate; destroying it removes the callback.
class [[nodiscard]] Connection {
public:
    Connection() = default;
    Connection(Connection&& other) noexcept
        : list_(std::exchange(other.list_, nullptr)), node_(std::exchange(other.node_, nullptr)) {}
    Connection& operator=(Connection&& other) noexcept {
        std::swap(list_, other.list_);
        std::swap(node_, other.node_);
        other.disconnect();
        return *this;
    }
    ~Connection() { disconnect(); }

    void disconnect();
    // True while the callback is in its delegate: false once removed, fired (Latch) or the delegate is gone.
    bool is_connected() const { return node_ != nullptr && !node_->removed; }

private:
    template <class... Args> friend class Delegate;
    Connection(detail::ListenerList* list, detail::ListenerNode* node);

    detail::ListenerList* list_ = nullptr;
    detail::ListenerNode* node_ = nullptr;
};

template <class... Args> class Delegate {
public:
    Delegate() = default;
    Delegate(Delegate&& other) noexcept : list_(std::exchange(other.list_, nullptr)) {}  // connections follow
    Delegate& operator=(Delegate&&) = delete;
    ~Delegate() {
        if (list_ == nullptr) return;
        list_->remove_all();
        list_->release();
    }

    template <class F>
    Connection add(F&& callback, int priority = 0, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
        static_assert(std::is_invocable_v<std::decay_t<F>&, Args&...>,
                      "the callback does not take this delegate's arguments");
        auto* node = new NodeOf<std::decay_t<F>>(std::forward<F>(callback));
        node->priority = priority;
        node->alignment = alignof(NodeOf<std::decay_t<F>>);
        if (list_ == nullptr) list_ = detail::ListenerList::create();
        list_->insert(node, {signature(), file, line});
        return Connection(list_, node);
    }

    void broadcast(Args... args) const {
        if (list_ == nullptr) return;
        const Running running(*list_);
        for (auto* node = running.list.first(); node != nullptr; node = node->next) {
            if (node->removed || node->registered > running.newest) continue;
            detail::current_owner = node->owner;
            static_cast<Node*>(node)->call(node, args...);
        }
    }

    // As broadcast, but a listener that throws does not keep the others from hearing; the first exception follows.
    void broadcast_to_all(Args... args) const {
        if (list_ == nullptr) return;
        std::exception_ptr first;
        {
            const Running running(*list_);
            for (auto* node = running.list.first(); node != nullptr; node = node->next) {
                if (node->removed || node->registered > running.newest) continue;
                detail::current_owner = node->owner;
                try {
                    static_cast<Node*>(node)->call(node, args...);
                } catch (...) {
                    if (!first) first = std::current_exception();
                }
            }
        }
        if (first) std::rethrow_exception(first);
    }

    // As broadcast_to_all, and what the first has thrown is told as a text; empty: nobody threw.
    std::string broadcast_and_catch(Args... args) const {
        std::string threw;
        try {
            broadcast_to_all(args...);
            return threw;
        } catch (const std::exception& error) {
            threw = error.what();
        } catch (...) {
        }
        return threw.empty() ? "an exception" : threw;
    }

    void clear() {
        if (list_ != nullptr) list_->remove_all();
    }
    std::size_t count() const { return list_ == nullptr ? 0 : list_->count(); }
    std::vector<Owner> owners() const {  // in calling order
        std::vector<Owner> all;
        for (auto* node = list_ == nullptr ? nullptr : list_->first(); node != nullptr; node = node->next)
            if (!node->removed) all.push_back(node->owner);
        return all;
    }

private:
    static constexpr const char* signature() { return __PRETTY_FUNCTION__; }
    struct Node : detail::ListenerNode {
        void (*call)(detail::ListenerNode*, Args&...) = nullptr;
    };
    template <class F> struct NodeOf final : Node {
        template <class G> explicit NodeOf(G&& callback) : callable(std::forward<G>(callback)) {
            this->call = [](detail::ListenerNode* self, Args&... args) {
                (*static_cast<NodeOf*>(self)->callable)(args...);
            };
            this->drop = [](detail::ListenerNode* self) { static_cast<NodeOf*>(self)->callable.reset(); };
        }
        std::optional<F> callable;
    };
    // Keeps the list alive while a broadcast stands on it, also when a callback destroys the delegate, and puts the
    // owner back.
    struct Running {
        explicit Running(detail::ListenerList& l)
            : list(l), depth(l.begin_broadcast()), newest(l.newest()), owner(detail::current_owner) {}
        ~Running() {
            detail::current_owner = owner;
            list.end_broadcast(depth);
        }
        detail::ListenerList& list;
        std::uint32_t depth;  // before
        std::uint64_t newest;
        Owner owner;  // before
    };

    detail::ListenerList* list_ = nullptr;
};

// Something that happens once. Before it has happened callbacks are kept; from then on they run at once and are not.
template <class... Args> class Latch {
public:
    // The connection is empty when the callback ran at once.
    template <class F>
    Connection call_or_register(F&& callback, int priority = 0, const char* file = __builtin_FILE(),
                                int line = __builtin_LINE()) {
        if (!happened_) return waiting_.add(std::forward<F>(callback), priority, file, line);
        auto arguments = *happened_;  // the callback may reset or destroy the latch
        std::apply(callback, arguments);
        return {};
    }
    // Calls everybody who waits, by priority, and forgets them. A second call does nothing and says so.
    bool happen(Args... args) {
        if (happened_) return false;
        happened_.emplace(args...);
        Delegate<Args...> waiting(std::move(waiting_));  // a callback may destroy the latch
        waiting.broadcast_to_all(args...);
        return true;
    }
    void reset() { happened_.reset(); }
    std::size_t waiting() const { return waiting_.count(); }

private:
    std::optional<std::tuple<std::decay_t<Args>...>> happened_;
    Delegate<Args...> waiting_;
};

}  // namespace lyre::inline core
