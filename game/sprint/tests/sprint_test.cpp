// A mutator in the middle of a match: there for all, and gone without a trace.
#include "game/tests/plectrum.h"

using namespace plectrum;

namespace {

std::uint64_t hash_of(Plectrum& game) {
    HashFilter filter;
    filter.without_ids = true;
    filter.skip_class = [](const Type& type) { return type.name == Name("Host"); };  // counts its generations
    return world_hash(game.world(), filter);
}

}  // namespace

TEST(Sprint, comes_and_goes_in_the_middle_of_a_match) {
    const assets::PrimaryAssetId sprint{Name("feature"), Name("sprint")};
    Plectrum game({.map = Name("arena"), .experience = "control_points", .bots = 6});
    game.play(10);
    game.game->set_paused(true);
    const std::uint64_t before = hash_of(game);
    for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE(game.host().add_action_set(sprint));
        game.play(0.5);
        EXPECT_EQ(game.count("Sprint"), 6);
        EXPECT_NE(hash_of(game), before);
        ASSERT_TRUE(game.host().remove_action_set(sprint));
        game.play(0.5);
        EXPECT_EQ(game.count("Sprint"), 0);
        EXPECT_EQ(hash_of(game), before);
        EXPECT_TRUE(game.project.features().ledger(Name("sprint")).empty());
    }
}

TEST(Sprint, makes_those_faster_who_are_there_and_who_come) {
    LocalPlayer anna{Name("anna")}, ben{Name("ben")};
    Plectrum game(
        {.map = Name("arena"), .experience = "frontend", .overlays = {{Name("feature"), Name("sprint")}}, .bots = 0});
    const auto speed_of = [&](LocalPlayer& person) {
        const Pawn& hero = *game.login(person).pawn();
        game.play(0.2);
        EXPECT_TRUE(game.world().movers().teleport(hero.id(), {{-20, -8, 0}}));
        person.press(Name("D"));
        game.play(1);
        const float from = hero.position().x;
        game.play(1);
        return hero.position().x - from;
    };
    EXPECT_NEAR(speed_of(anna), 8, 0.05f);
    ASSERT_TRUE(game.host().remove_action_set({Name("feature"), Name("sprint")}));
    game.play(0.5);
    EXPECT_NEAR(speed_of(ben), 5, 0.05f);
}
