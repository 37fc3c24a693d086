// Two of its names are taken, the third is not.
#include "lyre/features/registrar.h"

LYRE_FEATURE(empty) {
    feature.variable<bool>({.name = "taken.Variable", .default_value = true});
    feature.function("taken.function",
                     [](lyre::features::ActivatingContext&, const lyre::Node&) { return lyre::Status::ok(); });
    feature.tag("Refusing.Third");
}
