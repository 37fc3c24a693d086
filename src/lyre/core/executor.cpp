#include "lyre/core/executor.h"

namespace lyre::inline core {

std::string_view to_string(Priority priority) {
    switch (priority) {
        case Priority::High:
            return "High";
        case Priority::Normal:
            return "Normal";
        case Priority::Low:
            return "Low";
    }
    return "unknown";
}

}  // namespace lyre::inline core
