#include "tests/allocations.h"

#include <cstdlib>
#include <new>

// Every form is replaced: a sanitizer brings its own for those that are not, and they would not be counted.
namespace {

thread_local std::size_t allocation_count = 0, given_back_count = 0;

void* counted(std::size_t size) noexcept {
    ++allocation_count;
    return std::malloc(size == 0 ? 1 : size);
}
void* counted(std::size_t size, std::align_val_t alignment) noexcept {
    ++allocation_count;
    const auto step = static_cast<std::size_t>(alignment);
    return std::aligned_alloc(step, (size + step - 1) / step * step);
}
[[gnu::noinline]] void give_back(void* memory) noexcept {  // inlined, the compiler takes it for a new met by a free
    given_back_count += memory != nullptr;
    std::free(memory);
}
template <class... Args> void* counted_or_throw(Args... args) {
    if (void* memory = counted(args...)) return memory;
    throw std::bad_alloc();
}

}  // namespace

// clang-format off
void* operator new(std::size_t size) { return counted_or_throw(size); }
void* operator new[](std::size_t size) { return counted_or_throw(size); }
void* operator new(std::size_t size, std::align_val_t alignment) { return counted_or_throw(size, alignment); }
void* operator new[](std::size_t size, std::align_val_t alignment) { return counted_or_throw(size, alignment); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return counted(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return counted(size); }
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept { return counted(size, alignment); }
void* operator new[](std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept { return counted(size, alignment); }
void operator delete(void* memory) noexcept { give_back(memory); }
void operator delete[](void* memory) noexcept { give_back(memory); }
void operator delete(void* memory, std::size_t) noexcept { give_back(memory); }
void operator delete[](void* memory, std::size_t) noexcept { give_back(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { give_back(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { give_back(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { give_back(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { give_back(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { give_back(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { give_back(memory); }
void operator delete(void* memory, std::align_val_t, const std::nothrow_t&) noexcept { give_back(memory); }
void operator delete[](void* memory, std::align_val_t, const std::nothrow_t&) noexcept { give_back(memory); }
// clang-format on

namespace lyre {

std::size_t allocations() {
    return allocation_count;
}

std::size_t live_allocations() {
    return allocation_count - given_back_count;
}

}  // namespace lyre
