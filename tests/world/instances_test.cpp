// The objects of a class, asked for by the class: for who takes a feature's classes away.
#include "lyre/world/world.h"

#include "tests/world/small_world.h"

namespace lyre {
namespace instances_test {

const Owner kTag = Owner::feature(Name("tag"), 1);

struct Boulder : ReportingActor<Boulder> {
    using Described = Boulder;
    static void describe(TypeBuilder<Boulder>& t) { t.parent<Actor>(); }
};
struct Menhir : Boulder {
    static void describe(TypeBuilder<Menhir>&) {}
};

struct Runner : Component {  // a mover
    struct State {
        int steps = 0;
        static void describe(TypeBuilder<State>& t) { t.property("steps", &State::steps); }
    };
    struct Command {
        int by = 0;
        static void describe(TypeBuilder<Command>& t) { t.property("by", &Command::by); }
    };
    static void describe(TypeBuilder<Runner>& t) { t.internal(&Runner::state); }
    State capture() const { return state; }
    void restore(const State& to) { state = to; }
    void step(const Command& command, const MoverStep&) {
        state.steps += command.by;
        report("Runner.step", this);
    }
    State state;
};

struct Instances : ::testing::Test {
    Game game;
    World& world() { return game.world(); }
    template <class T> const Type& type() { return *game.runtime.types().find<T>(); }
    template <class T> std::string listed(std::size_t max = SIZE_MAX) {
        std::string text;
        for (const InstanceInfo& one : world().instances(type<T>(), max)) {
            text += fmt::format("{}{}", text.empty() ? "" : " ", one.actor);
            if (one.component) text += fmt::format(".{}", one.component);
        }
        return text;
    }
};

TEST_F(Instances, are_those_of_exactly_the_class_newest_first) {
    // F-75
    game.know<Boulder, Menhir, Engine, Wheel, Radio, Car>();
    const auto first = game.spawn<Boulder>()->id();
    game.spawn<Menhir>();
    const auto second = game.spawn<Boulder>()->id();
    EXPECT_EQ(listed<Boulder>(), fmt::format("{} {}", second, first));
    EXPECT_EQ(listed<Boulder>(1), fmt::format("{}", second));
    EXPECT_EQ(world().count_instances(type<Boulder>()), 2u);
    EXPECT_EQ(world().count_instances(type<Menhir>()), 1u);
    EXPECT_EQ(listed<Car>(), "");
    Car* car = game.spawn<Car>();
    Car* other = game.spawn<Car>();
    ASSERT_TRUE(world().add_component(*car, type<Wheel>(), Name("spare")).is_ok());
    EXPECT_EQ(listed<Wheel>(), fmt::format("{}.spare {}.wheel {}.wheel", car->id(), other->id(), car->id()));
    EXPECT_EQ(world().count_instances(type<Wheel>()), 3u);
}

TEST_F(Instances, are_listed_also_when_deferred_or_on_their_way_out) {
    // F-75
    game.know<Boulder>();
    Boulder* boulder = game.spawn<Boulder>();
    const ActorId id = boulder->id();
    {
        const World::CallScope scope(world());
        world().destroy(id);
        EXPECT_EQ(world().find(id), nullptr);
        EXPECT_EQ(listed<Boulder>(), fmt::format("{}", id));
        EXPECT_DEATH(world().destroy_instances(type<Boulder>()), "between two ticks");
    }
    EXPECT_EQ(listed<Boulder>(), "");
    {
        auto deferred = world().spawn_deferred<Boulder>();
        EXPECT_EQ(world().count_instances(type<Boulder>()), 1u);
        world().destroy_instances(type<Boulder>());
        EXPECT_EQ(world().count_instances(type<Boulder>()), 1u) << "it is of who holds it";
        EXPECT_FALSE(game.runtime.types().remove(Name("Boulder")).is_ok());
    }
    EXPECT_EQ(world().count_instances(type<Boulder>()), 0u);
}

TEST_F(Instances, are_destroyed_newest_first_and_others_stay) {
    // F-75
    game.know<Boulder, Menhir, Engine, Wheel, Radio, Car>();
    world().begin_play();
    game.spawn<Boulder>();
    game.spawn<Menhir>();
    game.spawn<Boulder>();
    Car* car = game.spawn<Car>();
    ASSERT_TRUE(world().add_component(*car, type<Wheel>(), Name("spare")).is_ok());
    std::string order;
    auto ending = world().actor_ending.add(
        [&](Actor& actor, EndReason reason) { order += fmt::format("{}({}) ", actor.id(), to_string(reason)); });
    auto component_ending = world().component_ending.add([&](Component& component, EndReason reason) {
        order += fmt::format("{}({}) ", component.name(), to_string(reason));
    });
    const auto boulders = world().instances(type<Boulder>());
    world().destroy_instances(type<Boulder>());
    EXPECT_EQ(order, fmt::format("{}(Destroyed) {}(Destroyed) ", boulders[0].actor, boulders[1].actor));
    EXPECT_EQ(world().count_instances(type<Boulder>()), 0u);
    EXPECT_EQ(world().count_instances(type<Menhir>()), 1u);
    order.clear();
    world().destroy_instances(type<Wheel>());
    EXPECT_EQ(order, "spare(Removed) wheel(Removed) ");
    EXPECT_EQ(world().count_instances(type<Wheel>()), 0u);
    EXPECT_NE(world().find(car->id()), nullptr);
    EXPECT_NE(car->find_component(Name("engine")), nullptr);
}

TEST_F(Instances, and_those_of_classes_below_are_destroyed_at_once_also_inside_a_callback) {
    // F-75
    game.know<Boulder, Menhir, Engine, Wheel, Radio, Car>();
    world().begin_play();
    const ActorId first = game.spawn<Boulder>()->id(), below = game.spawn<Menhir>()->id(),
                  last = game.spawn<Boulder>()->id();
    const ActorId car = game.spawn<Car>()->id();
    ActorId meanwhile;
    std::string order;
    auto ending = world().actor_ending.add([&](Actor& actor, EndReason) {
        order += fmt::format("{} ", actor.id());
        if (!meanwhile) meanwhile = *world().spawn<Boulder>();
        world().destroy_actors(type<Boulder>());
    });
    {
        const World::CallScope scope(world());
        const ActorId gone = game.spawn<Boulder>()->id();
        world().destroy(gone);
        world().destroy_actors(type<Boulder>());
        for (ActorId id : {first, below, last}) EXPECT_EQ(world().find(id), nullptr);
        order.clear();
    }
    EXPECT_NE(world().find(car), nullptr);
    EXPECT_EQ(world().find(meanwhile), nullptr) << "asked for again, it goes as well";
    EXPECT_EQ(world().count_instances(type<Boulder>()) + world().count_instances(type<Menhir>()), 0u);
    ending = {};
    std::string plain;
    for (int i = 0; i < 3; ++i) plain = fmt::format("{} ", game.spawn<Boulder>()->id()) + plain;
    order.clear();
    ending = world().actor_ending.add([&](Actor& actor, EndReason) { order += fmt::format("{} ", actor.id()); });
    world().destroy_actors(type<Boulder>());
    EXPECT_EQ(order, plain) << "newest first";
    EXPECT_NE(world().find(car), nullptr);
}

TEST_F(Instances, that_end_may_make_others_but_not_for_ever) {
    // F-75
    game.know<Boulder>();
    game.spawn<Boulder>();
    int made = 0;
    stage().at = [&](const std::string& point, Object*) {
        if (point != "Boulder.end_play(Destroyed)" || made++ >= 3) return;
        EXPECT_TRUE(world().spawn<Boulder>().is_ok());
    };
    world().destroy_instances(type<Boulder>());
    EXPECT_EQ(made, 4);
    EXPECT_EQ(world().count_instances(type<Boulder>()), 0u);
    made = -1'000'000;
    game.spawn<Boulder>();
    world().destroy_instances(type<Boulder>());
    EXPECT_EQ(world().count_instances(type<Boulder>()), 1u) << "who never stops is not followed";
    stage().at = nullptr;
}

TEST_F(Instances, of_a_class_gone_the_class_leaves_no_trace_in_the_world) {
    // F-74, F-75
    {
        const OwnerScope as(kTag);
        game.know<Boulder, Runner>();
    }
    game.know<Engine, Wheel, Radio, Car>();
    ASSERT_TRUE(game.runtime.tags().declare("A.B").is_ok());
    world().begin_play();
    Boulder* boulder = game.spawn<Boulder>();
    ASSERT_TRUE(world().tags().add(boulder->id(), *game.runtime.tags().find("A.B")).is_ok());
    Car* car = game.spawn<Car>();
    auto runner = world().add_component(*car, type<Runner>());
    ASSERT_TRUE(runner.is_ok());
    ASSERT_TRUE(world().movers().hand(static_cast<Runner&>(**runner), {2}).is_ok());
    world().tick();
    EXPECT_EQ(times("Runner.step"), 1u);
    EXPECT_EQ(game.runtime.types().remove_all(kTag).code(), StatusCode::Refused);
    for (const Type* leaving : game.runtime.types().owned_by(kTag)) world().destroy_instances(*leaving);
    EXPECT_EQ(world().movers().count(), 0u);
    // Who hears of it last may ask for everything, and gets nothing that stays.
    int heard = 0;
    auto late = game.runtime.types().removing.add([&](const Type& leaving) {
        ++heard;
        EXPECT_EQ(world().spawn(leaving).status().code(), StatusCode::Refused);
        EXPECT_EQ(world().add_component(*car, leaving).status().is_ok(), false);
        if (leaving.name != Name("Boulder")) return;
        EXPECT_EQ(world().tags().of_class(leaving).count(), 0u);
    });
    EXPECT_TRUE(game.runtime.types().remove_all(kTag).is_ok());
    EXPECT_EQ(heard, 2);
    world().tick();  // nothing looks at the classes that have gone
    std::size_t objects = 0;
    world().each_object([&](Object&) { ++objects; });
    EXPECT_EQ(objects, 3u) << "the car, its engine and its wheel";
    {
        const OwnerScope as(kTag);
        game.know<Boulder, Runner>();  // in the places of those that went
    }
    game.spawn<Boulder>();
    EXPECT_EQ(world().count_instances(type<Boulder>()), 1u);
    world().tick();
}

}  // namespace instances_test
}  // namespace lyre
