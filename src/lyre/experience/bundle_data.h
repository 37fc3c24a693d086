// experience/bundle_data.h: what an experience or action set needs besides itself, by bundle (assets/bundles.h).
//
// Its own references, as annotated, and what each of its actions adds: AddComponents the class of its component to
// Client, Server or both. Since actions are kept as written the assets room cannot ask them; here they are read for
// that. Those whose kind is not known (yet), or that are wrong, add nothing. Frame's thread.
#pragma once

#include "lyre/assets/assets.h"
#include "lyre/world/runtime.h"

namespace lyre::experience {

// Refused if it is not there (loaded), or neither of the two, or an action could not say.
Result<assets::BundleTable> bundle_table(const assets::Assets& assets, assets::PrimaryAssetId id, Runtime& runtime);

}  // namespace lyre::experience
