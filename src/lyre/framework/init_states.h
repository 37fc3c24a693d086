// framework/init_states.h: how far every part of an actor has come, on one ladder for the whole game.
//
// An actor is put together from parts that become ready at different times: data loads, a controller replicates, input
// appears. Each part is a feature with a name; it says how far it is (a state of one registered list, such as Spawned,
// DataAvailable, DataInitialized, GameplayReady). Others listen, or ask "has everything on this actor got that far?".
// A feature moves when its implementer is asked to try, or, better, when what it declared to need has come true.
// Nothing depends on the order in which the world delivers the parts, nothing polls, and an actor that is stuck can say
// on what.
//
// Changes are told breadth first: one made inside a callback is stored at once and told after all listeners of the
// present one. Each change is numbered; nobody hears one twice. A transition cannot be started again from inside
// itself: the attempt is remembered as one re-check. An actor at rest costs nothing per frame.
//
// Part of the ComponentManager (component_manager.h). Frame's thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "lyre/framework/init_state_interface.h"
#include "lyre/world/world.h"

namespace lyre::framework {

enum class InitOrder : bool { Before, After };
enum class InitResult : std::uint8_t {
    Done,
    AlreadyRegistered,
    UnknownReference,
    Unchanged,
    InTransition,
    Refused,  // an empty name, no actor, an unregistered state
};

using InitStateCallback = std::function<void(const InitStateChange&)>;
struct ListenOptions {
    bool every_change = false;  // not only the first time the state is reached
    bool call_now = true;
    std::weak_ptr<const void> weak_owner;  // set: the listener ends with it
    bool has_weak_owner = false;
};

// Move-only; dropping it ends the listener. May outlive the manager.
class InitStateHandle {
public:
    InitStateHandle() = default;
    InitStateHandle(InitStateHandle&& other) noexcept;
    InitStateHandle& operator=(InitStateHandle&& other) noexcept;
    ~InitStateHandle();
    Status status() const;
    bool is_valid() const { return status().is_ok(); }
    void reset() { *this = InitStateHandle(); }

private:
    friend class InitStates;
    struct State;
    std::shared_ptr<State> state_;
};

// What must hold before a feature may enter a state.
struct FeatureNeed {
    Name feature;  // none: all other features of the actor
    Name state;
    std::function<ActorId(const Actor&)> of;  // empty: the same actor
};
struct PredicateNeed {
    Name name;  // for people
    std::function<bool(const Actor&)> holds;
    std::vector<Name> signals;  // judged again on these
    bool every_frame = false;   // also in each settle
};
struct Need {
    std::variant<FeatureNeed, PredicateNeed> what;
    bool keeps = false;  // when it stops holding the feature falls back
    static Need reached(Name feature, Name state) { return {FeatureNeed{feature, state, {}}, false}; }
    static Need all_reached(Name state) { return {FeatureNeed{{}, state, {}}, false}; }
    static Need holds(Name name, std::function<bool(const Actor&)> predicate, std::vector<Name> signals) {
        return {PredicateNeed{name, std::move(predicate), std::move(signals), false}, false};
    }
};

class InitStates {
public:
    static constexpr std::size_t kMaxStates = 64;
    static constexpr std::size_t kMaxFeatures = 256;  // of one actor

    InitResult register_init_state(Name state, InitOrder side = InitOrder::After, Name existing = {});
    const std::vector<Name>& init_states() const;
    bool is_init_state_after_or_equal(Name a, Name b);  // anything unregistered: false, and reported once

    InitResult register_init_state_feature(Actor& actor, Name feature, InitStateInterface* implementer);
    void unregister_init_state_feature(Actor& actor, Name feature);
    void unregister_init_state_feature(Actor& actor, const InitStateInterface& implementer);
    InitResult change_feature_init_state(Actor& actor, Name feature, InitStateInterface* implementer, Name state);
    Name init_state(const Actor& actor, Name feature) const;
    bool has_reached_init_state(const Actor& actor, Name feature, Name state);
    bool have_all_features_reached_init_state(const Actor& actor, Name state, Name excluding = {});
    InitStateInterface* implementer(const Actor& actor, Name feature, Name state = {});
    std::vector<InitStateInterface*> implementers(const Actor& actor, Name excluding = {}, Name at_least = {});

    // A state of none: every change. A feature of none: any of the actor.
    InitStateHandle register_and_call_for_actor_init_state(Actor& actor, Name feature, Name state,
                                                           InitStateCallback callback, ListenOptions options = {});
    InitStateHandle register_and_call_for_class_init_state(Name class_name, Name feature, Name state,
                                                           InitStateCallback callback, ListenOptions options = {});

    Status declare_init_need(Actor& actor, Name feature, Name state, Need need);  // a ring is refused, printed whole
    void signal(Actor& actor, Name name);
    Status reset_init_state(Actor& actor, Name feature,
                            Name state);                   // down, one by one, newest first; none: to nothing
    void set_target_init_state(Actor& actor, Name state);  // of stalls; else the last registered one

    bool is_actor_ready(const Actor& actor, Name state) { return have_all_features_reached_init_state(actor, state); }
    InitStateHandle when_actor_ready(Actor& actor, Name state, std::function<void(Actor&)> callback);
    std::string explain_actor_init(const Actor& actor, Name state = {});
    std::string dump_init_states() const;

    void settle_init_states();  // predicates of every frame, rings, stalls

protected:
    InitStates();
    ~InitStates();
    void begin_init_states(GameInstance& game);
    void end_init_states();

private:
    friend class InitStateInterface;
    friend class InitStateHandle;
    struct Impl;
    std::shared_ptr<Impl> impl_;
};

}  // namespace lyre::framework
