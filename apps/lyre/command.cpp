#include "apps/lyre/command.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "lyre/core/suggest.h"
#include "lyre/core/utf8.h"

#include "apps/lyre/terminal.h"

namespace lyre::app {
namespace {

// Of this run of the program, for who asked for JSON.
struct {
    bool is_json = false;
    std::string error;  // the first
    Problems problems;
} failure;

bool asks_for_json(const Words& words) {
    return std::find(words.words.begin(), words.words.end(), "--json") != words.words.end();
}

char interrupted[64] = "";  // what is told then: made before, since a handler must not allocate

}  // namespace

const Command* find_command(std::string_view name) {
    Nearest search(name);
    for (const Command& command : commands()) {
        if (command.name == name) return &command;
        search.consider(command.name);
    }
    const std::string hint = search.best().empty() ? "; `lyre help` lists them" : did_you_mean(search.best());
    tell("lyre: no command {}{}\n", in_quotes(name), hint);
    return nullptr;
}

std::string overview() {
    std::string text = "lyre: modular multiplayer gameplay\n\nusage: lyre COMMAND [OPTION...]\n\n";
    for (const Command& command : commands()) text += fmt::format("  {:<9}{}\n", command.name, command.purpose);
    return text + "\n`lyre help COMMAND` says more about one.\n";
}

void detail::write(int file, std::string_view text) {
    clear_line();
    if (!write_all(file, text) && file == STDOUT_FILENO) is_out_gone = true;
}

void detail::clear_line() {
    if (std::exchange(is_line_shown, 0) != 0) write_all(STDERR_FILENO, kClearLine);
}

void print_problems(int file, const Problems& problems) {
    for (const Problem& problem : problems.all()) detail::write(file, problem.to_text() + "\n");
    if (problems.dropped() != 0) detail::write(file, fmt::format("and {} more\n\n", grouped(problems.dropped())));
    failure.problems.add_all(problems);
}

void answer_failure() {
    if (!failure.is_json || detail::has_answered || failure.error.empty()) return;
    auto document = nlohmann::ordered_json::parse(failure.problems.to_json());
    document["error"] = failure.error;
    out("{}\n", document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

void begin_command(const Command& command, const Words& words) {
    failure.is_json = asks_for_json(words);
    const auto end = fmt::format_to_n(interrupted, sizeof interrupted - 1, "lyre {}: interrupted\n", command.name);
    *end.out = '\0';
}

void tell_interrupted() {
    if (detail::is_line_shown) write_if_room(STDERR_FILENO, detail::kClearLine);
    write_if_room(STDERR_FILENO, interrupted);
    constexpr std::string_view kDocument =
        "{\n  \"problems\": [],\n  \"dropped\": 0,\n  \"error\": \"interrupted\"\n}\n";
    if (failure.is_json && !detail::has_answered) write_if_room(STDOUT_FILENO, kDocument);
}

int fail(const Command& command, const std::string& problem, ExitCode code) {
    if (failure.error.empty()) failure.error = cleaned(problem.substr(0, problem.find('\n')));
    tell("lyre {}: {}\n", command.name, cleaned(problem.substr(0, problem.find('\n'))));
    return code;
}

int fail(const Command& command, const Status& status) {
    const bool is_usage = status.code() == StatusCode::NotFound || status.code() == StatusCode::InvalidArgument;
    return fail(command, status.text(), is_usage ? kWrongUsage : kFailed);
}

std::string grouped(std::uint64_t number) {
    std::string text = fmt::format("{}", number);
    for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, ",");
    return text;
}

std::string several(std::uint64_t count, std::string_view what) {
    return fmt::format("{} {}{}", grouped(count), what, count == 1 ? "" : "s");
}

std::string bytes_text(std::uint64_t done, std::uint64_t of) {
    static constexpr std::array<std::pair<std::string_view, double>, 4> kUnits = {
        {{"GB", 1e9}, {"MB", 1e6}, {"KB", 1e3}, {"bytes", 1}}};
    if (of == 0) return {};
    const auto all = static_cast<double>(of);
    const auto [name, unit] =
        *std::find_if(kUnits.begin(), kUnits.end() - 1, [&](const auto& one) { return all >= one.second; });
    const auto number = [unit = unit](double bytes) { return fmt::format("{:.{}f}", bytes / unit, unit > 1 ? 1 : 0); };
    if (done >= of) return fmt::format("{} {}", number(all), name);
    return fmt::format("{} of {} {}", number(static_cast<double>(done)), number(all), name);
}

std::size_t fitting(std::string_view text, int columns) {
    std::size_t at = 0;
    while (at < text.size()) {
        const Utf8Character one = first_character(text.substr(at));
        columns -= columns_of(one.code);
        if (columns < 0) break;
        at += one.size;
    }
    return at;
}

std::string cut(std::string_view text, int columns) {
    return cleaned(text.substr(0, fitting(text, columns)));
}

Options::Options(const Command& command)
    : command_(command), app_(std::string(command.purpose), fmt::format("lyre {}", command.name)) {
    app_.set_help_flag("-h,--help", "this text");
    app_.footer(fmt::format("Example: {}", command.example));
    app_.allow_extras();  // CLI11 would list all of them and suggest nothing; parse() does better
}

Options::Named Options::named(std::string_view name) {
    const std::size_t blank = name.find(' ');
    if (blank == std::string_view::npos) return {std::string(name), ""};
    return {std::string(name.substr(0, blank)), std::string(name.substr(blank + 1))};
}

void Options::word(const char* name, std::string& value, const std::string& help) {
    const Named option = named(name);
    app_.add_option(option.name, value, help)->type_name(option.takes);
}

void Options::words(const char* name, std::vector<std::string>& values, const std::string& help) {
    const Named option = named(name);
    const bool is_option = name[0] == '-';
    app_.add_option(option.name, values, help)->type_name(option.takes)->allow_extra_args(!is_option);
    if (is_option) repeatable_.push_back(option.name);
}

void Options::several(const char* name, std::vector<std::string>& values, const std::string& help) {
    const Named option = named(name);
    app_.add_option(option.name, values, help)->type_name(option.takes);
}

void Options::phrase(const char* name, std::vector<std::string>& words, const std::string& help) {
    const Named option = named(name);
    app_.add_option(option.name, words, help)->type_name(option.takes)->expected(1, 3);
}

void Options::settings() {
    words("--set VAR=VALUE", sets_, "a variable's value; may be repeated");
}

std::optional<int> Options::parse(const Words& words) {
    failure.is_json = app_.get_option_no_throw("--json") != nullptr && asks_for_json(words);
    try {
        app_.parse(std::vector<std::string>(words.words.rbegin(), words.words.rend()));  // CLI11 wants the last first
    } catch (const CLI::CallForHelp&) {
        out("{}", app_.help());
        return kDone;
    } catch (const CLI::ArgumentMismatch& error) {
        const std::string text = error.what();  // "--seed: 1 required N missing", "--seed: At Most 1 required ..."
        const std::string name = text.substr(0, text.find(':'));
        const CLI::Option* option = app_.get_option_no_throw(name);
        const bool is_too_much = text.find("At Most") != std::string::npos;
        const bool is_once = std::count_if(words.words.begin(), words.words.end(), [&](const std::string& word) {
                                 return word.substr(0, word.find('=')) == name;
                             }) == 1;
        if (is_too_much && is_once && option != nullptr)
            return fail(command_, fmt::format("{} takes at most {} words", name, option->get_expected_max()));
        return fail(command_, fmt::format("{} {}", name, is_too_much ? "is given more than once" : "needs a value"));
    } catch (const CLI::ParseError& error) {
        return fail(command_, error.what());
    }
    if (const auto extra = app_.remaining(); !extra.empty()) return unexpected(words, extra.front());
    for (const CLI::Option* option : app_.get_options()) {
        const auto& given = option->results();
        if (option->get_name().starts_with("--") && std::find(given.begin(), given.end(), "") != given.end())
            return fail(command_, fmt::format("{} needs a value", option->get_name()));
    }
    return std::nullopt;
}

// The option that has a value just before the word, wherever that stands, if it takes several in turn.
std::string Options::repeated_before(const Words& words, const std::string& word) const {
    const auto& all = words.words;
    for (std::size_t at = 1; at < all.size(); ++at)
        for (const std::string& option : repeatable_)
            if (all[at] == word && ((at >= 2 && all[at - 2] == option) || all[at - 1].starts_with(option + "=")))
                return option;
    return {};
}

int Options::unexpected(const Words& words, const std::string& word) const {
    if (word.empty() || word[0] != '-') {
        const std::string option = repeated_before(words, word);
        const bool names_experience = app_.get_option_no_throw("--experience") != nullptr;
        return fail(command_, fmt::format("{} is one word too many{}", in_quotes(word),
                                          !option.empty()    ? fmt::format("; write {} before each", option)
                                          : names_experience ? "; an experience is named by --experience"
                                                             : ""));
    }
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
