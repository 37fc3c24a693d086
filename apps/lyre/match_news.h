// apps/lyre/match_news.h: what has been said lately, in order of time: the feed
// of the match, and what the view itself has to say, which is no part of the
// match.
//
//     news.hear(game);            // after every frame
//     news.tell("dash on");
//
// A line has the match's time at which it was first seen here. What is told
// twice in a row stands once, with its last time: a warning that comes again
// and again leaves the feed where it can be read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lyre/session/standalone.h"

namespace lyre::app {

class MatchNews {
public:
    static constexpr std::size_t kMaxLines = 64;  // the newest
    struct Line {
        double time = 0;  // s of the match
        std::string text;
        bool is_own = false;      // of the view
        bool is_warning = false;  // left out of a failed load's page, which says what went wrong
    };
    void hear(const session::Standalone& game);
    void tell(std::string text, bool is_warning = false);
    const std::vector<Line>& lines() const { return lines_; }  // oldest first

private:
    void add(Line line);

    std::vector<Line> lines_;
    double time_ = 0;
    std::uint64_t heard_ = 0;  // of the lines that the feed has ever had
};

}  // namespace lyre::app
