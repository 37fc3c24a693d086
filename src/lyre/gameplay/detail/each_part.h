// gameplay/detail/each_part.h: an actor tells its components of one kind something, in order, whatever they do
// meanwhile.
#pragma once

#include "lyre/world/object.h"
#include "lyre/world/world.h"

namespace lyre::gameplay::detail {

template <class Part, class Call> void each_part(Actor& actor, Call call) {
    const World::CallScope scope(actor.world());  // what goes meanwhile stays in memory
    for (Component* component = actor.first_component(); component != nullptr && !actor.is_doomed();
         component = component->next())
        if (!component->is_doomed() && component->life() != LifeState::Constructed)
            if (Part* part = component->as<Part>()) call(*part);
}

}  // namespace lyre::gameplay::detail
