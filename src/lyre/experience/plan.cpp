#include "lyre/experience/plan.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "lyre/experience/detail/entry_merge.h"
#include "lyre/experience/detail/plan_cache.h"

namespace lyre::experience {
namespace {

using detail::ActionLists;
using detail::EntryPlace;
using detail::ListedActions;
using detail::MergedEntries;
using detail::MergedEntry;
using detail::PlanList;
using features::Dependency;
using features::DependencyKind;
using features::ErrorCode;
using features::FeatureError;
using features::Manifest;
using features::Need;
using features::Roles;
using features::Side;

constexpr std::size_t kMaxCauses = 100;
constexpr std::size_t kMaxNotes = 256;

CauseCode cause_of(ErrorCode code) {
    switch (code) {
        case ErrorCode::UnknownFeature:
            return CauseCode::UnknownFeature;
        case ErrorCode::DependencyMissing:
        case ErrorCode::DependencyCycle:
        case ErrorCode::DependencyVersion:
        case ErrorCode::Incompatible:
            return CauseCode::DependencyConflict;
        default:
            return CauseCode::FeatureFailed;
    }
}

std::string with_more(std::string text, std::size_t more) {
    return more == 0 ? text : fmt::format("{} (and {} more)", text, more);
}

template <class F> void each_required(const Manifest& manifest, F work) {
    for (const Dependency& dependency : manifest.dependencies)
        if (dependency.kind == DependencyKind::Required) work(dependency);
}

// Those and what they require, where `counts` says so.
template <class F>
std::set<Name> required_closure(const features::Catalogue& catalogue, std::vector<Name> todo, F counts) {
    std::set<Name> found(todo.begin(), todo.end());
    while (!todo.empty()) {
        const Manifest* manifest = catalogue.find(todo.back());
        todo.pop_back();
        if (manifest == nullptr) continue;
        each_required(*manifest, [&](const Dependency& dependency) {
            if (counts(dependency.side) && found.insert(dependency.id).second) todo.push_back(dependency.id);
        });
    }
    return found;
}

// What is needed of an action to put it in its place, whatever its kind: keys that all kinds have. What is wrong with
// them is said when the action is read.
void fill_from(const Node& written, features::GameFeatureAction& action) {
    const auto names = [&](std::string_view key, std::vector<Name>& to) {
        const Node* list = written.find(key);
        if (list == nullptr || list->kind() != NodeKind::List) return;
        for (const Node& entry : list->entries())
            if (entry.kind() == NodeKind::Text) to.emplace_back(entry.as_text());
    };
    if (const Node* name = written.find("name"); name != nullptr && name->kind() == NodeKind::Text)
        action.name = Name(name->as_text());
    if (const Node* need = written.find("need"); need != nullptr && need->kind() == NodeKind::Text)
        if (need->as_text() == "optional") action.need = features::ActionNeed::Optional;
    names("before", action.before);
    names("after", action.after);
}

ListedActions list_actions(assets::PrimaryAssetId from, const std::vector<features::ActionPart>& parts) {
    ListedActions listed;
    std::deque<features::GameFeatureAction> read;
    std::vector<const features::GameFeatureAction*> actions(parts.size(), nullptr);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (parts[i].is_none()) {
            listed.empty.push_back(i);
            continue;
        }
        if (parts[i].get() == nullptr) fill_from(parts[i].written(), read.emplace_back());
        actions[i] = parts[i].get() != nullptr ? parts[i].get() : &read.back();
    }
    const auto order = features::order_actions(actions);
    if (!order) {
        listed.status = order.status();
        return listed;
    }
    listed.actions.reserve(order->size());
    for (const std::size_t index : *order) {
        PlannedAction& action = listed.actions.emplace_back();
        action.from = from;
        action.index = index;
        action.kind = parts[action.index].kind();
        Hasher hasher;
        parts[action.index].hash(hasher);
        action.hash = hasher.finish();
        action.is_optional = actions[index]->need == features::ActionNeed::Optional;
    }
    return listed;
}

class Planner {
public:
    Planner(const PlanSource& source, const FeatureSource& from, NetMode role, ActionLists* known_actions)
        : source_(source),
          from_(from),
          roles_(Roles::of(role)),
          lists_(detail::lists_of(source)),
          merged_(detail::merge_entries(lists_)),
          known_actions_(known_actions) {
        plan_.role = role;
        plan_.experience = source.experience;
        for (const PlanList& list : lists_)
            if (list.is_overlay)
                plan_.overlays.push_back(list.from);
            else if (list.from != source.experience)
                plan_.sets.push_back(list.from);
    }

