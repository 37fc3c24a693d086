#include "lyre/core/numbers.h"

#include <charconv>
#include <cmath>
#include <locale>
#include <optional>
#include <sstream>
#include <string>

#include "lyre/core/suggest.h"

namespace lyre::inline core {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_hex_digit(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

// Takes `_` out; nothing if one does not stand between two digits.
std::optional<std::string> without_separators(std::string_view text, bool hexadecimal) {
    const auto is_one = hexadecimal ? is_hex_digit : is_digit;
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '_') {
            plain += text[i];
        } else if (i == 0 || i + 1 == text.size() || !is_one(text[i - 1]) || !is_one(text[i + 1])) {
            return std::nullopt;
        }
    }
    return plain;
}

bool is_hexadecimal(std::string_view text) {
    if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
    return text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
}

template <class T> Result<T> parse_whole(std::string_view text) {
    std::string_view rest = text;
    const bool hexadecimal = is_hexadecimal(rest);
    const bool negative = std::is_signed_v<T> && !rest.empty() && rest[0] == '-';
    if (negative || (!rest.empty() && rest[0] == '+')) rest.remove_prefix(1);
    if (hexadecimal) rest.remove_prefix(2);
    const auto digits = without_separators(rest, hexadecimal);
    if (!digits) return Status::invalid("{} is not a whole number", in_quotes(text));
    std::uint64_t size = 0;  // from_chars takes no sign for it
    const char* end = digits->data() + digits->size();
    const auto [stop, error] = std::from_chars(digits->data(), end, size, hexadecimal ? 16 : 10);
    if (error == std::errc::invalid_argument || stop != end)
        return Status::invalid("{} is not a whole number", in_quotes(text));
    constexpr auto kLargest = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
    if (error != std::errc() || size > kLargest + (negative ? 1 : 0))
        return Status::invalid("{} is too large", in_quotes(text));
    return static_cast<T>(negative ? 0 - size : size);
}

std::string_view skip_digits(std::string_view text) {
    while (!text.empty() && is_digit(text[0])) text.remove_prefix(1);
    return text;
}

// Digits, with a point and digits or an exponent or both: what a stream takes beyond that we do not.
bool is_decimal(std::string_view text) {
    if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
    std::string_view rest = skip_digits(text);
    if (rest.size() == text.size()) return false;
    if (!rest.empty() && rest[0] == '.') {
        const std::string_view fraction = rest.substr(1);
        rest = skip_digits(fraction);
        if (rest.size() == fraction.size()) return false;
    }
    if (!rest.empty() && (rest[0] == 'e' || rest[0] == 'E')) {
        rest.remove_prefix(1);
        if (!rest.empty() && (rest[0] == '-' || rest[0] == '+')) rest.remove_prefix(1);
        const std::string_view exponent = rest;
        rest = skip_digits(exponent);
        if (rest.size() == exponent.size()) return false;
    }
    return rest.empty();
}

}  // namespace

Result<bool> parse_bool(std::string_view text) {
    if (text == "true" || text == "on" || text == "1") return true;
    if (text == "false" || text == "off" || text == "0") return false;
    return Status::invalid("{} is neither true nor false", in_quotes(text));
}

Result<std::int64_t> parse_integer(std::string_view text) {
    return parse_whole<std::int64_t>(text);
}

Result<std::uint64_t> parse_unsigned(std::string_view text) {
    return parse_whole<std::uint64_t>(text);
}

Result<double> parse_float(std::string_view text) {
    if (is_hexadecimal(text)) {
        auto whole = parse_integer(text);
        if (!whole) return whole.status();
        return static_cast<double>(*whole);
    }
    const auto plain = without_separators(text, false);
    if (!plain || !is_decimal(*plain)) return Status::invalid("{} is not a number", in_quotes(text));
    std::istringstream in(*plain);  // from_chars for double is not everywhere, and strtod asks the locale
    in.imbue(std::locale::classic());
    double value = 0;
    in >> value;
    if (in.fail() || !std::isfinite(value)) return Status::invalid("{} is too large", in_quotes(text));
    return value;
}

}  // namespace lyre::inline core
