// core/content_reader.h: from what was written to the object it means, for every described type alike.
//
//     Reading reading = read_content(tree, value_type<LevelDef>(), &level, {.file = "yard.map.toml", .subject = ...});
//     link_content(reading, {types, tags, &assets});       // on the frame's thread
//     if (!reading.problems.is_empty()) ...
//
// There is no parser per type: keys are properties, tables are records, and what a property's description says (range,
// required, enum values, units, class_of, asset) is what is checked. All problems of a file are found in one go; what
// is wrong is skipped and the rest is read on.
//
// Reading has two halves. read_content() looks at nothing but the tree and the descriptions, so workers run it. What
// needs tables that belong to the frame's thread (tags, classes, other assets) it notes as lookups, and link_content()
// does them, a bounded number at a time if wished; then it calls the `link` hooks of the records, innermost first.
//
// What can be written for what:
//     bool, integers, floats (an integer will do), text, Name         as in TOML; floats are finite
//     enum                   its name                                  GameplayTag     its text
//     Vec3                   [x, y] or [x, y, z]                       TagContainer    list of texts
//     list                   a list, or [[key]] for records            Node            anything, kept as written
//     record                 a table; if its type has a short form, a text stands for the table with that one key
//     Part<Base>             a table with `kind`, which names a type derived from Base (part.h)
//
// Hooks a record's description may have (t.hook<&T::check>("check")):
//     check(ContentCheck&) const    after it was read without problems, on the worker: what no single property can say
//     link(ContentLink&) const      after its lookups, on the frame's thread: what needs types or tags
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "lyre/core/content_node.h"
#include "lyre/core/problem.h"
#include "lyre/core/type.h"

