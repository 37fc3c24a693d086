#include "apps/lyre/progress_line.h"

#include <cstdlib>
#include <cstring>
#include <sys/ioctl.h>
#include <unistd.h>

#include "apps/lyre/terminal.h"

namespace lyre::app {
namespace {

constexpr std::int64_t kAgainUs = 100'000;         // on a terminal
constexpr std::int64_t kPlainAgainUs = 5'000'000;  // elsewhere

bool is_terminal() {
    const char* kind = std::getenv("TERM");
    return isatty(STDERR_FILENO) != 0 && kind != nullptr && std::strcmp(kind, "dumb") != 0;
}

int columns() {
    winsize size = {};
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 ? 80 : size.ws_col;
}

}  // namespace

ProgressLine::ProgressLine(const Command& command, session::Project& project)
    : command_(command),
      project_(project),
      is_terminal_(is_terminal()),
      begin_us_(clock_.now_us()),
      next_us_(begin_us_ + (is_terminal_ ? kAgainUs : kPlainAgainUs)) {
    project_.tell_progress([this](const session::Progress& progress) { return tell(progress); });
}

ProgressLine::~ProgressLine() {
    project_.tell_progress({});
    detail::clear_line();
}

bool ProgressLine::tell(const session::Progress& progress) {
    const std::int64_t now = clock_.now_us();
    if (now < next_us_) return !is_end_requested();
    next_us_ = now + (is_terminal_ ? kAgainUs : kPlainAgainUs);
    const std::string bytes = bytes_text(progress.bytes.done, progress.bytes.of);
    const std::string text = fmt::format("lyre {}: {}{}{}, {:.1f} s{}{}", command_.name, progress.stage,
                                         progress.of == 0 ? "" : fmt::format(" {}/{}", progress.done, progress.of),
                                         bytes.empty() ? "" : " " + bytes, static_cast<double>(now - begin_us_) / 1e6,
                                         progress.item.empty() ? "" : ": ", progress.item);
    const std::string line = cut(text, is_terminal_ ? columns() - 1 : 200) + (is_terminal_ ? "" : "\n");
    detail::clear_line();
    detail::is_line_shown = is_terminal_ ? 1 : 0;  // before it is: a signal's handler writes over all of it
    write_all(STDERR_FILENO, line);
    return !is_end_requested();
}

}  // namespace lyre::app
