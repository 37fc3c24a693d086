// world/world.h: one running place: actors, their lives, and the tick.
//
//     World& world = game.open_world({.name = Name("arena")});
//     Result<ActorId> id = world.spawn<Crate>({.transform = {{3, 4, 0}}});
//     world.begin_play();
//     while (running) world.tick();
//
// Several worlds live side by side in a process (a server and its clients, many rooms); nothing is shared between them
// but what the Runtime holds. Everything happens on the thread that calls tick().
//
// One tick:   timers -> PrePhysics -> Physics (movers, then ticks) -> PostPhysics -> Late -> marks drained
// Ticks run by group, then by the order in which classes were registered, then by id.
//
// Callbacks may do anything: spawn, destroy, add, remove, end the world. What is destroyed inside a callback is not
// found by its id any more, and ends when the phase (a timer's callback, a tick group, the outermost call) is over.
// User code that throws never leaves a half-made thing: a spawn fails as a whole, anything later is reported in the
// log.
//
// The parts a world is made of have headers of their own: timers.h, space.h, level.h, mover.h, actor_tags.h,
// subsystem.h.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "lyre/core/delegate.h"
#include "lyre/core/random.h"
#include "lyre/core/trace.h"
#include "lyre/core/type_registry.h"
#include "lyre/core/variable_layer.h"
#include "lyre/world/actor_tags.h"
#include "lyre/world/component_sheets.h"
#include "lyre/world/level.h"
#include "lyre/world/mover.h"
#include "lyre/world/pool.h"
#include "lyre/world/property.h"
#include "lyre/world/runtime.h"
#include "lyre/world/space.h"
#include "lyre/world/subsystem.h"
#include "lyre/world/timers.h"

namespace lyre::inline world {

enum class NetMode : std::uint8_t { Standalone, DedicatedServer, ListenServer, Client };
enum class WorldKind : std::uint8_t { Game, Preview };  // a preview (an editor's, a thumbnail's) has no game instance
std::string_view to_string(NetMode mode);

struct WorldDef {
    Name name = Name("world");
    NetMode net_mode = NetMode::Standalone;
    WorldKind kind = WorldKind::Game;
    float tick_seconds = 1.0f / 60;  // of a server or standalone tick; a client says how long each is
    std::uint64_t seed = 1;
};

struct SpawnDef {
    Transform transform{};
    Role role = Role::Authority;
};

// What a hook threw, on its way to whoever called it: "begin_play of component health (Health) of #5.1 (Crate) threw:
// too hot". A spawn says it in its Status, everything else in the log (world.callback).
struct HookThrew : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// One object of a class.
struct InstanceInfo {
    ActorId actor;
    Name component;            // none: the actor itself
    std::uint64_t serial = 0;  // tells which of two of one class is newer
};

// Carries remote calls to where they belong; replication is one. Without it they run in place.
class RemoteCarrier {
public:
    virtual ~RemoteCarrier() = default;
    // True: taken care of. False: run it here.
    virtual bool carry(Object& object, const RemoteInfo& function, void* arguments) = 0;
};

class World {
public:
    static constexpr std::uint32_t kMaxActors = 1u << 24;  // that are not rows
    static constexpr std::uint32_t kMaxNested = 256;       // calls inside calls: then nothing is spawned any more
    static constexpr std::uint32_t kFirstRowIndex = 1u << 31;
    static constexpr std::size_t kMaxComponents = 254;  // of one actor
    static constexpr std::size_t kMaxToldOnce = 256;    // errors; what comes after so many is not told

    World(Runtime& runtime, const WorldDef& def, GameInstance* game = nullptr);
    ~World();
    World(const World&) = delete;
    World& operator=(const World&) = delete;

    // Its life.
    void begin_play();         // all actors there are, in order of spawning; later ones at their spawn
    void tick();               // of fixed length: server and standalone worlds
    void tick(float seconds);  // client worlds
    void end();                // ends everything, newest first; inside a callback, when the phase is over
    bool has_begun_play() const { return begun_; }
    bool has_ended() const { return ended_ || ending_; }
    bool is_in_callback() const { return depth_ > 0; }
    bool is_too_deep() const { return depth_ >= kMaxNested; }  // callbacks call each other without end
    bool has_doomed() const { return !doomed_.empty(); }  // things on their way out: they end when the phase is over

