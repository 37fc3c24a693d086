#include "lyre/features/action_run.h"

#include <algorithm>
#include <exception>
#include <map>

namespace lyre::features {
namespace {

const Name kKind("feature.action");

}  // namespace

namespace detail {

struct Pausers {
    std::map<std::uint64_t, PauserInfo> open;  // in the order they were asked for
    std::uint64_t last_number = 0;
    std::function<void()> resumed;
    Owner owner;              // of resumed
    bool is_waiting = false;  // deactivate() has returned and finish() was not called

    // Nothing is touched after the call: it may destroy the run and who called.
    void done(std::uint64_t number) {
        if (open.erase(number) == 0 || !open.empty() || !is_waiting) return;
        const auto call = std::exchange(resumed, nullptr);
        const OwnerScope as(owner);
        if (call) call();
    }
    void forget() {
        is_waiting = false;
        resumed = nullptr;
        open.clear();
    }
};

}  // namespace detail

// Contexts and tokens.

Name ActionContext::feature() const {
    return run_.subject_.name;
}

const std::string& ActionContext::who() const {
    return run_.subject_.who;
}

std::size_t ActionContext::index() const {
    return run_.entries_[at_].item.index;
}

std::string ActionContext::place() const {
    return run_.place(at_);
}

std::string ActionContext::where() const {
    return fmt::format("{}, {}", who(), place());
}

ContextKey ActionContext::key() const {
    return run_.key_;
}

World* ActionContext::find_world() const {
    return run_.world();
}

Roles ActionContext::roles() const {
    return run_.subject_.roles;
}

VariableRank ActionContext::rank() const {
    if (run_.rank_ == nullptr) run_.rank_ = std::make_shared<std::uint64_t>(run_.subject_.rank);
    return run_.rank_;
}

Runtime& ActionContext::runtime() const {
    return run_.services_.runtime;
}

assets::Assets& ActionContext::assets() const {
    return run_.services_.assets;
}

NamedCode& ActionContext::code() const {
    return run_.services_.code;
}

CancelToken ActionContext::cancellation() const {
    CancelToken token;
    const bool is_leaving = run_.stage_ == ActionRun::Stage::Leaving;
    if (!is_leaving && (run_.life_ == nullptr || run_.life_->is_over)) run_.life_ = std::make_shared<detail::RunLife>();
    token.life_ = run_.life_;
    return token;
}

detail::ActionMemory& ActionContext::memory() const {
    return run_.entries_[at_].memory;
}

void ActionContext::add_kept(std::unique_ptr<detail::KeptBase> kept) {
    detail::ActionMemory& memory = this->memory();
    memory.is_over_full |= memory.kept.size() >= detail::ActionMemory::kMaxKept;
    if (memory.is_over_full) return;
    kept->number = run_.kept_++;
    memory.kept.push_back(std::move(kept));
}

PauseToken& PauseToken::operator=(PauseToken&& other) noexcept {
    std::swap(pausers_, other.pausers_);
    std::swap(number_, other.number_);
    std::swap(late_, other.late_);
    other.done();
    return *this;
}

void PauseToken::done() {
    const auto pausers = std::exchange(pausers_, {}).lock();
    const auto late = std::exchange(late_, nullptr);
    if (late != nullptr && (pausers == nullptr || pausers->open.count(number_) == 0)) ++*late;
    if (pausers != nullptr) pausers->done(number_);
}

PauseToken DeactivatingContext::pause_until_done(std::string name) {
    PauseToken token;
    detail::Pausers& pausers = run_.pausers_made();
    if (pausers.open.size() >= ActionRun::kMaxPausers) {
        runtime().log().report(
            LogLevel::Error, kKind, who(),
            fmt::format("{}: {} are waited for already, {} is not", place(), ActionRun::kMaxPausers, name));
        return token;
    }
    token.pausers_ = run_.pausers_;
    token.late_ = run_.late_pausers_;
    token.number_ = ++pausers.last_number;
    pausers.open[token.number_] = {std::move(name), place(), runtime().clock().now_us()};
    return token;
}

// The run.

struct ActionRun::Busy {
    explicit Busy(ActionRun& run) : run_(run) {
        run_.is_busy_ = true;
        if (run_.subject_.on_stack != nullptr) ++*run_.subject_.on_stack;
    }
    ~Busy() {
        run_.is_busy_ = false;
        if (run_.subject_.on_stack != nullptr) --*run_.subject_.on_stack;
    }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;

private:
    ActionRun& run_;
};

ActionRun::ActionRun(const ActionServices& services, ActionSubject subject, std::vector<ActionItem> actions,
                     World* world)
    : services_(services),
      subject_(std::move(subject)),
      is_of_world_(world != nullptr),
      key_(world != nullptr ? ContextKey{world->owner().serial} : ContextKey{}) {
    if (world != nullptr) ref_ = WorldRef(*world);
    entries_.reserve(actions.size());
    spans_.reserve(3 * actions.size());  // a world has as many hooks, the process mostly two
    for (ActionItem& item : actions) entries_.push_back({std::move(item)});
}

ActionRun::~ActionRun() {
    LYRE_ASSERT(!is_busy_,
                "a run of actions is destroyed inside one of its hooks: finish() it there, and destroy it "
                "later");
    finish();
}

Status ActionRun::registering() {
    LYRE_ASSERT(!is_of_world_ && !is_busy_, "the process's hooks have a run of their own, and are not called in hooks");
    if (is_registered_) return Status::exists("{} is registered already", subject_.who);
    spans_.clear();
    for (Entry& entry : entries_) entry.failed_in.reset();
    const Status status = up(Hook::Registering, &Entry::is_registered, Hook::Unregistering);
    is_registered_ = status.is_ok();
    do_wishes();
    return status;
}

Status ActionRun::loading(std::span<const LeftOutAction> left_out) {
    LYRE_ASSERT(!is_of_world_ && !is_busy_, "the process's hooks have a run of their own, and are not called in hooks");
    if (is_loaded_) return Status::exists("{} is loaded already", subject_.who);
    loaded_from_ = kept_;
    for (Entry& entry : entries_)
        if (entry.failed_in == Hook::Loading) entry.failed_in.reset();
    leave_out(Hook::Loading, left_out);
    const Status status = up(Hook::Loading, &Entry::is_loaded, Hook::Unloading);
    is_loaded_ = status.is_ok();
    do_wishes();
    return status;
}

void ActionRun::unloading() {
    LYRE_ASSERT(!is_busy_, "an action does not unload its own feature: ask Features, which does it later");
    {
        const Busy busy(*this);
        down(Hook::Unloading, &Entry::is_loaded);
        if (std::exchange(is_loaded_, false)) drop(loaded_from_);
    }
    do_wishes();
}

void ActionRun::unregistering() {
    if (is_loaded_) unloading();
    LYRE_ASSERT(!is_busy_, "an action does not unregister its own feature: ask Features, which does it later");
    cancel();
    {
        const Busy busy(*this);
        down(Hook::Unregistering, &Entry::is_registered);
        is_registered_ = false;
        drop(0);
        drop_states();
    }
    wants_finish_ = false;
}

std::vector<ActionItem> ActionRun::usable() const {
    std::vector<ActionItem> items;
    for (const Entry& entry : entries_)
        if (!entry.failed_in) items.push_back(entry.item);
    return items;
}

std::vector<std::string> ActionRun::left_out() const {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < entries_.size(); ++at)
        if (entries_[at].failed_in) lines.push_back(fmt::format("{}: {}", place(at), entries_[at].why));
    return lines;
}

