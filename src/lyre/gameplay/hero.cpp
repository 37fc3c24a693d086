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

ActorId id_or_none(const Controller* controller) {
    return controller != nullptr ? controller->id() : ActorId();
}

const PawnData* data_of(const Actor& actor) {
    const auto* extension = actor.find<PawnExtensionComponent>();
    return extension != nullptr ? extension->pawn_data() : nullptr;
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
    declare_init_need(kDataAvailable, Need::holds(Name("controller"), &HeroComponent::has_right_controller,
                                                  {kControllerSignal, kPlayerStateSignal})
                                          .kept())
        .ignore();
    declare_init_need(kDataAvailable,
                      Need::holds(Name("input"), has_input_where_needed, {kInputSignal, kControllerSignal}))
        .ignore();
    declare_init_need(kDataInitialized, Need::reached(kPawnExtension, kDataInitialized)).ignore();
    declare_init_need(kDataInitialized,
                      Need::holds(Name("PawnData"), [](const Actor& actor) { return data_of(actor) != nullptr; },
                                  {kPawnDataSignal, kControllerSignal}))  // it may have gone since the last climb
        .ignore();
}

// Others merely watch a simulated pawn that nobody steers here; elsewhere its controller and its PlayerState belong
// together. Who is up stays so with that controller alone.
bool HeroComponent::has_right_controller(const Actor& actor) {
    const Pawn& pawn = *actor.as<Pawn>();
    const auto* hero = actor.find<HeroComponent>();
    const Controller* controller = pawn.controller();
    if (hero != nullptr && hero->with_ && *hero->with_ != id_or_none(controller)) return false;
    if (controller == nullptr) return pawn.role() == Role::SimulatedProxy;
    return controller->player_state() == pawn.player_state();
}

void HeroComponent::begin_play() {
    try_to_change_init_state(kSpawned);
    PawnComponent::begin_play();
}

void HeroComponent::end_play(EndReason) {
    give_back();
}

Status HeroComponent::handle_change_init_state(Name, Name to) {
    if (to != kDataInitialized) return Status::ok();
    const PawnData* data = data_of(actor());
    Controller* controller = pawn().controller();
    with_ = id_or_none(controller);
    if (controller == nullptr || data == nullptr || !controller->is_local()) return Status::ok();
    const World::CallScope scope(world());
    const Name camera = data->camera;
    controller->lend_to(pawn().id());
    if (auto* person = controller->as<PlayerController>()) bind_input(*person);
    if (is_doomed() || pawn().controller() != controller) return Status::ok();  // what was told has taken it away
    controller->set_camera_mode(camera);
    return Status::ok();
}

void HeroComponent::handle_exit_init_state(Name from, Name) {
    auto& manager = *framework::ComponentManager::of(*this);
    const bool is_above = from != kDataInitialized && manager.is_init_state_after_or_equal(from, kDataInitialized);
    if (!with_ || is_above) return;
    const ActorId was_with = *with_;
    give_back();
    // From now on its need asks for the one that is there.
    if (!is_doomed() && was_with != id_or_none(pawn().controller())) manager.signal(actor(), kControllerSignal);
}

void HeroComponent::give_back() {
    const World::CallScope scope(world());
    auto* controller = world().find<Controller>(std::exchange(with_, std::nullopt).value_or(ActorId()));
    auto* person = controller != nullptr ? controller->as<PlayerController>() : nullptr;
    const bool was_bound = std::exchange(is_bound_, false);
    if (was_bound && person != nullptr && person->local_player() != nullptr)
        person->local_player()->release_held(actor().id());
    // What heard of that may have lent it to another pawn.
    const bool is_its_own = controller != nullptr && controller->lent_to() == actor().id();
    if (is_its_own) {
        controller->lend_to({});
        controller->set_camera_mode({});
    }
    if (was_bound) unbind_input(is_its_own ? person : nullptr);
}

void HeroComponent::bind_input(PlayerController& controller) {
    auto* input = pawn().find<InputComponent>();
    const PawnData* data = data_of(actor());
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

// `its_own`: whose contexts are still those of this pawn; null: nobody's.
void HeroComponent::unbind_input(PlayerController* its_own) {
    const auto bound = std::exchange(bindings_, {});  // whoever hears of a release may bind anew
    for (Component* part = actor().first_component(); part != nullptr; part = part->next())  // of a pawn that goes, too
        if (auto* input = part->as<InputComponent>())
            for (InputComponent::BindingId id : bound) input->unbind(id);
    LocalPlayer* player = its_own != nullptr ? its_own->local_player() : nullptr;
    for (Name name : std::exchange(contexts_, {}))
        if (player != nullptr) player->remove_context(name);
    auto* manager = framework::ComponentManager::of(*this);
    if (manager == nullptr) return;
    if (its_own != nullptr) manager->clear_sticky_event(*its_own, framework::events::kBindInputsNow);
    manager->clear_sticky_event(actor(), framework::events::kBindInputsNow);
}

}  // namespace lyre::gameplay
