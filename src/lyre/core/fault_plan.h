// core/fault_plan.h: what goes wrong on purpose, and when: a list of rules that a loading game asks at each step.
//
//     [[rule]]                          # the third bundle that any client loads comes two seconds late
//     side    = "client"                # server; client: any; else the name of one; left out: everybody
//     stage   = "bundle"
//     nth     = 3                       # left out: every time
//     effect  = "delay"
//     seconds = 2
//     [[rule]]
//     stage       = "feature_load"
//     match       = "tag*"              # ids; * stands for any text
//     probability = 0.1
//     effect      = "fail"
//     code        = "disk_full"
//
//     FaultPlan plan(def, seed);
//     Fault fault = plan.ask("client 2", FaultStage::Bundle, "experience:tag");     // one per thing that happens
//
// Each rule counts and draws for each side by itself, whatever other rules say: `nth` and `probability` go by what the
// rule's side, stage and match fit to. Its draws come from a stream named after the rule (its `name`, or else all that
// it says) and the side. So the same seed and plan give the same faults, and one more rule, or another order of rules,
// changes no other rule's decisions. If several rules apply the first one is taken.
//
// A plan decides; whoever asks carries it out. Plain state: copies go on with the same draws. Frame's thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lyre/core/content_reader.h"
#include "lyre/core/random.h"
#include "lyre/core/type_builder.h"

namespace lyre::inline core {

enum class FaultStage : std::uint8_t {
    Definition,
    Bundle,
    Asset,
    FeatureDiscover,
    FeatureMount,
    FeatureRegister,
    FeatureLoad,
    FeatureActivate,
    FeatureDeactivate,
    ActionHook,
    Pauser,
    ReplicatedChoice,
    ClientReport,
};
inline constexpr std::size_t kFaultStages = 13;
std::string_view to_string(FaultStage stage);  // "feature_load", as in content
void describe(EnumBuilder<FaultStage>& e);

enum class FaultEffect : std::uint8_t {
    None,     // all goes well
    Delay,    // by `seconds`
    Fail,     // with `code`
    Never,    // no answer
    Reorder,  // comes after the next `count` of its stage
    Twice,    // the answer comes two times
};
inline constexpr std::size_t kFaultEffects = 6;
std::string_view to_string(FaultEffect effect);
void describe(EnumBuilder<FaultEffect>& e);

// A hook returns at once, and looking for features waits for nobody: these can only fail. Pausers, the replicated
// choice and reports have nothing to fail with; a pauser is nobody's answer, so it cannot come out of turn or twice.
bool can_happen(FaultStage stage, FaultEffect effect);

struct FaultRule {
    static constexpr double kMaxSeconds = 86'400;
    static constexpr std::int64_t kMaxCount = 1000;
    static constexpr double kNoSeconds = -1;

    std::string name{};  // of its stream; empty: the stream goes by what the rule says
    std::string side{};
    FaultStage stage = FaultStage::Definition;
    std::string match = "*";
    std::int64_t nth = 0;    // from 1; 0: every time
    double probability = 1;  // of each time that is left
    FaultEffect effect = FaultEffect::Fail;
    double seconds = kNoSeconds;  // Delay
    std::string code{};           // Fail; empty: what fails has a code of its own
    std::int64_t count = 0;       // Reorder

    bool fits(std::string_view asking_side, FaultStage at, std::string_view subject) const;
    std::string key() const;  // names its streams
    void check(ContentCheck& check) const;
    static void describe(TypeBuilder<FaultRule>& t);
};

struct FaultPlanDef {
    static constexpr std::size_t kMaxRules = 1024;
    static constexpr std::size_t kMaxText = 256;  // bytes of name, side, match and code

    std::vector<FaultRule> rules{};  // [[rule]]
    void check(ContentCheck& check) const;
    static void describe(TypeBuilder<FaultPlanDef>& t);
};

// Unknown stages and effects, values of another effect and rules that cannot ever apply are problems. The tree is read
// at once; nothing needs to be linked.
Reading read_fault_plan(const Node& tree, FaultPlanDef& def, ReadOptions options);

namespace fault_code {
extern const ProblemCode kCannotHappen;     // 1201
extern const ProblemCode kOfAnotherEffect;  // 1202
}  // namespace fault_code
std::span<const ProblemCode* const> fault_codes();  // in order of number

struct Fault {
    FaultEffect effect = FaultEffect::None;
    double seconds = 0;
    std::string code{};
    std::int64_t count = 0;
    std::string rule{};  // its name, if it has one
    explicit operator bool() const { return effect != FaultEffect::None; }
    std::string to_string() const;  // "delay 2 s", "fail disk_full", "none"
    std::string reason() const;     // of Fail: "disk_full (on purpose)", "a fault on purpose"
};

class FaultPlan {
public:
    static constexpr std::size_t kMaxSides = 4096;  // that ever asked; further ones have no faults

    FaultPlan() = default;  // all goes well
    FaultPlan(FaultPlanDef def, std::uint64_t seed);

    Status add(FaultRule rule);  // behind those there are, while it runs; refused: kMaxRules
    // The first rule that applies.
    Fault ask(std::string_view side, FaultStage stage, std::string_view subject);

    bool is_empty() const { return rules_.empty(); }
    std::uint64_t asked() const { return asked_; }
    std::uint64_t given() const { return given_; }

private:
    struct Progress {  // of a rule on a side
        Random random;
        std::int64_t times = 0;  // it fitted
    };
    struct Side {
        std::string name;
        std::vector<Progress> rules;  // as rules_
    };
    Side* side_of(std::string_view name);
    Random stream_of(const FaultRule& rule, std::string_view side) const;

    std::vector<FaultRule> rules_;
    RandomSource source_{0};
    std::vector<Side> sides_;
    std::uint64_t asked_ = 0, given_ = 0;
};

}  // namespace lyre::inline core
