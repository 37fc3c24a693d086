// Loading as a game does it, beside bare threads that read and decode the same files and do nothing else.
//
// 20,000 small TOML files and 50 files of 4 MB are written once into a temporary folder, so the cache is warm.
// Counters: max_pump_us is the longest pump() of a load with a budget of 2,000 us, p99_pump_us the one that 1 of 100
// exceeds.
#include <algorithm>
#include <atomic>
#include <benchmark/benchmark.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <thread>
#include <unistd.h>

#include "lyre/assets/assets.h"
#include "lyre/assets/folder_source.h"
#include "lyre/core/files_native.h"
#include "lyre/core/thread_pool_native.h"
#include "lyre/world/level_def.h"
#include "lyre/world/runtime.h"

namespace lyre {
namespace {

constexpr int kSmall = 20'000, kLarge = 50;
constexpr std::size_t kLargeBytes = 4 << 20;
constexpr int kThreads = 2;

struct Blob {
    std::uint64_t sum = 0;
};

Result<assets::Loaded<Blob>> load_blob(const Bytes& bytes, const assets::LoadedFile&) {
    auto blob = std::make_shared<Blob>();
    for (std::size_t i = 0; i + 8 <= bytes.size(); i += 64) blob->sum += static_cast<unsigned char>(bytes.data()[i]);
    return assets::Loaded<Blob>{std::move(blob), sizeof(Blob)};
}

// The files, as long as the process lives.
class Tree {
public:
    Tree() : folder_(std::filesystem::temp_directory_path() / fmt::format("lyre_bench_{}", getpid())) {
        for (int n = 0; n < kSmall; ++n) {
            const auto sub = folder_ / "small" / fmt::format("{}", n % 100);
            if (n < 100) std::filesystem::create_directories(sub);
            std::ofstream file(sub / fmt::format("m{}.map.toml", n));
            file << "bounds = { min = [-10.0, -10.0], max = [10.0, 10.0] }\n";
            for (int p = 0; p <= n % 8; ++p)
                file << fmt::format("[[point]]\nname = \"p{}\"\nat = [{}.5, {}.25]\nyaw = 90.0\n", p, n % 100, p);
        }
        std::filesystem::create_directories(folder_ / "large");
        const std::string block(kLargeBytes, 'x');
        for (int n = 0; n < kLarge; ++n) std::ofstream(folder_ / "large" / fmt::format("b{}.blob", n)) << block;
    }
    ~Tree() { std::filesystem::remove_all(folder_); }
    std::string folder(const char* part) const { return (folder_ / part).string(); }

private:
    std::filesystem::path folder_;
};
const Tree& tree() {
    static const Tree tree;
    return tree;
}

struct Loader {
    explicit Loader(const char* part)
        : assets({runtime.types(), runtime.tags(), runtime.log(), runtime.clock(), files, pool}) {
        assets.types().add<LevelDef>("map").ignore();
        assets.types().add_loader<Blob>("blob", load_blob).ignore();
        assets.registry().add_folder(tree().folder(part), Name("bench")).status().ignore();
    }
    Runtime runtime;
    RealFiles files;
    ThreadPool pool{kThreads};
    assets::Assets assets;
};

void bare_threads(benchmark::State& state, const char* part) {
    Loader loader(part);
    const assets::FolderSource source(loader.files, tree().folder(part), Name("bench"));
    const auto schema = loader.assets.types().schema();
    std::vector<assets::AssetEntry> entries;
    for (const auto& id : loader.assets.registry().all()) entries.push_back(loader.assets.registry().find(id)->entry);
    for (auto _ : state) {
        std::vector<assets::DecodedAsset> decoded(entries.size());
        std::atomic<std::size_t> next{0};
        std::vector<std::thread> threads;
        for (int t = 0; t < kThreads; ++t)
            threads.emplace_back([&] {
                for (std::size_t i; (i = next.fetch_add(1)) < entries.size();)
                    decoded[i] = source.decode(entries[i], *schema);
            });
        for (std::thread& thread : threads) thread.join();
        benchmark::DoNotOptimize(decoded.data());
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(entries.size()));
}

void load(benchmark::State& state, const char* part) {
    Loader loader(part);
    const auto ids = loader.assets.registry().all();
    std::vector<std::int64_t> pumps;
    for (auto _ : state) {
        assets::LoadHandle handle = loader.assets.load_assets(ids);
        while (!handle.is_over()) {
            const std::int64_t before = loader.runtime.clock().now_us();
            loader.assets.pump();
            pumps.push_back(loader.runtime.clock().now_us() - before);
            if (!handle.is_over()) loader.pool.wait_for_progress(1000);
        }
        if (!handle.is_complete()) state.SkipWithError(handle.status().text().c_str());
        state.PauseTiming();
        handle.reset();
        while (loader.assets.memory().assets != 0) loader.assets.pump();
        state.ResumeTiming();
    }
    std::sort(pumps.begin(), pumps.end());
    state.counters["max_pump_us"] = static_cast<double>(pumps.back());
    state.counters["p99_pump_us"] = static_cast<double>(pumps[pumps.size() * 99 / 100]);
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(ids.size()));
}

BENCHMARK_CAPTURE(bare_threads, small_20000, "small")->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(load, small_20000, "small")->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(bare_threads, large_200mb, "large")->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(load, large_200mb, "large")->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace lyre
