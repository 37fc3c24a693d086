// Loading anew what is there already: an experience, a feature below it, the file of a definition.
#include "tests/experience/playhouse.h"

namespace lyre::experience {
namespace host_reload_test {

using features::FeatureState;

struct HostReload : testing::Test {
    Host& host() { return stage.host(); }
    void set(std::string_view id, const SetOptions& options = {}) {
        ASSERT_TRUE(host().set_experience(id, options).is_ok());
        house.settle(12);
        ASSERT_TRUE(host().is_experience_loaded()) << host().explain_failure().to_text();
    }
    bool is_there(std::string_view thing) {
        return house.assets().state({Name("thing"), Name(thing)}) == assets::AssetState::There;
    }
    bool has_taken(std::string_view line) {
        const auto all = host().taken();
        return std::find(all.begin(), all.end(), line) != all.end();
    }
    bool is_pending(std::string_view id) {
        const auto all = host().explain_loading().pending;
        return std::any_of(all.begin(), all.end(), [&](const PendingItem& one) { return one.id == id; });
    }
    // A feature that brings a kind of action and asks for time when it leaves a world.
    void slow_feature() {
        static const features::ModuleEntry entry =
            features::linked_entry("foreign", "1.0.0", [](features::Registrar& feature) { feature.type<Foreign>(); });
        ASSERT_TRUE(house.inner.modules.add(entry).is_ok());
        house.feature("foreign", "[module]\nname = \"foreign\"\n" + note("f", "pauses = true"));
        house.experience("a", "features = [\"foreign\"]\n" + note("x"));
        house.experience("b", "features = [\"foreign\"]\n" + note("x"));
        house.experience("kind", "features = [\"foreign\"]\n[[action]]\nkind = \"foreign\"\nlabel = \"own\"\n");
    }
    void all_is_taken_back() {
        story() = {};
        EXPECT_TRUE(host().clear_experience("").is_ok());
        house.settle(12);
        story().tokens.clear();
        house.settle(12);
        EXPECT_EQ(house.held(), "");
    }
    Playhouse house;
    Stage& stage = house.stage();
};

TEST_F(HostReload, actions_have_their_assets_whatever_was_there_before) {
    // E-103, E-06, E-50, E-32
    house.thing("crate");
    house.experience("plain", note("p"));
    house.experience("tag", note("p") + note("a", "asset = \"crate\""));
    set("tag", {.reload = true});  // there is nothing to leave
    EXPECT_TRUE(is_there("crate"));
    EXPECT_TRUE(has_taken("asset thing:crate"));
    EXPECT_EQ(house.trace("arena"), "Loading ExecutingActions Loaded");
    set("tag", {.reload = true});
    EXPECT_TRUE(has_taken("asset thing:crate"));
    set("plain");
    EXPECT_FALSE(is_there("crate"));
    set("tag", {.reload = true});
    EXPECT_TRUE(is_there("crate"));
    EXPECT_TRUE(has_taken("asset thing:crate"));
    all_is_taken_back();
}

TEST_F(HostReload, an_action_that_was_written_meanwhile_has_its_assets) {
    // E-103, E-06
    house.thing("crate");
    house.experience("tag", note("a"));
    set("tag");
    house.experience("tag", note("b", "asset = \"crate\""));
    house.assets().look_for_changes();
    house.settle();
    set("tag", {.reload = true});
    EXPECT_TRUE(is_there("crate"));
    EXPECT_TRUE(has_taken("asset thing:crate"));
    EXPECT_NE(house.log().find("tag.b.activating"), std::string::npos);
    all_is_taken_back();
}

TEST_F(HostReload, all_is_left_before_anything_is_asked_for) {
    // E-103, X-07
    house.thing("crate");
    house.experience("tag", note("a"));
    house.experience("other", "assets = [\"thing:crate\"]\n" + note("b", "asset = \"crate\""));
    set("tag");
    house.inner.executor.hold("crate");
    house.log();
    ASSERT_TRUE(host().set_experience("other", {.reload = true}).is_ok());
    house.settle(12);
    EXPECT_EQ(house.log(), "tag.a.deactivating(arena) tag.a.unloading tag.a.unregistering");
    EXPECT_TRUE(is_pending("thing:crate"));
    house.inner.executor.release("crate");
    house.settle(12);
    EXPECT_TRUE(host().is_experience_loaded());
    all_is_taken_back();
}

TEST_F(HostReload, a_retry_has_nothing_to_leave) {
    // E-111, E-32, E-103
    house.experience("tag", note("a") + "[failure]\npolicy = \"retry\"\nattempts = 2\ndelay_secs = 1.0\n");
    int fails = 1;
    story().at = [&](const std::string& line, features::ActionContext*) {
        return line == "tag.a.loading" && fails-- > 0 ? Status::failed("not yet") : Status::ok();
    };
    ASSERT_TRUE(host().set_experience("tag", {.reload = true}).is_ok());
    house.settle(8);
    house.frame(1.1);
    house.settle(8);
    EXPECT_EQ(house.trace("arena"), "Loading ExecutingActions Deactivating Failed Loading ExecutingActions Loaded");
}

TEST_F(HostReload, a_feature_that_is_being_reloaded_is_not_there_for_a_switch) {
    // E-42, E-120
    slow_feature();
    for (const char* to : {"b", "kind"}) {
        set("a");
        house.features().reload(Name("foreign"));
        ASSERT_TRUE(host().set_experience(to).is_ok());
        house.settle(12);
        EXPECT_EQ(host().state(), LoadState::LoadingGameFeatures) << host().explain_failure().to_text();
        EXPECT_TRUE(is_pending("foreign"));
        story().tokens.clear();  // now it can go down, and comes back
        house.settle(12);
        EXPECT_TRUE(host().is_experience_loaded()) << host().explain_failure().to_text();
        EXPECT_TRUE(house.features().is_attached(Name("foreign"), stage.world()));
        EXPECT_EQ(house.log().find("kind.own.activating") != std::string::npos, std::string_view(to) == "kind");
        all_is_taken_back();
    }
}

TEST_F(HostReload, a_feature_whose_new_version_does_not_come_up_is_waited_for_until_the_old_one_is_back) {
    // E-42, X-119
    slow_feature();
    for (const char* to : {"b", "kind"}) {
        set("a");
        house.features().reload(Name("foreign"));
        ASSERT_TRUE(host().set_experience(to).is_ok());
        house.settle(12);
        ASSERT_EQ(host().state(), LoadState::LoadingGameFeatures) << host().explain_failure().to_text();
        int fails = 1;
        story().at = [&](const std::string& line, features::ActionContext*) {
            return line == "foreign.f.loading" && fails-- > 0 ? Status::failed("bent") : Status::ok();
        };
        story().tokens.clear();
        house.settle(16);
        EXPECT_TRUE(host().is_experience_loaded()) << host().explain_failure().to_text();
        EXPECT_TRUE(house.features().is_attached(Name("foreign"), stage.world()));
        EXPECT_LT(fails, 0) << "it was tried again";
        all_is_taken_back();
    }
}

TEST_F(HostReload, a_feature_that_goes_down_while_others_come_is_waited_for) {
    // E-42, X-119
    slow_feature();
    house.thing("crate");
    house.feature("other", note("o", "asset = \"crate\""));
    house.experience("both", "features = [\"foreign\", \"other\"]\n");
    set("a");
    house.inner.executor.hold("crate");
    ASSERT_TRUE(host().set_experience("both").is_ok());
    house.settle(12);
    ASSERT_EQ(host().state(), LoadState::LoadingGameFeatures);
    house.features().reload(Name("foreign"));
    house.settle(4);
    house.inner.executor.release("crate");
    house.settle(12);
    EXPECT_EQ(host().state(), LoadState::LoadingGameFeatures);
    EXPECT_TRUE(is_pending("foreign"));
    story().tokens.clear();
    house.settle(12);
    EXPECT_TRUE(host().is_experience_loaded()) << host().explain_failure().to_text();
    EXPECT_TRUE(house.features().is_attached(Name("foreign"), stage.world()));
    all_is_taken_back();
}

TEST_F(HostReload, a_feature_that_is_asked_for_again_has_a_span_for_each_time) {
    // E-42
    slow_feature();
    house.thing("crate");
    house.feature("other", note("o", "asset = \"crate\""));
    house.experience("both", "features = [\"foreign\", \"other\"]\n");
    house.inner.executor.hold("crate");
    ASSERT_TRUE(host().set_experience("both").is_ok());
    house.settle(12);
    house.features().reload(Name("foreign"));
    house.settle(4);
    house.inner.executor.release("crate");
    house.settle(12);
    ASSERT_TRUE(is_pending("foreign"));
    house.frame(3);
    story().tokens.clear();
    house.settle(12);
    ASSERT_TRUE(host().is_experience_loaded()) << host().explain_failure().to_text();
    std::vector<std::int64_t> lengths;
    for (const Span& span : host().timeline()->spans())
        if (span.kind == SpanKind::Feature && host().timeline()->id_of(span) == "foreign")
            lengths.push_back(span.length_us);
    ASSERT_EQ(lengths.size(), 2u);
    EXPECT_LT(lengths[0], 1'000'000);
    EXPECT_GE(lengths[1], 3'000'000);
    all_is_taken_back();
}

TEST_F(HostReload, a_required_feature_that_a_reload_has_lost_fails_the_next_switch_or_comes_with_it) {
    // E-108
    house.feature("core", note("c"));
    house.experience("a", "features = [\"core\"]\n" + note("x"));
    house.experience("b", "features = [\"core\"]\n" + note("x"));
    for (const bool is_well_again : {false, true}) {
        set("a");
        story().at = [](const std::string& line, features::ActionContext*) {
            return line == "core.c.loading" ? Status::failed("broken") : Status::ok();
        };
        house.features().reload(Name("core"));
        house.settle(8);
        EXPECT_NE(house.features().state(Name("core")), FeatureState::Active);
        EXPECT_TRUE(host().is_experience_loaded()) << "nobody has told it";
        if (is_well_again) story() = {};
        ASSERT_TRUE(host().set_experience("b").is_ok());
        house.settle(12);
        EXPECT_EQ(host().is_experience_loaded(), is_well_again);
        EXPECT_EQ(house.features().is_attached(Name("core"), stage.world()), is_well_again);
        if (!is_well_again) {
            EXPECT_EQ(host().failure().code, CauseCode::FeatureFailed);
            EXPECT_EQ(host().failure().feature, Name("core"));
        }
        all_is_taken_back();
    }
}

TEST_F(HostReload, a_file_that_is_read_again_in_the_middle_of_a_load_counts_with_the_next) {
    // E-01, E-62, E-101
    house.thing("crate");
    house.thing("barrel");
    house.feature("core", note("c", "asset = \"crate\""));
    house.experience("tag", "title = \"Tag\"\nfeatures = [\"core\"]\n" + note("a"));
    house.inner.executor.hold("crate");
    ASSERT_TRUE(host().set_experience("tag").is_ok());
    house.settle(8);
    ASSERT_EQ(host().state(), LoadState::LoadingGameFeatures);
    house.experience("tag", "title = \"Other\"\nfeatures = [\"core\"]\nassets = [\"thing:barrel\"]\n" + note("a"));
    house.assets().look_for_changes();
    house.settle(8);
    house.inner.executor.release("crate");
    std::string told;
    CallbackHandle loaded = host().call_or_register_on_experience_loaded(
        Priority::High, {}, [&](const ExperienceDefinition& definition) { told = definition.title; });
    house.settle(8);
    ASSERT_TRUE(host().is_experience_loaded());
    EXPECT_EQ((*host().current_experience())->title, "Tag") << "it is what was planned, published and loaded";
    EXPECT_EQ(told, "Tag");
    set("tag", {.reload = true});
    EXPECT_EQ((*host().current_experience())->title, "Other");
    EXPECT_TRUE(is_there("barrel"));
}

TEST_F(HostReload, a_file_that_is_read_again_before_there_is_a_plan_is_the_one_that_counts) {
    // E-01, E-33, E-101
    house.action_set("first", note("f"));
    house.action_set("second", note("s"));
    house.experience("tag", "title = \"Tag\"\naction_sets = [\"first\"]\n");
    house.inner.executor.hold("first");
    ASSERT_TRUE(host().set_experience("tag").is_ok());
    house.settle(8);
    ASSERT_EQ(host().state(), LoadState::Loading);
    house.experience("tag", "title = \"Other\"\naction_sets = [\"second\"]\n[limits]\nstage_secs = 7\n");
    house.assets().look_for_changes();
    house.settle(8);
    house.inner.executor.release("first");
    house.settle(8);
    ASSERT_TRUE(host().is_experience_loaded()) << host().explain_failure().to_text();
    EXPECT_EQ((*host().current_experience())->title, "Other");
    EXPECT_EQ(house.log(), "tag.s.registering tag.s.loading tag.s.activating(arena) tag.s.activated(arena)");
}

}  // namespace host_reload_test
}  // namespace lyre::experience
