#include "lyre/experience/check.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "lyre/core/virtual_executor.h"
#include "lyre/core/virtual_files.h"
#include "lyre/session/project.h"

namespace lyre::experience {
namespace check_test {

struct Scoreboard : Component {
    static void describe(TypeBuilder<Scoreboard>&) {}
};
struct Hunter : Actor {
    static void describe(TypeBuilder<Hunter>&) {}
};

const std::string kAdd = "[[action]]\nkind = \"add_components\"\nto = \"Hunter\"\ncomponent = \"Scoreboard\"\n";

// A project in memory, checked.
class ExperienceCheck : public testing::Test {
protected:
    ExperienceCheck() {
        EXPECT_TRUE((runtime.types().add_all<Hunter, Scoreboard>()));
        files.write("lyre.toml", "name = \"test\"\ncontent = [\"content\"]\nfeatures = [\"features\"]\n");
        files.write("content/yard.map.toml", "bounds = { min = [-9, -9], max = [9, 9] }\n");
        feature("core", "1.0.0");
    }
    void feature(const std::string& id, const std::string& version, const std::string& more = "") {
        files.write(fmt::format("features/{}/feature.toml", id),
                    fmt::format("id = \"{}\"\nversion = \"{}\"\n{}", id, version, more));
    }
    void write(const std::string& file, const std::string& toml) { files.write("content/" + file, toml); }
    // "LY-4006 tag.experience.toml:1:13: text (hint)", a line each.
    std::string said() {
        project.open(".").ignore();
        EXPECT_TRUE(project.check());
        std::string all;
        for (const Problem& problem : project.problems().all()) {
            std::string where = problem.where();
            for (const std::string_view folder : {"content/", "features/"})
                if (where.rfind(folder, 0) == 0) where.erase(0, folder.size());
            all += fmt::format("{} {}: {}{}\n", problem.code->to_string(), where, problem.text,
                               problem.hint.empty() ? "" : " (" + problem.hint + ")");
        }
        return all;
    }

