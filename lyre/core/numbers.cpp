#include "lyre/core/numbers.h"

#include <charconv>
#include <cmath>
#include <locale>
#include <sstream>
#include <string>

namespace lyre::inline core {
namespace {

constexpr std::size_t kMaxDigits = 64;

// Takes out `_` between digits. Empty when the text cannot be a number.
std::string without_separators(std::string_view text) {
    std::string digits;
    if (text.size() > kMaxDigits) return digits;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '_') {
            digits += text[i];
        } else if (i == 0 || i + 1 == text.size() || text[i - 1] == '_') {
            return {};
        }
    }
    return digits;
}

template <class T> Result<T> parse_whole(std::string_view text) {
    const std::string digits = without_separators(text);
    std::string_view rest = digits;
    const bool negative = std::is_signed_v<T> && !rest.empty() && rest[0] == '-';
    if (negative) rest.remove_prefix(1);
    const bool hex = rest.size() > 2 && rest[0] == '0' && (rest[1] == 'x' || rest[1] == 'X');
    if (hex) rest.remove_prefix(2);
    std::uint64_t magnitude = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), magnitude, hex ? 16 : 10);
    if (rest.empty() || error == std::errc::invalid_argument || end != rest.data() + rest.size())
        return Status::invalid("\"{}\" is not a whole number", text);
    const std::uint64_t limit = static_cast<std::uint64_t>(std::numeric_limits<T>::max()) + (negative ? 1 : 0);
    if (error == std::errc::result_out_of_range || magnitude > limit) return Status::invalid("{} is too large", text);
    return static_cast<T>(negative ? 0 - magnitude : magnitude);
}

}  // namespace

Result<bool> parse_bool(std::string_view text) {
    if (text == "true" || text == "1" || text == "on") return true;
    if (text == "false" || text == "0" || text == "off") return false;
    return Status::invalid("\"{}\" is neither true nor false", text);
}

Result<std::int64_t> parse_integer(std::string_view text) {
    return parse_whole<std::int64_t>(text);
}

Result<std::uint64_t> parse_unsigned(std::string_view text) {
    return parse_whole<std::uint64_t>(text);
}

Result<double> parse_float(std::string_view text) {
    std::istringstream in(without_separators(text));
    in.imbue(std::locale::classic());
    double number = 0;
    in >> number;
    if (in.fail() || in.peek() != std::istringstream::traits_type::eof() || !std::isfinite(number))
        return Status::invalid("\"{}\" is not a number", text);
    return number;
}

}  // namespace lyre::inline core
