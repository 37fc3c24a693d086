#include "lyre/world/game_instance.h"

namespace lyre::inline world {

GameInstance::GameInstance(Runtime& runtime) : runtime_(runtime), subsystems_(runtime, *this) {
    subsystems_.begin();
    runtime_.all_games_.push_back(this);
}

GameInstance::~GameInstance() {
    LYRE_ASSERT(world_ == nullptr || !world_->is_in_callback(),
                "close_world() instead, and destroy the game after its tick");
    is_between_ = true;
    if (world_ != nullptr) world_->end();
    world_.reset();
    subsystems_.end();
    std::erase(runtime_.all_games_, this);
}

World& GameInstance::open_world(const WorldDef& def) {
    LYRE_ASSERT(world_ == nullptr || !world_->is_in_callback(), "from inside a callback of the world use travel()");
    LYRE_ASSERT(def.kind == WorldKind::Game, "a preview world has no game instance: construct it by itself");
    LYRE_ASSERT(!is_between_, "while a world is opened or closed use travel()");
    const WorldDef wanted = def;  // it may be that of the world that ends
    next_.reset();
    end_world();
    is_between_ = true;
    closing_ = next_ != nullptr;  // the world that ended wants to travel: from the one promised here, after its tick
    world_ = std::make_unique<World>(runtime_, wanted, this);
    is_between_ = false;
    return *world_;
}

void GameInstance::travel(const WorldDef& def) {
    next_ = std::make_unique<WorldDef>(def);
    close_world();
}

void GameInstance::close_world() {
    closing_ = true;
    if (world_ != nullptr) world_->end();
    settle();
}

void GameInstance::tick() {
    if (world_ != nullptr) world_->tick();
    settle();
}

void GameInstance::tick(float seconds) {
    if (world_ != nullptr) world_->tick(seconds);
    settle();
}

void GameInstance::settle() {
    if (!closing_ || is_between_ || (world_ != nullptr && world_->is_in_callback())) return;
    end_world();
    closing_ = false;
    if (next_ != nullptr) open_world(*next_);
}

void GameInstance::end_world() {
    is_between_ = true;
    if (world_ != nullptr) world_->end();  // its callbacks still find it
    world_.reset();
    is_between_ = false;
}

}  // namespace lyre::inline world
