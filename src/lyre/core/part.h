// core/part.h: a piece of content whose type the file chooses: an action of an experience, an effect of an ability.
//
//     struct Action { virtual ~Action() = default;  static void describe(TypeBuilder<Action>& t) { t.abstract(); } };
//     struct AddComponents : Action { Name to;  static void describe(TypeBuilder<AddComponents>& t); };
//
//     std::vector<Part<Action>> actions;                // t.property("action", &ExperienceDef::actions);
//
//     [[action]]
//     kind = "add_components"                           # the registered type AddComponents, derived from Action
//     to   = "GameState"
//
// A type that is registered and derives from the base is a kind; the reader asks PartKinds for it (content_reader.h).
// Where kinds may come later (a feature that is not there yet) the part is kept as written, and read_part() makes it
// what it says once they have come. The type must stay registered as long as a part of it lives: who keeps parts
// answers TypeRegistry::listing_instances. A plain value: copies have their own object, made anew, with the same
// described properties; what is written never changes, and is shared by them.
#pragma once

#include <memory>
#include <string>

#include "lyre/core/content_reader.h"
#include "lyre/core/type_builder.h"

namespace lyre::inline core {

// What all parts can do, whatever their base.
class AnyPart {
public:
    AnyPart() = default;
    AnyPart(const AnyPart& other) : AnyPart() { copy(other); }
    AnyPart(AnyPart&& other) noexcept { swap(other); }
    AnyPart& operator=(AnyPart other) noexcept;
    ~AnyPart() { clear(); }

    bool is_none() const { return kind_.empty(); }
    const std::string& kind() const { return kind_; }                        // "add_components"
    const Type* type() const { return type_; }                               // null: not known yet
    const Node& written() const;                                             // while the type is not known; else none
    std::shared_ptr<const Node> shared_written() const { return written_; }  // null: none
    void* object() { return object_; }
    const void* object() const { return object_; }

    void make(std::string kind, const Type& type, Name base);  // an object as constructed
    void keep(std::string kind, const Node& written);
    void clear();

    std::string print() const;
    void hash(Hasher& hasher) const;
    friend bool operator==(const AnyPart& a, const AnyPart& b);

private:
    void construct(const Type& type);
    void copy(const AnyPart& other);
    void swap(AnyPart& other) noexcept;

    std::string kind_;
    const Type* type_ = nullptr;
    void* object_ = nullptr;
    std::shared_ptr<const Node> written_;
};

template <class Base> class Part : public AnyPart {
public:
    const Base* get() const { return static_cast<const Base*>(object()); }  // null: not known yet, or none
    const Base* operator->() const { return get(); }

    // For parts made in code: part.make<AddComponents>(types).to = ...
    template <class T> T& make(const TypeRegistry& types) {
        static_assert(std::is_base_of_v<Base, T>, "a part is of a type derived from its base");
        const Type* type = detail::find_type(types, type_name<T>());
        LYRE_ASSERT(type != nullptr, "register the type of a part before parts are made of it");
        AnyPart::make(kind_name(type->name.text()), *type, type_name<Base>());
        return *static_cast<T*>(object());
    }
};

// Reads a part that was kept as written; nothing happens to one that was not. Its places are those of the file then.
Reading read_part(const ValueType& type, AnyPart& part, ReadOptions options);
template <class Base> Reading read_part(Part<Base>& part, ReadOptions options) {
    return read_part(value_type<Part<Base>>(), part, std::move(options));
}

template <class Base> struct ValueTraits<Part<Base>> {
    static void fill(ValueType& t) {
        t.kind = ValueKind::Part;
        t.base = type_name<Base>();
        t.name = fmt::format("part<{}>", t.base);
        t.as_part = [](void* v) -> AnyPart& { return *static_cast<Part<Base>*>(v); };
        t.parse = &detail::refuse_parse;
        t.hash = [](const void* v, Hasher& h) { static_cast<const Part<Base>*>(v)->hash(h); };
        t.print = [](const void* v) { return static_cast<const Part<Base>*>(v)->print(); };
    }
};

}  // namespace lyre::inline core
