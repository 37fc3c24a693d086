#include "lyre/features/policy.h"

#include <algorithm>

#include "lyre/features/manifest.h"

namespace lyre::features {

std::vector<Name> FeaturePolicy::bundles(Roles roles) const {
    std::vector<Name> names{Name("Equipped")};
    if (roles.client) names.emplace_back("Client");
    if (roles.server) names.emplace_back("Server");
    return names;
}

Status AllowList::allow(const Manifest& feature) const {
    if (std::find(ids_.begin(), ids_.end(), feature.id) != ids_.end()) return Status::ok();
    return Status::refused("{} is not on the list {}", feature.id, name_);
}

}  // namespace lyre::features
