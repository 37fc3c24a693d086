#include "apps/lyre/problem_codes.h"

#include <algorithm>

#include "lyre/assets/asset_codes.h"
#include "lyre/assets/load_codes.h"
#include "lyre/assets/toml.h"
#include "lyre/core/content_codes.h"
#include "lyre/experience/experience_codes.h"
#include "lyre/features/action_codes.h"
#include "lyre/features/feature_codes.h"
#include "lyre/features/feature_problem.h"
#include "lyre/gameplay/pawn_data.h"
#include "lyre/session/project.h"
#include "lyre/world/world_codes.h"

namespace lyre::app {

std::vector<const ProblemCode*> problem_codes() {
    std::vector<const ProblemCode*> all;
    for (const auto& codes :
         {content_codes(), world_codes(), assets::toml_codes(), assets::asset_codes(), assets::load_codes(),
          session::project_codes(), features::feature_codes(), features::feature_problem_codes(),
          features::action_codes(), experience::experience_codes(), gameplay::gameplay_codes()})
        all.insert(all.end(), codes.begin(), codes.end());
    std::sort(all.begin(), all.end(), [](auto* a, auto* b) { return a->number < b->number; });
    return all;
}

}  // namespace lyre::app
