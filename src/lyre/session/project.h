// session/project.h: a game's folder, opened: its lyre.toml, its content, its features, and the classes its content
// makes.
//
//     NativeModules modules({"build/features"});
//     Project project(runtime, files, executor, &modules);
//     if (!project.open(folder)) print(project.problems());
//     Result<const LevelDef*> map = project.load_map(project.def().default_map);
//
// open() reads lyre.toml, declares the project's tags, hands its settings to the variables (environment and command
// line still go before them), adds its content folders to the assets, finds its features, and loads what must be known
// before a world can begin: every archetype becomes a class. What is wrong is collected in problems(), as much of it as
// can be found; what was right is there.
//
// What the program brings itself (native classes, variables) must be registered before. The project registers the
// component manager, the built-in actions, experiences and gameplay if nobody has. Its features, classes of archetypes,
// tags and holds are taken back when the project goes; worlds that use them end before. Settings stay. Frame's thread.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "lyre/assets/assets.h"
#include "lyre/core/fault_plan.h"
#include "lyre/experience/experiences.h"
#include "lyre/experience/plan.h"
#include "lyre/features/features.h"
#include "lyre/session/project_def.h"
#include "lyre/world/level_def.h"
#include "lyre/world/runtime.h"

namespace lyre::session {

inline constexpr std::string_view kProjectFile = "lyre.toml";

// Mistakes a project can make beyond those of its files' contents.
std::span<const ProblemCode* const> project_codes();

// What loading an experience would mean.
struct ExperienceForecast {
    experience::ExperiencePlan plan;
    std::vector<assets::AssetEntry> assets;  // that are loaded before it plays, as far as kinds of actions are known
    std::uint64_t bytes() const;             // of their files
};

class Project {
public:
    // The nearest folder with a lyre.toml, from here upwards.
    static Result<std::string> find_upwards(const Files& files, const std::string& from);

    // `modules` opens the code of features and outlives the project; null: there is none that could be opened. `faults`
    // is asked at every step of loading; null: none.
    Project(Runtime& runtime, const Files& files, Executor& executor, features::ModuleLoader* modules = nullptr,
            std::shared_ptr<FaultPlan> faults = {});
    ~Project();
    Project(const Project&) = delete;
    Project& operator=(const Project&) = delete;

    // Once. `more_content`: folders besides those that lyre.toml names, wherever they are.
    Status open(const std::string& folder, std::span<const std::string> more_content = {});
    // Content without a project: only these folders.
    Status open_content(std::span<const std::string> folders);
    // Brings every feature to Registered, so that all kinds and classes are known, reads every asset there is, with all
    // its bundles, and adds what is wrong to the problems. `told` hears how far it is, 0 to 1, and gives false to stop;
    // then so does check(). Names that are unknown because the code of a feature is not there, in what is of that
    // feature or asks for it, are not told: the feature is. Nothing is to be played afterwards.
    bool check(const std::function<bool(float progress)>& told = {});

    const Problems& problems() const { return problems_; }
    bool is_configured() const { return is_configured_; }  // lyre.toml itself was right
    const std::string& folder() const { return folder_; }
    const ProjectDef& def() const { return def_; }
    assets::Assets& assets() { return assets_; }
    features::Features& features() { return *features_; }
    experience::Experiences& experiences() { return *experiences_; }
    Runtime& runtime() const { return runtime_; }
    Executor& executor() const { return executor_; }
    // Whether a variable, registered or declared by a feature's manifest, would take this value. Unknown: NotFound,
    // names the nearest.
    Status check_setting(std::string_view name, std::string_view value) const;
    std::vector<std::string> declared_variables() const;  // by manifests
    // Who only looks, and plays nothing afterwards: content and variables of all features are there, as if they were up.
    void show_features();
    // Who only looks: all features are registered, so that their classes and tags are known. As start_features().
    void register_features();
    // Brings features to their initial state, without frames. One that fails, or does not answer, is in the log.
    void start_features();
    Name home_of(const assets::PrimaryAssetId& id);  // the feature in whose content it lies; none: no feature's
    // What was asked for in the name of the process (at the start, by a console line) is given back: features nobody
    // else owns go.
    void release_features();
    // One frame's worth of what goes on in the background: assets, then features, then experiences.
    void pump();
    Result<const Type*> rules_class() const;  // game_mode; unknown or another kind: NotFound, names the nearest
    // Loads it if need be, without frames; the project keeps it. Unknown: names the nearest.
    Result<const LevelDef*> load_map(Name name);
    // Whether there is such an action set or feature to put on top; if not, the nearest is named.
    Status know_overlay(const assets::PrimaryAssetId& id);
    // What an experience comes down to for a role, with these on top (action_set:NAME, feature:NAME), and what it would
    // load. It and its sets are loaded and kept as above; nothing else is. Not found: unknown, names the nearest.
    Result<ExperienceForecast> forecast(Name experience, std::span<const assets::PrimaryAssetId> overlays,
                                        NetMode role);

private:
    friend class Standalone;
    struct Written;  // lyre.toml while it is read
    void read(Written& written);
    void declare_tags(const Written& written);
    void configure_variables(const Written& written);
    void add_declared(Variables& to) const;
    void add_content(const Written& written);
    void find_features(const Written& written);
    bool is_inside(const Written& written, const SourcePlace& place, const std::string& path);
    bool check_features(const std::function<bool(float)>& told);
    std::set<Name> features_of(const std::string& file);
    Problems without_consequences(const Problems& problems);
    std::vector<assets::RootId> add_content_of(const std::vector<Name>& ids);  // of features
    std::string feature_folder(Name id) const;
    void open_features();
    void add_classes();
    Status load(std::span<const assets::PrimaryAssetId> ids);
    std::vector<assets::AssetEntry> assets_of(const experience::ExperiencePlan& plan);
    Status result() const;
    void await(const std::shared_ptr<bool>& answer, const char* otherwise);  // of features, for a while
    bool await(const assets::LoadHandle& handle, const std::function<bool(float)>& told = {});

    Runtime& runtime_;
    const Files& files_;
    Executor& executor_;
    Owner owner_;
    assets::Assets assets_;
    std::string folder_;
    ProjectDef def_;
    Problems problems_;
    bool is_configured_ = true;
    bool is_played_ = false;  // there is a Standalone
    SourcePlace rules_place_;  // of game_mode in lyre.toml
    std::vector<assets::LoadHandle> holds_;
    std::set<Name> without_code_;  // features that check() found so
    features::LinkedModules no_modules_;
    features::ModuleLoader& modules_;
    std::unique_ptr<features::FeaturePolicy> policy_;  // of allowed_features
    std::shared_ptr<FaultPlan> faults_;
    std::unique_ptr<features::Features> features_;
    std::unique_ptr<experience::Experiences> experiences_;
};

}  // namespace lyre::session
