// What placed actors cost: bytes per row and building time at ten million rows, searching against asking every row,
// and moving living actors in their grid.
#include <benchmark/benchmark.h>
#include <cstdio>
#include <cstdlib>
#include <malloc.h>
#include <new>
#include <random>
#include <unistd.h>
#include <utility>
#include <vector>

#include "lyre/world/actor_grid.h"
#include "lyre/world/rows.h"

namespace {

std::size_t allocated_bytes = 0;
std::size_t peak_bytes = 0;

void* counted(std::size_t size) {
    void* memory = std::malloc(size);
    if (memory == nullptr) throw std::bad_alloc();
    allocated_bytes += malloc_usable_size(memory);
    if (allocated_bytes > peak_bytes) peak_bytes = allocated_bytes;
    return memory;
}

void uncounted(void* memory) {
    if (memory != nullptr) allocated_bytes -= malloc_usable_size(memory);
    std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) {
    return counted(size);
}
void operator delete(void* memory) noexcept {
    uncounted(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    uncounted(memory);
}

namespace lyre {
namespace {

constexpr std::uint32_t kRows = 10'000'000;
constexpr float kHalf = 4000;  // m: 6.4 m² a row, a dense forest
constexpr std::uint32_t kActors = 10'000;

double resident_megabytes() {
    long total = 0, resident = 0;
    if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
        if (std::fscanf(file, "%ld %ld", &total, &resident) != 2) resident = 0;
        std::fclose(file);
    }
    return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

float between(std::mt19937& random, float low, float high) {
    return low + (high - low) * (static_cast<float>(random() >> 8) / 16777216.0f);
}

Vec3 random_place(std::mt19937& random, float half = kHalf) {
    return {between(random, -half, half), between(random, -half, half), between(random, 0, 20)};
}

Rows make_rows(std::uint32_t count) {
    std::mt19937 random(1);
    RowBuilder builder;
    builder.reserve(count).ignore();
    for (std::uint32_t row = 0; row < count; ++row) {
        if (row % 10'000 == 0) {
            const std::uint32_t kind = row / 10'000 % 40;
            builder.begin_block({.index = kind, .stable = kind, .radius = 0.05f * static_cast<float>(kind)}).ignore();
        }
        builder.add(random_place(random), between(random, 0, 360), 0.5f + 0.01f * static_cast<float>(random() % 100))
            .ignore();
    }
    return builder.finish();
}

const Rows& ten_million() {
    static const Rows rows = make_rows(kRows);
    return rows;
}

void build_ten_million_rows(benchmark::State& state) {
    for (auto _ : state) {
        const std::size_t before = peak_bytes = allocated_bytes;
        const double resident_before = resident_megabytes();
        const Rows rows = make_rows(kRows);
        state.counters["bytes_per_row"] = static_cast<double>(allocated_bytes - before) / kRows;
        state.counters["peak_bytes_per_row"] = static_cast<double>(peak_bytes - before) / kRows;
        state.counters["resident_MB"] = resident_megabytes() - resident_before;
        state.counters["says_bytes_per_row"] = static_cast<double>(rows.bytes()) / kRows;
    }
}
// Once, and first: a second build would reuse memory the allocator kept, and seem to need less.
BENCHMARK(build_ten_million_rows)->Unit(benchmark::kMillisecond)->Iterations(1);

// Shapes about random places; `size` in metres.
Box shape_of(std::in_place_type_t<Box>, Vec3 at, float size) {
    return {at, at + Vec3{size, size, 30}};
}
Circle shape_of(std::in_place_type_t<Circle>, Vec3 at, float size) {
    return {at, size / 2};
}
Ray shape_of(std::in_place_type_t<Ray>, Vec3 at, float size) {
    return {at, {at.y, -at.x, 0.1f}, size};
}

template <class Shape> void find_rows(benchmark::State& state) {
    const Rows& rows = ten_million();
    std::mt19937 random(2);
    std::size_t found = 0;
    for (auto _ : state)
        rows.find(shape_of(std::in_place_type<Shape>, random_place(random), static_cast<float>(state.range(0))),
                  [&](std::uint32_t, float) { ++found; });
    const double queries = static_cast<double>(state.iterations());
    state.counters["found"] = static_cast<double>(found) / queries;
}
BENCHMARK(find_rows<Box>)->Arg(10)->Arg(100)->Arg(1000);
BENCHMARK(find_rows<Circle>)->Arg(10)->Arg(100)->Arg(1000);
BENCHMARK(find_rows<Ray>)->Arg(10)->Arg(100)->Arg(1000);

// The floor a search must beat: a plain list of places in order, without radii or states.
void ask_every_place(benchmark::State& state) {
    std::mt19937 random(1);
    std::vector<Vec3> places(kRows);
    for (Vec3& place : places) place = random_place(random);
    for (auto _ : state) {
        const Vec3 at = random_place(random);
        const Box box{at, at + Vec3{10, 10, 30}};
        std::size_t found = 0;
        for (const Vec3& place : places) found += box.contains(place);
        benchmark::DoNotOptimize(found);
    }
}
BENCHMARK(ask_every_place)->Unit(benchmark::kMillisecond);

void list_destroyed(benchmark::State& state) {
    Rows rows = make_rows(kRows);
    for (std::uint32_t row = 0; row < kRows; row += 10'007) rows.set_state(row, RowState::Destroyed);
    for (auto _ : state) {
        std::uint64_t sum = 0;
        rows.each_destroyed([&](std::uint32_t row) { sum += row; });
        benchmark::DoNotOptimize(sum);
    }
}
BENCHMARK(list_destroyed);

struct Crowd {
    ActorGrid grid;
    std::vector<Vec3> places;

    explicit Crowd(float half) {
        std::mt19937 random(3);
        for (std::uint32_t key = 0; key < kActors; ++key) {
            places.push_back(random_place(random, half));
            grid.add(key, places.back(), 0.4f);
        }
    }
};

// Steps of the given length in millimetres, so many that every actor takes its turn.
void move_actor(benchmark::State& state) {
    Crowd crowd(500);
    const float step = static_cast<float>(state.range(0)) / 1000;
    std::uint32_t key = 0;
    for (auto _ : state) {
        crowd.places[key].x += crowd.places[key].x > 500 ? -1000 : step;
        crowd.grid.move(key, crowd.places[key]);
        key = key + 1 == kActors ? 0 : key + 1;
    }
    state.counters["bytes_per_actor"] = static_cast<double>(crowd.grid.bytes()) / kActors;
}
BENCHMARK(move_actor)->Arg(100)->Arg(9000);

void add_and_remove_actor(benchmark::State& state) {
    Crowd crowd(500);
    std::uint32_t key = 0;
    for (auto _ : state) {
        crowd.grid.remove(key);
        crowd.grid.add(key, crowd.places[key], 0.4f);
        key = key + 1 == kActors ? 0 : key + 1;
    }
}
BENCHMARK(add_and_remove_actor);

template <class Shape> void find_actors(benchmark::State& state) {
    const Crowd crowd(500);
    std::mt19937 random(4);
    std::size_t found = 0;
    for (auto _ : state)
        crowd.grid.find(
            shape_of(std::in_place_type<Shape>, random_place(random, 500), static_cast<float>(state.range(0))),
            [&](std::uint32_t, float) { ++found; });
    state.counters["found"] = static_cast<double>(found) / static_cast<double>(state.iterations());
}
BENCHMARK(find_actors<Box>)->Arg(10)->Arg(100);
BENCHMARK(find_actors<Circle>)->Arg(10)->Arg(100);
BENCHMARK(find_actors<Ray>)->Arg(10)->Arg(100);

}  // namespace
}  // namespace lyre

BENCHMARK_MAIN();
