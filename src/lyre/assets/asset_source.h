// assets/asset_source.h: where assets come from: something that lists them and hands them over decoded.
//
// FolderSource (folder_source.h) reads files people wrote. A cooked pack will be another source: nothing above this
// line sees the difference. list() runs on the frame's thread; decode() on workers, several at once, so it may look at
// nothing that the frame's thread changes: what it needs of types comes in as a DecodeSchema, which does not change.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lyre/assets/asset_id.h"
#include "lyre/core/content_reader.h"
#include "lyre/core/files.h"
#include "lyre/core/problem.h"

namespace lyre::assets {

struct DecodeSchema;  // content_types.h

// One asset as its source knows it.
struct AssetEntry {
    PrimaryAssetId id;
    std::string path;             // as people would open it
    std::uint64_t bytes = 0;      // in the source; weight of the progress of loads
    std::int64_t changed_ns = 0;  // differs when it was written again
};

struct AssetReference {
    PrimaryAssetId asset;
    Name bundle;  // none: always
    SourcePlace place;
};

// What a worker hands over: an object nobody else knows yet, and what is left to do with it on the frame's thread.
struct DecodedAsset {
    std::shared_ptr<const void> object;      // null: problems say why
    Name object_type;                        // of C++: type_name<T>()
    const Type* type = nullptr;              // of a described object
    std::uint64_t bytes = 0;                 // of memory, with all it holds
    std::uint64_t hash = 0;                  // of its values; over the bytes of what is no TOML
    std::vector<AssetReference> references;  // as annotated
    std::vector<ContentHook> bundle_hooks;   // records with add_bundle_data
    std::vector<const Type*> part_types;     // of parts inside: they cannot be unregistered while it is there
    Reading reading;                         // problems, and lookups that are still to do
    std::shared_ptr<const void> kept;        // what lookups and hooks point into, also of one with problems
    std::int64_t changed_ns = 0;             // of the file that was read

    bool is_ok() const { return object != nullptr && reading.problems.is_empty(); }
};

class AssetSource {
public:
    virtual ~AssetSource() = default;
    virtual std::string describe() const = 0;  // "folder game/content"
    // What is there now, in order of id, each once; and what is wrong with the names of things (duplicates, links that
    // lead out). Unavailable if there is no such place.
    virtual Result<std::vector<AssetEntry>> list(const DecodeSchema& schema, Problems& problems) const = 0;
    // Worker. The schema has to stay until what comes back is linked.
    virtual DecodedAsset decode(const AssetEntry& entry, const DecodeSchema& schema) const = 0;
    virtual std::int64_t changed_ns(const AssetEntry& entry) const = 0;  // worker; 0: gone
};

}  // namespace lyre::assets
