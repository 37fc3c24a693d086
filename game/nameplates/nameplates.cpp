// nameplates.cpp: name and team beside every pawn, where the game is shown.
//
// The manifest puts a Nameplate on every pawn of that side. It waits until the pawn's hero is GameplayReady (then the
// PlayerState is there, whatever came first over the network), gives the pawn a LocalLabel, and keeps the text right.
// The label goes with the Nameplate. Nothing of it is replicated: each machine makes its own.
#include <fmt/format.h>
#include <iterator>

#include "lyre/features/registrar.h"
#include "lyre/framework/component_manager.h"
#include "lyre/gameplay/game_state.h"
#include "lyre/gameplay/gameplay.h"
#include "lyre/gameplay/hero.h"
#include "lyre/gameplay/looks.h"
#include "lyre/gameplay/pawn.h"
#include "lyre/gameplay/player_state.h"
#include "lyre/gameplay/teams.h"

namespace plectrum {
namespace {

using namespace lyre;
using namespace lyre::gameplay;

const char* const kLabel = "nameplate";

class Nameplate : public PawnComponent {
public:
    using Described = Nameplate;
    static void describe(TypeBuilder<Nameplate>& t) {
        t.help("name and team, shown beside a pawn");
        t.parent<PawnComponent>();
        t.tick_in(TickGroup::Late, 0.5f);
        t.starts_without_tick();
    }
    void begin_play() {
        if (auto* manager = framework::ComponentManager::of(*this))
            ready_ = manager->register_and_call_for_actor_init_state(
                actor(), kHero, kGameplayReady, [this](const framework::InitStateChange&) { show(); });
    }
    void end_play(EndReason) {
        ready_.reset();
        if (LocalLabel* made = label()) world().remove_component(*made).ignore();
    }
    void tick(float) { write(); }

private:
    void show() {
        if (is_doomed() || label() != nullptr) return;
        const auto made = actor().add<LocalLabel>(Name(kLabel));
        if (!made) return;  // somebody else's component has that name
        generation_ = (*made)->generation();
        set_tick_enabled(true);
        write();
    }
    LocalLabel* label() const {  // its own; null: there is none
        Component* there = actor().find_component(Name(kLabel));
        return there != nullptr && there->generation() == generation_ ? there->as<LocalLabel>() : nullptr;
    }
    // Player, team and its title come to a client one by one: the text is made anew, and written if it is another.
    void write() {
        const PlayerState* player = pawn().player_state();
        LocalLabel* label = this->label();
        if (label == nullptr || player == nullptr) return;
        fmt::memory_buffer text;
        fmt::format_to(std::back_inserter(text), "{}", player->player_name());
        const GameState* state = Match::state(world());
        if (const Team* team = state != nullptr ? state->team(player->team()) : nullptr)
            fmt::format_to(std::back_inserter(text), " ({})", team->title());
        const std::string_view now(text.data(), text.size());
        if (label->text.get() != now) label->text = std::string(now);
    }
    framework::InitStateHandle ready_;
    std::uint32_t generation_ = 0;  // of its label
};

}  // namespace
}  // namespace plectrum

LYRE_FEATURE(nameplates) {
    feature.type<plectrum::Nameplate>();
}
