// assets/detail/asset_node.h: one asset that somebody wants, is there, or is still at a worker.
//
// A node has up to two versions: the one that is there, and one to come (the first, or one that a changed file made
// necessary). The one to come walks through its steps and then takes the other's place. Nodes know who waits for them
// and who needs them; both lists are in order of making, so that whatever follows from a node happens in one order.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "lyre/assets/bundles.h"
#include "lyre/assets/detail/decode_queue.h"
#include "lyre/assets/registry.h"
#include "lyre/core/executor.h"

namespace lyre::assets {

struct AssetNode;
struct LoadRequest;

enum class VersionStep : std::uint8_t { Worker, Linking, Needs, Waiting };

struct AssetVersion {
    std::uint64_t serial = 0;
    DecodedAsset asset;  // without `reading` and `kept` once it is there
    BundleTable table;
    std::vector<AssetNode*> needs;  // held; what is needed twice is held twice

    // Of one to come:
    VersionStep step = VersionStep::Worker;
    std::shared_ptr<DecodeJob> decode;
    std::shared_ptr<const DecodeSchema> schema;  // by which it is read, until it is linked
    JobId job;
    // To hold. The first `always` are those it always needs; behind them, for a new version of what is there, those
    // that requests want of its bundles.
    std::vector<PrimaryAssetId> wanted;
    std::size_t always = 0;
    std::size_t held = 0;        // of `wanted` so far
    bool may_lead_back = false;  // something it needs needs others itself
    std::size_t missing = 0;     // of `needs`, neither there nor failed
    Problems problems;
};

struct Dependant {
    AssetNode* node = nullptr;
    std::uint32_t times = 0;  // that the version needs this
};
struct Waiter {
    LoadRequest* request = nullptr;
    AssetNode* root = nullptr;  // whose bundle named this; null: it was asked for itself
};

struct AssetNode {
    PrimaryAssetId id;
    AssetInfo info;
    Name label;  // of its root
    std::shared_ptr<const AssetSource> source;
    Priority priority = Priority::Low;  // the best of who wants it
    std::size_t holds = 0;              // by requests and by versions of other nodes
    bool has_failed = false;            // problems say why
    bool is_listed_unheld = false;
    std::int64_t seen_ns = 0;  // state of the file that was last read or refused
    Problems problems;
    std::unique_ptr<AssetVersion> there, coming;
    std::map<std::uint64_t, Dependant> dependants;  // by serial of the version
    std::map<std::uint64_t, Waiter> waiters;        // by serial of the request

    // Of the dependant's version with that serial; what is there has all it needs.
    static bool is_waiting(std::uint64_t version, const Dependant& dependant) {
        const AssetVersion* coming = dependant.node->coming.get();
        return coming != nullptr && coming->serial == version;
    }
    bool is_settled() const { return there != nullptr || has_failed; }
    std::uint64_t weight() const { return info.entry.bytes > 0 ? info.entry.bytes : 1; }
};

}  // namespace lyre::assets
