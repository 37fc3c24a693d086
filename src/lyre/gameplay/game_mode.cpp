#include "lyre/gameplay/game_mode.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "lyre/gameplay/controller.h"
#include "lyre/gameplay/detail/guarded.h"
#include "lyre/gameplay/detail/shown_text.h"
#include "lyre/gameplay/game_state.h"
#include "lyre/gameplay/gameplay.h"
#include "lyre/gameplay/input.h"
#include "lyre/gameplay/pawn.h"
#include "lyre/gameplay/pawn_extension.h"
#include "lyre/gameplay/player_state.h"
#include "lyre/world/class_info.h"

namespace lyre::gameplay {
namespace {

constexpr const char* kMaxRetries = "lyre.gamemode.MaxRestartRetries";
constexpr std::size_t kMaxNestedStarts = 3;  // each may start everybody; more wait for the next tick
const Name kAskedBots("asked_bots");
const Name kRestartFailed("gameplay.restart_failed"), kNoPawnData("gameplay.no_pawn_data");

// Of somebody outside, fit for a message.
std::string shown_name(const LoginOptions& options) {
    return detail::shown_text(options.name, PlayerState::kMaxName);
}

// Of who has left it; somebody else may have it by then.
void end_unless_steered(Pawn& pawn) {
    if (pawn.controller() == nullptr) pawn.world().destroy(pawn.id());
}

std::string why_not_loaded(const PlayerState* player) {
    const Status status = player != nullptr ? player->pawn_data_load().status() : Status::ok();
    return status ? "" : ": " + std::string(status.text());
}

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
    t.property("fallback_pawn", &GameMode::fallback_pawn_class)
        .class_of("Pawn")
        .or_none()
        .help("class of pawns without PawnData; none: no pawn");
}

void GameMode::pre_initialize() {
    if (world().net_mode() == NetMode::Client) throw std::logic_error("a GameMode is where the server is");
    if (Match::mode(world()) != nullptr) throw std::logic_error("the world has a GameMode already");
    ModularActor::pre_initialize();
    if (Match* match = world().subsystem<Match>()) match->mode_ = id();
    if (game_state() == nullptr) {
        const auto made = world().spawn(game_state_class.get().text());
        if (!made) throw std::runtime_error("no GameState: " + made.status().text());
        if (game_state() == nullptr) {
            world().destroy(*made);
            throw std::runtime_error(
                fmt::format("no GameState: {} is none, or went as it came", game_state_class.get()));
        }
    }
    auto* host = this->host();
    if (host == nullptr) return;
    play_starts_ = host->call_when_play_may_start(
        experience::Priority::Normal, *this, [this] { start_waiting(); }, experience::Repeat::EachLoad);
    bots_start_ = host->call_when_play_may_start(
        experience::Priority::Low, *this, [this] { see_to_bots(); }, experience::Repeat::EachLoad);
}

void GameMode::end_play(EndReason reason) {
    play_starts_ = {};
    bots_start_ = {};
    for (const Kept& kept : std::exchange(kept_, {})) {  // nobody would end them
        if (reason == EndReason::WorldEnded) break;
        if (auto* player = world().find<PlayerState>(kept.player)) drop(*player);
    }
    if (Match* match = world().subsystem<Match>(); match != nullptr && match->mode_ == id()) match->mode_ = {};
    ModularActor::end_play(reason);
}

GameState* GameMode::game_state() const {
    return Match::state(world());
}

experience::Host* GameMode::host() const {
    const GameState* state = game_state();
    return state != nullptr ? state->find_host() : nullptr;
}

Result<PlayerController*> GameMode::login(const LoginOptions& options) {
    World& here = world();  // callbacks may end this
    ActorId id;
    const Status status = let_in(options, id);
    if (!status) return status;
    auto* controller = here.has_ended() ? nullptr : here.find<PlayerController>(id);
    if (controller == nullptr) return Status::failed("{} was sent away at login", shown_name(options));
    return controller;
}

Status GameMode::let_in(const LoginOptions& options, ActorId& id) {
    const World::CallScope scope(world());
    if (Status status = may_enter(options); !status) return status;  // before anything is made
    if (options.local != nullptr && options.local->controller() != nullptr)
        return Status::refused("{} steers with {} already", options.local->name(), options.local->controller()->id());
    const auto made = world().spawn(player_controller_class.get().text());
    if (!made) return made.status();
    id = *made;
    auto* controller = world().find<PlayerController>(id);
    if (controller == nullptr) {
        world().destroy(id);
        return Status::failed("the controller of {} is no PlayerController, or went as it came", shown_name(options));
    }
    const bool comes_back = find_player(options.id) != nullptr;
    Status status = join(*controller, options);
    if (status) status = controller->receive_player(options.local);
    if (!status) {
        send_away(*controller, comes_back);
        return status;
    }
    has_joined(*controller);
    if (host() != nullptr && host()->may_play_start()) restart(*controller);
    return Status::ok();
}

// Null also for nobody in particular.
PlayerState* GameMode::find_player(const std::string& identity) const {
    const GameState* state = game_state();
    if (identity.empty() || state == nullptr) return nullptr;
    for (PlayerState* player : state->players())
        if (player->identity() == identity) return player;
    return nullptr;
}

Status GameMode::may_enter(const LoginOptions& options) const {
    if (is_doomed() || world().has_ended()) return Status::refused("the match has ended");
    if (options.id.size() > kMaxIdentity) return Status::invalid("an id has at most {} bytes", kMaxIdentity);
    const GameState* state = game_state();
    if (state == nullptr) return Status::refused("there is no GameState");
    const PlayerState* before = find_player(options.id);
    if (before != nullptr && !before->is_inactive())
        return Status::refused("{} is in the game already", shown_name(options));
    if (before == nullptr && state->is_full() && oldest_kept() == nullptr)
        return Status::capacity("{} players are there", GameState::kMaxPlayers);
    return Status::ok();
}

Status GameMode::admit(Controller& controller, const LoginOptions& options) {
    const World::CallScope scope(world());
    Status status = join(controller, options);
    if (status) has_joined(controller);
    return status;
}

// Until it has joined, who was kept still is.
void GameMode::has_joined(const Controller& controller) {
    if (const PlayerState* player = controller.player_state()) forget_kept(player->id());
}

Status GameMode::join(Controller& controller, const LoginOptions& options) {
    if (controller.is_doomed()) return Status::refused("{} is on its way out", controller.id());
    if (controller.player_state() != nullptr) return Status::refused("{} is in the game already", controller.id());
    if (Status status = may_enter(options); !status) return status;
    PlayerState* player = find_player(options.id);
    const bool comes_back = player != nullptr;
    if (!comes_back || player->type().name != player_state_class.get()) {
        const auto made = make_player(player, options);
        if (!made) return made.status();
        player = *made;
    }
    Status status = enter(controller, *player, options);
    if (status) return status;
    // Nothing is left behind but who was kept.
    if (controller.player_state() == player) controller.set_player_state({});
    if (!player->is_doomed() && !(comes_back && keep(*player))) drop(*player);
    return status;
}

// With the values of a kept one and in its place, or for somebody new.
Result<PlayerState*> GameMode::make_player(PlayerState* kept, const LoginOptions& options) {
    const auto made = world().spawn(player_state_class.get().text());
    if (!made) return made.status();
    auto* player = world().find<PlayerState>(*made);
    Status status = may_enter(options);  // what heard of the new one may have let others in, or ended anything
    if (player == nullptr)
        status = Status::failed("the PlayerState of {} is none, or went as it came", shown_name(options));
    else if (status && find_player(options.id) != kept)
        status = Status::refused("{} has come and gone meanwhile", shown_name(options));
    if (status && kept != nullptr) {
        kept->copy_properties(*player);
        status = may_enter(options);
        if (find_player(options.id) != kept || player->is_doomed())
            status = Status::refused("{} was sent away meanwhile", shown_name(options));
    }
    if (!status) {
        world().destroy(*made);
        return status;
    }
    if (kept == nullptr) return player;
    player->identity_ = kept->identity_;
    player->set_inactive(true);
    if (Kept* its = find_kept(kept->id())) {
        world().timers().cancel(its->ends);
        its->player = player->id();
        end_in_time(*its);
    }
    game_state()->replace_player(*kept, *player);
    world().destroy(kept->id());
    return player;
}

// With a new PlayerState, or the one it had. Whoever hears of it may send the player away.
Status GameMode::enter(Controller& controller, PlayerState& player, const LoginOptions& options) {
    GameState* state = game_state();
    if (state == nullptr || controller.is_doomed() || player.is_doomed())
        return Status::refused("{} was sent away meanwhile", shown_name(options));
    player.set_player_name(options.name);
    player.set_bot(!controller.is_player());
    player.set_spectator(options.is_spectator);
    player.identity_ = options.id;
    controller.set_player_state(player.id());
    if (player.is_inactive()) {
        state->return_player(player);
    } else {
        PlayerState* oldest = state->is_full() ? oldest_kept() : nullptr;
        if (oldest != nullptr) drop(*oldest);
        if (Status status = state->add_player(player); !status) return status;
    }
    if (controller.is_doomed() || controller.player_state() != &player)
        return Status::refused("{} was sent away meanwhile", shown_name(options));
    if (options.pawn_data.is_none() || player.has_own_pawn_data()) return Status::ok();
    return player.set_pawn_data(options.pawn_data);
}

void GameMode::logout(Controller& controller) {
    send_away(controller, true);
}

void GameMode::send_away(Controller& controller, bool may_keep) {
    const World::CallScope scope(world());
    Pawn* pawn = controller.pawn();
    busy_.push_back(controller.id());
    controller.unpossess();
    busy_.pop_back();
    if (pawn != nullptr) end_unless_steered(*pawn);
    PlayerState* player = controller.player_state();  // what heard of this may have sent it away already
    controller.set_player_state({});
    forget_retries(controller.id());
    postponed_.erase(controller.id());
    if (auto* person = controller.as<PlayerController>()) person->release_player();
    world().destroy(controller.id());
    if (player != nullptr && !(may_keep && keep(*player))) drop(*player);
}

void GameMode::remember_experience() {
    if (host() == nullptr) return;
    if (const auto current = host()->current_experience()) keep_seconds_ = (*current)->keep_player_state_secs;
}

// False: it is not to be kept. Who is kept still is so again as before the login.
bool GameMode::keep(PlayerState& player) {
    if (player.is_doomed() || is_doomed()) return false;
    if (const Kept* before = find_kept(player.id())) {
        player.set_inactive(true);
        player.set_player_name(before->name);
        player.set_team(before->team);
        player.set_spectator(before->is_spectator);
        player.set_bot(false);
        return true;
    }
    remember_experience();
    if (!(keep_seconds_ > 0) || player.is_bot()) return false;
    Kept kept{player.id(),   world().time() + keep_seconds_, {}, player.player_name(),
              player.team(), player.is_spectator()};
    if (!end_in_time(kept)) return false;
    player.set_inactive(true);
    kept_.push_back(std::move(kept));
    PlayerState* oldest = kept_.size() > kMaxKept ? oldest_kept() : nullptr;
    if (oldest != nullptr) drop(*oldest);
    return true;
}

bool GameMode::end_in_time(Kept& kept) {
    const OwnerScope as(world().owner());  // whoever asked for it may go earlier
    kept.ends = world().timers().after(
        std::max(0.0, kept.until - world().time()),
        [this, id = kept.player] {
            if (auto* left = world().find<PlayerState>(id)) drop(*left);
        },
        id());
    return !!kept.ends;
}

GameMode::Kept* GameMode::find_kept(ActorId player) {
    const auto at = std::find_if(kept_.begin(), kept_.end(), [&](const Kept& one) { return one.player == player; });
    return at != kept_.end() ? &*at : nullptr;
}

// Who is just coming back is none to go for others.
PlayerState* GameMode::oldest_kept() const {
    for (const Kept& one : kept_)
        if (auto* player = world().find<PlayerState>(one.player); player != nullptr && player->is_inactive())
            return player;
    return nullptr;
}

void GameMode::forget_kept(ActorId player) {
    const Kept* kept = find_kept(player);
    if (kept == nullptr) return;
    world().timers().cancel(kept->ends);
    kept_.erase(kept_.begin() + (kept - kept_.data()));
}

void GameMode::drop(PlayerState& player) {
    forget_kept(player.id());
    if (GameState* state = game_state()) state->remove_player(player);
    world().destroy(player.id());
}

// In login order; a start may send others away.
void GameMode::start_waiting() {
    std::vector<ActorId> waiting;
    remember_experience();
    if (game_state() == nullptr) return;
    const auto postponed = std::exchange(postponed_, {});
    for (const PlayerState* player : game_state()->players()) waiting.push_back(player->controller_id());
    for (ActorId id : waiting)
        if (auto* controller = world().find<Controller>(id);
            controller != nullptr && (controller->pawn() == nullptr || postponed.contains(id)))
            restart(*controller);
}

// The outside has its bots also where nothing of the experience makes any. What it brought for that goes when another
// makes them, or there is nothing to steer.
void GameMode::see_to_bots() {
    GameState* state = game_state();
    const Match* match = world().subsystem<Match>();
    const Gameplay* gameplay = Gameplay::of(world());
    if (is_doomed() || state == nullptr || match == nullptr || gameplay == nullptr) return;
    BotCreation* own = nullptr;
    bool has_others = false;
    for (Component* part = state->first_component(); part != nullptr; part = part->next())
        if (auto* bots = part->as<BotCreation>(); bots != nullptr && !bots->is_doomed()) {
            if (bots->name() == kAskedBots)
                own = bots;
            else
                has_others = true;
        }
    const bool has_pawn = !gameplay->pawn_data_for(world(), nullptr).is_none();
    const std::int64_t asked = match->bots.requested.value_or(match->bots.developer.value_or(0));
    if (own != nullptr && (has_others || !has_pawn)) world().remove_component(*own).ignore();
    if (has_others || asked <= 0) return;
    if (!has_pawn)
        world().runtime().log().report(
            LogLevel::Warning, Name("gameplay.no_bots"), "bots",
            fmt::format("{} are asked for and have nothing to steer: name a pawn in the experience, or a default_pawn "
                        "in the project",
                        asked));
    const OwnerScope as(world().owner());
    if (has_pawn && own == nullptr) state->add<BotCreation>(kAskedBots).status().ignore();
}

// A start of one player: may it, with what, and then the pawn.
namespace {

struct StartResult {
    Status status;
    bool is_final = false;  // it is not tried again by itself
};

struct PawnPlan {
    const Type* type = nullptr;
    assets::PrimaryAssetId data{};
    std::string missing{};  // why it starts without data; empty: it has it
};

// A feature's rule, if there is one by now: what was asked before may have removed it. It runs as its class's owner;
// what it throws is a failure. True: it has been asked, and has answered.
template <class Rule>
bool ask_spawning(const GameMode& mode, const Controller& controller, const char* what, Rule rule) {
    auto* spawning = mode.game_state() != nullptr ? mode.game_state()->find<PlayerSpawning>() : nullptr;
    if (spawning == nullptr) return false;
    const OwnerScope as(spawning->type().owner);
    return detail::guarded(mode.world(), controller.id(), what, [&] { rule(*spawning); });
}

// It is not tried again while somebody forbids it, or its data is still to come, which asks again then.
StartResult ask_permission(const GameMode& mode, Controller& controller) {
    if (Status may = mode.may_restart(controller); !may) return {may, true};
    Status says = Status::ok();
    const bool has_answered = ask_spawning(mode, controller, "may_restart", [&](PlayerSpawning& spawning) {
        says = Status::failed("may_restart threw");
        says = spawning.may_restart(controller);
    });
    if (!says) return {says, has_answered};
    const PlayerState* player = controller.player_state();
    if (player != nullptr && !player->pawn_data_load().is_over())
        return {Status::refused("{} is being loaded", player->pawn_data()), true};
    return {Status::ok()};
}

Result<PawnPlan> plan_pawn(const GameMode& mode, const Controller& controller) {
    PawnPlan plan;
    const World& world = mode.world();
    const PlayerState* player = controller.player_state();
    const Gameplay* gameplay = Gameplay::of(world);
    if (gameplay != nullptr) plan.data = gameplay->pawn_data_for(world, player);
    if (plan.data.is_none())
        plan.missing = "no PawnData is named";
    else if (gameplay->find_pawn_data(plan.data) == nullptr)
        plan.missing = fmt::format("{} is named but not in memory{}", plan.data, why_not_loaded(player));
    const Name class_name = mode.pawn_class_for(controller);
    if (!class_name) return Status::failed("{}, and the GameMode has no fallback_pawn", plan.missing);
    plan.type = world.runtime().types().find(class_name);
    if (plan.type == nullptr) return Status::failed("there is no class {} for its pawn", class_name);
    if (!plan.type->is_a(*world.runtime().types().find<Pawn>()))
        return Status::failed("class {} is no Pawn", class_name);
    if (!ClassInfo::can_be_made(*plan.type)) return Status::failed("class {} is abstract", class_name);
    return plan;
}

Result<Transform> ask_start(GameMode& mode, Controller& controller) {
    std::optional<Result<Transform>> start;
    ask_spawning(mode, controller, "choose_start", [&](PlayerSpawning& spawning) {
        start = Status::failed("choose_start threw");
        start = spawning.choose_start(controller);
    });
    if (!start) start = mode.choose_start(controller);
    return std::move(*start);
}

void give_data(const Actor& pawn, assets::PrimaryAssetId data) {
    auto* extension = pawn.find<PawnExtensionComponent>();
    if (extension != nullptr && !data.is_none() && extension->pawn_data_id().is_none())
        extension->set_pawn_data(data).ignore();
}

// Who has been given a pawn by whoever hears of the start plays with that one.
Status start_pawn(GameMode& mode, Controller& controller, const PawnPlan& plan) {
    World& world = mode.world();
    const auto start = ask_start(mode, controller);
    if (!start) return start.status();
    auto deferred = world.spawn_deferred(*plan.type, {.transform = *start});
    if (!deferred) return deferred.status();
    if (!plan.missing.empty())
        world.runtime().log().report(
            LogLevel::Error, kNoPawnData, fmt::format("{}", controller.id()),
            fmt::format("a pawn of class {} starts without PawnData: {}", plan.type->name, plan.missing));
    give_data(deferred->actor(), plan.data);
    const auto made = deferred->finish();
    if (!made) return made.status();
    auto* pawn = world.find<Pawn>(*made);
    if (pawn == nullptr) return Status::failed("its pawn went as it came");
    give_data(*pawn, plan.data);  // to an extension that a feature has put on it
    const bool has_another = controller.pawn() != nullptr && controller.pawn() != pawn;
    const Status status = has_another ? Status::ok() : controller.possess(*pawn);
    if (has_another || !status) {
        end_unless_steered(*pawn);
        return status;
    }
    if (!pawn->is_doomed())
        ask_spawning(mode, controller, "finish_restart",
                     [&](PlayerSpawning& spawning) { spawning.finish_restart(controller, *pawn); });
    return pawn->is_doomed() ? Status::failed("its pawn went as it came") : Status::ok();
}

StartResult start(GameMode& mode, Controller& controller) {
    if (StartResult may = ask_permission(mode, controller); !may.status) return may;
    if (Pawn* old = controller.pawn()) {
        controller.unpossess();
        end_unless_steered(*old);
        if (controller.pawn() != nullptr) return {Status::ok()};
    }
    const auto plan = plan_pawn(mode, controller);
    if (plan) return {start_pawn(mode, controller, *plan)};
    mode.world().runtime().log().report(LogLevel::Error, kRestartFailed, fmt::format("{}", controller.id()),
                                        plan.status().text());
    return {plan.status(), true};
}

}  // namespace

void GameMode::restart(Controller& controller) {
    const World::CallScope scope(world());
    const ActorId id = controller.id();
    if (is_doomed() || std::find(busy_.begin(), busy_.end(), id) != busy_.end()) return;
    if (controller.player_state() != nullptr && host() != nullptr && !host()->may_play_start()) postponed_.insert(id);
    if (busy_.size() >= kMaxNestedStarts) return retry_later(id, Status::refused("starts inside starts have no end"));
    busy_.push_back(id);
    const auto [status, is_final] = start(*this, controller);
    busy_.pop_back();
    if (status || is_final || is_doomed() || controller.is_doomed() || world().has_ended())
        forget_retries(id);
    else
        retry_later(id, status);
}

Status GameMode::may_restart(Controller& controller) const {
    const PlayerState* player = controller.player_state();
    if (controller.is_doomed()) return Status::refused("{} is on its way out", controller.id());
    if (player == nullptr) return Status::refused("{} has not logged in", controller.id());
    if (player->is_spectator()) return Status::refused("{} only watches", player->player_name());
    if (host() == nullptr || !host()->may_play_start()) return Status::refused("play has not started");
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

void GameMode::retry_later(ActorId id, const Status& reason) {
    const auto most = world().runtime().variables().find<std::int64_t>(kMaxRetries);
    Retry& retry = retries_[id];
    if (!retry.next.is_none()) return;  // somebody asked meanwhile: that is none of the retries
    if (retry.count >= (most ? most->get() : 10)) {
        world().runtime().log().report(LogLevel::Error, kRestartFailed, fmt::format("{}", id),
                                       fmt::format("given up after {} retries: {}", retry.count, reason.text()));
        retries_.erase(id);
        return;
    }
    ++retry.count;
    const OwnerScope as(world().owner());  // whoever asked for it may go earlier
    retry.next = world().timers().next_tick(
        [this, id] {
            retries_[id].next = {};
            if (auto* controller = world().find<Controller>(id); controller != nullptr && controller->pawn() == nullptr)
                restart(*controller);
            else
                retries_.erase(id);
        },
        this->id());
}

void GameMode::forget_retries(ActorId id) {
    const auto at = retries_.find(id);
    if (at == retries_.end()) return;
    world().timers().cancel(at->second.next);
    retries_.erase(at);
}

void GameMode::reset() {
    if (game_state() == nullptr) return;
    const World::CallScope scope(world());
    game_state()->has_started_ = false;
    game_state()->follow_match();
    for (PlayerState* player : game_state()->players())
        if (!player->is_doomed()) player->reset();
}

}  // namespace lyre::gameplay
