// What goes when everything ends, in whatever order and from wherever; and what there is room for.
#include "lyre/features/features.h"

#include "tests/features/household.h"

namespace lyre::features {
namespace ends_test {

const Name kTag("tag"), kCore("core"), kBots("bots");

struct Beast : Actor {
    using Described = Beast;
    static void describe(TypeBuilder<Beast>& t) { t.parent<Actor>(); }
};
struct Wolf : Beast {
    using Described = Wolf;
    static void describe(TypeBuilder<Wolf>& t) { t.parent<Beast>(); }
};
const ModuleEntry kBeasts = linked_entry("beasts", "1.0.0", [](Registrar& feature) { feature.type<Beast>(); });
const ModuleEntry kWolves = linked_entry("wolves", "1.0.0", [](Registrar& feature) { feature.type<Wolf>(); });
// By id, and so by rank, it is the other way round.
const ModuleEntry kZoo = linked_entry("zoo", "1.0.0", [](Registrar& feature) { feature.type<Beast>(); });
const ModuleEntry kAlps = linked_entry("alps", "1.0.0", [](Registrar& feature) { feature.type<Wolf>(); });

std::string module_of(std::string_view name) {
    return fmt::format("[module]\nname = \"{}\"\n", name);
}

TEST(FeaturesEnd, classes_derived_across_features_go_before_those_they_come_from_though_no_manifest_says_so) {
    // X-120, F-76
    const std::pair<const ModuleEntry*, const ModuleEntry*> kPairs[] = {{&kBeasts, &kWolves}, {&kZoo, &kAlps}};
    for (const auto& [base, derived] : kPairs) {
        Household house;
        ASSERT_TRUE(house.modules.add(*base).is_ok());
        ASSERT_TRUE(house.modules.add(*derived).is_ok());
        house.write(base->feature, module_of(base->feature));
        house.write(derived->feature, module_of(derived->feature));
        house.discover();
        World& world = house.world();
        house.features().activate(Name(base->feature), house.told("base"));
        house.features().activate(Name(derived->feature), house.told("derived"));
        EXPECT_EQ(house.said(), "base ok, derived ok");
        ASSERT_TRUE(world.spawn("Wolf").is_ok());
        house.close();
        EXPECT_EQ(world.actor_count(), 0u);
        EXPECT_EQ(house.modules.open_count(), 0u) << base->feature;
        EXPECT_EQ(house.runtime.types().find(Name("Beast")), nullptr);
        EXPECT_EQ(house.runtime.types().find(Name("Wolf")), nullptr);
        EXPECT_EQ(house.reports("feature.left_behind") + house.reports("feature.resident"), 0u);
    }
}

TEST(FeaturesEnd, features_that_end_inside_the_end_of_a_world_close_their_code) {
    // F-69, F-82, X-120
    for (const std::string where : {"deactivating(arena)", "told", "world_detached"}) {
        SCOPED_TRACE(where);
        Household house;
        static const ModuleEntry kModule =
            linked_entry("tag", "1.0.0", [](Registrar& feature) { feature.tag("Tag.It"); });
        ASSERT_TRUE(house.modules.add(kModule).is_ok());
        house.write("tag", note_action("t") + module_of("tag"));
        house.discover();
        World& world = house.world("arena");
        Observer observer("o");
        const ObserverHandle watching = house.features().add_observer(observer);
        FeatureHold hold = house.features().acquire(kTag, world.owner(), Destination::Active);
        EXPECT_EQ(house.state("tag"), "Active");
        story().at = [&](const std::string& line, ActionContext*) {
            if (line.find(where) != std::string::npos && house.is_open()) house.close();
            return Status::ok();
        };
        Connection last;
        if (where == "told") last = house.runtime.world_ended.add([&](World&) { house.close(); });
        house.games.clear();
        EXPECT_FALSE(house.is_open());
        EXPECT_EQ(house.modules.open_count(), 0u);
        EXPECT_EQ(house.runtime.tags().find("Tag.It").is_ok(), false);
        EXPECT_EQ(house.reports("feature.resident"), 0u);
    }
}

TEST(FeaturesEnd, code_that_cannot_be_closed_because_a_world_goes_on_is_told) {
    // F-69
    Household house;
    static const ModuleEntry kModule = linked_entry("tag", "1.0.0", [](Registrar&) {});
    ASSERT_TRUE(house.modules.add(kModule).is_ok());
    house.write("tag", module_of("tag"));
    house.discover();
    World& world = house.world("arena");
    house.features().activate(kTag);
    world.timers().after(0, [&] { house.close(); });
    world.tick();
    EXPECT_FALSE(house.is_open());
    EXPECT_EQ(house.modules.open_count(), 1u);
    EXPECT_EQ(house.reports("feature.resident"), 1u);
}

TEST(FeaturesEnd, a_world_closed_in_its_own_activating_hook_is_answered_as_gone) {
    // F-82
    Household house;
    house.write("tag", note_action("t"));
    house.discover();
    story().at = [&](const std::string& line, ActionContext*) {
        if (line == "tag.t.activating(arena)") house.games[0]->close_world();
        return Status::ok();
    };
    World& world = house.world("arena");
    FeatureHold hold = house.features().acquire(kTag, world.owner(), Destination::Active, house.told("arena"));
    house.frames(3);
    EXPECT_EQ(house.said(), "arena WorldGone") << house.last_error.to_string();
    EXPECT_FALSE(hold.is_held());
    EXPECT_EQ(house.state("tag"), "Installed");
}

TEST(FeaturesEnd, a_second_features_in_one_runtime_says_so_to_everybody_and_takes_nothing_from_the_first) {
    // F-48, F-49
    Household house;
    house.write("tag");
    house.discover();
    EXPECT_TRUE(house.features().status().is_ok());
    {
        Features second({house.runtime, house.assets, house.files, house.modules, nullptr, {}});
        EXPECT_EQ(second.status().code(), StatusCode::Refused);
        EXPECT_NE(second.status().text().find("one runtime, one Features"), std::string::npos);
        const Problems problems = second.discover("features");
        ASSERT_EQ(problems.all().size(), 1u);
        EXPECT_EQ(problems.all()[0].text, second.status().text());
        second.install("file:features/tag", house.told("install"));
        second.activate(kTag, house.told("activate"));
        second.start();
        second.update();
        FeatureHold hold = second.acquire(kTag, Owner::process(), Destination::Active, house.told("acquire"));
        EXPECT_FALSE(hold.is_held());
        EXPECT_EQ(house.said(), "install GoalRefused, activate GoalRefused, acquire GoalRefused");
        EXPECT_EQ(house.last_error.text, second.status().text());
        EXPECT_TRUE(second.known().empty());
    }
    EXPECT_EQ(house.reports("feature.second"), 1u);
    EXPECT_EQ(house.runtime.console().execute("feature.activate tag").text, "tag: Active");
    EXPECT_TRUE(house.runtime.variables().describe("lyre.features.VerifyUnload").is_ok());
    house.close();
    house.open();  // the next one is the only one
    EXPECT_TRUE(house.features().status().is_ok());
}

TEST(FeatureObservers, each_handle_of_one_observer_stands_for_itself) {
    // F-44
    Household house;
    Observer observer("o");
    ObserverHandle first = house.features().add_observer(observer);
    ObserverHandle second = house.features().add_observer(observer);
    EXPECT_TRUE(first.is_watching() && second.is_watching());
    house.write("tag");
    house.discover();
    EXPECT_EQ(house.log(), "o:tag.discovered");  // once
    first.reset();
    EXPECT_FALSE(first.is_watching());
    EXPECT_TRUE(second.is_watching());
    house.features().load(kTag);
    EXPECT_EQ(house.log(), "o:tag.mounted o:tag.registering o:tag.loading");
    second.reset();
    house.features().unload(kTag);
    house.frame();
    EXPECT_EQ(house.log(), "");
}

TEST(FeatureObservers, are_at_most_so_many) {
    // F-44
    Household house;
    Observer observer("o");
    std::vector<ObserverHandle> all;
    for (std::size_t i = 0; i < Features::kMaxObservers; ++i) all.push_back(house.features().add_observer(observer));
    EXPECT_TRUE(all.back().is_watching());
    EXPECT_FALSE(house.features().add_observer(observer).is_watching());
    EXPECT_EQ(house.reports("feature.observers"), 1u);
    all.pop_back();
    EXPECT_TRUE(house.features().add_observer(observer).is_watching());
}

TEST(FeatureClaims, a_weaker_wish_of_a_world_is_answered_though_its_stronger_one_is_given_up) {
    // F-78, F-12
    Household house;
    house.files.write("features/tag/content/big.thing.toml", "size = 2\n");
    house.write("tag", note_action("t", "asset = \"big\""));
    house.discover();
    World& world = house.world();
    house.executor.hold("big.thing");
    FeatureHold strong = house.features().acquire(kTag, world.owner(), Destination::Active, house.told("strong"));
    FeatureHold weak = house.features().acquire(kTag, world.owner(), Destination::Registered, house.told("weak"));
    strong.release();
    house.frames(3);
    const std::string said = house.said();
    EXPECT_NE(said.find("weak ok"), std::string::npos) << said;
    EXPECT_NE(said.find("strong Cancelled"), std::string::npos) << said;
    EXPECT_EQ(house.state("tag"), "Registered");
    EXPECT_TRUE(weak.is_held());
}

TEST(FeatureBounds, more_wishes_to_go_down_than_there_is_room_for_are_refused) {
    // F-63
    constexpr std::size_t kRoom = 4096;
    Household house;
    house.write("core");
    house.write("tag", needs("core") + note_action("t", "pauses = true"));
    house.discover();
    house.world();
    house.features().activate(kTag);
    std::size_t refused = 0, answered = 0;
    for (std::size_t i = 0; i < kRoom + 3; ++i)
        house.features().deactivate(kCore, Dependents::TakeDown, [&](const FeatureResult& result) {
            ++answered;
            if (result.error && result.error->code == ErrorCode::GoalRefused) ++refused;
        });
    EXPECT_EQ(refused, 3u);
    EXPECT_EQ(answered, 3u);
    story().tokens.clear();
    house.frames(3);
    EXPECT_EQ(answered, kRoom + 3);
    EXPECT_EQ(house.state("core"), "Loaded");
}

TEST(FeatureBounds, an_unload_that_is_refused_for_long_is_tried_a_few_times_a_second) {
    // X-101, F-75
    struct Counts : FeaturePolicy {
        InstancesPolicy instances(const Manifest&) const override { return ++asked, InstancesPolicy::Refuse; }
        mutable int asked = 0;
    } counts;
    Household house(&counts);
    ASSERT_TRUE(house.modules.add(kBeasts).is_ok());
    house.write("beasts", module_of("beasts"));
    house.discover();
    World& world = house.world();
    house.features().load(Name("beasts"));
    const ActorId one = *world.spawn("Beast"), two = *world.spawn("Beast");
    house.features().unload(Name("beasts"), KeepRegistered::No, house.told("down"));
    house.frame();
    EXPECT_EQ(house.said(), "down InstancesAlive");
    for (int i = 0; i < 60; ++i) house.frame(1.0 / 60);
    counts.asked = 0;
    for (int i = 0; i < 600; ++i) house.frame(1.0 / 60);  // ten seconds
    EXPECT_LE(counts.asked, 45);
    EXPECT_GE(counts.asked, 35);
    counts.asked = 0;
    world.destroy(one);
    house.frame(0.001);
    EXPECT_EQ(counts.asked, 1);  // something has gone: at once
    EXPECT_EQ(house.state("beasts"), "Registered");
    world.destroy(two);
    house.frames(2);
    EXPECT_EQ(house.state("beasts"), "Installed");
}

TEST(FeaturePlan, what_the_policy_does_not_allow_is_an_error_or_left_out) {
    // F-34, X-108, F-59
    const AllowList list("server.toml", {Name("tag"), Name("hoop"), Name("core")});
    Household house(&list);
    house.write("core");
    house.write("bots");
    house.write("tag", needs("core") + needs("bots", "kind = \"optional\""));
    house.write("hoop", needs("bots"));
    house.discover();
    const auto plan = [&](std::string_view id) {
        const Wish wish{Name(id), {}, "test"};
        return house.features().plan({&wish, 1}, Roles::all());
    };
    const Plan tag = plan("tag");
    EXPECT_TRUE(tag.is_ok());
    EXPECT_EQ(tag.order, (std::vector<Name>{kCore, kTag}));
    ASSERT_EQ(tag.degraded.size(), 1u);
    EXPECT_EQ(tag.degraded[0].feature, kBots);
    EXPECT_NE(tag.degraded[0].reason.find("server.toml"), std::string::npos) << tag.degraded[0].reason;
    for (const std::string_view asked : {"hoop", "bots"}) {
        const Plan refused = plan(asked);
        EXPECT_TRUE(refused.order.empty());
        ASSERT_EQ(refused.errors.size(), 1u);
        EXPECT_EQ(refused.errors[0].feature, kBots);
        EXPECT_EQ(refused.errors[0].code, ErrorCode::NotAllowed);
        EXPECT_NE(refused.errors[0].text.find("server.toml"), std::string::npos) << refused.errors[0].text;
    }
    EXPECT_EQ(plan("nobody").errors.size(), 1u);
}

}  // namespace ends_test
}  // namespace lyre::features
