#include "lyre/core/log.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <fmt/core.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>

#include "lyre/core/assert.h"
#include "lyre/core/utf8.h"

namespace lyre::inline core {
namespace {

spdlog::level::level_enum spdlog_level(LogLevel level) {
    switch (level) {
        case LogLevel::Debug:
            return spdlog::level::debug;
        case LogLevel::Info:
            return spdlog::level::info;
        case LogLevel::Warning:
            return spdlog::level::warn;
        case LogLevel::Error:
            return spdlog::level::err;
    }
    return spdlog::level::off;
}

// Text from outside must not steer a terminal, nor look like an entry of its own.
std::string tamed(std::string_view text) {
    std::string tame;
    for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
        tame += cleaned(text.substr(0, end)) + "\n    ";
        text.remove_prefix(end + 1);
    }
    return tame + cleaned(text);
}

}  // namespace

// A sink of its own and no logger: a logger would read the system's clock. The sink locks what all of them in the
// process share, so lines of two logs do not mix.
struct Log::Printer {
    Printer(std::FILE* file, LogLevel lowest) : sink(file), at_least(lowest) {
        sink.set_formatter(
            std::make_unique<spdlog::pattern_formatter>("%Y-%m-%dT%H:%M:%SZ %l %v", spdlog::pattern_time_type::utc));
    }
    void print(const LogEntry& entry) {
        if (entry.level < at_least) return;
        const std::string line = entry.subject.empty()
                                     ? fmt::format("{}: {}", entry.kind, entry.text)
                                     : fmt::format("{} [{}]: {}", entry.kind, entry.subject, entry.text);
        const std::string tame = tamed(line);
        const std::chrono::system_clock::time_point time{std::chrono::seconds(entry.wall_seconds)};
        sink.log({time, {}, {}, spdlog_level(entry.level), tame});
    }

    spdlog::sinks::stdout_sink_base<spdlog::details::console_mutex> sink;
    LogLevel at_least;
};

Log::Log(const Clock& clock, std::size_t capacity) : clock_(clock), capacity_(capacity) {
    LYRE_ASSERT(capacity > 0, "a log keeps at least one entry");
}

Log::~Log() {
    std::lock_guard lock(mutex_);
    close_windows(clock_.now_us() + kWindowUs);
}

void Log::report(LogLevel level, Name kind, std::string_view subject, std::string_view text) {
    subject = subject.substr(0, kMaxText);
    std::lock_guard lock(mutex_);
    const std::int64_t now_us = clock_.now_us();
    ++counts_.reported;
    ++kinds_[kind];
    if (is_held_back(level, kind, subject, now_us)) return;
    append({now_us, clock_.wall_seconds(), level, kind, std::string(subject), std::string(text.substr(0, kMaxText))});
}

bool Log::is_held_back(LogLevel level, Name kind, std::string_view subject, std::int64_t now_us) {
    close_windows(now_us);
    std::pair<Name, std::string> key(kind, subject);
    auto found = windows_.find(key);
    if (found == windows_.end()) {
        if (windows_.size() == kMaxSubjects) {
            ++counts_.dropped;
            return true;
        }
        if (windows_.empty()) earliest_window_us_ = now_us;
        found = windows_.emplace(std::move(key), Window{now_us, 0, level}).first;
    }
    Window& window = found->second;
    if (++window.seen <= kRepeats) return false;
    ++counts_.held_back;
    window.level = std::max(window.level, level);
    return true;
}

// Ends every window whose time is over, with a word about what it held back.
void Log::close_windows(std::int64_t now_us) {
    if (windows_.empty() || now_us - earliest_window_us_ < kWindowUs) return;
    earliest_window_us_ = now_us;
    for (auto window = windows_.begin(); window != windows_.end();) {
        const auto& [key, state] = *window;
        if (now_us - state.began_us < kWindowUs) {
            earliest_window_us_ = std::min(earliest_window_us_, state.began_us);
            ++window;
            continue;
        }
        if (state.seen > kRepeats) {
            const std::uint64_t more = state.seen - kRepeats;
            append({now_us, clock_.wall_seconds(), state.level, key.first, key.second,
                    fmt::format("{} more like this", more), more});
        }
        window = windows_.erase(window);
    }
}

void Log::append(LogEntry entry) {
    if (printer_ != nullptr) printer_->print(entry);
    if (entries_.size() == capacity_) {
        entries_.pop_front();
        ++counts_.overwritten;
    }
    entries_.push_back(std::move(entry));
    ++appended_;
}

void Log::print_to(std::FILE* file, LogLevel at_least) {
    std::lock_guard lock(mutex_);
    printer_ = file == nullptr ? nullptr : std::make_unique<Printer>(file, at_least);
}

void Log::deliver() {
    static const Name kThrew("log.callback");
    std::unique_lock lock(mutex_);
    close_windows(clock_.now_us());
    const std::uint64_t end = appended_;  // what listeners report waits for the next time
    const std::weak_ptr<char> alive = alive_;
    if (reported_.count() == 0) delivered_ = end;
    while (delivered_ < end) {
        const std::uint64_t oldest = appended_ - entries_.size();
        if (delivered_ < oldest) {
            counts_.undelivered += oldest - delivered_;
            delivered_ = oldest;
            continue;
        }
        const LogEntry entry = entries_[delivered_++ - oldest];
        lock.unlock();
        const std::string threw = reported_.broadcast_and_catch(entry);
        if (alive.expired()) return;
        // What it throws at that is not reported again: it would be so for ever.
        if (entry.kind != kThrew) report_thrown(this, kThrew, entry.kind.text(), threw);
        lock.lock();
    }
}

std::vector<LogEntry> Log::entries() const {
    std::lock_guard lock(mutex_);
    return {entries_.begin(), entries_.end()};
}

std::uint64_t Log::count(Name kind) const {
    std::lock_guard lock(mutex_);
    auto found = kinds_.find(kind);
    return found == kinds_.end() ? 0 : found->second;
}

LogCounts Log::counts() const {
    std::lock_guard lock(mutex_);
    return counts_;
}

void report_thrown(Log* log, Name kind, std::string_view subject, std::string_view threw) {
    if (log != nullptr && !threw.empty())
        log->report(LogLevel::Error, kind, subject, fmt::format("a listener threw: {}", threw));
}

}  // namespace lyre::inline core
