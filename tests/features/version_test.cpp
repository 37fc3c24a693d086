#include "lyre/features/version.h"

#include <gtest/gtest.h>

#include "lyre/core/content_reader.h"
#include "lyre/core/type_builder.h"

#include "tests/property.h"

namespace lyre::features {
namespace version_test {

Version version(std::string_view text) {
    return Version::parse(text).value();
}
VersionRange range(std::string_view text) {
    return VersionRange::parse(text).value();
}

TEST(Version, versions_of_the_standard_are_read_and_printed_as_written) {
    // F-54
    for (const char* text :
         {"0.0.4", "1.2.3", "10.20.30", "1.1.2-prerelease+meta", "1.1.2+meta-valid", "1.0.0-alpha",
          "1.0.0-alpha.beta.1", "1.0.0-alpha0.valid", "1.0.0-alpha-a.b-c-somethinglong+build.1-aef",
          "1.0.0-rc.1+build.1", "2.0.0+build.1848", "1.2.3----RC-SNAPSHOT.12.9.1--.12",
          "1.0.0+0.build.1-rc.10000aaa-kk-0.1", "1.0.0-0A.is.legal", "1.0.0+007", "1.0.0-99999999999999999999999999"})
        EXPECT_EQ(version(text).to_string(), text);
}

TEST(Version, what_is_no_version_is_refused_with_the_reason) {
    // F-54
    const std::pair<const char*, const char*> cases[] = {
        {"", "\"\" is no version: it is empty"},
        {"1", "\"1\" is no version: write all of MAJOR.MINOR.PATCH, such as 1.0.0"},
        {"1.2", "\"1.2\" is no version: write all of MAJOR.MINOR.PATCH, such as 1.2.0"},
        {"v1.2.3", "\"v1.2.3\" is no version: write it without the v"},
        {"01.1.1", "\"01.1.1\" is no version: MAJOR has a leading zero"},
        {"1.01.1", "\"1.01.1\" is no version: MINOR has a leading zero"},
        {"1.1.x", "\"1.1.x\" is no version: PATCH is \"x\", not a number"},
        {"1..1", "\"1..1\" is no version: MINOR is missing"},
        {"1.2.3.4", "\"1.2.3.4\" is no version: it has more than three numbers"},
        {"1.2.3-", "\"1.2.3-\" is no version: a part of its pre-release is empty"},
        {"1.2.3-a..b", "\"1.2.3-a..b\" is no version: a part of its pre-release is empty"},
        {"1.2.3-01", "\"1.2.3-01\" is no version: 01 in its pre-release has a leading zero"},
        {"1.2.3-a_b", "\"1.2.3-a_b\" is no version: its pre-release has \"_\"; letters, digits and - will do"},
        {"1.2.3+", "\"1.2.3+\" is no version: a part of its build is empty"},
        {"1.2-a", "\"1.2-a\" is no version: a pre-release or build needs all of MAJOR.MINOR.PATCH"},
        {" 1.2.3", "\" 1.2.3\" is no version: MAJOR is \" 1\", not a number"},
        {"-1.0.0", "\"-1.0.0\" is no version: MAJOR is missing"},
        {"1.0.1000000000000000000", "\"1.0.1000000000000000000\" is no version: PATCH has more than 18 digits"}};
    for (const auto& [text, reason] : cases) {
        const Status status = Version::parse(text).status();
        EXPECT_EQ(status.code(), StatusCode::InvalidArgument) << text;
        EXPECT_EQ(status.text(), reason);
    }
    EXPECT_FALSE(Version::parse("1.0.0-" + std::string(Version::kMaxLength, 'a')));
}

TEST(Version, the_order_is_that_of_the_standard) {
    // F-54
    const char* ascending[] = {"0.0.1",
                               "0.1.0",
                               "0.9.10",
                               "0.10.0",
                               "1.0.0-0",
                               "1.0.0-2",
                               "1.0.0-11",
                               "1.0.0-99999999999999999998",
                               "1.0.0-99999999999999999999",
                               "1.0.0-Alpha",
                               "1.0.0-alpha",
                               "1.0.0-alpha.1",
                               "1.0.0-alpha.beta",
                               "1.0.0-beta",
                               "1.0.0-beta.2",
                               "1.0.0-beta.11",
                               "1.0.0-rc.1",
                               "1.0.0",
                               "1.0.1-a",
                               "2.0.0",
                               "2.1.0"};
    for (std::size_t a = 0; a < std::size(ascending); ++a)
        for (std::size_t b = 0; b < std::size(ascending); ++b)
            EXPECT_EQ(version(ascending[a]) < version(ascending[b]), a < b) << ascending[a] << " " << ascending[b];
    EXPECT_EQ(version("1.0.0+a"), version("1.0.0+b"));
    EXPECT_EQ(version("1.0.0-rc+a"), version("1.0.0-rc"));
    EXPECT_NE(version("1.0.0-rc"), version("1.0.0"));
}

TEST(VersionRange, each_sign_means_what_people_know) {
    // F-54
    const std::pair<const char*, const char*> cases[] = {{"=1.2.3", "=1.2.3"},
                                                         {"=1.2", ">=1.2.0 <1.3.0"},
                                                         {"=1", ">=1.0.0 <2.0.0"},
                                                         {"<1.2.3", "<1.2.3"},
                                                         {"<1.2", "<1.2.0"},
                                                         {"<=1.2.3", "<=1.2.3"},
                                                         {"<=1.2", "<1.3.0"},
                                                         {"<=1", "<2.0.0"},
                                                         {">1.2.3", ">1.2.3"},
                                                         {">1.2", ">=1.3.0"},
                                                         {">1", ">=2.0.0"},
                                                         {">=1.2", ">=1.2.0"},
                                                         {"^1.2.3", ">=1.2.3 <2.0.0"},
                                                         {"^1.2", ">=1.2.0 <2.0.0"},
                                                         {"^1", ">=1.0.0 <2.0.0"},
                                                         {"^0.1", ">=0.1.0 <0.2.0"},
                                                         {"^0.2.3", ">=0.2.3 <0.3.0"},
                                                         {"^0.0.3", ">=0.0.3 <0.0.4"},
                                                         {"^0.0", ">=0.0.0 <0.1.0"},
                                                         {"^0", ">=0.0.0 <1.0.0"},
                                                         {"^0.0.0", ">=0.0.0 <0.0.1"},
                                                         {"~1.4.2", ">=1.4.2 <1.5.0"},
                                                         {"~1.4", ">=1.4.0 <1.5.0"},
                                                         {"~1", ">=1.0.0 <2.0.0"},
                                                         {"1.4.2", ">=1.4.2 <2.0.0"},
                                                         {"0.1", ">=0.1.0 <0.2.0"},
                                                         {">=1.2 <2.0", ">=1.2.0 <2.0.0"},
                                                         {"  >= 1.2   <2.0 ", ">=1.2.0 <2.0.0"},
                                                         {"^1.2 ^1.4 <1.9 <=1.8.5", ">=1.4.0 <=1.8.5"},
                                                         {"^1.2.3-beta.2", ">=1.2.3-beta.2 <2.0.0"},
                                                         {"", ""},
                                                         {"   ", ""}};
    for (const auto& [text, bounds] : cases) EXPECT_EQ(range(text).bounds(), bounds) << text;
    EXPECT_EQ(range(">= 1.2  <2.0").to_string(), ">= 1.2  <2.0");
    EXPECT_TRUE(range("").is_any());
}

TEST(VersionRange, pre_releases_fit_only_where_one_of_the_same_version_is_named) {
    // F-54
    struct Case {
        const char* range;
        const char* version;
        bool fits;
    };
    const Case cases[] = {{"^1.2.3-beta.2", "1.2.3-beta.2", true},
                          {"^1.2.3-beta.2", "1.2.3-beta.4", true},
                          {"^1.2.3-beta.2", "1.2.3-beta.1", false},
                          {"^1.2.3-beta.2", "1.2.3", true},
                          {"^1.2.3-beta.2", "1.5.0", true},
                          {"^1.2.3-beta.2", "1.2.4-beta.2", false},
                          {"^1.2.3-beta.2", "2.0.0-alpha", false},
                          {"^1.2", "1.3.0-rc", false},
                          {">=1.2", "2.0.0-rc", false},
                          {"<2.0", "2.0.0-rc", false},
                          {"<2.0.0-rc", "2.0.0-beta", true},
                          {"<2.0.0-rc", "2.0.0-rc", false},
                          {">=1.0.0-a <1.0.0", "1.0.0-b", true},
                          {"=1.0.0-rc.1", "1.0.0-rc.1", true},
                          {"=1.0.0", "1.0.0-rc.1", false},
                          {"=1.0.0", "1.0.0+build.7", true},
                          {"", "3.0.0-dev", true},
                          {"~0.1.0-a", "0.1.0-b", true}};
    for (const Case& c : cases)
        EXPECT_EQ(range(c.range).contains(version(c.version)), c.fits) << c.range << " " << c.version;
}

TEST(VersionRange, what_is_no_range_is_refused_with_the_term_and_its_place) {
    // F-54
    const std::pair<const char*, const char*> cases[] = {
        {">=1.2 <x",
         "\">=1.2 <x\" is no range of versions: in \"<x\" at column 7 leave out what may be anything: 1.2, "
         "not 1.2.*"},
        {"1.2.*",
         "\"1.2.*\" is no range of versions: in \"1.2.*\" at column 1 leave out what may be anything: 1.2, "
         "not 1.2.*"},
        {">=1,<2",
         "\">=1,<2\" is no range of versions: in \">=1,<2\" at column 1 put spaces between terms, not commas"},
        {"^1 || ^2",
         "\"^1 || ^2\" is no range of versions: in \"||\" at column 4 all terms must hold; there is no \"or\""},
        {"^", "\"^\" is no range of versions: in \"^\" at column 1 MAJOR is missing"},
        {"^1 =>2", "\"^1 =>2\" is no range of versions: in \"=>2\" at column 4 MAJOR is \">2\", not a number"},
        {"^1.2-a",
         "\"^1.2-a\" is no range of versions: in \"^1.2-a\" at column 1 a pre-release or build needs all of "
         "MAJOR.MINOR.PATCH"},
        {"=1.0.0+a",
         "\"=1.0.0+a\" is no range of versions: in \"=1.0.0+a\" at column 1 what stands behind + does not "
         "count in a range; leave it out"}};
    for (const auto& [text, reason] : cases) EXPECT_EQ(VersionRange::parse(text).status().text(), reason);
    EXPECT_FALSE(VersionRange::parse(std::string(Version::kMaxLength + 1, ' ')));
}

TEST(VersionRange, a_range_that_nothing_can_fit_is_empty) {
    // F-61
    for (const char* text : {">2 <1", ">1.0.0 <1.0.1", "^1 ^2", "=1.0.0 =1.0.0-a", ">1.0.0-a <1.0.0-a.0", "<0.0.0"})
        EXPECT_TRUE(range(text).is_empty()) << text;
    const std::pair<const char*, const char*> cases[] = {{"", "0.0.0-0"},       {"^1.2", "1.2.0"},
                                                         {">1.0.0", "1.0.1"},   {">1.0.0-a <1.0.0", "1.0.0-a.0"},
                                                         {"<1.0.0-a", "0.0.0"}, {"<0.0.0-a", "0.0.0-0"}};
    for (const auto& [text, lowest] : cases) EXPECT_EQ(range(text).lowest()->to_string(), lowest) << text;
}

TEST(VersionRange, what_two_ranges_have_in_common_can_be_said) {
    // F-61
    EXPECT_EQ(range("^0.2").intersect(range(">=0.2.5")).to_string(), ">=0.2.5 <0.3.0");
    EXPECT_EQ(range("^0.2").intersect(range("")).to_string(), "^0.2");
    EXPECT_EQ(range(">=1.0.0-a").intersect(range("<2.0.0-b")).to_string(), ">=1.0.0 <2.0.0");
    EXPECT_EQ(range(">=1.0.0-a").intersect(range("<1.0.0-b")).to_string(), ">=1.0.0-a <1.0.0-b");
    EXPECT_TRUE(range("^0.2").intersect(range("^0.3")).is_empty());
}

// Small versions and ranges, so that they meet.
rc::Gen<Version> small_versions() {
    return rc::gen::map(
        rc::gen::tuple(rc::gen::inRange(0, 3), rc::gen::inRange(0, 3), rc::gen::inRange(0, 3),
                       rc::gen::element<std::string>("", "", "", "0", "a", "a.0", "a.1", "b", "9", "10")),
        [](const auto& t) {
            const auto number = [](int n) { return static_cast<std::uint64_t>(n); };
            return Version{number(std::get<0>(t)), number(std::get<1>(t)), number(std::get<2>(t)), std::get<3>(t), ""};
        });
}

struct Term {
    std::string sign;
    Version version;
    int numbers;  // written
    std::string text() const {
        if (numbers == 1) return fmt::format("{}{}", sign, version.major);
        if (numbers == 2) return fmt::format("{}{}.{}", sign, version.major, version.minor);
        return sign + version.to_string();
    }
    // By the words of the definition, number by number.
    bool is_within(const Version& v) const {
        const auto begins_alike = [&](int count) {
            return (count < 1 || v.major == version.major) && (count < 2 || v.minor == version.minor) &&
                   (count < 3 || v.patch == version.patch);
        };
        Version from = version;
        if (numbers < 3) from = {version.major, numbers > 1 ? version.minor : 0, 0};
        const bool is_alike = numbers == 3 ? v == version : begins_alike(numbers) && v >= from;
        if (sign == "=") return is_alike;
        if (sign == "<") return v < from;
        if (sign == "<=") return v < from || is_alike;
        if (sign == ">=") return v >= from;
        if (sign == ">") return v > from && !is_alike;
        if (sign == "~") return v >= from && begins_alike(std::min(numbers, 2));
        const int first = version.major != 0 ? 1 : numbers > 1 && version.minor != 0 ? 2 : 3;
        return v >= from && begins_alike(std::min(first, numbers));  // ^
    }
    bool names(const Version& v) const {
        return numbers == 3 && version.is_pre_release() && version.has_same_numbers(v);
    }
};
struct Terms {
    std::vector<Term> all;
    std::string text() const {
        std::string text;
        for (const Term& term : all) text += (text.empty() ? "" : " ") + term.text();
        return text;
    }
    bool contains(const Version& v) const {
        bool is_named = all.empty() || !v.is_pre_release();
        for (const Term& term : all) is_named |= term.names(v);
        if (!is_named) return false;
        return std::all_of(all.begin(), all.end(), [&](const Term& term) { return term.is_within(v); });
    }
};
rc::Gen<Terms> small_ranges() {
    const auto term =
        rc::gen::map(rc::gen::tuple(rc::gen::element<std::string>("=", "<", "<=", ">", ">=", "^", "~", ""),
                                    small_versions(), rc::gen::inRange(1, 5)),
                     [](const auto& t) {
                         return Term{std::get<0>(t), std::get<1>(t), std::min(std::get<2>(t), 3)};
                     });
    return rc::gen::map(rc::gen::resize(3, rc::gen::container<std::vector<Term>>(term)),
                        [](std::vector<Term> all) { return Terms{std::move(all)}; });
}

// All small versions, and those right behind them.
std::vector<Version> all_small_versions() {
    std::vector<Version> all;
    for (std::uint64_t n = 0; n < 125; ++n)
        for (const char* pre :
             {"", "0", "0.0", "9", "9.0", "10", "10.0", "a", "a.0", "a.0.0", "a.1", "a.1.0", "b", "b.0"})
            all.push_back({n / 25, n / 5 % 5, n % 5, pre, ""});
    return all;
}

TEST(Version, any_version_is_read_back_and_the_order_is_total) {
    // F-54
    check_property(
        [] {
            const Version a = *small_versions(), b = *small_versions(), c = *small_versions();
            RC_ASSERT(version(a.to_string()) == a);
            RC_ASSERT((a < b) + (a == b) + (a > b) == 1);
            RC_ASSERT((a < b) == (b > a));
            if (a <= b && b <= c) RC_ASSERT(a <= c);
            RC_ASSERT((a == b) == (a.to_string() == b.to_string()));
        },
        500);
}

TEST(VersionRange, contains_what_every_term_contains) {
    // F-54
    const std::vector<Version> all = all_small_versions();
    check_property(
        [&] {
            const Terms terms = *small_ranges();
            const VersionRange parsed = range(terms.text());
            RC_ASSERT(range(parsed.to_string()) == parsed);
            RC_ASSERT(range(parsed.bounds()) == parsed);
            bool is_empty = true;
            for (const Version& v : all) {
                if (parsed.contains(v) != terms.contains(v)) RC_FAIL(terms.text() + " and " + v.to_string());
                is_empty &= !parsed.contains(v);
            }
            RC_ASSERT(parsed.is_empty() == is_empty);
            if (!is_empty) RC_ASSERT(parsed.contains(*parsed.lowest()));
        },
        500);
}

TEST(VersionRange, an_intersection_contains_exactly_what_both_contain) {
    // F-54, F-61
    const std::vector<Version> all = all_small_versions();
    check_property(
        [&] {
            const VersionRange a = range((*small_ranges()).text()), b = range((*small_ranges()).text());
            const VersionRange both = a.intersect(b);
            bool is_empty = true;
            for (const Version& v : all) {
                if (both.contains(v) != (a.contains(v) && b.contains(v)))
                    RC_FAIL(a.to_string() + " and " + b.to_string() + " give " + both.to_string() + " for " +
                            v.to_string());
                is_empty &= !both.contains(v);
            }
            RC_ASSERT(both.is_empty() == is_empty);
            RC_ASSERT(both == b.intersect(a));
            RC_ASSERT(range(both.to_string()) == both);
        },
        500);
}

struct Wanted {
    Version version{};
    VersionRange versions{};
    static void describe(TypeBuilder<Wanted>& t) {
        t.property("version", &Wanted::version).required();
        t.property("versions", &Wanted::versions);
    }
};

TEST(Version, versions_and_ranges_are_values_of_content) {
    // F-54
    Node node = Node::table();
    node.set("version", Node::text("1.2.0-rc+7"));
    node.set("versions", Node::text("~0.4"));
    Wanted wanted;
    EXPECT_TRUE(read_record(node, type_of_record<Wanted>(), &wanted, {}).problems.is_empty());
    EXPECT_EQ(core::detail::print_record(type_of_record<Wanted>(), &wanted), "{version = 1.2.0-rc+7, versions = ~0.4}");
    Wanted other = wanted;
    EXPECT_TRUE(value_type<Wanted>().equal(&wanted, &other));
    other.version.build = "8";
    EXPECT_FALSE(value_type<Wanted>().equal(&wanted, &other));

    node.set("version", Node::text("1.2"));
    node.set("versions", Node::text("1.x"));
    const Reading reading = read_record(node, type_of_record<Wanted>(), &wanted, {.subject = "feature tag"});
    ASSERT_EQ(reading.problems.count(), 2u);
    EXPECT_EQ(reading.problems.all()[0].text,
              "\"version\" in feature tag: \"1.2\" is no version: write all of MAJOR.MINOR.PATCH, such as 1.2.0");
    EXPECT_EQ(wanted.version.to_string(), "1.2.0-rc+7");

    const Reading empty = read_record(Node::table(), type_of_record<Wanted>(), &wanted, {});
    EXPECT_EQ(empty.problems.all()[0].hint, "version takes a version such as \"1.0.0\"");
}

}  // namespace version_test
}  // namespace lyre::features
