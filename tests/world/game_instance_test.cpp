#include "lyre/world/game_instance.h"

#include "tests/world/small_world.h"

namespace lyre {
namespace game_instance_test {

struct Manager : GameSubsystem {
    static void describe(TypeBuilder<Manager>&) {}
};

TEST(GameInstance, what_is_found_through_the_world_is_its_games_and_a_preview_has_none) {
    // W-31
    Game game;
    game.know<Manager>();
    GameInstance other(game.runtime);
    World& far = other.open_world({.name = Name("far")});
    EXPECT_EQ(game.world().game(), &game.instance);
    EXPECT_EQ(far.game(), &other);
    Manager* manager = game.world().game()->subsystems().find<Manager>();
    ASSERT_NE(manager, nullptr);
    EXPECT_EQ(&manager->game(), &game.instance);
    EXPECT_NE(far.game()->subsystems().find<Manager>(), manager) << "two instances do not see each other";
    World preview(game.runtime, {.name = Name("preview"), .kind = WorldKind::Preview});
    EXPECT_EQ(preview.game(), nullptr);
    EXPECT_EQ(preview.def().kind, WorldKind::Preview);
    EXPECT_TRUE(preview.spawn<Actor>());
    EXPECT_EQ(game.world().actor_count() + far.actor_count(), 0u);
    EXPECT_DEATH(game.instance.open_world({.kind = WorldKind::Preview}), "preview");
}

TEST(GameInstance, has_one_world_at_a_time_and_its_subsystems_stay) {
    // W-31
    Game game;
    game.know<Manager, Rock>();
    Manager* manager = game.instance.subsystems().find<Manager>();
    game.spawn<Rock>();
    stage().at = [&](const std::string& point, Object* object) {
        if (point != "Rock.end_play(WorldEnded)") return;
        EXPECT_EQ(game.instance.world(), &object->world()) << "still found while it ends";
    };
    World& second = game.instance.open_world({.name = Name("second")});
    EXPECT_EQ(times("Rock.end_play(WorldEnded)"), 1u);
    EXPECT_EQ(game.instance.world(), &second);
    EXPECT_EQ(game.instance.subsystems().find<Manager>(), manager);
    game.instance.travel({.name = Name("third")});
    EXPECT_EQ(game.world().def().name.text(), "third") << "outside of callbacks it happens at once";
    game.instance.close_world();
    EXPECT_EQ(game.instance.world(), nullptr);
    game.instance.tick();
}

TEST(GameInstance, a_world_may_be_opened_as_the_one_that_ends_for_it) {
    // W-31
    Game game({.name = Name("again"), .seed = 7});
    game.instance.open_world(game.world().def());
    EXPECT_EQ(game.world().def().name.text(), "again");
    EXPECT_EQ(game.world().def().seed, 7u);
    auto def = std::make_unique<WorldDef>(game.world().def());
    const Connection ended = game.world().ended.add([&](World&) { def->seed = 8; });
    EXPECT_EQ(game.instance.open_world(*def).def().seed, 7u) << "as it was when it was asked for";
}

TEST(GameInstance, a_world_that_ends_for_another_may_ask_to_go_on_to_a_third) {
    // W-31
    Game game;
    game.know<Manager, Rock>();
    std::string ended;
    const auto on_end = [&](auto what) {
        stage().at = [&ended, what](const std::string& point, Object* object) {
            if (point != "Rock.end_play(WorldEnded)") return;
            ended += std::string(object->world().def().name.text()) + "; ";
            what();
        };
    };
    game.spawn<Rock>();
    on_end([&] { game.instance.travel({.name = Name("third")}); });
    World& second = game.instance.open_world({.name = Name("second")});
    EXPECT_EQ(game.instance.world(), &second) << "as promised to who opened it";
    game.spawn<Rock>();
    on_end([&] { EXPECT_EQ(game.world().def().name.text(), "second") << "still found while it ends"; });
    game.instance.tick();
    EXPECT_EQ(game.world().def().name.text(), "third");
    EXPECT_EQ(ended, "world; second; ");
    game.spawn<Rock>();
    on_end([&] { game.instance.close_world(); });
    World& fourth = game.instance.open_world({.name = Name("fourth")});
    game.instance.tick();
    EXPECT_EQ(game.instance.world(), &fourth) << "what was to be closed is";
}

TEST(GameInstance, travel_close_and_end_from_any_hook_take_effect_after_the_tick) {
    // W-31, W-28
    struct Ticker : ReportingActor<Ticker> {
        static void describe(TypeBuilder<Ticker>& t) {
            t.component<Engine>("engine");
            t.component<Wheel>("wheel");
        }
        void tick(float) { report("Ticker.tick", this); }
    };
    for (const char* where :
         {"Ticker.construct", "Engine.construct", "Ticker.pre_initialize", "Engine.registered", "Ticker.initialized",
          "Ticker.begin_play", "Wheel.begin_play", "Ticker.tick", "timer", "Wheel.end_play(Destroyed)",
          "Ticker.end_play(Destroyed)", "Engine.end_play(WorldEnded)", "Ticker.end_play(WorldEnded)"})
        for (const int way : {0, 1, 2}) {
            Game game;
            game.know<Engine, Wheel, Ticker>();
            World& first = game.world();
            first.begin_play();
            bool done = false;
            stage().at = [&](const std::string& point, Object*) {
                if (point != where || std::exchange(done, true)) return;
                if (way == 0) game.instance.travel({.name = Name("next")});
                if (way == 1) game.instance.close_world();
                if (way == 2) game.world().end();
            };
            first.timers().next_tick([&] {
                report("timer", nullptr);
                if (auto id = first.spawn<Ticker>(); id && where == std::string("Wheel.end_play(Destroyed)"))
                    first.destroy(*id);
            });
            first.timers().after(1, [] {});
            for (int i = 0; i < 3 && game.instance.world() == &first; ++i) {
                game.instance.tick();
                if (std::string(where).find("Destroyed") != std::string::npos && game.instance.world() == &first)
                    for (ActorId id : first.actors()) first.destroy(id);
            }
            if (!done) game.instance.close_world();
            EXPECT_TRUE(done) << where;
            EXPECT_EQ(stage().alive, 0) << where << way;
            game.instance.tick();
            if (way == 0) {
                ASSERT_NE(game.instance.world(), nullptr) << where;
                EXPECT_EQ(game.world().def().name.text(), "next") << where;
                EXPECT_TRUE(game.is_bare());
            }
            EXPECT_TRUE(way != 1 || game.instance.world() == nullptr) << where;
        }
}

}  // namespace game_instance_test
}  // namespace lyre
