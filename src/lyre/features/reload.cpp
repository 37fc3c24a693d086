// Reloading a feature: it and those that depend on it go down, the newest version is opened, all come back. If the new
// one does not come up the old one does, from the bytes that were open before.
#include <algorithm>

#include "lyre/features/detail/feature_table.h"

namespace lyre::features {
namespace {

bool is_member(const Reload& reload, Name id) {
    return std::find(reload.members.begin(), reload.members.end(), id) != reload.members.end();
}

}  // namespace

void FeatureTable::begin_reload(Feature& feature, FeatureCallback callback) {
    const Entry entry(*this);
    for (const auto& other : reloads_)
        if (is_member(*other, feature.id)) {
            if (callback)
                callback({feature.id,
                          feature.make_error(ErrorCode::HeldBy, fmt::format("{} is being reloaded", other->feature))});
            return;
        }
    std::vector<Feature*> members{&feature};
    for (std::size_t i = 0; i < members.size(); ++i)
        for (Feature* dependent : dependents_of(*members[i]))
            if (std::find(members.begin(), members.end(), dependent) == members.end()) members.push_back(dependent);
    std::sort(members.begin(), members.end(), [](const Feature* a, const Feature* b) { return a->rank < b->rank; });
    ManifestFile old_file;
    Planned unused;                                                          // it is asked again when all are down
    if (auto refused = take_new_file(feature, members, old_file, unused)) {  // then nothing goes down for it
        if (callback) callback({feature.id, std::move(refused)});
        return;
    }
    feature.change_file(std::move(old_file));
    auto reload = std::make_unique<Reload>();
    reload->feature = feature.id;
    reload->callback = std::move(callback);
    if (feature.module != nullptr) reload->old_image = setup.modules.image(*feature.module);
    for (Feature* member : members) {
        reload->members.push_back(member->id);
        for (const auto& attachment : member->attachments)
            if (attachment->phase == Attachment::Phase::Applied)
                reload->attached.emplace_back(member->id, attachment->serial);
        member->cap = Destination::Installed;
        member->was_owned = true;
        member->is_refused = false;  // what was refused before is tried again
        member->error.reset();
        mark_busy(*member);
    }
    reloads_.push_back(std::move(reload));
}

// The manifest that is there now, in the place of the old one; unless it is bad, or those who want the members could
// not have them with it. What is up only for the members goes with them, so it excludes nobody; what each owner wants
// of them is planned together.
std::optional<FeatureError> FeatureTable::take_new_file(Feature& feature, const std::vector<Feature*>& members,
                                                        ManifestFile& old_file, Planned& plans) {
    ManifestFile read = read_manifest(setup.files, feature.folder);
    if (!read.problems.is_empty()) return feature.make_error(ErrorCode::ManifestBad, read.problems.to_status().text());
    if (read.manifest.id != feature.id)
        return feature.make_error(ErrorCode::ManifestBad, "its manifest has another id now");
    old_file = feature.change_file(std::move(read));
    struct Wanting {
        Owner owner;
        bool joins;
        std::vector<const Feature*> members;
    };
    std::vector<Wanting> all;  // in order of acquisition of the lowest
    for (const Feature* member : members)
        for (const OwnerEntry& entry : member->owners) {
            if (entry.owner.kind == OwnerKind::Feature && find(entry.owner.name, entry.owner.serial) != nullptr)
                continue;
            const bool joins = entry.level() == Destination::Active;
            auto known = std::find_if(all.begin(), all.end(), [&](const Wanting& one) {
                return one.owner == entry.owner && one.joins == joins;
            });
            if (known == all.end()) known = all.insert(all.end(), Wanting{entry.owner, joins, {}});
            known->members.push_back(member);
        }
    std::stable_partition(all.begin(), all.end(),
                          [](const Wanting& one) { return one.joins; });  // others exclude nobody
    const Supposed supposed{nullptr, &members, &plans};
    for (const Wanting& one : all) {
        Decision decision =
            decide(one.members, one.owner, one.joins ? Destination::Active : Destination::Loaded, supposed);
        if (decision.refused) {
            feature.change_file(std::move(old_file));
            return std::move(decision.refused);
        }
        plans.emplace_back(one.owner, std::move(decision.plan));
    }
    return std::nullopt;
}

void FeatureTable::run_reloads() {
    for (std::size_t i = 0; i < reloads_.size(); ++i) {
        Reload& reload = *reloads_[i];
        if (!step_reload(reload)) {
            if (Feature* feature = find(reload.feature)) mark_moving(*feature);
            continue;
        }
        const auto over = std::move(reloads_[i]);
        reloads_.erase(reloads_.begin() + static_cast<std::ptrdiff_t>(i--));
        if (over->callback) over->callback({over->feature, over->error});
    }
}

std::vector<Feature*> FeatureTable::members_of(const Reload& reload) const {
    std::vector<Feature*> members;
    for (Name id : reload.members)
        if (Feature* member = find(id)) members.push_back(member);
    return members;
}

void FeatureTable::bring_up(Reload& reload) {
    *reload.trouble = std::nullopt;
    const auto note = [trouble = reload.trouble](const FeatureResult& result) {
        if (!result && !result.is_cancelled() && !*trouble) *trouble = result.error;
    };
    for (Feature* member : members_of(reload)) {
        member->cap = Destination::Active;
        member->is_refused = false;
        member->error.reset();
        member->best_progress = 0;
        mark_busy(*member);
        for (auto& waiter : std::exchange(member->reload_waiters, {}))
            request(*member, GoalRange::at_least(member->owned_level()),
                    [this, member, waiter](const FeatureResult& result) { wanted(*member, waiter, result); });
        if (member->is_owned()) request(*member, GoalRange::at_least(member->owned_level()), note);
    }
}

// Of the first world that wants a member, had it before, and has lost it. Elsewhere it may have failed before.
std::optional<FeatureError> FeatureTable::lost_in_a_world(const Reload& reload) const {
    for (const auto& [id, world] : reload.attached)
        if (const Feature* member = find(id))
            if (const auto failed = member->failed_worlds.find(world); failed != member->failed_worlds.end())
                return failed->second;
    return std::nullopt;
}

// True: it is over.
bool FeatureTable::step_reload(Reload& reload) {
    Feature* feature = find(reload.feature);
    std::vector<Feature*> members = members_of(reload);
    if (feature == nullptr) {
        reload.error = unknown_error(reload.feature);
        bring_up(reload);
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
    const auto is_at_rest = [](const Feature* one) { return one->machine.is_at_rest(); };
    const auto is_down = [](const Feature* one) {
        return one->machine.is_at_rest() && destination_below(one->machine.state()) <= FeatureState::Installed;
    };
    Planned plans;
    switch (reload.phase) {
        case Reload::Phase::Down:
            for (Feature* member : members)
                if (member->is_refused && member->error) {  // something of it lives: all come back as they were
                    reload.error = member->error;
                    bring_up(reload);
                    return true;
                }
            if (!std::all_of(members.begin(), members.end(), is_down)) return false;
            reload.error = take_new_file(*feature, members, reload.old_file, plans);
            if (reload.error) {
                feature->old_image = reload.old_image;
                reload.phase = Reload::Phase::UpAgain;
            } else {
                for (const auto& [owner, plan] : plans) {
                    note_planned(plan, roles_of(owner));
                    carry(owner, plan, Regained::Comes, &reload.replanned);
                }
                feature->newer.reset();
                feature->old_image.reset();
                reload.phase = Reload::Phase::Up;
            }
            rank_all();
            bring_up(reload);
            return false;
        case Reload::Phase::Up:
            if (!std::all_of(members.begin(), members.end(), is_at_rest)) return false;
            reload.error = *reload.trouble ? *reload.trouble : lost_in_a_world(reload);
            if (!reload.error) return true;
            while (reload.error->inner != nullptr && is_member(reload, reload.error->inner->feature))
                reload.error = FeatureError(*reload.error->inner);  // the first that did not come up
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
            take_back_plans(std::exchange(reload.replanned, {}));
            rank_all();
            bring_up(reload);
            reload.phase = Reload::Phase::UpAgain;
            return false;
        case Reload::Phase::UpAgain:
            return std::all_of(members.begin(), members.end(), is_at_rest);
    }
    return true;
}

}  // namespace lyre::features
