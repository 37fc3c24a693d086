#include "lyre/features/feature_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lyre/features/detail/feature_table.h"

namespace lyre::features {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const ValueType& type, const void* value);

Json json_of(const Type& type, const void* object) {
    Json made = Json::object();
    for (const PropertyInfo& property : type.properties)
        made[std::string(property.name.text())] = json_of(*property.type, property.in(object));
    return made;
}

Json json_of(const ValueType& type, const void* value) {
    switch (type.kind) {
        case ValueKind::Record:
            return json_of(type.record(), value);
        case ValueKind::List: {
            Json made = Json::array();
            for (std::size_t i = 0; i < type.count(value); ++i)
                made.push_back(json_of(*type.element, type.at(const_cast<void*>(value), i)));
            return made;
        }
        case ValueKind::Bool:
        case ValueKind::Integer:
        case ValueKind::Float:
            return Json::parse(type.print(value), nullptr, false);
        case ValueKind::Text:
            return *static_cast<const std::string*>(value);
        default:
            return type.print(value);
    }
}

std::string dump(const Json& json) {
    return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

std::string goal_text(const StateMachine& machine) {
    if (machine.is_at_rest()) return {};
    const GoalRange goal = machine.goal();
    if (goal.min == goal.max) return std::string(to_string(goal.min));
    if (goal == GoalRange::at_least(goal.min)) return fmt::format("at least {}", to_string(goal.min));
    if (goal == GoalRange::at_most(goal.max)) return fmt::format("at most {}", to_string(goal.max));
    return fmt::format("{} to {}", to_string(goal.min), to_string(goal.max));
}

// How far up a state is, of 1. Opening code and loading are most of the way.
float height(FeatureState state) {
    if (state < FeatureState::Installed) return 0;
    if (state < FeatureState::Registering) return 0.05f;
    if (state < FeatureState::Registered) return 0.1f;
    if (state < FeatureState::Loading) return 0.3f;
    if (state < FeatureState::Loaded) return 0.35f;
    if (state < FeatureState::Activating) return 0.9f;
    return state == FeatureState::Active ? 1.0f : 0.95f;
}

}  // namespace

void DependencyReport::describe(TypeBuilder<DependencyReport>& t) {
    t.property("id", &DependencyReport::id);
    t.property("kind", &DependencyReport::kind);
    t.property("versions", &DependencyReport::versions);
    t.property("found", &DependencyReport::found);
    t.property("state", &DependencyReport::state);
    t.property("trouble", &DependencyReport::trouble);
}

void OwnerReport::describe(TypeBuilder<OwnerReport>& t) {
    t.property("owner", &OwnerReport::owner);
    t.property("level", &OwnerReport::level);
    t.property("seconds", &OwnerReport::seconds).help("since when");
}

void WorldReport::describe(TypeBuilder<WorldReport>& t) {
    t.property("world", &WorldReport::world);
    t.property("phase", &WorldReport::phase).help("joining, joined, leaving, failed");
    t.property("seconds", &WorldReport::seconds).help("since when");
    t.property("waits_for", &WorldReport::waits_for);
    t.property("error", &WorldReport::error);
}

std::string WorldReport::to_string() const {
    if (phase == "joined") return fmt::format("in world {}", world);
    if (phase == "failed") return fmt::format("failed in world {}: {}", world, error);
    return fmt::format("{} world {} since {:.1f} s{}{}", phase == "joining" ? "joins" : "leaves", world, seconds,
                       waits_for.empty() ? "" : ", waits for ", waits_for);
}

