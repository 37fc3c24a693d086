#include "apps/lyre/plan_experience.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>

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

Json actions_json(const std::vector<PlannedAction>& actions) {
    Json all = Json::array();
    for (const PlannedAction& action : actions)
        all.push_back({{"kind", action.kind},
                       {"from", action.from.to_string()},
                       {"index", action.index},
                       {"optional", action.is_optional},
                       {"hash", fmt::format("{:016x}", action.hash)}});
    return all;
}

Json features_json(const session::ExperienceForecast& forecast) {
    Json all = Json::array();
    for (const PlannedFeature& feature : forecast.plan.features) {
        std::vector<PlannedAction> actions;
        std::copy_if(forecast.feature_actions.begin(), forecast.feature_actions.end(), std::back_inserter(actions),
                     [&](const PlannedAction& action) { return action.from.name == feature.id; });
        all.push_back({{"id", feature.id.text()},
                       {"version", feature.version.to_string()},
                       {"required", feature.is_required},
                       {"asked_for", feature.is_asked_for},
                       {"wanted_by", feature.wanted_by},
                       {"actions", actions_json(actions)}});
    }
    return all;
}

Json ids_json(const std::vector<assets::PrimaryAssetId>& ids) {
    Json all = Json::array();
    for (const assets::PrimaryAssetId& id : ids) all.push_back(id.to_string());
    return all;
}

Json causes_json(std::initializer_list<const ExperiencePlan*> plans) {
    Json all = Json::array();
    for (const ExperiencePlan* plan : plans)
        for (const Cause& cause : plan->causes)
            all.push_back({{"code", to_string(cause.code)}, {"feature", cause.feature.text()}, {"text", cause.text}});
    return all;
}

Json plan_json(const session::ExperienceForecast& forecast) {
    const ExperiencePlan& plan = forecast.plan;
    Json without = Json::array(), bundles = Json::array(), files = Json::array();
    for (const features::Degraded& degraded : plan.degraded)
        without.push_back(
            {{"id", degraded.feature.text()}, {"wanted_by", degraded.wanted_by}, {"reason", degraded.reason}});
    for (const PlannedBundle& bundle : plan.bundles)
        bundles.push_back({{"asset", bundle.asset.to_string()}, {"bundle", bundle.bundle.text()}});
    for (const assets::AssetEntry& asset : forecast.assets)
        files.push_back({{"id", asset.id.to_string()}, {"path", asset.path}, {"bytes", asset.bytes}});
    return {{"experience", plan.experience.to_string()},
            {"role", to_string(plan.role)},
            {"content_hash", fmt::format("{:016x}", plan.content_hash)},
            {"sets", ids_json(plan.sets)},
            {"overlays", ids_json(plan.overlays)},
            {"features", features_json(forecast)},
            {"without", std::move(without)},
            {"actions", actions_json(plan.actions)},
            {"bundles", std::move(bundles)},
            {"preload", ids_json(plan.preload)},
            {"files", std::move(files)},
            {"bytes", forecast.bytes()},
            {"skipped", plan.notes},
            {"causes", causes_json({&plan})}};
}

Json part_json(const SwitchPlan::Part& part) {
    return {{"kept", part.kept}, {"removed", part.removed}, {"added", part.added}};
}

Json switch_json(const ExperiencePlan& from, const ExperiencePlan& to) {
    const SwitchPlan change = plan_switch(from, to);
    return {{"from", from.experience.to_string()},  {"to", to.experience.to_string()},
            {"role", to_string(to.role)},           {"features", part_json(change.features)},
            {"actions", part_json(change.actions)}, {"bundles", part_json(change.bundles)},
            {"causes", causes_json({&from, &to})}};
}

// Plans of experiences with what is put on top. NotFound: a name is unknown; Failed: there is no plan for it.
class Planned {
public:
    Planned(session::Project& project, const ExperiencePlanOptions& options) : project_(project), options_(options) {}

    Status choose_overlays() {
        for (const auto* names : {&options_.features, &options_.sets})
            for (const std::string& name : *names) {
                const auto id = project_.find(names == &options_.sets ? kActionSetType : "feature", name);
                if (!id) return id.status();
                overlays_.push_back(*id);
            }
        return Status::ok();
    }
    Result<session::ExperienceForecast> make(const std::string& wanted) {
        const auto id = project_.find(kExperienceType, wanted);
        if (!id) return id.status();
        auto made = project_.forecast(id->name, overlays_, options_.role);
        if (!made) return Status::failed("{} cannot be planned: {}", *id, made.status().text());
        if (const std::size_t count = project_.problems().count(); count != 0)
            return Status::failed("{} cannot be loaded: {}", *id, several(count, "problem"));
        return made;
    }

private:
    session::Project& project_;
    const ExperiencePlanOptions& options_;
    std::vector<assets::PrimaryAssetId> overlays_;
};

}  // namespace

int plan_experience(const Command& command, session::Project& project, const ExperiencePlanOptions& options) {
    const auto refuse = [&](const Status& status) {
        print_problems(STDERR_FILENO, project.problems());
        return fail(command, status.text(), status.code() == StatusCode::Failed ? kFailed : kWrongUsage);
    };
    Planned planned(project, options);
    if (const Status status = planned.choose_overlays(); !status) return refuse(status);
    const auto from = planned.make(options.experience);
    if (!from) return refuse(from.status());
    if (options.to.empty()) {
        if (options.as_json)
            out("{}", print(plan_json(*from)));
        else if (from->plan.is_ok())
            out("{}{}{}", to_text(from->plan), to_text(std::span<const PlannedAction>(from->feature_actions)),
                file_lines(*from));
        if (!from->plan.is_ok() && !options.as_json) tell("{}", to_text(from->plan));
        return from->plan.is_ok() ? kDone : kFailed;
    }
    const auto to = planned.make(options.to);
    if (!to) return refuse(to.status());
    const bool is_ok = from->plan.is_ok() && to->plan.is_ok();
    if (options.as_json) {
        out("{}", print(switch_json(from->plan, to->plan)));
        return is_ok ? kDone : kFailed;
    }
    for (const auto* forecast : {&*from, &*to})
        if (!forecast->plan.is_ok()) tell("{}", to_text(forecast->plan));
    if (!is_ok) return kFailed;
    out("{}", to_text(plan_switch(from->plan, to->plan)));
    return kDone;
}

}  // namespace lyre::app
