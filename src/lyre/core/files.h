// core/files.h: files, from whoever was handed in: the disk, or a tree in memory that a test or a simulation makes up.
//
// Paths are text with '/' between their parts. Listing never enters a link that leads out of its folder; reading
// follows links, so what was listed as leading out is not to be read. How much is read is bounded by the caller.
// RealFiles is the one place in the library that opens files. Any thread may ask; nothing here keeps anything open.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lyre/core/status.h"

namespace lyre::inline core {

// What a file holds. Not cleared before it is filled: large files are read at the speed of memory.
class Bytes {
public:
    Bytes() = default;
    explicit Bytes(std::size_t size) : data_(new char[size]), size_(size) {}
    explicit Bytes(std::string_view text);
    char* data() { return data_.get(); }
    const char* data() const { return data_.get(); }
    std::size_t size() const { return size_; }
    void shrink(std::size_t size) { size_ = size < size_ ? size : size_; }
    std::string_view text() const { return {data_.get(), size_}; }

private:
    std::unique_ptr<char[]> data_;
    std::size_t size_ = 0;
};

bool leads_out(std::string_view path);  // of the folder it is seen from, by its words: begins with '/' or has ".."

enum class FileKind : std::uint8_t { Regular, Folder, LinkOut, Other };  // a link that stays inside is what it leads to

struct FileInfo {
    std::string path;  // below the folder that was listed, or as asked for
    FileKind kind = FileKind::Regular;
    std::uint64_t bytes = 0;
    std::int64_t changed_ns = 0;  // differs when it was written again; no time of anything
};

class Files {
public:
    static constexpr std::size_t kMaxListed = 1'000'000;  // entries of one folder with all below
    static constexpr std::size_t kMaxDepth = 64;          // folders in each other

    virtual ~Files() = default;
    // Everything below a folder, in order of path (byte by byte), without opening a file. Folders are not listed
    // themselves; a link to something outside, or to a folder that contains it, is LinkOut and not entered; one that
    // leads nowhere is Other. A folder below that cannot be read fails the whole.
    virtual Result<std::vector<FileInfo>> list(const std::string& folder) const = 0;
    // As list(), but no deeper than `depth` folders, with folders themselves, and what below cannot be read or looked
    // at is Other and fails nothing: look() or list() of it says why.
    virtual Result<std::vector<FileInfo>> survey(const std::string& folder, std::size_t depth) const = 0;
    virtual Result<FileInfo> look(const std::string& path) const = 0;  // of what a link leads to
    // NotFound if it is not there; Capacity if it is larger than that; Unavailable with the system's reason if it
    // cannot be read.
    virtual Result<Bytes> read(const std::string& path, std::uint64_t max_bytes) const = 0;

protected:
    Files() = default;
    Files(const Files&) = delete;
    Files& operator=(const Files&) = delete;
};

namespace detail {  // the same words and rules, whoever the files come from
Status missing_file(const std::string& path);
Status unreadable_file(const std::string& path, std::string_view reason);
Status large_file(const std::string& path, std::uint64_t bytes, std::uint64_t max_bytes);
Status large_folder(const std::string& path);                   // more than kMaxListed or deeper than kMaxDepth
bool is_below(std::string_view path, std::string_view folder);  // by their text
void sort_by_path(std::vector<FileInfo>& files);
}  // namespace detail

}  // namespace lyre::inline core
