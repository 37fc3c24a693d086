#include "apps/lyre/project_options.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "lyre/core/suggest.h"

namespace lyre::app {

Result<std::string> find_project(const Files& files, const std::string& from) {
    namespace fs = std::filesystem;
    std::error_code error;
    const fs::path here = fs::current_path(error);
    const fs::path start = (here / from / "").lexically_normal().parent_path();  // without '/' at its end
    auto found = session::Project::find_upwards(files, start.string());
    if (!found || fs::path(from).is_absolute()) return found;
    const fs::path shorter = fs::path(*found).lexically_relative(here);
    return shorter.empty() || *shorter.begin() == ".." ? *found : shorter.string();
}

std::vector<std::string> module_folders() {
    std::error_code error;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
    if (error) return {};
    return {(program.parent_path().parent_path().parent_path() / "features").string()};
}

std::vector<std::string> module_folders_of(const std::string& project) {
    namespace fs = std::filesystem;
    std::error_code error;
    const fs::path build = fs::path(project == "." ? "" : project) / "build";
    const fs::path own = module_folders().empty() ? fs::path() : fs::path(module_folders().front()).parent_path();
    const fs::path all = fs::weakly_canonical(fs::absolute(build, error), error);
    if (own == all || own.parent_path() == all) return {};  // the program is of the project: its own build counts alone
    std::vector<std::string> folders;
    for (fs::directory_iterator at(build, error), end; !error && at != end; at.increment(error))
        if (fs::is_directory(at->path() / "features", error)) folders.push_back((at->path() / "features").string());
    const std::string like_program = (build / own.filename() / "features").string();
    std::sort(folders.begin(), folders.end(), [&](const std::string& a, const std::string& b) {
        return std::pair(a != like_program, a) < std::pair(b != like_program, b);
    });
    folders.insert(folders.begin(), (build / "features").string());
    return folders;
}

ProjectOptions::ProjectOptions() : modules_(module_folders()) {}

void ProjectOptions::declare(Options& options) {
    options.word("--project DIR", folder_, "folder with a lyre.toml (the nearest upwards)");
    options.words("--content DIR", content_, "one more folder with content; may be repeated");
}

std::optional<int> ProjectOptions::open(const Command& command, session::Project& project) {
    for (const std::string& folder : content_)
        if (const Status status = know_folder(files_, folder); !status) return fail(command, status.text());
    if (!folder_.empty()) {
        if (const Status status = know_project(files_, folder_); !status) return fail(command, status.text());
        modules_.look_first_in(module_folders_of(folder_));
        return opened(command, project, project.open(folder_, content_));
    }
    const auto found = find_project(files_, ".");
    if (!found) return fail(command, fmt::format("no {} here or above; say --project DIR", session::kProjectFile));
    modules_.look_first_in(module_folders_of(*found));
    return opened(command, project, project.open(*found, content_));
}

std::optional<int> ProjectOptions::open_if_any(const Command& command, session::Project& project) {
    if (!folder_.empty() || find_project(files_, ".")) return open(command, project);
    for (const std::string& folder : content_)
        if (const Status status = know_folder(files_, folder); !status) return fail(command, status.text());
    return opened(command, project, project.open_content(content_));
}

std::optional<int> ProjectOptions::opened(const Command& command, const session::Project& project,
                                          const Status& status) const {
    if (status) return std::nullopt;
    print_problems(STDERR_FILENO, project.problems());
    fail(command, fmt::format("{} in the project", several(project.problems().count(), "problem")));
    return project.is_configured() ? kFailed : kWrongUsage;
}

static constexpr std::size_t kMaxBeside = 1000;  // folders that are looked at

// Told with the folders beside it that are there.
static std::string near_folder(const std::string& folder) {
    namespace fs = std::filesystem;
    const fs::path wanted = (fs::path(folder) / "").parent_path();  // without '/' at its end
    std::vector<std::string> beside;
    std::error_code error;
    const fs::path above = wanted.has_parent_path() ? wanted.parent_path() : fs::path(".");
    for (fs::directory_iterator at(above, error), end; !error && at != end && beside.size() < kMaxBeside;
         at.increment(error))
        if (at->is_directory(error)) beside.push_back(at->path().filename().string());
    const std::string_view best = nearest(wanted.filename().string(), beside);
    return best.empty() ? std::string() : did_you_mean((wanted.parent_path() / best).string());
}

Status know_folder(const Files& files, const std::string& folder) {
    const auto info = files.look(folder);
    if (info && info->kind == FileKind::Folder) return Status::ok();
    if (info) {
        const std::string above = std::filesystem::path(folder).parent_path().string();
        return Status::not_found("{} is no folder; say the one it is in: {}", in_quotes(folder),
                                 in_quotes(above.empty() ? "." : above));
    }
    return Status::not_found("no folder {}{}", in_quotes(folder), near_folder(folder));
}

Status know_project(const Files& files, const std::string& folder) {
    if (files.look(fmt::format("{}/{}", folder, session::kProjectFile))) return Status::ok();
    const bool is_there = files.look(folder).is_ok();
    return Status::not_found("no {} in {}{}", session::kProjectFile, in_quotes(folder),
                             is_there ? "" : near_folder(folder));
}

}  // namespace lyre::app
