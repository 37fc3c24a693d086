// A label beside every pawn that is ready, as long as the feature is there.
#include "game/tests/plectrum.h"

using namespace plectrum;

TEST(Nameplates, say_who_it_is_and_follow_the_team) {
    Plectrum game({.map = Name("arena"), .experience = "control_points", .bots = 4});
    game.play(1);
    const auto text_of = [&](const PlayerState& player) { return *label_of(*player.pawn()); };
    for (const PlayerState* player : game.players())
        EXPECT_EQ(text_of(*player),
                  fmt::format("{} ({})", player->player_name(), player->team() == 0 ? "Red" : "Blue"));
    ASSERT_TRUE(game.host().set_experience("tag"));
    ASSERT_TRUE(game.play_until(5, [&] { return game.host().experience_id().name == Name("tag"); }));
    game.play(1);
    for (const PlayerState* player : game.players()) EXPECT_EQ(text_of(*player), player->player_name());
}

TEST(Nameplates, follow_a_team_that_is_known_later_than_its_player) {
    // as on a client, to which each of them comes by itself
    Plectrum game({.map = Name("arena"), .experience = "control_points", .bots = 1});
    game.play(1);
    PlayerState& player = *game.players().front();
    const auto text = [&] { return *label_of(*player.pawn()); };
    player.set_team(9);
    game.play(1);
    EXPECT_EQ(text(), player.player_name());
    const Team& later = *game.state().team(0);
    ASSERT_TRUE(game.world().find(later.id())->set(Name("number"), "9").is_ok());
    game.play(1);
    EXPECT_EQ(text(), player.player_name() + " (Red)");
}

TEST(Nameplates, make_nothing_that_would_be_replicated) {
    // N-207
    Plectrum game({.map = Name("arena"), .experience = "control_points", .bots = 2});
    game.play(1);
    for (const PlayerState* player : game.players()) {
        EXPECT_EQ(player->pawn()->find<Label>(), nullptr);
        const auto* part = player->pawn()->find_component(Name("nameplate"));
        ASSERT_NE(part, nullptr);
        for (const PropertyInfo& property : part->type().properties)
            EXPECT_FALSE(property.replicated) << property.name.text();
    }
}
