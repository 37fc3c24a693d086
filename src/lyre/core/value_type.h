// core/value_type.h: what a described property can hold, and what can be done with it without knowing the C++ type.
//
// value_type<T>() gives the one description of T: bool, integers, floats, text, Name, Vec3, Box, handles, enums with
// names, lists, and structs that have describe(). Content, wire, hash, inspector and scripts work through it, so a new
// kind of value is taught here once (ValueTraits) and nowhere else.
//
// An enum is described beside its declaration:
//
//     inline void describe(EnumBuilder<Team>& e) { e.value("red", Team::Red); }
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "lyre/core/hash.h"
#include "lyre/core/math.h"
#include "lyre/core/name.h"
#include "lyre/core/numbers.h"
#include "lyre/core/status.h"

namespace lyre::inline core {

class AnyPart;
class GameplayTag;
class TagContainer;
class Type;
template <class T> class TypeBuilder;
template <class Tag> struct Handle;

enum class ValueKind : std::uint8_t {
    Bool,
    Integer,
    Float,
    Text,  // std::string
    Enum,
    Vector,  // Vec3
    Symbol,  // one word with its own spelling: Name, handles, tags; print and parse say how
    List,
    Record,  // a struct with describe()
    Node,    // a value of a content file as it was written (content_node.h)
    Part,    // a struct whose type the content chooses (part.h)
};

struct EnumValue {
    Name name;
    std::int64_t value;
};

// All functions take pointers to objects of the described type.
struct ValueType {
    ValueKind kind = ValueKind::Record;
    bool is_signed = false;  // Integer, Enum
    std::uint32_t size = 0;  // bytes
    std::string name;        // "float32", "list<int8>", "Team"; part of schema hashes
    std::string takes;       // Symbol: what content writes for it, as messages say it: "a version such as \"1.0.0\""

    bool (*equal)(const void*, const void*) = nullptr;
    void (*assign)(void* to, const void* from) = nullptr;
    std::shared_ptr<void> (*copy)(const void*) = nullptr;
    void (*hash)(const void*, Hasher&) = nullptr;
    std::string (*print)(const void*) = nullptr;
    Status (*parse)(std::string_view, void*) = nullptr;  // nothing changes on failure; refused for List and Record

