// What the transitions of a feature do, in the order of its life: checking, mounting, dependencies, registering,
// loading; then the way down. What happens in worlds is in attachments.cpp.
#include <algorithm>
#include <exception>

#include "lyre/assets/content_types.h"
#include "lyre/core/suggest.h"
#include "lyre/features/action_reading.h"
#include "lyre/features/detail/feature_table.h"
#include "lyre/features/detail/texts.h"
#include "lyre/world/archetype.h"

namespace lyre::features {
namespace {

// User code: what it throws becomes the text of the failure.
template <class Call> std::string guarded(Call call) {
    try {
        call();
        return {};
    } catch (const std::exception& error) {
        return error.what();
    } catch (...) {
        return "it threw something that is no exception";
    }
}

// All that it has but its folder of content, which is known longer than its code.
std::vector<LedgerEntry> ledger_of(const ActionServices& services, const Owner& owner) {
    LedgerQuery query{services, owner};
    query.without_roots = true;
    return Ledger::list(query);
}

}  // namespace

Feature::Feature(FeatureTable& of, Name called, std::string in_folder)
    : table(of),
      id(called),
      folder(std::move(in_folder)),
      serial(static_cast<std::uint32_t>(next_registration())),
      owner(Owner::feature(called, serial)),
      machine(called, *this, of.setup.runtime.clock()) {}

Runtime& Feature::runtime() const {
    return table.setup.runtime;
}

FeatureError Feature::make_error(ErrorCode code, std::string text) const {
    FeatureError made;
    made.feature = id;
    made.state = machine.state();
    made.code = code;
    made.text = std::move(text);
    return made;
}

void Feature::report(LogLevel level, std::string_view kind, const std::string& text) const {
    runtime().log().report(level, Name(kind), id.text(), text);
}

// For whatever completes elsewhere: lets the feature go on in the next update.
std::function<void()> Feature::waker() {
    return [weak = table.weak_from_this(), me = id, mine = serial] {
        const auto alive = weak.lock();
        Feature* self = alive != nullptr ? alive->find(me, mine) : nullptr;
        if (self == nullptr) return;
        self->machine.wake();
        alive->mark_busy(*self);
    };
}

double Feature::step_seconds() const {
    const FeatureState state = machine.state();
    // Pausers have a limit of their own; what has begun to be taken away is taken away to the end.
    const bool waits_for_pausers = state == FeatureState::Deactivating && fault.effect == StepFault::Effect::None;
    if (waits_for_pausers || (state == FeatureState::Unregistering && is_registrations_dropped)) return 0;
    return table.step_timeout->get();
}

Step Feature::run(FeatureState transition, bool is_first) {
    const OwnerScope as(Owner::process());
    if (is_first) {
        is_fault_asked = false;
        fault = {};
        if (transition == FeatureState::CheckingStatus) change_edition({read_manifest(table.setup.files, folder)});
        const Name called = file.manifest.id.is_none() ? id : file.manifest.id;  // before the first check it has no id
        if (table.setup.faults) fault = table.setup.faults(called, transition);
    }
    if (!is_fault_asked && fault.effect != StepFault::Effect::None) {
        is_fault_asked = true;
        const bool goes_on =
            transition == FeatureState::DeactivatingDependencies || transition == FeatureState::Unmounting;
        if (goes_on && fault.effect != StepFault::Effect::Delay)  // these cannot fail: the fault does nothing
            fault = {};
        else if (fault.effect == StepFault::Effect::Fail)
            return Step::failed(make_error(ErrorCode::Injected, fault.text));
        if (fault.effect == StepFault::Effect::Delay) return Step::after(fault.seconds, "a fault that was asked for");
        if (fault.effect == StepFault::Effect::Never) return Step::on_wake("a fault that was asked for");
    }
    if (fault.effect == StepFault::Effect::Never) return Step::on_wake("a fault that was asked for");
    if (fault.effect == StepFault::Effect::Delay) is_first = true, fault = {};
    switch (transition) {
        case FeatureState::CheckingStatus:
            return check_status();
        case FeatureState::Mounting:
            return mount();
        case FeatureState::WaitingForDependencies:
            return wait_for_dependencies(Destination::Registered, is_first);
        case FeatureState::Registering:
            return do_register(is_first);
        case FeatureState::LoadingDependencies:
            return wait_for_dependencies(Destination::Loaded, is_first);
        case FeatureState::Loading:
            return do_load(is_first);
        case FeatureState::ActivatingDependencies:
            return wait_for_dependencies(Destination::Active, is_first);
        case FeatureState::Activating:
            return activate(is_first);
        case FeatureState::Deactivating:
            return deactivate(is_first);
        case FeatureState::DeactivatingDependencies:
            lower_dependencies(Destination::Loaded);
            return Step::done();
        case FeatureState::Unloading:
            return do_unload();
        case FeatureState::Unregistering:
            return unregister();
        case FeatureState::Unmounting:
            return unmount();
        default:
            return Step::done();
    }
}

void Feature::undo(FeatureState transition) {
    const OwnerScope as(Owner::process());
    switch (transition) {
        case FeatureState::Mounting:
        case FeatureState::WaitingForDependencies:
        case FeatureState::Registering:
            if (is_registered) process_run->unregistering();
            if (stage >= RegisterStage::Hooks) table.tell({FeatureEvent::What::Unregistering, id}, true);
            destroy_instances_of(runtime(), owner);
            drop_registrations();
            close_module();
            unmount();
            break;
        case FeatureState::LoadingDependencies:
        case FeatureState::Loading:
            bundles.clear();
            preload.reset();
            if (std::exchange(has_told_loading, false)) {
                LedgerQuery query = ledger_query();
                query.only_runs = true;
                query.from = loading_from;
                table.sweep(query, "");
                table.tell({FeatureEvent::What::Unloading, id}, true);
            }
            lower_dependencies(Destination::Registered);
            break;
        case FeatureState::ActivatingDependencies:
        case FeatureState::Activating:
            leave_all();
            if (std::exchange(has_told_activating, false)) table.tell({FeatureEvent::What::Deactivating, id}, true);
            lower_dependencies(Destination::Loaded);
            break;
        default:
            break;
    }
}

Edition Feature::change_edition(Edition to) {
    table.forget_catalogue();
    return {std::exchange(file, std::move(to.file)), std::exchange(image, std::move(to.image))};
}

// Who only goes down for a reload comes back as it was: a newer version waits for its own.
bool Feature::take_newer() {
    if (!newer || table.is_reloading()) return false;
    change_edition({std::move(*newer)});
    newer.reset();
    return true;
}

// What is on disk may be of a newer version, or have gone. Where the manifest is the same its library is opened from
// disk: if it was built again, that was with the one which is reloaded. On the way back it is the one that was open.
void Feature::keep_image() {
    if (module == nullptr || !table.is_reloading()) return;
    const auto open = table.setup.modules.image(*module);
    table.keep_for_way_back(*this, open);
    const auto info = table.setup.files.look(file.file);
    const bool is_its_own = std::any_of(reloads.begin(), reloads.end(),
                                        [&](const Reload* one) { return one->feature == id && one->keeps_down(); });
    if (is_its_own || !info || info->changed_ns != file.changed_ns)
        image = open;
    else if (!reloads.empty())
        image.reset();
}

void Feature::changed(FeatureState before, FeatureState now) {
    runtime()
        .trace()
        .writer(Name("features"))
        .event(Name("feature.state"), id, "{} -> {}", to_string(before), to_string(now));
    table.mark_busy(*this);
    if (now == FeatureState::Installed && take_newer()) table.rank_all();
    if (before == FeatureState::Active || is_error(now)) table.answer_waiting(*this);
    if (now != FeatureState::Terminal) return;
    table.unlist(*this);
    table.tell({FeatureEvent::What::Terminating, id}, true);
}

void Feature::failed(const FeatureError& why) {
    if (why.code == ErrorCode::Cancelled) return;
    error = why;
    if (!is_error(machine.state())) table.answer_in_vain(*this, level_of(machine.state()), why);
    is_refused = !is_error(machine.state());
    retry = {};
    instances_then = is_refused ? count_instances() : 0;
    const bool is_told_elsewhere = why.code == ErrorCode::ManifestBad || why.code == ErrorCode::ManifestMissing;
    if (!is_told_elsewhere) report(LogLevel::Error, is_refused ? "feature.refused" : "feature.failed", why.to_string());
    FeatureEvent event{FeatureEvent::What::Failed, id};
    event.error = &why;
    table.tell(event);
}

// ---- CheckingStatus, Mounting

Step Feature::check_status() {  // its manifest was read as the step began
    if (!file.problems.is_empty()) {
        const bool is_missing = table.setup.files.look(file.file).status().code() == StatusCode::NotFound;
        return Step::failed(make_error(is_missing ? ErrorCode::ManifestMissing : ErrorCode::ManifestBad,
                                       file.problems.to_status().text()));
    }
    Feature* other = table.find(file.manifest.id);
    if (other != nullptr && other != this)
        return Step::failed(make_error(
            ErrorCode::ManifestBad,
            fmt::format("the id {} is taken: {} and {} both have it", file.manifest.id, other->file.file, file.file)));
    table.rekey(*this, file.manifest.id);
    table.tell({FeatureEvent::What::Discovered, id});
    return Step::done();
}

Step Feature::mount() {
    const OwnerScope as(owner);
    const std::string path = join_path(folder, file.manifest.content);
    const bool is_asked_for = file.tree.find("content") != nullptr;
    const bool is_absent = table.setup.files.look(path).status().code() == StatusCode::NotFound;
    if (is_asked_for || !is_absent) {
        auto added = table.setup.assets.registry().add_folder(path, id);
        if (!added)
            return Step::failed(make_error(ErrorCode::MountFailed, fmt::format("{}: {}", path, added.status().text())));
        root = *added;
        if (table.log_mounted->get())
            for (const assets::PrimaryAssetId& asset : table.setup.assets.registry().all())
                if (const auto* info = table.setup.assets.registry().find(asset); info->root == root)
                    report(LogLevel::Info, "feature.mounted", info->entry.path);
    }
    is_mounted = true;
    table.tell({FeatureEvent::What::Mounted, id});
    return Step::done();
}

// ---- dependencies

DependencyHold* Feature::find_hold(Name dependency) {
    for (DependencyHold& hold : holds)
        if (hold.id == dependency) return &hold;
    return nullptr;
}

const DependencyHold* Feature::find_hold(Name dependency) const {
    return const_cast<Feature*>(this)->find_hold(dependency);
}

const Dependency* Feature::find_dependency(Name dependency) const {
    for (const Dependency& one : file.manifest.dependencies)
        if (one.id == dependency && one.kind != DependencyKind::Incompatible) return &one;
    return nullptr;
}

// At most once for each dependency, of which a manifest has kMaxDependencies.
void Feature::degrade(LeftOut left_out) {
    if (find_degraded(left_out.id) != nullptr) return;
    report(LogLevel::Warning, "feature.degraded", fmt::format("works without {}: {}", left_out.id, left_out.reason));
    degraded.push_back(std::move(left_out));
}

const LeftOut* Feature::find_degraded(Name dependency) const {
    for (const LeftOut& one : degraded)
        if (one.id == dependency) return &one;
    return nullptr;
}

// What it gives back is not asked for again in this climb.
void Feature::let_go(Name dependency, LeftOut why) {
    std::erase_if(holds, [&](const DependencyHold& hold) { return hold.id == dependency; });
    degrade(std::move(why));
    if (Feature* other = table.find(dependency)) table.unwant(*other, owner, 0);
}

std::vector<std::uint32_t> Feature::wanting() const {
    std::vector<std::uint32_t> serials;
    for (const Feature* one : with_dependents(Destination::Terminal))
        for (const OwnerEntry& entry : one->owners) {
            if (entry.owner.kind == OwnerKind::Feature) continue;
            const std::uint32_t serial_of = entry.owner.kind == OwnerKind::World ? entry.owner.serial : 0;
            if (std::find(serials.begin(), serials.end(), serial_of) == serials.end()) serials.push_back(serial_of);
        }
    return serials;
}

// Plans leave it out there, or it is for the other side. For the process: in all worlds that there are.
bool Feature::has_no_room(Name dependency, std::uint32_t world) const {
    if (!table.has_left_out()) return false;
    const auto is_out = [&](std::uint32_t serial_of) { return table.left_out(id, dependency, serial_of) != nullptr; };
    const Dependency* said = find_dependency(dependency);
    bool has_worlds = false;
    for (const World* one : table.game_worlds()) {
        if (world != 0 && one->owner().serial != world) continue;
        has_worlds = true;
        const bool counts = said == nullptr || counts_for(said->side, one->net_mode());
        if (counts && !is_out(one->owner().serial)) return false;
    }
    return has_worlds || is_out(world);
}

bool Feature::is_without(Name dependency, std::uint32_t world, const Owner* owner,
                         const std::unordered_set<Name>* planned) const {
    if (find_degraded(dependency) != nullptr && find_hold(dependency) == nullptr) return true;
    const auto plans = [&](Name one) { return planned->count(one) != 0; };
    const bool is_planned = planned != nullptr && plans(id);
    const std::uint32_t theirs = is_planned && owner->kind == OwnerKind::World ? owner->serial : 0;
    const auto is_out = [&](std::uint32_t serial_of) {
        if (is_planned && serial_of == theirs) return !plans(dependency);
        return has_no_room(dependency, serial_of);
    };
    if (world != 0) return is_out(world);
    const auto serials = wanting();
    return !serials.empty() && std::all_of(serials.begin(), serials.end(), is_out);
}

const std::string* Feature::why_no_room(Name dependency) const {
    std::vector<std::uint32_t> serials = wanting();
    for (const World* world : table.game_worlds()) serials.push_back(world->owner().serial);
    for (const std::uint32_t serial_of : serials)
        if (const std::string* why = table.left_out(id, dependency, serial_of)) return why;
    return nullptr;
}

// Where one world has it and another has not it is held, and joins the one.
std::optional<LeftOut> Feature::why_without(const Dependency& optional) const {
    const Feature* other = table.find(optional.id);
    if (other == nullptr) return LeftOut{optional.id, "it is not there"};
    if (!optional.versions.contains(other->file.manifest.version))
        return LeftOut{optional.id, fmt::format("{} is there, {} is wanted", other->file.manifest.version.to_string(),
                                                optional.versions.to_string())};
    if (table.has_left_out() && is_without(optional.id, 0))
        if (const std::string* why = why_no_room(optional.id)) return LeftOut{optional.id, *why, true};
    return std::nullopt;
}

// Asks for each dependency that counts for these roles to be at least there.
void Feature::hold_dependencies(Destination level, Roles roles) {
    for (const Dependency& dependency : file.manifest.dependencies) {
        if (dependency.kind == DependencyKind::Incompatible || !roles.has(dependency.side)) continue;
        const bool is_optional = dependency.kind == DependencyKind::Optional;
        DependencyHold* hold = find_hold(dependency.id);
        if (hold == nullptr && find_degraded(dependency.id) != nullptr) continue;
        if (auto why = is_optional ? why_without(dependency) : std::nullopt) {
            let_go(dependency.id, std::move(*why));
            continue;
        }
        Feature* other = table.find(dependency.id);
        if (hold != nullptr && hold->level >= level && hold->state != DependencyHold::State::Failed) continue;
        if (hold == nullptr) hold = &holds.emplace_back();
        *hold = {dependency.id, is_optional, level, DependencyHold::State::Pending, ++table.next_attempt, {}};
        if (other == nullptr || !dependency.versions.contains(other->file.manifest.version)) {
            hold->state = DependencyHold::State::Failed;
            hold->error = table.unknown_error(dependency.id);
            hold->error.code = other == nullptr ? ErrorCode::DependencyMissing : ErrorCode::DependencyVersion;
            if (other != nullptr)
                hold->error.text = fmt::format("{} is there, {} is wanted", other->file.manifest.version.to_string(),
                                               dependency.versions.to_string());
            continue;
        }
        const std::weak_ptr<FeatureTable> weak = table.weak_from_this();
        table.want(
            *other, owner, {0, level, {}}, GoalRange::at_least(level),
            [weak, me = id, mine = serial, them = dependency.id, attempt = hold->attempt](const FeatureResult& result) {
                const auto alive = weak.lock();
                Feature* self = alive != nullptr ? alive->find(me, mine) : nullptr;
                DependencyHold* answered = self != nullptr ? self->find_hold(them) : nullptr;
                if (answered == nullptr || answered->attempt != attempt) return;
                answered->state = result ? DependencyHold::State::Ready : DependencyHold::State::Failed;
                if (!result) answered->error = *result.error;
                if (!result && answered->is_optional) self->is_optional_open = true;  // else nobody looks when it rests
                self->machine.wake();
                alive->mark_busy(*self);
            });
    }
}

void Feature::drop_failed_optional() {
    std::vector<LeftOut> failed;
    for (const DependencyHold& hold : holds)
        if (hold.is_optional && hold.state == DependencyHold::State::Failed)
            failed.push_back({hold.id, hold.error.to_string()});
    for (LeftOut& one : failed) let_go(one.id, std::move(one));
}

void Feature::look_at_optional(Destination level, bool is_up) {
    is_optional_open = false;
    if (!is_up) return;
    const StateMachine::Inside inside(machine);
    drop_failed_optional();
    const auto serials = wanting();
    std::erase_if(degraded, [&](const LeftOut& one) {
        const auto is_out = [&](std::uint32_t world) { return has_no_room(one.id, world); };
        return one.is_planned && !std::all_of(serials.begin(), serials.end(), is_out);
    });
    hold_dependencies(level, planned_roles());
    drop_failed_optional();
}

const DependencyHold* Feature::pending_dependency() const {
    for (const DependencyHold& hold : holds)
        if (hold.state == DependencyHold::State::Pending) return &hold;
    return nullptr;
}

Step Feature::wait_for_dependencies(Destination level, bool is_first) {
    if (is_first) {
        if (level == Destination::Registered) degraded.clear();
        hold_dependencies(level, planned_roles());
    }
    drop_failed_optional();
    for (const DependencyHold& hold : holds) {
        if (hold.state != DependencyHold::State::Failed) continue;
        const bool is_gone = table.find(hold.id) == nullptr && hold.error.code != ErrorCode::DependencyMissing;
        FeatureError why = make_error(is_gone ? ErrorCode::DependencyGone : ErrorCode::DependencyFailed,
                                      fmt::format("its dependency {} did not get to {}", hold.id, to_string(level)));
        why.inner = std::make_shared<const FeatureError>(hold.error);
        return Step::failed(std::move(why));
    }
    if (const DependencyHold* pending = pending_dependency())
        return Step::on_wake(fmt::format("dependency {} ({})", pending->id, to_string(level)));
    return Step::done();
}

void Feature::lower_dependencies(Destination level) {
    for (DependencyHold& hold : holds) {
        if (hold.level <= level) continue;
        hold.level = level;
        hold.attempt = ++table.next_attempt;
        hold.state = DependencyHold::State::Ready;
        Feature* other = table.find(hold.id);
        OwnerEntry* entry = other != nullptr ? other->find_owner(owner) : nullptr;
        if (entry == nullptr) continue;
        for (Claim& claim : entry->claims) claim.level = std::min(claim.level, level);
        table.mark_busy(*other);
    }
}

void Feature::drop_dependencies() {
    const auto dropped = std::exchange(holds, {});
    for (auto hold = dropped.rbegin(); hold != dropped.rend(); ++hold)
        if (Feature* other = table.find(hold->id)) table.unwant(*other, owner, 0);
}

// ---- Registering

// A climb that failed is over when its code is closed, in an update, and what it could not take back has gone.
std::optional<Step> Feature::wait_for_leftovers() {
    if (!table.is_closing(owner)) return std::nullopt;
    if (!table.may_close_code() || !table.is_closing(owner, true) || !table.has_tried_to_close(owner))
        return Step::next_update("the end of a climb that failed");
    std::vector<std::string> left;
    for (const LedgerEntry& entry : ledger_of(table.services(), owner))
        left.push_back(fmt::format("{} {}", to_string(entry.kind), entry.id));
    return Step::failed(make_error(ErrorCode::LeftBehind, fmt::format("a climb that failed has left {}, which cannot "
                                                                      "be taken away",
                                                                      joined(left, ", "))));
}

Step Feature::do_register(bool is_first) {
    if (is_first) stage = RegisterStage::Module;
    if (stage == RegisterStage::Module)
        if (auto step = wait_for_leftovers()) return std::move(*step);
    is_registrations_dropped = false;
    if (stage == RegisterStage::Module) {
        if (auto wrong = open_module()) return Step::failed(std::move(*wrong));
        stage = RegisterStage::Declarations;
    }
    if (stage == RegisterStage::Declarations) {
        if (auto wrong = declare()) return Step::failed(std::move(*wrong));
        stage = RegisterStage::Classes;
        assets::AssetRegistry& registry = table.setup.assets.registry();
        class_ids.clear();
        for (const assets::PrimaryAssetId& asset : registry.of_type(Name("archetype")))
            if (!root.is_none() && registry.find(asset)->root == root) class_ids.push_back(asset);
        const OwnerScope as(owner);
        class_load = table.setup.assets.load_assets(class_ids, Priority::High);
        class_load.on_over([wake = waker()](assets::LoadState) { wake(); });
    }
    if (stage == RegisterStage::Classes) {
        if (!class_load.is_over()) return Step::on_wake(joined(class_load.waiting_for(), "; "));
        if (auto wrong = make_classes()) return Step::failed(std::move(*wrong));
        stage = RegisterStage::Actions;
    }
    if (stage == RegisterStage::Actions) {
        if (auto wrong = build_actions()) return Step::failed(std::move(*wrong));
        stage = RegisterStage::Hooks;
    }
    table.tell({FeatureEvent::What::Registering, id});
    if (Status status = process_run->registering(); !status)
        return Step::failed(make_error(ErrorCode::ActionFailed, status.text()));
    is_registered = true;
    stage = RegisterStage::Done;
    return Step::done();
}

std::optional<FeatureError> Feature::open_module() {
    if (!file.manifest.module.name.empty()) {
        const ModuleRequest request{id, file.manifest.version.to_string(), file.manifest.module.name, folder};
        OpenedModule opened =
            image != nullptr ? table.setup.modules.open_again(request, *image) : table.setup.modules.open(request);
        if (opened.module == nullptr) return make_error(opened.failure.code, opened.failure.text);
        module = std::move(opened.module);
        module_path = module->path();
        is_resident = false;
        const OwnerScope as(owner);
        Registrar registrar(table.services(), id, commands);
        ++*table.on_stack();
        const std::string threw = guarded([&] { module->entry().setup(registrar); });
        --*table.on_stack();
        if (!threw.empty()) return make_error(ErrorCode::ModuleFailed, fmt::format("its entry threw: {}", threw));
        if (const Status status = registrar.status(); !status)
            return make_error(ErrorCode::ModuleFailed, status.text());
    }
    if (!file.manifest.scripts.empty())
        return make_error(ErrorCode::ScriptsUnsupported, "it lists scripts, and this lyre runs none");
    return std::nullopt;
}

std::optional<FeatureError> Feature::declare() {
    const OwnerScope as(owner);
    std::vector<std::string> refused;
    for (const std::string& tag : file.manifest.tags)
        if (Status status = runtime().tags().declare(tag); !status) refused.push_back(status.text());
    for (const ManifestVariable& variable : file.manifest.variables) {
        if (Status status = runtime().variables().add_value(variable.to_def()); !status)
            refused.push_back(status.text());
    }
    if (refused.empty()) return std::nullopt;
    return make_error(ErrorCode::RegistrationFailed, joined(refused, "; "));
}

std::optional<FeatureError> Feature::make_classes() {
    if (!class_load.is_complete()) return make_error(ErrorCode::RegistrationFailed, class_load.status().text());
    const OwnerScope as(owner);
    std::vector<std::string> refused;
    for (const assets::PrimaryAssetId& asset : class_ids)
        if (const auto* def = table.setup.assets.find<ArchetypeDef>(asset))
            if (auto made = add_archetype(runtime().types(), runtime().tags(), *def); !made)
                refused.push_back(made.status().text());
    if (refused.empty()) return std::nullopt;
    return make_error(ErrorCode::RegistrationFailed, joined(refused, "; "));
}

std::optional<FeatureError> Feature::build_actions() {
    actions = file.manifest.actions;
    items.clear();
    process_run.reset();
    ActionReading reading = read_actions({file.file, fmt::format("feature {}", id), file.text, &file.tree}, actions,
                                         runtime(), table.code, table.setup.assets.registry(), &table.kinds());
    action_problems = reading.problems;
    leave_out_unreadable(reading);
    for (const std::string& skipped : reading.skipped) report(LogLevel::Warning, "feature.empty_action", skipped);
    if (!reading.problems.is_empty()) {
        actions.clear();
        return make_error(reading.has_unknown_kind ? ErrorCode::ActionUnknown : ErrorCode::ActionBad,
                          reading.problems.to_status().text());
    }
    for (std::size_t i : reading.order) items.push_back({actions[i].get(), i, actions[i].kind()});
    const OwnerScope as(owner);
    for (const auto& [tag, i] : reading.tags)
        tag_uses.push_back(runtime().tags().use(tag, fmt::format("action {} ({})", i + 1, actions[i].kind())));
    process_run = std::make_unique<ActionRun>(table.services(), subject(), items, nullptr);
    return std::nullopt;
}

// What is wrong with one may follow from an optional dependency that it has to do without.
void Feature::leave_out_unreadable(const ActionReading& reading) {
    const auto& all = file.manifest.dependencies;
    const bool has_all = std::none_of(all.begin(), all.end(), [&](const Dependency& one) {
        return one.kind == DependencyKind::Optional && find_hold(one.id) == nullptr;
    });
    unreadable.clear();
    for (const ActionReading::LeftOut& one : reading.left_out) {
        const std::string place = fmt::format("action {} ({})", one.action + 1, actions[one.action].kind());
        const std::string why = one.problems.to_status().text();
        unreadable.push_back(fmt::format("{}: {}", place, why));
        runtime().log().report(LogLevel::Warning, Name("feature.action"), fmt::format("feature {}", id),
                               fmt::format("{} is left out: {}", place, why));
        if (has_all) action_problems.add_all(one.problems);
        actions[one.action] = {};
    }
}

std::vector<std::string> Feature::left_out_actions() const {
    std::vector<std::string> lines = unreadable;
    const auto add = [&](const ActionRun* run, const std::string& where) {
        if (run != nullptr)
            for (const std::string& line : run->left_out()) lines.push_back(line + where);
    };
    add(process_run.get(), "");
    for (const auto& one : attachments) add(one->run.get(), fmt::format(" (in world {})", one->world->def().name));
    return lines;
}

ActionSubject Feature::subject() const {
    return {id, owner, fmt::format("feature {}", id), roles(), rank, table.on_stack()};
}

// ---- Loading

Status BundleLoad::failure() const {
    for (const Of& one : actions)
        if (const Status wrong = one.wrong(); !wrong && !one.is_optional())
            return Status(wrong.code(),
                          fmt::format("action {} ({}): {}", one.item.index + 1, one.item.kind, wrong.text()));
    return Status::ok();
}

std::string BundleLoad::waits_for() const {
    constexpr std::size_t kListed = 8;
    std::vector<std::string> lines;
    for (const Of& one : actions) {
        if (one.handle.is_over() || lines.size() >= kListed) continue;
        const auto waiting = one.handle.waiting_for(kListed - lines.size());
        lines.insert(lines.end(), waiting.begin(), waiting.end());
        if (waiting.empty()) lines.emplace_back("assets");
    }
    return joined(lines, "; ");
}

std::vector<LeftOutAction> BundleLoad::left_out() const {
    std::vector<LeftOutAction> all;
    for (const Of& one : actions)
        if (const Status wrong = one.wrong(); !wrong && one.is_optional())
            all.push_back({one.item.index, wrong.text()});
    return all;
}

assets::LoadBytes BundleLoad::bytes() const {
    assets::LoadBytes all;
    for (const Of& one : actions) {
        const assets::LoadBytes more = one.handle.bytes();
        all.done += more.done;
        all.of += more.of;
    }
    return all;
}

BundleLoad::Of Feature::load_for(const ActionItem& item, const std::vector<Name>& bundle_names) {
    const OwnerScope as(owner);
    BundleLoad::Of made{item, {}, {}};
    assets::BundleTable said;
    made.status = add_bundle_data(*item.action, said);
    std::vector<assets::PrimaryAssetId> wanted;
    for (Name bundle : bundle_names)
        for (const assets::BundleEntry& entry : said.entries(bundle)) {
            if (!entry.class_name)
                wanted.push_back(entry.asset);
            else if (auto found = runtime().types().get(entry.class_name.text()); !found && made.status)
                made.status = found.status();
        }
    if (!made.status || wanted.empty()) return made;
    made.handle = table.setup.assets.load_assets(wanted, Priority::High);
    made.handle.on_over([wake = waker()](assets::LoadState) { wake(); });
    return made;
}

const BundleLoad& Feature::load_bundles(Roles for_roles) {
    for (const BundleLoad& load : bundles)
        if (load.roles.contains(for_roles)) return load;
    BundleLoad load{for_roles, {}};
    const std::vector<Name> bundle_names = table.policy_bundles(for_roles);
    for (const ActionItem& item : items) load.actions.push_back(load_for(item, bundle_names));
    return bundles.emplace_back(std::move(load));
}

Step Feature::do_load(bool is_first) {
    if (is_first) {
        loading_from = next_registration();
        process_run->set_roles(roles());
        bundles.clear();
        load_bundles(roles());
        const OwnerScope as(owner);
        if (const auto wanted = table.policy_preload(file.manifest); !wanted.empty())
            preload = table.setup.assets.preload(wanted);
    }
    const BundleLoad& load = bundles.front();
    if (const Status wrong = load.failure(); !wrong)
        return Step::failed(make_error(ErrorCode::AssetsFailed, wrong.text()));
    if (std::string open = load.waits_for(); !open.empty()) return Step::on_wake(std::move(open));
    has_told_loading = true;
    table.tell({FeatureEvent::What::Loading, id});
    if (Status status = process_run->loading(load.left_out()); !status)
        return Step::failed(make_error(ErrorCode::ActionFailed, status.text()));
    is_loaded = true;
    return Step::done();
}

// ---- the way down

Step Feature::do_unload() {
    if (std::exchange(is_loaded, false)) process_run->unloading();
    has_told_loading = false;
    table.tell({FeatureEvent::What::Unloading, id}, true);
    bundles.clear();
    preload.reset();
    lower_dependencies(Destination::Registered);
    return Step::done();
}

Step Feature::unregister() {
    if (!table.may_close_code()) return Step::next_update("the next update, when none of its code is running");
    if (!is_registrations_dropped) {
        table.setup.assets.collect();
        if (auto held = why_not_unregister()) return Step::refused(std::move(*held));
        process_run->unregistering();
        is_registered = false;
        table.tell({FeatureEvent::What::Unregistering, id}, true);
        if (const std::size_t made = count_instances(); made != 0) {  // there is no way back any more
            report(LogLevel::Warning, "feature.left_behind",
                   fmt::format("objects of its types were made while it was unregistered: {} go with it", made));
            destroy_instances_of(runtime(), owner);
        }
        drop_registrations();
    }
    if (!ledger_of(table.services(), owner).empty()) table.take_leftovers(owner);  // what went has left something
    if (const auto left = ledger_of(table.services(), owner); !left.empty())
        return Step::next_update(fmt::format("the end of {} {}", to_string(left[0].kind), left[0].id));
    if (module != nullptr && table.setup.assets.types().has_old_schemas())
        return Step::next_update("workers that still read files with its code");
    close_module();
    return Step::done();
}

std::optional<FeatureError> Feature::why_not_unregister(bool only_asks) {
    const bool may_destroy = !only_asks && table.policy_instances(file.manifest) == InstancesPolicy::Destroy;
    const auto types = runtime().types().owned_by(owner);
    if (may_destroy)
        for (auto type = types.rbegin(); type != types.rend(); ++type)
            for (World* world : std::vector<World*>(runtime().worlds())) world->destroy_instances(**type);
    std::vector<Holder> alive, others;
    constexpr std::size_t kListed = 10;
    for (const Type* type : types)
        for (World* world : runtime().worlds()) {
            const std::size_t count = world->count_instances(*type);
            if (count == 0) continue;
            std::string ids;
            for (const InstanceInfo& one : world->instances(*type, kListed))
                ids += fmt::format("{}{}", ids.empty() ? "" : ", ", one.actor);
            alive.push_back({fmt::format("{} {} in world {}: {}{}", count, type->name, world->def().name, ids,
                                         count > kListed ? " and more" : ""),
                             {world->owner().to_string()}});
        }
    if (!alive.empty()) {
        FeatureError why =
            make_error(ErrorCode::InstancesAlive, fmt::format("objects of its types live: {}", joined(alive, "; ")));
        why.set_holders(std::move(alive));
        return why;
    }
    for (const TypeUse& use : runtime().types().uses_of(owner))
        if (use.owner != owner) others.push_back(table.holder_of(use.text, use.owner));
    for (const NamedCodeInfo& info : table.code.list(owner))
        for (const CodeUser& user : info.users)
            others.push_back(
                table.holder_of(fmt::format("{} uses {} {}", user.text, to_string(info.kind), info.name), user.owner));
    for (const TagHolder& user : runtime().tags().holders_of(owner))
        others.push_back(table.holder_of(user.text, user.owner));
    for (Holder& user : content_users()) others.push_back(std::move(user));
    if (others.empty()) return std::nullopt;
    FeatureError why = make_error(ErrorCode::HeldBy, "");
    why.set_holders(std::move(others));
    why.text = fmt::format("it is still used: {}", joined(why.holders, "; "));
    return why;
}

// Assets of its content types that are there or come, with the shortest way to whoever holds them.
std::vector<Holder> Feature::content_users() const {
    std::vector<Holder> users;
    for (const assets::ContentType* type : table.setup.assets.types().all()) {
        if (type->owner != owner) continue;
        for (const std::string& text : table.setup.assets.types().uses_of(*type)) {
            Holder& user = users.emplace_back(Holder{fmt::format("{} is in use", text), {}});
            const auto asset = assets::PrimaryAssetId::parse(text);
            if (!asset) continue;
            auto chains = table.setup.assets.holder_chains(*asset);
            if (!chains.empty()) user.by = std::move(chains.front());
        }
    }
    return users;
}

std::size_t Feature::count_instances() const {
    std::size_t count = 0;
    for (const Type* type : runtime().types().owned_by(owner))
        for (const World* world : runtime().worlds()) count += world->count_instances(*type);
    return count;
}

// All that it registered goes: what its actions kept, what they forgot, then what it brought itself.
void Feature::drop_registrations() {
    is_registered = false;
    process_run.reset();
    items.clear();
    actions.clear();
    unreadable.clear();
    tag_uses.clear();
    commands.clear();
    class_load.reset();
    for (auto& gone : std::exchange(unswept, {})) table.bury(std::move(gone));
    table.sweep(ledger_query(), "");
    table.take_back(owner);
    for (const Status& refused : Ledger::remove_declared(table.services(), owner))
        report(LogLevel::Error, "feature.left_behind", refused.text());
    class_ids.clear();
    stage = RegisterStage::Module;
    is_registrations_dropped = true;
    if (!table.verify_unload->get()) return;
    for (const assets::PrimaryAssetId& asset : table.setup.assets.loaded_of_root(id)) {
        const auto holders = table.setup.assets.holders(asset);
        if (holders.empty()) continue;
        std::string text = fmt::format("{} is still loaded, held by {}", asset.to_string(), joined(holders, "; "));
        if (table.verify_chains->get())
            for (const auto& chain : table.setup.assets.holder_chains(asset)) {
                text += "; ";
                for (const std::string& holder : chain)
                    text += fmt::format("{}{}", holder == chain[0] ? "" : " <- ", holder);
            }
        report(LogLevel::Warning, "feature.asset_held", text);
    }
}

// Workers that still use its loaders, code of anybody on the stack, objects in a world that is in a callback: in an
// update, when these are over.
void Feature::close_module() {
    keep_image();
    const auto left = ledger_of(table.services(), owner);
    if (module == nullptr && left.empty()) return;
    if (!left.empty()) {
        std::vector<std::string> lines;
        for (const LedgerEntry& entry : left) lines.push_back(fmt::format("{} {}", to_string(entry.kind), entry.id));
        report(table.is_ending() ? LogLevel::Error : LogLevel::Warning, "feature.resident",
               fmt::format("{}{}: {}", module != nullptr ? "its library stays in memory" : "something of it stays",
                           table.is_ending() ? "" : " for now", joined(lines, "; ")));
    }
    const bool may_close = table.is_ending() ? table.is_safe_to_close() : table.may_close_code();
    if (!left.empty() && table.is_ending()) {
        is_resident = true;
        if (module != nullptr) table.keep_resident(std::move(module));
    } else if (!left.empty() || table.setup.assets.types().has_old_schemas() || !may_close) {
        table.close_later(owner, std::move(module), !left.empty());
    } else {
        table.close(owner, std::move(module));
    }
}

Step Feature::unmount() {
    if (std::exchange(is_mounted, false)) table.tell({FeatureEvent::What::Unmounting, id}, true);
    if (!root.is_none()) table.setup.assets.registry().remove_root(std::exchange(root, {}));
    drop_dependencies();
    return Step::done();
}

}  // namespace lyre::features
