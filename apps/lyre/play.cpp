#include "apps/lyre/play.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>

#include "lyre/core/utf8.h"
#include "lyre/experience/host.h"
#include "lyre/framework/component_manager.h"
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
constexpr std::size_t kStalledShown = 6;

// A match as lines: how the experience loads, what the feed says, when it happened.
class Teller {
public:
    explicit Teller(const MatchRun& run) : run_(run) {}

    void tell_start() {
        const auto pending = run_.project().start_report().pending;
        if (!pending.empty()) tell_stall("features from the start", pending.front());
    }
    void tell() {
        const experience::Host* host = run_.game().host();
        if (host == nullptr) return;
        tell_load(*host);
        tell_init_states(*host);
        for (const std::string& line : new_lines())
            print(fmt::format("{:7.1f} s: {}", run_.game().world()->time(), line));
    }

private:
    void tell_load(const experience::Host& host) {
        const auto state = host.state();
        if (state != told_state_ || host.generation() != told_generation_) {
            const std::uint64_t retries = host.counters().retries;
            const bool is_other = host.generation() != told_generation_ && retries == told_retries_;
            if (is_other && state != experience::LoadState::Failed) first_retry_ = retries;
            told_state_ = state;
            told_generation_ = host.generation();
            told_retries_ = retries;
            stalled_.clear();
            // Of many attempts the second is told, the fourth, the eighth, ...
            const std::uint64_t attempt = retries - first_retry_ + 1;
            const bool is_over = host.is_experience_loaded() || run_.game().has_failed();
            if (state != experience::LoadState::Unloaded && (is_over || std::has_single_bit(attempt)))
                print(fmt::format("{}: {}{}{}", host.experience_id().name, to_string(state),
                                  attempt > 1 ? fmt::format(", attempt {}", grouped(attempt)) : "", counts(host)));
        }
        if (host.is_experience_loaded()) return;
        if (const auto awaited = run_.awaited()) tell_stall(host.experience_id().name.text(), *awaited);
    }
    // Each culprit after 5 s, and whenever it has become twice as long: virtual time passes quickly.
    void tell_stall(std::string_view what, const experience::PendingItem& item) {
        const std::string culprit = fmt::format("{} {} {}", what, item.kind, item.id);
        if (std::exchange(stalled_, culprit) != culprit) next_stall_ = kStallSeconds;
        if (item.seconds < next_stall_) return;
        while (next_stall_ <= item.seconds) next_stall_ *= 2;
        print(fmt::format("{}: stalled: {}", what, waiting_line(item)));
    }
    // The last stage of a load: how many of those who come into the world are ready. Once they all are, or when one has
    // been reported as stalled, which the log does.
    void tell_init_states(const experience::Host& host) {
        if (!host.is_experience_loaded()) return;
        const World& world = *run_.game().world();
        const auto counts = framework::ComponentManager::of(world)->init_counts();
        const bool is_all = counts.actors != 0 && counts.waiting == 0;
        const std::uint64_t stalls = run_.runtime().log().count(Name("framework.init.stall"));
        const bool is_news = is_all ? host.generation() != ready_generation_ : stalls != told_init_stalls_;
        const std::uint64_t fresh = stalls - std::exchange(told_init_stalls_, stalls);
        if (!is_news) return;
        std::string stalled;
        if (is_all)
            ready_generation_ = host.generation();
        else
            stalled = ", stalled:" + newest_stalled(fresh);
        print(fmt::format("{:7.1f} s: init states {}/{}{}", world.time(), counts.actors - counts.waiting, counts.actors,
                          stalled));
    }
    std::string newest_stalled(std::uint64_t count) const {
        std::vector<std::string> actors;
        for (const LogEntry& entry : run_.runtime().log().entries())
            if (entry.kind == Name("framework.init.stall")) actors.push_back(" " + entry.subject);
        const std::size_t first = actors.size() - std::min<std::size_t>(count, actors.size());
        std::string text;
        for (std::size_t i = first; i < std::min(actors.size(), first + kStalledShown); ++i) text += actors[i];
        return actors.size() > first + kStalledShown ? text + " ..." : text;
    }
    // What is not done yet; when all is, how much there is.
    static std::string counts(const experience::Host& host) {
        std::string text;
        for (const experience::StageCount& stage : host.explain_loading().stages)
            if (stage.of != 0 && (stage.done < stage.of || host.is_experience_loaded())) {
                text += fmt::format(", {} {}/{}", stage.stage, stage.done, stage.of);
                const std::string bytes = bytes_text(stage.bytes_done, stage.bytes);
                if (stage.done < stage.of && !bytes.empty()) text += fmt::format(" ({})", bytes);
            }
        return text;
    }
    // The feed keeps the newest lines only: those behind the last one that was told.
    std::vector<std::string> new_lines() {
        const std::uint64_t said = run_.game().state()->lines_said();
        if (said == told_lines_) return {};
        const std::vector<std::string> feed = run_.game().state()->feed();
        const std::size_t fresh = std::min<std::size_t>(said - told_lines_, feed.size());
        told_lines_ = said;
        return {feed.end() - static_cast<std::ptrdiff_t>(fresh), feed.end()};
    }
    static void print(const std::string& line) { out("{}\n", line); }

