#include "lyre/core/tag_query.h"

#include <algorithm>
#include <array>

#include "lyre/core/assert.h"
#include "lyre/core/suggest.h"

namespace lyre::inline core {

// Reads the text once from left to right; each function leaves the position behind what it has read.
class TagQuery::Parser {
public:
    Parser(std::string_view text, const TagTable& table) : text_(text), table_(table) {}

    Result<TagQuery> query() {
        if (Status failure = part(0); !failure) return failure;
        if (at_ != text_.size()) return expected("the end");
        if (query_.nodes_.front().kind == Kind::Any && query_.nodes_.size() == 1) query_.nodes_.clear();
        return std::move(query_);
    }

private:
    Status part(std::size_t depth) {
        skip_space();
        const std::size_t begin = at_;
        const std::string_view name = word_at(at_);
        if (name.empty()) return expected("a tag, all(...), any(...) or none(...)");
        if (query_.nodes_.size() == kMaxNodes)
            return Status::capacity("column {}: the query is too large; {} tags and clauses are allowed", begin + 1,
                                    kMaxNodes);
        at_ += name.size();
        skip_space();
        if (is_next('(')) return clause(name, begin, depth);
        Result<GameplayTag> tag = table_.find(name);
        if (!tag) return Status(tag.status().code(), fmt::format("column {}: {}", begin + 1, tag.status().text()));
        query_.nodes_.push_back({*tag});
        return {};
    }

    Status clause(std::string_view name, std::size_t begin, std::size_t depth) {
        constexpr std::array kinds = {Kind::All, Kind::Any, Kind::None};
        const auto kind = std::find_if(kinds.begin(), kinds.end(), [&](Kind k) { return word(k) == name; });
        if (kind == kinds.end()) {
            at_ = begin;
            return expected("all, any or none before \"(\"");
        }
        if (depth == kMaxDepth)
            return Status::capacity("column {}: the query is too deep; {} clauses inside each other are allowed",
                                    begin + 1, kMaxDepth);
        const std::size_t index = query_.nodes_.size();
        query_.nodes_.push_back({{}, 1, *kind});
        take('(');
        if (!take(')')) {
            do {
                if (Status failure = part(depth + 1); !failure) return failure;
            } while (take(','));
            if (!take(')')) return expected("\",\" or \")\"");
        }
        query_.nodes_[index].size = static_cast<std::uint16_t>(query_.nodes_.size() - index);
        return {};
    }

    void skip_space() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }
    bool is_next(char c) const { return at_ < text_.size() && text_[at_] == c; }
    bool take(char c) {
        if (!is_next(c)) return false;
        ++at_;
        skip_space();
        return true;
    }
    // All up to a space or a sign of ours, so that a malformed tag is refused as a whole.
    std::string_view word_at(std::size_t begin) const {
        return text_.substr(begin, text_.find_first_of("(), \t\r\n", begin) - begin);
    }
    Status expected(std::string_view what) const {
        const std::string_view word = word_at(at_);
        return Status::invalid("column {}: expected {}, found {}", at_ + 1, what,
                               at_ == text_.size() ? "the end" : in_quotes(word.empty() ? text_.substr(at_, 1) : word));
    }

    std::string_view text_;
    const TagTable& table_;
    std::size_t at_ = 0;
    TagQuery query_;
};

Result<TagQuery> TagQuery::parse(std::string_view text, const TagTable& table) {
    return Parser(text, table).query();
}

TagQuery::TagQuery(GameplayTag tag) {
    LYRE_ASSERT(!tag.is_none(), "a query needs a known tag: look at what TagTable::find gave before using it");
    nodes_.push_back({tag});
}

TagQuery::TagQuery(Kind kind, std::initializer_list<TagQuery> parts) {
    if (kind == Kind::Any && parts.size() == 0) return;
    nodes_.push_back({{}, 1, kind});
    for (const TagQuery& part : parts) {
        nodes_.insert(nodes_.end(), part.nodes_.begin(), part.nodes_.end());
        if (part.is_empty()) nodes_.push_back({{}, 1, Kind::Any});
    }
    nodes_[0].size = static_cast<std::uint16_t>(nodes_.size());
    LYRE_ASSERT(nodes_.size() <= kMaxNodes && depth(0) <= kMaxDepth, "the query is too large: make several of it");
}

std::size_t TagQuery::depth(std::size_t at) const {
    if (nodes_[at].kind == Kind::Tag) return 0;
    std::size_t deepest = 0;
    for (std::size_t part = at + 1; part < at + nodes_[at].size; part += nodes_[part].size)
        deepest = std::max(deepest, depth(part));
    return deepest + 1;
}

bool TagQuery::evaluate(const TagSource& tags) const {
    return !is_empty() && holds(0, tags);
}

bool TagQuery::holds(std::size_t at, const TagSource& tags) const {
    const Node node = nodes_[at];
    if (node.kind == Kind::Tag) return tags.has(node.tag);
    // The first part that does not hold decides about all, the first that does about any and none.
    const bool deciding = node.kind != Kind::All;
    for (std::size_t part = at + 1; part < at + node.size; part += nodes_[part].size)
        if (holds(part, tags) == deciding) return node.kind == Kind::Any;
    return node.kind != Kind::Any;
}

std::string TagQuery::explain(const TagSource& tags) const {
    if (is_empty()) return "any(): an empty query never holds";
    return holds(0, tags) ? std::string() : explain(0, tags);
}

std::string TagQuery::explain(std::size_t at, const TagSource& tags) const {
    const Node node = nodes_[at];
    if (node.kind == Kind::Tag) return fmt::format("missing {}", node.tag);
    if (node.kind == Kind::Any) return fmt::format("{}: none of these holds", text_of(at));
    const bool deciding = node.kind == Kind::None;
    std::size_t part = at + 1;
    while (holds(part, tags) != deciding) part += nodes_[part].size;
    const bool is_tag = nodes_[part].kind == Kind::Tag;
    if (node.kind == Kind::All) return (is_tag ? "all: " : "") + explain(part, tags);
    if (is_tag) return fmt::format("{}: has {}", text_of(at), tags.first_match(nodes_[part].tag));
    return fmt::format("{}: {} holds", text_of(at), text_of(part));
}

TagContainer TagQuery::tags() const {
    static_assert(kMaxNodes <= TagContainer::kMaxTags);
    TagContainer all;
    for (const Node& node : nodes_)
        if (node.kind == Kind::Tag) all.add(node.tag);
    return all;
}

std::string TagQuery::to_string() const {
    return is_empty() ? "any()" : text_of(0);
}

std::string TagQuery::text_of(std::size_t at) const {
    std::string out;
    print(at, out);
    return out;
}

void TagQuery::print(std::size_t at, std::string& out) const {
    const Node node = nodes_[at];
    if (node.kind == Kind::Tag) {
        out += node.tag.text();
        return;
    }
    out += word(node.kind);
    out += '(';
    for (std::size_t part = at + 1; part < at + node.size; part += nodes_[part].size) {
        if (part != at + 1) out += ", ";
        print(part, out);
    }
    out += ')';
}

std::string_view TagQuery::word(Kind kind) {
    constexpr std::array<std::string_view, 4> words = {"", "all", "any", "none"};
    return words[static_cast<std::size_t>(kind)];
}

}  // namespace lyre::inline core
