#include "lyre/world/world_hash.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

#include "tests/world/place_world.h"

namespace lyre {
namespace world_hash_test {

using place::Armour;
using place::Crate;
using place::Game;
using place::Health;
using place::Note;
using place::on_hook;
using place::yard;

const HashFilter kWithoutIds{.without_ids = true, .skip_class = nullptr, .skip_property = nullptr};

struct Letter {
    std::int32_t pages = 1;
    ActorId from;
    static void describe(TypeBuilder<Letter>& t) {
        t.property("pages", &Letter::pages);
        t.property("from", &Letter::from);
    }
    friend bool operator==(const Letter&, const Letter&) = default;
};
struct Postman : Actor {
    Property<Letter> letter;
    Property<std::vector<ActorId>> friends;
    static void describe(TypeBuilder<Postman>& t) {
        t.property("letter", &Postman::letter);
        t.property("friends", &Postman::friends);
    }
};

TEST(WorldHash, the_order_of_spawning_does_not_matter_when_ids_are_left_out) {
    // W-29
    std::vector<std::uint64_t> without, with;
    for (const bool reversed : {false, true}) {
        Game game;
        game.add<Postman>();
        ActorId last;
        for (int step = 0; step < 12; ++step) {
            const int i = reversed ? 11 - step : step;
            const ActorId id = *game.world.spawn(i % 3 == 0 ? "Postman" : "Crate", {{{static_cast<float>(i), 0, 0}}});
            if (auto* crate = game.world.find<Crate>(id)) {
                crate->loot = i;
                crate->friend_id = last;
                crate->find<Health>()->value = static_cast<float>(i) * 3;
            } else {
                auto* postman = game.world.find<Postman>(id);
                postman->letter.edit()->from = last;
                postman->friends.edit()->push_back(last);
            }
            last = id;
        }
        without.push_back(world_hash(game.world, kWithoutIds));
        with.push_back(world_hash(game.world));
    }
    EXPECT_EQ(without[0], without[1]);
    EXPECT_NE(with[0], with[1]);
}

TEST(WorldHash, any_one_value_makes_a_difference_and_putting_it_back_takes_it_away) {
    // W-29
    Game game;
    const ActorId id = *game.world.spawn<Crate>();
    Crate& crate = *game.world.find<Crate>(id);
    const std::uint64_t before = world_hash(game.world);
    const auto differs_while = [&](auto&& change, auto&& back) {
        change();
        EXPECT_NE(world_hash(game.world), before);
        EXPECT_NE(world_hash(game.world, kWithoutIds), 0u);
        back();
        EXPECT_EQ(world_hash(game.world), before);
    };
    differs_while([&] { crate.loot = 4; }, [&] { crate.loot = 3; });
    differs_while([&] { crate.friend_id = id; }, [&] { crate.friend_id = ActorId(); });
    differs_while([&] { crate.find<Armour>()->plates = 0; }, [&] { crate.find<Armour>()->plates = 2; });
    differs_while(
        [&] {
            EXPECT_TRUE(crate.set_position({1, 0, 0}).is_ok());
        },
        [&] { EXPECT_TRUE(crate.set_position({}).is_ok()); });
    differs_while([&] { EXPECT_TRUE(crate.set(Name("scale"), "2").is_ok()); },
                  [&] { EXPECT_TRUE(crate.set(Name("scale"), "1").is_ok()); });
    Component* note = nullptr;
    differs_while([&] { note = *crate.add<Note>(Name("first")); },
                  [&] { EXPECT_TRUE(game.world.remove_component(*note).is_ok()); });
    ActorId other;
    differs_while([&] { other = *game.world.spawn<Crate>(); }, [&] { game.world.destroy(other); });
    LevelId level;
    differs_while([&] { level = game.level(yard()); }, [&] { EXPECT_TRUE(game.world.levels().remove(level).is_ok()); });
}

TEST(WorldHash, the_name_of_a_component_and_whose_it_is_make_a_difference) {
    // W-29
    std::vector<std::uint64_t> hashes;
    for (const char* name : {"a", "b"}) {
        for (const int whose : {0, 1}) {
            Game game;
            const ActorId ids[] = {*game.world.spawn<Crate>(), *game.world.spawn<Crate>()};
            ASSERT_TRUE(game.world.find(ids[whose])->add<Note>(Name(name)).is_ok());
            hashes.push_back(world_hash(game.world));
        }
    }
    std::sort(hashes.begin(), hashes.end());
    EXPECT_EQ(std::unique(hashes.begin(), hashes.end()), hashes.end());
}

TEST(WorldHash, quantised_values_count_by_their_step) {
    // W-29
    Game game;
    Crate& crate = *game.world.find<Crate>(*game.world.spawn<Crate>({{{1, 1, 1}}}));
    const std::uint64_t before = world_hash(game.world);
    crate.find<Health>()->value = 100.1f;                     // in steps of 0.5
    EXPECT_TRUE(crate.set_position({1.001f, 1, 1}).is_ok());  // in steps of 0.01
    EXPECT_EQ(world_hash(game.world), before);
    crate.find<Health>()->value = 100.5f;
    EXPECT_NE(world_hash(game.world), before);
    crate.find<Health>()->value = 100;
    EXPECT_TRUE(crate.set_position({1.02f, 1, 1}).is_ok());
    EXPECT_NE(world_hash(game.world), before);
}

TEST(WorldHash, a_filter_leaves_out_classes_and_properties) {
    // W-29
    Game game;
    const Level& level = *game.world.levels().find(game.level(yard()));  // row 2 is a barrel
    Crate& crate = *game.world.find<Crate>(*game.world.spawn<Crate>());
    HashFilter no_health, no_loot, no_barrels;
    no_health.skip_class = [](const Type& type) { return type.name == Name("Health"); };
    no_loot.skip_property = [](const Type&, const PropertyInfo& property) { return property.name == Name("loot"); };
    no_barrels.skip_class = [](const Type& type) { return type.name == Name("Barrel"); };
    RunningHash running(game.world, no_loot);
    const std::uint64_t full = world_hash(game.world), health = world_hash(game.world, no_health),
                        loot = world_hash(game.world, no_loot), barrels = world_hash(game.world, no_barrels);
    crate.loot = 9;
    EXPECT_EQ(world_hash(game.world, no_loot), loot);
    EXPECT_EQ(running.value(), loot);
    EXPECT_NE(world_hash(game.world), full);
    crate.loot = 3;
    crate.find<Health>()->value = 9;
    EXPECT_EQ(world_hash(game.world, no_health), health);
    EXPECT_NE(world_hash(game.world, no_loot), loot);
    EXPECT_EQ(running.value(), world_hash(game.world, no_loot));
    crate.find<Health>()->value = 100;
    game.world.destroy(level.id_of(2));
    EXPECT_EQ(world_hash(game.world, no_barrels), barrels);
    game.world.destroy(level.id_of(1));
    EXPECT_NE(world_hash(game.world, no_barrels), barrels);
}

TEST(WorldHash, untouched_rows_count_by_their_level_and_destroyed_ones_by_their_ids) {
    // W-29, W-26
    Game game;
    game.world.begin_play();
    LevelDef one = yard(4), two = yard(4);
    two.name = Name("cellar");
    const LevelId a = game.level(one), b = game.level(two);
    Levels& levels = game.world.levels();
    const std::uint64_t before = world_hash(game.world), without = world_hash(game.world, kWithoutIds);
    const ActorId in_a = levels.find(a)->id_of(1), in_b = levels.find(b)->id_of(1);
    game.touch(in_a);
    EXPECT_NE(world_hash(game.world), before);
    ASSERT_TRUE(levels.rest(in_a).is_ok());
    EXPECT_EQ(world_hash(game.world), before);
    game.world.destroy(in_a);
    const std::uint64_t destroyed = world_hash(game.world), nameless = world_hash(game.world, kWithoutIds);
    EXPECT_NE(destroyed, before);
    EXPECT_NE(nameless, without);
    ASSERT_TRUE(levels.reset(a).is_ok());
    EXPECT_EQ(world_hash(game.world), before);
    game.touch(in_b);
    game.world.destroy(in_b);
    EXPECT_NE(world_hash(game.world), destroyed);
    EXPECT_NE(world_hash(game.world, kWithoutIds), nameless);  // another level's, also without ids
}

TEST(RunningHash, what_is_not_brought_up_does_not_count_yet) {
    // W-29
    Game game;
    game.world.begin_play();
    RunningHash running(game.world);
    const std::uint64_t before = world_hash(game.world);
    const Type& type = *game.runtime.types().find<Crate>();
    for (const bool finishes : {false, true, false}) {
        {
            auto deferred = game.world.spawn_deferred(type);
            ASSERT_TRUE(deferred.is_ok());
            static_cast<Crate&>(deferred->actor()).loot = 8;
            deferred->actor().find<Health>()->value = 1;
            EXPECT_EQ(running.value(), world_hash(game.world));
            game.world.tick();  // drains its marks
            EXPECT_EQ(running.value(), world_hash(game.world));
            if (finishes) {
                ASSERT_TRUE(deferred->finish().is_ok());
            }
        }
        EXPECT_EQ(running.value(), world_hash(game.world));
    }
    EXPECT_NE(running.value(), before);
}

TEST(RunningHash, a_spawn_that_fails_leaves_nothing_in_it) {
    // W-29
    for (const char* at : {"pre_initialize", "registered", "initialized", "begin_play", "component begin_play"}) {
        SCOPED_TRACE(at);
        Game game;
        game.world.begin_play();
        RunningHash running(game.world);
        on_hook = [&](std::string_view hook, Actor& actor) {
            static_cast<Crate&>(actor).loot += 1;
            if (Health* health = actor.find<Health>()) health->value -= 1;
            static_cast<void>(running.value());  // asked at the worst moment
            if (hook == at) throw std::runtime_error("no wood");
        };
        EXPECT_FALSE(game.world.spawn<Crate>().is_ok());
        EXPECT_EQ(running.value(), world_hash(game.world));
        EXPECT_EQ(running.value(), 0u);
        on_hook = [&](std::string_view, Actor& actor) {
            static_cast<Crate&>(actor).loot += 1;
            static_cast<void>(running.value());
        };
        const ActorId id = *game.world.spawn<Crate>();
        EXPECT_EQ(running.value(), world_hash(game.world));
        game.world.destroy(id);  // its end_play writes and asks as well
        EXPECT_EQ(running.value(), world_hash(game.world));
        EXPECT_EQ(running.value(), 0u);
    }
}

TEST(RunningHash, it_may_begin_in_the_middle_and_follow_one_of_two_drainers) {
    // W-29
    Game game;
    Crate& crate = *game.world.find<Crate>(*game.world.spawn<Crate>());
    crate.loot = 5;
    RunningHash running(game.world);
    EXPECT_EQ(running.value(), world_hash(game.world));
    game.world.keep_marks(true);
    crate.loot = 6;
    game.world.tick();
    EXPECT_EQ(running.value(), world_hash(game.world));
    game.world.drain_marks([](Object&, std::uint64_t) {});
    crate.loot = 7;
    game.world.drain_marks({});  // somebody else took the mark before the hash looked
    EXPECT_EQ(running.value(), world_hash(game.world));
}

TEST(RunningHash, a_drainer_may_destroy_what_it_is_shown) {
    // W-29
    Game game;
    RunningHash running(game.world);
    for (int i = 0; i < 20; ++i) game.world.find<Crate>(*game.world.spawn<Crate>())->loot = i;
    const auto destroy = [&](Object& object) {
        if (auto* crate = object.as<Crate>()) game.world.destroy(crate->id());
    };
    game.world.drain_marks([&](Object& object, std::uint64_t) { destroy(object); });
    EXPECT_EQ(game.world.actor_count(), 1u);  // one had its default written: no mark
    EXPECT_EQ(running.value(), world_hash(game.world));
    game.world.find<Crate>(game.world.actors()[0])->loot = 1;
    const Connection c = game.world.marks_drained.add([&](Object& object, std::uint64_t) { destroy(object); });
    game.world.tick();
    EXPECT_EQ(running.value(), 0u);
}

TEST(RunningHash, it_only_looks_at_what_changed) {
    // W-29
    Game game;
    std::size_t looked_at = 0;
    HashFilter counting;
    counting.skip_class = [&](const Type&) { return ++looked_at, false; };
    std::vector<ActorId> crates;
    for (int i = 0; i < 500; ++i) crates.push_back(*game.world.spawn<Crate>());
    game.world.tick();
    RunningHash running(game.world, counting);
    looked_at = 0;
    static_cast<void>(running.value());
    EXPECT_EQ(looked_at, 0u);
    game.world.find<Crate>(crates[7])->loot = 1;
    game.world.find<Crate>(crates[9])->find<Health>()->value = 1;
    EXPECT_EQ(running.value(), world_hash(game.world));
    EXPECT_EQ(looked_at, 2u);
}

// Thousands of things that may happen to a world, one by one.
class Life {
public:
    Life(Game& game, unsigned seed) : game_(game), random_(seed) {}

