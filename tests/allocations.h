// tests/allocations.h: how often this thread has asked for memory, to prove that something does not.
//
// Every test program replaces operator new (allocations.cpp).
#pragma once

#include <cstddef>

namespace lyre {

std::size_t allocations();

}  // namespace lyre
