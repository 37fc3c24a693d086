// core/math.h: places and directions. Metres and degrees; z is up, yaw 0 looks along +x and turns to the left.
//
// Only basic operations and square roots, which every machine rounds alike; sine and cosine are our own for the same
// reason (two machines must agree on every bit of a match).
#pragma once

#include <algorithm>
#include <cmath>

namespace lyre::inline core {

template <class T> class TypeBuilder;

struct Vec3 {
    float x = 0, y = 0, z = 0;

    friend constexpr Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
    friend constexpr Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
    friend constexpr Vec3 operator*(Vec3 a, float s) { return {a.x * s, a.y * s, a.z * s}; }
    friend constexpr bool operator==(const Vec3&, const Vec3&) = default;
    constexpr Vec3& operator+=(Vec3 b) { return *this = *this + b; }
};

constexpr float dot(Vec3 a, Vec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
inline float length(Vec3 a) {
    return std::sqrt(dot(a, a));
}
// Nothing times infinity, or times what is no number, is no number.
constexpr bool is_finite(Vec3 a) {
    return a.x * 0 + a.y * 0 + a.z * 0 == 0;
}

// A box with its sides along the axes; a point on its border is inside.
struct Box {
    Vec3 min, max;

    constexpr bool contains(Vec3 p) const {
        return p.x >= min.x && p.x <= max.x && p.y >= min.y && p.y <= max.y && p.z >= min.z && p.z <= max.z;
    }
    friend constexpr bool operator==(const Box&, const Box&) = default;
    static void describe(TypeBuilder<Box>& t);  // in value_type.cpp
};

struct Transform {
    Vec3 position;    // m
    float yaw = 0;    // degrees, to the left from +x
    float scale = 1;  // of the whole thing

    friend constexpr bool operator==(const Transform&, const Transform&) = default;
};
constexpr bool is_finite(const Transform& t) {
    return is_finite(t.position) && t.yaw * 0 + t.scale * 0 == 0;
}

float sine(float degrees);
float cosine(float degrees);
inline Vec3 direction(float yaw) {
    return {cosine(yaw), sine(yaw), 0};
}

}  // namespace lyre::inline core
