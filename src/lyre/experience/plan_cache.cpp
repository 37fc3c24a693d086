#include "lyre/experience/detail/plan_cache.h"

#include <algorithm>

namespace lyre::experience::detail {

PlanCache::Key PlanCache::key_of(const PlanSource& source, NetMode role) {
    Key key;
    key.role = role;
    key.experience = {source.experience, source.hash};
    key.pawn_hash = source.pawn_hash;
    for (const SetSource& set : source.sets) key.sets.emplace_back(set.id, set.hash);
    for (const SetSource& overlay : source.overlays) key.overlays.emplace_back(overlay.id, overlay.hash);
    return key;
}

const std::shared_ptr<const ExperiencePlan>& PlanCache::find_or_make(const PlanSource& source,
                                                                     const FeatureSource& features, NetMode role) {
    Key key = key_of(source, role);
    const auto found =
        std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.key == key; });
    if (found != entries_.end()) {
        std::rotate(found, found + 1, entries_.end());
        return entries_.back().plan;
    }
    const FeatureSource all{features.catalogue, features.manifest_hash};
    auto made = std::make_shared<const ExperiencePlan>(make_plan(source, all, role, actions_));
    if (entries_.size() == kMaxPlans) entries_.erase(entries_.begin());
    return entries_.emplace_back(Entry{std::move(key), std::move(made)}).plan;
}

std::shared_ptr<const ExperiencePlan> PlanCache::plan(const PlanSource& source, const FeatureSource& features,
                                                      std::uint64_t version, NetMode role) {
    if (std::exchange(version_, version) != version) entries_.clear();
    const std::shared_ptr<const ExperiencePlan> plan = find_or_make(source, features, role);
    if (!features.refusal) return plan;
    const std::vector<Name> planned = plan->feature_ids();
    const auto is_refused = [&](Name id) { return features.refusal(id, planned).has_value(); };
    if (std::none_of(planned.begin(), planned.end(), is_refused)) return plan;
    return std::make_shared<const ExperiencePlan>(make_plan(source, features, role, actions_));
}

}  // namespace lyre::experience::detail
