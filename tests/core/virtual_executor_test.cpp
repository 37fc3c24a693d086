#include "lyre/core/virtual_executor.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <utility>

namespace lyre {
namespace virtual_executor_test {

class VirtualExecutorTest : public testing::Test {
protected:
    JobId add(Executor& executor, const std::string& label, Priority priority = Priority::Normal) {
        return executor.submit({label, priority, [this, label] { ran_ += label + " "; }});
    }
    // What has run since the last call.
    std::string ran() { return std::exchange(ran_, {}); }

    VirtualClock clock_;
    std::string ran_;
};

TEST_F(VirtualExecutorTest, one_worker_takes_high_before_normal_before_low_and_within_one_in_order) {
    // C-08
    VirtualExecutor executor(clock_, {.workers = 1, .min_us = 10, .max_us = 10});
    add(executor, "low1", Priority::Low);
    add(executor, "normal1");
    add(executor, "high1", Priority::High);
    add(executor, "low2", Priority::Low);
    add(executor, "normal2");
    add(executor, "high2", Priority::High);
    EXPECT_EQ(executor.waiting(), 6u);
    executor.poll();
    EXPECT_EQ(executor.waiting(), 5u);
    EXPECT_EQ(ran(), "");
    clock_.advance(60);
    executor.poll();
    EXPECT_EQ(ran(), "high1 high2 normal1 normal2 low1 low2 ");
    EXPECT_EQ(executor.waiting(), 0u);
}

TEST_F(VirtualExecutorTest, a_raised_job_goes_ahead_in_order_of_submission) {
    // C-08
    VirtualExecutor executor(clock_, {.workers = 1, .min_us = 10, .max_us = 10});
    const JobId low = add(executor, "low", Priority::Low);
    add(executor, "high1", Priority::High);
    executor.poll();  // begins
    add(executor, "high2", Priority::High);
    EXPECT_TRUE(executor.set_priority(low, Priority::High));
    clock_.advance(30);
    executor.poll();
    EXPECT_EQ(ran(), "high1 low high2 ");
    EXPECT_FALSE(executor.set_priority(low, Priority::Low));
    EXPECT_FALSE(executor.set_priority({}, Priority::Low));
}

TEST_F(VirtualExecutorTest, preloads_do_not_delay_what_comes_later_by_more_than_what_runs) {
    // C-08
    VirtualExecutor executor(clock_, {.workers = 1, .min_us = 10, .max_us = 10});
    for (int i = 0; i < 100; ++i) add(executor, "low", Priority::Low);
    executor.poll();
    add(executor, "high", Priority::High);
    clock_.advance(30);
    executor.poll();
    EXPECT_EQ(ran(), "low high low ");
}

TEST_F(VirtualExecutorTest, a_job_submitted_later_is_not_taken_before_its_time) {
    // C-09
    VirtualExecutor executor(clock_, {.workers = 1, .min_us = 10, .max_us = 10});
    add(executor, "a");
    add(executor, "b");
    clock_.advance(15);  // a ended at 10, b began
    add(executor, "high", Priority::High);
    clock_.advance(5);
    executor.poll();
    EXPECT_EQ(ran(), "a b ");
    clock_.advance(9);
    executor.poll();
    EXPECT_EQ(ran(), "");
    clock_.advance(1);
    executor.poll();
    EXPECT_EQ(ran(), "high ");
}

TEST_F(VirtualExecutorTest, a_cancelled_job_never_runs_and_what_it_held_is_gone) {
    // C-07
    VirtualExecutor executor(clock_, {.workers = 1, .min_us = 10, .max_us = 10});
    auto held = std::make_shared<int>(1);
    const JobId first = add(executor, "first");
    const JobId second = executor.submit({"second", Priority::Normal, [held] { FAIL(); }});
    executor.poll();
    EXPECT_FALSE(executor.cancel(first));  // has begun
    EXPECT_TRUE(executor.cancel(second));
    EXPECT_EQ(held.use_count(), 1);
    EXPECT_FALSE(executor.cancel(second));
    clock_.advance(100);
    executor.poll();
    EXPECT_EQ(ran(), "first ");
    EXPECT_FALSE(executor.cancel(first));
}

TEST_F(VirtualExecutorTest, the_same_seed_gives_the_same_order_and_another_one_another) {
    // C-09
    const auto run = [&](std::uint64_t seed) {
        VirtualClock clock;
        VirtualExecutor executor(clock, {.workers = 4, .min_us = 100, .max_us = 5'000, .seed = seed});
        for (int i = 0; i < 100; ++i) add(executor, fmt::format("{}", i), static_cast<Priority>(i % 3));
        for (int i = 0; i < 200; ++i) {
            executor.poll();
            clock.advance(1'000);
        }
        return ran();
    };
    const std::string first = run(7);
    EXPECT_EQ(first, run(7));
    EXPECT_NE(first, run(8));
    EXPECT_EQ(std::count(first.begin(), first.end(), ' '), 100);
}

TEST_F(VirtualExecutorTest, the_order_does_not_depend_on_how_often_it_is_polled) {
    // C-09
    const auto run = [&](std::int64_t step) {
        VirtualClock clock;
        VirtualExecutor executor(clock, {.workers = 3, .min_us = 100, .max_us = 5'000, .seed = 3});
        for (int i = 0; i < 100; ++i) add(executor, fmt::format("{}", i), static_cast<Priority>(i % 3));
        for (; clock.now_us() < 1'000'000; clock.advance(step)) executor.poll();
        return ran();
    };
    EXPECT_EQ(run(10), run(16'667));
}

TEST_F(VirtualExecutorTest, how_long_a_job_takes_does_not_depend_on_others) {
    // C-09
    const auto ends_at = [&](int others) {
        VirtualClock clock;
        VirtualExecutor executor(clock, {.workers = 100, .min_us = 0, .max_us = 1'000, .seed = 5});
        std::int64_t end = -1;
        executor.submit({"it", Priority::Normal, [&] { end = clock.now_us(); }});
        for (int i = 0; i < others; ++i) add(executor, "other", Priority::High);
        while (end < 0) {
            executor.poll();
            clock.advance(1);
        }
        return end;
    };
    EXPECT_EQ(ends_at(0), ends_at(90));
}

TEST_F(VirtualExecutorTest, a_held_job_keeps_its_worker_until_it_is_released) {
    // C-09
    VirtualExecutor executor(clock_, {.workers = 2, .min_us = 10, .max_us = 10});
    executor.hold("slow");
    add(executor, "content/slow.toml");
    add(executor, "a");
    add(executor, "b");
    add(executor, "c");
    clock_.advance(1'000);
    executor.poll();
    EXPECT_EQ(ran(), "a b c ");
    executor.release("other");
    executor.poll();
    EXPECT_EQ(ran(), "");
    executor.release("slow");
    executor.poll();
    EXPECT_EQ(ran(), "content/slow.toml ");
}

TEST_F(VirtualExecutorTest, a_job_held_by_two_waits_for_both) {
    // C-09
    VirtualExecutor executor(clock_, {.workers = 1});
    executor.hold("a");
    executor.hold("b");
    add(executor, "ab");
    executor.poll();
    executor.release("a");
    executor.poll();
    EXPECT_EQ(ran(), "");
    executor.release("b");
    executor.poll();
    EXPECT_EQ(ran(), "ab ");
}

TEST_F(VirtualExecutorTest, a_job_that_never_ends_is_dropped_with_the_executor) {
    // C-07
    auto held = std::make_shared<int>(1);
    {
        VirtualExecutor executor(clock_, {.workers = 1});
        executor.hold("");
        for (int i = 0; i < 2; ++i) executor.submit({"never", Priority::Normal, [held] { FAIL(); }});
        executor.poll();
        EXPECT_EQ(executor.waiting(), 1u);
    }
    EXPECT_EQ(held.use_count(), 1);
}

TEST_F(VirtualExecutorTest, without_duration_a_poll_runs_as_many_jobs_as_there_are_workers) {
    // C-10
    VirtualExecutor executor(clock_, {.workers = 2});
    for (const char* label : {"a", "b", "c", "d"}) add(executor, label);
    add(executor, "high", Priority::High);
    executor.poll();
    EXPECT_EQ(ran(), "high a ");
    EXPECT_EQ(executor.waiting(), 3u);
    add(executor, "high2", Priority::High);
    executor.poll();
    EXPECT_EQ(ran(), "high2 b ");
    executor.poll();
    EXPECT_EQ(ran(), "c d ");
}

TEST_F(VirtualExecutorTest, a_job_may_submit_and_cancel_others) {
    // C-09
    VirtualExecutor executor(clock_, {.workers = 1, .min_us = 10, .max_us = 10});
    JobId victim;
    executor.submit({"first", Priority::Normal, [&] {
                         EXPECT_TRUE(executor.cancel(victim));
                         for (int i = 0; i < 100; ++i) add(executor, "child");
                     }});
    victim = add(executor, "victim");
    clock_.advance(100);
    executor.poll();  // the children are submitted now
    EXPECT_EQ(ran(), "");
    clock_.advance(20);
    executor.poll();
    EXPECT_EQ(ran(), "child child ");
}

TEST_F(VirtualExecutorTest, a_job_must_not_poll_or_destroy_its_executor) {
    // C-09
    auto executor = std::make_unique<VirtualExecutor>(clock_);
    executor->submit({"polls", Priority::Normal, [&] { executor->poll(); }});
    EXPECT_DEATH(executor->poll(), "must not poll");
    auto other = std::make_unique<VirtualExecutor>(clock_);
    other->submit({"destroys", Priority::Normal, [&] { other.reset(); }});
    EXPECT_DEATH(other->poll(), "must not destroy");
    EXPECT_DEATH(executor->submit({"empty", Priority::Normal, {}}), "something to do");
}

}  // namespace virtual_executor_test
}  // namespace lyre
