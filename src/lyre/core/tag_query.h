// core/tag_query.h: a condition on tags that designers write: all(A.B, any(C, D), none(E)).
//
//     Result<TagQuery> query = TagQuery::parse("all(Team.Red, none(Status.Dead))", table);
//     if (!query->evaluate(tags)) log("{}", query->explain(tags));      // none(Status.Dead): has Status.Dead.Burnt
//
// A tag holds where it or one below it is present; all, any and none join tags and each other. all() and none() of
// nothing hold, any() of nothing does not; the default query is any(), so a query that was never given lets nothing
// through. TagContainer, TagCounts and any type with their has() and first_match() can be asked. Evaluating allocates
// nothing. Text comes from content: its size and depth are bounded and unknown tags refused. A query remembers tags by
// value and does not hold them in their table: whoever keeps one calls TagTable::use for tags().
#pragma once

#include <concepts>
#include <cstdint>
#include <fmt/core.h>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "lyre/core/status.h"
#include "lyre/core/tags.h"

namespace lyre::inline core {

template <class T>
concept HasTags = requires(const T& tags, GameplayTag tag) {
    { tags.has(tag) } -> std::same_as<bool>;
    { tags.first_match(tag) } -> std::same_as<GameplayTag>;
};

// Looks at something that has tags; made at the call, never kept.
class TagSource {
public:
    template <HasTags T>
    TagSource(const T& tags)
        : tags_(&tags),
          has_([](const void* object, GameplayTag tag) { return static_cast<const T*>(object)->has(tag); }),
          first_match_(
              [](const void* object, GameplayTag tag) { return static_cast<const T*>(object)->first_match(tag); }) {}

    bool has(GameplayTag tag) const { return has_(tags_, tag); }
    GameplayTag first_match(GameplayTag tag) const { return first_match_(tags_, tag); }

private:
    const void* tags_;
    bool (*has_)(const void*, GameplayTag);
    GameplayTag (*first_match_)(const void*, GameplayTag);
};

class TagQuery {
public:
    static constexpr std::size_t kMaxNodes = 256;  // tags and clauses together
    static constexpr std::size_t kMaxDepth = 16;   // clauses inside each other

    TagQuery() = default;       // any(): never holds
    TagQuery(GameplayTag tag);  // so that a tag may stand where a part is wanted; not none
    static TagQuery all(std::initializer_list<TagQuery> parts) { return TagQuery(Kind::All, parts); }
    static TagQuery any(std::initializer_list<TagQuery> parts) { return TagQuery(Kind::Any, parts); }
    static TagQuery none(std::initializer_list<TagQuery> parts) { return TagQuery(Kind::None, parts); }
    // A failure says at which column (bytes, from 1) what was expected.
    static Result<TagQuery> parse(std::string_view text, const TagTable& table);

    bool evaluate(const TagSource& tags) const;
    std::string explain(const TagSource& tags) const;  // the first clause that fails and why; empty if the query holds

    bool is_empty() const { return nodes_.empty(); }
    TagContainer tags() const;      // all that are mentioned
    std::string to_string() const;  // parse() gives the same query back
    friend bool operator==(const TagQuery&, const TagQuery&) = default;

private:
    enum class Kind : std::uint8_t { Tag, All, Any, None };
    struct Node {
        GameplayTag tag;         // of Kind::Tag
        std::uint16_t size = 1;  // nodes of this part, itself included
        Kind kind = Kind::Tag;
        friend bool operator==(const Node&, const Node&) = default;
    };
    class Parser;

    TagQuery(Kind kind, std::initializer_list<TagQuery> parts);
    static std::string_view word(Kind kind);
    std::size_t depth(std::size_t at) const;
    bool holds(std::size_t at, const TagSource& tags) const;
    std::string explain(std::size_t at, const TagSource& tags) const;
    void print(std::size_t at, std::string& out) const;
    std::string text_of(std::size_t at) const;

    std::vector<Node> nodes_;  // a clause, then its parts one after the other; empty for any()
};

}  // namespace lyre::inline core

template <> struct fmt::formatter<lyre::TagQuery> : fmt::formatter<std::string> {
    template <class Context> auto format(const lyre::TagQuery& query, Context& ctx) const {
        return fmt::formatter<std::string>::format(query.to_string(), ctx);
    }
};
