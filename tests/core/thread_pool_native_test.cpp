#include "lyre/core/thread_pool_native.h"

#include <algorithm>
#include <atomic>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <mutex>
#include <sys/resource.h>

#include "lyre/core/random.h"

namespace lyre {
namespace thread_pool_native_test {

constexpr std::int64_t kLongUs = 60'000'000;  // nothing here takes that long

// A job that runs until it is let go, so that everything behind it waits. Outlives the pool.
class Gate {
public:
    void close(ThreadPool& pool) {
        pool.submit({"gate", Priority::High, [this] {
                         std::unique_lock lock(mutex_);
                         is_reached_ = true;
                         changed_.notify_all();
                         changed_.wait(lock, [this] { return is_open_; });
                     }});
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return is_reached_; });
    }
    void open() {
        const std::lock_guard lock(mutex_);
        is_open_ = true;
        changed_.notify_all();
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool is_reached_ = false;
    bool is_open_ = false;
};

void wait_until(ThreadPool& pool, const std::atomic<int>& counter, int value) {
    while (counter < value) pool.wait_for_progress(kLongUs);
}

TEST(ThreadPool, one_thread_takes_high_before_normal_before_low_and_raised_jobs_ahead) {
    // C-08
    Gate gate;
    ThreadPool pool(1);
    gate.close(pool);
    std::string order;  // written by the one thread, read after the last job
    std::atomic<int> ended = 0;
    const auto add = [&](const char* label, Priority priority) {
        return pool.submit({label, priority, [&, label] {
                                order += std::string(label) + " ";
                                ++ended;
                            }});
    };
    add("low1", Priority::Low);
    const JobId raised = add("raised", Priority::Low);
    add("normal", Priority::Normal);
    add("high", Priority::High);
    add("low2", Priority::Low);
    EXPECT_EQ(pool.waiting(), 5u);
    EXPECT_TRUE(pool.set_priority(raised, Priority::High));
    gate.open();
    wait_until(pool, ended, 5);
    EXPECT_EQ(order, "raised high normal low1 low2 ");
    EXPECT_EQ(pool.waiting(), 0u);
    EXPECT_FALSE(pool.set_priority(raised, Priority::Low));
}

TEST(ThreadPool, a_job_cancelled_before_a_thread_took_it_never_runs_and_what_it_held_is_gone) {
    // C-07
    Gate gate;
    ThreadPool pool(1);
    gate.close(pool);
    auto held = std::make_shared<int>(1);
    const JobId job = pool.submit({"cancelled", Priority::Normal, [held] { FAIL(); }});
    EXPECT_TRUE(pool.cancel(job));
    EXPECT_EQ(held.use_count(), 1);
    EXPECT_FALSE(pool.cancel(job));
    EXPECT_FALSE(pool.cancel({}));
    gate.open();
}

TEST(ThreadPool, what_waits_is_dropped_with_the_threads_and_what_runs_is_waited_for) {
    // C-07
    auto held = std::make_shared<int>(1);
    const std::weak_ptr<int> dropped = held;
    std::atomic<bool> is_running = false;
    std::atomic<bool> has_ended = false;
    {
        ThreadPool pool(1);
        pool.submit({"runs", Priority::Normal, [&] {
                         is_running = true;
                         while (!dropped.expired()) std::this_thread::yield();  // until the pool is being destroyed
                         has_ended = true;
                     }});
        while (!is_running) std::this_thread::yield();
        pool.submit({"waits", Priority::Normal, [held] { FAIL(); }});
        held.reset();
    }
    EXPECT_TRUE(dropped.expired());
    EXPECT_TRUE(has_ended);
}

TEST(ThreadPool, every_job_runs_once_on_many_threads_unless_it_was_cancelled) {
    // C-07
    constexpr int kJobs = 20'000;
    std::vector<std::atomic<int>> runs(kJobs);
    std::atomic<int> ended = 0;
    std::vector<bool> cancelled(kJobs);
    std::vector<JobId> ids;
    int dropped = 0;
    Random random(3);
    ThreadPool pool(8);
    for (int i = 0; i < kJobs; ++i) {
        ids.push_back(pool.submit({"job", static_cast<Priority>(random.next_below(3)), [&, i] {
                                       ++runs[i];
                                       ++ended;
                                   }}));
        const auto other = static_cast<std::size_t>(random.next_below(ids.size()));
        if (random.chance(0.3f) && pool.cancel(ids[other])) {
            cancelled[other] = true;
            ++dropped;
        } else {
            pool.set_priority(ids[other], static_cast<Priority>(random.next_below(3)));
        }
    }
    wait_until(pool, ended, kJobs - dropped);
    EXPECT_EQ(pool.waiting(), 0u);
    for (int i = 0; i < kJobs; ++i) ASSERT_EQ(runs[i], cancelled[i] ? 0 : 1) << i;
}

TEST(ThreadPool, a_job_on_a_thread_may_submit_more_and_what_it_held_is_gone_without_the_lock) {
    // C-09
    struct CallsBack {
        ThreadPool& pool;
        ~CallsBack() { pool.waiting(); }  // would wait for itself under the lock
    };
    std::atomic<int> ended = 0;
    ThreadPool pool(2);
    pool.submit({"parent", Priority::Normal, [&, held = std::make_shared<CallsBack>(CallsBack{pool})] {
                     for (int i = 0; i < 10; ++i) pool.submit({"child", Priority::Normal, [&] { ++ended; }});
                 }});
    wait_until(pool, ended, 10);
}

TEST(ThreadPool, waiting_for_progress_of_threads_ends_with_a_job_or_with_the_time) {
    // C-09
    ThreadPool pool(1);
    pool.wait_for_progress(0);
    pool.wait_for_progress(-1);
    pool.wait_for_progress(1'000);  // nothing to come
    std::atomic<int> ended = 0;
    pool.submit({"job", Priority::Normal, [&] { ++ended; }});
    pool.wait_for_progress(std::numeric_limits<std::int64_t>::max());
    EXPECT_EQ(ended, 1);
}

#ifdef __linux__
TEST(ThreadPool, threads_give_way_to_the_frame) {
    // C-10
    const int own = ::getpriority(PRIO_PROCESS, 0);
    std::atomic<int> theirs = own;
    std::atomic<int> ended = 0;
    ThreadPool pool(1);
    pool.submit({"job", Priority::Normal, [&] {
                     theirs = ::getpriority(PRIO_PROCESS, 0);
                     ++ended;
                 }});
    wait_until(pool, ended, 1);
    EXPECT_EQ(theirs, std::min(own + 5, 19));
    EXPECT_EQ(::getpriority(PRIO_PROCESS, 0), own);
}
#endif

}  // namespace thread_pool_native_test
}  // namespace lyre
