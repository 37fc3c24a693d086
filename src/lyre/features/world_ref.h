// features/world_ref.h: a world that may go while somebody remembers it.
//
// For what is kept beyond a call: a handle that an action keeps may be dropped after its world has gone. Move-only.
// Frame's thread.
#pragma once

#include "lyre/world/world.h"

namespace lyre::features {

class WorldRef {
public:
    WorldRef() = default;
    explicit WorldRef(World& world) : world_(&world) {
        const OwnerScope as(Owner::process());  // it is nobody's subscription
        there_ = world.ended.add([](World&) {});
    }
    World* find() const {
        return there_.is_connected() ? world_ : nullptr;
    }  // also one that has ended and is still there

private:
    World* world_ = nullptr;
    Connection there_;  // goes with the world
};

}  // namespace lyre::features
