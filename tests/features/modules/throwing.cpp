// Fails in the middle of what it brings.
#include <stdexcept>

#include "lyre/features/registrar.h"

LYRE_FEATURE(empty) {
    feature.tag("Throwing.First");
    throw std::runtime_error("the block throws");
}
