// listed_files.h: a listing as one line: "a.toml, b/c.toml, gate (out)".
#pragma once

#include <string>

#include "lyre/core/files.h"

namespace lyre {

inline std::string shown(const Result<std::vector<FileInfo>>& listed) {
    if (!listed) return listed.status().to_string();
    const char* const kinds[] = {"", " (folder)", " (out)", " (other)"};
    std::string text;
    for (const FileInfo& file : *listed)
        text += (text.empty() ? "" : ", ") + file.path + kinds[static_cast<std::size_t>(file.kind)];
    return text;
}

}  // namespace lyre
