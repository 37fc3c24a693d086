// Reloading a feature: it and those that depend on it go down, the newest version is opened, all come back, each as high
// as it was asked for. If that does not come about the old version does, from the bytes that were open before. What else
// goes down meanwhile comes back in the version that it had. Reloads that are about the same features run one after the
// other.
#include <algorithm>

#include "lyre/features/detail/feature_table.h"

namespace lyre::features {
namespace {

bool is_member(const Reload& reload, Name id) {
    return std::any_of(reload.members.begin(), reload.members.end(),
                       [&](const Reload::Member& one) { return one.id == id; });
}
bool takes_part(const Feature& feature, const Reload& reload) {  // another one may have its id meanwhile
    return std::find(feature.reloads.begin(), feature.reloads.end(), &reload) != feature.reloads.end();
}

}  // namespace

void FeatureTable::begin_reload(Feature& feature, FeatureCallback callback) {
    const Entry entry(*this);
    const auto waiting = std::find_if(reloads_.begin(), reloads_.end(), [&](const auto& one) {
        return one->phase == Reload::Phase::Waiting && one->feature == feature.id && one->serial == feature.serial;
    });
    if (waiting != reloads_.end() && (*waiting)->callbacks.size() >= Reload::kMaxCallbacks) {
        if (callback)
            callback({feature.id, feature.make_error(ErrorCode::GoalRefused,
                                                     fmt::format("{} wait for its reload", Reload::kMaxCallbacks))});
        return;
    }
    if (waiting != reloads_.end()) {  // it will open the newest version
        if (callback) (*waiting)->callbacks.push_back(std::move(callback));
        return;
    }
    auto made = std::make_unique<Reload>();
    Reload& reload = *made;
    reload.feature = feature.id;
    reload.serial = feature.serial;
    if (callback) reload.callbacks.push_back(std::move(callback));
    reloads_.push_back(std::move(made));
    if (step_reload(reload)) end_reload(reload);
}

// An error: nothing goes down for it.
std::optional<FeatureError> FeatureTable::start_reload(Reload& reload) {
    Feature* feature = find(reload.feature, reload.serial);
    if (feature == nullptr) return unknown_error(reload.feature);
    std::vector<Feature*> members{feature};
    for (std::size_t i = 0; i < members.size(); ++i)
        for (Feature* dependent : dependents_of(*members[i]))
            if (std::find(members.begin(), members.end(), dependent) == members.end()) members.push_back(dependent);
    if (must_wait(reload, members)) return std::nullopt;
    std::sort(members.begin(), members.end(), [](const Feature* a, const Feature* b) { return a->rank < b->rank; });
    Edition old;
    Planned unused;  // it is asked again when all are down
    if (auto refused = take_new_file(*feature, members, old, unused)) return refused;
    feature->change_edition(std::move(old));
    reload.phase = Reload::Phase::Down;
    take_in(reload, *feature);
    return std::nullopt;
}

// One that is on its way has some of these, or needs some to come back.
bool FeatureTable::must_wait(const Reload& reload, const std::vector<Feature*>& members) const {
    std::vector<const Feature*> open;
    std::unordered_set<const Feature*> seen;
    const auto look_at = [&](const Feature* one) {
        if (one != nullptr && seen.insert(one).second) open.push_back(one);
    };
    for (const auto& other : reloads_)
        if (other.get() != &reload)
            for (const Feature* member : members_of(*other)) look_at(member);
    for (std::size_t i = 0; i < open.size(); ++i) {
        if (std::find(members.begin(), members.end(), open[i]) != members.end()) return true;
        for (const DependencyHold& hold : open[i]->holds) look_at(find(hold.id));
        for (const Dependency& one : open[i]->file.manifest.dependencies)
            if (one.kind != DependencyKind::Incompatible) look_at(find(one.id));
    }
    return false;
}

// Who comes while it goes up goes back with it, too: it would hold it there.
void FeatureTable::take_in(Reload& reload, Feature& feature) {
    std::vector<Feature*> open{&feature};
    for (std::size_t i = 0; i < open.size(); ++i) {
        Feature& member = *open[i];
        if (takes_part(member, reload)) continue;
        if (!is_member(reload, member.id)) reload.members.push_back({member.id});
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
                                                        Edition& old, Planned& plans) {
    ManifestFile read = read_manifest(setup.files, feature.folder);
    if (!read.problems.is_empty()) return feature.make_error(ErrorCode::ManifestBad, read.problems.to_status().text());
    if (read.manifest.id != feature.id)
        return feature.make_error(ErrorCode::ManifestBad, "its manifest has another id now");
    old = feature.change_edition({std::move(read)});
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
            feature.change_edition(std::move(old));
            return std::move(decision.refused);
        }
        plans.emplace_back(one.owner, std::move(decision.plan));
    }
    return std::nullopt;
}

void FeatureTable::run_reloads() {
    for (std::size_t i = 0; i < reloads_.size(); ++i) {
        Reload& reload = *reloads_[i];
        if (step_reload(reload)) {
            end_reload(reload);
            --i;
        } else if (Feature* feature = find(reload.feature)) {
            mark_moving(*feature);
        }
    }
}

void FeatureTable::end_reload(const Reload& reload) {
    const auto at =
        std::find_if(reloads_.begin(), reloads_.end(), [&](const auto& one) { return one.get() == &reload; });
    const auto over = std::move(*at);
    reloads_.erase(at);
    const auto members = members_of(*over);
    for (Feature* member : members) std::erase(member->reloads, over.get());
    for (Feature* member : members)
        if (member->reloads.empty()) go_on_after_reload(*member);
    if (!is_reloading())  // what has waited for that goes on
        for (const auto& [id, feature] : features)
            if (feature->newer || feature->is_folder_gone) mark_busy(*feature);
    for (const FeatureCallback& callback : over->callbacks) callback({over->feature, over->error});
}