namespace lyre::inline core {

class TypeRegistry;
class TagTable;

// Which types a Part may be, by base and kind: a copy of what the registry knew, so that workers can ask.
class PartKinds {
public:
    PartKinds() = default;
    explicit PartKinds(const TypeRegistry& types);
    const Type* find(Name base, std::string_view kind) const;
    std::vector<std::string_view> kinds(Name base) const;  // sorted

private:
    std::unordered_map<Name, std::vector<std::pair<std::string, const Type*>>> by_base_;
};
std::string kind_name(std::string_view type_name);  // "add_components" of "AddComponents"

inline constexpr std::size_t kMaxListEntries = 1'000'000;
inline constexpr std::size_t kMaxContentText = 65'536;  // bytes of one text
inline constexpr std::size_t kMaxAssetName = 100;       // bytes
bool is_asset_name(std::string_view text);              // a-z, 0-9 and _

struct ReadOptions {
    std::string file{};                // for problems
    std::string subject{};             // "experience:tag": what the file is
    std::string name{};                // for the property that is the asset's name ("tag"); empty: it stays
    std::string path{};                // of the tree below the subject, if it is a piece of it: "action 2"
    std::vector<std::string> chain{};  // what led here, the nearest first
    std::string_view text{};           // of the file, for the lines in problems; outlives the call, then it is copied
    const PartKinds* kinds = nullptr;  // null: no Part can be read; stays until the reading is linked
    bool keep_unknown_kinds = false;   // a Part of unknown kind stays as written instead of being a problem
};

// Something that must be found in a table of the frame's thread.
struct ContentLookup {
    enum class What : std::uint8_t { Tag, TagOfSet, Class, Asset };
    What what;
    const PropertyInfo* property;  // says class_base, asset_type
    std::string_view key;          // under which it is written: of a short form the outer one
    void* value;                   // GameplayTag, TagContainer; of others null: they only have to be there
    std::string_view text;         // as written, of assets without the type; lives in the tree
    Name asset_type;               // of assets
    SourcePlace place;
};
struct ContentHook {  // a record that wants to be linked
    const Type* type;
    const void* object;
    const Node* node;  // what it was read from
    std::string path;  // "component[1]"; empty: the whole file
};

struct Reading {
    Problems problems;
    std::vector<ContentLookup> lookups;  // still to do, from the back
    std::vector<ContentHook> hooks;      // to call when all lookups are done, from the back
    ReadOptions options;
    std::string text;                  // of the file, while there is something to link
    std::shared_ptr<const Node> tree;  // of a part that was kept as written; else the caller has it
    bool is_linked() const { return lookups.empty() && hooks.empty(); }
};

// `value` is an object of the type as constructed; whatever was wrong keeps what it had. The tree must stay where it is
// until the reading is linked, and so must the object.
Reading read_content(const Node& tree, const ValueType& type, void* value, ReadOptions options);
Reading read_record(const Node& tree, const Type& type, void* object, ReadOptions options);

// Who knows which assets exist (assets/registry.h).
class AssetNames {
public:
    virtual ~AssetNames() = default;
    virtual bool has_type(Name type) const = 0;  // false: its room or feature is not here, names are not checked
    virtual bool has(Name type, std::string_view name) const = 0;
    virtual std::string nearest(Name type, std::string_view name) const = 0;  // empty: none is near
    virtual std::vector<std::string> names(Name) const { return {}; }         // of a type, for hints
    virtual bool has_class(std::string_view name) const = 0;  // is there an asset that becomes a class of this name?
};

struct LinkTables {
    const TypeRegistry& types;
    const TagTable& tags;
    const AssetNames* assets = nullptr;  // null: not checked
};
// At most `limit` lookups and hooks; call again until reading.is_linked().
void link_content(Reading& reading, const LinkTables& tables, std::size_t limit = SIZE_MAX);

namespace detail {
class ContentReader;
void call_link(Reading& reading, const ContentHook& hook, const LinkTables& tables);
// The way from the subject to a value: lives on the stack while it is read, and is printed only for a problem.
struct ContentPath {
    static constexpr std::size_t kNoIndex = SIZE_MAX;
    const ContentPath* outer = nullptr;
    std::string_view key{};        // or
    std::size_t index = kNoIndex;  // in a list, from 0; of parts plus kCounted
    std::string to_string() const;
    std::string_view nearest_key() const;  // of a list's entry that of the list
};
}  // namespace detail

// What check() hooks see: a way to say what is wrong where it was written.
//
//     if (min.x > max.x) check.problem(kInverted, "max", fmt::format("{} lies below min", check.where("max")));
//
// `path`: the key below the record, "defaults.radius" or "point[2].name"; empty: the record itself.
class ContentCheck {
public:
    void problem(const ProblemCode& code, std::string_view path, std::string text, std::string hint = {});
    std::string where(std::string_view path = {}) const;  // `"max" of area of scatter[1] in map:yard`
    // Of an entry of the table at `path` that the record kept as written: its key may hold anything, dots too.
    void problem_at(const ProblemCode& code, const Node& entry, std::string text, std::string hint = {});
    std::string where(std::string_view path, const Node& entry) const;
    const std::string& subject() const { return reading_.options.subject; }

protected:
    friend class detail::ContentReader;
    ContentCheck(Reading& reading, const Node& node, const detail::ContentPath& path)
        : reading_(reading), node_(node), path_(path) {}
    Reading& reading_;
    const Node& node_;
    const detail::ContentPath& path_;
};

// What link() hooks see: also the tables, and a reader for what was kept as written.
class ContentLink : public ContentCheck {
public:
    const TypeRegistry& types() const { return tables_.types; }
    const TagTable& tags() const { return tables_.tags; }
    bool is_made_by_content(Name class_name) const {
        return tables_.assets != nullptr && tables_.assets->has_class(class_name.text());
    }
    // Reads an entry of a table that the record kept at `path` into a value of a described type, tags and all; problems
    // carry their places. False: there were some.
    bool read(std::string_view path, const Node& entry, const PropertyInfo& as, void* value);

private:
    friend void detail::call_link(Reading&, const ContentHook&, const LinkTables&);
    template <class F> friend Problems link_as_hook(const LinkTables&, ReadOptions, const Node&, F);
    ContentLink(Reading& reading, const Node& node, const detail::ContentPath& path, const LinkTables& tables)
        : ContentCheck(reading, node, path), tables_(tables) {}
    const LinkTables& tables_;
};

// Does what a link hook does, with problems named by `options`: for code that made content itself, and for what is
// found out about `written` later than it was linked.
template <class F> Problems link_as_hook(const LinkTables& tables, ReadOptions options, const Node& written, F work) {
    Reading reading;
    reading.options = std::move(options);
    const detail::ContentPath root{nullptr, reading.options.path};
    ContentLink link(reading, written, root, tables);
    work(link);
    return std::move(reading.problems);
}
template <class F> Problems link_as_hook(const LinkTables& tables, ReadOptions options, F work) {
    return link_as_hook(tables, std::move(options), Node::table(), std::move(work));
}

}  // namespace lyre::inline core