    // Actors. A deferred spawn is made but not initialised: set its properties, then finish (or drop) it.
    Result<ActorId> spawn(const Type& type, const SpawnDef& def = {});
    Result<ActorId> spawn(std::string_view class_name, const SpawnDef& def = {});
    template <class T> Result<ActorId> spawn(const SpawnDef& def = {});
    class DeferredSpawn;
    Result<DeferredSpawn> spawn_deferred(const Type& type, const SpawnDef& def = {});
    template <class T> Result<DeferredSpawn> spawn_deferred(const SpawnDef& def = {});
    template <class T, class Prepare>
    Result<ActorId> spawn(const SpawnDef& def, Prepare prepare);        // prepare(T&) sets it up
    bool destroy(ActorId id, EndReason reason = EndReason::Destroyed);  // also a row; false: there is no such thing
    Actor* find(ActorId id) const;                                      // null: gone, or a row that nobody touched
    template <class T> T* find(ActorId id) const;
    std::size_t actor_count() const { return actor_count_; }
    std::size_t component_count() const { return component_count_; }
    std::vector<ActorId> actors() const;  // all that live, in the order in which they began play (or will)

    // Every actor and component that is brought up and not on its way out, by class. None may come or go meanwhile.
    template <class Visit> void each_object(Visit visit) const {
        for (Pool* pool : by_order_)
            pool->each([&](Object& object) {
                if (is_up(object, *pool)) visit(object);
            });
    }
    // Of one class and those below it.
    template <class Visit> void each_object_of(const Type& type, Visit visit) const {
        for (Pool* pool : by_order_)
            if (pool->type().is_a(type))
                pool->each([&](Object& object) {
                    if (is_up(object, *pool)) visit(object);
                });
    }

    // All of exactly this class that are in memory, also deferred spawns and what is on its way out; newest first, at
    // most `max`. Rows that nobody touched are none; a level that places the class keeps it registered all the same.
    std::vector<InstanceInfo> instances(const Type& type, std::size_t max = SIZE_MAX) const;
    std::size_t count_instances(const Type& type) const;
    // Destroys actors of the class and removes components of it from theirs, newest first, before its library goes. Not
    // inside a callback of this world. What is left then is a deferred spawn that somebody has not dropped, or was
    // made anew by what ended, again and again.
    void destroy_instances(const Type& type);
    // Destroys the actors of the class and of those below it that are in memory, newest first: for who takes its own
    // back. Also inside a callback; what comes meanwhile stays.
    void destroy_actors(const Type& type);

    // Components.
    Result<Component*> add_component(Actor& actor, const Type& type, Name name = {},
                                     Belongs belongs = Belongs::ToActor);
    Status remove_component(Component& component);
    // Client worlds: begin_play of one component waits, as replication wants it to until its values are there.
    Status hold_begin_play(Component& component);
    Status release_begin_play(Component& component);

    // Marks (property.h). Who drains them owns them; without a drainer the end of a tick does.
    void drain_marks(const std::function<void(Object&, std::uint64_t marks)>& visit);
    template <class Visit> void each_marked(Visit visit) const {  // drains nothing
        for (Pool* pool : by_order_)
            for (std::uint32_t i = pool->marked.first(); i != HierarchicalBitmap::kNone; i = pool->marked.next(i + 1))
                visit(*pool->at(i));
    }
    void keep_marks(bool keep) { keeps_marks_ = keep; }
    void mark_urgent(ActorId id);
    std::vector<ActorId> drain_urgent();
    void set_remote_carrier(RemoteCarrier* carrier) { carrier_ = carrier; }

    // Time, in seconds of world time.
    double time() const { return time_; }
    std::uint64_t tick_number() const { return tick_number_; }
    float tick_seconds() const { return def_.tick_seconds; }
    void set_paused(bool paused) { paused_ = paused; }
    bool is_paused() const { return paused_; }
    Status set_time_scale(float scale);  // above 0, at most 100

