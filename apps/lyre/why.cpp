#include "apps/lyre/why.h"

#include "lyre/session/why.h"

#include "apps/lyre/match_run.h"
#include "apps/lyre/terminal.h"

namespace lyre::app {

int why(const Command& command, const Words& words) {
    std::vector<std::string> topic;
    double pause_at = 5;
    bool as_json = false;
    MatchRun run;
    Options options(command);
    options.words("TOPIC", topic, "experience|actor ID|component ID NAME|feature NAME");
    options.number("--pause-at SECONDS", pause_at, 0.0, 1e6, "when to ask, of the match or a stalled load (5)");
    options.flag("--json", as_json, "as one JSON document");
    run.declare(options);
    if (const auto code = options.parse(words)) return *code;
    if (const auto code = run.check_topic(command, topic)) return *code;
    if (const auto code = run.open(command, words, options, false)) return *code;
    if (const auto code = run.check_topic(command, topic)) return *code;
    run.await_start();
    if (is_end_requested()) return kInterrupted;
    if (const auto code = run.begin(command)) return *code;
    run.play_until(command, pause_at, MatchRun::OnStall::Stop);
    if (is_end_requested()) return kInterrupted;
    const auto answer = session::why(run.game(), topic);
    if (!answer) return fail(command, answer.status().text(), kFailed);
    out("{}", as_json ? answer->json : answer->text);
    return kDone;
}

}  // namespace lyre::app
