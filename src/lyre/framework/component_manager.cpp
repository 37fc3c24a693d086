#include "lyre/framework/component_manager.h"

#include "lyre/world/game_instance.h"

namespace lyre::framework {

ComponentManager* ComponentManager::of(const World& world) {
    return world.game() == nullptr ? nullptr : world.game()->subsystems().find<ComponentManager>();
}

void ComponentManager::initialize() {
    begin_extensions(game());
    begin_init_states(game());
}

void ComponentManager::deinitialize() {
    end_init_states();
    end_extensions();
}

void ComponentManager::settle() {
    if (settle_extensions()) settle_init_states();
}

std::string ComponentManager::dump() const {
    return dump_extensions() + dump_init_states();
}

Status add_framework(Runtime& runtime) {
    // Before the type, which brings managers at once where there are games. Of the process: the games of a runtime
    // share it, and it may be there from before.
    const OwnerScope as(Owner::process());
    runtime.variables()
        .add<double>({.name = "lyre.initstate.StallSecs",
                      .default_value = 5,
                      .help = "seconds without progress until an actor that is not ready is reported; 0: never",
                      .min = 0.0})
        .status()
        .ignore();
    return runtime.types().add<ComponentManager>().status();
}

Status add_receiver(Actor& actor) {
    ComponentManager* manager = ComponentManager::of(actor);
    return manager != nullptr ? manager->add_receiver(actor) : Status::ok();
}

Status remove_receiver(Actor& actor) {
    ComponentManager* manager = ComponentManager::of(actor);
    return manager != nullptr ? manager->remove_receiver(actor) : Status::ok();
}

EventResult send_extension_event(Actor& actor, Name event, const EventPayload& payload, Sticky sticky) {
    ComponentManager* manager = ComponentManager::of(actor);
    if (manager == nullptr) return {EventResult::What::NotReceiver, 0, {}};
    return manager->send_extension_event(actor, event, payload, sticky);
}

}  // namespace lyre::framework
