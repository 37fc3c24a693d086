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
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "lyre/framework/init_state_interface.h"
#include "lyre/framework/reports.h"
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

namespace detail {
struct InitListener;
}

using InitStateCallback = std::function<void(const InitStateChange&)>;
struct ListenOptions {
    bool every_change = false;  // not only the first time the state is reached
    bool call_now = true;
    std::optional<std::weak_ptr<const void>> weak_owner{};  // the listener ends with it
};

// Move-only; dropping it ends the listener. May outlive the manager.
class [[nodiscard]] InitStateHandle {
public:
    InitStateHandle() = default;
    InitStateHandle(InitStateHandle&& other) noexcept;
    InitStateHandle& operator=(InitStateHandle&& other) noexcept;
    ~InitStateHandle();
    Status status() const;  // ok also when it has fired for the last time; else why it was refused or has ended
    bool is_valid() const { return status().is_ok(); }
    void reset() { *this = InitStateHandle(); }

private:
    friend class detail::InitEngine;
    std::shared_ptr<detail::InitListener> listener_;
};

// What must hold before a feature may enter a state. A feature with any need climbs the registered list by itself, from
// its first state on (from none only if that first state has a need): nobody pokes it.
struct FeatureNeed {
    Name feature;  // none: all other features of the actor
    Name state;
    std::function<ActorId(const Actor&)> of;  // in the same world; empty: the same actor
};
struct PredicateNeed {
    Name name;  // for people
    std::function<bool(const Actor&)> holds;
    std::vector<Name> signals;  // judged once, and again on these
    bool every_frame = false;   // also in each settle
};
struct Need {
    std::variant<FeatureNeed, PredicateNeed> what;
    bool keeps = false;  // when it stops holding the feature falls back

    static Need reached(Name feature, Name state, std::function<ActorId(const Actor&)> of = {}) {
        return {FeatureNeed{feature, state, std::move(of)}, false};
    }
    static Need all_reached(Name state) { return {FeatureNeed{{}, state, {}}, false}; }
    static Need holds(Name name, std::function<bool(const Actor&)> predicate, std::vector<Name> signals = {}) {
        return {PredicateNeed{name, std::move(predicate), std::move(signals), false}, false};
    }
    Need kept() && {
        keeps = true;
        return std::move(*this);
    }
    Need each_frame() && {  // of a predicate; features are followed anyway
        if (auto* predicate = std::get_if<PredicateNeed>(&what)) predicate->every_frame = true;
        return std::move(*this);
    }
};

// One listener or need that somebody has registered.
struct InitInfo {
    enum class Kind : std::uint8_t { ActorListener, ClassListener, ReadyListener, Need } kind = Kind::ActorListener;
    std::uint64_t registered = 0;
    std::string text;   // "listener to Hero at GameplayReady of #4.1", "need of Hero at DataAvailable: Team at ..."
    std::string place;  // "game/tag/tag.cpp:12"; kept for features only
    World* world = nullptr;  // null: of a class, in the whole game
    ActorId actor{};
};

// How much is held, for metrics and for tests that nothing stays.
struct InitCounts {
    std::size_t actors = 0, features = 0, listeners = 0, needs = 0;
    std::size_t waiting = 0;  // actors with a feature below their target state
    friend bool operator==(const InitCounts&, const InitCounts&) = default;
};

class InitStates {
public:
    static constexpr std::size_t kMaxStates = 64;
    static constexpr std::size_t kMaxFeatures = 256;      // of one actor
    static constexpr std::size_t kMaxNeeds = 1024;        // of one actor
    static constexpr std::size_t kMaxListeners = 65'536;  // of one actor, and of classes
    static constexpr std::size_t kMaxChanges = 4096;  // of one actor in one outermost call, and tries; then it stops

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
                                                           InitStateCallback callback, ListenOptions options = {},
                                                           const char* file = __builtin_FILE(),
                                                           int line = __builtin_LINE());
    InitStateHandle register_and_call_for_class_init_state(Name class_name, Name feature, Name state,
                                                           InitStateCallback callback, ListenOptions options = {},
                                                           const char* file = __builtin_FILE(),
                                                           int line = __builtin_LINE());

    // A ring is refused, printed whole.
    Status declare_init_need(Actor& actor, Name feature, Name state, Need need, const char* file = __builtin_FILE(),
                             int line = __builtin_LINE());
    void signal(Actor& actor, Name name);
    // Down, one by one, newest first; none: to nothing. Up is refused. A feature with needs stays there until it is
    // asked to try, or its actor gets a signal.
    Status reset_init_state(Actor& actor, Name feature, Name state);
    Status set_target_init_state(Actor& actor, Name state);  // of stalls; none: the last registered one again

    bool is_actor_ready(const Actor& actor, Name state) { return have_all_features_reached_init_state(actor, state); }
    InitStateHandle when_actor_ready(Actor& actor, Name state, std::function<void(Actor&)> callback,
                                     const char* file = __builtin_FILE(), int line = __builtin_LINE());

    // What one owner has registered, oldest first; features of components are not among it, they go with these. A
    // listener that is removed says Cancelled; a feature whose need is removed may move. Inside a call of it, its code
    // goes when that call is over. False: there is none of that number.
    std::vector<InitInfo> init_entries_of(const Owner& owner) const;
    bool remove_init_entry(std::uint64_t registered);

    InitReport init_report(const Actor& actor, Name state = {});  // as data (reports.h); none: the actor's target
    std::string explain_actor_init(const Actor& actor, Name state = {}) { return init_report(actor, state).to_text(); }
    std::string dump_init_states() const;
    std::string dump_init_states_json() const;
    InitCounts init_counts() const;

    void settle_init_states();  // predicates of every frame, rings, stalls

protected:
    InitStates();
    ~InitStates();
    void begin_init_states(GameInstance& game);
    void end_init_states();

private:
    friend class InitStateInterface;
    std::shared_ptr<detail::InitEngine> engine_;
};

}  // namespace lyre::framework
