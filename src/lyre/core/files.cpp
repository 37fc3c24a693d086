#include "lyre/core/files.h"

#include <algorithm>
#include <cstring>

namespace lyre::inline core {

Bytes::Bytes(std::string_view text) : Bytes(text.size()) {
    if (!text.empty()) std::memcpy(data_.get(), text.data(), text.size());
}

bool leads_out(std::string_view path) {
    if (path.empty() || path.front() == '/') return true;
    for (std::size_t begin = 0; begin <= path.size();) {
        const std::size_t end = std::min(path.find('/', begin), path.size());
        if (path.substr(begin, end - begin) == "..") return true;
        begin = end + 1;
    }
    return false;
}

namespace detail {

Status missing_file(const std::string& path) {
    return Status::not_found("{}: there is no such file or folder", path);
}

Status unreadable_file(const std::string& path, std::string_view reason) {
    return {StatusCode::Unavailable, fmt::format("{}: {}", path, reason)};
}

Status large_file(const std::string& path, std::uint64_t bytes, std::uint64_t max_bytes) {
    return Status::capacity("{}: {} bytes are more than the {} allowed", path, bytes, max_bytes);
}

Status large_folder(const std::string& path) {
    return Status::capacity("{}: more than {} entries, or folders more than {} deep", path, Files::kMaxListed,
                            Files::kMaxDepth);
}

bool is_below(std::string_view path, std::string_view folder) {
    if (!folder.empty() && folder.back() == '/') folder.remove_suffix(1);  // the root of all
    return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

void sort_by_path(std::vector<FileInfo>& files) {
    std::sort(files.begin(), files.end(), [](const FileInfo& a, const FileInfo& b) { return a.path < b.path; });
}

}  // namespace detail
}  // namespace lyre::inline core
