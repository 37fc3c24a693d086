#include "lyre/core/fault_plan.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <set>

#include "lyre/core/content_codes.h"
#include "lyre/core/suggest.h"

namespace lyre::inline core {

namespace fault_code {
constexpr ProblemCode kCannotHappen{1201, "fault that cannot happen",
                                    "The stage has no such fault: a hook returns at once and looking for features "
                                    "waits for nobody, so these can only fail; and what is only sent or waited for "
                                    "cannot fail."};
constexpr ProblemCode kOfAnotherEffect{1202, "value of another effect",
                                       "`seconds` belongs to delay, `code` to fail and `count` to reorder."};
}  // namespace fault_code

using namespace fault_code;
using namespace content_code;

std::span<const ProblemCode* const> fault_codes() {
    static constexpr const ProblemCode* kAll[] = {&kCannotHappen, &kOfAnotherEffect};
    return kAll;
}

namespace {

constexpr std::string_view kServer = "server", kClient = "client";

constexpr std::string_view kStageNames[kFaultStages] = {
    "definition",         "bundle",           "asset",        "feature_discover",
    "feature_mount",      "feature_register", "feature_load", "feature_activate",
    "feature_deactivate", "action_hook",      "pauser",       "replicated_choice",
    "client_report",
};
constexpr std::string_view kEffectNames[kFaultEffects] = {"none", "delay", "fail", "never", "reorder", "twice"};

// Of the whole text; `*` stands for any text. Goes back to the last star only, so it takes no more than the product of
// the lengths.
bool matches(std::string_view pattern, std::string_view text) {
    std::size_t p = 0, t = 0, star = std::string_view::npos, after_star = 0;
    while (t < text.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            after_star = t;
        } else if (p < pattern.size() && pattern[p] == text[t]) {
            ++p;
            ++t;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            t = ++after_star;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*') ++p;
    return p == pattern.size();
}

// What a side was meant to be, if it is misspelled: clients may have any name, but not one that is taken for another.
std::string_view meant_side(std::string_view side) {
    if (side.empty() || side == kServer || side == kClient) return {};
    Nearest search(side);
    search.consider(kServer);
    const bool has_number = std::any_of(side.begin(), side.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
    if (!has_number) search.consider(kClient);
    return search.best();
}

}  // namespace

std::string_view to_string(FaultStage stage) {
    return kStageNames[static_cast<std::size_t>(stage)];
}

void describe(EnumBuilder<FaultStage>& e) {
    for (std::size_t i = 0; i < kFaultStages; ++i) e.value(kStageNames[i], static_cast<FaultStage>(i));
}

std::string_view to_string(FaultEffect effect) {
    return kEffectNames[static_cast<std::size_t>(effect)];
}

void describe(EnumBuilder<FaultEffect>& e) {
    for (std::size_t i = 1; i < kFaultEffects; ++i) e.value(kEffectNames[i], static_cast<FaultEffect>(i));
}

bool can_happen(FaultStage stage, FaultEffect effect) {
    switch (stage) {
        case FaultStage::ActionHook:
        case FaultStage::FeatureDiscover:
            return effect == FaultEffect::Fail || effect == FaultEffect::None;
        case FaultStage::Pauser:
            return effect == FaultEffect::Delay || effect == FaultEffect::Never || effect == FaultEffect::None;
        case FaultStage::ReplicatedChoice:
        case FaultStage::ClientReport:
            return effect != FaultEffect::Fail;
        default:
            return true;
    }
}

// FaultRule

bool FaultRule::fits(std::string_view asking_side, FaultStage at, std::string_view subject) const {
    const bool is_side = side.empty() || side == asking_side || (side == kClient && asking_side != kServer);
    return is_side && stage == at && matches(match, subject);
}

std::string FaultRule::key() const {
    if (!name.empty()) return fmt::format("name {}", name);
    return fmt::format("rule {}:{} {} {}:{} {} {} {} {} {}:{} {}", side.size(), side, to_string(stage), match.size(),
                       match, nth, probability, to_string(effect), seconds, code.size(), code, count);
}

void FaultRule::check(ContentCheck& check) const {
    const auto check_length = [&](std::string_view text, std::string_view key) {
        if (text.size() > FaultPlanDef::kMaxText)
            check.problem(
                kTextTooLong, key,
                fmt::format("{} has {} bytes; {} are allowed", check.where(key), text.size(), FaultPlanDef::kMaxText));
    };
    check_length(name, "name");
    check_length(side, "side");
    check_length(match, "match");
    check_length(code, "code");
    if (match.empty())
        check.problem(kEmptyText, "match", fmt::format("{} is empty", check.where("match")), "\"*\" fits all");
    if (const std::string_view meant = meant_side(side); !meant.empty())
        check.problem(kUnknownValue, "side", fmt::format("{} is {}", check.where("side"), in_quotes(side)),
                      fmt::format("did you mean \"{}\"? a client is called by another name than that", meant));
    if (!can_happen(stage, effect))
        check.problem(
            kCannotHappen, "effect",
            fmt::format("{}: {} cannot happen at {}", check.where("effect"), to_string(effect), to_string(stage)),
            can_happen(stage, FaultEffect::Fail) ? "\"fail\" can" : "");

    const auto belongs = [&](std::string_view key, bool is_given, FaultEffect of, bool is_needed) {
        if (is_given && effect != of)
            check.problem(
                kOfAnotherEffect, key,
                fmt::format("{} belongs to {}; the effect is {}", check.where(key), to_string(of), to_string(effect)));
        if (is_needed && !is_given && effect == of)
            check.problem(kMissingKey, "",
                          fmt::format("{} needs \"{}\": its effect is {}", check.where(), key, to_string(of)));
    };
    belongs("seconds", seconds != kNoSeconds, FaultEffect::Delay, true);
    belongs("code", !code.empty(), FaultEffect::Fail, false);
    belongs("count", count != 0, FaultEffect::Reorder, true);
}

void FaultRule::describe(TypeBuilder<FaultRule>& t) {
    t.property("name", &FaultRule::name).help("what its draws go by; left out: all that it says");
    t.property("side", &FaultRule::side).help("server, client (any), or the name of a client; left out: everybody");
    t.property("stage", &FaultRule::stage).required();
    t.property("match", &FaultRule::match).help("ids that it is about; * stands for any text");
    t.property("nth", &FaultRule::nth).range(0, 1'000'000'000).help("only the n-th time; 0: every time");
    t.property("probability", &FaultRule::probability).range(0, 1);
    t.property("effect", &FaultRule::effect).required();
    t.property("seconds", &FaultRule::seconds).range(0, kMaxSeconds).units("s").help("of a delay");
    t.property("code", &FaultRule::code).help("of a failure");
    t.property("count", &FaultRule::count).range(1, kMaxCount).help("of those that come before a reordered one");
    t.hook<&FaultRule::check>("check");
}

// FaultPlanDef

// Two rules of one key would always decide alike.
void FaultPlanDef::check(ContentCheck& check) const {
    if (rules.size() > kMaxRules)
        check.problem(kListTooLong, fmt::format("rule[{}]", kMaxRules),
                      fmt::format("{} rules are written; {} are allowed", rules.size(), kMaxRules));
    std::set<std::string> keys;
    for (std::size_t i = 0; i < std::min(rules.size(), kMaxRules); ++i) {
        if (keys.insert(rules[i].key()).second) continue;
        const bool has_name = !rules[i].name.empty();
        const std::string path = fmt::format("rule[{}]{}", i, has_name ? ".name" : "");
        check.problem(kSaidTwice, path,
                      has_name ? fmt::format("two rules are called {}", in_quotes(rules[i].name))
                               : fmt::format("{} says what another rule says already", check.where(path)),
                      has_name ? "" : "give it a name if it is to draw for itself");
    }
}

void FaultPlanDef::describe(TypeBuilder<FaultPlanDef>& t) {
    t.property("rule", &FaultPlanDef::rules);
    t.hook<&FaultPlanDef::check>("check");
}

Reading read_fault_plan(const Node& tree, FaultPlanDef& def, ReadOptions options) {
    if (options.subject.empty()) options.subject = "fault plan";
    return read_content(tree, value_type<FaultPlanDef>(), &def, std::move(options));
}

// FaultPlan

std::string Fault::to_string() const {
    const std::string_view name = core::to_string(effect);
    if (effect == FaultEffect::Delay) return fmt::format("{} {} s", name, seconds);
    if (effect == FaultEffect::Fail && !code.empty()) return fmt::format("{} {}", name, code);
    if (effect == FaultEffect::Reorder) return fmt::format("{} {}", name, count);
    return std::string(name);
}

std::string Fault::reason() const {
    return code.empty() ? "a fault on purpose" : fmt::format("{} (on purpose)", code);
}

FaultPlan::FaultPlan(FaultPlanDef def, std::uint64_t seed) : rules_(std::move(def.rules)), source_(seed) {}

Status FaultPlan::add(FaultRule rule) {
    if (rules_.size() >= FaultPlanDef::kMaxRules) return Status::capacity("{} rules are there already", rules_.size());
    for (Side& side : sides_) side.rules.push_back({stream_of(rule, side.name), 0});
    rules_.push_back(std::move(rule));
    return Status::ok();
}

Random FaultPlan::stream_of(const FaultRule& rule, std::string_view side) const {
    return source_.stream(fmt::format("fault {} on {}", rule.key(), side));
}

// All rules that fit count and draw, also behind the one that is taken: what they decide must not depend on it.
Fault FaultPlan::ask(std::string_view side, FaultStage stage, std::string_view subject) {
    ++asked_;
    Side* known = rules_.empty() ? nullptr : side_of(side);
    if (known == nullptr) return {};
    const FaultRule* taken = nullptr;
    for (std::size_t i = 0; i < rules_.size(); ++i) {
        const FaultRule& rule = rules_[i];
        if (!rule.fits(side, stage, subject)) continue;
        Progress& progress = known->rules[i];
        const bool is_time = ++progress.times == rule.nth || rule.nth == 0;
        const bool is_drawn = progress.random.chance(static_cast<float>(rule.probability));
        if (is_time && is_drawn && taken == nullptr) taken = &rule;
    }
    if (taken == nullptr) return {};
    ++given_;
    return {taken->effect, std::max(taken->seconds, 0.0), taken->code, taken->count, taken->name};
}

FaultPlan::Side* FaultPlan::side_of(std::string_view name) {
    const auto found = std::find_if(sides_.begin(), sides_.end(), [&](const Side& side) { return side.name == name; });
    if (found != sides_.end()) return &*found;
    if (sides_.size() >= kMaxSides) return nullptr;
    Side& side = sides_.emplace_back();
    side.name = name;
    for (const FaultRule& rule : rules_) side.rules.push_back({stream_of(rule, name), 0});
    return &side;
}

}  // namespace lyre::inline core
