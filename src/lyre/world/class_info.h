// world/class_info.h: what the world knows of a class beyond its description: which hooks it declares, its component
// slots, its tags, how it ticks.
//
//     static void describe(TypeBuilder<Crate>& t) {
//         t.component<Health>("health");        // made with every crate
//         t.slot<Abilities>("abilities");       // may be added later; empty it costs nothing
//         t.tag("Prop.Wooden");               // declared in the runtime's TagTable before the first spawn
//         t.radius(0.5f);
//     }
//     static void describe(TypeBuilder<Saddle>& t) {
//         t.belongs_to<Horse>();                // a component: on other actors it is refused, also by archetypes
//     }
//
// Hooks are found by name when the type is built (object.h lists them); one that is declared but cannot be called as it
// should (private, other arguments) does not compile. Slots, tags and the rest are inherited.
#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "lyre/world/mover_info.h"
#include "lyre/world/object.h"

namespace lyre::inline world {

enum class TickGroup : std::uint8_t { PrePhysics, Physics, PostPhysics, Late };
inline constexpr std::size_t kTickGroups = 4;

struct SlotInfo {
    Name name;
    Name class_name;  // found when the first actor is made: the class may come from a feature
    bool is_made = true;
};

// `object` is the address of the whole object, not of its Object part.
struct Hooks {
    void (*pre_initialize)(void* object) = nullptr;
    void (*registered)(void* object) = nullptr;
    void (*initialized)(void* object) = nullptr;
    void (*begin_play)(void* object) = nullptr;
    void (*end_play)(void* object, EndReason reason) = nullptr;
    // Calls tick for the objects from `at` on that are not null; after an exception `at` is the one that threw.
    void (*tick)(void* const* objects, std::size_t count, float dt, std::size_t& at) = nullptr;
    // Of an actor as an archetype's defaults make it: its radius, in place of the class's.
    float (*radius_of_defaults)(const void* object) = nullptr;
};

struct ClassInfo : TypeExtension {
    static constexpr std::size_t kMaxSlots = 64;

    bool is_actor = false;
    std::uint32_t object_offset = 0;  // of the Object part in the whole object
    Hooks hooks;
    std::vector<SlotInfo> slots;    // parents' first
    std::vector<std::string> tags;  // parents' first; become GameplayTags in a world
    TickGroup tick_group = TickGroup::PrePhysics;
    float tick_interval = 0;  // s; 0: every tick
    bool starts_ticking = true;
    bool is_placeless = false;  // stands nowhere: never found by place
    float radius = 0;           // m, for finding by place
    Name belongs_to;            // of a component: the class of actors that may have it; none: any
    const MoverInfo* mover = nullptr;

    bool is_quiet() const {  // its code is never called
        return hooks.pre_initialize == nullptr && hooks.registered == nullptr && hooks.initialized == nullptr &&
               hooks.begin_play == nullptr && hooks.end_play == nullptr && hooks.tick == nullptr && mover == nullptr;
    }
    Status may_be_on(const Type& component, const Type& actor) const;
    static bool can_be_made(const Type& type) { return !type.is_abstract && type.construct != nullptr; }
    void inherit(const TypeExtension& parent) override;
    void append_schema(std::string& text) const override;
    static const ClassInfo& of(const Type& type) { return static_cast<const ClassInfo&>(*type.extension); }
    static const ClassInfo* find(const Type& type) { return dynamic_cast<const ClassInfo*>(type.extension.get()); }
};

namespace detail {

// Does T have a member of this name, callable or not? Deriving from T and from something that has one makes the name
// ambiguous exactly then, and ambiguity is seen before access.
#define LYRE_DECLARES(hook)                                      \
    struct hook##_name {                                         \
        void hook();                                             \
    };                                                           \
    template <class T> struct hook##_both : T, hook##_name {};   \
    template <class T>                                           \
    concept declares_##hook = !std::is_final_v<T> && !requires { \
        &hook##_both<T>::hook;                                   \
    };
LYRE_DECLARES(pre_initialize)
LYRE_DECLARES(registered)
LYRE_DECLARES(initialized)
LYRE_DECLARES(begin_play)
LYRE_DECLARES(end_play)
LYRE_DECLARES(tick)
#undef LYRE_DECLARES

template <class T> void tick_all(void* const* objects, std::size_t count, float dt, std::size_t& at) {
    std::size_t i = at;
    try {
        for (; i < count; ++i)
            if (objects[i] != nullptr) static_cast<T*>(objects[i])->tick(dt);
        at = i;
    } catch (...) {
        at = i;
        throw;
    }
}

