// world/pool.h: the objects of one class in one world.
//
// Objects sit in blocks of 64 KB that begin at a multiple of 64 KB, so the block (and through it class and world) is
// found from an object's address alone and objects need not carry it. Objects never move. The lowest free place is used
// first: dense memory and the same addresses' order in every run. A bitmap says which objects have marks; finding them
// costs nothing for the others.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "lyre/core/bitmap.h"
#include "lyre/world/class_info.h"
#include "lyre/world/property.h"
#include "lyre/world/ticks.h"

namespace lyre::inline world {

inline constexpr std::size_t kBlockBytes = 64 * 1024;

// The head of a block; the objects follow.
struct Block {
    // Whatever lives in a pool derives from one of the two.
    static constexpr std::size_t kMaxObjects = kBlockBytes / std::min(sizeof(Component), sizeof(Actor));

    Pool* pool = nullptr;
    std::uint32_t first_index = 0;  // in the pool, of the first object here
    std::uint32_t live = 0;
    std::uint32_t lowest_free = 0;  // no place below is free
    std::array<std::uint64_t, (kMaxObjects + 63) / 64> used{};

    static Block* of(const void* object) {
        return reinterpret_cast<Block*>(reinterpret_cast<std::uintptr_t>(object) & ~std::uintptr_t{kBlockBytes - 1});
    }
};

// Memory for blocks, shared by the pools of a world and given back when the world ends.
class BlockSource {
public:
    Block* take();
    void give(Block* block);

private:
    static constexpr std::size_t kSlabBytes = 16 * kBlockBytes;
    struct Free {
        void operator()(void* slab) const;
    };
    std::vector<std::unique_ptr<void, Free>> slabs_;
    std::vector<Block*> free_;
    std::size_t used_of_last_ = kSlabBytes;
};

class Pool {
public:
    Pool(World& world, Owner world_owner, const Type& type, BlockSource& blocks);
    ~Pool();
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    // Makes an object with its class's defaults, bound and unmarked. Throws what its constructor throws; nothing is
    // left then.
    Object* make();
    void unmake(Object* object);

    World& world() const { return world_; }
    const Type& type() const { return type_; }
    const ClassInfo& info() const { return info_; }
    Owner owner() const { return owner_; }  // under which its hooks run
    std::size_t count() const { return count_; }
    void* whole(Object* object) const { return reinterpret_cast<char*>(object) - info_.object_offset; }
    const void* whole(const Object* object) const {
        return reinterpret_cast<const char*>(object) - info_.object_offset;
    }
    std::uint32_t index_of(const Object* object) const;
    Object* at(std::uint32_t index) const;
    static Pool& of(const Object* object) { return *Block::of(object)->pool; }

    // In order of index. `visit(Object&)` may unmake the object it is given.
    template <class Visit> void each(Visit visit) {
        for (std::size_t b = 0; b < blocks_.size(); ++b)
            for (std::size_t w = 0; blocks_[b] != nullptr && w < blocks_[b]->used.size(); ++w)
                for (std::uint64_t rest = blocks_[b] != nullptr ? blocks_[b]->used[w] : 0; rest != 0; rest &= rest - 1)
                    visit(*object_in(blocks_[b], static_cast<std::uint32_t>(
                                                     w * 64 + static_cast<unsigned>(std::countr_zero(rest)))));
    }

    HierarchicalBitmap marked;  // objects with marks
    TickList ticks;

    struct MadeSlot {
        Name name;
        std::uint8_t slot;
        Pool* pool;
    };
    std::vector<MadeSlot> made_slots;  // components every actor of this class is made with
    bool is_ready = false;             // made_slots are right
    bool is_quiet = false;             // neither the class nor the components it is made with have any hook
    std::uint8_t start_flags = 0;      // of a new object

private:
    struct Bound {
        std::uint32_t binding;  // offset in the whole object
        PropertyBinding value;
    };
    void find_room();
    void add_extras(char* memory) const;
    void free_place(Block* block, std::uint32_t place);
    void give_back(Block* block);
    std::uint32_t place_of(const Block* block, const Object* object) const;
    Object* object_in(Block* block, std::uint32_t place) const {
        return reinterpret_cast<Object*>(reinterpret_cast<char*>(block) + first_offset_ + std::size_t{place} * stride_ +
                                         info_.object_offset);
    }

    World& world_;
    const Type& type_;
    const ClassInfo& info_;
    const Owner owner_;
    BlockSource& source_;
    void (*const construct_)(void*);
    void (*const destruct_)(void*);  // null: there is nothing to do
    std::uint32_t stride_, first_offset_, per_block_;
    std::uint64_t inverse_stride_;  // index = offset * this >> 32, exact for offsets within a block
    std::vector<Block*> blocks_;    // null where one was given back
    HierarchicalBitmap room_;       // blocks with a free place
    Block* lowest_room_ = nullptr;  // the first of them; null: to be found
    std::vector<Bound> bound_;
    bool has_extras_ = false;  // bound_, or defaults of an archetype
    std::size_t count_ = 0;
};

}  // namespace lyre::inline world
