// What a plan says, and how two of them differ.
#include <algorithm>
#include <set>

#include "lyre/core/utf8.h"
#include "lyre/experience/plan.h"

namespace lyre::experience {
namespace {

std::string_view spoken(NetMode role) {
    switch (role) {
        case NetMode::Standalone:
            return "in a standalone game";
        case NetMode::DedicatedServer:
            return "on a dedicated server";
        case NetMode::ListenServer:
            return "on a listen server";
        case NetMode::Client:
            return "on a client";
    }
    return "";
}

// Lines of columns: each as wide as its widest text, the last as long as it is.
class Columns {
public:
    void add(std::vector<std::string> row) {
        for (std::string& text : row) text = cleaned(text);  // kinds and reasons are whatever somebody wrote
        rows_.push_back(std::move(row));
    }
    std::string print(std::string_view title) const {
        if (rows_.empty()) return "";
        std::vector<std::size_t> widths;
        for (const auto& row : rows_) {
            widths.resize(std::max(widths.size(), row.size()));
            for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
        }
        std::string text = fmt::format("{}\n", title);
        for (const auto& row : rows_) {
            text += " ";
            for (std::size_t i = 0; i < row.size(); ++i)
                text += fmt::format(" {:{}}", row[i], i + 1 < row.size() ? widths[i] + 1 : 0);
            text += '\n';
        }
        return text;
    }

private:
    std::vector<std::vector<std::string>> rows_;
};

std::string feature_lines(const ExperiencePlan& plan) {
    Columns lines;
    for (const PlannedFeature& feature : plan.features)
        lines.add({std::string(feature.id.text()), feature.version.to_string(),
                   fmt::format("{} {}{}", feature.is_asked_for ? "asked for by" : "needed by", feature.wanted_by,
                               feature.is_required ? "" : " (optional)")});
    return lines.print("features, in the order in which they become active:");
}

std::string degraded_lines(const ExperiencePlan& plan) {
    Columns lines;
    for (const features::Degraded& degraded : plan.degraded)
        lines.add({std::string(degraded.feature.text()),
                   fmt::format("wanted by {}: {}", degraded.wanted_by, degraded.reason)});
    return lines.print("optional features that are left out:");
}

// As `lyre check` writes it.
std::string path_of(const PlannedAction& action) {
    if (action.from.type.text() == kFeatureOverlay)
        return fmt::format("action {} in feature {}", action.index + 1, action.from.name);
    return fmt::format("action {} in {}", action.index + 1, action.from);
}

std::string action_lines(std::span<const PlannedAction> actions, std::string_view title) {
    Columns lines;
    for (const PlannedAction& action : actions)
        lines.add({action.kind, fmt::format("{}{}", path_of(action), action.is_optional ? " (optional)" : "")});
    return lines.print(title);
}

std::string bundle_lines(const ExperiencePlan& plan) {
    Columns lines;
    for (std::size_t i = 0; i < plan.bundles.size();) {
        const assets::PrimaryAssetId asset = plan.bundles[i].asset;
        std::string bundles;
        for (; i < plan.bundles.size() && plan.bundles[i].asset == asset; ++i)
            if (const Name bundle = plan.bundles[i].bundle)
                bundles += fmt::format("{}{}", bundles.empty() ? "with " : ", ", bundle);
        if (bundles.empty())
            lines.add({asset.to_string()});
        else
            lines.add({asset.to_string(), std::move(bundles)});
    }
    return lines.print("assets, loaded before the features:");
}

std::string preload_lines(const ExperiencePlan& plan) {
    Columns lines;
    for (const assets::PrimaryAssetId& asset : plan.preload) lines.add({asset.to_string()});
    return lines.print("assets that nothing waits for:");
}

std::string note_lines(const ExperiencePlan& plan) {
    Columns lines;
    for (const std::string& note : plan.notes) lines.add({note});
    return lines.print("skipped:");
}

std::string refusal_text(const ExperiencePlan& plan) {
    std::string text = fmt::format("{} cannot be loaded {}:\n", plan.experience, spoken(plan.role));
    for (const Cause& cause : plan.causes) text += fmt::format("  {}\n", cleaned(cause.to_string()));
    return text;
}

template <class T, class Key, class Text>
SwitchPlan::Part difference(const std::vector<T>& from, const std::vector<T>& to, Key key, Text text) {
    std::set<decltype(key(from[0]))> before, after;
    for (const T& part : from) before.insert(key(part));
    for (const T& part : to) after.insert(key(part));
    SwitchPlan::Part result;
    for (const T& part : to) (before.contains(key(part)) ? result.kept : result.added).push_back(text(part));
    for (auto part = from.rbegin(); part != from.rend(); ++part)
        if (!after.contains(key(*part))) result.removed.push_back(text(*part));
    return result;
}

std::string part_text(std::string_view title, const SwitchPlan::Part& part) {
    Columns lines;
    for (const std::string& text : part.kept) lines.add({"keep", text});
    for (const std::string& text : part.removed) lines.add({"remove", text});
    for (const std::string& text : part.added) lines.add({"add", text});
    return lines.print(title);
}

}  // namespace

std::string PlannedAction::where() const {
    return from.to_string() + ", action " + std::to_string(index + 1) + " (" + kind + ")";
}

SwitchPlan plan_switch(const ExperiencePlan& from, const ExperiencePlan& to) {
    SwitchPlan result;
    result.features = difference(
        from.features, to.features, [](const PlannedFeature& feature) { return feature.id; },
        [](const PlannedFeature& feature) { return std::string(feature.id.text()); });
    result.actions = difference(
        from.actions, to.actions, [](const PlannedAction& action) { return std::pair(action.hash, action.kind); },
        [](const PlannedAction& action) { return fmt::format("{} ({})", path_of(action), action.kind); });
    result.bundles = difference(
        from.bundles, to.bundles, [](const PlannedBundle& bundle) { return bundle; },
        [](const PlannedBundle& bundle) {
            return bundle.bundle ? fmt::format("{} {}", bundle.asset, bundle.bundle) : bundle.asset.to_string();
        });
    return result;
}

std::string to_text(const ExperiencePlan& plan) {
    if (!plan.is_ok()) return refusal_text(plan) + note_lines(plan);
    std::string text = fmt::format("{} {}", plan.experience, spoken(plan.role));
    for (const assets::PrimaryAssetId& overlay : plan.overlays)
        text += fmt::format("{}{}", overlay == plan.overlays.front() ? ", with " : " and ", overlay);
    text += fmt::format(" (content {:016x})\n", plan.content_hash);
    text += bundle_lines(plan) + preload_lines(plan) + feature_lines(plan) + degraded_lines(plan);
    return text + action_lines(plan.actions, "actions, in the order in which they run:") + note_lines(plan);
}

std::string to_text(std::span<const PlannedAction> of_features) {
    return action_lines(of_features, "actions of its features, each when it becomes active:");
}

std::string to_text(const SwitchPlan& plan) {
    return part_text("features:", plan.features) + part_text("actions:", plan.actions) +
           part_text("assets:", plan.bundles);
}

}  // namespace lyre::experience
