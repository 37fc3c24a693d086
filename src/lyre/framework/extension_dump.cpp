// All there is, for people and for programs: sections of rows of named fields, printed in two ways.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "lyre/framework/detail/extension_tables.h"

namespace lyre::framework {

namespace {

using Dump = ExtensionTables::Dump;
using Json = nlohmann::ordered_json;

std::string join(const std::vector<std::string>& parts) {
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
    return text;
}

void add_entry(Dump::Row& row, const Entry& entry) {
    row.add("order", std::to_string(entry.ordering.order));
    row.add("name", std::string(entry.ordering.name.text()));
    row.add("world", entry.world != nullptr ? std::string(entry.world->def().name.text()) : "");
    row.add("owner", entry.who());
}

}  // namespace

Dump ExtensionTables::collect() {
    Dump dump;
    auto& receivers = dump.section("receivers");
    auto& components = dump.section("components");
    auto& requests = dump.section("requests");
    auto& handlers = dump.section("handlers");
    auto& sticky = dump.section("sticky events");
    std::vector<Receiver*> all;
    receivers_.each([&](Receiver& receiver) { all.push_back(&receiver); });
    std::sort(all.begin(), all.end(), [](const Receiver* a, const Receiver* b) { return a->id < b->id; });
    for (Receiver* receiver : all) {
        lose_what_has_gone(*receiver);
        const std::string id = fmt::format("{}", receiver->id);
        receivers.row("actor", id).add("class", std::string(receiver->actor->type().name.text()));
        for (const Injected& injected : receiver->injected) {
            std::vector<std::string> owners;
            for (const Want& want : receiver->wants)
                if (want.injected == injected.serial) owners.push_back(want.request->who());
            auto& row = components.row("component", std::string(injected.name.text()));
            row.add("class", std::string(injected.class_name.text())).add("actor", id).add("wanted by", join(owners));
        }
        for (const StickyEvent& event : receiver->sticky)
            sticky.row("event", std::string(event.event.text())).add("actor", id);
    }
    collect_entries(requests, handlers, dump.section("edges to unknown names"));
    return dump;
}

// By class, then in calling order.
void ExtensionTables::collect_entries(Dump::Section& requests, Dump::Section& handlers, Dump::Section& unknown) {
    std::set<Name> classes;
    for (const auto* levels : {&request_levels_, &handler_levels_})
        for (const auto& [class_name, level] : *levels) {
            classes.insert(class_name);
            for (const std::string& edge : level.unknown_names()) unknown.row("edge", edge);
        }
    std::sort(unknown.rows.begin(), unknown.rows.end());
    for (Name class_name : classes) {
        if (const auto level = request_levels_.find(class_name); level != request_levels_.end())
            for (const Entry* entry : level->second.entries()) {
                const auto& request = static_cast<const Request&>(*entry);
                auto& row = requests.row("component", std::string(request.component_class.text()));
                row.add("to", request.selector.to_string()).add("flags", to_string(request.flags));
                add_entry(row, request);
            }
        if (const auto level = handler_levels_.find(class_name); level != handler_levels_.end())
            for (const Entry* entry : level->second.entries()) {
                const auto& handler = static_cast<const Handler&>(*entry);
                std::vector<std::string> events;
                for (Name event : handler.events) events.emplace_back(event.text());
                auto& row = handlers.row("to", handler.selector.to_string()).add("events", join(events));
                add_entry(row, handler);
            }
    }
}

std::string ExtensionTables::dump() {
    std::string text;
    for (const auto& section : collect().sections) {
        text += fmt::format("{}: {}\n", section.name, section.rows.size());
        for (const auto& row : section.rows) {
            std::string line = "  " + row.fields.front().second;
            for (std::size_t i = 1; i < row.fields.size(); ++i)
                if (!row.fields[i].second.empty())
                    line += fmt::format(", {} {}", row.fields[i].first, row.fields[i].second);
            text += line + "\n";
        }
    }
    return text;
}

std::string ExtensionTables::dump_json() {
    Json all = Json::object();
    for (const auto& section : collect().sections) {
        Json& rows = all[section.name] = Json::array();
        for (const auto& row : section.rows) {
            Json& fields = rows.emplace_back(Json::object());
            for (const auto& [name, value] : row.fields)
                if (!value.empty()) fields[name] = value;
        }
    }
    return all.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::size_t ExtensionTables::table_sizes() const {
    std::size_t size = receivers_.count() + requests_.size() + handlers_.size() + request_levels_.size() +
                       handler_levels_.size() + reported_flags_.size() + spread_.size() + dirty_.size() +
                       retired_.size() + links_.size() + siblings_.size() + predicates_.size() + restless_.size();
    receivers_.each([&](const Receiver& r) {
        size += r.told.size() + r.wants.size() + r.injected.size() + r.sticky.size() + r.verdicts.size() +
                r.done.size() + r.failures.size();
    });
    return size;
}

}  // namespace lyre::framework
