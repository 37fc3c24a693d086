#include "lyre/world/level.h"

#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <set>

#include "lyre/world/archetype.h"
#include "lyre/world/world_hash.h"

#include "tests/world/place_world.h"

namespace lyre {
namespace level_test {

using place::Armour;
using place::Barrel;
using place::contains;
using place::Crate;
using place::Game;
using place::Health;
using place::Note;
using place::on_construct;
using place::on_hook;
using place::yard;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

std::string problems_of(Game& game, const LevelDef& def) {
    auto added = game.world.levels().add(def);
    EXPECT_FALSE(added.is_ok());
    EXPECT_TRUE(game.world.levels().all().empty());
    return added ? std::string() : std::string(added.status().text());
}

// Definitions.

TEST(Level, a_level_has_what_its_definition_says) {
    // W-21
    Game game;
    LevelDef def = yard(3);
    def.experience = Name("tag");
    def.points = {{Name("red"), {1, 2, 3}, 45}, {Name("blue"), {4, 5, 6}, 0}};
    def.boxes = {{{0, 0, 0}, {1, 1, 4}}};
    def.scatters = {{Name("Crate"), 100, {{-50, -50, 1}, {50, 50, 1}}, 7}};
    const LevelId id = game.level(def);
    const Level& level = *game.world.levels().find(id);
    EXPECT_EQ(level.name(), Name("yard"));
    EXPECT_EQ(level.experience(), Name("tag"));
    EXPECT_EQ(level.bounds(), def.bounds);
    EXPECT_EQ(level.boxes(), def.boxes);
    EXPECT_EQ(level.points().size(), 2u);
    ASSERT_NE(level.find_point(Name("blue")), nullptr);
    EXPECT_EQ(level.find_point(Name("blue"))->at, (Vec3{4, 5, 6}));
    EXPECT_EQ(level.find_point(Name("green")), nullptr);
    ASSERT_EQ(level.rows().count(), 103u);
    EXPECT_EQ(level.class_of(1).name, Name("Crate"));
    EXPECT_EQ(level.class_of(2).name, Name("Barrel"));
    EXPECT_EQ(level.class_of(102).name, Name("Crate"));
    EXPECT_EQ(level.rows().transform(1), (Transform{{4, 0, 0}, 90, 1}));
    std::set<float> places;
    for (std::uint32_t row = 3; row < 103; ++row) {
        const Vec3 at = level.rows().position(row);
        EXPECT_TRUE(def.scatters[0].area.contains(at));
        places.insert(at.x);
    }
    EXPECT_GT(places.size(), 90u);
    EXPECT_EQ(game.world.actor_count(), 0u);
}

TEST(Level, the_same_definitions_give_the_same_rows_and_ids_on_server_and_client) {
    // W-21, W-22
    Game server({.net_mode = NetMode::DedicatedServer, .seed = 1});
    Game client({.net_mode = NetMode::Client, .seed = 99});
    ASSERT_TRUE(client.world.spawn<Crate>().is_ok());  // what else lives there changes nothing
    LevelDef woods = yard(5);
    woods.scatters = {{Name("Barrel"), 1000, {{-50, -50, 0}, {50, 50, 5}}, 7},
                      {Name("Crate"), 500, {{0, 0, 0}, {9, 9, 0}}, -8}};
    for (const LevelDef& def : {yard(3), woods}) {
        const LevelId here = server.level(def), there = client.level(def);
        EXPECT_EQ(here, there);
        const Level& a = *server.world.levels().find(here);
        const Level& b = *client.world.levels().find(there);
        EXPECT_EQ(a.rows().hash(), b.rows().hash());
        for (std::uint32_t row = 0; row < a.rows().count(); ++row) {
            ASSERT_EQ(a.id_of(row), b.id_of(row));
            ASSERT_EQ(a.rows().transform(row), b.rows().transform(row));
            ASSERT_EQ(a.class_of(row).name, b.class_of(row).name);
        }
    }
    LevelDef other = woods;
    other.scatters[0].seed = 8;
    EXPECT_NE(server.world.levels().find(server.level(other))->rows().hash(),
              server.world.levels().find(server.level(woods))->rows().hash());
}

TEST(Level, everything_wrong_with_a_definition_is_in_one_status_and_nothing_is_left) {
    // W-21
    Game game;
    LevelDef def = yard(2);
    def.bounds = {{1, 0, 0}, {0, 0, 0}};
    def.points = {
        {Name("red"), {}, 0}, {Name("red"), {}, 0}, {Name("blue"), {kNaN, 0, 0}, 0}, {Name("ochre"), {}, kNaN}};
    def.boxes = {{{0, 0, 0}, {1, 1, 1}}, {{0, 0, 5}, {1, 1, 1}}, {{0, 0, 0}, {1, kNaN, 1}}};
    def.placed.push_back({Name("Crat"), {}, 0, 1});
    def.placed.push_back({Name("Health"), {}, 0, 1});
    def.placed.push_back({Name("Shape"), {}, 0, 1});
    def.placed.push_back({Name("Crate"), {kNaN, 0, 0}, 0, 1});
    def.placed.push_back({Name("Crate"), {}, kNaN, 1});
    def.placed.push_back({Name("Crate"), {}, 0, 0});
    def.placed.push_back({Name("Crate"), {}, 0, -1});
    def.scatters = {{Name("Crate"), -1, {{0, 0, 0}, {1, 1, 0}}, 0},
                    {Name("Crate"), std::int64_t{kMaxRows} + 1, {{0, 0, 0}, {1, 1, 0}}, 0},
                    {Name("Crate"), 1, {{0, 0, 0}, {0, 1, 0}}, 0},
                    {Name("Crate"), 1, {{0, 1, 0}, {1, 0, 0}}, 0},
                    {Name("Crate"), 1, {{0, 0, kNaN}, {1, 1, 0}}, 0},
                    {Name("Barel"), -5, {{0, 0, 0}, {0, 0, 0}}, 0}};
    const std::string text = problems_of(game, def);
    for (const char* part : {"level yard",
                             "bounds: max lies below min",
                             "two points are called red",
                             "point[2]: a coordinate",
                             "point[3]: a coordinate",
                             "box[1]",
                             "box[2]",
                             "placed[2]",
                             "did you mean \"Crate\"",
                             "placed[3]: Health is not an actor class",
                             "placed[4]: class Shape cannot be made",
                             "placed[5]",
                             "placed[6]",
                             "placed[7]",
                             "placed[8]",
                             "scatter[0]: count is 0 to 67108864, not -1",
                             "scatter[1]: count is 0 to 67108864, not 2147483649",
                             "scatter[2].area: the area is empty",
                             "scatter[3].area: max lies below min",
                             "scatter[4].area: max lies below min",
                             "scatter[5]",
                             "did you mean \"Barrel\"",
                             "scatter[5]: count is 0 to 67108864, not -5",
                             "scatter[5].area: the area is empty"})
        EXPECT_TRUE(contains(text, part)) << part << "\n in: " << text;
    EXPECT_FALSE(contains(text, "box[0]"));
    EXPECT_FALSE(contains(text, "placed[0]"));
    EXPECT_EQ(game.world.actor_count(), 0u);
    EXPECT_EQ(game.level(yard(2)), (LevelId{World::kFirstRowIndex, 1}));  // the failed one took no range
}

TEST(Level, more_rows_in_all_than_a_level_may_have_hide_no_other_problem) {
    // W-21
    Game game;
    LevelDef def = yard(1);
    def.scatters = {{Name("Crate"), Levels::kMaxRows, {{0, 0, 0}, {1, 1, 0}}, 0},
                    {Name("Crat"), Levels::kMaxRows, {{0, 0, 0}, {1, 1, 0}}, 0}};
    const std::string text = problems_of(game, def);
    EXPECT_TRUE(contains(text, "at most 67108864 fit")) << text;
    EXPECT_TRUE(contains(text, "scatter[1]")) << text;
}

TEST(Level, a_flood_of_problems_is_cut_and_counted) {
    // W-21
    Game game;
    LevelDef def;
    for (int i = 0; i < 5000; ++i) def.placed.push_back({Name("Nothing"), {}, 0, 1});
    const std::string text = problems_of(game, def);
    EXPECT_TRUE(contains(text, "and 4968 more")) << text.size();
    EXPECT_LT(text.size(), 8000u);
}

TEST(Level, an_area_wider_than_floats_reach_is_a_status) {
    // W-21
    Game game;
    LevelDef def;
    constexpr float kHuge = std::numeric_limits<float>::max();
    def.scatters = {{Name("Crate"), 10, {{-kHuge, -kHuge, 0}, {kHuge, kHuge, 0}}, 0}};
    auto added = game.world.levels().add(def);
    if (!added) {
        EXPECT_TRUE(contains(added.status().text(), "scatter[0]")) << added.status().text();
        EXPECT_LT(added.status().text().size(), 1000u);
    }
}

TEST(Level, a_class_that_a_level_places_cannot_leave) {
    // W-21
    Game game;
    const LevelId id = game.level(yard(3));
    const Status refused = game.runtime.types().remove(Name("Barrel"));
    EXPECT_TRUE(contains(refused.text(), "level yard")) << refused.text();
    ASSERT_TRUE(game.world.levels().remove(id).is_ok());
    EXPECT_TRUE(game.runtime.types().remove(Name("Barrel")).is_ok());
    EXPECT_FALSE(game.world.levels().add(yard(3)).is_ok());
}

// Ids.

TEST(Level, ranges_are_used_again_under_a_new_generation) {
    // W-22
    Game game;
    Levels& levels = game.world.levels();
    const LevelId a = game.level(yard(10)), b = game.level(yard(4)), c = game.level(yard(0)), d = game.level(yard(6));
    EXPECT_EQ(b.index, a.index + 10);
    EXPECT_EQ(c.index, b.index + 4);
    EXPECT_EQ(d.index, c.index + 1);  // an empty level has an id of its own, too
    const ActorId stale = levels.find(b)->id_of(2);
    EXPECT_TRUE(levels.exists(stale));
    ASSERT_TRUE(levels.remove(b).is_ok());
    EXPECT_EQ(levels.remove(b).code(), StatusCode::NotFound);
    EXPECT_EQ(levels.reset(b).code(), StatusCode::NotFound);
    EXPECT_EQ(levels.find(b), nullptr);
    const LevelId wide = game.level(yard(5));  // does not fit the gap
    EXPECT_EQ(wide.index, d.index + 6);
    const LevelId again = game.level(yard(4));
    EXPECT_EQ(again.index, b.index);
    EXPECT_NE(again.generation, b.generation);
    EXPECT_FALSE(levels.exists(stale));
    EXPECT_EQ(levels.class_of(stale), nullptr);
    EXPECT_EQ(levels.level_of(stale), nullptr);
    EXPECT_EQ(game.world.find(stale), nullptr);
    EXPECT_FALSE(game.world.destroy(stale));
    EXPECT_EQ(levels.touch(stale, Name("test")).status().code(), StatusCode::NotFound);
    EXPECT_EQ(levels.rest(stale).code(), StatusCode::NotFound);
    EXPECT_FALSE(levels.hold(stale).is_ok());
    EXPECT_TRUE(levels.exists({stale.index, again.generation}));
    EXPECT_FALSE(levels.exists({wide.index + 5, wide.generation}));  // behind the last row
    EXPECT_EQ(levels.all(), (std::vector<LevelId>{a, again, c, d, wide}));
}

TEST(Level, many_levels_come_and_go_and_their_ids_never_overlap) {
    // W-22
    Game game;
    game.world.begin_play();
    Levels& levels = game.world.levels();
    std::mt19937 random(5);
    std::vector<LevelId> standing;
    for (int step = 0; step < 400; ++step) {
        if (standing.size() < 12 && random() % 2 == 0) {
            standing.push_back(game.level(yard(static_cast<int>(random() % 9))));
        } else if (!standing.empty()) {
            const std::size_t which = random() % standing.size();
            const Level& level = *levels.find(standing[which]);
            for (std::uint32_t row = 0; row < level.rows().count(); row += 2) game.touch(level.id_of(row));
            ASSERT_TRUE(levels.remove(standing[which]).is_ok());
            standing.erase(standing.begin() + static_cast<std::ptrdiff_t>(which));
        }
        std::set<std::uint32_t> used;
        for (LevelId id : levels.all()) {
            const Level& level = *levels.find(id);
            for (std::uint32_t row = 0; row < level.rows().count(); ++row) {
                ASSERT_TRUE(used.insert(level.id_of(row).index).second);
                ASSERT_EQ(levels.level_of(level.id_of(row)), &level);
            }
        }
        ASSERT_EQ(levels.all().size(), standing.size());
        ASSERT_EQ(game.world.actor_count(), 0u);
        ASSERT_EQ(game.world.component_count(), 0u);
    }
}

// Touching.

TEST(Level, touching_makes_the_actor_with_the_id_class_and_transform_of_its_row) {
    // W-22, W-24
    Game game;
    game.world.begin_play();
    const LevelId id = game.level(yard());
    const Level& level = *game.world.levels().find(id);
    std::vector<std::string> hooks;
    on_hook = [&](std::string_view hook, Actor& actor) {
        EXPECT_EQ(game.world.find(actor.id()), &actor) << hook;
        hooks.emplace_back(hook);
    };
    int announced = 0;
    const Connection c = game.world.actor_initialized.add([&](Actor&) { ++announced; });
    const ActorId row = level.id_of(2);
    EXPECT_EQ(game.world.find(row), nullptr);
    auto* barrel = game.touch<Barrel>(row, "hit");
    EXPECT_EQ(hooks, (std::vector<std::string>{"pre_initialize", "registered", "initialized", "begin_play",
                                               "component begin_play"}));
    EXPECT_EQ(announced, 1);
    EXPECT_EQ(barrel->id(), row);
    EXPECT_EQ(barrel->type().name, Name("Barrel"));
    EXPECT_EQ(barrel->transform(), level.rows().transform(2));
    EXPECT_TRUE(barrel->is_from_row());
    EXPECT_TRUE(barrel->has_begun_play());
    EXPECT_EQ(barrel->role(), Role::Authority);
    EXPECT_EQ(game.world.actor_count(), 1u);
    EXPECT_EQ(game.state(row), RowState::Touched);
}

TEST(Level, touching_twice_gives_one_actor_and_counts_once) {
    // W-24
    Game game;
    const ActorId row = game.world.levels().find(game.level(yard()))->id_of(1);
    Crate* first = game.touch(row, "hit");
    EXPECT_EQ(game.touch(row, "look"), first);
    game.touch({row.index + 1, row.generation}, "hit");
    EXPECT_EQ(game.world.levels().touches(Name("hit")), 2u);
    EXPECT_EQ(game.world.levels().touches(Name("look")), 0u);
    EXPECT_EQ(game.world.levels().touches().size(), 1u);
    EXPECT_EQ(game.world.actor_count(), 2u);
    const ActorId spawned = *game.world.spawn<Crate>();
    EXPECT_EQ(game.touch(spawned, "hit"), game.world.find(spawned));  // no row: just the actor
    EXPECT_EQ(game.world.levels().touches(Name("hit")), 2u);
}

TEST(Level, a_touch_inside_a_touch_finds_the_actor_that_is_being_made) {
    // W-24
    for (const char* at : {"pre_initialize", "registered", "initialized", "begin_play", "component begin_play"}) {
        SCOPED_TRACE(at);
        Game game;
        game.world.begin_play();
        const Level& level = *game.world.levels().find(game.level(yard()));
        int inner = 0;
        on_hook = [&](std::string_view hook, Actor& actor) {
            if (hook != at || actor.id() != level.id_of(0)) return;
            EXPECT_EQ(game.touch(actor.id()), &actor);
            EXPECT_NE(game.touch(level.id_of(1)), nullptr);  // a neighbour, whole
            EXPECT_TRUE(game.world.find(level.id_of(1))->has_begun_play());
            ++inner;
        };
        EXPECT_NE(game.touch(level.id_of(0)), nullptr);
        EXPECT_EQ(inner, 1);
        EXPECT_EQ(game.world.actor_count(), 2u);
    }
}

TEST(Level, on_a_client_the_actor_of_a_row_is_simulated_and_begins_with_the_world) {
    // W-24
    Game game({.net_mode = NetMode::Client});
    const ActorId row = game.world.levels().find(game.level(yard()))->id_of(0);
    Crate* crate = game.touch(row);
    EXPECT_EQ(crate->role(), Role::SimulatedProxy);
    EXPECT_FALSE(crate->has_begun_play());
    game.world.begin_play();
    EXPECT_TRUE(crate->has_begun_play());
}

TEST(Level, a_touch_that_throws_leaves_a_row_and_may_be_tried_again) {
    // W-24
    for (const char* at : {"pre_initialize", "registered", "initialized", "begin_play", "component begin_play"}) {
        SCOPED_TRACE(at);
        Game game;
        game.world.begin_play();
        const Level& level = *game.world.levels().find(game.level(yard()));
        const ActorId row = level.id_of(1);
        const std::uint64_t before = world_hash(game.world);
        on_hook = [&](std::string_view hook, Actor&) {
            if (hook == at) throw std::runtime_error("no wood");
        };
        auto touched = game.world.levels().touch(row, Name("test"));
        ASSERT_FALSE(touched.is_ok());
        EXPECT_TRUE(contains(touched.status().text(), "no wood")) << touched.status().text();
        EXPECT_EQ(game.world.find(row), nullptr);
        EXPECT_EQ(game.state(row), RowState::Resting);
        EXPECT_TRUE(game.world.levels().exists(row));
        EXPECT_EQ(game.world.actor_count(), 0u);
        EXPECT_EQ(game.world.component_count(), 0u);
        EXPECT_EQ(world_hash(game.world), before);
        on_hook = nullptr;
        EXPECT_NE(game.touch(row), nullptr);
    }
}

TEST(Level, a_touch_whose_construction_throws_leaves_a_row) {
    // W-24
    for (const char* what : {"Crate", "Health"}) {
        SCOPED_TRACE(what);
        Game game;
        const ActorId row = game.world.levels().find(game.level(yard()))->id_of(1);
        on_construct = [&](std::string_view made) {
            if (made == what) throw std::runtime_error("no wood");
        };
        EXPECT_EQ(game.world.levels().touch(row, Name("test")).status().code(), StatusCode::Failed);
        EXPECT_EQ(game.state(row), RowState::Resting);
        EXPECT_EQ(game.world.actor_count() + game.world.component_count(), 0u);
        on_construct = nullptr;
        EXPECT_NE(game.touch(row), nullptr);
        EXPECT_EQ(game.world.spawn<Crate>()->index, 1u);  // no id was freed that had not been taken
    }
}

TEST(Level, a_row_touched_before_play_whose_begin_throws_is_a_row_again) {
    // W-24
    Game game;
    const ActorId row = game.world.levels().find(game.level(yard()))->id_of(1);
    game.touch(row);
    on_hook = [&](std::string_view hook, Actor&) {
        if (hook == "begin_play") throw std::runtime_error("no wood");
    };
    game.world.begin_play();
    EXPECT_EQ(game.world.find(row), nullptr);
    EXPECT_EQ(game.state(row), RowState::Resting);
}

TEST(Level, a_touch_that_removes_a_component_and_throws_leaves_nothing) {
    // W-24
    Game game;
    game.world.begin_play();
    const ActorId row = game.world.levels().find(game.level(yard()))->id_of(1);
    on_hook = [&](std::string_view hook, Actor& actor) {
        if (hook != "begin_play") return;
        EXPECT_TRUE(game.world.remove_component(*actor.find_component(Name("armour"))).is_ok());
        throw std::runtime_error("no wood");
    };
    EXPECT_FALSE(game.world.levels().touch(row, Name("test")).is_ok());
    EXPECT_EQ(game.state(row), RowState::Resting);
    EXPECT_EQ(game.world.component_count(), 0u);
}

TEST(Level, an_actor_may_destroy_itself_while_it_is_touched) {
    // W-24, W-26
    for (const char* at : {"pre_initialize", "registered", "initialized", "begin_play", "component begin_play"}) {
        for (const bool throws_too : {false, true}) {
            SCOPED_TRACE(at);
            Game game;
            game.world.begin_play();
            const ActorId row = game.world.levels().find(game.level(yard()))->id_of(1);
            on_hook = [&](std::string_view hook, Actor& actor) {
                if (hook != at) return;
                EXPECT_TRUE(actor.world().destroy(actor.id()));
                if (throws_too) throw std::runtime_error("and fell");
            };
            EXPECT_FALSE(game.world.levels().touch(row, Name("test")).is_ok());
            EXPECT_EQ(game.state(row), RowState::Destroyed);
            EXPECT_EQ(game.world.actor_count() + game.world.component_count(), 0u);
        }
    }
}

// Resting.

TEST(Level, hit_heal_rest_and_the_row_is_there_as_before) {
    // W-25
    Game game;
    game.world.begin_play();
    const Level& level = *game.world.levels().find(game.level(yard()));
    const ActorId row = level.id_of(1);
    const std::uint64_t before = world_hash(game.world);
    EndReason reason = EndReason::Destroyed;
    on_hook = [&](std::string_view hook, Actor& actor) {
        if (hook == "end_play") reason = static_cast<Crate&>(actor).ended;
    };
    for (int cycle = 0; cycle < 50; ++cycle) {
        auto* health = game.touch(row)->find<Health>();
        health->value -= 40;
        EXPECT_TRUE(contains(game.world.levels().rest(row).text(), "health.value"));
        game.world.tick();
        health->value = 100;
        ASSERT_TRUE(game.world.levels().rest(row).is_ok());
        EXPECT_EQ(reason, EndReason::Rested);
        EXPECT_EQ(game.world.actor_count() + game.world.component_count(), 0u);
        EXPECT_EQ(game.world.find(row), nullptr);
        EXPECT_TRUE(game.world.levels().exists(row));
        EXPECT_EQ(game.world.levels().class_of(row)->name, Name("Crate"));
        EXPECT_EQ(game.state(row), RowState::Resting);
        EXPECT_TRUE(game.world.levels().rest(row).is_ok());  // it does already
        EXPECT_EQ(world_hash(game.world), before);
    }
    EXPECT_EQ(game.world.levels().touches(Name("test")), 50u);
}

TEST(Level, whatever_keeps_an_actor_from_resting_is_named) {
    // W-25
    Game game;
    game.world.begin_play();
    Levels& levels = game.world.levels();
    const ActorId row = levels.find(game.level(yard()))->id_of(1);
    Crate* crate = game.touch(row);
    const auto why = [&] {
        const Status status = levels.rest(row);
        EXPECT_EQ(status.is_ok() ? StatusCode::Ok : StatusCode::Refused, status.code());
        EXPECT_EQ(game.world.find(row), crate);
        EXPECT_EQ(levels.why_not_at_rest(*crate).text(), status.text());
        return std::string(status.text());
    };
    {
        auto hold = levels.hold(row), second = levels.hold(row);
        EXPECT_TRUE(contains(why(), "is held"));
        *hold = ActorHold();
        EXPECT_TRUE(contains(why(), "is held"));
    }
    const TimerId timer = game.world.timers().after(
        5, [] {}, row);
    EXPECT_TRUE(contains(why(), "has a timer"));
    game.world.timers().cancel(timer);

    const GameplayTag wet = game.tag("State.Wet"), wooden = game.tag("Prop.Wooden");
    ASSERT_TRUE(game.world.tags().add(row, wet).is_ok());
    EXPECT_TRUE(contains(why(), "tags"));
    ASSERT_TRUE(game.world.tags().remove(row, wet).is_ok());
    ASSERT_TRUE(game.world.tags().add(row, wooden).is_ok());
    EXPECT_TRUE(contains(why(), "tags"));
    ASSERT_TRUE(game.world.tags().remove(row, wooden).is_ok());
    ASSERT_TRUE(game.world.tags().remove(row, wooden).is_ok());
    EXPECT_TRUE(contains(why(), "tags"));
    ASSERT_TRUE(game.world.tags().add(row, wooden).is_ok());

    const Transform home = crate->transform();
    for (const Transform& away :
         {Transform{{4, 0, 1}, 90, 1}, Transform{{4, 0, 0}, 91, 1}, Transform{{4, 0, 0}, 90, 2}}) {
        ASSERT_TRUE(crate->set_transform(away).is_ok());
        EXPECT_TRUE(contains(why(), "not where it was placed"));
    }
    ASSERT_TRUE(crate->set_transform(home).is_ok());

    crate->loot = 4;
    EXPECT_TRUE(contains(why(), "loot"));
    crate->loot = 3;
    crate->find<Armour>()->plates = 1;
    EXPECT_TRUE(contains(why(), "armour.plates"));
    crate->find<Armour>()->plates = 2;

    auto note = crate->add<Note>();
    ASSERT_TRUE(note.is_ok());
    EXPECT_TRUE(contains(why(), "component Note"));
    ASSERT_TRUE(game.world.remove_component(**note).is_ok());
    ASSERT_TRUE(game.world.remove_component(*crate->find<Armour>()).is_ok());
    EXPECT_TRUE(contains(why(), "lost its component armour"));
    ASSERT_TRUE(crate->add_component(Name("Note"), Name("armour")).is_ok());  // another class under its name
    EXPECT_TRUE(contains(why(), "armour"));
    ASSERT_TRUE(game.world.remove_component(*crate->find_component(Name("armour"))).is_ok());
    ASSERT_TRUE(crate->add<Armour>().is_ok());
    EXPECT_TRUE(levels.rest(row).is_ok());
    EXPECT_EQ(game.world.actor_count(), 0u);

    const ActorId spawned = *game.world.spawn<Crate>();
    EXPECT_TRUE(contains(levels.rest(spawned).text(), "not placed"));
}

TEST(Level, a_component_removed_in_this_very_phase_is_missed_and_one_added_is_not) {
    // W-25
    Game game;
    game.world.begin_play();
    const ActorId row = game.world.levels().find(game.level(yard()))->id_of(1);
    game.touch(row);
    std::string lost, regained;
    game.world.timers().next_tick([&] {
        Actor* crate = game.world.find(row);
        EXPECT_TRUE(game.world.remove_component(**crate->add<Note>()).is_ok());
        regained = game.world.levels().why_not_at_rest(*crate).text();
        EXPECT_TRUE(game.world.remove_component(*crate->find<Armour>()).is_ok());
        lost = game.world.levels().rest(row).text();
    });
    game.world.tick();
    EXPECT_EQ(regained, "");
    EXPECT_TRUE(contains(lost, "lost its component armour")) << lost;
}

TEST(Level, a_placed_archetype_is_touched_with_its_own_defaults_and_rests_at_them) {
    // W-21, W-24, W-25
    Game game;
    ArchetypeDef def;
    def.name = Name("RichCrate");
    def.parent = Name("Crate");
    def.tags = {game.tag("State.Wet")};
    def.defaults.set("loot", Node::integer(50));
    def.components = {{Name("Note"), Name("label")}};
    ASSERT_TRUE(add_archetype(game.runtime.types(), game.runtime.tags(), def).is_ok());
    LevelDef cellar;
    cellar.placed = {{Name("RichCrate"), {}, 0, 1}};
    const ActorId row = game.world.levels().find(game.level(cellar))->id_of(0);
    EXPECT_TRUE(game.world.tags().has(row, game.tag("State.Wet")));
    Crate* crate = game.touch(row);
    EXPECT_EQ(crate->loot, 50);
    EXPECT_EQ(crate->marks(), 0u);
    ASSERT_NE(crate->find_component(Name("label")), nullptr);
    crate->loot = 3;  // the default of its parent is not its own
    EXPECT_TRUE(contains(game.world.levels().rest(row).text(), "loot"));
    crate->loot = 50;
    EXPECT_TRUE(game.world.levels().rest(row).is_ok());
    EXPECT_EQ(game.touch(row)->loot, 50);
}

TEST(Level, a_kept_id_does_not_keep_an_actor_from_resting_and_a_hold_may_outlive_all) {
    // W-25
    ActorHold survivor;
    {
        Game game;
        game.world.begin_play();
        const Level& level = *game.world.levels().find(game.level(yard()));
        game.touch(level.id_of(0))->friend_id = level.id_of(1);
        game.touch(level.id_of(1));
        EXPECT_TRUE(game.world.levels().rest(level.id_of(1)).is_ok());
        game.touch(level.id_of(2));
        survivor = *game.world.levels().hold(level.id_of(2));
        EXPECT_FALSE(game.world.levels().hold(level.id_of(3)).is_ok());  // a row: nothing to hold
        EXPECT_TRUE(game.world.destroy(level.id_of(2)));
    }
}

TEST(Level, in_the_phase_in_which_it_goes_to_rest_an_actor_is_neither_found_nor_made) {
    // W-25
    Game game;
    game.world.begin_play();
    Levels& levels = game.world.levels();
    const ActorId row = levels.find(game.level(yard()))->id_of(1);
    game.touch(row);
    game.world.timers().next_tick([&] {
        EXPECT_TRUE(levels.rest(row).is_ok());
        EXPECT_EQ(game.world.find(row), nullptr);
        EXPECT_TRUE(levels.exists(row));
        EXPECT_EQ(levels.touch(row, Name("test")).status().code(), StatusCode::Refused);
        EXPECT_TRUE(levels.rest(row).is_ok());
    });
    on_hook = [&](std::string_view hook, Actor&) {
        if (hook == "end_play") {
            EXPECT_FALSE(levels.touch(row, Name("test")).is_ok());
        }
    };
    game.world.tick();
    EXPECT_EQ(game.state(row), RowState::Resting);
    on_hook = nullptr;
    EXPECT_NE(game.touch(row), nullptr);
}

TEST(Level, resting_while_it_is_touched_leaves_a_row) {
    // W-24, W-25
    Game game;
    game.world.begin_play();
    const ActorId row = game.world.levels().find(game.level(yard()))->id_of(1);
    on_hook = [&](std::string_view hook, Actor& actor) {
        if (hook == "begin_play") {
            EXPECT_TRUE(game.world.levels().rest(actor.id()).is_ok());
        }
    };
    EXPECT_FALSE(game.world.levels().touch(row, Name("test")).is_ok());
    EXPECT_EQ(game.state(row), RowState::Resting);
    EXPECT_EQ(game.world.actor_count(), 0u);
}

TEST(Level, what_goes_to_rest_may_still_be_destroyed) {
    // W-25, W-26
    Game game;
    game.world.begin_play();
    const ActorId row = game.world.levels().find(game.level(yard()))->id_of(1);
    game.touch(row);
    game.world.timers().next_tick([&] {
        EXPECT_TRUE(game.world.levels().rest(row).is_ok());
        EXPECT_TRUE(game.world.destroy(row));
        EXPECT_FALSE(game.world.destroy(row));
    });
    game.world.tick();
    EXPECT_EQ(game.state(row), RowState::Destroyed);
    EXPECT_EQ(game.world.actor_count(), 0u);
}

// Destroying and resetting.

TEST(Level, a_destroyed_row_stays_destroyed_for_late_joiners_until_the_level_resets) {
    // W-26
    for (const bool touched_first : {false, true}) {
        Game game;
        game.world.begin_play();
        Levels& levels = game.world.levels();
        const LevelId id = game.level(yard());
        const Level& level = *levels.find(id);
        const ActorId row = level.id_of(1);
        const std::uint64_t before = world_hash(game.world);
        if (touched_first) game.touch(row);
        EXPECT_TRUE(game.world.destroy(row));
        EXPECT_FALSE(game.world.destroy(row));
        EXPECT_FALSE(levels.exists(row));
        EXPECT_EQ(levels.class_of(row), nullptr);
        EXPECT_EQ(game.world.find(row), nullptr);
        EXPECT_EQ(levels.touch(row, Name("test")).status().code(), StatusCode::NotFound);
        EXPECT_EQ(levels.rest(row).code(), StatusCode::NotFound);
        std::vector<std::uint32_t> listed;
        level.rows().each_destroyed([&](std::uint32_t gone) { listed.push_back(gone); });
        EXPECT_EQ(listed, (std::vector<std::uint32_t>{1}));
        EXPECT_NE(world_hash(game.world), before);
        std::vector<Found> found;
        game.world.space().find(Circle{level.rows().position(1), 0.1f}, {}, found);
        EXPECT_TRUE(found.empty());
        game.touch(level.id_of(3))->loot = 9;
        ASSERT_TRUE(levels.reset(id).is_ok());
        EXPECT_EQ(game.world.actor_count(), 0u);
        EXPECT_TRUE(levels.exists(row));
        EXPECT_EQ(level.rows().count(RowState::Resting), level.rows().count());
        EXPECT_EQ(world_hash(game.world), before);
        EXPECT_EQ(game.touch(level.id_of(3))->loot, 3);
    }
}

TEST(Level, only_a_real_destruction_is_remembered) {
    // W-26
    Game game;
    const Level& level = *game.world.levels().find(game.level(yard()));
    for (const EndReason reason : {EndReason::Irrelevant, EndReason::Rested}) {
        game.touch(level.id_of(1));
        EXPECT_TRUE(game.world.destroy(level.id_of(1), reason));  // an actor
        EXPECT_TRUE(game.world.destroy(level.id_of(2), reason));  // a row: it stays one
        EXPECT_EQ(game.state(level.id_of(1)), RowState::Resting);
        EXPECT_EQ(game.state(level.id_of(2)), RowState::Resting);
    }
}

TEST(Level, removing_a_level_ends_its_actors_newest_first_and_no_others) {
    // W-21, W-24
    Game game;
    game.world.begin_play();
    Levels& levels = game.world.levels();
    const LevelId id = game.level(yard(40)), other = game.level(yard());
    const ActorId spawned = *game.world.spawn<Crate>();
    const ActorId neighbour = game.touch(levels.find(other)->id_of(0))->id();
    std::vector<ActorId> touched;
    for (std::uint32_t i = 0; i < 40; ++i) touched.push_back(game.touch(levels.find(id)->id_of(i * 17 % 40))->id());
    std::vector<ActorId> ended;
    on_hook = [&](std::string_view hook, Actor& actor) {
        if (hook != "end_play") return;
        EXPECT_EQ(static_cast<Crate&>(actor).ended, EndReason::LevelRemoved);
        EXPECT_EQ(levels.remove(other).code(), StatusCode::Refused);
        EXPECT_EQ(levels.reset(other).code(), StatusCode::Refused);
        ended.push_back(actor.id());
    };
    ASSERT_TRUE(levels.remove(id).is_ok());
    on_hook = nullptr;
    EXPECT_EQ(ended, std::vector<ActorId>(touched.rbegin(), touched.rend()));
    EXPECT_EQ(game.world.actors(), (std::vector<ActorId>{spawned, neighbour}));
}

TEST(Level, inside_a_callback_a_level_is_neither_removed_nor_reset) {
    // W-21
    Game game;
    game.world.begin_play();
    const LevelId id = game.level(yard());
    game.touch(game.world.levels().find(id)->id_of(0));
    game.world.timers().next_tick([&] {
        EXPECT_EQ(game.world.levels().remove(id).code(), StatusCode::Refused);
        EXPECT_EQ(game.world.levels().reset(id).code(), StatusCode::Refused);
        game.level(yard(2));  // adding is possible at any time
    });
    game.world.tick();
    EXPECT_EQ(game.world.levels().all().size(), 2u);
    EXPECT_EQ(game.world.actor_count(), 1u);
}

TEST(Level, rows_of_a_level_that_goes_or_resets_cannot_be_touched_by_actors_that_end) {
    // W-21, W-24
    for (const bool removes : {false, true}) {
        Game game;
        game.world.begin_play();
        Levels& levels = game.world.levels();
        const LevelId id = game.level(yard()), other = game.level(yard());
        const ActorId first = levels.find(id)->id_of(0), second = levels.find(id)->id_of(1);
        const ActorId elsewhere = levels.find(other)->id_of(0);
        game.touch(first);
        on_hook = [&](std::string_view hook, Actor& actor) {
            if (hook != "end_play" || actor.id() != first) return;
            EXPECT_FALSE(levels.touch(first, Name("test")).is_ok());
            EXPECT_FALSE(levels.touch(second, Name("test")).is_ok());
            EXPECT_NE(game.touch(elsewhere), nullptr);
        };
        EXPECT_TRUE((removes ? levels.remove(id) : levels.reset(id)).is_ok());
        on_hook = nullptr;
        EXPECT_EQ(game.world.actors(), (std::vector<ActorId>{elsewhere}));
        game.world.tick();
        if (!removes) {
            EXPECT_NE(game.touch(second), nullptr);
        }
    }
}

TEST(Level, a_world_that_ends_takes_its_levels_and_makes_nothing_more) {
    // W-21, W-24
    Game game;
    game.world.begin_play();
    const LevelId id = game.level(yard());
    const ActorId first = game.world.levels().find(id)->id_of(0), second = game.world.levels().find(id)->id_of(1);
    game.touch(first);
    int ended = 0;
    on_hook = [&](std::string_view hook, Actor& actor) {
        if (hook != "end_play") return;
        EXPECT_EQ(static_cast<Crate&>(actor).ended, EndReason::WorldEnded);
        EXPECT_FALSE(game.world.levels().touch(second, Name("test")).is_ok());
        ++ended;
    };
    game.world.end();
    EXPECT_EQ(ended, 1);
    EXPECT_TRUE(game.world.levels().all().empty());
    EXPECT_FALSE(game.world.levels().exists(first));
    EXPECT_EQ(game.world.levels().add(yard()).status().code(), StatusCode::Refused);
    EXPECT_EQ(game.world.levels().remove(id).code(), StatusCode::NotFound);
}

// Cost.

TEST(Level, a_tick_does_nothing_per_row) {
    // W-27: the time is in bench/world_rows_bench.cpp; here, that nothing of a row is made, marked or changed.
    Game game;
    game.world.begin_play();
    LevelDef def;
    def.scatters = {{Name("Crate"), 100'000, {{-500, -500, 0}, {500, 500, 0}}, 3}};
    const LevelId id = game.level(def);
    int calls = 0;
    on_construct = [&](std::string_view) { ++calls; };
    on_hook = [&](std::string_view, Actor&) { ++calls; };
    const Connection c = game.world.marks_drained.add([&](Object&, std::uint64_t) { ++calls; });
    const std::uint64_t before = world_hash(game.world);
    for (int i = 0; i < 100; ++i) game.world.tick();
    EXPECT_EQ(calls, 0);
    EXPECT_EQ(world_hash(game.world), before);
    EXPECT_EQ(game.world.actor_count() + game.world.component_count() + game.world.timers().count(), 0u);
    EXPECT_EQ(game.world.levels().find(id)->rows().count(RowState::Resting), 100'000u);
    EXPECT_FALSE(game.world.space().is_indexed());
    EXPECT_LE(game.world.levels().find(id)->rows().bytes(), 100'000u * 24);  // W-22
}

}  // namespace level_test
}  // namespace lyre
