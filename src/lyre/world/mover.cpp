#include "lyre/world/mover.h"

#include <algorithm>

#include "lyre/world/world.h"

namespace lyre::inline world {

// Two libraries may each have their description of one type: by name.
Status Movers::check(const Component& mover, const ValueType* state) const {
    if (by_component_.count(&mover) == 0)
        return Status::refused("component {} does not move anything now", mover.name());
    const ValueType& wanted = *info_of(mover)->state;
    if (state == nullptr || state->name == wanted.name) return Status::ok();
    return Status::invalid("{} takes states of class {}, not {}", mover.type().name, wanted.name, state->name);
}

Status Movers::check(const Component& mover, const ValueType& command, std::uint64_t& tick) {
    if (Status status = check(mover); !status.is_ok()) return status;
    const ValueType& wanted = *info_of(mover)->command;
    if (wanted.name != command.name)
        return Status::invalid("{} takes commands of class {}, not {}", mover.type().name, wanted.name, command.name);
    if (mover.actor().role() == Role::SimulatedProxy)
        return Status::refused("{} is only shown here: it is stepped where its commands are", mover.actor().id());
    if (tick == 0) tick = stepped_ + 1;
    if (tick > stepped_) return Status::ok();
    ++late_;
    return Status::refused("tick {} is over", tick);
}

// Calls what may place the mover's actor. False: it threw.
template <class Call> bool Movers::moving(Component& mover, const char* what, Call&& call) {
    const Actor* before = std::exchange(moving_, &mover.actor());
    const OwnerScope as(Pool::of(&mover).owner());
    const bool is_done = world_.guarded(what, mover.actor().id(), std::forward<Call>(call));
    moving_ = before;
    return is_done;
}

const MoverInfo* Movers::info_of(const Component& mover) {
    return ClassInfo::of(mover.type()).mover;
}

Status Movers::capture(const Component& mover, void* state) const {
    if (Status status = check(mover); !status.is_ok()) return status;
    const bool is_done = world_.guarded("capture", mover.actor().id(),
                                        [&] { info_of(mover)->capture(Pool::of(&mover).whole(&mover), state); });
    return is_done ? Status::ok() : Status::refused("{} threw where it was captured", mover.type().name);
}

Status Movers::restore(Component& mover, const void* state) {
    if (Status status = check(mover); !status.is_ok()) return status;
    const bool is_done =
        moving(mover, "restore", [&] { info_of(mover)->restore(Pool::of(&mover).whole(&mover), state); });
    return is_done ? Status::ok() : Status::refused("{} threw where it was restored", mover.type().name);
}

Status Movers::repeat(Component& mover, const void* command, const MoverStep& step) {
    if (Status status = check(mover); !status.is_ok()) return status;
    if (!mover.has_begun_play()) return Status::refused("component {} has not begun play", mover.name());
    const bool is_done =
        moving(mover, "step", [&] { info_of(mover)->step(Pool::of(&mover).whole(&mover), command, step); });
    return is_done ? Status::ok() : Status::refused("{} threw in its step", mover.type().name);
}

MoverStep Movers::step_of(const Component& mover, std::uint64_t tick, float dt) const {
    Hasher hasher;
    for (std::uint64_t part : {world_.random().seed(), mover.actor().id().bits(), tick}) hasher.value(part);
    return {dt, tick, hasher.finish()};
}

Status Movers::teleport(ActorId id, const Transform& to) {
    if (Status status = Actor::check_place(id, to); !status.is_ok()) return status;  // before a row is touched
    auto touched = world_.levels().touch(id, Name("teleport"));
    if (!touched) return touched.status();
    Actor& actor = **touched;
    const Actor* before = std::exchange(moving_, &actor);
    const Status status = actor.set_transform(to);
    moving_ = before;
    if (status.is_ok() && actor.movers_ > 0) ++teleports_[id];
    return status;
}

std::uint32_t Movers::teleports(ActorId actor) const {
    const auto found = teleports_.find(actor);
    return found == teleports_.end() ? 0 : found->second;
}

void Movers::add(Component& component, const MoverInfo& info) {
    auto entry = std::make_unique<Entry>(Entry{&component, info.make_queue()});
    by_component_[&component] = entry.get();
    added_.push_back(std::move(entry));
    ++component.actor().movers_;
}

void Movers::remove(Component& component) {
    const auto found = by_component_.find(&component);
    if (found == by_component_.end()) return;
    found->second->component = nullptr;
    if (!is_running_) found->second->queue.reset();  // it may be of a library that goes next
    by_component_.erase(found);
    has_gaps_ = true;
    --component.actor().movers_;
}

void Movers::forget(Actor& actor) {
    if (!teleports_.empty()) teleports_.erase(actor.id());
}

void Movers::run(float dt) {
    stepped_ = world_.tick_number();
    if (has_gaps_) close_gaps();
    if (!added_.empty()) {
        for (auto& entry : added_) entries_.push_back(std::move(entry));
        added_.clear();
        std::stable_sort(entries_.begin(), entries_.end(), [](const auto& a, const auto& b) {
            const std::uint32_t x = a->component->type().order, y = b->component->type().order;
            return x != y ? x < y : a->component->actor().id() < b->component->actor().id();
        });
    }
    is_running_ = true;
    for (std::size_t i = 0; i < entries_.size() && !world_.has_ended(); ++i) {
        Component* component = entries_[i]->component;
        if (component == nullptr || !component->has_begun_play()) continue;
        if (component->actor().role() == Role::SimulatedProxy) continue;
        const MoverStep step = step_of(*component, stepped_, dt);
        moving(*component, "step",
               [&] { late_ += entries_[i]->queue->step(Pool::of(component).whole(component), step); });
    }
    is_running_ = false;
    if (has_gaps_) close_gaps();
}

void Movers::close_gaps() {
    const auto has_gone = [](const auto& entry) { return entry->component == nullptr; };
    std::erase_if(entries_, has_gone);
    std::erase_if(added_, has_gone);
    has_gaps_ = false;
}

}  // namespace lyre::inline world
