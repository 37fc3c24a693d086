#include "lyre/core/name.h"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <unordered_set>
#include <vector>

#include "lyre/core/hash.h"

#include "tests/allocations.h"

namespace lyre {
namespace name_test {

TEST(Name, the_same_text_is_the_same_name_and_case_matters) {
    // W-01
    const std::string text = "name_test.same";
    EXPECT_EQ(Name(text), Name("name_test.same"));
    EXPECT_NE(Name("name_test.same"), Name("name_test.Same"));
    EXPECT_EQ(Name(text).text(), text);
    EXPECT_EQ(sizeof(Name), 4u);
    EXPECT_EQ(fmt::format("[{}]", Name(text)), "[name_test.same]");
}

TEST(Name, the_empty_name_is_none) {
    // W-01
    EXPECT_TRUE(Name().is_none());
    EXPECT_TRUE(Name("").is_none());
    EXPECT_FALSE(Name(""));
    EXPECT_EQ(Name(), Name(""));
    EXPECT_EQ(Name().text(), "");
    EXPECT_EQ(fmt::format("{}", Name()), "");
    EXPECT_TRUE(Name("name_test.some"));
}

TEST(Name, asking_for_an_unknown_text_adds_nothing) {
    // W-01
    const std::uint32_t before = Name::count();
    EXPECT_TRUE(Name::find("name_test.nobody_interns_this").is_none());
    EXPECT_TRUE(Name::find("").is_none());
    EXPECT_EQ(Name::count(), before);
    const Name added("name_test.found");
    EXPECT_EQ(Name::count(), before + 1);
    EXPECT_EQ(Name::find("name_test.found"), added);
}

TEST(Name, text_may_be_as_long_as_the_bound_and_no_longer) {
    // W-01
    const std::string longest(Name::kMaxLength, 'n');
    EXPECT_EQ(Name(longest).text(), longest);
    EXPECT_TRUE(Name(longest + 'n').is_none());
    EXPECT_TRUE(Name::find(longest + 'n').is_none());
    const std::string with_zero("a\0b", 3);
    EXPECT_EQ(Name(with_zero).text(), with_zero);
    EXPECT_NE(Name(with_zero), Name("a"));
}

TEST(Name, the_hash_is_that_of_the_text_and_so_equal_in_every_run) {
    // W-01, W-09
    EXPECT_EQ(Name("Status.Burning").hash(), 0x20F1D4F999487571ull);
    EXPECT_EQ(Name("name_test.hash").hash(), hash64("name_test.hash"));
}

TEST(Name, names_are_ordered_by_text_not_by_age) {
    // W-01
    const Name z("name_test.z"), a("name_test.a"), m("name_test.m");
    std::vector<Name> names = {z, a, m};
    std::sort(names.begin(), names.end());
    EXPECT_EQ(names, (std::vector{a, m, z}));
    EXPECT_LT(Name(), a);
}

TEST(Name, a_million_lookups_give_the_same_names_without_allocating) {
    // W-01
    std::vector<std::string> texts;
    std::vector<Name> names;
    for (int i = 0; i < 10000; ++i) {  // more than two blocks of the table
        texts.push_back(fmt::format("name_test.million.{}", i));
        names.emplace_back(texts.back());
    }
    EXPECT_EQ((std::unordered_set<Name>(names.begin(), names.end())).size(), names.size());
    const std::uint32_t count = Name::count();
    const std::size_t before = allocations();
    std::size_t wrong = 0;
    for (int i = 0; i < 1'000'000; ++i) {
        const std::size_t at = static_cast<std::size_t>(i) * 7919 % texts.size();
        const Name name(texts[at]);
        wrong += name != names[at] || name.text() != texts[at];
    }
    EXPECT_EQ(wrong, 0u);
    EXPECT_EQ(allocations(), before);
    EXPECT_EQ(Name::count(), count);
}

TEST(Name, threads_that_intern_the_same_texts_at_once_agree) {
    // W-01
    constexpr int kTexts = 5000;
    std::vector<std::vector<Name>> made(4);
    std::vector<std::thread> threads;
    for (auto& names : made)
        threads.emplace_back([&names] {
            for (int i = 0; i < kTexts; ++i) {
                names.emplace_back(fmt::format("name_test.threads.{}", i));
                if (names.back().text().empty()) return;
            }
        });
    for (auto& thread : threads) thread.join();
    for (const auto& names : made) EXPECT_EQ(names, made[0]);
    EXPECT_EQ((std::unordered_set<Name>(made[0].begin(), made[0].end())).size(), std::size_t{kTexts});
}

}  // namespace name_test
}  // namespace lyre
