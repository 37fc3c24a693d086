// apps/lyre/match_run.h: a match of a project, as `play` and `why` run it: the options they share, and its life.
//
//     MatchRun run;
//     run.declare(options);
//     if (const auto code = run.open(command, words, options, live)) return *code;
//     while (run.is_starting()) run.frame();    // features that are there from the start come
//     if (const auto code = run.begin(command)) return *code;
//     while (...) run.frame();                  // the match
//     return run.end(command);                  // leaves, waits a while, says what is left; at any time after open()
//
// Time is counted in frames, each as long as a tick. On a terminal frames follow the clock on the wall and threads read
// files; elsewhere all of it runs on this thread, as fast as it goes. The match, and what `why` says of it, is the
// same.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lyre/core/virtual_executor.h"
#include "lyre/session/standalone.h"

#include "apps/lyre/project_options.h"

namespace lyre::app {

class ProgressLine;

class MatchRun {
public:
    void declare(Options& options);
    // As Options::parse(): a value is the exit code, and all is said.
    std::optional<int> open(const Command& command, const Words& words, const Options& options, bool is_live);
    bool is_starting() const { return game_ == nullptr && project_->is_starting(); }
    // Makes the world, in which the experience begins to load. kInterrupted: somebody wants an end.
    std::optional<int> begin(const Command& command);

    // Whether a topic of `why` can be asked at all; before open() of its words alone. A value is the exit code.
    std::optional<int> check_topic(const Command& command, const std::vector<std::string>& topic) const;

    session::Project& project() const { return *project_; }
    session::Standalone& game() const { return *game_; }  // once it has begun
    Runtime& runtime() const { return *runtime_; }
    FaultPlan& faults() const { return *faults_; }
    const Clock& wall() const { return wall_; }
    std::int64_t tick_us() const { return std::max<std::int64_t>(1'000'000 / def_.tick_hz, 1); }
    const session::StandaloneDef& def() const { return def_; }

    void frame();  // the time of a tick passes before, unless everything stands still
    // As long as features start and nobody wants an end.
    void await_start(const std::function<void()>& after_frame = {});
    // Whether so many seconds of the world have passed, or the experience has failed and nothing will be tried; with
    // OnStall::Stop also whether a load has waited for one thing that long, and long enough that people are told.
    enum class OnStall : bool { WaitOn, Stop };
    bool is_due(double seconds, OnStall on_stall) const;
    // Plays on until then, or until somebody wants an end. Says how far it is (progress_line.h).
    void play_until(const Command& command, double seconds, OnStall on_stall,
                    const std::function<void()>& after_frame = {});
    // Who is waited for longest, while the experience loads or leaves.
    std::optional<experience::PendingItem> awaited() const;
    // Leaves the experience, closes the world, says what was logged and what is left; before it, in the time there is
    // for that, what there is to tell of the match. The exit code.
    int end(const Command& command, const std::function<void()>& tell_result = {});

private:
    std::string words_of_match() const;
    std::optional<int> read_faults(const Command& command);
    std::optional<int> find_names(const Command& command);
    bool is_gone() const;  // nothing is left of the match
    bool has_stalled_for(double seconds) const;
    void tell_load(ProgressLine& line) const;
    void leave(std::int64_t begin);

    session::StandaloneDef def_;
    std::string map_, fault_file_;
    std::int64_t bots_ = -1;
    std::vector<std::string> with_, with_features_, with_sets_;
    ProjectOptions where_;
    bool is_live_ = false;
    RealClock wall_;
    VirtualClock clock_;
    std::unique_ptr<Executor> executor_;
    std::shared_ptr<FaultPlan> faults_;
    std::unique_ptr<Runtime> runtime_;
    std::unique_ptr<session::Project> project_;
    std::unique_ptr<session::Standalone> game_;
};

}  // namespace lyre::app
