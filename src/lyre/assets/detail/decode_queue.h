// assets/detail/decode_queue.h: what goes between the frame's thread and the workers that decode.
//
// A job holds all it needs (source, schema, entry) and the queue, never the store: so the store may go while a job
// runs. close() waits for those that are inside a source; whoever begins later finds the door shut and does nothing.
#pragma once

#include <atomic>
#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "lyre/assets/asset_source.h"
#include "lyre/assets/bundles.h"

namespace lyre::assets {

struct Decoded {
    PrimaryAssetId id;
    std::uint64_t job = 0;  // which of the jobs for this asset
    DecodedAsset asset;
    BundleTable table;  // of the annotated references; sorting many of them is nothing for the frame's thread
};
struct ChangedFile {
    PrimaryAssetId id;
    std::int64_t changed_ns = 0;  // 0: gone
};

class DecodeQueue {
public:
    // Workers. What enters must leave; false: closed, nobody waits for anything.
    bool enter();
    void leave(std::list<Decoded> decoded);
    void leave(std::vector<ChangedFile> changed);
    bool is_closed() const { return is_closed_.load(std::memory_order_relaxed); }

    // Frame's thread. In order of completion; takes the same time for any number.
    void take(std::list<Decoded>& into);
    bool take_changes(std::vector<ChangedFile>& into);  // whether a search has ended
    void close();

private:
    std::mutex mutex_;  // all below
    std::condition_variable left_;
    std::list<Decoded> decoded_;
    std::vector<ChangedFile> changes_;
    std::size_t inside_ = 0;
    bool has_changes_ = false;
    std::atomic<bool> is_closed_ = false;  // written under the mutex
};

// One asset's way through a worker.
struct DecodeJob {
    std::shared_ptr<DecodeQueue> queue;
    std::shared_ptr<const AssetSource> source;
    std::shared_ptr<const DecodeSchema> schema;
    AssetEntry entry;
    std::uint64_t serial = 0;
    std::atomic<bool> has_begun = false;

    void run();

private:
    void decode(Decoded& result) const;
};

// Looks which of many files differ from what was read.
struct ChangeSearch {
    struct File {
        AssetEntry entry;
        std::shared_ptr<const AssetSource> source;
        std::int64_t known_ns = 0;
    };
    std::shared_ptr<DecodeQueue> queue;
    std::vector<File> files;

    void run();
};

}  // namespace lyre::assets
