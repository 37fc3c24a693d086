// framework/init_state_interface.h: what a part of an actor that climbs the init states has to say.
//
//     struct Hero : Component, InitStateInterface {
//         Name feature_name() const override { return Name("Hero"); }
//         Verdict can_change_init_state(Name from, Name to) const override { … return Verdict::no("no controller yet");
//         } void handle_change_init_state(Name from, Name to) override { … } void registered() {
//         register_init_state_feature(); } void begin_play() { bind_on_actor_init_state_changed();
//         check_default_initialization(); } void check_default_initialization() override { continue_init_state_chain();
//         }
//     };
//
// A mixin for components, actors and plain objects. All of it does nothing in a world without a manager.
#pragma once

#include <span>
#include <string>

#include "lyre/core/name.h"
#include "lyre/core/status.h"
#include "lyre/world/object.h"

namespace lyre::framework {

class InitStates;

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
class InitStateInterface;
struct InitStateChange {
    ActorId actor;
    Name feature;
    InitStateInterface* implementer = nullptr;  // at the time of the change; null: none, or dead by now
    Name old_state, new_state;
    InitChangeKind kind = InitChangeKind::Changed;
};

class InitStateInterface {
public:
    InitStateInterface() = default;
    InitStateInterface(const InitStateInterface&) = delete;
    InitStateInterface& operator=(const InitStateInterface&) = delete;

    virtual Name feature_name() const = 0;
    // Itself if it is an actor, its actor if it is a component; others override it. Null: registration is refused.
    virtual Actor* owning_actor() const = 0;
    virtual Verdict can_change_init_state(Name, Name) const { return Verdict::yes(); }
    virtual Status handle_change_init_state(Name, Name) { return Status::ok(); }
    virtual void handle_exit_init_state(Name, Name) {}
    virtual void check_default_initialization() {}
    virtual void on_actor_init_state_changed(const InitStateChange&) {}

    Status register_init_state_feature();
    void unregister_init_state_feature();  // and the binding
    bool try_to_change_init_state(Name to);
    Name continue_init_state_chain(std::span<const Name> chain = {});  // empty: the registered list
    void check_default_initialization_for_implementers();
    void bind_on_actor_init_state_changed();
    Name init_state() const;
    bool has_reached_init_state(Name state) const;

protected:
    ~InitStateInterface();  // ends everything that is held weakly

private:
    friend class InitStates;
    InitStates* manager() const;                 // of the owning actor's game; null: there is none
    std::shared_ptr<InitStateInterface*> self_;  // the weak way to it; made when first needed
};

}  // namespace lyre::framework
