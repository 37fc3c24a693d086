#include "lyre/session/why.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "lyre/core/numbers.h"
#include "lyre/core/suggest.h"
#include "lyre/core/utf8.h"
#include "lyre/framework/component_manager.h"
#include "lyre/gameplay/game_state.h"
#include "lyre/gameplay/pawn.h"
#include "lyre/gameplay/player_state.h"
#include "lyre/world/class_info.h"

namespace lyre::session {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kTopics = "experience | actor ID | component ID NAME | feature NAME";

template <class Record> Json as_json(const Record& record) {
    return Json::parse(features::to_json(type_of_record<Record>(), &record), nullptr, false);
}

std::string dumped(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string with_end(std::string text) {
    if (!text.empty() && text.back() != '\n') text += '\n';
    return text;
}

// Of "#3.1", or of "#3" for the living one; also without the sign, which a shell takes for a comment's.
struct WrittenId {
    std::uint32_t index = 0, generation = 0;
};

Result<WrittenId> read_id(std::string_view text) {
    const std::string_view number = text.substr(text.starts_with('#') ? 1 : 0);
    const std::size_t dot = number.find('.');
    const auto index = parse_number<std::uint32_t>(number.substr(0, dot));
    const auto generation =
        dot == std::string_view::npos ? Result<std::uint32_t>(0u) : parse_number<std::uint32_t>(number.substr(dot + 1));
    if (index && generation) return WrittenId{*index, *generation};
    return Status::invalid("{} is no actor's id: write #3.1, #3, or the name of a player", in_quotes(text));
}

Actor* actor_of(gameplay::PlayerState& player) {
    gameplay::Pawn* pawn = player.pawn();
    return pawn != nullptr ? static_cast<Actor*>(pawn) : &player;
}

std::string players_with_ids(const gameplay::GameState* state) {
    constexpr std::size_t kMost = 4;
    const auto players = state != nullptr ? state->players() : std::vector<gameplay::PlayerState*>();
    if (players.empty()) return "nobody plays";
    std::string text = "of players there are";
    for (std::size_t i = 0; i < std::min(players.size(), kMost); ++i)
        text += fmt::format("{} {} {}", i == 0 ? "" : ",", players[i]->player_name(), actor_of(*players[i])->id());
    return players.size() > kMost ? fmt::format("{} and {} more", text, players.size() - kMost) : text;
}

Result<Actor*> find_by_id(const Standalone& game, const std::string& text, const WrittenId& wanted) {
    World& world = *game.world();
    for (const ActorId id : world.actors()) {
        if (id.index != wanted.index) continue;
        Actor* actor = world.find(id);
        if (wanted.generation == 0 || wanted.generation == id.generation) return actor;
        return Status::not_found("no actor {} lives; in its place is {} ({})", in_quotes(text), id, actor->type().name);
    }
    return Status::not_found("no actor {} lives; {}", in_quotes(text), players_with_ids(game.state()));
}

Result<Actor*> find_player(const gameplay::GameState* state, const std::string& name) {
    std::vector<std::string> names;
    if (state != nullptr)
        for (gameplay::PlayerState* player : state->players()) {
            if (player->player_name() == name) return actor_of(*player);
            names.push_back(player->player_name());
        }
    if (names.empty()) return Status::not_found("no player {}; nobody plays", in_quotes(name));
    return Status::not_found("no player {}; {}", in_quotes(name), name_hint(name, {names.begin(), names.end()}));
}

Result<Actor*> find_living(const Standalone& game, const std::string& text) {
    const auto player = find_player(game.state(), text);
    const auto id = read_id(text);
    if (player || (!id && !text.starts_with('#'))) return player;
    return id ? find_by_id(game, text, *id) : Result<Actor*>(id.status());
}

// Why nobody is there yet, while there is no experience that plays.
Status not_yet(const experience::Host& host, const std::string& id) {
    const std::string reason = host.loading_screen_reason().text;
    if (host.state() == experience::LoadState::Failed)
        return Status::refused("no actor {}: the experience has failed: {}", in_quotes(id), reason);
    const auto pending = host.explain_loading().pending;
    const std::string waits = pending.empty() ? ""
                                              : fmt::format(": waits for {} {}, for {:.1f} s", pending[0].kind,
                                                            pending[0].id, pending[0].seconds);
    return Status::refused("no actor {} yet: {}{}", in_quotes(id), reason, waits);
}

Result<Actor*> find_actor(const Standalone& game, const std::string& id) {
    if (game.world() == nullptr) return Status::not_found("there is no world");
    auto found = find_living(game, id);
    const experience::Host* host = game.host();
    const bool may_come = host != nullptr && !host->is_experience_loaded();
    if (!found && may_come && found.status().code() == StatusCode::NotFound) return not_yet(*host, id);
    return found;
}

WhyAnswer why_experience(const experience::Host& host) {
    const experience::LoadingReport loading = host.explain_loading();
    const experience::FailureReport failure = host.explain_failure();
    const experience::SelectionReport selection = host.explain_selection();
    std::string text = with_end(selection.to_text());
    if (selection.experience != host.experience_id() && !host.experience_id().is_none())
        text += fmt::format("since then {} was set\n", host.experience_id());
    text += with_end(loading.to_text());
    for (const features::Degraded& one : host.degraded())
        text += fmt::format("left out: {}: {}\n", one.feature ? one.feature.text() : one.wanted_by, one.reason);
    const bool is_tried_again = !failure.attempts.empty() && !host.is_experience_loaded();
    if (!failure.cause.is_none() || is_tried_again) text += with_end(failure.to_text());
    const Json report = {
        {"selection", selection.to_text()}, {"loading", as_json(loading)}, {"failure", as_json(failure)}};
    return {text, dumped(report)};
}

WhyAnswer why_actor(framework::ComponentManager& manager, const Actor& actor) {
    const framework::InitReport init = manager.init_report(actor);
    const framework::ReceiverReport receiver = manager.receiver_report(actor);
    return {init.to_text() + receiver.to_text(), dumped({{"init", as_json(init)}, {"receiver", as_json(receiver)}})};
}

WhyAnswer why_component(framework::ComponentManager& manager, const Actor& actor, const std::string& name) {
    const Component* component = actor.find_component(Name(name));
    if (component == nullptr) component = actor.find_component_of(Name(name));
    if (component != nullptr) {
        const framework::ComponentReport report = manager.component_report(*component);
        return {report.to_text(), dumped(as_json(report))};
    }
    const framework::WhyNotReport report = manager.why_not_report(actor, Name(name));
    std::string text = report.to_text();
    const TypeRegistry& types = actor.world().runtime().types();
    if (types.find(Name(name)) == nullptr) {
        std::vector<std::string_view> known;
        for (const Type* type : types.all())
            if (const ClassInfo* info = ClassInfo::find(*type); info != nullptr && !info->is_actor)
                known.push_back(type->name.text());
        text += fmt::format("no class has that name now; those of a feature come with it: --with FEATURE{}\n",
                            did_you_mean(nearest(name, known)));
    }
    return {std::move(text), dumped(as_json(report))};
}

struct Topic {
    std::string_view word;
    std::size_t words;
};
constexpr Topic kAll[] = {{"experience", 1}, {"actor", 2}, {"component", 3}, {"feature", 2}};

// Long lines go on below, further in.
std::string in_lines(std::string_view text) {
    constexpr std::size_t kColumns = 80;
    std::string all;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        const std::size_t indent = std::min<std::size_t>(line.find_first_not_of(' '), 20) + 4;
        bool is_first = true;
        for (const std::string& part : wrapped(line, kColumns, kColumns - indent))
            all.append(std::exchange(is_first, false) ? 0 : indent, ' ').append(cleaned(part)).append("\n");
    }
    return all;
}

Result<WhyAnswer> answer(const Standalone& game, std::span<const std::string> topic) {
    if (Status status = check_topic(topic); !status) return status;
    if (topic[0] == "experience") {
        if (game.host() == nullptr) return Status::not_found("there is no GameState, and so no experience");
        return why_experience(*game.host());
    }
    if (topic[0] == "feature") {
        const features::Features& features = game.project().features();
        const auto known = features.known();
        if (std::find(known.begin(), known.end(), Name(topic[1])) != known.end()) {
            const features::FeatureReport said = features.report(Name(topic[1]));
            std::string text = with_end(features.explain(Name(topic[1])));
            if (said.owners.empty() && said.holders.empty() && said.error.empty() && said.goal.empty())
                text +=
                    fmt::format("  nobody wants it: add it to features of the experience, or say --with {}\n", said.id);
            return WhyAnswer{std::move(text), features::to_json(said)};
        }
        std::vector<std::string_view> names;
        for (const Name id : known) names.push_back(id.text());
        return Status::not_found("no feature {}; {}", in_quotes(topic[1]),
                                 name_hint(topic[1], std::move(names), "lyre list features"));
    }
    const auto actor = find_actor(game, topic[1]);
    if (!actor) return actor.status();
    auto& manager = *framework::ComponentManager::of(**actor);
    return topic[0] == "actor" ? why_actor(manager, **actor) : why_component(manager, **actor, topic[2]);
}

}  // namespace

