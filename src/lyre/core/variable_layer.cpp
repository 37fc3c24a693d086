#include "lyre/core/variable_layer.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lyre/core/log.h"

namespace lyre::inline core {
namespace detail {
namespace {

struct Pushed {
    std::uint64_t serial = 0;
    VariableValue value;
    VariableOrigin origin;
    VariableRank rank{};
    // Of equal rank the newest counts.
    bool operator<(const Pushed& other) const {
        return number() != other.number() ? number() < other.number() : serial < other.serial;
    }
    std::uint64_t number() const { return rank != nullptr ? *rank : 0; }
};

struct Stack {
    std::shared_ptr<VariableState> variable;  // keeps the address, which is the key, from being used again
    std::vector<Pushed> values;               // by rank, then newest last; never empty
};

}  // namespace

// What a layer and its holds share, so that either may go first.
struct PushedValues {
    std::unordered_map<const VariableState*, Stack> stacks;
    std::unordered_map<std::uint64_t, const VariableState*> places;  // by serial: in which stack it is
    std::uint64_t last_serial = 0;
    std::shared_ptr<ChangeNesting> nesting = std::make_shared<ChangeNesting>();
    std::weak_ptr<const ChangeNesting> variables;  // whose log is told of listeners that throw
    Delegate<const VariableChange&> changed;

