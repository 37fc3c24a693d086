#include "apps/lyre/plan.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "lyre/core/suggest.h"
#include "lyre/core/utf8.h"

#include "apps/lyre/plan_experience.h"
#include "apps/lyre/progress_line.h"
#include "apps/lyre/project_options.h"

namespace lyre::app {
namespace {

using Json = nlohmann::ordered_json;
using namespace features;

struct Role {
    std::string_view name;
    NetMode mode;
    operator std::string_view() const { return name; }
};
constexpr Role kRoles[] = {{"standalone", NetMode::Standalone},
                           {"server", NetMode::DedicatedServer},
                           {"listen_server", NetMode::ListenServer},
                           {"client", NetMode::Client}};

struct Asked {
    Catalogue catalogue;
    Roles roles;
    std::vector<Name> ids;
};

// Who of the plan needs it, in that role: "asked for", "needed by rules, tag".
std::string reason(const Asked& asked, const Plan& plan, Name id) {
    std::string needed;
    for (Name other : plan.order)
        for (const Dependency& dependency : asked.catalogue.find(other)->dependencies)
            if (dependency.id == id && dependency.kind != DependencyKind::Incompatible &&
                asked.roles.has(dependency.side))
                needed += fmt::format("{}{}", needed.empty() ? "" : ", ", other);
    const bool is_asked = std::find(asked.ids.begin(), asked.ids.end(), id) != asked.ids.end();
    if (needed.empty()) return "asked for";
    return fmt::format("{}needed by {}", is_asked ? "asked for, " : "", needed);
}

void print_text(const Asked& asked, const Plan& plan) {
    std::size_t width = 0;
    for (Name id : plan.order) width = std::max(width, id.text().size());
    std::size_t number = 0;
    for (Name id : plan.order)
        out("{:>3}  {:<{}}  {:<10} {}\n", ++number, id.text(), width, asked.catalogue.find(id)->version.to_string(),
            reason(asked, plan, id));
    for (const Degraded& left_out : plan.degraded)
        out("     without {}, wanted by {}: {}\n", left_out.feature, left_out.wanted_by, cleaned(left_out.reason));
    if (plan.degraded_dropped != 0) out("     and without {} more\n", grouped(plan.degraded_dropped));
    if (plan.errors.empty()) return;
    for (const FeatureError& error : plan.errors) tell("{}\n", cleaned(error.to_string()));
    if (plan.errors_dropped != 0) tell("and {} more\n", grouped(plan.errors_dropped));
}

void print_json(const Asked& asked, const Plan& plan) {
    Json order = Json::array(), without = Json::array(), errors = Json::array();
    for (Name id : plan.order)
        order.push_back({{"id", id.text()},
                         {"version", asked.catalogue.find(id)->version.to_string()},
                         {"reason", reason(asked, plan, id)}});
    for (const Degraded& left_out : plan.degraded)
        without.push_back(
            {{"id", left_out.feature.text()}, {"wanted_by", left_out.wanted_by}, {"reason", left_out.reason}});
    for (const FeatureError& error : plan.errors)
        errors.push_back({{"feature", error.feature.text()}, {"code", to_string(error.code)}, {"text", error.text}});
    out("{}\n", Json{{"features", order}, {"without", without}, {"errors", errors}}.dump(
                    2, ' ', false, Json::error_handler_t::replace));
}

// Of a plan that does not work out: the optional dependencies of all that was asked for that could not be had anyway.
std::vector<Degraded> left_out_anyway(const Features& features, const Asked& asked) {
    std::vector<Name> todo = asked.ids;
    std::set<Name> seen(todo.begin(), todo.end());
    std::vector<Wish> wishes;
    while (!todo.empty()) {
        const Manifest* manifest = asked.catalogue.find(todo.back());
        todo.pop_back();
        if (manifest == nullptr) continue;
        for (const Dependency& dependency : manifest->dependencies) {
            if (!asked.roles.has(dependency.side) || dependency.kind == DependencyKind::Incompatible) continue;
            if (dependency.kind == DependencyKind::Optional)
                wishes.push_back(
                    {dependency.id, dependency.versions, std::string(manifest->id.text()), Need::Optional});
            else if (seen.insert(dependency.id).second)
                todo.push_back(dependency.id);
        }
    }
    return features.plan(wishes, asked.roles).degraded;
}

std::string refusal(const ExperiencePlanOptions& of, bool has_features) {
    const bool has_experience = !of.experience.empty();
    if (has_experience && has_features) return "plan an experience or features, not both; --with adds a feature to one";
    if (!has_experience && !has_features)
        return "say what to plan: an experience, or --feature ID; `lyre list experiences` lists them";
    if (!has_experience && (!of.to.empty() || !of.features.empty() || !of.sets.empty()))
        return "--to and --with are for the plan of an experience";
    return "";
}

}  // namespace

int plan(const Command& command, const Words& words) {
    std::vector<std::string> wanted, with;
    std::string role = "standalone";
    ExperiencePlanOptions of;
    ProjectOptions where;
    Options options(command);
    options.word("EXPERIENCE", of.experience, "what is to be played");
    options.several("--feature ID", wanted, "instead: features to be active");
    options.word("--role ROLE", role, "standalone, server, listen_server or client");
    options.word("--to ID", of.to, "an experience to switch to: what that changes");
    options.words("--with FEATURE", with, "one more feature on top; may be repeated");
    options.words("--with-feature FEATURE", of.features, "the same as --with");
    options.words("--with-set SET", of.sets, "one more action set on top; may be repeated");
    options.flag("--json", of.as_json, "as one JSON document");
    where.declare(options);
    if (const auto code = options.parse(words)) return *code;
    of.features.insert(of.features.begin(), with.begin(), with.end());
    if (const std::string wrong = refusal(of, !wanted.empty()); !wrong.empty()) return fail(command, wrong);
    const auto* side =
        std::find_if(std::begin(kRoles), std::end(kRoles), [&](const Role& one) { return one.name == role; });
    if (side == std::end(kRoles))
        return fail(command, fmt::format("no role {}; {}", in_quotes(role),
                                         name_hint(role, {std::begin(kRoles), std::end(kRoles)})));

    Runtime runtime;
    runtime.log().print_to(nullptr);  // what is wrong is told as problems
    ThreadPool pool;
    session::Project project(runtime, where.files(), pool, &where.modules());
    ProgressLine line(command, project);
    if (const auto code = where.open(command, project)) return *code;
    project.show_features();
    of.role = side->mode;
    if (!of.experience.empty()) return plan_experience(command, project, of);
    Asked asked{project.features().catalogue(), Roles::of(side->mode), {}};
    std::vector<Wish> wishes;
    for (const std::string& id : wanted) {
        const auto found = project.find("feature", id);
        if (!found) return fail(command, found.status().text());
        asked.ids.push_back(found->name);
        wishes.push_back({found->name, {}, "--feature"});
    }
    Plan made = project.features().plan(wishes, asked.roles);
    if (!made.is_ok()) made.degraded = left_out_anyway(project.features(), asked);
    of.as_json ? print_json(asked, made) : print_text(asked, made);
    return made.is_ok() ? kDone : kFailed;
}

}  // namespace lyre::app