    const MatchRun& run_;
    experience::LoadState told_state_ = experience::LoadState::Unloaded;
    std::uint32_t told_generation_ = 0;
    std::uint64_t told_retries_ = 0, first_retry_ = 0;
    std::string stalled_;  // who was looked at last
    double next_stall_ = kStallSeconds;
    std::uint32_t ready_generation_ = 0;
    std::uint64_t told_init_stalls_ = 0;
    std::uint64_t told_lines_ = 0;
};

// Of this program: what getrusage() says is inherited from whoever started it.
std::uint64_t most_resident_kb() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmHWM:")) return std::strtoull(line.c_str() + 6, nullptr, 10);
    return 0;
}

void print_result(const session::Standalone& game) {
    const World& world = *game.world();
    const Name played = game.host() != nullptr ? game.host()->experience_id().name : Name();
    out("result of {} after {:.1f} s, {}, seed {}:\n", played, world.time(), several(world.tick_number(), "tick"),
        world.def().seed);
    if (const gameplay::GameState* state = game.state()) {
        for (const gameplay::Team* team : state->teams())
            out("  {:<23} {:>6}\n", cleaned(team->title()), team->score());
        auto players = state->players();
        std::stable_sort(players.begin(), players.end(),
                         [](const auto* a, const auto* b) { return a->score() > b->score(); });
        for (std::size_t i = 0; i < std::min(players.size(), kStandings); ++i) {
            const auto& one = *players[i];
            const gameplay::Team* team = state->team(one.team());
            out("  {:>2}. {:<19} {:>6}{}\n", i + 1, one.player_name(), one.score(),
                team == nullptr ? "" : "  " + cleaned(team->title()));
        }
        if (players.size() > kStandings) out("      and {} more\n", players.size() - kStandings);
    }
    if (const Level* level = game.level(); level != nullptr && level->rows().count() != 0)
        out("rows: {} placed, {} are actors now\n", grouped(level->rows().count()),
            grouped(level->rows().count(RowState::Touched)));
    out("world hash: 0x{:016x}\n", world_hash(world));
    out("memory: {}, {} KB resident at most\n", several(world.actor_count(), "actor"), grouped(most_resident_kb()));
}

}  // namespace

int play(const Command& command, const Words& words) {
    double seconds = -1, pause_at = -1;
    std::vector<std::string> asked;
    MatchRun run;
    Options options(command);
    options.number("--seconds SECONDS", seconds, 0.0, 1e6, "how long it plays (10; on a terminal until q)");
    options.number("--pause-at SECONDS", pause_at, 0.0, 1e6, "when it stands still (in a pipe: ends)");
    options.phrase("--why TOPIC", asked, "explained then, as by `lyre why TOPIC`");
    run.declare(options);
    if (const auto code = options.parse(words)) return *code;
    if (!asked.empty())
        if (const auto code = run.check_topic(command, asked)) return *code;
    if (!asked.empty() && pause_at < 0) return fail(command, "--why needs --pause-at SECONDS: when it is asked");
    if (seconds >= 0 && pause_at > seconds)
        return fail(command, fmt::format("--pause-at {:g} is after the end, --seconds {:g}", pause_at, seconds));

    const bool is_live = Terminal::is_possible();
    if (const auto code = run.open(command, words, options, is_live)) return *code;
    if (!asked.empty())
        if (const auto code = run.check_topic(command, asked)) return *code;
    const session::StandaloneDef& def = run.def();
    std::optional<LiveMatch> live;
    Teller teller(run);
    if (is_live)
        live.emplace(run).await_start();
    else
        run.await_start([&] { teller.tell_start(); });
    if (run.is_starting() || is_end_requested()) return run.end(command);
    if (const auto code = run.begin(command)) return *code == kInterrupted ? run.end(command) : *code;
    out("{} on map {}, seed {}, {} ticks per second\n", cleaned(run.project().def().name),
        run.game().world()->def().name, def.seed, def.tick_hz);
    std::optional<int> wrong;
    if (is_live) {
        live->play(seconds, pause_at, asked);
        live.reset();
    } else {
        const double most = seconds >= 0 || pause_at >= 0 ? seconds : kSecondsElsewhere;
        const bool pauses = pause_at >= 0 && (most < 0 || pause_at <= most);
        run.play_until(command, pauses ? pause_at : most, pauses ? MatchRun::OnStall::Stop : MatchRun::OnStall::WaitOn,
                       [&] { teller.tell(); });
        if (!asked.empty() && pauses && !is_end_requested()) {
            const auto answer = session::why(run.game(), asked);
            out("{}", answer ? answer->text : "");
            const bool is_told_at_the_end = answer.status().code() == StatusCode::Refused && run.game().has_failed();
            if (!answer && !is_told_at_the_end) wrong = fail(command, answer.status().text(), kFailed);
        }
    }
    const int code = run.end(command, [&] {
        if (run.game().world() != nullptr && !run.game().has_failed()) print_result(run.game());
    });
    return code != kDone ? code : wrong.value_or(kDone);
}

}  // namespace lyre::app
