#include "lyre/features/version.h"

#include <algorithm>
#include <array>

#include "lyre/core/suggest.h"

namespace lyre::features {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_number(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

// What stands between dots, one by one.
class Parts {
public:
    explicit Parts(std::string_view text) : rest_(text) {}
    bool has_more() const { return has_more_; }
    std::string_view next() {
        const std::size_t dot = rest_.find('.');
        const std::string_view part = rest_.substr(0, dot);
        has_more_ = dot != std::string_view::npos;
        rest_.remove_prefix(has_more_ ? dot + 1 : rest_.size());
        return part;
    }

private:
    std::string_view rest_;
    bool has_more_ = true;
};

// Numbers have no leading zeros, so of two the longer is the larger: none is too long to be compared.
std::weak_ordering compare_part(std::string_view a, std::string_view b) {
    const bool is_a_number = is_number(a), is_b_number = is_number(b);
    if (is_a_number != is_b_number) return is_a_number ? std::weak_ordering::less : std::weak_ordering::greater;
    if (is_a_number && a.size() != b.size()) return a.size() <=> b.size();
    return a.compare(b) <=> 0;
}

std::weak_ordering compare_pre(std::string_view a, std::string_view b) {
    if (a.empty() || b.empty()) return a.empty() <=> b.empty();  // a release is above its pre-releases
    Parts left(a), right(b);
    while (left.has_more() && right.has_more())
        if (const auto order = compare_part(left.next(), right.next()); order != 0) return order;
    return left.has_more() <=> right.has_more();
}

// What parse() found wrong, to stand behind "X is no version: ".
using Fault = std::string;

Fault read_number(std::string_view text, std::string_view what, std::uint64_t& number) {
    if (text.empty()) return fmt::format("{} is missing", what);
    if (!is_number(text)) return fmt::format("{} is {}, not a number", what, in_quotes(text));
    if (text.size() > 1 && text.front() == '0') return fmt::format("{} has a leading zero", what);
    if (text.size() > 18) return fmt::format("{} has more than 18 digits", what);
    number = 0;
    for (const char c : text) number = number * 10 + static_cast<std::uint64_t>(c - '0');
    return {};
}

Fault check_words(std::string_view text, std::string_view what, bool are_numbers_ordered) {
    for (Parts parts(text); parts.has_more();) {
        const std::string_view part = parts.next();
        if (part.empty()) return fmt::format("a part of its {} is empty", what);
        for (const char c : part)
            if (!is_digit(c) && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && c != '-')
                return fmt::format("its {} has {}; letters, digits and - will do", what, in_quotes({&c, 1}));
        if (are_numbers_ordered && is_number(part) && part.size() > 1 && part.front() == '0')
            return fmt::format("{} in its {} has a leading zero", part, what);
    }
    return {};
}

// A version with one, two or three numbers.
struct Partial {
    Version version;
    int numbers = 0;
};

Fault read_partial(std::string_view text, Partial& partial) {
    const std::size_t plus = text.find('+');
    const std::size_t dash = text.substr(0, plus).find('-');
    const std::string_view core = text.substr(0, std::min(plus, dash));
    static constexpr std::array<std::string_view, 3> kNames = {"MAJOR", "MINOR", "PATCH"};
    const std::array<std::uint64_t*, 3> numbers = {&partial.version.major, &partial.version.minor,
                                                   &partial.version.patch};
    if (core.starts_with('v') || core.starts_with('V')) return "write it without the v";
    for (Parts parts(core); parts.has_more(); ++partial.numbers) {
        if (partial.numbers == 3) return "it has more than three numbers";
        const auto i = static_cast<std::size_t>(partial.numbers);
        if (Fault fault = read_number(parts.next(), kNames[i], *numbers[i]); !fault.empty()) return fault;
    }
    if (dash != std::string_view::npos) {
        partial.version.pre = text.substr(dash + 1, plus == std::string_view::npos ? plus : plus - dash - 1);
        if (Fault fault = check_words(partial.version.pre, "pre-release", true); !fault.empty()) return fault;
    }
    if (plus != std::string_view::npos) {
        partial.version.build = text.substr(plus + 1);
        if (Fault fault = check_words(partial.version.build, "build", false); !fault.empty()) return fault;
    }
    const bool says_more = dash != std::string_view::npos || plus != std::string_view::npos;
    if (partial.numbers < 3 && says_more) return "a pre-release or build needs all of MAJOR.MINOR.PATCH";
    return {};
}

// The first version behind all that begin with the same `numbers` numbers.
Version after(const Version& version, int numbers) {
    if (numbers <= 1) return {version.major + 1, 0, 0};
    if (numbers == 2) return {version.major, version.minor + 1, 0};
    return {version.major, version.minor, version.patch + 1};
}

// How many numbers a ^ leaves as they are: up to and with the first that is not zero.
int fixed_by_caret(const Partial& partial) {
    const Version& version = partial.version;
    const int first = version.major != 0 ? 1 : version.minor != 0 ? 2 : 3;
    return std::min(first, partial.numbers);
}

}  // namespace

Result<Version> Version::parse(std::string_view text) {
    if (text.size() > kMaxLength)
        return Status::invalid("{} is no version: it has more than {} bytes", in_quotes(text), kMaxLength);
    Partial partial;
    Fault fault = text.empty() ? "it is empty" : read_partial(text, partial);
    if (fault.empty() && partial.numbers < 3)
        fault = fmt::format("write all of MAJOR.MINOR.PATCH, such as {}", partial.version);
    if (!fault.empty()) return Status::invalid("{} is no version: {}", in_quotes(text), fault);
    return std::move(partial.version);
}

std::string Version::to_string() const {
    return fmt::format("{}.{}.{}{}{}{}{}", major, minor, patch, pre.empty() ? "" : "-", pre, build.empty() ? "" : "+",
                       build);
}

std::weak_ordering operator<=>(const Version& a, const Version& b) {
    if (const auto order = a.major <=> b.major; order != 0) return order;
    if (const auto order = a.minor <=> b.minor; order != 0) return order;
    if (const auto order = a.patch <=> b.patch; order != 0) return order;
    return compare_pre(a.pre, b.pre);
}

// One term of a range: its sign, and the version behind it.
struct VersionRange::Term {
    enum class Sign : std::uint8_t { Equal, Less, LessOrEqual, Greater, GreaterOrEqual, Caret, Tilde };
    Sign sign = Sign::Caret;
    Partial partial;