    void happen() {
        Levels& levels = game_.world.levels();
        Crate* crate = game_.world.find<Crate>(anybody());
        switch (below(20)) {
            case 0:
            case 1:
                static_cast<void>(game_.world.spawn(below(2) == 0 ? "Crate" : "Barrel", {{place(), 0, 1}}));
                break;
            case 2:
                game_.world.destroy(below(2) == 0 ? anybody() : any_row());
                break;
            case 3:
            case 4:
                static_cast<void>(levels.touch(any_row(), Name("test")));
                break;
            case 5:
            case 6:
                static_cast<void>(levels.rest(anybody()));
                break;
            case 7:
                if (levels.all().size() < 4) game_.level(yard(static_cast<int>(below(12))));
                break;
            case 8:
                if (below(4) == 0) end_a_level();
                break;
            case 9:
                game_.world.tick();
                break;
            case 10:
                game_.world.drain_marks({});
                break;
            default:
                if (crate != nullptr) write(*crate);
        }
    }

private:
    unsigned below(std::size_t count) { return static_cast<unsigned>(random_() % count); }
    Vec3 place() { return {static_cast<float>(below(100)) / 7, static_cast<float>(below(100)), 0}; }
    ActorId anybody() {
        const std::vector<ActorId> all = game_.world.actors();
        return all.empty() ? ActorId() : all[below(all.size())];
    }
    ActorId any_row() {
        const std::vector<LevelId> all = game_.world.levels().all();
        if (all.empty()) return {};
        const Level& level = *game_.world.levels().find(all[below(all.size())]);
        return level.rows().count() == 0 ? ActorId() : level.id_of(below(level.rows().count()));
    }
    void end_a_level() {
        const std::vector<LevelId> all = game_.world.levels().all();
        if (all.empty()) return;
        const LevelId id = all[below(all.size())];
        EXPECT_TRUE((below(2) == 0 ? game_.world.levels().reset(id) : game_.world.levels().remove(id)).is_ok());
    }
    void write(Crate& crate) {
        Health* health = crate.find<Health>();
        Note* note = crate.find<Note>();
        switch (below(7)) {
            case 0:
                crate.loot = static_cast<std::int32_t>(below(3)) + 2;
                break;
            case 1:
                if (health != nullptr) health->value = static_cast<float>(below(3)) / 3 + 99.5f;
                break;
            case 2:
                static_cast<void>(crate.set_position(place()));
                break;
            case 3:
                if (health != nullptr) static_cast<void>(game_.world.remove_component(*health));
                break;
            case 4:
                static_cast<void>(crate.add<Health>());
                break;
            case 5:
                note != nullptr ? static_cast<void>(game_.world.remove_component(*note))
                                : static_cast<void>(crate.add<Note>());
                break;
            default:
                static_cast<void>(crate.set(Name("yaw"), std::to_string(below(4) * 90)));
        }
    }

    Game& game_;
    std::mt19937 random_;
};

TEST(RunningHash, it_equals_the_whole_hash_after_everything_that_happens) {
    // W-29
    for (unsigned seed = 0; seed < 5; ++seed) {
        Game game;
        if (seed != 4) game.world.begin_play();
        Life life(game, seed);
        RunningHash running(game.world), without_ids(game.world, kWithoutIds);
        if (seed % 2 == 1) {  // hooks that spawn, write and destroy themselves
            int calls = 0;
            on_hook = [&game, calls](std::string_view, Actor& actor) mutable {
                if (++calls % 7 == 0) static_cast<Crate&>(actor).loot += 1;
                if (calls % 31 == 0) game.world.destroy(actor.id());
                if (calls % 53 == 0) throw std::runtime_error("no wood");
            };
        }
        for (int step = 0; step < 1500; ++step) {
            life.happen();
            ASSERT_EQ(running.value(), world_hash(game.world)) << "seed " << seed << ", step " << step;
            ASSERT_EQ(without_ids.value(), world_hash(game.world, kWithoutIds)) << "seed " << seed << ", step " << step;
        }
        EXPECT_GT(game.world.actor_count(), 0u);
    }
}

}  // namespace world_hash_test
}  // namespace lyre
