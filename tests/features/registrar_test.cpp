#include "lyre/features/registrar.h"

#include "tests/features/small_house.h"

namespace lyre::features {
namespace registrar_test {

struct Torch : Component {
    static void describe(TypeBuilder<Torch>&) {}
};
struct Cave : Actor {
    static void describe(TypeBuilder<Cave>&) {}
};
struct CaveRules {
    int depth = 3;
    static void describe(TypeBuilder<CaveRules>& t) { t.property("depth", &CaveRules::depth); }
};
struct Sketch {
    std::size_t bytes;
};
struct Dig : GameFeatureAction {
    static void describe(TypeBuilder<Dig>&) {}
};

struct RegistrarTest : testing::Test {
    House house;
    const Owner owner = Owner::feature(Name("cave"), 7);
    const OwnerScope as{owner};
    Registrar feature{{house.runtime, house.assets, house.code}, Name("cave"), house.commands};
};

TEST_F(RegistrarTest, everything_that_is_said_is_registered_under_the_feature_with_its_place) {
    // F-65, F-72
    feature.types<Torch, Cave, Dig>();
    feature.tag("Cave.Dark");
    feature.variable<double>({.name = "cave.Depth", .default_value = 2.5});
    feature.command({.name = "cave.light"}, [](CommandArguments) { return CommandResult{{}, "lit"}; });
    feature.content_type<CaveRules>("cave_rules");
    feature.loader<Sketch>(
        "sketch", [](const Bytes& bytes, const assets::LoadedFile&) -> Result<assets::Loaded<Sketch>> {
            return assets::Loaded<Sketch>{std::make_shared<Sketch>(Sketch{bytes.size()}), bytes.size()};
        });
    feature.handler("cave.echo", [](Actor&, Name, const framework::EventPayload&) {});
    feature.function("cave.fall", [](ActivatingContext&, const Node&) { return Status::ok(); });
    EXPECT_TRUE(feature.status().is_ok()) << feature.status().text();
    EXPECT_EQ(feature.feature(), Name("cave"));
    EXPECT_EQ(&feature.runtime(), &house.runtime);
    EXPECT_EQ(&feature.assets(), &house.assets);
    EXPECT_EQ(house.runtime.types().owned_by(owner).size(), 3u);
    EXPECT_EQ(house.runtime.types().find<Dig>()->owner, owner);
    EXPECT_EQ(house.runtime.tags().declared_by(owner).size(), 1u);
    EXPECT_EQ(house.runtime.variables().list(owner).size(), 1u);
    EXPECT_EQ(house.runtime.console().execute("cave.light").text, "lit");
    EXPECT_EQ(house.commands.size(), 1u);
    EXPECT_EQ(house.assets.types().find(Name("cave_rules"))->owner, owner);
    const auto code = house.code.list(owner);
    ASSERT_EQ(code.size(), 2u);
    for (const NamedCodeInfo& info : code)
        EXPECT_NE(info.place.find("registrar_test.cpp:"), std::string::npos) << info.place;
}

TEST_F(RegistrarTest, what_is_refused_is_collected_and_the_rest_is_there) {
    // F-65, F-25
    feature.tag("not a tag");
    feature.type<Torch>();
    feature.function("cave.fall", [](ActivatingContext&, const Node&) { return Status::ok(); });
    feature.function("cave.fall", [](ActivatingContext&, const Node&) { return Status::ok(); });
    feature.command({.name = "no name"}, [](CommandArguments) { return CommandResult{}; });
    feature.refuse(Status::failed("the moon is not full"));
    EXPECT_EQ(feature.status().code(), StatusCode::Refused);
    EXPECT_NE(feature.status().text().find("the moon is not full"), std::string::npos) << feature.status().text();
    EXPECT_NE(feature.status().text().find("cave.fall"), std::string::npos) << feature.status().text();
    EXPECT_NE(house.runtime.types().find<Torch>(), nullptr);
    EXPECT_EQ(house.code.list(owner).size(), 1u);
    EXPECT_TRUE(house.commands.empty());
}

TEST_F(RegistrarTest, one_refusal_is_the_status_itself_and_none_is_ok) {
    // F-25
    EXPECT_TRUE(feature.status().is_ok());
    feature.refuse(Status::ok());
    EXPECT_TRUE(feature.status().is_ok());
    feature.refuse(Status::not_found("no lamp"));
    EXPECT_EQ(feature.status().code(), StatusCode::NotFound);
    EXPECT_EQ(feature.status().text(), "no lamp");
}

TEST_F(RegistrarTest, of_very_many_refusals_the_first_are_kept_and_the_rest_are_counted) {
    // F-25
    for (std::size_t i = 0; i < Registrar::kMaxRefused + 6; ++i) feature.refuse(Status::failed("number {}", i));
    EXPECT_NE(feature.status().text().find("; and 6 more"), std::string::npos) << feature.status().text();
}

}  // namespace registrar_test
}  // namespace lyre::features
