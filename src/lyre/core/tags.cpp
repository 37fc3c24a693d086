#include "lyre/core/tags.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "lyre/core/assert.h"
#include "lyre/core/suggest.h"

namespace lyre::inline core {
namespace {

constexpr std::size_t kMaxUsersTold = 8;  // in one refusal

std::size_t depth(std::string_view text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '.')) + 1;
}

std::string_view parent_text(std::string_view text) {
    const std::size_t dot = text.rfind('.');
    return dot == std::string_view::npos ? std::string_view() : text.substr(0, dot);
}

bool is_part_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

}  // namespace

Status check_tag_text(std::string_view text) {
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

TagContainer::TagContainer() = default;
TagContainer::TagContainer(const TagContainer&) = default;
TagContainer::TagContainer(TagContainer&&) noexcept = default;
TagContainer& TagContainer::operator=(const TagContainer&) = default;
TagContainer& TagContainer::operator=(TagContainer&&) noexcept = default;
TagContainer::~TagContainer() = default;

TagContainer::TagContainer(std::initializer_list<GameplayTag> tags) {
    for (GameplayTag tag : tags) add(tag);
}

bool TagContainer::add(GameplayTag tag) {
    if (tag.is_none() || has_exact(tag)) return !tag.is_none();
    std::size_t fresh = 0;
    for (GameplayTag up = tag; up && !has(up); up = up.parent()) ++fresh;
    if (tags_.size() + parents_.size() + fresh > kMaxTags) return false;

    if (fresh == 0) parents_.erase(std::find(parents_.begin(), parents_.end(), tag));
    tags_.insert(std::lower_bound(tags_.begin(), tags_.end(), tag), tag);
    for (GameplayTag up = tag.parent(); up && !has(up); up = up.parent()) parents_.push_back(up);
    return true;
}

bool TagContainer::remove(GameplayTag tag) {
    const auto place = std::find(tags_.begin(), tags_.end(), tag);
    if (place == tags_.end()) return false;
    tags_.erase(place);
    parents_.push_back(tag);  // which it is if something below it is left
    for (GameplayTag up = tag; up && !first_match(up); up = up.parent())
        parents_.erase(std::find(parents_.begin(), parents_.end(), up));
    return true;
}

void TagContainer::clear() {
    tags_.clear();
    parents_.clear();
}

bool TagContainer::has(GameplayTag tag) const {
    return has_exact(tag) || std::find(parents_.begin(), parents_.end(), tag) != parents_.end();
}

bool TagContainer::has_exact(GameplayTag tag) const {
    return std::find(tags_.begin(), tags_.end(), tag) != tags_.end();
}

GameplayTag TagContainer::first_match(GameplayTag tag) const {
    const auto place = std::lower_bound(begin(), end(), tag);
    return place != end() && place->matches(tag) ? *place : GameplayTag();
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
    const std::uint32_t before = count_exact(tag);
    if (tag.is_none() || times == 0 || times > kMaxCount - before) return TagChange::refused();
    std::size_t fresh = 0;
    for (GameplayTag up = tag; up && !has(up); up = up.parent()) ++fresh;
    if (entries_.size() + fresh > kMaxTags) return TagChange::refused();

    entries_.reserve(entries_.size() + fresh);
    const TagChange change(tag, fresh);
    for (GameplayTag up : change) {
        const auto before_it = [](const Entry& entry, GameplayTag wanted) { return entry.tag < wanted; };
        entries_.insert(std::lower_bound(entries_.begin(), entries_.end(), up, before_it), {up, 0});
    }
    entries_[index_of(tag)].count += times;
    return change;
}

TagChange TagCounts::remove(GameplayTag tag, std::uint32_t times) {
    if (times == 0 || times > count_exact(tag)) return TagChange::refused();
    entries_[index_of(tag)].count -= times;
    std::size_t gone = 0;
    for (GameplayTag up = tag; up; up = up.parent(), ++gone) {
        const auto entry = entries_.begin() + static_cast<std::ptrdiff_t>(index_of(up));
        const auto next = std::next(entry);
        if (entry->count != 0 || (next != entries_.end() && next->tag.matches(up))) break;
        entries_.erase(entry);
    }
    if (entries_.empty()) entries_.shrink_to_fit();  // many actors have a tag once and never again
    return TagChange(tag, gone);
}

std::uint32_t TagCounts::count(GameplayTag tag) const {
    std::uint32_t total = 0;  // kMaxTags * kMaxCount fits
    for (std::size_t i = index_of(tag); i < entries_.size() && entries_[i].tag.matches(tag); ++i)
        total += entries_[i].count;
    return total;
}

std::uint32_t TagCounts::count_exact(GameplayTag tag) const {
    const std::size_t index = index_of(tag);
    return index == entries_.size() ? 0 : entries_[index].count;
}

GameplayTag TagCounts::first_match(GameplayTag tag) const {
    std::size_t index = index_of(tag);
    // A parent that is there only through others stands before the first of them.
    while (index < entries_.size() && entries_[index].count == 0) ++index;
    return index == entries_.size() ? GameplayTag() : entries_[index].tag;
}

std::size_t TagCounts::index_of(GameplayTag tag) const {
    const auto found = std::find_if(begin(), end(), [tag](const Entry& entry) { return entry.tag == tag; });
    return static_cast<std::size_t>(found - begin());
}

Status TagTable::declare(std::string_view text) {
    if (Status malformed = check_tag_text(text); !malformed) return malformed;
    std::size_t fresh = 0;  // where a tag is known its parents are
    for (auto part = text; !part.empty() && !is_known(GameplayTag(Name::find(part))); part = parent_text(part)) ++fresh;
    if (entries_.size() + fresh > kMaxTags)
        return Status::capacity("tag {} does not fit: there are {} tags, {} with it, and {} are allowed",
                                in_quotes(text), entries_.size(), entries_.size() + fresh, kMaxTags);
    for (auto part = text; !part.empty(); part = parent_text(part))
        if (Name(part).is_none())
            return Status::capacity("tag {} does not fit: the process has no room for more names", in_quotes(text));
    add_declaration(GameplayTag(Name::find(text)), {Owner::current(), next_registration()});
    return {};
}

Status TagTable::undeclare(std::string_view text) {
    const Owner owner = Owner::current();
    const GameplayTag tag(Name::find(text));
    const auto found = entries_.find(tag.name());
    if (found == entries_.end() || found->second.find(owner) == nullptr)
        return Status::not_found("tag {} is not declared by {}", in_quotes(text), owner.to_string());
    return undeclare(std::vector{tag}, owner);
}

Status TagTable::undeclare_all(const Owner& owner) {
    return undeclare(declared_by(owner), owner);
}

std::vector<TagHolder> TagTable::holders_of(const Owner& owner) {
    std::vector<TagHolder> holders;
    undeclare(declared_by(owner), owner, &holders).ignore();
    return holders;
}

const TagTable::Declarer* TagTable::Entry::find(const Owner& owner) const {
    for (const Declarer& declarer : declarers)
        if (declarer.owner == owner) return &declarer;
    return nullptr;
}

// In order of declaring, also one that is put back.
void TagTable::add_declaration(GameplayTag tag, const Declarer& declarer) {
    Entry& entry = entries_[tag.name()];
    if (entry.find(declarer.owner) != nullptr) return;
    const auto is_earlier = [](const Declarer& a, const Declarer& b) { return a.registered < b.registered; };
    entry.declarers.insert(std::upper_bound(entry.declarers.begin(), entry.declarers.end(), declarer, is_earlier),
                           declarer);
    if (entry.declarers.size() > 1) return;
    for (; tag; tag = tag.parent()) ++entries_[tag.name()].declared_below;
}

TagTable::Declarer TagTable::remove_declaration(GameplayTag tag, const Owner& owner) {
    Entry& entry = entries_[tag.name()];
    const Declarer removed = *entry.find(owner);
    std::erase_if(entry.declarers, [&](const Declarer& declarer) { return declarer.owner == owner; });
    if (!entry.declarers.empty()) return removed;
    for (; tag; tag = tag.parent()) --entries_[tag.name()].declared_below;
    return removed;
}

// Takes the declarations back, looks at what would be left without one, and puts them back if that is in use, or if it
// is only asked.
Status TagTable::undeclare(const std::vector<GameplayTag>& tags, const Owner& owner, std::vector<TagHolder>* asked) {
    std::vector<GameplayTag> going;
    std::vector<Declarer> removed;
    for (GameplayTag tag : tags) {
        removed.push_back(remove_declaration(tag, owner));
        for (; tag && entries_[tag.name()].declared_below == 0; tag = tag.parent()) going.push_back(tag);
    }
    std::sort(going.begin(), going.end());  // each is in it once: when its count has just become zero

    std::string told;
    std::size_t users = 0;
    for (GameplayTag tag : going) {
        for (const auto& use : entries_[tag.name()].uses) {
            const auto record = use.lock();
            if (record == nullptr || record->owner == owner) continue;
            if (asked != nullptr)
                asked->push_back({fmt::format("tag {} is used by {}", tag, record->to_string()), record->owner});
            if (users++ >= kMaxUsersTold) continue;
            told += fmt::format("{}\"{}\" is used by {}", told.empty() ? "" : ", ", tag, record->to_string());
        }
    }
    if (users == 0 && asked == nullptr) {
        for (GameplayTag tag : going) entries_.erase(tag.name());
        return {};
    }
    for (std::size_t i = 0; i < tags.size(); ++i) add_declaration(tags[i], removed[i]);
    if (users == 0) return {};
    if (users > kMaxUsersTold) told += fmt::format(" and {} more", users - kMaxUsersTold);
    return Status::refused("{} cannot take its tags back: {}", owner.to_string(), told);
}

Result<GameplayTag> TagTable::find(std::string_view text) const {
    const GameplayTag tag(Name::find(text));
    if (is_known(tag)) return tag;
    if (Status malformed = check_tag_text(text); !malformed) return malformed;
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
    std::erase_if(all, [&](GameplayTag tag) { return entries_.at(tag.name()).find(owner) == nullptr; });
    return all;
}

std::vector<TagDeclaration> TagTable::declarations(const Owner& owner) const {
    std::vector<TagDeclaration> all;
    for (const auto& [name, entry] : entries_)
        if (const Declarer* found = entry.find(owner)) all.push_back({GameplayTag(name), found->registered});
    std::sort(all.begin(), all.end(),
              [](const TagDeclaration& a, const TagDeclaration& b) { return a.registered < b.registered; });
    return all;
}

std::vector<Owner> TagTable::declarers(GameplayTag tag) const {
    const auto found = entries_.find(tag.name());
    std::vector<Owner> owners;
    if (found == entries_.end()) return owners;
    for (const Declarer& declarer : found->second.declarers) owners.push_back(declarer.owner);
    return owners;
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
