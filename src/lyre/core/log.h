// core/log.h: what the people who run the game should know: one entry per thing worth saying.
//
//     log.report(LogLevel::Warning, kAssetMissing, "crate.toml", "no such file");
//     log.print_to(stderr);                             // from Info up
//     auto c = log.reported().add([](const LogEntry& entry) { ... });
//
// A Log is handed to whoever reports; there is no global one. An entry has a kind for programs (tests count kinds, the
// texts are free to change) and a subject, the thing it is about. The last entries are kept. More than ten of one kind
// and subject within a second are held back, and one entry says how many when the second is over.
//
// Any thread may report, print_to and ask. Listeners are called by deliver(), once per frame on the frame's thread,
// never inside report(): they may report themselves, and that comes with the next delivery. A listener may destroy the
// log; one that throws is reported, and the others hear.
#pragma once

#include <cstdint>
#include <cstdio>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lyre/core/clock.h"
#include "lyre/core/delegate.h"
#include "lyre/core/name.h"

namespace lyre::inline core {

enum class LogLevel : std::uint8_t { Debug, Info, Warning, Error };

struct LogEntry {
    std::int64_t time_us = 0;       // of the log's clock
    std::int64_t wall_seconds = 0;  // since 1970, for people
    LogLevel level = LogLevel::Info;
    Name kind;                  // "asset.missing"
    std::string subject;        // may be empty
    std::string text;           // cut at Log::kMaxText
    std::uint64_t repeats = 0;  // not 0: this entry stands for so many that were held back
};

struct LogCounts {
    std::uint64_t reported = 0;     // all calls of report()
    std::uint64_t held_back = 0;    // repeats that became part of a summary
    std::uint64_t dropped = 0;      // beyond kMaxSubjects in one second
    std::uint64_t overwritten = 0;  // entries that made room for newer ones
    std::uint64_t undelivered = 0;  // overwritten before the listeners heard of them
};

class Log {
public:
    static constexpr std::size_t kDefaultCapacity = 1024;  // entries kept
    static constexpr std::size_t kMaxText = 4096;          // bytes of a subject or text; subjects come from outside too
    static constexpr std::uint64_t kRepeats = 10;          // of one kind and subject in kWindowUs
    static constexpr std::int64_t kWindowUs = 1'000'000;
    static constexpr std::size_t kMaxSubjects = 1024;  // with their kinds, in kWindowUs; so all entries are bounded

    explicit Log(const Clock& clock, std::size_t capacity = kDefaultCapacity);
    ~Log();  // prints what is held back
    Log(const Log&) = delete;
    Log& operator=(const Log&) = delete;

    void report(LogLevel level, Name kind, std::string_view subject, std::string_view text);
    void print_to(std::FILE* file, LogLevel at_least = LogLevel::Info);  // null: no more
    void deliver();
    Delegate<const LogEntry&>& reported() { return reported_; }  // frame's thread

    std::vector<LogEntry> entries() const;  // oldest first
    std::uint64_t count(Name kind) const;   // calls of report(), held back ones too
    LogCounts counts() const;

private:
    struct Printer;
    struct Window {
        std::int64_t began_us = 0;
        std::uint64_t seen = 0;
        LogLevel level = LogLevel::Info;  // the highest among those held back
    };
    bool is_held_back(LogLevel level, Name kind, std::string_view subject, std::int64_t now_us);
    void close_windows(std::int64_t now_us);
    void append(LogEntry entry);

    const Clock& clock_;
    const std::size_t capacity_;
    mutable std::mutex mutex_;  // all below but the last three
    std::deque<LogEntry> entries_;
    std::map<std::pair<Name, std::string>, Window> windows_;  // ordered: summaries come in the same order in every run
    std::unordered_map<Name, std::uint64_t> kinds_;
    LogCounts counts_;
    std::uint64_t appended_ = 0;
    std::int64_t earliest_window_us_ = 0;  // when the oldest of windows_ began
    std::unique_ptr<Printer> printer_;

    std::uint64_t delivered_ = 0;
    Delegate<const LogEntry&> reported_;
    std::shared_ptr<char> alive_ = std::make_shared<char>();  // expires with the log, also inside deliver()
};

// Says that a listener threw `threw`; empty: nothing is said. Without a log nobody reads it.
void report_thrown(Log* log, Name kind, std::string_view subject, std::string_view threw);

// Calls all who listen, for whoever goes on whatever they do: what they throw ends in the log, which outlives them. It
// is what is returned, too; empty: nobody threw.
template <class... Args>
std::string tell(Log* log, Name kind, const std::string& subject, const Delegate<Args...>& listeners,
                 std::type_identity_t<Args>... args) {
    std::string threw = listeners.broadcast_and_catch(args...);
    report_thrown(log, kind, subject, threw);
    return threw;
}

}  // namespace lyre::inline core
