#include "lyre/core/bitmap.h"

#include <gtest/gtest.h>
#include <random>
#include <set>

namespace lyre {
namespace bitmap_test {

TEST(HierarchicalBitmap, agrees_with_a_set_under_random_changes) {
    // W-35
    std::mt19937 random(7);
    for (std::uint32_t range : {1u, 63u, 64u, 65u, 5000u, 300'000u}) {
        HierarchicalBitmap bits;
        std::set<std::uint32_t> model;
        for (int step = 0; step < 20'000; ++step) {
            const std::uint32_t i = random() % range;
            if (random() % 3 != 0) {
                bits.set(i);
                model.insert(i);
            } else {
                bits.reset(i);
                model.erase(i);
            }
            const std::uint32_t from = random() % (range + 2);
            const auto expected = model.lower_bound(from);
            ASSERT_EQ(bits.next(from), expected == model.end() ? HierarchicalBitmap::kNone : *expected);
            ASSERT_EQ(bits.test(i), model.count(i) == 1);
            ASSERT_EQ(bits.is_empty(), model.empty());
        }
    }
}

TEST(HierarchicalBitmap, keeps_its_members_when_it_grows_a_level) {
    // W-35
    HierarchicalBitmap bits;
    bits.set(3);
    bits.set(5'000'000);
    EXPECT_EQ(bits.first(), 3u);
    EXPECT_EQ(bits.next(4), 5'000'000u);
    EXPECT_EQ(bits.next(5'000'001), HierarchicalBitmap::kNone);
    bits.reset(3);
    bits.reset(5'000'000);
    EXPECT_TRUE(bits.is_empty());
}

}  // namespace bitmap_test
}  // namespace lyre
