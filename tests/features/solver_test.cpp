#include "lyre/features/solver.h"

#include <chrono>
#include <deque>
#include <gtest/gtest.h>
#include <set>

#include "lyre/features/detail/feature_graph.h"

#include "tests/property.h"

namespace lyre::features {
namespace solver_test {

// "tag" or "tag 0.3.0"; dependencies "core ^0.2", "?bots" (optional), "!chess" (incompatible), "core@client", each with
// "# reason" behind it if wished.
class Shelf {
public:
    Manifest& add(const std::string& feature, const std::vector<std::string>& dependencies = {}) {
        const std::size_t space = feature.find(' ');
        Manifest& manifest = manifests_.emplace_back();
        manifest.id = Name(feature.substr(0, space));
        manifest.version = Version::parse(space == std::string::npos ? "1.0.0" : feature.substr(space + 1)).value();
        for (const std::string& text : dependencies) manifest.dependencies.push_back(dependency(text));
        EXPECT_TRUE(catalogue.add(manifest)) << feature;
        return manifest;
    }
    static Dependency dependency(std::string text) {
        Dependency dependency;
        if (const std::size_t hash = text.find(" # "); hash != std::string::npos) {
            dependency.reason = text.substr(hash + 3);
            text.resize(hash);
        }
        if (text.front() == '?' || text.front() == '!') {
            dependency.kind = text.front() == '?' ? DependencyKind::Optional : DependencyKind::Incompatible;
            text.erase(0, 1);
        }
        const std::size_t space = text.find(' ');
        if (space != std::string::npos) dependency.versions = VersionRange::parse(text.substr(space + 1)).value();
        text = text.substr(0, space);
        const std::size_t at = text.find('@');
        if (at != std::string::npos) dependency.side = text.substr(at + 1) == "client" ? Side::Client : Side::Server;
        dependency.id = Name(text.substr(0, at));
        return dependency;
    }
    Plan plan(const std::vector<std::string>& asked, Roles roles = Roles::all()) const {
        std::vector<Wish> wishes;
        for (std::string text : asked) {
            const bool is_optional = text.front() == '?';
            const Dependency wished = dependency(text);
            wishes.push_back({wished.id, wished.versions, "", is_optional ? Need::Optional : Need::Required});
        }
        return make_plan(catalogue, wishes, roles);
    }
    Catalogue catalogue;

private:
    std::deque<Manifest> manifests_;
};

std::string text_of(const std::vector<Name>& names) {
    std::string text;
    for (const Name name : names) text += (text.empty() ? "" : " ") + std::string(name.text());
    return text;
}
std::vector<std::vector<Name>> cycles_of(const Catalogue& catalogue, Roles roles = Roles::all()) {
    std::vector<Name> ids;
    for (const auto& [id, manifest] : catalogue.all()) ids.push_back(id);
    const detail::FeatureGraph graph(catalogue, ids, roles);
    std::vector<std::vector<Name>> all;
    for (const auto& cycle : graph.cycles()) {
        std::vector<Name>& names = all.emplace_back();
        for (const auto node : cycle) names.push_back(graph[node].id);
    }
    return all;
}
std::string errors_of(const Plan& plan) {
    EXPECT_TRUE(plan.is_ok() || plan.order.empty());
    std::string text;
    for (const FeatureError& error : plan.errors)
        text += fmt::format("{}{} {}: {}", text.empty() ? "" : "\n", error.feature, to_string(error.code), error.text);
    return text;
}
std::string degraded_of(const Plan& plan) {
    std::string text;
    for (const Degraded& d : plan.degraded)
        text += fmt::format("{}{} for {}: {}", text.empty() ? "" : "\n", d.feature, d.wanted_by, d.reason);
    return text;
}

TEST(Solver, dependencies_come_first_and_ties_go_by_id) {
    // F-42
    Shelf shelf;
    shelf.add("tag", {"core", "?weather"});
    shelf.add("core", {"zlib", "math"});
    shelf.add("weather");
    shelf.add("math");
    shelf.add("zlib");
    shelf.add("unasked");
    EXPECT_EQ(text_of(shelf.plan({"tag"}).order), "math weather zlib core tag");
    EXPECT_EQ(text_of(shelf.plan({"zlib", "core", "core"}).order), "math zlib core");
    EXPECT_EQ(text_of(shelf.plan({}).order), "");
}

TEST(Solver, a_missing_dependency_is_told_with_its_chain_reason_and_nearest_id) {
    // F-22
    Shelf shelf;
    shelf.add("tag", {"arena_core"});
    shelf.add("arena_core", {"physics ^1.2 # solid walls"});
    const Wish wish{Name("tag"), {}, "experience tag (content/tag.experience.toml:3:14)", Need::Required};
    EXPECT_EQ(
        errors_of(make_plan(shelf.catalogue, {&wish, 1}, Roles::all())),
        "tag DependencyMissing: tag -> arena_core -> physics: arena_core needs physics ^1.2 (solid walls), and there "
        "is no such feature; add physics ^1.2 to the game's features, or take out tag, asked for by experience tag "
        "(content/tag.experience.toml:3:14)");
    shelf.add("physic");
    EXPECT_EQ(
        errors_of(shelf.plan({"tag"})),
        "tag DependencyMissing: tag -> arena_core -> physics: arena_core needs physics ^1.2 (solid walls), and there "
        "is no such feature; did you mean \"physic\"? Otherwise add physics ^1.2 to the game's features, or take "
        "out tag");
}

TEST(Solver, the_shortest_chain_to_what_is_missing_is_told_once) {
    // F-22
    Shelf shelf;
    shelf.add("a", {"b"});
    shelf.add("b", {"c"});
    shelf.add("c", {"gone_for_good"});
    shelf.add("d", {"gone_for_good"});
    EXPECT_EQ(errors_of(shelf.plan({"a", "d"})),
              "d DependencyMissing: d -> gone_for_good: d needs gone_for_good, and there is no such feature; add "
              "gone_for_good to the game's features, or take out d");
}

TEST(Solver, an_unknown_feature_names_who_asks_and_the_nearest) {
    // F-22
    Shelf shelf;
    shelf.add("tag");
    const Wish wish{Name("tga"), {}, "--feature", Need::Required};
    EXPECT_EQ(errors_of(make_plan(shelf.catalogue, {&wish, 1}, Roles::all())),
              "tga UnknownFeature: there is no feature \"tga\", asked for by --feature; did you mean \"tag\"?");
    EXPECT_EQ(
        errors_of(shelf.plan({"something_else"})),
        "something_else UnknownFeature: there is no feature \"something_else\"; add it to the game's features, or "
        "mend the name");
    EXPECT_EQ(shelf.plan({"tga"}).errors[0].to_string(),
              "GameFeature.UnknownStatus.UnknownFeature: there is no feature \"tga\"; did you mean \"tag\"?");
}

TEST(Solver, a_cycle_is_printed_whole_beginning_with_the_smallest_id) {
    // F-58
    Shelf shelf;
    shelf.add("self", {"self"});
    shelf.add("y", {"x"});
    shelf.add("x", {"?y"});
    shelf.add("c", {"d"});
    shelf.add("d", {"e"});
    shelf.add("e", {"a"});
    shelf.add("a", {"b"});
    shelf.add("b", {"c"});
    shelf.add("outside", {"fine"});
    shelf.add("fine");
    shelf.add("needs_y", {"y"});
    const auto cycles = cycles_of(shelf.catalogue);
    ASSERT_EQ(cycles.size(), 3u);
    EXPECT_EQ(cycle_text(cycles[0]), "a -> b -> c -> d -> e -> a");
    EXPECT_EQ(cycle_text(cycles[1]), "self -> self");
    EXPECT_EQ(cycle_text(cycles[2]), "x -> y -> x");
    EXPECT_EQ(
        errors_of(shelf.plan({"d"})),
        "d DependencyCycle: a -> b -> c -> d -> e -> a: each needs the one behind it, so none can come first; take "
        "one of these dependencies out");
    EXPECT_EQ(
        errors_of(shelf.plan({"needs_y", "self"})),
        "self DependencyCycle: self -> self: each needs the one behind it, so none can come first; take one of "
        "these dependencies out\n"
        "needs_y DependencyCycle: x -> y -> x: each needs the one behind it, so none can come first (needed by way of "
        "needs_y -> y); take one of these dependencies out");
    EXPECT_EQ(text_of(shelf.plan({"outside"}).order), "fine outside");
}

TEST(Solver, every_feature_of_entangled_cycles_is_in_one_that_is_told) {
    // F-58
    Shelf shelf;
    shelf.add("a", {"b", "c"});
    shelf.add("b", {"a"});
    shelf.add("c", {"d"});
    shelf.add("d", {"a"});
    const auto cycles = cycles_of(shelf.catalogue);
    ASSERT_EQ(cycles.size(), 2u);
    EXPECT_EQ(cycle_text(cycles[0]), "a -> b -> a");
    EXPECT_EQ(cycle_text(cycles[1]), "a -> c -> d -> a");
}

TEST(Solver, a_cycle_that_exists_only_on_one_side_counts_only_there) {
    // F-58, F-62
    Shelf shelf;
    shelf.add("a", {"b@client"});
    shelf.add("b", {"a@server"});
    EXPECT_TRUE(cycles_of(shelf.catalogue, Roles::of(NetMode::Client)).empty());
    EXPECT_TRUE(shelf.plan({"a"}, Roles::of(NetMode::DedicatedServer)).is_ok());
    EXPECT_EQ(cycles_of(shelf.catalogue, Roles::of(NetMode::ListenServer)).size(), 1u);
}

TEST(Solver, an_optional_dependency_that_does_not_work_out_is_left_out_with_the_reason) {
    // F-59
    Shelf shelf;
    shelf.add("tag", {"?absent", "?old ^2", "?broken", "?circle_a", "?enemy", "?present", "core"});
    shelf.add("core", {"!enemy # it steals the ball"});
    shelf.add("old 1.4.0");
    shelf.add("broken", {"deeper"});
    shelf.add("deeper", {"nowhere ^3"});
    shelf.add("circle_a", {"circle_b"});
    shelf.add("circle_b", {"circle_a"});
    shelf.add("enemy");
    shelf.add("present", {"helper"});
    shelf.add("helper");
    const Plan plan = shelf.plan({"tag"});
    EXPECT_EQ(errors_of(plan), "");
    EXPECT_EQ(text_of(plan.order), "core helper present tag");
    EXPECT_EQ(
        degraded_of(plan),
        "absent for tag: there is no such feature\n"
        "broken for tag: deeper needs nowhere ^3, and there is no such feature\n"
        "circle_a for tag: circle_a -> circle_b -> circle_a: each needs the one behind it, so none can come first\n"
        "enemy for tag: core and enemy cannot be active in one world, as core says (it steals the ball)\n"
        "old for tag: it is 1.4.0 here, and ^2 is wanted");
}

TEST(Solver, an_optional_one_that_needs_another_version_is_left_out) {
    // F-59, F-61
    Shelf shelf;
    shelf.add("tag", {"core ^1", "?bots"});
    shelf.add("core 1.0.0");
    shelf.add("bots", {"core ^2"});
    const Plan plan = shelf.plan({"tag", "?nobody", "?core ^3"});
    EXPECT_EQ(text_of(plan.order), "core tag");
    EXPECT_EQ(degraded_of(plan),
              "bots for tag: bots needs core ^2, and that is 1.0.0 here\n"
              "core for : it is 1.0.0 here, and ^3 is wanted\n"
              "nobody for : there is no such feature");
}

TEST(Solver, of_two_optional_ones_that_exclude_each_other_the_first_stays) {
    // F-59, F-60
    Shelf shelf;
    shelf.add("tag", {"?rain", "?snow"});
    shelf.add("rain");
    shelf.add("snow", {"!rain # one sky"});
    const Plan plan = shelf.plan({"tag"});
    EXPECT_EQ(text_of(plan.order), "rain tag");
    EXPECT_EQ(degraded_of(plan), "snow for tag: rain and snow cannot be active in one world, as snow says (one sky)");
}

TEST(Solver, an_optional_dependency_that_is_there_is_ordered_like_a_required_one) {
    // F-59, F-42
    Shelf shelf;
    shelf.add("a", {"?z"});
    shelf.add("z", {"?y"});
    shelf.add("y");
    EXPECT_EQ(text_of(shelf.plan({"a"}).order), "y z a");
}

TEST(Solver, incompatible_features_are_refused_whoever_says_so) {
    // F-60
    for (const bool does_tag_say_so : {true, false}) {
        Shelf shelf;
        shelf.add("tag", does_tag_say_so ? std::vector<std::string>{"!chess # both own the board"}
                                         : std::vector<std::string>{});
        shelf.add("chess",
                  does_tag_say_so ? std::vector<std::string>{} : std::vector<std::string>{"!tag # both own the board"});
        shelf.add("arena", {"chess"});
        shelf.add("bystander");
        EXPECT_EQ(
            errors_of(shelf.plan({"tag", "arena", "bystander"})),
            fmt::format("arena Incompatible: chess and tag cannot be active in one world, as {} says (both own the "
                        "board); take out chess, needed by arena -> chess, or tag",
                        does_tag_say_so ? "tag" : "chess"));
        EXPECT_TRUE(shelf.plan({"tag", "bystander"}).is_ok());
    }
}

TEST(Solver, only_the_versions_and_sides_that_are_named_are_incompatible) {
    // F-60, F-62
    Shelf shelf;
    shelf.add("tag", {"!chess@client <2.0"});
    shelf.add("chess 1.9.0");
    EXPECT_FALSE(shelf.plan({"tag", "chess"}).is_ok());
    EXPECT_TRUE(shelf.plan({"tag", "chess"}, Roles::of(NetMode::DedicatedServer)).is_ok());
    Shelf newer;
    newer.add("tag", {"!chess <2.0"});
    newer.add("chess 2.0.0");
    EXPECT_TRUE(newer.plan({"tag", "chess"}).is_ok());
}

TEST(Solver, world_and_process_scope_differ_in_who_counts_as_together) {
    // F-60
    Shelf shelf;
    shelf.add("tag", {"!chess", "!audio # one sound card"}).dependencies[1].scope = Scope::Process;
    shelf.add("chess");
    shelf.add("audio");
    const std::vector<Name> all = {Name("chess"), Name("tag"), Name("audio"), Name("unknown"), Name("tag")};
    const auto in_world = find_incompatible(shelf.catalogue, all, Roles::all(), Scope::World);
    ASSERT_EQ(in_world.size(), 2u);
    EXPECT_EQ(in_world[1].text(), "chess and tag cannot be active in one world, as tag says");
    const auto in_process = find_incompatible(shelf.catalogue, all, Roles::all(), Scope::Process);
    ASSERT_EQ(in_process.size(), 1u);
    EXPECT_EQ(
        in_process[0].to_error(Name("tag")).to_string(),
        "GameFeature.Installed.Incompatible: audio and tag cannot be active in one process, as tag says (one sound "
        "card); take one of them out");
}

TEST(Solver, a_version_that_does_not_fit_names_who_wants_what_and_what_is_there) {
    // F-61
    Shelf shelf;
    shelf.add("arena", {"tag"});
    shelf.add("tag", {"arena_core ^0.2 # spawn points"});
    shelf.add("bots", {"arena_core >=0.2.5"});
    shelf.add("arena_core 0.3.0");
    EXPECT_EQ(
        errors_of(shelf.plan({"arena"})),
        "arena DependencyVersion: arena_core is 0.3.0 here, but arena -> tag needs ^0.2 (spawn points); a version in "
        "^0.2 would do");
    EXPECT_EQ(
        errors_of(shelf.plan({"arena", "bots"})),
        "bots DependencyVersion: arena_core is 0.3.0 here, but arena -> tag needs ^0.2 (spawn points); a version in "
        ">=0.2.5 <0.3.0 would do");
    EXPECT_EQ(errors_of(shelf.plan({"arena_core =0.1.0"})),
              "arena_core DependencyVersion: arena_core is 0.3.0 here, but the request asks for =0.1.0; a version in "
              "=0.1.0 would do");
}

TEST(Solver, a_pre_release_that_would_fit_as_a_release_is_explained) {
    // F-61, F-54
    Shelf shelf;
    shelf.add("tag", {"core ^0.2"});
    shelf.add("core 0.2.1-dev");
    EXPECT_EQ(errors_of(shelf.plan({"tag"})),
              "tag DependencyVersion: core is 0.2.1-dev here, but tag needs ^0.2; a version in ^0.2 would do (a "
              "pre-release fits only a range that names one of the same version)");
}

TEST(Solver, a_diamond_with_disjoint_ranges_names_both) {
    // F-61, X-116
    Shelf shelf;
    shelf.add("top", {"left", "right"});
    shelf.add("left", {"core ^0.2 # old names"});
    shelf.add("right", {"core ^0.3 # new names"});
    shelf.add("other", {"core >=0.1"});
    shelf.add("core 0.3.0");
    EXPECT_EQ(errors_of(shelf.plan({"top", "other"})),
              "other DependencyVersion: no version of core can do: top -> left needs ^0.2 (old names) and top -> right "
              "needs ^0.3 (new names); it is 0.3.0 here. Widen one of these ranges, or take out who asks for it");
}

TEST(Solver, a_conflict_of_three_of_which_any_two_fit_names_exactly_those_three) {
    //
    Shelf shelf;
    shelf.add("a", {"core >=1.0.0-a # new format"});
    shelf.add("b", {"core <1.0.0-z # old calls"});
    shelf.add("c", {"core >=0.1 <2.0 # tested"});
    shelf.add("d", {"core >=0.0.1"});
    shelf.add("e", {"core"});
    shelf.add("core 1.0.0-b");
    for (const auto& pair : {std::pair("a", "b"), std::pair("a", "c"), std::pair("b", "c")}) {
        const Plan plan = shelf.plan({pair.first, pair.second});
        EXPECT_EQ(errors_of(plan).find("no version"), std::string::npos) << errors_of(plan);
    }
    EXPECT_EQ(errors_of(shelf.plan({"e", "d", "c", "b", "a"})),
              "a DependencyVersion: no version of core can do: a needs >=1.0.0-a (new format), b needs <1.0.0-z (old "
              "calls) and c needs >=0.1 <2.0 (tested); it is 1.0.0-b here. Widen one of these ranges, or take out who "
              "asks for it");
}

TEST(Solver, a_range_that_contains_nothing_is_the_whole_conflict) {
    //
    Shelf shelf;
    shelf.add("tag", {"core >2 <1"});
    shelf.add("bots", {"core ^1"});
    shelf.add("core");
    EXPECT_EQ(errors_of(shelf.plan({"bots", "tag"})),
              "bots DependencyVersion: no version of core can do: tag needs >2 <1; it is 1.0.0 here. Mend this range, "
              "which contains nothing");
}

TEST(Solver, a_dependency_with_a_side_counts_only_for_roles_of_that_side) {
    // F-62
    Shelf shelf;
    shelf.add("tag", {"hud@client", "referee@server"});
    shelf.add("hud");
    shelf.add("referee");
    const std::pair<NetMode, const char*> cases[] = {{NetMode::Standalone, "hud referee tag"},
                                                     {NetMode::ListenServer, "hud referee tag"},
                                                     {NetMode::DedicatedServer, "referee tag"},
                                                     {NetMode::Client, "hud tag"}};
    for (const auto& [mode, order] : cases) EXPECT_EQ(text_of(shelf.plan({"tag"}, Roles::of(mode)).order), order);
    Shelf server;
    server.add("tag", {"hud@client"});
    EXPECT_TRUE(server.plan({"tag"}, Roles::of(NetMode::DedicatedServer)).is_ok());
    EXPECT_FALSE(server.plan({"tag"}, Roles::of(NetMode::Client)).is_ok());
}

TEST(Solver, all_that_is_wrong_is_told_together_to_a_bound) {
    // F-22, F-58, F-60, F-61
    Shelf shelf;
    shelf.add("a", {"gone_away", "b ^2", "!c"});
    shelf.add("b");
    shelf.add("c", {"d"});
    shelf.add("d", {"c"});
    std::vector<ErrorCode> codes;
    for (const FeatureError& error : shelf.plan({"a", "c", "what"}).errors) codes.push_back(error.code);
    EXPECT_EQ(codes, (std::vector{ErrorCode::UnknownFeature, ErrorCode::DependencyMissing, ErrorCode::DependencyCycle,
                                  ErrorCode::DependencyVersion, ErrorCode::Incompatible}));
    std::vector<std::string> many;
    for (int i = 0; i < 250; ++i) many.push_back(fmt::format("zz{}", i));
    const Plan plan = shelf.plan(many);
    EXPECT_EQ(plan.errors.size(), Plan::kMaxErrors);
    EXPECT_EQ(plan.errors_dropped, 250 - Plan::kMaxErrors);
}

TEST(Solver, a_batch_is_in_order_though_what_lies_between_is_not_listed) {
    // F-42
    Shelf shelf;
    shelf.add("a", {"between"});
    shelf.add("between", {"z"});
    shelf.add("z");
    shelf.add("b", {"unlisted"});
    shelf.add("unlisted");
    shelf.add("ring", {"ring"});
    const std::vector<Name> batch = {Name("z"), Name("ring"), Name("nobody"), Name("a"), Name("b"), Name("z")};
    EXPECT_EQ(text_of(topological_order(shelf.catalogue, batch)), "b z a ring nobody");
}

TEST(Solver, ten_thousand_features_in_a_chain_are_planned_without_deep_calls_and_in_time) {
    // F-42, F-58, F-22
    constexpr int kCount = 10'000;
    const auto id = [](int i) { return fmt::format("f{:05}", i); };
    Shelf chain, ring, broken;
    for (int i = 0; i < kCount; ++i) {
        chain.add(id(i), i + 1 < kCount ? std::vector{id(i + 1) + " ^1"} : std::vector<std::string>{});
        ring.add(id(i), {id((i + 1) % kCount)});
        broken.add(id(i), {id(i + 1) + " ^1"});
    }
    const auto begin = std::chrono::steady_clock::now();
    const Plan plan = chain.plan({id(0)});
    ASSERT_EQ(plan.order.size(), static_cast<std::size_t>(kCount));
    EXPECT_EQ(plan.order.front(), Name(id(kCount - 1)));
    ASSERT_EQ(cycles_of(ring.catalogue).size(), 1u);
    EXPECT_EQ(cycles_of(ring.catalogue)[0].size(), static_cast<std::size_t>(kCount));
    const Plan missing = broken.plan({id(0)});
    ASSERT_EQ(missing.errors.size(), 1u);
    EXPECT_LT(missing.errors[0].text.size(), 2000u);
    EXPECT_NE(missing.errors[0].text.find("(9936 more)"), std::string::npos) << missing.errors[0].text;
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));  // takes some 0.1 s
}

