#include "lyre/core/files_native.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/listed_files.h"

namespace lyre {
namespace files_native_test {

namespace fs = std::filesystem;

class RealFilesTest : public testing::Test {
protected:
    RealFilesTest() {
        std::string folder = (fs::temp_directory_path() / "lyre files XXXXXX").string();
        folder_ = ::mkdtemp(folder.data());
    }
    ~RealFilesTest() override {
        std::error_code ignored;
        fs::remove_all(folder_, ignored);
    }
    std::string at(const std::string& path) const { return (folder_ / path).string(); }
    void write(const std::string& path, std::string_view text) {
        fs::create_directories(fs::path(at(path)).parent_path());
        std::ofstream(at(path), std::ios::binary) << text;
    }
    void link(const std::string& path, const std::string& target) { fs::create_symlink(target, at(path)); }
    std::string listed(const std::string& path) const { return shown(files_.list(at(path))); }

    fs::path folder_;
    RealFiles files_;
};

TEST_F(RealFilesTest, what_is_there_is_read_looked_at_and_listed_in_order_of_path) {
    // C-01
    for (const char* path : {"c/b/x", "c/b.txt", "c/b-1/y", "c/a"}) write(path, path);
    fs::create_directories(at("c/empty"));
    EXPECT_EQ(listed("c"), "a, b-1/y, b.txt, b/x");
    EXPECT_EQ(listed("c/"), "a, b-1/y, b.txt, b/x");
    EXPECT_EQ(listed("c/empty"), "");
    EXPECT_EQ(files_.list(at("c"))->at(3).bytes, 5u);
    EXPECT_EQ(files_.list(at("c"))->at(3).changed_ns, files_.look(at("c/b/x"))->changed_ns);
    EXPECT_EQ(files_.read(at("c/b/x"), 5)->text(), "c/b/x");
    EXPECT_EQ(files_.look(at("c/b"))->kind, FileKind::Folder);
    write("zero", "");
    EXPECT_EQ(files_.read(at("zero"), 0)->text(), "");
}

TEST_F(RealFilesTest, a_file_written_or_replaced_is_told_apart_also_if_its_time_is_set_back) {
    // C-18
    write("a", "old");
    const auto before = files_.look(at("a"))->changed_ns;
    const auto time = fs::last_write_time(at("a"));
    do {  // until the kernel's clock has moved on
        write("b", "new");
        fs::last_write_time(at("b"), time);
        fs::rename(at("b"), at("a"));
    } while (files_.look(at("a"))->changed_ns == before);
    EXPECT_EQ(fs::last_write_time(at("a")), time);
    EXPECT_EQ(files_.look(at("a"))->bytes, 3u);
}

TEST_F(RealFilesTest, links_inside_are_what_they_lead_to_and_others_are_not_entered) {
    // C-02
    write("root/real/file", "123");
    write("outside/secret", "s");
    write("root2/secret", "s");  // begins with the root's name
    link("root/to_file", "real/file");
    link("root/to_folder", "real");
    link("root/to_link", "to_folder/file");
    link("root/out_file", "../outside/secret");
    link("root/out_folder", at("outside"));
    link("root/out_beside", "../root2");
    link("outside/back", at("root/real"));
    link("root/around", "../outside/back");  // leaves, and comes back
    link("root/nowhere", "none");
    link("root/self", "self");
    EXPECT_EQ(listed("root"),
              "around/file, nowhere (other), out_beside (out), out_file (out), out_folder (out), real/file, self "
              "(other), to_file, to_folder/file, to_link");
    EXPECT_EQ(files_.list(at("root"))->at(7).bytes, 3u);
    link("link_to_root", "root");
    EXPECT_EQ(listed("link_to_root"), listed("root"));
}

TEST_F(RealFilesTest, a_survey_goes_so_deep_and_fails_by_nothing_below) {
    // C-02, F-57
    write("game/tag/feature.toml", "x");
    write("game/tag/content/a.toml", "x");
    write("game/readme.md", "x");
    write("mods/a.toml", "x");
    fs::create_directory_symlink(folder_ / "game/tag", folder_ / "game/again");
    fs::create_directory_symlink(folder_ / "game", folder_ / "game/tag/up");
    fs::create_directory_symlink(folder_ / "mods", folder_ / "game/out");
    fs::create_symlink("round", folder_ / "game/round");
    const auto shown = [&](std::size_t depth) {
        std::string text;
        for (const FileInfo& info : RealFiles().survey((folder_ / "game").string(), depth).value())
            text += fmt::format("{}:{} ", info.path, static_cast<int>(info.kind));
        return text;
    };
    EXPECT_EQ(shown(0), "again:1 out:2 readme.md:0 round:3 tag:1 ");
    EXPECT_EQ(shown(1), "again:1 again/content:1 again/feature.toml:0 again/up:2 out:2 readme.md:0 round:3 tag:1 "
                        "tag/content:1 tag/feature.toml:0 tag/up:2 ");
    EXPECT_FALSE(RealFiles().survey((folder_ / "game/readme.md").string(), 0).is_ok());
}

TEST_F(RealFilesTest, links_to_a_folder_that_contains_them_are_not_entered) {
    // C-02
    write("root/a/file", "");
    write("root/b/file", "");
    link("root/a/up", "..");
    link("root/a/here", ".");
    link("root/a/top", "/");
    link("root/a/to_b", "../b");
    link("root/b/to_a", "../a");
    EXPECT_EQ(listed("root"),
              "a/file, a/here (out), a/to_b/file, a/to_b/to_a (out), a/top (out), a/up (out), b/file, b/to_a/file, "
              "b/to_a/here (out), b/to_a/to_b (out), b/to_a/top (out), b/to_a/up (out)");
}

TEST_F(RealFilesTest, pipes_devices_and_folders_are_refused_instead_of_waited_for) {
    // C-11
    write("a", "");
    ASSERT_EQ(::mkfifo(at("pipe").c_str(), 0600), 0);
    EXPECT_EQ(listed(""), "a, pipe (other)");
    EXPECT_EQ(files_.look(at("pipe"))->kind, FileKind::Other);
    for (const std::string& path : {at("pipe"), at(""), std::string("/dev/zero")})
        EXPECT_EQ(files_.read(path, 100).status().to_string(), "unavailable: " + path + ": not a regular file");
}

TEST_F(RealFilesTest, what_cannot_be_read_is_refused_by_name) {
    // C-11
    write("c/a", "123");
    EXPECT_EQ(files_.read(at("c/a"), 2).status().to_string(),
              "capacity: " + at("c/a") + ": 3 bytes are more than the 2 allowed");
    for (const char* path : {"none", "c/a/b", "none/b"}) {
        EXPECT_EQ(files_.read(at(path), 2).status().code(), StatusCode::NotFound) << path;
        EXPECT_EQ(files_.look(at(path)).status().code(), StatusCode::NotFound) << path;
        EXPECT_EQ(files_.list(at(path)).status().code(), StatusCode::NotFound) << path;
    }
    EXPECT_EQ(listed("c/a"), "unavailable: " + at("c/a") + ": not a folder");
}

TEST_F(RealFilesTest, what_may_not_be_read_is_refused_with_the_systems_reason) {
    // C-11
    if (::geteuid() == 0) GTEST_SKIP() << "root reads everything";
    write("c/a", "123");
    fs::permissions(at("c/a"), fs::perms::none);
    EXPECT_EQ(files_.read(at("c/a"), 9).status().to_string(), "unavailable: " + at("c/a") + ": Permission denied");
    fs::permissions(at("c"), fs::perms::none);
    EXPECT_EQ(files_.list(at("")).status().to_string(),
              "unavailable: " + fs::canonical(at("c")).string() + ": Permission denied");
    fs::permissions(at("c"), fs::perms::owner_all);
}

TEST_F(RealFilesTest, a_huge_file_is_refused_before_memory_is_taken) {
    // C-11
    write("huge", "");
    fs::resize_file(at("huge"), std::uint64_t{1} << 42);  // sparse
    EXPECT_EQ(files_.read(at("huge"), 1 << 20).status().code(), StatusCode::Capacity);
}

TEST_F(RealFilesTest, folders_deeper_than_the_bound_are_refused) {
    // C-02
    std::string path = "root";
    for (std::size_t i = 0; i < Files::kMaxDepth; ++i) path += "/d";
    write(path + "/file", "");
    EXPECT_EQ(files_.list(at("root"))->size(), 1u);
    write(path + "/d/file", "");
    EXPECT_EQ(files_.list(at("root")).status().code(), StatusCode::Capacity);
}

}  // namespace files_native_test
}  // namespace lyre
