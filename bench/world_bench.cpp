// What actors cost: spawning, ticking, memory, delegates, each beside the plainest code that does the same.
#include <benchmark/benchmark.h>
#include <cstdio>
#include <malloc.h>
#include <memory>
#include <vector>

#include "lyre/world/game_instance.h"

namespace lyre {
namespace {

// 32 bytes of payload in three components.
struct Place : Component {
    float x = 0, y = 0;
    static void describe(TypeBuilder<Place>&) {}
};
struct Speed : Component {
    float x = 0, y = 0, z = 0;
    static void describe(TypeBuilder<Speed>&) {}
};
struct Look : Component {
    std::uint32_t mesh = 0, skin = 0, flags = 0;
    static void describe(TypeBuilder<Look>&) {}
};
struct Thing : Actor {
    static void describe(TypeBuilder<Thing>& t) {
        t.component<Place>("place");
        t.component<Speed>("speed");
        t.component<Look>("look");
    }
};
struct Spinner : Component {
    float angle = 0, speed = 1, sum = 0, spare = 0;
    static void describe(TypeBuilder<Spinner>&) {}
    void tick(float dt) {
        angle += speed * dt;
        sum += angle;
    }
};
struct Top : Actor {
    static void describe(TypeBuilder<Top>& t) { t.component<Spinner>("spinner"); }
};

struct Game {
    Game() {
        const bool known = runtime.types().add<Place>().is_ok() && runtime.types().add<Speed>().is_ok() &&
                           runtime.types().add<Look>().is_ok() && runtime.types().add<Thing>().is_ok() &&
                           runtime.types().add<Spinner>().is_ok() && runtime.types().add<Top>().is_ok();
        LYRE_ASSERT(known, "the benchmark's types are right");
        world.begin_play();
    }
    VirtualClock clock;
    Runtime runtime{clock};
    GameInstance game{runtime};
    World& world = game.open_world({});
};

void fill(Place& place, Speed& speed, Look& look, float i) {
    place.x = i;
    place.y = -i;
    speed.x = speed.y = speed.z = i;
    look.mesh = look.skin = look.flags = 7;
}

// How many live at once: a thousand stay in the processor's cache, a hundred thousand do not.
#define LYRE_BATCHES Arg(1000)->Arg(100'000)

void SpawnAndDestroy(benchmark::State& state) {
    Game game;
    const Type& thing = *game.runtime.types().find<Thing>();
    const auto batch = static_cast<std::size_t>(state.range(0));
    std::vector<ActorId> ids(batch);
    for (auto _ : state) {
        for (std::size_t i = 0; i < batch; ++i) {
            ids[i] = *game.world.spawn(thing, {});
            Component* component = game.world.find(ids[i])->first_component();
            auto* place = static_cast<Place*>(component);
            auto* speed = static_cast<Speed*>(place->next());
            fill(*place, *speed, *static_cast<Look*>(speed->next()), static_cast<float>(i));
        }
        for (ActorId id : ids) game.world.destroy(id);
    }
    state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(SpawnAndDestroy)->LYRE_BATCHES;

// The floor: the same objects' bytes from free lists, the same payload writes, nothing else.
template <class T> class FreeList {
public:
    T* take() {
        if (free_.empty()) {
            blocks_.push_back(std::make_unique<T[]>(1024));
            for (int i = 1023; i >= 0; --i) free_.push_back(&blocks_.back()[i]);
        }
        T* object = free_.back();
        free_.pop_back();
        return new (object) T();
    }
    void give(T* object) { free_.push_back(object); }

private:
    std::vector<std::unique_ptr<T[]>> blocks_;
    std::vector<T*> free_;
};
struct PlainPlace {
    float x = 0, y = 0;
};
struct PlainSpeed {
    float x = 0, y = 0, z = 0;
};
struct PlainLook {
    std::uint32_t mesh = 0, skin = 0, flags = 0;
};
struct PlainThing {
    Transform transform;
    PlainPlace* place = nullptr;
    PlainSpeed* speed = nullptr;
    PlainLook* look = nullptr;
};

void SpawnAndDestroyFloor(benchmark::State& state) {
    FreeList<PlainThing> things;
    FreeList<PlainPlace> places;
    FreeList<PlainSpeed> speeds;
    FreeList<PlainLook> looks;
    const auto batch = static_cast<std::size_t>(state.range(0));
    std::vector<PlainThing*> all(batch);
    for (auto _ : state) {
        for (std::size_t i = 0; i < batch; ++i) {
            PlainThing* thing = all[i] = things.take();
            thing->place = places.take();
            thing->speed = speeds.take();
            thing->look = looks.take();
            const auto f = static_cast<float>(i);
            *thing->place = {f, -f};
            *thing->speed = {f, f, f};
            *thing->look = {7, 7, 7};
            benchmark::DoNotOptimize(thing);
        }
        for (PlainThing* thing : all) {
            looks.give(thing->look);
            speeds.give(thing->speed);
            places.give(thing->place);
            things.give(thing);
        }
    }
    state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(SpawnAndDestroyFloor)->LYRE_BATCHES;

// A million from nothing, with all the memory that takes, and gone again.
constexpr std::size_t kMillion = 1'000'000;

void MillionFromNothing(benchmark::State& state) {
    for (auto _ : state) {
        state.PauseTiming();
        auto game = std::make_unique<Game>();
        const Type& thing = *game->runtime.types().find<Thing>();
        state.ResumeTiming();
        std::vector<ActorId> ids;
        for (std::size_t i = 0; i < kMillion; ++i) {
            ids.push_back(*game->world.spawn(thing, {}));
            auto* place = static_cast<Place*>(game->world.find(ids[i])->first_component());
            auto* speed = static_cast<Speed*>(place->next());
            fill(*place, *speed, *static_cast<Look*>(speed->next()), static_cast<float>(i));
        }
        for (ActorId id : ids) game->world.destroy(id);
        state.PauseTiming();
        game.reset();
        malloc_trim(0);
        state.ResumeTiming();
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kMillion));
}
BENCHMARK(MillionFromNothing)->Unit(benchmark::kMillisecond);

void MillionFromNothingFloor(benchmark::State& state) {
    struct Pools {
        FreeList<PlainThing> things;
        FreeList<PlainPlace> places;
        FreeList<PlainSpeed> speeds;
        FreeList<PlainLook> looks;
    };
    for (auto _ : state) {
        state.PauseTiming();
        auto pools = std::make_unique<Pools>();
        state.ResumeTiming();
        std::vector<PlainThing*> all;
        for (std::size_t i = 0; i < kMillion; ++i) {
            PlainThing* thing = all.emplace_back(pools->things.take());
            const auto f = static_cast<float>(i);
            *(thing->place = pools->places.take()) = {f, -f};
            *(thing->speed = pools->speeds.take()) = {f, f, f};
            *(thing->look = pools->looks.take()) = {7, 7, 7};
        }
        for (PlainThing* thing : all) {
            pools->looks.give(thing->look);
            pools->speeds.give(thing->speed);
            pools->places.give(thing->place);
            pools->things.give(thing);
        }
        state.PauseTiming();
        pools.reset();
        malloc_trim(0);
        state.ResumeTiming();
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kMillion));
}
BENCHMARK(MillionFromNothingFloor)->Unit(benchmark::kMillisecond);

void Tick100k(benchmark::State& state) {
    Game game;
    for (int i = 0; i < 100'000; ++i) benchmark::DoNotOptimize(game.world.spawn<Top>());
    for (auto _ : state) game.world.tick();
    state.SetItemsProcessed(state.iterations() * 100'000);
}
BENCHMARK(Tick100k)->Unit(benchmark::kMicrosecond);

// The same objects in one array, ticked by a plain loop.
void Tick100kFloor(benchmark::State& state) {
    struct Same {
        char head[sizeof(Component)] = {};
        float angle = 0, speed = 1, sum = 0, spare = 0;
    };
    std::vector<Same> all(100'000);
    for (auto _ : state) {
        for (Same& one : all) {
            one.angle += one.speed * (1.0f / 60);
            one.sum += one.angle;
        }
        benchmark::ClobberMemory();
    }
    state.SetItemsProcessed(state.iterations() * 100'000);
}
BENCHMARK(Tick100kFloor)->Unit(benchmark::kMicrosecond);

void TickWithIdleRows(benchmark::State& state) {
    Game game;
    for (int i = 0; i < 1000; ++i) benchmark::DoNotOptimize(game.world.spawn<Top>());
    LevelDef level;
    level.scatters = {{Name("Thing"), state.range(0), {{-1000, -1000, 0}, {1000, 1000, 0}}, 7}};
    LYRE_ASSERT(game.world.levels().add(level).is_ok(), "the level is right");
    for (auto _ : state) game.world.tick();
}
BENCHMARK(TickWithIdleRows)->Arg(1000)->Arg(1'000'000)->Unit(benchmark::kMicrosecond);

// Bytes per actor with three components, by what the allocator gave out and what became resident.
std::size_t resident() {
    std::size_t total = 0, pages = 0;
    if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
        if (std::fscanf(file, "%zu %zu", &total, &pages) != 2) pages = 0;
        std::fclose(file);
    }
    return pages * 4096;
}

void ActorMemory(benchmark::State& state) {
    constexpr int kActors = 1'000'000;
    for (auto _ : state) {
        Game game;
        const Type& thing = *game.runtime.types().find<Thing>();
        malloc_trim(0);
        const std::size_t before = resident();
        for (int i = 0; i < kActors; ++i) benchmark::DoNotOptimize(game.world.spawn(thing, {}));
        state.counters["bytes_per_actor"] = static_cast<double>(resident() - before) / kActors;
    }
}
BENCHMARK(ActorMemory)->Unit(benchmark::kMillisecond)->Iterations(1);

struct Listener {
    virtual ~Listener() = default;
    virtual void heard(int value) = 0;
};
struct Summing : Listener {
    long sum = 0;
    void heard(int value) override { sum += value; }
};

void DelegateToOne(benchmark::State& state) {
    Delegate<int> delegate;
    Summing summing;
    auto connection = delegate.add([&](int value) { summing.sum += value; });
    for (auto _ : state) {
        delegate.broadcast(3);
        benchmark::DoNotOptimize(summing.sum);
    }
}
BENCHMARK(DelegateToOne);

void VirtualCallToOne(benchmark::State& state) {
    auto listener = std::make_unique<Summing>();
    Listener* volatile opaque = listener.get();
    for (auto _ : state) {
        opaque->heard(3);
        benchmark::DoNotOptimize(listener->sum);
    }
}
BENCHMARK(VirtualCallToOne);

void DelegateToNobody(benchmark::State& state) {
    Delegate<int> delegate;
    for (auto _ : state) {
        delegate.broadcast(3);
        benchmark::ClobberMemory();
    }
}
BENCHMARK(DelegateToNobody);

}  // namespace
}  // namespace lyre