    ExperiencePlan make() {
        note_skipped();
        plan_features();
        plan_actions();
        plan_assets();
        plan_.content_hash = content_hash();
        if (notes_dropped_ > 0) plan_.notes.push_back(fmt::format("and {} more", notes_dropped_));
        return std::move(plan_);
    }

private:
    void cause(CauseCode code, Name feature, std::string text) {
        if (plan_.causes.size() == kMaxCauses) return;
        Cause cause;
        cause.code = code;
        cause.side = to_string(plan_.role);
        cause.experience = source_.experience;
        cause.feature = feature;
        cause.text = std::move(text);
        plan_.causes.push_back(std::move(cause));
    }
    template <class F> void note(F make_text) {
        if (plan_.notes.size() < kMaxNotes)
            plan_.notes.push_back(make_text());
        else
            ++notes_dropped_;
    }

    // Entries that say nothing, or what has been said.
    void note_skipped() {
        for (const PlanList& list : lists_) {
            if (list.is_feature()) continue;
            for (std::size_t i = 0; i < list.features->size(); ++i)
                if (!(*list.features)[i].id) note([&] { return empty_text("features", i, list.from); });
        }
        if (source_.definition == nullptr) return;
        note_repeats("action_sets", source_.definition->action_sets, [](Name name) { return name.is_none(); });
        const auto is_none = [](const assets::PrimaryAssetId& id) { return id.is_none(); };
        note_repeats("assets", source_.definition->assets, is_none);
        note_repeats("preload", source_.definition->preload, is_none);
    }
    static std::string empty_text(std::string_view key, std::size_t index, const assets::PrimaryAssetId& in) {
        return fmt::format("{}[{}] in {} is empty", key, index, in);
    }
    template <class T, class F> void note_repeats(std::string_view key, const std::vector<T>& list, F is_none) {
        std::map<T, std::size_t> first;
        for (std::size_t i = 0; i < list.size(); ++i) {
            if (is_none(list[i])) {
                note([&] { return empty_text(key, i, source_.experience); });
                continue;
            }
            const auto entry = first.emplace(list[i], i);
            const std::size_t before = entry.first->second;
            if (!entry.second)
                note([&] {
                    return fmt::format("{}[{}] in {} is {}[{}] again: {}", key, i, source_.experience, key, before,
                                       list[i]);
                });
        }
    }

    // Features.

    void plan_features() {
        for (const detail::EntryConflict& conflict : merged_.conflicts)
            cause(CauseCode::DependencyConflict, conflict.feature,
                  fmt::format("{}; {}", conflict.text, conflict.mending()));
        wish();
        features::Catalogue catalogue = from_.catalogue;
        while (plan_.is_ok()) {
            features::Plan plan = features::make_plan(catalogue, wishes_, roles_);
            for (const FeatureError& error : plan.errors) cause(cause_of(error.code), error.feature, error.text);
            if (plan.is_ok() && are_all_to_be_had(plan, catalogue) && plan_.is_ok()) return take(std::move(plan));
        }
        std::vector<features::Wish> optional = wishes_;  // what could not be had anyway is told, too
        std::erase_if(optional, [](const features::Wish& wish) { return wish.need == Need::Required; });
        take_degraded(features::make_plan(catalogue, optional, roles_).degraded);
    }
    void wish() {
        std::vector<Name> required;
        for (const MergedEntry& merged : merged_.entries) {
            if (!roles_.has(merged.entry.side)) continue;
            entry_of_.emplace(merged.entry.id, &merged);
            wishes_.push_back({merged.entry.id, merged.entry.versions, place_of(merged), merged.entry.need});
            if (merged.entry.need == Need::Required) required.push_back(merged.entry.id);
        }
        required_ = required_closure(from_.catalogue, std::move(required), [&](Side side) { return roles_.has(side); });
    }
    static std::string place_of(const MergedEntry& merged) {
        return with_more(merged.places.front().to_string(), merged.places.size() - 1);
    }

