// features/feature_state.h: where a feature can be, and in which order.
//
//     UnknownStatus > CheckingStatus > StatusKnown > INSTALLED > Mounting > WaitingForDependencies > Registering
//       > REGISTERED > LoadingDependencies > Loading > LOADED > ActivatingDependencies > Activating > ACTIVE
//     ACTIVE > Deactivating > DeactivatingDependencies > LOADED > Unloading > REGISTERED > Unregistering > Unmounting
//       > INSTALLED > StatusKnown > Terminal
//
// Three kinds: destinations can be asked for and are rested in; transitions work and move on; an error is where a
// transition that failed rests, its own work undone, until somebody asks for more (it is tried again) or less.
// Downloading and Releasing are for features that are fetched, which do not exist yet. Plain values; any thread.
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>

#include "lyre/core/value_type.h"

namespace lyre::features {

// In their one order: what compares less is further down.
enum class FeatureState : std::uint8_t {
    Terminal,
    UnknownStatus,
    CheckingStatus,
    ErrorCheckingStatus,
    ErrorUnavailable,
    StatusKnown,
    ErrorManagingData,
    Downloading,
    Releasing,
    Installed,
    ErrorMounting,
    Mounting,
    Unmounting,
    ErrorWaitingForDependencies,
    WaitingForDependencies,
    ErrorRegistering,
    Registering,
    Unregistering,
    Registered,
    ErrorLoadingDependencies,
    LoadingDependencies,
    ErrorLoading,
    Loading,
    Unloading,
    Loaded,
    ErrorActivatingDependencies,
    ActivatingDependencies,
    DeactivatingDependencies,
    ErrorActivating,
    Activating,
    Deactivating,
    Active,
};
inline constexpr std::size_t kFeatureStates = 32;
std::string_view to_string(FeatureState state);  // "WaitingForDependencies"
void describe(EnumBuilder<FeatureState>& e);

enum class StateKind : std::uint8_t { Destination, Transition, Error };
StateKind kind_of(FeatureState state);
inline bool is_error(FeatureState state) {
    return kind_of(state) == StateKind::Error;
}
FeatureState error_of(FeatureState transition);      // where one that fails rests; of one on the way down: itself
FeatureState destination_below(FeatureState state);  // of a transition or error: where its undone work leaves it
FeatureState next_up(FeatureState state);            // of a destination or a transition up
FeatureState next_down(FeatureState state);          // of a destination or a transition down

// What people ask for. Terminal through terminate(), StatusKnown through release().
enum class Destination : std::uint8_t { Terminal, StatusKnown, Installed, Registered, Loaded, Active };
inline void describe(EnumBuilder<Destination>& e) {
    e.value("terminal", Destination::Terminal)
        .value("status_known", Destination::StatusKnown)
        .value("installed", Destination::Installed)
        .value("registered", Destination::Registered)
        .value("loaded", Destination::Loaded)
        .value("active", Destination::Active);
}
FeatureState state_of(Destination destination);
Destination level_of(FeatureState state);             // the highest that it has reached
std::string_view to_string(Destination destination);  // "Registered"

// From where to where a feature may rest. It moves exactly while it is outside.
struct GoalRange {
    Destination min = Destination::Installed;
    Destination max = Destination::Installed;

    static constexpr GoalRange exactly(Destination destination) { return {destination, destination}; }
    static constexpr GoalRange at_least(Destination destination) { return {destination, Destination::Active}; }
    static constexpr GoalRange at_most(Destination destination) { return {Destination::Terminal, destination}; }
    constexpr bool is_empty() const { return min > max; }
    constexpr GoalRange common(GoalRange other) const {
        return {min > other.min ? min : other.min, max < other.max ? max : other.max};
    }
    bool contains(FeatureState state) const { return state_of(min) <= state && state <= state_of(max); }
    friend constexpr bool operator==(GoalRange, GoalRange) = default;
};

}  // namespace lyre::features
