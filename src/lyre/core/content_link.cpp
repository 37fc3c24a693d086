// The half of the content reader that works on the frame's thread: lookups in its tables, and what hooks may ask.
#include "lyre/core/content_codes.h"
#include "lyre/core/detail/content_reader.h"
#include "lyre/core/numbers.h"
#include "lyre/core/suggest.h"
#include "lyre/core/type_registry.h"

namespace lyre::inline core {

using namespace content_code;

namespace detail {
namespace {

// `"class" in map:yard`: a lookup knows its key and place, not the way there.
std::string key_of(const Reading& reading, const ContentLookup& lookup) {
    return where(reading, {}, lookup.key);
}

GameplayTag find_tag(Reading& reading, const ContentLookup& lookup, const TagTable& tags) {
    if (auto tag = tags.find(lookup.text)) return *tag;
    std::string hint;
    if (may_suggest(reading)) {
        std::vector<std::string_view> names;
        for (const GameplayTag known : tags.tags()) names.push_back(known.text());
        hint = name_hint(lookup.text, std::move(names), "lyre list tags");
    }
    report(reading, kUnknownTag, lookup.place,
           fmt::format("unknown tag {} for {}", in_quotes(lookup.text), key_of(reading, lookup)), std::move(hint));
    return {};
}

void find_class(Reading& reading, const ContentLookup& lookup, const LinkTables& tables) {
    const TypeRegistry& types = tables.types;
    const Type* base = types.find(lookup.property->class_base);
    const Type* type = types.find(Name::find(lookup.text));
    if (type != nullptr && !type->is_leaving && (base == nullptr || type->is_a(*base))) return;
    const bool is_other = type != nullptr && !type->is_leaving;
    if (!is_other && tables.assets != nullptr && tables.assets->has_class(lookup.text))
        return;  // what is wrong with it is said there
    std::string hint;
    if (may_suggest(reading)) {
        std::vector<std::string_view> names;
        for (const Type* known : types.all())
            if ((base == nullptr || (known != base && known->is_a(*base))) && !known->is_leaving)
                names.push_back(known->name.text());
        Nearest to_base(lookup.text);  // which is seldom meant
        if (base != nullptr) to_base.consider(base->name.text());
        if (base != nullptr && (names.empty() || !to_base.best().empty())) names.push_back(base->name.text());
        const bool is_near = !nearest(lookup.text, names).empty();
        hint = name_hint(lookup.text, std::move(names), "lyre list classes");
        if (!is_near && !is_other) hint += "; your own go into LYRE_FEATURE";
    }
    if (is_other)
        return report(reading, kWrongClass, lookup.place,
                      fmt::format("{} takes a class of {}, not {}", key_of(reading, lookup), base->name, lookup.text),
                      std::move(hint));
    report(reading, kUnknownClass, lookup.place,
           fmt::format("unknown class {} for {}", in_quotes(lookup.text), key_of(reading, lookup)), std::move(hint));
}

void find_asset(Reading& reading, const ContentLookup& lookup, const AssetNames& assets) {
    if (!assets.has_type(lookup.asset_type) || assets.has(lookup.asset_type, lookup.text)) return;
    std::string hint;
    if (may_suggest(reading)) hint = suggestion(assets.nearest(lookup.asset_type, lookup.text));
    if (may_suggest(reading) && hint.empty()) {
        const std::vector<std::string> names = assets.names(lookup.asset_type);
        hint = name_hint(lookup.text, {names.begin(), names.end()}, "lyre list assets");
    }
    report(reading, kUnknownAsset, lookup.place,
           fmt::format("unknown asset {}:{} for {}", lookup.asset_type, lookup.text, key_of(reading, lookup)),
           std::move(hint));
}

// The node that a path leads to, or the last that is there on the way.
const Node& follow(const Node& from, std::string_view path) {
    const Node* node = &from;
    while (!path.empty()) {
        const Node* next = nullptr;
        std::size_t end = std::min(path.find_first_of(".[", 1), path.size());
        if (path.front() == '[') {
            end = std::min(path.find(']'), path.size() - 1) + 1;
            const auto index = parse_unsigned(path.substr(1, end - 2));
            if (index && *index < node->entries().size()) next = &node->entries()[*index];
        } else {
            next = node->find(path.substr(0, end));
        }
        if (next == nullptr) break;
        node = next;
        path.remove_prefix(std::min(end + (end < path.size() && path[end] == '.' ? 1 : 0), path.size()));
    }
    return *node;
}

}  // namespace

void do_lookup(Reading& reading, const ContentLookup& lookup, const LinkTables& tables) {
    switch (lookup.what) {
        case ContentLookup::What::Tag:
            *static_cast<GameplayTag*>(lookup.value) = find_tag(reading, lookup, tables.tags);
            return;
        case ContentLookup::What::TagOfSet:
            if (const GameplayTag tag = find_tag(reading, lookup, tables.tags))
                if (!static_cast<TagContainer*>(lookup.value)->add(tag))
                    report(reading, kTooManyTags, lookup.place,
                           fmt::format("{} takes {} tags with their parents; {} is one too many",
                                       key_of(reading, lookup), TagContainer::kMaxTags, in_quotes(lookup.text)));
            return;
        case ContentLookup::What::Class:
            return find_class(reading, lookup, tables);
        case ContentLookup::What::Asset:
            if (tables.assets != nullptr) find_asset(reading, lookup, *tables.assets);
            return;
    }
}

}  // namespace detail

void link_content(Reading& reading, const LinkTables& tables, std::size_t limit) {
    for (; limit > 0 && !reading.lookups.empty(); --limit) {
        detail::do_lookup(reading, reading.lookups.back(), tables);
        reading.lookups.pop_back();
    }
    for (; limit > 0 && !reading.hooks.empty(); --limit) {
        const ContentHook hook = std::move(reading.hooks.back());
        reading.hooks.pop_back();
        detail::call_link(reading, hook, tables);
    }
    if (reading.is_linked()) reading.text.clear();
}

namespace detail {

void call_link(Reading& reading, const ContentHook& hook, const LinkTables& tables) {
    static const Name kLink("link");
    const ContentPath path{nullptr, hook.path};
    ContentLink link(reading, *hook.node, path, tables);
    hook.type->find_hook<ContentLink>(kLink)->call(hook.object, &link);
}

}  // namespace detail

void ContentCheck::problem(const ProblemCode& code, std::string_view path, std::string text, std::string hint) {
    if (reading_.problems.count() >= Problems::kMax) return reading_.problems.count_more(1);  // finding the place costs
    problem_at(code, detail::follow(node_, path), std::move(text), std::move(hint));
}

void ContentCheck::problem_at(const ProblemCode& code, const Node& entry, std::string text, std::string hint) {
    const bool is_of_key = &code == &kUnknownKey;
    detail::report(reading_, code, is_of_key ? entry.key_place : entry.place, std::move(text), std::move(hint));
}

std::string ContentCheck::where(std::string_view path) const {
    const detail::ContentPath whole{&path_, path};
    const std::string text = whole.to_string();
    if (path.empty() || path.back() == ']') return detail::where(reading_, text, {});
    const std::size_t dot = text.rfind('.');
    if (dot == std::string::npos) return detail::where(reading_, {}, text);
    return detail::where(reading_, text.substr(0, dot), text.substr(dot + 1));
}

std::string ContentCheck::where(std::string_view path, const Node& entry) const {
    return detail::where(reading_, detail::ContentPath{&path_, path}.to_string(), entry.key());
}

bool ContentLink::read(std::string_view path, const Node& entry, const PropertyInfo& as, void* value) {
    const std::size_t before = reading_.problems.count();
    const detail::ContentPath table{&path_, path};
    detail::ContentReader(reading_, &tables_).read_value(entry, *as.type, as, value, {&table, entry.key()});
    return reading_.problems.count() == before;
}

}  // namespace lyre::inline core
