#include "lyre/core/status.h"

#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <string>

#include "tests/allocations.h"

namespace lyre {
namespace status_test {

TEST(Status, ok_says_nothing_and_costs_nothing) {
    // no row: what every room's errors rest on
    const std::size_t before = allocations();
    const Status status;
    const Status copy = status;
    EXPECT_TRUE(copy.is_ok());
    EXPECT_TRUE(copy);
    EXPECT_EQ(copy.code(), StatusCode::Ok);
    EXPECT_TRUE(copy.text().empty());
    EXPECT_EQ(allocations(), before);
    EXPECT_EQ(Status::ok().to_string(), "ok");
}

TEST(Status, a_failure_names_its_kind_and_the_thing) {
    // no row: what every room's errors rest on
    const Status status = Status::not_found("no class \"{}\"", "Crat");
    EXPECT_FALSE(status);
    EXPECT_EQ(status.code(), StatusCode::NotFound);
    EXPECT_EQ(status.text(), "no class \"Crat\"");
    EXPECT_EQ(status.to_string(), "not found: no class \"Crat\"");
    EXPECT_EQ(Status::invalid("{}", 1).code(), StatusCode::InvalidArgument);
    EXPECT_EQ(Status::exists("{}", 1).code(), StatusCode::AlreadyExists);
    EXPECT_EQ(Status::refused("{}", 1).code(), StatusCode::Refused);
    EXPECT_EQ(Status::capacity("{}", 1).code(), StatusCode::Capacity);
    EXPECT_EQ(Status::failed("{}", 1).code(), StatusCode::Failed);
}

TEST(Status, every_code_has_a_word_of_its_own) {
    // no row: what every room's errors rest on
    std::set<std::string_view> words;
    const auto last = static_cast<unsigned char>(StatusCode::Failed);
    for (unsigned char code = 0; code <= last; ++code) words.insert(to_string(static_cast<StatusCode>(code)));
    EXPECT_EQ(words.size(), last + 1u);
    EXPECT_FALSE(words.contains("unknown"));
}

TEST(Status, copies_share_the_text) {
    // no row: what every room's errors rest on
    const Status status = Status::failed("a text long enough not to fit into a short string");
    const std::size_t before = allocations();
    const Status copy = status;
    EXPECT_EQ(allocations(), before);
    EXPECT_EQ(copy.text().data(), status.text().data());
}

// Not inlined: g++ 12 then sees a variant's other member and warns.
[[gnu::noinline]] Result<int> half(int number) {
    if (number % 2 != 0) return Status::refused("{} is odd", number);
    return number / 2;
}

TEST(Result, it_is_a_value_or_the_reason_why_there_is_none) {
    // no row: what every room's errors rest on
    Result<int> four = half(8);
    EXPECT_TRUE(four);
    EXPECT_EQ(*four, 4);
    EXPECT_TRUE(four.status().is_ok());
    *four = 5;
    EXPECT_EQ(std::move(four).value_or(1), 5);

    Result<int> nothing = half(7);
    EXPECT_FALSE(nothing);
    EXPECT_EQ(nothing.status().code(), StatusCode::Refused);
    EXPECT_EQ(std::move(nothing).value_or(1), 1);
}

TEST(Result, a_move_only_value_can_be_taken_out) {
    // no row: what every room's errors rest on
    Result<std::unique_ptr<int>> result = std::make_unique<int>(3);
    EXPECT_EQ(**result, 3);
    const std::unique_ptr<int> taken = *std::move(result);
    EXPECT_EQ(*taken, 3);
    Result<std::string> text = std::string("abc");
    EXPECT_EQ(text->size(), 3u);
}

TEST(ResultDeathTest, taking_a_value_that_is_not_there_stops_with_advice) {
    // no row: what every room's errors rest on
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    Result<int> nothing = half(7);
    EXPECT_DEATH(nothing.value(), "status_test.cpp:[0-9]+: .*\n.*" + nothing.status().text())
        << "where it was taken, and why";
    EXPECT_DEATH(static_cast<void>(Result<int>{Status::ok()}), "needs a Status that says why");
}

}  // namespace status_test
}  // namespace lyre
