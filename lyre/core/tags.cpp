#include "lyre/core/tags.h"

#include <algorithm>
#include <fmt/format.h>

#include "lyre/core/assert.h"
#include "lyre/core/suggest.h"

namespace lyre::inline core {
namespace {

constexpr std::size_t kMaxUsersTold = 8;  // in one refusal

GameplayTag tag_of(GameplayTag tag) {
    return tag;
}
GameplayTag tag_of(const TagCounts::Entry& entry) {
    return entry.tag;
}

// Where `tag` is or would be in a sorted list.
template <class Iterator>
Iterator place_of(GameplayTag tag, Iterator begin, Iterator end) {
    const std::string_view text = tag.text();
    return std::lower_bound(begin, end, text,
                            [](const auto& item, std::string_view wanted) { return tag_of(item).text() < wanted; });
}

template <class Iterator>
GameplayTag first_match_in(Iterator begin, Iterator end, GameplayTag tag) {
    const Iterator place = place_of(tag, begin, end);
    return place != end && tag_of(*place).matches(tag) ? tag_of(*place) : GameplayTag();
}

std::size_t depth(std::string_view text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '.')) + 1;
}

// How many leading parts two tags have in common.
std::size_t common_depth(std::string_view a, std::string_view b) {
    const auto [end_a, end_b] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
    const auto parts = static_cast<std::size_t>(std::count(a.begin(), end_a, '.'));
    const bool part_ends = (end_a == a.end() || *end_a == '.') && (end_b == b.end() || *end_b == '.');
    return parts + (part_ends ? 1 : 0);
}

std::string_view parent_text(std::string_view text) {
    const std::size_t dot = text.rfind('.');
    return dot == std::string_view::npos ? std::string_view() : text.substr(0, dot);
}

bool is_part_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

Status check_text(std::string_view text) {
    if (text.empty()) return Status::invalid("a tag must not be empty");
    if (text.size() > GameplayTag::kMaxLength)
        return Status::invalid("tag {} is {} bytes long; {} are allowed", in_quotes(text), text.size(),
                               GameplayTag::kMaxLength);
    std::size_t part_begin = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        if (i == text.size() || text[i] == '.') {
            if (i == part_begin)
                return Status::invalid("tag {} has an empty part at column {}; parts are joined by one '.'",
                                       in_quotes(text), i + 1);
            part_begin = i + 1;
        } else if (!is_part_character(text[i])) {
            return Status::invalid("tag {} has {} at column {}; parts are made of letters, digits and '_'",
                                   in_quotes(text), in_quotes(text.substr(i, 1)), i + 1);
        }
    }
    if (depth(text) > GameplayTag::kMaxDepth)
        return Status::invalid("tag {} has {} parts; {} are allowed", in_quotes(text), depth(text),
                               GameplayTag::kMaxDepth);
    return {};
}

}  // namespace

GameplayTag GameplayTag::parent() const {
    return GameplayTag(Name::find(parent_text(text())));
}

bool GameplayTag::matches(GameplayTag parent) const {
    if (parent.is_none()) return false;
    if (*this == parent) return true;
    const std::string_view mine = text();
    const std::string_view wanted = parent.text();
    return mine.size() > wanted.size() && mine[wanted.size()] == '.' && mine.starts_with(wanted);
}

bool TagContainer::add(GameplayTag tag) {
    if (tag.is_none()) return false;
    const auto place = place_of(tag, tags_.begin(), tags_.end());
    if (place != tags_.end() && *place == tag) return true;
    if (tags_.size() == kMaxTags) return false;
    tags_.insert(place, tag);
    return true;
}

bool TagContainer::remove(GameplayTag tag) {
    const auto place = place_of(tag, tags_.begin(), tags_.end());
    if (place == tags_.end() || *place != tag) return false;
    tags_.erase(place);
    return true;
}

GameplayTag TagContainer::first_match(GameplayTag tag) const {
    return first_match_in(begin(), end(), tag);
}

bool TagContainer::has_any(const TagContainer& others) const {
    return std::any_of(others.begin(), others.end(), [this](GameplayTag tag) { return has(tag); });
}

bool TagContainer::has_all(const TagContainer& others) const {
    return std::all_of(others.begin(), others.end(), [this](GameplayTag tag) { return has(tag); });
}

