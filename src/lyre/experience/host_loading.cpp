// Loading: the definition, its sets, the plan, and what the plan needs of assets.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "lyre/core/content_codes.h"
#include "lyre/core/suggest.h"
#include "lyre/experience/detail/host_walk.h"
#include "lyre/features/action_reading.h"

namespace lyre::experience::detail {

Request HostWalk::ask(std::string kind, assets::PrimaryAssetId id, FaultStage stage, assets::LoadHandle handle) {
    Request request;
    request.kind = std::move(kind);
    request.id = id;
    request.handle = std::move(handle);
    request.fault = table_->ask(world(), stage, id.to_string());
    request.since_us = now_us();
    request.order = ++requests_;
    const SpanKind span = stage == FaultStage::Definition ? SpanKind::Definition
                          : stage == FaultStage::Bundle   ? SpanKind::Bundle
                                                          : SpanKind::Asset;
    request.span = timeline_.begin(span, request.id.to_string(), generation_, stage_span_);
    return request;
}

// True: it is there. If it cannot be, that is added.
bool HostWalk::is_complete(Request& request, std::vector<FailedRequest>& all_failed) {
    if (request.is_done) return true;
    const auto failed = [&](CauseCode code, std::string text) {
        Cause cause = make_cause(code, std::move(text));
        cause.asset = request.id;
        all_failed.push_back({request.order, std::move(cause)});
        return false;
    };
    const CauseCode code = request.kind == "definition" || request.kind == "action set" ? CauseCode::DefinitionFailed
                                                                                        : CauseCode::AssetFailed;
    if (request.fault.effect == FaultEffect::Fail)
        return failed(code, fmt::format("{}: {}", request.id, request.fault.reason()));
    if (request.fault.effect == FaultEffect::Never) return false;
    switch (request.handle.state()) {
        case assets::LoadState::Failed:
            return failed(code, request.handle.status().text());
        case assets::LoadState::Cancelled:
            return failed(CauseCode::AssetLoadCancelled,
                          fmt::format("the load of {} was cancelled by somebody else", request.id));
        case assets::LoadState::Complete:
            break;
        default:
            return false;
    }
    if (request.fault.effect == FaultEffect::Delay &&
        static_cast<double>(now_us() - request.since_us) < request.fault.seconds * 1e6)
        return false;
    if (request.fault.effect == FaultEffect::Twice) ++counters_.second_answers;
    request.is_done = true;
    timeline_.end(request.span);
    return true;
}

// True: all are there. One that is to come later than it would waits for so many others, as long as there are any.
bool HostWalk::complete(const std::vector<Request*>& requests, std::vector<FailedRequest>& failed) {
    std::size_t open = 0, late = 0;
    const auto waits_for_others = [&](const Request& one) {
        if (one.fault.effect != FaultEffect::Reorder) return false;
        const auto passed = std::count_if(requests.begin(), requests.end(), [&](const Request* other) {
            return other->is_done && other->order > one.order;
        });
        return passed < one.fault.count;
    };
    for (Request* request : requests) {
        if (request->is_done) continue;
        if (waits_for_others(*request))
            ++late;
        else if (!is_complete(*request, failed))
            ++open;
    }
    if (failed.empty() && open == 0 && late > 0)
        for (Request* request : requests)
            if (!is_complete(*request, failed)) ++open;
    return open == 0;
}

// All of a stage.
bool HostWalk::complete_all(std::vector<Request*> requests) {
    std::vector<FailedRequest> failed;
    const bool is_all = complete(requests, failed);
    if (failed.empty()) return is_all;
    std::vector<Cause> causes;
    for (FailedRequest& one : failed) causes.push_back(std::move(one.cause));
    fail(std::move(causes));
    return false;
}

bool HostWalk::step_loading() {
    const std::uint64_t serial = serial_;
    if (!definition_) {
        const OwnerScope as(world().owner());
        const assets::PrimaryAssetId ids[] = {goal_.experience};
        definition_ = ask("definition", goal_.experience, FaultStage::Definition,
                          table_->setup.assets.load_assets(ids, lyre::Priority::High));
    }
    if (complete_all({&*definition_}) && is_read_anew() && !ask_sets()) return true;
    if (serial != serial_ || read_ == nullptr) return serial != serial_;
    std::vector<Request*> sets;
    for (Request& set : sets_) sets.push_back(&set);
    if (!complete_all(std::move(sets))) return serial != serial_;
    if (!wanted_ && !make_wanted()) return true;
    if (goal_.reload) return make_room(), true;  // all goes before anything is asked for
    if (!has_asked_bundles_ && !ask_bundles()) return true;
    if (serial != serial_) return true;
    if (!complete_bundles()) return serial != serial_;
    make_room();
    return true;
}

bool HostWalk::complete_bundles() {
    while (true) {
        std::vector<Request*> requests;  // also those that are done: others may wait for them to be
        bool is_any_open = false;
        for (TakenBundle& bundle : taken_bundles_) {
            if (!wanted_->has(bundle)) continue;
            requests.push_back(&bundle.request);
            is_any_open |= !bundle.request.is_done;
        }
        if (!is_any_open) return true;
        std::vector<FailedRequest> failed;
        const bool is_all = complete(requests, failed);
        if (failed.empty()) return is_all;
        if (!leave_out_or_fail(std::move(failed))) return false;
    }
}

// What an optional action needs and cannot have leaves the action out. False: it has failed.
bool HostWalk::leave_out_or_fail(std::vector<FailedRequest> failed) {
    std::vector<Cause> causes;
    for (FailedRequest& one : failed) {
        const auto bundle = std::find_if(taken_bundles_.begin(), taken_bundles_.end(),
                                         [&](const TakenBundle& other) { return other.request.order == one.order; });
        if (bundle == taken_bundles_.end()) continue;  // its action is left out already
        const auto action = std::find_if(wanted_->actions.begin(), wanted_->actions.end(), [&](const auto& wanted) {
            return wanted.planned->is_optional && wanted.planned->kind == bundle->by_kind &&
                   wanted.planned->hash == bundle->by_hash;
        });
        if (action != wanted_->actions.end())
            leave_out(*action, std::move(one.cause.text));
        else
            causes.push_back(std::move(one.cause));
    }
    if (causes.empty()) return true;
    fail(std::move(causes));
    return false;
}

// A file that changes counts until there is a plan, and with the next load.
bool HostWalk::is_read_anew() const {
    return !wanted_ &&
           (read_ == nullptr || read_.get() != table_->setup.assets.find<ExperienceDefinition>(goal_.experience));
}

// False: it has failed.
bool HostWalk::ask_sets() {
    read_ = table_->setup.assets.find_shared<ExperienceDefinition>(goal_.experience);
    if (read_ == nullptr) {
        fail(make_cause(CauseCode::DefinitionFailed, fmt::format("{} is not what it should be", goal_.experience)));
        return false;
    }
    const ExperienceDefinition* definition = read_.get();
    const std::vector<Request> before = std::exchange(sets_, {});  // what both name stays
    policy_ = goal_.failure.value_or(definition->failure);
    limits_ = definition->limits;
    unload_ = definition->unload.to_policy();
    const OwnerScope as(world().owner());
    std::vector<assets::PrimaryAssetId> ids = sets_of(*definition);
    for (assets::PrimaryAssetId overlay : goal_.overlays)
        if (overlay.type.text() == kActionSetType && std::find(ids.begin(), ids.end(), overlay) == ids.end())
            ids.push_back(overlay);
    // Part of what both sides must agree on.
    const assets::AssetRegistry& registry = table_->setup.assets.registry();
    if (const assets::PrimaryAssetId pawn = definition->pawn;
        !pawn.is_none() && registry.find(pawn) != nullptr && !feature_of(registry, pawn))
        sets_.push_back(
            ask("asset", pawn, FaultStage::Asset, table_->setup.assets.load_assets({&pawn, 1}, lyre::Priority::High)));
    for (assets::PrimaryAssetId id : ids)
        sets_.push_back(ask("action set", id, FaultStage::Definition,
                            table_->setup.assets.load_assets({&id, 1}, lyre::Priority::High)));
    return true;
}

std::shared_ptr<const ExperiencePlan> HostWalk::plan_for(const PlanSource& source) const {
    features::Features& features = table_->setup.features;
    const features::Catalogue& catalogue = features.catalogue();
    const FeatureSource there{catalogue, [&](Name id) { return features.manifest_hash(id); },
                              [&, why_not = features.why_not_planned(world().owner())](
                                  Name id, const std::vector<Name>& planned) -> std::optional<features::FeatureError> {
                                  if (features.is_attached(id, world())) return std::nullopt;
                                  return why_not(id, planned);
                              }};
    return table_->plans.plan(source, there, features.catalogue_version(), world().net_mode());
}

// The plan, and what it comes down to here. False: it has failed.
bool HostWalk::make_wanted() {
    const auto source = plan_source(table_->setup.assets, goal_.experience, goal_.overlays);
    if (!source) {
        fail(make_cause(CauseCode::DefinitionFailed, source.status().text()));
        return false;
    }
    Wanted wanted;
    wanted.plan = plan_for(*source);
    const ExperiencePlan& plan = *wanted.plan;
    for (const std::string& note : plan.notes) report(LogLevel::Warning, "experience.skipped", note);
    if (!plan.is_ok()) {
        std::vector<Cause> causes;
        for (const Cause& cause : plan.causes) {
            causes.push_back(make_cause(cause.code, cause.text));
            causes.back().feature = cause.feature;
        }
        fail(std::move(causes));
        return false;
    }
    if (!is_server() && goal_.expected_hash != plan.content_hash) {
        fail(
            make_cause(CauseCode::ContentMismatch, fmt::format("the server's content is {:016x}, this client's {:016x}",
                                                               goal_.expected_hash, plan.content_hash)));
        return false;
    }
    for (const features::Degraded& one : plan.degraded) degrade(one.feature, one.wanted_by, one.reason);
    wanted.actions.reserve(plan.actions.size());
    for (const PlannedAction& planned : plan.actions)
        if (!stays(planned)) wanted.actions.push_back({&planned, part_of(*source, planned)});
    std::unordered_map<assets::PrimaryAssetId, std::size_t> with_bundles;  // the bundles of one asset together
    for (const PlannedBundle& planned : plan.bundles) {
        std::size_t at = wanted.bundles.size();
        if (planned.bundle)
            at = with_bundles.emplace(planned.asset, at).first->second;
        else if (!wanted.plain.insert(planned.asset).second)
            continue;
        if (at == wanted.bundles.size()) wanted.bundles.emplace_back().request.id = planned.asset;
        if (planned.bundle) wanted.bundles[at].bundles.push_back(planned.bundle);
    }
    for (const auto& [asset, at] : with_bundles) wanted.bundled.insert(asset);
    wanted_ = std::move(wanted);
    if (is_server()) {
        Choice choice;
        choice.experience = goal_.experience;
        choice.generation = goal_.generation;
        choice.content_hash = wanted_->plan->content_hash;
        choice.overlays = goal_.overlays;
        publish(choice);
    }
    return true;
}

void HostWalk::take_bundle(TakenBundle bundle) {
    const OwnerScope as(world().owner());
    assets::Assets& assets = table_->setup.assets;
    const assets::PrimaryAssetId id = bundle.request.id;
    const bool is_bundle = !bundle.bundles.empty();
    auto handle = is_bundle ? assets.change_bundle_state({&id, 1}, {.add = bundle.bundles}, lyre::Priority::High)
                            : assets.load_assets({&id, 1}, lyre::Priority::High);
    bundle.request =
        ask(is_bundle ? "bundle" : "asset", id, is_bundle ? FaultStage::Bundle : FaultStage::Asset, std::move(handle));
    taken_bundles_.push_back(std::move(bundle));
}

// Nobody knows it yet, or only because somebody else has the feature that it lies in.
bool HostWalk::is_to_come(assets::PrimaryAssetId id) const {
    const assets::AssetRegistry& registry = table_->setup.assets.registry();
    const Name feature = feature_of(registry, id);
    if (!feature) return registry.find(id) == nullptr;
    return std::none_of(taken_features_.begin(), taken_features_.end(),
                        [&](const TakenFeature& one) { return one.id == feature && is_there(one); });
}

// What lies in a feature is asked for when the features are there, and given back before they go.
void HostWalk::ask_wanted(bool may_be_of_feature) {
    std::unordered_set<assets::PrimaryAssetId> bundled, plain;  // that are there
    for (const TakenBundle& one : taken_bundles_)
        if (one.by_kind.empty()) (one.bundles.empty() ? plain : bundled).insert(one.request.id);
    for (const TakenBundle& wanted : wanted_->bundles) {
        if ((wanted.bundles.empty() ? plain : bundled).count(wanted.request.id) != 0) continue;
        if (!may_be_of_feature && is_to_come(wanted.request.id)) continue;
        TakenBundle bundle;
        bundle.request.id = wanted.request.id;
        bundle.bundles = wanted.bundles;
        take_bundle(std::move(bundle));
    }
}

// False: it has failed.
bool HostWalk::ask_bundles() {
    has_asked_bundles_ = true;
    ask_wanted(!has_features_to_bring());
    // Actions of kinds that do not come from a feature say now what they need. One that names what a feature brings is
    // read when all are there.
    if (!decode_actions(false)) return false;
    ask_preload(false);
    return true;
}

// What is there of it. Nothing waits for it, so what is not even when all features are is told, and done without.
void HostWalk::ask_preload(bool may_be_of_feature) {
    if (wanted_->plan->preload.empty()) return extras_.preload.reset();
    const OwnerScope as(world().owner());
    std::vector<assets::PrimaryAssetId> there;
    for (assets::PrimaryAssetId id : wanted_->plan->preload) {
        if (!may_be_of_feature && is_to_come(id)) continue;
        if (const auto info = table_->setup.assets.registry().get(id); info)
            there.push_back(id);
        else
            report(LogLevel::Warning, "experience.preload", fmt::format("not preloaded: {}", info.status().text()));
    }
    extras_.preload = table_->setup.assets.preload(there);
}

// It is taken, and not one that may leave with the feature it comes from.
bool HostWalk::stays(const PlannedAction& planned) const {
    const auto taken = taken_hashes_.find(planned.hash);
    return taken != taken_hashes_.end() && !taken->second && !goal_.reload;
}

bool HostWalk::is_taken(const WantedAction& action) const {
    return taken_hashes_.count(action.planned->hash) != 0;
}

// How mistakes in it are named; all actions of a list come one after the other.
const ReadOptions& HostWalk::options_for(assets::PrimaryAssetId from) {
    if (options_from_ != from || options_.kinds != &table_->kinds()) {
        const assets::AssetInfo* info = table_->setup.assets.registry().find(from);
        options_.file = info != nullptr ? info->entry.path : std::string();
        options_.subject = from.to_string();
        options_.kinds = &table_->kinds();
        options_from_ = from;
    }
    return options_;
}

// Makes the action what it says. False: the cause says why it cannot be; none: not yet. Keys and values of a known kind
// are what they are; names in them may be those of things that a feature brings.
bool HostWalk::decode(WantedAction& action, bool may_be_of_feature, std::vector<Cause>& causes) {
    if (action.use) return true;
    Runtime& runtime = table_->runtime();
    const PlannedAction& planned = *action.planned;
    const auto failed = [&](CauseCode code, std::string text) {
        Cause cause = make_cause(code, std::move(text));
        cause.action = planned.where();
        causes.push_back(std::move(cause));
        return false;
    };
    const Type* type = table_->kinds().find(type_name<features::GameFeatureAction>(), planned.kind);
    if (type == nullptr) {
        if (!may_be_of_feature) return false;
        const auto known = table_->kinds().kinds(type_name<features::GameFeatureAction>());
        return failed(CauseCode::ActionFailed,
                      fmt::format("{}: nobody has registered the kind {}{}", planned.where(), in_quotes(planned.kind),
                                  did_you_mean(nearest(planned.kind, known))));
    }
    if (SharedActions::is_of_feature(*type)) {
        if (!may_be_of_feature) return false;
        if (const Name brings = type->owner.name; !table_->setup.features.is_attached(brings, world()))
            return failed(
                CauseCode::ActionFailed,
                fmt::format("{}: the kind comes from feature {}, which is not active in this world; add it to "
                            "the experience's features",
                            planned.where(), brings));
    }
    const features::Roles roles = features::Roles::of(world().net_mode());
    action.use = table_->actions->find(planned.hash, roles);
    if (action.use) return true;
    SharedAction entry;
    entry.first = planned;
    entry.part = action.part;
    ReadOptions options = options_for(planned.from);
    options.path = fmt::format("action {}", planned.index + 1);
    Reading reading = read_part(entry.part, std::move(options));
    const auto is_wrong = [](const Problem& one) { return one.code != &content_code::kUnknownKind; };
    if (std::any_of(reading.problems.all().begin(), reading.problems.all().end(), is_wrong))
        return failed(CauseCode::DefinitionFailed, reading.problems.to_status().text());
    link_content(reading, {runtime.types(), runtime.tags(), &table_->setup.assets.registry()});
    if (reading.problems.is_empty() && entry.part.get() != nullptr) {
        features::ActionCheck check(runtime, table_->setup.features.services().code, action.part.written(),
                                    reading.options, reading.problems);
        features::validate(*entry.part.get(), check);
    }
    if (!reading.problems.is_empty() && !may_be_of_feature) return false;
    if (!reading.problems.is_empty()) return failed(CauseCode::DefinitionFailed, reading.problems.to_status().text());
    static_cast<features::GameFeatureAction*>(entry.part.object())->need = features::ActionNeed::Required;
    action.use = table_->actions->add(std::move(entry), roles);
    return true;
}

// What it adds to bundles, for this role. `has_some`: a walk before this one has asked for some of it. `may_wait`: if
// some of it lies in a feature that is still to come, all of it is asked for when the features are there.
void HostWalk::ask_for_action(WantedAction& action, bool has_some, bool may_wait, std::vector<Cause>& causes) {
    assets::BundleTable table;
    if (const Status status = features::add_bundle_data(*action.use->part.get(), table); !status) {
        Cause cause =
            make_cause(CauseCode::ActionFailed, fmt::format("{}: {}", action.planned->where(), status.text()));
        cause.action = action.planned->where();
        causes.push_back(std::move(cause));
        return;
    }
    std::vector<assets::PrimaryAssetId> all;
    for (Name name : bundles_for(world().net_mode()))
        for (const assets::BundleEntry& entry : table.entries(name))
            if (!entry.class_name) all.push_back(entry.asset);  // a class is there with its type
    if (may_wait && std::any_of(all.begin(), all.end(), [&](const auto& id) { return is_to_come(id); })) return;
    action.has_asked = true;
    std::unordered_set<assets::PrimaryAssetId> asked;
    if (has_some)
        for (const TakenBundle& one : taken_bundles_)
            if (one.by_hash == action.planned->hash && one.by_kind == action.planned->kind)
                asked.insert(one.request.id);
    for (assets::PrimaryAssetId id : all) {
        if (!asked.insert(id).second) continue;
        TakenBundle bundle;
        bundle.request.id = id;
        bundle.by_kind = action.planned->kind;
        bundle.by_hash = action.planned->hash;
        take_bundle(std::move(bundle));
    }
}

bool HostWalk::has_taken_anything() const {
    return !taken_actions_.empty() || !taken_features_.empty() || !taken_bundles_.empty() || !leaving_uses_.empty();
}

bool HostWalk::has_surplus() const {
    if (!leaving_uses_.empty()) return true;
    const auto is_surplus = [this](const auto& one) { return !keeps(one); };  // newest first: likeliest to go
    return std::any_of(taken_features_.rbegin(), taken_features_.rend(), is_surplus) ||
           std::any_of(taken_actions_.rbegin(), taken_actions_.rend(), is_surplus) ||
           std::any_of(taken_bundles_.rbegin(), taken_bundles_.rend(), is_surplus);
}

// What the goal does not name goes before what it adds comes.
void HostWalk::make_room() {
    purpose_ = Purpose::Switch;
    const std::uint64_t serial = serial_;
    if (!taken_features_.empty()) {  // what they are to do without goes with what is left
        const auto plan = wanted_->plan;
        table_->setup.features.leave_out(world().owner(), plan->feature_ids(), plan->degraded);
        if (!goes_on(serial)) return;
    }
    if (!has_surplus()) return bring();
    leave_report_.clear();
    enter(LoadState::Deactivating);
}

}  // namespace lyre::experience::detail
