#include "lyre/core/virtual_executor.h"

#include <algorithm>
#include <limits>

#include "lyre/core/assert.h"
#include "lyre/core/hash.h"
#include "lyre/core/random.h"

namespace lyre::inline core {

VirtualExecutor::VirtualExecutor(const Clock& clock, const VirtualWorkers& def)
    : clock_(clock), def_(def), workers_(def.workers) {
    LYRE_ASSERT(def.workers > 0, "jobs need at least one worker");
    LYRE_ASSERT(def.min_us >= 0 && def.min_us <= def.max_us, "a job takes from min_us to max_us, and not less than 0");
}

VirtualExecutor::~VirtualExecutor() {
    LYRE_ASSERT(!is_polling_, "a job must not destroy the executor that runs it: do it after poll()");
}

JobId VirtualExecutor::submit(Job job) {
    return queue_.add(std::move(job), clock_.now_us());
}

bool VirtualExecutor::cancel(JobId job) {
    return !queue_.take(job).empty();
}

bool VirtualExecutor::set_priority(JobId job, Priority priority) {
    return queue_.set_priority(job, priority);
}

void VirtualExecutor::poll() {
    LYRE_ASSERT(!is_polling_, "a job must not poll the executor that runs it");
    is_polling_ = true;
    const std::int64_t now = clock_.now_us();
    std::size_t left = def_.max_us == 0 ? workers_.size() : std::numeric_limits<std::size_t>::max();
    while (left > 0) {
        Worker* ending = next_to_end();
        if (ending != nullptr && ending->free_us > now) ending = nullptr;
        // What ends comes before what begins at the same time: its worker is free then.
        if (begin_next(ending != nullptr ? ending->free_us : now + 1)) continue;
        if (ending == nullptr) break;
        end(*ending);
        --left;
    }
    is_polling_ = false;
}

VirtualExecutor::Worker* VirtualExecutor::next_to_end() {
    Worker* first = nullptr;
    for (Worker& worker : workers_) {
        if (worker.work.empty() || is_held(worker)) continue;
        if (first == nullptr || worker.free_us < first->free_us ||
            (worker.free_us == first->free_us && worker.work.key() < first->work.key()))
            first = &worker;
    }
    return first;
}

VirtualExecutor::Worker* VirtualExecutor::next_free() {
    Worker* first = nullptr;
    for (Worker& worker : workers_)
        if (worker.work.empty() && (first == nullptr || worker.free_us < first->free_us)) first = &worker;
    return first;
}

// The next job that a worker takes, if that is before then.
bool VirtualExecutor::begin_next(std::int64_t before_us) {
    Worker* worker = next_free();
    if (worker == nullptr || queue_.count() == 0) return false;
    const std::int64_t at = std::max(worker->free_us, queue_.first_submitted_us());
    if (at >= before_us) return false;
    worker->work = queue_.take_best(at);
    Hasher hasher;
    hasher.value(def_.seed);
    hasher.value(worker->work.key());
    worker->free_us = at + Random(hasher.finish()).next_range(def_.min_us, def_.max_us);
    return true;
}

void VirtualExecutor::end(Worker& worker) {
    const JobQueue::Taken taken = std::move(worker.work);
    taken.mapped().job.work();
}

void VirtualExecutor::hold(std::string label_part) {
    held_.push_back(std::move(label_part));
}

void VirtualExecutor::release(std::string_view label_part) {
    std::vector<Worker*> late;
    for (Worker& worker : workers_)
        if (!worker.work.empty() && is_held(worker)) late.push_back(&worker);
    held_.erase(std::remove(held_.begin(), held_.end(), label_part), held_.end());
    for (Worker* worker : late)
        if (!is_held(*worker)) worker->free_us = std::max(worker->free_us, clock_.now_us());
}

bool VirtualExecutor::is_held(const Worker& worker) const {
    const std::string& label = worker.work.mapped().job.label;
    return std::any_of(held_.begin(), held_.end(),
                       [&](const std::string& part) { return label.find(part) != label.npos; });
}

}  // namespace lyre::inline core
