#include "lyre/framework/init_state_interface.h"

#include "lyre/framework/component_manager.h"
#include "lyre/framework/detail/init_engine.h"

namespace lyre::framework {

using detail::InitEngine;
using detail::LifeRef;

InitStateInterface::~InitStateInterface() {
    if (life_ == nullptr) return;
    life_->object = nullptr;
    LifeRef::release(life_);
}

detail::InitLife& InitStateInterface::life() {
    if (life_ == nullptr) life_ = new detail::InitLife{this, Owner::current()};
    return *life_;
}

InitStates* InitStateInterface::manager_of(const Actor* actor) {
    return actor == nullptr ? nullptr : ComponentManager::of(*actor);
}

Status InitStateInterface::register_init_state_feature() {
    Actor* actor = owning_actor();
    if (actor == nullptr) return Status::invalid("{} does not say which actor it belongs to", feature_name());
    InitStates* manager = manager_of(actor);
    if (manager == nullptr) return Status::refused("there is no component manager in this world");
    if (manager->register_init_state_feature(*actor, feature_name(), this) == InitResult::Done) return Status::ok();
    return Status::refused("feature \"{}\" was not registered for {}", feature_name(), actor->id());
}

// An actor's own end takes everything along; a part takes what is its own.
void InitStateInterface::unregister_init_state_feature() {
    Actor* actor = owning_actor();
    InitStates* manager = manager_of(actor);
    if (manager == nullptr) return;
    InitEngine& engine = *manager->engine_;
    if (is_actor()) return engine.forget_actor(*actor, "the actor took back its init states");
    if (life_ == nullptr) return;
    const InitEngine::Call call(engine);  // both are done when the others are told
    engine.unbind(*actor, *life_);
    engine.remove_features(*actor, {}, life_);
}

Status InitStateInterface::declare_init_need(Name state, Need need, const char* file, int line) {
    Actor* actor = owning_actor();
    InitStates* manager = manager_of(actor);
    if (manager == nullptr) return Status::refused("there is no component manager in this world");
    return manager->declare_init_need(*actor, feature_name(), state, std::move(need), file, line);
}

bool InitStateInterface::try_to_change_init_state(Name to) {
    Actor* actor = owning_actor();
    InitStates* manager = manager_of(actor);
    return manager != nullptr && manager->engine_->try_to(*actor, feature_name(), LifeRef(&life()), to);
}

Name InitStateInterface::continue_init_state_chain(std::span<const Name> chain) {
    Actor* actor = owning_actor();
    InitStates* manager = manager_of(actor);
    return manager == nullptr ? Name() : manager->engine_->climb(*actor, feature_name(), LifeRef(&life()), chain);
}

void InitStateInterface::check_default_initialization_for_implementers() {
    Actor* actor = owning_actor();
    InitStates* manager = manager_of(actor);
    if (manager == nullptr) return;
    if (const auto* data = manager->engine_->find(*actor)) manager->engine_->recheck_all(data->ref(), feature_name());
}

void InitStateInterface::bind_on_actor_init_state_changed() {
    Actor* actor = owning_actor();
    if (InitStates* manager = manager_of(actor)) manager->engine_->bind(*actor, life());
}

Name InitStateInterface::init_state() const {
    const Actor* actor = owning_actor();
    const InitStates* manager = manager_of(actor);
    return manager == nullptr ? Name() : manager->init_state(*actor, feature_name());
}

bool InitStateInterface::has_reached_init_state(Name state) const {
    const Actor* actor = owning_actor();
    InitStates* manager = manager_of(actor);
    return manager != nullptr && manager->has_reached_init_state(*actor, feature_name(), state);
}

}  // namespace lyre::framework
