// experience/feature_faults.h: what a fault plan does to features, which know nothing of plans.
//
//     auto plan = std::make_shared<FaultPlan>(def, seed);
//     FeatureFaults faults(plan);
//     Features features({..., .faults = faults});
//     Experiences experiences({features, assets, plan, faults});
//
// Delays, failures and steps that never end happen inside Features. An answer that comes later than others, or twice,
// is a matter of who waits for it: it is kept here until the Host asks. Features are the process's, so their side is
// that of the worlds that want one, or, while none does, of the worlds there are: a client's if only clients are among
// them, else `server`. Experiences knows (ask_as). A plain value; copies are the same. Frame's thread.
#pragma once

#include <functional>
#include <map>
#include <memory>

#include "lyre/core/fault_plan.h"
#include "lyre/features/features.h"

namespace lyre::experience {

inline constexpr std::string_view kServerSide = "server";

class FeatureFaults {
public:
    FeatureFaults() = default;  // all goes well
    explicit FeatureFaults(std::shared_ptr<FaultPlan> plan) : state_(std::make_shared<State>()) {
        state_->plan = std::move(plan);
    }
    features::StepFault operator()(Name feature, features::FeatureState transition) const;
    void ask_as(std::function<std::string(Name feature)> side) const {
        if (state_ != nullptr) state_->side = std::move(side);
    }
    Fault take_answer(Name feature) const;  // what becomes of the next answer about it: Reorder, Twice or None

private:
    struct State {
        std::shared_ptr<FaultPlan> plan;
        std::map<Name, Fault> answers;
        std::function<std::string(Name)> side;
    };
    std::shared_ptr<State> state_;
};

}  // namespace lyre::experience
