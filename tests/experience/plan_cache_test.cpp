#include "lyre/experience/detail/plan_cache.h"

#include <deque>
#include <gtest/gtest.h>

#include "tests/experience/playhouse.h"
#include "tests/experience/written.h"

namespace lyre::experience {
namespace plan_cache_test {

using detail::PlanCache;
using features::FeatureError;

// An experience, the features there are, and a cache that is asked for its plan.
struct Counter {
    Counter() {
        for (const char* id : {"core", "chat"}) {
            features::Manifest& manifest = manifests.emplace_back();
            manifest.id = Name(id);
            manifest.version = features::Version::parse("1.0.0").value();
        }
    }
    std::shared_ptr<const ExperiencePlan> plan(const WrittenExperience& written,
                                               NetMode role = NetMode::Standalone) const {
        PlanSource source = more;
        source.experience = written.id;
        source.definition = &written.def;
        source.hash = written.hash;
        features::Catalogue catalogue;
        for (const features::Manifest& manifest : manifests) catalogue.add(manifest);
        const auto refusal = [this](Name id, const std::vector<Name>&) -> std::optional<FeatureError> {
            if (id != refused) return std::nullopt;
            FeatureError error;
            error.feature = id;
            error.code = features::ErrorCode::NotAllowed;
            error.text = "not here";
            return error;
        };
        return cache.plan(source, {catalogue, [](Name) { return 0; }, refusal}, version, role);
    }