    VirtualClock clock;
    Runtime runtime{clock};
    VirtualFiles files;
    VirtualExecutor executor{clock};
    session::Project project{runtime, files, executor};
};

TEST_F(ExperienceCheck, good_content_has_no_problems) {
    //
    feature("bots", "1.2.0", "[[dependency]]\nid = \"core\"\n");
    write("tag.experience.toml",
          "title = \"Tag\"\nfeatures = [\"core\", { id = \"bots\", versions = \"^1.1\", need = \"optional\" }]\n"
          "action_sets = [\"hud\"]\nassets = [\"map:yard\"]\npreload = [\"map:yard\"]\n[failure]\npolicy = "
          "\"fall_back\"\nto = \"lobby\"\n" +
              kAdd);
    write("lobby.experience.toml", "features = [{ id = \"core\", side = \"client\" }]\naction_sets = [\"hud\"]\n");
    write("hud.action_set.toml",
          "features = [{ id = \"bots\", versions = \">=1.2\" }]\n" + kAdd + "name = \"again\"\n");
    EXPECT_EQ(said(), "");
}

TEST_F(ExperienceCheck, empty_and_wrong_actions_are_told_together_with_their_indices) {
    // E-03
    write("tag.experience.toml",
          kAdd + kAdd + "name = \"one\"\n[[action]]\n" + kAdd + "name = \"two\"\n" + kAdd +
              "name = \"three\"\n[[action]]\nkind = \"add_components\"\nto = \"Hunter\"\ncomponent = 5\n"
              "[[action]]\nkind = \"ad_components\"\n");
    EXPECT_EQ(
        said(),
        "LY-4006 tag.experience.toml:10:1: action 3 in experience:tag is empty (fill it in, or take it out)\n"
        "LY-2101 tag.experience.toml:24:13: \"component\" of action 6 in experience:tag takes the name of a class "
        "of Component, not a whole number\n"
        "LY-2119 tag.experience.toml:26:8: unknown kind \"ad_components\" of action 7 in experience:tag (did you "
        "mean \"add_components\"?)\n");
}

TEST_F(ExperienceCheck, an_action_validates_itself) {
    // E-03
    write("hud.action_set.toml", "[[action]]\nkind = \"add_components\"\nto = \"Actor\"\ncomponent = \"Scoreboard\"\n");
    EXPECT_NE(said().find("LY-3201 hud.action_set.toml:3:6"), std::string::npos);
}

TEST_F(ExperienceCheck, empty_entries_are_told_with_their_indices) {
    // E-03, E-05, X-39
    write("hud.action_set.toml", "features = [\"core\", { need = \"optional\" }]\n");
    write("tag.experience.toml",
          "features = [\"\"]\naction_sets = [\"hud\", \"\"]\nassets = [\"\"]\npreload = [\"map:yard\", \"\"]\n");
    EXPECT_EQ(
        said(),
        "LY-4006 hud.action_set.toml:1:21: features[1] in action_set:hud is empty (fill it in, or take it out)\n"
        "LY-4006 tag.experience.toml:1:13: features[0] in experience:tag is empty (fill it in, or take it out)\n"
        "LY-4006 tag.experience.toml:2:23: action_sets[1] in experience:tag is empty (fill it in, or take it out)\n"
        "LY-4006 tag.experience.toml:3:11: assets[0] in experience:tag is empty (fill it in, or take it out)\n"
        "LY-4006 tag.experience.toml:4:24: preload[1] in experience:tag is empty (fill it in, or take it out)\n");
}

TEST_F(ExperienceCheck, what_is_said_twice_is_told_with_both_places) {
    // E-53, X-39
    write("hud.action_set.toml", kAdd);
    write("tag.experience.toml", "features = [\"core\", \"core\"]\naction_sets = [\"hud\", \"action_set:hud\"]\n" +
                                     kAdd +
                                     "[[action]]\nto = \"Hunter\"\nkind = \"add_components\"\ncomponent = "
                                     "\"Scoreboard\"\n");
    EXPECT_EQ(said(),
              "LY-4007 hud.action_set.toml:1:1: action 1 in action_set:hud is action 1 in experience:tag again: "
              "\"add_components\" (take one out, or give them different names; the first is in "
              "content/tag.experience.toml:3:1)\n"
              "LY-4007 tag.experience.toml:1:21: features[1] in experience:tag is features[0] in experience:tag again: "
              "\"core\" (take one out; the first is in content/tag.experience.toml:1:13)\n"
              "LY-4007 tag.experience.toml:2:23: action_sets[1] in experience:tag is action_sets[0] in experience:tag "
              "again: \"hud\" (take one out; the first is in content/tag.experience.toml:2:16)\n"
              "LY-4007 tag.experience.toml:7:1: action 2 in experience:tag is action 1 in experience:tag again: "
              "\"add_components\" (take one out, or give them different names; the first is in "
              "content/tag.experience.toml:3:1)\n");
}

TEST_F(ExperienceCheck, unknown_features_are_told_with_the_nearest) {
    //
    write("tag.experience.toml",
          "features = [\"cor\", { id = \"sky\", need = \"optional\" }, { id = \"coree\", need = \"optional\" }]\n");
    EXPECT_EQ(
        said(),
        "LY-4008 tag.experience.toml:1:13: unknown feature \"cor\" for features[0] in experience:tag (did you mean "
        "\"core\"?)\n"
        "LY-4008 tag.experience.toml:1:55: unknown feature \"coree\" for features[2] in experience:tag (did you mean "
        "\"core\"?)\n");
}

TEST_F(ExperienceCheck, versions_that_cannot_agree_are_told_with_both_places) {
    // E-96, X-39
    write("hud.action_set.toml", "features = [{ id = \"core\", versions = \"^2\" }]\n");
    write("tag.experience.toml", "features = [{ id = \"core\", versions = \"^1\" }]\naction_sets = [\"hud\"]\n");
    write("old.experience.toml", "features = [{ id = \"core\", versions = \"^3\" }]\n");
    EXPECT_EQ(said(),
              "LY-4009 hud.action_set.toml:1:13: no version of core can do: features[0] in experience:tag asks for ^1, "
              "and features[0] in action_set:hud asks for ^2 (widen one of these ranges; the other is in "
              "content/tag.experience.toml:1:13)\n"
              "LY-4010 old.experience.toml:1:13: core is 1.0.0 here, but features[0] in experience:old asks for ^3 (a "
              "version in ^3 would do)\n");
}

TEST_F(ExperienceCheck, features_that_do_not_work_out_together_are_told_with_the_side) {
    //
    feature("chess", "1.0.0", "[[dependency]]\nid = \"tag\"\nkind = \"incompatible\"\nside = \"client\"\n");
    feature("tag", "1.0.0");
    write("both.experience.toml", "features = [\"core\", \"chess\", \"tag\"]\n");
    EXPECT_EQ(
        said(),
        "LY-4010 both.experience.toml:1:21: chess and tag cannot be active in one world, as chess says (on a client) "
        "(take out chess, asked for by features[1] in experience:both, or tag, asked for by features[2] in "
        "experience:both)\n");
}

TEST_F(ExperienceCheck, what_excludes_a_feature_that_is_active_from_the_start_is_told_with_both_places) {
    // X-39, E-41
    feature("clock", "1.0.0");
    feature("always", "1.0.0", "initial_state = \"active\"\n[[dependency]]\nid = \"clock\"\n");
    feature("known", "1.0.0", "initial_state = \"loaded\"\n");  // and not active
    const auto excludes = [](const char* id, const char* more) {
        return fmt::format("[[dependency]]\nid = \"{}\"\nkind = \"incompatible\"\n{}", id, more);
    };
    feature("tag", "1.0.0", excludes("always", "reason = \"both own the board\"\n"));
    feature("chess", "1.0.0", excludes("clock", "scope = \"process\"\n"));
    feature("fine", "1.0.0", excludes("known", ""));
    write("tag.experience.toml", "features = [\"core\", \"tag\", \"fine\"]\n");
    write("chess.experience.toml", "features = [\"chess\"]\n");
    write("maybe.experience.toml", "features = [{ id = \"tag\", need = \"optional\" }]\n");
    EXPECT_EQ(said(),
              "LY-4010 chess.experience.toml:1:13: feature chess, wanted by features[0] in experience:chess: chess and "
              "clock cannot be active in one process, as chess says "
              "(clock is active from the start, since others that are need it: take one of them out)\n"
              "LY-4010 tag.experience.toml:1:21: feature tag, wanted by features[1] in experience:tag: always and tag "
              "cannot be active in one world, as tag says (both own "
              "the board) (always is active from the start, by features/always/feature.toml: take one of them out)\n");
}

TEST_F(ExperienceCheck, a_feature_that_is_wrong_by_itself_is_told_once) {
    //
    feature("a", "1.0.0", "[[dependency]]\nid = \"b\"\n");
    feature("b", "1.0.0", "[[dependency]]\nid = \"a\"\n");
    feature("lost", "1.0.0", "[[dependency]]\nid = \"nowhere\"\n");
    write("tag.experience.toml", "features = [\"a\", \"lost\"]\n");
    const std::string all = said();
    EXPECT_EQ(all.find("experience.toml"), std::string::npos) << all;
    EXPECT_NE(all.find("LY-3102 a/feature.toml"), std::string::npos) << all;
    EXPECT_NE(all.find("LY-3101 lost/feature.toml"), std::string::npos) << all;
}

TEST_F(ExperienceCheck, experiences_that_are_not_there_are_told_wherever_they_are_named) {
    // X-39, E-13
    write("tag.experience.toml", "[failure]\npolicy = \"fall_back\"\nto = \"loby\"\n");
    write("lobby.experience.toml", "[failure]\npolicy = \"retry\"\nto = \"lobby\"\n");
    write("odd.experience.toml", "[failure]\npolicy = \"fall_back\"\nto = \"map:yard\"\n");
    write("old.experience.toml", "[failure]\npolicy = \"fall_back\"\nto = \"previous\"\n");
    write("yard.map.toml", "experience = \"tga\"\nbounds = { min = [-9, -9], max = [9, 9] }\n");
    files.write("lyre.toml",
                "name = \"test\"\ncontent = [\"content\"]\ndefault_experience = \"lobyb\"\n[developer]\nexperience = "
                "\"experience:tag\"\nbots = 3\n");
    EXPECT_EQ(
        said(),
        "LY-4012 lobby.experience.toml:3:6: \"to\" of failure in experience:lobby is the experience itself (name "
        "another, or write policy = \"retry\")\n"
        "LY-4011 odd.experience.toml:3:6: \"to\" of failure in experience:odd takes an experience, not \"map:yard\" "
        "(name "
        "one, or write \"previous\")\n"
        "LY-4011 tag.experience.toml:3:6: unknown experience experience:loby for \"to\" of failure in experience:tag "
        "(did you mean \"lobby\"?)\n"
        "LY-2107 yard.map.toml:1:14: unknown asset experience:tga for \"experience\" in map:yard (did you mean "
        "\"tag\"?)\n"
        "LY-2107 lyre.toml:3:22: unknown asset experience:lobyb for \"default_experience\" in lyre.toml (did you mean "
        "\"lobby\"?)\n");
    EXPECT_EQ(project.def().developer.experience, Name("tag"));
    EXPECT_EQ(project.def().developer.bots, 3);
}

TEST_F(ExperienceCheck, fallbacks_in_a_circle_are_told_once) {
    // X-39, E-112
    const auto falls_to = [&](const std::string& from, const std::string& to, const std::string& policy) {
        write(from + ".experience.toml", fmt::format("[failure]\npolicy = \"{}\"\nto = \"{}\"\n", policy, to));
    };
    falls_to("a", "c", "fall_back");  // leads into it
    falls_to("b", "d", "fall_back");
    falls_to("c", "b", "retry");
    falls_to("d", "experience:c", "fall_back");
    falls_to("e", "f", "fall_back");
    falls_to("f", "g", "fall_back");
    write("g.experience.toml", "title = \"G\"\n");
    EXPECT_EQ(said(),
              "LY-4013 c.experience.toml:3:6: fallbacks lead in a circle: experience:c -> experience:b -> experience:d "
              "-> experience:c (let one of them stay failed, or fall back to another)\n");
}

TEST_F(ExperienceCheck, a_set_that_nobody_uses_is_checked_all_the_same) {
    // X-39, E-96
    write("none.action_set.toml", "features = [{ id = \"core\", versions = \">2 <1\" }]\n");
    write("old.action_set.toml", "features = [{ id = \"core\", versions = \"^3\" }]\n");
    write("used.action_set.toml", "features = [{ id = \"core\", versions = \"^4\" }]\n");
    write("tag.experience.toml", "action_sets = [\"used\"]\n");
    EXPECT_EQ(said(),
              "LY-4009 none.action_set.toml:1:13: no version of core can do: features[0] in action_set:none asks for "
              ">2 <1, which contains none (mend this range)\n"
              "LY-4010 old.action_set.toml:1:13: core is 1.0.0 here, but features[0] in action_set:old asks for ^3 (a "
              "version in ^3 would do)\n"
              "LY-4010 used.action_set.toml:1:13: core is 1.0.0 here, but features[0] in action_set:used asks for ^4 "
              "(a version in ^4 would do)\n");
}

TEST_F(ExperienceCheck, before_and_after_that_name_nobody_are_told) {
    // E-03
    write("tag.experience.toml", kAdd + "name = \"first\"\nbefore = [\"secnd\"]\n" + kAdd +
                                     "name = \"second\"\nafter = [\"first\", \"rain\"]\n");
    feature("rain", "1.0.0", kAdd + "after = [\"sun\"]\n");
    EXPECT_EQ(said(),
              "LY-3214 tag.experience.toml:6:11: no action is called \"secnd\", for \"before\" of action 1 in "
              "experience:tag (did you mean \"second\"?)\n"
              "LY-3214 tag.experience.toml:12:19: no action is called \"rain\", for \"after\" of action 2 in "
              "experience:tag (there are first and second)\n"
              "LY-3214 rain/feature.toml:7:10: no action is called \"sun\", for \"after\" of action 1 in feature rain "
              "(give the action that is meant a name, in this file)\n");
}

TEST_F(ExperienceCheck, what_keeps_a_file_from_being_loaded_is_told_by_reading_it) {
    // E-02, E-04, X-39
    write("hud.action_set.toml", "action_sets = [\"more\"]\n");
    write("tag.experience.toml", "parent = \"base\"\n");
    write("gone.experience.toml", "assets = [\"map:yrad\"]\naction_sets = [\"hut\"]\n");
    write("side.experience.toml", "features = [{ id = \"core\", side = \"sever\" }]\n");
    EXPECT_EQ(
        said(),
        "LY-2107 gone.experience.toml:1:11: unknown asset map:yrad for \"assets\" in experience:gone (did you mean "
        "\"yard\"?)\n"
        "LY-2107 gone.experience.toml:2:16: unknown asset action_set:hut for \"action_sets\" in experience:gone (did "
        "you mean \"hud\"?)\n"
        "LY-4002 hud.action_set.toml:1:15: \"action_sets\" in action_set:hud: sets do not nest (name all sets in "
        "action_sets of the experience)\n"
        "LY-2105 side.experience.toml:1:35: unknown value \"sever\" for \"side\" of features[0] in experience:side "
        "(did you mean \"server\"?)\n"
        "LY-4001 tag.experience.toml:1:10: \"parent\" in experience:tag: an experience is not derived from another "
        "(\"base\") (put what both have in common into an ActionSet, and name it in action_sets of both)\n");
}

TEST_F(ExperienceCheck, a_file_that_cannot_be_loaded_is_checked_as_far_as_it_can_be_read) {
    // E-03
    write("tag.experience.toml",
          "features = [3, \"cor\", { id = 4 }]\nassets = [\"map:yrad\"]\n[[action]]\nkind = \"say\"\n");
    write("gone.experience.toml", "assets = [\"map:yrad\"]\n[[action]]\nkind = \"say\"\n");
    write("cut.experience.toml", "features = [\n");
    EXPECT_EQ(said().find("is empty"), std::string::npos);
    std::vector<int> codes;
    for (const Problem& problem : project.problems().all()) codes.push_back(problem.code->number);
    EXPECT_EQ(std::count(codes.begin(), codes.end(), 4008), 1) << project.problems().to_text();
    EXPECT_EQ(std::count(codes.begin(), codes.end(), 2119), 2) << project.problems().to_text();
}

TEST_F(ExperienceCheck, all_that_is_wrong_with_one_experience_is_told_together_with_places_and_fixes) {
    // X-39, E-03, E-05, E-53, E-96
    feature("ring", "1.0.0", "[[dependency]]\nid = \"round\"\n");
    feature("round", "1.0.0", "[[dependency]]\nid = \"ring\"\n");
    write("hud.action_set.toml", kAdd);
    write("good.experience.toml", "features = [\"core\"]\n");
    write("tag.experience.toml",
          "features = [\"cor\", \"\", \"core\", { id = \"core\", side = \"sever\" }, \"ring\",\n"
          "  { id = \"core\", versions = \"^2\" }]\n"
          "action_sets = [\"hud\", \"hud\", \"hut\"]\n"
          "assets = [\"map:yrad\", \"\"]\n"
          "titel = \"Tag\"\n"
          "[failure]\npolicy = \"fall_back\"\nto = \"tag\"\n"
          "[[action]]\nkind = \"ad_components\"\n"
          "[[action]]\n"
          "[[action]]\nkind = \"add_components\"\nto = \"Hunter\"\ncomponent = 5\n"
          "[[action]]\nkind = \"add_components\"\nto = \"Huntr\"\ncomponent = \"Scoreboard\"\nsides = \"client\"\n" +
              kAdd + "name = \"first\"\nafter = [\"second\"]\n" + kAdd + "name = \"second\"\nafter = [\"first\"]\n" +
              kAdd);
    EXPECT_EQ(
        said(),
        "LY-4007 hud.action_set.toml:1:1: action 1 in action_set:hud is action 7 in experience:tag again: "
        "\"add_components\" (take one out, or give them different names; the first is in "
        "content/tag.experience.toml:33:1)\n"
        "LY-4008 tag.experience.toml:1:13: unknown feature \"cor\" for features[0] in experience:tag (did you mean "
        "\"core\"?)\n"
        "LY-4006 tag.experience.toml:1:20: features[1] in experience:tag is empty (fill it in, or take it out)\n"
        "LY-4010 tag.experience.toml:1:24: core is 1.0.0 here, but features[2] in experience:tag (and 2 more) asks for "
        "^2 (a version in ^2 would do)\n"
        "LY-4007 tag.experience.toml:1:32: features[3] in experience:tag is features[2] in experience:tag again: "
        "\"core\" (take one out; the first is in content/tag.experience.toml:1:24)\n"
        "LY-2105 tag.experience.toml:1:54: unknown value \"sever\" for \"side\" of features[3] in experience:tag (did "
        "you mean \"server\"?)\n"
        "LY-4007 tag.experience.toml:2:3: features[5] in experience:tag is features[2] in experience:tag again: "
        "\"core\" (take one out; the first is in content/tag.experience.toml:1:24)\n"
        "LY-4007 tag.experience.toml:3:23: action_sets[1] in experience:tag is action_sets[0] in experience:tag again: "
        "\"hud\" (take one out; the first is in content/tag.experience.toml:3:16)\n"
        "LY-2107 tag.experience.toml:3:30: unknown asset action_set:hut for \"action_sets\" in experience:tag (did you "
        "mean \"hud\"?)\n"
        "LY-2107 tag.experience.toml:4:11: unknown asset map:yrad for \"assets\" in experience:tag (did you mean "
        "\"yard\"?)\n"
        "LY-4006 tag.experience.toml:4:23: assets[1] in experience:tag is empty (fill it in, or take it out)\n"
        "LY-2104 tag.experience.toml:5:1: unknown key \"titel\" in experience:tag (did you mean \"title\"?)\n"
        "LY-4012 tag.experience.toml:8:6: \"to\" of failure in experience:tag is the experience itself (name another, "
        "or write policy = \"retry\")\n"
        "LY-3213 tag.experience.toml:9:1: before and after of actions lead in a circle: first -> second -> first; take "
        "one of them out\n"
        "LY-2119 tag.experience.toml:10:8: unknown kind \"ad_components\" of action 1 in experience:tag (did you mean "
        "\"add_components\"?)\n"
        "LY-4006 tag.experience.toml:11:1: action 2 in experience:tag is empty (fill it in, or take it out)\n"
        "LY-2101 tag.experience.toml:15:13: \"component\" of action 3 in experience:tag takes the name of a class of "
        "Component, not a whole number\n"
        "LY-2108 tag.experience.toml:18:6: unknown class \"Huntr\" for \"to\" in experience:tag (did you mean "
        "\"Hunter\"?)\n"
        "LY-2104 tag.experience.toml:20:1: unknown key \"sides\" of action 4 in experience:tag (did you mean "
        "\"side\"?)\n"
        "LY-3102 ring/feature.toml:4:6: feature ring: ring -> round -> ring: each needs the one behind it, so none can "
        "come first (take one of these dependencies out)\n"
        "LY-3102 round/feature.toml:4:6: feature round: ring -> round -> ring: each needs the one behind it, so none "
        "can come first (take one of these dependencies out)\n");
}

TEST_F(ExperienceCheck, an_action_without_a_kind_is_not_empty) {
    // E-03
    write("tag.experience.toml", "[[action]]\nto = \"Hunter\"\n");
    const std::string all = said();
    EXPECT_EQ(all.rfind("LY-2120 tag.experience.toml:1:1", 0), 0u) << all;
    EXPECT_EQ(project.problems().count(), 1u) << all;
}

TEST_F(ExperienceCheck, a_list_that_is_too_long_is_one_problem_and_takes_no_time) {
    std::string toml;
    for (int i = 0; i < 20'000; ++i) toml += "[[action]]\nkind = \"say\"\nname = \"a\"\nbefore = [\"a\"]\n";
    write("tag.experience.toml", toml);
    const std::string all = said();
    EXPECT_EQ(project.problems().count(), 1u) << all;
    EXPECT_NE(all.find("LY-4003"), std::string::npos) << all;
}

TEST_F(ExperienceCheck, what_lies_in_a_feature_that_is_not_planned_is_told_with_the_feature_to_add) {
    // E-41, X-39
    feature("arena", "1.0.0");
    files.write("features/arena/content/hall.map.toml", "bounds = { min = [-9, -9], max = [9, 9] }\n");
    feature("always", "1.0.0", "initial_state = \"registered\"\n");
    files.write("features/always/content/den.map.toml", "bounds = { min = [-9, -9], max = [9, 9] }\n");
    feature("needs_arena", "1.0.0", "[[dependency]]\nid = \"arena\"\n");
    const std::string hall = "assets = [\"map:yard\", \"map:hall\", \"map:den\"]\n";
    write("asks.experience.toml", "features = [\"arena\"]\n" + hall);
    write("depends.experience.toml", "features = [\"needs_arena\"]\n" + hall);
    write("lost.experience.toml", "features = [\"core\"]\n" + hall + "action_sets = [\"kit\"]\n");
    write("half.experience.toml", "features = [{ id = \"arena\", side = \"server\" }]\n" + hall);
    write("kit.action_set.toml", "[[action]]\nkind = \"add_assets\"\nassets = [\"map:hall\"]\n");
    EXPECT_EQ(
        said(),
        "LY-4014 half.experience.toml:2:23: map:hall for \"assets\" in experience:half is of feature arena, which "
        "the experience does not bring (on a client) (add \"arena\" to features)\n"
        "LY-4014 kit.action_set.toml:3:11: map:hall of action 1 in action_set:kit is of feature arena, which the "
        "experience does not bring (add \"arena\" to features)\n"
        "LY-4014 lost.experience.toml:2:23: map:hall for \"assets\" in experience:lost is of feature arena, which "
        "the experience does not bring (add \"arena\" to features)\n");
}

TEST_F(ExperienceCheck, a_set_that_lies_in_a_feature_is_refused_unless_the_feature_is_there_from_the_start) {
    // E-33, X-39
    feature("arena", "1.0.0");
    files.write("features/arena/content/kit.action_set.toml", "features = [\"core\"]\n");
    feature("always", "1.0.0", "initial_state = \"registered\"\n");
    files.write("features/always/content/usual.action_set.toml", "features = [\"core\"]\n");
    write("tag.experience.toml", "features = [\"arena\"]\naction_sets = [\"usual\", \"kit\"]\n");
    EXPECT_EQ(said(),
              "LY-4014 tag.experience.toml:2:25: action_set:kit for action_sets[1] in experience:tag is of feature "
              "arena, which is not there yet when the sets are read (move it to the project's content; what a feature "
              "does itself stands in its manifest)\n");
}

TEST_F(ExperienceCheck, a_point_that_the_map_does_not_have_is_told_with_the_nearest) {
    //
    const auto spawn = [](const std::string& point) {
        return fmt::format("[[action]]\nkind = \"spawn_actors\"\nclass = \"Hunter\"\npoint = \"{}\"\n", point);
    };
    const auto map = [](const std::string& point) {
        return "bounds = { min = [-9, -9], max = [9, 9] }\n[[point]]\nname = \"" + point + "\"\nat = [0, 0]\n";
    };
    write("arena.map.toml", "experience = \"tag\"\n" + map("flag"));
    write("den.map.toml", map("hole"));
    write("tag.experience.toml", spawn("flag") + spawn("flga") + spawn("hole"));
    write("any.experience.toml", spawn("hole") + spawn("flag") + spawn("holl"));
    feature("digs", "1.0.0", spawn("hole") + spawn("nowhere") + "need = \"optional\"\n" + spawn("hool"));
    EXPECT_EQ(
        said(),
        "LY-4015 any.experience.toml:12:9: unknown point \"holl\" for \"point\" of action 3 in experience:any: no "
        "map has it (did you mean \"hole\"?)\n"
        "LY-4015 tag.experience.toml:8:9: unknown point \"flga\" for \"point\" of action 2 in experience:tag: "
        "map:arena, which plays experience:tag, does not have it (did you mean \"flag\"?)\n"
        "LY-4015 tag.experience.toml:12:9: unknown point \"hole\" for \"point\" of action 3 in experience:tag: "
        "map:arena, which plays experience:tag, does not have it (there is only flag)\n"
        "LY-4015 digs/feature.toml:15:9: unknown point \"hool\" for \"point\" of action 3 in feature digs: no map has "
        "it "
        "(did you mean \"hole\"?)\n");
}

TEST_F(ExperienceCheck, of_a_manifest_that_cannot_be_used_nothing_else_is_told_and_nothing_is_hidden_by_it) {
    // F-57
    files.write("features/box/feature.toml", "id = \"crate\"\nversion = \"1\"\n");
    feature("pile", "1.0.0",
            "[[dependency]]\nid = \"crate\"\n[[action]]\nkind = \"of_crate\"\n"
            "[[action]]\nkind = \"set_variables\"\nvariables = {}\nvalue = 1\n");
    feature("heap", "1.0.0", "[[dependency]]\nid = \"pile\"\nversions = \"^2\"\n");
    write("tag.experience.toml", "features = [\"crate\"]\nbonus = 1\n[[action]]\nkind = \"of_crate\"\n");
    const std::string all = said();
    EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 4) << all;
    for (const char* told : {"\"1\" is no version", "unknown key \"value\" of action 2 in feature pile",
                             "pile is 1.0.0 here, but heap needs ^2", "unknown key \"bonus\" in experience:tag"})
        EXPECT_NE(all.find(told), std::string::npos) << told << "\n" << all;
}

TEST_F(ExperienceCheck, a_feature_that_cannot_be_registered_is_told_and_nothing_that_follows_from_it) {
    //
    feature("sick", "1.0.0", "[[action]]\nkind = \"ad_tags\"\n");
    files.write("features/sick/content/hall.map.toml", "bounds = { min = [-9, -9], max = [9, 9] }\n");
    write("tag.experience.toml", "features = [\"sick\"]\nassets = [\"map:hall\"]\n");
    EXPECT_EQ(said(),
              "LY-2119 sick/feature.toml:4:8: unknown kind \"ad_tags\" of action 1 in feature sick (did you mean "
              "\"add_tags\"?)\n");
}

}  // namespace check_test
}  // namespace lyre::experience
