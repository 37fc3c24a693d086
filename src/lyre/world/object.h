// world/object.h: what lives in a world: actors, and the components they are made of.
//
//     Actor:      constructed, pre_initialize, components registered, initialized, begin_play, end_play, gone
//     Component:  constructed, registered, begin_play, end_play, gone
//
// A class takes part in its life by declaring what it wants to know of; there is nothing virtual to override and a
// class that declares nothing costs nothing:
//
//     void pre_initialize();            actors: before any component is registered
//     void registered();                components: the actor knows them now
//     void initialized();               actors: all components are registered
//     void begin_play();                actor first, then its components in order; never before the world begins play
//     void tick(float dt);              every tick (or interval, see ticks.h) once begun
//     void end_play(EndReason reason);  once, for whatever came through pre_initialize or registered, begun or not;
//                                       components in reverse order, then the actor
//
// They must be public; a derived class calls its parent's by name. A constructor sees no world: use pre_initialize or
// registered. Objects live in pools of their class and never move; a pointer is good until the end of the phase in
// which the object is destroyed, so keep ids. All on the thread that ticks the world.
#pragma once

#include <cstdint>
#include <string>

#include "lyre/core/math.h"
#include "lyre/core/type_builder.h"
#include "lyre/world/fwd.h"

namespace lyre::inline world {

enum class EndReason : std::uint8_t { Destroyed, LevelRemoved, WorldEnded, Irrelevant, Rested, Removed };
// A guest was brought by somebody who will bring it again when the actor is made again: it does not keep an actor from
// resting (level.h) as long as it is at its defaults.
enum class Belongs : std::uint8_t { ToActor, ToGuest };
enum class Role : std::uint8_t { Authority, AutonomousProxy, SimulatedProxy };
enum class LifeState : std::uint8_t { Constructed, PreInitialized, Registered, Initialized, Begun, Doomed };

std::string_view to_string(EndReason reason);
std::string_view to_string(Role role);
std::string_view to_string(LifeState state);

template <class T> class ActorBuilder;
template <class T> class ComponentBuilder;

// What actors and components share: a class, a world, and one mark per described property (see property.h).
class Object {
public:
    Object(const Object&) = delete;
    Object& operator=(const Object&) = delete;

    const Type& type() const;
    World& world() const;
    bool is_a(Name class_name) const;
    template <class T> bool is_a() const { return is_a(type_name<T>(), typeid(T)); }
    template <class T> T* as() { return is_a<T>() ? static_cast<T*>(this) : nullptr; }
    template <class T> const T* as() const { return is_a<T>() ? static_cast<const T*>(this) : nullptr; }

    void mark(unsigned property) {
        const std::uint64_t bit = std::uint64_t{1} << property;
        if ((marks_ & bit) != 0) return;
        if (marks_ == 0) first_mark();
        marks_ |= bit;
    }
    std::uint64_t marks() const { return marks_; }  // bit n: property n was written

    // By description, for content, scripts and tools. A write that changes the value marks it.
    Status set(Name property, std::string_view text);
    Result<std::string> get(Name property) const;

    // Calls a described remote function: over the network where there is one, in place where there is none.
    template <auto Function, class... Args> void call(Args&&... args) {
        typename core::detail::RemoteTraits<Function>::Arguments arguments(std::forward<Args>(args)...);
        call_remote(core::detail::RemoteTraits<Function>::key(), &arguments);
    }

protected:
    Object() = default;
    ~Object() = default;  // not virtual: pools know the whole class

private:
    friend class Pool;
    friend class World;
    static constexpr std::uint64_t kUnborn = ~std::uint64_t{0};  // in a constructor: no world yet, and nothing to mark
    Pool& pool() const;
    bool is_a(Name class_name, const std::type_info& native) const;  // a namesake is another class
    void first_mark();
    void call_remote(const void* key, void* arguments);

    std::uint64_t marks_ = kUnborn;
};

class Component : public Object {
public:
    using Described = Component;
    template <class T> using Builder = ComponentBuilder<T>;
    static void describe(TypeBuilder<Component>& t);

    Actor& actor() const { return *actor_; }
    Name name() const { return name_; }                       // unique in its actor
    std::uint32_t generation() const { return generation_; }  // unique in its world: the n-th component it made
    std::uint8_t slot() const { return slot_; }               // its class's slot for it; 255: it has none
    LifeState life() const { return is_doomed() ? LifeState::Doomed : life_; }
    bool is_doomed() const { return (flags_ & kDoomed) != 0; }  // on its way out
    bool has_begun_play() const { return life_ == LifeState::Begun; }
    bool is_guest() const { return (flags_ & kGuest) != 0; }
    Component* next() const { return next_; }  // of the same actor, in order; may be on its way out

