#include "lyre/core/settings_table.h"

#include <gtest/gtest.h>

namespace lyre {
namespace settings_table_test {

TEST(SettingsTable, dots_in_names_and_tables_in_each_other_mean_the_same) {
    // K-12
    Node table = Node::table();
    table.set("net.rate", Node::integer(30));
    Node& game = table.set("game", Node::table());
    game.set("name", Node::text("tag"));
    game.set("sky", Node::table()).set("fog", Node::boolean(true));
    std::string all;
    for (const WrittenSetting& setting : collect_settings(table))
        all += setting.name + "=" + setting_text(*setting.node) + " ";
    EXPECT_EQ(all, "net.rate=30 game.name=tag game.sky.fog=true ");
    EXPECT_TRUE(collect_settings(Node::integer(3)).empty());
    EXPECT_TRUE(collect_settings(Node()).empty());
}

TEST(SettingsTable, a_variable_can_be_asked_before_it_is_set) {
    // W-11
    Variables variables;
    const auto rate = variables.add<std::int64_t>({.name = "net.rate", .default_value = 30, .min = 1, .max = 60});
    ASSERT_TRUE(rate.is_ok());
    EXPECT_TRUE(variables.takes("net.rate", "60").is_ok());
    EXPECT_EQ(variables.takes("net.rate", "61").text(),
              "variable \"net.rate\" takes a whole number from 1 to 60, not \"61\"");
    EXPECT_EQ(variables.takes("net.rat", "1").code(), StatusCode::NotFound);
    EXPECT_EQ(rate->get(), 30);
    EXPECT_EQ(suggest_variable(variables, "net.rat"), "did you mean \"net.rate\"?");
    EXPECT_EQ(suggest_variable(variables, "gravity"), "there is only net.rate");
}

}  // namespace settings_table_test
}  // namespace lyre
