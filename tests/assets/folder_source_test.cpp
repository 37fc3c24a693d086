#include "lyre/assets/folder_source.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <stdexcept>

#include "lyre/assets/asset_codes.h"
#include "lyre/assets/bundles.h"
#include "lyre/core/files_native.h"
#include "lyre/core/part.h"
#include "lyre/core/tags.h"
#include "lyre/core/virtual_files.h"

namespace lyre::assets {
namespace folder_source_test {

struct Deed {
    virtual ~Deed() = default;
    static void describe(TypeBuilder<Deed>& t) { t.abstract(); }
};
struct Jump : Deed {
    using Described = Deed;
    Name sound{};
    static void describe(TypeBuilder<Jump>& t) {
        t.property("sound", &Jump::sound).asset("sound").bundle("Client").bundle("Equipped");
        t.hook<&Jump::add_bundle_data>("add_bundle_data");
    }
    void add_bundle_data(BundleTable&) const {}
};
struct Piece {
    Name mesh{};
    Vec3 at{};
    static void describe(TypeBuilder<Piece>& t) {
        t.property("mesh", &Piece::mesh).asset("mesh");
        t.property("at", &Piece::at);
        t.short_form("mesh");
    }
};
struct Yard {
    Name name{};
    std::string title{};
    double size = 10;
    Name pawn{};
    std::vector<Name> icons{};
    Name next{};
    GameplayTag mood{};
    TagContainer tags{};
    std::vector<Piece> pieces{};
    std::vector<Part<Deed>> deeds{};
    static void describe(TypeBuilder<Yard>& t) {
        t.property("name", &Yard::name).asset_name();
        t.property("title", &Yard::title);
        t.property("size", &Yard::size).range(1, 100);
        t.property("pawn", &Yard::pawn).asset("pawn_data");
        t.property("icons", &Yard::icons).asset("png").bundle("Client");
        t.property("next", &Yard::next).asset("yard").soft();
        t.property("mood", &Yard::mood);
        t.property("tags", &Yard::tags);
        t.property("piece", &Yard::pieces);
        t.property("deed", &Yard::deeds);
    }
};
struct Picture {
    std::string text;
};

Result<Loaded<Picture>> load_picture(const Bytes& bytes, const LoadedFile& file) {
    if (bytes.text() == "throw") throw std::runtime_error("the picture is upside down");
    if (bytes.text() == "nothing") return Loaded<Picture>{};
    if (bytes.text() != "PNG") return Status::failed("{} is no picture", file.id);
    return Loaded<Picture>{std::make_shared<Picture>(Picture{"PNG"}), 300};
}

constexpr const char* kFull = R"(title = "The yard"
size  = 20
pawn  = "hero"
icons = ["flag", "png:base"]
next  = "meadow"
mood  = "Mood.Calm"
tags  = ["Place.Open", "Place.Green"]
piece = ["wall", { mesh = "gate", at = [1, 2] }]
[[deed]]
kind  = "jump"
sound = "hop"
)";

class FolderSourceTest : public ::testing::Test {
protected:
    FolderSourceTest() {
        EXPECT_TRUE((types.add_all<Deed, Jump>()));
        EXPECT_TRUE(content.add<Yard>("yard"));
        EXPECT_TRUE(content.add_loader<Picture>("png", load_picture));
    }
    std::string listed() {
        problems = {};
        auto entries = source.list(*content.schema(), problems);
        if (!entries) return entries.status().to_string();
        std::string text;
        for (const AssetEntry& entry : *entries) text += fmt::format("{} {}\n", entry.id, entry.path);
        return text;
    }
    DecodedAsset decode(const std::string& path, std::string_view id) {
        return source.decode({*PrimaryAssetId::parse(id), path, 0, 0}, *content.schema());
    }
    DecodedAsset decode_yard(std::string_view text, const std::string& path = "game/a.yard.toml") {
        files.write(path, text);
        return decode(path, "yard:a");
    }
    std::uint64_t hash_of(std::string_view text, const std::string& path = "game/a.yard.toml") {
        const DecodedAsset asset = decode_yard(text, path);
        EXPECT_TRUE(asset.is_ok()) << asset.reading.problems.to_text();
        return asset.hash;
    }

