#include "lyre/core/trace.h"

#include <gtest/gtest.h>

#include "lyre/core/random.h"

namespace lyre {
namespace trace_test {

const Name kStage("experience.stage"), kSend("net.send"), kStep("net.step");

// Formatting one of these is noticed.
struct Loud {
    int* formatted;
};

}  // namespace trace_test
}  // namespace lyre

template <> struct fmt::formatter<lyre::trace_test::Loud> {
    constexpr auto parse(format_parse_context& ctx) { return ctx.begin(); }
    template <class Context> auto format(const lyre::trace_test::Loud& loud, Context& ctx) const {
        return fmt::format_to(ctx.out(), "{}", ++*loud.formatted);
    }
};

namespace lyre {
namespace trace_test {

TEST(Trace, switched_off_nothing_is_written_and_nothing_formatted) {
    // W-13
    VirtualClock clock;
    Trace trace(clock);
    const TraceWriter writer = trace.writer(Name("server"));
    int formatted = 0;
    writer.event(kStage, Loud{&formatted}, "{}", Loud{&formatted});
    EXPECT_EQ(formatted, 0);
    EXPECT_TRUE(trace.lines().empty());
    EXPECT_EQ(trace.hash(), 0u);

    trace.set_level(TraceLevel::Events);
    writer.event(kStage, Loud{&formatted}, "{}", Loud{&formatted});
    EXPECT_EQ(formatted, 2);
    EXPECT_EQ(trace.lines().size(), 1u);
}

TEST(Trace, a_line_has_time_side_kind_subject_and_detail) {
    // W-13, S-027
    VirtualClock clock;
    Trace trace(clock);
    trace.set_level(TraceLevel::Events);
    clock.advance(1'234);
    trace.writer(Name("client 2")).event(kStage, Name("tag"), "{} -> {}", "Loading", 3);
    ASSERT_EQ(trace.lines().size(), 1u);
    EXPECT_EQ(trace.lines()[0], (TraceLine{1'234, Name("client 2"), kStage, "tag", "Loading -> 3"}));
    EXPECT_EQ(trace.lines()[0].to_string(), "        1234 client 2 experience.stage tag: Loading -> 3");
    EXPECT_EQ(trace.count(kStage), 1u);
    EXPECT_EQ(trace.count(kSend), 0u);
}

TEST(Trace, each_level_lets_through_what_it_names_and_what_is_below) {
    // W-13, S-027
    const std::pair<TraceLevel, std::size_t> expected[] = {
        {TraceLevel::Off, 0}, {TraceLevel::Events, 1}, {TraceLevel::Packets, 2}, {TraceLevel::All, 3}};
    for (auto [level, lines] : expected) {
        VirtualClock clock;
        Trace trace(clock);
        trace.set_level(level);
        const TraceWriter writer = trace.writer(Name("server"));
        writer.event(kStage, "x", "1");
        writer.packet(kSend, "x", "2");
        writer.step(kStep, "x", "3");
        EXPECT_EQ(trace.lines().size(), lines);
    }
}

TEST(Trace, a_full_list_drops_the_oldest_counts_them_and_keeps_its_hash) {
    // W-13, S-027
    VirtualClock clock;
    Trace small(clock, 3), large(clock);
    for (Trace* trace : {&small, &large}) {
        trace->set_level(TraceLevel::All);
        const TraceWriter writer = trace->writer(Name("server"));
        for (int i = 0; i < 10; ++i) writer.event(kStage, i, "line");
    }
    ASSERT_EQ(small.lines().size(), 3u);
    EXPECT_EQ(small.lines().front().subject, "7");
    EXPECT_EQ(small.written(), 10u);
    EXPECT_EQ(small.dropped(), 7u);
    EXPECT_EQ(large.dropped(), 0u);
    EXPECT_EQ(small.hash(), large.hash());
}

std::uint64_t run(std::uint64_t seed, int changed_line = -1) {
    VirtualClock clock;
    Trace trace(clock);
    trace.set_level(TraceLevel::Events);
    Random random = RandomSource(seed).stream("test");
    const TraceWriter sides[] = {trace.writer(Name("server")), trace.writer(Name("client 1"))};
    for (int i = 0; i < 200; ++i) {
        clock.advance(static_cast<std::int64_t>(random.next_below(1000)));
        sides[random.next_below(2)].event(kStage, random.next_below(9), "{}", i == changed_line ? "other" : "same");
    }
    return trace.hash();
}

TEST(Trace, two_equal_runs_have_one_hash_and_one_other_word_gives_another) {
    // W-12, S-027
    EXPECT_EQ(run(1), run(1));
    EXPECT_NE(run(1), run(2));
    EXPECT_NE(run(1), run(1, 0));
    EXPECT_NE(run(1), run(1, 199));
}

}  // namespace trace_test
}  // namespace lyre
