// apps/lyre/plan_experience.h: `lyre plan EXPERIENCE`: what a role would load for it, in which order, and how many
// bytes; with --to what a switch to another would keep, remove and add.
#pragma once

#include <string>
#include <vector>

#include "lyre/session/project.h"

#include "apps/lyre/command.h"

namespace lyre::app {

struct ExperiencePlanOptions {
    std::string experience;                   // "tag" or "experience:tag"
    std::string to;                           // the same; empty: no switch
    std::vector<std::string> features, sets;  // on top of whatever is planned
    NetMode role = NetMode::Standalone;
    bool as_json = false;
};
int plan_experience(const Command& command, session::Project& project, const ExperiencePlanOptions& options);

}  // namespace lyre::app
