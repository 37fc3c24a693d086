#include "lyre/gameplay/game_mode.h"

#include <stdexcept>
#include <vector>

#include "lyre/gameplay/controller.h"
#include "lyre/gameplay/game_state.h"
#include "lyre/gameplay/gameplay.h"
#include "lyre/gameplay/pawn.h"
#include "lyre/gameplay/pawn_extension.h"
#include "lyre/gameplay/player_state.h"
#include "lyre/world/class_info.h"

namespace lyre::gameplay {
namespace {

constexpr const char* kMaxRetries = "lyre.gamemode.MaxRestartRetries";
const Name kRestartFailed("gameplay.restart_failed"), kNoPawnData("gameplay.no_pawn_data");

}  // namespace

void register_variables(Runtime& runtime) {
    const OwnerScope as(Owner::process());
    if (runtime.variables().find<std::int64_t>(kMaxRetries)) return;
    runtime.variables()
        .add<std::int64_t>({.name = kMaxRetries,
                            .default_value = 10,
                            .help = "how often a failed start of a player is tried again",
                            .min = 0})
        .status()
        .ignore();
}

void GameMode::describe(TypeBuilder<GameMode>& t) {
    t.help("the rules of who plays, where the server is");
    t.parent<ModularActor>();
    t.property("game_state", &GameMode::game_state_class).class_of("GameState").help("class of the GameState");
    t.property("player_state", &GameMode::player_state_class).class_of("PlayerState").help("class of PlayerStates");
    t.property("player_controller", &GameMode::player_controller_class)
        .class_of("PlayerController")
        .help("class of the controllers of people");
    t.property("fallback_pawn", &GameMode::fallback_pawn_class).help("class of pawns without PawnData; none: no pawn");
}

void GameMode::pre_initialize() {
    if (world().net_mode() == NetMode::Client) throw std::logic_error("a GameMode is where the server is");
    if (Match::mode(world()) != nullptr) throw std::logic_error("the world has a GameMode already");
    ModularActor::pre_initialize();
    if (Match* match = world().subsystem<Match>()) match->mode_ = id();
    if (game_state() == nullptr) {
        const auto made = world().spawn(game_state_class.get().text());
        if (!made) throw std::runtime_error("no GameState: " + made.status().text());
    }
    if (GameState* state = game_state())
        play_starts_ = state->host().call_when_play_may_start(
            experience::Priority::Normal, *this, [this] { start_waiting(); }, experience::Repeat::EachLoad);
}

void GameMode::end_play(EndReason reason) {
    play_starts_ = {};
    if (Match* match = world().subsystem<Match>(); match != nullptr && match->mode_ == id()) match->mode_ = {};
    ModularActor::end_play(reason);
}

GameState* GameMode::game_state() const {
    return Match::state(world());
}

Result<PlayerController*> GameMode::login(const LoginOptions& options) {
    const World::CallScope scope(world());
    const auto made = world().spawn(player_controller_class.get().text());
    if (!made) return made.status();
    auto* controller = world().find<PlayerController>(*made);
    if (controller == nullptr) return Status::failed("the controller of {} went as it came", options.name);
    Status status = admit(*controller, options.name, options.is_spectator);
    if (status && !options.pawn_data.is_none()) {
        PlayerState* player = controller->player_state();
        status = player != nullptr ? player->set_pawn_data(options.pawn_data) : Status::failed("no PlayerState");
    }
    if (status) status = controller->receive_player(options.local);
    if (!status) {
        logout(*controller);
        return status;
    }
    if (game_state() != nullptr && game_state()->host().may_play_start()) restart(*controller);
    if (world().find(*made) == nullptr) return Status::failed("{} was sent away at login", options.name);
    return controller;
}

Status GameMode::admit(Controller& controller, const std::string& name, bool is_spectator) {
    const World::CallScope scope(world());
    if (game_state() == nullptr) return Status::refused("there is no GameState");
    if (controller.player_state() != nullptr) return Status::refused("{} is in the game already", controller.id());
    const auto made = world().spawn(player_state_class.get().text());
    if (!made) return made.status();
    auto* player = world().find<PlayerState>(*made);
    if (player == nullptr) return Status::failed("the PlayerState of {} went as it came", name);
    player->set_player_name(name);
    player->set_bot(!controller.is_player());
    player->set_spectator(is_spectator);
    controller.set_player_state(player->id());
    Status status = game_state()->add_player(*player);
    if (!status) {  // nothing is left behind
        controller.set_player_state({});
        world().destroy(*made);
    }
    return status;
}

void GameMode::logout(Controller& controller) {
    const World::CallScope scope(world());
    PlayerState* player = controller.player_state();
    Pawn* pawn = controller.pawn();
    controller.unpossess();
    if (pawn != nullptr) world().destroy(pawn->id());
    retries_.erase(controller.id());
    world().destroy(controller.id());
    if (player == nullptr || game_state() == nullptr) return;
    double keep = 0;
    if (const auto current = game_state()->host().current_experience()) keep = (*current)->keep_player_state_secs;
    if (keep <= 0 || player->is_bot()) return drop(*player);
    player->set_inactive(true);
    world().timers().after(
        keep,
        [this, id = player->id()] {
            if (auto* left = world().find<PlayerState>(id); left != nullptr && left->is_inactive()) drop(*left);
        },
        id());
}

void GameMode::drop(PlayerState& player) {
    if (GameState* state = game_state()) state->remove_player(player);
    world().destroy(player.id());
}

// In login order; a start may send others away.
void GameMode::start_waiting() {
    std::vector<ActorId> waiting;
    if (game_state() == nullptr) return;
    for (const PlayerState* player : game_state()->players()) waiting.push_back(player->controller_id());
    for (ActorId id : waiting)
        if (auto* controller = world().find<PlayerController>(id);
            controller != nullptr && controller->pawn() == nullptr)
            restart(*controller);
}

void GameMode::restart(Controller& controller) {
    const World::CallScope scope(world());
    const ActorId id = controller.id();
    bool is_final = false;
    if (Status status = try_restart(controller, is_final); status)
        retries_.erase(id);
    else if (is_final)
        retries_.erase(id);
    else
        retry_later(id, std::move(status));
}

Status GameMode::may_restart(Controller& controller) const {
    const PlayerState* player = controller.player_state();
    if (controller.is_doomed()) return Status::refused("{} is on its way out", controller.id());
    if (player == nullptr) return Status::refused("{} has not logged in", controller.id());
    if (player->is_spectator()) return Status::refused("{} only watches", player->player_name());
    if (game_state() == nullptr || !game_state()->host().may_play_start())
        return Status::refused("play has not started");
    return Status::ok();
}

Name GameMode::pawn_class_for(const Controller& controller) const {
    const Gameplay* gameplay = Gameplay::of(world());
    if (gameplay == nullptr) return fallback_pawn_class;
    const PawnData* data = gameplay->find_pawn_data(gameplay->pawn_data_for(world(), controller.player_state()));
    return data != nullptr ? data->class_name : fallback_pawn_class.get();
}

// The level's points whose names begin with "start", in turn; without any the middle.
Result<Transform> GameMode::choose_start(Controller&) {
    std::vector<const LevelPoint*> starts;
    for (LevelId id : world().levels().all())
        for (const LevelPoint& point : world().levels().find(id)->points())
            if (point.name.text().starts_with("start")) starts.push_back(&point);
    if (starts.empty()) return Transform{};
    const LevelPoint& point = *starts[next_start_++ % starts.size()];
    return Transform{point.at, point.yaw};
}

Status GameMode::try_restart(Controller& controller, bool& is_final) {
    PlayerSpawning* spawning = game_state() != nullptr ? game_state()->find<PlayerSpawning>() : nullptr;
    const Status may = spawning != nullptr ? spawning->may_restart(controller) : may_restart(controller);
    is_final = !may;  // it is not tried while it is not allowed
    if (!may) return may;
    if (Pawn* old = controller.pawn()) {
        controller.unpossess();
        world().destroy(old->id());
    }
    const Name class_name = pawn_class_for(controller);
    const auto told = [&](const std::string& text) {
        world().runtime().log().report(LogLevel::Error, kRestartFailed, fmt::format("{}", controller.id()), text);
        is_final = true;
        return Status::failed("{}", text);
    };
    if (!class_name) return told("no class for its pawn: neither PawnData nor a fallback_pawn of the GameMode");
    const Type* type = world().runtime().types().find(class_name);
    if (type == nullptr) return told(fmt::format("there is no class {} for its pawn", class_name));
    if (!type->is_a(*world().runtime().types().find<Pawn>()))
        return told(fmt::format("class {} is no Pawn", class_name));
    const auto start = spawning != nullptr ? spawning->choose_start(controller) : choose_start(controller);
    if (!start) return start.status();
    auto deferred = world().spawn_deferred(*type, {.transform = *start});
    if (!deferred) return deferred.status();
    const assets::PrimaryAssetId data = Gameplay::of(world()) != nullptr
                                            ? Gameplay::of(world())->pawn_data_for(world(), controller.player_state())
                                            : assets::PrimaryAssetId{};
    auto* extension = deferred->actor().find<PawnExtensionComponent>();
    if (data.is_none())
        world().runtime().log().report(LogLevel::Error, kNoPawnData, fmt::format("{}", controller.id()),
                                       fmt::format("a pawn of class {} starts without PawnData", class_name));
    else if (extension != nullptr)
        extension->set_pawn_data(data).ignore();
    const auto pawn = deferred->finish();
    if (!pawn) return pawn.status();
    auto* spawned = world().find<Pawn>(*pawn);
    if (spawned == nullptr) return Status::failed("its pawn went as it came");
    if (Status status = controller.possess(*spawned); !status) {
        world().destroy(*pawn);
        return status;
    }
    if (spawning != nullptr && !spawning->is_doomed() && !spawned->is_doomed())
        spawning->finish_restart(controller, *spawned);
    return Status::ok();
}

void GameMode::retry_later(ActorId id, Status reason) {
    const auto most = world().runtime().variables().find<std::int64_t>(kMaxRetries);
    std::int64_t& count = retries_[id];
    if (count >= (most ? most->get() : 10)) {
        world().runtime().log().report(LogLevel::Error, kRestartFailed, fmt::format("{}", id),
                                       fmt::format("given up after {} retries: {}", count, reason.text()));
        retries_.erase(id);
        return;
    }
    ++count;
    world().timers().next_tick(
        [this, id] {
            if (auto* controller = world().find<Controller>(id); controller != nullptr && controller->pawn() == nullptr)
                restart(*controller);
            else
                retries_.erase(id);
        },
        this->id());
}

void GameMode::reset() {
    if (game_state() == nullptr) return;
    const World::CallScope scope(world());
    for (PlayerState* player : game_state()->players())
        if (!player->is_doomed()) player->reset();
}

}  // namespace lyre::gameplay
