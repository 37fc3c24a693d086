#include "lyre/features/state_machine.h"

#include <gtest/gtest.h>
#include <map>

namespace lyre::features {
namespace state_machine_test {

// A machine whose transitions do what a test says, and write down that they ran.
struct Climber final : StateMachine::Driver {
    VirtualClock clock;
    StateMachine machine{Name("tag"), *this, clock};
    std::map<FeatureState, std::function<Step(bool)>> does;  // others are done at once
    std::vector<std::string> log, undone;
    std::vector<FeatureError> errors;
    double limit = 0;
    std::map<FeatureState, int> runs;

    Step run(FeatureState transition, bool is_first) override {
        ++runs[transition];
        const auto found = does.find(transition);
        return found == does.end() ? Step::done() : found->second(is_first);
    }
    void undo(FeatureState transition) override { undone.emplace_back(to_string(transition)); }
    void changed(FeatureState, FeatureState now) override { log.emplace_back(to_string(now)); }
    void failed(const FeatureError& error) override { errors.push_back(error); }
    double step_seconds() const override { return limit; }

    FeatureCallback told(std::string name) {
        return [this, name](const FeatureResult& result) {
            answers.push_back(name + (result.is_ok() ? " ok" : fmt::format(" {}", to_string(result.error->code))));
        };
    }
    bool ask(GoalRange goal, std::string name = "asked") { return machine.set_goal(goal, told(std::move(name))); }
    bool go(Destination destination, std::string name = "asked") {
        return ask(GoalRange::exactly(destination), std::move(name));
    }
    std::vector<std::string> answers;
    std::string path() {
        std::string text;
        for (const std::string& state : log) text += (text.empty() ? "" : " ") + state;
        log.clear();
        return text;
    }
    FeatureError error(ErrorCode code = ErrorCode::ActionFailed) {
        FeatureError made;
        made.code = code;
        made.text = "on purpose";
        return made;
    }
};

constexpr Destination kRests[] = {Destination::Installed, Destination::Registered, Destination::Loaded,
                                  Destination::Active};

TEST(StateMachine, a_new_one_does_nothing) {
    // F-06
    Climber climber;
    climber.machine.update();
    EXPECT_EQ(climber.machine.state(), FeatureState::UnknownStatus);
    EXPECT_TRUE(climber.machine.is_at_rest());
    EXPECT_EQ(climber.path(), "");
}

TEST(StateMachine, goes_up_and_down_by_the_states_of_the_picture) {
    // F-03, F-04
    Climber climber;
    EXPECT_TRUE(climber.go(Destination::Active));
    EXPECT_EQ(climber.path(),
              "CheckingStatus StatusKnown Installed Mounting WaitingForDependencies Registering Registered "
              "LoadingDependencies Loading Loaded ActivatingDependencies Activating Active");
    EXPECT_TRUE(climber.go(Destination::Terminal));
    EXPECT_EQ(climber.path(),
              "Deactivating DeactivatingDependencies Loaded Unloading Registered Unregistering Unmounting Installed "
              "StatusKnown Terminal");
    EXPECT_EQ(climber.answers, (std::vector<std::string>{"asked ok", "asked ok"}));
    EXPECT_FALSE(climber.go(Destination::Active));  // Terminal is not left
}

TEST(StateMachine, moves_exactly_while_its_state_is_outside_of_the_goal) {
    // F-07, F-08, F-09
    for (Destination at : kRests)
        for (Destination min : kRests)
            for (Destination max : kRests) {
                Climber climber;
                climber.go(at);
                climber.path();
                climber.answers.clear();
                const bool is_empty = min > max;
                EXPECT_EQ(climber.ask({min, max}), !is_empty);
                if (is_empty) continue;
                const Destination expected = at < min ? min : at > max ? max : at;
                EXPECT_EQ(climber.machine.state(), state_of(expected));
                EXPECT_EQ(climber.answers.size(), 1u);
                EXPECT_EQ(climber.path().empty(), expected == at);
            }
}

TEST(StateMachine, two_goals_that_have_something_in_common_are_one_climb) {
    // F-10, F-12
    Climber climber;
    climber.does[FeatureState::Mounting] = [](bool is_first) {
        return is_first ? Step::next_update("a disk") : Step::done();
    };
    climber.ask(GoalRange::at_least(Destination::Loaded), "load");
    climber.go(Destination::Active, "activate");
    EXPECT_TRUE(climber.answers.empty());
    climber.machine.update();
    EXPECT_EQ(climber.answers, (std::vector<std::string>{"load ok", "activate ok"}));
    EXPECT_EQ(climber.runs[FeatureState::Loading], 1);
    climber.answers.clear();
    climber.does[FeatureState::Deactivating] = climber.does[FeatureState::Mounting];
    climber.ask(GoalRange::at_most(Destination::Loaded), "deactivate");
    climber.ask(GoalRange::at_least(Destination::Loaded), "load");  // it is above Loaded: there already
    EXPECT_EQ(climber.answers, (std::vector<std::string>{"load ok"}));
    climber.machine.update();
    EXPECT_EQ(climber.machine.state(), FeatureState::Loaded);
}

TEST(StateMachine, what_is_posted_inside_a_step_has_room_and_no_more) {
    // F-16
    Climber climber;
    std::size_t taken = 0, done = 0;
    bool is_last_taken = true;
    climber.does[FeatureState::CheckingStatus] = [&](bool) {
        for (std::size_t i = 0; i < StateMachine::kMaxPosted; ++i) taken += climber.machine.post([&] { ++done; });
        is_last_taken = climber.machine.post([&] { ++done; });
        return Step::done();
    };
    EXPECT_TRUE(climber.go(Destination::StatusKnown));
    EXPECT_FALSE(is_last_taken);
    EXPECT_EQ(taken, StateMachine::kMaxPosted);
    EXPECT_EQ(done, StateMachine::kMaxPosted);
    EXPECT_TRUE(climber.machine.post([&] { done = 1; }));
    EXPECT_EQ(done, 1u);
}

TEST(StateMachine, a_goal_without_anything_in_common_is_refused_while_it_moves) {
    // F-11
    Climber climber;
    climber.does[FeatureState::Activating] = [](bool) { return Step::on_wake("the sun"); };
    climber.go(Destination::Active);
    EXPECT_FALSE(climber.ask(GoalRange::at_most(Destination::Loaded)));
    EXPECT_FALSE(climber.ask({Destination::Active, Destination::Loaded}));
    EXPECT_EQ(climber.machine.state(), FeatureState::Activating);
    EXPECT_TRUE(climber.answers.empty());
}

TEST(StateMachine, a_climb_that_is_to_end_lower_goes_on_for_who_wants_no_more_than_that) {
    // F-11, F-13, F-14
    for (const FeatureState step : {FeatureState::Mounting, FeatureState::Loading, FeatureState::Activating}) {
        SCOPED_TRACE(to_string(step));
        Climber climber;
        climber.does[step] = [](bool is_first) { return is_first ? Step::on_wake("the sun") : Step::done(); };
        climber.ask(GoalRange::at_least(Destination::Active), "active");
        climber.ask(GoalRange::at_least(Destination::Loaded), "loaded");
        climber.answers.clear();
        EXPECT_FALSE(climber.machine.lower_goal(GoalRange::at_least(Destination::Active), climber.told("no lower")));
        EXPECT_TRUE(climber.machine.lower_goal(GoalRange::exactly(Destination::Loaded), climber.told("lower")));
        const bool is_beyond = step == FeatureState::Activating;
        EXPECT_EQ(climber.undone, is_beyond ? std::vector<std::string>{"Activating"} : std::vector<std::string>{});
        climber.machine.wake();
        climber.machine.update();
        EXPECT_EQ(climber.machine.state(), FeatureState::Loaded);
        EXPECT_TRUE(climber.machine.is_at_rest());
        EXPECT_EQ(climber.answers.front(), "active Cancelled");
        EXPECT_EQ(climber.answers.back(), "lower ok");
        EXPECT_EQ(climber.answers.size(), is_beyond ? 2u : 3u);  // who wanted it Loaded has been told before
        EXPECT_EQ(climber.runs[FeatureState::Loading], step == FeatureState::Loading ? 2 : 1);
        climber.answers.clear();
        EXPECT_TRUE(climber.go(Destination::Active, "again"));
        climber.machine.wake();
        climber.machine.update();
        EXPECT_EQ(climber.answers, std::vector<std::string>{"again ok"});
        EXPECT_FALSE(climber.machine.lower_goal(GoalRange::at_most(Destination::Loaded), {})) << "it climbs no more";
    }
}

TEST(StateMachine, an_error_reaches_everybody_who_waits_and_can_be_left_in_both_directions) {
    // F-05, F-13, F-79
    const struct {
        FeatureState transition, rests, below;
    } kErrors[] = {
        {FeatureState::CheckingStatus, FeatureState::ErrorCheckingStatus, FeatureState::UnknownStatus},
        {FeatureState::Mounting, FeatureState::ErrorMounting, FeatureState::Installed},
        {FeatureState::WaitingForDependencies, FeatureState::ErrorWaitingForDependencies, FeatureState::Installed},
        {FeatureState::Registering, FeatureState::ErrorRegistering, FeatureState::Installed},
        {FeatureState::LoadingDependencies, FeatureState::ErrorLoadingDependencies, FeatureState::Registered},
        {FeatureState::Loading, FeatureState::ErrorLoading, FeatureState::Registered},
        {FeatureState::ActivatingDependencies, FeatureState::ErrorActivatingDependencies, FeatureState::Loaded},
        {FeatureState::Activating, FeatureState::ErrorActivating, FeatureState::Loaded},
    };
    for (const auto& [transition, rests, below] : kErrors) {
        Climber climber;
        int left = 2;
        bool is_first_run = true;
        climber.does[transition] = [&](bool) {
            if (std::exchange(is_first_run, false)) return Step::next_update("a test");
            return left-- > 0 ? Step::failed(climber.error()) : Step::done();
        };
        climber.go(Destination::Active, "activate");
        climber.ask(GoalRange::at_least(Destination::Loaded), "load");
        climber.ask(GoalRange::at_least(Destination::Registered), "register");
        const std::vector<std::string> passed = std::exchange(climber.answers, {});
        climber.machine.update();
        EXPECT_EQ(climber.machine.state(), rests) << to_string(transition);
        std::vector<std::string> failed{"activate ActionFailed"};  // and whoever else has not been answered
        if (below < FeatureState::Loaded) failed.emplace_back("load ActionFailed");
        if (below < FeatureState::Registered) failed.emplace_back("register ActionFailed");
        EXPECT_EQ(climber.answers, failed) << to_string(transition);
        EXPECT_EQ(passed.size(), 3 - failed.size());
        EXPECT_EQ(climber.undone, std::vector<std::string>{std::string(to_string(transition))});
        EXPECT_TRUE(climber.machine.is_at_rest());
        ASSERT_EQ(climber.errors.size(), 1u);
        EXPECT_EQ(climber.errors[0].state, rests);
        climber.machine.update();  // nobody asks: nothing moves
        EXPECT_EQ(climber.machine.state(), rests);
        climber.go(Destination::Active);  // fails again
        EXPECT_EQ(climber.machine.state(), rests);
        if (below >= FeatureState::Installed) {
            climber.path();
            EXPECT_TRUE(climber.ask(GoalRange::at_most(Destination::Installed)));
            EXPECT_EQ(climber.machine.state(), FeatureState::Installed);
            EXPECT_EQ(climber.log.empty() ? "" : climber.log.front(), to_string(below));
        }
        climber.go(Destination::Active);  // and goes well
        EXPECT_EQ(climber.machine.state(), FeatureState::Active) << to_string(transition);
    }
}

TEST(StateMachine, a_missing_manifest_is_unavailable) {
    // F-19
    Climber climber;
    climber.does[FeatureState::CheckingStatus] = [&](bool) {
        return Step::failed(climber.error(ErrorCode::ManifestMissing));
    };
    climber.go(Destination::Installed);
    EXPECT_EQ(climber.machine.state(), FeatureState::ErrorUnavailable);
}

TEST(StateMachine, a_refusal_on_the_way_down_leaves_it_where_it_was) {
    // F-79
    Climber climber;
    climber.go(Destination::Active);
    climber.does[FeatureState::Unregistering] = [&](bool) {
        return Step::refused(climber.error(ErrorCode::InstancesAlive));
    };
    climber.answers.clear();
    climber.go(Destination::Installed, "unload");
    EXPECT_EQ(climber.machine.state(), FeatureState::Registered);
    EXPECT_EQ(climber.answers, std::vector<std::string>{"unload InstancesAlive"});
    EXPECT_TRUE(climber.undone.empty());
    climber.does.clear();
    climber.go(Destination::Installed, "unload");
    EXPECT_EQ(climber.answers.back(), "unload ok");
}

TEST(StateMachine, cancelling_takes_effect_at_the_next_destination) {
    // F-14, F-15
    Climber climber;
    climber.machine.cancel(climber.told("idle"));
    EXPECT_EQ(climber.answers, std::vector<std::string>{"idle ok"});
    climber.answers.clear();
    climber.does[FeatureState::Loading] = [](bool) { return Step::on_wake("an asset"); };
    climber.go(Destination::Active, "activate");
    climber.machine.cancel(climber.told("cancel"));
    EXPECT_EQ(climber.machine.state(), FeatureState::Registered);  // what only waits is undone at once
    EXPECT_EQ(climber.undone, std::vector<std::string>{"Loading"});
    EXPECT_EQ(climber.answers, (std::vector<std::string>{"activate Cancelled", "cancel ok"}));
    EXPECT_TRUE(climber.errors.empty());

    Climber down;  // on the way down the step is let finish
    down.go(Destination::Active);
    down.does[FeatureState::Deactivating] = [](bool is_first) {
        return is_first ? Step::on_wake("a pauser") : Step::done();
    };
    down.answers.clear();
    down.go(Destination::Installed, "unload");
    down.machine.cancel(down.told("cancel"));
    EXPECT_TRUE(down.answers.empty());
    EXPECT_EQ(down.machine.state(), FeatureState::Deactivating);
    down.machine.wake();
    down.machine.update();
    EXPECT_EQ(down.machine.state(), FeatureState::Loaded);
    EXPECT_EQ(down.answers, (std::vector<std::string>{"unload Cancelled", "cancel ok"}));
}

TEST(StateMachine, what_is_asked_for_inside_a_step_is_done_when_it_is_over) {
    // F-16
    Climber climber;
    bool was_inside = false;
    climber.does[FeatureState::Registering] = [&](bool) {
        climber.machine.post([&] {
            was_inside = climber.machine.is_inside_step();
            climber.ask(GoalRange::at_least(Destination::Loaded), "posted");
        });
        return Step::done();
    };
    climber.go(Destination::Registered);
    EXPECT_FALSE(was_inside);
    climber.machine.update();
    EXPECT_EQ(climber.machine.state(), FeatureState::Loaded);
    EXPECT_EQ(climber.answers, (std::vector<std::string>{"asked ok", "posted ok"}));
}

TEST(StateMachine, a_request_from_inside_an_answer_is_not_lost) {
    // F-16, F-12
    Climber climber;
    climber.machine.set_goal(GoalRange::exactly(Destination::Installed), [&](const FeatureResult&) {
        climber.machine.post([&] { climber.go(Destination::Active, "from the answer"); });
    });
    climber.machine.update();
    EXPECT_EQ(climber.machine.state(), FeatureState::Active);
    EXPECT_EQ(climber.answers, std::vector<std::string>{"from the answer ok"});
}

TEST(StateMachine, a_step_that_leads_nowhere_is_stopped) {
    // F-17
    Climber climber;
    climber.does[FeatureState::Loading] = [](bool) { return Step::again(); };
    climber.go(Destination::Active);
    EXPECT_EQ(climber.machine.state(), FeatureState::ErrorLoading);
    EXPECT_EQ(climber.answers, std::vector<std::string>{"asked StateLoop"});
    EXPECT_LE(climber.runs[FeatureState::Loading], static_cast<int>(StateMachine::kMaxTransitions) + 1);
}

TEST(StateMachine, two_who_send_it_up_and_down_without_end_are_stopped_within_an_update) {
    // F-17
    Climber climber;
    bool is_up = false;
    std::function<void()> swing = [&] {
        is_up = !is_up;
        climber.machine.set_goal(GoalRange::exactly(is_up ? Destination::Active : Destination::Installed),
                                 [&](const FeatureResult& result) {
                                     if (result) climber.machine.post(swing);
                                 });
    };
    climber.machine.post(swing);
    climber.machine.update();
    ASSERT_FALSE(climber.errors.empty());
    EXPECT_EQ(climber.errors.back().code, ErrorCode::StateLoop);
    EXPECT_TRUE(climber.machine.is_at_rest());
}

TEST(StateMachine, who_asks_again_whenever_it_fails_waits_for_the_next_update_and_no_step_is_cut) {
    // F-17, F-79
    for (const FeatureState fails :
         {FeatureState::Registering, FeatureState::Loading, FeatureState::Activating, FeatureState::Unregistering}) {
        Climber climber;
        climber.does[fails] = [&](bool) { return Step::failed(climber.error()); };
        const bool is_down = fails == FeatureState::Unregistering;
        if (is_down) climber.go(Destination::Active);
        constexpr std::size_t kEnough = 3 * StateMachine::kMaxTransitions;
        std::size_t tries = 0;
        std::function<void()> ask = [&] {
            ++tries;
            climber.machine.set_goal(GoalRange::exactly(is_down ? Destination::Installed : Destination::Active),
                                     [&](const FeatureResult& result) {
                                         if (!result && tries < kEnough) climber.machine.post(ask);
                                     });
        };
        climber.machine.post(ask);
        for (int i = 0; i < 3; ++i) {
            EXPECT_LE(tries, StateMachine::kMaxTransitions + 2) << to_string(fails);
            EXPECT_FALSE(climber.machine.is_at_rest());  // it waits
            ASSERT_FALSE(climber.errors.empty());
            EXPECT_EQ(climber.errors.back().code, ErrorCode::StateLoop) << to_string(fails);
            EXPECT_EQ(climber.runs[fails], static_cast<int>(climber.errors.size()) - 1);  // but for the loop itself
            EXPECT_EQ(climber.undone.size(), is_down ? 0 : climber.errors.size() - 1);
            EXPECT_EQ(climber.machine.state(), is_down ? FeatureState::Registered : error_of(fails));
            climber.errors.clear();
            climber.undone.clear();
            climber.runs.clear();
            tries = 0;
            climber.machine.update();
        }
        climber.does.clear();
        climber.machine.update();
        EXPECT_TRUE(climber.machine.is_at_rest());
        EXPECT_EQ(climber.machine.state(), is_down ? FeatureState::Installed : FeatureState::Active);
    }
}

TEST(StateMachine, two_who_cancel_each_other_without_end_are_stopped_within_an_update) {
    // F-17, F-14
    Climber climber;
    std::size_t tries = 0;
    std::function<void(Destination)> ask = [&](Destination to) {
        if (++tries > 5 * StateMachine::kMaxTransitions) return;
        const auto again = [&, to](const FeatureResult& result) {
            if (!result) climber.machine.post([&, to] { ask(to); });
        };
        if (climber.machine.set_goal(GoalRange::exactly(to), again)) return;
        climber.machine.cancel([&, to](const FeatureResult&) { climber.machine.post([&, to] { ask(to); }); });
    };
    climber.does[FeatureState::CheckingStatus] = [&](bool) {
        for (const Destination to : {Destination::Active, Destination::StatusKnown})
            climber.machine.post([&, to] { ask(to); });
        return Step::done();
    };
    climber.go(Destination::Installed);
    EXPECT_LE(tries, 2 * StateMachine::kMaxTransitions + 4);
    climber.machine.update();
}

TEST(StateMachine, a_step_is_run_when_it_asked_to_be_and_not_otherwise) {
    // F-50
    Climber climber;
    std::vector<Step> says = {Step::again(), Step::next_update("an update"), Step::after(0.5, "half a second"),
                              Step::on_wake("a handle"), Step::done()};
    std::size_t at = 0;
    climber.does[FeatureState::Loading] = [&](bool) { return says[at++]; };
    climber.go(Destination::Loaded);
    EXPECT_EQ(at, 2u);  // again at once, then it waits
    EXPECT_EQ(climber.machine.waits_for(), "an update");
    climber.machine.run();
    EXPECT_EQ(at, 2u);
    climber.machine.update();
    EXPECT_EQ(at, 3u);
    climber.clock.advance(499'999);
    for (int i = 0; i < 10; ++i) climber.machine.update();
    EXPECT_EQ(at, 3u);
    climber.clock.advance(1);
    climber.machine.update();
    EXPECT_EQ(at, 4u);
    for (int i = 0; i < 10; ++i) climber.machine.update();
    EXPECT_EQ(at, 4u);
    climber.machine.wake();
    climber.machine.update();
    EXPECT_EQ(climber.machine.state(), FeatureState::Loaded);
}

TEST(StateMachine, a_step_has_a_time_limit_and_says_what_it_waited_for) {
    // F-80
    Climber climber;
    climber.limit = 60;
    climber.does[FeatureState::Loading] = [](bool) { return Step::on_wake("map:yard"); };
    climber.go(Destination::Active);
    climber.clock.advance(59'999'999);
    climber.machine.update();
    EXPECT_EQ(climber.machine.state(), FeatureState::Loading);
    climber.clock.advance(1);
    climber.machine.update();
    EXPECT_EQ(climber.machine.state(), FeatureState::ErrorLoading);
    ASSERT_EQ(climber.errors.size(), 1u);
    EXPECT_EQ(climber.errors[0].code, ErrorCode::StepTimeout);
    EXPECT_EQ(climber.errors[0].text, "Loading took longer than 60 s; it waits for map:yard");
    climber.limit = 0;  // none
    climber.go(Destination::Active);
    climber.clock.advance(1'000'000'000'000);
    climber.machine.update();
    EXPECT_EQ(climber.machine.state(), FeatureState::Loading);
}

TEST(StateMachine, a_callback_is_answered_once_whatever_happens_after) {
    // F-12
    Climber climber;
    climber.ask(GoalRange::at_least(Destination::Registered), "registered");
    climber.go(Destination::Active);
    climber.go(Destination::Installed);
    climber.go(Destination::Active);
    EXPECT_EQ(std::count(climber.answers.begin(), climber.answers.end(), "registered ok"), 1);
}

}  // namespace state_machine_test
}  // namespace lyre::features