    const WorldDef& def() const { return def_; }
    NetMode net_mode() const { return def_.net_mode; }
    Owner owner() const { return owner_; }
    Runtime& runtime() const { return runtime_; }
    void report_once(Name kind, std::string_view text);  // an error of this world, for who would say it in each tick
    GameInstance* game() const { return game_; }         // none for a preview
    const RandomSource& random() const { return random_; }
    Timers& timers() { return timers_; }
    Space& space() { return space_; }
    Levels& levels() { return levels_; }
    Movers& movers() { return movers_; }
    ActorTags& tags() { return tags_; }
    VariableLayer& variables() { return variables_; }
    Subsystems& subsystems() { return subsystems_; }
    const Timers& timers() const { return timers_; }
    const Space& space() const { return space_; }
    const Levels& levels() const { return levels_; }
    const Movers& movers() const { return movers_; }
    const ActorTags& tags() const { return tags_; }
    const VariableLayer& variables() const { return variables_; }
    const Subsystems& subsystems() const { return subsystems_; }
    template <class T> T* subsystem() const { return subsystems_.find<T>(); }

    // For those who call user code on behalf of the world's actors. While one stands what is destroyed is not found any
    // more but stays in memory; it ends when the outermost is over.
    class CallScope {
    public:
        explicit CallScope(World& world) : world_(world) { ++world_.depth_; }
        ~CallScope() {
            if (--world_.depth_ == 0 && (!world_.doomed_.empty() || world_.ending_)) world_.finish_phase();
        }
        CallScope(const CallScope&) = delete;
        CallScope& operator=(const CallScope&) = delete;

    private:
        World& world_;
    };

    Delegate<Actor&> actor_initialized;        // before its begin_play
    Delegate<Actor&, EndReason> actor_ending;  // before its end_play
    Delegate<Component&> component_registered;
    Delegate<Component&, EndReason> component_ending;
    // Of single actors, for those who care for a few among many: from watch(actor) on, as long as it lives.
    void watch(Actor& actor) { actor.flags_ |= Actor::kWatched; }
    Delegate<Component&> watched_component_registered;
    Delegate<Component&, EndReason> watched_component_ending;  // before its end_play; also one that never registered
    Delegate<Actor&, EndReason> watched_actor_ended;           // after its end_play and those of its components
    Delegate<Object&, std::uint64_t> marks_drained;            // each marked object, when its marks go
    Delegate<World&> ended;  // all its actors have gone; subsystems and timers go next

private:
    friend class Object;
    friend class Actor;
    friend class Component;
    friend class Timers;
    friend class Levels;
    friend class Movers;
    friend class Space;
    friend class ActorTags;
    friend class Subsystems;
    friend class RunningHash;
    struct IdEntry {
        Actor* actor = nullptr;  // null from the moment it is doomed
        std::uint32_t generation = 1;
        std::uint32_t next_free = 0;
    };
    struct Doomed {
        Actor* actor;          // null: the component has gone with its actor meanwhile
        Component* component;  // null: the whole actor
        EndReason reason;
    };

    Pool& pool_of(const Type& type);
    Pool* find_pool(const Type& type) const {  // null also for a type of another runtime
        Pool* pool = type.slot < pools_.size() ? pools_[type.slot].get() : nullptr;
        return pool != nullptr && &pool->type() == &type ? pool : nullptr;
    }
    template <class T> Result<const Type*> type_of() const;
    static bool is_up(const Object& object, const Pool& pool);
    void forget_type(const Type& type);
    Status prepare(const Type& type, Pool*& pool);
    Result<Actor*> make_actor(const Type& type, const SpawnDef& def, ActorId row_id);
    Status failed_to_make(const Type& type, Actor* actor, ActorId id, std::string_view what);
    void unmake(Actor& actor);
    bool is_unnoticed(const Actor& actor) const;
    bool is_unnoticed(const Component& component, const Pool& pool) const;
    void appear(Actor& actor);
    void vanish(Actor& actor);
    bool destroy_instance(const InstanceInfo& instance);
    Status bring_up(Actor& actor);
    void bring_up_steps(Actor& actor);
    Component* construct_component(Actor& actor, Pool& pool, Name name, std::uint8_t slot, Component*& last);
    void register_component(Component& component);
    void begin_actor(Actor& actor);
    void begin_component(Component& component);
    void set_ticking(Object& object, std::uint8_t& flags, LifeState life, bool enabled);
    void start_ticking(Object& object, Pool& pool, std::uint8_t flags);
    void doom(Actor& actor, EndReason reason);
    void doom(Component& component);
    void withdraw(Actor& actor, EndReason reason);
    void withdraw(Component& component);
    void finish_phase();
    void end_actor(Actor& actor, EndReason reason);
    void end_component(Component& component, EndReason reason);
    void unlink(Component& component);
    void make_sheet(Actor& actor);
    void drop_sheet(Actor& actor);
    void tick_by(float seconds);
    void count_up();
    void end_now();
    Actor* actor_at(std::uint32_t index) const {
        return index < kFirstRowIndex ? ids_[index].actor : levels_.actor_at(index);
    }
    ActorId take_id();
    void free_id(ActorId id);
    // Runs user code; what it throws is reported. False: it threw.
    template <class Call> bool guarded(const char* hook, ActorId subject, Call&& call);
    static ActorId id_of(const Object& object);  // of a component: its actor's
    void report_failure(ActorId subject, std::string_view text);
    void list_instances(const Type& type, std::vector<TypeUse>& uses);