void ActionRun::leave_out(Hook hook, std::span<const LeftOutAction> left_out) {
    for (const LeftOutAction& one : left_out)
        for (std::size_t at = 0; at < entries_.size(); ++at) {
            Entry& entry = entries_[at];
            if (entry.item.index != one.index || entry.failed_in) continue;
            entry.failed_in = hook;
            entry.why = one.why;
            const std::string where = is_of_world_ ? fmt::format(" in {}", world_text()) : "";
            report(LogLevel::Warning, fmt::format("{} is left out{}: {}", place(at), where, one.why));
        }
}

Status ActionRun::activate(std::span<const LeftOutAction> left_out) {
    LYRE_ASSERT(is_of_world_, "actions are activated in a world: give the run one");
    if (is_busy_ || stage_ == Stage::Active)
        return Status::exists("{} is already active in {}", subject_.who, world_text());
    if (stage_ == Stage::Leaving) return Status::refused("{} is still leaving {}", subject_.who, world_text());
    spans_.clear();
    for (Entry& entry : entries_) entry.failed_in.reset();
    leave_out(Hook::Activating, left_out);
    Status status = up(Hook::Activating, &Entry::is_up, Hook::Deactivating);
    wants_deactivate_ = wants_finish_ = false;  // it has failed then, and is as it was
    if (status) stage_ = Stage::Active;
    return status;
}

void ActionRun::activated() {
    if (is_busy_ || stage_ != Stage::Active) return;
    {
        const Busy busy(*this);
        for (std::size_t at = 0; at < entries_.size() && interrupted(Hook::Activated); ++at)
            if (entries_[at].is_up)
                if (Status status = run_hook(Hook::Activated, at); !status) report(Hook::Activated, at, status, {});
    }
    do_wishes();
}

