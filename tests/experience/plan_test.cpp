#include "lyre/experience/plan.h"

#include <algorithm>
#include <deque>
#include <gtest/gtest.h>

#include "tests/experience/written.h"
#include "tests/property.h"

namespace lyre::experience {
namespace plan_test {

using features::Dependency;
using features::DependencyKind;
using features::FeatureError;
using features::Manifest;

// Features, and an experience with its sets that wants some of them.
class Desk {
public:
    // "tag 0.3.0"; dependencies "core ^0.2", "?bots" (optional), "!chess" (incompatible), "core@client".
    Desk& feature(const std::string& text, const std::vector<std::string>& dependencies = {}) {
        const std::size_t space = text.find(' ');
        Manifest& manifest = manifests_.emplace_back();
        manifest.id = Name(text.substr(0, space));
        manifest.version =
            features::Version::parse(space == std::string::npos ? "1.0.0" : text.substr(space + 1)).value();
        for (const std::string& dependency : dependencies) manifest.dependencies.push_back(parse(dependency));
        return *this;
    }
    Desk& experience(const std::string& toml) {
        experience_ = std::make_unique<WrittenExperience>(toml);
        EXPECT_EQ(experience_->said(), "");
        return *this;
    }
    Desk& set(const std::string& name, const std::string& toml) {
        EXPECT_EQ(sets_.emplace_back(std::make_unique<WrittenSet>(toml, name))->said(), "");
        return *this;
    }
    Desk& overlay(const std::string& name, const std::string& toml) {
        EXPECT_EQ(overlays_.emplace_back(std::make_unique<WrittenSet>(toml, name))->said(), "");
        return *this;
    }
    Desk& overlay_feature(const std::string& name) {
        overlay_features_.push_back({{Name("feature"), Name(name)}, nullptr, 0});
        return *this;
    }
    Desk& refuse(const std::string& feature, const std::string& text,
                 features::ErrorCode code = features::ErrorCode::NotAllowed) {
        refusals_[Name(feature)] = {code, text};
        return *this;
    }

    PlanSource source() const {
        PlanSource source;
        source.experience = experience_->id;
        source.definition = &experience_->def;
        source.hash = experience_->hash;
        source.pawn_hash = pawn_hash;
        for (const auto& set : sets_) source.sets.push_back({set->id, &set->def, set->hash});
        for (const auto& set : overlays_) source.overlays.push_back({set->id, &set->def, set->hash});
        for (const SetSource& feature : overlay_features_) source.overlays.push_back(feature);
        return source;
    }
    ExperiencePlan plan(NetMode role = NetMode::Standalone, bool backwards = false) const {
        features::Catalogue catalogue;
        if (backwards)
            for (auto m = manifests_.rbegin(); m != manifests_.rend(); ++m) catalogue.add(*m);
        else
            for (const Manifest& manifest : manifests_) catalogue.add(manifest);
        const auto refusal = [&](Name id, const std::vector<Name>&) -> std::optional<FeatureError> {
            const auto found = refusals_.find(id);
            if (found == refusals_.end()) return std::nullopt;
            FeatureError error;
            error.feature = id;
            error.code = found->second.first;
            error.text = found->second.second;
            return error;
        };
        const auto manifest_hash = [&](Name id) { return hash64(id.text()) + manifest_salt; };
        return make_plan(source(), {catalogue, manifest_hash, refusal}, role);
    }

    std::uint64_t pawn_hash = 0, manifest_salt = 0;
    std::deque<Manifest> manifests_;

private:
    static Dependency parse(std::string text) {
        Dependency dependency;
        if (text.front() == '?' || text.front() == '!') {
            dependency.kind = text.front() == '?' ? DependencyKind::Optional : DependencyKind::Incompatible;
            text.erase(0, 1);
        }
        const std::size_t space = text.find(' ');
        if (space != std::string::npos)
            dependency.versions = features::VersionRange::parse(text.substr(space + 1)).value();
        text = text.substr(0, space);
        const std::size_t at = text.find('@');
        if (at != std::string::npos)
            dependency.side = text.substr(at + 1) == "client" ? features::Side::Client : features::Side::Server;
        dependency.id = Name(text.substr(0, at));
        return dependency;
    }

