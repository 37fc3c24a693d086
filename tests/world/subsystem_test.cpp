#include "lyre/world/subsystem.h"

#include "tests/world/small_world.h"

namespace lyre {
namespace subsystem_test {

template <class Self, class Base> struct Reporting : Base {
    Counted counted;
    void initialize() { tell("initialize"); }
    void deinitialize() { tell("deinitialize"); }

private:
    static void tell(const char* what) { report(fmt::format("{}.{}", type_name<Self>(), what), nullptr); }
};
struct Scores : Reporting<Scores, WorldSubsystem> {
    static void describe(TypeBuilder<Scores>&) {}
};
struct Weather : Reporting<Weather, WorldSubsystem> {
    static void describe(TypeBuilder<Weather>&) {}
};
struct Shop {
    virtual ~Shop() = default;
    int coins = 3;
};
struct Profile : Shop, Reporting<Profile, GameSubsystem> {  // its base is not at its beginning
    static void describe(TypeBuilder<Profile>&) {}
};

TEST(Subsystems, are_made_in_order_of_registration_and_go_in_reverse) {
    // W-20
    Game game;
    game.know<Profile>();
    EXPECT_TRUE(game.runtime.types().add<Weather>());
    EXPECT_TRUE(game.runtime.types().add<Scores>());
    EXPECT_EQ(log(), "Weather.initialize Scores.initialize") << "those there are already have it at once";
    game.instance.open_world({.name = Name("second")});
    EXPECT_EQ(log(), "Scores.deinitialize Weather.deinitialize Weather.initialize Scores.initialize");
    Scores* scores = game.world().subsystems().find<Scores>();
    ASSERT_NE(scores, nullptr);
    EXPECT_EQ(&scores->world(), &game.world());
    EXPECT_EQ(game.world().subsystems().find<Profile>(), nullptr) << "that is the game's";
    Profile* profile = game.instance.subsystems().find<Profile>();
    ASSERT_NE(profile, nullptr);
    EXPECT_EQ(&profile->game(), &game.instance);
    EXPECT_EQ(profile->coins, 3);
    EXPECT_EQ(game.world().subsystems().count(), 2u);
    game.instance.close_world();
    EXPECT_EQ(log(), "Scores.deinitialize Weather.deinitialize");
}

TEST(Subsystems, one_that_a_feature_brings_goes_with_the_feature_in_every_world) {
    // W-20, W-33
    Game game;
    GameInstance second(game.runtime);
    World& other = second.open_world({});
    const Owner feature = Owner::feature(Name("weather"), 3);
    {
        const OwnerScope as(feature);
        EXPECT_TRUE(game.runtime.types().add<Weather>());
    }
    EXPECT_EQ(times("Weather.initialize"), 2u);
    EXPECT_NE(game.world().subsystems().find<Weather>(), other.subsystems().find<Weather>());
    EXPECT_TRUE(game.runtime.types().remove_all(feature));
    EXPECT_EQ(times("Weather.deinitialize"), 2u);
    EXPECT_EQ(game.world().subsystems().find<Weather>(), nullptr);
    EXPECT_EQ(other.subsystems().count(), 0u);
    EXPECT_TRUE(game.runtime.types().add<Weather>()) << "and may come back";
    EXPECT_NE(other.subsystems().find<Weather>(), nullptr);
}

TEST(Subsystems, hooks_run_under_the_owner_of_their_type) {
    // W-33
    Game game;
    const Owner feature = Owner::feature(Name("weather"), 3);
    stage().at = [&](const std::string&, Object*) { game.world().timers().after(9, [] {}); };
    {
        const OwnerScope as(feature);
        EXPECT_TRUE(game.runtime.types().add<Weather>());
    }
    EXPECT_EQ(game.world().timers().owners(), std::vector<Owner>{feature});
}

TEST(Subsystems, one_that_throws_in_initialize_is_not_there_and_reported) {
    // W-20
    Game game;
    stage().at = [](const std::string& point, Object*) {
        if (point == "Weather.initialize" || point == "Scores.deinitialize") throw Malice();
    };
    EXPECT_TRUE(game.runtime.types().add<Weather>());
    EXPECT_TRUE(game.runtime.types().add<Scores>());
    EXPECT_EQ(game.world().subsystems().find<Weather>(), nullptr);
    EXPECT_NE(game.world().subsystems().find<Scores>(), nullptr);
    EXPECT_EQ(game.failures(), 1u);
    game.instance.close_world();
    EXPECT_EQ(game.failures(), 2u);
    EXPECT_EQ(times("Weather.deinitialize"), 0u);
}

TEST(Subsystems, may_end_their_world_in_any_hook_and_are_taken_down_once) {
    // W-20, W-28
    for (const char* where : {"Weather.initialize", "Scores.initialize", "Weather.deinitialize", "Scores.deinitialize"})
        for (const bool travels : {false, true}) {
            Game game;
            game.instance.close_world();
            EXPECT_TRUE(game.runtime.types().add<Weather>());
            EXPECT_TRUE(game.runtime.types().add<Scores>());
            const int before = stage().alive;
            bool done = false;
            stage().at = [&](const std::string& point, Object*) {
                if (point != where || std::exchange(done, true)) return;
                if (travels) return game.instance.travel({.name = Name("next")});
                if (game.instance.world() != nullptr) game.world().end();
            };
            game.instance.open_world({});
            game.instance.tick();
            if (where == std::string("Weather.deinitialize")) game.runtime.types().remove(Name("Weather")).ignore();
            if (!done) game.instance.close_world();
            game.instance.tick();
            EXPECT_TRUE(done) << where;
            if (travels) {
                ASSERT_NE(game.instance.world(), nullptr) << where;
                EXPECT_EQ(game.world().def().name.text(), "next") << where;
                EXPECT_FALSE(game.world().has_ended());
            }
            game.instance.close_world();
            EXPECT_EQ(times("Scores.initialize"), times("Scores.deinitialize")) << where;
            EXPECT_EQ(times("Weather.initialize"), times("Weather.deinitialize")) << where;
            const int left = before - (game.runtime.types().find<Weather>() == nullptr ? 1 : 0);  // the defaults
            EXPECT_EQ(stage().alive, left) << where;
        }
}

TEST(Subsystems, a_type_does_not_leave_from_inside_a_hook_of_its_subsystem) {
    // W-10, W-20
    for (const char* where : {"Weather.initialize", "Weather.deinitialize"}) {
        Game game;
        Status refusal;
        stage().at = [&](const std::string& point, Object*) {
            if (point == where) refusal = game.runtime.types().remove(Name("Weather"));
        };
        EXPECT_TRUE(game.runtime.types().add<Weather>());
        game.instance.close_world();
        EXPECT_EQ(refusal.code(), StatusCode::Refused) << where;
        EXPECT_EQ(times("Weather.deinitialize"), 1u);
        stage().at = nullptr;
        EXPECT_TRUE(game.runtime.types().remove(Name("Weather")));
    }
}

}  // namespace subsystem_test
}  // namespace lyre
