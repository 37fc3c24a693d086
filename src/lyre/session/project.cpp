#include "lyre/session/project.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "lyre/assets/asset_codes.h"
#include "lyre/assets/toml.h"
#include "lyre/core/content_codes.h"
#include "lyre/core/content_reader.h"
#include "lyre/core/settings_table.h"
#include "lyre/core/suggest.h"
#include "lyre/experience/bundle_data.h"
#include "lyre/experience/check.h"
#include "lyre/experience/experiences.h"
#include "lyre/features/action_codes.h"
#include "lyre/features/action_reading.h"
#include "lyre/features/builtin_actions.h"
#include "lyre/features/feature_problem.h"
#include "lyre/framework/component_manager.h"
#include "lyre/gameplay/game_mode.h"
#include "lyre/gameplay/gameplay.h"
#include "lyre/world/archetype.h"

namespace lyre::session {
namespace {

constexpr std::uint64_t kMaxProjectFile = 1 << 20;  // bytes
constexpr std::int64_t kWaitUs = 1000;              // for workers, where nothing else is to be done
constexpr std::int64_t kStartUs = 30'000'000;       // for features that are there from the start

constexpr ProblemCode kUnreadable = {2501, "project file cannot be read",
                                     "Every project has a file lyre.toml at its root. It is missing, or cannot be "
                                     "opened."};
constexpr ProblemCode kFolderOutside = {2502, "folder outside of the project",
                                        "Folders in lyre.toml are written from the project's root, without a leading "
                                        "/ and without .., so that the project works wherever it is put."};
constexpr ProblemCode kNoFolder = {2503, "content folder not found",
                                   "A folder that lyre.toml or the command line names is not there."};
constexpr ProblemCode kBadTag = {2504, "tag refused",
                                 "A tag is made of words of letters, digits and _ with dots between them, such as "
                                 "Status.Burning."};
constexpr ProblemCode kUnknownVariable = {2505, "unknown variable",
                                          "Nobody has registered a variable of this name; `lyre list variables` lists "
                                          "those that are there."};
constexpr ProblemCode kBadVariable = {2506, "variable refused",
                                      "The variable takes other values; `lyre list variables --json` says which."};
constexpr ProblemCode kBadClass = {2507, "archetype refused",
                                   "The archetype is well written, but a class cannot be made of it; for example its "
                                   "name is taken by another class."};
constexpr ProblemCode kNotAllowed = {2508, "unknown feature in allowed_features",
                                     "None of the project's features has this id; a list that forgets one by a "
                                     "spelling mistake keeps it out."};
constexpr ProblemCode kBadRules = {2509, "game_mode is no class of rules",
                                   "game_mode names a class of GameMode: GameMode itself, one that the program or a "
                                   "feature brings, or an archetype of such a class."};
constexpr ProblemCode kDefaultTooLate{2510, "default that is not there from the start",
                                      "The default experience and map are looked for before any feature is active: "
                                      "they lie in the project's own content, or in a feature that is there from the "
                                      "start."};
constexpr const ProblemCode* kCodes[] = {&kUnreadable,  &kFolderOutside, &kNoFolder,   &kBadTag,   &kUnknownVariable,
                                         &kBadVariable, &kBadClass,      &kNotAllowed, &kBadRules, &kDefaultTooLate};

std::string join_path(const std::string& folder, std::string_view name) {
    return folder.empty() || folder == "." ? std::string(name)
           : folder.back() == '/'          ? folder + std::string(name)
                                           : fmt::format("{}/{}", folder, name);
}

bool is_set(const assets::PrimaryAssetId& id) {
    return id.type.text() == experience::kActionSetType;
}

// What the code of a feature would have made known: classes, kinds of actions, handlers and functions, types of
// content, and what its manifest declares besides.
bool is_of_unknown_name(const Problem& problem) {
    static const ProblemCode* const kNames[] = {&content_code::kUnknownTag,
                                                &content_code::kUnknownClass,
                                                &content_code::kUnknownKind,
                                                &content_code::kUnknownAsset,
                                                &assets::kUnknownAssetType,
                                                &features::action_code::kUnknownCode,
                                                &features::action_code::kUnknownVariable};
    return std::find(std::begin(kNames), std::end(kNames), problem.code) != std::end(kNames);
}

const features::FeatureError& innermost(const features::FeatureError& error) {
    return error.inner != nullptr ? innermost(*error.inner) : error;
}

// One mistake may be found on several ways.
Problems without_repeats(const Problems& problems) {
    std::set<std::string> seen;
    std::vector<const Problem*> kept;
    for (const Problem& problem : problems.all())
        if (seen.insert(fmt::format("{} {} {}", problem.code->number, problem.where(), problem.text)).second)
            kept.push_back(&problem);
    std::stable_sort(kept.begin(), kept.end(), [](const Problem* a, const Problem* b) {
        return std::tie(a->file, a->place.line, a->place.column) < std::tie(b->file, b->place.line, b->place.column);
    });
    Problems sorted;
    for (const Problem* problem : kept) sorted.add(*problem);
    sorted.count_more(problems.dropped());
    return sorted;
}

}  // namespace

std::span<const ProblemCode* const> project_codes() {
    return kCodes;
}

// The file's text and tree, and a way to say what is wrong in it.
struct Project::Written {
    std::string file;
    Bytes bytes;
    Node tree;
    Reading reading;
    Problems& problems;

