#include "lyre/gameplay/pawn_data.h"

#include <nlohmann/json.hpp>

#include "lyre/assets/schema.h"
#include "lyre/assets/toml.h"
#include "lyre/core/content_reader.h"

#include "tests/gameplay/small_match.h"

namespace lyre::gameplay {
namespace pawn_data_test {

using nlohmann::json;

const char* kWhole = R"(class   = "ArenaHero"
camera  = "top_down"
actions = ["Move", "Jump"]
[[context]]
name        = "walking"
priority    = 1
in_settings = true
map         = [{ input = "Space", action = "Jump" }, { input = "Stick", action = "Move" }]
[[context]]
name        = "menus"
)";

Problems read(const std::string& text, PawnData& data) {
    const assets::TomlDocument document = assets::parse_toml(text, "hero.pawn_data.toml");
    EXPECT_TRUE(document.problems.is_empty()) << document.problems.to_text();
    ReadOptions options{.file = "hero.pawn_data.toml", .subject = "pawn_data:hero", .name = "hero"};
    options.text = text;
    Reading reading = read_content(document.root, value_type<PawnData>(), &data, std::move(options));
    return std::move(reading.problems);
}

TEST(PawnData, says_all_that_its_schema_knows_and_nothing_else) {
    // E-27
    PawnData data;
    const Problems problems = read(kWhole, data);
    EXPECT_TRUE(problems.is_empty()) << problems.to_text();
    EXPECT_EQ(
        value_type<PawnData>().print(&data),
        "{class = ArenaHero, camera = top_down, actions = [Move, Jump], context = [{name = walking, priority = 1, "
        "in_settings = true, map = [{input = Space, action = Jump}, {input = Stick, action = Move}]}, {name = menus, "
        "priority = 0, in_settings = false, map = []}]}");

    SmallMatch match;
    const assets::ContentType* type = match.house.assets().types().find(Name(kPawnDataType));
    ASSERT_NE(type, nullptr);
    const json schema = json::parse(assets::json_schema(*type, PartKinds(match.house.runtime().types())));
    EXPECT_EQ(schema["title"], "pawn_data");
    EXPECT_EQ(schema["required"], json::array({"class"}));
    EXPECT_EQ(schema["additionalProperties"], false);
    const auto keys = [](const json& of) {
        std::set<std::string> all;
        for (const auto& one : of["properties"].items()) all.insert(one.key());
        return all;
    };
    EXPECT_EQ(keys(schema), (std::set<std::string>{"class", "camera", "actions", "context"}));
    const std::string text = schema.dump();
    for (const char* key : {"name", "priority", "in_settings", "map", "input", "action"})
        EXPECT_NE(text.find(fmt::format("\"{}\"", key)), std::string::npos) << key;
}

TEST(PawnData, mistakes_are_told_with_their_place_and_a_way_out) {
    // E-27
    const auto told_of = [](const std::string& text) {
        PawnData data;
        std::string all;
        const Problems problems = read(text, data);
        for (const Problem& problem : problems.all())
            all += fmt::format("{}:{} {}{}", problem.place.line, problem.place.column, problem.text,
                               problem.hint.empty() ? "" : " | " + problem.hint);
        return all;
    };
    EXPECT_EQ(told_of("clas = 'Hero'\nclass = 'Hero'\n"),
              R"(1:1 unknown key "clas" in pawn_data:hero | did you mean "class"?)");
    EXPECT_EQ(told_of("class = 'Hero'\nacions = []\n"),
              R"(2:1 unknown key "acions" in pawn_data:hero | did you mean "actions"?)");
    EXPECT_EQ(told_of("class = 'Hero'\n[[context]]\nname = 'a'\npriorty = 2\n"),
              R"(4:1 unknown key "priorty" of context[0] in pawn_data:hero | did you mean "priority"?)");
    EXPECT_EQ(
        told_of("class = 'Hero'\n[[context]]\nname = 'a'\nmap = [{ input = 'E', acton = 'Use', action = 'Use' }]\n"),
        R"(4:23 unknown key "acton" of context[0].map[0] in pawn_data:hero | did you mean "action"?)");
    EXPECT_EQ(told_of("class = 'Hero'\n[[context]]\nname = 'a'\n[[context]]\nname = 'a'\n"),
              R"(5:8 "name" of context[1] in pawn_data:hero is "a" again)");
    EXPECT_NE(told_of("camera = 'far'\n").find(R"("class" in pawn_data:hero is missing)"), std::string::npos);
}

}  // namespace pawn_data_test
}  // namespace lyre::gameplay
