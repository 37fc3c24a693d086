#include "lyre/assets/content_walk.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "lyre/assets/bundles.h"
#include "lyre/core/part.h"
#include "lyre/core/tags.h"

namespace lyre::assets {
namespace {

std::uint64_t bytes_below(const Node& node) {
    std::uint64_t bytes = node.key().size() + node.as_text().size();
    for (const Node& entry : node.entries()) bytes += sizeof(Node) + bytes_below(entry);
    return bytes;
}

bool is_asset_id(const ValueType& type) {
    return type.kind == ValueKind::Symbol && type.name == value_type<PrimaryAssetId>().name;
}

bool is_tags(const ValueType& type) {
    return type.kind == ValueKind::Symbol && (type.name == "tag" || type.name == "tags");
}

// Where a value was written. What was left out has its default, and is part of what was written around it.
struct Where {
    const Node* written;  // null: left out
    const Node* nearest;
    detail::ContentPath path;

    Where at(const Node* node, const detail::ContentPath& to) const {
        return {node, node != nullptr ? node : nearest, to};
    }
    Where property(const Type& type, const PropertyInfo& of) const {
        const Node* node = written;
        if (node != nullptr && node->kind() == NodeKind::Table)
            node = node->find(of.name.text());
        else if (of.name != type.short_form)
            node = nullptr;
        return at(node, {&path, of.name.text()});
    }
    Where entry(std::size_t index, std::size_t count) const {
        const bool is_list =
            written != nullptr && written->kind() == NodeKind::List && written->entries().size() == count;
        return at(is_list ? &written->entries()[index] : nullptr, {&path, {}, index});
    }
};

class Walker {
public:
    Walker(const Reading& reading, ContentWalk& result) : result_(result) {
        for (const ContentLookup& lookup : reading.lookups)
            if (lookup.what == ContentLookup::What::Tag || lookup.what == ContentLookup::What::TagOfSet)
                tags_.emplace(lookup.value, lookup.text);
    }
    std::uint64_t hash() const { return hasher_.finish(); }

    void record(const Type& type, const void* object, const Where& where) {
        hasher_.text(type.name.text());
        if (has_bundle_hook(type))
            result_.bundle_hooks.push_back({&type, object, where.nearest, where.path.to_string()});
        for (const PropertyInfo& property : type.properties)
            if (is_plain(property))
                property.hash(object, hasher_);
            else
                value(property, *property.type, property.in(object), where.property(type, property));
    }

private:
    bool has_bundle_hook(const Type& type) const { return type.find_hook<BundleTable>(hook_) != nullptr; }

    // Holds no memory of its own and nothing that is to be found: its hash is all there is to it.
    bool is_plain(const PropertyInfo& property) { return property.asset_type.is_none() && is_plain(*property.type); }
    bool is_plain(const ValueType& type) {
        if (type.kind == ValueKind::Record) return is_plain(type.record());
        return type.kind != ValueKind::List && type.kind != ValueKind::Text && type.kind != ValueKind::Node &&
               type.kind != ValueKind::Part && !is_tags(type);
    }
    bool is_plain(const Type& type) {
        const auto known = plain_.find(&type);
        if (known != plain_.end()) return known->second;
        const auto& all = type.properties;
        const bool plain = !has_bundle_hook(type) &&
                           std::all_of(all.begin(), all.end(), [this](const auto& p) { return is_plain(p); });
        return plain_[&type] = plain;
    }

    void value(const PropertyInfo& property, const ValueType& type, const void* value, const Where& where) {
        if (type.kind == ValueKind::List) return list(property, type, value, where);
        if (!property.asset_type.is_none()) return reference(property, type, value, where);
        if (type.kind == ValueKind::Record) return record(type.record(), value, where);
        if (type.kind == ValueKind::Part) return part(type.as_part(const_cast<void*>(value)), where);
        if (is_tags(type)) return tags(value);
        if (type.kind == ValueKind::Text) result_.bytes += static_cast<const std::string*>(value)->size();
        if (type.kind == ValueKind::Node) result_.bytes += bytes_below(*static_cast<const Node*>(value));
        type.hash(value, hasher_);
    }

    void list(const PropertyInfo& property, const ValueType& type, const void* list, const Where& where) {
        const std::size_t count = type.count(list);
        result_.bytes += std::uint64_t{count} * type.element->size;
        if (property.asset_type.is_none() && is_plain(*type.element)) return type.hash(list, hasher_);
        hasher_.value(static_cast<std::uint64_t>(count));
        for (std::size_t i = 0; i < count; ++i)
            value(property, *type.element, type.at(const_cast<void*>(list), i), where.entry(i, count));
    }

    void part(const AnyPart& part, const Where& where) {
        if (part.type() == nullptr) return part.hash(hasher_);
        result_.bytes += part.type()->size + part.kind().size();
        auto& types = result_.part_types;
        if (std::find(types.begin(), types.end(), part.type()) == types.end()) types.push_back(part.type());
        record(*part.type(), part.object(), where);
    }

    // Written with its type or without, it is the same asset.
    void reference(const PropertyInfo& property, const ValueType& type, const void* value, const Where& where) {
        const std::string text = type.print(value);
        const bool is_none =
            text.empty() || (is_asset_id(type) && static_cast<const PrimaryAssetId*>(value)->is_none());
        const auto id = is_none ? PrimaryAssetId() : PrimaryAssetId::parse(text, property.asset_type);
        hasher_.text(id ? id->to_string() : text);
        if (is_none || !id || property.is_soft) return;  // nothing is named, or nothing to load
        if (property.bundles.empty()) result_.references.push_back({*id, {}, where.nearest->place});
        for (Name bundle : property.bundles) result_.references.push_back({*id, bundle, where.nearest->place});
    }

    // They are looked up later: until then only their texts are known.
    void tags(const void* value) {
        const auto [begin, end] = tags_.equal_range(value);
        std::vector<std::string_view> texts;
        for (auto tag = begin; tag != end; ++tag) texts.push_back(tag->second);
        std::sort(texts.begin(), texts.end());
        texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
        result_.bytes += texts.size() * sizeof(GameplayTag);
        hasher_.value(static_cast<std::uint64_t>(texts.size()));
        for (std::string_view text : texts) hasher_.text(text);
    }

    const Name hook_{"add_bundle_data"};
    ContentWalk& result_;
    Hasher hasher_;
    std::unordered_map<const Type*, bool> plain_;
    std::multimap<const void*, std::string_view> tags_;  // texts by the value that will have them
};

}  // namespace

ContentWalk walk_content(const Type& type, const void* object, const Node& tree, const Reading& reading) {
    ContentWalk result;
    result.bytes = type.size;
    Walker walker(reading, result);
    walker.record(type, object, {&tree, &tree, {}});
    result.hash = walker.hash();
    return result;
}

}  // namespace lyre::assets
