#include "lyre/core/suggest.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fmt/core.h>

#include "lyre/core/utf8.h"

namespace lyre::inline core {
namespace {

constexpr std::size_t kMaxQuoted = 64;  // bytes
constexpr std::size_t kMaxHinted = 8;   // names in a hint
constexpr std::size_t kMaxHintedBytes = 100;

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool same(char a, char b) {
    return lower(a) == lower(b);
}

// Edits between two texts of at most Nearest::kMaxLength bytes, or limit + 1 as soon as it is known to be more.
std::size_t edits(std::string_view from, std::string_view to, std::size_t limit) {
    while (!from.empty() && !to.empty() && same(from.front(), to.front())) from.remove_prefix(1), to.remove_prefix(1);
    while (!from.empty() && !to.empty() && same(from.back(), to.back())) from.remove_suffix(1), to.remove_suffix(1);
    const std::size_t difference = from.size() > to.size() ? from.size() - to.size() : to.size() - from.size();
    if (difference > limit) return limit + 1;
    using Row = std::array<std::uint16_t, Nearest::kMaxLength + 1>;
    std::array<Row, 3> rows;  // row i: edits from the first i characters of `from` to each prefix of `to`
    for (std::size_t j = 0; j <= to.size(); ++j) rows[0][j] = static_cast<std::uint16_t>(j);
    for (std::size_t i = 1; i <= from.size(); ++i) {
        Row& row = rows[i % 3];
        const Row& above = rows[(i - 1) % 3];
        const Row& two_above = rows[(i + 1) % 3];
        row[0] = static_cast<std::uint16_t>(i);
        std::size_t smallest = i;
        for (std::size_t j = 1; j <= to.size(); ++j) {
            const bool kept = same(from[i - 1], to[j - 1]);
            std::size_t cost = std::min<std::size_t>({above[j - 1] + (kept ? 0u : 1u), above[j] + 1u, row[j - 1] + 1u});
            if (i > 1 && j > 1 && same(from[i - 1], to[j - 2]) && same(from[i - 2], to[j - 1]))
                cost = std::min<std::size_t>(cost, two_above[j - 2] + 1u);
            row[j] = static_cast<std::uint16_t>(cost);
            smallest = std::min(smallest, cost);
        }
        if (smallest > limit) return limit + 1;
    }
    return rows[from.size() % 3][to.size()];
}

std::string shortened(std::string_view text) {
    std::size_t cut = std::min(text.size(), kMaxQuoted);
    while (cut > 0 && cut < text.size() && (text[cut] & 0xC0) == 0x80) --cut;  // not inside a UTF-8 character
    const std::string shown = cleaned(text.substr(0, cut));
    return cut < text.size() ? shown + "..." : shown;
}

}  // namespace

Nearest::Nearest(std::string_view wanted) : wanted_(wanted) {
    const std::size_t third = (wanted.size() + 2) / 3;
    limit_ = std::min<std::size_t>({third, 4, wanted.empty() ? 0 : wanted.size() - 1});
}

void Nearest::consider(std::string_view candidate) {
    if (wanted_.empty() || candidate.empty()) return;
    if (wanted_.size() > kMaxLength || candidate.size() > kMaxLength) return;
    const std::size_t distance = edits(wanted_, candidate, limit_);
    if (distance > limit_) return;
    if (distance == limit_ && !best_.empty() && best_ <= candidate) return;
    limit_ = distance;
    best_ = candidate;
}

std::string in_quotes(std::string_view text) {
    return fmt::format("\"{}\"", shortened(text));
}

std::string name_hint(std::string_view wanted, std::vector<std::string_view> known, std::string_view command) {
    if (const std::string_view near = nearest(wanted, known); !near.empty())
        return fmt::format("did you mean {}?", in_quotes(near));
    std::sort(known.begin(), known.end());
    known.erase(std::unique(known.begin(), known.end()), known.end());
    std::string text;
    std::size_t shown = 0;
    while (shown < std::min(known.size(), kMaxHinted) && (shown == 0 || text.size() < kMaxHintedBytes)) {
        const bool is_last = shown > 0 && shown + 1 == known.size();
        text += fmt::format("{}{}", shown == 0 ? "" : is_last ? " and " : ", ", shortened(known[shown]));
        ++shown;
    }
    if (text.empty()) return "there is none";
    text.insert(0, known.size() == 1 ? "there is only " : "there are ");
    if (shown == known.size()) return text;
    return fmt::format("{} and {} more{}{}{}", text, known.size() - shown, command.empty() ? "" : ": `", command,
                       command.empty() ? "" : "`");
}

std::string did_you_mean(std::string_view suggestion) {
    return suggestion.empty() ? std::string() : fmt::format("; did you mean \"{}\"?", suggestion);
}

}  // namespace lyre::inline core
