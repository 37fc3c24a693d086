// People in the arena: walking, voting, and how a match goes from phase to phase.
#include "lyre/world/archetype.h"

#include "game/arena_core/hero.h"
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

TEST(ArenaCore, a_match_begins_anew_when_a_switch_that_failed_has_taken_its_teams_away) {
    Plectrum game({.map = Name("arena"), .experience = "control_points", .bots = 4});
    ASSERT_TRUE(game.play_until(10, [&] { return game.is_in("Phase.Playing"); }));
    ASSERT_TRUE(game.host().add_action_set({Name("feature"), Name("sprint")}));
    game.play(1);
    ASSERT_TRUE(game.host().is_experience_loaded());
    EXPECT_TRUE(game.is_in("Phase.Playing")) << "a mutator is no other match";
    const auto team_ids = [&] {
        std::vector<ActorId> ids;
        for (const Team* team : game.game->state()->teams()) ids.push_back(team->id());
        return ids;
    };
    const std::vector<ActorId> teams = team_ids();
    FaultRule fails;
    fails.stage = FaultStage::FeatureActivate;
    fails.match = "tag";
    fails.effect = FaultEffect::Fail;
    ASSERT_TRUE(game.faults->add(fails));
    experience::SetOptions back;
    back.failure = experience::Host::to_previous();
    ASSERT_TRUE(game.host().set_experience("tag", back));
    ASSERT_TRUE(game.play_until(5, [&] { return !game.host().is_experience_loaded(); }));
    ASSERT_TRUE(game.play_until(5, [&] { return game.host().is_experience_loaded(); }));
    EXPECT_EQ(game.host().experience_id().name, Name("control_points"));
    ASSERT_NE(team_ids(), teams);
    EXPECT_TRUE(game.is_in("Phase.Warmup"));
    for (const PlayerState* player : game.players()) EXPECT_EQ(player->score(), 0) << player->player_name();
}

// A hero that nobody steers but the test, beside walls and crates.
TEST(ArenaCore, a_hero_repeats_its_way_along_walls_whatever_traits_have_come_meanwhile) {
    // W-36, N-426, N-427, N-428
    Plectrum game({.map = Name("arena"), .experience = "frontend", .bots = 0});
    Movers& movers = game.world().movers();
    SpawnDef def;
    def.transform = {{-30, 1, 0}};  // a wall is from x -28 to -26.5, y -5 to 5; crates are behind it
    const ActorId id = *game.world().spawn("ArenaHero", def);
    auto& walk = *static_cast<HeroWalk*>(game.world().find(id)->find_component_of(Name("HeroWalk")));
    const auto command_of = [](std::uint64_t tick) {
        return HeroWalk::Command{direction(static_cast<float>(tick * 7 % 180) - 60)};
    };
    std::vector<MoverStep> steps;
    const auto go = [&](int ticks) {
        for (int i = 0; i < ticks; ++i) {
            const std::uint64_t tick = game.world().tick_number() + 1;
            ASSERT_TRUE(movers.hand(walk, command_of(tick)).is_ok());
            game.frame();
            ASSERT_EQ(game.world().tick_number(), tick);
            steps.push_back(movers.step_of(walk, tick, game.world().tick_seconds()));
        }
    };
    go(30);
    steps.clear();
    const HeroWalk::State before = walk.capture();
    go(300);
    const HeroWalk::State after = walk.capture();
    EXPECT_GT(length(after.position - before.position), 5) << "it came around something";
    EXPECT_FLOAT_EQ(before.top_speed, 5);

    // Once as it was, and once in a world in which heroes are faster now.
    for (const bool is_faster : {false, true}) {
        if (is_faster) {
            ASSERT_TRUE(game.host().add_action_set({Name("feature"), Name("sprint")}));
            game.play(0.5);
            EXPECT_FLOAT_EQ(walk.top_speed(), 8);
        }
        ASSERT_TRUE(movers.restore(walk, before).is_ok());
        EXPECT_EQ(walk.capture(), before);
        for (const MoverStep& step : steps) {
            const HeroWalk::Command command = command_of(step.tick);
            ASSERT_TRUE(movers.repeat(walk, &command, step).is_ok());
        }
        EXPECT_EQ(walk.capture(), after);
    }
    EXPECT_EQ(movers.teleports(id), 0u) << "a correction is no teleport";
}

