#include "lyre/features/manifest.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lyre/assets/schema.h"
#include "lyre/core/files_native.h"
#include "lyre/core/virtual_files.h"
#include "lyre/features/feature_codes.h"

namespace lyre::features {
namespace manifest_test {

constexpr std::string_view kHead = "id = \"tag\"\nversion = \"0.3.0\"\n";  // two lines

ManifestFile read(std::string_view text) {
    VirtualFiles files;
    files.write("game/tag/feature.toml", text);
    return read_manifest(files, "game/tag");
}

constexpr std::string_view kFull = R"(id = "tag"
version = "0.3.0-beta.1+linux"
title = "Tag"
initial_state = "registered"
content = "things/content"
tags = ["Tag.Hunter", "Tag.Hunted"]
scripts = ["scripts/tag.lua"]
capabilities = ["cheats"]

[module]
name = "tag_code"

[[variable]]
name = "tag.RoundSecs"
default = 90.0
help = "how long a round takes"
flags = ["cheat", "read_only"]

[[variable]]
name = "tag.Greeting"
default = "run"

[[dependency]]
id = "arena_core"
versions = "^0.2"
side = "server"
reason = "spawn points"

[[dependency]]
id = "bots"
kind = "optional"

[[dependency]]
id = "chess"
kind = "incompatible"
scope = "process"
versions = "<2.0"
reason = "both own the board"

[[action]]
kind = "add_components"
to = "GameState"
component = "TagRules"

[[action]]
kind = "brought_by_the_module"
strength = 0.5

[extra]
author = "somebody"
rating = { stars = 5 }
)";

TEST(Manifest, a_full_file_says_everything) {
    // F-53
    const ManifestFile file = read(kFull);
    ASSERT_TRUE(file.problems.is_empty()) << file.problems.to_text();
    const Manifest& m = file.manifest;
    EXPECT_EQ(m.id, Name("tag"));
    EXPECT_EQ(m.version.to_string(), "0.3.0-beta.1+linux");
    EXPECT_EQ(m.title, "Tag");
    EXPECT_EQ(destination_of(m.initial_state), Destination::Registered);
    EXPECT_EQ(m.content, "things/content");
    EXPECT_EQ(m.tags, (std::vector<std::string>{"Tag.Hunter", "Tag.Hunted"}));
    EXPECT_EQ(m.scripts, std::vector<std::string>{"scripts/tag.lua"});
    EXPECT_EQ(m.capabilities, std::vector<std::string>{"cheats"});
    EXPECT_EQ(m.module.name, "tag_code");
    ASSERT_EQ(m.variables.size(), 2u);
    EXPECT_EQ(m.variables[0].name, "tag.RoundSecs");
    EXPECT_EQ(m.variables[0].default_value, Node::number(90));
    EXPECT_EQ(m.variables[0].help, "how long a round takes");
    EXPECT_TRUE(m.variables[0].has(VariableFlag::Cheat) && m.variables[0].has(VariableFlag::ReadOnly));
    EXPECT_FALSE(m.variables[0].has(VariableFlag::Replicated));
    EXPECT_EQ(m.variables[1].default_value, Node::text("run"));
    ASSERT_EQ(m.dependencies.size(), 3u);
    EXPECT_EQ(m.dependencies[0].kind, DependencyKind::Required);
    EXPECT_EQ(m.dependencies[0].versions.to_string(), "^0.2");
    EXPECT_EQ(m.dependencies[0].side, Side::Server);
    EXPECT_EQ(m.dependencies[0].reason, "spawn points");
    EXPECT_EQ(m.dependencies[1].kind, DependencyKind::Optional);
    EXPECT_TRUE(m.dependencies[1].versions.is_any());
    EXPECT_EQ(m.dependencies[2].kind, DependencyKind::Incompatible);
    EXPECT_EQ(m.dependencies[2].scope, Scope::Process);
    ASSERT_EQ(m.actions.size(), 2u);
    EXPECT_EQ(m.actions[0].kind(), "add_components");
    EXPECT_EQ(m.actions[1].written().find("strength")->as_float(), 0.5);
    EXPECT_EQ(m.actions[1].written().find("strength")->place.line, 47u);
    EXPECT_EQ(m.extra.find("rating")->find("stars")->as_integer(), 5);
    EXPECT_EQ(file.folder, "game/tag");
    EXPECT_EQ(file.file, "game/tag/feature.toml");
    EXPECT_EQ(file.text, kFull);
    EXPECT_NE(file.changed_ns, 0);
}

TEST(Manifest, only_id_and_version_must_be_given) {
    // F-53, F-37
    const ManifestFile file = read(kHead);
    ASSERT_TRUE(file.problems.is_empty()) << file.problems.to_text();
    const Manifest& m = file.manifest;
    EXPECT_EQ(m.id, Name("tag"));
    EXPECT_EQ(m.version.to_string(), "0.3.0");
    EXPECT_EQ(destination_of(m.initial_state), Destination::Installed);
    EXPECT_EQ(m.content, "content");
    EXPECT_TRUE(m.module.name.empty());
    EXPECT_TRUE(m.tags.empty() && m.scripts.empty() && m.variables.empty() && m.dependencies.empty());
    EXPECT_TRUE(m.actions.empty() && m.extra.is_none());
}

TEST(Manifest, what_is_read_prints_and_compares_like_any_described_value) {
    // F-53
    const ManifestFile one = read(kFull), two = read(kFull), other = read(kHead);
    const ValueType& type = value_type<Manifest>();
    EXPECT_TRUE(type.equal(&one.manifest, &two.manifest));
    EXPECT_FALSE(type.equal(&one.manifest, &other.manifest));
    EXPECT_EQ(type.print(&one.manifest), type.print(&two.manifest));
    EXPECT_NE(type.print(&one.manifest).find("versions = ^0.2, side = server"), std::string::npos);
}

TEST(Manifest, the_four_initial_states_are_destinations) {
    // F-37
    const std::pair<const char*, Destination> cases[] = {{"installed", Destination::Installed},
                                                         {"registered", Destination::Registered},
                                                         {"loaded", Destination::Loaded},
                                                         {"active", Destination::Active}};
    for (const auto& [text, destination] : cases) {
        const ManifestFile file = read(fmt::format("{}initial_state = \"{}\"\n", kHead, text));
        EXPECT_TRUE(file.problems.is_empty()) << text;
        EXPECT_EQ(destination_of(file.manifest.initial_state), destination) << text;
    }
}

struct Broken {
    std::string_view text;  // behind the head, which has two lines
    int code;
    std::string_view place;
    std::string_view words;
    std::string_view hint = "";
};
const Broken kCorpus[] = {
    {"id = 5\n", 2005, "3:1", "\"id\""},
    {"initial_state = \"terminal\"\n", 2105, "3:17", "unknown value \"terminal\" for \"initial_state\" in feature tag",
     "one of installed, registered, loaded, active"},
    {"initial_state = \"actve\"\n", 2105, "3:17", "unknown value \"actve\"", "did you mean \"active\"?"},
    {"initial_state = true\n", 2101, "3:17", "\"initial_state\""},
    {"titel = \"Tag\"\n", 2104, "3:1", "unknown key \"titel\" in feature tag", "did you mean \"title\"?"},
    {"content = \"../other\"\n", 3009, "3:11", "\"../other\" leads out of the feature's folder"},
    {"content = \"/etc\"\n", 3009, "3:11", "\"/etc\" leads out"},
    {"scripts = [\"a.lua\", \"../b.lua\"]\n", 3009, "3:21", "\"../b.lua\" leads out"},
    {"tags = [\"Fine\", \"Not..fine\"]\n", 3013, "3:17", "tag \"Not..fine\" has an empty part"},
    {"tags = \"Fine\"\n", 2101, "3:8", "\"tags\" in feature tag takes a list, not a text", "write [\"Fine\"]"},
    {"[module]\n", 2103, "3:1", "\"name\" of module in feature tag is missing"},
    {"[module]\nname = \"../tag\"\n", 3010, "4:8", "\"../tag\" is no name of a module"},
    {"module = \"tag\"\n", 2101, "3:10", "module"},
    {"[[dependency]]\nkind = \"optional\"\n", 2103, "3:1", "\"id\" of dependency[0] in feature tag is missing"},
    {"[[dependency]]\nid = \"Arena-Core\"\n", 3002, "4:6", "\"Arena-Core\" is no feature id"},
    {"[[dependency]]\nid = \"tag\"\n", 3003, "4:6", "tag depends on itself"},
    {"[[dependency]]\nid = \"a\"\n[[dependency]]\nid = \"a\"\nkind = \"incompatible\"\n", 3004, "6:6",
     "\"a\" is incompatible here and required in line 4"},
    {"[[dependency]]\nid = \"a\"\nside = \"client\"\n[[dependency]]\nid = \"a\"\nkind = \"optional\"\n", 3004, "7:6",
     "\"a\" is optional here and required in line 4"},
    {"[[dependency]]\nid = \"a\"\nscope = \"process\"\n", 3005, "5:9", "dependency \"a\" has a scope, and is required"},
    {"[[dependency]]\nid = \"a\"\nscope = \"galaxy\"\nkind = \"incompatible\"\n", 2105, "5:9",
     "unknown value \"galaxy\" for \"scope\" of dependency[0]", "one of world, process"},
    {"[[dependency]]\nid = \"a\"\nkind = \"needed\"\n", 2105, "5:8", "unknown value \"needed\"",
     "one of required, optional, incompatible"},
    {"[[dependency]]\nid = \"a\"\nside = \"srver\"\n", 2105, "5:8", "unknown value \"srver\"",
     "did you mean \"server\"?"},
    {"[[dependency]]\nid = \"a\"\nversions = \"1.x\"\n", 2124, "5:12",
     "\"versions\" of dependency[0] in feature tag: \"1.x\" is no range of versions"},
    {"[[dependency]]\nid = \"a\"\nversions = 1.2\n", 2101, "5:12",
     "\"versions\" of dependency[0] in feature tag takes a range of versions such as"},
    {"[dependency]\nid = \"a\"\n", 2116, "3:2", "\"dependency\"", "write [[dependency]]"},
    {"[[variable]]\ndefault = 1\n", 2103, "3:1", "\"name\" of variable[0] in feature tag is missing"},
    {"[[variable]]\nname = \"a\"\n", 2103, "3:1", "\"default\" of variable[0] in feature tag is missing"},
    {"[[variable]]\nname = \"a\"\ndefault = [1]\n", 3006, "5:11", "the default of \"a\" is a list",
     "write true or false, a number or a text"},
    {"[[variable]]\nname = \"a\"\ndefault = 2020-01-01\n", 3006, "5:11", "the default of \"a\" is a date"},
    {"[[variable]]\nname = \"a\"\ndefault = inf\n", 3006, "5:11", "the default of \"a\" is inf"},
    {"[[variable]]\nname = \"a\"\ndefault = 1\n[[variable]]\nname = \"a\"\ndefault = 2\n", 3007, "7:8",
     "variable \"a\" is declared above"},
    {"[[variable]]\nname = \"a..b\"\ndefault = 1\n", 3008, "4:8", "\"a..b\" is no name of a variable"},
    {"[[variable]]\nname = \"a\"\ndefault = 1\nflags = [\"cheats\"]\n", 2105, "6:10", "unknown value \"cheats\"",
     "did you mean \"cheat\"?"},
    {"[[action]]\nto = \"GameState\"\n", 2120, "3:1", "\"kind\" of action 1 in feature tag is missing"},
    {"action = [1]\n", 2101, "3:11", "action 1"},
    {"extra = 1\n", 2101, "3:9", "\"extra\" takes a table, not a whole number"},
    {"[[dependency\n", 2001, "3:", ""},
};

TEST(Manifest, each_mistake_is_told_with_its_place_and_what_to_do) {
    // F-57, F-53, F-54, F-37
    for (const Broken& broken : kCorpus) {
        const ManifestFile file = read(std::string(kHead) + std::string(broken.text));
        ASSERT_EQ(file.problems.count(), 1u) << broken.text << file.problems.to_text();
        const Problem& problem = file.problems.all().front();
        EXPECT_EQ(problem.code->number, broken.code) << broken.text << problem.to_text();
        EXPECT_TRUE(problem.where().starts_with(fmt::format("game/tag/feature.toml:{}", broken.place)))
            << problem.to_text();
        EXPECT_NE(problem.text.find(broken.words), std::string::npos) << problem.to_text();
        EXPECT_TRUE(broken.hint.empty() || problem.hint == broken.hint) << problem.to_text();
    }
}

TEST(Manifest, id_and_version_are_missed_and_a_bad_id_is_refused) {
    // F-57, F-54
    const ManifestFile none = read("title = \"Tag\"\n");
    ASSERT_EQ(none.problems.count(), 2u);
    EXPECT_EQ(none.problems.all()[0].text, "\"id\" in feature.toml is missing");
    EXPECT_EQ(none.problems.all()[1].text, "\"version\" in feature.toml is missing");
    EXPECT_EQ(none.problems.all()[1].hint, "version takes a version such as \"1.0.0\"");
    for (const std::string& id : {std::string("Tag"), std::string("my-tag"), std::string("a/b"),
                                  std::string("t\u00e4g"), std::string(101, 'a')}) {
        const ManifestFile file = read(fmt::format("id = \"{}\"\nversion = \"1.0.0\"\n", id));
        ASSERT_EQ(file.problems.count(), 1u) << id;
        EXPECT_EQ(file.problems.all()[0].code, &feature_code::kBadFeatureId);
        EXPECT_EQ(file.problems.all()[0].where(), "game/tag/feature.toml:1:6");
    }
    EXPECT_TRUE(read(fmt::format("id = \"{}\"\nversion = \"1.0.0\"\n", std::string(100, 'a'))).problems.is_empty());
}

TEST(Manifest, the_id_need_not_be_the_name_of_the_folder) {
    // F-53
    VirtualFiles files;
    files.write("mods/Tag (copy)/feature.toml", kHead);
    const ManifestFile file = read_manifest(files, "mods/Tag (copy)");
    EXPECT_TRUE(file.problems.is_empty());
    EXPECT_EQ(file.manifest.id, Name("tag"));
}

TEST(Manifest, all_that_is_wrong_is_told_together_in_order_of_place) {
    // F-57
    const ManifestFile file = read(
        "id = \"Tag\"\nversion = \"1.2\"\ncontent = \"..\"\nx = 1\n[[variable]]\nname = \"a b\"\ndefault = {}\n"
        "[[dependency]]\nid = \"b\"\nscope = \"world\"\n");
    std::vector<int> lines, codes;
    for (const Problem& problem : file.problems.all()) {
        lines.push_back(static_cast<int>(problem.place.line));
        codes.push_back(problem.code->number);
        EXPECT_FALSE(problem.source_line.empty());
    }
    EXPECT_EQ(lines, (std::vector<int>{1, 2, 3, 4, 6, 7, 10}));
    EXPECT_EQ(codes, (std::vector<int>{3002, 2124, 3009, 2104, 3008, 3006, 3005}));
}

TEST(Manifest, a_dependency_may_differ_by_side_or_be_wished_for_twice_alike) {
    // F-53, F-62
    EXPECT_TRUE(read(std::string(kHead) +
                     "[[dependency]]\nid = \"a\"\nside = \"client\"\n"
                     "[[dependency]]\nid = \"a\"\nside = \"server\"\nkind = \"optional\"\n"
                     "[[dependency]]\nid = \"b\"\nversions = \">=1\"\n[[dependency]]\nid = \"b\"\nversions = \"<2\"\n")
                    .problems.is_empty());
}

TEST(Manifest, a_file_that_is_missing_too_large_or_unreadable_is_one_problem) {
    // F-57
    VirtualFiles files;
    files.make_folder("game/none");
    files.write("game/huge/feature.toml", std::string(kMaxManifestBytes + 1, '\n'));
    files.write("game/gone/feature.toml", kHead);
    files.fail("game/gone/feature.toml", Status(StatusCode::Unavailable, "game/gone/feature.toml: the disk is gone"));
    for (const char* folder : {"game/none", "game/huge", "game/gone"}) {
        const ManifestFile file = read_manifest(files, folder);
        ASSERT_EQ(file.problems.count(), 1u) << folder;
        EXPECT_EQ(file.problems.all()[0].code, &feature_code::kManifestUnreadable);
        EXPECT_NE(file.problems.all()[0].to_text().find(folder), std::string::npos);
    }
}

TEST(Manifest, lists_and_texts_are_bounded) {
    // F-57
    const auto many = [](std::string_view header, std::size_t count, std::string_view keys) {
        std::string text(kHead);
        for (std::size_t i = 0; i < count; ++i) text += fmt::format("[[{}]]\n{}{}\"\n", header, keys, i);
        return text;
    };
    EXPECT_TRUE(read(many("dependency", kMaxDependencies, "id = \"d")).problems.is_empty());
    const ManifestFile dependencies = read(many("dependency", kMaxDependencies + 1, "id = \"d"));
    ASSERT_EQ(dependencies.problems.count(), 1u);
    EXPECT_EQ(dependencies.problems.all()[0].text, "\"dependency\" has 257 entries; 256 are allowed");
    EXPECT_EQ(dependencies.problems.all()[0].place.line, 2 + 2 * kMaxDependencies + 1);
    EXPECT_EQ(read(many("action", kMaxActions + 1, "kind = \"k")).problems.count(), 1u);
    const ManifestFile title = read(fmt::format("{}title = \"{}\"\n", kHead, std::string(1001, 'a')));
    ASSERT_EQ(title.problems.count(), 1u);
    EXPECT_EQ(title.problems.all()[0].code, &feature_code::kManifestTextTooLong);
}

TEST(Manifest, a_file_that_was_read_can_be_moved) {
    // F-53
    std::vector<ManifestFile> all;
    for (int i = 0; i < 20; ++i) all.push_back(read(kFull));
    for (const ManifestFile& file : all) {
        EXPECT_EQ(file.manifest.actions[1].written().find("strength")->as_float(), 0.5);
        EXPECT_TRUE(file.reading.is_linked());
    }
}

TEST(Manifest, an_editor_can_be_told_what_goes_into_it) {
    // F-53
    assets::ContentType type;
    type.name = Name("feature");
    type.type = &type_of_record<Manifest>();
    const std::string schema = assets::json_schema(type, PartKinds());
    for (const char* word :
         {"\"initial_state\"", "\"dependency\"", "\"incompatible\"", "\"read_only\"", "\"versions\""})
        EXPECT_NE(schema.find(word), std::string::npos) << word;
    EXPECT_EQ(schema.find("terminal"), std::string::npos);
}

TEST(FindManifests, finds_the_direct_subfolders_with_a_manifest_and_opens_nothing) {
    // F-38
    VirtualFiles files;
    for (const char* path : {"game/tag/feature.toml", "game/tag/content/a.map.toml", "game/arena/feature.toml",
                             "game/arena/deeper/feature.toml", "game/arena-2/feature.toml", "game/feature.toml",
                             "game/notes/readme.md", "elsewhere/mod/feature.toml"})
        files.write(path, kHead);
    files.link("game/linked", "elsewhere/mod");
    const auto found = find_manifests(files, "game");
    ASSERT_TRUE(found) << found.status().text();
    EXPECT_EQ(*found, (std::vector<std::string>{"game/arena", "game/arena-2", "game/tag"}));
    EXPECT_EQ(files.reads(), 0u);
    EXPECT_EQ(find_manifests(files, "nowhere").status().code(), StatusCode::NotFound);
}

TEST(FindManifests, what_has_the_name_of_a_manifest_and_is_none_is_told_with_its_path) {
    // F-57, F-19
    VirtualFiles files;
    files.write("game/tag/feature.toml", kHead);
    files.make_folder("game/folder/feature.toml");
    files.write("elsewhere/secret.toml", kHead);
    files.link("game/leads/feature.toml", "elsewhere/secret.toml");
    files.link("game/nowhere/feature.toml", "game/never_there");
    files.write("game/notes/readme.md", "");
    Problems problems;
    const auto found = find_manifests(files, "game", &problems);
    ASSERT_TRUE(found) << found.status().text();
    EXPECT_EQ(*found, std::vector<std::string>{"game/tag"});
    std::vector<std::string> said;
    for (const Problem& problem : problems.all()) said.push_back(problem.text);
    EXPECT_EQ(said, (std::vector<std::string>{"game/folder/feature.toml is a folder",
                                              "game/leads/feature.toml is a link that leads out of the features",
                                              "game/nowhere/feature.toml is a link that leads nowhere"}));
    EXPECT_EQ(problems.all()[0].file, "game/folder/feature.toml");
    EXPECT_EQ(files.reads(), 0u);
}

TEST(FindManifests, one_folder_that_cannot_be_entered_is_told_and_hides_no_other) {
    // F-57, F-38
    VirtualFiles files;
    for (const char* id : {"arena", "closed", "tag"}) files.write(fmt::format("game/{}/feature.toml", id), kHead);
    files.write("game/tag/content/secret/a.map.toml", "");
    const auto locked = [](std::string path) { return Status(StatusCode::Unavailable, path + ": Permission denied"); };
    files.fail("game/closed", locked("game/closed"));
    files.fail("game/tag/content/secret", locked("game/tag/content/secret"));  // is looked at when it is mounted
    files.write("mods/far/feature.toml", kHead);
    files.link("game/far", "mods/far");
    files.link("game/mods", "mods");
    files.link("game/gone", "mods/gone");
    files.link("game/.lock", "nobody");
    Problems problems;
    const auto found = find_manifests(files, "game", &problems);
    ASSERT_TRUE(found) << found.status().text();
    EXPECT_EQ(*found, (std::vector<std::string>{"game/arena", "game/tag"}));
    std::vector<std::string> said;
    for (const Problem& problem : problems.all()) {
        said.push_back(problem.text);
        EXPECT_FALSE(problem.hint.empty());
    }
    EXPECT_EQ(said, (std::vector<std::string>{"game/closed: Permission denied",
                                              "game/far is a link that leads out of game: no feature is looked for there",
                                              "game/gone is a link that leads nowhere"}));
}

TEST(FindManifests, pipes_and_links_in_circles_on_disk_are_told_and_not_waited_for) {
    // F-57, F-19
    namespace fs = std::filesystem;
    const fs::path top = fs::temp_directory_path() / fmt::format("lyre_find_manifests_{}", ::getpid());
    fs::remove_all(top);
    for (const char* folder : {"arena", "folder/feature.toml", "pipe", "loop", "dangling", "locked"})
        fs::create_directories(top / folder);
    for (const char* id : {"arena", "locked"}) std::ofstream(top / id / "feature.toml") << kHead;
    ASSERT_EQ(::mkfifo((top / "pipe/feature.toml").c_str(), 0600), 0);
    ASSERT_EQ(::mkfifo((top / "a_pipe").c_str(), 0600), 0);
    fs::create_symlink("feature.toml", top / "loop/feature.toml");
    fs::create_symlink("nowhere.toml", top / "dangling/feature.toml");
    fs::create_symlink("around", top / "around");
    fs::create_symlink(top, top / "up");
    fs::permissions(top / "locked", fs::perms::none);
    Problems problems;
    const auto found = find_manifests(RealFiles(), top.string(), &problems);
    const bool is_root = ::geteuid() == 0;  // reads what is locked
    fs::permissions(top / "locked", fs::perms::owner_all);
    fs::remove_all(top);
    ASSERT_TRUE(found) << found.status().text();
    std::vector<std::string> expected = {(top / "arena").string()};
    if (is_root) expected.push_back((top / "locked").string());
    EXPECT_EQ(*found, expected);
    std::vector<std::string> said;
    for (const Problem& problem : problems.all()) said.push_back(problem.text.substr(top.string().size() + 1));
    expected = {"around: Too many levels of symbolic links", "dangling/feature.toml is a link that leads nowhere",
                "folder/feature.toml is a folder", "loop/feature.toml: Too many levels of symbolic links"};
    if (!is_root) expected.push_back("locked: Permission denied");
    expected.push_back("pipe/feature.toml is no file");
    EXPECT_EQ(said, expected);
}

TEST(FindManifests, a_thousand_features_are_a_thousand_files_opened) {
    // F-38
    VirtualFiles files;
    for (int i = 0; i < 1000; ++i) {
        files.write(fmt::format("game/f{:04}/feature.toml", i),
                    fmt::format("id = \"f{:04}\"\nversion = \"1.0.0\"\n", i));
        files.write(fmt::format("game/f{:04}/content/a.map.toml", i), "");
    }
    const auto folders = find_manifests(files, "game").value();
    ASSERT_EQ(folders.size(), 1000u);
    for (const std::string& folder : folders) EXPECT_TRUE(read_manifest(files, folder).problems.is_empty());
    EXPECT_EQ(files.reads(), 1000u);
}

TEST(FeatureCodes, have_one_number_each_in_order_and_help) {
    // F-57
    int before = 3000;
    for (const ProblemCode* code : feature_codes()) {
        EXPECT_EQ(code->number, ++before);
        EXPECT_FALSE(code->title.empty());
        EXPECT_FALSE(code->help.empty());
    }
    EXPECT_LT(before, 4000);
}

}  // namespace manifest_test
}  // namespace lyre::features
