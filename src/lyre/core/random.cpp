#include "lyre/core/random.h"

#include <bit>

#include "lyre/core/assert.h"
#include "lyre/core/hash.h"

namespace lyre::inline core {
namespace {

std::uint64_t splitmix64(std::uint64_t& state) {
    std::uint64_t z = state += 0x9E3779B97F4A7C15ull;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ z >> 27) * 0x94D049BB133111EBull;
    return z ^ z >> 31;
}

}  // namespace

Random::Random(std::uint64_t seed) {
    for (std::uint64_t& word : state_) word = splitmix64(seed);
}

std::uint64_t Random::next_u64() {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
}

std::uint64_t Random::next_below(std::uint64_t n) {
    LYRE_ASSERT(n > 0, "there is no number below 0: test for an empty choice first");
    const std::uint64_t uneven = (0 - n) % n;  // 2^64 mod n: that many draws would favour the low numbers
    std::uint64_t draw = next_u64();
    while (draw < uneven) draw = next_u64();
    return draw % n;
}

std::int64_t Random::next_range(std::int64_t low, std::int64_t high) {
    LYRE_ASSERT(low <= high, "give the lower end first");
    const std::uint64_t count = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
    const std::uint64_t draw = count == 0 ? next_u64() : next_below(count);  // 0: all 2^64 numbers
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + draw);
}

float Random::next_float01() {
    return static_cast<float>(next_u64() >> 40) * 0x1p-24f;
}

float Random::next_range_float(float low, float high) {
    LYRE_ASSERT(low <= high, "give the lower end first");
    const double width = static_cast<double>(high) - low;
    return static_cast<float>(low + width * next_float01());
}

bool Random::chance(float p) {
    return next_float01() < p;
}

Random RandomSource::stream(std::string_view name) const {
    Hasher hasher;
    hasher.value(seed_);
    hasher.text(name);
    return Random(hasher.finish());
}

}  // namespace lyre::inline core
