#include "lyre/features/ledger.h"

#include <algorithm>

#include "lyre/core/subscriptions.h"
#include "lyre/framework/component_manager.h"
#include "lyre/world/game_instance.h"
#include "lyre/world/subsystem.h"

namespace lyre::features {
namespace {

struct Found {
    LedgerEntry entry;
    const World* world = nullptr;
    std::function<Status()> remove;  // called when the search is over; empty: it is declared, or an instance
};

// Kinds that a feature's registration brings and takes back itself.
bool is_declared(LedgerKind kind) {
    switch (kind) {
        case LedgerKind::Type:
        case LedgerKind::Subsystem:
        case LedgerKind::ActionKind:
        case LedgerKind::ContentType:
        case LedgerKind::Root:
        case LedgerKind::Tag:
        case LedgerKind::Variable:
        case LedgerKind::Handler:
        case LedgerKind::Function:
        case LedgerKind::Metric:
            return true;
        default:
            return false;
    }
}

Status gone(bool was_there) {
    return was_there ? Status::ok() : Status::not_found("it has gone already");
}

class Search {
public:
    explicit Search(const LedgerQuery& query) : query_(query), runtime_(query.services.runtime) {}

    std::vector<Found> run() {
        if (!query_.leftovers_only || query_.with_instances) types();
        if (!query_.leftovers_only) declarations();
        if (asks_for_process()) {
            holds();
            commands();
        }
        extensions();
        worlds();
        for (const SubscriptionInfo& info : subscriptions_of(query_.owner))
            add(LedgerKind::Subscription, info.what, info.place, info.registered, nullptr,
                [n = info.registered] { return gone(remove_subscription(n)); });
        std::stable_sort(found_.begin(), found_.end(),
                         [](const Found& a, const Found& b) { return a.entry.number < b.entry.number; });
        return std::move(found_);
    }

private:
    // What is of no world by itself is found by who asks for one world, or for hooks, only if a hook registered it.
    bool asks_for_process() const {
        return (query_.only_world == nullptr && !query_.only_runs) ||
               std::any_of(query_.runs.begin(), query_.runs.end(),
                           [](const ActionRun* run) { return run->has_registered(); });
    }
    void add(LedgerKind kind, std::string id, std::string place, std::uint64_t number, const World* world,
             std::function<Status()> remove = {}) {
        Found one;
        one.entry.kind = kind;
        one.entry.id = std::move(id);
        one.entry.place = std::move(place);
        one.entry.number = static_cast<std::int64_t>(number);
        one.world = world;
        one.remove = std::move(remove);
        const bool is_located = locate(one, number);
        if (query_.only_runs && !is_located) return;
        if (number < query_.from || number >= query_.until) return;
        if (query_.only_world != nullptr && one.world != query_.only_world) return;
        if (query_.leftovers_only && is_declared(kind)) return;
        if (query_.without_roots && kind == LedgerKind::Root) return;
        if (one.world != nullptr) one.entry.world = std::string(one.world->def().name.text());
        found_.push_back(std::move(one));
    }

    // The hook it was registered in says where and when; what came between hooks came after the last one before it.
    bool locate(Found& one, std::uint64_t number) const {
        const HookSpan* before = nullptr;
        for (const ActionRun* run : query_.runs)
            for (const HookSpan& span : run->spans()) {
                if (number >= span.first && number < span.last) {
                    if (one.entry.place.empty() || one.entry.kind == LedgerKind::Subscription ||
                        one.entry.kind == LedgerKind::Timer)
                        one.entry.place +=
                            fmt::format("{}{}", one.entry.place.empty() ? "" : ", ", run->place_of(span));
                    one.entry.since_us = span.at_us;
                    if (one.world == nullptr) one.world = run->world();
                    return true;
                }
                if (span.last <= number && (before == nullptr || span.last > before->last)) before = &span;
            }
        if (before != nullptr && one.entry.since_us == 0) one.entry.since_us = before->at_us;
        return false;
    }

