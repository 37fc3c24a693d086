// The sample game as a whole: what its features promise together.
#include "game/tests/plectrum.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <malloc.h>
#include <map>
#include <set>

#include "lyre/framework/component_manager.h"

#include "game/arena_core/api.h"
#include "tests/allocations.h"
#include "tests/effort.h"
#include "tests/features/small_house.h"

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

// A match from its first phase to the next experience, looked at once per second; false: it did not end by itself.
template <class Look> bool play_out(Plectrum& game, Look look) {
    const Name played = game.host().experience_id().name;
    for (int second = 0; second < 400; ++second) {
        game.play(1);
        if (game.host().experience_id().name != played) return true;
        look();
    }
    return false;
}

TEST(PlectrumGame, on_every_map_bots_take_zones_and_both_teams_score_until_one_wins) {
    // P-00
    for (const char* map : {"lobby", "arena", "yard"}) {
        SCOPED_TRACE(map);
        Plectrum game({.map = Name(map), .experience = "control_points", .bots = 8});
        std::set<std::string> said;
        std::vector<std::int64_t> scores(2);
        std::map<ActorId, std::int64_t> points;
        std::vector<std::string> feed;
        double silent_since = 0, longest_silence = 0;
        ASSERT_TRUE(play_out(game, [&] {
            for (const std::string& line : game.state().feed()) said.insert(line);
            if (std::exchange(feed, game.state().feed()) != feed || !game.is_in("Phase.Playing"))
                silent_since = game.world().time();
            longest_silence = std::max(longest_silence, game.world().time() - silent_since);
            for (const Team* team : game.state().teams())
                scores.at(static_cast<std::size_t>(team->number())) = team->score();
            for (const PlayerState* player : game.players()) points[player->id()] = player->score();
        }));
        std::size_t taken = 0;
        for (const char* team : {"Red", "Blue"})
            for (const char* zone : {"A", "B", "C"}) taken += said.count(fmt::format("{} takes {}", team, zone));
        EXPECT_GE(taken, 4u);
        EXPECT_LE(longest_silence, 25) << "s: crowds that hold each other up make no match to watch";
        EXPECT_GE(std::min(scores[0], scores[1]), 10);
        EXPECT_GE(std::max(scores[0], scores[1]), 60);
        const auto idle = std::count_if(points.begin(), points.end(), [](const auto& one) { return one.second == 0; });
        EXPECT_LE(idle, 1) << "players who were in no capture";
        EXPECT_EQ(game.host().experience_id().name, Name("frontend"));
    }
}

TEST(PlectrumGame, on_every_map_tag_goes_through_most_players_and_tells_them_apart) {
    // P-00
    for (const char* map : {"lobby", "arena", "yard"}) {
        SCOPED_TRACE(map);
        Plectrum game({.map = Name(map), .experience = "tag", .bots = 8});
        std::set<std::string> tagged;
        std::map<std::string, std::int64_t> points;
        float farthest = 0;
        ASSERT_TRUE(play_out(game, [&] {
            for (const std::string& line : game.state().feed())
                if (const std::size_t at = line.find(" tags "); at != std::string::npos) tagged.insert(line.substr(at));
            Vec3 middle;
            for (const PlayerState* player : game.players()) {
                points[player->player_name()] = player->score();
                middle += player->pawn()->position() * (1.0f / 8);
            }
            for (const PlayerState* player : game.players())
                farthest = std::max(farthest, length(player->pawn()->position() - middle));
        }));
        EXPECT_GE(tagged.size(), 5u);
        std::set<std::int64_t> different;
        for (const auto& [name, score] : points) different.insert(score);
        EXPECT_GE(different.size(), 5u);
        EXPECT_LT(farthest, 60) << "they stay where something happens";
    }
}

