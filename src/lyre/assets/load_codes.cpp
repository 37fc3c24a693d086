#include "lyre/assets/load_codes.h"

namespace lyre::assets {

std::span<const ProblemCode* const> load_codes() {
    static constexpr const ProblemCode* kAll[] = {
        &kAssetNotKnown,    &kCircle,       &kRootGone,    &kClassNotKnown,
        &kBundleDataFailed, &kTooManyAsked, &kDecodeThrew, &kPartCancelled,
    };
    return kAll;
}

}  // namespace lyre::assets
