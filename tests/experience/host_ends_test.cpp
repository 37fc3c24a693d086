// The end of a world, and a clear, in every state and with anything pending, however what was pending comes out.
#include <set>

#include "tests/experience/playhouse.h"

namespace lyre::experience {
namespace host_ends_test {

// What may be pending when the world ends.
enum class Pending {
    Nothing,
    Definition,
    Set,
    Bundle,
    Asset,
    Feature,
    Delay,
    World,
    Pauser,
    Retry,
    Final,
    FailedPauser
};
constexpr int kPendings = 12;
// What becomes of it then.
enum class Comes { Late, Wrong, Twice, Cancelled };
constexpr int kComes = 4;

std::string file_of(Pending pending) {
    switch (pending) {
        case Pending::Definition:
            return "tag.experience";
        case Pending::Set:
            return "set.action_set";
        case Pending::Bundle:
            return "b.thing";
        case Pending::Asset:
            return "a.thing";
        case Pending::Feature:
            return "g.thing";
        default:
            return "";
    }
}

std::shared_ptr<FaultPlan> everything_twice() {
    std::vector<FaultRule> rules;
    for (std::size_t s = 0; s < kFaultStages; ++s) {
        FaultRule one;
        one.stage = static_cast<FaultStage>(s);
        one.effect = FaultEffect::Twice;
        if (can_happen(one.stage, one.effect)) rules.push_back(one);
    }
    return std::make_shared<FaultPlan>(FaultPlanDef{std::move(rules)}, 1);
}

void furnish(Playhouse& house, Pending pending) {
    for (const char* name : {"a", "b", "c", "f", "g"}) house.thing(name);
    house.feature("base", note("base", "asset = \"f\""));
    house.feature("ball", features::needs("base") + note("ball", "asset = \"g\""));
    house.action_set("set", note("s", "asset = \"b\""));
    const bool fails = pending >= Pending::Retry;
    house.experience(
        "tag", "features = [\"ball\"]\naction_sets = [\"set\"]\nassets = [\"thing:a\", \"thing:c\"]\n" + note("x") +
                   note("y", pending == Pending::Pauser || pending == Pending::FailedPauser ? "pauses = true" : "") +
                   (fails ? note("z", "fails = \"activating\"") : "") +
                   (pending == Pending::Retry ? "[failure]\npolicy = \"retry\"\ndelay_secs = 100\n" : ""));
}

std::string lines_of(std::string_view part) {
    std::string found;
    for (const std::string& line : story().lines)
        if (line.find(part) != std::string::npos) found += line + " ";
    return found;
}

void end_at(int steps, Pending pending, Comes comes, bool by_clear, std::set<LoadState>& seen) {
    Playhouse house(comes == Comes::Twice ? everything_twice() : nullptr);
    furnish(house, pending);
    const std::string held = file_of(pending);
    if (!held.empty()) house.inner.executor.hold(held);
    if (pending == Pending::Delay) {
        EXPECT_TRUE(house.runtime()
                        .variables()
                        .set("lyre.chaos.ExperienceDelayLoad.MinSecs", "5", {VariableSource::CommandLine, "test"})
                        .is_ok());
    }
    if (pending == Pending::World) house.experience("tag", note("x"));  // it waits where actions are to run
    Stage& stage = house.stage("arena", NetMode::Standalone, pending != Pending::World);
    int after_the_end = 0;
    bool has_ended = false;
    const auto count = [&](const auto&...) { after_the_end += has_ended ? 1 : 0; };
    CallbackHandle loaded =
        stage.host().call_or_register_on_experience_loaded(Priority::High, {}, count, Repeat::EachLoad);
    CallbackHandle failed = stage.host().call_or_register_on_experience_failed({}, count);
    CallbackHandle play = stage.host().call_when_play_may_start(Priority::Low, {}, count, Repeat::EachLoad);
    int answers = 0;
    WaitHandle wait = stage.host().wait_for_experience_ready([&](const ReadyResult&) { ++answers; });
    if (steps == 0) seen.insert(stage.host().state());
    auto ticket = stage.host().set_experience("tag");
    ASSERT_TRUE(ticket.is_ok());
    int ended = 0;
    CallbackHandle on_end = ticket->on_end({}, [&](const SetOutcome&) { ++ended; });
    for (int i = 0; i < steps; ++i) house.frame();
    if (pending == Pending::Pauser && stage.host().is_experience_loaded()) {
        EXPECT_TRUE(stage.host().clear_experience("").is_ok());
    }
    const auto come_out = [&] {
        if (held.empty()) return;
        if (comes == Comes::Wrong)
            house.inner.files.write("content/" + held + ".toml", "nonsense = \"that nobody reads\"\n");
        house.inner.executor.release(held);
    };
    if (comes == Comes::Cancelled)
        for (const assets::AssetHoldInfo& hold : house.assets().holds_of(stage.world().owner()))
            house.assets().release_hold(hold.registered);
    if (by_clear) {
        seen.insert(stage.host().state());
        EXPECT_TRUE(stage.host().clear_experience("").is_ok());
        story().lines.clear();
        come_out();
        house.settle(5);
        story().tokens.clear();
        house.frames(8, 0.5);
        EXPECT_EQ(stage.host().state(), LoadState::Unloaded);
        EXPECT_EQ(lines_of("activating").find(".activating"), std::string::npos) << lines_of("activating");
        EXPECT_EQ(house.held(), "");
    } else {
        seen.insert(stage.host().state());
    }
    has_ended = true;
    stage.end();
    EXPECT_EQ(answers, 1);
    EXPECT_EQ(ended, 1);
    EXPECT_FALSE(ticket->is_open());
    story().lines.clear();
    if (!by_clear) come_out();
    house.settle(5);
    story().tokens.clear();
    house.settle(3);
    EXPECT_EQ(lines_of("(arena)"), "");
    EXPECT_EQ(lines_of(".registering") + lines_of(".loading"), "");
    EXPECT_EQ(house.held(), "");
    EXPECT_EQ(after_the_end, 0);
}

TEST(HostEnds, a_world_may_end_or_be_cleared_in_any_state_with_anything_pending_however_that_comes_out) {
    // E-76, E-78, E-25, E-99
    for (const bool by_clear : {false, true}) {
        std::set<LoadState> seen;
        for (int pending = 0; pending < kPendings; ++pending)
            for (int comes = 0; comes < kComes; ++comes)
                for (int steps = 0; steps < 12; ++steps) {
                    SCOPED_TRACE(fmt::format("pending {} comes {} steps {} clear {}", pending, comes, steps, by_clear));
                    end_at(steps, static_cast<Pending>(pending), static_cast<Comes>(comes), by_clear, seen);
                    if (testing::Test::HasFailure()) return;
                }
        EXPECT_EQ(seen.size(), kLoadStates) << "not in every state";
    }
}

// ---- two worlds, in every order

// What worlds and the rest of the process do, one thing at a time.
enum Deed : char { SetOne = 'a', LeaveOne = 'A', SetTwo = 'b', LeaveTwo = 'B', Frame = '.', Arrive = '*' };

class TwoWorlds {
public:
    TwoWorlds() {
        house_.thing("slow");
        house_.feature("shared", note("s", "asset = \"slow\""));
        house_.feature("mine", note("m"));
        house_.experience("one", "features = [\"shared\", \"mine\"]\n" + note("x"));
        house_.experience("two", "features = [\"shared\"]\n" + note("x") + note("y", "pauses = true"));
    }
    // Every deed is one step; what is held arrives at one of them, and those who pause are done at the next one.
    void play(const std::string& deeds, bool ends) {
        stages_[0] = &house_.stage("one");
        stages_[1] = &house_.stage("two");
        house_.inner.executor.hold("slow");
        for (const char deed : deeds) {
            switch (deed) {
                case SetOne:
                case SetTwo: {
                    const int w = deed == SetOne ? 0 : 1;
                    ASSERT_TRUE(stages_[w]->host().set_experience(w == 0 ? "one" : "two").is_ok());
                    break;
                }
                case LeaveOne:
                case LeaveTwo: {
                    Stage& stage = *stages_[deed == LeaveOne ? 0 : 1];
                    if (ends)
                        stage.end();
                    else {
                        EXPECT_TRUE(stage.host().clear_experience("").is_ok());
                    }
                    break;
                }
                case Arrive:
                    house_.inner.executor.release("slow");
                    break;
                default:
                    story().tokens.clear();
                    house_.frame();
            }
            look();
        }
        for (int i = 0; i < 8; ++i) {
            story().tokens.clear();
            house_.frame();
            look();
        }
        look_at_hooks();
        EXPECT_EQ(house_.held(), "");
        for (Stage* stage : stages_) stage->end();
        house_.frames(2);
        house_.stages.clear();
        story().lines.clear();
    }

private:
    // Loaded is true only of a world in which all of it is, whatever the other does.
    void look() {
        for (int w = 0; w < 2; ++w) {
            if (!stages_[w]->has_host() || !stages_[w]->host().is_experience_loaded()) continue;
            EXPECT_TRUE(house_.features().is_attached(Name("shared"), stages_[w]->world()));
            EXPECT_EQ(house_.features().is_attached(Name("mine"), stages_[w]->world()), w == 0);
            EXPECT_EQ(house_.features().state(Name("shared")), features::FeatureState::Active);
        }
    }
    // Each action comes and goes in turn, for the process and for each world, and only where it is wanted.
    void look_at_hooks() {
        std::map<std::string, int> up;
        for (const std::string& line : story().lines) {
            const std::size_t dot = line.rfind('.');
            const std::string who = line.substr(0, dot), hook = line.substr(dot + 1);
            const std::size_t world = hook.find('(');
            const std::string where = world == std::string::npos ? "" : hook.substr(world);
            const std::string_view list = std::string_view(who).substr(0, 3);
            const char* only = list == "one" || who == "mine.m" ? "(one)" : list == "two" ? "(two)" : "";
            EXPECT_TRUE(where.empty() || *only == 0 || where == only) << line;
            const std::string action = who.substr(who.find('.') + 1) + where;  // x of both is one for the process
            const std::string step = hook.substr(0, world);
            int& count = up[action];
            const bool comes = step == "registering" || step == "activating";
            const bool goes = step == "unregistering" || step == "deactivating";
            EXPECT_EQ(count, comes ? 0 : 1) << line;
            count += comes ? 1 : goes ? -1 : 0;
        }
        for (const auto& [action, count] : up) EXPECT_EQ(count, 0) << action;
    }

    Playhouse house_;
    Stage* stages_[2] = {};
};

TEST(HostEnds, two_worlds_that_share_features_do_not_disturb_each_other_in_any_interleaving_of_steps) {
    // E-84, E-89, E-51, E-76, X-35
    std::string deeds{SetOne, LeaveOne, SetTwo, LeaveTwo, Frame, Frame, Frame, Arrive};
    std::sort(deeds.begin(), deeds.end());
    int played = 0;
    for (const bool ends : {false, true}) {
        TwoWorlds worlds;
        do {
            if (deeds.find(SetOne) > deeds.find(LeaveOne) || deeds.find(SetTwo) > deeds.find(LeaveTwo)) continue;
            SCOPED_TRACE(deeds);
            worlds.play(deeds, ends);
            ++played;
            if (testing::Test::HasFailure()) return;
        } while (std::next_permutation(deeds.begin(), deeds.end()));
    }
    EXPECT_EQ(played, 2 * 1680);
}

}  // namespace host_ends_test
}  // namespace lyre::experience
