// world/rows.h: the placed actors of one level, as rows: kept small and found quickly, a million idle ones for nothing.
//
//     RowBuilder builder;
//     builder.begin_block({.index = 3, .stable = hash64("Crate"), .radius = 0.5f});
//     builder.add({10, 4, 0}, 90, 1);                       // row 0, and so on
//     Rows rows = builder.finish();
//     rows.find(Circle{{10, 4, 0}, 2}, [](std::uint32_t row, float distance) { ... });
//
//   Resting <---> Touched          Touched: an Actor stands for the row and is found elsewhere (ActorGrid)
//      |             |
//      +-> Destroyed <+            until reset(), when the level starts anew
//
// Rows are numbered from 0 in the order they were added. Consecutive rows of one class are a block; the class of a row
// is found by halving the list of blocks. A row costs 21 bytes with its place in the index and its state, and a block
// 12: at most 24 bytes a row while blocks hold four rows on average. Only states change once rows are built.
//
// The world makes Actors from rows and gives them ids; rows know neither. One thread; no row is visited unless asked.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "lyre/core/assert.h"
#include "lyre/core/math.h"
#include "lyre/core/status.h"
#include "lyre/world/row_index.h"
#include "lyre/world/shapes.h"

namespace lyre::inline world {

inline constexpr std::uint32_t kMaxRows = 1u << 31;     // in one level: half of what 32 bits of id can name
inline constexpr std::size_t kMaxRowScales = 1u << 16;  // different scales in one level

enum class RowState : unsigned char { Resting, Touched, Destroyed };
enum class RowSearch : unsigned char { Resting, All };

// Begins at `first` and ends where the next one begins.
struct RowBlock {
    std::uint32_t first = 0;
    std::uint32_t class_index = 0;
    float radius = 0;  // m, at scale 1
};

class Rows {
public:
    Rows() = default;
    Rows(Rows&&) = default;
    Rows& operator=(Rows&&) = default;

    std::uint32_t count() const { return static_cast<std::uint32_t>(rows_.size()); }
    std::span<const RowBlock> blocks() const { return blocks_; }
    std::uint32_t class_of(std::uint32_t row) const { return block_of(row).class_index; }
    Vec3 position(std::uint32_t row) const { return checked(row).position; }
    Transform transform(std::uint32_t row) const;  // yaw from 0 to below 360, as kept: to 1/65536 of a turn
    float scale(std::uint32_t row) const { return scales_[rows_[row].scale]; }
    float radius(std::uint32_t row) const { return block_of(row).radius * scales_[rows_[row].scale]; }  // m, scaled

    RowState state(std::uint32_t row) const;
    void set_state(std::uint32_t row, RowState state);
    std::uint32_t count(RowState state) const;
    void reset();  // all rest again

    // Calls visit(row) for each destroyed row, in order. It may change states; of rows to come that may be seen or not.
    template <class Visit> void each_destroyed(Visit&& visit) const;

    // Calls visit(row, distance) for what a Box, Circle or Ray touches; see shapes.h for both. The order follows the
    // index: the same for the same rows and shape, sorted by nothing. Visiting may change states, which rows not yet
    // visited show; it must not replace or destroy the rows.
    template <class Shape, class Visit>
    void find(const Shape& shape, Visit&& visit, RowSearch search = RowSearch::Resting) const;

    // Of what was placed, not of states: equal on every machine that was given the same level.
    std::uint64_t hash() const { return hash_; }
    std::size_t bytes() const;  // on the heap

private:
    friend class RowBuilder;
    static constexpr std::uint32_t kStatesPerWord = 32;  // two bits each

    const PlacedRow& checked(std::uint32_t row) const {
        LYRE_ASSERT(row < rows_.size(), "rows are numbered from 0 to count() - 1 within their level");
        return rows_[row];
    }
    const RowBlock& block_of(std::uint32_t row) const;

    std::vector<PlacedRow> rows_;
    std::vector<RowBlock> blocks_;
    std::vector<float> scales_;
    std::vector<std::uint64_t> states_;
    RowIndex index_;
    std::uint32_t touched_ = 0;
    std::uint32_t destroyed_ = 0;
    float reach_ = 0;  // the greatest radius
    std::uint64_t hash_ = 0;
};

struct RowClass {
    std::uint32_t index = 0;   // the caller's number for the class, told back by class_of()
    std::uint64_t stable = 0;  // the same on every machine, for the hash
    float radius = 0;          // m, at scale 1
};

// Makes Rows. What is refused leaves the builder as it was. With reserve() told the right number, building needs no
// more memory at any time than the rows do in the end.
class RowBuilder {
public:
    explicit RowBuilder(std::uint32_t limit = kMaxRows) : limit_(std::min(limit, kMaxRows)) {}

    Status reserve(std::size_t rows);
    Status begin_block(const RowClass& row_class);  // a block that gets no rows is not kept
    Status add(Vec3 position, float yaw, float scale);
    std::uint32_t count() const { return rows_.count(); }
    Rows finish();  // and starts anew

private:
    Result<std::uint16_t> scale_index(float scale);
    void open_block();
    std::uint64_t hash() const;

    Rows rows_;
    std::uint32_t limit_;
    RowClass class_;
    bool begun_ = false;
    std::vector<std::uint64_t> stable_;  // of each block
    std::unordered_map<float, std::uint16_t> scale_indices_;
};

inline RowState Rows::state(std::uint32_t row) const {
    checked(row);
    return static_cast<RowState>(states_[row / kStatesPerWord] >> (row % kStatesPerWord * 2) & 3);
}

template <class Visit> void Rows::each_destroyed(Visit&& visit) const {
    constexpr std::uint64_t kDestroyedBits = 0xAAAA'AAAA'AAAA'AAAA;  // the upper bit of each state
    static_assert(static_cast<int>(RowState::Destroyed) == 2 && static_cast<int>(RowState::Touched) == 1);
    if (destroyed_ == 0) return;
    for (std::size_t word = 0; word < states_.size(); ++word)
        for (std::uint64_t bits = states_[word] & kDestroyedBits; bits != 0; bits &= bits - 1)
            visit(static_cast<std::uint32_t>(word * kStatesPerWord + std::countr_zero(bits) / 2));
}

template <class Shape, class Visit> void Rows::find(const Shape& shape, Visit&& visit, RowSearch search) const {
    constexpr std::size_t kAhead = 4;  // rows are far apart in memory: ask for them before they are needed
    const auto asked = probe(shape);
    asked.each_run(index_.lattice(), reach_, [&](std::uint32_t y, std::uint32_t first_x, std::uint32_t last_x) {
        const std::span<const std::uint32_t> near = index_.rows(y, first_x, last_x);
        for (std::size_t i = 0; i < near.size(); ++i) {
            if (i + kAhead < near.size()) __builtin_prefetch(&rows_[near[i + kAhead]]);
            const std::uint32_t row = near[i];
            const Vec3 place = rows_[row].position;
            if (asked.hit(place, reach_) == kMiss) continue;  // spares most rows the search for their block
            const float distance = asked.hit(place, radius(row));
            if (distance == kMiss) continue;
            if (search == RowSearch::All || state(row) == RowState::Resting) visit(row, distance);
        }
        return true;
    });
}

}  // namespace lyre::inline world
