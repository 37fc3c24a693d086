// Declared needs: judging them, moving by them, going down, rings among them.
#include <algorithm>

#include "lyre/core/suggest.h"
#include "lyre/framework/detail/init_engine.h"

namespace lyre::framework::detail {

namespace {

// Needs between actors may go in a circle; going down follows it no further than this.
constexpr int kMaxDepth = 64;

using Pair = std::pair<Name, StateIndex>;  // a feature at a state

// What a feature at a state needs, with the state before it: all that must have come first.
std::vector<Pair> needs_of(const ActorData& data, const DeclaredNeed& added, Pair of, const std::vector<Name>& features,
                           const std::vector<Name>& states) {
    std::vector<Pair> all;
    const auto index = [&](Name state) {
        return static_cast<StateIndex>(std::find(states.begin(), states.end(), state) - states.begin());
    };
    const auto add = [&](const DeclaredNeed& need) {
        const FeatureNeed* on = need.on_feature();
        if (on == nullptr || on->of || need.feature != of.first || index(need.state) != of.second) return;
        for (Name feature : features)
            if (on->feature ? feature == on->feature : feature != of.first) all.emplace_back(feature, index(on->state));
    };
    if (data.needs != nullptr)
        for (const auto& need : data.needs->all) add(*need);
    add(added);
    if (of.second > 0) all.emplace_back(of.first, static_cast<StateIndex>(of.second - 1));
    return all;
}

}  // namespace

std::string DeclaredNeed::to_string() const {
    if (predicate() != nullptr) return std::string(predicate()->name.text());
    const FeatureNeed& on = *on_feature();
    return fmt::format("{} at {}", on.feature ? on.feature.text() : "all other features", on.state);
}

// Declaring.

Status InitEngine::declare(Actor& actor, Name feature, Name state, Need need, const InitPlace& place) {
    const Call call(*this);
    if (!feature) return Status::invalid("a need is a feature's: name it");
    const Owner owner = Owner::current();
    auto declared = std::make_shared<DeclaredNeed>(
        DeclaredNeed{feature, state, std::move(need), owner, next_registration(), place.text_for(owner)});
    const FeatureNeed* on = declared->on_feature();
    const PredicateNeed* predicate = declared->predicate();
    for (Name named : {state, on != nullptr ? on->state : state})
        if (index_of(named) == kNoState)
            return Status::not_found("need of {}: {} is not a registered init state", feature, in_quotes(named.text()));
    if (predicate != nullptr && !predicate->holds)
        return Status::invalid("need {} of {} has nothing to ask", predicate->name, feature);
    ActorData* data = data_for(actor);
    if (data == nullptr) return Status::refused("{} is not an actor of this game that lives", actor.id());
    if (data->needs == nullptr) data->needs = std::make_unique<ActorNeeds>();
    ActorNeeds& needs = *data->needs;
    Status status = needs.all.size() < InitStates::kMaxNeeds
                        ? find_need_ring(*data, *declared)
                        : Status::capacity("{} has {} needs already", actor.id(), needs.all.size());
    if (!status.is_ok()) {
        release_if_empty(*data);
        return status;
    }
    if ((predicate != nullptr && predicate->every_frame) || (on != nullptr && on->of)) needs.is_polled = true;
    needs.all.push_back(std::move(declared));
    if (needs.is_polled) frame_.add(*data);
    dirty_.add(*data);
    return Status::ok();
}

// From what the new need asks for, is there a way back to the need itself?
Status InitEngine::find_need_ring(const ActorData& data, const DeclaredNeed& added) const {
    const FeatureNeed* on = added.on_feature();
    if (on == nullptr || on->of) return Status::ok();
    std::vector<Name> features{added.feature};
    const auto know = [&](Name name) {
        if (name && std::find(features.begin(), features.end(), name) == features.end()) features.push_back(name);
    };
    know(on->feature);
    for (const Feature& feature : data.features) know(feature.name);
    for (const auto& need : data.needs->all) {
        know(need->feature);
        if (const FeatureNeed* other = need->on_feature(); other != nullptr && !other->of) know(other->feature);
    }
    const Pair start{added.feature, index_of(added.state)};
    std::vector<std::pair<Pair, std::size_t>> seen{{start, 0}};  // with the place of who asked for it
    for (std::size_t i = 0; i < seen.size(); ++i) {
        const Pair at = seen[i].first;
        for (const Pair& next : needs_of(data, added, at, features, states_)) {
            if (next == start) {
                std::string ring = fmt::format("{} at {}", start.first, added.state);
                for (std::size_t step = i; step != 0; step = seen[step].second)
                    ring.insert(0,
                                fmt::format("{} at {} -> ", seen[step].first.first, name_of(seen[step].first.second)));
                return Status::refused("needs go in a ring: {} at {} -> {}", start.first, added.state, ring);
            }
            // The first step is the new need alone: the state before it is no reason for a ring.
            const bool is_ladder = next.first == at.first && next.second + 1 == at.second;
            if (i == 0 && is_ladder) continue;
            if (std::none_of(seen.begin(), seen.end(), [&](const auto& one) { return one.first == next; }))
                seen.emplace_back(next, i);
        }
    }
    return Status::ok();
}

void InitEngine::signal(Actor& actor, Name name) {
    const Keep keep(*this);
    const CauseScope because(*this, {"signal", name, {}});
    const Call call(*this);
    ActorData* data = find(actor);
    if (data == nullptr || data->needs == nullptr) return;
    for (const auto& need : data->needs->all)
        if (const PredicateNeed* predicate = need->predicate())
            if (std::find(predicate->signals.begin(), predicate->signals.end(), name) != predicate->signals.end())
                need->judged = Judged::Unknown;
    for (Feature& feature : data->features) feature.is_reset = false;
    dirty_.add(*data);
}

Status InitEngine::set_target(Actor& actor, Name state) {
    if (state && index_of(state) == kNoState)
        return Status::not_found("{} is not a registered init state", in_quotes(state.text()));
    ActorData* data = state ? data_for(actor) : find(actor);
    if (data == nullptr)
        return state ? Status::refused("{} is not an actor of this game that lives", actor.id()) : Status::ok();
    data->target = state;
    recount(*data);
    release_if_empty(*data);
    return Status::ok();
}

// Judging.

bool InitEngine::has_need(const ActorData& data, Name feature, Name state) {
    return data.needs != nullptr && std::any_of(data.needs->all.begin(), data.needs->all.end(), [&](const auto& need) {
               return need->feature == feature && (!state || need->state == state);
           });
}

// All needs of the states above `from` up to `to`: who skips a state needs what it needs.
bool InitEngine::are_met(ActorRef ref, Name feature, StateIndex from, StateIndex to, Asked asked) {
    ActorData* data = find(ref);
    for (std::size_t i = 0; data != nullptr && data->needs != nullptr && i < data->needs->all.size(); ++i) {
        const auto need = data->needs->all[i];
        const StateIndex state = index_of(need->state);
        const bool counts = need->feature == feature && state > from && state <= to &&
                            (asked == Asked::All || need->on_feature() != nullptr);
        if (counts && !holds(ref, need)) {
            data = find(ref);
            if (data != nullptr && data->below > 0) touched_.add(*data);
            if (data != nullptr && traces())
                trace_refusal(*data->actor, feature, name_of(to), fmt::format("it needs {}", need->to_string()));
            return false;
        }
        data = find(ref);
    }
    return data != nullptr;
}

bool InitEngine::holds(ActorRef ref, const std::shared_ptr<DeclaredNeed>& need) {
    if (need->predicate() != nullptr) return judge(ref, *need);
    const ActorId id = actor_of(ref, *need);
    ActorData* data = find(ref);
    if (data == nullptr || !id) return false;
    if (id == data->actor->id()) return feature_holds(data, *need->on_feature(), need->feature);
    look_at(*data, id);
    return feature_holds(data_of(data->actor->world(), id), *need->on_feature(), {});
}

bool InitEngine::judge(ActorRef ref, DeclaredNeed& need) {
    ActorData* data = find(ref);
    if (need.judged == Judged::Unknown && data != nullptr) {
        bool is_true = false;
        need.judged = Judged::Fails;
        guarded(need.owner, "a need", *data->actor, need.feature, [&] {
            is_true = need.predicate()->holds(*data->actor);
        }).ignore();
        if (is_true) need.judged = Judged::Holds;
    }
    return need.judged == Judged::Holds;
}

ActorId InitEngine::actor_of(ActorRef ref, const DeclaredNeed& need) {
    ActorData* data = find(ref);
    if (data == nullptr) return {};
    ActorId id = data->actor->id();
    if (const auto& of = need.on_feature()->of)
        if (!guarded(need.owner, "a need", *data->actor, need.feature, [&] { id = of(*data->actor); }).is_ok())
            return {};
    return id;
}

bool InitEngine::feature_holds(const ActorData* on, const FeatureNeed& need, Name asking) const {
    if (on == nullptr) return false;
    const StateIndex wanted = index_of(need.state);
    if (!need.feature) return have_all(on, wanted, asking);
    const Feature* feature = const_cast<ActorData*>(on)->find(need.feature);
    return feature != nullptr && feature->state >= wanted;
}

ActorData* InitEngine::data_of(const World& world, ActorId id) const {
    const Actor* actor = world.find(id);
    return actor == nullptr ? nullptr : find(*actor);
}

// Who looks at whom.

void InitEngine::look_at(ActorData& data, ActorId id) {
    auto& looks_at = data.needs->looks_at;
    if (std::find(looks_at.begin(), looks_at.end(), id) != looks_at.end()) return;
    looks_at.push_back(id);
    dependents_[ActorKey::of(*data.actor, id)].push_back(data.ref());
}

void InitEngine::look_away(ActorData& data) {
    for (const ActorId id : data.needs->looks_at)
        if (const auto list = dependents_.find(ActorKey::of(*data.actor, id)); list != dependents_.end()) {
            std::erase(list->second, data.ref());
            if (list->second.empty()) dependents_.erase(list);
        }
    data.needs->looks_at.clear();
}

// At those whom it needed to be where it is: if they go down, so must it.
void InitEngine::look_again(ActorRef ref) {
    ActorData* data = find(ref);
    look_away(*data);
    for (std::size_t i = 0; data != nullptr && data->needs != nullptr && i < data->needs->all.size(); ++i) {
        const auto need = data->needs->all[i];
        const FeatureNeed* on = need->on_feature();
        const Feature* feature = on == nullptr || !on->of ? nullptr : data->find(need->feature);
        if (feature == nullptr || feature->state < index_of(need->state)) continue;
        const ActorId id = actor_of(ref, *need);
        data = find(ref);
        if (id && data != nullptr && data->needs != nullptr) look_at(*data, id);
    }
}

void InitEngine::mark_dependents(ActorData& data) {
    if (data.needs != nullptr) dirty_.add(data);
    if (dependents_.empty()) return;
    if (const auto list = dependents_.find(ActorKey::of(*data.actor, data.actor->id())); list != dependents_.end())
        for (const ActorRef ref : list->second)
            if (ActorData* dependent = find(ref)) dirty_.add(*dependent);
}

// Moving by them.

// One move at most: it is told before the next.
void InitEngine::evaluate(ActorData& data) {
    const ActorRef ref = data.ref();
    data.is_dirty = false;
    if (data.needs == nullptr || data.actor->is_doomed() || tries_in_circles(data)) return;
    look_again(ref);
    std::vector<FeatureRef> features;
    if (const ActorData* still = find(ref))
        for (const Feature& feature : still->features)
            if (has_need(*still, feature.name)) features.push_back(still->ref(feature));
    for (const FeatureRef feature : features)
        if (step(feature)) {
            if (ActorData* still = find(ref)) dirty_.add(*still);
            return;
        }
}

bool InitEngine::step(FeatureRef ref) {
    ActorData* data = nullptr;
    Feature* feature = find(ref, &data);
    if (feature == nullptr || feature->in_transition || data->actor->is_doomed()) return false;
    const CauseScope because(*this, cause_.subject ? cause_ : Cause{"the needs of", feature->name, {}});
    const StateIndex state = feature->state, kept = kept_until(ref, state);
    feature = find(ref, &data);
    if (feature == nullptr || feature->state != state) return feature != nullptr;
    if (kept < state) {
        if (goes_in_circles(*data)) return false;
        go_down(ref, kept, 0);
        return true;
    }
    const StateIndex next = static_cast<StateIndex>(state + 1);
    if (feature->is_reset || feature->implementer.is_dead() || next >= static_cast<StateIndex>(states_.size()))
        return false;
    if (state == kNoState && !has_need(*data, feature->name, states_.front())) return false;
    const LifeRef implementer = feature->implementer;
    return try_to(*data->actor, feature->name, implementer, name_of(next));
}

// The highest state up to `state` whose lasting needs hold.
StateIndex InitEngine::kept_until(FeatureRef ref, StateIndex state) {
    StateIndex kept = state;
    ActorData* data = nullptr;
    for (std::size_t i = 0;; ++i) {
        const Feature* feature = find(ref, &data);
        if (feature == nullptr || data->needs == nullptr || i >= data->needs->all.size()) return kept;
        const auto need = data->needs->all[i];
        const StateIndex of = index_of(need->state);
        if (need->need.keeps && need->feature == feature->name && of <= kept && !holds(ref.actor, need))
            kept = static_cast<StateIndex>(of - 1);
    }
}

// Going down.

Status InitEngine::reset(Actor& actor, Name name, Name state) {
    const Call call(*this);
    const StateIndex to = state ? index_or_report(state) : kNoState;
    if (state && to == kNoState) return Status::not_found("{} is not a registered init state", in_quotes(state.text()));
    ActorData* data = find(actor);
    Feature* feature = data == nullptr ? nullptr : data->find(name);
    if (feature == nullptr) return Status::not_found("{} has no feature {}", actor.id(), in_quotes(name.text()));
    if (feature->in_transition) {
        feature->wants_recheck = true;
        trace_refusal(actor, name, state, "a reset in transition");
        return Status::refused("{} is in transition", name);
    }
    const StateIndex from = feature->state;
    if (to > from) return Status::refused("{} is at {}: a reset to {} would go up", name, shown(name_of(from)), state);
    if (to == from) return Status::ok();
    const FeatureRef ref = data->ref(*feature);
    const CauseScope because(*this, {"a reset of", name, {}});
    go_down(ref, to, 0);
    if (Feature* still = find(ref); still != nullptr && still->state < from) still->is_reset = true;
    return Status::ok();
}

void InitEngine::go_down(FeatureRef ref, StateIndex to, int depth) {
    if (depth < kMaxDepth)
        for (const auto& [dependent, state] : dependents(ref, to)) go_down(dependent, state, depth + 1);
    for (const Feature* feature = find(ref); feature != nullptr && feature->state > to && !feature->in_transition;) {
        const StateIndex before = feature->state;
        leave(ref);
        feature = find(ref);
        if (feature == nullptr || feature->state >= before) return;  // somebody took it up again
    }
}

// One state down. Leaving cannot be refused: what the hook throws is reported.
void InitEngine::leave(FeatureRef ref) {
    ActorData* data = nullptr;
    Feature* feature = find(ref, &data);
    const Name before = name_of(feature->state);
    const Name after = name_of(static_cast<StateIndex>(feature->state - 1));
    feature->in_transition = true;
    feature->wants_recheck = false;
    const LifeRef implementer = feature->implementer;
    if (InitStateInterface* object = implementer.object())
        guarded(implementer.owner(), "handle_exit_init_state", *data->actor, feature->name, [&] {
            object->handle_exit_init_state(before, after);
        }).ignore();
    feature = find(ref, &data);
    if (feature == nullptr) return;
    feature->in_transition = false;
    const bool again = std::exchange(feature->wants_recheck, false);
    store(*data, *feature, index_of(after));
    if (again) queue_recheck(ref, {"an attempt during the exit of", feature->name, {}});
}

// Features that are where they are because this one was above `to`, and how far down each has to go.
std::vector<std::pair<FeatureRef, StateIndex>> InitEngine::dependents(FeatureRef ref, StateIndex to) {
    std::vector<std::pair<FeatureRef, StateIndex>> all;
    ActorData* data = nullptr;
    const Feature* feature = find(ref, &data);
    if (feature == nullptr || feature->state <= to) return all;
    Actor& actor = *data->actor;
    const Name name = feature->name;
    const World::CallScope scope(actor.world());  // the functions of needs may destroy it
    std::vector<ActorRef> actors{ref.actor};
    if (const auto list = dependents_.find(ActorKey::of(actor, actor.id())); list != dependents_.end())
        for (const ActorRef looker : list->second)
            if (looker != ref.actor) actors.push_back(looker);
    for (const ActorRef looker : actors)
        if (ActorData* other = find(looker)) add_dependents(*other, actor, name, to, all);
    return all;
}

void InitEngine::add_dependents(ActorData& data, const Actor& on, Name feature, StateIndex to,
                                std::vector<std::pair<FeatureRef, StateIndex>>& all) {
    const ActorRef ref = data.ref();
    const bool is_same = data.actor == &on;
    if (data.needs == nullptr) return;
    for (const auto& need : std::vector(data.needs->all)) {
        const FeatureNeed* wanted = need->on_feature();
        if (wanted == nullptr || (is_same && need->feature == feature)) continue;
        if ((wanted->feature && wanted->feature != feature) || index_of(wanted->state) <= to) continue;
        if (actor_of(ref, *need) != on.id()) continue;
        ActorData* still = find(ref);
        if (still == nullptr) return;
        const Feature* dependent = still->find(need->feature);
        const StateIndex state = index_of(need->state);
        if (dependent != nullptr && dependent->state >= state)
            all.emplace_back(still->ref(*dependent), static_cast<StateIndex>(state - 1));
    }
}

// Once per frame: what was declared to be judged then. An actor that has nothing of the kind left leaves the list.
void InitEngine::settle_needs() {
    std::erase_if(frame_.all, [this](ActorRef ref) {
        ActorData* data = find(ref);
        if (data == nullptr) return true;
        bool is_waiting = false;
        for (const auto& need : data->needs == nullptr ? decltype(data->needs->all)() : data->needs->all) {
            const Feature* feature = data->find(need->feature);
            const bool counts = need->need.keeps || feature == nullptr || feature->state < index_of(need->state);
            const PredicateNeed* predicate = need->predicate();
            if (!counts || (predicate != nullptr ? !predicate->every_frame : !need->on_feature()->of)) continue;
            need->judged = Judged::Unknown;
            is_waiting = true;
        }
        if (is_waiting) dirty_.add(*data);
        data->is_in_frame = is_waiting;
        return !is_waiting;
    });
}

}  // namespace lyre::framework::detail
