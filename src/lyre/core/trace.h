// core/trace.h: what happened, in order: the story a test compares and a timeline draws.
//
//     Trace trace(clock);
//     trace.set_level(TraceLevel::Events);
//     TraceWriter server = trace.writer(Name("server"));              // rooms are handed a writer of their side
//     server.event(kStage, experience, "{} -> {}", before, after);    // a line, if events are on
//
// All sides of a simulation write into one Trace, so their lines have one order and one running hash: two runs with
// the same seed have the same hash. Off (the beginning) a line costs one test and nothing is formatted. When the list
// is full the oldest lines go and are counted; the hash has them still. Nothing in the library decides by what is
// traced. Frame's thread only.
#pragma once

#include <cstdint>
#include <deque>
#include <fmt/core.h>
#include <string>
#include <string_view>
#include <utility>

#include "lyre/core/clock.h"
#include "lyre/core/name.h"

namespace lyre::inline core {

enum class TraceLevel : std::uint8_t {
    Off,
    Events,   // what a person would tell: states, loads, spawns, refusals
    Packets,  // and what goes over the network
    All,      // and every step on the way
};

struct TraceLine {
    std::int64_t time_us = 0;
    Name side;  // "server", "client 2"
    Name kind;  // "experience.stage"
    std::string subject;
    std::string detail;

    std::string to_string() const;
    friend bool operator==(const TraceLine&, const TraceLine&) = default;
};

class TraceWriter;

class Trace {
public:
    static constexpr std::size_t kDefaultCapacity = 65'536;  // lines; a busy minute of a match at level Events

    explicit Trace(const Clock& clock, std::size_t capacity = kDefaultCapacity);
    Trace(const Trace&) = delete;
    Trace& operator=(const Trace&) = delete;

    TraceWriter writer(Name side);
    void set_level(TraceLevel level) { level_ = level; }
    TraceLevel level() const { return level_; }
    bool enabled(TraceLevel level) const { return level <= level_; }
    void write(Name side, Name kind, std::string subject, std::string detail);  // at any level

    const std::deque<TraceLine>& lines() const { return lines_; }  // oldest first
    std::size_t count(Name kind) const;                            // among lines()
    std::uint64_t written() const { return written_; }
    std::uint64_t dropped() const { return written_ - lines_.size(); }
    std::uint64_t hash() const { return hash_; }  // of all lines ever written

private:
    const Clock& clock_;
    std::size_t capacity_;
    std::deque<TraceLine> lines_;
    std::uint64_t written_ = 0;
    std::uint64_t hash_ = 0;
    TraceLevel level_ = TraceLevel::Off;
};

// The pen of one side. A small value; the Trace must outlive it. `subject` is anything that can be formatted.
class TraceWriter {
public:
    bool enabled(TraceLevel level) const { return trace_->enabled(level); }

    template <class Subject, class... Args>
    void event(Name kind, const Subject& subject, fmt::format_string<Args...> f, Args&&... args) const {
        if (enabled(TraceLevel::Events)) write(kind, subject, f, std::forward<Args>(args)...);
    }
    template <class Subject, class... Args>
    void packet(Name kind, const Subject& subject, fmt::format_string<Args...> f, Args&&... args) const {
        if (enabled(TraceLevel::Packets)) write(kind, subject, f, std::forward<Args>(args)...);
    }
    template <class Subject, class... Args>
    void step(Name kind, const Subject& subject, fmt::format_string<Args...> f, Args&&... args) const {
        if (enabled(TraceLevel::All)) write(kind, subject, f, std::forward<Args>(args)...);
    }

private:
    friend class Trace;
    TraceWriter(Trace& trace, Name side) : trace_(&trace), side_(side) {}
    template <class Subject, class... Args>
    void write(Name kind, const Subject& subject, fmt::format_string<Args...> f, Args&&... args) const {
        trace_->write(side_, kind, fmt::format("{}", subject), fmt::format(f, std::forward<Args>(args)...));
    }

    Trace* trace_;
    Name side_;
};

inline TraceWriter Trace::writer(Name side) {
    return {*this, side};
}

}  // namespace lyre::inline core
