#include "lyre/gameplay/modular.h"

#include "lyre/framework/component_manager.h"
#include "lyre/world/class_info.h"
#include "lyre/world/world.h"

namespace lyre::gameplay {

void ModularActor::describe(TypeBuilder<ModularActor>& t) {
    t.help("an actor that features may extend");
    t.parent<Actor>();
    t.abstract();
}

void ModularActor::pre_initialize() {
    framework::add_receiver(*this).ignore();
}

// What it says about itself goes with it, whoever's code has made it.
void ModularActor::begin_play() {
    const OwnerScope as(world().owner());
    framework::send_extension_event(*this, framework::events::kGameActorReady);
}

void ModularActor::end_play(EndReason) {
    framework::remove_receiver(*this).ignore();
}

}  // namespace lyre::gameplay
