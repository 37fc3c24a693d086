// Callbacks, hooks and observers that do what they should not: worlds that end, tables that go, wishes inside answers.
#include <ctime>

#include "tests/features/household.h"

namespace lyre::features {
namespace features_reentrancy_test {

const Name kTag("tag"), kCore("core"), kBots("bots");

std::string worlds_of_tag(Household& house) {
    std::string text;
    for (const WorldReport& world : house.features().report(kTag).worlds)
        text += (text.empty() ? "" : ", ") + world.to_string();
    return text;
}

TEST(FeaturesReentrancy, a_second_world_joins_a_feature_with_all_it_needs) {
    // F-82, F-83
    Household house;
    house.write("core", note_action("c"));
    house.write("tag", needs("core") + note_action("t"));
    house.discover();
    World& one = house.world("one");
    World& two = house.world("two");
    FeatureHold first = house.features().acquire(kTag, one.owner(), Destination::Active, house.told("one"));
    house.log();
    FeatureHold second = house.features().acquire(kTag, two.owner(), Destination::Active, house.told("two"));
    EXPECT_EQ(house.said(), "one ok, two ok");
    EXPECT_EQ(house.log(), "core.c.activating(two) core.c.activated(two) tag.t.activating(two) tag.t.activated(two)");
}

TEST(FeaturesReentrancy, what_failed_in_a_world_is_tried_again_with_what_it_needs) {
    // F-82, F-23
    bool fails = true;
    Household house;
    house.write("core", note_action("c"));
    house.write("tag", needs("core") + note_action("t"));
    house.discover();
    World& one = house.world("one");
    World& two = house.world("two");
    FeatureHold first = house.features().acquire(kTag, one.owner(), Destination::Active);
    story().at = [&](const std::string& line, ActionContext*) {
        return fails && line == "core.c.activating(two)" ? Status::failed("not yet") : Status::ok();
    };
    FeatureHold second = house.features().acquire(kTag, two.owner(), Destination::Active, house.told("two"));
    house.frame();
    EXPECT_EQ(house.said(), "two DependencyFailed");
    fails = false;
    second = house.features().acquire(kTag, two.owner(), Destination::Active, house.told("again"));
    house.frame();
    EXPECT_EQ(house.said(), "again ok");
}

TEST(FeaturesReentrancy, an_answer_may_ask_for_anything_while_its_feature_ends) {
    // F-16, F-51
    Household house;
    house.write("tag", note_action("t"));
    house.write("bots", note_action("b"));
    house.discover();
    house.features().load(kTag);
    house.features().terminate(kTag, [&](const FeatureResult&) {
        house.features().activate(kBots, house.told("bots"));
        house.features().unload(kBots, KeepRegistered::No, house.told("down"));
    });
    house.frames(3);
    EXPECT_EQ(house.said(), "bots ok, down ok");
    Observer observer("o");
    story().at = [&](const std::string& line, ActionContext*) {
        if (line == "o:bots.discovered") house.features().terminate(kBots);
        return Status::ok();
    };
    const ObserverHandle watching = house.features().add_observer(observer, Replay::CurrentAndFuture);
    house.frame();
    EXPECT_TRUE(house.features().known().empty());
}

TEST(FeaturesReentrancy, the_table_may_go_inside_any_answer_hook_or_event) {
    // F-16
    for (const std::string at :
         {"answer", "tag.t.registering", "tag.t.activating(arena)", "tag.t.activated(arena)", "o:tag.mounted",
          "o:tag.activated", "tag.t.deactivating(arena)", "o:tag.unregistering"}) {
        Household house;
        house.write("tag", note_action("t"));
        house.discover();
        house.world();
        Observer observer("o");
        ObserverHandle watching = house.features().add_observer(observer);
        story().at = [&](const std::string& line, ActionContext*) {
            if (line == at) house.close();
            return Status::ok();
        };
        house.features().activate(kTag, [&](const FeatureResult&) {
            if (at == "answer") house.close();
        });
        if (house.is_open()) house.features().unload(kTag);
        if (house.is_open()) house.frame();
        EXPECT_FALSE(house.is_open()) << at;
        EXPECT_NE(house.log().find("tag.t.registering"), std::string::npos);
        EXPECT_EQ(house.assets.registry().roots().size(), 0u) << at;
    }
}

TEST(FeaturesReentrancy, hooks_in_a_world_that_begins_may_take_the_feature_away_or_end_the_world) {
    // F-16, F-82
    Household house;
    house.write("tag", note_action("t"));
    house.discover();
    house.features().activate(kTag);
    story().at = [&](const std::string& line, ActionContext* context) {
        const OwnerScope as(Owner::process());  // what asks goes with nobody
        if (line == "tag.t.activating(two)") house.features().deactivate(kTag, Dependents::Refuse, house.told("down"));
        if (line == "tag.t.activating(three)") context->find_world()->end();
        return Status::ok();
    };
    house.world("two");
    house.frames(2);
    EXPECT_EQ(house.said(), "down ok");
    EXPECT_EQ(house.state("tag"), "Loaded");
    house.games.clear();
    house.features().activate(kTag);
    house.world("three");
    house.frames(2);
    EXPECT_EQ(house.state("tag"), "Active");
    EXPECT_TRUE(house.features().report(kTag).worlds.empty());
}

TEST(FeaturesReentrancy, a_hold_that_is_given_up_while_it_waits_is_answered_and_may_ask_again) {
    // F-78, F-12
    Household house;
    house.files.write("features/tag/content/flag.thing.toml", "size = 2\n");
    house.write("tag", note_action("t", "asset = \"flag\"\nside = \"client\""));
    house.discover();
    World& server = house.world("server", NetMode::DedicatedServer);
    FeatureHold first = house.features().acquire(kTag, server.owner(), Destination::Active);
    house.executor.hold("flag.thing");
    std::vector<World*> others;
    for (int i = 0; i < 8; ++i) others.push_back(&house.world(fmt::format("client{}", i), NetMode::Client));
    std::vector<FeatureHold> holds;
    {
        FeatureHold waits =
            house.features().acquire(kTag, others[0]->owner(), Destination::Active, [&](const FeatureResult& result) {
                house.told("given up")(result);
                for (World* other : others)
                    holds.push_back(
                        house.features().acquire(kTag, other->owner(), Destination::Active, house.told("asked")));
            });
        house.frame();
        EXPECT_EQ(house.said(), "");
    }
    EXPECT_EQ(house.said(), "given up Cancelled");
    house.executor.release("flag.thing");
    house.frames(3);
    EXPECT_EQ(house.said(), "asked ok, asked ok, asked ok, asked ok, asked ok, asked ok, asked ok, asked ok");
}

TEST(FeaturesReentrancy, code_is_not_closed_inside_an_answer_that_may_be_its_own) {
    // F-70
    Household house;
    static const ModuleEntry kModule = linked_entry("tag", "1.0.0", [](Registrar&) {});
    ASSERT_TRUE(house.modules.add(kModule).is_ok());
    house.files.write("features/bots/content/big.thing.toml", "size = 2\n");
    house.write("tag", note_action("t") + "[module]\nname = \"tag\"\n");
    house.write("bots", note_action("b", "asset = \"big\""));
    house.discover();
    std::size_t open = 0;
    story().at = [&](const std::string& line, ActionContext*) {
        if (line == "tag.t.loading")  // a callback of tag's own
            house.features().load(kBots, [&](const FeatureResult&) {
                house.features().unload(kTag);
                open = house.modules.open_count();
            });
        return Status::ok();
    };
    house.features().load(kTag);
    house.frames(3);
    EXPECT_EQ(open, 1u);
    house.frames(2);
    EXPECT_EQ(house.modules.open_count(), 0u);
}

TEST(FeaturesReentrancy, incompatible_features_do_not_meet_in_a_world_that_has_not_begun) {
    // F-60
    Household house;
    house.write("tag", needs("bots", "kind = \"incompatible\""));
    house.write("bots");
    house.discover();
    World& world = house.world("arena", NetMode::Standalone, false);
    FeatureHold one = house.features().acquire(kTag, world.owner(), Destination::Active, house.told("one"));
    FeatureHold two = house.features().acquire(kBots, world.owner(), Destination::Active, house.told("two"));
    EXPECT_EQ(house.said(), "one ok, two Incompatible");
}

TEST(FeaturesReentrancy, a_weaker_wish_takes_nothing_from_a_stronger_owner) {
    // F-63, F-78
    Household house;
    house.files.write("features/tag/content/big.thing.toml", "size = 2\n");
    house.write("tag", note_action("t", "asset = \"big\""));
    house.discover();
    World& world = house.world();
    house.executor.hold("big.thing");
    FeatureHold hold = house.features().acquire(kTag, world.owner(), Destination::Active, house.told("world"));
    house.features().change_target(kTag, Destination::Loaded, house.told("process"));
    house.executor.release("big.thing");
    house.frames(3);
    EXPECT_EQ(house.said(), "process ok, world ok");
    EXPECT_EQ(house.state("tag"), "Active");
}

TEST(FeaturesReentrancy, a_refused_unload_is_not_forgotten_by_a_wish_that_changes_nothing) {
    //
    struct Runner : Actor {
        static void describe(TypeBuilder<Runner>& t) { t.parent<Actor>(); }
    };
    Household house;
    static const ModuleEntry kModule = linked_entry("tag", "1.0.0", [](Registrar& f) { f.type<Runner>(); });
    ASSERT_TRUE(house.modules.add(kModule).is_ok());
    house.write("tag", "[module]\nname = \"tag\"\n");
    house.discover();
    World& world = house.world();
    {
        FeatureHold hold = house.features().acquire(kTag, world.owner(), Destination::Active);
        ASSERT_TRUE(world.spawn("Runner").is_ok());
    }
    house.frames(2);
    EXPECT_EQ(house.state("tag"), "Registered");
    house.features().deactivate(kTag, Dependents::Refuse, house.told("deactivate"));
    EXPECT_EQ(house.said(), "deactivate ok");
    for (ActorId id : world.actors()) world.destroy(id);
    house.frames(2);
    EXPECT_EQ(house.state("tag"), "Installed");
}

TEST(FeaturesReentrancy, taking_down_is_answered_though_a_dependent_refuses_and_forgotten_when_it_is_wanted_again) {
    // F-63, F-12
    bool is_armed = true;
    Household house(nullptr, [&](Name id, FeatureState at) {
        if (id == kTag && at == FeatureState::Unloading && std::exchange(is_armed, false))
            return StepFault{StepFault::Effect::Fail, 0, "on purpose"};
        return StepFault{};
    });
    house.write("core", note_action("c"));
    house.write("tag", needs("core") + note_action("t"));
    house.discover();
    house.features().activate(kTag);
    house.features().unload(kCore, KeepRegistered::No, house.told("down"), Dependents::TakeDown);
    house.frame();
    EXPECT_EQ(house.said(), "down Injected");
    house.frames(4);
    EXPECT_EQ(house.state("core"), "Installed");  // nobody wants either
}

TEST(FeaturesReentrancy, taking_down_that_is_overtaken_by_a_wish_for_the_dependent_is_answered) {
    // F-63, F-12
    Household house;
    house.write("core");
    house.write("tag", needs("core"));
    house.write("bots");
    house.discover();
    World& world = house.world();
    house.features().activate(kTag);
    FeatureHold hold;
    house.features().load(kBots, [&](const FeatureResult&) {
        house.features().deactivate(kCore, Dependents::TakeDown, house.told("down"));
        hold = house.features().acquire(kTag, world.owner(), Destination::Active, house.told("tag"));
    });
    house.frames(3);
    EXPECT_EQ(house.said(), "down Cancelled, tag ok");
    EXPECT_EQ(house.state("core"), "Active");
    // One that needs it no higher takes nothing from it.
    hold.release();
    house.features().activate(kTag);
    house.features().load(kBots, [&](const FeatureResult&) {
        house.features().deactivate(kCore, Dependents::TakeDown, house.told("down"));
        hold = house.features().acquire(kTag, world.owner(), Destination::Loaded, house.told("tag"));
    });
    house.frames(3);
    const std::string said = house.said();
    EXPECT_NE(said.find("down ok"), std::string::npos) << said;
    EXPECT_EQ(house.state("core"), "Loaded");
}

TEST(FeaturesReentrancy, a_reload_that_cuts_a_climb_short_lets_it_go_on) {
    // X-119, F-12
    Household house;
    house.files.write("features/tag/content/big.thing.toml", "size = 2\n");
    house.write("tag", note_action("t", "asset = \"big\""));
    house.discover();
    World& world = house.world();
    house.executor.hold("big.thing");
    FeatureHold hold = house.features().acquire(kTag, world.owner(), Destination::Active, house.told("world"));
    house.features().reload(kTag, house.told("reload"));
    house.frames(3);
    house.executor.release("big.thing");
    house.frames(4);
    EXPECT_EQ(house.state("tag"), "Active");
    EXPECT_TRUE(hold.is_held());
    EXPECT_NE(house.said().find("world ok"), std::string::npos);
}

TEST(FeaturesReentrancy, what_is_asked_for_while_a_reload_takes_it_down_is_answered_when_it_is_back) {
    // X-119, F-12
    Household house;
    house.write("tag", note_action("t", "pauses = true"));
    house.discover();
    World& world = house.world();
    const FeatureHold hold = house.features().acquire(kTag, world.owner(), Destination::Active, house.told("first"));
    house.frames(3);
    EXPECT_EQ(house.said(), "first ok");
    house.features().reload(kTag, house.told("reload"));
    house.frames(2);
    house.log();
    const FeatureHold again = house.features().acquire(kTag, world.owner(), Destination::Active, house.told("again"));
    house.features().activate(kTag, house.told("process"));
    house.frames(2);
    EXPECT_EQ(house.said(), "");
    story().tokens.clear();
    house.frames(4);
    EXPECT_EQ(house.log(),
              "tag.t.unloading tag.t.unregistering tag.t.registering tag.t.loading tag.t.activating(arena) "
              "tag.t.activated(arena)")
        << "down and up once";
    const std::string said = house.said();
    for (const char* one : {"again ok", "process ok", "reload ok"})
        EXPECT_NE(said.find(one), std::string::npos) << said;
}

TEST(FeaturesReentrancy, a_batch_that_ends_features_answers_each_once) {
    // F-41
    Household house;
    house.write("tag");
    house.write("bots", note_action("b"));
    house.discover();
    house.features().load(kTag);
    const Target targets[] = {{kTag, Destination::Terminal}, {kBots, Destination::Active}};
    int calls = 0;
    FeatureResults results;
    house.features().change_targets(targets, [&](const FeatureResults& all) { ++calls, results = all; });
    house.frames(3);
    EXPECT_EQ(calls, 1);
    ASSERT_EQ(results.size(), 2u);
    EXPECT_TRUE(results[0].is_ok()) << results[0].to_string();
    EXPECT_TRUE(results[1].is_ok()) << results[1].to_string();
}

TEST(FeaturesReentrancy, who_asks_again_whenever_it_fails_lets_the_frame_end_and_leaves_nothing_half_made) {
    // F-17, F-79
    const Name tag("tag");
    for (const std::size_t before : {0u, 1u, 2u}) {  // transitions of the same frame
        Household house;
        house.files.write("features/tag/content/flag.thing.toml", "size = 2\n");
        house.write("tag", "[[action]]\nkind = \"nonsense\"\n");
        house.discover();
        house.frame();
        for (std::size_t i = 0; i < before; ++i)
            house.features().change_target(tag, i == 0 ? Destination::StatusKnown : Destination::Installed);
        std::size_t tries = 0;
        std::function<void(const FeatureResult&)> ask = [&](const FeatureResult& result) {
            if (!result && ++tries < 20'000) house.features().activate(tag, ask);
        };
        house.features().activate(tag, ask);
        EXPECT_LT(tries, 5000u);
        EXPECT_GT(tries, 3000u);
        EXPECT_EQ(house.state("tag"), "ErrorRegistering");
        EXPECT_TRUE(house.assets.registry().of_type(Name("thing")).empty());
        tries = 0;
        house.frame();
        EXPECT_LT(tries, 5000u);
        EXPECT_GT(tries, 3000u);
        tries = 20'000;  // nobody asks any more
        house.frames(2);
        EXPECT_EQ(house.state("tag"), "ErrorRegistering");
        EXPECT_TRUE(house.assets.registry().of_type(Name("thing")).empty());
    }
}

TEST(FeaturesReentrancy, observers_and_hooks_may_end_worlds_that_others_are_told_of) {
    // F-44, F-82
    Household house;
    Observer first("1"), second("2");
    const ObserverHandle one = house.features().add_observer(first), two = house.features().add_observer(second);
    house.write("tag", note_action("t"));
    house.discover();
    story().at = [&](const std::string& line, ActionContext*) {
        if (line == "1:tag.world_attached(arena)") house.games.clear();
        return Status::ok();
    };
    house.world("arena");
    house.features().activate(kTag);
    house.frames(2);
    EXPECT_EQ(house.log().find("2:tag.world_attached"), std::string::npos);
    EXPECT_EQ(house.state("tag"), "Active");
    story().at = {};
    World& left = house.world("left");
    FeatureHold hold = house.features().acquire(kTag, left.owner(), Destination::Active);
    house.features().terminate(kTag, house.told("held"));
    EXPECT_EQ(house.said(), "held HeldBy");
}

TEST(FeaturesReentrancy, a_feature_that_an_observer_activates_as_it_is_found_stays_known) {
    // F-44, F-38
    Household house;
    Observer observer("o");
    const ObserverHandle watching = house.features().add_observer(observer);
    story().at = [&](const std::string& line, ActionContext*) {
        if (line == "o:tag.discovered") house.features().activate(kTag, house.told("tag"));
        return Status::ok();
    };
    house.write("tag", note_action("t"));
    house.discover();
    house.frames(2);
    EXPECT_EQ(house.said(), "tag ok");
    EXPECT_EQ(house.state("tag"), "Active");
}

TEST(FeaturesReentrancy, many_ways_to_one_feature_are_asked_once_each) {
    // F-42, F-64
    Household house;
    for (int layer = 0; layer < 12; ++layer)
        for (int i = 0; i < 3; ++i) {
            std::string all;
            for (int below = 0; layer > 0 && below < 3; ++below)
                all += needs(fmt::format("l{:02}_{}", layer - 1, below));
            house.write(fmt::format("l{:02}_{}", layer, i), all + note_action("x"));
        }
    house.discover();
    World& world = house.world();
    FeatureHold hold = house.features().acquire(Name("l11_0"), world.owner(), Destination::Active, house.told("top"));
    EXPECT_EQ(house.said(), "top ok");  // minutes, if every way were walked
    hold.release();
    house.frames(40);
    for (Name id : house.features().known())
        EXPECT_EQ(house.features().state(id), FeatureState::Installed) << id.text();
}

TEST(FeaturesReentrancy, an_observer_may_end_what_is_replayed_to_it_and_the_worlds_it_is_in) {
    // F-44, F-16
    Household house;
    house.write("a", note_action("x"));
    house.write("b", note_action("x"));
    house.discover();
    house.world("arena");
    house.world("beach");
    house.features().activate(Name("a"));
    house.features().activate(Name("b"));
    house.log();
    Observer observer("o");
    story().at = [&](const std::string& line, ActionContext*) {
        if (line == "o:a.discovered") house.features().terminate(Name("b"), house.told("b"));
        if (line == "o:a.world_attached(arena)") house.games[1]->close_world();  // the beach
        return Status::ok();
    };
    const ObserverHandle watching = house.features().add_observer(observer, Replay::CurrentAndFuture);
    house.frames(2);
    EXPECT_EQ(house.said(), "b ok");
    EXPECT_EQ(house.features().known(), std::vector<Name>{Name("a")});
    const std::string log = house.log();
    for (const char* what : {"a.world_attached", "a.world_detached", "b.world_attached", "b.world_detached"})
        EXPECT_EQ(log.find(fmt::format("o:{}(beach)", what)), std::string::npos)
            << log;  // never told that it was there
    EXPECT_NE(log.find("o:a.activated"), std::string::npos) << log;
    EXPECT_LT(log.find("o:b.activated"), log.find("o:b.deactivating"))
        << log;  // it goes when all is told, and is heard
    EXPECT_NE(log.find("o:b.terminating"), std::string::npos) << log;
}

TEST(FeaturesReentrancy, a_hook_of_a_dependency_may_end_the_world_that_is_being_joined) {
    // F-82, F-83
    for (const std::string where : {"hud.h.registering", "hud.h.loading"})
        for (const bool is_optional : {false, true}) {
            Household house;
            house.write("hud", note_action("h"));
            house.write("tag",
                        needs("hud", is_optional ? "side = \"client\"\nkind = \"optional\"" : "side = \"client\"") +
                            note_action("t"));
            house.discover();
            World& server = house.world("server", NetMode::DedicatedServer);
            World& client = house.world("client", NetMode::Client);
            FeatureHold one = house.features().acquire(kTag, server.owner(), Destination::Active, house.told("server"));
            story().at = [&](const std::string& line, ActionContext*) {
                if (line == where) house.games[1]->close_world();
                return Status::ok();
            };
            FeatureHold two = house.features().acquire(kTag, client.owner(), Destination::Active, house.told("client"));
            house.frames(3);
            EXPECT_EQ(house.said(), "server ok, client WorldGone") << where;
            EXPECT_EQ(house.state("tag"), "Active");
            EXPECT_FALSE(two.is_held());
            EXPECT_EQ(worlds_of_tag(house), "in world server");
        }
}

TEST(FeaturesReentrancy, a_hook_on_the_way_out_of_a_world_may_end_that_and_one_that_is_to_be_joined) {
    // F-82
    Household house;
    house.write("tag", note_action("t"));
    house.write("core");
    house.discover();
    World& first = house.world("first");
    World& second = house.world("second");
    World& third = house.world("third");
    FeatureHold one = house.features().acquire(kTag, first.owner(), Destination::Active);
    FeatureHold two = house.features().acquire(kTag, second.owner(), Destination::Active);
    FeatureHold three;
    story().at = [&](const std::string& line, ActionContext*) {
        if (line == "tag.t.deactivating(second)") {
            house.games[2]->close_world();
            house.games[1]->close_world();
        }
        return Status::ok();
    };
    house.features().load(kCore, [&](const FeatureResult&) {  // both in one step
        three = house.features().acquire(kTag, third.owner(), Destination::Active, house.told("third"));
        two.release();
    });
    house.frames(2);
    EXPECT_EQ(house.said(), "third WorldGone");
    EXPECT_EQ(worlds_of_tag(house), "in world first");
}

Name numbered(int i) {
    return Name(fmt::format("f{:05}", i));
}

void write_chain(Household& house, int count) {
    for (int i = 0; i < count; ++i)
        house.write(std::string(numbered(i).text()), i > 0 ? needs(numbered(i - 1).text()) : "");
}

TEST(FeaturesReentrancy, the_longest_chain_that_one_wish_may_bring_up_comes_in_one_call_and_goes) {
    // F-09
    Household house;
    write_chain(house, 2001);
    house.discover();
    World& world = house.world();
    FeatureHold too_many = house.features().acquire(numbered(2000), world.owner(), Destination::Active);
    EXPECT_EQ(house.features().state(numbered(0)), FeatureState::Installed);
    FeatureHold last = house.features().acquire(numbered(1999), world.owner(), Destination::Active, house.told("last"));
    EXPECT_EQ(house.said(), "last ok");
    EXPECT_TRUE(house.features().is_attached(numbered(0), world));
    FeatureHold next = house.features().acquire(numbered(2000), world.owner(), Destination::Active, house.told("next"));
    EXPECT_EQ(house.said(), "next ok") << "what is up already counts";
    last.release();
    next.release();
    house.frames(2005);
    EXPECT_EQ(house.features().state(numbered(0)), FeatureState::Installed);
}

TEST(FeaturesReentrancy, hooks_and_answers_that_each_ask_for_the_next_feature_stand_on_no_stack_without_end) {
    // F-09, F-16
    constexpr int kCount = 5000;
    for (const bool by_hook : {false, true}) {
        Household house;
        for (int i = 0; i < kCount; ++i) house.write(std::string(numbered(i).text()), by_hook ? note_action("n") : "");
        house.discover();
        World& world = house.world();
        std::vector<FeatureHold> holds;
        std::function<void(int)> ask = [&](int i) {
            if (i == kCount) return;
            holds.push_back(house.features().acquire(
                numbered(i), world.owner(), Destination::Active,
                by_hook ? FeatureCallback() : [&ask, i](const FeatureResult&) { ask(i + 1); }));
        };
        story().at = [&](const std::string& line, ActionContext*) {
            if (line.ends_with(".activated(arena)")) ask(std::stoi(line.substr(1, 5)) + 1);
            return Status::ok();
        };
        ask(0);
        EXPECT_EQ(house.features().state(numbered(kCount - 1)), FeatureState::Active) << by_hook;
        ask(0);  // all are up: each is answered at once
        EXPECT_EQ(holds.size(), by_hook ? kCount + 1u : 2u * kCount);
    }
}

TEST(FeaturesReentrancy, what_many_features_take_to_go_grows_as_they_do) {
    // F-25
    Household house;
    constexpr int kCount = 4000;
    for (int i = 0; i < kCount; ++i) house.write(std::string(numbered(i).text()), "initial_state = \"active\"\n");
    house.discover();
    house.world();
    const std::clock_t start = std::clock();
    house.features().start();
    const std::clock_t up = std::clock();
    EXPECT_EQ(house.features().state(numbered(kCount - 1)), FeatureState::Active);
    house.close();
    EXPECT_LT(std::clock() - up, 10 * (up - start)) << "processor time of the way down, and of the way up";
}

TEST(FeaturesReentrancy, no_feature_holds_itself_or_what_depends_on_it) {
    // F-12, F-78
    for (const Name what : {kTag, kBots, kCore}) {
        Household house;
        house.write("core", note_action("c"));
        house.write("tag", note_action("t"));
        house.write("bots", needs("tag") + note_action("b"));
        house.discover();
        World& world = house.world();
        std::vector<FeatureHold> mine;
        story().at = [&](const std::string& line, ActionContext*) {
            if (line == "tag.t.activated(arena)")
                mine.push_back(
                    house.features().acquire(what, Owner::current(), Destination::Active, house.told("self")));
            if (line == "core.c.activated(arena)")
                mine.push_back(
                    house.features().acquire(kTag, Owner::current(), Destination::Active, house.told("back")));
            return Status::ok();
        };
        FeatureHold hold = house.features().acquire(kTag, world.owner(), Destination::Active, house.told("up"));
        house.frames(4);
        const std::string said = house.said();
        if (what == kCore) {
            EXPECT_EQ(said, "back DependencyCycle, self ok, up ok");
            EXPECT_EQ(house.last_error.text, "core cannot hold it, as it would never go: core -> tag -> core");
        } else {
            EXPECT_EQ(said, "self DependencyCycle, up ok") << what.text();
            const char* circle = what == kTag ? "tag -> tag" : "tag -> bots -> tag";
            EXPECT_EQ(house.last_error.text, fmt::format("tag cannot hold it, as it would never go: {}", circle));
        }
        hold.release();
        house.frames(4);
        EXPECT_EQ(house.state("tag"), "Installed") << house.features().explain(kTag);
        EXPECT_EQ(house.state("core"), "Installed");
    }
}

TEST(FeaturesReentrancy, a_hold_on_what_came_to_depend_on_its_owner_ends_when_nobody_else_wants_that) {
    // F-12, F-78
    for (const std::string way : {"release", "leave world", "take down", "lower", "reload"}) {
        Household house;
        house.write("tag", note_action("t"));
        house.write("bots", needs("tag", "side = \"client\"") + note_action("b"));
        house.discover();
        World& server = house.world("server", NetMode::DedicatedServer);
        FeatureHold mine;
        story().at = [&](const std::string& line, ActionContext*) {
            if (line == "tag.t.activated(server)")
                mine = house.features().acquire(kBots, Owner::current(), Destination::Active, house.told("bots"));
            return Status::ok();
        };
        const bool is_for_all = way == "take down" || way == "lower";
        FeatureHold one;
        FeatureHold two;
        if (is_for_all)
            house.features().activate(kTag);
        else
            one = house.features().acquire(kTag, server.owner(), Destination::Active);
        World& client = house.world("client", NetMode::Client);
        if (!is_for_all) two = house.features().acquire(kTag, client.owner(), Destination::Active);
        house.frames(3);
        ASSERT_EQ(house.said(), "bots ok");
        ASSERT_TRUE(house.features().is_attached(kBots, client)) << house.features().explain(kBots);
        house.log();
        if (way == "leave world") {
            two.release();
            EXPECT_EQ(house.log(), "bots.b.deactivating(client) tag.t.deactivating(client)");
            EXPECT_TRUE(house.features().is_attached(kBots, server));
        }
        if (way == "reload") {
            house.features().reload(kTag, house.told("reload"));
            house.frames(12);
            EXPECT_EQ(house.said(), "bots DependencyCycle, reload ok") << "the client is there by now";
            EXPECT_TRUE(house.features().is_attached(kTag, client)) << house.features().explain(kTag);
        }
        if (way == "take down")
            house.features().unload(kTag, KeepRegistered::No, house.told("down"), Dependents::TakeDown);
        else if (way == "lower")
            house.features().deactivate(kTag, Dependents::TakeDown, house.told("down"));
        one.release();
        two.release();
        house.frames(5);
        EXPECT_EQ(house.said(), is_for_all ? "down ok" : "") << way;
        EXPECT_EQ(house.state("tag"), way == "lower" ? "Loaded" : "Installed") << way << house.features().explain(kTag);
        EXPECT_EQ(house.state("bots"), "Installed") << way;
        EXPECT_FALSE(mine.is_held());
        EXPECT_EQ(house.reports("feature.circle"), way == "reload" ? 0u : 1u);
    }
}

}  // namespace features_reentrancy_test
}  // namespace lyre::features
