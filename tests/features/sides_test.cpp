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

}  // namespace sides_test
}  // namespace lyre::features
