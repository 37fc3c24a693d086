// Dependencies with a side: what the process wants is planned for the worlds that are there, and again for each that
// brings a further role.
#include "tests/features/household.h"

namespace lyre::features {
namespace sides_test {

const Name kTag("tag"), kHud("hud"), kChess("chess");

std::string needs_for(std::string_view side, std::string_view id, std::string_view more = "") {
    return needs(id, fmt::format("side = \"{}\"\n{}", side, more));
}
std::string excludes(std::string_view id) {
    return needs(id, "kind = \"incompatible\"\nreason = \"one board\"");
}

TEST(Sides, a_wish_of_the_process_is_planned_for_the_worlds_that_are_there) {
    // F-22, F-58, F-62
    const struct {
        std::string tag, code;
    } kCases[] = {{needs_for("client", "hudd"), "DependencyMissing"},
                  {needs_for("client", "hud", "versions = \"^2\""), "DependencyVersion"},
                  {needs_for("client", "round"), "DependencyCycle"}};
    for (const auto& [tag, code] : kCases) {
        Household house;
        house.write("hud");
        house.write("round", needs("tag"));
        house.write("tag", tag + note_action("t"));
        house.discover();
        World& server = house.world("server", NetMode::DedicatedServer);
        house.features().activate(kTag, house.told("server"));
        EXPECT_EQ(house.said(), "server ok") << code;
        EXPECT_TRUE(house.features().is_attached(kTag, server));
        house.features().unload(kTag);
        house.frames(3);
        house.world("shown");
        house.log();
        EXPECT_EQ(to_string(house.features().why_not(kTag, Owner::process(), Destination::Active)->code), code);
        house.features().activate(kTag, house.told("shown"));
        EXPECT_EQ(house.said(), "shown " + code);
        EXPECT_EQ(house.log(), "");
        EXPECT_EQ(house.state("tag"), "Installed");
        EXPECT_TRUE(house.features().report(kTag).owners.empty());
    }
}

TEST(Sides, what_excludes_what_a_world_has_does_not_come_with_a_wish_of_the_process) {
    // F-60, F-62
    Household house;
    house.write("chess");
    house.write("hud", excludes("chess"));
    house.write("tag", needs_for("client", "hud"));
    house.discover();
    World& world = house.world();
    FeatureHold chess = house.features().acquire(kChess, world.owner(), Destination::Active, house.told("chess"));
    house.features().activate(kTag, house.told("tag"));
    EXPECT_EQ(house.said(), "chess ok, tag Incompatible");
    EXPECT_EQ(house.state("hud"), "Installed");
}

TEST(Sides, a_world_of_a_further_role_that_cannot_have_what_it_needs_does_without_and_the_others_go_on) {
    // F-22, F-82, F-83
    Household house;
    house.write("tag", needs_for("client", "hudd") + note_action("t"));
    house.write("game", needs("tag") + note_action("g"));
    house.discover();
    World& first = house.world("first", NetMode::DedicatedServer);
    house.features().activate(Name("game"), house.told("game"));
    World& client = house.world("client", NetMode::Client);
    house.frames(2);
    World& second = house.world("second", NetMode::DedicatedServer);
    house.frames(2);
    EXPECT_EQ(house.said(), "game ok");
    for (const Name id : {kTag, Name("game")}) {
        EXPECT_EQ(house.features().state(id), FeatureState::Active);
        EXPECT_TRUE(house.features().is_attached(id, first));
        EXPECT_FALSE(house.features().is_attached(id, client));
        EXPECT_TRUE(house.features().is_attached(id, second));
    }
    EXPECT_EQ(house.reports("feature.world_failed"), 2u);
    for (const Name id : {kTag, Name("game")}) {  // a server needs no hud, whoever else does
        FeatureHold hold = house.features().acquire(id, second.owner(), Destination::Active, house.told("second"));
        EXPECT_EQ(house.said(), "second ok");
    }
}

TEST(Sides, what_a_world_that_begins_during_a_climb_cannot_have_is_told_as_if_it_had_been_there) {
    // F-22, F-83
    Household house;
    house.files.write("features/tag/content/big.thing.toml", "size = 2\n");
    house.write("tag", needs_for("client", "hudd") + note_action("t", "asset = \"big\""));
    house.discover();
    house.world("server", NetMode::DedicatedServer);
    house.executor.hold("big.thing");
    house.features().activate(kTag, house.told("tag"));
    house.world("client", NetMode::Client);
    house.executor.release("big.thing");
    house.frames(4);
    EXPECT_EQ(house.said(), "tag DependencyMissing");
    EXPECT_EQ(house.state("tag"), "ErrorActivating");
}

TEST(Sides, of_two_that_bring_what_excludes_each_other_one_joins_a_world_that_begins_later) {
    // F-60, F-83
    for (const bool both_have_sides : {false, true}) {
        Household house;
        house.write("board");
        house.write("hud", excludes("board"));
        house.write("chess", both_have_sides ? needs_for("client", "board") : needs("board"));
        house.write("tag", needs_for("client", "hud"));
        house.discover();
        house.features().activate(kChess, house.told("chess"));
        house.features().activate(kTag, house.told("tag"));
        EXPECT_EQ(house.said(), "chess ok, tag ok");  // without a world nobody needs a hud
        World& world = house.world();
        house.frames(3);
        EXPECT_TRUE(house.features().is_attached(kChess, world));
        EXPECT_TRUE(house.features().is_attached(Name("board"), world));
        EXPECT_FALSE(house.features().is_attached(kTag, world));
        EXPECT_FALSE(house.features().is_attached(kHud, world));
        EXPECT_EQ(house.reports("feature.world_failed"), 1u);
        house.features().activate(kTag, house.told("again"));
        EXPECT_EQ(house.said(), "again Incompatible");
    }
}

TEST(Sides, an_optional_one_that_has_no_room_in_a_world_that_begins_later_stays_out_of_it) {
    // F-59, F-60, F-83
    for (const bool is_below : {false, true}) {  // it is the hud's, and nobody has looked at that before
        Household house;
        const std::string optional = "kind = \"optional\"";
        house.write("chess");
        house.write("dial", excludes("chess"));
        house.write("hud", needs("dial", optional));
        house.write("tag", is_below ? needs_for("client", "hud") : needs_for("client", "dial", optional));
        house.discover();
        house.features().activate(kChess, house.told("chess"));
        house.features().activate(kTag, house.told("tag"));
        World& world = house.world();
        house.frames(3);
        EXPECT_EQ(house.said(), "chess ok, tag ok");
        EXPECT_TRUE(house.features().is_attached(kTag, world));
        EXPECT_EQ(house.features().is_attached(kHud, world), is_below);
        EXPECT_EQ(house.state("dial"), "Installed");
        house.features().deactivate(kChess);
        house.features().deactivate(kTag);
        house.frames(2);
        house.features().activate(kTag, house.told("again"));
        house.frames(2);
        EXPECT_EQ(house.said(), "again ok");
        EXPECT_TRUE(house.features().is_attached(Name("dial"), world)) << house.features().explain(kTag);
    }
}

// What a feature acquires by its own code is in the worlds of that feature, and planned for each of them.
struct Acquiring {
    explicit Acquiring(const std::string& extra, const std::string& hud = excludes("chess")) {
        house.write("chess");
        house.write("hud", hud);
        house.write("extra", extra + note_action("x"));
        house.write("tag", note_action("t"));
        house.discover();
        story().at = [this](const std::string& line, ActionContext*) {
            if (line.find("tag.t.activated(") == 0 && !extra_hold.is_held())
                extra_hold = house.features().acquire(Name("extra"), Owner::current(), Destination::Active);
            return Status::ok();
        };
    }
    bool has(std::string_view feature, const World& world) {
        return house.features().is_attached(Name(feature), world);
    }
    void acquire(Name feature, World& world) {
        holds.push_back(house.features().acquire(feature, world.owner(), Destination::Active,
                                                 house.told(std::string(world.def().name.text()))));
        house.frames(3);
    }
    FeatureHold extra_hold;  // ends after the house
    Household house;
    std::vector<FeatureHold> holds;
};

TEST(Sides, what_a_feature_acquires_follows_it_into_worlds_and_out_of_them) {
    // F-82, F-83
    Acquiring all(needs("hud", "kind = \"optional\""));
    World& first = all.house.world("first");
    World& second = all.house.world("second");
    all.acquire(kTag, first);
    EXPECT_TRUE(all.has("extra", first));
    all.acquire(kTag, second);
    EXPECT_EQ(all.house.said(), "first ok, second ok");
    EXPECT_TRUE(all.has("extra", second));
    EXPECT_TRUE(all.has("hud", second));
    all.holds.pop_back();
    all.house.frames(3);
    EXPECT_FALSE(all.has("extra", second));
    EXPECT_FALSE(all.has("hud", second));
    EXPECT_TRUE(all.has("extra", first));
}

TEST(Sides, what_one_world_has_no_room_for_the_others_have_also_below_what_a_feature_acquires) {
    // F-59, F-60, F-83
    for (const bool has_side : {false, true}) {
        const std::string side = has_side ? "\nside = \"client\"" : "";
        Acquiring all(needs("hud", "kind = \"optional\"" + side));
        World& server = all.house.world("server", NetMode::DedicatedServer);
        World& full = all.house.world("full", NetMode::Client);
        World& roomy = all.house.world("roomy", NetMode::Client);
        all.acquire(kChess, full);
        all.acquire(kTag, server);
        all.acquire(kTag, full);
        all.acquire(kTag, roomy);
        EXPECT_EQ(all.house.said(), "full ok, server ok, full ok, roomy ok");
        for (World* world : {&server, &full, &roomy}) EXPECT_TRUE(all.has("extra", *world)) << world->def().name.text();
        EXPECT_EQ(all.has("hud", server), !has_side);
        EXPECT_FALSE(all.has("hud", full));
        EXPECT_TRUE(all.has("hud", roomy)) << all.house.features().explain(Name("extra"));
        EXPECT_EQ(all.house.reports("feature.world_failed"), 0u);
        all.holds.clear();
        all.house.frames(3);
        EXPECT_EQ(all.house.state("hud"), "Installed");
        EXPECT_EQ(all.house.state("extra"), "Installed");
    }
}

TEST(Sides, what_had_no_room_in_the_first_world_comes_with_one_that_its_dependent_joins_later) {
    // F-59, F-82
    Acquiring all(needs("hud", "kind = \"optional\""));
    World& full = all.house.world("full");
    World& roomy = all.house.world("roomy");
    all.acquire(kChess, full);
    all.acquire(kTag, full);
    EXPECT_TRUE(all.has("extra", full));
    EXPECT_EQ(all.house.state("hud"), "Installed");
    all.acquire(kTag, roomy);
    EXPECT_TRUE(all.has("extra", roomy));
    EXPECT_TRUE(all.has("hud", roomy)) << all.house.features().explain(Name("extra"));
    EXPECT_FALSE(all.has("hud", full));
}

TEST(Sides, what_a_feature_acquires_does_not_join_a_world_of_what_excludes_it) {
    // F-60, F-82
    Acquiring all(excludes("chess"));
    World& first = all.house.world("first");
    World& full = all.house.world("full");
    all.acquire(kTag, first);
    all.acquire(kChess, full);
    all.acquire(kTag, full);
    EXPECT_EQ(all.house.said(), "first ok, full ok, full ok");
    EXPECT_TRUE(all.has("tag", full));
    EXPECT_FALSE(all.has("extra", full));
    EXPECT_TRUE(all.has("extra", first));
    EXPECT_EQ(all.house.reports("feature.world_failed"), 1u);
    // In a world that it comes back to it is planned again.
    World& third = all.house.world("third");
    all.acquire(kTag, third);
    EXPECT_TRUE(all.has("extra", third));
    all.holds.pop_back();
    all.house.frames(3);
    EXPECT_FALSE(all.has("extra", third));
    all.acquire(kChess, third);
    all.acquire(kTag, third);
    EXPECT_TRUE(all.has("tag", third));
    EXPECT_FALSE(all.has("extra", third));
}

TEST(Sides, what_a_wish_of_the_process_does_without_in_one_world_of_a_further_role_it_has_in_the_next) {
    // F-59, F-60, F-83
    Household house;
    house.write("chess");
    house.write("hud", excludes("chess"));
    house.write("tag", needs_for("client", "hud", "kind = \"optional\""));
    house.discover();
    house.world("server", NetMode::DedicatedServer);
    house.features().activate(kTag, house.told("tag"));
    World& full = house.world("full", NetMode::Client, false);
    FeatureHold chess = house.features().acquire(kChess, full.owner(), Destination::Active, house.told("chess"));
    full.begin_play();
    house.frames(3);
    World& roomy = house.world("roomy", NetMode::Client);
    house.frames(3);
    EXPECT_EQ(house.said(), "tag ok, chess ok");
    EXPECT_FALSE(house.features().is_attached(kHud, full));
    EXPECT_TRUE(house.features().is_attached(kHud, roomy)) << house.features().explain(kTag);
}

TEST(Sides, what_one_world_has_no_room_for_a_wish_of_the_process_brings_to_the_others) {
    // F-59, F-60
    Household house;
    house.write("chess");
    house.write("hud", excludes("chess") + note_action("h"));
    house.write("tag", needs("hud", "kind = \"optional\"") + note_action("t"));
    house.discover();
    World& full = house.world("full");
    World& roomy = house.world("roomy");
    FeatureHold chess = house.features().acquire(kChess, full.owner(), Destination::Active);
    house.features().activate(kTag, house.told("tag"));
    house.frames(3);
    World& later = house.world("later");
    house.frames(3);
    EXPECT_EQ(house.said(), "tag ok");
    for (World* world : {&full, &roomy, &later}) {
        EXPECT_TRUE(house.features().is_attached(kTag, *world)) << world->def().name.text();
        EXPECT_EQ(house.features().is_attached(kHud, *world), world != &full) << world->def().name.text();
    }
    const std::string log = house.log();
    EXPECT_LT(log.find("hud.h.activating(roomy)"), log.find("tag.t.activating(roomy)")) << log;
    EXPECT_EQ(house.reports("feature.world_failed"), 0u);
}

TEST(Sides, a_feature_in_two_worlds_has_what_it_acquires_with_all_that_each_has_room_for) {
    // F-59, F-60
    Acquiring all(needs("hud", "kind = \"optional\""));
    World& full = all.house.world("full");
    World& roomy = all.house.world("roomy");
    const auto at = std::exchange(story().at, {});
    all.acquire(kChess, full);
    all.acquire(kTag, full);
    all.acquire(kTag, roomy);
    story().at = at;
    World& third = all.house.world("third");
    all.acquire(kTag, third);  // here it acquires
    for (World* world : {&full, &roomy, &third}) {
        EXPECT_TRUE(all.has("extra", *world)) << world->def().name.text();
        EXPECT_EQ(all.has("hud", *world), world != &full) << world->def().name.text();
    }
}

}  // namespace sides_test
}  // namespace lyre::features
