// apps/lyre/progress_line.h: says on stderr how far long work is: on a terminal in one line that is written over,
// elsewhere in a line now and then. What takes no time says nothing. Whatever is said otherwise (command.h) clears it.
//
//     ProgressLine line(command, project);        // which tells it what it does, as long as there is the line
#pragma once

#include "lyre/core/clock.h"
#include "lyre/session/project.h"

#include "apps/lyre/command.h"

namespace lyre::app {

class ProgressLine {
public:
    ProgressLine(const Command& command, session::Project& project);
    ~ProgressLine();
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    bool tell(const session::Progress& progress);  // false: somebody wants an end

private:
    RealClock clock_;
    const Command& command_;
    session::Project& project_;
    const bool is_terminal_;
    const std::int64_t begin_us_;
    std::int64_t next_us_;  // when it is said again
};

}  // namespace lyre::app
