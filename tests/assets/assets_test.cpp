#include "lyre/assets/assets.h"

#include <set>

#include "lyre/assets/load_codes.h"
#include "lyre/core/random.h"
#include "lyre/core/thread_pool_native.h"

#include "tests/assets/small_source.h"

namespace lyre::assets {
namespace assets_test {

TEST(Assets, an_asset_is_there_with_all_it_always_needs) {
    // C-05
    SmallHouse house({.workers = 1, .min_us = 2000, .max_us = 2000});
    house.set("map:a", {.needs = {{"map:b", ""}, {"map:b", ""}}});
    house.set("map:b", {.needs = {{"map:c", ""}}});
    house.set("map:c");
    house.open();
    const LoadHandle handle = house.load({"map:a"});
    EXPECT_EQ(house.state("map:a"), AssetState::Waiting);
    for (int i = 0; i < 40; ++i) {
        house.frame();
        EXPECT_TRUE(!house.is_there("map:a") || house.is_there("map:b"));
        EXPECT_TRUE(!house.is_there("map:b") || house.is_there("map:c"));
    }
    EXPECT_TRUE(handle.is_complete());
    EXPECT_EQ(house.source->decodes(), 3);
    EXPECT_EQ(house.find("map:a")->version, 1);
    EXPECT_EQ(house.assets->find<int>(id("map:a")), nullptr);
    EXPECT_EQ(*house.assets->content_hash(id("map:a")), 1u);
    EXPECT_EQ(house.assets->content_hash(id("map:x")).status().code(), StatusCode::NotFound);
}

TEST(Assets, assets_that_need_each_other_are_refused_with_the_whole_circle) {
    // C-11
    SmallHouse house;
    house.set("map:a", {.needs = {{"map:b", ""}}});
    house.set("map:b", {.needs = {{"map:c", ""}, {"map:d", ""}}});
    house.set("map:c", {.needs = {{"map:a", ""}}});
    house.set("map:d");
    house.set("map:e", {.needs = {{"map:b", ""}}});
    house.set("map:self", {.needs = {{"map:self", ""}}});
    house.open();
    for (const char* first : {"map:a", "map:b", "map:c"}) {
        const LoadHandle handle = house.load({first});
        house.frames();
        ASSERT_EQ(handle.state(), LoadState::Failed) << first;
        ASSERT_EQ(handle.problems().count(), 1u);
        EXPECT_EQ(handle.problems().all()[0].code, &kCircle);
        EXPECT_EQ(handle.problems().all()[0].text, "map:a needs itself: map:a -> map:b -> map:c -> map:a");
    }
    const LoadHandle outside = house.load({"map:e"});
    const LoadHandle self = house.load({"map:self"});
    house.frames();
    ASSERT_EQ(outside.problems().count(), 1u);
    EXPECT_EQ(outside.problems().all()[0].chain, std::vector<std::string>{"map:e"});
    EXPECT_EQ(self.problems().all()[0].text, "map:self needs itself: map:self -> map:self");
    house.frames();
    EXPECT_EQ(house.assets->memory().assets, 0u);
    EXPECT_EQ(Thing::alive, 0);
}

TEST(Assets, a_problem_that_several_ways_lead_to_is_told_once) {
    // C-11
    SmallHouse house;
    house.set("map:a", {.needs = {{"map:b", ""}, {"map:c", ""}, {"map:gone", ""}}});
    house.set("map:b", {.needs = {{"map:d", ""}}});
    house.set("map:c", {.needs = {{"map:d", ""}}});
    house.set("map:d", {.is_broken = true});
    house.open();
    const LoadHandle handle = house.load({"map:a"});
    house.frames();
    ASSERT_EQ(handle.problems().count(), 2u);
    EXPECT_EQ(handle.problems().all()[0].text, "there is no asset map:gone");
    EXPECT_EQ(handle.problems().all()[0].file, "map:a");
    const std::vector<std::string> chain{"map:d", "map:b", "map:a"};
    EXPECT_EQ(handle.problems().all()[1].chain, chain);
}

TEST(Assets, higher_priorities_go_first_and_what_waits_can_be_raised_with_all_it_needs) {
    // C-08
    SmallHouse house({.workers = 1});
    for (const char* text : {"map:low", "map:low2", "map:normal", "map:high", "map:raised", "map:need2"})
        house.set(text);
    house.set("map:raised", {.needs = {{"map:need", ""}}});
    house.set("map:need");
    house.open();
    LoadHandle raised = house.load({"map:raised"}, Priority::Low);
    house.frame();  // it is back from the worker; what it needs waits
    const LoadHandle preloaded = house.assets->preload(ids({"map:low", "map:low2"}));
    const LoadHandle normal = house.load({"map:normal"});
    const LoadHandle high = house.load({"map:high"}, Priority::High);
    raised.set_priority(Priority::High);
    house.frames();
    const auto expected = ids({"map:raised", "map:need", "map:high", "map:normal", "map:low", "map:low2"});
    EXPECT_EQ(house.source->order(), expected);
}

TEST(Assets, a_second_request_raises_what_the_first_is_waiting_for_and_lowering_works_too) {
    // C-08
    SmallHouse house({.workers = 1});
    for (const char* text : {"map:a", "map:b", "map:c"}) house.set(text);
    house.open();
    const LoadHandle low = house.load({"map:b"}, Priority::Low);
    LoadHandle lowered = house.load({"map:a"}, Priority::High);
    const LoadHandle normal = house.load({"map:c"});
    const LoadHandle high = house.load({"map:b"}, Priority::High);
    lowered.set_priority(Priority::Low);
    house.frames();
    EXPECT_EQ(house.source->order(), ids({"map:b", "map:c", "map:a"}));
}

std::string order_of_callbacks(std::uint64_t seed) {
    SmallHouse house({.workers = 3, .min_us = 100, .max_us = 50'000, .seed = seed});
    for (int i = 0; i < 30; ++i) {
        ThingDef def;
        if (i % 3 == 0)
            def.needs = {{fmt::format("map:m{}", i + 1), ""}, {fmt::format("map:m{}", (i + 2) % 30), "Client"}};
        house.set(fmt::format("map:m{}", i), def);
    }
    house.open();
    std::string order;
    std::vector<LoadHandle> handles;
    for (int i = 0; i < 30; ++i) {
        handles.push_back(house.load({fmt::format("map:m{}", i)}, {"Client"}));
        handles.back().on_over([&order, i](LoadState) { order += fmt::format("{} ", i); });
    }
    house.frames(600);
    return order;
}

TEST(Assets, the_same_seed_gives_the_same_order_of_callbacks) {
    // C-09
    const std::string first = order_of_callbacks(1);
    EXPECT_EQ(std::count(first.begin(), first.end(), ' '), 30);
    EXPECT_EQ(order_of_callbacks(1), first);
    EXPECT_NE(order_of_callbacks(2), first);
}

// Each look at it takes a microsecond.
class CountingClock final : public Clock {
public:
    std::int64_t now_us() const override { return ++now_; }
    std::int64_t wall_seconds() const override { return 0; }

private:
    mutable std::int64_t now_ = 0;
};

TEST(Assets, a_pump_stops_when_its_time_is_up_and_always_does_something) {
    // C-10
    SmallHouse house;
    for (int i = 0; i < 50; ++i) house.set(fmt::format("map:m{}", i));
    CountingClock clock;
    VirtualExecutor executor(clock, {.workers = 50});
    Assets assets({house.types, house.tags, house.log, clock, house.files, executor});
    ASSERT_TRUE(assets.registry().add_source(house.source, Name("made_up")).is_ok());
    LoadHandle handle = assets.load_assets(assets.registry().all());
    assets.pump(10);
    EXPECT_GT(assets.memory().assets, 0u);
    EXPECT_LE(assets.memory().assets, 10u);
    int pumps = 1;
    for (; !handle.is_over(); ++pumps) {
        const std::size_t before = assets.memory().assets;
        assets.pump(0);
        EXPECT_LE(assets.memory().assets, before + 1);
        ASSERT_LT(pumps, 200);
    }
    EXPECT_GT(pumps, 40);
    handle.reset();
    for (std::size_t left = 50; left > 0; --left) {
        EXPECT_EQ(assets.memory().assets, left);
        assets.pump(0);
    }
    EXPECT_EQ(assets.memory().assets, 0u);
}

TEST(Assets, threads_hand_over_much_and_it_is_spread_over_frames) {
    // C-10
    SmallHouse house;
    ThingDef all;
    for (int i = 0; i < 20'000; ++i) {
        house.set(fmt::format("icon:i{}", i));
        all.needs.emplace_back(fmt::format("icon:i{}", i), i % 2 == 0 ? "" : "Client");
    }
    house.set("map:all", all);
    RealClock clock;
    ThreadPool pool(2);
    Assets assets({house.types, house.tags, house.log, clock, house.files, pool});
    ASSERT_TRUE(assets.registry().add_source(house.source, Name("made_up")).is_ok());
    LoadHandle handle = assets.change_bundle_state(ids({"map:all"}), {.add = names({"Client"})});
    int pumps = 0;
    const auto pump = [&] {
        assets.pump();
        pool.wait_for_progress(1000);
        ++pumps;
    };
    while (!handle.is_over()) pump();
    EXPECT_TRUE(handle.is_complete());
    EXPECT_EQ(assets.memory().assets, 20'001u);
    EXPECT_GT(pumps, 4);  // how long the longest takes is measured in bench/assets_bench.cpp
    handle.reset();
    while (assets.memory().assets > 0) pump();
}

TEST(Assets, what_nobody_holds_goes_with_the_next_pump_and_can_be_taken_up_before) {
    // C-16
    SmallHouse house;
    house.set("map:a", {.needs = {{"map:b", ""}}});
    house.set("map:b");
    house.open();
    LoadHandle handle = house.load({"map:a"});
    house.frames();
    const Thing* thing = house.find("map:a");
    handle.reset();
    EXPECT_EQ(house.find("map:a"), thing);
    handle = house.load({"map:a"});
    EXPECT_TRUE(handle.is_complete());
    house.frames();
    EXPECT_EQ(house.find("map:a"), thing);
    EXPECT_EQ(house.source->decodes(), 2);
    LoadHandle other = house.load({"map:b"});
    handle.reset();
    house.frame();
    EXPECT_EQ(house.find("map:a"), nullptr);
    EXPECT_NE(house.find("map:b"), nullptr);
    EXPECT_EQ(Thing::alive, 1);
}

TEST(Assets, a_thousand_loads_leave_nothing) {
    // C-16
    SmallHouse house;
    house.set("map:a", {.needs = {{"map:b", ""}, {"icon:x", "Client"}, {"icon:bad", "Server"}}});
    house.set("map:b");
    house.set("icon:x", {.needs = {{"map:b", ""}}});
    house.set("icon:bad", {.is_broken = true});
    house.open();
    for (int i = 0; i < 1000; ++i) {
        LoadHandle handle = house.load({"map:a"}, {i % 2 == 0 ? "Client" : "Server"});
        house.frames(i % 7);
        handle.reset();
        if (i % 3 == 0) continue;
        house.frames(4);
        EXPECT_EQ(house.assets->memory().assets, 0u);
        EXPECT_EQ(house.assets->memory().bytes, 0u);
        EXPECT_EQ(Thing::alive, 0);
    }
    house.frames();
    EXPECT_EQ(house.executor.waiting(), 0u);
    EXPECT_EQ(Thing::alive, 0);
}

TEST(Assets, who_holds_an_asset_can_be_asked) {
    // C-16
    SmallHouse house;
    house.set("map:a", {.needs = {{"map:b", ""}}});
    house.set("map:b");
    house.open();
    LoadHandle by_feature, by_world;
    {
        const OwnerScope as(Owner::feature(Name("tag"), 1));
        by_feature = house.load({"map:a"});
    }
    {
        const OwnerScope as(Owner::world(Name("arena"), 1));
        by_world = house.load({"map:b"});
    }
    house.frames();
    EXPECT_EQ(house.assets->holders(id("map:a")), std::vector<std::string>{"feature tag"});
    const std::vector<std::string> both{Owner::world(Name("arena"), 1).to_string(), "map:a"};
    EXPECT_EQ(house.assets->holders(id("map:b")), both);
    EXPECT_TRUE(house.assets->holders(id("map:c")).empty());
}

TEST(Assets, a_root_that_goes_fails_what_is_on_its_way_and_leaves_what_is_there) {
    // C-01, C-11
    SmallHouse house({.workers = 1, .min_us = 3000, .max_us = 3000});
    house.set("map:a");
    house.set("map:b");
    house.set("map:c");
    house.open();
    LoadHandle there = house.load({"map:a"});
    house.frames(6);
    const LoadHandle coming = house.load({"map:b", "map:c"});
    house.frame();  // a worker has begun map:b
    EXPECT_TRUE(house.assets->registry().remove_root(house.root));
    house.frames();
    EXPECT_TRUE(there.is_complete() && house.is_there("map:a"));
    ASSERT_EQ(coming.state(), LoadState::Failed);
    ASSERT_EQ(coming.problems().count(), 2u);
    EXPECT_EQ(coming.problems().all()[0].code, &kRootGone);
    EXPECT_EQ(coming.problems().all()[1].code, &kRootGone);
    EXPECT_EQ(house.source->decodes("map:c"), 0);
}

TEST(Assets, a_type_is_in_use_while_assets_of_it_are_there_or_decoded) {
    // C-16
    SmallHouse house({.workers = 1, .min_us = 3000, .max_us = 3000});
    const auto load = [](const Bytes&, const LoadedFile&) -> Result<Loaded<Thing>> { return Loaded<Thing>{}; };
    ASSERT_TRUE(house.assets->types().add_loader<Thing>("png", load).is_ok());
    house.set("png:a");
    house.open();
    LoadHandle handle = house.load({"png:a"});
    const auto is_refused = [&] { return house.assets->types().remove(Name("png")).code() == StatusCode::Refused; };
    EXPECT_TRUE(is_refused());
    house.frame();
    handle.reset();
    EXPECT_TRUE(is_refused());  // a worker is still at it
    handle = house.load({"png:a"});
    house.frames();
    EXPECT_TRUE(is_refused());
    handle.reset();
    house.frame();
    EXPECT_FALSE(is_refused());
}

TEST(Assets, finish_loads_without_frames) {
    // C-05
    SmallHouse house({.workers = 1});
    house.set("map:a", {.needs = {{"map:b", ""}}});
    house.set("map:b");
    house.open();
    const LoadHandle handle = house.load({"map:a"});
    house.assets->finish(handle);
    EXPECT_TRUE(handle.is_complete());
}

TEST(Assets, more_than_a_request_may_ask_for_is_refused) {
    // C-11
    SmallHouse house;
    house.open();
    const std::vector<PrimaryAssetId> many(Assets::kMaxPerRequest + 1, id("map:a"));
    const LoadHandle handle = house.assets->load_assets(many);
    ASSERT_EQ(handle.state(), LoadState::Failed);
    EXPECT_EQ(handle.problems().all()[0].code, &kTooManyAsked);
}

// What a game does with assets, and at one point of it something that pulls the ground away.
struct Upheaval {
    enum Kind { Drop, End, Cancel, Pump, AskAgain, kCount };

    Upheaval(Kind kind, int at, int broken_decode) : kind_(kind), at_(at) {
        house_.set("map:a", {.needs = {{"map:b", ""}, {"icon:x", "Client"}}});
        house_.set("map:b", {.needs = {{"map:c", ""}}});
        house_.set("map:c");
        house_.set("icon:x", {.needs = {{"map:c", ""}}});
        house_.source->break_decode(broken_decode);
        house_.open();
    }
    // Whether the point was reached.
    bool run() {
        auto reloaded = house_.assets->reloaded.add([this](PrimaryAssetId) { happens(); });
        auto refused = house_.assets->reload_failed.add([this](PrimaryAssetId, const Problems&) { happens(); });
        ask();
        for (int i = 0; i < 14; ++i) {
            happens();
            house_.frame();
            if (i == 6) house_.set("map:b", {.needs = {{"map:c", ""}}, .version = 2});
            if (i == 6) house_.set("map:c", {.is_broken = true, .version = 2});
            if (i == 7 && house_.assets != nullptr) house_.assets->look_for_changes();
        }
        handles_.clear();
        house_.frames(6);
        const AssetMemory left = house_.assets != nullptr ? house_.assets->memory() : AssetMemory{};
        EXPECT_EQ(left.assets, 0u);
        EXPECT_EQ(Thing::alive, 0);
        EXPECT_EQ(house_.executor.waiting(), 0u);
        return events_ > at_;
    }

private:
    void ask() {
        std::vector<LoadHandle> parts;
        parts.push_back(house_.load({"map:a"}, {"Client"}));
        parts.push_back(house_.load({"map:b", "map:c"}));
        parts.back().on_over([this](LoadState) { happens(); });
        handles_.push_back(house_.load({"map:c"}));
        handles_.push_back(house_.assets->combine(std::move(parts)));
        handles_.push_back(house_.load({"icon:x"}));
        for (LoadHandle& handle : handles_) handle.on_over([this](LoadState) { happens(); });
    }
    void happens() {
        if (events_++ != at_ || house_.assets == nullptr) return;
        switch (kind_) {
            case Drop:
                handles_.clear();
                break;
            case End:
                end();
                break;
            case Cancel:
                for (LoadHandle& handle : handles_) handle.cancel();
                break;
            case Pump:
                house_.assets->pump();
                break;
            default:
                ask();
        }
    }
    void end() {
        house_.assets.reset();  // tells those who wait
        house_.source->break_decode(0);
        handles_.clear();
    }

    const Kind kind_;
    const int at_;
    int events_ = 0;
    SmallHouse house_{{.workers = 2, .min_us = 500, .max_us = 1500}};
    std::vector<LoadHandle> handles_;
};

TEST(Assets, whatever_happens_at_whatever_point_leaves_nothing_behind) {
    // C-07, C-09, C-16
    int runs = 0;
    for (int broken = 0; broken <= 6; ++broken)
        for (int kind = 0; kind < Upheaval::kCount; ++kind)
            for (int at = 0;; ++at, ++runs) {
                ASSERT_LT(at, 100);
                Upheaval upheaval(static_cast<Upheaval::Kind>(kind), at, broken);
                if (!upheaval.run()) break;
                ASSERT_FALSE(testing::Test::HasFailure()) << "broken " << broken << " kind " << kind << " at " << at;
            }
    EXPECT_GT(runs, 300);
}

// What should be there, found by following everything from every handle.
class Model {
public:
    explicit Model(Random& random) {
        for (int i = 0; i < kAssets; ++i) {
            ThingDef& def = defs[i];
            def.bytes = static_cast<std::uint64_t>(1 + i);
            def.is_broken = random.next_below(8) == 0;
            for (int to = i + 1; to < kAssets; ++to)
                if (random.next_below(4) == 0)
                    def.needs.emplace_back(name(to), random.next_below(2) == 0 ? "" : "Client");
            if (random.next_below(10) == 0)
                def.needs.emplace_back(name(static_cast<int>(random.next_below(kAssets))), "Client");
        }
    }
    static std::string name(int i) { return fmt::format("map:m{}", i); }
    bool is_good(int i) const {
        if (defs[i].is_broken) return false;
        for (const auto& [need, bundle] : defs[i].needs)
            if (bundle.empty() && !is_good(number(need))) return false;
        return true;
    }
    void add(int i, std::set<int>& there) const {
        if (!is_good(i) || !there.insert(i).second) return;
        for (const auto& [need, bundle] : defs[i].needs)
            if (bundle.empty()) add(number(need), there);
    }
    // Adds what one handle keeps; whether it is complete.
    bool follow(int i, bool has_client, std::set<int>& there) const {
        add(i, there);
        bool is_complete = is_good(i);
        for (const auto& [need, bundle] : defs[i].needs) {
            if (!is_complete || bundle.empty() || !has_client) continue;
            add(number(need), there);
        }
        for (const auto& [need, bundle] : defs[i].needs)
            if (is_good(i) && has_client && !bundle.empty() && !is_good(number(need))) is_complete = false;
        return is_complete;
    }
    static int number(const std::string& text) { return std::stoi(text.substr(5)); }

    static constexpr int kAssets = 12;
    ThingDef defs[kAssets];
};

TEST(Assets, what_is_there_is_what_handles_lead_to) {
    // C-05, C-07, C-16
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        Random random(seed);
        const Model model(random);
        SmallHouse house({.workers = 3, .min_us = 0, .max_us = 4000, .seed = seed});
        for (int i = 0; i < Model::kAssets; ++i) house.set(Model::name(i), model.defs[i]);
        house.open();
        struct Held {
            int asset;
            bool has_client;
            LoadHandle handle;
        };
        std::vector<Held> held;
        for (int round = 0; round < 60; ++round) {
            const int asset = static_cast<int>(random.next_below(Model::kAssets));
            const bool has_client = random.next_below(2) == 0;
            const std::size_t at = held.empty() ? 0 : random.next_below(held.size());
            const std::vector<PrimaryAssetId> one{id(Model::name(asset))};
            switch (random.next_below(6)) {
                case 0:
                case 1: {
                    const auto priority = static_cast<Priority>(random.next_below(3));
                    const BundleChange change{has_client ? names({"Client"}) : names({})};
                    held.push_back({asset, has_client, house.assets->change_bundle_state(one, change, priority)});
                    break;
                }
                case 2:
                    if (!held.empty()) held.erase(held.begin() + static_cast<std::ptrdiff_t>(at));
                    break;
                case 3:
                    if (!held.empty()) held[at].handle.set_priority(static_cast<Priority>(random.next_below(3)));
                    break;
                case 4:
                    if (!held.empty()) {  // the other way round with its bundle
                        const bool had = std::exchange(held[at].has_client, !held[at].has_client);
                        const BundleChange change{had ? names({}) : names({"Client"}),
                                                  had ? names({"Client"}) : names({})};
                        held[at].handle = house.assets->change_bundle_state(
                            {{id(Model::name(held[at].asset))}}, change, Priority::Normal, std::move(held[at].handle));
                    }
                    break;
                default:
                    house.frames(static_cast<int>(random.next_below(4)));
            }
        }
        house.frames(100);
        std::set<int> there;
        for (const Held& h : held) {
            const bool is_complete = model.follow(h.asset, h.has_client, there);
            EXPECT_EQ(h.handle.state(), is_complete ? LoadState::Complete : LoadState::Failed) << seed;
        }
        std::uint64_t bytes = 0;
        for (int i = 0; i < Model::kAssets; ++i) {
            EXPECT_EQ(house.is_there(Model::name(i)), there.contains(i)) << "seed " << seed << ": " << i;
            if (there.contains(i)) bytes += model.defs[i].bytes;
        }
        EXPECT_EQ(house.assets->memory().assets, there.size());
        EXPECT_EQ(house.assets->memory().bytes, bytes);
        EXPECT_EQ(static_cast<std::size_t>(Thing::alive), there.size());
        ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
    }
}

TEST(Assets, threads_load_cancel_and_end) {
    // C-07, C-09
    for (int round = 0; round < 20; ++round) {
        RealClock clock;
        SmallHouse house;
        ThreadPool pool(4);
        Assets assets({house.types, house.tags, house.log, clock, house.files, pool});
        std::vector<PrimaryAssetId> all;
        for (int i = 0; i < 200; ++i) {
            ThingDef def;
            if (i % 5 == 0) def.needs = {{fmt::format("map:m{}", i + 1), ""}};
            house.set(fmt::format("map:m{}", i), def);
            all.push_back(id(fmt::format("map:m{}", i)));
        }
        ASSERT_TRUE(assets.registry().add_source(house.source, Name("made_up")).is_ok());
        LoadHandle first = assets.load_assets(all);
        LoadHandle dropped = assets.load_assets(all, Priority::High);
        assets.pump();
        dropped.reset();
        if (round % 4 == 0) first.cancel();
        if (round % 4 == 1) continue;  // ends with workers inside
        assets.finish(first);
        EXPECT_TRUE(first.is_complete() || round % 4 == 0);
        assets.look_for_changes();
        assets.pump();
    }
    EXPECT_EQ(Thing::alive, 0);
}

TEST(Assets, a_loader_that_was_removed_is_gone_when_no_decode_stands_in_its_schema) {
    // F-69, F-74
    SmallHouse house({.workers = 1, .min_us = 3000, .max_us = 3000});
    auto witness = std::make_shared<int>(1);
    {
        const auto load = [witness](const Bytes&, const LoadedFile&) -> Result<Loaded<Thing>> {
            return Loaded<Thing>{};
        };
        ASSERT_TRUE(house.assets->types().add_loader<Thing>("png", load).is_ok());
    }
    house.set("map:a");
    house.open();
    LoadHandle handle = house.load({"map:a"});
    house.frame();  // a worker is at something else, and could still be asked for a png
    ASSERT_TRUE(house.assets->types().remove(Name("png")).is_ok());
    EXPECT_TRUE(house.assets->types().has_old_schemas());
    EXPECT_GT(witness.use_count(), 1);
    handle.reset();
    house.frames();
    EXPECT_FALSE(house.assets->types().has_old_schemas());
    EXPECT_EQ(witness.use_count(), 1);
}

}  // namespace assets_test
}  // namespace lyre::assets
