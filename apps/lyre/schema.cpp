#include "apps/lyre/schema.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "lyre/assets/schema.h"
#include "lyre/core/hash.h"
#include "lyre/core/suggest.h"
#include "lyre/core/utf8.h"
#include "lyre/core/virtual_executor.h"
#include "lyre/core/virtual_files.h"
#include "lyre/session/project.h"

#include "apps/lyre/progress_line.h"
#include "apps/lyre/project_options.h"

namespace lyre::app {
namespace {

Status write_file(const std::filesystem::path& path, const std::string& text) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << text;
    file.close();
    if (!file) return Status::failed("cannot write {}: {}", in_quotes(path.string()), std::strerror(errno));
    out("{}\n", cleaned(path.string()));
    return Status::ok();
}

struct Schema {
    std::string file, text;
};

struct Schemas {
    std::vector<Schema> all;
    std::string index;  // for editors: which content follows which, when these are in the folder
};

// Of all content types and kinds that are known by now.
Schemas make_schemas(session::Project& project, const std::filesystem::path& folder) {
    const assets::ContentType lyre_toml{Name("lyre"), &type_of_record<session::ProjectDef>(), {}, {}, {}, {}};
    const assets::ContentType feature_toml{Name("feature"), &type_of_record<features::Manifest>(), {}, {}, {}, {}};
    const auto schema = project.assets().types().schema();
    std::vector<const assets::ContentType*> types = project.assets().types().all();
    Schemas made;
    made.index = assets::schema_index(types, folder.string()) +
                 assets::schema_rule("**/lyre.toml", (folder / schema_file_name(lyre_toml)).string()) +
                 assets::schema_rule("**/feature.toml", (folder / schema_file_name(feature_toml)).string());
    types.push_back(&lyre_toml);
    types.push_back(&feature_toml);
    for (const assets::ContentType* type : types)
        if (std::string text = assets::json_schema(*type, schema->kinds);
            !text.empty())  // a loader's: no text to check
            made.all.push_back({assets::schema_file_name(*type), std::move(text)});
    return made;
}

Status write_all(session::Project& project, const std::filesystem::path& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) return Status::failed("cannot make {}: {}", in_quotes(folder.string()), error.message());
    const Schemas made = make_schemas(project, folder);
    for (const Schema& one : made.all)
        if (Status status = write_file(folder / one.file, one.text); !status) return status;
    return write_file(folder / "taplo.toml", made.index);
}

}  // namespace

std::uint64_t content_schema_hash() {
    Runtime runtime;
    VirtualFiles nothing;
    VirtualExecutor nobody(runtime.clock(), {});
    session::Project without_features(runtime, nothing, nobody);
    Hasher hasher;
    for (const Schema& one : make_schemas(without_features, {}).all) {
        hasher.text(one.file);
        hasher.text(one.text);
    }
    return hasher.finish();
}

int schema(const Command& command, const Words& words) {
    std::string folder;
    ProjectOptions where;
    Options options(command);
    options.word("DIR", folder, "where to write them; made if it is not there");
    where.declare(options);
    if (const auto code = options.parse(words)) return *code;
    if (folder.empty()) return fail(command, "say where to write the schemas: lyre schema DIR");

    Runtime runtime;
    runtime.log().print_to(nullptr);  // what is wrong with the project is told as problems
    ThreadPool pool;
    session::Project project(runtime, where.files(), pool, &where.modules());
    const ProgressLine line(command, project);
    // A project with mistakes has schemas all the same: they help to mend it.
    const std::optional<int> wrong = where.open_if_any(command, project);
    if (wrong && project.problems().is_empty()) return *wrong;  // there is none
    runtime.log().print_to(stderr, LogLevel::Warning);
    project.register_features();
    if (Status status = write_all(project, folder); !status) return fail(command, status.text(), kFailed);
    tell("For taplo and VS Code's Even Better TOML: copy taplo.toml to your project as .taplo.toml\n");
    return wrong.value_or(kDone);
}

}  // namespace lyre::app
