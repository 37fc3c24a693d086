#include "lyre/experience/rounds.h"

#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "lyre/core/random.h"
#include "lyre/core/subscriptions.h"

#include "tests/world/small_world.h"

namespace lyre::experience {
namespace rounds_test {

using Texts = Rounds<std::string>;
constexpr Priority kLevels[] = {Priority::High, Priority::Normal, Priority::Low};

TEST(Rounds, high_runs_before_normal_before_low_and_each_level_in_order_of_adding) {
    // E-55, E-58
    Texts rounds;
    std::string told, expected;
    std::vector<CallbackHandle> handles;
    for (int i = 0; i < 50; ++i)
        handles.push_back(rounds.add(kLevels[i * 7 % 3], {},
                                     [&, i](const std::string& what) { told += fmt::format("{}{} ", what, i); }));
    for (int level = 0; level < 3; ++level)
        for (int i = 0; i < 50; ++i)
            if (i * 7 % 3 == level) expected += fmt::format("tag{} ", i);
    EXPECT_EQ(rounds.count(), 50u);
    rounds.broadcast("tag");
    EXPECT_EQ(told, expected);
}

TEST(Rounds, once_is_gone_afterwards_and_each_load_is_told_again) {
    // E-55, E-113
    Texts rounds;
    std::string told;
    CallbackHandle once = rounds.add(Priority::Normal, {}, [&](const std::string&) { told += 'o'; });
    CallbackHandle each = rounds.add(
        Priority::Normal, {}, [&](const std::string&) { told += 'e'; }, Repeat::EachLoad);
    EXPECT_TRUE(once.is_registered() && each.is_registered());
    rounds.broadcast("a");
    EXPECT_FALSE(once.is_registered());
    EXPECT_TRUE(each.is_registered());
    rounds.broadcast("b");
    EXPECT_EQ(told, "oee");
    EXPECT_EQ(rounds.count(), 1u);
}

TEST(Rounds, without_arguments_they_just_happen) {
    Rounds<> may_start;
    int calls = 0;
    CallbackHandle handle = may_start.add(Priority::Low, {}, [&] { ++calls; });
    may_start.broadcast();
    EXPECT_EQ(calls, 1);
}

TEST(Rounds, a_dropped_handle_unsubscribes_before_in_another_callback_and_in_its_own) {
    // E-59
    Texts rounds;
    std::string told;
    CallbackHandle before = rounds.add(Priority::High, {}, [&](const std::string&) { told += 'x'; });
    before.reset();
    EXPECT_FALSE(before.is_registered());
    CallbackHandle victim, self;
    CallbackHandle killer = rounds.add(Priority::High, {}, [&](const std::string&) { victim = {}; });
    victim = rounds.add(Priority::Normal, {}, [&](const std::string&) { told += 'v'; });
    self = rounds.add(
        Priority::Low, {},
        [&, held = std::make_shared<char>('s')](const std::string&) {
            self.reset();
            told += *held;  // what the callable holds lives until the call is over
        },
        Repeat::EachLoad);
    rounds.broadcast("");
    rounds.broadcast("");
    EXPECT_EQ(told, "s");
    EXPECT_EQ(rounds.count(), 0u);
}

TEST(Rounds, a_dropped_handle_frees_what_the_callable_held) {
    // E-59
    Texts rounds;
    auto held = std::make_shared<int>(1);
    {
        CallbackHandle handle = rounds.add(Priority::High, {}, [held](const std::string&) {});
    }
    CallbackHandle once = rounds.add(Priority::High, {}, [held](const std::string&) {});
    EXPECT_EQ(held.use_count(), 2);
    rounds.broadcast("");
    EXPECT_EQ(held.use_count(), 1);
}

TEST(Rounds, what_is_added_during_a_broadcast_waits_for_the_next) {
    // E-57: the Host has called it already
    Texts rounds;
    std::string told;
    std::vector<CallbackHandle> handles;
    handles.push_back(rounds.add(Priority::Normal, {}, [&](const std::string& what) {
        for (Priority level : kLevels)
            handles.push_back(rounds.add(level, {}, [&](const std::string& again) { told += again; }));
        told += what;
    }));
    rounds.broadcast("1");
    EXPECT_EQ(told, "1");
    rounds.broadcast("2");
    EXPECT_EQ(told, "1222");
}

TEST(Rounds, one_level_at_a_time_reaches_who_was_there_at_the_mark) {
    // E-57, X-13
    Texts rounds;
    std::string told;
    std::vector<CallbackHandle> handles;
    handles.push_back(rounds.add(Priority::Low, {}, [&](const std::string&) { told += 'L'; }));
    handles.push_back(rounds.add(Priority::High, {}, [&](const std::string&) {
        told += 'H';
        handles.push_back(rounds.add(
            Priority::Normal, {}, [&](const std::string&) { told += 'n'; }, Repeat::EachLoad));
    }));
    const Texts::Mark mark = rounds.mark();
    for (Priority level : kLevels) rounds.broadcast_level(level, mark, "");
    EXPECT_EQ(told, "HL");
    EXPECT_EQ(rounds.count(), 1u);
}

TEST(Rounds, who_is_not_reached_stays_registered) {
    // E-104
    Texts rounds;
    std::string told;
    bool goes_on = true;
    CallbackHandle a = rounds.add(Priority::High, {}, [&](const std::string&) {
        told += 'a';
        goes_on = false;
    });
    CallbackHandle b = rounds.add(Priority::Normal, {}, [&](const std::string&) { told += 'b'; });
    CallbackHandle c = rounds.add(
        Priority::Low, {}, [&](const std::string&) { told += 'c'; }, Repeat::EachLoad);
    int asked = 0;
    rounds.broadcast("", [&] { return ++asked > 0 && goes_on; });
    EXPECT_EQ(told, "a");
    EXPECT_EQ(asked, 2) << "once it said no, nobody is asked any more";
    EXPECT_EQ(rounds.count(), 2u);
    goes_on = true;
    rounds.broadcast("", [&] { return goes_on; });
    EXPECT_EQ(told, "abc");
}

TEST(Rounds, what_a_callback_throws_is_told_and_the_rest_goes_on) {
    Texts rounds;
    std::string told;
    CallbackHandle a = rounds.add(Priority::High, {}, [](const std::string&) { throw std::runtime_error("no map"); });
    CallbackHandle b = rounds.add(
        Priority::High, {}, [](const std::string&) { throw 7; }, Repeat::EachLoad);
    CallbackHandle c = rounds.add(Priority::Low, {}, [&](const std::string&) { told += "low"; });
    rounds.broadcast("", {}, [&](const RegistrationInfo& info, std::string_view what) {
        EXPECT_NE(info.place.text().find("rounds_test.cpp"), std::string_view::npos);
        EXPECT_EQ(info.priority, Priority::High);
        told += fmt::format("{}; ", what);
    });
    EXPECT_EQ(told, "no map; an exception; low");
    EXPECT_EQ(rounds.count(), 1u);
}

TEST(Rounds, callbacks_run_under_who_added_them_and_the_rest_under_who_broadcasts) {
    Texts rounds;
    const Owner tag = Owner::feature(Name("tag"), 7), host = Owner::world(Name("arena"), 2);
    std::vector<Owner> seen;
    CallbackHandle handle;
    {
        const OwnerScope as(tag);
        handle = rounds.add(Priority::High, {}, [&](const std::string&) {
            seen.push_back(Owner::current());
            throw 1;
        });
    }
    const OwnerScope as(host);
    const auto note = [&] {
        seen.push_back(Owner::current());
        return true;
    };
    rounds.broadcast("", note, [&](const RegistrationInfo&, std::string_view) { note(); });
    EXPECT_EQ(seen, (std::vector<Owner>{host, tag, host}));
}

TEST(Rounds, callbacks_of_a_feature_are_in_its_ledger_and_can_be_taken_back) {
    //
    Texts rounds;
    const Owner tag = Owner::feature(Name("tag_rounds"), 3);
    int calls = 0;
    auto owner = std::make_shared<int>(1);
    CallbackHandle handle;
    {
        const OwnerScope as(tag);
        handle = rounds.add(
            Priority::High, owner, [&](const std::string&) { ++calls; }, Repeat::EachLoad);
    }
    const auto theirs = subscriptions_of(tag);
    ASSERT_EQ(theirs.size(), 1u);
    EXPECT_EQ(theirs[0].what, "Delegate<ExperienceRound&>");
    EXPECT_NE(theirs[0].place.find("rounds_test.cpp:"), std::string::npos);
    EXPECT_TRUE(remove_subscription(theirs[0].registered));
    EXPECT_FALSE(handle.is_registered());
    EXPECT_EQ(rounds.count(), 0u);
    EXPECT_EQ(owner.use_count(), 1);
    EXPECT_EQ(std::weak_ptr<int>(owner).use_count(), 1);
    rounds.broadcast("");
    EXPECT_EQ(calls, 0);
    EXPECT_TRUE(subscriptions_of(tag).empty());
}

TEST(Rounds, a_shared_owner_that_went_is_skipped_and_removed) {
    // E-59, X-41
    Texts rounds;
    int calls = 0;
    auto owner = std::make_shared<int>(1);
    CallbackHandle handle = rounds.add(
        Priority::High, owner, [&](const std::string&) { ++calls; }, Repeat::EachLoad);
    rounds.broadcast("");
    EXPECT_EQ(calls, 1);
    owner.reset();
    EXPECT_FALSE(handle.is_registered());
    rounds.broadcast("");
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(rounds.count(), 0u);
    EXPECT_FALSE(rounds.add(Priority::High, std::weak_ptr<int>(), [](const std::string&) {}).is_registered());
}

TEST(Rounds, a_shared_owner_lives_until_the_call_in_which_it_is_dropped_is_over) {
    // E-59
    Texts rounds;
    auto owner = std::make_shared<std::string>("still here");
    std::string told;
    CallbackHandle handle = rounds.add(Priority::High, owner, [&, raw = owner.get()](const std::string&) {
        owner.reset();
        told = *raw;
    });
    rounds.broadcast("");
    EXPECT_EQ(told, "still here");
}

TEST(Rounds, an_actor_that_was_destroyed_is_not_called) {
    // E-59, X-41
    Game game;
    game.know<Engine, Wheel, Radio, Car>();
    Texts rounds;
    std::string told;
    Car* car = game.spawn<Car>();
    Car* other = game.spawn<Car>();
    CallbackHandle a = rounds.add(
        Priority::High, *car, [&](const std::string&) { told += 'a'; }, Repeat::EachLoad);
    CallbackHandle b = rounds.add(
        Priority::High, *other, [&](const std::string&) { told += 'b'; }, Repeat::EachLoad);
    game.world().destroy(car->id());
    game.spawn<Car>();  // takes its place
    rounds.broadcast("");
    EXPECT_EQ(told, "b");
    EXPECT_FALSE(a.is_registered());
    EXPECT_TRUE(b.is_registered());
}

TEST(Rounds, an_actor_may_end_itself_in_its_callback_and_stays_until_the_call_is_over) {
    // E-59
    Game game;
    game.know<Engine, Wheel, Radio, Car>();
    Texts rounds;
    std::string told;
    std::vector<Car*> cars{game.spawn<Car>(), game.spawn<Car>()};
    std::vector<CallbackHandle> handles;
    for (Car* car : cars)
        handles.push_back(rounds.add(Priority::Normal, *car, [&, car](const std::string&) {
            for (Car* one : cars) game.world().destroy(one->id());
            told += car->type().name.text();
            EXPECT_EQ(stage().alive, 6);
        }));
    rounds.broadcast("");
    EXPECT_EQ(told, "Car");
    EXPECT_EQ(stage().alive, 0);
}

TEST(Rounds, a_component_that_was_removed_is_not_called_also_when_another_has_its_name) {
    // E-59, X-41
    Game game;
    game.know<Engine, Wheel, Radio, Car>();
    Texts rounds;
    std::string told;
    Car* car = game.spawn<Car>();
    Component* wheel = car->find_component(Name("wheel"));
    CallbackHandle a = rounds.add(
        Priority::High, *wheel, [&](const std::string&) { told += 'w'; }, Repeat::EachLoad);
    CallbackHandle b = rounds.add(
        Priority::High, *car->find<Engine>(), [&](const std::string&) { told += 'e'; }, Repeat::EachLoad);
    EXPECT_NE(rounds.list()[0].weak_owner.find("component wheel of actor"), std::string::npos);
    ASSERT_TRUE(game.world().remove_component(*wheel));
    ASSERT_TRUE(car->add<Wheel>(Name("wheel")));
    rounds.broadcast("");
    EXPECT_EQ(told, "e");
    game.world().destroy(car->id());
    rounds.broadcast("");
    EXPECT_EQ(told, "e");
    EXPECT_EQ(rounds.count(), 0u);
}

TEST(Rounds, an_actor_of_a_level_does_not_rest_while_it_waits_and_is_another_after_a_reset) {
    // E-59, X-41
    Game game;
    game.know<Rock>();
    LevelDef def;
    def.name = Name("yard");
    def.placed.push_back({.class_name = Name("Rock"), .at = {1, 2, 0}});
    auto level = game.world().levels().add(def);
    ASSERT_TRUE(level) << level.status().to_string();
    const ActorId id = game.world().levels().find(*level)->id_of(0);
    Texts rounds;
    int calls = 0;
    CallbackHandle handle = rounds.add(
        Priority::High, **game.world().levels().touch(id, Name("test")), [&](const std::string&) { ++calls; },
        Repeat::EachLoad);
    EXPECT_FALSE(game.world().levels().rest(id).is_ok());
    ASSERT_TRUE(game.world().levels().reset(*level));
    ASSERT_TRUE(game.world().levels().touch(id, Name("test")));
    rounds.broadcast("");
    EXPECT_EQ(calls, 0);
    EXPECT_FALSE(handle.is_registered());
    EXPECT_TRUE(game.world().levels().rest(id).is_ok());
}

TEST(Rounds, owners_of_a_world_that_has_gone_are_gone) {
    // E-59, X-41
    Texts rounds;
    int calls = 0;
    std::vector<CallbackHandle> handles;
    {
        Game game;
        game.know<Engine, Wheel, Radio, Car>();
        Car* car = game.spawn<Car>();
        handles.push_back(rounds.add(Priority::High, *car, [&](const std::string&) { ++calls; }));
        handles.push_back(rounds.add(Priority::High, *car->find<Engine>(), [&](const std::string&) { ++calls; }));
        handles.push_back(rounds.add(Priority::High, *car, [&](const std::string&) { ++calls; }));
        EXPECT_EQ(rounds.count(), 3u);
        handles.pop_back();
    }
    EXPECT_FALSE(handles[0].is_registered() || handles[1].is_registered());
    rounds.broadcast("");
    EXPECT_EQ(calls, 0);
}

TEST(Rounds, a_callback_may_end_the_world_of_its_owner) {
    // E-59
    Game game;
    game.know<Engine, Wheel, Radio, Car>();
    Texts rounds;
    std::string told;
    Car* car = game.spawn<Car>();
    CallbackHandle a = rounds.add(Priority::High, *car, [&](const std::string&) {
        game.world().end();
        told += car->is_a<Car>() ? 'a' : '?';
    });
    CallbackHandle b = rounds.add(Priority::Low, *car, [&](const std::string&) { told += 'b'; });
    rounds.broadcast("");
    EXPECT_EQ(told, "a");
}

TEST(Rounds, the_rounds_may_be_destroyed_by_a_callback) {
    auto rounds = std::make_unique<Texts>();
    std::string told;
    CallbackHandle a = rounds->add(Priority::High, {}, [&, held = std::make_shared<char>('a')](const std::string&) {
        rounds.reset();
        told += *held;
    });
    CallbackHandle b = rounds->add(
        Priority::High, {}, [&](const std::string&) { told += 'b'; }, Repeat::EachLoad);
    rounds->broadcast("");
    EXPECT_EQ(told, "a");
    EXPECT_FALSE(b.is_registered());
    b.reset();  // handles may outlive it
}

TEST(Rounds, who_is_asked_may_destroy_the_rounds) {
    auto rounds = std::make_unique<Texts>();
    int calls = 0;
    CallbackHandle a = rounds->add(Priority::High, {}, [&](const std::string&) { ++calls; });
    rounds->broadcast("", [&] {
        rounds.reset();
        return true;
    });
    EXPECT_EQ(calls, 0);
}

TEST(Rounds, a_broadcast_inside_a_broadcast_calls_each_once_callback_once) {
    Texts rounds;
    std::string told;
    std::vector<CallbackHandle> handles;
    handles.push_back(rounds.add(Priority::High, {}, [&](const std::string& what) {
        told += "a" + what;
        rounds.broadcast("2");
    }));
    handles.push_back(rounds.add(Priority::Normal, {}, [&](const std::string& what) { told += "b" + what; }));
    handles.push_back(rounds.add(
        Priority::Low, {}, [&](const std::string& what) { told += "c" + what; }, Repeat::EachLoad));
    rounds.broadcast("1");
    EXPECT_EQ(told, "a1b2c2c1");
    EXPECT_EQ(rounds.count(), 1u);
}

TEST(Rounds, a_once_callback_may_add_itself_again) {
    Texts rounds;
    std::string told;
    CallbackHandle handle;
    std::function<void(const std::string&)> again = [&](const std::string& what) {
        told += what;
        handle = rounds.add(Priority::High, {}, again);
    };
    handle = rounds.add(Priority::High, {}, again);
    rounds.broadcast("1");
    rounds.broadcast("2");
    EXPECT_EQ(told, "12");
    EXPECT_TRUE(handle.is_registered());
}

TEST(Rounds, what_a_callable_holds_may_come_back_as_it_goes) {
    // Handles of the same rounds, held by the callbacks themselves.
    auto rounds = std::make_unique<Texts>();
    auto chain = std::make_shared<std::vector<CallbackHandle>>();
    for (int i = 0; i < 10; ++i)
        chain->push_back(rounds->add(Priority::High, {}, [chain](const std::string&) { chain->clear(); }));
    chain.reset();  // now only the callbacks hold it
    rounds->broadcast("");
    EXPECT_EQ(rounds->count(), 0u);
    auto handle = std::make_shared<CallbackHandle>();
    *handle = rounds->add(Priority::High, {}, [handle](const std::string&) {});
    handle.reset();
    rounds.reset();
}

TEST(Rounds, the_number_of_registrations_is_bounded_and_dead_ones_make_room) {
    Texts rounds;
    auto owner = std::make_shared<int>(1);
    std::vector<CallbackHandle> handles;
    for (std::size_t i = 0; i < kMaxRegistrations; ++i)
        handles.push_back(rounds.add(Priority::Low, owner, [](const std::string&) {}));
    CallbackHandle refused = rounds.add(Priority::Low, {}, [](const std::string&) {});
    EXPECT_FALSE(refused.is_registered());
    EXPECT_EQ(refused.status().code(), StatusCode::Capacity);
    EXPECT_NE(refused.status().text().find("rounds_test.cpp"), std::string::npos);
    owner.reset();
    EXPECT_TRUE(rounds.add(Priority::Low, {}, [](const std::string&) {}).is_registered());
}

TEST(Rounds, an_empty_callback_is_refused) {
    Texts rounds;
    CallbackHandle handle = rounds.add(Priority::Low, {}, nullptr);
    EXPECT_EQ(handle.status().code(), StatusCode::InvalidArgument);
    EXPECT_EQ(rounds.count(), 0u);
}

TEST(Rounds, the_list_tells_who_waits_in_the_order_of_calling) {
    Texts rounds;
    auto owner = std::make_shared<int>(1);
    CallbackHandle low = rounds.add(
        Priority::Low, {}, [](const std::string&) {}, Repeat::Once, "game/tag.cpp", 12);
    const OwnerScope as(Owner::feature(Name("tag"), 7));
    CallbackHandle high = rounds.add(
        Priority::High, owner, [](const std::string&) {}, Repeat::EachLoad, "game/tag.cpp", 4);
    const auto all = rounds.list();
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].to_string(), "High, each load, by feature tag at game/tag.cpp:4, for an object");
    EXPECT_EQ(all[1].to_string(), "Low, once, by process at game/tag.cpp:12");
}

