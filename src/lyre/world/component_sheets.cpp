#include "lyre/world/component_sheets.h"

#include <algorithm>

namespace lyre::inline world {

bool ComponentSheets::Sheet::is_among(Name name) const {
    return std::find(names_.begin(), names_.end(), name) != names_.end();
}

// Mostly the newest goes first.
void ComponentSheets::Sheet::forget(Name name) {
    const auto found = std::find(names_.rbegin(), names_.rend(), name);
    if (found == names_.rend()) return;
    *found = names_.back();
    names_.pop_back();
}

std::uint32_t ComponentSheets::add() {
    if (free_.empty()) {
        sheets_.emplace_back();
        return static_cast<std::uint32_t>(sheets_.size() - 1);
    }
    const std::uint32_t number = free_.back();
    free_.pop_back();
    return number;
}

void ComponentSheets::remove(std::uint32_t number) {
    sheets_[number] = {};
    free_.push_back(number);
}

}  // namespace lyre::inline world
