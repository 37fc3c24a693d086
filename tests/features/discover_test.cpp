// Finding features, and finding them again: manifests that come, change and go; reloads; the console; reports.
#include <nlohmann/json.hpp>

#include "tests/features/household.h"

namespace lyre::features {
namespace discover_test {

const Name kTag("tag"), kCore("core");

TEST(Discover, finds_the_direct_subfolders_in_order_and_opens_nothing_but_manifests) {
    // F-38
    Household house;
    for (int i = 999; i >= 0; --i) {
        house.write(fmt::format("f{:03}", i));
        house.files.write(fmt::format("features/f{:03}/content/a.thing.toml", i), "size = 2\n");
        house.files.write(fmt::format("features/f{:03}/deep/feature.toml", i), "id = \"deep\"\nversion = \"1.0.0\"\n");
    }
    house.files.write("features/feature.toml", "id = \"root\"\nversion = \"1.0.0\"\n");
    const std::size_t before = house.files.reads();
    house.discover();
    EXPECT_EQ(house.files.reads() - before, 1000u);
    const auto known = house.features().known();
    ASSERT_EQ(known.size(), 1000u);
    EXPECT_EQ(known.front(), Name("f000"));
    for (Name id : known) EXPECT_EQ(house.features().state(id), FeatureState::Installed);
    house.discover();  // nothing has changed: nothing is opened
    EXPECT_EQ(house.files.reads() - before, 1000u);
}

TEST(Discover, folders_are_read_in_order_of_their_names_whatever_the_features_are_called) {
    // F-38, F-21
    Household house;
    for (const auto& [folder, id] : {std::pair("a", "zebra"), std::pair("b", "ant"), std::pair("c", "zebra")})
        house.files.write(fmt::format("features/{}/feature.toml", folder),
                          fmt::format("id = \"{}\"\nversion = \"1.0.0\"\n", id));
    Observer observer("o");
    const ObserverHandle watching = house.features().add_observer(observer);
    EXPECT_EQ(house.features().discover("features").count(), 1u);  // the third
    EXPECT_EQ(house.log(), "o:zebra.discovered o:ant.discovered o:file:features/c.failed");
    EXPECT_EQ(house.features().manifest_file(Name("zebra")), "features/a/feature.toml");
}

TEST(Discover, a_bad_manifest_makes_its_feature_unknown_and_leaves_the_others_alone) {
    // F-57, F-19
    Household house;
    house.write("good");
    house.files.write("features/bad/feature.toml", "id = \"Bad!\"\nversion = \"one\"\nfoo = 1\n");
    house.files.write("features/garbage/feature.toml", std::string("\0\1\2", 3));
    const Problems problems = house.features().discover("features");
    EXPECT_GE(problems.count(), 4u) << problems.to_text();
    EXPECT_EQ(problems.all()[0].file, "features/bad/feature.toml");
    EXPECT_GT(problems.all()[0].place.line, 0u);
    EXPECT_EQ(house.features().known(), std::vector<Name>{Name("good")});
    house.features().activate(Name("bad"), house.told("bad"));
    house.features().activate(Name("good"), house.told("good"));
    EXPECT_EQ(house.said(), "bad UnknownFeature, good ok");
    EXPECT_FALSE(house.features().discover("nowhere").is_empty());
}

TEST(Discover, of_two_manifests_with_one_id_the_first_stays_and_both_are_named) {
    // F-21
    Household house;
    house.write("tag", "title = \"first\"\n");
    house.write("tag", "title = \"second\"\n", "2.0.0", "mods");
    house.discover();
    const Problems problems = house.features().discover("mods");
    ASSERT_EQ(problems.count(), 1u);
    EXPECT_NE(problems.all()[0].text.find("features/tag/feature.toml"), std::string::npos) << problems.to_text();
    EXPECT_NE(problems.all()[0].text.find("mods/tag/feature.toml"), std::string::npos) << problems.to_text();
    EXPECT_EQ(house.features().manifest(kTag)->title, "first");
}

TEST(Discover, one_feature_can_be_installed_by_its_place_and_its_error_is_rested_in) {
    // F-19, F-05
    Household house;
    house.features().install("package:tag", house.told("protocol"));
    EXPECT_EQ(house.last_error.state, FeatureState::ErrorCheckingStatus);
    house.features().install("file:features/tag", house.told("missing"));
    EXPECT_EQ(house.last_error.state, FeatureState::ErrorUnavailable);
    house.files.write("features/tag/feature.toml", "version = 1\n");
    house.features().install("file:features/tag", house.told("bad"));
    EXPECT_EQ(house.last_error.state, FeatureState::ErrorCheckingStatus);
    house.write("tag");
    house.files.fail("features/tag/feature.toml", Status(StatusCode::Unavailable, "the disk is gone"));
    house.features().install("file:features/tag", house.told("unreadable"));
    EXPECT_EQ(house.last_error.state, FeatureState::ErrorCheckingStatus);
    EXPECT_NE(house.last_error.text.find("the disk is gone"), std::string::npos) << house.last_error.text;
    house.files.heal("features/tag/feature.toml");
    house.features().install("file:features/tag", house.told("good"));  // tried again
    EXPECT_EQ(house.said(),
              "protocol ManifestBad, missing ManifestMissing, bad ManifestBad, unreadable ManifestBad, good ok");
    EXPECT_EQ(house.state("tag"), "Installed");
    EXPECT_EQ(house.features().known(), std::vector<Name>{kTag});
}

TEST(Discover, one_that_could_not_be_installed_can_be_ended) {
    // F-05, F-51
    Household house;
    house.files.write("features/bad/feature.toml", "version = 1\n");
    for (const char* folder : {"missing", "bad"}) {
        const Name called(fmt::format("file:features/{}", folder));
        house.features().install(called.text(), house.told("install"));
        EXPECT_TRUE(is_error(house.features().state(called))) << folder;
        house.features().terminate(called, house.told("terminate"));
        house.frame();
        EXPECT_TRUE(house.features().known().empty()) << folder;
    }
    EXPECT_EQ(house.said(), "install ManifestMissing, terminate ok, install ManifestBad, terminate ok");
}

TEST(Discover, a_fault_on_purpose_is_told_as_one_with_the_feature_it_is_about) {
    // F-19, X-120, X-24
    using Effect = StepFault::Effect;
    std::vector<std::string> asked;
    Household house(nullptr, [&](Name id, FeatureState step) {
        if (step != FeatureState::CheckingStatus) return StepFault{};
        asked.emplace_back(id.text());
        if (id == kTag) return StepFault{Effect::Fail, 0, "disk_full (on purpose)"};
        return id == kCore ? StepFault{Effect::Delay, 1, ""} : StepFault{};
    });
    for (const char* id : {"core", "hud", "tag"}) house.write(id);
    const Problems problems = house.features().discover("features");
    EXPECT_EQ(asked, (std::vector<std::string>{"core", "hud", "tag"}));
    ASSERT_EQ(problems.count(), 2u) << problems.to_text();
    EXPECT_EQ(problems.all()[0].text, "feature core is left out: a fault on purpose lets it wait");
    EXPECT_EQ(problems.all()[1].text, "feature tag is left out: disk_full (on purpose)");
    EXPECT_EQ(problems.all()[1].file, "features/tag/feature.toml");
    EXPECT_EQ(house.features().known(), std::vector<Name>{Name("hud")});
}

TEST(Discover, a_folder_that_is_called_like_a_known_feature_takes_nothing_from_it) {
    // F-21, F-19
    Household house;
    house.write("tag", note_action("a"), "1.0.0", "game");
    house.discover("game");
    house.world();
    house.features().activate(kTag);
    house.features().install("file:tag", house.told("install"));
    EXPECT_EQ(house.said(), "install ManifestMissing");
    EXPECT_EQ(house.state("tag"), "Active");
    house.files.write("tag/feature.toml", "id = \"tag\"\nversion = \"2.0.0\"\n");
    house.features().install("file:tag", house.told("install"));
    EXPECT_EQ(house.said(), "install ManifestBad");
    for (const char* one : {"game/tag/feature.toml", " tag/feature.toml"})
        EXPECT_NE(house.last_error.text.find(one), std::string::npos) << house.last_error.text;
    EXPECT_EQ(house.state("tag"), "Active");
    EXPECT_EQ(house.features().manifest(kTag)->version.to_string(), "1.0.0");
    house.features().unload(kTag, KeepRegistered::No, house.told("down"));
    house.frames(2);
    EXPECT_EQ(house.said(), "down ok");
    EXPECT_TRUE(house.features().ledger(kTag).empty());
}

TEST(Discover, a_manifest_that_was_corrected_counts_when_the_feature_is_asked_for_again) {
    // F-57, X-106, F-79
    Household house;
    house.write("tag", "[[action]]\nkind = \"note\"\nlabl = \"a\"\n");
    house.discover();
    house.features().activate(kTag, house.told("bad"));
    EXPECT_EQ(house.said(), "bad ActionBad");
    EXPECT_EQ(house.state("tag"), "ErrorRegistering");
    house.write("tag", note_action("a"), "1.0.1");
    house.discover();
    house.features().activate(kTag, house.told("good"));
    EXPECT_EQ(house.said(), "good ok");
    EXPECT_EQ(house.features().report(kTag).version, "1.0.1");
}

TEST(Discover, features_may_be_dropped_in_and_taken_out_while_the_game_runs) {
    //
    Household house;
    house.files.make_folder("features");
    house.write("core", note_action("c"));
    house.discover();
    house.world();
    house.features().activate(kCore);
    house.write("mod", needs("core") + note_action("m"));
    house.discover();
    house.features().activate(Name("mod"), house.told("mod"));
    EXPECT_EQ(house.said(), "mod ok");
    house.files.remove("features/mod");
    house.discover();
    EXPECT_EQ(house.state("mod"), "Active");  // until it comes down
    house.features().unload(Name("mod"));
    house.frames(2);
    EXPECT_EQ(house.features().known(), std::vector<Name>{kCore});
    house.files.remove("features/core");
    house.features().unload(kCore);
    house.frames(2);
    house.discover();
    house.frame();
    EXPECT_TRUE(house.features().known().empty());
}

TEST(Discover, a_folder_that_cannot_be_read_for_once_has_not_been_taken_out) {
    // X-106, F-57
    Household house;
    house.write("tag");
    house.discover();
    house.files.fail("features/tag", Status(StatusCode::Unavailable, "features/tag: input/output error"));
    EXPECT_EQ(house.features().discover("features").count(), 1u);
    house.frames(2);
    EXPECT_EQ(house.state("tag"), "Installed");
    house.files.heal("features/tag");
    house.discover();
    house.features().activate(kTag, house.told("tag"));
    house.frame();
    EXPECT_EQ(house.said(), "tag ok");
}

constexpr const char* kModule = "[module]\nname = \"tag\"\n";
ModuleEntry version_of(const char* version, void (*setup)(Registrar&)) {
    return linked_entry("tag", version, setup);
}

TEST(Reload, a_newer_version_waits_until_it_is_asked_for_and_dependents_come_back_with_it) {
    //
    Household house;
    static const ModuleEntry kOld = version_of("1.0.0", [](Registrar& f) { f.tag("Tag.Old"); });
    static const ModuleEntry kNew = version_of("1.1.0", [](Registrar& f) { f.tag("Tag.New"); });
    ASSERT_TRUE(house.modules.add(kOld).is_ok());
    house.write("tag", note_action("t") + kModule);
    house.write("bots", needs("tag") + note_action("b"));
    house.discover();
    World& world = house.world();
    FeatureHold hold = house.features().acquire(Name("bots"), world.owner(), Destination::Active, house.told("up"));
    EXPECT_EQ(house.said(), "up ok");
    house.write("tag", note_action("t") + kModule, "1.1.0");
    ASSERT_TRUE(house.modules.add(kNew).is_ok());
    house.discover();
    EXPECT_EQ(house.features().report(kTag).version, "1.0.0");
    EXPECT_EQ(house.features().report(kTag).newer, "1.1.0");
    house.log();
    house.features().reload(kTag, house.told("reload"));
    house.frames(6);
    EXPECT_EQ(house.said(), "reload ok");
    EXPECT_EQ(house.features().report(kTag).version, "1.1.0");
    EXPECT_EQ(house.state("tag"), "Active");
    EXPECT_EQ(house.state("bots"), "Active");
    EXPECT_TRUE(house.runtime.tags().find("Tag.New").is_ok());
    EXPECT_FALSE(house.runtime.tags().find("Tag.Old").is_ok());
    EXPECT_TRUE(hold.is_held());
    EXPECT_TRUE(house.features().is_attached(Name("bots"), world));
    const std::string log = house.log();
    EXPECT_LT(log.find("bots.b.deactivating(arena)"), log.find("tag.t.deactivating(arena)")) << log;
    EXPECT_LT(log.find("tag.t.unregistering"), log.find("tag.t.registering")) << log;
    EXPECT_LT(log.rfind("tag.t.activated(arena)"), log.rfind("bots.b.activated(arena)")) << log;
}

TEST(Reload, a_version_that_does_not_come_up_leaves_the_old_one_in_force) {
    //
    Household house;
    static const ModuleEntry kOld = version_of("1.0.0", [](Registrar& f) { f.tag("Tag.Old"); });
    static const ModuleEntry kNew = version_of("1.1.0", [](Registrar&) { throw std::runtime_error("bent"); });
    ASSERT_TRUE(house.modules.add(kOld).is_ok());
    house.write("tag", note_action("t") + kModule);
    house.write("bots", needs("tag") + note_action("b"));
    house.discover();
    World& world = house.world();
    FeatureHold hold = house.features().acquire(Name("bots"), world.owner(), Destination::Active);
    house.write("tag", note_action("t") + kModule, "1.1.0");
    ASSERT_TRUE(house.modules.add(kNew).is_ok());
    house.features().reload(kTag, house.told("reload"));
    house.frames(12);
    EXPECT_EQ(house.said(), "reload ModuleFailed") << house.features().explain(kTag);
    EXPECT_EQ(house.state("tag"), "Active");
    EXPECT_EQ(house.state("bots"), "Active");
    EXPECT_EQ(house.features().report(kTag).version, "1.0.0");
    EXPECT_TRUE(house.runtime.tags().find("Tag.Old").is_ok());
    house.features().reload(Name("nobody"), house.told("nobody"));
    EXPECT_EQ(house.said(), "nobody UnknownFeature");
}

TEST(Reload, a_version_that_does_not_come_up_in_a_world_that_had_it_leaves_the_old_one_in_force) {
    // X-119, F-82
    for (const bool is_dependent : {false, true}) {
        bool is_better = false;
        Household house;
        house.write("tag", note_action("t"));
        house.write("bots", needs("tag") + note_action("b"));
        house.discover();
        const Name wanted = is_dependent ? Name("bots") : kTag;
        std::vector<World*> worlds;
        std::vector<FeatureHold> holds;
        for (const char* name : {"one", "two", "bare"}) worlds.push_back(&house.world(name));
        story().at = [](const std::string& line, ActionContext*) {
            return line == "tag.t.activating(bare)" ? Status::failed("never there") : Status::ok();
        };
        for (World* world : worlds)
            holds.push_back(house.features().acquire(wanted, world->owner(), Destination::Active));
        ASSERT_FALSE(holds[2].is_held());
        story().at = [&](const std::string& line, ActionContext*) {
            const bool is_new = house.features().manifest(kTag)->version.to_string() == "1.1.0";
            return is_new && !is_better && line == "tag.t.activating(two)" ? Status::failed("bent") : Status::ok();
        };
        house.write("tag", note_action("t"), "1.1.0");
        house.features().reload(kTag, house.told("reload"));
        house.frames(12);
        EXPECT_EQ(house.said(), "reload ActionFailed") << house.features().explain(kTag);
        EXPECT_NE(house.last_error.text.find("bent"), std::string::npos) << house.last_error.to_string();
        EXPECT_EQ(house.features().report(kTag).version, "1.0.0");
        for (std::size_t i = 0; i < 2; ++i) {
            EXPECT_TRUE(house.features().is_attached(wanted, *worlds[i]));
            EXPECT_TRUE(holds[i].is_held());
        }
        is_better = true;
        house.features().reload(kTag, house.told("reload"));
        house.frames(12);
        EXPECT_EQ(house.said(), "reload ok");
        EXPECT_EQ(house.features().report(kTag).version, "1.1.0");
        for (std::size_t i = 0; i < 2; ++i) EXPECT_TRUE(house.features().is_attached(wanted, *worlds[i]));
    }
}

TEST(Reload, who_asks_for_it_meanwhile_is_answered_by_the_version_that_stays) {
    // X-119, F-12, E-42
    for (const std::string where : {"registering", "loading", "activating(arena)"})
        for (const bool is_process : {false, true}) {
            Household house;
            house.write("tag", note_action("t", "pauses = true"));
            house.write("bots", needs("tag") + note_action("b"));
            house.write("late", needs("tag") + note_action("l"));
            house.discover();
            World& world = house.world();
            FeatureHold own, again, late;
            if (is_process)
                house.features().activate(kTag);
            else
                own = house.features().acquire(Name("bots"), world.owner(), Destination::Active);
            story().at = [&](const std::string& line, ActionContext*) {
                const bool is_new = house.features().manifest(kTag)->version.to_string() == "1.1.0";
                const OwnerScope as(Owner::process());  // what asks goes with nobody
                if (is_new && line == "tag.t.registering")
                    late =
                        house.features().acquire(Name("late"), world.owner(), Destination::Active, house.told("late"));
                return is_new && line == "tag.t." + where ? Status::failed("bent") : Status::ok();
            };
            house.write("tag", note_action("t", "pauses = true"), "1.1.0");
            house.features().reload(kTag, house.told("reload"));
            house.frames(2);
            again = house.features().acquire(kTag, world.owner(), Destination::Active, house.told("again"));
            house.features().activate(kTag, house.told("process"));
            for (int i = 0; i < 16; ++i) {
                story().tokens.clear();
                house.frame();
            }
            const std::string said = house.said();
            for (const char* one : {"again ok", "process ok", "late ok", "reload ActionFailed"})
                EXPECT_NE(said.find(one), std::string::npos) << said << " at " << where;
            EXPECT_EQ(house.features().report(kTag).version, "1.0.0") << where;
            for (Name id : {kTag, Name("late")}) EXPECT_TRUE(house.features().is_attached(id, world)) << where;
            EXPECT_EQ(house.features().is_attached(Name("bots"), world), !is_process);
            EXPECT_TRUE(again.is_held() && late.is_held());
        }
}

TEST(Reload, who_wants_less_before_it_is_over_has_given_up_what_he_asked_for) {
    // X-119, F-12
    Household house;
    house.write("tag", note_action("t", "pauses = true"));
    house.discover();
    World& world = house.world();
    const FeatureHold hold = house.features().acquire(kTag, world.owner(), Destination::Loaded);
    house.features().activate(kTag);
    house.features().reload(kTag, house.told("reload"));
    house.frames(2);
    house.features().activate(kTag, house.told("up"));
    house.features().deactivate(kTag);
    story().tokens.clear();
    house.frames(6);
    EXPECT_EQ(house.said(), "up Cancelled, reload ok");
    EXPECT_EQ(house.state("tag"), "Loaded");
}

TEST(Reload, only_so_many_may_wait_for_one_feature) {
    //
    Household house;
    house.write("tag", note_action("t", "pauses = true"));
    house.discover();
    house.world();
    house.features().activate(kTag);
    house.features().reload(kTag);
    house.frames(2);
    constexpr std::size_t kMost = 60'000;
    std::size_t there = 0, refused = 0;
    const auto count = [&](const FeatureResult& result) { ++(result ? there : refused); };
    for (std::size_t i = 0; i < kMost + 10; ++i) house.features().activate(kTag, count);
    EXPECT_EQ(refused, 10u);
    EXPECT_EQ(there, 0u);
    story().tokens.clear();
    house.frames(6);
    EXPECT_EQ(refused, 10u);
    EXPECT_EQ(there, kMost);
    EXPECT_EQ(house.state("tag"), "Active");
}

TEST(Reload, who_comes_to_need_it_while_it_goes_down_may_not_lose_a_world_by_it_either) {
    // X-119, F-82
    Household house;
    house.write("tag", note_action("t", "pauses = true"));
    house.write("late", note_action("l"));
    house.discover();
    World& world = house.world();
    Owner late;
    FeatureHold beyond;
    story().at = [&](const std::string& line, ActionContext*) {
        if (line == "late.l.activated(arena)") late = Owner::current();
        if (line == "late.l.deactivating(arena)") beyond.release();
        const bool is_new = house.features().manifest(kTag)->version.to_string() == "1.1.0";
        return is_new && line == "late.l.activating(arena)" ? Status::failed("bent") : Status::ok();
    };
    std::vector<FeatureHold> holds;
    for (World* one : {&world, &house.world("beach")})  // there it goes on
        for (Name id : {kTag, Name("late")})
            holds.push_back(house.features().acquire(id, one->owner(), Destination::Active));
    house.write("tag", note_action("t"), "1.1.0");
    house.features().reload(kTag, house.told("reload"));
    house.frames(2);
    beyond = house.features().acquire(kTag, late, Destination::Active);
    story().tokens.clear();
    for (int i = 0; i < 12; ++i) {
        house.frame();
        story().tokens.clear();
    }
    EXPECT_EQ(house.said(), "reload ActionFailed");
    EXPECT_EQ(house.features().report(kTag).version, "1.0.0");
    for (Name id : {kTag, Name("late")}) EXPECT_TRUE(house.features().is_attached(id, world)) << id.text();
}

TEST(Reload, one_that_was_refused_is_tried_anew) {
    // F-75
    struct Crate : Actor {
        static void describe(TypeBuilder<Crate>& t) { t.parent<Actor>(); }
    };
    Household house;
    static const ModuleEntry kCrates = version_of("1.0.0", [](Registrar& f) { f.type<Crate>(); });
    ASSERT_TRUE(house.modules.add(kCrates).is_ok());
    house.write("tag", kModule);
    house.discover();
    World& world = house.world();
    FeatureHold hold = house.features().acquire(kTag, world.owner(), Destination::Loaded);
    ASSERT_TRUE(world.spawn("Crate").is_ok());
    hold.release();
    house.frames(2);
    EXPECT_EQ(house.state("tag"), "Registered");  // refused
    for (ActorId id : world.actors()) world.destroy(id);
    house.features().reload(kTag, house.told("reload"));
    house.frames(6);
    EXPECT_EQ(house.said(), "reload ok");
    EXPECT_EQ(house.state("tag"), "Installed");  // nobody wants it
}

TEST(Reload, who_waits_for_a_climb_that_it_cut_short_is_answered_when_the_feature_ends) {
    // X-119, F-12
    Household house;
    house.files.write("features/tag/content/big.thing.toml", "size = 2\n");
    house.write("tag", note_action("t", "asset = \"big\""));
    house.discover();
    house.executor.hold("big.thing");
    house.features().activate(kTag, house.told("up"));
    house.features().reload(kTag, house.told("reload"));
    house.features().terminate(kTag, house.told("end"));
    house.frames(4);
    const std::string said = house.said();
    for (const char* one : {"up Cancelled", "reload UnknownFeature", "end ok"})
        EXPECT_NE(said.find(one), std::string::npos) << said;
}

TEST(Reload, a_manifest_that_cannot_be_had_is_refused_and_nothing_goes_down_for_it) {
    // X-119, F-58, F-60, F-57
    const struct {
        std::string manifest, code;
    } kCases[] = {{needs("chess", "kind = \"incompatible\""), "Incompatible"},
                  {needs("bots"), "DependencyCycle"},
                  {needs("nobody"), "DependencyMissing"},
                  {"nonsense = 1\n", "ManifestBad"}};
    for (const auto& [manifest, code] : kCases) {
        Household house;
        house.write("tag", note_action("t"));
        house.write("bots", needs("tag"));
        house.write("chess");
        house.discover();
        World& world = house.world();
        FeatureHold bots = house.features().acquire(Name("bots"), world.owner(), Destination::Active);
        FeatureHold chess = house.features().acquire(Name("chess"), world.owner(), Destination::Active);
        house.write("tag", manifest + note_action("t"), "2.0.0");
        house.log();
        house.features().reload(kTag, house.told("reload"));
        EXPECT_EQ(house.said(), "reload " + code);
        house.frames(4);
        EXPECT_EQ(house.log(), "");
        EXPECT_EQ(house.state("tag"), "Active");
        EXPECT_EQ(house.features().manifest(kTag)->version.to_string(), "1.0.0");
    }
}

TEST(Reload, what_is_refused_to_others_meanwhile_is_none_of_its_errors) {
    //
    Household house;
    house.files.write("features/tag/content/big.thing.toml", "size = 2\n");
    house.write("tag", note_action("t", "asset = \"big\""));
    house.discover();
    World& world = house.world();
    FeatureHold hold = house.features().acquire(kTag, world.owner(), Destination::Active);
    house.frames(3);
    house.write("tag", note_action("t", "asset = \"big\""), "1.1.0");
    house.executor.hold("big.thing");
    house.features().reload(kTag, house.told("reload"));
    house.frames(2);
    EXPECT_EQ(house.state("tag"), "Loading");
    house.features().unload(kTag, KeepRegistered::No, house.told("held"));
    house.executor.release("big.thing");
    house.frames(4);
    EXPECT_EQ(house.said(), "held HeldBy, reload ok");
    EXPECT_EQ(house.features().report(kTag).version, "1.1.0");
}

TEST(Reload, is_asked_for_at_the_console_as_looking_for_features_is) {
    // F-48
    Household house;
    house.write("tag", note_action("t"));
    house.discover();
    house.features().activate(kTag);
    house.write("tag", note_action("t"), "1.1.0");
    house.write("core");
    EXPECT_EQ(house.runtime.console().execute("feature.discover").text, "2 features, 1 before");
    EXPECT_EQ(house.features().report(kTag).newer, "1.1.0");
    const std::string text = house.runtime.console().execute("feature.reload tag").text;
    EXPECT_NE(text.find("on its way"), std::string::npos) << text;
    house.frames(4);
    EXPECT_EQ(house.features().report(kTag).version, "1.1.0");
    EXPECT_EQ(house.reports("feature.reloaded"), 1u);
    house.write("bad", "nonsense = 1\n", "1.0.0", "mods");
    EXPECT_FALSE(house.runtime.console().execute("feature.discover mods").status.is_ok());
    EXPECT_FALSE(house.runtime.console().execute("feature.reload nobody").status.is_ok());
}

TEST(Reload, what_is_held_is_not_reloaded_and_stays_up) {
    // X-119, F-75
    Household house;
    struct Runner : Actor {
        static void describe(TypeBuilder<Runner>& t) { t.parent<Actor>(); }
    };
    static const ModuleEntry kOld = version_of("1.0.0", [](Registrar& f) { f.type<Runner>(); });
    ASSERT_TRUE(house.modules.add(kOld).is_ok());
    house.write("tag", note_action("t") + kModule);
    house.discover();
    World& world = house.world();
    FeatureHold hold = house.features().acquire(kTag, world.owner(), Destination::Active);
    ASSERT_TRUE(world.spawn("Runner").is_ok());
    house.features().reload(kTag, house.told("reload"));
    house.frames(4);
    EXPECT_EQ(house.said(), "reload InstancesAlive");
    EXPECT_EQ(house.state("tag"), "Active");
    EXPECT_TRUE(house.features().is_attached(kTag, world));
}

TEST(Console, lists_and_moves_features_by_id_or_place) {
    // F-48
    Household house;
    house.write("tag", note_action("t"));
    house.write("core", "", "0.2.0");
    house.discover();
    Console& console = house.runtime.console();
    const auto run = [&](std::string_view line) {
        const CommandResult result = console.execute(line);
        return result.status ? result.text : result.status.to_string();
    };
    EXPECT_EQ(run("feature.list -csv"), "id,version,state\ncore,0.2.0,Installed\ntag,1.0.0,Installed");
    EXPECT_EQ(run("feature.activate tag"), "tag: Active");
    EXPECT_EQ(run("feature.list -activeonly -csv"), "id,version,state\ntag,1.0.0,Active");
    EXPECT_EQ(run("feature.list -activeonly"), "tag                      1.0.0      Active");
    EXPECT_EQ(run("feature.deactivate file:features/tag"), "tag: Loaded");
    EXPECT_EQ(run("feature.unload_keep_registered tag"), "tag: Registered");
    EXPECT_EQ(run("feature.unload tag"), "tag: Unregistering, on its way");
    house.frame();
    EXPECT_EQ(house.state("tag"), "Installed");
    EXPECT_EQ(run("feature.cancel tag"), "tag: Installed");
    EXPECT_EQ(run("feature.release tag"), "tag: StatusKnown");
    EXPECT_EQ(run("feature.terminate tag"), "tag: Terminal");
    EXPECT_EQ(run("feature.activate cor"),
              "not found: GameFeature.UnknownStatus.UnknownFeature: no feature \"cor\"; did you mean \"core\"?");
    EXPECT_EQ(run("feature.list -all"), "invalid: -all is neither -activeonly nor -csv");
}

TEST(Console, variables_have_their_defaults_and_go_with_the_table) {
    // F-49
    Household house;
    Variables& variables = house.runtime.variables();
    const auto value = [&](std::string_view name) { return format_value(variables.describe(name)->value); };
    EXPECT_EQ(value("lyre.features.VerifyUnload"), "true");
    EXPECT_EQ(value("lyre.features.VerifyUnloadChains"), "false");
    EXPECT_EQ(value("lyre.features.LogMountedFiles"), "false");
    EXPECT_EQ(value("lyre.features.StepTimeoutSecs"), "60");
    EXPECT_EQ(value("lyre.features.PauserTimeoutSecs"), "10");
    ASSERT_TRUE(variables.set("lyre.features.LogMountedFiles", "true", {VariableSource::Console, "console"}));
    house.files.write("features/tag/content/a.thing.toml", "size = 2\n");
    house.write("tag");
    house.discover();
    house.features().load(kTag);
    EXPECT_EQ(house.reports("feature.mounted"), 1u);
    house.close();
    EXPECT_FALSE(variables.describe("lyre.features.VerifyUnload").is_ok());
    EXPECT_TRUE(house.runtime.console().commands(Owner::process()).size() >= 2);
    house.open();
    EXPECT_EQ(value("lyre.features.VerifyUnload"), "true");
}

TEST(Report, an_action_that_cannot_be_is_told_by_its_number_and_kind) {
    // F-46
    Household house;
    house.write("tag", note_action("a") + "[[action]]\nkind = \"notte\"\n");
    house.write("core",
                note_action("a") + note_action("b", "pauses = 3") + note_action("c", "fails = \"registering\""));
    house.write("hud", note_action("a") + note_action("c", "fails = \"registering\""));
    house.discover();
    const struct {
        const char *id, *code;
        std::vector<const char*> words;
    } kCases[] = {{"tag", "ActionUnknown", {"action 2 in feature tag", "\"notte\"", "feature.toml:8:8"}},
                  {"core", "ActionBad", {"\"pauses\" of action 2", "feature.toml:10:10"}},
                  {"hud", "ActionFailed", {"action 2 (note), registering"}}};
    for (const auto& one : kCases) {
        house.features().load(Name(one.id), house.told(one.id));
        EXPECT_EQ(house.said(), fmt::format("{} {}", one.id, one.code));
        for (const char* word : one.words)
            EXPECT_NE(house.last_error.text.find(word), std::string::npos) << house.last_error.text;
        EXPECT_EQ(house.state(one.id), "ErrorRegistering");
    }
}

TEST(Report, says_the_same_as_data_as_json_and_as_text) {
    // X-117, F-77
    Household house;
    house.write("core", "title = \"The core\"\n");
    house.write("tag", needs("core", "versions = \"^1\"") + note_action("t"));
    house.discover();
    World& world = house.world();
    FeatureHold hold = house.features().acquire(kTag, world.owner(), Destination::Active);
    const FeatureReport report = house.features().report(kTag);
    EXPECT_EQ(report.state, "Active");
    ASSERT_EQ(report.owners.size(), 1u);
    EXPECT_EQ(report.owners[0].owner, world.owner().to_string());
    ASSERT_EQ(report.worlds.size(), 1u);
    EXPECT_EQ(report.worlds[0].to_string(), "in world arena");
    const auto json = nlohmann::json::parse(to_json(report));
    EXPECT_EQ(json["state"], "Active");
    EXPECT_EQ(json["dependencies"][0]["found"], "1.0.0");
    EXPECT_EQ(json["owners"][0]["level"], "Active");
    EXPECT_EQ(json["resident"], false);
    const std::string text = house.features().explain(kTag);
    EXPECT_EQ(text, fmt::format(
                        "feature tag 1.0.0: Active\n  {} wants it to be Active\n  required dependency core ^1: 1.0.0, "
                        "Active\n  in world arena\n  what keeps it from being unloaded: {} (Active)",
                        world.owner().to_string(), world.owner().to_string()));
    EXPECT_EQ(house.features().reports().size(), 2u);
}

}  // namespace discover_test
}  // namespace lyre::features
