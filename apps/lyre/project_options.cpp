#include "apps/lyre/project_options.h"

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

ProjectOptions::ProjectOptions() : modules_(module_folders()) {}

void ProjectOptions::declare(Options& options) {
    options.word("--project", folder_, "folder with a lyre.toml (the nearest upwards)");
    options.words("--content", content_, "one more folder with content; may be repeated");
}

std::optional<int> ProjectOptions::open(const Command& command, session::Project& project) const {
    if (!folder_.empty()) {
        if (!files_.look(fmt::format("{}/{}", folder_, session::kProjectFile)))
            return fail(command, fmt::format("no {} in {}", session::kProjectFile, in_quotes(folder_)));
        return opened(command, project, project.open(folder_, content_));
    }
    const auto found = find_project(files_, ".");
    if (!found) return fail(command, fmt::format("no {} here or above; say --project DIR", session::kProjectFile));
    return opened(command, project, project.open(*found, content_));
}

std::optional<int> ProjectOptions::open_if_any(const Command& command, session::Project& project) const {
    if (!folder_.empty() || find_project(files_, ".")) return open(command, project);
    return opened(command, project, project.open_content(content_));
}

std::optional<int> ProjectOptions::opened(const Command& command, const session::Project& project,
                                          const Status& status) const {
    if (status) return std::nullopt;
    print_problems(stderr, project.problems());
    fail(command, fmt::format("{} in the project", several(project.problems().count(), "problem")));
    return project.is_configured() ? kFailed : kWrongUsage;
}

void print_problems(std::FILE* file, const Problems& problems) {
    for (const Problem& problem : problems.all()) fmt::print(file, "{}\n", problem.to_text());
    if (problems.dropped() != 0) fmt::print(file, "and {} more\n\n", grouped(problems.dropped()));
}

}  // namespace lyre::app
