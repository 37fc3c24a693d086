// world/game_instance.h: one running game in the process: a server, a client, or a standalone game.
//
// It owns the game's subsystems and has one world at a time; travel() replaces it. What is found "through the world"
// (the component manager) is a subsystem of its game instance. Two instances in a process do not see each other.
#pragma once

#include <memory>

#include "lyre/world/runtime.h"
#include "lyre/world/world.h"

namespace lyre::inline world {

class GameInstance {
public:
    explicit GameInstance(Runtime& runtime);
    ~GameInstance();  // not from inside a callback of its world
    GameInstance(const GameInstance&) = delete;
    GameInstance& operator=(const GameInstance&) = delete;

    // The world there was is closed first. From inside one of its callbacks only travel() and close_world() are
    // possible; they take effect at the end of this object's tick(). A world that is closed by open_world() may still
    // travel: the game goes there after the first tick of the world that was opened.
    World& open_world(const WorldDef& def);
    void travel(const WorldDef& def);
    void close_world();
    World* world() const { return world_.get(); }  // none between worlds

    void tick();  // the world's, of fixed length, and what was put off
    void tick(float seconds);

    Runtime& runtime() const { return runtime_; }
    Subsystems& subsystems() { return subsystems_; }

private:
    void settle();
    void end_world();

    Runtime& runtime_;
    Subsystems subsystems_;
    std::unique_ptr<World> world_;
    bool closing_ = false;
    bool is_between_ = false;  // a world is being opened, or the game goes: travel waits
    std::unique_ptr<WorldDef> next_;
};

}  // namespace lyre::inline world
