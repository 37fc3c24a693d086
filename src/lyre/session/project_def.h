// session/project_def.h: what lyre.toml says, at the root of a project.
//
//     name        = "plectrum"
//     content     = ["game/content"]               # folders with content files, below the project
//     features    = ["game"]                       # folders with one folder per feature
//     allowed_features = []                        # only these may be used; empty: all
//     tags        = ["Phase.Warmup", "Phase.Playing"]
//     default_map = "arena"                        # what `lyre play` plays unless told otherwise
//     default_experience = "tag"                   # where nobody chooses another
//     default_pawn = "hero"                        # pawn_data of those whose experience has none
//     game_mode   = "GameMode"                     # the class of its rules; it names those of players and their states
//     [developer]                                  # of development builds
//     experience = "tag"                           # instead of what levels and the default say
//     bots       = 4
//     [variables]
//     "demo.Pace" = 4                              # settings by name; environment and command line go before
#pragma once

#include <string>
#include <vector>

#include "lyre/core/content_node.h"
#include "lyre/core/type_builder.h"

namespace lyre::session {

// Counts in development builds only.
struct DeveloperDef {
    Name experience{};       // none: no opinion
    std::int64_t bots = -1;  // -1: no opinion
    static void describe(TypeBuilder<DeveloperDef>& t);
};

struct ProjectDef {
    std::string name{};
    std::vector<std::string> content{};
    std::vector<std::string> features{};
    std::vector<Name> allowed_features{};
    std::vector<std::string> tags{};
    Name default_map{};
    Name default_experience{};
    Name default_pawn{};
    Name game_mode = Name("GameMode");
    DeveloperDef developer{};
    Node variables{};  // a table, kept as written: its keys are known to the Variables
    static void describe(TypeBuilder<ProjectDef>& t);
};

}  // namespace lyre::session
