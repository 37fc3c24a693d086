// experience/detail/plan_cache.h: plans that were made before, for who wants the same again.
//
//     std::shared_ptr<const ExperiencePlan> plan = cache.plan(source, features, version, role);
//
// A plan is a function of contents, so contents are the key: ids and hashes of the definition, its sets, overlays and
// pawn data, and the role. A file that was loaded again with other content is another key; when the features have
// another version everything is forgotten. What a feature is refused for in one world, now, is asked each time: a plan
// that has to do without one is made for this once, and not kept. Frame's thread.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "lyre/experience/plan.h"

namespace lyre::experience::detail {

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
    std::uint64_t version_ = 0;
};

}  // namespace lyre::experience::detail
