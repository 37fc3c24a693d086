// AddComponents, AddExtensionHandler and AddTags.
#include "lyre/features/action_codes.h"
#include "lyre/features/builtin_actions.h"

#include "tests/features/small_features.h"

namespace lyre::features {
namespace extending_actions_test {

using framework::components_of;
using framework::Hero;
using framework::Pawn;

const NetMode kModes[] = {NetMode::Standalone, NetMode::DedicatedServer, NetMode::ListenServer, NetMode::Client};

TEST(AddComponents, asks_for_the_component_where_its_side_counts) {
    // A-07
    for (NetMode mode : kModes)
        for (Side side : {Side::Both, Side::Client, Side::Server}) {
            FeatureGame game(mode);
            AddComponents action;
            action.to = framework::Selector("Pawn");
            action.component = Name("Backpack");
            action.side = side;
            auto run = game.run({&action});
            Hero* before = game.spawn<Hero>();
            EXPECT_TRUE(run->activate().is_ok());
            Hero* after = game.spawn<Hero>();
            const bool is_expected = (side != Side::Client && mode != NetMode::Client) ||
                                     (side != Side::Server && mode != NetMode::DedicatedServer);
            for (Hero* hero : {before, after}) EXPECT_EQ(components_of(*hero), is_expected ? "Backpack" : "");
            run->deactivate();
            run->finish();
            for (Hero* hero : {before, after}) EXPECT_EQ(components_of(*hero), "");
        }
}

TEST(AddComponents, passes_its_flags_and_place_on) {
    // A-07
    FeatureGame game;
    WrittenActions written(game, R"(
        [[action]]
        kind = "add_components"
        to = { class = "Pawn", has_not = ["Health"] }
        component = "Backpack"
        flags = ["use_auto_generated_name"]
        [[action]]
        kind = "add_components"
        to = "Crate"
        component = "Armour"
        flags = ["add_if_not_child"]
    )");
    ASSERT_EQ(written.said(), "");
    auto run = game.run_parts(written.parts());
    EXPECT_TRUE(run->activate().is_ok());
    Hero* hero = game.spawn<Hero>();
    auto* crate = game.spawn<framework::Crate>();
    EXPECT_EQ(components_of(*hero), "Backpack_1");
    EXPECT_EQ(components_of(*crate), "native");
    EXPECT_NE(game.manager().explain_component(*hero->first_component()).find("feature tag, action 1 (add_components)"),
              std::string::npos);
}

TEST(AddComponents, a_class_that_is_missing_fails_the_action) {
    // A-07
    const auto activate = [](std::string_view component) {
        FeatureGame game;
        AddComponents action;
        action.to = framework::Selector("Pawn");
        action.component = Name(component);
        return game.run({&action})->activate().text();
    };
    EXPECT_EQ(activate("Helth"),
              "feature tag, action 1 (probe), activating: component for Pawn: no class \"Helth\"; did "
              "you mean \"Health\"?");
    EXPECT_EQ(activate("Hero"),
              "feature tag, action 1 (probe), activating: component for Pawn: Hero is no class of components");
    EXPECT_EQ(activate("Component"),
              "feature tag, action 1 (probe), activating: component for Pawn: Component is abstract: name a class "
              "derived from it");
}

TEST(AddComponents, a_component_that_another_feature_wants_stays) {
    // A-08
    for (const bool is_first_to_go : {true, false}) {
        FeatureGame game;
        AddComponents action;
        action.to = framework::Selector("Pawn");
        action.component = Name("Backpack");
        auto first = game.run({&action}), second = game.run({&action}, "other");
        EXPECT_TRUE(first->activate().is_ok());
        EXPECT_TRUE(second->activate().is_ok());
        Hero* hero = game.spawn<Hero>();
        if (!is_first_to_go) std::swap(first, second);
        first->finish();
        EXPECT_EQ(components_of(*hero), "Backpack");
        second->finish();
        EXPECT_EQ(components_of(*hero), "");
    }
}

TEST(AddComponents, what_replicates_comes_to_a_client_from_the_server) {
    // A-09
    for (Side side : {Side::Both, Side::Client}) {
        FeatureGame game(NetMode::Client);
        AddComponents action;
        action.to = framework::Selector("Pawn");
        action.component = Name("Team");
        action.side = side;
        auto run = game.run({&action});
        EXPECT_TRUE(run->activate().is_ok());
        Hero* hero = game.spawn<Hero>({.role = Role::SimulatedProxy});
        EXPECT_EQ(components_of(*hero), "");
        EXPECT_NE(game.manager().why_not(*hero, Name("Team")).find("DeferredToReplication"), std::string::npos)
            << game.manager().why_not(*hero, Name("Team"));
        EXPECT_TRUE(hero->add<framework::Team>(Name("Team")).is_ok());  // it arrives
        game.manager().settle();
        EXPECT_EQ(components_of(*hero), "Team");
        run->finish();
        EXPECT_EQ(components_of(*hero), "Team");  // not made here, so not taken away here
    }
}

TEST(AddComponents, its_class_comes_with_the_bundle_of_its_side) {
    // A-07
    AddComponents action;
    action.component = Name("Health");
    std::string all;
    for (Side side : {Side::Both, Side::Client, Side::Server}) {
        assets::BundleTable bundles;
        action.side = side;
        action.add_bundle_data(bundles);
        all += bundles.to_string();
    }
    EXPECT_EQ(all, "Equipped: class Health\nClient: class Health\nServer: class Health\n");
}

TEST(ExtendingActions, leave_a_world_without_a_game_alone) {
    // A-05
    FeatureGame game;
    World preview(game.runtime, {.name = Name("preview"), .kind = WorldKind::Preview});
    game.tag("Team.Red");
    EXPECT_TRUE(game.runtime.variables().add<double>({.name = "game.gravity", .default_value = 9.8}).is_ok());
    EXPECT_TRUE(game.code
                    .add_handler(
                        Name("h"), [](Actor&, Name, const framework::EventPayload&) {}, "here")
                    .is_ok());
    EXPECT_TRUE(game.code
                    .add_function(
                        Name("f"), [](ActivatingContext&, const Node&) { return Status::failed("no"); }, "here")
                    .is_ok());
    WrittenActions written(game, R"(
        action = [
            { kind = "add_components", to = "Pawn", component = "Health" },
            { kind = "add_extension_handler", to = "Pawn", handler = "h" },
            { kind = "add_tags", to = "Pawn", tags = ["Team.Red"] },
            { kind = "set_variables", variables = { "game.gravity" = 2 } },
            { kind = "spawn_actors", class = "Hero", at = [0, 0] },
            { kind = "run", function = "f" },
        ]
    )");
    ASSERT_EQ(written.said(), "");
    std::vector<ActionItem> items;
    for (const ActionPart& part : written.parts()) items.push_back({part.get(), items.size(), part.kind()});
    ActionRun run(game.services, game.subject(), items, &preview);
    EXPECT_TRUE(run.activate().is_ok());
    EXPECT_EQ(preview.actor_count(), 0u);
    EXPECT_EQ(format_value(preview.variables().describe("game.gravity")->value), "9.8");
    const auto hero = preview.spawn<Hero>();
    EXPECT_EQ(components_of(*preview.find(*hero)), "");
    EXPECT_TRUE(preview.tags().all(*hero).is_empty());
    run.finish();
    EXPECT_EQ(preview.actor_count(), 1u);
}

TEST(ExtendingActions, need_a_component_manager) {
    // A-07
    FeatureGame game;
    AddTags action;
    action.to = framework::Selector("Pawn");
    auto run = game.run({&action});
    EXPECT_TRUE(game.runtime.types().remove(Name("ComponentManager")).is_ok());
    EXPECT_EQ(run->activate().text(),
              "feature tag, action 1 (probe), activating: the game has no component manager: "
              "add_framework(runtime)");
}

struct Handlers : ::testing::Test {
    Handlers() {
        for (const char* name : {"tag.touch", "tag.score"})
            EXPECT_TRUE(game.code
                            .add_handler(
                                Name(name),
                                [name](Actor& actor, Name event, const framework::EventPayload&) {
                                    report(fmt::format("{}:{}({})", name, event, actor.type().name), &actor);
                                },
                                "tag.cpp:3")
                            .is_ok());
    }
    FeatureGame game;
};

TEST_F(Handlers, are_told_of_actors_and_events_until_the_feature_leaves) {
    // A-30
    AddExtensionHandler action;
    action.to = framework::Selector("Hero");
    action.handler = Name("tag.touch");
    auto run = game.run({&action});
    Hero* hero = game.spawn<Hero>();
    EXPECT_TRUE(run->activate().is_ok());
    game.manager().send_extension_event(*hero, Name("Touched"));
    game.spawn<Pawn>();
    run->finish();
    game.manager().send_extension_event(*hero, Name("Touched"));
    EXPECT_EQ(framework::handler_log(),
              "tag.touch:ExtensionAdded(Hero) tag.touch:Touched(Hero) tag.touch:ExtensionRemoved(Hero)");
}

TEST_F(Handlers, hear_of_the_events_they_name_in_their_order) {
    // A-30
    WrittenActions written(game, R"(
        [[action]]
        kind = "add_extension_handler"
        to = "Hero"
        handler = "tag.touch"
        events = ["Touched", "ReceiverAdded"]
        order = 2
        [[action]]
        kind = "add_extension_handler"
        to = "Hero"
        handler = "tag.score"
        order = 1
    )");
    ASSERT_EQ(written.said(), "");
    auto run = game.run_parts(written.parts());
    EXPECT_TRUE(run->activate().is_ok());
    Hero* hero = game.spawn<Hero>();
    game.manager().send_extension_event(*hero, Name("Touched"));
    game.manager().send_extension_event(*hero, Name("Missed"));
    EXPECT_EQ(framework::handler_log(),
              "tag.score:ReceiverAdded(Hero) tag.touch:ReceiverAdded(Hero) "
              "tag.score:Touched(Hero) tag.touch:Touched(Hero) tag.score:Missed(Hero)");
}

TEST_F(Handlers, of_an_unknown_name_fail_the_action_with_the_nearest) {
    // A-30
    AddExtensionHandler action;
    action.to = framework::Selector("Hero");
    action.handler = Name("tag.tuch");
    EXPECT_NE(game.run({&action})->activate().text().find("\"tag.tuch\"; did you mean \"tag.touch\"?"),
              std::string::npos);
}

TEST_F(Handlers, hold_their_code_while_they_are_in_force) {
    // A-30, F-76
    AddExtensionHandler action;
    action.to = framework::Selector("Hero");
    action.handler = Name("tag.touch");
    auto run = game.run({&action}, "bots");
    EXPECT_TRUE(run->activate().is_ok());
    const Status refused = game.code.remove(CodeKind::Handler, Name("tag.touch"));
    EXPECT_NE(refused.text().find("feature bots, action 1 (probe)"), std::string::npos) << refused.text();
    run->finish();
    EXPECT_TRUE(game.code.remove(CodeKind::Handler, Name("tag.touch")).is_ok());
}

struct Tags : ::testing::Test {
    Tags() {
        action.to = framework::Selector("Pawn");
        action.tags = {red, fast};
    }
    std::string tags_of(const Actor& actor) { return game.world().tags().all(actor.id()).to_string(); }
    FeatureGame game;
    GameplayTag red = game.tag("Team.Red"), fast = game.tag("Fast"), marked = game.tag("Marked");
    AddTags action;
};

TEST_F(Tags, are_on_every_receiver_present_and_later_and_are_taken_back) {
    // A-31
    Hero* before = game.spawn<Hero>();
    auto* plain = game.spawn<framework::Plain>();
    auto run = game.run({&action});
    EXPECT_TRUE(run->activate().is_ok());
    Hero* after = game.spawn<Hero>();
    for (Hero* hero : {before, after}) EXPECT_EQ(tags_of(*hero), "Fast, Team.Red");
    EXPECT_EQ(tags_of(*plain), "");
    run->finish();
    for (Hero* hero : {before, after}) EXPECT_EQ(tags_of(*hero), "");
}

TEST_F(Tags, of_two_features_count) {
    // A-31
    for (const bool swaps : {false, true}) {
        Hero* hero = game.spawn<Hero>();
        EXPECT_TRUE(game.world().tags().add(hero->id(), fast).is_ok());  // and of the game itself
        auto first = game.run({&action}), second = game.run({&action}, "other");
        EXPECT_TRUE(first->activate().is_ok() && second->activate().is_ok());
        EXPECT_EQ(game.world().tags().count(hero->id(), fast), 3u);
        if (swaps) std::swap(first, second);
        first->finish();
        EXPECT_EQ(tags_of(*hero), "Fast, Team.Red");
        second->finish();
        EXPECT_EQ(tags_of(*hero), "Fast");
    }
}

TEST_F(Tags, go_from_an_actor_that_is_no_receiver_any_more_or_does_not_match) {
    // A-31
    action.to = framework::Selector("Pawn").with_tags("Marked");
    auto run = game.run({&action});
    EXPECT_TRUE(run->activate().is_ok());
    Hero* hero = game.spawn<Hero>();
    EXPECT_EQ(tags_of(*hero), "");
    EXPECT_TRUE(game.world().tags().add(hero->id(), marked).is_ok());
    game.manager().settle();
    EXPECT_EQ(tags_of(*hero), "Fast, Marked, Team.Red");
    EXPECT_TRUE(game.world().tags().remove(hero->id(), marked).is_ok());
    game.manager().settle();
    EXPECT_EQ(tags_of(*hero), "");
    EXPECT_TRUE(game.world().tags().add(hero->id(), marked).is_ok());
    game.manager().settle();
    EXPECT_TRUE(game.manager().remove_receiver(*hero).is_ok());
    EXPECT_EQ(tags_of(*hero), "Marked");
    run->finish();
    EXPECT_EQ(tags_of(*hero), "Marked");
}

TEST_F(Tags, given_in_the_middle_of_giving_are_taken_back_too) {
    // A-31
    Hero* hero = nullptr;
    for (const char* at : {"Fast", "Team.Red"}) {
        hero = game.spawn<Hero>();
        auto listening = game.world().tags().changed.add([&](Actor& actor, GameplayTag tag, bool is_added) {
            if (is_added && tag.text() == at) game.manager().remove_receiver(actor).ignore();
        });
        auto run = game.run({&action});
        EXPECT_TRUE(run->activate().is_ok());
        EXPECT_EQ(tags_of(*hero), "") << at;
        run->finish();
        EXPECT_EQ(tags_of(*hero), "") << at;
    }
    Connection listening = game.world().tags().changed.add([&](Actor& actor, GameplayTag tag, bool is_added) {
        if (!is_added || tag != fast) return;
        listening.disconnect();
        game.manager().remove_receiver(actor).ignore();
        game.manager().add_receiver(actor).ignore();  // is given all anew meanwhile
    });
    hero = game.spawn<Hero>();
    auto run = game.run({&action});
    EXPECT_TRUE(run->activate().is_ok());
    EXPECT_EQ(game.world().tags().count(hero->id(), red), 1u);
    EXPECT_EQ(game.world().tags().count(hero->id(), fast), 1u);
    run->finish();
    EXPECT_EQ(tags_of(*hero), "");
}

TEST_F(Tags, every_giving_is_in_the_trace) {
    // A-26
    game.runtime.trace().set_level(TraceLevel::Events);
    Hero* hero = game.spawn<Hero>();
    auto run = game.run({&action});
    EXPECT_TRUE(run->activate().is_ok());
    std::string lines;
    for (const TraceLine& line : game.runtime.trace().lines())
        if (line.kind == Name("feature.action")) lines += line.subject + "|" + line.detail + "\n";
    EXPECT_EQ(lines, fmt::format("feature tag, action 1 (probe)|{0} gives Fast in world arena (Standalone): ok\n"
                                 "feature tag, action 1 (probe)|{0} gives Team.Red in world arena (Standalone): ok\n"
                                 "feature tag|action 1 (probe) activating in world arena (Standalone): ok\n",
                                 hero->id()));
}

TEST_F(Handlers, and_components_are_in_the_trace_for_each_actor) {
    // A-26
    AddComponents gives;
    gives.to = framework::Selector("Pawn");
    gives.component = Name("Backpack");
    AddExtensionHandler listens;
    listens.to = framework::Selector("Pawn");
    listens.handler = Name("tag.touch");
    Hero* hero = game.spawn<Hero>();
    const auto lines_of = [&](std::string_view kind) {
        std::string lines;
        for (const TraceLine& line : game.runtime.trace().lines())
            if (line.kind == Name(kind)) lines += line.subject + "|" + line.detail + "\n";
        return lines;
    };
    auto run = game.run({&gives, &listens});
    EXPECT_TRUE(run->activate().is_ok());
    run->finish();
    EXPECT_EQ(lines_of("framework.request") + lines_of("framework.handler"), "");  // nobody asked for it
    game.runtime.trace().set_level(TraceLevel::Events);
    EXPECT_TRUE(run->activate().is_ok());
    EXPECT_EQ(lines_of("framework.request"),
              fmt::format("{}|Backpack to Pawn of feature tag, action 1 (probe) in world arena "
                          "(Standalone): Created\n",
                          hero->id()));
    EXPECT_EQ(lines_of("framework.handler"), fmt::format("{}|handler of feature tag, action 2 (probe) in "
                                                         "world arena (Standalone): ExtensionAdded\n",
                                                         hero->id()));
}

TEST_F(Tags, are_not_undeclared_while_a_feature_gives_them) {
    // A-31, F-76
    const OwnerScope as(Owner::feature(Name("brings"), 1));
    EXPECT_TRUE(game.runtime.tags().declare("Brought").is_ok());
    action.tags = {*game.runtime.tags().find("Brought")};
    auto run = game.run({&action});
    EXPECT_TRUE(run->activate().is_ok());
    const Status refused = game.runtime.tags().undeclare_all(Owner::current());
    EXPECT_NE(refused.text().find("feature tag, action 1 (probe)"), std::string::npos) << refused.text();
    run->finish();
    EXPECT_TRUE(game.runtime.tags().undeclare_all(Owner::current()).is_ok());
    EXPECT_EQ(run->activate().code(), StatusCode::NotFound);
}

TEST_F(Handlers, and_other_extending_actions_say_all_that_is_wrong_with_them) {
    // A-24, F-46, A-07
    game.tag("Team.Red");
    WrittenActions written(game, R"([[action]]
kind = "add_components"
to = "Actor"
component = "Helth"
side = "moon"
[[action]]
kind = "add_components"
to = { tags = "all(" }
component = "Hero"
flags = ["add_unique", "use_auto_generated_name", "add_unique", "glue"]
[[action]]
kind = "add_components"
to = "Pawn"
component = "Health"
flags = ["add_unique", "use_auto_generated_name", "add_unique"]
[[action]]
kind = "add_components"
[[action]]
kind = "add_extension_handler"
to = {}
handler = "tag.tuch"
[[action]]
kind = "add_tags"
to = "Pawn"
tags = []
[[action]]
kind = "add_tags"
to = "Pawn"
tags = ["Team.Rde", 3]
[[action]]
kind = "add_tag"
)");
    EXPECT_EQ(
        written.said(),
        R"(LY-2105 feature.toml:5:8: unknown value "moon" for "side" of action 1 in feature tag (one of both, client, server)
LY-2105 feature.toml:10:65: unknown value "glue" for action 2.flags[3] in feature tag (one of add_unique, add_if_not_child, use_auto_generated_name)
LY-2103 feature.toml:16:1: "to" of action 4 in feature tag is missing (to takes a table { class, tags, has, has_not, predicate })
LY-2103 feature.toml:16:1: "component" of action 4 in feature tag is missing (component takes the name of a class of Component)
LY-2101 feature.toml:29:21: action 7.tags[1] in feature tag takes a tag, not a whole number
LY-2119 feature.toml:31:8: unknown kind "add_tag" of action 8 in feature tag (did you mean "add_tags"?)
LY-2108 feature.toml:4:13: unknown class "Helth" for "component" in feature tag (did you mean "Health"?)
LY-2109 feature.toml:9:13: "component" in feature tag takes a class of Component, not Hero (there are Armour, Backpack, Health and Team)
LY-2106 feature.toml:29:9: unknown tag "Team.Rde" for "tags" in feature tag (did you mean "Team.Red"?)
LY-3201 feature.toml:3:6: "to" of action 1 in feature tag: a selector for Actor would be for everything: name the class that is meant
LY-3201 feature.toml:8:6: "to" of action 2 in feature tag: tags of a selector: column 5: expected a tag, all(...), any(...) or none(...), found the end
LY-3207 feature.toml:10:51: "flags" of action 2 in feature tag has add_unique twice
LY-3207 feature.toml:10:9: "flags" of action 2 in feature tag has add_unique and use_auto_generated_name
LY-3207 feature.toml:15:51: "flags" of action 3 in feature tag has add_unique twice
LY-3207 feature.toml:15:9: "flags" of action 3 in feature tag has add_unique and use_auto_generated_name
LY-3201 feature.toml:20:6: "to" of action 5 in feature tag: a selector needs a class, tags or components
LY-3204 feature.toml:21:11: unknown handler "tag.tuch" for "handler" of action 5 in feature tag (did you mean "tag.touch"?)
LY-3203 feature.toml:25:8: "tags" of action 6 in feature tag is empty
)");
}

TEST(ExtendingActions, made_by_code_are_validated_too) {
    // A-24, A-07
    FeatureGame game;
    AddComponents action;
    action.side = static_cast<Side>(7);
    Problems problems;
    ReadOptions options;
    options.subject = "feature tag";
    options.path = "action 1";
    const Node none;  // code made it: nothing is written
    ActionCheck check(game.runtime, game.code, none, options, problems);
    action.validate(check);
    std::string said;
    for (const Problem& problem : problems.all()) said += problem.code->to_string() + " " + problem.text + "\n";
    EXPECT_EQ(said,
              "LY-3201 \"to\" of action 1 in feature tag: a selector needs a class, tags or components\n"
              "LY-3202 \"component\" of action 1 in feature tag names no class\n"
              "LY-3211 \"side\" of action 1 in feature tag is none of both, client, server\n");
}

}  // namespace extending_actions_test
}  // namespace lyre::features