    void problem(const ProblemCode& code, const SourcePlace& place, std::string text, std::string hint = {}) const {
        Problem problem{&code, std::move(text), file, place, {}, std::move(hint), {}};
        quote_source(problem, bytes.text());
        problems.add(std::move(problem));
    }
};

Result<std::string> Project::find_upwards(const Files& files, const std::string& from) {
    std::string folder = from;
    while (true) {
        if (files.look(join_path(folder, kProjectFile))) return folder;
        const std::size_t slash = folder.rfind('/');
        if (folder.empty() || folder == "/" || slash == std::string::npos)
            return Status::not_found("no {} in {} or above", kProjectFile, in_quotes(from));
        folder = slash == 0 ? "/" : folder.substr(0, slash);
    }
}

Project::Project(Runtime& runtime, const Files& files, Executor& executor, features::ModuleLoader* modules,
                 std::shared_ptr<FaultPlan> faults)
    : runtime_(runtime),
      files_(files),
      executor_(executor),
      owner_(Owner::project(Name("project"))),
      assets_({runtime.types(), runtime.tags(), runtime.log(), runtime.clock(), files, executor}),
      modules_(modules != nullptr ? *modules : no_modules_),
      faults_(std::move(faults)) {
    OwnerScope as(owner_);
    const TypeRegistry& known = runtime.types();
    if (known.find<framework::ComponentManager>() == nullptr) framework::add_framework(runtime).ignore();
    if (known.find<features::GameFeatureAction>() == nullptr) features::add_builtin_actions(runtime).ignore();
    Status status = assets_.types().add<LevelDef>("map");
    if (status) status = assets_.types().add<ArchetypeDef>("archetype", assets::Makes::Classes);
    if (status)
        status = known.find<experience::Host>() == nullptr ? experience::add_experience(runtime, assets_.types())
                                                           : experience::add_content_types(assets_.types());
    if (status)
        status = known.find<gameplay::Gameplay>() == nullptr ? gameplay::add_gameplay(runtime, assets_.types())
                                                             : gameplay::add_content_types(assets_.types());
    LYRE_ASSERT(status, "a project's own content types are the first");
    open_features();
}

void Project::open_features() {
    const experience::FeatureFaults faults = faults_ ? experience::FeatureFaults(faults_) : experience::FeatureFaults();
    features::FeaturesSetup setup{runtime_, assets_, files_, modules_, policy_.get(), {}};
    if (faults_) setup.faults = faults;
    features_ = std::make_unique<features::Features>(setup);
    experiences_ =
        std::make_unique<experience::Experiences>(experience::ExperiencesSetup{*features_, assets_, faults_, faults});
}

Project::~Project() {
    holds_.clear();  // some may be of content of features
    archetypes_.reset();
    experiences_.reset();
    features_.reset();
    runtime_.variables().remove_all(owner_);
    for (const Status& status : {runtime_.types().remove_all(owner_), runtime_.tags().undeclare_all(owner_)})
        if (!status) runtime_.log().report(LogLevel::Error, Name("project.left"), folder_, status.text());
}

Status Project::open(const std::string& folder, std::span<const std::string> more_content) {
    OwnerScope as(owner_);
    folder_ = folder;
    Written written{join_path(folder, kProjectFile), {}, {}, {}, problems_};
    if (read(written)) {  // what is right of it counts, so that all that is wrong is told
        declare_tags(written);
        add_content(written);
        find_features(written);
        configure_variables(written);
        const std::vector<assets::RootId> roots = add_content_of(features_->known());  // for defaults
        link_content(written.reading, {runtime_.types(), runtime_.tags(), &assets_.registry()});
        for (const assets::RootId root : roots) assets_.registry().remove_root(root);
        problems_.add_all(written.reading.problems);
    }
    is_configured_ = problems_.is_empty();
    open_content(more_content).ignore();
    return result();
}

Status Project::open_content(std::span<const std::string> folders) {
    OwnerScope as(owner_);
    for (const std::string& path : folders)
        if (auto root = assets_.registry().add_folder(path, Name("project")); !root)
            problems_.add({&kNoFolder, root.status().text(), path, {}, {}, {}, {}}), is_configured_ = false;
    add_classes();
    return result();
}

// False: it is no TOML.
bool Project::read(Written& written) {
    auto bytes = files_.read(written.file, kMaxProjectFile);
    if (!bytes) {
        problems_.add({&kUnreadable, bytes.status().text(), written.file, {}, {}, {}, {}});
        return false;
    }
    written.bytes = std::move(*bytes);
    auto document = assets::parse_toml(written.bytes.text(), written.file);
    problems_.add_all(document.problems);
    if (!problems_.is_empty()) return false;
    written.tree = std::move(document.root);
    ReadOptions options;
    options.file = written.file;
    options.subject = kProjectFile;
    options.text = written.bytes.text();
    written.reading = read_record(written.tree, type_of_record<ProjectDef>(), &def_, std::move(options));
    for (const std::string_view key : {"game_mode", "default_experience", "default_map"})
        if (const Node* node = written.tree.find(key)) places_.insert_or_assign(std::string(key), node->place);
    return true;
}

void Project::declare_tags(const Written& written) {
    for (std::size_t i = 0; i < def_.tags.size(); ++i)
        if (Status status = runtime_.tags().declare(def_.tags[i]); !status)
            written.problem(kBadTag, written.tree.find("tags")->entries()[i].place, status.text());
}

void Project::configure_variables(const Written& written) {
    Variables& variables = runtime_.variables();
    if (!def_.variables.is_none() && def_.variables.kind() != NodeKind::Table)
        return written.problem(kBadVariable, written.tree.find("variables")->place,
                               fmt::format("\"variables\" takes a table, not {}", to_string(def_.variables.kind())),
                               "write [variables] and a line NAME = VALUE for each");
    Variables to_come;
    add_declared(to_come);
    for (const Setting& setting : collect_settings(def_.variables)) {
        const Node& node = *setting.node;
        const std::string place = fmt::format("{}:{}:{}", written.file, node.key_place.line, node.key_place.column);
        const std::string value = setting_text(node);
        Status status = variables.configure(setting.name, value, {VariableSource::ConfigFile, place});
        auto known = variables.describe(setting.name);
        if (!known) {
            known = to_come.describe(setting.name);
            status = to_come.takes(setting.name, value);
        }
        if (!known)
            written.problem(kUnknownVariable, node.key_place,
                            fmt::format("unknown variable {}", in_quotes(setting.name)),
                            suggest_variable(variables, setting.name));
        else if (!status)
            written.problem(kBadVariable, node.place,
                            fmt::format("{} takes {}, not {}", in_quotes(setting.name), known->takes,
                                        node.kind() == NodeKind::List   ? "a list"
                                        : node.kind() == NodeKind::Text ? in_quotes(value)
                                                                        : value));
    }
}

void Project::add_content(const Written& written) {
    for (std::size_t i = 0; i < def_.content.size(); ++i) {
        const std::string& path = def_.content[i];
        const SourcePlace& place = written.tree.find("content")->entries()[i].place;
        if (!is_inside(written, place, path)) continue;
        if (auto root = assets_.registry().add_folder(join_path(folder_, path), Name("project")); !root)
            written.problem(kNoFolder, place, root.status().text());
    }
}

bool Project::is_inside(const Written& written, const SourcePlace& place, const std::string& path) {
    if (!leads_out(path)) return true;
    written.problem(kFolderOutside, place, fmt::format("{} leads out of the project", in_quotes(path)),
                    "write it from the project's root, without / or .. in front");
    return false;
}

void Project::find_features(const Written& written) {
    if (!def_.allowed_features.empty()) {
        experiences_.reset();
        features_.reset();
        policy_ = std::make_unique<features::AllowList>(fmt::format("allowed_features of {}", written.file),
                                                        def_.allowed_features);
        open_features();
    }
    for (std::size_t i = 0; i < def_.features.size(); ++i) {
        const std::string& path = def_.features[i];
        const SourcePlace& place = written.tree.find("features")->entries()[i].place;
        if (!is_inside(written, place, path)) continue;
        const std::string folder = join_path(folder_, path);
        if (auto there = files_.survey(folder, 0); !there)
            written.problem(kNoFolder, place, there.status().text());
        else
            note_broken(features_->discover(folder));
    }
    for (std::size_t i = 0; i < def_.allowed_features.size(); ++i) {
        const auto known = features_->known();
        const std::string_view name = def_.allowed_features[i].text();
        if (std::find(known.begin(), known.end(), def_.allowed_features[i]) != known.end()) continue;
        std::vector<std::string_view> names;
        for (Name id : known) names.push_back(id.text());
        written.problem(kNotAllowed, written.tree.find("allowed_features")->entries()[i].place,
                        fmt::format("no feature {}", in_quotes(name)),
                        name_hint(name, std::move(names), "lyre list features"));
    }
}

// By the id it has, as far as it can be read, and by its folder's name, which mostly is the id.
void Project::note_broken(const Problems& problems) {
    problems_.add_all(problems);
    std::set<std::string> seen;
    for (const Problem& problem : problems.all()) {
        const std::size_t slash = problem.file.rfind('/');
        if (slash == std::string::npos || problem.file.substr(slash + 1) != "feature.toml") continue;
        if (!seen.insert(problem.file).second) continue;
        const std::string folder = problem.file.substr(0, slash);
        broken_.try_emplace(folder.substr(folder.rfind('/') + 1), problem.file);
        const features::ManifestFile read = features::read_manifest(files_, folder);
        const Node* id = read.tree.kind() == NodeKind::Table ? read.tree.find("id") : nullptr;
        if (id != nullptr && id->kind() == NodeKind::Text) broken_.try_emplace(id->as_text(), problem.file);
    }
}

// A folder that is named and not there is told by check().
std::vector<assets::RootId> Project::add_content_of(const std::vector<Name>& ids) {
    std::vector<assets::RootId> roots;
    for (const Name id : ids) {
        const features::Manifest* manifest = features_->manifest(id);
        if (manifest == nullptr) continue;
        const std::string folder = feature_folder(id);
        if (auto root = assets_.registry().add_folder(join_path(folder, manifest->content), id)) roots.push_back(*root);
    }
    return roots;
}

std::string Project::feature_folder(Name id) const {
    const std::string file = features_->manifest_file(id);
    const std::size_t slash = file.rfind('/');
    return slash == std::string::npos ? std::string() : file.substr(0, slash);
}

// What manifests declare is registered with their features; these are the same to ask.
void Project::add_declared(Variables& to) const {
    for (const Name id : features_->known())
        for (const features::ManifestVariable& variable : features_->manifest(id)->variables)
            to.add_value(variable.to_def()).ignore();  // one that two declare is told by check()
}

std::vector<std::string> Project::declared_variables() const {
    std::vector<std::string> names;
    for (const Name id : features_->known())
        for (const features::ManifestVariable& variable : features_->manifest(id)->variables)
            names.push_back(variable.name);
    return names;
}

Status Project::check_setting(std::string_view name, std::string_view value) const {
    if (runtime_.variables().describe(name)) return runtime_.variables().takes(name, value);
    Variables to_come;
    add_declared(to_come);
    if (to_come.describe(name)) return to_come.takes(name, value);
    std::vector<std::string_view> names;
    for (const Variables* all : {&runtime_.variables(), static_cast<Variables*>(&to_come)})
        for (const VariableInfo& info : all->list()) names.push_back(info.name.text());
    return Status::not_found("no variable {}{}", in_quotes(name), did_you_mean(nearest(name, names)));
}

void Project::show_features() {
    OwnerScope as(owner_);
    add_content_of(features_->known());
    add_declared(runtime_.variables());
}

Result<assets::PrimaryAssetId> Project::find(std::string_view type, const std::string& wanted) {
    if (type == "feature") return find_feature(wanted);
    OwnerScope as(owner_);
    const std::string_view kind = type == experience::kActionSetType ? "action set" : type;
    assets::AssetRegistry& registry = assets_.registry();
    const auto id = assets::PrimaryAssetId::parse(wanted, Name(type));
    if (id && id->type.text() != type) return Status::not_found("{} is no {}", *id, kind);
    if (id && registry.find(*id) != nullptr) return *id;
    const std::string name = id ? std::string(id->name.text()) : wanted;

    const std::vector<Name> start = features_->from_the_start();
    const auto is_of_start = [&](Name one) { return std::find(start.begin(), start.end(), one) != start.end(); };
    std::vector<assets::RootId> roots = add_content_of(start);
    const std::vector<std::string> names = registry.names(Name(type));
    std::vector<Name> others = features_->known();
    std::erase_if(others, is_of_start);
    for (const assets::RootId root : add_content_of(others)) roots.push_back(root);
    const assets::AssetInfo* info = id ? registry.find(*id) : nullptr;
    const Name home = info != nullptr ? registry.root(info->root)->label : Name();
    for (const assets::RootId root : roots) registry.remove_root(root);

    if (home && is_of_start(home)) {
        if (start_ == nullptr || is_starting()) return *id;
        return Status::failed("{} {} lies in the feature {}, which did not come up at the start", kind, in_quotes(name),
                              home);
    }
    if (home)
        return Status::not_found(
            "{} {} lies in the feature {}, which is not there from the start: write initial_state = \"registered\" in "
            "{}",
            kind, in_quotes(name), home, features_->manifest_file(home));
    if (names.empty()) return Status::not_found("no {} {}: the project has none", kind, in_quotes(name));
    const std::string_view list = type == experience::kExperienceType ? "lyre list experiences" : "lyre list assets";
    return Status::not_found("no {} {}; {}", kind, in_quotes(name),
                             name_hint(name, {names.begin(), names.end()}, list));
}

Result<assets::PrimaryAssetId> Project::find_feature(const std::string& wanted) const {
    const auto known = features_->known();
    const auto id = assets::PrimaryAssetId::parse(wanted, Name("feature"));
    if (id && id->type != Name("feature")) return Status::not_found("{} is no feature", *id);
    if (id && std::find(known.begin(), known.end(), id->name) != known.end()) return *id;
    if (known.empty()) return Status::not_found("no feature {}: the project has none", in_quotes(wanted));
    std::vector<std::string_view> names;
    for (const Name one : known) names.push_back(one.text());
    return Status::not_found("no feature {}; {}", in_quotes(wanted),
                             name_hint(wanted, std::move(names), "lyre list features"));
}

void Project::start_features() {
    if (is_starting()) return;
    start_ = std::make_shared<Start>(Start{runtime_.clock().now_us()});
    features_->start([start = start_](const features::FeatureResults&) { start->is_over = true; });
}

experience::LoadingReport Project::start_report() const {
    return report_of(features_->from_the_start(), start_ == nullptr ? runtime_.clock().now_us() : start_->begin_us);
}

// How far features are that move since then. Who waits for another of them is not what is waited for, and comes last.
experience::LoadingReport Project::report_of(const std::vector<Name>& ids, std::int64_t begin_us) const {
    using features::FeatureState;
    experience::LoadingReport report;
    std::vector<experience::PendingItem> others;
    experience::StageCount count{.stage = "features"};
    const double seconds = static_cast<double>(runtime_.clock().now_us() - begin_us) / 1e6;
    for (const Name id : ids) {
        const features::FeatureReport said = features_->report(id);
        count.of += 1;
        if (said.goal.empty()) {
            count.done += 1;
            continue;
        }
        const FeatureState state = features_->state(id);
        const bool waits_for_others = state == FeatureState::WaitingForDependencies ||
                                      state == FeatureState::LoadingDependencies ||
                                      state == FeatureState::ActivatingDependencies;
        const std::string waits = said.state + (said.waits_for.empty() ? "" : ": " + said.waits_for);
        (waits_for_others ? others : report.pending)
            .push_back({"feature", said.id, waits, seconds, static_cast<double>(said.progress)});
    }
    std::move(others.begin(), others.end(), std::back_inserter(report.pending));
    report.progress = count.of == 0 ? 1 : static_cast<double>(count.done) / static_cast<double>(count.of);
    report.stages.push_back(std::move(count));
    return report;
}

void Project::end_start() {
    std::string late;
    for (const experience::PendingItem& item : start_report().pending)
        late += fmt::format("{}{} ({})", late.empty() ? "" : ", ", item.id, item.waits);
    start_->is_over = true;
    runtime_.log().report(
        LogLevel::Error, Name("project.start"), folder_,
        fmt::format("features that should be there from the start are late, it goes on without: {}", late));
}

// Without frames, for those who have not begun; on a clock that stands still it ends all the same.
void Project::await_start() {
    for (std::int64_t round = 0; is_starting(); ++round) {
        pump();
        if (!is_starting()) return;
        if (round * kWaitUs >= kStartUs) return end_start();
        executor_.wait_for_progress(kWaitUs);
    }
}

void Project::register_features() {
    std::vector<features::Target> targets;
    for (const Name id : features_->known()) targets.push_back({id, features::Destination::Registered});
    const auto answer = std::make_shared<bool>(false);
    features_->change_targets(targets, [answer](const features::FeatureResults&) { *answer = true; });
    const std::int64_t begin_us = runtime_.clock().now_us();
    for (std::int64_t round = 0; !*answer && round * kWaitUs < kStartUs; ++round) {
        pump();
        if (told_ && !*answer) {
            const experience::LoadingReport report = report_of(features_->known(), begin_us);
            const std::string item =
                report.pending.empty() ? "" : fmt::format("{}: {}", report.pending[0].id, report.pending[0].waits);
            if (!tell({"features", report.stages[0].done, targets.size(), {}, item})) return;
        }
        if (!*answer) executor_.wait_for_progress(kWaitUs);
    }
    if (!*answer)
        runtime_.log().report(LogLevel::Error, Name("project.start"), folder_,
                              "not every feature has been registered in time");
}

void Project::release_features() {
    for (const Name id : features_->known())
        if (features_->state(id) > features::FeatureState::Installed)
            features_->unload(id, features::KeepRegistered::No, {}, features::Dependents::TakeDown);
    features_->trim();
}

std::vector<std::string> Project::leftovers() const {
    std::vector<std::string> left;
    for (const Name id : features_->known()) {
        for (const features::LedgerEntry& entry : features_->ledger(id))
            left.push_back(fmt::format("feature {}: {} {}", id, to_string(entry.kind), entry.id));
        if (features_->report(id).is_resident) left.push_back(fmt::format("feature {}: its library is in memory", id));
    }
    for (const experience::SharedActionInfo& action : experiences_->shared_actions())
        left.push_back(fmt::format("action {}", action.kind));
    return left;
}

void Project::pump() {
    assets_.pump();
    features_->update();
    experiences_->update();
    if (is_starting() && runtime_.clock().now_us() - start_->begin_us >= kStartUs) end_start();
}

// Each feature alone: one that is wrong does not hide what is wrong with others.
bool Project::check_features() {
    using features::Destination;
    const std::vector<Name> ids = features_->known();
    const auto name_broken = [&](features::FeatureError& error) {  // what has a bad manifest is there all the same
        if (error.code != features::ErrorCode::DependencyMissing) return;
        if (const auto bad = broken_.find(error.dependency.text()); bad != broken_.end())
            error.text = fmt::format("{} needs {}, and its manifest has problems; mend {}", error.feature,
                                     error.dependency, bad->second);
    };
    for (std::size_t n = 0; n < ids.size(); ++n) {
        const Name id = ids[n];
        const auto answer = std::make_shared<std::optional<features::FeatureResult>>();  // one may come after a stop
        features_->change_target(id, Destination::Registered,
                                 [answer](const features::FeatureResult& result) { *answer = result; });
        while (!*answer) {
            pump();
            if (!tell({"features", n, ids.size(), {}, std::string(id.text())})) return features_->cancel(id), false;
            if (!*answer) executor_.wait_for_progress(kWaitUs);
        }
        std::optional<features::FeatureError>& error = (*answer)->error;
        if (error) name_broken(*error);
        const Problems* own = features_->problems(id);
        if (own != nullptr) problems_.add_all(*own);
        if (error) not_registered_.insert(id);
        if (error && !features::is_of_module(innermost(*error))) at_fault_.insert(features_->manifest_file(id));
        const features::ManifestFile manifest = features::read_manifest(files_, feature_folder(id));
        problems_.add_all(features::check_action_names(
            {manifest.file, fmt::format("feature {}", id), manifest.text, &manifest.tree}));
        if (error && (own == nullptr || own->is_empty()) && error->code != features::ErrorCode::DependencyFailed)
            problems_.add(features::feature_problem(*error, manifest));
        if (error) continue;
        const features::Wish wish{id, {}, {}};  // no world is there: what counts for a side has not been looked at
        features::Plan plan = features_->plan({&wish, 1}, features::Roles::all());
        for (features::FeatureError& wrong : plan.errors) {
            name_broken(wrong);
            problems_.add(features::feature_problem(wrong, manifest));
        }
    }
    add_content_of({not_registered_.begin(), not_registered_.end()});
    return true;
}

// The features that a file is of, or asks for.
std::set<Name> Project::features_of(const std::string& file) {
    std::set<Name> found;
    for (const Name id : not_registered_)
        if (file.rfind(feature_folder(id) + "/", 0) == 0) found.insert(id);
    const auto add = [&](const std::vector<experience::FeatureEntry>& entries) {
        for (const experience::FeatureEntry& entry : entries) found.insert(entry.id);
    };
    for (const std::string_view type : {experience::kExperienceType, experience::kActionSetType})
        for (const assets::PrimaryAssetId& id : assets_.registry().of_type(Name(type))) {
            if (assets_.registry().find(id)->entry.path != file) continue;
            if (const auto* set = assets_.find<experience::ActionSet>(id)) add(set->features);
            const auto* definition = assets_.find<experience::ExperienceDefinition>(id);
            if (definition == nullptr) continue;
            add(definition->features);
            for (const assets::PrimaryAssetId& of : experience::sets_of(*definition))
                if (const auto* set = assets_.find<experience::ActionSet>(of)) add(set->features);
        }
    return found;
}

// What somebody cannot know because a feature could not be registered is that feature's problem, which is told.
Problems Project::without_consequences(const Problems& problems) {
    if (not_registered_.empty()) return problems;
    Problems kept;
    std::map<std::string, bool> is_concerned;  // by file
    for (const Problem& problem : problems.all()) {
        if (is_of_unknown_name(problem) && !at_fault_.contains(problem.file)) {
            const auto [at, is_new] = is_concerned.try_emplace(problem.file, false);
            if (is_new)
                for (const Name id : features_of(problem.file)) at->second |= not_registered_.contains(id);
            if (at->second) continue;
        }
        kept.add(problem);
    }
    kept.count_more(problems.dropped());
    return kept;
}

void Project::add_classes() {
    const auto ids = assets_.registry().of_type(Name("archetype"));
    archetypes_ = assets_.load_assets(ids, Priority::High);
    if (!await(archetypes_, "archetypes")) return;
    problems_.add_all(archetypes_.problems());
    for (const assets::PrimaryAssetId& id : ids) {
        const auto* def = assets_.find<ArchetypeDef>(id);
        const Type* known = def == nullptr ? nullptr : runtime_.types().find(def->name);
        const bool is_made_already = known != nullptr && known->native == nullptr && known->owner == owner_;
        if (def == nullptr || is_made_already) continue;
        if (auto made = add_archetype(runtime_.types(), runtime_.tags(), *def); !made)
            problems_.add({&kBadClass, made.status().text(), assets_.registry().find(id)->entry.path, {}, {}, {}, {}});
    }
}

// That there are such is known by now; whether they are there when somebody plays, only before all features come.
void Project::check_defaults() {
    if (!is_configured_) return;
    for (const auto& [type, key, name] :
         {std::tuple(experience::kExperienceType, "default_experience", def_.default_experience),
          std::tuple(std::string_view("map"), "default_map", def_.default_map)}) {
        if (name.is_none()) continue;
        const auto id = find(type, std::string(name.text()));
        if (id) continue;
        const std::string& text = id.status().text();
        const std::size_t end = text.find(": ");  // behind it stands what would mend it
        add_own_problem(kDefaultTooLate, key, fmt::format("{}: {}", key, text.substr(0, end)),
                        end == std::string::npos ? "" : text.substr(end + 2));
    }
}

// Of a key in lyre.toml.
void Project::add_own_problem(const ProblemCode& code, std::string_view key, std::string text, std::string hint) {
    const auto place = places_.find(key);
    Problem problem{&code,
                    std::move(text),
                    join_path(folder_, kProjectFile),
                    place != places_.end() ? place->second : SourcePlace{},
                    {},
                    std::move(hint),
                    {}};
    if (const auto bytes = files_.read(problem.file, kMaxProjectFile)) quote_source(problem, bytes->text());
    problems_.add(std::move(problem));
}

bool Project::check() {
    OwnerScope as(owner_);
    check_defaults();
    if (!check_features()) return false;
    problems_.add_all(assets_.registry().problems());
    const auto ids = assets_.registry().all();
    assets::LoadHandle all = assets_.load_assets(ids);
    if (!await(all, "content")) return false;
    problems_.add_all(all.problems());
    std::vector<assets::LoadHandle> bundles;
    for (const assets::PrimaryAssetId& id : ids) {
        const auto table = assets_.bundle_table(id);
        if (!table) continue;
        assets::BundleChange change;
        for (const auto& bundle : (*table)->all())
            if (bundle.name) change.add.push_back(bundle.name);
        if (!change.add.empty()) bundles.push_back(assets_.change_bundle_state({&id, 1}, change));
    }
    assets::LoadHandle every_bundle = assets_.combine(std::move(bundles));
    if (!await(every_bundle, "bundles")) return false;
    problems_.add_all(every_bundle.problems());
    problems_.add_all(experience::check_experiences(assets_, *features_, files_, broken_));
    if (const auto rules = rules_class(); !rules && !folder_.empty() && is_configured_)
        add_own_problem(kBadRules, "game_mode", rules.status().text());
    problems_ = without_consequences(without_repeats(problems_));
    return true;
}

Result<const Type*> Project::rules_class() const {
    const TypeRegistry& types = runtime_.types();
    const Type* base = types.find<gameplay::GameMode>();
    const Type* type = types.find(def_.game_mode);
    if (type == nullptr) {
        std::vector<std::string_view> rules;
        for (const Type* one : types.all())
            if (one->is_a(*base)) rules.push_back(one->name.text());
        return Status::not_found("no class {} for game_mode of {}{}", in_quotes(def_.game_mode.text()), kProjectFile,
                                 did_you_mean(nearest(def_.game_mode.text(), rules)));
    }
    if (!type->is_a(*base) || type->is_abstract)
        return Status::not_found("game_mode of {} takes a class of GameMode, which {} is not", kProjectFile,
                                 type->name);
    return type;
}

Result<const LevelDef*> Project::load_map(Name name) {
    const assets::PrimaryAssetId id{Name("map"), name};
    if (Status status = load(id); !status) return status;
    return assets_.find<LevelDef>(id);
}

Status Project::load(const assets::PrimaryAssetId& id) {
    if (auto known = assets_.registry().get(id); !known) return known.status();
    assets::LoadHandle hold = assets_.load_assets({&id, 1}, Priority::High);
    if (!await(hold, id.to_string())) return {StatusCode::Cancelled, fmt::format("loading {} was interrupted", id)};
    problems_.add_all(hold.problems());
    if (!hold.is_complete()) return hold.status();
    holds_.insert_or_assign(id, std::move(hold));
    return Status::ok();
}

Result<ExperienceForecast> Project::forecast(Name name, std::span<const assets::PrimaryAssetId> overlays,
                                             NetMode role) {
    OwnerScope as(owner_);
    const assets::PrimaryAssetId id{Name(experience::kExperienceType), name};
    for (const assets::PrimaryAssetId& overlay : overlays)
        if (auto known = find_overlay(overlay); !known) return known;
    if (Status status = load(id); !status) return status;
    std::vector<assets::PrimaryAssetId> sets = experience::sets_of(*assets_.find<experience::ExperienceDefinition>(id));
    std::copy_if(overlays.begin(), overlays.end(), std::back_inserter(sets), is_set);
    for (const assets::PrimaryAssetId& set : sets)
        if (Status status = load(set); !status) return status;
    const auto source = experience::plan_source(assets_, id, overlays);
    if (!source) return source.status();
    const features::Catalogue catalogue = features_->catalogue();
    const experience::FeatureSource there{
        catalogue, [this](Name feature) { return features_->manifest_hash(feature); },
        [this, excluded = features_->why_not_after_start()](Name feature, const std::vector<Name>& planned) {
            auto why = features_->why_not(feature, owner_, features::Destination::Active);
            return why ? std::move(why) : excluded(feature, planned);
        }};
    ExperienceForecast forecast{experience::make_plan(*source, there, role), {}};
    forecast.assets = assets_of(forecast.plan);
    for (const experience::PlannedFeature& feature : forecast.plan.features) {
        auto actions = experience::actions_of_feature(*catalogue.find(feature.id));
        if (!actions) continue;  // told by check()
        std::move(actions->begin(), actions->end(), std::back_inserter(forecast.feature_actions));
    }
    if (forecast.plan.is_ok()) problems_.add_all(experience::check_plan(forecast.plan, assets_, *features_, files_));
    return forecast;
}

Status Project::find_overlay(const assets::PrimaryAssetId& id) {
    if (!is_set(id) && id.type != Name("feature"))
        return Status::invalid("{} is neither an action set nor a feature", id);
    return find(id.type.text(), std::string(id.name.text())).status();
}

// The definition and sets with what they always need, what their bundles name, and `assets`.
std::vector<assets::AssetEntry> Project::assets_of(const experience::ExperiencePlan& plan) {
    std::set<assets::PrimaryAssetId> ids;
    for (const experience::PlannedBundle& planned : plan.bundles) {
        ids.insert(planned.asset);
        if (!planned.bundle) continue;
        const auto table = experience::bundle_table(assets_, planned.asset, runtime_);
        if (!table) continue;
        for (const Name bundle : {Name(), planned.bundle})
            for (const assets::BundleEntry& entry : table->entries(bundle))
                if (!entry.asset.is_none()) ids.insert(entry.asset);
    }
    std::vector<assets::AssetEntry> entries;
    for (const assets::PrimaryAssetId& id : ids)
        if (const assets::AssetInfo* info = assets_.registry().find(id)) entries.push_back(info->entry);
    return entries;
}

std::uint64_t ExperienceForecast::bytes() const {
    std::uint64_t sum = 0;
    for (const assets::AssetEntry& asset : assets) sum += asset.bytes;
    return sum;
}

// Without somebody who is told it is Assets::finish(), which also finds out that nothing can go on.
bool Project::await(const assets::LoadHandle& handle, const std::string& stage) {
    if (!told_) return assets_.finish(handle), true;
    while (!handle.is_over()) {
        assets_.pump();
        const auto waiting = handle.waiting_for(1);
        if (!tell({stage, 0, 0, handle.bytes(), waiting.empty() ? "" : waiting.front()})) return false;
        if (!handle.is_over()) executor_.wait_for_progress(kWaitUs);
    }
    return true;
}

Status Project::result() const {
    return problems_.to_status();
}

}  // namespace lyre::session
