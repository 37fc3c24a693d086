// apps/lyre/progress_line.h: says on stderr how far long work is: on a terminal in one line that is written over,
// elsewhere in a line now and then. What takes no time says nothing. Whatever is said otherwise (command.h) clears it.
//
//     ProgressLine line(command);
//     project.tell_progress([&](const session::Progress& progress) { return line.tell(progress); });
#pragma once

#include "lyre/core/clock.h"
#include "lyre/session/project.h"

#include "apps/lyre/command.h"

namespace lyre::app {

class ProgressLine {
public:
    explicit ProgressLine(const Command& command);
    ~ProgressLine() { detail::clear_line(); }
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    bool tell(const session::Progress& progress);  // false: somebody wants an end

private:
    RealClock clock_;
    const Command& command_;
    const bool is_terminal_;
    std::string stage_;
    std::int64_t begin_us_;  // of the stage
    std::int64_t next_us_;   // when it is said again
};

}  // namespace lyre::app
