// experience/detail/entry_merge.h: the feature entries of a definition, its sets and overlays as one list. Not for
// others than plan.cpp and check.cpp.
//
// Whatever the role: entries for the client's and for the server's side make one for both.
#pragma once

#include <vector>

#include "lyre/experience/plan.h"

namespace lyre::experience::detail {

// The definition, a set or an overlay, as something that lists entries and actions.
struct PlanList {
    assets::PrimaryAssetId from{};
    const std::vector<FeatureEntry>* features = nullptr;
    const std::vector<features::ActionPart>* actions = nullptr;
    bool is_overlay = false;
    std::uint64_t hash = 0;                                  // of its content; 0: not known
    bool is_feature() const { return features == nullptr; }  // an overlay that is one feature
};
std::vector<PlanList> lists_of(const PlanSource& source);  // in order, each once

struct EntryPlace {
    const PlanList* list = nullptr;
    std::size_t index = 0;          // in its features
    std::string to_string() const;  // "features[1] in experience:tag"
};

struct MergedEntry {
    FeatureEntry entry{};
    std::vector<EntryPlace> places{};
};

// Two places that ask for versions that have nothing in common; one place, if its own range contains nothing.
struct EntryConflict {
    Name feature{};
    EntryPlace first{}, second{};
    std::string text{};  // without what would mend it
    bool is_of_one() const { return first.list == second.list && first.index == second.index; }
    std::string_view mending() const { return is_of_one() ? "mend this range" : "widen one of these ranges"; }
};

struct MergedEntries {
    std::vector<MergedEntry> entries{};      // by id; empty ones are left out
    std::vector<EntryConflict> conflicts{};  // at most one for each feature, by id
};
MergedEntries merge_entries(const std::vector<PlanList>& lists);  // keeps their addresses

}  // namespace lyre::experience::detail
