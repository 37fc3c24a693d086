// framework/selector.h: which receivers a request or handler is meant for.
//
// A class by name (its subclasses too; it need not exist yet), a query on the actor's tags, components the actor must
// have or must not have, a named predicate: all parts that are given must hold, and one of class, tags or components
// must be. Actor itself is no class to select by: it would be everything.
//
//     Selector("Pawn")                         Selector("Pawn").with_tags("all(A.B, none(C))").with("Health")
//
// In content: `to = "Pawn"`, or `to = { class = "Pawn", tags = "all(A.B, none(C))", has = ["X"], has_not = ["Y"] }`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lyre/core/tag_query.h"
#include "lyre/core/type_builder.h"
#include "lyre/world/object.h"

namespace lyre::framework {

struct Selector {
    Selector() = default;
    explicit Selector(std::string_view class_name) : class_name(class_name) {}

    Name class_name;
    std::string tags;       // a TagQuery as text; empty: any
    std::vector<Name> has;  // component classes, subclasses count
    std::vector<Name> has_not;
    Name predicate;  // registered by name; none: none

    Selector& with_tags(std::string_view query) { return tags = query, *this; }
    Selector& with(std::string_view component) { return has.emplace_back(component), *this; }
    Selector& without(std::string_view component) { return has_not.emplace_back(component), *this; }
    Selector& where(std::string_view named) { return predicate = Name(named), *this; }

    bool is_class_only() const { return tags.empty() && has.empty() && has_not.empty() && predicate.is_none(); }
    Status validate(const TagTable& table) const;  // refused: empty, Actor itself, a query that does not parse
    std::string to_string() const;                 // `Pawn`, `Pawn with tags all(A.B) and component X`
    friend bool operator==(const Selector&, const Selector&) = default;
    static void describe(TypeBuilder<Selector>& t);
};

}  // namespace lyre::framework