// Random graphs, against what the definition says, done the slow way.
struct Graph {
    std::vector<std::vector<std::string>> dependencies;  // of "f0", "f1", ...
    std::vector<std::string> asked;
};
rc::Gen<Graph> graphs(bool with_versions) {
    return rc::gen::exec([with_versions] {
        Graph graph;
        const int count = *rc::gen::inRange(1, 9);
        graph.dependencies.resize(static_cast<std::size_t>(count));
        for (auto& dependencies : graph.dependencies)
            for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
                std::string text = *rc::gen::element<std::string>("", "", "", "?", "?", "!");
                text += fmt::format("f{}", *rc::gen::inRange(0, count + (with_versions ? 1 : 0)));
                if (with_versions) text += *rc::gen::element<std::string>("", "", "@client", " ^1", " ^2", " <1.5");
                dependencies.push_back(text);
            }
        for (int i = *rc::gen::inRange(1, 4); i > 0; --i)
            graph.asked.push_back(fmt::format("f{}", *rc::gen::inRange(0, count)));
        return graph;
    });
}
void fill(Shelf& shelf, const Graph& graph) {
    for (std::size_t i = 0; i < graph.dependencies.size(); ++i)
        shelf.add(fmt::format("f{} 1.{}.0", i, i), graph.dependencies[i]);
}

