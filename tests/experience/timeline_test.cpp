#include "lyre/experience/timeline.h"

#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>

#include "lyre/core/random.h"

#include "tests/allocations.h"

namespace lyre::experience {
namespace timeline_test {

using Json = nlohmann::json;

struct Clocked {
    VirtualClock clock;
    Timeline timeline{clock, Name("server")};
    SpanId begin(SpanKind kind, std::string_view id, SpanId parent = {}) { return timeline.begin(kind, id, 3, parent); }
    const Span& span(SpanId id) const { return *timeline.find(id); }
};

std::int64_t end_of(const Span& span) {
    return span.start_us + span.length_us;
}

TEST(Timeline, a_load_is_a_tree_of_spans_that_nest_and_cover_it) {
    //
    Clocked t;
    t.clock.advance(100);
    const SpanId load = t.begin(SpanKind::Load, "experience:tag");
    const SpanId loading = t.begin(SpanKind::Stage, "Loading", load);
    const SpanId bundle = t.begin(SpanKind::Bundle, "experience:tag Equipped", loading);
    t.clock.advance(40);
    t.timeline.end(bundle);
    t.timeline.end(loading);
    const SpanId features = t.begin(SpanKind::Stage, "LoadingGameFeatures", load);
    const SpanId first = t.begin(SpanKind::Feature, "arena_core", features);
    const SpanId second = t.begin(SpanKind::Feature, "tag", features);
    t.clock.advance(5);
    t.timeline.end(first);
    t.clock.advance(5);
    t.timeline.end(second);
    t.timeline.end(features);
    t.timeline.end(load);

    ASSERT_EQ(t.timeline.spans().size(), 6u);
    EXPECT_EQ(t.span(load).start_us, 100);
    EXPECT_EQ(t.span(load).length_us, 50);
    EXPECT_EQ(t.span(load).generation, 3u);
    EXPECT_EQ(t.timeline.id_of(t.span(second)), "tag");
    EXPECT_EQ(t.span(second).length_us, 10);
    EXPECT_EQ(end_of(t.span(loading)), t.span(features).start_us) << "no gap";
    for (const Span& span : t.timeline.spans()) {
        if (span.parent == Span::kNoParent) continue;
        const Span& parent = t.timeline.spans()[span.parent];
        EXPECT_TRUE(parent.start_us <= span.start_us && end_of(span) <= end_of(parent)) << t.timeline.id_of(span);
    }
}

TEST(Timeline, spans_end_in_any_order_and_take_what_is_open_below_with_them) {
    //
    Clocked t;
    const SpanId load = t.begin(SpanKind::Load, "load");
    const SpanId a = t.begin(SpanKind::Feature, "a", load);
    const SpanId b = t.begin(SpanKind::Feature, "b", load);
    const SpanId inner = t.begin(SpanKind::ActionHook, "inner", a);
    const SpanId innermost = t.begin(SpanKind::Callback, "innermost", inner);
    t.clock.advance(10);
    t.timeline.end(a);
    EXPECT_EQ(t.span(inner).length_us, 10);
    EXPECT_EQ(t.span(innermost).length_us, 10);
    EXPECT_TRUE(t.span(b).is_open());
    t.clock.advance(10);
    t.timeline.end(innermost);  // has ended
    t.timeline.end(a);
    EXPECT_EQ(t.span(a).length_us, 10);
    EXPECT_EQ(t.span(innermost).length_us, 10);
    t.timeline.end(load);
    EXPECT_EQ(t.span(b).length_us, 20);
    EXPECT_EQ(t.span(load).length_us, 20);
}

TEST(Timeline, a_span_below_one_that_has_ended_belongs_to_the_nearest_that_is_open) {
    //
    Clocked t;
    const SpanId load = t.begin(SpanKind::Load, "load");
    const SpanId stage = t.begin(SpanKind::Stage, "stage", load);
    t.timeline.end(stage);
    EXPECT_EQ(t.span(t.begin(SpanKind::Asset, "late", stage)).parent, load.index - 1);
    t.timeline.end_all();
    EXPECT_FALSE(t.span(load).is_open());
    EXPECT_EQ(t.span(t.begin(SpanKind::Asset, "later", stage)).parent, Span::kNoParent);
}

TEST(Timeline, ids_from_before_a_clear_end_nothing) {
    //
    Clocked t;
    const SpanId old = t.begin(SpanKind::Load, "a");
    t.timeline.clear();
    const SpanId load = t.begin(SpanKind::Load, "b", old);
    EXPECT_EQ(t.span(load).parent, Span::kNoParent);
    t.timeline.end(old);
    t.timeline.end({});
    EXPECT_TRUE(t.span(load).is_open());
    EXPECT_EQ(t.timeline.find(old), nullptr);
}

TEST(Timeline, when_full_further_spans_are_counted_and_the_tree_stays_whole) {
    //
    Clocked t;
    const SpanId load = t.begin(SpanKind::Load, "load");
    for (std::size_t i = 1; i < Timeline::kMaxSpans; ++i) t.begin(SpanKind::Asset, "asset", load);
    const SpanId dropped = t.begin(SpanKind::Feature, "tag", load);
    EXPECT_TRUE(dropped.is_none());
    t.timeline.end(dropped);
    t.timeline.end(load);
    EXPECT_EQ(t.timeline.dropped(), 1u);
    EXPECT_EQ(Json::parse(t.timeline.to_json())["otherData"]["dropped"], 1);
    t.timeline.clear();
    EXPECT_EQ(t.timeline.dropped(), 0u);
    const std::string longest(100'000, 'x');
    for (std::size_t i = 0; i < 5000; ++i) t.begin(SpanKind::Asset, longest);
    EXPECT_EQ(t.timeline.spans().size(), Timeline::kMaxText / Timeline::kMaxId);
}

TEST(Timeline, a_scope_is_as_long_as_its_block) {
    Clocked t;
    SpanId id;
    {
        const SpanScope hook(t.timeline, SpanKind::ActionHook, "add_components: activating", 1);
        id = hook.id();
        t.clock.advance(7);
    }
    EXPECT_EQ(t.span(id).length_us, 7);
}

TEST(Timeline, viewers_get_complete_events_in_which_spans_of_one_row_do_not_overlap) {
    //
    Clocked t;
    Random random(1);
    std::vector<SpanId> ids{t.begin(SpanKind::Load, "experience:\"tag\" \xff\n")};
    for (int i = 0; i < 300; ++i) {
        t.clock.advance(random.next_range(0, 3));
        if (random.chance(0.5f))
            t.timeline.end(ids[1 + random.next_below(std::max<std::size_t>(ids.size(), 2) - 1) % ids.size()]);
        ids.push_back(t.begin(SpanKind::Feature, "part", ids[random.next_below(ids.size())]));
    }
    Timeline client(t.clock, Name("client 1"));
    const SpanId open = client.begin(SpanKind::Leave, "leave", 9);
    t.clock.advance(2);
    const Timeline* sides[] = {&t.timeline, &client};
    const Json all = Json::parse(to_json(sides));

    std::map<std::pair<int, int>, std::vector<std::pair<std::int64_t, std::int64_t>>> rows;
    std::map<int, std::string> processes;
    for (const Json& event : all["traceEvents"]) {
        if (event["ph"] == "M") {
            processes[event["pid"]] = event["args"]["name"];
            continue;
        }
        EXPECT_EQ(event["ph"], "X");
        EXPECT_EQ(event["args"]["side"], processes[event["pid"]]);
        const std::int64_t start = event["ts"], length = event["dur"];
        for (const auto& [other_start, other_end] : rows[{event["pid"], event["tid"]}]) {
            const bool is_apart = other_end <= start || start + length <= other_start;
            const bool is_within = other_start <= start && start + length <= other_end;
            EXPECT_TRUE(is_apart || is_within);
        }
        rows[{event["pid"], event["tid"]}].emplace_back(start, start + length);
    }
    EXPECT_EQ(processes, (std::map<int, std::string>{{1, "server"}, {2, "client 1"}}));
    const Json last = all["traceEvents"].back();
    EXPECT_EQ(last["cat"], "leave");
    EXPECT_EQ(last["dur"], 2);
    EXPECT_EQ(last["args"]["open"], true);
    EXPECT_EQ(last["args"]["generation"], 9);
    EXPECT_FALSE(client.spans()[0].length_us != Span::kOpen) << "asking changes nothing";
    client.end(open);
}

TEST(Timeline, random_spans_always_nest) {
    //
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        Clocked t;
        Random random(seed);
        std::vector<SpanId> ids(1);
        for (int i = 0; i < 200; ++i) {
            t.clock.advance(random.next_range(0, 2));
            const SpanId one = ids[random.next_below(ids.size())];
            if (random.chance(0.4f))
                t.timeline.end(one);
            else
                ids.push_back(t.begin(SpanKind::Asset, "x", one));
        }
        t.timeline.end_all();
        for (const Span& span : t.timeline.spans()) {
            EXPECT_FALSE(span.is_open());
            EXPECT_EQ(span.open_below, 0u);
            if (span.parent == Span::kNoParent) continue;
            const Span& parent = t.timeline.spans()[span.parent];
            EXPECT_TRUE(parent.start_us <= span.start_us && end_of(span) <= end_of(parent));
        }
    }
}

TEST(Timeline, after_the_first_load_recording_allocates_nothing) {
    Clocked t;
    const auto record = [&] {
        t.timeline.clear();
        const SpanId load = t.begin(SpanKind::Load, "experience:tag");
        for (int i = 0; i < 200; ++i) t.timeline.end(t.begin(SpanKind::ActionHook, "add_components: activating", load));
        t.timeline.end(load);
    };
    record();
    const auto before = allocations();
    record();
    EXPECT_EQ(allocations() - before, 0u);
}

}  // namespace timeline_test
}  // namespace lyre::experience
