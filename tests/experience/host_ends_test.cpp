// The end of a world, and a clear, in every state and with anything pending, however what was pending comes out.
#include <functional>
#include <map>
#include <set>

#include "tests/effort.h"
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
    Preload,
    Feature,
    LateAsset,
    FirstWorld,
    Delay,
    World,
    Hold,
    Pauser,
    FeaturePauser,
    SwitchAsset,
    SwitchPauser,
    Retry,
    Final,
    FailedPauser
};
constexpr int kPendings = 19;
// What becomes of it then.
enum class Comes { Late, Wrong, Twice, Cancelled };
constexpr int kComes = 4;
// What is done to the load: the world ends, it is cleared, or nothing.
enum class Way { End, Clear, GoesOn };
constexpr int kWays = 3;

struct Furniture {
    Pending pending;
    const char* held = "";  // the file that does not come before the end
    LoadState state;        // in which it is pending
    const char* kind = "";  // in the report; none: see is_pending()
    std::string_view id = "";
};

Furniture furniture_of(Pending pending) {
    switch (pending) {
        case Pending::Definition:
            return {pending, "tag.experience", LoadState::Loading, "definition", "experience:tag"};
        case Pending::Set:
            return {pending, "set.action_set", LoadState::Loading, "action set", "action_set:set"};
        case Pending::Bundle:
            return {pending, "b.thing", LoadState::Loading, "asset", "thing:b"};
        case Pending::Asset:
        case Pending::SwitchAsset:
            return {pending, "a.thing", LoadState::Loading, "asset", "thing:a"};
        case Pending::Preload:
            return {pending, "p.thing", LoadState::Loaded};
        case Pending::Feature:
            return {pending, "g.thing", LoadState::LoadingGameFeatures, "feature", "ball"};
        case Pending::LateAsset:
            return {pending, "l.thing", LoadState::LoadingGameFeatures, "asset", "thing:l"};
        case Pending::FirstWorld:
            return {pending, "", LoadState::LoadingGameFeatures, "world", "arena"};
        case Pending::Delay:
            return {pending, "", LoadState::LoadingChaosTestingDelay, "delay", "lyre.chaos.ExperienceDelayLoad"};
        case Pending::World:
            return {pending, "", LoadState::ExecutingActions, "world", "arena"};
        case Pending::Hold:
        case Pending::Nothing:
            return {pending, "", LoadState::Loaded};
        case Pending::FeaturePauser:
            return {pending, "", LoadState::Deactivating, "feature", "ball"};
        case Pending::Pauser:
        case Pending::SwitchPauser:
        case Pending::FailedPauser:
            return {pending, "", LoadState::Deactivating};
        case Pending::Retry:
            return {pending, "", LoadState::Failed, "retry", "experience:tag"};
        case Pending::Final:
            return {pending, "", LoadState::Failed};
    }
    return {};
}

