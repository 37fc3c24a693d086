#include "tests/assets/small_source.h"

namespace lyre::assets {
namespace store_holds_test {

const Owner kTag = Owner::feature(Name("tag"), 1);
const Owner kOther = Owner::feature(Name("other"), 2);

struct Holds : ::testing::Test {
    SmallHouse house;
    std::shared_ptr<int> witness = std::make_shared<int>(1);

    void SetUp() override {
        for (const char* text : {"map:a", "map:b", "map:c", "map:d"}) house.set(text);
        house.set("map:yard", {.needs = {{"map:gate", ""}, {"map:hud", "Client"}}});
        house.set("map:gate", {.needs = {{"map:hinge", ""}}});
        house.set("map:hinge");
        house.set("map:hud");
        house.open();
    }
    template <class Make> LoadHandle as(const Owner& owner, Make make) {
        const OwnerScope scope(owner);
        return make();
    }
    LoadHandle load_as(const Owner& owner, std::initializer_list<std::string_view> texts) {
        return as(owner, [&] { return house.load(texts); });
    }
    std::string texts(const Owner& owner) {
        std::string text;
        for (const AssetHoldInfo& one : house.assets->holds_of(owner))
            text += fmt::format("{}{}{}", text.empty() ? "" : "; ", one.text, one.is_over ? "" : " (loading)");
        return text;
    }
};

TEST_F(Holds, of_one_owner_are_listed_oldest_first) {
    // F-72, F-73, W-33
    const LoadHandle mine = house.load({"map:a"});
    const LoadHandle first = load_as(kTag, {"map:a", "map:b", "map:c", "map:d"});
    house.frames();
    const LoadHandle second = load_as(kTag, {"map:gone"});
    const LoadHandle third = load_as(kTag, {"map:yard"});
    const LoadHandle nothing = load_as(kTag, {});
    EXPECT_EQ(texts(kTag), "map:a, map:b and 2 more; map:gone; map:yard (loading)");
    EXPECT_EQ(texts(Owner::process()), "map:a");
    EXPECT_EQ(texts(kOther), "");
    const auto listed = house.assets->holds_of(kTag);
    EXPECT_LT(listed[0].registered, listed[1].registered);
    EXPECT_LT(listed[1].registered, listed[2].registered);
}

TEST_F(Holds, that_are_taken_back_are_cancelled_and_hold_nothing) {
    // F-74
    LoadHandle complete = load_as(kTag, {"map:a"});
    house.frames();
    LoadHandle loading = load_as(kTag, {"map:yard"});
    LoadHandle others = load_as(kOther, {"map:b"});
    int calls = 0;
    loading.on_over([&calls, held = witness](LoadState) { ++calls; });
    auto listed = house.assets->holds_of(kTag);
    ASSERT_EQ(listed.size(), 2u);
    for (auto one = listed.rbegin(); one != listed.rend(); ++one) {
        EXPECT_TRUE(house.assets->release_hold(one->registered)) << one->text;
        EXPECT_FALSE(house.assets->release_hold(one->registered)) << one->text;
    }
    EXPECT_EQ(witness.use_count(), 1) << "callbacks are dropped at once";
    EXPECT_EQ(complete.state(), LoadState::Cancelled);
    EXPECT_EQ(loading.status().code(), StatusCode::Cancelled);
    house.frames();
    EXPECT_EQ(calls, 0);
    EXPECT_FALSE(house.is_there("map:a"));
    EXPECT_FALSE(house.is_there("map:yard"));
    EXPECT_TRUE(others.is_complete());
    EXPECT_EQ(Thing::alive, 1);
    EXPECT_EQ(texts(kTag), "");
    EXPECT_FALSE(house.assets->release_hold(0));
    int late = 0;
    loading.on_over([&late](LoadState state) { late += state == LoadState::Cancelled ? 1 : 0; });
    EXPECT_EQ(late, 1) << "it is over";
}

TEST_F(Holds, of_a_combined_handle_are_one_and_parts_of_others_count_for_those) {
    // F-72, F-74
    std::vector<LoadHandle> parts;
    parts.push_back(load_as(kTag, {"map:a"}));
    parts.push_back(load_as(kOther, {"map:b"}));
    LoadHandle whole = as(kTag, [&] { return house.assets->combine(std::move(parts)); });
    EXPECT_EQ(texts(kTag), "map:a, map:b (loading)");
    EXPECT_EQ(texts(kOther), "map:b (loading)");
    EXPECT_TRUE(house.assets->release_hold(house.assets->holds_of(kOther).front().registered));
    house.frames();
    EXPECT_EQ(whole.state(), LoadState::Failed);
    EXPECT_EQ(whole.problems().all().front().text, "loading map:b was cancelled");
    EXPECT_TRUE(house.is_there("map:a"));
    EXPECT_TRUE(house.assets->release_hold(house.assets->holds_of(kTag).front().registered));
    EXPECT_EQ(whole.state(), LoadState::Cancelled);
    house.assets->collect();
    EXPECT_EQ(Thing::alive, 0);
    EXPECT_EQ(texts(kTag) + texts(kOther), "");
}

TEST_F(Holds, have_callbacks_of_other_owners_that_can_be_taken_back_alone) {
    // F-72, F-74
    LoadHandle mine = house.load({"map:a"});
    int mine_called = 0, theirs = 0;
    mine.on_over([&](LoadState) { ++mine_called; });
    {
        const OwnerScope as(kTag);
        mine.on_over([&theirs, held = witness](LoadState) { ++theirs; });
    }
    EXPECT_EQ(texts(kTag), "callback on map:a (loading)");
    EXPECT_TRUE(house.assets->release_hold(house.assets->holds_of(kTag).front().registered));
    EXPECT_EQ(witness.use_count(), 1);
    house.frames();
    EXPECT_EQ(mine_called, 1);
    EXPECT_EQ(theirs, 0);
    EXPECT_TRUE(mine.is_complete());
}

TEST_F(Holds, may_be_taken_back_inside_a_callback) {
    // F-70, F-74
    LoadHandle first = load_as(kTag, {"map:a"}), second = load_as(kTag, {"map:yard"});
    int calls = 0;
    for (LoadHandle* handle : {&first, &second})
        handle->on_over([&, held = witness](LoadState) {
            ++calls;
            for (const AssetHoldInfo& one : house.assets->holds_of(kTag))
                EXPECT_TRUE(house.assets->release_hold(one.registered));
            EXPECT_EQ(*held, 1);
        });
    house.frames();
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(witness.use_count(), 1);
    EXPECT_EQ(first.state(), LoadState::Cancelled);
    EXPECT_EQ(second.state(), LoadState::Cancelled);
    EXPECT_EQ(Thing::alive, 0);
}

TEST_F(Holds, collect_frees_at_once_what_nobody_holds) {
    // F-26
    LoadHandle handle = house.load({"map:yard"}, {"Client"});
    house.frames();
    EXPECT_EQ(Thing::alive, 4);
    EXPECT_EQ(house.assets->loaded_of_root(Name("made_up")), ids({"map:gate", "map:hinge", "map:hud", "map:yard"}));
    EXPECT_TRUE(house.assets->loaded_of_root(Name("other")).empty());
    house.assets->collect();
    EXPECT_EQ(Thing::alive, 4);
    handle.reset();
    house.assets->collect();
    EXPECT_EQ(Thing::alive, 0);
    EXPECT_TRUE(house.assets->loaded_of_root(Name("made_up")).empty());
    LoadHandle again = house.load({"map:a"});
    again.on_over([&](LoadState) { EXPECT_DEATH(house.assets->collect(), "after the pump"); });
    house.frames();
}

TEST_F(Holds, of_holders_are_told_up_to_an_owner) {
    // X-105, F-26
    const LoadHandle first = load_as(kTag, {"map:yard"});
    const LoadHandle second = house.load({"map:yard"}, {"Client"});
    house.frames();
    using Chains = std::vector<std::vector<std::string>>;
    EXPECT_EQ(house.assets->holder_chains(id("map:hinge")),
              (Chains{{"map:gate", "map:yard", "feature tag"}, {"map:gate", "map:yard", "process"}}));
    EXPECT_EQ(house.assets->holder_chains(id("map:hud")), (Chains{{"process, for bundle Client of map:yard"}}));
    EXPECT_EQ(house.assets->holder_chains(id("map:a")), Chains());
}

TEST(HolderChains, are_bounded_in_number_and_length) {
    //
    SmallHouse house;
    const std::size_t many = Assets::kMaxChains + 4, deep = Assets::kMaxDepth + 4;
    house.set("map:wide");
    house.set("map:deep0");
    std::vector<PrimaryAssetId> all;
    for (std::size_t i = 0; i < many; ++i) {
        house.set(fmt::format("map:user{}", i), {.needs = {{"map:wide", ""}}});
        all.push_back(id(fmt::format("map:user{}", i)));
    }
    for (std::size_t i = 1; i < deep; ++i)
        house.set(fmt::format("map:deep{}", i), {.needs = {{fmt::format("map:deep{}", i - 1), ""}}});
    all.push_back(id(fmt::format("map:deep{}", deep - 1)));
    house.open();
    const LoadHandle handle = house.assets->load_assets(all);
    house.frames(100);
    ASSERT_TRUE(handle.is_complete());
    EXPECT_EQ(house.assets->holder_chains(id("map:wide")).size(), Assets::kMaxChains);
    const auto chains = house.assets->holder_chains(id("map:deep0"));
    ASSERT_EQ(chains.size(), 1u);
    EXPECT_EQ(chains[0].size(), Assets::kMaxDepth);
    EXPECT_EQ(chains[0].back(), "...");
}

TEST(Unwanted, what_a_worker_brings_for_nobody_goes_with_the_next_pump_whatever_its_budget) {
    // F-26, F-71
    for (const bool collects : {false, true}) {
        SmallHouse house({.workers = 64, .min_us = 5000, .max_us = 5000});
        for (int i = 0; i < 20; ++i) house.set(fmt::format("map:m{}", i));
        house.open();
        std::vector<LoadHandle> kept, given_up;
        for (int i = 0; i < 20; ++i) (i % 2 == 0 ? kept : given_up).push_back(house.load({fmt::format("map:m{}", i)}));
        house.frame();  // workers have begun
        given_up.clear();
        house.clock.advance(10'000);
        house.executor.poll();  // all are back, and nobody has looked
        ASSERT_EQ(Thing::alive, 20);
        if (collects)
            house.assets->collect();
        else
            house.assets->pump(0);
        EXPECT_EQ(Thing::alive, 10);
        EXPECT_TRUE(house.assets->loaded_of_root(Name("made_up")).size() <= 1u) << "the others wait for their turn";
        house.frames();
        for (const LoadHandle& handle : kept) EXPECT_TRUE(handle.is_complete());
        EXPECT_EQ(house.assets->memory().assets, 10u);
    }
}

TEST(Unwanted, what_is_asked_for_again_while_a_worker_has_it_is_not_dropped) {
    // F-26
    SmallHouse house({.workers = 4, .min_us = 5000, .max_us = 5000});
    house.set("map:a");
    house.open();
    LoadHandle handle = house.load({"map:a"});
    house.frame();
    handle.reset();
    handle = house.load({"map:a"});
    house.frames();
    EXPECT_TRUE(handle.is_complete());
    EXPECT_EQ(house.source->decodes(), 1);
}

}  // namespace store_holds_test
}  // namespace lyre::assets
