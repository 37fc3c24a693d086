// Why an actor is not ready: the answer for people, rings of features that wait for each other, stalls.
#include <algorithm>
#include <unordered_set>

#include "lyre/framework/detail/init_engine.h"

namespace lyre::framework::detail {

namespace {

constexpr std::size_t kMaxEntries = 64;     // of one explanation; what waits in turn is followed no further
constexpr std::int64_t kHitchUs = 100'000;  // between two settles: that long nobody could see what moved

std::string title(const Actor& actor) {
    return fmt::format("{} ({})", actor.id(), actor.type().name);
}

}  // namespace

// What is said about one feature.
struct InitEngine::Entry {
    FeatureRef feature;
    InitFeatureReport said;         // is_cause: it is where help is needed
    std::vector<FeatureRef> waits;  // on these
    int rank = -1;                  // steps away from a root cause

    void needs(std::string what, std::string why, const Wait& wait = {}) {
        add("needs", std::move(what), std::move(why), wait);
    }
    void add(const char* kind, std::string what = {}, std::string why = {}, const Wait& wait = {}) {
        said.reasons.push_back({kind, std::move(what), std::move(why),
                                wait.feature ? fmt::format("{}", wait.actor) : std::string(),
                                std::string(wait.feature.text()), std::string(wait.state.text())});
    }
};

// What stands in the way.

StateIndex InitEngine::next_of(const Feature& feature) const {
    if (feature.refusal != nullptr)
        if (const StateIndex to = index_of(feature.refusal->to); to > feature.state) return to;
    return static_cast<StateIndex>(
        std::min<std::size_t>(static_cast<std::size_t>(feature.state + 1), states_.empty() ? 0 : states_.size() - 1));
}

Wait InitEngine::wait_on(const World& world, ActorId id, Name feature, Name state) const {
    Wait wait{id, feature, state, {}};
    if (ActorData* data = data_of(world, id))
        if (const Feature* found = data->find(feature)) wait.on = data->ref(*found);
    return wait;
}

// The features a need is waiting for; of a need for all, those that are not there yet.
std::vector<Wait> InitEngine::waits_of_need(ActorRef ref, const DeclaredNeed& need, ActorId on) {
    std::vector<Wait> waits;
    ActorData* data = find(ref);
    const FeatureNeed* wanted = need.on_feature();
    if (data == nullptr || wanted == nullptr || !on) return waits;
    const World& world = data->actor->world();
    if (wanted->feature) {
        waits.push_back(wait_on(world, on, wanted->feature, wanted->state));
    } else if (const ActorData* other = data_of(world, on)) {
        for (const Feature& feature : other->features)
            if (other != data || feature.name != need.feature)
                waits.push_back({on, feature.name, wanted->state, other->ref(feature)});
    }
    std::erase_if(waits, [&](const Wait& wait) {
        const Feature* feature = find(wait.on);
        return feature != nullptr && feature->state >= index_of(wait.state);
    });
    return waits;
}

std::vector<Wait> InitEngine::waits_of(FeatureRef ref) {
    std::vector<Wait> waits;
    ActorData* data = nullptr;
    const Feature* feature = find(ref, &data);
    if (feature == nullptr) return waits;
    const Name name = feature->name;
    const StateIndex from = feature->state, to = next_of(*feature);
    if (feature->refusal != nullptr && feature->refusal->verdict.waits_for_feature) {
        const Verdict& verdict = feature->refusal->verdict;
        const ActorId on = verdict.waits_for_actor ? verdict.waits_for_actor : data->actor->id();
        const Wait wait = wait_on(data->actor->world(), on, verdict.waits_for_feature, verdict.waits_for_state);
        const Feature* other = find(wait.on);
        if (other == nullptr || other->state < index_of(wait.state)) waits.push_back(wait);
    }
    if (data->needs == nullptr) return waits;
    for (const auto& need : std::vector(data->needs->all)) {
        const StateIndex state = index_of(need->state);
        if (need->feature != name || state <= from || state > to || need->on_feature() == nullptr) continue;
        for (const Wait& wait : waits_of_need(ref.actor, *need, actor_of(ref.actor, *need))) waits.push_back(wait);
    }
    return waits;
}

// In words.

std::string InitEngine::found(const Wait& wait) {
    const Feature* feature = find(wait.on);
    if (feature == nullptr) return fmt::format("{} is not registered", wait.feature);
    return fmt::format("{} is at {}", wait.feature, shown(name_of(feature->state)));
}

std::string InitEngine::asked_again(const PredicateNeed& predicate) {
    if (predicate.every_frame) return "; it is asked in every frame";
    std::string signals;
    for (Name signal : predicate.signals) signals += fmt::format("{}{}", signals.empty() ? "" : " or ", signal);
    return signals.empty() ? "" : fmt::format("; signal {} asks it again", signals);
}

void InitEngine::describe_need(Entry& entry, const std::shared_ptr<DeclaredNeed>& need) {
    const ActorRef ref = entry.feature.actor;
    if (const PredicateNeed* predicate = need->predicate()) {
        if (judge(ref, *need)) return;
        entry.said.is_cause = true;
        return entry.needs(std::string(predicate->name.text()),
                           "it did not hold when it was asked last" + asked_again(*predicate));
    }
    const FeatureNeed& wanted = *need->on_feature();
    const ActorId on = actor_of(ref, *need);
    ActorData* data = find(ref);
    if (data == nullptr) return;
    const bool is_same = on == data->actor->id();
    const std::string what =
        fmt::format("{} at {}{}", wanted.feature ? wanted.feature.text() : "all other features", wanted.state,
                    is_same ? ""
                    : on    ? fmt::format(" of {}", on)
                            : "");
    if (holds(ref, need)) return;
    const auto waits = waits_of_need(ref, *need, on);
    if (waits.empty()) {
        entry.said.is_cause = true;
        entry.needs(what, on ? "it is not registered" : "there is no such actor");
    }
    for (const Wait& wait : waits) {
        entry.needs(what, found(wait), wait);
        if (find(wait.on) == nullptr) entry.said.is_cause = true;
    }
}

void InitEngine::describe_refusal(Entry& entry, const Refusal& refusal) {
    const Verdict& verdict = refusal.verdict;
    std::string why = verdict.reason;
    Wait wait;
    ActorData* data = find(entry.feature.actor);
    if (verdict.waits_for_feature && data != nullptr) {
        const ActorId own = data->actor->id();
        const ActorId on = verdict.waits_for_actor ? verdict.waits_for_actor : own;
        wait = wait_on(data->actor->world(), on, verdict.waits_for_feature, verdict.waits_for_state);
        const Feature* other = find(wait.on);
        why += fmt::format("{}waits for {} at {}{}: {}", why.empty() ? "" : "; ", wait.feature, wait.state,
                           on == own ? "" : fmt::format(" of {}", on), found(wait));
        if (other == nullptr) entry.said.is_cause = true;
        if (other != nullptr && other->state >= index_of(wait.state)) {
            why += ", and it was not asked again";
            entry.said.is_cause = true;
        }
    } else {
        entry.said.is_cause = true;
    }
    entry.add("refused", std::string(refusal.to.text()), why.empty() ? "no reason given" : std::move(why), wait);
}

InitEngine::Entry InitEngine::describe(FeatureRef ref) {
    Entry entry;
    entry.feature = ref;
    ActorData* data = nullptr;
    const Feature* feature = find(ref, &data);
    if (feature == nullptr) return entry;
    const StateIndex from = feature->state, to = next_of(*feature);
    const Name name = feature->name;
    InitFeatureReport& said = entry.said;
    said.actor = fmt::format("{}", data->actor->id());
    said.class_name = data->actor->type().name.text();
    said.feature = name.text();
    said.state = name_of(from).text();
    said.next = name_of(to).text();
    said.seconds = static_cast<double>(runtime_->clock().now_us() - feature->since_us) / 1e6;
    if (feature->implementer.is_dead()) {
        said.is_cause = true;
        entry.add("gone");
    }
    if (data->needs != nullptr)
        for (const auto& need : std::vector(data->needs->all)) {  // predicates first: they are causes
            const StateIndex state = index_of(need->state);
            if (need->feature == name && state > from && state <= to) describe_need(entry, need);
        }
    feature = find(ref, &data);
    if (feature != nullptr && feature->refusal != nullptr) describe_refusal(entry, Refusal(*feature->refusal));
    for (const Wait& wait : waits_of(ref))
        if (find(wait.on) != nullptr) entry.waits.push_back(wait.on);
    if (said.reasons.empty()) {
        said.is_cause = true;
        entry.add("idle");
    }
    return entry;
}

// Root causes first: what has one of its own, then those who wait for it, and so on; rings last.
void InitEngine::sort_by_cause(std::vector<Entry>& entries) {
    for (Entry& entry : entries)
        if (entry.said.is_cause) entry.rank = 0;
    for (int rank = 1; rank <= static_cast<int>(entries.size()); ++rank)
        for (Entry& entry : entries)
            if (entry.rank < 0 && std::any_of(entry.waits.begin(), entry.waits.end(), [&](FeatureRef ref) {
                    return std::any_of(entries.begin(), entries.end(), [&](const Entry& other) {
                        return other.feature == ref && other.rank == rank - 1;
                    });
                }))
                entry.rank = rank;
    std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
        return static_cast<unsigned>(a.rank) < static_cast<unsigned>(b.rank);
    });
}

