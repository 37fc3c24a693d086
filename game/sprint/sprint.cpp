// sprint.cpp: a mutator: every pawn is faster, as long as the feature is on.
//
// The manifest puts a Sprint on every pawn; a hero's mover asks the traits it finds for their factors. The component
// has no properties, no timer and no tick, so a pawn that has lost it is as if it had never had it.
#include "lyre/features/registrar.h"

#include "game/arena_core/api.h"

namespace plectrum {
namespace {

class Sprint : public HeroTrait {
public:
    using Described = Sprint;
    static void describe(TypeBuilder<Sprint>& t) {
        t.help("makes a hero faster");
        t.parent<HeroTrait>();
    }
    float speed_factor() const override { return static_cast<float>(factor_.get(world())); }

private:
    Setting<double> factor_{"sprint.Factor"};
};

}  // namespace
}  // namespace plectrum

LYRE_FEATURE(sprint) {
    feature.type<plectrum::Sprint>();
}
