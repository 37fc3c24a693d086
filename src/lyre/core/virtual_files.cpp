#include "lyre/core/virtual_files.h"

#include <algorithm>
#include <set>

namespace lyre::inline core {
namespace {

constexpr int kMaxLinks = 40;  // one after the other, as on Linux

bool is_clean(std::string_view path) {
    if (path.starts_with('/')) path.remove_prefix(1);
    for (std::size_t end = 0; end != path.npos; path.remove_prefix(end == path.npos ? path.size() : end + 1)) {
        end = path.find('/');
        const std::string_view part = path.substr(0, end);
        if (part.empty() || part == "." || part == "..") return false;
    }
    return true;
}

Status unclean(const std::string& path) {
    return Status::invalid("\"{}\": a path has no empty parts, no \".\" and no \"..\"", path);
}

void require_clean(const std::string& path) {
    LYRE_ASSERT(is_clean(path), "write paths as \"a/b\" or \"/a/b\", without empty parts, \".\" and \"..\"");
}

// Of the text: "a" and "a/b" for "a/b/c".
template <class Visit> void each_parent(const std::string& path, Visit visit) {
    for (std::size_t slash = path.find('/', 1); slash != path.npos; slash = path.find('/', slash + 1))
        visit(path.substr(0, slash));
}

}  // namespace

void VirtualFiles::write(const std::string& path, std::string_view text) {
    require_clean(path);
    const std::lock_guard lock(mutex_);
    const std::string place = resolve(path);
    LYRE_ASSERT(!place.empty(), "the links on the way go round in circles: remove one first");
    LYRE_ASSERT(!is_folder(place), "a folder cannot be written: remove it first");
    require_folders(place);
    nodes_[place] = {Kind::File, std::string(text), ++writes_};
}

void VirtualFiles::make_folder(const std::string& path) {
    require_clean(path);
    const std::lock_guard lock(mutex_);
    LYRE_ASSERT(find(path) == nullptr || find(path)->kind == Kind::Folder, "something else is there: remove it first");
    require_folders(path);
    nodes_[path].kind = Kind::Folder;
}

void VirtualFiles::link(const std::string& path, const std::string& target) {
    require_clean(path);
    require_clean(target);
    const std::lock_guard lock(mutex_);
    LYRE_ASSERT(find(path) == nullptr && !is_folder(path), "something is there: remove it first");
    require_folders(path);
    nodes_[path] = {Kind::Link, target, ++writes_};
}

bool VirtualFiles::remove(const std::string& path) {
    require_clean(path);
    const std::lock_guard lock(mutex_);
    return !take(path).empty();
}

bool VirtualFiles::rename(const std::string& from, const std::string& to) {
    require_clean(from);
    require_clean(to);
    LYRE_ASSERT(from != to && !detail::is_below(to, from), "a folder cannot be moved into itself");
    const std::lock_guard lock(mutex_);
    Nodes moved = take(from);
    if (moved.empty()) return false;
    take(to);
    require_folders(to);
    for (auto& [path, node] : moved) nodes_[to + path.substr(from.size())] = std::move(node);
    return true;
}

void VirtualFiles::fail(const std::string& path, Status status) {
    require_clean(path);
    LYRE_ASSERT(!status.is_ok(), "give the status that reads are to end with; heal() takes it away");
    const std::lock_guard lock(mutex_);
    faults_[resolve(path)].failure = std::move(status);
}

void VirtualFiles::truncate(const std::string& path, std::uint64_t bytes) {
    require_clean(path);
    const std::lock_guard lock(mutex_);
    faults_[resolve(path)].bytes = bytes;
}

void VirtualFiles::heal(const std::string& path) {
    const std::lock_guard lock(mutex_);
    faults_.erase(resolve(path));
}

// On the way to `path` is no file, nor a link: those were resolved, or are not followed.
void VirtualFiles::require_folders(const std::string& path) const {
    each_parent(path, [&](const std::string& parent) {
        const Node* node = find(parent);
        LYRE_ASSERT(node == nullptr || node->kind == Kind::Folder, "a file or a link cannot hold files: remove it");
    });
}

// Where a path leads when every link on the way is followed, whether or not something is there; empty if they never
// end.
std::string VirtualFiles::resolve(std::string path) const {
    std::size_t end = 0;
    for (int links = 0; end != path.npos;) {
        end = path.find('/', end + 1);
        const Node* node = find(path.substr(0, end));
        if (node == nullptr || node->kind != Kind::Link) continue;
        if (++links > kMaxLinks) return {};
        path = node->text + (end == path.npos ? "" : path.substr(end));
        end = 0;
    }
    return path;
}

const VirtualFiles::Node* VirtualFiles::find(const std::string& path) const {
    const auto found = nodes_.find(path);
    return found != nodes_.end() ? &found->second : nullptr;
}

bool VirtualFiles::is_folder(const std::string& path) const {
    if (const Node* node = find(path)) return node->kind == Kind::Folder;
    const auto first = nodes_.lower_bound(path + '/');
    return first != nodes_.end() && detail::is_below(first->first, path);
}

VirtualFiles::Nodes VirtualFiles::take(const std::string& path) {
    Nodes taken;
    if (const auto found = nodes_.find(path); found != nodes_.end()) taken.insert(nodes_.extract(found));
    for (auto next = nodes_.lower_bound(path + '/'); next != nodes_.end() && detail::is_below(next->first, path);)
        taken.insert(nodes_.extract(next++));
    return taken;
}

// One listing. Paths are those of the tree; what is shown of them is the way that led there.
struct VirtualFiles::Walk {
    std::string asked;
    std::string root;
    std::vector<std::string> links;  // followed to come here
    std::size_t seen = 0;
    std::vector<FileInfo> found;
};

Result<VirtualFiles::Walk> VirtualFiles::begin_walk(const std::string& folder) const {
    ++lists_;
    if (!is_clean(folder)) return unclean(folder);
    Walk walk{folder, resolve(folder), {}, 0, {}};
    if (const Node* node = find(walk.root); node != nullptr && node->kind == Kind::File)
        return detail::unreadable_file(folder, "not a folder");
    if (!is_folder(walk.root)) return detail::missing_file(folder);
    return walk;
}

Result<std::vector<FileInfo>> VirtualFiles::list(const std::string& folder) const {
    const std::lock_guard lock(mutex_);
    auto begun = begin_walk(folder);
    if (!begun) return begun.status();
    Walk& walk = *begun;
    if (Status status = this->walk(walk, walk.root, ""); !status) return status;
    detail::sort_by_path(walk.found);
    return std::move(walk.found);
}

Result<std::vector<FileInfo>> VirtualFiles::survey(const std::string& folder, std::size_t depth) const {
    const std::lock_guard lock(mutex_);
    auto begun = begin_walk(folder);
    if (!begun) return begun.status();
    Walk& walk = *begun;
    if (const auto fault = faults_.find(walk.root); fault != faults_.end() && !fault->second.failure)
        return fault->second.failure;
    survey(walk, walk.root, "", depth);
    if (walk.seen > kMaxListed) return detail::large_folder(folder);
    detail::sort_by_path(walk.found);
    return std::move(walk.found);
}

void VirtualFiles::survey(Walk& walk, const std::string& folder, const std::string& shown, std::size_t depth) const {
    std::set<std::string> names;
    for (auto next = nodes_.lower_bound(folder + '/'); next != nodes_.end() && detail::is_below(next->first, folder);
         ++next)
        names.insert(
            next->first.substr(folder.size() + 1, next->first.find('/', folder.size() + 1) - folder.size() - 1));
    for (const std::string& name : names) {
        if (++walk.seen > kMaxListed) return;
        const std::string place = fmt::format("{}/{}", folder, name), target = resolve(place);
        const Node* node = find(target);
        const bool is_entered = is_folder(target);
        if (node == nullptr && !is_entered) {
            walk.found.push_back({shown + name, FileKind::Other, 0, 0});
            continue;
        }
        if (!detail::is_below(target, walk.root) || detail::is_below(place, target)) {
            walk.found.push_back({shown + name, FileKind::LinkOut, 0, 0});
            continue;
        }
        if (!is_entered) {
            walk.found.push_back({shown + name, FileKind::Regular, node->text.size(), node->changed});
            continue;
        }
        const auto fault = faults_.find(target);
        const bool is_bad = fault != faults_.end() && !fault->second.failure;
        walk.found.push_back({shown + name, is_bad ? FileKind::Other : FileKind::Folder, 0, 0});
        if (!is_bad && depth > 0) survey(walk, target, shown + name + '/', depth - 1);
    }
}

// All below `folder` at once: in the map it stands together.
Status VirtualFiles::walk(Walk& walk, const std::string& folder, const std::string& shown) const {
    for (const auto& [path, fault] : faults_)
        if (!fault.failure && (path == folder || (detail::is_below(path, folder) && is_folder(path))))
            return fault.failure;
    for (auto next = nodes_.lower_bound(folder + '/'); next != nodes_.end() && detail::is_below(next->first, folder);
         ++next) {
        const auto& [path, node] = *next;
        const std::string name = shown + path.substr(folder.size() + (shown.empty() ? 1 : 0));
        const auto depth = static_cast<std::size_t>(std::count(name.begin(), name.end(), '/'));
        if (++walk.seen > kMaxListed || depth > kMaxDepth) return detail::large_folder(walk.asked);
        if (node.kind == Kind::File) walk.found.push_back({name, FileKind::Regular, node.text.size(), node.changed});
        if (node.kind != Kind::Link) continue;
        if (Status status = walk_link(walk, path, name); !status) return status;
    }
    return Status::ok();
}

Status VirtualFiles::walk_link(Walk& walk, const std::string& place, const std::string& shown) const {
    const std::string target = resolve(place);
    const Node* node = find(target);
    const bool folder = is_folder(target);
    walk.links.push_back(place);
    const bool around = std::any_of(walk.links.begin(), walk.links.end(),
                                    [&](const std::string& link) { return detail::is_below(link, target); });
    Status status;
    if (node == nullptr && !folder)
        walk.found.push_back({shown, FileKind::Other, 0, 0});
    else if (!detail::is_below(target, walk.root) || (folder && around))
        walk.found.push_back({shown, FileKind::LinkOut, 0, 0});
    else if (folder)
        status = this->walk(walk, target, shown);
    else
        walk.found.push_back({shown, FileKind::Regular, node->text.size(), node->changed});
    walk.links.pop_back();
    return status;
}

Result<FileInfo> VirtualFiles::look(const std::string& path) const {
    const std::lock_guard lock(mutex_);
    if (!is_clean(path)) return unclean(path);
    const std::string place = resolve(path);
    if (is_folder(place)) return FileInfo{path, FileKind::Folder, 0, 0};
    const Node* node = find(place);
    if (node == nullptr) return detail::missing_file(path);
    return FileInfo{path, FileKind::Regular, node->text.size(), node->changed};
}

Result<Bytes> VirtualFiles::read(const std::string& path, std::uint64_t max_bytes) const {
    const std::lock_guard lock(mutex_);
    ++reads_;
    ++reads_of_[path];
    if (!is_clean(path)) return unclean(path);
    const std::string place = resolve(path);
    const auto fault = faults_.find(place);
    if (fault != faults_.end() && !fault->second.failure) return fault->second.failure;
    if (is_folder(place)) return detail::unreadable_file(path, "not a regular file");
    const Node* node = find(place);
    if (node == nullptr) return detail::missing_file(path);
    if (node->text.size() > max_bytes) return detail::large_file(path, node->text.size(), max_bytes);
    Bytes bytes(node->text);
    if (fault != faults_.end() && fault->second.bytes) bytes.shrink(*fault->second.bytes);
    return bytes;
}

std::size_t VirtualFiles::lists() const {
    const std::lock_guard lock(mutex_);
    return lists_;
}

std::size_t VirtualFiles::reads() const {
    const std::lock_guard lock(mutex_);
    return reads_;
}

std::size_t VirtualFiles::reads(const std::string& path) const {
    const std::lock_guard lock(mutex_);
    const auto found = reads_of_.find(path);
    return found != reads_of_.end() ? found->second : 0;
}

}  // namespace lyre::inline core
