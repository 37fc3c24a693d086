#include "lyre/gameplay/hud.h"

#include "lyre/gameplay/controller.h"
#include "lyre/world/class_info.h"
#include "lyre/world/world.h"

namespace lyre::gameplay {

void HUD::describe(TypeBuilder<HUD>& t) {
    t.help("what a person at this machine sees beside the world");
    t.parent<ModularActor>();
    t.placeless();
}

PlayerController* HUD::controller() const {
    return world().find<PlayerController>(controller_);
}

}  // namespace lyre::gameplay
