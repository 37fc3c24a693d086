// framework/detail/receiver_table.h: the actors that want to be extended, and what stands on each.
//
// Receivers never move while they are in the table; their places are used again, so whoever keeps one over a call of
// user code keeps its ReceiverRef and asks again. They are linked in order of addition. An actor is found by its id
// without a search.
#pragma once

#include <algorithm>
#include <array>
#include <boost/container/small_vector.hpp>
#include <memory>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lyre/framework/detail/extension_entries.h"

namespace lyre::framework {

// A handler that has been told of the receiver.
struct Told {
    Handler* handler;
    std::uint8_t level;    // 0: of the receiver's own class, 1: of its parent ...
    bool is_done = false;  // once_per_actor, and that was it
};

// A component that was made here. It is in the list before it registers, while it has no generation yet.
struct Injected {
    Serial serial = 0;
    Name class_name, name;
    std::uint32_t generation = 0;
    Serial maker = 0;  // request
};

// A request that matches the receiver, and what came of it. Plain bytes: there may be dozens on each of thousands.
struct Want {
    Request* request;
    Serial injected = 0;  // the component it made or shares; 0: it has none
    Name blocker;         // component that stands in the way
    RequestOutcome outcome = RequestOutcome::Created;

    // What stands in the way may go. What failed to be made is not tried again.
    bool may_change() const {
        return outcome >= RequestOutcome::AlreadyHas && outcome <= RequestOutcome::ClassUnavailable;
    }
};

struct StickyEvent {
    Name event;
    EventPayload payload;
    std::shared_ptr<const void> copy;  // what payload.object points to
    Serial first_sent = 0, sent = 0;   // the first and the last time
    Owner owner;                       // who sent it last
    std::uint64_t registered = 0;      // the last time
    std::int64_t since_us = 0;
};

struct Receiver {
    // What a late request looks at, in as few lines of cache as it can be.
    ReceiverRef ref;
    Actor* actor = nullptr;  // lives as long as the receiver: its end removes it
    ActorId id;
    std::uint32_t previous = 0, next = 0;
    bool is_leaving = false;
    bool is_dirty = false;      // in the list for settle()
    std::uint32_t blocked = 0;  // wants with something in their way
    Serial newest_want = 0;     // no request with a higher number was ever among the wants
    // Room for one: most receivers have no more. Those that have more have many.
    struct Growth {
        template <class Size> Size operator()(Size now, Size more, Size most) const {
            return std::min(most, std::max({Size{8}, now + more, 2 * now}));
        }
    };
    template <class T>
    using Few = boost::container::small_vector<
        T, 1, void, boost::container::small_vector_options_t<boost::container::growth_factor<Growth>>>;
    Few<Want> wants;         // through add_want, erase_want and forget_wants
    Few<Injected> injected;  // in order of making

    std::uint64_t order_version = 0;                // at which `told` was sorted
    std::vector<Told> told;                         // in calling order
    std::vector<StickyEvent> sticky;                // in the order they were first sent
    std::vector<std::pair<Serial, bool>> verdicts;  // of predicates, by entry
    std::vector<Serial> done;                       // handlers once per actor that have been called, matched or not
    std::vector<std::pair<Serial, std::string>> failures;  // why a component could not be made, by request

    // Asks for the memory that a new want is judged by and written to, well before it is.
    void fetch_for_want() const {
        __builtin_prefetch(actor);
        __builtin_prefetch(wants.data() + wants.size(), 1);
        __builtin_prefetch(injected.data() + injected.size(), 1);
    }
    World& world() const { return actor->world(); }
    Told* find_told(const Handler& handler);
    bool is_done(const Handler& handler) const;
    Want* find_want(const Request& request);
    void add_want(const Want& want) {
        newest_want = std::max(newest_want, want.request->serial);
        blocked += want.blocker ? 1 : 0;
        wants.push_back(want);
    }
    void erase_want(Want& want);
    void forget_wants();
    Injected* find_injected(Serial serial);
    Injected* find_injected(const Component& component);
    void forget_injected(Serial serial);
    StickyEvent* find_sticky(Name event);
    Component* component_of(const Injected& injected) const;  // null: gone or on its way out
};
static_assert(std::is_trivially_copyable_v<Want> && std::is_trivially_copyable_v<Injected>);

class ReceiverTable {
public:
    ReceiverTable() { grow(); }  // place 0 is none

