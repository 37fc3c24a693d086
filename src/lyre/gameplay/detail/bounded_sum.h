// gameplay/detail/bounded_sum.h: points that are added up stay at the largest number instead of turning round.
#pragma once

#include <cstdint>
#include <limits>

namespace lyre::gameplay::detail {

inline std::int64_t bounded_sum(std::int64_t a, std::int64_t b) {
    using Limits = std::numeric_limits<std::int64_t>;
    if (b > 0 && a > Limits::max() - b) return Limits::max();
    if (b < 0 && a < Limits::min() - b) return Limits::min();
    return a + b;
}

}  // namespace lyre::gameplay::detail
