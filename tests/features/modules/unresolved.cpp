// Calls what no library has.
#include "lyre/features/registrar.h"

void nobody_has_this();

LYRE_FEATURE(empty) {
    nobody_has_this();
}
