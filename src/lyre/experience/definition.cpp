#include "lyre/experience/definition.h"

#include <algorithm>
#include <limits>
#include <unordered_set>

#include "lyre/core/suggest.h"
#include "lyre/experience/experience_codes.h"

namespace lyre::experience {

using namespace experience_code;

namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

void check_count(ContentCheck& check, std::string_view key, std::size_t count, std::size_t most) {
    if (count > most)
        check.problem(kTooManyEntries, fmt::format("{}[{}]", key, most),
                      fmt::format("{} has {} entries; {} are allowed", check.where(key), count, most));
}

void check_unused(ContentCheck& check, std::string_view key, std::string_view wanted) {
    check.problem(kUnusedSetting, key, fmt::format("{} does nothing with this policy", check.where(key)),
                  fmt::format("write policy = \"{}\", or take it out", wanted));
}

}  // namespace

void FeatureEntry::describe(TypeBuilder<FeatureEntry>& t) {
    t.help("a feature that is wanted");
    t.short_form("id");
    t.property("id", &FeatureEntry::id).help("of the feature");
    t.property("need", &FeatureEntry::need).help("required (default), or optional: it is done without if need be");
    t.property("side", &FeatureEntry::side).help("only where the game is shown (client) or decided (server)");
    t.property("versions", &FeatureEntry::versions).help("which versions of it; any if left out");
}

assets::PrimaryAssetId FailurePolicy::to_experience() const {
    if (!to || is_to_previous()) return {};
    const auto id = assets::PrimaryAssetId::parse(to.text(), Name(kExperienceType));
    return id && id->type == Name(kExperienceType) ? *id : assets::PrimaryAssetId();
}

void FailurePolicy::describe(TypeBuilder<FailurePolicy>& t) {
    t.help("what happens when it cannot be loaded");
    t.property("policy", &FailurePolicy::policy).help("stay_failed (default), retry, or fall_back to another");
    t.property("attempts", &FailurePolicy::attempts).range(1, kUnlimited).help("of retry: how often in total");
    t.property("delay_secs", &FailurePolicy::delay_secs)
        .range(0, kUnlimited)
        .units("s")
        .help("of retry: time between two attempts");
    t.property("to", &FailurePolicy::to)
        .help("of fall_back, and after the last attempt of retry: an experience, or \"previous\"");
    t.hook<&FailurePolicy::check>("check");
}

void FailurePolicy::check(ContentCheck& check) const {
    const FailurePolicy usual;
    const bool is_retry = policy == FailureKind::Retry;
    if (policy == FailureKind::FallBack && !to)
        check.problem(kNoFallback, "policy", fmt::format("{} does not say what to fall back to", check.where()),
                      "write to = \"previous\", or the name of an experience");
    if (policy == FailureKind::StayFailed && to) check_unused(check, "to", "fall_back");
    if (!is_retry && attempts != usual.attempts) check_unused(check, "attempts", "retry");
    if (!is_retry && delay_secs != usual.delay_secs) check_unused(check, "delay_secs", "retry");
}

features::UnloadPolicy UnloadDef::to_policy() const {
    if (policy == UnloadKind::UnloadNow) return features::UnloadPolicy::unload_now();
    return features::UnloadPolicy::keep_warm(static_cast<std::size_t>(std::max<std::int64_t>(count, 0)), seconds);
}

void UnloadDef::describe(TypeBuilder<UnloadDef>& t) {
    t.help("what becomes of its features when it is left and nobody else wants them");
    t.property("policy", &UnloadDef::policy).help("unload_now (default) or keep_warm");
    t.property("count", &UnloadDef::count).range(0, kUnlimited).help("of keep_warm: so many features at most");
    t.property("seconds", &UnloadDef::seconds)
        .range(0, kUnlimited)
        .units("s")
        .help("of keep_warm: for so long; 0: for ever");
    t.hook<&UnloadDef::check>("check");
}

void UnloadDef::check(ContentCheck& check) const {
    if (policy == UnloadKind::KeepWarm) return;
    if (count != 0) check_unused(check, "count", "keep_warm");
    if (seconds != 0) check_unused(check, "seconds", "keep_warm");
}

void BarrierDef::describe(TypeBuilder<BarrierDef>& t) {
    t.help("which clients the start of play waits for");
    t.property("need", &BarrierDef::need).range(-1, kUnlimited).help("so many; -1: all that are connected");
    t.property("limit_secs", &BarrierDef::limit_secs).range(0, kUnlimited).units("s").help("for so long");
    t.property("on_expiry", &BarrierDef::on_expiry).help("what then: start (default) or fail");
}

