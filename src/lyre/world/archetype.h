// world/archetype.h: classes that content derives from native ones: other defaults, more components and tags.
//
//     parent = "Prop"                       # crate.archetype.toml: a class of this name
//     tags   = ["Prop.Wooden"]
//     [defaults]                            # described properties of the parent
//     radius = 0.5
//     [[component]]
//     class = "Loot"
//
// An archetype is a class like any other (spawned, placed, matched by name), but made of data: of its parent's code. It
// goes one level deep: an archetype of an archetype is refused, since what two files say in turn nobody can follow; put
// what is shared into a component instead.
#pragma once

#include <string>
#include <vector>

#include "lyre/core/content_reader.h"
#include "lyre/core/tags.h"
#include "lyre/core/type_registry.h"

namespace lyre::inline world {

struct ArchetypeComponent {
    Name class_name{};
    Name name{};  // none: the name of its class
    static void describe(TypeBuilder<ArchetypeComponent>& t);
};

struct ArchetypeDef {
    Name name{};    // that of the file
    Name parent{};  // a native actor class
    TagContainer tags{};
    Node defaults = Node::table();  // properties of the parent by name; read once the parent is known
    std::vector<ArchetypeComponent> components{};
    std::string place{};  // where it was made, for errors; none: its name says enough

    void link(ContentLink& link) const;  // finds what add_archetype would refuse
    static void describe(TypeBuilder<ArchetypeDef>& t);
};

// All that is wrong is in one Status; then nothing is registered.
Result<const Type*> add_archetype(TypeRegistry& types, const TagTable& tags, const ArchetypeDef& def);

}  // namespace lyre::inline world
