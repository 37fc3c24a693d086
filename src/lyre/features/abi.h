// features/abi.h: what a program and a library must have in common to call each other, as one text and its hash.
//
// Whatever can change the layout of something that both see stands in kAbiText, found out by the preprocessor alone, so
// that the text is that of whoever compiles this header: lyre's minor version, the compiler, the standard library and
// its switches, the libraries that lyre's headers name, pointer size, exceptions, run-time types, sanitizers. What
// changes code and no layout is left out on purpose (NDEBUG, _GLIBCXX_ASSERTIONS, optimisation): a debug build of a
// feature runs in a release build of the game. What the preprocessor cannot see is not found: -fshort-enums,
// -fpack-struct.
//
// kAbiNumber counts changes of the entry itself (module.h).
#pragma once

#include <boost/version.hpp>
#include <cstddef>
#include <cstdint>
#include <fmt/core.h>

#include "lyre/core/version.h"

namespace lyre::features {

inline constexpr std::uint32_t kAbiNumber = 1;

#if defined(__clang__)
#define LYRE_ABI_COMPILER "clang " LYRE_TO_TEXT(__clang_major__)
#else
#define LYRE_ABI_COMPILER "gcc " LYRE_TO_TEXT(__GNUC__)
#endif

#if defined(_LIBCPP_VERSION)
#define LYRE_ABI_LIBRARY "libc++ " LYRE_TO_TEXT(_LIBCPP_VERSION) ", abi " LYRE_TO_TEXT(_LIBCPP_ABI_VERSION)
#else
#ifdef _GLIBCXX_DEBUG
#define LYRE_ABI_LIBRARY_DEBUG ", debug"
#else
#define LYRE_ABI_LIBRARY_DEBUG ""
#endif
#define LYRE_ABI_LIBRARY                                                                            \
    "libstdc++ " LYRE_TO_TEXT(_GLIBCXX_RELEASE) ", cxx11 abi " LYRE_TO_TEXT(_GLIBCXX_USE_CXX11_ABI) \
        LYRE_ABI_LIBRARY_DEBUG
#endif

#ifndef __has_feature
#define LYRE_ABI_HAS_FEATURE(what) 0
#else
#define LYRE_ABI_HAS_FEATURE(what) __has_feature(what)
#endif
#if defined(__SANITIZE_ADDRESS__) || LYRE_ABI_HAS_FEATURE(address_sanitizer)
#define LYRE_ABI_SANITIZER "; address sanitizer"
#elif defined(__SANITIZE_THREAD__) || LYRE_ABI_HAS_FEATURE(thread_sanitizer)
#define LYRE_ABI_SANITIZER "; thread sanitizer"
#else
#define LYRE_ABI_SANITIZER ""
#endif

#ifdef __cpp_exceptions
#define LYRE_ABI_EXCEPTIONS ""
#else
#define LYRE_ABI_EXCEPTIONS "; no exceptions"
#endif
#ifdef __cpp_rtti
#define LYRE_ABI_RTTI ""
#else
#define LYRE_ABI_RTTI "; no rtti"
#endif

// Not inline: a library must show its own, and an inline one would be taken from the program by the dynamic linker.
// For people: "lyre 0.1; gcc 12; libstdc++ 12, cxx11 abi 1; C++ abi 1017; ...; 8 byte pointers"
static constexpr char kAbiText[] =
    "lyre " LYRE_TO_TEXT(LYRE_VERSION_MAJOR) "." LYRE_TO_TEXT(LYRE_VERSION_MINOR) "; " LYRE_ABI_COMPILER
    "; " LYRE_ABI_LIBRARY "; C++ abi " LYRE_TO_TEXT(__GXX_ABI_VERSION) "; fmt " LYRE_TO_TEXT(FMT_VERSION)
    "; boost " LYRE_TO_TEXT(BOOST_VERSION) "; " LYRE_TO_TEXT(__SIZEOF_POINTER__) " byte pointers"
    LYRE_ABI_SANITIZER LYRE_ABI_EXCEPTIONS LYRE_ABI_RTTI;

#undef LYRE_ABI_COMPILER
#undef LYRE_ABI_LIBRARY
#undef LYRE_ABI_LIBRARY_DEBUG
#undef LYRE_ABI_HAS_FEATURE
#undef LYRE_ABI_SANITIZER
#undef LYRE_ABI_EXCEPTIONS
#undef LYRE_ABI_RTTI

// FNV-1a: hash64 (core/hash.h) is not for compile time.
constexpr std::uint64_t abi_hash(const char* text) {
    std::uint64_t hash = 0xCBF29CE484222325ull;
    for (; *text != '\0'; ++text) hash = (hash ^ static_cast<unsigned char>(*text)) * 0x100000001B3ull;
    return hash;
}
inline constexpr std::uint64_t kAbiHash = abi_hash(kAbiText);

}  // namespace lyre::features
