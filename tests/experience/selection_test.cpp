#include "lyre/experience/selection.h"

#include <gtest/gtest.h>
#include <stdexcept>

#include "lyre/core/virtual_files.h"

namespace lyre::experience {
namespace selection_test {

struct Written {
    std::string title{};
    static void describe(TypeBuilder<Written>& t) { t.property("title", &Written::title); }
};

class SelectionTest : public ::testing::Test {
protected:
    SelectionTest() {
        EXPECT_TRUE(types.add<Written>("experience"));
        EXPECT_TRUE(types.add<Written>("map"));
        for (const char* name : {"arena", "tag", "e0", "e1", "e2", "e3", "e4", "e5", "e6"})
            files.write(fmt::format("content/{}.experience.toml", name), "title = \"a\"\n");
        files.write("content/yard.map.toml", "title = \"a\"\n");
        EXPECT_TRUE(registry.add_folder("content", Name("project")));
    }
    SelectionReport select(const SelectionSources& sources) const { return select_experience(sources, registry); }

    TypeRegistry described;
    assets::ContentTypes types{described};
    VirtualFiles files;
    assets::AssetRegistry registry{types, files};
};

std::string& text_of(SelectionSources& sources, Source source) {
    switch (source) {
        case Source::UrlOptions:
            return sources.url_experience;
        case Source::DeveloperSettings:
            return sources.developer;
        case Source::CommandLine:
            return sources.command_line;
        case Source::WorldSettings:
            return sources.world_settings;
        case Source::DedicatedServer:
            return sources.dedicated_server;
        default:
            return sources.project_default;
    }
}

void say(SelectionSources& sources, Source source, std::string value) {
    if (source == Source::Assignment)
        sources.assignment = [value] { return value; };
    else
        text_of(sources, source) = std::move(value);
}

const SourceAnswer& answer(const SelectionReport& report, Source source) {
    return report.answers.at(static_cast<std::size_t>(source));
}

TEST_F(SelectionTest, the_url_beats_the_level_and_the_report_says_why) {
    // E-08, X-28
    const SelectionReport report = select({.assignment = [] { return std::string(); },
                                           .url_experience = "tga",
                                           .world_settings = "tag",
                                           .project_default = "arena"});
    EXPECT_EQ(report.experience.to_string(), "experience:tag");
    EXPECT_EQ(report.to_text(),
              "experience:tag, chosen by WorldSettings, the first to name one\n"
              "  Assignment         no opinion\n"
              "  UrlOptions         \"tga\": unknown; did you mean \"experience:tag\"?\n"
              "  DeveloperSettings  no opinion\n"
              "  CommandLine        no opinion\n"
              "  WorldSettings      \"tag\": used\n"
              "  DedicatedServer    no opinion\n"
              "  ProjectDefault     \"arena\": outranked\n");
}

TEST_F(SelectionTest, of_any_subset_of_sources_the_highest_wins) {
    // E-08, X-28
    for (unsigned subset = 0; subset < 128; ++subset) {
        SelectionSources sources;
        std::optional<Source> highest;
        for (unsigned i = 0; i < kSources; ++i) {
            if ((subset >> i & 1) == 0) continue;
            say(sources, static_cast<Source>(i), fmt::format("e{}", i));
            if (!highest) highest = static_cast<Source>(i);
        }
        const SelectionReport report = select(sources);
        EXPECT_EQ(report.winner, highest) << subset;
        EXPECT_EQ(report.experience.is_none(), !highest);
        ASSERT_EQ(report.answers.size(), kSources);
        for (unsigned i = 0; i < kSources; ++i) {
            const SourceAnswer& one = report.answers[i];
            const bool has_opinion = (subset >> i & 1) != 0;
            EXPECT_EQ(one.source, static_cast<Source>(i));
            EXPECT_EQ(one.value, has_opinion ? fmt::format("e{}", i) : "");
            EXPECT_EQ(one.verdict, !has_opinion                        ? Verdict::NoOpinion
                                   : highest == static_cast<Source>(i) ? Verdict::Used
                                                                       : Verdict::Outranked);
        }
        if (highest) {
            EXPECT_EQ(report.experience.to_string(), fmt::format("experience:e{}", static_cast<int>(*highest)));
        }
    }
}

TEST_F(SelectionTest, unknown_ones_of_any_subset_are_passed_over) {
    // E-08, E-12
    for (unsigned subset = 0; subset < 128; ++subset) {
        SelectionSources sources;
        std::optional<Source> highest;
        for (unsigned i = 0; i < kSources; ++i) {
            const bool is_known = (subset >> i & 1) != 0;
            say(sources, static_cast<Source>(i), is_known ? fmt::format("e{}", i) : "nobody_knows_this");
            if (is_known && !highest) highest = static_cast<Source>(i);
        }
        const SelectionReport report = select(sources);
        EXPECT_EQ(report.winner, highest);
        EXPECT_EQ(report.unknown().size(), highest ? static_cast<std::size_t>(*highest) : kSources);
    }
}

TEST_F(SelectionTest, a_name_is_written_with_or_without_its_type) {
    // E-10
    for (unsigned i = 0; i < kSources; ++i) {
        const auto source = static_cast<Source>(i);
        for (const char* form : {"tag", "experience:tag"}) {
            SelectionSources sources;
            say(sources, source, form);
            EXPECT_EQ(select(sources).experience.to_string(), "experience:tag") << to_string(source);
        }
        SelectionSources other;
        say(other, source, "map:yard");
        const SelectionReport report = select(other);
        EXPECT_TRUE(report.experience.is_none());
        EXPECT_EQ(answer(report, source).verdict, Verdict::Unknown);
        EXPECT_EQ(answer(report, source).note, "it is of type \"map\"");
    }
}

TEST_F(SelectionTest, an_unknown_one_is_reported_with_the_nearest_and_the_next_is_asked) {
    // E-12
    const SelectionReport report = select({.url_experience = "experience:arenas", .world_settings = "tag"});
    EXPECT_EQ(report.winner, Source::WorldSettings);
    ASSERT_EQ(report.unknown().size(), 1u);
    EXPECT_EQ(report.unknown()[0]->nearest, "experience:arena");
    EXPECT_EQ(report.unknown()[0]->to_text(),
              "UrlOptions: \"experience:arenas\" is unknown; did you mean \"experience:arena\"?");
}

TEST_F(SelectionTest, a_level_without_a_wish_has_no_opinion) {
    // E-13
    EXPECT_EQ(answer(select({}), Source::WorldSettings).verdict, Verdict::NoOpinion);
    EXPECT_EQ(answer(select({.world_settings = "arne"}), Source::WorldSettings).verdict, Verdict::Unknown);
    EXPECT_EQ(answer(select({.world_settings = "arena"}), Source::WorldSettings).verdict, Verdict::Used);
}

TEST_F(SelectionTest, developer_settings_do_not_apply_in_other_builds) {
    // E-08
    const SelectionReport report = select({.developer = "tag", .project_default = "arena", .is_development = false});
    EXPECT_EQ(report.winner, Source::ProjectDefault);
    EXPECT_EQ(answer(report, Source::DeveloperSettings).verdict, Verdict::NotApplicable);
    EXPECT_EQ(answer(report, Source::DeveloperSettings).note, "not a development build");
}

TEST_F(SelectionTest, without_any_answer_the_list_of_sources_is_complete) {
    // E-17
    const SelectionReport report = select({.command_line = "no such thing"});
    EXPECT_TRUE(report.experience.is_none());
    EXPECT_FALSE(report.winner);
    EXPECT_EQ(report.to_text(),
              "no source gives a known experience\n"
              "  Assignment         no opinion\n"
              "  UrlOptions         no opinion\n"
              "  DeveloperSettings  no opinion\n"
              "  CommandLine        \"no such thing\": unknown\n"
              "  WorldSettings      no opinion\n"
              "  DedicatedServer    no opinion\n"
              "  ProjectDefault     no opinion\n");
}

TEST_F(SelectionTest, an_assignment_that_throws_has_no_opinion_and_is_asked_once) {
    // E-08
    int asked = 0;
    const SelectionReport report = select({.assignment = [&]() -> std::string {
                                               ++asked;
                                               throw std::runtime_error("matchmaker is down");
                                           },
                                           .project_default = "tag"});
    EXPECT_EQ(asked, 1);
    EXPECT_EQ(report.winner, Source::ProjectDefault);
    EXPECT_EQ(answer(report, Source::Assignment).verdict, Verdict::NoOpinion);
    EXPECT_EQ(answer(report, Source::Assignment).note, "it threw: \"matchmaker is down\"");
    EXPECT_NE(report.to_text().find("no opinion (it threw: \"matchmaker is down\")"), std::string::npos);
}

TEST_F(SelectionTest, text_from_outside_is_neither_interned_nor_printed_whole) {
    // E-12
    const std::string hostile = "experience:" + std::string(10'000, 'x') + "\n\x1b[31m";
    const SelectionReport first = select({.url_experience = hostile});
    const auto names = Name::count();
    const SelectionReport report = select({.url_experience = hostile + "2", .command_line = "never_heard_of_it_e12"});
    EXPECT_EQ(Name::count(), names);
    EXPECT_LT(report.to_text().size(), 1000u);
    EXPECT_EQ(report.to_text().find('\x1b'), std::string::npos);
    for (const char* odd : {":", "experience:", ":tag", "experience:tag:x", "none", " tag", "Tag", "tag\n"})
        EXPECT_EQ(answer(select({.url_experience = odd}), Source::UrlOptions).verdict, Verdict::Unknown) << odd;
}

TEST(ExperienceOption, it_is_found_among_the_options_of_a_request) {
    // E-08
    const std::pair<const char*, const char*> table[] = {
        {"", ""},
        {"?", ""},
        {"?Experience=tag", "tag"},
        {"Experience=tag", "tag"},
        {"?Experience=experience:tag?NumBots=3", "experience:tag"},
        {"?NumBots=3?DemoRec?experience=tag?", "tag"},
        {"?Experience=", ""},
        {"?Experience", ""},
        {"?NumBots=Experience=tag", ""},
        {"?TheExperience=tag", ""},
        {"?Experience=a=b", "a=b"},
        {"??Experience=tag??", "tag"},
    };
    for (const auto& [options, expected] : table) {
        const auto value = experience_option(options);
        ASSERT_TRUE(value) << options;
        EXPECT_EQ(*value, expected) << options;
    }
}

TEST(ExperienceOption, what_is_ambiguous_or_hostile_is_refused) {
    // E-08
    EXPECT_EQ(experience_option("?Experience=a?Experience=b").status().text(),
              "Experience stands twice in the options of the request, as \"a\" and \"b\"");
    EXPECT_FALSE(experience_option("?Experience=a\n"));
    EXPECT_FALSE(experience_option(std::string("?Experience=a\0", 14)));
    EXPECT_FALSE(experience_option(std::string(kMaxUrlOptions + 1, '?')));
}

}  // namespace selection_test
}  // namespace lyre::experience
