#include "lyre/assets/assets.h"

#include "lyre/assets/detail/asset_store.h"

namespace lyre::assets {

Assets::Assets(const AssetsSetup& setup) : store_(std::make_shared<AssetStore>(setup)) {
    store_->assets = this;
}

Assets::~Assets() {
    store_->end();
}

ContentTypes& Assets::types() {
    return store_->types;
}

AssetRegistry& Assets::registry() {
    return store_->registry;
}

const AssetRegistry& Assets::registry() const {
    return store_->registry;
}

LoadHandle Assets::change_bundle_state(std::span<const PrimaryAssetId> ids, const BundleChange& change,
                                       Priority priority, LoadHandle previous) {
    return LoadHandle(store_->request(ids, change, priority, std::move(previous)));
}

LoadHandle Assets::load_assets(std::span<const PrimaryAssetId> ids, Priority priority) {
    return change_bundle_state(ids, {}, priority);
}

LoadHandle Assets::combine(std::vector<LoadHandle> handles) {
    return LoadHandle(store_->combine(std::move(handles)));
}

void Assets::pump(std::int64_t budget_us) {
    const std::shared_ptr<AssetStore> store = store_;  // a callback may end this
    store->pump(budget_us);
}

void Assets::collect() {
    const std::shared_ptr<AssetStore> store = store_;  // what goes may end this
    store->collect();
}

void Assets::finish(const LoadHandle& handle) {
    constexpr std::int64_t kRoundUs = 10'000;
    constexpr int kMaxStalled = 100'000;  // rounds on a clock that stands still
    const std::shared_ptr<AssetStore> store = store_;
    LYRE_ASSERT(!store->is_pumping(), "finish() inside a callback would wait for itself; use on_over()");
    std::int64_t before_us = store->setup.clock.now_us();
    for (int stalled = 0; !handle.is_over(); ++stalled) {
        store->pump(kRoundUs);
        if (handle.is_over()) return;
        store->setup.executor.wait_for_progress(kRoundUs);
        const std::int64_t now_us = store->setup.clock.now_us();
        if (std::exchange(before_us, now_us) != now_us) stalled = 0;
        LYRE_ASSERT(stalled < kMaxStalled,
                    "finish() waits for work that takes virtual time, which only its caller can let pass; use pump()");
    }
}

const void* Assets::find_object(PrimaryAssetId id, Name object_type) const {
    return find_shared_object(id, object_type).get();
}

std::shared_ptr<const void> Assets::find_shared_object(PrimaryAssetId id, Name object_type) const {
    const AssetNode* node = store_->find(id);
    const bool is_it = node != nullptr && node->there != nullptr && node->there->asset.object_type == object_type;
    return is_it ? node->there->asset.object : nullptr;
}

AssetState Assets::state(PrimaryAssetId id) const {
    const AssetNode* node = store_->find(id);
    return node == nullptr ? AssetState::Absent : store_->state_of(*node);
}

Result<std::uint64_t> Assets::content_hash(PrimaryAssetId id) const {
    const AssetNode* node = store_->find(id);
    if (node == nullptr || node->there == nullptr) return Status::not_found("{} is not loaded", id);
    return node->there->asset.hash;
}

Result<const BundleTable*> Assets::bundle_table(PrimaryAssetId id) const {
    const AssetNode* node = store_->find(id);
    if (node == nullptr || node->there == nullptr) return Status::not_found("{} is not loaded", id);
    return &node->there->table;
}

std::vector<std::string> Assets::holders(PrimaryAssetId id) const {
    const AssetNode* node = store_->find(id);
    return node == nullptr ? std::vector<std::string>() : store_->holders(*node);
}

std::vector<std::vector<std::string>> Assets::holder_chains(PrimaryAssetId id) const {
    const AssetNode* node = store_->find(id);
    return node == nullptr ? std::vector<std::vector<std::string>>() : store_->holder_chains(*node);
}

std::vector<PrimaryAssetId> Assets::loaded_of_root(Name label) const {
    return store_->loaded_of_root(label);
}

std::vector<AssetHoldInfo> Assets::holds_of(const Owner& owner) const {
    return store_->holds_of(owner);
}

bool Assets::release_hold(std::uint64_t registered) {
    const std::shared_ptr<AssetStore> store = store_;  // what a callback holds may end this
    return store->release_hold(registered);
}

AssetMemory Assets::memory() const {
    return store_->memory();
}

AssetMemory Assets::memory_of_bundle(Name bundle) const {
    return store_->memory_of_bundle(bundle);
}

AssetMemory Assets::memory_of_root(Name label) const {
    return store_->memory_of_root(label);
}

void Assets::look_for_changes() {
    store_->look_for_changes();
}

}  // namespace lyre::assets
