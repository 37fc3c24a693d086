// Bots: the same match from the same seed, never inside anything, always on their way.
#include "game/arena_core/api.h"
#include "game/tests/plectrum.h"

using namespace plectrum;

TEST(Bots, the_same_seed_is_the_same_match) {
    std::vector<std::uint64_t> hashes;
    for (const std::uint64_t seed : {7u, 7u, 8u}) {
        Plectrum game({.map = Name("arena"), .experience = "control_points", .bots = 8, .seed = seed});
        game.play(20);
        hashes.push_back(world_hash(game.world()));
    }
    EXPECT_EQ(hashes[0], hashes[1]);
    EXPECT_NE(hashes[0], hashes[2]);
}

TEST(Bots, walk_around_what_is_solid_and_do_not_stick) {
    for (const char* map : {"arena", "yard", "lobby"})
        for (const char* experience : {"control_points", "tag", "frontend"}) {
            Plectrum game({.map = Name(map), .experience = experience, .bots = 12});
            Ground ground;
            ground.begin(game.world());
            std::vector<Solid> solids;
            std::map<ActorId, std::pair<Vec3, int>> stood;  // where, for how many seconds
            int longest = 0;
            for (int second = 0; second < 40; ++second) {
                game.play(1);
                for (const PlayerState* player : game.players()) {
                    const Vec3 at = player->pawn()->position();
                    ground.gather(at, kHeroRadius - 0.05f, solids);
                    EXPECT_TRUE(solids.empty()) << player->player_name() << " stands in something";
                    EXPECT_EQ(ground.inside(at, kHeroRadius), at);
                    auto& [where, seconds] = stood[player->id()];
                    seconds = length(at - where) < 0.5f ? seconds + 1 : 0;
                    where = at;
                    longest = std::max(longest, seconds);
                }
            }
            EXPECT_LE(longest, 8) << map << " " << experience;
        }
}

TEST(Bots, vote_and_play_what_was_voted_for) {
    Plectrum game({.map = Name("lobby"), .experience = "frontend", .bots = 5});
    ASSERT_TRUE(game.play_until(10, [&] { return game.was_said(" votes for "); }));
    ASSERT_TRUE(game.play_until(20, [&] { return game.host().experience_id().name != Name("frontend"); }));
    game.play(1);
    EXPECT_TRUE(game.host().is_experience_loaded());
    EXPECT_EQ(game.players().size(), 5u) << "the same bots";
}
