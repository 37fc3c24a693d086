#include "lyre/session/project.h"

#include <algorithm>
#include <tuple>

#include "lyre/assets/toml.h"
#include "lyre/core/content_reader.h"
#include "lyre/core/settings_table.h"
#include "lyre/core/suggest.h"
#include "lyre/experience/experiences.h"
#include "lyre/features/builtin_actions.h"
#include "lyre/framework/component_manager.h"
#include "lyre/gameplay/game_mode.h"
#include "lyre/gameplay/gameplay.h"
#include "lyre/world/archetype.h"

namespace lyre::session {
namespace {

constexpr std::uint64_t kMaxProjectFile = 1 << 20;  // bytes

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
    for (const WrittenSetting& setting : collect_settings(def_.variables)) {
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
                            name_hint(setting.name, variable_names(to_come), "lyre list variables"));
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
        broken_folders_.insert(folder);
        broken_.insert(folder.substr(folder.rfind('/') + 1));
        const features::ManifestFile read = features::read_manifest(files_, folder);
        const Node* id = read.tree.kind() == NodeKind::Table ? read.tree.find("id") : nullptr;
        if (id != nullptr && id->kind() == NodeKind::Text) broken_.emplace(id->as_text());
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
    return Status::not_found("no variable {}{}", in_quotes(name), did_you_mean(nearest(name, variable_names(to_come))));
}

// Those that are there, and those that manifests declare.
std::vector<std::string_view> Project::variable_names(const Variables& to_come) const {
    std::vector<std::string_view> names;
    for (const Variables* all : {static_cast<const Variables*>(&runtime_.variables()), &to_come})
        for (const VariableInfo& info : all->list()) names.push_back(info.name.text());
    return names;
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

void Project::check_rules() {
    if (const auto rules = rules_class(); !rules && !folder_.empty() && is_configured_)
        add_own_problem(kBadRules, "game_mode", rules.status().text());
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
