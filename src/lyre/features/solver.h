// features/solver.h: which features have to come up, in which order, for what was asked; or why that cannot be.
//
//     Catalogue catalogue;                                 // who is there
//     catalogue.add(manifest);
//     Plan plan = make_plan(catalogue, wishes, Roles::of(world.net_mode()));
//     if (plan.is_ok()) for (Name feature : plan.order) ...
//
// Pure functions over manifests: no state, nothing is moved, nothing kept. There is one version of a feature on disk,
// so there is nothing to choose but which optional features are left out:
//
//     required       what is asked for, and what that needs: missing, in a circle, of a version that does not fit or
//                    incompatible with another of these is an error
//     optional       taken if it works out together with all that is in already, with what it needs; else it is left
//                    out and told in `degraded`. They are tried in order of id; of two that exclude each other the
//                    first stays.
//
// A dependency with a side counts only for roles of that side. Two features in a circle over required or optional
// dependencies are refused both: neither could come first. Answers do not depend on the order of anything that is
// handed in; ties go by id. Each error stands for one smallest conflict: its text has the wishes that cannot hold
// together and nothing else, and ends with what would mend it. Linear in the features that are reached (with a
// logarithm for their order), without recursion. Any thread.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lyre/features/feature_error.h"
#include "lyre/features/manifest.h"

namespace lyre::features {

// The features that are there, by id. Keeps addresses: the manifests outlive it.
class Catalogue {
public:
    bool add(const Manifest& manifest);  // false: the id is taken
    bool remove(Name id) { return manifests_.erase(id) != 0; }
    const Manifest* find(Name id) const;
    std::string_view nearest(std::string_view id) const;  // for "did you mean"; empty: none is near
    const std::map<Name, const Manifest*>& all() const { return manifests_; }
    bool has_incompatible() const { return has_incompatible_; }  // somebody ever said so of another

private:
    std::map<Name, const Manifest*> manifests_;
    bool has_incompatible_ = false;
};

enum class Need : std::uint8_t { Required, Optional };
inline void describe(EnumBuilder<Need>& e) {
    e.value("required", Need::Required).value("optional", Need::Optional);
}

struct Wish {
    Name feature{};
    VersionRange versions{};
    std::string who{};  // "experience tag (content/tag.experience.toml:3:14)", "--feature"
    Need need = Need::Required;
};

// An optional feature that is left out, or in though not in the version that somebody wished for.
struct Degraded {
    Name feature{};
    std::string wanted_by{};  // id of a feature, or the `who` of a wish
    std::string reason{};
};

struct Plan {
    static constexpr std::size_t kMaxErrors = 100;
    static constexpr std::size_t kMaxDegraded = 1000;

    std::vector<Name> order{};         // dependencies first; empty if there are errors
    std::vector<Degraded> degraded{};  // the first kMaxDegraded
    // `feature` is the asked one that cannot be had (the first by id, if there are several); `state` is that of an
    // idle feature: whoever knows better sets it.
    std::vector<FeatureError> errors{};
    std::size_t errors_dropped = 0, degraded_dropped = 0;

    bool is_ok() const { return errors.empty(); }
};
Plan make_plan(const Catalogue& catalogue, std::span<const Wish> wishes, Roles roles);

// These, dependencies first, ties by id; for the way down read it backwards. What lies between two of them counts
// though it is not listed. What is in a circle or needs such a one, and then the unknown, stand
// last, by id. Each once.
std::vector<Name> topological_order(const Catalogue& catalogue, std::span<const Name> features,
                                    Roles roles = Roles::all());

std::string cycle_text(const std::vector<Name>& cycle);  // "a -> b -> a"

// Two features of which one says that it cannot be with the other.
struct Incompatibility {
    Name first{}, second{};  // by id
    Name said_by{};
    Scope scope = Scope::World;
    std::string reason{};
    std::string text() const;  // "chess and tag cannot be active in one world, as tag says (both own the board)"
    FeatureError to_error(Name feature) const;
};
// Scope::World: the features are those of one world, every declaration counts. Scope::Process: they are those of a
// process, in whatever worlds, and only declarations for the process count. In order of ids; unknown ones are ignored.
std::vector<Incompatibility> find_incompatible(const Catalogue& catalogue, std::span<const Name> features, Roles roles,
                                               Scope together);

}  // namespace lyre::features
