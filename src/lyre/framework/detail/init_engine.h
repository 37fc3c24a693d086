// framework/detail/init_engine.h: the tables behind init_states.h, shared by its sources and by nobody else.
//
//     init_states.cpp     the public doors
//     init_engine.cpp     the list of states, actors and features, changing
//     init_listeners.cpp  who hears of a change, and when
//     init_needs.cpp      declared needs, signals, going down
//     init_explain.cpp    why an actor is not ready
//     init_settle.cpp     once per frame; rings and stalls
//     init_list.cpp       what one owner has registered
//     init_dump.cpp       everything
//
// Everything that calls user code stands inside a Call. The outermost Call tells of all changes and moves what needs
// allow before it goes, and keeps the engine in memory till then. After user code has run nothing is taken for granted:
// actors and features are found anew by their refs, implementers through their InitLife.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "lyre/framework/init_states.h"
#include "lyre/world/game_instance.h"

namespace lyre::framework::detail {

using StateIndex = std::int16_t;  // place in the registered list
inline constexpr StateIndex kNoState = -1;
inline std::string_view shown(Name state) {  // to people
    return state ? state.text() : "none";
}

// What is held of an implementer: goes when the last holder does, says when the object has gone. Frame's thread.
struct InitLife {
    InitStateInterface* object = nullptr;  // null: gone
    Owner owner;                           // its hooks run under it
    std::uint32_t references = 1;
};
class LifeRef {
public:
    LifeRef() = default;
    explicit LifeRef(InitLife* life) : life_(life) {
        if (life_ != nullptr) ++life_->references;
    }
    LifeRef(const LifeRef& other) : LifeRef(other.life_) {}
    LifeRef(LifeRef&& other) noexcept : life_(std::exchange(other.life_, nullptr)) {}
    LifeRef& operator=(LifeRef other) noexcept {
        std::swap(life_, other.life_);
        return *this;
    }
    ~LifeRef() { release(life_); }
    static void release(InitLife* life) {
        if (life != nullptr && --life->references == 0) delete life;
    }

    InitStateInterface* object() const { return life_ == nullptr ? nullptr : life_->object; }
    InitStateInterface* present() const {  // null also for one on its way out
        InitStateInterface* alive = object();
        return alive == nullptr || alive->is_on_its_way_out() ? nullptr : alive;
    }
    bool is_dead() const { return life_ != nullptr && present() == nullptr; }
    const Owner& owner() const { return life_->owner; }
    bool is(const InitLife* life) const { return life_ == life; }
    const InitLife* get() const { return life_; }

private:
    InitLife* life_ = nullptr;
};

struct ActorRef {
    std::uint32_t slot = 0;
    std::uint32_t serial = 0;  // of the actor's data; 0: none
    friend bool operator==(const ActorRef&, const ActorRef&) = default;
};
struct FeatureRef {
    ActorRef actor;
    std::uint32_t life = 0;  // of the feature
    friend bool operator==(const FeatureRef&, const FeatureRef&) = default;
};

struct Refusal {
    Name to;
    Verdict verdict;
};
struct Feature {
    Name name;
    StateIndex state = kNoState;
    bool in_transition = false;
    bool wants_recheck = false;  // somebody tried meanwhile
    bool being_checked = false;  // its check_default_initialization runs
    bool is_put_off = false;     // its check is, until the one that runs is over
    bool is_reset = false;       // by hand: needs do not move it until it is asked to try
    bool stall_reported = false, ring_reported = false;
    std::uint32_t life = 0;  // tells it from one of that name before
    LifeRef implementer;
    std::int64_t since_us = 0;
    std::int64_t forgiven_us = 0;          // stalls count from here: it moved in a long gap between two settles
    std::uint64_t fired = 0;               // once-listeners of classes, by index, that have fired for it
    std::vector<std::uint64_t> fired_too;  // the same, from index 64 on
    std::unique_ptr<Refusal> refusal;      // of the last try

