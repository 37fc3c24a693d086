#include "lyre/world/actor_grid.h"

namespace lyre::inline world {

namespace detail {

void SlotTable::set(std::uint64_t key, std::uint32_t slot) {
    std::size_t i = home(key);
    for (; entries_[i].slot != kNoSlot; i = (i + 1) & mask()) {
        if (entries_[i].key != key) continue;
        entries_[i].slot = slot;
        return;
    }
    entries_[i] = {key, slot};
    if (++count_ * 2 > entries_.size()) resize(64 - shift_ + 1);
}

// Entries after the gap that could stand in it move up, so that no search ends at a gap too early.
void SlotTable::remove(std::uint64_t key) {
    std::size_t gap = home(key);
    while (entries_[gap].key != key || entries_[gap].slot == kNoSlot) gap = (gap + 1) & mask();
    for (std::size_t i = (gap + 1) & mask(); entries_[i].slot != kNoSlot; i = (i + 1) & mask()) {
        const std::size_t from_home = (i - home(entries_[i].key)) & mask();
        if (from_home < ((i - gap) & mask())) continue;
        entries_[gap] = entries_[i];
        gap = i;
    }
    entries_[gap].slot = kNoSlot;
    if (--count_ * 8 < entries_.size() && 64 - shift_ > kLeastBits) resize(64 - shift_ - 1);
}

void SlotTable::resize(int bits) {
    std::vector<Entry> before(std::size_t{1} << bits);
    before.swap(entries_);
    shift_ = 64 - bits;
    for (const Entry& entry : before) {
        if (entry.slot == kNoSlot) continue;
        std::size_t i = home(entry.key);
        while (entries_[i].slot != kNoSlot) i = (i + 1) & mask();
        entries_[i] = entry;
    }
}

}  // namespace detail

using detail::kNoSlot;

ActorGrid::ActorGrid(float cell) : cell_(cell) {
    LYRE_ASSERT(cell > 0 && std::isfinite(cell), "the side of a cell is a length in metres, above 0");
    constexpr double kCellsEachWay = 1u << 30;  // beyond, all share the last cell
    lattice_.x = {.origin = -kCellsEachWay * cell, .per_metre = 1 / double{cell}, .count = 1u << 31};
    lattice_.y = lattice_.x;
}

void ActorGrid::add(std::uint32_t key, Vec3 position, float radius) {
    check_change(position);
    LYRE_ASSERT(radius >= 0 && std::isfinite(radius), "a radius is 0 m or more");
    LYRE_ASSERT(!contains(key), "this key is in the grid: use move(), or remove() it first");
    const auto slot = static_cast<std::uint32_t>(things_.size());
    things_.push_back({position, radius, key, kNoSlot, kNoSlot});
    slots_.set(key, slot);
    if (!is_wide(things_[slot])) reach_ = std::max(reach_, radius);
    link(slot);
}

void ActorGrid::move(std::uint32_t key, Vec3 position) {
    check_change(position);
    const std::uint32_t slot = slot_of(key);
    Thing& thing = things_[slot];
    if (is_wide(thing) || cell_of(thing.position) == cell_of(position)) {
        thing.position = position;
        return;
    }
    unlink(slot);
    thing.position = position;
    link(slot);
}

void ActorGrid::remove(std::uint32_t key) {
    check_change({});
    const std::uint32_t slot = slot_of(key);
    unlink(slot);
    slots_.remove(key);
    fill_gap(slot);
    if (things_.empty()) reach_ = 0;
    constexpr std::size_t kWorthGivingBack = 64;
    if (things_.capacity() > kWorthGivingBack && things_.size() * 4 < things_.capacity()) {
        std::vector<Thing> smaller;
        smaller.reserve(things_.size() * 2);
        smaller.assign(things_.begin(), things_.end());
        things_.swap(smaller);
    }
}

std::size_t ActorGrid::bytes() const {
    return things_.capacity() * sizeof(Thing) + slots_.bytes() + cells_.bytes();
}

std::uint32_t ActorGrid::slot_of(std::uint32_t key) const {
    const std::uint32_t slot = slots_.find(key);
    LYRE_ASSERT(slot != kNoSlot, "this key is not in the grid: add() it first");
    return slot;
}

void ActorGrid::check_change(Vec3 position) const {
    LYRE_ASSERT(visiting_ == 0, "the grid is being read: collect what find() tells, and change it afterwards");
    LYRE_ASSERT(is_finite(position), "an actor's position is a finite number of metres");
}

std::uint32_t ActorGrid::first_beside(const Thing& thing) const {
    return is_wide(thing) ? first_wide_ : cells_.find(cell_of(thing.position));
}

void ActorGrid::set_first_beside(const Thing& thing, std::uint32_t first) {
    if (is_wide(thing))
        first_wide_ = first;
    else if (first == kNoSlot)
        cells_.remove(cell_of(thing.position));
    else
        cells_.set(cell_of(thing.position), first);
}

void ActorGrid::link(std::uint32_t slot) {
    Thing& thing = things_[slot];
    thing.previous = kNoSlot;
    thing.next = first_beside(thing);
    if (thing.next != kNoSlot) things_[thing.next].previous = slot;
    set_first_beside(thing, slot);
}

void ActorGrid::unlink(std::uint32_t slot) {
    const Thing& thing = things_[slot];
    if (thing.next != kNoSlot) things_[thing.next].previous = thing.previous;
    if (thing.previous != kNoSlot)
        things_[thing.previous].next = thing.next;
    else
        set_first_beside(thing, thing.next);
}

// The last thing takes the place of one that is unlinked.
void ActorGrid::fill_gap(std::uint32_t slot) {
    const auto last = static_cast<std::uint32_t>(things_.size() - 1);
    if (slot != last) {
        const Thing& thing = things_[slot] = things_[last];
        slots_.set(thing.key, slot);
        if (thing.next != kNoSlot) things_[thing.next].previous = slot;
        if (thing.previous != kNoSlot)
            things_[thing.previous].next = slot;
        else
            set_first_beside(thing, slot);
    }
    things_.pop_back();
}

}  // namespace lyre::inline world
