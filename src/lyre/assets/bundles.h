// assets/bundles.h: what an asset needs besides itself, by the name of the occasion.
//
// An asset refers to others in three ways, said where the property is described:
//     .asset("mesh")                     loaded with it, and held as long as it is
//     .asset("icon").bundle("Client")    loaded when somebody asks for its bundle Client
//     .asset("experience").soft()        only has to exist
// A record inside the asset may add more through its hook add_bundle_data(BundleTable&): an action its component class
// to Client or Server. A class needs no loading: it is there when its type is registered.
//
// The bundles everybody knows are Equipped, Client and Server; others may be made up. Bundles do not reach further
// than one asset: what a bundle names is loaded with what it always needs, not with its own bundles.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lyre/assets/asset_id.h"

namespace lyre::assets {

struct BundleEntry {
    PrimaryAssetId asset;  // or
    Name class_name;       // a class
    friend bool operator==(const BundleEntry&, const BundleEntry&) = default;
    friend std::strong_ordering operator<=>(const BundleEntry&, const BundleEntry&) = default;
};

class BundleTable {
public:
    static constexpr std::size_t kMaxBundles = 64;
    static constexpr std::size_t kMaxEntries = 65'536;  // all bundles together; more are refused

    struct Bundle {
        Name name;                         // none: always loaded with the asset
        std::vector<BundleEntry> entries;  // sorted, each once
    };

    Status add_asset(Name bundle, PrimaryAssetId asset);
    Status add_class(Name bundle, Name class_name);
    const Status& refused() const { return refused_; }  // why the first was that was; hooks need not look
    std::span<const BundleEntry> entries(Name bundle) const;
    const std::vector<Bundle>& all() const { return bundles_; }  // in order of name
    std::string to_string() const;  // a line per bundle: "Client: icon:flag, class Scoreboard"

private:
    Status add(Name bundle, const BundleEntry& entry);
    Status refuse(Status why);
    std::vector<Bundle> bundles_;
    std::size_t count_ = 0;  // entries of all
    Status refused_;
};

}  // namespace lyre::assets
