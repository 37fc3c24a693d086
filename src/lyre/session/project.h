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
// What takes a while tells how far it is (tell_progress). Features that are there from the start come by frames:
//
//     project.start_features();
//     while (project.is_starting()) project.pump();        // start_report(): who is waited for, and how long
//
// What the program brings itself (native classes, variables) must be registered before. The project registers the
// component manager, the built-in actions, experiences and gameplay if nobody has. Its features, classes of archetypes,
// tags and holds are taken back when the project goes; worlds that use them end before. Settings stay. Frame's thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "lyre/assets/assets.h"
#include "lyre/core/fault_plan.h"
#include "lyre/experience/check.h"
#include "lyre/experience/experiences.h"
#include "lyre/experience/loading_report.h"
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
    std::vector<experience::PlannedAction> feature_actions{};  // of the planned features, in their order
    std::uint64_t bytes() const;             // of their files
};

// How far something is that takes a while.
struct Progress {
    std::string stage;             // "features", "archetypes", "content", "bundles", "map:yard"
    std::size_t done = 0, of = 0;  // things, where they are counted
    assets::LoadBytes bytes{};     // of files
    std::string item{};            // what is waited for
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

    // Hears, while this object works and nothing else goes on, how far it is. False: it is to stop, and what was asked
    // for ends as it is.
    using Told = std::function<bool(const Progress&)>;
    void tell_progress(Told told) { told_ = std::move(told); }
    // Once. `more_content`: folders besides those that lyre.toml names, wherever they are.
    Status open(const std::string& folder, std::span<const std::string> more_content = {});
    // Content without a project: only these folders.
    Status open_content(std::span<const std::string> folders);
    // Brings every feature to Registered, so that all kinds and classes are known, reads every asset there is, with all
    // its bundles, and adds what is wrong to the problems. False: somebody wanted it to stop. Names that are unknown
    // because a feature could not be registered, in what is of that feature or asks for it, are not told: the feature
    // is. Nothing is to be played afterwards.
    bool check();

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
    // Who only looks, and plays nothing afterwards: content and variables of all features are there, as if they were
    // up.
    void show_features();
    // Who only looks: all features are registered, so that their classes and tags are known. Without frames; who does
    // not answer is in the log.
    void register_features();
    // Brings features to their initial state. It goes on with each pump(), while is_starting(): until all have come or
    // failed, or 30 s have passed on the clock. Who fails, or is late, is in the log.
    void start_features();
    bool is_starting() const { return start_ != nullptr && !start_->is_over; }
    experience::LoadingReport start_report() const;  // one stage, "features", with all that they depend on
    // What was asked for in the name of the process (at the start, by a console line) is given back: features nobody
    // else owns go.
    void release_features();
    // What should not be there once nothing is played and features had some frames to go, as people read it.
    std::vector<std::string> leftovers() const;
    // One frame's worth of what goes on in the background: assets, then features, then experiences.
    void pump();
    Result<const Type*> rules_class() const;  // game_mode; unknown or another kind: NotFound, names the nearest
    // What people call something of a type: "tag" or "experience:tag"; types are those of assets, and "feature". What
    // lies in the content of a feature that is to be there from the start counts before the start too. Unknown:
    // NotFound, names the nearest.
    Result<assets::PrimaryAssetId> find(std::string_view type, const std::string& wanted);
    // Loads it if need be, without frames; the project keeps it. Unknown: names the nearest.
    Result<const LevelDef*> load_map(Name name);
    // What an experience comes down to for a role, with these on top (action_set:NAME, feature:NAME), and what it would
    // load. It and its sets are loaded and kept as above; nothing else is. Not found: unknown, names the nearest. What
    // would keep it from being loaded all the same, such as a pawn of a feature that is not planned, is added to the
    // problems: after show_features().
    Result<ExperienceForecast> forecast(Name experience, std::span<const assets::PrimaryAssetId> overlays,
                                        NetMode role);

private:
    friend class Standalone;
    static constexpr std::int64_t kWaitUs = 1000;  // for workers, where nothing else is to be done
    struct Written;  // lyre.toml while it is read
    struct Start {
        std::int64_t begin_us;
        bool is_over = false;
    };
    bool read(Written& written);
    void declare_tags(const Written& written);
    void configure_variables(const Written& written);
    void add_declared(Variables& to) const;
    std::vector<std::string_view> variable_names(const Variables& to_come) const;
    void add_content(const Written& written);
    void find_features(const Written& written);
    void note_broken(const Problems& problems);
    bool is_inside(const Written& written, const SourcePlace& place, const std::string& path);
    void check_defaults();
    void check_rules();
    void add_own_problem(const ProblemCode& code, std::string_view key, std::string text, std::string hint = {});
    bool check_features();
    std::set<Name> features_of(const std::string& file);
    Problems without_consequences(const Problems& problems);
    std::vector<assets::RootId> add_content_of(const std::vector<Name>& ids);  // of features
    std::string feature_folder(Name id) const;
    Result<assets::PrimaryAssetId> find_feature(const std::string& wanted) const;
    Status find_overlay(const assets::PrimaryAssetId& id);
    void open_features();
    void add_classes();
    Status load(const assets::PrimaryAssetId& id);
    std::vector<assets::AssetEntry> assets_of(const experience::ExperiencePlan& plan);
    Status result() const;
    experience::LoadingReport report_of(const std::vector<Name>& ids, std::int64_t begin_us) const;
    void await_start();
    void end_start();
    bool tell(const Progress& progress) const { return !told_ || told_(progress); }
    bool await(const assets::LoadHandle& handle, const std::string& stage);

    Runtime& runtime_;
    const Files& files_;
    Executor& executor_;
    Owner owner_;
    assets::Assets assets_;
    std::string folder_;
    ProjectDef def_;
    Problems problems_;
    bool is_configured_ = true;
    bool is_played_ = false;   // there is a Standalone
    std::map<std::string, SourcePlace, std::less<>> places_;  // of keys in lyre.toml that are checked late
    Told told_;
    assets::LoadHandle archetypes_;
    std::map<assets::PrimaryAssetId, assets::LoadHandle> holds_;  // that were asked for by name
    std::shared_ptr<Start> start_;                                // null: nobody has started the features
    experience::BrokenManifests broken_;                          // that discovery found so
    std::set<std::string> broken_folders_;                        // of these
    std::set<Name> not_registered_;                               // features that check() found so
    std::set<std::string> at_fault_;                              // manifests of those that have their code
    features::LinkedModules no_modules_;
    features::ModuleLoader& modules_;
    std::unique_ptr<features::FeaturePolicy> policy_;  // of allowed_features
    std::shared_ptr<FaultPlan> faults_;
    std::unique_ptr<features::Features> features_;
    std::unique_ptr<experience::Experiences> experiences_;
};

}  // namespace lyre::session
