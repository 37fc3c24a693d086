// Why it is not there yet, and why it did not come.
#include <algorithm>
#include <utility>

#include "lyre/experience/detail/host_walk.h"

namespace lyre::experience {

void PendingItem::describe(TypeBuilder<PendingItem>& t) {
    t.help("something that is waited for");
    t.property("kind", &PendingItem::kind);
    t.property("id", &PendingItem::id);
    t.property("waits", &PendingItem::waits);
    t.property("seconds", &PendingItem::seconds);
    t.property("progress", &PendingItem::progress);
}

void StageCount::describe(TypeBuilder<StageCount>& t) {
    t.help("how far one stage of a load is");
    t.property("stage", &StageCount::stage);
    t.property("done", &StageCount::done);
    t.property("of", &StageCount::of).help("0: not known yet, or none");
    t.property("bytes_done", &StageCount::bytes_done);
    t.property("bytes", &StageCount::bytes).help("of the files that the stage reads; 0: it reads none");
}

void LoadingReport::describe(TypeBuilder<LoadingReport>& t) {
    t.help("what an experience is doing");
    t.property("world", &LoadingReport::world);
    t.property("side", &LoadingReport::side);
    t.property("experience", &LoadingReport::experience);
    t.property("generation", &LoadingReport::generation);
    t.property("state", &LoadingReport::state);
    t.property("seconds_in_state", &LoadingReport::seconds_in_state);
    t.property("progress", &LoadingReport::progress);
    t.property("stages", &LoadingReport::stages);
    t.property("pending", &LoadingReport::pending);
    t.property("pausers", &LoadingReport::pausers);
    t.property("holds", &LoadingReport::holds);
}

void FailedAttempt::describe(TypeBuilder<FailedAttempt>& t) {
    t.help("a load that failed, and what was decided");
    t.property("experience", &FailedAttempt::experience);
    t.property("generation", &FailedAttempt::generation);
    t.property("cause", &FailedAttempt::cause);
    t.property("decision", &FailedAttempt::decision);
    t.property("seconds_ago", &FailedAttempt::seconds_ago);
}

void FailureReport::describe(TypeBuilder<FailureReport>& t) {
    t.help("why an experience did not come");
    t.property("cause", &FailureReport::cause);
    t.property("attempts", &FailureReport::attempts);
    t.property("left_out", &FailureReport::left_out).help("attempts between the first half of these and the others");
}

std::string LoadingReport::to_text() const {
    std::string text = fmt::format("{} is {} for {:.1f} s, {:.0f} %, in world {} ({}, generation {})\n",
                                   experience.empty() ? "no experience" : experience, experience::to_string(state),
                                   seconds_in_state, progress * 100, world, side, generation);
    const auto list = [&](std::string_view title, const std::vector<PendingItem>& items) {
        for (const PendingItem& item : items) {
            text += fmt::format("  {} {} {}, {:.1f} s", title, item.kind, item.id, item.seconds);
            if (!item.waits.empty()) text += fmt::format(": {}", item.waits);
            text += '\n';
        }
    };
    list("waits for", pending);
    list("is held up by", pausers);
    list("the start of play is held by", holds);
    if (pending.empty() && pausers.empty() && state != LoadState::Loaded && state != LoadState::Unloaded &&
        state != LoadState::Failed)
        text += "  waits for the next update\n";
    return text;
}

std::string FailureReport::to_text() const {
    if (cause.is_none() && attempts.empty()) return "it has not failed\n";
    std::string told = cause.is_none() ? std::string() : cause.to_string();
    std::string text = told.empty() ? "it has failed before:\n" : fmt::format("it failed: {}\n", told);
    for (const std::string& other : cause.others) text += fmt::format("  also {}\n", other);
    constexpr std::size_t kShown = 8;  // half of them the first, half the newest
    const std::size_t shown = std::min(attempts.size(), kShown), more = attempts.size() - shown + left_out;
    for (std::size_t n = 0; n < shown; ++n) {
        if (more > 0 && n == shown / 2) text += fmt::format("  {} more\n", more);
        const FailedAttempt& attempt = attempts[n < shown / 2 ? n : attempts.size() - shown + n];
        const bool is_told = attempt.cause == std::exchange(told, attempt.cause);
        text +=
            fmt::format("  {} (generation {}), {:.1f} s ago{}\n    then: {}\n", attempt.experience, attempt.generation,
                        attempt.seconds_ago, is_told ? "" : ": " + attempt.cause, attempt.decision);
    }
    return text;
}

namespace detail {
namespace {

std::string first_of(const assets::LoadHandle& handle) {
    const auto waiting = handle.waiting_for(1);
    return waiting.empty() ? std::string() : waiting.front();
}

}  // namespace

std::vector<std::string> HostWalk::taken() const {
    std::vector<std::string> lines;
    for (const TakenBundle& bundle : taken_bundles_) {
        std::string names;
        for (Name name : bundle.bundles) names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
        lines.push_back(names.empty() ? fmt::format("asset {}", bundle.request.id)
                                      : fmt::format("bundle {} of {}", names, bundle.request.id));
    }
    for (const TakenFeature& feature : taken_features_) lines.push_back(fmt::format("feature {}", feature.id));
    for (const TakenAction& action : taken_actions_) lines.push_back(fmt::format("action {}", action.where));
    for (const LeavingUse& use : leaving_uses_) lines.push_back(fmt::format("action {}", use.where));
    return lines;
}

bool HostWalk::has_taken(Name feature) const {
    return std::any_of(taken_features_.begin(), taken_features_.end(),
                       [&](const TakenFeature& one) { return one.id == feature; });
}

constexpr double kLoadedProgress = 0.95;  // of a feature that is up, and not in this world yet

double HostWalk::progress_of(const TakenFeature& feature) const {
    if (feature.phase == TakenFeature::Phase::Active) return 1;
    return std::min(kLoadedProgress, static_cast<double>(table_->setup.features.progress(feature.id)));
}

// Definition and sets a tenth, bundles and features four tenths each, actions the rest.
float HostWalk::progress() const {
    if (is_loaded()) return 1;
    if (state_ == LoadState::Deactivating && purpose_ == Purpose::Switch) return best_progress_;
    if (state_ < LoadState::Loading || state_ > LoadState::ExecutingActions) return 0;
    double done = 0;
    if (wanted_) {
        done = 0.1;
        double bundles = 0, count = 0;
        for (const TakenBundle& bundle : taken_bundles_) {
            if (!wanted_->has(bundle)) continue;
            bundles += bundle.request.is_done ? 1 : static_cast<double>(bundle.request.handle.progress());
            count += 1;
        }
        done += 0.4 * (has_asked_bundles_ && count > 0 ? bundles / count : has_asked_bundles_ ? 1 : 0);
        double features = 0;
        for (const PlannedFeature& planned : wanted_->plan->features)
            for (const TakenFeature& feature : taken_features_)
                if (feature.id == planned.id) features += progress_of(feature);
        if (state_ >= LoadState::LoadingGameFeatures)
            done +=
                0.4 *
                (wanted_->plan->features.empty() ? 1 : features / static_cast<double>(wanted_->plan->features.size()));
        const std::vector<PlannedAction>& actions = wanted_->plan->actions;
        if (state_ == LoadState::ExecutingActions && !actions.empty()) {
            const auto taken = std::count_if(actions.begin(), actions.end(), [&](const PlannedAction& action) {
                return taken_hashes_.count(action.hash) != 0;
            });
            done += 0.1 * static_cast<double>(taken) / static_cast<double>(actions.size());
        }
    }
    best_progress_ = std::max(best_progress_, static_cast<float>(std::min(done, 0.99)));
    return best_progress_;
}

constexpr std::string_view kWaitsForOthers = "those before it in order";

std::string HostWalk::waits_of(const TakenFeature& feature) const {
    if (feature.phase == TakenFeature::Phase::Loaded) return std::string(kWaitsForOthers);
    const auto here = table_->setup.features.report_in(feature.id, world());
    if (here && here->phase != "joined") return here->to_string();
    return std::string(to_string(table_->setup.features.state(feature.id)));
}

std::vector<StageCount> HostWalk::count_stages() const {
    std::vector<StageCount> stages{{"definition"}, {"bundles"}, {"features"}, {"chaos"}, {"actions"}};
    const auto add = [](StageCount& stage, const Request& request) {
        stage.done += request.is_done ? 1 : 0;
        const assets::LoadBytes bytes = request.handle.bytes();
        stage.bytes_done += bytes.done;
        stage.bytes += bytes.of;
    };
    StageCount &definition = stages[0], &bundles = stages[1], &features = stages[2], &delay = stages[3],
               &actions = stages[4];
    if (definition_ || is_loaded()) definition.of = 1 + static_cast<std::uint32_t>(sets_.size());
    if (definition_) add(definition, *definition_);
    for (const Request& set : sets_) add(definition, set);
    if (is_loaded()) definition.done = definition.of;
    const std::optional<Wanted>& wanted = is_loaded() ? loaded_ : wanted_;
    if (!wanted) return stages;
    const ExperiencePlan* plan = wanted->plan.get();
    for (const TakenBundle& bundle : taken_bundles_) {
        if (!wanted->has(bundle)) continue;
        bundles.of += 1;
        add(bundles, bundle.request);
    }
    features.of = static_cast<std::uint32_t>(plan->features.size());
    for (const PlannedFeature& planned : plan->features)
        for (const TakenFeature& feature : taken_features_)
            if (feature.id == planned.id && feature.phase == TakenFeature::Phase::Active) features.done += 1;
    delay.of = state_ == LoadState::LoadingChaosTestingDelay ? 1 : 0;
    actions.of = static_cast<std::uint32_t>(plan->actions.size());
    for (const PlannedAction& planned : plan->actions)
        if (taken_hashes_.count(planned.hash) != 0) actions.done += 1;
    return stages;
}

LoadingReport HostWalk::explain_loading() const {
    LoadingReport now;
    now.world = subject();
    now.side = std::string(to_string(world().net_mode()));
    now.experience = goal_.experience.is_none() ? std::string() : goal_.experience.to_string();
    now.generation = generation_;
    now.state = state_;
    const auto seconds_since = [&](std::int64_t us) { return static_cast<double>(now_us() - us) / 1e6; };
    now.seconds_in_state = seconds_since(state_since_us_);
    now.progress = static_cast<double>(progress());
    now.stages = count_stages();
    const auto add = [&](std::string kind, std::string id, std::string waits, std::int64_t since, double progress) {
        now.pending.push_back({std::move(kind), std::move(id), std::move(waits), seconds_since(since), progress});
    };
    const auto add_request = [&](const Request& request) {
        if (!request.is_done)
            add(request.kind, request.id.to_string(), first_of(request.handle), request.since_us,
                static_cast<double>(request.handle.progress()));
    };
    if (state_ >= LoadState::Loading && state_ <= LoadState::ExecutingActions) {
        if (definition_) add_request(*definition_);
        for (const Request& set : sets_) add_request(set);
        if (wanted_)
            for (const TakenBundle& bundle : taken_bundles_)
                if (wanted_->has(bundle)) add_request(bundle.request);
        if (!extras_.needed_load.is_over())
            add("asset", extras_.needed.front().to_string(), first_of(extras_.needed_load), extras_.needed_since_us,
                static_cast<double>(extras_.needed_load.progress()));
    }
    const bool needs_play = state_ == LoadState::LoadingGameFeatures || state_ == LoadState::ExecutingActions;
    if (needs_play && !world().has_begun_play()) add("world", subject(), "begins play", state_since_us_, 0);
    if (state_ == LoadState::LoadingGameFeatures)
        for (const TakenFeature& feature : taken_features_)
            if (feature.phase != TakenFeature::Phase::Active)
                add("feature", std::string(feature.id.text()), waits_of(feature), feature.since_us,
                    progress_of(feature));
    if (state_ == LoadState::LoadingChaosTestingDelay)
        add("delay", "lyre.chaos.ExperienceDelayLoad",
            fmt::format("{:.1f} s of world time", delay_until_ - world().time()), state_since_us_, 0);
    if (state_ == LoadState::ExecutingActions && wanted_)
        for (const WantedAction& action : wanted_->actions)
            if (!action.is_left_out && !is_taken(action))
                add("action", action.planned->where(), "", state_since_us_, 0);
    if (state_ == LoadState::Deactivating)
        for (const TakenFeature& feature : taken_features_)
            if (feature.phase == TakenFeature::Phase::Leaving)
                add("feature", std::string(feature.id.text()), "leaves this world", feature.since_us, 0);
    now.pausers = pausers();
    for (const auto& hold : holds_)
        if (!hold->is_released && !may_play_start())
            now.holds.push_back({"hold", hold->name, "", seconds_since(hold->since_us), 0});
    if (state_ == LoadState::Failed && after_ == After::Retry)
        add("retry", now.experience, fmt::format("in {:.1f} s", *seconds_to_next_attempt()), state_since_us_, 0);
    // Who waits for another in the list is not what is waited for.
    std::stable_sort(now.pending.begin(), now.pending.end(), [](const PendingItem& a, const PendingItem& b) {
        const bool first = a.waits == kWaitsForOthers, second = b.waits == kWaitsForOthers;
        return first != second ? second : a.seconds > b.seconds;
    });
    return now;
}

FailureReport HostWalk::explain_failure() const {
    FailureReport all{failure_, {}, attempts_left_out_};
    for (const Attempt& attempt : attempts_) {
        all.attempts.push_back(attempt.what);
        all.attempts.back().seconds_ago = static_cast<double>(now_us() - attempt.at_us) / 1e6;
    }
    return all;
}

}  // namespace detail

}  // namespace lyre::experience
