// gameplay/detail/shown_text.h: texts from outside that are shown to everybody (names, lines of the feed), made fit for
// it: not too long, and without what garbles a screen.
#pragma once

#include <string>
#include <string_view>

#include "lyre/core/utf8.h"

namespace lyre::gameplay::detail {

inline std::string shown_text(std::string_view text, std::size_t max_characters) {
    std::size_t end = 0;
    for (std::size_t count = 0; count < max_characters && end < text.size(); ++count)
        end += first_character(text.substr(end)).size;
    return cleaned(text.substr(0, end));
}

}  // namespace lyre::gameplay::detail
