// features/policy.h: what a project decides about its features: which may be used, what is loaded, when they go.
//
//     struct OurPolicy : FeaturePolicy {
//         Status allow(const Manifest& feature) const override { ... }
//     };
//     OurPolicy policy;
//     Features features({.runtime = ..., .policy = &policy});      // it outlives Features
//
// The default allows everything, loads the bundles of each world's role, and unloads at once. Functions are called on
// the frame's thread and may look at anything; they change nothing.
#pragma once

#include <string>
#include <vector>

#include "lyre/assets/asset_id.h"
#include "lyre/core/status.h"
#include "lyre/features/side.h"

namespace lyre::features {

struct Manifest;  // manifest.h

// What becomes of a feature that nobody owns any more.
struct UnloadPolicy {
    enum class Kind : std::uint8_t { Default, UnloadNow, KeepWarm } kind = Kind::Default;
    std::size_t count = 0;  // KeepWarm: so many at most, the least recently left goes first
    double seconds = 0;     // KeepWarm: it goes after this long; 0: it stays

    friend bool operator==(const UnloadPolicy&, const UnloadPolicy&) = default;
    static UnloadPolicy unload_now() { return {Kind::UnloadNow, 0, 0}; }
    static UnloadPolicy keep_warm(std::size_t count, double seconds) { return {Kind::KeepWarm, count, seconds}; }
};

enum class InstancesPolicy : std::uint8_t {
    Refuse,   // a feature whose objects live stays registered, and says which
    Destroy,  // they are destroyed, newest first
};

class FeaturePolicy {
public:
    virtual ~FeaturePolicy() = default;
    // Not ok: it cannot move up; the text is told to whoever asked.
    virtual Status allow(const Manifest&) const { return Status::ok(); }
    virtual std::vector<Name> bundles(Roles roles) const;  // Equipped, Client, Server
    virtual std::vector<assets::PrimaryAssetId> preload(const Manifest&) const { return {}; }  // nothing waits for them
    virtual UnloadPolicy unload() const { return UnloadPolicy::unload_now(); }
    virtual InstancesPolicy instances(const Manifest&) const { return InstancesPolicy::Refuse; }
};

// Only what is on a list, such as one in a server's configuration.
class AllowList final : public FeaturePolicy {
public:
    AllowList(std::string name, std::vector<Name> ids) : name_(std::move(name)), ids_(std::move(ids)) {}
    Status allow(const Manifest& feature) const override;  // refused with the list's name

private:
    std::string name_;
    std::vector<Name> ids_;
};

}  // namespace lyre::features
