// framework/component_manager.h: the one place where features and actors meet, per game instance.
//
//     add_framework(runtime);                                         // once; every game instance has a manager then
//     ComponentManager* manager = ComponentManager::of(actor);        // null in a world without a game (preview)
//     auto hold = manager->add_component_request(Selector("Pawn"), Name("Health"));
//
// It is two things that belong together: extensions.h (receivers, component requests, extension handlers, events) and
// init_states.h (how far every part of an actor has come). settle() runs once per frame, before the world ticks.
#pragma once

#include "lyre/framework/extensions.h"
#include "lyre/framework/init_states.h"
#include "lyre/world/subsystem.h"

namespace lyre::framework {

class ComponentManager final : public GameSubsystem, public Extensions, public InitStates {
public:
    static void describe(TypeBuilder<ComponentManager>& t) {
        t.help("brings features and the actors they extend together");
    }
    static ComponentManager* of(const World& world);
    static ComponentManager* of(const Object& object) { return of(object.world()); }

    void initialize();
    void deinitialize();
    void settle();             // once per frame
    std::string dump() const;  // everything, for people
};

Status add_framework(Runtime& runtime);

// For actors, which need not care whether there is a manager: where there is none nothing happens and that is fine.
Status add_receiver(Actor& actor);     // in pre_initialize
Status remove_receiver(Actor& actor);  // in end_play
EventResult send_extension_event(Actor& actor, Name event, const EventPayload& payload = {},
                                 Sticky sticky = Sticky::No);

}  // namespace lyre::framework
