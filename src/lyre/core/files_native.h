// core/files_native.h: the files of this machine. The one place in the library that opens any; only for reading.
//
// Anything but a regular file (a pipe, a device, a folder) is refused instead of waited for. What is read is what the
// file held when it was opened, less if it shrinks meanwhile; a writer who wants readers to see all or nothing renames
// a finished file into place. FileInfo::changed_ns comes from the time of the last change of content, name or mode,
// which nobody can set back; two writes within one step of the kernel's clock (some milliseconds) may look like one.
#pragma once

#include <optional>

#include "lyre/core/files.h"

namespace lyre::inline core {

class RealFiles final : public Files {
public:
    Result<std::vector<FileInfo>> list(const std::string& folder) const override;
    Result<std::vector<FileInfo>> survey(const std::string& folder, std::size_t depth) const override;
    Result<FileInfo> look(const std::string& path) const override;
    Result<Bytes> read(const std::string& path, std::uint64_t max_bytes) const override;

private:
    Result<std::vector<FileInfo>> walk(const std::string& folder, std::optional<std::size_t> depth) const;
};

}  // namespace lyre::inline core
