// core/metrics.h: numbers about a running game, by name: how many, how much now, how long it took.
//
//     std::shared_ptr<Counter> sent = *metrics.add_counter("net.packets_sent", "datagrams handed to the system");
//     sent->add();                                      // any thread; one relaxed atomic addition
//     for (const MetricValue& m : metrics.snapshot()) ...
//
// A room registers its metrics once and keeps what it was given; nobody looks names up on the way. Counting costs the
// same whether anybody reads or not, and reading takes no lock: a snapshot is not one instant, each number is right for
// some moment during it. The unit is part of the name (`_us`, `_bytes`). Two owners may register one name and share the
// metric; it is listed until the last of them is removed, and what it gave out stays safe to use after that.
//
// Registering, removing and reading happen on the frame's thread; only the numbers may be changed from others.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lyre/core/name.h"
#include "lyre/core/owner.h"
#include "lyre/core/status.h"

namespace lyre::inline core {

class Counter {
public:
    void add(std::uint64_t n = 1) { value_.fetch_add(n, std::memory_order_relaxed); }
    std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

private:
    std::atomic<std::uint64_t> value_{0};
};

class Gauge {
public:
    void set(std::int64_t value) { value_.store(value, std::memory_order_relaxed); }
    void add(std::int64_t n) { value_.fetch_add(n, std::memory_order_relaxed); }
    std::int64_t value() const { return value_.load(std::memory_order_relaxed); }

private:
    std::atomic<std::int64_t> value_{0};
};

// Four buckets for each power of two: a quantile is off by an eighth at most, over all 64 bits, in 2 KB.
class Histogram {
public:
    void record(std::uint64_t value);
    std::uint64_t count() const { return count_.load(std::memory_order_relaxed); }
    std::uint64_t sum() const { return sum_.load(std::memory_order_relaxed); }
    std::uint64_t quantile(double q) const;  // q from 0 to 1; 0.5 is the median; 0 when nothing was recorded

private:
    static constexpr std::size_t kBuckets = 252;
    std::array<std::atomic<std::uint64_t>, kBuckets> buckets_{};
    std::atomic<std::uint64_t> count_{0};
    std::atomic<std::uint64_t> sum_{0};
};

enum class MetricKind : std::uint8_t { Counter, Gauge, Histogram };
std::string_view to_string(MetricKind kind);

struct MetricValue {
    Name name;
    MetricKind kind = MetricKind::Counter;
    std::string help;
    std::vector<Owner> owners;                   // in order of registering
    std::int64_t value = 0;                      // of a histogram: how many were recorded
    std::shared_ptr<const Histogram> histogram;  // null for the other kinds
};

// One owner's share in a metric.
struct MetricInfo {
    Name name;
    MetricKind kind = MetricKind::Counter;
    std::uint64_t registered = 0;
};

class Metrics {
public:
    static constexpr std::size_t kMaxMetrics = 4096;

    // The one of this name if it is there and of the same kind. Refused if it is of another, or there are too many.
    Result<std::shared_ptr<Counter>> add_counter(std::string_view name, std::string_view help);
    Result<std::shared_ptr<Gauge>> add_gauge(std::string_view name, std::string_view help);
    Result<std::shared_ptr<Histogram>> add_histogram(std::string_view name, std::string_view help);
    Status remove(std::string_view name, const Owner& owner);  // its share; the last one's takes the metric away
    std::size_t remove_all(const Owner& owner);                // how many left the list

    std::vector<MetricValue> snapshot() const;               // in name order
    std::vector<MetricInfo> list(const Owner& owner) const;  // in order of registering

private:
    struct Metric {
        std::variant<std::shared_ptr<Counter>, std::shared_ptr<Gauge>, std::shared_ptr<Histogram>> cell;
        std::string help;
        std::vector<Owner> owners;
        std::vector<std::uint64_t> registered;  // by owner
        bool forget(const Owner& owner);
    };
    template <class T> Result<std::shared_ptr<T>> add(std::string_view name, std::string_view help);

    std::map<Name, Metric> metrics_;
};

}  // namespace lyre::inline core
