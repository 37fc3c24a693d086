#include "lyre/framework/selector.h"

namespace lyre::framework {

Status Selector::validate(const TagTable& table) const {
    if (!class_name && tags.empty() && has.empty() && has_not.empty())
        return Status::invalid("a selector needs a class, tags or components");
    if (class_name == type_name<Actor>())
        return Status::invalid("a selector for Actor would be for everything: name the class that is meant");
    for (const auto* list : {&has, &has_not})
        for (Name component : *list)
            if (!component) return Status::invalid("a selector names a component without a name");
    if (tags.empty()) return Status::ok();
    const auto query = TagQuery::parse(tags, table);
    if (!query) return Status::invalid("tags of a selector: {}", query.status().text());
    return Status::ok();
}

std::string Selector::to_string() const {
    std::string text(class_name ? class_name.text() : "any actor");
    std::string_view join = " with ";
    const auto add = [&](std::string_view part, const auto& value) {
        text += fmt::format("{}{} {}", join, part, value);
        join = " and ";
    };
    if (!tags.empty()) add("tags", tags);
    for (Name component : has) add("component", component);
    for (Name component : has_not) add("no component", component);
    if (predicate) add("predicate", predicate);
    return text;
}

void Selector::describe(TypeBuilder<Selector>& t) {
    t.help("which actors are meant: all that is given must hold");
    t.property("class", &Selector::class_name).class_of("Actor").help("a class, and those below it");
    t.property("tags", &Selector::tags).help("a query on the actor's tags");
    t.property("has", &Selector::has).class_of("Component").help("components it must have");
    t.property("has_not", &Selector::has_not).class_of("Component").help("components it must not have");
    t.property("predicate", &Selector::predicate).help("a condition that code has registered by name");
    t.short_form("class");
}

}  // namespace lyre::framework
