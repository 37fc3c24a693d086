// apps/lyre/command.h: what a command of the program is, and how all of them read their words and fail.
//
// A command is one line of the table in main.cpp. Its run() declares options, parses, and works. Whatever is wrong with
// the words is one line on stderr that names the nearest right one, and exit code 2; nothing has started by then.
// stdout is for the answer, by out(); stderr for people, by tell(). Neither throws: an answer that could not be written
// is told by main() when the command has come to its end, and that nobody reads what is told changes nothing. With
// --json stdout is one document, also of a command that fails or is interrupted: {"error": ..., "problems": [...]} if
// it had no answer.
#pragma once

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdint>
#include <fmt/core.h>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

#include "lyre/core/numbers.h"
#include "lyre/core/problem.h"
#include "lyre/world/runtime.h"

namespace lyre::app {

enum ExitCode : int {
    kDone = 0,
    kFailed = 1,         // the thing asked for failed
    kWrongUsage = 2,     // refused before anything started
    kInterrupted = 130,  // by a signal, without a result
};

using Environment = std::vector<std::pair<std::string, std::string>>;

struct Words {
    std::vector<std::string> words;  // behind the command's name
    Environment environment;
};

struct Command {
    std::string_view name;
    std::string_view purpose;  // one line
    std::string_view example;
    int (*run)(const Command& command, const Words& words);
    bool hears_end = false;  // it asks is_end_requested(); else a signal ends it on the spot
};

const std::vector<Command>& commands();                       // in main.cpp, in the order people should read them
const Command* find_command(std::string_view name);           // null: told on stderr, with the nearest
std::string overview();                                       // what `lyre` alone prints
int fail(const Command& command, const std::string& problem,  // one line; gives the code
         ExitCode code = kWrongUsage);
int fail(const Command& command, const Status& status);  // unknown, or never possible: kWrongUsage; else kFailed
void print_problems(int file, const Problems& problems);
void answer_failure();  // the document, if --json was asked for and nothing was answered; at the end
void begin_command(const Command& command, const Words& words);  // before it runs
void tell_interrupted();  // the same as a failure; in a signal's handler, so it waits for nobody

namespace detail {
// A signal's handler sees these.
inline volatile std::sig_atomic_t has_answered = 0;   // out() has begun to write
inline volatile std::sig_atomic_t is_line_shown = 0;  // of ProgressLine, to be written over
inline constexpr std::string_view kClearLine = "\r\033[K";
inline bool is_out_gone = false;
void clear_line();
void write(int file, std::string_view text);  // at once: what ends the process on the spot does not take it along
}  // namespace detail
template <class... T> void out(fmt::format_string<T...> format, T&&... values) {
    const std::string text = fmt::format(format, std::forward<T>(values)...);
    detail::has_answered = 1;  // before: nothing else is written into half an answer
    detail::write(STDOUT_FILENO, text);
}
template <class... T> void tell(fmt::format_string<T...> format, T&&... values) {
    detail::write(STDERR_FILENO, fmt::format(format, std::forward<T>(values)...));
}
inline bool is_out_gone() {  // nobody will read what is still to be said
    return detail::is_out_gone;
}

std::string grouped(std::uint64_t number);                        // "10,000"
std::string several(std::uint64_t count, std::string_view what);  // "1 row", "10,000 rows"

std::string bytes_text(std::uint64_t done, std::uint64_t of);  // "1.2 of 3.4 MB", "3.4 MB"; "" of none
std::size_t fitting(std::string_view text, int columns);       // bytes of it that are not too wide
std::string cut(std::string_view text, int columns);           // what is too wide is cut off; cleaned

// The options of one command, and its help, by CLI11.
class Options {
public:
    explicit Options(const Command& command);

    // `name`: of an option with what help says that it takes: "--seed N"; without dashes it is the word itself. Numbers
    // are read as core/numbers.h does.
    template <class T> void number(const char* name, T& value, T min, T max, const std::string& help);
    void flag(const char* name, bool& value, const std::string& help) { app_.add_flag(name, value, help); }
    void word(const char* name, std::string& value, const std::string& help);
    void words(const char* name, std::vector<std::string>& values, const std::string& help);    // may be repeated
    void several(const char* name, std::vector<std::string>& values, const std::string& help);  // in a row, too
    void phrase(const char* name, std::vector<std::string>& words, const std::string& help);    // several words
    void settings();                                                                            // --set

    // A value: help was asked for or something is wrong, all is said; this is the exit code.
    std::optional<int> parse(const Words& words);
    // Of the environment and --set, to the variables that are registered by now, and to those that features will bring:
    // `later` says whether one would take a value. As parse() otherwise.
    using Later = std::function<Status(std::string_view name, std::string_view value)>;
    std::optional<int> apply_settings(Runtime& runtime, const Environment& environment, const Later& later = {}) const;

private:
    struct Named {
        std::string name, takes;
    };
    static Named named(std::string_view name);
    int unexpected(const Words& words, const std::string& word) const;
    std::string repeated_before(const Words& words, const std::string& word) const;

    const Command& command_;
    CLI::App app_;
    std::vector<std::string> repeatable_;  // options that are written before each of their values
    std::vector<std::string> sets_;
};

template <class T> void Options::number(const char* name, T& value, T min, T max, const std::string& help) {
    const Named option = named(name);
    const auto read = [=, &value](const std::string& text) {
        auto number = parse_number<T>(text);
        const std::string problem = !number                          ? number.status().text()
                                    : *number < min || *number > max ? fmt::format("{} is out of range", text)
                                                                     : "";
        if (!problem.empty())
            throw CLI::ValidationError(
                fmt::format("{} takes a number from {} to {}: {}", option.name, min, max, problem));
        value = *number;
    };
    app_.add_option_function<std::string>(option.name, read, help)->type_name(option.takes);
}

}  // namespace lyre::app
