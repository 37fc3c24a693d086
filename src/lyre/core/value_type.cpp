#include "lyre/core/value_type.h"

#include "lyre/core/tags.h"
#include "lyre/core/type_builder.h"

namespace lyre::inline core {

std::string_view unqualified_type_name(std::string_view pretty) {
    const std::string_view mark = "T = ";
    std::string_view name = pretty.substr(pretty.find(mark) + mark.size());
    name = name.substr(0, name.find_last_of(']'));
    std::size_t begin = 0;
    int depth = 0;
    for (std::size_t i = 0; i + 1 < name.size(); ++i) {
        if (name[i] == '<' || name[i] == '(' || name[i] == '{') ++depth;
        if (name[i] == '>' || name[i] == ')' || name[i] == '}') --depth;
        if (depth == 0 && name[i] == ';') name = name.substr(0, i);
        if (depth == 0 && name.substr(i, 2) == "::") begin = i + 2;
    }
    return name.substr(begin);
}

void ValueTraits<std::string>::fill(ValueType& t) {
    t.kind = ValueKind::Text;
    t.name = "text";
    t.hash = [](const void* v, Hasher& h) { h.text(*static_cast<const std::string*>(v)); };
    t.print = [](const void* v) { return *static_cast<const std::string*>(v); };
    t.parse = [](std::string_view text, void* v) {
        *static_cast<std::string*>(v) = text;
        return Status::ok();
    };
}

void ValueTraits<Name>::fill(ValueType& t) {
    t.kind = ValueKind::Symbol;
    t.name = "name";
    t.hash = [](const void* v, Hasher& h) { h.text(static_cast<const Name*>(v)->text()); };
    t.print = [](const void* v) { return std::string(static_cast<const Name*>(v)->text()); };
    t.parse = [](std::string_view text, void* v) {
        if (text.size() > Name::kMaxLength) return Status::invalid("a name has at most {} bytes", Name::kMaxLength);
        *static_cast<Name*>(v) = Name(text);
        return Status::ok();
    };
}

void ValueTraits<Vec3>::fill(ValueType& t) {
    t.kind = ValueKind::Vector;
    t.name = "vec3";
    t.hash = [](const void* v, Hasher& h) {
        const Vec3& a = *static_cast<const Vec3*>(v);
        for (float axis : {a.x, a.y, a.z}) h.value(axis);
    };
    t.print = [](const void* v) {
        const Vec3& a = *static_cast<const Vec3*>(v);
        return fmt::format("[{}, {}, {}]", a.x, a.y, a.z);
    };
    t.parse = [](std::string_view text, void* v) -> Status {
        const std::string_view wanted = "a vector is written [x, y] or [x, y, z]";
        if (text.size() < 2 || text.front() != '[' || text.back() != ']') return Status::invalid("{}", wanted);
        text = text.substr(1, text.size() - 2);
        float axes[3] = {0, 0, 0};
        int count = 0;
        for (bool more = true; more; ++count) {
            const auto comma = text.find(',');
            std::string_view part = text.substr(0, comma);
            more = comma != std::string_view::npos;
            if (more) text.remove_prefix(comma + 1);
            while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
            while (!part.empty() && part.back() == ' ') part.remove_suffix(1);
            auto axis = parse_number<float>(part);
            if (!axis || count == 3) return Status::invalid("{}", wanted);
            axes[count] = *axis;
        }
        if (count < 2) return Status::invalid("{}", wanted);
        *static_cast<Vec3*>(v) = {axes[0], axes[1], axes[2]};
        return Status::ok();
    };
}

void ValueTraits<GameplayTag>::fill(ValueType& t) {
    t.kind = ValueKind::Symbol;
    t.name = "tag";
    t.hash = [](const void* v, Hasher& h) { h.text(static_cast<const GameplayTag*>(v)->text()); };
    t.print = [](const void* v) { return std::string(static_cast<const GameplayTag*>(v)->text()); };
    t.parse = &detail::refuse_tag;
}

void ValueTraits<TagContainer>::fill(ValueType& t) {
    t.kind = ValueKind::Symbol;
    t.name = "tags";
    t.hash = [](const void* v, Hasher& h) {
        for (GameplayTag tag : *static_cast<const TagContainer*>(v)) h.text(tag.text());
        h.text({});
    };
    t.print = [](const void* v) { return static_cast<const TagContainer*>(v)->to_string(); };
    t.parse = &detail::refuse_tag;
}

void Box::describe(TypeBuilder<Box>& t) {
    t.help("from its lowest corner to its highest; on a map x and y are enough");
    t.property("min", &Box::min).required().units("m");
    t.property("max", &Box::max).required().units("m");
}

namespace detail {

Status refuse_tag(std::string_view, void*) {
    return Status::invalid("a tag is looked up in a table of tags");
}

Status refuse_parse(std::string_view, void*) {
    return Status::invalid("only single values are set from text");
}

std::string enum_text(const ValueType& type, std::int64_t value) {
    for (const EnumValue& known : type.values)
        if (known.value == value) return std::string(known.name.text());
    return fmt::format("{}", value);
}

Result<std::int64_t> enum_value(const ValueType& type, std::string_view text) {
    std::string all;
    for (const EnumValue& known : type.values) {
        if (known.name.text() == text) return known.value;
        all += fmt::format("{}{}", all.empty() ? "" : ", ", known.name);
    }
    return Status::invalid("\"{}\" is no {}; it is one of {}", text, type.name, all);
}

void hash_record(const Type& type, const void* value, Hasher& hasher) {
    for (const PropertyInfo& property : type.properties) property.hash(value, hasher);
}

std::string print_record(const Type& type, const void* value) {
    std::string text = "{";
    for (const PropertyInfo& p : type.properties)
        text += fmt::format("{}{} = {}", text.size() > 1 ? ", " : "", p.name, p.type->print(p.in(value)));
    return text + "}";
}

bool equal_records(const Type& type, const void* a, const void* b) {
    for (const PropertyInfo& property : type.properties)
        if (!property.equal(a, b)) return false;
    return true;
}

}  // namespace detail

}  // namespace lyre::inline core
