// core/random.h: chance that can be repeated: named streams from one seed.
//
//     RandomSource source(seed);                       // one per run
//     Random spawns = source.stream("gameplay.spawn");
//     if (spawns.chance(0.25f)) ...
//
// What a stream gives depends on the run's seed and its own name only, so one more stream, or one more draw from
// another, changes nothing here; and it is the same on every machine and build. A Random is plain state: a copy goes on
// with the same draws, which is how a predicted step is repeated. Not for keys: whoever sees some draws knows the rest.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace lyre::inline core {

// xoshiro256** of Blackman and Vigna, seeded by splitmix64 as they advise.
class Random {
public:
    explicit Random(std::uint64_t seed);

    std::uint64_t next_u64();
    std::uint64_t next_below(std::uint64_t n);                     // 0 to n - 1, each equally likely; n is not 0
    std::int64_t next_range(std::int64_t low, std::int64_t high);  // both ends included; low <= high
    float next_float01();                                          // 0 included, 1 not; steps of 2^-24
    float next_range_float(float low, float high);                 // `high` itself only by rounding
    bool chance(float p);                                          // draws once, also when p is 0 or 1

    friend bool operator==(const Random&, const Random&) = default;  // the same draws follow

private:
    std::array<std::uint64_t, 4> state_;
};

class RandomSource {
public:
    explicit RandomSource(std::uint64_t seed) : seed_(seed) {}
    // From its beginning at every call: who draws keeps the stream.
    Random stream(std::string_view name) const;
    std::uint64_t seed() const { return seed_; }

private:
    std::uint64_t seed_;
};

}  // namespace lyre::inline core
