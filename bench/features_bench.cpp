// Features: what bringing them up and down costs beside doing by hand what their actions do.
#include <benchmark/benchmark.h>

#include "lyre/core/virtual_executor.h"
#include "lyre/core/virtual_files.h"
#include "lyre/features/builtin_actions.h"
#include "lyre/features/features.h"
#include "lyre/framework/component_manager.h"
#include "lyre/world/game_instance.h"

namespace lyre::features {
namespace {

constexpr int kFeatures = 32;

struct Body : Actor {
    static void describe(TypeBuilder<Body>&) {}
    void pre_initialize() { framework::add_receiver(*this).ignore(); }
    void end_play(EndReason) { framework::remove_receiver(*this).ignore(); }
};
// A class per feature, as features have: Mark0, Mark1, ...
template <int N> struct MarkOf : Component { float value = 0; };
#define LYRE_MARK(n)                                   \
    struct Mark##n : MarkOf<n> {                       \
        static void describe(TypeBuilder<Mark##n>&) {} \
    };
#define LYRE_MARKS(of)                                                                                           \
    of(0) of(1) of(2) of(3) of(4) of(5) of(6) of(7) of(8) of(9) of(10) of(11) of(12) of(13) of(14) of(15) of(16) \
        of(17) of(18) of(19) of(20) of(21) of(22) of(23) of(24) of(25) of(26) of(27) of(28) of(29) of(30) of(31)
LYRE_MARKS(LYRE_MARK)

// 32 features, a chain of eight dependencies in each of four columns, each with a component request and tags.
struct Place {
    Place() {
        framework::add_framework(runtime).ignore();
        add_builtin_actions(runtime).ignore();
        runtime.types().add<Body>().value();
#define LYRE_ADD(n) runtime.types().add<Mark##n>().value();
        LYRE_MARKS(LYRE_ADD)
        for (int i = 0; i < kFeatures; ++i) {
            const std::string needs = i % 8 == 0 ? "" : fmt::format("[[dependency]]\nid = \"f{:02}\"\n", i - 1);
            files.write(fmt::format("game/f{:02}/feature.toml", i),
                        fmt::format("id = \"f{:02}\"\nversion = \"1.0.0\"\ntags = [\"F{}.On\"]\n{}"
                                    "[[action]]\nkind = \"add_components\"\nto = \"Body\"\ncomponent = \"Mark{}\"\n",
                                    i, i, needs, i));
            ids.emplace_back(fmt::format("f{:02}", i));
        }
        features.discover("game");
        game.open_world({}).begin_play();
    }
    void spawn(std::int64_t receivers) {
        for (std::int64_t i = 0; i < receivers; ++i) game.world()->spawn<Body>().value();
    }
    VirtualClock clock;
    Runtime runtime{clock};
    VirtualFiles files;
    VirtualExecutor executor{clock};
    assets::Assets assets{{runtime.types(), runtime.tags(), runtime.log(), clock, files, executor}};
    LinkedModules modules;
    GameInstance game{runtime};
    Features features{{runtime, assets, files, modules, nullptr, {}}};
    std::vector<Name> ids;
};

// From Installed to Active in one world with so many receivers; the way down is not timed.
void ActivateFeatures(benchmark::State& state) {
    Place place;
    place.spawn(state.range(0));
    for (auto _ : state) {
        std::vector<FeatureHold> holds;
        for (Name id : place.ids)
            holds.push_back(place.features.acquire(id, place.game.world()->owner(), Destination::Active));
        place.features.update();
        state.PauseTiming();
        for (Name id : place.ids)
            if (place.features.state(id) != FeatureState::Active) state.SkipWithError("not active");
        holds.clear();
        for (int i = 0; i < 12; ++i) place.features.update();
        state.ResumeTiming();
    }
    state.counters["features"] = kFeatures;
}
BENCHMARK(ActivateFeatures)->Arg(0)->Arg(1000)->Unit(benchmark::kMillisecond);

// The same on the way down, from the last release to the update in which all are Installed.
void DeactivateFeatures(benchmark::State& state) {
    Place place;
    place.spawn(state.range(0));
    for (auto _ : state) {
        state.PauseTiming();
        std::vector<FeatureHold> holds;
        for (Name id : place.ids)
            holds.push_back(place.features.acquire(id, place.game.world()->owner(), Destination::Active));
        place.features.update();
        state.ResumeTiming();
        holds.clear();
        for (int i = 0; i < 12; ++i) place.features.update();
    }
    for (Name id : place.ids)
        if (place.features.state(id) != FeatureState::Installed) state.SkipWithError("not down");
}
BENCHMARK(DeactivateFeatures)->Arg(0)->Arg(1000)->Unit(benchmark::kMillisecond);

// The last of a chain, each of which depends on the one before it.
void ActivateChain(benchmark::State& state) {
    Place place;
    for (int i = 0; i < state.range(0); ++i)
        place.files.write(fmt::format("chain/c{:04}/feature.toml", i),
                          fmt::format("id = \"c{:04}\"\nversion = \"1.0.0\"\n{}", i,
                                      i == 0 ? "" : fmt::format("[[dependency]]\nid = \"c{:04}\"\n", i - 1)));
    place.features.discover("chain");
    const Name last(fmt::format("c{:04}", state.range(0) - 1));
    for (auto _ : state) {
        FeatureHold hold = place.features.acquire(last, place.game.world()->owner(), Destination::Active);
        place.features.update();
        state.PauseTiming();
        if (place.features.state(last) != FeatureState::Active) state.SkipWithError("not active");
        hold.release();
        for (std::int64_t i = 0; i < 2 * state.range(0); ++i) place.features.update();
        state.ResumeTiming();
    }
}
BENCHMARK(ActivateChain)->Arg(10)->Arg(100)->Arg(1000)->Unit(benchmark::kMillisecond);

// The floor: the same component requests without features.
void RequestsByHand(benchmark::State& state) {
    Place place;
    place.spawn(state.range(0));
    auto* manager = framework::ComponentManager::of(*place.game.world());
    for (auto _ : state) {
        std::vector<framework::ComponentRequestHandle> requests;
        for (int i = 0; i < kFeatures; ++i)
            requests.push_back(
                manager->add_component_request(framework::Selector("Body"), Name(fmt::format("Mark{}", i))));
        state.PauseTiming();
        requests.clear();
        state.ResumeTiming();
    }
}
BENCHMARK(RequestsByHand)->Arg(1000)->Unit(benchmark::kMillisecond);

// One feature up and down again, without a library of its own.
void FeatureCycle(benchmark::State& state) {
    Place place;
    place.spawn(20);
    for (auto _ : state) {
        FeatureHold hold = place.features.acquire(Name("f00"), place.game.world()->owner(), Destination::Active);
        hold.release();
        for (int i = 0; i < 4 && place.features.state(Name("f00")) != FeatureState::Installed; ++i)
            place.features.update();
    }
}
BENCHMARK(FeatureCycle);

// A frame in which nothing happens to 1,000 features.
void UpdateAtRest(benchmark::State& state) {
    Place place;
    for (int i = 0; i < 1000; ++i)
        place.files.write(fmt::format("more/m{:03}/feature.toml", i),
                          fmt::format("id = \"m{:03}\"\nversion = \"1.0.0\"\n", i));
    place.features.discover("more");
    place.features.update();
    for (auto _ : state) place.features.update();
}
BENCHMARK(UpdateAtRest);

}  // namespace
}  // namespace lyre::features
