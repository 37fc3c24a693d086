#include "lyre/core/random.h"

#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

namespace lyre {
namespace random_test {

std::vector<std::uint64_t> draws(Random stream, int count) {
    std::vector<std::uint64_t> all;
    for (int i = 0; i < count; ++i) all.push_back(stream.next_u64());
    return all;
}

TEST(Random, two_runs_with_one_seed_draw_the_same_and_other_seeds_or_names_do_not) {
    // W-12, S-002
    EXPECT_EQ(draws(RandomSource(7).stream("spawn"), 100), draws(RandomSource(7).stream("spawn"), 100));
    EXPECT_NE(draws(RandomSource(7).stream("spawn"), 100), draws(RandomSource(8).stream("spawn"), 100));
    EXPECT_NE(draws(RandomSource(7).stream("spawn"), 100), draws(RandomSource(7).stream("spawm"), 100));
}

TEST(Random, one_more_stream_or_draw_leaves_all_others_as_they_were) {
    // W-12, S-002
    const RandomSource source(42);
    const auto alone = draws(source.stream("loot"), 50);
    Random other = source.stream("weather");
    other.next_u64();
    Random loot = source.stream("loot");
    std::vector<std::uint64_t> between;
    for (int i = 0; i < 50; ++i) {
        between.push_back(loot.next_u64());
        other.next_below(3);
    }
    EXPECT_EQ(between, alone);
}

TEST(Random, the_draws_are_those_of_the_published_generator_on_every_machine) {
    // W-12, S-002, S-021
    // Computed by another program that also gives the published draws of state {1, 2, 3, 4}.
    Random zero(0);
    EXPECT_EQ(zero.next_u64(), 0x99EC5F36CB75F2B4u);
    EXPECT_EQ(zero.next_u64(), 0xBF6E1F784956452Au);
    EXPECT_EQ(zero.next_u64(), 0x1A5F849D4933E6E0u);
    EXPECT_EQ(RandomSource(1).stream("a").next_u64(), 0x890687C32132B270u);
}

TEST(Random, a_copy_goes_on_with_the_same_draws) {
    // W-12
    Random first = RandomSource(3).stream("predict");
    first.next_u64();
    Random copy = first;
    EXPECT_EQ(copy, first);
    EXPECT_EQ(draws(copy, 20), draws(first, 20));
    copy.next_u64();
    EXPECT_FALSE(copy == first);
}

TEST(Random, numbers_below_a_bound_are_all_reached_about_equally_often) {
    // W-12
    Random random = RandomSource(5).stream("dice");
    std::array<int, 6> seen{};
    for (int i = 0; i < 60'000; ++i) ++seen[random.next_below(6)];
    for (int count : seen) EXPECT_NEAR(count, 10'000, 500);  // five deviations of 91
    EXPECT_EQ(random.next_below(1), 0u);

    // Where 2^64 is far from a multiple of the bound a plain remainder would favour the low third two to one.
    const std::uint64_t bound = 0xC000'0000'0000'0000u;
    int low = 0;
    for (int i = 0; i < 30'000; ++i) low += random.next_below(bound) < bound / 3;
    EXPECT_NEAR(low, 10'000, 500);
}

TEST(Random, ranges_include_both_ends_and_may_span_every_number) {
    // W-12
    Random random = RandomSource(6).stream("range");
    bool lowest = false, highest = false;
    for (int i = 0; i < 1000; ++i) {
        const std::int64_t n = random.next_range(-2, 2);
        ASSERT_GE(n, -2);
        ASSERT_LE(n, 2);
        lowest |= n == -2;
        highest |= n == 2;
    }
    EXPECT_TRUE(lowest && highest);
    bool negative = false, positive = false;
    for (int i = 0; i < 100; ++i) (random.next_range(INT64_MIN, INT64_MAX) < 0 ? negative : positive) = true;
    EXPECT_TRUE(negative && positive);
    EXPECT_EQ(random.next_range(9, 9), 9);
}

TEST(Random, floats_stay_inside_and_chances_hold) {
    // W-12
    Random random = RandomSource(9).stream("float");
    double sum = 0;
    int hits = 0;
    for (int i = 0; i < 100'000; ++i) {
        const float u = random.next_float01();
        ASSERT_GE(u, 0.0f);
        ASSERT_LT(u, 1.0f);
        sum += u;
        const float r = random.next_range_float(-3.4e38f, 3.4e38f);
        ASSERT_TRUE(r >= -3.4e38f && r <= 3.4e38f);
        hits += random.chance(0.25f);
        ASSERT_FALSE(random.chance(0.0f));
        ASSERT_TRUE(random.chance(1.0f));
    }
    EXPECT_NEAR(sum / 100'000, 0.5, 0.005);
    EXPECT_NEAR(hits, 25'000, 700);
}

}  // namespace random_test
}  // namespace lyre
