// framework/detail/extension_entries.h: what features have asked for, and in which order it stands.
//
// A request or a handler is an Entry in the Level of the class its selector names (no class: the level below all
// classes). A level is sorted by order number and time of registration, and by edges where names are given: an edge
// weighs more than an order number. The order follows from those that are there, not from those that have gone.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lyre/framework/extensions.h"

namespace lyre::framework {

// Receivers, requests and handlers are numbered in the order they came; a number is never used again. 0: none.
using Serial = std::uint64_t;

struct Entry {
    Serial serial = 0;
    Selector selector;
    TagQuery tags;                 // of the selector's text
    std::vector<TagUse> tag_uses;  // the tags stay declared
    bool is_plain = true;          // no query: class and world say it all
    Name shares;                   // of a request: the class of the component it would share with others
    World* world = nullptr;        // null: all of the game
    Ordering ordering;
    std::uint32_t rank = 0;  // in its level
    Owner owner;
    std::uint64_t registered = 0;
    std::string place;
    std::int64_t since_us = 0;
    bool is_leaving = false;  // its handle was dropped: it is not called or applied any more

    bool looks_at_components() const { return !selector.has.empty() || !selector.has_not.empty(); }
    std::string who() const;  // "feature tag, action 2 (add_components)", "process (game.cpp:12)"
};

struct ReceiverRef {
    std::uint32_t slot = 0;
    Serial serial = 0;
};

// The requests for one class of component. Most are alone, and then nothing has to be shared or compared.
struct Siblings {
    std::size_t all = 0;
    std::array<std::size_t, 8> by_flags{};  // AddFlags has three bits
    std::size_t& with(AddFlags flags) { return by_flags[static_cast<std::size_t>(flags) % by_flags.size()]; }
};

struct Request : Entry {
    Name component_class;
    Siblings* siblings = nullptr;  // it among them, until it has left its last receiver
    const Type* type = nullptr;    // of the component, once it is found: a request keeps it registered
    bool travels = false;          // that type replicates
    AddFlags flags = AddFlags::None;
    std::size_t per_frame = 0;
    std::vector<ReceiverRef> waiting;  // receivers one that is spread over frames has not come to yet, from `next` on
    std::size_t next = 0;

    bool is_alone() const { return siblings->all == 1; }
    bool is_flagged_as_all() const { return siblings->all == siblings->with(flags); }
    std::string to_string() const;  // "Health to Pawn"
};

struct Handler : Entry {
    ExtensionHandler callback;
    std::vector<Name> events;  // empty: all
    bool once_per_actor = false;
    Name payload;

    bool wants(Name event) const;
};

class Level {
public:
    Status add(Entry& entry);  // refused: its edges make a circle, which is printed whole
    void remove(Entry& entry);
    const std::vector<Entry*>& entries() const { return entries_; }
    bool has_edges() const { return edges_ > 0; }
    std::vector<std::string> unknown_names() const;  // edges that lead nowhere: "a after b"

private:
    bool sort();  // false: there is a circle, and nothing was changed
    std::string circle() const;
    void number();

    std::vector<Entry*> entries_;
    std::size_t edges_ = 0;
};

}  // namespace lyre::framework