    // Asks for each once. False: some optional ones cannot, and are in the catalogue no more.
    bool are_all_to_be_had(const features::Plan& plan, features::Catalogue& catalogue) {
        const std::size_t before = left_out_.size();
        if (!from_.refusal) return true;
        for (const Name id : plan.order) {
            if (left_out_.contains(id) || !asked_.insert(id).second) continue;
            const std::optional<FeatureError> error = from_.refusal(id, plan.order);
            if (!error) continue;
            if (required_.contains(id))
                refuse(id, *error);
            else
                leave_out(id, error->text, catalogue);
        }
        return left_out_.size() == before;
    }
    // Who needs it is refused with it, and tells nothing new.
    void refuse(Name id, const FeatureError& error) {
        refused_.insert(id);
        if (plan_.causes.size() == kMaxCauses) return;  // the place takes a while to find
        bool is_told = false;
        each_required(*from_.catalogue.find(id), [&](const Dependency& dependency) {
            is_told |= roles_.has(dependency.side) && refused_.contains(dependency.id);
        });
        if (!is_told)
            cause(cause_of(error.code), id,
                  fmt::format("feature {}, wanted by {}: {}", id, exact_place_of(id), error.text));
    }
    std::string exact_place_of(Name id) const {
        const auto entry = entry_of_.find(id);
        return entry != entry_of_.end() ? place_of(*entry->second) : wanted_by(id, from_.catalogue.all());
    }
    // With all that could not be without it.
    void leave_out(Name id, const std::string& reason, features::Catalogue& catalogue) {
        if (!std::exchange(knows_dependents_, true))
            for (const auto& other : from_.catalogue.all())
                each_required(*other.second, [&](const Dependency& dependency) {
                    if (roles_.has(dependency.side)) dependents_[dependency.id].push_back(other.first);
                });
        std::deque<std::pair<Name, std::string>> todo = {{id, reason}};
        for (; !todo.empty(); todo.pop_front()) {
            const auto& [feature, why] = todo.front();
            if (!left_out_.emplace(feature, why).second) continue;
            catalogue.remove(feature);
            for (const Name dependent : dependents_[feature])
                todo.emplace_back(dependent, fmt::format("{} needs {}: {}", dependent, feature, reason));
        }
    }

    void take_degraded(std::vector<features::Degraded> all) {
        plan_.degraded = std::move(all);
        for (features::Degraded& degraded : plan_.degraded)
            if (const auto why = left_out_.find(degraded.feature); why != left_out_.end())
                degraded.reason = why->second;
    }
    void take(features::Plan plan) {
        take_degraded(std::move(plan.degraded));
        put_overlays_last(plan.order);
        std::map<Name, const Manifest*> planned;
        for (const Name id : plan.order) planned.emplace(id, from_.catalogue.find(id));
        const std::map<Name, std::string> wanted = all_wanted_by(planned);
        for (const Name id : plan.order) {
            PlannedFeature& feature = plan_.features.emplace_back();
            feature.id = id;
            feature.version = planned.at(id)->version;
            feature.is_required = required_.contains(id);
            feature.is_asked_for = entry_of_.contains(id);
            feature.wanted_by = feature.is_asked_for ? askers_of(*entry_of_.at(id)) : wanted.at(id);
        }
    }
    // What only overlays want comes after the base, overlay by overlay, and so leaves before it. What somebody depends
    // on comes with him.
    void put_overlays_last(std::vector<Name>& order) const {
        if (source_.overlays.empty()) return;
        std::unordered_map<Name, std::size_t> layers;  // 0: of the base
        const auto lower = [&](Name id, std::size_t layer) {
            const auto [known, is_new] = layers.emplace(id, layer);
            known->second = std::min(known->second, layer);
        };
        for (const auto& [id, merged] : entry_of_)
            for (const EntryPlace& place : merged->places)
                lower(id, place.list->is_overlay ? static_cast<std::size_t>(place.list - lists_.data()) : 0);
        for (auto id = order.rbegin(); id != order.rend(); ++id)  // dependents first
            for (const Dependency& dependency : from_.catalogue.find(*id)->dependencies)
                if (dependency.kind != DependencyKind::Incompatible && roles_.has(dependency.side))
                    lower(dependency.id, layers.at(*id));
        std::stable_sort(order.begin(), order.end(), [&](Name a, Name b) { return layers.at(a) < layers.at(b); });
    }
    static std::string askers_of(const MergedEntry& merged) {
        std::vector<const PlanList*> lists;
        for (const EntryPlace& place : merged.places)
            if (lists.empty() || lists.back() != place.list) lists.push_back(place.list);
        std::string first = lists.front()->is_feature() ? fmt::format("overlay {}", lists.front()->from)
                                                        : lists.front()->from.to_string();
        return with_more(std::move(first), lists.size() - 1);
    }
    // "feature arena_core and 1 more", of every one that some of `planned` depend on.
    std::map<Name, std::string> all_wanted_by(const std::map<Name, const Manifest*>& planned) const {
        std::map<Name, std::vector<Name>> by;
        for (const auto& [id, manifest] : planned)
            for (const Dependency& dependency : manifest->dependencies) {
                if (dependency.kind == DependencyKind::Incompatible || !roles_.has(dependency.side)) continue;
                std::vector<Name>& who = by[dependency.id];
                if (who.empty() || who.back() != id) who.push_back(id);
            }
        std::map<Name, std::string> texts;
        for (const auto& [id, who] : by)
            texts.emplace(id, with_more(fmt::format("feature {}", who.front()), who.size() - 1));
        return texts;
    }
    std::string wanted_by(Name id, const std::map<Name, const Manifest*>& among) const {
        std::map<Name, const Manifest*> required;
        for (const auto& [other, manifest] : among)
            if (required_.contains(other)) required.emplace(other, manifest);
        const auto texts = all_wanted_by(required);
        const auto found = texts.find(id);
        return found != texts.end() ? found->second : source_.experience.to_string();
    }

