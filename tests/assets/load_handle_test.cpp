#include "lyre/assets/load_handle.h"

#include "lyre/assets/load_codes.h"

#include "tests/assets/small_source.h"

namespace lyre::assets {
namespace load_handle_test {

static_assert(!std::is_copy_constructible_v<LoadHandle> && !std::is_copy_assignable_v<LoadHandle>);
static_assert(std::is_nothrow_move_constructible_v<LoadHandle>);

TEST(LoadHandle, an_empty_one_holds_nothing_and_is_complete) {
    // C-07
    LoadHandle none;
    EXPECT_EQ(none.state(), LoadState::Complete);
    EXPECT_EQ(none.progress(), 1);
    EXPECT_EQ(none.bytes().of, 0u);
    EXPECT_TRUE(none.status().is_ok());
    int calls = 0;
    none.on_over([&](LoadState state) { calls += state == LoadState::Complete; });
    EXPECT_EQ(calls, 1);
    none.cancel();
    none.set_priority(Priority::High);
    EXPECT_TRUE(none.is_complete());
    EXPECT_TRUE(none.waiting_for().empty());
}

TEST(LoadHandle, goes_from_pending_over_loading_to_complete) {
    // C-07
    SmallHouse house({.workers = 1, .min_us = 5000, .max_us = 5000});
    house.set("map:a");
    house.set("map:b");
    house.open();
    const LoadHandle handle = house.load({"map:a", "map:b"});
    EXPECT_EQ(handle.state(), LoadState::Pending);
    EXPECT_EQ(handle.status().code(), StatusCode::Refused);
    house.frames(7);
    EXPECT_EQ(handle.state(), LoadState::Loading);
    EXPECT_TRUE(house.is_there("map:a"));
    EXPECT_FLOAT_EQ(handle.progress(), 0.5f);
    house.frames(7);
    EXPECT_EQ(handle.state(), LoadState::Complete);
    EXPECT_TRUE(handle.status().is_ok());
    EXPECT_EQ(handle.progress(), 1);
    EXPECT_NE(house.find("map:b"), nullptr);
}

TEST(LoadHandle, fails_with_all_that_is_wrong_and_holds_the_rest) {
    // C-07, C-11
    SmallHouse house;
    house.set("map:a", {.is_broken = true});
    house.set("map:b");
    house.set("map:c", {.throws = true});
    house.open();
    const LoadHandle handle = house.load({"map:a", "map:b", "map:c", "map:d"});
    house.frames();
    EXPECT_EQ(handle.state(), LoadState::Failed);
    ASSERT_EQ(handle.problems().count(), 3u);
    EXPECT_EQ(handle.problems().all()[0].code, &kAssetNotKnown);
    EXPECT_EQ(handle.problems().all()[0].text, "there is no asset map:d");
    EXPECT_EQ(handle.problems().all()[1].text, "map:a is broken");
    EXPECT_EQ(handle.problems().all()[2].code, &kDecodeThrew);
    EXPECT_FALSE(handle.status().is_ok());
    EXPECT_TRUE(house.is_there("map:b"));
    EXPECT_EQ(house.state("map:a"), AssetState::Failed);
    EXPECT_LT(handle.progress(), 1);
}

TEST(LoadHandle, an_unknown_asset_fails_at_once_and_the_nearest_is_named) {
    // C-11
    SmallHouse house;
    house.set("map:yard");
    house.open();
    const LoadHandle handle = house.load({"map:yrad"});
    ASSERT_EQ(handle.state(), LoadState::Failed);
    EXPECT_EQ(handle.problems().all()[0].hint, "did you mean \"map:yard\"?");
}

TEST(LoadHandle, a_cancelled_one_holds_nothing_and_never_looks_like_success) {
    // C-07
    SmallHouse house;
    house.set("map:a");
    house.open();
    LoadHandle handle = house.load({"map:a"});
    LoadState told = LoadState::Pending;
    handle.on_over([&](LoadState state) { told = state; });
    handle.cancel();
    EXPECT_EQ(handle.state(), LoadState::Cancelled);
    EXPECT_EQ(told, LoadState::Pending);  // callbacks run in a pump
    EXPECT_EQ(house.executor.waiting(), 0u);
    house.frames();
    EXPECT_EQ(told, LoadState::Cancelled);
    EXPECT_EQ(handle.status().code(), StatusCode::Cancelled);
    EXPECT_LT(handle.progress(), 1);
    EXPECT_EQ(house.source->decodes(), 0);
    EXPECT_EQ(house.state("map:a"), AssetState::Absent);
}

TEST(LoadHandle, a_complete_one_is_not_cancelled) {
    // C-07
    SmallHouse house;
    house.set("map:a");
    house.open();
    LoadHandle handle = house.load({"map:a"});
    house.frames();
    handle.cancel();
    EXPECT_TRUE(handle.is_complete());
    house.frames();
    EXPECT_TRUE(house.is_there("map:a"));
}

TEST(LoadHandle, a_dropped_one_takes_back_what_nobody_else_wants) {
    // C-07
    SmallHouse house({.workers = 1, .min_us = 5000, .max_us = 5000});
    house.set("map:a");
    house.set("map:b");
    house.set("map:c");
    house.open();
    LoadHandle first = house.load({"map:a", "map:b", "map:c"});
    const LoadHandle second = house.load({"map:c"});
    house.frame();  // a worker has begun map:a
    first.reset();
    EXPECT_EQ(house.state("map:b"), AssetState::Absent);
    EXPECT_EQ(house.executor.waiting(), 1u);
    house.frames();
    EXPECT_TRUE(second.is_complete());
    EXPECT_EQ(house.source->decodes("map:b"), 0);
    EXPECT_EQ(house.state("map:a"), AssetState::Absent);
    EXPECT_EQ(house.assets->memory().assets, 1u);
}

TEST(LoadHandle, what_a_worker_still_decodes_is_taken_up_again) {
    // C-07
    SmallHouse house({.workers = 1, .min_us = 5000, .max_us = 5000});
    house.set("map:a");
    house.open();
    LoadHandle handle = house.load({"map:a"});
    house.frames(2);
    handle.reset();
    EXPECT_EQ(house.state("map:a"), AssetState::Absent);
    handle = house.load({"map:a"});
    house.frames();
    EXPECT_TRUE(handle.is_complete());
    EXPECT_EQ(house.source->decodes(), 1);
}

TEST(LoadHandle, a_failed_asset_is_tried_again_when_all_who_asked_have_let_go) {
    // C-07
    SmallHouse house;
    house.set("map:a", {.needs = {{"map:b", ""}}});
    house.set("map:b", {.is_broken = true});
    house.open();
    LoadHandle first = house.load({"map:a"});
    house.frames();
    house.set("map:b");
    LoadHandle second = house.load({"map:a"});
    EXPECT_EQ(second.state(), LoadState::Failed);  // the first still holds the failure
    second.reset();
    first = house.load({"map:a"}, {}, std::move(first));
    house.frames();
    EXPECT_TRUE(first.is_complete());
}

TEST(LoadHandle, outlives_its_assets) {
    // C-07
    SmallHouse house;
    house.set("map:a");
    house.set("map:b");
    house.open();
    LoadHandle complete = house.load({"map:a"});
    house.frames();
    LoadHandle waiting = house.load({"map:b"});
    int calls = 0;
    waiting.on_over([&](LoadState state) { calls += state == LoadState::Cancelled; });
    house.assets.reset();
    EXPECT_EQ(waiting.state(), LoadState::Cancelled);
    EXPECT_EQ(complete.state(), LoadState::Complete);
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(Thing::alive, 0);
    waiting.set_priority(Priority::High);
    waiting.cancel();
    EXPECT_TRUE(waiting.waiting_for().empty());
    house.clock.advance(10'000);
    house.executor.poll();
    EXPECT_EQ(house.source->decodes(), 1);
}

TEST(LoadHandle, callbacks_are_called_once_under_the_owner_that_gave_them_and_not_after_dropping) {
    // C-09
    SmallHouse house;
    house.set("map:a");
    house.open();
    LoadHandle handle = house.load({"map:a"});
    LoadHandle dropped = house.load({"map:a"});
    std::vector<Owner> owners;
    {
        const OwnerScope as(Owner::feature(Name("tag"), 1));
        handle.on_over([&](LoadState) { owners.push_back(Owner::current()); });
        dropped.on_over([](LoadState) { FAIL(); });
    }
    handle.on_over([&](LoadState) { owners.push_back(Owner::current()); });
    dropped.reset();
    house.frames();
    const std::vector<Owner> expected{Owner::feature(Name("tag"), 1), Owner::process()};
    EXPECT_EQ(owners, expected);
    handle.on_over([&](LoadState) { owners.push_back({}); });
    EXPECT_EQ(owners.size(), 3u);
}

TEST(LoadHandle, all_that_an_asset_settles_is_settled_before_the_first_hears_of_it) {
    // C-09
    SmallHouse house;
    house.set("map:a");
    house.open();
    const LoadHandle first = house.load({"map:a"});
    LoadHandle second = house.load({"map:a"});
    bool was_over = false;
    second.on_over([&](LoadState) { was_over = first.is_complete(); });
    LoadHandle third = house.load({"map:a"});
    bool is_later_over = false;
    second.on_over([&](LoadState) { is_later_over = third.is_complete(); });
    house.frames();
    EXPECT_TRUE(was_over && is_later_over);
}

TEST(LoadHandle, a_callback_that_throws_is_reported_and_the_others_are_called) {
    // C-09
    SmallHouse house;
    house.set("map:a");
    house.open();
    LoadHandle handle = house.load({"map:a"});
    int calls = 0;
    handle.on_over([](LoadState) { throw std::runtime_error("oh"); });
    handle.on_over([&](LoadState) { ++calls; });
    house.frames();
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(house.log.count(Name("assets.callback_failed")), 1u);
}

TEST(LoadHandle, combined_ones_complete_after_all_and_add_up_their_progress) {
    // C-06
    SmallHouse house({.workers = 1, .min_us = 5000, .max_us = 5000});
    house.set("map:a", {.bytes = 600});
    house.set("map:b", {.bytes = 300});
    house.set("map:c", {.bytes = 100});
    house.open();
    std::vector<LoadHandle> parts;
    int calls = 0;
    for (const char* text : {"map:a", "map:b", "map:c"}) {
        parts.push_back(house.load({text}));
        parts.back().on_over([&](LoadState) { ++calls; });
    }
    parts.emplace_back();
    LoadHandle whole = house.assets->combine(std::move(parts));
    whole.on_over([&](LoadState) { calls += 10; });
    EXPECT_EQ(whole.state(), LoadState::Pending);
    EXPECT_EQ(whole.waiting_for(2),
              (std::vector<std::string>{"map:a: waiting for a worker", "map:b: waiting for a worker"}));
    house.frames(7);
    EXPECT_EQ(whole.state(), LoadState::Loading);
    EXPECT_FLOAT_EQ(whole.progress(), 0.6f);
    EXPECT_EQ(whole.bytes().done, 600u);
    EXPECT_EQ(whole.bytes().of, 1000u);
    house.frames(5);
    EXPECT_FLOAT_EQ(whole.progress(), 0.9f);
    EXPECT_EQ(calls, 2);
    house.frames(5);
    EXPECT_TRUE(whole.is_complete());
    EXPECT_EQ(calls, 13);
    whole.reset();
    house.frames();
    EXPECT_EQ(house.assets->memory().assets, 0u);
}

TEST(LoadHandle, a_combined_one_fails_if_any_did_and_says_which) {
    // C-06
    SmallHouse house;
    house.set("map:a");
    house.set("map:b", {.is_broken = true});
    house.open();
    std::vector<LoadHandle> parts;
    parts.push_back(house.load({"map:a"}));
    parts.push_back(house.load({"map:b"}));
    parts.push_back(house.load({"map:a"}));
    parts.back().cancel();
    const LoadHandle whole = house.assets->combine(std::move(parts));
    EXPECT_FALSE(whole.is_over());
    house.frames();
    EXPECT_EQ(whole.state(), LoadState::Failed);
    ASSERT_EQ(whole.problems().count(), 2u);
    EXPECT_EQ(whole.problems().all()[0].text, "loading map:a was cancelled");
    EXPECT_EQ(whole.problems().all()[1].text, "map:b is broken");
    EXPECT_TRUE(house.is_there("map:a"));
}

TEST(LoadHandle, a_combined_one_is_over_at_once_if_all_are) {
    // C-06
    SmallHouse house;
    house.set("map:a");
    house.open();
    EXPECT_TRUE(house.assets->combine({}).is_complete());
    std::vector<LoadHandle> parts;
    parts.push_back(house.load({"map:a"}));
    house.frames();
    EXPECT_TRUE(house.assets->combine(std::move(parts)).is_complete());
}

TEST(LoadHandle, cancelling_a_combined_one_cancels_its_parts) {
    // C-06, C-07
    SmallHouse house;
    house.set("map:a");
    house.open();
    std::vector<LoadHandle> parts;
    LoadState told = LoadState::Pending;
    parts.push_back(house.load({"map:a"}));
    parts.back().on_over([&](LoadState state) { told = state; });
    LoadHandle whole = house.assets->combine(std::move(parts));
    whole.cancel();
    house.frames();
    EXPECT_EQ(whole.state(), LoadState::Cancelled);
    EXPECT_EQ(told, LoadState::Cancelled);
    EXPECT_EQ(house.source->decodes(), 0);
}

TEST(LoadHandle, progress_never_goes_back_when_bundles_turn_out_to_name_more) {
    // C-07
    SmallHouse house({.workers = 1, .min_us = 5000, .max_us = 5000});
    house.set("map:z", {.needs = {{"icon:x", "Client"}, {"icon:y", "Client"}}});
    house.set("map:b");
    house.set("icon:x", {.bytes = 1000});
    house.set("icon:y", {.bytes = 0});
    house.open();
    const LoadHandle handle = house.load({"map:b", "map:z"}, {"Client"});
    float before = 0;
    for (int i = 0; i < 40; ++i) {
        house.frame();
        EXPECT_GE(handle.progress(), before);
        EXPECT_EQ(handle.progress() == 1, handle.is_complete());
        before = handle.progress();
    }
    EXPECT_TRUE(handle.is_complete());
}

TEST(LoadHandle, says_what_it_waits_for) {
    // C-07
    SmallHouse house({.workers = 1, .min_us = 5000, .max_us = 5000});
    house.set("map:a", {.needs = {{"map:b", ""}, {"map:c", ""}}});
    house.set("map:b");
    house.set("map:c");
    house.open();
    const LoadHandle handle = house.load({"map:a"});
    EXPECT_EQ(handle.waiting_for(), std::vector<std::string>{"map:a: waiting for a worker"});
    house.frames(7);
    EXPECT_EQ(handle.waiting_for(), std::vector<std::string>{"map:a: needs map:b and 1 more"});
    house.frames(5);
    EXPECT_EQ(handle.waiting_for(), std::vector<std::string>{"map:a: needs map:c"});
}

}  // namespace load_handle_test
}  // namespace lyre::assets
