#include <algorithm>
#include <functional>
#include <map>
#include <queue>

#include "lyre/features/action.h"

namespace lyre::features {
namespace {

std::string name_of(const GameFeatureAction& action, std::size_t index) {
    return action.name ? std::string(action.name.text()) : fmt::format("action {}", index + 1);
}

// For each action, which ones run after it.
std::vector<std::vector<std::size_t>> edges_of(const std::vector<const GameFeatureAction*>& actions) {
    std::map<Name, std::vector<std::size_t>> by_name;
    for (std::size_t i = 0; i < actions.size(); ++i)
        if (actions[i] != nullptr && actions[i]->name) by_name[actions[i]->name].push_back(i);
    std::vector<std::vector<std::size_t>> later(actions.size());
    const auto each = [&](std::vector<Name> names, auto work) {
        std::sort(names.begin(), names.end());
        names.erase(std::unique(names.begin(), names.end()), names.end());
        for (const Name name : names)
            if (const auto found = by_name.find(name); found != by_name.end())
                for (const std::size_t other : found->second) work(other);
    };
    for (std::size_t i = 0; i < actions.size(); ++i) {
        if (actions[i] == nullptr) continue;
        each(actions[i]->before, [&](std::size_t other) { later[i].push_back(other); });
        each(actions[i]->after, [&](std::size_t other) { later[other].push_back(i); });
    }
    return later;
}

// Every one that is left waits for another that is left, so going from one to what it waits for comes round.
std::string circle_text(const std::vector<const GameFeatureAction*>& actions,
                        const std::vector<std::vector<std::size_t>>& later, const std::vector<std::size_t>& waits_for) {
    constexpr std::size_t kNone = SIZE_MAX;
    std::vector<std::size_t> earlier(actions.size(), kNone);
    std::size_t at = kNone;
    for (std::size_t i = actions.size(); i-- > 0;) {
        if (waits_for[i] == 0) continue;
        at = i;
        for (const std::size_t other : later[i])
            if (waits_for[other] != 0) earlier[other] = i;
    }
    std::vector<char> is_passed(actions.size(), 0);
    while (!std::exchange(is_passed[at], 1)) at = earlier[at];
    std::vector<std::size_t> circle = {at};
    while (earlier[circle.back()] != at) circle.push_back(earlier[circle.back()]);
    std::reverse(circle.begin(), circle.end());
    std::rotate(circle.begin(), std::min_element(circle.begin(), circle.end()), circle.end());
    std::string text;
    for (const std::size_t i : circle) text += name_of(*actions[i], i) + " -> ";
    return text + name_of(*actions[circle.front()], circle.front());
}

}  // namespace

Result<std::vector<std::size_t>> order_actions(const std::vector<const GameFeatureAction*>& actions) {
    const std::vector<std::vector<std::size_t>> later = edges_of(actions);
    std::vector<std::size_t> waits_for(actions.size(), 0);
    for (const auto& others : later)
        for (const std::size_t other : others) ++waits_for[other];
    std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;  // as written, where free
    std::size_t there = 0;
    for (std::size_t i = 0; i < actions.size(); ++i) {
        if (actions[i] == nullptr) continue;
        ++there;
        if (waits_for[i] == 0) ready.push(i);
    }
    std::vector<std::size_t> order;
    while (!ready.empty()) {
        const std::size_t next = ready.top();
        ready.pop();
        order.push_back(next);
        for (const std::size_t other : later[next])
            if (--waits_for[other] == 0) ready.push(other);
    }
    if (order.size() == there) return order;
    return Status::invalid("before and after of actions lead in a circle: {}; take one of them out",
                           circle_text(actions, later, waits_for));
}

}  // namespace lyre::features
