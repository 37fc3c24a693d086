// tests/allocations.h: how often this thread has asked for memory, to prove that something does not; and how much of it
// has not been given back, to prove that nothing stays.
//
// Every test program replaces operator new (allocations.cpp).
#pragma once

#include <cstddef>

namespace lyre {

std::size_t allocations();
std::size_t live_allocations();  // good for comparing, where no other thread gives back what this one has asked for

}  // namespace lyre
