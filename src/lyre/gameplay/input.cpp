#include "lyre/gameplay/input.h"

#include <algorithm>

#include "lyre/gameplay/controller.h"
#include "lyre/gameplay/pawn.h"
#include "lyre/world/class_info.h"
#include "lyre/world/world.h"

namespace lyre::gameplay {

LocalPlayer::~LocalPlayer() {
    if (controller_ != nullptr) controller_->local_player_ = nullptr;
}

Status LocalPlayer::take(PlayerController& controller) {
    if (controller_ != nullptr) return Status::refused("{} steers with {} already", name_, controller_->id());
    controller_ = &controller;
    return Status::ok();
}

void LocalPlayer::let_go(PlayerController& controller) {
    if (controller_ == &controller) controller_ = nullptr;
    controller.local_player_ = nullptr;
}

Status LocalPlayer::add_context(const MappingContext& context) {
    const auto is_it = [&](const MappingContext& one) { return one.name == context.name; };
    if (std::any_of(contexts_.begin(), contexts_.end(), is_it))
        return Status::refused("context {} is in force already", context.name);
    if (contexts_.size() == kMaxContexts) return Status::capacity("{} contexts are in force", contexts_.size());
    if (context.map.size() > kMaxMappings) return Status::capacity("context {} is too long", context.name);
    contexts_.push_back(context);
    return Status::ok();
}

bool LocalPlayer::remove_context(Name name) {
    return std::erase_if(contexts_, [&](const MappingContext& one) { return one.name == name; }) > 0;
}

std::vector<Name> LocalPlayer::contexts() const {
    std::vector<Name> names;
    for (const MappingContext& one : contexts_) names.push_back(one.name);
    return names;
}

Name LocalPlayer::action_of(Name input) const {
    const MappingContext* best = nullptr;
    Name action;
    for (const MappingContext& context : contexts_) {
        if (best != nullptr && context.priority < best->priority) continue;
        for (const InputMapping& mapping : context.map)
            if (mapping.input == input) {
                best = &context;
                action = mapping.action;
            }
    }
    return action;
}

bool LocalPlayer::feed(Name input, const InputValue& value) {
    const Name action = action_of(input);
    Pawn* pawn = controller_ != nullptr && action ? controller_->pawn() : nullptr;
    auto* receiver = pawn != nullptr ? pawn->find<InputComponent>() : nullptr;
    return receiver != nullptr && receiver->act(action, value);
}

void InputComponent::describe(TypeBuilder<InputComponent>& t) {
    t.help("binds actions of a player to what its pawn does");
    t.parent<PawnComponent>();
}

void InputComponent::begin_play() {
    pawn().signal(kInputSignal);
}

Result<InputComponent::BindingId> InputComponent::bind(Name action, InputCallback callback) {
    if (!action || !callback) return Status::invalid("an action and a callback are needed");
    if (bindings_.size() == kMaxInputActions) return Status::capacity("{} actions are bound", bindings_.size());
    bindings_.push_back({++last_, action, std::make_shared<InputCallback>(std::move(callback))});
    return last_;
}

bool InputComponent::unbind(BindingId id) {
    const auto at = std::find_if(bindings_.begin(), bindings_.end(), [&](const Binding& one) { return one.id == id; });
    if (at == bindings_.end()) return false;
    const auto callback = std::move(at->callback);  // goes when the list is whole again
    bindings_.erase(at);
    return true;
}

bool InputComponent::act(Name action, const InputValue& value) {
    const World::CallScope scope(world());
    const BindingId newest = last_;  // those bound meanwhile hear the next one
    bool is_heard = false;
    for (BindingId after = 0; !is_doomed();) {
        const auto at = std::find_if(bindings_.begin(), bindings_.end(), [&](const Binding& one) {
            return one.id > after && one.id <= newest && one.action == action;
        });
        if (at == bindings_.end()) break;
        after = at->id;
        const auto callback = at->callback;
        (*callback)(value);
        is_heard = true;
    }
    return is_heard;
}

}  // namespace lyre::gameplay
