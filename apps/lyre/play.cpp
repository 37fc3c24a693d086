#include "apps/lyre/play.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <limits>
#include <sys/resource.h>

#include "apps/lyre/demo_world.h"
#include "apps/lyre/live_view.h"
#include "apps/lyre/project_options.h"
#include "apps/lyre/terminal.h"

namespace lyre::app {
namespace {

constexpr std::int64_t kPageUs = 50'000;      // 20 pages per second
constexpr std::int64_t kCatchUpUs = 250'000;  // further behind, the world runs slower instead
constexpr double kSecondsElsewhere = 10;      // where nobody can press q
constexpr std::size_t kStandings = 10;

void print_beginning(const DemoWorld& demo, const DemoDef& def) {
    const DemoCounts counts = demo.counts();
    fmt::print(
        "Plectrum, the sample game, is not here yet; this is a small standalone world of\n"
        "the library's own on map {}: {} among {}\n({}; {} of them touched). Seed {}, {} ticks per second.\n",
        def.map->name, several(static_cast<std::uint64_t>(def.wanderers), "wanderer"), several(counts.rows, "crate"),
        several(counts.rows, "row"), counts.touches, def.seed, def.tick_hz);
    std::fflush(stdout);
}

// As fast as it goes; world time is all there is.
void run_in_virtual_time(DemoWorld& demo, VirtualClock& clock, const DemoDef& def, std::uint64_t ticks) {
    const std::uint64_t every = std::max<std::uint64_t>(ticks / 10, static_cast<std::uint64_t>(def.tick_hz));
    for (std::uint64_t n = 1; n <= ticks && !is_end_requested(); ++n) {
        clock.advance(1'000'000 / def.tick_hz);
        demo.tick();
        if (n % every != 0) continue;
        const DemoCounts counts = demo.counts();
        fmt::print("{:7.1f} s: {} touched, {} awake, {} broken\n", demo.world().time(), grouped(counts.touches),
                   counts.awake, counts.broken);
        std::fflush(stdout);
    }
}

void run_live(DemoWorld& demo, const Clock& clock, const DemoDef& def, std::uint64_t ticks) {
    Terminal terminal;
    LiveView view(terminal.has_color());
    const std::int64_t tick_us = std::max<std::int64_t>(1'000'000 / def.tick_hz, 1);
    std::int64_t next_tick = clock.now_us(), next_page = next_tick;
    for (std::uint64_t done = 0; done < ticks && !is_end_requested();) {
        const std::int64_t now = clock.now_us();
        next_tick = std::max(next_tick, now - kCatchUpUs);
        for (; next_tick <= now && done < ticks; next_tick += tick_us, ++done) demo.tick();
        if (next_page <= now) {
            terminal.show(view.page(demo, terminal.size()));
            next_page = now + kPageUs;
        }
        const std::int64_t rest = std::min(next_tick, next_page) - clock.now_us();
        const char key = terminal.wait_for_key(std::max<std::int64_t>(rest, 0));
        if (key == 'q') return;
        if (key == 'n') view.follow_next(demo);
    }
}

void print_standings(const DemoWorld& demo) {
    const auto standings = demo.standings();
    for (std::size_t i = 0; i < std::min(standings.size(), kStandings); ++i)
        fmt::print("{:4}. {:<14} {:>5} broken {:>5} strikes\n", i + 1, standings[i].name, standings[i].broken,
                   standings[i].strikes);
    if (standings.size() > kStandings) fmt::print("      and {} more\n", standings.size() - kStandings);
}

void print_result(const DemoWorld& demo) {
    const DemoCounts counts = demo.counts();
    fmt::print("result after {:.1f} s, {}:\n", demo.world().time(), several(demo.world().tick_number(), "tick"));
    print_standings(demo);
    fmt::print("rows: {} placed, {} touched, {} awake, {} broken\n", grouped(counts.rows), grouped(counts.touches),
               counts.awake, counts.broken);
    fmt::print("world hash: 0x{:016x}\n", demo.hash());
    rusage usage = {};
    getrusage(RUSAGE_SELF, &usage);
    fmt::print("memory: {} KB of rows, {}, {} KB resident at most\n", grouped(counts.row_bytes / 1024),
               several(counts.actors, "actor"), grouped(static_cast<std::uint64_t>(usage.ru_maxrss)));
}

// What the library had to say, and what the world left behind.
int end(const Command& command, DemoWorld& demo, Runtime& runtime) {
    const Status left = demo.end();
    for (const LogEntry& entry : runtime.log().entries())
        if (entry.level >= LogLevel::Warning) fmt::print(stderr, "{}: {}: {}\n", entry.kind, entry.subject, entry.text);
    if (!left) return fail(command, fmt::format("left behind: {}", left.text()), kFailed);
    fmt::print("nothing left behind\n");
    return kDone;
}

std::optional<int> choose_map(const Command& command, session::Project& project, const std::string& wanted,
                              DemoDef& def) {
    const bool has_type = wanted.rfind("map:", 0) == 0;  // as `lyre list assets` prints it
    const Name name = wanted.empty() ? project.def().default_map : Name(wanted.substr(has_type ? 4 : 0));
    if (name.is_none()) return fail(command, "the project has no default_map; say --map NAME");
    auto map = project.load_map(name);
    if (map) {
        def.map = *map;
        return std::nullopt;
    }
    if (map.status().code() == StatusCode::NotFound) return fail(command, map.status().text());
    print_problems(stderr, project.problems());
    return fail(command, fmt::format("map {} cannot be loaded", name), kFailed);
}

}  // namespace

int play(const Command& command, const Words& words) {
    DemoDef def;
    double seconds = -1;
    std::string map;
    ProjectOptions where;
    Options options(command);
    options.number("--seconds", seconds, 0.0, 1e6, "of the world; 10, or until q on a terminal");
    options.number<std::uint64_t>("--seed", def.seed, 0, std::numeric_limits<std::uint64_t>::max(),
                                  "the same seed gives the same game (1)");
    options.number<std::int64_t>("--tick-hz", def.tick_hz, 1, 1000, "ticks per second (60)");
    options.number<std::int64_t>("--bots", def.wanderers, 0, 10'000, "wanderers (8)");
    options.word("--map", map, "a map of the project (its default_map)");
    where.declare(options);
    options.settings();
    if (const auto code = options.parse(words)) return *code;

    const bool live = Terminal::is_possible();
    RealClock real;
    VirtualClock made_up;
    Runtime runtime(live ? static_cast<const Clock&>(real) : made_up);
    if (Status status = add_demo(runtime); !status) return fail(command, status.text(), kFailed);
    ThreadPool pool;
    session::Project project(runtime, where.files(), pool, &where.modules());
    if (const auto code = where.open(command, project)) return *code;
    if (const auto code = options.apply_settings(runtime, words.environment)) return *code;
    if (const auto code = choose_map(command, project, map, def)) return *code;

    watch_end_requests();
    GameInstance game(runtime);
    auto demo = DemoWorld::open(game, def);
    if (!demo) return fail(command, demo.status().text(), kFailed);
    print_beginning(*demo, def);
    if (seconds < 0 && !live) seconds = kSecondsElsewhere;
    const auto ticks = seconds < 0
                           ? std::numeric_limits<std::uint64_t>::max()
                           : static_cast<std::uint64_t>(std::llround(seconds * static_cast<double>(def.tick_hz)));
    if (live)
        run_live(*demo, real, def, ticks);
    else
        run_in_virtual_time(*demo, made_up, def, ticks);
    print_result(*demo);
    return end(command, *demo, runtime);
}

}  // namespace lyre::app
