// session/project_def.h: what lyre.toml says, at the root of a project.
//
//     name        = "plectrum"
//     content     = ["game/content"]               # folders with content files, below the project
//     features    = ["game"]                       # folders with one folder per feature
//     allowed_features = []                        # only these may be used; empty: all
//     tags        = ["Phase.Warmup", "Phase.Playing"]
//     default_map = "arena"                        # what `lyre play` plays unless told otherwise
//     [variables]
//     "demo.Pace" = 4                              # settings by name; environment and command line go before
#pragma once

#include <string>
#include <vector>

#include "lyre/core/content_node.h"
#include "lyre/core/type_builder.h"

namespace lyre::session {

struct ProjectDef {
    std::string name{};
    std::vector<std::string> content{};
    std::vector<std::string> features{};
    std::vector<Name> allowed_features{};
    std::vector<std::string> tags{};
    Name default_map{};
    Node variables{};  // a table, kept as written: its keys are known to the Variables
    static void describe(TypeBuilder<ProjectDef>& t);
};

}  // namespace lyre::session
