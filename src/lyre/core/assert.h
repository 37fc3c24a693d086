// core/assert.h: a rule broken by a programmer stops the program and says what to do instead.
//
// On in every build: each use is one predictable branch. Never used for bytes from outside, content or resources
// that ran out; those give a Status.
#pragma once

namespace lyre::inline core {

[[noreturn]] void assertion_failed(const char* condition, const char* advice, const char* file, int line);

// Who has the screen gives it back before the text is written, or nobody could read it. Of the process; null: nobody.
// It may be called on any thread.
void before_broken_rule(void (*call)());

}  // namespace lyre::inline core

#define LYRE_ASSERT(condition, advice)                 \
    (__builtin_expect(static_cast<bool>(condition), 1) \
         ? static_cast<void>(0)                        \
         : ::lyre::assertion_failed(#condition, advice, __FILE__, __LINE__))
