#include "lyre/world/rows.h"

#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <utility>
#include <vector>

namespace lyre {
namespace rows_test {

constexpr float kInfinite = std::numeric_limits<float>::infinity();

struct Thing {
    Vec3 position;
    float radius = 0;
};

enum class Spread { Uniform, Clustered, Line, Point, Huge, OneFarAway };
constexpr Spread kSpreads[] = {Spread::Uniform, Spread::Clustered, Spread::Line,
                               Spread::Point,   Spread::Huge,      Spread::OneFarAway};

// Random places and shapes of one kind of world; the same for the same seed.
class Dice {
public:
    Dice(Spread spread, unsigned seed) : spread_(spread), random_(seed) {}

    float between(float low, float high) {
        return low + (high - low) * (static_cast<float>(random_() % 65536) / 65536.0f);
    }
    unsigned below(unsigned count) { return static_cast<unsigned>(random_() % count); }
    Vec3 place() {
        switch (spread_) {
            case Spread::Uniform:
                return cube(100);
            case Spread::Clustered:
                return Vec3{200.0f * static_cast<float>(below(4)), 70, 0} + cube(3);
            case Spread::Line:
                return {between(-100, 100), 5, 0};
            case Spread::Point:
                return {1e6f, -2, 3};
            case Spread::Huge:
                return cube(1e30f);
            case Spread::OneFarAway:
                return below(50) == 0 ? Vec3{3e38f, -3e38f, 0} : cube(20);
        }
        return {};
    }
    float size() { return spread_ == Spread::Huge ? between(0, 5e29f) : between(0, 30); }
    Box box() {
        const Vec3 from = place();
        return {from, from + Vec3{size(), size(), size()}};
    }
    Circle circle() { return {place(), size()}; }
    Ray ray() {
        const Vec3 from = place();
        Vec3 direction = (place() - from) * 1e-3f;
        if (below(4) == 0) direction = {below(2) == 0 ? 0.0f : 1.0f, between(-1, 1), 0};
        if (below(4) == 0) direction = {0, 0, -1};
        return {from, direction, below(4) == 0 ? kInfinite : 10 * size()};
    }

private:
    Vec3 cube(float half) { return {between(-half, half), between(-half, half), between(-half, half)}; }

