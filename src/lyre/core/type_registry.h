// core/type_registry.h: the types a running program knows, by name.
//
// One registry per runtime: the library's own types come first, a program adds its types, features theirs; each records
// its owner and goes with it. A name belongs to one type; a second is refused and both places are named. A type leaves
// only when nothing made of it lives: worlds answer `listing_instances`, and the refusal lists what they say; who throws
// instead of answering counts as a use. What other listeners throw is reported, and what they heard of stands.
// Use from the frame's thread.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "lyre/core/delegate.h"
#include "lyre/core/type_builder.h"

namespace lyre::inline core {

class Log;

class TypeRegistry {
public:
    static constexpr std::size_t kMaxTypes = 65'535;
    static constexpr std::size_t kMaxListed = 32;  // instances named in a refusal

    explicit TypeRegistry(Log* log = nullptr) : log_(log) {}  // which outlives it; null: nobody reads one
    TypeRegistry(const TypeRegistry&) = delete;
    TypeRegistry& operator=(const TypeRegistry&) = delete;

    template <Described T> Result<const Type*> add(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
        auto type = build_type<T>(this);
        type->place = fmt::format("{}:{}", file, line);
        return add(std::move(type));
    }
    Result<const Type*> add(std::unique_ptr<Type> type);
    // Parents and components before those that use them; stops at the first that is refused.
    template <Described... T> Status add_all(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
        Status status;
        static_cast<void>(((status = add<T>(file, line).status(), status.is_ok()) && ...));
        return status;
    }
    Status remove(Name name);
    Status remove_all(Owner owner);  // all or none, newest first

    const Type* find(Name name) const;
    template <class T> const Type* find() const {  // a namesake is another type
        const Type* type = find(type_name<T>());
        return type != nullptr && type->native != nullptr && *type->native == typeid(T) ? type : nullptr;
    }
    Result<const Type*> get(std::string_view name) const;           // unknown: names the nearest
    const std::vector<const Type*>& all() const { return order_; }  // in order of registration
    std::vector<const Type*> owned_by(Owner owner) const;
    std::vector<TypeUse> uses_of(Owner owner) const;  // what keeps the types of this owner, its own uses too
    std::uint64_t schema_hash() const;                // over all types, whatever the order they came in

    Delegate<const Type&> added;
    Delegate<const Type&> removing;  // its last moment
    // Everybody who makes objects, or keeps a type, appends each that is there.
    Delegate<const Type&, std::vector<TypeUse>&> listing_instances;

private:
    Status refuse_if_invalid(const Type& type) const;
    const Type* find_forgotten(const std::type_info& native, const Type* parent) const;
    bool is_dropping(const Type& type) const;
    void drop(const Type& type);
    std::vector<TypeUse> holders(const Type& type, const std::vector<const Type*>& derived) const;

    Log* log_;
    std::unordered_map<Name, std::unique_ptr<Type>> types_;
    std::vector<const Type*> order_;
    std::vector<std::uint32_t> free_slots_;
    std::vector<const Type*> leaving_;  // who listens to `removing` hears of these now
    std::uint32_t next_order_ = 1;
};

}  // namespace lyre::inline core