void FeatureReport::describe(TypeBuilder<FeatureReport>& t) {
    t.help("what can be said about a feature");
    t.property("id", &FeatureReport::id);
    t.property("version", &FeatureReport::version);
    t.property("newer", &FeatureReport::newer);
    t.property("title", &FeatureReport::title);
    t.property("folder", &FeatureReport::folder);
    t.property("state", &FeatureReport::state);
    t.property("goal", &FeatureReport::goal);
    t.property("waits_for", &FeatureReport::waits_for);
    t.property("progress", &FeatureReport::progress);
    t.property("error", &FeatureReport::error);
    t.property("module", &FeatureReport::module);
    t.property("resident", &FeatureReport::is_resident);
    t.property("owners", &FeatureReport::owners);
    t.property("dependencies", &FeatureReport::dependencies);
    t.property("worlds", &FeatureReport::worlds);
    t.property("left_out", &FeatureReport::left_out).help("optional actions, and why");
    t.property("holders", &FeatureReport::holders);
    t.property("ledger", &FeatureReport::ledger);
}

std::string to_json(const Type& type, const void* object) {
    return dump(json_of(type, object));
}

LedgerQuery Feature::ledger_query(const World* only_world) const {
    LedgerQuery query{table.services(), owner};
    if (process_run != nullptr) query.runs.push_back(process_run.get());
    for (const auto& attachment : attachments)
        if (attachment->run != nullptr) query.runs.push_back(attachment->run.get());
    query.only_world = only_world;
    return query;
}

std::vector<LedgerEntry> Features::ledger(Name id) const {
    const Feature* feature = table_->find(id);
    if (feature == nullptr) return {};
    auto entries = Ledger::list(feature->ledger_query());
    for (LedgerEntry& entry : table_->observers_of(feature->owner)) entries.push_back(std::move(entry));
    std::stable_sort(entries.begin(), entries.end(),
                     [](const LedgerEntry& a, const LedgerEntry& b) { return a.number < b.number; });
    return entries;
}

std::string Features::ledger_json(Name id) const {
    Json made = Json::array();
    for (const LedgerEntry& entry : ledger(id)) made.push_back(json_of(type_of_record<LedgerEntry>(), &entry));
    return dump(made);
}

FeatureReport Features::report(Name id) const {
    FeatureReport made;
    const Feature* feature = table_->find(id);
    made.id = std::string(id.text());
    if (feature == nullptr) {
        made.error = table_->unknown_error(id).to_string();
        return made;
    }
    const Manifest& manifest = feature->file.manifest;
    made.version = manifest.version.to_string();
    if (feature->newer) made.newer = feature->newer->manifest.version.to_string();
    made.title = manifest.title;
    made.folder = feature->folder;
    made.state = std::string(to_string(feature->machine.state()));
    made.goal = goal_text(feature->machine);
    made.waits_for = feature->machine.waits_for();
    made.progress = progress(id);
    if (feature->error) made.error = feature->error->to_string();
    made.module = feature->module_path;
    made.is_resident = feature->is_resident;
    const std::int64_t now_us = feature->runtime().clock().now_us();
    for (const OwnerEntry& entry : feature->owners)
        made.owners.push_back({entry.owner.to_string(), std::string(to_string(entry.level())),
                               static_cast<double>(now_us - entry.since_us) / 1e6});
    for (const Dependency& dependency : manifest.dependencies) {
        const Feature* other = table_->find(dependency.id);
        DependencyReport one;
        one.id = std::string(dependency.id.text());
        one.kind = value_type<DependencyKind>().print(&dependency.kind);
        one.versions = dependency.versions.to_string();
        if (other != nullptr) {
            one.found = other->file.manifest.version.to_string();
            one.state = std::string(to_string(other->machine.state()));
        }
        for (const LeftOut& left_out : feature->degraded)
            if (left_out.id == dependency.id) one.trouble = left_out.reason;
        if (const DependencyHold* hold = feature->find_hold(dependency.id))
            for (const auto& attachment : feature->attachments)
                if (const FeatureError* why = feature->failed_optional(*hold, attachment->serial))
                    one.trouble += fmt::format("{}not in world {}: {}", one.trouble.empty() ? "" : "; ",
                                               attachment->world->def().name, why->to_string());
        made.dependencies.push_back(std::move(one));
    }
    made.worlds = feature->world_reports();
    made.left_out = feature->left_out_actions();
    made.holders = holders(id);
    made.ledger = ledger(id);
    return made;
}