    std::unique_ptr<WrittenExperience> experience_;
    std::vector<std::unique_ptr<WrittenSet>> sets_, overlays_;
    std::vector<SetSource> overlay_features_;
    std::map<Name, std::pair<features::ErrorCode, std::string>> refusals_;
};

// "core! tag!+ bots": ! required, + asked for.
std::string features_of(const ExperiencePlan& plan) {
    std::string text;
    for (const PlannedFeature& feature : plan.features)
        text += fmt::format("{}{}{}{}", text.empty() ? "" : " ", feature.id, feature.is_required ? "!" : "",
                            feature.is_asked_for ? "+" : "");
    return text;
}
std::string causes_of(const ExperiencePlan& plan) {
    std::string text;
    for (const Cause& cause : plan.causes) text += fmt::format("[{}] {}\n", cause.feature, cause.to_string());
    return text;
}
std::string degraded_of(const ExperiencePlan& plan) {
    std::string text;
    for (const features::Degraded& degraded : plan.degraded)
        text += fmt::format("{} ({}): {}\n", degraded.feature, degraded.wanted_by, degraded.reason);
    return text;
}
std::string actions_of(const ExperiencePlan& plan) {
    std::string text;
    for (const PlannedAction& action : plan.actions) text += action.where() + "\n";
    return text;
}
template <class T> std::string lines(const std::vector<T>& texts) {
    std::string all;
    for (const T& text : texts) all += fmt::format("{}\n", text);
    return all;
}

TEST(ExperiencePlan, features_come_dependencies_first_whatever_the_order_of_lists) {
    // E-40, E-97
    Desk desk;
    desk.feature("tag", {"core", "?bots"}).feature("bots", {"core"}).feature("core").feature("arena", {"core"});
    desk.experience("features = [\"tag\", \"arena\"]\naction_sets = [\"s\"]").set("s", "features = [\"core\"]");
    const ExperiencePlan plan = desk.plan();
    EXPECT_EQ(features_of(plan), "core!+ arena!+ bots tag!+");
    EXPECT_EQ(plan.find(Name("core"))->wanted_by, "action_set:s");
    EXPECT_EQ(plan.find(Name("bots"))->wanted_by, "feature tag");
    EXPECT_EQ(plan.find(Name("bots"))->version.to_string(), "1.0.0");
    EXPECT_EQ(plan.find(Name("nobody")), nullptr);
    Desk other;
    other.feature("core").feature("arena", {"core"}).feature("tag", {"?bots", "core"}).feature("bots", {"core"});
    other.experience("features = [\"arena\", \"tag\"]\naction_sets = [\"s\"]").set("s", "features = [\"core\"]");
    EXPECT_EQ(other.plan().features, plan.features);
    EXPECT_EQ(desk.plan(NetMode::Standalone, true).features, plan.features);
}

TEST(ExperiencePlan, entries_of_several_places_are_one_for_all_of_them) {
    // E-96
    struct Case {
        const char *one, *other, *server, *client;
    };
    const Case cases[] = {
        {R"("a")", R"({ id = "a", need = "optional" })", "a!+", "a!+"},
        {R"({ id = "a", need = "optional" })", R"({ id = "a", need = "optional" })", "a+", "a+"},
        {R"({ id = "a", side = "client" })", R"({ id = "a", side = "server" })", "a!+", "a!+"},
        {R"({ id = "a", side = "client" })", R"({ id = "a", side = "client" })", "", "a!+"},
        {R"({ id = "a", side = "server" })", R"("a")", "a!+", "a!+"},
        {R"({ id = "a", side = "server" })", R"({ id = "a", side = "client", need = "optional" })", "a!+", "a!+"},
        {R"({ id = "a", versions = "^1.2" })", R"({ id = "a", versions = ">=1.4" })", "a!+", "a!+"},
    };
    for (const Case& c : cases)
        for (const bool is_swapped : {false, true}) {
            Desk desk;
            desk.feature("a 1.5.0");
            desk.experience(fmt::format("features = [{}]", is_swapped ? c.other : c.one));
            desk.set("s", fmt::format("features = [{}]", is_swapped ? c.one : c.other));
            EXPECT_EQ(features_of(desk.plan(NetMode::DedicatedServer)), c.server) << c.one << c.other;
            EXPECT_EQ(features_of(desk.plan(NetMode::Client)), c.client) << c.one << c.other;
            EXPECT_EQ(features_of(desk.plan(NetMode::Standalone)), c.client) << c.one << c.other;
        }
}

TEST(ExperiencePlan, ranges_without_anything_in_common_fail_and_both_places_are_named) {
    // E-96
    Desk desk;
    desk.feature("a 1.5.0").feature("b");
    desk.experience("features = [\"b\", { id = \"a\", versions = \"^1.2\" }]");
    desk.set("s", "features = [{ id = \"a\", versions = \">=1.4\" }, { id = \"a\", versions = \"^2\" }]");
    const ExperiencePlan plan = desk.plan();
    EXPECT_EQ(causes_of(plan),
              "[a] DependencyConflict: no version of a can do: features[1] in experience:tag asks for ^1.2, and "
              "features[1] in action_set:s asks for ^2; widen one of these ranges\n");
    EXPECT_TRUE(plan.features.empty());
    EXPECT_EQ(plan.causes[0].side, "Standalone");
    EXPECT_EQ(plan.causes[0].experience.to_string(), "experience:tag");

    Desk narrow;
    narrow.feature("a 1.3.0").experience("features = [{ id = \"a\", versions = \"^1.2\" }]");
    narrow.set("s", "features = [{ id = \"a\", versions = \">=1.4\" }]");
    EXPECT_EQ(causes_of(narrow.plan()),
              "[a] DependencyConflict: a is 1.3.0 here, but features[0] in experience:tag (and 1 more) asks for >=1.4.0 "
              "<2.0.0; a version in >=1.4.0 <2.0.0 would do\n");
    Desk nothing;
    nothing.feature("a").experience("features = [{ id = \"a\", versions = \">2 <1\" }]");
    EXPECT_EQ(causes_of(nothing.plan()),
              "[a] DependencyConflict: no version of a can do: features[0] in experience:tag asks for >2 <1, which "
              "contains none; mend this range\n");
}

TEST(ExperiencePlan, a_required_feature_that_cannot_be_had_is_a_cause_with_feature_place_and_reason) {
    // E-41
    Desk desk;
    desk.feature("bots")
        .feature("chess", {"!tag"})
        .feature("tag")
        .feature("lost", {"nowhere"})
        .feature("ring", {"ring2"});
    desk.feature("ring2", {"ring"}).feature("old 0.9.0").feature("house", {"cellar"}).feature("cellar");
    desk.refuse("cellar", "cellar is not on the list of the server");
    desk.refuse("house", "cellar is not on the list of the server");
    const auto said = [&](const std::string& entries) {
        return causes_of(desk.experience("features = [" + entries + "]").plan());
    };
    EXPECT_EQ(said("\"bats\""),
              "[bats] UnknownFeature: there is no feature \"bats\", asked for by features[0] in "
              "experience:tag; did you mean \"bots\"?\n");
    EXPECT_NE(said("\"lost\"").find("[lost] DependencyConflict: lost -> nowhere: lost needs nowhere, and there is no"),
              std::string::npos);
    EXPECT_NE(said("\"ring\"").find("[ring] DependencyConflict: ring -> ring2 -> ring"), std::string::npos);
    EXPECT_NE(said("\"tag\", \"chess\"").find("DependencyConflict: chess and tag cannot be active in one world"),
              std::string::npos);
    EXPECT_NE(said("{ id = \"old\", versions = \"^1\" }").find("[old] DependencyConflict: old is 0.9.0 here"),
              std::string::npos);
    EXPECT_EQ(said("\"house\""),
              "[cellar] FeatureFailed: feature cellar, wanted by feature house: cellar is not on the "
              "list of the server\n");
    EXPECT_EQ(said("\"bots\", \"cellar\""),
              "[cellar] FeatureFailed: feature cellar, wanted by features[1] in "
              "experience:tag: cellar is not on the list of the server\n");
}

TEST(ExperiencePlan, an_optional_feature_that_cannot_be_had_is_left_out_and_told) {
    // E-41, E-110
    Desk desk;
    desk.feature("bots").feature("chess", {"!tag"}).feature("tag").feature("lost", {"nowhere"}).feature("old 0.9.0");
    desk.feature("house", {"cellar"}).feature("cellar").feature("garden", {"?cellar"});
    desk.refuse("cellar", "cellar is not allowed").refuse("house", "asked though it need not be");
    desk.experience(R"(features = ["tag", "garden", { id = "bats", need = "optional" },
        { id = "chess", need = "optional" }, { id = "lost", need = "optional" }, { id = "house", need = "optional" },
        { id = "old", need = "optional", versions = "^1" }])");
    const ExperiencePlan plan = desk.plan();
    EXPECT_EQ(causes_of(plan), "");
    EXPECT_EQ(features_of(plan), "garden!+ tag!+");
    EXPECT_EQ(degraded_of(plan),
              "bats (features[2] in experience:tag): there is no such feature\n"
              "cellar (garden): cellar is not allowed\n"
              "chess (features[3] in experience:tag): chess and tag cannot be active in one world, as chess says\n"
              "house (features[5] in experience:tag): house needs cellar: cellar is not allowed\n"
              "lost (features[4] in experience:tag): lost needs nowhere, and there is no such feature\n"
              "old (features[6] in experience:tag): it is 0.9.0 here, and ^1 is wanted\n");
}

TEST(ExperiencePlan, what_is_left_out_is_told_of_a_plan_that_cannot_be_too) {
    // E-41
    Desk desk;
    desk.feature("core 1.0.0").feature("bots 1.0.0").feature("hud").refuse("hud", "hud is not allowed");
    const std::string optional = R"({ id = "chat", need = "optional" }, { id = "hud", need = "optional" },
        { id = "bots", need = "optional", versions = "^2" })";
    for (const std::string wrong :
         {"\"nowhere\"", "{ id = \"core\", versions = \"^9\" }", "{ id = \"core\", versions = \">2 <1\" }"}) {
        desk.experience(fmt::format("features = [{}, {}]", wrong, optional));
        const ExperiencePlan plan = desk.plan();
        EXPECT_FALSE(plan.is_ok()) << wrong;
        EXPECT_EQ(degraded_of(plan),
                  "bots (features[3] in experience:tag): it is 1.0.0 here, and ^2 is wanted\n"
                  "chat (features[1] in experience:tag): there is no such feature\n")
            << wrong;
    }
}

