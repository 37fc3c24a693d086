#include "lyre/gameplay/bots.h"

#include <algorithm>

#include "lyre/experience/host.h"
#include "lyre/gameplay/controller.h"
#include "lyre/gameplay/detail/shown_text.h"
#include "lyre/gameplay/game_mode.h"
#include "lyre/gameplay/game_state.h"
#include "lyre/gameplay/gameplay.h"
#include "lyre/gameplay/pawn.h"
#include "lyre/gameplay/pawn_extension.h"
#include "lyre/gameplay/player_state.h"
#include "lyre/world/class_info.h"
#include "lyre/world/world.h"

namespace lyre::gameplay {

void BotCreation::describe(TypeBuilder<BotCreation>& t) {
    t.help("makes bots when everybody else is there");
    t.parent<GameStateComponent>();
    t.property("count", &BotCreation::count).help("unless something outside says otherwise");
    t.property("controller", &BotCreation::controller_class)
        .class_of("Controller")
        .or_none()
        .help("class of their controllers");
    t.property("names", &BotCreation::names).help("made up when these are used up");
}

void BotCreation::begin_play() {
    auto* host = actor().has_authority() ? game_state().find_host() : nullptr;
    if (host != nullptr)
        starts_ = host->call_when_play_may_start(experience::Priority::Low, *this, [this] { create(); });
    GameStateComponent::begin_play();
}

void BotCreation::end_play(EndReason) {
    starts_ = {};
    GameMode* mode = Match::mode(world());
    for (ActorId id : std::exchange(made_, {}))
        if (auto* bot = world().find<Controller>(id); bot != nullptr && mode != nullptr) mode->logout(*bot);
}

std::int64_t BotCreation::wanted() const {
    return std::clamp<std::int64_t>(asked(), 0, kMaxBots);
}

std::int64_t BotCreation::asked() const {
    std::int64_t number = own_count();
    if (const Match* match = world().subsystem<Match>()) {
        if (match->bots.developer) number = *match->bots.developer;
        if (match->bots.requested) number = *match->bots.requested;
    }
    return number;
}

void BotCreation::create() {
    GameMode* mode = Match::mode(world());
    const auto told = [&](const std::string& text) {
        world().runtime().log().report(LogLevel::Error, Name("gameplay.no_bots"), "bots", text);
    };
    if (mode == nullptr) return;
    mode->see_to_bots();  // those it has brought itself give way
    if (wanted() == 0) return;
    if (!controller_class.get()) return told("no class for the controllers of bots");
    if (asked() > kMaxBots)
        world().runtime().log().report(LogLevel::Warning, Name("gameplay.too_many_bots"), "bots",
                                       fmt::format("{} bots are asked for, {} are made", asked(), kMaxBots));
    Random random = world().random().stream("gameplay.bots");
    std::vector<std::string> pool = names.get();
    for (std::int64_t left = wanted(); left > 0 && !is_doomed(); --left) {
        const auto id = world().spawn(controller_class.get().text());
        auto* bot = id ? world().find<Controller>(*id) : nullptr;
        if (bot == nullptr) {
            if (id) world().destroy(*id);
            return told(fmt::format("no bot of class {}: {}", controller_class.get(),
                                    id ? "it is no Controller, or went as it came" : id.status().text()));
        }
        made_.push_back(*id);
        if (const Status status = mode->admit(*bot, {.name = next_name(random, pool)}); !status) {
            world().destroy(*id);
            return told(status.text());
        }
        if (world().find(*id) != nullptr) mode->restart(*bot);
        const Pawn* pawn = world().find(*id) != nullptr ? bot->pawn() : nullptr;
        auto* extension = pawn != nullptr ? pawn->find<PawnExtensionComponent>() : nullptr;
        if (extension != nullptr) extension->check_default_initialization();
    }
}

// From the pool, by chance, each once and none that somebody has; then made up.
std::string BotCreation::next_name(Random& random, std::vector<std::string>& pool) const {
    const auto is_taken = [&](const std::string& name) {
        const auto players = game_state().players();
        return std::any_of(players.begin(), players.end(), [&](const auto* one) { return one->player_name() == name; });
    };
    while (!pool.empty()) {
        const auto at = pool.begin() + static_cast<std::ptrdiff_t>(random.next_below(pool.size()));
        std::string name = detail::shown_text(*at, PlayerState::kMaxName);
        pool.erase(at);
        if (!is_taken(name)) return name;
    }
    for (std::size_t number = made_.size();; ++number)
        if (std::string name = fmt::format("Bot {}", number); !is_taken(name)) return name;
}

}  // namespace lyre::gameplay