    Receiver& add(Actor& actor, Serial serial);
    void remove(Receiver& receiver);
    Receiver* find(const Actor& actor) {
        const World& world = actor.world();
        if (last_ == nullptr || last_->world != &world) last_ = find_world(world);
        if (last_ == nullptr) return nullptr;
        const ActorId id = actor.id();
        if (id.index >= last_->places.size()) return find_row(id);
        Receiver& receiver = at(last_->places[id.index]);
        return receiver.id == id ? &receiver : nullptr;
    }
    Receiver* find(ReceiverRef ref) {
        Receiver& receiver = at(ref.slot);
        return receiver.ref.serial == ref.serial ? &receiver : nullptr;
    }
    std::size_t count() const { return count_; }
    void set_quiet(const Receiver& receiver, bool is_quiet);  // whether nobody is told of it
    const detail::QuietReceivers& quiet() const { return quiet_; }

    // In order of addition. Nobody may come or go meanwhile.
    template <class Visit> void each(Visit visit) {
        for (std::uint32_t slot = first_; slot != 0; slot = at(slot).next) visit(at(slot));
    }
    template <class Visit> void each(Visit visit) const {
        for (std::uint32_t slot = first_; slot != 0; slot = at(slot).next) visit(at(slot));
    }
    // Goes through those there are when it begins, though any may come and go meanwhile.
    class Walk {
    public:
        enum class Order : bool { OldestFirst, NewestFirst };
        Walk(ReceiverTable& table, Order order)
            : table_(table),
              outer_(std::exchange(table.walks_, this)),
              order_(order),
              next_(order == Order::OldestFirst ? table.first_ : table.newest_),
              newest_(table.at(table.newest_).ref.serial) {}
        ~Walk() { table_.walks_ = outer_; }
        Walk(const Walk&) = delete;
        Walk& operator=(const Walk&) = delete;

        Receiver* next() {  // null: that was the last
            if (next_ == 0) return nullptr;
            Receiver& receiver = table_.at(next_);
            if (receiver.ref.serial > newest_) return nullptr;
            pass(receiver);
            // The way leads through memory that is not in the cache: where the next one points to is asked for now, and
            // the one after it, so that both are there when it is their turn.
            const Receiver& following = table_.at(next_);  // place 0, if there is none
            following.fetch_for_want();
            table_.fetch(order_ == Order::OldestFirst ? following.next : following.previous);
            return &receiver;
        }

    private:
        friend class ReceiverTable;
        void pass(const Receiver& receiver) {
            next_ = order_ == Order::OldestFirst ? receiver.next : receiver.previous;
        }
        ReceiverTable& table_;
        Walk* const outer_;
        const Order order_;
        std::uint32_t next_;
        const Serial newest_;
    };
    std::vector<ReceiverRef> of_world(const World& world);
    void forget(const World& world);  // it has no receivers any more

private:
    struct OfWorld {
        const World* world;
        std::vector<std::uint32_t> places;                // by index of the actor's id
        std::unordered_map<ActorId, std::uint32_t> rows;  // of actors made of rows, whose indices are high
    };
    static constexpr std::uint32_t kInBlock = 64;
    using Block = std::array<Receiver, kInBlock>;
    Receiver& at(std::uint32_t slot) const { return (*blocks_[slot / kInBlock])[slot % kInBlock]; }
    // Asks for its memory.
    void fetch(std::uint32_t slot) const {
        const char* place = reinterpret_cast<const char*>(&at(slot));
        for (std::size_t line = 0; line < 3; ++line) __builtin_prefetch(place + line * 64);
    }
    std::uint32_t grow();  // a place that was never used
    OfWorld* find_world(const World& world);
    Receiver* find_row(ActorId id);

    std::vector<std::unique_ptr<Block>> blocks_;
    std::uint32_t places_ = 0;
    std::vector<std::uint32_t> free_;
    std::uint32_t first_ = 0, newest_ = 0;
    std::size_t count_ = 0;
    std::vector<std::unique_ptr<OfWorld>> worlds_;
    OfWorld* last_ = nullptr;  // the one asked last
    Walk* walks_ = nullptr;    // the innermost
    detail::QuietReceivers quiet_;
};

}  // namespace lyre::framework
