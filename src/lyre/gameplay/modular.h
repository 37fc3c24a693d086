// gameplay/modular.h: what the base classes of a game have in common: features may extend them.
//
//     pre_initialize   the actor is a receiver of the component manager from here on
//     begin_play       GameActorReady is sent; a class of one's own calls its base first, so that what waits for the
//                      event has run before its own begin_play
//     end_play         it is a receiver no more
//
// Any other actor may do the same by hand (framework/component_manager.h). Abstract. Frame's thread.
#pragma once

#include "lyre/world/object.h"

namespace lyre::gameplay {

class ModularActor : public Actor {
public:
    using Described = ModularActor;
    static void describe(TypeBuilder<ModularActor>& t);
    void pre_initialize();
    void begin_play();
    void end_play(EndReason reason);
};

}  // namespace lyre::gameplay
