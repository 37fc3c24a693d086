// What init states cost: a climb per actor, a change that nobody hears, and a frame in which nothing waits.
#include <benchmark/benchmark.h>

#include "lyre/framework/component_manager.h"
#include "lyre/world/game_instance.h"

namespace lyre::framework {
namespace {

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
    }
};
// The same actor with hooks of its own but without init states.
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
    }
};

struct InitBench {
    InitBench() {
        const Status known = runtime.types().add_all<Leg, Hand, Walker, IdleLeg, IdleHand, Stander, ComponentManager>();
        LYRE_ASSERT(known.is_ok(), "the benchmark's types are right");
        for (Name state : kStates) manager().register_init_state(state);
        world.begin_play();
    }
    ComponentManager& manager() { return *ComponentManager::of(world); }
    VirtualClock clock;
    Runtime runtime{clock};
    GameInstance game{runtime};
    World& world = game.open_world({});
};

constexpr std::size_t kBatch = 1000;

template <class T> void spawn_and_destroy(benchmark::State& state, InitBench& bench) {
    const Type& type = *bench.runtime.types().find<T>();
    std::vector<ActorId> ids(kBatch);
    for (auto _ : state) {
        for (ActorId& id : ids) id = *bench.world.spawn(type, {});
        for (ActorId id : ids) bench.world.destroy(id);
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kBatch));
}

void SpawnAndClimb(benchmark::State& state) {
    InitBench bench;
    std::size_t heard = 0;
    auto listener = bench.manager().register_and_call_for_class_init_state(Name("Walker"), kHand, kStates[3],
                                                                           [&](const InitStateChange&) { ++heard; });
    spawn_and_destroy<Walker>(state, bench);
    LYRE_ASSERT(heard >= kBatch, "everybody gets there");
}
BENCHMARK(SpawnAndClimb);

void SpawnWithoutClimb(benchmark::State& state) {
    InitBench bench;
    spawn_and_destroy<Stander>(state, bench);
}
BENCHMARK(SpawnWithoutClimb);

void ChangeThatNobodyHears(benchmark::State& state) {
    InitBench bench;
    Actor& actor = *bench.world.find(*bench.world.spawn<Stander>());
    for (auto _ : state)
        for (Name to : {kStates[0], kStates[3]})
            benchmark::DoNotOptimize(bench.manager().change_feature_init_state(actor, kLeg, nullptr, to));
    state.SetItemsProcessed(state.iterations() * 2);
}
BENCHMARK(ChangeThatNobodyHears);

// As many actors as the argument says, all ready.
void SettleAtRest(benchmark::State& state) {
    InitBench bench;
    for (std::int64_t i = 0; i < state.range(0); ++i) benchmark::DoNotOptimize(bench.world.spawn<Walker>());
    for (auto _ : state) bench.manager().settle();
}
BENCHMARK(SettleAtRest)->Arg(0)->Arg(100'000);

}  // namespace
}  // namespace lyre::framework
