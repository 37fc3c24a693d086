// assets/asset_id.h: how assets are called everywhere: `type:name`, for example map:yard.
//
// Both halves are made of a-z, 0-9 and '_', 100 bytes at most. Where a field says which type it refers to, content may
// leave the type out: `pawn = "hero"` is pawn_data:hero. Eight bytes, compared in one instruction, sorted by text.
#pragma once

#include <compare>
#include <fmt/core.h>
#include <functional>
#include <string>
#include <string_view>

#include "lyre/core/name.h"
#include "lyre/core/status.h"
#include "lyre/core/value_type.h"

namespace lyre::assets {

struct PrimaryAssetId {
    Name type;
    Name name;

    // `implied`: the type of a text without one; none: it must be there.
    static Result<PrimaryAssetId> parse(std::string_view text, Name implied = {});

    bool is_none() const { return name.is_none(); }
    std::string to_string() const;  // "map:yard"; "none"
    friend bool operator==(const PrimaryAssetId&, const PrimaryAssetId&) = default;
    friend std::strong_ordering operator<=>(const PrimaryAssetId&, const PrimaryAssetId&) = default;
};

}  // namespace lyre::assets

template <> struct lyre::ValueTraits<lyre::assets::PrimaryAssetId> {
    static void fill(ValueType& t);  // a Symbol, "asset_id"
};

template <> struct std::hash<lyre::assets::PrimaryAssetId> {
    std::size_t operator()(const lyre::assets::PrimaryAssetId& id) const noexcept {
        return (std::uint64_t{id.type.id()} << 32 | id.name.id()) * 0x9E3779B97F4A7C15ull;
    }
};

template <> struct fmt::formatter<lyre::assets::PrimaryAssetId> {
    constexpr auto parse(format_parse_context& ctx) { return ctx.begin(); }
    template <class Context> auto format(const lyre::assets::PrimaryAssetId& id, Context& ctx) const {
        return fmt::format_to(ctx.out(), "{}", id.to_string());
    }
};
