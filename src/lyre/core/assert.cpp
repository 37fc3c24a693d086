#include "lyre/core/assert.h"

#include <cstdio>
#include <cstdlib>

namespace lyre::inline core {

void assertion_failed(const char* condition, const char* advice, const char* file, int line) {
    std::fflush(stdout);  // what was printed before belongs to the story
    std::fprintf(stderr, "%s:%d: rule broken: %s\n  %s\n", file, line, condition, advice);
    std::abort();
}

}  // namespace lyre::inline core
