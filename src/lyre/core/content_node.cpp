#include "lyre/core/content_node.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "lyre/core/utf8.h"

namespace lyre::inline core {
namespace {

bool is_bare_key(std::string_view key) {
    return !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    });
}

std::string quoted(std::string_view text) {
    std::string out = "\"";
    while (!text.empty()) {
        const Utf8Character character = first_character(text);
        if (character.code == '"' || character.code == '\\')
            out += fmt::format("\\{}", text.front());
        else if (character.code == '\n' || character.code == '\t')
            out += character.code == '\n' ? "\\n" : "\\t";
        else if (character.code != kNoCharacter && is_control(character.code))
            out += fmt::format("\\u{:04X}", static_cast<std::uint32_t>(character.code));
        else
            out += cleaned(text.substr(0, character.size));
        text.remove_prefix(character.size);
    }
    return out + "\"";
}

std::string float_text(double value) {
    std::string text = fmt::format("{}", value);
    return text.find_first_not_of("-0123456789") == std::string::npos ? text + ".0" : text;
}

std::vector<const Node*> in_order_of_keys(const Node& table) {
    std::vector<const Node*> sorted;
    for (const Node& entry : table.entries()) sorted.push_back(&entry);
    std::sort(sorted.begin(), sorted.end(), [](const Node* a, const Node* b) { return a->key() < b->key(); });
    return sorted;
}

}  // namespace

// Grandchildren are taken out before their parents go, so that a deep tree does not go by recursion.
Node::~Node() {
    std::vector<Node> waiting;
    const auto take_from = [&](std::vector<Node>& entries) {
        for (Node& entry : entries)
            if (!entry.entries_.empty()) waiting.push_back(std::move(entry));
    };
    take_from(entries_);
    while (!waiting.empty()) {
        Node next = std::move(waiting.back());
        waiting.pop_back();
        take_from(next.entries_);
    }
}

Node Node::boolean(bool value) {
    Node node;
    node.kind_ = NodeKind::Bool;
    node.integer_ = value;
    return node;
}

Node Node::integer(std::int64_t value) {
    Node node;
    node.kind_ = NodeKind::Integer;
    node.integer_ = value;
    return node;
}

Node Node::number(double value) {
    Node node;
    node.kind_ = NodeKind::Float;
    node.float_ = value;
    return node;
}

Node Node::text(std::string value) {
    Node node;
    node.kind_ = NodeKind::Text;
    node.text_ = std::move(value);
    return node;
}

Node Node::date(std::string as_written) {
    Node node = text(std::move(as_written));
    node.kind_ = NodeKind::Date;
    return node;
}

Node Node::list() {
    Node node;
    node.kind_ = NodeKind::List;
    return node;
}

Node Node::table() {
    Node node;
    node.kind_ = NodeKind::Table;
    return node;
}

double Node::as_float() const {
    return kind_ == NodeKind::Integer ? static_cast<double>(integer_) : float_;
}

const Node* Node::find(std::string_view key) const {
    if (kind_ != NodeKind::Table) return nullptr;
    for (const Node& entry : entries_)
        if (entry.key_ == key) return &entry;
    return nullptr;
}

Node& Node::add(Node entry) {
    LYRE_ASSERT(kind_ == NodeKind::List, "entries without a key are added to a list: make it with Node::list()");
    return entries_.emplace_back(std::move(entry));
}

Node& Node::add(std::string key, Node entry) {
    LYRE_ASSERT(kind_ == NodeKind::Table, "entries with a key are added to a table: make it with Node::table()");
    entry.key_ = std::move(key);
    return entries_.emplace_back(std::move(entry));
}

Node& Node::set(std::string_view key, Node entry) {
    LYRE_ASSERT(kind_ == NodeKind::Table, "keys are set in a table: make it with Node::table()");
    auto* known = const_cast<Node*>(find(key));
    if (known == nullptr) return add(std::string(key), std::move(entry));
    entry.key_ = key;
    return *known = std::move(entry);
}

std::string Node::print() const {
    switch (kind_) {
        case NodeKind::None:
            return "none";
        case NodeKind::Bool:
            return as_bool() ? "true" : "false";
        case NodeKind::Integer:
            return fmt::format("{}", integer_);
        case NodeKind::Float:
            return float_text(float_);
        case NodeKind::Text:
            return quoted(text_);
        case NodeKind::Date:
            return cleaned(text_);
        case NodeKind::List:
        case NodeKind::Table:
            break;
    }
    const bool is_table = kind_ == NodeKind::Table;
    std::string out = is_table ? "{" : "[";
    for (const Node& entry : entries_) {
        if (out.size() > 1) out += ", ";
        if (is_table) out += (is_bare_key(entry.key_) ? entry.key_ : quoted(entry.key_)) + " = ";
        out += entry.print();
    }
    return out + (is_table ? "}" : "]");
}

void Node::hash(Hasher& hasher) const {
    hasher.value(kind_);
    hasher.value(static_cast<std::uint64_t>(entries_.size()));
    if (kind_ == NodeKind::Table) {
        for (const Node* entry : in_order_of_keys(*this)) {
            hasher.text(entry->key_);
            entry->hash(hasher);
        }
        return;
    }
    hasher.value(integer_);
    hasher.value(float_);
    hasher.text(text_);
    for (const Node& entry : entries_) entry.hash(hasher);
}

bool operator==(const Node& a, const Node& b) {
    const bool same_number = a.float_ == b.float_ || (std::isnan(a.float_) && std::isnan(b.float_));
    if (a.kind_ != b.kind_ || a.integer_ != b.integer_ || !same_number || a.text_ != b.text_) return false;
    if (a.kind_ != NodeKind::Table) return a.entries_ == b.entries_;
    if (a.entries_.size() != b.entries_.size()) return false;
    const auto of_a = in_order_of_keys(a), of_b = in_order_of_keys(b);
    return std::equal(of_a.begin(), of_a.end(), of_b.begin(),
                      [](const Node* x, const Node* y) { return x->key_ == y->key_ && *x == *y; });
}

std::string_view to_string(NodeKind kind) {
    static constexpr std::array<std::string_view, 8> kNames{"nothing", "true or false", "a whole number", "a number",
                                                            "a text",  "a list",        "a table",        "a date"};
    return kNames[static_cast<std::size_t>(kind)];
}

void ValueTraits<Node>::fill(ValueType& t) {
    t.kind = ValueKind::Node;
    t.name = "node";
    t.hash = [](const void* v, Hasher& h) { static_cast<const Node*>(v)->hash(h); };
    t.print = [](const void* v) { return static_cast<const Node*>(v)->print(); };
    t.parse = &detail::refuse_parse;
}

}  // namespace lyre::inline core