    Runtime& runtime_;
    WorldDef def_;
    GameInstance* game_;
    Owner owner_;
    RandomSource random_;
    TraceWriter trace_;
    const WorldCounters& counters_;
    std::uint64_t counted_ticks_ = 0;
    std::uint64_t spawned_ = 0, counted_spawns_ = 0;
    BlockSource blocks_;
    std::vector<std::unique_ptr<Pool>> pools_;  // by Type::slot
    std::vector<Pool*> by_order_;               // by Type::order
    std::vector<Pool*> ticking_[kTickGroups];   // by Type::order
    std::vector<Pool*> running_;                // the group that runs now
    std::vector<IdEntry> ids_;
    std::uint32_t free_first_ = 0, free_last_ = 0;
    std::vector<Doomed> doomed_;
    ComponentSheets sheets_;
    std::vector<ActorId> urgent_;
    std::size_t actor_count_ = 0, component_count_ = 0;
    std::uint64_t next_serial_ = 1;
    std::uint32_t next_generation_ = 1;
    std::uint32_t depth_ = 0;
    double time_ = 0;
    float time_scale_ = 1;
    std::uint64_t tick_number_ = 0;
    bool begun_ = false, ending_ = false, ended_ = false, paused_ = false, keeps_marks_ = false;
    RemoteCarrier* carrier_ = nullptr;
    std::set<std::string, std::less<>> told_once_;

    Timers timers_;
    Space space_;
    Levels levels_;
    Movers movers_;
    ActorTags tags_;
    VariableLayer variables_;
    Subsystems subsystems_;
    Connection listing_, removing_;
};

// An actor that is made but not brought up. Dropping it without finish() unmakes it; nothing was called on it.
class [[nodiscard]] World::DeferredSpawn {
public:
    DeferredSpawn(DeferredSpawn&& other) noexcept : actor_(std::exchange(other.actor_, nullptr)) {}
    DeferredSpawn& operator=(DeferredSpawn&&) = delete;
    ~DeferredSpawn();

    Actor& actor() const { return *actor_; }
    Result<ActorId> finish();  // once

private:
    friend class World;
    explicit DeferredSpawn(Actor* actor) : actor_(actor) {}
    Actor* actor_;
};

template <class T> Result<const Type*> World::type_of() const {
    if (const Type* type = runtime_.types().find<T>()) return type;
    return Status::not_found("class {} is not registered: runtime.types().add<{}>()", type_name<T>(), type_name<T>());
}

template <class T> Result<ActorId> World::spawn(const SpawnDef& def) {
    auto type = type_of<T>();
    if (!type) return type.status();
    return spawn(**type, def);
}

template <class T> Result<World::DeferredSpawn> World::spawn_deferred(const SpawnDef& def) {
    auto type = type_of<T>();
    if (!type) return type.status();
    return spawn_deferred(**type, def);
}

template <class T, class Prepare> Result<ActorId> World::spawn(const SpawnDef& def, Prepare prepare) {
    auto made = spawn_deferred<T>(def);
    if (!made) return made.status();
    prepare(static_cast<T&>(made->actor()));
    return made->finish();
}

template <class T> T* World::find(ActorId id) const {
    Actor* actor = find(id);
    return actor == nullptr ? nullptr : actor->as<T>();
}

template <class Call> bool World::guarded(const char* hook, ActorId subject, Call&& call) {
    const CallScope scope(*this);
    try {
        call();
        return true;
    } catch (const HookThrew& error) {
        report_failure(subject, error.what());
    } catch (const std::exception& error) {
        report_failure(subject, fmt::format("{} threw: {}", hook, error.what()));
    } catch (...) {
        report_failure(subject, fmt::format("{} threw: an exception", hook));
    }
    return false;
}

}  // namespace lyre::inline world
