// assets/detail/asset_store.h: the workings of Assets: nodes, requests, and the one loop that moves them on.
//
// Everything happens in steps that are small and leave the whole in order; pump() runs them until nothing is left to do
// or the time is up. Callbacks are steps of their own, so whatever they do (drop handles, ask for more, end the Assets)
// happens between two others. Nothing recurses along references: what follows from a step is put into a list.
//
//     asset_store.cpp      nodes: held, begun, cancelled, freed
//     store_linking.cpp    from a worker to being there: link, what it needs, circles
//     store_requests.cpp   requests: their holds, bundles, end and callbacks
//     store_holds.cpp      who holds what, by owner and up to the roots
//     store_reload.cpp     files that changed
#pragma once

#include <deque>
#include <list>
#include <map>
#include <memory>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "lyre/assets/assets.h"
#include "lyre/assets/detail/asset_node.h"
#include "lyre/assets/detail/load_request.h"

namespace lyre::assets {

class AssetStore : public std::enable_shared_from_this<AssetStore> {
public:
    explicit AssetStore(const AssetsSetup& setup);

    // Requests.
    std::shared_ptr<LoadRequest> request(std::span<const PrimaryAssetId> ids, const BundleChange& change,
                                         Priority priority, LoadHandle previous);
    std::shared_ptr<LoadRequest> combine(std::vector<LoadHandle> handles);
    void cancel(LoadRequest& request);
    void drop(LoadRequest& request);  // gives back what it holds; it is not heard of again
    void set_priority(LoadRequest& request, Priority priority);

    void pump(std::int64_t budget_us);
    void collect();
    bool is_pumping() const { return is_pumping_; }
    void look_for_changes();
    void end();

    const AssetNode* find(PrimaryAssetId id) const;
    AssetState state_of(const AssetNode& node) const;
    std::string progress_of(const AssetNode& node) const;  // "waiting for a worker"
    std::vector<std::string> holders(const AssetNode& node) const;
    std::vector<std::vector<std::string>> holder_chains(const AssetNode& node) const;
    std::vector<AssetHoldInfo> holds_of(const Owner& owner) const;
    bool release_hold(std::uint64_t registered);
    std::vector<PrimaryAssetId> loaded_of_root(Name label) const;
    AssetMemory memory() const { return memory_; }
    AssetMemory memory_of_bundle(Name bundle) const;
    AssetMemory memory_of_root(Name label) const;

    const AssetsSetup setup;
    ContentTypes types;
    AssetRegistry registry;
    Assets* assets = nullptr;  // whose delegates are told of reloads; null: they have ended

private:
    static constexpr std::size_t kSlice = 64;  // lookups, references or entries of one step: 0.1 ms

    struct Expansion {  // a request goes through the bundles it wants of an asset
        std::uint64_t request = 0;
        PrimaryAssetId root;
        std::size_t bundle = 0, entry = 0;  // the next
    };

    // Nodes (asset_store.cpp)
    AssetNode* find_node(PrimaryAssetId id) { return const_cast<AssetNode*>(find(id)); }
    AssetNode* hold(PrimaryAssetId id, Priority priority);  // null: unknown
    void release(AssetNode& node);
    void settle_idle();
    void give_up(AssetNode& node);
    bool look_up(AssetNode& node);
    void begin_decode(AssetNode& node, Priority priority);
    void raise(AssetNode& node, Priority priority);
    void prioritise(AssetNode& node, Priority priority);
    static Priority wanted_priority(const AssetNode& node);
    bool free_one();
    AssetNode* next_unheld();
    void list_parts(const Type& type, std::vector<TypeUse>& uses) const;
    void list_uses(const ContentType& type, std::vector<std::string>& lines) const;
    bool step();
    Problem unknown_asset(PrimaryAssetId id) const;

    // From a worker to being there (store_linking.cpp)
    bool link_some();
    AssetNode* arrival();
    void forget_arrival(PrimaryAssetId id, std::uint64_t version);
    void drop_unwanted();
    void link(AssetNode& node);
    void link_slice(DecodedAsset& asset, const AssetEntry& entry);
    bool make_table(AssetVersion& version, const AssetNode& node);
    void hold_needs(AssetNode& node);
    void want(AssetNode& node, Name bundle);
    void hold_need(AssetNode& node, PrimaryAssetId id);
    void drop_needs(AssetVersion& version, std::size_t keep = 0);
    Problem class_problem(const AssetNode& node, const Status& status) const;
    bool complete_one();
    void complete(AssetNode& node);
    void make_there(AssetNode& node);
    void fail(AssetNode& node);
    void fail(AssetNode& node, Problem problem);
    void settle(AssetNode& node);
    bool refuse_circle(AssetNode& node);
    std::vector<AssetNode*> circle_of(AssetNode& node) const;
    bool may_lead_on(const AssetNode& node) const;
    void fail_those_of(RootId root);

