// SetVariables, SpawnActors, Run and AddAssets.
#include <set>

#include "lyre/features/action_codes.h"
#include "lyre/features/builtin_actions.h"

#include "tests/assets/small_source.h"
#include "tests/features/small_features.h"

namespace lyre::features {
namespace world_actions_test {

using framework::Hero;

struct WithVariables : ::testing::Test {
    WithVariables() {
        auto& variables = game.runtime.variables();
        EXPECT_TRUE(variables.add<double>({.name = "game.gravity", .default_value = 9.8}).is_ok());
        EXPECT_TRUE(
            variables.add<std::int64_t>({.name = "game.lives", .default_value = 3, .min = 1, .max = 9}).is_ok());
        EXPECT_TRUE(variables.add<bool>({.name = "fog", .default_value = false}).is_ok());
        EXPECT_TRUE(variables.add<std::int64_t>({.name = "net.rate", .default_value = 30, .flags = {.read_only = true}})
                        .is_ok());
    }
    std::string value(std::string_view name) { return format_value(game.world().variables().describe(name)->value); }
    FeatureGame game;
};

TEST_F(WithVariables, have_other_values_in_this_world_until_it_is_left) {
    // A-33
    GameInstance second(game.runtime);
    World& other = second.open_world({});
    WrittenActions written(game, R"(
        [[action]]
        kind = "set_variables"
        variables = { "game.gravity" = 2, fog = true, game.lives = 5 }
    )");
    ASSERT_EQ(written.said(), "");
    auto run = game.run_parts(written.parts());
    EXPECT_TRUE(run->activate().is_ok());
    EXPECT_EQ(value("game.gravity") + " " + value("fog") + " " + value("game.lives"), "2 true 5");
    EXPECT_EQ(game.world().variables().describe("fog")->origin.place, "feature tag, action 1 (set_variables)");
    EXPECT_EQ(format_value(other.variables().describe("game.gravity")->value), "9.8");
    run->finish();
    EXPECT_EQ(value("game.gravity") + " " + value("fog") + " " + value("game.lives"), "9.8 false 3");
}

TEST_F(WithVariables, of_several_actions_have_the_newest_value) {
    // A-33
    SetVariables low, high;
    low.variables = Node::table();
    low.variables.set("game.lives", Node::integer(1));
    high.variables = Node::table();
    high.variables.set("game.lives", Node::integer(7));
    for (const bool newest_goes_first : {true, false}) {
        auto first = game.run({&low}), second = game.run({&high}, "other");
        EXPECT_TRUE(first->activate().is_ok() && second->activate().is_ok());
        EXPECT_EQ(value("game.lives"), "7");
        (newest_goes_first ? second : first)->finish();
        EXPECT_EQ(value("game.lives"), newest_goes_first ? "1" : "7");
        (newest_goes_first ? first : second)->finish();
        EXPECT_EQ(value("game.lives"), "3");
    }
}

TEST_F(WithVariables, that_cannot_be_set_fail_the_action_and_none_is) {
    // A-33
    SetVariables action;
    action.variables = Node::table();
    action.variables.set("fog", Node::boolean(true));
    action.variables.set("game.lifes", Node::integer(1));
    const Status status = game.run({&action})->activate();
    EXPECT_NE(status.text().find("\"game.lifes\"; did you mean \"game.lives\"?"), std::string::npos) << status.text();
    EXPECT_EQ(value("fog"), "false");
}

TEST_F(WithVariables, are_set_where_the_side_counts) {
    // A-33
    for (Side side : {Side::Both, Side::Client, Side::Server}) {
        SetVariables action;
        action.variables = Node::table();
        action.variables.set("fog", Node::boolean(true));
        action.side = side;
        for (NetMode mode : {NetMode::DedicatedServer, NetMode::Client}) {
            World& world = game.instance.open_world({.net_mode = mode});
            auto run = game.run({&action});
            EXPECT_TRUE(run->activate().is_ok());
            EXPECT_EQ(std::get<bool>(world.variables().describe("fog")->value), counts_for(side, mode));
        }
    }
}

TEST_F(WithVariables, are_checked_where_they_were_written) {
    // A-33, A-24
    WrittenActions written(game, R"([[action]]
kind = "set_variables"
[action.variables]
"game.lifes" = 2
game.gravity = "strong"
game.lives = 20
net.rate = 60
fog = [true]
[[action]]
kind = "set_variables"
variables = {}
[[action]]
kind = "set_variables"
variables = 3
side = "servers"
)");
    EXPECT_EQ(
        written.said(),
        R"(LY-2105 feature.toml:15:8: unknown value "servers" for "side" of action 3 in feature tag (did you mean "server"?)
LY-3208 feature.toml:4:1: unknown variable "game.lifes" in "variables" of action 1 in feature tag (did you mean "game.lives"?)
LY-3209 feature.toml:5:16: "game.gravity" in "variables" of action 1 in feature tag takes a number, not "strong"
LY-3209 feature.toml:6:14: "game.lives" in "variables" of action 1 in feature tag takes a whole number from 1 to 9, not 20
LY-3210 feature.toml:7:5: variable "net.rate" in "variables" of action 1 in feature tag is read-only while the game runs
LY-3209 feature.toml:8:7: "fog" in "variables" of action 1 in feature tag takes true or false, not a list
LY-3203 feature.toml:11:13: "variables" of action 2 in feature tag is empty
LY-3209 feature.toml:14:13: "variables" of action 3 in feature tag takes a table, not a whole number (write NAME = VALUE for each, between { and })
)");
}

struct WithLevel : ::testing::Test {
    explicit WithLevel(NetMode mode = NetMode::Standalone) : game(mode) {
        LevelDef level;
        level.name = Name("yard");
        level.bounds = {{-10, -10, 0}, {10, 10, 0}};
        level.points = {{Name("flag"), {3, 4, 0}, 90}, {Name("start"), {1, 1, 0}, 0}};
        EXPECT_TRUE(game.world().levels().add(level).is_ok());
    }
    FeatureGame game;
};

TEST_F(WithLevel, actors_stand_at_a_point_or_a_place_until_the_feature_leaves) {
    // A-25
    WrittenActions written(game, R"(
        [[action]]
        kind = "spawn_actors"
        class = "Hero"
        point = "flag"
        [[action]]
        kind = "spawn_actors"
        class = "Plain"
        at = [5, 6]
        yaw = 45
    )");
    ASSERT_EQ(written.said(), "");
    auto run = game.run_parts(written.parts());
    EXPECT_TRUE(run->activate().is_ok());
    ASSERT_EQ(game.world().actor_count(), 2u);
    const Actor& hero = *game.world().find(game.world().actors()[0]);
    const Actor& plain = *game.world().find(game.world().actors()[1]);
    EXPECT_TRUE(hero.is_a<Hero>());
    EXPECT_EQ(hero.position(), (Vec3{3, 4, 0}));
    EXPECT_EQ(hero.yaw(), 90);
    EXPECT_EQ(plain.position(), (Vec3{5, 6, 0}));
    EXPECT_EQ(plain.yaw(), 45);
    EXPECT_TRUE(game.world().destroy(plain.id()));
    game.spawn<Hero>();
    run->finish();
    EXPECT_EQ(game.world().actor_count(), 1u);  // the other's
}

TEST_F(WithLevel, an_unknown_point_or_class_fails_the_action) {
    // A-25
    SpawnActors action;
    action.class_name = Name("Hero");
    action.point = Name("flagg");
    EXPECT_EQ(game.run({&action})->activate().text(),
              "feature tag, action 1 (probe), activating: no level of the world has a point \"flagg\"; did you mean "
              "\"flag\"?");
    action.point = Name("flag");
    action.class_name = Name("Herro");
    EXPECT_NE(game.run({&action})->activate().text().find("did you mean \"Hero\"?"), std::string::npos);
    action.class_name = Name("Health");
    EXPECT_EQ(game.run({&action})->activate().text(),
              "feature tag, action 1 (probe), activating: Health is no class of actors");
    EXPECT_EQ(game.world().actor_count(), 0u);
}

TEST_F(WithLevel, a_world_may_go_before_the_actors_that_were_put_there) {
    // A-25
    SpawnActors action;
    action.class_name = Name("Hero");
    auto run = game.run({&action});
    EXPECT_TRUE(run->activate().is_ok());
    game.instance.close_world();
    run->finish();
    auto gone = game.instance.world();
    EXPECT_EQ(gone, nullptr);
}

TEST(SpawnActors, clients_spawn_nothing) {
    // A-25
    for (NetMode mode : {NetMode::DedicatedServer, NetMode::ListenServer, NetMode::Client}) {
        FeatureGame game(mode);
        SpawnActors action;
        action.class_name = Name("Hero");
        auto run = game.run({&action});
        EXPECT_TRUE(run->activate().is_ok());
        EXPECT_EQ(game.world().actor_count(), mode == NetMode::Client ? 0u : 1u);
    }
}

TEST_F(WithLevel, spawning_says_all_that_is_wrong_with_it) {
    // A-24, A-25
    WrittenActions written(game, R"([[action]]
kind = "spawn_actors"
class = "Hero"
[[action]]
kind = "spawn_actors"
class = "Hero"
point = "flag"
at = [1, 2]
yaw = 3
[[action]]
kind = "spawn_actors"
at = [0, 0]
[[action]]
kind = "spawn_actors"
class = "Health"
at = "here"
)");
    EXPECT_EQ(
        written.said(),
        R"(LY-2103 feature.toml:10:1: "class" of action 3 in feature tag is missing (class takes the name of a class of Actor)
LY-2101 feature.toml:16:6: "at" of action 4 in feature tag takes [x, y] or [x, y, z], not a text
LY-2109 feature.toml:15:9: "class" in feature tag takes a class of Actor, not Health (there are Careless, Crate, Hero, Pawn and Plain)
LY-3205 feature.toml:1:1: action 1 in feature tag has neither point nor at (write point = "NAME", or at = [x, y])
LY-3206 feature.toml:8:6: "at" of action 2 in feature tag beside point "flag" (a point says both: take out "at", or the point)
LY-3206 feature.toml:9:7: "yaw" of action 2 in feature tag beside point "flag" (a point says both: take out "yaw", or the point)
)");
}

TEST(RunFunctions, are_called_with_their_arguments_and_what_they_keep_is_dropped) {
    // A-34
    FeatureGame game;
    EXPECT_TRUE(game.code
                    .add_function(
                        Name("tag.deal"),
                        [](ActivatingContext& context, const Node& arguments) {
                            report(fmt::format("deal {} in {}", arguments.print(), context.world().def().name),
                                   nullptr);
                            context.keep(Kept("cards"));
                            const Node* fails = arguments.find("fails");
                            return fails != nullptr ? Status::refused("no cards") : Status::ok();
                        },
                        "tag.cpp:9")
                    .is_ok());
    WrittenActions written(game, R"(
        [[action]]
        kind = "run"
        function = "tag.deal"
        arguments = { count = 5 }
        [[action]]
        kind = "run"
        function = "tag.deal"
    )");
    ASSERT_EQ(written.said(), "");
    auto run = game.run_parts(written.parts());
    EXPECT_TRUE(run->activate().is_ok());
    EXPECT_EQ(log(), "deal {count = 5} in arena deal {} in arena");
    EXPECT_FALSE(game.code.list()[0].users.empty());
    run->finish();
    EXPECT_EQ(log(), "drop cards drop cards");
    EXPECT_TRUE(game.code.list()[0].users.empty());

    WrittenActions failing(game, "action = [{ kind = 'run', function = 'tag.deal', arguments = { fails = true } }]");
    const Status status = game.run_parts(failing.parts())->activate();
    EXPECT_EQ(status.code(), StatusCode::Refused);
    EXPECT_EQ(status.text(), "feature tag, action 1 (run), activating: no cards");
    EXPECT_EQ(log(), "deal {fails = true} in arena drop cards");
}

TEST(RunFunctions, that_nobody_registered_fail_with_the_nearest) {
    // A-34, A-24
    FeatureGame game;
    const auto nothing = [](ActivatingContext&, const Node&) { return Status::ok(); };
    EXPECT_TRUE(game.code.add_function(Name("tag.deal"), nothing, "here").is_ok());
    WrittenActions written(game, "action = [{ kind = 'run', function = 'tag.dael' }]");
    EXPECT_EQ(written.said(),
              "LY-3204 feature.toml:1:38: unknown function \"tag.dael\" for \"function\" of action 1 in "
              "feature tag (did you mean \"tag.deal\"?)\n");
    EXPECT_NE(game.run_parts(written.parts())->activate().text().find("did you mean \"tag.deal\"?"), std::string::npos);
}

TEST(RunFunctions, are_called_where_the_side_counts) {
    // A-34
    FeatureGame game(NetMode::Client);
    int called = 0;
    const auto count = [&](ActivatingContext&, const Node&) { return ++called, Status::ok(); };
    EXPECT_TRUE(game.code.add_function(Name("f"), count, "here").is_ok());
    for (Side side : {Side::Both, Side::Client, Side::Server}) {
        features::Run action;
        action.function = Name("f");
        action.side = side;
        EXPECT_TRUE(game.run({&action})->activate().is_ok());
    }
    EXPECT_EQ(called, 2);
}

struct WithAssets : ::testing::Test {
    WithAssets() {
        house.set("icon:flag");
        house.set("icon:crown");
        house.open();
        EXPECT_TRUE(add_builtin_actions(runtime).is_ok());
    }
    std::unique_ptr<ActionRun> run(const AddAssets& action, Roles roles = Roles::all()) {
        ActionSubject subject{Name("tag"), Owner::feature(Name("tag"), 1), "feature tag", roles};
        return std::make_unique<ActionRun>(ActionServices{runtime, *house.assets, code}, subject,
                                           std::vector<ActionItem>{{&action, 0, "add_assets"}}, nullptr);
    }
    assets::SmallHouse house;
    Runtime runtime{house.clock};
    NamedCode code;
};

TEST_F(WithAssets, they_come_with_the_bundle_of_their_side) {
    // A-32
    AddAssets action;
    action.assets = assets::ids({"icon:flag", "icon:crown"});
    std::string all;
    for (Side side : {Side::Both, Side::Client, Side::Server}) {
        assets::BundleTable bundles;
        action.side = side;
        action.add_bundle_data(bundles);
        all += bundles.to_string();
    }
    EXPECT_EQ(all, "Equipped: icon:crown, icon:flag\nClient: icon:crown, icon:flag\nServer: icon:crown, icon:flag\n");
    auto process = run(action);
    EXPECT_TRUE(process->registering().is_ok() && process->loading().is_ok());
}

TEST_F(WithAssets, preloaded_ones_are_held_from_loading_to_unloading_and_nothing_waits) {
    // A-32
    AddAssets action;
    action.assets = assets::ids({"icon:flag"});
    action.preload = true;
    assets::BundleTable bundles;
    action.add_bundle_data(bundles);
    EXPECT_TRUE(bundles.all().empty());
    auto process = run(action);
    EXPECT_TRUE(process->registering().is_ok());
    house.frames();
    EXPECT_EQ(house.source->decodes(), 0);
    EXPECT_TRUE(process->loading().is_ok());
    EXPECT_FALSE(house.is_there("icon:flag"));
    house.frames();
    EXPECT_TRUE(house.is_there("icon:flag"));
    EXPECT_EQ(house.assets->holders(assets::id("icon:flag")), std::vector<std::string>{"feature tag"});
    process->unloading();
    house.frames();
    EXPECT_FALSE(house.is_there("icon:flag"));
}

TEST_F(WithAssets, a_missing_one_fails_the_action_unless_it_is_a_preload) {
    // A-32
    AddAssets action;
    action.assets = assets::ids({"icon:flga"});
    auto process = run(action);
    EXPECT_TRUE(process->registering().is_ok());
    const Status status = process->loading();
    EXPECT_NE(status.text().find("feature tag, action 1 (add_assets), loading: "), std::string::npos);
    EXPECT_NE(status.text().find("icon:fla"), std::string::npos) << status.text();
    action.preload = true;
    EXPECT_TRUE(process->loading().is_ok());
    house.frames();
}

TEST_F(WithAssets, of_a_side_that_no_world_has_are_not_preloaded) {
    // A-32
    AddAssets action;
    action.assets = assets::ids({"icon:flag"});
    action.preload = true;
    action.side = Side::Client;
    auto process = run(action, Roles::of(NetMode::DedicatedServer));
    EXPECT_TRUE(process->registering().is_ok() && process->loading().is_ok());
    house.frames();
    EXPECT_EQ(house.source->decodes(), 0);
}

TEST(AddAssets, says_all_that_is_wrong_with_it) {
    // A-24, A-32
    FeatureGame game;
    WrittenActions written(game, R"([[action]]
kind = "add_assets"
assets = []
[[action]]
kind = "add_assets"
assets = ["flag", "icon:Flag"]
preload = 1
)");
    EXPECT_EQ(
        written.said(),
        R"(LY-2121 feature.toml:6:11: action 2.assets[0] in feature tag takes an asset id, not "flag" (type:name, each of a-z, 0-9 and _)
LY-2121 feature.toml:6:19: action 2.assets[1] in feature tag takes an asset id, not "icon:Flag" (type:name, each of a-z, 0-9 and _)
LY-2101 feature.toml:7:11: "preload" of action 2 in feature tag takes true or false, not a whole number
LY-3203 feature.toml:3:10: "assets" of action 1 in feature tag is empty
)");
}

TEST(ActionCodes, have_numbers_of_their_own_and_a_sentence_each) {
    // A-24
    std::set<int> numbers;
    int last = 3200;
    for (const ProblemCode* code : action_codes()) {
        EXPECT_TRUE(numbers.insert(code->number).second);
        EXPECT_EQ(code->number, ++last);
        EXPECT_FALSE(code->title.empty());
        EXPECT_GT(code->help.size(), 20u);
    }
}

}  // namespace world_actions_test
}  // namespace lyre::features
