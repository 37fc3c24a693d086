// gameplay/bots.h: bots: players without a person, made last.
//
//     a component of the GameState, brought by a feature; on the server, in the Low round, once play may start:
//     per bot: controller -> a name of the pool, no two alike -> in the list of players -> started
//
// How many: the component's own count, unless the developer's setting says otherwise, unless the request that opened
// the world does (`--bots`). Fewer than none are none; more than kMaxBots are reported, and are kMaxBots. The same seed
// gives the same names. When the component goes its bots go.
//
// A component without a class of controllers of its own makes plain AIControllers: these possess their pawns and leave
// them standing. Where the outside asks for bots and nothing of the experience makes any, the GameMode brings such a
// component itself, if there is PawnData for what they would steer; it goes when another one comes. Frame's thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lyre/core/random.h"
#include "lyre/experience/rounds.h"
#include "lyre/gameplay/components.h"
#include "lyre/world/property.h"

namespace lyre::gameplay {

// What the outside says of bots in this world; set before Loaded (gameplay.h, Match).
struct BotCounts {
    std::optional<std::int64_t> developer{};
    std::optional<std::int64_t> requested{};
};

class BotCreation : public GameStateComponent {
public:
    using Described = BotCreation;
    static constexpr std::int64_t kMaxBots = 1024;
    static void describe(TypeBuilder<BotCreation>& t);
    void begin_play();
    void end_play(EndReason reason);

    virtual std::int64_t own_count() const { return count; }  // asked when bots are made
    std::int64_t wanted() const;
    std::vector<ActorId> bots() const { return made_; }  // their controllers, those that have gone too
    // For a feature that brings both: which class steers, and which names there are.
    Property<std::int64_t> count = 5;
    Property<Name> controller_class = Name("AIController");
    Property<std::vector<std::string>> names;

private:
    void create();
    std::int64_t asked() const;
    std::string next_name(Random& random, std::vector<std::string>& pool) const;
    std::vector<ActorId> made_;
    experience::CallbackHandle starts_;
};

}  // namespace lyre::gameplay