    std::vector<EnumValue> values;       // Enum
    const ValueType* element = nullptr;  // List
    std::size_t (*count)(const void*) = nullptr;
    void (*resize)(void*, std::size_t) = nullptr;
    void* (*at)(void*, std::size_t) = nullptr;
    const Type& (*record)() = nullptr;  // Record
    Name base;                          // Part: what its type derives from
    AnyPart& (*as_part)(void*) = nullptr;
};

template <class E> class EnumBuilder {
public:
    explicit EnumBuilder(ValueType& type) : type_(type) {}
    EnumBuilder& value(std::string_view name, E value) {
        type_.values.push_back({Name(name), static_cast<std::int64_t>(value)});
        return *this;
    }

private:
    ValueType& type_;
};

// Fills in what is particular to T. Specialise it to teach a new kind of value.
template <class T> struct ValueTraits;

template <class T>
concept Described = requires(TypeBuilder<T>& t) {
    T::describe(t);
};

// "Crate" for lyre::world::Crate: the stable name of a type is its C++ name without the namespaces.
std::string_view unqualified_type_name(std::string_view pretty_function);
template <class T> Name type_name() {
    static const Name name(unqualified_type_name(__PRETTY_FUNCTION__));
    return name;
}

template <class T> const ValueType& value_type() {
    static const ValueType type = [] {
        ValueType t;
        t.size = sizeof(T);
        if constexpr (requires(const T& v) { ValueTraits<T>::equal(v, v); })
            t.equal = [](const void* a, const void* b) {
                return ValueTraits<T>::equal(*static_cast<const T*>(a), *static_cast<const T*>(b));
            };
        else
            t.equal = [](const void* a, const void* b) {
                return *static_cast<const T*>(a) == *static_cast<const T*>(b);
            };
        t.assign = [](void* to, const void* from) { *static_cast<T*>(to) = *static_cast<const T*>(from); };
        t.copy = [](const void* v) -> std::shared_ptr<void> { return std::make_shared<T>(*static_cast<const T*>(v)); };
        ValueTraits<T>::fill(t);
        return t;
    }();
    return type;
}

namespace detail {
Status refuse_parse(std::string_view text, void* value);  // for lists and records
Status refuse_tag(std::string_view text, void* value);
std::string enum_text(const ValueType& type, std::int64_t value);
Result<std::int64_t> enum_value(const ValueType& type, std::string_view text);
}  // namespace detail

template <class T>
requires std::is_arithmetic_v<T>
struct ValueTraits<T> {
    static void fill(ValueType& t) {
        t.is_signed = std::is_signed_v<T>;
        t.hash = [](const void* v, Hasher& h) { h.value(*static_cast<const T*>(v)); };
        t.print = [](const void* v) {
            if constexpr (std::is_same_v<T, char>)
                return fmt::format("{}", static_cast<int>(*static_cast<const T*>(v)));  // a number like the others
            else
                return fmt::format("{}", *static_cast<const T*>(v));
        };
        t.parse = [](std::string_view text, void* v) -> Status {
            auto number = parse_number<T>(text);
            if (!number) return number.status();
            *static_cast<T*>(v) = *number;
            return Status::ok();
        };
        if constexpr (std::is_same_v<T, bool>) {
            t.kind = ValueKind::Bool;
            t.name = "bool";
        } else if constexpr (std::is_integral_v<T>) {
            t.kind = ValueKind::Integer;
            t.name = fmt::format("{}int{}", t.is_signed ? "" : "u", sizeof(T) * 8);
        } else {
            t.kind = ValueKind::Float;
            t.name = fmt::format("float{}", sizeof(T) * 8);
        }
    }
};

template <class T>
requires std::is_enum_v<T>
struct ValueTraits<T> {
    static void fill(ValueType& t) {
        t.kind = ValueKind::Enum;
        t.name = type_name<T>().text();
        t.is_signed = std::is_signed_v<std::underlying_type_t<T>>;
        EnumBuilder<T> builder(t);
        describe(builder);  // found beside the enum
        t.hash = [](const void* v, Hasher& h) { h.value(*static_cast<const T*>(v)); };
        t.print = [](const void* v) {
            return detail::enum_text(value_type<T>(), static_cast<std::int64_t>(*static_cast<const T*>(v)));
        };
        t.parse = [](std::string_view text, void* v) -> Status {
            auto value = detail::enum_value(value_type<T>(), text);
            if (!value) return value.status();
            *static_cast<T*>(v) = static_cast<T>(*value);
            return Status::ok();
        };
    }
};

template <> struct ValueTraits<std::string> { static void fill(ValueType& t); };
template <> struct ValueTraits<Name> { static void fill(ValueType& t); };
template <> struct ValueTraits<Vec3> { static void fill(ValueType& t); };
// Tags are printed here; they are read by whoever has a TagTable.
template <> struct ValueTraits<GameplayTag> { static void fill(ValueType& t); };
template <> struct ValueTraits<TagContainer> { static void fill(ValueType& t); };

template <class Tag> struct ValueTraits<Handle<Tag>> {
    static void fill(ValueType& t) {
        using Id = Handle<Tag>;
        t.kind = ValueKind::Symbol;
        t.name = "id";
        t.hash = [](const void* v, Hasher& h) { h.value(static_cast<const Id*>(v)->bits()); };
        t.print = [](const void* v) { return fmt::format("{}", *static_cast<const Id*>(v)); };
        t.parse = [](std::string_view text, void* v) -> Status {
            auto id = Id::parse(text);
            if (!id) return id.status();
            *static_cast<Id*>(v) = *id;
            return Status::ok();
        };
    }
};

template <class T> struct ValueTraits<std::vector<T>> {
    static_assert(!std::is_same_v<T, bool>, "use a list of an enum or integers");
    static bool equal(const std::vector<T>& a, const std::vector<T>& b) {
        if (a.size() != b.size()) return false;
        for (std::size_t i = 0; i < a.size(); ++i)
            if (!value_type<T>().equal(&a[i], &b[i])) return false;
        return true;
    }
    static void fill(ValueType& t) {
        t.kind = ValueKind::List;
        t.element = &value_type<T>();
        t.name = fmt::format("list<{}>", t.element->name);
        t.parse = &detail::refuse_parse;
        t.count = [](const void* v) { return static_cast<const std::vector<T>*>(v)->size(); };
        t.resize = [](void* v, std::size_t n) { static_cast<std::vector<T>*>(v)->resize(n); };
        t.at = [](void* v, std::size_t i) -> void* { return &(*static_cast<std::vector<T>*>(v))[i]; };
        t.hash = [](const void* v, Hasher& h) {
            h.value(static_cast<std::uint64_t>(static_cast<const std::vector<T>*>(v)->size()));
            for (const T& e : *static_cast<const std::vector<T>*>(v)) value_type<T>().hash(&e, h);
        };
        t.print = [](const void* v) {
            std::string text = "[";
            for (const T& e : *static_cast<const std::vector<T>*>(v))
                text += (text.size() > 1 ? ", " : "") + value_type<T>().print(&e);
            return text + "]";
        };
    }
};

// Structs with describe(): their fields are in the Type that type_of_record<T>() builds (type_builder.h).
template <class T> const Type& type_of_record();
namespace detail {
void hash_record(const Type& type, const void* value, Hasher& hasher);
std::string print_record(const Type& type, const void* value);
bool equal_records(const Type& type, const void* a, const void* b);
}  // namespace detail

template <Described T> struct ValueTraits<T> {
    static bool equal(const T& a, const T& b) { return detail::equal_records(type_of_record<T>(), &a, &b); }
    static void fill(ValueType& t) {
        t.kind = ValueKind::Record;
        t.name = type_name<T>().text();
        t.record = &type_of_record<T>;
        t.parse = &detail::refuse_parse;
        t.hash = [](const void* v, Hasher& h) { detail::hash_record(type_of_record<T>(), v, h); };
        t.print = [](const void* v) { return detail::print_record(type_of_record<T>(), v); };
    }
};

}  // namespace lyre::inline core
