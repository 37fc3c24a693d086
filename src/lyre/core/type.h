// core/type.h: the one description of a type: its name, parent, properties, remote functions, defaults.
//
// A type says what it is in `static void describe(TypeBuilder<T>& t)`; the builder (type_builder.h) makes a Type of it,
// and the registry (type_registry.h) keeps it while it is known. Replication, content files, inspector and scripts all
// read this one description. A Type never changes once it is registered; its address is good until it is unregistered.
//
// Rooms that need more of their types (the world: lifecycle hooks, slots, tags) hang a TypeExtension on it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <typeinfo>
#include <vector>

#include "lyre/core/owner.h"
#include "lyre/core/value_type.h"

namespace lyre::inline core {

// To whom a replicated property goes.
enum class Condition : std::uint8_t {
    Always,
    InitialOnly,
    OwnerOnly,
    SkipOwner,
    SimulatedOnly,
    AutonomousOnly,
    InitialOrOwner,
    Custom,
    Never,
};

// How exact a value is on the wire and in hashes.
struct Quantisation {
    double step = 0;          // 0: exact
    double min = 0, max = 0;  // equal: no range
    friend bool operator==(const Quantisation&, const Quantisation&) = default;
};

struct PropertyInfo {
    Name name;
    const ValueType* type = nullptr;
    std::uint32_t offset = 0;          // of the value, from the start of the object
    std::uint32_t binding_offset = 0;  // of a Property<>'s way back to its object; 0: it is no Property<>
    std::uint16_t index = 0;           // in its type, parents first
    bool tracked = false;              // writes mark it
    bool replicated = false;
    bool required = false;       // content must give it
    bool is_hashed = true;       // part of what a world's state is
    bool keeps_parts = false;    // parts in it stay as written, whether their kind is known or not
    bool takes_none = false;     // of a reference to an asset: an empty text names none
    bool is_asset_name = false;  // content does not give it: it is the name of the asset that the object is read as
    bool is_refused = false;     // content must not give it: it is there so that who does is told what to write instead
    Condition condition = Condition::Always;
    Quantisation quantisation;
    double min = 0, max = 0;    // what content may give; equal: no limit
    std::string units, help;    // "m", "how far it reaches"
    Name group;                 // properties of one group travel together
    Name asset_type;            // it names an asset of this type (or a list of such); none: it names no asset
    bool is_soft = false;       // the asset only has to exist
    bool is_late = false;       // nor that: who needs it sees to it, when features have brought theirs
    std::vector<Name> bundles;  // the asset is loaded with these; empty and not soft: always with its owner
    Name class_base;            // it names a class: this one or one derived from it
    std::function<void(void* object, const void* old_value)> notify;  // replication calls it, local writes do not

    const void* in(const void* object) const { return static_cast<const char*>(object) + offset; }
    void* in(void* object) const { return static_cast<char*>(object) + offset; }
    bool equal(const void* a, const void* b) const { return type->equal(in(a), in(b)); }
    Status check_range(const void* value) const;          // of a number, against min and max
    void hash(const void* object, Hasher& hasher) const;  // quantised where the property says so
};

enum class RemoteTarget : std::uint8_t { Server, Owner, Everyone };

struct RemoteInfo {
    Name name;
    RemoteTarget target = RemoteTarget::Server;
    bool reliable = false;
    std::uint32_t quota = 0;  // calls per second and connection that are let through; 0: no limit of its own
    std::vector<const ValueType*> parameters;
    std::uint32_t offset = 0;                                 // of the class that has the function, in the whole object
    const void* key = nullptr;                                // tells the C++ function apart
    void (*invoke)(void* object, void* arguments) = nullptr;  // arguments: a tuple of the parameter types
};

// A function of the type that a room calls by name, if the type has it: `check`, `link`, `add_bundle_data`.
struct TypeHook {
    Name name;
    Name argument;             // type of what it is given, by reference
    std::uint32_t offset = 0;  // of the class that has the function, in the whole object
    void (*function)(const void* object, void* argument) = nullptr;
    void call(const void* object, void* argument) const {
        function(static_cast<const char*>(object) + offset, argument);
    }
};

// Something that keeps a type registered.
struct TypeUse {
    std::string text;  // "actor #4.1 in world arena"
    Owner owner;       // whose it is
};

// What a room adds to the description of its types.
struct TypeExtension {
    virtual ~TypeExtension() = default;
    virtual void inherit(const TypeExtension& parent) = 0;  // before describe() says anything else
    virtual void append_schema(std::string& text) const = 0;
};

class Type {
public:
    static constexpr std::size_t kMaxProperties = 63;  // marks of one object fit in a word, with one bit to spare
    static constexpr std::size_t kMaxRemotes = 128;
    static constexpr std::size_t kMaxDepth = 32;

    Type();
    ~Type();
    Type(const Type&) = delete;
    Type& operator=(const Type&) = delete;

    bool is_a(const Type& other) const { return other.depth < lineage.size() && lineage[other.depth] == &other; }
    const PropertyInfo* find_property(Name name) const;
    const RemoteInfo* find_remote(const void* key) const;
    const TypeHook* find_hook(Name name, Name argument) const;
    template <class A> const TypeHook* find_hook(Name name) const { return find_hook(name, type_name<A>()); }
    std::string canonical_text() const;  // what the schema hash is taken over
    // An object as constructed, in memory of its own. Throws what its constructor throws; nothing is left then.
    void* make() const;
    void unmake(void* object) const;

    Name name;
    const Type* parent = nullptr;
    std::uint32_t depth = 0;
    std::uint32_t parent_offset = 0;   // of the parent's part in the object
    std::vector<const Type*> lineage;  // root first, this one last
    std::uint32_t order = 0;           // of registration, never used again
    std::uint32_t slot = 0;            // a small number, used again when the type has gone; for tables by type
    Owner owner;
    std::uint64_t registered = 0;
    std::string place;  // where it was registered: "game/tag/tag.cpp:12"
    std::string help;
    bool is_abstract = false;
    bool is_leaving = false;  // being unregistered: nothing new is made of it

    std::vector<PropertyInfo> properties;  // parents' first
    std::vector<RemoteInfo> remotes;
    std::vector<TypeHook> hooks;  // parents' first; the last of a name counts
    Name short_form;              // the property that a text in content gives, where only that one is said
    std::unique_ptr<TypeExtension> extension;
    std::uint64_t schema_hash = 0;

    std::uint32_t size = 0, alignment = 0;
    void (*construct)(void*) = nullptr;  // null: cannot be made
    void (*destruct)(void*) = nullptr;
    bool is_trivially_destructible = false;
    const std::type_info* native = nullptr;
    void* defaults = nullptr;              // an object as constructed; owned, null where none can be made
    std::vector<std::uint16_t> overrides;  // properties whose default is not what `construct` gives (archetypes)
    std::vector<std::string> problems;     // what describe() got wrong; registration refuses a type that has any
};

}  // namespace lyre::inline core
