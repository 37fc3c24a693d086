#include "lyre/session/project.h"

#include <gtest/gtest.h>

#include "lyre/core/virtual_executor.h"
#include "lyre/core/virtual_files.h"
#include "lyre/world/archetype.h"
#include "lyre/world/game_instance.h"

namespace lyre::session {
namespace project_test {

struct Barrel : Actor {
    Property<std::int32_t> health = 3;
    static void describe(TypeBuilder<Barrel>& t) { t.property("health", &Barrel::health).range(1, 100); }
};
struct Loot : Component {
    static void describe(TypeBuilder<Loot>&) {}
};

// A project in memory, and a program with two classes and a setting.
class ProjectTest : public testing::Test {
protected:
    ProjectTest() {
        EXPECT_TRUE((runtime.types().add_all<Barrel, Loot>()));
        EXPECT_TRUE(runtime.variables().add<double>({.name = "game.Pace", .default_value = 1, .min = 0, .max = 10}));
        files.write("p/lyre.toml",
                    "name = \"test\"\ncontent = [\"content\"]\ntags = [\"Prop.Wooden\"]\n"
                    "default_map = \"yard\"\n[variables]\n\"game.Pace\" = 4\n"
                    "\"lyre.experience.StageTimeoutSecs\" = 5\n");
        files.write(
            "p/content/barrel.archetype.toml",
            "parent = \"Barrel\"\ntags = [\"Prop.Wooden\"]\n[defaults]\nhealth = 9\n[[component]]\nclass = \"Loot\"\n");
        files.write("p/content/maps/yard.map.toml",
                    "bounds = { min = [-9, -9], max = [9, 9] }\n[[placed]]\nclass = \"barrel\"\nat = [1, 2]\n"
                    "[[point]]\nname = \"start\"\nat = [3, 4]\n");
    }
    std::string first_problem() const { return project->problems().to_status().text(); }

