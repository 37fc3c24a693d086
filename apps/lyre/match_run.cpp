#include "apps/lyre/match_run.h"

#include <algorithm>
#include <limits>

#include "lyre/assets/toml.h"
#include "lyre/core/content_reader.h"
#include "lyre/core/suggest.h"
#include "lyre/core/utf8.h"
#include "lyre/experience/host.h"
#include "lyre/session/why.h"

#include "apps/lyre/match_view.h"
#include "apps/lyre/terminal.h"

namespace lyre::app {
namespace {

constexpr std::int64_t kGraceUs = 15'000'000;     // for leaving
constexpr std::uint64_t kMaxFaultPlan = 1 << 20;  // bytes
constexpr std::int64_t kTellUs = 1'000'000;       // then people are told that it takes time
constexpr std::size_t kLeftShown = 20;
constexpr std::uint32_t kMaxRestless = 1000;  // changes of the experience without a tick between them
constexpr std::int64_t kWaitUs = 1000;  // for files, where nothing else is to be done

}  // namespace

void MatchRun::declare(Options& options) {
    options.word("--experience", def_.experience, "what is played (default_experience)");
    options.word("--map", map_, "where (default_map)");
    options.number<std::int64_t>("--bots", bots_, 0, 1024, "how many (as many as the game likes)");
    options.number<std::uint64_t>("--seed", def_.seed, 0, std::numeric_limits<std::uint64_t>::max(),
                                  "same seed, same match (1)");
    options.number<std::int64_t>("--tick-hz", def_.tick_hz, 1, 1000, "ticks per second (60)");
    options.words("--with", with_, "one more feature; may be repeated");
    options.words("--with-feature", with_features_, "the same");
    options.words("--with-set", with_sets_, "one more action set; may be repeated");
    options.word("--fault-plan", fault_file_, "file: what goes wrong while it loads");
    where_.declare(options);
    options.settings();
}

std::optional<int> MatchRun::read_faults(const Command& command) {
    FaultPlanDef def;
    if (!fault_file_.empty()) {
        auto bytes = where_.files().read(fault_file_, kMaxFaultPlan);
        if (!bytes) return fail(command, bytes.status().text());
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
            print_problems(stderr, problems);
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
    if (const auto code = where_.open(command, *project_)) return code;
    const auto later = [this](std::string_view name, std::string_view value) {
        for (const std::string& declared : project_->declared_variables())
            if (Variables::environment_name(declared) == name) return project_->check_setting(declared, value);
        return project_->check_setting(name, value);
    };
    if (const auto code = options.apply_settings(*runtime_, words.environment, later)) return code;
    const bool has_type = map_.rfind("map:", 0) == 0;  // as `lyre list assets` prints it
    if (has_type && map_.size() == 4) return fail(command, "--map has no name");
    if (!map_.empty()) def_.map = Name(map_.substr(has_type ? 4 : 0));
    if (bots_ >= 0) def_.bots = bots_;
    for (const auto* names : {&with_, &with_features_})
        for (const std::string& name : *names) {
            const features::Catalogue& catalogue = project_->features().catalogue();
            if (catalogue.find(Name(name)) == nullptr)
                return fail(command, fmt::format("no feature {}; {}", in_quotes(name), feature_hint(catalogue, name)));
            def_.overlays.push_back({Name("feature"), Name(name)});
        }
    for (const std::string& name : with_sets_) def_.overlays.push_back({Name(experience::kActionSetType), Name(name)});
    auto made = session::Standalone::open(*project_, def_);
    if (made) {
        game_ = std::move(*made);
        return std::nullopt;
    }
    print_problems(stderr, project_->problems());
    const bool is_usage =
        (made.status().code() == StatusCode::NotFound || made.status().code() == StatusCode::InvalidArgument) &&
        project_->problems().is_empty();
    return fail(command, made.status().text(), is_usage ? kWrongUsage : kFailed);
}

std::optional<int> MatchRun::check_topic(const Command& command, const std::vector<std::string>& topic) const {
    if (const Status status = session::check_topic(topic); !status) return fail(command, status.text());
    if (project_ == nullptr || topic[0] != "feature") return std::nullopt;
    const features::Catalogue& catalogue = project_->features().catalogue();
    if (catalogue.find(Name(topic[1])) != nullptr) return std::nullopt;
    return fail(command, fmt::format("no feature {}; {}", in_quotes(topic[1]), feature_hint(catalogue, topic[1])));
}

void MatchRun::frame() {
    const bool stands_still = game_->is_paused() && !game_->is_stepping() && game_->host() != nullptr &&
                              game_->host()->is_experience_loaded();
    if (!stands_still) clock_.advance(tick_us());
    const std::uint64_t tick = game_->has_left() ? 0 : game_->world()->tick_number();
    game_->frame();
    if (game_->host() != nullptr && game_->world()->tick_number() != tick) settled_ = game_->host()->generation();
    if (is_live_ && game_->is_loading()) executor_->wait_for_progress(kWaitUs);
}

bool MatchRun::has_stalled_for(double seconds) const {
    if (!game_->is_loading()) return false;
    const auto pending = game_->host()->explain_loading().pending;
    return !pending.empty() && pending.front().seconds >= std::max(seconds, kStallSeconds);
}

void MatchRun::play_until(double seconds, OnStall on_stall, const std::function<void()>& after_frame) {
    while (!is_end_requested() && !has_failed() && (game_->is_loading() || game_->world()->time() < seconds - 1e-9)) {
        if (on_stall == OnStall::Stop && has_stalled_for(seconds)) return;
        frame();
        if (after_frame) after_frame();
    }
}

bool MatchRun::has_failed() const {
    const experience::Host* host = game_->host();
    return host == nullptr || host->generation() > settled_ + kMaxRestless ||
           (host->state() == experience::LoadState::Failed && !host->seconds_to_next_attempt().has_value());
}

int MatchRun::end(const Command& command) {
    std::string failure, cause;  // the cause is told once, at the end
    if (game_->host() == nullptr) failure = "the match has lost its GameState";
    if (has_failed() && game_->host() != nullptr) {
        const experience::Cause& why = game_->host()->failure();
        failure = cause = why.to_string();
        if (failure.empty() || why.is_none()) failure = "it changes again and again, and never plays";
        if (why.feature && failure.find(why.feature.text()) == std::string::npos)
            failure = fmt::format("feature {}: {}", why.feature, failure);
    }
    end_at_next_request();
    game_->leave("the match is over");
    game_->set_paused(false);
    bool is_told = false;
    for (const std::int64_t begin = wall_.now_us(); wall_.now_us() - begin < kGraceUs;) {
        frame();
        if (game_->has_left()) project_->release_features();
        if (game_->has_left() && game_->leftovers().empty()) break;
        if (!is_told && wall_.now_us() - begin > kTellUs) {
            fmt::print(stderr, "waiting for what is still there; a signal ends it now\n");
            is_told = true;
        }
        if (is_live_) executor_->wait_for_progress(kWaitUs);
    }
    const std::vector<std::string> left = game_->leftovers();
    game_.reset();
    for (const LogEntry& entry : runtime_->log().entries())
        if (entry.level >= LogLevel::Warning && (cause.empty() || entry.text.find(cause) == std::string::npos))
            fmt::print(stderr, "{}: {}: {}\n", entry.kind, cleaned(entry.subject), cleaned(entry.text));
    if (left.empty()) fmt::print("ledger: empty\n");
    if (!left.empty()) {
        fmt::print("ledger: {} left behind\n", several(left.size(), "thing"));
        for (std::size_t i = 0; i < std::min(left.size(), kLeftShown); ++i) fmt::print("  {}\n", cleaned(left[i]));
        if (left.size() > kLeftShown) fmt::print("  and {} more\n", left.size() - kLeftShown);
    }
    if (!failure.empty()) return fail(command, fmt::format("the experience failed: {}", failure), kFailed);
    return left.empty() ? kDone : kFailed;
}

}  // namespace lyre::app
