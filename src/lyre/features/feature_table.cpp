// The table of features: finding them, who owns what, and letting them run. The order of this file is that of
// detail/feature_table.h: finding, manifests, owners, requests, running, telling, the end. Reloads are in reload.cpp.
#include "lyre/features/detail/feature_table.h"

#include <algorithm>
#include <exception>

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

Destination level_of(FeatureState destination) {
    for (auto level : {Destination::Active, Destination::Loaded, Destination::Registered, Destination::Installed,
                       Destination::StatusKnown})
        if (state_of(level) <= destination) return level;
    return Destination::Terminal;
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
            const Feature* other = find(dependency.id);
            if (other == nullptr || !dependency.versions.contains(other->file.manifest.version)) continue;
            const bool is_optional = dependency.kind == DependencyKind::Optional;
            if (is_optional &&
                all[i]->is_without(dependency.id, world != nullptr ? world->owner().serial : 0, &owner,
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
    if (destination_below(feature.machine.state()) <= FeatureState::Installed && feature.machine.is_at_rest())
        feature.change_file(std::move(read));
    else
        feature.newer = std::move(read);
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
    for (const auto& [serial, planned] : left_out_) planned_by.push_back(serial);
    for (const std::uint32_t serial : planned_by) forget_left_out(serial, [&](Name id) { return id == feature.id; });
    feature.drop_dependencies();
    answer_waiting(feature, 0);
    const FeatureError ended = feature.make_error(ErrorCode::Cancelled, "it has ended");
    answer_lowerings(feature, ended);
    for (const auto& waiter : std::exchange(feature.reload_waiters, {}))
        if (waiter.callback) waiter.callback({feature.id, ended});
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

bool Feature::is_owned() const {
    return !owners.empty();
}

Destination Feature::owned_level() const {
    Destination highest = Destination::Installed;
    for (const OwnerEntry& entry : owners) highest = std::max(highest, entry.level());
    return highest;
}

Destination Feature::needed_level() const {
    if (is_owned()) return std::min(cap, owned_level());
    return std::min(cap, is_warm ? Destination::Loaded : Destination::Installed);
}

std::vector<Holder> Feature::owners_above(Destination level) const {
    std::vector<Holder> holders;
    for (const OwnerEntry& entry : owners)
        if (entry.held_level() > level) holders.push_back(table.holder_of(entry));
    return holders;
}

// ---- requests

// Code of somebody: it runs under its owner, and what it throws is reported. It may be code of any feature, so nothing
// is closed meanwhile.
template <class Call> void FeatureTable::guarded(Name feature, std::string_view what, const Owner& owner, Call call) {
    const OwnerScope as(owner);
    ++calling_;
    std::string threw;
    try {
        call();
    } catch (const std::exception& error) {
        threw = error.what();
    } catch (...) {
        threw = "an exception";
    }
    --calling_;
    if (!threw.empty())
        setup.runtime.log().report(LogLevel::Error, Name("feature.callback"), feature.text(),
                                   fmt::format("{} threw: {}", what, threw));
}

FeatureCallback FeatureTable::wrap(FeatureCallback callback) {
    if (!callback) return {};
    return [callback = std::move(callback), owner = Owner::current(), this](const FeatureResult& result) {
        guarded(result.feature, "a callback", owner, [&] { callback(result); });
    };
}

BatchCallback FeatureTable::wrap(BatchCallback callback) {
    if (!callback) return {};
    return [callback = std::move(callback), owner = Owner::current(), this](const FeatureResults& results) {
        guarded({}, "a callback", owner, [&] { callback(results); });
    };
}

// What cannot be joined with what is under way is tried again when that has been cancelled.
void FeatureTable::request(Feature& feature, GoalRange goal, FeatureCallback callback) {
    mark_busy(feature);
    const bool is_posted = feature.machine.post([this, &feature, goal, callback]() mutable {
        if (goal.is_empty() || feature.machine.state() == FeatureState::Terminal) {
            if (callback)
                callback(
                    {feature.id, feature.make_error(ErrorCode::GoalRefused,
                                                    goal.is_empty() ? "from above to below: there is nothing between"
                                                                    : "it has ended")});
            return;
        }
        if (feature.machine.set_goal(goal, callback)) return;
        const auto again = std::make_shared<FeatureCallback>(std::move(callback));
        feature.machine.cancel([this, &feature, goal, again](const FeatureResult& result) {
            if (result.error) {
                if (*again) (*again)(result);
                return;
            }
            request(feature, goal, std::move(*again));
        });
    });
    if (!is_posted && callback)
        callback({feature.id,
                  feature.make_error(ErrorCode::GoalRefused,
                                     fmt::format("{} requests wait for what it does now", StateMachine::kMaxPosted))});
}

void FeatureTable::want(Feature& feature, const Owner& owner, Claim claim, GoalRange goal, FeatureCallback callback,
                        std::span<const Degraded> left_out) {
    if (has_ended_ || feature.file.manifest.id.is_none() || claims_on(feature) >= kMaxClaims) {
        FeatureError refused = unknown_error(feature.id);
        if (has_ended_) refused = feature.make_error(ErrorCode::Abandoned, "nobody is left to see to it");
        if (claims_on(feature) >= kMaxClaims)
            refused = feature.make_error(ErrorCode::GoalRefused, fmt::format("{} hold it already", kMaxClaims));
        if (callback) callback({feature.id, std::move(refused)});
        return;
    }
    begin_wish(feature);
    const bool is_dependency = owner.kind == OwnerKind::Feature && claim.serial == 0;
    if (is_dependency) {  // the rest was decided when its dependent was wanted
        const bool moves = feature.machine.state() < state_of(claim.level);
        if (const Status status = moves ? allowed(feature) : Status::ok(); !status) {
            feature.error = feature.make_error(ErrorCode::NotAllowed, status.text());
            if (callback) callback({feature.id, feature.error});
            return;
        }
    } else {
        Decision decision = decide(feature, owner, claim.level);
        if (decision.refused) {
            feature.error = decision.refused;
            if (callback) callback({feature.id, std::move(decision.refused)});
            return;
        }
        auto& without = decision.plan.degraded;
        without.insert(without.end(), left_out.begin(), left_out.end());
        carry(owner, decision.plan);
    }
    OwnerEntry* entry = feature.find_owner(owner);
    if (entry == nullptr) {
        entry = &feature.owners.emplace_back(OwnerEntry{owner, {}});
        ++owners_version;
    }
    const auto same = std::find_if(entry->claims.begin(), entry->claims.end(),
                                   [&](const Claim& other) { return other.serial == claim.serial; });
    if (same == entry->claims.end())
        entry->claims.push_back(claim);
    else
        *same = claim;
    feature.was_owned = true;
    feature.is_warm = false;
    if (owner.kind == OwnerKind::World) forget_failures(feature, owner.serial);
    if (feature.owned_level() > goal.max) goal.max = feature.owned_level();  // nobody's wish lowers another's
    answer_overtaken(feature, claim.level);
    request(feature, goal,
            [this, &feature, owner, serial = claim.serial, callback = std::move(callback)](
                const FeatureResult& result) { wanted(feature, owner, serial, result, callback); });
}

std::size_t FeatureTable::claims_on(const Feature& feature) {
    std::size_t count = 0;
    for (const OwnerEntry& entry : feature.owners) count += entry.claims.size();
    return count;
}

// A world asks anew: what failed there before is tried again, in what the feature needs, too.
void FeatureTable::forget_failures(Feature& feature, std::uint32_t world) {
    const FeatureWalk walk(*this, feature);
    std::vector<Feature*> open{&feature};
    for (std::size_t i = 0; i < open.size(); ++i) {
        if (open[i]->failed_worlds.erase(world) != 0) mark_busy(*open[i]);
        for (const DependencyHold& hold : open[i]->holds)
            if (Feature* other = find(hold.id); other != nullptr && walk.is_first(*other)) open.push_back(other);
    }
}

// Who waits for it to go down waits in vain; so does who waits for what it will hold so high again.
void FeatureTable::answer_overtaken(Feature& feature, Destination level) {
    if (lowerings_ == 0) return;
    std::vector<Feature*> open{&feature};
    {
        const FeatureWalk walk(*this, feature);
        for (std::size_t i = 0; i < open.size(); ++i)
            for (const DependencyHold& hold : open[i]->holds)
                if (Feature* other = find(hold.id); other != nullptr && walk.is_first(*other)) open.push_back(other);
    }
    for (Feature* one : open) {
        std::vector<Feature::Lowering> overtaken;
        std::erase_if(one->lowerings, [&](Feature::Lowering& lowering) {
            if (one != &feature && lowering.goal.max >= level) return false;
            overtaken.push_back(std::move(lowering));
            return true;
        });
        if (overtaken.empty()) continue;
        lowerings_ -= overtaken.size();
        const FeatureError error =
            one->make_error(ErrorCode::Cancelled, fmt::format("somebody wants {} again", feature.id));
        for (const Feature::Lowering& lowering : overtaken)
            if (lowering.callback) lowering.callback({one->id, error});
    }
}

void FeatureTable::answer_lowerings(Feature& feature, const FeatureError& error) {
    lowerings_ -= feature.lowerings.size();
    for (const Feature::Lowering& lowering : std::exchange(feature.lowerings, {}))
        if (lowering.callback) lowering.callback({feature.id, error});
}

// The machine has answered somebody who wants it: up for the process and dependents; a world is to be joined, too.
void FeatureTable::wanted(Feature& feature, const Owner& owner, std::uint64_t serial, FeatureResult result,
                          const FeatureCallback& callback) {
    OwnerEntry* entry = feature.find_owner(owner);
    const Claim* claim = nullptr;
    for (std::size_t i = 0; entry != nullptr && i < entry->claims.size(); ++i)
        if (entry->claims[i].serial == serial) claim = &entry->claims[i];
    const bool is_held = claim != nullptr;
    if (!is_held && result.is_cancelled() && has_gone(owner))  // that is why it was given up
        result.error = feature.make_error(ErrorCode::WorldGone, fmt::format("{} has ended", owner.to_string()));
    if (result && is_held && owner.kind == OwnerKind::World && claim->level == Destination::Active) {
        World* world = find_world(owner);
        if (world == nullptr || world->has_ended()) {
            result.error = feature.make_error(ErrorCode::WorldGone, fmt::format("{} has ended", owner.to_string()));
        } else if (auto failed = feature.failed_worlds.find(owner.serial); failed != feature.failed_worlds.end()) {
            result.error = failed->second;
        } else if (world->has_begun_play() && world->game() != nullptr) {
            const Attachment* there = feature.find_attachment(*world);
            if (there == nullptr || !there->is_activated) {
                feature.world_waiters.push_back({owner.serial, serial, callback});
                return mark_busy(feature);
            }
        }
    }
    if (result && !is_held)
        result.error = has_gone(owner)
                           ? feature.make_error(ErrorCode::WorldGone, fmt::format("{} has ended", owner.to_string()))
                           : feature.make_error(ErrorCode::Cancelled, "it was given up before it was there");
    if (result.is_cancelled() && is_held && feature.cap != Destination::Active) {  // a reload: it comes back
        feature.reload_waiters.push_back({owner, serial, callback});
        return;
    }
    if (!result && is_held) {
        if (serial != 0) {
            unwant(feature, owner, serial);
        } else if (owner.kind == OwnerKind::Process) {  // it stays where it is: an error is rested in
            const Destination left = level_of(destination_below(feature.machine.state()));
            for (Claim& one : entry->claims)
                if (one.serial == 0) one.level = std::min(one.level, left);
            if (left <= Destination::Installed) unwant(feature, owner, serial);
            feature.was_owned = feature.is_owned();
        }
    }
    if (callback) callback(result);
}

void FeatureTable::answer_world(Feature& feature, World& world, const FeatureError* error) {
    std::vector<Feature::WorldWaiter> answered;
    for (auto& waiter : feature.world_waiters)
        if (waiter.world == world.owner().serial) answered.push_back(std::move(waiter));
    std::erase_if(feature.world_waiters, [&](const auto& waiter) { return waiter.world == world.owner().serial; });
    FeatureResult result{feature.id, {}};
    if (error != nullptr) result.error = *error;
    for (const auto& waiter : answered) {
        if (error != nullptr) unwant(feature, world.owner(), waiter.claim);
        if (waiter.callback) waiter.callback(result);
    }
}

// Those who still wait for a world to be joined, though it will not be: 0 for all.
void FeatureTable::answer_waiting(Feature& feature, std::uint64_t claim) {
    std::vector<Feature::WorldWaiter> over;
    for (auto& waiter : feature.world_waiters)
        if (claim == 0 || waiter.claim == claim) over.push_back(std::move(waiter));
    std::erase_if(feature.world_waiters, [&](const auto& waiter) { return claim == 0 || waiter.claim == claim; });
    const FeatureError cancelled =
        feature.make_error(ErrorCode::Cancelled, "it was given up before it had joined the world");
    for (const auto& waiter : over)
        if (waiter.callback) waiter.callback({feature.id, cancelled});
}

void FeatureTable::unwant(Feature& feature, const Owner& owner, std::uint64_t serial) {
    OwnerEntry* entry = feature.find_owner(owner);
    if (entry == nullptr) return;
    const auto claim = std::find_if(entry->claims.begin(), entry->claims.end(),
                                    [&](const Claim& one) { return one.serial == serial; });
    if (claim == entry->claims.end()) return;
    feature.last_unload = claim->unload;
    entry->claims.erase(claim);
    if (entry->claims.empty()) {
        const std::uint32_t world = owner.kind == OwnerKind::World ? owner.serial : 0;
        const bool is_root = owner.kind != OwnerKind::Feature;
        std::erase_if(feature.owners, [&](const OwnerEntry& one) { return one.owner == owner; });
        ++owners_version;
        if (is_root && left_out_.count(world) != 0) {
            const auto needed = needed_by(world);
            forget_left_out(world, [&](Name id) { return needed.count(id) == 0; });
        }
        if (is_root && has_left_out()) look_at_left_out();
    }
    if (!feature.is_owned()) {
        UnloadPolicy unload = feature.last_unload;
        if (unload.kind == UnloadPolicy::Kind::Default) unload = policy_unload();
        feature.last_unload = unload;
        feature.is_warm = unload.kind == UnloadPolicy::Kind::KeepWarm;
        feature.left_us = setup.runtime.clock().now_us();
        feature.left_order = ++next_claim;
    }
    mark_busy(feature);
    if (serial != 0) answer_waiting(feature, serial);
}

// Somebody asks anew: what went wrong before is forgotten.
void FeatureTable::begin_wish(Feature& feature) {
    if (!feature.machine.is_at_rest()) return;
    feature.error.reset();
    feature.best_progress = 0;
    if (std::exchange(feature.is_refused, false)) mark_busy(feature);
}

// The process wants less of it.
void FeatureTable::lower(Feature& feature, Destination level, GoalRange goal, Dependents dependents,
                         FeatureCallback callback) {
    begin_wish(feature);
    if (goal.contains(feature.machine.state()) && feature.machine.is_at_rest()) {
        lower_claims(feature, level);
        if (callback) callback({feature.id, {}});
        return;
    }
    const FeatureWalk walk(*this, feature);
    std::vector<Feature*> above{&feature};
    std::vector<Holder> held;
    for (std::size_t i = 0; i < above.size(); ++i)
        for (const OwnerEntry& entry : above[i]->owners) {
            if (entry.held_level() <= level) continue;
            Feature* dependent = find(entry.owner.name, entry.owner.serial);
            if (entry.owner.kind == OwnerKind::Feature && dependent != nullptr && dependents == Dependents::TakeDown) {
                if (walk.is_first(*dependent)) above.push_back(dependent);
            } else {
                held.push_back(holder_of(entry));
            }
        }
    if (!held.empty()) {
        FeatureError why = feature.make_error(ErrorCode::HeldBy, fmt::format("it is needed by {}", joined(held)));
        why.set_holders(std::move(held));
        feature.error = why;
        if (callback) callback({feature.id, std::move(why)});
        return;
    }
    if (feature.lowerings.size() >= kMaxLowerings) {
        if (callback)
            callback({feature.id, feature.make_error(ErrorCode::GoalRefused,
                                                     fmt::format("{} wait for it to go down already", kMaxLowerings))});
        return;
    }
    for (Feature* one : above) {
        lower_claims(*one, level);
        one->is_warm = false;
        mark_busy(*one);
    }
    feature.lowerings.push_back({goal, std::move(callback)});
    ++lowerings_;
    if (above.size() == 1) lower_waiting(feature);
}

void FeatureTable::lower_claims(Feature& feature, Destination level) {
    OwnerEntry* process = feature.find_owner(Owner::process());
    if (process == nullptr) return;
    for (Claim& claim : process->claims)
        if (claim.serial == 0) claim.level = std::min(claim.level, level);
    if (level <= Destination::Installed) unwant(feature, Owner::process(), 0);
}

void FeatureTable::lower_waiting(Feature& feature) {
    if (feature.lowerings.empty()) return;
    std::vector<Feature::Lowering> due;
    Destination needed = Destination::Terminal;
    for (const OwnerEntry& entry : feature.owners) needed = std::max(needed, entry.held_level());
    std::erase_if(feature.lowerings, [&](Feature::Lowering& one) {
        if (needed > one.goal.max) return false;
        due.push_back(std::move(one));
        return true;
    });
    lowerings_ -= due.size();
    for (Feature::Lowering& one : due) request(feature, one.goal, std::move(one.callback));
}

void FeatureTable::raise(Name id, Destination level, GoalRange goal, FeatureCallback callback) {
    const Entry entry(*this);
    Feature* feature = find(id);
    if (feature == nullptr) {
        if (callback) callback({id, unknown_error(id)});
        return;
    }
    Destination before = Destination::Terminal;  // what the process wanted already it still wants
    if (const OwnerEntry* process = feature->find_owner(Owner::process()))
        for (const Claim& claim : process->claims)
            if (claim.serial == 0) before = claim.level;
    want(*feature, Owner::process(), {0, std::max(level, before), {}}, goal, std::move(callback));
}

void FeatureTable::lower(Name id, Destination level, GoalRange goal, Dependents dependents, FeatureCallback callback) {
    const Entry entry(*this);
    if (Feature* feature = find(id))
        lower(*feature, level, goal, dependents, std::move(callback));
    else if (callback)
        callback({id, unknown_error(id)});
}

void FeatureTable::change_target(Name id, Destination destination, FeatureCallback callback) {
    const Feature* feature = find(id);
    const FeatureState at = feature != nullptr ? feature->machine.state() : FeatureState::Terminal;
    if (at <= state_of(destination) && destination > Destination::StatusKnown)
        raise(id, destination, GoalRange::exactly(destination), std::move(callback));
    else
        lower(id, destination, GoalRange::exactly(destination), Dependents::Refuse, std::move(callback));
}

void FeatureTable::cancel(Name id, FeatureCallback callback) {
    const Entry entry(*this);
    Feature* feature = find(id);
    if (feature == nullptr) {
        if (callback) callback({id, unknown_error(id)});
        return;
    }
    answer_lowerings(*feature, feature->make_error(ErrorCode::Cancelled, "it was cancelled"));
    mark_busy(*feature);
    const bool is_posted =
        feature->machine.post([feature, callback]() mutable { feature->machine.cancel(std::move(callback)); });
    if (!is_posted && callback)
        callback({id, feature->make_error(ErrorCode::GoalRefused, "too much waits for what it does now")});
}

Plan FeatureTable::plan_without(const Reasons& reasons, std::span<const Wish> wishes, Roles roles) const {
    if (reasons.empty()) return make_plan(catalogue(), wishes, roles);
    Catalogue usable = catalogue();
    for (const auto& [id, why] : reasons) usable.remove(id);
    Plan plan = make_plan(usable, wishes, roles);
    for (Degraded& left_out : plan.degraded)
        if (const auto why = reasons.find(left_out.feature); why != reasons.end()) left_out.reason = why->second;
    return plan;
}

// What the policy refuses is left out if it can be; otherwise that is the error.
Plan FeatureTable::plan(std::span<const Wish> wishes, Roles roles) const {
    Plan plan = plan_without({}, wishes, roles);
    Reasons refused;
    for (Name id : plan.order)
        if (Status status = allowed(*find(id)); !status) refused.emplace(id, status.text());
    if (refused.empty()) return plan;
    std::vector<FeatureError> errors;
    for (Name id : plan.order) {
        const auto why = refused.find(id);
        if (why == refused.end() || plan_without({*why}, wishes, roles).is_ok()) continue;
        if (errors.size() < Plan::kMaxErrors)
            errors.push_back(find(id)->make_error(ErrorCode::NotAllowed, why->second));
    }
    plan = plan_without(refused, wishes, roles);
    if (plan.is_ok() && errors.empty()) return plan;
    plan.order.clear();
    if (!errors.empty()) plan.errors = std::move(errors);
    return plan;
}

template <class Call> auto FeatureTable::ask_policy(Call call) const {
    std::string threw = "something that is no exception";
    try {
        return call(policy());
    } catch (const std::exception& error) {
        threw = error.what();
    } catch (...) {
    }
    setup.runtime.log().report(LogLevel::Error, Name("feature.policy"), "", fmt::format("the policy threw: {}", threw));
    return call(static_cast<const FeaturePolicy&>(default_policy_));
}

std::vector<Name> FeatureTable::policy_bundles(Roles roles) const {
    return ask_policy([&](const FeaturePolicy& asked) { return asked.bundles(roles); });
}

std::vector<assets::PrimaryAssetId> FeatureTable::policy_preload(const Manifest& feature) const {
    return ask_policy([&](const FeaturePolicy& asked) { return asked.preload(feature); });
}

UnloadPolicy FeatureTable::policy_unload() const {
    return ask_policy([&](const FeaturePolicy& asked) { return asked.unload(); });
}

InstancesPolicy FeatureTable::policy_instances(const Manifest& feature) const {
    return ask_policy([&](const FeaturePolicy& asked) { return asked.instances(feature); });
}

Status FeatureTable::allowed(const Feature& feature) const {
    try {
        return policy().allow(feature.file.manifest);
    } catch (const std::exception& error) {
        return Status::failed("the policy threw: {}", error.what());
    } catch (...) {
        return Status::failed("the policy threw");
    }
}

FeatureTable::Decision FeatureTable::decide(const std::vector<const Feature*>& wanted, const Owner& owner,
                                            Destination level, const Supposed& supposed) const {
    const Feature& feature = *wanted.front();
    const auto is_to_move = [&](const Feature& one) {
        return supposed.going != nullptr || one.machine.state() < state_of(level);
    };
    const bool joins = level == Destination::Active;
    if (!joins && std::none_of(wanted.begin(), wanted.end(), [&](const Feature* one) { return is_to_move(*one); }))
        return {};
    const auto refuse = [](FeatureError why) { return Decision{{}, std::move(why)}; };
    const World* world = owner.kind == OwnerKind::World ? find_world(owner) : nullptr;
    Roles roles = world != nullptr ? Roles::of(world->net_mode()) : Roles();
    std::vector<Wish> wishes;
    for (const Feature* one : wanted) {
        roles = roles | one->roles();
        wishes.push_back({one->id, {}, owner.kind == OwnerKind::Process ? "" : owner.to_string()});
    }
    Reasons reasons;
    Plan plan = plan_without(reasons, wishes, roles);
    if (!plan.is_ok()) {
        plan.errors.front().state = feature.machine.state();
        return refuse(std::move(plan.errors.front()));
    }
    if (plan.order.size() > kMaxPlan)
        return refuse(feature.make_error(
            ErrorCode::GoalRefused,
            fmt::format("it needs {} features, and {} may come up at once", plan.order.size(), kMaxPlan)));
    const auto is_wanted = [&](Name id) {
        return std::any_of(wanted.begin(), wanted.end(), [&](const Feature* one) { return one->id == id; });
    };
    // Each round takes out at least one.
    for (std::size_t before = SIZE_MAX; before != reasons.size();) {
        before = reasons.size();
        std::optional<FeatureError> refused;
        for (Name id : plan.order) {
            const Feature* one = find(id);
            const Status status = one != nullptr && is_to_move(*one) ? allowed(*one) : Status::ok();
            if (status) continue;
            if (!refused || is_wanted(id)) refused = one->make_error(ErrorCode::NotAllowed, status.text());
            reasons.emplace(id, status.text());
        }
        if (refused && is_wanted(refused->feature)) return refuse(std::move(*refused));
        if (!refused) break;
        plan = plan_without(reasons, wishes, roles);
        if (plan.is_ok()) continue;
        FeatureError outer = feature.make_error(ErrorCode::DependencyFailed,
                                                fmt::format("its dependency {} is not allowed", refused->feature));
        outer.inner = std::make_shared<const FeatureError>(std::move(*refused));
        return refuse(std::move(outer));
    }
    while (const auto conflict = joins ? find_conflict(owner, plan.order, supposed) : std::nullopt) {
        Plan other;
        for (Name id : {conflict->first, conflict->second}) {
            if (std::find(plan.order.begin(), plan.order.end(), id) == plan.order.end()) continue;
            Reasons tried = reasons;
            tried.emplace(id, conflict->text());
            other = plan_without(tried, wishes, roles);
            if (!other.is_ok()) continue;
            reasons = std::move(tried);
            break;
        }
        if (other.order.empty()) {  // neither can be left out
            FeatureError why = conflict->to_error(feature.id);
            why.state = feature.machine.state();
            return refuse(std::move(why));
        }
        plan = std::move(other);
    }
    return {std::move(plan), {}};
}

template <class Call>
void FeatureTable::each_present(const Owner& owner, const Supposed& supposed, Call call) const {
    for (const std::uint32_t serial : wanting(owner)) {
        const auto& worlds = setup.runtime.worlds();
        const auto world =
            std::find_if(worlds.begin(), worlds.end(), [&](const World* one) { return one->owner().serial == serial; });
        const bool is_there = serial != 0 && world != worlds.end();
        if (serial != 0 && !is_there) continue;
        if (call(present_in(is_there ? *world : nullptr, owner, supposed), Scope::World)) return;
    }
    call(present_in(nullptr, owner, supposed), Scope::Process);
}

// Two that exclude each other may not be active for one world or, if they say so, in one process.
std::optional<Incompatibility> FeatureTable::find_conflict(const Owner& owner, const std::vector<Name>& coming,
                                                           const Supposed& supposed) const {
    const Catalogue& all = catalogue();
    if (!all.has_incompatible()) return std::nullopt;
    const auto is_new = [&](Name id) { return std::find(coming.begin(), coming.end(), id) != coming.end(); };
    std::optional<Incompatibility> found;
    each_present(owner, supposed, [&](std::vector<Name> present, Scope scope) {
        present.insert(present.end(), coming.begin(), coming.end());
        for (Incompatibility& pair : find_incompatible(all, present, Roles::all(), scope))
            if (!found && (is_new(pair.first) || is_new(pair.second))) found = std::move(pair);
        return found.has_value();
    });
    return found;
}

std::map<Name, Incompatibility> FeatureTable::find_conflicts(const Owner& owner,
                                                             const std::vector<Name>& planned) const {
    const Catalogue& all = catalogue();
    std::map<Name, Incompatibility> found;
    if (!all.has_incompatible()) return found;
    const std::unordered_set<Name> theirs(planned.begin(), planned.end());
    each_present(owner, {.planned = &theirs}, [&](std::vector<Name> present, Scope scope) {
        const std::unordered_set<Name> there(present.begin(), present.end());
        present.insert(present.end(), planned.begin(), planned.end());
        for (const Incompatibility& pair : find_incompatible(all, present, Roles::all(), scope)) {
            if (there.count(pair.second) != 0) found.emplace(pair.first, pair);
            if (there.count(pair.first) != 0) found.emplace(pair.second, pair);
        }
        return false;
    });
    return found;
}

void FeatureTable::set_left_out(std::uint32_t world, Name feature, std::vector<LeftOut> without) {
    std::vector<LeftOut>& known = left_out_[world][feature];
    left_out_count_ += static_cast<std::size_t>(!without.empty()) - static_cast<std::size_t>(!known.empty());
    known = std::move(without);
}

void FeatureTable::carry(const Owner& owner, const Plan& plan, Regained regained, std::vector<Replanned>* undo) {
    for (Name id : plan.order) {
        Feature* feature = find(id);
        if (feature == nullptr) continue;
        const auto& dependencies = feature->file.manifest.dependencies;
        const auto is_optional = [](const Dependency& one) { return one.kind == DependencyKind::Optional; };
        if (std::none_of(dependencies.begin(), dependencies.end(), is_optional)) continue;
        std::vector<LeftOut> without;
        for (const Degraded& one : plan.degraded)
            if (one.wanted_by == id.text()) without.push_back({one.feature, one.reason, true});
        const auto is_regained = [&without](const LeftOut& one) {
            return std::none_of(without.begin(), without.end(),
                                [&](const LeftOut& other) { return other.id == one.id; });
        };
        for (const std::uint32_t serial : wanting(owner)) {
            std::optional<std::vector<LeftOut>> before;
            if (const auto there = left_out_.find(serial); there != left_out_.end())
                if (const auto known = there->second.find(id); known != there->second.end()) before = known->second;
            std::vector<LeftOut> after = without;
            for (const LeftOut& one : before.value_or(std::vector<LeftOut>())) {
                if (!is_regained(one)) continue;
                if (regained == Regained::StaysOut)
                    after.push_back(one);
                else if (Feature* other = find(one.id))  // held for another world, it joins this one too
                    mark_busy(*other);
            }
            if (undo != nullptr) undo->push_back({serial, id, std::move(before), after});
            set_left_out(serial, id, std::move(after));
        }
        for (const LeftOut& one : without) {  // one that it has it has no more: everywhere, or there
            const DependencyHold* hold = feature->find_hold(one.id);
            if (hold == nullptr) continue;
            if (Feature* other = find(one.id)) mark_busy(*other);
            if (!feature->is_without(one.id, 0)) continue;
            feature->let_go(one.id, one);
            feature->machine.wake();  // it may be what it waits for
            mark_busy(*feature);
        }
        if (regained == Regained::StaysOut) continue;
        const auto comes = [&](const LeftOut& one) { return one.is_planned && is_regained(one); };
        if (std::erase_if(feature->degraded, comes) != 0) open_optional(*feature);
    }
}

void FeatureTable::open_optional(Feature& feature) {
    feature.is_optional_open = true;
    feature.machine.wake();
    mark_busy(feature);
}

// Unless somebody else has said something since, or the world has gone.
void FeatureTable::take_back_plans(const std::vector<Replanned>& replanned) {
    for (auto one = replanned.rbegin(); one != replanned.rend(); ++one) {
        const auto there = left_out_.find(one->world);
        if (there == left_out_.end()) continue;
        const auto known = there->second.find(one->feature);
        if (known == there->second.end() || known->second != one->after) continue;
        set_left_out(one->world, one->feature, one->before.value_or(std::vector<LeftOut>()));
        if (!one->before) there->second.erase(one->feature);
        if (Feature* feature = find(one->feature)) open_optional(*feature);
    }
    std::erase_if(left_out_, [](const auto& planned) { return planned.second.empty(); });
}

// Who wants them has changed, and with that whether anybody has room for what some worlds leave out.
void FeatureTable::look_at_left_out() {
    for (const auto& [world, planned] : left_out_)
        for (const auto& [id, without] : planned)
            if (Feature* feature = without.empty() ? nullptr : find(id)) open_optional(*feature);
}

// What it wants, with all that this may need, also what is not held yet, and with what its features acquired.
std::unordered_set<Name> FeatureTable::needed_by(std::uint32_t world) const {
    std::vector<const Feature*> open;
    std::unordered_set<Name> needed;
    std::unordered_map<Name, std::vector<const Feature*>> held_by;
    const auto is_theirs = [&](const OwnerEntry& entry) {
        if (entry.owner.kind == OwnerKind::World) return entry.owner.serial == world;
        return world == 0 && entry.owner.kind != OwnerKind::Feature;
    };
    const auto add = [&](const Feature& feature) {
        if (needed.insert(feature.id).second) open.push_back(&feature);
    };
    for (const auto& [id, feature] : features) {
        if (std::any_of(feature->owners.begin(), feature->owners.end(), is_theirs)) add(*feature);
        for (const OwnerEntry& entry : feature->owners)
            if (entry.owner.kind == OwnerKind::Feature) held_by[entry.owner.name].push_back(feature.get());
    }
    for (std::size_t i = 0; i < open.size(); ++i) {
        for (const Dependency& one : open[i]->file.manifest.dependencies)
            if (const Feature* other = find(one.id); other != nullptr && one.kind != DependencyKind::Incompatible)
                add(*other);
        if (const auto held = held_by.find(open[i]->id); held != held_by.end())
            for (const Feature* other : held->second) add(*other);
    }
    return needed;
}

// What stayed out by it is looked at again: somebody else's word counts there now.
template <class Over> void FeatureTable::forget_left_out(std::uint32_t world, Over is_over) {
    const auto there = left_out_.find(world);
    if (there == left_out_.end()) return;
    std::erase_if(there->second, [&](const auto& planned) {
        if (!is_over(planned.first)) return false;
        if (!planned.second.empty()) --left_out_count_;
        if (Feature* feature = find(planned.first)) open_optional(*feature);
        for (const LeftOut& one : planned.second)
            if (Feature* other = find(one.id)) mark_busy(*other);
        return true;
    });
    if (there->second.empty()) left_out_.erase(there);
}

const std::string* FeatureTable::left_out(Name dependent, Name dependency, std::uint32_t world) const {
    for (const std::uint32_t serial : {world, 0u}) {
        const auto there = left_out_.find(serial);
        if (there == left_out_.end()) continue;
        const auto planned = there->second.find(dependent);
        if (planned == there->second.end()) continue;
        for (const LeftOut& one : planned->second)
            if (one.id == dependency) return &one.reason;
        return nullptr;
    }
    return nullptr;
}

void FeatureTable::trim() {
    const Entry entry(*this);
    for (const auto& [id, feature] : features)
        if (!feature->is_owned() && std::exchange(feature->is_warm, false)) mark_busy(*feature);
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
    for (tell_ranks(); !busy_.empty(); tell_ranks()) {
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
    if (feature.is_folder_gone && feature.machine.is_at_rest() && feature.machine.state() <= FeatureState::Installed &&
        feature.machine.state() != FeatureState::Terminal)
        request(feature, GoalRange::exactly(Destination::Terminal), {});
}

// Nobody needs it as high as it is: it goes down. Where it was refused it waits for what holds it.
void FeatureTable::relax(Feature& feature) {
    if (!feature.was_owned || feature.is_refused || feature.machine.is_inside_step()) return;
    const Destination level = feature.needed_level();
    if (feature.cap != Destination::Active)  // dependents go down first
        for (const Feature* dependent : dependents_of(feature))
            if (feature.find_owner(dependent->owner)->level() > level) return;
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
            if (feature->is_moving_in_worlds()) feature->machine.wake();
            feature->machine.update();
            if (feature->is_refused || !feature->machine.is_at_rest() || feature->is_moving_in_worlds() ||
                feature->is_warm || !feature->unswept.empty())
                mark_moving(*feature);
            if (!feature->machine.is_at_rest() || feature->is_moving_in_worlds()) mark_busy(*feature);
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

// Code of what goes runs in here: it may have more of it close later, and each stands in the list until it is over.
void FeatureTable::close_what_can_be() {
    const std::int64_t now = setup.runtime.clock().now_us();
    for (std::size_t i = 0; i < closing_.size();) {
        const Owner owner = closing_[i].owner;
        closing_[i].is_tried = !closing_[i].has_leftovers || closing_[i].retry.is_due(now);
        if (closing_[i].has_leftovers && closing_[i].is_tried) {
            closing_[i].retry.note(now);
            LedgerQuery query{services(), owner};
            query.without_roots = true;
            ++calling_;
            destroy_instances_of(setup.runtime, owner);
            Ledger::remove_declared(services(), owner);
            --calling_;
            closing_[i].has_leftovers = !Ledger::list(query).empty();
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
        const FeatureError gone =
            feature->make_error(ErrorCode::WorldGone, fmt::format("{} has ended", world.owner().to_string()));
        answer_world(*feature, world, &gone);
        while (OwnerEntry* entry = feature->find_owner(world.owner())) {
            feature->report(LogLevel::Error, "feature.world_left",
                            fmt::format("{} has ended and still owns it ({}): release features before",
                                        world.owner().to_string(), to_string(entry->level())));
            unwant(*feature, world.owner(), entry->claims.back().serial);
        }
    }
    forget_left_out(world.owner().serial, [](Name) { return true; });
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
    std::vector<Name> ids;
    for (const auto& [id, feature] : features) ids.push_back(id);
    for (Name id : ids)
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
        if (event.world != nullptr && !lives(event.world, world)) break;  // one before it has ended the world
        auto seen = observers_.begin() + static_cast<std::ptrdiff_t>(place);  // places stay while somebody is told
        if (seen->observer != observer)  // that handle was dropped by one before it; there may be another
            seen = std::find_if(observers_.begin(), observers_.end(),
                                [&](const Seen& other) { return other.observer == observer; });
        if (seen == observers_.end()) continue;
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
    if (!is_known && replayed == Replay::CurrentAndFuture) replay(observer);
    observers_.push_back({&observer, Owner::current(), next_registration()});
    return observers_.back().registered;
}

bool FeatureTable::has_observer(std::uint64_t number) const {
    return std::any_of(observers_.begin(), observers_.end(),
                       [&](const Seen& seen) { return seen.registered == number && seen.observer != nullptr; });
}

// The way up of all that are up, dependencies first. What it is told of may end in its own calls.
void FeatureTable::replay(FeatureObserver& observer) {
    std::vector<std::pair<Name, std::uint32_t>> all;
    for (const Feature* feature : highest_first()) all.emplace_back(feature->id, feature->serial);
    using What = FeatureEvent::What;
    for (auto one = all.rbegin(); one != all.rend(); ++one) {
        const auto [id, serial] = *one;
        const auto say = [&, me = id, mine = serial](What what, FeatureState from, World* world = nullptr) {
            const Feature* feature = find(me, mine);
            if (feature == nullptr || feature->machine.state() < from) return;
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
        for (const auto& [world, world_serial] : worlds)
            if (lives(world, world_serial)) say(What::WorldAttached, FeatureState::Active, world);
        say(What::Activated, FeatureState::Active);
    }
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
    for (Feature* feature : all) {
        feature->machine.abandon();
        const FeatureError gone = feature->make_error(ErrorCode::Abandoned, "nobody is left to see to it");
        answer_lowerings(*feature, gone);
        for (const auto& waiter : std::exchange(feature->world_waiters, {}))
            if (waiter.callback) waiter.callback({feature->id, gone});
        for (const auto& waiter : std::exchange(feature->reload_waiters, {}))
            if (waiter.callback) waiter.callback({feature->id, gone});
    }
    for (const auto& reload : std::exchange(reloads_, {})) {
        FeatureError gone = unknown_error(reload->feature);
        gone.code = ErrorCode::Abandoned;
        gone.text = "nobody is left to see to it";
        if (reload->callback) reload->callback({reload->feature, gone});
    }
    by_id_.clear();
    by_folder_.clear();
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