    TypeRegistry types;
    ContentTypes content{types};
    VirtualFiles files;
    FolderSource source{files, "game/", Name("project")};
    Problems problems;
};

TEST_F(FolderSourceTest, files_are_assets_by_their_names_wherever_they_lie) {
    // C-01
    for (const char* path : {"b.yard.toml", "sub/deep/a.yard.toml", "flag.png", "sub/flag.yard.toml"})
        files.write(fmt::format("game/{}", path), "x");
    EXPECT_EQ(listed(),
              "png:flag game/flag.png\n"
              "yard:a game/sub/deep/a.yard.toml\n"
              "yard:b game/b.yard.toml\n"
              "yard:flag game/sub/flag.yard.toml\n");
    EXPECT_TRUE(problems.is_empty());
    EXPECT_EQ(files.reads(), 0u);
    EXPECT_EQ(source.describe(), "folder game");
}

TEST_F(FolderSourceTest, what_is_no_asset_is_passed_over_in_silence) {
    // C-01
    for (const char* path : {"lyre.toml", "tag/feature.toml", ".git/a.yard.toml", "sub/.hidden.yard.toml",
                             "a.yard.toml~", "readme.md", "LICENSE", "a.jpg", "#a.yard.toml#"})
        files.write(fmt::format("game/{}", path), "x");
    EXPECT_EQ(listed(), "");
    EXPECT_TRUE(problems.is_empty()) << problems.to_text();
}

TEST_F(FolderSourceTest, a_folder_that_is_not_there_is_unavailable) {
    // C-11
    EXPECT_EQ(listed(), "unavailable: game: there is no such file or folder");
}

TEST_F(FolderSourceTest, two_files_with_one_id_are_named_both) {
    // C-02
    files.write("game/a.yard.toml", "x");
    files.write("game/sub/a.yard.toml", "x");
    EXPECT_EQ(listed(), "yard:a game/a.yard.toml\n");
    EXPECT_EQ(problems.to_text(),
              "error LY-2201: yard:a is both game/a.yard.toml and game/sub/a.yard.toml\n"
              "  --> game/sub/a.yard.toml\n"
              "   = hint: rename one of them\n"
              "   = in: project\n");
}

TEST_F(FolderSourceTest, names_that_differ_in_case_only_are_named_both_and_the_lower_one_stays) {
    // C-02
    files.write("game/Gate.yard.toml", "x");
    files.write("game/gate.yard.toml", "x");
    EXPECT_EQ(listed(), "yard:gate game/gate.yard.toml\n");
    EXPECT_EQ(problems.to_text(),
              "error LY-2202: game/gate.yard.toml and game/Gate.yard.toml differ in case only\n"
              "  --> game/Gate.yard.toml\n"
              "   = hint: rename one of them\n"
              "   = in: project\n");
}

TEST_F(FolderSourceTest, a_name_of_other_letters_is_refused_with_one_that_would_do) {
    // C-02
    files.write("game/Red Yard!.yard.toml", "x");
    EXPECT_EQ(listed(), "");
    EXPECT_EQ(problems.to_text(),
              "error LY-2203: the name of game/Red Yard!.yard.toml is not made of a-z, 0-9 and _\n"
              "  --> game/Red Yard!.yard.toml\n"
              "   = hint: call it red_yard.yard.toml\n"
              "   = in: project\n");
    files.remove("game/Red Yard!.yard.toml");
    files.write("game/FLAG.PNG", "x");
    files.write("game/a.b.yard.TOML", "x");
    files.write("game/\xC3\xA4.png", "x");
    files.write(fmt::format("game/{}.png", std::string(101, 'a')), "x");
    EXPECT_EQ(listed(), "");
    ASSERT_EQ(problems.count(), 4u);
    EXPECT_EQ(problems.all()[0].hint, "call it flag.png");
    EXPECT_EQ(problems.all()[1].hint, "call it a_b.yard.toml");
    EXPECT_EQ(problems.all()[2].text,
              fmt::format("the name of game/{}.png has 101 bytes; 100 are allowed", std::string(101, 'a')));
    EXPECT_EQ(problems.all()[3].hint, "");
}

TEST_F(FolderSourceTest, a_type_nobody_registered_is_a_problem_with_the_nearest_one) {
    // C-02
    files.write("game/a.yrad.toml", "x");
    files.write("game/a.png.toml", "x");
    EXPECT_EQ(listed(), "");
    ASSERT_EQ(problems.count(), 2u);
    EXPECT_EQ(problems.all()[0].text, "game/a.png.toml is of unknown type \"png\"");
    EXPECT_EQ(problems.all()[1].to_text(),
              "error LY-2204: game/a.yrad.toml is of unknown type \"yrad\"\n"
              "  --> game/a.yrad.toml\n"
              "   = hint: did you mean \"yard\"?\n"
              "   = in: project\n");
}

TEST_F(FolderSourceTest, content_without_a_type_is_a_problem) {
    // C-02
    files.write("game/a.toml", "x");
    EXPECT_EQ(listed(), "");
    EXPECT_EQ(problems.to_text(),
              "error LY-2205: game/a.toml does not say what type of content it is\n"
              "  --> game/a.toml\n"
              "   = hint: call it a.TYPE.toml\n"
              "   = in: project\n");
}

TEST_F(FolderSourceTest, a_link_that_leads_out_is_refused_and_one_that_stays_inside_is_what_it_leads_to) {
    // C-02
    files.write("secret/a.yard.toml", "x");
    files.write("game/real/b.yard.toml", "x");
    files.link("game/out", "secret");
    files.link("game/c.yard.toml", "game/real/b.yard.toml");
    EXPECT_EQ(listed(), "yard:b game/real/b.yard.toml\nyard:c game/c.yard.toml\n");
    EXPECT_EQ(problems.to_text(),
              "error LY-2206: game/out leads out of game\n"
              "  --> game/out\n"
              "   = hint: put what it leads to into the folder\n"
              "   = in: project\n");
}

TEST_F(FolderSourceTest, no_path_leads_out_of_the_folder) {
    // C-02
    files.write("secret/a.yard.toml", "title = \"a\"\n");
    files.write("game/b.yard.toml", "title = \"b\"\n");
    for (const char* path : {"secret/a.yard.toml", "/etc/passwd", "game/../secret/a.yard.toml", "gamebook/a.yard.toml",
                             "game/sub/..", "game", "game/", "game//etc/passwd", ""}) {
        const DecodedAsset asset = decode(path, "yard:a");
        EXPECT_FALSE(asset.is_ok());
        ASSERT_EQ(asset.reading.problems.count(), 1u) << path;
        EXPECT_EQ(asset.reading.problems.all()[0].code, &kOutsideOfRoot) << path;
        EXPECT_EQ(source.changed_ns({*PrimaryAssetId::parse("yard:a"), path, 0, 0}), 0) << path;
    }
    EXPECT_EQ(files.reads(), 0u);
    EXPECT_TRUE(decode("game/b.yard.toml", "yard:b").is_ok());
}

TEST_F(FolderSourceTest, content_becomes_an_object_with_what_it_refers_to) {
    // C-04, C-11
    const DecodedAsset asset = decode_yard(kFull);
    ASSERT_TRUE(asset.is_ok()) << asset.reading.problems.to_text();
    const Yard& yard = *static_cast<const Yard*>(asset.object.get());
    EXPECT_EQ(asset.object_type, type_name<Yard>());
    EXPECT_EQ(asset.type, &type_of_record<Yard>());
    EXPECT_EQ(yard.name, Name("a"));
    EXPECT_EQ(yard.title, "The yard");
    EXPECT_EQ(yard.pieces.at(1).at, (Vec3{1, 2, 0}));
    std::string references;
    for (const AssetReference& r : asset.references)
        references += fmt::format("{} [{}] {}:{}\n", r.asset, r.bundle, r.place.line, r.place.column);
    EXPECT_EQ(references,
              "pawn_data:hero [] 3:9\n"
              "png:flag [Client] 4:10\n"
              "png:base [Client] 4:18\n"
              "mesh:wall [] 8:10\n"
              "mesh:gate [] 8:27\n"
              "sound:hop [Client] 11:9\n"
              "sound:hop [Equipped] 11:9\n");
    ASSERT_EQ(asset.bundle_hooks.size(), 1u);
    EXPECT_EQ(asset.bundle_hooks[0].type, types.find<Jump>());
    EXPECT_EQ(asset.bundle_hooks[0].object, yard.deeds[0].object());
    EXPECT_EQ(asset.bundle_hooks[0].path, "deed[0]");
    EXPECT_GT(asset.bytes, sizeof(Yard) + 2 * sizeof(Piece) + sizeof(Jump));
    EXPECT_LT(asset.bytes, sizeof(Yard) + 2 * sizeof(Piece) + sizeof(Jump) + 500);
    EXPECT_EQ(asset.changed_ns, source.changed_ns({{}, "game/a.yard.toml", 0, 0}));
}

TEST_F(FolderSourceTest, how_a_file_is_written_does_not_change_its_hash) {
    // C-19
    const std::uint64_t hash = hash_of(kFull);
    EXPECT_EQ(hash_of(kFull, "game/sub/a.yard.toml"), hash);
    EXPECT_EQ(hash_of(std::string("# a comment\n\n") + kFull), hash);
    EXPECT_EQ(hash_of(R"(tags = ["Place.Green", "Place.Open"]
next  = "yard:meadow"
mood  = 'Mood.Calm'
piece = [{ at = [0, 0, 0], mesh = "mesh:wall" }, { at = [1.0, 2.0], mesh = "gate" }]
deed  = [{ sound = "hop", kind = "jump" }]
icons = ["png:flag", "base"]
pawn  = "pawn_data:hero"
size  = 20.0
title = "The yard")"),
              hash);
    EXPECT_EQ(hash_of("title = \"\"\nsize = 10\nicons = []\n"), hash_of("# all as it is anyway\n"));
}

TEST_F(FolderSourceTest, every_value_counts_in_the_hash) {
    // C-19
    const std::uint64_t hash = hash_of(kFull);
    const std::pair<std::string_view, std::string_view> changes[] = {
        {"The yard", "Yard"},         {"20", "21"},         {"hero", "heroine"}, {"flag", "flags"}, {"meadow", "wood"},
        {"Mood.Calm", "Mood.Wild"},   {"[1, 2]", "[2, 1]"}, {"gate", "grate"},   {"wall", "hall"},  {"hop", "hip"},
        {"Place.Open", "Place.Shut"}, {"tags", "# tags"},   {"mood", "# mood"},
    };
    std::vector<std::uint64_t> hashes = {hash};
    for (const auto& [from, to] : changes) {
        std::string text = kFull;
        text.replace(text.find(from), from.size(), to);
        hashes.push_back(hash_of(text));
    }
    std::sort(hashes.begin(), hashes.end());
    EXPECT_EQ(std::unique(hashes.begin(), hashes.end()), hashes.end());
    EXPECT_NE(hash_of("mood = \"A\"\ntags = [\"B\"]\n"), hash_of("mood = \"B\"\ntags = [\"A\"]\n"));
}

TEST_F(FolderSourceTest, all_that_is_wrong_in_a_file_is_found_with_its_place) {
    // C-11
    const DecodedAsset asset = decode_yard("titel = \"x\"\nsize = 200\n[[deed]]\nkind = \"jmp\"\n");
    EXPECT_FALSE(asset.is_ok());
    EXPECT_EQ(asset.object, nullptr);
    ASSERT_EQ(asset.reading.problems.count(), 3u) << asset.reading.problems.to_text();
    for (const Problem& problem : asset.reading.problems.all()) {
        EXPECT_EQ(problem.file, "game/a.yard.toml");
        EXPECT_GT(problem.place.line, 0u);
        EXPECT_EQ(problem.chain, std::vector<std::string>{"yard:a"});
    }
}

TEST_F(FolderSourceTest, what_is_wrong_with_tags_is_found_also_where_something_else_is_wrong) {
    // C-11
    DecodedAsset asset = decode_yard("titel = \"x\"\nmood = \"Mood.None\"\n");
    ASSERT_EQ(asset.reading.problems.count(), 1u);
    const TagTable tags;
    link_content(asset.reading, {types, tags});
    EXPECT_EQ(asset.reading.problems.count(), 2u) << asset.reading.problems.to_text();
}

TEST_F(FolderSourceTest, a_file_cut_short_is_refused_whatever_is_left_of_it) {
    // C-11
    DecodedAsset asset = decode_yard("title = \"The");
    ASSERT_EQ(asset.reading.problems.count(), 1u);
    EXPECT_EQ(asset.reading.problems.all()[0].place.line, 1u);
    EXPECT_EQ(asset.reading.problems.all()[0].chain, std::vector<std::string>{"yard:a"});
    files.write("game/a.yard.toml", kFull);
    files.truncate("game/a.yard.toml", 19);
    asset = decode("game/a.yard.toml", "yard:a");
    EXPECT_EQ(asset.reading.problems.to_text(), fmt::format("error LY-2208: game/a.yard.toml: only 19 of {} bytes are "
                                                            "there\n  --> game/a.yard.toml\n   = in: yard:a\n",
                                                            std::string_view(kFull).size()));
    EXPECT_EQ(decode_yard("").reading.problems.all()[0].text, "game/a.yard.toml is empty");
}

TEST_F(FolderSourceTest, a_file_that_cannot_be_read_says_why) {
    // C-11
    files.write("game/a.yard.toml", kFull);
    files.fail("game/a.yard.toml", Status(StatusCode::Unavailable, "game/a.yard.toml: input/output error"));
    EXPECT_EQ(decode("game/a.yard.toml", "yard:a").reading.problems.to_text(),
              "error LY-2208: game/a.yard.toml: input/output error\n  --> game/a.yard.toml\n   = in: yard:a\n");
    EXPECT_EQ(decode("game/gone.yard.toml", "yard:gone").reading.problems.all()[0].text,
              "game/gone.yard.toml: there is no such file or folder");
}

TEST_F(FolderSourceTest, a_file_that_is_too_large_says_both_sizes) {
    // C-11
    const DecodedAsset asset = decode_yard(std::string(ContentTypes::kMaxTomlBytes + 1, '#'));
    ASSERT_EQ(asset.reading.problems.count(), 1u);
    EXPECT_EQ(asset.reading.problems.all()[0].code, &kFileTooLarge);
    EXPECT_EQ(asset.reading.problems.all()[0].text,
              "game/a.yard.toml: 16777217 bytes are more than the 16777216 allowed");
}

TEST_F(FolderSourceTest, a_loader_makes_an_object_of_bytes_and_its_refusals_are_problems) {
    // C-11, C-19
    files.write("game/flag.png", "PNG");
    const DecodedAsset asset = decode("game/flag.png", "png:flag");
    ASSERT_TRUE(asset.is_ok()) << asset.reading.problems.to_text();
    EXPECT_EQ(static_cast<const Picture*>(asset.object.get())->text, "PNG");
    EXPECT_EQ(asset.object_type, type_name<Picture>());
    EXPECT_EQ(asset.type, nullptr);
    EXPECT_EQ(asset.bytes, 300u);
    EXPECT_EQ(asset.hash, hash64("PNG"));
    const std::pair<const char*, const char*> refusals[] = {
        {"throw", "reading game/flag.png threw \"the picture is upside down\""},
        {"nothing", "game/flag.png: its loader made nothing of it"},
        {"JPG", "game/flag.png: png:flag is no picture"},
    };
    for (const auto& [text, expected] : refusals) {
        files.write("game/flag.png", text);
        const DecodedAsset refused = decode("game/flag.png", "png:flag");
        EXPECT_FALSE(refused.is_ok());
        ASSERT_EQ(refused.reading.problems.count(), 1u);
        EXPECT_EQ(refused.reading.problems.all()[0].code, &kLoaderFailed);
        EXPECT_EQ(refused.reading.problems.all()[0].text, expected);
    }
}

TEST_F(FolderSourceTest, an_asset_of_a_type_that_has_gone_is_a_problem) {
    // C-11
    files.write("game/a.yard.toml", kFull);
    ASSERT_TRUE(content.remove(Name("yard")));
    EXPECT_EQ(decode("game/a.yard.toml", "yard:a").reading.problems.all()[0].code, &kUnknownAssetType);
}

TEST_F(FolderSourceTest, a_folder_of_the_machine_is_read_up_to_its_links) {
    // C-01, C-02
    namespace fs = std::filesystem;
    std::string top = (fs::temp_directory_path() / "lyre_assets_XXXXXX").string();
    ASSERT_NE(mkdtemp(top.data()), nullptr);
    fs::create_directories(top + "/game/sub");
    fs::create_directories(top + "/secret");
    for (const char* path : {"/game/sub/a.yard.toml", "/secret/b.yard.toml"}) std::ofstream(top + path) << kFull;
    fs::create_directory_symlink(top + "/secret", top + "/game/out");
    const RealFiles real;
    const FolderSource folder(real, top + "/game", Name("project"));
    const auto entries = folder.list(*content.schema(), problems);
    ASSERT_TRUE(entries) << entries.status().text();
    ASSERT_EQ(entries->size(), 1u);
    EXPECT_EQ(entries->front().path, top + "/game/sub/a.yard.toml");
    ASSERT_EQ(problems.count(), 1u);
    EXPECT_EQ(problems.all()[0].text, fmt::format("{0}/game/out leads out of {0}/game", top));
    const DecodedAsset asset = folder.decode(entries->front(), *content.schema());
    EXPECT_TRUE(asset.is_ok()) << asset.reading.problems.to_text();
    EXPECT_EQ(asset.hash, hash_of(kFull));
    EXPECT_EQ(asset.changed_ns, entries->front().changed_ns);
    fs::remove_all(top);
}

TEST(AssetCodes, have_numbers_of_their_own_and_say_what_to_do) {
    // C-12
    std::uint16_t last = 2200;
    for (const ProblemCode* code : asset_codes()) {
        EXPECT_EQ(code->number, ++last);
        EXPECT_FALSE(code->title.empty());
        EXPECT_FALSE(code->help.empty());
    }
}

}  // namespace folder_source_test
}  // namespace lyre::assets