    // Actions.

    void plan_actions() {
        for (const PlanList& list : lists_)
            if (!list.is_feature()) plan_actions_of(list);
        for (const PlannedAction& action : plan_.actions) plan_.action_hashes.insert(action.hash);
    }
    void plan_actions_of(const PlanList& list) {
        const auto listed = known_actions_ != nullptr
                                ? known_actions_->find_or_make(list.from, list.hash, *list.actions)
                                : std::make_shared<const ListedActions>(list_actions(list.from, *list.actions));
        for (const std::size_t index : listed->empty)
            note([&] { return fmt::format("action {} in {} is empty", index + 1, list.from); });
        if (!listed->status)
            return cause(CauseCode::DefinitionFailed, {}, fmt::format("{}: {}", list.from, listed->status.text()));
        plan_.actions.reserve(plan_.actions.size() + listed->actions.size());
        for (const PlannedAction& action : listed->actions) take_action(action);
    }
    void take_action(const PlannedAction& action) {
        const auto [same, end] = actions_.equal_range(action.hash);
        const auto before =
            std::find_if(same, end, [&](const auto& entry) { return plan_.actions[entry.second].kind == action.kind; });
        if (before != end)
            return note([&] {
                const PlannedAction& first = plan_.actions[before->second];
                return fmt::format("action {} in {} is action {} in {} again: {}", action.index + 1, action.from,
                                   first.index + 1, first.from, action.kind);
            });
        actions_.emplace(action.hash, plan_.actions.size());
        plan_.actions.push_back(action);
    }

    // Assets.

    void plan_assets() {
        for (const PlanList& list : lists_) {
            if (list.is_feature()) continue;
            for (const Name bundle : bundles_for(plan_.role)) plan_.bundles.push_back({list.from, bundle});
        }
        if (source_.definition == nullptr) return;
        std::unordered_set<assets::PrimaryAssetId> seen;
        std::vector<assets::PrimaryAssetId> wanted{source_.definition->pawn};
        wanted.insert(wanted.end(), source_.definition->assets.begin(), source_.definition->assets.end());
        for (const assets::PrimaryAssetId& id : wanted)
            if (!id.is_none() && seen.insert(id).second) plan_.bundles.push_back({id, {}});
        seen.clear();
        for (const assets::PrimaryAssetId& id : source_.definition->preload)
            if (!id.is_none() && seen.insert(id).second) plan_.preload.push_back(id);
    }

