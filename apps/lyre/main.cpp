// apps/lyre/main.cpp: the `lyre` command: finds the command that was asked for and lets it run.
#include <fcntl.h>
#include <unistd.h>

#include "lyre/core/suggest.h"

#include "apps/lyre/bench.h"
#include "apps/lyre/check.h"
#include "apps/lyre/command.h"
#include "apps/lyre/help.h"
#include "apps/lyre/list.h"
#include "apps/lyre/new.h"
#include "apps/lyre/plan.h"
#include "apps/lyre/play.h"
#include "apps/lyre/schema.h"
#include "apps/lyre/terminal.h"
#include "apps/lyre/version.h"
#include "apps/lyre/why.h"

namespace lyre::app {
namespace {

int run(const std::vector<std::string>& all, Environment environment) {
    if (all.empty()) {
        out("{}", overview());
        return kDone;
    }
    std::string name = all[0];
    if (name == "-h" || name == "--help") name = "help";
    if (name == "--version") name = "version";
    const Command* command = find_command(name);
    if (command == nullptr) return kWrongUsage;
    const Words words{{all.begin() + 1, all.end()}, std::move(environment)};
    begin_command(*command, words);
    watch_end_requests(command->hears_end, tell_interrupted);
    const int code = command->run(*command, words);
    return code == kInterrupted ? fail(*command, "interrupted", kInterrupted) : code;
}

Environment read_environment(char** entries) {
    Environment environment;
    for (; *entries != nullptr; ++entries) {
        const std::string entry = *entries;
        const std::size_t equals = entry.find('=');
        if (equals != std::string::npos) environment.emplace_back(entry.substr(0, equals), entry.substr(equals + 1));
    }
    return environment;
}

// Else the next file that is opened would be one of them, and what is said would be written there.
void keep_standard_files() {
    for (int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (fcntl(file, F_GETFD) < 0) [[maybe_unused]]
            const int opened = open("/dev/null", O_RDONLY);  // who writes there is told that it cannot
}

}  // namespace

const std::vector<Command>& commands() {
    static const std::vector<Command> all = {
        {"play", "a match of bots, with a live view on a terminal", "lyre play --experience tag --bots 12 --seed 7",
         play, true},
        {"check", "what is wrong with the content of a project", "lyre check game/content", check, true},
        {"list", "what is there: experiences, features, assets, classes, tags, ...", "lyre list features", list},
        {"why", "why something is as it is, at a moment of a match", "lyre why actor Moero --pause-at 12", why, true},
        {"plan", "what would be loaded for an experience, in which order", "lyre plan control_points --to tag", plan},
        {"schema", "JSON Schemas of all content types, for editors", "lyre schema build/schemas", schema},
        {"new", "a feature or an experience to start from, which works as it is", "lyre new feature hoops", make_new},
        {"bench", "the benchmarks, all or those that match a filter", "lyre bench Spawn", bench},
        {"version", "version, ABI, content schema, build type and compiler", "lyre version --json", version},
        {"help", "this text, or more about one command", "lyre help play", help},
    };
    return all;
}

}  // namespace lyre::app

int main(int argc, char** argv, char** environment) try {
    lyre::app::keep_standard_files();
    const int code = lyre::app::run({argv + 1, argv + argc}, lyre::app::read_environment(environment));
    lyre::app::answer_failure();
    if (!lyre::app::is_out_gone() || lyre::app::has_hung_up() || lyre::app::has_nobody_read()) return code;
    lyre::app::tell("lyre: the output could not be written\n");
    return lyre::app::kFailed;
} catch (const std::exception& error) {
    lyre::app::tell("lyre: {}\n", error.what());
    return lyre::app::kFailed;
}
