// apps/lyre/project_options.h: which project a command works on, and what is wrong with it, said the same way by all.
//
// The project is the folder --project names, or the nearest one with a lyre.toml upwards from where the program was
// started. A missing one, or a lyre.toml that is wrong, ends the command with 2 before anything starts; mistakes in the
// content end it with 1. Both are printed in full.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lyre/core/files_native.h"
#include "lyre/core/thread_pool_native.h"
#include "lyre/features/module_native.h"
#include "lyre/session/project.h"

#include "apps/lyre/command.h"

namespace lyre::app {

class ProjectOptions {
public:
    ProjectOptions();
    void declare(Options& options);  // --project, --content

    // As Options::parse(): a value is the exit code. Problems are printed to stderr.
    std::optional<int> open(const Command& command, session::Project& project);
    // The same without --project where there is none: then only --content is opened.
    std::optional<int> open_if_any(const Command& command, session::Project& project);

    const Files& files() const { return files_; }
    features::ModuleLoader& modules() { return modules_; }  // of the features' folders and of both builds

private:
    std::optional<int> opened(const Command& command, const session::Project& project, const Status& status) const;

    RealFiles files_;
    features::NativeModules modules_;
    std::string folder_;
    std::vector<std::string> content_;
};

// Where a build puts the libraries of features, seen from the program: build/NAME/features.
std::vector<std::string> module_folders();
// Where lyre_feature() puts them in a project of one's own: build/features, build/NAME/features. Of these the one that
// is called like the program's build comes first, then by name. None if the program is of that project itself.
std::vector<std::string> module_folders_of(const std::string& project);

// The nearest project upwards from a folder: as people would write it from where they are, "." if it begins there.
Result<std::string> find_project(const Files& files, const std::string& from);
// Whether there is such a folder, and whether it is a project; the nearest beside it is named.
Status know_folder(const Files& files, const std::string& folder);
Status know_project(const Files& files, const std::string& folder);

}  // namespace lyre::app
