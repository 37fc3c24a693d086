// A feature in one world and not in another: joining, leaving, failing there, and who is told.
#include "tests/features/household.h"

namespace lyre::features {
namespace attachments_test {

const Name kTag("tag");

Status fail_in_second(const std::string& line, ActionContext*) {
    return line == "tag.a.activating(second)" ? Status::failed("not here") : Status::ok();
}

TEST(Attachments, a_world_that_asks_again_while_it_is_being_left_is_answered_when_it_is_joined_anew) {
    // F-82, F-14
    for (const bool fails : {false, true}) {
        Household house;
        house.write("tag", note_action("a", "pauses = true"));
        house.discover();
        World& first = house.world("first");
        World& second = house.world("second");
        const FeatureHold stays = house.features().acquire(kTag, first.owner(), Destination::Active);
        FeatureHold hold = house.features().acquire(kTag, second.owner(), Destination::Active);
        hold.release();
        ASSERT_TRUE(house.features().is_leaving(kTag, second));
        hold = house.features().acquire(kTag, second.owner(), Destination::Active, house.told("again"));
        house.frame();
        EXPECT_EQ(house.said(), "");
        if (fails) story().at = fail_in_second;
        story().tokens.clear();
        house.frame();
        EXPECT_EQ(house.said(), fails ? "again ActionFailed" : "again ok");
        EXPECT_EQ(hold.is_held(), !fails);
        EXPECT_EQ(house.features().is_attached(kTag, second), !fails);
        EXPECT_TRUE(house.features().is_attached(kTag, first));
    }
}

TEST(Attachments, a_wish_of_the_process_is_answered_when_every_world_has_been_joined) {
    // F-82, F-83, A-03
    Household house;
    house.files.write("features/tag/content/big.thing.toml", "size = 2\n");
    house.write("tag", note_action("a", "asset = \"big\"\nside = \"client\""));
    house.discover();
    World& server = house.world("server", NetMode::DedicatedServer);
    World& client = house.world("client", NetMode::Client);
    const FeatureHold hold = house.features().acquire(kTag, server.owner(), Destination::Active);
    house.executor.hold("big.thing");
    house.features().activate(kTag, house.told("activate"));
    const FeatureHold own =
        house.features().acquire(kTag, Owner::process(), Destination::Active, house.told("acquire"));
    house.frames(2);
    EXPECT_EQ(house.said(), "");
    house.features().load(kTag, house.told("load"));
    EXPECT_EQ(house.said(), "load ok") << "it is loaded, whatever else is wanted";
    house.executor.release("big.thing");
    house.frames(2);
    EXPECT_EQ(house.said(), "activate ok, acquire ok");
    EXPECT_TRUE(house.features().is_attached(kTag, client));
}

TEST(Attachments, a_wish_of_the_process_that_fails_in_one_world_is_told_and_the_others_keep_it) {
    // F-82, A-03
    Household house;
    house.write("tag", note_action("a"));
    house.discover();
    World& first = house.world("first");
    World& second = house.world("second");
    World& third = house.world("third");
    const FeatureHold hold = house.features().acquire(kTag, first.owner(), Destination::Active);
    story().at = fail_in_second;
    FeatureHold own = house.features().acquire(kTag, Owner::process(), Destination::Active, house.told("acquire"));
    EXPECT_EQ(house.said(), "acquire ActionFailed");
    EXPECT_FALSE(own.is_held());
    house.frame();
    EXPECT_TRUE(house.features().is_attached(kTag, first));
    EXPECT_FALSE(house.features().is_attached(kTag, third)) << "nobody wants it there";
    house.features().activate(kTag, house.told("activate"));
    EXPECT_EQ(house.said(), "activate ActionFailed");
    EXPECT_TRUE(house.features().is_attached(kTag, first));
    EXPECT_FALSE(house.features().is_attached(kTag, second));
    EXPECT_TRUE(house.features().is_attached(kTag, third));
    house.features().activate(kTag, house.told("again"));
    EXPECT_EQ(house.said(), "again ActionFailed") << "it is tried again";
    EXPECT_TRUE(house.features().is_attached(kTag, third));
    story().at = {};
    house.features().activate(kTag, house.told("at last"));
    EXPECT_EQ(house.said(), "at last ok");
    EXPECT_TRUE(house.features().is_attached(kTag, second));
}

TEST(Attachments, a_wish_of_the_process_does_not_wait_for_a_world_that_ends) {
    // F-82, A-03
    Household house;
    house.files.write("features/tag/content/big.thing.toml", "size = 2\n");
    house.write("tag", note_action("a", "asset = \"big\"\nside = \"client\""));
    house.discover();
    World& server = house.world("server", NetMode::DedicatedServer);
    house.world("client", NetMode::Client);
    const FeatureHold hold = house.features().acquire(kTag, server.owner(), Destination::Active);
    house.executor.hold("big.thing");
    house.features().activate(kTag, house.told("activate"));
    house.frame();
    EXPECT_EQ(house.said(), "");
    house.games[1]->close_world();
    house.frame();
    EXPECT_EQ(house.said(), "activate ok");
}

TEST(Attachments, who_waits_for_a_world_to_be_joined_goes_on_waiting_after_a_reload) {
    // X-119, F-12, F-82
    Household house;
    house.files.write("features/tag/content/big.thing.toml", "size = 2\n");
    house.write("tag", note_action("a", "asset = \"big\"\nside = \"client\""));
    house.discover();
    World& server = house.world("server", NetMode::DedicatedServer);
    World& client = house.world("client", NetMode::Client);
    const FeatureHold first = house.features().acquire(kTag, server.owner(), Destination::Active);
    house.executor.hold("big.thing");
    const FeatureHold second =
        house.features().acquire(kTag, client.owner(), Destination::Active, house.told("client"));
    house.frame();
    house.features().reload(kTag, house.told("reload"));
    house.frames(3);
    EXPECT_EQ(house.said(), "");
    house.executor.release("big.thing");
    house.frames(5);
    EXPECT_NE(house.said().find("client ok"), std::string::npos);
    EXPECT_TRUE(second.is_held());
    EXPECT_TRUE(house.features().is_attached(kTag, server));
    EXPECT_TRUE(house.features().is_attached(kTag, client));
}

// A component that nobody has registered, for clients alone.
struct NeedsClass : GameFeatureAction {
    static void describe(TypeBuilder<NeedsClass>&) {}
    void add_bundle_data(assets::BundleTable& table) const override {
        table.add_class(Name("Client"), Name("Nobody")).ignore();
    }
};

TEST(Attachments, what_is_wrong_with_what_a_further_role_needs_fails_the_world_that_has_it) {
    // F-83, F-27, F-82
    Household house;
    ASSERT_TRUE(house.runtime.types().add<NeedsClass>());
    house.write("tag", note_action("a") + "[[action]]\nkind = \"needs_class\"\n");
    house.discover();
    World& server = house.world("server", NetMode::DedicatedServer);
    World& client = house.world("client", NetMode::Client);
    const FeatureHold first = house.features().acquire(kTag, server.owner(), Destination::Active, house.told("server"));
    const FeatureHold second =
        house.features().acquire(kTag, client.owner(), Destination::Active, house.told("client"));
    house.frame();
    EXPECT_EQ(house.said(), "server ok, client AssetsFailed");
    EXPECT_NE(house.last_error.text.find("action 2 (needs_class)"), std::string::npos) << house.last_error.text;
    EXPECT_NE(house.last_error.text.find("Nobody"), std::string::npos) << house.last_error.text;
    EXPECT_FALSE(second.is_held());
    EXPECT_TRUE(house.features().is_attached(kTag, server));
}

TEST(Attachments, a_failure_in_a_world_is_told_to_observers_with_that_world) {
    // F-44, F-82, X-117
    Household house;
    house.write("tag", note_action("a"));
    house.discover();
    World& first = house.world("first");
    World& second = house.world("second");
    const FeatureHold one = house.features().acquire(kTag, first.owner(), Destination::Active);
    Observer observer("1");
    const ObserverHandle handle = house.features().add_observer(observer);
    story().at = fail_in_second;
    house.log();
    const FeatureHold two = house.features().acquire(kTag, second.owner(), Destination::Active);
    EXPECT_EQ(house.log(), "tag.a.activating(second) 1:tag.failed(second)");
}

TEST(Attachments, explain_says_of_each_world_whether_it_is_joined_and_why_not) {
    // X-117, F-82
    Household house;
    house.files.write("features/tag/content/big.thing.toml", "size = 2\n");
    house.write("tag", note_action("a", "asset = \"big\"\nside = \"client\"\npauses = true"));
    house.discover();
    World& server = house.world("server", NetMode::DedicatedServer);
    World& client = house.world("client", NetMode::Client);
    house.world("second", NetMode::DedicatedServer);
    const FeatureHold first = house.features().acquire(kTag, server.owner(), Destination::Active);
    house.executor.hold("big.thing");
    FeatureHold other = house.features().acquire(kTag, client.owner(), Destination::Active);
    story().at = fail_in_second;
    FeatureHold everywhere = house.features().acquire(kTag, Owner::process(), Destination::Active);
    house.frame(2);
    std::string text = house.features().explain(kTag);
    EXPECT_NE(text.find("\n  in world server\n"), std::string::npos) << text;
    EXPECT_EQ(text.find("\n  in world client"), std::string::npos) << text;
    EXPECT_NE(text.find("\n  joins world client since 2.0 s, waits for"), std::string::npos) << text;
    EXPECT_NE(text.find("thing:big"), std::string::npos) << text;
    EXPECT_NE(text.find("\n  failed in world second: "), std::string::npos) << text;
    EXPECT_NE(text.find("not here"), std::string::npos) << text;
    everywhere.release();
    house.executor.release("big.thing");
    house.frames(2);
    other.release();
    text = house.features().explain(kTag);
    EXPECT_NE(text.find("\n  leaves world client since 0.0 s, waits for fade of action 1 (note)"), std::string::npos)
        << text;
    EXPECT_EQ(text.find("second"), std::string::npos) << text;
}

}  // namespace attachments_test
}  // namespace lyre::features
