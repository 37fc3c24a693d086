#include "apps/lyre/command.h"

#include <algorithm>
#include <cstdio>

#include "lyre/core/suggest.h"
#include "lyre/core/utf8.h"

namespace lyre::app {

// To people; that nobody can read it changes no exit code.
static void tell(const std::string& text) {
    std::fputs(text.c_str(), stderr);
}

const Command* find_command(std::string_view name) {
    Nearest search(name);
    for (const Command& command : commands()) {
        if (command.name == name) return &command;
        search.consider(command.name);
    }
    const std::string hint = search.best().empty() ? "; `lyre help` lists them" : did_you_mean(search.best());
    tell(fmt::format("lyre: no command {}{}\n", in_quotes(name), hint));
    return nullptr;
}

std::string overview() {
    std::string text = "lyre: modular multiplayer gameplay\n\nusage: lyre COMMAND [OPTION...]\n\n";
    for (const Command& command : commands()) text += fmt::format("  {:<9}{}\n", command.name, command.purpose);
    return text + "\n`lyre help COMMAND` says more about one.\n";
}

int fail(const Command& command, const std::string& problem, ExitCode code) {
    tell(fmt::format("lyre {}: {}\n", command.name, cleaned(problem.substr(0, problem.find('\n')))));
    return code;
}

std::string grouped(std::uint64_t number) {
    std::string text = fmt::format("{}", number);
    for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, ",");
    return text;
}

std::string several(std::uint64_t count, std::string_view what) {
    return fmt::format("{} {}{}", grouped(count), what, count == 1 ? "" : "s");
}

Options::Options(const Command& command)
    : command_(command), app_(std::string(command.purpose), fmt::format("lyre {}", command.name)) {
    app_.set_help_flag("-h,--help", "this text");
    app_.footer(fmt::format("Example: {}", command.example));
    app_.allow_extras();  // CLI11 would list all of them and suggest nothing; parse() does better
}

void Options::word(const char* name, std::string& value, const std::string& help) {
    app_.add_option(name, value, help)->type_name("");
}

void Options::words(const char* name, std::vector<std::string>& values, const std::string& help) {
    app_.add_option(name, values, help)->type_name("")->allow_extra_args(name[0] != '-');
}

void Options::several(const char* name, std::vector<std::string>& values, const std::string& help) {
    app_.add_option(name, values, help)->type_name("ID");
}

void Options::phrase(const char* name, std::vector<std::string>& words, const std::string& help) {
    app_.add_option(name, words, help)->type_name("WORD...")->expected(1, 3);
}

void Options::settings() {
    app_.add_option("--set", sets_, "a variable's value; may be repeated")
        ->type_name("VAR=VALUE")
        ->allow_extra_args(false);
}

std::optional<int> Options::parse(const Words& words) {
    try {
        app_.parse(std::vector<std::string>(words.words.rbegin(), words.words.rend()));  // CLI11 wants the last first
    } catch (const CLI::CallForHelp&) {
        fmt::print("{}", app_.help());
        return kDone;
    } catch (const CLI::ArgumentMismatch& error) {
        const std::string text = error.what();  // "--seed: 1 required N missing"
        return fail(command_, fmt::format("{} needs a value", text.substr(0, text.find(':'))));
    } catch (const CLI::ParseError& error) {
        return fail(command_, error.what());
    }
    if (const auto extra = app_.remaining(); !extra.empty()) return unexpected(extra.front());
    return std::nullopt;
}

int Options::unexpected(const std::string& word) const {
    if (word.empty() || word[0] != '-') return fail(command_, fmt::format("{} is one word too many", in_quotes(word)));
    const std::string name = word.substr(0, word.find('='));
    std::vector<std::string> known;
    for (const CLI::Option* option : app_.get_options())
        for (const std::string& one : option->get_lnames()) known.push_back("--" + one);
    const std::string_view best = nearest(name, known);
    const std::string hint =
        best.empty() ? fmt::format("; `lyre help {}` lists them", command_.name) : did_you_mean(best);
    return fail(command_, fmt::format("no option {}{}", in_quotes(name), hint));
}

std::optional<int> Options::apply_settings(Runtime& runtime, const Environment& environment, const Later& later) const {
    Variables& variables = runtime.variables();
    std::vector<Status> wrong;
    const auto set = [&](const std::string& text) {
        const std::size_t equals = text.find('=');
        if (equals == std::string::npos) return Status::invalid("--set wants VAR=VALUE, not {}", in_quotes(text));
        const std::string name = text.substr(0, equals), value = text.substr(equals + 1);
        const VariableOrigin origin{VariableSource::CommandLine, "--set"};
        if (!later || variables.describe(name)) return variables.set(name, value, origin);
        const Status status = later(name, value);
        return status ? variables.configure(name, value, origin) : status;
    };
    for (const VariableProblem& problem : variables.apply_environment(environment)) wrong.push_back(problem.why);
    for (const VariableProblem& problem : variables.problems())
        if (const Status status = later ? later(problem.name, problem.text) : problem.why; !status)
            wrong.push_back(status.code() == StatusCode::NotFound ? problem.why : status);
    for (const std::string& text : sets_)
        if (Status status = set(text); !status) wrong.push_back(status);
    for (const Status& status : wrong) fail(command_, status.text());
    return wrong.empty() ? std::nullopt : std::optional<int>(kWrongUsage);
}

}  // namespace lyre::app
