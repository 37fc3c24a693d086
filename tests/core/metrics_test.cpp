#include "lyre/core/metrics.h"

#include <atomic>
#include <cmath>
#include <gtest/gtest.h>
#include <thread>

#include "lyre/core/random.h"

namespace lyre {
namespace metrics_test {

const Owner kTag = Owner::feature(Name("tag"), 1);
const Owner kRace = Owner::feature(Name("race"), 2);

TEST(Metrics, names_are_listed_in_order_with_kind_help_and_value) {
    // W-13
    Metrics metrics;
    auto sent = *metrics.add_counter("net.sent", "datagrams");
    auto actors = *metrics.add_gauge("actors", "alive now");
    auto frame = *metrics.add_histogram("frame_us", "length of a frame");
    sent->add();
    sent->add(4);
    actors->set(10);
    actors->add(-3);
    frame->record(16'000);
    frame->record(17'000);
    const auto all = metrics.snapshot();
    ASSERT_EQ(all.size(), 3u);
    EXPECT_EQ(all[0].name, Name("actors"));
    EXPECT_EQ(all[0].value, 7);
    EXPECT_EQ(all[1].name, Name("frame_us"));
    EXPECT_EQ(all[1].kind, MetricKind::Histogram);
    EXPECT_EQ(all[1].value, 2);
    EXPECT_EQ(all[1].histogram->sum(), 33'000u);
    EXPECT_EQ(all[2].name, Name("net.sent"));
    EXPECT_EQ(all[2].kind, MetricKind::Counter);
    EXPECT_EQ(all[2].help, "datagrams");
    EXPECT_EQ(all[2].value, 5);
    EXPECT_EQ(all[2].histogram, nullptr);
    EXPECT_EQ(all[2].owners, std::vector<Owner>{Owner::process()});
}

TEST(Metrics, a_second_registration_gives_the_same_metric_and_one_of_another_kind_is_refused) {
    // W-13
    Metrics metrics;
    auto first = *metrics.add_counter("hits", "");
    EXPECT_EQ(*metrics.add_counter("hits", "again"), first);
    auto refused = metrics.add_gauge("hits", "");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.status().code(), StatusCode::AlreadyExists);
    EXPECT_EQ(refused.status().text(), "metric \"hits\" is a counter of process");
    EXPECT_EQ(metrics.snapshot().size(), 1u);
    EXPECT_FALSE(metrics.add_counter("", ""));
}

TEST(Metrics, a_metric_goes_with_its_last_owner_and_what_it_gave_out_stays_safe) {
    // W-13, W-33
    Metrics metrics;
    std::shared_ptr<Counter> shared, own;
    {
        OwnerScope as(kTag);
        shared = *metrics.add_counter("shared", "");
        own = *metrics.add_counter("own", "");
    }
    {
        OwnerScope as(kRace);
        ASSERT_TRUE(metrics.add_counter("shared", ""));
    }
    EXPECT_EQ(metrics.remove_all(kTag), 1u);
    own->add();
    ASSERT_EQ(metrics.snapshot().size(), 1u);
    EXPECT_EQ(metrics.snapshot()[0].owners, std::vector<Owner>{kRace});
    EXPECT_EQ(metrics.remove_all(kRace), 1u);
    shared->add();
    EXPECT_TRUE(metrics.snapshot().empty());
    EXPECT_NE(*metrics.add_counter("own", ""), own);  // a new life starts at 0
}

TEST(Metrics, there_is_a_bound) {
    // W-13
    Metrics metrics;
    for (std::size_t i = 0; i < Metrics::kMaxMetrics; ++i) ASSERT_TRUE(metrics.add_gauge(fmt::format("m{}", i), ""));
    EXPECT_EQ(metrics.add_gauge("one too many", "").status().code(), StatusCode::Capacity);
    EXPECT_TRUE(metrics.add_gauge("m0", ""));
}

TEST(Histogram, quantiles_are_off_by_an_eighth_at_most) {
    // W-13
    Random random = RandomSource(1).stream("histogram");
    for (int round = 0; round < 64; ++round) {
        Histogram histogram;
        std::vector<std::uint64_t> values;
        for (int i = 0; i < 500; ++i) {
            values.push_back(random.next_u64() >> round);
            histogram.record(values.back());
        }
        std::sort(values.begin(), values.end());
        for (double q : {0.0, 0.1, 0.5, 0.9, 0.99, 1.0}) {
            const auto rank = static_cast<std::size_t>(std::max(1.0, std::ceil(q * 500))) - 1;
            const auto exact = static_cast<double>(values[rank]);
            EXPECT_NEAR(static_cast<double>(histogram.quantile(q)), exact, exact / 8)
                << "shift " << round << " q " << q;
        }
    }
    EXPECT_EQ(Histogram().quantile(0.5), 0u);
    Histogram ends;
    ends.record(UINT64_MAX);
    EXPECT_GT(ends.quantile(0.5), UINT64_MAX / 8 * 7);
}

TEST(Metrics, increments_from_many_threads_are_all_seen_while_somebody_reads) {
    // W-13
    Metrics metrics;
    auto counter = *metrics.add_counter("c", "");
    auto gauge = *metrics.add_gauge("g", "");
    auto histogram = *metrics.add_histogram("h", "");
    constexpr int kThreads = 4, kTimes = 5000;
    std::vector<std::thread> threads;
    std::atomic<int> running{kThreads};
    for (int t = 0; t < kThreads; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < kTimes; ++i) {
                counter->add();
                gauge->add(i % 2 == 0 ? 3 : -2);
                histogram->record(static_cast<std::uint64_t>(i));
            }
            --running;
        });
    std::int64_t last = 0;
    while (running > 0) {
        const auto all = metrics.snapshot();
        EXPECT_GE(all[0].value, last);
        last = all[0].value;
        EXPECT_LE(all[2].histogram->quantile(1.0), 5120u);
    }
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(counter->value(), 20'000u);
    EXPECT_EQ(gauge->value(), 10'000);
    EXPECT_EQ(histogram->count(), 20'000u);
}

TEST(Metrics, one_owner_takes_its_share_in_one_back) {
    // W-33, F-74
    Metrics metrics;
    const Owner tag = Owner::feature(Name("tag"), 1);
    ASSERT_TRUE(metrics.add_counter("shared", "").is_ok());
    {
        const OwnerScope as(tag);
        ASSERT_TRUE(metrics.add_counter("shared", "").is_ok());
        ASSERT_TRUE(metrics.add_counter("shared", "").is_ok()) << "for one owner a second time changes nothing";
        ASSERT_TRUE(metrics.add_gauge("own", "").is_ok());
    }
    ASSERT_EQ(metrics.list(tag).size(), 2u);
    EXPECT_EQ(metrics.list(tag)[0].name, Name("shared"));
    EXPECT_TRUE(metrics.remove("shared", tag).is_ok());
    EXPECT_EQ(metrics.remove("shared", tag).code(), StatusCode::NotFound);
    EXPECT_EQ(metrics.remove("none", tag).code(), StatusCode::NotFound);
    EXPECT_EQ(metrics.snapshot().size(), 2u);
    EXPECT_TRUE(metrics.remove("own", tag).is_ok());
    EXPECT_EQ(metrics.snapshot().size(), 1u);
    EXPECT_TRUE(metrics.list(tag).empty());
    EXPECT_EQ(metrics.list(Owner::process()).size(), 1u);
}

}  // namespace metrics_test
}  // namespace lyre
