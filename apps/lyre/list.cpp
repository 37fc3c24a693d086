#include "apps/lyre/list.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lyre/assets/schema.h"
#include "lyre/core/suggest.h"
#include "lyre/core/utf8.h"
#include "lyre/experience/definition.h"
#include "lyre/world/class_info.h"

#include "apps/lyre/problem_codes.h"
#include "apps/lyre/progress_line.h"
#include "apps/lyre/project_options.h"

namespace lyre::app {
namespace {

using Json = nlohmann::ordered_json;

// What is listed: an array of objects, and the same for people.
struct Listing {
    static constexpr std::size_t kColumns = 80;
    static constexpr std::size_t kWidest = 44;  // one that is wider moves nobody else's columns

    Json items = Json::array();
    std::string text;
    std::string note;  // for people, when there is nothing to list

    void add_line(std::string line) {
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    // On one line if there is room, else below it.
    void add_line(const std::string& line, std::string_view help) {
        if (count_columns(line) + 1 + count_columns(help) <= kColumns)
            return add_line(fmt::format("{} {}", line, help));
        add_line(line);
        for (const std::string& more : wrapped(help, kColumns - 4, kColumns - 4)) add_line("    " + more);
    }
    // A line of columns, each as wide as its widest, and help as above.
    void add_row(std::vector<std::string> cells, std::string help) {
        for (std::string& cell : cells) cell = cleaned(cell);
        rows_.push_back({std::move(cells), cleaned(help)});
    }
    void add_rows() {
        std::vector<std::size_t> widths;
        for (const Row& row : rows_) {
            widths.resize(std::max(widths.size(), row.cells.size()));
            for (std::size_t i = 0; i < row.cells.size(); ++i)
                if (const std::size_t width = count_columns(row.cells[i]); width <= kWidest)
                    widths[i] = std::max(widths[i], width);
        }
        for (const Row& row : rows_) {
            std::string line;
            for (std::size_t i = 0; i < row.cells.size(); ++i) {
                const std::size_t width = count_columns(row.cells[i]);
                line += (i == 0 ? "" : " ") + row.cells[i];
                line.append(std::max(widths[i], width) - width, ' ');
            }
            add_line(line, row.help);
        }
        rows_.clear();
    }

private:
    struct Row {
        std::vector<std::string> cells;
        std::string help;
    };
    std::vector<Row> rows_;
};

// What there is to list from.
struct Known {
    Runtime& runtime;
    session::Project& project;
};

std::string_view kind_of(const Type& type) {
    if (const ClassInfo* info = ClassInfo::find(type)) return info->is_actor ? "actor" : "component";
    return dynamic_cast<const SubsystemInfo*>(type.extension.get()) != nullptr ? "subsystem" : "struct";
}

// What content may write for an object of it: keys with help, defaults, names of enums, tables in it.
Json schema_of(const Type& type, const PartKinds& kinds) {
    const assets::ContentType as_content{type.name, &type, {}, {}, {}, {}};
    Json schema = Json::parse(assets::json_schema(as_content, kinds), nullptr, false);
    for (const char* of_files : {"$schema", "title"}) schema.erase(of_files);
    return schema;
}

Listing list_classes(Known& known) {
    Listing listing;
    const auto content = known.project.assets().types().schema();
    for (const Type* type : known.runtime.types().all()) {
        Json properties = Json::array();
        for (const PropertyInfo& property : type->properties)
            properties.push_back({{"name", property.name.text()},
                                  {"type", property.type->name},
                                  {"units", property.units},
                                  {"replicated", property.replicated}});
        const std::string_view parent = type->parent == nullptr ? "" : type->parent->name.text();
        listing.items.push_back({{"name", type->name.text()},
                                 {"kind", kind_of(*type)},
                                 {"parent", parent},
                                 {"bytes", type->size},
                                 {"help", type->help},
                                 {"properties", properties},
                                 {"schema", schema_of(*type, content->kinds)}});
        listing.add_row({std::string(type->name.text()), std::string(kind_of(*type)), std::string(parent)},
                        std::string(type->help));
    }
    return listing;
}

Listing list_tags(Known& known) {
    Listing listing;
    for (GameplayTag tag : known.runtime.tags().tags()) {
        Json declarers = Json::array();
        for (const Owner& owner : known.runtime.tags().declarers(tag)) declarers.push_back(owner.to_string());
        listing.items.push_back({{"tag", tag.text()}, {"declared_by", declarers}});
        listing.add_line(std::string(tag.text()));
    }
    return listing;
}

Listing list_variables(Known& known) {
    Listing listing;
    for (const VariableInfo& variable : known.runtime.variables().list()) {
        const std::string value = format_value(variable.value);
        listing.items.push_back({{"name", variable.name.text()},
                                 {"value", value},
                                 {"default", format_value(variable.default_value)},
                                 {"origin", variable.origin.place},
                                 {"takes", variable.takes},
                                 {"help", variable.help}});
        listing.add_row({std::string(variable.name.text()), value, variable.origin.place}, variable.help);
    }
    return listing;
}

// Of the console that a match has (the key `:`).
Listing list_commands(Known& known) {
    Listing listing;
    for (const CommandInfo& command : known.runtime.console().commands()) {
        listing.items.push_back(
            {{"name", command.name.text()}, {"arguments", command.arguments}, {"help", command.help}});
        listing.add_line(fmt::format("{:<24} {:<20}", command.name.text(), command.arguments), command.help);
    }
    return listing;
}

Listing list_assets(Known& known) {
    Listing listing;
    const assets::AssetRegistry& registry = known.project.assets().registry();
    for (const assets::PrimaryAssetId& id : registry.all()) {
        const assets::AssetInfo& info = *registry.find(id);
        listing.items.push_back({{"id", id.to_string()},
                                 {"path", info.entry.path},
                                 {"bytes", info.entry.bytes},
                                 {"root", registry.root(info.root)->label.text()}});
        listing.add_line(fmt::format("{:<40} {:>9} bytes", id.to_string(), grouped(info.entry.bytes)),
                         cleaned(info.entry.path));
    }
    return listing;
}

// What their files say, as far as they can be read; `lyre check` tells what cannot.
Listing list_experiences(Known& known) {
    Listing listing;
    assets::Assets& assets = known.project.assets();
    const auto ids = assets.registry().of_type(Name(experience::kExperienceType));
    const assets::LoadHandle hold = assets.load_assets(ids);
    assets.finish(hold);
    for (const assets::PrimaryAssetId& id : ids) {
        const auto* definition = assets.find<experience::ExperienceDefinition>(id);
        const std::string& path = assets.registry().find(id)->entry.path;
        const bool is_default = id.name == known.project.def().default_experience;
        Json features = Json::array(), sets = Json::array();
        if (definition != nullptr) {
            for (const experience::FeatureEntry& entry : definition->features)
                if (entry.id) features.push_back(entry.id.text());
            for (const assets::PrimaryAssetId& set : experience::sets_of(*definition)) sets.push_back(set.name.text());
        }
        const std::string title = definition != nullptr ? definition->title : "";
        listing.items.push_back({{"id", id.to_string()},
                                 {"title", title},
                                 {"path", path},
                                 {"default", is_default},
                                 {"readable", definition != nullptr},
                                 {"features", std::move(features)},
                                 {"action_sets", std::move(sets)}});
        listing.add_row({std::string(id.name.text()), title}, definition == nullptr ? "cannot be read; see `lyre check`"
                                                              : is_default          ? "default"
                                                                                    : "");
    }
    if (listing.items.empty()) listing.note = "no experiences here; `lyre new experience NAME` makes one";
    return listing;
}

Listing list_features(Known& known) {
    Listing listing;
    for (const features::FeatureReport& report : known.project.features().reports()) {
        std::string needs;
        for (const features::DependencyReport& dependency : report.dependencies)
            if (dependency.kind != "incompatible")
                needs += fmt::format("{}{}{}", needs.empty() ? "needs " : ", ", dependency.id,
                                     dependency.found.empty() ? " (not there)" : "");
        listing.items.push_back(Json::parse(features::to_json(report)));
        listing.add_row({report.id, report.version, report.title}, needs);
    }
    if (listing.items.empty())
        listing.note =
            "no features here; `lyre new feature NAME` makes one, and lyre.toml names the folders they are in";
    return listing;
}

Listing list_errors(Known&) {
    Listing listing;
    for (const ProblemCode* code : problem_codes()) {
        listing.items.push_back({{"code", code->to_string()}, {"title", code->title}, {"help", code->help}});
        listing.add_line(fmt::format("{}  {}", code->to_string(), code->title));
        for (const std::string& line : wrapped(code->help, 70, 70)) listing.add_line("         " + line);
    }
    return listing;
}

struct Topic {
    std::string_view name;
    Listing (*list)(Known& known);
    enum class Needs : std::uint8_t { Nothing, ProjectIfAny, Project } needs;
    bool sees_code = false;  // of features
    operator std::string_view() const { return name; }
};
constexpr Topic kTopics[] = {{"experiences", list_experiences, Topic::Needs::Project},
                             {"features", list_features, Topic::Needs::Project},
                             {"assets", list_assets, Topic::Needs::Project},
                             {"classes", list_classes, Topic::Needs::ProjectIfAny, true},
                             {"tags", list_tags, Topic::Needs::ProjectIfAny, true},
                             {"variables", list_variables, Topic::Needs::ProjectIfAny},
                             {"commands", list_commands, Topic::Needs::ProjectIfAny, true},
                             {"errors", list_errors, Topic::Needs::Nothing}};

std::string topics(std::string_view before_last) {
    std::string text;
    for (const Topic& topic : kTopics)
        text += fmt::format("{}{}",
                            &topic == kTopics                 ? ""
                            : &topic == std::end(kTopics) - 1 ? before_last
                                                              : ", ",
                            topic.name);
    return text;
}

const Topic* find_topic(const Command& command, const std::string& what) {
    for (const Topic& topic : kTopics)
        if (topic.name == what) return &topic;
    const std::string_view best = nearest(what, kTopics);
    const std::string hint = best.empty() ? fmt::format("; there are {}", topics(" or ")) : did_you_mean(best);
    fail(command, what.empty() ? fmt::format("say what to list: {}", topics(" or "))
                               : fmt::format("no list {}{}", in_quotes(what), hint));
    return nullptr;
}

}  // namespace

int list(const Command& command, const Words& words) {
    std::string what;
    bool as_json = false;
    ProjectOptions where;
    Options options(command);
    options.word("WHAT", what, "which list; without it all are named");
    options.flag("--json", as_json, "as one JSON document");
    where.declare(options);
    options.settings();
    if (const auto code = options.parse(words)) return *code;
    const Topic* topic = find_topic(command, what);
    if (topic == nullptr) return kWrongUsage;

    Runtime runtime;
    runtime.log().print_to(nullptr);  // what is wrong with the project is told as problems
    ThreadPool pool;
    session::Project project(runtime, where.files(), pool, &where.modules());
    ProgressLine line(command, project);
    // What is wrong with a project is told, and what is there is listed all the same: it helps to mend it.
    std::optional<int> wrong;
    if (topic->needs == Topic::Needs::Project)
        wrong = where.open(command, project);
    else if (topic->needs == Topic::Needs::ProjectIfAny)
        wrong = where.open_if_any(command, project);
    if (wrong && project.problems().is_empty()) return *wrong;  // there is none
    runtime.log().print_to(stderr, LogLevel::Warning);
    topic->sees_code ? project.register_features() : project.show_features();
    if (!wrong)
        if (const auto code = options.apply_settings(runtime, words.environment)) return *code;
    Known known{runtime, project};
    Listing listing = topic->list(known);
    listing.add_rows();
    if (as_json)
        out("{}\n", Json{{topic->name, std::move(listing.items)}}.dump(2, ' ', false, Json::error_handler_t::replace));
    else
        out("{}", listing.text);
    if (!listing.note.empty()) tell("{}\n", listing.note);
    return wrong.value_or(kDone);
}

}  // namespace lyre::app