    static Sign take_sign(std::string_view& text) {
        static constexpr std::pair<std::string_view, Sign> kSigns[] = {
            {"<=", Sign::LessOrEqual}, {">=", Sign::GreaterOrEqual}, {"<", Sign::Less}, {">", Sign::Greater},
            {"=", Sign::Equal},        {"^", Sign::Caret},           {"~", Sign::Tilde}};
        for (const auto& [word, sign] : kSigns)
            if (text.starts_with(word)) return text.remove_prefix(word.size()), sign;
        return Sign::Caret;
    }
    static Fault hint_for(std::string_view text) {
        if (text.find_first_of("*xX") != std::string_view::npos)
            return "leave out what may be anything: 1.2, not 1.2.*";
        if (text.find(',') != std::string_view::npos) return "put spaces between terms, not commas";
        if (text.find('|') != std::string_view::npos) return "all terms must hold; there is no \"or\"";
        return {};
    }
    Fault read(std::string_view text) {
        if (Fault fault = read_partial(text, partial); !fault.empty()) {
            Fault hint = hint_for(text);
            return hint.empty() ? fault : hint;
        }
        if (!partial.version.build.empty()) return "what stands behind + does not count in a range; leave it out";
        return {};
    }
    void narrow(VersionRange& range) const {
        const Version& version = partial.version;
        const int numbers = partial.numbers;
        const bool is_whole = numbers == 3;
        switch (sign) {
            case Sign::Equal:
                range.raise({version, true});
                return is_whole ? range.lower({version, true}) : range.lower({after(version, numbers), false});
            case Sign::Less:
                return range.lower({version, false});
            case Sign::LessOrEqual:
                return is_whole ? range.lower({version, true}) : range.lower({after(version, numbers), false});
            case Sign::Greater:
                return is_whole ? range.raise({version, false}) : range.raise({after(version, numbers), true});
            case Sign::GreaterOrEqual:
                return range.raise({version, true});
            case Sign::Caret:
                range.raise({version, true});
                return range.lower({after(version, fixed_by_caret(partial)), false});
            case Sign::Tilde:
                range.raise({version, true});
                return range.lower({after(version, std::min(numbers, 2)), false});
        }
    }
};

Result<VersionRange> VersionRange::parse(std::string_view text) {
    if (text.size() > Version::kMaxLength)
        return Status::invalid("{} is no range of versions: it has more than {} bytes", in_quotes(text),
                               Version::kMaxLength);
    VersionRange range;
    std::size_t at = 0;
    const auto skip_spaces = [&] { at = std::min(text.find_first_not_of(' ', at), text.size()); };
    for (skip_spaces(); at < text.size(); skip_spaces()) {
        const std::size_t begin = at;
        std::string_view rest = text.substr(at);
        Term term;
        term.sign = Term::take_sign(rest);
        at = text.size() - rest.size();
        skip_spaces();  // ">= 1.2" is common
        const std::size_t end = std::min(text.find(' ', at), text.size());
        if (Fault fault = term.read(text.substr(at, end - at)); !fault.empty())
            return Status::invalid("{} is no range of versions: in {} at column {} {}", in_quotes(text),
                                   in_quotes(text.substr(begin, end - begin)), begin + 1, fault);
        term.narrow(range);
        at = end;
    }
    range.written_ = range.is_any() ? std::string_view() : text;
    return range;
}

bool VersionRange::names_pre_release_of(const Version& version) const {
    const auto is_named = [&](const std::optional<Bound>& bound) {
        return bound && bound->version.is_pre_release() && bound->version.has_same_numbers(version);
    };
    return is_any() || is_named(low_) || is_named(high_);
}

bool VersionRange::is_within(const Version& version) const {
    if (low_ && (version < low_->version || (version == low_->version && !low_->is_included))) return false;
    return !high_ || version < high_->version || (version == high_->version && high_->is_included);
}

bool VersionRange::contains(const Version& version) const {
    return is_within(version) && (!version.is_pre_release() || names_pre_release_of(version));
}

void VersionRange::raise(const Bound& bound) {
    const bool is_higher = !low_ || bound.version > low_->version ||
                           (bound.version == low_->version && !bound.is_included && low_->is_included);
    if (is_higher) low_ = bound;
}

void VersionRange::lower(const Bound& bound) {
    const bool is_lower = !high_ || bound.version < high_->version ||
                          (bound.version == high_->version && !bound.is_included && high_->is_included);
    if (is_lower) high_ = bound;
}

// An end that is a pre-release which only one of the two names becomes its release: the other takes none of that
// version. One that both name stays, and no pre-release between the ends fits both.
VersionRange VersionRange::intersect(const VersionRange& other) const {
    if (is_any()) return other;
    if (other.is_any()) return *this;
    VersionRange both = *this;
    both.written_.clear();
    if (other.low_) both.raise(*other.low_);
    if (other.high_) both.lower(*other.high_);
    const auto settle = [&](std::optional<Bound>& bound, bool is_included) {
        if (!bound || !bound->version.is_pre_release()) return;
        if (names_pre_release_of(bound->version) && other.names_pre_release_of(bound->version)) return;
        bound->version.pre.clear();
        bound->is_included = is_included;
    };
    settle(both.low_, true);
    settle(both.high_, false);
    return both;
}

// The lowest release, or a pre-release at one of the ends. Behind the pre-release "a" comes "a.0" next.
std::optional<Version> VersionRange::lowest() const {
    if (is_any()) return Version{0, 0, 0, "0"};
    std::optional<Version> best;
    const auto consider = [&](const Version& version) {
        if (contains(version) && (!best || version < *best)) best = version;
    };
    for (const std::optional<Bound>& bound : {low_, high_}) {
        if (!bound || !bound->version.is_pre_release()) continue;
        Version version = bound->version;
        consider(version);
        version.pre += ".0";
        consider(version);
        version.pre = "0";
        consider(version);
    }
    Version release = low_ ? low_->version : Version{};
    if (!release.is_pre_release() && low_ && !low_->is_included) ++release.patch;
    release.pre.clear();
    consider(release);
    return best;
}

std::string VersionRange::to_string() const {
    return written_.empty() ? bounds() : written_;
}

std::string VersionRange::bounds() const {
    if (low_ && high_ && low_->is_included && high_->is_included && low_->version == high_->version)
        return "=" + low_->version.to_string();
    std::string text;
    if (low_) text = fmt::format("{}{}", low_->is_included ? ">=" : ">", low_->version);
    if (high_) text += fmt::format("{}{}{}", text.empty() ? "" : " ", high_->is_included ? "<=" : "<", high_->version);
    return text;
}

}  // namespace lyre::features

