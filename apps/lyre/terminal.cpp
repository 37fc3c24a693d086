#include "apps/lyre/terminal.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <poll.h>
#include <string_view>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <utility>

#include "lyre/core/assert.h"

// A sanitizer ends the process without signals and without exit().
extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*call)());

namespace lyre::app {
namespace {

// Handlers see these, so they are plain and the process's.
volatile std::sig_atomic_t end_requests = 0;
volatile std::sig_atomic_t deadly_request = 2;
volatile std::sig_atomic_t is_watched = 0;  // the first request is heard; else it ends the process
void (*tell_end)() = nullptr;
volatile std::sig_atomic_t hang_ups = 0;
volatile std::sig_atomic_t stop_requests = 0;
bool has_input_gone = false;
volatile std::sig_atomic_t is_shown = 0;
termios before = {};

constexpr std::int64_t kSequenceUs = 20'000;          // between the characters of one key
constexpr int kRoomMs = 100;                          // then it is asked again whether somebody wants an end
constexpr int kPatienceMs = 5000;                     // for room, when somebody does
constexpr int kLeaveMs = 500;                         // for room to bring the screen back, also in a crash
constexpr int kAgainMs = 10;                          // for a terminal whose room is less than a line's end needs
constexpr std::size_t kPiece = 4096;                  // bytes at once: a pipe with room takes them without waiting
constexpr int kMostColumns = 1000, kMostLines = 400;  // that are drawn, whatever a terminal says of itself
constexpr std::string_view kEnter = "\033[?1049h\033[?25l\033[2J";  // other screen, no cursor, empty
constexpr std::string_view kLeave = "\033[0m\033[?25h\033[?1049l";

// A terminal that says it has room may have too little, and write() would wait for more: it is written to by a way of
// our own that does not wait, since whether the one that was given waits is everybody's who has it.
int ways[] = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO};
volatile std::sig_atomic_t is_unread = 0;

void open_ways() {
    for (int file : {STDOUT_FILENO, STDERR_FILENO}) {
        const char* path = file == STDOUT_FILENO ? "/proc/self/fd/1" : "/proc/self/fd/2";
        const int own = isatty(file) ? open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1;
        if (own >= 0) ways[file] = own;  // else somebody else's terminal
    }
}

enum class Put : std::uint8_t { All, LeftOut, Gone };

// Only what a signal's handler may call. When somebody wants an end, or the text must not wait for ever whoever does, it
// waits for room only so long.
Put put(int file, std::string_view text, int patience_ms, bool is_always_over = false) {
    int waited_ms = 0;
    while (!text.empty()) {
        const bool is_to_end = is_always_over || end_requests > 0;
        const int wait_ms = is_to_end ? std::clamp(patience_ms - waited_ms, 0, kRoomMs) : kRoomMs;
        pollfd way = {ways[file], POLLOUT, 0};
        const bool has_room = poll(&way, 1, wait_ms) > 0;
        const ssize_t written = has_room ? ::write(ways[file], text.data(), std::min(text.size(), kPiece)) : 0;
        if (written < 0 && errno != EINTR && errno != EAGAIN) return Put::Gone;
        if (written > 0) {
            text.remove_prefix(static_cast<std::size_t>(written));
            waited_ms = 0;
            continue;
        }
        if (is_to_end && waited_ms >= patience_ms) return Put::LeftOut;
        if (has_room) poll(nullptr, 0, kAgainMs);
        if (is_to_end) waited_ms += has_room ? kAgainMs : wait_ms;
    }
    return Put::All;
}

// Pages that find no room are left out when somebody wants an end.
void show(std::string_view text) {
    put(STDOUT_FILENO, text, 0);
}

void enter() {
    termios raw = before;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);  // signals stay: Ctrl-C and Ctrl-Z mean what they do
    raw.c_iflag &= ~static_cast<tcflag_t>(IXON);           // a Ctrl-S would keep the screen from coming back
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = 0;
    is_shown = 1;
    tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    show(kEnter);
}