    std::int64_t stalls_from_us() const { return since_us > forgiven_us ? since_us : forgiven_us; }
};

// Where something was registered. The text is kept for features only: they are asked for it when they go.
struct InitPlace {
    const char* file;
    int line;
    std::string text_for(const Owner& owner) const;
};

enum class Judged : std::uint8_t { Unknown, Holds, Fails };
struct DeclaredNeed {
    Name feature, state;
    Need need;
    Owner owner;  // who declared it: its functions run under it
    std::uint64_t registered = 0;
    std::string place;
    Judged judged = Judged::Unknown;  // of a predicate
    const PredicateNeed* predicate() const { return std::get_if<PredicateNeed>(&need.what); }
    const FeatureNeed* on_feature() const { return std::get_if<FeatureNeed>(&need.what); }
    std::string to_string() const;  // "Team at Spawned", or a predicate's name
};
struct ActorNeeds {
    std::vector<std::shared_ptr<DeclaredNeed>> all;  // shared: a predicate may declare another
    std::vector<ActorId> looks_at;                   // actors whose changes matter to this one
    bool is_polled = false;                          // some are judged in settle
};

// A listener as its handle sees it.
struct InitListener {
    std::weak_ptr<InitEngine> engine;
    ActorRef actor;   // of one for an actor
    Name class_name;  // of one for a class
    Name feature, state;
    bool every_change = false;
    bool is_over = false;
    InitStateCallback callback;
    std::function<void(Actor&)> ready;  // of when_actor_ready, instead of callback
    std::optional<std::weak_ptr<const void>> weak_owner;
    Owner owner;
    std::uint64_t registered = 0;
    std::string place;
    std::uint32_t running = 0;         // calls that stand in it
    std::uint64_t known = 0;           // the newest change when it was registered
    std::uint32_t index = 0;           // of a once-listener of a class
    std::vector<std::uint32_t> fired;  // of any feature: lives of those it has fired for
    Status status;
    bool is_once() const { return !every_change && state; }
    bool has_expired() const { return is_over || (weak_owner && weak_owner->expired()); }
};
// In an actor's list: a listener or a bound object.
struct ActorListener {
    std::shared_ptr<InitListener> listener;
    LifeRef bound;
    std::uint64_t known = 0;
    bool has_expired() const { return listener != nullptr ? listener->has_expired() : bound.present() == nullptr; }
};

struct ActorData {
    Actor* actor = nullptr;  // good as long as the data is
    std::uint32_t slot = 0;
    std::uint32_t serial = 0;  // 0: free
    std::uint64_t order = 0;   // of its first feature
    std::vector<Feature> features;
    std::vector<ActorListener> listeners;
    std::unique_ptr<ActorNeeds> needs;
    Name target;
    std::uint32_t below = 0;  // features below the target
    std::uint32_t waiting_at = 0, touched_at = 0;
    bool is_dirty = false, is_in_frame = false;
    std::uint32_t call = 0, changes = 0, tries = 0;  // changes and tries in the outermost call of that number

    ActorRef ref() const { return {slot, serial}; }
    Feature* find(Name name) {
        for (Feature& feature : features)
            if (feature.name == name) return &feature;
        return nullptr;
    }
    FeatureRef ref(const Feature& feature) const { return {ref(), feature.life}; }
};

// Some of the actors; `at` is where an actor keeps its place in this set, plus one.
struct ActorSet {
    std::uint32_t ActorData::*at;
    std::vector<ActorData*> all;
    void add(ActorData& data) {
        if (data.*at != 0) return;
        all.push_back(&data);
        data.*at = static_cast<std::uint32_t>(all.size());
    }
    void remove(ActorData& data) {
        if (data.*at == 0) return;
        all[data.*at - 1] = all.back();
        all.back()->*at = data.*at;
        all.pop_back();
        data.*at = 0;
    }
};

// Actors in the order in which they came. Who leaves clears the flag; its entry is passed over.
struct ActorList {
    bool ActorData::*flag;
    std::vector<ActorRef> all;
    void add(ActorData& data) {
        if (!std::exchange(data.*flag, true)) all.push_back(data.ref());
    }
};

// Actors of different worlds may have the same id.
struct ActorKey {
    std::uint32_t world = 0;  // its owner's serial
    ActorId id;
    friend bool operator==(const ActorKey&, const ActorKey&) = default;
    static ActorKey of(const Actor& actor, ActorId id) { return {actor.world().owner().serial, id}; }
};
struct ActorKeyHash {
    std::size_t operator()(const ActorKey& key) const {
        return std::hash<ActorId>()(key.id) ^ static_cast<std::size_t>(key.world) * 0x9E3779B9u;
    }
};

// What led to what is happening, for the trace.
struct Cause {
    const char* what = "a call";
    Name subject, state;
};

// A feature below the state somebody waits for.
struct Wait {
    ActorId actor;
    Name feature, state;
    FeatureRef on;  // none: not registered
};

class InitEngine : public std::enable_shared_from_this<InitEngine> {
public:
    // While one stands the engine stays in memory, though the manager may go.
    class Keep {
    public:
        explicit Keep(InitEngine& engine) : engine_(engine) { ++engine_.kept_; }
        ~Keep() {
            if (--engine_.kept_ == 0 && engine_.self_ != nullptr) engine_.let_go();
        }
        Keep(const Keep&) = delete;
        Keep& operator=(const Keep&) = delete;

