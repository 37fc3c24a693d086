#include "lyre/assets/schema.h"

#include <array>
#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <regex>

#include "lyre/assets/toml.h"
#include "lyre/core/part.h"
#include "lyre/core/tags.h"

namespace lyre::assets {
namespace schema_test {

using nlohmann::json;

enum class Side : std::uint8_t { Both, Server, Client };
void describe(EnumBuilder<Side>& e) {
    e.value("both", Side::Both).value("server", Side::Server).value("client", Side::Client);
}

struct Deed {
    virtual ~Deed() = default;
    static void describe(TypeBuilder<Deed>& t) { t.abstract(); }
};
struct Deeds : Deed {
    using Described = Deed;
    std::vector<Part<Deed>> deeds;
    static void describe(TypeBuilder<Deeds>& t) { t.property("deed", &Deeds::deeds).required(); }
};
struct GiveItem : Deed {
    using Described = Deed;
    Name item;
    static void describe(TypeBuilder<GiveItem>& t) { t.property("item", &GiveItem::item).required().asset("item"); }
};

struct Wish {
    Name id{};
    Side side = Side::Both;
    static void describe(TypeBuilder<Wish>& t) {
        t.property("id", &Wish::id).required();
        t.property("side", &Wish::side);
        t.short_form("id");
    }
};

struct Quest {
    Name name{};
    std::string title{};
    float reach = 1;
    std::int8_t small = 0;
    std::uint16_t port = 0;
    std::int64_t big = 0;
    bool hard = false;
    Vec3 at{};
    GameplayTag mood{};
    TagContainer marks{};
    Name map{};
    PrimaryAssetId any{};
    std::vector<Wish> wishes{};
    std::vector<int> odds{};
    std::vector<Part<Deed>> deeds{};
    Node extra{};
    static void describe(TypeBuilder<Quest>& t) {
        t.help("what there is to do");
        t.property("name", &Quest::name).asset_name();
        t.property("title", &Quest::title).required().help("as players see it");
        t.property("reach", &Quest::reach).range(0.5, 10).units("m").help("how far it goes");
        t.property("small", &Quest::small);
        t.property("port", &Quest::port).range(1024, 50000);
        t.property("big", &Quest::big);
        t.property("hard", &Quest::hard);
        t.property("at", &Quest::at);
        t.property("mood", &Quest::mood);
        t.property("marks", &Quest::marks);
        t.property("map", &Quest::map).asset("map");
        t.property("any", &Quest::any);
        t.property("wishes", &Quest::wishes).help("what it needs");
        t.property("odds", &Quest::odds).range(1, 6);
        t.property("deed", &Quest::deeds);
        t.property("extra", &Quest::extra);
    }
};

struct Boundless {
    Vec3 nowhere{0, std::numeric_limits<float>::infinity(), 0};
    float never = std::numeric_limits<float>::quiet_NaN();
    std::vector<std::string> lines{"a", ""}, blank{""}, none{};
    std::vector<float> times{1, std::numeric_limits<float>::infinity()};
    static void describe(TypeBuilder<Boundless>& t) {
        t.property("nowhere", &Boundless::nowhere);
        t.property("never", &Boundless::never);
        t.property("lines", &Boundless::lines);
        t.property("blank", &Boundless::blank);
        t.property("none", &Boundless::none);
        t.property("times", &Boundless::times);
    }
};

ContentType quest() {
    ContentType type;
    type.name = Name("quest");
    type.type = &type_of_record<Quest>();
    return type;
}

class Schema : public testing::Test {
protected:
    Schema() { EXPECT_TRUE((types.add_all<Deed, Deeds, GiveItem>().is_ok())); }
    json schema() { return json::parse(json_schema(quest(), PartKinds(types))); }
    json property(const char* name) { return schema()["properties"][name]; }
    TypeRegistry types;
};

TEST_F(Schema, of_a_type_names_its_keys_and_refuses_others) {
    // C-15
    const json all = schema();
    EXPECT_EQ(all["$schema"], "http://json-schema.org/draft-07/schema#");
    EXPECT_EQ(all["title"], "quest");
    EXPECT_EQ(all["description"], "what there is to do");
    EXPECT_EQ(all["type"], "object");
    EXPECT_EQ(all["additionalProperties"], false);
    EXPECT_EQ(all["required"], json::array({"title"}));
    EXPECT_EQ(all["properties"].size(), type_of_record<Quest>().properties.size() - 1);
    EXPECT_FALSE(all["properties"].contains("name"));  // the file's name says it
}

TEST_F(Schema, says_of_each_value_what_the_description_says) {
    // C-15
    EXPECT_EQ(property("title"), json::parse(R"({"type": "string", "description": "as players see it"})"));
    EXPECT_EQ(property("reach"), json::parse(R"({"type": "number", "minimum": 0.5, "maximum": 10.0,
                                                 "description": "how far it goes; in m", "default": 1})"));
    EXPECT_EQ(property("small"), json::parse(R"({"type": "integer", "minimum": -128, "maximum": 127, "default": 0})"));
    EXPECT_EQ(property("port"), json::parse(R"({"type": "integer", "minimum": 1024, "maximum": 50000, "default": 0})"));
    EXPECT_EQ(property("big"), json::parse(R"({"type": "integer", "default": 0})"));
    EXPECT_EQ(property("hard"), json::parse(R"({"type": "boolean", "default": false})"));
    EXPECT_EQ(property("at"), json::parse(R"({"type": "array", "items": {"type": "number"}, "minItems": 2,
                                              "maxItems": 3, "default": [0, 0, 0]})"));
    EXPECT_EQ(property("odds")["items"], json::parse(R"({"type": "integer", "minimum": 1, "maximum": 6})"));
    EXPECT_EQ(property("extra"), json::object());
    EXPECT_EQ(property("mood")["type"], "string");
    EXPECT_EQ(property("marks")["items"], property("mood"));
    EXPECT_EQ(property("map")["pattern"], "^(map:)?[a-z0-9_]{1,100}$");
    EXPECT_EQ(property("map")["description"], "names a map");
    EXPECT_EQ(property("any")["pattern"], "^[a-z0-9_]{1,100}:[a-z0-9_]{1,100}$");
}

TEST_F(Schema, says_what_a_key_is_that_may_be_left_out_and_is) {
    // C-15
    EXPECT_EQ(property("reach")["default"], 1);
    EXPECT_EQ(property("hard")["default"], false);
    EXPECT_EQ(property("at")["default"], json::array({0, 0, 0}));
    EXPECT_EQ(schema()["definitions"]["Wish"]["anyOf"][1]["properties"]["side"]["default"], "both");
    for (const char* name : {"title", "mood", "marks", "map", "any", "wishes", "odds", "deed", "extra"})
        EXPECT_FALSE(property(name).contains("default")) << name;  // must be given, or nothing
}

TEST_F(Schema, leaves_out_what_json_cannot_say_and_keeps_empty_lines) {
    // C-15
    ContentType type;
    type.name = Name("boundless");
    type.type = &type_of_record<Boundless>();
    const std::string text = json_schema(type, PartKinds(types));
    const json all = json::parse(text, nullptr, false);
    ASSERT_FALSE(all.is_discarded()) << text;
    const json& keys = all["properties"];
    for (const char* name : {"nowhere", "never", "none", "times"}) EXPECT_FALSE(keys[name].contains("default")) << name;
    EXPECT_EQ(keys["lines"]["default"], json::array({"a", ""}));
    EXPECT_EQ(keys["blank"]["default"], json::array({""}));
}

TEST_F(Schema, takes_exactly_the_tags_that_the_reader_takes) {
    // C-15, W-02
    const std::regex pattern(property("mood")["pattern"].get<std::string>());
    const std::size_t longest = property("mood")["maxLength"];
    const std::string parts = "a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p";
    for (const std::string& text : {std::string("A"), std::string("a_1.B"), std::string(".A"), std::string("A."),
                                    std::string("A..B"), std::string("a b"), std::string("\u00e4"), parts, parts + ".q",
                                    std::string(GameplayTag::kMaxLength, 'x'), std::string(256, 'x')})
        EXPECT_EQ(text.size() <= longest && std::regex_match(text, pattern), check_tag_text(text).is_ok()) << text;
    EXPECT_TRUE(std::regex_match("", pattern)) << "none";
}

TEST_F(Schema, a_record_with_a_short_form_is_a_text_or_a_table) {
    // C-15
    EXPECT_EQ(property("wishes")["items"]["$ref"], "#/definitions/Wish");
    const json wish = schema()["definitions"]["Wish"]["anyOf"];
    ASSERT_EQ(wish.size(), 2u);
    EXPECT_EQ(wish[0], json::parse(R"({"type": "string"})"));
    EXPECT_EQ(wish[1]["required"], json::array({"id"}));
    EXPECT_EQ(wish[1]["properties"]["side"]["enum"], json::array({"both", "server", "client"}));
    EXPECT_EQ(wish[1]["additionalProperties"], false);
}

TEST_F(Schema, a_part_is_one_of_the_known_kinds_and_may_hold_parts) {
    // C-15
    EXPECT_EQ(property("deed")["items"]["$ref"], "#/definitions/Part_Deed");
    const json kinds = schema()["definitions"]["Part_Deed"]["oneOf"];
    ASSERT_EQ(kinds.size(), 2u);
    EXPECT_EQ(kinds[0]["properties"]["kind"]["const"], "deeds");
    EXPECT_EQ(kinds[0]["properties"]["deed"]["items"]["$ref"], "#/definitions/Part_Deed");
    EXPECT_EQ(kinds[1]["properties"]["kind"]["const"], "give_item");
    EXPECT_EQ(kinds[1]["required"], json::array({"kind", "item"}));
}

TEST_F(Schema, of_a_loader_is_empty) {
    // C-15
    ContentType image;
    image.name = Name("png");
    EXPECT_EQ(json_schema(image, PartKinds()), "");
}

TEST_F(Schema, the_index_is_toml_that_maps_files_to_schemas) {
    // C-15
    const ContentType type = quest();
    ContentType image;
    image.name = Name("png");
    const std::array<const ContentType*, 2> all{&image, &type};
    const TomlDocument index = parse_toml(schema_index(all, "./schemas"), ".taplo.toml");
    ASSERT_TRUE(index.problems.is_empty()) << index.problems.to_text();
    EXPECT_EQ(index.root.print(),
              "{rule = [{include = [\"**/*.quest.toml\"], schema = {path = \"./schemas/quest.schema.json\"}}]}");
}

}  // namespace schema_test
}  // namespace lyre::assets