std::optional<WorldReport> Features::report_in(Name id, const World& world) const {
    const Feature* feature = table_->find(id);
    return feature != nullptr ? feature->report_in(world) : std::nullopt;
}

std::vector<FeatureReport> Features::reports() const {
    std::vector<FeatureReport> all;
    for (Name id : known()) all.push_back(report(id));
    return all;
}

float Features::progress(Name id) const {
    Feature* feature = table_->find(id);
    if (feature == nullptr) return 0;
    if (feature->machine.is_at_rest()) return is_error(feature->machine.state()) ? 0.0f : 1.0f;
    const FeatureState state = feature->machine.state();
    float at = height(state);
    if (state == FeatureState::Loading && !feature->bundles.empty())
        if (const assets::LoadBytes bytes = feature->bundles.front().bytes(); bytes.of > 0)
            at += (height(FeatureState::Loaded) - at) *
                  static_cast<float>(static_cast<double>(bytes.done) / static_cast<double>(bytes.of));
    const float goal = height(state_of(feature->machine.goal().min));
    feature->best_progress = std::max(feature->best_progress, goal <= 0 ? 1.0f : std::min(1.0f, at / goal));
    return feature->best_progress;
}

float Features::progress(std::span<const Name> ids) const {
    float sum = 0;
    for (Name id : ids) sum += progress(id);
    return ids.empty() ? 1.0f : sum / static_cast<float>(ids.size());
}

std::string Features::explain(Name id) const {
    const FeatureReport said = report(id);
    if (table_->find(id) == nullptr) return said.error;
    std::string text = fmt::format("feature {} {}: {}", said.id, said.version, said.state);
    if (!said.goal.empty()) text += fmt::format(", on its way to {}", said.goal);
    if (said.progress > 0 && said.progress < 1) text += fmt::format(" ({:.0f} %)", said.progress * 100);
    if (!said.waits_for.empty()) text += fmt::format("\n  waits for {}", said.waits_for);
    if (!said.error.empty()) text += fmt::format("\n  last trouble: {}", said.error);
    for (const OwnerReport& owner : said.owners)
        text += fmt::format("\n  {} wants it to be {}", owner.owner, owner.level);
    for (const DependencyReport& dependency : said.dependencies)
        text += fmt::format("\n  {} dependency {} {}: {}", dependency.kind, dependency.id, dependency.versions,
                            !dependency.trouble.empty() ? dependency.trouble
                            : dependency.found.empty()  ? "not there"
                                                        : fmt::format("{}, {}", dependency.found, dependency.state));
    for (const WorldReport& world : said.worlds) text += fmt::format("\n  {}", world.to_string());
    for (const std::string& action : said.left_out) text += fmt::format("\n  left out: {}", action);
    if (said.is_resident) text += "\n  its library is still in memory";
    if (!said.newer.empty()) text += fmt::format("\n  version {} waits for a reload", said.newer);
    for (const Holder& holder : said.holders)
        text += fmt::format("\n  what keeps it from being unloaded: {}", holder.to_string());
    for (const LedgerEntry& entry : said.ledger)
        text += fmt::format("\n  {} {}{}{}", to_string(entry.kind), entry.id,
                            entry.world.empty() ? "" : fmt::format(" in world {}", entry.world),
                            entry.place.empty() ? "" : fmt::format(" ({})", entry.place));
    return text;
}

std::string_view to_string(FeatureEvent::What what) {
    constexpr std::string_view kNames[] = {
        "discovered",     "downloading",    "releasing",     "mounted",    "unmounting", "registering",
        "unregistering",  "loading",        "unloading",     "activating", "activated",  "deactivating",
        "world_attached", "world_detached", "pause_changed", "failed",     "terminating"};
    return kNames[static_cast<std::size_t>(what)];
}

}  // namespace lyre::features