    void types() {
        for (const Type* type : runtime_.types().owned_by(query_.owner)) {
            const bool is_subsystem = dynamic_cast<const SubsystemInfo*>(type->extension.get()) != nullptr;
            const Type* action = runtime_.types().find<GameFeatureAction>();
            const bool is_action = action != nullptr && type->is_a(*action);
            add(is_subsystem ? LedgerKind::Subsystem
                : is_action  ? LedgerKind::ActionKind
                             : LedgerKind::Type,
                std::string(type->name.text()), type->place, type->registered, nullptr);
            if (query_.with_instances) instances(*type);
        }
    }
    void instances(const Type& type) {
        for (World* world : runtime_.worlds()) {
            const std::size_t count = world->count_instances(type);
            for (const InstanceInfo& one : world->instances(type, Ledger::kMaxInstances))
                add(LedgerKind::Instance,
                    one.component ? fmt::format("{} {} of {}", type.name, one.component, one.actor)
                                  : fmt::format("{} {}", type.name, one.actor),
                    "", type.registered, world);
            if (count > Ledger::kMaxInstances)
                add(LedgerKind::Instance, fmt::format("and {} more of {}", count - Ledger::kMaxInstances, type.name),
                    "", type.registered, world);
        }
    }
    // Nothing of this is ever left over: is_declared().
    void declarations() {
        assets::Assets& assets = query_.services.assets;
        for (const assets::ContentType* type : assets.types().all())
            if (type->owner == query_.owner)
                add(LedgerKind::ContentType, std::string(type->name.text()), type->place, type->registered, nullptr);
        for (assets::RootId id : assets.registry().roots())
            if (const assets::AssetRoot* root = assets.registry().root(id); root->owner == query_.owner)
                add(LedgerKind::Root, root->what, "", root->registered, nullptr);
        for (const TagDeclaration& tag : runtime_.tags().declarations(query_.owner))
            add(LedgerKind::Tag, std::string(tag.tag.text()), "", tag.registered, nullptr);
        for (const VariableInfo& variable : runtime_.variables().list(query_.owner))
            add(LedgerKind::Variable, std::string(variable.name.text()), "", variable.registered, nullptr);
        for (const MetricInfo& metric : runtime_.metrics().list(query_.owner))
            add(LedgerKind::Metric, std::string(metric.name.text()), "", metric.registered, nullptr);
        for (const NamedCodeInfo& info : query_.services.code.list(query_.owner))
            add(info.kind == CodeKind::Handler ? LedgerKind::Handler : LedgerKind::Function,
                std::string(info.name.text()), info.place, info.registered, nullptr);
    }
    void holds() {
        assets::Assets& assets = query_.services.assets;
        for (const assets::AssetHoldInfo& hold : assets.holds_of(query_.owner))
            add(LedgerKind::Asset, hold.text, "", hold.registered, nullptr,
                [&assets, n = hold.registered] { return gone(assets.release_hold(n)); });
    }
    void commands() {
        for (const CommandInfo& command : runtime_.console().commands(query_.owner))
            add(LedgerKind::ConsoleCommand, std::string(command.name.text()), "", command.registered, nullptr,
                [&console = runtime_.console(), name = std::string(command.name.text())] {
                    return console.remove(name);
                });
    }
    void extensions() {
        using Kind = framework::ExtensionInfo::Kind;
        for (GameInstance* game : runtime_.games()) {
            auto* manager = game->subsystems().find<framework::ComponentManager>();
            if (manager == nullptr) continue;
            for (const framework::ExtensionInfo& info : manager->extensions_of(query_.owner)) {
                if (goes_with_instance(info.world, info.actor)) continue;
                const LedgerKind kind = info.kind == Kind::Request     ? LedgerKind::ComponentRequest
                                        : info.kind == Kind::Handler   ? LedgerKind::ExtensionHandler
                                        : info.kind == Kind::Predicate ? LedgerKind::Predicate
                                                                       : LedgerKind::StickyEvent;
                add(kind, info.text, info.place, info.registered, info.world,
                    [manager, n = info.registered] { return gone(manager->remove_extension(n)); });
            }
            for (const framework::InitInfo& info : manager->init_entries_of(query_.owner)) {
                if (goes_with_instance(info.world, info.actor)) continue;
                add(info.kind == framework::InitInfo::Kind::Need ? LedgerKind::InitNeed : LedgerKind::InitListener,
                    info.text, info.place, info.registered, info.world,
                    [manager, n = info.registered] { return gone(manager->remove_init_entry(n)); });
            }
        }
    }
    // What an actor of its own classes has said about itself is not left behind: it goes when the actor does.
    bool goes_with_instance(const World* world, ActorId id) const {
        const Actor* actor = query_.leftovers_only && world != nullptr ? world->find(id) : nullptr;
        return actor != nullptr && actor->type().owner == query_.owner;
    }
    void worlds() {
        for (World* world : runtime_.worlds())
            for (const TimerInfo& timer : world->timers().list(query_.owner))
                add(LedgerKind::Timer, fmt::format("in {:.3g} s", timer.remaining), timer.place, timer.registered, world,
                    [world, id = timer.id] { return gone(world->timers().cancel(id)); });
    }

