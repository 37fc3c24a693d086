#include "lyre/core/thread_pool_native.h"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#include "lyre/core/assert.h"

#ifdef __linux__
#include <unistd.h>
#endif

namespace lyre::inline core {
namespace {

constexpr std::int64_t kLongestWaitUs = 3'600'000'000;  // an hour: more could overflow the system's time

void give_way() {
#ifdef __linux__
    constexpr int kNicer = 5;  // a quarter of a core that the frame's thread wants too
    (void)!::nice(kNicer);     // of this thread alone, on Linux; if it is refused, it is as good as before
#endif
}

}  // namespace

ThreadPool::ThreadPool(std::size_t threads) {
    LYRE_ASSERT(threads > 0, "jobs need at least one thread; use VirtualExecutor where there are none");
    threads_.reserve(threads);
    try {
        while (threads_.size() < threads) threads_.emplace_back([this] { run(); });
    } catch (const std::system_error&) {
        LYRE_ASSERT(!threads_.empty(), "the system gives no thread: raise its limit, or use VirtualExecutor");
    }
}

ThreadPool::~ThreadPool() {
    for (const std::thread& thread : threads_)
        LYRE_ASSERT(thread.get_id() != std::this_thread::get_id(), "a job must not destroy the pool that runs it");
    {
        JobQueue dropped;  // ends after the lock, as in cancel()
        const std::lock_guard lock(mutex_);
        is_over_ = true;
        std::swap(dropped, queue_);
    }
    work_.notify_all();
    for (std::thread& thread : threads_) thread.join();
}

JobId ThreadPool::submit(Job job) {
    JobId id;
    {
        const std::lock_guard lock(mutex_);
        id = queue_.add(std::move(job), 0);
    }
    work_.notify_one();
    return id;
}

bool ThreadPool::cancel(JobId job) {
    JobQueue::Taken taken;  // ends after the lock: what the function holds may call back
    const std::lock_guard lock(mutex_);
    taken = queue_.take(job);
    return !taken.empty();
}

bool ThreadPool::set_priority(JobId job, Priority priority) {
    const std::lock_guard lock(mutex_);
    return queue_.set_priority(job, priority);
}

std::size_t ThreadPool::waiting() const {
    const std::lock_guard lock(mutex_);
    return queue_.count();
}

void ThreadPool::wait_for_progress(std::int64_t us) {
    const std::chrono::microseconds longest(std::clamp<std::int64_t>(us, 0, kLongestWaitUs));
    std::unique_lock lock(mutex_);
    progress_.wait_for(lock, longest, [this] { return ended_ != ended_seen_; });
    ended_seen_ = ended_;
}

void ThreadPool::run() {
    give_way();
    std::unique_lock lock(mutex_);
    for (;;) {
        work_.wait(lock, [this] { return is_over_ || queue_.count() > 0; });
        if (is_over_) return;
        JobQueue::Taken taken = queue_.take_best(0);
        lock.unlock();
        taken.mapped().job.work();
        taken = {};
        lock.lock();
        ++ended_;
        progress_.notify_one();
    }
}

}  // namespace lyre::inline core