    std::deque<features::Manifest> manifests;
    PlanSource more;  // sets, overlays, pawn data
    Name refused;
    std::uint64_t version = 1;
    mutable PlanCache cache;
};

const std::string kTag = "features = [\"core\", { id = \"chat\", need = \"optional\" }]\n[[action]]\nkind = \"a\"\n";

TEST(PlanCache, the_same_contents_are_planned_once_wherever_they_lie) {
    // E-97
    const Counter counter;
    const auto first = counter.plan(WrittenExperience(kTag));
    EXPECT_EQ(counter.plan(WrittenExperience("# the same again, further down\n" + kTag)), first);
    EXPECT_EQ(counter.cache.size(), 1u);
    EXPECT_EQ(first->features.size(), 2u);
    EXPECT_EQ(first->actions.size(), 1u);
}

TEST(PlanCache, whatever_a_plan_depends_on_makes_another_one) {
    // E-97
    Counter counter;
    const WrittenExperience tag(kTag);
    const auto first = counter.plan(tag);
    const auto changed = counter.plan(WrittenExperience(kTag + "[[action]]\nkind = \"b\"\n"));
    EXPECT_EQ(changed->actions.size(), 2u) << "the file says something else now";
    EXPECT_EQ(counter.plan(WrittenExperience(kTag, "chess"))->experience.name, Name("chess"));
    EXPECT_EQ(counter.plan(tag, NetMode::Client)->role, NetMode::Client);

    const WrittenSet set("[[action]]\nkind = \"c\"\n", "yard"), other("[[action]]\nkind = \"d\"\n", "yard");
    counter.more.sets = {{set.id, &set.def, set.hash}};
    EXPECT_EQ(counter.plan(tag)->actions.back().kind, "c");
    counter.more.sets = {{other.id, &other.def, other.hash}};
    EXPECT_EQ(counter.plan(tag)->actions.back().kind, "d") << "a set that was written anew";
    counter.more.overlays = std::exchange(counter.more.sets, {});
    EXPECT_EQ(counter.plan(tag)->overlays.size(), 1u);
    counter.more.overlays.clear();
    counter.more.pawn_hash = 7;
    EXPECT_NE(counter.plan(tag)->content_hash, first->content_hash);
    counter.more.pawn_hash = 0;
    EXPECT_EQ(counter.plan(tag), first);
}

TEST(PlanCache, features_of_another_version_make_all_plans_anew) {
    // E-97
    Counter counter;
    const WrittenExperience tag(kTag);
    counter.plan(WrittenExperience(kTag, "chess"));
    EXPECT_EQ(counter.plan(tag)->features.size(), 2u);
    counter.manifests.pop_back();
    ++counter.version;
    EXPECT_EQ(counter.plan(tag)->features.size(), 1u);
    EXPECT_EQ(counter.cache.size(), 1u);
}

TEST(PlanCache, what_the_actions_of_a_file_come_down_to_is_kept_until_the_file_says_something_else) {
    // E-97, E-53
    detail::ActionLists lists;
    const WrittenExperience tag(kTag), more(kTag + "[[action]]\nkind = \"b\"\n[[action]]\nkind = \"a\"\n");
    const auto first = lists.find_or_make(tag.id, tag.hash, tag.def.actions);
    EXPECT_EQ(lists.find_or_make(tag.id, tag.hash, tag.def.actions), first);
    EXPECT_EQ(first->actions.size(), 1u);
    EXPECT_EQ(lists.find_or_make(more.id, more.hash, more.def.actions)->actions.size(), 3u);  // the plan drops repeats
    EXPECT_NE(lists.find_or_make(tag.id, 0, tag.def.actions), first) << "without a hash";
    EXPECT_EQ(lists.size(), 2u);
    for (std::uint64_t i = 1; i <= detail::ActionLists::kMaxLists; ++i) lists.find_or_make(tag.id, i, tag.def.actions);
    EXPECT_EQ(lists.size(), detail::ActionLists::kMaxLists);
    EXPECT_NE(lists.find_or_make(tag.id, tag.hash, tag.def.actions), first);

    // A plan that is made of what is kept is the one that is made anew.
    Counter counter;
    counter.plan(more);
    ++counter.version;
    const auto again = counter.plan(more);
    const auto fresh = Counter().plan(more);
    ASSERT_EQ(again->actions.size(), 2u);
    for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(again->actions[i].where(), fresh->actions[i].where());
    EXPECT_EQ(again->notes, fresh->notes);
    EXPECT_EQ(again->content_hash, fresh->content_hash);
}

TEST(PlanCache, what_is_refused_in_a_world_is_asked_each_time_and_not_kept) {
    // E-41
    Counter counter;
    const WrittenExperience tag(kTag);
    const auto whole = counter.plan(tag);
    counter.refused = Name("chat");
    const auto without = counter.plan(tag);
    ASSERT_EQ(without->degraded.size(), 1u);
    EXPECT_EQ(without->degraded[0].reason, "not here");
    EXPECT_EQ(without->features.size(), 1u);
    counter.refused = Name("core");
    EXPECT_FALSE(counter.plan(tag)->is_ok());
    counter.refused = {};
    EXPECT_EQ(counter.plan(tag), whole);
    EXPECT_EQ(counter.cache.size(), 1u);
}

TEST(PlanCache, only_those_that_were_wanted_last_are_kept) {
    const Counter counter;
    const WrittenExperience tag(kTag);
    const auto first = counter.plan(tag);
    for (std::size_t i = 0; i < 2 * PlanCache::kMaxPlans; ++i) {
        counter.plan(WrittenExperience(kTag, fmt::format("other{}", i)));
        EXPECT_EQ(counter.plan(tag), first);
    }
    EXPECT_EQ(counter.cache.size(), PlanCache::kMaxPlans);
    for (std::size_t i = 0; i < PlanCache::kMaxPlans; ++i)
        counter.plan(WrittenExperience(kTag, fmt::format("more{}", i)));
    EXPECT_NE(counter.plan(tag), first);
}

TEST(PlanCache, a_host_sees_files_and_manifests_that_were_written_anew) {
    // E-97, E-101
    Playhouse house;
    house.feature("one");
    house.feature("two");
    house.experience("tag", "features = [\"one\"]\n" + note("a"));
    Stage& stage = house.stage();
    const auto play = [&] {
        stage.host().clear_experience("").ignore();
        house.settle();
        house.log();
        stage.host().set_experience("tag").value();
        house.settle();
        EXPECT_TRUE(stage.host().is_experience_loaded()) << stage.host().explain_loading().to_text();
        return stage.host().published().content_hash;
    };
    const std::uint64_t first = play();
    EXPECT_EQ(play(), first);
    EXPECT_NE(house.log().find("tag.a.activating"), std::string::npos);

    house.experience("tag", "features = [\"one\", \"two\"]\n" + note("b"));
    const std::uint64_t second = play();
    EXPECT_NE(second, first);
    EXPECT_NE(house.log().find("tag.b.activating"), std::string::npos);
    EXPECT_EQ(house.features().state(Name("two")), features::FeatureState::Active);

    stage.host().clear_experience("").ignore();
    house.settle();
    house.feature("two", "[[dependency]]\nid = \"three\"\n");
    house.feature("three");
    EXPECT_NE(play(), second);
    EXPECT_EQ(house.features().state(Name("three")), features::FeatureState::Active);
}

}  // namespace plan_cache_test
}  // namespace lyre::experience
