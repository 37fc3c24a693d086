// core/detail/content_reader.h: the two halves of the content reader (content_reader.cpp, content_link.cpp) from
// inside. Not for others.
#pragma once

#include <cstdint>

#include "lyre/core/content_reader.h"
#include "lyre/core/tags.h"

namespace lyre::inline core::detail {

// `"radius" of component[1] in archetype:crate`; without a key the thing itself.
std::string where(const Reading& reading, const std::string& path, std::string_view key);
std::string suggestion(std::string_view nearest);  // empty for none
bool may_suggest(const Reading& reading);          // no more after a hundred problems
void report(Reading& reading, const ProblemCode& code, SourcePlace place, std::string text, std::string hint = {});

void do_lookup(Reading& reading, const ContentLookup& lookup, const LinkTables& tables);
const PropertyInfo& no_property();  // says nothing

// Added to the index of a path: parts are things people count, "action 2" is the second. Other entries are the path
// that leads to them, "features[1]".
inline constexpr std::size_t kCounted = SIZE_MAX / 2 + 1;

class ContentReader {
public:
    // With tables lookups and link hooks are done at once, without they are noted.
    explicit ContentReader(Reading& reading, const LinkTables* tables = nullptr) : reading_(reading), tables_(tables) {}

    void read_value(const Node& node, const ValueType& type, const PropertyInfo& as, void* value,
                    const ContentPath& path);
    void read_record(const Node& node, const Type& type, void* object, const ContentPath& path, bool is_part = false);
    void set_name(const Type& type, void* object);
    void finish();  // nothing more is read

private:
    std::string at(const ContentPath& path) const;
    void problem(const ProblemCode& code, SourcePlace place, std::string text, std::string hint = {});
    void refuse(const Node& node, const ValueType& type, const PropertyInfo& as, const ContentPath& path);

    std::uint64_t read_keys(const Node& node, const Type& type, void* object, const ContentPath& path, bool is_part);
    void unknown_key(const Node& entry, const Type& type, const PropertyInfo* known, const ContentPath& path);
    void missing_key(const Node& node, const PropertyInfo& property, const ContentPath& path);
    void call_check(const Node& node, const Type& type, const void* object, const ContentPath& path);
    void note_link(const Node& node, const Type& type, const void* object, const ContentPath& path);

    bool is_in_range(const Node& node, const ValueType& type, const PropertyInfo& as, const ContentPath& path);
    bool is_float(const Node& node, std::size_t size, const ContentPath& path);
    void read_integer(const Node& node, const ValueType& type, const PropertyInfo& as, void* value,
                      const ContentPath& path);
    void read_float(const Node& node, const ValueType& type, const PropertyInfo& as, void* value,
                    const ContentPath& path);
    void read_vector(const Node& node, const ValueType& type, const PropertyInfo& as, void* value,
                     const ContentPath& path);
    void read_enum(const Node& node, const ValueType& type, const PropertyInfo& as, void* value,
                   const ContentPath& path);
    const std::string* read_text(const Node& node, const ValueType& type, const PropertyInfo& as,
                                 const ContentPath& path);  // null: it was refused
    void read_list(const Node& node, const ValueType& type, const PropertyInfo& as, void* value,
                   const ContentPath& path);

    void read_symbol(const Node& node, const ValueType& type, const PropertyInfo& as, void* value,
                     const ContentPath& path);
    void read_tag(const Node& node, const PropertyInfo& as, ContentLookup::What what, void* value,
                  const ContentPath& path);
    void read_tags(const Node& node, const ValueType& type, const PropertyInfo& as, TagContainer& tags,
                   const ContentPath& path);
    void read_asset(const Node& node, const ValueType& type, const PropertyInfo& as, void* value,
                    const ContentPath& path);
    Name intern(std::string_view text);
    void look_up(const ContentLookup& lookup);

    void read_part(const Node& node, const ValueType& type, const PropertyInfo& as, void* value,
                   const ContentPath& path);
    std::string kinds_hint(Name base) const;

    Reading& reading_;
    const LinkTables* tables_;
    Name last_name_;
};

}  // namespace lyre::inline core::detail
