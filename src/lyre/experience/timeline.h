// experience/timeline.h: what a load or a leave spent its time on: a tree of spans, for people and for trace viewers.
//
//     Timeline timeline(clock, Name("server"));
//     SpanId load = timeline.begin(SpanKind::Load, "experience:tag", generation);
//     SpanId feature = timeline.begin(SpanKind::Feature, "arena_core", generation, load);
//     timeline.end(feature);                          // in any order: things finish when they finish
//     timeline.end(load);
//     write_file("load.json", timeline.to_json());    // "trace event" JSON: chrome://tracing, Perfetto, speedscope
//
//     load  |----------------------------------------|
//     stage |-- Loading --|-- LoadingGameFeatures ---|       a span lies within its parent,
//     ...     |-- bundle -|  |-- feature --|                 spans side by side may overlap
//                            |---- feature ----|
//
// Spans always nest: ending one ends what is still open below it, and one that is begun below a span that has ended
// belongs to the nearest one above that is open. Ending twice, or a span from before clear(), does nothing. There is
// room for kMaxSpans spans and kMaxText bytes of their ids; what comes after is counted, not kept, and what would be
// below it goes to the root.
//
// Who loads writes, whoever asks reads; nothing in the library decides by it. Memory is kept from load to load, so that
// a span costs some ten nanoseconds and no allocation. Frame's thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lyre/core/clock.h"
#include "lyre/core/handle.h"
#include "lyre/core/name.h"

namespace lyre::experience {

enum class SpanKind : std::uint8_t {
    Load,
    Leave,
    Stage,
    Definition,
    Bundle,
    Asset,
    Feature,
    ActionHook,
    Callback,
};
inline constexpr std::size_t kSpanKinds = 9;
std::string_view to_string(SpanKind kind);  // "action hook"

struct Span {
    static constexpr std::uint32_t kNoParent = UINT32_MAX;
    static constexpr std::int64_t kOpen = -1;

    SpanKind kind = SpanKind::Load;
    std::uint32_t generation = 0;
    std::uint32_t parent = kNoParent;  // index in spans(), always below its own
    std::uint32_t open_below = 0;      // children that have not ended
    std::int64_t start_us = 0;         // of the clock
    std::int64_t length_us = kOpen;
    std::uint32_t id_start = 0, id_length = 0;  // Timeline::id_of

    bool is_open() const { return length_us == kOpen; }
};
using SpanId = Handle<Span>;  // index + 1, and which clear() it came after; none: it was not kept

class Timeline {
public:
    static constexpr std::size_t kMaxSpans = 8192;        // a load of a thousand parts with eight steps each
    static constexpr std::size_t kMaxText = 1024 * 1024;  // bytes
    static constexpr std::size_t kMaxId = 256;            // bytes; longer ids are cut

    Timeline(const Clock& clock, Name side) : clock_(clock), side_(side) {}
    Timeline(const Timeline&) = delete;
    Timeline& operator=(const Timeline&) = delete;

    // With a step: "ID: STEP".
    SpanId begin(SpanKind kind, std::string_view id, std::uint32_t generation, SpanId parent = {},
                 std::string_view step = {});
    void end(SpanId id);
    void end_all();
    void clear();  // for the next load

    const std::vector<Span>& spans() const { return spans_; }  // in the order of their beginnings
    std::string_view id_of(const Span& span) const;            // lasts until the next begin
    const Span* find(SpanId id) const;                         // null: not kept, or cleared
    std::uint64_t dropped() const { return dropped_; }         // since clear
    Name side() const { return side_; }

    // {"traceEvents": [...]}: a process per side and a thread per row that its spans need so as not to overlap. Spans
    // that are open are as long as they are now, and say so.
    std::string to_json() const;

private:
    friend std::string to_json(std::span<const Timeline* const> sides);
    void close(std::size_t index, std::int64_t now_us);

    const Clock& clock_;
    Name side_;
    std::vector<Span> spans_;
    std::string text_;  // the ids
    std::uint64_t dropped_ = 0;
    std::uint32_t epoch_ = 1;  // clears
};

// Several sides in one file, if they have one clock: a server above its clients.
std::string to_json(std::span<const Timeline* const> sides);

// A span that is as long as a block: a hook, a callback. The Timeline must outlive it.
class [[nodiscard]] SpanScope {
public:
    SpanScope(Timeline& timeline, SpanKind kind, std::string_view id, std::uint32_t generation, SpanId parent = {})
        : timeline_(timeline), id_(timeline.begin(kind, id, generation, parent)) {}
    ~SpanScope() { timeline_.end(id_); }
    SpanScope(const SpanScope&) = delete;
    SpanScope& operator=(const SpanScope&) = delete;
    SpanId id() const { return id_; }

private:
    Timeline& timeline_;
    SpanId id_;
};

}  // namespace lyre::experience
