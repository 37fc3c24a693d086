#include "lyre/features/manifest.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "lyre/assets/toml.h"
#include "lyre/core/content_codes.h"
#include "lyre/core/suggest.h"
#include "lyre/core/tags.h"
#include "lyre/core/variable_value.h"
#include "lyre/features/detail/texts.h"
#include "lyre/features/feature_codes.h"
#include "lyre/features/module.h"

namespace lyre::features {

using namespace feature_code;

namespace {

bool is_variable_text(std::string_view text) {
    char before = '.';
    for (const char c : text) {
        const bool is_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
        if (!is_word && (c != '.' || before == '.')) return false;
        before = c;
    }
    return before != '.' && text.size() <= Nearest::kMaxLength;
}

bool do_sides_meet(Side a, Side b) {
    return a == b || a == Side::Both || b == Side::Both;
}

// What no single value shows. Each part is judged by itself, so that one mistake does not hide another; what could not
// be read has been reported and is passed over.
class ManifestCheck {
public:
    explicit ManifestCheck(ManifestFile& file) : file_(file), manifest_(file.manifest) {}

    void run() {
        check_id();
        check_texts();
        check_paths();
        check_tags();
        check_variables();
        check_dependencies();
        check_count("tags", manifest_.tags.size(), kMaxTags);
        check_count("scripts", manifest_.scripts.size(), kMaxScripts);
        check_count("capabilities", manifest_.capabilities.size(), kMaxCapabilities);
        check_count("variable", manifest_.variables.size(), kMaxVariables);
        check_count("dependency", manifest_.dependencies.size(), kMaxDependencies);
        check_count("action", manifest_.actions.size(), kMaxActions);
        if (!manifest_.extra.is_none() && manifest_.extra.kind() != NodeKind::Table)
            problem(content_code::kWrongType, place_of("extra"),
                    fmt::format("\"extra\" takes a table, not {}", to_string(manifest_.extra.kind())),
                    "write [extra] and a line KEY = VALUE for each");
    }

private:
    static constexpr std::size_t kNoIndex = SIZE_MAX;

    void problem(const ProblemCode& code, SourcePlace place, std::string text, std::string hint = {}) {
        Problem problem{&code, std::move(text), file_.file, place, {}, std::move(hint), {}};
        quote_source(problem, file_.text);
        file_.problems.add(std::move(problem));
    }

    // Of `key`, of its entry, or of a key in that entry; the nearest that is there.
    const Node& node_of(std::string_view key, std::size_t index = kNoIndex, std::string_view inner = {}) const {
        const Node* node = file_.tree.find(key);
        if (node == nullptr) return file_.tree;
        if (index != kNoIndex && index < node->entries().size()) node = &node->entries()[index];
        const Node* deeper = inner.empty() ? nullptr : node->find(inner);
        return deeper != nullptr ? *deeper : *node;
    }
    SourcePlace place_of(std::string_view key, std::size_t index = kNoIndex, std::string_view inner = {}) const {
        return node_of(key, index, inner).place;
    }
    bool is_written(std::string_view key, std::size_t index, std::string_view inner) const {
        return &node_of(key, index, inner) != &node_of(key, index);
    }

    void check_count(std::string_view key, std::size_t count, std::size_t most) {
        if (count > most)
            problem(kManifestTooMany, place_of(key, most),
                    fmt::format("\"{}\" has {} entries; {} are allowed", key, count, most));
    }

    void check_id() {
        if (manifest_.id && !is_feature_id(manifest_.id.text()))
            problem(kBadFeatureId, place_of("id"), fmt::format("{} is no feature id", in_quotes(manifest_.id.text())),
                    "a-z, 0-9 and _, at most 100");
    }

    void check_text(std::string_view text, std::string_view key, std::size_t index = kNoIndex,
                    std::string_view inner = {}) {
        if (text.size() > kMaxManifestText)
            problem(kManifestTextTooLong, place_of(key, index, inner),
                    fmt::format("\"{}\" has {} bytes; {} are allowed", inner.empty() ? key : inner, text.size(),
                                kMaxManifestText));
    }
    void check_texts() {
        check_text(manifest_.title, "title");
        for (std::size_t i = 0; i < manifest_.variables.size(); ++i)
            check_text(manifest_.variables[i].help, "variable", i, "help");
        for (std::size_t i = 0; i < manifest_.dependencies.size(); ++i)
            check_text(manifest_.dependencies[i].reason, "dependency", i, "reason");
    }

