// assets/schema.h: what editors need to know of content files, so that they complete keys and mark mistakes while
// people type. Made from the same descriptions that the reader checks files with; `lyre schema DIR` writes it.
//
//     write("schemas/map.schema.json", json_schema(*types.find("map"), PartKinds(registry)));
//     write(".taplo.toml", schema_index(types.all(), "./schemas"));   // for taplo and VS Code's "Even Better TOML"
//
// A schema offers no key that is refused, and says what one is that is left out. It accepts all that the reader
// accepts, given the kinds of parts that are known; it cannot say what needs tables of the program (which tags, classes
// and assets there are) or what check hooks find. Pure functions: any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "lyre/assets/content_types.h"

namespace lyre::assets {

// JSON Schema, draft 7, of a type of content that is described; for one that a loader makes it is empty.
std::string json_schema(const ContentType& type, const PartKinds& kinds);
std::string schema_file_name(const ContentType& type);  // "map.schema.json"

// The text of a .taplo.toml for the project's folder: which files follow which schema. `folder`: of the schemas, as
// seen from there.
std::string schema_index(std::span<const ContentType* const> types, std::string_view folder);
std::string schema_rule(std::string_view files, std::string_view path);  // one entry of it

}  // namespace lyre::assets
