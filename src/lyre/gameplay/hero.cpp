#include "lyre/gameplay/hero.h"

#include <stdexcept>

#include "lyre/framework/component_manager.h"
#include "lyre/gameplay/controller.h"
#include "lyre/gameplay/gameplay.h"
#include "lyre/gameplay/pawn.h"
#include "lyre/gameplay/pawn_extension.h"
#include "lyre/gameplay/player_state.h"
#include "lyre/world/class_info.h"
#include "lyre/world/world.h"

namespace lyre::gameplay {

using framework::Need;

const Name kHero("Hero");

namespace {

bool has_player_state(const Actor& actor) {
    return actor.as<Pawn>()->player_state() != nullptr;
}

// Others merely watch a simulated pawn, unless it was steered from here before; elsewhere its controller and its
// PlayerState belong together.
bool has_right_controller(const Actor& actor) {
    const Pawn& pawn = *actor.as<Pawn>();
    const auto* hero = actor.find<HeroComponent>();
    if (pawn.role() == Role::SimulatedProxy && (hero == nullptr || !hero->has_taken())) return true;
    const Controller* controller = pawn.controller();
    return controller != nullptr && controller->player_state() == pawn.player_state();
}

// Whether its player sits here is known when the controller has received it.
bool has_input_where_needed(const Actor& actor) {
    const Controller* controller = actor.as<Pawn>()->controller();
    const auto* players = controller != nullptr ? controller->as<PlayerController>() : nullptr;
    if (players == nullptr) return true;
    return players->has_player() && (!players->is_local() || actor.find<InputComponent>() != nullptr);
}

}  // namespace

void HeroComponent::describe(TypeBuilder<HeroComponent>& t) {
    t.help("the part of a pawn that belongs to a player");
    t.parent<PawnComponent>();
}

void HeroComponent::registered() {
    if (actor().find<HeroComponent>() != this) throw std::logic_error("the pawn has a HeroComponent already");
    const OwnerScope as(world().owner());  // they go with it, whoever's code has made it
    if (!register_init_state_feature()) return;
    for (Name state : {kDataAvailable, kDataInitialized})  // it may go in between
        declare_init_need(state, Need::holds(Name("PlayerState"), has_player_state, {kPlayerStateSignal})).ignore();
    declare_init_need(
        kDataAvailable,
        Need::holds(Name("controller"), has_right_controller, {kControllerSignal, kPlayerStateSignal}).kept())
        .ignore();
    declare_init_need(kDataAvailable,
                      Need::holds(Name("input"), has_input_where_needed, {kInputSignal, kControllerSignal}))
        .ignore();
    declare_init_need(kDataInitialized, Need::reached(kPawnExtension, kDataInitialized)).ignore();
}

void HeroComponent::begin_play() {
    try_to_change_init_state(kSpawned);
}

void HeroComponent::end_play(EndReason) {
    give_back();
}

Status HeroComponent::handle_change_init_state(Name, Name to) {
    if (to != kDataInitialized) return Status::ok();
    const auto* extension = pawn().find<PawnExtensionComponent>();
    const PawnData* data = extension != nullptr ? extension->pawn_data() : nullptr;
    Controller* controller = pawn().controller();
    if (controller == nullptr || data == nullptr || !controller->is_local()) return Status::ok();
    const World::CallScope scope(world());
    const Name camera = data->camera;
    taken_ = controller->id();
    controller->lend_to(pawn().id());
    if (auto* person = controller->as<PlayerController>()) bind_input(*person);
    if (is_doomed() || pawn().controller() != controller) return Status::ok();  // what was told has taken it away
    controller->set_camera_mode(camera);
    return Status::ok();
}

void HeroComponent::handle_exit_init_state(Name from, Name) {
    if (from != kDataInitialized) return;
    const bool has_lost = has_taken();
    give_back();
    // It is one that others watch from now on.
    if (has_lost && !is_doomed() && actor().role() == Role::SimulatedProxy) pawn().signal(kControllerSignal);
}

void HeroComponent::give_back() {
    const World::CallScope scope(world());
    auto* controller = world().find<Controller>(std::exchange(taken_, {}));
    const bool is_its_own = controller != nullptr && controller->lent_to() == actor().id();
    if (is_its_own) {
        controller->lend_to({});
        controller->set_camera_mode({});
    }
    unbind_input(controller != nullptr ? controller->as<PlayerController>() : nullptr, is_its_own);
}

void HeroComponent::bind_input(PlayerController& controller) {
    auto* input = pawn().find<InputComponent>();
    const auto* extension = pawn().find<PawnExtensionComponent>();
    const PawnData* data = extension != nullptr ? extension->pawn_data() : nullptr;
    if (is_bound_ || input == nullptr || data == nullptr) return;
    const World::CallScope scope(world());
    LocalPlayer& player = *controller.local_player();
    player.clear_contexts();
    for (const MappingContext& context : data->contexts)
        if (player.add_context(context)) contexts_.push_back(context.name);
    for (Name action : data->actions) {
        const auto bound =
            input->bind(action, [this, action](const InputValue& value) { input_action(action, value); });
        if (bound) bindings_.push_back(*bound);
    }
    is_bound_ = true;
    framework::send_extension_event(controller, framework::events::kBindInputsNow);
    if (is_bound_) framework::send_extension_event(pawn(), framework::events::kBindInputsNow);
}

void HeroComponent::unbind_input(PlayerController* controller, bool is_its_own) {
    if (!std::exchange(is_bound_, false)) return;
    LocalPlayer* player = controller != nullptr ? controller->local_player() : nullptr;
    if (player != nullptr) player->release_held(actor().id());
    if (auto* input = actor().find<InputComponent>())
        for (InputComponent::BindingId id : bindings_) input->unbind(id);
    bindings_.clear();
    player =
        controller != nullptr && is_its_own ? controller->local_player() : nullptr;  // what heard may have ended it
    for (Name name : std::exchange(contexts_, {}))
        if (player != nullptr) player->remove_context(name);
    auto* manager = framework::ComponentManager::of(*this);
    if (manager == nullptr) return;
    if (is_its_own) manager->clear_sticky_event(*controller, framework::events::kBindInputsNow);
    manager->clear_sticky_event(actor(), framework::events::kBindInputsNow);
}

}  // namespace lyre::gameplay
