#include "lyre/gameplay/input.h"

#include <algorithm>

#include "lyre/gameplay/controller.h"
#include "lyre/gameplay/detail/guarded.h"
#include "lyre/gameplay/pawn.h"
#include "lyre/world/class_info.h"
#include "lyre/world/world.h"

namespace lyre::gameplay {

LocalPlayer::~LocalPlayer() {
    if (controller_ != nullptr) controller_->release_player();
}

Status LocalPlayer::take(PlayerController& controller) {
    if (controller_ != nullptr) return Status::refused("{} steers with {} already", name_, controller_->id());
    controller_ = &controller;
    return Status::ok();
}

void LocalPlayer::let_go(PlayerController& controller) {
    std::vector<Held> held;
    if (controller_ == &controller) {
        controller_ = nullptr;
        clear_contexts();  // they were its pawns'
        held = std::exchange(held_, {});
    }
    controller.local_player_ = nullptr;
    const World::CallScope scope(controller.world());  // last: who hears of it may do anything
    for (const Held& one : held) released(controller.world(), one);
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
    Name action = action_of(input);
    Pawn* pawn = controller_ != nullptr ? controller_->pawn() : nullptr;
    const auto held = std::find_if(held_.begin(), held_.end(), [&](const Held& one) { return one.input == input; });
    if (held != held_.end() && value.kind == InputValue::Kind::Released) {
        action = held->action;
        pawn = controller_ != nullptr ? controller_->world().find<Pawn>(held->pawn) : nullptr;
        held_.erase(held);
    }
    auto* receiver = pawn != nullptr && action ? pawn->find<InputComponent>() : nullptr;
    if (receiver == nullptr) return false;
    if (value.kind == InputValue::Kind::Pressed && held == held_.end() && held_.size() < kMaxHeld)
        held_.push_back({input, action, pawn->id()});
    return receiver->act(action, value);
}

// One by one: who hears of one may bring about that the rest is released inside, or end this. At most as many as there
// were, since the pawn may be steered again by then.
void LocalPlayer::release_held(ActorId pawn) {
    PlayerController* controller = controller_;
    if (controller == nullptr) return;
    const World::CallScope scope(controller->world());
    for (std::size_t left = held_.size(); left > 0 && controller->local_player_ == this; --left) {
        const auto its = std::find_if(held_.begin(), held_.end(), [&](const Held& one) { return one.pawn == pawn; });
        if (its == held_.end()) return;
        const Held one = *its;
        held_.erase(its);
        released(controller->world(), one);
    }
}

void LocalPlayer::released(World& world, const Held& one) {
    auto* pawn = world.has_ended() ? nullptr : world.find<Pawn>(one.pawn);
    auto* receiver = pawn != nullptr ? pawn->find<InputComponent>() : nullptr;
    if (receiver != nullptr) receiver->act(one.action, {InputValue::Kind::Released, {}});
}

void InputComponent::describe(TypeBuilder<InputComponent>& t) {
    t.help("binds actions of a player to what its pawn does");
    t.parent<PawnComponent>();
}

void InputComponent::begin_play() {
    pawn().signal(kInputSignal);
}

Result<InputComponent::BindingId> InputComponent::bind(Name action, InputCallback callback, const char* file,
                                                       int line) {
    if (!action || !callback) return Status::invalid("an action and a callback are needed");
    std::erase_if(bindings_, [](const Binding& one) { return !one.callback.is_connected(); });  // their feature went
    if (bindings_.size() == kMaxInputActions) return Status::capacity("{} actions are bound", bindings_.size());
    auto heard = std::make_shared<Heard>();
    Connection connection = heard->add(std::move(callback), 0, file, line);
    bindings_.push_back({next_registration(), action, std::move(heard), std::move(connection)});
    return bindings_.back().id;
}

bool InputComponent::unbind(BindingId id) {
    const auto at = std::find_if(bindings_.begin(), bindings_.end(), [&](const Binding& one) { return one.id == id; });
    if (at == bindings_.end()) return false;
    const Binding gone = std::move(*at);  // goes when the list is whole again
    bindings_.erase(at);
    return gone.callback.is_connected();
}

std::size_t InputComponent::count() const {
    return static_cast<std::size_t>(std::count_if(bindings_.begin(), bindings_.end(),
                                                  [](const Binding& one) { return one.callback.is_connected(); }));
}

bool InputComponent::act(Name action, const InputValue& value) {
    if (!is_finite(value.axis)) return false;
    const World::CallScope scope(world());
    const BindingId newest = bindings_.empty() ? 0 : bindings_.back().id;  // those bound meanwhile hear the next one
    bool is_heard = false;
    for (BindingId after = 0; !is_doomed();) {
        const auto at = std::find_if(bindings_.begin(), bindings_.end(), [&](const Binding& one) {
            return one.id > after && one.id <= newest && one.action == action && one.callback.is_connected();
        });
        if (at == bindings_.end()) break;
        after = at->id;
        const auto heard = at->heard;
        detail::guarded(world(), actor().id(), action.text(), [&] { heard->broadcast(value); });
        is_heard = true;
    }
    return is_heard;
}

}  // namespace lyre::gameplay
