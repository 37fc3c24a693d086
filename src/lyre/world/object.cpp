#include "lyre/world/object.h"

#include "lyre/core/suggest.h"
#include "lyre/world/runtime.h"
#include "lyre/world/world.h"

namespace lyre::inline world {

std::string_view to_string(EndReason reason) {
    switch (reason) {
        case EndReason::Destroyed:
            return "Destroyed";
        case EndReason::LevelRemoved:
            return "LevelRemoved";
        case EndReason::WorldEnded:
            return "WorldEnded";
        case EndReason::Irrelevant:
            return "Irrelevant";
        case EndReason::Rested:
            return "Rested";
        case EndReason::Removed:
            return "Removed";
    }
    return "?";
}

std::string_view to_string(Role role) {
    switch (role) {
        case Role::Authority:
            return "Authority";
        case Role::AutonomousProxy:
            return "AutonomousProxy";
        case Role::SimulatedProxy:
            return "SimulatedProxy";
    }
    return "?";
}

std::string_view to_string(LifeState state) {
    switch (state) {
        case LifeState::Constructed:
            return "Constructed";
        case LifeState::PreInitialized:
            return "PreInitialized";
        case LifeState::Registered:
            return "Registered";
        case LifeState::Initialized:
            return "Initialized";
        case LifeState::Begun:
            return "Begun";
        case LifeState::Doomed:
            return "Doomed";
    }
    return "?";
}

Pool& Object::pool() const {
    LYRE_ASSERT(marks_ != kUnborn,
                "a constructor sees no world: use pre_initialize (actors) or registered (components)");
    return Pool::of(this);
}

const Type& Object::type() const {
    return pool().type();
}

World& Object::world() const {
    return pool().world();
}

bool Object::is_a(Name class_name) const {
    for (const Type* known : type().lineage)
        if (known->name == class_name) return true;
    return false;
}

bool Object::is_a(Name class_name, const std::type_info& native) const {
    for (const Type* known : type().lineage)
        if (known->name == class_name) return known->native != nullptr && *known->native == native;
    return false;
}

void Object::first_mark() {
    Pool& of = Pool::of(this);
    of.marked.set(of.index_of(this));
}

Status Object::set(Name property, std::string_view text) {
    const PropertyInfo* info = type().find_property(property);
    if (info == nullptr) {
        Nearest search(property.text());
        for (const PropertyInfo& known : type().properties) search.consider(known.name.text());
        return Status::not_found("{} has no property {}{}", type().name, property, did_you_mean(search.best()));
    }
    if (pool().info().is_actor && info->index <= Actor::kScale)
        return static_cast<Actor*>(this)->set_place(info->index, *info->type, text);
    void* value = info->in(pool().whole(this));
    const std::shared_ptr<void> wanted = info->type->copy(value);
    if (Status status = info->type->parse(text, wanted.get()); !status.is_ok())
        return Status::invalid("{}.{}: {}", type().name, property, status.text());
    if (Status status = info->check_range(wanted.get()); !status.is_ok()) return status;
    if (info->type->equal(value, wanted.get())) return Status::ok();
    info->type->assign(value, wanted.get());
    if (info->tracked) mark(info->index);
    return Status::ok();
}

Result<std::string> Object::get(Name property) const {
    const PropertyInfo* info = type().find_property(property);
    if (info == nullptr) return Status::not_found("{} has no property {}", type().name, property);
    return info->type->print(info->in(pool().whole(this)));
}

void Object::call_remote(const void* key, void* arguments) {
    const RemoteInfo* function = type().find_remote(key);
    LYRE_ASSERT(function != nullptr, "describe the function first: t.remote<&T::function>(\"name\")");
    RemoteCarrier* carrier = world().carrier_;
    if (carrier != nullptr && carrier->carry(*this, *function, arguments)) return;
    const OwnerScope as(pool().owner());
    world().guarded("remote function", World::id_of(*this),
                    [&] { function->invoke(static_cast<char*>(pool().whole(this)) + function->offset, arguments); });
}

void Component::describe(TypeBuilder<Component>& t) {
    t.help("a part of an actor");
    t.abstract();
}

void Component::set_tick_enabled(bool enabled) {
    world().set_ticking(*this, flags_, life_, enabled);
}

void Component::set_tick_interval(float seconds) {
    Pool::of(this).ticks.set_interval(this, seconds, world().time());
}

void Actor::describe(TypeBuilder<Actor>& t) {
    t.help("a thing in a world, made of components");
    t.property("position", &Actor::position_).replicated().quantised(0.01).units("m").tracked();
    t.property("yaw", &Actor::yaw_).replicated().quantised(0.1).units("degrees").tracked();
    t.property("scale", &Actor::scale_).replicated().tracked();
}

Status Actor::check_place(ActorId id, const Transform& to) {
    if (is_finite(to)) return Status::ok();
    return Status::invalid("{} cannot be placed where a coordinate is not a number", id);
}

Status Actor::set_transform(const Transform& transform) {
    if (Status status = check_place(id_, transform); !status.is_ok()) return status;
    if (movers_ > 0 && !world().movers().may_move(*this))
        return Status::refused("{} has a mover: only its step moves it; use movers().teleport", id_);
    place(transform);
    return Status::ok();
}

Status Actor::set_position(Vec3 position) {
    return set_transform({position, yaw_, scale_});
}

void Actor::place(const Transform& to) {
    if (position_ != to.position) mark(kPosition);
    if (yaw_ != to.yaw) mark(kYaw);
    const bool is_scaled = scale_ != to.scale;
    if (is_scaled) mark(kScale);
    position_ = to.position;
    yaw_ = to.yaw;
    scale_ = to.scale;
    if ((flags_ & kInSpace) != 0) world().space().moved(*this, is_scaled);
}

// The described way to place an actor, for tools and scripts.
Status Actor::set_place(unsigned property, const ValueType& type, std::string_view text) {
    Transform to = transform();
    void* values[] = {&to.position, &to.yaw, &to.scale};
    if (Status status = type.parse(text, values[property]); !status.is_ok()) return status;
    return set_transform(to);
}

Component* Actor::find_component(Name name) const {
    if (sheet_ != 0 && !world().sheets_.at(sheet_).has(name)) return nullptr;
    for (Component* component = first_; component != nullptr; component = component->next())
        if (component->name() == name && !component->is_doomed()) return component;
    return nullptr;
}

Component* Actor::find_component_of(Name class_name) const {
    for (Component* component = first_; component != nullptr; component = component->next())
        if (!component->is_doomed() && component->is_a(class_name)) return component;
    return nullptr;
}

Result<Component*> Actor::add_component(Name class_name, Name name) {
    auto type = world().runtime().types().get(class_name.text());
    if (!type) return type.status();
    return world().add_component(*this, **type, name);
}

void Actor::set_tick_enabled(bool enabled) {
    world().set_ticking(*this, flags_, life_, enabled);
}

void Actor::set_tick_interval(float seconds) {
    Pool::of(this).ticks.set_interval(this, seconds, world().time());
}

}  // namespace lyre::inline world
