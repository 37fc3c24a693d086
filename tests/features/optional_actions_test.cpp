// Optional actions of a feature: what they need and cannot have leaves them out, and nothing else.
#include "tests/features/household.h"

namespace lyre::features {
namespace optional_actions_test {

const Name kTag("tag");
const std::string kOptional = "need = \"optional\"\n";

// Says what it needs in the way that `how` names.
struct Picky : GameFeatureAction {
    std::string how{};
    static void describe(TypeBuilder<Picky>& t) { t.property("how", &Picky::how); }
    void add_bundle_data(assets::BundleTable& table) const override {
        if (how == "throws") throw std::runtime_error("no bundle today");
        if (how == "class") table.add_class(Name("Equipped"), Name("Nobody")).ignore();
        if (how == "client") table.add_class(Name("Client"), Name("Nobody")).ignore();
    }
    void validate(ActionCheck&) const override {
        if (how == "invalid") throw std::runtime_error("not this way");
    }
    Status activating(ActivatingContext&) const override { return Status::failed("it was not left out"); }
};
std::string picky(std::string_view how, std::string_view more = kOptional) {
    return fmt::format("[[action]]\nkind = \"picky\"\nhow = \"{}\"\n{}", how, more);
}

struct Optional : testing::Test {
    Optional() {
        EXPECT_TRUE(house.runtime.types().add<Picky>());
        house.files.write("features/tag/content/fine.thing.toml", "size = 2\n");
        house.files.write("features/tag/content/torn.thing.toml", "size = \n");
    }
    std::string reports() {
        std::string text;
        for (const LogEntry& entry : house.runtime.log().entries())
            if (entry.kind == Name("feature.action")) text += fmt::format("{}: {}\n", entry.subject, entry.text);
        return text;
    }
    Household house;
};

TEST_F(Optional, actions_whose_needs_cannot_be_had_are_left_out_and_the_others_run) {
    // F-46, F-27, A-32
    const std::string torn = note_action("b", "asset = \"torn\"\n" + kOptional);
    const std::string asset = "[[action]]\nkind = \"add_assets\"\nassets = [\"thing:none\"]\n" + kOptional;
    const std::string component =
        "[[action]]\nkind = \"add_components\"\nto = \"Fighter\"\ncomponent = \"Nobody\"\n" + kOptional;
    const std::string code = "[[action]]\nkind = \"run\"\nfunction = \"hud.show\"\n" + kOptional;
    const std::string unknown = "[[action]]\nkind = \"nothing\"\n" + kOptional;
    const struct {
        std::string action, place, says;
    } cases[] = {
        {torn, "action 2 (note)", "torn"},
        {asset, "action 2 (add_assets)", "thing:none"},
        {picky("throws"), "action 2 (picky)", "no bundle today"},
        {picky("class"), "action 2 (picky)", "Nobody"},
        {picky("invalid"), "action 2 (picky)", "not this way"},
        {component, "action 2 (add_components)", "Nobody"},
        {code, "action 2 (run)", "hud.show"},
        {unknown, "action 2 (nothing)", "nothing"},
        {note_action("b", "colour = 3\n" + kOptional), "action 2 (note)", "colour"},
    };
    house.discover();
    int number = 0;
    World& world = house.world();
    for (const auto& one : cases) {
        SCOPED_TRACE(one.action);
        const std::string id = fmt::format("tag{}", ++number);
        house.files.write(fmt::format("features/{}/content/torn.thing.toml", id), "size = \n");
        house.write(id, note_action("a") + one.action + note_action("c"));
        const Problems problems = house.features().discover("features");
        EXPECT_TRUE(problems.is_empty()) << problems.to_text();
        FeatureHold hold = house.features().acquire(Name(id), world.owner(), Destination::Active, house.told("world"));
        house.frames(3);
        EXPECT_EQ(house.said(), "world ok") << house.last_error.to_string();
        const std::string log = house.log(),
                          expected = fmt::format("{0}.a.activating(arena) {0}.c.activating(arena)", id);
        EXPECT_NE(log.find(expected), std::string::npos) << log;
        EXPECT_EQ(log.find(".b.loading"), std::string::npos) << log;
        const std::string told = reports();
        EXPECT_NE(told.find(fmt::format("feature {}: {} is left out: ", id, one.place)), std::string::npos) << told;
        EXPECT_NE(told.find(one.says), std::string::npos) << told;
        const std::string text = house.features().explain(Name(id));
        EXPECT_NE(text.find(fmt::format("\n  left out: {}: ", one.place)), std::string::npos) << text;
        hold.release();
        house.frames(3);
        EXPECT_EQ(house.state(id), "Installed");
        house.log();
    }
}

TEST_F(Optional, one_that_names_what_an_optional_dependency_brings_does_not_stop_the_dependent) {
    // F-59, F-46
    house.write("tag", needs("hud", "kind = \"optional\"") + note_action("a") +
                           "[[action]]\nkind = \"add_components\"\nto = \"Fighter\"\ncomponent = \"HudPart\"\n" +
                           kOptional);
    house.discover();
    house.features().activate(kTag, house.told("activate"));
    house.frames(2);
    EXPECT_EQ(house.said(), "activate ok") << house.last_error.to_string();
    EXPECT_TRUE(house.features().problems(kTag)->is_empty()) << "it follows from the dependency that is not there";
}

TEST_F(Optional, required_ones_fail_with_their_place) {
    // F-27, F-46, A-32
    house.write("tag", note_action("a") + "[[action]]\nkind = \"add_assets\"\nassets = [\"thing:torn\"]\n");
    house.discover();
    house.features().load(kTag, house.told("load"));
    house.frames(3);
    EXPECT_EQ(house.said(), "load AssetsFailed");
    EXPECT_NE(house.last_error.text.find("action 2 (add_assets)"), std::string::npos) << house.last_error.text;
    EXPECT_NE(house.last_error.text.find("torn"), std::string::npos) << house.last_error.text;
}

TEST_F(Optional, one_that_was_left_out_for_an_asset_is_in_again_when_the_feature_is_loaded_again) {
    // F-27, F-46
    house.write("tag", note_action("a") + note_action("b", "asset = \"torn\"\n" + kOptional));
    house.discover();
    house.world();
    house.features().activate(kTag, house.told("first"));
    house.frames(3);
    EXPECT_EQ(house.said(), "first ok") << house.last_error.to_string();
    EXPECT_EQ(house.log().find("tag.b.activating"), std::string::npos);
    house.features().unload(kTag, KeepRegistered::Yes);
    house.frames(3);
    EXPECT_EQ(house.state("tag"), "Registered");
    house.files.write("features/tag/content/torn.thing.toml", "size = 3\n");
    house.log();
    house.features().activate(kTag, house.told("second"));
    house.frames(3);
    EXPECT_EQ(house.said(), "second ok");
    EXPECT_NE(house.log().find("tag.b.activating"), std::string::npos);
    EXPECT_EQ(house.features().explain(kTag).find("left out"), std::string::npos);
}

TEST_F(Optional, what_one_needs_for_a_further_role_leaves_it_out_of_the_world_that_has_that_role) {
    // F-83, F-46
    house.write("tag", note_action("a") + note_action("b", "asset = \"torn\"\nside = \"client\"\n" + kOptional) +
                           picky("client"));
    house.discover();
    World& server = house.world("server", NetMode::DedicatedServer);
    World& client = house.world("client", NetMode::Client);
    story().at = [](const std::string&, ActionContext*) { return Status::ok(); };
    const FeatureHold first = house.features().acquire(kTag, server.owner(), Destination::Active, house.told("server"));
    house.frames(3);
    EXPECT_NE(house.log().find("tag.b.activating(server)"), std::string::npos);
    const FeatureHold second =
        house.features().acquire(kTag, client.owner(), Destination::Active, house.told("client"));
    house.frames(3);
    EXPECT_EQ(house.said(), "server ok, client ok") << house.last_error.to_string();
    EXPECT_EQ(house.log(), "tag.a.activating(client) tag.a.activated(client)");
    EXPECT_NE(reports().find("feature tag: action 2 (note) is left out in world client (Client): "), std::string::npos)
        << reports();
}

}  // namespace optional_actions_test
}  // namespace lyre::features
