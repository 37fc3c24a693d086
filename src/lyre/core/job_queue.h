// core/job_queue.h: jobs that have not begun, in the order in which an executor takes them. No thread of its own: who
// holds it guards it.
//
// Ids are given out once and never again. Of all, only the map's node is allocated per job; it changes place with the
// priority and goes along when the job is taken, so that its function ends where its taker wants it to. How many wait
// is up to who submits.
#pragma once

#include <array>
#include <cstdint>
#include <map>

#include "lyre/core/executor.h"

namespace lyre::inline core {

class JobQueue {
public:
    struct Entry {
        Job job;
        std::int64_t submitted_us = 0;
    };
    using Entries = std::map<std::uint64_t, Entry>;  // by sequence number, from 1
    using Taken = Entries::node_type;                // empty: there was none

    JobId add(Job job, std::int64_t now_us);
    Taken take(JobId job);
    Taken take_best(std::int64_t now_us);  // of those submitted by then
    bool set_priority(JobId job, Priority priority);
    std::size_t count() const;
    std::int64_t first_submitted_us() const;  // there is one

private:
    std::array<Entries, 3> entries_;  // by priority
    std::uint64_t last_ = 0;
};

}  // namespace lyre::inline core
