#include "lyre/core/handle.h"

#include "lyre/core/numbers.h"

namespace lyre::inline core::detail {

Result<std::uint64_t> parse_handle(std::string_view text) {
    const auto dot = text.find('.');
    if (text.empty() || text[0] != '#' || dot == std::string_view::npos)
        return Status::invalid("\"{}\" is not an id; ids are written #index.generation", text);
    auto index = parse_number<std::uint32_t>(text.substr(1, dot - 1));
    auto generation = parse_number<std::uint32_t>(text.substr(dot + 1));
    if (!index) return index.status();
    if (!generation) return generation.status();
    return std::uint64_t{*generation} << 32 | *index;
}

}  // namespace lyre::inline core::detail