bool is_pending(const Furniture& furniture, Playhouse& house, Host& host) {
    const LoadingReport report = host.explain_loading();
    if (*furniture.kind != 0)
        return std::any_of(report.pending.begin(), report.pending.end(), [&](const PendingItem& item) {
            return item.kind == furniture.kind && item.id == furniture.id;
        });
    switch (furniture.pending) {
        case Pending::Preload:
            return house.assets().state({Name("thing"), Name("p")}) != assets::AssetState::There;
        case Pending::Hold:
            return !report.holds.empty();
        case Pending::Pauser:
        case Pending::SwitchPauser:
        case Pending::FailedPauser:
            return !report.pausers.empty();
        default:
            return true;
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
    static const features::ModuleEntry entry =
        features::linked_entry("foreign", "1.0.0", [](features::Registrar& feature) { feature.type<Foreign>(); });
    const bool is_late = pending == Pending::LateAsset;
    for (const char* name : {"a", "b", "c", "f", "g", "l", "p"}) house.thing(name);
    house.feature("base", note("base", "asset = \"f\""));
    house.feature("ball", features::needs("base") + note("ball", "asset = \"g\"") +
                              (pending == Pending::FeaturePauser ? note("slow", "pauses = true") : ""));
    if (is_late) {
        EXPECT_TRUE(house.inner.modules.add(entry).is_ok());
        house.feature("foreign", "[module]\nname = \"foreign\"\n");
    }
    house.action_set("set", note("s", "asset = \"b\""));
    const bool fails = pending >= Pending::Retry;
    if (pending == Pending::World) {  // it waits where actions are to run
        house.experience("tag", note("x"));
    } else {
        house.experience(
            "tag",
            fmt::format("features = [\"ball\"{}]\n", is_late ? ", \"foreign\"" : "") +
                "action_sets = [\"set\"]\nassets = [\"thing:a\", \"thing:c\"]\npreload = [\"thing:p\"]\n" + note("x") +
                note("y", pending == Pending::Pauser || pending == Pending::FailedPauser ? "pauses = true" : "") +
                (fails ? note("z", "fails = \"activating\"") : "") +
                (is_late ? "[[action]]\nkind = \"foreign\"\nlabel = \"late\"\nasset = \"l\"\n" : "") +
                (pending == Pending::Retry ? "[failure]\npolicy = \"retry\"\nattempts = 2\ndelay_secs = "
                                             "100\n"
                                           : ""));
    }
    house.experience("old", "features = [\"base\"]\nassets = [\"thing:c\"]\n" +
                                note("o", pending == Pending::SwitchPauser ? "pauses = true" : ""));
    if (pending == Pending::Delay) {
        EXPECT_TRUE(house.runtime()
                        .variables()
                        .set("lyre.chaos.ExperienceDelayLoad.MinSecs", "5", {VariableSource::CommandLine, "test"})
                        .is_ok());
    }
}

std::string lines_of(std::string_view part) {
    std::string found;
    for (const std::string& line : story().lines)
        if (line.find(part) != std::string::npos) found += line + " ";
    return found;
}

void frames_without_pausers(Playhouse& house, int count, double seconds = 1.0 / 60) {
    for (int i = 0; i < count; ++i) {
        story().tokens.clear();
        house.frame(seconds);
    }
}

// Where each thing was pending, and in which states each way began.
struct Seen {
    std::set<std::pair<Pending, LoadState>> pending;
    std::set<LoadState> states;
};

void end_at(int steps, Pending pending, Comes comes, Way way, Seen& seen) {
    Playhouse house(comes == Comes::Twice ? everything_twice() : nullptr);
    const Furniture furniture = furniture_of(pending);
    furnish(house, pending);
    const std::string held = furniture.held;
    const bool waits_for_play = pending == Pending::World || pending == Pending::FirstWorld;
    Stage& stage = house.stage("arena", NetMode::Standalone, !waits_for_play);
    if (pending == Pending::SwitchAsset || pending == Pending::SwitchPauser) {
        EXPECT_TRUE(stage.host().set_experience("old").is_ok());
        house.settle(12);
        EXPECT_TRUE(stage.host().is_experience_loaded());
    }
    if (!held.empty()) house.inner.executor.hold(held);
    int after_the_end = 0;
    bool has_ended = false;
    const auto count = [&](const auto&...) { after_the_end += has_ended ? 1 : 0; };
    std::vector<PlayStartHold> holds;
    if (pending == Pending::Hold)
        if (auto hold = stage.host().hold_play_start("hold", 0)) holds.push_back(*std::move(hold));
    int answers = 0;
    SetTicket ticket;
    int ended = 0;
    CallbackHandle on_end;
    if (steps >= 0) {
        auto set = stage.host().set_experience("tag");
        ASSERT_TRUE(set.is_ok());
        ticket = *set;
        on_end = ticket.on_end({}, [&](const SetOutcome&) { ++ended; });
    }
    CallbackHandle loaded =
        stage.host().call_or_register_on_experience_loaded(Priority::High, {}, count, Repeat::EachLoad);
    CallbackHandle failed = stage.host().call_or_register_on_experience_failed({}, count);
    CallbackHandle play = stage.host().call_when_play_may_start(Priority::Low, {}, count, Repeat::EachLoad);
    CallbackHandle wait = stage.host().wait_for_experience_ready([&](const ReadyResult&) { ++answers; });
    for (int i = 0; i < steps; ++i) house.frame();
    const bool is_left = pending == Pending::Pauser || pending == Pending::FeaturePauser;
    if (is_left && stage.host().is_experience_loaded()) {
        EXPECT_TRUE(stage.host().clear_experience("").is_ok());
        house.frame();
    }
    const LoadState state = stage.host().state();
    const bool was_pending = state == furniture.state && is_pending(furniture, house, stage.host());
    seen.states.insert(state);
    if (was_pending) seen.pending.insert({pending, state});
    const auto come_out = [&] {
        if (held.empty()) return;
        if (comes == Comes::Wrong)
            house.inner.files.write("content/" + held + ".toml", "nonsense = \"that nobody reads\"\n");
        house.inner.executor.release(held);
    };
    if (comes == Comes::Cancelled) {
        for (const assets::AssetHoldInfo& hold : house.assets().holds_of(stage.world().owner()))
            house.assets().release_hold(hold.registered);
        if (pending == Pending::Feature) house.features().cancel(Name("ball"));
    }
    if (way == Way::Clear) {
        EXPECT_TRUE(stage.host().clear_experience("").is_ok());
        story().lines.clear();
        come_out();
        house.settle(5);
        frames_without_pausers(house, 8, 0.5);
        EXPECT_EQ(stage.host().state(), LoadState::Unloaded);
        EXPECT_EQ(lines_of("activating").find(".activating"), std::string::npos) << lines_of("activating");
        EXPECT_EQ(house.held(), "");
    } else if (way == Way::GoesOn) {
        come_out();
        house.settle(5);
        holds.clear();
        if (waits_for_play) stage.world().begin_play();
        frames_without_pausers(house, 20);
        if (pending == Pending::Delay) frames_without_pausers(house, 310);  // it is world time
        if (pending == Pending::Retry) {
            frames_without_pausers(house, 2, 101);
            frames_without_pausers(house, 10);
        }
        const LoadState last = stage.host().state();
        const bool is_file = !held.empty() && pending != Pending::Preload;
        const bool must_fail = pending >= Pending::Retry || (was_pending && is_file && comes == Comes::Wrong) ||
                               (was_pending && is_file && pending != Pending::Feature && comes == Comes::Cancelled);
        const bool must_load = pending < Pending::Retry && !is_left && (comes == Comes::Late || comes == Comes::Twice);
        if (steps < 0) {
            const bool has_old = pending == Pending::SwitchAsset || pending == Pending::SwitchPauser;
            EXPECT_EQ(last, has_old ? LoadState::Loaded : LoadState::Unloaded);
        } else if (must_fail) {
            EXPECT_EQ(last, LoadState::Failed);
        } else if (must_load) {
            EXPECT_EQ(last, LoadState::Loaded) << stage.host().explain_failure().to_text();
        } else {
            EXPECT_TRUE(last == LoadState::Loaded || last == LoadState::Failed || last == LoadState::Unloaded)
                << stage.host().explain_loading().to_text();
        }
        EXPECT_TRUE(steps < 0 || !ticket.is_open());
        if (last != LoadState::Loaded) {
            EXPECT_EQ(house.held(), "");
        }
    }
    has_ended = true;
    stage.end();
    EXPECT_EQ(answers, 1);
    EXPECT_EQ(ended, steps < 0 ? 0 : 1);
    EXPECT_TRUE(steps < 0 || !ticket.is_open());
    story().lines.clear();
    if (way == Way::End) come_out();
    house.settle(5);
    frames_without_pausers(house, 3);
    EXPECT_EQ(lines_of("(arena)"), "");
    EXPECT_EQ(lines_of(".registering") + lines_of(".loading"), "");
    EXPECT_EQ(house.held(), "");
    EXPECT_EQ(after_the_end, 0);
}

TEST(HostEnds, a_world_may_end_or_be_cleared_or_go_on_in_any_state_with_anything_pending_however_that_comes_out) {
    // E-76, E-78, E-25, E-99, E-100
    for (int way = 0; way < kWays; ++way) {
        Seen seen;
        for (int comes = 0; comes < kComes; ++comes) {
            seen.pending.clear();
            for (int pending = 0; pending < kPendings; ++pending)
                for (int steps = -1; steps < 12; ++steps) {
                    if (steps >= 0 && !is_played(steps + pending + comes + way, 4)) continue;
                    SCOPED_TRACE(fmt::format("pending {} comes {} steps {} way {}", pending, comes, steps, way));
                    end_at(steps, static_cast<Pending>(pending), static_cast<Comes>(comes), static_cast<Way>(way),
                           seen);
                    if (testing::Test::HasFailure()) return;
                }
            for (int pending = 0; pending < kPendings; ++pending) {
                const Furniture one = furniture_of(static_cast<Pending>(pending));
                EXPECT_EQ(seen.pending.count({one.pending, one.state}), 1u)
                    << "pending " << pending << " was never pending in " << to_string(one.state);
            }
        }
        EXPECT_EQ(seen.states.size(), kLoadStates) << "not in every state";
    }
}

// ---- two worlds, in every order

constexpr int kEachSanitized = 10;  // of these orders, see tests/effort.h

// What worlds and the rest of the process do, one thing at a time.
enum Deed : char { SetOne = 'a', LeaveOne = 'A', SetTwo = 'b', LeaveTwo = 'B', Frame = '.', Arrive = '*' };

// Each action comes and goes in turn, for the process and for each world.
void hooks_come_and_go_in_turn() {
    std::map<std::string, int> up;
    for (const std::string& line : story().lines) {
        const std::size_t dot = line.rfind('.');
        const std::string who = line.substr(0, dot), hook = line.substr(dot + 1);
        const std::size_t world = hook.find('(');
        const std::string where = world == std::string::npos ? "" : hook.substr(world);
        const std::string action = who.substr(who.find('.') + 1) + where;  // of several experiences it is one action
        const std::string step = hook.substr(0, world);
        int& count = up[action];
        const bool comes = step == "registering" || step == "activating";
        const bool goes = step == "unregistering" || step == "deactivating";
        EXPECT_EQ(count, comes ? 0 : 1) << line;
        count += comes ? 1 : goes ? -1 : 0;
    }
    for (const auto& [action, count] : up) EXPECT_EQ(count, 0) << action;
}

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
    // Only where it is wanted.
    void look_at_hooks() {
        hooks_come_and_go_in_turn();
        for (const std::string& line : story().lines) {
            const std::string_view list = std::string_view(line).substr(0, 3);
            const char* only = list == "one" || list == "min" ? "(one)" : list == "two" ? "(two)" : "";
            const std::size_t world = line.find('(');
            EXPECT_TRUE(world == std::string::npos || line.substr(world).find(only) == 0) << line;
        }
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
            if (!is_played(played++, kEachSanitized)) continue;
            SCOPED_TRACE(deeds);
            worlds.play(deeds, ends);
            if (testing::Test::HasFailure()) return;
        } while (std::next_permutation(deeds.begin(), deeds.end()));
    }
    EXPECT_EQ(played, 2 * 1680);
}

