#include "lyre/experience/rounds.h"

#include <algorithm>
#include <exception>
#include <fmt/format.h>
#include <map>

#include "lyre/features/world_ref.h"

namespace lyre::experience {

std::string_view to_string(Priority priority) {
    constexpr std::string_view kNames[] = {"High", "Normal", "Low"};
    return kNames[static_cast<std::size_t>(priority)];
}

std::string_view to_string(Repeat repeat) {
    return repeat == Repeat::Once ? "once" : "each load";
}

std::string RegistrationInfo::to_string() const {
    const std::string whom = weak_owner.empty() ? "" : fmt::format(", for {}", weak_owner);
    return fmt::format("{}, {}, by {} at {}{}", experience::to_string(priority), experience::to_string(repeat),
                       by.to_string(), place, whom);
}

// WeakOwner

struct WeakOwner::InWorld {
    features::WorldRef world;
    ActorId actor;
    Name component;                // none: the actor itself
    std::uint32_t generation = 0;  // of the component
    // The actor of a row has the same id when it is made anew. It does not rest meanwhile, but its level may be reset.
    ActorHold hold;
    Connection ended;
    bool has_ended = false;

    explicit InWorld(const Actor& of) : world(of.world()), actor(of.id()) {
        World& in = of.world();
        Actor* known = in.find(actor);
        has_ended = known != &of;
        if (has_ended || !known->is_from_row()) return;
        if (auto held = in.levels().hold(actor)) hold = std::move(*held);
        in.watch(*known);
        const OwnerScope as(Owner::process());  // it is nobody's subscription
        ended = in.watched_actor_ended.add([this, known](Actor& one, EndReason) { has_ended |= &one == known; });
    }

    bool is_there() const {
        const World* in = world.find();
        const Actor* known = in == nullptr || has_ended ? nullptr : in->find(actor);
        if (known == nullptr || component.is_none()) return known != nullptr;
        const Component* part = known->find_component(component);
        return part != nullptr && part->generation() == generation;
    }
};

WeakOwner::WeakOwner() = default;
WeakOwner::WeakOwner(const Actor& actor) : in_world_(std::make_unique<InWorld>(actor)) {}

WeakOwner::WeakOwner(const Component& component) : WeakOwner(component.actor()) {
    in_world_->component = component.name();
    in_world_->generation = component.generation();
}

WeakOwner::WeakOwner(std::weak_ptr<const void> object) : object_(std::move(object)), is_object_(true) {}

WeakOwner::WeakOwner(WeakOwner&& other) noexcept = default;
WeakOwner& WeakOwner::operator=(WeakOwner&& other) noexcept = default;
WeakOwner::~WeakOwner() = default;

bool WeakOwner::is_gone() const {
    return (is_object_ && object_.expired()) || (in_world_ != nullptr && !in_world_->is_there());
}

std::string WeakOwner::to_string() const {
    if (is_object_) return "an object";
    if (in_world_ == nullptr) return {};
    if (in_world_->component.is_none()) return fmt::format("actor {}", in_world_->actor);
    return fmt::format("component {} of actor {}", in_world_->component, in_world_->actor);
}

World* WeakOwner::world() const {
    return in_world_ != nullptr && in_world_->is_there() ? in_world_->world.find() : nullptr;
}

// Rounds

namespace detail {

// One broadcast on its way through the callbacks.
struct ExperienceRound {
    RoundState& state;
    std::optional<Priority> level;  // none: all
    std::uint64_t newest;           // what was added later is not called
    const void* arguments;
    const GoesOn& goes_on;
    const Threw& threw;
    const Called& called;
    Owner owner;  // of who broadcasts
    bool is_over = false;
};

// What a Rounds, its handles and its running broadcasts share. The delegate has the callables and the order; what is
// known about each callback stands in `entries`. Entries are taken out before they are destroyed, since what a callable
// holds may come back here as it goes.
struct RoundState {
    struct Entry {
        RegistrationInfo info;
        // In the callable, since forgetting a shared object may be code of a feature: it goes when the callable goes.
        const WeakOwner* owner;
        Connection connection;  // not connected any more: the ledger of its feature has taken it back
        bool is_waiting() const { return connection.is_connected() && !owner->is_gone(); }
    };
    using Entries = std::map<std::uint64_t, Entry>;  // by serial, so in the order of adding

    Delegate<ExperienceRound&> callbacks;
    Entries entries;
    std::uint64_t newest = 0;
    bool has_ended = false;

