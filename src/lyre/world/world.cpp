// In order: a world's life; actors; components; ticking; the way out; marks and time; pools. One file, because the way
// in and the way out of an actor must be read together.
#include "lyre/world/world.h"

#include <algorithm>
#include <climits>
#include <cmath>

#include "lyre/world/runtime.h"

namespace lyre::inline world {
namespace {

bool is_before(const Pool* a, const Pool* b) {
    return a->type().order < b->type().order;
}

void insert_by_order(std::vector<Pool*>& pools, Pool* pool) {
    pools.insert(std::upper_bound(pools.begin(), pools.end(), pool, is_before), pool);
}

// The components of an actor, for going through them backwards while the list changes.
struct ComponentList {
    explicit ComponentList(const Actor& actor) {
        for (Component* component = actor.first_component(); component != nullptr; component = component->next())
            all[count++] = component;
    }
    Component* all[World::kMaxComponents];
    std::size_t count = 0;
};

// How an actor ends that threw on its way into play: one of a row is a row again, to be tried once more.
EndReason reason_of_failure(const Actor& actor) {
    return actor.is_from_row() ? EndReason::Rested : EndReason::Destroyed;
}

// "begin_play of component health (Health) of #5.1 (Crate)"
std::string hook_of(std::string_view hook, const Object& object) {
    const Type& type = object.type();
    if (ClassInfo::of(type).is_actor)
        return fmt::format("{} of {} ({})", hook, static_cast<const Actor&>(object).id(), type.name);
    const auto& component = static_cast<const Component&>(object);
    const std::string its_class = component.name() == type.name ? "" : fmt::format(" ({})", type.name);
    return fmt::format("{} of component {}{} of {} ({})", hook, component.name(), its_class, component.actor().id(),
                       component.actor().type().name);
}

// A hook runs under its feature, or under the world if its class is nobody's feature. What it throws goes on as
// HookThrew.
template <class Hook, class... Args>
void call(std::string_view name, Hook hook, Object& object, const Pool& pool, Args... args) {
    if (hook == nullptr) return;
    const OwnerScope as(pool.owner());
    try {
        hook(pool.whole(&object), args...);
    } catch (const std::exception& error) {
        throw HookThrew(fmt::format("{} threw: {}", hook_of(name, object), error.what()));
    } catch (...) {
        throw HookThrew(fmt::format("{} threw: an exception", hook_of(name, object)));
    }
}

bool is_for(const SlotInfo& slot, const Type& type) {
    return std::any_of(type.lineage.begin(), type.lineage.end(),
                       [&](const Type* t) { return t->name == slot.class_name; });
}

// What user code threw, as a Status.
template <class Call> Status status_of(const char* what_for, const Type& type, Call&& call) {
    try {
        call();
        return Status::ok();
    } catch (const HookThrew& error) {
        return Status::failed("{}", error.what());
    } catch (const std::exception& error) {
        return Status::failed("{} of {} threw: {}", what_for, type.name, error.what());
    } catch (...) {
        return Status::failed("{} of {} threw: an exception", what_for, type.name);
    }
}

}  // namespace

std::string_view to_string(NetMode mode) {
    switch (mode) {
        case NetMode::Standalone:
            return "Standalone";
        case NetMode::DedicatedServer:
            return "DedicatedServer";
        case NetMode::ListenServer:
            return "ListenServer";
        case NetMode::Client:
            return "Client";
    }
    return "?";
}

World::World(Runtime& runtime, const WorldDef& def, GameInstance* game)
    : runtime_(runtime),
      def_(def),
      game_(game),
      owner_(Owner::world(def.name, runtime.next_world_serial())),
      random_(def.seed),
      trace_(runtime.trace().writer(def.name)),
      counters_(runtime.world_counters()),
      timers_(*this),
      space_(*this),
      levels_(*this),
      movers_(*this),
      tags_(*this),
      variables_(runtime.variables()),
      subsystems_(runtime, *this) {
    LYRE_ASSERT(def.tick_seconds > 0 && std::isfinite(def.tick_seconds), "a tick has a length above 0");
    ids_.emplace_back();  // index 0 is none
    const OwnerScope as(owner_);
    listing_ = runtime_.types().listing_instances.add(
        [this](const Type& type, std::vector<TypeUse>& uses) { list_instances(type, uses); });
    // Last of all who listen: they may still ask for the class.
    removing_ = runtime_.types().removing.add([this](const Type& type) { forget_type(type); }, INT_MAX);
    subsystems_.begin();
    runtime_.all_worlds_.push_back(this);
}

World::~World() {
    LYRE_ASSERT(depth_ == 0, "a world cannot be destroyed from inside its own callback: call end()");
    end();
    std::erase(runtime_.all_worlds_, this);
}

// Its life.

void World::begin_play() {
    if (begun_ || has_ended()) return;
    begun_ = true;
    static const Name kBeginPlay("world.begin_play");
    trace_.event(kBeginPlay, def_.name, "{} actors", actor_count_);
    const OwnerScope as(owner_);
    const CallScope scope(*this);
    for (ActorId id : actors()) {
        Actor* actor = find(id);
        if (actor == nullptr || actor->life_ != LifeState::Initialized) continue;
        if (!guarded("begin_play", id, [&] { begin_actor(*actor); })) destroy(id, reason_of_failure(*actor));
    }
    if (!has_ended()) guarded("world_begun", {}, [&] { runtime_.world_begun.broadcast_to_all(*this); });
}

void World::tick() {
    LYRE_ASSERT(def_.net_mode != NetMode::Client, "a client says how long its ticks are: tick(seconds)");
    tick_by(def_.tick_seconds);
}

void World::tick(float seconds) {
    LYRE_ASSERT(def_.net_mode == NetMode::Client, "ticks of a server or standalone world have a fixed length: tick()");
    if (seconds > 0 && std::isfinite(seconds)) tick_by(seconds);
}

void World::tick_by(float seconds) {
    LYRE_ASSERT(depth_ == 0, "a tick inside a tick: timers().next_tick() comes after it");
    if (has_ended()) return;
    const OwnerScope as(owner_);
    if (!paused_) {
        const float dt = seconds * time_scale_;
        time_ += static_cast<double>(dt);
        ++tick_number_;
        timers_.run(time_);
        const auto failed = [this](const Object* object, const std::string& what) {
            report_failure(object != nullptr ? id_of(*object) : ActorId(),
                           fmt::format("{} threw: {}", object != nullptr ? hook_of("tick", *object) : "tick", what));
        };
        for (std::size_t group = 0; group < kTickGroups && !has_ended(); ++group) {
            const CallScope scope(*this);
            if (group == static_cast<std::size_t>(TickGroup::Physics)) movers_.run(dt);
            running_.assign(ticking_[group].begin(), ticking_[group].end());
            for (std::size_t i = 0; i < running_.size() && !has_ended(); ++i)
                if (running_[i] != nullptr) {
                    const OwnerScope as_class(running_[i]->owner());
                    running_[i]->ticks.run(dt, time_, failed);
                }
            running_.clear();
        }
    }
    if (!keeps_marks_) {
        drain_marks({});
        drain_urgent();
    }
    count_up();
}

// Once per tick instead of at every spawn: the counters are shared by all worlds of the runtime.
void World::count_up() {
    counters_.ticks->add(tick_number_ - counted_ticks_);
    counters_.spawns->add(spawned_ - counted_spawns_);
    counted_ticks_ = tick_number_;
    counted_spawns_ = spawned_;
}

void World::end() {
    if (ended_) return;
    ending_ = true;
    if (depth_ == 0) end_now();
}

void World::end_now() {
    const OwnerScope as(owner_);
    const CallScope scope(*this);  // around all of it: nobody destroys the world meanwhile
    static const Name kEnd("world.end");
    trace_.event(kEnd, def_.name, "tick {}, {} actors", tick_number_, actor_count_);
    auto all = actors();
    for (auto id = all.rbegin(); id != all.rend(); ++id)
        if (Actor* actor = find(*id)) doom(*actor, EndReason::WorldEnded);
    ended_ = true;  // finishing the phase does not come back here
    finish_phase();
    guarded("ended", {}, [&] { ended.broadcast_to_all(*this); });
    guarded("world_ended", {}, [&] { runtime_.world_ended.broadcast_to_all(*this); });
    levels_.end();
    timers_.clear();
    subsystems_.end();
    urgent_.clear();
    // What callbacks of this world registered is the world's, and goes with it.
    runtime_.console().remove_all(owner_);
    runtime_.variables().remove_all(owner_);
    runtime_.metrics().remove_all(owner_);
    for (const Status& status : {runtime_.types().remove_all(owner_), runtime_.tags().undeclare_all(owner_)})
        if (!status.is_ok())
            runtime_.log().report(LogLevel::Warning, Name("world.left"), def_.name.text(), status.text());
    count_up();
}

// Actors.

Result<ActorId> World::spawn(std::string_view class_name, const SpawnDef& def) {
    auto type = runtime_.types().get(class_name);
    if (!type) return type.status();
    return spawn(**type, def);
}

Result<ActorId> World::spawn(const Type& type, const SpawnDef& def) {
    auto actor = make_actor(type, def, {});
    if (!actor) return actor.status();
    const ActorId id = (*actor)->id_;
    if (is_unnoticed(**actor)) {
        appear(**actor);
    } else if (Status status = bring_up(**actor); !status.is_ok()) {
        return status;
    }
    return id;
}

Result<World::DeferredSpawn> World::spawn_deferred(const Type& type, const SpawnDef& def) {
    auto actor = make_actor(type, def, {});
    if (!actor) return actor.status();
    return DeferredSpawn(*actor);
}

World::DeferredSpawn::~DeferredSpawn() {
    if (actor_ != nullptr) actor_->world().unmake(*actor_);
}

Result<ActorId> World::DeferredSpawn::finish() {
    LYRE_ASSERT(actor_ != nullptr, "finish() was called already");
    Actor& actor = *std::exchange(actor_, nullptr);
    const ActorId id = actor.id_;
    World& world = actor.world();
    if (world.has_ended()) {
        world.unmake(actor);
        return Status::refused("world {} has ended", world.def_.name);
    }
    if (Status status = world.bring_up(actor); !status.is_ok()) return status;
    return id;
}

// The actor and the components it is made with, constructed and nothing more.
Result<Actor*> World::make_actor(const Type& type, const SpawnDef& def, ActorId row_id) {
    if (has_ended()) return Status::refused("world {} has ended", def_.name);
    if (type.is_leaving) return Status::refused("class {} is being unregistered", type.name);
    if (is_too_deep()) return Status::capacity("{} spawned inside {} calls of each other", type.name, depth_);
    Pool* pool = find_pool(type);
    if (pool == nullptr || !pool->is_ready) {
        if (Status status = prepare(type, pool); !status.is_ok()) return status;
    }
    if (!pool->info().is_actor) return Status::invalid("{} is not an actor class", type.name);
    const Transform& at = def.transform;
    if (!is_finite(at)) return Status::invalid("{} cannot be spawned where a coordinate is not a number", type.name);
    const ActorId id = row_id ? row_id : take_id();
    if (!id) return Status::capacity("there are {} actors already", kMaxActors);

    const CallScope scope(*this);
    Actor* actor = nullptr;
    try {
        actor = static_cast<Actor*>(pool->make());
        ++actor_count_;
        actor->id_ = id;
        actor->position_ = at.position;
        actor->yaw_ = at.yaw;
        actor->scale_ = at.scale;
        actor->role_ = def.role;
        actor->serial_ = next_serial_++;
        ++spawned_;
        actor->flags_ = static_cast<std::uint8_t>(pool->start_flags | (row_id ? Actor::kFromRow : 0));
        Component* last = nullptr;
        for (const Pool::MadeSlot& slot : pool->made_slots)
            construct_component(*actor, *slot.pool, slot.name, slot.slot, last);
    } catch (const std::exception& error) {
        return failed_to_make(type, actor, id, error.what());
    } catch (...) {
        return failed_to_make(type, actor, id, "an exception");
    }
    if (!has_ended()) return actor;
    unmake(*actor);  // a constructor has ended the world
    return Status::refused("world {} has ended", def_.name);
}

Status World::failed_to_make(const Type& type, Actor* actor, ActorId id, std::string_view what) {
    if (actor != nullptr)
        unmake(*actor);
    else if (id.index < kFirstRowIndex)
        free_id(id);
    return Status::failed("construction of {} threw: {}", type.name, what);
}

// Takes an actor out of memory without calling anything of it but destructors, components newest first.
void World::unmake(Actor& actor) {
    const ComponentList components(actor);
    bool is_awaited = false;  // in doomed_, with a component that was removed by itself
    for (std::size_t i = components.count; i-- > 0;) {
        is_awaited = is_awaited || (components.all[i]->flags_ & Component::kRemoved) != 0;
        Pool::of(components.all[i]).unmake(components.all[i]);
    }
    component_count_ -= components.count;
    drop_sheet(actor);
    if (is_awaited)
        for (Doomed& doomed : doomed_)
            if (doomed.actor == &actor) doomed.actor = nullptr;
    const ActorId id = actor.id_;
    if (actor.is_from_row())
        levels_.actor_gone(id);
    else
        free_id(id);
    Pool::of(&actor).unmake(&actor);
    --actor_count_;
}

// Nobody would hear of this actor's coming and going: no hook of its class, no listener. Then most of both is skipped.
bool World::is_unnoticed(const Actor& actor) const {
    return Pool::of(&actor).is_quiet && (actor.flags_ & (Actor::kChanged | Actor::kFromRow | Actor::kWatched)) == 0 &&
           actor_initialized.count() == 0 && actor_ending.count() == 0 && component_registered.count() == 0 &&
           component_ending.count() == 0;
}

void World::appear(Actor& actor) {
    ids_[actor.id_.index].actor = &actor;
    actor.life_ = begun_ ? LifeState::Begun : LifeState::Initialized;
    for (Component* component = actor.first_; component != nullptr; component = component->next_)
        component->life_ = begun_ ? LifeState::Begun : LifeState::Registered;
    space_.add(actor);
}

void World::vanish(Actor& actor) {
    ids_[actor.id_.index].actor = nullptr;  // what a destructor or a timer's callback holds may come back here
    space_.remove(actor);
    timers_.cancel_all(actor.id_);
    tags_.forget(actor);
    unmake(actor);
}

Status World::bring_up(Actor& actor) {
    const CallScope scope(*this);
    const ActorId id = actor.id_;
    const Type& type = actor.type();
    Status status;
    try {
        bring_up_steps(actor);
        return status;
    } catch (const std::exception& error) {
        status = Status::failed("spawn of {} failed: {}", type.name, error.what());
    } catch (...) {
        status = Status::failed("spawn of {} failed: an exception", type.name);
    }
    // Unless it destroyed itself before it threw, it goes now: a failed spawn leaves nothing behind.
    if (find(id) == &actor) {
        withdraw(actor, reason_of_failure(actor));
        end_actor(actor, reason_of_failure(actor));
    }
    return status;
}

void World::bring_up_steps(Actor& actor) {
    const Pool& pool = Pool::of(&actor);
    const Hooks& hooks = pool.info().hooks;
    if (actor.is_from_row())
        levels_.actor_here(actor);
    else
        ids_[actor.id_.index].actor = &actor;
    call("pre_initialize", hooks.pre_initialize, actor, pool);
    actor.life_ = LifeState::PreInitialized;
    // Components added meanwhile are at the end of the list and have their turn.
    for (Component* component = actor.first_; component != nullptr && !actor.is_doomed(); component = component->next_)
        if (component->life_ == LifeState::Constructed && !component->is_doomed()) register_component(*component);
    if (actor.is_doomed()) return;
    actor.life_ = LifeState::Registered;
    call("initialized", hooks.initialized, actor, pool);
    if (actor.is_doomed()) return;
    actor.life_ = LifeState::Initialized;
    space_.add(actor);
    actor_initialized.broadcast(actor);
    // A listener may have begun the world's play, and with it this actor's.
    if (begun_ && !actor.is_doomed() && actor.life_ == LifeState::Initialized) begin_actor(actor);
}

void World::begin_actor(Actor& actor) {
    Pool& pool = Pool::of(&actor);
    if (actor.serial_ + 1 != next_serial_) actor.serial_ = next_serial_++;  // another was made before this one began
    start_ticking(actor, pool, actor.flags_);  // before the hook, which may set its interval
    call("begin_play", pool.info().hooks.begin_play, actor, pool);
    actor.life_ = LifeState::Begun;
    start_ticking(actor, pool, actor.flags_);  // if the hook switched it on
    for (Component* component = actor.first_; component != nullptr && !actor.is_doomed(); component = component->next_)
        begin_component(*component);
}

bool World::destroy(ActorId id, EndReason reason) {
    Actor* actor = find(id);
    if (actor == nullptr) return levels_.destroy_row(id, reason);
    if (depth_ == 0 && is_unnoticed(*actor))
        vanish(*actor);
    else
        doom(*actor, reason);
    return true;
}

Actor* World::find(ActorId id) const {
    if (id.index >= kFirstRowIndex) return levels_.find_actor(id);
    if (id.index >= ids_.size()) return nullptr;
    const IdEntry& entry = ids_[id.index];
    return entry.generation == id.generation ? entry.actor : nullptr;
}

std::vector<ActorId> World::actors() const {
    std::vector<const Actor*> all;
    for (Pool* pool : by_order_)
        if (pool->info().is_actor)
            pool->each([&](Object& object) {
                const Actor& actor = static_cast<const Actor&>(object);
                if (find(actor.id_) == &actor) all.push_back(&actor);
            });
    std::sort(all.begin(), all.end(), [](const Actor* a, const Actor* b) { return a->serial_ < b->serial_; });
    std::vector<ActorId> ids;
    ids.reserve(all.size());
    for (const Actor* actor : all) ids.push_back(actor->id_);
    return ids;
}

std::vector<InstanceInfo> World::instances(const Type& type, std::size_t max) const {
    std::vector<InstanceInfo> all;
    Pool* pool = find_pool(type);
    if (pool == nullptr) return all;
    all.reserve(pool->count());
    pool->each([&](Object& object) {
        if (pool->info().is_actor) {
            const Actor& actor = static_cast<const Actor&>(object);
            all.push_back({actor.id_, {}, actor.serial_});
        } else {
            const Component& component = static_cast<const Component&>(object);
            all.push_back({component.actor_->id_, component.name_, component.generation_});
        }
    });
    std::sort(all.begin(), all.end(), [](const InstanceInfo& a, const InstanceInfo& b) { return a.serial > b.serial; });
    if (all.size() > max) all.resize(max);
    return all;
}

std::size_t World::count_instances(const Type& type) const {
    const Pool* pool = find_pool(type);
    return pool == nullptr ? 0 : pool->count();
}

void World::destroy_instances(const Type& type) {
    LYRE_ASSERT(depth_ == 0, "destroy_instances inside a callback of the world: do it between two ticks");
    constexpr int kMaxRounds = 16;  // what ends may make others
    for (int round = 0; round < kMaxRounds; ++round) {
        bool is_any = false;
        for (const InstanceInfo& instance : instances(type)) is_any = destroy_instance(instance) || is_any;
        if (!is_any) return;
    }
}

void World::destroy_actors(const Type& type) {
    const CallScope scope(*this);
    std::vector<const Actor*> all;
    for (Pool* pool : by_order_)
        if (pool->info().is_actor && pool->type().is_a(type))
            pool->each([&](Object& object) { all.push_back(&static_cast<const Actor&>(object)); });
    std::sort(all.begin(), all.end(), [](const Actor* a, const Actor* b) { return a->serial_ > b->serial_; });
    for (const Actor* actor : all) destroy(actor->id());  // in the scope they stay in memory
}

// False: it has gone with another meanwhile, or cannot be found (yet).
bool World::destroy_instance(const InstanceInfo& instance) {
    Actor* actor = find(instance.actor);
    if (actor == nullptr) return false;
    if (!instance.component) return destroy(instance.actor);
    for (Component* component = actor->first_; component != nullptr; component = component->next_)
        if (component->generation_ == instance.serial && !component->is_doomed())
            return remove_component(*component).is_ok();
    return false;
}

bool World::is_up(const Object& object, const Pool& pool) {
    if (pool.info().is_actor) {
        const LifeState life = static_cast<const Actor&>(object).life();
        return life >= LifeState::Initialized && life != LifeState::Doomed;
    }
    const LifeState life = static_cast<const Component&>(object).life();
    return life >= LifeState::Registered && life != LifeState::Doomed;
}

ActorId World::take_id() {
    std::uint32_t index = free_first_;
    if (index != 0) {
        free_first_ = ids_[index].next_free;
        if (free_first_ == 0) free_last_ = 0;
    } else {
        if (ids_.size() > kMaxActors) return {};
        index = static_cast<std::uint32_t>(ids_.size());
        ids_.emplace_back();
    }
    return {index, ids_[index].generation};
}

// The index freed longest ago is used next, so that a generation lasts as long as possible.
void World::free_id(ActorId id) {
    IdEntry& entry = ids_[id.index];
    entry.actor = nullptr;
    if (++entry.generation == 0) entry.generation = 1;
    entry.next_free = 0;
    (free_last_ != 0 ? ids_[free_last_].next_free : free_first_) = id.index;
    free_last_ = id.index;
}

// Components.

Component* World::construct_component(Actor& actor, Pool& pool, Name name, std::uint8_t slot, Component*& last) {
    auto* component = static_cast<Component*>(pool.make());
    ++component_count_;
    component->actor_ = &actor;
    component->name_ = name;
    component->generation_ = next_generation_++;
    component->slot_ = slot;
    component->flags_ = pool.start_flags;
    (last == nullptr ? actor.first_ : last->next_) = component;
    last = component;
    if (actor.sheet_ != 0) {
        ComponentSheets::Sheet& sheet = sheets_.at(actor.sheet_);
        sheet.last = component;
        ++sheet.count;
        sheet.add(name);
    }
    return component;
}

void World::make_sheet(Actor& actor) {
    actor.sheet_ = sheets_.add();
    ComponentSheets::Sheet& sheet = sheets_.at(actor.sheet_);
    for (Component* component = actor.first_; component != nullptr; component = component->next_) {
        sheet.last = component;
        ++sheet.count;
        if (!component->is_doomed()) sheet.add(component->name_);
    }
}

void World::drop_sheet(Actor& actor) {
    if (actor.sheet_ != 0) sheets_.remove(std::exchange(actor.sheet_, 0));
}

void World::register_component(Component& component) {
    const Pool& pool = Pool::of(&component);
    call("registered", pool.info().hooks.registered, component, pool);
    component.life_ = LifeState::Registered;
    if (pool.info().mover != nullptr && !component.is_doomed()) movers_.add(component, *pool.info().mover);
    component_registered.broadcast(component);
    if ((component.actor_->flags_ & Actor::kWatched) != 0) watched_component_registered.broadcast(component);
}

// As of an actor: nobody would hear that it comes.
bool World::is_unnoticed(const Component& component, const Pool& pool) const {
    return pool.is_quiet && component_registered.count() == 0 &&
           ((component.actor_->flags_ & Actor::kWatched) == 0 || watched_component_registered.count() == 0);
}

void World::begin_component(Component& component) {
    if (component.life_ != LifeState::Registered || component.is_doomed() || (component.flags_ & Component::kHeld) != 0)
        return;
    Pool& pool = Pool::of(&component);
    start_ticking(component, pool, component.flags_);
    call("begin_play", pool.info().hooks.begin_play, component, pool);
    component.life_ = LifeState::Begun;
    start_ticking(component, pool, component.flags_);
}

Result<Component*> World::add_component(Actor& actor, const Type& type, Name name, Belongs belongs) {
    if (actor.is_doomed() || has_ended()) return Status::refused("{} is on its way out", actor.id_);
    Pool* pool = find_pool(type);
    const ClassInfo* info = pool != nullptr ? &pool->info() : ClassInfo::find(type);
    if (info == nullptr || info->is_actor) return Status::invalid("{} is not a component class", type.name);
    if (type.is_leaving) return Status::refused("class {} is being unregistered", type.name);
    if (Status status = info->may_be_on(type, Pool::of(&actor).type()); !status.is_ok()) return status;
    if (pool == nullptr || !pool->is_ready) {
        if (Status status = prepare(type, pool); !status.is_ok()) return status;
    }
    // A free slot of the class that is meant for such a component gives it its number and, unless told, its name.
    std::uint8_t slot = Component::kNoSlot;
    const auto& slots = Pool::of(&actor).info().slots;
    for (std::size_t i = 0; i < slots.size() && slot == Component::kNoSlot; ++i)
        if ((!name || slots[i].name == name) && is_for(slots[i], type) &&
            actor.find_component(slots[i].name) == nullptr)
            slot = static_cast<std::uint8_t>(i);
    if (!name) name = slot != Component::kNoSlot ? slots[slot].name : type.name;
    std::size_t count = 0;
    Component* last = nullptr;
    bool is_taken = false;
    if (actor.sheet_ == 0)
        for (Component* other = actor.first_; other != nullptr; last = other, other = other->next_, ++count)
            is_taken = is_taken || (other->name_ == name && !other->is_doomed());
    if (count >= ComponentSheets::kMany) make_sheet(actor);
    if (actor.sheet_ != 0) {
        const ComponentSheets::Sheet& sheet = sheets_.at(actor.sheet_);
        count = sheet.count;
        last = sheet.last;
        is_taken = sheet.has(name);
    }
    if (is_taken) return Status::exists("{} has a component {} already", actor.id_, name);
    if (count >= kMaxComponents) return Status::capacity("{} has {} components already", actor.id_, count);

    const CallScope scope(*this);
    Component* component = nullptr;
    const auto construct = [&] { component = construct_component(actor, *pool, name, slot, last); };
    if (Status status = status_of("construction", type, construct); !status.is_ok()) return status;
    if (belongs == Belongs::ToGuest) component->flags_ |= Component::kGuest;
    actor.flags_ |= Actor::kChanged;
    if (actor.life_ < LifeState::Registered) return component;  // its turn comes with the others
    if (is_unnoticed(*component, *pool)) {
        const bool begins = actor.life_ == LifeState::Begun && !actor.is_doomed() && !component->is_doomed();
        component->life_ = begins ? LifeState::Begun : LifeState::Registered;
        return component;
    }
    const Status status = status_of("registered or begin_play", type, [&] {
        register_component(*component);
        if (actor.life_ == LifeState::Begun && !actor.is_doomed()) begin_component(*component);
    });
    if (status.is_ok()) return component;
    if (!component->is_doomed() && !actor.is_doomed()) doom(*component);
    return status;
}

Status World::remove_component(Component& component) {
    if (component.is_doomed() || component.actor_->is_doomed())
        return Status::refused("component {} is on its way out", component.name_);
    doom(component);
    return Status::ok();
}

Status World::hold_begin_play(Component& component) {
    if (def_.net_mode != NetMode::Client) return Status::refused("only a client world holds begin_play back");
    if (component.life_ == LifeState::Begun) return Status::refused("component {} has begun play", component.name_);
    component.flags_ |= Component::kHeld;
    return Status::ok();
}

Status World::release_begin_play(Component& component) {
    if ((component.flags_ & Component::kHeld) == 0)
        return Status::refused("begin_play of {} is not held back", component.name_);
    component.flags_ &= static_cast<std::uint8_t>(~Component::kHeld);
    Actor& actor = *component.actor_;
    if (actor.life_ != LifeState::Begun || actor.is_doomed()) return Status::ok();
    const CallScope scope(*this);
    const Status status = status_of("begin_play", component.type(), [&] { begin_component(component); });
    if (!status.is_ok() && !component.is_doomed()) doom(component);
    return status;
}

void World::unlink(Component& component) {
    Actor& actor = *component.actor_;
    Component* before = nullptr;
    for (Component* other = actor.first_; other != &component; other = other->next_) before = other;
    (before == nullptr ? actor.first_ : before->next_) = component.next_;
    if (actor.sheet_ == 0) return;
    ComponentSheets::Sheet& sheet = sheets_.at(actor.sheet_);
    if (sheet.last == &component) sheet.last = before;
    if (--sheet.count <= ComponentSheets::kFew) drop_sheet(actor);
}

// Ticking.

void World::set_ticking(Object& object, std::uint8_t& flags, LifeState life, bool enabled) {
    static_assert(static_cast<int>(Actor::kTicks) == static_cast<int>(Component::kTicks));
    Pool& pool = Pool::of(&object);
    if (pool.info().hooks.tick == nullptr || (flags & Actor::kDoomed) != 0) return;
    flags = static_cast<std::uint8_t>(enabled ? flags | Actor::kTicks : flags & ~Actor::kTicks);
    if (!enabled)
        pool.ticks.remove(&object);
    else if (life == LifeState::Begun)
        start_ticking(object, pool, flags);
}

void World::start_ticking(Object& object, Pool& pool, std::uint8_t flags) {
    static_assert(static_cast<int>(Actor::kDoomed) == static_cast<int>(Component::kDoomed));
    if ((flags & (Actor::kTicks | Actor::kDoomed)) == Actor::kTicks)
        pool.ticks.add(&object, pool.info().tick_interval, time_);
}

// The way out. Two halves: withdrawn at once, so that nobody finds it; ended when the phase is over.

void World::doom(Actor& actor, EndReason reason) {
    withdraw(actor, reason);
    doomed_.push_back({&actor, nullptr, reason});
    if (depth_ == 0) finish_phase();
}

void World::doom(Component& component) {
    withdraw(component);
    component.flags_ |= Component::kRemoved;
    component.actor_->flags_ |= Actor::kChanged;
    doomed_.push_back({component.actor_, &component, EndReason::Removed});
    timers_.cancel_all(component);  // those of an actor's go with the actor's
    if (depth_ == 0) finish_phase();
}

void World::withdraw(Actor& actor, EndReason reason) {
    actor.flags_ |= Actor::kDoomed;
    if (actor.is_from_row())
        levels_.actor_leaves(actor, reason);
    else
        ids_[actor.id_.index].actor = nullptr;
    Pool::of(&actor).ticks.remove(&actor);
    if (actor.sheet_ != 0) sheets_.at(actor.sheet_).forget_all();
    for (Component* component = actor.first_; component != nullptr; component = component->next_) withdraw(*component);
    space_.remove(actor);
    timers_.cancel_all(actor.id_);
}

void World::withdraw(Component& component) {
    Pool& pool = Pool::of(&component);
    pool.ticks.remove(&component);
    if (pool.info().mover != nullptr) movers_.remove(component);
    component.flags_ |= Component::kDoomed;
    if (const std::uint32_t sheet = component.actor_->sheet_; sheet != 0) sheets_.at(sheet).forget(component.name_);
}

void World::finish_phase() {
    ++depth_;
    for (std::size_t i = 0; i < doomed_.size(); ++i) {  // ending one may doom others
        const Doomed doomed = doomed_[i];
        if (doomed.actor == nullptr) continue;
        if (doomed.component != nullptr) {
            end_component(*doomed.component, doomed.reason);
            unlink(*doomed.component);
            Pool::of(doomed.component).unmake(doomed.component);
            --component_count_;
            continue;
        }
        end_actor(*doomed.actor, doomed.reason);
    }
    doomed_.clear();
    --depth_;
    if (ending_ && !ended_ && depth_ == 0) end_now();
}

void World::end_actor(Actor& actor, EndReason reason) {
    const Pool& pool = Pool::of(&actor);
    const ActorId id = actor.id_;
    if (actor.life_ >= LifeState::Initialized && actor_ending.count() > 0)
        guarded("actor_ending", id, [&] { actor_ending.broadcast_to_all(actor, reason); });
    const ComponentList components(actor);
    for (std::size_t i = components.count; i-- > 0;) end_component(*components.all[i], reason);
    if (actor.life_ >= LifeState::PreInitialized && pool.info().hooks.end_play != nullptr)
        guarded("end_play", id, [&] { call("end_play", pool.info().hooks.end_play, actor, pool, reason); });
    if ((actor.flags_ & Actor::kWatched) != 0)
        guarded("watched_actor_ended", id, [&] { watched_actor_ended.broadcast_to_all(actor, reason); });
    tags_.forget(actor);
    movers_.forget(actor);
    unmake(actor);
}

void World::end_component(Component& component, EndReason reason) {
    const Pool& pool = Pool::of(&component);
    const ActorId id = component.actor_->id_;
    if ((component.actor_->flags_ & Actor::kWatched) != 0 && watched_component_ending.count() > 0)
        guarded("watched_component_ending", id, [&] { watched_component_ending.broadcast_to_all(component, reason); });
    if (component.life_ < LifeState::Registered) return;
    if (component_ending.count() > 0)
        guarded("component_ending", id, [&] { component_ending.broadcast_to_all(component, reason); });
    if (pool.info().hooks.end_play != nullptr)
        guarded("end_play", id, [&] { call("end_play", pool.info().hooks.end_play, component, pool, reason); });
}

ActorId World::id_of(const Object& object) {
    return Pool::of(&object).info().is_actor ? static_cast<const Actor&>(object).id()
                                             : static_cast<const Component&>(object).actor().id();
}

void World::report_failure(ActorId subject, std::string_view text) {
    counters_.failures->add();
    runtime_.log().report(LogLevel::Error, Name("world.callback"), fmt::format("{} in {}", subject, def_.name), text);
}

void World::report_once(Name kind, std::string_view text) {
    if (told_once_.size() < kMaxToldOnce && told_once_.emplace(text).second)
        runtime_.log().report(LogLevel::Error, kind, def_.name.text(), text);
}

// Marks and time.

void World::drain_marks(const std::function<void(Object&, std::uint64_t)>& visit) {
    const CallScope scope(*this);  // what is shown may be destroyed by who sees it first
    for (std::size_t p = 0; p < by_order_.size(); ++p) {
        Pool& pool = *by_order_[p];
        for (std::uint32_t i = pool.marked.first(); i != HierarchicalBitmap::kNone; i = pool.marked.next(i + 1)) {
            Object& object = *pool.at(i);
            pool.marked.reset(i);
            const std::uint64_t marks = std::exchange(object.marks_, 0);
            if (visit) visit(object, marks);
            if (marks_drained.count() > 0)
                guarded("marks_drained", id_of(object), [&] { marks_drained.broadcast_to_all(object, marks); });
        }
    }
}

void World::mark_urgent(ActorId id) {
    Actor* actor = find(id);
    if (actor == nullptr || (actor->flags_ & Actor::kUrgent) != 0) return;
    actor->flags_ |= Actor::kUrgent;
    urgent_.push_back(id);
}

std::vector<ActorId> World::drain_urgent() {
    auto drained = std::exchange(urgent_, {});
    std::erase_if(drained, [&](ActorId id) {
        Actor* actor = find(id);
        if (actor != nullptr) actor->flags_ &= static_cast<std::uint8_t>(~Actor::kUrgent);
        return actor == nullptr;
    });
    return drained;
}

Status World::set_time_scale(float scale) {
    if (!(scale > 0 && scale <= 100)) return Status::invalid("a time scale is above 0 and at most 100");
    time_scale_ = scale;
    return Status::ok();
}

// Pools.

Status World::prepare(const Type& type, Pool*& pool) {
    const ClassInfo* info = ClassInfo::find(type);
    if (info == nullptr) return Status::invalid("{} is neither an actor nor a component class", type.name);
    if (!ClassInfo::can_be_made(type))
        return Status::invalid("class {} cannot be made: it is abstract or has no default constructor", type.name);
    if (runtime_.types().find(type.name) != &type)
        return Status::not_found("class {} is not registered any more", type.name);
    if (info->is_actor) {
        if (Status status = tags_.check_class(type); !status.is_ok()) return status;
        tags_.of_class(type);
    }
    pool = &pool_of(type);
    pool->made_slots.clear();
    pool->is_quiet = info->is_quiet();
    for (std::size_t i = 0; i < info->slots.size(); ++i) {
        const SlotInfo& slot = info->slots[i];
        if (!slot.is_made) continue;
        auto component = runtime_.types().get(slot.class_name.text());
        if (!component)
            return Status::not_found("component {} of {}: {}", slot.name, type.name, component.status().text());
        const ClassInfo* component_info = ClassInfo::find(**component);
        if (component_info == nullptr || component_info->is_actor || !ClassInfo::can_be_made(**component))
            return Status::invalid("component {} of {}: {} is not a component that can be made", slot.name, type.name,
                                   slot.class_name);
        if (Status status = component_info->may_be_on(**component, type); !status.is_ok())
            return Status::invalid("component {} of {}: {}", slot.name, type.name, status.text());
        pool->made_slots.push_back({slot.name, static_cast<std::uint8_t>(i), &pool_of(**component)});
        pool->is_quiet = pool->is_quiet && component_info->is_quiet();
    }
    pool->is_ready = true;
    return Status::ok();
}

Pool& World::pool_of(const Type& type) {
    if (Pool* known = find_pool(type)) return *known;
    if (type.slot >= pools_.size()) pools_.resize(type.slot + 1);
    pools_[type.slot] = std::make_unique<Pool>(*this, owner_, type, blocks_);
    Pool* pool = pools_[type.slot].get();
    pool->start_flags = pool->info().starts_ticking && pool->info().hooks.tick != nullptr ? Actor::kTicks : 0;
    insert_by_order(by_order_, pool);
    if (pool->info().hooks.tick != nullptr)
        insert_by_order(ticking_[static_cast<std::size_t>(pool->info().tick_group)], pool);
    return *pool;
}

void World::forget_type(const Type& type) {
    tags_.forget(type);
    Pool* gone = find_pool(type);
    if (gone == nullptr) return;
    std::erase(by_order_, gone);
    for (auto& group : ticking_) std::erase(group, gone);
    std::replace(running_.begin(), running_.end(), gone, static_cast<Pool*>(nullptr));
    for (Pool* pool : by_order_) pool->is_ready = false;  // their slots may have meant this class
    pools_[type.slot].reset();
}

void World::list_instances(const Type& type, std::vector<TypeUse>& uses) {
    levels_.list_instances(type, uses);
    Pool* pool = find_pool(type);
    if (pool == nullptr) return;
    pool->each([&](Object& object) {
        if (uses.size() > TypeRegistry::kMaxListed) return;
        if (pool->info().is_actor) {
            uses.push_back(
                {fmt::format("actor {} in {}", static_cast<Actor&>(object).id(), owner_.to_string()), owner_});
        } else {
            const Component& component = static_cast<Component&>(object);
            uses.push_back({fmt::format("component {} of actor {} in {}", component.name(), component.actor().id(),
                                        owner_.to_string()),
                            owner_});
        }
    });
}

}  // namespace lyre::inline world
