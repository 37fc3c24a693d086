#include "lyre/core/utf8.h"

namespace lyre::inline core {

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
