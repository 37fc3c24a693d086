// Reloading a feature: it and those that depend on it go down, the newest version is opened, all come back. If the new
// one does not come up the old one does, from the bytes that were open before.
#include <algorithm>

#include "lyre/features/detail/feature_table.h"

namespace lyre::features {

void FeatureTable::begin_reload(Feature& feature, FeatureCallback callback) {
    const Entry entry(*this);
    for (const auto& other : reloads_)
        if (std::find(other->members.begin(), other->members.end(), feature.id) != other->members.end()) {
            if (callback)
                callback({feature.id,
                          feature.make_error(ErrorCode::HeldBy, fmt::format("{} is being reloaded", other->feature))});
            return;
        }
    auto reload = std::make_unique<Reload>();
    reload->feature = feature.id;
    reload->callback = std::move(callback);
    if (feature.module != nullptr) reload->old_image = setup.modules.image(*feature.module);
    std::vector<Feature*> members{&feature};
    for (std::size_t i = 0; i < members.size(); ++i)
        for (Feature* dependent : dependents_of(*members[i]))
            if (std::find(members.begin(), members.end(), dependent) == members.end()) members.push_back(dependent);
    std::sort(members.begin(), members.end(), [](const Feature* a, const Feature* b) { return a->rank < b->rank; });
    for (Feature* member : members) {
        reload->members.push_back(member->id);
        member->cap = Destination::Installed;
        member->was_owned = true;
        mark_busy(*member);
    }
    reloads_.push_back(std::move(reload));
}

void FeatureTable::run_reloads() {
    for (std::size_t i = 0; i < reloads_.size(); ++i) {
        Reload& reload = *reloads_[i];
        if (!step_reload(reload)) {
            if (Feature* feature = find(reload.feature)) moving_.insert(feature->id);
            continue;
        }
        const auto over = std::move(reloads_[i]);
        reloads_.erase(reloads_.begin() + static_cast<std::ptrdiff_t>(i--));
        if (over->callback) over->callback({over->feature, over->error});
    }
}

// True: it is over.
bool FeatureTable::step_reload(Reload& reload) {
    Feature* feature = find(reload.feature);
    std::vector<Feature*> members;
    for (Name id : reload.members)
        if (Feature* member = find(id)) members.push_back(member);
    if (feature == nullptr) {
        reload.error = unknown_error(reload.feature);
        for (Feature* member : members) {
            member->cap = Destination::Active;
            if (member->is_owned()) request(*member, GoalRange::at_least(member->owned_level()), {});
        }
        return true;
    }
    for (std::size_t i = 0; i < members.size() && reload.phase == Reload::Phase::Down; ++i)
        for (Feature* dependent : dependents_of(*members[i]))  // who has come meanwhile goes down, too
            if (std::find(members.begin(), members.end(), dependent) == members.end()) {
                dependent->cap = Destination::Installed;
                mark_busy(*dependent);
                reload.members.push_back(dependent->id);
                members.push_back(dependent);
            }
    const auto bring_up = [&] {
        for (Feature* member : members) {
            member->cap = Destination::Active;
            member->is_refused = false;
            member->error.reset();
            for (auto& waiter : std::exchange(member->reload_waiters, {}))
                request(*member, GoalRange::at_least(member->owned_level()),
                        [this, member, waiter](const FeatureResult& result) {
                            wanted(*member, waiter.owner, waiter.serial, result, waiter.callback);
                        });
            if (member->is_owned()) request(*member, GoalRange::at_least(member->owned_level()), {});
        }
    };
    const auto is_at_rest = [](const Feature* one) { return one->machine.is_at_rest(); };
    const auto is_down = [](const Feature* one) {
        return one->machine.is_at_rest() && destination_below(one->machine.state()) <= FeatureState::Installed;
    };
    switch (reload.phase) {
        case Reload::Phase::Down: {
            for (Feature* member : members)
                if (member->is_refused && member->error) {  // something of it lives: all come back as they were
                    reload.error = member->error;
                    bring_up();
                    return true;
                }
            if (!std::all_of(members.begin(), members.end(), is_down)) return false;
            ManifestFile read = read_manifest(setup.files, feature->folder);
            if (!read.problems.is_empty() || read.manifest.id != feature->id) {
                reload.error = feature->make_error(ErrorCode::ManifestBad, read.problems.is_empty()
                                                                               ? "its manifest has another id now"
                                                                               : read.problems.to_status().text());
                feature->old_image = reload.old_image;
                reload.phase = Reload::Phase::UpAgain;
            } else {
                reload.old_file = feature->change_file(std::move(read));
                feature->newer.reset();
                feature->old_image.reset();
                reload.phase = Reload::Phase::Up;
            }
            rank_all();
            bring_up();
            return false;
        }
        case Reload::Phase::Up:
            if (!std::all_of(members.begin(), members.end(), is_at_rest)) return false;
            for (const Feature* member : members)
                if (!reload.error && member->error) reload.error = member->error;
            if (!reload.error) return true;
            for (Feature* member : members) {
                member->cap = Destination::Installed;
                mark_busy(*member);
            }
            reload.phase = Reload::Phase::DownAgain;
            return false;
        case Reload::Phase::DownAgain:
            if (!std::all_of(members.begin(), members.end(), is_down)) return false;
            feature->change_file(std::move(reload.old_file));
            feature->old_image = reload.old_image;
            rank_all();
            bring_up();
            reload.phase = Reload::Phase::UpAgain;
            return false;
        case Reload::Phase::UpAgain:
            return std::all_of(members.begin(), members.end(), is_at_rest);
    }
    return true;
}

}  // namespace lyre::features
