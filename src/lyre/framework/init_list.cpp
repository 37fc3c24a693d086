// What one owner has registered, and taking it back piece by piece.
#include <algorithm>

#include "lyre/framework/detail/init_engine.h"

namespace lyre::framework::detail {
namespace {

using Kind = InitInfo::Kind;

std::string to_text(const InitListener& listener) {
    if (listener.ready) return fmt::format("waits until all are at {}", listener.state);
    std::string text = fmt::format("listener to {}", listener.feature ? listener.feature.text() : "all features");
    return listener.state ? text + fmt::format(" at {}", listener.state) : text;
}

}  // namespace

std::string InitPlace::text_for(const Owner& owner) const {
    const bool may_leave = owner.kind == OwnerKind::Feature || owner.kind == OwnerKind::Experience;
    return may_leave ? fmt::format("{}:{}", file, line) : std::string();
}

std::vector<InitInfo> InitEngine::entries_of(const Owner& owner) const {
    std::vector<InitInfo> all;
    for (const auto& [feature, listeners] : classes_)
        for (const auto& listener : listeners)
            if (listener->owner == owner)
                all.push_back({Kind::ClassListener, listener->registered,
                               fmt::format("{} of every {}", to_text(*listener), listener->class_name),
                               listener->place});
    for (const auto& data : slots_) {
        if (data->serial == 0) continue;
        World& world = data->actor->world();
        const ActorId id = data->actor->id();
        for (const auto& [listener, bound, known] : data->listeners)
            if (listener != nullptr && listener->owner == owner)
                all.push_back({listener->ready ? Kind::ReadyListener : Kind::ActorListener, listener->registered,
                               fmt::format("{} of {}", to_text(*listener), id), listener->place, &world, id});
        if (data->needs == nullptr) continue;
        for (const auto& need : data->needs->all)
            if (need->owner == owner)
                all.push_back(
                    {Kind::Need, need->registered,
                     fmt::format("need of {} at {} of {}: {}", need->feature, need->state, id, need->to_string()),
                     need->place, &world, id});
    }
    std::sort(all.begin(), all.end(), [](const InitInfo& a, const InitInfo& b) { return a.registered < b.registered; });
    return all;
}

bool InitEngine::remove_entry(std::uint64_t registered) {
    return remove_listener(registered) || remove_need(registered);
}

bool InitEngine::remove_listener(std::uint64_t registered) {
    std::shared_ptr<InitListener> found;
    const auto look_at = [&](const std::shared_ptr<InitListener>& listener) {
        if (listener != nullptr && listener->registered == registered) found = listener;
    };
    for (const auto& [feature, listeners] : classes_)
        for (const auto& listener : listeners) look_at(listener);
    for (const auto& data : slots_)
        for (const ActorListener& entry : data->listeners) look_at(entry.listener);
    if (found == nullptr) return false;
    const Keep keep(*this);
    found->is_over = true;
    found->status = Status(StatusCode::Cancelled, "it was taken back");
    end_listener(*found);
    silence(*found);
    return true;
}

// A feature that waited for it may move.
bool InitEngine::remove_need(std::uint64_t registered) {
    for (const auto& data : slots_) {
        if (data->serial == 0 || data->needs == nullptr) continue;
        auto& all = data->needs->all;
        const auto place =
            std::find_if(all.begin(), all.end(), [&](const auto& need) { return need->registered == registered; });
        if (place == all.end()) continue;
        const World::CallScope scope(data->actor->world());  // what it holds may end the actor as it goes
        const Call call(*this);
        const auto removed = *place;
        all.erase(place);
        dirty_.add(*data);
        release_if_empty(*data);
        return true;
    }
    return false;
}

}  // namespace lyre::framework::detail
