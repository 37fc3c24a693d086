// world/actor_grid.h: where the living actors are, so that asking "who is near" does not ask everybody.
//
//     ActorGrid grid;
//     grid.add(key, position, 0.4f);
//     grid.move(key, position);                     // as often as it moves; cheap while it stays in its cell
//     grid.find(Box{low, high}, [&](std::uint32_t key, float distance) { found.push_back(key); });
//
// A key is the caller's number for an actor. Space is cut into square columns, of which only those with somebody in
// them exist; an actor with a radius above the side of a cell is kept on a list of its own that every question reads,
// so there should be few. Memory follows the living: it is given back as they go. How many there may be is bounded
// by whoever gives out the keys.
//
// Questions are those of Rows (shapes.h). While one runs the grid must not change: collect first, then act. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lyre/core/assert.h"
#include "lyre/core/math.h"
#include "lyre/world/shapes.h"

namespace lyre::inline world {

namespace detail {

inline constexpr std::uint32_t kNoSlot = 0xFFFF'FFFF;

// A number for each key, in open addressing: a lookup is one cache line as a rule. Between an eighth and half full.
class SlotTable {
public:
    std::uint32_t find(std::uint64_t key) const {
        for (std::size_t i = home(key); entries_[i].slot != kNoSlot; i = (i + 1) & mask())
            if (entries_[i].key == key) return entries_[i].slot;
        return kNoSlot;
    }
    void set(std::uint64_t key, std::uint32_t slot);  // adds the key or replaces its slot
    void remove(std::uint64_t key);                   // which is there
    std::size_t bytes() const { return entries_.capacity() * sizeof(Entry); }

private:
    struct Entry {
        std::uint64_t key = 0;
        std::uint32_t slot = kNoSlot;
    };
    static constexpr int kLeastBits = 4;

    std::size_t mask() const { return entries_.size() - 1; }
    std::size_t home(std::uint64_t key) const { return key * 0x9E3779B97F4A7C15ull >> shift_; }  // Fibonacci hashing
    void resize(int bits);

    std::vector<Entry> entries_ = std::vector<Entry>(std::size_t{1} << kLeastBits);
    std::size_t count_ = 0;
    int shift_ = 64 - kLeastBits;
};

}  // namespace detail

class ActorGrid {
public:
    static constexpr float kDefaultCell = 8;  // m: a few strides, so that most moves stay inside

    explicit ActorGrid(float cell = kDefaultCell);

    // Positions are finite, radii also not negative, a key is in the grid once. All of these break a rule otherwise.
    void add(std::uint32_t key, Vec3 position, float radius = 0);
    void move(std::uint32_t key, Vec3 position);
    void remove(std::uint32_t key);

    bool contains(std::uint32_t key) const { return slots_.find(key) != detail::kNoSlot; }
    std::size_t count() const { return things_.size(); }
    std::size_t bytes() const;  // on the heap

    // Calls visit(key, distance) for each one a Box, Circle or Ray touches. Sorted by nothing; the order depends on
    // the shape and on what was added, moved and removed before, and on nothing else.
    template <class Shape, class Visit> void find(const Shape& shape, Visit&& visit) const;

private:
    struct Thing {
        Vec3 position;
        float radius;
        std::uint32_t key;
        std::uint32_t next, previous;  // in the same cell, or among the wide ones
    };
    struct Visiting {
        explicit Visiting(int& depth) : depth_(depth) { ++depth_; }
        ~Visiting() { --depth_; }
        int& depth_;
    };

    static std::uint64_t cell_key(std::uint32_t x, std::uint32_t y) { return std::uint64_t{y} << 32 | x; }
    std::uint64_t cell_of(Vec3 position) const {
        return cell_key(lattice_.x.cell(position.x), lattice_.y.cell(position.y));
    }
    bool is_wide(const Thing& thing) const { return thing.radius > cell_; }
    std::uint32_t slot_of(std::uint32_t key) const;
    void check_change(Vec3 position) const;
    std::uint32_t first_beside(const Thing& thing) const;
    void set_first_beside(const Thing& thing, std::uint32_t first);
    void link(std::uint32_t slot);
    void unlink(std::uint32_t slot);
    void fill_gap(std::uint32_t slot);
    template <class Probe> bool is_quicker_to_ask_all(const Probe& asked) const;

    float cell_;
    Lattice lattice_;
    std::vector<Thing> things_;  // without gaps
    detail::SlotTable slots_;    // by key
    detail::SlotTable cells_;    // first thing by cell
    std::uint32_t first_wide_ = detail::kNoSlot;
    float reach_ = 0;  // no radius in a cell is above this
    mutable int visiting_ = 0;
};

template <class Shape, class Visit> void ActorGrid::find(const Shape& shape, Visit&& visit) const {
    const Visiting visiting(visiting_);
    const auto asked = probe(shape);
    const auto ask = [&](const Thing& thing) {
        const float distance = asked.hit(thing.position, thing.radius);
        if (distance != kMiss) visit(thing.key, distance);
    };
    const auto ask_list = [&](std::uint32_t slot) {
        for (; slot != detail::kNoSlot; slot = things_[slot].next) ask(things_[slot]);
    };
    if (is_quicker_to_ask_all(asked)) {
        for (const Thing& thing : things_) ask(thing);
        return;
    }
    asked.each_run(lattice_, reach_, [&](std::uint32_t y, std::uint32_t first_x, std::uint32_t last_x) {
        for (std::uint32_t x = first_x; x <= last_x; ++x) ask_list(cells_.find(cell_key(x, y)));
        return true;
    });
    ask_list(first_wide_);
}

// A shape may cover more cells than there are actors, up to all of space.
template <class Probe> bool ActorGrid::is_quicker_to_ask_all(const Probe& asked) const {
    std::uint64_t cells = 0;
    asked.each_run(lattice_, reach_, [&](std::uint32_t, std::uint32_t first_x, std::uint32_t last_x) {
        cells += last_x - first_x + 1;
        return cells <= things_.size();
    });
    return cells > things_.size();
}

}  // namespace lyre::inline world
