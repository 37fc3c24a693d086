#include "lyre/core/math.h"

#include <gtest/gtest.h>

namespace lyre {
namespace math_test {

TEST(Math, sine_and_cosine_agree_with_the_library_and_hit_the_quarters_exactly) {
    for (int i = -7200; i <= 7200; ++i) {
        const float degrees = static_cast<float>(i) * 0.1f;
        const double radians = static_cast<double>(degrees) * 3.14159265358979323846 / 180;
        EXPECT_NEAR(sine(degrees), std::sin(radians), 2e-7) << degrees;
        EXPECT_NEAR(cosine(degrees), std::cos(radians), 2e-7) << degrees;
    }
    EXPECT_EQ(direction(0), (Vec3{1, 0, 0}));
    EXPECT_EQ(direction(90), (Vec3{0, 1, 0}));
    EXPECT_EQ(direction(180), (Vec3{-1, 0, 0}));
    EXPECT_EQ(direction(-90), (Vec3{0, -1, 0}));
}

}  // namespace math_test
}  // namespace lyre
