#include "lyre/core/variable_value.h"

#include <cmath>
#include <fmt/format.h>

#include "lyre/core/numbers.h"
#include "lyre/core/suggest.h"

namespace lyre::inline core {
namespace {

constexpr std::size_t kBool = 0, kInt = 1, kDouble = 2;

template <class T> std::optional<VariableValue> value_of(Result<T> parsed) {
    return parsed ? std::optional<VariableValue>(*parsed) : std::nullopt;
}

std::optional<VariableValue> parse_as(std::size_t type, std::string_view text) {
    switch (type) {
        case kBool:
            return value_of(parse_bool(text));
        case kInt:
            return value_of(parse_integer(text));
        case kDouble:
            return value_of(parse_float(text));
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
