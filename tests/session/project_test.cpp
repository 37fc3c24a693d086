#include "lyre/session/project.h"

#include <gtest/gtest.h>

#include "lyre/core/virtual_executor.h"
#include "lyre/core/virtual_files.h"
#include "lyre/world/archetype.h"
#include "lyre/world/game_instance.h"

namespace lyre::session {
namespace {

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
                    "default_map = \"yard\"\n[variables]\n\"game.Pace\" = 4\n");
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
    EXPECT_EQ(codes, (std::vector<int>{2504, 2505, 2506, 2502, 2503, 2107})) << project->problems().to_text();
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
    EXPECT_FALSE(project->check([](float) { return false; }));
    EXPECT_TRUE(project->check([](float progress) { return progress <= 1; }));
}

}  // namespace
}  // namespace lyre::session
