// Extension events: sent to the handlers of one receiver, and kept for those that come later.
#include <algorithm>
#include <array>

#include "lyre/core/suggest.h"
#include "lyre/framework/detail/extension_tables.h"

namespace lyre::framework {

namespace events {

const Name kReceiverAdded("ReceiverAdded"), kReceiverRemoved("ReceiverRemoved"), kExtensionAdded("ExtensionAdded"),
    kExtensionRemoved("ExtensionRemoved");
const Name kGameActorReady("GameActorReady"), kBindInputsNow("BindInputsNow"), kAbilitiesReady("AbilitiesReady");

const Ids kKnownIds = [] {
    const auto [first, last] =
        std::minmax({kReceiverAdded.id(), kReceiverRemoved.id(), kExtensionAdded.id(), kExtensionRemoved.id(),
                     kGameActorReady.id(), kBindInputsNow.id(), kAbilitiesReady.id()});
    return Ids{first, last - first + 1};
}();

bool is_added_event(Name event) {
    return event == kReceiverAdded || event == kExtensionAdded;
}

bool is_removed_event(Name event) {
    return event == kReceiverRemoved || event == kExtensionRemoved;
}

bool is_own_event(Name event) {
    return is_added_event(event) || is_removed_event(event);
}

bool is_always_sticky(Name event) {
    return event == kGameActorReady || event == kBindInputsNow || event == kAbilitiesReady;
}

}  // namespace events

EventResult ExtensionTables::send(Actor& actor, Name event, const EventPayload& payload, Sticky sticky) {
    using What = EventResult::What;
    Receiver* receiver = receivers_.find(actor);
    if (receiver == nullptr) return {What::NotReceiver, 0, {}};
    if (event.is_none() || events::is_own_event(event))
        return {What::Refused, 0,
                Status::invalid("event {} is sent by the component manager only", in_quotes(event.text()))};
    if (!receiver->told.empty() && event_depth_ >= Extensions::kMaxNestedEvents)
        return {What::Refused, 0,
                Status::capacity("event {} was sent from inside {} others: do handlers answer each other?", event,
                                 event_depth_)};
    const Call call(*this);
    const ReceiverRef ref = receiver->ref;
    if (sticky == Sticky::Yes || events::is_always_sticky(event)) {
        Status status = keep_sticky(ref, event, payload);
        if (!status.is_ok()) return {What::Refused, 0, std::move(status)};
        receiver = receivers_.find(ref);
        if (receiver == nullptr) return {What::NotReceiver, 0, {}};  // it went while the payload was copied
    }
    if (receiver->told.empty()) return {};
    return {What::Sent, dispatch(receiver->ref, event, payload), {}};
}

// Before it is dispatched: a handler that comes in the midst of it has it replayed. Copies, and what goes with the old
// one, may call back.
Status ExtensionTables::keep_sticky(ReceiverRef ref, Name event, const EventPayload& payload) {
    if (payload.object != nullptr && payload.copy == nullptr)
        return Status::invalid("the payload of sticky event {} cannot be copied: use EventPayload::of", event);
    std::shared_ptr<const void> copy;
    if (payload.object != nullptr)
        guarded(receivers_.find(ref)->id, event, [&] { copy = payload.copy(payload.object); });
    if (payload.object != nullptr && copy == nullptr)
        return Status::failed("the payload of sticky event {} could not be copied", event);
    Receiver* receiver = receivers_.find(ref);
    if (receiver == nullptr || receiver->is_leaving) return Status::ok();
    StickyEvent* kept = receiver->find_sticky(event);
    if (kept == nullptr && receiver->sticky.size() >= Extensions::kMaxSticky)
        return Status::capacity("{} has {} sticky events already", receiver->id, receiver->sticky.size());
    if (kept == nullptr) {
        kept = &receiver->sticky.emplace_back();
        kept->event = event;
        kept->first_sent = next_serial_++;
        kept->since_us = runtime_.clock().now_us();
    }
    kept->payload = {payload.type, copy.get(), payload.copy};
    kept->sent = next_serial_++;
    kept->owner = Owner::current();
    kept->registered = next_registration();
    std::swap(kept->copy, copy);
    if (copy != nullptr) retire(std::move(copy));
    return Status::ok();
}

std::size_t ExtensionTables::dispatch(ReceiverRef ref, Name event, const EventPayload& payload) {
    const Call call(*this);
    Receiver* receiver = receivers_.find(ref);
    sort_told(*receiver);
    // Those who hear of it are those there are now.
    constexpr std::size_t kFew = 16;
    std::array<Handler*, kFew> few;
    std::vector<Handler*> many(receiver->told.size() > kFew ? receiver->told.size() : 0);
    Handler** const all = many.empty() ? few.data() : many.data();
    const std::size_t count = receiver->told.size();
    for (std::size_t i = 0; i < count; ++i) all[i] = receiver->told[i].handler;

    ++event_depth_;
    std::size_t called = 0;
    for (std::size_t i = 0; i < count && receiver != nullptr; ++i) {
        Told* told = all[i]->is_leaving ? nullptr : receiver->find_told(*all[i]);
        if (told != nullptr && this->call(*told, *receiver, event, payload)) ++called;
        receiver = receivers_.find(ref);
    }
    --event_depth_;
    return called;
}

bool ExtensionTables::clear_sticky(Actor& actor, Name event) {
    Receiver* receiver = receivers_.find(actor);
    StickyEvent* kept = receiver != nullptr ? receiver->find_sticky(event) : nullptr;
    if (kept == nullptr) return false;
    forget_sticky(*receiver, *kept);
    return true;
}

void ExtensionTables::forget_sticky(Receiver& receiver, StickyEvent& kept) {
    const Call call(*this);
    if (kept.copy != nullptr) retire(std::move(kept.copy));
    receiver.sticky.erase(receiver.sticky.begin() + (&kept - receiver.sticky.data()));
}

}  // namespace lyre::framework