InitReport InitEngine::report_of(const Actor& actor, Name state) {
    const Call call(*this);
    InitReport report;
    report.actor = fmt::format("{}", actor.id());
    report.class_name = actor.type().name.text();
    ActorData* data = find(actor);
    if (data == nullptr || data->features.empty()) return report;
    report.is_registered = true;
    const StateIndex wanted = state ? index_or_report(state) : target_of(*data);
    report.state = wanted == kNoState ? shown(state) : name_of(wanted).text();
    if (states_.empty()) report.trouble = "no init states are registered";
    if (!states_.empty() && wanted == kNoState)
        report.trouble = fmt::format("{} is not a registered init state", shown(state));
    if (!report.trouble.empty()) return report;
    std::vector<Entry> entries;
    const auto add = [&](FeatureRef ref) {
        const auto is_it = [&](const Entry& entry) { return entry.feature == ref; };
        if (entries.size() < kMaxEntries && std::none_of(entries.begin(), entries.end(), is_it))
            entries.push_back(describe(ref));
    };
    std::vector<FeatureRef> below;
    for (const Feature& feature : data->features)
        if (feature.state < wanted) below.push_back(data->ref(feature));
    report.is_ready = below.empty();
    for (const FeatureRef ref : below) add(ref);
    for (std::size_t i = 0; i < entries.size(); ++i)
        for (const FeatureRef ref : std::vector(entries[i].waits)) add(ref);
    sort_by_cause(entries);
    for (Entry& entry : entries)
        if (!entry.said.feature.empty())
            report.features.push_back(std::move(entry.said));  // else it has gone meanwhile
    return report;
}

// Once per frame.

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
    if (path.size() >= kMaxEntries || done.count(ref.life) > 0) return;
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
