// Optional features that the plan of a wish leaves out: they stay out where it says so, and nowhere else.
#include "tests/features/household.h"

namespace lyre::features {
namespace left_out_test {

const Name kTag("tag"), kCore("core"), kHud("hud"), kChess("chess");
const std::string kOptional = "kind = \"optional\"";

std::string excludes(std::string_view id, std::string_view scope = "world") {
    return needs(id, fmt::format("kind = \"incompatible\"\nscope = \"{}\"\nreason = \"one board\"", scope));
}
// A tag that likes to have a hud, which has no room beside chess.
void furnish(Household& house) {
    house.write("chess");
    house.write("hud", excludes("chess"));
    house.write("tag", needs("hud", kOptional));
    house.discover();
}
std::string trouble_of(Household& house, Name feature, std::string_view dependency) {
    for (const DependencyReport& one : house.features().report(feature).dependencies)
        if (one.id == dependency && one.kind != "incompatible") return one.trouble;
    return "no such dependency";
}

TEST(LeftOut, what_excludes_something_required_stays_out_as_the_plan_says) {
    // F-59, F-60, X-116
    for (const bool is_process : {false, true}) {
        Household house;
        house.write("core");
        house.write("hud", excludes("core"));
        house.write("tag", needs("hud", kOptional) + needs("core"));
        house.write("game", needs("tag"));
        house.discover();
        World& world = house.world();
        const Wish wish{Name("game"), {}, "test"};
        EXPECT_EQ(house.features().plan({&wish, 1}, Roles::all()).order,
                  (std::vector<Name>{kCore, kTag, Name("game")}));
        FeatureHold hold;
        if (is_process)
            house.features().activate(Name("game"), house.told("game"));
        else
            hold = house.features().acquire(Name("game"), world.owner(), Destination::Active, house.told("game"));
        EXPECT_EQ(house.said(), "game ok");
        EXPECT_EQ(house.state("core"), "Active");
        EXPECT_EQ(house.state("hud"), "Installed");
        EXPECT_NE(trouble_of(house, kTag, "hud").find("one board"), std::string::npos);
    }
}

TEST(LeftOut, what_excludes_something_active_is_left_out_and_not_the_dependent_refused) {
    // F-59, F-60
    for (const bool is_of_process : {false, true}) {
        Household house;
        house.write("chess");
        house.write("hud", excludes("chess", is_of_process ? "process" : "world") + note_action("h"));
        house.write("tag", needs("hud", kOptional) + note_action("t"));
        house.discover();
        World& first = house.world("first");
        World& second = house.world("second");
        FeatureHold chess = house.features().acquire(kChess, first.owner(), Destination::Active);
        FeatureHold tag = house.features().acquire(kTag, first.owner(), Destination::Active, house.told("first"));
        EXPECT_EQ(house.said(), "first ok");
        EXPECT_EQ(house.state("hud"), "Installed");
        EXPECT_NE(trouble_of(house, kTag, "hud").find("chess"), std::string::npos);
        house.log();
        // In a world without chess there is room for it, and it stays out of the other.
        FeatureHold other = house.features().acquire(kTag, second.owner(), Destination::Active, house.told("second"));
        house.frame();
        EXPECT_EQ(house.said(), "second ok");
        EXPECT_EQ(house.features().is_attached(kHud, second), !is_of_process);
        EXPECT_FALSE(house.features().is_attached(kHud, first));
        EXPECT_EQ(trouble_of(house, kTag, "hud").empty(), !is_of_process);
        const std::string log = house.log();
        if (!is_of_process) {
            EXPECT_LT(log.find("hud.h.activating(second)"), log.find("tag.t.activating(second)")) << log;
        }
        other.release();
        tag.release();
        chess.release();
        house.frames(4);
        for (const char* id : {"chess", "hud", "tag"}) EXPECT_EQ(house.state(id), "Installed") << id;
    }
}

TEST(LeftOut, one_that_is_active_elsewhere_does_not_join_a_world_that_has_no_room_for_it) {
    // F-60, F-82
    Household house;
    furnish(house);
    World& first = house.world("first");
    World& second = house.world("second");
    FeatureHold with = house.features().acquire(kTag, first.owner(), Destination::Active, house.told("with"));
    FeatureHold chess = house.features().acquire(kChess, second.owner(), Destination::Active, house.told("chess"));
    FeatureHold without = house.features().acquire(kTag, second.owner(), Destination::Active, house.told("without"));
    house.frame();
    EXPECT_EQ(house.said(), "with ok, chess ok, without ok");
    EXPECT_TRUE(house.features().is_attached(kTag, second));
    EXPECT_TRUE(house.features().is_attached(kHud, first));
    EXPECT_FALSE(house.features().is_attached(kHud, second));
}

TEST(LeftOut, who_is_on_its_way_counts_as_there) {
    // F-60
    Household house;
    house.files.write("features/tag/content/big.thing.toml", "size = 2\n");
    house.write("hud", excludes("chess"));
    house.write("tag", needs("hud") + note_action("t", "asset = \"big\""));
    house.write("chess");
    house.discover();
    World& world = house.world();
    house.executor.hold("big.thing");
    FeatureHold tag = house.features().acquire(kTag, world.owner(), Destination::Active, house.told("tag"));
    FeatureHold chess = house.features().acquire(kChess, world.owner(), Destination::Active, house.told("chess"));
    EXPECT_EQ(house.said(), "chess Incompatible");
    house.executor.release("big.thing");
    house.frames(4);
    EXPECT_EQ(house.said(), "tag ok");
    EXPECT_EQ(house.state("hud"), "Active");
}

TEST(LeftOut, one_that_a_feature_acquires_by_itself_is_asked_like_any_other) {
    // F-60, F-58
    Household house;
    house.write("core");
    house.write("hud", excludes("core"));
    house.write("tag", needs("core") + note_action("t"));
    house.write("a", needs("b"));
    house.write("b", needs("a"));
    house.discover();
    World& world = house.world();
    std::vector<FeatureHold> holds;
    story().at = [&](const std::string& line, ActionContext*) {
        if (line == "tag.t.activated(arena)")
            for (const char* id : {"hud", "a"})
                holds.push_back(
                    house.features().acquire(Name(id), Owner::current(), Destination::Active, house.told(id)));
        return Status::ok();
    };
    FeatureHold tag = house.features().acquire(kTag, world.owner(), Destination::Active, house.told("tag"));
    EXPECT_EQ(house.said(), "hud Incompatible, a DependencyCycle, tag ok");
    holds.clear();
}

TEST(LeftOut, the_plan_of_several_wishes_counts_for_each_of_them) {
    // F-59, F-60
    Household house;
    house.write("alpha", needs("hud", kOptional));
    house.write("hud", excludes("zulu"));
    house.write("zulu");
    house.discover();
    World& world = house.world();
    const std::vector<Wish> wishes = {{Name("alpha"), {}, "test"}, {Name("zulu"), {}, "test"}};
    const Plan plan = house.features().plan(wishes, Roles::all());
    ASSERT_EQ(plan.order, (std::vector<Name>{Name("alpha"), Name("zulu")}));
    std::vector<FeatureHold> holds;
    for (Name id : plan.order)
        holds.push_back(house.features().acquire(id, world.owner(), Destination::Active,
                                                 house.told(std::string(id.text())), {{}, plan.degraded}));
    EXPECT_EQ(house.said(), "alpha ok, zulu ok");
    EXPECT_EQ(house.state("hud"), "Installed");
    EXPECT_NE(trouble_of(house, Name("alpha"), "hud").find("zulu"), std::string::npos);
}

TEST(LeftOut, one_that_was_loaded_goes_when_there_is_no_room_for_it_in_the_world) {
    // F-59, F-60
    Household house;
    furnish(house);
    World& world = house.world();
    FeatureHold chess = house.features().acquire(kChess, world.owner(), Destination::Active);
    FeatureHold loaded = house.features().acquire(kTag, world.owner(), Destination::Loaded, house.told("loaded"));
    EXPECT_EQ(house.state("hud"), "Loaded");
    FeatureHold active = house.features().acquire(kTag, world.owner(), Destination::Active, house.told("active"));
    house.frames(3);
    EXPECT_EQ(house.said(), "loaded ok, active ok");
    EXPECT_EQ(house.state("hud"), "Installed");
    EXPECT_NE(trouble_of(house, kTag, "hud").find("chess"), std::string::npos);
}

TEST(LeftOut, one_in_a_circle_is_not_waited_for) {
    // F-58, F-59
    Household house;
    house.write("arena", needs("bots", kOptional));
    house.write("bots", needs("brain"));
    house.write("brain", needs("bots"));
    house.discover();
    house.world();
    house.features().activate(Name("arena"), house.told("arena"));
    EXPECT_EQ(house.said(), "arena ok");
    EXPECT_NE(trouble_of(house, Name("arena"), "bots").find("bots -> brain -> bots"), std::string::npos);
}

TEST(LeftOut, one_that_fails_as_a_further_role_joins_is_told_and_not_asked_for_again) {
    // F-59, F-83
    Household house;
    house.write("hud", note_action("h", "fails = \"registering\""));
    house.write("tag", needs("hud", kOptional + "\nside = \"client\""));
    house.discover();
    World& server = house.world("server", NetMode::DedicatedServer);
    World& client = house.world("client", NetMode::Client);
    FeatureHold one = house.features().acquire(kTag, server.owner(), Destination::Active, house.told("server"));
    FeatureHold two = house.features().acquire(kTag, client.owner(), Destination::Active, house.told("client"));
    house.frames(5);
    EXPECT_EQ(house.said(), "server ok, client ok");
    EXPECT_NE(trouble_of(house, kTag, "hud").find("on purpose"), std::string::npos);
    EXPECT_EQ(house.reports("feature.failed"), 1u);
    World& third = house.world("third", NetMode::Client);
    FeatureHold three = house.features().acquire(kTag, third.owner(), Destination::Active, house.told("third"));
    house.frames(5);
    EXPECT_EQ(house.said(), "third ok");
    EXPECT_EQ(house.reports("feature.failed"), 1u);
}

TEST(LeftOut, what_a_world_did_without_it_has_when_its_wish_is_over_and_the_process_wants_it) {
    // F-59, F-82
    Household house;
    furnish(house);
    World& world = house.world();
    FeatureHold chess = house.features().acquire(kChess, world.owner(), Destination::Active);
    FeatureHold tag = house.features().acquire(kTag, world.owner(), Destination::Active, house.told("tag"));
    house.frame();
    EXPECT_EQ(house.said(), "tag ok");
    EXPECT_FALSE(house.features().is_attached(kHud, world));
    tag.release();
    chess.release();
    house.features().activate(kTag, house.told("process"));
    house.frames(3);
    EXPECT_EQ(house.said(), "process ok");
    EXPECT_TRUE(house.features().is_attached(kTag, world));
    EXPECT_TRUE(house.features().is_attached(kHud, world));
}

TEST(LeftOut, what_another_wish_of_the_world_gives_back_does_not_undo_it_for_what_is_still_coming) {
    // F-59, F-60
    Household house(nullptr, [](Name id, FeatureState step) {
        StepFault fault;
        if (id != kTag || step != FeatureState::Mounting) return fault;
        fault.effect = StepFault::Effect::Delay;
        fault.seconds = 1;
        return fault;
    });
    house.write("chess");
    house.write("other", needs("hud", kOptional));
    house.write("hud", excludes("chess"));
    house.write("court", needs("hud", kOptional) + needs("core"));
    house.write("core");
    house.write("tag", needs("court"));
    house.discover();
    World& world = house.world();
    FeatureHold chess = house.features().acquire(kChess, world.owner(), Destination::Active);
    FeatureHold other = house.features().acquire(Name("other"), world.owner(), Destination::Active);
    FeatureHold tag = house.features().acquire(kTag, world.owner(), Destination::Active, house.told("tag"));
    EXPECT_EQ(house.state("court"), "Installed");  // nobody holds it yet
    other.release();
    house.frame(2);
    house.frames(3);
    EXPECT_EQ(house.said(), "tag ok");
    EXPECT_EQ(house.state("hud"), "Installed");
    EXPECT_NE(trouble_of(house, Name("court"), "hud").find("chess"), std::string::npos);
}

TEST(LeftOut, one_that_a_project_holds_is_in_every_world_whatever_others_do_without) {
    // F-60, F-82
    Household house;
    house.write("chess");
    house.write("hud", excludes("chess"));
    house.write("tag", needs("hud", kOptional));
    house.write("score");
    house.discover();
    World& world = house.world();
    FeatureHold score = house.features().acquire(Name("score"), Owner::project(Name("game")), Destination::Active);
    EXPECT_TRUE(house.features().is_attached(Name("score"), world));
    FeatureHold chess = house.features().acquire(kChess, world.owner(), Destination::Active);
    FeatureHold tag = house.features().acquire(kTag, world.owner(), Destination::Active, house.told("tag"));
    house.world("second");
    house.frames(3);
    EXPECT_EQ(house.said(), "tag ok");
    EXPECT_TRUE(house.features().is_attached(Name("score"), world));
    EXPECT_FALSE(house.features().is_leaving(Name("score"), world));
}

TEST(LeftOut, what_a_reload_plans_counts_when_all_of_it_is_down) {
    // F-59, X-119
    struct Choosy : FeaturePolicy {
        Status allow(const Manifest& feature) const override {
            return refuses && feature.id == kHud ? Status::refused("no longer") : Status::ok();
        }
        bool refuses = false;
    } policy;
    Household house(&policy);
    house.write("hud", note_action("h"));
    house.write("tag", needs("hud", kOptional) + note_action("t"));
    house.discover();
    World& world = house.world();
    FeatureHold tag = house.features().acquire(kTag, world.owner(), Destination::Active, house.told("tag"));
    EXPECT_TRUE(house.features().is_attached(kHud, world));
    house.log();
    policy.refuses = true;
    house.features().reload(kTag, house.told("reload"));
    house.frames(5);
    EXPECT_EQ(house.said(), "tag ok, reload ok");
    EXPECT_TRUE(house.features().is_attached(kTag, world));
    EXPECT_EQ(house.state("hud"), "Installed");
    const std::string log = house.log();
    EXPECT_LT(log.find("tag.t.deactivating(arena)"), log.find("hud.h.deactivating(arena)")) << log;
}

// tag has hud; its next version needs zulu, which excludes hud.
struct Outgrown {
    explicit Outgrown(std::string_view more_of_zulu = "") {
        house.write("hud", note_action("h"));
        house.write("zulu", excludes("hud") + note_action("z", more_of_zulu));
        house.write("tag", needs("hud", kOptional) + note_action("t"));
        house.write("game", needs("tag"));
        house.discover();
    }
    void reload() {
        house.write("tag", needs("hud", kOptional) + needs("zulu") + note_action("t"), "2.0.0");
        house.features().reload(kTag, house.told("reload"));
        house.frames(12);
    }
    Household house;
    World& world = house.world();
};

TEST(LeftOut, a_reload_brings_what_would_come_from_nothing_and_what_only_the_old_one_wanted_goes) {
    // F-59, F-60, X-119
    for (const bool is_process : {false, true}) {
        Outgrown out;
        Household& house = out.house;
        std::vector<FeatureHold> holds;
        for (const char* id : {"game", "tag"})
            holds.push_back(house.features().acquire(Name(id), is_process ? Owner::process() : out.world.owner(),
                                                     Destination::Active));
        EXPECT_TRUE(house.features().is_attached(kHud, out.world));
        out.reload();
        EXPECT_EQ(house.said(), "reload ok");
        EXPECT_TRUE(house.features().is_attached(kTag, out.world));
        EXPECT_TRUE(house.features().is_attached(Name("zulu"), out.world));
        EXPECT_EQ(house.state("hud"), "Installed");
        EXPECT_NE(trouble_of(house, kTag, "hud").find("one board"), std::string::npos);
        // From nothing it is the same.
        const Wish wish{Name("game"), {}, "test"};
        EXPECT_EQ(house.features().plan({&wish, 1}, Roles::all()).order,
                  (std::vector<Name>{Name("zulu"), kTag, Name("game")}));
    }
}

TEST(LeftOut, a_reload_is_refused_where_somebody_else_wants_what_it_excludes) {
    // F-60, X-119
    Outgrown out;
    Household& house = out.house;
    FeatureHold tag = house.features().acquire(kTag, out.world.owner(), Destination::Active);
    FeatureHold hud = house.features().acquire(kHud, out.world.owner(), Destination::Active);
    out.reload();
    EXPECT_EQ(house.said(), "reload Incompatible");
    EXPECT_EQ(house.features().manifest(kTag)->version.to_string(), "1.0.0");
    EXPECT_TRUE(house.features().is_attached(kHud, out.world));
}

TEST(LeftOut, a_version_may_exclude_what_the_one_before_it_has_brought) {
    // F-60, X-119
    Outgrown out;
    Household& house = out.house;
    FeatureHold tag = house.features().acquire(kTag, out.world.owner(), Destination::Active);
    house.write("tag", excludes("hud") + note_action("t"), "2.0.0");
    house.features().reload(kTag, house.told("reload"));
    house.frames(8);
    EXPECT_EQ(house.said(), "reload ok");
    EXPECT_TRUE(house.features().is_attached(kTag, out.world));
    EXPECT_EQ(house.state("hud"), "Installed");
}

TEST(LeftOut, what_a_new_version_left_out_is_back_with_the_old_one_when_the_new_one_does_not_come_up) {
    // F-59, X-119
    Outgrown out("fails = \"registering\"");
    Household& house = out.house;
    FeatureHold tag = house.features().acquire(kTag, out.world.owner(), Destination::Active);
    out.reload();
    EXPECT_EQ(house.said(), "reload DependencyFailed");
    EXPECT_EQ(house.features().manifest(kTag)->version.to_string(), "1.0.0");
    EXPECT_TRUE(house.features().is_attached(kTag, out.world));
    EXPECT_TRUE(house.features().is_attached(kHud, out.world)) << house.features().explain(kTag);
    EXPECT_EQ(trouble_of(house, kTag, "hud"), "");
    tag.release();
    house.frames(4);
    for (const char* id : {"tag", "hud", "zulu"}) EXPECT_EQ(house.state(id), "Installed") << id;
}

TEST(LeftOut, one_that_comes_back_is_held_by_whoever_did_without_it) {
    // F-59, F-63, F-64
    Household house;
    furnish(house);
    World& world = house.world();
    FeatureHold chess = house.features().acquire(kChess, world.owner(), Destination::Active);
    FeatureHold tag = house.features().acquire(kTag, world.owner(), Destination::Active);
    house.frame();
    EXPECT_EQ(house.state("hud"), "Installed");
    chess.release();
    house.frames(3);
    FeatureHold again = house.features().acquire(kTag, world.owner(), Destination::Active, house.told("again"));
    FeatureHold hud = house.features().acquire(kHud, world.owner(), Destination::Active, house.told("hud"));
    house.frames(3);
    EXPECT_EQ(house.said(), "again ok, hud ok");
    EXPECT_EQ(trouble_of(house, kTag, "hud"), "");
    hud.release();  // tag has it now
    house.frames(3);
    EXPECT_TRUE(house.features().is_attached(kHud, world));
    house.features().unload(kHud, KeepRegistered::No, house.told("unload"));
    EXPECT_EQ(house.said(), "unload HeldBy");
    EXPECT_NE(house.last_error.to_string().find("feature tag"), std::string::npos) << house.last_error.to_string();
    again.release();
    tag.release();
    house.frames(4);
    EXPECT_EQ(house.state("hud"), "Installed");
}

TEST(LeftOut, one_that_is_waited_for_and_then_planned_out_is_waited_for_no_longer) {
    // F-59, F-80
    Household house;
    house.files.write("features/hud/content/big.thing.toml", "size = 2\n");
    house.write("chess", excludes("hud"));
    house.write("hud", note_action("h", "asset = \"big\""));
    house.write("tag", needs("hud", kOptional));
    house.discover();
    World& world = house.world();
    house.executor.hold("big.thing");
    FeatureHold tag = house.features().acquire(kTag, world.owner(), Destination::Active, house.told("tag"));
    house.frames(2);
    EXPECT_EQ(house.state("tag"), "LoadingDependencies");
    const Degraded without{kHud, "tag", "chess excludes it"};
    house.features().leave_out(world.owner(), {kTag, kChess}, {&without, 1});
    house.frame();
    EXPECT_EQ(house.said(), "tag ok");
    FeatureHold chess = house.features().acquire(kChess, world.owner(), Destination::Active, house.told("chess"));
    house.executor.release("big.thing");
    house.frames(4);
    EXPECT_EQ(house.said(), "chess ok");
    EXPECT_EQ(house.state("hud"), "Installed");
    EXPECT_EQ(trouble_of(house, kTag, "hud"), "chess excludes it");
}

TEST(LeftOut, one_that_has_room_again_in_one_world_joins_it_though_another_world_had_it_all_along) {
    // F-59, F-82
    Household house;
    furnish(house);
    World& first = house.world("first");
    World& second = house.world("second");
    FeatureHold with = house.features().acquire(kTag, first.owner(), Destination::Active);
    FeatureHold chess = house.features().acquire(kChess, second.owner(), Destination::Active);
    FeatureHold without = house.features().acquire(kTag, second.owner(), Destination::Active);
    house.frame();
    EXPECT_FALSE(house.features().is_attached(kHud, second));
    chess.release();
    house.frames(3);
    FeatureHold again = house.features().acquire(kTag, second.owner(), Destination::Active, house.told("again"));
    house.frames(2);
    EXPECT_EQ(house.said(), "again ok");
    EXPECT_TRUE(house.features().is_attached(kHud, second));
    EXPECT_TRUE(house.features().is_attached(kHud, first));
}

TEST(LeftOut, one_that_fails_as_it_comes_back_is_told_and_not_asked_for_again) {
    // F-59
    Household house;
    house.write("chess");
    house.write("hud", excludes("chess") + note_action("h", "fails = \"registering\""));
    house.write("tag", needs("hud", kOptional));
    house.discover();
    World& world = house.world();
    FeatureHold chess = house.features().acquire(kChess, world.owner(), Destination::Active);
    FeatureHold tag = house.features().acquire(kTag, world.owner(), Destination::Active);
    chess.release();
    FeatureHold again = house.features().acquire(kTag, world.owner(), Destination::Active, house.told("again"));
    house.frames(4);
    EXPECT_EQ(house.said(), "again ok");
    EXPECT_TRUE(house.features().is_attached(kTag, world));
    EXPECT_NE(trouble_of(house, kTag, "hud").find("on purpose"), std::string::npos);
    EXPECT_EQ(house.reports("feature.failed"), 1u);
}

TEST(LeftOut, one_that_fails_late_as_a_further_role_joins_is_told_once) {
    // F-59, F-83
    Household house;
    house.files.write("features/hud/content/big.thing.toml", "size = \"no number\"\n");
    house.write("hud", note_action("h", "asset = \"big\""));
    house.write("tag", needs("hud", kOptional + "\nside = \"client\""));
    house.discover();
    World& server = house.world("server", NetMode::DedicatedServer);
    World& client = house.world("client", NetMode::Client);
    FeatureHold one = house.features().acquire(kTag, server.owner(), Destination::Active, house.told("server"));
    house.executor.hold("big.thing");
    FeatureHold two = house.features().acquire(kTag, client.owner(), Destination::Active, house.told("client"));
    house.frames(3);
    EXPECT_EQ(house.said(), "server ok");
    house.executor.release("big.thing");
    house.frames(8);
    EXPECT_EQ(house.said(), "client ok");
    EXPECT_NE(trouble_of(house, kTag, "hud").find("AssetsFailed"), std::string::npos);
    EXPECT_EQ(house.reports("feature.failed"), 1u);
}

TEST(LeftOut, in_the_process_one_is_there_as_long_as_some_world_has_room_for_it) {
    // F-60, F-59
    Household house;
    house.write("solo");
    house.write("hud", excludes("solo") + excludes("chess", "process"));
    house.write("chess");
    house.write("tag", needs("hud", kOptional));
    house.discover();
    World& without = house.world("without");
    World& with = house.world("with");
    World& third = house.world("third");
    FeatureHold solo = house.features().acquire(Name("solo"), without.owner(), Destination::Active);
    FeatureHold one = house.features().acquire(kTag, without.owner(), Destination::Active);
    FeatureHold other = house.features().acquire(kTag, with.owner(), Destination::Active);
    house.frames(3);
    EXPECT_TRUE(house.features().is_attached(kHud, with));
    FeatureHold refused = house.features().acquire(kChess, third.owner(), Destination::Active, house.told("chess"));
    EXPECT_EQ(house.said(), "chess Incompatible");
    other.release();  // the world that is left has no room for hud
    house.frames(3);
    EXPECT_EQ(house.state("hud"), "Installed");
    FeatureHold chess = house.features().acquire(kChess, third.owner(), Destination::Active, house.told("chess"));
    house.frames(2);
    EXPECT_EQ(house.said(), "chess ok");
    EXPECT_TRUE(house.features().is_attached(kTag, without));
}

}  // namespace left_out_test
}  // namespace lyre::features
