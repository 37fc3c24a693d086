// core/hash.h: hash64, the one hash for schemas, content and worlds: SipHash-2-4 with a zero key.
//
// A Hasher takes values one after the other; numbers enter as little-endian bytes and text with its length, so that
// ("ab", "c") and ("a", "bc") differ and every machine gets the same number. Not a secret: do not use it against
// attackers who choose the input of a table.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace lyre::inline core {

std::uint64_t hash64(const void* data, std::size_t size);
inline std::uint64_t hash64(std::string_view text) {
    return hash64(text.data(), text.size());
}

class Hasher {
public:
    Hasher();
    void bytes(const void* data, std::size_t size);
    void text(std::string_view text);
    // Any integer, bool, enum or float. Floats enter by their bits, with -0 as 0 and every NaN as one.
    template <class T>
    requires std::is_arithmetic_v<T> || std::is_enum_v<T>
    void value(T v) {
        if constexpr (std::is_same_v<T, float>) {
            float f = v == 0 ? 0.0f : v;
            std::uint32_t bits = 0x7FC00000u;
            if (f == f) std::memcpy(&bits, &f, 4);
            word(bits, 4);
        } else if constexpr (std::is_same_v<T, double>) {
            double f = v == 0 ? 0.0 : v;
            std::uint64_t bits = 0x7FF8000000000000ull;
            if (f == f) std::memcpy(&bits, &f, 8);
            word(bits, 8);
        } else {
            word(static_cast<std::uint64_t>(v), sizeof(T));
        }
    }
    std::uint64_t finish() const;  // may be asked at any point; more may follow

private:
    void word(std::uint64_t bits, std::size_t size);
    void round(std::uint64_t block);

    std::array<std::uint64_t, 4> v_;
    std::uint64_t tail_ = 0;    // bytes not yet in a block, low first
    std::uint64_t length_ = 0;  // bytes taken so far
};

}  // namespace lyre::inline core
