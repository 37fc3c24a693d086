// What is done once per frame: what needs allow moves; rings of features that wait for each other and stalls are told.
#include <algorithm>
#include <unordered_set>

#include "lyre/framework/detail/init_engine.h"

namespace lyre::framework::detail {

namespace {

constexpr std::size_t kMaxRing = 64;        // features that wait for each other; longer ones are not looked for
constexpr std::int64_t kHitchUs = 100'000;  // between two settles: that long nobody could see what moved

std::string title(const Actor& actor) {
    return fmt::format("{} ({})", actor.id(), actor.type().name);
}

}  // namespace

void InitEngine::settle() {
    const Call call(*this);
    if (has_ended_) return;
    const std::int64_t before_us = std::exchange(settled_us_, runtime_->clock().now_us());
    now_us_ = settled_us_;
    if (settled_us_ - before_us > kHitchUs) forgive_hitch(before_us);
    settle_needs();
    if (depth_ == 1) run();
    if (!touched_.all.empty()) find_rings();
    if (!waiting_.all.empty()) report_stalls();
}

// Changes carry the time of the settle before them. After a long gap that is far too early for what moved in the gap.
// It is forgiven once, and only stalls forgive it.
void InitEngine::forgive_hitch(std::int64_t before_us) {
    for (ActorData* data : waiting_.all)
        for (Feature& feature : data->features)
            if (feature.since_us >= before_us && feature.forgiven_us < before_us) feature.forgiven_us = now_us_;
}

// In the order of their first features.
std::vector<ActorData*> InitEngine::in_order(std::vector<ActorData*> actors) {
    std::sort(actors.begin(), actors.end(), [](const auto* a, const auto* b) { return a->order < b->order; });
    return actors;
}

// A new ring has a new edge in it, and that begins at a feature that was refused since the last time.
void InitEngine::find_rings() {
    std::vector<FeatureRef> starts;
    for (ActorData* data : in_order(std::exchange(touched_.all, {}))) {
        data->touched_at = 0;
        for (const Feature& feature : data->features) starts.push_back(data->ref(feature));
    }
    std::vector<FeatureRef> path;
    std::unordered_set<std::uint32_t> done;
    for (const FeatureRef start : starts) follow(start, path, done);
}

void InitEngine::follow(FeatureRef ref, std::vector<FeatureRef>& path, std::unordered_set<std::uint32_t>& done) {
    if (const auto place = std::find(path.begin(), path.end(), ref); place != path.end())
        return report_ring(std::vector<FeatureRef>(place, path.end()));
    if (path.size() >= kMaxRing || done.count(ref.life) > 0) return;
    path.push_back(ref);
    for (const Wait& wait : waits_of(ref))
        if (find(wait.on) != nullptr) follow(wait.on, path, done);
    path.pop_back();
    done.insert(ref.life);
}

void InitEngine::report_ring(const std::vector<FeatureRef>& ring) {
    bool is_new = false;
    std::string text;
    ActorId subject;
    for (std::size_t i = 0; i < ring.size(); ++i) {
        ActorData* data = nullptr;
        Feature* feature = find(ring[i], &data);
        if (feature == nullptr) return;
        is_new = is_new || !feature->ring_reported;
        feature->ring_reported = true;
        if (!subject) subject = data->actor->id();
        text += fmt::format("{}{} of {} at {} waits for ", i == 0 ? "" : "; ", feature->name, title(*data->actor),
                            shown(name_of(feature->state)));
        for (const Wait& wait : waits_of(ring[i]))
            if (wait.on == ring[(i + 1) % ring.size()]) {
                text += fmt::format("{} of {} at {}", wait.feature, wait.actor, wait.state);
                break;
            }
    }
    if (is_new) report(LogLevel::Error, init_kinds::kRing, subject, "features wait for each other: " + text);
}

void InitEngine::report_stalls() {
    const double seconds = stall_seconds_ ? stall_seconds_->get() : 0;
    const auto limit = static_cast<std::int64_t>(seconds * 1e6);
    if (std::exchange(stall_limit_us_, limit) != limit) next_stall_us_ = 0;
    if (seconds <= 0 || now_us_ < next_stall_us_) return;
    next_stall_us_ = now_us_ + limit;
    std::vector<ActorData*> late;
    for (ActorData* data : waiting_.all)
        for (const Feature& feature : data->features) {
            if (feature.stall_reported || !is_below(*data, feature)) continue;
            if (feature.stalls_from_us() + limit > now_us_)
                next_stall_us_ = std::min(next_stall_us_, feature.stalls_from_us() + limit);
            else if (late.empty() || late.back() != data)
                late.push_back(data);
        }
    std::vector<ActorRef> stalled;
    for (const ActorData* data : in_order(std::move(late))) stalled.push_back(data->ref());
    for (const ActorRef ref : stalled) {
        ActorData* data = find(ref);
        if (data == nullptr) continue;
        std::string names;
        for (Feature& feature : data->features) {
            if (feature.stall_reported || !is_below(*data, feature) || feature.stalls_from_us() + limit > now_us_)
                continue;
            feature.stall_reported = true;
            names += fmt::format("{}{}", names.empty() ? "" : ", ", feature.name);
        }
        const ActorId id = data->actor->id();
        std::string why = report_of(*data->actor, {}).to_text();
        why.erase(why.find_last_not_of('\n') + 1);
        report(LogLevel::Warning, init_kinds::kStall, id,
               fmt::format("{} did not move for {} s; {}", names, seconds, why));
    }
}

InitCounts InitEngine::counts() const {
    InitCounts counts;
    for (const auto& data : slots_) {
        if (data->serial == 0) continue;
        ++counts.actors;
        counts.listeners += data->listeners.size();
        if (data->needs != nullptr) counts.needs += data->needs->all.size();
    }
    for (const auto& [feature, listeners] : classes_) counts.listeners += listeners.size();
    counts.features = feature_count_;
    counts.waiting = waiting_.all.size();
    return counts;
}

}  // namespace lyre::framework::detail
