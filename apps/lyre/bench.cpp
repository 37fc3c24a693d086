#include "apps/lyre/bench.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <sstream>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lyre/core/suggest.h"

namespace lyre::app {
namespace {

volatile std::sig_atomic_t child = 0;
volatile std::sig_atomic_t was_interrupted = 0;

// Who interrupts us means the benchmark.
void interrupt(int) {
    was_interrupted = 1;
    if (child > 0) kill(static_cast<pid_t>(child), SIGTERM);
}

void watch_signals() {
    struct sigaction action = {};
    action.sa_handler = interrupt;
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
}

// Who asks the program: people, programs, who get its answer when it is whole, or we, who say ourselves what is wrong.
enum class Asked { ByPeople, ByPrograms, ByUs };

[[noreturn]] void become(std::vector<std::string>& words, Asked asked, int file) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);  // however we end, it does not stay behind
    if (asked != Asked::ByPeople) dup2(file, STDOUT_FILENO);
    if (asked == Asked::ByUs) dup2(file, STDERR_FILENO);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    execv(arguments[0], arguments.data());
    _exit(127);
}

// All that was written to a file.
std::string text_of(std::FILE* file) {
    std::string text;
    char part[4096];
    std::rewind(file);
    while (const std::size_t size = std::fread(part, 1, sizeof part, file)) text.append(part, size);
    return text;
}

// Runs the program to its end; what is not said to people is in `said` then. Gives the exit code for the command.
int run_program(const Command& command, std::vector<std::string> words, Asked asked, std::string& said) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), std::fclose);
    if (file == nullptr) return fail(command, fmt::format("no temporary file: {}", std::strerror(errno)), kFailed);
    const pid_t started = fork();
    if (started == 0) become(words, asked, fileno(file.get()));
    if (started < 0) return fail(command, fmt::format("no new process: {}", std::strerror(errno)), kFailed);
    child = started;
    if (was_interrupted) interrupt(0);
    int status = 0;
    while (waitpid(started, &status, 0) < 0 && errno == EINTR) continue;
    child = 0;
    said = text_of(file.get());
    if (was_interrupted) return kInterrupted;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return kDone;
    const std::string how = WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : fmt::format("{}", WEXITSTATUS(status));
    return fail(command, fmt::format("{} ended with {}", words[0], how), kFailed);
}

// The names of all benchmarks the filter lets through.
int list_names(const Command& command, const std::string& program, const std::string& filter,
               std::vector<std::string>& names) {
    std::string said;
    const int code = run_program(command, {program, "--benchmark_list_tests=true", "--benchmark_filter=" + filter},
                                 Asked::ByUs, said);
    std::istringstream lines(said);
    for (std::string name; std::getline(lines, name);)
        if (name.find(' ') == std::string::npos) names.push_back(name);  // the rest is a complaint about the filter
    return code;
}

}  // namespace

int bench(const Command& command, const Words& words) {
    std::string filter;
    bool as_json = false;
    Options options(command);
    options.word("FILTER", filter, "a part of their names, or a regular expression");
    options.flag("--json", as_json, "as one JSON document");
    if (const auto code = options.parse(words)) return *code;

    namespace fs = std::filesystem;
    std::error_code missing;
    const fs::path own = fs::read_symlink("/proc/self/exe", missing);
    const std::string program = (own.parent_path() / "../../bench/lyre_bench").lexically_normal();
    if (!fs::exists(program, missing))
        return fail(command, fmt::format("there is no {}; build it first", program), kFailed);

    watch_signals();
    std::vector<std::string> names, all;
    if (const int code = list_names(command, program, filter.empty() ? "." : filter, names); code != kDone) return code;
    if (names.empty()) {
        if (const int code = list_names(command, program, ".", all); code != kDone) return code;
        const std::string_view best = nearest(filter, all);
        const std::string hint =
            best.empty() && !all.empty() ? fmt::format("; one of {} is {}", all.size(), all[0]) : did_you_mean(best);
        return fail(command, fmt::format("no benchmark matches {}{}", in_quotes(filter), hint));
    }
    std::string answer;
    const int code = run_program(command,
                                 {program, fmt::format("--benchmark_filter={}", filter.empty() ? "." : filter),
                                  fmt::format("--benchmark_format={}", as_json ? "json" : "console")},
                                 as_json ? Asked::ByPrograms : Asked::ByPeople, answer);
    if (code == kDone && as_json) out("{}", answer);
    return code;
}

}  // namespace lyre::app
