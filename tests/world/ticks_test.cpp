#include "lyre/world/ticks.h"

#include "tests/world/small_world.h"

namespace lyre {
namespace ticks_test {

template <class Self> struct TickingActor : Actor {
    void tick(float dt) {
        seconds += dt;
        report(fmt::format("{}{}", type_name<Self>(), id()), this);
    }
    float seconds = 0;
};
template <class Self> struct TickingComponent : Component {
    void tick(float) { report(fmt::format("{}{}", type_name<Self>(), actor().id()), this); }
};

struct Late : TickingActor<Late> {
    static void describe(TypeBuilder<Late>& t) { t.tick_in(TickGroup::Late); }
};
struct Post : TickingActor<Post> {
    static void describe(TypeBuilder<Post>& t) { t.tick_in(TickGroup::PostPhysics); }
};
struct Body : TickingActor<Body> {
    static void describe(TypeBuilder<Body>& t) { t.tick_in(TickGroup::Physics); }
};
struct Early : TickingActor<Early> {
    static void describe(TypeBuilder<Early>&) {}
};
struct Fan : TickingComponent<Fan> {
    static void describe(TypeBuilder<Fan>&) {}
};
struct Lazy : TickingActor<Lazy> {
    static void describe(TypeBuilder<Lazy>& t) { t.starts_without_tick(); }
};
struct Slow : TickingActor<Slow> {
    static void describe(TypeBuilder<Slow>& t) { t.tick_in(TickGroup::PrePhysics, 0.5f); }
};

WorldDef tenths() {
    WorldDef def;
    def.tick_seconds = 0.125f;  // exact, so that sums are
    return def;
}

TEST(Ticks, run_by_group_then_by_order_of_registration_then_by_id) {
    // W-18
    Game game;
    game.know<Late, Fan, Early, Post, Body>();
    World& world = game.world();
    world.begin_play();
    // Ids 1 to 4 are used again in another order, so that order of making and of ids differ.
    std::vector<ActorId> gone;
    for (int i = 0; i < 4; ++i) gone.push_back(game.spawn<Early>()->id());
    for (int i : {2, 0, 3, 1}) world.destroy(gone[static_cast<std::size_t>(i)]);
    Early* a = game.spawn<Early>();  // 3
    game.spawn<Late>();              // 1
    Early* b = game.spawn<Early>();  // 4
    game.spawn<Body>();              // 2
    game.spawn<Post>();              // 5
    Early* c = game.spawn<Early>();  // 6
    for (Early* early : {c, a, b}) ASSERT_TRUE(early->add<Fan>());
    ASSERT_TRUE(a->add<Fan>(Name("second")));
    log();
    const std::string order =
        "Fan#3.2 Fan#3.2 Fan#4.2 Fan#6.1 Early#3.2 Early#4.2 Early#6.1 Body#2.2 Post#5.1 Late#1.2";
    world.tick();
    EXPECT_EQ(log(), order);
    world.tick();
    EXPECT_EQ(log(), order);
}

TEST(Ticks, stay_in_id_order_while_actors_come_and_go_at_random) {
    // W-18
    Game game;
    game.know<Early>();
    World& world = game.world();
    world.begin_play();
    std::vector<ActorId> alive;
    unsigned state = 12345;
    const auto random = [&](std::size_t below) { return (state = state * 1664525u + 1013904223u) / 65536u % below; };
    for (int round = 0; round < 200; ++round) {
        for (std::size_t i = random(8); i > 0; --i) alive.push_back(game.spawn<Early>()->id());
        for (std::size_t i = random(8); i > 0 && !alive.empty(); --i) {
            const std::size_t at = random(alive.size());
            world.destroy(alive[at]);
            alive.erase(alive.begin() + static_cast<std::ptrdiff_t>(at));
        }
        if (!alive.empty() && random(3) == 0) {
            Actor* actor = world.find(alive[random(alive.size())]);
            actor->set_tick_enabled(false);
            actor->set_tick_enabled(true);
        }
        std::vector<ActorId> sorted = alive;
        std::sort(sorted.begin(), sorted.end());
        std::string wanted;
        for (ActorId id : sorted) wanted += fmt::format("{}Early{}", wanted.empty() ? "" : " ", id);
        log();
        world.tick();
        ASSERT_EQ(log(), wanted) << "round " << round;
    }
}

TEST(Ticks, begin_with_begin_play_and_end_with_the_object) {
    // W-18
    Game game;
    game.know<Early>();
    Early* early = game.spawn<Early>();
    game.world().tick();
    EXPECT_EQ(log(), "") << "the world has not begun";
    game.world().begin_play();
    game.world().tick();
    EXPECT_EQ(log(), "Early#1.1");
    game.world().destroy(early->id());
    game.world().tick();
    EXPECT_EQ(log(), "");
}

TEST(Ticks, what_is_added_inside_a_tick_waits_and_what_is_removed_is_skipped_at_once) {
    // W-18
    Game game;
    game.know<Early, Fan, Late>();
    World& world = game.world();
    world.begin_play();
    Early* first = game.spawn<Early>();
    Early* second = game.spawn<Early>();
    Early* third = game.spawn<Early>();
    bool done = false;
    stage().at = [&](const std::string& point, Object*) {
        if (point != "Early#1.1" || done) return;
        done = true;
        game.spawn<Early>();             // #4: its group runs already
        game.spawn<Late>();              // #5: its group comes
        ASSERT_TRUE(third->add<Fan>());  // its class comes
        second->set_tick_enabled(false);
        first->set_tick_enabled(false);
        first->set_tick_enabled(true);  // itself, off and on
        world.destroy(third->id());
    };
    world.tick();
    EXPECT_EQ(log(), "Early#1.1 Late#5.1");
    world.tick();
    EXPECT_EQ(log(), "Early#1.1 Early#4.1 Late#5.1");
    second->set_tick_enabled(true);
    second->set_tick_enabled(true);
    world.tick();
    EXPECT_EQ(log(), "Early#1.1 Early#2.1 Early#4.1 Late#5.1");
}

TEST(Ticks, a_class_may_start_without_and_be_switched_on_also_before_and_in_begin_play) {
    // W-18
    Game game;
    game.know<Lazy, Early>();
    World& world = game.world();
    Lazy* lazy = game.spawn<Lazy>();
    Lazy* eager = game.spawn<Lazy>();
    Early* off = game.spawn<Early>();
    eager->set_tick_enabled(true);
    off->set_tick_enabled(false);
    world.begin_play();
    world.tick();
    EXPECT_EQ(log(), "Lazy#2.1");
    lazy->set_tick_enabled(true);
    off->set_tick_enabled(true);
    world.tick();
    EXPECT_EQ(log(), "Lazy#1.1 Lazy#2.1 Early#3.1");
}

TEST(Ticks, an_interval_gives_the_time_since_the_last_one) {
    // W-18
    Game game(tenths());
    game.know<Slow, Early>();
    World& world = game.world();
    world.begin_play();
    Slow* slow = game.spawn<Slow>();
    Early* early = game.spawn<Early>();
    for (int i = 0; i < 8; ++i) world.tick();
    EXPECT_EQ(times("Slow#1.1"), 2u);
    EXPECT_EQ(times("Early#2.1"), 8u);
    EXPECT_EQ(slow->seconds, 1);
    EXPECT_EQ(early->seconds, 1);
    early->set_tick_interval(0.25f);
    slow->set_tick_interval(0);
    log();
    for (int i = 0; i < 4; ++i) world.tick();
    EXPECT_EQ(times("Slow#1.1"), 4u);
    EXPECT_EQ(times("Early#2.1"), 2u);
    EXPECT_EQ(early->seconds, 1.5f);
    EXPECT_EQ(slow->seconds, 1.5f);
}

struct Blinker : TickingActor<Blinker> {
    static void describe(TypeBuilder<Blinker>&) {}
    void begin_play() { set_tick_interval(0.5f); }
};

TEST(Ticks, an_interval_may_be_set_in_begin_play) {
    // W-18
    Game game(tenths());
    game.know<Blinker>();
    game.world().begin_play();
    game.spawn<Blinker>();
    for (int i = 0; i < 8; ++i) game.world().tick();
    EXPECT_EQ(times("Blinker#1.1"), 2u);
}

TEST(Ticks, one_that_throws_is_reported_and_ticks_no_more_and_the_others_go_on) {
    // W-18
    for (const bool with_intervals : {false, true})
        for (const bool destroys : {false, true}) {
            Game game(tenths());
            game.know<Early>();
            World& world = game.world();
            world.begin_play();
            Early* victim = nullptr;
            for (int i = 0; i < 3; ++i) (i == 1 ? victim : *std::make_unique<Early*>()) = game.spawn<Early>();
            if (with_intervals) victim->set_tick_interval(0.125f);
            stage().at = [&](const std::string& point, Object* object) {
                if (point != "Early#2.1") return;
                if (destroys) world.destroy(object->as<Actor>()->id());
                throw Malice();
            };
            world.tick();
            world.tick();
            EXPECT_EQ(log(), "Early#1.1 Early#2.1 Early#3.1 Early#1.1 Early#3.1");
            EXPECT_EQ(game.failures(), 1u);
            EXPECT_EQ(game.runtime.log().entries().back().text,
                      destroys ? "tick threw: malice" : "tick of #2.1 (Early) threw: malice");
            EXPECT_EQ(world.actor_count(), destroys ? 2u : 3u);
        }
}

TEST(Ticks, stand_still_while_the_world_is_paused_and_follow_its_scale) {
    // W-18, W-34
    Game game(tenths());
    game.know<Early>();
    World& world = game.world();
    world.begin_play();
    Early* early = game.spawn<Early>();
    world.set_paused(true);
    world.tick();
    EXPECT_EQ(log(), "");
    EXPECT_EQ(world.time(), 0);
    world.set_paused(false);
    EXPECT_TRUE(world.set_time_scale(2));
    world.tick();
    EXPECT_EQ(early->seconds, 0.25f);
    EXPECT_EQ(world.time(), 0.25);
}

}  // namespace ticks_test
}  // namespace lyre
