// core/executor.h: where work goes that must not hold up a frame: reading and decoding files.
//
// A job is handed over by the frame's thread and runs elsewhere, High before Normal before Low, within one priority in
// order of submission. It reports by whatever its function does; the executor only promises that the function runs once
// or, if it is cancelled in time, never. ThreadPool (thread_pool_native.h) runs jobs on threads; VirtualExecutor runs
// them on the frame's thread when their virtual time has come, in an order that the seed decides, for simulations,
// tests and browsers without threads.
//
// A job's function must not throw and must not touch what belongs to the frame's thread. It runs as the process's own.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "lyre/core/handle.h"

namespace lyre::inline core {

enum class Priority : std::uint8_t { High, Normal, Low };
std::string_view to_string(Priority priority);

struct Job;
using JobId = Handle<Job>;

struct Job {
    std::string label;  // what it works on, for faults and for people: a path
    Priority priority = Priority::Normal;
    std::function<void()> work;
};

class Executor {
public:
    virtual ~Executor() = default;  // what waits is dropped, what runs is waited for
    virtual JobId submit(Job job) = 0;
    // Whether it was taken back before it began; then it never runs, and what its function held is gone.
    virtual bool cancel(JobId job) = 0;
    virtual bool set_priority(JobId job, Priority priority) = 0;  // of one that has not begun
    // Frame's thread, once per frame: lets a virtual executor do what is due. Threads need no help.
    virtual void poll() {}
    virtual std::size_t waiting() const = 0;  // not begun
    // Blocks until a job has ended since the last call, or `us` have passed; for those who have nothing else to do.
    // Virtual executors return at once.
    virtual void wait_for_progress(std::int64_t us) = 0;

protected:
    Executor() = default;
    Executor(const Executor&) = delete;
    Executor& operator=(const Executor&) = delete;
};

}  // namespace lyre::inline core
