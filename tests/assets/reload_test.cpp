// Files that change while what was read of them is in use.

#include "tests/assets/small_source.h"

namespace lyre::assets {
namespace reload_test {

// Hears of everything that is read again.
struct Listening {
    explicit Listening(Assets& assets) {
        good = assets.reloaded.add([this](PrimaryAssetId asset) { heard += fmt::format("{} ", asset); });
        bad = assets.reload_failed.add([this](PrimaryAssetId asset, const Problems& problems) {
            heard += fmt::format("({}: {}) ", asset, problems.all().front().text);
        });
    }
    std::string take() { return std::exchange(heard, {}); }
    std::string heard;
    Connection good, bad;
};

void look(SmallHouse& house) {
    house.assets->look_for_changes();
    house.frames(10);
}

TEST(Reload, good_bad_and_good_again) {
    // C-18
    SmallHouse house;
    house.set("map:a");
    house.open();
    const LoadHandle handle = house.load({"map:a"});
    house.frames();
    Listening listening(*house.assets);
    look(house);
    EXPECT_EQ(listening.take(), "");
    EXPECT_EQ(house.source->decodes(), 1);

    house.set("map:a", {.bytes = 7, .version = 2});
    look(house);
    EXPECT_EQ(listening.take(), "map:a ");
    EXPECT_EQ(house.find("map:a")->version, 2);
    EXPECT_EQ(house.assets->memory().bytes, 7u);
    EXPECT_EQ(*house.assets->content_hash(id("map:a")), 2u);

    house.set("map:a", {.is_broken = true, .version = 3});
    look(house);
    EXPECT_EQ(listening.take(), "(map:a: map:a is broken) ");
    EXPECT_EQ(house.log.count(Name("assets.reload_failed")), 1u);
    EXPECT_EQ(house.find("map:a")->version, 2);
    look(house);  // not read again until it changes again
    EXPECT_EQ(listening.take(), "");
    EXPECT_EQ(house.source->decodes(), 3);

    house.set("map:a", {.version = 4});
    look(house);
    EXPECT_EQ(listening.take(), "map:a ");
    EXPECT_EQ(house.find("map:a")->version, 4);
    EXPECT_TRUE(handle.is_complete());
    EXPECT_EQ(Thing::alive, 1);
}

TEST(Reload, a_file_that_is_gone_keeps_what_was_read_and_is_reported_once) {
    // C-18
    SmallHouse house;
    house.set("map:a");
    house.open();
    const LoadHandle handle = house.load({"map:a"});
    house.frames();
    house.source->remove("map:a");
    look(house);
    look(house);
    EXPECT_NE(house.find("map:a"), nullptr);
    EXPECT_EQ(house.log.count(Name("assets.file_gone")), 1u);
    house.set("map:a", {.version = 2});
    look(house);
    EXPECT_EQ(house.find("map:a")->version, 2);
}

TEST(Reload, dependants_are_told_after_it_each_once) {
    // C-18
    SmallHouse house;
    house.set("map:a", {.needs = {{"map:b", ""}, {"icon:x", "Client"}}});
    house.set("map:b", {.needs = {{"map:c", ""}}});
    house.set("map:c");
    house.set("map:d");
    house.set("icon:x");
    house.open();
    const LoadHandle handle = house.load({"map:a", "map:d"}, {"Client"});
    house.frames();
    Listening listening(*house.assets);
    house.set("map:c", {.version = 2});
    look(house);
    EXPECT_EQ(listening.take(), "map:c map:b map:a ");
    house.set("map:c", {.version = 3});
    house.set("icon:x", {.version = 2});
    look(house);
    EXPECT_EQ(listening.take(), "icon:x map:c map:a map:b ");
}

TEST(Reload, a_new_version_comes_with_what_it_needs_and_lets_go_of_what_it_does_not) {
    // C-18
    SmallHouse house({.workers = 1, .min_us = 1500, .max_us = 1500});
    house.set("map:a", {.needs = {{"map:old", ""}, {"icon:old", "Client"}, {"icon:kept", "Client"}}});
    for (const char* text : {"map:old", "icon:old", "icon:kept", "map:new", "icon:new", "icon:server"}) house.set(text);
    house.open();
    const LoadHandle handle = house.load({"map:a"}, {"Client"});
    house.frames();
    const Thing* kept = house.find("icon:kept");
    house.set("map:a",
              {.needs = {{"map:new", ""}, {"icon:new", "Client"}, {"icon:kept", "Client"}, {"icon:server", "Server"}},
               .version = 2});
    house.assets->look_for_changes();
    for (int i = 0; i < 40; ++i) {
        house.frame();
        const bool is_new = house.find("map:a")->version == 2;
        EXPECT_TRUE(house.is_there(is_new ? "map:new" : "map:old"));
        EXPECT_TRUE(house.is_there(is_new ? "icon:new" : "icon:old"));
        EXPECT_TRUE(handle.is_complete());
    }
    EXPECT_EQ(house.find("map:a")->version, 2);
    EXPECT_FALSE(house.is_there("map:old") || house.is_there("icon:old") || house.is_there("icon:server"));
    EXPECT_EQ(house.find("icon:kept"), kept);
    EXPECT_EQ(house.assets->holders(id("icon:new")), std::vector<std::string>{"process"});
    EXPECT_EQ(house.assets->memory().assets, 4u);
}

TEST(Reload, a_version_whose_needs_fail_or_lead_back_to_it_changes_nothing) {
    // C-18
    SmallHouse house;
    house.set("map:a", {.needs = {{"map:b", ""}}});
    house.set("map:b");
    house.set("map:bad", {.is_broken = true});
    house.set("map:x", {.needs = {{"map:a", ""}}});
    house.open();
    LoadHandle handle = house.load({"map:a"});
    house.frames();
    Listening listening(*house.assets);
    house.set("map:b", {.needs = {{"map:a", ""}}, .version = 2});
    look(house);
    EXPECT_EQ(listening.take(), "(map:b: map:a needs itself: map:a -> map:b -> map:a) ");
    house.set("map:b", {.needs = {{"map:bad", ""}}, .version = 3});
    look(house);
    EXPECT_EQ(listening.take(), "(map:b: map:bad is broken) ");
    house.set("map:b", {.needs = {{"map:x", ""}}, .version = 4});  // map:x is loaded for it, and needs it
    look(house);
    EXPECT_NE(listening.take().find("needs itself"), std::string::npos);
    EXPECT_EQ(house.find("map:b")->version, 1);
    EXPECT_EQ(house.assets->memory().assets, 2u);
    handle.reset();
    house.frames();
    EXPECT_EQ(Thing::alive, 0);
}

TEST(Reload, what_a_bundle_names_may_need_the_asset_itself) {
    // C-18
    SmallHouse house;
    ThingDef def{.needs = {{"icon:x", "Client"}}, .badge = Badge{.class_name = Name("Badge")}};
    ASSERT_TRUE(house.types.add<Badge>().is_ok());
    house.set("map:a", def);
    house.set("icon:x", {.needs = {{"map:a", ""}}});
    house.open();
    LoadHandle handle = house.load({"map:a"}, {"Client"});
    house.frames();
    def.version = 2;
    house.set("map:a", def);
    look(house);
    EXPECT_EQ(house.find("map:a")->version, 2);
    handle.reset();
    house.frames();
    EXPECT_EQ(Thing::alive, 0);
}

TEST(Reload, what_is_let_go_while_it_is_read_again_goes) {
    // C-16, C-18
    for (int after = 0; after < 8; ++after) {
        SmallHouse house({.workers = 1, .min_us = 1500, .max_us = 1500});
        house.set("map:a");
        house.set("map:n");
        house.open();
        LoadHandle handle = house.load({"map:a"});
        house.frames();
        house.set("map:a", {.needs = {{"map:n", ""}}, .version = 2});
        house.assets->look_for_changes();
        house.frames(after);
        handle.reset();
        house.frames(after % 3);
        handle = house.load({"map:a"});
        house.frames();
        EXPECT_TRUE(handle.is_complete());
        handle.reset();
        house.frames();
        EXPECT_EQ(Thing::alive, 0) << after;
        EXPECT_EQ(house.state("map:a"), AssetState::Absent);
    }
}

TEST(Reload, a_listener_may_end_the_assets_and_one_that_throws_is_reported) {
    // C-18
    SmallHouse house;
    house.set("map:a", {.needs = {{"map:b", ""}}});
    house.set("map:b");
    house.open();
    const LoadHandle handle = house.load({"map:a"});
    house.frames();
    int calls = 0;
    const Connection throwing = house.assets->reloaded.add([&](PrimaryAssetId) {
        ++calls;
        throw std::runtime_error("oh");
    });
    const Connection second = house.assets->reloaded.add([&](PrimaryAssetId) {
        if (++calls == 4) house.assets.reset();
    });
    house.set("map:b", {.version = 2});
    look(house);
    EXPECT_EQ(calls, 4);
    EXPECT_EQ(house.assets, nullptr);
    EXPECT_EQ(house.log.count(Name("assets.callback_failed")), 1u);
    EXPECT_EQ(Thing::alive, 0);
}

}  // namespace reload_test
}  // namespace lyre::assets
