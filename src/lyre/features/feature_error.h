// features/feature_error.h: why a feature did not get where it was asked to.
//
// An error names the feature, the state it was in, what kind of trouble it is, the sentence for people, and what it
// came from; printed `GameFeature.<State>.<Code>: text`. What keeps a feature from going down lists its holders. A
// plain value; copies share the inner error.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lyre/core/name.h"
#include "lyre/core/status.h"
#include "lyre/core/type_builder.h"
#include "lyre/features/feature_state.h"

namespace lyre::features {

enum class ErrorCode : std::uint8_t {
    None,
    UnknownFeature,     // no such id; the text has the nearest
    ManifestMissing,    // its folder has no feature.toml (any more)
    ManifestBad,        // its feature.toml has problems
    NotAllowed,         // the policy says no; the text is the policy's
    DependencyMissing,  // unknown; the text has the chain and the nearest id
    DependencyCycle,    // the text has the whole cycle
    DependencyVersion,  // no version fits all wishes
    DependencyFailed,   // inner is the dependency's error
    DependencyGone,     // the dependency went Terminal meanwhile
    Incompatible,       // with another that is active; the text names both and the reason
    HeldBy,             // dependents or owners need it; holders lists them
    Cancelled,          // somebody asked for something else; neither success nor an error of the feature
    Abandoned,          // nobody was left to answer to
    GoalRefused,        // an empty range, or Terminal is to be left
    StateLoop,          // a transition that led nowhere, or too many of them
    StepTimeout,        // a step took longer than lyre.features.StepTimeoutSecs; the text names what it waited for
    MountFailed,
    ModuleOpenFailed,  // missing, unreadable, unresolved symbols; the loader's own text
    ModuleNoEntry,
    ModuleAbi,           // built for another lyre, compiler or with other options
    ModuleWrongFeature,  // id or version differ from the manifest's
    ModuleFailed,        // its entry threw, or something it registered was refused
    ModuleStillMapped,   // closed and yet in memory; the feature is resident
    ScriptsUnsupported,
    RegistrationFailed,  // a tag, variable or class of its content was refused
    ActionUnknown,       // of a kind nobody has registered
    ActionBad,           // arguments
    ActionFailed,        // a hook said so
    AssetsFailed,        // bundles could not be loaded
    WorldGone,
    InstancesAlive,  // holders lists them
    LeftBehind,      // something it registered cannot be taken away
    Injected,        // a fault that was asked for
};
std::string_view to_string(ErrorCode code);
void describe(EnumBuilder<ErrorCode>& e);

// Who keeps a feature, and who keeps that: up to a root, which is a world or the process.
struct Holder {
    static constexpr std::size_t kMaxChain = 64;

    std::string what{};             // "feature tag (Active)", "2 Beast in world arena: 1.1, 3.1"
    std::vector<std::string> by{};  // "feature game (Active)", "world arena (1) (Active)"
    std::string to_string() const;  // with " <- " between
    static void describe(TypeBuilder<Holder>& t);
};

struct FeatureError {
    Name feature{};
    FeatureState state = FeatureState::UnknownStatus;
    ErrorCode code = ErrorCode::None;
    std::string text{};
    Name dependency{};                            // that it is about, if it is about one
    std::vector<Holder> holders{};                // of HeldBy and InstancesAlive: who keeps it, one each
    std::shared_ptr<const FeatureError> inner{};  // what led here

    static constexpr std::size_t kMaxHolders = 64;  // more are counted in the last one
    void set_holders(std::vector<Holder> all);
    std::string to_string() const;  // with the inner ones, each behind "; because "
    Status to_status() const;       // Cancelled stays Cancelled
};

// What callers of Features get through their callback.
struct FeatureResult {
    Name feature{};
    std::optional<FeatureError> error{};  // none: it is where it was asked to be

    bool is_ok() const { return !error; }
    explicit operator bool() const { return is_ok(); }
    bool is_cancelled() const { return error && error->code == ErrorCode::Cancelled; }
    std::string to_string() const { return error ? error->to_string() : "ok"; }
};
using FeatureCallback = std::function<void(const FeatureResult&)>;

}  // namespace lyre::features