TEST(ArenaCore, a_state_that_no_hero_can_have_is_made_one_that_it_can) {
    // W-36
    Plectrum game({.map = Name("arena"), .experience = "frontend", .bots = 0});
    Movers& movers = game.world().movers();
    SpawnDef def;
    def.transform = {{-35, 1, 0}};
    auto& walk = *static_cast<HeroWalk*>(
        game.world().find(*game.world().spawn("ArenaHero", def))->find_component_of(Name("HeroWalk")));
    const float nan = std::numeric_limits<float>::quiet_NaN(), huge = std::numeric_limits<float>::max();
    const HeroWalk::Command command{{1, 0, 0}};
    for (const HeroWalk::State& state :
         {HeroWalk::State{{}, {nan, 0, 0}, 5}, HeroWalk::State{{}, {huge, huge, 0}, 5},
          HeroWalk::State{{nan, 0, 0}, {0, 1e7f, 0}, huge}, HeroWalk::State{{}, {}, nan}}) {
        ASSERT_TRUE(movers.restore(walk, state).is_ok());
        const auto is_possible = [&] { return length(walk.velocity()) <= 101 && walk.top_speed() <= 100; };
        EXPECT_TRUE(is_possible());
        const MoverStep step = movers.step_of(walk, game.world().tick_number() + 1, game.world().tick_seconds());
        ASSERT_TRUE(movers.repeat(walk, &command, step).is_ok());
        EXPECT_TRUE(is_possible());
        EXPECT_TRUE(is_finite(walk.capture().position));
    }
}

TEST(ArenaCore, leaves_with_its_heroes_also_with_those_that_nobody_steers) {
    // F-75
    LocalPlayer anna{Name("anna")};
    Plectrum game({.map = Name("arena"), .experience = "frontend", .bots = 2});
    PlayerController& controller = game.login(anna);
    game.play(0.5);
    ASSERT_TRUE(game.world().spawn("ArenaHero", {}).is_ok());
    controller.unpossess();
    ASSERT_TRUE(game.host().clear_experience("").is_ok());
    game.play(1);
    EXPECT_EQ(game.project.features().state(Name("arena_core")), features::FeatureState::Installed);
}

TEST(ArenaCore, keys_that_were_held_when_input_went_are_not_held_any_more) {
    LocalPlayer anna{Name("anna")};
    Plectrum game({.map = Name("arena"), .experience = "frontend", .bots = 0});
    PlayerController& controller = game.login(anna);
    game.play(0.5);
    Pawn& hero = *controller.pawn();
    ASSERT_TRUE(anna.press(Name("D")));
    game.play(0.5);
    EXPECT_GT(hero.find<Steering>()->velocity().x, 1);
    controller.unpossess();
    game.play(0.5);
    EXPECT_EQ(hero.find<Steering>()->velocity(), Vec3{});
    ASSERT_TRUE(controller.possess(hero));
    game.play(0.5);
    EXPECT_EQ(hero.find<Steering>()->velocity(), Vec3{}) << "nobody has pressed anything since";
    ASSERT_TRUE(anna.press(Name("D")));
    game.play(0.5);
    EXPECT_GT(hero.find<Steering>()->velocity().x, 1);
}

TEST(ArenaCore, everybody_begins_the_match_at_a_start_of_their_team) {
    Plectrum game({.map = Name("arena"), .experience = "control_points", .bots = 6});
    ASSERT_TRUE(game.play_until(10, [&] { return game.is_in("Phase.Playing"); }));
    const auto& points = game.game->level()->points();
    for (const PlayerState* player : game.players()) {
        const std::string mine = player->team() == 0 ? "start_a" : "start_b";
        float nearest = 1000;
        for (const LevelPoint& point : points)
            if (point.name.text().starts_with(mine))
                nearest = std::min(nearest, length(player->pawn()->position() - point.at));
        EXPECT_LT(nearest, 3 * 1.5f + 1) << player->player_name();
    }
}

TEST(ArenaCore, what_is_offered_for_a_vote_is_there_and_can_be_chosen) {
    LocalPlayer anna{Name("anna")};
    Plectrum game({.map = Name("lobby"), .experience = "frontend", .bots = 0}, [](Plectrum& before) {
        const VariableOrigin origin{VariableSource::CommandLine, "--set"};
        const char* const choices = "tag nowhere tag control_points Not-A-Name";
        EXPECT_TRUE(before.runtime.variables().configure("arena.Choices", choices, origin).is_ok());
    });
    game.login(anna);
    game.play(0.5);
    EXPECT_EQ(game.state().find<Ballot>()->choices(), 2u);
    EXPECT_TRUE(game.was_said("What next? 1: tag 2: control_points"));
    EXPECT_TRUE(game.was_said("arena.Choices: UnknownExperience"));
    for (std::size_t i = 1; i <= Ballot::kMaxChoices; ++i)
        EXPECT_TRUE(anna.press(Name(fmt::format("{}", i)))) << "a key for each that may be offered: " << i;
    EXPECT_TRUE(game.was_said("anna votes for tag"));
}

