#include "lyre/gameplay/input.h"

#include <algorithm>

#include "lyre/gameplay/controller.h"
#include "lyre/gameplay/detail/guarded.h"
#include "lyre/gameplay/pawn.h"
#include "lyre/world/class_info.h"
#include "lyre/world/world.h"

namespace lyre::gameplay {
namespace {

void pass_on(World& world, ActorId pawn, const BoundInput& bound, const InputValue& value) {
    detail::guarded(world, pawn, bound.action.text(), [&] { bound.callback.broadcast(value); });
}

// False: it has heard that already, or is no more.
bool release(World& world, ActorId pawn, BoundInput& bound) {
    if (bound.held == 0 || bound.callback.count() == 0 || world.has_ended()) return false;
    --bound.held;
    pass_on(world, pawn, bound, {InputValue::Kind::Released, {}});
    return true;
}

bool let_up(World& world, HeldInput& one) {
    one.is_over = true;
    bool is_heard = false;
    for (const auto& bound : one.heard_by) is_heard = release(world, one.pawn, *bound) || is_heard;
    return is_heard;
}

void note(HeldInput& press, const std::shared_ptr<BoundInput>& hears) {
    std::erase_if(press.heard_by, [](const auto& one) { return one->callback.count() == 0; });  // unbound since
    if (std::find(press.heard_by.begin(), press.heard_by.end(), hears) != press.heard_by.end()) return;
    press.heard_by.push_back(hears);
    ++hears->held;
}

}  // namespace

LocalPlayer::~LocalPlayer() {
    if (controller_ != nullptr) controller_->release_player();
}

Status LocalPlayer::take(PlayerController& controller) {
    if (controller_ != nullptr) return Status::refused("{} steers with {} already", name_, controller_->id());
    controller_ = &controller;
    return Status::ok();
}

void LocalPlayer::let_go(PlayerController& controller) {
    const World::CallScope scope(controller.world());
    std::vector<std::shared_ptr<HeldInput>> held;
    if (controller_ == &controller) {
        controller_ = nullptr;
        clear_contexts();  // they were its pawns'
        held = std::exchange(held_, {});
    }
    controller.local_player_ = nullptr;
    for (const auto& one : held) let_up(controller.world(), *one);  // last: who hears of it may do anything
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
    if (value.kind == InputValue::Kind::Released)
        return let_go_of([input](const HeldInput& one) { return one.input == input; });
    const Name action = action_of(input);
    Pawn* pawn = controller_ != nullptr && action ? controller_->pawn() : nullptr;
    auto* receiver = pawn != nullptr ? pawn->find<InputComponent>() : nullptr;
    if (receiver == nullptr) return false;
    return value.kind == InputValue::Kind::Pressed ? press(input, action, *receiver) : receiver->act(action, value);
}

// One that is held already is pressed again, as by a key that repeats: it is let go once, and is no press of what else
// it means by now.
bool LocalPlayer::press(Name input, Name action, InputComponent& receiver) {
    const ActorId pawn = receiver.actor().id();
    const auto its = std::find_if(held_.begin(), held_.end(),
                                  [&](const auto& one) { return one->input == input && one->pawn == pawn; });
    if (its == held_.end() ? held_.size() == kMaxHeld : (*its)->action != action) return false;
    const auto held = its != held_.end() ? *its : std::make_shared<HeldInput>(HeldInput{input, action, pawn});
    if (its == held_.end()) held_.push_back(held);
    return receiver.act(action, {InputValue::Kind::Pressed, {}}, held.get());
}

// One by one: who hears of one may bring about that the rest is released inside, or end this. At most as many as there
// were, since the pawn may be steered again by then.
bool LocalPlayer::let_go_of(const std::function<bool(const HeldInput&)>& which) {
    PlayerController* controller = controller_;
    if (controller == nullptr) return false;
    World& world = controller->world();
    const World::CallScope scope(world);
    bool is_heard = false;
    for (std::size_t left = held_.size(); left > 0 && controller->local_player_ == this; --left) {
        const auto its = std::find_if(held_.begin(), held_.end(), [&](const auto& one) { return which(*one); });
        if (its == held_.end()) break;
        const auto one = *its;
        held_.erase(its);
        is_heard = let_up(world, *one) || is_heard;
    }
    return is_heard;
}

void LocalPlayer::release_held(ActorId pawn) {
    let_go_of([pawn](const HeldInput& one) { return one.pawn == pawn; });
}

void InputComponent::describe(TypeBuilder<InputComponent>& t) {
    t.help("binds actions of a player to what its pawn does");
    t.parent<PawnComponent>();
}

void InputComponent::begin_play() {
    pawn().signal(kInputSignal);
    PawnComponent::begin_play();
}

void InputComponent::end_play(EndReason) {
    const auto is_held = [](const Binding& one) { return one.bound->held > 0 && one.callback.is_connected(); };
    for (;;) {  // who hears of one may unbind others
        const auto at = std::find_if(bindings_.begin(), bindings_.end(), is_held);
        if (at == bindings_.end()) return;
        const auto bound = at->bound;
        if (!release(world(), actor().id(), *bound)) return;
    }
}

Result<InputComponent::BindingId> InputComponent::bind(Name action, InputCallback callback, const char* file,
                                                       int line) {
    if (!action || !callback) return Status::invalid("an action and a callback are needed");
    std::erase_if(bindings_, [](const Binding& one) { return !one.callback.is_connected(); });  // their feature went
    if (bindings_.size() == kMaxInputActions) return Status::capacity("{} actions are bound", bindings_.size());
    auto bound = std::make_shared<BoundInput>(BoundInput{action});
    Connection connection = bound->callback.add(std::move(callback), 0, file, line);
    bindings_.push_back({next_registration(), std::move(bound), std::move(connection)});
    return bindings_.back().id;
}

bool InputComponent::unbind(BindingId id) {
    const auto at = std::find_if(bindings_.begin(), bindings_.end(), [&](const Binding& one) { return one.id == id; });
    if (at == bindings_.end()) return false;
    const World::CallScope scope(world());
    const Binding gone = std::move(*at);  // goes when the list is whole again
    bindings_.erase(at);
    const bool was_connected = gone.callback.is_connected();
    while (release(world(), actor().id(), *gone.bound)) {
    }
    return was_connected;
}

std::size_t InputComponent::count() const {
    return static_cast<std::size_t>(std::count_if(bindings_.begin(), bindings_.end(),
                                                  [](const Binding& one) { return one.callback.is_connected(); }));
}

// A press that is let go inside is no press to those who have not heard it by then.
bool InputComponent::act(Name action, const InputValue& value, HeldInput* press) {
    if (!is_finite(value.axis)) return false;
    const World::CallScope scope(world());
    const BindingId newest = bindings_.empty() ? 0 : bindings_.back().id;  // those bound meanwhile hear the next one
    bool is_heard = false;
    for (BindingId after = 0; !is_doomed() && (press == nullptr || !press->is_over);) {
        const auto at = std::find_if(bindings_.begin(), bindings_.end(), [&](const Binding& one) {
            return one.id > after && one.id <= newest && one.bound->action == action && one.callback.is_connected();
        });
        if (at == bindings_.end()) break;
        after = at->id;
        const auto bound = at->bound;
        if (press != nullptr) note(*press, bound);
        pass_on(world(), actor().id(), *bound, value);
        is_heard = true;
    }
    return is_heard;
}

}  // namespace lyre::gameplay
