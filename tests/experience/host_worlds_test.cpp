// Many worlds in one process: what they share, and what they do not.
#include <set>
#include <sstream>

#include "tests/effort.h"
#include "tests/experience/playhouse.h"

namespace lyre::experience {
namespace host_worlds_test {

using features::FeatureState;

struct HostWorlds : testing::Test {
    Stage& load(std::string_view name, std::string_view id, NetMode mode = NetMode::Standalone) {
        Stage& stage = house.stage(name, mode);
        EXPECT_TRUE(stage.host().set_experience(id).is_ok());
        house.settle(12);
        EXPECT_TRUE(stage.host().is_experience_loaded()) << stage.host().explain_failure().to_text();
        return stage;
    }
    Playhouse house;
};

TEST_F(HostWorlds, hooks_of_the_process_run_for_the_first_and_the_last_world) {
    // E-51, E-49
    house.experience("tag", note("a"));
    house.experience("chess", note("a") + note("own"));  // the same action in another experience
    for (const bool first_leaves_first : {true, false}) {
        house.log();
        Stage& one = load("one", "tag");
        EXPECT_EQ(house.log(), "tag.a.registering tag.a.loading tag.a.activating(one) tag.a.activated(one)");
        Stage& two = load("two", "chess");
        EXPECT_EQ(house.log(),
                  "chess.a.activating(two) chess.own.registering chess.own.loading chess.own.activating(two) "
                  "chess.a.activated(two) chess.own.activated(two)");
        ASSERT_EQ(house.experiences().shared_actions().size(), 2u);
        Stage& first = first_leaves_first ? one : two;
        Stage& last = first_leaves_first ? two : one;
        EXPECT_TRUE(first.host().clear_experience("").is_ok());
        EXPECT_EQ(house.log().find("a.unregistering"), std::string::npos);
        EXPECT_TRUE(last.host().clear_experience("").is_ok());
        EXPECT_NE(house.log().find("a.unregistering"), std::string::npos);
        EXPECT_TRUE(house.experiences().shared_actions().empty());
        one.end();
        two.end();
    }
}

TEST_F(HostWorlds, a_feature_goes_when_its_last_world_has_left) {
    // E-84, E-89, E-90, E-52
    house.feature("ball", note("b"));
    house.experience("tag", "features = [\"ball\"]\n");
    Stage& one = load("one", "tag");
    house.log();
    Stage& two = load("two", "tag");
    EXPECT_EQ(house.log(), "ball.b.activating(two) ball.b.activated(two)");
    EXPECT_TRUE(one.host().clear_experience("").is_ok());
    house.settle(3);
    EXPECT_EQ(house.log(), "ball.b.deactivating(one)");
    EXPECT_EQ(house.features().state(Name("ball")), FeatureState::Active);
    EXPECT_TRUE(two.host().clear_experience("").is_ok());
    house.settle(3);
    EXPECT_EQ(house.features().state(Name("ball")), FeatureState::Installed);
    EXPECT_EQ(house.held(), "");
}

TEST_F(HostWorlds, owners_are_worlds_dependents_and_the_process) {
    // E-84, E-85, E-90, X-31
    house.feature("base", note("base"));
    house.feature("ball", features::needs("base"));
    house.experience("tag", "features = [\"ball\"]\n");
    Stage& one = load("one", "tag");
    house.features().activate(Name("base"), house.inner.told("process"));
    house.settle(2);
    const std::string why = house.features().explain(Name("base"));
    EXPECT_NE(why.find("ball"), std::string::npos) << why;
    EXPECT_NE(why.find("process"), std::string::npos) << why;
    EXPECT_NE(why.find("world one"), std::string::npos) << why;
    house.frame(3);
    for (const features::OwnerReport& owner : house.features().report(Name("base")).owners)
        EXPECT_GE(owner.seconds, 3) << owner.owner;
    house.log();
    Stage& two = house.stage("two");  // later: what the process owns applies there, too
    house.settle(2);
    EXPECT_EQ(house.log(), "base.base.activating(two) base.base.activated(two)");
    EXPECT_TRUE(one.host().clear_experience("").is_ok());
    house.settle(3);
    EXPECT_EQ(house.features().state(Name("ball")), FeatureState::Installed);
    EXPECT_EQ(house.features().state(Name("base")), FeatureState::Active);
    house.features().unload(Name("base"));
    house.settle(3);
    EXPECT_EQ(house.features().state(Name("base")), FeatureState::Installed);
    two.end();
}

TEST_F(HostWorlds, a_claim_counts_once_and_only_for_who_has_it) {
    // E-85, E-86
    house.feature("ball");
    Stage& one = house.stage("one");
    auto first = house.features().acquire(Name("ball"), one.world().owner(), features::Destination::Active);
    auto second = house.features().acquire(Name("ball"), one.world().owner(), features::Destination::Active);
    house.settle(4);
    first.release();
    first.release();
    house.settle(2);
    EXPECT_EQ(house.features().state(Name("ball")), FeatureState::Active);
    EXPECT_EQ(house.features().report(Name("ball")).owners.size(), 1u);
    auto third = house.features().acquire(Name("ball"), one.world().owner(), features::Destination::Loaded);
    EXPECT_EQ(house.features().report(Name("ball")).owners.size(), 1u);
    Stage& stranger = house.stage("stranger");  // has nothing to release, and changes nothing
    EXPECT_TRUE(stranger.host().clear_experience("").is_ok());
    stranger.end();
    EXPECT_EQ(house.features().state(Name("ball")), FeatureState::Active);
    EXPECT_EQ(house.reports("feature.world_left"), 0u);
    one.end();  // and it still owns the feature: a defect that is reported, once for all its claims, and mended
    house.settle(3);
    EXPECT_EQ(house.reports("feature.world_left"), 1u);
    EXPECT_NE(house.last_report("feature.world_left").find("world one"), std::string::npos);
    EXPECT_EQ(house.features().state(Name("ball")), FeatureState::Installed);
    EXPECT_FALSE(second.is_held());
    EXPECT_FALSE(third.is_held());
    house.experience("tag", "features = [\"ball\"]\n");
    EXPECT_TRUE(load("next", "tag").host().clear_experience("").is_ok());  // the next load is clean
    house.settle(3);
    EXPECT_EQ(house.reports("feature.world_left"), 1u);
    EXPECT_EQ(house.held(), "");
}

TEST_F(HostWorlds, a_feature_that_fails_for_one_world_is_released_with_it) {
    // E-88
    house.feature("ball", note("b"));
    house.experience("tag", "features = [\"ball\"]\n");
    story().at = [&](const std::string& line, features::ActionContext*) {
        return line == "ball.b.activating(two)" ? Status::failed("not there") : Status::ok();
    };
    Stage& one = load("one", "tag");
    Stage& two = house.stage("two");
    ASSERT_TRUE(two.host().set_experience("tag").is_ok());
    EXPECT_TRUE(one.host().clear_experience("").is_ok());
    house.settle(12);
    EXPECT_EQ(two.host().state(), LoadState::Failed);
    EXPECT_EQ(house.features().state(Name("ball")), FeatureState::Installed);
    EXPECT_EQ(house.held(), "");
}

TEST_F(HostWorlds, features_become_active_in_the_order_of_the_plan_whatever_their_latency) {
    // E-105, E-40, E-43
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        Playhouse own;
        Random random(seed);
        std::string features;
        for (int i = 0; i < 5; ++i) {
            const std::string id = fmt::format("f{}", i);
            own.thing("t" + id);
            own.feature(id, note("n", fmt::format("asset = \"t{}\"", id)));
            own.inner.executor.hold("t" + id);
            features = fmt::format("\"{}\"{}{}", id, features.empty() ? "" : ", ", features);
        }
        own.experience("tag", fmt::format("features = [{}]\n", features));
        Stage& stage = own.stage();
        ASSERT_TRUE(stage.host().set_experience("tag").is_ok());
        std::vector<int> order{0, 1, 2, 3, 4};
        own.frames(5);
        while (!order.empty()) {
            const auto at = random.next_below(order.size());
            own.inner.executor.release(fmt::format("tf{}", order[at]));
            order.erase(order.begin() + static_cast<std::ptrdiff_t>(at));
            own.frames(1 + static_cast<int>(random.next_below(3)));
        }
        own.settle(8);
        ASSERT_TRUE(stage.host().is_experience_loaded());
        std::string activated;
        std::istringstream lines(own.log());
        for (std::string line; lines >> line;)
            if (line.find(".activating") != std::string::npos) activated += line.substr(0, 2) + " ";
        EXPECT_EQ(activated, "f0 f1 f2 f3 f4 ");
    }
}

TEST_F(HostWorlds, an_action_whose_kind_a_feature_brings_is_decoded_when_it_is_there) {
    // E-120, E-06
    static const features::ModuleEntry entry =
        features::linked_entry("foreign", "1.0.0", [](features::Registrar& feature) { feature.type<Foreign>(); });
    ASSERT_TRUE(house.inner.modules.add(entry).is_ok());
    house.thing("its_own");
    house.feature("foreign", "[module]\nname = \"foreign\"\n");
    house.experience("tag",
                     "features = [\"foreign\"]\n[[action]]\nkind = \"foreign\"\nlabel = \"x\"\nasset = "
                     "\"its_own\"\n");
    bool was_loaded = false;
    story().at = [&](const std::string& line, features::ActionContext*) {
        if (line == "tag.x.registering")
            was_loaded = house.assets().state({Name("thing"), Name("its_own")}) == assets::AssetState::There;
        return Status::ok();
    };
    Stage& stage = load("arena", "tag");
    EXPECT_TRUE(was_loaded);
    EXPECT_EQ(house.trace("arena"), "Loading LoadingGameFeatures ExecutingActions Loaded");
    EXPECT_TRUE(stage.host().clear_experience("").is_ok());
    house.settle(5);
    EXPECT_EQ(house.held(), "");  // its type has gone with the module
    EXPECT_EQ(house.runtime().types().find<Foreign>(), nullptr);
    house.experience("misspelt", "features = [\"foreign\"]\n[[action]]\nkind = \"foregin\"\n");
    ASSERT_TRUE(stage.host().set_experience("misspelt").is_ok());
    house.settle(12);
    EXPECT_EQ(stage.host().failure().code, CauseCode::ActionFailed);
    EXPECT_NE(stage.host().failure().text.find("did you mean \"foreign\""), std::string::npos)
        << stage.host().failure().text;
}

TEST_F(HostWorlds, empty_and_repeated_entries_are_skipped_and_told) {
    // E-05, E-33, E-53
    house.action_set("s", note("s"));
    house.experience("tag", "action_sets = [\"\", \"s\", \"s\"]\n[[action]]\n" + note("a") + note("a") +
                                note("a", "name = \"twin\""));
    Stage& stage = load("arena", "tag");
    EXPECT_EQ(house.log(),
              "tag.a.registering tag.a.loading tag.a.activating(arena) tag.a.registering tag.a.loading "
              "tag.a.activating(arena) tag.s.registering tag.s.loading tag.s.activating(arena) tag.a.activated(arena) "
              "tag.a.activated(arena) tag.s.activated(arena)");
    std::string skipped;
    for (const LogEntry& entry : house.runtime().log().entries())
        if (entry.kind == Name("experience.skipped")) skipped += entry.text + "\n";
    EXPECT_EQ(skipped,
              "action_sets[0] in experience:tag is empty\n"
              "action_sets[2] in experience:tag is action_sets[1] again: s\n"
              "action 1 in experience:tag is empty\n"
              "action 3 in experience:tag is action 2 in experience:tag again: note\n");
    stage.end();
}

TEST_F(HostWorlds, a_world_that_has_not_begun_waits_before_anything_is_activated) {
    // E-49
    house.feature("ball", note("b"));
    house.experience("tag", "features = [\"ball\"]\n" + note("a"));
    Stage& stage = house.stage("arena", NetMode::Standalone, false);
    ASSERT_TRUE(stage.host().set_experience("tag").is_ok());
    house.settle(10);
    EXPECT_EQ(stage.host().state(), LoadState::LoadingGameFeatures);
    EXPECT_NE(stage.host().explain_loading().to_text().find("begins play"), std::string::npos);
    EXPECT_EQ(house.log(), "");
    stage.world().begin_play();
    house.settle(10);
    EXPECT_TRUE(stage.host().is_experience_loaded());
}

// A model: which experience each world should have; what is active follows from it.
void many_rooms(std::size_t count, int steps, std::uint64_t seed) {
    Playhouse house;
    constexpr int kFeatures = 6, kExperiences = 8;
    Random random(seed);
    std::vector<std::set<int>> features_of(kExperiences);
    for (int f = 0; f < kFeatures; ++f) house.feature(fmt::format("f{}", f), note("n"));
    for (int e = 0; e < kExperiences; ++e) {
        std::string list;
        for (int f = 0; f < kFeatures; ++f)
            if (random.chance(0.4f)) {
                features_of[static_cast<std::size_t>(e)].insert(f);
                list += fmt::format("{}\"f{}\"", list.empty() ? "" : ", ", f);
            }
        const bool fails = e == kExperiences - 1;
        house.experience(fmt::format("e{}", e), fmt::format("features = [{}]\n", list) +
                                                    note(fmt::format("a{}", e % 3)) +
                                                    (fails ? note("bad", "fails = \"activating\"") : ""));
    }
    std::vector<int> has(count, -1);
    std::vector<std::set<std::string>> had(count);  // what it may see actions of
    std::vector<Stage*> stages;
    for (std::size_t w = 0; w < count; ++w) stages.push_back(&house.stage(fmt::format("w{}", w)));
    for (int step = 0; step < steps; ++step) {
        const auto w = static_cast<std::size_t>(random.next_below(count));
        const auto what = random.next_below(10);
        if (stages[w]->game->world() == nullptr) {
            stages[w]->game.reset();
            *stages[w] = Stage(house, fmt::format("w{}", w), NetMode::Standalone, true);
            has[w] = -1;
        } else if (what < 6) {
            const auto e = static_cast<int>(random.next_below(kExperiences));
            ASSERT_TRUE(stages[w]->host().set_experience(fmt::format("e{}", e)).is_ok());
            has[w] = e == kExperiences - 1 ? -1 : e;
            had[w].insert(fmt::format("e{}", e));
        } else if (what < 8) {
            ASSERT_TRUE(stages[w]->host().clear_experience("").is_ok());
            has[w] = -1;
        } else if (what < 9) {
            stages[w]->end();
            has[w] = -1;
        } else {
            house.frame();
        }
        if (step % 50 != 49) continue;
        house.settle(14);
        for (const std::string& line : story().lines) {  // "e3.a1.activating(w7)"
            const std::size_t world = line.find("(w");
            if (line.front() != 'e' || world == std::string::npos) continue;
            const auto i = static_cast<std::size_t>(std::stoi(line.substr(world + 2)));
            ASSERT_EQ(had[i].count(line.substr(0, line.find('.'))), 1u) << line;
        }
        story().lines.clear();
        for (int f = 0; f < kFeatures; ++f) {
            const Name id(fmt::format("f{}", f));
            bool is_owned = false;
            for (std::size_t i = 0; i < count; ++i) {
                const bool wants = has[i] >= 0 && features_of[static_cast<std::size_t>(has[i])].count(f) != 0;
                is_owned |= wants;
                if (World* world = stages[i]->game->world()) {
                    ASSERT_EQ(house.features().is_attached(id, *world), wants) << i << id.text() << step;
                }
            }
            ASSERT_EQ(house.features().state(id) == FeatureState::Active, is_owned) << id.text() << step;
        }
        for (std::size_t i = 0; i < count; ++i)
            if (has[i] >= 0) {
                ASSERT_TRUE(stages[i]->host().is_experience_loaded()) << i;
            }
    }
    for (Stage* stage : stages) stage->end();
    house.settle(6);
    EXPECT_EQ(house.held(), "");
}

TEST_F(HostWorlds, eight_worlds_at_random_are_what_a_model_says) {
    //
    for (std::uint64_t seed = 1; seed <= 4; ++seed) many_rooms(8, 400, seed);
}

TEST_F(HostWorlds, a_hundred_worlds_at_random_are_what_a_model_says) {
    //
    many_rooms(100, 10'000, 42);
}

TEST_F(HostWorlds, a_feature_that_is_up_for_another_world_is_waited_for_with_what_is_missing_in_this_one) {
    // F-83
    house.thing("big");
    house.feature("tag", note("t", "asset = \"big\"\nside = \"client\""));
    house.experience("tag", "features = [\"tag\"]\n");
    Stage& server = load("server", "tag", NetMode::DedicatedServer);
    Stage& client = house.stage("client", NetMode::Client);
    house.inner.executor.hold("big.thing");
    Playhouse::carry(server, client);
    house.frames(6);
    const LoadingReport report = client.host().explain_loading();
    ASSERT_EQ(report.pending.size(), 1u) << report.to_text();
    EXPECT_EQ(report.pending[0].id, "tag");
    EXPECT_EQ(report.pending[0].waits.find("joins world client since "), 0u) << report.pending[0].waits;
    EXPECT_NE(report.pending[0].waits.find("waits for thing:big"), std::string::npos) << report.pending[0].waits;
    EXPECT_LT(report.pending[0].progress, 1);
    EXPECT_NEAR(report.progress, 0.5 + 0.4 * report.pending[0].progress, 1e-6) << "one number for one thing";
    house.inner.executor.release("big.thing");
    house.settle(12);
    EXPECT_TRUE(client.host().is_experience_loaded());
}

}  // namespace host_worlds_test
}  // namespace lyre::experience
