#include "lyre/framework/init_states.h"

#include "lyre/framework/detail/init_engine.h"

namespace lyre::framework {

using detail::InitEngine;
using detail::LifeRef;

InitStates::InitStates() : engine_(std::make_shared<InitEngine>()) {}

InitStates::~InitStates() {
    end_init_states();
}

void InitStates::begin_init_states(GameInstance& game) {
    engine_->begin(game);
}

void InitStates::end_init_states() {
    const auto keep = engine_;
    keep->end();
}

InitResult InitStates::register_init_state(Name state, InitOrder side, Name existing) {
    return engine_->add_state(state, side, existing);
}

const std::vector<Name>& InitStates::init_states() const {
    return engine_->states();
}

bool InitStates::is_init_state_after_or_equal(Name a, Name b) {
    const auto left = engine_->index_or_report(a), right = engine_->index_or_report(b);
    return left != detail::kNoState && right != detail::kNoState && left >= right;
}

InitResult InitStates::register_init_state_feature(Actor& actor, Name feature, InitStateInterface* implementer) {
    return engine_->add_feature(actor, feature, LifeRef(InitEngine::life_of(implementer)));
}

void InitStates::unregister_init_state_feature(Actor& actor, Name feature) {
    engine_->remove_features(actor, feature, nullptr);
}

void InitStates::unregister_init_state_feature(Actor& actor, const InitStateInterface& implementer) {
    engine_->remove_features(actor, {}, InitEngine::life_of(const_cast<InitStateInterface*>(&implementer)));
}

InitResult InitStates::change_feature_init_state(Actor& actor, Name feature, InitStateInterface* implementer,
                                                 Name state) {
    return engine_->change(actor, feature, LifeRef(InitEngine::life_of(implementer)), state);
}

Name InitStates::init_state(const Actor& actor, Name feature) const {
    auto* data = engine_->find(actor);
    const auto* found = data == nullptr ? nullptr : data->find(feature);
    return found == nullptr ? Name() : engine_->name_of(found->state);
}

bool InitStates::has_reached_init_state(const Actor& actor, Name feature, Name state) {
    const auto wanted = engine_->index_or_report(state);
    auto* data = engine_->find(actor);
    const auto* found = data == nullptr ? nullptr : data->find(feature);
    return found != nullptr && wanted != detail::kNoState && found->state >= wanted;
}

bool InitStates::have_all_features_reached_init_state(const Actor& actor, Name state, Name excluding) {
    return engine_->have_all(engine_->find(actor), engine_->index_or_report(state), excluding);
}

InitStateInterface* InitStates::implementer(const Actor& actor, Name feature, Name state) {
    auto* data = engine_->find(actor);
    const auto* found = data == nullptr ? nullptr : data->find(feature);
    if (found == nullptr || (state && !has_reached_init_state(actor, feature, state))) return nullptr;
    return found->implementer.present();
}

std::vector<InitStateInterface*> InitStates::implementers(const Actor& actor, Name excluding, Name at_least) {
    std::vector<InitStateInterface*> all;
    const auto wanted = at_least ? engine_->index_or_report(at_least) : detail::kNoState;
    auto* data = engine_->find(actor);
    if (data == nullptr || (at_least && wanted == detail::kNoState)) return all;
    for (const auto& feature : data->features)
        if (InitStateInterface* present = feature.implementer.present();
            present != nullptr && feature.state >= wanted && (!excluding || feature.name != excluding))
            all.push_back(present);
    return all;
}

InitStateHandle InitStates::register_and_call_for_actor_init_state(Actor& actor, Name feature, Name state,
                                                                   InitStateCallback callback, ListenOptions options,
                                                                   const char* file, int line) {
    return engine_->listen_to_actor(
        actor, InitEngine::listener({}, feature, state, std::move(callback), options, {file, line}), options.call_now);
}

InitStateHandle InitStates::register_and_call_for_class_init_state(Name class_name, Name feature, Name state,
                                                                   InitStateCallback callback, ListenOptions options,
                                                                   const char* file, int line) {
    return engine_->listen_to_class(
        InitEngine::listener(class_name, feature, state, std::move(callback), options, {file, line}), options.call_now);
}

InitStateHandle InitStates::when_actor_ready(Actor& actor, Name state, std::function<void(Actor&)> callback,
                                             const char* file, int line) {
    return engine_->when_ready(actor, state, std::move(callback), {file, line});
}

Status InitStates::declare_init_need(Actor& actor, Name feature, Name state, Need need, const char* file, int line) {
    return engine_->declare(actor, feature, state, std::move(need), {file, line});
}

void InitStates::signal(Actor& actor, Name name) {
    engine_->signal(actor, name);
}

Status InitStates::reset_init_state(Actor& actor, Name feature, Name state) {
    return engine_->reset(actor, feature, state);
}

Status InitStates::set_target_init_state(Actor& actor, Name state) {
    return engine_->set_target(actor, state);
}

InitReport InitStates::init_report(const Actor& actor, Name state) {
    return engine_->report_of(actor, state);
}

std::string InitStates::dump_init_states_json() const {
    return engine_->dump_json();
}

std::string InitStates::dump_init_states() const {
    return engine_->dump();
}

InitCounts InitStates::init_counts() const {
    return engine_->counts();
}

std::vector<InitInfo> InitStates::init_entries_of(const Owner& owner) const {
    return engine_->entries_of(owner);
}

bool InitStates::remove_init_entry(std::uint64_t registered) {
    const auto keep = engine_;
    return keep->remove_entry(registered);
}

void InitStates::settle_init_states() {
    engine_->settle();
}

}  // namespace lyre::framework
