#include <algorithm>

#include "lyre/assets/detail/asset_store.h"
#include "lyre/assets/load_codes.h"

namespace lyre::assets {
namespace {

Problem cancelled_problem(const LoadRequest& part) {
    Problem problem;
    problem.code = &kPartCancelled;
    const std::string first = part.wanted.empty() ? "nothing" : part.wanted.begin()->first.to_string();
    const std::string more = part.wanted.size() > 1 ? fmt::format(" and {} more", part.wanted.size() - 1) : "";
    problem.text = fmt::format("loading {}{} was cancelled", first, more);
    return problem;
}

}  // namespace

std::shared_ptr<LoadRequest> AssetStore::request(std::span<const PrimaryAssetId> ids, const BundleChange& change,
                                                 Priority priority, LoadHandle previous) {
    require_own(previous);
    const std::shared_ptr<LoadRequest> request = make_request(priority);
    if (has_ended_) return request;
    if (ids.size() > Assets::kMaxPerRequest) {
        Problem problem;
        problem.code = &kTooManyAsked;
        problem.text = fmt::format("{} assets were asked for at once; {} may be", ids.size(), Assets::kMaxPerRequest);
        request->problems.add(std::move(problem));
        ids = {};
    }
    for (const PrimaryAssetId& id : ids) want(*request, id, change, previous);
    // Given back first, so that what failed is tried again. What both hold stays: nothing goes before this is over.
    if (previous.request_ != nullptr) release_holds(*previous.request_);
    hold_all(*request);
    settle_idle();
    return request;
}

std::shared_ptr<LoadRequest> AssetStore::make_request(Priority priority) {
    auto request = std::make_shared<LoadRequest>();
    request->store = weak_from_this();
    request->serial = ++last_serial_;
    request->owner = Owner::current();
    request->registered = next_registration();
    request->priority = priority;
    request->waiting = 1;                                   // until all of it is asked for
    if (has_ended_) request->state = LoadState::Cancelled;  // asked for by a callback that hears of the end
    if (!has_ended_) requests_.emplace(request->serial, request);
    return request;
}

void AssetStore::require_own(const LoadHandle& handle) const {
    const auto store = handle.request_ == nullptr ? nullptr : handle.request_->store.lock();
    LYRE_ASSERT(store == nullptr || store.get() == this, "handles of different Assets cannot be joined");
}

// The bundles it had, plus and minus the change.
void AssetStore::want(LoadRequest& request, PrimaryAssetId id, const BundleChange& change,
                      const LoadHandle& previous) const {
    std::vector<Name>& bundles = request.wanted[id];
    bundles = change.add;
    if (previous.request_ != nullptr) collect_bundles(*previous.request_, id, bundles);
    const auto goes = [&change](Name name) {
        return std::find(change.remove.begin(), change.remove.end(), name) != change.remove.end();
    };
    bundles.erase(std::remove_if(bundles.begin(), bundles.end(), goes), bundles.end());
    std::sort(bundles.begin(), bundles.end());
    bundles.erase(std::unique(bundles.begin(), bundles.end()), bundles.end());
}

// What a handle has asked for of an asset; of a combined one what any of its parts has.
void AssetStore::collect_bundles(const LoadRequest& request, PrimaryAssetId id, std::vector<Name>& bundles) {
    const auto wanted = request.wanted.find(id);
    if (wanted != request.wanted.end() && request.state != LoadState::Cancelled)
        bundles.insert(bundles.end(), wanted->second.begin(), wanted->second.end());
    for (const LoadHandle& part : request.parts) collect_bundles(*part.request_, id, bundles);
}

void AssetStore::hold_all(LoadRequest& request) {
    for (const auto& [id, bundles] : request.wanted) hold_for(request, id, nullptr, Name());
    const std::size_t asked = request.holds.size();
    for (std::size_t i = 0; i < asked; ++i) {
        Expansion all{request.serial, request.holds[i].node->id};
        if (request.holds[i].node->there != nullptr) expand(request, all, SIZE_MAX);
    }
    --request.waiting;
    finish_if_done(request);
}

std::shared_ptr<LoadRequest> AssetStore::combine(std::vector<LoadHandle> handles) {
    const std::shared_ptr<LoadRequest> whole = make_request(Priority::Normal);
    for (LoadHandle& handle : handles) {
        require_own(handle);
        if (handle.request_ == nullptr) continue;
        LoadRequest& part = *handle.request_;
        part.whole = whole.get();
        ++whole->waiting;
        if (part.state != LoadState::Pending) begin_loading(*whole);
        whole->parts.push_back(std::move(handle));
        if (part.is_over()) part_over(*whole, part);
    }
    --whole->waiting;
    finish_if_done(*whole);
    return whole;
}

void AssetStore::part_over(LoadRequest& whole, const LoadRequest& part) {
    --whole.waiting;
    if (part.state == LoadState::Cancelled) whole.problems.add(cancelled_problem(part));
    add_problems(whole.problems, part.problems, nullptr);
    finish_if_done(whole);
}

void AssetStore::cancel(LoadRequest& request) {
    if (request.is_over()) return;
    request.state = LoadState::Cancelled;
    for (LoadHandle& part : request.parts) cancel(*part.request_);
    release_holds(request);
    announce(request);
    settle_idle();
}

void AssetStore::drop(LoadRequest& request) {
    requests_.erase(request.serial);
    release_holds(request);
    settle_idle();
}

void AssetStore::set_priority(LoadRequest& request, Priority priority) {
    request.priority = priority;
    for (LoadHandle& part : request.parts) set_priority(*part.request_, priority);
    for (const RequestHold& hold : request.holds) {
        const Priority best = wanted_priority(*hold.node);
        if (!hold.node->is_settled() && best != hold.node->priority) prioritise(*hold.node, best);
    }
}

// `root`: the asset whose bundle names it; null: the request asks for it itself.
void AssetStore::hold_for(LoadRequest& request, PrimaryAssetId id, AssetNode* root, Name bundle) {
    AssetNode* node = hold(id, request.priority);
    if (node == nullptr) {
        Problems unknown;
        unknown.add(unknown_asset(id));
        return add_problems(request.problems, unknown, root);
    }
    request.holds.push_back({node, root, bundle});
    if (node->is_settled()) {
        request.total += node->weight();
        request.done += node->weight();
        add_problems(request.problems, node->problems, root);
    } else if (node->waiters.emplace(request.serial, Waiter{&request, root}).second) {
        request.total += node->weight();
        ++request.waiting;
    }
}

void AssetStore::hold_entry(LoadRequest& request, AssetNode& root, const BundleEntry& entry, Name bundle) {
    if (!entry.asset.is_none()) return hold_for(request, entry.asset, &root, bundle);
    const auto type = setup.types.get(entry.class_name.text());
    if (!type) request.problems.add(class_problem(root, type.status()));
}

void AssetStore::begin_loading(LoadRequest& request) {
    if (request.state == LoadState::Pending) request.state = LoadState::Loading;
    if (request.whole != nullptr) begin_loading(*request.whole);
}

// Something it waited for is there or has failed.
void AssetStore::settled(LoadRequest& request, AssetNode& node, AssetNode* root) {
    --request.waiting;
    request.done += node.weight();
    add_problems(request.problems, node.problems, root);
    const auto wanted = request.wanted.find(node.id);
    if (node.there != nullptr && wanted != request.wanted.end() && !wanted->second.empty()) {
        ++request.waiting;
        expansions_.push_back({request.serial, node.id});
    }
    finish_if_done(request);
}

bool AssetStore::expand_some() {
    if (expansions_.empty()) return false;
    Expansion& at = expansions_.front();
    const auto known = requests_.find(at.request);
    const std::shared_ptr<LoadRequest> request = known == requests_.end() ? nullptr : known->second.lock();
    const bool is_wanted = request != nullptr && !request->is_over();
    if (is_wanted && !expand(*request, at, kSlice)) return true;
    expansions_.pop_front();
    if (is_wanted) {
        --request->waiting;
        finish_if_done(*request);
    }
    return true;
}

// Holds what the request's bundles of an asset that is there name; at most `limit`. Whether that was all.
bool AssetStore::expand(LoadRequest& request, Expansion& at, std::size_t limit) {
    AssetNode& root = *find_node(at.root);
    const std::vector<Name>& bundles = request.wanted.find(at.root)->second;
    for (; at.bundle < bundles.size(); ++at.bundle, at.entry = 0) {
        const auto entries = root.there->table.entries(bundles[at.bundle]);
        for (; at.entry < entries.size(); ++at.entry, --limit) {
            if (limit == 0) return false;
            hold_entry(request, root, entries[at.entry], bundles[at.bundle]);
        }
    }
    return true;
}

// The asset's table is another one: requests hold what it names now, and only then give back what it named before.
void AssetStore::expand_again(AssetNode& root) {
    for (const auto& [serial, weak] : requests_) {
        const std::shared_ptr<LoadRequest> request = weak.lock();
        const auto asked = [&](const RequestHold& hold) { return hold.node == &root && hold.root == nullptr; };
        if (request == nullptr || std::none_of(request->holds.begin(), request->holds.end(), asked)) continue;
        const auto of_root = [&](const RequestHold& hold) { return hold.root == &root; };
        const auto first = std::stable_partition(request->holds.begin(), request->holds.end(), std::not_fn(of_root));
        const std::vector<RequestHold> before(first, request->holds.end());
        request->holds.erase(first, request->holds.end());
        const auto under_way = std::find_if(expansions_.begin(), expansions_.end(), [&](const Expansion& e) {
            return e.request == request->serial && e.root == root.id;
        });
        Expansion all{request->serial, root.id};
        expand(*request, all, SIZE_MAX);
        if (under_way != expansions_.end()) *under_way = all;  // at its end
        for (const RequestHold& hold : before) {
            const auto same = [&](const RequestHold& other) { return other.node == hold.node; };
            const bool is_held = std::any_of(request->holds.begin(), request->holds.end(), same);
            if (!is_held && hold.node->waiters.erase(request->serial) > 0) --request->waiting;
            release(*hold.node);
        }
        finish_if_done(*request);
    }
}

void AssetStore::release_holds(LoadRequest& request) {
    for (LoadHandle& part : request.parts) release_holds(*part.request_);
    for (const RequestHold& hold : request.holds) {
        hold.node->waiters.erase(request.serial);
        release(*hold.node);
    }
    request.holds.clear();
}

void AssetStore::finish_if_done(LoadRequest& request) {
    if (request.is_over() || request.waiting > 0) return;
    request.state = request.problems.is_empty() ? LoadState::Complete : LoadState::Failed;
    announce(request);
    if (request.whole != nullptr) part_over(*request.whole, request);
}

void AssetStore::announce(LoadRequest& request) {
    if (!request.callbacks.empty()) over_.push_back(requests_.find(request.serial)->second);
}

bool AssetStore::call_one() {
    while (!over_.empty()) {
        const std::shared_ptr<LoadRequest> request = over_.front().lock();
        if (request != nullptr && !request->callbacks.empty()) {
            call_next(*request);
            return true;
        }
        over_.pop_front();
    }
    return false;
}

// Under its owner. It may end everything but the request, which the caller keeps.
void AssetStore::call_next(LoadRequest& request) {
    const LoadRequest::Callback callback = std::move(request.callbacks.front());
    request.callbacks.erase(request.callbacks.begin());
    const OwnerScope as(callback.owner);
    std::string what;
    try {
        callback.function(request.state);
        return;
    } catch (const std::exception& e) {
        what = e.what();
    } catch (...) {
        what = "something that is no std::exception";
    }
    if (!has_ended_)
        setup.log.report(LogLevel::Error, kCallbackFailed, callback.owner.to_string(), "on_over() threw: " + what);
}

}  // namespace lyre::assets
