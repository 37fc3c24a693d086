// What it costs to be put together: spawning receivers that climb the init states, events and changes nobody hears, a
// request that comes late, a frame in which nothing happens; where it tells something, beside the same without it.
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

const Name kStates[] = {Name("Spawned"), Name("DataAvailable"), Name("DataInitialized"), Name("GameplayReady")};
const Name kLeg("Leg"), kHand("Hand");

template <class Self> struct Climber : Component, InitStateFeature<Self> {
    void registered() { this->register_init_state_feature().ignore(); }
    void begin_play() {
        this->try_to_change_init_state(kStates[0]);
        this->continue_init_state_chain();
    }
};
struct Leg : Climber<Leg> {
    static void describe(TypeBuilder<Leg>&) {}
    Name feature_name() const override { return kLeg; }
};
struct Hand : Climber<Hand> {
    static void describe(TypeBuilder<Hand>&) {}
    Name feature_name() const override { return kHand; }
};
struct Walker : Actor {
    static void describe(TypeBuilder<Walker>& t) {
        t.component<Leg>("leg");
        t.component<Hand>("hand");
        t.component<PartA>("a");
    }
    void pre_initialize() { add_receiver(*this).ignore(); }
    void end_play(EndReason) { remove_receiver(*this).ignore(); }
};
// The same actor with the same hooks, which do nothing.
template <class Self> struct Idler : Component {
    void registered() { ++calls; }
    void begin_play() { ++calls; }
    int calls = 0;
};
struct IdleLeg : Idler<IdleLeg> {
    static void describe(TypeBuilder<IdleLeg>&) {}
};
struct IdleHand : Idler<IdleHand> {
    static void describe(TypeBuilder<IdleHand>&) {}
};
struct Stander : Actor {
    static void describe(TypeBuilder<Stander>& t) {
        t.component<IdleLeg>("leg");
        t.component<IdleHand>("hand");
        t.component<PartA>("a");
    }
    void pre_initialize() {}
    void end_play(EndReason) {}
};

struct Game {
    Game() {
        const bool known =
            add_framework(runtime).is_ok() &&
            runtime.types()
                .add_all<PartA, PartB, PartC, Added, Plain, Extended, Leg, Hand, Walker, IdleLeg, IdleHand, Stander>()
                .is_ok();
        LYRE_ASSERT(known, "the benchmark's types are right");
        for (Name state : kStates) manager().register_init_state(state);
        world.begin_play();
    }
    ComponentManager& manager() { return *ComponentManager::of(world); }
    VirtualClock clock;
    Runtime runtime{clock};
    GameInstance game{runtime};
    World& world = game.open_world({});
};

constexpr int kActors = 100'000;

// Spawning alone; as many at a time as fit in a cache, or not.
template <class T> void spawn_batches(benchmark::State& state, Game& game, std::int64_t batch) {
    const Type& type = *game.runtime.types().find<T>();
    std::vector<ActorId> ids(static_cast<std::size_t>(batch));
    for (auto _ : state) {
        for (ActorId& id : ids) id = *game.world.spawn(type, {});
        state.PauseTiming();
        for (ActorId id : ids) game.world.destroy(id);
        state.ResumeTiming();
    }
    state.SetItemsProcessed(state.iterations() * batch);
}

template <class T> void spawn_all(benchmark::State& state, int others) {
    int heard = 0;
    Game game;
    std::vector<ComponentRequestHandle> requests;
    for (int i = 0; i < others; ++i)
        requests.push_back(game.manager().add_component_request(Selector(fmt::format("Other{}", i)), Name("Added")));
    auto handler =
        game.manager().add_extension_handler(Selector("Extended"), [&](Actor&, Name, const EventPayload&) { ++heard; });
    spawn_batches<T>(state, game, kActors);
    benchmark::DoNotOptimize(heard);
}

void SpawnPlain(benchmark::State& state) {
    spawn_all<Plain>(state, 0);
}
BENCHMARK(SpawnPlain)->Unit(benchmark::kMillisecond);

void SpawnReceiver(benchmark::State& state) {
    spawn_all<Extended>(state, static_cast<int>(state.range(0)));
}
BENCHMARK(SpawnReceiver)->Arg(10)->Arg(10'000)->Unit(benchmark::kMillisecond);

// All of it: a receiver with three components, two of them features that climb four states, and a handler.
void SpawnToGameplayReady(benchmark::State& state) {
    Game game;
    std::int64_t heard = 0;
    auto handler =
        game.manager().add_extension_handler(Selector("Walker"), [&](Actor&, Name, const EventPayload&) { ++heard; });
    Actor& first = *game.world.find(*game.world.spawn<Walker>());
    LYRE_ASSERT(game.manager().is_actor_ready(first, kStates[3]), "a walker gets there at its spawn");
    spawn_batches<Walker>(state, game, state.range(0));
    LYRE_ASSERT(heard >= state.iterations() * state.range(0), "the handler hears of everybody");
}
BENCHMARK(SpawnToGameplayReady)->Arg(1000)->Arg(kActors);

void SpawnWithoutFramework(benchmark::State& state) {
    Game game;
    spawn_batches<Stander>(state, game, state.range(0));
}
BENCHMARK(SpawnWithoutFramework)->Arg(1000)->Arg(kActors);

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

void ChangeThatNobodyHears(benchmark::State& state) {
    Game game;
    Actor& actor = *game.world.find(*game.world.spawn<Stander>());
    for (auto _ : state)
        for (Name to : {kStates[0], kStates[3]})
            benchmark::DoNotOptimize(game.manager().change_feature_init_state(actor, kLeg, nullptr, to));
    state.SetItemsProcessed(state.iterations() * 2);
}
BENCHMARK(ChangeThatNobodyHears);

// As many actors as the argument says, all receivers and all ready.
void SettleAtRest(benchmark::State& state) {
    Game game;
    for (std::int64_t i = 0; i < state.range(0); ++i) benchmark::DoNotOptimize(game.world.spawn<Walker>());
    for (auto _ : state) game.manager().settle();
}
BENCHMARK(SettleAtRest)->Arg(0)->Arg(kActors);

}  // namespace
}  // namespace lyre::framework
