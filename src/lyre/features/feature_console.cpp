// The console's commands for features: what an operator types while a game runs. They act for the process.
#include <algorithm>

#include "lyre/features/detail/feature_table.h"

namespace lyre::features {
namespace {

// An id, or a locator ("file:game/tag").
Name id_of(const FeatureTable& table, const std::string& text) {
    if (text.rfind("file:", 0) == 0)
        for (const auto& [id, feature] : table.features)
            if ("file:" + feature->folder == text) return id;
    return Name(text);
}

CommandResult list(const FeatureTable& table, CommandArguments arguments) {
    const auto has = [&](std::string_view flag) {
        return std::find(arguments.begin(), arguments.end(), flag) != arguments.end();
    };
    for (const std::string& argument : arguments)
        if (argument != "-activeonly" && argument != "-csv")
            return {Status::invalid("{} is neither -activeonly nor -csv", argument), {}};
    std::vector<const Feature*> all;
    for (const auto& [id, feature] : table.features)
        if (!has("-activeonly") || feature->machine.state() == FeatureState::Active) all.push_back(feature.get());
    std::sort(all.begin(), all.end(), [](const Feature* a, const Feature* b) { return a->id < b->id; });
    std::string text = has("-csv") ? "id,version,state" : "";
    for (const Feature* feature : all) {
        const std::string version = feature->file.manifest.version.to_string();
        const std::string_view state = to_string(feature->machine.state());
        text += text.empty() ? "" : "\n";
        text += has("-csv") ? fmt::format("{},{},{}", feature->id, version, state)
                            : fmt::format("{:<24} {:<10} {}", feature->id.text(), version, state);
    }
    return {{}, text};
}

}  // namespace

CommandResult FeatureTable::discover_again(CommandArguments folders) {
    std::vector<std::string> asked(folders.begin(), folders.end());
    if (asked.empty()) asked.assign(roots_.begin(), roots_.end());
    const std::size_t before = features.size();
    Problems problems;
    for (const std::string& folder : asked) problems.add_all(discover(folder));
    if (!problems.is_empty()) return {problems.to_status(), {}};
    return {{}, fmt::format("{} features, {} before", features.size(), before)};
}

// What comes of a reload comes later: the console has answered by then.
FeatureCallback FeatureTable::told_in_log(Name id, FeatureCallback callback) {
    return [this, id, callback = std::move(callback)](const FeatureResult& result) {
        setup.runtime.log().report(result ? LogLevel::Info : LogLevel::Error, Name("feature.reloaded"), id.text(),
                                   result.to_string());
        callback(result);
    };
}

void FeatureTable::add_commands() {
    const OwnerScope as(Owner::process());
    const std::weak_ptr<FeatureTable> weak = weak_from_this();
    const auto add = [&](const CommandDef& def, CommandFunction function) {
        if (auto hold = setup.runtime.console().add_command(def, std::move(function)))
            commands_.push_back(*std::move(hold));
    };
    add({.name = "feature.list", .arguments = "[-activeonly] [-csv]", .help = "all features and where they are"},
        [weak](CommandArguments arguments) -> CommandResult {
            const auto alive = weak.lock();
            return alive != nullptr ? list(*alive, arguments) : CommandResult{};
        });
    add({.name = "feature.discover",
         .arguments = "[FOLDER...]",
         .help = "looks for features that have come, changed or gone: in these folders, or in those of before"},
        [weak](CommandArguments arguments) -> CommandResult {
            const auto alive = weak.lock();
            return alive != nullptr ? alive->discover_again(arguments) : CommandResult{};
        });
    // Each answers with the outcome, or with where the feature is on its way.
    struct Verb {
        std::string_view name, help;
        void (*run)(FeatureTable& table, Feature& feature, FeatureCallback callback);
    };
    static constexpr Verb kVerbs[] = {
        {"feature.activate", "brings a feature to Active",
         [](FeatureTable& t, Feature& f, FeatureCallback cb) {
             t.want(f, Owner::process(), {0, Destination::Active, {}}, GoalRange::exactly(Destination::Active),
                    std::move(cb));
         }},
        {"feature.deactivate", "brings a feature down to Loaded",
         [](FeatureTable& t, Feature& f, FeatureCallback cb) {
             t.lower(f, Destination::Loaded, GoalRange::at_most(Destination::Loaded), Dependents::Refuse,
                     std::move(cb));
         }},
        {"feature.unload", "brings a feature down to Installed: its code leaves memory",
         [](FeatureTable& t, Feature& f, FeatureCallback cb) {
             t.lower(f, Destination::Installed, GoalRange::at_most(Destination::Installed), Dependents::Refuse,
                     std::move(cb));
         }},
        {"feature.unload_keep_registered", "brings a feature down to Registered",
         [](FeatureTable& t, Feature& f, FeatureCallback cb) {
             t.lower(f, Destination::Registered, GoalRange::at_most(Destination::Registered), Dependents::Refuse,
                     std::move(cb));
         }},
        {"feature.release", "gives back what was fetched for a feature",
         [](FeatureTable& t, Feature& f, FeatureCallback cb) {
             t.lower(f, Destination::StatusKnown, GoalRange::at_most(Destination::StatusKnown), Dependents::Refuse,
                     std::move(cb));
         }},
        {"feature.terminate", "forgets a feature",
         [](FeatureTable& t, Feature& f, FeatureCallback cb) {
             t.lower(f, Destination::Terminal, GoalRange::exactly(Destination::Terminal), Dependents::Refuse,
                     std::move(cb));
         }},
        {"feature.cancel", "stops a feature at the next place where it can rest",
         [](FeatureTable& t, Feature& f, FeatureCallback cb) { t.cancel(f.id, std::move(cb)); }},
        {"feature.reload", "opens the newest version of a feature; who depends on it goes down and comes back",
         [](FeatureTable& t, Feature& f, FeatureCallback cb) {
             t.begin_reload(f, t.told_in_log(f.id, std::move(cb)));
         }},
    };
    for (const Verb& verb : kVerbs)
        add({.name = verb.name, .arguments = "<feature>", .help = verb.help},
            [weak, run = verb.run](CommandArguments arguments) -> CommandResult {
                const auto alive = weak.lock();
                if (alive == nullptr) return {};
                const Name id = id_of(*alive, arguments[0]);
                Feature* feature = alive->find(id);
                if (feature == nullptr) return {alive->unknown_error(id).to_status(), {}};
                const auto answer = std::make_shared<std::optional<FeatureResult>>();
                {
                    const FeatureTable::Entry entry(*alive);
                    run(*alive, *feature, [answer](const FeatureResult& result) { *answer = result; });
                    alive->mark_busy(*feature);
                }
                if (answer->has_value() && (*answer)->error) return {(*answer)->error->to_status(), {}};
                feature = alive->find(id);
                const std::string_view state =
                    to_string(feature != nullptr ? feature->machine.state() : FeatureState::Terminal);
                return {{},
                        answer->has_value() ? fmt::format("{}: {}", id, state)
                                            : fmt::format("{}: {}, on its way", id, state)};
            });
}

}  // namespace lyre::features
