// Its entry is of a shape that is not known here: nothing behind the first two members may be looked at.
#include <cstdint>

struct ShortEntry {
    std::uint32_t abi_number, bytes;
};
extern "C" const ShortEntry lyre_feature_entry;
extern "C" const ShortEntry lyre_feature_entry = {7, sizeof(ShortEntry)};
