// What the plan adds: features, then a delay if somebody wishes one, then actions.
#include <algorithm>
#include <unordered_set>

#include "lyre/experience/detail/host_walk.h"

namespace lyre::experience::detail {

using features::Destination;
using features::FeatureResult;

namespace {

void add_lines(std::vector<std::string>& to, std::vector<std::string> lines) {
    for (std::string& line : lines) to.push_back(std::move(line));
}

}  // namespace

void HostWalk::degrade(Name feature, std::string who, std::string why) {
    report(LogLevel::Warning, "experience.degraded",
           fmt::format("{} is left out: {}", feature ? feature.text() : who, why));
    degraded_.push_back({feature, std::move(who), std::move(why)});
}

// One that became active may have been taken down since: somebody reloads it.
bool HostWalk::is_there(const TakenFeature& feature) const {
    return feature.phase == TakenFeature::Phase::Active && table_->setup.features.is_attached(feature.id, world());
}

bool HostWalk::has_features_to_bring() const {
    return std::any_of(wanted_->plan->features.begin(), wanted_->plan->features.end(), [&](const PlannedFeature& one) {
        return std::none_of(taken_features_.begin(), taken_features_.end(),
                            [&](const TakenFeature& taken) { return taken.id == one.id && is_there(taken); });
    });
}

void HostWalk::bring() {
    if (!taken_features_.empty()) {  // what they were to do without, and now are not
        const std::uint64_t serial = serial_;
        const auto plan = wanted_->plan;
        table_->setup.features.let_in(world().owner(), plan->feature_ids(), plan->degraded);
        if (!goes_on(serial)) return;
    }
    if (has_features_to_bring()) return enter(LoadState::LoadingGameFeatures);
    begin_actions();
}

TakenFeature* HostWalk::find_taken(Name feature) {
    const auto found = std::find_if(taken_features_.begin(), taken_features_.end(),
                                    [&](const TakenFeature& one) { return one.id == feature; });
    return found != taken_features_.end() ? &*found : nullptr;
}

// What is taken stands in the order in which it came, and goes the other way round.
void HostWalk::became_active(TakenFeature& feature) {
    feature.phase = TakenFeature::Phase::Active;
    if (feature.order == INT64_MAX) feature.order = ++requests_;
    timeline_.end(feature.span);
    const auto is_active = [](const TakenFeature& one) { return one.phase == TakenFeature::Phase::Active; };
    const auto last = std::find_if(taken_features_.rbegin(), taken_features_.rend(), is_active);  // there is this one
    std::rotate(&feature, &feature + 1, &*last + 1);
}

// The answer may come inside the call: it waits with the others until it is looked at.
void HostWalk::ask_feature(Name id, Destination level) {
    TakenFeature& feature = *find_taken(id);
    const bool is_active = level == Destination::Active;
    feature.phase = is_active ? TakenFeature::Phase::Activating : TakenFeature::Phase::Asked;
    feature.since_us = now_us();
    feature.unload = unload_;
    const Span* span = timeline_.find(feature.span);
    if (span == nullptr || !span->is_open())  // it was active in this walk, and a reload has lost it
        feature.span = timeline_.begin(SpanKind::Feature, id.text(), generation_, stage_span_);
    const std::weak_ptr<std::vector<Answer>> inbox = answers_;
    const auto answered = [inbox, serial = serial_, id, is_active](const FeatureResult& result) {
        if (const auto open = inbox.lock()) open->push_back({serial, id, is_active, result});
    };
    const OwnerScope as(world().owner());  // whoever's code is on the stack
    auto hold =
        table_->setup.features.acquire(id, world().owner(), level, answered, {unload_, wanted_->plan->degraded});
    if (TakenFeature* now = find_taken(id)) now->hold = std::move(hold);
}

bool HostWalk::step_features() {
    if (!world().has_begun_play()) return false;
    const std::uint64_t serial = serial_;
    bool has_moved = false;
    if (!has_asked_features_) {
        has_asked_features_ = has_moved = true;
        std::vector<Name> asked;
        for (const PlannedFeature& planned : wanted_->plan->features) {
            TakenFeature* feature = find_taken(planned.id);
            if (feature == nullptr) feature = &taken_features_.emplace_back(TakenFeature{planned.id});
            const bool was_activating = feature->phase == TakenFeature::Phase::Activating;  // in a walk before this one
            if (was_activating && table_->setup.features.is_attached(planned.id, world()))
                became_active(*feature);
            else if (feature->phase != TakenFeature::Phase::Active)
                asked.push_back(planned.id);
        }
        for (Name id : asked) {
            if (!goes_on(serial)) return true;
            const bool was_activating = find_taken(id)->phase == TakenFeature::Phase::Activating;
            ask_feature(id, was_activating ? Destination::Active : Destination::Loaded);
        }
    }
    if (!goes_on(serial)) return true;
    if (handle_answers()) has_moved = true;
    if (serial != serial_) return true;
    for (const PlannedFeature& planned : wanted_->plan->features) {
        const TakenFeature* feature = find_taken(planned.id);
        if (feature == nullptr || is_there(*feature)) continue;
        if (feature->phase != TakenFeature::Phase::Loaded && feature->phase != TakenFeature::Phase::Active)
            return has_moved;
        ask_feature(planned.id, Destination::Active);
        return true;
    }
    if (!goes_on(serial)) return true;
    if (!decode_late()) return true;
    if (!complete_bundles()) return serial != serial_ || has_moved;
    begin_actions();
    return true;
}

// True: something has changed.
bool HostWalk::handle_answers() {
    std::vector<Cause> causes;
    bool has_changed = false;
    for (const Answer& answer : std::exchange(*answers_, {})) {
        has_changed = true;
        for (LateAnswer& late : late_answers_) --late.after;
        const Fault fault = table_->setup.feature_faults.take_answer(answer.feature);
        if (fault.effect == FaultEffect::Reorder) {
            late_answers_.push_back({answer, fault.count});
            continue;
        }
        handle(answer, causes);
        if (fault.effect == FaultEffect::Twice) handle(answer, causes);
    }
    // What is late comes when enough others have, or when nothing else is awaited.
    const bool is_awaited = std::any_of(taken_features_.begin(), taken_features_.end(), [&](const TakenFeature& one) {
        const bool is_asked = one.phase == TakenFeature::Phase::Asked || one.phase == TakenFeature::Phase::Activating;
        return is_asked && std::none_of(late_answers_.begin(), late_answers_.end(),
                                        [&](const LateAnswer& late) { return late.answer.feature == one.id; });
    });
    for (const LateAnswer& late : std::exchange(late_answers_, {})) {
        if (late.after > 0 && is_awaited) {
            late_answers_.push_back(late);
            continue;
        }
        has_changed = true;
        handle(late.answer, causes);
    }
    if (!causes.empty()) fail(std::move(causes));
    return has_changed;
}

void HostWalk::handle(const Answer& answer, std::vector<Cause>& causes) {
    TakenFeature* feature = find_taken(answer.feature);
    if (answer.serial != serial_) {
        ++counters_.stale_completions;
        return;
    }
    const auto awaited = answer.is_active ? TakenFeature::Phase::Activating : TakenFeature::Phase::Asked;
    if (feature == nullptr || feature->phase != awaited) {
        ++counters_.second_answers;
        return;
    }
    if (answer.result) {
        feature->phase = TakenFeature::Phase::Loaded;
        if (answer.is_active) became_active(*feature);
        return;
    }
    const PlannedFeature* planned = wanted_->plan->find(answer.feature);
    if (planned != nullptr && planned->is_required) {
        Cause cause = make_cause(CauseCode::FeatureFailed, answer.result.error->to_string());
        cause.feature = answer.feature;
        causes.push_back(std::move(cause));
    } else {
        degrade(answer.feature, planned != nullptr ? planned->wanted_by : "", answer.result.error->to_string());
    }
    std::erase_if(taken_features_, [&](const TakenFeature& one) { return one.id == answer.feature; });
}

void HostWalk::leave_out(WantedAction& action, std::string why) {
    action.is_left_out = true;
    note_leaving(action.use.release(span_place(action.planned->where())));
    wanted_->left_out.insert(action.planned->hash);
    std::erase_if(taken_bundles_, [&](const TakenBundle& one) {  // what is still loaded may want others
        return one.by_kind == action.planned->kind && one.by_hash == action.planned->hash;
    });
    degrade({}, action.planned->where(), std::move(why));
}

// Actions of kinds that features bring, and those that name what features bring. False: it has failed.
bool HostWalk::decode_late() {
    if (std::exchange(has_decoded_late_, true)) return true;
    ask_wanted(true);
    if (!decode_actions(true)) return false;
    ask_preload(true);
    return true;
}

// Reads what can be read, and asks for what it needs. False: it has failed.
bool HostWalk::decode_actions(bool may_be_of_feature) {
    const bool may_wait = !may_be_of_feature && has_features_to_bring();
    std::vector<Cause> causes;
    std::unordered_set<std::uint64_t> have_bundles;
    for (const TakenBundle& one : taken_bundles_)
        if (!one.by_kind.empty()) have_bundles.insert(one.by_hash);
    for (WantedAction& action : wanted_->actions) {
        if (action.is_left_out || action.has_asked || is_taken(action)) continue;
        std::vector<Cause> own;
        if (decode(action, may_be_of_feature, own))
            ask_for_action(action, have_bundles.count(action.planned->hash) != 0, may_wait, own);
        if (own.empty()) continue;
        if (!action.planned->is_optional) {
            for (Cause& cause : own) causes.push_back(std::move(cause));
            continue;
        }
        leave_out(action, own.front().text);
    }
    if (causes.empty()) return true;
    fail(std::move(causes));
    return false;
}

// ---- the delay

void HostWalk::begin_actions() {
    const double min = table_->delay_min->get(), random = table_->delay_random->get();
    const double delay = min != 0 || random != 0 ? min + static_cast<double>(chaos_.next_float01()) * random : 0;
    if (delay <= 0) return begin_executing();
    delay_until_ = world().time() + delay;
    enter(LoadState::LoadingChaosTestingDelay);
}

bool HostWalk::step_delay() {
    if (world().time() < delay_until_) return false;
    begin_executing();
    return true;
}

// ---- actions

constexpr std::uint64_t kFirstRank = std::uint64_t{1} << 32;  // above those of features

std::uint64_t HostWalk::rank_of(const PlannedAction& planned) const {
    return kFirstRank + static_cast<std::uint64_t>(&planned - wanted_->plan->actions.data());
}

// Values of which only one can count must not depend on what was loaded before: those that stay get the place that this
// plan gives them.
void HostWalk::begin_executing() {
    enter(LoadState::ExecutingActions);
    const std::vector<PlannedAction>& all = wanted_->plan->actions;
    bool has_changed = false;
    std::size_t at = 0;  // they mostly stand in the same order
    for (TakenAction& taken : taken_actions_)
        for (std::size_t looked = 0; looked < all.size(); ++looked) {
            const PlannedAction& planned = all[at];
            if (++at == all.size()) at = 0;
            if (planned.hash != taken.hash) continue;
            has_changed |= taken.run->set_rank(rank_of(planned));
            break;
        }
    if (has_changed) world().variables().ranks_changed();
}

bool HostWalk::step_actions() {
    if (!world().has_begun_play()) return false;
    const std::uint64_t serial = serial_;
    if (!decode_late()) return true;
    if (!complete_bundles()) return serial != serial_;
    for (WantedAction& action : wanted_->actions) {
        if (action.is_left_out || is_taken(action)) continue;
        if (table_->actions->is_in_hook(*action.use.get())) return false;  // of another world: next time
        if (!run_action(action)) return true;
    }
    std::size_t i = taken_actions_.size();  // the first that was not activated: with all after it, since they come last
    while (i > 0 && !taken_actions_[i - 1].was_activated) --i;
    for (; i < taken_actions_.size(); ++i) {
        taken_actions_[i].was_activated = true;
        const TimedHook timed(span_place(taken_actions_[i].where), "activated");
        taken_actions_[i].run->activated();
        if (!goes_on(serial)) return true;
    }
    if (!has_needed()) return !goes_on(serial);
    say_loaded();
    return true;
}

// True: nothing new is named, and all is there or cannot be.
bool HostWalk::has_needed() {
    const std::uint64_t serial = serial_;
    for (std::size_t asked = 0; asked < kMaxAsks; ++asked) {
        const bool is_new = ask_needed();
        if (!goes_on(serial) || !extras_.needed_load.is_over()) return false;
        if (!is_new) return true;
    }
    return false;  // in the next update, until the stage has lasted too long
}

// True: it is another list than before.
bool HostWalk::ask_needed() {
    const std::uint64_t serial = serial_;
    const std::vector<RegistrationInfo> by = host_.needed_.list();
    std::vector<assets::PrimaryAssetId> ids;
    host_.needed_.broadcast(*read_, &ids, {}, reporter("what says which assets are needed"));
    if (!goes_on(serial)) return false;
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    const std::size_t named = ids.size();
    if (named > kMaxAssets) ids.resize(kMaxAssets);
    if (ids == extras_.needed) return false;
    if (named > kMaxAssets)
        report(LogLevel::Error, "experience.needed",
               fmt::format("{} assets are named as needed ({}): only {} are loaded; name fewer", named,
                           by.front().to_string(), kMaxAssets));
    extras_.needed = std::move(ids);
    extras_.needed_since_us = now_us();
    hold_needed(extras_);
    return true;
}

void HostWalk::hold_needed(Extras& extras) {
    if (extras.needed.empty()) return extras.needed_load.reset();
    const OwnerScope as(world().owner());
    extras.needed_load = table_->setup.assets.load_assets(extras.needed, lyre::Priority::High);
}

bool HostWalk::run_action(WantedAction& action) {
    const PlannedAction& planned = *action.planned;
    const std::string where = planned.where();
    const Fault fault = table_->ask(world(), FaultStage::ActionHook, where);
    const std::uint64_t serial = serial_;
    const Name experience = goal_.experience.name;
    const Type& type = *action.use->part.type();
    const SpanPlace spans = span_place(where);
    TakenAction taken;
    taken.kind = planned.kind;
    taken.hash = planned.hash;
    taken.where = where;
    std::vector<std::string> problems;
    Status status;
    if (fault.effect == FaultEffect::Fail) status = Status::failed("{}: {}", where, fault.reason());
    if (status) status = table_->actions->bring_up(*action.use.get(), experience, spans, problems);
    if (status && goes_on(serial)) {
        if (!batch_ && !SharedActions::is_of_feature(type)) batch_ = table_->actions->owner_for(type, experience);
        taken.owner = SharedActions::is_of_feature(type) ? type.owner : *batch_;
        taken.run = std::make_unique<features::ActionRun>(
            table_->actions->services(),
            features::ActionSubject{experience, taken.owner, planned.from.to_string(),
                                    features::Roles::of(world().net_mode()), rank_of(planned)},
            std::vector<features::ActionItem>{{action.use->part.get(), planned.index, planned.kind}}, &world());
        taken.run->count_late_pausers(late_pausers_);
        const TimedHook timed(spans, "activating");
        status = taken.run->activate();
    }
    if (taken.run != nullptr && !status)
        add_lines(problems, table_->actions->sweep(taken.owner, {taken.run.get()}, SharedActions::Only::TheseRuns));
    if (!goes_on(serial) && (!status || taken.run == nullptr)) {
        let_go(std::move(action.use), where, std::move(problems));
        return false;
    }
    if (status) {
        taken.use = std::move(action.use);
        taken_hashes_.emplace(taken.hash, SharedActions::is_of_feature(type));
        taken_actions_.push_back(std::move(taken));
        return goes_on(serial);
    }
    add_lines(problems, action.use.release(spans));
    if (planned.is_optional) {
        note_leaving(problems);
        leave_out(action, status.text());
        return true;
    }
    Cause cause = make_cause(CauseCode::ActionFailed, status.text());
    cause.action = where;
    fail(std::move(cause));
    note_leaving(problems);  // of the leave that has begun
    return false;
}

}  // namespace lyre::experience::detail
