#include "lyre/experience/timeline.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace lyre::experience {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kKindNames[kSpanKinds] = {"load",  "leave",   "stage",       "definition", "bundle",
                                                     "asset", "feature", "action hook", "callback"};

// A row of a viewer, in which spans must lie within each other or apart: the ends of those that a new one may lie in.
struct Row {
    std::vector<std::int64_t> ends;

    bool takes(std::int64_t start, std::int64_t end) {
        while (!ends.empty() && ends.back() <= start) ends.pop_back();
        if (!ends.empty() && ends.back() < end) return false;
        ends.push_back(end);
        return true;
    }
};

// Writes the events of one side: each span in the row of its parent if it fits there, else in the first where it does.
class SideEvents {
public:
    SideEvents(const Timeline& timeline, std::int64_t now_us, int process, Json& events)
        : timeline_(timeline), now_us_(now_us), process_(process), events_(events) {}

    void write() {
        Json name{
            {"name", "process_name"}, {"ph", "M"}, {"pid", process_}, {"args", {{"name", timeline_.side().text()}}}};
        events_.push_back(std::move(name));
        const std::vector<Span>& spans = timeline_.spans();
        row_of_.assign(spans.size(), 0);
        for (std::size_t i : by_start()) {
            row_of_[i] = row_for(spans[i]);
            events_.push_back(event(spans[i], row_of_[i]));
        }
    }

private:
    std::int64_t end_of(const Span& span) const { return span.is_open() ? now_us_ : span.start_us + span.length_us; }

    // Of two that begin together the longer one is drawn around the other; a parent stays before its children.
    std::vector<std::size_t> by_start() const {
        const std::vector<Span>& spans = timeline_.spans();
        std::vector<std::size_t> order(spans.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            if (spans[a].start_us != spans[b].start_us) return spans[a].start_us < spans[b].start_us;
            return end_of(spans[a]) > end_of(spans[b]);
        });
        return order;
    }

    std::size_t row_for(const Span& span) {
        const std::int64_t start = span.start_us, end = end_of(span);
        const std::size_t above = span.parent == Span::kNoParent ? 0 : row_of_[span.parent];
        if (above < rows_.size() && rows_[above].takes(start, end)) return above;
        for (std::size_t row = 0; row < rows_.size(); ++row)
            if (row != above && rows_[row].takes(start, end)) return row;
        rows_.emplace_back().takes(start, end);
        return rows_.size() - 1;
    }

    Json event(const Span& span, std::size_t row) const {
        Json args{{"generation", span.generation}, {"side", timeline_.side().text()}};
        if (span.parent != Span::kNoParent) args["parent"] = timeline_.id_of(timeline_.spans()[span.parent]);
        if (span.is_open()) args["open"] = true;
        return {{"name", timeline_.id_of(span)},
                {"cat", to_string(span.kind)},
                {"ph", "X"},
                {"ts", span.start_us},
                {"dur", end_of(span) - span.start_us},
                {"pid", process_},
                {"tid", row + 1},
                {"args", std::move(args)}};
    }

    const Timeline& timeline_;
    std::int64_t now_us_;
    int process_;
    Json& events_;
    std::vector<std::size_t> row_of_;  // by span
    std::vector<Row> rows_;
};

}  // namespace

std::string_view to_string(SpanKind kind) {
    return kKindNames[static_cast<std::size_t>(kind)];
}

SpanId Timeline::begin(SpanKind kind, std::string_view id, std::uint32_t generation, SpanId parent,
                       std::string_view step) {
    constexpr std::string_view kBetween = ": ";
    step = step.substr(0, kMaxId / 2);
    const std::size_t step_size = step.empty() ? 0 : kBetween.size() + step.size();
    id = id.substr(0, kMaxId - step_size);
    if (spans_.size() >= kMaxSpans || text_.size() + id.size() + step_size > kMaxText) {
        ++dropped_;
        return {};
    }
    if (spans_.capacity() == 0) {  // room for a usual load at once, rather than by doubling
        spans_.reserve(256);
        text_.reserve(8192);
    }
    Span span;
    span.kind = kind;
    span.generation = generation;
    span.start_us = clock_.now_us();
    span.id_start = static_cast<std::uint32_t>(text_.size());
    span.id_length = static_cast<std::uint32_t>(id.size() + step_size);
    if (find(parent) != nullptr) span.parent = parent.index - 1;
    while (span.parent != Span::kNoParent && !spans_[span.parent].is_open()) span.parent = spans_[span.parent].parent;
    if (span.parent != Span::kNoParent) ++spans_[span.parent].open_below;
    text_ += id;
    if (!step.empty()) (text_ += kBetween) += step;
    spans_.push_back(span);
    return {static_cast<std::uint32_t>(spans_.size()), epoch_};
}

void Timeline::end(SpanId id) {
    const Span* known = find(id);
    if (known == nullptr || !known->is_open()) return;
    close(id.index - 1, clock_.now_us());
}

void Timeline::end_all() {
    const std::int64_t now_us = clock_.now_us();
    for (std::size_t i = 0; i < spans_.size(); ++i)
        if (spans_[i].is_open()) close(i, now_us);
}

// An open span never has a parent that has ended, and children come after their parents: so one way through the list
// finds all that is below.
void Timeline::close(std::size_t index, std::int64_t now_us) {
    std::uint32_t left = 1;
    for (std::size_t i = index; left > 0 && i < spans_.size(); ++i) {
        Span& span = spans_[i];
        const bool is_below = span.parent != Span::kNoParent && !spans_[span.parent].is_open();
        if (!span.is_open() || (i != index && !is_below)) continue;
        span.length_us = now_us - span.start_us;
        left += span.open_below;
        --left;
        if (span.parent != Span::kNoParent) --spans_[span.parent].open_below;
    }
}

void Timeline::clear() {
    spans_.clear();
    text_.clear();
    dropped_ = 0;
    if (++epoch_ == 0) epoch_ = 1;
}

std::string_view Timeline::id_of(const Span& span) const {
    return std::string_view(text_).substr(span.id_start, span.id_length);
}

const Span* Timeline::find(SpanId id) const {
    const bool is_known = id.generation == epoch_ && id.index > 0 && id.index <= spans_.size();
    return is_known ? &spans_[id.index - 1] : nullptr;
}

std::string Timeline::to_json() const {
    const Timeline* self = this;
    return experience::to_json({&self, 1});
}

std::string to_json(std::span<const Timeline* const> sides) {
    Json events = Json::array();
    std::uint64_t dropped = 0;
    int process = 0;
    for (const Timeline* side : sides) {
        SideEvents(*side, side->clock_.now_us(), ++process, events).write();
        dropped += side->dropped();
    }
    const Json all{
        {"traceEvents", std::move(events)}, {"displayTimeUnit", "ms"}, {"otherData", {{"dropped", dropped}}}};
    return all.dump(-1, ' ', false, Json::error_handler_t::replace);  // an id may be cut inside a character
}

}  // namespace lyre::experience
