// Reloading a feature: it and those that depend on it go down, the newest version is opened, all come back. If the new
// one does not come up the old one does, from the bytes that were open before.
#include <algorithm>

#include "lyre/features/detail/feature_table.h"

namespace lyre::features {
namespace {

bool is_member(const Reload& reload, Name id) {
    return std::find(reload.members.begin(), reload.members.end(), id) != reload.members.end();
}
bool takes_part(const Feature& feature, const Reload& reload) {  // another one may have its id meanwhile
    return std::find(feature.reloads.begin(), feature.reloads.end(), &reload) != feature.reloads.end();
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
    reloads_.push_back(std::move(reload));
    take_in(*reloads_.back(), feature);
}

// Who comes while it goes up goes back with it, too: it would hold it there.
void FeatureTable::take_in(Reload& reload, Feature& feature) {
    std::vector<Feature*> open{&feature};
    for (std::size_t i = 0; i < open.size(); ++i) {
        Feature& member = *open[i];
        if (takes_part(member, reload)) continue;
        if (!is_member(reload, member.id)) reload.members.push_back(member.id);
        member.reloads.push_back(&reload);
        member.was_owned = true;
        mark_busy(member);
        for (const auto& attachment : member.attachments)
            if (attachment->phase == Attachment::Phase::Applied && reload.phase == Reload::Phase::Down)
                reload.attached.emplace_back(member.id, attachment->serial);
        if (reload.keeps_down()) {
            member.is_refused = false;  // what was refused before is tried again
            member.error.reset();
        }
        for (Feature* dependent : dependents_of(member)) open.push_back(dependent);
    }
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
        const auto members = members_of(*over);
        for (Feature* member : members) std::erase(member->reloads, over.get());
        for (Feature* member : members)
            if (member->reloads.empty()) go_on_after_reload(*member);
        if (over->callback) over->callback({over->feature, over->error});
    }
}

std::vector<Feature*> FeatureTable::members_of(const Reload& reload) const {
    std::vector<Feature*> members;
    for (Name id : reload.members)
        if (Feature* member = find(id); member != nullptr && takes_part(*member, reload)) members.push_back(member);
    std::sort(members.begin(), members.end(), [](const Feature* a, const Feature* b) { return a->rank < b->rank; });
    return members;
}

void FeatureTable::bring_up(Reload& reload) {
    *reload.trouble = std::nullopt;
    const auto note = [trouble = reload.trouble](const FeatureResult& result) {
        if (!result && !result.is_cancelled() && !*trouble) *trouble = result.error;
    };
    for (Feature* member : members_of(reload)) {
        member->is_refused = false;
        member->error.reset();
        member->best_progress = 0;
        mark_busy(*member);
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

// As it was before.
void FeatureTable::come_back(Reload& reload) {
    reload.phase = Reload::Phase::UpAgain;
    rank_all();
    bring_up(reload);
}

// True: it is over.
bool FeatureTable::step_reload(Reload& reload) {
    Feature* feature = find(reload.feature);
    if (feature != nullptr && !takes_part(*feature, reload)) feature = nullptr;
    const std::vector<Feature*> members = members_of(reload);
    if (feature == nullptr && reload.phase != Reload::Phase::UpAgain) {
        reload.error = unknown_error(reload.feature);
        return come_back(reload), false;
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
                    return come_back(reload), false;
                }
            if (!std::all_of(members.begin(), members.end(), is_down)) return false;
            reload.error = take_new_file(*feature, members, reload.old_file, plans);
            if (reload.error) {
                feature->old_image = reload.old_image;
                return come_back(reload), false;
            }
            for (const auto& [owner, plan] : plans) {
                note_planned(plan, roles_of(owner));
                carry(owner, plan, Regained::Comes, &reload.replanned);
            }
            feature->newer.reset();
            feature->old_image.reset();
            reload.phase = Reload::Phase::Up;
            rank_all();
            bring_up(reload);
            return false;
        case Reload::Phase::Up:
            if (!std::all_of(members.begin(), members.end(), is_at_rest)) return false;
            reload.error = *reload.trouble ? *reload.trouble : lost_in_a_world(reload);
            if (!reload.error) return true;
            while (reload.error->inner != nullptr && is_member(reload, reload.error->inner->feature))
                reload.error = FeatureError(*reload.error->inner);  // the first that did not come up
            for (Feature* member : members) mark_busy(*member);
            reload.phase = Reload::Phase::DownAgain;
            return false;
        case Reload::Phase::DownAgain:
            if (!std::all_of(members.begin(), members.end(), is_down)) return false;
            feature->change_file(std::move(reload.old_file));
            feature->old_image = reload.old_image;
            take_back_plans(std::exchange(reload.replanned, {}));
            return come_back(reload), false;
        case Reload::Phase::UpAgain:
            return std::all_of(members.begin(), members.end(), is_at_rest);
    }
    return true;
}

}  // namespace lyre::features
