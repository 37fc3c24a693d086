// framework/selector.h: which receivers a request or handler is meant for.
//
// A class by name (its subclasses too; it need not exist yet), a query on the actor's tags, components the actor must
// have or must not have, a named predicate: all parts that are given must hold, and one of class, tags or components
// must be. Actor itself is no class to select by: it would be everything.
//
//     Selector("Pawn")                         Selector{.class_name = Name("Pawn"), .tags = *TagQuery::parse(…)}
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

class ComponentManager;

struct Selector {
    Selector() = default;
    explicit Selector(std::string_view class_name) : class_name(class_name) {}

    Name class_name;
    std::string tags;       // a TagQuery as text; empty: any
    std::vector<Name> has;  // component classes, subclasses count
    std::vector<Name> has_not;
    Name predicate;  // registered by name; none: none

    bool is_class_only() const { return tags.empty() && has.empty() && has_not.empty() && predicate.is_none(); }
    Status validate() const;        // refused: empty, Actor itself, a query that does not parse
    std::string to_string() const;  // `Pawn`, `Pawn with tags all(A.B) and component X`
    friend bool operator==(const Selector&, const Selector&) = default;
    static void describe(TypeBuilder<Selector>& t);
};

}  // namespace lyre::framework
