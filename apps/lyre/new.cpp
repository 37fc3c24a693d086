#include "apps/lyre/new.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/file.h>
#include <unistd.h>

#include "lyre/assets/toml.h"
#include "lyre/core/files_native.h"
#include "lyre/core/suggest.h"
#include "lyre/core/thread_pool_native.h"
#include "lyre/core/utf8.h"
#include "lyre/experience/definition.h"
#include "lyre/features/module_native.h"
#include "lyre/session/project.h"

#include "apps/lyre/new_experience.h"
#include "apps/lyre/new_feature.h"
#include "apps/lyre/project_options.h"

namespace lyre::app {
namespace {

namespace fs = std::filesystem;

// Where they go if lyre.toml names no folder for them.
constexpr const char* kFeatures = "game";
constexpr const char* kContent = "content";
constexpr std::uint64_t kMaxFile = 1 << 20;  // bytes that are read of one

bool is_feature_name(const std::string& name) {
    const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
    const auto is_fine = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; };
    return !name.empty() && name.size() <= features::kMaxFeatureId && is_letter(name[0]) &&
           std::all_of(name.begin(), name.end(), is_fine);
}

Status write_files(const fs::path& folder, const std::vector<NewFile>& files) {
    for (const NewFile& one : files) {
        const fs::path path = folder / one.path;
        std::error_code error;
        fs::create_directories(path.parent_path(), error);
        std::ofstream file(path, std::ios::binary | std::ios::trunc);
        file << one.text;
        file.close();
        if (!error && !file) error.assign(errno, std::generic_category());
        if (error) return Status::failed("cannot write {}: {}", in_quotes(path.string()), error.message());
    }
    return Status::ok();
}

// Beside its place first, under a name that nobody looks at, so that it is there whole or not at all.
Status write_whole(const fs::path& folder, const std::vector<NewFile>& files) {
    const fs::path beside = folder.parent_path() / fmt::format(".new_{}", folder.filename().string());
    std::error_code error;
    fs::remove_all(beside, error);  // of one that was interrupted
    Status status = write_files(beside, files);
    if (status) {
        fs::rename(beside, folder, error);
        if (error) status = Status::failed("cannot make {}: {}", in_quotes(folder.string()), error.message());
    }
    if (!status) fs::remove_all(beside, error);
    return status;
}

// Whether nothing of this name is there; a value is the exit code, and all is said.
std::optional<int> refuse_taken(const Command& command, const fs::path& path) {
    std::error_code error;
    const fs::file_type type = fs::symlink_status(path, error).type();
    if (type == fs::file_type::not_found) return std::nullopt;
    if (type == fs::file_type::none)
        return fail(command, fmt::format("cannot look at {}: {}", in_quotes(path.string()), error.message()), kFailed);
    return fail(command, fmt::format("{} is there already", in_quotes(path.string())));
}

// Held while one is made: who makes another in the same project waits. Where it cannot be had it goes without.
class ProjectLock {
public:
    explicit ProjectLock(const std::string& project_file)
        : file_(::open(project_file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
        if (file_ >= 0) ::flock(file_, LOCK_EX);
    }
    ~ProjectLock() {
        if (file_ >= 0) ::close(file_);
    }
    ProjectLock(const ProjectLock&) = delete;
    ProjectLock& operator=(const ProjectLock&) = delete;

private:
    int file_;
};

struct ProjectFile {
    std::string folder;
    Node written;  // in its lyre.toml
};

// Those below the project that it names under this key.
std::vector<std::string> folders_of(const Node& file, std::string_view key) {
    std::vector<std::string> folders;
    const Node* list = file.find(key);
    if (list == nullptr || list->kind() != NodeKind::List) return folders;
    for (const Node& one : list->entries())
        if (one.kind() == NodeKind::Text && !leads_out(one.as_text())) folders.push_back(one.as_text());
    return folders;
}

// How people call the command here: in a checkout there is a script that builds first.
std::string lyre_of(const std::string& project) {
    std::error_code error;
    const fs::path script = fs::path(project) / "lyre";
    if (!fs::is_regular_file(script, error)) return "lyre";
    return project == "." ? "./lyre" : cleaned(script.string());
}

// The project's default experience, for a new one to begin as, wherever it lies; without text: there is none.
struct Model {
    std::string name, text;
};
Model model_of(const Files& files, const ProjectFile& of) {
    Runtime runtime;
    runtime.log().print_to(nullptr);  // what is wrong with the project is the business of `lyre check`
    ThreadPool pool;
    session::Project project(runtime, files, pool);
    project.open(of.folder).ignore();
    project.show_features();
    const Name name = project.def().default_experience;
    const auto* found = project.assets().registry().find({Name(experience::kExperienceType), name});
    if (found == nullptr) return {};
    const auto bytes = files.read(found->entry.path, kMaxFile);
    return bytes ? Model{std::string(name.text()), std::string(bytes->text())} : Model{};
}

// Before what to do next, which goes to stderr.
void say_made(const fs::path& path) {
    out("{}\n", cleaned(path.string()));
}

int feature(const Command& command, const Files&, const ProjectFile& project, const std::string& name) {
    if (!is_feature_name(name))
        return fail(command, fmt::format("{} is no name of a feature: small letters, digits and '_', at most {}, "
                                         "a letter first",
                                         in_quotes(name), features::kMaxFeatureId));
    const std::vector<std::string> named = folders_of(project.written, "features");
    const std::string below = named.empty() ? kFeatures : named.front();
    const fs::path root = (fs::path(project.folder) / below).lexically_normal();
    const fs::path folder = root / name;
    std::error_code error;
    if (const auto code = refuse_taken(command, folder)) return *code;
    const std::string lyre = lyre_of(project.folder);
    if (Status status = write_whole(folder, new_feature(name, lyre)); !status)
        return fail(command, status.text(), kFailed);

    say_made(folder);
    if (named.empty()) tell("Let lyre find it: features = [\"{}\"] in {}\n", below, session::kProjectFile);
    const bool is_built = fs::exists(root / "CMakeLists.txt", error);  // it takes all that are beside it
    if (!is_built) tell("Build it: add_subdirectory({}/{}) in your CMakeLists.txt, behind lyre\n", below, name);
    const bool is_checkout = is_built && lyre != "lyre";  // whose script builds what it is to play
    tell("Play it{}: {} play --with {}\n", is_checkout ? "" : ", once it is built", lyre, name);
    return kDone;
}

int experience(const Command& command, const Files& files, const ProjectFile& project, const std::string& name) {
    if (!is_asset_name(name))
        return fail(command, fmt::format("{} is no name of an experience: small letters, digits and '_', at most {}",
                                         in_quotes(name), kMaxAssetName));
    const std::vector<std::string> named = folders_of(project.written, "content");
    const fs::path folder = (fs::path(project.folder) / (named.empty() ? kContent : named.front())).lexically_normal();
    const Model model = model_of(files, project);
    const NewFile file = model.text.empty() ? new_experience(name) : new_experience_like(name, model.name, model.text);
    const fs::path path = folder / file.path;
    std::error_code error;
    if (const auto code = refuse_taken(command, path)) return *code;
    const NewFile beside{fmt::format(".new_{}", file.path), file.text};
    Status status = write_files(folder, {beside});
    if (status) {
        fs::rename(folder / beside.path, path, error);
        if (error) status = Status::failed("cannot make {}: {}", in_quotes(path.string()), error.message());
    }
    if (!status) return fs::remove(folder / beside.path, error), fail(command, status.text(), kFailed);

    say_made(path);
    if (named.empty()) tell("Let lyre find it: content = [\"{}\"] in {}\n", kContent, session::kProjectFile);
    tell("Play it: {} play --experience {}\n", lyre_of(project.folder), name);
    return kDone;
}

// What can be made.
struct Making {
    std::string_view what;
    int (*make)(const Command& command, const Files& files, const ProjectFile& project, const std::string& name);
    operator std::string_view() const { return what; }
};
constexpr Making kMakings[] = {{"feature", feature}, {"experience", experience}};

}  // namespace

int make_new(const Command& command, const Words& words) {
    std::string what, name, project;
    Options options(command);
    options.word("WHAT", what, "feature or experience");
    options.word("NAME", name, "small letters, digits and '_'");
    options.word("--project DIR", project, "folder with a lyre.toml (the nearest upwards)");
    if (const auto code = options.parse(words)) return *code;
    const auto* making =
        std::find_if(std::begin(kMakings), std::end(kMakings), [&](const Making& one) { return one.what == what; });
    if (what.empty() || (making != std::end(kMakings) && name.empty()))
        return fail(command, "say what to make: lyre new feature NAME, or lyre new experience NAME");
    if (making == std::end(kMakings))
        return fail(command, fmt::format("cannot make {}; {}", in_quotes(what),
                                         name_hint(what, {std::begin(kMakings), std::end(kMakings)})));
    const RealFiles files;
    if (!project.empty())
        if (const Status status = know_project(files, project); !status) return fail(command, status.text());
    if (project.empty()) {
        auto found = find_project(files, ".");
        if (!found) return fail(command, fmt::format("no {} here or above; say --project DIR", session::kProjectFile));
        project = *found;
    }
    const std::string path = fmt::format("{}/{}", project, session::kProjectFile);
    const auto bytes = files.read(path, kMaxFile);
    if (!bytes) return fail(command, bytes.status().text());
    const ProjectLock lock(path);
    assets::TomlDocument document = assets::parse_toml(bytes->text(), cleaned(path));
    if (!document.problems.is_empty()) {
        print_problems(STDERR_FILENO, document.problems);
        return fail(command, fmt::format("{} cannot be read, so where it goes is not known", session::kProjectFile));
    }
    return making->make(command, files, {project, std::move(document.root)}, name);
}

}  // namespace lyre::app
