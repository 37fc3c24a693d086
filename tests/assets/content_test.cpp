// What the content reader says about TOML files that are wrong, as people see it: one golden message per code.
#include <gtest/gtest.h>
#include <set>

#include "lyre/assets/asset_id.h"
#include "lyre/assets/toml.h"
#include "lyre/core/content_codes.h"
#include "lyre/core/part.h"
#include "lyre/core/tags.h"
#include "lyre/core/type_registry.h"

namespace lyre {
namespace content_test {

enum class Need : std::uint8_t { Required, Optional };
void describe(EnumBuilder<Need>& e) {
    e.value("required", Need::Required).value("optional", Need::Optional);
}
struct Feature {
    Name id{};
    Need need = Need::Required;
    static void describe(TypeBuilder<Feature>& t) {
        t.property("id", &Feature::id).required();
        t.property("need", &Feature::need);
        t.short_form("id");
    }
};
struct Action {
    virtual ~Action() = default;
    static void describe(TypeBuilder<Action>& t) { t.abstract(); }
};
struct AddComponents : Action {
    Name to{};
    float radius = 1;
    static void describe(TypeBuilder<AddComponents>& t) {
        t.parent<Action>();
        t.property("to", &AddComponents::to).class_of("Thing");
        t.property("radius", &AddComponents::radius).range(0, 10);
    }
};
struct Thing {
    int weight = 0;
    static void describe(TypeBuilder<Thing>& t) { t.property("weight", &Thing::weight); }
};
struct Experience {
    Name name{};
    std::string title{};
    assets::PrimaryAssetId map{};
    Name pawn{};
    std::uint8_t players = 8;
    float gravity = 9.81f;
    Vec3 sun{};
    bool ranked = false;
    GameplayTag mode{};
    TagContainer rules{};
    std::vector<Feature> features{};
    std::vector<Part<Action>> actions{};
    std::vector<Feature> dependencies{};

    void check(ContentCheck& check) const {
        if (ranked && players < 2)
            check.problem(content_code::kOutOfRange, "players",
                          fmt::format("{}: a ranked game takes two", check.where("players")));
    }
    static void describe(TypeBuilder<Experience>& t) {
        t.property("name", &Experience::name).asset_name();
        t.property("title", &Experience::title).required();
        t.property("map", &Experience::map);
        t.property("pawn", &Experience::pawn).asset("pawn_data");
        t.property("players", &Experience::players);
        t.property("gravity", &Experience::gravity).range(0, 100);
        t.property("sun", &Experience::sun);
        t.property("ranked", &Experience::ranked);
        t.property("mode", &Experience::mode);
        t.property("rules", &Experience::rules);
        t.property("features", &Experience::features);
        t.property("action", &Experience::actions);
        t.property("dependency", &Experience::dependencies);
        t.hook<&Experience::check>("check");
    }
};

struct Known final : AssetNames {
    bool has_type(Name type) const override { return type == Name("pawn_data"); }
    bool has(Name, std::string_view name) const override { return name == "hero"; }
    std::string nearest(Name, std::string_view) const override { return "hero"; }
    bool has_class(std::string_view) const override { return false; }
};

struct Content {
    TypeRegistry types;
    TagTable tags;
    Known assets;
    Experience experience;
    Problems problems;

