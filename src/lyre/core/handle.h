// core/handle.h: generational ids, and a table that gives them out.
//
// A Handle is what leaves a room instead of a pointer: 32 bits of index, 32 bits of generation. All zero is "none".
// When the thing is gone its id finds nothing, also after its index is used again. Printed "#index.generation".
#pragma once

#include <compare>
#include <cstdint>
#include <fmt/core.h>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "lyre/core/status.h"

namespace lyre::inline core {

namespace detail {
Result<std::uint64_t> parse_handle(std::string_view text);
}

template <class Tag> struct Handle {
    std::uint32_t index = 0;
    std::uint32_t generation = 0;

    constexpr bool is_none() const { return index == 0 && generation == 0; }
    constexpr explicit operator bool() const { return !is_none(); }
    constexpr std::uint64_t bits() const { return std::uint64_t{generation} << 32 | index; }
    static constexpr Handle from_bits(std::uint64_t bits) {
        return {static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)};
    }
    static Result<Handle> parse(std::string_view text) {
        auto bits = detail::parse_handle(text);
        if (!bits) return bits.status();
        return from_bits(*bits);
    }
    friend constexpr auto operator<=>(Handle, Handle) = default;
};

// Things by handle. Indices begin at 1; the index freed longest ago is used next, with its next generation.
// References last until the next add.
template <class T, class Tag = T> class HandleTable {
public:
    using Id = Handle<Tag>;

    Id add(T value) {
        std::uint32_t index;
        if (free_first_ != 0) {
            index = free_first_;
            free_first_ = slots_[index].next_free;
            if (free_first_ == 0) free_last_ = 0;
        } else {
            if (slots_.empty()) slots_.emplace_back();  // index 0 is none
            index = static_cast<std::uint32_t>(slots_.size());
            slots_.emplace_back();
        }
        Slot& slot = slots_[index];
        slot.value.emplace(std::move(value));
        ++count_;
        return {index, slot.generation};
    }
    bool remove(Id id) {
        if (find(id) == nullptr) return false;
        Slot& slot = slots_[id.index];
        slot.value.reset();
        if (++slot.generation == 0) slot.generation = 1;
        slot.next_free = 0;
        (free_last_ != 0 ? slots_[free_last_].next_free : free_first_) = id.index;
        free_last_ = id.index;
        --count_;
        return true;
    }
    T* find(Id id) {
        if (id.index >= slots_.size()) return nullptr;
        Slot& slot = slots_[id.index];
        return slot.generation == id.generation && slot.value ? &*slot.value : nullptr;
    }
    const T* find(Id id) const { return const_cast<HandleTable*>(this)->find(id); }
    std::size_t count() const { return count_; }

    // In index order. `visit` may remove the thing it is given, and nothing else.
    template <class Visit> void each(Visit visit) {
        for (std::uint32_t index = 1; index < slots_.size(); ++index)
            if (slots_[index].value) visit(Id{index, slots_[index].generation}, *slots_[index].value);
    }
    template <class Visit> void each(Visit visit) const {
        for (std::uint32_t index = 1; index < slots_.size(); ++index)
            if (slots_[index].value) visit(Id{index, slots_[index].generation}, *slots_[index].value);
    }

private:
    struct Slot {
        std::optional<T> value;
        std::uint32_t generation = 1;
        std::uint32_t next_free = 0;
    };
    std::vector<Slot> slots_;
    std::uint32_t free_first_ = 0;
    std::uint32_t free_last_ = 0;
    std::size_t count_ = 0;
};

}  // namespace lyre::inline core

template <class Tag> struct std::hash<lyre::Handle<Tag>> {
    std::size_t operator()(lyre::Handle<Tag> id) const noexcept { return id.bits() * 0x9E3779B97F4A7C15ull; }
};

template <class Tag> struct fmt::formatter<lyre::Handle<Tag>> {
    constexpr auto parse(format_parse_context& ctx) { return ctx.begin(); }
    template <class Context> auto format(lyre::Handle<Tag> id, Context& ctx) const {
        return fmt::format_to(ctx.out(), "#{}.{}", id.index, id.generation);
    }
};
