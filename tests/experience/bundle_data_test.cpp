#include "lyre/experience/bundle_data.h"

#include <gtest/gtest.h>

#include "lyre/core/virtual_executor.h"
#include "lyre/core/virtual_files.h"
#include "lyre/session/project.h"

namespace lyre::experience {
namespace bundle_data_test {

struct Scoreboard : Component {
    static void describe(TypeBuilder<Scoreboard>&) {}
};
struct Hunter : Actor {
    static void describe(TypeBuilder<Hunter>&) {}
};

TEST(BundleData, the_table_lists_what_actions_add_under_the_right_bundles) {
    // E-06
    VirtualClock clock;
    Runtime runtime{clock};
    VirtualFiles files;
    VirtualExecutor executor{clock};
    session::Project project{runtime, files, executor};
    ASSERT_TRUE((runtime.types().add_all<Hunter, Scoreboard>()));
    files.write("lyre.toml", "name = \"test\"\ncontent = [\"content\"]\n");
    files.write("content/yard.map.toml", "bounds = { min = [-9, -9], max = [9, 9] }\n");
    files.write("content/tag.experience.toml", R"(action_sets = ["hud"]
[[action]]
kind = "add_components"
to = "Hunter"
component = "Scoreboard"
side = "client"
[[action]]
kind = "add_assets"
assets = ["map:yard"]
side = "server"
[[action]]
kind = "not_here_yet"
)");
    files.write("content/hud.action_set.toml",
                "[[action]]\nkind = \"add_components\"\nto = \"Hunter\"\ncomponent = \"Scoreboard\"\n");
    ASSERT_TRUE(project.open(".")) << project.problems().to_text();
    ASSERT_TRUE(project.forecast(Name("tag"), {}, NetMode::Standalone).is_ok());
    const auto table = [&](const char* type, const char* name) {
        const auto made = bundle_table(project.assets(), {Name(type), Name(name)}, runtime);
        return made ? made->to_string() : made.status().text();
    };
    EXPECT_EQ(table("experience", "tag"), "Client: class Scoreboard\nServer: map:yard\n");
    EXPECT_EQ(table("action_set", "hud"), "Equipped: class Scoreboard\n");
    EXPECT_FALSE(bundle_table(project.assets(), {Name("experience"), Name("nobody")}, runtime).is_ok());
}

}  // namespace bundle_data_test
}  // namespace lyre::experience
