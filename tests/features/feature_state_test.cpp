#include "lyre/features/feature_state.h"

#include <gtest/gtest.h>
#include <map>
#include <vector>

#include "lyre/features/side.h"

namespace lyre::features {
namespace feature_state_test {

using enum FeatureState;

constexpr FeatureState at(std::size_t index) {
    return static_cast<FeatureState>(index);
}

TEST(FeatureState, every_state_is_a_destination_a_transition_or_an_error) {
    // F-01
    const std::vector<FeatureState> destinations = {Terminal,   UnknownStatus, StatusKnown, Installed,
                                                    Registered, Loaded,        Active};
    for (std::size_t i = 0; i < kFeatureStates; ++i) {
        const bool rests = std::find(destinations.begin(), destinations.end(), at(i)) != destinations.end();
        const bool fails = to_string(at(i)).starts_with("Error");
        const StateKind kind = rests ? StateKind::Destination : fails ? StateKind::Error : StateKind::Transition;
        EXPECT_EQ(kind_of(at(i)), kind) << to_string(at(i));
        EXPECT_EQ(is_error(at(i)), fails) << to_string(at(i));
    }
}

TEST(FeatureState, what_can_be_asked_for_is_a_destination_and_has_its_name) {
    // F-01
    const std::vector<std::pair<Destination, FeatureState>> all = {
        {Destination::Terminal, Terminal},   {Destination::StatusKnown, StatusKnown},
        {Destination::Installed, Installed}, {Destination::Registered, Registered},
        {Destination::Loaded, Loaded},       {Destination::Active, Active}};
    for (const auto& [destination, state] : all) {
        EXPECT_EQ(state_of(destination), state);
        EXPECT_EQ(kind_of(state), StateKind::Destination);
        EXPECT_EQ(to_string(destination), to_string(state));
    }
}

TEST(FeatureState, all_states_have_one_order) {
    // F-02
    const std::vector<std::string_view> order = {"Terminal",
                                                 "UnknownStatus",
                                                 "CheckingStatus",
                                                 "ErrorCheckingStatus",
                                                 "ErrorUnavailable",
                                                 "StatusKnown",
                                                 "ErrorManagingData",
                                                 "Downloading",
                                                 "Releasing",
                                                 "Installed",
                                                 "ErrorMounting",
                                                 "Mounting",
                                                 "Unmounting",
                                                 "ErrorWaitingForDependencies",
                                                 "WaitingForDependencies",
                                                 "ErrorRegistering",
                                                 "Registering",
                                                 "Unregistering",
                                                 "Registered",
                                                 "ErrorLoadingDependencies",
                                                 "LoadingDependencies",
                                                 "ErrorLoading",
                                                 "Loading",
                                                 "Unloading",
                                                 "Loaded",
                                                 "ErrorActivatingDependencies",
                                                 "ActivatingDependencies",
                                                 "DeactivatingDependencies",
                                                 "ErrorActivating",
                                                 "Activating",
                                                 "Deactivating",
                                                 "Active"};
    ASSERT_EQ(order.size(), kFeatureStates);
    const ValueType& type = value_type<FeatureState>();
    ASSERT_EQ(type.values.size(), kFeatureStates);
    std::vector<FeatureState> states;
    for (const std::string_view name : order) {
        FeatureState state{};
        ASSERT_TRUE(type.parse(name, &state)) << name;
        EXPECT_EQ(to_string(state), name);
        states.push_back(state);
    }
    for (std::size_t a = 0; a < states.size(); ++a)
        for (std::size_t b = 0; b < states.size(); ++b) {
            EXPECT_EQ(states[a] < states[b], a < b) << order[a] << " " << order[b];
            EXPECT_EQ(states[a] == states[b], a == b) << order[a] << " " << order[b];
        }
}

TEST(FeatureState, the_way_up_goes_through_every_step_once) {
    // F-03
    std::vector<FeatureState> way = {UnknownStatus};
    while (way.back() != Active && way.size() < kFeatureStates) way.push_back(next_up(way.back()));
    EXPECT_EQ(way, (std::vector{UnknownStatus, CheckingStatus, StatusKnown, Installed, Mounting, WaitingForDependencies,
                                Registering, Registered, LoadingDependencies, Loading, Loaded, ActivatingDependencies,
                                Activating, Active}));
    EXPECT_EQ(next_up(Active), Active);
    EXPECT_EQ(next_up(Terminal), Terminal);
    EXPECT_EQ(next_up(Downloading), Installed);
}

TEST(FeatureState, the_way_down_goes_through_every_step_once) {
    // F-04
    std::vector<FeatureState> way = {Active};
    while (way.back() != Terminal && way.size() < kFeatureStates) way.push_back(next_down(way.back()));
    EXPECT_EQ(way, (std::vector{Active, Deactivating, DeactivatingDependencies, Loaded, Unloading, Registered,
                                Unregistering, Unmounting, Installed, StatusKnown, Terminal}));
    EXPECT_EQ(next_down(Terminal), Terminal);
    EXPECT_EQ(next_down(UnknownStatus), Terminal);
    EXPECT_EQ(next_down(Releasing), StatusKnown);
}

TEST(FeatureState, a_transition_up_that_fails_rests_in_its_error_and_one_down_where_it_is) {
    // F-05
    const std::map<FeatureState, FeatureState> errors = {{CheckingStatus, ErrorCheckingStatus},
                                                         {Downloading, ErrorManagingData},
                                                         {Mounting, ErrorMounting},
                                                         {WaitingForDependencies, ErrorWaitingForDependencies},
                                                         {Registering, ErrorRegistering},
                                                         {LoadingDependencies, ErrorLoadingDependencies},
                                                         {Loading, ErrorLoading},
                                                         {ActivatingDependencies, ErrorActivatingDependencies},
                                                         {Activating, ErrorActivating}};
    for (const auto& [transition, error] : errors) {
        EXPECT_EQ(error_of(transition), error) << to_string(transition);
        EXPECT_EQ(destination_below(transition), destination_below(error)) << to_string(transition);
    }
    for (const FeatureState down :
         {Releasing, Unmounting, Unregistering, Unloading, DeactivatingDependencies, Deactivating})
        EXPECT_EQ(error_of(down), down) << to_string(down);
}

TEST(FeatureState, from_an_error_a_lower_goal_rests_below_and_a_higher_one_starts_there_again) {
    // F-05
    struct Case {
        FeatureState error, below, again;
    };
    const std::vector<Case> cases = {{ErrorCheckingStatus, UnknownStatus, CheckingStatus},
                                     {ErrorUnavailable, UnknownStatus, CheckingStatus},
                                     {ErrorManagingData, StatusKnown, Installed},
                                     {ErrorMounting, Installed, Mounting},
                                     {ErrorWaitingForDependencies, Installed, Mounting},
                                     {ErrorRegistering, Installed, Mounting},
                                     {ErrorLoadingDependencies, Registered, LoadingDependencies},
                                     {ErrorLoading, Registered, LoadingDependencies},
                                     {ErrorActivatingDependencies, Loaded, ActivatingDependencies},
                                     {ErrorActivating, Loaded, ActivatingDependencies}};
    std::size_t errors = 0;
    for (std::size_t i = 0; i < kFeatureStates; ++i) errors += is_error(at(i)) ? 1 : 0;
    ASSERT_EQ(errors, cases.size());
    for (const Case& c : cases) {
        EXPECT_EQ(destination_below(c.error), c.below) << to_string(c.error);
        EXPECT_EQ(next_up(c.below), c.again) << to_string(c.error);
        EXPECT_LT(c.below, c.error);
    }
}

TEST(FeatureState, a_range_of_goals_contains_what_lies_between) {
    // F-07
    const GoalRange load{Destination::Loaded, Destination::Active};
    EXPECT_TRUE(load.contains(Loaded));
    EXPECT_TRUE(load.contains(Activating));
    EXPECT_TRUE(load.contains(Active));
    EXPECT_FALSE(load.contains(Loading));
    EXPECT_TRUE(GoalRange::at_most(Destination::Installed).contains(Terminal));
    EXPECT_FALSE(GoalRange::at_most(Destination::Installed).contains(ErrorMounting));
    EXPECT_EQ(load.common(GoalRange::exactly(Destination::Active)), GoalRange::exactly(Destination::Active));
    EXPECT_TRUE(load.common(GoalRange::at_most(Destination::Installed)).is_empty());
}

TEST(Side, standalone_and_listen_server_have_both_sides) {
    // F-62
    struct Case {
        NetMode mode;
        bool client, server;
    };
    for (const Case& c : {Case{NetMode::Standalone, true, true}, Case{NetMode::DedicatedServer, false, true},
                          Case{NetMode::ListenServer, true, true}, Case{NetMode::Client, true, false}}) {
        EXPECT_TRUE(counts_for(Side::Both, c.mode));
        EXPECT_EQ(counts_for(Side::Client, c.mode), c.client) << to_string(c.mode);
        EXPECT_EQ(counts_for(Side::Server, c.mode), c.server) << to_string(c.mode);
        EXPECT_EQ(Roles::of(c.mode), (Roles{c.client, c.server})) << to_string(c.mode);
    }
    EXPECT_EQ(to_string(Side::Both), "both");
    EXPECT_EQ(to_string(Side::Client), "client");
    EXPECT_EQ(to_string(Side::Server), "server");
}

}  // namespace feature_state_test
}  // namespace lyre::features
