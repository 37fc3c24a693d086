#include "lyre/framework/detail/extension_entries.h"

#include <algorithm>
#include <queue>
#include <unordered_map>

namespace lyre::framework {
namespace {

std::size_t edges_of(const Entry& entry) {
    return entry.ordering.before.size() + entry.ordering.after.size();
}

bool is_earlier(const Entry* a, const Entry* b) {
    return a->ordering.order != b->ordering.order ? a->ordering.order < b->ordering.order : a->serial < b->serial;
}

// For each entry those that must come after it.
struct Graph {
    explicit Graph(const std::vector<Entry*>& entries)
        : entries(entries), after(entries.size()), before(entries.size()) {
        std::unordered_multimap<Name, std::size_t> names;
        for (std::size_t i = 0; i < entries.size(); ++i)
            if (entries[i]->ordering.name) names.emplace(entries[i]->ordering.name, i);
        const auto each = [&](Name name, auto visit) {
            const auto [first, last] = names.equal_range(name);
            for (auto it = first; it != last; ++it) visit(it->second);
        };
        for (std::size_t i = 0; i < entries.size(); ++i) {
            for (Name name : entries[i]->ordering.before) each(name, [&](std::size_t other) { join(i, other); });
            for (Name name : entries[i]->ordering.after) each(name, [&](std::size_t other) { join(other, i); });
        }
    }
    void join(std::size_t first, std::size_t second) {
        after[first].push_back(second);
        ++before[second];
    }
    const std::vector<Entry*>& entries;
    std::vector<std::vector<std::size_t>> after;
    std::vector<std::size_t> before;  // how many must come before it
};

}  // namespace

std::string Entry::who() const {
    const std::string name = owner.to_string();
    if (place.starts_with(name + ",")) return place;  // it says both
    return place.empty() ? name : fmt::format("{} ({})", name, place);
}

std::string Request::to_string() const {
    return fmt::format("{} to {}", component_class, selector.to_string());
}

bool Handler::wants(Name event) const {
    return events.empty() || std::find(events.begin(), events.end(), event) != events.end();
}

Status Level::add(Entry& entry) {
    if (edges_ == 0 && edges_of(entry) == 0) {
        const auto place = std::upper_bound(entries_.begin(), entries_.end(), &entry, is_earlier);
        const bool is_last = place == entries_.end();
        entry.rank = entries_.empty() ? 0 : entries_.back()->rank + 1;  // removing leaves gaps
        entries_.insert(place, &entry);
        if (!is_last) number();
        return Status::ok();
    }
    entries_.push_back(&entry);
    edges_ += edges_of(entry);
    if (sort()) return Status::ok();
    const std::string text = circle();
    entries_.pop_back();
    edges_ -= edges_of(entry);
    return Status::invalid("the order of {} has a circle: {}",
                           entry.selector.class_name ? entry.selector.class_name.text() : "any actor", text);
}

void Level::remove(Entry& entry) {
    const bool had_edges = edges_ > 0;
    if (std::erase(entries_, &entry) == 0) return;
    edges_ -= edges_of(entry);
    if (had_edges) sort();  // an edge of it may have turned the others
}

// What has nothing before it any more comes next; among several the earliest by order number and time.
bool Level::sort() {
    Graph graph(entries_);
    const auto is_later = [&](std::size_t a, std::size_t b) { return is_earlier(entries_[b], entries_[a]); };
    std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(is_later)> free(is_later);
    for (std::size_t i = 0; i < entries_.size(); ++i)
        if (graph.before[i] == 0) free.push(i);
    std::vector<Entry*> sorted;
    while (!free.empty()) {
        const std::size_t next = free.top();
        free.pop();
        sorted.push_back(entries_[next]);
        for (std::size_t other : graph.after[next])
            if (--graph.before[other] == 0) free.push(other);
    }
    if (sorted.size() < entries_.size()) return false;
    entries_ = std::move(sorted);
    number();
    return true;
}

// Follows the edges from the newest entry, which closed the circle, back to it.
std::string Level::circle() const {
    const Graph graph(entries_);
    const std::size_t start = entries_.size() - 1;
    std::vector<std::size_t> from(entries_.size(), start), open{start};
    for (std::size_t i = 0; i < open.size(); ++i)
        for (std::size_t other : graph.after[open[i]]) {
            if (other == start) {
                std::string text(entries_[start]->ordering.name.text());
                for (std::size_t at = open[i]; at != start; at = from[at])
                    text = fmt::format("{} before {}", entries_[at]->ordering.name, text);
                return fmt::format("{} before {}", entries_[start]->ordering.name, text);
            }
            if (std::find(open.begin(), open.end(), other) != open.end()) continue;
            from[other] = open[i];
            open.push_back(other);
        }
    return std::string(entries_[start]->ordering.name.text());
}

void Level::number() {
    for (std::size_t i = 0; i < entries_.size(); ++i) entries_[i]->rank = static_cast<std::uint32_t>(i);
}

std::vector<std::string> Level::unknown_names() const {
    std::vector<std::string> lines;
    const auto is_known = [&](Name name) {
        return std::any_of(entries_.begin(), entries_.end(), [&](const Entry* e) { return e->ordering.name == name; });
    };
    for (const Entry* entry : entries_) {
        for (Name name : entry->ordering.before)
            if (!is_known(name)) lines.push_back(fmt::format("{} before {}", entry->ordering.name, name));
        for (Name name : entry->ordering.after)
            if (!is_known(name)) lines.push_back(fmt::format("{} after {}", entry->ordering.name, name));
    }
    return lines;
}

}  // namespace lyre::framework
