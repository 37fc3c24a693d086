// core/type_builder.h: how a type describes itself.
//
//     struct Door : Component {
//         Property<float> angle = 0;
//         static void describe(TypeBuilder<Door>& t) {
//             t.property("angle", &Door::angle).replicated().quantised(0.5).notify(&Door::angle_changed);
//             t.remote<&Door::knock>("knock").to_server();
//         }
//         ...
//
// The name is the C++ name without namespaces. The parent is the nearest base class with `using Described = ItsName;`
// (all classes of the library have one). Name it yourself with t.parent<P>(), first, if a nearer described base has no
// such line, or if this class declares `Described` itself. Properties of the parent come first.
//
// What describe() forgot is found when the type is built: in plain structs every byte must belong to a property (or to
// t.internal(&T::member)), and in actors and components every Property<> member must be described.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <new>
#include <tuple>
#include <utility>

#include "lyre/core/type.h"

namespace lyre::inline core {

class TypeRegistry;

// What a member of this C++ type holds. Property<T> (world/property.h), whose value comes first, unwraps itself here.
template <class M> struct MemberTraits {
    using Value = M;
    static constexpr std::size_t kBindingOffset = 0;
};

template <class T, class V> class PropertyBuilder {
public:
    explicit PropertyBuilder(PropertyInfo& info) : info_(info) {}
    PropertyBuilder& replicated(Condition condition = Condition::Always) {
        info_.replicated = true;
        info_.condition = condition;
        return *this;
    }
    PropertyBuilder& quantised(double step, double min = 0, double max = 0) {
        info_.quantisation = {step, min, max};
        return *this;
    }
    PropertyBuilder& range(double min, double max) {
        info_.min = min;
        info_.max = max;
        return *this;
    }
    // A plain member whose owner marks its writes itself.
    PropertyBuilder& tracked() { return info_.tracked = true, *this; }
    // Of parts: they stay as written until whoever owns them reads them (read_part).
    PropertyBuilder& as_written() { return info_.keeps_parts = true, *this; }
    // Bookkeeping: two worlds that differ in it alone are the same (world/world_hash.h).
    PropertyBuilder& not_hashed() { return info_.is_hashed = false, *this; }
    // Of an asset, or a list of them: an empty text is none. Else it is a mistake.
    PropertyBuilder& or_none() { return info_.takes_none = true, *this; }
    PropertyBuilder& required() { return info_.required = true, *this; }
    PropertyBuilder& asset_name() { return info_.is_asset_name = true, *this; }
    // A key that people try and that is not meant: the type's check says what to write instead; nobody is offered it.
    PropertyBuilder& refused() { return info_.is_refused = true, *this; }
    PropertyBuilder& units(std::string_view units) { return info_.units = units, *this; }
    PropertyBuilder& help(std::string_view help) { return info_.help = help, *this; }
    // What a Name or id of it refers to. An asset is loaded with the object it is named by, unless a bundle or soft()
    // says otherwise (assets/bundles.h).
    PropertyBuilder& asset(std::string_view type) { return info_.asset_type = Name(type), *this; }
    PropertyBuilder& bundle(std::string_view name) { return info_.bundles.emplace_back(name), *this; }
    PropertyBuilder& soft() { return info_.is_soft = true, *this; }
    PropertyBuilder& late() { return info_.is_soft = info_.is_late = true, *this; }
    PropertyBuilder& class_of(std::string_view base) { return info_.class_base = Name(base), *this; }
    PropertyBuilder& group(std::string_view name) { return info_.group = Name(name), *this; }
    PropertyBuilder& notify(void (T::*changed)(const V& old)) {
        info_.notify = [changed](void* object, const void* old) {
            (static_cast<T*>(object)->*changed)(*static_cast<const V*>(old));
        };
        return *this;
    }
    PropertyBuilder& notify(void (T::*changed)()) {
        info_.notify = [changed](void* object, const void*) { (static_cast<T*>(object)->*changed)(); };
        return *this;
    }

private:
    PropertyInfo& info_;
};

class RemoteBuilder {
public:
    explicit RemoteBuilder(RemoteInfo& info) : info_(info) {}
    RemoteBuilder& to_server() { return info_.target = RemoteTarget::Server, *this; }
    RemoteBuilder& to_owner() { return info_.target = RemoteTarget::Owner, *this; }
    RemoteBuilder& to_everyone() { return info_.target = RemoteTarget::Everyone, *this; }
    RemoteBuilder& reliable() { return info_.reliable = true, *this; }
    RemoteBuilder& quota(std::uint32_t per_second) { return info_.quota = per_second, *this; }

private:
    RemoteInfo& info_;
};

namespace detail {

template <auto Function> struct RemoteTraits;
template <class T, class... P, void (T::*Function)(P...)> struct RemoteTraits<Function> {
    using Class = T;
    using Arguments = std::tuple<std::decay_t<P>...>;
    static void fill(RemoteInfo& info) {
        (info.parameters.push_back(&value_type<std::decay_t<P>>()), ...);
        info.key = key();
        info.invoke = [](void* object, void* arguments) {
            std::apply([&](auto&... a) { (static_cast<T*>(object)->*Function)(a...); },
                       *static_cast<Arguments*>(arguments));
        };
    }
    static const void* key() {
        static const char key = 0;
        return &key;
    }
};

template <class T, auto Function> struct HookTraits;
template <class T, class Base, class A, void (Base::*Function)(A&) const> struct HookTraits<T, Function> {
    static TypeHook make(std::string_view name) {
        return {Name(name), type_name<A>(), 0, [](const void* object, void* argument) {
                    (static_cast<const T*>(object)->*Function)(*static_cast<A*>(argument));
                }};
    }
};

// Finds the Property<> members of an object while it is constructed: each notes its own address here.
class TrackedRecorder {
public:
    TrackedRecorder();
    ~TrackedRecorder();
    static void note(const void* member) {
        if (active_.load(std::memory_order_relaxed) != 0) note_slowly(member);
    }
    std::vector<const void*> members;

private:
    static void note_slowly(const void* member);
    static std::atomic<int> active_;
    TrackedRecorder* outer_;
};

struct Covered {
    std::uint32_t begin, end;
};
struct TypeBuild {
    Type& type;
    const TypeRegistry* registry;  // where parents are; null for plain records
    std::vector<Covered> covered;  // bytes described so far
    std::size_t described = 0;     // members
};

void inherit(TypeBuild& build, Name parent_name, const Type* parent, std::uint32_t offset_in_child);
void check_names_and_limits(Type& type);
void check_coverage(TypeBuild& build, std::size_t members);                     // of a plain struct; 0: not known
void check_tracked(TypeBuild& build, const std::vector<const void*>& members);  // of actors and components
void make_defaults(Type& type);
void finish_record(Type& type);  // asserts that describe() was right: a plain struct has no registry to refuse it
const Type* find_type(const TypeRegistry& registry, Name name);

template <class T>
concept NamesParent = requires {
    typename T::Described;
}
&&!std::is_same_v<typename T::Described, T>;

// How many members an aggregate has: as many as it takes initialisers. A small one can hide where padding would be, so
// bytes alone do not tell. Elements of an array count. 0: it has a base class or is no aggregate.
struct AnyValue {
    template <class V> operator V() const;
};
template <class T> struct AnyBaseOf {
    template <class B>
    requires(std::is_base_of_v<B, T> && !std::is_same_v<B, T>) operator B() const;
};
template <class T, std::size_t... I> constexpr bool takes(std::index_sequence<I...>) {
    return requires {
        T{(static_cast<void>(I), AnyValue{})...};
    };
}
template <class T, std::size_t N = 0> constexpr std::size_t count_members() {
    if constexpr (N < 2 * Type::kMaxProperties && takes<T>(std::make_index_sequence<N + 1>()))
        return count_members<T, N + 1>();
    else
        return N;
}
template <class T> constexpr std::size_t member_count() {
    if constexpr (!std::is_aggregate_v<T> || requires { T{AnyBaseOf<T>{}}; })
        return 0;
    else
        return count_members<T>();
}

// A sub-object's place in T, and a member's: only addresses are taken, no object is read.
template <class T> T* address_probe() {
    alignas(T) static char storage[sizeof(T)];
    return reinterpret_cast<T*>(storage);
}
template <class Base, class T> std::uint32_t base_offset() {
    T* object = address_probe<T>();
    return static_cast<std::uint32_t>(reinterpret_cast<char*>(static_cast<Base*>(object)) -
                                      reinterpret_cast<char*>(object));
}

}  // namespace detail

// What every described type can say. Rooms offer more to their own types by a nested `template <class T> using
// Builder`.
template <class T> class PlainBuilder {
public:
    explicit PlainBuilder(detail::TypeBuild& build) : build_(build) {}

    // Only needed where the nearest described class above has no `using Described`. Must come first.
    template <class P> void parent() {
        static_assert(std::is_base_of_v<P, T> && !std::is_same_v<P, T>, "the parent is a base class");
        const Type* found = nullptr;
        if (build_.registry != nullptr)
            found = detail::find_type(*build_.registry, type_name<P>());
        else
            found = &type_of_record<P>();
        detail::inherit(build_, type_name<P>(), found, detail::base_offset<P, T>());
    }
    template <class M, class Base> auto property(std::string_view name, M Base::*member) {
        using Value = typename MemberTraits<M>::Value;
        PropertyInfo& info = build_.type.properties.emplace_back();
        info.name = Name(name);
        info.type = &value_type<Value>();
        info.index = static_cast<std::uint16_t>(build_.type.properties.size() - 1);
        info.offset = cover(member);
        info.tracked = MemberTraits<M>::kBindingOffset != 0;
        if (info.tracked) info.binding_offset = info.offset + MemberTraits<M>::kBindingOffset;
        return PropertyBuilder<T, Value>(info);
    }
    // A member of a plain struct that is no property.
    template <class M, class Base> void internal(M Base::*member) { cover(member); }

    template <auto Function> RemoteBuilder remote(std::string_view name) {
        RemoteInfo& info = build_.type.remotes.emplace_back();
        info.name = Name(name);
        detail::RemoteTraits<Function>::fill(info);
        info.offset = detail::base_offset<typename detail::RemoteTraits<Function>::Class, T>();
        return RemoteBuilder(info);
    }
    // t.hook<&T::check>("check"): a const member function that takes one thing by reference.
    template <auto Function> void hook(std::string_view name) {
        build_.type.hooks.push_back(detail::HookTraits<T, Function>::make(name));
    }
    // In content a text stands for a table in which only this property is said.
    void short_form(std::string_view property) { build_.type.short_form = Name(property); }
    void help(std::string_view text) { build_.type.help = text; }
    void abstract() { build_.type.is_abstract = true; }
    Type& type() { return build_.type; }

private:
    template <class M, class Base> std::uint32_t cover(M Base::*member) {
        T* object = detail::address_probe<T>();
        const auto offset =
            static_cast<std::uint32_t>(reinterpret_cast<char*>(&(object->*member)) - reinterpret_cast<char*>(object));
        build_.covered.push_back({offset, offset + static_cast<std::uint32_t>(sizeof(M))});
        build_.described += sizeof(M) / sizeof(std::remove_all_extents_t<M>);
        return offset;
    }
    detail::TypeBuild& build_;
};

namespace detail {
template <class T> struct BuilderOf { using type = PlainBuilder<T>; };
template <class T>
requires requires {
    typename T::template Builder<T>;
}
struct BuilderOf<T> {
    using type = typename T::template Builder<T>;
};
}  // namespace detail

template <class T> class TypeBuilder : public detail::BuilderOf<T>::type {
    using Base = typename detail::BuilderOf<T>::type;

public:
    explicit TypeBuilder(detail::TypeBuild& build) : Base(build) {}
};

// Runs T::describe. What it got wrong is in the type's problems.
template <class T> std::unique_ptr<Type> build_type(const TypeRegistry* registry) {
    auto type = std::make_unique<Type>();
    type->name = type_name<T>();
    type->size = sizeof(T);
    type->alignment = alignof(T);
    type->native = &typeid(T);
    detail::TypeBuild build{*type, registry, {}, 0};
    detail::TrackedRecorder recorder;
    if constexpr (std::is_default_constructible_v<T>) {
        type->construct = [](void* place) { new (place) T(); };
        type->destruct = [](void* object) { static_cast<T*>(object)->~T(); };
        type->is_trivially_destructible = std::is_trivially_destructible_v<T>;
        detail::make_defaults(*type);
    }
    if constexpr (std::is_polymorphic_v<T>) build.covered.push_back({0, sizeof(void*)});  // its table of functions
    TypeBuilder<T> builder(build);
    if constexpr (detail::NamesParent<T>) builder.template parent<typename T::Described>();
    T::describe(builder);
    detail::check_names_and_limits(*type);
    if constexpr (requires { typename T::template Builder<T>; })
        detail::check_tracked(build, recorder.members);
    else if constexpr (!std::is_empty_v<T>)
        detail::check_coverage(build, detail::member_count<T>());
    return type;
}

// The description of a struct used as a value; it lives as long as the code that uses it.
template <class T> const Type& type_of_record() {
    static const std::unique_ptr<Type> type = [] {
        auto built = build_type<T>(nullptr);
        detail::finish_record(*built);
        return built;
    }();
    return *type;
}

}  // namespace lyre::inline core
