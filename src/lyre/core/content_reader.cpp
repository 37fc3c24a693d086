#include "lyre/core/content_reader.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "lyre/core/content_codes.h"
#include "lyre/core/detail/content_reader.h"
#include "lyre/core/part.h"
#include "lyre/core/suggest.h"

namespace lyre::inline core {

using namespace content_code;

Reading read_record(const Node& tree, const Type& type, void* object, ReadOptions options) {
    Reading reading;
    reading.options = std::move(options);
    detail::ContentReader reader(reading);
    reader.set_name(type, object);  // checks may want it
    reader.read_record(tree, type, object, {nullptr, reading.options.path});
    reader.finish();
    return reading;
}

Reading read_content(const Node& tree, const ValueType& type, void* value, ReadOptions options) {
    if (type.kind == ValueKind::Record) return read_record(tree, type.record(), value, std::move(options));
    Reading reading;
    reading.options = std::move(options);
    detail::ContentReader reader(reading);
    reader.read_value(tree, type, detail::no_property(), value, {nullptr, reading.options.path});
    reader.finish();
    return reading;
}

Reading read_part(const ValueType& type, AnyPart& part, ReadOptions options) {
    Reading reading;
    reading.options = std::move(options);
    if (part.type() != nullptr || part.is_none()) return reading;
    auto tree = part.shared_written();
    reading = read_content(*tree, type, &part, std::move(reading.options));
    reading.tree = std::move(tree);
    return reading;
}

bool is_asset_name(std::string_view text) {
    const auto is_allowed = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
    return !text.empty() && text.size() <= kMaxAssetName && std::all_of(text.begin(), text.end(), is_allowed);
}

namespace detail {
namespace {

constexpr std::size_t kMaxSuggestions = 100;  // looking for near names is slow; a file that broken needs no more

bool is_symbol(const ValueType& type, std::string_view name) {
    return type.kind == ValueKind::Symbol && type.name == name;  // by name: a module has a ValueType of its own
}

std::string_view article(std::string_view word) {
    return !word.empty() && std::string_view("aeiouAEIOU").find(word.front()) != std::string_view::npos ? "an" : "a";
}

std::string range_text(const PropertyInfo& as) {
    if (as.min == as.max) return "";
    if (std::isinf(as.max)) return fmt::format(" of at least {}", as.min);
    if (std::isinf(as.min)) return fmt::format(" of at most {}", as.max);
    return fmt::format(" from {} to {}", as.min, as.max);
}

std::string enum_names(const ValueType& type) {
    std::string all;
    for (const EnumValue& value : type.values) all += fmt::format("{}{}", all.empty() ? "" : ", ", value.name);
    return "one of " + all;
}

// `a table { min, max }`, so that nobody has to look up what goes into it.
std::string keys_of(const Type& type) {
    constexpr std::size_t kShown = 6;
    std::string keys;
    std::size_t count = 0;
    for (const PropertyInfo& property : type.properties)
        if (!property.is_refused && ++count <= kShown)
            keys += fmt::format("{}{}", keys.empty() ? "" : ", ", property.name);
    return keys.empty() ? "a table" : fmt::format("a table {{ {}{} }}", keys, count > kShown ? ", ..." : "");
}

bool is_short(const ValueType& type) {  // a text can stand for it
    return type.kind != ValueKind::Part && (type.kind != ValueKind::Record || !type.record().short_form.is_none());
}

// What stands as [features] where features = ["tag"] is meant. Entries that could be tables are named by their keys.
std::string list_hint(const Node& table, const ValueType& element, std::string_view key) {
    constexpr std::size_t kShown = 3;
    std::vector<std::string_view> names;
    for (const Node& entry : table.entries())
        if (element.kind == ValueKind::Record)
            names.push_back(entry.key());
        else if (entry.kind() == NodeKind::Text)
            names.push_back(entry.as_text());
        else if (entry.kind() == NodeKind::List)
            for (const Node& inner : entry.entries())
                if (inner.kind() == NodeKind::Text) names.push_back(inner.as_text());
    std::string list;
    for (std::size_t i = 0; i < std::min(kShown, names.size()); ++i)
        list += fmt::format("{}{}", list.empty() ? "" : ", ", in_quotes(names[i]));
    return fmt::format("write {} = [{}{}], above the first line with [ ]", key, list.empty() ? "..." : list,
                       names.size() > kShown ? ", ..." : "");
}

// What the property takes, as a message says it behind "takes".
std::string wanted(const ValueType& type, const PropertyInfo& as) {
    switch (type.kind) {
        case ValueKind::Bool:
            return "true or false";
        case ValueKind::Integer:
            return "a whole number" + range_text(as);
        case ValueKind::Float:
            return "a number" + range_text(as);
        case ValueKind::Text:
            return "a text";
        case ValueKind::Enum:
            return enum_names(type);
        case ValueKind::Vector:
            return "[x, y] or [x, y, z]";
        case ValueKind::Symbol:
            if (as.asset_type) return fmt::format("the name of {} {}", article(as.asset_type.text()), as.asset_type);
            if (as.class_base) return fmt::format("the name of a class of {}", as.class_base);
            if (!type.takes.empty()) return type.takes;
            if (is_symbol(type, "asset_id")) return "an asset id";
            if (is_symbol(type, "tags")) return "a list of tags";
            return is_symbol(type, "tag") ? "a tag" : is_symbol(type, "name") ? "a name" : "an id";
        case ValueKind::List:
            return is_short(*type.element) ? "a list" : "a list of tables";
        case ValueKind::Record:
            return keys_of(type.record());
        case ValueKind::Part:
            return "a table with kind = \"...\"";
        case ValueKind::Node:
            break;
    }
    return "anything";
}

// A value in the wrong clothes: 40 as "40", true as "true", 3 as 3.0, an entry without its list.
std::string hint_for(const Node& node, const ValueType& type) {
    if (node.kind() == NodeKind::Text &&
        (type.kind == ValueKind::Bool || type.kind == ValueKind::Integer || type.kind == ValueKind::Float)) {
        const std::string& text = node.as_text();
        const bool is_bool = text == "true" || text == "false";
        if (type.kind == ValueKind::Bool ? is_bool : parse_float(text).is_ok())
            return fmt::format("write {} without quotes", text);
    }
    if (node.kind() == NodeKind::Float && type.kind == ValueKind::Integer && std::abs(node.as_float()) < 1e15 &&
        std::trunc(node.as_float()) == node.as_float())
        return fmt::format("write {}", static_cast<std::int64_t>(node.as_float()));
    const bool is_list = type.kind == ValueKind::List || is_symbol(type, "tags");
    if (is_list && node.kind() == NodeKind::Text) return fmt::format("write [{}]", in_quotes(node.as_text()));
    return "";
}

void store_integer(const ValueType& type, std::int64_t number, void* value) {
    switch (type.size) {  // two's complement: the low bytes are the number, signed or not
        case 1:
            return static_cast<void>(*static_cast<std::uint8_t*>(value) = static_cast<std::uint8_t>(number));
        case 2: {
            const auto low = static_cast<std::uint16_t>(number);
            return static_cast<void>(std::memcpy(value, &low, sizeof low));
        }
        case 4: {
            const auto low = static_cast<std::uint32_t>(number);
            return static_cast<void>(std::memcpy(value, &low, sizeof low));
        }
        default:
            std::memcpy(value, &number, sizeof number);
    }
}

bool fits(const ValueType& type, std::int64_t number) {
    if (type.size == 8) return type.is_signed || number >= 0;
    const std::int64_t values = std::int64_t{1} << (type.size * 8);
    return type.is_signed ? number >= -values / 2 && number < values / 2 : number >= 0 && number < values;
}

std::string limits_text(const ValueType& type) {
    if (type.size == 8) return " of at least 0";  // a content file cannot say what would be too large
    const std::int64_t values = std::int64_t{1} << (type.size * 8);
    const std::int64_t lowest = type.is_signed ? -values / 2 : 0;
    return fmt::format(" from {} to {}", lowest, lowest + values - 1);
}

bool is_number(const Node& node) {
    return node.kind() == NodeKind::Integer || node.kind() == NodeKind::Float;
}

}  // namespace

const PropertyInfo& no_property() {
    static const PropertyInfo none;
    return none;
}

std::string_view ContentPath::nearest_key() const {
    const ContentPath* at = this;
    while (at->key.empty() && at->outer != nullptr) at = at->outer;
    return at->key;
}

std::string ContentPath::to_string() const {
    std::string text = outer != nullptr ? outer->to_string() : std::string();
    if (index != kNoIndex && index >= kCounted) return text + fmt::format(" {}", index - kCounted + 1);
    if (index != kNoIndex) return text + fmt::format("[{}]", index);
    if (!text.empty() && !key.empty()) text += '.';
    return text += key;
}

std::string where(const Reading& reading, const std::string& path, std::string_view key) {
    const std::string& subject = reading.options.subject;
    if (path.empty() && key.empty()) return subject.empty() ? "the content" : subject;
    std::string text = key.empty() ? path : in_quotes(key);
    if (!key.empty() && !path.empty()) text += " of " + path;
    return subject.empty() ? text : fmt::format("{} in {}", text, subject);
}

std::string suggestion(std::string_view nearest) {
    return nearest.empty() ? "" : fmt::format("did you mean {}?", in_quotes(nearest));
}

bool may_suggest(const Reading& reading) {
    return reading.problems.count() < kMaxSuggestions;
}

void report(Reading& reading, const ProblemCode& code, SourcePlace place, std::string text, std::string hint) {
    Problem problem;
    problem.code = &code;
    if (reading.problems.count() < Problems::kMax) {  // others are only counted
        problem.text = std::move(text);
        problem.hint = std::move(hint);
        problem.file = reading.options.file;
        problem.place = place;
        if (!reading.options.subject.empty()) problem.chain.push_back(reading.options.subject);
        problem.chain.insert(problem.chain.end(), reading.options.chain.begin(), reading.options.chain.end());
        quote_source(problem, reading.options.text.empty() ? reading.text : reading.options.text);
    }
    reading.problems.add(std::move(problem));
}

void ContentReader::finish() {
    std::reverse(reading_.lookups.begin(), reading_.lookups.end());  // they are taken from the back
    std::reverse(reading_.hooks.begin(), reading_.hooks.end());
    if (!reading_.is_linked()) reading_.text = reading_.options.text;
    reading_.options.text = {};
}

void ContentReader::problem(const ProblemCode& code, SourcePlace place, std::string text, std::string hint) {
    report(reading_, code, place, std::move(text), std::move(hint));
}

std::string ContentReader::at(const ContentPath& path) const {
    const bool is_key = path.outer != nullptr && path.index == ContentPath::kNoIndex;
    return is_key ? where(reading_, path.outer->to_string(), path.key) : where(reading_, path.to_string(), {});
}

void ContentReader::set_name(const Type& type, void* object) {
    if (reading_.options.name.empty()) return;
    for (const PropertyInfo& property : type.properties)
        if (property.is_asset_name) property.type->parse(reading_.options.name, property.in(object)).ignore();
}

// Records.

void ContentReader::read_record(const Node& node, const Type& type, void* object, const ContentPath& path,
                                bool is_part) {
    const std::size_t problems_before = reading_.problems.count();
    std::uint64_t seen = 0;
    if (node.kind() == NodeKind::Text && type.short_form) {
        const PropertyInfo& property = *type.find_property(type.short_form);
        seen |= std::uint64_t{1} << property.index;
        read_value(node, *property.type, property, property.in(object), path);
    } else if (node.kind() != NodeKind::Table) {
        return problem(kWrongType, node.place,
                       fmt::format("{} takes a table, not {}", at(path), to_string(node.kind())),
                       type.short_form ? "or a text" : "");
    }
    if (node.kind() == NodeKind::Table) seen = read_keys(node, type, object, path, is_part);
    for (const PropertyInfo& property : type.properties)
        if (property.required && (seen >> property.index & 1) == 0) missing_key(node, property, path);
    if (type.hooks.empty() || reading_.problems.count() != problems_before) return;
    call_check(node, type, object, path);
    note_link(node, type, object, path);
}

// Entries of a list mostly have the same keys in the same order, so the key after the last one is tried first.
std::uint64_t ContentReader::read_keys(const Node& node, const Type& type, void* object, const ContentPath& path,
                                       bool is_part) {
    std::uint64_t seen = 0;
    std::size_t next = 0;
    for (const Node& entry : node.entries()) {
        if (is_part && entry.key() == "kind") continue;
        const PropertyInfo* property = next < type.properties.size() ? &type.properties[next] : nullptr;
        if (property == nullptr || property->name.text() != entry.key())
            property = type.find_property(Name::find(entry.key()));
        if (property == nullptr || property->is_asset_name || entry.key().empty()) {
            unknown_key(entry, type, property, path);
            continue;
        }
        next = property->index + 1u;
        seen |= std::uint64_t{1} << property->index;
        read_value(entry, *property->type, *property, property->in(object), {&path, property->name.text()});
    }
    return seen;
}

void ContentReader::unknown_key(const Node& entry, const Type& type, const PropertyInfo* known,
                                const ContentPath& path) {
    std::string hint;
    if (known != nullptr) {
        hint = "it is the name of the file";
    } else if (may_suggest(reading_)) {
        std::vector<std::string_view> keys;
        for (const PropertyInfo& property : type.properties)
            if (!property.is_asset_name && !property.is_refused) keys.push_back(property.name.text());
        hint = name_hint(entry.key(), std::move(keys));
    }
    problem(kUnknownKey, entry.key_place, fmt::format("unknown key {}", at({&path, entry.key()})), std::move(hint));
}

void ContentReader::missing_key(const Node& node, const PropertyInfo& property, const ContentPath& path) {
    problem(kMissingKey, node.place, fmt::format("{} is missing", at({&path, property.name.text()})),
            fmt::format("{} takes {}", property.name, wanted(*property.type, property)));
}

void ContentReader::call_check(const Node& node, const Type& type, const void* object, const ContentPath& path) {
    static const Name kCheck("check");
    const TypeHook* hook = type.find_hook<ContentCheck>(kCheck);
    if (hook == nullptr) return;
    ContentCheck check(reading_, node, path);
    hook->call(object, &check);
}

void ContentReader::note_link(const Node& node, const Type& type, const void* object, const ContentPath& path) {
    static const Name kLink("link");
    if (type.find_hook<ContentLink>(kLink) == nullptr) return;
    ContentHook hook{&type, object, &node, path.to_string()};
    tables_ != nullptr ? call_link(reading_, hook, *tables_) : reading_.hooks.push_back(std::move(hook));
}

// Values.

void ContentReader::read_value(const Node& node, const ValueType& type, const PropertyInfo& as, void* value,
                               const ContentPath& path) {
    switch (type.kind) {
        case ValueKind::Bool:
            if (node.kind() != NodeKind::Bool) return refuse(node, type, as, path);
            *static_cast<bool*>(value) = node.as_bool();
            return;
        case ValueKind::Integer:
            return read_integer(node, type, as, value, path);
        case ValueKind::Float:
            return read_float(node, type, as, value, path);
        case ValueKind::Text:
            if (const std::string* text = read_text(node, type, as, path)) *static_cast<std::string*>(value) = *text;
            return;
        case ValueKind::Enum:
            return read_enum(node, type, as, value, path);
        case ValueKind::Vector:
            return read_vector(node, type, as, value, path);
        case ValueKind::Symbol:
            return read_symbol(node, type, as, value, path);
        case ValueKind::List:
            return read_list(node, type, as, value, path);
        case ValueKind::Record:
            if (node.kind() == NodeKind::List) return refuse(node, type, as, path);
            return read_record(node, type.record(), value, path);
        case ValueKind::Part:
            return read_part(node, type, as, value, path);
        case ValueKind::Node:
            *static_cast<Node*>(value) = node;
            return;
    }
}

void ContentReader::refuse(const Node& node, const ValueType& type, const PropertyInfo& as, const ContentPath& path) {
    const std::string takes = wanted(type, as);
    if (node.kind() == NodeKind::List && type.kind != ValueKind::List && type.kind != ValueKind::Vector)
        return problem(kListForOne, node.place, fmt::format("{} takes {}, not a list", at(path), takes),
                       node.entries().size() == 1 ? "write it without [ ]" : "");
    problem(kWrongType, node.place, fmt::format("{} takes {}, not {}", at(path), takes, to_string(node.kind())),
            hint_for(node, type));
}

bool ContentReader::is_in_range(const Node& node, const ValueType& type, const PropertyInfo& as,
                                const ContentPath& path) {
    if (as.min == as.max || (node.as_float() >= as.min && node.as_float() <= as.max)) return true;
    problem(kOutOfRange, node.place, fmt::format("{} takes {}, not {}", at(path), wanted(type, as), node.print()));
    return false;
}

void ContentReader::read_integer(const Node& node, const ValueType& type, const PropertyInfo& as, void* value,
                                 const ContentPath& path) {
    if (node.kind() != NodeKind::Integer) return refuse(node, type, as, path);
    if (!is_in_range(node, type, as, path)) return;
    if (!fits(type, node.as_integer()))
        return problem(kDoesNotFit, node.place,
                       fmt::format("{} takes a whole number{}, not {}", at(path), limits_text(type), node.print()));
    store_integer(type, node.as_integer(), value);
}

bool ContentReader::is_float(const Node& node, std::size_t size, const ContentPath& path) {
    const double number = node.as_float();
    if (!std::isfinite(number)) {
        problem(kNotFinite, node.place, fmt::format("{} takes a finite number, not {}", at(path), node.print()));
        return false;
    }
    if (size == sizeof(double) || std::abs(number) <= std::numeric_limits<float>::max()) return true;
    problem(kDoesNotFit, node.place, fmt::format("{} cannot hold {}", at(path), node.print()),
            fmt::format("at most {}", std::numeric_limits<float>::max()));
    return false;
}

void ContentReader::read_float(const Node& node, const ValueType& type, const PropertyInfo& as, void* value,
                               const ContentPath& path) {
    if (!is_number(node)) return refuse(node, type, as, path);
    if (!is_float(node, type.size, path) || !is_in_range(node, type, as, path)) return;
    if (type.size == sizeof(float))
        *static_cast<float*>(value) = static_cast<float>(node.as_float());
    else
        *static_cast<double*>(value) = node.as_float();
}

void ContentReader::read_vector(const Node& node, const ValueType& type, const PropertyInfo& as, void* value,
                                const ContentPath& path) {
    if (node.kind() != NodeKind::List) return refuse(node, type, as, path);
    const std::vector<Node>& axes = node.entries();
    if (axes.size() != 2 && axes.size() != 3)
        return problem(kVectorLength, node.place,
                       fmt::format("{} takes {}, not {} number{}", at(path), wanted(type, as), axes.size(),
                                   axes.size() == 1 ? "" : "s"));
    float numbers[3] = {0, 0, 0};
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const ContentPath axis{&path, {}, i};
        if (!is_number(axes[i])) return refuse(axes[i], value_type<float>(), no_property(), axis);
        if (!is_float(axes[i], sizeof(float), axis)) return;
        numbers[i] = static_cast<float>(axes[i].as_float());
    }
    *static_cast<Vec3*>(value) = {numbers[0], numbers[1], numbers[2]};
}

void ContentReader::read_enum(const Node& node, const ValueType& type, const PropertyInfo& as, void* value,
                              const ContentPath& path) {
    if (node.kind() != NodeKind::Text) return refuse(node, type, as, path);
    for (const EnumValue& known : type.values)
        if (known.name.text() == node.as_text()) return store_integer(type, known.value, value);
    Nearest search(node.as_text());
    for (const EnumValue& known : type.values) search.consider(known.name.text());
    const std::string hint = suggestion(search.best());
    problem(kUnknownValue, node.place, fmt::format("unknown value {} for {}", in_quotes(node.as_text()), at(path)),
            hint.empty() ? enum_names(type) : hint);
}

const std::string* ContentReader::read_text(const Node& node, const ValueType& type, const PropertyInfo& as,
                                            const ContentPath& path) {
    if (node.kind() != NodeKind::Text) return refuse(node, type, as, path), nullptr;
    const std::size_t limit = type.kind == ValueKind::Text ? kMaxContentText : Name::kMaxLength;
    const std::string& text = node.as_text();
    if (text.size() > limit) {
        problem(kTextTooLong, node.place,
                fmt::format("{} takes at most {} bytes of text, not {}", at(path), limit, text.size()));
        return nullptr;
    }
    const bool must_say_something = as.required || ((as.asset_type || as.class_base) && !as.takes_none);
    if (text.empty() && must_say_something) {
        problem(kEmptyText, node.place, fmt::format("{} takes {}, not an empty text", at(path), wanted(type, as)),
                as.required ? "" : "leave the key out");
        return nullptr;
    }
    return &text;
}

void ContentReader::read_list(const Node& node, const ValueType& type, const PropertyInfo& as, void* value,
                              const ContentPath& path) {
    const ValueType& element = *type.element;
    if (node.kind() == NodeKind::Table && is_short(element))
        return problem(kWrongType, node.key_place, fmt::format("{} takes a list, not a table", at(path)),
                       list_hint(node, element, path.key));
    if (node.kind() == NodeKind::Table) {
        std::string header = path.to_string();
        for (std::size_t open; (open = header.find('[')) != std::string::npos;)
            header.erase(open, header.find(']', open) - open + 1);
        if (const std::size_t open = header.find(' '); open != std::string::npos)  // "action 2.flags"
            header.erase(open, std::min(header.find('.', open), header.size()) - open);
        return problem(kTableForList, node.key_place, fmt::format("{} takes a list of tables, not one", at(path)),
                       fmt::format("write [[{}]]", header));
    }
    if (node.kind() != NodeKind::List) return refuse(node, type, as, path);
    const std::vector<Node>& entries = node.entries();
    if (entries.size() > kMaxListEntries)
        return problem(kListTooLong, node.place,
                       fmt::format("{} takes at most {} entries, not {}", at(path), kMaxListEntries, entries.size()));
    type.resize(value, 0);
    type.resize(value, entries.size());  // at once: lookups and hooks keep addresses of entries
    for (std::size_t i = 0; i < entries.size(); ++i)
        read_value(entries[i], element, as, type.at(value, i),
                   {&path, {}, element.kind == ValueKind::Part ? i + kCounted : i});
}

// Symbols: names, references to classes and assets, tags.

void ContentReader::read_symbol(const Node& node, const ValueType& type, const PropertyInfo& as, void* value,
                                const ContentPath& path) {
    if (is_symbol(type, "tags")) return read_tags(node, type, as, *static_cast<TagContainer*>(value), path);
    const std::string* text = read_text(node, type, as, path);
    if (text == nullptr) return;
    if (is_symbol(type, "tag")) {
        if (text->empty()) return static_cast<void>(*static_cast<GameplayTag*>(value) = {});
        return read_tag(node, as, ContentLookup::What::Tag, value, path);
    }
    if (as.asset_type || is_symbol(type, "asset_id")) {
        if (text->empty() && as.takes_none) return type.parse(is_symbol(type, "name") ? "" : "none", value).ignore();
        return read_asset(node, type, as, value, path);
    }
    if (is_symbol(type, "name")) {
        *static_cast<Name*>(value) = intern(*text);
        if (as.class_base)
            look_up({ContentLookup::What::Class, &as, path.nearest_key(), nullptr, *text, {}, node.place});
    } else if (Status status = type.parse(*text, value); !status.is_ok()) {
        problem(kInvalidSpelling, node.place, fmt::format("{}: {}", at(path), status.text()));
    }
}

Name ContentReader::intern(std::string_view text) {
    if (text != last_name_.text()) last_name_ = Name(text);  // a hundred thousand entries name the same few classes
    return last_name_;
}

void ContentReader::read_tag(const Node& node, const PropertyInfo& as, ContentLookup::What what, void* value,
                             const ContentPath& path) {
    const std::string& text = node.as_text();
    if (check_tag_text(text)) return look_up({what, &as, path.nearest_key(), value, text, {}, node.place});
    problem(kInvalidTag, node.place, fmt::format("{} takes a tag, not {}", at(path), in_quotes(text)),
            "letters, digits and _, with dots between the parts");
}

void ContentReader::read_tags(const Node& node, const ValueType& type, const PropertyInfo& as, TagContainer& tags,
                              const ContentPath& path) {
    if (node.kind() != NodeKind::List) return refuse(node, type, as, path);
    const std::vector<Node>& entries = node.entries();
    if (entries.size() > TagContainer::kMaxTags)
        return problem(
            kListTooLong, node.place,
            fmt::format("{} takes at most {} tags, not {}", at(path), TagContainer::kMaxTags, entries.size()));
    tags.clear();
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const Node& entry = entries[i];
        const ContentPath here{&path, {}, i};
        const auto is_it = [&entry](const Node& other) {
            return other.kind() == NodeKind::Text && other.as_text() == entry.as_text();
        };
        const bool is_again = std::any_of(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(i), is_it);
        if (entry.kind() != NodeKind::Text)
            refuse(entry, value_type<GameplayTag>(), as, here);
        else if (is_again)
            problem(kSaidTwice, entry.place, fmt::format("{} is {} again", at(here), in_quotes(entry.as_text())));
        else
            read_tag(entry, as, ContentLookup::What::TagOfSet, &tags, here);
    }
}