std::vector<std::string_view> why_topics() {
    std::vector<std::string_view> words;
    for (const Topic& one : kAll) words.push_back(one.word);
    return words;
}

// One that is written like none can be told before there is anybody.
static Status check_id(std::span<const std::string> topic) {
    constexpr std::string_view kOfIds = "0123456789.";
    const bool has_id = topic.size() > 1 && topic[0] != "feature" &&
                        (topic[1].starts_with('#') || topic[1].find_first_not_of(kOfIds) == std::string::npos);
    return has_id ? read_id(topic[1]).status() : Status::ok();
}

Status check_topic(std::span<const std::string> topic) {
    if (topic.empty()) return Status::invalid("say what to ask about: {}", kTopics);
    for (const std::string& word : topic) {
        if (word.empty()) return Status::invalid("\"\" names nothing; there are: {}", kTopics);
        if (word.size() > Name::kMaxLength)
            return Status::invalid("{} has {} bytes: nothing has a name of more than {}", in_quotes(word), word.size(),
                                   Name::kMaxLength);
    }
    for (const Topic& one : kAll) {
        if (topic[0] == one.word && topic.size() == one.words) return check_id(topic);
        if (topic[0] == one.word)
            return Status::invalid("too {} words for {}; there are: {}", topic.size() < one.words ? "few" : "many",
                                   in_quotes(topic[0]), kTopics);
    }
    return Status::invalid("no topic {}; {}", in_quotes(topic[0]), name_hint(topic[0], why_topics()));
}

Result<WhyAnswer> why(const Standalone& game, std::span<const std::string> topic) {
    auto found = answer(game, topic);
    if (!found) return found;
    found->text = in_lines(found->text);
    Json report = Json::parse(found->json, nullptr, false);
    if (report.is_discarded()) report = nullptr;
    const Json document = {{"topic", std::vector<std::string>(topic.begin(), topic.end())},
                           {"text", found->text},
                           {"report", std::move(report)}};
    found->json = document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
    return found;
}

}  // namespace lyre::session
