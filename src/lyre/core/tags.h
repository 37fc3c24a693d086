// core/tags.h: gameplay tags: dotted words by which the parts of a game know each other without including each other.
//
//     Status.Burning.Oil      matches  Status.Burning  and  Status, not  Status.Burn
//
// A TagTable knows which tags exist: features declare them, content finds them by text, and a tag goes when the last
// who declared it takes it back. A GameplayTag is the value everybody passes around; comparing it needs no table.
// TagContainer is a set of tags, TagCounts the tags of something alive, where several causes may give the same tag and
// listeners hear only of the first and the last.
//
// Each tag implies its parents: who has Status.Burning.Oil has Status.Burning. Questions named `exact` leave that out.
// Parts are made of letters, digits and '_'; case matters; the empty tag is "none" and matches nothing. Sets are sorted
// by text, where '.' comes before all that may stand in a part: a tag is followed by all that is below it, and nothing
// else. Asking compares ids and allocates nothing. One table belongs to one runtime; use it and its sets from one
// thread at a time.
#pragma once

#include <boost/container/small_vector.hpp>
#include <compare>
#include <cstdint>
#include <fmt/core.h>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lyre/core/name.h"
#include "lyre/core/owner.h"
#include "lyre/core/status.h"

namespace lyre::inline core {

class GameplayTag {
public:
    static constexpr std::size_t kMaxDepth = 16;    // parts
    static constexpr std::size_t kMaxLength = 255;  // bytes

    constexpr GameplayTag() = default;  // none; others come from TagTable::find

    Name name() const { return name_; }
    std::string_view text() const { return name_.text(); }
    bool is_none() const { return name_.is_none(); }
    explicit operator bool() const { return !is_none(); }
    GameplayTag parent() const;  // of A.B.C: A.B; none at the top

    bool matches(GameplayTag parent) const;  // is it, or is below it
    bool matches_exact(GameplayTag other) const { return *this == other && !is_none(); }

    friend bool operator==(GameplayTag, GameplayTag) = default;
    friend std::strong_ordering operator<=>(GameplayTag, GameplayTag) = default;  // by text

private:
    friend class TagTable;
    explicit GameplayTag(Name name) : name_(name) {}

    Name name_;
};

// Ok: the text of a tag: parts of letters, digits and _, joined by one '.'. Else what is wrong with it.
Status check_tag_text(std::string_view text);

// A set of tags.
class TagContainer {
public:
    static constexpr std::size_t kMaxTags = 1024;  // with parents; asking looks at each: 16 tags take some 10 ns

    TagContainer();
    TagContainer(std::initializer_list<GameplayTag> tags);
    TagContainer(const TagContainer&);  // here and below not inline: g++ 12 at -O3 warns inside small_vector
    TagContainer(TagContainer&&) noexcept;
    TagContainer& operator=(const TagContainer&);
    TagContainer& operator=(TagContainer&&) noexcept;
    ~TagContainer();

    bool add(GameplayTag tag);     // is it in the set now? No for none, and when the set is full
    bool remove(GameplayTag tag);  // was exactly this one in the set?
    void clear();

    bool has(GameplayTag tag) const;
    bool has_exact(GameplayTag tag) const;
    bool has_any(const TagContainer& others) const;
    bool has_all(const TagContainer& others) const;  // of no tags: yes
    bool has_any_exact(const TagContainer& others) const;
    bool has_all_exact(const TagContainer& others) const;
    GameplayTag first_match(GameplayTag tag) const;  // the tag itself, else the first below it, else none; slower

    const GameplayTag* begin() const { return tags_.data(); }  // in order of text, without parents
    const GameplayTag* end() const { return tags_.data() + tags_.size(); }
    std::size_t count() const { return tags_.size(); }
    bool is_empty() const { return tags_.empty(); }
    std::string to_string() const;  // "A.B, C"
    friend bool operator==(const TagContainer& a, const TagContainer& b) { return a.tags_ == b.tags_; }

private:
    boost::container::small_vector<GameplayTag, 4> tags_;     // sorted
    boost::container::small_vector<GameplayTag, 4> parents_;  // of tags_, without those that are in tags_ themselves
};

// What an add to or a remove from TagCounts has changed: the tag and those of its parents that were not there before or
// are not there any more, lowest first. Holds nothing of the counts, so they may change or go while it is read.
class TagChange {
public:
    class Iterator {
    public:
        GameplayTag operator*() const { return tag_; }
        Iterator& operator++() { return *this = Iterator(left_ == 1 ? GameplayTag() : tag_.parent(), left_ - 1); }
        friend bool operator==(const Iterator&, const Iterator&) = default;

    private:
        friend class TagChange;
        Iterator(GameplayTag tag, std::uint32_t left) : tag_(left == 0 ? GameplayTag() : tag), left_(left) {}
        GameplayTag tag_;
        std::uint32_t left_;
    };

    bool is_refused() const { return refused_; }  // nothing was changed
    Iterator begin() const { return first_; }
    Iterator end() const { return {GameplayTag(), 0}; }
    std::size_t count() const { return first_.left_; }

private:
    friend class TagCounts;
    TagChange(GameplayTag lowest, std::size_t count, bool refused = false)
        : first_(lowest, static_cast<std::uint32_t>(count)), refused_(refused) {}
    static TagChange refused() { return {GameplayTag(), 0, true}; }

