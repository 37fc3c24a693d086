// Why an actor is not ready: the answer for people, and who waits for whom.
#include <algorithm>
#include <unordered_set>

#include "lyre/framework/detail/init_engine.h"

namespace lyre::framework::detail {

namespace {

constexpr std::size_t kMaxEntries = 64;  // of one explanation; what waits in turn is followed no further

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

}  // namespace lyre::framework::detail
