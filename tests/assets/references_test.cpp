// References of content that is read from files: left out, to what is not there, and parts that keep their types.
#include <gtest/gtest.h>

#include "lyre/assets/assets.h"
#include "lyre/core/part.h"
#include "lyre/core/virtual_executor.h"
#include "lyre/core/virtual_files.h"

namespace lyre::assets {
namespace references_test {

struct Act {
    virtual ~Act() = default;
    static void describe(TypeBuilder<Act>& t) { t.abstract(); }
};
struct Wave : Act {
    std::int32_t times = 1;
    static void describe(TypeBuilder<Wave>& t) {
        t.parent<Act>();
        t.property("times", &Wave::times);
    }
};
struct Skin {
    std::int32_t colour = 0;
    static void describe(TypeBuilder<Skin>& t) { t.property("colour", &Skin::colour); }
};
struct Puppet {
    PrimaryAssetId skin{}, hat{};
    Name cape{};
    std::vector<Part<Act>> acts{};
    static void describe(TypeBuilder<Puppet>& t) {
        t.property("skin", &Puppet::skin).asset("skin");
        t.property("hat", &Puppet::hat).asset("skin").bundle("Client");
        t.property("cape", &Puppet::cape).asset("skin");
        t.property("act", &Puppet::acts);
    }
};

class ReferencesTest : public testing::Test {
protected:
    ReferencesTest() {
        EXPECT_TRUE((types.add_all<Act, Wave>()));
        EXPECT_TRUE(assets.types().add<Skin>("skin"));
        EXPECT_TRUE(assets.types().add<Puppet>("puppet"));
        files.make_folder("c");
    }
    LoadHandle load(std::string_view name, std::vector<Name> bundles = {}) {
        const PrimaryAssetId id{Name("puppet"), Name(name)};
        return assets.change_bundle_state({{id}}, {.add = std::move(bundles)});
    }
    void frames() {
        for (int i = 0; i < 50; ++i) {
            clock.advance(1000);
            assets.pump();
        }
    }

    VirtualClock clock;
    TypeRegistry types;
    TagTable tags;
    Log log{clock};
    VirtualFiles files;
    VirtualExecutor executor{clock, {.workers = 2, .min_us = 100, .max_us = 900}};
    Assets assets{{types, tags, log, clock, files, executor}};
};

TEST_F(ReferencesTest, a_reference_that_is_left_out_names_nothing) {
    // C-04
    files.write("c/bare.puppet.toml", "# nothing on\n");
    ASSERT_TRUE(assets.registry().add_folder("c", Name("test")));
    LoadHandle hold = load("bare", {Name("Client")});
    frames();
    ASSERT_TRUE(hold.is_complete()) << hold.status().text();
    const PrimaryAssetId id{Name("puppet"), Name("bare")};
    EXPECT_TRUE((*assets.bundle_table(id))->entries(Name()).empty());
    EXPECT_TRUE((*assets.bundle_table(id))->entries(Name("Client")).empty());
}

TEST_F(ReferencesTest, a_type_stays_registered_while_a_part_of_it_is_loaded_or_may_be) {
    // W-10, C-16
    files.write("c/jolly.puppet.toml", "[[act]]\nkind = \"wave\"\ntimes = 3\n");
    ASSERT_TRUE(assets.registry().add_folder("c", Name("test")));
    LoadHandle hold = load("jolly");
    const Status reading = types.remove(Name("Wave"));
    EXPECT_NE(reading.text().find("asset puppet:jolly is being read"), std::string::npos) << reading.text();
    frames();
    ASSERT_TRUE(hold.is_complete()) << hold.status().text();
    const Status held = types.remove(Name("Wave"));
    EXPECT_NE(held.text().find("asset puppet:jolly has a part of it"), std::string::npos) << held.text();
    hold.reset();
    frames();
    EXPECT_TRUE(types.remove(Name("Wave")));
}

TEST_F(ReferencesTest, what_a_worker_still_has_of_a_root_that_went_is_not_what_is_asked_for_later) {
    // C-01
    files.write("c/twin.puppet.toml", "skin = \"red\"\n");
    files.write("c/red.skin.toml", "colour = 1\n");
    const RootId first = *assets.registry().add_folder("c", Name("first"));
    LoadHandle hold = load("twin");
    executor.poll();  // a worker has it
    hold.reset();
    ASSERT_TRUE(assets.registry().remove_root(first));
    LoadHandle gone = load("twin");
    frames();
    EXPECT_EQ(gone.state(), LoadState::Failed);
    gone.reset();
    files.write("d/twin.puppet.toml", "# plain\n");
    ASSERT_TRUE(assets.registry().add_folder("d", Name("second")));
    LoadHandle again = load("twin");
    frames();
    ASSERT_TRUE(again.is_complete()) << again.status().text();
    EXPECT_TRUE(assets.find<Puppet>({Name("puppet"), Name("twin")})->skin.is_none());
}

}  // namespace references_test
}  // namespace lyre::assets
