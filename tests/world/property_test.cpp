#include "lyre/world/property.h"

#include <cmath>
#include <map>

#include "tests/world/small_world.h"

namespace lyre {
namespace property_test {

struct Vitals {
    int strength = 1;
    float speed = 2;
    static void describe(TypeBuilder<Vitals>& t) {
        t.property("strength", &Vitals::strength);
        t.property("speed", &Vitals::speed);
    }
};
struct Health : Component {
    Property<float> value = 100.0f;
    Property<std::string> cause;
    Property<std::vector<int>> hits;
    Property<Vitals> vitals;
    int plain = 5;
    static void describe(TypeBuilder<Health>& t) {
        t.property("value", &Health::value).replicated();
        t.property("cause", &Health::cause);
        t.property("hits", &Health::hits);
        t.property("vitals", &Health::vitals);
        t.property("plain", &Health::plain);
        t.remote<&Health::heal>("heal").to_server();
    }
    Health() { value = 90; }  // in a constructor: marks nothing
    void heal(float by) { value += by; }
};
struct Gauge : Component {
    Property<float> level = 1.0f;
    float plain = 1;
    static void describe(TypeBuilder<Gauge>& t) {
        t.property("level", &Gauge::level).range(0, 100);
        t.property("plain", &Gauge::plain).range(0, 100);
    }
};
struct Orc : Actor {
    static void describe(TypeBuilder<Orc>& t) { t.component<Health>("health"); }
};

using Drained = std::map<Object*, std::uint64_t>;
Drained drain(World& world) {
    Drained all;
    world.drain_marks([&](Object& object, std::uint64_t marks) {
        EXPECT_TRUE(all.emplace(&object, marks).second) << "each object once";
    });
    return all;
}

TEST(Property, a_write_marks_if_it_changes_the_value) {
    // W-35
    Game game;
    game.know<Health, Orc>();
    Health* health = game.spawn<Orc>()->find<Health>();
    EXPECT_EQ(health->value, 90);
    EXPECT_EQ(health->marks(), 0u);
    health->value = 90;
    EXPECT_FALSE(health->value.set(90));
    health->value += 0;
    health->cause = "";
    health->value = health->value;
    EXPECT_EQ(health->marks(), 0u) << "equal";
    EXPECT_TRUE(drain(game.world()).empty());
    health->value -= 1;
    EXPECT_EQ(health->marks(), 1u);
    health->cause = "axe";
    EXPECT_EQ(health->marks(), 3u);
    EXPECT_EQ(drain(game.world()), (Drained{{health, 3}}));
    EXPECT_EQ(health->marks(), 0u);
    EXPECT_TRUE(drain(game.world()).empty());
}

TEST(Property, an_edit_marks_at_its_end_if_the_value_is_another_one) {
    // W-35
    Game game;
    game.know<Health, Orc>();
    Health* health = game.spawn<Orc>()->find<Health>();
    health->hits.edit()->clear();
    health->vitals.edit()->strength = 1;
    {
        auto edit = health->hits.edit();
        edit->push_back(3);
        edit->pop_back();
    }
    EXPECT_EQ(health->marks(), 0u);
    {
        auto edit = health->hits.edit();
        (*edit).push_back(3);
        EXPECT_EQ(health->marks(), 0u) << "not before its end";
    }
    EXPECT_EQ(health->marks(), 1u << 2);
    health->vitals.edit()->speed = 7;
    EXPECT_EQ(health->marks(), 3u << 2) << "a struct without operator== is compared by its description";
}

TEST(Property, set_by_name_marks_what_it_changes_and_refuses_what_it_does_not_know) {
    // W-35
    Game game;
    game.know<Health, Orc>();
    Orc* orc = game.spawn<Orc>();
    Health* health = orc->find<Health>();
    EXPECT_TRUE(health->set(Name("value"), "90"));
    EXPECT_EQ(health->marks(), 0u);
    EXPECT_TRUE(health->set(Name("value"), "55.5"));
    EXPECT_TRUE(health->set(Name("cause"), "fall"));
    EXPECT_TRUE(health->set(Name("plain"), "6"));
    EXPECT_EQ(health->marks(), 3u) << "a plain member has no marks";
    EXPECT_EQ(health->plain, 6);
    EXPECT_EQ(*health->get(Name("value")), "55.5");
    EXPECT_EQ(*health->get(Name("vitals")), "{strength = 1, speed = 2}");
    EXPECT_NE(health->set(Name("valeu"), "1").text().find("value"), std::string::npos);
    EXPECT_NE(health->set(Name("value"), "much").text().find("Health.value"), std::string::npos);
    EXPECT_FALSE(health->set(Name("hits"), "[1]"));
    EXPECT_FALSE(health->get(Name("nothing")));
    EXPECT_EQ(health->value, 55.5f);
    EXPECT_TRUE(orc->set(Name("position"), "[1, 2, 3]"));
    EXPECT_TRUE(orc->set(Name("scale"), "1"));
    EXPECT_FALSE(orc->set(Name("yaw"), "left"));
    EXPECT_EQ(orc->position(), (Vec3{1, 2, 3}));
    EXPECT_EQ(orc->marks(), 1u);
    EXPECT_TRUE(orc->set_transform({{1, 2, 3}, 5, 2}));
    EXPECT_EQ(orc->marks(), 7u);
}

TEST(Property, what_is_out_of_range_is_refused_whatever_stood_there) {
    // W-35
    Game game;
    game.know<Gauge, Rock>();
    Gauge* gauge = *game.spawn<Rock>()->add<Gauge>();
    for (const float stood : {std::nanf(""), INFINITY, 3.0f}) {
        gauge->level = stood;
        gauge->plain = stood;
        const std::uint64_t marks = gauge->marks();
        for (const char* name : {"level", "plain"}) {
            EXPECT_EQ(gauge->set(Name(name), "5000").code(), StatusCode::InvalidArgument);
            EXPECT_FALSE(gauge->set(Name(name), "much").is_ok());
        }
        EXPECT_EQ(fmt::format("{} {}", gauge->level.get(), gauge->plain), fmt::format("{} {}", stood, stood));
        EXPECT_EQ(gauge->marks(), marks);
    }
    EXPECT_TRUE(gauge->set(Name("level"), "70"));
    EXPECT_EQ(gauge->level, 70.0f);
}

TEST(Marks, drain_lists_exactly_what_was_written_among_many) {
    // W-35
    Game game;
    game.know<Health, Orc, Rock>();
    std::vector<Health*> healths;
    for (int i = 0; i < 5000; ++i) healths.push_back(game.spawn<Orc>()->find<Health>());
    healths[3217]->value = 1;
    EXPECT_EQ(drain(game.world()), (Drained{{healths[3217], 1}}));
    unsigned state = 7;
    for (int round = 0; round < 20; ++round) {
        Drained wanted;
        for (int i = 0; i < 30; ++i) {
            Health* health = healths[(state = state * 1664525u + 1013904223u) / 65536u % healths.size()];
            health->value += 1;
            wanted[health] |= 1;
            if (i % 3 == 0) {
                health->cause = fmt::format("{} {}", round, i);
                wanted[health] |= 2;
            }
        }
        std::size_t seen = 0;
        game.world().each_marked([&](Object& object) { seen += wanted.count(&object); });
        EXPECT_EQ(seen, wanted.size());
        ASSERT_EQ(drain(game.world()), wanted);
    }
    healths[9]->value = 1;
    game.world().destroy(healths[9]->actor().id());
    EXPECT_TRUE(drain(game.world()).empty()) << "what has gone is not listed";
    EXPECT_EQ(game.spawn<Orc>()->find<Health>()->marks(), 0u) << "nor what takes its place";
}

TEST(Marks, the_end_of_a_tick_drains_them_unless_somebody_else_does) {
    // W-35
    Game game;
    game.know<Health, Orc>();
    Health* health = game.spawn<Orc>()->find<Health>();
    std::vector<std::uint64_t> heard;
    auto c = game.world().marks_drained.add([&](Object&, std::uint64_t marks) { heard.push_back(marks); });
    health->value = 1;
    game.world().tick();
    EXPECT_EQ(heard, std::vector<std::uint64_t>{1});
    EXPECT_EQ(health->marks(), 0u);
    game.world().keep_marks(true);
    health->cause = "x";
    game.world().tick();
    EXPECT_EQ(health->marks(), 2u);
    game.world().set_paused(true);
    game.world().keep_marks(false);
    game.world().tick();
    EXPECT_EQ(health->marks(), 0u) << "also while paused";
}

TEST(Marks, who_drains_may_write_destroy_throw_and_end_the_world) {
    // W-35, W-16, W-28
    Game game;
    game.know<Health, Orc>();
    World& world = game.world();
    Health* a = game.spawn<Orc>()->find<Health>();
    Health* b = game.spawn<Orc>()->find<Health>();
    const ActorId second = b->actor().id();
    int heard = 0;
    auto writes = world.marks_drained.add([&](Object& object, std::uint64_t) {
        object.as<Health>()->cause = "again";
        world.destroy(second);
    });
    auto counts = world.marks_drained.add([&](Object& object, std::uint64_t) { heard += object.is_a<Health>(); });
    a->value = 1;
    b->value = 1;
    world.tick();
    EXPECT_EQ(heard, 2);
    EXPECT_EQ(world.actor_count(), 1u);
    EXPECT_EQ(a->marks(), 2u) << "written inside: for the next drain";
    auto throws = world.marks_drained.add([](Object&, std::uint64_t) { throw Malice(); });
    world.tick();
    EXPECT_EQ(game.failures(), 1u);
    auto ends = world.marks_drained.add([&](Object&, std::uint64_t) { world.end(); }, -1);
    a->value = 3;
    world.tick();
    EXPECT_TRUE(world.has_ended());
    EXPECT_TRUE(game.is_bare());
}

TEST(Marks, urgent_actors_are_listed_once_until_drained_and_forgotten_with_the_tick) {
    // W-35
    Game game;
    game.know<Health, Orc>();
    World& world = game.world();
    const ActorId a = game.spawn<Orc>()->id(), b = game.spawn<Orc>()->id();
    world.mark_urgent(b);
    world.mark_urgent(a);
    world.mark_urgent(b);
    world.mark_urgent(ActorId{99, 1});
    EXPECT_EQ(world.drain_urgent(), (std::vector<ActorId>{b, a}));
    EXPECT_TRUE(world.drain_urgent().empty());
    world.mark_urgent(a);
    world.mark_urgent(b);
    world.destroy(a);
    EXPECT_EQ(world.drain_urgent(), std::vector<ActorId>{b});
    world.mark_urgent(b);
    world.tick();
    EXPECT_TRUE(world.drain_urgent().empty()) << "nobody drains: the tick does";
    world.keep_marks(true);
    world.mark_urgent(b);
    world.tick();
    EXPECT_EQ(world.drain_urgent(), std::vector<ActorId>{b});
}

struct Recorder : RemoteCarrier {
    bool carry(Object& object, const RemoteInfo& function, void* arguments) override {
        carried += fmt::format("{}.{}({})", object.type().name, function.name,
                               std::get<0>(*static_cast<std::tuple<float>*>(arguments)));
        return takes;
    }
    std::string carried;
    bool takes = true;
};

TEST(RemoteFunctions, run_in_place_without_a_carrier_and_go_to_it_with_one) {
    // W-35
    Game game;
    game.know<Health, Orc>();
    Health* health = game.spawn<Orc>()->find<Health>();
    health->call<&Health::heal>(5.0f);
    EXPECT_EQ(health->value, 95);
    EXPECT_EQ(health->marks(), 1u);
    Recorder carrier;
    game.world().set_remote_carrier(&carrier);
    health->call<&Health::heal>(2.0f);
    EXPECT_EQ(carrier.carried, "Health.heal(2)");
    EXPECT_EQ(health->value, 95);
    carrier.takes = false;
    health->call<&Health::heal>(2.0f);
    EXPECT_EQ(health->value, 97) << "the carrier left it to us";
    game.world().set_remote_carrier(nullptr);
    health->call<&Health::heal>(1.0f);
    EXPECT_EQ(health->value, 98);
}

}  // namespace property_test
}  // namespace lyre
