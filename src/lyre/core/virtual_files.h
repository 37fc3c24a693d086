// core/virtual_files.h: a tree of files in memory, for tests and simulations, with faults on demand.
//
//     VirtualFiles files;
//     files.write("content/tag.experience.toml", "title = \"Tag\"\n");
//     files.fail("content/yard.map.toml", Status(StatusCode::Unavailable, "content/yard.map.toml: the disk is gone"));
//
// A path is "a/b" or "/a/b", without empty parts, "." and ".."; asked for any other, a question answers invalid, and a
// change is a broken rule. A folder is there as long as something is in it, or for good once it was made. Any thread
// may ask while another one changes the tree; each call sees the tree as a whole.
#pragma once

#include <map>
#include <mutex>
#include <optional>

#include "lyre/core/files.h"

namespace lyre::inline core {

class VirtualFiles final : public Files {
public:
    // Through links, and with the folders on the way. FileInfo::changed_ns is the number of this write.
    void write(const std::string& path, std::string_view text);
    void make_folder(const std::string& path);
    void link(const std::string& path, const std::string& target);  // target from the top; may lead nowhere
    // These two follow no links. Of a folder with all below; false if there was nothing. What is at `to` is replaced.
    bool remove(const std::string& path);
    bool rename(const std::string& from, const std::string& to);

    // Until healed, whatever is written: reads of the file, or listings that come to the folder, give this status.
    void fail(const std::string& path, Status status);
    void truncate(const std::string& path, std::uint64_t bytes);  // reads end here; look and list know the full size
    void heal(const std::string& path);

    Result<std::vector<FileInfo>> list(const std::string& folder) const override;
    Result<std::vector<FileInfo>> survey(const std::string& folder, std::size_t depth) const override;
    Result<FileInfo> look(const std::string& path) const override;
    Result<Bytes> read(const std::string& path, std::uint64_t max_bytes) const override;

    // How often it was asked, with or without success; by path as asked for.
    std::size_t lists() const;
    std::size_t reads() const;
    std::size_t reads(const std::string& path) const;

private:
    enum class Kind : std::uint8_t { File, Folder, Link };
    struct Node {
        Kind kind = Kind::File;
        std::string text;  // of a link: where to
        std::int64_t changed = 0;
    };
    struct Fault {
        Status failure;
        std::optional<std::uint64_t> bytes;
    };
    struct Walk;
    using Nodes = std::map<std::string, Node, std::less<>>;

    void require_folders(const std::string& path) const;
    std::string resolve(std::string path) const;
    const Node* find(const std::string& path) const;
    bool is_folder(const std::string& path) const;
    Nodes take(const std::string& path);
    Result<Walk> begin_walk(const std::string& folder) const;
    void survey(Walk& walk, const std::string& folder, const std::string& shown, std::size_t depth) const;
    Status walk(Walk& walk, const std::string& folder, const std::string& shown) const;
    Status walk_link(Walk& walk, const std::string& place, const std::string& shown) const;

    mutable std::mutex mutex_;
    Nodes nodes_;  // by path; folders only if they were made
    std::map<std::string, Fault> faults_;
    std::int64_t writes_ = 0;
    mutable std::size_t lists_ = 0;
    mutable std::size_t reads_ = 0;
    mutable std::map<std::string, std::size_t> reads_of_;
};

}  // namespace lyre::inline core
