#include "apps/lyre/match_run.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <thread>

#include "lyre/assets/toml.h"
#include "lyre/core/content_reader.h"
#include "lyre/core/suggest.h"
#include "lyre/core/utf8.h"
#include "lyre/experience/host.h"
#include "lyre/session/why.h"

#include "apps/lyre/match_view.h"
#include "apps/lyre/progress_line.h"
#include "apps/lyre/terminal.h"

namespace lyre::app {
namespace {

constexpr std::int64_t kGraceUs = 15'000'000;     // for leaving
constexpr std::uint64_t kMaxFaultPlan = 1 << 20;  // bytes
constexpr std::int64_t kTellUs = 1'000'000;       // then people are told that it takes time
constexpr std::size_t kLeftShown = 20;
constexpr std::uint64_t kOfOneShown = 10;  // warnings of one kind and subject
constexpr std::int64_t kWaitUs = 1000;     // where nothing else is to be done: for files, between frames

// What is said in several lines goes on further in.
std::string in_lines(std::string_view text) {
    std::string all;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        all += (all.empty() ? "" : "\n    ") + cleaned(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return all;
}

}  // namespace

void MatchRun::declare(Options& options) {
    options.word("--experience ID", def_.experience, "what is played (the map's, else the default)");
    options.word("--map ID", map_, "where it is played (default_map)");
    options.number<std::int64_t>("--bots N", bots_, 0, 1024, "how many (as many as the game likes)");
    options.number<std::uint64_t>("--seed N", def_.seed, 0, std::numeric_limits<std::uint64_t>::max(),
                                  "same seed, same match (1)");
    options.number<std::int64_t>("--tick-hz N", def_.tick_hz, 1, 1000, "ticks per second (60)");
    options.words("--with FEATURE", with_, "one more feature; may be repeated");
    options.words("--with-feature FEATURE", with_features_, "the same as --with");
    options.words("--with-set SET", with_sets_, "one more action set; may be repeated");
    options.word("--fault-plan FILE", fault_file_, "rules for what goes wrong while it loads");
    where_.declare(options);
    options.settings();
}

std::optional<int> MatchRun::read_faults(const Command& command) {
    FaultPlanDef def;
    if (!fault_file_.empty()) {
        auto bytes = where_.files().read(fault_file_, kMaxFaultPlan);
        if (!bytes) {
            std::string_view reason = bytes.status().text();
            if (reason.starts_with(fault_file_)) reason.remove_prefix(fault_file_.size());
            return fail(command, fmt::format("fault plan {}{}", in_quotes(fault_file_), reason));
        }
        const auto document = assets::parse_toml(bytes->text(), fault_file_);
        Problems problems = document.problems;
        if (problems.is_empty()) {
            ReadOptions options;
            options.file = fault_file_;
            options.subject = "the fault plan";
            options.text = bytes->text();
            problems = read_fault_plan(document.root, def, std::move(options)).problems;
        }
        if (!problems.is_empty()) {
            print_problems(STDERR_FILENO, problems);
            return fail(command, fmt::format("{} in the fault plan", several(problems.count(), "problem")));
        }
    }
    faults_ = std::make_shared<FaultPlan>(def, def_.seed);
    return std::nullopt;
}

std::optional<int> MatchRun::open(const Command& command, const Words& words, const Options& options, bool is_live) {
    is_live_ = is_live;
    if (is_live)
        executor_ = std::make_unique<ThreadPool>();
    else
        executor_ = std::make_unique<VirtualExecutor>(clock_);
    if (const auto code = read_faults(command)) return code;
    runtime_ = std::make_unique<Runtime>(clock_);
    project_ = std::make_unique<session::Project>(*runtime_, where_.files(), *executor_, &where_.modules(), faults_);
    {
        ProgressLine line(command, *project_);
        if (const auto code = where_.open(command, *project_)) return code;
    }
    const auto later = [this](std::string_view name, std::string_view value) {
        for (const std::string& declared : project_->declared_variables())
            if (Variables::environment_name(declared) == name) return project_->check_setting(declared, value);
        return project_->check_setting(name, value);
    };
    if (const auto code = options.apply_settings(*runtime_, words.environment, later)) return code;
    if (bots_ >= 0) def_.bots = bots_;
    if (const auto code = find_names(command)) return code;
    project_->start_features();
    return std::nullopt;
}

std::optional<int> MatchRun::find_names(const Command& command) {
    if (!map_.empty()) {
        const auto id = project_->find("map", map_);
        if (!id) return fail(command, id.status().text());
        def_.map = id->name;
    }
    for (const auto* names : {&with_, &with_features_})
        for (const std::string& name : *names) {
            const auto id = project_->find("feature", name);
            if (!id) return fail(command, id.status().text());
            def_.overlays.push_back(*id);
        }
    for (const std::string& name : with_sets_) {
        const auto id = project_->find(experience::kActionSetType, name);
        if (!id) return fail(command, id.status().text());
        def_.overlays.push_back(*id);
    }
    const Status status = session::Standalone::check(*project_, def_);
    return status ? std::nullopt : std::optional<int>(fail(command, status.text()));
}

// What one types behind another command to speak of the same match.
std::string MatchRun::words_of_match() const {
    std::string words;
    const auto add = [&](std::string_view option, const std::string& value) {
        if (!value.empty()) words += fmt::format(" {} {}", option, cleaned(value));
    };
    add("--experience", def_.experience);
    add("--map", map_);
    for (const std::string& one : with_) add("--with", one);
    for (const std::string& one : with_features_) add("--with", one);
    for (const std::string& one : with_sets_) add("--with-set", one);
    add("--fault-plan", fault_file_);
    return words;
}

std::optional<int> MatchRun::begin(const Command& command) {
    const ProgressLine line(command, *project_);
    auto made = session::Standalone::open(*project_, def_);
    if (!made && is_end_requested()) return kInterrupted;
    if (made) {
        game_ = std::move(*made);
        return std::nullopt;
    }
    print_problems(STDERR_FILENO, project_->problems());
    if (project_->problems().is_empty()) return fail(command, made.status());
    const Name map = def_.map ? def_.map : project_->def().default_map;
    const std::string problems = several(project_->problems().count(), "problem");
    return fail(command, fmt::format("map {} cannot be loaded: {}", map, problems), kFailed);
}

std::optional<int> MatchRun::check_topic(const Command& command, const std::vector<std::string>& topic) const {
    if (const Status status = session::check_topic(topic); !status) return fail(command, status.text());
    if (project_ == nullptr || topic[0] != "feature") return std::nullopt;
    const auto id = project_->find("feature", topic[1]);
    return id ? std::nullopt : std::optional<int>(fail(command, id.status().text()));
}

void MatchRun::frame() {
    if (game_ == nullptr) {
        clock_.advance(tick_us());
        project_->pump();
        runtime_->log().deliver();
        if (is_live_) executor_->wait_for_progress(kWaitUs);
        return;
    }
    const bool stands_still = game_->is_paused() && !game_->is_stepping() && game_->host() != nullptr &&
                              game_->host()->is_experience_loaded();
    if (!stands_still) clock_.advance(tick_us());
    game_->frame();
    if (is_live_ && game_->is_loading()) executor_->wait_for_progress(kWaitUs);
}

void MatchRun::await_start(const std::function<void()>& after_frame) {
    while (is_starting() && !is_end_requested()) {
        frame();
        if (after_frame) after_frame();
    }
}

// The first stage that is not done, and who is waited for.
void MatchRun::tell_load(ProgressLine& line) const {
    const auto stages = game_->host()->explain_loading().stages;
    const auto open = std::find_if(stages.begin(), stages.end(), [](const auto& one) { return one.done < one.of; });
    const experience::StageCount& stage = open != stages.end() ? *open : stages.front();
    const auto awaited = this->awaited();
    line.tell({.stage = "loads the experience: " + stage.stage,
               .done = stage.done,
               .of = stage.of,
               .bytes = {stage.bytes_done, stage.bytes},
               .item = awaited ? waiting_line(*awaited) : ""});
}

std::optional<experience::PendingItem> MatchRun::awaited() const {
    const experience::Host* host = game_->host();
    if (host == nullptr) return std::nullopt;
    const experience::LoadingReport report = host->explain_loading();
    const auto& items = report.pausers.empty() ? report.pending : report.pausers;  // who leaves waits for these
    return items.empty() ? std::nullopt : std::optional(items.front());
}

bool MatchRun::is_due(double seconds, OnStall on_stall) const {
    if (game_->has_failed()) return true;
    if (!game_->is_loading()) return game_->world()->time() >= seconds - 1e-9;
    return on_stall == OnStall::Stop && has_stalled_for(seconds);
}

bool MatchRun::has_stalled_for(double seconds) const {
    const auto awaited = this->awaited();
    const double most = std::max(seconds, kStallSeconds);
    if (awaited && awaited->seconds >= most) return true;
    const experience::FailureReport failure = game_->host()->explain_failure();
    return !failure.attempts.empty() && failure.attempts.front().seconds_ago >= most;
}

void MatchRun::play_until(const Command& command, double seconds, OnStall on_stall,
                          const std::function<void()>& after_frame) {
    ProgressLine line(command, *project_);
    while (!is_end_requested() && !is_out_gone() && !is_due(seconds, on_stall)) {
        frame();
        if (after_frame) after_frame();
        if (game_->has_failed()) return;
        if (game_->is_loading())
            tell_load(line);
        else
            line.tell({.stage = "plays second",
                       .done = static_cast<std::size_t>(game_->world()->time()),
                       .of = static_cast<std::size_t>(seconds)});
    }
}

bool MatchRun::is_gone() const {
    return game_ == nullptr ? project_->leftovers().empty() : game_->has_left() && game_->leftovers().empty();
}

// By the clock on the wall where the match went by it, so that what asks for time gets it. Elsewhere what needs more
// than a moment waits for something that does not come by more frames.
void MatchRun::leave(std::int64_t begin) {
    if (game_ != nullptr) {
        game_->leave("the match is over");
        game_->set_paused(false);
    }
    std::int64_t next = wall_.now_us();
    bool is_told = false;
    while (wall_.now_us() - begin < kGraceUs) {
        frame();
        if (game_ == nullptr || game_->world() == nullptr) project_->release_features();
        if (is_gone()) return;
        if (!is_told && wall_.now_us() - begin > kTellUs) {
            const auto awaited = game_ != nullptr ? this->awaited() : std::nullopt;
            tell("waiting for {}; a signal ends it now\n", awaited ? waiting_line(*awaited) : "what is still there");
            is_told = true;
        }
        next += tick_us();
        const std::int64_t rest = is_live_ ? next - wall_.now_us() : is_told ? kWaitUs : 0;
        if (rest > 0) std::this_thread::sleep_for(std::chrono::microseconds(rest));
    }
}

int MatchRun::end(const Command& command, const std::function<void()>& tell_result) {
    const std::int64_t begin = wall_.now_us();
    if (tell_result) tell_result();
    std::string failure, cause;  // the cause is told once, at the end
    const experience::Host* host = game_ != nullptr ? game_->host() : nullptr;
    if (game_ != nullptr && host == nullptr) failure = "the match has lost its GameState";
    // One that is tried again has failed so far; who ends it by hand may not want to know.
    const auto tried = host != nullptr ? host->explain_failure().attempts : std::vector<experience::FailedAttempt>();
    const bool is_tried_again = !tried.empty() && !host->is_experience_loaded() && !is_end_requested() &&
                                tried.back().experience == host->experience_id().to_string();
    if (host != nullptr && (game_->has_failed() || is_tried_again)) {
        cause = !host->failure().is_none() ? host->failure().to_string() : tried.empty() ? "" : tried.back().cause;
        failure = !cause.empty() ? cause : "it changes again and again, and never plays";
    }
    end_at_next_request();
    leave(begin);
    const std::vector<std::string> left = game_ == nullptr ? project_->leftovers() : game_->leftovers();
    game_.reset();
    const auto is_told = [&](const std::string& text) {  // by the failure: the one names the other
        return !cause.empty() && (text.find(cause) != std::string::npos || cause.find(text) != std::string::npos);
    };
    struct Times {
        std::uint64_t shown = 0, more = 0;
        bool is_told = false;
    };
    std::map<std::pair<Name, std::string>, Times> all;  // of one kind and subject
    for (const LogEntry& entry : runtime_->log().entries()) {
        if (entry.level < LogLevel::Warning) continue;
        Times& times = all[{entry.kind, entry.subject}];
        if (is_told(entry.text)) {
            times.is_told = true;
        } else if (entry.repeats != 0 || times.shown == kOfOneShown) {
            times.more += std::max<std::uint64_t>(entry.repeats, 1);
        } else {
            ++times.shown;
            tell("{}: {}: {}\n", entry.kind, cleaned(entry.subject), in_lines(entry.text));
        }
    }
    for (const auto& [what, times] : all)
        if (times.more > 0 && !times.is_told)
            tell("{}: {}: {} more like this\n", what.first, cleaned(what.second), grouped(times.more));
    if (left.empty()) out("ledger: empty\n");
    if (!left.empty()) {
        out("ledger: {} left behind\n", several(left.size(), "thing"));
        for (std::size_t i = 0; i < std::min(left.size(), kLeftShown); ++i) out("  {}\n", cleaned(left[i]));
        if (left.size() > kLeftShown) out("  and {} more\n", left.size() - kLeftShown);
    }
    if (!failure.empty())
        return fail(
            command,
            fmt::format("the experience failed: {}; `lyre why experience{}` says more", failure, words_of_match()),
            kFailed);
    return left.empty() ? kDone : kFailed;
}

}  // namespace lyre::app
