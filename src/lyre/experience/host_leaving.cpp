// Taking away, newest first: actions, features, bundles.
#include <algorithm>

#include "lyre/experience/detail/host_walk.h"

namespace lyre::experience::detail {

bool HostWalk::keeps(const TakenAction& action) const {
    if (action.is_leaving || !keeps_any() || !kept().has(action)) return false;
    const Owner& brings = action.owner;  // a kind of a feature goes with it, if that is ours and goes
    if (brings.kind != OwnerKind::Feature || kept().plan->find(brings.name) != nullptr) return true;
    return std::none_of(taken_features_.begin(), taken_features_.end(),
                        [&](const TakenFeature& one) { return one.id == brings.name; });
}

bool HostWalk::keeps(const TakenFeature& feature) const {
    return feature.phase != TakenFeature::Phase::Leaving && keeps_any() && kept().has(feature);
}

bool HostWalk::keeps(const TakenBundle& bundle) const {
    return keeps_any() && kept().has(bundle);
}

bool HostWalk::keeps_any() const {
    return purpose_ == Purpose::Switch ? wanted_.has_value() && !goal_.reload
                                       : purpose_ == Purpose::Fail && keeps_loaded_;
}

const Wanted& HostWalk::kept() const {
    return purpose_ == Purpose::Switch ? *wanted_ : *loaded_;
}

bool HostWalk::step_leaving() {
    const std::uint64_t serial = serial_;
    deactivate_actions();
    if (!goes_on(serial)) return true;
    if (!wait_for_pausers()) return false;
    finish_uses();
    if (!goes_on(serial)) return true;
    finish_actions();
    if (!goes_on(serial)) return true;
    release_extras();
    if (!release_features()) return !goes_on(serial);
    release_bundles(0);
    if (!keeps_loaded_) forget_loaded();
    if (!goes_on(serial)) return true;
    switch (purpose_) {
        case Purpose::Switch:
            goal_.reload = false;  // all have gone
            if (!has_asked_bundles_ && !ask_bundles()) break;
            if (complete_bundles())
                bring();
            else if (serial == serial_)
                enter(LoadState::Loading);
            break;
        case Purpose::Clear:
            failure_ = goal_.server_failure;
            if (failure_.is_none()) {
                enter_unloaded();
                break;
            }
            enter(LoadState::Failed);
            settle_failure();
            break;
        case Purpose::Fail:
            definition_.reset();
            read_.reset();
            sets_.clear();
            wanted_.reset();
            enter(LoadState::Failed);
            settle_failure();
            break;
    }
    return true;
}

// What was Loaded last has been left, all but what a switch keeps of it; if that fails, it may go back to it.
void HostWalk::forget_loaded() {
    if (purpose_ != Purpose::Switch) loaded_.reset();
    loaded_limits_.reset();
}

void HostWalk::deactivate_actions() {
    const std::uint64_t serial = serial_;
    if (!goes_on(serial)) return;
    for (std::size_t i = taken_actions_.size(); i-- > 0;) {
        TakenAction& action = taken_actions_[i];
        if (action.is_leaving || keeps(action)) continue;
        action.is_leaving = true;
        taken_hashes_.erase(action.hash);
        const TimedHook timed(span_place(action.where), "deactivating");
        action.run->deactivate();
        if (!goes_on(serial)) return;
    }
}

bool HostWalk::is_paused_by_fault() const {
    if (!pauser_fault_) return false;
    const double waited = static_cast<double>(now_us() - pausers_since_us_) / 1e6;
    return pauser_fault_->effect == FaultEffect::Never ||
           (pauser_fault_->effect == FaultEffect::Delay && waited < pauser_fault_->seconds);
}

// Who asks for time: actions of its own, and those of features that leave.
std::vector<PendingItem> HostWalk::pausers() const {
    std::vector<PendingItem> all;
    const auto add = [&](std::string name, std::string of, std::int64_t since_us) {
        const double seconds = static_cast<double>(now_us() - since_us) / 1e6;
        all.push_back({"pauser", std::move(name), std::move(of), seconds, 0});
    };
    for (const TakenAction& action : taken_actions_)
        if (action.is_leaving)
            for (const features::PauserInfo& pauser : action.run->pausers())
                add(pauser.name, action.where, pauser.since_us);
    for (const TakenFeature& feature : taken_features_)
        if (feature.phase == TakenFeature::Phase::Leaving)
            for (const features::PauserInfo& pauser : table_->setup.features.pausers(feature.id, world()))
                add(pauser.name, fmt::format("feature {}, {}", feature.id, pauser.place), pauser.since_us);
    if (state_ == LoadState::Deactivating && is_paused_by_fault())
        add("a fault that was asked for", "", pausers_since_us_);
    return all;
}

// With their ages: "fade of experience:tag, action 1 (note), 3.2 s; ...".
std::string HostWalk::open_pausers() const {
    std::string text;
    for (const PendingItem& one : pausers())
        text += fmt::format("{}{}{}{}, {:.1f} s", text.empty() ? "" : "; ", one.id, one.waits.empty() ? "" : " of ",
                            one.waits, one.seconds);
    return text;
}

// True: nobody asks for time any more, or has had enough of it.
bool HostWalk::wait_for_pausers() {
    const bool is_first = pausers_since_us_ == 0;
    bool has_actions = false, is_open = false;
    for (const TakenAction& action : taken_actions_) {
        if (!action.is_leaving) continue;
        has_actions = true;
        is_open |= action.run->is_paused();
    }
    if (is_first) {
        pausers_since_us_ = std::max<std::int64_t>(1, now_us());
        pauser_fault_.reset();
        if (has_actions) pauser_fault_ = table_->ask(world(), FaultStage::Pauser, subject());
    }
    if (!is_open && !is_paused_by_fault()) return true;
    const double own = loaded_limits_.value_or(limits_).pauser_secs;
    const double limit = own >= 0 ? own : table_->pauser_timeout->get();
    if (!is_over_limit(pausers_since_us_, limit)) {
        if (is_first) report(LogLevel::Info, "experience.leaving", fmt::format("leaving waits for {}", open_pausers()));
        return false;
    }
    const std::string all = open_pausers();
    report(LogLevel::Error, "experience.pausers",
           fmt::format("not done after {:g} s, and not waited for any longer: {}", limit, all));
    note_leaving({fmt::format("not waited for: {}", all)});
    pauser_fault_.reset();
    return true;
}

void HostWalk::note_leaving(const std::vector<std::string>& problems) {
    for (const std::string& line : problems)
        if (leave_report_.size() < kMaxLeaveReport) leave_report_.push_back(line);
}

// An action that is up without running here goes like those that run: when this walk leaves.
void HostWalk::let_go(SharedUse use, std::string where, std::vector<std::string> problems) {
    if (use.is_last_of_up() || !problems.empty())
        leaving_uses_.push_back({std::move(use), std::move(where), std::move(problems)});
}

void HostWalk::let_go_of_wanted() {
    if (!wanted_) return;
    for (WantedAction& action : wanted_->actions)
        if (action.use) let_go(std::move(action.use), action.planned->where());
}

void HostWalk::finish_uses() {
    while (!leaving_uses_.empty()) {
        LeavingUse last = std::move(leaving_uses_.back());
        leaving_uses_.pop_back();
        note_leaving(last.problems);
        note_leaving(last.use.release(span_place(last.where)));
    }
}

// What they kept goes, then what they forgot, and then, while nothing of theirs can be called any more, what the
// process has of them; each newest first.
void HostWalk::finish_actions() {
    std::vector<TakenAction> gone;  // newest first
    for (auto action = taken_actions_.rbegin(); action != taken_actions_.rend(); ++action)
        if (action->is_leaving) gone.push_back(std::move(*action));
    if (gone.empty()) return;
    std::erase_if(taken_actions_, [](const TakenAction& action) { return action.run == nullptr; });
    for (TakenAction& action : gone) {
        action.run->finish();
        counters_.dropped_completions += action.run->dropped_completions();
        note_leaving(action.run->faults());
    }
    std::vector<Owner> owners;
    for (const TakenAction& action : gone)
        if (std::find(owners.begin(), owners.end(), action.owner) == owners.end()) owners.push_back(action.owner);
    for (const Owner& owner : owners) sweep(owner, gone);
    for (TakenAction& action : gone) note_leaving(action.use.release(span_place(action.where)));
}

// Takes away what actions of this owner have left behind that go now: what their hooks registered and, when the last
// goes that the owner was made for, all that is left of it.
void HostWalk::sweep(const Owner& owner, std::vector<TakenAction>& gone) {
    std::vector<const features::ActionRun*> runs;
    for (TakenAction& action : gone)
        if (action.owner == owner) runs.push_back(action.run.get());
    if (owner.kind != OwnerKind::Experience)
        return note_leaving(table_->actions->sweep(owner, std::move(runs), SharedActions::Only::TheseRuns));
    const auto is_its = [&](const TakenAction& one) { return one.owner == owner; };
    auto& finished = finished_[owner.serial];
    if (std::any_of(taken_actions_.begin(), taken_actions_.end(), is_its)) {
        note_leaving(table_->actions->sweep(owner, std::move(runs), SharedActions::Only::TheseRuns));
        for (TakenAction& action : gone)
            if (action.owner == owner) finished.push_back(std::move(action.run));
        return;
    }
    for (const auto& run : finished) runs.push_back(run.get());
    note_leaving(table_->actions->sweep(owner, std::move(runs)));
    finished_.erase(owner.serial);
}

// The next goes when the one before has left this world, or has had its time. False: not yet.
bool HostWalk::release_features() {
    const std::uint64_t serial = serial_;
    for (std::size_t i = taken_features_.size(); i-- > 0;) {
        if (keeps(taken_features_[i])) continue;
        TakenFeature& feature = taken_features_[i];
        const Name id = feature.id;
        const bool is_first = feature.phase != TakenFeature::Phase::Leaving;
        if (is_first || timeline_.find(feature.span) == nullptr)
            feature.span = timeline_.begin(SpanKind::Feature, id.text(), generation_, stage_span_, "leaving");
        const SpanId span = feature.span;
        if (is_first) {
            release_bundles(feature.order);  // they may lie in it, or be of a kind of its own
            feature.phase = TakenFeature::Phase::Leaving;
            feature.since_us = now_us();
            features::FeatureHold hold = std::move(feature.hold);
            hold.release();
        }
        // From inside a call of Features it is only noted; what becomes of it shows in the next update.
        if (table_->setup.features.is_in_call()) return false;
        if (table_->setup.features.is_leaving(id, world())) {
            if (features_since_us_ == 0) features_since_us_ = std::max<std::int64_t>(1, now_us());
            const bool is_late = is_over_limit(features_since_us_, table_->stage_timeout->get());
            if (!is_late && !is_first) return false;
            const std::string paused_by = open_pausers();
            if (!is_late) {
                if (!paused_by.empty())
                    report(LogLevel::Info, "experience.leaving", fmt::format("leaving waits for {}", paused_by));
                return false;
            }
            const std::string late =
                fmt::format("feature {} has not left after {:g} s, and is not waited for any longer{}{}", id,
                            table_->stage_timeout->get(), paused_by.empty() ? "" : ": ", paused_by);
            report(LogLevel::Error, "experience.leaving", late);
            note_leaving({late});
        }
        std::erase_if(taken_features_, [&](const TakenFeature& one) { return one.id == id; });
        timeline_.end(span);
        if (!goes_on(serial)) return false;
    }
    return true;
}

// They came last. What others needed may be needed again, and stays unless it lies in a feature that goes.
void HostWalk::release_extras() {
    if (purpose_ != Purpose::Switch) extras_ = {};
    if (!keeps_loaded_) loaded_extras_.preload.reset();
    const auto goes = [&](assets::PrimaryAssetId id) {
        const Name feature = feature_of(table_->setup.assets.registry(), id);
        return !keeps_any() || (feature && kept().plan->find(feature) == nullptr);
    };
    if (std::erase_if(loaded_extras_.needed, goes) > 0) hold_needed(loaded_extras_);
}

// Those that came after that. Of what failed and goes back only what is there is kept: the rest may be what failed, and
// is asked for anew.
void HostWalk::release_bundles(std::int64_t after) {
    const auto stays = [&](const TakenBundle& one) {
        return one.request.order <= after || (keeps(one) && (one.request.is_done || purpose_ != Purpose::Fail));
    };
    for (std::size_t i = taken_bundles_.size(); i-- > 0;)
        if (!stays(taken_bundles_[i])) taken_bundles_.erase(taken_bundles_.begin() + static_cast<std::ptrdiff_t>(i));
}

// Features that were kept go by the policy of what is loaded now.
void HostWalk::renew_policies() {
    for (TakenFeature& feature : taken_features_) {
        if (feature.unload == unload_) continue;
        feature.unload = unload_;
        feature.hold = table_->setup.features.acquire(feature.id, world().owner(), features::Destination::Active, {},
                                                      {unload_, wanted_->plan->degraded});
    }
}

// The world ends: nobody is waited for.
void HostWalk::leave_at_once() {
    purpose_ = Purpose::Clear;
    taken_hashes_.clear();
    for (std::size_t i = taken_actions_.size(); i-- > 0;)
        if (!std::exchange(taken_actions_[i].is_leaving, true)) taken_actions_[i].run->deactivate();
    let_go_of_wanted();
    finish_uses();
    finish_actions();
    keeps_loaded_ = false;
    release_extras();
    while (!taken_features_.empty()) {
        release_bundles(taken_features_.back().order);
        const TakenFeature feature = std::move(taken_features_.back());
        taken_features_.pop_back();
    }
    release_bundles(0);
    definition_.reset();
    read_.reset();
    sets_.clear();
    wanted_.reset();
    forget_loaded();
}

}  // namespace lyre::experience::detail
