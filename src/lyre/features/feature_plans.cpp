// What a wish comes to: what the policy says, a plan, whether it can be beside what is there, and which optional
// features are left out of which worlds by it.
#include <algorithm>
#include <exception>

#include "lyre/features/detail/feature_table.h"

namespace lyre::features {

Plan FeatureTable::plan_without(const Reasons& reasons, std::span<const Wish> wishes, Roles roles) const {
    if (reasons.empty()) return make_plan(catalogue(), wishes, roles);
    Catalogue usable = catalogue();
    for (const auto& [id, why] : reasons) usable.remove(id);
    Plan plan = make_plan(usable, wishes, roles);
    for (Degraded& left_out : plan.degraded)
        if (const auto why = reasons.find(left_out.feature); why != reasons.end()) left_out.reason = why->second;
    return plan;
}

// What the policy refuses is left out if it can be; otherwise that is the error.
Plan FeatureTable::plan(std::span<const Wish> wishes, Roles roles) const {
    Plan plan = plan_without({}, wishes, roles);
    Reasons refused;
    for (Name id : plan.order)
        if (Status status = allowed(*find(id)); !status) refused.emplace(id, status.text());
    if (refused.empty()) return plan;
    std::vector<FeatureError> errors;
    for (Name id : plan.order) {
        const auto why = refused.find(id);
        if (why == refused.end() || plan_without({*why}, wishes, roles).is_ok()) continue;
        if (errors.size() < Plan::kMaxErrors)
            errors.push_back(find(id)->make_error(ErrorCode::NotAllowed, why->second));
    }
    plan = plan_without(refused, wishes, roles);
    if (plan.is_ok() && errors.empty()) return plan;
    plan.order.clear();
    if (!errors.empty()) plan.errors = std::move(errors);
    return plan;
}

template <class Call> auto FeatureTable::ask_policy(Call call) const {
    std::string threw = "something that is no exception";
    try {
        return call(policy());
    } catch (const std::exception& error) {
        threw = error.what();
    } catch (...) {
    }
    setup.runtime.log().report(LogLevel::Error, Name("feature.policy"), "", fmt::format("the policy threw: {}", threw));
    return call(static_cast<const FeaturePolicy&>(default_policy_));
}

std::vector<Name> FeatureTable::policy_bundles(Roles roles) const {
    return ask_policy([&](const FeaturePolicy& asked) { return asked.bundles(roles); });
}

std::vector<assets::PrimaryAssetId> FeatureTable::policy_preload(const Manifest& feature) const {
    return ask_policy([&](const FeaturePolicy& asked) { return asked.preload(feature); });
}

UnloadPolicy FeatureTable::policy_unload() const {
    return ask_policy([&](const FeaturePolicy& asked) { return asked.unload(); });
}

InstancesPolicy FeatureTable::policy_instances(const Manifest& feature) const {
    return ask_policy([&](const FeaturePolicy& asked) { return asked.instances(feature); });
}

Status FeatureTable::allowed(const Feature& feature) const {
    try {
        return policy().allow(feature.file.manifest);
    } catch (const std::exception& error) {
        return Status::failed("the policy threw: {}", error.what());
    } catch (...) {
        return Status::failed("the policy threw");
    }
}

Roles FeatureTable::roles_of(const Owner& owner) const {
    if (owner.kind == OwnerKind::World) {
        const World* world = find_world(owner);
        return world != nullptr ? Roles::of(world->net_mode()) : Roles();
    }
    if (owner.kind == OwnerKind::Feature) {
        const Feature* feature = find_feature(owner);
        return feature != nullptr ? feature->planned_roles() : Roles();
    }
    return game_roles();
}

Roles FeatureTable::game_roles() const {
    Roles all;
    for (const World* world : game_worlds()) all = all | Roles::of(world->net_mode());
    return all;
}

FeatureTable::Decision FeatureTable::decide(const std::vector<const Feature*>& wanted, const Owner& owner,
                                            Destination level, const Supposed& supposed) const {
    const Feature& feature = *wanted.front();
    const auto is_to_move = [&](const Feature& one) {
        return supposed.going != nullptr || one.machine.state() < state_of(level);
    };
    const bool joins = level == Destination::Active;
    if (!joins && std::none_of(wanted.begin(), wanted.end(), [&](const Feature* one) { return is_to_move(*one); }))
        return {};
    const auto refuse = [](FeatureError why) { return Decision{{}, std::move(why)}; };
    Roles roles = roles_of(owner);
    std::vector<Wish> wishes;
    for (const Feature* one : wanted) {
        roles = roles | one->planned_roles();
        wishes.push_back({one->id, {}, owner.kind == OwnerKind::Process ? "" : owner.to_string()});
    }
    Reasons reasons;
    Plan plan = plan_without(reasons, wishes, roles);
    if (!plan.is_ok()) {
        plan.errors.front().state = feature.machine.state();
        return refuse(std::move(plan.errors.front()));
    }
    const auto comes_up = [&](Name id) {
        const Feature* one = find(id);
        return one != nullptr && (one->machine.state() < state_of(level) || supposed.is_going(*one));
    };
    const auto coming = std::count_if(plan.order.begin(), plan.order.end(), comes_up);
    if (static_cast<std::size_t>(coming) > kMaxPlan)
        return refuse(feature.make_error(
            ErrorCode::GoalRefused, fmt::format("{} features would come up, and one wish brings up at most {}: bring "
                                                "up some of what it needs before it",
                                                coming, kMaxPlan)));
    const auto is_wanted = [&](Name id) {
        return std::any_of(wanted.begin(), wanted.end(), [&](const Feature* one) { return one->id == id; });
    };
    // Each round takes out at least one.
    for (std::size_t before = SIZE_MAX; before != reasons.size();) {
        before = reasons.size();
        std::optional<FeatureError> refused;
        for (Name id : plan.order) {
            const Feature* one = find(id);
            const Status status = one != nullptr && is_to_move(*one) ? allowed(*one) : Status::ok();
            if (status) continue;
            if (!refused || is_wanted(id)) refused = one->make_error(ErrorCode::NotAllowed, status.text());
            reasons.emplace(id, status.text());
        }
        if (refused && is_wanted(refused->feature)) return refuse(std::move(*refused));
        if (!refused) break;
        plan = plan_without(reasons, wishes, roles);
        if (plan.is_ok()) continue;
        FeatureError outer = feature.make_error(ErrorCode::DependencyFailed,
                                                fmt::format("its dependency {} is not allowed", refused->feature));
        outer.inner = std::make_shared<const FeatureError>(std::move(*refused));
        return refuse(std::move(outer));
    }
    while (const auto conflict = joins ? find_conflict(owner, plan.order, supposed) : std::nullopt) {
        Plan other;
        for (Name id : {conflict->first, conflict->second}) {
            if (std::find(plan.order.begin(), plan.order.end(), id) == plan.order.end()) continue;
            Reasons tried = reasons;
            tried.emplace(id, conflict->text());
            other = plan_without(tried, wishes, roles);
            if (!other.is_ok()) continue;
            reasons = std::move(tried);
            break;
        }
        if (other.order.empty()) {  // neither can be left out
            FeatureError why = conflict->to_error(feature.id);
            why.state = feature.machine.state();
            return refuse(std::move(why));
        }
        plan = std::move(other);
    }
    return {std::move(plan), {}, roles};
}

void FeatureTable::note_planned(const Plan& plan, Roles roles) {
    for (Name id : plan.order)
        if (Feature* feature = find(id)) feature->planned_for = feature->planned_roles() | roles;
}

// The process wanted it before that world was there, or a feature that is in that world has acquired it.
std::optional<FeatureError> Feature::plan_further(const World& world) {
    if (table.is_planned(*this, world)) return std::nullopt;
    FeatureTable::Decision decision = table.decide(*this, world.owner(), Destination::Active);
    if (decision.refused) return std::move(decision.refused);
    table.note_planned(decision.plan, decision.roles);
    table.carry_further(world, decision.plan);
    return std::nullopt;
}

// Who wants it for the process wants it in all worlds: for one has to be planned what others did not need, and what some
// had no room for.
bool FeatureTable::is_planned(const Feature& feature, const World& world) const {
    if (find_planned(world.owner().serial, feature.id) != nullptr) return true;
    const PlannedIn* for_all = find_planned(0, feature.id);
    if (for_all == nullptr || !for_all->without.empty()) return false;
    const Roles role = Roles::of(world.net_mode());
    const auto& all = feature.file.manifest.dependencies;
    return std::none_of(all.begin(), all.end(), [&](const Dependency& one) {
        return one.kind != DependencyKind::Incompatible && role.has(one.side) && !for_all->roles.has(one.side);
    });
}

template <class Call> void FeatureTable::each_present(const Owner& owner, const Supposed& supposed, Call call) const {
    for (const std::uint32_t serial : wanting(owner)) {
        const auto& worlds = setup.runtime.worlds();
        const auto world =
            std::find_if(worlds.begin(), worlds.end(), [&](const World* one) { return one->owner().serial == serial; });
        const bool is_there = serial != 0 && world != worlds.end();
        if (serial != 0 && !is_there) continue;
        if (call(present_in(is_there ? *world : nullptr, owner, supposed), Scope::World)) return;
    }
    call(present_in(nullptr, owner, supposed), Scope::Process);
}

// Two that exclude each other may not be active for one world or, if they say so, in one process.
std::optional<Incompatibility> FeatureTable::find_conflict(const Owner& owner, const std::vector<Name>& coming,
                                                           const Supposed& supposed) const {
    const Catalogue& all = catalogue();
    if (!all.has_incompatible()) return std::nullopt;
    const auto is_new = [&](Name id) { return std::find(coming.begin(), coming.end(), id) != coming.end(); };
    std::optional<Incompatibility> found;
    each_present(owner, supposed, [&](std::vector<Name> present, Scope scope) {
        present.insert(present.end(), coming.begin(), coming.end());
        for (Incompatibility& pair : find_incompatible(all, present, Roles::all(), scope))
            if (!found && (is_new(pair.first) || is_new(pair.second))) found = std::move(pair);
        return found.has_value();
    });
    return found;
}

std::map<Name, Incompatibility> FeatureTable::find_conflicts(const Owner& owner,
                                                             const std::vector<Name>& planned) const {
    std::map<Name, Incompatibility> found;
    if (!catalogue().has_incompatible()) return found;
    const std::unordered_set<Name> theirs(planned.begin(), planned.end());
    each_present(owner, {.planned = &theirs}, [&](std::vector<Name> present, Scope scope) {
        add_conflicts(found, std::move(present), planned, scope);
        return false;
    });
    return found;
}

// Of those that are planned: with what is there.
void FeatureTable::add_conflicts(std::map<Name, Incompatibility>& found, std::vector<Name> present,
                                 const std::vector<Name>& planned, Scope scope) const {
    const std::unordered_set<Name> there(present.begin(), present.end());
    present.insert(present.end(), planned.begin(), planned.end());
    for (const Incompatibility& pair : find_incompatible(catalogue(), present, Roles::all(), scope)) {
        if (there.count(pair.second) != 0) found.emplace(pair.first, pair);
        if (there.count(pair.first) != 0) found.emplace(pair.second, pair);
    }
}

void FeatureTable::set_planned(std::uint32_t world, Name feature, PlannedIn planned) {
    PlannedIn& known = planned_[world][feature];
    left_out_count_ += static_cast<std::size_t>(!planned.without.empty());
    left_out_count_ -= static_cast<std::size_t>(!known.without.empty());
    known = std::move(planned);
}

const PlannedIn* FeatureTable::find_planned(std::uint32_t world, Name feature) const {
    const auto there = planned_.find(world);
    if (there == planned_.end()) return nullptr;
    const auto known = there->second.find(feature);
    return known != there->second.end() ? &known->second : nullptr;
}

void FeatureTable::carry(const Owner& owner, const Plan& plan, Regained regained, std::vector<Replanned>* undo) {
    carry_in(wanting(owner), plan, {roles_of(owner)}, regained, undo);
}

void FeatureTable::carry_to_each(const Feature& feature, const Owner& owner, const Plan& plan) {
    const auto worlds = wanting(owner);
    for (const std::uint32_t serial : worlds) {
        const auto& all = setup.runtime.worlds();
        const auto world =
            std::find_if(all.begin(), all.end(), [&](const World* one) { return one->owner().serial == serial; });
        const bool is_one_of_several = world != all.end() && worlds.size() > 1 && !plan.degraded.empty();
        const Decision own =
            is_one_of_several ? decide(feature, (*world)->owner(), Destination::Active) : Decision{{}, FeatureError()};
        carry_in({serial}, own.refused ? plan : own.plan, {roles_of(owner)}, Regained::Comes, nullptr);
    }
}

void FeatureTable::carry_further(const World& world, const Plan& plan) {
    const PlannedIn like{.roles = Roles::of(world.net_mode()), .is_further = true};
    carry_in({world.owner().serial}, plan, like, Regained::Comes, nullptr);
}

void FeatureTable::carry_in(const std::vector<std::uint32_t>& worlds, const Plan& plan, const PlannedIn& like,
                            Regained regained, std::vector<Replanned>* undo) {
    const bool is_for_all = std::find(worlds.begin(), worlds.end(), 0u) != worlds.end();
    for (Name id : plan.order) {
        Feature* feature = find(id);
        if (feature == nullptr) continue;
        std::vector<LeftOut> without;
        for (const Degraded& one : plan.degraded)
            if (one.wanted_by == id.text()) without.push_back({one.feature, one.reason, true});
        const auto is_regained = [&without](const LeftOut& one) {
            return std::none_of(without.begin(), without.end(),
                                [&](const LeftOut& other) { return other.id == one.id; });
        };
        if (is_for_all)  // it knew these worlds
            for (auto& [serial, planned] : planned_)
                if (const auto known = planned.find(id); known != planned.end() && known->second.is_further) {
                    left_out_count_ -= static_cast<std::size_t>(!known->second.without.empty());
                    planned.erase(known);
                }
        for (const std::uint32_t serial : worlds) {
            std::optional<PlannedIn> before;
            if (const PlannedIn* known = find_planned(serial, id)) before = *known;
            PlannedIn after{like.roles, without, like.is_further && (!before || before->is_further)};
            for (const LeftOut& one : before ? before->without : std::vector<LeftOut>()) {
                if (!is_regained(one)) continue;
                if (regained == Regained::StaysOut)
                    after.without.push_back(one);
                else if (Feature* other = find(one.id))  // held for another world, it joins this one too
                    mark_busy(*other);
            }
            if (undo != nullptr) undo->push_back({serial, id, std::move(before), after});
            set_planned(serial, id, std::move(after));
        }
        for (const LeftOut& one : without) {  // one that it has it has no more: everywhere, or there
            const DependencyHold* hold = feature->find_hold(one.id);
            if (hold == nullptr) continue;
            if (Feature* other = find(one.id)) mark_busy(*other);
            if (!feature->is_without(one.id, 0)) continue;
            feature->let_go(one.id, one);
            feature->machine.wake();  // it may be what it waits for
            mark_busy(*feature);
        }
        if (regained == Regained::StaysOut) continue;
        const auto comes = [&](const LeftOut& one) { return one.is_planned && is_regained(one); };
        if (std::erase_if(feature->degraded, comes) != 0) open_optional(*feature);
    }
}

void FeatureTable::open_optional(Feature& feature) {
    feature.is_optional_open = true;
    feature.machine.wake();
    mark_busy(feature);
}

// Unless somebody else has said something since, or the world has gone.
void FeatureTable::take_back_plans(const std::vector<Replanned>& replanned) {
    for (auto one = replanned.rbegin(); one != replanned.rend(); ++one) {
        const PlannedIn* known = find_planned(one->world, one->feature);
        if (known == nullptr || *known != one->after) continue;
        set_planned(one->world, one->feature, one->before.value_or(PlannedIn()));
        if (!one->before) planned_[one->world].erase(one->feature);
        if (Feature* feature = find(one->feature)) open_optional(*feature);
    }
    std::erase_if(planned_, [](const auto& in_world) { return in_world.second.empty(); });
}

// Who wants them has changed, and with that whether anybody has room for what some worlds leave out.
void FeatureTable::look_at_left_out() {
    for (const auto& [world, planned] : planned_)
        for (const auto& [id, said] : planned)
            if (Feature* feature = said.without.empty() ? nullptr : find(id)) open_optional(*feature);
}

// What it wants, with all that this may need, also what is not held yet, and with what its features acquired.
std::unordered_set<Name> FeatureTable::needed_by(std::uint32_t world) const {
    std::vector<const Feature*> open;
    std::unordered_set<Name> needed;
    std::unordered_map<Name, std::vector<const Feature*>> held_by;
    const auto is_theirs = [&](const OwnerEntry& entry) {
        if (entry.owner.kind == OwnerKind::World) return entry.owner.serial == world;
        return world == 0 && entry.owner.kind != OwnerKind::Feature;
    };
    const auto add = [&](const Feature& feature) {
        if (needed.insert(feature.id).second) open.push_back(&feature);
    };
    for (const auto& [id, feature] : features) {
        if (std::any_of(feature->owners.begin(), feature->owners.end(), is_theirs)) add(*feature);
        for (const OwnerEntry& entry : feature->owners)
            if (entry.owner.kind == OwnerKind::Feature) held_by[entry.owner.name].push_back(feature.get());
    }
    for (std::size_t i = 0; i < open.size(); ++i) {
        for (const Dependency& one : open[i]->file.manifest.dependencies)
            if (const Feature* other = find(one.id); other != nullptr && one.kind != DependencyKind::Incompatible)
                add(*other);
        if (const auto held = held_by.find(open[i]->id); held != held_by.end())
            for (const Feature* other : held->second) add(*other);
    }
    return needed;
}

// What stayed out by it is looked at again: somebody else's word counts there now.
void FeatureTable::forget_planned(std::uint32_t world, const std::function<bool(Name, const PlannedIn&)>& is_over) {
    const auto there = planned_.find(world);
    if (there == planned_.end()) return;
    std::erase_if(there->second, [&](const auto& planned) {
        const auto& [id, said] = planned;
        if (!is_over(id, said)) return false;
        if (!said.without.empty()) --left_out_count_;
        if (Feature* feature = has_left_out() || !said.without.empty() ? find(id) : nullptr) open_optional(*feature);
        for (const LeftOut& one : said.without)
            if (Feature* other = find(one.id)) mark_busy(*other);
        return true;
    });
    if (there->second.empty()) planned_.erase(there);
}

// It is not wanted there any more: if it joins again it is planned again. What it did without waits for the others.
void FeatureTable::forget_joined(const Feature& feature, std::optional<std::uint32_t> world) {
    for (auto& [serial, planned] : planned_) {
        const auto known = !world || *world == serial ? planned.find(feature.id) : planned.end();
        if (known != planned.end() && known->second.without.empty()) planned.erase(known);
    }
}

// That owner wants less. What was planned as a feature joined a world counts as long as the world or the process needs
// it there; what a wish of the world said, only as long as the world does.
void FeatureTable::forget_unneeded(const Owner& owner) {
    const bool is_for_all = owner.kind != OwnerKind::World;
    const auto by_process = needed_by(0);
    std::vector<std::uint32_t> worlds;
    for (const auto& [serial, planned] : planned_)
        if (is_for_all || serial == owner.serial) worlds.push_back(serial);
    for (const std::uint32_t serial : worlds) {
        const auto needed = serial != 0 ? needed_by(serial) : by_process;
        forget_planned(serial, [&](Name id, const PlannedIn& said) {
            return needed.count(id) == 0 && (!said.is_further || by_process.count(id) == 0);
        });
    }
}

const std::string* FeatureTable::left_out(Name dependent, Name dependency, std::uint32_t world) const {
    const PlannedIn* planned = find_planned(world, dependent);
    if (planned == nullptr) planned = find_planned(0, dependent);
    if (planned == nullptr) return nullptr;
    for (const LeftOut& one : planned->without)
        if (one.id == dependency) return &one.reason;
    return nullptr;
}

}  // namespace lyre::features