// Callbacks that do whatever chance tells them, to each other and to themselves.
struct Melee {
    explicit Melee(std::uint64_t seed) : random(seed) {}

    struct Fighter {
        CallbackHandle handle;
        std::shared_ptr<int> owner;  // none: it has none
        Repeat repeat = Repeat::Once;
        int calls = 0;
        int running = 0;  // calls of it on the stack, which keep its owner
        bool has_owner_gone = false;
        bool is_out = false;  // dropped or without owner: must not be called any more
    };

    struct Running {
        explicit Running(Fighter& f) : fighter(f) { ++fighter.running; }
        ~Running() { fighter.is_out |= --fighter.running == 0 && fighter.has_owner_gone; }
        Fighter& fighter;
    };

    void add() {
        if (fighters.size() > 200) return;
        auto fighter = std::make_shared<Fighter>();
        fighter->repeat = random.chance(0.5f) ? Repeat::Once : Repeat::EachLoad;
        if (random.chance(0.5f)) fighter->owner = std::make_shared<int>(1);
        WeakOwner owner = fighter->owner != nullptr ? WeakOwner(fighter->owner) : WeakOwner();
        fighter->handle = rounds->add(
            kLevels[random.next_below(3)], std::move(owner),
            [this, one = fighter.get()](const std::string&) {
                EXPECT_FALSE(one->is_out);
                ++one->calls;
                EXPECT_TRUE(one->repeat == Repeat::EachLoad || one->calls == 1);
                const Running running(*one);
                act();
            },
            fighter->repeat);
        fighters.push_back(std::move(fighter));
    }
    void act() {
        const std::uint64_t what = random.next_below(10);
        Fighter* other = fighters.empty() ? nullptr : fighters[random.next_below(fighters.size())].get();
        if (what < 3) add();
        if (what == 3 && other != nullptr) {
            other->is_out = true;
            other->handle.reset();
        }
        if (what == 4 && other != nullptr && other->owner != nullptr) {
            other->owner.reset();
            other->has_owner_gone = true;
            other->is_out |= other->running == 0;
        }
        if (what == 5 && depth < 4) broadcast();
        if (what == 6) goes_on = !goes_on;
        if (what == 7) throw Malice();
        if (what == 8 && random.chance(0.02f)) {
            for (auto& fighter : fighters) fighter->is_out = true;
            rounds = std::make_unique<Texts>();
        }
    }
    void broadcast() {
        ++depth;
        rounds->broadcast("", [this] { return goes_on; });
        --depth;
    }

