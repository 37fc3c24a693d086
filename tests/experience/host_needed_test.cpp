// What others than the plan need in memory before Loaded is said: who names it, and how long it is held.
#include "tests/experience/playhouse.h"

namespace lyre::experience {
namespace host_needed_test {

assets::PrimaryAssetId thing(std::string_view name) {
    return {Name("thing"), Name(name)};
}

struct HostNeeded : testing::Test {
    HostNeeded() {
        for (const char* name : {"slow", "crate"}) house.thing(name);
        house.experience("tag", note("a"));
        house.experience("other", note("b"));
    }
    Host& host() { return stage.host(); }
    void need(std::vector<assets::PrimaryAssetId> ids) {
        host().need_assets([ids](const ExperienceDefinition&) { return ids; });
    }
    void load(std::string_view id) {
        ASSERT_TRUE(host().set_experience(id).is_ok());
        house.frames(12);
        ASSERT_TRUE(host().is_experience_loaded()) << host().explain_failure().to_text();
    }
    std::string pending() {
        std::string all;
        for (const PendingItem& item : host().explain_loading().pending) all += item.id + " ";
        return all;
    }
    Playhouse house;
    Stage& stage = house.stage();
};

TEST_F(HostNeeded, who_names_what_is_needed_is_given_the_definition_that_was_planned) {
    // E-102, E-32
    house.experience("tag", "title = \"first\"\nassets = [\"thing:crate\"]\n");
    std::string title;
    host().need_assets([&](const ExperienceDefinition& definition) {
        title = definition.title;
        return std::vector<assets::PrimaryAssetId>();
    });
    house.inner.executor.hold("crate");
    ASSERT_TRUE(host().set_experience("tag").is_ok());
    house.frames(6);
    house.experience("tag", "title = \"second\"\nassets = [\"thing:crate\"]\n");
    house.assets().look_for_changes();
    house.frames(6);
    house.inner.executor.release("crate");
    house.frames(6);
    ASSERT_TRUE(host().is_experience_loaded()) << host().explain_failure().to_text();
    EXPECT_EQ(title, "first");
}

TEST_F(HostNeeded, one_who_throws_needs_nothing_and_no_other_host_notices) {
    // E-32, E-54
    Stage& other = house.stage("other");
    host().need_assets([](const ExperienceDefinition&) -> std::vector<assets::PrimaryAssetId> {
        throw std::runtime_error("no data");
    });
    ASSERT_TRUE(host().set_experience("tag").is_ok());
    ASSERT_TRUE(other.host().set_experience("tag").is_ok());
    EXPECT_NO_THROW(house.frames(12));
    EXPECT_TRUE(host().is_experience_loaded());
    EXPECT_TRUE(other.host().is_experience_loaded());
    EXPECT_EQ(house.reports("experience.callback"), 1u);
    const std::string told = house.last_report("experience.callback");
    EXPECT_NE(told.find("host_needed_test.cpp"), std::string::npos) << told;
    EXPECT_NE(told.find("threw: no data"), std::string::npos) << told;
}

TEST_F(HostNeeded, a_set_by_who_names_what_is_needed_supersedes_the_load_that_asks) {
    // E-104, E-100
    std::optional<SetTicket> second;
    host().need_assets([&](const ExperienceDefinition&) {
        if (!second) second = *host().set_experience("other");
        return std::vector<assets::PrimaryAssetId>();
    });
    const SetTicket first = *host().set_experience("tag");
    house.frames(12);
    EXPECT_EQ(first.outcome().to_string(), "Superseded by generation 2");
    ASSERT_TRUE(second);
    EXPECT_EQ(second->outcome().to_string(), "Loaded experience:other");
    EXPECT_EQ(house.trace("arena"), "Loading ExecutingActions Loading Deactivating ExecutingActions Loaded");
}

TEST_F(HostNeeded, who_names_what_is_needed_may_put_another_in_its_place) {
    // E-54, E-60
    const auto kept = std::make_shared<int>(0);
    const std::weak_ptr<int> closure = kept;
    bool was_there = false;
    const auto replace = [&] {
        need({thing("slow")});
        was_there = closure.use_count() > 1;  // besides `kept`
    };
    host().need_assets([kept, &replace](const ExperienceDefinition&) {
        replace();
        return std::vector<assets::PrimaryAssetId>{thing("crate")};
    });
    house.inner.executor.hold("crate");
    ASSERT_TRUE(host().set_experience("tag").is_ok());
    house.frames(12);
    EXPECT_TRUE(was_there) << "what runs is destroyed when it has returned";
    EXPECT_EQ(kept.use_count(), 1);
    EXPECT_TRUE(host().is_experience_loaded()) << "the other one counts from then on";
    EXPECT_NE(house.assets().find<features::Thing>(thing("slow")), nullptr);
}

TEST_F(HostNeeded, it_is_asked_again_also_when_what_it_named_is_there_or_cannot_be) {
    // E-32
    house.experience("tag", "assets = [\"thing:crate\"]\n" + note("a"));
    for (const char* first : {"crate", "nowhere"}) {
        SCOPED_TRACE(first);
        int asked = 0;
        host().need_assets([&](const ExperienceDefinition&) {
            std::vector<assets::PrimaryAssetId> ids{thing(first)};
            if (++asked > 1) ids.push_back(thing("slow"));
            return ids;
        });
        house.inner.executor.hold("slow");
        ASSERT_TRUE(host().set_experience("tag").is_ok());
        house.frames(12);
        EXPECT_EQ(pending(), "thing:" + std::min<std::string>(first, "slow") + " ");
        EXPECT_FALSE(host().is_experience_loaded());
        house.inner.executor.release("slow");
        house.frames(4);
        EXPECT_TRUE(host().is_experience_loaded()) << host().explain_loading().to_text();
        EXPECT_TRUE(host().clear_experience("").is_ok());
        house.frames(4);
    }
}

TEST_F(HostNeeded, one_who_names_another_each_time_is_asked_so_often_at_most_and_ends_the_stage) {
    // E-32, E-100
    house.experience("tag", note("a") + "[limits]\nstage_secs = 2\n");
    int asked = 0;
    host().need_assets([&](const ExperienceDefinition&) {
        return std::vector<assets::PrimaryAssetId>{thing(fmt::format("nowhere{}", ++asked))};
    });
    ASSERT_TRUE(host().set_experience("tag").is_ok());
    int most = 0;
    for (int i = 0; i < 400 && host().state() != LoadState::Failed; ++i) {
        const int before = asked;
        house.frame();
        most = std::max(most, asked - before);
    }
    EXPECT_EQ(host().state(), LoadState::Failed) << host().explain_loading().to_text();
    EXPECT_GT(most, 1);
    EXPECT_LT(most, 100);
}

TEST_F(HostNeeded, of_a_list_without_end_so_many_are_loaded_and_that_is_told) {
    // E-32
    std::vector<assets::PrimaryAssetId> ids;
    for (std::size_t i = 0; i <= kMaxAssets; ++i) ids.push_back(thing(fmt::format("t{}", i)));
    need(ids);
    load("tag");
    EXPECT_EQ(house.reports("experience.needed"), 1u);
    const std::string told = house.last_report("experience.needed");
    EXPECT_NE(told.find("65537 assets are named as needed"), std::string::npos) << told;
    EXPECT_NE(told.find("host_needed_test.cpp"), std::string::npos) << told;
}

TEST_F(HostNeeded, what_code_of_a_feature_says_is_needed_goes_with_the_feature) {
    // F-72, F-74
    house.feature("ball", note("n"));
    house.experience("tag", "features = [\"ball\"]\n");
    const auto kept = std::make_shared<int>(0);
    int asked = 0;
    story().at = [&](const std::string& line, features::ActionContext*) {
        if (line == "ball.n.activating(arena)")
            host().need_assets([kept, &asked](const ExperienceDefinition&) {
                ++asked;
                return std::vector<assets::PrimaryAssetId>{thing("slow")};
            });
        return Status::ok();
    };
    load("tag");
    EXPECT_GT(asked, 0);
    const auto ledger = house.features().ledger(Name("ball"));
    const auto entry = std::find_if(ledger.begin(), ledger.end(), [](const features::LedgerEntry& one) {
        return one.kind == features::LedgerKind::Subscription;
    });
    ASSERT_NE(entry, ledger.end());
    EXPECT_NE(entry->place.find("host_needed_test.cpp"), std::string::npos) << entry->place;
    load("other");
    asked = 0;
    EXPECT_EQ(kept.use_count(), 1);
    EXPECT_EQ(house.reports("feature.left_behind"), 1u);
    ASSERT_TRUE(host().set_experience("other", {.reload = true}).is_ok());
    house.frames(12);
    EXPECT_TRUE(host().is_experience_loaded());
    EXPECT_EQ(asked, 0);
}

TEST_F(HostNeeded, what_a_load_needed_is_not_waited_for_by_the_next) {
    // E-115, E-99, E-43
    house.experience("other", "assets = [\"thing:crate\"]\n" + note("b"));
    need({thing("slow")});
    house.inner.executor.hold("slow");
    house.inner.executor.hold("crate");
    ASSERT_TRUE(host().set_experience("tag").is_ok());
    house.frames(12);
    EXPECT_EQ(pending(), "thing:slow ");
    need({});
    ASSERT_TRUE(host().set_experience("other").is_ok());
    house.frames(12);
    EXPECT_EQ(pending(), "thing:crate ");
    EXPECT_EQ(house.assets().state(thing("slow")), assets::AssetState::Absent);
}

TEST(HostNeededBack, what_is_loaded_keeps_what_it_needs_when_another_cannot_be_loaded) {
    //
    FaultRule slowly;
    slowly.stage = FaultStage::Definition;
    slowly.match = "experience:tag";
    slowly.effect = FaultEffect::Delay;
    slowly.seconds = 0.1;
    Playhouse house(std::make_shared<FaultPlan>(FaultPlanDef{{slowly}}, 1));
    house.thing("slow");
    house.experience("tag", note("a"));
    house.experience("bad", "assets = [\"thing:nowhere\"]\n" + note("b"));
    Host& host = house.stage().host();
    host.need_assets([](const ExperienceDefinition&) { return std::vector<assets::PrimaryAssetId>{thing("slow")}; });
    ASSERT_TRUE(host.set_experience("tag").is_ok());
    house.frames(20);
    ASSERT_TRUE(host.is_experience_loaded()) << host.explain_failure().to_text();
    house.inner.executor.hold("slow");  // it could not be loaded again
    house.log();
    const SetTicket ticket = *host.set_experience("bad", {.failure = Host::to_previous()});
    house.frames(4);
    EXPECT_EQ(host.state(), LoadState::Loading) << "on its way back";
    EXPECT_EQ(house.assets().state(thing("slow")), assets::AssetState::There);
    house.frames(20);
    EXPECT_EQ(ticket.outcome().kind, SetOutcome::Kind::FellBack) << ticket.outcome().to_string();
    EXPECT_TRUE(host.is_experience_loaded()) << host.explain_loading().to_text();
    EXPECT_EQ(house.log(), "");
}

TEST_F(HostNeeded, a_switch_keeps_what_both_need) {
    //
    house.feature("ball", note("n", "asset = \"crate\""));
    house.experience("other", "features = [\"ball\"]\n" + note("b"));
    need({thing("slow")});
    load("tag");
    house.inner.executor.hold("slow");
    house.inner.executor.hold("crate");
    ASSERT_TRUE(host().set_experience("other").is_ok());
    house.frames(6);
    EXPECT_EQ(pending(), "ball ");
    house.inner.executor.release("crate");
    house.frames(12);
    EXPECT_TRUE(host().is_experience_loaded()) << host().explain_loading().to_text();
    need({});
    load("tag");
    house.frames(4);
    EXPECT_EQ(house.assets().state(thing("slow")), assets::AssetState::Absent) << "nobody needs it any more";
}

TEST_F(HostNeeded, a_reload_leaves_what_was_needed_too) {
    // E-103, E-82
    need({thing("slow")});
    load("tag");
    house.experience("tag", "assets = [\"thing:crate\"]\n" + note("a"));
    house.assets().look_for_changes();
    house.frames(4);
    house.inner.executor.hold("crate");
    ASSERT_TRUE(host().set_experience("tag", {.reload = true}).is_ok());
    house.frames(12);
    EXPECT_EQ(pending(), "thing:crate ");
    EXPECT_EQ(house.assets().state(thing("slow")), assets::AssetState::Absent);
    house.inner.executor.release("crate");
    house.frames(12);
    EXPECT_TRUE(host().is_experience_loaded());
    EXPECT_NE(house.assets().find<features::Thing>(thing("slow")), nullptr);
    EXPECT_TRUE(host().clear_experience("").is_ok());
    house.frames(4);
    EXPECT_EQ(house.held(), "");
}

}  // namespace host_needed_test
}  // namespace lyre::experience
