#include "lyre/world/world.h"

#include "tests/world/small_world.h"

namespace lyre {
namespace world_test {

// A class that does much in every hook: subscribes, makes timers, adds, removes, spawns and destroys.
struct Spark : ReportingActor<Spark> {
    static void describe(TypeBuilder<Spark>&) {}
};
struct Busy : ReportingComponent<Busy> {
    static void describe(TypeBuilder<Busy>&) {}
    Connection listens;
    void registered() {
        ReportingComponent::registered();
        listens = world().actor_ending.add([this](Actor&, EndReason) { report("Busy.hears", this); });
    }
    void begin_play() {
        ReportingComponent::begin_play();
        world().timers().every(
            0.02, [] { report("Busy.timer", nullptr); }, actor().id());
    }
    void tick(float) { report("Busy.tick", this); }
};
struct Ship : ReportingActor<Ship> {
    static void describe(TypeBuilder<Ship>& t) {
        t.component<Engine>("engine");
        t.component<Busy>("busy");
        t.tick_in(TickGroup::Late);
    }
    int ticks = 0;
    void begin_play() {
        ReportingActor::begin_play();
        add<Radio>().status().ignore();
        world().spawn<Spark>().status().ignore();
    }
    void tick(float) {
        report("Ship.tick", this);
        if (Engine* engine = find<Engine>(); ++ticks == 2 && engine != nullptr)
            world().remove_component(*engine).ignore();
        if (ticks == 3) world().destroy(id());
    }
    void end_play(EndReason reason) {
        ReportingActor::end_play(reason);
        world().spawn<Spark>().status().ignore();
    }
};
struct Harbour : WorldSubsystem {
    static void describe(TypeBuilder<Harbour>&) {}
    void initialize() { report("Harbour.initialize", nullptr); }
    void deinitialize() { report("Harbour.deinitialize", nullptr); }
};

// Plays the same short match; the n-th callback of it does what `malice` says. Gives how many callbacks there were.
std::size_t play(std::size_t n, const std::function<void(Game&, Object*)>& malice) {
    Game game;
    game.know<Engine, Radio, Busy, Spark, Ship, Harbour>();
    game.instance.close_world();
    stage().log.clear();
    std::size_t count = 0;
    std::vector<ActorId> ids;
    stage().at = [&](const std::string&, Object* object) {
        if (count++ == n) malice(game, object);
    };
    World& world = game.instance.open_world({});
    const auto spawn = [&] {
        if (auto id = world.spawn<Ship>()) ids.push_back(*id);
    };
    spawn();
    world.begin_play();
    spawn();
    for (int i = 0; i < 2 && game.instance.world() == &world; ++i) world.tick();
    spawn();
    for (int i = 0; i < 2 && game.instance.world() == &world; ++i) world.tick();
    for (ActorId id : ids) EXPECT_TRUE(world.find(id) == nullptr || !world.has_ended());
    world.end();
    EXPECT_EQ(world.actor_count(), 0u) << n;
    EXPECT_EQ(world.component_count(), 0u) << n;
    EXPECT_EQ(world.timers().count(), 0u) << n;
    EXPECT_EQ(world.subsystems().count(), 0u) << n;
    EXPECT_EQ(world.movers().count(), 0u) << n;
    EXPECT_EQ(world.actor_ending.count() + world.actor_initialized.count() + world.component_registered.count(), 0u);
    EXPECT_TRUE(world.actors().empty() && world.levels().all().empty() && world.drain_urgent().empty());
    EXPECT_EQ(stage().alive, 0) << n;
    for (ActorId id : ids) EXPECT_EQ(world.find(id), nullptr);
    // Whatever came up went down, once.
    for (const char* name : {"Engine", "Busy", "Radio"}) {
        const std::string part = name;
        std::size_t ends = 0;
        for (const std::string& line : stage().log) ends += line.rfind(part + ".end_play", 0) == 0 ? 1 : 0;
        EXPECT_LE(ends, times(part + ".registered")) << n << part;
        EXPECT_GE(ends + 1, times(part + ".registered")) << n << part << ": but the one that threw";
    }
    EXPECT_FALSE(world.spawn<Ship>());
    game.instance.close_world();
    return count;
}

TEST(Teardown, leaves_nothing_whichever_callback_throws_ends_the_world_or_destroys_everything) {
    // W-28
    const std::size_t callbacks = play(~std::size_t{0}, {});
    EXPECT_GT(callbacks, 80u);
    for (std::size_t n = 0; n < callbacks; ++n) {
        play(n, [](Game&, Object*) { throw Malice(); });
        play(n, [](Game&, Object*) { throw 1; });
        play(n, [](Game& game, Object*) {
            if (game.instance.world() != nullptr) game.world().end();
        });
        play(n, [](Game& game, Object*) {
            if (game.instance.world() == nullptr) return;
            for (ActorId id : game.world().actors()) game.world().destroy(id);
        });
        play(n, [](Game& game, Object* object) {
            if (object == nullptr) return;
            if (auto* part = object->as<Component>()) game.world().remove_component(*part).ignore();
            if (auto* actor = object->as<Actor>()) actor->add<Radio>(Name("more")).status().ignore();
            game.world().spawn<Ship>().status().ignore();
        });
        play(n, [](Game& game, Object*) {
            if (game.instance.world() != nullptr) game.world().end();
            throw Malice();
        });
        if (HasFailure()) FAIL() << "at callback " << n;
    }
}

TEST(Teardown, ends_everything_in_reverse_order_of_beginning) {
    // W-28
    Game game;
    game.know<Engine, Wheel, Radio, Car, Rock, Spark>();
    World& world = game.world();
    const Type& rock = *game.runtime.types().find<Rock>();
    world.begin_play();
    auto late = world.spawn_deferred(rock);
    bool nested = false;
    stage().at = [&](const std::string& point, Object*) {
        if (point == "Car.pre_initialize" && !std::exchange(nested, true)) world.spawn<Spark>().status().ignore();
    };
    game.spawn<Car>();  // a spark begins before it
    ASSERT_TRUE(late->finish());
    std::string begins;
    for (const std::string& line : stage().log)
        if (line.find("begin_play") != std::string::npos) begins = line.substr(0, line.find('.')) + " " + begins;
    EXPECT_EQ(begins, "Rock Wheel Engine Car Spark ");
    stage().log.clear();
    game.world().end();
    std::string ends;
    for (const std::string& line : stage().log) ends += line.substr(0, line.find('.')) + " ";
    EXPECT_EQ(ends, begins);
}

TEST(Teardown, an_ended_world_refuses_everything_and_stays_ended) {
    // W-28
    Game game;
    game.know<Rock>();
    World& world = game.world();
    world.begin_play();
    const ActorId rock = game.spawn<Rock>()->id();
    world.end();
    world.end();
    EXPECT_EQ(times("Rock.end_play(WorldEnded)"), 1u);
    EXPECT_EQ(world.find(rock), nullptr);
    EXPECT_FALSE(world.destroy(rock));
    EXPECT_EQ(world.spawn<Rock>().status().code(), StatusCode::Refused);
    EXPECT_FALSE(world.spawn_deferred(*game.runtime.types().find<Rock>()));
    EXPECT_FALSE(world.timers().after(1, [] {}));
    const double time = world.time();
    world.tick();
    world.begin_play();
    EXPECT_EQ(world.time(), time);
}

TEST(World, begin_play_runs_once_per_actor_whoever_calls_it_from_where) {
    // W-15
    for (const char* where : {"listener", "Rock.pre_initialize", "Rock.initialized"}) {
        Game game;
        game.know<Rock>();
        World& world = game.world();
        auto c = world.actor_initialized.add([&](Actor&) {
            if (where == std::string("listener")) world.begin_play();
        });
        stage().at = [&](const std::string& point, Object*) {
            if (point == where) world.begin_play();
        };
        Rock* rock = game.spawn<Rock>();
        EXPECT_EQ(times("Rock.begin_play"), 1u) << where;
        EXPECT_TRUE(rock->has_begun_play());
        world.begin_play();
        EXPECT_EQ(times("Rock.begin_play"), 1u);
    }
}

TEST(World, an_actor_that_throws_when_the_world_begins_is_destroyed_and_the_others_begin) {
    // W-15
    Game game;
    game.know<Rock, Spark>();
    game.spawn<Rock>();
    game.spawn<Spark>();
    stage().at = [](const std::string& point, Object*) {
        if (point == "Rock.begin_play") throw Malice();
    };
    game.world().begin_play();
    EXPECT_EQ(game.world().actor_count(), 1u);
    EXPECT_EQ(times("Rock.end_play(Destroyed)"), 1u);
    EXPECT_EQ(times("Spark.begin_play"), 1u);
    EXPECT_EQ(game.failures(), 1u);
}

// No hooks at all: such an actor comes and goes on a short way.
struct Quiet : Actor {
    static void describe(TypeBuilder<Quiet>&) {}
    std::shared_ptr<void> kept;
};

TEST(World, a_quiet_actor_with_an_added_component_ends_that_component) {
    // W-16, W-17
    Game game;
    game.know<Quiet, Radio>();
    game.world().begin_play();
    Quiet* quiet = game.spawn<Quiet>();
    EXPECT_TRUE(quiet->has_begun_play());
    ASSERT_TRUE(quiet->add<Radio>());
    game.world().destroy(quiet->id());
    EXPECT_EQ(log(), "Radio.construct Radio.registered Radio.begin_play Radio.end_play(Destroyed)");
    EXPECT_TRUE(game.is_bare());
}

TEST(World, a_quiet_actor_is_stale_before_its_destructor_and_what_its_timers_hold_go) {
    // W-16
    Game game;
    game.know<Quiet>();
    World& world = game.world();
    Quiet* quiet = game.spawn<Quiet>();
    const ActorId id = quiet->id();
    int asked = 0;
    const auto ask = [&](void*) {
        ++asked;
        EXPECT_EQ(world.find(id), nullptr);
        EXPECT_FALSE(world.destroy(id));
    };
    static char something;
    quiet->kept = std::shared_ptr<void>(&something, ask);
    world.timers().after(
        1, [held = std::shared_ptr<void>(&something, ask)] {}, id);
    EXPECT_TRUE(world.destroy(id));
    EXPECT_EQ(asked, 2);
    EXPECT_TRUE(game.is_bare());
}

struct Nesting : Actor {
    using Described = Nesting;
    static void describe(TypeBuilder<Nesting>& t) { t.parent<Actor>(); }
    void begin_play() {
        const auto made = world().spawn<Nesting>();
        if (!made) refused = made.status().text();
    }
    static inline std::string refused;
};

TEST(World, spawns_inside_spawns_without_end_are_refused_before_the_stack_is) {
    // W-15
    Runtime runtime;
    ASSERT_TRUE(runtime.types().add<Nesting>().is_ok());
    World world(runtime, {.name = Name("w")});
    world.begin_play();
    ASSERT_TRUE(world.spawn<Nesting>().is_ok());
    EXPECT_EQ(world.actor_count(), World::kMaxNested);
    EXPECT_EQ(Nesting::refused, "Nesting spawned inside 256 calls of each other");
}

TEST(World, cannot_be_destroyed_or_ticked_from_inside_itself) {
    // W-28
    Game game;
    World& world = game.world();
    world.timers().next_tick([&] { world.tick(); });
    EXPECT_DEATH(world.tick(), "a tick inside a tick");
}

TEST(World, tells_of_watched_actors_and_of_no_others) {
    // W-16, W-17
    Game game;
    game.know<Quiet, Radio>();
    World& world = game.world();
    world.begin_play();
    std::string told;
    auto registered =
        world.watched_component_registered.add([&](Component& c) { told += fmt::format("+{} ", c.name()); });
    auto ending =
        world.watched_component_ending.add([&](Component& c, EndReason) { told += fmt::format("-{} ", c.name()); });
    auto ended = world.watched_actor_ended.add(
        [&](Actor& actor, EndReason reason) { told += fmt::format("{} {}", actor.id(), to_string(reason)); });
    Quiet* watched = game.spawn<Quiet>();
    Quiet* other = game.spawn<Quiet>();
    world.watch(*watched);
    for (Quiet* quiet : {watched, other}) ASSERT_TRUE(quiet->add<Radio>());
    const ActorId id = watched->id();
    world.destroy(other->id());
    world.destroy(id);
    EXPECT_EQ(told, fmt::format("+Radio -Radio {} Destroyed", id));
    EXPECT_TRUE(game.is_bare());
}

TEST(World, tells_of_a_watched_component_that_goes_before_it_registered) {
    // W-16, W-17
    Game game;
    game.know<Engine, Wheel, Radio, Car>();
    std::string told;
    auto ending = game.world().watched_component_ending.add(
        [&](Component& c, EndReason reason) { told += fmt::format("{} {}", c.name(), to_string(reason)); });
    stage().at = [&](const std::string& point, Object* object) {
        if (point != "Car.pre_initialize") return;
        game.world().watch(static_cast<Actor&>(*object));
        game.world().remove_component(*static_cast<Actor&>(*object).find<Wheel>()).ignore();
    };
    game.spawn<Car>();
    EXPECT_EQ(told, "wheel Removed");
    EXPECT_EQ(times("Wheel.end_play(Removed)"), 0u);
}

TEST(World, tells_once_when_it_has_ended_and_its_actors_are_gone) {
    // W-16
    Game game;
    game.know<Rock>();
    game.spawn<Rock>();
    int told = 0;
    auto ended = game.world().ended.add([&](World& world) {
        ++told;
        EXPECT_EQ(world.actor_count(), 0u);
    });
    game.world().end();
    game.world().end();
    EXPECT_EQ(told, 1);
}

TEST(World, what_is_destroyed_inside_a_call_scope_stays_in_memory_until_its_end) {
    // W-17
    Game game;
    game.know<Rock>();
    Rock* rock = game.spawn<Rock>();
    {
        const World::CallScope scope(game.world());
        game.world().destroy(rock->id());
        EXPECT_EQ(game.world().find(rock->id()), nullptr);
        EXPECT_EQ(game.world().actor_count(), 1u);
    }
    EXPECT_EQ(game.world().actor_count(), 0u);
}

}  // namespace world_test
}  // namespace lyre
