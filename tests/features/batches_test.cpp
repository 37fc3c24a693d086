// What is asked of several features at once, and who is waited for on the way down.
#include "lyre/features/features.h"

#include "tests/features/household.h"

namespace lyre::features {
namespace batches_test {

const Name kTag("tag"), kCore("core");

struct Guard : Actor {
    using Described = Guard;
    static void describe(TypeBuilder<Guard>& t) { t.parent<Actor>(); }
};
const ModuleEntry kGuards = linked_entry("c", "1.0.0", [](Registrar& feature) { feature.type<Guard>(); });

// a, b and c, of which each needs the one before.
struct Chain {
    Chain() {
        house.write("a", note_action("x"));
        house.write("b", needs("a") + note_action("x"));
        house.write("c", needs("b") + note_action("x"));
        house.discover();
        house.world();
        for (const char* id : {"a", "b", "c"}) house.features().activate(Name(id));
        for (const char* id : {"a", "b", "c"}) EXPECT_EQ(house.state(id), "Active");
        house.log();
    }
    Household house;
};

TEST(Batches, go_down_in_reverse_however_far_and_in_whatever_order_they_were_asked) {
    // F-42, F-63, F-51
    for (const auto level : {Destination::Loaded, Destination::Registered, Destination::Installed,
                             Destination::StatusKnown, Destination::Terminal}) {
        SCOPED_TRACE(to_string(level));
        Chain chain;
        const Target targets[] = {{Name("a"), level}, {Name("c"), level}, {Name("b"), level}};
        FeatureResults results;
        chain.house.features().change_targets(targets, [&](const FeatureResults& all) { results = all; });
        chain.house.frames(5);
        ASSERT_EQ(results.size(), 3u);
        for (const FeatureResult& result : results) EXPECT_TRUE(result.is_ok()) << result.to_string();
        for (const char* id : {"a", "b", "c"})
            EXPECT_EQ(chain.house.state(id), std::string(to_string(state_of(level)))) << id;
        const std::string log = chain.house.log();
        for (const char* hook : {"deactivating(arena)", "unloading", "unregistering"}) {
            const auto place = [&](const char* id) { return log.find(fmt::format("{}.x.{}", id, hook)); };
            if (place("a") == std::string::npos) continue;
            EXPECT_LT(place("c"), place("b")) << log;
            EXPECT_LT(place("b"), place("a")) << log;
        }
    }
}

TEST(Batches, one_that_goes_is_waited_for_by_what_it_needs) {
    // F-42, F-63
    Chain chain;
    Household& house = chain.house;
    for (const char* id : {"c", "b", "a"}) house.features().unload(Name(id), KeepRegistered::No, house.told(id));
    EXPECT_EQ(house.said(), "");
    house.frames(4);
    EXPECT_EQ(house.said(), "c ok, b ok, a ok");
    EXPECT_EQ(house.state("a"), "Installed");
}

TEST(Batches, one_that_stays_is_not_waited_for_and_what_it_needs_is_refused) {
    // F-42, F-63
    Chain chain;
    Household& house = chain.house;
    FeatureHold hold = house.features().acquire(Name("c"), house.games[0]->world()->owner(), Destination::Active);
    const Target targets[] = {{Name("a"), Destination::Installed}, {Name("b"), Destination::Installed}};
    FeatureResults results;
    house.features().change_targets(targets, [&](const FeatureResults& all) { results = all; });
    house.frames(3);
    ASSERT_EQ(results.size(), 2u);
    for (const FeatureResult& result : results) {
        ASSERT_FALSE(result.is_ok());
        EXPECT_EQ(result.error->code, ErrorCode::HeldBy);
    }
    for (const char* id : {"a", "b", "c"}) EXPECT_EQ(house.state(id), "Active");
}

TEST(Batches, who_waits_for_one_that_cannot_go_or_is_wanted_again_is_answered) {
    // F-63, F-14
    Household house;
    ASSERT_TRUE(house.modules.add(kGuards).is_ok());
    house.write("a");
    house.write("b", needs("a"));
    house.write("c", needs("b") + "[module]\nname = \"c\"\n");
    house.discover();
    World& world = house.world();
    for (const char* id : {"a", "b", "c"}) house.features().activate(Name(id));
    const auto guard = world.spawn("Guard");
    ASSERT_TRUE(guard.is_ok());
    for (const char* id : {"c", "b", "a"}) house.features().unload(Name(id), KeepRegistered::No, house.told(id));
    house.frames(4);
    EXPECT_EQ(house.said(), "b InstancesAlive, a InstancesAlive, c InstancesAlive");
    for (const char* id : {"a", "b", "c"}) EXPECT_EQ(house.state(id), "Registered");
    world.destroy(*guard);
    house.frames(4);
    for (const char* id : {"a", "b", "c"}) EXPECT_EQ(house.state(id), "Installed");  // nobody wants them any more

    for (const char* id : {"a", "b", "c"}) house.features().activate(Name(id));
    for (const char* id : {"c", "b", "a"}) house.features().unload(Name(id), KeepRegistered::No, house.told(id));
    house.features().activate(Name("c"), house.told("again"));
    house.frames(4);
    EXPECT_EQ(house.said(), "b Cancelled, a Cancelled, c ok, again ok");
    for (const char* id : {"a", "b", "c"}) EXPECT_EQ(house.state(id), "Active");
}

TEST(Batches, whom_the_table_forgets_without_an_answer_counts_as_abandoned) {
    // F-41
    struct Fails : FeaturePolicy {
        Status allow(const Manifest& feature) const override {
            return feature.id == kTag ? Status::refused("not today") : Status::ok();
        }
    } fails;
    Household house(&fails);
    house.files.write("features/core/content/big.thing.toml", "size = 2\n");
    house.write("core", note_action("c", "asset = \"big\""));
    house.write("tag");
    house.discover();
    house.executor.hold("big.thing");
    const Target targets[] = {{kTag, Destination::Active}, {kCore, Destination::Active}};
    FeatureResults results;
    int calls = 0;
    house.features().change_targets(targets, [&](const FeatureResults& all) { ++calls, results = all; });
    house.frame();
    EXPECT_EQ(calls, 0);  // one has failed, and one is still to answer
    house.close();
    EXPECT_EQ(calls, 1);
    ASSERT_EQ(results.size(), 2u);
    EXPECT_EQ(results[0].error->code, ErrorCode::NotAllowed);
    EXPECT_EQ(results[1].error->code, ErrorCode::Abandoned);
}

TEST(Batches, a_wish_that_is_dropped_before_anybody_looked_at_it_counts_as_abandoned) {
    // F-41, F-16
    Household house;
    house.write("tag", note_action("a"));
    house.discover();
    house.world();
    house.features().activate(kTag);
    FeatureResults results;
    int calls = 0;
    story().at = [&](const std::string& line, ActionContext*) {
        if (line != "tag.a.deactivating(arena)" || !house.is_open()) return Status::ok();
        const OwnerScope as(Owner::process());           // what asks goes with nobody
        const Target target{kTag, Destination::Loaded};  // carried out when the hook is over
        house.features().change_targets({&target, 1}, [&](const FeatureResults& all) { ++calls, results = all; });
        EXPECT_EQ(calls, 0);
        house.close();  // and then nobody is there to
        return Status::ok();
    };
    house.games[0]->close_world();
    EXPECT_EQ(calls, 1);
    ASSERT_EQ(results.size(), 1u);
    ASSERT_FALSE(results[0].is_ok());
    EXPECT_EQ(results[0].error->code, ErrorCode::Abandoned);
}

TEST(Batches, every_call_that_names_an_unknown_feature_is_answered_once_with_the_nearest) {
    // F-15
    Household house;
    house.write("tag");
    house.discover();
    const Name wrong("tagg");
    World& world = house.world();
    using Call = std::function<void(Features&, FeatureCallback)>;
    const std::pair<const char*, Call> kCalls[] = {
        {"load", [&](Features& all, FeatureCallback done) { all.load(wrong, std::move(done)); }},
        {"activate", [&](Features& all, FeatureCallback done) { all.activate(wrong, std::move(done)); }},
        {"deactivate",
         [&](Features& all, FeatureCallback done) { all.deactivate(wrong, Dependents::Refuse, std::move(done)); }},
        {"unload",
         [&](Features& all, FeatureCallback done) { all.unload(wrong, KeepRegistered::No, std::move(done)); }},
        {"release", [&](Features& all, FeatureCallback done) { all.release(wrong, std::move(done)); }},
        {"terminate", [&](Features& all, FeatureCallback done) { all.terminate(wrong, std::move(done)); }},
        {"change_target",
         [&](Features& all, FeatureCallback done) { all.change_target(wrong, Destination::Active, std::move(done)); }},
        {"change_target down",
         [&](Features& all, FeatureCallback done) {
             all.change_target(wrong, Destination::Terminal, std::move(done));
         }},
        {"change_targets",
         [&](Features& all, FeatureCallback done) {
             const Target target{wrong, Destination::Active};
             all.change_targets({&target, 1}, [done](const FeatureResults& results) { done(results.at(0)); });
         }},
        {"cancel", [&](Features& all, FeatureCallback done) { all.cancel(wrong, std::move(done)); }},
        {"reload", [&](Features& all, FeatureCallback done) { all.reload(wrong, std::move(done)); }},
        {"acquire",
         [&](Features& all, FeatureCallback done) {
             EXPECT_FALSE(all.acquire(wrong, world.owner(), Destination::Active, std::move(done)).is_held());
         }},
    };
    for (const auto& [name, call] : kCalls) {
        SCOPED_TRACE(name);
        house.last_error = {};
        call(house.features(), house.told("told"));
        EXPECT_EQ(house.said(), "told UnknownFeature");
        EXPECT_NE(house.last_error.text.find("did you mean \"tag\"?"), std::string::npos) << house.last_error.text;
    }
    EXPECT_EQ(house.features().why_not(wrong, world.owner(), Destination::Active)->code, ErrorCode::UnknownFeature);
    EXPECT_NE(house.features().explain(wrong).find("did you mean \"tag\"?"), std::string::npos);
}

TEST(Batches, the_start_brings_each_up_from_wherever_it_is_and_nobody_down) {
    // F-37
    for (const char* initial : {"installed", "registered", "loaded", "active"})
        for (const auto present :
             {Destination::Installed, Destination::Registered, Destination::Loaded, Destination::Active}) {
            SCOPED_TRACE(fmt::format("{} from {}", initial, to_string(present)));
            Household house;
            house.write("tag", fmt::format("initial_state = \"{}\"\n", initial) + note_action("a"));
            house.discover();
            house.features().change_target(kTag, present);
            ASSERT_EQ(house.state("tag"), std::string(to_string(state_of(present))));
            const auto asked = destination_of(house.features().manifest(kTag)->initial_state);
            house.features().start();
            house.frame();
            EXPECT_EQ(house.state("tag"), std::string(to_string(state_of(std::max(asked, present)))));
        }
}

TEST(Batches, the_start_says_who_is_raised_and_of_nobody_who_stays_down) {
    // F-36, F-59, F-62
    struct Closed : FeaturePolicy {
        Status allow(const Manifest& feature) const override {
            return feature.id == Name("closed") ? Status::refused("closed") : Status::ok();
        }
    } closed;
    Household house(&closed);
    for (const char* id : {"base", "closed", "sided"}) house.write(id);
    house.write("old", "", "0.1.0");
    house.write("left", needs("right"));
    house.write("right", needs("left"));
    house.write("rules", "initial_state = \"active\"\n" + needs("base") + needs("closed", "kind = \"optional\"") +
                             needs("old", "kind = \"optional\"\nversions = \"^2\"") +
                             needs("sided", "side = \"client\"") + needs("left", "kind = \"optional\""));
    house.discover();
    house.features().start();
    house.frame();
    EXPECT_EQ(house.state("rules"), "Active");
    EXPECT_EQ(house.state("base"), "Active");
    for (const char* id : {"closed", "old", "sided", "left", "right"}) EXPECT_EQ(house.state(id), "Installed") << id;
    ASSERT_EQ(house.reports("feature.raised"), 1u);
    for (const auto& entry : house.runtime.log().entries())
        EXPECT_TRUE(entry.kind != Name("feature.raised") || entry.subject == "base") << entry.subject;
}

}  // namespace batches_test
}  // namespace lyre::features
