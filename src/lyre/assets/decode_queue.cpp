#include "lyre/assets/detail/decode_queue.h"

#include <algorithm>

#include "lyre/assets/load_codes.h"

namespace lyre::assets {

bool DecodeQueue::enter() {
    const std::lock_guard lock(mutex_);
    if (is_closed_) return false;
    ++inside_;
    return true;
}

void DecodeQueue::leave(std::list<Decoded> decoded) {
    const std::lock_guard lock(mutex_);
    decoded_.splice(decoded_.end(), decoded);
    --inside_;
    left_.notify_all();
}

void DecodeQueue::leave(std::vector<ChangedFile> changed) {
    const std::lock_guard lock(mutex_);
    changes_ = std::move(changed);
    has_changes_ = true;
    --inside_;
    left_.notify_all();
}

void DecodeQueue::take(std::list<Decoded>& into) {
    const std::lock_guard lock(mutex_);
    into.splice(into.end(), decoded_);
}

bool DecodeQueue::take_changes(std::vector<ChangedFile>& into) {
    const std::lock_guard lock(mutex_);
    if (!has_changes_) return false;
    into = std::move(changes_);
    changes_.clear();
    has_changes_ = false;
    return true;
}

void DecodeQueue::close() {
    std::list<Decoded> unwanted;
    {
        std::unique_lock lock(mutex_);
        is_closed_ = true;
        left_.wait(lock, [this] { return inside_ == 0; });
        unwanted.swap(decoded_);
    }
}

void DecodeJob::run() {
    if (!queue->enter()) return;
    has_begun.store(true, std::memory_order_relaxed);
    std::list<Decoded> result(1);  // made out here, so that only a splice is done under the lock
    result.front().id = entry.id;
    result.front().version = version;
    std::string threw;
    try {
        decode(result.front());
    } catch (const std::exception& e) {
        threw = fmt::format("decoding {} threw: {}", entry.id, e.what());
    } catch (...) {
        threw = fmt::format("decoding {} threw something that is no std::exception", entry.id);
    }
    if (!threw.empty()) {
        Problem problem;
        problem.code = &kDecodeThrew;
        problem.text = std::move(threw);
        problem.file = entry.path;
        problem.chain = {entry.id.to_string()};
        result.front().asset = {};
        result.front().asset.reading.problems.add(std::move(problem));
    }
    // Before the frame's thread hears of it: a source or a loader may be of a library that is closed then.
    schema.reset();
    source.reset();
    queue->leave(std::move(result));
}

void DecodeJob::decode(Decoded& result) const {
    result.asset = source->decode(entry, *schema);
    std::vector<std::pair<Name, PrimaryAssetId>> sorted;
    sorted.reserve(result.asset.references.size());
    for (const AssetReference& reference : result.asset.references)
        sorted.emplace_back(reference.bundle, reference.asset);
    std::sort(sorted.begin(), sorted.end());
    for (const auto& [bundle, asset] : sorted) result.table.add_asset(bundle, asset).ignore();  // it remembers
}

void ChangeSearch::run() {
    if (!queue->enter()) return;
    std::vector<ChangedFile> changed;
    for (const File& file : files) {
        if (queue->is_closed()) break;
        try {
            const std::int64_t now_ns = file.source->changed_ns(file.entry);
            if (now_ns != file.known_ns) changed.push_back({file.entry.id, now_ns});
        } catch (...) {  // a source that cannot say is as one without changes; the next search asks again
        }
    }
    files.clear();
    queue->leave(std::move(changed));
}

}  // namespace lyre::assets
