#include "lyre/gameplay/pawn_extension.h"

#include <stdexcept>

#include "lyre/experience/host.h"
#include "lyre/framework/component_manager.h"
#include "lyre/gameplay/detail/refused_pawn_data.h"
#include "lyre/gameplay/gameplay.h"
#include "lyre/gameplay/pawn.h"
#include "lyre/world/class_info.h"
#include "lyre/world/world.h"

namespace lyre::gameplay {

using framework::Need;

const Name kPawnExtension("PawnExtension");

void PawnExtensionComponent::describe(TypeBuilder<PawnExtensionComponent>& t) {
    t.help("leads the parts of a pawn to GameplayReady");
    t.parent<PawnComponent>();
    t.property("pawn_data", &PawnExtensionComponent::pawn_data_)
        .replicated()
        .notify(&PawnExtensionComponent::pawn_data_replicated);
}

void PawnExtensionComponent::registered() {
    if (actor().as<Pawn>() == nullptr) throw std::logic_error("a PawnExtensionComponent belongs to a Pawn");
    if (actor().find<PawnExtensionComponent>() != this)
        throw std::logic_error("the pawn has a PawnExtensionComponent already");
    const OwnerScope as(world().owner());        // they go with it, whoever's code has made it
    if (!register_init_state_feature()) return;  // a world without a manager
    declare_init_need(kDataAvailable, Need::holds(Name("PawnData"),
                                                  [](const Actor& actor) {
                                                      const auto* self = actor.find<PawnExtensionComponent>();
                                                      return self != nullptr && self->pawn_data() != nullptr;
                                                  },
                                                  {kPawnDataSignal}))
        .ignore();
    declare_init_need(kDataAvailable, Need::holds(Name("controller"),
                                                  [](const Actor& actor) {
                                                      const Pawn& pawn = *actor.as<Pawn>();
                                                      const bool is_needed = pawn.role() != Role::SimulatedProxy;
                                                      return !is_needed || pawn.controller() != nullptr;
                                                  },
                                                  {kControllerSignal}))
        .ignore();
    declare_init_need(kDataInitialized, Need::all_reached(kDataAvailable)).ignore();
}

void PawnExtensionComponent::begin_play() {
    try_to_change_init_state(kSpawned);
    wait_for_data();
}

// Experiences may bring it into memory.
void PawnExtensionComponent::wait_for_data() {
    if (has_reached_init_state(kDataAvailable) || loaded_.is_registered()) return;
    const Gameplay* gameplay = Gameplay::of(world());
    experience::Host* host = gameplay != nullptr ? gameplay->host(world()) : nullptr;
    if (host == nullptr) return;
    const OwnerScope as(world().owner());  // it goes with it, whoever's code has brought this about
    const auto look = [this](const auto&) {
        if (pawn_data() != nullptr) pawn().signal(kPawnDataSignal);
    };
    loaded_ = host->call_or_register_on_experience_loaded(experience::Priority::Normal, *this, look,
                                                          experience::Repeat::EachLoad);
    if (has_reached_init_state(kDataAvailable)) loaded_ = {};
}

Status PawnExtensionComponent::handle_change_init_state(Name, Name to) {
    if (to == kDataAvailable) loaded_ = {};
    return Status::ok();
}

const PawnData* PawnExtensionComponent::pawn_data() const {
    const Gameplay* gameplay = Gameplay::of(world());
    return gameplay != nullptr ? gameplay->find_pawn_data(pawn_data_) : nullptr;
}

Status PawnExtensionComponent::set_pawn_data(assets::PrimaryAssetId data) {
    const auto refused = [&](Status why) { return detail::refused_pawn_data(actor(), std::move(why)); };
    if (!actor().has_authority()) return refused(Status::refused("only the server says what a pawn is made of"));
    if (data.is_none()) return refused(Status::invalid("no PawnData is named"));
    if (!pawn_data_.get().is_none()) return refused(Status::refused("the pawn has {} already", pawn_data_.get()));
    pawn_data_ = data;
    pawn_data_changed();
    return Status::ok();
}

void PawnExtensionComponent::change_pawn_data(assets::PrimaryAssetId data) {
    if (!actor().has_authority() || pawn_data_.get() == data) return;
    const World::CallScope scope(world());
    pawn_data_ = assets::PrimaryAssetId();
    lead_back();
    if (is_doomed()) return;
    pawn_data_ = data;
    pawn_data_changed();
}

void PawnExtensionComponent::lead_back() {
    auto* manager = framework::ComponentManager::of(*this);
    if (manager == nullptr) return;
    for (framework::InitStateInterface* part : manager->implementers(actor()))
        if (part != nullptr) manager->reset_init_state(actor(), part->feature_name(), kSpawned).ignore();
}

void PawnExtensionComponent::pawn_data_replicated(const assets::PrimaryAssetId& old) {
    const World::CallScope scope(world());
    if (!old.is_none() && old != pawn_data_.get()) lead_back();
    if (!is_doomed()) pawn_data_changed();
}

void PawnExtensionComponent::pawn_data_changed() {
    if (actor().life() == LifeState::Constructed) return;  // it is set up: begin_play looks
    world().mark_urgent(actor().id());
    pawn().signal(kPawnDataSignal);
    if (has_begun_play()) wait_for_data();
}

}  // namespace lyre::gameplay
