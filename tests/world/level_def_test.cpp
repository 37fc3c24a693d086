#include "lyre/world/level_def.h"

#include "lyre/assets/toml.h"
#include "lyre/world/archetype.h"
#include "lyre/world/world_codes.h"

#include "tests/world/small_world.h"

namespace lyre {
namespace level_def_test {

struct Loot : Component {
    static void describe(TypeBuilder<Loot>&) {}
};
struct Prop : Actor {
    Property<float> radius = 1;
    GameplayTag mood;
    std::vector<int> prices;
    static void describe(TypeBuilder<Prop>& t) {
        t.property("radius", &Prop::radius).range(0, 10);
        t.property("mood", &Prop::mood);
        t.property("prices", &Prop::prices);
    }
};

struct ContentGame : Game {
    ContentGame() {
        know<Loot, Prop>();
        EXPECT_TRUE(runtime.tags().declare("Prop.Wooden").is_ok());
    }
    template <class T> T read(std::string_view subject, std::string_view text) {
        const assets::TomlDocument document = assets::parse_toml(text, "file.toml");
        EXPECT_TRUE(document.problems.is_empty()) << document.problems.to_text();
        T object;
        Reading reading = read_content(document.root, value_type<T>(), &object,
                                       {.subject = std::string(subject), .name = "crate", .text = text});
        link_content(reading, {runtime.types(), runtime.tags()});
        for (const Problem& problem : reading.problems.all())
            problems +=
                fmt::format("{} {}:{} {}{}\n", problem.code->to_string(), problem.place.line, problem.place.column,
                            problem.text, problem.hint.empty() ? "" : " | " + problem.hint);
        return object;
    }
    std::string problems;
};

TEST(LevelDef, a_map_file_becomes_a_level) {
    // W-21, C-12
    ContentGame game;
    const auto def = game.read<LevelDef>("map:yard", R"(experience = "control_points"
bounds = { min = [-200.0, -200.0], max = [200.0, 200.0] }
[[point]]
name = "red_start"
at   = [-150.0, 0.0]
[[box]]
min = [-5.0, -1.0]
max = [5.0, 1.0]
[[placed]]
class = "Prop"
at    = [3.0, 4.0]
[[scatter]]
class = "Prop"
count = 100
area  = { min = [-190.0, -190.0], max = [190.0, 190.0] }
seed  = 7
)");
    EXPECT_EQ(game.problems, "");
    EXPECT_EQ(def.name, Name("crate"));
    EXPECT_EQ(def.experience, Name("control_points"));
    auto level = game.world().levels().add(def);
    ASSERT_TRUE(level) << level.status().to_string();
    EXPECT_EQ(game.world().levels().find(*level)->rows().count(), 101u);
}

TEST(LevelDef, what_no_single_key_shows_is_found_with_its_place) {
    // C-11, C-12
    ContentGame game;
    game.read<LevelDef>("map:yard", R"(bounds = { min = [1, 0], max = [0, 0] }
[[point]]
name = "red"
at   = [0, 0]
[[point]]
name = "red"
at   = [1, 0]
[[box]]
min = [0, 2]
max = [1, 1]
[[scatter]]
class = "Prop"
count = 1
area  = { min = [0, 0], max = [0, 1] }
)");
    EXPECT_EQ(game.problems,
              "LY-1101 1:10 \"bounds\" in map:yard: max lies below min, or a coordinate is not a number\n"
              "LY-1102 6:8 \"name\" of point[1] in map:yard: two points are called red\n"
              "LY-1101 8:1 box[0] in map:yard: max lies below min, or a coordinate is not a number\n"
              "LY-1103 14:9 \"area\" of scatter[0] in map:yard: the area is empty\n");
    game.problems.clear();
    game.read<LevelDef>("map:yard", R"([[placed]]
class = "Pro"
at    = [0, 0]
[[placed]]
class = "Loot"
at    = [0, 0]
[[placed]]
class = "Prop"
at    = [0, 0]
scale = 0
[[scatter]]
class = "Prop"
count = 67108865
area  = { min = [0, 0], max = [1, 1] }
)");
    EXPECT_EQ(game.problems,
              "LY-2102 10:9 \"scale\" of placed[2] in map:yard takes a number from 0.001 to 1000, not 0\n"
              "LY-2102 13:9 \"count\" of scatter[0] in map:yard takes a whole number from 0 to 67108864, not 67108865\n"
              "LY-2108 2:9 unknown class \"Pro\" for \"class\" in map:yard | did you mean \"Prop\"?\n"
              "LY-2109 5:9 \"class\" in map:yard takes a class of Actor, not Loot | there is only Prop\n");
}

TEST(ArchetypeContent, an_archetype_file_becomes_a_class) {
    // W-14, C-12
    ContentGame game;
    const auto def = game.read<ArchetypeDef>("archetype:crate", R"(parent = "Prop"
tags   = ["Prop.Wooden"]
[defaults]
radius = 0.5
mood   = "Prop.Wooden"
prices = [1, 2]
[[component]]
class = "Loot"
)");
    EXPECT_EQ(game.problems, "");
    auto type = add_archetype(game.runtime.types(), game.runtime.tags(), def);
    ASSERT_TRUE(type) << type.status().to_string();
    const ActorId id = *game.world().spawn("crate");
    const Prop* crate = game.world().find<Prop>(id);
    EXPECT_EQ(crate->radius, 0.5f);
    EXPECT_EQ(crate->mood.text(), "Prop.Wooden");
    EXPECT_EQ(crate->prices, (std::vector<int>{1, 2}));
    EXPECT_NE(crate->find_component(Name("Loot")), nullptr);
}

TEST(ArchetypeContent, defaults_and_components_are_checked_against_the_parent_with_their_places) {
    // W-14, C-11, C-12
    ContentGame game;
    game.read<ArchetypeDef>("archetype:crate", R"(parent = "Prop"
[defaults]
radius = 40
radus  = 1
yaw    = 3
mood   = "Prop.Wood"
prices = [1, "2"]
[[component]]
class = "Loot"
[[component]]
class = "Loot"
[[component]]
class = "Component"
)");
    EXPECT_EQ(
        game.problems,
        "LY-2102 3:10 \"radius\" of defaults in archetype:crate takes a number from 0 to 10, not 40\n"
        "LY-2104 4:1 unknown key \"radus\" of defaults in archetype:crate: Prop has no such property"
        " | did you mean \"radius\"?\n"
        "LY-1105 5:10 \"yaw\" of defaults in archetype:crate is said where one is placed, not here\n"
        "LY-2106 6:10 unknown tag \"Prop.Wood\" for \"mood\" in archetype:crate | did you mean \"Prop.Wooden\"?\n"
        "LY-2101 7:14 defaults.prices[1] in archetype:crate takes a whole number, not a text | write 2 without quotes\n"
        "LY-1106 10:1 component[1] in archetype:crate: two component slots are called Loot\n"
        "LY-1106 13:9 component[2] in archetype:crate: Component cannot be made, it is abstract\n");
    game.problems.clear();
    ASSERT_TRUE(add_archetype(game.runtime.types(), game.runtime.tags(),
                              game.read<ArchetypeDef>("archetype:crate", "parent = 'Prop'")));
    game.read<ArchetypeDef>("archetype:box", "parent = 'crate'\n");
    game.read<ArchetypeDef>("archetype:box", "parent = 'Prop'\ndefaults = 3\n");
    EXPECT_EQ(game.problems,
              "LY-1104 1:10 \"parent\" in archetype:box: crate is an archetype itself; derive from Prop and put what "
              "both share into a component\n"
              "LY-2101 2:12 \"defaults\" in archetype:box takes a table, not a whole number\n");
}

}  // namespace level_def_test
}  // namespace lyre
