// assets/folder_source.h: assets as files that people write into a folder.
//
//     auto source = std::make_shared<FolderSource>(files, "game/content", Name("project"));
//
// NAME.TYPE.toml is the asset TYPE:NAME, NAME.EXT the asset EXT:NAME where a loader takes EXT (registry.h). Passed over
// in silence: what has no loader, what is hidden (".git"), what editors leave behind ("yard.map.toml~"), and the files
// that describe the folder itself (lyre.toml, feature.toml). Listing opens nothing. Decoding reads one file and nothing
// else; no path it is given leads out of the folder. Keeps no state: workers decode at the same time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lyre/assets/asset_source.h"
#include "lyre/assets/content_types.h"

namespace lyre::assets {

class FolderSource final : public AssetSource {
public:
    FolderSource(const Files& files, std::string path, Name label);  // `files` outlives it

    std::string describe() const override;
    Result<std::vector<AssetEntry>> list(const DecodeSchema& schema, Problems& problems) const override;
    DecodedAsset decode(const AssetEntry& entry, const DecodeSchema& schema) const override;
    std::int64_t changed_ns(const AssetEntry& entry) const override;

private:
    std::optional<Bytes> read(const AssetEntry& entry, std::uint64_t max_bytes, DecodedAsset& asset) const;
    bool is_inside(const std::string& path) const;

    const Files& files_;
    std::string path_;  // without '/' at its end
    Name label_;
};

}  // namespace lyre::assets
