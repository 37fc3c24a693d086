#include "lyre/experience/host.h"

#include <algorithm>

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

void Host::need_assets(AssetsNeeded needed, const char* file, int line) {
    CallbackHandle added;
    if (needed != nullptr)
        added = needed_.add(
            Priority::Normal, {},
            [needed = std::move(needed)](const ExperienceDefinition& definition,
                                         std::vector<assets::PrimaryAssetId>* const& ids) {
                *ids = needed(definition);
            },
            Repeat::EachLoad, file, line);
    needed_by_ = std::move(added);
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

bool Host::is_leaving_held_up() const {
    return walk_ != nullptr && walk_->is_leaving_held_up();
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

}  // namespace lyre::experience