    private:
        InitEngine& engine_;
    };
    class Call {
    public:
        explicit Call(InitEngine& engine) : keep_(engine), engine_(engine) { ++engine.depth_; }
        ~Call() {
            if (engine_.depth_ == 1) engine_.run();
            --engine_.depth_;
        }

    private:
        const Keep keep_;
        InitEngine& engine_;
    };

    void begin(GameInstance& game);
    void end();

    // The list.
    InitResult add_state(Name state, InitOrder side, Name existing);
    const std::vector<Name>& states() const { return states_; }
    StateIndex index_of(Name state) const;   // kNoState: none or not registered
    StateIndex index_or_report(Name state);  // the same, reported once per state
    Name name_of(StateIndex state) const {
        return state == kNoState ? Name() : states_[static_cast<std::size_t>(state)];
    }

    // Data.
    static InitLife* life_of(InitStateInterface* object) { return object == nullptr ? nullptr : &object->life(); }
    ActorData* find(const Actor& actor) const;
    ActorData* find(ActorRef ref);
    Feature* find(FeatureRef ref, ActorData** data = nullptr);
    InitResult add_feature(Actor& actor, Name feature, LifeRef implementer);
    InitResult change(Actor& actor, Name feature, LifeRef implementer, Name state);
    bool try_to(Actor& actor, Name feature, const LifeRef& self, Name to);
    Name climb(Actor& actor, Name feature, const LifeRef& self, std::span<const Name> chain);
    void recheck(FeatureRef ref, bool is_again = false);
    void recheck_all(ActorRef ref, Name excluding);
    void remove_features(Actor& actor, Name feature, const InitLife* life);
    void forget_actor(Actor& actor, const char* why);  // why its listeners end
    bool have_all(const ActorData* data, StateIndex state, Name excluding) const;

    // Listeners.
    static std::shared_ptr<InitListener> listener(Name class_name, Name feature, Name state, InitStateCallback callback,
                                                  const ListenOptions& options, const InitPlace& place);
    InitStateHandle listen_to_actor(Actor& actor, std::shared_ptr<InitListener> listener, bool call_now);
    InitStateHandle listen_to_class(std::shared_ptr<InitListener> listener, bool call_now);
    InitStateHandle when_ready(Actor& actor, Name state, std::function<void(Actor&)> callback, const InitPlace& place);
    void bind(Actor& actor, InitLife& life);
    void unbind(Actor& actor, const InitLife& life);
    void end_listener(InitListener& listener);

    // Needs.
    Status declare(Actor& actor, Name feature, Name state, Need need, const InitPlace& place);
    void signal(Actor& actor, Name name);
    Status reset(Actor& actor, Name feature, Name state);
    Status set_target(Actor& actor, Name state);

    // By owner.
    std::vector<InitInfo> entries_of(const Owner& owner) const;
    bool remove_entry(std::uint64_t registered);

    // Why.
    InitReport report_of(const Actor& actor, Name state);
    std::string dump() const;
    std::string dump_json() const;
    InitCounts counts() const;
    void settle();

private:
    struct Item {  // to be told
        enum class Kind : std::uint8_t { Changed, Removed, Recheck, RecheckAll } kind = Kind::Changed;
        FeatureRef feature;
        std::uint64_t number = 0;
        Name name, old_state, new_state;
        LifeRef implementer;
        Cause cause;
        bool is_again = false;  // a re-check that was put off
    };
    struct WorldTable {
        World* world;          // only compared: it may be gone
        std::uint32_t serial;  // tells two worlds at one address apart
        std::size_t count = 0;
        std::vector<ActorData*> by_index;
        std::unordered_map<std::uint32_t, ActorData*> by_row;
        Connection ended, component_ending;
    };
    // Tries made from inside tries: what is asked whether it may asks somebody else to try.
    static constexpr int kMaxNestedTries = 64;
    struct Nested {
        explicit Nested(InitEngine& engine) : engine(engine) { ++engine.tries_depth_; }
        ~Nested() { --engine.tries_depth_; }
        bool is_too_deep() const { return engine.tries_depth_ > kMaxNestedTries; }
        InitEngine& engine;
    };
    struct CauseScope {
        CauseScope(InitEngine& engine, Cause cause) : engine(engine), before(std::exchange(engine.cause_, cause)) {}
        ~CauseScope() { engine.cause_ = before; }
        InitEngine& engine;
        Cause before;
    };

