// apps/lyre/main.cpp: the `lyre` command: finds the command that was asked for and lets it run.
#include <cstdio>
#include <system_error>

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
#include "apps/lyre/version.h"
#include "apps/lyre/why.h"

namespace lyre::app {
namespace {

int run(const std::vector<std::string>& all, Environment environment) {
    if (all.empty()) {
        fmt::print("{}", overview());
        return kDone;
    }
    std::string name = all[0];
    if (name == "-h" || name == "--help") name = "help";
    if (name == "--version") name = "version";
    const Command* command = find_command(name);
    if (command == nullptr) return kWrongUsage;
    return command->run(*command, {{all.begin() + 1, all.end()}, std::move(environment)});
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

}  // namespace

const std::vector<Command>& commands() {
    static const std::vector<Command> all = {
        {"play", "a match of bots, with a live view on a terminal", "lyre play --experience tag --bots 12 --seed 7",
         play},
        {"check", "what is wrong with the content of a project", "lyre check game/content", check},
        {"list", "what is there: experiences, features, assets, classes, tags, ...", "lyre list features", list},
        {"why", "why something is as it is, at a moment of a match", "lyre why actor Moero --pause-at 12", why},
        {"plan", "what would be loaded for an experience, in which order", "lyre plan control_points --to tag", plan},
        {"schema", "JSON Schemas of all content types, for editors", "lyre schema build/schemas", schema},
        {"new", "a feature or an experience to start from, which works as it is", "lyre new feature tag", make_new},
        {"bench", "the benchmarks, all or those that match a filter", "lyre bench Spawn", bench},
        {"version", "version, ABI, build type and compiler", "lyre version --json", version},
        {"help", "this text, or more about one command", "lyre help play", help},
    };
    return all;
}

}  // namespace lyre::app

int main(int argc, char** argv, char** environment) try {
    const int code = lyre::app::run({argv + 1, argv + argc}, lyre::app::read_environment(environment));
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
    std::fputs("lyre: the output could not be written\n", stderr);
    return lyre::app::kFailed;
} catch (const std::system_error& error) {  // fmt says so when a file takes no more
    std::fprintf(stderr, "lyre: the output could not be written: %s\n", error.code().message().c_str());
    return lyre::app::kFailed;
} catch (const std::exception& error) {
    std::fprintf(stderr, "lyre: %s\n", error.what());
    return lyre::app::kFailed;
}
