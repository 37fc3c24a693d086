#include "lyre/world/runtime.h"

#include "tests/world/small_world.h"

namespace lyre {
namespace runtime_test {

TEST(Runtime, lists_its_worlds_in_order_of_making_previews_too) {
    // W-31, F-82
    Game game;
    World& first = game.world();
    EXPECT_EQ(game.runtime.worlds(), std::vector<World*>{&first});
    GameInstance other(game.runtime);
    World& second = other.open_world({.name = Name("second")});
    {
        World preview(game.runtime, {.name = Name("preview"), .kind = WorldKind::Preview});
        EXPECT_EQ(game.runtime.worlds(), (std::vector<World*>{&first, &second, &preview}));
        Runtime elsewhere(game.clock);
        EXPECT_TRUE(elsewhere.worlds().empty());
    }
    EXPECT_EQ(game.runtime.worlds(), (std::vector<World*>{&first, &second}));
    second.end();
    EXPECT_EQ(game.runtime.worlds().size(), 2u) << "it has ended and is there";
}

TEST(Runtime, tells_when_a_world_has_begun_and_when_it_has_ended) {
    // W-31, F-82
    Game game;
    game.know<Rock>();
    game.spawn<Rock>();
    auto begun = game.runtime.world_begun.add([](World& world) {
        EXPECT_TRUE(world.has_begun_play());
        stage().log.push_back(fmt::format("begun({})", world.def().name));
    });
    auto own = game.world().ended.add([](World&) { stage().log.push_back("own"); });
    auto ended = game.runtime.world_ended.add([](World& world) {
        EXPECT_EQ(world.actor_count(), 0u);
        stage().log.push_back(fmt::format("ended({})", world.def().name));
    });
    log();
    game.world().begin_play();
    game.world().begin_play();
    EXPECT_EQ(log(), "Rock.begin_play begun(world)");
    game.world().end();
    game.world().end();
    EXPECT_EQ(log(), "Rock.end_play(WorldEnded) own ended(world)");
    { World never(game.runtime, {.name = Name("never")}); }
    EXPECT_EQ(log(), "ended(never)") << "one that never began ends too";
}

TEST(Runtime, listeners_may_open_and_end_worlds) {
    // W-31, F-82
    Game game;
    GameInstance other(game.runtime);
    auto begun = game.runtime.world_begun.add([&](World& world) {
        stage().log.push_back(fmt::format("begun({})", world.def().name));
        if (world.def().name != Name("world")) return world.end();
        other.open_world({.name = Name("inner")}).begin_play();
        EXPECT_EQ(game.runtime.worlds().size(), 2u);
        throw Malice();
    });
    auto ended = game.runtime.world_ended.add(
        [&](World& world) { stage().log.push_back(fmt::format("ended({})", world.def().name)); });
    game.world().begin_play();
    EXPECT_EQ(log(), "begun(world) begun(inner) ended(inner)");
    EXPECT_EQ(game.failures(), 1u) << "what a listener throws is reported";
    game.world().tick();
    EXPECT_EQ(game.world().tick_number(), 1u);
}

TEST(Runtime, does_not_tell_of_a_world_that_ends_while_it_begins) {
    // W-31, F-82
    Game game;
    game.know<Rock>();
    game.spawn<Rock>();
    stage().at = [&](const std::string& point, Object*) {
        if (point == "Rock.begin_play") game.world().end();
    };
    auto begun = game.runtime.world_begun.add([](World&) { stage().log.push_back("begun"); });
    auto ended = game.runtime.world_ended.add([](World&) { stage().log.push_back("ended"); });
    game.world().begin_play();
    EXPECT_EQ(times("begun"), 0u);
    EXPECT_EQ(times("ended"), 1u);
}

}  // namespace runtime_test
}  // namespace lyre
