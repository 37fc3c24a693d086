#include "lyre/core/log.h"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <stdexcept>
#include <thread>

namespace lyre {
namespace log_test {

const Name kMissing("asset.missing"), kSlow("frame.slow");

std::vector<std::string> texts(const Log& log) {
    std::vector<std::string> all;
    for (const LogEntry& entry : log.entries()) all.push_back(entry.text);
    return all;
}

std::string read_all(std::FILE* file) {
    std::string all;
    std::rewind(file);
    for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) all += static_cast<char>(c);
    return all;
}

TEST(Log, an_entry_has_time_level_kind_subject_and_text) {
    // W-12
    VirtualClock clock;
    clock.set_wall_seconds(1'000'000'000);
    clock.advance(2'500'000);
    Log log(clock);
    log.report(LogLevel::Warning, kMissing, "crate.toml", "no such file");
    const auto entries = log.entries();
    ASSERT_EQ(entries.size(), 1u);
    EXPECT_EQ(entries[0].time_us, 2'500'000);
    EXPECT_EQ(entries[0].wall_seconds, 1'000'000'002);
    EXPECT_EQ(entries[0].level, LogLevel::Warning);
    EXPECT_EQ(entries[0].kind, kMissing);
    EXPECT_EQ(entries[0].subject, "crate.toml");
    EXPECT_EQ(entries[0].text, "no such file");
    EXPECT_EQ(log.count(kMissing), 1u);
    EXPECT_EQ(log.count(kSlow), 0u);
}

TEST(Log, the_last_entries_are_kept_and_the_others_counted) {
    VirtualClock clock;
    Log log(clock, 3);
    for (int i = 0; i < 8; ++i) log.report(LogLevel::Info, kMissing, fmt::format("{}", i), fmt::format("t{}", i));
    EXPECT_EQ(texts(log), (std::vector<std::string>{"t5", "t6", "t7"}));
    EXPECT_EQ(log.counts().overwritten, 5u);
    EXPECT_EQ(log.counts().reported, 8u);
    log.report(LogLevel::Info, kMissing, std::string(10'000, 's'), std::string(10'000, 't'));
    EXPECT_EQ(log.entries().back().text.size(), Log::kMaxText);
    EXPECT_EQ(log.entries().back().subject.size(), Log::kMaxText);
}

TEST(Log, repeats_beyond_ten_in_a_second_become_one_line) {
    VirtualClock clock;
    Log log(clock);
    for (int i = 0; i < 47; ++i) log.report(LogLevel::Warning, kMissing, "crate", fmt::format("{}", i));
    log.report(LogLevel::Info, kMissing, "barrel", "another subject is not concerned");
    EXPECT_EQ(log.entries().size(), 11u);
    EXPECT_EQ(log.count(kMissing), 48u);
    EXPECT_EQ(log.counts().held_back, 37u);

    clock.advance(999'999);
    log.report(LogLevel::Error, kMissing, "crate", "still in the second");
    EXPECT_EQ(log.entries().size(), 11u);
    clock.advance(1);
    log.report(LogLevel::Warning, kMissing, "crate", "in the next");
    const auto entries = log.entries();
    ASSERT_EQ(entries.size(), 13u);
    EXPECT_EQ(entries[11].text, "38 more like this");
    EXPECT_EQ(entries[11].repeats, 38u);
    EXPECT_EQ(entries[11].level, LogLevel::Error);  // the worst of them
    EXPECT_EQ(entries[12].text, "in the next");
}

TEST(Log, the_summary_comes_with_a_delivery_if_nothing_else_is_reported) {
    VirtualClock clock;
    Log log(clock);
    clock.advance(300'000);
    for (int i = 0; i < 12; ++i) log.report(LogLevel::Warning, kMissing, "b", "x");
    clock.advance(500'000);
    for (int i = 0; i < 13; ++i) log.report(LogLevel::Warning, kMissing, "a", "x");
    clock.advance(500'000);
    log.deliver();
    EXPECT_EQ(log.entries().back().subject, "b");
    EXPECT_EQ(log.entries().back().repeats, 2u);
    clock.advance(500'000);
    log.deliver();
    EXPECT_EQ(log.entries().back().subject, "a");
    EXPECT_EQ(log.entries().back().repeats, 3u);
    EXPECT_EQ(log.entries().size(), 22u);
}

TEST(Log, hostile_subjects_cannot_flood_it) {
    VirtualClock clock;
    Log log(clock, 1u << 20);
    for (int i = 0; i < 5000; ++i) log.report(LogLevel::Warning, kMissing, fmt::format("{}", i), "x");
    EXPECT_EQ(log.entries().size(), Log::kMaxSubjects);
    EXPECT_EQ(log.counts().dropped, 5000 - Log::kMaxSubjects);
    clock.advance(Log::kWindowUs);
    log.report(LogLevel::Warning, kMissing, "new", "x");
    EXPECT_EQ(log.entries().back().subject, "new");
}

TEST(Log, it_prints_from_a_level_up_and_can_be_switched_off) {
    VirtualClock clock;
    clock.set_wall_seconds(1'000'000'000);
    std::FILE* file = std::tmpfile();
    ASSERT_NE(file, nullptr);
    {
        Log log(clock);
        log.report(LogLevel::Error, kMissing, "before", "not printed");
        log.print_to(file, LogLevel::Warning);
        log.report(LogLevel::Info, kMissing, "crate", "too low");
        log.report(LogLevel::Warning, kMissing, "crate", "no such file");
        log.report(LogLevel::Error, kSlow, "", "{not a format}");
        log.report(LogLevel::Error, kSlow, "\x1b[2J", "two\nlines\r");
        log.print_to(nullptr);
        log.report(LogLevel::Error, kMissing, "after", "not printed");
        log.print_to(file);
        for (int i = 0; i < 12; ++i) log.report(LogLevel::Info, kSlow, "s", "slow");
    }
    std::string expected =
        "2001-09-09T01:46:40Z warning asset.missing [crate]: no such file\n"
        "2001-09-09T01:46:40Z error frame.slow: {not a format}\n"
        "2001-09-09T01:46:40Z error frame.slow [\uFFFD[2J]: two\n    lines\uFFFD\n";
    for (int i = 0; i < 10; ++i) expected += "2001-09-09T01:46:40Z info frame.slow [s]: slow\n";
    expected += "2001-09-09T01:46:40Z info frame.slow [s]: 2 more like this\n";
    EXPECT_EQ(read_all(file), expected);
    std::fclose(file);
}

TEST(Log, no_text_in_it_steers_a_terminal) {
    // W-34
    VirtualClock clock;
    std::FILE* file = std::tmpfile();
    ASSERT_NE(file, nullptr);
    {
        Log log(clock);
        log.print_to(file);
        log.report(LogLevel::Error, kSlow, "\u009b2J",
                   "right \u202e to left\u2028line\u2029paragraph\xff\ufeff\nnext\u0085");
    }
    const std::string printed = read_all(file);
    EXPECT_NE(printed.find("[\uFFFD2J]: right \uFFFD to left\uFFFDline\uFFFDparagraph\uFFFD\uFFFD\n    next\uFFFD\n"),
              std::string::npos)
        << printed;
    std::fclose(file);
}

TEST(Log, listeners_hear_each_entry_once_when_delivered) {
    // W-06
    VirtualClock clock;
    Log log(clock);
    log.report(LogLevel::Info, kMissing, "", "before anybody listens");
    log.deliver();
    std::string heard;
    auto connection = log.reported().add([&](const LogEntry& entry) { heard += entry.text + ";"; });
    log.report(LogLevel::Info, kMissing, "", "a");
    log.report(LogLevel::Info, kMissing, "", "b");
    EXPECT_EQ(heard, "");
    log.deliver();
    log.deliver();
    EXPECT_EQ(heard, "a;b;");
}

TEST(Log, what_a_listener_reports_comes_with_the_next_delivery) {
    // W-06
    VirtualClock clock;
    Log log(clock);
    int calls = 0;
    auto connection = log.reported().add([&](const LogEntry&) {
        ++calls;
        log.report(LogLevel::Info, kSlow, fmt::format("{}", calls), "echo");
    });
    log.report(LogLevel::Info, kMissing, "", "a");
    log.deliver();
    EXPECT_EQ(calls, 1);
    log.deliver();
    EXPECT_EQ(calls, 2);
}

TEST(Log, entries_lost_before_a_delivery_are_counted) {
    VirtualClock clock;
    Log log(clock, 2);
    int calls = 0;
    auto connection = log.reported().add([&](const LogEntry&) { ++calls; });
    for (int i = 0; i < 5; ++i) log.report(LogLevel::Info, kMissing, "", "x");
    log.deliver();
    EXPECT_EQ(calls, 2);
    EXPECT_EQ(log.counts().undelivered, 3u);
}

TEST(Log, a_listener_may_destroy_the_log) {
    // W-06
    VirtualClock clock;
    auto log = std::make_unique<Log>(clock);
    int calls = 0;
    auto connection = log->reported().add([&](const LogEntry&) {
        ++calls;
        log.reset();
    });
    log->report(LogLevel::Info, kMissing, "", "a");
    log->report(LogLevel::Info, kMissing, "", "b");
    log->deliver();
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(log, nullptr);
}

TEST(Log, any_thread_may_report_while_the_frame_delivers_and_time_passes) {
    VirtualClock clock;
    Log log(clock, 1u << 20);
    std::uint64_t heard = 0;
    const auto frame = std::this_thread::get_id();
    auto connection = log.reported().add([&](const LogEntry& entry) {
        EXPECT_EQ(std::this_thread::get_id(), frame);
        heard += entry.repeats == 0 ? 1 : entry.repeats;
    });
    constexpr int kThreads = 4, kTimes = 2000;
    std::atomic<int> running{kThreads};
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t)
        threads.emplace_back([&, t] {
            for (int i = 0; i < kTimes; ++i) log.report(LogLevel::Info, kMissing, fmt::format("{}", t), "x");
            --running;
        });
    while (running > 0) {
        clock.advance(100'000);
        log.deliver();
    }
    for (auto& thread : threads) thread.join();
    clock.advance(Log::kWindowUs);
    log.deliver();
    EXPECT_EQ(heard, 8000u);
    EXPECT_EQ(log.count(kMissing), 8000u);
    EXPECT_EQ(log.counts().dropped, 0u);
}

TEST(Log, a_listener_that_throws_is_reported_once_and_the_others_hear) {
    // W-33
    VirtualClock clock;
    Log log(clock);
    int heard = 0;
    auto angry = log.reported().add([](const LogEntry&) { throw std::runtime_error("on purpose"); });
    auto calm = log.reported().add([&](const LogEntry&) { ++heard; });
    log.report(LogLevel::Info, kMissing, "a", "1");
    log.deliver();
    EXPECT_EQ(heard, 1);
    EXPECT_EQ(texts(log), (std::vector<std::string>{"1", "a listener threw: on purpose"}));
    for (int i = 0; i < 3; ++i) log.deliver();
    EXPECT_EQ(heard, 2) << "what is said of it is delivered, and nothing is said of that";
    EXPECT_EQ(log.count(Name("log.callback")), 1u);

    auto own = std::make_unique<Log>(clock);
    auto last = own->reported().add([&](const LogEntry&) {
        own.reset();
        throw 1;
    });
    own->report(LogLevel::Info, kMissing, "a", "1");
    own->deliver();
    EXPECT_EQ(own, nullptr);
}

}  // namespace log_test
}  // namespace lyre