    // What both roles need, and therefore the same for both. Features that only one of them needs, or that can be done
    // without, may differ.
    std::uint64_t content_hash() const {
        Hasher hasher;
        const auto take = [&](const assets::PrimaryAssetId& id, std::uint64_t hash) {
            hasher.text(id.to_string());
            hasher.value(hash);
        };
        take(source_.experience, source_.hash);
        for (const auto* sets : {&source_.sets, &source_.overlays}) {
            hasher.value(static_cast<std::uint64_t>(sets->size()));
            for (const SetSource& set : *sets) take(set.id, set.hash);
        }
        take(source_.definition != nullptr ? source_.definition->pawn : assets::PrimaryAssetId(), source_.pawn_hash);
        std::vector<Name> required;
        for (const MergedEntry& merged : merged_.entries)
            if (merged.entry.need == Need::Required && merged.entry.side == Side::Both)
                required.push_back(merged.entry.id);
        for (const Name id :
             required_closure(from_.catalogue, std::move(required), [](Side side) { return side == Side::Both; })) {
            const Manifest* manifest = from_.catalogue.find(id);
            hasher.text(id.text());
            hasher.text(manifest != nullptr ? manifest->version.to_string() : "");
            hasher.value(from_.manifest_hash ? from_.manifest_hash(id) : std::uint64_t{0});
        }
        return hasher.finish();
    }

    const PlanSource& source_;
    const FeatureSource& from_;
    const Roles roles_;
    const std::vector<PlanList> lists_;
    const MergedEntries merged_;
    std::vector<features::Wish> wishes_;
    std::map<Name, const MergedEntry*> entry_of_;  // of this role
    std::set<Name> required_;
    std::set<Name> asked_, refused_;
    std::map<Name, std::string> left_out_;          // optional ones that cannot be had, and why
    std::map<Name, std::vector<Name>> dependents_;  // who requires it; filled when it is needed
    bool knows_dependents_ = false;
    std::unordered_multimap<std::uint64_t, std::size_t> actions_;  // that are in the plan, by hash: where
    ActionLists* const known_actions_;
    std::size_t notes_dropped_ = 0;
    ExperiencePlan plan_;
};

}  // namespace

std::shared_ptr<const detail::ListedActions> detail::ActionLists::find_or_make(
    assets::PrimaryAssetId from, std::uint64_t hash, const std::vector<features::ActionPart>& parts) {
    const auto make = [&] { return std::make_shared<const ListedActions>(list_actions(from, parts)); };
    if (hash == 0) return make();
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const Entry& entry) { return entry.hash == hash && entry.from == from; });
    if (found != entries_.end()) {
        std::rotate(found, found + 1, entries_.end());
        return entries_.back().listed;
    }
    if (entries_.size() == kMaxLists) entries_.erase(entries_.begin());
    return entries_.emplace_back(Entry{from, hash, make()}).listed;
}

const PlannedFeature* ExperiencePlan::find(Name feature) const {
    const auto found = std::find_if(features.begin(), features.end(),
                                    [feature](const auto& planned) { return planned.id == feature; });
    return found != features.end() ? &*found : nullptr;
}

std::vector<Name> ExperiencePlan::feature_ids() const {
    std::vector<Name> ids;
    for (const PlannedFeature& one : features) ids.push_back(one.id);
    return ids;
}

std::vector<Name> bundles_for(NetMode mode) {
    static const Name kEquipped("Equipped"), kClient("Client"), kServer("Server");
    std::vector<Name> bundles{kEquipped};
    if (features::is_client_side(mode)) bundles.push_back(kClient);
    if (features::is_server_side(mode)) bundles.push_back(kServer);
    return bundles;
}

ExperiencePlan make_plan(const PlanSource& source, const FeatureSource& features, NetMode role) {
    return Planner(source, features, role, nullptr).make();
}

ExperiencePlan detail::make_plan(const PlanSource& source, const FeatureSource& features, NetMode role,
                                 ActionLists& known_actions) {
    return Planner(source, features, role, &known_actions).make();
}

Result<std::vector<PlannedAction>> actions_of_feature(const features::Manifest& manifest) {
    ListedActions listed = list_actions({Name(kFeatureOverlay), manifest.id}, manifest.actions);
    if (!listed.status) return listed.status;
    return std::move(listed.actions);
}

const features::ActionPart& part_of(const PlanSource& source, const PlannedAction& action) {
    if (action.from == source.experience) return source.definition->actions[action.index];
    for (const auto* sets : {&source.sets, &source.overlays})
        for (const SetSource& set : *sets)
            if (set.id == action.from) return set.set->actions[action.index];
    LYRE_ASSERT(false, "an action is looked up in the source that its plan was made from");
    return source.definition->actions[action.index];
}

}  // namespace lyre::experience
