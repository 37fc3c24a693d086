// Throws while it is opened.
#include <stdexcept>

#include "lyre/features/registrar.h"

namespace {

struct Made {  // before the one that throws, and destroyed all the same
    ~Made() { name = "gone"; }
    std::string name = "made";
} made;
struct Thrower {
    Thrower() { throw std::runtime_error(made.name + " in vain"); }
} const thrower;

}  // namespace

LYRE_FEATURE(empty) {
    feature.tag("Throwing.Static");
}
