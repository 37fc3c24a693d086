// assets/detail/load_request.h: what is behind a LoadHandle.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "lyre/assets/load_handle.h"
#include "lyre/core/owner.h"

namespace lyre::assets {

class AssetStore;
struct AssetNode;

struct RequestHold {
    AssetNode* node = nullptr;
    AssetNode* root = nullptr;  // whose bundle named it; null: it was asked for itself
    Name bundle;
};

struct LoadRequest {
    std::weak_ptr<AssetStore> store;  // expired: the Assets have ended
    std::uint64_t serial = 0;
    Owner owner;
    std::uint64_t registered = 0;
    Priority priority = Priority::Normal;
    LoadState state = LoadState::Pending;
    std::map<PrimaryAssetId, std::vector<Name>> wanted;  // bundles in order, each once
    std::vector<RequestHold> holds;
    std::size_t waiting = 0;  // holds that are not settled, bundles that are not gone through, parts that are not over
    std::uint64_t done = 0, total = 0;  // bytes
    float shown = 0;                    // largest progress that was told
    Problems problems;
    struct Callback {
        Owner owner;
        std::uint64_t registered = 0;
        std::function<void(LoadState)> function;
    };
    std::vector<Callback> callbacks;
    std::vector<LoadHandle> parts;  // of a combined one
    LoadRequest* whole = nullptr;   // the combined one that this is part of

    bool is_over() const { return state >= LoadState::Complete; }
};

}  // namespace lyre::assets
