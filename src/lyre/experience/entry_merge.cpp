#include "lyre/experience/detail/entry_merge.h"

#include <map>
#include <set>

namespace lyre::experience::detail {
namespace {

const FeatureEntry& entry_at(const EntryPlace& place) {
    return (*place.list->features)[place.index];
}

const features::VersionRange& range_at(const EntryPlace& place) {
    static const features::VersionRange kAny;
    return place.list->is_feature() ? kAny : entry_at(place).versions;
}

features::Side united(features::Side a, features::Side b) {
    return a == b ? a : features::Side::Both;
}

// Ranges are intervals: where all have nothing in common, two of them have not.
EntryPlace other_side(const std::vector<EntryPlace>& places, const EntryPlace& place) {
    for (const EntryPlace& earlier : places)
        if (range_at(earlier).intersect(range_at(place)).is_empty()) return earlier;
    return places.front();
}

EntryConflict conflict_of(const MergedEntry& merged, const EntryPlace& place) {
    const Name id = merged.entry.id;
    if (range_at(place).is_empty())
        return {id, place, place,
                fmt::format("no version of {} can do: {} asks for {}, which contains none", id, place.to_string(),
                            range_at(place))};
    const EntryPlace first = other_side(merged.places, place);
    return {id, first, place,
            fmt::format("no version of {} can do: {} asks for {}, and {} asks for {}", id, first.to_string(),
                        range_at(first), place.to_string(), range_at(place))};
}

// By id, as it grows.
class Merger {
public:
    void add(const EntryPlace& place, const FeatureEntry& entry) {
        const auto [at, is_new] = entries_.try_emplace(entry.id);
        MergedEntry& merged = at->second;
        if (is_new) {
            merged.entry = entry;
            merged.entry.versions = {};
        }
        if (entry.need == features::Need::Required) merged.entry.need = features::Need::Required;
        merged.entry.side = united(merged.entry.side, entry.side);
        if (!entry.versions.is_any() && !conflicts_.contains(entry.id)) {
            const features::VersionRange& before = merged.entry.versions;
            const features::VersionRange common =
                before.is_any() ? entry.versions : before.intersect(entry.versions);  // else spelt as written
            if (common.is_empty()) conflicts_.emplace(entry.id, conflict_of(merged, place));
            merged.entry.versions = common;
        }
        merged.places.push_back(place);
    }
    MergedEntries finish() {
        MergedEntries result;
        for (auto& [id, merged] : entries_) result.entries.push_back(std::move(merged));
        for (auto& [id, conflict] : conflicts_) result.conflicts.push_back(std::move(conflict));
        return result;
    }

private:
    std::map<Name, MergedEntry> entries_;
    std::map<Name, EntryConflict> conflicts_;
};

}  // namespace

std::vector<PlanList> lists_of(const PlanSource& source) {
    std::vector<PlanList> lists;
    std::set<assets::PrimaryAssetId> seen;
    if (source.definition != nullptr)
        lists.push_back(
            {source.experience, &source.definition->features, &source.definition->actions, false, source.hash});
    const auto add = [&](const SetSource& set, bool is_overlay) {
        if (!seen.insert(set.id).second) return;
        if (set.set != nullptr)
            lists.push_back({set.id, &set.set->features, &set.set->actions, is_overlay, set.hash});
        else
            lists.push_back({set.id, nullptr, nullptr, is_overlay, set.hash});
    };
    for (const SetSource& set : source.sets) add(set, false);
    for (const SetSource& overlay : source.overlays) add(overlay, true);
    return lists;
}

std::string EntryPlace::to_string() const {
    return list->is_feature() ? fmt::format("overlay {}", list->from)
                              : fmt::format("features[{}] in {}", index, list->from);
}

MergedEntries merge_entries(const std::vector<PlanList>& lists) {
    Merger merger;
    for (const PlanList& list : lists) {
        if (list.is_feature()) {
            FeatureEntry entry;
            entry.id = list.from.name;
            merger.add({&list, 0}, entry);
            continue;
        }
        for (std::size_t i = 0; i < list.features->size(); ++i)
            if ((*list.features)[i].id) merger.add({&list, i}, (*list.features)[i]);
    }
    return merger.finish();
}

}  // namespace lyre::experience::detail
