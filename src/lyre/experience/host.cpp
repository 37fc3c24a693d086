#include "lyre/experience/host.h"

#include <algorithm>

#include "lyre/core/suggest.h"
#include "lyre/experience/detail/host_walk.h"
#include "lyre/world/game_instance.h"

namespace lyre::experience {

using detail::HostWalk;

void Choice::describe(TypeBuilder<Choice>& t) {
    t.help("which experience a server has chosen");
    t.property("experience", &Choice::experience);
    t.property("generation", &Choice::generation);
    t.property("content_hash", &Choice::content_hash);
    t.property("overlays", &Choice::overlays);
    t.property("failure", &Choice::failure);
}

std::string SetOutcome::to_string() const {
    switch (kind) {
        case Kind::Open:
            return "Open";
        case Kind::Loaded:
            return fmt::format("Loaded {}", experience);
        case Kind::FellBack:
            return fmt::format("FellBack to {}: {}", experience, cause.to_string());
        case Kind::Failed:
            return fmt::format("Failed: {}", cause.to_string());
        case Kind::Cancelled:
            return "Cancelled";
        case Kind::Superseded:
            return fmt::format("Superseded by generation {}", by_generation);
    }
    return {};
}

std::uint32_t SetTicket::generation() const {
    return state_ != nullptr ? state_->generation : 0;
}

const SetOutcome& SetTicket::outcome() const {
    static const SetOutcome kCancelled{SetOutcome::Kind::Cancelled};
    return state_ != nullptr ? state_->outcome : kCancelled;
}

CallbackHandle SetTicket::on_end(WeakOwner owner, std::function<void(const SetOutcome&)> callback) {
    if (state_ != nullptr && is_open())
        return state_->ended.add(Priority::Normal, std::move(owner), std::move(callback));
    const auto state = state_;  // the ticket may go in the call
    const Threw threw = [&state](const RegistrationInfo& who, std::string_view what) {
        if (const auto table = state != nullptr ? state->table.lock() : nullptr)
            detail::reporter_to(table->runtime().log(), "what waits for a ticket")(who, what);
    };
    const SetOutcome ended = outcome();
    Rounds<SetOutcome>::call(Priority::Normal, owner, callback, Repeat::Once, ended, threw);
    return {};
}

PlayStartHold& PlayStartHold::operator=(PlayStartHold&& other) noexcept {
    if (this == &other) return *this;
    release();
    state_ = std::move(other.state_);
    return *this;
}

void PlayStartHold::release() {
    if (const auto state = std::exchange(state_, nullptr)) state->is_released = true;
}

bool PlayStartHold::is_held() const {
    return state_ != nullptr && !state_->is_released;
}

// ---- Host

Host::Host() = default;
Host::~Host() = default;

void Host::describe(TypeBuilder<Host>& t) {
    t.parent<Component>();
    t.help("the experience of its world");
    t.property("choice", &Host::choice_).replicated().not_hashed().help("what clients follow");
}

bool Host::is_connected() const {
    return walk_ != nullptr && !walk_->has_ended();
}

void Host::registered() {
    connect();
}

void Host::connect() {
    if (walk_ != nullptr) return;
    GameInstance* game = world().game();
    const auto* link = game != nullptr ? game->subsystems().find<detail::ExperienceLink>() : nullptr;
    const auto table = link != nullptr ? link->table.lock() : nullptr;
    if (table == nullptr || table->has_ended()) return;
    walk_ = std::make_unique<HostWalk>(*this, table);
    table->add_host(*this);
}

void Host::end_play(EndReason) {
    if (walk_ == nullptr) return;
    walk_->end();
    walk_->table_->remove_host(*this);
    walk_.reset();
}

Status Host::not_connected() const {
    return Status::refused(
        "this host is not connected: experiences.add_game() makes the worlds of a game known to Experiences");
}

Result<SetTicket> Host::set_experience(assets::PrimaryAssetId id, const SetOptions& options) {
    if (!is_connected()) return not_connected();
    const World::CallScope scope(world());
    return walk_->set(id, options);
}

Result<SetTicket> Host::set_experience(std::string_view id, const SetOptions& options) {
    const auto parsed = assets::PrimaryAssetId::parse(id, Name(kExperienceType));
    if (!parsed) return parsed.status();
    return set_experience(*parsed, options);
}

Status Host::check_experience(std::string_view id) const {
    if (!is_connected()) return not_connected();
    const auto parsed = assets::PrimaryAssetId::parse(id, Name(kExperienceType));
    return parsed ? walk_->check_known(*parsed) : parsed.status();
}

Status Host::check_overlays(const std::vector<assets::PrimaryAssetId>& overlays) {
    if (overlays.size() > HostWalk::kMaxOverlays)
        return Status::capacity("at most {} overlays", HostWalk::kMaxOverlays);
    for (auto at = overlays.begin(); at != overlays.end(); ++at)
        if (std::find(overlays.begin(), at, *at) != at) return Status::exists("{} is named twice", *at);
    return Status::ok();
}

Status Host::clear_experience(std::string reason) {
    if (!is_connected()) return not_connected();
    const World::CallScope scope(world());
    return walk_->clear(std::move(reason));
}

Result<SetTicket> Host::retry_experience() {
    if (!is_connected()) return not_connected();
    const World::CallScope scope(world());
    return walk_->retry();
}

Result<SetTicket> Host::add_action_set(assets::PrimaryAssetId id, const FailurePolicy& failure) {
    if (!is_connected()) return not_connected();
    const World::CallScope scope(world());
    return walk_->change_overlays(id, true, failure);
}

Result<SetTicket> Host::remove_action_set(assets::PrimaryAssetId id, const FailurePolicy& failure) {
    if (!is_connected()) return not_connected();
    const World::CallScope scope(world());
    return walk_->change_overlays(id, false, failure);
}

Status Host::init_game(SelectionSources sources, std::vector<assets::PrimaryAssetId> overlays) {
    if (!is_connected()) return not_connected();
    return walk_->init_game(std::move(sources), std::move(overlays));
}

Status Host::receive(const Choice& choice) {
    if (!is_connected()) return not_connected();
    const World::CallScope scope(world());
    return walk_->receive(choice);
}

LoadState Host::state() const {
    return walk_ != nullptr ? walk_->state_ : LoadState::Unloaded;
}

std::uint32_t Host::generation() const {
    return walk_ != nullptr ? walk_->generation_ : 0;
}

float Host::progress() const {
    return walk_ != nullptr ? walk_->progress() : 0;
}

bool Host::is_experience_loaded() const {
    return walk_ != nullptr && walk_->is_loaded();
}

assets::PrimaryAssetId Host::experience_id() const {
    return walk_ != nullptr && state() != LoadState::Unloaded ? walk_->goal().experience : assets::PrimaryAssetId();
}

const std::vector<assets::PrimaryAssetId>& Host::overlays() const {
    static const std::vector<assets::PrimaryAssetId> kNone;
    return walk_ != nullptr ? walk_->goal().overlays : kNone;
}

Result<const ExperienceDefinition*> Host::current_experience() const {
    if (!is_experience_loaded()) return Status::refused("no experience is loaded: the host is {}", to_string(state()));
    return walk_->current_.get();
}

const std::vector<features::Degraded>& Host::degraded() const {
    static const std::vector<features::Degraded> kNone;
    return walk_ != nullptr ? walk_->degraded_ : kNone;
}

const Cause& Host::failure() const {
    static const Cause kNone;
    return walk_ != nullptr ? walk_->failure_ : kNone;
}

std::optional<double> Host::seconds_to_next_attempt() const {
    return walk_ != nullptr ? walk_->seconds_to_next_attempt() : std::nullopt;
}

const std::vector<std::string>& Host::leave_report() const {
    static const std::vector<std::string> kNone;
    return walk_ != nullptr ? walk_->leave_report_ : kNone;
}

HostCounters Host::counters() const {
    return walk_ != nullptr ? walk_->counters() : HostCounters();
}

std::vector<std::string> Host::taken() const {
    return walk_ != nullptr ? walk_->taken() : std::vector<std::string>();
}

const Timeline* Host::timeline() const {
    return walk_ != nullptr ? &walk_->timeline_ : nullptr;
}

Host::ScreenReason Host::loading_screen_reason() const {
    if (is_experience_loaded()) return {};
    if (state() == LoadState::Failed) return {failure().to_string(), walk_->is_failed_finally()};
    const assets::PrimaryAssetId id = experience_id();
    return {id.is_none() ? fmt::format("no experience yet ({})", to_string(state()))
                         : fmt::format("{} is {}", id, to_string(state())),
            false};
}

CallbackHandle Host::call_or_register_on_experience_loaded(Priority priority, WeakOwner owner,
                                                           std::function<void(const ExperienceDefinition&)> callback,
                                                           Repeat repeat, const char* file, int line) {
    if (!is_connected()) return CallbackHandle(not_connected());
    return walk_->on_loaded(priority, std::move(owner), std::move(callback), repeat, {file, line});
}

CallbackHandle Host::call_or_register_on_experience_failed(WeakOwner owner, std::function<void(const Cause&)> callback,
                                                           const char* file, int line) {
    if (!is_connected()) return CallbackHandle(not_connected());
    return walk_->on_failed(std::move(owner), std::move(callback), {file, line});
}

CallbackHandle Host::wait_for_experience_ready(ReadyCallback callback, WeakOwner owner, const char* file, int line) {
    const World::CallScope scope(world());
    if (walk_ != nullptr) return walk_->on_ready(std::move(owner), std::move(callback), {file, line});
    // experiences.wait_for_experience_ready() waits for one that is not there yet
    detail::answer_ended(world().runtime().log(), owner, callback, file, line);
    return {};
}

Result<PlayStartHold> Host::hold_play_start(std::string name, double limit) {
    if (!is_connected()) return not_connected();
    return walk_->hold_play(std::move(name), limit);
}

CallbackHandle Host::call_when_play_may_start(Priority priority, WeakOwner owner, std::function<void()> callback,
                                              Repeat repeat, const char* file, int line) {
    if (!is_connected()) return CallbackHandle(not_connected());
    return walk_->on_play(priority, std::move(owner), std::move(callback), repeat, {file, line});
}

bool Host::may_play_start() const {
    return walk_ != nullptr && walk_->may_play_start();
}

SelectionReport Host::explain_selection() const {
    return walk_ != nullptr ? walk_->selection_ : SelectionReport();
}

LoadingReport Host::explain_loading() const {
    return walk_ != nullptr ? walk_->explain_loading() : LoadingReport();
}

FailureReport Host::explain_failure() const {
    return walk_ != nullptr ? walk_->explain_failure() : FailureReport();
}

void Host::update() {
    if (walk_ != nullptr) walk_->run();
}

// ---- what is asked for

namespace detail {

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

}  // namespace detail

}  // namespace lyre::experience