bool TagContainer::has_any_exact(const TagContainer& others) const {
    return std::any_of(others.begin(), others.end(), [this](GameplayTag tag) { return has_exact(tag); });
}

bool TagContainer::has_all_exact(const TagContainer& others) const {
    return std::all_of(others.begin(), others.end(), [this](GameplayTag tag) { return has_exact(tag); });
}

std::string TagContainer::to_string() const {
    return fmt::format("{}", fmt::join(begin(), end(), ", "));
}

TagChange TagCounts::add(GameplayTag tag, std::uint32_t times) {
    const TagChange refused(true);
    if (tag.is_none() || times == 0 || times > kMaxCount) return refused;
    auto place = place_of(tag, entries_.begin(), entries_.end());
    if (place != entries_.end() && place->tag == tag) {
        if (place->count > kMaxCount - times) return refused;
        place->count += times;
        return TagChange(false);
    }
    if (entries_.size() == kMaxTags) return refused;
    const TagChange change = edges(tag, place);
    entries_.insert(place, {tag, times});
    return change;
}

TagChange TagCounts::remove(GameplayTag tag, std::uint32_t times) {
    const TagChange refused(true);
    auto place = place_of(tag, entries_.begin(), entries_.end());
    if (place == entries_.end() || place->tag != tag || times == 0 || times > place->count) return refused;
    place->count -= times;
    if (place->count != 0) return TagChange(false);
    const TagChange change = edges(tag, entries_.erase(place));
    if (entries_.empty()) entries_.shrink_to_fit();  // many actors have a tag once and never again
    return change;
}

// `tag` is not in the list and would stand before `behind`. A parent is there through others exactly if one of the two
// neighbours is below it, since all that is below a tag stands together.
TagChange TagCounts::edges(GameplayTag tag, Place behind) const {
    const std::string_view text = tag.text();
    std::size_t shared = 0;
    if (behind != entries_.end()) shared = common_depth(text, behind->tag.text());
    if (behind != entries_.begin()) shared = std::max(shared, common_depth(text, std::prev(behind)->tag.text()));
    return TagChange(tag, depth(text) - shared);
}

std::uint32_t TagCounts::count(GameplayTag tag) const {
    std::uint32_t total = 0;  // kMaxTags * kMaxCount fits
    for (auto place = place_of(tag, begin(), end()); place != end() && place->tag.matches(tag); ++place)
        total += place->count;
    return total;
}

std::uint32_t TagCounts::count_exact(GameplayTag tag) const {
    const auto place = place_of(tag, begin(), end());
    return place != end() && place->tag == tag ? place->count : 0;
}

GameplayTag TagCounts::first_match(GameplayTag tag) const {
    return first_match_in(begin(), end(), tag);
}

Status TagTable::declare(std::string_view text) {
    if (Status malformed = check_text(text); !malformed) return malformed;
    std::size_t fresh = 0;  // where a tag is known its parents are
    for (auto part = text; !part.empty() && !is_known(GameplayTag(Name::find(part))); part = parent_text(part)) ++fresh;
    if (entries_.size() + fresh > kMaxTags)
        return Status::capacity("tag {} does not fit: there are {} tags, {} with it, and {} are allowed",
                                in_quotes(text), entries_.size(), entries_.size() + fresh, kMaxTags);
    for (auto part = text; !part.empty(); part = parent_text(part))
        if (Name(part).is_none())
            return Status::capacity("tag {} does not fit: the process has no room for more names", in_quotes(text));
    add_declaration(GameplayTag(Name::find(text)), Owner::current());
    return {};
}

Status TagTable::undeclare(std::string_view text) {
    const Owner owner = Owner::current();
    const GameplayTag tag(Name::find(text));
    const auto declarers = this->declarers(tag);
    if (std::find(declarers.begin(), declarers.end(), owner) == declarers.end())
        return Status::not_found("tag {} is not declared by {}", in_quotes(text), owner.to_string());
    return undeclare(std::vector{tag}, owner);
}

Status TagTable::undeclare_all(const Owner& owner) {
    return undeclare(declared_by(owner), owner);
}

