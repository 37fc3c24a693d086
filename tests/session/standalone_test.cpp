#include "lyre/session/standalone.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "lyre/core/thread_pool_native.h"
#include "lyre/core/virtual_executor.h"
#include "lyre/core/virtual_files.h"
#include "lyre/framework/component_manager.h"
#include "lyre/gameplay/bots.h"
#include "lyre/gameplay/controller.h"
#include "lyre/gameplay/game_mode.h"
#include "lyre/gameplay/game_state.h"
#include "lyre/gameplay/gameplay.h"
#include "lyre/gameplay/hero.h"
#include "lyre/gameplay/pawn.h"
#include "lyre/gameplay/pawn_extension.h"
#include "lyre/gameplay/player_state.h"
#include "lyre/session/why.h"
#include "lyre/world/world_hash.h"

namespace lyre::session {
namespace standalone_test {

using namespace gameplay;

struct Drifter : Pawn {
    using Described = Drifter;
    static void describe(TypeBuilder<Drifter>& t) {
        t.parent<Pawn>();
        t.component<PawnExtensionComponent>("extension");
        t.component<HeroComponent>("hero");
    }
    void tick(float dt) {
        if (heading_ < 0) heading_ = world().random().stream(fmt::format("drifter.{}", id())).next_range_float(0, 360);
        set_position(position() + direction(heading_) * dt).ignore();
    }
    float heading_ = -1;
};
struct Crew : BotCreation {
    using Described = Crew;
    static void describe(TypeBuilder<Crew>& t) { t.parent<BotCreation>(); }
    Crew() {
        count = 3;
        controller_class = Name("AIController");
    }
};

constexpr std::string_view kProject =
    "name = \"test\"\ncontent = [\"content\"]\nfeatures = [\"game\"]\ndefault_map = \"pond\"\n"
    "default_experience = \"drift\"\n";

// A project in memory: a pond, three bots that drift on it, and a feature that brings their PawnData.
void write_project(VirtualFiles& files) {
    files.write("p/lyre.toml", std::string(kProject));
    files.write("p/content/pond.map.toml",
                "bounds = { min = [-9, -9], max = [9, 9] }\n[[point]]\nname = \"start\"\nat = [3, 4]\n");
    files.write("p/content/drift.experience.toml",
                "pawn = \"drifter\"\nfeatures = [\"boats\"]\n[[action]]\nkind = \"add_components\"\n"
                "to = \"GameState\"\ncomponent = \"Crew\"\n");
    files.write("p/game/boats/feature.toml", "id = \"boats\"\nversion = \"1.0.0\"\ncontent = \"content\"\n");
    files.write("p/game/boats/content/drifter.pawn_data.toml", "class = \"Drifter\"\n");
    files.write("p/game/spare/feature.toml", "id = \"spare\"\nversion = \"1.0.0\"\n");
}

class StandaloneTest : public testing::Test {
protected:
    StandaloneTest() { write_project(files); }
    void open_project(std::shared_ptr<FaultPlan> faults = {}) {
        project = std::make_unique<Project>(runtime, files, executor, nullptr, std::move(faults));
        const bool is_first = runtime.types().find(Name("Drifter")) == nullptr;
        EXPECT_TRUE(!is_first || (runtime.types().add_all<Drifter, Crew>()));
        ASSERT_TRUE(project->open("p")) << project->problems().to_text();
    }
    Standalone& open(const StandaloneDef& def = {}) {
        if (project == nullptr) open_project();
        auto made = Standalone::open(*project, def);
        EXPECT_TRUE(made.is_ok()) << made.status().text();
        game = std::move(*made);
        return *game;
    }
    void frames(int count) {
        for (int i = 0; i < count; ++i) clock.advance(16'667), game->frame();
    }
    std::string refusal(const StandaloneDef& def) {
        if (project == nullptr) open_project();
        const auto made = Standalone::open(*project, def);
        return made ? "opened" : made.status().text();
    }

    VirtualClock clock;
    Runtime runtime{clock};
    VirtualFiles files;
    VirtualExecutor executor{clock};
    std::unique_ptr<Project> project;
    std::unique_ptr<Standalone> game;
};

TEST_F(StandaloneTest, bots_play_an_experience_of_the_project_and_nothing_is_left_of_it) {
    // K-09; the PawnData is of a feature's content (E-26)
    open();
    EXPECT_TRUE(game->is_loading());
    frames(60);
    ASSERT_TRUE(game->host()->is_experience_loaded()) << game->host()->failure().to_string();
    const auto players = game->state()->players();
    ASSERT_EQ(players.size(), 3u);
    auto& manager = *framework::ComponentManager::of(*game->world());
    for (const PlayerState* player : players) {
        ASSERT_NE(player->pawn(), nullptr);
        EXPECT_TRUE(manager.is_actor_ready(*player->pawn(), kGameplayReady));
    }
    game->leave();
    frames(20);
    EXPECT_TRUE(game->has_left());
    EXPECT_EQ(game->leftovers(), std::vector<std::string>{});
    EXPECT_EQ(project->features().state(Name("boats")), features::FeatureState::Installed);
}

TEST_F(StandaloneTest, a_project_is_played_once_at_a_time) {
    open();
    EXPECT_EQ(refusal({}), "the project is being played already, by one Standalone at a time");
    frames(60);
    EXPECT_TRUE(game->host()->is_experience_loaded());
    game.reset();
    open();
    frames(60);
    EXPECT_TRUE(game->host()->is_experience_loaded());
}

TEST_F(StandaloneTest, the_world_waits_while_the_experience_is_on_its_way) {
    FaultPlanDef def;
    def.rules.push_back(
        {.stage = FaultStage::FeatureLoad, .match = "boats", .effect = FaultEffect::Delay, .seconds = 1});
    open_project(std::make_shared<FaultPlan>(def, 1));
    open();
    frames(40);
    EXPECT_TRUE(game->is_loading());
    EXPECT_EQ(game->world()->tick_number(), 0u);
    frames(40);
    EXPECT_FALSE(game->is_loading());
    EXPECT_GT(game->world()->tick_number(), 0u);
    EXPECT_LT(game->world()->tick_number(), 30u);
}

TEST_F(StandaloneTest, a_paused_world_moves_by_single_steps) {
    open();
    frames(30);
    game->set_paused(true);
    const std::uint64_t before = game->world()->tick_number();
    frames(5);
    EXPECT_EQ(game->world()->tick_number(), before);
    game->step();
    frames(5);
    EXPECT_EQ(game->world()->tick_number(), before + 1);
    game->set_paused(false);
    frames(5);
    EXPECT_EQ(game->world()->tick_number(), before + 6);
}

TEST_F(StandaloneTest, what_is_unknown_is_refused_with_the_nearest_and_nothing_starts) {
    // K-03
    EXPECT_EQ(refusal({.map = Name("pnod")}), "no map \"pnod\"; did you mean \"pond\"?");
    EXPECT_EQ(refusal({.experience = "dirft"}), "no experience \"dirft\"; did you mean \"drift\"?");
    EXPECT_EQ(refusal({.experience = "map:pond"}), "map:pond is no experience");
    EXPECT_EQ(refusal({.overlays = {{Name("feature"), Name("spar")}}}), "no feature \"spar\"; did you mean \"spare\"?");
    EXPECT_EQ(refusal({.overlays = {{Name("map"), Name("pond")}}}), "map:pond is neither an action set nor a feature");
    EXPECT_EQ(refusal({.tick_hz = 0}), "0 ticks per second");
    EXPECT_TRUE(project->features().ledger(Name("boats")).empty());
}

TEST_F(StandaloneTest, what_is_unknown_or_too_much_starts_no_feature_either) {
    // K-03
    files.write("p/game/spare/feature.toml", "id = \"spare\"\nversion = \"1.0.0\"\ninitial_state = \"active\"\n");
    EXPECT_EQ(refusal({.map = Name("pnod")}), "no map \"pnod\"; did you mean \"pond\"?");
    EXPECT_EQ(refusal({.experience = "dirft"}), "no experience \"dirft\"; did you mean \"drift\"?");
    EXPECT_EQ(refusal({.overlays = {{Name("feature"), Name("spar")}}}), "no feature \"spar\"; did you mean \"spare\"?");
    const assets::PrimaryAssetId boats{Name("feature"), Name("boats")};
    EXPECT_EQ(refusal({.overlays = {boats, boats}}), "feature:boats is named twice");
    EXPECT_EQ(refusal({.overlays = std::vector(65, boats)}), "at most 64 overlays");
    EXPECT_EQ(project->features().state(Name("spare")), features::FeatureState::Installed);
    EXPECT_EQ(project->leftovers(), std::vector<std::string>{});
}

TEST_F(StandaloneTest, features_of_the_start_may_come_by_frames_that_show_who_is_waited_for) {
    // K-05, F-36
    files.write("p/game/spare/feature.toml", "id = \"spare\"\nversion = \"1.0.0\"\ninitial_state = \"active\"\n");
    FaultPlanDef def;
    def.rules.push_back(
        {.stage = FaultStage::FeatureLoad, .match = "spare", .effect = FaultEffect::Delay, .seconds = 2});
    open_project(std::make_shared<FaultPlan>(def, 1));
    project->start_features();
    int count = 0;
    for (; project->is_starting() && count < 10'000; ++count) {
        const experience::LoadingReport report = project->start_report();
        ASSERT_EQ(report.stages.size(), 1u);
        EXPECT_EQ(report.stages[0].done, 0u);
        EXPECT_EQ(report.stages[0].of, 1u);
        ASSERT_EQ(report.pending.size(), 1u);
        EXPECT_EQ(report.pending[0].id, "spare");
        EXPECT_NEAR(report.pending[0].seconds, count * 0.016667, 0.001);
        clock.advance(16'667);
        project->pump();
    }
    EXPECT_NEAR(count / 60.0, 2, 0.2);
    EXPECT_TRUE(project->start_report().pending.empty());
    EXPECT_EQ(project->features().state(Name("spare")), features::FeatureState::Active);
    open();
    frames(60);
    EXPECT_TRUE(game->host()->is_experience_loaded());
}

TEST_F(StandaloneTest, a_feature_that_is_late_at_the_start_is_named_after_30_seconds_of_the_clock) {
    // K-05, F-36
    files.write("p/game/spare/feature.toml", "id = \"spare\"\nversion = \"1.0.0\"\ninitial_state = \"active\"\n");
    FaultPlanDef def;
    def.rules.push_back({.stage = FaultStage::FeatureLoad, .match = "spare", .effect = FaultEffect::Never});
    open_project(std::make_shared<FaultPlan>(def, 1));
    project->start_features();
    int count = 0;
    for (; project->is_starting() && count < 10'000; ++count) clock.advance(16'667), project->pump();
    EXPECT_NEAR(count / 60.0, 30, 0.1);
    ASSERT_EQ(runtime.log().count(Name("project.start")), 1u);
    EXPECT_NE(runtime.log().entries().back().text.find("spare (Loading: "), std::string::npos);
}

TEST_F(StandaloneTest, at_the_start_who_waits_for_another_feature_stands_behind_it_and_says_for_which) {
    // K-05
    files.write("p/game/able/feature.toml",
                "id = \"able\"\nversion = \"1.0.0\"\ninitial_state = \"active\"\n"
                "[[dependency]]\nid = \"spare\"\n");
    FaultPlanDef def;
    def.rules.push_back({.stage = FaultStage::FeatureLoad, .match = "spare", .effect = FaultEffect::Never});
    open_project(std::make_shared<FaultPlan>(def, 1));
    project->start_features();
    for (int i = 0; i < 60; ++i) clock.advance(16'667), project->pump();
    const experience::LoadingReport report = project->start_report();
    EXPECT_EQ(report.stages.at(0).of, 2u);
    ASSERT_EQ(report.pending.size(), 2u);
    EXPECT_EQ(report.pending[0].id, "spare");
    EXPECT_EQ(report.pending[0].waits, "Loading: a fault that was asked for");
    EXPECT_EQ(report.pending[1].id, "able");
    EXPECT_EQ(report.pending[1].waits, "LoadingDependencies: dependency spare (Loaded)");
}

TEST_F(StandaloneTest, who_registers_features_hears_how_many_are_and_who_is_waited_for) {
    // K-04
    FaultPlanDef def;
    def.rules.push_back({.stage = FaultStage::FeatureRegister, .match = "spare", .effect = FaultEffect::Never});
    open_project(std::make_shared<FaultPlan>(def, 1));
    Progress last;
    int heard = 0;
    project->tell_progress([&](const Progress& progress) {
        last = progress;
        return ++heard < 100;
    });
    project->register_features();
    EXPECT_EQ(heard, 100);
    EXPECT_EQ(last.stage, "features");
    EXPECT_EQ(last.done, 1u);
    EXPECT_EQ(last.of, 2u);
    EXPECT_EQ(last.item, "spare: Registering: a fault that was asked for");
}

// What a project says of its own is what its match begins with.
TEST_F(StandaloneTest, the_projects_pawn_is_that_of_an_experience_that_names_none) {
    // K-12, E-26
    files.write("p/lyre.toml", "default_pawn = \"drifter\"\n" + std::string(kProject));
    files.write("p/content/drifter.pawn_data.toml", "class = \"Drifter\"\n");
    files.write("p/content/drift.experience.toml",
                "[[action]]\nkind = \"add_components\"\n"
                "to = \"GameState\"\ncomponent = \"Crew\"\n");
    open();
    frames(60);
    const auto players = game->state()->players();
    ASSERT_EQ(players.size(), 3u);
    for (const PlayerState* player : players) {
        ASSERT_NE(player->pawn(), nullptr);
        EXPECT_EQ(player->pawn()->type().name, Name("Drifter"));
    }
}

TEST_F(StandaloneTest, a_maps_experience_goes_before_the_projects_and_the_developers_before_both) {
    // K-12, E-08
    for (const char* name : {"calm", "storm"})
        files.write(fmt::format("p/content/{}.experience.toml", name), "title = \"Weather\"\n");
    files.write("p/content/pond.map.toml", "experience = \"calm\"\n");
    const auto winner = [&] {
        open();
        frames(60);
        EXPECT_TRUE(game->host()->is_experience_loaded());
        const experience::SelectionReport report = game->host()->explain_selection();
        EXPECT_EQ(game->host()->experience_id(), report.experience);
        game.reset();
        project.reset();
        return fmt::format("{} by {}", report.experience, experience::to_string(*report.winner));
    };
    EXPECT_EQ(winner(), "experience:calm by WorldSettings");
    files.write("p/lyre.toml", std::string(kProject) + "[developer]\nexperience = \"storm\"\n");
    EXPECT_EQ(winner(), "experience:storm by DeveloperSettings");
    files.write("p/lyre.toml", std::string(kProject));
    files.write("p/content/pond.map.toml", "bounds = { min = [-9, -9], max = [9, 9] }\n");
    EXPECT_EQ(winner(), "experience:drift by ProjectDefault");
}

TEST_F(StandaloneTest, a_default_experience_in_a_feature_that_is_not_there_from_the_start_is_named) {
    // E-08, K-03
    files.write("p/lyre.toml",
                "name = \"test\"\ncontent = [\"content\"]\nfeatures = [\"game\"]\ndefault_map = \"pond\"\n"
                "default_experience = \"regatta\"\n");
    files.write("p/game/lake/feature.toml", "id = \"lake\"\nversion = \"1.0.0\"\ncontent = \"content\"\n");
    files.write("p/game/lake/content/regatta.experience.toml",
                "pawn = \"drifter\"\nfeatures = [\"boats\", \"lake\"]\n");
    EXPECT_EQ(
        refusal({}),
        "experience \"regatta\" lies in the feature lake, which is not there from the start: write initial_state = "
        "\"registered\" in p/game/lake/feature.toml");
}

TEST_F(StandaloneTest, an_experience_of_a_feature_that_does_not_come_up_is_refused_with_that_feature) {
    // F-36, K-03
    files.write("p/game/lake/feature.toml",
                "id = \"lake\"\nversion = \"1.0.0\"\ncontent = \"content\"\ninitial_state = \"registered\"\n");
    files.write("p/game/lake/content/regatta.experience.toml",
                "pawn = \"drifter\"\nfeatures = [\"boats\", \"lake\"]\n");
    FaultPlanDef def;
    def.rules.push_back({.stage = FaultStage::FeatureMount, .match = "lake", .effect = FaultEffect::Fail});
    open_project(std::make_shared<FaultPlan>(def, 1));
    EXPECT_EQ(refusal({.experience = "regatta"}),
              "experience \"regatta\" lies in the feature lake, which did not come up at the start");
    EXPECT_EQ(refusal({.experience = "regata"}), "no experience \"regata\"; did you mean \"regatta\"?");
}

TEST_F(StandaloneTest, rules_of_another_class_are_refused) {
    files.write("p/lyre.toml", std::string(kProject) + "game_mode = \"Drifter\"\n");
    EXPECT_EQ(refusal({}), "game_mode of lyre.toml takes a class of GameMode, which Drifter is not");
}

TEST_F(StandaloneTest, the_rules_may_be_of_a_class_that_content_makes) {
    files.write("p/lyre.toml", std::string(kProject) + "game_mode = \"quiet\"\n");
    files.write("p/content/quiet.archetype.toml", "parent = \"GameMode\"\n");
    open();
    EXPECT_EQ(game->mode()->type().name, Name("quiet"));
}

TEST_F(StandaloneTest, the_command_line_and_the_developer_say_how_many_bots_there_are) {
    // E-70
    files.write("p/lyre.toml", std::string(kProject) + "[developer]\nbots = 2\n");
    open();
    frames(30);
    EXPECT_EQ(game->state()->players().size(), 2u);
    game.reset();
    open({.bots = 7});
    frames(30);
    EXPECT_EQ(game->state()->players().size(), 7u);
}

TEST_F(StandaloneTest, a_game_that_lost_its_host_says_so_and_still_leaves) {
    // the hooks of a feature may take away anything
    open();
    frames(60);
    ASSERT_TRUE(game->world()->remove_component(*game->host()).is_ok());
    EXPECT_EQ(game->host(), nullptr);
    frames(5);
    game->leave();
    frames(20);
    EXPECT_TRUE(game->has_left());
}

TEST_F(StandaloneTest, a_world_that_travels_on_while_it_ends_is_closed_too) {
    open();
    frames(60);
    GameInstance& instance = *game->world()->game();
    game->leave();
    frames(1);
    instance.travel({.name = Name("elsewhere")});
    frames(60);
    EXPECT_TRUE(game->has_left());
}

TEST_F(StandaloneTest, an_experience_of_a_features_content_is_played_if_the_feature_is_there_from_the_start) {
    // F-37, F-36, E-08
    const std::string_view manifest = "id = \"lake\"\nversion = \"1.0.0\"\ncontent = \"content\"\n";
    files.write("p/game/lake/feature.toml", std::string(manifest));
    files.write("p/game/lake/content/regatta.experience.toml",
                "pawn = \"drifter\"\nfeatures = [\"boats\", \"lake\"]\n");
    EXPECT_EQ(
        refusal({.experience = "regatta"}),
        "experience \"regatta\" lies in the feature lake, which is not there from the start: write initial_state = "
        "\"registered\" in p/game/lake/feature.toml");
    project.reset();
    files.write("p/game/lake/feature.toml", fmt::format("{}initial_state = \"registered\"\n", manifest));
    project = std::make_unique<Project>(runtime, files, executor);
    ASSERT_TRUE(project->open("p")) << project->problems().to_text();
    open({.experience = "regatta"});
    frames(60);
    ASSERT_TRUE(game->host()->is_experience_loaded()) << game->host()->failure().to_string();
    game->leave();
    frames(20);
    EXPECT_EQ(project->features().state(Name("lake")), features::FeatureState::Registered);  // the process has it
    project->release_features();
    frames(5);
    EXPECT_EQ(game->leftovers(), std::vector<std::string>{});
    EXPECT_EQ(project->features().state(Name("lake")), features::FeatureState::Installed);
}

TEST_F(StandaloneTest, a_feature_that_never_comes_to_its_initial_state_is_told_and_the_match_goes_on) {
    // F-36
    files.write("p/game/spare/feature.toml", "id = \"spare\"\nversion = \"1.0.0\"\ninitial_state = \"active\"\n");
    FaultPlanDef def;
    def.rules.push_back({.stage = FaultStage::FeatureLoad, .match = "spare", .effect = FaultEffect::Never});
    open_project(std::make_shared<FaultPlan>(def, 1));
    open();
    EXPECT_EQ(runtime.log().count(Name("project.start")), 1u);
    frames(60);
    EXPECT_TRUE(game->host()->is_experience_loaded()) << game->host()->failure().to_string();
}

TEST_F(StandaloneTest, an_experience_whose_pawn_nobody_brings_fails_and_says_so) {
    files.write("p/content/drift.experience.toml", "pawn = \"drifted\"\nfeatures = [\"boats\"]\n");
    open();
    frames(40);
    EXPECT_EQ(game->host()->state(), experience::LoadState::Failed);
    EXPECT_NE(game->host()->failure().to_string().find("pawn_data:drifted"), std::string::npos)
        << game->host()->failure().to_string();
}

TEST_F(StandaloneTest, what_fails_is_tried_as_often_as_its_content_says_and_its_cause_is_known_then) {
    //
    files.write("p/content/drift.experience.toml",
                "pawn = \"drifter\"\nfeatures = [\"rafts\"]\n"
                "[failure]\npolicy = \"retry\"\nattempts = 3000\ndelay_secs = 0.0\n");
    open();
    for (int n = 0; n < 20'000 && !game->has_failed(); ++n) frames(1);
    EXPECT_EQ(game->host()->explain_failure().attempts.back().decision, "stay failed");
    EXPECT_EQ(game->host()->counters().retries, 2999u);
    EXPECT_NE(game->host()->failure().to_string().find("no feature \"rafts\""), std::string::npos);
}

TEST_F(StandaloneTest, who_is_asked_why_says_while_it_is_tried_again_what_it_failed_of) {
    // X-30, K-14
    files.write("p/content/drift.experience.toml",
                "pawn = \"drifter\"\nfeatures = [\"rafts\"]\n"
                "[failure]\npolicy = \"retry\"\nattempts = 3000\ndelay_secs = 0.0\n");
    FaultPlanDef slow;
    slow.rules.push_back({.stage = FaultStage::Definition, .effect = FaultEffect::Delay, .seconds = 0.05});
    open_project(std::make_shared<FaultPlan>(slow, 1));
    open();
    const auto is_at_it_again = [&] {
        return game->host()->state() == experience::LoadState::Loading && game->host()->generation() > 20;
    };
    for (int n = 0; n < 200 && !is_at_it_again(); ++n) frames(1);
    ASSERT_TRUE(is_at_it_again());
    const auto answer = why(*game, std::vector<std::string>{"experience"});
    ASSERT_TRUE(answer.is_ok());
    EXPECT_NE(answer->text.find("it has failed before:\n"), std::string::npos) << answer->text;
    EXPECT_NE(answer->text.find("feature \"rafts\""), std::string::npos) << answer->text;
    EXPECT_LT(std::count(answer->text.begin(), answer->text.end(), '\n'), 40) << answer->text;
}

// Hashes of a match after so many ticks of its world.
using Write = std::function<void(VirtualFiles&)>;
std::vector<std::uint64_t> hashes(const Clock& clock, Executor& executor, std::uint64_t seed, double slowness,
                                  const std::function<void()>& between, const Write& write = write_project) {
    Runtime runtime(clock);
    VirtualFiles files;
    write(files);
    const bool has_guest = files.look("p/game/boats/content/rower.pawn_data.toml").is_ok();
    FaultPlanDef slow;
    slow.rules.push_back({.stage = FaultStage::FeatureLoad, .effect = FaultEffect::Delay, .seconds = slowness});
    Project project(runtime, files, executor, nullptr, std::make_shared<FaultPlan>(slow, 1));
    EXPECT_TRUE((runtime.types().add_all<Drifter, Crew>()));
    EXPECT_TRUE(project.open("p")) << project.problems().to_text();
    auto game = Standalone::open(project, {.seed = seed});
    EXPECT_TRUE(game.is_ok()) << game.status().text();
    const assets::PrimaryAssetId own{Name(kPawnDataType), Name("rower")};
    if (has_guest) {
        EXPECT_TRUE((*game)->mode()->login({.name = "anna", .pawn_data = own}).is_ok());
    }
    std::vector<std::uint64_t> found;
    for (int n = 0; n < 100'000 && found.size() < 20; ++n) {
        if (between) between();
        (*game)->frame();
        const World& world = *(*game)->world();
        const std::uint64_t tick = world.tick_number();
        if (tick != 0 && tick % 10 == 0 && found.size() < tick / 10) found.push_back(world_hash(world));
    }
    return found;
}

TEST(Standalone, a_real_clock_with_threads_and_a_virtual_one_give_the_same_match_for_the_same_seed) {
    const auto in_virtual_time = [](std::uint64_t seed, double slowness) {
        VirtualClock clock;
        VirtualExecutor executor(clock);
        return hashes(clock, executor, seed, slowness, [&] { clock.advance(16'667); });
    };
    RealClock clock;
    ThreadPool pool;
    const auto real = hashes(clock, pool, 5, 0, {});
    ASSERT_EQ(real.size(), 20u);
    EXPECT_EQ(real, in_virtual_time(5, 0));
    EXPECT_EQ(real, in_virtual_time(5, 1.5));
    EXPECT_NE(real, in_virtual_time(6, 0));
}

TEST(Standalone, the_match_is_the_same_however_long_the_files_of_what_players_are_made_of_take) {
    // E-60, E-26
    const Write write = [](VirtualFiles& files) {
        write_project(files);
        files.write("p/lyre.toml", "default_pawn = \"drifter\"\n" + std::string(kProject));
        files.write("p/content/drift.experience.toml",
                    "features = [\"boats\"]\n[[action]]\nkind = \"add_components\"\n"
                    "to = \"GameState\"\ncomponent = \"Crew\"\n");
        files.write("p/game/boats/content/rower.pawn_data.toml", "class = \"Drifter\"\n");
    };
    const auto read_after = [&](int drifter, int rower) {  // frames
        VirtualClock clock;
        VirtualExecutor executor(clock);
        for (const char* file : {"drifter.pawn", "rower.pawn"}) executor.hold(file);
        int frame = 0;
        const auto between = [&] {
            clock.advance(16'667);
            if (++frame == drifter) executor.release("drifter.pawn");
            if (frame == rower) executor.release("rower.pawn");
        };
        return hashes(clock, executor, 5, 0, between, write);
    };
    const auto quick = read_after(1, 1);
    ASSERT_EQ(quick.size(), 20u);
    EXPECT_EQ(read_after(60, 20), quick);
    EXPECT_EQ(read_after(20, 60), quick);
    RealClock clock;
    ThreadPool pool;
    const auto real = hashes(clock, pool, 5, 0, {}, write);
    EXPECT_EQ(real, quick);
}

TEST(Standalone, the_match_is_the_same_however_many_attempts_its_load_has_taken) {
    const auto after_attempts = [](std::int64_t attempts, double delay) {
        VirtualClock clock;
        Runtime runtime(clock);
        VirtualExecutor executor(clock);
        VirtualFiles files;
        write_project(files);
        files.write("p/content/drift.experience.toml",
                    "pawn = \"drifter\"\nfeatures = [\"boats\"]\n[[action]]\nkind = \"add_components\"\n"
                    "to = \"GameState\"\ncomponent = \"Crew\"\n" +
                        fmt::format("[failure]\npolicy = \"retry\"\nattempts = 5\ndelay_secs = {}\n", delay));
        FaultPlanDef fails;
        for (std::int64_t nth = 1; nth < attempts; ++nth)
            fails.rules.push_back({.stage = FaultStage::Asset, .nth = nth, .effect = FaultEffect::Fail});
        Project project(runtime, files, executor, nullptr, std::make_shared<FaultPlan>(fails, 1));
        EXPECT_TRUE((runtime.types().add_all<Drifter, Crew>()));
        EXPECT_TRUE(project.open("p")) << project.problems().to_text();
        auto game = Standalone::open(project, {.seed = 5});
        EXPECT_TRUE(game.is_ok()) << game.status().text();
        for (int n = 0; n < 10'000 && !(*game)->host()->is_experience_loaded(); ++n) {
            clock.advance(16'667);
            (*game)->frame();
            EXPECT_FALSE((*game)->has_failed());
        }
        EXPECT_TRUE((*game)->host()->is_experience_loaded()) << (*game)->host()->failure().to_string();
        EXPECT_EQ((*game)->host()->generation(), static_cast<std::uint32_t>(attempts));
        for (int n = 0; n < 30; ++n) (*game)->frame();
        return (*game)->world()->tick_number();
    };
    const std::uint64_t at_once = after_attempts(1, 1);
    EXPECT_EQ(after_attempts(3, 1), at_once);
    EXPECT_EQ(after_attempts(3, 0.1), at_once);
}

}  // namespace standalone_test
}  // namespace lyre::session
