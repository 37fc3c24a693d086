#include "apps/lyre/check.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <unistd.h>

#include "lyre/core/suggest.h"

#include "apps/lyre/project_options.h"
#include "apps/lyre/terminal.h"

namespace lyre::app {
namespace {

struct Checked {
    std::size_t assets = 0, features = 0;
    Problems problems;
};

// One line on a terminal that is written over; nothing elsewhere.
class ProgressLine {
public:
    ~ProgressLine() {
        if (is_shown_) fmt::print(stderr, "\r\033[K");
    }
    bool operator()(float progress) {
        const int percent = static_cast<int>(progress * 100);
        if (is_possible_ && percent != shown_) {
            fmt::print(stderr, "\rchecking: {} %", percent);
            std::fflush(stderr);
            is_shown_ = true;
            shown_ = percent;
        }
        return !is_end_requested();
    }

private:
    const bool is_possible_ = isatty(STDERR_FILENO) != 0;
    bool is_shown_ = false;
    int shown_ = -1;
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

// A folder of a project is checked with the whole project and told of alone, also one that lyre.toml does not name; one
// without a project stands for itself.
std::optional<int> check_folder(const Files& files, Executor& executor, const std::string& folder, Checked& found) {
    Runtime runtime;
    runtime.log().print_to(nullptr);  // what is wrong is told as problems
    features::NativeModules modules(module_folders());
    session::Project project(runtime, files, executor, &modules);
    if (const auto home = find_project(files, folder)) {
        modules.look_first_in(module_folders_of(*home));
        project.open(*home).ignore();  // what is wrong is what was asked for
        if (!is_part_of(project, folder)) project.open_content({&folder, 1}).ignore();
    } else {
        project.open_content({&folder, 1}).ignore();
    }
    ProgressLine line;
    if (!project.check(line)) return kInterrupted;
    for (const auto& id : project.assets().registry().all())
        found.assets += is_below(project.assets().registry().find(id)->entry.path, folder);
    for (const Name id : project.features().known())
        found.features += is_below(project.features().manifest_file(id), folder);
    for (const Problem& problem : project.problems().all())
        if (is_below(problem.file, folder)) found.problems.add(problem);
    found.problems.count_more(project.problems().dropped());
    return std::nullopt;
}

void print(const Checked& found) {
    std::set<std::string> files;
    for (const Problem& problem : found.problems.all()) files.insert(problem.file);
    print_problems(stdout, found.problems);
    const std::string wrong =
        found.problems.count() == 0
            ? "no problems"
            : fmt::format("{} in {}", several(found.problems.count(), "problem"), several(files.size(), "file"));
    const std::string features = found.features == 0 ? "" : ", " + several(found.features, "feature");
    fmt::print("{}{}: {}\n", several(found.assets, "asset"), features, wrong);
}

void print_json(const Checked& found) {
    auto document = nlohmann::ordered_json::parse(found.problems.to_json());
    document["assets"] = found.assets;
    document["features"] = found.features;
    fmt::print("{}\n", document.dump(2));
}

}  // namespace

int check(const Command& command, const Words& words) {
    std::vector<std::string> folders;
    bool as_json = false;
    Options options(command);
    options.words("DIR", folders, "projects or content folders (the project here)");
    options.flag("--json", as_json, "as one JSON document");
    if (const auto code = options.parse(words)) return *code;

    RealFiles files;
    if (folders.empty()) {
        if (!find_project(files, "."))
            return fail(command, fmt::format("no {} here or above; say which folder", session::kProjectFile));
        folders = {find_project(files, ".").value()};
    }
    for (const std::string& folder : folders)
        if (const auto info = files.look(folder); !info || info->kind != FileKind::Folder)
            return fail(command, fmt::format("no folder {}", in_quotes(folder)));

    watch_end_requests();
    ThreadPool pool;
    Checked found;
    for (const std::string& folder : folders)
        if (const auto code = check_folder(files, pool, folder, found)) return *code;
    as_json ? print_json(found) : print(found);
    return found.problems.count() == 0 ? kDone : kFailed;
}

}  // namespace lyre::app
