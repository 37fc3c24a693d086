#include "lyre/session/project_def.h"

namespace lyre::session {

void DeveloperDef::describe(TypeBuilder<DeveloperDef>& t) {
    t.help("for those who make the game: counts in development builds only");
    t.property("experience", &DeveloperDef::experience)
        .asset("experience")
        .soft()
        .or_none()
        .help("instead of what levels and the project say");
    t.property("bots", &DeveloperDef::bots).range(-1, 10'000).help("how many; -1: as many as the game likes");
}

void ProjectDef::describe(TypeBuilder<ProjectDef>& t) {
    t.help("a project, as lyre.toml at its root says it");
    t.property("name", &ProjectDef::name).required().help("what the game is called");
    t.property("content", &ProjectDef::content).help("folders with content files, below the project");
    t.property("features", &ProjectDef::features).help("folders with one folder per feature, below the project");
    t.property("allowed_features", &ProjectDef::allowed_features).help("only these may be used; empty: all");
    t.property("tags", &ProjectDef::tags).help("gameplay tags that content may use");
    t.property("default_map", &ProjectDef::default_map)
        .asset("map")
        .soft()
        .help("the map to play unless told otherwise");
    t.property("default_experience", &ProjectDef::default_experience)
        .asset("experience")
        .soft()
        .or_none()
        .help("the experience where nobody chooses another");
    t.property("default_pawn", &ProjectDef::default_pawn)
        .asset("pawn_data")
        .soft()
        .or_none()
        .help("what people play where the experience does not say");
    t.property("game_mode", &ProjectDef::game_mode).help("the class of its rules, GameMode unless given");
    t.property("developer", &ProjectDef::developer);
    t.property("variables", &ProjectDef::variables).help("settings by name");
}

}  // namespace lyre::session
