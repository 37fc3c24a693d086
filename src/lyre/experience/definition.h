// experience/definition.h: what a match is made of, as content says it: NAME.experience.toml, NAME.action_set.toml.
//
//     title       = "Control points"
//     pawn        = "hero"                                # pawn_data:hero, unless somebody says otherwise
//     features    = ["control_points", { id = "bots", need = "optional", side = "server" }]
//     action_sets = ["standard_input"]
//     [failure]
//     policy = "fall_back"
//     to     = "frontend"
//     [[action]]
//     kind = "add_components"
//     ...
//
// An experience names features, actions and sets of both; an action set is what several experiences share. Neither is
// derived from another: what is common is put into a set. Sets do not name sets.
//
// Both are content like any other: read by reflection, read-only, without any state of a run. Actions stay as they are
// written until they are to run, since the feature that brings their kind may not be here yet; what is written is what
// plans compare and hash. Plain values; any thread.
#pragma once

#include <string>
#include <vector>

#include "lyre/assets/asset_id.h"
#include "lyre/assets/content_types.h"
#include "lyre/features/action.h"
#include "lyre/features/policy.h"
#include "lyre/features/solver.h"

namespace lyre::experience {

inline constexpr std::string_view kExperienceType = "experience";
inline constexpr std::string_view kActionSetType = "action_set";
inline constexpr std::size_t kMaxFeatureEntries = 1024;  // of one file
inline constexpr std::size_t kMaxActionSets = 256;
inline constexpr std::size_t kMaxActions = 1024;
inline constexpr std::size_t kMaxAssets = 65'536;  // of `assets`, and of `preload`

// A feature that is wanted. In content also just its id.
struct FeatureEntry {
    Name id{};
    features::Need need = features::Need::Required;
    features::Side side = features::Side::Both;
    features::VersionRange versions{};
    static void describe(TypeBuilder<FeatureEntry>& t);
};

// What happens when it cannot be loaded.
enum class FailureKind : std::uint8_t { StayFailed, Retry, FallBack };
inline void describe(EnumBuilder<FailureKind>& e) {
    e.value("stay_failed", FailureKind::StayFailed)
        .value("retry", FailureKind::Retry)
        .value("fall_back", FailureKind::FallBack);
}
inline constexpr std::string_view kPrevious = "previous";
struct FailurePolicy {
    FailureKind policy = FailureKind::StayFailed;
    std::int64_t attempts = 3;  // Retry: in total
    double delay_secs = 1;      // Retry: between them
    Name to{};                  // FallBack, and after a used-up Retry: an experience, or "previous"; none: stay failed
    bool is_to_previous() const { return to.text() == kPrevious; }
    assets::PrimaryAssetId to_experience() const;  // none: `to` is none, "previous", or no id
    void check(ContentCheck& check) const;
    static void describe(TypeBuilder<FailurePolicy>& t);
};

enum class UnloadKind : std::uint8_t { UnloadNow, KeepWarm };
inline void describe(EnumBuilder<UnloadKind>& e) {
    e.value("unload_now", UnloadKind::UnloadNow).value("keep_warm", UnloadKind::KeepWarm);
}
// What becomes of its features when it is left and nobody else owns them.
struct UnloadDef {
    UnloadKind policy = UnloadKind::UnloadNow;
    std::int64_t count = 0;
    double seconds = 0;
    features::UnloadPolicy to_policy() const;
    void check(ContentCheck& check) const;
    static void describe(TypeBuilder<UnloadDef>& t);
};

enum class OnExpiry : std::uint8_t { Start, Fail };
inline void describe(EnumBuilder<OnExpiry>& e) {
    e.value("start", OnExpiry::Start).value("fail", OnExpiry::Fail);
}
// Which clients the start of play waits for.
struct BarrierDef {
    std::int64_t need = 0;  // so many; -1: all
    double limit_secs = 30;
    OnExpiry on_expiry = OnExpiry::Start;
    static void describe(TypeBuilder<BarrierDef>& t);
};

struct LimitsDef {
    double stage_secs = -1;   // of each stage; 0: none; below: lyre.experience.StageTimeoutSecs
    double pauser_secs = -1;  // of all who ask for time; below 0: lyre.experience.PauserTimeoutSecs
    static void describe(TypeBuilder<LimitsDef>& t);
};

enum class LateJoin : std::uint8_t { Immediate, WhenClientLoaded };
inline void describe(EnumBuilder<LateJoin>& e) {
    e.value("immediate", LateJoin::Immediate).value("when_client_loaded", LateJoin::WhenClientLoaded);
}

struct ActionSet {
    std::vector<FeatureEntry> features{};
    Node action_sets{};                           // always none: sets do not nest
    std::vector<features::ActionPart> actions{};  // kept as written
    void check(ContentCheck& check) const;
    static void describe(TypeBuilder<ActionSet>& t);
};

struct ExperienceDefinition {
    std::string title{};
    std::string parent{};  // always empty: an experience is not derived from another
    assets::PrimaryAssetId pawn{};
    std::vector<FeatureEntry> features{};
    std::vector<Name> action_sets{};  // an empty one is skipped
    std::vector<assets::PrimaryAssetId> assets{};
    std::vector<assets::PrimaryAssetId> preload{};
    LateJoin late_join = LateJoin::Immediate;
    double keep_player_state_secs = 0;
    FailurePolicy failure{};
    UnloadDef unload{};
    BarrierDef barrier{};
    LimitsDef limits{};
    std::vector<features::ActionPart> actions{};  // kept as written
    void check(ContentCheck& check) const;
    static void describe(TypeBuilder<ExperienceDefinition>& t);
};

// The sets that are to be loaded, in order: without empty entries, and each once.
std::vector<assets::PrimaryAssetId> sets_of(const ExperienceDefinition& definition);

// `experience` and `action_set` become types of content.
Status add_content_types(assets::ContentTypes& types);

}  // namespace lyre::experience