    // Requests (store_requests.cpp)
    std::shared_ptr<LoadRequest> make_request(Priority priority);
    void require_own(const LoadHandle& handle) const;
    void want(LoadRequest& request, PrimaryAssetId id, const BundleChange& change, const LoadHandle& previous) const;
    static void collect_bundles(const LoadRequest& request, PrimaryAssetId id, std::vector<Name>& bundles);
    void hold_all(LoadRequest& request);
    void part_over(LoadRequest& whole, const LoadRequest& part);
    void hold_for(LoadRequest& request, PrimaryAssetId id, AssetNode* root, Name bundle);
    void hold_entry(LoadRequest& request, AssetNode& root, const BundleEntry& entry, Name bundle);
    void begin_loading(LoadRequest& request);
    void settled(LoadRequest& request, AssetNode& node, AssetNode* root);
    bool expand_some();
    bool expand(LoadRequest& request, Expansion& at, std::size_t limit);
    void expand_again(AssetNode& root);
    void release_holds(LoadRequest& request);
    void finish_if_done(LoadRequest& request);
    void announce(LoadRequest& request);
    bool call_one();
    void call_next(LoadRequest& request);

    // Who holds what (store_holds.cpp)
    struct Holding {
        const LoadRequest* request;
        const RequestHold* hold;
    };
    using Holdings = std::unordered_multimap<const AssetNode*, Holding>;
    Holdings all_holdings() const;
    static void add_chains(const AssetNode& node, const Holdings& holdings, std::vector<const AssetNode*>& path,
                           std::vector<std::vector<std::string>>& chains);
    void take_back(LoadRequest& request, std::vector<LoadRequest::Callback>& dropped);

    // Files that changed (store_reload.cpp)
    bool reload_one();
    void want_bundles(AssetNode& node);
    void swap_in(AssetNode& node);
    void refuse_reload(AssetNode& node, const Problems& problems);
    void tell_reloaded();
    template <class... Args> void tell(Delegate<Args...>& delegate, std::type_identity_t<Args>... args);
    std::vector<PrimaryAssetId> referrers(const std::vector<PrimaryAssetId>& changed) const;

    std::shared_ptr<DecodeQueue> queue_ = std::make_shared<DecodeQueue>();
    std::unordered_map<PrimaryAssetId, std::unique_ptr<AssetNode>> nodes_;
    std::map<std::uint64_t, std::weak_ptr<LoadRequest>> requests_;  // those that a handle holds, by serial
    std::uint64_t last_serial_ = 0;                                 // of versions and requests
    AssetMemory memory_;

    std::deque<PrimaryAssetId> idle_;    // lost their last hold in this call
    std::deque<PrimaryAssetId> unheld_;  // to be freed by the next pump
    std::unique_ptr<AssetNode> dying_;   // being freed: not among the nodes any more, but not done with its needs
    std::list<Decoded> arrived_;
    std::unordered_set<std::uint64_t> given_up_;  // versions at a worker that nobody wants any more
    PrimaryAssetId linking_;                      // at which link_some() is
    std::uint64_t linking_version_ = 0;
    std::deque<PrimaryAssetId> ready_;  // all they need is there or has failed
    std::deque<Expansion> expansions_;
    std::deque<std::weak_ptr<LoadRequest>> over_;  // whose callbacks are due

    bool is_searching_ = false;  // a ChangeSearch is on its way
    bool has_searched_ = false;  // ever: new versions may take the place of others
    JobId search_;
    std::deque<ChangedFile> changed_;
    std::vector<PrimaryAssetId> swapped_;                             // in this pump
    std::deque<std::pair<PrimaryAssetId, Problems>> failed_reloads_;  // to be told

    bool is_pumping_ = false;
    bool has_ended_ = false;
    Connection uses_, instances_, root_removed_;
};

// Adds what went wrong further down, each once however many ways lead to it. `via`: whom it concerns, too; may be null.
void add_problems(Problems& to, const Problems& from, const AssetNode* via);

}  // namespace lyre::assets
