// effort.h: how much of a long sweep is played. All of it in an ordinary build; where a sanitizer looks on, which is up
// to fifty times as slow, each n-th case; more than is usual if LYRE_LONG_TESTS is in the environment.
#pragma once

#include <algorithm>
#include <cstdlib>

namespace lyre {

constexpr bool is_sanitized() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return true;
#elif defined(__has_feature)
    return __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
    return false;
#endif
}

inline bool is_long_run() {
    return std::getenv("LYRE_LONG_TESTS") != nullptr;
}

// Of a numbered case: whether it is played here.
constexpr bool is_played(int number, int each_sanitized) {
    return !is_sanitized() || number % each_sanitized == 0;
}

// The next of all orders of a sorted list; of the many of a longer one, where a sanitizer looks on, each eleventh.
template <class List> bool next_order(List& list) {
    for (int i = 0; i < (is_sanitized() && list.size() > 4 ? 11 : 1); ++i)
        if (!std::next_permutation(list.begin(), list.end())) return false;
    return true;
}

}  // namespace lyre
