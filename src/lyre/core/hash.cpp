#include "lyre/core/hash.h"

#include <bit>

namespace lyre::inline core {
namespace {

void mix(std::array<std::uint64_t, 4>& v) {
    v[0] += v[1];
    v[2] += v[3];
    v[1] = std::rotl(v[1], 13) ^ v[0];
    v[3] = std::rotl(v[3], 16) ^ v[2];
    v[0] = std::rotl(v[0], 32);
    v[2] += v[1];
    v[0] += v[3];
    v[1] = std::rotl(v[1], 17) ^ v[2];
    v[3] = std::rotl(v[3], 21) ^ v[0];
    v[2] = std::rotl(v[2], 32);
}

}  // namespace

Hasher::Hasher() : v_{0x736f6d6570736575ull, 0x646f72616e646f6dull, 0x6c7967656e657261ull, 0x7465646279746573ull} {}

void Hasher::round(std::uint64_t block) {
    v_[3] ^= block;
    mix(v_);
    mix(v_);
    v_[0] ^= block;
}

void Hasher::word(std::uint64_t bits, std::size_t size) {
    if (size < 8) bits &= (std::uint64_t{1} << (size * 8)) - 1;
    const unsigned filled = length_ % 8;
    length_ += size;
    tail_ |= bits << (filled * 8);
    if (filled + size < 8) return;
    round(tail_);
    tail_ = filled == 0 ? 0 : bits >> ((8 - filled) * 8);
}

void Hasher::bytes(const void* data, std::size_t size) {
    auto* in = static_cast<const unsigned char*>(data);
    for (; size >= 8; in += 8, size -= 8) {
        std::uint64_t block = 0;
        for (int i = 0; i < 8; ++i) block |= std::uint64_t{in[i]} << (8 * i);  // one load on little-endian machines
        word(block, 8);
    }
    for (; size > 0; ++in, --size) word(*in, 1);
}

void Hasher::text(std::string_view text) {
    value(static_cast<std::uint64_t>(text.size()));
    bytes(text.data(), text.size());
}

std::uint64_t Hasher::finish() const {
    Hasher last = *this;
    last.round(tail_ | length_ << 56);
    last.v_[2] ^= 0xFF;
    for (int i = 0; i < 4; ++i) mix(last.v_);
    return last.v_[0] ^ last.v_[1] ^ last.v_[2] ^ last.v_[3];
}

std::uint64_t hash64(const void* data, std::size_t size) {
    Hasher hasher;
    hasher.bytes(data, size);
    return hasher.finish();
}

}  // namespace lyre::inline core
