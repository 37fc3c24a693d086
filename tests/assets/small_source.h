// What the tests of loading stand on: assets made up in memory, and Assets over workers in virtual time.
#pragma once

#include <atomic>
#include <gtest/gtest.h>
#include <map>
#include <mutex>
#include <stdexcept>

#include "lyre/assets/assets.h"
#include "lyre/core/virtual_executor.h"
#include "lyre/core/virtual_files.h"

namespace lyre::assets {

inline PrimaryAssetId id(std::string_view text) {
    return *PrimaryAssetId::parse(text);
}
inline std::vector<PrimaryAssetId> ids(std::initializer_list<std::string_view> texts) {
    std::vector<PrimaryAssetId> all;
    for (std::string_view text : texts) all.push_back(id(text));
    return all;
}
inline std::vector<Name> names(std::initializer_list<std::string_view> texts) {
    std::vector<Name> all;
    for (std::string_view text : texts) all.emplace_back(text);
    return all;
}

// What every asset of a SmallSource is. Counts those that live.
struct Thing {
    explicit Thing(int number) : version(number) { ++alive; }
    ~Thing() { --alive; }
    int version = 0;
    static inline std::atomic<int> alive = 0;
};

// A record that adds to its asset's bundles what it is told to.
struct Badge {
    static void describe(TypeBuilder<Badge>& t) {
        t.hook<&Badge::add_bundle_data>("add_bundle_data");
        t.internal(&Badge::class_name);
        t.internal(&Badge::throws);
    }
    void add_bundle_data(BundleTable& table) const {
        if (!class_name.is_none()) table.add_class(Name("Client"), class_name).ignore();
        if (throws) throw std::runtime_error("the badge is bent");
    }
    Name class_name = {};
    bool throws = false;
};

struct ThingDef {
    std::vector<std::pair<std::string, std::string>> needs = {};  // asset, bundle; "": always
    std::uint64_t bytes = 100;
    bool is_broken = false;
    bool throws = false;
    std::optional<Badge> badge = {};
    int version = 1;
};

class SmallSource final : public AssetSource {
public:
    void set(std::string_view text, ThingDef def) {
        const std::lock_guard lock(mutex_);
        defs_[id(text)] = std::move(def);
    }
    void remove(std::string_view text) {
        const std::lock_guard lock(mutex_);
        defs_.erase(id(text));
    }
    int decodes() const { return decodes_; }
    int decodes(std::string_view text) const {
        const std::lock_guard lock(mutex_);
        return static_cast<int>(std::count(order_.begin(), order_.end(), id(text)));
    }
    std::vector<PrimaryAssetId> order() const {
        const std::lock_guard lock(mutex_);
        return order_;
    }
    void break_decode(int number) { broken_ = number; }  // counted from 1

    std::string describe() const override { return "made up"; }
    Result<std::vector<AssetEntry>> list(const DecodeSchema&, Problems&) const override {
        std::vector<AssetEntry> entries;
        for (const auto& [asset, def] : defs_) entries.push_back({asset, asset.to_string(), def.bytes, def.version});
        return entries;
    }
    DecodedAsset decode(const AssetEntry& entry, const DecodeSchema&) const override {
        const std::lock_guard lock(mutex_);
        ++decodes_;
        order_.push_back(entry.id);
        DecodedAsset asset;
        const auto found = defs_.find(entry.id);
        if (found != defs_.end() && found->second.throws) throw std::runtime_error("no such luck");
        if (found != defs_.end()) asset.changed_ns = found->second.version;
        if (found == defs_.end() || found->second.is_broken || decodes_ == broken_) {
            static constexpr ProblemCode kBroken{9999, "broken", ""};
            Problem problem;
            problem.code = &kBroken;
            problem.text = fmt::format("{} is broken", entry.id);
            problem.file = entry.path;
            problem.chain = {entry.id.to_string()};
            asset.reading.problems.add(std::move(problem));
            return asset;
        }
        fill(asset, found->second);
        return asset;
    }
    std::int64_t changed_ns(const AssetEntry& entry) const override {
        const std::lock_guard lock(mutex_);
        const auto found = defs_.find(entry.id);
        return found == defs_.end() ? 0 : found->second.version;
    }

private:
    static void fill(DecodedAsset& asset, const ThingDef& def) {
        asset.object = std::make_shared<Thing>(def.version);
        asset.object_type = type_name<Thing>();
        asset.bytes = def.bytes;
        asset.hash = static_cast<std::uint64_t>(def.version);
        for (const auto& [need, bundle] : def.needs) asset.references.push_back({id(need), Name(bundle), {}});
        if (!def.badge) return;
        const auto badge = std::make_shared<Badge>(*def.badge);
        asset.kept = badge;
        ContentHook& hook = asset.bundle_hooks.emplace_back();
        hook.type = &type_of_record<Badge>();
        hook.object = badge.get();
    }

    mutable std::mutex mutex_;
    std::map<PrimaryAssetId, ThingDef> defs_;
    mutable int decodes_ = 0;
    mutable std::vector<PrimaryAssetId> order_;
    int broken_ = 0;
};

// Assets over a SmallSource; jobs take no virtual time unless said otherwise.
struct SmallHouse {
    explicit SmallHouse(const VirtualWorkers& workers = {.workers = 64}) : executor(clock, workers) {}

    void set(std::string_view text, ThingDef def = {}) { source->set(text, std::move(def)); }
    // When all is set; what is set later is another version of what is known.
    void open() {
        const auto added = assets->registry().add_source(source, Name("made_up"));
        ASSERT_TRUE(added.is_ok()) << added.status().to_string();
        root = *added;
    }
    LoadHandle load(std::initializer_list<std::string_view> texts, Priority priority = Priority::Normal) {
        return assets->load_assets(ids(texts), priority);
    }
    LoadHandle load(std::initializer_list<std::string_view> texts, std::initializer_list<std::string_view> bundles,
                    LoadHandle previous = {}) {
        return assets->change_bundle_state(ids(texts), {.add = names(bundles)}, Priority::Normal, std::move(previous));
    }
    void frame() {
        clock.advance(1000);
        if (assets != nullptr) assets->pump();
    }
    void frames(int count = 40) {
        for (int i = 0; i < count; ++i) frame();
    }
    AssetState state(std::string_view text) const { return assets->state(id(text)); }
    bool is_there(std::string_view text) const { return state(text) == AssetState::There; }
    const Thing* find(std::string_view text) const { return assets->find<Thing>(id(text)); }

    VirtualClock clock;
    Log log{clock};
    TypeRegistry types;
    TagTable tags;
    VirtualFiles files;
    VirtualExecutor executor;
    std::shared_ptr<SmallSource> source = std::make_shared<SmallSource>();
    std::unique_ptr<Assets> assets = std::make_unique<Assets>(AssetsSetup{types, tags, log, clock, files, executor});
    RootId root;
};

}  // namespace lyre::assets
