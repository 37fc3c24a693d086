#include "lyre/world/row_index.h"

namespace lyre::inline world {

namespace {

constexpr double kRowsPerCell = 6;      // fewer cost memory, more cost time
constexpr double kMaxCells = 1u << 24;  // 64 MB of starts, reached at a hundred million rows

Axis span_of(double low, double high, double side) {
    const double extent = high - low;
    Axis axis{.origin = low, .low = low, .high = high};
    if (extent > 0) {
        axis.count = static_cast<std::uint32_t>(std::max(1.0, extent / side));
        axis.per_metre = axis.count / extent;
    }
    return axis;
}

Lattice lattice_for(std::span<const PlacedRow> rows) {
    Vec3 low = rows[0].position, high = low;
    for (const PlacedRow& row : rows) {
        low = {std::min(low.x, row.position.x), std::min(low.y, row.position.y), 0};
        high = {std::max(high.x, row.position.x), std::max(high.y, row.position.y), 0};
    }
    const double cells = std::clamp(static_cast<double>(rows.size()) / kRowsPerCell, 1.0, kMaxCells);
    const double width = double{high.x} - low.x, depth = double{high.y} - low.y;
    // Square cells; rows along a line get all cells along that line.
    const double side = std::max({std::sqrt(width * depth / cells), width / cells, depth / cells});
    return {span_of(low.x, high.x, side), span_of(low.y, high.y, side)};
}

}  // namespace

// A counting sort from the back: the counts become ends of cells, and each row placed moves its cell's end down until
// it is the cell's start.
void RowIndex::build(std::span<const PlacedRow> rows) {
    *this = {};
    if (rows.empty()) return;
    lattice_ = lattice_for(rows);
    const auto cell_of = [this](const PlacedRow& row) {
        return std::size_t{lattice_.y.cell(row.position.y)} * lattice_.x.count + lattice_.x.cell(row.position.x);
    };
    starts_.resize(std::size_t{lattice_.x.count} * lattice_.y.count + 1);
    order_.resize(rows.size());
    for (const PlacedRow& row : rows) ++starts_[cell_of(row)];
    std::uint32_t end = 0;
    for (std::uint32_t& count : starts_) count = end += count;
    for (std::size_t row = rows.size(); row-- > 0;)
        order_[--starts_[cell_of(rows[row])]] = static_cast<std::uint32_t>(row);
}

}  // namespace lyre::inline world
