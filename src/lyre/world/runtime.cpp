#include "lyre/world/runtime.h"

#include "lyre/world/class_info.h"
#include "lyre/world/subsystem.h"

namespace lyre::inline world {

Runtime::Runtime(const Clock& clock)
    : clock_(clock), log_(clock_), trace_(clock_), variables_(&log_), console_(variables_), types_(&log_) {
    const OwnerScope as(Owner::process());
    world_counters_ = {*metrics_.add_counter("lyre.world.ticks", "ticks of all worlds"),
                       *metrics_.add_counter("lyre.world.spawns", "actors made, those of rows included"),
                       *metrics_.add_counter("lyre.world.touches", "rows that became actors"),
                       *metrics_.add_counter("lyre.world.failures", "callbacks that threw")};
    const bool known = types_.add<Actor>().is_ok() && types_.add<Component>().is_ok() &&
                       types_.add<WorldSubsystem>().is_ok() && types_.add<GameSubsystem>().is_ok();
    LYRE_ASSERT(known, "the library's own types describe themselves rightly");
}

}  // namespace lyre::inline world