TEST(ExperiencePlan, of_two_that_exclude_each_other_the_second_comes_if_the_first_may_not) {
    // E-41
    Desk desk;
    desk.feature("a", {"!b"}).feature("b").refuse("a", "no");
    desk.experience(R"(features = [{ id = "a", need = "optional" }, { id = "b", need = "optional" }])");
    EXPECT_EQ(features_of(desk.plan()), "b+");
    EXPECT_EQ(degraded_of(desk.plan()), "a (features[0] in experience:tag): no\n");
}

TEST(ExperiencePlan, what_a_required_feature_requires_is_required_on_the_side_where_it_is) {
    // E-41
    Desk desk;
    desk.feature("tag", {"core", "hud@client", "?bots"}).feature("core").feature("hud").feature("bots", {"brain"});
    desk.feature("brain").experience("features = [\"tag\"]");
    EXPECT_EQ(features_of(desk.plan(NetMode::DedicatedServer)), "brain bots core! tag!+");
    EXPECT_EQ(features_of(desk.plan(NetMode::Client)), "brain bots core! hud! tag!+");
}

TEST(ExperiencePlan, actions_run_definition_first_then_set_by_set_each_list_by_its_before_and_after) {
    // E-50, E-97
    Desk desk;
    desk.experience(R"([[action]]
kind = "one"
after = ["late"]
[[action]]
kind = "two"
name = "late"
need = "optional"
[[action]]
kind = "three"
)");
    desk.set("s", "[[action]]\nkind = \"four\"\n[[action]]\nkind = \"five\"\nname = \"late\"\n");
    desk.overlay("o", "[[action]]\nkind = \"six\"\n");
    const ExperiencePlan plan = desk.plan();
    EXPECT_EQ(actions_of(plan),
              "experience:tag, action 2 (two)\n"
              "experience:tag, action 1 (one)\n"
              "experience:tag, action 3 (three)\n"
              "action_set:s, action 1 (four)\n"
              "action_set:s, action 2 (five)\n"
              "action_set:o, action 1 (six)\n");
    EXPECT_TRUE(plan.actions[0].is_optional);
    EXPECT_FALSE(plan.actions[1].is_optional);
    EXPECT_EQ(part_of(desk.source(), plan.actions[0]).written().find("name")->as_text(), "late");
}

