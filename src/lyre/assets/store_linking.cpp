#include <algorithm>
#include <unordered_map>

#include "lyre/assets/detail/asset_store.h"
#include "lyre/assets/load_codes.h"
#include "lyre/core/suggest.h"

namespace lyre::assets {
namespace {

constexpr std::size_t kMaxChain = 16;  // assets named on the way to a problem; deeper ones say where it begins

bool is_same(const Problem& a, const Problem& b) {
    return a.code == b.code && a.place == b.place && a.file == b.file && a.text == b.text;
}

Problem circle_problem(const std::vector<AssetNode*>& circle) {
    Problem problem;
    problem.code = &kCircle;
    std::string way;
    for (std::size_t i = 0; i < std::min(circle.size(), kMaxChain); ++i) way += fmt::format("{} -> ", circle[i]->id);
    if (circle.size() > kMaxChain) way += fmt::format("({} more) -> ", circle.size() - kMaxChain);
    problem.text = fmt::format("{} needs itself: {}{}", circle.front()->id, way, circle.front()->id);
    problem.file = circle.front()->info.entry.path;
    return problem;
}

}  // namespace

void add_problems(Problems& to, const Problems& from, const AssetNode* via) {
    for (Problem problem : from.all()) {
        const auto known = [&problem](const Problem& other) { return is_same(problem, other); };
        if (to.dropped() == 0 && std::any_of(to.all().begin(), to.all().end(), known)) continue;
        if (via != nullptr && problem.chain.size() < kMaxChain) problem.chain.push_back(via->id.to_string());
        to.add(std::move(problem));
    }
    to.count_more(from.dropped());
}

// One asset after the other, in the order they came back; a large one takes several steps.
bool AssetStore::link_some() {
    AssetNode* node = arrival();
    if (node == nullptr) {
        if (arrived_.empty()) return false;
        arrived_.pop_front();  // came back to nobody
        return true;
    }
    switch (node->coming->step) {
        case VersionStep::Linking:
            link(*node);
            break;
        case VersionStep::Needs:
            hold_needs(*node);
            break;
        default:
            LYRE_ASSERT(false, "an asset at a worker or with all its needs held is not linked");
    }
    return true;
}

// The one that is being linked, or the next that came back; null if the next is not wanted any more.
AssetNode* AssetStore::arrival() {
    AssetNode* node = find_node(linking_);
    if (node != nullptr && node->coming != nullptr && node->coming->serial == linking_version_) return node;
    linking_ = {};
    if (arrived_.empty()) return nullptr;
    Decoded& next = arrived_.front();
    node = find_node(next.id);
    if (node == nullptr || node->coming == nullptr || node->coming->serial != next.version) return nullptr;
    if (node->holds == 0) {
        forget_arrival(next.id, next.version);
        return nullptr;
    }
    node->coming->asset = std::move(next.asset);
    node->coming->table = std::move(next.table);
    node->coming->step = VersionStep::Linking;
    linking_ = next.id;
    linking_version_ = next.version;
    arrived_.pop_front();
    for (auto& [serial, waiter] : node->waiters) begin_loading(*waiter.request);
    return node;
}

// What a worker brought or brings for that version is wanted by nobody.
void AssetStore::forget_arrival(PrimaryAssetId id, std::uint64_t version) {
    given_up_.erase(version);
    AssetNode* node = find_node(id);
    if (node == nullptr || node->coming == nullptr || node->coming->serial != version) return;
    node->coming.reset();
    if (node->there == nullptr) nodes_.erase(id);
}

// At once, whatever time is left: what a feature's loader made must not outstay the feature.
void AssetStore::drop_unwanted() {
    if (given_up_.empty()) return;
    std::list<Decoded> unwanted;  // goes last: what is in it may come back here
    for (auto next = arrived_.begin(); next != arrived_.end();) {
        const auto one = next++;
        if (!given_up_.contains(one->version)) continue;
        forget_arrival(one->id, one->version);
        unwanted.splice(unwanted.end(), arrived_, one);
    }
}

void AssetStore::link(AssetNode& node) {
    AssetVersion& version = *node.coming;
    Reading& reading = version.asset.reading;
    if (version.problems.is_empty()) {  // also one that is wrong already: all its problems are wanted
        link_slice(version.asset, node.info.entry);
        if (!reading.is_linked()) return;
    }
    node.seen_ns = version.asset.changed_ns;
    version.problems.add_all(reading.problems);
    LYRE_ASSERT(version.asset.object != nullptr || !version.problems.is_empty(),
                "a source that hands over no object must say why in `reading.problems`");
    if (!version.problems.is_empty() || !make_table(version, node)) return fail(node);
    want(node, Name());
    version.always = version.wanted.size();
    if (node.there != nullptr) want_bundles(node);
    version.step = VersionStep::Needs;
}

void AssetStore::link_slice(DecodedAsset& asset, const AssetEntry& entry) {
    std::string threw;
    try {
        return link_content(asset.reading, {setup.types, setup.tags, &registry}, kSlice);
    } catch (const std::exception& e) {
        threw = fmt::format("linking {} threw: {}", entry.id, e.what());
    } catch (...) {
        threw = fmt::format("linking {} threw something that is no std::exception", entry.id);
    }
    asset.reading.lookups.clear();
    asset.reading.hooks.clear();
    asset.reading.problems.add({&kDecodeThrew, std::move(threw), entry.path, {}, {}, {}, {entry.id.to_string()}});
}

// To the annotated references comes what records add. False: problems say why.
bool AssetStore::make_table(AssetVersion& version, const AssetNode& node) {
    static const Name kHook("add_bundle_data");
    Status status;
    try {
        for (const ContentHook& hook : version.asset.bundle_hooks)
            if (const TypeHook* function = hook.type->find_hook<BundleTable>(kHook))
                function->call(hook.object, &version.table);
        status = version.table.refused();
    } catch (const std::exception& e) {
        status = Status::failed("add_bundle_data() threw: {}", e.what());
    } catch (...) {
        status = Status::failed("add_bundle_data() threw something that is no std::exception");
    }
    if (status.is_ok()) return true;
    Problem problem;
    problem.code = &kBundleDataFailed;
    problem.text = fmt::format("{}: {}", node.id, status.text());
    problem.file = node.info.entry.path;
    problem.chain = {node.id.to_string()};
    version.problems.add(std::move(problem));
    return false;
}

void AssetStore::hold_needs(AssetNode& node) {
    AssetVersion& version = *node.coming;
    const std::size_t until = std::min(version.wanted.size(), version.held + kSlice);
    while (version.held < until) hold_need(node, version.wanted[version.held++]);
    if (version.held < version.wanted.size() || refuse_circle(node)) return;
    version.step = VersionStep::Waiting;
    linking_ = {};
    if (version.missing == 0) complete(node);
}

// Assets of the bundle are to be held; classes are there or not.
void AssetStore::want(AssetNode& node, Name bundle) {
    AssetVersion& version = *node.coming;
    for (const BundleEntry& entry : version.table.entries(bundle)) {
        if (!entry.asset.is_none())
            version.wanted.push_back(entry.asset);
        else if (const auto type = setup.types.get(entry.class_name.text()); !type)
            version.problems.add(class_problem(node, type.status()));
    }
}

void AssetStore::hold_need(AssetNode& node, PrimaryAssetId id) {
    AssetVersion& version = *node.coming;
    AssetNode* need = hold(id, node.priority);
    if (need == nullptr) {
        Problem problem = unknown_asset(id);
        problem.file = node.info.entry.path;
        problem.chain = {node.id.to_string()};
        const auto& references = version.asset.references;
        const auto at =
            std::find_if(references.begin(), references.end(), [&](const AssetReference& r) { return r.asset == id; });
        if (at != references.end()) problem.place = at->place;
        quote_source(problem, version.asset.reading.options.text);
        version.problems.add(std::move(problem));
        return;
    }
    version.needs.push_back(need);
    Dependant& dependant = need->dependants[version.serial];
    dependant.node = &node;
    ++dependant.times;
    if (need->has_failed) add_problems(version.problems, need->problems, &node);
    if (!need->is_settled()) ++version.missing;
    // What comes to need others only later looks for the way back itself.
    version.may_lead_back = version.may_lead_back || need == &node || may_lead_on(*need);
}

// Gives back all but the first `keep`.
void AssetStore::drop_needs(AssetVersion& version, std::size_t keep) {
    while (version.needs.size() > keep) {
        AssetNode& need = *version.needs.back();
        version.needs.pop_back();
        const auto at = need.dependants.find(version.serial);
        if (--at->second.times == 0) need.dependants.erase(at);
        release(need);
    }
}

bool AssetStore::complete_one() {
    if (ready_.empty()) return false;
    AssetNode* node = find_node(ready_.front());
    ready_.pop_front();
    if (node != nullptr && node->coming != nullptr && node->coming->step == VersionStep::Waiting &&
        node->coming->missing == 0)
        complete(*node);
    return true;
}

void AssetStore::complete(AssetNode& node) {
    if (!node.coming->problems.is_empty()) return fail(node);
    if (node.there != nullptr) return swap_in(node);
    make_there(node);
    settle(node);
}

// The version to come is the one that is there.
void AssetStore::make_there(AssetNode& node) {
    AssetVersion& version = *node.coming;
    version.asset.reading = {};
    version.asset.kept.reset();
    version.asset.bundle_hooks.clear();
    version.wanted.clear();
    version.decode.reset();
    version.schema.reset();
    memory_.bytes += version.asset.bytes;
    ++memory_.assets;
    node.there = std::move(node.coming);
}

void AssetStore::fail(AssetNode& node, Problem problem) {
    node.coming->problems.add(std::move(problem));
    fail(node);
}

void AssetStore::fail(AssetNode& node) {
    drop_needs(*node.coming);
    const std::unique_ptr<AssetVersion> failed = std::move(node.coming);
    if (node.there != nullptr) return refuse_reload(node, failed->problems);
    node.has_failed = true;
    node.problems = failed->problems;
    settle(node);
}

// It is there or has failed: those who need it and those who asked for it go on.
void AssetStore::settle(AssetNode& node) {
    for (const auto& [serial, dependant] : node.dependants) {
        if (!AssetNode::is_waiting(serial, dependant)) continue;
        AssetVersion& version = *dependant.node->coming;
        version.missing -= dependant.times;
        if (node.has_failed) add_problems(version.problems, node.problems, dependant.node);
        if (version.missing == 0) ready_.push_back(dependant.node->id);
    }
    const std::map<std::uint64_t, Waiter> waiters = std::move(node.waiters);
    node.waiters.clear();
    for (const auto& [serial, waiter] : waiters) settled(*waiter.request, node, waiter.root);
}

// Whether the asset is part of a circle of assets that need each other. Then none of it can ever be there.
bool AssetStore::refuse_circle(AssetNode& node) {
    if (!node.coming->may_lead_back) return false;
    const std::vector<AssetNode*> circle = circle_of(node);
    if (circle.empty()) return false;
    const Problem problem = circle_problem(circle);
    for (AssetNode* part : circle)  // before the first fails: none is to hear of another's failure
        if (part->coming != nullptr) drop_needs(*part->coming);
    for (AssetNode* part : circle)
        if (part->coming != nullptr) fail(*part, problem);
    return true;
}

// Along what is always needed from `start` back to it, from the first in alphabet. Empty: no way.
std::vector<AssetNode*> AssetStore::circle_of(AssetNode& start) const {
    std::unordered_map<AssetNode*, AssetNode*> from;  // who needs it, on the way from start
    std::vector<AssetNode*> todo{&start};
    const auto follow = [&](AssetNode& node, const AssetVersion* version) {
        const std::size_t always = version == nullptr ? 0 : std::min(version->always, version->needs.size());
        for (std::size_t i = 0; i < always; ++i) {
            AssetNode* need = version->needs[i];
            const bool leads_on = need == &start || may_lead_on(*need);
            if (leads_on && from.emplace(need, &node).second) todo.push_back(need);
        }
    };
    while (!todo.empty() && !from.contains(&start)) {
        AssetNode& node = *todo.back();
        todo.pop_back();
        follow(node, node.coming.get());
        if (&node != &start) follow(node, node.there.get());
    }
    if (!from.contains(&start)) return {};
    std::vector<AssetNode*> circle;
    AssetNode* at = &start;
    do circle.push_back(at = from[at]);
    while (at != &start);
    std::reverse(circle.begin(), circle.end());
    const auto first = std::min_element(circle.begin(), circle.end(),
                                        [](const AssetNode* a, const AssetNode* b) { return a->id < b->id; });
    std::rotate(circle.begin(), first, circle.end());
    return circle;
}

// Most need nothing. What is there needs only what is there, unless new versions are on their way.
bool AssetStore::may_lead_on(const AssetNode& node) const {
    if (node.there != nullptr && !has_searched_) return false;
    return (node.coming != nullptr && !node.coming->needs.empty()) ||
           (node.there != nullptr && !node.there->needs.empty());
}

Problem AssetStore::class_problem(const AssetNode& node, const Status& status) const {
    Problem problem;
    problem.code = &kClassNotKnown;
    problem.text = fmt::format("{}: {}", node.id, status.text());
    problem.file = node.info.entry.path;
    problem.chain = {node.id.to_string()};
    return problem;
}

void AssetStore::fail_those_of(RootId root) {
    std::vector<AssetNode*> concerned;
    for (auto& [id, node] : nodes_)
        if (node->coming != nullptr && node->info.root == root && node->holds > 0) concerned.push_back(node.get());
    std::sort(concerned.begin(), concerned.end(),
              [](const AssetNode* a, const AssetNode* b) { return a->coming->serial < b->coming->serial; });
    for (AssetNode* node : concerned) {
        if (node->coming == nullptr) continue;  // it failed with one of the others
        Problem problem;
        problem.code = &kRootGone;
        problem.text =
            fmt::format("{} was still being loaded when {} went away", node->id, in_quotes(node->label.text()));
        problem.file = node->info.entry.path;
        problem.chain = {node->id.to_string()};
        const bool is_away = node->coming->step == VersionStep::Worker && !setup.executor.cancel(node->coming->job);
        if (is_away)  // the worker cannot be stopped; what it brings is refused
            node->coming->problems.add(std::move(problem));
        else
            fail(*node, std::move(problem));
    }
    settle_idle();
}

}  // namespace lyre::assets
