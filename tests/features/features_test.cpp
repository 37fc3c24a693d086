// The life of features in one process: what climbs, who waits, who holds, what is told.
#include "lyre/features/features.h"

#include "tests/allocations.h"
#include "tests/features/household.h"

namespace lyre::features {
namespace features_test {

const Name kTag("tag"), kCore("core"), kBots("bots");

TEST(Features, an_action_lives_through_its_hooks_in_order) {
    // A-01, F-29, F-45
    Household house;
    house.write("tag", note_action("a") + note_action("b"));
    house.discover();
    house.world("arena");
    house.features().activate(kTag, house.told("activate"));
    EXPECT_EQ(house.said(), "activate ok");
    EXPECT_EQ(house.log(),
              "tag.a.registering tag.b.registering tag.a.loading tag.b.loading tag.a.activating(arena) "
              "tag.b.activating(arena) tag.a.activated(arena) tag.b.activated(arena)");
    house.features().unload(kTag, KeepRegistered::No, house.told("unload"));
    house.frame();
    EXPECT_EQ(house.said(), "unload ok");
    EXPECT_EQ(house.log(),
              "tag.b.deactivating(arena) tag.a.deactivating(arena) tag.b.unloading tag.a.unloading "
              "tag.b.unregistering tag.a.unregistering");
    EXPECT_EQ(house.state("tag"), "Installed");
    EXPECT_TRUE(house.features().ledger(kTag).empty());
}

TEST(Features, which_value_counts_does_not_depend_on_when_those_between_them_were_found) {
    // F-37, X-09, A-33
    Household house;
    const auto variable = *house.runtime.variables().add<double>({.name = "game.gravity", .default_value = 1});
    const auto gravity = [](int value) {
        return fmt::format("[[action]]\nkind = \"set_variables\"\nvariables = {{ \"game.gravity\" = {} }}\n", value);
    };
    house.write("ant", needs("zoo", "kind = \"optional\"") + gravity(3));
    house.write("heavy", gravity(7));
    house.discover();
    World& before = house.world("before");
    house.features().activate(Name("ant"));
    house.features().activate(Name("heavy"));
    EXPECT_EQ(before.variables().get(variable), 7);
    std::string told;
    Connection changes = before.variables().changed().add([&](const VariableChange& change) {
        told += fmt::format("{} -> {} ", format_value(change.before), format_value(change.after));
        house.features().deactivate(Name("heavy"));
        changes.disconnect();
    });
    house.write("zoo", needs("heavy"));
    house.discover();  // now ant stands above heavy
    EXPECT_EQ(told, "7 -> 3 ");
    house.features().activate(Name("heavy"));
    EXPECT_EQ(before.variables().get(variable), 3);
    EXPECT_EQ(house.world("after").variables().get(variable), 3);
}

TEST(Features, registering_runs_though_the_feature_is_never_active) {
    //
    Household house;
    house.write("tag", note_action("a"));
    house.discover();
    house.features().change_target(kTag, Destination::Registered, house.told("registered"));
    EXPECT_EQ(house.said(), "registered ok");
    EXPECT_EQ(house.log(), "tag.a.registering");
}

TEST(Features, each_hook_that_fails_or_throws_ends_in_its_error_state_with_nothing_left) {
    // A-01, F-05, F-79
    const struct {
        std::string hook, state, below;
    } kHooks[] = {{"registering", "ErrorRegistering", "Installed"},
                  {"loading", "ErrorLoading", "Registered"},
                  {"activating", "ErrorActivating", "Loaded"}};
    for (const auto& [hook, state, below] : kHooks)
        for (const std::string how : {"fails", "throws"}) {
            Household house;
            house.write("tag", note_action("a") + note_action("b", fmt::format("{} = \"{}\"", how, hook)));
            house.discover();
            house.world();
            const std::size_t roots = house.assets.registry().roots().size();
            house.features().activate(kTag, house.told("activate"));
            EXPECT_EQ(house.said(), "activate ActionFailed");
            EXPECT_EQ(house.state("tag"), state);
            EXPECT_NE(house.last_error.text.find("action 2 (note)"), std::string::npos) << house.last_error.text;
            EXPECT_EQ(house.assets.registry().roots().size(), roots);
            house.log();
            house.features().unload(kTag, KeepRegistered::No, house.told("unload"));
            house.frame();
            EXPECT_EQ(house.said(), "unload ok");
            EXPECT_EQ(house.state("tag"), "Installed");
            EXPECT_TRUE(house.features().ledger(kTag).empty());
        }
}

TEST(Features, a_dependency_is_never_below_its_dependent) {
    // F-24, F-64, F-68
    Household house;
    house.write("core", note_action("c"));
    house.write("left", needs("core") + note_action("l"));
    house.write("right", needs("core") + note_action("r"));
    house.write("tag", needs("left") + needs("right") + note_action("t"));
    house.discover();
    house.world();
    house.features().activate(kTag, house.told("activate"));
    EXPECT_EQ(house.said(), "activate ok");
    EXPECT_EQ(house.log(),
              "core.c.registering left.l.registering right.r.registering tag.t.registering core.c.loading "
              "left.l.loading right.r.loading tag.t.loading core.c.activating(arena) core.c.activated(arena) "
              "left.l.activating(arena) left.l.activated(arena) right.r.activating(arena) right.r.activated(arena) "
              "tag.t.activating(arena) tag.t.activated(arena)");
    house.features().unload(kTag, KeepRegistered::No, house.told("unload"));
    house.frames(8);
    EXPECT_EQ(house.said(), "unload ok");
    for (const char* id : {"core", "left", "right", "tag"}) EXPECT_EQ(house.state(id), "Installed") << id;
    const std::string log = house.log();
    EXPECT_EQ(log.find("core.c.deactivating"), log.rfind("core.c.deactivating"));  // once, though two needed it
    EXPECT_LT(log.find("tag.t.deactivating"), log.find("left.l.deactivating"));
    EXPECT_LT(log.find("left.l.unregistering"), log.find("core.c.unregistering"));
}

TEST(Features, an_unknown_dependency_refuses_the_request_and_nothing_moves) {
    // F-22
    Household house;
    house.write("arena_core", needs("physiks", "reason = \"things fall\""));
    house.write("physics");
    house.write("rules", needs("arena_core"));
    house.write("tag", needs("rules"));
    house.discover();
    house.features().activate(kTag, house.told("activate"));
    EXPECT_EQ(house.said(), "activate DependencyMissing");
    EXPECT_NE(house.last_error.text.find("things fall"), std::string::npos) << house.last_error.text;
    EXPECT_NE(house.last_error.text.find("physics"), std::string::npos) << house.last_error.text;
    for (const char* id : {"arena_core", "physics", "rules", "tag"}) EXPECT_EQ(house.state(id), "Installed");
    EXPECT_TRUE(house.features().report(kTag).owners.empty());
}

TEST(Features, features_in_a_circle_are_refused_and_others_work) {
    // F-58
    Household house;
    house.write("a", needs("b"));
    house.write("b", needs("a"));
    house.write("c");
    house.discover();
    house.features().activate(Name("a"), house.told("a"));
    house.features().activate(Name("c"), house.told("c"));
    EXPECT_EQ(house.said(), "a DependencyCycle, c ok");
}

TEST(Features, an_optional_dependency_that_is_missing_or_fails_leaves_the_dependent_degraded) {
    // F-59
    Household house;
    house.write("fails", note_action("f", "fails = \"registering\""));
    house.write("old", "", "0.1.0");
    house.write("fine", note_action("g"));
    house.write("tag", needs("none", "kind = \"optional\"") + needs("fails", "kind = \"optional\"") +
                           needs("old", "kind = \"optional\"\nversions = \"^2\"") +
                           needs("fine", "kind = \"optional\""));
    house.discover();
    house.features().activate(kTag, house.told("activate"));
    EXPECT_EQ(house.said(), "activate ok");
    EXPECT_EQ(house.state("tag"), "Active");
    EXPECT_EQ(house.state("fine"), "Active");
    EXPECT_EQ(house.reports("feature.degraded"), 3u);
    std::size_t troubled = 0;
    for (const DependencyReport& one : house.features().report(kTag).dependencies)
        troubled += one.trouble.empty() ? 0 : 1;
    EXPECT_EQ(troubled, 3u);
    house.features().unload(kTag);
    house.frames(3);
    EXPECT_EQ(house.state("fine"), "Installed");
}

TEST(Features, an_optional_dependency_that_fails_in_one_world_is_told_for_that_world) {
    // F-59, X-117
    Household house;
    house.write("hud", note_action("h"));
    house.write("tag", needs("hud", "kind = \"optional\"") + note_action("t"));
    house.discover();
    World& one = house.world("one");
    World& two = house.world("two");
    story().at = [&](const std::string& line, ActionContext*) {
        return line == "hud.h.activating(two)" ? Status::failed("no room") : Status::ok();
    };
    const auto trouble = [&] { return house.features().report(kTag).dependencies.at(0).trouble; };
    const FeatureHold first = house.features().acquire(kTag, one.owner(), Destination::Active, house.told("one"));
    EXPECT_EQ(trouble(), "");
    FeatureHold second = house.features().acquire(kTag, two.owner(), Destination::Active, house.told("two"));
    EXPECT_EQ(house.said(), "one ok, two ok");
    EXPECT_TRUE(house.features().is_attached(kTag, two));
    EXPECT_FALSE(house.features().is_attached(Name("hud"), two));
    EXPECT_EQ(trouble().rfind("not in world two: ", 0), 0u) << trouble();
    EXPECT_NE(trouble().find("no room"), std::string::npos) << trouble();
    EXPECT_NE(house.features().explain(kTag).find(": not in world two"), std::string::npos)
        << house.features().explain(kTag);
    EXPECT_EQ(house.reports("feature.degraded"), 1u);
    second.release();
    house.frame();
    EXPECT_EQ(trouble(), "");
}

TEST(Features, content_that_cannot_be_listed_fails_mounting_and_none_is_no_trouble) {
    // F-81
    Household house;
    house.files.write("features/tag/content/flag.thing.toml", "size = 2\n");
    house.write("tag");
    house.write("bare");
    house.discover();
    house.files.fail("features/tag/content", Status(StatusCode::Unavailable, "the disk is gone"));
    house.features().load(kTag, house.told("tag"));
    house.features().load(Name("bare"), house.told("bare"));
    EXPECT_EQ(house.said(), "tag MountFailed, bare ok");
    EXPECT_NE(house.last_error.text.find("features/tag/content"), std::string::npos) << house.last_error.text;
    EXPECT_EQ(house.state("tag"), "ErrorMounting");
    EXPECT_EQ(house.assets.registry().roots().size(), 0u);
    house.files.heal("features/tag/content");
    house.features().load(kTag, house.told("tag"));
    EXPECT_EQ(house.said(), "tag ok");
    EXPECT_EQ(house.assets.registry().roots().size(), 1u);
}

TEST(Features, a_bundle_that_cannot_be_read_fails_loading_and_nothing_of_it_stays_in_memory) {
    // F-79, F-27
    Household house;
    house.files.write("features/tag/content/fine.thing.toml", "size = 2\n");
    house.files.write("features/tag/content/torn.thing.toml", "size = \n");
    house.write("tag", note_action("a", "asset = \"fine\"") + note_action("b", "asset = \"torn\""));
    house.discover();
    house.features().load(kTag, house.told("load"));
    house.frames(3);
    EXPECT_EQ(house.said(), "load AssetsFailed");
    EXPECT_EQ(house.state("tag"), "ErrorLoading");
    EXPECT_NE(house.last_error.text.find("torn"), std::string::npos) << house.last_error.text;
    house.frames(2);
    EXPECT_EQ(house.assets.memory().assets, 0u);
    EXPECT_EQ(house.log().find("tag.a.loading"), std::string::npos);
}

TEST(Features, a_second_world_that_is_joined_too_slowly_is_given_up_and_the_first_is_left_alone) {
    // F-80, F-82, F-83
    Household house;
    house.files.write("features/tag/content/big.thing.toml", "size = 2\n");
    house.write("tag", note_action("a", "asset = \"big\"\nside = \"client\""));
    house.discover();
    World& server = house.world("server", NetMode::DedicatedServer);
    World& client = house.world("client", NetMode::Client);
    const FeatureHold first = house.features().acquire(kTag, server.owner(), Destination::Active, house.told("server"));
    EXPECT_EQ(house.said(), "server ok");
    house.executor.hold("big.thing");
    const FeatureHold second =
        house.features().acquire(kTag, client.owner(), Destination::Active, house.told("client"));
    house.frame(59);
    EXPECT_EQ(house.said(), "");
    house.log();
    house.frame(2);
    EXPECT_EQ(house.said(), "client StepTimeout");
    EXPECT_NE(house.last_error.text.find("thing:big"), std::string::npos) << house.last_error.text;
    EXPECT_FALSE(second.is_held());
    EXPECT_TRUE(house.features().is_attached(kTag, server));
    EXPECT_EQ(house.state("tag"), "Active");
    EXPECT_EQ(house.log(), "");
}

// Writes down which modules are opened and closed.
struct LoggingModules final : ModuleLoader {
    LinkedModules linked;
    std::vector<std::string> log;
    OpenedModule open(const ModuleRequest& request) override {
        log.push_back(fmt::format("open {}", request.feature));
        return linked.open(request);
    }
    OpenedModule open_again(const ModuleRequest& request, const ModuleImage& image) override {
        return linked.open_again(request, image);
    }
    std::shared_ptr<const ModuleImage> image(const Module& module) const override { return linked.image(module); }
    ModuleFailure close(std::unique_ptr<Module> module) override {
        log.push_back(fmt::format("close {}", module->entry().feature));
        return linked.close(std::move(module));
    }
    std::size_t open_count() const override { return linked.open_count(); }
};

TEST(Features, modules_open_after_those_they_need_and_close_before_them) {
    // F-68
    static const ModuleEntry kEntries[] = {linked_entry("core", "1.0.0", [](Registrar& f) { f.tag("Core.On"); }),
                                           linked_entry("tag", "1.0.0", [](Registrar& f) { f.tag("Tag.On"); })};
    Household house;
    house.close();
    LoggingModules modules;
    for (const ModuleEntry& entry : kEntries) ASSERT_TRUE(modules.linked.add(entry).is_ok());
    house.write("core", "[module]\nname = \"core\"\n");
    house.write("tag", needs("core") + "[module]\nname = \"tag\"\n");
    Features features({house.runtime, house.assets, house.files, modules});
    ASSERT_TRUE(features.discover("features").is_empty());
    features.load(kTag, house.told("load"));
    EXPECT_EQ(modules.log, (std::vector<std::string>{"open core", "open tag"}));
    features.unload(kTag, KeepRegistered::No, house.told("unload"));
    for (int i = 0; i < 4; ++i) features.update();
    EXPECT_EQ(house.said(), "load ok, unload ok");
    EXPECT_EQ(modules.log, (std::vector<std::string>{"open core", "open tag", "close tag", "close core"}));
}

TEST(Features, a_dependency_that_fails_gives_its_error_to_the_dependent) {
    // F-23
    Household house;
    house.write("core", note_action("c", "fails = \"loading\""));
    house.write("tag", needs("core"));
    house.discover();
    house.features().activate(kTag, house.told("activate"));
    EXPECT_EQ(house.said(), "activate DependencyFailed");
    ASSERT_NE(house.last_error.inner, nullptr);
    EXPECT_EQ(house.last_error.inner->code, ErrorCode::ActionFailed);
    EXPECT_EQ(house.last_error.inner->feature, kCore);
    EXPECT_EQ(house.state("tag"), "ErrorLoadingDependencies");
}

TEST(Features, a_dependency_on_its_way_down_is_turned_round) {
    // F-23, F-14
    Household house;
    house.write("core", note_action("c", "pauses = true"));
    house.write("tag", needs("core"));
    house.discover();
    house.world();
    house.features().activate(kCore);
    house.features().unload(kCore, KeepRegistered::No, house.told("unload"));
    house.frame();
    EXPECT_EQ(house.state("core"), "Deactivating");  // somebody asks for time
    house.features().activate(kTag, house.told("activate"));
    story().tokens.clear();
    house.frames(3);
    EXPECT_EQ(house.said(), "unload Cancelled, activate ok");
    EXPECT_EQ(house.state("core"), "Active");
}

TEST(Features, a_dependency_that_ends_meanwhile_is_gone) {
    // F-23
    Household house;
    house.files.write("features/core/content/keg.archetype.toml", "parent = \"Fighter\"\n");
    house.write("core", note_action("c"));
    house.write("tag", needs("core"));
    house.discover();
    house.executor.hold("keg.archetype");
    house.features().activate(kTag, house.told("activate"));
    house.files.remove("features/core");
    house.discover();  // its folder has gone: it ends when it is down
    house.features().cancel(kCore);
    house.frames(4);
    EXPECT_EQ(house.said(), "activate DependencyGone") << house.last_error.to_string();
    EXPECT_EQ(house.state("tag"), "ErrorWaitingForDependencies");
}

TEST(Features, who_is_needed_is_not_lowered) {
    // F-63, F-33
    Household house;
    house.write("core", note_action("c"));
    house.write("tag", needs("core") + note_action("t"));
    house.discover();
    World& world = house.world();
    house.features().activate(kTag);
    house.features().activate(kCore);
    house.features().deactivate(kCore, Dependents::Refuse, house.told("refuse"));
    EXPECT_EQ(house.said(), "refuse HeldBy");
    ASSERT_EQ(house.last_error.holders.size(), 1u);
    EXPECT_EQ(house.last_error.holders[0].to_string(), "feature tag (Active) <- process (Active)");
    EXPECT_EQ(house.state("core"), "Active");
    house.log();
    house.features().deactivate(kCore, Dependents::TakeDown, house.told("take down"));
    house.frame();
    EXPECT_EQ(house.said(), "take down ok");
    EXPECT_EQ(house.log(), "tag.t.deactivating(arena) core.c.deactivating(arena)");
    EXPECT_EQ(house.state("tag"), "Loaded");
    FeatureHold hold = house.features().acquire(kTag, world.owner(), Destination::Active, house.told("world"));
    EXPECT_EQ(house.said(), "world ok");
    house.features().deactivate(kCore, Dependents::TakeDown, house.told("held by a world"));
    EXPECT_EQ(house.said(), "held by a world HeldBy");
    house.features().deactivate(Name("core"), Dependents::Refuse, house.told("again"));
    house.said();
    hold.release();
    house.frame();
    house.features().deactivate(kCore, Dependents::Refuse, house.told("low already"));
    EXPECT_EQ(house.said(), "low already ok");
}

TEST(Features, a_refusal_lists_all_who_need_it_and_a_chain_is_taken_down_in_reverse) {
    // F-63, F-42
    Household house;
    house.write("core", note_action("c"));
    house.write("left", needs("core") + note_action("l"));
    house.write("right", needs("core") + note_action("r"));
    house.write("tag", needs("left") + note_action("t"));
    house.discover();
    World& world = house.world();
    for (const char* id : {"tag", "right"}) house.features().activate(Name(id));
    FeatureHold hold = house.features().acquire(kCore, world.owner(), Destination::Loaded);
    house.features().unload(kCore, KeepRegistered::No, house.told("unload"));
    EXPECT_EQ(house.said(), "unload HeldBy");
    std::vector<std::string> holders;
    for (const Holder& holder : house.last_error.holders) holders.push_back(holder.what);
    EXPECT_EQ(holders, (std::vector<std::string>{"feature left (Active)", "feature right (Active)",
                                                 world.owner().to_string() + " (Loaded)"}));
    hold.release();
    house.log();
    house.features().unload(kCore, KeepRegistered::No, house.told("take down"), Dependents::TakeDown);
    house.frames(5);
    EXPECT_EQ(house.said(), "take down ok");
    const std::string log = house.log();
    for (const char* hook : {"deactivating(arena)", "unloading", "unregistering"}) {
        const auto place = [&](const char* action) { return log.find(fmt::format("{}.{}", action, hook)); };
        EXPECT_LT(place("tag.t"), place("left.l")) << log;
        EXPECT_LT(place("left.l"), place("core.c")) << log;
        EXPECT_LT(place("right.r"), place("core.c")) << log;
        EXPECT_NE(place("core.c"), std::string::npos) << log;
    }
    for (const char* id : {"core", "left", "right", "tag"}) EXPECT_EQ(house.state(id), "Installed") << id;
}

TEST(Features, each_call_asks_for_its_range_from_each_destination) {
    // F-32, F-33
    using Call = std::function<void(Features&, FeatureCallback)>;
    const struct {
        std::string name;
        Call call;
        Destination min, max;
    } kCalls[] = {
        {"load", [](Features& f, FeatureCallback cb) { f.load(kTag, cb); }, Destination::Loaded, Destination::Active},
        {"activate", [](Features& f, FeatureCallback cb) { f.activate(kTag, cb); }, Destination::Active,
         Destination::Active},
        {"deactivate", [](Features& f, FeatureCallback cb) { f.deactivate(kTag, Dependents::Refuse, cb); },
         Destination::Terminal, Destination::Loaded},
        {"unload", [](Features& f, FeatureCallback cb) { f.unload(kTag, KeepRegistered::No, cb); },
         Destination::Terminal, Destination::Installed},
        {"unload_keep_registered", [](Features& f, FeatureCallback cb) { f.unload(kTag, KeepRegistered::Yes, cb); },
         Destination::Terminal, Destination::Registered},
        {"release", [](Features& f, FeatureCallback cb) { f.release(kTag, cb); }, Destination::Terminal,
         Destination::StatusKnown},
        {"terminate", [](Features& f, FeatureCallback cb) { f.terminate(kTag, cb); }, Destination::Terminal,
         Destination::Terminal},
        {"change_target", [](Features& f, FeatureCallback cb) { f.change_target(kTag, Destination::Registered, cb); },
         Destination::Registered, Destination::Registered},
    };
    for (Destination from : {Destination::StatusKnown, Destination::Installed, Destination::Registered,
                             Destination::Loaded, Destination::Active})
        for (const auto& [name, call, min, max] : kCalls) {
            Household house;
            house.write("tag", note_action("a"));
            house.discover();
            house.features().change_target(kTag, from);
            house.frame();
            call(house.features(), house.told(name));
            house.frame();
            const Destination expected = from < min ? min : from > max ? max : from;
            EXPECT_EQ(house.said(), name + " ok") << to_string(from);
            EXPECT_EQ(house.features().state(kTag), state_of(expected)) << name << " from " << to_string(from);
        }
}

TEST(Features, two_requests_are_one_climb_and_each_is_answered_when_it_is_passed) {
    // F-10, F-12, F-27, F-28
    Household house;
    house.files.write("features/tag/content/big.thing.toml", "size = 3\n");
    house.write("tag", note_action("a", "asset = \"big\""));
    house.discover();
    house.executor.hold("big.thing");
    house.features().load(kTag, house.told("load"));
    house.features().activate(kTag, house.told("activate"));
    house.frames(10);
    EXPECT_EQ(house.state("tag"), "Loading");  // frames go on meanwhile
    EXPECT_EQ(house.said(), "");
    EXPECT_NE(house.features().explain(kTag).find("thing:big"), std::string::npos) << house.features().explain(kTag);
    house.executor.release("big.thing");
    house.frames(3);
    EXPECT_EQ(house.said(), "load ok, activate ok");
    EXPECT_EQ(house.log(), "tag.a.registering tag.a.loading");
    EXPECT_NE(house.assets.find<Thing>({Name("thing"), Name("big")}), nullptr);
    house.features().unload(kTag);
    house.frames(3);
    EXPECT_EQ(house.assets.find<Thing>({Name("thing"), Name("big")}), nullptr);
    EXPECT_EQ(house.assets.memory().assets, 0u);
}

TEST(Features, the_opposite_wish_cancels_what_is_under_way) {
    // F-14
    Household house;
    house.files.write("features/tag/content/big.thing.toml", "size = 3\n");
    house.write("tag", note_action("a", "asset = \"big\""));
    house.discover();
    house.executor.hold("big.thing");
    house.features().activate(kTag, house.told("activate"));
    house.features().unload(kTag, KeepRegistered::No, house.told("unload"));
    house.frames(3);
    EXPECT_EQ(house.said(), "activate Cancelled, unload ok");
    EXPECT_EQ(house.state("tag"), "Installed");
    EXPECT_EQ(house.features().error(kTag), nullptr);
    EXPECT_EQ(house.reports("feature.failed"), 0u);
}

TEST(Features, an_unknown_id_is_answered_with_the_nearest) {
    // F-15
    Household house;
    house.write("control_points");
    house.discover();
    house.features().activate(Name("control_point"), house.told("a"));
    EXPECT_EQ(house.last_error.text, "no feature \"control_point\"; did you mean \"control_points\"?");
    house.features().cancel(Name("nothing"), house.told("b"));
    house.features().cancel(Name("control_points"), house.told("idle"));
    EXPECT_EQ(house.said(), "a UnknownFeature, b UnknownFeature, idle ok");
    EXPECT_EQ(house.last_error.to_string().rfind("GameFeature.", 0), 0u) << house.last_error.to_string();
}

TEST(Features, requests_from_inside_hooks_callbacks_and_observers_are_carried_out_when_these_are_over) {
    // F-16, F-70
    for (const std::string where :
         {"tag.a.registering", "tag.a.loading", "tag.a.activating(arena)", "tag.a.activated(arena)",
          "o:tag.registering", "o:tag.loading", "o:tag.activating", "o:tag.activated"}) {
        Household house;
        Observer observer("o");
        const ObserverHandle watching = house.features().add_observer(observer);
        house.write("tag", note_action("a"));
        house.discover();
        house.world();
        bool is_asked = false;
        story().at = [&](const std::string& line, ActionContext*) {
            const OwnerScope as(Owner::process());  // what asks goes with nobody
            if (line == where && !std::exchange(is_asked, true))
                house.features().unload(kTag, KeepRegistered::No, house.told("unload"));
            return Status::ok();
        };
        house.features().activate(kTag, house.told("activate"));
        house.frames(3);
        EXPECT_TRUE(is_asked) << where;
        EXPECT_EQ(house.state("tag"), "Installed") << where;
        const std::string said = house.said();
        EXPECT_NE(said.find("unload ok"), std::string::npos) << where << ": " << said;
        EXPECT_NE(said.find("activate"), std::string::npos) << where << ": " << said;
        EXPECT_TRUE(house.features().ledger(kTag).empty());
    }
}

TEST(Features, an_owner_that_leaves_last_takes_the_feature_down) {
    // F-78, X-101, A-03
    Household house;
    house.write("tag", note_action("a"));
    house.discover();
    World& first = house.world("first");
    World& second = house.world("second");
    FeatureHold one = house.features().acquire(kTag, first.owner(), Destination::Active, house.told("one"));
    house.log();
    FeatureHold two = house.features().acquire(kTag, second.owner(), Destination::Active, house.told("two"));
    EXPECT_EQ(house.said(), "one ok, two ok");
    EXPECT_EQ(house.log(), "tag.a.activating(second) tag.a.activated(second)");  // E-89: only for the new world
    one.release();
    EXPECT_EQ(house.log(), "tag.a.deactivating(first)");
    EXPECT_EQ(house.state("tag"), "Active");
    two.release();
    house.frame();
    EXPECT_EQ(house.log(), "tag.a.deactivating(second) tag.a.unloading tag.a.unregistering");
    EXPECT_EQ(house.state("tag"), "Installed");
}

TEST(Features, acquiring_twice_is_one_owner_and_the_level_is_the_highest_of_all) {
    // F-78
    Household house;
    house.write("tag", note_action("a"));
    house.discover();
    World& world = house.world();
    FeatureHold low = house.features().acquire(kTag, world.owner(), Destination::Registered);
    FeatureHold high = house.features().acquire(kTag, world.owner(), Destination::Active);
    EXPECT_EQ(house.features().report(kTag).owners.size(), 1u);
    EXPECT_EQ(house.state("tag"), "Active");
    high.release();
    house.frame();
    EXPECT_EQ(house.state("tag"), "Registered");
    high.release();  // a second time: nothing
    low.release();
    house.frame();
    EXPECT_EQ(house.state("tag"), "Installed");
    EXPECT_FALSE(low.is_held());
}

TEST(Features, a_world_that_joins_gets_activating_alone_and_its_failure_is_its_own) {
    // F-82, F-31, F-29
    Household house;
    house.write("tag", note_action("a"));
    house.discover();
    World& first = house.world("first");
    World& second = house.world("second");
    FeatureHold one = house.features().acquire(kTag, first.owner(), Destination::Active, house.told("one"));
    story().at = [](const std::string& line, ActionContext*) {
        return line == "tag.a.activating(second)" ? Status::failed("not here") : Status::ok();
    };
    FeatureHold two = house.features().acquire(kTag, second.owner(), Destination::Active, house.told("two"));
    house.frame();
    EXPECT_EQ(house.said(), "one ok, two ActionFailed");
    EXPECT_FALSE(two.is_held());
    EXPECT_TRUE(one.is_held());
    EXPECT_EQ(house.state("tag"), "Active");
    EXPECT_TRUE(house.features().is_attached(kTag, first));
    EXPECT_FALSE(house.features().is_attached(kTag, second));
    story().at = {};
    two = house.features().acquire(kTag, second.owner(), Destination::Active, house.told("again"));
    EXPECT_EQ(house.said(), "again ok");
}

TEST(Features, what_the_process_owns_applies_to_every_world_also_later_ones) {
    //
    Household house;
    house.write("tag", note_action("a"));
    house.discover();
    house.world("first");
    World& late = house.world("late", NetMode::Standalone, false);
    World preview(house.runtime, {.name = Name("preview"), .kind = WorldKind::Preview});
    preview.begin_play();
    World* third = nullptr;
    story().at = [&](const std::string& line, ActionContext*) {
        if (line == "tag.a.activating(first)" && third == nullptr) third = &house.world("third");  // begins in the scan
        return Status::ok();
    };
    house.features().activate(kTag, house.told("activate"));
    house.frame();
    EXPECT_EQ(house.said(), "activate ok");
    std::string log = house.log();
    for (const char* world : {"first", "third"}) {
        const std::string line = fmt::format("tag.a.activating({})", world);
        EXPECT_NE(log.find(line), std::string::npos) << log;
        EXPECT_EQ(log.find(line), log.rfind(line)) << log;
    }
    EXPECT_EQ(log.find("late"), std::string::npos);
    EXPECT_EQ(log.find("preview"), std::string::npos);
    late.begin_play();
    EXPECT_EQ(house.log(), "tag.a.activating(late) tag.a.activated(late)");
    house.features().deactivate(kTag);
    log = house.log();
    EXPECT_EQ(log, "tag.a.deactivating(late) tag.a.deactivating(third) tag.a.deactivating(first)");
}

TEST(Features, a_world_that_ends_takes_its_part_and_a_hold_it_forgot_is_reported) {
    // F-82, F-31
    Household house;
    house.write("core", note_action("c"));
    house.write("tag", needs("core") + note_action("a"));
    house.discover();
    World& world = house.world("arena");
    FeatureHold hold = house.features().acquire(kTag, world.owner(), Destination::Active);
    house.log();
    house.games[0]->close_world();
    EXPECT_EQ(house.log(), "tag.a.deactivating(arena) core.c.deactivating(arena)");
    EXPECT_GE(house.reports("feature.world_left"), 1u);
    EXPECT_FALSE(hold.is_held());
    house.frames(4);
    EXPECT_EQ(house.state("tag"), "Installed");
    EXPECT_EQ(house.state("core"), "Installed");
    World& next = house.world("next");
    FeatureHold again = house.features().acquire(kTag, next.owner(), Destination::Active, house.told("again"));
    EXPECT_EQ(house.said(), "again ok");
}

TEST(Features, a_dependency_applies_where_its_dependents_do) {
    // F-83, F-64
    Household house;
    house.write("core", note_action("c"));
    house.write("tag", needs("core"));
    house.discover();
    World& first = house.world("first");
    house.world("second");
    FeatureHold hold = house.features().acquire(kTag, first.owner(), Destination::Active);
    EXPECT_EQ(house.log(), "core.c.registering core.c.loading core.c.activating(first) core.c.activated(first)");
}

TEST(Features, a_world_of_a_further_role_brings_its_bundles_and_dependencies) {
    // F-83, F-62, F-27
    Household house;
    house.files.write("features/tag/content/flag.thing.toml", "size = 2\n");
    house.files.write("features/tag/content/brain.thing.toml", "size = 2\n");
    house.write("hud", note_action("h"));
    house.write("tag", needs("hud", "side = \"client\"") + note_action("a", "asset = \"flag\"\nside = \"client\"") +
                           note_action("b", "asset = \"brain\"\nside = \"server\""));
    house.discover();
    World& server = house.world("server", NetMode::DedicatedServer);
    World& client = house.world("client", NetMode::Client);
    FeatureHold one = house.features().acquire(kTag, server.owner(), Destination::Active, house.told("server"));
    house.frames(4);
    EXPECT_EQ(house.said(), "server ok");
    EXPECT_EQ(house.assets.find<Thing>({Name("thing"), Name("flag")}), nullptr);
    EXPECT_NE(house.assets.find<Thing>({Name("thing"), Name("brain")}), nullptr);
    EXPECT_EQ(house.state("hud"), "Installed");
    house.log();
    FeatureHold two = house.features().acquire(kTag, client.owner(), Destination::Active, house.told("client"));
    house.frames(4);
    EXPECT_EQ(house.said(), "client ok");
    EXPECT_NE(house.assets.find<Thing>({Name("thing"), Name("flag")}), nullptr);
    EXPECT_EQ(house.state("hud"), "Active");
    const std::string log = house.log();
    EXPECT_LT(log.find("hud.h.activating(client)"), log.find("tag.a.activating(client)")) << log;
    EXPECT_EQ(log.find("(server)"), std::string::npos) << log;
}

TEST(Features, assets_of_a_side_are_preloaded_when_a_world_of_that_side_joins) {
    // A-32, F-83
    Household house;
    house.files.write("features/tag/content/flag.thing.toml", "size = 2\n");
    house.write("tag",
                "[[action]]\nkind = \"add_assets\"\nassets = [\"thing:flag\"]\npreload = true\nside = \"client\"\n");
    house.discover();
    World& server = house.world("server", NetMode::DedicatedServer);
    World& client = house.world("client", NetMode::Client);
    const assets::PrimaryAssetId flag{Name("thing"), Name("flag")};
    FeatureHold one = house.features().acquire(kTag, server.owner(), Destination::Active);
    house.frames(3);
    EXPECT_EQ(house.state("tag"), "Active");
    EXPECT_EQ(house.assets.find<Thing>(flag), nullptr);
    FeatureHold two = house.features().acquire(kTag, client.owner(), Destination::Active);
    house.frames(3);
    EXPECT_NE(house.assets.find<Thing>(flag), nullptr);
    two.release();
    house.frames(3);
    EXPECT_EQ(house.assets.find<Thing>(flag), nullptr);
}

TEST(Features, what_actions_need_is_loaded_before_other_things_and_what_they_preload_after) {
    // A-32, F-27
    Household house;
    for (const char* name : {"b0", "b1", "b2", "b3", "plain", "other", "last"})
        house.files.write(fmt::format("features/base/content/{}.thing.toml", name), "size = 1\n");
    house.files.write("features/tag/content/needed.thing.toml", "size = 1\n");
    house.files.write("features/late/content/later.thing.toml", "size = 1\n");
    house.write("base");
    house.write("tag", "[[action]]\nkind = \"add_assets\"\nassets = [\"thing:needed\"]\n");
    house.write("late", "[[action]]\nkind = \"add_assets\"\nassets = [\"thing:later\"]\npreload = true\n");
    house.discover();
    house.features().load(Name("base"));
    const auto load_held = [&](const char* name) {  // its worker does nothing else until it is released
        house.executor.hold(fmt::format("{}.thing", name));
        const assets::PrimaryAssetId id{Name("thing"), Name(name)};
        return house.assets.load_assets({&id, 1});
    };
    std::vector<assets::LoadHandle> busy;
    for (const char* name : {"b0", "b1", "b2", "b3"}) busy.push_back(load_held(name));
    house.frame();
    const assets::LoadHandle plain = load_held("plain");
    house.executor.hold("needed.thing");
    house.features().load(kTag, house.told("tag"));
    house.executor.release("b0.thing");
    house.frame();
    house.executor.release("plain.thing");
    house.frames(3);
    EXPECT_FALSE(plain.is_complete());  // the one worker has taken what tag needs
    EXPECT_EQ(house.said(), "");
    house.executor.release("needed.thing");
    house.frames(3);
    EXPECT_TRUE(plain.is_complete());
    EXPECT_EQ(house.said(), "tag ok");

    const assets::LoadHandle other = load_held("other");
    house.frame();
    house.executor.hold("later.thing");
    house.features().load(Name("late"), house.told("late"));
    EXPECT_EQ(house.said(), "late ok");  // nothing waits for it
    const assets::LoadHandle last = load_held("last");
    house.executor.release("other.thing");
    house.frame();
    house.executor.release("later.thing");
    house.frames(3);
    EXPECT_EQ(house.assets.find<Thing>({Name("thing"), Name("later")}), nullptr);
    house.executor.release("last.thing");
    house.frames(3);
    EXPECT_TRUE(last.is_complete());
    EXPECT_NE(house.assets.find<Thing>({Name("thing"), Name("later")}), nullptr);
}

TEST(Features, incompatible_features_are_not_active_for_one_world) {
    // F-60
    for (const std::string scope : {"world", "process"})
        for (const bool other_side : {false, true}) {
            Household house;
            const std::string excludes =
                fmt::format("kind = \"incompatible\"\nscope = \"{}\"\nreason = \"two clocks\"", scope);
            house.write("tag", other_side ? "" : needs("bots", excludes));
            house.write("bots", other_side ? needs("tag", excludes) : "");
            house.discover();
            World& first = house.world("first");
            World& second = house.world("second");
            FeatureHold one = house.features().acquire(kTag, first.owner(), Destination::Active, house.told("one"));
            FeatureHold same = house.features().acquire(kBots, first.owner(), Destination::Active, house.told("same"));
            EXPECT_EQ(house.said(), "one ok, same Incompatible");
            EXPECT_NE(house.last_error.text.find("two clocks"), std::string::npos);
            FeatureHold other =
                house.features().acquire(kBots, second.owner(), Destination::Active, house.told("other"));
            EXPECT_EQ(house.said(), scope == "world" ? "other ok" : "other Incompatible");
        }
}

TEST(Features, a_policy_may_refuse_and_moving_down_stays_allowed) {
    // F-34, F-35, X-108
    const AllowList list("server.toml", {kTag, Name("needy")});
    Household house(&list);
    house.write("tag", note_action("a"));
    house.write("bots");
    house.write("needy", needs("bots"));
    house.discover();
    house.features().activate(kTag, house.told("tag"));
    house.features().activate(kBots, house.told("bots"));
    EXPECT_EQ(house.said(), "tag ok, bots NotAllowed");
    EXPECT_EQ(house.last_error.text, "bots is not on the list server.toml");
    EXPECT_EQ(house.state("bots"), "Installed");
    house.features().activate(Name("needy"), house.told("needy"));
    EXPECT_EQ(house.said(), "needy DependencyFailed");
    EXPECT_NE(house.last_error.to_string().find("not on the list"), std::string::npos);

    struct Changing : FeaturePolicy {
        bool allows = true;
        Status allow(const Manifest&) const override { return allows ? Status::ok() : Status::refused("closed"); }
        std::vector<Name> bundles(Roles) const override { return {Name("Equipped"), Name("Server")}; }
        std::vector<assets::PrimaryAssetId> preload(const Manifest&) const override {
            return {{Name("thing"), Name("later")}};
        }
    } changing;
    Household other(&changing);
    other.files.write("features/tag/content/later.thing.toml", "size = 2\n");
    other.write("tag", note_action("a"));
    other.discover();
    other.features().activate(kTag, other.told("up"));
    other.frames(3);
    EXPECT_NE(other.assets.find<Thing>({Name("thing"), Name("later")}), nullptr);
    changing.allows = false;
    other.features().deactivate(kTag, Dependents::Refuse, other.told("down"));
    other.features().activate(kTag, other.told("up again"));
    EXPECT_EQ(other.said(), "up ok, down ok, up again NotAllowed");
    EXPECT_EQ(other.state("tag"), "Loaded");
}

TEST(Features, a_batch_has_one_answer_per_feature_and_its_own_after_the_last) {
    // F-41, F-42
    Household house;
    house.write("a", note_action("x"));
    house.write("b", needs("a") + note_action("x", "fails = \"loading\""));
    house.write("c", note_action("x"));
    house.discover();
    FeatureResults results;
    int calls = 0;
    const Target targets[] = {{Name("c"), Destination::Active},
                              {Name("b"), Destination::Active},
                              {Name("nobody"), Destination::Active},
                              {Name("a"), Destination::Active}};
    house.features().change_targets(targets, [&](const FeatureResults& all) { ++calls, results = all; });
    house.frame();
    EXPECT_EQ(calls, 1);
    ASSERT_EQ(results.size(), 4u);
    EXPECT_TRUE(results[0].is_ok());
    EXPECT_EQ(results[1].error->code, ErrorCode::ActionFailed);
    EXPECT_EQ(results[2].error->code, ErrorCode::UnknownFeature);
    EXPECT_TRUE(results[3].is_ok());
    const std::string log = house.log();
    EXPECT_LT(log.find("a.x.registering"), log.find("b.x.registering"));
    EXPECT_LT(log.find("a.x.registering"), log.find("c.x.registering"));  // ties by id, whatever was asked first

    Household other;  // dropped with everything: Abandoned
    other.files.write("features/tag/content/big.thing.toml", "size = 2\n");
    other.write("tag", note_action("a", "asset = \"big\""));
    other.discover();
    other.executor.hold("big.thing");
    const Target target[] = {{kTag, Destination::Active}};
    other.features().change_targets(target, [&](const FeatureResults& all) { results = all; });
    other.close();
    ASSERT_EQ(results.size(), 1u);
    EXPECT_EQ(results[0].error->code, ErrorCode::Abandoned);
}

TEST(Features, at_the_start_each_comes_to_its_initial_state_and_none_is_moved_down) {
    // F-36, F-37
    Household house;
    house.write("core", note_action("c"));
    house.write("maps", "initial_state = \"registered\"\n");
    house.write("rules", "initial_state = \"active\"\n" + needs("core"));
    house.write("busy");
    house.discover();
    house.features().activate(Name("busy"));
    bool is_over = false;
    house.features().start([&](const FeatureResults& results) {
        is_over = true;
        EXPECT_EQ(results.size(), 2u);
    });
    house.frame();
    EXPECT_TRUE(is_over);
    EXPECT_EQ(house.state("core"), "Active");
    EXPECT_EQ(house.state("maps"), "Registered");
    EXPECT_EQ(house.state("rules"), "Active");
    EXPECT_EQ(house.state("busy"), "Active");
    EXPECT_EQ(house.reports("feature.raised"), 1u);
}

TEST(Features, whoever_is_raised_at_the_start_is_reported_however_far_below) {
    // F-36
    Household house;
    house.write("base");
    house.write("core", needs("base"));
    house.write("rules", "initial_state = \"active\"\n" + needs("core"));
    house.write("maps", "initial_state = \"registered\"\n" + needs("base"));
    house.discover();
    house.features().start();
    house.frame();
    EXPECT_EQ(house.state("base"), "Active");
    EXPECT_EQ(house.reports("feature.raised"), 2u);
}

TEST(Features, a_hold_of_the_process_is_not_lowered_by_its_calls) {
    // F-78, F-63
    Household house;
    house.write("core");
    house.write("tag", needs("core"));
    house.discover();
    FeatureHold hold = house.features().acquire(kTag, Owner::process(), Destination::Active);
    house.features().activate(kTag);
    house.features().unload(kTag, KeepRegistered::No, house.told("unload"));
    house.features().unload(kCore, KeepRegistered::No, house.told("take down"), Dependents::TakeDown);
    EXPECT_EQ(house.said(), "unload HeldBy, take down HeldBy");
    EXPECT_EQ(house.last_error.holders[0].what, "process (Active)");
    EXPECT_EQ(house.state("tag"), "Active");
    hold.release();
    house.features().unload(kTag, KeepRegistered::No, house.told("unload"));
    house.frames(2);
    EXPECT_EQ(house.said(), "unload ok");
    EXPECT_EQ(house.state("core"), "Installed");
}

TEST(Features, what_the_policy_throws_is_reported_and_its_default_counts) {
    // F-35
    struct Throws : FeaturePolicy {
        std::vector<Name> bundles(Roles) const override { throw std::runtime_error("bundles"); }
        std::vector<assets::PrimaryAssetId> preload(const Manifest&) const override {
            throw std::runtime_error("preload");
        }
        UnloadPolicy unload() const override { throw std::runtime_error("unload"); }
        InstancesPolicy instances(const Manifest&) const override { throw 1; }
    } throws;
    Household house(&throws);
    house.write("tag", note_action("a"));
    house.discover();
    World& world = house.world();
    for (int i = 0; i < 2; ++i) {
        FeatureHold hold = house.features().acquire(kTag, world.owner(), Destination::Active, house.told("up"));
        EXPECT_EQ(house.said(), "up ok");
        hold.release();
        house.frames(2);
        EXPECT_EQ(house.state("tag"), "Installed");
    }
    EXPECT_GE(house.reports("feature.policy"), 4u);
}

TEST(Features, a_policy_says_which_bundles_are_loaded_and_how_long_what_nobody_owns_stays) {
    // F-35, X-104, X-102
    struct Policy final : FeaturePolicy {
        std::vector<Name> bundles(Roles) const override { return {Name("Equipped"), Name("Client")}; }  // no Server
        UnloadPolicy unload() const override { return UnloadPolicy::keep_warm(4, 10); }
    } policy;
    Household house(&policy);
    house.files.write("features/tag/content/seen.thing.toml", "size = 1\n");
    house.files.write("features/tag/content/decided.thing.toml", "size = 1\n");
    house.write("tag", note_action("a", "asset = \"seen\"\nside = \"client\"") +
                           note_action("b", "asset = \"decided\"\nside = \"server\""));
    house.discover();
    World& world = house.world();
    FeatureHold hold = house.features().acquire(kTag, world.owner(), Destination::Active, house.told("up"));
    house.frames(3);
    EXPECT_EQ(house.said(), "up ok");
    EXPECT_NE(house.assets.find<Thing>({Name("thing"), Name("seen")}), nullptr);
    EXPECT_EQ(house.assets.find<Thing>({Name("thing"), Name("decided")}), nullptr);
    hold.release();
    house.frames(3);
    EXPECT_EQ(house.state("tag"), "Loaded");  // warm
    house.frame(11);
    house.frame();
    EXPECT_EQ(house.state("tag"), "Installed");
}

TEST(Features, of_two_owners_the_last_to_leave_says_what_becomes_of_it) {
    //
    for (const bool is_warm_last : {false, true}) {
        Household house;
        house.write("tag");
        house.discover();
        World& one = house.world("one");
        World& two = house.world("two");
        const AcquireOptions warm{UnloadPolicy::keep_warm(4, 0), {}}, now{UnloadPolicy::unload_now(), {}};
        FeatureHold keeps = house.features().acquire(kTag, one.owner(), Destination::Active, {}, warm);
        FeatureHold drops = house.features().acquire(kTag, two.owner(), Destination::Active, {}, now);
        (is_warm_last ? drops : keeps).release();
        house.frames(2);
        EXPECT_EQ(house.state("tag"), "Active");
        (is_warm_last ? keeps : drops).release();
        house.frames(2);
        EXPECT_EQ(house.state("tag"), is_warm_last ? "Loaded" : "Installed");
    }
}

TEST(Features, one_that_waits_to_join_or_leave_a_world_is_not_polled) {
    // F-50, F-80, F-30
    Household house;
    house.files.write("features/tag/content/big.thing.toml", "size = 2\n");
    house.write("tag", note_action("a", "asset = \"big\"\nside = \"client\"\npauses = true"));
    house.discover();
    World& server = house.world("server", NetMode::DedicatedServer);
    World& client = house.world("client", NetMode::Client);
    FeatureHold first = house.features().acquire(kTag, server.owner(), Destination::Active);
    house.executor.hold("big.thing");
    FeatureHold second = house.features().acquire(kTag, client.owner(), Destination::Active, house.told("client"));
    const auto memory_of_updates = [&] {
        house.frames(3);
        const std::size_t before = allocations();
        for (int i = 0; i < 10; ++i) house.features().update();
        return allocations() - before;
    };
    EXPECT_EQ(memory_of_updates(), 0u);  // Active, and one world waits for an asset
    house.executor.release("big.thing");
    house.frames(3);
    EXPECT_EQ(house.said(), "client ok");
    second.release();
    EXPECT_TRUE(house.features().is_leaving(kTag, client));
    EXPECT_EQ(memory_of_updates(), 0u);  // Active, and one world is left when somebody is done
    first.release();
    EXPECT_EQ(house.state("tag"), "Deactivating");
    EXPECT_EQ(memory_of_updates(), 0u);
    story().tokens.clear();
    house.frames(2);
    EXPECT_EQ(house.state("tag"), "Installed");
}

TEST(Features, hooks_run_in_the_order_that_edges_say_and_a_circle_is_told_whole) {
    // X-113, F-46
    Household house;
    house.write("tag", note_action("a", "name = \"a\"\nafter = [\"c\"]") + note_action("b", "name = \"b\"") +
                           note_action("c", "name = \"c\"\nbefore = [\"b\"]"));
    house.write("round", note_action("a", "name = \"a\"\nafter = [\"c\"]") +
                             note_action("b", "name = \"b\"\nafter = [\"a\"]") +
                             note_action("c", "name = \"c\"\nafter = [\"b\"]"));
    house.discover();
    house.world();
    house.features().activate(kTag, house.told("tag"));
    EXPECT_EQ(house.said(), "tag ok");
    std::string order;
    for (const std::string& line : story().lines)
        if (line.find("activating") != std::string::npos) order += line[4];
    EXPECT_EQ(order, "cab");
    house.log();
    house.features().deactivate(kTag);
    house.frame();
    EXPECT_EQ(house.log(), "tag.b.deactivating(arena) tag.a.deactivating(arena) tag.c.deactivating(arena)");
    house.features().load(Name("round"), house.told("round"));
    EXPECT_EQ(house.said(), "round ActionBad");
    EXPECT_EQ(house.state("round"), "ErrorRegistering");
    EXPECT_NE(house.last_error.text.find("a -> b -> c -> a"), std::string::npos) << house.last_error.text;
}

TEST(Features, a_world_without_a_game_or_of_a_preview_is_left_alone) {
    //
    Household house;
    house.write("tag", note_action("a"));
    house.discover();
    World alone(house.runtime, {.name = Name("alone")});
    alone.begin_play();
    World preview(house.runtime, {.name = Name("preview"), .kind = WorldKind::Preview});
    preview.begin_play();
    house.features().activate(kTag, house.told("process"));
    FeatureHold holds[] = {house.features().acquire(kTag, alone.owner(), Destination::Active, house.told("alone")),
                           house.features().acquire(kTag, preview.owner(), Destination::Active, house.told("preview"))};
    house.frames(3);
    EXPECT_FALSE(house.features().is_attached(kTag, alone));
    EXPECT_FALSE(house.features().is_attached(kTag, preview));
    EXPECT_EQ(house.log().find("activating"), std::string::npos);
    EXPECT_EQ(house.state("tag"), "Active");
    for (FeatureHold& hold : holds) hold.release();
}

TEST(Features, one_failure_stops_a_batch_that_was_to_stop) {
    // F-41
    Household house;
    house.write("a", note_action("x", "fails = \"loading\""));
    house.write("b", note_action("x"));
    house.discover();
    const Target targets[] = {{Name("a"), Destination::Active}, {Name("b"), Destination::Active}};
    FeatureResults results;
    const auto note_results = [&](const FeatureResults& all) { results = all; };
    house.features().change_targets(targets, note_results, OnFailure::Stop);
    house.frame();
    ASSERT_EQ(results.size(), 2u);
    EXPECT_EQ(results[0].error->code, ErrorCode::ActionFailed);
    EXPECT_EQ(results[1].error->code, ErrorCode::Cancelled);
    EXPECT_EQ(house.state("b"), "Installed");
    house.features().change_targets(targets, note_results);
    house.frame();
    EXPECT_TRUE(results[1].is_ok());
}

TEST(Features, progress_rises_with_state_and_bytes_and_a_set_has_the_mean) {
    // F-18
    Household house;
    for (const char* name : {"one", "two", "three", "four"})
        house.files.write(fmt::format("features/tag/content/{}.thing.toml", name), "size = 1000000\n");
    std::string actions;
    for (const char* name : {"one", "two", "three", "four"})
        actions += note_action(name, fmt::format("asset = \"{}\"", name));
    house.write("tag", actions);
    house.write("core");
    house.discover();
    for (const char* name : {"one", "two", "three", "four"}) house.executor.hold(fmt::format("{}.thing", name));
    house.features().activate(kTag);
    float before = -1;
    for (const char* name : {"one", "two", "three", "four"}) {
        house.executor.release(fmt::format("{}.thing", name));
        house.frames(2);
        const float now = house.features().progress(kTag);
        EXPECT_GT(now, before);
        before = now;
    }
    EXPECT_EQ(house.features().progress(kTag), 1.0f);
    const Name both[] = {kTag, kCore};
    EXPECT_EQ(house.features().progress(both), 1.0f);
    house.write("fails", note_action("f", "fails = \"registering\""));
    house.discover();
    house.features().load(Name("fails"));
    const Name half[] = {kTag, Name("fails")};
    EXPECT_EQ(house.features().progress(half), 0.5f);
}

TEST(Features, progress_goes_by_bytes_never_falls_and_begins_anew_with_a_reload) {
    // F-18
    Household house;
    house.files.write("features/tag/content/big.thing.toml", "size = 1\n" + std::string(3000, '#'));
    house.files.write("features/tag/content/small.thing.toml", "size = 1\n" + std::string(990, '#'));
    house.write("tag", note_action("a", "asset = \"big\"") + note_action("b", "asset = \"small\""));
    house.discover();
    const auto progress_with_one_of_two = [&](const char* held) {
        house.executor.hold(held);
        float best = 0;
        for (int i = 0; i < 3; ++i) {
            house.frame();
            EXPECT_GE(house.features().progress(kTag), best);
            best = house.features().progress(kTag);
        }
        EXPECT_LT(best, 1.0f);
        house.executor.release(held);
        house.frames(3);
        EXPECT_EQ(house.features().progress(kTag), 1.0f);
        return best;
    };
    house.executor.hold("big.thing");
    house.features().load(kTag);
    const float without_big = progress_with_one_of_two("big.thing");
    house.features().unload(kTag);
    house.frames(3);
    house.executor.hold("small.thing");
    house.features().load(kTag);
    const float without_small = progress_with_one_of_two("small.thing");
    EXPECT_GT(without_small, without_big);
    house.executor.hold("big.thing");
    house.features().reload(kTag);
    house.frames(2);
    EXPECT_LE(house.features().progress(kTag), without_big);  // nothing of the climb before
    house.executor.release("big.thing");
    house.frames(3);
    EXPECT_EQ(house.state("tag"), "Loaded");
}

TEST(Features, observers_are_told_in_order_and_a_late_one_hears_the_present) {
    // F-44, F-45
    Household house;
    Observer early("e"), second("s");
    const ObserverHandle watching = house.features().add_observer(early);
    const ObserverHandle twice = house.features().add_observer(early);
    const ObserverHandle also = house.features().add_observer(second);
    house.write("core");
    house.write("tag", needs("core") + note_action("a"));
    house.discover();
    house.world();
    house.features().activate(kTag);
    std::vector<std::string> up;
    for (const std::string& line : story().lines)
        if (line.rfind("e:", 0) == 0) up.push_back(line.substr(2));
    const std::string log = house.log();
    EXPECT_LT(log.find("e:tag.registering"), log.find("s:tag.registering"));
    EXPECT_LT(log.find("s:tag.registering"), log.find("tag.a.registering"));
    EXPECT_LT(log.find("e:tag.activating"), log.find("tag.a.activating(arena)"));
    EXPECT_LT(log.find("e:tag.activated"), log.find("tag.a.activated(arena)"));

    Observer late("l");
    {
        const ObserverHandle replayed = house.features().add_observer(late, Replay::CurrentAndFuture);
        std::vector<std::string> heard;
        for (const std::string& line : story().lines) heard.push_back(line.substr(2));
        for (const char* id : {"core", "tag"}) {  // in the same order for each feature, dependencies first
            const auto of = [&](const std::vector<std::string>& lines) {
                std::vector<std::string> mine;
                for (const std::string& line : lines)
                    if (line.rfind(fmt::format("{}.", id), 0) == 0) mine.push_back(line);
                return mine;
            };
            EXPECT_EQ(of(heard), of(up)) << id;
        }
        EXPECT_EQ(heard.front(), "core.discovered");
    }
    house.log();
    house.features().unload(kTag);
    house.frame();
    const std::string down = house.log();
    EXPECT_EQ(down.find("l:"), std::string::npos);
    EXPECT_LT(down.find("tag.a.deactivating(arena)"), down.find("s:tag.deactivating"));
    EXPECT_LT(down.find("s:tag.deactivating"), down.find("e:tag.deactivating"));
    EXPECT_LT(down.find("tag.a.unregistering"), down.find("s:tag.unregistering"));
    EXPECT_LT(down.find("s:tag.unmounting"), down.find("e:tag.unmounting"));
}

TEST(Features, observers_may_come_and_go_inside_a_call) {
    // F-44
    Household house;
    Observer one("1"), two("2"), three("3");
    ObserverHandle first = house.features().add_observer(one), second = house.features().add_observer(two), third;
    story().at = [&](const std::string& line, ActionContext*) {
        if (line == "1:tag.registering") {
            second.reset();
            third = house.features().add_observer(three);
        }
        if (line == "1:tag.loading") first.reset();
        return Status::ok();
    };
    house.write("tag");
    house.discover();
    house.log();
    house.features().load(kTag);
    EXPECT_EQ(house.log(), "1:tag.mounted 2:tag.mounted 1:tag.registering 1:tag.loading 3:tag.loading");
}

TEST(Features, leaving_waits_for_pausers_and_not_for_ever) {
    // F-30, A-02
    Household house;
    Observer observer("o");
    const ObserverHandle watching = house.features().add_observer(observer);
    house.write("tag", note_action("a", "pauses = true") + note_action("b", "pauses = true"));
    house.discover();
    house.world();
    house.features().activate(kTag);
    house.log();
    house.features().deactivate(kTag, Dependents::Refuse, house.told("down"));
    EXPECT_EQ(house.log(), "tag.b.deactivating(arena) tag.a.deactivating(arena) o:tag.pause_changed(arena)");
    house.frame(1);
    story().tokens.front().done();
    house.frame(1);
    EXPECT_EQ(house.said(), "");
    EXPECT_NE(house.features().explain(kTag).find("fade"), std::string::npos) << house.features().explain(kTag);
    story().tokens.back().done();
    house.frame();
    EXPECT_EQ(house.said(), "down ok");
    EXPECT_EQ(house.log(), "o:tag.pause_changed(arena) o:tag.world_detached(arena) o:tag.deactivating");
    EXPECT_EQ(house.reports("feature.pausers"), 0u);

    story().tokens.clear();
    house.features().activate(kTag);
    house.features().deactivate(kTag, Dependents::Refuse, house.told("late"));
    house.frame(9.9);
    EXPECT_EQ(house.said(), "");
    house.frame(0.2);
    EXPECT_EQ(house.said(), "late ok");
    EXPECT_EQ(house.reports("feature.pausers"), 1u);
    story().tokens.clear();  // long over
    house.frame();
}

TEST(Features, a_pauser_that_is_done_inside_its_own_hook_does_not_end_the_wait_early) {
    // F-30
    Household house;
    house.write("tag", note_action("a", "pauses = true") + note_action("b", "pauses = true"));
    house.discover();
    house.world();
    house.features().activate(kTag);
    story().at = [&](const std::string& line, ActionContext*) {
        if (line == "tag.a.deactivating(arena)") story().tokens.front().done();  // b's, while a is still to pause
        return Status::ok();
    };
    house.features().deactivate(kTag, Dependents::Refuse, house.told("down"));
    house.frames(2);
    EXPECT_EQ(house.said(), "");
    story().tokens.clear();
    house.frame();
    EXPECT_EQ(house.said(), "down ok");
}

TEST(Features, a_step_that_never_ends_is_given_up_after_a_while) {
    // F-80
    Household house;
    house.files.write("features/tag/content/big.thing.toml", "size = 2\n");
    house.write("tag", note_action("a", "asset = \"big\""));
    house.write("bots", needs("tag"));
    house.discover();
    house.executor.hold("big.thing");
    house.features().activate(kTag, house.told("tag"));
    house.frame(59);
    EXPECT_EQ(house.said(), "");
    house.frame(2);
    EXPECT_EQ(house.said(), "tag StepTimeout");
    EXPECT_NE(house.last_error.text.find("thing:big"), std::string::npos) << house.last_error.text;
    EXPECT_EQ(house.state("tag"), "ErrorLoading");
    EXPECT_TRUE(
        house.runtime.variables().set("lyre.features.StepTimeoutSecs", "5", {VariableSource::Console, "console"}));
    house.features().activate(kBots, house.told("bots"));
    house.frame(6);
    EXPECT_EQ(house.said(), "bots DependencyFailed");
    ASSERT_NE(house.last_error.inner, nullptr);
    EXPECT_EQ(house.last_error.inner->code, ErrorCode::StepTimeout);
    EXPECT_NE(house.last_error.inner->text.find("thing:big"), std::string::npos) << house.last_error.to_string();
}

TEST(Features, destroying_the_table_inside_a_callback_is_possible) {
    // F-16
    Household house;
    house.write("tag", note_action("a"));
    house.discover();
    house.world();
    house.features().activate(kTag, [&](const FeatureResult&) { house.close(); });
    EXPECT_NE(house.log().find("tag.a.unregistering"), std::string::npos);
    house.open();
    house.discover();
    house.features().activate(kTag, house.told("again"));
    EXPECT_EQ(house.said(), "again ok");
}

TEST(Features, going_down_keeps_the_id_and_only_terminal_forgets_it) {
    // F-51, F-11
    Household house;
    house.write("tag", note_action("a"));
    house.discover();
    house.features().activate(kTag);
    house.features().unload(kTag);
    house.frame();
    EXPECT_EQ(house.features().known(), std::vector<Name>{kTag});
    bool was_known = true;
    house.features().terminate(kTag, [&](const FeatureResult& result) {
        EXPECT_TRUE(result.is_ok());
        was_known = !house.features().known().empty();
        house.discover();  // anew, inside the callback
    });
    house.frame();
    EXPECT_FALSE(was_known);
    EXPECT_EQ(house.state("tag"), "Installed");
    house.features().activate(kTag, house.told("again"));
    EXPECT_EQ(house.said(), "again ok");
}

TEST(Features, a_wish_that_comes_while_it_ends_cancels_the_end) {
    // F-14
    Household house;
    house.write("tag", note_action("a"));
    house.discover();
    house.features().activate(kTag);
    house.features().terminate(kTag, house.told("terminate"));
    house.features().activate(kTag, house.told("activate"));
    house.frames(3);
    EXPECT_EQ(house.said(), "terminate Cancelled, activate ok");
    EXPECT_EQ(house.state("tag"), "Active");
}

TEST(Features, who_wants_it_loaded_gets_that_though_another_gives_up_active_meanwhile) {
    // F-06, F-14
    for (const std::string how : {"a world", "a dependent", "the process"}) {
        SCOPED_TRACE(how);
        Household house;
        house.files.write("features/tag/content/big.thing.toml", "size = 3\n");
        house.write("tag", note_action("t", "asset = \"big\""));
        house.write("opt", needs("tag") + note_action("o"));
        house.discover();
        World& one = house.world("one");
        World& two = house.world("two");
        house.executor.hold("big.thing");
        FeatureHold first;
        if (how == "the process")
            house.features().activate(kTag, house.told("first"));
        else
            first = house.features().acquire(how == "a world" ? kTag : Name("opt"), one.owner(), Destination::Active,
                                             house.told("first"));
        house.frame();
        FeatureHold second = house.features().acquire(kTag, two.owner(), Destination::Loaded, house.told("second"));
        house.frame();
        first.release();
        if (how == "the process") house.features().deactivate(kTag, Dependents::Refuse);
        house.frames(3);
        house.executor.release("big.thing");
        house.frames(8);
        EXPECT_EQ(house.said(), "first Cancelled, second ok");
        EXPECT_TRUE(second.is_held());
        EXPECT_EQ(house.state("tag"), "Loaded") << house.features().explain(kTag);
        second.release();
        house.frames(3);
        EXPECT_EQ(house.state("tag"), how == "the process" ? "Registered" : "Installed");  // it keeps what it had got
    }
}

}  // namespace features_test
}  // namespace lyre::features
