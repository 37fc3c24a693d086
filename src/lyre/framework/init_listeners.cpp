// Who hears of a change: registration with its immediate calls, telling, the end of a listener.
#include <algorithm>

#include "lyre/framework/detail/init_engine.h"

namespace lyre::framework {
namespace detail {

namespace {

constexpr std::uint32_t kInlineFired = 64;

}  // namespace

// Registration.

std::shared_ptr<InitListener> InitEngine::listener(Name class_name, Name feature, Name state,
                                                   InitStateCallback callback, const ListenOptions& options,
                                                   const InitPlace& place) {
    auto made = std::make_shared<InitListener>();
    made->class_name = class_name;
    made->feature = feature;
    made->state = state;
    made->callback = std::move(callback);
    made->every_change = options.every_change;
    made->weak_owner = options.weak_owner;
    made->owner = Owner::current();
    made->registered = next_registration();
    made->place = place.text_for(made->owner);
    return made;
}

InitStateHandle InitEngine::refused(const std::shared_ptr<InitListener>& listener, Status why) {
    InitStateHandle handle;
    listener->is_over = true;
    listener->status = std::move(why);
    silence(*listener);
    handle.listener_ = listener;
    return handle;
}

InitStateHandle InitEngine::listen_to_actor(Actor& actor, std::shared_ptr<InitListener> listener, bool call_now) {
    const Call call_scope(*this);
    if (!listener->callback && !listener->ready) return refused(listener, Status::invalid("there is nothing to call"));
    if (listener->state && index_of(listener->state) == kNoState)
        return refused(listener, Status::not_found("{} is not a registered init state", listener->state));
    ActorData* data = data_for(actor);
    if (data == nullptr)
        return refused(listener, Status::refused("{} is not an actor of this game that lives", actor.id()));
    drop_expired(data->listeners);
    if (data->listeners.size() >= InitStates::kMaxListeners)
        return refused(listener, Status::capacity("{} listeners already", data->listeners.size()));
    const ActorRef ref = data->ref();
    listener->engine = weak_from_this();
    listener->actor = ref;
    listener->known = change_number_;
    const ActorListener entry{listener, {}, change_number_};
    data->listeners.push_back(entry);
    InitStateHandle handle;
    handle.listener_ = listener;
    if (!call_now) return handle;
    if (listener->ready) {
        call_ready(listener, *data);
        return handle;
    }
    std::vector<FeatureRef> now;
    for (const Feature& feature : data->features)
        if (feature.state != kNoState && (!listener->feature || listener->feature == feature.name))
            now.push_back(data->ref(feature));
    for (const FeatureRef feature_ref : now)
        if (Feature* feature = find(feature_ref, &data); feature != nullptr && !listener->has_expired())
            call(entry, snapshot(*data, *feature), true);
    return handle;
}

InitStateHandle InitEngine::listen_to_class(std::shared_ptr<InitListener> listener, bool call_now) {
    const Call call_scope(*this);
    if (!listener->class_name || !listener->feature || !listener->callback || has_ended_)
        return refused(listener, Status::invalid("a class, a feature and a callback are needed"));
    if (listener->state && index_of(listener->state) == kNoState)
        return refused(listener, Status::not_found("{} is not a registered init state", listener->state));
    drop_expired_of(listener->feature);
    auto& all = classes_[listener->feature];
    if (all.size() >= InitStates::kMaxListeners)
        return refused(listener, Status::capacity("{} listeners already", all.size()));
    listener->engine = weak_from_this();
    listener->known = change_number_;
    if (listener->is_once()) listener->index = take_index();
    all.push_back(listener);
    InitStateHandle handle;
    handle.listener_ = listener;
    if (!call_now) return handle;
    std::vector<std::pair<std::uint64_t, FeatureRef>> now;  // in order of the actors' first features
    for (const auto& data : slots_) {
        if (data->serial == 0 || data->actor->is_doomed() || !data->actor->is_a(listener->class_name)) continue;
        const Feature* feature = data->find(listener->feature);
        if (feature != nullptr && feature->state != kNoState) now.emplace_back(data->order, data->ref(*feature));
    }
    std::sort(now.begin(), now.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    const ActorListener entry{listener, {}, change_number_};
    for (const auto& [order, ref] : now) {
        ActorData* data = nullptr;
        Feature* feature = listener->has_expired() ? nullptr : find(ref, &data);
        if (feature != nullptr && !data->actor->is_doomed()) call(entry, snapshot(*data, *feature), true);
    }
    return handle;
}

InitStateHandle InitEngine::when_ready(Actor& actor, Name state, std::function<void(Actor&)> callback,
                                       const InitPlace& place) {
    auto made = std::make_shared<InitListener>();
    made->state = state;
    made->ready = std::move(callback);
    made->owner = Owner::current();
    made->registered = next_registration();
    made->place = place.text_for(made->owner);
    if (!state) return refused(made, Status::invalid("ready for which state?"));
    return listen_to_actor(actor, std::move(made), true);
}

void InitEngine::bind(Actor& actor, InitLife& life) {
    ActorData* data = LifeRef(&life).is_dead() ? nullptr : data_for(actor);
    if (data == nullptr) return;
    drop_expired(data->listeners);
    for (const ActorListener& entry : data->listeners)
        if (entry.bound.is(&life)) return;
    if (data->listeners.size() < InitStates::kMaxListeners)
        data->listeners.push_back({nullptr, LifeRef(&life), change_number_});
}

void InitEngine::unbind(Actor& actor, const InitLife& life) {
    ActorData* data = find(actor);
    if (data == nullptr) return;
    unbound_ += std::erase_if(data->listeners, [&](const ActorListener& entry) {
        return entry.listener == nullptr && entry.bound.is(&life);
    });
    release_if_empty(*data);
}

// What a callback held may come back here when it goes: the lists are right again before that.
void InitEngine::drop_expired(std::vector<ActorListener>& listeners) {
    std::vector<ActorListener> gone;
    for (ActorListener& entry : listeners)
        if (entry.has_expired()) gone.push_back(entry);
    if (!gone.empty()) std::erase_if(listeners, [](const ActorListener& entry) { return entry.has_expired(); });
}

void InitEngine::drop_expired_of(Name feature) {
    const auto list = classes_.find(feature);
    if (list == classes_.end()) return;
    const auto all = list->second;
    for (const auto& listener : all)
        if (listener->has_expired()) end_listener(*listener);
}

// Once-listeners of classes are numbered; a feature has one bit for each that has fired. Numbers of listeners that
// ended are given out again when 64 are used up: one pass takes their bits away.
std::uint32_t InitEngine::take_index() {
    auto free = std::find(indices_.begin(), indices_.end(), false);
    if (free == indices_.end() && indices_.size() >= kInlineFired && !dead_indices_.empty()) {
        for (const auto& data : slots_)
            for (Feature& feature : data->features)
                for (const std::uint32_t index : dead_indices_) {
                    if (index < kInlineFired)
                        feature.fired &= ~(std::uint64_t{1} << index);
                    else if (index / 64 - 1 < feature.fired_too.size())
                        feature.fired_too[index / 64 - 1] &= ~(std::uint64_t{1} << index % 64);
                }
        for (const std::uint32_t index : dead_indices_) indices_[index] = false;
        dead_indices_.clear();
        free = std::find(indices_.begin(), indices_.end(), false);
    }
    const auto index = static_cast<std::uint32_t>(free - indices_.begin());
    if (free == indices_.end())
        indices_.push_back(true);
    else
        *free = true;
    return index;
}

bool InitEngine::has_fired(const Feature& feature, std::uint32_t index) {
    if (index < kInlineFired) return (feature.fired >> index & 1) != 0;
    const std::size_t word = index / 64 - 1;
    return word < feature.fired_too.size() && (feature.fired_too[word] >> index % 64 & 1) != 0;
}

void InitEngine::set_fired(Feature& feature, std::uint32_t index) {
    if (index < kInlineFired) {
        feature.fired |= std::uint64_t{1} << index;
        return;
    }
    const std::size_t word = index / 64 - 1;
    if (word >= feature.fired_too.size()) feature.fired_too.resize(word + 1);
    feature.fired_too[word] |= std::uint64_t{1} << index % 64;
}

void InitEngine::spend(InitListener& listener) {
    listener.is_over = true;
    if (ActorData* data = find(listener.actor)) {
        std::erase_if(data->listeners, [&](const ActorListener& entry) { return entry.listener.get() == &listener; });
        release_if_empty(*data);
    }
}

// What one that is over holds goes, though its handle may stay: nothing of its owner's library is left in it. While a
// call stands in it that call does it.
void InitEngine::silence(InitListener& listener) {
    if (listener.running > 0) return;
    const auto callback = std::exchange(listener.callback, nullptr);
    const auto ready = std::exchange(listener.ready, nullptr);
    const auto weak_owner = std::exchange(listener.weak_owner, std::nullopt);
}

void InitEngine::end_listener(InitListener& listener) {
    if (listener.class_name) {
        const auto list = classes_.find(listener.feature);
        if (list == classes_.end()) return;
        const auto place = std::find_if(list->second.begin(), list->second.end(),
                                        [&](const auto& other) { return other.get() == &listener; });
        if (place == list->second.end()) return;
        const auto keep = std::move(*place);
        list->second.erase(place);
        if (list->second.empty()) classes_.erase(list);
        if (listener.is_once()) dead_indices_.push_back(listener.index);
    } else if (ActorData* data = find(listener.actor)) {
        const auto place = std::find_if(data->listeners.begin(), data->listeners.end(),
                                        [&](const ActorListener& entry) { return entry.listener.get() == &listener; });
        if (place == data->listeners.end()) return;
        const ActorListener keep = std::move(*place);
        data->listeners.erase(place);
        release_if_empty(*data);
    }
}

// Telling.

InitEngine::Item InitEngine::snapshot(const ActorData& data, const Feature& feature) const {
    Item item;
    item.feature = data.ref(feature);
    item.number = change_number_;
    item.name = feature.name;
    item.old_state = item.new_state = name_of(feature.state);
    item.implementer = feature.implementer;
    item.cause = cause_;
    return item;
}

// Would it be called for this feature at this state, by its own rules? A feature that is gone again has reached
// nothing.
bool InitEngine::wants(const InitListener& listener, const Feature* feature, StateIndex state) const {
    if (!listener.state) return true;
    if (state < index_of(listener.state) || state == kNoState) return false;
    if (listener.every_change) return true;
    if (feature == nullptr) return false;
    if (listener.class_name) return !has_fired(*feature, listener.index);
    return std::find(listener.fired.begin(), listener.fired.end(), feature->life) == listener.fired.end();
}

// Who is registered later never hears of this change; so if nobody could hear now, nobody will.
bool InitEngine::is_heard(const ActorData& data, const Feature& feature) const {
    if (!data.listeners.empty()) return true;
    if (classes_.empty()) return false;
    const auto list = classes_.find(feature.name);
    return list != classes_.end() && std::any_of(list->second.begin(), list->second.end(), [&](const auto& listener) {
               return wants(*listener, &feature, feature.state);
           });
}

void InitEngine::tell(const Item& item) {
    switch (item.kind) {
        case Item::Kind::Changed:
        case Item::Kind::Removed:
            return tell_change(item);
        case Item::Kind::Recheck: {
            const CauseScope because(*this, item.cause);
            if (ActorData* data = find(item.feature.actor); data == nullptr || tries_in_circles(*data)) return;
            return recheck(item.feature, item.is_again);
        }
        case Item::Kind::RecheckAll: {
            const CauseScope because(*this, item.cause);
            if (ActorData* data = find(item.feature.actor); data == nullptr || tries_in_circles(*data)) return;
            return recheck_all(item.feature.actor, {});
        }
    }
}

void InitEngine::tell_change(const Item& item) {
    ActorData* data = find(item.feature.actor);
    if (data == nullptr || data->actor->is_doomed()) return;
    std::vector<ActorListener> heard = std::exchange(heard_, {});
    for (const ActorListener& entry : data->listeners)
        if (entry.known < item.number) heard.push_back(entry);
    if (item.kind == Item::Kind::Changed) collect_classes(item, *data, heard);
    const CauseScope because(
        *this, {item.kind == Item::Kind::Changed ? "the change of" : "the removal of", item.name, item.new_state});
    const std::uint64_t unbound = unbound_;
    const auto is_bound = [&](const ActorListener& entry) {
        return std::any_of(data->listeners.begin(), data->listeners.end(), [&](const ActorListener& other) {
            return other.listener == nullptr && other.bound.is(entry.bound.get()) && other.known == entry.known;
        });
    };
    for (const ActorListener& entry : heard) {
        data = find(item.feature.actor);
        if (data == nullptr || data->actor->is_doomed()) break;
        if (entry.has_expired() || (entry.listener == nullptr && unbound != unbound_ && !is_bound(entry))) continue;
        call(entry, item);
    }
    heard.clear();
    heard_ = std::move(heard);
}

void InitEngine::collect_classes(const Item& item, ActorData& data, std::vector<ActorListener>& heard) {
    const auto list = classes_.find(item.name);
    if (list == classes_.end()) return;
    const auto& lineage = data.actor->type().lineage;
    for (std::size_t level = lineage.size(); level-- > 0;)
        for (const auto& listener : list->second)
            if (listener->known < item.number && listener->class_name == lineage[level]->name)
                heard.push_back({listener, {}, listener->known});
}

// Calls one, if its own rules say so, and remembers that it did.
void InitEngine::call(const ActorListener& who, const Item& item, bool now) {
    ActorData* data = nullptr;
    Feature* feature = find(item.feature, &data);
    if (data == nullptr) return;
    if (who.listener == nullptr) return call_bound(who.bound, item);
    const std::shared_ptr<InitListener> listener = who.listener;
    if (listener->ready) return call_ready(listener, *data);
    if (item.kind == Item::Kind::Removed || (listener->feature && listener->feature != item.name)) return;
    if (!wants(*listener, feature, index_of(item.new_state))) return;
    Actor& actor = *data->actor;
    if (listener->is_once()) {  // then the feature is there
        if (listener->class_name)
            set_fired(*feature, listener->index);
        else if (listener->feature)
            spend(*listener);
        else
            listener->fired.push_back(feature->life);
    }
    const Name before = now ? Name() : item.old_state;
    const InitStateChange change{actor,  item.name,      item.implementer.present(),
                                 before, item.new_state, InitChangeKind::Changed};
    ++listener->running;
    guarded(listener->owner, "a listener", actor, item.name, [&] { listener->callback(change); }).ignore();
    --listener->running;
    if (listener->is_over) silence(*listener);
}

void InitEngine::call_ready(const std::shared_ptr<InitListener>& listener, ActorData& data) {
    if (!have_all(&data, index_of(listener->state), {})) return;
    Actor& actor = *data.actor;
    spend(*listener);
    ++listener->running;
    guarded(listener->owner, "a listener", actor, Name("when_actor_ready"), [&] { listener->ready(actor); }).ignore();
    --listener->running;
    silence(*listener);
}

void InitEngine::call_bound(const LifeRef& bound, const Item& item) {
    InitStateInterface* object = bound.present();
    ActorData* data = find(item.feature.actor);
    if (object == nullptr || data == nullptr || item.implementer.object() == object) return;
    Actor& actor = *data->actor;
    const InitStateChange change{actor,
                                 item.name,
                                 item.implementer.present(),
                                 item.old_state,
                                 item.new_state,
                                 item.kind == Item::Kind::Removed ? InitChangeKind::Removed : InitChangeKind::Changed};
    guarded(bound.owner(), "on_actor_init_state_changed", actor, item.name, [&] {
        if (object->feature_name() != item.name) object->on_actor_init_state_changed(change);
    }).ignore();
}

}  // namespace detail

InitStateHandle::InitStateHandle(InitStateHandle&& other) noexcept : listener_(std::move(other.listener_)) {}

InitStateHandle& InitStateHandle::operator=(InitStateHandle&& other) noexcept {
    if (this == &other) return *this;
    InitStateHandle old(std::move(*this));
    listener_ = std::move(other.listener_);
    return *this;
}

InitStateHandle::~InitStateHandle() {
    if (listener_ == nullptr) return;
    listener_->is_over = true;
    if (const auto engine = listener_->engine.lock()) engine->end_listener(*listener_);
}

Status InitStateHandle::status() const {
    if (listener_ == nullptr) return Status::invalid("an empty handle");
    if (listener_->weak_owner && listener_->weak_owner->expired()) return Status::not_found("its owner is gone");
    return listener_->status;
}

}  // namespace lyre::framework
