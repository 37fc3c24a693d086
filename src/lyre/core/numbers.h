// core/numbers.h: numbers as people write them: "1_000", "0xFF", "-2.5", "true".
//
// The same on every machine and in every locale. Out of range is a refusal, never a wrapped value.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

#include "lyre/core/status.h"

namespace lyre::inline core {

Result<bool> parse_bool(std::string_view text);             // true, false, 1, 0, on, off
Result<std::int64_t> parse_integer(std::string_view text);  // decimal or 0x…, `_` between digits
Result<std::uint64_t> parse_unsigned(std::string_view text);
Result<double> parse_float(std::string_view text);  // finite

template <class T> Result<T> parse_number(std::string_view text) {
    if constexpr (std::is_same_v<T, bool>) {
        return parse_bool(text);
    } else if constexpr (std::is_floating_point_v<T>) {
        auto number = parse_float(text);
        if (!number) return number.status();
        if (*number > std::numeric_limits<T>::max() || *number < std::numeric_limits<T>::lowest())
            return Status::invalid("{} is too large", text);
        return static_cast<T>(*number);
    } else {
        auto number = [&] {
            if constexpr (std::is_signed_v<T>)
                return parse_integer(text);
            else
                return parse_unsigned(text);
        }();
        if (!number) return number.status();
        constexpr auto low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
        if (*number < low || *number > high) return Status::invalid("{} is outside {} to {}", text, +low, +high);
        return static_cast<T>(*number);
    }
}

}  // namespace lyre::inline core
