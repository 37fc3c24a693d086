#include "lyre/core/job_queue.h"

#include <algorithm>
#include <limits>

#include "lyre/core/assert.h"

namespace lyre::inline core {

JobId JobQueue::add(Job job, std::int64_t now_us) {
    LYRE_ASSERT(job.work != nullptr, "give the job something to do");
    Entries& entries = entries_[static_cast<std::size_t>(job.priority)];
    entries.emplace_hint(entries.end(), ++last_, Entry{std::move(job), now_us});
    return JobId::from_bits(last_);
}

JobQueue::Taken JobQueue::take(JobId job) {
    for (Entries& entries : entries_)
        if (Taken taken = entries.extract(job.bits())) return taken;
    return {};
}

JobQueue::Taken JobQueue::take_best(std::int64_t now_us) {
    for (Entries& entries : entries_)
        if (!entries.empty() && entries.begin()->second.submitted_us <= now_us) return entries.extract(entries.begin());
    return {};
}

bool JobQueue::set_priority(JobId job, Priority priority) {
    Taken taken = take(job);
    if (!taken) return false;
    taken.mapped().job.priority = priority;
    entries_[static_cast<std::size_t>(priority)].insert(std::move(taken));
    return true;
}

std::size_t JobQueue::count() const {
    return entries_[0].size() + entries_[1].size() + entries_[2].size();
}

std::int64_t JobQueue::first_submitted_us() const {
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    for (const Entries& entries : entries_)
        if (!entries.empty()) first = std::min(first, entries.begin()->second.submitted_us);
    return first;
}

}  // namespace lyre::inline core
