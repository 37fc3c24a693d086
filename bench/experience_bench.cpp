// Experiences: what loading and switching cost beside the features themselves.
#include <benchmark/benchmark.h>

#include "lyre/core/virtual_executor.h"
#include "lyre/core/virtual_files.h"
#include "lyre/experience/experiences.h"
#include "lyre/features/builtin_actions.h"
#include "lyre/framework/component_manager.h"
#include "lyre/world/game_instance.h"

namespace lyre::experience {
namespace {

constexpr int kFeatures = 32, kActions = 200;

struct Quiet : features::GameFeatureAction {
    int number = 0;
    static void describe(TypeBuilder<Quiet>& t) { t.property("number", &Quiet::number); }
};
struct BenchState : Actor {
    static void describe(TypeBuilder<BenchState>& t) { t.component<Host>("experience"); }
};

// Experiences `one` and `two` have 32 features each, 30 of them in common, and 200 actions each, of which 190 are. What
// they are made of stays in memory, so that no file is read.
struct Place {
    Place() {
        framework::add_framework(runtime).ignore();
        features::add_builtin_actions(runtime).ignore();
        runtime.types().add<Quiet>().value();
        add_experience(runtime, assets.types()).ignore();
        runtime.types().add<BenchState>().value();
        for (int i = 0; i < kFeatures + 2; ++i) {
            files.write(fmt::format("game/f{:02}/feature.toml", i),
                        fmt::format("id = \"f{:02}\"\nversion = \"1.0.0\"\n[[action]]\nkind = \"quiet\"\n", i));
            ids.emplace_back(fmt::format("f{:02}", i));
        }
        write("one", 0);
        write("two", 2);
        features.discover("game");
        assets.registry().add_folder("content", Name("project")).value();
        const assets::PrimaryAssetId both[] = {{Name("experience"), Name("one")}, {Name("experience"), Name("two")}};
        resident = assets.load_assets(both);
        assets.finish(resident);
        experiences.add_game(game);
        World& world = game.open_world({});
        host = world.find(*world.spawn<BenchState>())->find<Host>();
        world.begin_play();
    }
    void write(const std::string& name, int shift) {
        std::string text = "features = [";
        for (int i = 0; i < kFeatures; ++i) text += fmt::format("\"f{:02}\", ", i + shift);
        text += "]\n";
        for (int i = 0; i < kActions; ++i)
            text += fmt::format("[[action]]\nkind = \"quiet\"\nnumber = {}\n", i + shift * 5);
        files.write(fmt::format("content/{}.experience.toml", name), text);
    }
    // One that no experience wants; what is planned with the features before is not planned with these.
    void change_a_feature() {
        files.write("game/other/feature.toml", fmt::format("id = \"other\"\nversion = \"1.0.{}\"\n", ++changes));
        features.discover("game");
    }
    void frame() {
        executor.poll();
        assets.pump();
        features.update();
        experiences.update();
    }
    // What is timed: a function of its own, so that callgrind can count what is inside of it.
    [[gnu::noinline]] bool load(std::string_view id) { return bring(id); }
    bool bring(std::string_view id) {
        host->set_experience(id).value();
        for (int i = 0; i < 8 && !host->is_experience_loaded(); ++i) frame();
        return host->is_experience_loaded();
    }
    void leave() {
        host->clear_experience("").ignore();
        for (int i = 0; i < 8; ++i) frame();
    }
    VirtualClock clock;
    Runtime runtime{clock};
    VirtualFiles files;
    VirtualExecutor executor{clock};
    assets::Assets assets{{runtime.types(), runtime.tags(), runtime.log(), clock, files, executor}};
    features::LinkedModules modules;
    features::Features features{{runtime, assets, files, modules, nullptr, {}}};
    Experiences experiences{{features, assets}};
    GameInstance game{runtime};
    Host* host = nullptr;
    std::vector<Name> ids;
    assets::LoadHandle resident;
    int changes = 0;
};

// From Unloaded to Loaded; leaving is not timed.
void LoadExperience(benchmark::State& state) {
    Place place;
    place.bring("one");  // its plan is known from now on
    place.leave();
    for (auto _ : state) {
        if (!place.load("one")) state.SkipWithError("not loaded");
        state.PauseTiming();
        place.leave();
        state.ResumeTiming();
    }
    state.counters["features"] = kFeatures;
    state.counters["actions"] = kActions;
}
BENCHMARK(LoadExperience)->Unit(benchmark::kMillisecond);

// The same, with a plan that was not made before.
void LoadExperienceAnew(benchmark::State& state) {
    Place place;
    for (auto _ : state) {
        state.PauseTiming();
        place.leave();
        place.change_a_feature();
        state.ResumeTiming();
        if (!place.load("one")) state.SkipWithError("not loaded");
    }
}
BENCHMARK(LoadExperienceAnew)->Unit(benchmark::kMillisecond);

// The floor: the same features by hand, first loaded, then active, one after the other.
void FeaturesOfExperienceByHand(benchmark::State& state) {
    Place place;
    const Owner owner = place.game.world()->owner();
    for (auto _ : state) {
        std::vector<features::FeatureHold> holds;
        for (int i = 0; i < kFeatures; ++i)
            holds.push_back(
                place.features.acquire(place.ids[static_cast<std::size_t>(i)], owner, features::Destination::Loaded));
        for (int i = 0; i < kFeatures; ++i)
            holds.push_back(
                place.features.acquire(place.ids[static_cast<std::size_t>(i)], owner, features::Destination::Active));
        place.frame();
        state.PauseTiming();
        if (place.features.state(place.ids[kFeatures - 1]) != features::FeatureState::Active)
            state.SkipWithError("not active");
        holds.clear();
        for (int i = 0; i < 8; ++i) place.frame();
        state.ResumeTiming();
    }
}
BENCHMARK(FeaturesOfExperienceByHand)->Unit(benchmark::kMillisecond);

// Between two experiences that share 30 of 32 features and 190 of 200 actions.
void SwitchExperience(benchmark::State& state) {
    Place place;
    for (const char* id : {"two", "one", "two"}) place.bring(id);  // their plans are known from now on
    for (auto _ : state) {
        if (!place.load("one")) state.SkipWithError("not loaded");
        state.PauseTiming();
        place.bring("two");
        for (int i = 0; i < 4; ++i) place.frame();
        state.ResumeTiming();
    }
}
BENCHMARK(SwitchExperience)->Unit(benchmark::kMillisecond);

// The same, with a plan that was not made before.
void SwitchExperienceAnew(benchmark::State& state) {
    Place place;
    for (auto _ : state) {
        state.PauseTiming();
        place.bring("two");
        for (int i = 0; i < 4; ++i) place.frame();
        place.change_a_feature();
        state.ResumeTiming();
        if (!place.load("one")) state.SkipWithError("not loaded");
    }
}
BENCHMARK(SwitchExperienceAnew)->Unit(benchmark::kMillisecond);

// A frame in which nothing happens, with so many worlds that have an experience.
void UpdateLoadedHosts(benchmark::State& state) {
    Place place;
    place.bring("one");
    std::vector<std::unique_ptr<GameInstance>> games;
    for (std::int64_t i = 1; i < state.range(0); ++i) {
        games.push_back(std::make_unique<GameInstance>(place.runtime));
        place.experiences.add_game(*games.back());
        World& world = games.back()->open_world({});
        Host* host = world.find(*world.spawn<BenchState>())->find<Host>();
        world.begin_play();
        host->set_experience("one").value();
    }
    for (int i = 0; i < 8; ++i) place.frame();
    for (auto _ : state) place.experiences.update();
}
BENCHMARK(UpdateLoadedHosts)->Arg(1)->Arg(100);

}  // namespace
}  // namespace lyre::experience