    const LedgerQuery& query_;
    Runtime& runtime_;
    std::vector<Found> found_;
};

}  // namespace

std::string_view to_string(LedgerKind kind) {
    constexpr std::string_view kNames[] = {"type",      "subsystem",    "action kind",       "content type",
                                           "root",      "tag",          "variable",          "console command",
                                           "handler",   "function",     "extension handler", "component request",
                                           "predicate", "sticky event", "init listener",     "init need",
                                           "asset",     "timer",        "subscription",      "metric",
                                           "observer",  "instance"};
    return kNames[static_cast<std::size_t>(kind)];
}

void describe(EnumBuilder<LedgerKind>& e) {
    for (auto kind = LedgerKind::Type; kind <= LedgerKind::Instance;
         kind = static_cast<LedgerKind>(static_cast<int>(kind) + 1)) {
        std::string name(to_string(kind));
        std::replace(name.begin(), name.end(), ' ', '_');
        e.value(name, kind);
    }
}

void LedgerEntry::describe(TypeBuilder<LedgerEntry>& t) {
    t.help("something a feature has registered");
    t.property("kind", &LedgerEntry::kind);
    t.property("id", &LedgerEntry::id);
    t.property("place", &LedgerEntry::place);
    t.property("world", &LedgerEntry::world);
    t.property("since_us", &LedgerEntry::since_us);
    t.property("number", &LedgerEntry::number);
}

std::vector<LedgerEntry> Ledger::list(const LedgerQuery& query) {
    std::vector<LedgerEntry> entries;
    for (Found& found : Search(query).run()) entries.push_back(std::move(found.entry));
    return entries;
}

// Each removal may run code that removes others: those are then gone, which is as good.
void Ledger::remove_leftovers(const LedgerQuery& query,
                              const std::function<void(const LedgerEntry&, const Status&)>& told) {
    LedgerQuery asked = query;
    asked.leftovers_only = true;
    asked.with_instances = false;
    std::vector<Found> all = Search(asked).run();
    for (auto found = all.rbegin(); found != all.rend(); ++found) {
        const Status status = found->remove();
        if (status.code() != StatusCode::NotFound) told(found->entry, status);
    }
}

std::vector<Status> Ledger::remove_declared(const ActionServices& services, const Owner& owner) {
    std::vector<Status> refused;
    for (const NamedCodeInfo& info : services.code.list(owner)) {
        const OwnerScope as(owner);
        refused.push_back(services.code.remove(info.kind, info.name));
    }
    Runtime& runtime = services.runtime;
    refused.push_back(runtime.types().remove_all(owner));
    refused.push_back(services.assets.types().remove_all(owner));
    runtime.variables().remove_all(owner);
    refused.push_back(runtime.tags().undeclare_all(owner));
    runtime.metrics().remove_all(owner);
    std::erase_if(refused, [](const Status& status) { return status.is_ok(); });
    return refused;
}

}  // namespace lyre::features