class Reference {
public:
    Reference(const Catalogue& catalogue, Roles roles) : catalogue_(catalogue), roles_(roles) {}
    bool reaches(Name from, Name to, std::set<Name> seen = {}) const {  // by one edge at least
        for (const Dependency& d : catalogue_.find(from)->dependencies) {
            if (d.kind == DependencyKind::Incompatible || !roles_.has(d.side) || catalogue_.find(d.id) == nullptr)
                continue;
            if (d.id == to || (seen.insert(d.id).second && reaches(d.id, to, seen))) return true;
        }
        return false;
    }
    void need(Name id, std::set<Name>& needed) const {
        if (!needed.insert(id).second || catalogue_.find(id) == nullptr) return;
        for (const Dependency& d : catalogue_.find(id)->dependencies)
            if (d.kind == DependencyKind::Required && roles_.has(d.side)) need(d.id, needed);
    }
    bool is_sound(const std::set<Name>& all) const {
        for (const Name id : all) {
            const Manifest* manifest = catalogue_.find(id);
            if (manifest == nullptr || reaches(id, id)) return false;
            for (const Dependency& d : manifest->dependencies) {
                if (!roles_.has(d.side) || d.kind == DependencyKind::Optional) continue;
                const bool is_required = d.kind == DependencyKind::Required;
                if (is_required && (all.count(d.id) == 0 || !catalogue_.find(d.id) ||
                                    !d.versions.contains(catalogue_.find(d.id)->version)))
                    return false;
                if (!is_required && d.id != id && all.count(d.id) != 0 && catalogue_.find(d.id) &&
                    d.versions.contains(catalogue_.find(d.id)->version))
                    return false;
            }
        }
        return true;
    }

private:
    const Catalogue& catalogue_;
    Roles roles_;
};

