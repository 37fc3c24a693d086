#include "lyre/assets/registry.h"

#include <gtest/gtest.h>

#include "lyre/core/clock.h"
#include "lyre/core/virtual_files.h"

namespace lyre::assets {
namespace registry_test {

struct Note {
    std::string text{};
    static void describe(TypeBuilder<Note>& t) { t.property("text", &Note::text); }
};

const Owner kTag = Owner::feature(Name("tag"), 1);
const Name kNote("note"), kProject("project");

PrimaryAssetId note(std::string_view name) {
    return {kNote, Name(name)};
}

class AssetRegistryTest : public ::testing::Test {
protected:
    AssetRegistryTest() { EXPECT_TRUE(types.add<Note>("note")); }
    void write(const std::string& path) { files.write(path, "text = \"a\"\n"); }
    std::string ids() const {
        std::string text;
        for (PrimaryAssetId id : registry.all()) text += (text.empty() ? "" : " ") + id.to_string();
        return text;
    }

    TypeRegistry described;
    ContentTypes types{described};
    VirtualFiles files;
    AssetRegistry registry{types, files};
};

TEST_F(AssetRegistryTest, twenty_thousand_files_are_known_without_opening_one) {
    // C-01
    for (int i = 0; i < 20'000; ++i) write(fmt::format("content/{}/n{}.note.toml", i % 100, i));
    const auto root = registry.add_folder("content", kProject);
    ASSERT_TRUE(root) << root.status().text();
    EXPECT_EQ(registry.count(), 20'000u);
    EXPECT_EQ(registry.root(*root)->assets, 20'000u);
    EXPECT_EQ(registry.find(note("n19999"))->entry.path, "content/99/n19999.note.toml");
    EXPECT_EQ(registry.of_type(kNote).size(), 20'000u);
    EXPECT_EQ(registry.all().front(), note("n0"));
    EXPECT_EQ(files.reads(), 0u);
    EXPECT_TRUE(registry.problems().is_empty());
    EXPECT_TRUE(registry.remove_root(*root));
    EXPECT_EQ(registry.count(), 0u);
}

TEST_F(AssetRegistryTest, what_is_known_of_an_asset_is_its_path_size_and_root) {
    // C-01
    write("game/content/deep/down/b.note.toml");
    write("game/content/a.note.toml");
    OwnerScope as(kTag);
    const RootId root = *registry.add_folder("game/content/", kProject);
    EXPECT_EQ(ids(), "note:a note:b");
    const AssetInfo* b = *registry.get(note("b"));
    EXPECT_EQ(b->entry.path, "game/content/deep/down/b.note.toml");
    EXPECT_EQ(b->entry.bytes, 11u);
    EXPECT_EQ(b->root, root);
    EXPECT_EQ(registry.root(root)->owner, kTag);
    EXPECT_EQ(registry.root(root)->label, kProject);
    EXPECT_EQ(registry.root(root)->what, "folder game/content");
    EXPECT_EQ(registry.roots(), std::vector{root});
}

TEST_F(AssetRegistryTest, names_are_asked_for_by_those_who_link_content) {
    // C-01
    write("content/yard.note.toml");
    ASSERT_TRUE(registry.add_folder("content", kProject));
    const AssetNames& names = registry;
    EXPECT_TRUE(names.has_type(kNote));
    EXPECT_FALSE(names.has_type(Name("map")));
    EXPECT_TRUE(names.has(kNote, "yard"));
    EXPECT_FALSE(names.has(kNote, "yrad"));
    EXPECT_EQ(names.nearest(kNote, "yrad"), "yard");
    EXPECT_EQ(names.nearest(Name("map"), "yrad"), "");
    EXPECT_EQ(registry.get(note("yrad")).status().text(), "no asset \"note:yrad\"; did you mean \"note:yard\"?");
}

TEST_F(AssetRegistryTest, a_folder_that_is_not_there_is_named_with_the_one_beside_it_that_is_near) {
    // C-01
    write("game/content/a.note.toml");
    const auto refused = registry.add_folder("game/contnt", kProject);
    EXPECT_EQ(refused.status().code(), StatusCode::NotFound);
    EXPECT_EQ(refused.status().text(), "no folder \"game/contnt\"; did you mean \"game/content\"?");
    EXPECT_EQ(registry.add_folder("other", kProject).status().text(), "no folder \"other\"");
    EXPECT_EQ(registry.add_folder("game/content/a.note.toml", kProject).status().code(), StatusCode::NotFound);
    EXPECT_TRUE(registry.roots().empty());
}

TEST_F(AssetRegistryTest, a_folder_is_a_root_once) {
    // C-01
    write("content/a.note.toml");
    ASSERT_TRUE(registry.add_folder("content", kProject));
    const auto again = registry.add_folder("content/", Name("tag"));
    EXPECT_EQ(again.status().code(), StatusCode::AlreadyExists);
    EXPECT_EQ(again.status().text(), "folder content is a root already, of project");
    EXPECT_EQ(registry.roots().size(), 1u);
}

TEST_F(AssetRegistryTest, of_two_files_in_two_roots_the_first_stays_and_both_are_named) {
    // C-02
    write("content/a.note.toml");
    write("tag/content/a.note.toml");
    write("tag/content/b.note.toml");
    const RootId project = *registry.add_folder("content", kProject);
    const RootId tag = *registry.add_folder("tag/content", Name("tag"));
    EXPECT_EQ(registry.find(note("a"))->root, project);
    EXPECT_TRUE(registry.root(project)->problems.is_empty());
    EXPECT_EQ(registry.root(tag)->hidden, 1u);
    EXPECT_EQ(registry.problems().to_text(),
              "error LY-2201: note:a is both content/a.note.toml and tag/content/a.note.toml\n"
              "  --> tag/content/a.note.toml\n"
              "   = hint: rename one of them\n"
              "   = in: tag\n");
    ASSERT_TRUE(registry.remove_root(project));
    EXPECT_EQ(registry.find(note("a"))->root, tag);
    EXPECT_TRUE(registry.problems().is_empty());
}

TEST_F(AssetRegistryTest, the_ids_of_a_root_go_with_it) {
    // C-01
    write("content/a.note.toml");
    write("tag/content/b.note.toml");
    const RootId project = *registry.add_folder("content", kProject);
    const RootId tag = *registry.add_folder("tag/content", Name("tag"));
    std::vector<RootId> removed;
    auto heard = registry.root_removed.add([&](RootId root) { removed.push_back(root); });
    EXPECT_TRUE(registry.remove_root(tag));
    EXPECT_FALSE(registry.remove_root(tag));
    EXPECT_EQ(ids(), "note:a");
    EXPECT_EQ(registry.root(tag), nullptr);
    EXPECT_EQ(registry.roots(), std::vector{project});
    EXPECT_EQ(removed, std::vector{tag});
}

TEST_F(AssetRegistryTest, a_listener_may_remove_the_root_it_hears_of) {
    // C-01
    write("content/a.note.toml");
    auto heard = registry.root_added.add([&](RootId root) { registry.remove_root(root); });
    const auto root = registry.add_folder("content", kProject);
    ASSERT_TRUE(root);
    EXPECT_EQ(registry.root(*root), nullptr);
    EXPECT_EQ(registry.count(), 0u);
}

TEST_F(AssetRegistryTest, looking_again_gives_what_came_went_and_was_written) {
    // C-01
    for (const char* name : {"stays", "goes", "written", "moved"}) write(fmt::format("content/{}.note.toml", name));
    const RootId root = *registry.add_folder("content", kProject);
    EXPECT_TRUE(registry.rescan(root)->empty());
    files.remove("content/goes.note.toml");
    files.rename("content/moved.note.toml", "content/sub/moved.note.toml");
    write("content/written.note.toml");
    write("content/came.note.toml");
    const std::vector expected = {note("came"), note("goes"), note("moved"), note("written")};
    EXPECT_EQ(*registry.rescan(root), expected);
    EXPECT_EQ(ids(), "note:came note:moved note:stays note:written");
    EXPECT_EQ(registry.root(root)->assets, 4u);
    EXPECT_EQ(files.reads(), 0u);
}

TEST_F(AssetRegistryTest, a_root_that_cannot_be_listed_again_stays_as_it_was) {
    // C-11
    write("content/a.note.toml");
    const RootId root = *registry.add_folder("content", kProject);
    files.fail("content", Status(StatusCode::Unavailable, "content: the disk is gone"));
    const auto refused = registry.rescan(root);
    EXPECT_EQ(refused.status().code(), StatusCode::Unavailable);
    EXPECT_EQ(refused.status().text(), "content: the disk is gone");
    EXPECT_EQ(ids(), "note:a");
    EXPECT_EQ(registry.rescan(RootId{9, 9}).status().code(), StatusCode::NotFound);
}

TEST_F(AssetRegistryTest, a_type_that_comes_or_goes_changes_which_files_are_assets_when_somebody_asks) {
    // C-01
    write("content/a.note.toml");
    write("content/a.memo.toml");
    ASSERT_TRUE(registry.add_folder("content", kProject));
    EXPECT_EQ(registry.problems().count(), 1u);
    const std::size_t before = files.lists();
    ASSERT_TRUE(types.add<Note>("memo"));
    ASSERT_TRUE(types.add<Note>("other"));
    EXPECT_EQ(files.lists(), before);
    EXPECT_EQ(ids(), "memo:a note:a");
    EXPECT_EQ(files.lists(), before + 1);
    EXPECT_TRUE(registry.problems().is_empty());
    ASSERT_TRUE(types.remove(Name("note")));
    EXPECT_EQ(registry.find(note("a")), nullptr);
    EXPECT_EQ(ids(), "memo:a");
    files.fail("content", Status(StatusCode::Unavailable, "content: the disk is gone"));
    ASSERT_TRUE(types.add<Note>("note"));
    EXPECT_EQ(ids(), "");
    EXPECT_EQ(registry.problems().to_text(),
              "error LY-2208: folder content cannot be listed: content: the disk is gone\n   = in: project\n");
}

TEST_F(AssetRegistryTest, there_are_as_many_roots_as_the_bound_says) {
    // C-01
    struct Empty final : AssetSource {
        explicit Empty(std::size_t n) : number(n) {}
        std::string describe() const override { return fmt::format("source {}", number); }
        Result<std::vector<AssetEntry>> list(const DecodeSchema&, Problems&) const override {
            return std::vector<AssetEntry>();
        }
        DecodedAsset decode(const AssetEntry&, const DecodeSchema&) const override { return {}; }
        std::int64_t changed_ns(const AssetEntry&) const override { return 0; }
        std::size_t number;
    };
    for (std::size_t i = 0; i < AssetRegistry::kMaxRoots; ++i)
        ASSERT_TRUE(registry.add_source(std::make_shared<Empty>(i), kProject));
    EXPECT_EQ(registry.add_source(std::make_shared<Empty>(AssetRegistry::kMaxRoots), kProject).status().code(),
              StatusCode::Capacity);
}

TEST_F(AssetRegistryTest, listeners_that_throw_are_reported_and_roots_come_and_go_all_the_same) {
    // C-01
    VirtualClock clock;
    Log log(clock);
    AssetRegistry told{types, files, &log};
    int heard = 0;
    auto throws = told.root_added.add([](RootId) { throw std::runtime_error("on purpose"); });
    auto hears = told.root_added.add([&](RootId) { ++heard; });
    auto throws_too = told.root_removed.add([](RootId) { throw 1; });
    auto hears_too = told.root_removed.add([&](RootId) { ++heard; });
    write("content/a.note.toml");
    const auto root = told.add_folder("content", kProject);
    ASSERT_TRUE(root) << root.status().text();
    EXPECT_NE(told.find(note("a")), nullptr);
    EXPECT_TRUE(told.remove_root(*root));
    EXPECT_EQ(told.find(note("a")), nullptr);
    EXPECT_EQ(heard, 2);
    ASSERT_EQ(log.count(kCallbackFailed), 2u);
    EXPECT_EQ(log.entries().front().text, "a listener threw: on purpose");
    EXPECT_EQ(log.entries().back().text, "a listener threw: an exception");
}

}  // namespace registry_test
}  // namespace lyre::assets
