#include "apps/lyre/play.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <sys/resource.h>

#include "lyre/core/utf8.h"
#include "lyre/experience/host.h"
#include "lyre/gameplay/game_state.h"
#include "lyre/gameplay/player_state.h"
#include "lyre/gameplay/teams.h"
#include "lyre/session/why.h"
#include "lyre/world/world_hash.h"

#include "apps/lyre/live_match.h"
#include "apps/lyre/terminal.h"

namespace lyre::app {
namespace {

constexpr double kSecondsElsewhere = 10;  // where nobody can press q
constexpr std::size_t kStandings = 16;

// A match as lines: how the experience loads, what the feed says, when it happened.
class Teller {
public:
    explicit Teller(const MatchRun& run) : run_(run) {}

    void tell() {
        const experience::Host* host = run_.game().host();
        if (host == nullptr) return;
        tell_load(*host);
        for (const std::string& line : new_lines())
            print(fmt::format("{:7.1f} s: {}", run_.game().world()->time(), line));
    }

private:
    void tell_load(const experience::Host& host) {
        const auto state = host.state();
        if (state != told_state_ || host.generation() != told_generation_) {
            told_state_ = state;
            told_generation_ = host.generation();
            told_stall_ = 0;
            if (state != experience::LoadState::Unloaded)
                print(fmt::format("{}: {}{}", host.experience_id().name, to_string(state), counts(host)));
        }
        if (host.is_experience_loaded()) return;
        const experience::LoadingReport report = host.explain_loading();
        if (report.pending.empty() || report.pending.front().seconds < (told_stall_ + 1) * kStallSeconds) return;
        told_stall_ += 1;
        print(fmt::format("{}: stalled: {}", host.experience_id().name, waiting_line(report.pending.front())));
    }
    // What is not done yet; when all is, how much there is.
    static std::string counts(const experience::Host& host) {
        std::string text;
        for (const experience::StageCount& stage : host.explain_loading().stages)
            if (stage.of != 0 && (stage.done < stage.of || host.is_experience_loaded())) {
                text += fmt::format(", {} {}/{}", stage.stage, stage.done, stage.of);
                if (stage.done < stage.of && stage.bytes != 0) text += fmt::format(" ({})", bytes_text(stage));
            }
        return text;
    }
    // The feed keeps the newest lines only: those behind the last one that was told.
    std::vector<std::string> new_lines() {
        const std::vector<std::string>& feed = run_.game().state()->feed();
        const std::uint64_t said = run_.game().state()->lines_said();
        const std::size_t fresh = std::min<std::size_t>(said - told_lines_, feed.size());
        told_lines_ = said;
        return {feed.end() - static_cast<std::ptrdiff_t>(fresh), feed.end()};
    }
    static void print(const std::string& line) {
        fmt::print("{}\n", line);
        std::fflush(stdout);
    }

    const MatchRun& run_;
    experience::LoadState told_state_ = experience::LoadState::Unloaded;
    std::uint32_t told_generation_ = 0;
    int told_stall_ = 0;
    std::uint64_t told_lines_ = 0;
};

void print_result(const session::Standalone& game) {
    const World& world = *game.world();
    const Name played = game.host() != nullptr ? game.host()->experience_id().name : Name();
    fmt::print("result of {} after {:.1f} s, {}, seed {}:\n", played, world.time(),
               several(world.tick_number(), "tick"), world.def().seed);
    if (const gameplay::GameState* state = game.state()) {
        for (const gameplay::Team* team : state->teams())
            fmt::print("  {:<23} {:>6}\n", cleaned(team->title()), team->score());
        auto players = state->players();
        std::stable_sort(players.begin(), players.end(),
                         [](const auto* a, const auto* b) { return a->score() > b->score(); });
        for (std::size_t i = 0; i < std::min(players.size(), kStandings); ++i) {
            const auto& one = *players[i];
            const gameplay::Team* team = state->team(one.team());
            fmt::print("  {:>2}. {:<19} {:>6}{}\n", i + 1, one.player_name(), one.score(),
                       team == nullptr ? "" : "  " + cleaned(team->title()));
        }
        if (players.size() > kStandings) fmt::print("      and {} more\n", players.size() - kStandings);
    }
    if (const Level* level = game.level(); level != nullptr && level->rows().count() != 0)
        fmt::print("rows: {} placed, {} are actors now\n", grouped(level->rows().count()),
                   grouped(level->rows().count(RowState::Touched)));
    fmt::print("world hash: 0x{:016x}\n", world_hash(world));
    rusage usage = {};
    getrusage(RUSAGE_SELF, &usage);
    fmt::print("memory: {}, {} KB resident at most\n", several(world.actor_count(), "actor"),
               grouped(static_cast<std::uint64_t>(usage.ru_maxrss)));
}

}  // namespace

int play(const Command& command, const Words& words) {
    double seconds = -1, pause_at = -1;
    std::vector<std::string> asked;
    MatchRun run;
    Options options(command);
    options.number("--seconds", seconds, 0.0, 1e6, "of the world (10; on a terminal until q)");
    options.number("--pause-at", pause_at, 0.0, 1e6, "s: it stands still then (in a pipe: ends)");
    options.phrase("--why", asked, "asked there: TOPIC as in `lyre why`");
    run.declare(options);
    if (const auto code = options.parse(words)) return *code;
    if (!asked.empty())
        if (const auto code = run.check_topic(command, asked)) return *code;
    if (!asked.empty() && pause_at < 0) return fail(command, "--why needs --pause-at SECONDS: when it is asked");

    const bool is_live = Terminal::is_possible();
    watch_end_requests();
    if (const auto code = run.open(command, words, options, is_live)) return *code;
    if (!asked.empty())
        if (const auto code = run.check_topic(command, asked)) return *code;
    const session::StandaloneDef& def = run.def();
    fmt::print("{} on map {}, seed {}, {} ticks per second\n", cleaned(run.game().project().def().name),
               run.game().world()->def().name, def.seed, def.tick_hz);
    std::fflush(stdout);
    std::optional<int> wrong;
    if (is_live) {
        LiveMatch(run).play(seconds, pause_at, asked);
    } else {
        Teller teller(run);
        const double most = seconds >= 0 || pause_at >= 0 ? seconds : kSecondsElsewhere;
        const bool pauses = pause_at >= 0 && (most < 0 || pause_at <= most);
        run.play_until(pauses ? pause_at : most, pauses ? MatchRun::OnStall::Stop : MatchRun::OnStall::WaitOn,
                       [&] { teller.tell(); });
        if (!asked.empty() && pauses && !is_end_requested()) {
            const auto answer = session::why(run.game(), asked);
            fmt::print("{}", answer ? answer->text : "");
            if (!answer) wrong = fail(command, answer.status().text());
        }
    }
    if (!run.game().has_left() && !run.has_failed()) print_result(run.game());
    const int code = run.end(command);
    return code != kDone ? code : wrong.value_or(kDone);
}

}  // namespace lyre::app
