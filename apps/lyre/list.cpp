#include "apps/lyre/list.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lyre/core/suggest.h"
#include "lyre/world/class_info.h"

#include "apps/lyre/demo_world.h"

namespace lyre::app {
namespace {

using Json = nlohmann::ordered_json;

// What is listed: an array of objects, and the same for people.
struct Listing {
    Json items = Json::array();
    std::string text;

    void add_line(std::string line) {
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
};

std::string_view kind_of(const Type& type) {
    if (const ClassInfo* info = ClassInfo::find(type)) return info->is_actor ? "actor" : "component";
    return dynamic_cast<const SubsystemInfo*>(type.extension.get()) != nullptr ? "subsystem" : "struct";
}

Listing list_classes(Runtime& runtime) {
    Listing listing;
    for (const Type* type : runtime.types().all()) {
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
                                 {"properties", properties}});
        listing.add_line(fmt::format("{:<14} {:<9} {:<14} {}", type->name.text(), kind_of(*type), parent, type->help));
    }
    return listing;
}

Listing list_tags(Runtime& runtime) {
    Listing listing;
    for (GameplayTag tag : runtime.tags().tags()) {
        Json declarers = Json::array();
        for (const Owner& owner : runtime.tags().declarers(tag)) declarers.push_back(owner.to_string());
        listing.items.push_back({{"tag", tag.text()}, {"declared_by", declarers}});
        listing.add_line(std::string(tag.text()));
    }
    return listing;
}

Listing list_variables(Runtime& runtime) {
    Listing listing;
    for (const VariableInfo& variable : runtime.variables().list()) {
        const std::string value = format_value(variable.value);
        listing.items.push_back({{"name", variable.name.text()},
                                 {"value", value},
                                 {"default", format_value(variable.default_value)},
                                 {"origin", variable.origin.place},
                                 {"takes", variable.takes},
                                 {"help", variable.help}});
        listing.add_line(
            fmt::format("{:<16} {:<6} {:<18} {}", variable.name.text(), value, variable.origin.place, variable.help));
    }
    return listing;
}

struct Topic {
    std::string_view name;
    Listing (*list)(Runtime& runtime);
    operator std::string_view() const { return name; }
};
constexpr Topic kTopics[] = {{"classes", list_classes}, {"tags", list_tags}, {"variables", list_variables}};

const Topic* find_topic(const Command& command, const std::string& what) {
    for (const Topic& topic : kTopics)
        if (topic.name == what) return &topic;
    const std::string_view best = nearest(what, kTopics);
    const std::string hint = best.empty() ? "; there are classes, tags, variables" : did_you_mean(best);
    fail(command, what.empty() ? "say what to list: classes, tags or variables"
                               : fmt::format("no list {}{}", in_quotes(what), hint));
    return nullptr;
}

}  // namespace

int list(const Command& command, const Words& words) {
    std::string what;
    bool as_json = false;
    Options options(command);
    options.word("WHAT", what, "classes, tags or variables");
    options.flag("--json", as_json, "as one JSON document");
    options.settings();
    if (const auto code = options.parse(words)) return *code;
    const Topic* topic = find_topic(command, what);
    if (topic == nullptr) return kWrongUsage;

    Runtime runtime;
    if (Status status = add_demo(runtime); !status) return fail(command, status.text(), kFailed);
    if (const auto code = options.apply_settings(runtime, words.environment)) return *code;
    Listing listing = topic->list(runtime);
    if (as_json)
        fmt::print("{}\n", Json{{topic->name, std::move(listing.items)}}.dump(2));
    else
        fmt::print("{}", listing.text);
    return kDone;
}

}  // namespace lyre::app
