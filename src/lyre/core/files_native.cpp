#include "lyre/core/files_native.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace lyre::inline core {
namespace {

Status failure(const std::string& path, int error) {
    if (error == ENOENT || error == ENOTDIR) return detail::missing_file(path);
    return detail::unreadable_file(path, std::generic_category().message(error));
}

class Descriptor {
public:
    explicit Descriptor(int fd) : fd_(fd) {}
    ~Descriptor() {
        if (fd_ >= 0) ::close(fd_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int get() const { return fd_; }

private:
    int fd_;
};

struct CloseFolder {
    void operator()(DIR* folder) const { ::closedir(folder); }
};
using Folder = std::unique_ptr<DIR, CloseFolder>;

// None, with errno, if it cannot be opened, or became a link since it was found.
Folder open_folder(const std::string& place) {
    const int fd = ::open(place.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return nullptr;
    Folder folder(::fdopendir(fd));
    if (folder == nullptr) {
        const int error = errno;
        ::close(fd);
        errno = error;
    }
    return folder;
}

// Where a path leads when every link is followed; empty, with errno, if nowhere.
std::string real_path(const std::string& path) {
    const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), &std::free);
    return real != nullptr ? real.get() : "";
}

FileInfo describe(std::string path, const struct stat& stat) {
    const FileKind kind = S_ISREG(stat.st_mode)   ? FileKind::Regular
                          : S_ISDIR(stat.st_mode) ? FileKind::Folder
                                                  : FileKind::Other;
    const std::uint64_t bytes = kind == FileKind::Regular ? static_cast<std::uint64_t>(stat.st_size) : 0;
#ifdef __APPLE__
    const timespec& changed = stat.st_ctimespec;
#else
    const timespec& changed = stat.st_ctim;
#endif
    return {std::move(path), kind, bytes, std::int64_t{changed.tv_sec} * 1'000'000'000 + changed.tv_nsec};
}

// One listing. Places are real paths; what is shown of them is the way that led there. A folder is closed again before
// those in it are opened.
class Walk {
public:
    Walk(const std::string& asked, std::string root, std::optional<std::size_t> depth)
        : asked_(asked), root_(std::move(root)), depth_(depth) {}

    Status enter(const std::string& place, const std::string& shown, std::size_t depth);
    std::vector<FileInfo> finish() {
        detail::sort_by_path(found_);
        return std::move(found_);
    }

private:
    struct Later {  // folders and links, by name
        std::vector<std::string> folders;
        std::vector<std::string> links;
    };

    Status look_at_all(DIR* folder, const std::string& place, const std::string& shown, Later& later);
    Status follow(const std::string& link, const std::string& shown, std::size_t depth);

    const std::string& asked_;
    const std::string root_;
    const std::optional<std::size_t> depth_;  // of a survey
    std::vector<std::string> links_;  // followed to come here
    std::size_t seen_ = 0;
    std::vector<FileInfo> found_;
};

// `shown` is empty or ends with '/'.
Status Walk::enter(const std::string& place, const std::string& shown, std::size_t depth) {
    if (depth > Files::kMaxDepth) return detail::large_folder(asked_);
    const bool is_forgiving = depth_ && depth > 0;
    if (is_forgiving) found_.push_back({shown.substr(0, shown.size() - 1), FileKind::Folder, 0, 0});
    if (depth_ && depth > *depth_) return Status::ok();
    const std::size_t own = found_.size() - 1;  // its place in found_, if it is forgiving
    Later later;
    if (const Folder folder = open_folder(place)) {
        if (Status status = look_at_all(folder.get(), place, shown, later); !status) {
            if (!is_forgiving || status.code() == StatusCode::Capacity) return status;
            found_[own].kind = FileKind::Other;
        }
    } else if (is_forgiving) {
        found_[own].kind = FileKind::Other;
    } else if (depth == 0 || (errno != ENOENT && errno != ENOTDIR && errno != ELOOP)) {  // else just gone, or replaced
        return failure(place, errno);
    }
    const std::string inside = place.back() == '/' ? place : place + '/';
    for (const std::string& name : later.folders)
        if (Status status = enter(inside + name, shown + name + '/', depth + 1); !status) return status;
    for (const std::string& name : later.links)
        if (Status status = follow(inside + name, shown + name, depth); !status) return status;
    return Status::ok();
}

Status Walk::look_at_all(DIR* folder, const std::string& place, const std::string& shown, Later& later) {
    for (;;) {
        errno = 0;
        const dirent* entry = ::readdir(folder);
        if (entry == nullptr) return errno == 0 ? Status::ok() : failure(place, errno);
        const std::string_view name = entry->d_name;
        if (name == "." || name == "..") continue;
        if (++seen_ > Files::kMaxListed) return detail::large_folder(asked_);
        struct stat stat;
        if (::fstatat(::dirfd(folder), entry->d_name, &stat, AT_SYMLINK_NOFOLLOW) != 0) {
            if (errno == ENOENT) continue;  // just gone
            if (depth_) found_.push_back({shown + entry->d_name, FileKind::Other, 0, 0});
            if (depth_) continue;
            return failure(place + '/' + entry->d_name, errno);
        }
        if (S_ISDIR(stat.st_mode))
            later.folders.emplace_back(name);
        else if (S_ISLNK(stat.st_mode))
            later.links.emplace_back(name);
        else
            found_.push_back(describe(shown + entry->d_name, stat));
    }
}

Status Walk::follow(const std::string& link, const std::string& shown, std::size_t depth) {
    const std::string target = real_path(link);
    struct stat stat;
    if (target.empty() || ::lstat(target.c_str(), &stat) != 0) {
        found_.push_back({shown, FileKind::Other, 0, 0});
        return Status::ok();
    }
    links_.push_back(link);
    const bool around = std::any_of(links_.begin(), links_.end(),
                                    [&](const std::string& place) { return detail::is_below(place, target); });
    Status status;
    if (!detail::is_below(target, root_) || (S_ISDIR(stat.st_mode) && around))
        found_.push_back({shown, FileKind::LinkOut, 0, 0});
    else if (S_ISDIR(stat.st_mode))
        status = enter(target, shown + '/', depth + 1);
    else
        found_.push_back(describe(shown, stat));
    links_.pop_back();
    return status;
}

}  // namespace

Result<std::vector<FileInfo>> RealFiles::list(const std::string& folder) const {
    return walk(folder, {});
}

Result<std::vector<FileInfo>> RealFiles::survey(const std::string& folder, std::size_t depth) const {
    return walk(folder, depth);
}

Result<std::vector<FileInfo>> RealFiles::walk(const std::string& folder, std::optional<std::size_t> depth) const {
    std::string root = real_path(folder);
    if (root.empty()) return failure(folder, errno);
    const auto info = look(folder);
    if (!info) return info.status();
    if (info->kind != FileKind::Folder) return detail::unreadable_file(folder, "not a folder");
    Walk walk(folder, root, depth);
    if (Status status = walk.enter(root, "", 0); !status) return status;
    return walk.finish();
}

Result<FileInfo> RealFiles::look(const std::string& path) const {
    struct stat stat;
    if (::stat(path.c_str(), &stat) != 0) return failure(path, errno);
    return describe(path, stat);
}

Result<Bytes> RealFiles::read(const std::string& path, std::uint64_t max_bytes) const {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    struct stat stat;
    if (file.get() < 0 || ::fstat(file.get(), &stat) != 0) return failure(path, errno);
    if (!S_ISREG(stat.st_mode)) return detail::unreadable_file(path, "not a regular file");
    const auto size = static_cast<std::uint64_t>(stat.st_size);
    if (size > max_bytes) return detail::large_file(path, size, max_bytes);
    Bytes bytes(size);
    for (std::size_t got = 0; got < size;) {
        const ssize_t more = ::read(file.get(), bytes.data() + got, size - got);
        if (more < 0 && errno == EINTR) continue;
        if (more < 0) return failure(path, errno);
        if (more == 0) bytes.shrink(got);
        if (more == 0) break;
        got += static_cast<std::size_t>(more);
    }
    return bytes;
}

}  // namespace lyre::inline core
