// game/tests/plectrum.h: the game as `lyre play` has it, in virtual time, for the tests of its features.
//
//     Plectrum game({.map = Name("arena"), .experience = "tag", .bots = 8});
//     game.play(10);                          // seconds
//     game.players().front()->score();
#pragma once

#include <gtest/gtest.h>

#include "lyre/core/files_native.h"
#include "lyre/core/virtual_executor.h"
#include "lyre/experience/host.h"
#include "lyre/features/module_native.h"
#include "lyre/gameplay/controller.h"
#include "lyre/gameplay/game_mode.h"
#include "lyre/gameplay/game_state.h"
#include "lyre/gameplay/input.h"
#include "lyre/gameplay/looks.h"
#include "lyre/gameplay/pawn.h"
#include "lyre/gameplay/phases.h"
#include "lyre/gameplay/player_state.h"
#include "lyre/gameplay/teams.h"
#include "lyre/session/standalone.h"
#include "lyre/world/world_hash.h"

#ifndef LYRE_MODULE_FOLDER  // lyre_feature() says where libraries and the feature are
#define LYRE_MODULE_FOLDER "build/release/features"
#define LYRE_FEATURE_FOLDER "game/arena_core"
#endif

namespace plectrum {

using namespace lyre;
using namespace lyre::gameplay;

class Plectrum {
public:
    // `first` is called before the experience is loaded.
    explicit Plectrum(const session::StandaloneDef& def, const std::function<void(Plectrum&)>& first = {}) {
        runtime.log().print_to(nullptr);
        const Status opened = project.open(LYRE_FEATURE_FOLDER "/../..");
        EXPECT_TRUE(opened.is_ok()) << project.problems().to_text();
        auto made = session::Standalone::open(project, def);
        EXPECT_TRUE(made.is_ok()) << made.status().text();
        game = std::move(*made);
        if (first) first(*this);
        for (int i = 0; i < 600 && !host().is_experience_loaded(); ++i) frame();
        EXPECT_TRUE(host().is_experience_loaded()) << host().failure().to_string();
    }
    // Nothing stays behind: neither registrations nor libraries.
    ~Plectrum() {
        game->leave();
        for (int i = 0; i < 600 && !(game->has_left() && modules.open_count() == 0); ++i) frame();
        for (const std::string& left : game->leftovers()) ADD_FAILURE() << left;
        EXPECT_EQ(modules.open_count(), 0u);
    }
    void frame() {
        clock.advance(16'667);
        game->frame();
    }
    void play(double seconds) {
        for (int i = 0; i < static_cast<int>(seconds * 60); ++i) frame();
    }
    // Until it is so, at most so long.
    template <class Until> bool play_until(double seconds, Until until) {
        for (int i = 0; i < static_cast<int>(seconds * 60) && !until(); ++i) frame();
        return until();
    }
    void set(std::string_view variable, std::string_view value) {
        const Status status = runtime.variables().set(variable, value, {VariableSource::Console, "test"});
        EXPECT_TRUE(status.is_ok()) << status.text();
    }
    World& world() { return *game->world(); }
    GameState& state() { return *game->state(); }
    experience::Host& host() { return state().host(); }
    std::vector<PlayerState*> players() { return state().players(); }
    PlayerController& login(LocalPlayer& person) {
        const auto made = game->mode()->login({.name = std::string(person.name().text()), .local = &person});
        EXPECT_TRUE(made.is_ok()) << made.status().text();
        return **made;
    }
    bool is_in(std::string_view phase) { return state().phases().is_active(*runtime.tags().find(phase)); }
    bool was_said(std::string_view part) {
        for (const std::string& line : state().feed())
            if (line.find(part) != std::string::npos) return true;
        return false;
    }
    int count(std::string_view component) {  // actors that have it
        int all = 0;
        for (ActorId id : world().actors()) all += world().find(id)->find_component_of(Name(component)) != nullptr;
        return all;
    }

    VirtualClock clock;
    Runtime runtime{clock};
    RealFiles files;
    VirtualExecutor executor{clock};
    features::NativeModules modules{{LYRE_MODULE_FOLDER}};
    std::shared_ptr<FaultPlan> faults = std::make_shared<FaultPlan>(FaultPlanDef{}, 1);  // for what goes wrong
    session::Project project{runtime, files, executor, &modules, faults};
    std::unique_ptr<session::Standalone> game;
};

}  // namespace plectrum
