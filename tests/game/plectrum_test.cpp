// The sample game as a whole: what its features promise together.
#include "game/tests/plectrum.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <malloc.h>
#include <regex>

#include "lyre/framework/component_manager.h"

#include "game/arena_core/api.h"
#include "tests/allocations.h"

namespace plectrum {
namespace plectrum_test {

namespace fs = std::filesystem;

const fs::path kSource = LYRE_SOURCE_FOLDER;

std::string text_of(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

assets::PrimaryAssetId feature(std::string_view name) {
    return {Name("feature"), Name(name)};
}

TEST(PlectrumGame, every_experience_plays_on_every_map_and_everybody_gets_ready) {
    // P-00
    for (const char* map : {"lobby", "arena", "yard"})
        for (const char* experience : {"frontend", "control_points", "tag"}) {
            SCOPED_TRACE(fmt::format("{} on {}", experience, map));
            Plectrum game({.map = Name(map), .experience = experience, .bots = 6});
            game.play(2);
            ASSERT_EQ(game.players().size(), 6u);
            auto& manager = *framework::ComponentManager::of(game.world());
            for (const PlayerState* player : game.players()) {
                ASSERT_NE(player->pawn(), nullptr);
                EXPECT_TRUE(manager.is_actor_ready(*player->pawn(), Name("GameplayReady")))
                    << manager.explain_actor_init(*player->pawn());
            }
            EXPECT_EQ(game.game->level()->rows().count(RowState::Touched), 0u);
        }
}

TEST(PlectrumGame, the_yard_has_a_hundred_thousand_props_that_stay_rows) {
    Plectrum game({.map = Name("yard"), .experience = "control_points", .bots = 16});
    game.play(20);
    EXPECT_EQ(game.game->level()->rows().count(), 100'000u);
    EXPECT_EQ(game.game->level()->rows().count(RowState::Touched), 0u);
    EXPECT_LT(game.world().actor_count(), 200u);
}

TEST(PlectrumGame, teams_are_there_before_pawns_and_pawns_before_bots) {
    // P-01
    std::vector<std::string> order;
    Connection heard;
    LocalPlayer anna{Name("anna")};
    Plectrum game({.map = Name("arena"), .experience = "control_points", .bots = 2}, [&](Plectrum& before) {
        before.login(anna);
        heard = before.world().actor_initialized.add([&](Actor& actor) {
            const char* kind = actor.is_a<Team>()           ? "team"
                               : actor.is_a<Pawn>()         ? "pawn"
                               : actor.is_a<AIController>() ? "bot"
                                                            : nullptr;
            if (kind != nullptr && (order.empty() || order.back() != kind)) order.emplace_back(kind);
        });
    });
    game.play(1);
    EXPECT_EQ(order, (std::vector<std::string>{"team", "pawn", "bot", "pawn", "bot", "pawn"}));
    heard = {};
}

// All that a match is, but for scores, ids and how often it was loaded.
std::uint64_t state_of(Plectrum& game) {
    HashFilter filter;
    filter.without_ids = true;
    filter.skip_class = [](const Type& type) { return type.name == Name("Host"); };
    filter.skip_property = [](const Type&, const PropertyInfo& property) { return property.name == Name("score"); };
    return world_hash(game.world(), filter);
}

TEST(PlectrumGame, a_mutator_that_came_and_went_leaves_the_match_as_one_that_never_had_it) {
    // P-07
    const session::StandaloneDef def{.map = Name("arena"), .experience = "control_points", .bots = 8};
    std::vector<std::uint64_t> without, with;
    {
        Plectrum game(def);
        game.play(12);
        without.push_back(state_of(game));
        game.play(10);
        without.push_back(state_of(game));
    }
    Plectrum game(def);
    game.play(12);
    game.game->set_paused(true);
    ASSERT_TRUE(game.host().add_action_set(feature("sprint")));
    game.play(0.5);
    EXPECT_EQ(game.count("Sprint"), 8);
    EXPECT_NE(state_of(game), without[0]);
    ASSERT_TRUE(game.host().remove_action_set(feature("sprint")));
    game.play(0.5);
    EXPECT_EQ(game.count("Sprint"), 0);
    with.push_back(state_of(game));
    EXPECT_EQ(game.project.features().state(Name("sprint")), features::FeatureState::Installed);
    EXPECT_TRUE(game.project.features().ledger(Name("sprint")).empty());
    game.game->set_paused(false);
    game.play(10);  // and it goes on the same way
    with.push_back(state_of(game));
    EXPECT_EQ(with, without);
}

TEST(PlectrumGame, a_mutator_that_has_acted_leaves_nothing_on_pawns_that_were_there_or_came_meanwhile) {
    // P-07; who stands still is not moved by being faster
    std::vector<std::uint64_t> states;
    for (const bool has_sprint : {false, true}) {
        LocalPlayer anna{Name("anna")}, bert{Name("bert")};
        Plectrum game({.map = Name("arena"), .experience = "control_points", .bots = 0});
        game.login(anna);
        game.play(1);
        if (has_sprint) {
            ASSERT_TRUE(game.host().add_action_set(feature("sprint")));
        }
        game.play_until(2, [&] { return game.world().time() >= 2.0 - 1e-6; });
        game.login(bert);
        game.play_until(2, [&] { return game.world().time() >= 3.0 - 1e-6; });
        EXPECT_EQ(game.count("Sprint"), has_sprint ? 2 : 0);
        if (has_sprint) {
            ASSERT_TRUE(game.host().remove_action_set(feature("sprint")));
        }
        game.play_until(3, [&] { return game.world().time() >= 5.0 - 1e-6; });
        EXPECT_EQ(game.count("Sprint"), 0);
        states.push_back(state_of(game));
    }
    EXPECT_EQ(states[0], states[1]);
}

TEST(PlectrumGame, people_vote_and_go_through_the_experiences_with_who_they_are) {
    // P-08, X-06
    Plectrum game({.map = Name("arena"), .experience = "frontend", .bots = 4});
    game.set("arena.VoteSecs", "2");
    game.set("arena.WarmupSecs", "1");
    game.set("arena.MatchSecs", "3");
    game.set("arena.PostGameSecs", "1");
    std::vector<ActorId> players;
    for (const PlayerState* player : game.players()) players.push_back(player->id());
    const auto is_on = [&](std::string_view id) {
        return game.host().is_experience_loaded() && game.host().experience_id().name.text() == id;
    };
    game.set("arena.Choices", "tag");
    ASSERT_TRUE(game.play_until(30, [&] { return is_on("tag"); }));
    ASSERT_TRUE(game.play_until(30, [&] { return is_on("frontend"); }));
    ASSERT_TRUE(game.play_until(30, [&] { return is_on("tag"); }));
    std::vector<ActorId> now;
    for (const PlayerState* player : game.players()) now.push_back(player->id());
    EXPECT_EQ(now, players);
}

TEST(PlectrumGame, a_vote_for_what_then_fails_is_followed_by_another_vote) {
    //
    Plectrum game({.map = Name("arena"), .experience = "frontend", .bots = 2});
    FaultRule rule;
    rule.stage = FaultStage::Bundle;
    rule.nth = 1;
    rule.effect = FaultEffect::Fail;
    ASSERT_TRUE(game.faults->add(rule).is_ok());
    ASSERT_TRUE(game.play_until(40, [&] { return game.was_said("it is"); }));
    game.play(3);
    EXPECT_EQ(game.host().experience_id().name, Name("frontend")) << game.host().explain_loading().to_text();
    EXPECT_TRUE(game.host().is_experience_loaded());
    EXPECT_GT(game.state().find<Ballot>()->choices(), 0u);
    EXPECT_TRUE(game.play_until(40, [&] { return game.host().experience_id().name != Name("frontend"); }));
}

TEST(PlectrumGame, a_steady_match_asks_for_no_memory) {
    // nobody votes any more, and the vote is not over
    Plectrum game({.map = Name("arena"), .experience = "frontend", .bots = 8});
    game.play(9);
    const std::size_t before = allocations();
    game.play(5);
    EXPECT_EQ(allocations() - before, 0u);
}

TEST(PlectrumGame, a_hundred_rounds_of_switching_leave_memory_ledger_and_libraries_where_they_were) {
    // P-08
    LocalPlayer anna{Name("anna")};
    Plectrum game({.map = Name("arena"), .experience = "frontend", .bots = 4});
    const ActorId controller = game.login(anna).id();
    std::size_t before = 0;
    for (int round = 0; round < 100; ++round) {
        for (const char* experience : {"control_points", "tag", "frontend"}) {
            const auto ticket = game.host().set_experience(experience);
            ASSERT_TRUE(ticket.is_ok()) << ticket.status().text();
            ASSERT_TRUE(game.play_until(5, [&] { return game.host().is_experience_loaded(); }));
            game.play(0.2);
            ASSERT_EQ(game.players().size(), 5u) << "players stay";
            ASSERT_NE(game.world().find(controller), nullptr);
            const auto state = [&](const char* id) { return game.project.features().state(Name(id)); };
            const bool is_tag = experience == std::string_view("tag");
            EXPECT_EQ(state("arena_core"), features::FeatureState::Active) << "what both have stays";
            EXPECT_EQ(state("tag") == features::FeatureState::Active, is_tag);
            EXPECT_EQ(state("tag") == features::FeatureState::Installed, !is_tag) << "what only one has goes";
        }
        ASSERT_TRUE(game.project.features().ledger(Name("tag")).empty());
        ASSERT_EQ(game.modules.open_count(), 3u);
        if (round == 49) before = mallinfo2().uordblks;  // by then logs and pools are as large as they get
    }
    EXPECT_LT(mallinfo2().uordblks, before + 64 * 1024);
}

TEST(PlectrumGame, is_small_and_each_feature_says_how_to_try_it) {
    // P-11
    std::size_t lines = 0;
    for (const auto& entry : fs::recursive_directory_iterator(kSource / "game")) {
        const std::string kind = entry.path().extension();
        if (!entry.is_regular_file() || (kind != ".cpp" && kind != ".h" && kind != ".toml")) continue;
        const std::string text = text_of(entry.path());
        lines += static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    }
    EXPECT_GT(lines, 1000u);
    EXPECT_LT(lines, 4000u);
    for (const char* id : {"arena_core", "control_points", "tag", "bots", "sprint", "nameplates"}) {
        const std::string readme = text_of(kSource / "game" / id / "README.md");
        const std::regex command("\\./lyre [a-z]+");
        EXPECT_GE(std::distance(std::sregex_iterator(readme.begin(), readme.end(), command), {}), 2) << id;
    }
}

bool has_word(const std::string& text, const std::string& word) {
    const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        if ((at == 0 || !is_part(text[at - 1])) && (end == text.size() || !is_part(text[end]))) return true;
    }
    return false;
}

TEST(PlectrumGame, the_front_end_knows_no_feature) {
    // P-13
    Plectrum game(
        {.map = Name("arena"), .experience = "tag", .overlays = {feature("sprint"), feature("control_points")}});
    std::vector<std::string> names;
    for (const Name id : game.project.features().known())
        for (const features::LedgerEntry& entry : game.project.features().ledger(id))
            if (entry.kind == features::LedgerKind::Type) names.push_back(entry.id);
    ASSERT_GT(names.size(), 15u);
    for (const auto& entry : fs::directory_iterator(kSource / "apps/lyre")) {
        const std::string text = text_of(entry.path());
        EXPECT_EQ(text.find("#include \"game/"), std::string::npos) << entry.path();
        for (const std::string& name : names) EXPECT_FALSE(has_word(text, name)) << name << " in " << entry.path();
    }
}

TEST(PlectrumGame, markers_and_labels_say_what_is_to_be_drawn_with_or_without_a_feature_that_fills_them) {
    // P-13
    Plectrum game({.map = Name("arena"), .experience = "control_points", .bots = 4});
    game.play(1);
    const auto labels = [&] { return game.count("Label"); };
    int circles = 0;
    for (const ActorId id : game.world().actors()) {
        const Look* look = look_of(*game.world().find(id));
        circles += look != nullptr && look->shape == Shape::Circle && look->radius > 1;
    }
    EXPECT_EQ(circles, 3);
    EXPECT_EQ(labels(), 3 + 4);  // of zones, and of pawns by nameplates
    const Level& level = *game.game->level();
    EXPECT_NE(look_of(game.runtime.types(), level.class_of(0)), nullptr);
    for (const PlayerState* player : game.players()) EXPECT_NE(look_of(*player->pawn()), nullptr);
}

}  // namespace plectrum_test
}  // namespace plectrum