TEST(ExperiencePlan, actions_that_come_before_each_other_make_the_definition_wrong) {
    Desk desk;
    desk.experience("").set("s", R"([[action]]
kind = "one"
name = "a"
before = ["b"]
[[action]]
kind = "two"
name = "b"
before = ["a"]
)");
    EXPECT_EQ(
        causes_of(desk.plan()),
        "[] DefinitionFailed: action_set:s: before and after of actions lead in a circle: a -> b -> a; take one of "
        "them out\n");
}

TEST(ExperiencePlan, a_repeated_action_or_set_counts_once_and_named_twins_both_count) {
    // E-53, E-05
    Desk desk;
    desk.experience(R"(action_sets = ["s", "", "s"]
assets = ["map:yard", "", "map:yard"]
preload = ["map:yard", "map:yard"]
features = [""]
[[action]]
kind = "say"
text = "hello"
[[action]]
text = "hello"   # keys in another order
kind = "say"
[[action]]
[[action]]
kind = "say"
text = "hello"
name = "twin"
)");
    desk.set("s", "[[action]]\nkind = \"say\"\ntext = \"hello\"\n[[action]]\nkind = \"say\"\ntext = \"bye\"\n");
    const ExperiencePlan plan = desk.plan();
    EXPECT_EQ(actions_of(plan),
              "experience:tag, action 1 (say)\n"
              "experience:tag, action 4 (say)\n"
              "action_set:s, action 2 (say)\n");
    EXPECT_EQ(lines(plan.notes),
              "features[0] in experience:tag is empty\n"
              "action_sets[1] in experience:tag is empty\n"
              "action_sets[2] in experience:tag is action_sets[0] again: s\n"
              "assets[1] in experience:tag is empty\n"
              "assets[2] in experience:tag is assets[0] again: map:yard\n"
              "preload[1] in experience:tag is preload[0] again: map:yard\n"
              "action 3 in experience:tag is empty\n"
              "action 2 in experience:tag is action 1 in experience:tag again: say\n"
              "action 1 in action_set:s is action 1 in experience:tag again: say\n");
    EXPECT_TRUE(plan.is_ok());
}

