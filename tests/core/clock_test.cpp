#include "lyre/core/clock.h"

#include <gtest/gtest.h>

namespace lyre {
namespace clock_test {

TEST(Clock, a_virtual_clock_moves_only_when_told_and_takes_the_wall_clock_along) {
    // W-12, S-001
    VirtualClock clock;
    EXPECT_EQ(clock.now_us(), 0);
    clock.advance(1'500'000);
    EXPECT_EQ(clock.now_us(), 1'500'000);
    EXPECT_EQ(clock.wall_seconds(), 1);
    clock.set_wall_seconds(1'700'000'000);
    EXPECT_EQ(clock.wall_seconds(), 1'700'000'000);
    EXPECT_EQ(clock.now_us(), 1'500'000);
    clock.advance(2'000'000);
    EXPECT_EQ(clock.wall_seconds(), 1'700'000'002);
}

TEST(Clock, a_virtual_clock_does_not_go_back) {
    // S-001
    VirtualClock clock;
    EXPECT_DEATH(clock.advance(-1), "time does not go back");
}

TEST(Clock, a_real_clock_counts_from_its_making_and_never_goes_back) {
    // W-12, S-001
    const RealClock clock;
    std::int64_t last = clock.now_us();
    EXPECT_GE(last, 0);
    EXPECT_LT(last, 60'000'000);
    for (int i = 0; i < 1000; ++i) {
        const std::int64_t now = clock.now_us();
        EXPECT_GE(now, last);
        last = now;
    }
    EXPECT_GT(clock.wall_seconds(), 1'600'000'000);  // 2020
}

}  // namespace clock_test
}  // namespace lyre
