#include "lyre/features/features.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "lyre/features/detail/feature_table.h"

namespace lyre::features {
namespace {

// Collects one answer per feature. A callback that is dropped without being called has answered, too.
struct Batch {
    BatchCallback callback;
    FeatureResults results;
    std::size_t open = 0;
    bool is_stopped = false;
    OnFailure on_failure = OnFailure::GoOn;

    void answer(std::size_t index, FeatureResult result) {
        if (!result && on_failure == OnFailure::Stop) is_stopped = true;
        results[index] = std::move(result);
        if (--open == 0 && callback) callback(results);
    }
};

// Answers once, whoever holds it.
class Slot {
public:
    Slot(std::shared_ptr<Batch> batch, std::size_t index, Name feature)
        : batch_(std::move(batch)), index_(index), feature_(feature) {}
    Slot(const Slot&) = delete;
    Slot& operator=(const Slot&) = delete;
    ~Slot() {
        if (batch_ == nullptr) return;
        FeatureError error;
        error.feature = feature_;
        error.code = ErrorCode::Abandoned;
        error.text = "nobody was left to answer";
        std::exchange(batch_, nullptr)->answer(index_, {feature_, std::move(error)});
    }
    void answer(const FeatureResult& result) {
        if (batch_ != nullptr) std::exchange(batch_, nullptr)->answer(index_, result);
    }

private:
    std::shared_ptr<Batch> batch_;
    std::size_t index_;
    Name feature_;
};

}  // namespace

// ---- handles

ObserverHandle& ObserverHandle::operator=(ObserverHandle&& other) noexcept {
    if (this == &other) return *this;
    reset();
    table_ = std::exchange(other.table_, {});
    number_ = std::exchange(other.number_, 0);
    return *this;
}

void ObserverHandle::reset() {
    const auto table = std::exchange(table_, {}).lock();
    if (table != nullptr) table->remove_observer(number_);
    number_ = 0;
}

bool ObserverHandle::is_watching() const {
    const auto table = table_.lock();
    return table != nullptr && !table->has_ended() && table->has_observer(number_);
}

FeatureHold& FeatureHold::operator=(FeatureHold&& other) noexcept {
    if (this == &other) return *this;
    release();
    table_ = std::exchange(other.table_, {});
    feature_ = std::exchange(other.feature_, {});
    owner_ = other.owner_;
    serial_ = std::exchange(other.serial_, 0);
    return *this;
}

void FeatureHold::release() {
    const auto table = std::exchange(table_, {}).lock();
    const std::uint64_t serial = std::exchange(serial_, 0);
    if (table == nullptr || table->has_ended()) return;
    Feature* feature = table->find(feature_);
    if (feature == nullptr) return;
    const FeatureTable::Entry entry(*table);
    table->unwant(*feature, owner_, serial);
}

bool FeatureHold::is_held() const {
    const auto table = table_.lock();
    Feature* feature = table != nullptr ? table->find(feature_) : nullptr;
    const OwnerEntry* entry = feature != nullptr ? feature->find_owner(owner_) : nullptr;
    return entry != nullptr && std::any_of(entry->claims.begin(), entry->claims.end(),
                                           [&](const Claim& claim) { return claim.serial == serial_; });
}

// ---- Features

Features::Features(const FeaturesSetup& setup) : table_(std::make_shared<FeatureTable>(setup)) {
    if (table_->refusal) table_->begin();
}

Features::~Features() {
    table_->end();
}

Status Features::status() const {
    return table_->refusal;
}

Problems Features::discover(const std::string& root) {
    const auto table = table_;
    return table->discover(root);
}

bool Features::is_at_rest() const {
    return table_->is_at_rest();
}

void Features::install(std::string_view locator, FeatureAnswer callback) {
    const auto table = table_;
    table->install(locator, table->wrap(std::move(callback)));
}

void Features::start(BatchAnswer callback) {
    std::vector<Target> targets;
    std::map<Name, Target> raised;  // to the highest level, with one who needs it so
    for (Name id : known()) {
        const Destination initial = destination_of(table_->find(id)->file.manifest.initial_state);
        if (initial <= Destination::Installed) continue;
        targets.push_back({id, initial});
        for (const Name needed : table_->decide(*table_->find(id), Owner::process(), initial).plan.order) {
            if (destination_of(table_->find(needed)->file.manifest.initial_state) >= initial) continue;
            Target& known = raised.try_emplace(needed, Target{id, Destination::Installed}).first->second;
            if (known.destination < initial) known = {id, initial};
        }
    }
    for (const auto& [id, by] : raised)
        table_->find(id)->report(
            LogLevel::Info, "feature.raised",
            fmt::format("comes up to {} at the start, because {} needs it", to_string(by.destination), by.feature));
    change_all(targets, std::move(callback), OnFailure::GoOn, true);
}

void Features::update() {
    const auto table = table_;
    table->update();
}

void Features::load(Name id, FeatureAnswer callback) {
    const auto table = table_;
    table->raise(id, Destination::Loaded, GoalRange::at_least(Destination::Loaded), table->wrap(std::move(callback)));
}

void Features::activate(Name id, FeatureAnswer callback) {
    const auto table = table_;
    table->raise(id, Destination::Active, GoalRange::exactly(Destination::Active), table->wrap(std::move(callback)));
}

void Features::deactivate(Name id, Dependents dependents, FeatureAnswer callback) {
    const auto table = table_;
    table->lower(id, Destination::Loaded, GoalRange::at_most(Destination::Loaded), dependents,
                 table->wrap(std::move(callback)));
}

void Features::unload(Name id, KeepRegistered keep, FeatureAnswer callback, Dependents dependents) {
    const Destination level = keep == KeepRegistered::Yes ? Destination::Registered : Destination::Installed;
    const auto table = table_;
    table->lower(id, level, GoalRange::at_most(level), dependents, table->wrap(std::move(callback)));
}

void Features::release(Name id, FeatureAnswer callback) {
    const auto table = table_;
    table->lower(id, Destination::StatusKnown, GoalRange::at_most(Destination::StatusKnown), Dependents::Refuse,
                 table->wrap(std::move(callback)));
}

void Features::terminate(Name id, FeatureAnswer callback) {
    const auto table = table_;
    table->lower(id, Destination::Terminal, GoalRange::exactly(Destination::Terminal), Dependents::Refuse,
                 table->wrap(std::move(callback)));
}

void Features::change_target(Name id, Destination destination, FeatureAnswer callback) {
    const auto table = table_;
    table->change_target(id, destination, table->wrap(std::move(callback)));
}

void Features::change_targets(std::span<const Target> targets, BatchAnswer callback, OnFailure on_failure) {
    change_all(targets, std::move(callback), on_failure, false);
}

void Features::change_all(std::span<const Target> targets, BatchAnswer callback, OnFailure on_failure, bool only_up) {
    const auto table = table_;
    const FeatureTable::Entry entry(*table);
    auto batch = std::make_shared<Batch>();
    batch->on_failure = on_failure;
    batch->results.resize(targets.size());
    batch->open = targets.size() + 1;
    batch->callback = table->wrap(std::move(callback));
    std::vector<Name> ids;
    for (const Target& target : targets) ids.push_back(target.feature);
    const std::vector<Name> order = topological_order(table->catalogue(), ids);  // the unknown and circles last
    std::unordered_map<Name, std::vector<std::size_t>> places;
    for (std::size_t i = 0; i < ids.size(); ++i) places[ids[i]].push_back(i);
    std::vector<bool> is_up;
    for (const Target& target : targets) {
        const Feature* feature = table->find(target.feature);
        is_up.push_back(feature == nullptr || feature->machine.state() <= state_of(target.destination));
    }
    const auto change = [&](Name id, bool goes_up) {
        for (const std::size_t i : places.at(id)) {
            if (is_up[i] != goes_up) continue;
            auto slot = std::make_shared<Slot>(batch, i, id);
            auto answer = [slot](const FeatureResult& result) { slot->answer(result); };
            if (batch->is_stopped) {
                FeatureError stopped;
                stopped.feature = id;
                stopped.code = ErrorCode::Cancelled;
                stopped.text = "one before it failed";
                answer({id, std::move(stopped)});
            } else if (only_up) {
                table->raise(id, targets[i].destination, GoalRange::at_least(targets[i].destination), answer);
            } else {
                table->change_target(id, targets[i].destination, answer);
            }
        }
    };
    for (auto id = order.rbegin(); id != order.rend(); ++id) change(*id, false);
    for (Name id : order) change(id, true);
    if (--batch->open == 0 && batch->callback) batch->callback(batch->results);
}

void Features::cancel(Name id, FeatureAnswer callback) {
    const auto table = table_;
    table->cancel(id, table->wrap(std::move(callback)));
}

void Features::reload(Name id, FeatureAnswer answer) {
    const auto table = table_;
    FeatureCallback callback = table->wrap(std::move(answer));
    if (Feature* feature = table->find(id))
        table->begin_reload(*feature, std::move(callback));
    else if (callback)
        callback({id, table->unknown_error(id)});
}

void Features::trim() {
    const auto table = table_;
    table->trim();
}

FeatureHold Features::acquire(Name id, const Owner& owner, Destination level, FeatureAnswer answer,
                              const AcquireOptions& options) {
    const auto table = table_;
    FeatureCallback callback = table->wrap(std::move(answer));
    FeatureHold hold;
    const FeatureTable::Entry entry(*table);
    Feature* feature = table->find(id);
    if (feature == nullptr) {
        if (callback) callback({id, table->unknown_error(id)});
        return hold;
    }
    hold.table_ = table;
    hold.feature_ = id;
    hold.owner_ = owner;
    hold.serial_ = ++table->next_claim;
    if (owner.kind == OwnerKind::World) {
        const World* world = table->find_world(owner);
        if (world == nullptr || world->has_ended()) {
            if (callback)
                callback(
                    {id, feature->make_error(ErrorCode::WorldGone, fmt::format("there is no {}", owner.to_string()))});
            return {};
        }
    }
    table->want(*feature, owner, {hold.serial_, level, options.unload}, GoalRange::at_least(level), std::move(callback),
                options.left_out);
    return hold;
}

namespace {

Plan to_plan(const std::vector<Name>& planned, std::span<const Degraded> left_out) {
    Plan plan;
    plan.order = planned;
    plan.degraded.assign(left_out.begin(), left_out.end());
    return plan;
}

}  // namespace

void Features::leave_out(const Owner& owner, const std::vector<Name>& planned, std::span<const Degraded> left_out) {
    const auto table = table_;
    const FeatureTable::Entry entry(*table);
    table->carry(owner, to_plan(planned, left_out), FeatureTable::Regained::StaysOut);
}

void Features::let_in(const Owner& owner, const std::vector<Name>& planned, std::span<const Degraded> left_out) {
    const auto table = table_;
    const FeatureTable::Entry entry(*table);
    table->carry(owner, to_plan(planned, left_out));
}

ObserverHandle Features::add_observer(FeatureObserver& observer, Replay replay) {
    const auto table = table_;
    ObserverHandle handle;
    handle.number_ = table->add_observer(observer, replay);
    if (handle.number_ != 0) handle.table_ = table;
    return handle;
}

// ---- questions

std::vector<Name> Features::known() const {
    std::vector<Name> ids;
    for (const auto& [id, feature] : table_->features) ids.push_back(id);
    std::sort(ids.begin(), ids.end());
    return ids;
}

FeatureState Features::state(Name id) const {
    const Feature* feature = table_->find(id);
    return feature != nullptr ? feature->machine.state() : FeatureState::Terminal;
}

const Manifest* Features::manifest(Name id) const {
    const Feature* feature = table_->find(id);
    return feature != nullptr ? &feature->file.manifest : nullptr;
}

std::vector<Name> Features::from_the_start(InitialState least) const {
    std::vector<Name> found;
    for (const Name id : known())
        if (manifest(id)->initial_state >= least) found.push_back(id);
    for (std::size_t i = 0; i < found.size(); ++i)
        for (const Dependency& needed : manifest(found[i])->dependencies) {
            const bool is_needed = needed.kind != DependencyKind::Incompatible;
            const bool is_new = std::find(found.begin(), found.end(), needed.id) == found.end();
            if (is_needed && is_new && manifest(needed.id) != nullptr) found.push_back(needed.id);
        }
    return found;
}

std::string Features::manifest_file(Name id) const {
    const Feature* feature = table_->find(id);
    return feature != nullptr ? feature->file.file : std::string();
}

std::uint64_t Features::manifest_hash(Name id) const {
    const Feature* feature = table_->find(id);
    if (feature == nullptr) return 0;
    Hasher hasher;
    feature->file.tree.hash(hasher);
    return hasher.finish();
}

std::optional<FeatureError> Features::why_not(Name id, const Owner& owner, Destination level) const {
    const Feature* feature = table_->find(id);
    if (feature == nullptr) return table_->unknown_error(id);
    return table_->decide(*feature, owner, level).refused;
}

namespace {

struct KnownConflicts {
    std::vector<Name> planned;
    std::map<Name, Incompatibility> conflicts;
};

}  // namespace

PlannedRefusals Features::why_not_planned(const Owner& owner) const {
    return [table = table_, owner, known = std::optional<KnownConflicts>()](
               Name id, const std::vector<Name>& planned) mutable -> std::optional<FeatureError> {
        const Feature* feature = table->find(id);
        if (feature == nullptr) return table->unknown_error(id);
        if (feature->machine.state() < FeatureState::Active)
            if (const Status status = table->allowed(*feature); !status)
                return feature->make_error(ErrorCode::NotAllowed, status.text());
        if (!table->catalogue().has_incompatible()) return std::nullopt;
        if (!known || known->planned != planned) known = KnownConflicts{planned, table->find_conflicts(owner, planned)};
        const auto conflict = known->conflicts.find(id);
        if (conflict == known->conflicts.end()) return std::nullopt;
        FeatureError why = conflict->second.to_error(id);
        why.state = feature->machine.state();
        return why;
    };
}

PlannedRefusals Features::why_not_after_start() const {
    return [table = table_, active = from_the_start(InitialState::Active), known = std::optional<KnownConflicts>()](
               Name id, const std::vector<Name>& planned) mutable -> std::optional<FeatureError> {
        if (active.empty() || !table->catalogue().has_incompatible()) return std::nullopt;
        if (!known || known->planned != planned) {
            known = KnownConflicts{planned, {}};
            table->add_conflicts(known->conflicts, active, planned, Scope::World);
        }
        const auto conflict = known->conflicts.find(id);
        if (conflict == known->conflicts.end()) return std::nullopt;
        const Name other = conflict->second.first == id ? conflict->second.second : conflict->second.first;
        const auto& file = table->find(other)->file;
        FeatureError why = conflict->second.to_error(id);
        why.text = fmt::format(
            "{}; {} is active from the start, {}: take one of them out", conflict->second.text(), other,
            file.manifest.initial_state == InitialState::Active ? "by " + file.file : "since others that are need it");
        return why;
    };
}

const Problems* Features::problems(Name id) const {
    const Feature* feature = table_->find(id);
    return feature != nullptr ? &feature->action_problems : nullptr;
}

const Catalogue& Features::catalogue() const {
    return table_->catalogue();
}

std::uint64_t Features::catalogue_version() const {
    return table_->catalogue_version();
}

Plan Features::plan(std::span<const Wish> wishes, Roles roles) const {
    return table_->plan(wishes, roles);
}

const FeatureError* Features::error(Name id) const {
    const Feature* feature = table_->find(id);
    return feature != nullptr && feature->error ? &*feature->error : nullptr;
}

bool Features::is_attached(Name id, const World& world) const {
    const Feature* feature = table_->find(id);
    const Attachment* attachment = feature != nullptr ? feature->find_attachment(world) : nullptr;
    return attachment != nullptr && attachment->phase == Attachment::Phase::Applied;
}

bool Features::is_in_call() const {
    return table_->is_settling();
}

bool Features::is_leaving(Name id, const World& world) const {
    const Feature* feature = table_->find(id);
    const Attachment* attachment = feature != nullptr ? feature->find_attachment(world) : nullptr;
    if (attachment == nullptr) return false;
    return attachment->phase == Attachment::Phase::Leaving || !feature->is_wanted_in(world.owner(), world.net_mode());
}

std::vector<PauserInfo> Features::pausers(Name id, const World& world) const {
    const Feature* feature = table_->find(id);
    const Attachment* attachment = feature != nullptr ? feature->find_attachment(world) : nullptr;
    return attachment != nullptr && attachment->run != nullptr ? attachment->run->pausers() : std::vector<PauserInfo>();
}

std::vector<Holder> Features::holders(Name id) const {
    const auto table = table_;
    Feature* feature = table->find(id);
    if (feature == nullptr) return {};
    std::vector<Holder> all = feature->owners_above(Destination::Installed);
    const OwnerEntry* process = feature->find_owner(Owner::process());
    if (process != nullptr && process->held_level() <= Destination::Installed)
        all.push_back({process->to_string(), {}});
    if (feature->machine.state() != FeatureState::Registered) return all;
    if (const auto held = feature->why_not_unregister(true))
        all.insert(all.end(), held->holders.begin(), held->holders.end());
    return all;
}

ActionServices Features::services() const {
    return table_->services();
}

}  // namespace lyre::features
