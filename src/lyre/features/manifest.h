// features/manifest.h: what a feature's folder says of itself: feature.toml.
//
//     id      = "tag"                       # its name everywhere: a-z, 0-9 and _; the folder may be called otherwise
//     version = "0.3.0"
//     tags    = ["Tag.Hunter"]              # that it declares
//
//     [module]
//     name = "tag"                          # the library with its code
//
//     [[dependency]]
//     id       = "arena_core"
//     versions = "^0.2"
//     reason   = "spawn points come from there"
//
//     [[action]]
//     kind = "add_components"
//     ...
//
// Only id and version must be given. find_manifests() says which folders are features without opening a file;
// read_manifest() reads one, and collects everything that is wrong with it, each with its place. Actions whose kind is
// not known (yet) are kept as written: their feature's own module may bring it. What stands under [extra] is nobody's
// business here and kept. No state, no table of anything: any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lyre/core/content_reader.h"
#include "lyre/core/files.h"
#include "lyre/features/action.h"
#include "lyre/features/feature_state.h"
#include "lyre/features/side.h"
#include "lyre/features/version.h"

namespace lyre::features {

inline constexpr std::string_view kManifestFile = "feature.toml";
inline constexpr std::uint64_t kMaxManifestBytes = 1 << 20;
inline constexpr std::size_t kMaxFeatureId = 100;      // bytes
inline constexpr std::size_t kMaxManifestText = 1000;  // bytes of a title, reason or help
inline constexpr std::size_t kMaxActions = 1024;
inline constexpr std::size_t kMaxDependencies = 256;
inline constexpr std::size_t kMaxVariables = 1024;
inline constexpr std::size_t kMaxTags = 1024;
inline constexpr std::size_t kMaxScripts = 256;
inline constexpr std::size_t kMaxCapabilities = 64;

bool is_feature_id(std::string_view text);

// Where it is brought when the program starts.
enum class InitialState : std::uint8_t { Installed, Registered, Loaded, Active };
inline void describe(EnumBuilder<InitialState>& e) {
    e.value("installed", InitialState::Installed)
        .value("registered", InitialState::Registered)
        .value("loaded", InitialState::Loaded)
        .value("active", InitialState::Active);
}
constexpr Destination destination_of(InitialState state) {
    return static_cast<Destination>(static_cast<int>(Destination::Installed) + static_cast<int>(state));
}

enum class DependencyKind : std::uint8_t { Required, Optional, Incompatible };
inline void describe(EnumBuilder<DependencyKind>& e) {
    e.value("required", DependencyKind::Required)
        .value("optional", DependencyKind::Optional)
        .value("incompatible", DependencyKind::Incompatible);
}

// Where two features exclude each other.
enum class Scope : std::uint8_t { World, Process };
inline void describe(EnumBuilder<Scope>& e) {
    e.value("world", Scope::World).value("process", Scope::Process);
}

struct Dependency {
    Name id{};
    DependencyKind kind = DependencyKind::Required;
    VersionRange versions{};  // of Incompatible: those that it cannot be with
    Side side = Side::Both;
    Scope scope = Scope::World;  // of Incompatible
    std::string reason{};        // for messages
    static void describe(TypeBuilder<Dependency>& t);
};

enum class VariableFlag : std::uint8_t { Cheat, Replicated, ReadOnly };
inline void describe(EnumBuilder<VariableFlag>& e) {
    e.value("cheat", VariableFlag::Cheat)
        .value("replicated", VariableFlag::Replicated)
        .value("read_only", VariableFlag::ReadOnly);
}

struct ManifestVariable {
    std::string name{};
    Node default_value{};  // true or false, a number or a text: says the variable's type
    std::string help{};
    std::vector<VariableFlag> flags{};
    bool has(VariableFlag flag) const;
    VariableDef<VariableValue> to_def() const;  // with texts of this object
    static void describe(TypeBuilder<ManifestVariable>& t);
};

struct ModuleName {
    std::string name{};  // of the library, without prefix and ending; empty: the feature has no code
    static void describe(TypeBuilder<ModuleName>& t);
};

struct Manifest {
    Name id{};
    Version version{};
    std::string title{};
    InitialState initial_state = InitialState::Installed;
    std::string content = "content";  // folder, below the feature's own
    std::vector<std::string> tags{};
    std::vector<std::string> scripts{};
    std::vector<std::string> capabilities{};
    ModuleName module{};
    std::vector<ManifestVariable> variables{};
    std::vector<Dependency> dependencies{};
    std::vector<ActionPart> actions{};
    Node extra{};  // a table, or none
    static void describe(TypeBuilder<Manifest>& t);
};

// A feature.toml as it was read. The manifest is to be used only if there are no problems. Can be moved, not copied:
// what is still to be looked up points into it.
struct ManifestFile {
    ManifestFile() = default;
    ManifestFile(ManifestFile&&) noexcept = default;
    ManifestFile& operator=(ManifestFile&&) noexcept = default;

    Manifest manifest;
    std::string folder, file;  // "game/tag", "game/tag/feature.toml"
    std::string text;          // as it stands in the file
    Node tree;
    Problems problems;  // in order of place
    Reading reading;    // what actions of known kinds have to look up: link_content() on the frame's thread
    std::int64_t changed_ns = 0;
};

// `kinds`: of actions that are known already; null: all are kept as written.
ManifestFile read_manifest(const Files& files, const std::string& folder, const PartKinds* kinds = nullptr);

// The folders directly in `root` that have a feature.toml, by name; opens no file and enters no link that leads out.
// `problems` hears of what hides one: something else that has that name (a folder, a link that leads out or nowhere, a
// pipe), a folder that cannot be read, a link in place of a folder that leads out to a feature, or nowhere.
Result<std::vector<std::string>> find_manifests(const Files& files, const std::string& root,
                                                Problems* problems = nullptr);

}  // namespace lyre::features
