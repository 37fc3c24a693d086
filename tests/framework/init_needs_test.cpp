#include "tests/framework/init_world.h"

namespace lyre::framework {
namespace init_needs_test {

struct Needs : ::testing::Test {
    InitGame game;
    ComponentManager& manager = game.manager();
    Body* body = game.spawn<Body>();

    Status declare(std::string_view feature, Name state, Need need) {
        return manager.declare_init_need(*body, Name(feature), state, std::move(need));
    }
    // Counts how often it is asked.
    struct Fact {
        bool is_true = false;
        int asked = 0;
    };
    Need fact(Fact& fact, std::string_view name, std::vector<Name> signals) {
        return Need::holds(
            Name(name),
            [&fact](const Actor&) {
                ++fact.asked;
                return fact.is_true;
            },
            std::move(signals));
    }
};

TEST_F(Needs, a_feature_enters_a_state_when_all_it_needs_holds) {
    //
    Fact door;
    Part a("A", body);
    bool is_allowed = false;
    a.can = [&](Name, Name to) { return to != kAvailable || is_allowed ? Verdict::yes() : Verdict::no("can"); };
    EXPECT_TRUE(a.try_to_change_init_state(kSpawned));
    EXPECT_TRUE(declare("A", kAvailable, Need::reached(Name("B"), kAvailable)).is_ok());
    EXPECT_TRUE(declare("A", kAvailable, fact(door, "door", {Name("door")})).is_ok());
    EXPECT_TRUE(declare("A", kInitialized, Need::all_reached(kReady)).is_ok());
    EXPECT_EQ(a.init_state(), kSpawned);
    game.set(*body, "B", kAvailable);
    EXPECT_EQ(a.init_state(), kSpawned);
    door.is_true = true;
    manager.signal(*body, Name("door"));
    EXPECT_EQ(a.init_state(), kSpawned);
    is_allowed = true;
    manager.signal(*body, Name("anything"));
    EXPECT_EQ(a.init_state(), kAvailable);
    game.set(*body, "C", kReady);
    EXPECT_EQ(a.init_state(), kAvailable);
    game.set(*body, "B", kReady);
    EXPECT_EQ(a.init_state(), kReady);  // the last state has no needs
    EXPECT_EQ(a.checks, 0);
}

TEST_F(Needs, needs_of_other_actors_are_followed) {
    //
    Chest* chest = game.spawn<Chest>();
    ActorId found;
    game.set(*body, "A", kSpawned);
    EXPECT_TRUE(declare("A", kAvailable, Need::reached(Name("Lock"), kReady, [&](const Actor&) { return found; })));
    EXPECT_TRUE(declare("A", kReady, Need::reached({}, kReady, [&](const Actor&) { return found; })));
    EXPECT_EQ(game.state(*body, "A"), kSpawned);
    found = chest->id();
    manager.settle();  // nobody says when the function finds another actor: those who wait ask each frame
    EXPECT_EQ(game.state(*body, "A"), kSpawned);
    game.set(*chest, "Lock", kReady);
    EXPECT_EQ(game.state(*body, "A"), kReady);
    Body* other = game.spawn<Body>();
    game.set(*other, "A", kSpawned);
    found = game.spawn<Chest>()->id();
    EXPECT_TRUE(manager.declare_init_need(*other, Name("A"), kAvailable,
                                          Need::reached(Name("Lock"), kReady, [&](const Actor&) { return found; })));
    EXPECT_EQ(game.state(*other, "A"), kSpawned);
    game.set(*game.world().find(found), "Lock", kReady);
    EXPECT_EQ(game.state(*other, "A"), kReady);
}

TEST_F(Needs, a_feature_without_a_state_is_not_moved_unless_its_first_state_has_a_need) {
    //
    Fact begun;
    manager.register_init_state_feature(*body, Name("A"), nullptr);
    EXPECT_TRUE(declare("A", kReady, Need::reached(Name("B"), kReady)).is_ok());
    EXPECT_EQ(game.state(*body, "A"), Name());
    EXPECT_TRUE(declare("A", kSpawned, fact(begun, "begun", {Name("begun")})).is_ok());
    begun.is_true = true;
    manager.signal(*body, Name("begun"));
    EXPECT_EQ(game.state(*body, "A"), kInitialized);
}

TEST_F(Needs, who_skips_a_state_needs_what_it_needs) {
    //
    Part a("A", body);
    EXPECT_TRUE(a.try_to_change_init_state(kSpawned));
    EXPECT_TRUE(declare("A", kAvailable, Need::reached(Name("B"), kSpawned)).is_ok());
    EXPECT_FALSE(a.try_to_change_init_state(kReady));
}

TEST_F(Needs, a_predicate_is_asked_on_its_signals_only) {
    //
    Fact quiet, framed;
    game.set(*body, "A", kSpawned);
    EXPECT_TRUE(declare("A", kAvailable, fact(quiet, "quiet", {Name("one"), Name("two")})).is_ok());
    EXPECT_EQ(quiet.asked, 1);
    for (int i = 0; i < 3; ++i) manager.settle();
    manager.signal(*body, Name("other"));
    game.set(*body, "B", kSpawned);
    EXPECT_EQ(quiet.asked, 1);
    manager.signal(*body, Name("two"));
    EXPECT_EQ(quiet.asked, 2);
    game.set(*body, "C", kSpawned);
    EXPECT_TRUE(declare("C", kAvailable, fact(framed, "framed", {}).each_frame()).is_ok());
    EXPECT_EQ(framed.asked, 1);
    for (int i = 0; i < 3; ++i) manager.settle();
    EXPECT_EQ(framed.asked, 4);
    EXPECT_EQ(quiet.asked, 2);
    framed.is_true = true;
    manager.settle();
    EXPECT_EQ(game.state(*body, "C"), kReady);
    for (int i = 0; i < 3; ++i) manager.settle();
    EXPECT_EQ(framed.asked, 5);
}

TEST_F(Needs, a_ring_of_needs_is_refused_and_printed_whole) {
    //
    EXPECT_TRUE(declare("A", kAvailable, Need::reached(Name("B"), kAvailable)).is_ok());
    Status two = declare("B", kAvailable, Need::reached(Name("A"), kAvailable));
    EXPECT_EQ(two.text(), "needs go in a ring: B at DataAvailable -> A at DataAvailable -> B at DataAvailable");
    EXPECT_TRUE(declare("B", kAvailable, Need::reached(Name("A"), kSpawned)).is_ok());
    EXPECT_TRUE(declare("B", kInitialized, Need::reached(Name("C"), kReady)).is_ok());
    Status three = declare("C", kAvailable, Need::reached(Name("B"), kReady));
    EXPECT_EQ(three.text(),
              "needs go in a ring: C at DataAvailable -> B at GameplayReady -> B at DataInitialized -> C at "
              "GameplayReady -> C at DataInitialized -> C at DataAvailable");
    EXPECT_FALSE(declare("C", kSpawned, Need::all_reached(kInitialized)).is_ok());
    EXPECT_FALSE(declare("A", kSpawned, Need::reached(Name("A"), kReady)).is_ok());
    EXPECT_EQ(manager.init_counts().needs, 3u);
}

TEST_F(Needs, what_cannot_be_needed_is_refused) {
    //
    EXPECT_FALSE(declare("", kSpawned, Need::all_reached(kSpawned)).is_ok());
    EXPECT_FALSE(declare("A", Name("Elsewhere"), Need::all_reached(kSpawned)).is_ok());
    EXPECT_FALSE(declare("A", kSpawned, Need::all_reached(Name("Elsewhere"))).is_ok());
    EXPECT_FALSE(declare("A", kSpawned, Need::holds(Name("nothing"), nullptr, {})).is_ok());
    EXPECT_EQ(manager.init_counts(), InitCounts());
}

TEST_F(Needs, features_that_wait_for_each_other_are_reported_once) {
    //
    Chest* chest = game.spawn<Chest>();
    Part a("A", body), b("B", chest);
    a.can = [&](Name, Name to) {
        Verdict verdict = Verdict::waits(Name("B"), to);
        verdict.waits_for_actor = chest->id();
        return to == kSpawned ? Verdict::yes() : verdict;
    };
    for (Part* part : {&a, &b}) EXPECT_TRUE(part->try_to_change_init_state(kSpawned));
    EXPECT_TRUE(manager.declare_init_need(
        *chest, Name("B"), kAvailable, Need::reached(Name("A"), kAvailable, [&](const Actor&) { return body->id(); })));
    manager.settle();
    EXPECT_EQ(game.problems("framework.init.ring"), 0u);
    EXPECT_EQ(a.continue_init_state_chain(), kSpawned);
    for (int i = 0; i < 3; ++i) manager.settle();
    EXPECT_EQ(game.problems("framework.init.ring"), 1u);
    EXPECT_EQ(game.last_report(),
              "features wait for each other: A of #1.1 (Body) at Spawned waits for B of #2.1 at DataAvailable; B of "
              "#2.1 (Chest) at Spawned waits for A of #1.1 at DataAvailable");
    EXPECT_EQ(a.continue_init_state_chain(), kSpawned);
    manager.settle();
    EXPECT_EQ(game.problems("framework.init.ring"), 1u);
    a.can = nullptr;
    EXPECT_EQ(a.continue_init_state_chain(), kReady);
    EXPECT_EQ(b.init_state(), kReady);
}

TEST_F(Needs, a_ring_of_reasons_on_one_actor_is_found) {
    //
    Part a("A", body), b("B", body);
    a.can = [](Name, Name to) { return to == kReady ? Verdict::waits(Name("B"), kReady) : Verdict::yes(); };
    b.can = [](Name, Name to) { return to == kReady ? Verdict::waits(Name("A"), kReady) : Verdict::yes(); };
    for (Part* part : {&a, &b}) {
        part->try_to_change_init_state(kSpawned);
        EXPECT_EQ(part->continue_init_state_chain(), kInitialized);
    }
    manager.settle();
    EXPECT_EQ(game.problems("framework.init.ring"), 1u);
}

TEST_F(Needs, going_down_leaves_states_one_by_one_and_dependents_first) {
    //
    Part hero("Hero", body), ext("Ext", body);
    std::string climbed, left;
    for (Part* part : {&ext, &hero}) {
        part->handle = [&climbed, part](Name, Name to) {
            climbed += fmt::format("{}:{} ", part->name, to);
            return Status::ok();
        };
        part->exit = [&left, part](Name from, Name) { left = fmt::format("{}:{} ", part->name, from) + left; };
        EXPECT_TRUE(part->register_init_state_feature().is_ok());
    }
    EXPECT_TRUE(declare("Ext", kInitialized, Need::all_reached(kAvailable)).is_ok());
    EXPECT_TRUE(declare("Hero", kInitialized, Need::reached(Name("Ext"), kInitialized)).is_ok());
    for (Part* part : {&ext, &hero}) EXPECT_TRUE(part->try_to_change_init_state(kSpawned));
    EXPECT_EQ(climbed,
              "Ext:Spawned Ext:DataAvailable Hero:Spawned Hero:DataAvailable Ext:DataInitialized Ext:GameplayReady "
              "Hero:DataInitialized Hero:GameplayReady ");
    auto told =
        manager.register_and_call_for_actor_init_state(*body, Name("Hero"), {}, game.teller("l"), {.call_now = false});
    EXPECT_TRUE(manager.reset_init_state(*body, Name("Hero"), {}).is_ok());
    EXPECT_TRUE(manager.reset_init_state(*body, Name("Ext"), {}).is_ok());
    EXPECT_EQ(left, climbed);
    EXPECT_EQ(game.log(), "l:Hero:DataInitialized l:Hero:DataAvailable l:Hero:Spawned l:Hero:");
    climbed.clear();
    for (Part* part : {&ext, &hero}) EXPECT_TRUE(part->try_to_change_init_state(kSpawned));
    EXPECT_EQ(hero.init_state(), kReady);
    EXPECT_TRUE(manager.reset_init_state(*body, Name("Ext"), kSpawned).is_ok());
    EXPECT_EQ(ext.init_state(), kSpawned);
    EXPECT_EQ(hero.init_state(), kAvailable);  // below what it needed, and no further
    manager.settle();
    EXPECT_EQ(ext.init_state(), kSpawned);  // stays until it is asked
    ext.continue_init_state_chain();
    EXPECT_EQ(hero.init_state(), kReady);
    EXPECT_FALSE(manager.reset_init_state(*body, Name("Nobody"), kSpawned).is_ok());
    EXPECT_FALSE(manager.reset_init_state(*body, Name("Ext"), Name("Elsewhere")).is_ok());
}

TEST_F(Needs, a_lost_need_takes_back_what_it_keeps_and_nothing_else) {
    //
    for (bool keeps : {true, false}) {
        Body* one = game.spawn<Body>();
        Fact power{true};
        Part a("A", one);
        std::string left;
        a.exit = [&](Name from, Name) { left += fmt::format("{} ", from); };
        Need need = fact(power, "power", {Name("power")});
        need.keeps = keeps;
        EXPECT_TRUE(a.try_to_change_init_state(kSpawned));
        EXPECT_TRUE(manager.declare_init_need(*one, Name("A"), kInitialized, std::move(need)));
        EXPECT_EQ(a.init_state(), kReady);
        power.is_true = false;
        manager.signal(*one, Name("power"));
        EXPECT_EQ(a.init_state(), keeps ? kAvailable : kReady);
        EXPECT_EQ(left, keeps ? "GameplayReady DataInitialized " : "");
        power.is_true = true;
        manager.signal(*one, Name("power"));
        EXPECT_EQ(a.init_state(), kReady);
    }
}

TEST_F(Needs, a_lasting_need_on_an_actor_that_goes_is_lost) {
    //
    const ActorId chest = game.spawn<Chest>()->id();
    game.set(*game.world().find(chest), "Lock", kReady);
    game.set(*body, "A", kSpawned);
    EXPECT_TRUE(declare("A", kReady, Need::reached(Name("Lock"), kReady, [&](const Actor&) { return chest; }).kept()));
    EXPECT_EQ(game.state(*body, "A"), kReady);
    game.world().destroy(chest);
    EXPECT_EQ(game.state(*body, "A"), kInitialized);
}

TEST_F(Needs, removing_a_feature_lets_those_go_on_who_waited_for_all) {
    // I-25
    game.set(*body, "A", kSpawned);
    game.set(*body, "B", kSpawned);
    EXPECT_TRUE(declare("A", kAvailable, Need::all_reached(kAvailable)).is_ok());
    EXPECT_EQ(game.state(*body, "A"), kSpawned);
    manager.unregister_init_state_feature(*body, Name("B"));
    EXPECT_EQ(game.state(*body, "A"), kReady);
}

TEST_F(Needs, a_predicate_that_throws_does_not_hold_and_is_reported) {
    //
    game.set(*body, "A", kSpawned);
    EXPECT_TRUE(
        declare("A", kAvailable,
                Need::holds(Name("bad"), [](const Actor&) -> bool { throw std::runtime_error("malice"); }, {})));
    EXPECT_EQ(game.state(*body, "A"), kSpawned);
    EXPECT_EQ(game.problems(), 1u);
}

}  // namespace init_needs_test
}  // namespace lyre::framework
