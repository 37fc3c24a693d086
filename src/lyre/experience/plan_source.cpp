#include "lyre/experience/plan.h"

namespace lyre::experience {

Name feature_of(const assets::AssetRegistry& registry, assets::PrimaryAssetId id) {
    const assets::AssetInfo* info = id.is_none() ? nullptr : registry.find(id);
    const assets::AssetRoot* root = info != nullptr ? registry.root(info->root) : nullptr;
    return root != nullptr && root->owner.kind == OwnerKind::Feature ? root->owner.name : Name();
}

Result<PlanSource> plan_source(const assets::Assets& assets, assets::PrimaryAssetId experience,
                               std::span<const assets::PrimaryAssetId> overlays) {
    PlanSource source;
    source.experience = experience;
    source.definition = assets.find<ExperienceDefinition>(experience);
    if (source.definition == nullptr) return Status::not_found("{} is not loaded", experience);
    const auto hash_of = [&](assets::PrimaryAssetId id) {
        const auto hash = assets.content_hash(id);
        return hash ? *hash : 0;
    };
    source.hash = hash_of(experience);
    // That of a feature goes by the feature: it may be loaded on one side and not yet on the other.
    if (!feature_of(assets.registry(), source.definition->pawn)) source.pawn_hash = hash_of(source.definition->pawn);
    const auto set_source = [&](assets::PrimaryAssetId id) {
        return SetSource{id, assets.find<ActionSet>(id), hash_of(id)};
    };
    for (assets::PrimaryAssetId id : sets_of(*source.definition)) source.sets.push_back(set_source(id));
    for (assets::PrimaryAssetId id : overlays)
        source.overlays.push_back(id.type.text() == kActionSetType ? set_source(id) : SetSource{id, nullptr, 0});
    for (const auto* list : {&source.sets, &source.overlays})
        for (const SetSource& set : *list)
            if (set.set == nullptr && set.id.type.text() == kActionSetType)
                return Status::not_found("{} is not loaded", set.id);
    return source;
}

}  // namespace lyre::experience
