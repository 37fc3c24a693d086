#include "lyre/core/math.h"

namespace lyre::inline core {
namespace {

// Degrees brought to [-45, 45] exactly, then the Taylor series in double: off by less than a float's half step.
double sine_near(double degrees) {
    const double x = degrees * 0.017453292519943295, s = x * x;
    return x * (1 + s * (-1.0 / 6 + s * (1.0 / 120 + s * (-1.0 / 5040 + s * (1.0 / 362880)))));
}
double cosine_near(double degrees) {
    const double x = degrees * 0.017453292519943295, s = x * x;
    return 1 + s * (-1.0 / 2 + s * (1.0 / 24 + s * (-1.0 / 720 + s * (1.0 / 40320 + s * (-1.0 / 3628800)))));
}

float turn(double degrees, int quarters) {
    const double whole = std::floor(degrees / 360) * 360;
    const double rest = degrees - whole;  // [0, 360)
    const int quarter = static_cast<int>((rest + 45) / 90);
    const double near = rest - quarter * 90;
    switch ((quarter + quarters) & 3) {
        case 0:
            return static_cast<float>(sine_near(near));
        case 1:
            return static_cast<float>(cosine_near(near));
        case 2:
            return static_cast<float>(-sine_near(near));
        default:
            return static_cast<float>(-cosine_near(near));
    }
}

}  // namespace

float sine(float degrees) {
    return std::isfinite(degrees) ? turn(degrees, 0) : 0;
}
float cosine(float degrees) {
    return std::isfinite(degrees) ? turn(degrees, 1) : 1;
}

}  // namespace lyre::inline core