    Random random;
    std::vector<std::shared_ptr<Fighter>> fighters;
    std::unique_ptr<Texts> rounds = std::make_unique<Texts>();
    int depth = 0;
    bool goes_on = true;
};

TEST(Rounds, whatever_callbacks_do_to_each_other_nobody_is_called_who_is_gone) {
    // E-55, E-59, X-41
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        Melee melee(seed);
        for (int i = 0; i < 20; ++i) melee.add();
        for (int i = 0; i < 10; ++i) {
            melee.goes_on = true;
            melee.broadcast();
            std::size_t waiting = 0;
            for (const auto& fighter : melee.fighters) {
                EXPECT_FALSE(fighter->is_out && fighter->handle.is_registered());
                waiting += fighter->handle.is_registered() ? 1 : 0;
            }
            EXPECT_EQ(melee.rounds->count(), waiting);
        }
    }
}

TEST(Rounds, calling_at_once_is_guarded_like_a_broadcast) {
    // E-56
    Game game;
    game.know<Engine, Wheel, Radio, Car>();
    Car* car = game.spawn<Car>();
    std::string told;
    const WeakOwner owner(*car);
    const Threw threw = [&](const RegistrationInfo& info, std::string_view what) {
        told += fmt::format("{}: {}", info.priority == Priority::Low ? "low" : "?", what);
    };
    const Texts::Callback end = [&](const std::string& what) {
        game.world().destroy(car->id());
        told += fmt::format("{} {} ", what, car->type().name);
        throw Malice();
    };
    Texts::call(Priority::Low, owner, end, Repeat::Once, "tag", threw);
    Texts::call(Priority::Low, owner, end, Repeat::Once, "tag", threw);
    EXPECT_EQ(told, "tag Car low: malice");
    EXPECT_EQ(stage().alive, 0);
}

}  // namespace rounds_test
}  // namespace lyre::experience