    void check_path(const std::string& path, SourcePlace place) {
        if (leads_out(path))
            problem(kFolderLeadsOut, place, fmt::format("{} leads out of the feature's folder", in_quotes(path)),
                    "write it from the feature's folder, without / or .. in front");
    }
    void check_paths() {
        check_path(manifest_.content, place_of("content"));
        for (std::size_t i = 0; i < manifest_.scripts.size(); ++i)
            check_path(manifest_.scripts[i], place_of("scripts", i));
        const std::string& module = manifest_.module.name;
        if (!module.empty() && !is_module_name(module))
            problem(kBadModuleName, node_of("module").find("name")->place,
                    fmt::format("{} is no name of a module", in_quotes(module)), "letters, digits, _ and -");
    }

    void check_tags() {
        TagTable tags;  // only to hear what it says
        for (std::size_t i = 0; i < std::min(manifest_.tags.size(), kMaxTags); ++i)
            if (Status status = tags.declare(manifest_.tags[i]); !status)
                problem(kManifestTag, place_of("tags", i), status.text());
    }

    void check_variables() {
        std::set<std::string_view> seen;
        for (std::size_t i = 0; i < manifest_.variables.size(); ++i) {
            const ManifestVariable& variable = manifest_.variables[i];
            const SourcePlace place = place_of("variable", i, "name");
            if (variable.name.empty()) continue;
            if (!is_variable_text(variable.name))
                problem(kBadVariableName, place, fmt::format("{} is no name of a variable", in_quotes(variable.name)),
                        "words of letters, digits and _, with dots between");
            if (!seen.insert(variable.name).second)
                problem(kVariableTwice, place, fmt::format("variable {} is declared above", in_quotes(variable.name)));
            check_default(variable, place_of("variable", i, "default"));
        }
    }
    void check_default(const ManifestVariable& variable, SourcePlace place) {
        const Node& value = variable.default_value;
        const bool is_text = value.kind() == NodeKind::Text;
        const bool is_value = is_text || value.kind() == NodeKind::Bool || value.kind() == NodeKind::Integer ||
                              value.kind() == NodeKind::Float;
        if (value.is_none()) return;  // its absence has been reported
        std::string text;
        if (!is_value)
            text = fmt::format("the default of {} is {}", in_quotes(variable.name), to_string(value.kind()));
        else if (value.kind() == NodeKind::Float && !std::isfinite(value.as_float()))
            text = fmt::format("the default of {} is {}", in_quotes(variable.name), value.print());
        else if (is_text && value.as_text().size() > VariableDomain::kMaxText)
            text = fmt::format("the default of {} has {} bytes; {} are allowed", in_quotes(variable.name),
                               value.as_text().size(), VariableDomain::kMaxText);
        if (!text.empty()) problem(kVariableDefault, place, std::move(text), "write true or false, a number or a text");
    }

    void check_dependencies() {
        const auto& all = manifest_.dependencies;
        for (std::size_t i = 0; i < all.size(); ++i) {
            const Dependency& dependency = all[i];
            const std::string_view id = dependency.id.text();
            if (id.empty()) continue;
            if (!is_feature_id(id))
                problem(kBadFeatureId, place_of("dependency", i, "id"),
                        fmt::format("{} is no feature id", in_quotes(id)), "a-z, 0-9 and _, at most 100");
            if (dependency.id == manifest_.id)
                problem(kSelfDependency, place_of("dependency", i, "id"), fmt::format("{} depends on itself", id),
                        "take this entry out");
            if (dependency.kind != DependencyKind::Incompatible && is_written("dependency", i, "scope"))
                problem(kScopeNotIncompatible, place_of("dependency", i, "scope"),
                        fmt::format("dependency {} has a scope, and is {}", in_quotes(id), kind_text(dependency.kind)),
                        "take scope out, or write kind = \"incompatible\"");
            if (i < kMaxDependencies) check_conflict(i);
        }
    }
    void check_conflict(std::size_t index) {
        const Dependency& later = manifest_.dependencies[index];
        for (std::size_t i = 0; i < index; ++i) {
            const Dependency& earlier = manifest_.dependencies[i];
            if (earlier.id != later.id || earlier.kind == later.kind || !do_sides_meet(earlier.side, later.side))
                continue;
            return problem(
                kDependencyConflict, place_of("dependency", index, "id"),
                fmt::format("{} is {} here and {} in line {}", in_quotes(later.id.text()), kind_text(later.kind),
                            kind_text(earlier.kind), place_of("dependency", i, "id").line),
                "keep the one that is meant");
        }
    }
    static std::string kind_text(DependencyKind kind) { return value_type<DependencyKind>().print(&kind); }

