// assets/load_codes.h: what can go wrong while assets are loaded, LY-23xx.
//
// What is wrong inside a file has the codes of core's reader, what is wrong with a file as a whole those of
// asset_codes.h. Constants; any thread.
#pragma once

#include <span>

#include "lyre/core/problem.h"

namespace lyre::assets {

inline constexpr ProblemCode kAssetNotKnown{2301, "unknown asset to load",
                                            "No content root has this asset. NAME.TYPE.toml below a root is TYPE:NAME; "
                                            "a feature's are known while it is in use."};
inline constexpr ProblemCode kCircle{
    2302, "assets that need each other",
    "Each would have to be loaded before the other. Make one of the references soft, or load it with a bundle."};
inline constexpr ProblemCode kRootGone{
    2303, "content went away while it was loaded",
    "The folder or feature that has the asset was taken away before the asset was there. Ask again when it is back."};
inline constexpr ProblemCode kClassNotKnown{
    2304, "unknown class in a bundle",
    "A class in a bundle must be registered by the program or a feature in use when the bundle is loaded."};
inline constexpr ProblemCode kBundleDataFailed{
    2305, "a bundle that cannot be made",
    "add_bundle_data() of a record threw, or the asset names more in its bundles than there may be."};
inline constexpr ProblemCode kTooManyAsked{2306, "too many assets in one request",
                                           "One request may ask for a million assets. Split it."};
inline constexpr ProblemCode kDecodeThrew{
    2307, "decoding failed", "The source or a loader threw instead of saying what is wrong with the file."};
inline constexpr ProblemCode kPartCancelled{2308, "part of a load was cancelled",
                                            "What was combined from several loads is whole only if all of them are."};

std::span<const ProblemCode* const> load_codes();  // in order of number

}  // namespace lyre::assets
