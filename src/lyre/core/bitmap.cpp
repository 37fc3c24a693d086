#include "lyre/core/bitmap.h"

#include <algorithm>

namespace lyre::inline core {

std::uint32_t HierarchicalBitmap::next(std::uint32_t from) const {
    // Up until a word has a member at or behind the place, then down to the first one below it.
    std::uint64_t place = from;
    for (std::size_t level = 0; level < levels_.size(); ++level) {
        const auto& words = levels_[level];
        if ((place >> 6) >= words.size()) return kNone;
        const std::uint64_t rest = words[place >> 6] >> (place & 63) << (place & 63);
        if (rest != 0) {
            place = (place & ~std::uint64_t{63}) + static_cast<unsigned>(std::countr_zero(rest));
            while (level-- > 0) place = place * 64 + static_cast<unsigned>(std::countr_zero(levels_[level][place]));
            return static_cast<std::uint32_t>(place);
        }
        place = (place >> 6) + 1;
    }
    return kNone;
}

void HierarchicalBitmap::grow(std::uint32_t i) {
    std::size_t words = std::max<std::size_t>(std::size_t{i} / 64 + 1, levels_.empty() ? 1 : levels_[0].size() * 2);
    capacity_ = static_cast<std::uint32_t>(std::min<std::size_t>(words * 64, kNone));
    for (std::size_t level = 0;; ++level) {
        if (level == levels_.size()) {
            levels_.emplace_back();
            // A new summary of what was the top so far.
            if (level > 0)
                for (std::size_t w = 0; w < levels_[level - 1].size(); ++w)
                    if (levels_[level - 1][w] != 0) {
                        levels_[level].resize(std::max(levels_[level].size(), w / 64 + 1));
                        levels_[level][w / 64] |= std::uint64_t{1} << (w & 63);
                    }
        }
        levels_[level].resize(words);
        if (words == 1) return;
        words = (words + 63) / 64;
    }
}

}  // namespace lyre::inline core
