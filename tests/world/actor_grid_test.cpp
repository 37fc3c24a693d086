#include "lyre/world/actor_grid.h"

#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <random>
#include <utility>
#include <vector>

namespace lyre {
namespace actor_grid_test {

constexpr float kInfinite = std::numeric_limits<float>::infinity();

struct Living {
    Vec3 position;
    float radius = 0;
};
using Population = std::map<std::uint32_t, Living>;
using Found = std::vector<std::pair<std::uint32_t, float>>;

template <class Shape> Found found_in(const ActorGrid& grid, const Shape& shape) {
    Found found;
    grid.find(shape, [&](std::uint32_t key, float distance) { found.emplace_back(key, distance); });
    return found;
}

template <class Shape>
std::size_t expect_same_as_brute_force(const ActorGrid& grid, const Population& population, const Shape& shape) {
    Found expected;
    for (const auto& [key, living] : population) {
        const float distance = probe(shape).hit(living.position, living.radius);
        if (distance != kMiss) expected.emplace_back(key, distance);
    }
    Found found = found_in(grid, shape);
    std::sort(found.begin(), found.end());
    EXPECT_EQ(found, expected);
    return found.size();
}

class Dice {
public:
    explicit Dice(unsigned seed) : random_(seed) {}
    float between(float low, float high) {
        return low + (high - low) * (static_cast<float>(random_() % 65536) / 65536.0f);
    }
    unsigned below(unsigned count) { return static_cast<unsigned>(random_() % count); }
    Vec3 place(float half) { return {between(-half, half), between(-half, half), between(-half, half)}; }

private:
    std::mt19937 random_;
};

// Adds, moves and removes at random; the population says what must then be in the grid.
void live_on(Dice& dice, ActorGrid& grid, Population& population, float half, unsigned steps) {
    for (unsigned i = 0; i < steps; ++i) {
        const std::uint32_t key = dice.below(300) * 0x01000193u;
        const auto known = population.find(key);
        if (known == population.end()) {
            const Living living{dice.place(half), dice.below(10) == 0 ? dice.between(8, 20) : dice.between(0, 2)};
            grid.add(key, living.position, living.radius);
            population[key] = living;
        } else if (dice.below(5) == 0) {
            grid.remove(key);
            population.erase(known);
        } else {
            Living& living = known->second;
            living.position = dice.below(2) == 0 ? dice.place(half) : living.position + dice.place(0.5f);
            grid.move(key, living.position);
        }
    }
}

TEST(ActorGrid, search_finds_what_asking_every_actor_finds) {
    // W-23
    for (const float half : {5.0f, 60.0f, 400.0f, 1e30f}) {
        std::size_t found = 0;
        for (unsigned seed = 0; seed < 10; ++seed) {
            Dice dice(seed);
            ActorGrid grid(seed % 2 == 0 ? ActorGrid::kDefaultCell : 3.0f);
            Population population;
            for (int round = 0; round < 20; ++round) {
                SCOPED_TRACE(testing::Message() << "half " << half << ", seed " << seed << ", round " << round);
                live_on(dice, grid, population, half, 100);
                ASSERT_EQ(grid.count(), population.size());
                const Vec3 at = dice.place(half);
                const Vec3 extent{dice.between(0, half), dice.between(0, half), dice.between(0, half)};
                const float length = dice.below(4) == 0 ? kInfinite : half;
                found += expect_same_as_brute_force(grid, population, Box{at, at + extent});
                found += expect_same_as_brute_force(grid, population, Box{at, at + Vec3{9, 9, 9}});
                found += expect_same_as_brute_force(grid, population, Circle{at, dice.between(0, half)});
                found += expect_same_as_brute_force(grid, population, Circle{at, 6});
                found += expect_same_as_brute_force(grid, population, Ray{at, dice.place(1), length});
                found += expect_same_as_brute_force(grid, population, Ray{at, {0, 1, 0}, 25});
            }
        }
        EXPECT_GT(found, 1000u) << "half " << half;
    }
}

TEST(ActorGrid, an_actor_is_found_where_it_is_and_nowhere_else) {
    // W-23
    ActorGrid grid;
    grid.add(5, {1, 1, 0}, 0.5f);
    EXPECT_EQ(found_in(grid, Circle{{1, 4, 0}, 2.5f}), (Found{{5, 3}}));
    grid.move(5, {1, 2, 0});
    EXPECT_EQ(found_in(grid, Circle{{1, 4, 0}, 2.5f}), (Found{{5, 2}}));
    grid.move(5, {-500, 2, 0});
    EXPECT_TRUE(found_in(grid, Circle{{1, 4, 0}, 2.5f}).empty());
    EXPECT_EQ(found_in(grid, Ray{{0, 2, 0}, {-1, 0, 0}, 1000}), (Found{{5, 499.5f}}));
    EXPECT_TRUE(grid.contains(5));
    grid.remove(5);
    EXPECT_FALSE(grid.contains(5));
    EXPECT_TRUE(found_in(grid, Circle{{}, kInfinite}).empty());
}

TEST(ActorGrid, a_wide_actor_is_found_from_afar_and_may_move_and_go) {
    // W-23
    ActorGrid grid(2);
    for (std::uint32_t key = 0; key < 50; ++key) grid.add(key, {static_cast<float>(key), -90, 0}, 0.1f);
    grid.add(100, {0, 100, 0}, 99);
    grid.add(101, {0, 0, 0}, 3);
    const Circle here{{0, 1, 0}, 0};
    EXPECT_EQ(found_in(grid, here), (Found{{101, 1}, {100, 99}}));
    grid.move(101, {0, 50, 0});
    EXPECT_EQ(found_in(grid, here), (Found{{100, 99}}));
    grid.remove(100);
    EXPECT_TRUE(found_in(grid, here).empty());
    EXPECT_EQ(found_in(grid, Circle{{0, 50, 0}, 0}), (Found{{101, 0}}));
}

TEST(ActorGrid, the_same_history_gives_the_same_order) {
    // W-23
    std::vector<Found> orders;
    for (int run = 0; run < 2; ++run) {
        Dice dice(11);
        ActorGrid grid;
        Population population;
        live_on(dice, grid, population, 40, 2000);
        orders.push_back(found_in(grid, Circle{{}, 12}));
    }
    EXPECT_GT(orders[0].size(), 3u);
    EXPECT_EQ(orders[0], orders[1]);
}

TEST(ActorGrid, memory_follows_the_living_and_not_where_they_have_been) {
    // W-23
    ActorGrid grid;
    const std::size_t empty = grid.bytes();
    grid.add(1, {});
    const std::size_t one = grid.bytes();
    for (int step = 0; step < 100'000; ++step) grid.move(1, {static_cast<float>(step) * 9, 0, 0});
    EXPECT_EQ(grid.bytes(), one);
    for (std::uint32_t key = 2; key < 50'000; ++key) grid.add(key, {0, static_cast<float>(key) * 9, 0});
    EXPECT_GT(grid.bytes(), 50'000 * 28u);
    for (std::uint32_t key = 1; key < 50'000; ++key) grid.remove(key);
    EXPECT_LE(grid.bytes(), empty + 64 * 28);
}

TEST(ActorGridDeathTest, changing_the_grid_while_it_is_read_breaks_a_rule) {
    // W-23
    ActorGrid grid;
    grid.add(1, {});
    const auto change = [&](auto&& doing) { grid.find(Circle{{}, 1}, [&](std::uint32_t, float) { doing(); }); };
    EXPECT_DEATH(change([&] { grid.add(2, {}); }), "collect what find");
    EXPECT_DEATH(change([&] { grid.move(1, {}); }), "collect what find");
    EXPECT_DEATH(change([&] { grid.remove(1); }), "collect what find");
    int nested = 0;
    change([&] { change([&] { ++nested; }); });
    EXPECT_EQ(nested, 1);
    EXPECT_THROW(change([] { throw 1; }), int);
    grid.remove(1);  // the reading has ended, also by an exception
}

TEST(ActorGridDeathTest, wrong_keys_places_and_radii_break_a_rule) {
    // W-23
    ActorGrid grid;
    grid.add(1, {});
    EXPECT_DEATH(grid.add(1, {}), "use move");
    EXPECT_DEATH(grid.move(2, {}), "not in the grid");
    EXPECT_DEATH(grid.remove(2), "not in the grid");
    EXPECT_DEATH(grid.move(1, {kInfinite, 0, 0}), "finite");
    EXPECT_DEATH(grid.add(2, {}, -1), "radius");
    EXPECT_DEATH(ActorGrid(0), "side of a cell");
}

}  // namespace actor_grid_test
}  // namespace lyre
