#include "lyre/core/hash.h"

#include <array>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

namespace lyre {
namespace hash_test {

// libsodium's crypto_shorthash_siphash24 with a key of zeros, of the bytes 0, 1, 2, ... in each length from 0.
constexpr std::array<std::uint64_t, 33> kVectors = {
    0x1E924B9D737700D7, 0x8B5A0BAA49FBC58D, 0x62C3506F27376C25, 0x680FA79F0E7FDFE9, 0xEF7BDF3EE24ABEC8,
    0x68F1CE874C39785B, 0x1F01E817D7D793AF, 0xB3D67EAF2C11480B, 0xC72B1C24FC2F7938, 0x610E7AB6ADA60B22,
    0x789AD31DAD123412, 0xCA6DC49AF65ED779, 0x1176313427CEAAF0, 0x3C6F1970DD62F235, 0xDA6A048115121CAB,
    0xD0567CD44E891363, 0xC902632ED88F897F, 0xE05A24800EDFEEF2, 0xF2BA75BA8E7FF8B6, 0x74DA6143D38760DF,
    0x4D4BDBCA29B296E5, 0xF0A83B8C603B16BF, 0x71E796EBD17B7157, 0x27E5D5E1A60DAAE4, 0xC24ED46EEC2F142B,
    0x59FE7A7690534609, 0x94B044F606E530B4, 0xEFBD5F328DEF9722, 0x8E6F47CB857EEC88, 0x6C7693A019F3A216,
    0xDA8D99153C6C3764, 0xA4523DBD26447CD9, 0xAB631E00063006F5,
};

std::vector<unsigned char> counting_bytes(std::size_t size) {
    std::vector<unsigned char> bytes(size);
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<unsigned char>(i);
    return bytes;
}

template <class T> std::uint64_t hash_of(T value) {
    Hasher hasher;
    hasher.value(value);
    return hasher.finish();
}

TEST(Hash, it_is_siphash_2_4_with_a_zero_key) {
    // W-09
    const auto bytes = counting_bytes(kVectors.size());
    for (std::size_t size = 0; size < kVectors.size(); ++size)
        EXPECT_EQ(hash64(bytes.data(), size), kVectors[size]) << size;
    EXPECT_EQ(hash64("lyre"), 0x82D045EE256FDD20u);
    EXPECT_EQ(hash64("The quick brown fox jumps over the lazy dog"), 0x590052062570E40Du);
    std::vector<unsigned char> large(1000);  // its length does not fit into the one byte that enters the hash
    for (std::size_t i = 0; i < large.size(); ++i) large[i] = static_cast<unsigned char>(i * 7 + 3);
    EXPECT_EQ(hash64(large.data(), large.size()), 0x58ABBC8B3B6D1607u);
}

TEST(Hash, bytes_in_three_pieces_hash_like_bytes_in_one_wherever_they_are_cut) {
    // W-09
    const auto bytes = counting_bytes(kVectors.size());
    for (std::size_t size = 0; size < kVectors.size(); ++size)
        for (std::size_t a = 0; a <= size; ++a)
            for (std::size_t b = a; b <= size; ++b) {
                Hasher hasher;
                hasher.bytes(bytes.data(), a);
                hasher.bytes(bytes.data() + a, b - a);
                hasher.bytes(bytes.data() + b, size - b);
                ASSERT_EQ(hasher.finish(), kVectors[size]) << size << " cut at " << a << " and " << b;
            }
}

TEST(Hash, asking_in_between_changes_nothing) {
    // W-09
    const auto bytes = counting_bytes(kVectors.size());
    Hasher hasher;
    for (std::size_t size = 0; size < kVectors.size(); ++size) {
        ASSERT_EQ(hasher.finish(), kVectors[size]);
        hasher.bytes(&bytes[size], 1);
    }
}

TEST(Hash, numbers_enter_as_little_endian_bytes_at_every_alignment) {
    // W-09
    for (std::size_t before = 0; before < 8; ++before) {
        const auto bytes = counting_bytes(before + 15);
        Hasher hasher;
        hasher.bytes(bytes.data(), before);
        std::uint64_t eight = 0;
        std::uint32_t four = 0;
        std::uint16_t two = 0;
        for (std::size_t i = 8; i-- > 0;) eight = eight << 8 | bytes[before + i];
        for (std::size_t i = 4; i-- > 0;) four = four << 8 | bytes[before + 8 + i];
        for (std::size_t i = 2; i-- > 0;) two = static_cast<std::uint16_t>(two << 8 | bytes[before + 12 + i]);
        hasher.value(eight);
        hasher.value(four);
        hasher.value(two);
        hasher.value(bytes[before + 14]);
        EXPECT_EQ(hasher.finish(), kVectors[before + 15]) << before;
    }
}

TEST(Hash, negative_numbers_enter_in_their_own_width) {
    // W-09
    EXPECT_EQ(hash_of(std::int8_t{-1}), hash64("\xFF"));
    EXPECT_EQ(hash_of(std::int16_t{-1}), hash64("\xFF\xFF"));
    EXPECT_EQ(hash_of(-1), hash64("\xFF\xFF\xFF\xFF"));
    EXPECT_EQ(hash_of(true), hash64("\x01"));
    enum class Colour : std::uint8_t { Red = 7 };
    EXPECT_EQ(hash_of(Colour::Red), hash64("\x07"));
}

TEST(Hash, floats_enter_by_their_bits_with_one_zero_and_one_nan) {
    // W-09
    EXPECT_EQ(hash_of(1.0f), hash_of(std::uint32_t{0x3F800000}));
    EXPECT_EQ(hash_of(1.0), hash_of(std::uint64_t{0x3FF0000000000000}));
    EXPECT_EQ(hash_of(-0.0f), hash_of(0.0f));
    EXPECT_EQ(hash_of(-0.0), hash_of(0.0));
    EXPECT_NE(hash_of(-1.0f), hash_of(1.0f));
    EXPECT_EQ(hash_of(std::numeric_limits<float>::quiet_NaN()), hash_of(-std::numeric_limits<float>::quiet_NaN()));
    EXPECT_EQ(hash_of(std::numeric_limits<double>::quiet_NaN()), hash_of(-std::numeric_limits<double>::quiet_NaN()));
}

TEST(Hash, texts_do_not_run_into_each_other) {
    // W-09
    const auto pair = [](std::string_view a, std::string_view b) {
        Hasher hasher;
        hasher.text(a);
        hasher.text(b);
        return hasher.finish();
    };
    EXPECT_NE(pair("ab", "c"), pair("a", "bc"));
    EXPECT_NE(pair("", "a"), pair("a", ""));
    EXPECT_EQ(pair("ab", "c"), pair("ab", "c"));
}

}  // namespace hash_test
}  // namespace lyre
