#include "lyre/features/detail/texts.h"

namespace lyre::features {

std::string joined(const std::vector<std::string>& lines, std::string_view between) {
    std::string text;
    for (const std::string& line : lines) {
        if (!text.empty()) text += between;
        text += line;
    }
    return text;
}

std::string joined(const std::vector<Holder>& holders, std::string_view between) {
    std::vector<std::string> lines;
    for (const Holder& holder : holders) lines.push_back(holder.what);
    return joined(lines, between);
}

std::string join_path(std::string_view folder, std::string_view name) {
    if (folder == ".") folder = {};
    std::string path(folder);
    if (!path.empty() && path.back() != '/') path += '/';
    return path += name;
}

}  // namespace lyre::features