    Content() {
        EXPECT_TRUE((types.add_all<Action, AddComponents, Thing>().is_ok()));
        for (const char* tag : {"Mode.Tag", "Rule.One", "Rule.Two"}) EXPECT_TRUE(tags.declare(tag).is_ok());
    }
    // Says whether the text was all right.
    bool read(std::string_view text) {
        const PartKinds kinds(types);
        const assets::TomlDocument document = assets::parse_toml(text, "tag.experience.toml");
        EXPECT_TRUE(document.problems.is_empty()) << document.problems.to_text();
        ReadOptions options{.file = "tag.experience.toml", .subject = "experience:tag", .name = "tag"};
        options.text = text;
        options.kinds = &kinds;
        Reading reading = read_content(document.root, value_type<Experience>(), &experience, std::move(options));
        while (!reading.is_linked()) link_content(reading, {types, tags, &assets}, 1);
        problems = std::move(reading.problems);
        return problems.is_empty();
    }
};

TEST(Content, a_file_becomes_an_object_with_tags_classes_and_parts) {
    // C-03, C-12
    Content content;
    ASSERT_TRUE(content.read(R"(
title    = "Tag"
map      = "map:yard"
pawn     = "hero"
players  = 12
gravity  = 10
sun      = [1, 0.5]
mode     = "Mode.Tag"
rules    = ["Rule.Two", "Rule.One"]
features = ["arena", { id = "bots", need = "optional" }]
[[action]]
kind     = "add_components"
to       = "Thing"
radius   = 2.5
)")) << content.problems.to_text();
    EXPECT_EQ(value_type<Experience>().print(&content.experience),
              "{name = tag, title = Tag, map = map:yard, pawn = hero, players = 12, gravity = 10, sun = [1, 0.5, 0], "
              "ranked = false, mode = Mode.Tag, rules = Rule.One, Rule.Two, features = [{id = arena, need = required}, "
              "{id = bots, need = optional}], action = [{kind = add_components, to = Thing, radius = 2.5}], "
              "dependency = []}");
}

struct Golden {
    const ProblemCode& code;
    const char* text;     // of the file, after its title
    const char* message;  // line and column, text, hint
};
std::string in_short(const Problem& problem) {
    return fmt::format("{}:{} {}{}", problem.place.line, problem.place.column, problem.text,
                       problem.hint.empty() ? "" : " | " + problem.hint);
}

const Golden kGoldens[] = {
    {content_code::kUnknownKey, "featurs = []",
     R"(2:1 unknown key "featurs" in experience:tag | did you mean "features"?)"},
    {content_code::kUnknownKey, "name = 'x'",
     R"(2:1 unknown key "name" in experience:tag | it is the name of the file)"},
    {content_code::kUnknownKey, "[[actions]]\nkind = 'x'",
     R"(2:3 unknown key "actions" in experience:tag | did you mean "action"?)"},
    {content_code::kUnknownKey, "[[action]]\nkind = 'add_components'\nradus = 1",
     R"(4:1 unknown key "radus" of action 1 in experience:tag | did you mean "radius"?)"},
    {content_code::kWrongType, "players = '12'",
     R"(2:11 "players" in experience:tag takes a whole number, not a text | write 12 without quotes)"},
    {content_code::kWrongType, "players = 3.0",
     R"(2:11 "players" in experience:tag takes a whole number, not a number | write 3)"},
    {content_code::kWrongType, "rules = 'Rule.One'",
     R"(2:9 "rules" in experience:tag takes a list of tags, not a text | write ["Rule.One"])"},
    {content_code::kWrongType, "features = [3]",
     R"(2:13 features[0] in experience:tag takes a table, not a whole number | or a text)"},
    {content_code::kWrongType, "[features]\ntag = true\nhud = {}",
     R"(2:2 "features" in experience:tag takes a list, not a table | write features = ["tag", "hud"], above the first line with [ ])"},
    {content_code::kUnknownClass, "[[action]]\nkind = 'add_components'\nto = 'Dragon'",
     R"(4:6 unknown class "Dragon" for "to" in experience:tag | there is only Thing; your own go into LYRE_FEATURE)"},
    {content_code::kOutOfRange, "gravity = -1",
     R"(2:11 "gravity" in experience:tag takes a number from 0 to 100, not -1)"},
    {content_code::kOutOfRange, "[[action]]\nkind = 'add_components'\nradius = 40",
     R"(4:10 "radius" of action 1 in experience:tag takes a number from 0 to 10, not 40)"},
    {content_code::kOutOfRange, "ranked = true\nplayers = 1",
     R"(3:11 "players" in experience:tag: a ranked game takes two)"},
    {content_code::kMissingKey, "[[dependency]]\nneed = 'optional'",
     R"(2:1 "id" of dependency[0] in experience:tag is missing | id takes a name)"},
    {content_code::kUnknownValue, "features = [{ id = 'a', need = 'optionl' }]",
     R"(2:32 unknown value "optionl" for "need" of features[0] in experience:tag | did you mean "optional"?)"},
    {content_code::kUnknownValue, "features = [{ id = 'a', need = 'x' }]",
     R"(2:32 unknown value "x" for "need" of features[0] in experience:tag | one of required, optional)"},
    {content_code::kUnknownTag, "mode = 'Mode.Tga'",
     R"(2:8 unknown tag "Mode.Tga" for "mode" in experience:tag | did you mean "Mode.Tag"?)"},
    {content_code::kUnknownAsset, "pawn = 'hiro'",
     R"(2:8 unknown asset pawn_data:hiro for "pawn" in experience:tag | did you mean "hero"?)"},
    {content_code::kUnknownClass, "[[action]]\nkind = 'add_components'\nto = 'Thng'",
     R"(4:6 unknown class "Thng" for "to" in experience:tag | did you mean "Thing"?)"},
    {content_code::kWrongClass, "[[action]]\nkind = 'add_components'\nto = 'Action'",
     R"(4:6 "to" in experience:tag takes a class of Thing, not Action | there is only Thing)"},
    {content_code::kWrongAssetType, "pawn = 'map:hero'",
     R"(2:8 "pawn" in experience:tag takes the name of a pawn_data, not "map:hero" | pawn_data:...)"},
    {content_code::kNotFinite, "gravity = inf", R"(2:11 "gravity" in experience:tag takes a finite number, not inf)"},
    {content_code::kDoesNotFit, "players = 300",
     R"(2:11 "players" in experience:tag takes a whole number from 0 to 255, not 300)"},
    {content_code::kDoesNotFit, "sun = [0, 1e300]",
     R"(2:11 sun[1] in experience:tag cannot hold 1e+300 | at most 3.4028235e+38)"},
    {content_code::kVectorLength, "sun = [1]",
     R"(2:7 "sun" in experience:tag takes [x, y] or [x, y, z], not 1 number)"},
    {content_code::kTableForList, "[action]\nkind = 'add_components'",
     R"(2:2 "action" in experience:tag takes a list of tables, not one | write [[action]])"},
    {content_code::kListForOne, "pawn = ['hero']",
     R"(2:8 "pawn" in experience:tag takes the name of a pawn_data, not a list | write it without [ ])"},
    {content_code::kEmptyText, "pawn = ''",
     R"(2:8 "pawn" in experience:tag takes the name of a pawn_data, not an empty text | leave the key out)"},
    {content_code::kUnknownKind, "[[action]]\nkind = 'add_component'",
     R"(3:8 unknown kind "add_component" of action 1 in experience:tag | did you mean "add_components"?)"},
    {content_code::kMissingKind, "[[action]]\nto = 'Thing'",
     R"(2:1 "kind" of action 1 in experience:tag is missing | one of add_components)"},
    {content_code::kInvalidAssetId, "map = 'yard'",
     R"(2:7 "map" in experience:tag takes an asset id, not "yard" | type:name, each of a-z, 0-9 and _)"},
    {content_code::kInvalidTag, "mode = 'Mode..Tag'",
     R"(2:8 "mode" in experience:tag takes a tag, not "Mode..Tag" | letters, digits and _, with dots between the parts)"},
    {content_code::kSaidTwice, "rules = ['Rule.One', 'Rule.One']",
     R"(2:22 rules[1] in experience:tag is "Rule.One" again)"},
};

TEST(Content, each_kind_of_mistake_has_its_code_its_place_and_a_way_out) {
    // C-11, C-12
    for (const Golden& golden : kGoldens) {
        Content content;
        EXPECT_FALSE(content.read(fmt::format("title = 'Tag'\n{}\n", golden.text)));
        ASSERT_EQ(content.problems.count(), 1u) << golden.text << "\n" << content.problems.to_text();
        const Problem& problem = content.problems.all().front();
        EXPECT_EQ(in_short(problem), golden.message);
        EXPECT_EQ(problem.code->to_string(), golden.code.to_string()) << golden.text;
        EXPECT_FALSE(problem.source_line.empty()) << golden.text;
        EXPECT_EQ(problem.chain, std::vector<std::string>{"experience:tag"});
    }
}

TEST(Content, all_problems_of_a_file_are_found_in_one_go_and_the_rest_is_read) {
    // C-11, C-13
    Content content;
    EXPECT_FALSE(content.read("featurs = [\"arena\"]\nplayers = 300\ngravity = 5\nmode = \"Mode.Tga\"\n"));
    EXPECT_EQ(content.problems.to_text(),
              R"(error LY-2104: unknown key "featurs" in experience:tag
  --> tag.experience.toml:1:1
   |  featurs = ["arena"]
   |  ^^^^^^^ did you mean "features"?
   = in: experience:tag

error LY-2112: "players" in experience:tag takes a whole number from 0 to 255, not 300
  --> tag.experience.toml:2:11
   |  players = 300
   |            ^^^
   = in: experience:tag

error LY-2103: "title" in experience:tag is missing
  --> tag.experience.toml
   = hint: title takes a text
   = in: experience:tag

error LY-2106: unknown tag "Mode.Tga" for "mode" in experience:tag
  --> tag.experience.toml:4:8
   |  mode = "Mode.Tga"
   |         ^^^^^^^^^^ did you mean "Mode.Tag"?
   = in: experience:tag
)");
    EXPECT_EQ(content.experience.players, 8) << "what is wrong keeps what it had";
    EXPECT_EQ(content.experience.gravity, 5);
}

TEST(Content, codes_are_in_order_and_say_what_to_do) {
    // C-12
    std::set<std::uint16_t> numbers;
    std::uint16_t last = 0;
    for (const ProblemCode* code : content_codes()) {
        EXPECT_GT(code->number, last);
        last = code->number;
        EXPECT_EQ(code->number / 100, 21);
        EXPECT_FALSE(code->title.empty() || code->help.empty());
        numbers.insert(code->number);
    }
    EXPECT_EQ(content_code::kUnknownKey.number, 2104);
    EXPECT_EQ(numbers.size(), content_codes().size());
}

}  // namespace content_test
}  // namespace lyre
