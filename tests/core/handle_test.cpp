#include "lyre/core/handle.h"

#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace lyre {
namespace handle_test {

struct Crate;
using CrateId = Handle<Crate>;

TEST(Handle, zero_is_none_and_everything_else_is_printed_with_its_generation) {
    // W-15
    EXPECT_TRUE(CrateId().is_none());
    EXPECT_FALSE(CrateId());
    const CrateId id{7, 3};
    EXPECT_TRUE(id);
    EXPECT_TRUE((CrateId{0, 1}));
    EXPECT_EQ(sizeof id, 8u);
    EXPECT_EQ(fmt::format("{}", id), "#7.3");
    EXPECT_EQ(id.bits(), 0x0000'0003'0000'0007u);
    EXPECT_EQ(CrateId::from_bits(id.bits()), id);
}

TEST(Handle, equal_handles_hash_alike_and_generations_tell_them_apart) {
    // W-15
    std::unordered_set<CrateId> set;
    for (std::uint32_t index = 0; index < 100; ++index)
        for (std::uint32_t generation = 0; generation < 10; ++generation) set.insert({index, generation});
    EXPECT_EQ(set.size(), 1000u);
    EXPECT_TRUE(set.contains({99, 9}));
    EXPECT_FALSE(set.contains({99, 10}));
}

TEST(HandleTable, an_id_finds_nothing_once_the_thing_is_gone_also_when_its_index_is_used_again) {
    // W-15, W-16
    HandleTable<int> table;
    const auto first = table.add(10);
    EXPECT_TRUE(first);
    EXPECT_EQ(*table.find(first), 10);
    EXPECT_TRUE(table.remove(first));
    EXPECT_FALSE(table.remove(first));
    EXPECT_EQ(table.find(first), nullptr);
    const auto second = table.add(20);
    EXPECT_EQ(second.index, first.index);
    EXPECT_NE(second, first);
    EXPECT_EQ(table.find(first), nullptr);
    EXPECT_EQ(*table.find(second), 20);
    EXPECT_FALSE(table.remove(first));
    EXPECT_EQ(table.count(), 1u);
}

TEST(HandleTable, none_and_ids_of_nowhere_find_nothing) {
    // W-15
    HandleTable<int> table;
    EXPECT_EQ(table.find({}), nullptr);
    EXPECT_FALSE(table.remove({}));
    const auto id = table.add(1);
    EXPECT_EQ(id.index, 1u);
    EXPECT_EQ(table.find({}), nullptr);
    EXPECT_EQ(table.find({0, 1}), nullptr);
    EXPECT_EQ(table.find({2, 1}), nullptr);
    EXPECT_EQ(table.find({0xFFFFFFFFu, 1}), nullptr);
    EXPECT_EQ(table.find({1, 2}), nullptr);
}

TEST(HandleTable, the_index_freed_longest_ago_is_used_next) {
    // W-15
    HandleTable<int> table;
    std::vector<Handle<int>> ids;
    for (int i = 0; i < 4; ++i) ids.push_back(table.add(i));
    table.remove(ids[2]);
    table.remove(ids[0]);
    EXPECT_EQ(table.add(5).index, ids[2].index);
    EXPECT_EQ(table.add(6).index, ids[0].index);
    EXPECT_EQ(table.add(7).index, 5u);
}

TEST(HandleTable, each_visits_in_index_order_and_may_remove_what_it_is_given) {
    // W-15
    HandleTable<std::unique_ptr<int>> table;
    for (int i = 1; i <= 5; ++i) table.add(std::make_unique<int>(i));
    std::vector<int> seen;
    table.each([&](auto id, std::unique_ptr<int>& value) {
        seen.push_back(*value);
        if (*value % 2 == 0) table.remove(id);
    });
    EXPECT_EQ(seen, (std::vector{1, 2, 3, 4, 5}));
    EXPECT_EQ(table.count(), 3u);
}

TEST(HandleTable, random_adding_and_removing_agrees_with_a_map_that_never_forgets) {
    // W-15, W-16
    HandleTable<int> table;
    std::unordered_map<Handle<int>, int> alive;
    std::vector<Handle<int>> all;
    std::mt19937 random(1);
    for (int step = 0; step < 20000; ++step) {
        if (random() % 2 == 0) {
            const auto id = table.add(step);
            EXPECT_TRUE(alive.emplace(id, step).second);
            all.push_back(id);
        } else if (!all.empty()) {
            const auto id = all[random() % all.size()];
            EXPECT_EQ(table.remove(id), alive.erase(id) == 1);
        }
    }
    EXPECT_EQ(table.count(), alive.size());
    for (const auto id : all) {
        const auto expected = alive.find(id);
        const int* found = table.find(id);
        ASSERT_EQ(found != nullptr, expected != alive.end());
        EXPECT_TRUE(found == nullptr || *found == expected->second);
    }
}

}  // namespace handle_test
}  // namespace lyre