    CallbackHandle add(const std::shared_ptr<RoundState>& self, const RoundDef& def, WeakOwner owner,
                       ErasedCallback callback);
    void visit(ExperienceRound& round, std::uint64_t serial, const WeakOwner& owner, const ErasedCallback& callback);
    bool may_go_on(ExperienceRound& round) const;
    Entries::node_type take(std::uint64_t serial) { return entries.extract(serial); }
    void take_dead();
};

namespace {

RegistrationInfo info_of(const RoundDef& def, const WeakOwner& owner) {
    return {def.priority, def.repeat, Owner::current(), Name(fmt::format("{}:{}", def.file, def.line)),
            owner.to_string()};
}

// Runs a callback on behalf of its owner, who is there. `reporter` is the Owner that `threw` is called under.
void call_guarded(const RegistrationInfo& info, const WeakOwner& owner, const ErasedCallback& callback,
                  const void* arguments, const Threw& threw, const Owner& reporter) {
    const std::shared_ptr<const void> kept = owner.lock();
    std::optional<World::CallScope> scope;
    if (World* world = owner.world()) scope.emplace(*world);
    const auto report = [&](std::string_view what) {
        const OwnerScope as(reporter);
        if (threw) threw(info, what);
    };
    try {
        const OwnerScope as(info.by);
        callback(arguments);
    } catch (const std::exception& error) {
        report(error.what());
    } catch (...) {
        report("an exception");
    }
}

}  // namespace

CallbackHandle RoundState::add(const std::shared_ptr<RoundState>& self, const RoundDef& def, WeakOwner owner,
                               ErasedCallback callback) {
    if (has_ended || owner.is_gone()) return {};
    if (callback == nullptr)
        return CallbackHandle(Status::invalid("the callback of {}:{} is empty", def.file, def.line));
    if (entries.size() >= kMaxRegistrations) take_dead();
    if (entries.size() >= kMaxRegistrations)
        return CallbackHandle(Status::capacity("{} callbacks wait already: the one of {}:{} is refused",
                                               kMaxRegistrations, def.file, def.line));
    const std::uint64_t serial = ++newest;
    RegistrationInfo info = info_of(def, owner);
    auto kept = std::make_unique<const WeakOwner>(std::move(owner));
    const WeakOwner* known = kept.get();
    auto visit = [serial, owner = std::move(kept), callback = std::move(callback)](ExperienceRound& round) {
        round.state.visit(round, serial, *owner, callback);
    };
    Connection connection = callbacks.add(std::move(visit), static_cast<int>(def.priority), def.file, def.line);
    entries.emplace(serial, Entry{std::move(info), known, std::move(connection)});
    return {self, serial};
}

// The delegate runs this under the Owner of the callback; all but the call itself belongs to who broadcasts. It keeps
// owner and callback until its broadcasts are over, whatever becomes of the entry.
void RoundState::visit(ExperienceRound& round, std::uint64_t serial, const WeakOwner& owner,
                       const ErasedCallback& callback) {
    const OwnerScope as(round.owner);
    auto found = entries.find(serial);
    if (round.is_over || found == entries.end() || serial > round.newest) return;
    if (round.level && *round.level != found->second.info.priority) return;
    if (!may_go_on(round)) return;
    found = entries.find(serial);  // who was asked may have changed something
    if (found == entries.end()) return;
    const bool is_waiting = found->second.is_waiting();
    const RegistrationInfo info = found->second.info;
    if (!is_waiting || info.repeat == Repeat::Once) take(serial);  // before it is called: a broadcast inside must not
    if (!is_waiting) return;
    if (round.called) round.called(info, true);
    call_guarded(info, owner, callback, round.arguments, round.threw, round.owner);
    if (round.called) round.called(info, false);
}

bool RoundState::may_go_on(ExperienceRound& round) const {
    if (!has_ended && (!round.goes_on || round.goes_on()) && !has_ended) return true;
    round.is_over = true;
    return false;
}

// Those whose owners have gone, and those that ledgers have taken back.
void RoundState::take_dead() {
    std::vector<std::uint64_t> dead;
    for (const auto& [serial, entry] : entries)
        if (!entry.is_waiting()) dead.push_back(serial);
    for (std::uint64_t serial : dead) take(serial);
}

std::shared_ptr<RoundState> make_round_state() {
    return std::make_shared<RoundState>();
}

void end_rounds(RoundState& state) {
    state.has_ended = true;
    while (!state.entries.empty()) state.take(std::prev(state.entries.end())->first);  // newest first
}

CallbackHandle add_callback(const std::shared_ptr<RoundState>& state, const RoundDef& def, WeakOwner owner,
                            ErasedCallback callback) {
    return state->add(state, def, std::move(owner), std::move(callback));
}

// `state` by value: a callback may destroy the Rounds.
void broadcast_round(std::shared_ptr<RoundState> state, std::optional<Priority> level, std::uint64_t newest,
                     const void* arguments, const GoesOn& goes_on, const Threw& threw, const Called& called) {
    ExperienceRound round{*state, level, newest, arguments, goes_on, threw, called, Owner::current()};
    state->callbacks.broadcast(round);
}

void call_now(const RoundDef& def, const WeakOwner& owner, const ErasedCallback& callback, const void* arguments,
              const Threw& threw) {
    if (owner.is_gone() || callback == nullptr) return;
    call_guarded(info_of(def, owner), owner, callback, arguments, threw, Owner::current());
}

std::uint64_t newest_of(const RoundState& state) {
    return state.newest;
}

bool is_empty(const RoundState& state) {
    return state.entries.empty();
}

std::vector<RegistrationInfo> list_of(const RoundState& state) {
    std::vector<RegistrationInfo> all;
    for (const auto& [serial, entry] : state.entries)
        if (entry.is_waiting()) all.push_back(entry.info);
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.priority < b.priority; });
    return all;
}

}  // namespace detail

// CallbackHandle

CallbackHandle::CallbackHandle(CallbackHandle&& other) noexcept
    : state_(std::move(other.state_)), serial_(std::exchange(other.serial_, 0)), status_(std::move(other.status_)) {}

CallbackHandle& CallbackHandle::operator=(CallbackHandle&& other) noexcept {
    std::swap(state_, other.state_);
    std::swap(serial_, other.serial_);
    std::swap(status_, other.status_);
    other.reset();
    return *this;
}

void CallbackHandle::reset() {
    const auto state = std::exchange(state_, {}).lock();
    const std::uint64_t serial = std::exchange(serial_, 0);
    if (state != nullptr) state->take(serial);
}

bool CallbackHandle::is_registered() const {
    const auto state = state_.lock();
    if (state == nullptr) return false;
    const auto found = state->entries.find(serial_);
    return found != state->entries.end() && found->second.is_waiting();
}

}  // namespace lyre::experience
