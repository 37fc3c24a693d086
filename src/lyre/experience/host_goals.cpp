// What is asked for, on the server and by a choice that a client follows; and who is told.
#include <algorithm>

#include "lyre/core/suggest.h"
#include "lyre/experience/detail/host_walk.h"

namespace lyre::experience::detail {

Status HostWalk::not_authority(std::string_view what) const {
    return Status::refused("NotAuthority: {} is a client; only its server may {}", world().def().name, what);
}

Status HostWalk::check_overlays(const std::vector<assets::PrimaryAssetId>& overlays) const {
    if (Status status = Host::check_overlays(overlays); !status) return status;
    const assets::AssetRegistry& registry = table_->setup.assets.registry();
    for (const assets::PrimaryAssetId& id : overlays) {
        if (id.type.text() == kActionSetType) {
            if (const auto info = registry.get(id); !info) return info.status();
        } else if (id.type.text() == kFeatureOverlay) {
            if (table_->setup.features.manifest(id.name) == nullptr)
                return Status::not_found("UnknownFeature: there is no feature {}{}", in_quotes(id.name.text()),
                                         did_you_mean(table_->setup.features.catalogue().nearest(id.name.text())));
        } else {
            return Status::invalid("{} is neither an action set nor a feature: action_set:NAME, feature:NAME", id);
        }
    }
    return Status::ok();
}

Status HostWalk::check_known(assets::PrimaryAssetId id) const {
    const auto known = id.type.text() == kExperienceType
                           ? table_->setup.assets.registry().get(id)
                           : Result<const assets::AssetInfo*>(Status::invalid("{} is no experience", id));
    if (known) return Status::ok();
    return Status(known.status().code(), fmt::format("UnknownExperience: {}", known.status().text()));
}

Result<SetTicket> HostWalk::set(assets::PrimaryAssetId id, const SetOptions& options) {
    if (Status status = why_no_goal(); !status) return status;
    if (!is_server()) return not_authority("choose an experience");
    if (Status status = check_known(id); !status) return status;
    std::vector<assets::PrimaryAssetId> overlays = standing_overlays_;
    for (assets::PrimaryAssetId overlay : options.overlays)
        if (std::find(overlays.begin(), overlays.end(), overlay) == overlays.end()) overlays.push_back(overlay);
    if (Status status = check_overlays(overlays); !status) return status;
    const bool is_in_force = goal().experience == id && goal().overlays == overlays &&
                             (next_ || (state_ >= LoadState::Loading && state_ <= LoadState::Loaded) ||
                              (state_ == LoadState::Deactivating && purpose_ == Purpose::Switch) ||
                              (state_ == LoadState::Failed && after_ == After::Retry));
    if (is_in_force && !options.reload) return ticket_in_force();
    Goal goal;
    goal.generation = generation_ + 1;
    goal.experience = id;
    goal.overlays = std::move(overlays);
    goal.reload = options.reload;
    goal.failure = options.failure;
    forget_failures();
    sources_.reset();
    return take(std::move(goal), true);
}

// Sources wait until what is there has been left; whoever sets, clears or closes takes them back.
Status HostWalk::init_game(SelectionSources sources, std::vector<assets::PrimaryAssetId> overlays) {
    if (Status status = why_no_goal(); !status) return status;
    if (!is_server()) return not_authority("choose an experience");
    if (Status status = check_overlays(overlays); !status) return status;
    const bool has_failed =
        state_ == LoadState::Failed || (state_ == LoadState::Deactivating && purpose_ == Purpose::Fail);
    if (has_failed && !next_)
        return Status::refused(
            "{} has failed: clear_experience() comes first",
            goal_.experience.is_none() ? std::string("choosing an experience") : goal_.experience.to_string());
    standing_overlays_ = std::move(overlays);
    if (goal().experience.is_none()) sources_ = std::move(sources);
    return Status::ok();
}

// What is in force may be so for another reason than the last set: a fallback has loaded it.
SetTicket HostWalk::ticket_in_force() {
    if (fell_back_because_ && !is_loaded()) {  // it is on its way for somebody else's set, which has failed
        fell_back_because_.reset();
        SetOutcome outcome{SetOutcome::Kind::Superseded};
        outcome.by_generation = generation_;
        end_ticket(std::move(outcome));
        ticket_ = last_ticket_ = make_ticket(generation_);
    }
    SetTicket ticket;
    ticket.state_ = ticket_ != nullptr ? ticket_ : last_ticket_;
    const bool is_its =
        ticket.state_ != nullptr && (ticket.is_open() || ticket.outcome().experience == goal().experience);
    if (is_loaded() && !(is_its && ticket.outcome().kind != SetOutcome::Kind::FellBack)) {
        ticket.state_ = last_ticket_ = make_ticket(generation_);
        ticket.state_->outcome = {SetOutcome::Kind::Loaded, goal().experience};
    }
    return ticket;
}

void HostWalk::forget_failures() {
    attempts_.clear();
    attempts_left_out_ = 0;
    failed_chain_.clear();
    chain_causes_ = {};
    tries_ = 0;
    fell_back_because_.reset();
}

Status HostWalk::why_no_goal() const {
    if (is_over()) return Status::refused("the host has ended");
    if (is_closing_) return Status::refused("{} is closing", world().def().name);
    return Status::ok();
}

Status HostWalk::clear(const std::string& reason) {
    if (!is_server()) return not_authority("clear the experience");
    leave(reason);
    return Status::ok();
}

void HostWalk::close(const std::string& reason) {
    is_closing_ = true;
    held_choices_.clear();
    leave(reason);
}

void HostWalk::leave(const std::string& reason) {
    sources_.reset();
    const bool is_clear = goal().experience.is_none() && state_ != LoadState::Failed;
    if (is_over() || (!next_ && (state_ == LoadState::Unloaded || is_clear))) return;
    report(LogLevel::Info, "experience.cleared", reason.empty() ? "without a reason" : reason);
    end_ticket({SetOutcome::Kind::Cancelled});
    forget_failures();
    Goal none;
    none.generation = generation_ + 1;
    take(std::move(none), false);
    run();
}

bool HostWalk::has_left() const {
    return is_ended_ || (!is_running_ && !next_ && (state_ == LoadState::Unloaded || state_ == LoadState::Failed));
}

Result<SetTicket> HostWalk::retry() {
    if (Status status = why_no_goal(); !status) return status;
    if (!is_server()) return not_authority("retry an experience");
    if (state_ != LoadState::Failed || next_)
        return Status::refused("only what has failed can be retried: the host is {}", to_string(state_));
    if (goal_.experience.is_none()) return Status::refused("no experience was chosen: there is nothing to retry");
    Goal goal = goal_;
    goal.is_retry = false;
    goal.generation = generation_ + 1;
    forget_failures();
    if (ticket_ == nullptr) return take(std::move(goal), true);
    take(std::move(goal), false);  // one more attempt of a set that is not over
    return ticket_in_force();
}

Result<SetTicket> HostWalk::change_overlays(assets::PrimaryAssetId id, bool is_added, const FailurePolicy& failure) {
    if (Status status = why_no_goal(); !status) return status;
    if (!is_server()) return not_authority("change overlays");
    if (!is_loaded()) return Status::refused("overlays change a loaded experience: the host is {}", to_string(state_));
    Goal goal = goal_;
    const auto there = std::find(goal.overlays.begin(), goal.overlays.end(), id);
    if (is_added) {
        if (there != goal.overlays.end()) return Status::exists("{} is on top of {} already", id, goal_.experience);
        goal.overlays.push_back(id);
        if (Status status = check_overlays(goal.overlays); !status) return status;
        if (Status status = check_plan(goal); !status) return status;
    } else {
        if (there == goal.overlays.end()) return Status::not_found("{} is not on top of {}", id, goal_.experience);
        goal.overlays.erase(there);
    }
    goal.generation = generation_ + 1;
    goal.reload = goal.is_retry = false;
    goal.failure = failure;
    forget_failures();
    return take(std::move(goal), true);
}

// As far as it can be told now: sets that are not loaded are read later.
Status HostWalk::check_plan(const Goal& goal) const {
    const auto source = plan_source(table_->setup.assets, goal.experience, goal.overlays);
    if (!source) return Status::ok();
    const auto plan = plan_for(*source);
    return plan->is_ok() ? Status::ok() : Status::refused("{}", plan->causes.front().to_string());
}

// ---- a client follows

Status HostWalk::receive(const Choice& choice) {
    if (is_server()) return Status::refused("{} decides itself: only clients receive a choice", world().def().name);
    if (Status status = why_no_goal(); !status) return status;
    if (choice.overlays.size() > kMaxOverlays || choice.failure.others.size() > Cause::kMaxOthers ||
        choice.failure.earlier.size() > Cause::kMaxOthers)
        return Status::capacity("a choice has at most {} overlays and {} causes", kMaxOverlays, Cause::kMaxOthers);
    const Fault fault = table_->ask(world(), FaultStage::ReplicatedChoice, choice.experience.to_string());
    for (HeldChoice& held : held_choices_) --held.after;
    switch (fault.effect) {
        case FaultEffect::Fail:
        case FaultEffect::Never:
            break;
        case FaultEffect::Delay:
        case FaultEffect::Reorder:
            if (held_choices_.size() < kMaxHolds) {
                const bool is_late = fault.effect == FaultEffect::Reorder;  // but not for ever, if no other comes
                const double seconds = is_late ? kReorderSeconds : fault.seconds;
                held_choices_.push_back(
                    {choice, now_us() + static_cast<std::int64_t>(seconds * 1e6), is_late ? fault.count : INT64_MAX});
            }
            break;
        case FaultEffect::Twice:
            take_choice(choice);
            [[fallthrough]];
        default:
            take_choice(choice);
    }
    return Status::ok();
}

void HostWalk::release_choices() {
    for (std::size_t i = 0; i < held_choices_.size();) {
        if (held_choices_[i].after > 0 && now_us() < held_choices_[i].due_us) {
            ++i;
            continue;
        }
        const Choice choice = std::move(held_choices_[i].choice);
        held_choices_.erase(held_choices_.begin() + static_cast<std::ptrdiff_t>(i));
        take_choice(choice);
    }
}

void HostWalk::take_choice(const Choice& choice) {
    if (choice.generation <= generation_) {
        ++counters_.ignored_choices;
        return;
    }
    Goal goal;
    goal.generation = choice.generation;
    goal.experience = choice.experience;
    goal.overlays = choice.overlays;
    goal.expected_hash = choice.content_hash;
    if (choice.experience.is_none() && !choice.failure.is_none()) {
        goal.server_failure = make_cause(CauseCode::ServerFailed, choice.failure.to_string());
        goal.server_failure.generation = choice.generation;
        goal.server_failure.earlier = choice.failure.earlier;
    }
    forget_failures();
    host_.choice_ = choice;
    const bool leaves = choice.experience.is_none();
    if (leaves && state_ == LoadState::Unloaded && goal.server_failure.is_none() && !next_) {
        generation_ = goal.generation;  // there is nothing to leave
        goal_ = std::move(goal);
        return;
    }
    take(std::move(goal), false);
}

// ---- who is told

CallbackHandle HostWalk::on_loaded(Priority priority, WeakOwner owner,
                                   std::function<void(const ExperienceDefinition&)> callback, Repeat repeat,
                                   Place place) {
    if (!is_loaded())
        return loaded_rounds_.add(priority, std::move(owner), std::move(callback), repeat, place.file, place.line);
    const World::CallScope scope(world());
    const auto definition = current_;
    Rounds<ExperienceDefinition>::call(priority, owner, callback, repeat, *definition,
                                       reporter("what waits for Loaded"), place.file, place.line);
    if (repeat == Repeat::Once) return {};
    return loaded_rounds_.add(priority, std::move(owner), std::move(callback), repeat, place.file, place.line);
}

CallbackHandle HostWalk::on_failed(WeakOwner owner, std::function<void(const Cause&)> callback, Place place) {
    constexpr Priority kLevel = Priority::Normal;
    if (!is_failed_finally())
        return failed_rounds_.add(kLevel, std::move(owner), std::move(callback), Repeat::Once, place.file, place.line);
    const World::CallScope scope(world());
    const Cause cause = failure_;
    Rounds<Cause>::call(kLevel, owner, callback, Repeat::Once, cause, reporter("what waits for Failed"), place.file,
                        place.line);
    return {};
}

CallbackHandle HostWalk::on_play(Priority priority, WeakOwner owner, std::function<void()> callback, Repeat repeat,
                                 Place place) {
    if (!may_play_start())
        return play_rounds_.add(priority, std::move(owner), std::move(callback), repeat, place.file, place.line);
    const World::CallScope scope(world());
    Rounds<>::call(priority, owner, callback, repeat, reporter("what waits for the start of play"), place.file,
                   place.line);
    if (repeat == Repeat::Once) return {};
    return play_rounds_.add(priority, std::move(owner), std::move(callback), repeat, place.file, place.line);
}

Result<PlayStartHold> HostWalk::hold_play(std::string name, double limit) {
    if (Status status = why_no_goal(); !status) return status;
    if (!is_server()) return not_authority("hold the start of play");
    if (may_play_start()) return Status::refused("play may start already; {} comes too late", name);
    std::erase_if(holds_, [](const auto& hold) { return hold->is_released; });
    if (holds_.size() >= kMaxHolds) return Status::capacity("{} hold the start of play already", kMaxHolds);
    PlayStartHold hold;
    hold.state_ = std::make_shared<HoldState>();
    hold.state_->name = std::move(name);
    hold.state_->since_us = now_us();
    hold.state_->due_us = limit > 0 ? now_us() + static_cast<std::int64_t>(std::min(limit, 1e9) * 1e6) : 0;
    holds_.push_back(hold.state_);
    return hold;
}

CallbackHandle HostWalk::on_ready(WeakOwner owner, ReadyCallback callback, Place place) {
    if (!is_ended_)
        return waits_->add(Priority::Normal, std::move(owner), std::move(callback), Repeat::Once, place.file,
                           place.line);
    answer_ended(table_->runtime().log(), owner, callback, place.file, place.line);
    return {};
}

HostCounters HostWalk::counters() const {
    HostCounters all = counters_;
    all.late_pausers = *late_pausers_;
    return all;
}

}  // namespace lyre::experience::detail
