#include "lyre/world/timers.h"

#include "tests/world/small_world.h"

namespace lyre {
namespace timers_test {

WorldDef quarters() {
    WorldDef def;
    def.tick_seconds = 0.25f;  // exact, so that sums are
    return def;
}
std::function<void()> noting(std::string what) {
    return [what] { stage().log.push_back(what); };
}

TEST(Timers, run_in_order_of_due_time_then_of_making) {
    // W-34
    Game game(quarters());
    Timers& timers = game.world().timers();
    timers.after(0.5, noting("b"));
    timers.after(0.75, noting("d"));
    timers.after(0.5, noting("c"));
    timers.after(0.4, noting("a"));
    timers.next_tick(noting("now"));
    timers.after(-3, noting("also now"));
    game.world().tick();
    EXPECT_EQ(log(), "now also now");
    game.world().tick();
    EXPECT_EQ(log(), "a b c");
    game.world().tick();
    EXPECT_EQ(log(), "d");
    EXPECT_EQ(timers.count(), 0u);
}

TEST(Timers, repeat_until_cancelled_and_catch_up_within_one_tick) {
    // W-34
    Game game(quarters());
    Timers& timers = game.world().timers();
    const TimerId half = timers.every(0.5, noting("half"));
    const TimerId eighth = timers.every(0.125, noting("eighth"));
    const TimerId each = timers.every(0, noting("each"));
    for (int i = 0; i < 4; ++i) game.world().tick();
    EXPECT_EQ(times("half"), 2u);
    EXPECT_EQ(times("eighth"), 8u);
    EXPECT_EQ(times("each"), 4u);
    EXPECT_EQ(timers.remaining(half), 0.5);
    for (TimerId id : {half, eighth, each}) {
        EXPECT_TRUE(timers.is_set(id));
        EXPECT_TRUE(timers.cancel(id));
        EXPECT_FALSE(timers.cancel(id));
        EXPECT_LT(timers.remaining(id), 0);
    }
    log();
    game.world().tick();
    EXPECT_EQ(log(), "");
}

TEST(Timers, one_too_short_to_count_runs_a_bounded_number_of_times) {
    // W-34
    Game game(quarters());
    Timers& timers = game.world().timers();
    timers.every(1e-3, noting("short"));
    timers.every(1e-300, noting("tiny"));
    game.world().tick();
    game.world().tick();
    EXPECT_LE(times("short"), 2u * (Timers::kMaxCatchUp + 1));
    EXPECT_GE(times("short"), 2u);
    EXPECT_LE(times("tiny"), 2u * (Timers::kMaxCatchUp + 1));
    EXPECT_GE(times("tiny"), 2u);
}

TEST(Timers, what_is_no_time_or_no_callback_gives_no_timer) {
    // W-34
    Game game;
    Timers& timers = game.world().timers();
    EXPECT_FALSE(timers.after(std::numeric_limits<double>::quiet_NaN(), noting("x")));
    EXPECT_FALSE(timers.every(std::numeric_limits<double>::infinity(), noting("x")));
    EXPECT_FALSE(timers.after(1, nullptr));
    EXPECT_FALSE(timers.after(1, noting("x"), ActorId{9, 1}));
    EXPECT_EQ(timers.count(), 0u);
}

TEST(Timers, a_callback_may_cancel_itself_and_others_and_make_new_ones) {
    // W-34
    Game game(quarters());
    Timers& timers = game.world().timers();
    TimerId self, other;
    self = timers.every(0.25, [&, held = std::make_shared<int>(1)] {
        stage().log.push_back("self");
        EXPECT_TRUE(timers.cancel(self));
        EXPECT_TRUE(timers.cancel(other));
        for (int i = 0; i < 100; ++i) timers.after(5, [] {});  // moves the table
        timers.next_tick(noting("next"));
        timers.every(0, noting("each"));
        EXPECT_EQ(*held, 1) << "what the callback holds is good until it is over";
    });
    other = timers.after(0.25, noting("other"));
    game.world().tick();
    EXPECT_EQ(log(), "self") << "what it made is for a later tick";
    game.world().tick();
    EXPECT_EQ(log(), "next each");
    EXPECT_EQ(timers.count(), 101u);
}

TEST(Timers, cancelling_many_forgets_none_of_the_rest) {
    // W-34
    Game game(quarters());
    Timers& timers = game.world().timers();
    std::vector<TimerId> ids;
    int ran = 0;
    for (int i = 0; i < 1000; ++i) ids.push_back(timers.after(0.25 * (1 + i % 4), [&] { ++ran; }));
    for (std::size_t i = 0; i < ids.size(); ++i)
        if (i % 10 != 0) timers.cancel(ids[i]);
    for (int i = 0; i < 4; ++i) game.world().tick();
    EXPECT_EQ(ran, 100);
    EXPECT_EQ(timers.count(), 0u);
}

TEST(Timers, stand_still_while_the_world_is_paused_and_follow_its_scale_but_the_clock_does_neither) {
    // W-34
    Game game(quarters());
    World& world = game.world();
    world.timers().after(0.5, noting("due"));
    world.set_paused(true);
    for (int i = 0; i < 9; ++i) {
        world.tick();
        game.clock.advance(250'000);
    }
    EXPECT_EQ(log(), "");
    EXPECT_EQ(world.time(), 0);
    EXPECT_EQ(game.runtime.clock().now_us(), 2'250'000);
    world.set_paused(false);
    EXPECT_TRUE(world.set_time_scale(0.5f));
    for (int i = 0; i < 3; ++i) world.tick();
    EXPECT_EQ(log(), "");
    world.tick();
    EXPECT_EQ(log(), "due");
    EXPECT_EQ(world.time(), 0.5);
    for (float wrong : {0.0f, -1.0f, 101.0f, std::numeric_limits<float>::quiet_NaN()})
        EXPECT_FALSE(world.set_time_scale(wrong));
}

TEST(Timers, a_tick_has_a_fixed_length_but_in_a_client) {
    // W-34
    Game game;
    game.world().tick();
    EXPECT_EQ(game.world().time(), static_cast<double>(1.0f / 60));
    EXPECT_DEATH(game.world().tick(0.1f), "fixed length");
    Game client({.net_mode = NetMode::Client});
    client.world().tick(0.5f);
    client.world().tick(-1);
    client.world().tick(std::numeric_limits<float>::quiet_NaN());
    EXPECT_EQ(client.world().time(), 0.5);
    EXPECT_EQ(client.world().tick_number(), 1u);
    EXPECT_DEATH(client.world().tick(), "tick\\(seconds\\)");
}

TEST(Timers, one_bound_to_an_actor_goes_with_it_also_from_inside) {
    // W-34
    Game game(quarters());
    game.know<Rock>();
    World& world = game.world();
    const ActorId rock = game.spawn<Rock>()->id(), other = game.spawn<Rock>()->id();
    world.timers().after(0.25, noting("never"), rock);
    world.timers().every(0.25, noting("others"), other);
    EXPECT_TRUE(world.timers().has_any(rock));
    world.destroy(rock);
    EXPECT_FALSE(world.timers().has_any(rock));
    world.timers().every(
        0.25,
        [&] {
            stage().log.push_back("kill");
            world.destroy(other);
            EXPECT_EQ(world.timers().count(), 0u) << "its own too";
        },
        other);
    log();
    world.tick();
    EXPECT_EQ(log(), "others kill Rock.end_play(Destroyed)");
    world.tick();
    EXPECT_EQ(log(), "");
}

struct Moss : Component {
    static void describe(TypeBuilder<Moss>&) {}
};

TEST(Timers, one_bound_to_a_component_goes_with_it_and_the_actor_s_go_on) {
    // W-34
    Game game(quarters());
    game.know<Rock, Moss>();
    World& world = game.world();
    Rock& rock = *game.spawn<Rock>();
    Moss& moss = *rock.add<Moss>().value();
    Moss& other = *rock.add<Moss>(Name("Other")).value();
    struct Removes {  // goes with its callback, and asks for more
        World* world;
        TimerId* id;
        ~Removes() { world->timers().cancel(*id); }
    };
    TimerId third;
    world.timers().every(0.25, noting("moss"), moss);
    world.timers().every(0.25, [kept = std::make_shared<Removes>(Removes{&world, &third})] {}, moss);
    third = world.timers().every(0.25, noting("third"), moss);
    world.timers().every(0.25, noting("other"), other);
    world.timers().every(0.25, noting("rock"), rock.id());
    EXPECT_TRUE(world.timers().has_any(rock.id()));
    log();
    world.tick();
    EXPECT_EQ(log(), "moss third other rock");
    ASSERT_TRUE(world.remove_component(moss).is_ok());
    EXPECT_EQ(world.timers().count(), 2u);
    log();
    world.tick();
    EXPECT_EQ(log(), "other rock");
    world.destroy(rock.id());
    EXPECT_EQ(world.timers().count(), 0u);
    log();
}

TEST(Timers, one_that_throws_is_reported_and_cancelled) {
    // W-34
    Game game(quarters());
    Timers& timers = game.world().timers();
    const TimerId bad = timers.every(0.25, [] { throw Malice(); });
    timers.every(0.25, noting("good"));
    game.world().tick();
    game.world().tick();
    EXPECT_FALSE(timers.is_set(bad));
    EXPECT_EQ(log(), "good good");
    EXPECT_EQ(game.failures(), 1u);
}

TEST(Timers, what_a_callback_holds_may_come_back_when_it_goes) {
    // W-34, W-28
    struct Returning {
        Timers* timers;
        std::shared_ptr<TimerId> other;
        ~Returning() { timers->cancel(*other); }
    };
    Game game(quarters());
    Timers& timers = game.world().timers();
    for (int way = 0; way < 3; ++way) {
        auto other = std::make_shared<TimerId>();
        const TimerId id = timers.after(way == 0 ? 0.25 : 9, [r = std::shared_ptr<Returning>(new Returning{&timers, other})] {});
        *other = timers.after(9, [] {});
        if (way == 0) game.world().tick();
        if (way == 1) timers.cancel(id);
        if (way == 2) game.world().end();
        EXPECT_EQ(timers.count(), 0u) << way;
    }
}

TEST(Timers, each_callback_is_a_phase_of_its_own) {
    // W-16, W-34
    Game game(quarters());
    game.know<Rock>();
    World& world = game.world();
    const ActorId rock = game.spawn<Rock>()->id();
    log();
    world.timers().next_tick([&] {
        world.destroy(rock);
        stage().log.push_back("first");
    });
    world.timers().next_tick(noting("second"));
    world.tick();
    EXPECT_EQ(log(), "first Rock.end_play(Destroyed) second");
}

struct Ticking : Actor {
    static void describe(TypeBuilder<Ticking>&) {}
    void begin_play() {
        world().timers().every(0.25, [] { stage().log.push_back("ticks"); }, *this);
    }
};

TEST(Timers, an_actor_binds_one_to_itself_as_a_component_does) {
    // W-34
    Game game(quarters());
    game.know<Ticking>();
    World& world = game.world();
    world.begin_play();
    const ActorId actor = game.spawn<Ticking>()->id();
    world.tick();
    world.destroy(actor);
    world.tick();
    EXPECT_EQ(world.timers().count(), 0u);
    EXPECT_EQ(log(), "ticks");
}

// Owners.

struct Owned : Actor {
    static void describe(TypeBuilder<Owned>&) {}
    void begin_play() { make_timer("begin_play"); }
    void tick(float) {
        make_timer("tick");
        set_tick_enabled(false);
    }
    void end_play(EndReason) { make_timer("end_play"); }
    void called() { make_timer("called"); }

private:
    void make_timer(const char* where) {
        stage().log.push_back(fmt::format("{} as {}", where, Owner::current().to_string()));
        world().timers().next_tick([this_world = &world()] {
            this_world->timers().after(100, [] {});
            stage().log.push_back(fmt::format("timer as {}", Owner::current().to_string()));
        });
    }
};
struct Remotely : Owned {
    static void describe(TypeBuilder<Remotely>& t) { t.remote<&Remotely::called>("called"); }
};

TEST(Owners, what_a_hook_of_a_features_class_registers_is_the_features_also_through_a_timer) {
    // W-33
    Game game;
    World& world = game.world();
    const Owner feature = Owner::feature(Name("tag"), 7);
    {
        const OwnerScope as(feature);
        game.know<Remotely>();
    }
    world.begin_play();
    Remotely* actor = game.spawn<Remotely>();  // by the process
    EXPECT_EQ(Owner::current(), Owner::process());
    world.tick();
    world.tick();
    actor->call<&Remotely::called>();
    world.destroy(actor->id());
    world.tick();
    EXPECT_EQ(log(),
              "begin_play as feature tag timer as feature tag tick as feature tag timer as feature tag "
              "called as feature tag end_play as feature tag timer as feature tag timer as feature tag");
    EXPECT_EQ(world.timers().count(), 4u);
    for (const Owner& owner : world.timers().owners()) EXPECT_EQ(owner, feature);
    world.timers().after(1, [] {});
    world.timers().cancel_all(feature);
    EXPECT_EQ(world.timers().owners(), std::vector<Owner>{Owner::process()});
    EXPECT_EQ(game.runtime.types().owned_by(feature).size(), 1u);
}

TEST(Owners, a_delegate_inside_a_timer_inside_a_hook_has_the_features_owner) {
    // W-33
    Game game;
    game.know<Rock>();
    World& world = game.world();
    const Owner feature = Owner::feature(Name("tag"), 7);
    std::vector<Connection> kept;
    {
        const OwnerScope as(feature);
        kept.push_back(world.actor_initialized.add([&](Actor&) {
            world.timers().next_tick([&] {
                kept.push_back(world.actor_ending.add([](Actor&, EndReason) {}));
                EXPECT_TRUE(game.runtime.types().add<Wheel>());
            });
        }));
    }
    game.spawn<Rock>();
    world.tick();
    EXPECT_EQ(world.actor_ending.owners(), std::vector<Owner>{feature});
    EXPECT_EQ(game.runtime.types().find<Wheel>()->owner, feature);
    EXPECT_EQ(game.runtime.types().find<Rock>()->owner, Owner::process());
}

TEST(Timers, of_one_owner_are_listed_in_order_of_making) {
    // W-33, F-72
    Game game(quarters());
    game.know<Rock>();
    Rock* rock = game.spawn<Rock>();
    Timers& timers = game.world().timers();
    const Owner tag = Owner::feature(Name("tag"), 1);
    TimerId late, early, bound;
    timers.after(1, noting("other"));
    {
        const OwnerScope as(tag);
        late = timers.after(2, noting("late"));
        early = timers.every(0.5, noting("early"));
        bound = timers.after(3, noting("bound"), rock->id());
    }
    game.world().tick();
    const auto listed = timers.list(tag);
    ASSERT_EQ(listed.size(), 3u);
    EXPECT_EQ(listed[0].id, late);
    EXPECT_EQ(listed[0].remaining, 1.75);
    EXPECT_EQ(listed[1].id, early);
    EXPECT_EQ(listed[2].id, bound);
    EXPECT_EQ(listed[2].actor, rock->id());
    EXPECT_LT(listed[0].registered, listed[1].registered);
    EXPECT_LT(listed[1].registered, listed[2].registered);
    for (auto timer = listed.rbegin(); timer != listed.rend(); ++timer) EXPECT_TRUE(timers.cancel(timer->id));
    EXPECT_TRUE(timers.list(tag).empty());
    EXPECT_EQ(timers.count(), 1u);
}

}  // namespace timers_test
}  // namespace lyre
