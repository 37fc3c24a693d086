#include <algorithm>

#include "lyre/assets/detail/asset_store.h"

namespace lyre::assets {
namespace {

void add_wanted(const LoadRequest& request, std::vector<PrimaryAssetId>& ids,
                const std::function<const LoadRequest&(const LoadHandle&)>& part_of) {
    for (const auto& [id, bundles] : request.wanted) ids.push_back(id);
    for (const LoadHandle& part : request.parts) add_wanted(part_of(part), ids, part_of);
}

std::string text_of(const std::vector<PrimaryAssetId>& ids) {
    constexpr std::size_t kNamed = 2;
    std::string text;
    for (std::size_t i = 0; i < std::min(ids.size(), kNamed); ++i) text += (i == 0 ? "" : ", ") + ids[i].to_string();
    if (ids.size() > kNamed) text += fmt::format(" and {} more", ids.size() - kNamed);
    return text.empty() ? "nothing" : text;
}

std::string text_of(const LoadRequest& request, const RequestHold& hold) {
    if (hold.root == nullptr) return request.owner.to_string();
    return fmt::format("{}, for bundle {} of {}", request.owner.to_string(), hold.bundle, hold.root->id);
}

}  // namespace

std::vector<std::string> AssetStore::holders(const AssetNode& node) const {
    std::vector<std::string> lines;
    const auto add = [&lines](std::string line) {
        if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(std::move(line));
    };
    for (const auto& [serial, weak] : requests_) {
        const auto request = weak.lock();
        if (request == nullptr) continue;
        const auto is_it = [&node](const RequestHold& hold) { return hold.node == &node; };
        if (std::any_of(request->holds.begin(), request->holds.end(), is_it)) add(request->owner.to_string());
    }
    for (const auto& [version, dependant] : node.dependants) add(dependant.node->id.to_string());
    return lines;
}

std::vector<std::vector<std::string>> AssetStore::holder_chains(const AssetNode& node) const {
    std::vector<std::vector<std::string>> chains;
    std::vector<const AssetNode*> path{&node};
    add_chains(node, all_holdings(), path, chains);
    return chains;
}

AssetStore::Holdings AssetStore::all_holdings() const {
    Holdings all;
    for (const auto& [serial, weak] : requests_)
        if (const auto request = weak.lock())
            for (const RequestHold& hold : request->holds) all.emplace(hold.node, Holding{request.get(), &hold});
    return all;
}

// Owners first, then the assets that need it; `path` has the way from the asset in question to this one.
void AssetStore::add_chains(const AssetNode& node, const Holdings& holdings, std::vector<const AssetNode*>& path,
                            std::vector<std::vector<std::string>>& chains) {
    const auto add = [&](std::string last) {
        std::vector<std::string> chain;
        for (std::size_t i = 1; i < path.size(); ++i) chain.push_back(path[i]->id.to_string());
        chain.push_back(std::move(last));
        const bool is_known = std::find(chains.begin(), chains.end(), chain) != chains.end();
        if (!is_known && chains.size() < Assets::kMaxChains) chains.push_back(std::move(chain));
    };
    const auto [first, last] = holdings.equal_range(&node);
    std::vector<std::string> owners;
    for (auto one = first; one != last; ++one) owners.push_back(text_of(*one->second.request, *one->second.hold));
    std::sort(owners.begin(), owners.end());
    for (std::string& owner : owners) add(std::move(owner));
    for (const auto& [version, dependant] : node.dependants) {
        if (chains.size() >= Assets::kMaxChains) return;
        if (std::find(path.begin(), path.end(), dependant.node) != path.end()) continue;
        if (path.size() >= Assets::kMaxDepth) return add("...");
        path.push_back(dependant.node);
        add_chains(*dependant.node, holdings, path, chains);
        path.pop_back();
    }
}

std::vector<PrimaryAssetId> AssetStore::loaded_of_root(Name label) const {
    std::vector<PrimaryAssetId> ids;
    for (const auto& [id, node] : nodes_)
        if (node->there != nullptr && node->label == label) ids.push_back(id);
    std::sort(ids.begin(), ids.end());
    return ids;
}

// Of a combined handle the whole is listed, its parts only where they are of another owner.
std::vector<AssetHoldInfo> AssetStore::holds_of(const Owner& owner) const {
    std::vector<AssetHoldInfo> all;
    for (const auto& [serial, weak] : requests_) {
        const auto request = weak.lock();
        if (request == nullptr) continue;
        const auto is_theirs = [&](const auto& one) { return one.owner == owner; };
        if (!is_theirs(*request) && std::none_of(request->callbacks.begin(), request->callbacks.end(), is_theirs))
            continue;
        std::vector<PrimaryAssetId> ids;
        add_wanted(*request, ids, [](const LoadHandle& part) -> const LoadRequest& { return *part.request_; });
        const bool is_part = request->whole != nullptr && request->whole->owner == owner;
        const bool has_any = request->state != LoadState::Cancelled && (!ids.empty() || !request->is_over());
        if (request->owner == owner && !is_part && has_any)
            all.push_back({request->registered, text_of(ids), request->is_over()});
        for (const LoadRequest::Callback& callback : request->callbacks)
            if (callback.owner == owner && (request->owner != owner || !has_any))
                all.push_back({callback.registered, "callback on " + text_of(ids), request->is_over()});
    }
    std::sort(all.begin(), all.end(),
              [](const AssetHoldInfo& a, const AssetHoldInfo& b) { return a.registered < b.registered; });
    return all;
}

bool AssetStore::release_hold(std::uint64_t registered) {
    std::vector<LoadRequest::Callback> dropped;  // goes last: what callbacks hold may come back here
    for (const auto& [serial, weak] : requests_) {
        const auto request = weak.lock();
        if (request == nullptr) continue;
        if (request->registered == registered && request->state != LoadState::Cancelled) {
            const bool was_over = request->is_over();
            take_back(*request, dropped);
            if (request->whole != nullptr && !was_over) part_over(*request->whole, *request);
            settle_idle();
            return true;
        }
        const auto callback = std::find_if(request->callbacks.begin(), request->callbacks.end(),
                                           [&](const auto& one) { return one.registered == registered; });
        if (callback == request->callbacks.end()) continue;
        dropped.push_back(std::move(*callback));
        request->callbacks.erase(callback);
        return true;
    }
    return false;
}

void AssetStore::take_back(LoadRequest& request, std::vector<LoadRequest::Callback>& dropped) {
    request.state = LoadState::Cancelled;
    for (LoadRequest::Callback& callback : request.callbacks) dropped.push_back(std::move(callback));
    request.callbacks.clear();
    for (LoadHandle& part : request.parts) take_back(*part.request_, dropped);
    release_holds(request);
}

}  // namespace lyre::assets