void leave() {
    if (!is_shown) return;
    is_shown = 0;
    tcsetattr(STDIN_FILENO, TCSANOW, &before);
    put(STDOUT_FILENO, kLeave, is_unread ? 0 : kLeaveMs, true);
}

void end_requested(int signal) {
    if (signal == SIGHUP) hang_ups = 1;
    if (is_watched) {  // else nobody is to see it: another thread would tell that its work was broken off
        end_requests = end_requests + 1;
        if (end_requests < deadly_request) return;
    }
    leave();
    tell_end();
    _exit(130);
}

void stop_requested(int) {
    stop_requests = 1;
}

// And what else ends a process that does not ask.
constexpr int kCrashes[] = {SIGQUIT, SIGILL,  SIGABRT, SIGBUS,    SIGFPE,  SIGSEGV, SIGUSR1,
                            SIGUSR2, SIGALRM, SIGXCPU, SIGVTALRM, SIGPROF, SIGXFSZ};

// What the process did before there was a Terminal: a sanitizer reports, a shell's background job ignores.
struct sigaction crash_before[std::size(kCrashes)] = {};
struct sigaction stop_before = {};
std::terminate_handler terminate_before = nullptr;
bool is_crash_watched = false;
alignas(16) char crash_stack[64 << 10];  // for a crash because the stack is full

void handle(int signal, void (*handler)(int)) {
    struct sigaction action = {};
    action.sa_handler = handler;
    sigaction(signal, &action, nullptr);
}

void unwatch_crashes() {
    if (!is_crash_watched) return;
    is_crash_watched = false;
    for (std::size_t i = 0; i < std::size(kCrashes); ++i) sigaction(kCrashes[i], &crash_before[i], nullptr);
}

// Whatever is wrong with an instruction is wrong again when it is repeated; what was sent is sent again.
void crashed(int signal, siginfo_t* info, void*) {
    leave();
    unwatch_crashes();
    const bool is_instruction = signal == SIGILL || signal == SIGBUS || signal == SIGFPE || signal == SIGSEGV;
    if (!is_instruction || info->si_code <= 0) raise(signal);
}

[[noreturn]] void terminated() {
    leave();
    terminate_before();
    std::abort();
}

void watch_crashes() {
    stack_t stack = {};
    sigaltstack(nullptr, &stack);
    if ((stack.ss_flags & SS_DISABLE) != 0) {
        stack = {};
        stack.ss_sp = crash_stack;
        stack.ss_size = sizeof crash_stack;
        sigaltstack(&stack, nullptr);
    }
    struct sigaction action = {};
    action.sa_sigaction = crashed;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    for (std::size_t i = 0; i < std::size(kCrashes); ++i) sigaction(kCrashes[i], &action, &crash_before[i]);
    is_crash_watched = true;
}

// Once: there is no way back from these.
void watch_exits() {
    [[maybe_unused]] static const bool is_watched = [] {
        if (__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(leave);
        return std::atexit(leave) == 0;
    }();
}

// As if there were no handler: the kernel stops the process unless nobody is there who could continue it, in a process
// group without a shell. SIGSTOP would stop it for ever then.
void stop_and_continue() {
    stop_requests = 0;
    leave();
    sigaction(SIGTSTP, &stop_before, nullptr);
    raise(SIGTSTP);
    handle(SIGTSTP, stop_requested);
    enter();
}

}  // namespace

// The address sanitizer calls it before it writes its report; nobody does elsewhere.
extern "C" void __asan_on_error();
extern "C" void __asan_on_error() {
    leave();
}

// Who had a signal ignored (nohup, a script's background job) goes on ignoring it.
void watch_end_requests(bool is_first_heard, void (*tell)()) {
    open_ways();
    tell_end = tell;
    is_watched = is_first_heard;
    for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction old = {};
        sigaction(signal, nullptr, &old);
        if (old.sa_handler != SIG_IGN) handle(signal, end_requested);
    }
}

