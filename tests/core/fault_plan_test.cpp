#include "lyre/core/fault_plan.h"

#include <gtest/gtest.h>
#include <set>

#include "lyre/assets/toml.h"
#include "lyre/core/content_codes.h"

namespace lyre {
namespace fault_plan_test {

struct Read {
    FaultPlanDef def;
    Problems problems;
};

Read read_plan(std::string_view text) {
    Read read;
    const assets::TomlDocument document = assets::parse_toml(text, "faults.toml");
    EXPECT_TRUE(document.problems.is_empty()) << document.problems.to_text();
    Reading reading = read_fault_plan(document.root, read.def, {.file = "faults.toml", .text = text});
    EXPECT_TRUE(reading.is_linked());
    read.problems = std::move(reading.problems);
    return read;
}

FaultPlan plan(std::string_view text, std::uint64_t seed = 1) {
    Read read = read_plan(text);
    EXPECT_TRUE(read.problems.is_empty()) << read.problems.to_text();
    return {std::move(read.def), seed};
}

// What a side is told about the same thing, again and again: '.' for nothing, else the first letter of the effect.
std::string ask(FaultPlan& plan, int times, std::string_view side = "server", FaultStage stage = FaultStage::Bundle,
                std::string_view subject = "experience:tag") {
    std::string told;
    for (int i = 0; i < times; ++i) {
        const Fault fault = plan.ask(side, stage, subject);
        told += fault ? to_string(fault.effect)[0] : '.';
    }
    return told;
}

TEST(FaultPlan, rules_say_what_goes_wrong_on_which_side_and_when) {
    // X-24
    FaultPlan faults = plan(R"(
[[rule]]
side    = "client"
stage   = "bundle"
nth     = 3
effect  = "delay"
seconds = 2
[[rule]]
name    = "full"
stage   = "feature_load"
match   = "tag*"
effect  = "fail"
code    = "disk_full"
)");
    EXPECT_EQ(ask(faults, 5, "server"), ".....");
    EXPECT_EQ(ask(faults, 5, "client 1"), "..d..");
    EXPECT_EQ(ask(faults, 5, "client 2"), "..d..") << "each side counts for itself";
    const Fault fault = faults.ask("server", FaultStage::FeatureLoad, "tag_extra");
    EXPECT_EQ(fault.effect, FaultEffect::Fail);
    EXPECT_EQ(fault.code, "disk_full");
    EXPECT_EQ(fault.rule, "full");
    EXPECT_EQ(fault.to_string(), "fail disk_full");
    EXPECT_FALSE(faults.ask("server", FaultStage::FeatureLoad, "arena"));
    EXPECT_FALSE(faults.ask("server", FaultStage::FeatureMount, "tag"));
    EXPECT_EQ(faults.asked(), 18u);
    EXPECT_EQ(faults.given(), 3u);
}

TEST(FaultPlan, every_stage_and_effect_that_can_happen_is_read_and_the_others_are_problems) {
    // X-24
    int possible = 0;
    for (std::size_t s = 0; s < kFaultStages; ++s)
        for (std::size_t e = 1; e < kFaultEffects; ++e) {
            const auto stage = static_cast<FaultStage>(s);
            const auto effect = static_cast<FaultEffect>(e);
            const std::string_view value = effect == FaultEffect::Delay     ? "seconds = 0.5\n"
                                           : effect == FaultEffect::Fail    ? "code = \"why\"\n"
                                           : effect == FaultEffect::Reorder ? "count = 2\n"
                                                                            : "";
            const std::string text = fmt::format("[[rule]]\nside = \"c1\"\nstage = \"{}\"\neffect = \"{}\"\n{}",
                                                 to_string(stage), to_string(effect), value);
            Read read = read_plan(text);
            ASSERT_EQ(read.problems.is_empty(), can_happen(stage, effect)) << text << read.problems.to_text();
            if (!read.problems.is_empty()) {
                EXPECT_EQ(read.problems.all()[0].code->number, fault_code::kCannotHappen.number);
                EXPECT_EQ(read.problems.all()[0].where(), "faults.toml:4:10");
                continue;
            }
            ++possible;
            FaultPlan faults(read.def, 1);
            const Fault fault = faults.ask("c1", stage, "x");
            EXPECT_EQ(fault.effect, effect);
            EXPECT_EQ(fault.seconds, effect == FaultEffect::Delay ? 0.5 : 0);
            EXPECT_EQ(fault.code, effect == FaultEffect::Fail ? "why" : "");
            EXPECT_EQ(fault.count, effect == FaultEffect::Reorder ? 2 : 0);
            EXPECT_FALSE(faults.ask("c2", stage, "x"));
            EXPECT_FALSE(faults.ask("server", stage, "x"));
        }
    EXPECT_EQ(possible, 8 * 5 + 2 * 1 + 2 * 4 + 1 * 2);
}

TEST(FaultPlan, sides_are_the_server_any_client_a_named_one_or_all) {
    // X-24
    const auto of = [](std::string_view side) {
        return plan(fmt::format("[[rule]]\n{}stage = \"bundle\"\neffect = \"never\"\n",
                                side.empty() ? "" : fmt::format("side = \"{}\"\n", side)));
    };
    const std::tuple<std::string_view, std::string_view, bool> table[] = {
        {"server", "server", true},
        {"server", "client 1", false},
        {"client", "server", false},
        {"client", "client 1", true},
        {"client", "anna", true},
        {"client 1", "client 1", true},
        {"anna", "anna", true},
        {"client 1", "client 2", false},
        {"client 1", "server", false},
        {"", "server", true},
        {"", "anna", true},
    };
    for (const auto& [rule, asking, fits] : table) {
        FaultPlan faults = of(rule);
        EXPECT_EQ(static_cast<bool>(faults.ask(asking, FaultStage::Bundle, "x")), fits) << rule << ", " << asking;
    }
}

TEST(FaultPlan, a_star_stands_for_any_text) {
    // X-24
    const std::tuple<const char*, const char*, bool> table[] = {
        {"*", "", true},
        {"*", "experience:tag", true},
        {"experience:*", "experience:tag", true},
        {"experience:*", "action_set:tag", false},
        {"*:tag", "experience:tag", true},
        {"*tag*", "experience:stage", true},
        {"e*:*g", "experience:tag", true},
        {"e*:*g", "experience:tags", false},
        {"tag", "tag", true},
        {"tag", "tags", false},
        {"tag*", "tag", true},
        {"**a**b", "xaxbxb", true},
        {"a*b", "ab", true},
        {"a*b", "a", false},
        {"ta?", "tag", false},
    };
    for (const auto& [pattern, id, fits] : table) {
        FaultRule rule;
        rule.match = pattern;
        EXPECT_EQ(rule.fits("server", FaultStage::Definition, id), fits) << pattern << ", " << id;
    }
    FaultRule slow;
    for (int i = 0; i < 100; ++i) slow.match += "a*";
    slow.match += "d";
    EXPECT_FALSE(slow.fits("server", FaultStage::Definition, std::string(5000, 'a') + "b" + "c"));
}

TEST(FaultPlan, the_same_seed_and_plan_give_the_same_faults_and_copies_go_on_alike) {
    // X-25
    constexpr std::string_view kText =
        "[[rule]]\nstage = \"bundle\"\nprobability = 0.5\neffect = \"never\"\n"
        "[[rule]]\nstage = \"bundle\"\nprobability = 0.5\neffect = \"twice\"\n";
    FaultPlan a = plan(kText, 7), b = plan(kText, 7), other = plan(kText, 8);
    const std::string told = ask(a, 100);
    EXPECT_EQ(ask(b, 100), told);
    EXPECT_NE(ask(other, 100), told);
    FaultPlan copy = a;
    EXPECT_EQ(ask(copy, 100), ask(a, 100));
    FaultPlan sides = plan(kText, 7);
    ask(sides, 30, "client 1");
    EXPECT_EQ(ask(sides, 100), told) << "what another side asks changes nothing";
    EXPECT_NE(ask(sides, 100, "client 2"), told) << "sides draw by themselves";
}

TEST(FaultPlan, one_more_rule_does_not_change_what_the_others_decide) {
    // X-25
    const std::string_view kRule = "[[rule]]\nstage = \"bundle\"\nprobability = 0.3\neffect = \"never\"\n";
    const std::string_view kTenth = "[[rule]]\nstage = \"bundle\"\nnth = 10\neffect = \"delay\"\nseconds = 1\n";
    const std::string_view kMore =
        "[[rule]]\nstage = \"bundle\"\nprobability = 0.4\neffect = \"twice\"\n"
        "[[rule]]\nname = \"x\"\nstage = \"asset\"\nprobability = 0.4\neffect = \"twice\"\n";
    FaultPlan alone = plan(fmt::format("{}{}", kTenth, kRule));
    FaultPlan before = plan(fmt::format("{}{}{}", kMore, kRule, kTenth));
    FaultPlan after = plan(fmt::format("{}{}{}", kTenth, kRule, kMore));
    const std::string told = ask(alone, 200), with_before = ask(before, 200), with_after = ask(after, 200);
    EXPECT_EQ(told[9], 'd');
    std::size_t twice = 0;
    for (std::size_t i = 0; i < told.size(); ++i) {
        EXPECT_EQ(with_after[i], told[i] == '.' && with_after[i] == 't' ? 't' : told[i]) << i;
        const bool is_new = with_before[i] == 't';  // the new rule was first
        twice += is_new ? 1 : 0;
        EXPECT_TRUE(is_new || i == 9 || with_before[i] == told[i]) << i;
    }
    EXPECT_GT(twice, 40u);
}

TEST(FaultPlan, a_rule_with_a_name_draws_by_it) {
    // X-25
    const auto text = [](std::string_view seconds) {
        return fmt::format(
            "[[rule]]\nname = \"slow\"\nstage = \"bundle\"\nprobability = 0.5\neffect = \"delay\"\nseconds = {}\n",
            seconds);
    };
    FaultPlan a = plan(text("1")), b = plan(text("2.5"));
    EXPECT_EQ(ask(a, 100), ask(b, 100));
}

TEST(FaultPlan, mistakes_are_told_with_their_places_and_what_was_meant) {
    // X-24
    const std::tuple<std::string_view, const ProblemCode*, std::string_view, std::string_view> table[] = {
        {"stage = \"bundel\"\neffect = \"never\"", &content_code::kUnknownValue, "faults.toml:2:9", "bundle"},
        {"stage = \"bundle\"\neffect = \"nevr\"", &content_code::kUnknownValue, "faults.toml:3:10", "never"},
        {"stage = \"bundle\"\neffect = \"none\"", &content_code::kUnknownValue, "faults.toml:3:10", ""},
        {"stage = \"bundle\"\neffects = \"never\"", &content_code::kUnknownKey, "faults.toml:3:1", "effect"},
        {"stage = \"bundle\"", &content_code::kMissingKey, "faults.toml:1:1", ""},
        {"effect = \"never\"", &content_code::kMissingKey, "faults.toml:1:1", ""},
        {"stage = \"bundle\"\neffect = \"delay\"", &content_code::kMissingKey, "faults.toml:1:1", ""},
        {"stage = \"bundle\"\neffect = \"reorder\"", &content_code::kMissingKey, "faults.toml:1:1", ""},
        {"stage = \"bundle\"\neffect = \"never\"\nseconds = 2", &fault_code::kOfAnotherEffect, "faults.toml:4:11", ""},
        {"stage = \"bundle\"\neffect = \"twice\"\ncount = 2", &fault_code::kOfAnotherEffect, "faults.toml:4:9", ""},
        {"stage = \"bundle\"\neffect = \"twice\"\ncode = \"x\"", &fault_code::kOfAnotherEffect, "faults.toml:4:8", ""},
        {"stage = \"bundle\"\neffect = \"delay\"\nseconds = -1", &content_code::kOutOfRange, "faults.toml:4:11", ""},
        {"stage = \"bundle\"\neffect = \"reorder\"\ncount = 0", &content_code::kOutOfRange, "faults.toml:4:9", ""},
        {"stage = \"bundle\"\neffect = \"never\"\nprobability = 2", &content_code::kOutOfRange, "faults.toml:4:15", ""},
        {"stage = \"bundle\"\neffect = \"never\"\nprobability = nan", &content_code::kNotFinite, "faults.toml:4:15",
         ""},
        {"stage = \"bundle\"\neffect = \"never\"\nnth = -1", &content_code::kOutOfRange, "faults.toml:4:7", ""},
        {"stage = \"bundle\"\neffect = \"never\"\nmatch = \"\"", &content_code::kEmptyText, "faults.toml:4:9", ""},
        {"stage = \"bundle\"\neffect = \"never\"\nside = \"sever\"", &content_code::kUnknownValue, "faults.toml:4:8",
         "server"},
        {"stage = \"bundle\"\neffect = \"never\"\nside = \"Client\"", &content_code::kUnknownValue, "faults.toml:4:8",
         "client"},
    };
    for (const auto& [text, code, where, meant] : table) {
        const Read read = read_plan(fmt::format("[[rule]]\n{}\n", text));
        ASSERT_FALSE(read.problems.is_empty()) << text;
        bool is_told = false;
        for (const Problem& problem : read.problems.all())
            is_told |=
                problem.code == code && problem.where() == where && problem.hint.find(meant) != std::string::npos;
        EXPECT_TRUE(is_told) << text << "\n" << read.problems.to_text();
    }
}

TEST(FaultPlan, all_mistakes_are_told_together) {
    // X-24
    const Read read = read_plan(
        "[[rule]]\nstage = \"bundel\"\neffect = \"nevr\"\n"
        "[[rule]]\nstage = \"action_hook\"\neffect = \"delay\"\ncode = \"x\"\n");
    EXPECT_EQ(read.problems.count(), 5u) << read.problems.to_text();
}

TEST(FaultPlan, rules_that_would_always_decide_alike_are_problems) {
    // X-25
    constexpr std::string_view kRule = "stage = \"bundle\"\neffect = \"never\"\n";
    const Read same = read_plan(fmt::format("[[rule]]\n{}[[rule]]\n{}", kRule, kRule));
    ASSERT_EQ(same.problems.count(), 1u) << same.problems.to_text();
    EXPECT_EQ(same.problems.all()[0].where(), "faults.toml:4:1");
    const Read names =
        read_plan(fmt::format("[[rule]]\nname = \"a\"\n{}[[rule]]\nname = \"a\"\nside = \"server\"\n{}", kRule, kRule));
    ASSERT_EQ(names.problems.count(), 1u) << names.problems.to_text();
    EXPECT_EQ(names.problems.all()[0].where(), "faults.toml:6:8");
    const Read fine = read_plan(fmt::format("[[rule]]\nname = \"a\"\n{}[[rule]]\nname = \"b\"\n{}", kRule, kRule));
    EXPECT_TRUE(fine.problems.is_empty()) << fine.problems.to_text();
}

TEST(FaultPlan, an_empty_plan_lets_all_go_well) {
    FaultPlan none, empty = plan("");
    EXPECT_TRUE(none.is_empty() && empty.is_empty());
    EXPECT_EQ(ask(none, 3), "...");
    EXPECT_EQ(none.ask("server", FaultStage::Asset, "x").to_string(), "none");
}

TEST(FaultPlan, sides_and_rules_are_bounded) {
    FaultPlan faults = plan("[[rule]]\nstage = \"bundle\"\neffect = \"never\"\n");
    for (std::size_t i = 0; i < FaultPlan::kMaxSides; ++i)
        EXPECT_TRUE(faults.ask(fmt::format("client {}", i), FaultStage::Bundle, "x"));
    EXPECT_FALSE(faults.ask("client one too many", FaultStage::Bundle, "x"));
    EXPECT_TRUE(faults.ask("client 7", FaultStage::Bundle, "x"));

    std::string text;
    for (std::size_t i = 0; i <= FaultPlanDef::kMaxRules; ++i)
        text += fmt::format("[[rule]]\nstage = \"bundle\"\nmatch = \"m{}\"\neffect = \"never\"\n", i);
    const Read read = read_plan(text);
    ASSERT_EQ(read.problems.count(), 1u);
    EXPECT_EQ(read.problems.all()[0].code->number, content_code::kListTooLong.number);
}

TEST(FaultPlan, its_codes_are_known) {
    std::set<std::uint16_t> numbers;
    for (const ProblemCode* code : fault_codes()) EXPECT_TRUE(numbers.insert(code->number).second);
    EXPECT_EQ(numbers, (std::set<std::uint16_t>{1201, 1202}));
}

}  // namespace fault_plan_test
}  // namespace lyre
