// Who is it: always one, whoever comes and goes.
#include "game/tests/plectrum.h"

using namespace plectrum;

namespace {

PlayerState* it_of(Plectrum& game) {
    for (PlayerState* player : game.players())
        if (const Pawn* pawn = player->pawn(); pawn != nullptr && pawn->find_component_of(Name("TagIt"))) return player;
    return nullptr;
}

}  // namespace

TEST(Tag, one_is_it_and_passes_it_on) {
    Plectrum game({.map = Name("lobby"), .experience = "tag", .bots = 6});
    game.play(1);
    EXPECT_EQ(game.count("TagIt"), 0) << "in the warm-up nobody is";
    ASSERT_TRUE(game.play_until(8, [&] { return it_of(game) != nullptr; }));
    game.play(0.2);
    EXPECT_EQ(look_of(*it_of(game)->pawn())->colour, Colour::Red);
    const ActorId first = it_of(game)->id();
    ASSERT_TRUE(game.play_until(30, [&] { return it_of(game)->id() != first; }));
    EXPECT_EQ(game.count("TagIt"), 1);
    EXPECT_TRUE(game.was_said(" tags "));
    game.play(5);
    for (const PlayerState* player : game.players()) EXPECT_GT(player->score(), 0) << player->player_name();
}

TEST(Tag, if_it_leaves_somebody_else_is_it) {
    LocalPlayer anna{Name("anna")};
    Plectrum game({.map = Name("arena"), .experience = "tag", .bots = 1});
    PlayerController& controller = game.login(anna);
    ASSERT_TRUE(game.play_until(60, [&] { return it_of(game) == controller.player_state(); }));
    game.game->mode()->logout(controller);
    game.play(0.2);
    ASSERT_NE(it_of(game), nullptr);
    EXPECT_TRUE(it_of(game)->is_bot());
}

TEST(Tag, who_dares_to_be_near_it_gets_twice_as_much) {
    LocalPlayer anna{Name("anna")}, ben{Name("ben")}, cleo{Name("cleo")};
    Plectrum game({.map = Name("arena"), .experience = "tag", .bots = 0});
    std::vector<PlayerController*> all;
    for (LocalPlayer* person : {&anna, &ben, &cleo}) all.push_back(&game.login(*person));
    ASSERT_TRUE(game.play_until(8, [&] { return it_of(game) != nullptr; }));
    const ActorId it = it_of(game)->id();
    for (PlayerController* one : all)
        if (one->player_state()->id() == it) {
            ASSERT_TRUE(game.world().movers().teleport(one->pawn()->id(), {{-30, 20, 0}}));
        }
    std::vector<PlayerState*> others;
    for (PlayerController* one : all)
        if (one->player_state()->id() != it) {
            const float x = others.empty() ? -25 : 0;  // 5 m away, 30 m away
            ASSERT_TRUE(game.world().movers().teleport(one->pawn()->id(), {{x, 20, 0}}));
            others.push_back(one->player_state());
        }
    game.play(0.1);
    const std::int64_t near = others[0]->score(), far = others[1]->score();
    game.play(10);
    EXPECT_EQ(others[0]->score() - near, 20);
    EXPECT_EQ(others[1]->score() - far, 10);
}
