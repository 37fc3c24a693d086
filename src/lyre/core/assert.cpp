#include "lyre/core/assert.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace lyre::inline core {

static std::atomic<void (*)()> before_text = nullptr;

void before_broken_rule(void (*call)()) {
    before_text = call;
}

void assertion_failed(const char* condition, const char* advice, const char* file, int line) {
    if (void (*const call)() = before_text.exchange(nullptr)) call();
    std::fflush(stdout);  // what was printed before belongs to the story
    std::fprintf(stderr, "%s:%d: rule broken: %s\n  %s\n", file, line, condition, advice);
    std::abort();
}

}  // namespace lyre::inline core
