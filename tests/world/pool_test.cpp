#include "lyre/world/pool.h"

#include <set>

#include "tests/world/small_world.h"

namespace lyre {
namespace pool_test {

struct Grain : Actor {
    Property<int> value = 7;
    static void describe(TypeBuilder<Grain>& t) { t.property("value", &Grain::value); }
};
struct Boulder : Actor {
    char bytes[15'000] = {};
    static void describe(TypeBuilder<Boulder>&) {}
};
struct alignas(64) Aligned : Component {
    Property<int> value = 1;
    static void describe(TypeBuilder<Aligned>& t) { t.property("value", &Aligned::value); }
};

TEST(Pool, objects_never_move_and_the_lowest_free_place_is_used_first) {
    // W-15
    Game game;
    game.know<Grain>();
    World& world = game.world();
    std::vector<Grain*> grains;
    for (int i = 0; i < 5000; ++i) grains.push_back(game.spawn<Grain>());
    for (int i = 0; i < 5000; ++i) grains[static_cast<std::size_t>(i)]->value = i;
    Grain* first = grains[10];
    Grain* second = grains[4000];
    world.destroy(second->id());
    world.destroy(first->id());
    EXPECT_EQ(game.spawn<Grain>(), first);
    EXPECT_EQ(game.spawn<Grain>(), second);
    EXPECT_EQ(first->value, 7) << "with its class's defaults";
    EXPECT_EQ(first->marks(), 0u);
    for (std::size_t i : {0u, 1u, 999u, 4999u}) EXPECT_EQ(grains[i]->value, static_cast<int>(i));
}

TEST(Pool, many_come_and_go_and_each_has_its_own_memory) {
    // W-15, W-16
    Game game;
    game.know<Grain, Boulder, Aligned>();
    World& world = game.world();
    std::vector<ActorId> ids;
    unsigned state = 99;
    for (int round = 0; round < 3000; ++round) {
        state = state * 1664525u + 1013904223u;
        const unsigned dice = state / 65536u;
        if (dice % 5 < 3) {
            ids.push_back(dice % 7 == 0 ? game.spawn<Boulder>()->id() : game.spawn<Grain>()->id());
            if (dice % 3 == 0) {
                Aligned* part = *world.find(ids.back())->add<Aligned>();
                EXPECT_EQ(reinterpret_cast<std::uintptr_t>(part) % 64, 0u);
                part->value = 2;
                EXPECT_EQ(part->marks(), 1u);
            }
        } else if (!ids.empty()) {
            const std::size_t at = dice % ids.size();
            EXPECT_TRUE(world.destroy(ids[at]));
            ids[at] = ids.back();
            ids.pop_back();
        }
    }
    std::set<const Object*> seen;
    world.each_object([&](Object& object) { seen.insert(&object); });
    EXPECT_EQ(seen.size(), world.actor_count() + world.component_count());
    EXPECT_EQ(world.actor_count(), ids.size());
    for (ActorId id : ids) EXPECT_TRUE(world.destroy(id));
    EXPECT_TRUE(game.is_bare());
}

TEST(UnregisteredTypes, leave_only_when_no_instance_lives_in_any_world_and_the_refusal_lists_them) {
    // W-10
    Game game;
    game.know<Engine, Wheel, Radio, Car, Rock>();
    GameInstance other(game.runtime);
    World& far = other.open_world({.name = Name("far")});
    const ActorId rock = game.spawn<Rock>()->id();
    auto second = far.spawn<Rock>();
    const Status refusal = game.runtime.types().remove(Name("Rock"));
    EXPECT_EQ(refusal.code(), StatusCode::Refused);
    EXPECT_NE(refusal.text().find("actor #1.1 in world world ("), std::string::npos) << refusal.text();
    EXPECT_NE(refusal.text().find("actor #1.1 in world far ("), std::string::npos) << refusal.text();
    game.world().destroy(rock);
    EXPECT_FALSE(game.runtime.types().remove(Name("Rock")));
    far.destroy(*second);
    EXPECT_TRUE(game.runtime.types().remove(Name("Rock")));

    game.spawn<Car>();
    const std::string part = game.runtime.types().remove(Name("Wheel")).text();
    EXPECT_NE(part.find("component wheel of actor #"), std::string::npos) << part;
    for (int i = 0; i < 100; ++i) game.spawn<Car>();
    const std::string many = game.runtime.types().remove(Name("Car")).text();
    EXPECT_NE(many.find("and more"), std::string::npos);
    EXPECT_EQ(static_cast<std::size_t>(std::count(many.begin(), many.end(), ';')), TypeRegistry::kMaxListed);
}

TEST(UnregisteredTypes, one_that_is_being_made_or_goes_only_later_keeps_its_type) {
    // W-10
    Game game;
    game.know<Rock>();
    {
        auto deferred = game.world().spawn_deferred(*game.runtime.types().find<Rock>());
        EXPECT_FALSE(game.runtime.types().remove(Name("Rock")));
    }
    Status refusal;
    stage().at = [&](const std::string& point, Object*) {
        if (point == "Rock.end_play(Destroyed)") refusal = game.runtime.types().remove(Name("Rock"));
    };
    game.world().destroy(game.spawn<Rock>()->id());
    EXPECT_EQ(refusal.code(), StatusCode::Refused);
    EXPECT_TRUE(game.runtime.types().remove(Name("Rock")));
}

TEST(UnregisteredTypes, registered_anew_they_work_as_if_new) {
    // W-10
    Game game;
    game.know<Engine, Wheel, Radio, Car, Grain>();
    World& world = game.world();
    world.begin_play();
    for (int round = 0; round < 3; ++round) {
        Grain* grain = game.spawn<Grain>();
        grain->value = round;
        world.keep_marks(true);
        Car* car = game.spawn<Car>();
        world.tick();
        world.destroy(grain->id());
        world.destroy(car->id());
        for (const char* name : {"Grain", "Car", "Wheel"}) EXPECT_TRUE(game.runtime.types().remove(Name(name))) << name;
        EXPECT_FALSE(world.spawn<Grain>());
        if (round == 1) game.know<Rock>();  // takes a slot that has become free
        EXPECT_TRUE(game.runtime.types().add<Car>());
        EXPECT_NE(world.spawn<Car>().status().text().find("Wheel"), std::string::npos) << "a slot's class has gone";
        EXPECT_TRUE(game.runtime.types().add<Wheel>());
        EXPECT_TRUE(game.runtime.types().add<Grain>());
        EXPECT_TRUE(world.spawn<Car>()) << round;
        for (ActorId id : world.actors()) world.destroy(id);
        EXPECT_TRUE(game.is_bare());
    }
}

}  // namespace pool_test
}  // namespace lyre
