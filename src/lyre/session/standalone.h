// session/standalone.h: a game in one world, without a network: wires the rooms and owns the frame.
//
//     auto game = Standalone::open(project, {.experience = "tag", .bots = 8});
//     while (!over) (*game)->frame();                      // one tick; the caller sees to the time between
//     (*game)->leave();                                    // the experience is left, then the world closed
//     while (!(*game)->has_left()) (*game)->frame();
//     (*game)->leftovers();                                // empty: nothing stayed behind
//
// A frame: assets -> features -> experience -> component manager -> world tick -> log. While an experience is on its
// way the world does not tick: how long files take to load is the machine's affair, and so a match is the same on a
// quick one and a slow one, by a real clock and a virtual one. Frames go on meanwhile, and whoever watches sees how far
// it is. So it waits while a failed attempt is taken back, and until the next one, which the clock counts; delays that
// count in world time, and who asks for time in leaving, let it tick.
//
// Features come to their initial state first: open() waits for them without frames, unless Project::start_features()
// was called before and frames have brought them. The map's level is there from the beginning; the experience is
// selected by the seven sources (selection.h). Frame's thread; the project outlives it, and has one at a time: a second
// is refused.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lyre/session/project.h"
#include "lyre/world/game_instance.h"

namespace lyre::gameplay {
class GameMode;
class GameState;
}  // namespace lyre::gameplay

namespace lyre::session {

struct StandaloneDef {
    Name map{};                                      // none: the project's default_map
    std::string experience{};                        // of the command line; empty: no opinion
    std::vector<assets::PrimaryAssetId> overlays{};  // feature:NAME, action_set:NAME on top
    std::optional<std::int64_t> bots{};              // none: as the experience has them
    std::uint64_t seed = 1;
    std::int64_t tick_hz = 60;
};

class Standalone {
public:
    // Whether all that is named is there, or lies in a feature that is to be there from the start. NotFound: it names
    // the nearest. Nothing is started.
    static Status check(Project& project, const StandaloneDef& def);
    // Refused before anything starts: what check() says. Refused with features started (Project::release_features()):
    // an unknown class of rules, a map that cannot be loaded (what is wrong is in the project's problems), nothing to
    // choose an experience by.
    static Result<std::unique_ptr<Standalone>> open(Project& project, const StandaloneDef& def);
    ~Standalone();  // at once, without waiting for anybody; not inside a callback of its world, where leave() is right
    Standalone(const Standalone&) = delete;
    Standalone& operator=(const Standalone&) = delete;

    void frame();
    bool is_loading() const;  // the world waits for the experience
    bool is_paused() const { return is_paused_; }
    void set_paused(bool paused) { is_paused_ = paused; }  // frames go on, the world does not tick
    void step() { is_stepping_ = true; }                   // a paused world ticks in the next frame
    bool is_stepping() const { return is_stepping_; }
    // The experience has, and nothing will be tried; or it changes again and again without a tick between, where what is
    // tried anew is no change: content says how often.
    bool has_failed() const;

    // Until it has left; null in a world whose rules, state or its Host somebody has destroyed.
    World* world() const { return game_.world(); }
    gameplay::GameMode* mode() const;
    gameplay::GameState* state() const;
    experience::Host* host() const;
    const Level* level() const;
    Project& project() const { return project_; }

    void leave(std::string reason = "the game ends");
    bool has_left() const;  // the world is closed, and features that nobody wants any more have come down
    // What should not be there once it has left, as people read it.
    std::vector<std::string> leftovers() const;

private:
    explicit Standalone(Project& project);
    static Result<std::unique_ptr<Standalone>> open_started(Project& project, const StandaloneDef& def);
    static Name map_of(const Project& project, const StandaloneDef& def);
    Status begin(const StandaloneDef& def, const LevelDef& map);

    Project& project_;
    GameInstance game_;
    LevelId level_;
    bool is_paused_ = false;
    bool is_stepping_ = false;
    bool is_leaving_ = false;
    std::uint64_t settled_ = 0;  // changes up to the last tick
};

}  // namespace lyre::session
