// features/version.h: semantic versions (semver.org, 2.0), and ranges of them.
//
//     Version::parse("1.4.2-beta.1+linux")
//     VersionRange::parse(">=1.2 <2.0")->contains(version)
//
// A version compares by the rules: numbers by value, a pre-release below its release, its parts one by one (numbers
// before words), and what stands behind + does not count.
//
// A range is one or more terms with spaces between; all must hold. A version in a term may be partial:
//
//     =1.4.2     this one                      =1.4    1.4.0 and all other 1.4.x         =1   any 1.x.x
//     <  <=  >  >=                             >1.4    1.5.0 and later                   <=1.4   any up to 1.4.x
//     ^1.4.2     from there to below 2.0.0     ^0.1    0.1.0 to below 0.2.0              ^0.0.3  only 0.0.3
//     ~1.4.2     from there to below 1.5.0     ~1      1.0.0 to below 2.0.0
//     1.4.2      without a sign as with ^: what is compatible, as people know it from package files
//     (nothing)  any version, pre-releases too
//
// A pre-release fits only a range that names one of the same MAJOR.MINOR.PATCH: ^1.4.2-beta takes 1.4.2-rc and 1.5.0,
// but neither 1.5.0-alpha nor 2.0.0-alpha. So a range is an interval, and pre-releases count at its ends only.
//
// Plain values; any thread.
#pragma once

#include <compare>
#include <cstdint>
#include <fmt/core.h>
#include <optional>
#include <string>
#include <string_view>

#include "lyre/core/status.h"
#include "lyre/core/value_type.h"

namespace lyre::features {

struct Version {
    static constexpr std::size_t kMaxLength = 256;                         // bytes of a version or range as text
    static constexpr std::uint64_t kMaxNumber = 999'999'999'999'999'999u;  // of major, minor and patch

    std::uint64_t major = 0, minor = 0, patch = 0;
    std::string pre{};    // "beta.1"; empty: a release
    std::string build{};  // "linux"

    static Result<Version> parse(std::string_view text);
    std::string to_string() const;
    bool is_pre_release() const { return !pre.empty(); }
    bool has_same_numbers(const Version& other) const {
        return major == other.major && minor == other.minor && patch == other.patch;
    }
    // By the rules of precedence: two that differ only in `build` are equal here.
    friend std::weak_ordering operator<=>(const Version& a, const Version& b);
    friend bool operator==(const Version& a, const Version& b) { return (a <=> b) == 0; }
};

class VersionRange {
public:
    VersionRange() = default;  // any version
    static Result<VersionRange> parse(std::string_view text);

    bool is_any() const { return !low_ && !high_; }
    bool contains(const Version& version) const;
    VersionRange intersect(const VersionRange& other) const;  // contains what both contain
    std::optional<Version> lowest() const;                    // of all versions that there could be; none: it is empty
    bool is_empty() const { return !lowest(); }

    std::string to_string() const;  // as written; of an intersection ">=1.2.0 <2.0.0"; of any: ""
    std::string bounds() const;     // in one spelling for each range
    friend bool operator==(const VersionRange& a, const VersionRange& b) { return a.bounds() == b.bounds(); }

private:
    struct Bound {
        Version version;
        bool is_included = true;
    };
    struct Term;
    bool names_pre_release_of(const Version& version) const;
    bool is_within(const Version& version) const;
    void raise(const Bound& bound);
    void lower(const Bound& bound);

    std::optional<Bound> low_, high_;
    std::string written_;
};

}  // namespace lyre::features

template <> struct lyre::ValueTraits<lyre::features::Version> {
    static bool equal(const features::Version& a, const features::Version& b);  // `build` counts
    static void fill(ValueType& t);                                             // a Symbol, "version"
};
template <> struct lyre::ValueTraits<lyre::features::VersionRange> {
    static void fill(ValueType& t);  // a Symbol, "version_range"
};

template <> struct fmt::formatter<lyre::features::Version> {
    constexpr auto parse(format_parse_context& ctx) { return ctx.begin(); }
    template <class Context> auto format(const lyre::features::Version& version, Context& ctx) const {
        return fmt::format_to(ctx.out(), "{}", version.to_string());
    }
};
template <> struct fmt::formatter<lyre::features::VersionRange> {
    constexpr auto parse(format_parse_context& ctx) { return ctx.begin(); }
    template <class Context> auto format(const lyre::features::VersionRange& range, Context& ctx) const {
        return fmt::format_to(ctx.out(), "{}", range.to_string());
    }
};