void ContentReader::read_asset(const Node& node, const ValueType& type, const PropertyInfo& as, void* value,
                               const ContentPath& path) {
    const std::string_view text = node.as_text();
    const std::size_t colon = text.find(':');
    const bool has_type = colon != std::string_view::npos;
    const std::string_view asset_type = has_type ? text.substr(0, colon) : as.asset_type.text();
    const std::string_view name = has_type ? text.substr(colon + 1) : text;
    if (!is_asset_name(asset_type) || !is_asset_name(name))
        return problem(kInvalidAssetId, node.place,
                       fmt::format("{} takes {}, not {}", at(path), wanted(type, as), in_quotes(text)),
                       as.asset_type ? "a-z, 0-9 and _" : "type:name, each of a-z, 0-9 and _");
    if (as.asset_type && asset_type != as.asset_type.text())
        return problem(kWrongAssetType, node.place,
                       fmt::format("{} takes {}, not {}", at(path), wanted(type, as), in_quotes(text)),
                       fmt::format("{}:...", as.asset_type));
    if (is_symbol(type, "name"))
        *static_cast<Name*>(value) = intern(name);
    else if (Status status = type.parse(fmt::format("{}:{}", asset_type, name), value); !status.is_ok())
        return problem(kInvalidAssetId, node.place, fmt::format("{}: {}", at(path), status.text()));
    if (!as.is_late)
        look_up({ContentLookup::What::Asset, &as, path.nearest_key(), nullptr, name, Name(asset_type), node.place});
}

