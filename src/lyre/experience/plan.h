// experience/plan.h: what an experience comes down to for one role: features, actions and assets, in order.
//
//     ExperiencePlan plan = make_plan({id, &definition, sets, overlays}, {catalogue, allowed}, net_mode);
//     if (plan.is_ok()) ...                                            // else plan.causes say why
//     SwitchPlan change = plan_switch(taken, plan);                     // kept, removed, added
//
// A pure function of the definition, its sets, the features there are and the role: the same on every machine, and what
// `lyre plan` prints. It is a plain value that holds no address of what it was made from. The order in which content
// lists features has no influence; the order of actions is that of the definition, then set by set, then overlay by
// overlay, each list rearranged by its own before and after.
//
//     features    entries of all lists for this side, merged: required wins over optional, sides unite, version ranges
//                 meet; then whatever they depend on, before those that do; what only overlays want comes last, overlay
//                 by overlay. Errors make the plan unusable before anything is touched.
//     actions     the same kind with the same content counts once, at its first place; who wants two gives them names
//     content hash  covers what both roles need: definition, sets, overlays, pawn data, and required features of both
//                 sides with version and manifest. Server and client compare it before they take anything.
//
// Nothing is looked up in tables of the program: an action's kind need not be known. Frame's thread (it reads
// manifests).
#pragma once

#include <functional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "lyre/assets/assets.h"
#include "lyre/experience/cause.h"
#include "lyre/experience/definition.h"
#include "lyre/world/world.h"

namespace lyre::experience {

// An action set, or something put on top of an experience while it runs: an action set, or a feature as if a set held
// just it.
struct SetSource {
    assets::PrimaryAssetId id{};     // action_set:NAME, or of an overlay feature:NAME
    const ActionSet* set = nullptr;  // null: a feature
    std::uint64_t hash = 0;          // of its content
};

struct PlanSource {
    assets::PrimaryAssetId experience{};
    const ExperienceDefinition* definition = nullptr;
    std::uint64_t hash = 0;         // of its content
    std::uint64_t pawn_hash = 0;    // of its pawn data; 0: it has none
    std::vector<SetSource> sets{};  // as listed, without empty and repeated ones
    std::vector<SetSource> overlays{};
};

// The features there are.
struct FeatureSource {
    const features::Catalogue& catalogue;
    std::function<std::uint64_t(Name)> manifest_hash;
    // Why one of those that are planned cannot be had in this world; none: it can. Empty: all can.
    std::function<std::optional<features::FeatureError>(Name, const std::vector<Name>& planned)> refusal{};
};

struct PlannedFeature {
    Name id{};
    features::Version version{};
    bool is_required = false;
    bool is_asked_for = false;  // else somebody depends on it
    std::string wanted_by{};    // "experience:tag", "action_set:input and 1 more", "feature arena_core"
    friend bool operator==(const PlannedFeature&, const PlannedFeature&) = default;
};

struct PlannedAction {
    assets::PrimaryAssetId from{};  // the experience, set or overlay that lists it; feature:NAME
    std::size_t index = 0;          // there, from 0
    std::string kind{};
    std::uint64_t hash = 0;  // of what is written, and the kind
    bool is_optional = false;
    bool is_same(const PlannedAction& other) const { return hash == other.hash && kind == other.kind; }
    std::string where() const;  // "experience:tag, action 2 (add_components)"
};

// One asset with one of its bundles, or an asset as such.
struct PlannedBundle {
    assets::PrimaryAssetId asset{};
    Name bundle{};  // none: the asset itself
    friend auto operator<=>(const PlannedBundle&, const PlannedBundle&) = default;
};

struct ExperiencePlan {
    assets::PrimaryAssetId experience{};
    std::vector<assets::PrimaryAssetId> sets{}, overlays{};
    NetMode role = NetMode::Standalone;
    std::vector<PlannedFeature> features{};  // dependencies first
    std::vector<features::Degraded> degraded{};
    std::vector<PlannedAction> actions{};
    std::unordered_set<std::uint64_t> action_hashes{};  // of them
    std::vector<PlannedBundle> bundles{};               // of definition and sets, by role; then `assets`
    std::vector<assets::PrimaryAssetId> preload{};
    std::uint64_t content_hash = 0;
    std::vector<Cause> causes{};       // why it cannot be; codes, texts, features
    std::vector<std::string> notes{};  // what was skipped: empty entries and repetitions, each with its place

    bool is_ok() const { return causes.empty(); }
    const PlannedFeature* find(Name feature) const;
    std::vector<Name> feature_ids() const;
    bool has_action(std::uint64_t hash) const { return action_hashes.count(hash) != 0; }
};

// The type of an overlay that is a feature: feature:NAME. There is no such type of content.
inline constexpr std::string_view kFeatureOverlay = "feature";

// Equipped always, Client unless a dedicated server, Server unless a client.
std::vector<Name> bundles_for(NetMode mode);

// From what is loaded; not found: what is not. Its pointers are good until the next assets.pump().
Name feature_of(const assets::AssetRegistry& registry, assets::PrimaryAssetId id);  // that its file lies in; none
Result<PlanSource> plan_source(const assets::Assets& assets, assets::PrimaryAssetId experience,
                               std::span<const assets::PrimaryAssetId> overlays = {});
ExperiencePlan make_plan(const PlanSource& source, const FeatureSource& features, NetMode role);
// What a feature does itself once it is active: the actions of its manifest, in the order in which they run. Refused:
// before and after lead in a circle.
Result<std::vector<PlannedAction>> actions_of_feature(const features::Manifest& manifest);
// As it is written there; the plan is one of this source.
const features::ActionPart& part_of(const PlanSource& source, const PlannedAction& action);

// What a switch keeps, takes away (in the order in which it goes) and adds (in the order in which it comes). What
// actions need of assets is not among it.
struct SwitchPlan {
    struct Part {
        std::vector<std::string> kept{}, removed{}, added{};
    };
    Part features{}, actions{}, bundles{};
};
SwitchPlan plan_switch(const ExperiencePlan& from, const ExperiencePlan& to);

// For people: what would be loaded, in order; or why it cannot be.
std::string to_text(const ExperiencePlan& plan);
std::string to_text(std::span<const PlannedAction> of_features);  // "" if there are none
std::string to_text(const SwitchPlan& plan);

}  // namespace lyre::experience
