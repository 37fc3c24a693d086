// The static of a template, which the compiler makes unique in the process unless it is told not to.
#include "lyre/features/registrar.h"

template <class T> struct Shared { static inline int count = 0; };

LYRE_FEATURE(empty) {
    ++Shared<int>::count;
}
