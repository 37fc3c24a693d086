// session/project_features.cpp: features of a project come to their initial state or to Registered, and go again.
#include <algorithm>

#include "lyre/session/project.h"

namespace lyre::session {
namespace {

constexpr std::int64_t kStartUs = 30'000'000;  // for features that are there from the start

}  // namespace

void Project::start_features() {
    if (is_starting()) return;
    start_ = std::make_shared<Start>(Start{runtime_.clock().now_us()});
    features_->start([start = start_](const features::FeatureResults&) { start->is_over = true; });
}

experience::LoadingReport Project::start_report() const {
    return report_of(features_->from_the_start(), start_ == nullptr ? runtime_.clock().now_us() : start_->begin_us);
}

// How far features are that move since then. Who waits for another of them is not what is waited for, and comes last.
experience::LoadingReport Project::report_of(const std::vector<Name>& ids, std::int64_t begin_us) const {
    using features::FeatureState;
    experience::LoadingReport report;
    std::vector<experience::PendingItem> others;
    experience::StageCount count{.stage = "features"};
    const double seconds = static_cast<double>(runtime_.clock().now_us() - begin_us) / 1e6;
    for (const Name id : ids) {
        const features::FeatureReport said = features_->report(id);
        count.of += 1;
        if (said.goal.empty()) {
            count.done += 1;
            continue;
        }
        const FeatureState state = features_->state(id);
        const bool waits_for_others = state == FeatureState::WaitingForDependencies ||
                                      state == FeatureState::LoadingDependencies ||
                                      state == FeatureState::ActivatingDependencies;
        const std::string waits = said.state + (said.waits_for.empty() ? "" : ": " + said.waits_for);
        (waits_for_others ? others : report.pending)
            .push_back({"feature", said.id, waits, seconds, static_cast<double>(said.progress)});
    }
    std::move(others.begin(), others.end(), std::back_inserter(report.pending));
    report.progress = count.of == 0 ? 1 : static_cast<double>(count.done) / static_cast<double>(count.of);
    report.stages.push_back(std::move(count));
    return report;
}

void Project::end_start() {
    std::string late;
    for (const experience::PendingItem& item : start_report().pending)
        late += fmt::format("{}{} ({})", late.empty() ? "" : ", ", item.id, item.waits);
    start_->is_over = true;
    runtime_.log().report(
        LogLevel::Error, Name("project.start"), folder_,
        fmt::format("features that should be there from the start are late, it goes on without: {}", late));
}

// Without frames, for those who have not begun; on a clock that stands still it ends all the same.
void Project::await_start() {
    for (std::int64_t round = 0; is_starting(); ++round) {
        pump();
        if (!is_starting()) return;
        if (round * kWaitUs >= kStartUs) return end_start();
        executor_.wait_for_progress(kWaitUs);
    }
}

void Project::register_features() {
    std::vector<features::Target> targets;
    for (const Name id : features_->known()) targets.push_back({id, features::Destination::Registered});
    const auto answer = std::make_shared<bool>(false);
    features_->change_targets(targets, [answer](const features::FeatureResults&) { *answer = true; });
    const std::int64_t begin_us = runtime_.clock().now_us();
    for (std::int64_t round = 0; !*answer && round * kWaitUs < kStartUs; ++round) {
        pump();
        if (told_ && !*answer) {
            const experience::LoadingReport report = report_of(features_->known(), begin_us);
            const std::string item =
                report.pending.empty() ? "" : fmt::format("{}: {}", report.pending[0].id, report.pending[0].waits);
            if (!tell({"features", report.stages[0].done, targets.size(), {}, item})) return;
        }
        if (!*answer) executor_.wait_for_progress(kWaitUs);
    }
    if (!*answer)
        runtime_.log().report(LogLevel::Error, Name("project.start"), folder_,
                              "not every feature has been registered in time");
}

void Project::release_features() {
    for (const Name id : features_->known())
        if (features_->state(id) > features::FeatureState::Installed)
            features_->unload(id, features::KeepRegistered::No, {}, features::Dependents::TakeDown);
    features_->trim();
}

std::vector<std::string> Project::leftovers() const {
    std::vector<std::string> left;
    for (const Name id : features_->known()) {
        for (const features::LedgerEntry& entry : features_->ledger(id))
            left.push_back(fmt::format("feature {}: {} {}", id, to_string(entry.kind), entry.id));
        if (features_->report(id).is_resident) left.push_back(fmt::format("feature {}: its library is in memory", id));
    }
    for (const experience::SharedActionInfo& action : experiences_->shared_actions())
        left.push_back(fmt::format("action {}", action.kind));
    return left;
}

void Project::pump() {
    assets_.pump();
    features_->update();
    experiences_->update();
    if (is_starting() && runtime_.clock().now_us() - start_->begin_us >= kStartUs) end_start();
}

}  // namespace lyre::session
