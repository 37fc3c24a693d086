// world/shapes.h: what can be asked of space: everything in a box, in a circle or along a ray.
//
//     rows.find(Circle{{10, 4, 0}, 2.5f}, [](std::uint32_t row, float distance) { ... });
//
// A thing is a place with a radius; a shape finds it when a ball of that radius touches the shape, border included
// (for a circle: a disc, at any height). Radius 0 is a point, which a slanted ray hardly ever hits exactly.
// The distance told is, for a box, 0; for a circle, from its centre to the place of the thing, in the plane; for a
// ray, along it to the first touch, 0 when it starts inside.
//
// A probe is a shape made ready for many questions. It also knows which cells of a grid over x and y can hold an
// answer, and rounds that outwards: a thing is found by the cells exactly when it is found without them. Everything
// is computed in double, where the square of any float has room, so no finite place or shape overflows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "lyre/core/math.h"

namespace lyre::inline world {

// Stands for its whole height: z of the centre does not matter. A negative radius finds nothing.
struct Circle {
    Vec3 centre;       // m
    float radius = 0;  // m
};

struct Ray {
    Vec3 origin;       // m
    Vec3 direction;    // of any length; zero makes the ray a point
    float length = 0;  // m, may be infinite; negative finds nothing
};

inline constexpr float kMiss = -1;

// One side of a grid: `count` cells from `origin` on. Places beyond the ends count to the first and last cell.
struct Axis {
    double origin = 0;
    double per_metre = 0;
    std::uint32_t count = 1;                                // at most 2^31
    double low = -std::numeric_limits<double>::infinity();  // nothing in the grid lies beyond these
    double high = std::numeric_limits<double>::infinity();