TEST(ExperiencePlan, each_net_mode_takes_its_bundles) {
    // E-34, E-36
    Desk desk;
    desk.experience("assets = [\"map:yard\"]\npreload = [\"map:cellar\"]").set("s", "").overlay("o", "");
    desk.feature("bots").overlay_feature("bots");
    const auto bundles = [&](NetMode mode) {
        std::string text;
        const ExperiencePlan plan = desk.plan(mode);
        for (const PlannedBundle& bundle : plan.bundles) text += fmt::format("{}/{} ", bundle.asset, bundle.bundle);
        return text;
    };
    EXPECT_EQ(bundles(NetMode::DedicatedServer),
              "experience:tag/Equipped experience:tag/Server action_set:s/Equipped action_set:s/Server "
              "action_set:o/Equipped action_set:o/Server map:yard/ ");
    EXPECT_EQ(bundles(NetMode::Client),
              "experience:tag/Equipped experience:tag/Client action_set:s/Equipped action_set:s/Client "
              "action_set:o/Equipped action_set:o/Client map:yard/ ");
    for (const NetMode both : {NetMode::Standalone, NetMode::ListenServer})
        EXPECT_EQ(bundles(both).substr(0, 67), "experience:tag/Equipped experience:tag/Client experience:tag/Server");
    EXPECT_EQ(desk.plan().preload.at(0).to_string(), "map:cellar");
}