    VirtualClock clock;
    Runtime runtime{clock};
    VirtualFiles files;
    VirtualExecutor executor{clock};
    std::unique_ptr<Project> project = std::make_unique<Project>(runtime, files, executor);
};

TEST_F(ProjectTest, a_world_is_made_of_files) {
    // W-14, W-21, C-14
    ASSERT_TRUE(project->open("p")) << project->problems().to_text();
    auto map = project->load_map(project->def().default_map);
    ASSERT_TRUE(map) << map.status().text();
    EXPECT_EQ((*map)->name, Name("yard"));

    GameInstance game(runtime);
    World& world = game.open_world({});
    auto level = world.levels().add(**map);
    ASSERT_TRUE(level) << level.status().text();
    world.begin_play();
    const Level& yard = *world.levels().find(*level);
    EXPECT_EQ(yard.find_point(Name("start"))->at, (Vec3{3, 4, 0}));
    Actor* barrel = world.levels().touch(yard.id_of(0), Name("test")).value();
    EXPECT_EQ(barrel->as<Barrel>()->health, 9);
    EXPECT_NE(barrel->find<Loot>(), nullptr);
    EXPECT_TRUE(world.tags().has(barrel->id(), *runtime.tags().find("Prop")));
}

TEST_F(ProjectTest, settings_of_the_file_know_their_place_and_give_way_to_the_environment_and_the_command_line) {
    // K-12
    ASSERT_TRUE(project->open("p"));
    const auto pace = [this] { return *runtime.variables().describe("game.Pace"); };
    EXPECT_EQ(std::get<double>(pace().value), 4);
    EXPECT_EQ(pace().origin.place, "p/lyre.toml:6:1");
    const std::pair<std::string, std::string> environment[] = {{"LYRE_GAME_PACE", "5"}};
    EXPECT_TRUE(runtime.variables().apply_environment(environment).empty());
    EXPECT_EQ(std::get<double>(pace().value), 5);
    EXPECT_TRUE(runtime.variables().set("game.Pace", "6", {VariableSource::CommandLine, "--set"}));
    EXPECT_EQ(std::get<double>(pace().value), 6);
}

TEST_F(ProjectTest, what_is_wrong_is_told_together_and_what_is_right_is_there) {
    // C-11, C-14, K-12
    files.write("p/lyre.toml",
                "name = \"test\"\ncontent = [\"content\", \"../x\", \"nowhere\"]\ntags = [\"Prop.Wooden\", \"A..B\"]\n"
                "default_map = \"yrad\"\n[variables]\n\"game.Pac\" = 4\ngame.Pace = 99\n");
    EXPECT_FALSE(project->open("p"));
    EXPECT_FALSE(project->is_configured());
    std::vector<int> codes;
    for (const Problem& problem : project->problems().all()) codes.push_back(problem.code->number);
    EXPECT_EQ(codes, (std::vector<int>{2504, 2502, 2503, 2505, 2506, 2107})) << project->problems().to_text();
    EXPECT_NE(runtime.types().find(Name("barrel")), nullptr);
}

TEST_F(ProjectTest, a_broken_archetype_leaves_the_others_and_blames_no_map_that_uses_it) {
    // C-11, C-14
    files.write("p/content/barrel.archetype.toml", "parent = \"Barrel\"\n[defaults]\nhealth = 0\n");
    files.write("p/content/keg.archetype.toml", "parent = \"Barrel\"\n");
    EXPECT_FALSE(project->open("p"));
    EXPECT_TRUE(project->is_configured());
    EXPECT_TRUE(project->check());
    ASSERT_EQ(project->problems().count(), 1u) << project->problems().to_text();
    EXPECT_EQ(project->problems().all()[0].where(), "p/content/barrel.archetype.toml:3:10");
    EXPECT_NE(runtime.types().find(Name("keg")), nullptr);
    EXPECT_EQ(runtime.types().find(Name("barrel")), nullptr);
}

TEST_F(ProjectTest, an_archetype_of_an_archetype_is_refused_whatever_comes_first) {
    // W-14
    files.write("p/content/a_keg.archetype.toml", "parent = \"barrel\"\n");
    files.write("p/content/z_keg.archetype.toml", "parent = \"barrel\"\n");
    EXPECT_FALSE(project->open("p"));
    ASSERT_EQ(project->problems().count(), 2u) << project->problems().to_text();
    for (const Problem& problem : project->problems().all()) EXPECT_EQ(problem.code->number, 1104);
}

TEST_F(ProjectTest, what_it_brought_goes_with_it) {
    ASSERT_TRUE(project->open("p"));
    ASSERT_TRUE(project->load_map(Name("yard")));
    EXPECT_EQ(runtime.types().get("barrel").value()->owner, Owner::project(Name("project")));
    project.reset();
    EXPECT_EQ(runtime.types().find(Name("barrel")), nullptr);
    EXPECT_FALSE(runtime.tags().find("Prop.Wooden"));
    EXPECT_EQ(runtime.log().count(Name("project.left")), 0u);
    Project again(runtime, files, executor);
    EXPECT_TRUE(again.open("p")) << again.problems().to_text();
}

TEST_F(ProjectTest, the_nearest_project_upwards_is_found) {
    // K-03
    files.make_folder("p/content/deep");
    EXPECT_EQ(Project::find_upwards(files, "p/content/deep").value(), "p");
    EXPECT_EQ(Project::find_upwards(files, "p").value(), "p");
    EXPECT_FALSE(Project::find_upwards(files, "q/r"));
    EXPECT_EQ(project->load_map(Name("yrad")).status().code(), StatusCode::NotFound);
}

TEST_F(ProjectTest, a_project_file_that_is_no_text_or_not_there_is_one_problem) {
    // C-11
    EXPECT_FALSE(project->open("q"));
    EXPECT_EQ(project->problems().all()[0].code->number, 2501);
    Project binary(runtime, files, executor);
    files.write("p/lyre.toml", std::string("name = \"\0\"", 10));
    EXPECT_FALSE(binary.open("p"));
    ASSERT_EQ(binary.problems().count(), 1u);
    EXPECT_EQ(binary.problems().all()[0].code->number, 2003);
}

TEST_F(ProjectTest, checking_can_be_given_up) {
    ASSERT_TRUE(project->open("p"));
    bool goes_on = false;
    std::set<std::string> stages;
    project->tell_progress([&](const Progress& progress) {
        stages.emplace(progress.stage);
        EXPECT_LE(progress.bytes.done, progress.bytes.of);
        return goes_on;
    });
    EXPECT_FALSE(project->check());
    goes_on = true;
    EXPECT_TRUE(project->check());
    EXPECT_TRUE(stages.contains("content"));
}

TEST_F(ProjectTest, a_mistake_in_the_project_file_does_not_hide_others) {
    // C-11, C-14, K-12
    files.write(
        "p/lyre.toml",
        "name = \"test\"\ncontent = [\"content\", \"nowhere\"]\nfeatures = [\"game\"]\ntags = [\"a b\"]\nfetures = 3\n"
        "allowed_features = [7]\n[variables]\n\"game.Pac\" = 4\n");
    files.write("p/game/boat/feature.toml", "id = \"boat\"\nversion = \"one\"\n");
    files.write("p/content/maps/yard.map.toml", "bound = 3\n");
    EXPECT_FALSE(project->open("p"));
    EXPECT_FALSE(project->is_configured());
    EXPECT_TRUE(project->check());
    const std::string said = project->problems().to_text();
    for (const char* one :
         {"\"fetures\"", "nowhere", "a b", "game.Pac\"", "allowed_features", "game/boat/feature.toml", "yard.map.toml"})
        EXPECT_NE(said.find(one), std::string::npos) << one << " in\n" << said;
}

TEST_F(ProjectTest, what_is_loaded_again_and_again_is_held_once) {
    ASSERT_TRUE(project->open("p"));
    ASSERT_TRUE(project->load_map(Name("yard")));
    const std::size_t holds = project->assets().holds_of(Owner::project(Name("project"))).size() +
                              project->assets().holds_of(Owner::process()).size();
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(project->load_map(Name("yard")));
    EXPECT_EQ(project->assets().holds_of(Owner::project(Name("project"))).size() +
                  project->assets().holds_of(Owner::process()).size(),
              holds);
    EXPECT_NE(holds, 0u);
}

TEST_F(ProjectTest, the_project_names_a_default_experience_and_one_for_developers) {
    // E-08, K-12
    files.write("p/lyre.toml",
                "name = \"test\"\ncontent = [\"content\"]\ndefault_experience = \"tag\"\ntags = [\"Prop.Wooden\"]\n"
                "[developer]\nexperience = \"experience:lobby\"\nbots = 4\n");
    files.write("p/content/tag.experience.toml", "title = \"Tag\"\n");
    files.write("p/content/lobby.experience.toml", "title = \"Lobby\"\n");
    ASSERT_TRUE(project->open("p")) << project->problems().to_text();
    EXPECT_EQ(project->def().default_experience, Name("tag"));
    EXPECT_EQ(project->def().developer.experience, Name("lobby"));
    EXPECT_EQ(project->def().developer.bots, 4);
    EXPECT_TRUE(project->check());
    EXPECT_TRUE(project->problems().is_empty()) << project->problems().to_text();
}

TEST_F(ProjectTest, an_experience_that_is_named_and_not_there_is_told_with_the_nearest) {
    //
    files.write("p/lyre.toml",
                "name = \"test\"\ncontent = [\"content\"]\ntags = [\"Prop.Wooden\"]\ndefault_experience = \"tga\"\n"
                "[developer]\nexperience = \"\"\n");
    files.write("p/content/tag.experience.toml", "");
    EXPECT_FALSE(project->open("p"));
    ASSERT_EQ(project->problems().count(), 1u) << project->problems().to_text();
    EXPECT_EQ(project->problems().all()[0].hint, "did you mean \"tag\"?");
}

TEST_F(ProjectTest, an_experience_is_forecast_with_what_it_would_load_and_nothing_moves) {
    // E-97, X-21
    files.write("p/lyre.toml",
                "name = \"test\"\ncontent = [\"content\"]\nfeatures = [\"features\"]\ntags = [\"Prop.Wooden\"]\n");
    files.write("p/features/core/feature.toml", "id = \"core\"\nversion = \"1.0.0\"\n");
    files.write("p/features/bots/feature.toml", "id = \"bots\"\nversion = \"1.0.0\"\n");
    files.write("p/content/tag.experience.toml",
                "features = [\"core\"]\naction_sets = [\"s\", \"\", \"s\"]\nassets = [\"map:yard\"]\n");
    files.write("p/content/s.action_set.toml", "[[action]]\nkind = \"say\"\n");
    files.write("p/content/more.action_set.toml",
                "[[action]]\nkind = \"add_assets\"\nassets = [\"archetype:barrel\"]\nside = \"client\"\n");
    ASSERT_TRUE(project->open("p")) << project->problems().to_text();
    const auto plain = project->forecast(Name("tag"), {}, NetMode::DedicatedServer);
    ASSERT_TRUE(plain) << plain.status().text();
    EXPECT_EQ(plain->plan.features.size(), 1u);
    EXPECT_EQ(plain->plan.actions.at(0).where(), "action_set:s, action 1 (say)");
    const auto names = [](const ExperienceForecast& forecast) {
        std::string all;
        for (const assets::AssetEntry& asset : forecast.assets) all += asset.id.to_string() + " ";
        return all;
    };
    EXPECT_EQ(names(*plain), "action_set:s experience:tag map:yard ");
    EXPECT_GT(plain->bytes(), 100u);
    const assets::PrimaryAssetId overlays[] = {{Name("action_set"), Name("more")}, {Name("feature"), Name("bots")}};
    const auto more = project->forecast(Name("tag"), overlays, NetMode::Client);
    ASSERT_TRUE(more) << more.status().text();
    EXPECT_EQ(names(*more), "action_set:more action_set:s archetype:barrel experience:tag map:yard ");
    EXPECT_EQ(more->plan.features.size(), 2u);
    EXPECT_NE(more->plan.content_hash, plain->plan.content_hash);
    EXPECT_EQ(project->features().state(Name("core")), features::FeatureState::Installed);

    EXPECT_EQ(project->forecast(Name("tga"), {}, NetMode::Client).status().text(),
              "no asset \"experience:tga\"; did you mean \"experience:tag\"?");
    const assets::PrimaryAssetId wrong[] = {
        {Name("feature"), Name("bts")}, {Name("action_set"), Name("mor")}, {Name("map"), Name("yard")}};
    for (const assets::PrimaryAssetId& id : wrong)
        EXPECT_FALSE(project->forecast(Name("tag"), {&id, 1}, NetMode::Client).is_ok()) << id.to_string();
}

TEST_F(ProjectTest, a_feature_that_is_not_allowed_is_no_part_of_a_forecast) {
    // E-41, X-108
    files.write("p/lyre.toml",
                "name = \"test\"\ncontent = [\"content\"]\nfeatures = [\"features\"]\ntags = [\"Prop.Wooden\"]\n"
                "allowed_features = [\"core\"]\n");
    files.write("p/features/core/feature.toml", "id = \"core\"\nversion = \"1.0.0\"\n");
    files.write("p/features/bots/feature.toml", "id = \"bots\"\nversion = \"1.0.0\"\n");
    files.write("p/content/tag.experience.toml", "features = [\"core\", \"bots\"]\n");
    files.write("p/content/may.experience.toml", "features = [\"core\", { id = \"bots\", need = \"optional\" }]\n");
    ASSERT_TRUE(project->open("p")) << project->problems().to_text();
    const auto must = project->forecast(Name("tag"), {}, NetMode::Standalone);
    ASSERT_TRUE(must && must->plan.causes.size() == 1);
    EXPECT_EQ(must->plan.causes[0].code, experience::CauseCode::FeatureFailed);
    EXPECT_EQ(must->plan.causes[0].feature, Name("bots"));
    const auto may = project->forecast(Name("may"), {}, NetMode::Standalone);
    ASSERT_TRUE(may && may->plan.is_ok());
    EXPECT_EQ(may->plan.degraded.at(0).reason, "bots is not on the list allowed_features of p/lyre.toml");
}

TEST_F(ProjectTest, a_feature_s_own_experience_can_be_the_default_and_is_shown_to_who_only_looks) {
    // K-12, F-81
    files.write("p/lyre.toml",
                "name = \"test\"\ncontent = [\"content\"]\nfeatures = [\"features\"]\ntags = [\"Prop.Wooden\"]\n"
                "default_experience = \"tag\"\n");
    files.write("p/features/tag/feature.toml", "id = \"tag\"\nversion = \"1.0.0\"\n");
    files.write("p/features/tag/content/tag.experience.toml", "features = [\"tag\"]\n");
    ASSERT_TRUE(project->open("p")) << project->problems().to_text();
    const assets::PrimaryAssetId id{Name("experience"), Name("tag")};
    EXPECT_EQ(project->assets().registry().find(id), nullptr);
    project->show_features();
    ASSERT_NE(project->assets().registry().find(id), nullptr);
    EXPECT_TRUE(project->forecast(Name("tag"), {}, NetMode::Client).is_ok());
    EXPECT_EQ(project->features().state(Name("tag")), features::FeatureState::Installed);
}

TEST_F(ProjectTest, what_follows_from_a_missing_library_is_not_told_and_the_rest_is) {
    //
    files.write("p/lyre.toml",
                "name = \"test\"\ncontent = [\"content\"]\nfeatures = [\"features\"]\ntags = [\"Prop.Wooden\"]\n");
    files.write("p/features/tag/feature.toml",
                "id = \"tag\"\nversion = \"1.0.0\"\n[module]\nname = \"tag\"\n[[variable]]\nname = \"tag.Reach\"\n"
                "default = 2.0\n");
    files.write("p/features/tag/content/hunter.archetype.toml", "parent = \"TagHunter\"\n");
    const std::string actions =
        "[[action]]\nkind = \"tag_deal\"\n[[action]]\nkind = \"set_variables\"\nvariables = { \"tag.Reach\" = 3.0 }\n"
        "[[action]]\nkind = \"run\"\nfunction = \"tag.deal\"\n";
    files.write("p/content/tag.experience.toml", "action_sets = [\"rules\"]\n" + actions);
    files.write("p/content/rules.action_set.toml", "features = [\"tag\"]\n[[action]]\nkind = \"tag_more\"\n");
    files.write("p/content/other.experience.toml", "title = 3\n" + actions);
    ASSERT_TRUE(project->open("p")) << project->problems().to_text();
    EXPECT_TRUE(project->check());
    std::string said;
    for (const Problem& problem : project->problems().all())
        said += fmt::format("{} {}\n", problem.code->to_string(), problem.where());
    EXPECT_EQ(said,
              "LY-2101 p/content/other.experience.toml:1:9\n"
              "LY-2119 p/content/other.experience.toml:3:8\n"
              "LY-3208 p/content/other.experience.toml:6:15\n"
              "LY-3204 p/content/other.experience.toml:9:12\n"
              "LY-3105 p/features/tag/feature.toml:4:8\n");
}

TEST_F(ProjectTest, what_an_optional_action_needs_of_an_optional_feature_is_no_mistake_where_that_is_missing) {
    // X-115, F-46, F-59
    files.write("p/lyre.toml", "name = \"test\"\nfeatures = [\"features\"]\ntags = [\"Prop.Wooden\"]\n");
    const std::string tag =
        "id = \"tag\"\nversion = \"1.0.0\"\n[[dependency]]\nid = \"hud\"\nkind = \"optional\"\n"
        "[[action]]\nkind = \"run\"\nfunction = \"hud.show\"\n";
    const auto problems_of = [&](const std::string& manifest) {
        files.write("p/features/tag/feature.toml", manifest);
        project = nullptr;  // one at a time
        project = std::make_unique<Project>(runtime, files, executor);
        EXPECT_TRUE(project->open("p")) << project->problems().to_text();
        EXPECT_TRUE(project->check());
        return project->problems().count();
    };
    EXPECT_EQ(problems_of(tag + "need = \"optional\"\n"), 0u) << project->problems().to_text();
    EXPECT_EQ(problems_of(tag), 1u) << "a required one is a mistake";
    files.write("p/features/hud/feature.toml", "id = \"hud\"\nversion = \"1.0.0\"\n");
    EXPECT_EQ(problems_of(tag + "need = \"optional\"\n"), 1u) << "hud is there, and brings no such function";
    EXPECT_EQ(project->problems().all()[0].where(), "p/features/tag/feature.toml:8:12");
}

}  // namespace project_test
}  // namespace lyre::session
