// Goals, Loaded and Failed: where a walk begins and ends.
#include "lyre/experience/detail/host_walk.h"

#include <algorithm>

#include "lyre/core/suggest.h"

namespace lyre::experience::detail {
namespace {

const Name kStage("experience.stage");

}  // namespace

void CountedLines::add(std::string line) {
    ++count;
    if (lines.size() < Cause::kMaxOthers)
        lines.push_back(std::move(line));
    else
        lines.back() = fmt::format("and {} more", count - (Cause::kMaxOthers - 1));
}

bool Wanted::has(const TakenAction& action) const {
    return has_action(action.hash);
}

bool Wanted::has(const TakenFeature& feature) const {
    return plan->find(feature.id) != nullptr;
}

bool Wanted::has(const TakenBundle& bundle) const {
    if (!bundle.by_kind.empty()) return has_action(bundle.by_hash);
    return (bundle.bundles.empty() ? plain : bundled).count(bundle.request.id) != 0;
}

HostWalk::HostWalk(Host& host, std::shared_ptr<ExperienceTable> table)
    : host_(host),
      table_(std::move(table)),
      timeline_(table_->runtime().clock(), host.world().def().name),
      chaos_(host.world().random().stream("experience.chaos")),
      waits_(table_->take_waits(host.world())) {}

HostWalk::~HostWalk() = default;

std::string HostWalk::subject() const {
    return std::string(world().def().name.text());
}

void HostWalk::report(LogLevel level, std::string_view kind, const std::string& text) const {
    table_->runtime().log().report(level, Name(kind), subject(), text);
}

Threw HostWalk::reporter(std::string_view what) {
    return [this, what](const RegistrationInfo& who, std::string_view threw) {
        report(LogLevel::Error, "experience.callback", fmt::format("{} ({}) threw: {}", what, who.to_string(), threw));
    };
}

// A span for each call of a broadcast.
Called HostWalk::timed(SpanId in) {
    return [this, in](const RegistrationInfo& who, bool begins) {
        if (begins)
            return callback_spans_.push_back(timeline_.begin(SpanKind::Callback, who.to_string(), generation_, in));
        timeline_.end(callback_spans_.back());  // broadcasts may stand inside each other: the last that began
        callback_spans_.pop_back();
    };
}

// ---- running

// Whatever ends the host or its world inside is put off until the scope is over; nothing is touched after it.
void HostWalk::run() {
    if (is_running_ || is_over() || table_->has_ended()) return;
    const World::CallScope scope(world());
    is_running_ = true;
    release_choices();
    expire_holds();
    if (state_ != LoadState::LoadingGameFeatures && !answers_->empty())
        counters_.stale_completions += std::exchange(*answers_, {}).size();
    std::size_t goals = 0;
    for (std::size_t rounds = 0; rounds < kMaxRounds && !is_over(); ++rounds) {
        if (next_) {
            if (++goals > kMaxGoals) {
                report(LogLevel::Error, "experience.restless",
                       fmt::format("{} goals in one update; it goes on in the next", kMaxGoals));
                break;
            }
            begin_next();
        }
        if (!step() && !check_stage_limit() && !next_) break;
    }
    is_running_ = false;
    deliver_tickets();
    if (must_end_) end();
}

bool HostWalk::is_over() const {
    return is_ended_ || must_end_ || world().has_ended() || world().find(host_.actor().id()) == nullptr;
}

bool HostWalk::step() {
    switch (state_) {
        case LoadState::Unloaded:
            return step_unloaded();
        case LoadState::Loading:
            return step_loading();
        case LoadState::LoadingGameFeatures:
            return step_features();
        case LoadState::LoadingChaosTestingDelay:
            return step_delay();
        case LoadState::ExecutingActions:
            return step_actions();
        case LoadState::Loaded:
            return step_loaded();
        case LoadState::Deactivating:
            return step_leaving();
        case LoadState::Failed:
            return step_failed();
    }
    return false;
}

void HostWalk::enter(LoadState state) {
    const LoadState before = std::exchange(state_, state);
    state_since_us_ = now_us();
    if (state == LoadState::Deactivating) pausers_since_us_ = features_since_us_ = 0;
    timeline_.end(stage_span_);
    stage_span_ = timeline_.begin(SpanKind::Stage, to_string(state), generation_, walk_span_);
    table_->runtime()
        .trace()
        .writer(world().def().name)
        .event(kStage, goal_.experience, "{} -> {} (generation {})", to_string(before), to_string(state), generation_);
}

void HostWalk::enter_unloaded() {
    enter(LoadState::Unloaded);
    timeline_.end_all();
}

double HostWalk::stage_limit() const {
    return limits_.stage_secs >= 0 ? limits_.stage_secs : table_->stage_timeout->get();
}

bool HostWalk::is_over_limit(std::int64_t since_us, double limit) const {
    return limit > 0 && static_cast<double>(now_us() - since_us) / 1e6 >= limit;
}

// Of the stages on the way up; leaving has limits of its own.
bool HostWalk::check_stage_limit() {
    if (state_ < LoadState::Loading || state_ > LoadState::ExecutingActions) return false;
    if (next_ || !is_over_limit(state_since_us_, stage_limit())) return false;
    const LoadingReport now = explain_loading();
    std::string text = fmt::format("{} took longer than {:g} s", to_string(state_), stage_limit());
    if (!now.pending.empty()) {
        const PendingItem& item = now.pending.front();
        text += fmt::format("; waited longest for {} {}, {:.1f} s{}", item.kind, item.id, item.seconds,
                            item.waits.empty() ? "" : fmt::format(" ({})", item.waits));
    }
    fail(make_cause(CauseCode::StageTimeout, std::move(text)));
    return true;
}

// ---- goals

std::shared_ptr<TicketState> HostWalk::make_ticket(std::uint32_t generation) const {
    auto ticket = std::make_shared<TicketState>();
    ticket->generation = generation;
    ticket->table = table_;
    return ticket;
}

// The goal counts from now on; the walk to it begins when the running step returns.
SetTicket HostWalk::take(Goal goal, bool opens_ticket) {
    SetTicket ticket;
    generation_ = goal.generation;
    if (opens_ticket) {
        if (ticket_ != nullptr) {
            SetOutcome outcome{SetOutcome::Kind::Superseded};
            outcome.by_generation = goal.generation;
            end_ticket(std::move(outcome));
        }
        ticket_ = make_ticket(goal.generation);
        ticket.state_ = last_ticket_ = ticket_;
    }
    next_ = std::move(goal);
    if (!is_running_ && !next_->experience.is_none()) {
        is_running_ = true;
        begin_next();
        is_running_ = false;
        if (must_end_) end();
    }
    return ticket;
}

void HostWalk::begin_next() {
    goal_ = std::move(*next_);
    next_.reset();
    ++serial_;
    current_.reset();
    best_progress_ = 0;
    definition_.reset();
    read_.reset();
    sets_.clear();
    let_go_of_wanted();
    wanted_.reset();
    extras_ = {};
    batch_.reset();
    late_answers_.clear();
    has_asked_bundles_ = has_asked_features_ = has_decoded_late_ = false;
    keeps_loaded_ = false;
    after_ = After::Nothing;
    degraded_.clear();
    goal_.reload = goal_.reload && has_taken_anything();
    if (goal_.experience.is_none()) {
        begin_span(SpanKind::Leave, subject());
        if (is_server()) {
            Choice none;
            none.generation = goal_.generation;
            publish(none);
        }
        if (state_ == LoadState::Failed && !has_taken_anything() && goal_.server_failure.is_none()) {
            failure_ = {};
            return enter_unloaded();
        }
        leave_report_.clear();
        purpose_ = Purpose::Clear;
        return enter(LoadState::Deactivating);
    }
    begin_span(SpanKind::Load, goal_.experience.to_string());
    if (!goal_.is_retry) policy_ = goal_.failure.value_or(FailurePolicy{});
    limits_ = {};
    failure_ = {};
    enter(LoadState::Loading);
}

void HostWalk::begin_span(SpanKind kind, const std::string& id) {
    timeline_.clear();
    walk_span_ = timeline_.begin(kind, id, generation_);
}

void HostWalk::publish(const Choice& choice) {
    host_.choice_ = choice;
    table_->runtime()
        .trace()
        .writer(world().def().name)
        .event(Name("experience.published"), choice.experience, "generation {}, content {:016x}", choice.generation,
               choice.content_hash);
}

void HostWalk::end_ticket(SetOutcome outcome) {
    const auto ticket = std::exchange(ticket_, nullptr);
    if (ticket == nullptr) return;
    ticket->outcome = std::move(outcome);
    ended_tickets_.push_back(ticket);
}

void HostWalk::deliver_tickets() {
    for (const auto& ticket : std::exchange(ended_tickets_, {}))
        ticket->ended.broadcast(ticket->outcome, {}, reporter("what waits for a ticket"), timed(stage_span_));
}

// ---- Unloaded

bool HostWalk::step_unloaded() {
    if (!sources_) return false;
    select();
    return true;
}

void HostWalk::select() {
    const SelectionSources sources = *sources_;
    SelectionReport chosen = select_experience(sources, table_->setup.assets.registry());
    if (!std::exchange(sources_, {}) || is_over()) return;  // an assignment has set, cleared or closed itself
    selection_ = std::move(chosen);
    for (const SourceAnswer* answer : selection_.unknown())
        report(LogLevel::Warning, "experience.unknown", answer->to_text());
    table_->runtime()
        .trace()
        .writer(world().def().name)
        .event(Name("experience.selected"), selection_.experience, "{}",
               selection_.winner ? to_string(*selection_.winner) : "nobody");
    if (selection_.winner) {
        report(LogLevel::Info, "experience.selected",
               fmt::format("{}, by {}", selection_.experience, to_string(*selection_.winner)));
        Goal goal;
        goal.generation = generation_ + 1;
        goal.experience = selection_.experience;
        goal.overlays = standing_overlays_;
        take(std::move(goal), true);
        return;
    }
    failure_ = make_cause(CauseCode::NoExperienceChosen,
                          "no source names an experience that is known:\n" + selection_.to_text());
    note_attempt("none", "stay failed");
    enter(LoadState::Failed);
    settle_failure();
}

// ---- Loaded

void HostWalk::say_loaded() {
    const std::uint64_t serial = serial_;
    renew_policies();
    if (!goes_on(serial)) return;
    std::exchange(wanted_->actions, {});  // what one still uses may call hooks as it goes
    if (!goes_on(serial)) return;
    current_ = std::move(read_);
    const auto definition = current_;  // what a callback is given stays as long as the rounds
    loaded_limits_ = limits_;
    loaded_ = std::exchange(wanted_, {});
    loaded_extras_ = std::exchange(extras_, {});
    last_loaded_ = goal_.experience;
    last_overlays_ = goal_.overlays;
    best_progress_ = 1;
    enter(LoadState::Loaded);
    report(LogLevel::Info, "experience.loaded",
           fmt::format("{} (generation {}){}", goal_.experience, goal_.generation,
                       degraded_.empty() ? "" : fmt::format(", without {} optional parts", degraded_.size())));
    SetOutcome outcome{SetOutcome::Kind::Loaded, goal_.experience};
    if (fell_back_because_) {
        outcome.kind = SetOutcome::Kind::FellBack;
        outcome.cause = *std::exchange(fell_back_because_, {});
    }
    failed_chain_.clear();
    chain_causes_ = {};
    tries_ = 0;
    end_ticket(std::move(outcome));
    if (is_server() && std::none_of(holds_.begin(), holds_.end(), [](const auto& hold) { return !hold->is_released; }))
        play_generation_ = goal_.generation;
    const auto loaded_mark = loaded_rounds_.mark();
    const auto play_mark = play_rounds_.mark();
    for (Priority level : {Priority::High, Priority::Normal, Priority::Low})
        if (goes_on(serial)) broadcast_level(level, *definition, loaded_mark, play_mark);
    if (goes_on(serial)) timeline_.end_all();
}

void HostWalk::broadcast_level(Priority level, const ExperienceDefinition& definition, std::uint64_t loaded_mark,
                               std::uint64_t play_mark) {
    const auto goes_on = [this, serial = serial_] { return this->goes_on(serial); };
    const SpanScope span(timeline_, SpanKind::Callback, to_string(level), generation_, stage_span_);
    const Called timed = this->timed(span.id());
    loaded_rounds_.broadcast_level(level, loaded_mark, definition, goes_on, reporter("what waits for Loaded"), timed);
    if (goes_on() && may_play_start())
        play_rounds_.broadcast_level(level, play_mark, goes_on, reporter("what waits for the start of play"), timed);
    if (goes_on() && level == Priority::Normal) tell_waiters({});
}

bool HostWalk::may_play_start() const {
    return play_generation_ != 0 && play_generation_ == goal_.generation && is_loaded();
}

void HostWalk::expire_holds() {
    for (std::size_t i = 0; i < holds_.size(); ++i) {
        const auto hold = holds_[i];  // who hears of it may ask for another
        if (hold->is_released || hold->due_us == 0 || now_us() < hold->due_us) continue;
        hold->is_released = true;
        report(LogLevel::Warning, "experience.play_hold",
               fmt::format("{} held the start of play longer than it may", hold->name));
    }
    std::erase_if(holds_, [](const auto& hold) { return hold->is_released; });
}

bool HostWalk::step_loaded() {
    tell_waiters({});
    if (!is_server() || may_play_start() || !is_loaded() || !holds_.empty()) return false;
    open_play_gate();
    return true;
}

void HostWalk::open_play_gate() {
    play_generation_ = goal_.generation;
    play_rounds_.broadcast([this, serial = serial_] { return goes_on(serial); },
                           reporter("what waits for the start of play"), timed(stage_span_));
}

// They are told as long as it is true; who is not reached waits on.
void HostWalk::tell_waiters(const ReadyResult& result) {
    if (waits_->is_empty()) return;
    const auto is_true = [this, kind = result.kind] {
        if (kind == ReadyResult::Kind::Ended) return true;
        return !is_over() && (kind == ReadyResult::Kind::Ready ? is_loaded() : is_failed_finally());
    };
    waits_->broadcast(result, is_true, reporter("what waits for an experience"), timed(stage_span_));
}

// ---- Failed

Cause HostWalk::make_cause(CauseCode code, std::string text) const {
    Cause cause;
    cause.code = code;
    cause.side = std::string(to_string(world().net_mode()));
    cause.generation = generation_;
    cause.stage = state_;
    cause.experience = goal_.experience;
    cause.text = std::move(text);
    return cause;
}

void HostWalk::fail(Cause cause) {
    std::vector<Cause> one;
    one.push_back(std::move(cause));
    fail(std::move(one));
}

// Decides what follows, and gives back what was taken; the decision is carried out when that is done.
void HostWalk::fail(std::vector<Cause> causes) {
    Cause cause = std::move(causes.front());
    CountedLines others;
    for (std::size_t i = 1; i < causes.size(); ++i) others.add(causes[i].to_string());
    cause.others = std::move(others.lines);
    cause.earlier = chain_causes_.lines;
    ++serial_;  // what is still asked for does not count
    ++tries_;
    failed_chain_.insert({goal_.experience, goal_.overlays});
    chain_causes_.add(fmt::format("{}: {}", goal_.experience, cause.to_string()));
    after_ = After::Nothing;
    std::string decision = "stay failed";
    if (policy_.policy == FailureKind::Retry && tries_ < policy_.attempts) {
        after_ = After::Retry;
        decision = fmt::format("retry {} of {} in {:g} s", tries_ + 1, policy_.attempts, policy_.delay_secs);
    } else if (policy_.policy != FailureKind::StayFailed && policy_.to && is_server()) {
        const bool is_back = policy_.is_to_previous();
        const assets::PrimaryAssetId there = is_back ? last_loaded_ : policy_.to_experience();
        const auto& overlays = is_back ? last_overlays_ : standing_overlays_;
        if (there.is_none()) {
            decision = "stay failed: nothing was loaded before";
        } else if (failed_chain_.count({there, overlays}) != 0) {
            decision = fmt::format("stay failed: {} has failed before", there);
        } else if (table_->setup.assets.registry().find(there) == nullptr) {
            decision = fmt::format("stay failed: there is no {}", there);
        } else {
            after_ = After::FallBack;
            fall_back_to_ = there;
            fall_back_overlays_ = overlays;
            keeps_loaded_ = is_back && loaded_.has_value();
            decision = fmt::format("fall back to {}", there);
        }
    }
    if (after_ == After::FallBack && !fell_back_because_) fell_back_because_ = cause;
    failure_ = std::move(cause);
    note_attempt(goal_.experience.to_string(), decision);
    report(LogLevel::Error, "experience.failed",
           fmt::format("{} (generation {}): {}; {}", goal_.experience, generation_, failure_.to_string(), decision));
    let_go_of_wanted();
    leave_report_.clear();
    purpose_ = Purpose::Fail;
    enter(LoadState::Deactivating);
}

// Of many the first and the newest are of interest.
void HostWalk::note_attempt(std::string experience, std::string decision) {
    if (attempts_.size() == kMaxAttempts) {
        attempts_.erase(attempts_.begin() + kMaxAttempts / 2);
        ++attempts_left_out_;
    }
    attempts_.push_back({{std::move(experience), generation_, failure_.to_string(), std::move(decision)}, now_us()});
}

// What was decided, now that nothing is held any more.
void HostWalk::settle_failure() {
    if (after_ == After::Retry) {
        constexpr double kLongest = 1e9;  // s
        const double delay = policy_.delay_secs > 0 ? std::min(policy_.delay_secs, kLongest) : 0;
        next_attempt_us_ = now_us() + 1 + static_cast<std::int64_t>(delay * 1e6);  // never in this update
        return;
    }
    if (after_ == After::FallBack) {
        after_ = After::Nothing;
        tries_ = 0;
        Goal goal;
        goal.generation = generation_ + 1;
        goal.experience = fall_back_to_;
        goal.overlays = fall_back_overlays_;
        take(std::move(goal), false);
        return;
    }
    if (is_server()) {
        Choice none;
        goal_.generation = none.generation = ++generation_;
        none.failure = failure_;
        publish(none);
    }
    fell_back_because_.reset();
    SetOutcome outcome{SetOutcome::Kind::Failed};
    outcome.cause = failure_;
    end_ticket(std::move(outcome));
    const std::uint64_t serial = serial_;
    const Cause cause = failure_;
    failed_rounds_.broadcast(
        cause, [this, serial] { return goes_on(serial); }, reporter("what waits for Failed"), timed(stage_span_));
    if (goes_on(serial)) tell_waiters({ReadyResult::Kind::Failed, cause});
    if (goes_on(serial)) timeline_.end_all();
}

bool HostWalk::step_failed() {
    if (after_ != After::Retry) {
        if (!waits_->is_empty()) tell_waiters({ReadyResult::Kind::Failed, failure_});
        return false;
    }
    if (now_us() < next_attempt_us_) return false;
    Goal goal = goal_;
    goal.is_retry = true;
    ++counters_.retries;
    if (is_server()) goal.generation = generation_ + 1;
    take(std::move(goal), false);
    return true;
}

std::optional<double> HostWalk::seconds_to_next_attempt() const {
    if (state_ != LoadState::Failed || after_ != After::Retry) return std::nullopt;
    return std::max(0.0, static_cast<double>(next_attempt_us_ - now_us()) / 1e6);
}

// ---- the end

void HostWalk::end() {
    if (is_running_) {
        must_end_ = true;
        return;
    }
    if (std::exchange(is_ended_, true)) return;
    ++serial_;
    next_.reset();
    sources_.reset();
    after_ = After::Nothing;
    const bool had_something = state_ != LoadState::Unloaded;
    if (had_something && state_ != LoadState::Deactivating) enter(LoadState::Deactivating);
    leave_at_once();
    if (had_something) enter(LoadState::Unloaded);
    timeline_.end_all();
    end_ticket({SetOutcome::Kind::Cancelled});
    deliver_tickets();
    tell_waiters({ReadyResult::Kind::Ended, {}});
    answers_.reset();
}

}  // namespace lyre::experience::detail
