// In order: the engine's life; the list of states; actors and features; changing.
#include "lyre/framework/detail/init_engine.h"

#include <algorithm>

#include "lyre/core/suggest.h"

namespace lyre::framework::detail {

namespace init_kinds {
const Name kProblem("framework.init"), kRing("framework.init.ring"), kStall("framework.init.stall");
const Name kChange("init.change"), kRefusal("init.refusal"), kRecheck("init.recheck"), kRemoval("init.removal");
}  // namespace init_kinds
using namespace init_kinds;

namespace {

constexpr std::size_t kMaxReportedStates = 256;  // unknown names that are remembered as reported; more are silent

std::string to_text(const Cause& cause) {
    std::string text = cause.what;
    if (cause.subject) text += fmt::format(" {}", cause.subject);
    if (cause.state) text += fmt::format(" to {}", cause.state);
    return text;
}

}  // namespace

// Its life.

void InitEngine::begin(GameInstance& game) {
    game_ = &game;
    runtime_ = &game.runtime();
    now_us_ = settled_us_ = runtime_->clock().now_us();
    if (auto known = runtime_->variables().find<double>("lyre.initstate.StallSecs")) stall_seconds_ = *known;
}

void InitEngine::end() {
    has_ended_ = true;
    if (kept_ > 0) self_ = shared_from_this();
    const Status why(StatusCode::Unavailable, "the component manager is gone");
    for (std::size_t i = 0; i < slots_.size(); ++i)  // what goes with a listener may come back here
        if (slots_[i]->serial != 0) release(*slots_[i], why);
    auto classes = std::exchange(classes_, {});
    for (auto& [feature, listeners] : classes)
        for (auto& listener : listeners) {
            listener->is_over = true;
            listener->status = why;
            silence(*listener);
        }
    queue_.clear();
    told_ = 0;
    worlds_.clear();
    dependents_.clear();
}

// Everything there is to tell and to move, until there is no more.
void InitEngine::run() {
    while (!has_ended_) {
        if (told_ < queue_.size()) {
            const Item item = std::move(queue_[told_++]);
            tell(item);
        } else if (evaluated_ < dirty_.all.size()) {
            if (ActorData* data = find(dirty_.all[evaluated_++])) evaluate(*data);
        } else {
            break;
        }
    }
    queue_.clear();
    dirty_.all.clear();
    told_ = evaluated_ = 0;
    ++call_number_;
}

Status InitEngine::failed(const char* what, ActorId actor, Name feature, std::string_view why) const {
    Status status = Status::failed("{} of {} threw: {}", what, feature, why);
    report(LogLevel::Error, kProblem, actor, status.text());
    return status;
}

void InitEngine::report(LogLevel level, Name kind, ActorId actor, const std::string& text) const {
    runtime_->log().report(level, kind, actor ? fmt::format("{}", actor) : "init states", text);
}

void InitEngine::trace(Name kind, const Actor& actor, Name feature, const std::string& detail) const {
    runtime_->trace().write(actor.world().def().name, kind, fmt::format("{}", actor.id()),
                            fmt::format("{} ({}): {}; by {}", feature ? feature.text() : "all features",
                                        to_string(actor.role()), detail, to_text(cause_)));
}

void InitEngine::trace_refusal(const Actor& actor, Name feature, Name to, std::string_view why) const {
    if (!has_ended_ && traces()) trace(kRefusal, actor, feature, fmt::format("{} refused: {}", shown(to), why));
}

// The list.

InitResult InitEngine::add_state(Name state, InitOrder side, Name existing) {
    if (!state) return InitResult::Refused;
    if (index_of(state) != kNoState) return InitResult::AlreadyRegistered;
    if (depth_ > 0) return InitResult::InTransition;  // somebody is on his way along the list
    if (states_.size() >= InitStates::kMaxStates) return InitResult::Refused;
    StateIndex at = side == InitOrder::Before ? StateIndex{0} : static_cast<StateIndex>(states_.size());
    if (existing) {
        at = index_of(existing);
        if (at == kNoState) return InitResult::UnknownReference;
        if (side == InitOrder::After) ++at;
    }
    const Call call(*this);
    states_.insert(states_.begin() + at, state);
    for (const auto& data : slots_) {
        if (data->serial == 0) continue;
        for (Feature& feature : data->features)
            if (feature.state >= at) ++feature.state;
        recount(*data);
        if (data->needs != nullptr) dirty_.add(*data);
    }
    return InitResult::Done;
}

StateIndex InitEngine::index_of(Name state) const {
    if (state)
        for (std::size_t i = 0; i < states_.size(); ++i)
            if (states_[i] == state) return static_cast<StateIndex>(i);
    return kNoState;
}

StateIndex InitEngine::index_or_report(Name state) {
    const StateIndex index = index_of(state);
    if (index != kNoState || has_ended_) return index;
    if (std::find(reported_states_.begin(), reported_states_.end(), state) != reported_states_.end() ||
        reported_states_.size() >= kMaxReportedStates)
        return index;
    reported_states_.push_back(state);
    Nearest search(state.text());
    for (Name known : states_) search.consider(known.text());
    report(LogLevel::Warning, kProblem, {},
           fmt::format("{} is not a registered init state{}", in_quotes(state.text()), did_you_mean(search.best())));
    return index;
}

StateIndex InitEngine::target_of(const ActorData& data) const {
    return data.target ? index_of(data.target) : static_cast<StateIndex>(states_.size() - 1);
}

void InitEngine::count_below(ActorData& data, int by) {
    data.below = static_cast<std::uint32_t>(static_cast<int>(data.below) + by);
    if (data.below == 0) {
        waiting_.remove(data);
        touched_.remove(data);
    } else if (data.waiting_at == 0) {
        waiting_.add(data);
        next_stall_us_ = 0;
    }
}

void InitEngine::recount(ActorData& data) {
    const auto below = std::count_if(data.features.begin(), data.features.end(),
                                     [&](const Feature& feature) { return is_below(data, feature); });
    count_below(data, static_cast<int>(below) - static_cast<int>(data.below));
}

// Actors and features.

InitEngine::WorldTable* InitEngine::table_of(const World& world) const {
    for (const auto& table : worlds_)
        if (table->world == &world && table->serial == world.owner().serial) return table.get();
    return nullptr;
}

ActorData*& InitEngine::place_of(WorldTable& table, ActorId id) const {
    if (id.index >= World::kFirstRowIndex) return table.by_row[id.index];
    if (id.index >= table.by_index.size()) table.by_index.resize(std::max<std::size_t>(id.index + 1, 64));
    return table.by_index[id.index];
}

ActorData* InitEngine::find(const Actor& actor) const {
    WorldTable* table = table_of(actor.world());
    if (table == nullptr) return nullptr;
    const std::uint32_t index = actor.id().index;
    ActorData* data = nullptr;
    if (index < table->by_index.size())
        data = table->by_index[index];
    else if (const auto row = table->by_row.find(index); row != table->by_row.end())
        data = row->second;
    return data != nullptr && data->actor == &actor ? data : nullptr;
}

ActorData* InitEngine::find(ActorRef ref) {
    ActorData* data = ref.slot < slots_.size() ? slots_[ref.slot].get() : nullptr;
    return data != nullptr && data->serial == ref.serial && ref.serial != 0 ? data : nullptr;
}

Feature* InitEngine::find(FeatureRef ref, ActorData** of) {
    ActorData* data = find(ref.actor);
    if (of != nullptr) *of = data;
    if (data == nullptr) return nullptr;
    for (Feature& feature : data->features)
        if (feature.life == ref.life) return &feature;
    return nullptr;
}

// Only an actor that the world finds has data: one that is being made or ends could not take it away again.
ActorData* InitEngine::data_for(Actor& actor) {
    if (ActorData* known = find(actor)) return known;
    World& world = actor.world();
    if (has_ended_ || world.game() != game_ || world.find(actor.id()) != &actor) return nullptr;
    WorldTable* table = table_of(world);
    if (table == nullptr) {
        std::erase_if(worlds_, [](const auto& old) { return old->count == 0; });
        table = worlds_.emplace_back(std::make_unique<WorldTable>()).get();
        table->world = &world;
        table->serial = world.owner().serial;
        const OwnerScope as(Owner::process());  // whoever came first, it is the engine that listens
        table->ended =
            world.watched_actor_ended.add([this](Actor& gone, EndReason) { forget_actor(gone, "the actor is gone"); });
        table->component_ending =
            world.watched_component_ending.add([this](Component& gone, EndReason) { component_ending(gone); });
    }
    if (free_.empty()) {
        slots_.push_back(std::make_unique<ActorData>());
        slots_.back()->slot = static_cast<std::uint32_t>(slots_.size() - 1);
        free_.push_back(slots_.back().get());
    }
    ActorData& data = *free_.back();
    free_.pop_back();
    data.actor = &actor;
    if (++last_serial_ == 0) ++last_serial_;
    data.serial = last_serial_;
    place_of(*table, actor.id()) = &data;
    ++table->count;
    world.watch(actor);
    now_us_ = runtime_->clock().now_us();
    return &data;
}

// What goes with it may be user code (what a callback holds): that comes last.
void InitEngine::release(ActorData& data, const Status& why) {
    ++change_number_;
    if (data.needs != nullptr) look_away(data);
    note_dependents(data);
    const auto listeners = std::exchange(data.listeners, {});
    const auto needs = std::exchange(data.needs, nullptr);
    for (ActorSet* set : {&waiting_, &touched_}) set->remove(data);
    data.is_dirty = data.is_in_frame = false;
    feature_count_ -= data.features.size();
    data.features.clear();
    data.below = data.changes = data.tries = 0;
    data.target = {};
    data.serial = 0;
    if (WorldTable* table = table_of(data.actor->world())) {
        if (data.actor->id().index >= World::kFirstRowIndex)
            table->by_row.erase(data.actor->id().index);
        else
            table->by_index[data.actor->id().index] = nullptr;
        --table->count;
    }
    free_.push_back(&data);
    for (const auto& [listener, bound, known] : listeners)
        if (listener != nullptr && !listener->is_over) {
            listener->is_over = true;
            listener->status = why;
            silence(*listener);
        }
}

void InitEngine::release_if_empty(ActorData& data) {
    const bool has_needs = data.needs != nullptr && !data.needs->all.empty();
    if (data.features.empty() && data.listeners.empty() && !has_needs && !data.target) release(data, {});
}

void InitEngine::forget_actor(Actor& actor, const char* why) {
    const Call call(*this);
    World& world = actor.world();
    const World::CallScope scope(world);  // what needs and listeners hold may end the actor as it goes
    if (ActorData* data = find(actor)) release(*data, Status::not_found("{}", why));
    if (world.has_ended())
        std::erase_if(worlds_, [&](const auto& table) { return table->world == &world && table->count == 0; });
}

Feature* InitEngine::feature_for(ActorData& data, Name name) {
    if (Feature* known = data.find(name)) return known;
    if (data.features.size() >= InitStates::kMaxFeatures) return nullptr;
    if (data.features.empty()) data.order = ++last_order_;
    Feature& feature = data.features.emplace_back();
    feature.name = name;
    feature.life = ++last_life_;
    feature.since_us = now_us_;
    ++feature_count_;
    if (is_below(data, feature)) count_below(data, 1);
    return &feature;
}

InitResult InitEngine::add_feature(Actor& actor, Name name, LifeRef implementer) {
    const Call call(*this);
    ActorData* data = name && !implementer.is_dead() ? data_for(actor) : nullptr;
    Feature* feature = data == nullptr ? nullptr : feature_for(*data, name);
    if (feature == nullptr) return InitResult::Refused;
    feature->implementer = std::move(implementer);
    note_dependents(*data);
    return InitResult::Done;
}

// A component goes and its actor stays. What it did not take back goes with it: nobody waits for it for ever.
void InitEngine::component_ending(Component& component) {
    Actor& actor = component.actor();
    ActorData* data = actor.is_doomed() ? nullptr : find(actor);
    if (data == nullptr) return;
    const auto is_it = [&](const LifeRef& life) {
        return life.object() != nullptr && life.object()->own_component() == &component;
    };
    LifeRef life;
    for (const Feature& feature : data->features)
        if (is_it(feature.implementer)) life = feature.implementer;
    for (const ActorListener& entry : data->listeners)
        if (is_it(entry.bound)) life = entry.bound;
    if (life.get() == nullptr) return;
    const Call call(*this);
    const CauseScope because(*this, {"the end of a component", component.name(), {}});
    unbind(actor, *life.get());
    remove_features(actor, {}, life.get());
}

void InitEngine::remove_features(Actor& actor, Name name, const InitLife* life) {
    const Call call(*this);
    ActorData* data = find(actor);
    if (data == nullptr) return;
    const std::size_t before = data->features.size();
    std::vector<std::shared_ptr<DeclaredNeed>> gone;  // their end may be user code: it comes last
    for (std::size_t i = data->features.size(); i-- > 0;) {
        const Feature& feature = data->features[i];
        const bool is_meant = (name && feature.name == name) || (life != nullptr && feature.implementer.is(life));
        if (is_meant || feature.implementer.is_dead()) take_out(*data, i, gone);
    }
    if (data->features.size() == before) return;
    if (!data->actor->is_doomed()) {
        Item again;
        again.kind = Item::Kind::RecheckAll;
        again.feature.actor = data->ref();
        again.cause = {"the removal of a feature", {}, {}};
        queue_.push_back(std::move(again));
    }
    note_dependents(*data);
    release_if_empty(*data);
}

void InitEngine::take_out(ActorData& data, std::size_t at, std::vector<std::shared_ptr<DeclaredNeed>>& gone) {
    const Feature& feature = data.features[at];
    ++change_number_;
    if (traces())
        trace(kRemoval, *data.actor, feature.name, fmt::format("removed at {}", shown(name_of(feature.state))));
    if (!data.actor->is_doomed() && !goes_in_circles(data)) {
        Item item = snapshot(data, feature);
        item.kind = Item::Kind::Removed;
        item.old_state = std::exchange(item.new_state, Name());
        queue_.push_back(std::move(item));
    }
    for (const ActorListener& entry : data.listeners)
        if (entry.listener != nullptr) std::erase(entry.listener->fired, feature.life);
    if (data.needs != nullptr)
        std::erase_if(data.needs->all, [&](const auto& need) {
            if (need->feature != feature.name) return false;
            gone.push_back(need);
            return true;
        });
    if (is_below(data, feature)) count_below(data, -1);
    data.features.erase(data.features.begin() + static_cast<std::ptrdiff_t>(at));
    --feature_count_;
}

bool InitEngine::have_all(const ActorData* data, StateIndex state, Name excluding) const {
    if (data == nullptr || data->features.empty() || state == kNoState) return false;
    return std::all_of(data->features.begin(), data->features.end(), [&](const Feature& feature) {
        return feature.state >= state || (excluding && feature.name == excluding);
    });
}

// Changing.

// Callbacks that chase each other without end are stopped: those that change, and those that only ask for another try.
bool InitEngine::goes_in_circles(ActorData& data) {
    count_call(data);
    if (++data.changes <= InitStates::kMaxChanges) return false;
    if (data.changes == InitStates::kMaxChanges + 1)
        stop_circles(data, "changes in one call: callbacks undo what others do");
    return true;
}

bool InitEngine::tries_in_circles(ActorData& data) {
    count_call(data);
    if (++data.tries <= InitStates::kMaxChanges) return false;
    if (data.tries == InitStates::kMaxChanges + 1)
        stop_circles(data, "tries in one call: what is tried asks for the next");
    return true;
}

void InitEngine::count_call(ActorData& data) {
    if (data.call == call_number_) return;
    data.call = call_number_;
    data.changes = data.tries = 0;
}

void InitEngine::stop_circles(ActorData& data, const char* what) const {
    const std::string text = fmt::format("{} {}; stopped", InitStates::kMaxChanges, what);
    report(LogLevel::Error, kProblem, data.actor->id(), text);
    if (traces()) trace(kRefusal, *data.actor, {}, text);
}

InitResult InitEngine::change(Actor& actor, Name name, LifeRef implementer, Name state) {
    const Call call(*this);
    const StateIndex to = name ? index_or_report(state) : kNoState;
    if (name && to == kNoState) trace_refusal(actor, name, state, "not a registered init state");
    ActorData* data = to == kNoState ? nullptr : data_for(actor);
    Feature* feature = data == nullptr ? nullptr : feature_for(*data, name);
    if (feature == nullptr) return InitResult::Refused;
    if (feature->in_transition) {
        feature->wants_recheck = true;
        trace_refusal(actor, name, state, "in transition");
        return InitResult::InTransition;
    }
    feature->implementer = std::move(implementer);
    if (feature->state == to) return InitResult::Unchanged;
    if (goes_in_circles(*data)) return InitResult::Refused;
    store(*data, *feature, to);
    return InitResult::Done;
}

void InitEngine::store(ActorData& data, Feature& feature, StateIndex to) {
    const Name before = name_of(feature.state);
    const bool was_below = is_below(data, feature);
    feature.state = to;
    feature.since_us = now_us_;
    feature.stall_reported = feature.ring_reported = feature.is_reset = false;
    feature.refusal = nullptr;
    if (was_below != is_below(data, feature)) count_below(data, was_below ? -1 : 1);
    ++change_number_;
    if (traces()) trace(kChange, *data.actor, feature.name, fmt::format("{} -> {}", shown(before), shown(name_of(to))));
    if (is_heard(data, feature)) {
        Item item = snapshot(data, feature);
        item.old_state = before;
        queue_.push_back(std::move(item));
    }
    note_dependents(data);
    if (data.needs != nullptr && data.needs->is_polled) frame_.add(data);
}

void InitEngine::refuse(ActorData& data, Feature* feature, Name name, Name to, Verdict verdict) {
    if (traces())
        trace_refusal(*data.actor, name, to,
                      !verdict.reason.empty() ? verdict.reason
                      : verdict.waits_for_feature
                          ? fmt::format("waits for {} at {}", verdict.waits_for_feature, verdict.waits_for_state)
                          : "no reason given");
    if (feature != nullptr) feature->refusal = std::make_unique<Refusal>(Refusal{to, std::move(verdict)});
    if (data.below > 0) touched_.add(data);
}

bool InitEngine::try_to(Actor& actor, Name name, const LifeRef& self, Name state) {
    const Call call(*this);
    const StateIndex to = index_or_report(state);
    if (to == kNoState) trace_refusal(actor, name, state, "not a registered init state");
    ActorData* data = to == kNoState || !name || self.is_dead() ? nullptr : data_for(actor);
    return data != nullptr && attempt(*data, name, self, to);
}

Verdict InitEngine::ask(const LifeRef& self, const Actor& actor, Name feature, Name from, Name to) const {
    const InitStateInterface* object = self.object();
    if (object == nullptr) return Verdict::yes();
    const char* const what = "can_change_init_state";
    const World::CallScope scope(actor.world());
    const OwnerScope as(self.owner());
    try {
        return object->can_change_init_state(from, to);
    } catch (const std::exception& error) {
        return Verdict::no(failed(what, actor.id(), feature, error.what()).text());
    } catch (...) {
        return Verdict::no(failed(what, actor.id(), feature, "an exception").text());
    }
}

// One step, unless it is refused. Inside a Call.
bool InitEngine::attempt(ActorData& actor_data, Name name, const LifeRef& self, StateIndex to) {
    ActorData* data = &actor_data;
    const ActorRef ref = data->ref();
    const Name state = name_of(to);
    const Nested nested(*this);
    if (nested.is_too_deep()) {
        report(LogLevel::Error, kProblem, data->actor->id(),
               fmt::format("{} is tried from inside {} other tries: do parts ask each other?", name, kMaxNestedTries));
        return false;
    }
    Feature* feature = data->find(name);
    StateIndex from = kNoState;
    if (feature != nullptr) {
        from = feature->state;
        if (from == to) return false;
        if (feature->in_transition) {
            feature->wants_recheck = true;
            trace_refusal(*data->actor, name, state, "in transition");
            return false;
        }
        feature->is_reset = false;
    }
    if (data->needs != nullptr && !are_met(ref, name, from, to)) return false;
    Verdict verdict = ask(self, *data->actor, name, name_of(from), state);
    data = find(ref);
    if (data == nullptr) return false;
    if (!verdict.allowed) {
        refuse(*data, data->find(name), name, state, std::move(verdict));
        release_if_empty(*data);
        return false;
    }
    feature = feature_for(*data, name);
    // The list may have grown while it was asked: the state is looked for again.
    return feature != nullptr && !goes_in_circles(*data) && enter(*data, *feature, self, index_of(state));
}

// The transition itself: the work, then the change.
bool InitEngine::enter(ActorData& actor_data, Feature& moving, const LifeRef& self, StateIndex to) {
    if (moving.in_transition || moving.state == to) return false;  // moved while it was asked
    const FeatureRef ref = actor_data.ref(moving);
    const Name name = moving.name, before = name_of(moving.state), after = name_of(to);
    const std::uint64_t number = change_number_;
    moving.in_transition = true;
    moving.wants_recheck = false;
    if (moving.implementer.is(nullptr)) moving.implementer = self;  // it may take the feature back in its own step
    Status status;
    if (InitStateInterface* object = self.object()) {
        const ActorId id = actor_data.actor->id();
        status = guarded(self.owner(), "handle_change_init_state", *actor_data.actor, name, [&] {
            Status told = object->handle_change_init_state(before, after);
            if (!told.is_ok()) report(LogLevel::Error, kProblem, id, fmt::format("{}: {}", name, told.text()));
            return told;
        });
    }
    if (number != change_number_ && status.is_ok()) status = still_wanted(ref, self, before, after);
    ActorData* data = nullptr;
    Feature* feature = find(ref, &data);
    if (feature == nullptr) return false;
    feature->in_transition = false;
    const bool again = std::exchange(feature->wants_recheck, false);
    if (!status.is_ok()) {
        refuse(*data, feature, name, after,
               Verdict::no(fmt::format("the step from {} to {} failed: {}", shown(before), after, status.text())));
        return false;
    }
    feature->implementer = self;
    store(*data, *feature, index_of(after));
    if (again) queue_recheck(ref, {"an attempt during the step of", name, after});
    return true;
}

// Something moved during the step: if a feature it needs went down the step is taken back by its exit, untold.
Status InitEngine::still_wanted(FeatureRef ref, const LifeRef& self, Name before, Name after) {
    ActorData* data = nullptr;
    const Feature* feature = find(ref, &data);
    if (feature == nullptr || data->needs == nullptr) return Status::ok();
    const Name name = feature->name;
    if (are_met(ref.actor, name, index_of(before), index_of(after), Asked::FeaturesOnly)) return Status::ok();
    feature = find(ref, &data);
    InitStateInterface* object = self.object();
    if (feature != nullptr && object != nullptr)
        guarded(self.owner(), "handle_exit_init_state", *data->actor, name, [&] {
            object->handle_exit_init_state(after, before);
        }).ignore();
    return Status::refused("a feature it needs went down meanwhile");
}

void InitEngine::queue_recheck(FeatureRef ref, Cause cause, bool is_again) {
    Item item;
    item.kind = Item::Kind::Recheck;
    item.feature = ref;
    item.cause = cause;
    item.is_again = is_again;
    queue_.push_back(std::move(item));
}

Name InitEngine::climb(Actor& actor, Name name, const LifeRef& self, std::span<const Name> chain) {
    const Keep keep(*this);
    ActorData* data = find(actor);
    if (data == nullptr) return {};
    const ActorRef ref = data->ref();
    Name state;
    for (std::size_t i = 0; (data = find(ref)) != nullptr && !self.is_dead(); ++i) {
        const Feature* feature = data->find(name);
        state = feature == nullptr ? Name() : name_of(feature->state);
        const std::span<const Name> steps = chain.empty() ? std::span<const Name>(states_) : chain;
        while (i < steps.size() && steps[i] != state) ++i;
        if (!state || i + 1 >= steps.size()) break;
        const Call call(*this);  // each step is told before the next
        const StateIndex to = index_or_report(steps[i + 1]);
        if (to == kNoState) trace_refusal(*data->actor, name, steps[i + 1], "not a registered init state");
        if (to == kNoState || !attempt(*data, name, self, to)) break;
    }
    return state;
}

// A check may re-check other features, which may re-check it. Re-checks of a feature whose check runs, and those more
// than one level deep, wait until the outer check returns. A waiting round may queue another only if a state has
// changed in it; so it ends as soon as nothing moves, and none is lost.
void InitEngine::recheck(FeatureRef ref, bool is_again) {
    ActorData* data = nullptr;
    Feature* feature = find(ref, &data);
    if (feature == nullptr || data->actor->is_doomed()) return;
    if (feature->in_transition) {
        feature->wants_recheck = true;
        if (traces()) trace(kRefusal, *data->actor, feature->name, "re-check refused: in transition");
        return;
    }
    if (feature->being_checked || checking_ > 1) {
        if (!std::exchange(feature->is_put_off, true)) put_off_.push_back(ref);
        if (traces()) trace(kRefusal, *data->actor, feature->name, "re-check put off: another runs");
        return;
    }
    if (traces()) trace(kRecheck, *data->actor, feature->name, fmt::format("at {}", shown(name_of(feature->state))));
    const LifeRef implementer = feature->implementer;
    if (data->needs != nullptr) {
        const Call call(*this);
        dirty_.add(*data);
    }
    feature = find(ref, &data);
    InitStateInterface* object = implementer.present();
    if (feature == nullptr || object == nullptr) return;
    const std::uint64_t number = change_number_;
    feature->being_checked = true;
    ++checking_;
    guarded(implementer.owner(), "check_default_initialization", *data->actor, feature->name, [&] {
        object->check_default_initialization();
    }).ignore();
    if (Feature* still = find(ref)) still->being_checked = false;
    if (--checking_ == 0 && !put_off_.empty()) queue_put_off(!is_again || number != change_number_);
}

void InitEngine::queue_put_off(bool is_wanted) {
    const Call call(*this);
    for (const FeatureRef ref : std::exchange(put_off_, {}))
        if (Feature* feature = find(ref)) {
            feature->is_put_off = false;
            if (is_wanted) queue_recheck(ref, {"a poke during the check of another", {}, {}}, true);
        }
}

void InitEngine::recheck_all(ActorRef ref, Name excluding) {
    const Keep keep(*this);
    std::vector<FeatureRef> all;
    if (ActorData* data = find(ref))
        for (const Feature& feature : data->features)
            if (!excluding || feature.name != excluding) all.push_back(data->ref(feature));
    for (const FeatureRef feature : all) recheck(feature);
}

}  // namespace lyre::framework::detail
