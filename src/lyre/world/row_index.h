// world/row_index.h: where in a level its rows are: row numbers sorted by the cell of a grid over x and y.
//
// Built once, when the level is made; rows do not move. The grid spans the rows' bounds with about six rows per cell.
// It costs 4 bytes per row and 4 per cell. Many rows crowded into a small part of a wide level share few cells:
// answers stay right and come slower.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lyre/core/math.h"
#include "lyre/world/shapes.h"

namespace lyre::inline world {

// What a level keeps of one placed actor.
struct PlacedRow {
    Vec3 position;            // m
    std::uint16_t yaw = 0;    // 1/65536 of a turn
    std::uint16_t scale = 0;  // index into the level's scales
};
static_assert(sizeof(PlacedRow) == 16, "ten million of these are in memory");

class RowIndex {
public:
    void build(std::span<const PlacedRow> rows);  // positions are finite; needs no memory beyond what it keeps

    const Lattice& lattice() const { return lattice_; }
    // Rows in cells (first_x..last_x, y), by cell and in a cell by number.
    std::span<const std::uint32_t> rows(std::uint32_t y, std::uint32_t first_x, std::uint32_t last_x) const {
        if (order_.empty()) return {};
        const std::size_t line = std::size_t{y} * lattice_.x.count;
        return {order_.data() + starts_[line + first_x], order_.data() + starts_[line + last_x + 1]};
    }
    std::size_t bytes() const { return (order_.capacity() + starts_.capacity()) * sizeof(std::uint32_t); }

private:
    Lattice lattice_;
    std::vector<std::uint32_t> order_;
    std::vector<std::uint32_t> starts_;  // of each cell in order_, row of cells by row; one more at the end
};

}  // namespace lyre::inline world