std::vector<Feature*> FeatureTable::members_of(const Reload& reload) const {
    std::vector<Feature*> members;
    for (const Reload::Member& one : reload.members)
        if (Feature* member = find(one.id); member != nullptr && takes_part(*member, reload)) members.push_back(member);
    std::sort(members.begin(), members.end(), [](const Feature* a, const Feature* b) { return a->rank < b->rank; });
    return members;
}

void FeatureTable::bring_up(Reload& reload) {
    *reload.trouble = std::nullopt;
    const auto note = [trouble = reload.trouble](const FeatureResult& result) {
        if (!result && !result.is_cancelled() && !*trouble) *trouble = result.error;
    };
    for (Feature* member : members_of(reload)) {
        const auto of = std::find_if(reload.members.begin(), reload.members.end(),
                                     [&](const Reload::Member& one) { return one.id == member->id; });
        of->owed = member->owned_level();
        member->is_refused = false;
        member->error.reset();
        member->best_progress = 0;
        mark_busy(*member);
        if (member->is_owned()) request(*member, GoalRange::at_least(of->owed), note);
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

// Of the first member that has stopped below what it was asked for, and that is still wanted of it.
std::optional<FeatureError> FeatureTable::cut_short(const Reload& reload) const {
    for (const Reload::Member& one : reload.members) {
        const Feature* member = find(one.id);
        if (member == nullptr || !takes_part(*member, reload)) continue;
        const FeatureState state = member->machine.state();
        const FeatureState stands_at = is_error(state) ? destination_below(state) : state;
        if (stands_at >= state_of(one.owed)) continue;
        const Destination level = std::min(one.owed, member->settled_level());
        if (stands_at >= state_of(level)) continue;
        if (is_error(state) && member->error) return member->error;
        return member->make_error(ErrorCode::Cancelled,
                                  fmt::format("its way up to {} was cancelled", to_string(level)));
    }
    return std::nullopt;
}

void FeatureTable::keep_for_way_back(const Feature& feature, const std::shared_ptr<const ModuleImage>& image) {
    for (const auto& reload : reloads_)
        if (reload->phase == Reload::Phase::Down && takes_part(feature, *reload))
            for (Reload::Member& one : reload->members)
                if (one.id == feature.id && one.before == nullptr) one.before = image;
}

// As it was before, with the code that was open then: what is on disk may have been built for the new version.
void FeatureTable::come_back(Reload& reload) {
    reload.phase = Reload::Phase::UpAgain;
    for (Reload::Member& one : reload.members) {
        Feature* member = find(one.id);
        if (member != nullptr && takes_part(*member, reload) && one.before != nullptr)
            member->image = std::exchange(one.before, nullptr);
    }
    rank_all();
    bring_up(reload);
}

// True: it is over.
bool FeatureTable::step_reload(Reload& reload) {
    if (reload.phase == Reload::Phase::Waiting) {
        reload.error = start_reload(reload);
        return reload.error.has_value();
    }
    Feature* feature = find(reload.feature);
    if (feature != nullptr && !takes_part(*feature, reload)) feature = nullptr;
    const std::vector<Feature*> members = members_of(reload);
    if (feature == nullptr && reload.phase != Reload::Phase::UpAgain) {
        reload.error = unknown_error(reload.feature);
        return come_back(reload), false;
    }
    const auto is_up = [](const Feature* one) {  // another one may still keep it down
        return one->machine.is_at_rest() && one->cap() == Destination::Active;
    };
    const auto is_down = [](const Feature* one) {
        return one->machine.is_at_rest() && destination_below(one->machine.state()) <= FeatureState::Installed;
    };
    Planned plans;
    switch (reload.phase) {
        case Reload::Phase::Waiting:
            return false;
        case Reload::Phase::Down:
            for (Feature* member : members)
                if (member->is_refused && member->error) {  // something of it lives: all come back as they were
                    reload.error = member->error;
                    return come_back(reload), false;
                }
            if (!std::all_of(members.begin(), members.end(), is_down)) return false;
            reload.error = take_new_file(*feature, members, reload.old, plans);
            if (reload.error) return come_back(reload), false;
            for (const auto& [owner, plan] : plans) {
                note_planned(plan, roles_of(owner));
                carry(owner, plan, Regained::Comes, &reload.replanned);
            }
            feature->newer.reset();
            reload.phase = Reload::Phase::Up;
            rank_all();
            bring_up(reload);
            return false;
        case Reload::Phase::Up:
            if (!std::all_of(members.begin(), members.end(), is_up)) return false;
            reload.error = *reload.trouble ? *reload.trouble : lost_in_a_world(reload);
            if (!reload.error) reload.error = cut_short(reload);
            if (!reload.error) return true;
            while (reload.error->inner != nullptr && is_member(reload, reload.error->inner->feature))
                reload.error = FeatureError(*reload.error->inner);  // the first that did not come up
            for (Feature* member : members) mark_busy(*member);
            reload.phase = Reload::Phase::DownAgain;
            return false;
        case Reload::Phase::DownAgain:
            if (!std::all_of(members.begin(), members.end(), is_down)) return false;
            feature->change_edition(std::move(reload.old));
            take_back_plans(std::exchange(reload.replanned, {}));
            return come_back(reload), false;
        case Reload::Phase::UpAgain:
            if (!std::all_of(members.begin(), members.end(), is_up)) return false;
            if (*reload.trouble || !cut_short(reload) || ++reload.returns >= Reload::kMaxReturns) return true;
            return bring_up(reload), false;  // who cancels the way back does not keep it down
    }
    return true;
}

}  // namespace lyre::features