template <class T> void find_common_hooks(Hooks& hooks) {
    if constexpr (requires(T & t) { t.begin_play(); })
        hooks.begin_play = [](void* object) { static_cast<T*>(object)->begin_play(); };
    else
        static_assert(!declares_begin_play<T>, "begin_play must be public and take no arguments");
    if constexpr (requires(T & t, EndReason reason) { t.end_play(reason); })
        hooks.end_play = [](void* object, EndReason reason) { static_cast<T*>(object)->end_play(reason); };
    else
        static_assert(!declares_end_play<T>, "end_play must be public and take an EndReason");
    if constexpr (requires(T & t, float dt) { t.tick(dt); })
        hooks.tick = &tick_all<T>;
    else
        static_assert(!declares_tick<T>, "tick must be public and take the seconds since the last one as a float");
}

ClassInfo& class_info(Type& type, bool is_actor, std::uint32_t object_offset);
void add_slot(Type& type, std::string_view name, Name class_name, bool is_made);

}  // namespace detail

// What the describe() of an actor or component class can say beyond properties and remote functions.
template <class T> class ClassBuilder : public PlainBuilder<T> {
public:
    // A class that ticks starts with ticking on unless told otherwise here or by set_tick_enabled.
    void tick_in(TickGroup group, float interval_seconds = 0) {
        static_assert(
            requires(T & t, float dt) { t.tick(dt); }, "tick_in is for a class with a public tick(float)");
        info_.tick_group = group;
        info_.tick_interval = interval_seconds;
    }
    void starts_without_tick() { info_.starts_ticking = false; }

protected:
    ClassBuilder(core::detail::TypeBuild& build, bool is_actor)
        : PlainBuilder<T>(build),
          info_(detail::class_info(build.type, is_actor, core::detail::base_offset<Object, T>())) {
        static_assert(sizeof(T) <= 16 * 1024, "objects live in pools of 64 KB blocks: hold what is larger by pointer");
        detail::find_common_hooks<T>(info_.hooks);
    }
    ClassInfo& info_;
};

template <class T> class ComponentBuilder : public ClassBuilder<T> {
public:
    template <class A> void belongs_to() { this->info_.belongs_to = type_name<A>(); }

    explicit ComponentBuilder(core::detail::TypeBuild& build) : ClassBuilder<T>(build, false) {
        if constexpr (requires(T & t) { t.registered(); })
            this->info_.hooks.registered = [](void* object) { static_cast<T*>(object)->registered(); };
        else
            static_assert(!detail::declares_registered<T>, "registered must be public and take no arguments");
        if constexpr (requires {
                          typename T::State;
                          typename T::Command;
                      })
            static_assert(Mover<T>,
                          "a mover has capture() const, restore(const State&), step(const Command&, const MoverStep&)");
        if constexpr (Mover<T>) {
            static_assert(Described<typename T::State> && Described<typename T::Command>,
                          "describe a mover's State and Command");
            this->info_.mover = &CommandQueueOf<T>::info();
        }
    }
};

template <class T> class ActorBuilder : public ClassBuilder<T> {
public:
    explicit ActorBuilder(core::detail::TypeBuild& build) : ClassBuilder<T>(build, true) {
        if constexpr (requires(T & t) { t.pre_initialize(); })
            this->info_.hooks.pre_initialize = [](void* object) { static_cast<T*>(object)->pre_initialize(); };
        else
            static_assert(!detail::declares_pre_initialize<T>, "pre_initialize must be public and take no arguments");
        if constexpr (requires(T & t) { t.initialized(); })
            this->info_.hooks.initialized = [](void* object) { static_cast<T*>(object)->initialized(); };
        else
            static_assert(!detail::declares_initialized<T>, "initialized must be public and take no arguments");
        if constexpr (requires(const T& t) { static_cast<float>(t.radius_of_defaults()); })
            this->info_.hooks.radius_of_defaults = [](const void* object) -> float {
                return static_cast<const T*>(object)->radius_of_defaults();
            };
    }
    template <class C> void component(std::string_view name) { component(name, type_name<C>()); }
    void component(std::string_view name, Name class_name) { detail::add_slot(this->type(), name, class_name, true); }
    template <class C> void slot(std::string_view name) { detail::add_slot(this->type(), name, type_name<C>(), false); }
    void tag(std::string_view tag) { this->info_.tags.emplace_back(tag); }
    void placeless() { this->info_.is_placeless = true; }
    // If the class declares `float radius_of_defaults() const`, an archetype takes its radius from it, asked of the
    // archetype's defaults.
    void radius(float metres) { this->info_.radius = metres; }
};

}  // namespace lyre::inline world
