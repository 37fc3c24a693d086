#include "apps/lyre/new.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "lyre/assets/toml.h"
#include "lyre/core/files_native.h"
#include "lyre/core/suggest.h"
#include "lyre/core/utf8.h"
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
        if (error || !file) return Status::failed("cannot write {}", in_quotes(path.string()));
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

// The first folder that lyre.toml names under this key; empty: none.
std::string first_folder(const Files& files, const std::string& project, std::string_view key) {
    const std::string path = fmt::format("{}/{}", project, session::kProjectFile);
    const auto bytes = files.read(path, 1 << 20);
    if (!bytes) return {};
    const auto document = assets::parse_toml(bytes->text(), path);
    const Node* list = document.root.find(key);
    if (list == nullptr || list->entries().empty() || list->entries()[0].kind() != NodeKind::Text) return {};
    const std::string& first = list->entries()[0].as_text();
    return leads_out(first) ? std::string() : first;
}

int feature(const Command& command, const Files& files, const std::string& project, const std::string& name) {
    if (!is_feature_name(name))
        return fail(command, fmt::format("{} is no name of a feature: small letters, digits and '_', at most {}, "
                                         "a letter first",
                                         in_quotes(name), features::kMaxFeatureId));
    const std::string named = first_folder(files, project, "features");
    const std::string below = named.empty() ? kFeatures : named;
    const fs::path root = (fs::path(project) / below).lexically_normal();
    const fs::path folder = root / name;
    std::error_code error;
    if (fs::symlink_status(folder, error).type() != fs::file_type::not_found)
        return fail(command, fmt::format("{} is there already", in_quotes(folder.string())));
    if (Status status = write_whole(folder, new_feature(name)); !status) return fail(command, status.text(), kFailed);

    fmt::print("{}\n", cleaned(folder.string()));
    if (named.empty())
        fmt::print(stderr, "Let lyre find it: features = [\"{}\"] in {}\n", below, session::kProjectFile);
    if (!fs::exists(root / "CMakeLists.txt", error))
        fmt::print(stderr, "Build it: add_subdirectory({}/{}) in your CMakeLists.txt, behind lyre\n", below, name);
    fmt::print(stderr, "Build and test it: target test_feature_{} (with enable_testing()), then ctest -R feature_{}\n",
               name, name);
    return kDone;
}

int experience(const Command& command, const Files& files, const std::string& project, const std::string& name) {
    if (!is_asset_name(name))
        return fail(command, fmt::format("{} is no name of an experience: small letters, digits and '_', at most {}",
                                         in_quotes(name), kMaxAssetName));
    const std::string named = first_folder(files, project, "content");
    const fs::path folder = (fs::path(project) / (named.empty() ? kContent : named)).lexically_normal();
    const NewFile file = new_experience(name);
    const fs::path path = folder / file.path;
    std::error_code error;
    if (fs::symlink_status(path, error).type() != fs::file_type::not_found)
        return fail(command, fmt::format("{} is there already", in_quotes(path.string())));
    const NewFile beside{fmt::format(".new_{}", file.path), file.text};
    Status status = write_files(folder, {beside});
    if (status) {
        fs::rename(folder / beside.path, path, error);
        if (error) status = Status::failed("cannot make {}: {}", in_quotes(path.string()), error.message());
    }
    if (!status) return fs::remove(folder / beside.path, error), fail(command, status.text(), kFailed);

    fmt::print("{}\n", cleaned(path.string()));
    if (named.empty())
        fmt::print(stderr, "Let lyre find it: content = [\"{}\"] in {}\n", kContent, session::kProjectFile);
    fmt::print(stderr, "What it would load: lyre plan {}\n", name);
    return kDone;
}

// What can be made.
struct Making {
    std::string_view what;
    int (*make)(const Command& command, const Files& files, const std::string& project, const std::string& name);
    operator std::string_view() const { return what; }
};
constexpr Making kMakings[] = {{"feature", feature}, {"experience", experience}};

}  // namespace

int make_new(const Command& command, const Words& words) {
    std::string what, name, project;
    Options options(command);
    options.word("WHAT", what, "feature or experience");
    options.word("NAME", name, "small letters, digits and '_'");
    options.word("--project", project, "folder with a lyre.toml (the nearest upwards)");
    if (const auto code = options.parse(words)) return *code;
    const auto* making =
        std::find_if(std::begin(kMakings), std::end(kMakings), [&](const Making& one) { return one.what == what; });
    if (what.empty() || (making != std::end(kMakings) && name.empty()))
        return fail(command, "say what to make: lyre new feature NAME, or lyre new experience NAME");
    if (making == std::end(kMakings))
        return fail(command, fmt::format("cannot make {}; {}", in_quotes(what),
                                         name_hint(what, {std::begin(kMakings), std::end(kMakings)})));
    const RealFiles files;
    if (!project.empty() && !files.look(fmt::format("{}/{}", project, session::kProjectFile)))
        return fail(command, fmt::format("no {} in {}", session::kProjectFile, in_quotes(project)));
    if (project.empty()) {
        auto found = find_project(files, ".");
        if (!found) return fail(command, fmt::format("no {} here or above; say --project DIR", session::kProjectFile));
        project = *found;
    }
    return making->make(command, files, project, name);
}

}  // namespace lyre::app