    // init_engine.cpp
    void run();
    void let_go() { const auto last = std::move(self_); }
    // Runs user code, which may return a Status; what it throws is reported, with `what` (of which feature) it was.
    // What it destroys stays in memory until it has returned.
    template <class Code>
    Status guarded(const Owner& owner, const char* what, const Actor& actor, Name feature, Code&& code);
    Status failed(const char* what, ActorId actor, Name feature, std::string_view why) const;
    void report(LogLevel level, Name kind, ActorId actor, const std::string& text) const;
    ActorData*& place_of(WorldTable& table, ActorId id) const;
    WorldTable* table_of(const World& world) const;
    ActorData* data_for(Actor& actor);  // makes it; null: no such actor here
    Feature* feature_for(ActorData& data, Name name);
    void take_out(ActorData& data, std::size_t at, std::vector<std::shared_ptr<DeclaredNeed>>& gone);
    void release(ActorData& data, const Status& why);
    void release_if_empty(ActorData& data);
    void component_ending(Component& component);
    void count_call(ActorData& data);
    bool goes_in_circles(ActorData& data);
    bool tries_in_circles(ActorData& data);
    void stop_circles(ActorData& data, const char* what) const;
    Verdict ask(const LifeRef& self, const Actor& actor, Name feature, Name from, Name to) const;
    bool attempt(ActorData& data, Name feature, const LifeRef& self, StateIndex to);
    bool enter(ActorData& data, Feature& feature, const LifeRef& self, StateIndex to);
    Status still_wanted(FeatureRef ref, const LifeRef& self, Name before, Name after);
    void store(ActorData& data, Feature& feature, StateIndex to);
    void queue_recheck(FeatureRef ref, Cause cause, bool is_again = false);
    void queue_put_off(bool is_wanted);
    void refuse(ActorData& data, Feature* feature, Name name, Name to, Verdict verdict);
    void count_below(ActorData& data, int by);
    void recount(ActorData& data);
    StateIndex target_of(const ActorData& data) const;
    bool is_below(const ActorData& data, const Feature& feature) const { return feature.state < target_of(data); }
    bool traces() const { return runtime_->trace().enabled(TraceLevel::Events); }
    void trace(Name kind, const Actor& actor, Name feature, const std::string& detail) const;
    void trace_refusal(const Actor& actor, Name feature, Name to, std::string_view why) const;

    // init_listeners.cpp
    bool is_heard(const ActorData& data, const Feature& feature) const;
    bool wants(const InitListener& listener, const Feature* feature, StateIndex state) const;
    void tell(const Item& item);
    void tell_change(const Item& item);
    void collect_classes(const Item& item, ActorData& data, std::vector<ActorListener>& heard);
    void call(const ActorListener& who, const Item& item, bool now = false);
    void call_ready(const std::shared_ptr<InitListener>& listener, ActorData& data);
    void call_bound(const LifeRef& bound, const Item& item);
    void spend(InitListener& listener);
    static void silence(InitListener& listener);
    void drop_expired(std::vector<ActorListener>& listeners);
    void drop_expired_of(Name feature);
    Item snapshot(const ActorData& data, const Feature& feature) const;
    InitStateHandle refused(const std::shared_ptr<InitListener>& listener, Status why);
    static bool has_fired(const Feature& feature, std::uint32_t index);
    static void set_fired(Feature& feature, std::uint32_t index);
    std::uint32_t take_index();

    // init_needs.cpp
    static bool has_need(const ActorData& data, Name feature, Name state = {});
    enum class Asked : bool { All, FeaturesOnly };
    bool are_met(ActorRef ref, Name feature, StateIndex from, StateIndex to, Asked asked = Asked::All);
    bool holds(ActorRef ref, const std::shared_ptr<DeclaredNeed>& need);
    bool judge(ActorRef ref, DeclaredNeed& need);
    ActorId actor_of(ActorRef ref, const DeclaredNeed& need);
    bool feature_holds(const ActorData* on, const FeatureNeed& need, Name asking) const;
    void look_at(ActorData& data, ActorId id);
    void look_away(ActorData& data);
    void look_again(ActorRef ref);
    void note_dependents(ActorData& data) {
        if (data.needs != nullptr || !dependents_.empty()) mark_dependents(data);
    }
    void mark_dependents(ActorData& data);
    void evaluate(ActorData& data);
    bool step(FeatureRef ref);
    StateIndex kept_until(FeatureRef ref, StateIndex state);
    void go_down(FeatureRef ref, StateIndex to, int depth);
    void leave(FeatureRef ref);
    std::vector<std::pair<FeatureRef, StateIndex>> dependents(FeatureRef ref, StateIndex to);
    void add_dependents(ActorData& data, const Actor& on, Name feature, StateIndex to,
                        std::vector<std::pair<FeatureRef, StateIndex>>& all);
    Status find_need_ring(const ActorData& data, const DeclaredNeed& added) const;
    void settle_needs();

