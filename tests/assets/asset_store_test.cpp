// Loading what people wrote: TOML files through the folder source, the reader and the linker.
#include "lyre/assets/detail/asset_store.h"

#include <filesystem>
#include <fstream>

#include "lyre/core/files_native.h"
#include "lyre/core/thread_pool_native.h"

#include "tests/assets/small_source.h"

namespace lyre::assets {
namespace asset_store_test {

struct Hud {
    static void describe(TypeBuilder<Hud>&) {}
};
struct Rules {
    Name icon{};
    Name sound{};
    float weight = 1;
    static void describe(TypeBuilder<Rules>& t) {
        t.property("icon", &Rules::icon).asset("png");
        t.property("sound", &Rules::sound).asset("wav").bundle("Client");
        t.property("weight", &Rules::weight).range(0, 10);
        t.hook<&Rules::add_bundle_data>("add_bundle_data");
    }
    void add_bundle_data(BundleTable& table) const { table.add_class(Name("Client"), Name("Hud")).ignore(); }
};
struct Mode {
    std::string title{};
    std::vector<Name> rules{};
    Name next{};
    static void describe(TypeBuilder<Mode>& t) {
        t.property("title", &Mode::title);
        t.property("rules", &Mode::rules).asset("rules");
        t.property("next", &Mode::next).asset("mode").soft();
    }
};
struct Picture {
    std::string text;
};

Result<Loaded<Picture>> load_picture(const Bytes& bytes, const LoadedFile&) {
    return Loaded<Picture>{std::make_shared<Picture>(Picture{std::string(bytes.text())}), bytes.size()};
}

void add_types(ContentTypes& types) {
    ASSERT_TRUE(types.add<Rules>("rules").is_ok());
    ASSERT_TRUE(types.add<Mode>("mode").is_ok());
    ASSERT_TRUE(types.add_loader<Picture>("png", load_picture).is_ok());
    ASSERT_TRUE(types.add_loader<Picture>("wav", load_picture).is_ok());
}

struct Content : SmallHouse {
    Content() {
        EXPECT_TRUE(types.add<Hud>().is_ok());
        add_types(assets->types());
        files.write("content/tag.mode.toml", "title = \"Tag\"\nrules = [\"first\", \"second\"]\nnext  = \"tag\"\n");
        files.write("content/first.rules.toml", "icon   = \"flag\"\nsound  = \"horn\"\nweight = 2.5\n");
        files.write("content/second.rules.toml", "icon = \"flag\"\n");
        files.write("content/flag.png", "red");
        files.write("content/horn.wav", "honk");
    }
    void add_folder() { ASSERT_TRUE(assets->registry().add_folder("content", Name("project")).is_ok()); }
};

TEST(AssetStore, files_become_objects_with_all_they_need) {
    // C-04, C-05
    Content content;
    content.add_folder();
    const LoadHandle mode = content.load({"mode:tag"});
    const LoadHandle rules = content.load({"rules:first"}, {"Client"});
    content.frames();
    ASSERT_TRUE(mode.is_complete() && rules.is_complete()) << mode.problems().to_text() << rules.problems().to_text();
    EXPECT_EQ(content.assets->find<Mode>(id("mode:tag"))->title, "Tag");
    EXPECT_EQ(content.assets->find<Rules>(id("rules:first"))->weight, 2.5f);
    EXPECT_EQ(content.assets->find<Picture>(id("wav:horn"))->text, "honk");
    EXPECT_EQ((*content.assets->bundle_table(id("rules:first")))->to_string(),
              "always: png:flag\nClient: class Hud, wav:horn\n");
    EXPECT_EQ(content.files.reads("content/flag.png"), 1u);
    EXPECT_EQ(content.assets->memory_of_root(Name("project")).assets, 5u);
}

TEST(AssetStore, all_that_is_wrong_is_told_with_places_and_the_way_that_led_there) {
    // C-11
    Content content;
    content.files.write("content/first.rules.toml", "icon   = \"flga\"\nweight = 200\n");
    content.files.write("content/second.rules.toml", "icon = \"flag\"\n");
    content.files.fail("content/flag.png", Status(StatusCode::Unavailable, "content/flag.png: the disk is gone"));
    content.add_folder();
    const LoadHandle handle = content.load({"mode:tag"});
    content.frames();
    ASSERT_EQ(handle.state(), LoadState::Failed);
    EXPECT_EQ(handle.problems().to_text(),
              R"(error LY-2102: "weight" in rules:first takes a number from 0 to 10, not 200
  --> content/first.rules.toml:2:10
   |  weight = 200
   |           ^^^
   = in: rules:first, from mode:tag

error LY-2107: unknown asset png:flga for "icon" in rules:first
  --> content/first.rules.toml:1:10
   |  icon   = "flga"
   |           ^^^^^^ did you mean "flag"?
   = in: rules:first, from mode:tag

error LY-2208: content/flag.png: the disk is gone
  --> content/flag.png
   = in: png:flag, from rules:second, from mode:tag
)");
    EXPECT_EQ(content.assets->memory().assets, 0u);
}

TEST(AssetStore, edits_of_content_are_taken_over_and_broken_ones_are_not) {
    // C-18
    Content content;
    content.add_folder();
    const LoadHandle handle = content.load({"mode:tag"});
    content.frames();
    const auto edit = [&](std::string_view text) {
        content.files.write("content/first.rules.toml", text);
        content.assets->look_for_changes();
        content.frames(10);
        return content.assets->find<Rules>(id("rules:first"))->weight;
    };
    const std::uint64_t before = *content.assets->content_hash(id("rules:first"));
    EXPECT_EQ(edit("# a comment\nicon = \"flag\"\nsound = \"horn\"\nweight = 2.5\n"), 2.5f);
    EXPECT_EQ(*content.assets->content_hash(id("rules:first")), before);
    EXPECT_EQ(edit("weight = 3\n"), 3);
    EXPECT_EQ(edit("weight = \n"), 3);
    EXPECT_EQ(content.log.count(Name("assets.reload_failed")), 1u);
    EXPECT_EQ(edit("weight = 4\n"), 4);
}

TEST(AssetStore, what_somebody_shares_stays_as_it_was_when_the_asset_changes_and_when_it_goes) {
    // C-18
    Content content;
    content.add_folder();
    LoadHandle handle = content.load({"mode:tag"});
    content.frames();
    const auto shared = content.assets->find_shared<Rules>(id("rules:first"));
    EXPECT_EQ(shared.get(), content.assets->find<Rules>(id("rules:first"))) << "the object itself, no copy";
    EXPECT_EQ(content.assets->find_shared<Mode>(id("rules:first")), nullptr) << "it is something else";
    content.files.write("content/first.rules.toml", "weight = 3\n");
    content.assets->look_for_changes();
    content.frames(10);
    EXPECT_EQ(content.assets->find<Rules>(id("rules:first"))->weight, 3);
    EXPECT_EQ(shared->weight, 2.5f);
    handle.reset();
    content.frames();
    EXPECT_EQ(content.assets->find_shared<Rules>(id("rules:first")), nullptr);
    EXPECT_EQ(shared->weight, 2.5f);
}

TEST(AssetStore, threads_read_a_folder_of_the_machine) {
    // C-07, C-18
    namespace fs = std::filesystem;
    std::string top = (fs::temp_directory_path() / "lyre_store_XXXXXX").string();
    ASSERT_NE(mkdtemp(top.data()), nullptr);
    const auto write = [&top](int i, int weight) {
        std::ofstream(fmt::format("{}/r{}.rules.toml", top, i)) << "icon = \"flag\"\nweight = " << weight << "\n";
    };
    for (int i = 0; i < 100; ++i) write(i, 1);
    std::ofstream(top + "/flag.png") << "red";
    {
        SmallHouse house;
        RealClock clock;
        RealFiles files;
        ThreadPool pool(4);
        Assets assets({house.types, house.tags, house.log, clock, files, pool});
        add_types(assets.types());
        ASSERT_TRUE(assets.registry().add_folder(top, Name("project")).is_ok());
        LoadHandle all = assets.load_assets(assets.registry().all());
        LoadHandle dropped = assets.load_assets(assets.registry().of_type(Name("rules")), Priority::High);
        assets.pump();
        dropped.reset();
        assets.finish(all);
        EXPECT_TRUE(all.is_complete()) << all.problems().to_text();
        EXPECT_EQ(assets.memory().assets, 101u);
        write(7, 9);
        assets.look_for_changes();
        for (int i = 0; i < 10'000 && assets.find<Rules>(id("rules:r7"))->weight != 9; ++i) {
            pool.wait_for_progress(1000);
            assets.pump();
        }
        EXPECT_EQ(assets.find<Rules>(id("rules:r7"))->weight, 9);
        LoadHandle again = assets.load_assets(assets.registry().all());
        all.reset();
    }
    fs::remove_all(top);
}

}  // namespace asset_store_test
}  // namespace lyre::assets
