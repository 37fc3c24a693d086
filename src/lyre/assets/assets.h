// assets/assets.h: loads what was asked for, keeps it while somebody holds it, and lets it go.
//
//     LoadHandle hold = assets.change_bundle_state({{experience}}, {.add = {Name("Client")}}, Priority::High);
//     ...once per frame: assets.pump();                        // hands over what workers have finished
//     if (hold.is_complete()) const ExperienceDef* def = assets.find<ExperienceDef>(experience);
//
// An asset's life:
//
//     absent -> waiting -> at a worker -> linking -> there -> (nobody holds it) -> absent with the next pump
//                                 |           |
//                                 +-----------+--> failed: absent again when the last who asked has let go
//
// Workers read and decode (asset_source.h); everything else happens in pump(), on the frame's thread, within a budget
// of time: linking, callbacks, freeing. What is large is spread over frames. An asset is there once it and all it
// always needs are; a reference that leads back to itself is refused with the whole circle in the problem.
//
// Holding is per handle: per asset and bundle. No handle takes away what another holds. find() gives a pointer that is
// good until the next pump; whoever wants to know of a new version listens to `reloaded`.
//
// Nothing of this reads a clock but through the one handed in, so that a simulation repeats; under it the order in
// which loads end is the same for the same seed.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lyre/assets/bundles.h"
#include "lyre/assets/load_handle.h"
#include "lyre/assets/registry.h"
#include "lyre/core/clock.h"
#include "lyre/core/executor.h"
#include "lyre/core/log.h"
#include "lyre/core/tags.h"

namespace lyre::assets {

struct AssetsSetup {
    TypeRegistry& types;
    TagTable& tags;
    Log& log;
    const Clock& clock;
    const Files& files;
    Executor& executor;
};

struct BundleChange {
    std::vector<Name> add = {};
    std::vector<Name> remove = {};
};

enum class AssetState : std::uint8_t { Absent, Waiting, Decoding, Linking, There, Failed };

// What one owner has asked for: a handle, or a callback on a handle of somebody else.
struct AssetHoldInfo {
    std::uint64_t registered = 0;
    std::string text;      // "map:yard, icon:flag and 3 more"
    bool is_over = false;  // complete or failed: it holds what is there
};

struct AssetMemory {
    std::uint64_t bytes = 0;
    std::size_t assets = 0;
};

class Assets {
public:
    static constexpr std::int64_t kBudgetUs = 2000;
    static constexpr std::size_t kMaxPerRequest = 1'000'000;       // assets; more are refused
    static constexpr std::size_t kMaxChains = 16, kMaxDepth = 16;  // of holder_chains

    explicit Assets(const AssetsSetup& setup);
    ~Assets();  // handles that are not over are cancelled; waits for workers that are inside a decode
    Assets(const Assets&) = delete;
    Assets& operator=(const Assets&) = delete;

    ContentTypes& types();
    AssetRegistry& registry();
    const AssetRegistry& registry() const;

    // A hold on these assets with the bundles of `previous` (per asset; the handle is given up) plus `add` without
    // `remove`. Loads what is missing and keeps what is there. Nothing to do: the handle is complete already.
    LoadHandle change_bundle_state(std::span<const PrimaryAssetId> ids, const BundleChange& change,
                                   Priority priority = Priority::Normal, LoadHandle previous = {});
    LoadHandle load_assets(std::span<const PrimaryAssetId> ids, Priority priority = Priority::Normal);
    LoadHandle preload(std::span<const PrimaryAssetId> ids) { return load_assets(ids, Priority::Low); }
    // Over when all are; failed if any failed or was cancelled. Progress is the sum by weight.
    LoadHandle combine(std::vector<LoadHandle> handles);

    // Loads what is wanted, until it is over; for tools that have no frames. Nothing else happens meanwhile.
    void finish(const LoadHandle& handle);
    void pump(std::int64_t budget_us = kBudgetUs);
    // Frees now, whatever time it takes, what nobody holds and what workers have brought for nobody. Not in a callback.
    void collect();

    template <class T> const T* find(PrimaryAssetId id) const {
        return static_cast<const T*>(find_object(id, type_name<T>()));
    }
    // The same, for who keeps it as it is now: it stays when the asset goes, or comes in a new version. The types of
    // parts inside must stay registered as long.
    template <class T> std::shared_ptr<const T> find_shared(PrimaryAssetId id) const {
        return std::static_pointer_cast<const T>(find_shared_object(id, type_name<T>()));
    }
    AssetState state(PrimaryAssetId id) const;
    Result<std::uint64_t> content_hash(PrimaryAssetId id) const;       // of one that is there
    Result<const BundleTable*> bundle_table(PrimaryAssetId id) const;  // of one that is there
    std::vector<std::string> holders(PrimaryAssetId id) const;         // who holds it: owners and assets
    // Who holds it, who holds that, and so on up to an owner: {"map:yard", "process, for bundle Client of map:yard"}.
    // The shortest ways are not sought; at most kMaxChains, each at most kMaxDepth long ("..." where it goes on).
    std::vector<std::vector<std::string>> holder_chains(PrimaryAssetId id) const;
    std::vector<PrimaryAssetId> loaded_of_root(Name label) const;  // that are there, in order

    // What one owner holds or waits for, oldest first. Taking it back: the handle is Cancelled, also one that was
    // complete, and holds nothing; its callbacks are dropped, not called. False: there is none of that number.
    std::vector<AssetHoldInfo> holds_of(const Owner& owner) const;
    bool release_hold(std::uint64_t registered);

    AssetMemory memory() const;
    AssetMemory memory_of_bundle(Name bundle) const;  // held as part of a bundle of that name
    AssetMemory memory_of_root(Name label) const;     // of a feature, of the project

    // Development, for the program to call now and then: looks (on a worker) for changed files among those that are
    // held, and reads them again. A version without problems replaces the old one in a pump; `reloaded` is told for it,
    // then for all that refer to it. One with problems changes nothing; `reload_failed` is told. New files are found by
    // AssetRegistry::rescan(); a class made of an archetype keeps the defaults it was made with.
    void look_for_changes();
    Delegate<PrimaryAssetId> reloaded;  // also for those that refer to it
    Delegate<PrimaryAssetId, const Problems&> reload_failed;

private:
    const void* find_object(PrimaryAssetId id, Name object_type) const;
    std::shared_ptr<const void> find_shared_object(PrimaryAssetId id, Name object_type) const;
    std::shared_ptr<AssetStore> store_;  // never null; shared with a pump() in which a callback ends this
};

}  // namespace lyre::assets