// ---- many worlds, in every order

// Worlds that all play the same are interchangeable: an order says when somebody comes and which of those who are there
// leaves, by how many came before it. So each order is one of (2n - 1) * (2n - 3) * ... * 1.
struct Order {
    std::vector<int> leaves;  // -1: somebody comes
    std::string to_string() const {
        std::string text;
        for (const int one : leaves) text += one < 0 ? "+ " : fmt::format("-{} ", one);
        return text;
    }
};

enum class Leaver { Any, OldestOrNewest };

template <class Play> void for_each_order(int worlds, Leaver leaver, Play play) {
    Order order;
    const std::function<void(int, int)> extend = [&](int came, int there) {
        if (testing::Test::HasFailure()) return;
        if (came == worlds && there == 0) return play(order);
        if (came < worlds) {
            order.leaves.push_back(-1);
            extend(came + 1, there + 1);
            order.leaves.pop_back();
        }
        for (int who = 0; who < there; ++who) {
            if (leaver == Leaver::OldestOrNewest && who != (order.leaves.size() % 2 == 0 ? 0 : there - 1)) continue;
            order.leaves.push_back(who);
            extend(came, there - 1);
            order.leaves.pop_back();
        }
    };
    extend(0, 0);
}

class ManyWorlds {
public:
    explicit ManyWorlds(int worlds) {
        house_.thing("t");
        house_.feature("shared", note("s", "asset = \"t\""));
        house_.experience("tag", "features = [\"shared\"]\n" + note("x"));
        for (int i = 0; i < worlds; ++i) open();
    }
    // After each step so many frames: with none several steps are one update's, with many each has come to its end.
    void play(const Order& order, bool ends, int frames) {
        std::vector<Stage*> there, free;
        for (const auto& stage : house_.stages) free.push_back(stage.get());
        for (const int who : order.leaves) {
            if (who < 0) {
                there.push_back(free.back());
                free.pop_back();
                ASSERT_TRUE(there.back()->host().set_experience("tag").is_ok());
            } else {
                if (ends) {
                    there[static_cast<std::size_t>(who)]->end();
                } else {
                    EXPECT_TRUE(there[static_cast<std::size_t>(who)]->host().clear_experience("").is_ok());
                }
                there.erase(there.begin() + who);
            }
            house_.frames(frames);
            look(there, frames >= kFramesToSettle);
        }
        house_.frames(kFramesToSettle);
        look(there, true);
        hooks_come_and_go_in_turn();
        story().lines.clear();
        EXPECT_EQ(house_.held(), "");
        if (!ends) return;
        const std::size_t worlds = house_.stages.size();
        house_.stages.clear();
        while (house_.stages.size() < worlds) open();
    }
    static constexpr int kFramesToSettle = 6;

private:
    void open() { house_.stage(fmt::format("w{}", house_.stages.size())); }
    // What is on follows from who is there.
    void look(const std::vector<Stage*>& there, bool is_settled) {
        const Name shared("shared");
        bool is_loaded_anywhere = false;
        for (const auto& stage : house_.stages) {
            if (!stage->has_host()) continue;
            const bool is_wanted = std::find(there.begin(), there.end(), stage.get()) != there.end();
            const bool is_loaded = stage->host().is_experience_loaded();
            const bool is_attached = house_.features().is_attached(shared, stage->world());
            is_loaded_anywhere |= is_loaded;
            EXPECT_TRUE(is_wanted || !is_loaded) << stage->world().def().name.text();
            EXPECT_TRUE(is_attached || !is_loaded) << stage->world().def().name.text();
            if (!is_settled) continue;
            EXPECT_EQ(is_loaded, is_wanted) << stage->host().explain_loading().to_text();
            EXPECT_EQ(is_attached, is_wanted) << stage->world().def().name.text();
        }
        const bool is_active = house_.features().state(shared) == features::FeatureState::Active;
        EXPECT_TRUE(is_active || !is_loaded_anywhere);
        if (!is_settled) return;
        EXPECT_EQ(is_active, !there.empty());
        EXPECT_EQ(house_.experiences().shared_actions().size(), there.empty() ? 0u : 1u);
    }