TEST(ArenaCore, who_watches_votes_in_the_console_once_and_only_while_there_is_a_vote) {
    Plectrum game({.map = Name("lobby"), .experience = "frontend", .bots = 0});
    game.play(0.5);
    auto& console = game.runtime.console();
    EXPECT_EQ(console.execute("vote tga").status.text(), "no choice \"tga\"; did you mean \"tag\"?");
    for (const char* wrong : {"vote 0", "vote 3", "vote -1", "vote 99999999999999999999"})
        EXPECT_FALSE(console.execute(wrong).status) << wrong;
    EXPECT_TRUE(console.execute("vote 1").status);
    EXPECT_TRUE(console.execute("vote tag").status) << "another time is another mind";
    EXPECT_TRUE(game.was_said("The audience votes for control_points"));
    ASSERT_TRUE(game.play_until(20, [&] { return game.was_said("tag it is, with 1 vote"); }));
    EXPECT_FALSE(console.execute("vote 1").status);
    ASSERT_TRUE(game.play_until(20, [&] { return game.host().experience_id().name == Name("tag"); }));
    game.play(1);
    EXPECT_EQ(console.execute("vote 1").status.code(), StatusCode::NotFound) << "the command has gone with the box";
}

TEST(ArenaCore, a_lobby_that_wins_its_own_vote_votes_again) {
    Plectrum game({.map = Name("lobby"), .experience = "frontend", .bots = 0}, [](Plectrum& before) {
        const VariableOrigin origin{VariableSource::CommandLine, "--set"};
        EXPECT_TRUE(before.runtime.variables().configure("arena.Choices", "frontend", origin).is_ok());
    });
    ASSERT_TRUE(game.play_until(20, [&] { return game.was_said("frontend it is, with 0 votes"); }));
    game.play(0.5);
    EXPECT_EQ(game.state().find<Ballot>()->round(), 2u);
    EXPECT_EQ(game.state().find<Ballot>()->choices(), 1u);
}

TEST(ArenaCore, a_vote_that_does_not_count_is_not_confirmed) {
    Plectrum game({.map = Name("lobby"), .experience = "frontend", .bots = 0});
    game.play(0.5);
    for (std::size_t i = 0; i < GameState::kMaxPlayers; ++i) {
        const auto made = game.game->mode()->login({.name = fmt::format("p{}", i)});
        ASSERT_TRUE(made.is_ok()) << made.status().text();
        game.state().find<Ballot>()->vote(*(*made)->player_state(), 0);
    }
    const CommandResult one_more = game.runtime.console().execute("vote tag");
    EXPECT_EQ(one_more.status.text(), "1024 have voted, and no more votes are taken");
    EXPECT_EQ(one_more.text, "");
}

TEST(ArenaCore, props_are_as_wide_as_they_look) {
    Plectrum game({.map = Name("arena"), .experience = "frontend", .bots = 0});
    ArchetypeDef boulder;
    boulder.name = Name("Boulder");
    boulder.parent = Name("Prop");
    Node look = Node::table();
    look.set("shape", Node::text("circle"));
    look.set("radius", Node::number(4.0));
    boulder.defaults.set("look", look);
    const auto made = add_archetype(game.runtime.types(), game.runtime.tags(), boulder);
    ASSERT_TRUE(made.is_ok()) << made.status().text();
    const ActorId stone = *game.world().spawn("Boulder", {.transform = {{-30, -10, 0}, 0, 0.5f}});
    std::vector<Found> found;
    game.world().space().find(Circle{{-30, -8.1f, 0}, 0.05f}, {}, found);
    EXPECT_TRUE(std::any_of(found.begin(), found.end(), [&](const Found& one) { return one.id == stone; }));
    Ground ground;
    ground.begin(game.world());
    std::vector<Solid> solids;
    ground.gather({-30, -7.7f, 0}, 0.4f, solids);
    ASSERT_EQ(solids.size(), 1u);
    EXPECT_FLOAT_EQ(solids[0].radius, 2);
    game.world().destroy(stone);
    game.frame();
    EXPECT_TRUE(game.runtime.types().remove(Name("Boulder")).is_ok());
}

TEST(ArenaCore, whether_the_match_is_on_is_told_by_its_phase_which_clients_have_too) {
    Plectrum game({.map = Name("arena"), .experience = "tag", .bots = 2});
    const auto& flow = *game.state().find<MatchFlow>();
    EXPECT_FALSE(flow.is_playing());
    ASSERT_TRUE(game.play_until(6, [&] { return game.is_in("Phase.Playing"); }));
    EXPECT_TRUE(flow.is_playing());
    const auto other = game.state().phases().start(*game.runtime.tags().find("Phase.Warmup"));
    ASSERT_TRUE(other.is_ok());
    EXPECT_FALSE(flow.is_playing());
}