TEST(Solver, a_plan_is_made_exactly_when_what_is_needed_is_sound) {
    // F-22, F-58, F-60, F-61, F-62
    int sound = 0;
    check_property(
        [&] {
            const Graph graph = *graphs(true);
            const Roles roles = *rc::gen::element(Roles::all(), Roles::of(NetMode::DedicatedServer));
            Shelf shelf;
            fill(shelf, graph);
            const Reference reference(shelf.catalogue, roles);
            std::set<Name> needed;
            for (const std::string& id : graph.asked) reference.need(Name(id), needed);
            const Plan plan = shelf.plan(graph.asked, roles);
            RC_ASSERT(plan.is_ok() == reference.is_sound(needed));
            RC_ASSERT(plan.is_ok() || plan.order.empty());
            if (!plan.is_ok()) return;
            ++sound;
            const std::set<Name> taken(plan.order.begin(), plan.order.end());
            RC_ASSERT(taken.size() == plan.order.size());
            RC_ASSERT(reference.is_sound(taken));
            RC_ASSERT(std::includes(taken.begin(), taken.end(), needed.begin(), needed.end()));
            // An optional one that is wished for and not there could not have been added.
            for (const Name id : taken)
                for (const Dependency& d : shelf.catalogue.find(id)->dependencies) {
                    const Manifest* other = shelf.catalogue.find(d.id);
                    if (d.kind != DependencyKind::Optional || !roles.has(d.side)) continue;
                    const bool is_told =
                        std::any_of(plan.degraded.begin(), plan.degraded.end(), [&](const Degraded& g) {
                            return g.feature == d.id && g.wanted_by == id.text() && !g.reason.empty();
                        });
                    const bool fits = other != nullptr && d.versions.contains(other->version);
                    RC_ASSERT(is_told == (taken.count(d.id) == 0 || !fits));
                    if (taken.count(d.id) != 0 || !fits) continue;
                    std::set<Name> more = taken;
                    reference.need(d.id, more);
                    RC_ASSERT(!reference.is_sound(more));
                }
        },
        1000);
    EXPECT_GT(sound, 100);
}

