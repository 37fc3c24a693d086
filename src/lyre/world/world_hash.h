// world/world_hash.h: one number for the state of a world: two runs agree exactly when their numbers do.
//
// The sum, modulo 2^64, over actors and components of hash64 over (actor id, schema hash, component name, described
// values, quantised where the property says so). A sum does not depend on order, and one changed object can be
// exchanged alone. Rows that nobody touched enter through their level, destroyed ones by their ids.
//
// world_hash() looks at everything. RunningHash follows the marks and exchanges only what changed: for a check in every
// tick. Values written past their accessor are seen by the first and not by the second. Inside a callback the two may
// differ: what is destroyed there leaves the second when the phase is over.
#pragma once

#include <functional>
#include <unordered_map>

#include "lyre/world/world.h"

namespace lyre::inline world {

// What to leave out; empty functions leave nothing out.
struct HashFilter {
    bool without_ids = false;  // neither the actors' own ids nor properties that hold one
    std::function<bool(const Type&)> skip_class;
    std::function<bool(const Type&, const PropertyInfo&)> skip_property;
};

std::uint64_t world_hash(const World& world, const HashFilter& filter = {});

class RunningHash {
public:
    explicit RunningHash(World& world, HashFilter filter = {});  // which outlives it
    std::uint64_t value();

private:
    void update(const Object& object);
    void remove(const Object& object);

    World& world_;
    HashFilter filter_;
    std::unordered_map<const Object*, std::uint64_t> parts_;
    std::uint64_t sum_ = 0;
    Connection connections_[5];
};

}  // namespace lyre::inline world
