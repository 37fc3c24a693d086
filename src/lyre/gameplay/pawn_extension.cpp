#include "lyre/gameplay/pawn_extension.h"

#include <stdexcept>
#include <utility>
#include <vector>

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
    if (actor().find<PawnExtensionComponent>() != this)
        throw std::logic_error("the pawn has a PawnExtensionComponent already");
    const OwnerScope as(world().owner());        // they go with it, whoever's code has made it
    if (!register_init_state_feature()) return;  // a world without a manager
    declare_init_need(kDataAvailable, Need::holds(Name("PawnData"),
                                                  [](const Actor& actor) {
                                                      const auto* self = actor.find<PawnExtensionComponent>();
                                                      return self != nullptr && self->has_data();
                                                  },
                                                  {kPawnDataSignal, kControllerSignal}))  // it may have gone
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
    const OwnerScope as(world().owner());
    bind_on_actor_init_state_changed();
    try_to_change_init_state(kSpawned);
    hold_data();
    PawnComponent::begin_play();
}

void PawnExtensionComponent::check_default_initialization() {
    check_default_initialization_for_implementers();
    continue_init_state_chain();
}

// Others may wait for what has its data now. On the way down nobody is asked up again.
void PawnExtensionComponent::on_actor_init_state_changed(const framework::InitStateChange& change) {
    auto& manager = *framework::ComponentManager::of(*this);
    if (change.kind == framework::InitChangeKind::Changed &&
        manager.is_init_state_after_or_equal(change.new_state, kDataAvailable) &&
        (!change.old_state || manager.is_init_state_after_or_equal(change.new_state, change.old_state)))
        check_default_initialization();
}

// One that is still to be Loaded, or is not known here yet, may bring what is named, or the feature that has it.
bool PawnExtensionComponent::is_experience_loaded() const {
    const Gameplay* gameplay = Gameplay::of(world());
    const experience::Host* host = gameplay != nullptr ? gameplay->host(world()) : nullptr;
    return host != nullptr && host->is_experience_loaded();
}

bool PawnExtensionComponent::has_data() const {
    return is_experience_loaded() && pawn_data() != nullptr;
}

// Each may do anything as it climbs.
void PawnExtensionComponent::look_for_data(World& world) {
    const Type* type = world.runtime().types().find<PawnExtensionComponent>();
    if (type == nullptr) return;
    std::vector<PawnExtensionComponent*> all;
    const World::CallScope scope(world);
    world.each_object_of(*type, [&](Object& object) { all.push_back(&static_cast<PawnExtensionComponent&>(object)); });
    for (PawnExtensionComponent* one : all) {
        if (one->is_doomed() || !one->has_begun_play()) continue;  // begin_play looks
        one->hold_data();
        one->pawn().signal(kPawnDataSignal);
    }
}

// What is there at once is for the caller to tell. What has failed is given back first, so that it is tried again.
void PawnExtensionComponent::hold_data() {
    const assets::PrimaryAssetId before = std::exchange(looked_for_, pawn_data_.get());
    const Gameplay* gameplay = is_experience_loaded() && !is_doomed() ? Gameplay::of(world()) : nullptr;
    const bool is_everybodys = gameplay != nullptr && gameplay->pawn_data_for(world(), nullptr) == looked_for_;
    const bool is_held = data_ && before == looked_for_ && data_->state() <= assets::LoadState::Complete;
    const bool is_to_hold = gameplay != nullptr && !(is_everybodys && pawn_data() != nullptr);
    if (is_to_hold && is_held) return;
    data_.reset();
    if (!is_to_hold) return;
    const OwnerScope as(world().owner());
    data_ = gameplay->hold_pawn_data(world(), looked_for_);
    if (data_->is_over()) return report_failure();
    data_->on_over([this](assets::LoadState how) {
        report_failure();
        if (how == assets::LoadState::Complete) pawn().signal(kPawnDataSignal);
    });
}

// Only if it is waited for: elsewhere the server may be about to name other data.
void PawnExtensionComponent::report_failure() const {
    if (data_->state() != assets::LoadState::Failed || has_reached_init_state(kDataAvailable)) return;
    world().runtime().log().report(LogLevel::Error, Name("gameplay.no_pawn_data"), fmt::format("{}", actor().id()),
                                   fmt::format("{} cannot be loaded: {}", looked_for_, data_->status().text()));
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
    std::vector<Name> parts;  // what one does as it leaves may end another
    for (const framework::InitStateInterface* part : manager->implementers(actor()))
        parts.push_back(part->feature_name());
    for (Name part : parts) manager->reset_init_state(actor(), part, kSpawned).ignore();
}

void PawnExtensionComponent::pawn_data_replicated(const assets::PrimaryAssetId& old) {
    const World::CallScope scope(world());
    if (old.is_none() && looked_for_ == pawn_data_.get()) return;  // told of what it has begun with
    if (!old.is_none() && old != pawn_data_.get()) lead_back();
    if (!is_doomed()) pawn_data_changed();
}

void PawnExtensionComponent::pawn_data_changed() {
    if (actor().life() == LifeState::Constructed) return;  // it is set up: begin_play looks
    world().mark_urgent(actor().id());
    if (has_begun_play()) hold_data();
    pawn().signal(kPawnDataSignal);
}

}  // namespace lyre::gameplay
