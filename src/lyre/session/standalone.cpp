#include "lyre/session/standalone.h"

#include "lyre/core/suggest.h"
#include "lyre/framework/component_manager.h"
#include "lyre/gameplay/game_mode.h"
#include "lyre/gameplay/game_state.h"
#include "lyre/gameplay/gameplay.h"

namespace lyre::session {
namespace {

using experience::LoadState;

#ifdef LYRE_SHIPPING
constexpr bool kIsDevelopment = false;
#else
constexpr bool kIsDevelopment = true;
#endif

constexpr std::uint64_t kMaxRestless = 1000;  // changes of the experience without a tick between them

std::uint64_t changes(const experience::Host& host) {
    return host.generation() - host.counters().retries;
}

}  // namespace

Result<std::unique_ptr<Standalone>> Standalone::open(Project& project, const StandaloneDef& def) {
    if (def.tick_hz < 1 || def.tick_hz > 1000) return Status::invalid("{} ticks per second", def.tick_hz);
    if (project.is_played_) return Status::refused("the project is being played already, by one Standalone at a time");
    if (Status status = check(project, def); !status) return status;
    if (project.start_ == nullptr) project.start_features();  // their content may have what is asked for
    project.await_start();
    auto game = open_started(project, def);
    project.start_ = nullptr;  // the next one starts them anew
    return game;
}

// What was to come with a feature may not have come.
Result<std::unique_ptr<Standalone>> Standalone::open_started(Project& project, const StandaloneDef& def) {
    if (Status status = check(project, def); !status) return status;
    const auto map = project.load_map(map_of(project, def));
    if (!map) return map.status();
    std::unique_ptr<Standalone> game(new Standalone(project));
    if (Status status = game->begin(def, **map); !status) return status;
    return game;
}

Name Standalone::map_of(const Project& project, const StandaloneDef& def) {
    return def.map ? def.map : project.def().default_map;
}

Status Standalone::check(Project& project, const StandaloneDef& def) {
    const Name map = map_of(project, def);
    if (map.is_none()) return Status::not_found("the project has no default_map; say --map NAME");
    if (!def.experience.empty())
        if (auto known = project.find(experience::kExperienceType, def.experience); !known) return known.status();
    if (auto known = project.find("map", std::string(map.text())); !known) return known.status();
    for (const assets::PrimaryAssetId& overlay : def.overlays)
        if (Status status = project.find_overlay(overlay); !status) return status;
    return experience::Host::check_overlays(def.overlays);
}

Status Standalone::begin(const StandaloneDef& def, const LevelDef& map) {
    const ProjectDef& project = project_.def();
    const auto rules = project_.rules_class();
    if (!rules) return rules.status();
    project_.experiences().add_game(game_);
    assets::PrimaryAssetId pawn;
    if (project.default_pawn) pawn = {Name(gameplay::kPawnDataType), project.default_pawn};
    gameplay::Gameplay::of(game_).connect({project_.assets(), project_.experiences(), pawn});

    World& world =
        game_.open_world({.name = map.name, .tick_seconds = 1.0f / static_cast<float>(def.tick_hz), .seed = def.seed});
    const auto level = world.levels().add(map);
    if (!level) return level.status();
    level_ = *level;
    gameplay::BotCounts& bots = world.subsystems().find<gameplay::Match>()->bots;
    if (kIsDevelopment && project.developer.bots >= 0) bots.developer = project.developer.bots;
    bots.requested = def.bots;
    if (const auto made = world.spawn(**rules); !made) return made.status();
    world.begin_play();
    if (host() == nullptr) return Status::failed("{} has made no GameState", project.game_mode);

    experience::SelectionSources sources;
    sources.is_development = kIsDevelopment;
    sources.developer = project.developer.experience.text();
    sources.command_line = def.experience;
    sources.world_settings = map.experience.text();
    sources.project_default = project.default_experience.text();
    const experience::SelectionReport chosen = experience::select_experience(sources, project_.assets().registry());
    if (chosen.winner == experience::Source::DeveloperSettings && !def.experience.empty() &&
        def.experience != sources.developer)
        project_.runtime().log().report(
            LogLevel::Warning, Name("session.developer_experience"), project_.folder(),
            fmt::format("[developer] of {} says experience = {}, and that goes before {}", kProjectFile,
                        in_quotes(sources.developer), in_quotes(def.experience)));
    if (!chosen.winner) {
        for (const std::string* said : {&sources.developer, &sources.world_settings, &sources.project_default})
            if (!said->empty())
                if (auto known = project_.find(experience::kExperienceType, *said); !known) return known.status();
        return Status::not_found("nobody chooses an experience: say --experience ID, or default_experience in {}",
                                 kProjectFile);
    }
    return host()->init_game(std::move(sources), def.overlays);
}

Standalone::Standalone(Project& project) : project_(project), game_(project.runtime()) {
    project_.is_played_ = true;
}

Standalone::~Standalone() {
    game_.close_world();
    project_.is_played_ = false;
}

gameplay::GameMode* Standalone::mode() const {
    return game_.world() != nullptr ? gameplay::Match::mode(*game_.world()) : nullptr;
}

gameplay::GameState* Standalone::state() const {
    return game_.world() != nullptr ? gameplay::Match::state(*game_.world()) : nullptr;
}

experience::Host* Standalone::host() const {
    const gameplay::GameState* state = this->state();
    return state != nullptr ? state->find<experience::Host>() : nullptr;
}

const Level* Standalone::level() const {
    return game_.world() != nullptr ? game_.world()->levels().find(level_) : nullptr;
}

bool Standalone::is_loading() const {
    const experience::Host* host = this->host();
    if (host == nullptr) return false;
    switch (host->state()) {
        case LoadState::Unloaded:  // chosen in the first frame
            return host->generation() == 0;
        case LoadState::Loading:
        case LoadState::LoadingGameFeatures:
        case LoadState::ExecutingActions:
            return true;
        case LoadState::Deactivating:  // of what has failed; who asks for time may count in the world's
            return !host->failure().is_none() && !host->is_leaving_held_up();
        case LoadState::Failed:  // the next attempt counts in time of the clock
            return host->seconds_to_next_attempt().has_value();
        default:
            return false;
    }
}

bool Standalone::has_failed() const {
    const experience::Host* host = this->host();
    return host == nullptr || changes(*host) > settled_ + kMaxRestless ||
           (host->state() == LoadState::Failed && !host->seconds_to_next_attempt().has_value());
}

void Standalone::frame() {
    project_.pump();
    if (World* world = game_.world()) {
        if (auto* manager = framework::ComponentManager::of(*world)) manager->settle();
        const bool is_still = is_paused_ && !is_stepping_;
        if (!is_loading() && !is_still) {
            is_stepping_ = false;
            game_.tick();
            if (host() != nullptr) settled_ = changes(*host());
        }
    }
    if (is_leaving_ && game_.world() != nullptr && host() == nullptr) game_.close_world();  // somebody travelled on
    project_.runtime().log().deliver();
}

void Standalone::leave(std::string reason) {
    is_leaving_ = true;
    if (game_.world() != nullptr) project_.experiences().close_world(game_, std::move(reason));
}

bool Standalone::has_left() const {
    return game_.world() == nullptr && project_.features().is_at_rest();
}

std::vector<std::string> Standalone::leftovers() const {
    std::vector<std::string> left = project_.leftovers();
    if (game_.world() != nullptr) left.insert(left.begin(), fmt::format("world {}", game_.world()->def().name));
    return left;
}

}  // namespace lyre::session
