#include "lyre/world/space.h"

#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <random>

#include "lyre/world/world_hash.h"

#include "tests/world/place_world.h"

namespace lyre {
namespace space_test {

using place::Crate;
using place::Game;
using place::on_hook;
using place::yard;

std::vector<ActorId> ids(const std::vector<Found>& found) {
    std::vector<ActorId> all;
    for (const Found& one : found) all.push_back(one.id);
    return all;
}

template <class Shape> std::vector<Found> found_in(Game& game, const Shape& shape, const SpaceFilter& filter = {}) {
    std::vector<Found> found = {{}};  // what was in the list does not stay
    game.world.space().find(shape, filter, found);
    return found;
}

float radius_of(const Type& type, float scale) {
    return ClassInfo::of(type).radius * std::abs(scale);
}

// Everybody, one by one: rows of all levels and all actors.
template <class Shape>
std::map<ActorId, Found> asked_one_by_one(Game& game, const Shape& shape, const SpaceFilter& filter) {
    std::map<ActorId, Found> all;
    const auto ask = [&](ActorId id, const Type& type, const Transform& at, Actor* actor) {
        const float distance = probe(shape).hit(at.position, radius_of(type, at.scale));
        if (distance == kMiss || ClassInfo::of(type).is_placeless) return;
        if (filter.type != nullptr && !type.is_a(*filter.type)) return;
        all[id] = {id, &type, at.position, at.scale, distance, actor};
    };
    if (filter.actors)
        for (ActorId id : game.world.actors()) {
            Actor* actor = game.world.find(id);
            ask(id, actor->type(), actor->transform(), actor);
        }
    for (LevelId id : game.world.levels().all()) {
        const Level& level = *game.world.levels().find(id);
        for (std::uint32_t row = 0; filter.rows && row < level.rows().count(); ++row)
            if (level.rows().state(row) == RowState::Resting)
                ask(level.id_of(row), level.class_of(row), level.rows().transform(row), nullptr);
    }
    return all;
}

template <class Shape> std::size_t expect_same(Game& game, const Shape& shape, const SpaceFilter& filter) {
    const std::vector<Found> found = found_in(game, shape, filter);
    const auto expected = asked_one_by_one(game, shape, filter);
    EXPECT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        const auto known = expected.find(found[i].id);
        if (known == expected.end()) {
            ADD_FAILURE() << "found what is not there";
            continue;
        }
        EXPECT_EQ(found[i].type, known->second.type);
        EXPECT_EQ(found[i].position, known->second.position);
        EXPECT_EQ(found[i].distance, known->second.distance);
        EXPECT_EQ(found[i].actor, known->second.actor);
        if (i == 0) continue;
        if (std::is_same_v<Shape, Ray> && found[i - 1].distance != found[i].distance)
            EXPECT_LT(found[i - 1].distance, found[i].distance);
        else
            EXPECT_LT(found[i - 1].id, found[i].id);
    }
    return found.size();
}

class Dice {
public:
    explicit Dice(unsigned seed) : random_(seed) {}
    float between(float low, float high) {
        return low + (high - low) * (static_cast<float>(random_() % 65536) / 65536.0f);
    }
    unsigned below(std::size_t count) { return static_cast<unsigned>(random_() % count); }
    Vec3 place() { return {between(-60, 60), between(-60, 60), between(-3, 3)}; }

private:
    std::mt19937 random_;
};

// One thing that may happen to somebody.
void happen(Game& game, Dice& dice) {
    static constexpr const char* kClasses[] = {"Crate", "Barrel", "Rules"};
    const std::vector<ActorId> actors = game.world.actors();
    const ActorId actor = actors.empty() ? ActorId() : actors[dice.below(actors.size())];
    const std::vector<LevelId> levels = game.world.levels().all();
    ActorId row;
    if (!levels.empty()) {
        const Level& level = *game.world.levels().find(levels[dice.below(levels.size())]);
        row = level.id_of(dice.below(level.rows().count()));
    }
    Status status;
    switch (dice.below(16)) {
        case 0:
        case 1:
            status = game.world.spawn(kClasses[dice.below(3)], {{dice.place(), 0, dice.between(0, 3)}}).status();
            break;
        case 2:
        case 3:
        case 4:
            static_cast<void>(game.world.levels().touch(row, Name("test")));
            break;
        case 5:
            static_cast<void>(game.world.levels().rest(actor));
            break;
        case 6:
            game.world.destroy(dice.below(2) == 0 ? actor : row);
            break;
        case 7:
            if (dice.below(8) == 0) status = game.world.levels().reset(levels[0]);
            break;
        case 8:
            if (Actor* there = game.world.find(actor))
                status = there->set_transform({there->position(), 0, dice.between(-4, 4)});
            break;
        default:
            if (Actor* there = game.world.find(actor)) status = there->set_position(dice.place());
    }
    EXPECT_TRUE(status.is_ok()) << status.text();
}

TEST(Space, a_question_finds_what_asking_everybody_finds) {
    // W-23
    std::size_t found = 0;
    for (unsigned seed = 0; seed < 6; ++seed) {
        Game game;
        if (seed % 2 == 0) game.world.begin_play();
        Dice dice(seed);
        for (int level = 0; level < 2; ++level) {
            LevelDef def = yard(6);
            def.placed.push_back({Name("Rules"), {1, 1, 0}, 0, 1});
            def.placed.push_back({Name("Barrel"), {9, 9, 0}, 0, 7});
            def.scatters = {{Name("Crate"), 60, {{-50, -50, 0}, {50, 50, 2}}, level},
                            {Name("Barrel"), 20, {{-50, -50, 0}, {50, 50, 0}}, level + 5}};
            game.level(def);
        }
        for (int round = 0; round < 60; ++round) {
            for (int i = 0; i < 10; ++i) happen(game, dice);
            const std::uint64_t before = world_hash(game.world);
            const std::size_t count = game.world.actor_count();
            SpaceFilter filter;
            if (dice.below(3) == 0)
                filter.type = game.runtime.types().find(Name(dice.below(2) == 0 ? "Crate" : "Barrel"));
            filter.rows = dice.below(4) != 0;
            filter.actors = dice.below(4) != 0;
            const Vec3 at = dice.place();
            found += expect_same(game, Box{at, at + Vec3{dice.between(0, 40), dice.between(0, 40), 5}}, filter);
            found += expect_same(game, Circle{at, dice.between(0, 30)}, filter);
            found += expect_same(game, Circle{at, std::numeric_limits<float>::infinity()}, filter);
            found += expect_same(game, Ray{at, dice.place(), dice.between(0, 200)}, filter);
            ASSERT_EQ(world_hash(game.world), before);  // asking touches nothing
            ASSERT_EQ(game.world.actor_count(), count);
            if (testing::Test::HasFailure()) return;
        }
    }
    EXPECT_GT(found, 5000u);
}

TEST(Space, rows_and_actors_come_in_one_answer_with_their_ids) {
    // W-23
    Game game;
    const Level& level = *game.world.levels().find(game.level(yard(3)));
    const ActorId spawned = *game.world.spawn<Crate>({{{1, 0, 0}}});
    game.touch(level.id_of(1));
    const std::vector<Found> found = found_in(game, Circle{{4, 0, 0}, 20});
    ASSERT_EQ(ids(found), (std::vector<ActorId>{spawned, level.id_of(0), level.id_of(1), level.id_of(2)}));
    EXPECT_EQ(found[0].actor, game.world.find(spawned));
    EXPECT_EQ(found[1].actor, nullptr);
    EXPECT_EQ(found[2].actor, game.world.find(level.id_of(1)));
    EXPECT_EQ(found[3].type->name, Name("Barrel"));
    EXPECT_EQ(found[3].distance, 4);
    EXPECT_EQ(game.world.levels().touches(Name("test")), 1u);
    ASSERT_TRUE(game.world.levels().rest(level.id_of(1)).is_ok());
    EXPECT_EQ(ids(found_in(game, Circle{{4, 0, 0}, 20})), ids(found));  // the same id, a row again
}

TEST(Space, a_ray_tells_the_nearest_first) {
    // W-23
    Game game;
    const Level& level = *game.world.levels().find(game.level(yard(4)));  // x = 0, 4, 8 (wide), 12
    const ActorId between = *game.world.spawn<Crate>({{{5, 0, 0}}});
    const std::vector<Found> found = found_in(game, Ray{{20, 0, 0}, {-3, 0, 0}, 15.5f});
    EXPECT_EQ(ids(found), (std::vector<ActorId>{level.id_of(3), level.id_of(2), between, level.id_of(1)}));
    EXPECT_FLOAT_EQ(found[0].distance, 7.5f);
    EXPECT_FLOAT_EQ(found[1].distance, 10);
    EXPECT_FLOAT_EQ(found[2].distance, 14.5f);
}

TEST(Space, placeless_classes_are_found_neither_as_rows_nor_as_actors) {
    // W-23
    Game game;
    LevelDef def;
    def.placed = {{Name("Rules"), {}, 0, 1}};
    const Level& level = *game.world.levels().find(game.level(def));
    const Circle everywhere{{}, std::numeric_limits<float>::infinity()};
    EXPECT_TRUE(found_in(game, everywhere).empty());
    game.touch<Actor>(level.id_of(0));
    ASSERT_TRUE(game.world.spawn("Rules").is_ok());
    EXPECT_TRUE(found_in(game, everywhere).empty());
    EXPECT_TRUE(game.world.find(level.id_of(0))->set_transform({{1, 2, 3}, 0, 2}).is_ok());
}

TEST(Space, a_changed_scale_changes_how_far_an_actor_reaches) {
    // W-23
    Game game;
    Actor& crate = *game.world.find(*game.world.spawn<Crate>());
    const auto reach = [&](float x) { return found_in(game, Circle{{x, 0, 0}, 0}).size() == 1; };
    EXPECT_TRUE(reach(0.5f));
    EXPECT_FALSE(reach(0.6f));
    for (const float scale : {40.0f, -40.0f}) {  // mirrored is as wide
        ASSERT_TRUE(crate.set_transform({{}, 0, scale}).is_ok());
        EXPECT_TRUE(reach(20));
        EXPECT_FALSE(reach(20.1f));
    }
    ASSERT_TRUE(crate.set(Name("scale"), "2").is_ok());
    EXPECT_TRUE(reach(1));
    EXPECT_FALSE(reach(1.1f));
}

TEST(Space, a_scale_that_floats_hardly_hold_is_borne) {
    // W-23
    Game game;
    Actor& barrel = *game.world.find(*game.world.spawn("Barrel", {{{}, 0, 3e38f}}));
    EXPECT_EQ(found_in(game, Circle{{1e30f, 0, 0}, 1}).size(), 1u);
    ASSERT_TRUE(barrel.set_transform({{}, 0, 1}).is_ok());
    ASSERT_TRUE(barrel.set_transform({{}, 0, -3e38f}).is_ok());
    EXPECT_EQ(found_in(game, Circle{{1e30f, 0, 0}, 1}).size(), 1u);
}

TEST(Space, the_first_question_may_come_from_any_hook) {
    // W-23
    for (const char* at : {"pre_initialize", "initialized", "begin_play", "end_play"}) {
        SCOPED_TRACE(at);
        Game game;
        game.world.begin_play();
        const Level& level = *game.world.levels().find(game.level(yard(2)));
        const Circle everywhere{{}, std::numeric_limits<float>::infinity()};
        std::vector<ActorId> seen;
        on_hook = [&](std::string_view hook, Actor&) {
            if (hook == at) seen = ids(found_in(game, everywhere));
        };
        game.touch(level.id_of(0));
        EXPECT_EQ(ids(found_in(game, everywhere)), (std::vector<ActorId>{level.id_of(0), level.id_of(1)}));
        game.world.destroy(level.id_of(0));
        EXPECT_EQ(ids(found_in(game, everywhere)), (std::vector<ActorId>{level.id_of(1)}));
        const bool is_there = std::string_view(at) == "begin_play";
        EXPECT_EQ(seen.size(), is_there ? 2u : 1u);
    }
}

TEST(Space, until_somebody_asks_there_is_no_index) {
    // W-23, W-27
    Game game;
    game.level(yard());
    ASSERT_TRUE(game.world.spawn<Crate>().is_ok());
    EXPECT_FALSE(game.world.space().is_indexed());
    found_in(game, Circle{{}, 5}, {.type = nullptr, .rows = true, .actors = false});
    EXPECT_FALSE(game.world.space().is_indexed());
    EXPECT_EQ(found_in(game, Circle{{}, 1}).size(), 2u);
    EXPECT_TRUE(game.world.space().is_indexed());
}

}  // namespace space_test
}  // namespace lyre
