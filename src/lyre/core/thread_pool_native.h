// core/thread_pool_native.h: jobs on threads of their own, for a machine that has them.
//
// All threads take from one queue under one lock; a job's function runs and ends without it. On Linux they give way to
// the frame's thread where both want the same core. Any thread may call, a running job as well; wait_for_progress is
// for one at a time. The destructor drops what waits and returns when what runs has ended; no job may call it.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "lyre/core/job_queue.h"

namespace lyre::inline core {

class ThreadPool final : public Executor {
public:
    // Not the number of cores: these wait for disks. More gain little on a cold disk and nothing on a warm one.
    static constexpr std::size_t kThreads = 8;

    explicit ThreadPool(std::size_t threads = kThreads);  // at least 1; fewer if the system gives no more
    ~ThreadPool() override;

    JobId submit(Job job) override;
    bool cancel(JobId job) override;
    bool set_priority(JobId job, Priority priority) override;
    std::size_t waiting() const override;
    void wait_for_progress(std::int64_t us) override;
    std::size_t threads() const { return threads_.size(); }

private:
    void run();

    mutable std::mutex mutex_;
    std::condition_variable work_;      // there is some, or it is over
    std::condition_variable progress_;  // a job has ended
    JobQueue queue_;
    bool is_over_ = false;
    std::uint64_t ended_ = 0;
    std::uint64_t ended_seen_ = 0;  // by wait_for_progress
    std::vector<std::thread> threads_;
};

}  // namespace lyre::inline core
