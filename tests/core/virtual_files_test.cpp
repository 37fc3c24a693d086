#include "lyre/core/virtual_files.h"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>

#include "tests/listed_files.h"

namespace lyre {
namespace virtual_files_test {

const Status kDiskGone(StatusCode::Unavailable, "the disk is gone");

TEST(VirtualFiles, what_was_written_is_read_and_each_write_is_told_apart) {
    // C-18
    VirtualFiles files;
    files.write("content/a.map.toml", "one");
    const auto first = files.look("content/a.map.toml");
    EXPECT_EQ(first->kind, FileKind::Regular);
    EXPECT_EQ(first->bytes, 3u);
    EXPECT_EQ(files.read("content/a.map.toml", 3)->text(), "one");
    files.write("content/a.map.toml", "two");
    EXPECT_NE(files.look("content/a.map.toml")->changed_ns, first->changed_ns);
    EXPECT_EQ(files.read("content/a.map.toml", 100)->text(), "two");
    files.write("/content/a.map.toml", "another tree");
    EXPECT_EQ(files.read("content/a.map.toml", 100)->text(), "two");
}

TEST(VirtualFiles, a_listing_is_in_order_of_path_and_opens_nothing) {
    // C-01
    VirtualFiles files;
    for (const char* path : {"c/b/x", "c/b.txt", "c/b-1/y", "c/a", "cc/z", "b"}) files.write(path, "12");
    files.make_folder("c/empty");
    EXPECT_EQ(shown(files.list("c")), "a, b-1/y, b.txt, b/x");
    EXPECT_EQ((*files.list("c/b"))[0].bytes, 2u);
    EXPECT_EQ(shown(files.list("c/empty")), "");
    EXPECT_EQ(files.reads(), 0u);
    EXPECT_EQ(files.lists(), 3u);
    EXPECT_TRUE(files.read("c/a", 2));
    EXPECT_FALSE(files.read("c/none", 2));
    EXPECT_EQ(files.reads(), 2u);
    EXPECT_EQ(files.reads("c/a"), 1u);
    EXPECT_EQ(files.reads("b"), 0u);
}

TEST(VirtualFiles, folders_are_there_while_something_is_in_them_or_once_they_are_made) {
    // C-01
    VirtualFiles files;
    files.write("a/b/file", "");
    EXPECT_EQ(files.look("a/b")->kind, FileKind::Folder);
    EXPECT_TRUE(files.remove("a/b/file"));
    EXPECT_FALSE(files.remove("a/b/file"));
    EXPECT_EQ(files.look("a/b").status().code(), StatusCode::NotFound);
    EXPECT_EQ(shown(files.list("a")), "not found: a: there is no such file or folder");
    files.make_folder("a/b");
    EXPECT_EQ(files.look("a")->kind, FileKind::Folder);
    EXPECT_TRUE(files.remove("a"));
    EXPECT_FALSE(files.look("a/b"));
}

TEST(VirtualFiles, a_rename_takes_all_below_along_and_replaces_what_is_there) {
    // C-18
    VirtualFiles files;
    files.write("a/x", "x");
    files.write("a/b/y", "y");
    files.write("ab", "beside");
    files.write("to/old", "old");
    const auto changed = files.look("a/x")->changed_ns;
    EXPECT_TRUE(files.rename("a", "to"));
    EXPECT_FALSE(files.rename("a", "to"));
    EXPECT_EQ(shown(files.list("to")), "b/y, x");
    EXPECT_EQ(files.look("to/x")->changed_ns, changed);
    EXPECT_TRUE(files.look("ab"));
    EXPECT_FALSE(files.look("a"));
}

TEST(VirtualFiles, links_inside_are_what_they_lead_to_and_others_are_not_entered) {
    // C-02
    VirtualFiles files;
    files.write("root/real/file", "123");
    files.write("outside/secret", "s");
    files.link("root/to_file", "root/real/file");
    files.link("root/to_folder", "root/real");
    files.link("root/to_link", "root/to_folder/file");
    files.link("root/out_file", "outside/secret");
    files.link("root/out_folder", "outside");
    files.link("root/around", "outside/back");  // leaves, and comes back
    files.link("outside/back", "root/real");
    files.link("root/nowhere", "root/none");
    files.link("root/self", "root/self");
    EXPECT_EQ(shown(files.list("root")),
              "around/file, nowhere (other), out_file (out), out_folder (out), real/file, self (other), to_file, "
              "to_folder/file, to_link");
    EXPECT_EQ((*files.list("root"))[6].bytes, 3u);
    EXPECT_EQ(files.read("root/to_link", 3)->text(), "123");
    files.link("link_to_root", "root");
    EXPECT_EQ(files.list("link_to_root")->size(), 9u);
}

TEST(VirtualFiles, links_to_a_folder_that_contains_them_are_not_entered) {
    // C-02
    VirtualFiles files;
    files.write("root/a/file", "");
    files.write("root/b/file", "");
    files.link("root/a/up", "root");
    files.link("root/a/here", "root/a");
    files.link("root/a/to_b", "root/b");
    files.link("root/b/to_a", "root/a");
    EXPECT_EQ(shown(files.list("root")),
              "a/file, a/here (out), a/to_b/file, a/to_b/to_a (out), a/up (out), b/file, b/to_a/file, "
              "b/to_a/here (out), b/to_a/to_b (out), b/to_a/up (out)");
}

TEST(VirtualFiles, a_survey_goes_so_deep_and_fails_by_nothing_below) {
    // C-02, F-57
    VirtualFiles files;
    for (const char* path : {"game/tag/feature.toml", "game/tag/content/a.toml", "game/locked/a.toml", "game/readme.md",
                             "mods/a.toml"})
        files.write(path, "x");
    files.link("game/again", "game/tag");
    files.link("game/tag/up", "game");
    files.link("game/out", "mods");
    files.link("game/gone", "nowhere");
    files.fail("game/locked", Status(StatusCode::Unavailable, "game/locked: no"));
    const auto shown = [&](std::size_t depth) {
        std::string text;
        for (const FileInfo& info : files.survey("game", depth).value())
            text += fmt::format("{}:{} ", info.path, static_cast<int>(info.kind));
        return text;
    };
    EXPECT_EQ(shown(0), "again:1 gone:3 locked:3 out:2 readme.md:0 tag:1 ");
    EXPECT_EQ(shown(1), "again:1 again/content:1 again/feature.toml:0 again/up:2 gone:3 locked:3 out:2 readme.md:0 "
                        "tag:1 tag/content:1 tag/feature.toml:0 tag/up:2 ");
    EXPECT_EQ(files.reads(), 0u);
    EXPECT_FALSE(files.survey("game/locked", 0).is_ok());
    EXPECT_FALSE(files.survey("game/readme.md", 0).is_ok());
}

TEST(VirtualFiles, folders_deeper_than_the_bound_are_refused) {
    // C-02
    VirtualFiles files;
    std::string path = "root";
    for (std::size_t i = 0; i < Files::kMaxDepth; ++i) path += "/d";
    files.write(path + "/file", "");
    EXPECT_EQ(files.list("root")->size(), 1u);
    files.write(path + "/d/file", "");
    EXPECT_EQ(files.list("root").status().code(), StatusCode::Capacity);
}

TEST(VirtualFiles, links_that_multiply_a_folder_end_at_the_bound) {
    // C-02
    VirtualFiles files;
    for (int i = 0; i < 10'000; ++i) files.write(fmt::format("root/many/{}", i), "");
    for (int i = 0; i < 100; ++i) files.link(fmt::format("root/{}", i), "root/many");
    EXPECT_EQ(files.list("root").status().code(), StatusCode::Capacity);
}

TEST(VirtualFiles, faults_last_until_they_are_healed) {
    // C-11
    VirtualFiles files;
    files.write("c/sub/a", "123456");
    files.link("c/link", "c/sub/a");
    files.fail("c/link", kDiskGone);
    EXPECT_EQ(files.read("c/sub/a", 10).status().text(), "the disk is gone");
    files.write("c/sub/a", "abcdef");
    EXPECT_FALSE(files.read("c/sub/a", 10));
    EXPECT_TRUE(files.list("c"));
    files.heal("c/sub/a");
    files.truncate("c/sub/a", 4);
    EXPECT_EQ(files.read("c/link", 10)->text(), "abcd");
    EXPECT_EQ(files.look("c/sub/a")->bytes, 6u);
    files.heal("c/sub/a");
    EXPECT_EQ(files.read("c/sub/a", 10)->text(), "abcdef");
    files.fail("c/sub", kDiskGone);
    EXPECT_EQ(files.list("c").status().text(), "the disk is gone");
    files.heal("c/sub");
    EXPECT_TRUE(files.list("c"));
}

TEST(VirtualFiles, what_cannot_be_read_is_refused_by_name) {
    // C-11
    VirtualFiles files;
    files.write("c/a", "123");
    EXPECT_EQ(files.read("c/a", 2).status().to_string(), "capacity: c/a: 3 bytes are more than the 2 allowed");
    EXPECT_EQ(files.read("c", 2).status().to_string(), "unavailable: c: not a regular file");
    EXPECT_EQ(files.read("c/a/b", 2).status().code(), StatusCode::NotFound);
    EXPECT_EQ(shown(files.list("c/a")), "unavailable: c/a: not a folder");
}

TEST(VirtualFiles, paths_with_empty_parts_or_steps_up_are_refused) {
    // C-02
    VirtualFiles files;
    files.write("a/b", "");
    for (const char* path : {"", "/", "a/", "a//b", "a/../a/b", "..", "./a", "//a"}) {
        EXPECT_EQ(files.read(path, 1).status().code(), StatusCode::InvalidArgument) << path;
        EXPECT_EQ(files.look(path).status().code(), StatusCode::InvalidArgument) << path;
        EXPECT_EQ(files.list(path).status().code(), StatusCode::InvalidArgument) << path;
        EXPECT_DEATH(files.write(path, ""), "without empty parts") << path;
    }
    EXPECT_DEATH(files.write("a", ""), "remove it first");
    EXPECT_DEATH(files.write("a/b/c", ""), "cannot hold files");
}

TEST(VirtualFiles, several_threads_read_while_one_writes) {
    // C-01
    VirtualFiles files;
    files.write("c/a", "0");
    std::atomic<bool> done = false;
    std::vector<std::thread> readers;
    for (int i = 0; i < 3; ++i)
        readers.emplace_back([&] {
            while (!done) {
                const auto bytes = files.read("c/a", 1000);
                ASSERT_TRUE(bytes);
                ASSERT_EQ(bytes->text(), std::string(bytes->size(), bytes->text()[0]));
                ASSERT_TRUE(files.list("c"));
            }
        });
    for (int i = 0; i < 2000; ++i) files.write("c/a", std::string(1 + i % 100, static_cast<char>('a' + i % 26)));
    done = true;
    for (std::thread& reader : readers) reader.join();
}

}  // namespace virtual_files_test
}  // namespace lyre
