#include "lyre/assets/detail/asset_store.h"

#include <algorithm>
#include <unordered_set>

#include "lyre/assets/load_codes.h"

namespace lyre::assets {

AssetStore::AssetStore(const AssetsSetup& s) : setup(s), types(s.types, &s.log), registry(types, s.files, &s.log) {
    uses_ = types.listing_uses.add(
        [this](const ContentType& type, std::vector<std::string>& lines) { list_uses(type, lines); });
    instances_ =
        s.types.listing_instances.add([this](const Type& type, std::vector<TypeUse>& uses) { list_parts(type, uses); });
    root_removed_ = registry.root_removed.add([this](RootId root) { fail_those_of(root); });
}

void AssetStore::pump(std::int64_t budget_us) {
    if (is_pumping_ || has_ended_) return;
    is_pumping_ = true;
    const std::int64_t until_us = setup.clock.now_us() + budget_us;
    const auto has_time = [&] { return setup.clock.now_us() < until_us; };
    while (free_one() && has_time()) {
    }
    setup.executor.poll();
    queue_->take(arrived_);
    drop_unwanted();
    std::vector<ChangedFile> changes;
    if (queue_->take_changes(changes)) {
        is_searching_ = false;
        changed_.insert(changed_.end(), changes.begin(), changes.end());
    }
    while (!has_ended_ && step() && has_time()) {
    }
    if (!has_ended_) tell_reloaded();
    is_pumping_ = false;
}

// The newest consequence first: who waits for an asset hears of it before the next asset is looked at.
bool AssetStore::step() {
    const bool is_done =
        call_one() || (!has_ended_ && (complete_one() || expand_some() || link_some() || reload_one()));
    if (!has_ended_) settle_idle();
    return is_done;
}

void AssetStore::collect() {
    LYRE_ASSERT(!is_pumping_, "collect() inside a callback would free what its caller looks at; do it after the pump");
    if (has_ended_) return;
    is_pumping_ = true;
    queue_->take(arrived_);
    drop_unwanted();
    while (!has_ended_ && free_one()) {
    }
    types.has_old_schemas();  // lets go of those that nobody has
    is_pumping_ = false;
}

void AssetStore::end() {
    has_ended_ = true;
    assets = nullptr;
    for (auto& [id, node] : nodes_)
        if (node->coming && node->coming->step == VersionStep::Worker) setup.executor.cancel(node->coming->job);
    if (is_searching_) setup.executor.cancel(search_);
    queue_->close();

    std::vector<std::shared_ptr<LoadRequest>> left;
    for (auto& [serial, request] : requests_)
        if (auto alive = request.lock()) left.push_back(std::move(alive));
    requests_.clear();
    for (const auto& request : left) {
        request->holds.clear();
        request->store.reset();
        if (!request->is_over()) request->state = LoadState::Cancelled;
    }
    arrived_.clear();
    dying_.reset();
    nodes_.clear();
    memory_ = {};
    // All is over before the first hears of it.
    for (const auto& request : left)
        while (!request->callbacks.empty()) call_next(*request);
}

const AssetNode* AssetStore::find(PrimaryAssetId id) const {
    const auto it = nodes_.find(id);
    return it == nodes_.end() ? nullptr : it->second.get();
}

AssetNode* AssetStore::hold(PrimaryAssetId id, Priority priority) {
    AssetNode* node = find_node(id);
    if (node == nullptr) {
        if (registry.find(id) == nullptr) return nullptr;
        // While there are few: rehashing twenty thousand would take more than a pump's time.
        if (nodes_.bucket_count() < registry.count()) nodes_.reserve(registry.count());
        auto made = std::make_unique<AssetNode>();
        node = made.get();
        node->id = id;
        nodes_.emplace(id, std::move(made));
    }
    // Given up while a worker had it. If its root has gone since, what comes back is not what is asked for now.
    if (node->holds == 0 && node->coming != nullptr && node->there == nullptr) {
        const AssetInfo* info = registry.find(id);
        if (info == nullptr || info->root != node->info.root) {
            drop_needs(*node->coming);
            node->coming.reset();
        } else {
            given_up_.erase(node->coming->serial);
        }
    }
    // Failed, and everybody who asked has let go: whoever asks now asks anew.
    if (node->holds == 0 && node->has_failed) {
        node->has_failed = false;
        node->problems = {};
    }
    const bool is_new = !node->is_settled() && !node->coming;
    if (is_new && !look_up(*node)) {
        if (node->holds == 0) idle_.push_back(id);
        return nullptr;
    }
    ++node->holds;
    if (is_new) {
        node->priority = priority;
        begin_decode(*node, priority);
    } else {
        raise(*node, priority);
    }
    return node;
}

void AssetStore::release(AssetNode& node) {
    if (--node.holds == 0) idle_.push_back(node.id);
}

// What lost its last hold and did not find another before the call was over.
void AssetStore::settle_idle() {
    while (!idle_.empty()) {
        AssetNode* node = find_node(idle_.front());
        idle_.pop_front();
        if (node != nullptr && node->holds == 0) give_up(*node);
    }
}

void AssetStore::give_up(AssetNode& node) {
    if (node.coming != nullptr) {
        // One that a worker has begun comes back, and is dropped then; until that the node says that its type is used.
        const bool is_away = node.coming->step == VersionStep::Worker && !setup.executor.cancel(node.coming->job);
        if (is_away) {
            given_up_.insert(node.coming->serial);
        } else {
            drop_needs(*node.coming);
            node.coming.reset();
        }
    }
    if (node.there != nullptr) {
        if (!node.is_listed_unheld) unheld_.push_back(node.id);
        node.is_listed_unheld = true;
    } else if (node.coming == nullptr) {
        nodes_.erase(node.id);
    }
}

// One object, or part of what a large one needs.
bool AssetStore::free_one() {
    if (dying_ == nullptr) {
        AssetNode* node = next_unheld();
        if (node == nullptr) return false;
        memory_.bytes -= node->there->asset.bytes;
        --memory_.assets;
        if (node->coming != nullptr) {  // a worker still reads a newer version; whoever asks now waits for that
            drop_needs(*node->there);
            node->there.reset();
        } else {
            const auto at = nodes_.find(node->id);
            dying_ = std::move(at->second);
            nodes_.erase(at);
            dying_->there->asset = {};
        }
    }
    if (dying_ != nullptr) {
        const std::size_t left = dying_->there->needs.size();
        drop_needs(*dying_->there, left - std::min(left, kSlice));
        if (left <= kSlice) dying_.reset();
    }
    settle_idle();
    return true;
}

AssetNode* AssetStore::next_unheld() {
    while (!unheld_.empty()) {
        AssetNode* node = find_node(unheld_.front());
        unheld_.pop_front();
        if (node == nullptr) continue;
        node->is_listed_unheld = false;
        if (node->holds == 0 && node->there != nullptr) return node;
    }
    return nullptr;
}

// Takes over what the registry knows of the asset now; false: nothing.
bool AssetStore::look_up(AssetNode& node) {
    const AssetInfo* info = registry.find(node.id);
    const AssetRoot* root = info == nullptr ? nullptr : registry.root(info->root);
    if (root == nullptr) return false;
    node.info = *info;
    node.label = root->label;
    node.source = root->source;
    return true;
}

void AssetStore::begin_decode(AssetNode& node, Priority priority) {
    auto decode = std::make_shared<DecodeJob>();
    decode->queue = queue_;
    decode->source = node.source;
    decode->schema = types.schema();
    decode->entry = node.info.entry;
    decode->version = ++last_serial_;
    node.coming = std::make_unique<AssetVersion>();
    node.coming->serial = decode->version;
    node.coming->decode = decode;
    node.coming->schema = decode->schema;  // before a worker has the job: it lets go of its own
    node.coming->job = setup.executor.submit({node.info.entry.path, priority, [decode] { decode->run(); }});
}

void AssetStore::raise(AssetNode& node, Priority priority) {
    if (priority < node.priority && !node.is_settled()) prioritise(node, priority);
}

// Of what has not begun to load: this asset, and what it needs.
void AssetStore::prioritise(AssetNode& first, Priority priority) {
    std::vector<AssetNode*> todo{&first};
    first.priority = priority;
    while (!todo.empty()) {
        AssetNode& node = *todo.back();
        todo.pop_back();
        if (node.coming == nullptr) continue;
        if (node.coming->step == VersionStep::Worker) setup.executor.set_priority(node.coming->job, node.priority);
        for (AssetNode* need : node.coming->needs) {
            const Priority best = wanted_priority(*need);
            if (best == need->priority || need->is_settled()) continue;
            need->priority = best;
            todo.push_back(need);
        }
    }
}

// The best of those who wait for it.
Priority AssetStore::wanted_priority(const AssetNode& node) {
    Priority best = Priority::Low;
    for (const auto& [serial, waiter] : node.waiters) best = std::min(best, waiter.request->priority);
    for (const auto& [version, other] : node.dependants)
        if (AssetNode::is_waiting(version, other)) best = std::min(best, other.node->priority);
    return best;
}

AssetState AssetStore::state_of(const AssetNode& node) const {
    if (node.there != nullptr) return AssetState::There;
    if (node.has_failed) return AssetState::Failed;
    if (node.coming == nullptr || node.holds == 0) return AssetState::Absent;
    if (node.coming->step != VersionStep::Worker) return AssetState::Linking;
    return node.coming->decode->has_begun.load(std::memory_order_relaxed) ? AssetState::Decoding : AssetState::Waiting;
}

std::string AssetStore::progress_of(const AssetNode& node) const {
    switch (state_of(node)) {
        case AssetState::Absent:
            return "is not loaded";
        case AssetState::Waiting:
            return "waiting for a worker";
        case AssetState::Decoding:
            return "being decoded";
        case AssetState::There:
            return "waiting for its bundles";
        case AssetState::Failed:
            return "has failed";
        case AssetState::Linking:
            break;
    }
    if (node.coming->step != VersionStep::Waiting) return "being linked";
    for (const AssetNode* need : node.coming->needs) {
        if (need->is_settled()) continue;
        const std::string more =
            node.coming->missing > 1 ? fmt::format(" and {} more", node.coming->missing - 1) : std::string();
        return fmt::format("needs {}{}", need->id, more);
    }
    return "being handed over";
}

AssetMemory AssetStore::memory_of_bundle(Name bundle) const {
    std::vector<const AssetNode*> todo;
    for (const auto& [serial, weak] : requests_)
        if (const auto request = weak.lock())
            for (const RequestHold& hold : request->holds)
                if (hold.root != nullptr && hold.bundle == bundle) todo.push_back(hold.node);
    AssetMemory sum;
    std::unordered_set<const AssetNode*> seen;
    while (!todo.empty()) {
        const AssetNode* node = todo.back();
        todo.pop_back();
        if (node->there == nullptr || !seen.insert(node).second) continue;
        sum.bytes += node->there->asset.bytes;
        ++sum.assets;
        todo.insert(todo.end(), node->there->needs.begin(), node->there->needs.end());
    }
    return sum;
}

AssetMemory AssetStore::memory_of_root(Name label) const {
    AssetMemory sum;
    for (const auto& [id, node] : nodes_) {
        if (node->there == nullptr || node->label != label) continue;
        sum.bytes += node->there->asset.bytes;
        ++sum.assets;
    }
    return sum;
}

void AssetStore::list_uses(const ContentType& type, std::vector<std::string>& lines) const {
    std::vector<PrimaryAssetId> used;
    for (const auto& [id, node] : nodes_)
        if (id.type == type.name && (node->there != nullptr || node->coming != nullptr)) used.push_back(id);
    std::sort(used.begin(), used.end());
    if (used.size() > ContentTypes::kMaxListed) used.resize(ContentTypes::kMaxListed + 1);  // one more: there are more
    for (const PrimaryAssetId& id : used) lines.push_back(id.to_string());
}

// Assets with parts of the type inside, and those at a worker that may be making one.
void AssetStore::list_parts(const Type& type, std::vector<TypeUse>& uses) const {
    const auto has = [&type](const AssetVersion* version) {
        if (version == nullptr) return false;
        const auto& parts = version->asset.part_types;
        return std::find(parts.begin(), parts.end(), &type) != parts.end();
    };
    if (type.parent == nullptr || type.extension != nullptr) return;  // classes of the world are no parts
    const std::string kind = kind_name(type.name.text());
    for (const auto& [id, node] : nodes_) {
        if (uses.size() > TypeRegistry::kMaxListed) return;
        const bool is_decoding = node->coming != nullptr && node->coming->step == VersionStep::Worker &&
                                 node->coming->schema->kinds.find(type.parent->name, kind) == &type;
        if (has(node->there.get()) || has(node->coming.get()))
            uses.push_back({fmt::format("asset {} has a part of it", id), Owner::process()});
        else if (is_decoding)
            uses.push_back({fmt::format("asset {} is being read", id), Owner::process()});
    }
}

Problem AssetStore::unknown_asset(PrimaryAssetId id) const {
    Problem problem;
    problem.code = &kAssetNotKnown;
    problem.text = fmt::format("there is no asset {}", id);
    const std::string near = registry.nearest(id.type, id.name.text());
    problem.hint = near.empty() ? "`lyre list assets` lists those that are"
                                : fmt::format("did you mean \"{}:{}\"?", id.type, near);
    return problem;
}

}  // namespace lyre::assets
