// core/content_node.h: one value of a content file as it was written, with its place: before anybody knows its type.
//
// A parser (assets/toml.h) makes a tree of these from a file; the reader (content_reader.h) turns the tree into the
// C++ object that a Type describes. What can only be read later, once more is known, is kept as a Node: an archetype's
// defaults until its parent class is known, an action until the feature that brings its kind is there. A property of
// type Node takes whatever stands there.
//
//     Node defaults = Node::table();                                       // code may make one, too
//     defaults.set("radius", Node::number(0.5));
//
// A plain value: copies are deep, and two are equal if they differ only in places and the order of keys. Parsers refuse
// what is nested deeper than kMaxDepth; code that makes a tree keeps to it, too. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lyre/core/problem.h"
#include "lyre/core/value_type.h"

namespace lyre::inline core {

enum class NodeKind : std::uint8_t { None, Bool, Integer, Float, Text, List, Table, Date };

class Node {
public:
    static constexpr std::size_t kMaxDepth = 64;  // tables and lists in each other

    Node() = default;
    Node(const Node&) = default;
    Node(Node&&) noexcept = default;
    Node& operator=(const Node&) = default;
    Node& operator=(Node&&) noexcept = default;
    ~Node();  // of whatever depth
    static Node boolean(bool value);
    static Node integer(std::int64_t value);
    static Node number(double value);
    static Node text(std::string value);
    static Node date(std::string as_written);
    static Node list();
    static Node table();

    NodeKind kind() const { return kind_; }
    bool is_none() const { return kind_ == NodeKind::None; }
    bool as_bool() const { return integer_ != 0; }
    std::int64_t as_integer() const { return integer_; }
    double as_float() const;                              // of Integer, too
    const std::string& as_text() const { return text_; }  // of Text and Date

    // Entries of a List in order, of a Table in the order of the file.
    const std::vector<Node>& entries() const { return entries_; }
    const std::string& key() const { return key_; }  // of an entry of a Table
    const Node* find(std::string_view key) const;
    Node& add(Node entry);                        // to a List
    Node& add(std::string key, Node entry);       // to a Table that has no such key: does not look
    Node& set(std::string_view key, Node entry);  // in a Table; replaces
    void reserve(std::size_t count) { entries_.reserve(count); }

    SourcePlace place;      // of the value
    SourcePlace key_place;  // of an entry's key

    std::string print() const;        // `"a"`, `1.5`, `[1, 2]`, `{x = 1}`
    void hash(Hasher& hasher) const;  // keys in order of text; places do not count
    friend bool operator==(const Node& a, const Node& b);

private:
    NodeKind kind_ = NodeKind::None;
    std::int64_t integer_ = 0;
    double float_ = 0;
    std::string text_;
    std::string key_;
    std::vector<Node> entries_;
};

std::string_view to_string(NodeKind kind);  // "a whole number", "a list", as errors say it

template <> struct ValueTraits<Node> { static void fill(ValueType& t); };

}  // namespace lyre::inline core
