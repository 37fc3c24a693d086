// world/runtime.h: what one program (or one simulation) shares among its games: types, tags, settings, log, clock.
//
//     Runtime runtime;                          // real time; warnings and errors go to stderr
//     Status status = runtime.types().add_all<Health, Crate>();
//     GameInstance game(runtime);
//
// It takes the place of globals: whoever needs one of these is handed the runtime, and two runtimes in one process do
// not see each other. The library's own types are registered from the start.
#pragma once

#include <memory>
#include <vector>

#include "lyre/core/clock.h"
#include "lyre/core/console.h"
#include "lyre/core/log.h"
#include "lyre/core/metrics.h"
#include "lyre/core/tags.h"
#include "lyre/core/trace.h"
#include "lyre/core/type_registry.h"
#include "lyre/core/variables.h"
#include "lyre/world/fwd.h"

namespace lyre::inline world {

// What the worlds of a runtime did, all together.
struct WorldCounters {
    std::shared_ptr<Counter> ticks, spawns, touches, failures;
};

class Runtime {
public:
    // With the real clock, and warnings and errors on stderr.
    Runtime() : Runtime(std::make_unique<RealClock>()) { log_.print_to(stderr, LogLevel::Warning); }
    explicit Runtime(std::unique_ptr<const Clock> clock) : Runtime(*clock) { own_clock_ = std::move(clock); }
    explicit Runtime(const Clock& clock);  // which outlives it
    Runtime(const Runtime&) = delete;
    Runtime& operator=(const Runtime&) = delete;

    const Clock& clock() const { return clock_; }
    TypeRegistry& types() { return types_; }
    TagTable& tags() { return tags_; }
    Variables& variables() { return variables_; }
    Console& console() { return console_; }
    Log& log() { return log_; }
    Trace& trace() { return trace_; }
    Metrics& metrics() { return metrics_; }

    std::uint32_t next_world_serial() { return ++worlds_; }
    const WorldCounters& world_counters() const { return world_counters_; }

    // All World objects there are, also previews and those that have ended, in order of making. Copy it if what you do
    // with them may open or destroy worlds.
    const std::vector<World*>& worlds() const { return all_worlds_; }
    const std::vector<GameInstance*>& games() const { return all_games_; }  // likewise
    Delegate<World&> world_begun;  // all actors it had have begun play; not told of one that ends meanwhile
    Delegate<World&> world_ended;  // after its own `ended`; told of every world, begun or not

private:
    friend class World;
    friend class GameInstance;
    std::unique_ptr<const Clock> own_clock_;
    const Clock& clock_;
    Log log_;
    Trace trace_;
    Metrics metrics_;
    TagTable tags_;
    Variables variables_;
    Console console_;
    TypeRegistry types_;
    WorldCounters world_counters_;
    std::uint32_t worlds_ = 0;  // ever made
    std::vector<World*> all_worlds_;
    std::vector<GameInstance*> all_games_;
};

}  // namespace lyre::inline world
