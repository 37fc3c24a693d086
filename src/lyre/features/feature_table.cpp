// The table of features: finding, manifests, owners, running, telling, the end. The rest of it has files of its own:
// feature_requests.cpp, feature_plans.cpp, reload.cpp, feature_console.cpp.
#include "lyre/features/detail/feature_table.h"

#include <algorithm>

#include "lyre/core/suggest.h"
#include "lyre/features/detail/texts.h"
#include "lyre/features/feature_codes.h"
#include "lyre/world/game_instance.h"

namespace lyre::features {
namespace {

constexpr std::string_view kFileProtocol = "file:";

Problem root_problem(const std::string& file, const Status& why) {
    Problem problem;
    problem.code = &feature_code::kManifestUnreadable;
    problem.text = why.text();
    problem.file = file;
    return problem;
}

// It runs under the feature, or under the experience whose action it is.
bool is_code_of_feature(const Owner& owner) {
    return owner.kind == OwnerKind::Feature || owner.kind == OwnerKind::Experience;
}

std::string parent_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

}  // namespace

void destroy_instances_of(Runtime& runtime, const Owner& owner) {
    const auto types = runtime.types().owned_by(owner);
    for (auto type = types.rbegin(); type != types.rend(); ++type)
        for (World* world : std::vector<World*>(runtime.worlds()))
            if (!world->is_in_callback()) world->destroy_instances(**type);
}

FeatureWalk::FeatureWalk(FeatureTable& table, const Feature& from) : number_(++table.next_walk) {
    from.visited = number_;
}

FeatureTable::FeatureTable(const FeaturesSetup& s) : setup(s) {
    add_variables();
    if (refusal) return;
    has_ended_ = true;
    setup.runtime.log().report(LogLevel::Error, Name("feature.second"), "", refusal.text());
}

FeatureTable::~FeatureTable() = default;

void FeatureTable::begin() {
    const std::weak_ptr<FeatureTable> weak = weak_from_this();
    connections_.push_back(setup.runtime.world_begun.add([weak](World&) {
        const auto alive = weak.lock();
        if (alive == nullptr) return;
        ++alive->owners_version;
        const Entry entry(*alive);
        for (const auto& [id, feature] : alive->features)
            if (feature->machine.state() == FeatureState::Active) alive->mark_busy(*feature);
    }));
    connections_.push_back(setup.runtime.world_ended.add([weak](World& world) {
        if (const auto alive = weak.lock()) alive->world_ended(world);
    }));
    connections_.push_back(setup.runtime.types().listing_instances.add([this](const Type& type,
                                                                              std::vector<TypeUse>& uses) {
        for (const auto& [id, feature] : features)
            for (std::size_t i = 0; i < feature->actions.size(); ++i)
                if (feature->actions[i].type() == &type)
                    uses.push_back({fmt::format("action {} of feature {} is of this kind", i + 1, id), feature->owner});
    }));
    for (Delegate<const Type&>* changed : {&setup.runtime.types().added, &setup.runtime.types().removing})
        connections_.push_back(changed->add([this](const Type&) { kinds_.reset(); }));
    add_commands();
}

void FeatureTable::add_variables() {
    const OwnerScope as(Owner::process());
    Variables& variables = setup.runtime.variables();
    const auto add = [&]<class T>(std::optional<Variable<T>>& variable, const VariableDef<T>& def) {
        if (!refusal) return;
        auto made = variables.add<T>(def);
        if (made) {
            variables_.emplace_back(def.name);
            variable = *made;
        } else {
            refusal = Status::refused("there is a Features for this runtime already: one runtime, one Features ({})",
                                      made.status().text());
        }
    };
    add(verify_unload, VariableDef<bool>{.name = "lyre.features.VerifyUnload",
                                         .default_value = true,
                                         .help = "report assets of a feature that are still loaded when it goes"});
    add(verify_chains,
        VariableDef<bool>{
            .name = "lyre.features.VerifyUnloadChains", .default_value = false, .help = "and who holds their holders"});
    add(log_mounted, VariableDef<bool>{.name = "lyre.features.LogMountedFiles",
                                       .default_value = false,
                                       .help = "report each file of a feature's content"});
    add(step_timeout, VariableDef<double>{.name = "lyre.features.StepTimeoutSecs",
                                          .default_value = 60,
                                          .help = "seconds until a step of a feature has failed; 0: never",
                                          .min = 0});
    add(pauser_timeout, VariableDef<double>{.name = "lyre.features.PauserTimeoutSecs",
                                            .default_value = 10,
                                            .help = "seconds that leaving a world waits for actions that ask for time",
                                            .min = 0});
}

// ---- finding

Feature* FeatureTable::find(Name id) const {
    const auto found = by_id_.find(id);
    return found == by_id_.end() ? nullptr : found->second;
}

Feature* FeatureTable::find(Name id, std::uint32_t serial) const {
    Feature* feature = find(id);
    return feature != nullptr && feature->serial == serial ? feature : nullptr;
}

const Catalogue& FeatureTable::catalogue() const {
    if (catalogue_) return *catalogue_;
    catalogue_.emplace();
    for (const auto& [id, feature] : features)
        if (feature->file.manifest.id == id) catalogue_->add(feature->file.manifest);
    return *catalogue_;
}

const PartKinds& FeatureTable::kinds() {
    if (!kinds_) kinds_.emplace(setup.runtime.types());
    return *kinds_;
}

FeatureError FeatureTable::unknown_error(Name id) const {
    Nearest search(id.text());
    for (const auto& [known, feature] : features) search.consider(known.text());
    FeatureError error;
    error.feature = id;
    if (!refusal) {
        error.code = ErrorCode::GoalRefused;
        error.text = refusal.text();
        return error;
    }
    error.code = ErrorCode::UnknownFeature;
    error.text = fmt::format("no feature {}{}", in_quotes(id.text()), did_you_mean(search.best()));
    return error;
}

std::vector<Feature*> FeatureTable::dependents_of(const Feature& feature) const {
    std::vector<Feature*> all;
    for (const OwnerEntry& entry : feature.owners)
        if (entry.owner.kind == OwnerKind::Feature)
            if (Feature* dependent = find(entry.owner.name, entry.owner.serial)) all.push_back(dependent);
    return all;
}

Holder FeatureTable::holder_of(const OwnerEntry& entry) const {
    return {entry.to_string(), chain_of(entry.owner)};
}

Holder FeatureTable::holder_of(std::string what, const Owner& user) const {
    Holder holder{std::move(what), {user.to_string()}};
    for (std::string& one : chain_of(user)) holder.by.push_back(std::move(one));
    return holder;
}

// The shortest way. A search of its own: who asks may be on a walk.
std::vector<std::string> FeatureTable::chain_of(const Owner& owner) const {
    struct Found {
        const OwnerEntry* entry;
        std::size_t from;
    };
    std::vector<Found> open;
    std::unordered_set<const Feature*> seen;
    const auto look_at = [&](const Owner& of, std::size_t from) {
        const Feature* feature = of.kind == OwnerKind::Feature ? find(of.name, of.serial) : nullptr;
        if (feature == nullptr || !seen.insert(feature).second) return;
        for (const OwnerEntry& entry : feature->owners) open.push_back({&entry, from});
    };
    look_at(owner, SIZE_MAX);
    std::size_t at = 0;
    while (at < open.size() && open[at].entry->owner.kind == OwnerKind::Feature) {
        look_at(open[at].entry->owner, at);
        ++at;
    }
    std::vector<std::string> chain;
    for (; at < open.size() && chain.size() < Holder::kMaxChain; at = open[at].from)
        chain.push_back(open[at].entry->to_string());
    std::reverse(chain.begin(), chain.end());
    return chain;
}

World* FeatureTable::find_world(const Owner& owner) const {
    for (World* world : setup.runtime.worlds())
        if (world->owner() == owner) return world;
    return nullptr;
}

std::vector<World*> FeatureTable::game_worlds() const {
    std::vector<World*> worlds;
    for (World* world : setup.runtime.worlds())
        if (is_game_world(*world)) worlds.push_back(world);
    return worlds;
}

bool FeatureTable::has_gone(const Owner& owner) const {
    const World* world = owner.kind == OwnerKind::World ? find_world(owner) : nullptr;
    return owner.kind == OwnerKind::World && (world == nullptr || world->has_ended());
}

bool FeatureTable::is_game_world(const World& world) const {
    return world.game() != nullptr && world.def().kind == WorldKind::Game && world.has_begun_play() &&
           !world.has_ended();
}

bool Supposed::is_going(const Feature& feature) const {
    return going != nullptr && std::find(going->begin(), going->end(), &feature) != going->end();
}

std::vector<Name> FeatureTable::present_in(const World* world, const Owner& owner, const Supposed& supposed) const {
    std::vector<const Feature*> all;
    std::unordered_set<const Feature*> seen;
    for (const auto& [id, feature] : features) {
        if (!feature->is_owned() || feature->owned_level() < Destination::Active) continue;
        if (supposed.is_going(*feature)) continue;
        if (world != nullptr && !feature->stays_wanted(world->owner(), supposed, world->net_mode())) continue;
        if (world == nullptr && !feature->stays_wanted(owner, supposed, std::nullopt)) continue;
        if (seen.insert(feature.get()).second) all.push_back(feature.get());
    }
    for (std::size_t i = 0; i < all.size(); ++i)
        for (const Dependency& dependency : all[i]->file.manifest.dependencies) {
            if (dependency.kind == DependencyKind::Incompatible) continue;
            if (world != nullptr && !counts_for(dependency.side, world->net_mode())) continue;
            const bool is_planned = all[i]->planned_roles().has(dependency.side);
            if (!is_planned && all[i]->find_hold(dependency.id) == nullptr) continue;
            const Feature* other = find(dependency.id);
            if (other == nullptr || !dependency.versions.contains(other->file.manifest.version)) continue;
            const bool is_optional = dependency.kind == DependencyKind::Optional;
            if (is_optional && all[i]->is_without(dependency.id, world != nullptr ? world->owner().serial : 0, &owner,
                                                  supposed.planned))
                continue;
            if (seen.insert(other).second) all.push_back(other);
        }
    std::vector<Name> ids;
    for (const Feature* feature : all) ids.push_back(feature->id);
    if (supposed.coming != nullptr)
        for (const auto& [whose, plan] : *supposed.coming)
            if (world == nullptr || whose.kind != OwnerKind::World || whose == world->owner())
                ids.insert(ids.end(), plan.order.begin(), plan.order.end());
    return ids;
}

std::vector<std::uint32_t> FeatureTable::wanting(const Owner& owner) const {
    if (owner.kind == OwnerKind::World) return {owner.serial};
    const Feature* feature = owner.kind == OwnerKind::Feature ? find(owner.name, owner.serial) : nullptr;
    return feature != nullptr ? feature->wanting() : std::vector<std::uint32_t>{0};
}

bool FeatureTable::lives(const World* world, std::uint32_t serial) const {
    const auto& worlds = setup.runtime.worlds();
    const auto found = std::find(worlds.begin(), worlds.end(), world);
    return found != worlds.end() && (*found)->owner().serial == serial;
}

// ---- manifests

Problems FeatureTable::discover(const std::string& root) {
    const Entry entry(*this);
    Problems problems;
    const std::string base = !root.empty() && root.back() == '/' ? root.substr(0, root.size() - 1) : root;
    auto found = !refusal ? Result<std::vector<std::string>>(refusal) : find_manifests(setup.files, base, &problems);
    if (!found) {
        problems.add(root_problem(base, found.status()));
        return problems;
    }
    std::set<std::string> there(found->begin(), found->end());
    if (roots_.size() < kMaxRoots) roots_.insert(base);
    for (const std::string& folder : *found) {
        if (const auto known = by_folder_.find(folder); known != by_folder_.end()) {
            known->second->is_folder_gone = false;
            look_again(*known->second, problems);
            continue;
        }
        if (features.size() >= Features::kMaxFeatures) {
            problems.add(root_problem(folder, Status::capacity("there are {} features already", features.size())));
            break;
        }
        Feature& feature = add(folder);
        feature.machine.set_goal(GoalRange::exactly(Destination::Installed), {});
        const FeatureState reached = feature.machine.state();
        if (reached >= FeatureState::Installed && !is_error(reached)) continue;
        const bool is_fault = !feature.error || feature.error->code == ErrorCode::Injected;
        const std::string why = feature.error ? feature.error->text : "a fault on purpose lets it wait";
        const Name called = feature.file.manifest.id;
        if (is_fault)
            problems.add(root_problem(
                feature.file.file, Status::failed("feature {} is left out: {}",
                                                  called.is_none() ? std::string_view(folder) : called.text(), why)));
        else if (feature.file.problems.is_empty())
            problems.add(root_problem(feature.file.file, Status::invalid("{}", why)));
        if (!is_fault) problems.add_all(feature.file.problems);
        unlist(feature);
    }
    for (const auto& [id, feature] : features) {
        if (parent_of(feature->folder) != base || there.count(feature->folder) != 0) continue;
        if (setup.files.look(feature->file.file).status().code() != StatusCode::NotFound) continue;  // unreadable now
        feature->is_folder_gone = true;
        mark_busy(*feature);
    }
    for (const Problem& problem : problems.all())
        setup.runtime.log().report(LogLevel::Error, Name("feature.manifest"), problem.where(), problem.text);
    rank_all();
    return problems;
}

// A folder that is known: its manifest may have been written anew. What is up keeps the one it came up with.
void FeatureTable::look_again(Feature& feature, Problems& problems) {
    const auto info = setup.files.look(feature.file.file);
    const std::int64_t seen = feature.newer ? feature.newer->changed_ns : feature.file.changed_ns;
    if (!info || info->changed_ns == seen) return;
    ManifestFile read = read_manifest(setup.files, feature.folder);
    if (read.problems.is_empty() && read.manifest.id != feature.id)
        problems.add(root_problem(
            read.file, Status::invalid("feature {} has become {}: end it first", feature.id, read.manifest.id)));
    problems.add_all(read.problems);
    if (!read.problems.is_empty() || read.manifest.id != feature.id) return;
    feature.newer = std::move(read);
    const bool is_down = destination_below(feature.machine.state()) <= FeatureState::Installed;
    if (is_down && feature.machine.is_at_rest()) feature.take_newer();
}

void FeatureTable::install(std::string_view locator, FeatureCallback callback) {
    const Entry entry(*this);
    if (locator.substr(0, kFileProtocol.size()) != kFileProtocol) {
        FeatureError error;
        error.feature = Name(locator);
        error.state = FeatureState::ErrorCheckingStatus;
        error.code = ErrorCode::ManifestBad;
        error.text = fmt::format("{} has no protocol that is known; write file:FOLDER", in_quotes(locator));
        if (callback) callback({error.feature, error});
        return;
    }
    const std::string folder(locator.substr(kFileProtocol.size()));
    if (!refusal) {
        if (callback) callback({Name(folder), unknown_error(Name(folder))});
        return;
    }
    const auto known = by_folder_.find(folder);
    if (known == by_folder_.end() && features.size() >= Features::kMaxFeatures) {
        FeatureError full;
        full.feature = Name(folder);
        full.code = ErrorCode::GoalRefused;
        full.text = fmt::format("there are {} features already", features.size());
        if (callback) callback({full.feature, full});
        return;
    }
    Feature& feature = known != by_folder_.end() ? *known->second : add(folder);
    request(feature, GoalRange::at_least(Destination::Installed), std::move(callback));
    rank_all();
}

// Until its manifest is read it is called by its place, which is nobody's id.
Feature& FeatureTable::add(const std::string& folder) {
    const Name id(std::string(kFileProtocol) + folder);
    LYRE_ASSERT(find(id) == nullptr, "a folder is added once: look for it among the known ones first");
    auto made = std::make_unique<Feature>(*this, id, folder);
    Feature& feature = *made;
    features[id] = std::move(made);
    by_id_[id] = by_folder_[folder] = &feature;
    forget_catalogue();
    return feature;
}

void FeatureTable::rekey(Feature& feature, Name id) {
    if (feature.id == id) return;
    busy_.erase({feature.rank, feature.id});
    feature.is_moving = false;  // under its old name nobody finds it
    forget_catalogue();
    auto node = features.extract(feature.id);
    by_id_.erase(node.key());
    by_id_[id] = &feature;
    node.key() = id;
    features.insert(std::move(node));
    feature.id = id;
    feature.owner.name = id;
    feature.machine.set_name(id);
    feature.is_busy = false;
    mark_busy(feature);
}

void FeatureTable::unlist(Feature& feature) {
    busy_.erase({feature.rank, feature.id});
    forget_catalogue();
    auto node = features.extract(feature.id);
    by_id_.erase(feature.id);
    by_folder_.erase(feature.folder);
    if (node) graveyard_.push_back(std::move(node.mapped()));
    std::vector<std::uint32_t> planned_by;
    for (const auto& [serial, planned] : planned_) planned_by.push_back(serial);
    for (const std::uint32_t serial : planned_by)
        forget_planned(serial, [&](Name id, const PlannedIn&) { return id == feature.id; });
    feature.drop_dependencies();
    feature.reloads.clear();
    answer_waiting(feature);
    const FeatureError ended = feature.make_error(ErrorCode::Cancelled, "it has ended");
    answer_lowerings(feature, ended);
    for (const auto& waiter : std::exchange(feature.reload_waiters, {})) answer(feature, waiter, {feature.id, ended});
}

void FeatureTable::rank_all() {
    std::vector<Name> ids;
    for (const auto& [id, feature] : features) ids.push_back(id);
    busy_.clear();
    std::size_t rank = 0;
    for (Name id : topological_order(catalogue(), ids))
        if (Feature* feature = find(id)) feature->rank = ++rank;
    for (const auto& [id, feature] : features)
        for (const auto& attachment : feature->attachments)
            if (attachment->run != nullptr && attachment->run->set_rank(feature->rank))
                reranked_.insert(attachment->serial);
    for (const auto& [id, feature] : features)
        if (feature->is_busy) busy_.insert({feature->rank, id});
}

// ---- owners

Destination OwnerEntry::level() const {
    Destination highest = Destination::Terminal;
    for (const Claim& claim : claims) highest = std::max(highest, claim.level);
    return highest;
}

Destination OwnerEntry::held_level() const {
    Destination highest = Destination::Terminal;
    for (const Claim& claim : claims)
        if (owner.kind != OwnerKind::Process || claim.serial != 0) highest = std::max(highest, claim.level);
    return highest;
}

std::string OwnerEntry::to_string() const {
    return fmt::format("{} ({})", owner.to_string(), lyre::features::to_string(level()));
}

OwnerEntry* Feature::find_owner(const Owner& who) {
    for (OwnerEntry& entry : owners)
        if (entry.owner == who) return &entry;
    return nullptr;
}

Claim* Feature::find_claim(const Owner& who, std::uint64_t serial_of) {
    OwnerEntry* entry = find_owner(who);
    for (std::size_t i = 0; entry != nullptr && i < entry->claims.size(); ++i)
        if (entry->claims[i].serial == serial_of) return &entry->claims[i];
    return nullptr;
}

bool Feature::is_owned() const {
    return !owners.empty();
}

Destination Feature::owned_level() const {
    Destination highest = Destination::Installed;
    for (const OwnerEntry& entry : owners) highest = std::max(highest, entry.level());
    return highest;
}

Destination Feature::settled_level() const {
    const auto waits = [&](const Owner& who, const Claim& claim) {
        return std::any_of(reload_waiters.begin(), reload_waiters.end(),
                           [&](const Waiter& one) { return one.owner == who && one.serial == claim.serial; });
    };
    Destination highest = Destination::Installed;
    for (const OwnerEntry& entry : owners)
        for (const Claim& claim : entry.claims)
            if (claim.level > highest && !waits(entry.owner, claim)) highest = claim.level;
    return highest;
}

Destination Feature::cap() const {
    const bool is_down =
        std::any_of(reloads.begin(), reloads.end(), [](const Reload* one) { return one->keeps_down(); });
    return is_down ? Destination::Installed : Destination::Active;
}

Destination Feature::needed_level() const {
    if (is_owned()) return std::min(cap(), owned_level());
    return std::min(cap(), is_warm ? Destination::Loaded : Destination::Installed);
}

std::vector<Holder> Feature::owners_above(Destination level) const {
    std::vector<Holder> holders;
    for (const OwnerEntry& entry : owners)
        if (entry.held_level() > level) holders.push_back(table.holder_of(entry));
    return holders;
}

// ---- running

void FeatureTable::mark_moving(Feature& feature) {
    if (!std::exchange(feature.is_moving, true)) moving_.push_back(feature.id);
}

void FeatureTable::mark_busy(Feature& feature) {
    mark_moving(feature);
    if (std::exchange(feature.is_busy, true)) return;
    busy_.insert({feature.rank, feature.id});
}

FeatureTable::Entry::Entry(FeatureTable& table)
    : table_(table.shared_from_this()), is_outermost_(!std::exchange(table.is_settling_, true)) {}

FeatureTable::Entry::~Entry() {
    if (!is_outermost_) return;
    table_->is_settling_ = false;
    table_->settle();
}

// What counts in a world is to be as if its features had come with the ranks that they have now. It is told to all.
void FeatureTable::tell_ranks() {
    for (const std::uint32_t serial : std::exchange(reranked_, {}))
        for (World* world : std::vector<World*>(setup.runtime.worlds())) {
            if (!lives(world, serial)) continue;
            guarded({}, "an observer of variables", Owner::process(), [&] { world->variables().ranks_changed(); });
            break;
        }
}

void FeatureTable::settle() {
    if (is_settling_ || has_ended_) return;
    const auto alive = shared_from_this();
    const OwnerScope as(Owner::process());
    is_settling_ = true;
    std::size_t rounds = 0;
    for (tell_ranks(); !busy_.empty() || break_circles(); tell_ranks()) {
        const Name id = busy_.begin()->second;
        busy_.erase(busy_.begin());
        Feature* feature = find(id);
        if (feature == nullptr) continue;
        feature->is_busy = false;
        run_busy(*feature);
        if (++rounds < kMaxRounds) continue;
        setup.runtime.log().report(LogLevel::Error, Name("feature.unsettled"), id.text(),
                                   "features keep each other busy without end; they go on in the next update");
        break;
    }
    run_reloads();
    is_settling_ = false;
    const auto buried = std::exchange(buried_, {});
    const auto dead = std::exchange(graveyard_, {});
    if (must_end_) end();
}

bool FeatureTable::is_at_rest() const {
    const auto rests = [](const auto& one) {
        return one.second->machine.is_at_rest() && !one.second->is_moving_in_worlds();
    };
    const auto waits = [](const Closing& one) { return one.has_leftovers; };
    return busy_.empty() && std::all_of(features.begin(), features.end(), rests) &&
           std::all_of(closing_.begin(), closing_.end(), waits);
}

void FeatureTable::run_busy(Feature& feature) {
    relax(feature);
    lower_waiting(feature);
    feature.machine.run();
    const FeatureState at = feature.machine.state();
    if (feature.is_optional_open && feature.machine.is_at_rest() && !feature.machine.is_inside_step())
        feature.look_at_optional(level_of(at), at >= FeatureState::Registered && !is_error(at));
    const bool has_worlds = !feature.attachments.empty() || feature.machine.state() == FeatureState::Active;
    if (has_worlds && !feature.machine.is_inside_step() && feature.reconcile()) {
        feature.machine.wake();
        mark_busy(feature);
    }
    if (!feature.world_waiters.empty() && !feature.machine.is_inside_step()) answer_joined(feature);
    if (is_reloading() || !feature.machine.is_at_rest()) return;  // a reload that takes it down brings it back
    const FeatureState state = feature.machine.state();
    if (destination_below(state) <= FeatureState::Installed && feature.take_newer()) rank_all();
    if (feature.is_folder_gone && state <= FeatureState::Installed && state != FeatureState::Terminal)
        request(feature, GoalRange::exactly(Destination::Terminal), {});
}

// Nobody needs it as high as it is: it goes down. Where it was refused it waits for what holds it.
void FeatureTable::relax(Feature& feature) {
    if (!feature.was_owned || feature.is_refused || feature.machine.is_inside_step()) return;
    const Destination level = feature.needed_level();
    if (feature.cap() != Destination::Active)  // dependents go down first
        for (Feature* dependent : dependents_of(feature))
            if (feature.find_owner(dependent->owner)->level() > level && !is_circular(feature, *dependent)) return;
    const FeatureState state = feature.machine.state();
    const FeatureState stands_at = is_error(state) ? destination_below(state) : state;
    const bool climbs_too_high = !feature.machine.is_at_rest() && feature.machine.goal().min > level;
    if (!climbs_too_high && stands_at <= state_of(level) && (!is_error(state) || feature.is_owned())) return;
    if (!feature.machine.is_at_rest() && feature.machine.goal().max <= level) return;
    if (feature.is_relaxing && feature.relaxing_to <= level) return;  // it is on its way, or will be
    feature.is_relaxing = true;
    feature.relaxing_to = level;
    request(feature, GoalRange::at_most(level), [this, &feature](const FeatureResult&) {
        feature.is_relaxing = false;
        mark_busy(feature);
    });
}

void FeatureTable::update() {
    if (is_settling_ || has_ended_) return;
    const auto alive = shared_from_this();
    may_close_code_ = is_safe_to_close();
    is_settling_ = true;  // what they, and what goes, ask of each other is carried out below
    if (may_close_code_ && !closing_.empty()) close_what_can_be();
    trim_warm();
    std::vector<Feature*> moving = std::move(scratch_);  // its memory: nothing is taken in a steady update
    moving.clear();
    for (Name id : moving_)
        if (Feature* feature = find(id); feature != nullptr && std::exchange(feature->is_moving, false))
            moving.push_back(feature);
    moving_.clear();
    std::sort(moving.begin(), moving.end(), [](const Feature* a, const Feature* b) {
        return a->rank != b->rank ? a->rank < b->rank : a->id < b->id;
    });
    {
        const OwnerScope as(Owner::process());
        for (Feature* feature : moving) {
            if (!feature->unswept.empty()) feature->sweep_again();
            retry_refused(*feature);
            if (feature->is_late_in_worlds()) feature->machine.wake();
            feature->machine.update();
            if (feature->is_refused || !feature->machine.is_at_rest() || feature->is_moving_in_worlds() ||
                feature->is_warm || !feature->unswept.empty())
                mark_moving(*feature);
            if (feature->is_late_in_worlds()) mark_busy(*feature);
        }
    }
    is_settling_ = false;
    scratch_ = std::move(moving);
    settle();
    may_close_code_ = false;
}

void FeatureTable::close_later(const Owner& owner, std::unique_ptr<Module> module, bool has_leftovers) {
    if (module == nullptr && is_closing(owner, true)) return;
    closing_.push_back({owner, std::move(module), has_leftovers, {}});
}

bool FeatureTable::is_closing(const Owner& owner, bool with_leftovers) const {
    return std::any_of(closing_.begin(), closing_.end(), [&](const Closing& one) {
        return one.owner == owner && (one.has_leftovers || !with_leftovers);
    });
}

void FeatureTable::close(const Owner& owner, std::unique_ptr<Module> module) {
    const ModuleFailure failure = setup.modules.close(std::move(module));
    if (failure.is_none()) return;
    setup.runtime.log().report(LogLevel::Error, Name("feature.resident"), owner.name.text(), failure.text);
    Feature* feature = find(owner.name, owner.serial);
    if (feature == nullptr) return;
    feature->is_resident = true;
    feature->error = feature->make_error(failure.code, failure.text);
}

// What its actions have forgotten to take back goes, newest first.
void FeatureTable::sweep(LedgerQuery query, std::string_view where) {
    query.with_instances = false;
    query.leftovers_only = true;
    Ledger::remove_leftovers(query, [&](const LedgerEntry& entry, const Status& status) {
        const std::string place = entry.place.empty() ? "" : fmt::format(" ({})", entry.place);
        const char* fix = entry.kind == LedgerKind::Timer
                              ? "; it was cancelled: bind it to the component or actor it is for, as in "
                                "timers().every(1, ..., *this), or cancel it when that ends"
                              : "";
        setup.runtime.log().report(
            LogLevel::Warning, Name("feature.left_behind"), query.owner.name.text(),
            fmt::format("{} {} was not taken back by its {}{}{}{}{}", to_string(entry.kind), entry.id,
                        entry.kind == LedgerKind::Timer ? "code" : "action", where, place,
                        status ? "" : fmt::format(", and cannot be: {}", status.text()), fix));
    });
}

bool FeatureTable::take_leftovers(const Owner& owner) {
    LedgerQuery query{services(), owner};
    query.without_roots = true;
    ++calling_;
    destroy_instances_of(setup.runtime, owner);
    sweep(query, "");
    Ledger::remove_declared(services(), owner);
    --calling_;
    return Ledger::list(query).empty();
}

// Code of what goes runs in here: it may have more of it close later, and each stands in the list until it is over.
void FeatureTable::close_what_can_be() {
    const std::int64_t now = setup.runtime.clock().now_us();
    for (std::size_t i = 0; i < closing_.size();) {
        const Owner owner = closing_[i].owner;
        closing_[i].is_tried = !closing_[i].has_leftovers || closing_[i].retry.is_due(now);
        if (closing_[i].is_tried) {  // its code may have asked for something since it went
            if (closing_[i].has_leftovers) closing_[i].retry.note(now);
            const bool is_over = take_leftovers(owner);
            closing_[i].has_leftovers = !is_over;
        }
        const bool has_module = closing_[i].module != nullptr;
        if (closing_[i].has_leftovers || (has_module && setup.assets.types().has_old_schemas())) {
            ++i;
            continue;
        }
        if (has_module) close(owner, std::move(closing_[i].module));
        closing_.erase(closing_.begin() + static_cast<std::ptrdiff_t>(i));
    }
}

bool FeatureTable::has_tried_to_close(const Owner& owner) {
    for (Closing& one : closing_) {
        if (one.owner != owner || one.is_tried) continue;
        one.retry = {};
        return false;
    }
    return true;
}

bool FeatureTable::is_safe_to_close() const {
    const auto& worlds = setup.runtime.worlds();
    return calling_ == 0 && !is_code_of_feature(Owner::current()) &&
           std::none_of(worlds.begin(), worlds.end(), [&](const World* world) {
               // One that ends is in a callback to its very end; of its actors nothing is on the stack any more.
               const bool is_empty =
                   std::find(emptied_.begin(), emptied_.end(), world->owner().serial) != emptied_.end();
               return world->is_in_callback() && !(is_ending_ && is_empty);
           });
}

// What holds it may take its time: asking all registries in every frame would cost more than the feature does.
bool FeatureTable::has_reason_to_retry(Feature& feature) const {
    const std::int64_t now = setup.runtime.clock().now_us();
    const std::size_t instances = feature.count_instances();
    if (!feature.retry.is_due(now) && instances == feature.instances_then) return false;
    feature.retry.note(now);
    feature.instances_then = instances;
    return true;
}

void FeatureTable::retry_refused(Feature& feature) {
    if (!feature.is_refused || !may_close_code_ || !feature.machine.is_at_rest()) return;
    if (feature.machine.state() == FeatureState::Registered) {
        if (!has_reason_to_retry(feature)) return;
        setup.assets.collect();
        if (feature.why_not_unregister()) return;
    }
    feature.is_refused = false;
    mark_busy(feature);
}

void FeatureTable::trim() {
    const Entry entry(*this);
    for (const auto& [id, feature] : features)
        if (!feature->is_owned() && std::exchange(feature->is_warm, false)) mark_busy(*feature);
}

void FeatureTable::trim_warm() {
    std::vector<Feature*>& warm = scratch_;
    warm.clear();
    for (Name id : moving_)
        if (Feature* feature = find(id); feature != nullptr && feature->is_warm && !feature->is_owned())
            warm.push_back(feature);
    std::sort(warm.begin(), warm.end(),
              [](const Feature* a, const Feature* b) { return a->left_order < b->left_order; });
    const std::int64_t now = setup.runtime.clock().now_us();
    for (std::size_t i = 0; i < warm.size(); ++i) {
        const UnloadPolicy& unload = warm[i]->last_unload;
        const bool is_late = unload.seconds > 0 && static_cast<double>(now - warm[i]->left_us) / 1e6 >= unload.seconds;
        if (!is_late && warm.size() - i <= unload.count) continue;
        warm[i]->is_warm = false;
        mark_busy(*warm[i]);
    }
}

void FeatureTable::world_ended(World& world) {
    ++owners_version;
    const bool was_settling = std::exchange(is_settling_, true);
    for (Feature* feature : highest_first()) {
        feature->leave_world(world);
        feature->machine.wake();
        mark_busy(*feature);
        answer_joined(*feature);
        if (const OwnerEntry* entry = feature->find_owner(world.owner()))
            feature->report(LogLevel::Error, "feature.world_left",
                            fmt::format("{} has ended and still owns it ({}): release features before",
                                        world.owner().to_string(), to_string(entry->level())));
        while (const OwnerEntry* entry = feature->find_owner(world.owner()))
            unwant(*feature, world.owner(), entry->claims.back().serial);
    }
    forget_planned(world.owner().serial, [](Name, const PlannedIn&) { return true; });
    const auto& worlds = setup.runtime.worlds();
    std::erase_if(emptied_, [&](std::uint32_t serial) {
        return std::none_of(worlds.begin(), worlds.end(), [&](World* one) { return one->owner().serial == serial; });
    });
    emptied_.push_back(world.owner().serial);
    is_settling_ = was_settling;
    if (!is_settling_ && must_end_) end();
}

std::vector<Feature*> FeatureTable::highest_first() const {
    std::vector<Feature*> all;
    for (const auto& [id, feature] : features) all.push_back(feature.get());
    std::sort(all.begin(), all.end(), [](const Feature* a, const Feature* b) { return a->rank > b->rank; });
    return all;
}

// What a feature that goes has of the table itself: observers, and holds on other features.
void FeatureTable::take_back(const Owner& owner) {
    const auto report = [&](const std::string& what) {
        setup.runtime.log().report(LogLevel::Warning, Name("feature.left_behind"), owner.name.text(),
                                   fmt::format("{} was not taken back by its action", what));
    };
    for (Seen& seen : observers_)
        if (seen.observer != nullptr && seen.owner == owner) {
            seen.observer = nullptr;
            report("an observer of features");
        }
    if (telling_ == 0) std::erase_if(observers_, [](const Seen& seen) { return seen.observer == nullptr; });
    Feature* taken = find_feature(owner);
    for (Name id : taken != nullptr ? std::exchange(taken->acquired, {}) : std::set<Name>())
        for (Feature* feature = find(id); feature != nullptr; feature = find(id)) {
            const OwnerEntry* entry = feature->find_owner(owner);
            if (entry == nullptr) break;
            const auto hold = std::find_if(entry->claims.begin(), entry->claims.end(),
                                           [](const Claim& claim) { return claim.serial != 0; });
            if (hold == entry->claims.end()) break;
            report(fmt::format("a hold on {}", id));
            unwant(*feature, owner, hold->serial);
        }
}

// ---- telling

void FeatureTable::tell(FeatureEvent event, bool is_down) {
    ++telling_;
    std::vector<std::pair<FeatureObserver*, std::size_t>> now;  // each once, with its place among observers_
    std::unordered_set<const FeatureObserver*> known;
    for (std::size_t i = 0; i < observers_.size(); ++i)
        if (observers_[i].observer != nullptr && known.insert(observers_[i].observer).second)
            now.emplace_back(observers_[i].observer, i);
    if (is_down) std::reverse(now.begin(), now.end());
    const std::uint32_t world = event.world != nullptr ? event.world->owner().serial : 0;
    for (const auto& [one, place] : now) {
        FeatureObserver* observer = one;
        if (event.world != nullptr && !lives(event.world, world)) break;      // one before it has ended the world
        auto seen = observers_.begin() + static_cast<std::ptrdiff_t>(place);  // places stay while somebody is told
        if (seen->observer != observer)  // that handle was dropped by one before it; there may be another
            seen = std::find_if(observers_.begin(), observers_.end(),
                                [&](const Seen& other) { return other.observer == observer; });
        if (seen == observers_.end()) continue;
        if (seen->unheard != nullptr && seen->unheard->count({event.feature, world}) != 0) continue;
        guarded(event.feature, fmt::format("an observer of {}", to_string(event.what)), seen->owner,
                [&] { observer->feature_event(event); });
    }
    if (--telling_ == 0) std::erase_if(observers_, [](const Seen& seen) { return seen.observer == nullptr; });
}

std::uint64_t FeatureTable::add_observer(FeatureObserver& observer, Replay replayed) {
    const Entry entry(*this);
    if (observers_.size() >= Features::kMaxObservers) {
        setup.runtime.log().report(LogLevel::Error, Name("feature.observers"), "",
                                   fmt::format("{} watch features already: one more is refused", observers_.size()));
        return 0;
    }
    const bool is_known =
        std::any_of(observers_.begin(), observers_.end(), [&](const Seen& seen) { return seen.observer == &observer; });
    const std::uint64_t number = next_registration();
    observers_.push_back({&observer, Owner::current(), number});
    if (!is_known && replayed == Replay::CurrentAndFuture) replay(observer, number);
    return number;
}

bool FeatureTable::has_observer(std::uint64_t number) const {
    return std::any_of(observers_.begin(), observers_.end(),
                       [&](const Seen& seen) { return seen.registered == number && seen.observer != nullptr; });
}

// The way up of all that are up, dependencies first. What it asks for meanwhile moves nobody before the end, and it
// hears of that then; what it is told of may end in its own calls all the same.
void FeatureTable::replay(FeatureObserver& observer, std::uint64_t number) {
    std::vector<std::pair<Name, std::uint32_t>> all;
    std::deque<StateMachine::Inside> still;
    const auto unheard = std::make_shared<std::set<InWorld>>();
    for (Feature* feature : highest_first()) {
        all.emplace_back(feature->id, feature->serial);
        still.emplace_back(feature->machine);
        mark_busy(*feature);
        for (const auto& attachment : feature->attachments) unheard->insert({feature->id, attachment->serial});
    }
    observers_.back().unheard = unheard;
    using What = FeatureEvent::What;
    for (auto one = all.rbegin(); one != all.rend(); ++one) {
        const auto [id, serial] = *one;
        const auto say = [&, me = id, mine = serial](What what, FeatureState from, World* world = nullptr) {
            const Feature* feature = find(me, mine);
            if (feature == nullptr || feature->machine.state() < from || !has_observer(number)) return;
            FeatureEvent event{what, me};
            event.world = world;
            guarded(me, "an observer", Owner::current(), [&] { observer.feature_event(event); });
        };
        say(What::Discovered, FeatureState::StatusKnown);
        say(What::Mounted, FeatureState::Registered);
        say(What::Registering, FeatureState::Registered);
        say(What::Loading, FeatureState::Loaded);
        say(What::Activating, FeatureState::Active);
        std::vector<std::pair<World*, std::uint32_t>> worlds;
        const Feature* feature = find(id, serial);
        if (feature != nullptr && feature->machine.state() == FeatureState::Active)
            for (const auto& attachment : feature->attachments)
                if (attachment->phase == Attachment::Phase::Applied)
                    worlds.emplace_back(attachment->world, attachment->serial);
        for (const auto& [world, world_serial] : worlds) {
            unheard->erase({id, world_serial});
            if (lives(world, world_serial)) say(What::WorldAttached, FeatureState::Active, world);
        }
        say(What::Activated, FeatureState::Active);
    }
    unheard->clear();
}

void FeatureTable::remove_observer(std::uint64_t number) {
    for (Seen& seen : observers_)
        if (seen.registered == number) seen.observer = nullptr;
    if (telling_ == 0) std::erase_if(observers_, [](const Seen& seen) { return seen.observer == nullptr; });
}

std::vector<LedgerEntry> FeatureTable::observers_of(const Owner& owner) const {
    std::vector<LedgerEntry> entries;
    for (const Seen& seen : observers_) {
        if (seen.observer == nullptr || seen.owner != owner) continue;
        LedgerEntry entry;
        entry.kind = LedgerKind::Observer;
        entry.id = "of features";
        entry.number = static_cast<std::int64_t>(seen.registered);
        entries.push_back(std::move(entry));
    }
    return entries;
}

// ---- the end

void FeatureTable::end() {
    if (has_ended_) return;
    if (is_settling_) {  // inside a callback: when it is over
        must_end_ = true;
        return;
    }
    const auto alive = weak_from_this().lock();
    is_settling_ = is_ending_ = true;
    connections_.erase(connections_.begin(), connections_.begin() + 2);  // worlds; what is listed stays until the end
    const std::vector<Feature*> all = highest_first();
    for (Feature* feature : all) silence(*feature);
    // One may use another without saying so, by a class derived from one of its own: then it goes first.
    std::vector<Feature*> left = all;
    for (std::size_t before = left.size() + 1; left.size() < before;) {
        before = left.size();
        std::erase_if(left, [&](Feature* feature) {
            if (feature->why_not_unregister(true)) return false;
            take_down(*feature);
            return true;
        });
    }
    for (Feature* feature : left) take_down(*feature);
    for (Closing& one : std::exchange(closing_, {})) {
        if (one.module == nullptr) continue;
        setup.runtime.log().report(LogLevel::Error, Name("feature.resident"), one.owner.name.text(),
                                   "its library stays in memory: features ended inside a call of its code, or of a "
                                   "world that goes on");
        keep_resident(std::move(one.module));
    }
    has_ended_ = true;
    by_id_.clear();  // who asks in an answer is answered at once: nothing is known any more
    by_folder_.clear();
    for (Feature* feature : all) {
        feature->machine.abandon();
        const FeatureError gone = feature->make_error(ErrorCode::Abandoned, "nobody is left to see to it");
        answer_lowerings(*feature, gone);
        for (auto* waiters : {&feature->world_waiters, &feature->reload_waiters})
            for (const auto& waiter : std::exchange(*waiters, {})) answer(*feature, waiter, {feature->id, gone});
    }
    for (const auto& reload : std::exchange(reloads_, {})) {
        FeatureError gone = unknown_error(reload->feature);
        gone.code = ErrorCode::Abandoned;
        gone.text = "nobody is left to see to it";
        for (const FeatureCallback& callback : reload->callbacks) callback({reload->feature, gone});
    }
    features.clear();
    buried_.clear();
    graveyard_.clear();
    connections_.clear();
    commands_.clear();
    reloads_.clear();
    for (const std::string& name : variables_) setup.runtime.variables().remove(name).ignore();
    is_settling_ = false;
}

// Nothing of it runs or lives any more; what it registered is still there.
void FeatureTable::silence(Feature& feature) {
    feature.leave_all();
    if (std::exchange(feature.is_loaded, false)) feature.process_run->unloading();
    feature.bundles.clear();
    feature.preload.reset();
    setup.assets.collect();
    if (feature.process_run != nullptr && feature.is_registered) feature.process_run->unregistering();
    destroy_instances_of(setup.runtime, feature.owner);
}

void FeatureTable::take_down(Feature& feature) {
    feature.drop_registrations();
    feature.close_module();
    if (!feature.root.is_none()) setup.assets.registry().remove_root(std::exchange(feature.root, {}));
    feature.drop_dependencies();
}

}  // namespace lyre::features