    Iterator first_;
    bool refused_;
};

// Tags given by several causes at once.
//
//     for (GameplayTag gone : counts.remove(burning)) tag_changed.broadcast(actor, gone, false);
//
// The change is complete before it is told. Without tags it is 24 bytes and owns no memory.
class TagCounts {
public:
    static constexpr std::size_t kMaxTags = TagContainer::kMaxTags;  // with parents
    static constexpr std::uint32_t kMaxCount = 1u << 20;  // of one tag; more is a cause that never takes back

    struct Entry {
        GameplayTag tag;
        std::uint32_t count = 0;  // exact: 0 for a parent that is there only through others
    };

    // Refused: none, zero times, and beyond the bounds or below what is there.
    TagChange add(GameplayTag tag, std::uint32_t times = 1);
    TagChange remove(GameplayTag tag, std::uint32_t times = 1);

    bool has(GameplayTag tag) const { return index_of(tag) != entries_.size(); }
    std::uint32_t count(GameplayTag tag) const;  // with all below it
    std::uint32_t count_exact(GameplayTag tag) const;
    GameplayTag first_match(GameplayTag tag) const;  // as in TagContainer
    bool is_empty() const { return entries_.empty(); }

    const Entry* begin() const { return entries_.data(); }  // in order of text
    const Entry* end() const { return entries_.data() + entries_.size(); }

private:
    std::size_t index_of(GameplayTag tag) const;  // behind the last if it is not there

    std::vector<Entry> entries_;  // sorted
};

// Says that content uses a tag, until destroyed. May outlive the table.
class [[nodiscard]] TagUse {
public:
    TagUse() = default;
    TagUse(TagUse&&) = default;
    TagUse& operator=(TagUse&&) = default;

private:
    friend class TagTable;
    struct Record {
        Owner owner;
        std::string user;
        std::string to_string() const;  // "ability Scorch (feature mage)"
    };
    std::shared_ptr<const Record> record_;  // the table looks at it and does not hold it
};

struct TagHolder {
    std::string text;  // "tag Tag.It is used by ability Scorch (feature mage)"
    Owner owner;       // whose the use is
};

struct TagDeclaration {
    GameplayTag tag;
    std::uint64_t registered = 0;
};

// The tags that exist. Declarations and uses are recorded under the current owner.
class TagTable {
public:
    static constexpr std::size_t kMaxTags = 65535;  // with parents

    TagTable() = default;
    TagTable(const TagTable&) = delete;
    TagTable& operator=(const TagTable&) = delete;

    // Several owners may declare one tag; for one owner a second time changes nothing.
    Status declare(std::string_view text);
    // Refused while the tag, or a parent that would go with it, is used by another owner; the text names the users.
    // Uses by the owner itself do not count and are forgotten with the tag.
    Status undeclare(std::string_view text);
    Status undeclare_all(const Owner& owner);               // all or nothing
    std::vector<TagHolder> holders_of(const Owner& owner);  // what of others would refuse that; changes nothing

    Result<GameplayTag> find(std::string_view text) const;  // also parents; unknown: with the nearest known tag
    bool is_known(GameplayTag tag) const { return entries_.contains(tag.name()); }

    // `user` says in the designer's words what uses the tag: "ability Scorch". The tag must be known.
    TagUse use(GameplayTag tag, std::string user);

    std::size_t count() const { return entries_.size(); }
    std::vector<GameplayTag> tags() const;  // with parents, in order of text
    std::vector<GameplayTag> declared_by(const Owner& owner) const;
    std::vector<TagDeclaration> declarations(const Owner& owner) const;  // in order of declaring
    std::vector<Owner> declarers(GameplayTag tag) const;
    std::vector<std::string> users(GameplayTag tag) const;  // who, and of which owner

private:
    struct Declarer {
        Owner owner;
        std::uint64_t registered = 0;
    };
    struct Entry {
        std::vector<Declarer> declarers;
        const Declarer* find(const Owner& owner) const;
        std::uint32_t declared_below = 0;                       // tags with a declarer, this one included
        std::vector<std::weak_ptr<const TagUse::Record>> uses;  // of living TagUses; dead ones go before it grows
    };
    void add_declaration(GameplayTag tag, const Declarer& declarer);
    Declarer remove_declaration(GameplayTag tag, const Owner& owner);
    Status undeclare(const std::vector<GameplayTag>& tags, const Owner& owner, std::vector<TagHolder>* asked = nullptr);

    std::unordered_map<Name, Entry> entries_;
};

}  // namespace lyre::inline core

template <> struct std::hash<lyre::GameplayTag> {
    std::size_t operator()(lyre::GameplayTag tag) const noexcept { return std::hash<lyre::Name>()(tag.name()); }
};

template <> struct fmt::formatter<lyre::GameplayTag> : fmt::formatter<lyre::Name> {
    template <class Context> auto format(lyre::GameplayTag tag, Context& ctx) const {
        return fmt::formatter<lyre::Name>::format(tag.name(), ctx);
    }
};
