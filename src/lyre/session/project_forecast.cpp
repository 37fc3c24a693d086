// session/project_forecast.cpp: what loading an experience would mean, without playing it.
#include <algorithm>
#include <set>

#include "lyre/experience/bundle_data.h"
#include "lyre/experience/check.h"
#include "lyre/session/project.h"

namespace lyre::session {
namespace {

bool is_set(const assets::PrimaryAssetId& id) {
    return id.type.text() == experience::kActionSetType;
}

}  // namespace

Result<ExperienceForecast> Project::forecast(Name name, std::span<const assets::PrimaryAssetId> overlays,
                                             NetMode role) {
    OwnerScope as(owner_);
    const assets::PrimaryAssetId id{Name(experience::kExperienceType), name};
    for (const assets::PrimaryAssetId& overlay : overlays)
        if (auto known = find_overlay(overlay); !known) return known;
    if (Status status = load(id); !status) return status;
    std::vector<assets::PrimaryAssetId> sets = experience::sets_of(*assets_.find<experience::ExperienceDefinition>(id));
    std::copy_if(overlays.begin(), overlays.end(), std::back_inserter(sets), is_set);
    for (const assets::PrimaryAssetId& set : sets)
        if (Status status = load(set); !status) return status;
    const auto source = experience::plan_source(assets_, id, overlays);
    if (!source) return source.status();
    const features::Catalogue catalogue = features_->catalogue();
    const experience::FeatureSource there{
        catalogue, [this](Name feature) { return features_->manifest_hash(feature); },
        [this, excluded = features_->why_not_after_start()](Name feature, const std::vector<Name>& planned) {
            auto why = features_->why_not(feature, owner_, features::Destination::Active);
            return why ? std::move(why) : excluded(feature, planned);
        }};
    ExperienceForecast forecast{experience::make_plan(*source, there, role), {}};
    forecast.assets = assets_of(forecast.plan);
    for (const experience::PlannedFeature& feature : forecast.plan.features) {
        auto actions = experience::actions_of_feature(*catalogue.find(feature.id));
        if (!actions) continue;  // told by check()
        std::move(actions->begin(), actions->end(), std::back_inserter(forecast.feature_actions));
    }
    if (forecast.plan.is_ok()) problems_.add_all(experience::check_plan(forecast.plan, assets_, *features_, files_));
    return forecast;
}

Status Project::find_overlay(const assets::PrimaryAssetId& id) {
    if (!is_set(id) && id.type != Name("feature"))
        return Status::invalid("{} is neither an action set nor a feature", id);
    return find(id.type.text(), std::string(id.name.text())).status();
}

// The definition and sets with what they always need, what their bundles name, and `assets`.
std::vector<assets::AssetEntry> Project::assets_of(const experience::ExperiencePlan& plan) {
    std::set<assets::PrimaryAssetId> ids;
    for (const experience::PlannedBundle& planned : plan.bundles) {
        ids.insert(planned.asset);
        if (!planned.bundle) continue;
        const auto table = experience::bundle_table(assets_, planned.asset, runtime_);
        if (!table) continue;
        for (const Name bundle : {Name(), planned.bundle})
            for (const assets::BundleEntry& entry : table->entries(bundle))
                if (!entry.asset.is_none()) ids.insert(entry.asset);
    }
    std::vector<assets::AssetEntry> entries;
    for (const assets::PrimaryAssetId& id : ids)
        if (const assets::AssetInfo* info = assets_.registry().find(id)) entries.push_back(info->entry);
    return entries;
}

std::uint64_t ExperienceForecast::bytes() const {
    std::uint64_t sum = 0;
    for (const assets::AssetEntry& asset : assets) sum += asset.bytes;
    return sum;
}

}  // namespace lyre::session