void LimitsDef::describe(TypeBuilder<LimitsDef>& t) {
    t.help("how long it may take");
    t.property("stage_secs", &LimitsDef::stage_secs)
        .range(-1, kUnlimited)
        .units("s")
        .help("each stage of a load; 0: no limit; -1: lyre.experience.StageTimeoutSecs");
    t.property("pauser_secs", &LimitsDef::pauser_secs)
        .range(-1, kUnlimited)
        .units("s")
        .help("those who ask for time when it is left; -1: lyre.experience.PauserTimeoutSecs");
}

void ActionSet::describe(TypeBuilder<ActionSet>& t) {
    t.help("features and actions that several experiences share");
    t.property("features", &ActionSet::features).help("that it needs");
    t.property("action_sets", &ActionSet::action_sets).refused().help("not here: sets do not nest");
    t.property("action", &ActionSet::actions).as_written().help("what it does, in this order");
    t.hook<&ActionSet::check>("check");
}

void ActionSet::check(ContentCheck& check) const {
    if (!action_sets.is_none())
        check.problem(kNestedSets, "action_sets", fmt::format("{}: sets do not nest", check.where("action_sets")),
                      "name all sets in action_sets of the experience");
    check_count(check, "features", features.size(), kMaxFeatureEntries);
    check_count(check, "action", actions.size(), kMaxActions);
}

void ExperienceDefinition::describe(TypeBuilder<ExperienceDefinition>& t) {
    t.help("what a match is made of");
    t.property("title", &ExperienceDefinition::title).help("what people read");
    t.property("parent", &ExperienceDefinition::parent)
        .refused()
        .help("not here: what is common goes into action sets");
    t.property("pawn", &ExperienceDefinition::pawn)
        .asset("pawn_data")
        .late()
        .or_none()
        .help("what people play, by default; a feature may bring it");
    t.property("features", &ExperienceDefinition::features).help("that it needs");
    t.property("action_sets", &ExperienceDefinition::action_sets)
        .asset(kActionSetType)
        .soft()
        .or_none()
        .help("features and actions that it shares with others");
    t.property("assets", &ExperienceDefinition::assets)
        .late()
        .or_none()
        .help("loaded with it, beside what actions need; a feature may bring them");
    t.property("preload", &ExperienceDefinition::preload)
        .late()
        .or_none()
        .help("loaded when there is time, not waited for; a feature may bring them");
    t.property("late_join", &ExperienceDefinition::late_join)
        .help("who comes late plays at once (immediate, default) or when_client_loaded");
    t.property("keep_player_state_secs", &ExperienceDefinition::keep_player_state_secs)
        .range(0, kUnlimited)
        .units("s")
        .help("how long what a player has is kept after a disconnect");
    t.property("failure", &ExperienceDefinition::failure);
    t.property("unload", &ExperienceDefinition::unload);
    t.property("barrier", &ExperienceDefinition::barrier);
    t.property("limits", &ExperienceDefinition::limits);
    t.property("action", &ExperienceDefinition::actions).as_written().help("what it does, in this order");
    t.hook<&ExperienceDefinition::check>("check");
}

void ExperienceDefinition::check(ContentCheck& check) const {
    if (!parent.empty())
        check.problem(
            kDerived, "parent",
            fmt::format("{}: an experience is not derived from another ({})", check.where("parent"), in_quotes(parent)),
            "put what both have in common into an ActionSet, and name it in action_sets of both");
    check_count(check, "features", features.size(), kMaxFeatureEntries);
    check_count(check, "action_sets", action_sets.size(), kMaxActionSets);
    check_count(check, "assets", assets.size(), kMaxAssets);
    check_count(check, "preload", preload.size(), kMaxAssets);
    check_count(check, "action", actions.size(), kMaxActions);
}

std::vector<assets::PrimaryAssetId> sets_of(const ExperienceDefinition& definition) {
    std::vector<assets::PrimaryAssetId> sets;
    std::unordered_set<Name> seen;
    for (const Name name : definition.action_sets)
        if (name && seen.insert(name).second) sets.push_back({Name(kActionSetType), name});
    return sets;
}

Status add_content_types(assets::ContentTypes& types) {
    if (Status status = types.add<ExperienceDefinition>(kExperienceType); !status) return status;
    return types.add<ActionSet>(kActionSetType);
}

}  // namespace lyre::experience