TEST(Solver, the_order_is_that_of_always_taking_the_smallest_that_is_ready) {
    // F-42
    check_property(
        [] {
            const Graph graph = *graphs(false);
            Shelf shelf;
            fill(shelf, graph);
            const Reference reference(shelf.catalogue, Roles::all());
            std::set<Name> listed, in_circles;
            for (std::size_t i = 0; i < graph.dependencies.size(); ++i)
                if (*rc::gen::inRange(0, 3) != 0) listed.insert(Name(fmt::format("f{}", i)));
            const auto is_stuck = [&](Name id) {
                for (const auto& [other, manifest] : shelf.catalogue.all())
                    if (reference.reaches(other, other) && (other == id || reference.reaches(id, other))) return true;
                return false;
            };
            std::vector<Name> expected;
            std::set<Name> left = listed;
            while (true) {
                const auto ready = std::find_if(left.begin(), left.end(), [&](Name id) {
                    return !is_stuck(id) &&
                           std::none_of(left.begin(), left.end(), [&](Name o) { return reference.reaches(id, o); });
                });
                if (ready == left.end()) break;
                expected.push_back(*ready);
                left.erase(ready);
            }
            expected.insert(expected.end(), left.begin(), left.end());
            const std::vector<Name> given(listed.rbegin(), listed.rend());
            RC_ASSERT(text_of(topological_order(shelf.catalogue, given)) == text_of(expected));
        },
        500);
}

