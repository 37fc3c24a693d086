#include "tests/allocations.h"

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <thread>

#include "lyre/core/owner.h"

namespace lyre {
namespace allocations_test {

TEST(Allocations, every_form_of_new_on_this_thread_is_counted_and_nothing_else) {
    // no row: what proofs of "does not allocate" rest on
    struct alignas(64) Wide {
        char bytes[64];
    };
    const std::size_t before = allocations();
    EXPECT_EQ(allocations(), before);
    auto one = std::make_unique<int>(1);
    EXPECT_EQ(allocations(), before + 1);
    auto many = std::make_unique<int[]>(3);
    auto wide = std::make_unique<Wide>();
    std::unique_ptr<int> quiet(new (std::nothrow) int(1));
    EXPECT_EQ(allocations(), before + 4);
    std::thread([] { std::make_unique<int>(1); }).join();
    EXPECT_LE(allocations(), before + 5);  // the thread's own state
}

TEST(Allocations, what_the_library_allocates_is_counted_too) {
    // no row: what proofs of "does not allocate" rest on
    const Owner owner = Owner::feature(Name("a_name_longer_than_a_short_string_holds"), 1);
    const std::size_t before = allocations();
    const std::string text = owner.to_string();
    EXPECT_GT(allocations(), before);
}

}  // namespace allocations_test
}  // namespace lyre
