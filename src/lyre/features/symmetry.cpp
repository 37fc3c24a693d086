#include "lyre/features/symmetry.h"

#include <set>

#include "lyre/features/ledger.h"
#include "lyre/framework/component_manager.h"
#include "lyre/world/class_info.h"
#include "lyre/world/world_hash.h"

namespace lyre::features {
namespace {

// Without its id, so that two of a class can be compared.
std::string describe(World& world, const Actor& actor) {
    std::string text = fmt::format("{}, components", actor.type().name);
    for (Component* component = actor.first_component(); component != nullptr; component = component->next())
        if (!component->is_doomed()) text += fmt::format(" {} ({})", component->name(), component->type().name);
    text += ", tags";
    for (GameplayTag tag : world.tags().all(actor.id()))
        text += fmt::format(" {} x{}", tag, world.tags().count(actor.id(), tag));
    return text;
}

// Those of the process come and stay: the library listens from the first time it has a reason to.
template <class... Args> std::string owners_of(std::string_view what, const Delegate<Args...>& delegate) {
    std::string text;
    for (const Owner& owner : delegate.owners())
        if (owner != Owner::process()) text += fmt::format(" {}", owner.to_string());
    return text.empty() ? "" : fmt::format("{}:{}; ", what, text);
}

std::string listeners_of(World& world) {
    return owners_of("actor_initialized", world.actor_initialized) + owners_of("actor_ending", world.actor_ending) +
           owners_of("component_registered", world.component_registered) +
           owners_of("component_ending", world.component_ending) +
           owners_of("watched_component_registered", world.watched_component_registered) +
           owners_of("watched_component_ending", world.watched_component_ending) +
           owners_of("watched_actor_ended", world.watched_actor_ended) +
           owners_of("marks_drained", world.marks_drained) + owners_of("ended", world.ended) +
           owners_of("tags", world.tags().changed) + owners_of("tags at once", world.tags().at_once) +
           owners_of("variables", world.variables().changed());
}

// What is looked at with the actions on it.
class SymmetryCheck {
public:
    SymmetryCheck(const ActionServices& services, World& world, const std::vector<const GameFeatureAction*>& actions,
                  const std::function<void(World&)>& between)
        : services_(services), world_(world), between_(between) {
        for (const GameFeatureAction* action : actions) items_.push_back({action, items_.size(), "action"});
        std::set<Name> classes;
        for (ActorId id : world.actors())
            if (const Actor* actor = world.find(id); classes.insert(actor->type().name).second)
                classes_.push_back(actor->type().name);
    }

    Status run() {
        warm_up();
        ActionRun process(services_, subject(), items_, nullptr);
        return as_before("after unregistering", [&] {
            Status status = process.registering();
            if (status) status = process.loading();
            if (status) status = rounds();
            process.finish();
            return status;
        });
    }

private:
    // The first of a class makes room for it, and the first request makes the world known to the manager.
    void warm_up() {
        spawn_one_of_each();
        destroy_spawned();
        auto* manager = framework::ComponentManager::of(world_);
        if (manager == nullptr) return;
        framework::RequestOptions options;
        options.world = &world_;
        manager->add_component_request(framework::Selector("SymmetryCheck"), Name("Component"), std::move(options))
            .reset();
    }
    static ActionSubject subject() {
        return {Name("symmetry"), Owner::feature(Name("symmetry"), 1), "the check of symmetry"};
    }
    Status rounds() {
        Status status = round(
            "with the actors that are there", [] {}, [] {});
        if (status)
            status = round(
                "with actors spawned in between", [] {}, [&] { spawn_one_of_each(); });
        if (status)
            status = round(
                "with actors destroyed in between", [&] { spawn_one_of_each(); }, [&] { destroy_spawned(); });
        return status;
    }

    // `first` and `meanwhile` run before the actions come and while they are in force.
    template <class First, class Meanwhile> Status round(std::string_view how, First first, Meanwhile meanwhile) {
        return as_before(how, [&]() -> Status {
            first();
            ActionRun run(services_, subject(), items_, &world_);
            Status status = run.activate();
            if (status) {
                run.activated();
                settle();
                meanwhile();
                if (between_) between_(world_);
                settle();
            }
            run.finish();
            settle();
            const std::string strangers = compare_spawned(how);
            is_found_ = !strangers.empty();
            destroy_spawned();
            return is_found_ ? Status::failed("{}", strangers) : status;
        });
    }

