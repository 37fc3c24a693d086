// core/variable_value.h: what a console variable can hold, and how its text is read.
//
// Values come as text from config files, the environment, the command line and people, so one reader serves all:
//   bool    true false on off 1 0
//   int     decimal or 0x hexadecimal, 64 bits, `_` between digits
//   double  decimal with point and exponent, or as int; finite
//   text    as it stands
// The computer's locale has no influence. What format_value writes, parse reads back to the same value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include "lyre/core/status.h"

namespace lyre::inline core {

using VariableValue = std::variant<bool, std::int64_t, double, std::string>;

template <class T>
concept VariableType = std::is_same_v<T, bool> || std::is_same_v<T, std::int64_t> || std::is_same_v<T, double> ||
    std::is_same_v<T, std::string>;

std::string format_value(const VariableValue& value);

// What one variable takes: a type, and ends for numbers.
class VariableDomain {
public:
    static constexpr std::size_t kMaxText = 4096;  // bytes of a value

    // The example gives the type. Ends are of the same type and included.
    VariableDomain(const VariableValue& example, std::optional<VariableValue> min, std::optional<VariableValue> max);

    Result<VariableValue> parse(std::string_view text) const;  // the failure says what would be right
    bool contains(const VariableValue& value) const;
    bool is_sound() const;          // ends are in order, of the type, and only on numbers
    std::string to_string() const;  // "true or false", "a whole number from 0 to 10", "a number of at least 0", "text"

private:
    std::size_t type_;  // index in VariableValue
    std::optional<VariableValue> min_, max_;
};

}  // namespace lyre::inline core