    Spread spread_;
    std::mt19937 random_;
};

struct World {
    std::vector<Thing> things;
    Rows rows;
};

World random_world(Dice& dice, unsigned count, bool spheres) {
    constexpr float kScales[] = {0.5f, 1, 2};
    World world;
    RowBuilder builder;
    float radius = 0;
    for (unsigned i = 0; i < count; ++i) {
        if (i == 0 || dice.below(20) == 0) {
            radius = spheres ? dice.size() / 20 : 0;
            EXPECT_TRUE(builder.begin_block({.index = i, .stable = i, .radius = radius}));
        }
        const float scale = kScales[dice.below(3)];
        const Vec3 position = dice.place();
        world.things.push_back({position, radius * scale});
        EXPECT_TRUE(builder.add(position, dice.between(0, 360), scale));
    }
    world.rows = builder.finish();
    return world;
}

using Found = std::vector<std::pair<std::uint32_t, float>>;

template <class Shape> Found found_in(const Rows& rows, const Shape& shape, RowSearch search) {
    Found found;
    rows.find(
        shape, [&](std::uint32_t row, float distance) { found.emplace_back(row, distance); }, search);
    return found;
}

template <class Shape> std::size_t expect_same_as_brute_force(const World& world, const Shape& shape) {
    Found resting, all;
    for (std::uint32_t row = 0; row < world.things.size(); ++row) {
        const float distance = probe(shape).hit(world.things[row].position, world.things[row].radius);
        if (distance == kMiss) continue;
        all.emplace_back(row, distance);
        if (world.rows.state(row) == RowState::Resting) resting.emplace_back(row, distance);
    }
    Found found_resting = found_in(world.rows, shape, RowSearch::Resting);
    Found found_all = found_in(world.rows, shape, RowSearch::All);
    std::sort(found_resting.begin(), found_resting.end());
    std::sort(found_all.begin(), found_all.end());
    EXPECT_EQ(found_resting, resting);
    EXPECT_EQ(found_all, all);
    return all.size();
}

Rows single(Vec3 position, float radius = 0) {
    RowBuilder builder;
    EXPECT_TRUE(builder.begin_block({.radius = radius}));
    EXPECT_TRUE(builder.add(position, 0, 1));
    return builder.finish();
}

TEST(Rows, a_row_gives_back_what_was_placed) {
    // W-22
    RowBuilder builder;
    ASSERT_TRUE(builder.reserve(4));
    ASSERT_TRUE(builder.begin_block({.index = 7, .radius = 0.5f}));
    ASSERT_TRUE(builder.add({1, 2, 3}, 90, 1));
    ASSERT_TRUE(builder.add({-1, 2, 3}, -90, 4));
    ASSERT_TRUE(builder.begin_block({.index = 9, .radius = 2}));
    ASSERT_TRUE(builder.add({0, 0, 0}, 720, 1));
    ASSERT_TRUE(builder.add({0, 0, 0}, -1e-9f, 1));
    EXPECT_EQ(builder.count(), 4u);
    const Rows rows = builder.finish();
    EXPECT_EQ(builder.count(), 0u);

    EXPECT_EQ(rows.count(), 4u);
    EXPECT_EQ(rows.transform(0), (Transform{{1, 2, 3}, 90, 1}));
    EXPECT_EQ(rows.transform(1), (Transform{{-1, 2, 3}, 270, 4}));
    EXPECT_EQ(rows.transform(2).yaw, 0);
    EXPECT_EQ(rows.transform(3).yaw, 0);
    EXPECT_EQ(rows.position(1), (Vec3{-1, 2, 3}));
    EXPECT_EQ(rows.class_of(1), 7u);
    EXPECT_EQ(rows.class_of(2), 9u);
    EXPECT_EQ(rows.radius(1), 2);
    EXPECT_EQ(rows.radius(3), 2);
}

TEST(Rows, blocks_are_runs_of_one_class_and_empty_ones_are_not_kept) {
    // W-22
    RowBuilder builder;
    const auto place = [&](std::uint32_t class_index, int count) {
        ASSERT_TRUE(builder.begin_block({.index = class_index}));
        for (int i = 0; i < count; ++i) ASSERT_TRUE(builder.add({}, 0, 1));
    };
    place(1, 2);
    place(1, 3);
    place(5, 0);
    place(2, 1);
    place(1, 1);
    const Rows rows = builder.finish();
    ASSERT_EQ(rows.blocks().size(), 3u);
    EXPECT_EQ(rows.blocks()[1].first, 5u);
    EXPECT_EQ(rows.blocks()[1].class_index, 2u);
    EXPECT_EQ(rows.class_of(4), 1u);
    EXPECT_EQ(rows.class_of(5), 2u);
    EXPECT_EQ(rows.class_of(6), 1u);
}

TEST(Rows, a_row_costs_at_most_24_bytes_with_its_share_of_everything) {
    // W-22
    for (const Spread spread : kSpreads) {
        Dice dice(spread, 1);
        RowBuilder builder;
        constexpr std::uint32_t kCount = 100'000;
        for (std::uint32_t i = 0; i < kCount; ++i) {
            ASSERT_TRUE(builder.begin_block({.index = i / 4}));
            ASSERT_TRUE(builder.add(dice.place(), 0, 1));
        }
        EXPECT_LE(builder.finish().bytes(), 24 * kCount) << "spread " << static_cast<int>(spread);
    }
}

TEST(Rows, search_finds_what_asking_every_row_finds) {
    // W-23
    for (const Spread spread : kSpreads) {
        std::size_t found = 0;
        for (unsigned seed = 0; seed < 24; ++seed) {
            Dice dice(spread, seed);
            World world = random_world(dice, 1 + dice.below(seed % 3 == 0 ? 4 : 700), seed % 4 != 0);
            for (unsigned i = 0; i < world.rows.count() / 3; ++i)
                world.rows.set_state(dice.below(world.rows.count()), static_cast<RowState>(dice.below(3)));
            for (int i = 0; i < 40; ++i) {
                SCOPED_TRACE(testing::Message() << "spread " << static_cast<int>(spread) << ", seed " << seed);
                found += expect_same_as_brute_force(world, dice.box());
                found += expect_same_as_brute_force(world, dice.circle());
                found += expect_same_as_brute_force(world, dice.ray());
            }
        }
        EXPECT_GT(found, 1000u) << "the shapes of spread " << static_cast<int>(spread) << " find too little";
    }
}

TEST(Rows, a_box_finds_what_touches_its_border) {
    // W-23
    const Box box{{0, 0, 0}, {1, 1, 1}};
    EXPECT_EQ(found_in(single({1, 1, 1}), box, RowSearch::All), (Found{{0, 0}}));
    EXPECT_TRUE(found_in(single({1, 1, 1.001f}), box, RowSearch::All).empty());
    EXPECT_EQ(found_in(single({0.5f, 0.5f, -2}, 2), box, RowSearch::All).size(), 1u);
    EXPECT_EQ(found_in(single({4, 5, 1}, 5), box, RowSearch::All).size(), 1u);  // 3 and 4 from the edge
    EXPECT_TRUE(found_in(single({4, 5, 1}, 4.999f), box, RowSearch::All).empty());
}

TEST(Rows, a_circle_finds_at_any_height_and_tells_the_distance_in_the_plane) {
    // W-23
    const Circle circle{{1, 1, 0}, 4};
    EXPECT_EQ(found_in(single({4, 5, 900}, 1), circle, RowSearch::All), (Found{{0, 5}}));
    EXPECT_EQ(found_in(single({5, 1, 0}), circle, RowSearch::All), (Found{{0, 4}}));
    EXPECT_TRUE(found_in(single({4, 5, 0}, 0.999f), circle, RowSearch::All).empty());
}

TEST(Rows, a_ray_tells_how_far_the_first_touch_is) {
    // W-23
    const Rows rows = single({10, 3, 0}, 5);
    EXPECT_EQ(found_in(rows, Ray{{0, 0, 0}, {7, 0, 0}, 6}, RowSearch::All), (Found{{0, 6}}));
    EXPECT_TRUE(found_in(rows, Ray{{0, 0, 0}, {7, 0, 0}, 5.99f}, RowSearch::All).empty());
    EXPECT_TRUE(found_in(rows, Ray{{0, 0, 0}, {-1, 0, 0}, 100}, RowSearch::All).empty());
    EXPECT_EQ(found_in(rows, Ray{{11, 3, 1}, {-1, 0, 0}, 0}, RowSearch::All), (Found{{0, 0}}));  // from inside
    EXPECT_EQ(found_in(rows, Ray{{10, 3, 9}, {0, 0, -1}, kInfinite}, RowSearch::All), (Found{{0, 4}}));
    EXPECT_EQ(found_in(single({10, 3, 0}), Ray{{0, 3, 0}, {1, 0, 0}, 10}, RowSearch::All), (Found{{0, 10}}));
}

TEST(Rows, shapes_that_hold_nothing_find_nothing_and_endless_ones_find_all) {
    // W-23
    Dice dice(Spread::Uniform, 5);
    const World world = random_world(dice, 500, true);
    const auto count = [&](const auto& shape) { return found_in(world.rows, shape, RowSearch::All).size(); };
    const Vec3 far{kInfinite, kInfinite, kInfinite};
    const float not_a_number = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(count(Box{far * -1, far}), 500u);
    EXPECT_EQ(count(Circle{{}, kInfinite}), 500u);
    EXPECT_EQ(count(Box{{1, 1, 1}, {-1, 2, 2}}), 0u);
    EXPECT_EQ(count(Box{{not_a_number, 1, 1}, {1, 2, 2}}), 0u);
    EXPECT_EQ(count(Circle{{}, -1}), 0u);
    EXPECT_EQ(count(Circle{{}, not_a_number}), 0u);
    EXPECT_EQ(count(Circle{{not_a_number, 0, 0}, 1}), 0u);
    EXPECT_EQ(count(Ray{world.things[0].position, {1, 0, 0}, -1}), 0u);
    EXPECT_EQ(count(Ray{{}, {not_a_number, 0, 0}, 100}), 0u);
    EXPECT_EQ(count(Ray{{}, {kInfinite, 0, 0}, 100}), 0u);
    EXPECT_EQ(count(Ray{{300, 300, 0}, {}, 100}), 0u);
    EXPECT_GE(count(Ray{world.things[0].position, {}, 100}), 1u);  // no direction: a point
}

TEST(Rows, a_level_without_rows_finds_nothing) {
    // W-23
    RowBuilder builder;
    ASSERT_TRUE(builder.begin_block({.index = 1}));
    Rows rows = builder.finish();
    EXPECT_EQ(rows.count(), 0u);
    EXPECT_TRUE(rows.blocks().empty());
    EXPECT_TRUE(found_in(rows, Circle{{}, kInfinite}, RowSearch::All).empty());
    EXPECT_TRUE(found_in(rows, Ray{{}, {1, 1, 1}, kInfinite}, RowSearch::All).empty());
    EXPECT_TRUE(found_in(Rows(), Box{}, RowSearch::All).empty());
    rows.reset();
    rows.each_destroyed([](std::uint32_t) { FAIL(); });
}

TEST(Rows, a_destroyed_row_is_listed_and_not_found_until_reset) {
    // W-26
    Dice dice(Spread::Uniform, 2);
    World world = random_world(dice, 300, false);
    Rows& rows = world.rows;
    const Circle everywhere{{}, kInfinite};
    const auto destroyed = [&] {
        std::vector<std::uint32_t> list;
        rows.each_destroyed([&](std::uint32_t row) { list.push_back(row); });
        return list;
    };
    for (std::uint32_t row : {299u, 0u, 31u, 32u, 64u}) rows.set_state(row, RowState::Destroyed);
    rows.set_state(7, RowState::Touched);
    rows.set_state(31, RowState::Destroyed);  // again
    EXPECT_EQ(destroyed(), (std::vector<std::uint32_t>{0, 31, 32, 64, 299}));
    EXPECT_EQ(rows.count(RowState::Destroyed), 5u);
    EXPECT_EQ(rows.count(RowState::Touched), 1u);
    EXPECT_EQ(rows.count(RowState::Resting), 294u);
    EXPECT_EQ(found_in(rows, everywhere, RowSearch::Resting).size(), 294u);
    EXPECT_EQ(found_in(rows, everywhere, RowSearch::All).size(), 300u);
    EXPECT_EQ(rows.state(32), RowState::Destroyed);
    EXPECT_EQ(rows.state(33), RowState::Resting);

    rows.reset();
    EXPECT_TRUE(destroyed().empty());
    EXPECT_EQ(rows.count(RowState::Resting), 300u);
    EXPECT_EQ(found_in(rows, everywhere, RowSearch::Resting).size(), 300u);
}

TEST(Rows, a_touched_row_may_rest_again_or_be_destroyed) {
    // W-22, W-26
    Rows rows = single({1, 1, 1});
    rows.set_state(0, RowState::Touched);
    EXPECT_TRUE(found_in(rows, Circle{{}, 9}, RowSearch::Resting).empty());
    rows.set_state(0, RowState::Resting);
    EXPECT_EQ(found_in(rows, Circle{{}, 9}, RowSearch::Resting).size(), 1u);
    rows.set_state(0, RowState::Touched);
    rows.set_state(0, RowState::Destroyed);
    EXPECT_EQ(rows.count(RowState::Touched), 0u);
    EXPECT_EQ(rows.count(RowState::Destroyed), 1u);
}

TEST(Rows, states_may_change_while_rows_are_visited) {
    // W-23, W-26
    Dice dice(Spread::Clustered, 3);
    World world = random_world(dice, 200, false);
    std::size_t visits = 0;
    world.rows.find(Circle{{}, kInfinite}, [&](std::uint32_t row, float) {
        ++visits;
        world.rows.set_state(row, RowState::Destroyed);
    });
    EXPECT_EQ(visits, 200u);
    EXPECT_EQ(world.rows.count(RowState::Destroyed), 200u);
}

TEST(Rows, the_same_level_gives_the_same_hash_and_the_same_order) {
    // W-21
    Dice first_dice(Spread::Clustered, 4), second_dice(Spread::Clustered, 4);
    const World first = random_world(first_dice, 1000, true);
    World second = random_world(second_dice, 1000, true);
    const Box box{{-5, 60, -5}, {300, 90, 5}};
    EXPECT_EQ(first.rows.hash(), second.rows.hash());
    EXPECT_EQ(found_in(first.rows, box, RowSearch::All), found_in(second.rows, box, RowSearch::All));
    second.rows.set_state(0, RowState::Destroyed);
    EXPECT_EQ(first.rows.hash(), second.rows.hash()) << "states are not part of what was placed";
}

TEST(Rows, every_placed_value_changes_the_hash) {
    // W-21
    struct Given {
        std::uint64_t stable = 1;
        Vec3 position{1, 2, 3};
        float yaw = 10, scale = 1;
        int rows = 2;
    };
    const auto hash = [](const Given& given) {
        RowBuilder builder;
        EXPECT_TRUE(builder.begin_block({.index = 1, .stable = 1}));
        EXPECT_TRUE(builder.add({}, 0, given.scale));
        EXPECT_TRUE(builder.begin_block({.index = 2, .stable = given.stable}));
        for (int i = 0; i < given.rows; ++i) EXPECT_TRUE(builder.add(given.position, given.yaw, given.scale));
        return builder.finish().hash();
    };
    const std::uint64_t base = hash({});
    EXPECT_EQ(hash({}), base);
    EXPECT_NE(hash({.stable = 3}), base);
    EXPECT_NE(hash({.position = {1.5f, 2, 3}}), base);
    EXPECT_NE(hash({.position = {1, 2.5f, 3}}), base);
    EXPECT_NE(hash({.position = {1, 2, 3.5f}}), base);
    EXPECT_NE(hash({.yaw = 11}), base);
    EXPECT_NE(hash({.scale = 2}), base);
    EXPECT_NE(hash({.rows = 3}), base);
    EXPECT_EQ(hash({.position = {0, 2, 3}}), hash({.position = {-0.0f, 2, 3}}));
}

TEST(Rows, what_does_not_fit_is_refused_and_leaves_the_builder_as_it_was) {
    // W-22
    EXPECT_EQ(RowBuilder().reserve(std::size_t{kMaxRows} + 1).code(), StatusCode::Capacity);
    RowBuilder builder(3);
    EXPECT_EQ(builder.reserve(4).code(), StatusCode::Capacity);
    EXPECT_EQ(builder.begin_block({.radius = -1}).code(), StatusCode::InvalidArgument);
    EXPECT_EQ(builder.begin_block({.radius = kInfinite}).code(), StatusCode::InvalidArgument);
    ASSERT_TRUE(builder.begin_block({.index = 1, .radius = 1e30f}));
    ASSERT_TRUE(builder.add({}, 0, 1));
    EXPECT_EQ(builder.add({kInfinite, 0, 0}, 0, 1).code(), StatusCode::InvalidArgument);
    EXPECT_EQ(builder.add({0, 0, 0}, kInfinite, 1).code(), StatusCode::InvalidArgument);
    EXPECT_EQ(builder.add({0, 0, 0}, 0, 0).code(), StatusCode::InvalidArgument);
    EXPECT_EQ(builder.add({0, 0, 0}, 0, kInfinite).code(), StatusCode::InvalidArgument);
    EXPECT_EQ(builder.add({0, 0, 0}, 0, 1e30f).code(), StatusCode::InvalidArgument);  // of a radius of 1e30
    ASSERT_TRUE(builder.add({}, 0, 1));
    ASSERT_TRUE(builder.add({}, 0, 1));
    const Status full = builder.add({}, 0, 1);
    EXPECT_EQ(full.code(), StatusCode::Capacity);
    EXPECT_EQ(full.text(), "placed actor 3: at most 3 fit in this level");

    RowBuilder plain;
    ASSERT_TRUE(plain.begin_block({.index = 1, .radius = 1e30f}));
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(plain.add({}, 0, 1));
    EXPECT_EQ(builder.finish().hash(), plain.finish().hash());
}

TEST(Rows, a_level_has_a_bounded_number_of_different_scales) {
    // W-22
    RowBuilder builder;
    ASSERT_TRUE(builder.begin_block({.index = 1}));
    for (std::size_t i = 0; i < kMaxRowScales; ++i) ASSERT_TRUE(builder.add({}, 0, static_cast<float>(i + 1)));
    EXPECT_EQ(builder.add({}, 0, 0.5f).code(), StatusCode::Capacity);
    ASSERT_TRUE(builder.add({}, 0, 2));
    const Rows rows = builder.finish();
    EXPECT_EQ(rows.count(), kMaxRowScales + 1);
    EXPECT_EQ(rows.transform(kMaxRowScales - 1).scale, static_cast<float>(kMaxRowScales));
    EXPECT_EQ(rows.transform(kMaxRowScales).scale, 2);
}

TEST(RowsDeathTest, numbers_beyond_the_level_break_a_rule) {
    // W-22
    Rows rows = single({});
    EXPECT_DEATH(rows.position(1), "numbered from 0");
    EXPECT_DEATH(rows.class_of(1), "numbered from 0");
    EXPECT_DEATH(rows.set_state(1, RowState::Touched), "numbered from 0");
    EXPECT_DEATH(RowBuilder().add({}, 0, 1).ignore(), "begin_block");
}

}  // namespace rows_test
}  // namespace lyre
