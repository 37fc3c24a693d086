#include "lyre/core/owner.h"

#include <fmt/core.h>

namespace lyre::inline core {

namespace detail {
constinit thread_local Owner current_owner;
}

std::string Owner::to_string() const {
    switch (kind) {
        case OwnerKind::Process:
            return "process";
        case OwnerKind::World:
            return fmt::format("world {} ({})", name, serial);
        case OwnerKind::Project:
            return fmt::format("project {}", name);
        case OwnerKind::Feature:
            return fmt::format("feature {}", name);
    }
    return {};
}

}  // namespace lyre::inline core
