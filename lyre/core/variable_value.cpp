#include "lyre/core/variable_value.h"

#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <locale>
#include <sstream>

#include "lyre/core/suggest.h"

namespace lyre::inline core {
namespace {

constexpr std::size_t kBool = 0, kInt = 1, kDouble = 2;

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_hex_digit(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

// Takes `_` out; nothing if one does not stand between two digits.
std::optional<std::string> without_separators(std::string_view text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '_') {
            plain += text[i];
        } else if (i == 0 || i + 1 == text.size() || !is_hex_digit(text[i - 1]) || !is_hex_digit(text[i + 1])) {
            return std::nullopt;
        }
    }
    return plain;
}

std::optional<bool> parse_bool(std::string_view text) {
    if (text == "true" || text == "on" || text == "1") return true;
    if (text == "false" || text == "off" || text == "0") return false;
    return std::nullopt;
}

bool is_hexadecimal(std::string_view text) {
    if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
    return text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
}

std::optional<std::int64_t> parse_int(std::string_view text) {
    const bool hexadecimal = is_hexadecimal(text);
    const bool negative = !text.empty() && text[0] == '-';
    if (negative || (!text.empty() && text[0] == '+')) text.remove_prefix(1);
    if (hexadecimal) text.remove_prefix(2);
    const auto digits = without_separators(text);
    if (!digits) return std::nullopt;
    std::uint64_t size = 0;  // from_chars takes no sign for it
    const char* end = digits->data() + digits->size();
    const auto [stop, error] = std::from_chars(digits->data(), end, size, hexadecimal ? 16 : 10);
    if (error != std::errc() || stop != end) return std::nullopt;
    constexpr std::uint64_t kLargest = INT64_MAX;
    if (size > kLargest + (negative ? 1 : 0)) return std::nullopt;
    return static_cast<std::int64_t>(negative ? 0 - size : size);
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

std::optional<double> parse_double(std::string_view text) {
    if (is_hexadecimal(text)) {
        const auto whole = parse_int(text);
        return whole ? std::optional(static_cast<double>(*whole)) : std::nullopt;
    }
    const auto plain = without_separators(text);
    if (!plain || !is_decimal(*plain)) return std::nullopt;
    std::istringstream in(*plain);  // from_chars for double is not everywhere, and strtod asks the locale
    in.imbue(std::locale::classic());
    double value = 0;
    in >> value;
    return in.fail() || !std::isfinite(value) ? std::nullopt : std::optional(value);
}

std::optional<VariableValue> parse_as(std::size_t type, std::string_view text) {
    switch (type) {
        case kBool:
            return parse_bool(text);
        case kInt:
            return parse_int(text);
        case kDouble:
            return parse_double(text);
        default:
            return std::string(text);
    }
}

}  // namespace

std::string format_value(const VariableValue& value) {
    return std::visit([](const auto& v) { return fmt::format("{}", v); }, value);
}

VariableDomain::VariableDomain(const VariableValue& example, std::optional<VariableValue> min,
                               std::optional<VariableValue> max)
    : type_(example.index()), min_(std::move(min)), max_(std::move(max)) {}

Result<VariableValue> VariableDomain::parse(std::string_view text) const {
    if (text.size() > kMaxText) return Status::invalid("takes text of at most {} bytes, not {}", kMaxText, text.size());
    auto value = parse_as(type_, text);
    if (!value || !contains(*value)) return Status::invalid("takes {}, not {}", to_string(), in_quotes(text));
    return *std::move(value);
}

bool VariableDomain::contains(const VariableValue& value) const {
    if (value.index() != type_) return false;
    if (type_ == kDouble && !std::isfinite(std::get<double>(value))) return false;
    if (auto* text = std::get_if<std::string>(&value); text != nullptr && text->size() > kMaxText) return false;
    return (!min_ || *min_ <= value) && (!max_ || value <= *max_);
}

bool VariableDomain::is_sound() const {
    const bool is_number = type_ == kInt || type_ == kDouble;
    for (const auto& end : {min_, max_})
        if (end && (!is_number || end->index() != type_)) return false;
    return !min_ || !max_ || *min_ <= *max_;
}

std::string VariableDomain::to_string() const {
    if (type_ == kBool) return "true or false";
    if (type_ != kInt && type_ != kDouble) return "text";
    const std::string_view what = type_ == kInt ? "a whole number" : "a number";
    if (min_ && max_) return fmt::format("{} from {} to {}", what, format_value(*min_), format_value(*max_));
    if (min_) return fmt::format("{} of at least {}", what, format_value(*min_));
    if (max_) return fmt::format("{} of at most {}", what, format_value(*max_));
    return std::string(what);
}

}  // namespace lyre::inline core
