#include "tests/features/household.h"

namespace lyre::features {
namespace reload_test {

const Name kTag("tag"), kCore("core"), kBots("bots");
const std::string kModule = "[module]\nname = \"tag\"\n";

// core, and tag above it, which a world has.
struct Pair : Household {
    explicit Pair(const std::string& of_tag = "", const std::string& of_core = "") : rest(of_tag) {
        write("core", note_action("c") + of_core);
        write_tag("1.0.0");
        discover();
        arena = &world();
        hold = features().acquire(kTag, arena->owner(), Destination::Active, told("up"));
        frames(3);
        EXPECT_EQ(said(), "up ok");
    }
    ~Pair() { story().at = {}; }
    void write_tag(const std::string& version) {
        write("tag", needs("core") + note_action("t", "asset = \"big\"") + rest, version);
    }
    // That version does not get any further than there.
    void spoil(Name id, const std::string& version, const std::string& line) {
        story().at = [=, this](const std::string& now, ActionContext*) {
            const bool is_bad = now == line && features().manifest(id)->version.to_string() == version;
            return is_bad ? Status::failed("bent") : Status::ok();
        };
    }
    void some_frames() {
        for (int i = 0; i < 20; ++i) frame(0.5);
    }
    std::string version(Name id) { return features().report(id).version; }
    void expect_up() {
        for (Name id : {kTag, kCore}) EXPECT_TRUE(features().is_attached(id, *arena)) << features().explain(id);
        EXPECT_TRUE(hold.is_held());
    }
    struct Files {
        explicit Files(VirtualFiles& files) { files.write("features/tag/content/big.thing.toml", "size = 2\n"); }
    } content{files};
    std::string rest;
    World* arena = nullptr;
    FeatureHold hold;
};

TEST(Reload, those_about_the_same_features_run_one_after_the_other) {
    //
    for (const bool is_core_first : {false, true}) {
        SCOPED_TRACE(is_core_first);
        Pair house;
        house.spoil(kTag, "1.1.0", "tag.t.loading");
        house.write_tag("1.1.0");
        house.write("core", note_action("c"), "1.1.0");
        for (const bool is_core : {is_core_first, !is_core_first})
            house.features().reload(is_core ? kCore : kTag, house.told(is_core ? "core" : "tag"));
        house.some_frames();
        EXPECT_EQ(house.said(), is_core_first ? "core ok, tag ActionFailed" : "tag ActionFailed, core ok");
        EXPECT_EQ(house.version(kTag), "1.0.0");
        EXPECT_EQ(house.version(kCore), "1.1.0");
        house.expect_up();
    }
}

TEST(Reload, those_of_one_feature_that_still_wait_are_one) {
    //
    Pair house;
    house.features().reload(kCore, house.told("first"));
    house.log();
    for (const char* one : {"second", "third"}) house.features().reload(kCore, house.told(one));
    house.some_frames();
    EXPECT_EQ(house.said(), "first ok, second ok, third ok");
    const std::string log = house.log();
    std::size_t climbs = 0;
    for (std::size_t at = 0; (at = log.find("core.c.registering", at)) != std::string::npos; ++at) ++climbs;
    EXPECT_EQ(climbs, 2u) << log;
    house.expect_up();
    for (std::size_t i = 0; i < 5000; ++i) house.features().reload(kCore, house.told("many"));
    EXPECT_EQ(house.last_error.code, ErrorCode::GoalRefused);
    house.some_frames();
    house.expect_up();
}

TEST(Reload, one_that_waits_is_answered_when_all_ends) {
    // X-119, F-12
    Pair house;
    house.features().reload(kTag);
    house.features().reload(kCore, house.told("core"));
    house.close();
    EXPECT_EQ(house.said(), "core Abandoned");
}

TEST(Reload, one_that_is_cancelled_on_its_way_up_says_so_and_the_old_version_is_back) {
    // X-119, F-12
    Pair house;
    house.executor.hold("big.thing");
    house.write_tag("1.1.0");
    house.features().reload(kTag, house.told("reload"));
    house.frames(3);
    EXPECT_EQ(house.state("tag"), "Loading");
    house.features().cancel(kTag, house.told("cancel"));
    house.frames(3);
    house.executor.release("big.thing");
    house.some_frames();
    EXPECT_EQ(house.said(), "cancel ok, reload Cancelled");
    EXPECT_EQ(house.version(kTag), "1.0.0");
    house.expect_up();
}

TEST(Reload, who_cancels_the_way_back_to_the_old_version_does_not_keep_it_down) {
    // X-119, F-12
    Pair house;
    int cancels = 0;
    story().at = [&](const std::string& line, ActionContext*) {
        if (line != "tag.t.loading") return Status::ok();
        if (house.version(kTag) == "1.1.0") return Status::failed("bent");
        if (cancels++ == 0) house.features().cancel(kTag, house.told("cancel"));
        return Status::ok();
    };
    house.write_tag("1.1.0");
    house.features().reload(kTag, house.told("reload"));
    house.some_frames();
    EXPECT_EQ(cancels, 1);
    EXPECT_EQ(house.said(), "cancel ok, reload ActionFailed");
    house.expect_up();
}

TEST(Reload, who_gives_up_meanwhile_and_asks_again_is_no_failure_of_it) {
    // X-119, F-12
    Pair house;
    house.executor.hold("big.thing");
    house.write_tag("1.1.0");
    house.features().reload(kTag, house.told("reload"));
    house.frames(3);
    house.hold.release();
    house.hold = house.features().acquire(kTag, house.arena->owner(), Destination::Active, house.told("again"));
    house.frames(2);
    house.executor.release("big.thing");
    house.some_frames();
    const std::string said = house.said();
    for (const char* one : {"reload ok", "again ok"}) EXPECT_NE(said.find(one), std::string::npos) << said;
    EXPECT_EQ(house.version(kTag), "1.1.0");
    house.expect_up();
}

TEST(Reload, a_dependency_that_goes_down_with_it_comes_back_in_its_version) {
    //
    Pair house;
    house.spoil(kCore, "1.1.0", "core.c.loading");
    house.write("core", note_action("c"), "1.1.0");
    house.discover();
    EXPECT_EQ(house.features().report(kCore).newer, "1.1.0");
    house.features().reload(kTag, house.told("reload"));
    house.some_frames();
    EXPECT_EQ(house.said(), "reload ok");
    EXPECT_EQ(house.version(kCore), "1.0.0");
    EXPECT_EQ(house.features().report(kCore).newer, "1.1.0");
    house.expect_up();
    house.hold.release();
    house.some_frames();
    EXPECT_EQ(house.version(kCore), "1.1.0") << "nothing is reloaded, and it is down";
}

TEST(Reload, a_dependent_comes_back_in_its_version_whoever_looks_for_newer_ones_meanwhile) {
    //
    Pair house;
    story().at = [&](const std::string& line, ActionContext*) {
        if (line == "core.c.unregistering") {  // tag is down
            house.write_tag("1.1.0");
            house.discover();
        }
        const bool is_bad = line == "tag.t.loading" && house.version(kTag) == "1.1.0";
        return is_bad ? Status::failed("bent") : Status::ok();
    };
    house.features().reload(kCore, house.told("reload"));
    house.some_frames();
    EXPECT_EQ(house.said(), "reload ok");
    EXPECT_EQ(house.version(kTag), "1.0.0");
    EXPECT_EQ(house.features().report(kTag).newer, "1.1.0");
    house.expect_up();
}

ModuleEntry version_of(const char* version) {
    return linked_entry("tag", version, [](Registrar&) {});
}

TEST(Reload, a_dependent_whose_library_and_manifest_were_replaced_comes_back_from_the_old_bytes) {
    //
    static const ModuleEntry kOld = version_of("1.0.0"), kNew = version_of("1.1.0");
    Household house;
    ASSERT_TRUE(house.modules.add(kOld).is_ok());
    house.write("core", note_action("c"));
    house.write("tag", needs("core") + kModule);
    house.discover();
    World& world = house.world();
    FeatureHold hold = house.features().acquire(kTag, world.owner(), Destination::Active);
    house.frames(2);
    ASSERT_TRUE(house.modules.add(kNew).is_ok());
    house.write("tag", needs("core") + kModule, "1.1.0");
    const auto reload = [&](Name id) {
        house.features().reload(id, house.told(std::string(id.text())));
        house.frames(12);
        EXPECT_TRUE(house.features().is_attached(kTag, world)) << house.features().explain(kTag);
        return fmt::format("{}: {}", house.said(), house.features().report(kTag).version);
    };
    EXPECT_EQ(reload(kCore), "core ok: 1.0.0");
    EXPECT_EQ(reload(kCore), "core ok: 1.0.0");
    EXPECT_EQ(reload(kTag), "tag ok: 1.1.0");
}

TEST(Reload, one_that_fails_brings_dependents_back_with_the_code_that_was_open_and_the_next_takes_what_is_there) {
    // all were built anew for a new core, which then does not come up
    static int opened = 0;
    static const ModuleEntry kOld = linked_entry("tag", "1.0.0", [](Registrar&) { opened = 1; });
    static const ModuleEntry kNew = linked_entry("tag", "1.0.0", [](Registrar&) { opened = 2; });
    Household house;
    ASSERT_TRUE(house.modules.add(kOld).is_ok());
    house.write("core", note_action("c"));
    house.write("tag", needs("core") + kModule);
    house.discover();
    World& world = house.world();
    FeatureHold hold = house.features().acquire(kTag, world.owner(), Destination::Active);
    house.frames(2);
    ASSERT_TRUE(house.modules.add(kNew).is_ok());
    house.write("core", note_action("c"), "1.1.0");
    story().at = [&](const std::string& line, ActionContext*) {
        const bool is_bad = line == "core.c.registering" && house.features().report(kCore).version == "1.1.0";
        return is_bad ? Status::failed("bent") : Status::ok();
    };
    house.features().reload(kCore, house.told("core"));
    house.frames(12);
    EXPECT_EQ(house.said(), "core ActionFailed");
    EXPECT_TRUE(house.features().is_attached(kTag, world)) << house.features().explain(kTag);
    EXPECT_EQ(opened, 1);
    story().at = {};
    house.features().reload(kCore, house.told("core"));
    house.frames(12);
    EXPECT_EQ(house.said(), "core ok");
    EXPECT_EQ(opened, 2);
}

TEST(Reload, a_dependent_whose_folder_has_gone_stays_until_it_comes_down_by_itself) {
    //
    Pair house;
    house.files.remove("features/tag/feature.toml");
    house.discover();
    house.features().reload(kCore, house.told("reload"));
    house.some_frames();
    EXPECT_EQ(house.said(), "reload ok");
    house.expect_up();
    house.hold.release();
    house.some_frames();
    EXPECT_EQ(house.features().manifest(kTag), nullptr);
}

TEST(Reload, a_good_version_that_is_found_after_one_that_failed_comes_up) {
    //
    Household house;
    static const ModuleEntry kOld = version_of("1.0.0"), kGood = version_of("1.2.0");
    static const ModuleEntry kBad = linked_entry("tag", "1.1.0", [](Registrar&) { throw std::runtime_error("bent"); });
    ASSERT_TRUE(house.modules.add(kOld).is_ok());
    house.write("tag", note_action("t") + kModule);
    house.discover();
    World& world = house.world();
    FeatureHold hold = house.features().acquire(kTag, world.owner(), Destination::Active);
    ASSERT_TRUE(house.modules.add(kBad).is_ok());
    house.write("tag", note_action("t") + kModule, "1.1.0");
    house.features().reload(kTag, house.told("reload"));
    house.frames(12);
    EXPECT_EQ(house.said(), "reload ModuleFailed");
    EXPECT_TRUE(house.features().is_attached(kTag, world));
    hold.release();
    house.frames(4);
    EXPECT_EQ(house.state("tag"), "Installed");
    ASSERT_TRUE(house.modules.add(kGood).is_ok());
    house.write("tag", note_action("t") + kModule, "1.2.0");
    house.discover();
    hold = house.features().acquire(kTag, world.owner(), Destination::Active, house.told("again"));
    house.frames(4);
    EXPECT_EQ(house.said(), "again ok") << house.last_error.to_string();
    EXPECT_EQ(house.features().report(kTag).version, "1.2.0");
}

// One call at each place where code of a feature or of an observer runs in a reload of tag; bots is above it.
struct Scene {
    Household house;
    Observer observer{"o"};
    std::vector<FeatureHold> holds;
    std::vector<ObserverHandle> watching;
    int open = 0, places = 0;

