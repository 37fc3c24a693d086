// experience/check.h: all that is wrong with a project's experiences and action sets and that reading one file does not
// show: for `lyre check`.
//
//     problems.add_all(check_experiences(assets.registry(), features, files));
//
// What it finds does not keep a file from being loaded; at run time an empty or repeated entry is skipped, and anything
// else fails the load with a cause. Found are: entries that are empty or said twice, unknown features, versions that
// cannot agree, features that do not work out together on a server or a client, actions of unknown kinds or with wrong
// arguments, and experiences to fall back to that are not there.
//
// All features are registered by then, so that every kind of action is known. The files are read here again, and
// checked as far as they can be read; what loading them tells is not told again. Nothing is changed. Frame's thread.
#pragma once

#include "lyre/assets/registry.h"
#include "lyre/features/features.h"

namespace lyre::experience {

Problems check_experiences(const assets::AssetRegistry& assets, const features::Features& features, const Files& files);

}  // namespace lyre::experience