void ActionRun::deactivate() {
    if (is_busy_) {
        wants_deactivate_ = true;
        return;
    }
    if (stage_ != Stage::Active) return;
    stage_ = Stage::Leaving;
    cancel();
    {
        const Busy busy(*this);
        down(Hook::Deactivating, &Entry::is_up);
    }
    if (pausers_ != nullptr) pausers_->is_waiting = true;
    do_wishes();
}

detail::Pausers& ActionRun::pausers_made() {
    if (pausers_ == nullptr) pausers_ = std::make_shared<detail::Pausers>();
    return *pausers_;
}

bool ActionRun::is_paused() const {
    return stage_ == Stage::Leaving && pausers_ != nullptr && !pausers_->open.empty();
}

std::vector<PauserInfo> ActionRun::pausers() const {
    std::vector<PauserInfo> all;
    if (pausers_ == nullptr) return all;
    for (const auto& [number, info] : pausers_->open) all.push_back(info);
    return all;
}

void ActionRun::on_resumed(std::function<void()> resumed) {
    detail::Pausers& pausers = pausers_made();
    pausers.resumed = std::move(resumed);
    pausers.owner = Owner::current();
}

bool ActionRun::set_rank(std::uint64_t rank) {
    subject_.rank = rank;
    return rank_ != nullptr && std::exchange(*rank_, rank) != rank;
}

void ActionRun::finish() {
    if (is_busy_) {
        wants_finish_ = true;
        return;
    }
    if (!is_of_world_) return unregistering();
    deactivate();
    wants_deactivate_ = false;
    if (pausers_ != nullptr) pausers_->forget();
    if (stage_ == Stage::Idle) return;  // a wish was carried out
    {
        const Busy busy(*this);
        drop(0);
        drop_states();
    }
    wants_deactivate_ = wants_finish_ = false;
    stage_ = Stage::Idle;
}

void ActionRun::cancel() {
    if (life_ != nullptr) life_->is_over = true;
}

std::string_view ActionRun::to_string(Hook hook) {
    static constexpr std::string_view kNames[] = {"registering",  "loading",   "activating",   "activated",
                                                  "deactivating", "unloading", "unregistering"};
    return kNames[static_cast<std::size_t>(hook)];
}

std::string ActionRun::place(std::size_t at) const {
    const ActionItem& item = entries_[at].item;
    return fmt::format("action {} ({})", item.index + 1, item.kind);
}

std::string ActionRun::world_text() const {
    if (!is_of_world_) return "the process";
    const World* world = this->world();
    return world == nullptr ? "a world that has gone"
                            : fmt::format("world {} ({})", world->def().name, lyre::to_string(world->net_mode()));
}

Status ActionRun::up(Hook hook, bool Entry::*flag, Hook back) {
    const Busy busy(*this);
    const std::uint64_t from = kept_;
    Status failure;
    for (std::size_t at = 0; at < entries_.size() && failure; ++at) {
        Entry& entry = entries_[at];
        failure = interrupted(hook);
        if (!failure || entry.failed_in) continue;
        const Status status = run_hook(hook, at);
        if (status) {
            entry.*flag = true;
            continue;
        }
        drop(at, from);
        if (!entry.is_registered) drop_state(entry);
        if (entry.item.action->need == ActionNeed::Optional) {
            entry.failed_in = hook;
            entry.why = status.text();
            report(hook, at, status, "; it is optional and left out");
        } else {
            failure = Status(status.code(),
                             fmt::format("{}, {}, {}: {}", subject_.who, place(at), to_string(hook), status.text()));
        }
    }
    if (failure) failure = interrupted(hook);
    if (failure) return failure;
    cancel();
    down(back, flag);
    if (pausers_ != nullptr) pausers_->open.clear();
    drop(from);
    if (hook != Hook::Loading) drop_states();
    return failure;
}

void ActionRun::down(Hook hook, bool Entry::*flag) {
    for (std::size_t at = entries_.size(); at-- > 0;) {
        if (!std::exchange(entries_[at].*flag, false)) continue;
        if (Status status = run_hook(hook, at); !status) report(hook, at, status, {});
    }
}

Status ActionRun::interrupted(Hook hook) const {
    const World* world = this->world();
    if (is_of_world_ && (world == nullptr || world->has_ended()))
        return {StatusCode::Cancelled,
                fmt::format("{}, {}: {} has ended", subject_.who, to_string(hook), world_text())};
    if (wants_deactivate_ || wants_finish_)
        return {StatusCode::Cancelled,
                fmt::format("{}, {}: it was told to leave {} meanwhile", subject_.who, to_string(hook), world_text())};
    return Status::ok();
}