void TagTable::add_declaration(GameplayTag tag, const Owner& owner) {
    auto& declarers = entries_[tag.name()].declarers;
    if (std::find(declarers.begin(), declarers.end(), owner) != declarers.end()) return;
    declarers.push_back(owner);
    if (declarers.size() > 1) return;
    for (; tag; tag = tag.parent()) ++entries_[tag.name()].declared_below;
}

void TagTable::remove_declaration(GameplayTag tag, const Owner& owner) {
    auto& declarers = entries_[tag.name()].declarers;
    std::erase(declarers, owner);
    if (!declarers.empty()) return;
    for (; tag; tag = tag.parent()) --entries_[tag.name()].declared_below;
}

// Takes the declarations back, looks at what would be left without one, and puts them back if that is in use.
Status TagTable::undeclare(const std::vector<GameplayTag>& tags, const Owner& owner) {
    std::vector<GameplayTag> going;
    for (GameplayTag tag : tags) {
        remove_declaration(tag, owner);
        for (; tag && entries_[tag.name()].declared_below == 0; tag = tag.parent()) going.push_back(tag);
    }
    std::sort(going.begin(), going.end());  // each is in it once: when its count has just become zero

    std::string told;
    std::size_t users = 0;
    for (GameplayTag tag : going) {
        for (const auto& use : entries_[tag.name()].uses) {
            const auto record = use.lock();
            if (record == nullptr || record->owner == owner || users++ >= kMaxUsersTold) continue;
            told += fmt::format("{}\"{}\" is used by {}", told.empty() ? "" : ", ", tag, record->to_string());
        }
    }
    if (users == 0) {
        for (GameplayTag tag : going) entries_.erase(tag.name());
        return {};
    }
    for (GameplayTag tag : tags) add_declaration(tag, owner);
    if (users > kMaxUsersTold) told += fmt::format(" and {} more", users - kMaxUsersTold);
    return Status::refused("{} cannot take its tags back: {}", owner.to_string(), told);
}

Result<GameplayTag> TagTable::find(std::string_view text) const {
    const GameplayTag tag(Name::find(text));
    if (is_known(tag)) return tag;
    if (Status malformed = check_text(text); !malformed) return malformed;
    Nearest search(text);
    for (const auto& [name, entry] : entries_) search.consider(name.text());
    return Status::not_found("no tag {}{}", in_quotes(text), did_you_mean(search.best()));
}

std::string TagUse::Record::to_string() const {
    return fmt::format("{} ({})", user, owner.to_string());
}

TagUse TagTable::use(GameplayTag tag, std::string user) {
    const auto found = entries_.find(tag.name());
    LYRE_ASSERT(found != entries_.end(), "find() the tag in this table first; it may have gone with its feature");
    auto& uses = found->second.uses;
    if (uses.size() == uses.capacity()) std::erase_if(uses, [](const auto& use) { return use.expired(); });
    TagUse use;
    use.record_ = std::make_shared<const TagUse::Record>(TagUse::Record{Owner::current(), std::move(user)});
    uses.push_back(use.record_);
    return use;
}

std::vector<GameplayTag> TagTable::tags() const {
    std::vector<GameplayTag> all;
    for (const auto& [name, entry] : entries_) all.push_back(GameplayTag(name));
    std::sort(all.begin(), all.end());
    return all;
}

std::vector<GameplayTag> TagTable::declared_by(const Owner& owner) const {
    std::vector<GameplayTag> all = tags();
    std::erase_if(all, [&](GameplayTag tag) {
        const auto& declarers = entries_.at(tag.name()).declarers;
        return std::find(declarers.begin(), declarers.end(), owner) == declarers.end();
    });
    return all;
}

std::vector<Owner> TagTable::declarers(GameplayTag tag) const {
    const auto found = entries_.find(tag.name());
    return found == entries_.end() ? std::vector<Owner>() : found->second.declarers;
}

std::vector<std::string> TagTable::users(GameplayTag tag) const {
    std::vector<std::string> all;
    const auto found = entries_.find(tag.name());
    if (found == entries_.end()) return all;
    for (const auto& use : found->second.uses)
        if (const auto record = use.lock()) all.push_back(record->to_string());
    return all;
}

}  // namespace lyre::inline core
