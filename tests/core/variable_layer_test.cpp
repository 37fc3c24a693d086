#include "lyre/core/variable_layer.h"

#include <gtest/gtest.h>
#include <stdexcept>

#include "lyre/core/log.h"

namespace lyre {
namespace variable_layer_test {

using Source = VariableSource;

struct Worlds : testing::Test {
    Variables variables;
    Variable<double> gravity = *variables.add<double>({.name = "game.Gravity", .default_value = 10, .min = 0});
    VariableLayer earth{variables}, moon{variables};

    void set(const char* text, Source source) {
        ASSERT_TRUE(variables.set("game.Gravity", text, {source, std::string(to_string(source))}));
    }
};

TEST_F(Worlds, a_pushed_value_is_seen_in_its_world_only_and_goes_with_its_hold) {
    // W-11
    {
        const VariableHold hold = *moon.push("game.Gravity", "1.6", "feature moon, action 1");
        EXPECT_EQ(moon.get(gravity), 1.6);
        EXPECT_EQ(moon.describe("game.Gravity")->origin, (VariableOrigin{Source::World, "feature moon, action 1"}));
        EXPECT_EQ(earth.get(gravity), 10);
        EXPECT_EQ(earth.describe("game.Gravity")->origin.place, "code");
        EXPECT_EQ(gravity.get(), 10);
    }
    EXPECT_EQ(moon.get(gravity), 10);
    EXPECT_EQ(moon.describe("game.Gravity")->origin.place, "code");
}

TEST_F(Worlds, the_newest_wins_and_holds_may_go_in_any_order) {
    // W-11
    VariableHold a = *moon.push("game.Gravity", "1", "a");
    VariableHold b = *moon.push("game.Gravity", "2", "b");
    VariableHold c = *moon.push("game.Gravity", "3", "c");
    EXPECT_EQ(moon.get(gravity), 3);
    b.release();
    EXPECT_EQ(moon.get(gravity), 3);
    c.release();
    EXPECT_EQ(moon.get(gravity), 1);
    b = *moon.push("game.Gravity", "4", "b again");
    a = std::move(b);  // lets go of what it held
    EXPECT_EQ(moon.get(gravity), 4);
    a.release();
    a.release();
    EXPECT_EQ(moon.get(gravity), 10);
}

TEST_F(Worlds, the_highest_rank_wins_whatever_came_first_and_ranks_may_change) {
    // W-11, X-09
    const auto low = std::make_shared<std::uint64_t>(1), high = std::make_shared<std::uint64_t>(5);
    std::string told;
    Connection changes = moon.changed().add([&](const VariableChange& change) {
        told += fmt::format("{} -> {} ", format_value(change.before), format_value(change.after));
    });
    VariableHold b = *moon.push("game.Gravity", "2", "b", high);
    VariableHold a = *moon.push("game.Gravity", "1", "a", low);
    VariableHold none = *moon.push("game.Gravity", "3", "none");
    EXPECT_EQ(moon.get(gravity), 2);
    EXPECT_EQ(moon.describe("game.Gravity")->origin.place, "b");
    *low = 9;
    EXPECT_EQ(moon.get(gravity), 2);  // it is told first
    moon.ranks_changed();
    EXPECT_EQ(moon.get(gravity), 1);
    moon.ranks_changed();
    EXPECT_EQ(told, "10 -> 2 2 -> 1 ");
    VariableHold newer = *moon.push("game.Gravity", "4", "newer", low);
    EXPECT_EQ(moon.get(gravity), 4);  // of equal rank the newest
    newer.release();
    a.release();
    b.release();
    EXPECT_EQ(moon.get(gravity), 3);
    none.release();
    EXPECT_EQ(moon.get(gravity), 10);
}

TEST_F(Worlds, callbacks_that_push_for_ever_are_refused_at_some_depth) {
    // W-11
    VariableHold hold;
    Status refused;
    int turns = 0;
    auto answers = moon.changed().add([&](const VariableChange& change) {
        ASSERT_LT(++turns, 20'000) << "stopped long before";
        auto pushed = moon.push("game.Gravity", std::get<double>(change.after) == 1 ? "2" : "1", "an answer");
        if (!pushed)
            refused = pushed.status();
        else
            hold = *std::move(pushed);
    });
    set("1", Source::ConfigFile);
    EXPECT_EQ(refused.code(), StatusCode::Refused);
    EXPECT_NE(refused.text().find("\"game.Gravity\""), std::string::npos) << refused.text();
    answers.disconnect();
    EXPECT_TRUE(moon.push("game.Gravity", "7", "afterwards"));
}

TEST_F(Worlds, precedence_over_all_layers) {
    // W-11, K-12
    constexpr Source kSources[] = {Source::ConfigFile, Source::World, Source::Environment, Source::CommandLine,
                                   Source::Console};
    for (unsigned present = 0; present < 32; ++present) {
        VariableHold hold;
        double in_world = 10, outside = 10;
        for (unsigned bit = 0; bit < 5; ++bit) {
            const Source source = kSources[bit];
            const double value = bit + 1;
            if ((present >> bit & 1) == 0) {
                if (source != Source::World) {
                    EXPECT_TRUE(variables.reset("game.Gravity", source));
                }
                continue;
            }
            in_world = value;
            if (source == Source::World) {
                hold = *earth.push("game.Gravity", format_value(value), "w");
            } else {
                set(format_value(value).c_str(), source);
                outside = value;
            }
        }
        EXPECT_EQ(earth.get(gravity), in_world) << present;
        EXPECT_EQ(earth.describe("game.Gravity")->value, VariableValue(in_world)) << present;
        EXPECT_EQ(moon.get(gravity), outside) << present;
        EXPECT_EQ(gravity.get(), outside) << present;
    }
}

TEST_F(Worlds, a_push_that_cannot_work_is_refused_and_says_where) {
    // W-11
    EXPECT_EQ(moon.push("game.Gravty", "1", "moon.toml:3:1").status().to_string(),
              "not found: moon.toml:3:1: no variable \"game.Gravty\"; did you mean \"game.Gravity\"?");
    EXPECT_EQ(moon.push("game.Gravity", "-1", "moon.toml:3:1").status().to_string(),
              "invalid: moon.toml:3:1: variable \"game.Gravity\" takes a number of at least 0, not \"-1\"");
    ASSERT_TRUE(variables.add<bool>({.name = "fixed", .flags = {.read_only = true}}));
    EXPECT_EQ(moon.push("fixed", "1", "x").status().code(), StatusCode::Refused);
    std::vector<VariableHold> holds;
    for (std::size_t i = 0; i < VariableLayer::kMaxPushed; ++i) holds.push_back(*moon.push("game.Gravity", "1", "x"));
    EXPECT_EQ(moon.push("game.Gravity", "1", "x").status().code(), StatusCode::Capacity);
    holds.pop_back();
    EXPECT_TRUE(moon.push("game.Gravity", "1", "x"));
    while (!holds.empty()) holds.pop_back();
    EXPECT_EQ(moon.get(gravity), 10);
}

TEST_F(Worlds, a_world_hears_of_what_it_sees_and_of_nothing_else) {
    // W-11
    std::string heard_earth, heard_moon, heard_all;
    auto tell = [](std::string& to) {
        return [&to](const VariableChange& c) {
            to += fmt::format("{}->{} ({}); ", format_value(c.before), format_value(c.after), c.origin.place);
        };
    };
    auto e = earth.changed().add(tell(heard_earth));
    auto m = moon.changed().add(tell(heard_moon));
    auto all = variables.changed().add(tell(heard_all));
    VariableHold a = *moon.push("game.Gravity", "1", "a");
    VariableHold b = *moon.push("game.Gravity", "2", "b");
    set("11", Source::ConfigFile);  // hidden by the moon's
    a.release();                    // beneath b
    set("5", Source::Console);      // above all
    b.release();                    // beneath the console
    ASSERT_TRUE(variables.reset("game.Gravity", Source::Console));
    EXPECT_EQ(heard_earth, "10->11 (config file); 11->5 (console); 5->11 (config file); ");
    EXPECT_EQ(heard_moon, "10->1 (a); 1->2 (b); 2->5 (console); 5->11 (config file); ");
    EXPECT_EQ(heard_all, heard_earth);
}

TEST_F(Worlds, the_newest_counts_of_those_whose_ranks_have_become_equal) {
    // W-11, X-09
    const auto first = std::make_shared<std::uint64_t>(2), second = std::make_shared<std::uint64_t>(1);
    VariableHold a = *moon.push("game.Gravity", "4", "a", first);
    VariableHold b = *moon.push("game.Gravity", "5", "b", second);
    EXPECT_EQ(moon.get(gravity), 4);
    *first = 1;
    moon.ranks_changed();
    EXPECT_EQ(moon.get(gravity), 5);
}

TEST_F(Worlds, what_was_pushed_for_a_variable_that_was_removed_counts_again_when_it_is_back) {
    // W-11, X-119
    VirtualClock clock;
    Log log(clock);
    Variables known{&log};
    ASSERT_TRUE(known.add<double>({.name = "game.Gravity", .default_value = 10}).is_ok());
    VariableLayer world{known}, other{known};
    VariableHold high = *world.push("game.Gravity", "40", "a", std::make_shared<std::uint64_t>(1));
    VariableHold low = *world.push("game.Gravity", "2", "b");
    ASSERT_TRUE(known.remove("game.Gravity"));
    auto again = *known.add<double>({.name = "game.Gravity", .default_value = 5});
    EXPECT_EQ(world.get(again), 40);
    EXPECT_EQ(world.describe("game.Gravity")->origin, (VariableOrigin{Source::World, "a"}));
    EXPECT_EQ(other.get(again), 5);
    ASSERT_TRUE(known.remove("game.Gravity"));
    again = *known.add<double>({.name = "game.Gravity", .default_value = 5, .max = 30});
    EXPECT_EQ(world.get(again), 2);
    EXPECT_EQ(log.count(Name("variables.pushed")), 1u);  // of what it does not take
    high.release();
    EXPECT_EQ(world.get(again), 2);
    ASSERT_TRUE(known.remove("game.Gravity"));
    again = *known.add<double>({.name = "game.Gravity", .default_value = 5, .flags = {.read_only = true}});
    EXPECT_EQ(world.get(again), 5);
    EXPECT_EQ(log.count(Name("variables.pushed")), 2u);
    low.release();
    EXPECT_EQ(world.get(again), 5);
}

TEST_F(Worlds, a_value_pushed_for_a_removed_variable_has_no_effect_on_one_of_another_type) {
    // W-11
    VariableHold hold = *moon.push("game.Gravity", "1", "a");
    ASSERT_TRUE(variables.remove("game.Gravity"));
    auto again = *variables.add<std::string>({.name = "game.Gravity", .default_value = "strong"});
    EXPECT_EQ(moon.get(again), "strong");
    std::string heard;
    auto m = moon.changed().add([&](const VariableChange& c) { heard += format_value(c.after); });
    ASSERT_TRUE(variables.set("game.Gravity", "weak", {Source::ConfigFile, "f"}));
    EXPECT_EQ(heard, "weak");
    EXPECT_EQ(moon.get(gravity), 1);  // who still has the old one sees what was pushed for it
    hold.release();
    EXPECT_EQ(moon.get(again), "weak");
}

TEST_F(Worlds, a_hold_may_outlive_its_world) {
    // W-11
    auto mars = std::make_unique<VariableLayer>(variables);
    VariableHold hold = *mars->push("game.Gravity", "3.7", "a");
    mars.reset();
    set("9", Source::ConfigFile);
    hold.release();
}

TEST_F(Worlds, a_callback_may_destroy_its_world_and_the_hold) {
    // W-06, W-11
    auto mars = std::make_unique<VariableLayer>(variables);
    VariableHold other = *mars->push("game.Gravity", "3", "a");
    Connection c = mars->changed().add([&](const VariableChange&) {
        other.release();
        mars.reset();
    });
    VariableHold hold = *mars->push("game.Gravity", "4", "b");
    EXPECT_EQ(mars, nullptr);

    mars = std::make_unique<VariableLayer>(variables);
    int calls = 0;
    c = mars->changed().add([&](const VariableChange&) {
        ++calls;
        mars.reset();
    });
    set("9", Source::ConfigFile);
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(mars, nullptr);
}

TEST(VariableLayer, a_listener_that_throws_is_reported_and_values_come_and_go_all_the_same) {
    // W-11
    VirtualClock clock;
    Log log(clock);
    Variables variables(&log);
    auto a = *variables.add<std::int64_t>({.name = "a"});
    VariableLayer layer(variables);
    int heard = 0;
    auto angry = layer.changed().add([](const VariableChange&) { throw std::runtime_error("on purpose"); });
    auto calm = layer.changed().add([&](const VariableChange&) { ++heard; });
    const auto all_heard = [&](int count) {
        EXPECT_EQ(heard, count);
        EXPECT_EQ(log.count(Name("variables.callback")), static_cast<std::uint64_t>(count));
    };
    const auto low = std::make_shared<std::uint64_t>(1), high = std::make_shared<std::uint64_t>(2);
    {
        auto one = layer.push("a", "1", "one", low);
        ASSERT_TRUE(one.is_ok());
        all_heard(1);
        auto two = layer.push("a", "2", "two", high);
        ASSERT_TRUE(two.is_ok());
        all_heard(2);
        *low = 3;
        layer.ranks_changed();
        EXPECT_EQ(layer.get(a), 1);
        all_heard(3);
        one->release();
        EXPECT_EQ(layer.get(a), 2);
        all_heard(4);
    }
    all_heard(5);
    EXPECT_TRUE(variables.set("a", "7", {Source::ConfigFile, "f"}));
    EXPECT_EQ(layer.get(a), 7);
    all_heard(6);
    EXPECT_EQ(log.entries().back().subject, "a");
}

TEST(VariableLayer, a_listener_may_destroy_the_world_its_variables_and_the_log_and_throw) {
    // W-06, W-11
    for (const bool is_pushed : {true, false}) {
        VirtualClock clock;
        auto log = std::make_unique<Log>(clock);
        auto variables = std::make_unique<Variables>(log.get());
        ASSERT_TRUE(variables->add<bool>({.name = "a"}).is_ok());
        auto layer = std::make_unique<VariableLayer>(*variables);
        auto angry = layer->changed().add([&](const VariableChange&) {
            layer.reset();
            variables.reset();
            log.reset();
            throw 1;
        });
        if (is_pushed)
            EXPECT_TRUE(layer->push("a", "1", "one").is_ok());
        else
            EXPECT_TRUE(variables->set("a", "1", {Source::Console, "c"}));
        EXPECT_EQ(layer, nullptr);
    }
}

}  // namespace variable_layer_test
}  // namespace lyre
