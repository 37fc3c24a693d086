// Zones: taken by who stands in them, scored by who holds them, won by who holds them longest.
#include "game/tests/plectrum.h"

using namespace plectrum;

TEST(ControlPoints, who_stands_in_a_zone_takes_it_and_wins) {
    LocalPlayer anna{Name("anna")};
    Plectrum game({.map = Name("arena"), .experience = "control_points", .bots = 0});
    PlayerController& controller = game.login(anna);
    game.set("control_points.PointsToWin", "3");
    ASSERT_TRUE(game.play_until(6, [&] { return game.is_in("Phase.Playing"); }));
    ASSERT_TRUE(game.world().movers().teleport(controller.pawn()->id(), {{0, 1, 0}}));
    ASSERT_TRUE(game.play_until(6, [&] { return game.was_said("Red takes B"); }));
    EXPECT_EQ(controller.player_state()->score(), 5);
    ASSERT_TRUE(game.play_until(4, [&] { return game.is_in("Phase.PostGame"); }));
    EXPECT_TRUE(game.was_said("Red wins, 3 to 0"));
    EXPECT_TRUE(game.was_said("anna was best, with 5"));
    EXPECT_EQ(game.state().find<TeamCreation>()->team(0)->score(), 3);
}

TEST(ControlPoints, who_is_of_the_fewer_in_a_zone_and_caught_begins_at_a_start_again) {
    LocalPlayer anna{Name("anna")}, bert{Name("bert")}, carl{Name("carl")};
    Plectrum game({.map = Name("arena"), .experience = "control_points", .bots = 0});
    const auto place = [&](PlayerController& of, Vec3 at) {
        EXPECT_TRUE(game.world().movers().teleport(of.pawn()->id(), {at}));
    };
    PlayerController &red = game.login(anna), &blue = game.login(bert), &mate = game.login(carl);
    ASSERT_EQ(red.player_state()->team(), mate.player_state()->team());
    ASSERT_NE(red.player_state()->team(), blue.player_state()->team());
    ASSERT_TRUE(game.play_until(6, [&] { return game.is_in("Phase.Playing"); }));
    place(red, {0, 1, 0});
    place(blue, {0.9f, 1, 0});
    game.play(1);
    EXPECT_FALSE(game.was_said("catches")) << "one beside one";
    place(mate, {-3, -2, 0});
    game.play(0.3);
    EXPECT_TRUE(game.was_said("anna catches bert in B"));
    EXPECT_EQ(red.player_state()->score(), 2);
    EXPECT_GT(length(blue.pawn()->position()), 20) << "at a start";
    place(blue, {3, -2, 0});
    game.play(0.3);
    EXPECT_FALSE(game.was_said("carl catches")) << "out of reach";
}

TEST(ControlPoints, zones_and_teams_go_with_the_experience) {
    Plectrum game({.map = Name("arena"), .experience = "control_points", .bots = 4});
    const auto zones = [&] {
        int all = 0;
        for (ActorId id : game.world().actors()) all += game.world().find(id)->is_a(Name("ControlPoint"));
        return all;
    };
    EXPECT_EQ(zones(), 3);
    EXPECT_NE(game.players()[0]->team(), kNoTeam);
    ASSERT_TRUE(game.host().set_experience("tag"));
    ASSERT_TRUE(game.play_until(5, [&] { return game.host().experience_id().name == Name("tag"); }));
    game.play(1);
    EXPECT_EQ(zones(), 0);
    EXPECT_EQ(game.players()[0]->team(), kNoTeam);
    EXPECT_EQ(game.project.features().state(Name("control_points")), features::FeatureState::Installed);
}

TEST(ControlPoints, a_zone_is_written_by_its_glyph_and_whose_it_is_not_by_its_name_twice) {
    // P-13
    LocalPlayer anna{Name("anna")};
    Plectrum game({.map = Name("arena"), .experience = "control_points", .bots = 0});
    PlayerController& controller = game.login(anna);
    game.play(0.5);
    const auto zone_b = [&]() -> const Actor& {
        for (ActorId id : game.world().actors())
            if (const Actor& actor = *game.world().find(id); actor.is_a(Name("ControlPoint")))
                if (look_of(actor)->glyph == "B") return actor;
        throw std::runtime_error("there is no zone B");
    };
    EXPECT_EQ(*label_of(zone_b()), "Nobody");
    ASSERT_TRUE(game.play_until(6, [&] { return game.is_in("Phase.Playing"); }));
    ASSERT_TRUE(game.world().movers().teleport(controller.pawn()->id(), {{0, 1, 0}}));
    game.play(2.2);
    EXPECT_EQ(*label_of(zone_b()), "Red 40%");
    game.play(4);
    EXPECT_EQ(*label_of(zone_b()), "Red");
}