    Scene(const std::string& call, int at, bool is_bad) {
        house.write("core", note_action("c"));
        write_tag("1.0.0");
        house.write("bots", needs("tag") + note_action("b"));
        house.discover();
        World& one = house.world("one");
        World& two = house.world("two", NetMode::Client);
        holds.push_back(house.features().acquire(kBots, one.owner(), Destination::Active));
        holds.push_back(house.features().acquire(kTag, two.owner(), Destination::Active));
        house.frames(4);
        watching.push_back(house.features().add_observer(observer, Replay::FutureOnly));
        story().at = [=, this](const std::string& line, ActionContext*) {
            if (places++ == at) ask(call);
            const bool is_new = house.features().manifest(kTag)->version.to_string() == "1.1.0";
            return is_bad && is_new && line == "tag.t.activating(two)" ? Status::failed("bent") : Status::ok();
        };
        write_tag("1.1.0");
        house.features().reload(kTag, told());
        for (int i = 0; i < 30; ++i) {
            story().tokens.clear();
            house.frame(0.5);
        }
        story().at = {};
        EXPECT_EQ(open, 0);
        EXPECT_TRUE(house.features().is_attached(kBots, one)) << house.features().explain(kBots);
        EXPECT_TRUE(house.features().is_attached(kTag, two)) << house.features().explain(kTag);
    }
    void write_tag(const std::string& version) {
        house.write("tag", needs("core") + note_action("t", "pauses = true"), version);
    }
    FeatureCallback told() {
        ++open;
        return [this](const FeatureResult&) { --open; };
    }
    void ask(const std::string& call) {
        const OwnerScope as(Owner::process());
        Features& features = house.features();
        if (call == "cancel tag") features.cancel(kTag, told());
        if (call == "cancel core") features.cancel(kCore, told());
        if (call == "cancel bots") features.cancel(kBots, told());
        if (call == "reload core") features.reload(kCore, told());
        if (call == "reload tag") features.reload(kTag, told());
        if (call == "reload bots") features.reload(kBots, told());
        if (call == "discover") house.discover();
        if (call == "take folder") house.files.remove("features/bots/feature.toml"), house.discover();
    }
};

TEST(Reload, whatever_is_asked_in_the_middle_of_one_all_are_answered_and_worlds_have_what_they_had) {
    // F-12
    const char* kCalls[] = {"cancel tag", "cancel core", "cancel bots", "reload core",
                            "reload tag", "reload bots", "discover",    "take folder"};
    for (const bool is_bad : {true, false}) {
        const int places = Scene("", -1, is_bad).places;
        EXPECT_GT(places, 30);
        for (const char* call : kCalls)
            for (int at = 0; at < places && !testing::Test::HasFailure(); ++at) {
                SCOPED_TRACE(fmt::format("{} at {}{}", call, at, is_bad ? ", a bad version" : ""));
                const Scene scene(call, at, is_bad);
            }
    }
}

}  // namespace reload_test
}  // namespace lyre::features
