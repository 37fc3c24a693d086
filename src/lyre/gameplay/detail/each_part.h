// gameplay/detail/each_part.h: an actor tells its components of one kind something, in order, whatever they do
// meanwhile. One that throws is reported, the others are told. A component's code runs as its class's owner.
#pragma once

#include "lyre/core/owner.h"
#include "lyre/core/type.h"
#include "lyre/gameplay/detail/guarded.h"
#include "lyre/world/object.h"

namespace lyre::gameplay::detail {

template <class Part, class Call> void each_part(Actor& actor, std::string_view what, Call call) {
    const World::CallScope scope(actor.world());  // what goes meanwhile stays in memory
    for (Component* component = actor.first_component(); component != nullptr && !actor.is_doomed();
         component = component->next())
        if (!component->is_doomed() && component->life() != LifeState::Constructed)
            if (Part* part = component->as<Part>()) {
                const OwnerScope as(component->type().owner);
                guarded(actor.world(), actor.id(), what, [&] { call(*part); });
            }
}

}  // namespace lyre::gameplay::detail
