#include "lyre/core/numbers.h"

#include <gtest/gtest.h>
#include <string>

namespace lyre {
namespace numbers_test {

TEST(Numbers, whole_numbers_are_read_as_people_write_them) {
    // W-08
    EXPECT_EQ(*parse_integer("0"), 0);
    EXPECT_EQ(*parse_integer("+7"), 7);
    EXPECT_EQ(*parse_integer("1_000"), 1000);
    EXPECT_EQ(*parse_integer("-0xFF"), -255);
    EXPECT_EQ(*parse_integer("0xdead_beef"), 0xdeadbeef);
    EXPECT_EQ(*parse_integer("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
    EXPECT_EQ(*parse_unsigned("18446744073709551615"), std::numeric_limits<std::uint64_t>::max());
    for (const char* wrong : {"", "-", "+", "0x", "0x_1", "1_", "_1", "1__0", "1.0", "ten", " 1", "1 ", "--1", "1_a",
                              "9223372036854775808", "0x8000000000000000"})
        EXPECT_FALSE(parse_integer(wrong)) << wrong;
    for (const char* wrong : {"-1", "-0x1", "18446744073709551616"}) EXPECT_FALSE(parse_unsigned(wrong)) << wrong;
}

TEST(Numbers, out_of_range_of_the_type_is_refused_and_never_wrapped) {
    // W-08
    EXPECT_EQ(*parse_number<std::int8_t>("-128"), -128);
    EXPECT_EQ(*parse_number<std::uint8_t>("255"), 255);
    EXPECT_FALSE(parse_number<std::int8_t>("128"));
    EXPECT_FALSE(parse_number<std::uint8_t>("256"));
    EXPECT_FALSE(parse_number<std::uint8_t>("-1"));
    EXPECT_NE(parse_number<std::uint8_t>("256").status().text().find("0 to 255"), std::string::npos);
    EXPECT_FALSE(parse_number<float>("1e39"));
    EXPECT_FALSE(parse_number<float>("-1e39"));
    EXPECT_TRUE(parse_number<double>("1e39"));
}

TEST(Numbers, fractions_are_finite_and_written_with_a_point) {
    // W-08
    EXPECT_EQ(*parse_float("2.5"), 2.5);
    EXPECT_EQ(*parse_float("-1e3"), -1000);
    EXPECT_EQ(*parse_float("1_000.25"), 1000.25);
    EXPECT_EQ(*parse_float("0x10"), 16);
    for (const char* wrong :
         {"", ".", "1.", ".5", "1,5", "nan", "inf", "1e", "1e+", "1e400", "0x1p3", "1e_5", "1_e5", "1_.5", "1f", " 1"})
        EXPECT_FALSE(parse_float(wrong)) << wrong;
}

TEST(Numbers, truth_has_three_spellings) {
    // W-08
    for (const char* yes : {"true", "on", "1"}) EXPECT_TRUE(*parse_bool(yes));
    for (const char* no : {"false", "off", "0"}) EXPECT_FALSE(*parse_bool(no));
    for (const char* wrong : {"", "yes", "True", "2"}) EXPECT_FALSE(parse_bool(wrong)) << wrong;
}

}  // namespace numbers_test
}  // namespace lyre