    // The value this world puts in place of one from `global`; null if there is none or it does not count.
    const Pushed* in_place_of(const VariableState* variable, VariableSource global) const {
        if (stacks.empty() || global > VariableSource::World) return nullptr;
        auto found = stacks.find(variable);
        return found == stacks.end() ? nullptr : &found->second.values.back();
    }
    std::pair<VariableValue, VariableOrigin> view(const VariableState& variable) const {
        const Pushed* ours = in_place_of(&variable, variable.origin.source);
        if (ours != nullptr) return {ours->value, ours->origin};
        return {variable.value, variable.origin};
    }
    // The last thing a caller does, who holds these values: a callback may destroy the layer.
    void announce(const VariableState& variable, std::pair<VariableValue, VariableOrigin> before) {
        auto after = view(variable);
        if (before.first == after.first) return;
        const ChangeScope scope(nesting);
        tell(changed,
             {variable.name, std::move(before.first), std::move(after.first), std::move(before.second),
              std::move(after.second)},
             variables);
    }
    void add(const std::shared_ptr<VariableState>& variable, Pushed pushed) {
        places[pushed.serial] = variable.get();
        Stack& stack = stacks[variable.get()];
        stack.variable = variable;
        stack.values.insert(std::upper_bound(stack.values.begin(), stack.values.end(), pushed), std::move(pushed));
    }
    void remove(std::uint64_t serial) {
        const auto place = places.find(serial);  // it is there: only its hold takes a value back
        const auto found = stacks.find(place->second);
        places.erase(place);
        const std::shared_ptr<VariableState> variable = found->second.variable;
        auto before = view(*variable);
        auto& values = found->second.values;
        auto behind = std::find_if(values.rbegin(), values.rend(),  // from the newest, which usually goes first
                                   [serial](const Pushed& pushed) { return pushed.serial == serial; });
        values.erase(std::prev(behind.base()));
        if (values.empty()) stacks.erase(found);
        announce(*variable, std::move(before));
    }
    // One of its name may have been there before. Nobody was told that it went, so nobody is told that it is back.
    void added(const std::shared_ptr<VariableState>& variable) {
        const bool takes_any = !variable->flags.read_only;
        std::vector<Pushed> moved;
        std::vector<std::string> refused;
        for (auto stack = stacks.begin(); stack != stacks.end();) {
            std::vector<Pushed>& values = stack->second.values;
            if (stack->second.variable->name == variable->name)
                std::erase_if(values, [&](Pushed& pushed) {
                    const bool is_taken = takes_any && variable->domain.contains(pushed.value);
                    if (is_taken)
                        moved.push_back(std::move(pushed));
                    else
                        refused.push_back(fmt::format("{}: {}", pushed.origin.place, format_value(pushed.value)));
                    return is_taken;
                });
            stack = values.empty() ? stacks.erase(stack) : std::next(stack);
        }
        for (Pushed& pushed : moved) add(variable, std::move(pushed));
        const auto alive = variables.lock();
        if (alive == nullptr || alive->log == nullptr) return;
        const std::string now = takes_any ? "takes " + variable->domain.to_string() : "is read-only";
        for (const std::string& what : refused)
            alive->log->report(
                LogLevel::Warning, Name("variables.pushed"), variable->name.text(),
                fmt::format("{} has no effect any more: variable \"{}\" {} now", what, variable->name, now));
    }
};

}  // namespace detail

VariableHold::VariableHold(std::weak_ptr<detail::PushedValues> values, std::uint64_t serial)
    : values_(std::move(values)), serial_(serial) {}

VariableHold::VariableHold(VariableHold&& other) noexcept : values_(std::move(other.values_)), serial_(other.serial_) {}

VariableHold& VariableHold::operator=(VariableHold&& other) noexcept {
    std::swap(values_, other.values_);
    std::swap(serial_, other.serial_);
    other.release();
    return *this;
}

void VariableHold::release() {
    auto values = std::exchange(values_, {}).lock();
    if (values != nullptr) values->remove(serial_);
}

VariableLayer::VariableLayer(Variables& variables)
    : variables_(variables),
      values_(std::make_shared<detail::PushedValues>()),
      global_(variables.changed().add([this](const VariableChange& change) { global_changed(change); })),
      added_(variables.added_.add([values = values_](const auto& variable) {
          const auto alive = values;  // who is told of a refusal may destroy the layer
          alive->added(variable);
      })) {
    values_->variables = variables.nesting_;
}

Result<VariableHold> VariableLayer::push(std::string_view name, std::string_view text, std::string_view place,
                                         VariableRank rank) {
    auto found = variables_.find_state(name);
    if (!found) return Status::not_found("{}: {}", place, found.status().text());
    const std::shared_ptr<detail::VariableState> variable = *found;
    if (variable->flags.read_only)
        return Status::refused("{}: variable \"{}\" is read-only while the game runs", place, name);
    auto value = variable->domain.parse(text);
    if (!value) return Status::invalid("{}: variable \"{}\" {}", place, name, value.status().text());
    const auto values = values_;  // a callback may destroy the layer
    if (values->places.size() == kMaxPushed)
        return Status::capacity("{}: variable \"{}\": this world has {} values already", place, name, kMaxPushed);
    if (Status status = values->nesting->check(variable->name); !status)
        return Status::refused("{}: {}", place, status.text());
    auto before = values->view(*variable);
    const std::uint64_t serial = ++values->last_serial;
    values->add(variable, {serial, *std::move(value), {VariableSource::World, std::string(place)}, std::move(rank)});
    VariableHold hold(values, serial);
    values->announce(*variable, std::move(before));
    return hold;
}

void VariableLayer::ranks_changed() {
    const auto values = values_;  // a callback may destroy the layer
    std::vector<std::pair<std::shared_ptr<detail::VariableState>, std::pair<VariableValue, VariableOrigin>>> before;
    for (auto& [key, stack] : values->stacks) {
        if (std::is_sorted(stack.values.begin(), stack.values.end())) continue;
        before.emplace_back(stack.variable, values->view(*stack.variable));
        std::sort(stack.values.begin(), stack.values.end());
    }
    std::sort(before.begin(), before.end(),
              [](const auto& a, const auto& b) { return a.first->name.text() < b.first->name.text(); });
    for (auto& [variable, old] : before) values->announce(*variable, std::move(old));
}

const VariableValue& VariableLayer::view(const detail::VariableState& variable) const {
    const auto* ours = values_->in_place_of(&variable, variable.origin.source);
    return ours != nullptr ? ours->value : variable.value;
}

Result<VariableInfo> VariableLayer::describe(std::string_view name) const {
    auto found = variables_.find_state(name);
    if (!found) return found.status();
    VariableInfo info = (*found)->info();
    std::tie(info.value, info.origin) = values_->view(**found);
    return info;
}

Delegate<const VariableChange&>& VariableLayer::changed() {
    return values_->changed;
}

// The variable may have gone or changed again since: what counts is the change as it was.
void VariableLayer::global_changed(const VariableChange& change) {
    auto found = variables_.find_state(change.name.text());
    if (!found) return;
    VariableChange ours = change;
    if (auto* pushed = values_->in_place_of(found->get(), change.origin_before.source))
        ours.before = pushed->value, ours.origin_before = pushed->origin;
    if (auto* pushed = values_->in_place_of(found->get(), change.origin.source))
        ours.after = pushed->value, ours.origin = pushed->origin;
    if (ours.before != ours.after) detail::tell(values_->changed, ours, values_->variables);
}

}  // namespace lyre::inline core