TEST(ExperiencePlan, an_overlay_is_a_set_on_top_and_a_feature_is_one_that_holds_just_it) {
    // X-18, X-21
    Desk desk;
    desk.feature("bots", {"brain"}).feature("brain").experience("").overlay_feature("bots");
    const ExperiencePlan plan = desk.plan();
    EXPECT_EQ(features_of(plan), "brain! bots!+");
    EXPECT_EQ(plan.find(Name("bots"))->wanted_by, "overlay feature:bots");
    EXPECT_EQ(plan.overlays.at(0).to_string(), "feature:bots");
    EXPECT_TRUE(plan.sets.empty());
    Desk unknown;
    unknown.feature("bots").experience("").overlay_feature("bats");
    EXPECT_EQ(causes_of(unknown.plan()),
              "[bats] UnknownFeature: there is no feature \"bats\", asked for by overlay feature:bats; did you mean "
              "\"bots\"?\n");
}

TEST(ExperiencePlan, features_of_overlays_come_after_those_of_the_base_overlay_by_overlay) {
    // X-19, E-40
    Desk desk;
    desk.feature("zebra", {"mane", "?tail"}).feature("mane").feature("tail").feature("yak").feature("ant", {"bee"});
    desk.feature("bee").feature("cat", {"mane"}).experience("features = [\"zebra\"]");
    desk.overlay("o", "features = [\"yak\", \"tail\"]").overlay("p", "features = [\"ant\", \"cat\", \"zebra\"]");
    EXPECT_EQ(features_of(desk.plan()), "mane! tail!+ zebra!+ yak!+ bee! ant!+ cat!+");
}

