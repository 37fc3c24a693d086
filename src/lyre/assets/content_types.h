// assets/content_types.h: which kinds of files there are, and what each becomes.
//
//     types.add<LevelDef>("map");                     // NAME.map.toml is the asset map:NAME, a LevelDef
//     types.add_loader<Image>("png", [](const Bytes& bytes, const LoadedFile& file) -> Result<Loaded<Image>> { ... });
//
// Content of described types is read by reflection (core/content_reader.h); a loader makes an object of the bytes of
// any other file. Loaders run on workers. Types belong to who registered them and leave with them, unless assets of the
// type are in use. Frame's thread; workers get a DecodeSchema, a copy that stays as it is.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lyre/assets/asset_id.h"
#include "lyre/core/content_reader.h"
#include "lyre/core/delegate.h"
#include "lyre/core/files.h"
#include "lyre/core/log.h"
#include "lyre/core/owner.h"
#include "lyre/core/type_registry.h"

namespace lyre::assets {

extern const Name kCallbackFailed;  // a report: somebody who was told or asked has thrown

struct LoadedFile {
    PrimaryAssetId id;
    std::string path;
};
// What a loader makes, and what it takes in memory.
template <class T> struct Loaded {
    std::shared_ptr<const T> object;
    std::uint64_t bytes = 0;
};
struct LoadedObject {
    std::shared_ptr<const void> object;
    std::uint64_t bytes = 0;
};

// What becomes of an asset: data that somebody reads, or a class of its name, which content may name before it is made.
enum class Makes : std::uint8_t { Data, Classes };

struct ContentType {
    Name name;                   // "map"; of a loader its extension
    const Type* type = nullptr;  // described; null: a loader's
    Name object_type;            // type_name<T>()
    std::function<Result<LoadedObject>(const Bytes&, const LoadedFile&)> load;
    Owner owner;
    std::string place;  // where it was registered
    Makes makes = Makes::Data;
    std::uint64_t registered = 0;
};

// What workers may know of types. Shared and never changed.
struct DecodeSchema {
    std::map<Name, ContentType> types;
    PartKinds kinds;
    const ContentType* find(std::string_view name) const;
};

class ContentTypes {
public:
    static constexpr std::size_t kMaxTypes = 1024;
    static constexpr std::size_t kMaxListed = 32;               // uses named in a refusal
    static constexpr std::uint64_t kMaxTomlBytes = 16 << 20;    // of one file
    static constexpr std::uint64_t kMaxFileBytes = 1ull << 30;  // of one file for a loader

    // Whose types Parts may be. The log outlives it; null: nobody reads what listeners throw.
    explicit ContentTypes(TypeRegistry& types, Log* log = nullptr);
    ContentTypes(const ContentTypes&) = delete;
    ContentTypes& operator=(const ContentTypes&) = delete;

    template <Described T>
    Status add(std::string_view name, Makes makes = Makes::Data, const char* file = __builtin_FILE(),
               int line = __builtin_LINE()) {
        return add({Name(name), &type_of_record<T>(), type_name<T>(), {}, {}, fmt::format("{}:{}", file, line), makes});
    }
    template <class T, class F>
    Status add_loader(std::string_view extension, F load, const char* file = __builtin_FILE(),
                      int line = __builtin_LINE()) {
        auto erased = [load = std::move(load)](const Bytes& bytes, const LoadedFile& of) -> Result<LoadedObject> {
            Result<Loaded<T>> made = load(bytes, of);
            if (!made) return made.status();
            return LoadedObject{std::move(made->object), made->bytes};
        };
        return add({Name(extension), nullptr, type_name<T>(), std::move(erased), {}, fmt::format("{}:{}", file, line)});
    }
    Status add(ContentType type);  // a name taken is refused, and both places are named; `toml` is taken for ever
    Status remove(Name name);      // refused while assets of it are in use; says which
    Status remove_all(const Owner& owner);          // all or none
    Status why_not_remove_all(const Owner& owner);  // what that would say; changes nothing
    // As listing_uses says it. Who throws instead of answering counts as a use.
    std::vector<std::string> uses_of(const ContentType& type) const;

    const ContentType* find(Name name) const;
    std::vector<const ContentType*> all() const;   // in order of name
    std::shared_ptr<const DecodeSchema> schema();  // as of now; the same object until something changes
    // Whether a worker (or anybody) still has a schema from before: copies of loaders that were removed live in it, and
    // their library must stay until they have gone. They go on this thread.
    bool has_old_schemas() const;

    // Who holds assets appends a line for each of that type ("map:yard").
    Delegate<const ContentType&, std::vector<std::string>&> listing_uses;
    Delegate<> changed;  // types came or went; registries scan again what they skipped

private:
    Status refuse_if_invalid(const ContentType& type) const;
    std::vector<Name> owned_by(const Owner& owner) const;
    Status why_in_use(const std::vector<Name>& leaving, const std::string& what);
    Status remove_unused(const std::vector<Name>& leaving, const std::string& what);
    void retire_schema();

    TypeRegistry& registry_;
    Log* log_;
    std::map<Name, ContentType> types_;
    std::shared_ptr<const DecodeSchema> schema_;  // null: to be made
    // Held until nobody else does, so that what is in them is not destroyed on a worker.
    mutable std::vector<std::shared_ptr<const DecodeSchema>> old_schemas_;
    Connection added_, removing_;  // of the registry
};

}  // namespace lyre::assets
