#include "lyre/assets/bundles.h"

#include "lyre/assets/load_codes.h"

#include "tests/assets/small_source.h"

namespace lyre::assets {
namespace bundles_test {

struct Scoreboard {
    static void describe(TypeBuilder<Scoreboard>&) {}
};

TEST(Bundles, a_table_keeps_each_entry_once_and_in_order) {
    // C-04
    BundleTable table;
    EXPECT_TRUE(table.add_asset(Name("Client"), id("icon:flag")).is_ok());
    EXPECT_TRUE(table.add_asset(Name("Client"), id("icon:ball")).is_ok());
    EXPECT_TRUE(table.add_asset(Name("Client"), id("icon:flag")).is_ok());
    EXPECT_TRUE(table.add_class(Name("Client"), Name("Scoreboard")).is_ok());
    EXPECT_TRUE(table.add_asset({}, id("mesh:crate")).is_ok());
    EXPECT_EQ(table.to_string(), "always: mesh:crate\nClient: class Scoreboard, icon:ball, icon:flag\n");
    EXPECT_EQ(table.entries(Name("Client")).size(), 3u);
    EXPECT_TRUE(table.entries(Name("Server")).empty());
    EXPECT_TRUE(table.refused().is_ok());
}

TEST(Bundles, a_table_has_bounds_and_remembers_the_first_refusal) {
    // C-04
    BundleTable table;
    EXPECT_EQ(table.add_asset(Name("Client"), {}).code(), StatusCode::InvalidArgument);
    EXPECT_EQ(table.add_class(Name("Client"), {}).code(), StatusCode::InvalidArgument);
    EXPECT_EQ(table.refused().text(), "bundle Client: no asset is named");
    for (std::size_t i = 0; i < BundleTable::kMaxBundles; ++i)
        EXPECT_TRUE(table.add_class(Name(fmt::format("Bundle{}", i)), Name("A")).is_ok());
    EXPECT_EQ(table.add_class(Name("Another"), Name("A")).code(), StatusCode::Capacity);
    for (std::size_t i = BundleTable::kMaxBundles; i < BundleTable::kMaxEntries; ++i)
        ASSERT_TRUE(table.add_class(Name("Bundle0"), Name(fmt::format("B{:05}", i))).is_ok());
    EXPECT_EQ(table.add_class(Name("Bundle0"), Name("C")).code(), StatusCode::Capacity);
    EXPECT_TRUE(table.add_class(Name("Bundle0"), Name("A")).is_ok());
}

TEST(Bundles, what_is_annotated_and_what_records_add_make_the_table) {
    // C-04
    SmallHouse house;
    ASSERT_TRUE(house.types.add<Scoreboard>().is_ok());
    house.set("map:a",
              {.needs = {{"icon:x", "Client"}, {"map:b", ""}}, .badge = Badge{.class_name = Name("Scoreboard")}});
    house.set("map:b");
    house.set("icon:x");
    house.open();
    EXPECT_EQ(house.assets->bundle_table(id("map:a")).status().code(), StatusCode::NotFound);
    const LoadHandle handle = house.load({"map:a"}, {"Client"});
    house.frames();
    EXPECT_TRUE(handle.is_complete()) << handle.problems().to_text();
    const auto table = house.assets->bundle_table(id("map:a"));
    ASSERT_TRUE(table.is_ok());
    EXPECT_EQ((*table)->to_string(), "always: map:b\nClient: class Scoreboard, icon:x\n");
}

TEST(Bundles, a_class_that_is_not_registered_fails_the_load_and_names_the_nearest) {
    // C-04, C-11
    SmallHouse house;
    ASSERT_TRUE(house.types.add<Scoreboard>().is_ok());
    house.set("map:a", {.badge = Badge{.class_name = Name("Scorebord")}});
    house.open();
    const LoadHandle server = house.load({"map:a"}, {"Server"});
    const LoadHandle client = house.load({"map:a"}, {"Client"});
    house.frames();
    EXPECT_TRUE(server.is_complete());
    ASSERT_EQ(client.state(), LoadState::Failed);
    EXPECT_EQ(client.problems().all()[0].code, &kClassNotKnown);
    EXPECT_NE(client.problems().all()[0].text.find("\"Scoreboard\"?"), std::string::npos)
        << client.problems().all()[0].text;
}

TEST(Bundles, a_hook_that_throws_fails_its_asset) {
    // C-04, C-11
    SmallHouse house;
    house.set("map:a", {.badge = Badge{.throws = true}});
    house.open();
    const LoadHandle handle = house.load({"map:a"});
    house.frames();
    ASSERT_EQ(handle.state(), LoadState::Failed);
    EXPECT_EQ(handle.problems().all()[0].code, &kBundleDataFailed);
    EXPECT_EQ(handle.problems().all()[0].text, "map:a: add_bundle_data() threw: the badge is bent");
}

TEST(Bundles, only_what_is_asked_for_is_loaded_and_bundles_reach_one_asset_far) {
    // C-05
    SmallHouse house;
    house.set("map:a", {.needs = {{"map:b", "Client"}, {"map:c", "Server"}}});
    house.set("map:b", {.needs = {{"icon:x", "Client"}, {"icon:y", ""}}});
    for (const char* text : {"map:c", "icon:x", "icon:y"}) house.set(text);
    house.open();
    const LoadHandle handle = house.load({"map:a"}, {"Client", "Nobody"});
    house.frames();
    EXPECT_TRUE(handle.is_complete());
    EXPECT_TRUE(house.is_there("map:b") && house.is_there("icon:y"));
    EXPECT_FALSE(house.is_there("map:c") || house.is_there("icon:x"));
}

TEST(Bundles, a_change_keeps_adds_and_removes_per_asset) {
    // C-05
    SmallHouse house;
    house.set("map:a", {.needs = {{"icon:client", "Client"}, {"icon:server", "Server"}, {"icon:worn", "Equipped"}}});
    house.set("map:b", {.needs = {{"icon:client", "Client"}}});
    for (const char* text : {"icon:client", "icon:server", "icon:worn"}) house.set(text);
    house.open();
    LoadHandle handle = house.load({"map:a", "map:b"}, {"Client", "Server"});
    house.frames();
    const LoadHandle other = house.load({"map:a"}, {"Server"});
    EXPECT_TRUE(other.is_complete());  // nothing to do
    handle = house.assets->change_bundle_state(ids({"map:a"}), {names({"Equipped"}), names({"Server"})},
                                               Priority::Normal, std::move(handle));
    EXPECT_EQ(handle.state(), LoadState::Pending);
    house.frames();
    EXPECT_TRUE(handle.is_complete());
    EXPECT_TRUE(house.is_there("icon:client") && house.is_there("icon:worn"));
    EXPECT_TRUE(house.is_there("icon:server"));  // the other's
    EXPECT_FALSE(house.is_there("map:b"));       // not among the ids any more
    EXPECT_EQ(house.source->decodes("icon:client"), 1);
    EXPECT_EQ(house.source->decodes("map:a"), 1);
}

TEST(Bundles, a_change_of_a_combined_handle_keeps_what_its_parts_had) {
    // C-05, C-06
    SmallHouse house;
    house.set("map:a", {.needs = {{"icon:x", "Client"}, {"icon:y", "Server"}}});
    house.set("icon:x");
    house.set("icon:y");
    house.open();
    std::vector<LoadHandle> parts;
    parts.push_back(house.load({"map:a"}, {"Client"}));
    parts.push_back(house.load({"map:a"}, {"Server"}));
    LoadHandle handle = house.assets->combine(std::move(parts));
    house.frames();
    handle = house.load({"map:a"}, {}, std::move(handle));
    EXPECT_TRUE(handle.is_complete());
    house.frames();
    EXPECT_TRUE(house.is_there("icon:x") && house.is_there("icon:y"));
    EXPECT_EQ(house.source->decodes(), 3);
}

TEST(Bundles, problems_of_what_a_bundle_names_lead_back_to_the_asset) {
    // C-11
    SmallHouse house;
    house.set("experience:tag", {.needs = {{"action_set:rules", "Client"}, {"icon:none", "Client"}}});
    house.set("action_set:rules", {.needs = {{"icon:flag", ""}}});
    house.set("icon:flag", {.is_broken = true});
    house.open();
    const LoadHandle handle = house.load({"experience:tag"}, {"Client"});
    house.frames();
    ASSERT_EQ(handle.state(), LoadState::Failed);
    ASSERT_EQ(handle.problems().count(), 2u);
    EXPECT_EQ(handle.problems().all()[0].text, "there is no asset icon:none");
    EXPECT_EQ(handle.problems().all()[0].chain, std::vector<std::string>{"experience:tag"});
    const std::vector<std::string> chain{"icon:flag", "action_set:rules", "experience:tag"};
    EXPECT_EQ(handle.problems().all()[1].chain, chain);
    EXPECT_TRUE(house.is_there("experience:tag"));
}

TEST(Bundles, memory_is_known_per_bundle_and_root) {
    // C-16
    SmallHouse house;
    house.set("map:a", {.needs = {{"icon:x", "Client"}, {"icon:y", "Server"}, {"icon:z", ""}}, .bytes = 1});
    house.set("icon:x", {.needs = {{"icon:z", ""}}, .bytes = 10});
    house.set("icon:y", {.bytes = 100});
    house.set("icon:z", {.bytes = 1000});
    house.open();
    const LoadHandle one = house.load({"map:a"}, {"Client", "Server"});
    const LoadHandle two = house.load({"map:a"}, {"Client"});
    house.frames();
    EXPECT_EQ(house.assets->memory().bytes, 1111u);
    EXPECT_EQ(house.assets->memory_of_bundle(Name("Client")).bytes, 1010u);
    EXPECT_EQ(house.assets->memory_of_bundle(Name("Server")).bytes, 100u);
    EXPECT_EQ(house.assets->memory_of_bundle(Name("Equipped")).assets, 0u);
    EXPECT_EQ(house.assets->memory_of_root(Name("made_up")).assets, 4u);
    EXPECT_EQ(house.assets->memory_of_root(Name("other")).assets, 0u);
}

}  // namespace bundles_test
}  // namespace lyre::assets