TEST(ExperiencePlan, the_content_hash_covers_what_both_roles_need_and_nothing_else) {
    // E-101
    const auto make = [](const std::string& extra = "", const std::string& set = "features = [\"core\"]") {
        auto desk = std::make_unique<Desk>();
        desk->feature("core", {"deep", "hud@client"}).feature("deep").feature("hud").feature("bots").feature("sky");
        desk->experience(R"(features = ["core", { id = "bots", need = "optional" }, { id = "sky", side = "client" }])" +
                         std::string("\n") + extra);
        desk->set("s", set);
        return desk;
    };
    const std::uint64_t hash = make()->plan().content_hash;
    for (const NetMode mode : {NetMode::DedicatedServer, NetMode::ListenServer, NetMode::Client})
        EXPECT_EQ(make()->plan(mode).content_hash, hash);
    EXPECT_EQ(make()->plan(NetMode::Client, true).content_hash, hash);
    EXPECT_EQ(make("# a comment")->plan().content_hash, hash);

    const auto with_version = [&](const char* id) {
        auto desk = make();
        for (Manifest& manifest : desk->manifests_)
            if (manifest.id == Name(id)) manifest.version.minor = 7;
        return desk->plan().content_hash;
    };
    EXPECT_NE(with_version("core"), hash);
    EXPECT_NE(with_version("deep"), hash) << "needed by what both need";
    EXPECT_EQ(with_version("hud"), hash) << "only clients need it";
    EXPECT_EQ(with_version("sky"), hash);
    EXPECT_EQ(with_version("bots"), hash) << "it may be left out";

    EXPECT_NE(make("title = \"x\"")->plan().content_hash, hash);
    EXPECT_NE(make("", "features = [\"core\", \"deep\"]")->plan().content_hash, hash);
    EXPECT_NE(make()->overlay("o", "").plan().content_hash, hash);
    EXPECT_NE(make()->overlay_feature("bots").plan().content_hash, hash);
    auto desk = make();
    desk->pawn_hash = 1;
    EXPECT_NE(desk->plan().content_hash, hash);
    desk = make();
    desk->manifest_salt = 1;
    EXPECT_NE(desk->plan().content_hash, hash);
    const auto with_argument = [&](int value) {
        return make(fmt::format("[[action]]\nkind = \"a\"\nx = {}", value))->plan().content_hash;
    };
    EXPECT_NE(with_argument(1), with_argument(2));
}

TEST(ExperiencePlan, whatever_is_asked_for_the_plan_does_not_depend_on_the_order_of_discovery) {
    // E-97
    check_property([](const std::vector<unsigned char>& bytes) {
        Desk desk;
        std::string entries;
        for (std::size_t i = 0; i < std::min<std::size_t>(bytes.size(), 24); ++i) {
            std::vector<std::string> dependencies;
            const unsigned byte = bytes[i];
            if (i > 0) dependencies.push_back(fmt::format("{}f{}", byte & 1 ? "?" : "", byte % i));
            if (byte & 2) dependencies.push_back(fmt::format("{}f{}", byte & 4 ? "!" : "", (byte >> 3) % 24));
            std::erase(dependencies, fmt::format("f{}", i));
            desk.feature(fmt::format("f{}", i), dependencies);
            if (byte & 8)
                entries += fmt::format("{{ id = \"f{}\", need = \"{}\", side = \"{}\" }}, ", i,
                                       byte & 16 ? "required" : "optional", byte & 32 ? "client" : "both");
            if (byte & 64) desk.refuse(fmt::format("f{}", i), "refused");
        }
        desk.experience("features = [" + entries + "]");
        for (const NetMode role : {NetMode::DedicatedServer, NetMode::Client}) {
            const ExperiencePlan one = desk.plan(role), other = desk.plan(role, true);
            RC_ASSERT(to_text(one) == to_text(other));
            RC_ASSERT(one.content_hash == other.content_hash);
            RC_ASSERT(one.is_ok() || one.features.empty());
            for (const PlannedFeature& feature : one.features) RC_ASSERT(!feature.wanted_by.empty());
        }
    });
}