void ContentReader::look_up(const ContentLookup& lookup) {
    tables_ != nullptr ? do_lookup(reading_, lookup, *tables_) : reading_.lookups.push_back(lookup);
}

// Parts.

void ContentReader::read_part(const Node& node, const ValueType& type, const PropertyInfo& as, void* value,
                              const ContentPath& path) {
    if (node.kind() != NodeKind::Table) return refuse(node, type, no_property(), path);
    const bool may_keep = reading_.options.keep_unknown_kinds || as.keeps_parts;
    if (may_keep && node.entries().empty()) return;  // who keeps parts skips empty ones
    const Node* kind = node.find("kind");
    if (kind == nullptr)
        return problem(kMissingKind, node.place, fmt::format("{} is missing", at({&path, "kind"})),
                       kinds_hint(type.base));
    if (kind->kind() != NodeKind::Text) return refuse(*kind, value_type<Name>(), no_property(), {&path, "kind"});
    AnyPart& part = type.as_part(value);
    if (as.keeps_parts) return part.keep(kind->as_text(), node);
    const PartKinds* kinds = reading_.options.kinds;
    if (const Type* found = kinds != nullptr ? kinds->find(type.base, kind->as_text()) : nullptr) {
        part.make(kind->as_text(), *found, type.base);
        return read_record(node, *found, part.object(), path, true);
    }
    if (may_keep) return part.keep(kind->as_text(), node);
    const auto known = kinds != nullptr ? kinds->kinds(type.base) : std::vector<std::string_view>();
    const std::string hint = suggestion(nearest(kind->as_text(), known));
    problem(kUnknownKind, kind->place, fmt::format("unknown kind {} of {}", in_quotes(kind->as_text()), at(path)),
            hint.empty() ? kinds_hint(type.base) : hint);
}

std::string ContentReader::kinds_hint(Name base) const {
    constexpr std::size_t kShown = 12;
    std::string all;
    const auto kinds =
        reading_.options.kinds != nullptr ? reading_.options.kinds->kinds(base) : std::vector<std::string_view>();
    for (std::size_t i = 0; i < std::min(kShown, kinds.size()); ++i)
        all += (all.empty() ? "" : ", ") + std::string(kinds[i]);
    if (kinds.empty()) return "no kinds are known here";
    return fmt::format("one of {}{}", all, kinds.size() > kShown ? ", ..." : "");
}

}  // namespace detail
}  // namespace lyre::inline core
