// framework/init_state_interface.h: what a part of an actor that climbs the init states has to say.
//
//     struct Hero : Component, InitStateFeature<Hero> {
//         Name feature_name() const override { return Name("Hero"); }
//         Verdict can_change_init_state(Name from, Name to) const override;      // Verdict::no("no controller yet")
//         Status handle_change_init_state(Name from, Name to) override;          // the work of one step
//         void check_default_initialization() override { continue_init_state_chain(); }
//
//         void registered() { register_init_state_feature().ignore(); }
//         void begin_play() {
//             bind_on_actor_init_state_changed();
//             try_to_change_init_state(kSpawned);    // from no state to the first; the rest is the chain
//             check_default_initialization();
//         }
//     };
//
// A mixin for components, actors and plain objects; the last derive from InitStateInterface and say which actor they
// belong to. A component's features go with it, before its end_play; a plain object takes its own back. All of it does
// nothing in a world without a manager. Frame's thread.
#pragma once

#include <concepts>
#include <span>
#include <string>

#include "lyre/core/name.h"
#include "lyre/core/status.h"
#include "lyre/world/object.h"

namespace lyre::framework {

class InitStates;
class InitStateInterface;
struct Need;
namespace detail {
struct InitLife;
class LifeRef;
class InitEngine;
}  // namespace detail

// Yes, or no with a reason. A reason may name the feature and state it waits for: then circles are found.
struct Verdict {
    bool allowed = true;
    std::string reason;
    Name waits_for_feature, waits_for_state;
    ActorId waits_for_actor;  // none: the same actor

    static Verdict yes() { return {}; }
    static Verdict no(std::string reason) { return {false, std::move(reason), {}, {}, {}}; }
    static Verdict waits(Name feature, Name state, std::string reason = {}) {
        return {false, std::move(reason), feature, state, {}};
    }
};

enum class InitChangeKind : std::uint8_t { Changed, Removed };
struct InitStateChange {
    Actor& actor;  // there while the change is told: who keeps the change keeps its id() instead
    Name feature;
    InitStateInterface* implementer = nullptr;  // at the time of the change; null: none, or gone by now
    Name old_state, new_state;
    InitChangeKind kind = InitChangeKind::Changed;
};

class InitStateInterface {
public:
    InitStateInterface() = default;
    InitStateInterface(const InitStateInterface&) = delete;
    InitStateInterface& operator=(const InitStateInterface&) = delete;
    virtual ~InitStateInterface();  // ends everything that is held of it, weakly as it is

    virtual Name feature_name() const = 0;
    virtual Actor* owning_actor() const { return nullptr; }  // null: registration is refused
    virtual Verdict can_change_init_state(Name, Name) const { return Verdict::yes(); }
    // A failure leaves the old state; it is tried again at the next re-check.
    virtual Status handle_change_init_state(Name, Name) { return Status::ok(); }
    virtual void handle_exit_init_state(Name, Name) {}  // on the way down
    virtual void check_default_initialization() {}
    virtual void on_actor_init_state_changed(const InitStateChange&) {}

    Status register_init_state_feature();
    void unregister_init_state_feature();  // its features (an actor: all it has here), then its binding
    // What must hold before this feature may enter the state (init_states.h).
    Status declare_init_need(Name state, Need need, const char* file = __builtin_FILE(), int line = __builtin_LINE());
    bool try_to_change_init_state(Name to);
    Name continue_init_state_chain(std::span<const Name> chain = {});  // empty: the registered list; the state reached
    void check_default_initialization_for_implementers();              // of the actor's other features
    void bind_on_actor_init_state_changed();                           // once; hears the actor's other features
    Name init_state() const;
    bool has_reached_init_state(Name state) const;

private:
    friend class detail::InitEngine;
    friend class detail::LifeRef;
    virtual bool is_actor() const { return false; }
    virtual bool is_on_its_way_out() const { return false; }
    virtual const Component* own_component() const { return nullptr; }
    detail::InitLife& life();
    static InitStates* manager_of(const Actor* actor);  // null: there is none

    detail::InitLife* life_ = nullptr;  // what others hold of this object; made when first needed
};

// The interface for actors and components, which know their actor.
template <class Self> class InitStateFeature : public InitStateInterface {
public:
    Actor* owning_actor() const override {
        const Self* self = static_cast<const Self*>(this);
        if constexpr (std::derived_from<Self, Actor>)
            return const_cast<Self*>(self);
        else
            return &self->actor();
    }

private:
    bool is_actor() const override { return std::derived_from<Self, Actor>; }
    bool is_on_its_way_out() const override { return static_cast<const Self*>(this)->is_doomed(); }
    const Component* own_component() const override {
        if constexpr (std::derived_from<Self, Component>)
            return static_cast<const Self*>(this);
        else
            return nullptr;
    }
};

}  // namespace lyre::framework
