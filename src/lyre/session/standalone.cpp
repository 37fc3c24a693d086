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

// Ok: it is there. Else the nearest is named, or what there is.
Status find_asset(const assets::AssetRegistry& registry, const std::string& wanted, std::string_view type,
                  std::string_view kind, std::string_view list) {
    if (wanted.empty()) return Status::ok();
    const auto id = assets::PrimaryAssetId::parse(wanted, Name(type));
    if (id && id->type.text() != type) return Status::not_found("{} is no {}", *id, kind);
    if (id && registry.find(*id) != nullptr) return Status::ok();
    const auto known = registry.names(Name(type));
    const std::string name = id ? std::string(id->name.text()) : wanted;
    if (known.empty()) return Status::not_found("no {} {}: the project has none", kind, in_quotes(wanted));
    return Status::not_found("no {} {}; {}", kind, in_quotes(name),
                             name_hint(name, {known.begin(), known.end()}, list));
}

// One that lies in a feature is there while that feature is at least registered.
Status find_experience(Project& project, const std::string& wanted) {
    const auto id = assets::PrimaryAssetId::parse(wanted, Name(experience::kExperienceType));
    if (const Name home = id ? project.home_of(*id) : Name())
        return Status::not_found(
            "experience {} lies in the feature {}, which is not there from the start: write initial_state = "
            "\"registered\" in {}",
            in_quotes(id->name.text()), home, project.features().manifest_file(home));
    return find_asset(project.assets().registry(), wanted, experience::kExperienceType, "experience",
                      "lyre list experiences");
}

}  // namespace

Result<std::unique_ptr<Standalone>> Standalone::open(Project& project, const StandaloneDef& def) {
    const Name name = def.map ? def.map : project.def().default_map;
    if (name.is_none()) return Status::not_found("the project has no default_map; say --map NAME");
    if (def.tick_hz < 1 || def.tick_hz > 1000) return Status::invalid("{} ticks per second", def.tick_hz);
    if (project.is_played_) return Status::refused("the project is being played already, by one Standalone at a time");
    project.start_features();  // their content may have what is asked for
    const assets::AssetRegistry& registry = project.assets().registry();
    if (Status status = find_experience(project, def.experience); !status) return status;
    if (Status status = find_asset(registry, std::string(name.text()), "map", "map", "lyre list assets"); !status)
        return status;
    for (const assets::PrimaryAssetId& overlay : def.overlays) {
        const bool is_set = overlay.type.text() == experience::kActionSetType;
        Status status = is_set ? find_asset(registry, overlay.to_string(), experience::kActionSetType, "action set",
                                            "lyre list assets")
                               : project.know_overlay(overlay);
        if (!status) return status;
    }
    const auto map = project.load_map(name);
    if (!map) return map.status();
    std::unique_ptr<Standalone> game(new Standalone(project));
    if (Status status = game->begin(def, **map); !status) return status;
    return game;
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
    const auto report = experience::select_experience(sources, project_.assets().registry());
    if (!report.winner)
        return Status::not_found("nobody chooses an experience: say --experience ID, or default_experience in {}",
                                 kProjectFile);
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
        default:
            return false;
    }
}

void Standalone::frame() {
    project_.pump();
    if (World* world = game_.world()) {
        if (auto* manager = framework::ComponentManager::of(*world)) manager->settle();
        const bool is_still = is_paused_ && !is_stepping_;
        if (!is_loading() && !is_still) {
            is_stepping_ = false;
            game_.tick();
        }
    }
    if (is_leaving_ && game_.world() != nullptr && host() == nullptr) game_.close_world();  // somebody travelled on
    project_.runtime().log().deliver();
}

void Standalone::leave(std::string reason) {
    is_leaving_ = true;
    if (game_.world() != nullptr) project_.experiences().close_world(game_, std::move(reason));
}

std::vector<std::string> Standalone::leftovers() const {
    std::vector<std::string> left;
    if (game_.world() != nullptr) left.push_back(fmt::format("world {}", game_.world()->def().name));
    const features::Features& features = project_.features();
    for (const Name id : features.known()) {
        for (const features::LedgerEntry& entry : features.ledger(id))
            left.push_back(fmt::format("feature {}: {} {}", id, to_string(entry.kind), entry.id));
        if (features.report(id).is_resident) left.push_back(fmt::format("feature {}: its library is in memory", id));
    }
    for (const experience::SharedActionInfo& action : project_.experiences().shared_actions())
        left.push_back(fmt::format("action {}", action.kind));
    return left;
}

}  // namespace lyre::session