    template <class Work> Status as_before(std::string_view how, Work work) {
        const WorldSnapshot before = snapshot();
        const Status status = work();
        if (world_.has_ended()) return Status::refused("{}: the world has ended", how);
        if (is_found_) return status;
        const std::string difference = compare(before, snapshot());
        is_found_ = !difference.empty();
        return is_found_ ? Status::failed("{}:\n{}", how, difference) : status;
    }

    // With what the actions' owner has anywhere.
    WorldSnapshot snapshot() const {
        WorldSnapshot all = take_snapshot(world_);
        std::string& text = all.things["ledger"];
        for (const LedgerEntry& entry : Ledger::list({services_, subject().owner}))
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", to_string(entry.kind), entry.id);
        return all;
    }

    // One that came while the actions were in force is like one that never saw them.
    std::string compare_spawned(std::string_view how) {
        std::string text;
        for (ActorId id : std::vector<ActorId>(spawned_)) {
            const Actor* actor = world_.find(id);
            if (actor == nullptr) continue;
            const std::string is = describe(world_, *actor);
            const auto other = world_.spawn(actor->type());
            if (!other) continue;
            spawned_.push_back(*other);
            const Actor* fresh = world_.find(*other);
            const std::string should = fresh != nullptr ? describe(world_, *fresh) : is;
            if (is != should) text += fmt::format("{}:\none that was spawned is {}, not {}\n", how, is, should);
        }
        return text;
    }

    void spawn_one_of_each() {
        for (Name name : classes_)
            if (const auto id = world_.spawn(name.text())) spawned_.push_back(*id);
        settle();
    }
    void destroy_spawned() {
        for (ActorId id : std::exchange(spawned_, {})) world_.destroy(id);
        settle();
    }
    void settle() {
        if (auto* manager = framework::ComponentManager::of(world_)) manager->settle();
    }

    const ActionServices& services_;
    World& world_;
    const std::function<void(World&)>& between_;
    std::vector<ActionItem> items_;
    std::vector<Name> classes_;
    std::vector<ActorId> spawned_;
    bool is_found_ = false;  // something that differs; the first is told
};

}  // namespace

WorldSnapshot take_snapshot(World& world) {
    WorldSnapshot snapshot;
    auto& things = snapshot.things;
    Runtime& runtime = world.runtime();
    things["world hash"] = fmt::format("{:016x}", world_hash(world));
    things["actors"] = fmt::format("{}", world.actor_count());
    things["components"] = fmt::format("{}", world.component_count());
    things["timers"] = fmt::format("{}", world.timers().count());
    things["levels"] = fmt::format("{}", world.levels().all().size());
    things["listeners"] = listeners_of(world);
    for (ActorId id : world.actors())
        if (const Actor* actor = world.find(id)) things[fmt::format("actor {}", id)] = describe(world, *actor);
    for (const VariableInfo& variable : runtime.variables().list()) {
        const auto seen = world.variables().describe(variable.name.text());
        things[fmt::format("variable {}", variable.name)] =
            fmt::format("{} ({})", format_value(seen->value), seen->origin.place);
    }
    things["tags declared"] = fmt::format("{}", runtime.tags().count());
    things["types"] = fmt::format("{}", runtime.types().all().size());
    if (auto* manager = framework::ComponentManager::of(world)) {
        things["extensions"] = manager->dump_extensions();
        things["init states"] = manager->dump_init_states();
        things["entries of extensions"] = fmt::format("{}", manager->table_sizes());
    }
    return snapshot;
}

std::string compare(const WorldSnapshot& before, const WorldSnapshot& after) {
    std::string text;
    std::set<std::string> names;
    for (const auto* snapshot : {&before, &after})
        for (const auto& [name, value] : snapshot->things) names.insert(name);
    const auto find = [](const WorldSnapshot& snapshot, const std::string& name) {
        const auto found = snapshot.things.find(name);
        return found == snapshot.things.end() ? std::string("not there") : fmt::format("\"{}\"", found->second);
    };
    for (const std::string& name : names)
        if (const std::string was = find(before, name), is = find(after, name); was != is)
            text += fmt::format("{}: was {}, is {}\n", name, was, is);
    return text;
}

Status check_symmetry(const ActionServices& services, World& world,
                      const std::vector<const GameFeatureAction*>& actions,
                      const std::function<void(World& world)>& between) {
    if (world.is_in_callback() || world.has_ended())
        return Status::refused("symmetry is checked in a world that goes on, outside of its callbacks");
    return SymmetryCheck(services, world, actions, between).run();
}

}  // namespace lyre::features
