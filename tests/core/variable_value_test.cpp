#include "lyre/core/variable_value.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <locale>

#include "lyre/core/random.h"

namespace lyre {
namespace variable_value_test {

const VariableDomain kBool(false, {}, {}), kInt(std::int64_t{0}, {}, {}), kDouble(0.0, {}, {}),
    kText(std::string(), {}, {});

TEST(VariableValue, text_is_read_by_type) {
    // W-11
    EXPECT_EQ(*kBool.parse("true"), VariableValue(true));
    EXPECT_EQ(*kBool.parse("on"), VariableValue(true));
    EXPECT_EQ(*kBool.parse("0"), VariableValue(false));
    EXPECT_EQ(*kInt.parse("-12"), VariableValue(std::int64_t{-12}));
    EXPECT_EQ(*kInt.parse("1_000_000"), VariableValue(std::int64_t{1'000'000}));
    EXPECT_EQ(*kInt.parse("0xFF_ff"), VariableValue(std::int64_t{0xFFFF}));
    EXPECT_EQ(*kInt.parse("-0x10"), VariableValue(std::int64_t{-16}));
    EXPECT_EQ(*kInt.parse("9223372036854775807"), VariableValue(std::numeric_limits<std::int64_t>::max()));
    EXPECT_EQ(*kInt.parse("-9223372036854775808"), VariableValue(std::numeric_limits<std::int64_t>::min()));
    EXPECT_EQ(*kDouble.parse("1.5e3"), VariableValue(1500.0));
    EXPECT_EQ(*kDouble.parse("+1_0.2_5"), VariableValue(10.25));
    EXPECT_EQ(*kDouble.parse("0x10"), VariableValue(16.0));
    EXPECT_EQ(*kDouble.parse("7"), VariableValue(7.0));
    EXPECT_EQ(*kText.parse(""), VariableValue(std::string()));
    EXPECT_EQ(*kText.parse("a b"), VariableValue(std::string("a b")));
}

TEST(VariableValue, what_is_not_of_the_type_is_refused_with_what_would_be) {
    // W-11
    for (const char* text : {"", "yes!", "TRUE", "2"}) EXPECT_FALSE(kBool.parse(text)) << text;
    for (const char* text : {"", "-", "+", "0x", "1.5", "1e3", "_1", "1_", "1__0", "0x_1", "12a", " 1", "1 ", "--1",
                             "9223372036854775808", "-9223372036854775809", "0x8000000000000000"})
        EXPECT_FALSE(kInt.parse(text)) << text;
    for (const char* text : {"", ".", "1.", ".5", "1e", "1e+", "nan", "inf", "-inf", "1e999", "1,5", "1.5.2", "0x1p3",
                             "1._5", "1_.5", "0xg"})
        EXPECT_FALSE(kDouble.parse(text)) << text;
    EXPECT_FALSE(kText.parse(std::string(VariableDomain::kMaxText + 1, 'x')));
    EXPECT_EQ(kInt.parse("fast").status().text(), "takes a whole number, not \"fast\"");
}

TEST(VariableValue, ends_of_numbers_are_included_and_named) {
    // W-11
    const VariableDomain percent(std::int64_t{0}, std::int64_t{0}, std::int64_t{100});
    EXPECT_TRUE(percent.parse("0"));
    EXPECT_TRUE(percent.parse("100"));
    EXPECT_FALSE(percent.parse("-1"));
    EXPECT_EQ(percent.parse("101").status().text(), "takes a whole number from 0 to 100, not \"101\"");
    EXPECT_EQ(VariableDomain(0.0, 0.5, {}).to_string(), "a number of at least 0.5");
    EXPECT_EQ(VariableDomain(0.0, {}, 2.0).to_string(), "a number of at most 2");
    EXPECT_FALSE(VariableDomain(0.0, 2.0, 1.0).is_sound());
    EXPECT_FALSE(VariableDomain(0.0, std::int64_t{1}, {}).is_sound());
    EXPECT_FALSE(VariableDomain(false, false, true).is_sound());
    EXPECT_FALSE(kDouble.contains(std::nan("")));
    EXPECT_FALSE(kDouble.contains(std::int64_t{1}));
}

TEST(VariableValue, what_is_written_is_read_back_to_the_same_value) {
    // W-11
    Random random = RandomSource(1).stream("values");
    for (int i = 0; i < 5000; ++i) {
        const std::uint64_t bits = random.next_u64();
        const VariableValue whole = static_cast<std::int64_t>(bits >> random.next_below(64));
        EXPECT_EQ(*kInt.parse(format_value(whole)), whole);
        double number;
        std::memcpy(&number, &bits, sizeof number);
        if (!std::isnormal(number)) continue;
        EXPECT_EQ(*kDouble.parse(format_value(number)), VariableValue(number)) << number;
    }
    EXPECT_EQ(format_value(true), "true");
    EXPECT_EQ(format_value(120.0), "120");
}

struct CommaForPoint : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
};

TEST(VariableValue, the_locale_has_no_influence) {
    // W-11, S-009
    const std::locale before = std::locale::global(std::locale(std::locale::classic(), new CommaForPoint));
    const auto number = kDouble.parse("1234.5");
    const std::string text = format_value(1234.5), whole = format_value(std::int64_t{1'234'567});
    std::locale::global(before);
    ASSERT_TRUE(number);
    EXPECT_EQ(*number, VariableValue(1234.5));
    EXPECT_EQ(text, "1234.5");
    EXPECT_EQ(whole, "1234567");
}

}  // namespace variable_value_test
}  // namespace lyre
