// experience/detail/plan_cache.h: plans that were made before, for who wants the same again.
//
//     std::shared_ptr<const ExperiencePlan> plan = cache.plan(source, features, version, role);
//
// A plan is a function of contents, so contents are the key: ids and hashes of the definition, its sets, overlays and
// pawn data, and the role. A file that was loaded again with other content is another key; when the features have
// another version all plans are forgotten. What the actions of a file come down to depends on that file alone and is
// kept longer: it is most of a plan that is made anew. What a feature is refused for in one world, now, is asked each
// time: a plan that has to do without one is made for this once, and not kept. Frame's thread.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "lyre/experience/plan.h"

namespace lyre::experience::detail {

// The actions of a definition or a set, in their order.
struct ListedActions {
    std::vector<PlannedAction> actions{};
    std::vector<std::size_t> empty{};  // entries that say nothing
    Status status{};                   // why there is no order
};

class ActionLists {
public:
    static constexpr std::size_t kMaxLists = 64;  // those that were wanted last

    // A hash of 0 is no hash: made each time.
    std::shared_ptr<const ListedActions> find_or_make(assets::PrimaryAssetId from, std::uint64_t hash,
                                                      const std::vector<features::ActionPart>& parts);
    std::size_t size() const { return entries_.size(); }

private:
    struct Entry {
        assets::PrimaryAssetId from;
        std::uint64_t hash;
        std::shared_ptr<const ListedActions> listed;
    };
    std::vector<Entry> entries_;  // the one that was wanted last stands last
};

ExperiencePlan make_plan(const PlanSource& source, const FeatureSource& features, NetMode role,
                         ActionLists& known_actions);

class PlanCache {
public:
    static constexpr std::size_t kMaxPlans = 16;  // those that were wanted last

    // What make_plan() gives for these. `version`: of the features.
    std::shared_ptr<const ExperiencePlan> plan(const PlanSource& source, const FeatureSource& features,
                                               std::uint64_t version, NetMode role);
    std::size_t size() const { return entries_.size(); }

private:
    struct Key {
        using Content = std::pair<assets::PrimaryAssetId, std::uint64_t>;
        NetMode role = NetMode::Standalone;
        Content experience{};
        std::uint64_t pawn_hash = 0;
        std::vector<Content> sets{}, overlays{};
        friend bool operator==(const Key&, const Key&) = default;
    };
    struct Entry {
        Key key;
        std::shared_ptr<const ExperiencePlan> plan;
    };
    static Key key_of(const PlanSource& source, NetMode role);
    const std::shared_ptr<const ExperiencePlan>& find_or_make(const PlanSource& source, const FeatureSource& features,
                                                              NetMode role);

    std::vector<Entry> entries_;  // the one that was wanted last stands last
    ActionLists actions_;
    std::uint64_t version_ = 0;
};

}  // namespace lyre::experience::detail
