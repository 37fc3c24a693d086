// experience/cause.h: why an experience is not there.
//
// A cause names what went wrong, on which side, in which generation and stage, and what it was about; failures of the
// same update are listed with it, and so are those of the experiences that were tried before. A plain value.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lyre/assets/asset_id.h"
#include "lyre/core/type_builder.h"

namespace lyre::experience {

enum class LoadState : std::uint8_t {
    Unloaded,
    Loading,
    LoadingGameFeatures,
    LoadingChaosTestingDelay,
    ExecutingActions,
    Loaded,
    Deactivating,
    Failed,
};
inline constexpr std::size_t kLoadStates = 8;
std::string_view to_string(LoadState state);
void describe(EnumBuilder<LoadState>& e);

enum class CauseCode : std::uint8_t {
    None,
    NoExperienceChosen,
    DefinitionFailed,  // the definition or one of its sets is not there or wrong
    ContentMismatch,   // server and client have different content
    AssetFailed,
    AssetLoadCancelled,  // by somebody else
    UnknownFeature,
    DependencyConflict,
    FeatureFailed,
    ActionFailed,
    StageTimeout,
    BarrierTimeout,
    ServerFailed,
};
inline constexpr std::size_t kCauseCodes = 13;
std::string_view to_string(CauseCode code);
void describe(EnumBuilder<CauseCode>& e);

struct Cause {
    CauseCode code = CauseCode::None;
    std::string side{};  // the world's net mode
    std::uint32_t generation = 0;
    LoadState stage = LoadState::Unloaded;
    assets::PrimaryAssetId experience{};
    Name feature{};        // where apt
    std::string action{};  // where apt: "experience:tag, action 2 (add_components)"
    assets::PrimaryAssetId asset{};
    std::string text{};
    std::vector<std::string> others{};   // failures of the same update
    std::vector<std::string> earlier{};  // causes of the attempts and experiences before, oldest first

    static constexpr std::size_t kMaxOthers = 32;  // of each list; more are counted in the last line
    bool is_none() const { return code == CauseCode::None; }
    std::string to_string() const;  // "FeatureFailed: feature tag: text"
    static void describe(TypeBuilder<Cause>& t);
};

}  // namespace lyre::experience