    void set_tick_enabled(bool enabled);    // from begin_play on
    void set_tick_interval(float seconds);  // 0: every tick; of one that ticks

protected:
    Component() = default;
    ~Component() = default;

private:
    friend class World;
    friend class TickList;
    static constexpr std::uint8_t kNoSlot = 0xFF;
    enum Flags : std::uint8_t {
        kDoomed = 1,
        kTicks = 2,
        kHeld = 4,
        kRemoved = 8,
        kGuest = 16,
    };  // kHeld: begin_play waits for release_begin_play

    Actor* actor_ = nullptr;
    Component* next_ = nullptr;
    Name name_;
    std::uint32_t generation_ = 0;
    std::uint32_t tick_index_ = 0;             // place in its pool's tick list; 0: does not tick
    LifeState life_ = LifeState::Constructed;  // how far it came
    std::uint8_t flags_ = 0;
    std::uint8_t slot_ = kNoSlot;
};

class Actor : public Object {
public:
    using Described = Actor;
    template <class T> using Builder = ActorBuilder<T>;
    static void describe(TypeBuilder<Actor>& t);
    Actor() = default;
    ~Actor() = default;

    ActorId id() const { return id_; }
    LifeState life() const { return is_doomed() ? LifeState::Doomed : life_; }
    bool has_begun_play() const { return life_ == LifeState::Begun; }
    bool is_doomed() const { return (flags_ & kDoomed) != 0; }
    bool is_from_row() const { return (flags_ & kFromRow) != 0; }

    Role role() const { return role_; }
    bool has_authority() const { return role_ == Role::Authority; }

    Transform transform() const { return {position_, yaw_, scale_}; }
    Vec3 position() const { return position_; }
    float yaw() const { return yaw_; }
    float scale() const { return scale_; }
    // Refused for what is not finite, and for an actor with a mover outside of its own step: a mover's actor is moved
    // by its mover or teleported.
    Status set_transform(const Transform& transform);
    Status set_position(Vec3 position);

    // Components, in order. None that is on its way out is found.
    Component* find_component(Name name) const;
    Component* find_component_of(Name class_name) const;  // the first of this class or below
    template <class T> T* find() const {
        for (Component* component = first_; component != nullptr; component = component->next())
            if (!component->is_doomed() && component->is_a<T>()) return static_cast<T*>(component);
        return nullptr;
    }
    Component* first_component() const { return first_; }
    Result<Component*> add_component(Name class_name, Name name = {});
    template <class T> Result<T*> add(Name name = {}) {
        auto added = add_component(type_name<T>(), name);
        if (!added) return added.status();
        return static_cast<T*>(*added);
    }

    void set_tick_enabled(bool enabled);
    void set_tick_interval(float seconds);

private:
    friend class Object;
    friend class World;
    friend class TickList;
    friend class Levels;
    friend class Movers;
    friend class ActorTags;
    friend class Space;
    enum Flags : std::uint8_t {
        kDoomed = 1,
        kTicks = 2,
        kFromRow = 4,
        kTagged = 8,
        kUrgent = 16,
        kInSpace = 32,
        kChanged = 64,   // components were added to it or removed from it
        kWatched = 128,  // somebody wants to hear of this one
    };
    enum Properties : unsigned { kPosition, kYaw, kScale };  // as describe() lists them
    static Status check_place(ActorId id, const Transform& to);
    void place(const Transform& to);
    Status set_place(unsigned property, const ValueType& type, std::string_view text);

    ActorId id_;
    Component* first_ = nullptr;
    Vec3 position_;  // m
    float yaw_ = 0;  // degrees
    float scale_ = 1;
    std::uint32_t tick_index_ = 0;
    std::uint64_t serial_ = 0;  // order of beginning play, of making before that; a world ends them in reverse
    LifeState life_ = LifeState::Constructed;  // how far it came
    Role role_ = Role::Authority;
    std::uint8_t flags_ = 0;
    std::uint8_t movers_ = 0;  // components that are movers
    std::uint32_t sheet_ = 0;  // component_sheets.h; 0: it has few components
};

static_assert(sizeof(Component) <= 40 && sizeof(Actor) <= 64, "a million actors: think before adding a member");

}  // namespace lyre::inline world
