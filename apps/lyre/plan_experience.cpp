#include "apps/lyre/plan_experience.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lyre/core/suggest.h"
#include "lyre/core/utf8.h"

#include "apps/lyre/project_options.h"

namespace lyre::app {
namespace {

using Json = nlohmann::ordered_json;
using namespace experience;

std::string print(const Json& document) {
    return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string file_lines(const session::ExperienceForecast& forecast) {
    std::size_t width = 0;
    for (const assets::AssetEntry& asset : forecast.assets) width = std::max(width, asset.id.to_string().size());
    std::string text =
        fmt::format("{} with {}:\n", several(forecast.assets.size(), "file"), several(forecast.bytes(), "byte"));
    for (const assets::AssetEntry& asset : forecast.assets)
        text += fmt::format("  {:<{}}  {:>9}  {}\n", asset.id.to_string(), width, grouped(asset.bytes),
                            cleaned(asset.path));
    return text;
}

Json features_json(const ExperiencePlan& plan) {
    Json all = Json::array();
    for (const PlannedFeature& feature : plan.features)
        all.push_back({{"id", feature.id.text()},
                       {"version", feature.version.to_string()},
                       {"required", feature.is_required},
                       {"asked_for", feature.is_asked_for},
                       {"wanted_by", feature.wanted_by}});
    return all;
}

Json actions_json(const ExperiencePlan& plan) {
    Json all = Json::array();
    for (const PlannedAction& action : plan.actions)
        all.push_back({{"kind", action.kind},
                       {"from", action.from.to_string()},
                       {"index", action.index},
                       {"optional", action.is_optional},
                       {"hash", fmt::format("{:016x}", action.hash)}});
    return all;
}

Json ids_json(const std::vector<assets::PrimaryAssetId>& ids) {
    Json all = Json::array();
    for (const assets::PrimaryAssetId& id : ids) all.push_back(id.to_string());
    return all;
}

Json plan_json(const session::ExperienceForecast& forecast) {
    const ExperiencePlan& plan = forecast.plan;
    Json without = Json::array(), bundles = Json::array(), files = Json::array(), causes = Json::array();
    for (const features::Degraded& degraded : plan.degraded)
        without.push_back(
            {{"id", degraded.feature.text()}, {"wanted_by", degraded.wanted_by}, {"reason", degraded.reason}});
    for (const PlannedBundle& bundle : plan.bundles)
        bundles.push_back({{"asset", bundle.asset.to_string()}, {"bundle", bundle.bundle.text()}});
    for (const assets::AssetEntry& asset : forecast.assets)
        files.push_back({{"id", asset.id.to_string()}, {"path", asset.path}, {"bytes", asset.bytes}});
    for (const Cause& cause : plan.causes)
        causes.push_back({{"code", to_string(cause.code)}, {"feature", cause.feature.text()}, {"text", cause.text}});
    return {{"experience", plan.experience.to_string()},
            {"role", to_string(plan.role)},
            {"content_hash", fmt::format("{:016x}", plan.content_hash)},
            {"sets", ids_json(plan.sets)},
            {"overlays", ids_json(plan.overlays)},
            {"features", features_json(plan)},
            {"without", std::move(without)},
            {"actions", actions_json(plan)},
            {"bundles", std::move(bundles)},
            {"preload", ids_json(plan.preload)},
            {"files", std::move(files)},
            {"bytes", forecast.bytes()},
            {"skipped", plan.notes},
            {"causes", std::move(causes)}};
}

Json part_json(const SwitchPlan::Part& part) {
    return {{"kept", part.kept}, {"removed", part.removed}, {"added", part.added}};
}

Json switch_json(const ExperiencePlan& from, const ExperiencePlan& to) {
    const SwitchPlan change = plan_switch(from, to);
    return {{"from", from.experience.to_string()},  {"to", to.experience.to_string()},
            {"role", to_string(to.role)},           {"features", part_json(change.features)},
            {"actions", part_json(change.actions)}, {"bundles", part_json(change.bundles)}};
}

// One experience, or why there is no plan for it: then all is said, and this is the exit code.
class Planned {
public:
    Planned(const Command& command, session::Project& project, const ExperiencePlanOptions& options)
        : command_(command), project_(project), options_(options) {}

    std::optional<int> choose_overlays() {
        for (const std::string& feature : options_.features) {
            const features::Catalogue catalogue = project_.features().catalogue();
            if (catalogue.find(Name(feature)) == nullptr)
                return fail(command_,
                            fmt::format("no feature {}; {}", in_quotes(feature), feature_hint(catalogue, feature)));
            overlays_.push_back({Name("feature"), Name(feature)});
        }
        for (const std::string& set : options_.sets) {
            const auto id = known(set, kActionSetType);
            if (!id) return fail(command_, id.status().text());
            overlays_.push_back(*id);
        }
        return std::nullopt;
    }
    std::optional<int> make(const std::string& wanted, session::ExperienceForecast& forecast) {
        const auto id = known(wanted, kExperienceType);
        if (!id) return fail(command_, id.status().text());
        auto made = project_.forecast(id->name, overlays_, options_.role);
        if (!made) {
            print_problems(stderr, project_.problems());
            return fail(command_, fmt::format("{} cannot be planned: {}", *id, made.status().text()), kFailed);
        }
        forecast = std::move(*made);
        return std::nullopt;
    }

private:
    Result<assets::PrimaryAssetId> known(const std::string& text, std::string_view type) const {
        const assets::AssetRegistry& registry = project_.assets().registry();
        const auto id = assets::PrimaryAssetId::parse(text, Name(type));
        if (id && id->type == Name(type) && registry.find(*id) != nullptr) return *id;
        const std::size_t colon = text.find(':');
        const std::string name = colon == std::string::npos ? text : text.substr(colon + 1);
        const std::vector<std::string> names = registry.names(Name(type));
        return Status::not_found("no {} {}; {}", type == kActionSetType ? "action set" : type, in_quotes(text),
                                 name_hint(name, {names.begin(), names.end()},
                                           type == kActionSetType ? "lyre list assets" : "lyre list experiences"));
    }

    const Command& command_;
    session::Project& project_;
    const ExperiencePlanOptions& options_;
    std::vector<assets::PrimaryAssetId> overlays_;
};

}  // namespace

int plan_experience(const Command& command, session::Project& project, const ExperiencePlanOptions& options) {
    Planned planned(command, project, options);
    session::ExperienceForecast from, to;
    if (const auto code = planned.choose_overlays()) return *code;
    if (const auto code = planned.make(options.experience, from)) return *code;
    if (options.to.empty()) {
        if (options.as_json)
            fmt::print("{}", print(plan_json(from)));
        else if (from.plan.is_ok())
            fmt::print("{}{}", to_text(from.plan), file_lines(from));
        if (!from.plan.is_ok() && !options.as_json) fmt::print(stderr, "{}", to_text(from.plan));
        return from.plan.is_ok() ? kDone : kFailed;
    }
    if (const auto code = planned.make(options.to, to)) return *code;
    for (const session::ExperienceForecast* forecast : {&from, &to})
        if (!forecast->plan.is_ok()) fmt::print(stderr, "{}", to_text(forecast->plan));
    if (!from.plan.is_ok() || !to.plan.is_ok()) return kFailed;
    fmt::print("{}",
               options.as_json ? print(switch_json(from.plan, to.plan)) : to_text(plan_switch(from.plan, to.plan)));
    return kDone;
}

}  // namespace lyre::app