Status ActionRun::run_hook(Hook hook, std::size_t at) {
    World* world = this->world();
    if (is_of_world_ && world == nullptr) return Status::ok();  // nothing is left to be told of
    HookSpan span;
    Status status;
    {
        std::optional<World::CallScope> scope;
        if (world != nullptr) scope.emplace(*world);
        const OwnerScope as(subject_.owner);
        span.first = next_registration();
        try {
            status = call(hook, at);
        } catch (const std::exception& error) {
            status = Status::failed("it threw: {}", error.what());
        } catch (...) {
            status = Status::failed("it threw an exception");
        }
        span.last = next_registration();
    }
    if (std::exchange(entries_[at].memory.is_over_full, false) && status)
        status = Status::capacity("it keeps more than {} things", detail::ActionMemory::kMaxKept);
    note(hook, at, span, status);
    return status;
}

Status ActionRun::call(Hook hook, std::size_t at) {
    const GameFeatureAction& action = *entries_[at].item.action;
    ActionContext process(*this, at);
    ActivatingContext activating(*this, at);
    DeactivatingContext deactivating(*this, at);
    switch (hook) {
        case Hook::Registering:
            return action.registering(process);
        case Hook::Loading:
            return action.loading(process);
        case Hook::Activating:
            return action.activating(activating);
        case Hook::Activated:
            action.activated(activating);
            break;
        case Hook::Deactivating:
            action.deactivating(deactivating);
            break;
        case Hook::Unloading:
            action.unloading(process);
            break;
        case Hook::Unregistering:
            action.unregistering(process);
            break;
    }
    return Status::ok();
}

void ActionRun::note(Hook hook, std::size_t at, const HookSpan& span, const Status& status) {
    Trace& trace = services_.runtime.trace();
    if (trace.enabled(TraceLevel::Events)) {
        const World* world = this->world();
        trace.writer(world != nullptr ? world->def().name : Name("process"))
            .event(kKind, subject_.who, "{} {} in {}: {}", place(at), to_string(hook), world_text(),
                   status.to_string());
    }
    HookSpan noted = span;
    noted.action = static_cast<std::uint32_t>(at);
    noted.hook = static_cast<std::uint32_t>(hook);
    noted.at_us = services_.runtime.clock().now_us();
    std::erase_if(spans_, [&](const HookSpan& one) { return one.action == noted.action && one.hook == noted.hook; });
    spans_.push_back(noted);
}

bool ActionRun::has_registered() const {
    return std::any_of(spans_.begin(), spans_.end(), [](const HookSpan& span) { return span.has_registered(); });
}

std::string ActionRun::place_of(const HookSpan& span) const {
    return fmt::format("{}, {}", place(span.action), to_string(static_cast<Hook>(span.hook)));
}

void ActionRun::report(Hook hook, std::size_t at, const Status& status, std::string_view consequence) {
    report(consequence.empty() ? LogLevel::Error : LogLevel::Warning,
           fmt::format("{}, {} in {}: {}{}", place(at), to_string(hook), world_text(), status.text(), consequence));
}

void ActionRun::report(LogLevel level, const std::string& text) {
    services_.runtime.log().report(level, kKind, subject_.who, text);
    if (faults_.size() < kMaxFaults) faults_.push_back(fmt::format("{}, {}", subject_.who, text));
}

void ActionRun::drop(std::uint64_t from) {
    const auto newest = [](const Entry& entry) {  // 0: it keeps nothing
        return entry.memory.kept.empty() ? 0 : entry.memory.kept.back()->number + 1;
    };
    while (true) {
        const auto entry = std::max_element(entries_.begin(), entries_.end(),
                                            [&](const Entry& a, const Entry& b) { return newest(a) < newest(b); });
        if (entry == entries_.end() || newest(*entry) <= from) return;
        drop(static_cast<std::size_t>(entry - entries_.begin()), newest(*entry) - 1);
    }
}

void ActionRun::drop(std::size_t at, std::uint64_t from) {
    const OwnerScope as(subject_.owner);
    auto& kept = entries_[at].memory.kept;
    while (!kept.empty() && kept.back()->number >= from) {
        const auto gone = std::move(kept.back());
        kept.pop_back();
    }
}

void ActionRun::drop_states() {
    for (std::size_t at = entries_.size(); at-- > 0;) drop_state(entries_[at]);
}

void ActionRun::drop_state(Entry& entry) {
    const OwnerScope as(subject_.owner);
    std::exchange(entry.memory.state, nullptr).reset();
}

// What somebody asked for from inside a hook.
void ActionRun::do_wishes() {
    const bool finishes = std::exchange(wants_finish_, false), deactivates = std::exchange(wants_deactivate_, false);
    if (finishes)
        finish();
    else if (deactivates)
        deactivate();
}

}  // namespace lyre::features
