#include "lyre/assets/asset_id.h"

#include <gtest/gtest.h>

#include "lyre/core/content_reader.h"

namespace lyre::assets {
namespace asset_id_test {

TEST(PrimaryAssetId, prints_and_parses_as_type_and_name) {
    // C-03
    const PrimaryAssetId yard{Name("map"), Name("yard")};
    EXPECT_EQ(yard.to_string(), "map:yard");
    EXPECT_EQ(*PrimaryAssetId::parse("map:yard"), yard);
    EXPECT_EQ(fmt::format("{}", *PrimaryAssetId::parse("pawn_data:hero_2")), "pawn_data:hero_2");
    EXPECT_EQ(PrimaryAssetId().to_string(), "none");
}

TEST(PrimaryAssetId, a_reference_may_leave_out_the_type_its_field_implies) {
    // C-03
    const Name pawn_data("pawn_data");
    EXPECT_EQ(PrimaryAssetId::parse("hero", pawn_data)->to_string(), "pawn_data:hero");
    EXPECT_EQ(PrimaryAssetId::parse("pawn_data:hero", pawn_data)->to_string(), "pawn_data:hero");
    EXPECT_EQ(PrimaryAssetId::parse("map:yard", pawn_data)->to_string(), "map:yard");
    EXPECT_EQ(PrimaryAssetId::parse("hero").status().text(), "\"hero\" has no type; an asset is written type:name");
}

TEST(PrimaryAssetId, paths_and_other_letters_are_refused) {
    // C-02
    const Name map("map");
    for (const char* text : {"", ":", "map:", ":yard", "../yard", "map:../yard", "/etc/passwd", "map:/yard", "a/b",
                             "map:Yard", "map:red yard", "map:a:b", "map:y\xC3\xA4rd", "map:yard.toml"})
        EXPECT_EQ(PrimaryAssetId::parse(text, map).status().code(), StatusCode::InvalidArgument) << text;
    EXPECT_EQ(PrimaryAssetId::parse("../yard", map).status().text(),
              "\"../yard\" is no asset id; it is written type:name with a-z, 0-9 and _");
    EXPECT_TRUE(PrimaryAssetId::parse(std::string(kMaxAssetName, 'a'), map));
    EXPECT_FALSE(PrimaryAssetId::parse(std::string(kMaxAssetName + 1, 'a'), map));
}

TEST(PrimaryAssetId, ids_are_in_order_of_text_whatever_was_named_first) {
    // C-03
    const PrimaryAssetId z{Name("map"), Name("zebra")}, a{Name("map"), Name("ant")}, icon{Name("icon"), Name("zoo")};
    EXPECT_LT(a, z);
    EXPECT_LT(icon, a);
}

}  // namespace asset_id_test
}  // namespace lyre::assets
