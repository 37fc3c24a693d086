// world/archetype.h: classes that content derives from native ones: other defaults, more components and tags.
//
// An archetype is a class like any other (spawned, placed, matched by name), but made of data: of its parent's code. It
// goes one level deep: an archetype of an archetype is refused, since what two files say in turn nobody can follow; put
// what is shared into a component instead.
#pragma once

#include <string>
#include <vector>

#include "lyre/core/type_registry.h"

namespace lyre::inline world {

struct ArchetypeDefault {
    Name property{};
    std::string value{};  // as people write it
};

struct ArchetypeComponent {
    Name class_name{};
    Name name{};  // none: the name of its class
};

struct ArchetypeDef {
    Name name{};
    Name parent{};  // a native actor class
    std::vector<std::string> tags{};
    std::vector<ArchetypeDefault> defaults{};
    std::vector<ArchetypeComponent> components{};
    std::string place{};  // of the file, for errors
};

// All that is wrong is in one Status; then nothing is registered.
Result<const Type*> add_archetype(TypeRegistry& types, const ArchetypeDef& def);

}  // namespace lyre::inline world
