#include "lyre/world/component_sheets.h"

#include <algorithm>

namespace lyre::inline world {

bool ComponentSheets::Sheet::has(Name name) const {
    return std::find(names.begin(), names.end(), name) != names.end();
}

// Mostly the newest goes first.
void ComponentSheets::Sheet::forget(Name name) {
    const auto found = std::find(names.rbegin(), names.rend(), name);
    if (found == names.rend()) return;
    *found = names.back();
    names.pop_back();
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
