#include "lyre/experience/feature_faults.h"

#include <optional>

namespace lyre::experience {
namespace {

using features::FeatureState;

std::optional<FaultStage> stage_of(FeatureState transition) {
    switch (transition) {
        case FeatureState::CheckingStatus:
            return FaultStage::FeatureDiscover;
        case FeatureState::Mounting:
            return FaultStage::FeatureMount;
        case FeatureState::Registering:
            return FaultStage::FeatureRegister;
        case FeatureState::Loading:
            return FaultStage::FeatureLoad;
        case FeatureState::Activating:
            return FaultStage::FeatureActivate;
        case FeatureState::Deactivating:
            return FaultStage::FeatureDeactivate;
        default:
            return std::nullopt;
    }
}

}  // namespace

features::StepFault FeatureFaults::operator()(Name feature, FeatureState transition) const {
    using Effect = features::StepFault::Effect;
    const auto stage = stage_of(transition);
    if (state_ == nullptr || state_->plan == nullptr || !stage) return {};
    const std::string side = state_->side ? state_->side(feature) : std::string(kServerSide);
    Fault fault = state_->plan->ask(side, *stage, feature.text());
    switch (fault.effect) {
        case FaultEffect::None:
            return {};
        case FaultEffect::Delay:
            return {Effect::Delay, fault.seconds, {}};
        case FaultEffect::Fail:
            return {Effect::Fail, 0, fault.reason()};
        case FaultEffect::Never:
            return {Effect::Never, 0, {}};
        case FaultEffect::Reorder:
        case FaultEffect::Twice:
            state_->answers[feature] = std::move(fault);
            return {};
    }
    return {};
}

Fault FeatureFaults::take_answer(Name feature) const {
    if (state_ == nullptr) return {};
    const auto found = state_->answers.find(feature);
    if (found == state_->answers.end()) return {};
    Fault fault = std::move(found->second);
    state_->answers.erase(found);
    return fault;
}

}  // namespace lyre::experience
