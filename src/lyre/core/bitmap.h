// core/bitmap.h: a set of numbers that finds its members without looking at the others.
//
// Above each 64 bits stands one that says whether any of them is set, and so on up to a single word: the first member
// of a million is found with four reads, and an empty set is one test. It grows as numbers are set; memory is 1/63
// above a plain bitmap.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace lyre::inline core {

class HierarchicalBitmap {
public:
    static constexpr std::uint32_t kNone = 0xFFFFFFFFu;

    void set(std::uint32_t i) {
        if (i >= capacity_) grow(i);
        for (auto& level : levels_) {
            std::uint64_t& word = level[i >> 6];
            const std::uint64_t before = word;
            word |= std::uint64_t{1} << (i & 63);
            if (before != 0) return;
            i >>= 6;
        }
    }
    void reset(std::uint32_t i) {
        if (i >= capacity_) return;
        for (auto& level : levels_) {
            level[i >> 6] &= ~(std::uint64_t{1} << (i & 63));
            if (level[i >> 6] != 0) return;
            i >>= 6;
        }
    }
    bool test(std::uint32_t i) const { return i < capacity_ && (levels_[0][i >> 6] >> (i & 63) & 1) != 0; }
    bool is_empty() const { return levels_.empty() || levels_.back()[0] == 0; }

    std::uint32_t first() const { return next(0); }
    // The first member that is not below `from`; kNone when there is none.
    std::uint32_t next(std::uint32_t from) const;

private:
    void grow(std::uint32_t i);

    std::vector<std::vector<std::uint64_t>> levels_;  // the members, then the summaries; the last is one word
    std::uint32_t capacity_ = 0;
};

}  // namespace lyre::inline core
