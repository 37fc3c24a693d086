#include "lyre/world/object.h"

#include "tests/world/small_world.h"

namespace lyre {
namespace object_test {

TEST(Spawn, runs_construct_pre_initialize_registered_in_order_initialized_and_begin_play) {
    // W-15
    Game game;
    game.know<Engine, Wheel, Radio, Car>();
    auto early = game.world().spawn<Car>();
    ASSERT_TRUE(early);
    EXPECT_EQ(log(),
              "Car.construct Engine.construct Wheel.construct Car.pre_initialize Engine.registered "
              "Wheel.registered Car.initialized");
    EXPECT_EQ(game.world().find(*early)->life(), LifeState::Initialized);
    game.world().begin_play();
    EXPECT_EQ(log(), "Car.begin_play Engine.begin_play Wheel.begin_play");
    auto late = game.world().spawn<Car>();
    ASSERT_TRUE(late);
    EXPECT_EQ(log(),
              "Car.construct Engine.construct Wheel.construct Car.pre_initialize Engine.registered "
              "Wheel.registered Car.initialized Car.begin_play Engine.begin_play Wheel.begin_play");
    EXPECT_EQ(game.world().find(*late)->life(), LifeState::Begun);
    EXPECT_TRUE(game.world().destroy(*late));
    EXPECT_EQ(log(), "Wheel.end_play(Destroyed) Engine.end_play(Destroyed) Car.end_play(Destroyed)");
}

TEST(Spawn, ids_are_local_to_their_world_begin_at_one_and_print_as_index_and_generation) {
    // W-15
    Game game, other;
    game.know<Rock>();
    other.know<Rock>();
    auto id = game.world().spawn<Rock>();
    auto same = other.world().spawn<Rock>();
    EXPECT_EQ(fmt::format("{}", *id), "#1.1");
    EXPECT_EQ(*id, *same);
    EXPECT_EQ(game.world().find(ActorId()), nullptr);
    EXPECT_EQ(game.world().find({1, 2}), nullptr);
    EXPECT_EQ(game.world().find({77, 1}), nullptr);
    EXPECT_EQ(game.world().find({0xFFFFFFFFu, 1}), nullptr);
    EXPECT_TRUE(game.world().destroy(*id));
    auto next = game.world().spawn<Rock>();
    EXPECT_EQ(fmt::format("{}", *next), "#1.2");
    EXPECT_EQ(game.world().find(*id), nullptr);
    EXPECT_FALSE(game.world().destroy(*id));
    EXPECT_NE(game.world().find(*next), nullptr);
}

// Throws at `point` when a car is spawned; gives what was called after the throw.
std::string after_throw_at(const std::string& point, bool begun) {
    Game game;
    game.know<Engine, Wheel, Radio, Car>();
    if (begun) game.world().begin_play();
    stage().at = [&](const std::string& now, Object*) {
        if (now != point) return;
        stage().log.clear();
        throw Malice();
    };
    auto id = game.world().spawn<Car>();
    EXPECT_FALSE(id) << point;
    EXPECT_EQ(id.status().code(), StatusCode::Failed);
    EXPECT_NE(id.status().text().find("malice"), std::string::npos) << id.status().text();
    EXPECT_NE(id.status().text().find("Car"), std::string::npos) << id.status().text();
    EXPECT_TRUE(game.is_bare()) << point;
    EXPECT_EQ(stage().alive, 0) << point;
    EXPECT_TRUE(game.world().actors().empty());
    stage().at = nullptr;
    std::string rest = log();
    EXPECT_TRUE(game.world().spawn<Car>()) << "the world is as good as before";
    return rest;
}

TEST(Spawn, a_throw_in_any_step_leaves_nothing_and_ends_exactly_what_came_up) {
    // W-15
    const std::string car = "Car.end_play(Destroyed)", engine = "Engine.end_play(Destroyed) ",
                      wheel = "Wheel.end_play(Destroyed) ";
    for (const char* point : {"Car.construct", "Engine.construct", "Wheel.construct", "Car.pre_initialize"})
        EXPECT_EQ(after_throw_at(point, true), "") << point;
    EXPECT_EQ(after_throw_at("Engine.registered", true), car);
    EXPECT_EQ(after_throw_at("Wheel.registered", true), engine + car);
    for (const char* point : {"Car.initialized", "Car.begin_play", "Engine.begin_play", "Wheel.begin_play"})
        EXPECT_EQ(after_throw_at(point, true), wheel + engine + car) << point;
    EXPECT_EQ(after_throw_at("Car.initialized", false), wheel + engine + car);
}

TEST(Spawn, whatever_hook_throws_it_is_told_with_its_component_and_its_actor) {
    // W-15, W-18, W-28
    const auto status_of = [](const std::string& point) {
        Game game;
        game.know<Engine, Wheel, Radio, Car>();
        game.world().begin_play();
        stage().at = [&](const std::string& now, Object*) {
            if (now == point) throw Malice();
        };
        return game.world().spawn<Car>().status().text();
    };
    EXPECT_EQ(status_of("Engine.begin_play"),
              "spawn of Car failed: begin_play of component engine (Engine) of #1.1 (Car) threw: malice");
    EXPECT_EQ(status_of("Wheel.registered"),
              "spawn of Car failed: registered of component wheel (Wheel) of #1.1 (Car) threw: malice");
    EXPECT_EQ(status_of("Car.initialized"), "spawn of Car failed: initialized of #1.1 (Car) threw: malice");

    Game game;
    game.know<Engine, Wheel, Radio, Car>();
    World& world = game.world();
    stage().at = [&](const std::string& now, Object*) {
        if (now == "Engine.begin_play" || now == "Radio.begin_play" || now == "Wheel.end_play(Destroyed)")
            throw Malice();
    };
    game.spawn<Car>();
    world.begin_play();
    stage().at = nullptr;
    Car& car = *game.spawn<Car>();
    stage().at = [&](const std::string& now, Object*) {
        if (now == "Radio.begin_play") throw Malice();
    };
    EXPECT_EQ(car.add<Radio>().status().text(),
              fmt::format("begin_play of component radio (Radio) of {} (Car) threw: malice", car.id()));
    std::string told;
    for (const LogEntry& entry : game.runtime.log().entries()) told += entry.text + "\n";
    EXPECT_EQ(told,
              "begin_play of component engine (Engine) of #1.1 (Car) threw: malice\n"
              "end_play of component wheel (Wheel) of #1.1 (Car) threw: malice\n");
}

TEST(Spawn, something_other_than_an_exception_object_may_be_thrown) {
    // W-15
    Game game;
    game.know<Rock>();
    stage().at = [&](const std::string& point, Object*) {
        if (point == "Rock.initialized" || point == "Rock.construct") throw 7;
    };
    EXPECT_FALSE(game.world().spawn<Rock>());
    EXPECT_TRUE(game.is_bare());
}

TEST(Spawn, a_listener_that_throws_fails_the_spawn_as_a_whole) {
    // W-15
    Game game;
    game.know<Engine, Wheel, Radio, Car>();
    game.world().begin_play();
    {
        auto c = game.world().component_registered.add([](Component&) { throw Malice(); });
        EXPECT_FALSE(game.world().spawn<Car>());
        EXPECT_TRUE(game.is_bare());
    }
    auto c = game.world().actor_initialized.add([](Actor&) { throw Malice(); });
    EXPECT_FALSE(game.world().spawn<Car>());
    EXPECT_TRUE(game.is_bare());
}

TEST(Spawn, a_component_removed_in_a_hook_that_then_throws_is_gone_once) {
    // W-15, W-17
    for (const char* where : {"Car.initialized", "Car.begin_play", "Wheel.registered"}) {
        Game game;
        game.know<Engine, Wheel, Radio, Car>();
        game.world().begin_play();
        stage().at = [&](const std::string& point, Object* object) {
            if (point != where) return;
            Actor& car = object->is_a<Actor>() ? *object->as<Actor>() : object->as<Component>()->actor();
            EXPECT_TRUE(game.world().remove_component(*car.find<Engine>()));
            throw Malice();
        };
        EXPECT_FALSE(game.world().spawn<Car>());
        EXPECT_TRUE(game.is_bare()) << where;
        EXPECT_EQ(stage().alive, 0);
        EXPECT_EQ(times("Engine.end_play(Removed)") + times("Engine.end_play(Destroyed)"), 1u) << where;
    }
}

TEST(Spawn, a_class_that_cannot_be_spawned_is_refused_with_its_name) {
    // W-15
    Game game;
    game.know<Engine, Wheel, Radio, Car>();
    const auto text = [&](std::string_view name) { return game.world().spawn(name).status().text(); };
    EXPECT_NE(text("Carr").find("Car"), std::string::npos) << "the nearest name is given";
    EXPECT_NE(text("Component").find("Component"), std::string::npos);
    EXPECT_NE(text("WorldSubsystem").find("WorldSubsystem"), std::string::npos);
    EXPECT_NE(text("Engine").find("Engine is not an actor class"), std::string::npos) << text("Engine");
    Actor* car = game.spawn<Car>();
    ASSERT_TRUE(car->add<Engine>(Name("second")));
    EXPECT_FALSE(game.world().spawn("Engine")) << "also when the world has engines already";
    EXPECT_EQ(game.world().actor_count(), 1u);
}

TEST(Spawn, a_type_of_another_runtime_is_refused) {
    // W-15
    Game game, other;
    game.know<Rock>();
    other.know<Wheel, Rock>();
    game.spawn<Rock>();
    for (const Type* foreign : other.runtime.types().all())
        EXPECT_FALSE(game.world().spawn(*foreign)) << foreign->name.text();
    EXPECT_EQ(game.world().actor_count(), 1u);
}

TEST(Spawn, a_place_that_is_not_a_number_is_refused) {
    // W-15
    Game game;
    game.know<Rock>();
    const float nan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_FALSE(game.world().spawn<Rock>({.transform = {{nan, 0, 0}}}));
    EXPECT_FALSE(game.world().spawn<Rock>({.transform = {{0, 0, 0}, nan}}));
    EXPECT_FALSE(game.world().spawn<Rock>({.transform = {{0, 0, 0}, 0, nan}}));
    EXPECT_TRUE(game.is_bare());
    Rock* rock = game.spawn<Rock>({.transform = {{1, 2, 3}, 90, 2}});
    EXPECT_EQ(rock->transform(), (Transform{{1, 2, 3}, 90, 2}));
    EXPECT_FALSE(rock->set_position({0, nan, 0}));
    EXPECT_EQ(rock->position(), (Vec3{1, 2, 3}));
}

TEST(DeferredSpawn, is_not_found_and_not_called_until_it_is_finished) {
    // W-15
    Game game;
    game.know<Engine, Wheel, Radio, Car>();
    game.world().begin_play();
    auto deferred = game.world().spawn_deferred(*game.runtime.types().find<Car>());
    ASSERT_TRUE(deferred);
    EXPECT_EQ(log(), "Car.construct Engine.construct Wheel.construct");
    Actor& car = deferred->actor();
    EXPECT_EQ(game.world().find(car.id()), nullptr);
    EXPECT_FALSE(game.world().destroy(car.id()));
    EXPECT_TRUE(game.world().actors().empty());
    EXPECT_TRUE(car.set(Name("yaw"), "45"));
    ASSERT_TRUE(car.add<Radio>());
    EXPECT_TRUE(game.world().remove_component(*car.find<Engine>()));
    EXPECT_EQ(log(), "Radio.construct");
    auto id = deferred->finish();
    ASSERT_TRUE(id);
    EXPECT_EQ(log(),
              "Car.pre_initialize Wheel.registered Radio.registered Car.initialized Car.begin_play "
              "Wheel.begin_play Radio.begin_play");
    EXPECT_EQ(game.world().find(*id)->yaw(), 45);
}

TEST(DeferredSpawn, dropped_it_leaves_nothing_and_nothing_was_called) {
    // W-15
    Game game;
    game.know<Engine, Wheel, Radio, Car>();
    const Type& type = *game.runtime.types().find<Car>();
    { auto dropped = game.world().spawn_deferred(type); }
    EXPECT_EQ(log(), "Car.construct Engine.construct Wheel.construct");
    EXPECT_TRUE(game.is_bare());
    EXPECT_EQ(stage().alive, 0);
    auto refused = game.world().spawn_deferred(type);
    game.world().end();
    auto id = refused->finish();
    EXPECT_EQ(id.status().code(), StatusCode::Refused);
    EXPECT_TRUE(game.is_bare());
}

TEST(DeferredSpawn, fails_as_a_whole_too) {
    // W-15
    Game game;
    game.know<Engine, Wheel, Radio, Car>();
    const Type& type = *game.runtime.types().find<Car>();
    stage().at = [](const std::string& point, Object*) {
        if (point == "Wheel.registered") throw Malice();
    };
    auto deferred = game.world().spawn_deferred(type);
    EXPECT_FALSE(deferred->finish());
    EXPECT_TRUE(game.is_bare());
    stage().at = [](const std::string& point, Object*) {
        if (point == "Wheel.construct") throw Malice();
    };
    EXPECT_FALSE(game.world().spawn_deferred(type));
    EXPECT_TRUE(game.is_bare());
}

TEST(HeldBeginPlay, waits_for_its_release_in_a_client_world_only) {
    // W-15
    Game game({.net_mode = NetMode::Client});
    game.know<Engine, Wheel, Radio, Car>();
    World& world = game.world();
    world.begin_play();
    auto hold = world.component_registered.add([&](Component& component) {
        if (!component.is_a<Engine>()) return;
        EXPECT_TRUE(world.hold_begin_play(component));
    });
    Car* car = game.spawn<Car>();
    EXPECT_EQ(times("Engine.begin_play"), 0u);
    EXPECT_EQ(times("Wheel.begin_play"), 1u);
    Engine* engine = car->find<Engine>();
    EXPECT_FALSE(engine->has_begun_play());
    log();
    EXPECT_TRUE(world.release_begin_play(*engine));
    EXPECT_EQ(log(), "Engine.begin_play");
    EXPECT_FALSE(world.release_begin_play(*engine)) << "once";
    EXPECT_FALSE(world.hold_begin_play(*engine)) << "too late";

    Car* other = game.spawn<Car>();
    world.destroy(other->id());
    EXPECT_EQ(times("Engine.begin_play"), 0u) << "held until its end";
    EXPECT_EQ(times("Engine.end_play(Destroyed)"), 1u);

    Car* third = game.spawn<Car>();
    stage().at = [](const std::string& point, Object*) {
        if (point == "Engine.begin_play") throw Malice();
    };
    log();
    EXPECT_FALSE(world.release_begin_play(*third->find<Engine>()));
    EXPECT_EQ(log(), "Engine.begin_play Engine.end_play(Removed)");
    EXPECT_EQ(third->find<Engine>(), nullptr);

    Game server({.net_mode = NetMode::DedicatedServer});
    server.know<Engine, Wheel, Radio, Car>();
    EXPECT_FALSE(server.world().hold_begin_play(*server.spawn<Car>()->find<Engine>()));
}

TEST(Destroy, of_itself_or_another_in_any_hook_waits_for_the_end_of_the_phase_and_is_stale_at_once) {
    // W-16
    const std::vector<std::string> points = {"Car.pre_initialize", "Engine.registered", "Wheel.registered",
                                             "Car.initialized",    "Car.begin_play",    "Engine.begin_play",
                                             "Wheel.begin_play"};
    for (const std::string& where : points)
        for (const bool throws : {false, true}) {
            Game game;
            game.know<Engine, Wheel, Radio, Car, Rock>();
            World& world = game.world();
            world.begin_play();
            const ActorId rock = game.spawn<Rock>()->id();
            ActorId self;
            stage().at = [&](const std::string& point, Object* object) {
                if (point != where) return;
                self = object->is_a<Actor>() ? object->as<Actor>()->id() : object->as<Component>()->actor().id();
                EXPECT_TRUE(world.destroy(self));
                EXPECT_TRUE(world.destroy(rock));
                EXPECT_FALSE(world.destroy(self)) << "once";
                EXPECT_EQ(world.find(self), nullptr);
                EXPECT_EQ(world.find(rock), nullptr);
                EXPECT_EQ(times("Rock.end_play(Destroyed)"), 0u) << "not inside the callback";
                EXPECT_EQ(object->type().name.text(), point.substr(0, point.find('.'))) << "its memory is good";
                if (throws) throw Malice();
            };
            auto id = world.spawn<Car>();
            EXPECT_EQ(id.is_ok(), !throws);
            EXPECT_EQ(world.find(self), nullptr);
            EXPECT_TRUE(game.is_bare()) << where;
            EXPECT_EQ(stage().alive, 0) << where;
            EXPECT_EQ(times("Rock.end_play(Destroyed)"), 1u);
            // Ended exactly if it came up: what was not registered is not ended, and nothing twice.
            for (const char* part : {"Engine", "Wheel"}) {
                std::string name = part;
                const bool came_up = times(name + ".registered") == 1 && !(throws && where == name + ".registered");
                EXPECT_EQ(times(name + ".end_play(Destroyed)"), came_up ? 1u : 0u) << where << ' ' << part;
            }
        }
}

TEST(Destroy, after_the_hook_that_destroyed_it_no_later_step_of_the_spawn_runs) {
    // W-16
    Game game;
    game.know<Engine, Wheel, Radio, Car>();
    game.world().begin_play();
    stage().at = [&](const std::string& point, Object* object) {
        if (point == "Engine.registered") game.world().destroy(object->as<Component>()->actor().id());
    };
    EXPECT_TRUE(game.world().spawn<Car>());
    EXPECT_EQ(log(),
              "Car.construct Engine.construct Wheel.construct Car.pre_initialize Engine.registered "
              "Engine.end_play(Destroyed) Car.end_play(Destroyed)");
}

TEST(Destroy, the_reason_is_told_once_to_each_and_to_listeners_first) {
    // W-16
    for (EndReason reason : {EndReason::Destroyed, EndReason::LevelRemoved, EndReason::Irrelevant, EndReason::Rested}) {
        Game game;
        game.know<Engine, Wheel, Radio, Car>();
        const ActorId id = game.spawn<Car>()->id();
        auto a = game.world().actor_ending.add(
            [](Actor&, EndReason why) { stage().log.push_back(fmt::format("actor_ending({})", to_string(why))); });
        auto c = game.world().component_ending.add([](Component& part, EndReason) {
            stage().log.push_back(fmt::format("component_ending({})", part.name()));
        });
        log();
        EXPECT_TRUE(game.world().destroy(id, reason));
        EXPECT_EQ(log(), fmt::format("actor_ending({0}) component_ending(wheel) Wheel.end_play({0}) "
                                     "component_ending(engine) Engine.end_play({0}) Car.end_play({0})",
                                     to_string(reason)));
    }
}

TEST(Destroy, end_play_may_destroy_spawn_add_remove_and_throw) {
    // W-16
    Game game;
    game.know<Engine, Wheel, Radio, Car, Rock>();
    World& world = game.world();
    world.begin_play();
    Car* car = game.spawn<Car>();
    Rock* rock = game.spawn<Rock>();
    const ActorId rock_id = rock->id();
    stage().at = [&](const std::string& point, Object* object) {
        if (point == "Wheel.end_play(Destroyed)") {
            Actor& owner = object->as<Component>()->actor();
            EXPECT_FALSE(world.destroy(owner.id()));
            EXPECT_FALSE(owner.add<Radio>());
            EXPECT_EQ(owner.find<Engine>(), nullptr);
            EXPECT_FALSE(world.remove_component(*object->as<Component>()));
            EXPECT_TRUE(world.destroy(rock_id));
            EXPECT_TRUE(world.spawn<Rock>());
            throw Malice();
        }
        if (point == "Engine.end_play(Destroyed)" || point == "Car.end_play(Destroyed)") throw 1;
    };
    log();
    EXPECT_TRUE(world.destroy(car->id()));
    EXPECT_EQ(log(),
              "Wheel.end_play(Destroyed) Rock.construct Rock.pre_initialize Rock.initialized Rock.begin_play "
              "Engine.end_play(Destroyed) Car.end_play(Destroyed) Rock.end_play(Destroyed)");
    EXPECT_EQ(game.failures(), 3u);
    EXPECT_EQ(world.actor_count(), 1u);
    EXPECT_EQ(world.component_count(), 0u);
}

TEST(Components, added_in_any_phase_go_through_the_same_life) {
    // W-17
    struct Case {
        const char* where;
        const char* radio;  // what the radio goes through, and what the others do meanwhile
    };
    const Case cases[] = {
        {"Car.pre_initialize",
         "Radio.construct Engine.registered Wheel.registered Radio.registered Car.initialized "
         "Car.begin_play Engine.begin_play Wheel.begin_play Radio.begin_play"},
        {"Engine.registered",
         "Radio.construct Wheel.registered Radio.registered Car.initialized Car.begin_play "
         "Engine.begin_play Wheel.begin_play Radio.begin_play"},
        {"Wheel.registered",
         "Radio.construct Radio.registered Car.initialized Car.begin_play Engine.begin_play "
         "Wheel.begin_play Radio.begin_play"},
        {"Car.initialized",
         "Radio.construct Radio.registered Car.begin_play Engine.begin_play Wheel.begin_play "
         "Radio.begin_play"},
        {"Car.begin_play", "Radio.construct Radio.registered Engine.begin_play Wheel.begin_play Radio.begin_play"},
        {"Wheel.begin_play", "Radio.construct Radio.registered Radio.begin_play"},
    };
    for (const Case& c : cases) {
        Game game;
        game.know<Engine, Wheel, Radio, Car>();
        game.world().begin_play();
        stage().at = [&](const std::string& point, Object* object) {
            if (point != c.where) return;
            stage().log.clear();
            Actor& car = object->is_a<Actor>() ? *object->as<Actor>() : object->as<Component>()->actor();
            auto radio = car.add<Radio>();
            ASSERT_TRUE(radio) << radio.status().to_string();
            EXPECT_EQ(&(*radio)->actor(), &car);
            EXPECT_EQ((*radio)->name().text(), "radio") << "the slot's name";
        };
        Car* car = game.spawn<Car>();
        EXPECT_EQ(log(), c.radio) << c.where;
        game.world().destroy(car->id());
        EXPECT_EQ(log().substr(0, 27), "Radio.end_play(Destroyed) W") << "in reverse order";
    }
}

TEST(Components, may_be_removed_in_any_phase_by_themselves_or_another) {
    // W-17
    for (const char* where : {"Car.pre_initialize", "Engine.registered", "Wheel.registered", "Car.initialized",
                              "Car.begin_play", "Engine.begin_play", "Wheel.begin_play"}) {
        Game game;
        game.know<Engine, Wheel, Radio, Car>();
        game.world().begin_play();
        stage().at = [&](const std::string& point, Object* object) {
            if (point != where) return;
            Actor& car = object->is_a<Actor>() ? *object->as<Actor>() : object->as<Component>()->actor();
            Wheel* wheel = car.find<Wheel>();
            EXPECT_TRUE(game.world().remove_component(*wheel));
            EXPECT_FALSE(game.world().remove_component(*wheel));
            EXPECT_EQ(car.find<Wheel>(), nullptr);
            EXPECT_EQ(car.find_component(Name("wheel")), nullptr);
            EXPECT_EQ(wheel->life(), LifeState::Doomed);
        };
        Car* car = game.spawn<Car>();
        EXPECT_EQ(game.world().component_count(), 1u) << where;
        const bool came_up = times("Wheel.registered") == 1;
        EXPECT_EQ(times("Wheel.end_play(Removed)"), came_up ? 1u : 0u) << where;
        EXPECT_NE(car->find<Engine>(), nullptr);
        stage().at = nullptr;
        auto again = car->add<Wheel>();
        ASSERT_TRUE(again) << "its name is free again";
        EXPECT_TRUE((*again)->has_begun_play());
    }
}

TEST(Components, names_are_unique_per_actor_and_a_free_slot_gives_its_name) {
    // W-17, W-14
    Game game;
    game.know<Engine, Wheel, Radio, Car, Rock>();
    Car* car = game.spawn<Car>();
    EXPECT_EQ(game.world().component_count(), 2u) << "an empty slot costs nothing";
    EXPECT_EQ(car->add<Wheel>(Name("engine")).status().code(), StatusCode::AlreadyExists);
    EXPECT_EQ((*car->add<Wheel>())->name().text(), "Wheel") << "the slot is taken: the name of its class";
    EXPECT_FALSE(car->add<Wheel>());
    EXPECT_TRUE(car->add<Wheel>(Name("spare")));
    EXPECT_EQ((*car->add<Radio>())->name().text(), "radio");
    EXPECT_FALSE(car->add_component(Name("Rock"))) << "an actor is no component";
    EXPECT_FALSE(car->add_component(Name("Component"))) << "abstract";
    EXPECT_NE(car->add_component(Name("Whel")).status().text().find("Wheel"), std::string::npos);
    EXPECT_EQ(game.world().component_count(), 5u);
}

TEST(Components, one_that_throws_while_being_added_leaves_its_actor_as_it_was) {
    // W-17
    for (const char* where : {"Radio.construct", "Radio.registered", "Radio.begin_play"}) {
        Game game;
        game.know<Engine, Wheel, Radio, Car>();
        game.world().begin_play();
        Car* car = game.spawn<Car>();
        stage().at = [&](const std::string& point, Object*) {
            if (point == where) throw Malice();
        };
        auto radio = car->add<Radio>();
        EXPECT_EQ(radio.status().code(), StatusCode::Failed);
        EXPECT_NE(radio.status().text().find("Radio"), std::string::npos);
        EXPECT_EQ(game.world().component_count(), 2u) << where;
        EXPECT_EQ(times("Radio.end_play(Removed)"), where == std::string("Radio.begin_play") ? 1u : 0u);
        stage().at = nullptr;
        EXPECT_TRUE(car->add<Radio>());
    }
}

TEST(Components, an_actor_has_a_bounded_number_of_them) {
    // W-17
    Game game;
    game.know<Radio, Rock>();
    Rock* rock = game.spawn<Rock>();
    for (std::size_t i = 0; i < World::kMaxComponents; ++i)
        ASSERT_TRUE(rock->add<Radio>(Name(fmt::format("radio{}", i))));
    EXPECT_EQ(rock->add<Radio>(Name("more")).status().code(), StatusCode::Capacity);
    game.world().destroy(rock->id());
    EXPECT_TRUE(game.is_bare());
}

TEST(Components, their_owner_actor_may_be_destroyed_when_one_is_added_or_removed) {
    // W-16, W-17
    for (const char* where : {"Radio.registered", "Radio.begin_play", "Radio.end_play(Removed)"}) {
        Game game;
        game.know<Engine, Wheel, Radio, Car>();
        game.world().begin_play();
        const ActorId id = game.spawn<Car>()->id();
        stage().at = [&](const std::string& point, Object*) {
            if (point != where) return;
            EXPECT_TRUE(game.world().destroy(id));
        };
        auto radio = game.world().find(id)->add<Radio>();
        if (game.world().find(id) != nullptr) game.world().remove_component(**radio).ignore();
        EXPECT_TRUE(game.is_bare()) << where;
        EXPECT_EQ(stage().alive, 0);
    }
}

TEST(Roles, authority_is_a_question_of_the_role_and_not_of_the_net_mode) {
    // W-19
    const struct {
        NetMode mode;
        const char* name;
    } modes[] = {{NetMode::Standalone, "Standalone"},
                 {NetMode::DedicatedServer, "DedicatedServer"},
                 {NetMode::ListenServer, "ListenServer"},
                 {NetMode::Client, "Client"}};
    const struct {
        Role role;
        const char* name;
        bool authority;
    } roles[] = {{Role::Authority, "Authority", true},
                 {Role::AutonomousProxy, "AutonomousProxy", false},
                 {Role::SimulatedProxy, "SimulatedProxy", false}};
    for (const auto& mode : modes) {
        Game game({.net_mode = mode.mode});
        game.know<Rock>();
        EXPECT_EQ(game.world().net_mode(), mode.mode);
        EXPECT_EQ(to_string(mode.mode), mode.name);
        for (const auto& role : roles) {
            Rock* rock = game.spawn<Rock>({.role = role.role});
            EXPECT_EQ(rock->role(), role.role);
            EXPECT_EQ(rock->has_authority(), role.authority);
            EXPECT_EQ(to_string(role.role), role.name);
        }
        EXPECT_TRUE(game.spawn<Rock>()->has_authority()) << "unless told otherwise";
    }
}

// Classes whose Object part is not at the beginning: an interface with a table of virtuals before it.
struct Shown {
    virtual ~Shown() = default;
    virtual int shown() const = 0;
    int padding = 41;
};
struct Horn : Component {
    using Described = Horn;
    Property<int> volume = 3;
    std::string heard;
    static void describe(TypeBuilder<Horn>& t) {
        t.parent<Component>();
        t.property("volume", &Horn::volume).replicated().notify(&Horn::volume_changed);
        t.remote<&Horn::honk>("honk");
    }
    void volume_changed(const int& old) { heard += fmt::format("volume {} -> {};", old, volume.get()); }
    void honk(int n, const std::string& word) { heard += fmt::format("honk {} {};", n, word); }
};
struct LateHorn : Shown, Horn {
    Property<float> pitch = 1.0f;
    int ticks = 0;
    static void describe(TypeBuilder<LateHorn>& t) {
        t.property("pitch", &LateHorn::pitch);
        t.remote<&LateHorn::mute>("mute");
    }
    int shown() const override { return volume; }
    void registered() { heard += "registered;"; }
    void begin_play() { heard += "begin_play;"; }
    void tick(float) { ++ticks; }
    void end_play(EndReason) { report("LateHorn.end_play", this); }
    void mute() { volume = 0; }
};
struct EarlyHorn : Horn, Shown {
    int ticks = 0;
    static void describe(TypeBuilder<EarlyHorn>&) {}
    int shown() const override { return volume; }
    void tick(float) { ++ticks; }
};
struct LateHero : Shown, Actor {
    Property<int> lives = 3;
    int ticks = 0;
    bool was_begun = false;
    static void describe(TypeBuilder<LateHero>& t) {
        t.component<LateHorn>("late");
        t.component<EarlyHorn>("early");
        t.property("lives", &LateHero::lives);
        t.remote<&LateHero::bless>("bless");
    }
    int shown() const override { return lives; }
    void begin_play() { was_begun = true; }
    void tick(float) { ++ticks; }
    void bless(int lives_more) { lives += lives_more; }
};

TEST(OffsetClasses, live_tick_mark_and_answer_like_any_other) {
    // W-15, W-18, W-35
    Game game;
    game.know<Horn, LateHorn, EarlyHorn, LateHero>();
    game.world().begin_play();
    std::vector<LateHero*> heroes;
    for (int i = 0; i < 3; ++i) heroes.push_back(game.spawn<LateHero>());
    game.world().keep_marks(true);
    game.world().tick();
    for (LateHero* hero : heroes) {
        LateHorn* late = hero->find<LateHorn>();
        EarlyHorn* early = hero->find<EarlyHorn>();
        EXPECT_EQ(hero->find<Horn>(), static_cast<Horn*>(late)) << "the first of the class or below";
        EXPECT_EQ(hero->ticks + late->ticks + early->ticks, 3);
        EXPECT_TRUE(hero->was_begun);
        EXPECT_EQ(late->heard, "registered;begin_play;");
        EXPECT_EQ(hero->shown() + late->shown() + early->shown(), 9);
        EXPECT_EQ(hero->padding + late->padding + early->padding, 123);
        EXPECT_EQ(hero->marks() | late->marks() | early->marks(), 0u);
    }
    LateHorn* late = heroes[1]->find<LateHorn>();
    EarlyHorn* early = heroes[1]->find<EarlyHorn>();
    late->volume = 9;
    late->pitch = 2;
    early->volume = 8;
    heroes[1]->lives = 7;
    EXPECT_EQ(late->marks(), 3u);
    EXPECT_EQ(early->marks(), 1u);
    EXPECT_EQ(heroes[1]->marks(), 1u << 3) << "after position, yaw and scale";
    std::vector<Object*> drained;
    game.world().drain_marks([&](Object& object, std::uint64_t) { drained.push_back(&object); });
    EXPECT_EQ(drained, (std::vector<Object*>{late, early, heroes[1]}));
    EXPECT_TRUE(late->set(Name("volume"), "5"));
    EXPECT_EQ(late->volume, 5);
    EXPECT_EQ(*late->get(Name("pitch")), "2");
    late->heard.clear();
    late->call<&Horn::honk>(2, "hey");
    late->type().find_property(Name("volume"))->notify(late, std::vector<int>{1}.data());
    EXPECT_EQ(late->heard, "honk 2 hey;volume 1 -> 5;") << "what it has from its parent";
    late->call<&LateHorn::mute>();
    EXPECT_EQ(late->volume, 0);
    heroes[1]->call<&LateHero::bless>(2);
    EXPECT_EQ(heroes[1]->lives, 9);
    EXPECT_EQ(heroes[0]->lives, 3);
    game.world().destroy(heroes[1]->id());
    EXPECT_EQ(log(), "LateHorn.end_play");
}

// Describes a function of a base class that has no description of its own.
struct Bell {
    virtual ~Bell() = default;
    int rings = 0;
    void ring(int times) { rings += times; }
};
struct Tower : Component, Bell {
    static void describe(TypeBuilder<Tower>& t) { t.remote<&Tower::ring>("ring"); }
};

TEST(OffsetClasses, a_remote_function_of_an_undescribed_base_gets_the_base) {
    // W-35
    Game game;
    game.know<Tower, Rock>();
    Tower* tower = *game.spawn<Rock>()->add<Tower>();
    tower->call<&Tower::ring>(3);
    EXPECT_EQ(tower->rings, 3);
    EXPECT_EQ(tower->name().text(), "Tower");
}

TEST(Object, is_a_follows_the_tree_of_classes) {
    // W-14
    Game game;
    game.know<Horn, LateHorn, EarlyHorn, LateHero, Rock>();
    LateHero* hero = game.spawn<LateHero>();
    Component* late = hero->find_component(Name("late"));
    EXPECT_TRUE(late->is_a<LateHorn>() && late->is_a<Horn>() && late->is_a<Component>());
    EXPECT_FALSE(late->is_a<EarlyHorn>() || late->is_a<Actor>() || late->is_a(Name("Nothing")));
    EXPECT_EQ(static_cast<Component*>(late->as<LateHorn>()), late);
    EXPECT_EQ(late->as<EarlyHorn>(), nullptr);
    EXPECT_EQ(game.world().find<Rock>(hero->id()), nullptr);
    EXPECT_EQ(game.world().find<LateHero>(hero->id()), hero);
}

struct Curious : Component {
    Curious() {
        if (asks) world();
    }
    static void describe(TypeBuilder<Curious>&) {}
    static inline bool asks = false;
};

TEST(Object, a_constructor_that_asks_for_its_world_is_told_what_to_do_instead) {
    // W-15
    Game game;
    game.know<Curious, Rock>();
    Rock* rock = game.spawn<Rock>();
    EXPECT_DEATH(
        {
            Curious::asks = true;
            rock->add<Curious>().status().ignore();
        },
        "a constructor sees no world");
}

}  // namespace object_test
}  // namespace lyre
