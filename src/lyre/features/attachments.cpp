// In which worlds a feature applies, and how it comes there and leaves again.
//
//     wanted: by the process (every world), by a world, by a dependent that is wanted there
//     Waiting   its dependencies are to be in that world first, and what its actions need for that role loaded
//     Applied   activating of its actions went well; activated follows when the feature is Active
//     Leaving   deactivating ran; pausers may ask for time
#include <algorithm>

#include "lyre/features/detail/feature_table.h"
#include "lyre/world/game_instance.h"

namespace lyre::features {
namespace {

void add_once(std::vector<World*>& worlds, World* world) {
    if (std::find(worlds.begin(), worlds.end(), world) == worlds.end()) worlds.push_back(world);
}

std::string names_of(const std::vector<PauserInfo>& pausers) {
    std::string text;
    for (const PauserInfo& pauser : pausers)
        text += fmt::format("{}{} of {}", text.empty() ? "" : ", ", pauser.name, pauser.place);
    return text;
}

}  // namespace

std::vector<const Feature*> Feature::with_dependents(Destination level) const {
    const FeatureWalk walk(table, *this);
    std::vector<const Feature*> all{this};
    for (std::size_t i = 0; i < all.size(); ++i)
        for (const OwnerEntry& entry : all[i]->owners) {
            if (entry.owner.kind != OwnerKind::Feature || entry.level() < level) continue;
            const Feature* dependent = table.find(entry.owner.name, entry.owner.serial);
            if (dependent != nullptr && walk.is_first(*dependent)) all.push_back(dependent);
        }
    return all;
}

// A dependency with a side is wanted in worlds of that side only, and none where its dependent works without it.
bool Feature::is_wanted_in(const Owner& world, NetMode mode) const {
    return stays_wanted(world, {}, mode);
}

bool Feature::stays_wanted(const Owner& owner, const Supposed& supposed, std::optional<NetMode> mode) const {
    const std::unordered_set<Name>* planned = supposed.planned;
    const auto plans = [&](Name one) { return planned != nullptr && planned->count(one) != 0; };
    const auto is_wanted_by = [&](bool owner_itself, bool others) {
        const FeatureWalk walk(table, *this);
        std::vector<const Feature*> open{this};
        for (std::size_t i = 0; i < open.size(); ++i)
            for (const OwnerEntry& entry : open[i]->owners) {
                if (entry.level() < Destination::Active) continue;
                if (entry.owner.kind != OwnerKind::Feature) {
                    if (entry.owner == owner ? owner_itself && (planned == nullptr || plans(open[i]->id))
                                             : others && (!mode || entry.owner.kind != OwnerKind::World))
                        return true;
                    continue;
                }
                const Feature* dependent = table.find(entry.owner.name, entry.owner.serial);
                const Dependency* said = dependent != nullptr ? dependent->find_dependency(open[i]->id) : nullptr;
                if (dependent == nullptr || (said != nullptr && mode && !counts_for(said->side, *mode))) continue;
                if (supposed.is_going(*dependent)) continue;
                if (mode && table.left_out(dependent->id, open[i]->id, owner.serial) != nullptr) continue;
                const bool is_optional = said != nullptr && said->kind == DependencyKind::Optional;
                if (owner_itself && is_optional && plans(dependent->id) && !plans(open[i]->id)) continue;
                if (walk.is_first(*dependent)) open.push_back(dependent);
            }
        return false;
    };
    // What the plan leaves out is out in that world, whoever else wants its dependent; in others it is as they say.
    if (mode || planned == nullptr) return is_wanted_by(true, true);
    return is_wanted_by(true, false) || is_wanted_by(false, true);
}

// In order of acquisition.
std::vector<World*> Feature::wanted_worlds() const {
    std::vector<World*> worlds;
    const auto dependents = with_dependents(Destination::Active);
    for (const Feature* one : dependents)
        for (const OwnerEntry& entry : one->owners) {
            if (entry.level() < Destination::Active || entry.owner.kind == OwnerKind::Feature) continue;
            if (entry.owner.kind != OwnerKind::World) {
                for (World* world : table.game_worlds()) add_once(worlds, world);
            } else if (World* world = table.find_world(entry.owner); world != nullptr && table.is_game_world(*world)) {
                add_once(worlds, world);
            }
        }
    const bool is_sided = std::any_of(dependents.begin(), dependents.end(), [](const Feature* one) {
        const auto& all = one->file.manifest.dependencies;
        return std::any_of(all.begin(), all.end(), [](const Dependency& said) { return said.side != Side::Both; });
    });
    if (is_sided || table.has_left_out())
        std::erase_if(worlds, [&](const World* world) { return !is_wanted_in(world->owner(), world->net_mode()); });
    return worlds;
}

const Roles& Feature::roles() const {
    if (std::exchange(roles_version, table.owners_version) == table.owners_version) return known_roles;
    Roles all;
    for (const Feature* one : with_dependents(Destination::Terminal))
        for (const OwnerEntry& entry : one->owners) {
            if (entry.owner.kind == OwnerKind::Feature) continue;
            if (entry.owner.kind == OwnerKind::World) {
                if (const World* world = table.find_world(entry.owner)) all = all | Roles::of(world->net_mode());
            } else {
                all = all | table.game_roles();
            }
        }
    return known_roles = all;
}

Roles Feature::planned_roles() const {
    return {planned_for.client && roles().client, planned_for.server && roles().server};
}

Attachment* Feature::find_attachment(const World& world) {
    for (const auto& attachment : attachments)
        if (attachment->world == &world && attachment->serial == world.owner().serial) return attachment.get();
    return nullptr;
}

bool Feature::is_here(const Attachment* attachment) const {
    return std::any_of(attachments.begin(), attachments.end(),
                       [&](const auto& one) { return one.get() == attachment; });
}

// For going through them while hooks let them come and go.
std::vector<Attachment*> Feature::attachments_now() const {
    std::vector<Attachment*> now;
    for (const auto& attachment : attachments) now.push_back(attachment.get());
    return now;
}

bool Feature::is_moving_in_worlds() const {
    return std::any_of(attachments.begin(), attachments.end(),
                       [](const auto& one) { return one->phase != Attachment::Phase::Applied; });
}

// What else it waits for there wakes it.
bool Feature::is_late_in_worlds() const {
    return std::any_of(attachments.begin(), attachments.end(), [&](const auto& one) {
        if (one->phase == Attachment::Phase::Applied) return false;
        const bool is_leaving = one->phase == Attachment::Phase::Leaving;
        const double limit = (is_leaving ? table.pauser_timeout : table.step_timeout)->get();
        const double waited = static_cast<double>(runtime().clock().now_us() - one->since_us) / 1e6;
        return (is_leaving || limit > 0) && waited >= limit;
    });
}

bool Feature::reconcile() {
    const StateMachine::Inside inside(machine);
    const FeatureState state = machine.state();
    const bool is_up = state == FeatureState::Active || state == FeatureState::Activating;
    bool has_moved = false;
    auto wanted = is_up ? wanted_worlds() : std::vector<World*>();
    auto now = attachments_now();
    for (auto at = now.rbegin(); at != now.rend(); ++at) {
        if (!is_here(*at)) continue;
        Attachment& one = **at;
        const bool is_wanted = std::find(wanted.begin(), wanted.end(), one.world) != wanted.end();
        if (is_up && !is_wanted && one.phase != Attachment::Phase::Leaving) {
            const auto dependents = table.dependents_of(*this);
            const bool is_needed = std::any_of(dependents.begin(), dependents.end(), [&](const Feature* dependent) {
                return dependent->find_attachment(*one.world) != nullptr &&
                       table.left_out(dependent->id, id, one.serial) == nullptr &&
                       !table.is_circular(*this, *dependent);
            });
            if (is_needed) {
                mark_acquired();  // one of these may be in a circle with it, and goes first
                continue;
            }
            has_moved = true;  // whatever its hooks do
            table.forget_joined(*this, one.serial);
            begin_leave(one);
            if (!is_here(*at)) continue;
        }
        if (one.phase == Attachment::Phase::Leaving && finish_leave(one, false)) has_moved = true;
    }
    if (!is_up) return has_moved;
    if (has_moved) wanted = wanted_worlds();  // a hook may have ended some
    std::erase_if(failed_worlds, [&](const auto& failed) {
        return std::none_of(wanted.begin(), wanted.end(),
                            [&](const World* world) { return world->owner().serial == failed.first; });
    });
    for (World* world : wanted) {
        if (find_attachment(*world) != nullptr || failed_worlds.count(world->owner().serial) != 0) continue;
        auto made = std::make_unique<Attachment>();
        made->world = world;
        made->serial = world->owner().serial;
        made->since_us = runtime().clock().now_us();
        attachments.push_back(std::move(made));
        has_moved = true;
    }
    for (Attachment* one : attachments_now())
        if (is_here(one) && one->phase == Attachment::Phase::Waiting && attach(*one)) has_moved = true;
    return has_moved;
}

const FeatureError* Feature::failed_optional(const DependencyHold& hold, std::uint32_t world) const {
    const Feature* other = hold.is_optional ? table.find(hold.id) : nullptr;
    if (other == nullptr || table.left_out(id, hold.id, world) != nullptr) return nullptr;
    const auto failed = other->failed_worlds.find(world);
    return failed != other->failed_worlds.end() ? &failed->second : nullptr;
}

std::optional<WorldReport> Feature::report_in(const World& world) const {
    const Attachment* there = find_attachment(world);
    const auto failed = failed_worlds.find(world.owner().serial);
    if (there == nullptr && failed == failed_worlds.end()) return std::nullopt;
    WorldReport said{std::string(world.def().name.text()), "failed"};
    if (there != nullptr) {
        using Phase = Attachment::Phase;
        said.phase = there->phase == Phase::Applied ? "joined" : there->phase == Phase::Waiting ? "joining" : "leaving";
        if (there->phase == Phase::Waiting) said.waits_for = there->waits_for;
        if (there->phase == Phase::Leaving && there->run != nullptr) said.waits_for = names_of(there->run->pausers());
    } else {
        said.error = failed->second.to_string();
    }
    const std::int64_t since_us = there != nullptr ? there->since_us : failed->second.since_us;
    said.seconds = static_cast<double>(runtime().clock().now_us() - since_us) / 1e6;
    return said;
}

std::vector<WorldReport> Feature::world_reports() const {
    std::vector<WorldReport> all;
    for (const auto& attachment : attachments) all.push_back(*report_in(*attachment->world));
    for (const World* world : runtime().worlds())
        if (failed_worlds.count(world->owner().serial) != 0 && find_attachment(*world) == nullptr)
            all.push_back(*report_in(*world));
    return all;
}

// What must be there before its actions may run in that world; empty: nothing is missing. A failure is told at once.
// Hooks of its dependencies run in here: they may end the world.
std::string Feature::missing_in(Attachment& attachment, bool& has_failed) {
    World& world = *attachment.world;
    const Roles role = Roles::of(world.net_mode());
    const std::uint32_t world_serial = attachment.serial;
    if (auto refused = plan_further(world)) {
        has_failed = true;
        fail_attachment(world, std::move(*refused));
        return {};
    }
    drop_failed_optional();  // before they are asked for again
    hold_dependencies(Destination::Active, planned_roles());
    if (!is_here(&attachment)) return {};
    drop_failed_optional();
    for (const DependencyHold& hold : holds) {
        const Dependency* dependency = find_dependency(hold.id);
        if (dependency == nullptr || !counts_for(dependency->side, world.net_mode())) continue;
        if (table.left_out(id, hold.id, world_serial) != nullptr) continue;
        const Feature* other = table.find(hold.id);
        const FeatureError* inner = hold.state == DependencyHold::State::Failed ? &hold.error : nullptr;
        if (inner == nullptr && other != nullptr)
            if (auto found = other->failed_worlds.find(world_serial); found != other->failed_worlds.end())
                inner = &found->second;
        if ((inner != nullptr || other == nullptr) && hold.is_optional) continue;
        if (inner != nullptr || other == nullptr) {
            FeatureError why =
                make_error(ErrorCode::DependencyFailed,
                           fmt::format("its dependency {} failed in world {}", hold.id, world.def().name));
            why.inner = std::make_shared<const FeatureError>(inner != nullptr ? *inner : table.unknown_error(hold.id));
            has_failed = true;
            fail_attachment(world, std::move(why));
            return {};
        }
        const Attachment* theirs = other->find_attachment(world);
        if (theirs == nullptr) table.mark_busy(*table.find(hold.id));  // it is to join that world first
        if (hold.state == DependencyHold::State::Pending || theirs == nullptr ||
            theirs->phase != Attachment::Phase::Applied)
            return fmt::format("dependency {} in world {}", hold.id, world.def().name);
    }
    const BundleLoad& load = load_bundles(role);
    const Status wrong = load.failure();
    if (wrong) return load.waits_for();
    has_failed = true;
    fail_attachment(world, make_error(ErrorCode::AssetsFailed, wrong.text()));
    return {};
}

// True: it is over, one way or the other.
bool Feature::attach(Attachment& attachment) {
    World& world = *attachment.world;
    bool has_failed = false;
    std::string missing = missing_in(attachment, has_failed);
    if (has_failed || !is_here(&attachment)) return true;
    attachment.waits_for = std::move(missing);
    if (!attachment.waits_for.empty()) {
        const double limit = table.step_timeout->get();
        const double waited = static_cast<double>(runtime().clock().now_us() - attachment.since_us) / 1e6;
        if (limit <= 0 || waited < limit) return false;
        fail_attachment(world, make_error(ErrorCode::StepTimeout,
                                          fmt::format("joining world {} took longer than {} s; it waits for {}",
                                                      world.def().name, limit, attachment.waits_for)));
        return true;
    }
    for (const DependencyHold& hold : holds)
        if (const FeatureError* why = failed_optional(hold, attachment.serial))
            report(LogLevel::Warning, "feature.degraded",
                   fmt::format("works in world {} without {}: {}", world.def().name, hold.id, why->to_string()));
    attachment.run = std::make_unique<ActionRun>(table.services(), subject(), process_run->usable(), &world);
    const Status status = attachment.run->activate(load_bundles(Roles::of(world.net_mode())).left_out());
    if (find_attachment(world) != &attachment) return true;  // the world ended in a hook
    if (!status) {
        fail_attachment(world, make_error(ErrorCode::ActionFailed, status.text()));
        return true;
    }
    attachment.phase = Attachment::Phase::Applied;
    attachment.since_us = runtime().clock().now_us();
    FeatureEvent event{FeatureEvent::What::WorldAttached, id};
    event.world = &world;
    table.tell(event);
    if (machine.state() == FeatureState::Active && find_attachment(world) == &attachment) {
        attachment.is_activated = true;
        attachment.run->activated();
    }
    wake_dependents();
    mark_acquired();
    return true;
}

void Feature::fail_attachment(World& world, FeatureError why) {
    const std::uint32_t world_serial = world.owner().serial;
    std::unique_ptr<Attachment> gone;
    for (auto& attachment : attachments)
        if (attachment->serial == world_serial) gone = std::move(attachment);
    std::erase(attachments, nullptr);
    if (gone != nullptr && gone->run != nullptr) {
        gone->run->finish();
        sweep_world(*gone, next_registration());
    }
    if (gone != nullptr) put_away(std::move(gone));
    report(LogLevel::Error, "feature.world_failed", why.to_string());
    failed_worlds[world_serial] = {why, runtime().clock().now_us()};
    wake_dependents();
    table.mark_busy(*this);
    if (!table.lives(&world, world_serial)) return;
    FeatureEvent event{FeatureEvent::What::Failed, id};
    event.world = &world;
    event.error = &why;
    table.tell(event);
}

// What it has acquired joins the worlds that it is in, and leaves them with it.
void Feature::mark_acquired() {
    for (Name one : acquired)
        if (Feature* other = table.find(one)) table.mark_busy(*other);
}

void Feature::wake_dependents() {
    for (Feature* dependent : table.dependents_of(*this)) {
        dependent->machine.wake();
        table.mark_busy(*dependent);
    }
}

Step Feature::activate(bool is_first) {
    if (is_first) {
        failed_worlds.clear();
        has_told_activating = true;
        table.tell({FeatureEvent::What::Activating, id});
    }
    reconcile();
    for (const auto& attachment : attachments)
        if (attachment->phase != Attachment::Phase::Applied)
            return Step::on_wake(attachment->waits_for.empty() ? "a world" : attachment->waits_for);
    const OwnerEntry* process = find_owner(Owner::process());
    const bool is_for_all = process != nullptr && process->level() == Destination::Active;
    if (!failed_worlds.empty() && (is_for_all || attachments.empty()))
        return Step::failed(FeatureError(failed_worlds.begin()->second));
    table.tell({FeatureEvent::What::Activated, id});
    for (Attachment* one : attachments_now())
        if (is_here(one) && !std::exchange(one->is_activated, true)) one->run->activated();
    return Step::done();
}

Step Feature::deactivate(bool is_first) {
    if (is_first) {
        const auto now = attachments_now();
        for (auto one = now.rbegin(); one != now.rend(); ++one)
            if (is_here(*one) && (*one)->phase != Attachment::Phase::Leaving) begin_leave(**one);
    }
    reconcile();
    if (!attachments.empty()) {
        const Attachment& one = *attachments.back();
        return Step::on_wake(one.run == nullptr ? "a world" : fmt::format("pausers: {}", names_of(one.run->pausers())));
    }
    failed_worlds.clear();
    has_told_activating = false;
    table.tell({FeatureEvent::What::Deactivating, id}, true);
    return Step::done();
}

void Feature::begin_leave(Attachment& attachment) {
    World* world = attachment.world;
    attachment.phase = Attachment::Phase::Leaving;
    attachment.is_activated = false;
    attachment.since_us = runtime().clock().now_us();
    if (attachment.run == nullptr) return;
    attachment.run->on_resumed(waker());
    attachment.run->deactivate();
    if (find_attachment(*world) != &attachment || !attachment.run->is_paused()) return;
    attachment.was_paused = true;
    FeatureEvent event{FeatureEvent::What::PauseChanged, id};
    event.world = world;
    event.is_paused = true;
    table.tell(event);
}

// False: somebody still asks for time.
bool Feature::finish_leave(Attachment& attachment, bool is_forced) {
    World& world = *attachment.world;
    if (attachment.run != nullptr && attachment.run->is_paused() && !is_forced) {
        const double waited = static_cast<double>(runtime().clock().now_us() - attachment.since_us) / 1e6;
        const double limit = table.pauser_timeout->get();
        if (waited < limit) return false;
        report(LogLevel::Error, "feature.pausers",
               fmt::format("leaving world {} goes on after {} s without {}", world.def().name, limit,
                           names_of(attachment.run->pausers())));
    }
    std::unique_ptr<Attachment> gone;
    for (auto& one : attachments)
        if (one.get() == &attachment) gone = std::move(one);
    std::erase(attachments, nullptr);
    const std::uint32_t world_serial = gone->serial;
    if (gone->was_paused) {
        FeatureEvent event{FeatureEvent::What::PauseChanged, id};
        event.world = &world;
        table.tell(event, true);
    }
    if (gone->run != nullptr) gone->run->finish();
    if (gone->run != nullptr &&
        table.lives(&world, world_serial)) {  // an observer, or what was kept, may have ended it
        sweep_world(*gone, next_registration());
        FeatureEvent event{FeatureEvent::What::WorldDetached, id};
        event.world = &world;
        table.tell(event, true);
    }
    for (const DependencyHold& hold : holds)
        if (Feature* other = table.find(hold.id)) table.mark_busy(*other);
    mark_acquired();
    put_away(std::move(gone));
    return true;
}

// One of its hooks may be on the stack; or it is not swept yet.
void Feature::put_away(std::unique_ptr<Attachment> gone) {
    gone->unswept_until != 0 ? unswept.push_back(std::move(gone)) : table.bury(std::move(gone));
}

// Takes back what its actions have forgotten there, of what was registered before `until`. Inside a callback components
// that were taken away end when it is over, and what they hold goes then: it is done in a later update.
void Feature::sweep_world(Attachment& gone, std::uint64_t until) {
    gone.unswept_until = 0;
    if (!table.lives(gone.world, gone.serial)) return;
    if (gone.world->has_doomed() && unswept.size() < kMaxUnswept) {
        gone.unswept_until = until;
        return;
    }
    LedgerQuery query = ledger_query(gone.world);
    query.runs = {gone.run.get()};
    query.until = until;
    table.sweep(query, fmt::format(" in world {}", gone.world->def().name));
}

void Feature::sweep_again() {
    for (auto& gone : std::exchange(unswept, {})) {
        sweep_world(*gone, gone->unswept_until);
        put_away(std::move(gone));
    }
}

void Feature::leave_world(World& world) {
    const StateMachine::Inside inside(machine);
    Attachment* attachment = find_attachment(world);
    failed_worlds.erase(world.owner().serial);
    if (attachment == nullptr) return;
    if (attachment->phase != Attachment::Phase::Leaving) begin_leave(*attachment);
    if (find_attachment(world) == attachment) finish_leave(*attachment, true);
}

void Feature::leave_all() {
    while (!attachments.empty()) {
        Attachment& newest = *attachments.back();
        if (newest.phase != Attachment::Phase::Leaving) begin_leave(newest);
        if (!attachments.empty() && attachments.back().get() == &newest) finish_leave(newest, true);
    }
}

}  // namespace lyre::features
