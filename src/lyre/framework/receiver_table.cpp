#include "lyre/framework/detail/receiver_table.h"

#include <algorithm>

namespace lyre::framework {
namespace {

template <class List, class Match> auto* find_in(List& list, Match match) {
    const auto found = std::find_if(list.begin(), list.end(), match);
    return found == list.end() ? nullptr : &*found;
}

}  // namespace

Told* Receiver::find_told(const Handler& handler) {
    return find_in(told, [&](const Told& t) { return t.handler == &handler; });
}

bool Receiver::is_done(const Handler& handler) const {
    return std::find(done.begin(), done.end(), handler.serial) != done.end();
}

Want* Receiver::find_want(const Request& request) {
    if (request.serial > newest_want) return nullptr;  // a new one, which comes to every receiver for the first time
    return find_in(wants, [&](const Want& want) { return want.request == &request; });
}

void Receiver::erase_want(Want& want) {
    blocked -= want.blocker ? 1 : 0;
    if (want.outcome == RequestOutcome::CreateFailed)
        std::erase_if(failures, [&](const auto& failure) { return failure.first == want.request->serial; });
    wants.erase(wants.begin() + (&want - wants.data()));
}

void Receiver::forget_wants() {
    wants.clear();
    failures.clear();
    blocked = 0;
}

// They are in order of their numbers, and mostly the newest is asked for.
Injected* Receiver::find_injected(Serial serial) {
    if (!injected.empty() && injected.back().serial == serial) return &injected.back();
    const auto place = std::lower_bound(injected.begin(), injected.end(), serial,
                                        [](const Injected& one, Serial number) { return one.serial < number; });
    return place == injected.end() || place->serial != serial ? nullptr : &*place;
}

Injected* Receiver::find_injected(const Component& component) {
    return find_in(injected, [&](const Injected& one) {
        return one.generation == 0 ? one.name == component.name() : one.generation == component.generation();
    });
}

void Receiver::forget_injected(Serial serial) {
    const auto is_it = [&](const Injected& one) { return one.serial == serial; };
    injected.erase(std::remove_if(injected.begin(), injected.end(), is_it), injected.end());
}

StickyEvent* Receiver::find_sticky(Name event) {
    return find_in(sticky, [&](const StickyEvent& one) { return one.event == event; });
}

// By generation rather than by pointer: a component that never registered goes without a word.
Component* Receiver::component_of(const Injected& one) const {
    for (Component* component = actor->first_component(); component != nullptr; component = component->next())
        if (!component->is_doomed() &&
            (one.generation == 0 ? component->name() == one.name : component->generation() == one.generation))
            return component;
    return nullptr;
}

std::uint32_t ReceiverTable::grow() {
    if (places_ % kInBlock == 0) blocks_.push_back(std::make_unique<Block>());
    return places_++;
}

Receiver& ReceiverTable::add(Actor& actor, Serial serial) {
    std::uint32_t slot = 0;
    if (!free_.empty()) {
        slot = free_.back();
        free_.pop_back();
    } else {
        slot = grow();
    }
    Receiver& receiver = at(slot);
    receiver.ref = {slot, serial};
    receiver.actor = &actor;
    receiver.id = actor.id();
    receiver.previous = newest_;
    (newest_ != 0 ? at(newest_).next : first_) = slot;
    newest_ = slot;
    ++count_;
    OfWorld* of = find_world(actor.world());
    if (of == nullptr) of = worlds_.emplace_back(std::make_unique<OfWorld>(OfWorld{&actor.world(), {}, {}})).get();
    const std::uint32_t index = receiver.id.index;
    if (index >= World::kFirstRowIndex) {
        of->rows[receiver.id] = slot;
    } else {
        if (index >= of->places.size()) of->places.resize(std::max<std::size_t>(index + 1, of->places.size() * 2));
        of->places[index] = slot;
        if (index >= quiet_.by_index.size()) quiet_.by_index.resize(of->places.size());
    }
    set_quiet(receiver, true);
    return receiver;
}

// Actors of two worlds may share an index: then the last of them is known as quiet.
void ReceiverTable::set_quiet(const Receiver& receiver, bool is_quiet) {
    const std::uint32_t index = receiver.id.index;
    if (index >= quiet_.by_index.size()) return;  // a row's actor
    const Actor*& known = quiet_.by_index[index];
    if (is_quiet)
        known = receiver.actor;
    else if (known == receiver.actor)
        known = nullptr;
}

// The place keeps the memory of its lists for who comes next.
void ReceiverTable::remove(Receiver& receiver) {
    set_quiet(receiver, false);
    const std::uint32_t slot = receiver.ref.slot;
    for (Walk* walk = walks_; walk != nullptr; walk = walk->outer_)
        if (walk->next_ == slot) walk->pass(receiver);
    (receiver.previous != 0 ? at(receiver.previous).next : first_) = receiver.next;
    (receiver.next != 0 ? at(receiver.next).previous : newest_) = receiver.previous;
    if (OfWorld* of = find_world(receiver.world())) {
        if (receiver.id.index >= World::kFirstRowIndex)
            of->rows.erase(receiver.id);
        else
            of->places[receiver.id.index] = 0;
    }
    receiver.ref.serial = 0;
    receiver.actor = nullptr;
    receiver.id = {};
    receiver.previous = receiver.next = 0;
    receiver.order_version = receiver.newest_want = 0;
    receiver.told.clear();
    receiver.forget_wants();
    receiver.injected.clear();
    receiver.done.clear();
    receiver.sticky.clear();
    receiver.verdicts.clear();
    receiver.is_leaving = receiver.is_dirty = false;
    free_.push_back(slot);
    --count_;
}

ReceiverTable::OfWorld* ReceiverTable::find_world(const World& world) {
    for (const auto& of : worlds_)
        if (of->world == &world) return of.get();
    return nullptr;
}

Receiver* ReceiverTable::find_row(ActorId id) {
    const auto found = last_->rows.find(id);
    return found == last_->rows.end() ? nullptr : &at(found->second);
}

std::vector<ReceiverRef> ReceiverTable::of_world(const World& world) {
    std::vector<ReceiverRef> refs;
    each([&](Receiver& receiver) {
        if (&receiver.world() == &world) refs.push_back(receiver.ref);
    });
    return refs;
}

void ReceiverTable::forget(const World& world) {
    last_ = nullptr;
    std::erase_if(worlds_, [&](const auto& of) { return of->world == &world; });
}

}  // namespace lyre::framework