    ManifestFile& file_;
    const Manifest& manifest_;
};

// For people, and before anything is read: what the file seems to be called.
std::string subject_of(const Node& tree) {
    const Node* id = tree.find("id");
    const bool is_good = id != nullptr && id->kind() == NodeKind::Text && is_feature_id(id->as_text());
    return is_good ? "feature " + id->as_text() : std::string(kManifestFile);
}

void sort_by_place(Problems& problems) {
    std::vector<Problem> all = problems.all();
    std::stable_sort(all.begin(), all.end(), [](const Problem& a, const Problem& b) {
        return std::tie(a.place.line, a.place.column) < std::tie(b.place.line, b.place.column);
    });
    Problems sorted;
    for (Problem& problem : all) sorted.add(std::move(problem));
    sorted.count_more(problems.dropped());
    problems = std::move(sorted);
}

VariableValue variable_value(const Node& written) {  // the manifest's reader lets nothing else through
    switch (written.kind()) {
        case NodeKind::Bool:
            return written.as_bool();
        case NodeKind::Integer:
            return written.as_integer();
        case NodeKind::Float:
            return written.as_float();
        default:
            return written.as_text();
    }
}

}  // namespace

bool is_feature_id(std::string_view text) {
    static_assert(kMaxFeatureId == kMaxAssetName);
    return is_asset_name(text);
}

void Dependency::describe(TypeBuilder<Dependency>& t) {
    t.help("another feature, and how this one stands to it");
    t.property("id", &Dependency::id).required().help("of the other feature");
    t.property("kind", &Dependency::kind).help("required (default), optional, or incompatible: never together");
    t.property("versions", &Dependency::versions).help("which versions of it; any if left out");
    t.property("side", &Dependency::side).help("counts only where the game is shown (client) or decided (server)");
    t.property("scope", &Dependency::scope).help("of incompatible: not in one world (default), or not in one process");
    t.property("reason", &Dependency::reason).help("for whoever reads the message when it does not work out");
}

VariableDef<VariableValue> ManifestVariable::to_def() const {
    VariableDef<VariableValue> def;
    def.name = name;
    def.default_value = variable_value(default_value);
    def.help = help;
    def.flags = {has(VariableFlag::Cheat), has(VariableFlag::Replicated), has(VariableFlag::ReadOnly)};
    return def;
}

bool ManifestVariable::has(VariableFlag flag) const {
    return std::find(flags.begin(), flags.end(), flag) != flags.end();
}

void ManifestVariable::describe(TypeBuilder<ManifestVariable>& t) {
    t.help("a console variable of the feature");
    t.property("name", &ManifestVariable::name).required().help("words with dots between: tag.RoundSecs");
    t.property("default", &ManifestVariable::default_value).required().help("its value, which also says its type");
    t.property("help", &ManifestVariable::help).help("one line for people");
    t.property("flags", &ManifestVariable::flags).help("cheat, replicated, read_only");
}

void ModuleName::describe(TypeBuilder<ModuleName>& t) {
    t.help("the library with the feature's code");
    t.property("name", &ModuleName::name).required().help("of the library, without prefix and ending");
}

void Manifest::describe(TypeBuilder<Manifest>& t) {
    t.help("a feature, as feature.toml in its folder says it");
    t.property("id", &Manifest::id).required().help("its name everywhere: a-z, 0-9 and _");
    t.property("version", &Manifest::version).required().help("MAJOR.MINOR.PATCH by the rules of semver.org");
    t.property("title", &Manifest::title).help("what people read");
    t.property("initial_state", &Manifest::initial_state).help("where the program brings it when it starts");
    t.property("content", &Manifest::content).help("folder with its content files");
    t.property("tags", &Manifest::tags).help("gameplay tags that it declares");
    t.property("scripts", &Manifest::scripts).help("script files, in the order they are run");
    t.property("capabilities", &Manifest::capabilities).help("what it uses beyond the game's own");
    t.property("module", &Manifest::module).help("its code, if it has any");
    t.property("variable", &Manifest::variables).help("console variables that it brings");
    t.property("dependency", &Manifest::dependencies).help("other features");
    t.property("action", &Manifest::actions).help("what it does while it is active, in this order");
    t.property("extra", &Manifest::extra).help("whatever others want to keep here");
}

ManifestFile read_manifest(const Files& files, const std::string& folder, const PartKinds* kinds) {
    ManifestFile file;
    file.folder = folder;
    file.file = join_path(folder, kManifestFile);
    if (const auto info = files.look(file.file)) file.changed_ns = info->changed_ns;
    auto bytes = files.read(file.file, kMaxManifestBytes);
    if (!bytes) {
        file.problems.add({&kManifestUnreadable, bytes.status().text(), file.file, {}, {}, {}, {}});
        return file;
    }
    file.text = bytes->text();
    auto document = assets::parse_toml(file.text, file.file);
    file.problems = std::move(document.problems);
    if (!file.problems.is_empty()) return file;
    file.tree = std::move(document.root);
    ReadOptions options;
    options.file = file.file;
    options.subject = subject_of(file.tree);
    options.text = file.text;
    options.kinds = kinds;
    options.keep_unknown_kinds = true;
    file.reading = read_record(file.tree, type_of_record<Manifest>(), &file.manifest, std::move(options));
    file.problems = std::exchange(file.reading.problems, {});
    ManifestCheck(file).run();
    sort_by_place(file.problems);
    return file;
}

namespace {

Problem not_found_problem(const std::string& path, std::string text, std::string hint) {
    Problem problem;
    problem.code = &kManifestUnreadable;
    problem.text = std::move(text);
    problem.file = path;
    problem.hint = std::move(hint);
    return problem;
}

// What has the name of a manifest and is none.
Problem no_manifest(const Files& files, const std::string& file, FileKind kind) {
    const char* hint = "write the manifest there, or take the folder out of the features";
    if (kind == FileKind::Folder) return not_found_problem(file, fmt::format("{} is a folder", file), hint);
    if (kind == FileKind::LinkOut)
        return not_found_problem(file, fmt::format("{} is a link that leads out of the features", file), hint);
    const auto info = files.look(file);
    if (info) return not_found_problem(file, fmt::format("{} is no file", file), hint);
    if (info.status().code() == StatusCode::NotFound)
        return not_found_problem(file, fmt::format("{} is a link that leads nowhere", file), hint);
    return not_found_problem(file, info.status().text(), hint);
}

// Something beside the folders of features that might have been meant as one.
std::optional<Problem> no_folder(const Files& files, const std::string& root, const std::string& name, FileKind kind) {
    const std::string path = join_path(root, name);
    if (name.front() == '.' || (kind != FileKind::LinkOut && kind != FileKind::Other)) return std::nullopt;
    if (kind == FileKind::LinkOut) {
        const auto led_to = files.look(join_path(path, kManifestFile));
        if (!led_to || led_to->kind != FileKind::Regular) return std::nullopt;
        return not_found_problem(
            path, fmt::format("{} is a link that leads out of {}: no feature is looked for there", path, root),
            "put the folder itself there, or name the folder it stands in under `features` of "
            "lyre.toml");
    }
    const auto info = files.look(path);
    if (info && info->kind != FileKind::Folder) return std::nullopt;  // a pipe, a device
    if (info) {
        const auto listed = files.list(path);
        return not_found_problem(path, listed ? fmt::format("{} could not be read", path) : listed.status().text(),
                                 "let whoever runs this read it, or take it out of the features");
    }
    return not_found_problem(path,
                             info.status().code() == StatusCode::NotFound
                                 ? fmt::format("{} is a link that leads nowhere", path)
                                 : info.status().text(),
                             "mend the link, or take it out of the features");
}

}  // namespace

Result<std::vector<std::string>> find_manifests(const Files& files, const std::string& root, Problems* problems) {
    const auto listed = files.survey(root, 1);
    if (!listed) return listed.status();
    std::vector<std::string> folders;
    for (const FileInfo& info : *listed) {
        const std::size_t slash = info.path.find('/');
        if (slash == std::string::npos) {
            auto problem = problems != nullptr ? no_folder(files, root, info.path, info.kind) : std::nullopt;
            if (problem) problems->add(std::move(*problem));
        } else if (std::string_view(info.path).substr(slash + 1) == kManifestFile) {
            if (info.kind == FileKind::Regular)
                folders.push_back(info.path.substr(0, slash));
            else if (problems != nullptr)
                problems->add(no_manifest(files, join_path(root, info.path), info.kind));
        }
    }
    std::sort(folders.begin(), folders.end());
    for (std::string& folder : folders) folder = join_path(root, folder);
    return folders;
}

}  // namespace lyre::features
