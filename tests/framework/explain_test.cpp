#include "lyre/framework/extensions.h"

#include "tests/framework/small_game.h"

namespace lyre::framework {
namespace explain_test {

::testing::AssertionResult says(const std::string& text, std::initializer_list<std::string_view> parts) {
    for (std::string_view part : parts)
        if (text.find(part) == std::string::npos)
            return ::testing::AssertionFailure() << "\"" << part << "\" is not in:\n" << text;
    return ::testing::AssertionSuccess();
}

ComponentRequestHandle request_as(ExtendedGame& game, const char* feature, std::uint32_t serial, const Selector& to,
                                  const char* component, RequestOptions options = {}) {
    const OwnerScope as(Owner::feature(Name(feature), serial));
    return game.manager().add_component_request(to, Name(component), std::move(options));
}

TEST(ExplainExtensions, a_component_names_everybody_who_wants_it) {
    // X-206
    ExtendedGame game;
    RequestOptions options;
    options.place = "experience tag, action 2";
    auto a = request_as(game, "a", 1, Selector("Pawn"), "Health", options);
    auto b = request_as(game, "b", 2, Selector("Hero"), "Health");
    Hero* hero = game.spawn<Hero>();
    game.clock.advance(1'500'000);
    Component& health = *hero->find_component(Name("Health"));
    EXPECT_TRUE(
        says(game.manager().explain_component(health),
             {"component Health (Health) of #1.1: features brought it",
              "wanted by feature a (experience tag, action 2) for 1.5 s: Health to Pawn, flags None; without this the "
              "component would stay",
              "wanted by feature b for 1.5 s, who made it: Health to Hero, flags None;"}));
    const ComponentReport report = game.manager().component_report(health);
    ASSERT_EQ(report.wanted_by.size(), 2u);
    EXPECT_TRUE(report.is_injected);
    EXPECT_EQ(report.wanted_by[0].owner, "feature b");
    EXPECT_TRUE(report.wanted_by[0].has_made_it);
    EXPECT_EQ(report.wanted_by[1].owner, "feature a (experience tag, action 2)");
    EXPECT_FALSE(report.wanted_by[1].has_made_it);
    EXPECT_EQ(report.wanted_by[1].seconds, 1.5);
    b.reset();
    EXPECT_TRUE(says(game.manager().explain_component(health), {"without this the component would go"}));
    Crate* crate = game.spawn<Crate>();
    EXPECT_TRUE(says(game.manager().explain_component(*crate->find_component(Name("native"))),
                     {"of its class, or added by code; no feature brought it"}));
    Plain* plain = game.spawn<Plain>();
    ASSERT_TRUE(plain->add<Health>());
    EXPECT_TRUE(says(game.manager().explain_component(*plain->find<Health>()), {"no feature brought it"}));
}

TEST(ExplainExtensions, a_receiver_lists_what_names_its_classes_matched_or_not) {
    // X-207
    ExtendedGame game;
    game.tag("Team.Red");
    auto created = request_as(game, "a", 1, Selector("Crate"), "Backpack");
    auto refused = game.request("Crate", "Health", AddFlags::AddUnique);
    auto child = game.request("Crate", "Armour", AddFlags::AddIfNotChild);
    auto unavailable = game.request("Crate", "Jetpack");
    auto tagged = game.request(Selector("Pawn").with_tags("all(Team.Red)"), "Team");
    auto lacking = game.request(Selector("Pawn").with("Team"), "Team");
    auto having = game.request(Selector("Pawn").without("Health"), "Team");
    auto predicate = game.request(Selector("Pawn").where("unknown"), "Team");
    auto other = game.request("Hero", "Health");
    auto handler = game.listen("a", Selector("Pawn"));
    auto idle = game.listen("b", Selector("Pawn").with_tags("Team.Red"));
    Crate* crate = game.spawn<Crate>();
    game.manager().send_extension_event(*crate, Name("Kept"), {}, Sticky::Yes);
    game.clock.advance(2'000'000);
    const std::string text = game.manager().explain_receiver(*crate);
    EXPECT_TRUE(
        says(text, {"what features add to #1.1 (Crate):\n", "component Backpack to Crate, wanted by feature a: Created",
                    "AlreadyHas: component native (Health)", "IsChildOf: component native (Health)",
                    "ClassUnavailable: there is no class Jetpack (yet)", "tags: all: missing Team.Red",
                    "there is no component Team", "there is a component Health", "predicate unknown is not registered",
                    "handler of process for Pawn: is called", "event Kept, sent 2.0 s ago, kept for who comes later"}));
    EXPECT_EQ(text.find("Hero"), std::string::npos);
    const ReceiverReport report = game.manager().receiver_report(*crate);
    EXPECT_TRUE(report.is_receiver);
    EXPECT_EQ(report.requests.size(), 8u);
    EXPECT_EQ(report.requests[0].state, "Created");
    EXPECT_EQ(report.handlers.at(0).state, "is called");
    ASSERT_EQ(report.sticky.size(), 1u);
    EXPECT_EQ(report.sticky[0].event + report.sticky[0].payload, "Kept");
    EXPECT_EQ(report.sticky[0].seconds, 2);
    Plain* plain = game.spawn<Plain>();
    EXPECT_TRUE(says(game.manager().explain_receiver(*plain), {"add nothing to #2.1 (Plain): it is no receiver"}));
    created.reset(), refused.reset(), child.reset(), unavailable.reset(), handler.reset(), idle.reset();
    tagged.reset(), lacking.reset(), having.reset(), predicate.reset(), other.reset();
    Crate* bare = game.spawn<Crate>();
    EXPECT_EQ(game.manager().explain_receiver(*bare), "what features add to #3.1 (Crate): nothing now\n");
}

TEST(ExplainExtensions, why_not_gives_all_reasons_the_nearest_miss_first) {
    // X-208
    ExtendedGame game({.net_mode = NetMode::Client});
    game.tag("Team.Red");
    ComponentManager& manager = game.manager();
    Plain* plain = game.spawn<Plain>();
    Pawn* pawn = game.spawn<Pawn>();
    Pawn* remote = game.spawn<Pawn>({.role = Role::SimulatedProxy});
    EXPECT_TRUE(says(manager.why_not(*plain, Name("Health")), {"is no receiver"}));
    auto near = game.request("Hero", "Backpack");
    EXPECT_TRUE(
        says(manager.why_not(*pawn, Name("Backpak")), {"no feature wants a component Backpak", "\"Backpack\""}));
    EXPECT_TRUE(says(manager.why_not(*pawn, Name("Backpack")), {"Pawn is no Hero"}));
    auto replicated = game.request("Pawn", "Team");
    EXPECT_TRUE(says(manager.why_not(*remote, Name("Team")), {"DeferredToReplication"}));
    EXPECT_TRUE(says(manager.why_not(*pawn, Name("Team")), {"has component Team"}));
    auto unknown = game.request("Pawn", "Jetpack");
    EXPECT_TRUE(says(manager.why_not(*pawn, Name("Jetpack")), {"ClassUnavailable"}));
    ASSERT_TRUE(pawn->add<Team>(Name("Health")));
    auto other = game.request("Hero", "Health");
    auto tagged = game.request(Selector("Pawn").with_tags("Team.Red"), "Health");
    auto taken = game.request("Pawn", "Health");
    const std::string text = manager.why_not(*pawn, Name("Health"));
    EXPECT_TRUE(says(text, {" (Pawn) has no component Health:\n", "NameTaken", "tags: ", "is no Hero"}));
    EXPECT_LT(text.find("NameTaken"), text.find("tags: "));
    EXPECT_LT(text.find("tags: "), text.find("is no Hero"));
    const WhyNotReport report = manager.why_not_report(*pawn, Name("Health"));
    ASSERT_EQ(report.requests.size(), 3u);
    EXPECT_EQ(report.requests[2].state, "Pawn is no Hero");
    EXPECT_EQ(manager.why_not_report(*pawn, Name("Backpak")).nearest, "Backpack");
    const WhyNotReport there = manager.why_not_report(*pawn, Name("Team"));
    EXPECT_EQ(there.component, "Team");
    EXPECT_TRUE(there.is_receiver);
}

TEST(ExplainExtensions, the_dump_lists_everything_in_a_stable_order) {
    // G-44
    ExtendedGame game;
    RequestOptions options;
    options.flags = AddFlags::AddUnique;
    auto b = request_as(game, "b", 2, Selector("Pawn"), "Health", options);
    auto a = request_as(game, "a", 1, Selector("Hero"), "Health", options);
    HandlerOptions handler_options;
    handler_options.ordering = {3, Name("mine"), {}, {Name("nobody")}};
    handler_options.events = {Name("Go")};
    auto handler = game.listen("a", Selector("Pawn"), handler_options);
    Hero* hero = game.spawn<Hero>();
    game.manager().send_extension_event(*hero, Name("Kept"), {}, Sticky::Yes);
    EXPECT_EQ(game.manager().dump_extensions(),
              "receivers: 1\n"
              "  #1.1, class Hero\n"
              "components: 1\n"
              "  Health, class Health, actor #1.1, wanted by feature a, feature b\n"
              "requests: 2\n"
              "  Health, to Hero, flags AddUnique, order 0, owner feature a\n"
              "  Health, to Pawn, flags AddUnique, order 0, owner feature b\n"
              "handlers: 1\n"
              "  Pawn, events Go, order 3, name mine, owner process\n"
              "sticky events: 1\n"
              "  Kept, actor #1.1\n"
              "edges to unknown names: 1\n"
              "  mine after nobody\n");
    EXPECT_EQ(
        game.manager().dump_extensions_json(),
        R"({"receivers":[{"actor":"#1.1","class":"Hero"}],)"
        R"("components":[{"component":"Health","class":"Health","actor":"#1.1","wanted by":"feature a, feature b"}],)"
        R"("requests":[{"component":"Health","to":"Hero","flags":"AddUnique","order":"0","owner":"feature a"},)"
        R"({"component":"Health","to":"Pawn","flags":"AddUnique","order":"0","owner":"feature b"}],)"
        R"("handlers":[{"to":"Pawn","events":"Go","order":"3","name":"mine","owner":"process"}],)"
        R"("sticky events":[{"event":"Kept","actor":"#1.1"}],)"
        R"("edges to unknown names":[{"edge":"mine after nobody"}]})");
}

}  // namespace explain_test
}  // namespace lyre::framework
