#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "lyre/assets/detail/asset_store.h"

namespace lyre::assets {

// A listener that throws keeps nobody else from hearing; one may end the Assets.
template <class... Args> void AssetStore::tell(Delegate<Args...>& delegate, std::type_identity_t<Args>... args) {
    const std::string threw = delegate.broadcast_and_catch(args...);
    if (!has_ended_) report_thrown(&setup.log, kCallbackFailed, "reloaded", threw);
}

void AssetStore::look_for_changes() {
    if (is_searching_ || has_ended_) return;
    auto search = std::make_shared<ChangeSearch>();
    search->queue = queue_;
    for (const auto& [id, node] : nodes_)
        if (node->there != nullptr && node->coming == nullptr && node->holds > 0)
            search->files.push_back({node->info.entry, node->source, node->seen_ns});
    std::sort(search->files.begin(), search->files.end(),
              [](const auto& a, const auto& b) { return a.entry.id < b.entry.id; });
    is_searching_ = has_searched_ = true;
    search_ = setup.executor.submit({"files that changed", Priority::Low, [search] { search->run(); }});
}

bool AssetStore::reload_one() {
    if (!failed_reloads_.empty()) {
        const auto [id, problems] = std::move(failed_reloads_.front());
        failed_reloads_.pop_front();
        tell(assets->reload_failed, id, problems);
        return true;
    }
    if (changed_.empty()) return false;
    const ChangedFile changed = changed_.front();
    changed_.pop_front();
    AssetNode* node = find_node(changed.id);
    const bool is_wanted = node != nullptr && node->there != nullptr && node->coming == nullptr && node->holds > 0;
    if (!is_wanted || node->seen_ns == changed.changed_ns) return true;
    node->seen_ns = changed.changed_ns;
    if (changed.changed_ns == 0) {
        static const Name kGone("assets.file_gone");
        setup.log.report(LogLevel::Warning, kGone, node->id.to_string(),
                         fmt::format("{} is gone; what was read of it stays", node->info.entry.path));
    } else {
        look_up(*node);  // its root may have been scanned again; else as it was
        begin_decode(*node, Priority::Low);
    }
    return true;
}

// A new version comes with what requests want of its bundles, so that nothing of them is missing when it is there.
void AssetStore::want_bundles(AssetNode& node) {
    std::vector<Name> bundles;
    for (const auto& [serial, weak] : requests_)
        if (const auto request = weak.lock(); request != nullptr && request->state != LoadState::Cancelled)
            collect_bundles(*request, node.id, bundles);
    std::sort(bundles.begin(), bundles.end());
    bundles.erase(std::unique(bundles.begin(), bundles.end()), bundles.end());
    for (const Name bundle : bundles) want(node, bundle);
}

void AssetStore::swap_in(AssetNode& node) {
    const std::unique_ptr<AssetVersion> before = std::move(node.there);
    memory_.bytes -= before->asset.bytes;
    --memory_.assets;
    make_there(node);
    expand_again(node);
    drop_needs(*before);
    drop_needs(*node.there, node.there->always);
    swapped_.push_back(node.id);
}

void AssetStore::refuse_reload(AssetNode& node, const Problems& problems) {
    static const Name kFailed("assets.reload_failed");
    setup.log.report(LogLevel::Error, kFailed, node.id.to_string(), problems.all().front().text);
    failed_reloads_.emplace_back(node.id, problems);
}

// At the end of the pump, whatever time is left: nobody goes a frame with what is no longer there.
void AssetStore::tell_reloaded() {
    if (swapped_.empty()) return;
    const std::vector<PrimaryAssetId> changed = std::move(swapped_);
    swapped_.clear();
    for (const PrimaryAssetId& id : referrers(changed)) {
        if (has_ended_) return;
        tell(assets->reloaded, id);
    }
}

// These, then all that refer to them at whatever remove, the nearest first; each once.
std::vector<PrimaryAssetId> AssetStore::referrers(const std::vector<PrimaryAssetId>& changed) const {
    std::unordered_map<PrimaryAssetId, std::vector<PrimaryAssetId>> by;
    for (const auto& [id, node] : nodes_)
        if (node->there != nullptr)
            for (const BundleTable::Bundle& bundle : node->there->table.all())
                for (const BundleEntry& entry : bundle.entries) by[entry.asset].push_back(id);
    std::vector<PrimaryAssetId> found;
    std::unordered_set<PrimaryAssetId> seen;
    const auto add = [&](PrimaryAssetId id) {
        if (seen.insert(id).second) found.push_back(id);
    };
    for (const PrimaryAssetId& id : changed) add(id);
    for (std::size_t i = 0; i < found.size(); ++i) {
        std::vector<PrimaryAssetId>& next = by[found[i]];
        std::sort(next.begin(), next.end());
        for (const PrimaryAssetId& id : next) add(id);
    }
    return found;
}

}  // namespace lyre::assets
