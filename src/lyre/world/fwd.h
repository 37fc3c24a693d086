// world/fwd.h: the names of the world's types, and its ids, for headers that only mention them.
#pragma once

#include "lyre/core/handle.h"

namespace lyre::inline world {

class World;
class GameInstance;
class Runtime;
class Object;
class Actor;
class Component;
class Pool;
class Level;
struct ClassInfo;

using ActorId = Handle<Actor>;  // local to its world; the number replication uses is another one

}  // namespace lyre::inline world