namespace {

// What Version and VersionRange have in common as values.
template <class T> void fill_symbol(lyre::ValueType& t, std::string_view name, std::string_view takes) {
    t.kind = lyre::ValueKind::Symbol;
    t.name = name;
    t.takes = takes;
    t.print = [](const void* v) { return static_cast<const T*>(v)->to_string(); };
    t.parse = [](std::string_view text, void* v) -> lyre::Status {
        auto parsed = T::parse(text);
        if (!parsed) return parsed.status();
        *static_cast<T*>(v) = *std::move(parsed);
        return lyre::Status::ok();
    };
}

}  // namespace

bool lyre::ValueTraits<lyre::features::Version>::equal(const features::Version& a, const features::Version& b) {
    return a == b && a.build == b.build;
}

void lyre::ValueTraits<lyre::features::Version>::fill(ValueType& t) {
    fill_symbol<features::Version>(t, "version", "a version such as \"1.0.0\"");
    t.hash = [](const void* v, Hasher& h) { h.text(static_cast<const features::Version*>(v)->to_string()); };
}

void lyre::ValueTraits<lyre::features::VersionRange>::fill(ValueType& t) {
    fill_symbol<features::VersionRange>(t, "version_range", "a range of versions such as \"^1.2\" or \">=1.2 <2.0\"");
    t.hash = [](const void* v, Hasher& h) { h.text(static_cast<const features::VersionRange*>(v)->bounds()); };
}
