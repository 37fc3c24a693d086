#include "lyre/core/owner.h"

#include <gtest/gtest.h>
#include <thread>

#include "lyre/core/console.h"
#include "lyre/core/metrics.h"
#include "lyre/core/tags.h"
#include "lyre/core/type_registry.h"

namespace lyre {
namespace owner_test {

const Owner kTag = Owner::feature(Name("tag"), 1);
const Owner kOther = Owner::feature(Name("other"), 2);

struct Coin {
    int value = 0;
    static void describe(TypeBuilder<Coin>& t) { t.property("value", &Coin::value); }
};
struct Purse {
    int size = 0;
    static void describe(TypeBuilder<Purse>& t) { t.property("size", &Purse::size); }
};

TEST(Registrations, are_numbered_in_one_row_on_all_threads) {
    // W-33
    const std::uint64_t first = next_registration();
    EXPECT_GE(first, 1u);
    std::vector<std::uint64_t> there(1000), here(1000);
    std::thread other([&] {
        for (auto& number : there) number = next_registration();
    });
    for (auto& number : here) number = next_registration();
    other.join();
    there.insert(there.end(), here.begin(), here.end());
    std::sort(there.begin(), there.end());
    EXPECT_EQ(std::unique(there.begin(), there.end()), there.end());
    EXPECT_GT(there.front(), first);
    EXPECT_GT(next_registration(), there.back());
}

TEST(Registrations, of_different_kinds_are_listed_by_owner_and_tell_which_came_first) {
    // W-33, F-72
    TypeRegistry types;
    TagTable tags;
    Variables variables;
    Console console(variables);
    Metrics metrics;
    std::vector<CommandHold> holds;
    {
        const OwnerScope as(kTag);
        ASSERT_TRUE(types.add<Purse>().is_ok());
        ASSERT_TRUE(metrics.add_counter("z.first", "").is_ok());
        ASSERT_TRUE(tags.declare("Z.First").is_ok());
        ASSERT_TRUE(variables.add<bool>({.name = "tag.Fast", .default_value = true}).is_ok());
        holds.push_back(*console.add_command({.name = "tag"}, [](CommandArguments) { return CommandResult(); }));
        ASSERT_TRUE(tags.declare("A.Second").is_ok());
        ASSERT_TRUE(metrics.add_gauge("a.second", "").is_ok());
        ASSERT_TRUE(types.add<Coin>().is_ok());
        const OwnerScope other(kOther);
        ASSERT_TRUE(tags.declare("A.Second").is_ok());
        ASSERT_TRUE(metrics.add_counter("z.first", "").is_ok());
    }
    const auto declared = tags.declarations(kTag);
    ASSERT_EQ(declared.size(), 2u);
    EXPECT_EQ(declared[0].tag.text(), "Z.First");
    EXPECT_EQ(declared[1].tag.text(), "A.Second");
    const auto numbers = metrics.list(kTag);
    ASSERT_EQ(numbers.size(), 2u);
    EXPECT_EQ(numbers[0].name, Name("z.first"));
    EXPECT_EQ(numbers[1].kind, MetricKind::Gauge);
    const auto settings = variables.list(kTag);
    const auto commands = console.commands(kTag);
    ASSERT_EQ(settings.size() + commands.size(), 2u);
    const std::vector<std::uint64_t> row{types.find<Purse>()->registered, numbers[0].registered,
                                         declared[0].registered,          settings[0].registered,
                                         commands[0].registered,          declared[1].registered,
                                         numbers[1].registered,           types.find<Coin>()->registered};
    EXPECT_TRUE(std::is_sorted(row.begin(), row.end()));
    EXPECT_EQ(std::adjacent_find(row.begin(), row.end()), row.end());
    ASSERT_EQ(tags.declarations(kOther).size(), 1u);
    EXPECT_GT(tags.declarations(kOther)[0].registered, row.back());
}

TEST(Registrations, of_tags_keep_their_number_when_taking_them_back_is_refused) {
    // W-33, F-72
    TagTable tags;
    {
        const OwnerScope as(kTag);
        ASSERT_TRUE(tags.declare("Team.Red").is_ok());
        ASSERT_TRUE(tags.declare("Team.Blue").is_ok());
        const OwnerScope other(kOther);
        ASSERT_TRUE(tags.declare("Team.Red").is_ok());
    }
    const auto before = tags.declarations(kTag);
    TagUse use;
    {
        const OwnerScope other(kOther);
        use = tags.use(*tags.find("Team.Blue"), "a map");
    }
    EXPECT_EQ(tags.undeclare_all(kTag).code(), StatusCode::Refused);
    const auto after = tags.declarations(kTag);
    ASSERT_EQ(after.size(), 2u);
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(after[i].tag, before[i].tag);
        EXPECT_EQ(after[i].registered, before[i].registered);
    }
    EXPECT_EQ(tags.declarers(*tags.find("Team.Red")), (std::vector<Owner>{kTag, kOther})) << "in order of declaring";
    use = {};
    EXPECT_TRUE(tags.undeclare_all(kTag).is_ok());
    EXPECT_TRUE(tags.declarations(kTag).empty());
}

}  // namespace owner_test
}  // namespace lyre