    // Never falls when `place` rises; that is all that finding relies on. Not-a-number is cell 0.
    std::uint32_t cell(double place) const {
        const double at = (place - origin) * per_metre;
        if (!(at > 0)) return 0;
        return at < count ? static_cast<std::uint32_t>(at) : count - 1;
    }
    // Where the places of a cell lie, a thousandth of a cell wider than it is: more than cell() can round.
    double begin(std::uint32_t cell) const { return cell == 0 ? low : origin + (cell - 0.001) / per_metre; }
    double end(std::uint32_t cell) const { return cell + 1 == count ? high : origin + (cell + 1.001) / per_metre; }
};

struct Lattice {
    Axis x, y;
};

namespace detail {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kRounding = 1e-12;  // of a coordinate: far above what a few operations in double lose

struct CellRange {
    std::uint32_t first, last;  // empty when first > last
};
inline CellRange cells(const Axis& axis, double from, double to, double margin) {
    from -= margin;
    to += margin;
    return {axis.cell(from - kRounding * std::abs(from)), axis.cell(to + kRounding * std::abs(to))};
}

// visit(y, first x, last x) for each row of cells the rectangle reaches, until it returns false.
template <class Visit> void each_run_in_rectangle(CellRange xs, CellRange ys, Visit& visit) {
    if (xs.first > xs.last) return;
    for (std::uint32_t y = ys.first; y <= ys.last; ++y)
        if (!visit(y, xs.first, xs.last)) return;
}

}  // namespace detail

class BoxProbe {
public:
    explicit BoxProbe(const Box& box) : x_{box.min.x, box.max.x}, y_{box.min.y, box.max.y}, z_{box.min.z, box.max.z} {
        if (!(x_.min <= x_.max && y_.min <= y_.max && z_.min <= z_.max))  // inside out: finds nothing
            x_ = y_ = z_ = {detail::kInfinity, -detail::kInfinity};
    }
    float hit(Vec3 place, float radius) const {
        const double x = x_.outside(place.x), y = y_.outside(place.y), z = z_.outside(place.z);
        return x * x + y * y + z * z <= double{radius} * radius ? 0.0f : kMiss;
    }
    // `reach` is the greatest radius of a thing in the grid.
    template <class Visit> void each_run(const Lattice& grid, double reach, Visit visit) const {
        const double margin = reach * (1 + detail::kRounding);
        detail::each_run_in_rectangle(detail::cells(grid.x, x_.min, x_.max, margin),
                                      detail::cells(grid.y, y_.min, y_.max, margin), visit);
    }

private:
    struct Side {
        double min, max;
        double outside(double v) const { return std::max({min - v, 0.0, v - max}); }
    };
    Side x_, y_, z_;
};

class CircleProbe {
public:
    explicit CircleProbe(const Circle& circle)
        : x_(circle.centre.x), y_(circle.centre.y), radius_(circle.radius >= 0 ? circle.radius : -detail::kInfinity) {}
    float hit(Vec3 place, float radius) const {
        const double x = place.x - x_, y = place.y - y_, reach = radius_ + radius;
        const double square = x * x + y * y;
        return reach >= 0 && square <= reach * reach ? static_cast<float>(std::sqrt(square)) : kMiss;
    }
    template <class Visit> void each_run(const Lattice& grid, double reach, Visit visit) const {
        const double margin = (radius_ + reach) * (1 + detail::kRounding);
        detail::each_run_in_rectangle(detail::cells(grid.x, x_, x_, margin), detail::cells(grid.y, y_, y_, margin),
                                      visit);
    }

private:
    double x_, y_, radius_;
};

class RayProbe {
public:
    explicit RayProbe(const Ray& ray)
        : x_{ray.origin.x, ray.direction.x},
          y_{ray.origin.y, ray.direction.y},
          z_{ray.origin.z, ray.direction.z},
          length_(std::min<double>(ray.length, 1e40)) {  // beyond every float, and yet 0 times it is 0
        const double size = std::sqrt(x_.step * x_.step + y_.step * y_.step + z_.step * z_.step);
        for (Line* line : {&x_, &y_, &z_}) line->step = size > 0 ? line->step / size : 0;
    }
    float hit(Vec3 place, float radius) const {
        const double x = place.x - x_.start, y = place.y - y_.start, z = place.z - z_.start;
        const double along = x * x_.step + y * y_.step + z * z_.step;
        const double ax = x - x_.step * along, ay = y - y_.step * along, az = z - z_.step * along;
        const double spare = double{radius} * radius - (ax * ax + ay * ay + az * az);
        if (!(spare >= 0)) return kMiss;
        const double half = std::sqrt(spare);
        const double enter = std::max(along - half, 0.0);
        return along + half >= 0 && enter <= length_ ? static_cast<float>(enter) : kMiss;
    }
    // Row by row of cells: the piece of the ray that comes within reach of the row, and the cells beside that piece.
    template <class Visit> void each_run(const Lattice& grid, double reach, Visit visit) const {
        const double margin = reach + detail::kRounding * (reach + std::abs(x_.start) + std::abs(y_.start));
        Piece all{0, length_};
        clip(all, x_, grid.x.low, grid.x.high, margin);
        clip(all, y_, grid.y.low, grid.y.high, margin);
        if (!(all.from <= all.to)) return;
        const detail::CellRange ys = y_.cells_beside(grid.y, all.from, all.to, margin);
        for (std::uint32_t y = ys.first; y <= ys.last; ++y) {
            Piece piece = all;
            clip(piece, y_, grid.y.begin(y), grid.y.end(y), margin);
            if (!(piece.from <= piece.to)) continue;
            const detail::CellRange xs = x_.cells_beside(grid.x, piece.from, piece.to, margin);
            if (!visit(y, xs.first, xs.last)) return;
        }
    }

private:
    struct Piece {
        double from, to;  // m along the ray; empty when from > to
    };
    struct Line {
        double start, step;
        double at(double along) const { return start + step * along; }
        detail::CellRange cells_beside(const Axis& axis, double from, double to, double margin) const {
            return detail::cells(axis, std::min(at(from), at(to)), std::max(at(from), at(to)), margin);
        }
    };
    static void clip(Piece& piece, const Line& line, double low, double high, double margin) {
        low -= margin + detail::kRounding * std::abs(low);
        high += margin + detail::kRounding * std::abs(high);
        if (line.step == 0) {
            if (line.start < low || line.start > high) piece.to = -1;
            return;
        }
        const double a = (low - line.start) / line.step, b = (high - line.start) / line.step;
        piece.from = std::max(piece.from, std::min(a, b));
        piece.to = std::min(piece.to, std::max(a, b));
    }

    Line x_, y_, z_;
    double length_;
};

inline BoxProbe probe(const Box& box) {
    return BoxProbe(box);
}
inline CircleProbe probe(const Circle& circle) {
    return CircleProbe(circle);
}
inline RayProbe probe(const Ray& ray) {
    return RayProbe(ray);
}

}  // namespace lyre::inline world
