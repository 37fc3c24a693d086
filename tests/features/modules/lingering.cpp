// Keeps something per thread that has to be destroyed by its own code.
#include "lyre/features/registrar.h"

namespace {
thread_local std::string of_thread;
}

LYRE_FEATURE(empty) {
    of_thread = feature.feature().text();
}
