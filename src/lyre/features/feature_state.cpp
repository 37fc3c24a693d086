#include "lyre/features/feature_state.h"

#include <array>

namespace lyre::features {
namespace {

using enum FeatureState;

// One row per state. A way that does not exist leads to the state itself.
struct StateRow {
    FeatureState state;
    std::string_view name;
    StateKind kind;
    FeatureState below;  // destination that undone work leaves it at; of a destination: itself
    FeatureState up, down;
    FeatureState error;
};

constexpr StateRow destination(FeatureState state, std::string_view name, FeatureState up, FeatureState down) {
    return {state, name, StateKind::Destination, state, up, down, state};
}
constexpr StateRow rising(FeatureState state, std::string_view name, FeatureState below, FeatureState up,
                          FeatureState error) {
    return {state, name, StateKind::Transition, below, up, state, error};
}
constexpr StateRow falling(FeatureState state, std::string_view name, FeatureState below, FeatureState down) {
    return {state, name, StateKind::Transition, below, state, down, state};
}
constexpr StateRow failed(FeatureState state, std::string_view name, FeatureState below) {
    return {state, name, StateKind::Error, below, state, state, state};
}

constexpr std::array<StateRow, kFeatureStates> kStateRows{{
    destination(Terminal, "Terminal", Terminal, Terminal),
    destination(UnknownStatus, "UnknownStatus", CheckingStatus, Terminal),  // rested in, though nobody asks for it
    rising(CheckingStatus, "CheckingStatus", UnknownStatus, StatusKnown, ErrorCheckingStatus),
    failed(ErrorCheckingStatus, "ErrorCheckingStatus", UnknownStatus),
    failed(ErrorUnavailable, "ErrorUnavailable", UnknownStatus),
    destination(StatusKnown, "StatusKnown", Installed, Terminal),
    failed(ErrorManagingData, "ErrorManagingData", StatusKnown),
    rising(Downloading, "Downloading", StatusKnown, Installed, ErrorManagingData),
    falling(Releasing, "Releasing", StatusKnown, StatusKnown),
    destination(Installed, "Installed", Mounting, StatusKnown),
    failed(ErrorMounting, "ErrorMounting", Installed),
    rising(Mounting, "Mounting", Installed, WaitingForDependencies, ErrorMounting),
    falling(Unmounting, "Unmounting", Installed, Installed),
    failed(ErrorWaitingForDependencies, "ErrorWaitingForDependencies", Installed),
    rising(WaitingForDependencies, "WaitingForDependencies", Installed, Registering, ErrorWaitingForDependencies),
    failed(ErrorRegistering, "ErrorRegistering", Installed),
    rising(Registering, "Registering", Installed, Registered, ErrorRegistering),
    falling(Unregistering, "Unregistering", Installed, Unmounting),
    destination(Registered, "Registered", LoadingDependencies, Unregistering),
    failed(ErrorLoadingDependencies, "ErrorLoadingDependencies", Registered),
    rising(LoadingDependencies, "LoadingDependencies", Registered, Loading, ErrorLoadingDependencies),
    failed(ErrorLoading, "ErrorLoading", Registered),
    rising(Loading, "Loading", Registered, Loaded, ErrorLoading),
    falling(Unloading, "Unloading", Registered, Registered),
    destination(Loaded, "Loaded", ActivatingDependencies, Unloading),
    failed(ErrorActivatingDependencies, "ErrorActivatingDependencies", Loaded),
    rising(ActivatingDependencies, "ActivatingDependencies", Loaded, Activating, ErrorActivatingDependencies),
    falling(DeactivatingDependencies, "DeactivatingDependencies", Loaded, Loaded),
    failed(ErrorActivating, "ErrorActivating", Loaded),
    rising(Activating, "Activating", Loaded, Active, ErrorActivating),
    falling(Deactivating, "Deactivating", Loaded, DeactivatingDependencies),
    destination(Active, "Active", Active, Deactivating),
}};

constexpr bool states_are_in_order() {
    for (std::size_t i = 0; i < kStateRows.size(); ++i)
        if (static_cast<std::size_t>(kStateRows[i].state) != i) return false;
    return true;
}
static_assert(states_are_in_order());

const StateRow& row(FeatureState state) {
    return kStateRows[static_cast<std::size_t>(state)];
}

}  // namespace

std::string_view to_string(FeatureState state) {
    return row(state).name;
}

void describe(EnumBuilder<FeatureState>& e) {
    for (const StateRow& row : kStateRows) e.value(row.name, row.state);
}

StateKind kind_of(FeatureState state) {
    return row(state).kind;
}

FeatureState error_of(FeatureState transition) {
    LYRE_ASSERT(kind_of(transition) == StateKind::Transition, "only a transition can fail");
    return row(transition).error;
}

FeatureState destination_below(FeatureState state) {
    return row(state).below;
}

FeatureState next_up(FeatureState state) {
    LYRE_ASSERT(row(state).up != state || row(state).kind == StateKind::Destination,
                "an error and a transition down have no way up: ask their destination_below");
    return row(state).up;
}

FeatureState next_down(FeatureState state) {
    LYRE_ASSERT(row(state).down != state || row(state).kind == StateKind::Destination,
                "an error and a transition up have no way down: ask their destination_below");
    return row(state).down;
}

FeatureState state_of(Destination destination) {
    constexpr FeatureState kStates[] = {Terminal, StatusKnown, Installed, Registered, Loaded, Active};
    return kStates[static_cast<std::size_t>(destination)];
}

Destination level_of(FeatureState state) {
    for (auto level : {Destination::Active, Destination::Loaded, Destination::Registered, Destination::Installed,
                       Destination::StatusKnown})
        if (state_of(level) <= state) return level;
    return Destination::Terminal;
}

std::string_view to_string(Destination destination) {
    return to_string(state_of(destination));
}

}  // namespace lyre::features