    Playhouse house_;
};

// How many orders there are.
int play_all_orders(int worlds, Leaver leaver, bool ends, int frames) {
    ManyWorlds many(worlds);
    int played = 0;
    for_each_order(worlds, leaver, [&](const Order& order) {
        if (!is_played(played++, kEachSanitized)) return;
        SCOPED_TRACE(fmt::format("{} worlds, {} frames: {}", worlds, frames, order.to_string()));
        many.play(order, ends, frames);
    });
    return played;
}

TEST(HostEnds, five_worlds_that_share_a_feature_do_not_disturb_each_other_whoever_comes_and_leaves_in_any_order) {
    // E-84, E-89, E-51, E-76, X-35
    for (const bool ends : {false, true})
        for (const int frames : {0, 1, 2, 3, ManyWorlds::kFramesToSettle})
            EXPECT_EQ(play_all_orders(5, Leaver::Any, ends, frames), 9 * 7 * 5 * 3);
}

TEST(HostEnds, eight_worlds_that_share_a_feature_do_not_disturb_each_other_in_any_order_of_coming_and_leaving) {
    // E-84, E-89, E-51, E-76, X-35
    for (const bool ends : {false, true})
        for (const int frames : {0, 1, 2}) {
            EXPECT_EQ(play_all_orders(8, Leaver::OldestOrNewest, ends, frames), 1430);
            if (!is_long_run()) continue;
            EXPECT_EQ(play_all_orders(7, Leaver::Any, ends, frames), 13 * 11 * 9 * 7 * 5 * 3);
        }
}

TEST(HostEnds, a_world_that_travels_leaves_at_once_and_waits_for_nobody) {
    // E-76, E-119
    Playhouse house;
    house.feature("ball", note("ball", "pauses = true"));
    house.experience("tag", "features = [\"ball\"]\n" + note("a", "pauses = true"));
    Stage& stage = house.stage();
    ASSERT_TRUE(stage.host().set_experience("tag").is_ok());
    house.settle(12);
    ASSERT_TRUE(stage.host().is_experience_loaded());
    house.log();
    stage.game->travel({.name = Name("beach")});
    ASSERT_NE(stage.game->world(), nullptr);
    EXPECT_EQ(stage.game->world()->def().name, Name("beach"));
    const std::string log = house.log();
    EXPECT_NE(log.find("tag.a.deactivating(arena)"), std::string::npos) << log;
    EXPECT_NE(log.find("ball.ball.deactivating(arena)"), std::string::npos) << log;
    EXPECT_FALSE(story().tokens.empty());  // they still ask for time
    house.settle(4);
    EXPECT_EQ(house.held(), "");
    story().tokens.clear();
}

}  // namespace host_ends_test
}  // namespace lyre::experience
