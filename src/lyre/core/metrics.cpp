#include "lyre/core/metrics.h"

#include <algorithm>
#include <bit>

namespace lyre::inline core {
namespace {

// 0 to 3 have buckets of their own; from there each power of two is cut in four.
std::size_t bucket_of(std::uint64_t value) {
    if (value < 4) return static_cast<std::size_t>(value);
    const int power = 63 - std::countl_zero(value);
    const std::uint64_t quarter = value >> (power - 2) & 3;
    return static_cast<std::size_t>(power - 1) * 4 + static_cast<std::size_t>(quarter);
}

std::uint64_t middle_of(std::size_t bucket) {
    if (bucket < 4) return bucket;
    const std::size_t shift = bucket / 4 - 1;  // the power less two: a quarter is 2^shift wide
    const std::uint64_t low = (4 + bucket % 4) << shift;
    return low + ((std::uint64_t{1} << shift) - 1) / 2;
}

}  // namespace

void Histogram::record(std::uint64_t value) {
    buckets_[bucket_of(value)].fetch_add(1, std::memory_order_relaxed);
    count_.fetch_add(1, std::memory_order_relaxed);
    sum_.fetch_add(value, std::memory_order_relaxed);
}

std::uint64_t Histogram::quantile(double q) const {
    // Summed here rather than taken from count_, which another thread may have moved on already.
    std::array<std::uint64_t, kBuckets> seen;
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < kBuckets; ++i) total += seen[i] = buckets_[i].load(std::memory_order_relaxed);
    if (total == 0) return 0;
    const double wanted = std::clamp(q, 0.0, 1.0) * static_cast<double>(total);
    std::uint64_t below = 0;
    std::size_t last = 0;
    for (std::size_t i = 0; i < kBuckets; ++i) {
        if (seen[i] == 0) continue;
        below += seen[i];
        last = i;
        if (static_cast<double>(below) >= wanted) break;
    }
    return middle_of(last);
}

std::string_view to_string(MetricKind kind) {
    switch (kind) {
        case MetricKind::Counter:
            return "counter";
        case MetricKind::Gauge:
            return "gauge";
        case MetricKind::Histogram:
            return "histogram";
    }
    return "unknown";
}

template <class T> Result<std::shared_ptr<T>> Metrics::add(std::string_view name, std::string_view help) {
    const Name key(name);
    if (!key) return Status::invalid("a metric needs a name of 1 to {} bytes", Name::kMaxLength);
    auto found = metrics_.find(key);
    if (found == metrics_.end()) {
        if (metrics_.size() == kMaxMetrics)
            return Status::capacity("metric \"{}\": there are {} already", name, kMaxMetrics);
        found = metrics_.emplace(key, Metric{std::make_shared<T>(), std::string(help), {}, {}}).first;
    }
    Metric& metric = found->second;
    auto* cell = std::get_if<std::shared_ptr<T>>(&metric.cell);
    if (cell == nullptr)
        return Status::exists("metric \"{}\" is a {} of {}", name,
                              to_string(static_cast<MetricKind>(metric.cell.index())), metric.owners[0].to_string());
    const Owner owner = Owner::current();
    if (std::find(metric.owners.begin(), metric.owners.end(), owner) == metric.owners.end()) {
        metric.owners.push_back(owner);
        metric.registered.push_back(next_registration());
    }
    return *cell;
}

Result<std::shared_ptr<Counter>> Metrics::add_counter(std::string_view name, std::string_view help) {
    return add<Counter>(name, help);
}
Result<std::shared_ptr<Gauge>> Metrics::add_gauge(std::string_view name, std::string_view help) {
    return add<Gauge>(name, help);
}
Result<std::shared_ptr<Histogram>> Metrics::add_histogram(std::string_view name, std::string_view help) {
    return add<Histogram>(name, help);
}

bool Metrics::Metric::forget(const Owner& owner) {
    const auto found = std::find(owners.begin(), owners.end(), owner);
    if (found == owners.end()) return false;
    registered.erase(registered.begin() + (found - owners.begin()));
    owners.erase(found);
    return true;
}

Status Metrics::remove(std::string_view name, const Owner& owner) {
    const auto found = metrics_.find(Name::find(name));
    if (found == metrics_.end() || !found->second.forget(owner))
        return Status::not_found("metric \"{}\" is none of {}", name, owner.to_string());
    if (found->second.owners.empty()) metrics_.erase(found);
    return {};
}

std::size_t Metrics::remove_all(const Owner& owner) {
    for (auto& [name, metric] : metrics_) metric.forget(owner);
    return std::erase_if(metrics_, [](const auto& entry) { return entry.second.owners.empty(); });
}

std::vector<MetricValue> Metrics::snapshot() const {
    std::vector<MetricValue> values;
    values.reserve(metrics_.size());
    for (const auto& [name, metric] : metrics_) {
        MetricValue& v = values.emplace_back();
        v.name = name;
        v.kind = static_cast<MetricKind>(metric.cell.index());
        v.help = metric.help;
        v.owners = metric.owners;
        if (auto* counter = std::get_if<std::shared_ptr<Counter>>(&metric.cell))
            v.value = static_cast<std::int64_t>((*counter)->value());
        else if (auto* gauge = std::get_if<std::shared_ptr<Gauge>>(&metric.cell))
            v.value = (*gauge)->value();
        else {
            v.histogram = std::get<std::shared_ptr<Histogram>>(metric.cell);
            v.value = static_cast<std::int64_t>(v.histogram->count());
        }
    }
    return values;
}

std::vector<MetricInfo> Metrics::list(const Owner& owner) const {
    std::vector<MetricInfo> theirs;
    for (const auto& [name, metric] : metrics_)
        for (std::size_t i = 0; i < metric.owners.size(); ++i)
            if (metric.owners[i] == owner)
                theirs.push_back({name, static_cast<MetricKind>(metric.cell.index()), metric.registered[i]});
    std::sort(theirs.begin(), theirs.end(),
              [](const MetricInfo& a, const MetricInfo& b) { return a.registered < b.registered; });
    return theirs;
}

}  // namespace lyre::inline core
