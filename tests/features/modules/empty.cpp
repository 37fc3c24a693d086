// Brings nothing. Built several times, with other names, versions and options.
#include "lyre/features/registrar.h"

LYRE_FEATURE(empty) {}