TEST(Solver, cycles_hold_exactly_the_features_that_reach_themselves) {
    // F-58
    check_property(
        [] {
            const Graph graph = *graphs(false);
            Shelf shelf;
            fill(shelf, graph);
            const Reference reference(shelf.catalogue, Roles::all());
            std::set<Name> in_cycles, expected;
            for (const auto& cycle : cycles_of(shelf.catalogue)) {
                RC_ASSERT(*std::min_element(cycle.begin(), cycle.end()) == cycle.front());
                for (std::size_t i = 0; i < cycle.size(); ++i) {
                    const auto& edges = shelf.catalogue.find(cycle[i])->dependencies;
                    const Name next = cycle[(i + 1) % cycle.size()];
                    RC_ASSERT(std::any_of(edges.begin(), edges.end(), [&](const Dependency& d) {
                        return d.id == next && d.kind != DependencyKind::Incompatible;
                    }));
                }
                in_cycles.insert(cycle.begin(), cycle.end());
            }
            for (const auto& [id, manifest] : shelf.catalogue.all())
                if (reference.reaches(id, id)) expected.insert(id);
            RC_ASSERT(in_cycles == expected);
        },
        500);
}

TEST(Solver, shuffled_input_gives_the_same_plan) {
    // F-42
    check_property(
        [] {
            const Graph graph = *graphs(true);
            Shelf one, two;
            fill(one, graph);
            for (std::size_t i = graph.dependencies.size(); i-- > 0;) {
                auto dependencies = graph.dependencies[i];
                std::reverse(dependencies.begin(), dependencies.end());
                two.add(fmt::format("f{} 1.{}.0", i, i), dependencies);
            }
            std::vector<std::string> asked(graph.asked.rbegin(), graph.asked.rend());
            asked.push_back(asked.front());
            const Plan a = one.plan(graph.asked), b = two.plan(asked);
            RC_ASSERT(text_of(a.order) == text_of(b.order));
            RC_ASSERT(degraded_of(a) == degraded_of(b));
            RC_ASSERT(errors_of(a) == errors_of(b));
        },
        500);
}

TEST(Solver, of_very_many_that_are_left_out_the_first_are_listed_and_the_rest_are_counted) {
    // F-59
    Shelf shelf;
    std::vector<std::string> wanted;
    for (std::size_t i = 0; i < Plan::kMaxDegraded + 7; ++i) {
        shelf.add(fmt::format("f{:04}", i), {fmt::format("?gone{:04}", i)});
        wanted.push_back(fmt::format("f{:04}", i));
    }
    const Plan plan = shelf.plan(wanted);
    EXPECT_TRUE(plan.is_ok());
    EXPECT_EQ(plan.order.size(), Plan::kMaxDegraded + 7);
    EXPECT_EQ(plan.degraded.size(), Plan::kMaxDegraded);
    EXPECT_EQ(plan.degraded_dropped, 7u);
}

}  // namespace solver_test
}  // namespace lyre::features
