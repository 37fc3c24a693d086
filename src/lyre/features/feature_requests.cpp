// What is asked of the table, by the process, by worlds and by features: wishes for more, for less, and giving back;
// and who is answered what, and when.
#include <algorithm>

#include "lyre/features/detail/feature_table.h"
#include "lyre/features/detail/texts.h"

namespace lyre::features {
namespace {

bool counts_in(const Owner& owner, const World& world) {
    return owner.kind == OwnerKind::World ? world.owner() == owner : owner.kind != OwnerKind::Feature;
}

}  // namespace

// The callback is code of whoever asked, and may never be called when that has gone: a delegate has it, which knows its
// owner, and what is handed on is only the way there.
template <class Result> std::function<void(const Result&)> FeatureTable::wrap(AnswerTo<Result> callback) {
    if (!callback) return {};
    struct Waiting {
        Latch<const Result&> answered;
        Connection connection;
    };
    const auto waiting = std::make_shared<Waiting>();
    const char* file = callback.file;
    const int line = callback.line;
    waiting->connection = waiting->answered.call_or_register(std::move(callback), 0, file, line);
    return [this, waiting](const Result& result) {
        Name about;
        if constexpr (std::is_same_v<Result, FeatureResult>) about = result.feature;
        guarded(about, "a callback", Owner::current(), [kept = waiting, &result] { kept->answered.happen(result); });
    };
}
template FeatureCallback FeatureTable::wrap(FeatureAnswer callback);
template BatchCallback FeatureTable::wrap(BatchAnswer callback);

// What cannot be joined with what is under way is tried again when that has been cancelled.
void FeatureTable::request(Feature& feature, GoalRange goal, FeatureCallback callback) {
    const bool is_posted = post(feature, [this, &feature, goal, callback]() mutable {
        if (goal.is_empty() || feature.machine.state() == FeatureState::Terminal) {
            if (callback)
                callback(
                    {feature.id, feature.make_error(ErrorCode::GoalRefused,
                                                    goal.is_empty() ? "from above to below: there is nothing between"
                                                                    : "it has ended")});
            return;
        }
        if (feature.machine.set_goal(goal, callback) || feature.machine.lower_goal(goal, callback)) return;
        const auto again = std::make_shared<FeatureCallback>(std::move(callback));
        feature.machine.cancel([this, &feature, goal, again](const FeatureResult& result) {
            if (result.error) {
                if (*again) (*again)(result);
                return;
            }
            request(feature, goal, std::move(*again));
        });
    });
    if (!is_posted && callback)
        callback({feature.id,
                  feature.make_error(ErrorCode::GoalRefused,
                                     fmt::format("{} requests wait for what it does now", StateMachine::kMaxPosted))});
}

bool FeatureTable::post(Feature& feature, std::function<void()> work) {
    mark_busy(feature);
    if (depth_ >= kMaxDepth) return feature.machine.post_later(std::move(work));
    ++depth_;
    const bool is_posted = feature.machine.post(std::move(work));
    --depth_;
    return is_posted;
}

void FeatureTable::want(Feature& feature, const Owner& owner, Claim claim, GoalRange goal, FeatureCallback callback,
                        std::span<const Degraded> left_out) {
    const bool is_full = claims_on(feature) >= kMaxClaims || feature.waiting >= Feature::kMaxWaiters;
    if (has_ended_ || feature.file.manifest.id.is_none() || is_full) {
        FeatureError refused = unknown_error(feature.id);
        if (has_ended_) refused = feature.make_error(ErrorCode::Abandoned, "nobody is left to see to it");
        if (is_full)
            refused =
                feature.make_error(ErrorCode::GoalRefused, feature.waiting >= Feature::kMaxWaiters
                                                               ? fmt::format("{} wait for it already", feature.waiting)
                                                               : fmt::format("{} hold it already", kMaxClaims));
        if (callback) callback({feature.id, std::move(refused)});
        return;
    }
    begin_wish(feature);
    const bool is_dependency = owner.kind == OwnerKind::Feature && claim.serial == 0;
    if (is_dependency) {  // the rest was decided when its dependent was wanted
        const bool moves = feature.machine.state() < state_of(claim.level);
        if (const Status status = moves ? allowed(feature) : Status::ok(); !status) {
            feature.error = feature.make_error(ErrorCode::NotAllowed, status.text());
            if (callback) callback({feature.id, feature.error});
            return;
        }
    } else {
        Decision decision = decide(feature, owner, claim.level);
        if (!decision.refused) decision.refused = why_circle(feature, owner, decision.plan);
        if (decision.refused) {
            feature.error = decision.refused;
            if (callback) callback({feature.id, std::move(decision.refused)});
            return;
        }
        auto& without = decision.plan.degraded;
        without.insert(without.end(), left_out.begin(), left_out.end());
        note_planned(decision.plan, decision.roles);
        if (owner.kind == OwnerKind::Feature)
            carry_to_each(feature, owner, decision.plan);
        else
            carry(owner, decision.plan);
    }
    OwnerEntry* entry = feature.find_owner(owner);
    if (entry == nullptr) {
        entry = &feature.owners.emplace_back(OwnerEntry{owner, {}, setup.runtime.clock().now_us()});
        ++owners_version;
    }
    const auto same = std::find_if(entry->claims.begin(), entry->claims.end(),
                                   [&](const Claim& other) { return other.serial == claim.serial; });
    if (same == entry->claims.end())
        entry->claims.push_back(claim);
    else
        *same = claim;
    feature.was_owned = true;
    feature.is_warm = false;
    if (!is_dependency && goal.min == Destination::Active)
        for (const World* world : game_worlds())
            if (counts_in(owner, *world)) forget_failures(feature, world->owner().serial);
    if (feature.owned_level() > goal.max) goal.max = feature.owned_level();  // nobody's wish lowers another's
    answer_overtaken(feature, claim.level);
    Feature::Waiter waiter{owner, claim.serial, goal.min, std::move(callback)};
    ++feature.waiting;
    if (Feature* dependent = find_feature(owner)) {
        if (!is_dependency) dependent->acquired.insert(feature.id);
        for (Reload* reload : feature.reloads) take_in(*reload, *dependent);
    }
    if (waits_for_reload(feature, owner)) {
        feature.reload_waiters.push_back(std::move(waiter));
        return;
    }
    request(feature, goal, [this, &feature, waiter = std::move(waiter)](const FeatureResult& result) {
        wanted(feature, waiter, result);
    });
}

std::size_t FeatureTable::claims_on(const Feature& feature) {
    std::size_t count = 0;
    for (const OwnerEntry& entry : feature.owners) count += entry.claims.size();
    return count;
}

// Somebody asks anew: what failed there before is tried again, in what the feature needs, too.
void FeatureTable::forget_failures(Feature& feature, std::uint32_t world) {
    const FeatureWalk walk(*this, feature);
    std::vector<Feature*> open{&feature};
    for (std::size_t i = 0; i < open.size(); ++i) {
        if (open[i]->failed_worlds.erase(world) != 0) mark_busy(*open[i]);
        for (const DependencyHold& hold : open[i]->holds)
            if (Feature* other = find(hold.id); other != nullptr && walk.is_first(*other)) open.push_back(other);
    }
}

// Who waits for it to go down waits in vain; so does who waits for what it will hold so high again.
void FeatureTable::answer_overtaken(Feature& feature, Destination level) {
    if (lowerings_ == 0) return;
    const FeatureError error =
        feature.make_error(ErrorCode::Cancelled, fmt::format("somebody wants {} again", feature.id));
    answer_lowerings(feature, error);
    answer_in_vain(feature, level, error);
}

// What is below it stays as high as that: those who wait for less are answered.
void FeatureTable::answer_in_vain(Feature& from, Destination level, const FeatureError& error) {
    if (lowerings_ == 0) return;
    std::vector<Feature*> open{&from};
    {
        const FeatureWalk walk(*this, from);
        for (std::size_t i = 0; i < open.size(); ++i)
            for (const DependencyHold& hold : open[i]->holds)
                if (Feature* other = find(hold.id); other != nullptr && walk.is_first(*other)) open.push_back(other);
    }
    for (std::size_t i = 1; i < open.size(); ++i) {
        std::vector<Feature::Lowering> answered;
        std::erase_if(open[i]->lowerings, [&](Feature::Lowering& lowering) {
            if (lowering.goal.max >= level) return false;
            answered.push_back(std::move(lowering));
            return true;
        });
        lowerings_ -= answered.size();
        for (const Feature::Lowering& lowering : answered)
            if (lowering.callback) lowering.callback({open[i]->id, error});
    }
}

void FeatureTable::answer_lowerings(Feature& feature, const FeatureError& error) {
    lowerings_ -= feature.lowerings.size();
    for (const Feature::Lowering& lowering : std::exchange(feature.lowerings, {}))
        if (lowering.callback) lowering.callback({feature.id, error});
}

// The machine has answered somebody who wants it: up for dependents; for others worlds are to be joined, too.
void FeatureTable::wanted(Feature& feature, const Feature::Waiter& waiter, FeatureResult result) {
    const Owner& owner = waiter.owner;
    Claim* claim = feature.find_claim(owner, waiter.serial);
    const bool is_held = claim != nullptr;
    if (!is_held && result.is_cancelled() && has_gone(owner))  // that is why it was given up
        result.error = feature.make_error(ErrorCode::WorldGone, fmt::format("{} has ended", owner.to_string()));
    if (result && is_given_up(feature, waiter)) {
        result.error = has_gone(owner)
                           ? feature.make_error(ErrorCode::WorldGone, fmt::format("{} has ended", owner.to_string()))
                           : feature.make_error(ErrorCode::Cancelled, "it was given up before it was there");
        return answer(feature, waiter, result);
    }
    if (result && waiter.level == Destination::Active) {
        auto outcome = outcome_in_worlds(feature, owner);
        if (!outcome) {
            feature.world_waiters.push_back(waiter);
            return mark_busy(feature);
        }
        result = *std::move(outcome);
    }
    if (!result && is_held && waits_for_reload(feature, owner)) {
        feature.reload_waiters.push_back(waiter);
        return;
    }
    if (!result && is_held) {
        if (waiter.serial != 0) {
            unwant(feature, owner, waiter.serial);
        } else if (owner.kind == OwnerKind::Process) {  // it stays where it is: an error is rested in
            const Destination left = level_of(destination_below(feature.machine.state()));
            claim->level = std::min(claim->level, left);
            if (left <= Destination::Installed) unwant(feature, owner, 0);
            feature.was_owned = feature.is_owned();
        }
    }
    answer(feature, waiter, result);
}

void FeatureTable::answer(Feature& feature, const Feature::Waiter& waiter, const FeatureResult& result) {
    --feature.waiting;
    if (waiter.callback) waiter.callback(result);
}

// He wants it no more, or no more so high.
bool FeatureTable::is_given_up(Feature& feature, const Feature::Waiter& waiter) {
    const Claim* claim = feature.find_claim(waiter.owner, waiter.serial);
    return claim == nullptr || claim->level < waiter.level;
}

// Which version is there is decided at the end. Those that depend on it go the way of the reload with it.
bool FeatureTable::waits_for_reload(const Feature& feature, const Owner& owner) {
    if (feature.reloads.empty()) return false;
    return owner.kind != OwnerKind::Feature || feature.cap() != Destination::Active;
}

void FeatureTable::go_on_after_reload(Feature& feature) {
    for (auto& waiter : std::exchange(feature.reload_waiters, {})) {
        if (is_given_up(feature, waiter))
            wanted(feature, waiter, {feature.id, {}});
        else
            request(feature, GoalRange::at_least(waiter.level),
                    [this, &feature, waiter](const FeatureResult& result) { wanted(feature, waiter, result); });
    }
}

std::optional<FeatureResult> FeatureTable::outcome_in_worlds(const Feature& feature, const Owner& owner) const {
    FeatureResult result{feature.id, {}};
    if (has_gone(owner))
        result.error = feature.make_error(ErrorCode::WorldGone, fmt::format("{} has ended", owner.to_string()));
    for (const World* world : game_worlds()) {
        if (!counts_in(owner, *world)) continue;
        const Attachment* there = feature.find_attachment(*world);
        const auto failed = feature.failed_worlds.find(world->owner().serial);
        if (failed == feature.failed_worlds.end() && (there == nullptr || !there->is_activated)) return std::nullopt;
        if (failed != feature.failed_worlds.end() && !result.error) result.error = failed->second;
    }
    return result;
}

// Those who have waited for worlds to be joined and need no more, or who want it no more.
void FeatureTable::answer_joined(Feature& feature) {
    std::vector<Feature::Waiter> over;
    std::erase_if(feature.world_waiters, [&](Feature::Waiter& waiter) {
        if (!is_given_up(feature, waiter) && !outcome_in_worlds(feature, waiter.owner)) return false;
        over.push_back(std::move(waiter));
        return true;
    });
    for (const Feature::Waiter& waiter : over) wanted(feature, waiter, {feature.id, {}});
}

// It is not Active any more: those who wait for a world to be joined wait in vain, or for the end of a reload.
void FeatureTable::answer_waiting(Feature& feature) {
    const FeatureError cancelled = feature.make_error(ErrorCode::Cancelled, "it went before it had joined the world");
    for (const Feature::Waiter& waiter : std::exchange(feature.world_waiters, {}))
        wanted(feature, waiter, {feature.id, cancelled});
}

void FeatureTable::unwant(Feature& feature, const Owner& owner, std::uint64_t serial) {
    OwnerEntry* entry = feature.find_owner(owner);
    if (entry == nullptr) return;
    const auto claim = std::find_if(entry->claims.begin(), entry->claims.end(),
                                    [&](const Claim& one) { return one.serial == serial; });
    if (claim == entry->claims.end()) return;
    feature.last_unload = claim->unload;
    entry->claims.erase(claim);
    if (entry->claims.empty()) {
        const bool is_root = owner.kind != OwnerKind::Feature;
        if (Feature* holder = find_feature(owner)) holder->acquired.erase(feature.id);
        std::erase_if(feature.owners, [&](const OwnerEntry& one) { return one.owner == owner; });
        ++owners_version;
        if (is_root && has_left_out()) {
            forget_unneeded(owner);
            look_at_left_out();
        }
    }
    if (feature.is_owned()) {
        left_.insert(feature.id);
    } else {
        forget_joined(feature);
        UnloadPolicy unload = feature.last_unload;
        if (unload.kind == UnloadPolicy::Kind::Default) unload = policy_unload();
        feature.last_unload = unload;
        feature.is_warm = unload.kind == UnloadPolicy::Kind::KeepWarm;
        feature.left_us = setup.runtime.clock().now_us();
        feature.left_order = ++next_claim;
    }
    mark_busy(feature);
}

// Somebody asks anew: what went wrong before is forgotten.
void FeatureTable::begin_wish(Feature& feature) {
    if (!feature.machine.is_at_rest()) return;
    feature.error.reset();
    feature.best_progress = 0;
    if (std::exchange(feature.is_refused, false)) mark_busy(feature);
}

// The process wants less of it.
void FeatureTable::lower(Feature& feature, Destination level, GoalRange goal, Dependents dependents,
                         FeatureCallback callback) {
    begin_wish(feature);
    if (goal.contains(feature.machine.state()) && feature.machine.is_at_rest()) {
        lower_claims(feature, level);
        if (callback) callback({feature.id, {}});
        return;
    }
    const FeatureWalk walk(*this, feature);
    std::vector<Feature*> above{&feature};
    std::vector<Holder> held;
    for (std::size_t i = 0; i < above.size(); ++i)
        for (const OwnerEntry& entry : above[i]->owners) {
            if (entry.held_level() <= level) continue;
            Feature* dependent = find_feature(entry.owner);
            if (dependent != nullptr && dependents == Dependents::TakeDown) {
                if (walk.is_first(*dependent)) above.push_back(dependent);
            } else if (dependent == nullptr || !is_giving_back(entry, *dependent, level)) {
                held.push_back(holder_of(entry));
            }
        }
    if (!held.empty()) {
        FeatureError why = feature.make_error(ErrorCode::HeldBy, fmt::format("it is needed by {}", joined(held)));
        why.set_holders(std::move(held));
        feature.error = why;
        if (callback) callback({feature.id, std::move(why)});
        return;
    }
    if (feature.lowerings.size() >= kMaxLowerings) {
        if (callback)
            callback({feature.id, feature.make_error(ErrorCode::GoalRefused,
                                                     fmt::format("{} wait for it to go down already", kMaxLowerings))});
        return;
    }
    for (Feature* one : above) {
        lower_claims(*one, level);
        one->is_warm = false;
        mark_busy(*one);
    }
    feature.lowerings.push_back({goal, std::move(callback)});
    ++lowerings_;
    if (above.size() == 1) lower_waiting(feature);
}

// Nobody wants that dependent so high any more, nor what depends on it: it is on its way down, and waited for. What it
// has acquired beyond its dependencies it may keep until it is closed.
bool FeatureTable::is_giving_back(const OwnerEntry& entry, const Feature& dependent, Destination level) const {
    for (const Claim& claim : entry.claims)
        if (claim.serial != 0 && claim.level > level) level = std::min(level, Destination::Installed);
    for (const Feature* one : dependent.with_dependents(Destination::Terminal)) {
        if (one->is_refused || (one->is_warm && level < Destination::Loaded)) return false;
        for (const OwnerEntry& other : one->owners)
            if (other.owner.kind != OwnerKind::Feature && other.level() > level) return false;
    }
    return true;
}

void FeatureTable::lower_claims(Feature& feature, Destination level) {
    OwnerEntry* process = feature.find_owner(Owner::process());
    if (process == nullptr) return;
    for (Claim& claim : process->claims)
        if (claim.serial == 0) claim.level = std::min(claim.level, level);
    left_.insert(feature.id);
    if (level <= Destination::Installed) unwant(feature, Owner::process(), 0);
}

void FeatureTable::lower_waiting(Feature& feature) {
    if (feature.lowerings.empty()) return;
    std::vector<Feature::Lowering> due;
    Destination needed = Destination::Terminal;
    for (const OwnerEntry& entry : feature.owners) needed = std::max(needed, entry.held_level());
    std::erase_if(feature.lowerings, [&](Feature::Lowering& one) {
        if (needed > one.goal.max) return false;
        due.push_back(std::move(one));
        return true;
    });
    lowerings_ -= due.size();
    for (Feature::Lowering& one : due) request(feature, one.goal, std::move(one.callback));
}

// By dependencies that it holds or is to hold, and by holds of code: it first, each needing the next. Empty: no way.
std::vector<Name> FeatureTable::way_to(const Feature& from, const Feature& other, const Plan& coming) {
    struct Found {
        const Feature* feature;
        std::size_t by;
    };
    std::vector<Found> open{{&from, SIZE_MAX}};
    const std::unordered_set<Name> planned(coming.order.begin(), coming.order.end());
    const FeatureWalk walk(*this, from);
    std::size_t at = 0;
    for (; at < open.size() && open[at].feature != &other; ++at) {
        const Feature& one = *open[at].feature;
        const auto add = [&](Name id) {
            if (const Feature* next = find(id); next != nullptr && walk.is_first(*next)) open.push_back({next, at});
        };
        for (const Name id : one.acquired) add(id);
        for (const DependencyHold& hold : one.holds) add(hold.id);
        for (const Dependency& dependency : one.file.manifest.dependencies)
            if (dependency.kind != DependencyKind::Incompatible && planned.count(dependency.id) != 0)
                add(dependency.id);
    }
    std::vector<Name> way;
    for (; at < open.size(); at = open[at].by) way.push_back(open[at].feature->id);
    std::reverse(way.begin(), way.end());
    return way;
}

std::optional<FeatureError> FeatureTable::why_circle(const Feature& feature, const Owner& owner, const Plan& coming) {
    const Feature* holder = find_feature(owner);
    const std::vector<Name> way = holder != nullptr ? way_to(feature, *holder, coming) : std::vector<Name>();
    if (way.empty()) return std::nullopt;
    std::string circle(holder->id.text());
    for (const Name id : way) circle += fmt::format(" -> {}", id);
    return feature.make_error(ErrorCode::DependencyCycle,
                              fmt::format("{} cannot hold it, as it would never go: {}", holder->id, circle));
}

bool FeatureTable::is_circular(Feature& feature, const Feature& holder) {
    const OwnerEntry* entry = feature.find_owner(holder.owner);
    const auto is_dependency = [](const Claim& claim) { return claim.serial == 0; };
    return entry != nullptr && std::none_of(entry->claims.begin(), entry->claims.end(), is_dependency) &&
           !way_to(feature, holder).empty();
}

bool FeatureTable::break_circles() {
    for (const Name id : std::exchange(left_, {})) {
        Feature* feature = find(id);
        if (feature == nullptr || !feature->is_owned()) continue;
        const Destination level = feature->owned_level();
        Destination rooted = Destination::Terminal;
        std::vector<Feature*> above{feature};
        {
            const FeatureWalk walk(*this, *feature);
            for (std::size_t i = 0; i < above.size() && rooted < level; ++i)
                for (const OwnerEntry& entry : above[i]->owners) {
                    Feature* dependent = find_feature(entry.owner);
                    if (entry.owner.kind != OwnerKind::Feature) rooted = std::max(rooted, entry.level());
                    if (dependent != nullptr && walk.is_first(*dependent)) above.push_back(dependent);
                }
        }
        if (rooted >= level) continue;
        for (Feature* one : above) {
            std::vector<std::pair<Owner, std::uint64_t>> in_circle;
            for (const OwnerEntry& entry : one->owners) {
                const Feature* holder = find_feature(entry.owner);
                for (const Claim& claim : entry.claims)
                    if (holder != nullptr && claim.serial != 0 && claim.level > rooted &&
                        !way_to(*one, *holder).empty())
                        in_circle.emplace_back(entry.owner, claim.serial);
            }
            for (const auto& [owner, serial] : in_circle) {
                find_feature(owner)->report(
                    LogLevel::Warning, "feature.circle",
                    fmt::format("its code's hold on {} ends: {} needs it, and nobody else wants them", one->id,
                                one->id));
                unwant(*one, owner, serial);
            }
        }
    }
    return !busy_.empty();
}

void FeatureTable::raise(Name id, Destination level, GoalRange goal, FeatureCallback callback) {
    const Entry entry(*this);
    Feature* feature = find(id);
    if (feature == nullptr) {
        if (callback) callback({id, unknown_error(id)});
        return;
    }
    Destination before = Destination::Terminal;  // what the process wanted already it still wants
    if (const OwnerEntry* process = feature->find_owner(Owner::process()))
        for (const Claim& claim : process->claims)
            if (claim.serial == 0) before = claim.level;
    want(*feature, Owner::process(), {0, std::max(level, before), {}}, goal, std::move(callback));
}

void FeatureTable::lower(Name id, Destination level, GoalRange goal, Dependents dependents, FeatureCallback callback) {
    const Entry entry(*this);
    if (Feature* feature = find(id))
        lower(*feature, level, goal, dependents, std::move(callback));
    else if (callback)
        callback({id, unknown_error(id)});
}

void FeatureTable::change_target(Name id, Destination destination, FeatureCallback callback) {
    const Feature* feature = find(id);
    const FeatureState at = feature != nullptr ? feature->machine.state() : FeatureState::Terminal;
    if (at <= state_of(destination) && destination > Destination::StatusKnown)
        raise(id, destination, GoalRange::exactly(destination), std::move(callback));
    else
        lower(id, destination, GoalRange::exactly(destination), Dependents::Refuse, std::move(callback));
}

void FeatureTable::cancel(Name id, FeatureCallback callback) {
    const Entry entry(*this);
    Feature* feature = find(id);
    if (feature == nullptr) {
        if (callback) callback({id, unknown_error(id)});
        return;
    }
    answer_lowerings(*feature, feature->make_error(ErrorCode::Cancelled, "it was cancelled"));
    const bool is_posted =
        post(*feature, [feature, callback]() mutable { feature->machine.cancel(std::move(callback)); });
    if (!is_posted && callback)
        callback({id, feature->make_error(ErrorCode::GoalRefused, "too much waits for what it does now")});
}

}  // namespace lyre::features
