// tests/allocations.h: how often this thread has asked for memory, to prove that something does not.
//
// A test program that uses it replaces operator new (see core/allocations_test.cpp).
#pragma once

#include <cstddef>

namespace lyre {

std::size_t allocations();

}  // namespace lyre
