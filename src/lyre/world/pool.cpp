#include "lyre/world/pool.h"

#include <cstring>
#include <new>

#if defined(__SANITIZE_ADDRESS__)
#define LYRE_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LYRE_ASAN 1
#endif
#endif
#if defined(LYRE_ASAN)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, size) (static_cast<void>(address), static_cast<void>(size))
#define ASAN_UNPOISON_MEMORY_REGION(address, size) (static_cast<void>(address), static_cast<void>(size))
#endif

namespace lyre::inline world {

void BlockSource::Free::operator()(void* slab) const {
    ASAN_UNPOISON_MEMORY_REGION(slab, kSlabBytes);
    ::operator delete(slab, std::align_val_t(kBlockBytes));
}

Block* BlockSource::take() {
    if (!free_.empty()) {
        Block* block = free_.back();
        free_.pop_back();
        return new (block) Block;
    }
    if (used_of_last_ == kSlabBytes) {
        slabs_.emplace_back(::operator new(kSlabBytes, std::align_val_t(kBlockBytes)));
        used_of_last_ = 0;
    }
    char* place = static_cast<char*>(slabs_.back().get()) + used_of_last_;
    used_of_last_ += kBlockBytes;
    return new (place) Block;
}

void BlockSource::give(Block* block) {
    free_.push_back(block);
}

Pool::Pool(World& world, Owner world_owner, const Type& type, BlockSource& blocks)
    : ticks(ClassInfo::of(type)),
      world_(world),
      type_(type),
      info_(ClassInfo::of(type)),
      owner_(type.owner.kind == OwnerKind::Feature ? type.owner : world_owner),
      source_(blocks),
      construct_(type.construct),
      destruct_(type.is_trivially_destructible ? nullptr : type.destruct) {
    const std::uint32_t alignment = std::max<std::uint32_t>(type.alignment, 8);
    stride_ = (type.size + alignment - 1) / alignment * alignment;
    first_offset_ = (static_cast<std::uint32_t>(sizeof(Block)) + alignment - 1) / alignment * alignment;
    per_block_ = static_cast<std::uint32_t>((kBlockBytes - first_offset_) / stride_);
    inverse_stride_ = ((std::uint64_t{1} << 32) + stride_ - 1) / stride_;
    for (const PropertyInfo& property : type.properties)
        if (property.binding_offset != 0)
            bound_.push_back(
                {property.binding_offset,
                 {static_cast<std::int16_t>(static_cast<std::int64_t>(property.offset) - info_.object_offset),
                  static_cast<std::uint8_t>(property.index)}});
    has_extras_ = !bound_.empty() || !type.overrides.empty();
}

Pool::~Pool() {
    LYRE_ASSERT(count_ == 0, "a world ends its actors before its pools go");
    for (Block* block : blocks_)
        if (block != nullptr) source_.give(block);
}

void Pool::find_room() {
    const std::uint32_t known = room_.first();
    if (known != HierarchicalBitmap::kNone) {
        lowest_room_ = blocks_[known];
        return;
    }
    std::uint32_t number = 0;
    while (number < blocks_.size() && blocks_[number] != nullptr) ++number;
    if (number == blocks_.size()) blocks_.emplace_back();
    Block* block = blocks_[number] = source_.take();
    block->pool = this;
    block->first_index = number * per_block_;
    room_.set(number);
    ASAN_POISON_MEMORY_REGION(reinterpret_cast<char*>(block) + first_offset_, kBlockBytes - first_offset_);
    lowest_room_ = block;
}

Object* Pool::make() {
    if (lowest_room_ == nullptr) find_room();
    Block* block = lowest_room_;
    std::uint32_t word = block->lowest_free / 64;
    while (block->used[word] == ~std::uint64_t{0}) ++word;
    const std::uint32_t place = word * 64 + static_cast<std::uint32_t>(std::countr_one(block->used[word]));
    Object* object = object_in(block, place);
    char* memory = static_cast<char*>(whole(object));
    ASAN_UNPOISON_MEMORY_REGION(memory, stride_);
    // Taken before the constructor runs, which may make another of its class.
    block->used[word] |= std::uint64_t{1} << (place % 64);
    block->lowest_free = place + 1;
    ++count_;
    if (++block->live == per_block_) {
        room_.reset(block->first_index / per_block_);
        lowest_room_ = nullptr;
    }
    bool is_constructed = false;
    try {
        construct_(memory);
        is_constructed = true;
        if (has_extras_) add_extras(memory);
    } catch (...) {
        if (is_constructed && destruct_ != nullptr) destruct_(memory);
        free_place(block, place);
        throw;
    }
    object->marks_ = 0;
    return object;
}

void Pool::unmake(Object* object) {
    Block* block = Block::of(object);
    const std::uint32_t place = place_of(block, object);
    if (object->marks_ != 0) marked.reset(block->first_index + place);
    if (destruct_ != nullptr) destruct_(whole(object));
    free_place(block, place);
}

void Pool::free_place(Block* block, std::uint32_t place) {
    ASAN_POISON_MEMORY_REGION(whole(object_in(block, place)), stride_);
    block->used[place / 64] &= ~(std::uint64_t{1} << (place % 64));
    block->lowest_free = std::min(block->lowest_free, place);
    --count_;
    if (block->live-- == per_block_) room_.set(block->first_index / per_block_);
    if (lowest_room_ == nullptr || block->first_index < lowest_room_->first_index) lowest_room_ = block;
    if (block->live == 0) give_back(block);
}

// What the constructor could not know: the way from each property to its object, and an archetype's defaults.
void Pool::add_extras(char* memory) const {
    for (const Bound& bound : bound_) std::memcpy(memory + bound.binding, &bound.value, sizeof bound.value);
    for (std::uint16_t index : type_.overrides) {
        const PropertyInfo& property = type_.properties[index];
        property.type->assign(property.in(memory), property.in(type_.defaults));
    }
}

// An empty block goes, unless it is the only one with room: a class whose last object comes and goes keeps one.
void Pool::give_back(Block* block) {
    const std::uint32_t number = block->first_index / per_block_;
    room_.reset(number);
    if (room_.is_empty()) return room_.set(number);
    if (lowest_room_ == block) lowest_room_ = nullptr;
    ASAN_UNPOISON_MEMORY_REGION(block, kBlockBytes);
    blocks_[number] = nullptr;
    source_.give(block);
}

std::uint32_t Pool::place_of(const Block* block, const Object* object) const {
    const auto offset = static_cast<const char*>(whole(object)) - reinterpret_cast<const char*>(block);
    return static_cast<std::uint32_t>((static_cast<std::uint64_t>(offset) - first_offset_) * inverse_stride_ >> 32);
}

std::uint32_t Pool::index_of(const Object* object) const {
    const Block* block = Block::of(object);
    return block->first_index + place_of(block, object);
}

Object* Pool::at(std::uint32_t index) const {
    return object_in(blocks_[index / per_block_], index % per_block_);
}

}  // namespace lyre::inline world
