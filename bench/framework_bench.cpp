// What extending actors costs: spawning receivers, events nobody hears, a request that comes late, each beside the same
// without it.
#include <benchmark/benchmark.h>
#include <vector>

#include "lyre/framework/component_manager.h"
#include "lyre/world/game_instance.h"

namespace lyre::framework {
namespace {

template <int N> struct Part : Component { float x = 0, y = 0; };
struct PartA : Part<0> {
    static void describe(TypeBuilder<PartA>&) {}
};
struct PartB : Part<1> {
    static void describe(TypeBuilder<PartB>&) {}
};
struct PartC : Part<2> {
    static void describe(TypeBuilder<PartC>&) {}
};
struct Added : Component {
    float value = 0;
    static void describe(TypeBuilder<Added>&) {}
};
template <class T> void add_parts(TypeBuilder<T>& t) {
    t.template component<PartA>("a");
    t.template component<PartB>("b");
    t.template component<PartC>("c");
}
struct Plain : Actor {
    static void describe(TypeBuilder<Plain>& t) { add_parts(t); }
    void pre_initialize() {}
    void end_play(EndReason) {}
};
struct Extended : Actor {
    static void describe(TypeBuilder<Extended>& t) { add_parts(t); }
    void pre_initialize() { add_receiver(*this).ignore(); }
    void end_play(EndReason) { remove_receiver(*this).ignore(); }
};

struct Game {
    Game() {
        const bool known = add_framework(runtime).is_ok() &&
                           runtime.types().add_all<PartA, PartB, PartC, Added, Plain, Extended>().is_ok();
        LYRE_ASSERT(known, "the benchmark's types are right");
        world.begin_play();
    }
    ComponentManager& manager() { return *ComponentManager::of(world); }
    VirtualClock clock;
    Runtime runtime{clock};
    GameInstance game{runtime};
    World& world = game.open_world({});
};

constexpr int kActors = 100'000;

template <class T> void spawn_all(benchmark::State& state, int others) {
    int heard = 0;
    Game game;
    std::vector<ComponentRequestHandle> requests;
    for (int i = 0; i < others; ++i)
        requests.push_back(game.manager().add_component_request(Selector(fmt::format("Other{}", i)), Name("Added")));
    auto handler =
        game.manager().add_extension_handler(Selector("Extended"), [&](Actor&, Name, const EventPayload&) { ++heard; });
    const Type& type = *game.runtime.types().find<T>();
    std::vector<ActorId> ids(kActors);
    for (auto _ : state) {
        for (ActorId& id : ids) id = *game.world.spawn(type, {});
        state.PauseTiming();
        for (ActorId id : ids) game.world.destroy(id);
        state.ResumeTiming();
    }
    benchmark::DoNotOptimize(heard);
    state.SetItemsProcessed(state.iterations() * kActors);
}

void SpawnPlain(benchmark::State& state) {
    spawn_all<Plain>(state, 0);
}
BENCHMARK(SpawnPlain)->Unit(benchmark::kMillisecond);

void SpawnReceiver(benchmark::State& state) {
    spawn_all<Extended>(state, static_cast<int>(state.range(0)));
}
BENCHMARK(SpawnReceiver)->Arg(10)->Arg(10'000)->Unit(benchmark::kMillisecond);

template <bool kLate> void components_for_all(benchmark::State& state) {
    Game game;
    std::vector<Actor*> actors;
    for (int i = 0; i < kActors; ++i) actors.push_back(game.world.find(*game.world.spawn<Extended>()));
    const Type& type = *game.runtime.types().find<Added>();
    for (auto _ : state) {
        ComponentRequestHandle request;
        if constexpr (kLate)
            request = game.manager().add_component_request(Selector("Extended"), Name("Added"));
        else
            for (Actor* actor : actors) benchmark::DoNotOptimize(game.world.add_component(*actor, type, Name("Added")));
        state.PauseTiming();
        if constexpr (kLate)
            request.reset();
        else
            for (Actor* actor : actors) game.world.remove_component(*actor->find<Added>()).ignore();
        state.ResumeTiming();
    }
    state.SetItemsProcessed(state.iterations() * kActors);
}
BENCHMARK(components_for_all<false>)->Name("ComponentsByHand")->Unit(benchmark::kMillisecond);
BENCHMARK(components_for_all<true>)->Name("ComponentsByRequest")->Unit(benchmark::kMillisecond);

[[gnu::noinline]] EventResult send_nothing(Actor& actor, Name event) {
    benchmark::DoNotOptimize(&actor);
    benchmark::DoNotOptimize(event);
    return {};
}

void EventCallOnly(benchmark::State& state) {
    Game game;
    Actor& actor = *game.world.find(*game.world.spawn<Extended>());
    const Name event("Go");
    for (auto _ : state) benchmark::DoNotOptimize(send_nothing(actor, event));
}
BENCHMARK(EventCallOnly);

void EventToNobody(benchmark::State& state) {
    Game game;
    ComponentManager& manager = game.manager();
    auto other = manager.add_extension_handler(Selector("Plain"), [](Actor&, Name, const EventPayload&) {});
    Actor& actor = *game.world.find(*game.world.spawn<Extended>());
    const Name event("Go");
    for (auto _ : state) benchmark::DoNotOptimize(manager.send_extension_event(actor, event));
}
BENCHMARK(EventToNobody);

void EventToOne(benchmark::State& state) {
    Game game;
    ComponentManager& manager = game.manager();
    int heard = 0;
    auto handler =
        manager.add_extension_handler(Selector("Extended"), [&](Actor&, Name, const EventPayload&) { ++heard; });
    Actor& actor = *game.world.find(*game.world.spawn<Extended>());
    const Name event("Go");
    for (auto _ : state) benchmark::DoNotOptimize(manager.send_extension_event(actor, event));
    benchmark::DoNotOptimize(heard);
}
BENCHMARK(EventToOne);

void SettleAtRest(benchmark::State& state) {
    Game game;
    ComponentManager& manager = game.manager();
    for (int i = 0; i < 1000; ++i) game.world.spawn<Extended>().status().ignore();
    for (auto _ : state) manager.settle_extensions();
}
BENCHMARK(SettleAtRest);

}  // namespace
}  // namespace lyre::framework
