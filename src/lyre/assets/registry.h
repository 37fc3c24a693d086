// assets/registry.h: which assets there are, without opening one.
//
//     RootId root = *registry.add_folder("game/content", Name("project"));
//     registry.find({Name("map"), Name("yard")})->path;               // "game/content/maps/yard.map.toml"
//
// A root is a source of assets, usually a folder: the project's content, or a feature's. It is scanned when it is
// added: NAME.TYPE.toml is TYPE:NAME, NAME.EXT is EXT:NAME where a loader for EXT is registered; other files are not
// assets. Where a file lies below the root does not matter. Names that two files share, that differ in case only, or
// that are not made of a-z, 0-9, '_' are problems with the paths in them; what was known first stays.
// When a root goes its ids go; what is loaded stays while it is held. When content types come or go, the roots are
// listed again as soon as somebody asks. Pointers last until roots or content types change. Frame's thread.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "lyre/assets/asset_source.h"
#include "lyre/assets/content_types.h"
#include "lyre/core/delegate.h"
#include "lyre/core/handle.h"

namespace lyre::assets {

struct AssetRoot;
using RootId = Handle<AssetRoot>;

struct AssetInfo {
    AssetEntry entry;
    RootId root;
};

struct AssetRoot {
    Name label;        // who it is of: "project", a feature's id
    std::string what;  // "folder game/content"
    std::shared_ptr<const AssetSource> source;
    Owner owner;
    std::uint64_t registered = 0;
    Problems problems;  // of the last scan
    std::size_t assets = 0;
    std::size_t hidden = 0;  // assets whose ids another root had first
};

class AssetRegistry final : public AssetNames {
public:
    static constexpr std::size_t kMaxAssets = 1'000'000;
    static constexpr std::size_t kMaxRoots = 4096;

    AssetRegistry(ContentTypes& types, const Files& files, Log* log = nullptr);
    AssetRegistry(const AssetRegistry&) = delete;
    AssetRegistry& operator=(const AssetRegistry&) = delete;

    Result<RootId> add_folder(std::string path, Name label);  // NotFound names a folder beside it that is near
    // Refused if the same source is a root already. Problems with names are in the root, which is added all the same.
    Result<RootId> add_source(std::shared_ptr<const AssetSource> source, Name label);
    bool remove_root(RootId root);
    // Looks again: files that came, went or were written. Gives the ids that differ, in order.
    Result<std::vector<PrimaryAssetId>> rescan(RootId root);

    const AssetRoot* root(RootId root) const;
    std::vector<RootId> roots() const;  // in order of adding
    const AssetInfo* find(PrimaryAssetId id) const;
    Result<const AssetInfo*> get(PrimaryAssetId id) const;  // unknown: names the nearest
    std::vector<PrimaryAssetId> all() const;                // in order
    std::vector<PrimaryAssetId> of_type(Name type) const;
    std::size_t count() const;
    Problems problems() const;  // of all roots

    bool has_type(Name type) const override;
    bool has(Name type, std::string_view name) const override;
    std::string nearest(Name type, std::string_view name) const override;
    std::vector<std::string> names(Name type) const override;
    bool has_class(std::string_view name) const override;

    ContentTypes& types() { return types_; }
    Delegate<RootId> root_added, root_removed;  // what a listener throws is reported

private:
    Status refuse_source(const std::string& what) const;
    void catch_up() const;
    std::vector<AssetEntry> list(AssetRoot& root) const;
    void take(RootId id, std::vector<AssetEntry> entries) const;
    void forget(RootId id) const;
    void show_hidden() const;

    ContentTypes& types_;
    const Files& files_;
    Log* log_;
    std::vector<RootId> order_;
    // What questions may bring up to date.
    mutable HandleTable<AssetRoot> roots_;
    mutable std::unordered_map<PrimaryAssetId, AssetInfo> assets_;
    mutable bool is_stale_ = false;  // content types changed since the roots were listed
    Connection types_changed_;
};

}  // namespace lyre::assets
