#include "lyre/core/settings_table.h"

#include "lyre/core/suggest.h"

namespace lyre::inline core {
namespace {

void collect(const Node& table, const std::string& prefix, std::vector<WrittenSetting>& settings) {
    for (const Node& entry : table.entries()) {
        std::string name = prefix + entry.key();
        if (entry.kind() == NodeKind::Table)
            collect(entry, name + ".", settings);
        else
            settings.push_back({std::move(name), &entry});
    }
}

}  // namespace

std::vector<WrittenSetting> collect_settings(const Node& table) {
    std::vector<WrittenSetting> settings;
    if (table.kind() == NodeKind::Table) collect(table, "", settings);
    return settings;
}

std::string setting_text(const Node& value) {
    return value.kind() == NodeKind::Text ? value.as_text() : value.print();
}

std::string suggest_variable(const Variables& variables, std::string_view wanted) {
    std::vector<std::string_view> names;
    const auto all = variables.list();
    for (const VariableInfo& variable : all) names.push_back(variable.name.text());
    return name_hint(wanted, std::move(names), "lyre list variables");
}

}  // namespace lyre::inline core