bool is_end_requested() {
    return end_requests > 0 || has_input_gone;
}

bool has_hung_up() {
    return hang_ups != 0;
}

void end_at_next_request() {
    deadly_request = std::min<std::sig_atomic_t>(end_requests + 1, 2);
}

bool write_all(int file, std::string_view text) {
    const Put how = put(file, text, is_unread ? 0 : kPatienceMs);
    if (how == Put::LeftOut) is_unread = 1;
    return how == Put::All;
}

void write_if_room(int file, std::string_view text) {
    pollfd way = {ways[file], POLLOUT, 0};
    if (poll(&way, 1, 0) <= 0) return;
    [[maybe_unused]] const ssize_t written = ::write(ways[file], text.data(), text.size());
}

bool has_nobody_read() {
    return is_unread != 0;
}

bool Terminal::is_possible() {
    const char* kind = std::getenv("TERM");
    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && kind != nullptr && std::strcmp(kind, "dumb") != 0;
}

Terminal::Terminal() {
    tcgetattr(STDIN_FILENO, &before);
    sigaction(SIGTSTP, nullptr, &stop_before);
    if (stop_before.sa_handler != SIG_IGN) handle(SIGTSTP, stop_requested);
    watch_crashes();
    watch_exits();
    before_broken_rule(leave);
    terminate_before = std::set_terminate(terminated);
    enter();
}

Terminal::~Terminal() {
    leave();
    std::set_terminate(terminate_before);
    before_broken_rule(nullptr);
    unwatch_crashes();
    sigaction(SIGTSTP, &stop_before, nullptr);
}

Terminal::Size Terminal::size() const {
    winsize size = {};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return {};
    return {std::min<int>(size.ws_col, kMostColumns), std::min<int>(size.ws_row, kMostLines)};
}

void Terminal::show(const std::string& page) {
    // Over what is there: clearing all of it first would flicker. A line is cleared before it is written: behind the
    // last column that would take the last character with it.
    std::string text = "\033[H";
    for (std::size_t at = 0; at <= page.size();) {
        const std::size_t end = std::min(page.find('\n', at), page.size());
        text += end < page.size() ? "\033[K" : "\033[J";
        text.append(page, at, end - at);
        if (end < page.size()) text += "\r\n";
        at = end + 1;
    }
    lyre::app::show(text + "\033[H");
}

char Terminal::wait_for_key(std::int64_t us) {
    const char key = next_ != 0 ? std::exchange(next_, '\0') : wait_for_character(us);
    if (key != kEscape) return key;
    next_ = wait_for_character(kSequenceUs);
    if (next_ != '[' && next_ != 'O') return key;
    next_ = 0;
    return rest_of_sequence();
}

// "A", "1~", "1;5C": behind the Escape and what opens it.
char Terminal::rest_of_sequence() {
    const char first = wait_for_character(kSequenceUs);
    char last = first;
    while (last != 0 && (last < '@' || last > '~')) last = wait_for_character(kSequenceUs);
    switch (last == '~' ? first : last) {
        case 'A':
            return kUp;
        case 'B':
            return kDown;
        case 'C':
            return kRight;
        case 'D':
            return kLeft;
        case 'H':
        case '1':
        case '7':
            return kHome;
        case 'F':
        case '4':
        case '8':
            return kEnd;
        case '3':
            return kDelete;
        default:
            return 0;
    }
}

char Terminal::wait_for_character(std::int64_t us) {
    if (stop_requests) stop_and_continue();
    pollfd keys = {STDIN_FILENO, POLLIN, 0};
    const timespec wait = {us / 1'000'000, us % 1'000'000 * 1000};
    if (ppoll(&keys, 1, &wait, nullptr) <= 0) return 0;
    char key = 0;
    const ssize_t count = read(STDIN_FILENO, &key, 1);
    const bool has_gone = count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN);
    if (has_gone) has_input_gone = true;
    return count == 1 ? key : '\0';
}

}  // namespace lyre::app
