// What one owner has registered, and taking it back piece by piece.
#include <algorithm>

#include "lyre/framework/detail/extension_tables.h"

namespace lyre::framework {
namespace {

using Kind = ExtensionInfo::Kind;

ExtensionInfo info_of(Kind kind, const Entry& entry, std::string text) {
    return {kind, entry.registered, std::move(text),      entry.place, entry.world,
            {},   entry.since_us,   kind == Kind::Handler};
}

ExtensionInfo info_of(const Receiver& receiver, const StickyEvent& event) {
    return {Kind::StickyEvent,
            event.registered,
            fmt::format("event {} of {}", event.event, receiver.id),
            {},
            &receiver.world(),
            receiver.id,
            event.since_us,
            event.payload.type != nullptr || event.payload.copy != nullptr};
}

}  // namespace

std::vector<ExtensionInfo> ExtensionTables::entries_of(const Owner& owner) const {
    std::vector<ExtensionInfo> all;
    for (const auto& [serial, request] : requests_)
        if (request->owner == owner) all.push_back(info_of(Kind::Request, *request, request->to_string()));
    for (const auto& [serial, handler] : handlers_)
        if (handler->owner == owner)
            all.push_back(info_of(Kind::Handler, *handler, "handler for " + handler->selector.to_string()));
    for (const auto& [name, predicate] : predicates_)
        if (predicate->owner == owner)
            all.push_back({Kind::Predicate,
                           predicate->registered,
                           fmt::format("predicate {}", name),
                           {},
                           nullptr,
                           {},
                           predicate->since_us,
                           true});
    receivers_.each([&](const Receiver& receiver) {
        for (const StickyEvent& event : receiver.sticky)
            if (event.owner == owner) all.push_back(info_of(receiver, event));
    });
    std::sort(all.begin(), all.end(),
              [](const ExtensionInfo& a, const ExtensionInfo& b) { return a.registered < b.registered; });
    return all;
}

bool ExtensionTables::remove_entry(std::uint64_t registered) {
    const auto is_meant = [&](const auto& known) { return known.second->registered == registered; };
    if (const auto found = std::find_if(handlers_.begin(), handlers_.end(), is_meant); found != handlers_.end()) {
        drop(found->first);
        return true;
    }
    if (const auto found = std::find_if(requests_.begin(), requests_.end(), is_meant); found != requests_.end()) {
        drop(found->first);
        return true;
    }
    if (const auto found = std::find_if(predicates_.begin(), predicates_.end(), is_meant); found != predicates_.end())
        return remove_predicate(found->first).is_ok();
    Receiver* receiver = nullptr;
    StickyEvent* kept = nullptr;
    receivers_.each([&](Receiver& one) {
        for (StickyEvent& event : one.sticky)
            if (event.registered == registered) {
                receiver = &one;
                kept = &event;
            }
    });
    if (kept == nullptr) return false;
    forget_sticky(*receiver, *kept);
    return true;
}

}  // namespace lyre::framework
