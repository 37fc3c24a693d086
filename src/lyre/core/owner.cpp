#include "lyre/core/owner.h"

#include <atomic>
#include <fmt/core.h>

namespace lyre::inline core {

namespace detail {
constinit thread_local Owner current_owner;
}

std::uint64_t next_registration() {
    static constinit std::atomic<std::uint64_t> last = 0;
    return last.fetch_add(1, std::memory_order_relaxed) + 1;
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
        case OwnerKind::Experience:
            return fmt::format("experience {}", name);
    }
    return {};
}

}  // namespace lyre::inline core
