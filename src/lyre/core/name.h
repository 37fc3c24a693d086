// core/name.h: interned text, four bytes, compared in one instruction.
//
// The same text is the same Name everywhere in the process: the table of names is the one thing that is global. Names
// are never freed, so they are for what programmers and content declare, not for what players type: use find() for text
// from outside, which never adds. Case matters; the empty name is "none". Any thread may make and read names. id() is
// the order of first use and differs between runs; hash() does not.
#pragma once

#include <compare>
#include <cstdint>
#include <fmt/core.h>
#include <functional>
#include <string_view>

namespace lyre::inline core {

class Name {
public:
    static constexpr std::uint32_t kMaxNames = 1u << 24;  // then interning gives none: so many are a leak, not content
    static constexpr std::size_t kMaxLength = 1023;       // bytes; longer text gives none

    constexpr Name() = default;
    explicit Name(std::string_view text);
    explicit Name(const char* text) : Name(std::string_view(text)) {}

    static Name find(std::string_view text);  // none if nobody has interned it
    static std::uint32_t count();             // names in the process, for metrics

    std::string_view text() const;  // lives as long as the process
    std::uint64_t hash() const;     // hash64 of the text: equal in every run
    constexpr std::uint32_t id() const { return id_; }
    constexpr bool is_none() const { return id_ == 0; }
    constexpr explicit operator bool() const { return id_ != 0; }

    friend constexpr bool operator==(Name, Name) = default;
    // By text, so that sorted lists are the same in every run.
    friend std::strong_ordering operator<=>(Name a, Name b) {
        return a.id_ == b.id_ ? std::strong_ordering::equal : a.text().compare(b.text()) <=> 0;
    }

private:
    std::uint32_t id_ = 0;
};

}  // namespace lyre::inline core

template <> struct std::hash<lyre::Name> {
    std::size_t operator()(lyre::Name name) const noexcept { return name.id() * 0x9E3779B97F4A7C15ull; }
};

template <> struct fmt::formatter<lyre::Name> {
    constexpr auto parse(format_parse_context& ctx) { return ctx.begin(); }
    template <class Context> auto format(lyre::Name name, Context& ctx) const {
        return fmt::format_to(ctx.out(), "{}", name.text());
    }
};
