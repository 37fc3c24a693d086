#include "lyre/assets/bundles.h"

#include <algorithm>

namespace lyre::assets {
namespace {

std::string_view spoken(Name bundle) {
    return bundle.is_none() ? "always" : bundle.text();
}

}  // namespace

Status BundleTable::add_asset(Name bundle, PrimaryAssetId asset) {
    if (asset.is_none()) return refuse(Status::invalid("bundle {}: no asset is named", spoken(bundle)));
    return add(bundle, {asset, {}});
}

Status BundleTable::add_class(Name bundle, Name class_name) {
    if (class_name.is_none()) return refuse(Status::invalid("bundle {}: no class is named", spoken(bundle)));
    return add(bundle, {{}, class_name});
}

Status BundleTable::add(Name name, const BundleEntry& entry) {
    auto bundle =
        std::lower_bound(bundles_.begin(), bundles_.end(), name, [](const Bundle& a, Name b) { return a.name < b; });
    const bool is_new = bundle == bundles_.end() || bundle->name != name;
    if (is_new && bundles_.size() == kMaxBundles)
        return refuse(Status::capacity("bundle {} is one more than the {} an asset may have", name, kMaxBundles));
    if (is_new) bundle = bundles_.insert(bundle, Bundle{name, {}});
    // Most come in order: then nothing is moved.
    auto& entries = bundle->entries;
    const auto at = entries.empty() || entries.back() < entry ? entries.end()
                                                              : std::lower_bound(entries.begin(), entries.end(), entry);
    if (at != entries.end() && *at == entry) return Status::ok();
    if (count_ == kMaxEntries)
        return refuse(Status::capacity("bundle {}: an asset may name no more than {} others in its bundles",
                                       spoken(name), kMaxEntries));
    entries.insert(at, entry);
    ++count_;
    return Status::ok();
}

Status BundleTable::refuse(Status why) {
    if (refused_.is_ok()) refused_ = why;
    return why;
}

std::span<const BundleEntry> BundleTable::entries(Name name) const {
    const auto bundle =
        std::find_if(bundles_.begin(), bundles_.end(), [name](const Bundle& b) { return b.name == name; });
    return bundle == bundles_.end() ? std::span<const BundleEntry>{} : std::span<const BundleEntry>(bundle->entries);
}

std::string BundleTable::to_string() const {
    std::string text;
    for (const Bundle& bundle : bundles_) {
        std::string_view between = ": ";
        text += spoken(bundle.name);
        for (const BundleEntry& entry : bundle.entries) {
            text += between;
            text += entry.asset.is_none() ? fmt::format("class {}", entry.class_name) : entry.asset.to_string();
            between = ", ";
        }
        text += '\n';
    }
    return text;
}

}  // namespace lyre::assets
