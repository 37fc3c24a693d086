#include "apps/lyre/check.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "apps/lyre/progress_line.h"
#include "apps/lyre/project_options.h"
#include "apps/lyre/terminal.h"

namespace lyre::app {
namespace {

struct Checked {
    std::size_t assets = 0, features = 0;
    Problems problems;
};

bool is_below(const std::filesystem::path& file, const std::filesystem::path& folder) {
    if (file.empty()) return true;  // of the whole
    std::error_code error;
    const auto whole = std::filesystem::weakly_canonical(std::filesystem::absolute(file, error).parent_path(), error) /
                       file.filename();
    const auto top = std::filesystem::weakly_canonical(folder, error);
    return std::mismatch(top.begin(), top.end(), whole.begin(), whole.end()).first == top.end();
}

// Whether it has, or lies in, a folder that lyre.toml names.
bool is_part_of(const session::Project& project, const std::string& folder) {
    if (is_below(std::filesystem::path(project.folder()) / session::kProjectFile, folder)) return true;
    for (const auto* named : {&project.def().content, &project.def().features})
        for (const std::string& one : *named) {
            const auto path = std::filesystem::path(project.folder()) / one;
            if (is_below(path, folder) || is_below(folder, path)) return true;
        }
    return false;
}

// Folders of one project, or without one. They are checked with the whole project and told of alone, also those that
// lyre.toml does not name; one without a project stands for itself.
struct Group {
    std::optional<std::string> home;
    std::vector<std::string> folders;
};

std::vector<Group> by_project(const Files& files, const std::string& project, const std::vector<std::string>& folders) {
    std::vector<Group> groups;
    for (const std::string& folder : folders) {
        auto found = project.empty() ? find_project(files, folder) : Result<std::string>(project);
        const std::optional<std::string> home = found ? std::optional(*found) : std::nullopt;
        auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& one) { return one.home == home; });
        if (group == groups.end()) group = groups.insert(group, {home, {}});
        group->folders.push_back(folder);
    }
    return groups;
}

std::optional<int> check_group(const Command& command, const Files& files, Executor& executor, const Group& group,
                               Checked& found) {
    Runtime runtime;
    runtime.log().print_to(nullptr);  // what is wrong is told as problems
    features::NativeModules modules(module_folders());
    session::Project project(runtime, files, executor, &modules);
    ProgressLine line(command, project);
    std::vector<std::string> others = group.folders;
    if (group.home) {
        modules.look_first_in(module_folders_of(*group.home));
        project.open(*group.home).ignore();  // what is wrong is what was asked for
        std::erase_if(others, [&](const std::string& folder) { return is_part_of(project, folder); });
    }
    if (!others.empty()) project.open_content(others).ignore();
    if (is_end_requested() || !project.check()) return kInterrupted;
    const auto is_asked = [&](const std::string& file) {
        return std::any_of(group.folders.begin(), group.folders.end(),
                           [&](const std::string& folder) { return is_below(file, folder); });
    };
    for (const auto& id : project.assets().registry().all())
        found.assets += is_asked(project.assets().registry().find(id)->entry.path);
    for (const Name id : project.features().known()) found.features += is_asked(project.features().manifest_file(id));
    for (const Problem& problem : project.problems().all())
        if (is_asked(problem.file)) found.problems.add(problem);
    found.problems.count_more(project.problems().dropped());
    return std::nullopt;
}

void print(const Checked& found) {
    std::set<std::string> files;
    for (const Problem& problem : found.problems.all()) files.insert(problem.file);
    print_problems(STDOUT_FILENO, found.problems);
    std::string wrong = "no problems";
    if (found.problems.count() != 0) {
        wrong = several(found.problems.count(), "problem");
        // Of the others nothing is known but that they are there.
        if (found.problems.dropped() != 0) wrong += fmt::format(", the {} shown", grouped(found.problems.all().size()));
        wrong += fmt::format(" in {}", several(files.size(), "file"));
    }
    const std::string features = found.features == 0 ? "" : ", " + several(found.features, "feature");
    out("{}{}: {}\n", several(found.assets, "asset"), features, wrong);
}

void print_json(const Checked& found) {
    auto document = nlohmann::ordered_json::parse(found.problems.to_json());
    document["assets"] = found.assets;
    document["features"] = found.features;
    out("{}\n", document.dump(2));
}

}  // namespace

int check(const Command& command, const Words& words) {
    std::vector<std::string> folders, content;
    std::string project;
    bool as_json = false;
    Options options(command);
    options.words("DIR", folders, "projects or content folders (the project here)");
    options.flag("--json", as_json, "as one JSON document");
    options.word("--project DIR", project, "folder with a lyre.toml (the nearest upwards)");
    options.words("--content DIR", content, "one more folder with content; may be repeated");
    if (const auto code = options.parse(words)) return *code;

    RealFiles files;
    if (!project.empty())
        if (const Status status = know_project(files, project); !status) return fail(command, status.text());
    if (folders.empty()) {
        const auto found = project.empty() ? find_project(files, ".") : Result<std::string>(project);
        if (!found) return fail(command, fmt::format("no {} here or above; say which folder", session::kProjectFile));
        folders = {*found};
        if (!content.empty()) project = *found;  // with which they are checked
    }
    folders.insert(folders.end(), content.begin(), content.end());
    for (const std::string& folder : folders)
        if (const Status status = know_folder(files, folder); !status) return fail(command, status.text());

    ThreadPool pool;
    Checked found;
    for (const Group& group : by_project(files, project, folders))
        if (const auto code = check_group(command, files, pool, group, found)) return *code;
    as_json ? print_json(found) : print(found);
    return found.problems.count() == 0 ? kDone : kFailed;
}

}  // namespace lyre::app