    // init_list.cpp
    bool remove_listener(std::uint64_t registered);
    bool remove_need(std::uint64_t registered);

    // init_explain.cpp
    struct Entry;
    ActorData* data_of(const World& world, ActorId id) const;
    StateIndex next_of(const Feature& feature) const;
    Wait wait_on(const World& world, ActorId id, Name feature, Name state) const;
    std::vector<Wait> waits_of_need(ActorRef ref, const DeclaredNeed& need, ActorId on);
    std::vector<Wait> waits_of(FeatureRef ref);
    Entry describe(FeatureRef ref);
    static void sort_by_cause(std::vector<Entry>& entries);
    static std::string asked_again(const PredicateNeed& predicate);
    void describe_need(Entry& entry, const std::shared_ptr<DeclaredNeed>& need);
    void describe_refusal(Entry& entry, const Refusal& refusal);
    std::string found(const Wait& wait);

    // init_settle.cpp
    void find_rings();
    void follow(FeatureRef ref, std::vector<FeatureRef>& path, std::unordered_set<std::uint32_t>& done);
    void report_ring(const std::vector<FeatureRef>& ring);
    void forgive_hitch(std::int64_t before_us);
    std::vector<ActorData*> all_actors() const;
    static std::vector<ActorData*> in_order(std::vector<ActorData*> actors);
    void report_stalls();

    GameInstance* game_ = nullptr;
    Runtime* runtime_ = nullptr;
    std::optional<Variable<double>> stall_seconds_;
    bool has_ended_ = false;
    std::vector<Name> states_;
    std::vector<Name> reported_states_;

    std::vector<std::unique_ptr<ActorData>> slots_;
    std::vector<ActorData*> free_;
    std::vector<std::unique_ptr<WorldTable>> worlds_;
    std::size_t feature_count_ = 0;
    std::uint64_t last_order_ = 0;
    std::uint32_t last_serial_ = 0, last_life_ = 0;

    std::uint32_t depth_ = 0, kept_ = 0;
    std::shared_ptr<InitEngine> self_;  // from the end to the last Keep
    std::uint32_t call_number_ = 0;
    std::uint64_t change_number_ = 0;
    std::int64_t now_us_ = 0;  // of the last settle, or the last actor that came: fine enough for "since when"
    std::int64_t settled_us_ = 0;
    int tries_depth_ = 0;
    std::vector<Item> queue_;
    std::size_t told_ = 0;              // of queue_
    std::vector<ActorListener> heard_;  // memory for those who hear a change
    std::uint64_t unbound_ = 0;         // how often a binding ended
    Cause cause_;
    std::uint32_t checking_ = 0;       // re-checks that run, one inside the other
    std::vector<FeatureRef> put_off_;  // until they are over

    std::unordered_map<Name, std::vector<std::shared_ptr<InitListener>>> classes_;  // by feature
    std::vector<bool> indices_;                // of once-listeners of classes: in use, or marked in some feature
    std::vector<std::uint32_t> dead_indices_;  // marked in features still

    ActorSet waiting_{&ActorData::waiting_at, {}};  // below their target
    ActorSet touched_{&ActorData::touched_at, {}};  // waiting, and refused something since the last settle
    ActorList dirty_{&ActorData::is_dirty, {}};     // whose needs are to be evaluated
    std::size_t evaluated_ = 0;                     // of dirty_
    ActorList frame_{&ActorData::is_in_frame, {}};  // whose needs are judged in every settle
    std::unordered_map<ActorKey, std::vector<ActorRef>, ActorKeyHash> dependents_;  // who looks at an actor
    std::int64_t next_stall_us_ = 0, stall_limit_us_ = 0;
};

template <class Code>
Status InitEngine::guarded(const Owner& owner, const char* what, const Actor& actor, Name feature, Code&& code) {
    const World::CallScope scope(actor.world());
    const OwnerScope as(owner);
    try {
        if constexpr (std::is_void_v<std::invoke_result_t<Code&>>) {
            code();
            return Status::ok();
        } else {
            return code();
        }
    } catch (const std::exception& error) {
        return failed(what, actor.id(), feature, error.what());
    } catch (...) {
        return failed(what, actor.id(), feature, "an exception");
    }
}

// Kinds of what is reported and traced.
namespace init_kinds {
extern const Name kProblem, kRing, kStall;                // in the log
extern const Name kChange, kRefusal, kRecheck, kRemoval;  // in the trace
}  // namespace init_kinds

}  // namespace lyre::framework::detail