TEST(SwitchPlan, what_is_in_both_is_kept_what_goes_goes_newest_first_what_comes_comes_in_order) {
    // X-01, X-04
    Desk a, b;
    for (Desk* desk : {&a, &b})
        desk->feature("core").feature("tag", {"core"}).feature("zoo").feature("chess", {"core"});
    a.experience(R"(features = ["tag", "zoo"]
assets = ["map:yard", "map:cellar"]
[[action]]
kind = "say"
text = "hello"
[[action]]
kind = "rain"
[[action]]
kind = "snow"
)");
    b.experience(R"(features = ["chess"]
assets = ["map:cellar"]
[[action]]
kind = "think"
[[action]]
kind = "say"
text = "hello"
)");
    const SwitchPlan change = plan_switch(a.plan(NetMode::Client), b.plan(NetMode::Client));
    EXPECT_EQ(to_text(change),
              "features:\n"
              "  keep    core\n"
              "  remove  zoo\n"
              "  remove  tag\n"
              "  add     chess\n"
              "actions:\n"
              "  keep    action 2 in experience:tag (say)\n"
              "  remove  action 3 in experience:tag (snow)\n"
              "  remove  action 2 in experience:tag (rain)\n"
              "  add     action 1 in experience:tag (think)\n"
              "assets:\n"
              "  keep    experience:tag Equipped\n"
              "  keep    experience:tag Client\n"
              "  keep    map:cellar\n"
              "  remove  map:yard\n");
    EXPECT_EQ(to_text(plan_switch({}, {})), "");
}

TEST(ExperiencePlan, a_plan_reads_as_a_page) {
    // E-97
    Desk desk;
    desk.feature("tag 0.3.0", {"arena_core"}).feature("arena_core 0.2.1").feature("bots 2.0.0");
    desk.experience(R"(features = ["tag", { id = "bots", need = "optional" }, { id = "chat", need = "optional" }]
assets = ["map:yard"]
preload = ["map:cellar"]
[[action]]
kind = "add_components"
[[action]]
)");
    desk.set("input", "features = [\"tag\"]\n[[action]]\nkind = \"run\"\nneed = \"optional\"\n");
    ExperiencePlan plan = desk.plan();
    plan.content_hash = 0x1234;
    EXPECT_EQ(to_text(plan), R"(experience:tag in a standalone game (content 0000000000001234)
assets, loaded before the features:
  experience:tag    with Equipped, Client, Server
  action_set:input  with Equipped, Client, Server
  map:yard
assets that nothing waits for:
  map:cellar
features, in the order in which they become active:
  arena_core  0.2.1  needed by feature tag
  bots        2.0.0  asked for by experience:tag (optional)
  tag         0.3.0  asked for by experience:tag (and 1 more)
optional features that are left out:
  chat  wanted by features[2] in experience:tag: there is no such feature
actions, in the order in which they run:
  add_components  action 1 in experience:tag
  run             action 1 in action_set:input (optional)
skipped:
  action 2 in experience:tag is empty
)");
    desk.experience("features = [\"tga\"]");
    EXPECT_EQ(to_text(desk.plan(NetMode::Client)), R"(experience:tag cannot be loaded on a client:
  UnknownFeature: there is no feature "tga", asked for by features[0] in experience:tag; did you mean "tag"?
)");
}

TEST(ExperiencePlan, a_plan_of_nothing_is_a_plan) {
    const ExperiencePlan plan = Desk().experience("").plan();
    EXPECT_TRUE(plan.is_ok());
    EXPECT_TRUE(plan.features.empty());
    EXPECT_TRUE(plan.actions.empty());
    EXPECT_TRUE(plan.notes.empty());
}

TEST(ExperiencePlan, a_thousand_entries_in_a_chain_are_planned_at_once) {
    Desk desk;
    std::string entries;
    constexpr int kCount = 1000;
    for (int i = 0; i < kCount; ++i) {
        desk.feature(fmt::format("f{}", i),
                     i > 0 ? std::vector{fmt::format("f{}", i - 1)} : std::vector<std::string>());
        entries += fmt::format("{{ id = \"f{}\", need = \"optional\" }}, ", i);
    }
    desk.refuse("f0", "no").experience("features = [" + entries + "]");
    const ExperiencePlan plan = desk.plan();
    EXPECT_TRUE(plan.is_ok());
    EXPECT_TRUE(plan.features.empty());
    EXPECT_EQ(plan.degraded.size(), static_cast<std::size_t>(kCount));
    EXPECT_EQ(plan.degraded.back().reason, "f999 needs f998: no");
}

}  // namespace plan_test
}  // namespace lyre::experience
