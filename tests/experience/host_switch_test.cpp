// From one experience to another, and things on top of one.
#include <map>
#include <set>
#include <sstream>

#include "lyre/features/symmetry.h"

#include "tests/effort.h"
#include "tests/experience/playhouse.h"

namespace lyre::experience {
namespace host_switch_test {

struct HostSwitch : testing::Test {
    Host& host() { return stage->host(); }
    void set(std::string_view id, const SetOptions& options = {}, int frames = 15) {
        if (stage == nullptr) stage = &house.stage();
        const auto ticket = host().set_experience(id, options);
        ASSERT_TRUE(ticket.is_ok()) << ticket.status().text();
        house.settle(frames);
    }
    void two_of_three() {
        for (const char* id : {"one", "two", "only_a", "only_b"}) house.feature(id, note(id));
        house.experience("a", "features = [\"one\", \"two\", \"only_a\"]\n" + note("shared") + note("a"));
        house.experience("b", "features = [\"one\", \"two\", \"only_b\"]\n" + note("b") + note("shared"));
    }
    Playhouse house;
    Stage* stage = nullptr;
};

TEST_F(HostSwitch, it_touches_only_what_differs) {
    //
    two_of_three();
    set("a");
    house.log();
    house.trace("arena");
    set("b");
    EXPECT_TRUE(host().is_experience_loaded());
    EXPECT_EQ(house.trace("arena"), "Loading Deactivating LoadingGameFeatures ExecutingActions Loaded");
    EXPECT_EQ(house.log(),
              "a.a.deactivating(arena) a.a.unloading a.a.unregistering only_a.only_a.deactivating(arena) "
              "only_a.only_a.unloading only_b.only_b.registering only_b.only_b.loading "
              "only_b.only_b.activating(arena) only_b.only_b.activated(arena) b.b.registering b.b.loading "
              "b.b.activating(arena) b.b.activated(arena) only_a.only_a.unregistering");
    EXPECT_EQ(house.features().state(Name("only_a")), features::FeatureState::Installed);
    EXPECT_TRUE(host().clear_experience("").is_ok());
    house.settle(3);
    EXPECT_EQ(house.held(), "");
}

TEST_F(HostSwitch, features_that_exclude_each_other_may_follow_each_other) {
    // E-41
    house.feature("court", note("court"));
    house.feature("tag", features::needs("court") + note("tag"));
    for (const char* scope : {"world", "process"}) {
        const std::string id = fmt::format("chess_{}", scope);
        house.feature(
            id, note("chess") +
                    features::needs("tag", "kind = \"incompatible\"\nscope = \"" + std::string(scope) + "\"\n") +
                    features::needs("court", "kind = \"incompatible\"\nscope = \"" + std::string(scope) + "\"\n"));
        house.experience(id, fmt::format("features = [\"{}\"]\n", id));
        house.experience("maybe_" + id, fmt::format("features = [{{ id = \"{}\", need = \"optional\" }}]\n", id));
    }
    house.experience("tag", "features = [\"tag\"]\n");
    for (const char* id : {"chess_world", "chess_process", "maybe_chess_world", "maybe_chess_process"}) {
        SCOPED_TRACE(id);
        set("tag");
        ASSERT_TRUE(host().is_experience_loaded()) << host().explain_failure().to_text();
        set(id);
        EXPECT_TRUE(host().is_experience_loaded()) << host().explain_failure().to_text();
        EXPECT_EQ(host().experience_id().name, Name(id));
        EXPECT_TRUE(host().degraded().empty());
        EXPECT_FALSE(house.features().is_attached(Name("court"), stage->world()));
    }
    // What somebody else wants stays.
    set("tag");
    Stage& second = house.stage("second");
    ASSERT_TRUE(second.host().set_experience("tag").is_ok());
    house.settle(12);
    set("chess_world");
    EXPECT_TRUE(host().is_experience_loaded()) << host().explain_failure().to_text();
    set("tag");
    set("chess_process");
    EXPECT_EQ(host().failure().code, CauseCode::DependencyConflict) << host().failure().to_string();
    set("maybe_chess_process");
    EXPECT_TRUE(host().is_experience_loaded());
    EXPECT_EQ(host().degraded().size(), 1u);
    // And what the process wants is in this world, too.
    house.features().activate(Name("tag"));
    house.settle(4);
    set("chess_world");
    EXPECT_EQ(host().failure().code, CauseCode::DependencyConflict) << host().failure().to_string();
}

TEST_F(HostSwitch, what_a_feature_that_stays_has_optionally_makes_room_for_what_excludes_it) {
    // F-59, F-60
    for (const std::string scope : {"world", "process"}) {
        const std::string excludes = "kind = \"incompatible\"\nscope = \"" + scope + "\"\n";
        house.feature("hud_" + scope, note("hud"));
        house.feature("tag_" + scope, features::needs("hud_" + scope, "kind = \"optional\"") + note("tag"));
        house.feature("chess_" + scope, features::needs("hud_" + scope, excludes) + note("chess"));
        house.experience("tag_" + scope, fmt::format("features = [\"tag_{}\"]\n", scope));
        house.experience("both_" + scope, fmt::format("features = [\"tag_{0}\", \"chess_{0}\"]\n", scope));
    }
    for (const std::string scope : {"world", "process"}) {
        SCOPED_TRACE(scope);
        const Name hud("hud_" + scope), tag("tag_" + scope), chess("chess_" + scope);
        set("tag_" + scope);
        ASSERT_TRUE(house.features().is_attached(hud, stage->world()));
        house.log();
        set("both_" + scope);
        EXPECT_TRUE(host().is_experience_loaded()) << host().explain_failure().to_text();
        EXPECT_FALSE(house.features().is_attached(hud, stage->world()));
        EXPECT_TRUE(house.features().is_attached(chess, stage->world()));
        const std::string log = house.log();
        EXPECT_EQ(log.find(fmt::format("tag_{}.tag.", scope)), std::string::npos) << log;  // it stays as it is
        EXPECT_LT(log.find(".hud.deactivating(arena)"), log.find(".chess.activating(arena)")) << log;
        EXPECT_EQ(house.features().state(hud), features::FeatureState::Installed);
        house.log();
        set("tag_" + scope);
        EXPECT_TRUE(host().is_experience_loaded()) << host().explain_failure().to_text();
        EXPECT_TRUE(house.features().is_attached(hud, stage->world()));
        const std::string back = house.log();  // it comes when there is room, and not before
        EXPECT_LT(back.find(".chess.deactivating(arena)"), back.find(".hud.registering")) << back;
        EXPECT_NE(back.find(".hud.activating(arena)"), std::string::npos) << back;
        EXPECT_EQ(back.find(fmt::format("tag_{}.tag.", scope)), std::string::npos) << back;
        // Another world has it on: then it is only this one that does without.
        Stage& second = house.stage("second");
        ASSERT_TRUE(second.host().set_experience("tag_" + scope).is_ok());
        house.settle(12);
        set("both_" + scope);
        EXPECT_EQ(host().is_experience_loaded(), scope == "world") << host().explain_failure().to_text();
        EXPECT_TRUE(house.features().is_attached(hud, second.world()));
        EXPECT_EQ(house.features().is_attached(chess, stage->world()), scope == "world");
        EXPECT_TRUE(host().clear_experience("").is_ok());
        EXPECT_TRUE(second.host().clear_experience("").is_ok());
        house.settle(6);
        EXPECT_EQ(house.held(), "");
        second.end();
    }
}

std::string gravity(int value) {
    return fmt::format("[[action]]\nkind = \"set_variables\"\nvariables = {{ \"game.gravity\" = {} }}\n", value);
}

TEST_F(HostSwitch, which_value_counts_does_not_depend_on_what_was_loaded_before) {
    //
    auto variable = house.runtime().variables().add<double>({.name = "game.gravity", .default_value = 1});
    house.feature("heavy", gravity(7));
    house.feature("ant", gravity(3));
    const std::pair<const char*, std::string> all[] = {
        {"five", gravity(5)},
        {"nine_five", gravity(9) + gravity(5)},
        {"five_nine", gravity(5) + note("x") + gravity(9)},
        {"plain", note("x")},
        {"heavy", "features = [\"heavy\"]\n"},
        {"both", "features = [\"heavy\", \"ant\"]\n"},
        {"all", "features = [\"heavy\", \"ant\"]\n" + gravity(9) + gravity(5)},
        {"heavy_five", "features = [\"heavy\"]\n" + gravity(5)},
    };
    std::map<std::string, double> fresh;
    for (const auto& [id, text] : all) {
        house.experience(id, text);
        Stage& own = house.stage("fresh");
        ASSERT_TRUE(own.host().set_experience(id).is_ok());
        house.settle(10);
        fresh[id] = own.world().variables().get(*variable);
        own.end();
    }
    EXPECT_EQ(fresh["nine_five"], 5);
    EXPECT_EQ(fresh["five_nine"], 9);
    EXPECT_EQ(fresh["heavy_five"], 5);
    for (const auto& [first, text] : all)
        for (const auto& [second, other] : all) {
            set(first);
            set(second);
            EXPECT_EQ(stage->world().variables().get(*variable), fresh[second]) << first << " -> " << second;
            set(first);
            EXPECT_EQ(stage->world().variables().get(*variable), fresh[first]) << "back from " << second;
        }
}

TEST_F(HostSwitch, thirty_of_thirty_two_features_and_190_of_200_actions_are_not_touched) {
    //
    for (const int shift : {0, 1}) {
        std::string text = "features = [";
        for (int i = 0; i < 32; ++i) {
            const int id = i + 2 * shift;
            if (shift == 0 || id > 31) house.feature(fmt::format("f{:02}", id), note(fmt::format("f{:02}", id)));
            text += fmt::format("\"f{:02}\", ", id);
        }
        text += "]\n";
        for (int i = 199; i >= 0; --i) text += note(fmt::format("n{:03}", i + 10 * shift));  // new ones come first
        house.experience(shift == 0 ? "a" : "b", text);
    }
    set("a");
    ASSERT_TRUE(host().is_experience_loaded()) << host().explain_failure().to_text();
    house.log();
    set("b");
    ASSERT_TRUE(host().is_experience_loaded()) << host().explain_failure().to_text();
    std::map<std::string, int> count;
    std::istringstream lines(house.log());
    for (std::string line; lines >> line;) ++count[line.substr(line.rfind('.') + 1)];
    for (const char* hook : {"activating(arena)", "activated(arena)", "deactivating(arena)", "registering", "loading",
                             "unloading", "unregistering"})
        EXPECT_EQ(count[hook], 2 + 10) << hook;
}

TEST_F(HostSwitch, what_is_preloaded_stays_until_the_old_one_goes) {
    // E-39
    for (const char* name : {"later", "big"}) house.thing(name);
    house.experience("a", "preload = [\"thing:later\"]\n" + note("a"));
    house.experience("b", "assets = [\"thing:big\"]\n[limits]\nstage_secs = 1\n");
    set("a");
    const auto is_there = [&] {
        return house.assets().state({Name("thing"), Name("later")}) == assets::AssetState::There;
    };
    ASSERT_TRUE(is_there());
    house.inner.executor.hold("big");
    SetOptions back;
    back.failure = FailurePolicy{FailureKind::FallBack, 1, 0, Name("previous")};
    set("b", back, 4);
    EXPECT_EQ(host().state(), LoadState::Loading);
    EXPECT_TRUE(is_there());
    house.frame(1.1);
    house.settle(6);
    EXPECT_EQ(host().experience_id().to_string(), "experience:a");
    EXPECT_TRUE(is_there());
    set("b", {}, 4);
    EXPECT_TRUE(is_there());
    house.inner.executor.release("big");
    house.settle(6);
    EXPECT_EQ(host().experience_id().to_string(), "experience:b");
    EXPECT_FALSE(is_there());
    set("a");
    EXPECT_TRUE(host().clear_experience("").is_ok());
    house.settle(3);
    EXPECT_EQ(house.held(), "");
}

TEST_F(HostSwitch, the_old_one_works_until_the_new_one_is_ready_to_come) {
    //
    house.thing("big");
    house.experience("a", note("a"));
    house.experience("b", "assets = [\"thing:big\"]\n" + note("b"));
    set("a");
    house.log();
    house.inner.executor.hold("big");
    set("b");
    EXPECT_EQ(host().state(), LoadState::Loading);
    EXPECT_FALSE(host().is_experience_loaded());
    EXPECT_EQ(house.log(), "");
    house.inner.executor.release("big");
    house.settle(4);
    EXPECT_EQ(house.log().substr(0, 23), "a.a.deactivating(arena)");
}

TEST_F(HostSwitch, states_depend_on_what_is_added_and_removed) {
    //
    for (const char* id : {"f", "g"}) house.feature(id);
    struct Case {
        std::string from, to, trace;
    };
    const std::string f = "features = [\"f\"]\n", fg = "features = [\"f\", \"g\"]\n";
    const Case cases[] = {
        {"", note("x"), "Loading Deactivating ExecutingActions Loaded"},  // the old definition's bundles go
        {f, f + note("x"), "Loading Deactivating ExecutingActions Loaded"},
        {f, fg, "Loading Deactivating LoadingGameFeatures ExecutingActions Loaded"},
        {fg, f, "Loading Deactivating ExecutingActions Loaded"},
    };
    int number = 0;
    for (const Case& one : cases) {
        SCOPED_TRACE(number);
        house.experience(fmt::format("from{}", number), one.from);
        house.experience(fmt::format("to{}", number), one.to);
        set(fmt::format("from{}", number));
        house.trace("arena");
        set(fmt::format("to{}", number));
        EXPECT_EQ(house.trace("arena"), one.trace);
        EXPECT_TRUE(host().clear_experience("").is_ok());
        ++number;
    }
}

TEST_F(HostSwitch, a_failure_before_the_point_of_no_return_leaves_the_old_one_alone) {
    // X-03, E-111
    two_of_three();
    house.thing("big");
    house.experience("no_set", "action_sets = [\"missing\"]\n");
    house.experience("no_feature", "features = [\"one\", \"missing\"]\n");
    house.experience("stalls", "assets = [\"thing:big\"]\n[limits]\nstage_secs = 1\n");
    set("a");
    house.log();
    SetOptions back;
    back.failure = FailurePolicy{FailureKind::FallBack, 1, 0, Name("previous")};
    for (const char* id : {"no_set", "no_feature", "stalls"}) {
        SCOPED_TRACE(id);
        house.inner.executor.hold("big");
        const std::uint32_t before = host().generation();
        set(id, back, 5);
        house.frame(1.2);
        house.settle(8);
        EXPECT_TRUE(host().is_experience_loaded()) << host().explain_loading().to_text();
        EXPECT_EQ(host().experience_id().to_string(), "experience:a");
        EXPECT_EQ(host().generation(), before + 2);
        EXPECT_EQ(house.log(), "");  // not one hook
        house.inner.executor.release("big");
        house.settle(2);
    }
    set("no_feature");  // stays failed: what was kept goes too
    EXPECT_EQ(host().state(), LoadState::Failed);
    house.settle(2);
    EXPECT_EQ(house.held(), "");
}

TEST_F(HostSwitch, a_failure_after_it_is_a_switch_back) {
    //
    two_of_three();
    house.experience("c", "features = [\"one\", \"only_b\"]\n" + note("shared") + note("c", "fails = \"activating\"") +
                              "[failure]\npolicy = \"fall_back\"\nto = \"previous\"\n");
    set("a");
    house.log();
    set("c", {}, 25);
    EXPECT_TRUE(host().is_experience_loaded()) << host().explain_loading().to_text();
    EXPECT_EQ(host().experience_id().to_string(), "experience:a");
    const std::string log = house.log();
    EXPECT_NE(log.find("two.two.deactivating"), std::string::npos);
    EXPECT_NE(log.find("two.two.activating"), std::string::npos);
    for (const char* both_have : {"one.one.", ".shared."})  // by difference: it is not touched
        EXPECT_EQ(log.find(both_have), std::string::npos) << log;
    EXPECT_EQ(house.features().state(Name("only_b")), features::FeatureState::Installed);
    EXPECT_TRUE(host().clear_experience("").is_ok());
    house.settle(4);
    EXPECT_EQ(house.held(), "");
}

TEST_F(HostSwitch, wherever_a_switch_fails_falling_back_touches_nothing_that_both_have) {
    //
    two_of_three();
    house.thing("slow");
    house.feature("fails_loading", note("f", "fails = \"loading\""));
    house.feature("fails_activating", note("f", "fails = \"activating\""));
    house.feature("never", note("f", "asset = \"slow\""));
    const std::string features = "features = [\"one\", \"two\", \"only_b\"", shared = note("shared");
    const std::pair<const char*, std::string> cases[] = {
        {"set", "action_sets = [\"nowhere\"]\n"},
        {"feature", features + ", \"nowhere\"]\n" + shared},
        {"loading", features + ", \"fails_loading\"]\n" + shared},
        {"activating", features + ", \"fails_activating\"]\n" + shared},
        {"stalls", features + ", \"never\"]\n" + shared + "[limits]\nstage_secs = 1\n"},
        {"kind", features + "]\n" + shared + "[[action]]\nkind = \"nobodys\"\n"},
        {"action_registering", features + "]\n" + note("new") + shared + note("bad", "fails = \"registering\"")},
        {"action_loading", features + "]\n" + shared + note("new") + note("bad", "fails = \"loading\"")},
        {"action_activating", features + "]\n" + note("new") + note("bad", "fails = \"activating\"") + shared},
    };
    set("a");
    const std::uint64_t hash = world_hash(stage->world());
    const auto taken_sorted = [&] {
        std::vector<std::string> taken = host().taken();
        std::sort(taken.begin(), taken.end());
        return taken;
    };
    const std::vector<std::string> taken = taken_sorted();
    SetOptions back;
    back.failure = FailurePolicy{FailureKind::FallBack, 1, 0, Name("previous")};
    for (const auto& [id, text] : cases) {
        SCOPED_TRACE(id);
        house.experience(id, text);
        house.inner.executor.hold("slow");
        house.log();
        const auto ticket = host().set_experience(id, back);
        ASSERT_TRUE(ticket.is_ok());
        house.frames(10);
        house.frame(1.1);
        house.inner.executor.release("slow");
        house.settle(15);
        EXPECT_EQ(ticket->outcome().kind, SetOutcome::Kind::FellBack) << ticket->outcome().to_string();
        EXPECT_EQ(host().experience_id().to_string(), "experience:a");
        EXPECT_TRUE(host().is_experience_loaded()) << host().explain_loading().to_text();
        const std::string log = house.log();
        for (const char* both_have : {"one.one.", "two.two.", ".shared."})
            EXPECT_EQ(log.find(both_have), std::string::npos) << log;
        EXPECT_EQ(taken_sorted(), taken);
        EXPECT_EQ(world_hash(stage->world()), hash);
    }
    EXPECT_TRUE(host().clear_experience("").is_ok());
    house.settle(4);
    EXPECT_EQ(house.held(), "");
}

// What of the assets that a host has taken another list has too, or has not, as a plan writes it: "thing:a", or
// "experience:a Equipped".
std::vector<std::string> bundles_in(const std::vector<std::string>& taken, const std::vector<std::string>& other,
                                    bool has) {
    const auto expand = [](const std::vector<std::string>& lines) {
        std::vector<std::string> all;
        for (const std::string& line : lines) {  // "asset thing:a", "bundle Equipped, Client of experience:a"
            if (line.rfind("asset ", 0) == 0) all.push_back(line.substr(6));
            const std::size_t of = line.find(" of ");
            if (line.rfind("bundle ", 0) != 0) continue;
            for (std::size_t at = 7; at < of;) {
                const std::size_t end = std::min(line.find(", ", at), of);
                all.push_back(line.substr(of + 4) + " " + line.substr(at, end - at));
                at = end == of ? of : end + 2;
            }
        }
        return all;
    };
    const std::vector<std::string> others = expand(other);
    std::vector<std::string> found = expand(taken);
    std::erase_if(found, [&](const std::string& one) {
        return (std::find(others.begin(), others.end(), one) != others.end()) != has;
    });
    return found;
}

std::vector<std::string> sorted(std::vector<std::string> lines) {
    std::sort(lines.begin(), lines.end());
    return lines;
}

TEST_F(HostSwitch, the_plan_of_a_switch_is_what_the_switch_does) {
    //
    for (const char* name : {"hall", "yard", "only_a", "only_b"}) house.thing(name);
    for (const char* id : {"one", "two", "only_a", "only_b"}) house.feature(id, note(id));
    house.experience("a",
                     "features = [\"one\", \"two\", \"only_a\"]\n"
                     "assets = [\"thing:hall\", \"thing:yard\", \"thing:only_a\"]\n" +
                         note("shared") + note("a1") + note("a2"));
    house.experience("b",
                     "features = [\"one\", \"two\", \"only_b\"]\n"
                     "assets = [\"thing:yard\", \"thing:only_b\", \"thing:hall\"]\n" +
                         note("b1") + note("shared") + note("b2"));
    stage = &house.stage();
    const assets::PrimaryAssetId ids[] = {{Name("experience"), Name("a")}, {Name("experience"), Name("b")}};
    const assets::LoadHandle both = house.assets().load_assets(ids);
    house.assets().finish(both);
    const features::Catalogue catalogue = house.features().catalogue();
    const auto plan_of = [&](assets::PrimaryAssetId id) {
        const auto source = plan_source(house.assets(), id);
        return make_plan(*source, {catalogue, [](Name) { return 0; }}, NetMode::Standalone);
    };
    const SwitchPlan change = plan_switch(plan_of(ids[0]), plan_of(ids[1]));
    EXPECT_EQ(change.features.kept, (std::vector<std::string>{"one", "two"}));
    EXPECT_EQ(change.features.removed, (std::vector<std::string>{"only_a"}));
    EXPECT_EQ(change.features.added, (std::vector<std::string>{"only_b"}));
    EXPECT_EQ(change.actions.kept.size(), 1u);
    set("a");
    house.log();
    const std::vector<std::string> before = host().taken();
    set("b");
    const std::vector<std::string> after = host().taken();
    const std::vector<std::string> kept = bundles_in(before, after, true);
    EXPECT_EQ(change.bundles.kept.size(), 2u);
    EXPECT_EQ(sorted(change.bundles.kept), sorted(kept));
    std::vector<std::string> removed = bundles_in(before, after, false);
    std::reverse(removed.begin(), removed.end());
    EXPECT_EQ(change.bundles.removed, removed);
    EXPECT_EQ(change.bundles.added, bundles_in(after, before, false));
    // Features and actions, told and done in the same order, and nothing else.
    SwitchPlan::Part features, actions;
    std::istringstream lines(house.log());
    for (std::string line; lines >> line;) {
        SwitchPlan::Part& part = line[1] == '.' ? actions : features;  // "a.shared.activating(arena)"
        if (line.find(".activating") != std::string::npos) part.added.push_back(line);
        if (line.find(".deactivating") != std::string::npos) part.removed.push_back(line);
    }
    const auto hooks = [](const std::vector<std::string>& ids, std::string_view hook) {
        std::vector<std::string> all;
        for (const std::string& id : ids) all.push_back(fmt::format("{}.{}.{}(arena)", id, id, hook));
        return all;
    };
    EXPECT_EQ(features.removed, hooks(change.features.removed, "deactivating"));
    EXPECT_EQ(features.added, hooks(change.features.added, "activating"));
    EXPECT_EQ(change.actions.removed,
              (std::vector<std::string>{"action 3 in experience:a (note)", "action 2 in experience:a (note)"}));
    EXPECT_EQ(actions.removed, (std::vector<std::string>{"a.a2.deactivating(arena)", "a.a1.deactivating(arena)"}));
    EXPECT_EQ(change.actions.added,
              (std::vector<std::string>{"action 1 in experience:b (note)", "action 3 in experience:b (note)"}));
    EXPECT_EQ(actions.added, (std::vector<std::string>{"b.b1.activating(arena)", "b.b2.activating(arena)"}));
}

TEST_F(HostSwitch, clients_skip_what_lies_between) {
    //
    for (const char* id : {"a", "b", "c", "d"}) house.experience(id, note(id));
    Stage& server = house.stage("server", NetMode::DedicatedServer);
    Stage& client = house.stage("client", NetMode::Client);
    ASSERT_TRUE(server.host().set_experience("a").is_ok());
    house.settle(6);
    Playhouse::carry(server, client);
    house.settle(6);
    std::vector<Choice> choices;
    for (const char* id : {"b", "c", "d"}) {
        ASSERT_TRUE(server.host().set_experience(id).is_ok());
        house.settle(6);
        choices.push_back(server.host().published());
    }
    // While it is still reading the first the others come.
    for (const Choice& choice : choices) {
        EXPECT_TRUE(client.host().receive(choice).is_ok());
        EXPECT_EQ(client.host().state(), LoadState::Loading);
    }
    house.settle(8);
    EXPECT_TRUE(client.host().is_experience_loaded());
    EXPECT_EQ(client.host().experience_id().to_string(), "experience:d");
    const std::string log = house.log();
    EXPECT_NE(log.find("a.a.activating(client)"), std::string::npos);
    EXPECT_EQ(log.find("b.b.activating(client)"), std::string::npos) << log;
    EXPECT_EQ(log.find("c.c.activating(client)"), std::string::npos) << log;
    EXPECT_NE(log.find("d.d.activating(client)"), std::string::npos) << log;
}

TEST_F(HostSwitch, a_client_may_join_in_any_state_of_the_server) {
    //
    house.thing("t");
    house.feature("ball", note("b", "asset = \"t\""));
    house.experience("a", "features = [\"ball\"]\n" + note("a", "pauses = true"));
    house.experience("b", note("b"));
    EXPECT_TRUE(house.runtime()
                    .variables()
                    .set("lyre.chaos.ExperienceDelayLoad.MinSecs", "0.1", {VariableSource::CommandLine, "test"})
                    .is_ok());
    for (int steps = 0; steps < 30; ++steps) {
        SCOPED_TRACE(steps);
        Stage& server = house.stage("server", NetMode::DedicatedServer);
        ASSERT_TRUE(server.host().set_experience("a").is_ok());
        for (int i = 0; i < steps; ++i) {
            if (i == 15) {
                EXPECT_TRUE(server.host().set_experience("b").is_ok());
            }
            if (i == 20) story().tokens.clear();
            house.frame();
        }
        Stage& client = house.stage("client", NetMode::Client);
        Playhouse::carry(server, client);
        for (int i = 0; i < 40; ++i) {
            story().tokens.clear();
            house.frame();
            Playhouse::carry(server, client);
        }
        EXPECT_TRUE(server.host().is_experience_loaded());
        EXPECT_TRUE(client.host().is_experience_loaded()) << client.host().explain_loading().to_text();
        EXPECT_EQ(client.host().generation(), server.host().generation());
        EXPECT_EQ(client.host().experience_id(), server.host().experience_id());
        server.end();
        client.end();
        story().tokens.clear();
        house.settle(3);
        EXPECT_EQ(house.held(), "");
    }
}

TEST_F(HostSwitch, a_chain_of_sets_ends_in_the_last_and_every_hook_is_balanced) {
    // X-08, E-100
    for (int i = 0; i < 4; ++i) {
        house.thing(fmt::format("t{}", i));
        house.feature(fmt::format("f{}", i), note("f", fmt::format("asset = \"t{}\"", i)));
    }
    Random random(11);
    std::map<std::string, std::set<std::string>> should;  // actions by experience
    for (int e = 0; e < 6; ++e) {
        std::string features, actions;
        const std::string id = fmt::format("e{}", e);
        for (int i = 0; i < 4; ++i)
            if (random.chance(0.5f)) {
                features += fmt::format("{}\"f{}\"", features.empty() ? "" : ", ", i);
                should[id].insert(fmt::format("f{}.f", i));
            }
        for (int i = 0; i < 4; ++i)
            if (random.chance(0.5f)) actions += note(fmt::format("n{}", i));
        house.experience(id, fmt::format("features = [{}]\n", features) + actions);
    }
    stage = &house.stage();
    for (int round = 0; round < 200; ++round) {
        SCOPED_TRACE(round);
        std::vector<SetTicket> tickets;
        std::string last;
        const auto sets = 1 + random.next_below(4);
        for (std::uint64_t i = 0; i < sets; ++i) {
            last = fmt::format("e{}", random.next_below(6));
            auto ticket = host().set_experience(last);
            ASSERT_TRUE(ticket.is_ok());
            tickets.push_back(*ticket);
            for (auto frames = random.next_below(6); frames > 0; --frames) house.frame();
        }
        house.settle(15);
        ASSERT_TRUE(host().is_experience_loaded()) << host().explain_loading().to_text();
        EXPECT_EQ(host().experience_id().name, Name(last));
        for (const SetTicket& ticket : tickets) EXPECT_FALSE(ticket.is_open());
        EXPECT_EQ(tickets.back().outcome().kind, SetOutcome::Kind::Loaded);
        for (int i = 0; i < 4; ++i) {
            const Name id(fmt::format("f{}", i));
            EXPECT_EQ(house.features().state(id) == features::FeatureState::Active,
                      should[last].count(fmt::format("f{}.f", i)) != 0)
                << id.text();
        }
    }
    // Every hook that ran up has run down.
    EXPECT_TRUE(host().clear_experience("").is_ok());
    house.settle(4);
    EXPECT_EQ(house.held(), "");
    std::map<std::string, int> count;
    std::istringstream lines(house.log());
    for (std::string line; lines >> line;) ++count[line.substr(line.find_last_of('.') + 1)];
    EXPECT_EQ(count["activating(arena)"], count["deactivating(arena)"]);
    EXPECT_EQ(count["registering"], count["unregistering"]);
    EXPECT_EQ(count["loading"], count["unloading"]);
}

TEST_F(HostSwitch, a_set_while_something_is_held_goes_on_from_what_was_taken_and_waits_for_nothing_of_the_old_one) {
    // X-08, E-99, E-100
    struct Case {
        const char* held;
        bool is_wanted;  // by the last, too
    };
    const Case cases[] = {{"a.experience", false}, {"sa.action_set", false}, {"own.thing", false},
                          {"mine.thing", false},   {"only.thing", false},    {"big.thing", true},
                          {"ball.thing", true}};
    for (const char* name : {"own", "mine", "only", "big", "ball"}) house.thing(name);
    house.feature("ball", note("ball", "asset = \"ball\""));
    house.feature("only", note("only", "asset = \"only\""));
    house.action_set("sa", note("sa"));
    house.experience("a",
                     "features = [\"ball\", \"only\"]\naction_sets = [\"sa\"]\nassets = [\"thing:big\", "
                     "\"thing:own\"]\n" +
                         note("x") + note("m", "asset = \"mine\""));
    house.experience("b", "features = [\"ball\"]\nassets = [\"thing:big\"]\n" + note("x") + note("b"));
    house.experience("c", "features = [\"ball\"]\nassets = [\"thing:big\"]\n" + note("x") + note("c"));
    stage = &house.stage();
    for (const Case& one : cases) {
        SCOPED_TRACE(one.held);
        house.inner.executor.hold(one.held);
        const auto first = host().set_experience("a");
        house.frames(8);
        ASSERT_FALSE(host().is_experience_loaded());
        const auto second = host().set_experience("b");
        EXPECT_EQ(first->outcome().by_generation, second->generation());
        house.frame();
        const auto third = host().set_experience("c");
        EXPECT_EQ(first->outcome().kind, SetOutcome::Kind::Superseded);
        EXPECT_EQ(second->outcome().kind, SetOutcome::Kind::Superseded);
        EXPECT_EQ(second->outcome().by_generation, third->generation());
        house.frames(12);
        EXPECT_EQ(third->is_open(), one.is_wanted) << host().explain_loading().to_text();
        house.inner.executor.release(one.held);
        house.frames(12);
        EXPECT_EQ(third->outcome().kind, SetOutcome::Kind::Loaded) << host().explain_loading().to_text();
        EXPECT_EQ(host().experience_id().name, Name("c"));
        EXPECT_FALSE(house.features().is_attached(Name("only"), stage->world()));
        // Nothing of the first two has run but what they have in common with the last; that once.
        std::string all = house.log() + " ";
        EXPECT_EQ(all.find("only.only.activating"), std::string::npos) << all;
        for (const char* never : {".sa.", ".m.", ".b."}) EXPECT_EQ(all.find(never), std::string::npos) << all;
        for (const char* once : {"ball.ball.activating(arena) ", "c.x.activating(arena) ", "c.c.activating(arena) "}) {
            EXPECT_NE(all.find(once), std::string::npos) << once << all;
            EXPECT_EQ(all.find(once), all.rfind(once)) << once << all;
        }
        EXPECT_EQ(all.find(".deactivating"), std::string::npos) << all;
        EXPECT_TRUE(host().clear_experience("").is_ok());
        house.settle(6);
        EXPECT_EQ(house.held(), "");
        house.log();
    }
}

TEST_F(HostSwitch, what_a_switch_goes_to_is_in_force_while_the_old_one_leaves) {
    // E-103, X-02
    house.experience("a", note("a", "pauses = true"));
    house.experience("b", note("b"));
    set("a");
    const auto first = host().set_experience("b");
    house.settle(6);
    ASSERT_EQ(host().state(), LoadState::Deactivating);
    const auto second = host().set_experience("b");
    EXPECT_EQ(second->generation(), first->generation());
    EXPECT_TRUE(first->is_open());
    story().tokens.clear();
    house.settle(6);
    EXPECT_EQ(first->outcome().kind, SetOutcome::Kind::Loaded);
    EXPECT_EQ(second->outcome().kind, SetOutcome::Kind::Loaded);
    EXPECT_EQ(host().generation(), first->generation());
}

TEST_F(HostSwitch, what_an_action_of_the_old_one_has_asked_for_is_not_asked_for_again) {
    //
    for (const char* name : {"mine", "slow"}) house.thing(name);
    house.experience("a", "assets = [\"thing:slow\"]\n" + note("m", "asset = \"mine\""));
    house.experience("b", "assets = [\"thing:slow\"]\n" + note("m", "asset = \"mine\"") + note("b"));
    stage = &house.stage();
    house.inner.executor.hold("slow");
    for (const char* id : {"a", "b", "a", "b"}) {
        ASSERT_TRUE(host().set_experience(id).is_ok());
        house.frames(6);
        const std::vector<std::string> taken = host().taken();
        EXPECT_EQ(std::count(taken.begin(), taken.end(), "asset thing:mine"), 1) << id;
        EXPECT_EQ(std::count(taken.begin(), taken.end(), "asset thing:slow"), 1) << id;
    }
    house.inner.executor.release("slow");
    house.settle(8);
    EXPECT_TRUE(host().is_experience_loaded());
    EXPECT_TRUE(host().clear_experience("").is_ok());
    house.settle(4);
    EXPECT_EQ(house.held(), "");
}

TEST_F(HostSwitch, a_chain_of_sets_with_things_held_and_released_at_random_ends_in_the_last) {
    // X-08, E-100
    const int rounds = is_long_run() ? 20'000 : 400;
    std::vector<std::string> files;
    for (int i = 0; i < 4; ++i) {
        house.thing(fmt::format("t{}", i));
        house.thing(fmt::format("own{}", i));
        house.feature(fmt::format("f{}", i), note("f", fmt::format("asset = \"t{}\"", i)));
        files.push_back(fmt::format("t{}.thing", i));
        files.push_back(fmt::format("own{}.thing", i));
    }
    Random random(23);
    std::vector<std::set<std::string>> should;  // whose hooks are up: "f1.f", "n2"
    for (int e = 0; e < 6; ++e) {
        std::string features, actions;
        std::set<std::string>& up = should.emplace_back();
        for (int i = 0; i < 4; ++i) {
            if (random.chance(0.5f)) {
                features += fmt::format("{}\"f{}\"", features.empty() ? "" : ", ", i);
                up.insert(fmt::format("f{}.f", i));
            }
            if (random.chance(0.5f)) {
                actions += note(fmt::format("n{}", i), fmt::format("asset = \"own{}\"", i));
                up.insert(fmt::format("n{}", i));
            }
        }
        house.experience(fmt::format("e{}", e), fmt::format("features = [{}]\n", features) + actions);
        files.push_back(fmt::format("e{}.experience", e));
    }
    stage = &house.stage();
    std::map<std::string, int> up;
    for (int round = 0; round < rounds; ++round) {
        SCOPED_TRACE(round);
        std::vector<SetTicket> tickets;
        std::set<std::string> held;
        std::size_t last = 0;
        for (auto sets = 2 + random.next_below(4); sets > 0; --sets) {
            for (const std::string& file : files)
                if (held.count(file) == 0 && random.chance(0.2f)) {
                    house.inner.executor.hold(file);
                    held.insert(file);
                } else if (held.count(file) != 0 && random.chance(0.3f)) {
                    house.inner.executor.release(file);
                    held.erase(file);
                }
            last = static_cast<std::size_t>(random.next_below(6));
            auto ticket = host().set_experience(fmt::format("e{}", last));
            ASSERT_TRUE(ticket.is_ok());
            tickets.push_back(*ticket);
            for (auto frames = random.next_below(6); frames > 0; --frames) house.frame();
        }
        for (const std::string& file : held) house.inner.executor.release(file);
        house.settle(20);
        ASSERT_TRUE(host().is_experience_loaded()) << host().explain_loading().to_text();
        ASSERT_EQ(host().experience_id().name, Name(fmt::format("e{}", last)));
        for (const SetTicket& ticket : tickets) {
            const SetOutcome::Kind kind = ticket.outcome().kind;
            const bool is_last = ticket.generation() == tickets.back().generation();
            ASSERT_TRUE(kind == SetOutcome::Kind::Loaded || (kind == SetOutcome::Kind::Superseded && !is_last))
                << ticket.outcome().to_string();
        }
        // Every hook in turn, and up is exactly what the last has.
        for (const std::string& line : story().lines) {
            const std::string who = line.substr(0, line.rfind('.')), hook = line.substr(line.rfind('.') + 1);
            if (hook != "activating(arena)" && hook != "deactivating(arena)") continue;
            const std::string action = line.front() == 'e' ? who.substr(who.find('.') + 1) : who;
            const bool comes = hook == "activating(arena)";
            ASSERT_EQ(up[action], comes ? 0 : 1) << line;
            up[action] = comes ? 1 : 0;
        }
        story().lines.clear();
        for (const auto& [action, count] : up)
            ASSERT_EQ(count, static_cast<int>(should[last].count(action))) << action << " in e" << last;
        for (const std::string& action : should[last]) ASSERT_EQ(up[action], 1) << action << " in e" << last;
    }
    EXPECT_TRUE(host().clear_experience("").is_ok());
    house.settle(4);
    EXPECT_EQ(house.held(), "");
}

TEST_F(HostSwitch, there_and_back_is_as_if_never_gone) {
    //
    two_of_three();
    set("a");
    const std::uint64_t hash = world_hash(stage->world());
    const std::vector<std::string> taken = host().taken();
    set("b");
    set("a");
    EXPECT_EQ(world_hash(stage->world()), hash);
    auto now = host().taken();
    auto before = taken;
    std::sort(now.begin(), now.end());
    std::sort(before.begin(), before.end());
    EXPECT_EQ(now, before);
}

TEST_F(HostSwitch, overlays_come_and_go_while_the_match_goes_on) {
    //
    house.feature("ball", note("ball"));
    house.feature("low_gravity", note("low"));
    house.action_set("mutator", "features = [\"low_gravity\"]\n" + note("m"));
    house.action_set("other", note("o"));
    house.experience("tag", "features = [\"ball\"]\n" + note("base"));
    Stage& server = house.stage("server", NetMode::DedicatedServer);
    Stage& client = house.stage("client", NetMode::Client);
    stage = &server;
    const assets::PrimaryAssetId mutator{Name("action_set"), Name("mutator")}, other{Name("action_set"), Name("other")};
    EXPECT_FALSE(server.host().add_action_set(mutator).is_ok());  // nothing is loaded
    set("tag");
    Playhouse::carry(server, client);
    house.settle(12);
    const std::uint64_t hash = world_hash(server.world());
    house.log();
    EXPECT_TRUE(server.host().add_action_set(mutator).is_ok());
    house.settle(12);
    EXPECT_FALSE(server.host().add_action_set(mutator).is_ok());
    EXPECT_TRUE(server.host().add_action_set(other).is_ok());
    house.settle(12);
    EXPECT_TRUE(server.host().is_experience_loaded());
    EXPECT_EQ(server.host().published().overlays, (std::vector{mutator, other}));
    Playhouse::carry(server, client);
    house.settle(12);
    EXPECT_TRUE(client.host().is_experience_loaded()) << client.host().explain_failure().to_text();
    EXPECT_EQ(house.features().is_attached(Name("low_gravity"), client.world()), true);
    EXPECT_EQ(house.log().find("base"), std::string::npos);
    EXPECT_TRUE(server.host().remove_action_set(mutator).is_ok());
    EXPECT_FALSE(server.host().remove_action_set({Name("action_set"), Name("nothing")}).is_ok());
    house.settle(12);
    EXPECT_TRUE(server.host().remove_action_set(other).is_ok());
    house.settle(12);
    Playhouse::carry(server, client);
    house.settle(12);
    EXPECT_EQ(world_hash(server.world()), hash);
    EXPECT_EQ(house.features().state(Name("low_gravity")), features::FeatureState::Installed);
    house.log();
    // Leaving takes them off newest first, before the base.
    EXPECT_TRUE(server.host().add_action_set(mutator).is_ok());
    house.settle(12);
    EXPECT_TRUE(server.host().add_action_set(other).is_ok());
    house.settle(12);
    house.log();
    EXPECT_TRUE(server.host().clear_experience("").is_ok());
    const std::string log = house.log();
    EXPECT_LT(log.find("tag.o.deactivating"), log.find("tag.m.deactivating"));
    EXPECT_LT(log.find("tag.m.deactivating"), log.find("tag.base.deactivating"));
    EXPECT_LT(log.find("low.deactivating"), log.find("ball.deactivating"));
}

TEST_F(HostSwitch, an_overlay_goes_through_the_states_that_it_needs_and_touches_nothing_that_others_have) {
    //
    house.feature("ball", note("ball"));
    house.feature("wind", note("wind"));
    house.action_set("mutator", "features = [\"ball\", \"wind\"]\n" + note("base") + note("second") + note("m"));
    house.action_set("other", "features = [\"wind\"]\n" + note("second"));
    house.experience("tag", "features = [\"ball\"]\n" + note("base"));
    set("tag");
    const assets::PrimaryAssetId mutator{Name("action_set"), Name("mutator")}, other{Name("action_set"), Name("other")};
    house.trace("arena");
    EXPECT_TRUE(host().add_action_set(mutator).is_ok());
    EXPECT_FALSE(host().is_experience_loaded());
    house.settle(12);
    EXPECT_EQ(house.trace("arena"), "Loading LoadingGameFeatures ExecutingActions Loaded");
    EXPECT_TRUE(host().add_action_set(other).is_ok());
    house.settle(12);
    EXPECT_EQ(house.trace("arena"), "Loading ExecutingActions Loaded");
    house.log();
    EXPECT_TRUE(host().remove_action_set(mutator).is_ok());
    house.settle(12);
    EXPECT_EQ(house.trace("arena"), "Loading Deactivating ExecutingActions Loaded");
    EXPECT_EQ(house.log(), "tag.m.deactivating(arena) tag.m.unloading tag.m.unregistering");
    EXPECT_TRUE(host().remove_action_set(other).is_ok());
    house.settle(12);
    const std::string log = house.log();
    EXPECT_NE(log.find("wind.wind.deactivating"), std::string::npos) << log;
    EXPECT_EQ(log.find("base"), std::string::npos) << log;
    EXPECT_EQ(log.find("ball"), std::string::npos) << log;
}

TEST_F(HostSwitch, what_was_kept_for_a_switch_that_fails_goes_before_another_experience_comes) {
    // X-03, E-109
    two_of_three();
    house.experience("bad", "features = [\"one\"]\n" + note("shared") + note("bad", "fails = \"activating\"") +
                                "[failure]\npolicy = \"fall_back\"\nto = \"c\"\n");
    house.experience("c", "features = [\"two\"]\n" + note("c"));
    set("a");
    house.log();
    set("bad", {}, 30);
    ASSERT_TRUE(host().is_experience_loaded()) << host().explain_failure().to_text();
    EXPECT_EQ(host().experience_id().to_string(), "experience:c");
    const std::string log = house.log();
    for (const char* kept : {".shared.deactivating", "one.one.deactivating"}) {
        EXPECT_NE(log.find(kept), std::string::npos) << log;
        EXPECT_LT(log.find(kept), log.find("two.two.activating")) << log;
        EXPECT_LT(log.find(kept), log.find("c.c.registering")) << log;
    }
    EXPECT_TRUE(host().clear_experience("").is_ok());
    house.settle(4);
    EXPECT_EQ(house.held(), "");
}

TEST_F(HostSwitch, overlays_that_are_loaded_together_with_the_base_leave_before_it) {
    // X-19, E-77
    house.feature("zebra", note("z"));
    house.feature("ant", note("a"));
    house.feature("bee", note("b"));
    house.experience("tag", "features = [\"zebra\"]\n");
    stage = &house.stage();
    SelectionSources sources;
    sources.project_default = "tag";
    ASSERT_TRUE(host().init_game(sources, {{Name("feature"), Name("bee")}, {Name("feature"), Name("ant")}}).is_ok());
    house.settle(12);
    ASSERT_TRUE(host().is_experience_loaded());
    house.log();
    EXPECT_TRUE(host().clear_experience("").is_ok());
    house.settle(4);
    std::string order;
    std::istringstream log(house.log());
    for (std::string line; log >> line;)
        if (line.find(".deactivating") != std::string::npos) order += line.substr(0, line.find('.')) + " ";
    EXPECT_EQ(order, "ant bee zebra ");
    EXPECT_EQ(house.held(), "");
}

TEST_F(HostSwitch, what_a_switch_has_kept_of_overlays_is_older_than_what_came_with_it_and_leaves_after_it) {
    // X-19, E-77
    for (const char* id : {"base_a", "base_b", "over"}) house.feature(id, note("f"));
    house.action_set("set", note("set"));
    house.experience("a", "features = [\"base_a\"]\n" + note("a"));
    house.experience("b", "features = [\"base_b\"]\n" + note("b"));
    stage = &house.stage();
    const auto deactivated = [&] {
        std::string order;
        std::istringstream log(house.log());
        for (std::string line; log >> line;)
            if (line.find(".deactivating") != std::string::npos) order += line.substr(0, line.rfind('.')) + " ";
        return order;
    };
    SelectionSources sources;
    sources.project_default = "a";
    ASSERT_TRUE(
        host().init_game(sources, {{Name("feature"), Name("over")}, {Name("action_set"), Name("set")}}).is_ok());
    house.settle(12);
    ASSERT_TRUE(host().is_experience_loaded());
    set("b");
    EXPECT_EQ(deactivated(), "a.a base_a.f ");
    EXPECT_TRUE(host().clear_experience("").is_ok());
    house.settle(4);
    EXPECT_EQ(deactivated(), "b.b a.set base_b.f over.f ");
    EXPECT_EQ(house.held(), "");
}

TEST_F(HostSwitch, an_overlay_that_fails_does_not_end_the_match) {
    //
    house.feature("needs_more", features::needs("nobody"));
    house.feature("broken", note("b", "fails = \"activating\""));
    house.action_set("bad", note("bad", "fails = \"activating\""));
    house.action_set("misspelt", note("m", "colour = 3"));
    house.action_set("unknown", "features = [\"nobody\"]\n");
    house.experience("tag", note("a"));  // by its own policy it would stay failed
    set("tag");
    house.log();
    const std::uint32_t before = host().generation();
    const auto refused = host().add_action_set({Name("feature"), Name("needs_more")});
    EXPECT_NE(refused.status().text().find("nobody"), std::string::npos) << refused.status().text();
    EXPECT_EQ(host().generation(), before);
    EXPECT_TRUE(host().is_experience_loaded());
    for (const auto& [type, name] : {std::pair{"action_set", "bad"}, std::pair{"action_set", "misspelt"},
                                     std::pair{"action_set", "unknown"}, std::pair{"feature", "broken"}}) {
        SCOPED_TRACE(name);
        const auto ticket = host().add_action_set({Name(type), Name(name)});
        ASSERT_TRUE(ticket.is_ok()) << ticket.status().text();
        house.settle(15);
        EXPECT_TRUE(host().is_experience_loaded()) << host().explain_failure().to_text();
        EXPECT_TRUE(host().published().overlays.empty());
        EXPECT_EQ(ticket->outcome().kind, SetOutcome::Kind::FellBack) << ticket->outcome().to_string();
        EXPECT_EQ(host().explain_failure().attempts.size(), 1u);  // of this change alone
        EXPECT_EQ(house.log().find("tag.a."), std::string::npos);
    }
    const auto ticket = host().add_action_set({Name("action_set"), Name("bad")}, FailurePolicy{});  // told otherwise
    house.settle(15);
    EXPECT_EQ(ticket->outcome().kind, SetOutcome::Kind::Failed);
    EXPECT_EQ(host().state(), LoadState::Failed);
}

TEST_F(HostSwitch, features_and_sets_of_the_command_line_are_on_top_of_whatever_is_chosen) {
    //
    house.feature("sprint", note("s"));
    house.action_set("fast", note("f"));
    house.experience("tag", note("t"));
    house.experience("chess", note("c"));
    stage = &house.stage();
    SelectionSources sources;
    sources.project_default = "tag";
    const assets::PrimaryAssetId sprint{Name("feature"), Name("sprint")}, fast{Name("action_set"), Name("fast")};
    const Status unknown = host().init_game(sources, {{Name("feature"), Name("sprnt")}});
    EXPECT_NE(unknown.text().find("sprint"), std::string::npos) << unknown.text();
    EXPECT_FALSE(host().init_game(sources, {{Name("action_set"), Name("fats")}}).is_ok());
    EXPECT_FALSE(host().init_game(sources, {{Name("map"), Name("fats")}}).is_ok());
    EXPECT_TRUE(host().init_game(sources, {sprint, fast}).is_ok());
    house.settle(15);
    EXPECT_TRUE(host().is_experience_loaded());
    EXPECT_EQ(host().published().overlays, (std::vector{sprint, fast}));
    EXPECT_TRUE(house.features().is_attached(Name("sprint"), stage->world()));
    set("chess");
    EXPECT_TRUE(house.features().is_attached(Name("sprint"), stage->world()));
    EXPECT_EQ(host().published().overlays, (std::vector{sprint, fast}));
}

TEST_F(HostSwitch, a_listener_of_variables_that_throws_is_reported_and_stops_no_walk) {
    //
    auto variable = house.runtime().variables().add<double>({.name = "game.gravity", .default_value = 1});
    ASSERT_TRUE(variable.is_ok());
    house.experience("one", gravity(2) + gravity(3));
    house.experience("two", gravity(3) + gravity(2));
    stage = &house.stage();
    int thrown = 0;
    const Connection angry = stage->world().variables().changed().add([&](const VariableChange&) {
        ++thrown;
        throw std::runtime_error("on purpose");
    });
    set("one");
    EXPECT_TRUE(host().is_experience_loaded()) << host().failure().to_string();
    EXPECT_EQ(stage->world().variables().get(*variable), 3);
    set("two");
    EXPECT_TRUE(host().is_experience_loaded()) << host().failure().to_string();
    EXPECT_EQ(stage->world().variables().get(*variable), 2);
    EXPECT_TRUE(host().clear_experience("").is_ok());
    house.settle(10);
    EXPECT_EQ(host().state(), LoadState::Unloaded);
    EXPECT_EQ(stage->world().variables().get(*variable), 1);
    EXPECT_EQ(house.held(), "");
    EXPECT_GE(thrown, 4);
    EXPECT_EQ(house.reports("variables.callback"), static_cast<std::uint64_t>(thrown));
}

TEST_F(HostSwitch, a_bad_experience_does_not_take_down_a_good_one_that_runs_elsewhere) {
    two_of_three();
    house.experience("bad", "features = [\"one\", \"only_b\"]\n" + note("bad", "fails = \"activating\""));
    set("a");
    Stage& second = house.stage("second");
    house.log();
    ASSERT_TRUE(second.host().set_experience("bad").is_ok());
    house.settle(20);
    EXPECT_EQ(second.host().state(), LoadState::Failed);
    EXPECT_TRUE(host().is_experience_loaded());
    EXPECT_EQ(house.log().find("(arena)"), std::string::npos);
}

}  // namespace host_switch_test
}  // namespace lyre::experience
