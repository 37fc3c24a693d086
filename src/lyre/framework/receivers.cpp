// Receivers come and go; so do the worlds they are in and the classes they are waiting for.
#include <algorithm>

#include "lyre/framework/detail/extension_tables.h"

namespace lyre::framework {
namespace {

const Name kReceiverKind("framework.receiver");

}  // namespace

void ExtensionTables::begin() {
    type_added_ = runtime_.types().added.add([this](const Type& type) { type_added(type); });
    listing_ = runtime_.types().listing_instances.add(
        [this](const Type& type, std::vector<TypeUse>& uses) { list_requests(type, uses); });
}

// Takes everything apart as if every receiver had left; handles that are still out stand for nothing then.
void ExtensionTables::end() {
    if (depth_ > 0) self_ = shared_from_this();
    if (has_ended_) return;
    has_ended_ = true;
    const Call call(*this);
    std::vector<ReceiverRef> refs;
    receivers_.each([&](Receiver& receiver) { refs.push_back(receiver.ref); });
    for (auto ref = refs.rbegin(); ref != refs.rend(); ++ref) remove(*ref);
    while (!handlers_.empty()) drop(handlers_.rbegin()->first);
    while (!requests_.empty()) drop(requests_.rbegin()->first);
    retire(std::exchange(predicates_, {}));
    links_.clear();
    type_added_.disconnect();
    listing_.disconnect();
    dirty_.clear();
}

Status ExtensionTables::add_receiver(Actor& actor) {
    World& world = actor.world();
    if (has_ended_ || world.game() != &game_) return Status::invalid("{} is in another game", actor.id());
    if (world.find(actor.id()) != &actor) return Status::refused("{} is not in its world (yet)", actor.id());
    if (receivers_.find(actor) != nullptr) return Status::exists("{} is a receiver already", actor.id());
    if (Status status = refuse_nesting(); !status.is_ok()) return status;
    link(world);
    world.watch(actor);
    const ReceiverRef ref = receivers_.add(actor, next_serial_++).ref;
    const Call call(*this);
    const World::CallScope scope(world);
    const Plan& plan = plan_of(actor.type());
    for (Request* request : plan.requests) {
        Receiver* receiver = receivers_.find(ref);
        if (receiver == nullptr) return Status::ok();  // a callback has removed it
        if (matches(*request, *receiver)) apply(*request, ref);
    }
    for (Handler* handler : plan.handlers) {
        Receiver* receiver = receivers_.find(ref);
        if (receiver == nullptr) return Status::ok();
        if (matches(*handler, *receiver)) introduce(*handler, ref, events::kReceiverAdded);
    }
    return Status::ok();
}

Status ExtensionTables::remove_receiver(Actor& actor) {
    Receiver* receiver = receivers_.find(actor);
    if (receiver == nullptr || receiver->is_leaving) {
        runtime_.log().report(LogLevel::Warning, kReceiverKind, actor.type().name.text(),
                              fmt::format("remove_receiver of {}, which is none", actor.id()));
        return Status::not_found("{} is no receiver", actor.id());
    }
    remove(receiver->ref);
    return Status::ok();
}

void ExtensionTables::remove(ReceiverRef ref) {
    Receiver* receiver = receivers_.find(ref);
    if (receiver == nullptr || receiver->is_leaving) return;
    const Call call(*this);
    World& world = receiver->world();
    const World::CallScope scope(world);
    receiver->is_leaving = true;  // nobody comes to it any more
    sort_told(*receiver);
    while (!receiver->told.empty()) {
        Told last = receiver->told.back();
        receiver->told.pop_back();
        this->call(last, *receiver, events::kReceiverRemoved, {});
    }
    receiver->forget_wants();
    while (!receiver->injected.empty()) {
        Component* component = receiver->component_of(receiver->injected.back());
        receiver->injected.pop_back();
        if (component != nullptr) world.remove_component(*component).ignore();
    }
    if (!receiver->sticky.empty()) retire(std::exchange(receiver->sticky, {}));
    receivers_.remove(*receiver);
}

ExtensionTables::WorldLink& ExtensionTables::link(World& world) {
    for (const auto& known : links_)
        if (known->world == &world) return *known;
    const OwnerScope as(Owner::process());  // whoever came first, it is the manager that listens
    auto& link = *links_.emplace_back(std::make_unique<WorldLink>());
    link.world = &world;
    link.component_ending =
        world.watched_component_ending.add([this](Component& component, EndReason) { component_ending(component); });
    link.actor_ended = world.watched_actor_ended.add([this](Actor& actor, EndReason) { actor_ended(actor); });
    link.ended = world.ended.add([this](World& gone) { world_ended(gone); });
    listen(link);
    return link;
}

// To what is only of interest while somebody's selector looks at it.
void ExtensionTables::listen(WorldLink& link) {
    const OwnerScope as(Owner::process());
    if (looking_at_components_ > 0 && !link.component_registered.is_connected())
        link.component_registered = link.world->watched_component_registered.add(
            [this](Component& component) { component_registered(component); });
    if (looking_at_tags_ > 0 && !link.tag_changed.is_connected())
        link.tag_changed = link.world->tags().at_once.add([this](Actor& actor) {
            Receiver* receiver = looking_at_tags_ > 0 ? receivers_.find(actor) : nullptr;
            if (receiver != nullptr) mark_dirty(*receiver);
        });
}

void ExtensionTables::world_ended(World& world) {
    const Call call(*this);
    LYRE_ASSERT(receivers_.of_world(world).empty(), "a world ends after its actors, and receivers end with theirs");
    std::vector<Serial> ending;
    const auto collect = [&](const auto& entries) {
        for (const auto& [serial, entry] : entries)
            if (entry->world == &world) ending.push_back(serial);
    };
    collect(handlers_);
    collect(requests_);
    for (auto serial = ending.rbegin(); serial != ending.rend(); ++serial) drop(*serial);
    receivers_.forget(world);
    std::erase_if(links_, [&](const auto& known) { return known->world == &world; });
}

void ExtensionTables::component_registered(Component& component) {
    if (looking_at_components_ == 0) return;
    if (Receiver* receiver = receivers_.find(component.actor())) mark_dirty(*receiver);
}

void ExtensionTables::component_ending(Component& component) {
    if (component.actor().is_doomed()) return;
    Receiver* receiver = receivers_.find(component.actor());
    if (receiver == nullptr || receiver->is_leaving) return;
    if (const Injected* injected = receiver->find_injected(component)) lose(*receiver, *injected);
    const auto was_in_the_way = [&](const Want& want) { return want.blocker == component.name(); };
    if (looking_at_components_ > 0 ||
        (receiver->blocked > 0 && std::any_of(receiver->wants.begin(), receiver->wants.end(), was_in_the_way)))
        mark_dirty(*receiver);
}

void ExtensionTables::actor_ended(Actor& actor) {
    Receiver* receiver = receivers_.find(actor);
    if (receiver == nullptr) return;
    runtime_.log().report(LogLevel::Warning, kReceiverKind, actor.type().name.text(),
                          fmt::format("{} ended as a receiver; its class calls remove_receiver in end_play, unless it "
                                      "failed before",
                                      actor.id()));
    remove(receiver->ref);
}

void ExtensionTables::type_added(const Type& type) {
    for (const auto& known : requests_) {
        const Request& request = *known.second;
        if (request.component_class != type.name) continue;
        receivers_.each([&](Receiver& receiver) {
            const Want* want = receiver.find_want(request);
            if (want != nullptr && want->may_change()) mark_dirty(receiver);
        });
    }
}

void ExtensionTables::list_requests(const Type& type, std::vector<TypeUse>& uses) const {
    for (const auto& [serial, request] : requests_)
        if (request->component_class == type.name && uses.size() <= TypeRegistry::kMaxListed)
            uses.push_back(
                {fmt::format("component request {} of {}", request->to_string(), request->who()), request->owner});
}

}  // namespace lyre::framework
