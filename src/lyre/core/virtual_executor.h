// core/virtual_executor.h: jobs on the frame's thread, as if virtual workers had taken their time over them.
//
//     submit -> waiting -> a worker takes it -> its virtual time passes -> poll() runs its function
//
// A worker takes the best job that waits at the time it became free, or that was submitted since. How long the job
// takes is drawn from the seed and the job's number alone, so other jobs do not change it. poll() goes through all that
// should have happened since the last one in order of time (of two that end together the one submitted first), and so
// the same seed and the same submissions give the same order. Between polls nothing begins: what was submitted since
// can be cancelled or raised, whatever the clock says.
//
// With max_us = 0, for browsers without threads, each poll() runs at most as many jobs as there are workers, the best
// first; how long that really takes is up to the jobs.
//
// A job's function may submit, cancel, hold and release. It may not poll, nor destroy the executor. What a destroyed
// executor has begun and not ended is dropped like what waits.
#pragma once

#include <string>
#include <vector>

#include "lyre/core/clock.h"
#include "lyre/core/job_queue.h"

namespace lyre::inline core {

struct VirtualWorkers {
    std::size_t workers = 4;  // at least 1
    std::int64_t min_us = 0;  // a job takes this long
    std::int64_t max_us = 0;  // up to this
    std::uint64_t seed = 1;
};

class VirtualExecutor final : public Executor {
public:
    explicit VirtualExecutor(const Clock& clock, const VirtualWorkers& def = {});
    ~VirtualExecutor() override;

    JobId submit(Job job) override;
    bool cancel(JobId job) override;
    bool set_priority(JobId job, Priority priority) override;
    void poll() override;
    std::size_t waiting() const override { return queue_.count(); }
    void wait_for_progress(std::int64_t) override {}

    // Jobs whose label contains this do not end, and keep their workers busy, until it is released.
    void hold(std::string label_part);
    void release(std::string_view label_part);

private:
    struct Worker {
        std::int64_t free_us = 0;  // since when; while it works: when it will be
        JobQueue::Taken work;
    };

    Worker* next_to_end();
    Worker* next_free();
    bool begin_next(std::int64_t before_us);
    void end(Worker& worker);
    bool is_held(const Worker& worker) const;

    const Clock& clock_;
    const VirtualWorkers def_;
    JobQueue queue_;
    std::vector<Worker> workers_;
    std::vector<std::string> held_;
    bool is_polling_ = false;
};

}  // namespace lyre::inline core
