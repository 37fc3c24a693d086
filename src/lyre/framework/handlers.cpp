// Handlers: introduced to receivers, called, retracted.
#include <algorithm>

#include "lyre/framework/detail/extension_tables.h"

namespace lyre::framework {

using Order = ReceiverTable::Walk::Order;

Result<Serial> ExtensionTables::add_handler(const Selector& to, ExtensionHandler callback, HandlerOptions options) {
    if (!callback) return Status::invalid("an extension handler for {} has no callback", to.to_string());
    if (handlers_.size() >= Extensions::kMaxHandlers)
        return Status::capacity("there are {} extension handlers already", handlers_.size());
    auto handler = std::make_shared<Handler>();
    Status status = fill(*handler, to, std::move(options.ordering), options.world, std::move(options.place));
    if (!status.is_ok()) return status;
    handler->callback = std::move(callback);
    handler->events = std::move(options.events);
    handler->once_per_actor = options.once_per_actor;
    handler->payload = options.payload;
    status = enter(handler_levels_, *handler);
    if (!status.is_ok()) return status;
    handlers_[handler->serial] = handler;
    const Call call(*this);
    each_of_class(*handler, Order::OldestFirst, [&](Receiver& receiver) {
        const ReceiverRef ref = receiver.ref;
        if (matches(*handler, receiver)) introduce(*handler, ref, events::kExtensionAdded);
    });
    return handler->serial;
}

// The selector holds. Does nothing where it was introduced before, or if a predicate has dropped it meanwhile.
void ExtensionTables::introduce(Handler& handler, ReceiverRef ref, Name event) {
    Receiver* receiver = receivers_.find(ref);
    if (handler.is_leaving || receiver == nullptr || receiver->is_leaving || receiver->actor->is_doomed()) return;
    if (receiver->find_told(handler) != nullptr) return;
    sort_told(*receiver);
    const auto level = static_cast<std::uint8_t>(level_in(handler, receiver->actor->type()));
    const Told told{&handler, level, handler.once_per_actor && receiver->is_done(handler)};
    const auto place = std::upper_bound(receiver->told.begin(), receiver->told.end(), told, &is_before);
    const auto added = receiver->told.insert(place, told);
    receivers_.set_quiet(*receiver, false);
    const Serial before = next_serial_++;
    call(*added, *receiver, event, {});
    replay(handler, ref, before);
}

// What was sent before the handler came; what was sent since has reached it by itself.
void ExtensionTables::replay(Handler& handler, ReceiverRef ref, Serial before) {
    for (Serial last = 0;;) {
        Receiver* receiver = receivers_.find(ref);
        Told* told = receiver == nullptr || handler.is_leaving ? nullptr : receiver->find_told(handler);
        if (told == nullptr) return;
        const auto next = std::find_if(receiver->sticky.begin(), receiver->sticky.end(), [&](const StickyEvent& one) {
            return one.first_sent > last && one.sent <= before;
        });
        if (next == receiver->sticky.end()) return;
        last = next->first_sent;
        const StickyEvent sticky = *next;  // the callback may clear it
        call(*told, *receiver, sticky.event, sticky.payload);
    }
}

void ExtensionTables::retract(Handler& handler, ReceiverRef ref, Name event) {
    Receiver* receiver = receivers_.find(ref);
    const Told* found = receiver != nullptr ? receiver->find_told(handler) : nullptr;
    if (found == nullptr) return;
    Told told = *found;
    receiver->told.erase(receiver->told.begin() + (found - receiver->told.data()));
    receivers_.set_quiet(*receiver, receiver->told.empty());
    call(told, *receiver, event, {});
}

bool ExtensionTables::call(Told& told, Receiver& receiver, Name event, const EventPayload& payload) {
    Handler& handler = *told.handler;
    if (told.is_done || !handler.wants(event)) return false;
    const Name given = payload.type != nullptr ? payload.type->name : Name();
    if (handler.payload && given != handler.payload && !events::is_own_event(event)) {
        runtime_.log().report(
            LogLevel::Warning, Name("framework.payload"), event.text(),
            fmt::format("{} to {} came with {}; a handler of {} expects {} and is not called", event, receiver.id,
                        given ? given.text() : "nothing", handler.who(), handler.payload));
        return false;
    }
    if (handler.once_per_actor) {
        told.is_done = true;
        if (!handler.is_leaving) receiver.done.push_back(handler.serial);
    }
    Actor& actor = *receiver.actor;
    if (runtime_.trace().enabled(TraceLevel::Events))
        trace_applied("framework.handler", handler, "handler", receiver, event.text());
    const World::CallScope scope(actor.world());
    const OwnerScope as(handler.owner);
    guarded(receiver.id, event, [&] { handler.callback(actor, event, payload); });
    return true;
}

// By level, then as the level stands now: an edge that came later may have turned it.
bool ExtensionTables::is_before(const Told& a, const Told& b) {
    return a.level != b.level ? a.level < b.level : a.handler->rank < b.handler->rank;
}

void ExtensionTables::sort_told(Receiver& receiver) {
    if (receiver.order_version == order_version_) return;
    receiver.order_version = order_version_;
    std::sort(receiver.told.begin(), receiver.told.end(), &is_before);
}

void ExtensionTables::drop(Serial serial) {
    if (const auto found = handlers_.find(serial); found != handlers_.end()) drop_handler(found->second);
    if (const auto found = requests_.find(serial); found != requests_.end()) drop_request(found->second);
}

void ExtensionTables::drop_handler(std::shared_ptr<Handler> handler) {
    const Call call(*this);
    handler->is_leaving = true;
    leave(handler_levels_, *handler);
    handlers_.erase(handler->serial);
    each_of_class(*handler, Order::NewestFirst, [&](Receiver& receiver) {
        if (handler->once_per_actor) std::erase(receiver.done, handler->serial);
        retract(*handler, receiver.ref, events::kExtensionRemoved);
    });
    retire(std::move(handler));
}

}  // namespace lyre::framework