TEST(PlectrumGame, the_yard_has_a_hundred_thousand_props_that_stay_rows) {
    Plectrum game({.map = Name("yard"), .experience = "control_points", .bots = 16});
    game.play(20);
    EXPECT_EQ(game.game->level()->rows().count(), 100'000u);
    EXPECT_EQ(game.game->level()->rows().count(RowState::Touched), 0u);
    EXPECT_LT(game.world().actor_count(), 200u);
}

TEST(PlectrumGame, that_has_left_has_nothing_left) {
    Plectrum game({.map = Name("arena"), .experience = "tag", .bots = 4});
    game.play(6);
    game.game->leave();
    int frames = 0;
    for (; !game.game->has_left(); ++frames) {
        ASSERT_LT(frames, 100);
        game.frame();
    }
    EXPECT_EQ(game.game->leftovers(), std::vector<std::string>());
    EXPECT_EQ(game.modules.open_count(), 0u);
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

// What a match is made of, but for where its heroes are and what follows from that.
std::vector<std::string> anatomy(Plectrum& game) {
    std::vector<std::string> all;
    for (const ActorId id : game.world().actors()) {
        const Actor& actor = *game.world().find(id);
        std::string text(actor.type().name.text());
        for (const Component* part = actor.first_component(); part != nullptr; part = part->next())
            text += fmt::format(" {}:{}", part->type().name, part->name());
        if (const auto* steering = actor.find<Steering>()) text += fmt::format(" top speed {}", steering->top_speed());
        if (const Look* look = look_of(actor); look != nullptr && actor.is_a<Pawn>())
            text += fmt::format(" {} {}", look->glyph, static_cast<int>(look->colour));
        all.push_back(std::move(text));
    }
    std::sort(all.begin(), all.end());
    for (const VariableInfo& variable : game.runtime.variables().list()) {
        const auto here = game.world().variables().describe(variable.name.text());
        all.push_back(std::visit(
            [&](const auto& value) { return fmt::format("{} = {} by {}", variable.name, value, here->origin.place); },
            here->value));
    }
    for (const Name id : game.project.features().known())
        all.push_back(fmt::format("{}: {} in the ledger", id, game.project.features().ledger(id).size()));
    for (const PlayerState* player : game.players())
        all.push_back(fmt::format("{} of team {}", player->player_name(), player->team()));
    return all;
}

TEST(PlectrumGame, a_mutator_that_made_walking_heroes_faster_is_nowhere_once_it_has_gone) {
    // P-07
    const session::StandaloneDef def{.map = Name("arena"), .experience = "control_points", .bots = 8};
    std::vector<std::vector<std::string>> made_of;
    std::vector<float> ways(2);
    for (const bool has_sprint : {false, true}) {
        Plectrum game(def);
        game.play(8);
        if (has_sprint) {
            ASSERT_TRUE(game.host().add_action_set(feature("sprint")));
            game.play(0.2);
            EXPECT_NE(anatomy(game), made_of[0]);
        }
        for (int i = 0; i < 300; ++i) {
            game.frame();
            for (const PlayerState* player : game.players())
                ways[has_sprint] += length(player->pawn()->find<Steering>()->velocity()) / 60;
        }
        if (has_sprint) {
            ASSERT_TRUE(game.host().remove_action_set(feature("sprint")));
        }
        game.play(2);
        made_of.push_back(anatomy(game));
    }
    EXPECT_GT(ways[1], ways[0] * 1.2f) << "it has acted";
    EXPECT_EQ(made_of[1], made_of[0]);
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

// From the lobby to the next lobby: who wins the vote is played. False: it did not come so far.
struct Tour {
    std::string played;                      // empty: nobody came out of the lobby, or nobody into it again
    bool has_votes = false;                  // somebody has voted
    std::map<ActorId, std::int64_t> scores;  // as the match ended
};
Tour tour(Plectrum& game) {
    const auto is_on = [&](bool in_lobby) {
        return game.host().is_experience_loaded() && (game.host().experience_id().name == Name("frontend")) == in_lobby;
    };
    Tour tour;
    if (!game.play_until(30, [&] { return is_on(false); })) return tour;
    for (const std::string& line : game.state().feed())
        if (line.find(" it is, with ") != std::string::npos) tour.has_votes = line.find("with 0") == std::string::npos;
    const std::string played(game.host().experience_id().name.text());
    if (!game.play_until(30, [&] { return game.is_in("Phase.PostGame"); })) return tour;
    for (const PlayerState* player : game.players()) tour.scores[player->id()] = player->score();
    if (game.play_until(30, [&] { return is_on(true); })) tour.played = played;
    return tour;
}
void make_short(Plectrum& game) {
    game.set("arena.VoteSecs", "7");  // bots think for 1 to 6
    game.set("arena.WarmupSecs", "0.5");
    game.set("arena.MatchSecs", "8");
    game.set("arena.PostGameSecs", "0.5");
}

TEST(PlectrumGame, bots_vote_in_every_lobby_and_what_they_chose_is_played_by_the_same_players) {
    // P-08, X-06
    Plectrum game({.map = Name("lobby"), .experience = "frontend", .bots = 5});
    make_short(game);
    std::vector<ActorId> players;
    for (const PlayerState* player : game.players()) players.push_back(player->id());
    std::set<std::string> played;
    for (int visit = 0; visit < 6; ++visit) {
        const Tour once = tour(game);
        ASSERT_NE(once.played, "") << "visit " << visit;
        EXPECT_TRUE(once.has_votes) << "visit " << visit;
        played.insert(once.played);
        std::vector<ActorId> now;
        for (const PlayerState* player : game.players()) {
            now.push_back(player->id());
            EXPECT_EQ(player->score(), once.scores.at(player->id())) << "one can see in the lobby who has won";
        }
        EXPECT_EQ(now, players);
    }
    EXPECT_EQ(played, (std::set<std::string>{"control_points", "tag"}));
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

// How often memory is asked for in the quietest of some seconds: those in which nobody tags, takes or votes.
std::size_t least_allocations(Plectrum& game, int seconds) {
    std::size_t least = ~std::size_t{0};
    for (int i = 0; i < seconds; ++i) {
        const std::size_t before = allocations();
        game.play(1);
        least = std::min(least, allocations() - before);
    }
    return least;
}

TEST(PlectrumGame, a_steady_match_asks_for_no_memory) {
    {  // nobody votes any more, and the vote is not over
        Plectrum game({.map = Name("arena"), .experience = "frontend", .bots = 8});
        game.play(9);
        const std::size_t before = allocations();
        game.play(5);
        EXPECT_EQ(allocations() - before, 0u);
    }
    for (const char* experience : {"tag", "control_points"}) {
        Plectrum game({.map = Name("arena"), .experience = experience, .bots = 8});
        ASSERT_TRUE(game.play_until(8, [&] { return game.is_in("Phase.Playing"); }));
        game.play(20);
        EXPECT_EQ(least_allocations(game, 20), 0u) << experience;
    }
}

std::map<std::string, int> libraries() {
    std::map<std::string, int> mapped = features::mapped_files();
    std::erase_if(mapped, [](const auto& one) { return one.first.find(LYRE_MODULE_FOLDER) != 0; });
    return mapped;
}
// Those of features that are there, by feature.
std::map<std::string, std::size_t> ledgers(Plectrum& game) {
    std::map<std::string, std::size_t> sizes;
    for (const Name id : game.project.features().known())
        sizes.emplace(id.text(), game.project.features().ledger(id).size());
    return sizes;
}
std::size_t memory_in_use(Plectrum& game) {
    for (int part = 0; part < 4; ++part) {  // the log keeps so many entries: all the same ones
        for (std::size_t i = 0; i < Log::kDefaultCapacity / 4; ++i)
            game.runtime.log().report(LogLevel::Debug, Name("test"), fmt::format("{}", i), "an entry");
        game.play(1.1);
    }
    const auto info = mallinfo2();
    return info.uordblks + info.hblkhd;  // the second: what is too large for the heap
}

TEST(PlectrumGame, rounds_from_vote_to_vote_leave_memory_ledgers_and_libraries_where_they_were) {
    // P-08; LYRE_LONG_TESTS=1: five times as many rounds
    LocalPlayer anna{Name("anna")};
    Plectrum game({.map = Name("arena"), .experience = "frontend", .bots = 4});
    make_short(game);
    game.set("arena.MatchSecs", "1.5");
    const ActorId controller = game.login(anna).id();
    const int rounds = is_long_run() ? 500 : 100, warm_up = rounds / 2;
    std::map<std::string, int> played, mapped;
    std::map<std::string, std::size_t> sizes;
    std::size_t before = 0;
    const auto state = [&](const char* id) { return game.project.features().state(Name(id)); };
    for (int round = 0; round < rounds; ++round) {
        const Tour once = tour(game);
        ASSERT_NE(once.played, "") << "round " << round;
        game.play(0.2);  // libraries leave in a frame of their own
        ++played[once.played];
        ASSERT_EQ(game.players().size(), 5u) << "players stay";
        ASSERT_NE(game.world().find(controller), nullptr);
        EXPECT_EQ(state("arena_core"), features::FeatureState::Active) << "what both have stays";
        EXPECT_EQ(state(once.played.c_str()), features::FeatureState::Installed) << "what only one has goes";
        if (round == 0) {
            mapped = libraries();
            sizes = ledgers(game);
        }
        ASSERT_EQ(libraries(), mapped);
        ASSERT_EQ(ledgers(game), sizes);
        if (round + 1 == warm_up) before = memory_in_use(game);  // by then pools are as large as they get
    }
    EXPECT_GT(std::min(played["control_points"], played["tag"]), rounds / 10);
    EXPECT_GT(sizes["arena_core"], 20u);
    EXPECT_EQ(mapped.count(std::string(LYRE_MODULE_FOLDER) + "/libtag.so"), 0u);
    EXPECT_EQ(mapped.count(std::string(LYRE_MODULE_FOLDER) + "/libbots.so"), 1u);
    const double per_round =
        (static_cast<double>(memory_in_use(game)) - static_cast<double>(before)) / (rounds - warm_up);
    RecordProperty("bytes_per_round", std::to_string(per_round));
    EXPECT_LT(per_round, 200);
}

TEST(PlectrumGame, is_small_enough_to_read_in_an_evening) {
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
}

// Essays have examples, and those have names.
std::string without_comments(const std::string& text) {
    std::string code;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t comment = std::min(text.find("//", at), text.size());
        code += text.substr(at, comment - at);
        at = std::min(text.find('\n', comment), text.size());
    }
    return code;
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
    for (const char* folder : {"apps/lyre", "src"})
        for (const auto& entry : fs::recursive_directory_iterator(kSource / folder)) {
            if (!entry.is_regular_file()) continue;
            const std::string text = without_comments(text_of(entry.path()));
            EXPECT_EQ(text.find("#include \"game/"), std::string::npos) << entry.path();
            for (const std::string& name : names) EXPECT_FALSE(has_word(text, name)) << name << " in " << entry.path();
        }
}

TEST(PlectrumGame, markers_and_labels_say_what_is_to_be_drawn_with_or_without_a_feature_that_fills_them) {
    // P-13
    {
        Plectrum game({.map = Name("arena"), .experience = "control_points", .bots = 4});
        game.play(1);
        int circles = 0;
        for (const ActorId id : game.world().actors()) {
            const Look* look = look_of(*game.world().find(id));
            circles += look != nullptr && look->shape == Shape::Circle && look->radius > 1;
        }
        EXPECT_EQ(circles, 3);
        EXPECT_EQ(game.count("Label"), 3) << "of zones";
        EXPECT_EQ(game.count("LocalLabel"), 4) << "of pawns, by nameplates";
        const Level& level = *game.game->level();
        EXPECT_NE(look_of(game.runtime.types(), level.class_of(0)), nullptr);
        for (const PlayerState* player : game.players()) {
            EXPECT_NE(look_of(*player->pawn()), nullptr);
            EXPECT_EQ(label_of(*player->pawn())->find(player->player_name()), 0u);
        }
    }
    // Without either.
    Plectrum bare({.map = Name("arena"), .experience = "frontend", .bots = 4}, [](Plectrum& before) {
        FaultRule rule;
        rule.stage = FaultStage::FeatureLoad;
        rule.match = "nameplates";
        ASSERT_TRUE(before.faults->add(rule).is_ok());
    });
    bare.play(1);
    EXPECT_EQ(bare.project.features().state(Name("control_points")), features::FeatureState::Installed);
    EXPECT_EQ(bare.count("Label") + bare.count("LocalLabel") + bare.count("Nameplate"), 0);
    ASSERT_EQ(bare.players().size(), 4u);
    for (const PlayerState* player : bare.players()) {
        EXPECT_EQ(look_of(*player->pawn())->shape, Shape::Circle);
        EXPECT_EQ(label_of(*player->pawn()), nullptr);
    }
}

}  // namespace plectrum_test
}  // namespace plectrum
