// The sample game as a whole: a frame with many bots, a match in virtual time, the way to the first pawn.
#include <algorithm>
#include <benchmark/benchmark.h>

#include "lyre/core/files_native.h"
#include "lyre/core/thread_pool_native.h"
#include "lyre/core/virtual_executor.h"
#include "lyre/features/module_native.h"
#include "lyre/gameplay/game_state.h"
#include "lyre/gameplay/player_state.h"
#include "lyre/session/standalone.h"

namespace lyre {
namespace {

struct MatchBench {
    explicit MatchBench(const session::StandaloneDef& def) {
        runtime.log().print_to(nullptr);
        project.open(LYRE_GAME_PROJECT).ignore();
        game = std::move(*session::Standalone::open(project, def));
        while (!game->host()->is_experience_loaded()) frame();
    }
    void frame() {
        clock.advance(16'667);
        game->frame();
    }

    VirtualClock clock;
    Runtime runtime{clock};
    RealFiles files;
    VirtualExecutor executor{clock};
    features::NativeModules modules{{LYRE_MODULE_FOLDER}};
    session::Project project{runtime, files, executor, &modules};
    std::unique_ptr<session::Standalone> game;
};

// 64 bots among 100,000 props: a whole frame of the 16.7 ms that there are.
void MatchFrameYard64(benchmark::State& state) {
    MatchBench match({.map = Name("yard"), .experience = "control_points", .bots = 64});
    for (int i = 0; i < 600; ++i) match.frame();
    const RealClock real;
    std::vector<double> ms;
    for (auto _ : state) {
        const std::int64_t begin = real.now_us();
        match.frame();
        ms.push_back(static_cast<double>(real.now_us() - begin) / 1000);
    }
    std::sort(ms.begin(), ms.end());
    state.counters["p50_ms"] = ms[ms.size() / 2];
    state.counters["p99_ms"] = ms[ms.size() * 99 / 100];
    state.counters["worst_ms"] = ms.back();
}
BENCHMARK(MatchFrameYard64)->Unit(benchmark::kMillisecond)->Iterations(3600);

// A minute of a match with 8 bots; `times_real` is how much faster than the clock on the wall it goes.
void MatchMinuteArena8(benchmark::State& state) {
    MatchBench match({.map = Name("arena"), .experience = "control_points", .bots = 8});
    const RealClock real;
    const std::int64_t begin = real.now_us();
    std::int64_t frames = 0;
    for (auto _ : state)
        for (int i = 0; i < 3600; ++i, ++frames) match.frame();
    state.counters["times_real"] =
        static_cast<double>(frames) / 60 / (static_cast<double>(real.now_us() - begin) / 1e6);
}
BENCHMARK(MatchMinuteArena8)->Unit(benchmark::kMillisecond)->Iterations(3);

// From opening the project to the first pawn, with threads and the real clock.
void FirstPawn(benchmark::State& state) {
    for (auto _ : state) {
        RealClock clock;
        Runtime runtime(clock);
        runtime.log().print_to(nullptr);
        RealFiles files;
        ThreadPool pool;
        features::NativeModules modules({LYRE_MODULE_FOLDER});
        session::Project project(runtime, files, pool, &modules);
        project.open(LYRE_GAME_PROJECT).ignore();
        auto game = std::move(*session::Standalone::open(project, {}));
        for (bool is_there = false; !is_there;) {
            game->frame();
            for (const auto* player : game->state()->players()) is_there |= player->pawn() != nullptr;
        }
        state.PauseTiming();
        game->leave();
        while (!game->has_left() || modules.open_count() != 0) game->frame();
        state.ResumeTiming();
    }
}
BENCHMARK(FirstPawn)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(20);

}  // namespace
}  // namespace lyre
