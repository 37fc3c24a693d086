#include "lyre/core/variables.h"

#include <gtest/gtest.h>
#include <stdexcept>

#include "lyre/core/log.h"

namespace lyre {
namespace variables_test {

using Source = VariableSource;
const Owner kTag = Owner::feature(Name("tag"), 1);
constexpr Source kOutside[] = {Source::ConfigFile, Source::Environment, Source::CommandLine, Source::Console};

VariableOrigin from(Source source) {
    return {source, std::string(to_string(source))};
}

TEST(Variables, a_variable_begins_at_its_default_and_describes_itself) {
    // W-11, W-33
    Variables variables;
    OwnerScope as(kTag);
    auto rate = variables.add<std::int64_t>({.name = "lyre.net.Rate",
                                             .default_value = 60,
                                             .help = "frames per second",
                                             .flags = {.replicated = true},
                                             .min = 1,
                                             .max = 240});
    ASSERT_TRUE(rate);
    EXPECT_EQ(rate->get(), 60);
    EXPECT_EQ(rate->name(), Name("lyre.net.Rate"));
    EXPECT_EQ(rate->origin(), VariableOrigin());
    const VariableInfo info = *variables.describe("lyre.net.Rate");
    EXPECT_EQ(info.value, VariableValue(std::int64_t{60}));
    EXPECT_EQ(info.help, "frames per second");
    EXPECT_EQ(info.takes, "a whole number from 1 to 240");
    EXPECT_TRUE(info.flags.replicated);
    EXPECT_EQ(info.owner, kTag);
    EXPECT_EQ(info.origin.place, "code");
}

TEST(Variables, of_every_set_of_sources_the_highest_counts_and_the_others_wait_beneath) {
    // W-11, K-12
    for (unsigned present = 0; present < 16; ++present)
        for (unsigned order = 0; order < 2; ++order) {
            Variables variables;
            auto v = *variables.add<std::string>({.name = "v", .default_value = "code"});
            for (unsigned i = 0; i < 4; ++i) {
                const unsigned bit = order == 0 ? i : 3 - i;
                if ((present >> bit & 1) == 0) continue;
                ASSERT_TRUE(variables.set("v", to_string(kOutside[bit]), from(kOutside[bit])));
            }
            // Taken away from the top one after the other, each uncovers the next.
            for (int bit = 3; bit >= 0; --bit) {
                if ((present >> bit & 1) == 0) continue;
                EXPECT_EQ(v.get(), to_string(kOutside[bit]));
                EXPECT_EQ(v.origin(), from(kOutside[bit]));
                ASSERT_TRUE(variables.reset("v", kOutside[bit]));
            }
            EXPECT_EQ(v.get(), "code");
            EXPECT_EQ(v.origin(), VariableOrigin());
        }
}

TEST(Variables, a_value_that_does_not_fit_is_refused_and_changes_nothing) {
    // W-11
    Variables variables;
    auto v = *variables.add<double>({.name = "game.Speed", .default_value = 5, .min = 0, .max = 10});
    const Status range = variables.set("game.Speed", "11", {Source::ConfigFile, "lyre.toml:12:3"});
    EXPECT_EQ(range.to_string(),
              "invalid: lyre.toml:12:3: variable \"game.Speed\" takes a number from 0 to 10, not \"11\"");
    EXPECT_EQ(variables.set("game.Speed", "quick", from(Source::Console)).code(), StatusCode::InvalidArgument);
    EXPECT_EQ(v.get(), 5);
}

TEST(Variables, an_unknown_variable_is_an_error_with_a_suggestion) {
    // W-11, K-03, K-12
    Variables variables;
    ASSERT_TRUE(variables.add<bool>({.name = "lyre.net.RepeatCreation"}));
    const Status status = variables.set("lyre.net.RepeatCreations", "1", from(Source::Console));
    EXPECT_EQ(status.to_string(),
              "not found: no variable \"lyre.net.RepeatCreations\"; did you mean \"lyre.net.RepeatCreation\"?");
    EXPECT_EQ(variables.reset("x", Source::Console).code(), StatusCode::NotFound);
    EXPECT_EQ(variables.remove("x").code(), StatusCode::NotFound);
    EXPECT_EQ(variables.describe("x").status().code(), StatusCode::NotFound);
    EXPECT_EQ(variables.find<bool>("x").status().code(), StatusCode::NotFound);
}

TEST(Variables, a_variable_is_found_by_its_type_only) {
    // W-11
    Variables variables;
    auto mine = *variables.add<bool>({.name = "a"});
    ASSERT_TRUE(variables.set("a", "true", from(Source::Console)));
    EXPECT_TRUE(variables.find<bool>("a")->get());
    EXPECT_EQ(variables.find<double>("a").status().text(),
              "variable \"a\" takes true or false: ask for it by that type");
}

TEST(Variables, read_only_and_cheat_variables_are_guarded_against_the_console) {
    // W-11
    Variables variables;
    auto port = *variables.add<std::int64_t>({.name = "port", .flags = {.read_only = true}});
    auto god = *variables.add<bool>({.name = "god", .flags = {.cheat = true}});
    EXPECT_TRUE(variables.set("port", "7", from(Source::CommandLine)));
    EXPECT_EQ(variables.set("port", "8", from(Source::Console)).to_string(),
              "refused: variable \"port\" is read-only while the game runs");
    EXPECT_EQ(port.get(), 7);
    EXPECT_EQ(variables.set("god", "1", from(Source::Console)).code(), StatusCode::Refused);
    variables.allow_cheats(true);
    EXPECT_TRUE(variables.set("god", "1", from(Source::Console)));
    EXPECT_TRUE(god.get());
}

TEST(Variables, a_registration_that_cannot_work_is_refused) {
    // W-11
    Variables variables;
    ASSERT_TRUE(variables.add<bool>({.name = "lyre.a.B"}));
    for (const char* name : {"", ".", "a.", ".a", "a..b", "a-b", "a b", "ä"})
        EXPECT_EQ(variables.add<bool>({.name = name}).status().code(), StatusCode::InvalidArgument) << name;
    EXPECT_EQ(variables.add<bool>({.name = "lyre.a.B"}).status().code(), StatusCode::AlreadyExists);
    EXPECT_EQ(variables.add<std::int64_t>({.name = "x", .default_value = 5, .max = 4}).status().text(),
              "variable \"x\" takes a whole number of at most 4, and its default is \"5\"");
    EXPECT_EQ(variables.add<std::int64_t>({.name = "x", .min = 4, .max = 3}).status().code(),
              StatusCode::InvalidArgument);
    EXPECT_EQ(variables.add<bool>({.name = "x", .min = false}).status().code(), StatusCode::InvalidArgument);
    EXPECT_EQ(variables.list().size(), 1u);
}

TEST(Variables, a_manifest_registers_by_the_type_of_its_default) {
    // W-11
    Variables variables;
    ASSERT_TRUE(variables.add_value({.name = "game.Lives", .default_value = std::int64_t{3}}));
    EXPECT_EQ(variables.find<std::int64_t>("game.Lives")->get(), 3);
}

TEST(Variables, two_that_would_meet_in_the_environment_are_refused) {
    // W-11, K-12
    EXPECT_EQ(Variables::environment_name("lyre.experience.StageTimeoutSecs"), "LYRE_EXPERIENCE_STAGETIMEOUTSECS");
    EXPECT_EQ(Variables::environment_name("game.lyre.X"), "LYRE_GAME_LYRE_X");
    Variables variables;
    ASSERT_TRUE(variables.add<bool>({.name = "lyre.net.rate_max"}));
    EXPECT_EQ(variables.add<bool>({.name = "net.Rate.Max"}).status().to_string(),
              "already exists: variable \"net.Rate.Max\": \"lyre.net.rate_max\" of process is LYRE_NET_RATE_MAX in the "
              "environment already");
    ASSERT_TRUE(variables.remove("lyre.net.rate_max"));
    EXPECT_TRUE(variables.add<bool>({.name = "net.Rate.Max"}));
}

TEST(Variables, the_environment_sets_what_it_names_and_unknown_names_are_problems) {
    // W-11, K-12
    Variables variables;
    auto secs = *variables.add<double>({.name = "lyre.experience.StageTimeoutSecs", .default_value = 120});
    auto bots = *variables.add<std::int64_t>({.name = "game.Bots", .default_value = 1});
    const std::vector<std::pair<std::string, std::string>> environment = {
        {"HOME", "/root"},
        {"LYRE_EXPERIENCE_STAGETIMEOUTSECS", "30"},
        {"LYRE_GAME_BOTS", "many"},
        {"LYRE_EXPERIENCE_STAGETIMEOUTSEC", "31"},
    };
    const auto refused = variables.apply_environment(environment);
    EXPECT_EQ(secs.get(), 30);
    EXPECT_EQ(secs.origin(), (VariableOrigin{Source::Environment, "LYRE_EXPERIENCE_STAGETIMEOUTSECS"}));
    ASSERT_EQ(refused.size(), 1u);
    EXPECT_EQ(refused[0].name, "LYRE_GAME_BOTS");
    EXPECT_EQ(refused[0].why.text(), "LYRE_GAME_BOTS: variable \"game.Bots\" takes a whole number, not \"many\"");
    EXPECT_EQ(bots.get(), 1);
    const auto problems = variables.problems();
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_EQ(problems[0].why.text(),
              "no variable is \"LYRE_EXPERIENCE_STAGETIMEOUTSEC\" in the environment; did you mean "
              "\"LYRE_EXPERIENCE_STAGETIMEOUTSECS\"?");
}

TEST(Variables, values_may_come_before_their_variable_in_any_order) {
    // W-11, K-12
    Variables variables;
    const std::vector<std::pair<std::string, std::string>> environment = {{"LYRE_TAG_SPEED", "3"}};
    ASSERT_TRUE(variables.apply_environment(environment).empty());
    ASSERT_TRUE(variables.configure("tag.Speed", "1", {Source::ConfigFile, "lyre.toml:1:1"}));
    ASSERT_TRUE(variables.configure("tag.Speed", "2", {Source::ConfigFile, "lyre.toml:2:1"}));
    ASSERT_TRUE(variables.configure("tag.Sped", "9", {Source::ConfigFile, "lyre.toml:3:1"}));
    ASSERT_TRUE(variables.configure("tag.Name", "x", {Source::ConfigFile, "lyre.toml:4:1"}));
    EXPECT_EQ(variables.problems().size(), 4u);

    auto speed = *variables.add<std::int64_t>({.name = "tag.Speed"});
    EXPECT_EQ(speed.get(), 3);
    EXPECT_EQ(speed.origin().place, "LYRE_TAG_SPEED");
    ASSERT_TRUE(variables.reset("tag.Speed", Source::Environment));
    EXPECT_EQ(speed.get(), 2);
    EXPECT_EQ(speed.origin().place, "lyre.toml:2:1");

    // A waiting value of the wrong type does not keep the variable out.
    EXPECT_FALSE(variables.add<std::int64_t>({.name = "tag.Name"})->get());
    auto problems = variables.problems();
    ASSERT_EQ(problems.size(), 2u);
    EXPECT_EQ(problems[0].why.text(), "lyre.toml:3:1: no variable \"tag.Sped\"; did you mean \"tag.Speed\"?");
    EXPECT_EQ(problems[1].why.text(), "lyre.toml:4:1: variable \"tag.Name\" takes a whole number, not \"x\"");
    ASSERT_TRUE(variables.configure("tag.Name", "5", {Source::ConfigFile, "lyre.toml:5:1"}));
    EXPECT_EQ(variables.problems().size(), 1u);
}

TEST(Variables, what_was_configured_is_there_again_when_a_feature_comes_back) {
    // W-11, W-33
    Variables variables;
    ASSERT_TRUE(variables.configure("tag.Speed", "0.1", {Source::ConfigFile, "lyre.toml:1:1"}));
    ASSERT_TRUE(variables.add<bool>({.name = "core"}));
    std::vector<Variable<double>> kept;
    auto load = [&] {
        OwnerScope as(kTag);
        kept.push_back(*variables.add<double>({.name = "tag.Speed", .default_value = 7}));
    };
    load();
    const std::vector<std::pair<std::string, std::string>> environment = {{"LYRE_TAG_SPEED", "0.3"}};
    ASSERT_TRUE(variables.apply_environment(environment).empty());
    ASSERT_TRUE(variables.set("tag.Speed", "4", from(Source::Console)));
    EXPECT_EQ(variables.list(kTag).size(), 1u);
    EXPECT_EQ(variables.remove_all(kTag), 1u);
    EXPECT_EQ(variables.remove_all(kTag), 0u);
    EXPECT_EQ(variables.list().size(), 1u);
    EXPECT_EQ(kept[0].get(), 4);  // a handle outlives the registration
    EXPECT_TRUE(variables.problems().empty());
    load();
    EXPECT_EQ(kept[1].get(), 0.3);
    ASSERT_TRUE(variables.reset("tag.Speed", Source::Environment));
    EXPECT_EQ(kept[1].get(), 0.1);
    EXPECT_EQ(kept[1].origin().place, "lyre.toml:1:1");
    EXPECT_EQ(kept[0].get(), 4);
}

TEST(Variables, variables_and_waiting_values_are_bounded) {
    // W-11
    Variables variables;
    for (std::size_t i = 0; i < Variables::kMaxVariables; ++i)
        ASSERT_TRUE(variables.add<bool>({.name = fmt::format("v{}", i)}));
    EXPECT_EQ(variables.add<bool>({.name = "more"}).status().code(), StatusCode::Capacity);
    for (std::size_t i = 0; i < Variables::kMaxWaiting; ++i)
        ASSERT_TRUE(variables.configure(fmt::format("w{}", i), "1", from(Source::ConfigFile)));
    EXPECT_EQ(variables.configure("more", "1", from(Source::ConfigFile)).code(), StatusCode::Capacity);
    EXPECT_TRUE(variables.configure("w0", "2", from(Source::ConfigFile)));
    EXPECT_EQ(variables.configure(std::string(256, 'n'), "1", from(Source::ConfigFile)).code(),
              StatusCode::InvalidArgument);
    EXPECT_EQ(
        variables.configure("w0", std::string(VariableDomain::kMaxText + 1, 't'), from(Source::ConfigFile)).code(),
        StatusCode::InvalidArgument);
}

TEST(Variables, the_list_is_in_name_order) {
    // W-11, K-12
    Variables variables;
    for (const char* name : {"b", "lyre.z", "a.c", "lyre.a"}) ASSERT_TRUE(variables.add<bool>({.name = name}));
    std::string names;
    for (const VariableInfo& info : variables.list()) names += fmt::format("{} ", info.name);
    EXPECT_EQ(names, "a.c b lyre.a lyre.z ");
}

TEST(Variables, callbacks_hear_of_changes_of_the_value_and_of_nothing_else) {
    // W-11
    Variables variables;
    auto a = *variables.add<std::int64_t>({.name = "a", .default_value = 1});
    auto b = *variables.add<std::int64_t>({.name = "b"});
    std::string heard;
    auto own = a.changed().add([&](const VariableChange& c) {
        heard += fmt::format("own {} -> {} ({}); ", format_value(c.before), format_value(c.after), c.origin.place);
        EXPECT_EQ(VariableValue(a.get()), c.after);
    });
    auto all = variables.changed().add([&](const VariableChange& c) { heard += fmt::format("any {}; ", c.name); });
    ASSERT_TRUE(variables.set("a", "2", from(Source::CommandLine)));
    ASSERT_TRUE(variables.set("a", "9", from(Source::ConfigFile)));  // hidden
    ASSERT_TRUE(variables.set("a", "2", from(Source::Console)));     // the same value
    ASSERT_TRUE(variables.set("b", "5", from(Source::ConfigFile)));
    ASSERT_TRUE(variables.reset("a", Source::Console));
    ASSERT_TRUE(variables.reset("a", Source::CommandLine));
    EXPECT_EQ(heard, "own 1 -> 2 (command line); any a; any b; own 2 -> 9 (config file); any a; ");
}

TEST(Variables, a_callback_may_set_and_remove_and_destroy_itself) {
    // W-06, W-11
    Variables variables;
    auto a = *variables.add<std::int64_t>({.name = "a"});
    std::string heard;
    Connection self;
    self = a.changed().add([&, guard = std::make_shared<int>(7)](const VariableChange&) {
        self.disconnect();
        ASSERT_TRUE(variables.set("a", "8", from(Source::Console)));  // told to the others at once
        ASSERT_TRUE(variables.remove("a"));
        heard += fmt::format("self {}; ", *guard);
    });
    auto after = a.changed().add([&](const VariableChange& c) { heard += format_value(c.after) + "; "; });
    ASSERT_TRUE(variables.set("a", "1", from(Source::ConfigFile)));
    EXPECT_EQ(heard, "8; self 7; ");
    EXPECT_FALSE(after.is_connected());
    EXPECT_EQ(a.get(), 8);
    EXPECT_TRUE(variables.list().empty());
}

TEST(Variables, a_callback_may_destroy_everything) {
    // W-06, W-11
    auto variables = std::make_unique<Variables>();
    const std::vector<std::pair<std::string, std::string>> environment = {{"LYRE_A", "1"}, {"LYRE_B", "1"}};
    int never = 0;
    auto a = *variables->add<bool>({.name = "a"});
    auto all = variables->changed().add([&](const VariableChange&) { ++never; });
    auto own = a.changed().add([&](const VariableChange&) { variables.reset(); });
    EXPECT_TRUE(variables->apply_environment(environment).empty());
    EXPECT_EQ(variables, nullptr);
    EXPECT_EQ(never, 0);
    EXPECT_TRUE(a.get());
}

TEST(Variables, a_callback_may_remove_a_variable_that_nobody_else_holds) {
    // W-06, W-11
    const std::string text(200, 'x');
    for (const auto source : {Source::ConfigFile, Source::Environment}) {
        Variables variables;
        ASSERT_TRUE(variables.add_value({.name = "a", .default_value = std::string(300, 'y')}));
        int heard = 0;
        auto any = variables.changed().add([&](const VariableChange& c) { heard += c.name == Name("a") ? 1 : 0; });
        auto own = variables.find<std::string>("a")->changed().add(
            [&](const VariableChange&) { ASSERT_TRUE(variables.remove("a")); });
        if (source == Source::ConfigFile)
            EXPECT_TRUE(variables.configure("a", text, from(source)));
        else
            EXPECT_TRUE(variables.apply_environment(std::vector<std::pair<std::string, std::string>>{{"LYRE_A", text}})
                            .empty());
        EXPECT_EQ(heard, 1) << "the change was, though the variable has gone since";
        EXPECT_TRUE(variables.list().empty());
    }
}

TEST(Variables, callbacks_that_answer_each_other_are_refused_at_some_depth) {
    // W-11
    Variables variables;
    auto a = *variables.add<std::int64_t>({.name = "a"});
    auto b = *variables.add<std::int64_t>({.name = "b"});
    Status refused;
    const auto answer = [&](const char* name, std::int64_t value) {
        const Status status = variables.set(name, format_value(value + 1), from(Source::ConfigFile));
        if (!status) refused = status;
    };
    auto on_a = a.changed().add([&](const VariableChange&) { answer("b", a.get()); });
    auto on_b = b.changed().add([&](const VariableChange&) { answer("a", b.get()); });
    for (int round = 0; round < 2; ++round) {
        EXPECT_TRUE(variables.set("a", format_value(a.get() + 1), from(Source::ConfigFile)));
        EXPECT_EQ(refused.code(), StatusCode::Refused);
        EXPECT_NE(refused.text().find("\"a\""), std::string::npos) << refused.text();
        EXPECT_LT(a.get(), 500) << "long before the stack ends";
        refused = {};
    }
    on_b.disconnect();
    EXPECT_TRUE(variables.set("a", "0", from(Source::Console)));
    EXPECT_EQ(b.get(), 1) << "afterwards all is as before";
}

TEST(Variables, callbacks_that_make_ever_more_changes_are_refused_after_some) {
    // W-11
    Variables variables;
    auto a = *variables.add<std::int64_t>({.name = "a"});
    int told = 0, refused = 0;
    auto twice = a.changed().add([&](const VariableChange&) {
        if (++told > 100'000) return;
        for (int i = 0; i < 2; ++i)
            refused += variables.set("a", format_value(std::int64_t{told} * 2 + i), from(Source::Console)) ? 0 : 1;
    });
    EXPECT_TRUE(variables.set("a", "-1", from(Source::Console)));
    EXPECT_LT(told, 5000);
    EXPECT_GT(refused, 0);
}

TEST(Variables, a_callback_runs_under_the_owner_that_added_it_and_goes_with_the_variable) {
    // W-33
    Variables variables;
    auto a = *variables.add<bool>({.name = "a"});
    auto held = std::make_shared<int>(1);
    Connection c;
    {
        OwnerScope as(kTag);
        c = a.changed().add([&, held](const VariableChange&) { ASSERT_TRUE(variables.add<bool>({.name = "b"})); });
    }
    ASSERT_TRUE(variables.set("a", "1", from(Source::Console)));
    EXPECT_EQ(variables.describe("b")->owner, kTag);
    ASSERT_TRUE(variables.remove("a"));
    EXPECT_EQ(held.use_count(), 1);
}

TEST(Variables, setting_a_worlds_value_or_the_default_from_outside_is_a_programmers_error) {
    // W-11
    Variables variables;
    ASSERT_TRUE(variables.add<bool>({.name = "a"}));
    EXPECT_DEATH(variables.set("a", "1", from(Source::World)).ignore(), "VariableLayer");
    EXPECT_DEATH(variables.reset("a", Source::Code).ignore(), "the default stays");
}

TEST(Variables, a_listener_that_throws_is_reported_and_the_others_hear) {
    // W-11
    VirtualClock clock;
    Log log(clock);
    Variables variables(&log);
    auto a = *variables.add<std::int64_t>({.name = "a"});
    int heard = 0;
    auto own = a.changed().add([](const VariableChange&) { throw std::runtime_error("on purpose"); });
    auto own_too = a.changed().add([&](const VariableChange&) { ++heard; });
    auto any = variables.changed().add([](const VariableChange&) { throw 1; });
    auto any_too = variables.changed().add([&](const VariableChange&) { ++heard; });
    EXPECT_TRUE(variables.set("a", "1", from(Source::Console)));
    EXPECT_EQ(heard, 2);
    ASSERT_EQ(log.entries().size(), 2u);
    EXPECT_EQ(log.entries()[0].subject, "a");
    EXPECT_EQ(log.entries()[0].text, "a listener threw: on purpose");
    EXPECT_EQ(log.entries()[1].text, "a listener threw: an exception");
    EXPECT_TRUE(variables.reset("a", Source::Console));
    EXPECT_EQ(heard, 4);
    EXPECT_EQ(log.count(Name("variables.callback")), 4u);
}

TEST(Variables, a_listener_may_destroy_everything_and_throw) {
    // W-06, W-11
    VirtualClock clock;
    auto log = std::make_unique<Log>(clock);
    auto variables = std::make_unique<Variables>(log.get());
    auto a = *variables->add<bool>({.name = "a"});
    auto own = a.changed().add([&](const VariableChange&) {
        variables.reset();
        log.reset();
        throw 1;
    });
    EXPECT_TRUE(variables->set("a", "1", from(Source::Console)));
    EXPECT_EQ(variables, nullptr);
}

}  // namespace variables_test
}  // namespace lyre
