#include "lyre/core/utf8.h"

#include <algorithm>
#include <iterator>

namespace lyre::inline core {
namespace {

struct Range {
    char32_t first, last;
};
// Both by Unicode's tables, as terminals have them; in order. Scripts whose marks are many stand for all of them.
constexpr Range kMarks[] = {{0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD},   {0x0610, 0x061A},
                            {0x064B, 0x065F}, {0x06D6, 0x06DC}, {0x0E34, 0x0E3A},   {0x0E47, 0x0E4E},
                            {0x1160, 0x11FF}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF},   {0x200B, 0x200D},
                            {0x2060, 0x2064}, {0x20D0, 0x20FF}, {0x302A, 0x302D},   {0x3099, 0x309A},
                            {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0x1F3FB, 0x1F3FF}, {0xE0100, 0xE01EF}};
constexpr Range kWide[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x2329, 0x232A},   {0x23E9, 0x23EC},   {0x23F0, 0x23F0},
    {0x23F3, 0x23F3},   {0x25FD, 0x25FE},   {0x2614, 0x2615},   {0x2648, 0x2653},   {0x267F, 0x267F},
    {0x2693, 0x2693},   {0x26A1, 0x26A1},   {0x26AA, 0x26AB},   {0x26BD, 0x26BE},   {0x26C4, 0x26C5},
    {0x26CE, 0x26CE},   {0x26D4, 0x26D4},   {0x26EA, 0x26EA},   {0x26F2, 0x26F3},   {0x26F5, 0x26F5},
    {0x26FA, 0x26FA},   {0x26FD, 0x26FD},   {0x2705, 0x2705},   {0x270A, 0x270B},   {0x2728, 0x2728},
    {0x274C, 0x274C},   {0x274E, 0x274E},   {0x2753, 0x2755},   {0x2757, 0x2757},   {0x2795, 0x2797},
    {0x27B0, 0x27B0},   {0x27BF, 0x27BF},   {0x2B1B, 0x2B1C},   {0x2B50, 0x2B50},   {0x2B55, 0x2B55},
    {0x2E80, 0x303E},   {0x3041, 0x4DBF},   {0x4E00, 0xA4CF},   {0xA960, 0xA97F},   {0xAC00, 0xD7A3},
    {0xF900, 0xFAFF},   {0xFE10, 0xFE19},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},
    {0x16FE0, 0x18DFF}, {0x1AFF0, 0x1B2FF}, {0x1F004, 0x1F004}, {0x1F0CF, 0x1F0CF}, {0x1F18E, 0x1F18E},
    {0x1F191, 0x1F19A}, {0x1F200, 0x1F265}, {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F7E0, 0x1F7EB},
    {0x1F90C, 0x1F9FF}, {0x1FA70, 0x1FAFF}, {0x20000, 0x3FFFD}};

template <std::size_t N> bool is_in(const Range (&ranges)[N], char32_t code) {
    const auto at = std::lower_bound(std::begin(ranges), std::end(ranges), code,
                                     [](const Range& range, char32_t wanted) { return range.last < wanted; });
    return at != std::end(ranges) && at->first <= code;
}

}  // namespace

Utf8Character first_character(std::string_view text) {
    if (text.empty()) return {};
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(0);
    if (first < 0x80) return {first, 1};
    const std::size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || text.size() < size) return {kNoCharacter, 1};
    char32_t code = first & (0x7Fu >> size);
    for (std::size_t i = 1; i < size; ++i) {
        if ((byte(i) & 0xC0) != 0x80) return {kNoCharacter, 1};
        code = code << 6 | (byte(i) & 0x3Fu);
    }
    const bool is_longer_than_needed = (size == 3 && code < 0x800) || (size == 4 && code < 0x10000);
    const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
    if (is_longer_than_needed || is_surrogate || code > 0x10FFFF) return {kNoCharacter, 1};
    return {code, size};
}

void append_character(std::string& text, char32_t code) {
    const auto byte = [&](char32_t bits) { text += static_cast<char>(bits); };
    const auto rest = [&](int shift) { byte(0x80 | ((code >> shift) & 0x3F)); };
    if (code < 0x80) return byte(code);
    if (code < 0x800) {
        byte(0xC0 | (code >> 6));
    } else {
        if (code < 0x10000) {
            byte(0xE0 | (code >> 12));
        } else {
            byte(0xF0 | (code >> 18));
            rest(12);
        }
        rest(6);
    }
    rest(0);
}

std::size_t count_characters(std::string_view text) {
    std::size_t count = 0;
    for (; !text.empty(); ++count) text.remove_prefix(first_character(text).size);
    return count;
}

std::string_view skip_bom(std::string_view text) {
    return text.substr(0, 3) == "\xEF\xBB\xBF" ? text.substr(3) : text;
}

bool is_control(char32_t code) {
    if (code < 0x20 || (code >= 0x7F && code < 0xA0)) return true;
    const bool is_direction = (code >= 0x200E && code <= 0x200F) || (code >= 0x202A && code <= 0x202E) ||
                              (code >= 0x2066 && code <= 0x2069) || code == 0x061C;
    return is_direction || code == 0x2028 || code == 0x2029 || code == 0xFEFF;
}

int columns_of(char32_t code) {
    if (code < 0x300) return 1;
    return is_in(kMarks, code) ? 0 : is_in(kWide, code) ? 2 : 1;
}

std::size_t count_columns(std::string_view text) {
    std::size_t columns = 0;
    while (!text.empty()) {
        const Utf8Character character = first_character(text);
        columns += static_cast<std::size_t>(columns_of(character.code));
        text.remove_prefix(character.size);
    }
    return columns;
}

std::vector<std::string> wrapped(std::string_view text, std::size_t first, std::size_t columns) {
    std::vector<std::string> lines;
    for (std::size_t room = first;; room = columns) {
        const std::size_t begin = text.find_first_not_of(' ');
        std::size_t at = 0, used = 0, end = std::string_view::npos;
        while (at < text.size() && (used <= room || end == std::string_view::npos)) {
            if (text[at] == ' ' && at > begin) end = at;
            const Utf8Character character = first_character(text.substr(at));
            used += static_cast<std::size_t>(columns_of(character.code));
            at += character.size;
        }
        if (used <= room || end == std::string_view::npos) end = text.size();
        lines.emplace_back(text.substr(0, end));
        if (end == text.size()) return lines;
        text.remove_prefix(end + 1);
    }
}

std::string cleaned(std::string_view text) {
    std::string clean;
    clean.reserve(text.size());
    while (!text.empty()) {
        const Utf8Character character = first_character(text);
        if (character.code == kNoCharacter || is_control(character.code))
            clean += "\uFFFD";
        else
            clean += text.substr(0, character.size);
        text.remove_prefix(character.size);
    }
    return clean;
}

}  // namespace lyre::inline core
