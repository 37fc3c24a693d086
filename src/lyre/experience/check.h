// experience/check.h: all that is wrong with a project's experiences and action sets and that reading one file does not
// show: for `lyre check`.
//
//     problems.add_all(check_experiences(assets, features, files));
//
// What it finds does not keep a file from being loaded; at run time an empty or repeated entry is skipped, and anything
// else fails the load with a cause. Found are: entries that are empty or said twice, unknown features, versions that
// cannot agree, features that do not work out together on a server or a client, or not with those that are active from
// the start, actions of unknown kinds or with wrong arguments, experiences to fall back to that are not there, what
// lies in a feature that the plan does not have, and points that are on no map.
//
// All features are registered and all maps loaded by then, so that every kind of action and every point is known. The
// files are read here again, and checked as far as they can be read; what loading them tells is not told again. Nothing
// is changed. Frame's thread.
#pragma once

#include <set>
#include <string>

#include "lyre/assets/assets.h"
#include "lyre/experience/plan.h"
#include "lyre/features/features.h"

namespace lyre::experience {

// `broken`: ids of features that are not known because their manifests cannot be used; that is told there.
using BrokenManifests = std::set<std::string, std::less<>>;
Problems check_experiences(const assets::Assets& assets, const features::Features& features, const Files& files,
                           const BrokenManifests& broken = {});
// What would keep this plan, which is_ok(), from being loaded though it can be made: names in the experience and its
// sets that are of a feature which is neither in it nor there from the start. For `lyre plan`: content of all features
// is known, their code need not be.
Problems check_plan(const ExperiencePlan& plan, const assets::Assets& assets, const features::Features& features,
                    const Files& files);

}  // namespace lyre::experience
