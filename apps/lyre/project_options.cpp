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
    options.word("--project", folder_, "folder with a lyre.toml (the nearest upwards)");
    options.words("--content", content_, "one more folder with content; may be repeated");
}

std::optional<int> ProjectOptions::open(const Command& command, session::Project& project) {
    if (!folder_.empty()) {
        if (!files_.look(fmt::format("{}/{}", folder_, session::kProjectFile)))
            return fail(command, fmt::format("no {} in {}", session::kProjectFile, in_quotes(folder_)));
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
    return opened(command, project, project.open_content(content_));
}

std::optional<int> ProjectOptions::opened(const Command& command, const session::Project& project,
                                          const Status& status) const {
    if (status) return std::nullopt;
    print_problems(stderr, project.problems());
    fail(command, fmt::format("{} in the project", several(project.problems().count(), "problem")));
    return project.is_configured() ? kFailed : kWrongUsage;
}

std::string feature_hint(const features::Catalogue& catalogue, std::string_view wanted) {
    std::vector<std::string_view> known;
    for (const auto& feature : catalogue.all()) known.push_back(feature.first.text());
    return name_hint(wanted, std::move(known), "lyre list features");
}

void print_problems(std::FILE* file, const Problems& problems) {
    for (const Problem& problem : problems.all()) fmt::print(file, "{}\n", problem.to_text());
    if (problems.dropped() != 0) fmt::print(file, "and {} more\n\n", grouped(problems.dropped()));
}

}  // namespace lyre::app
