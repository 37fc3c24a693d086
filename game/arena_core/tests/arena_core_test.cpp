// People in the arena: walking, voting, and how a match goes from phase to phase.
#include "game/tests/plectrum.h"

using namespace plectrum;

TEST(ArenaCore, a_person_walks_by_keys_and_slides_along_walls) {
    LocalPlayer anna{Name("anna")};
    Plectrum game({.map = Name("arena"), .experience = "frontend", .bots = 0});
    PlayerController& controller = game.login(anna);
    game.play(0.5);
    Pawn& hero = *controller.pawn();
    ASSERT_TRUE(game.world().movers().teleport(hero.id(), {{-30, 0, 0}}));  // a wall is from x -28 to -26.5, y -5 to 5

    ASSERT_TRUE(anna.press(Name("D")));
    game.play(2);
    EXPECT_NEAR(hero.position().x, -28.4f, 0.01f);
    EXPECT_NEAR(hero.position().y, 0, 0.01f);
    anna.press(Name("W"));
    game.play(3);
    EXPECT_GT(hero.position().x, -26) << "around its end";
    anna.release(Name("W"));
    anna.release(Name("D"));
    game.play(0.5);
    const Vec3 stood = hero.position();
    game.play(0.5);
    EXPECT_EQ(hero.position(), stood);
    EXPECT_FALSE(hero.set_position({0, 0, 0})) << "only its mover moves it";
}

TEST(ArenaCore, a_person_votes_and_stays_through_the_switch) {
    LocalPlayer anna{Name("anna")};
    Plectrum game({.map = Name("lobby"), .experience = "frontend", .bots = 0});
    PlayerController& controller = game.login(anna);
    game.play(0.5);
    const ActorId player = controller.player_state()->id(), hero = controller.pawn()->id();
    EXPECT_EQ(controller.player_state()->team(), kNoTeam);
    anna.press(Name("1"));
    EXPECT_TRUE(game.was_said("anna votes for control_points"));
    ASSERT_TRUE(game.play_until(20, [&] { return game.host().experience_id().name == Name("control_points"); }));
    game.play(1);
    EXPECT_TRUE(game.host().is_experience_loaded());
    EXPECT_EQ(controller.player_state()->id(), player);
    EXPECT_EQ(controller.pawn()->id(), hero) << "the same pawn for the same PawnData";
    EXPECT_EQ(controller.player_state()->team(), 0);
}

TEST(ArenaCore, a_match_goes_through_its_phases_to_what_comes_next) {
    Plectrum game({.map = Name("arena"), .experience = "control_points", .bots = 4});
    game.set("arena.MatchSecs", "8");
    EXPECT_TRUE(game.is_in("Phase.Warmup"));
    game.play(3);
    game.set("arena.WarmupSecs", "1");  // of the next one
    ASSERT_TRUE(game.play_until(3, [&] { return game.is_in("Phase.Playing"); }));
    EXPECT_FALSE(game.is_in("Phase.Warmup"));
    ASSERT_TRUE(game.play_until(9, [&] { return game.is_in("Phase.PostGame"); }));
    ASSERT_TRUE(game.play_until(8, [&] { return game.host().experience_id().name == Name("frontend"); }));
    game.play(0.5);
    EXPECT_FALSE(game.is_in("Phase.PostGame"));
    EXPECT_EQ(game.players().size(), 4u);
}
