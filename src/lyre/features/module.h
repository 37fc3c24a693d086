// features/module.h: the code of a feature, as a library that can be loaded and really unloaded.
//
// A module exports one symbol, a constant that LYRE_FEATURE (registrar.h) writes: for which lyre it was built, for
// which feature and version, and the function that registers what it brings. It is read before any function of the
// library is called. Opening checks it and closes the library again if anything does not fit; closing checks that the
// library has left memory.
//
//     OpenedModule opened = modules.open({Name("tag"), "1.2.0", "tag", "game/tag"});
//     if (opened.module == nullptr) return opened.failure;
//     opened.module->entry().setup(registrar);            // may throw: the caller catches
//     ...                                                 // everything it registered is taken back
//     ModuleFailure failure = modules.close(std::move(opened.module));
//
// NativeModules (module_native.h) opens shared libraries. LinkedModules holds entries that are linked into the program,
// for systems without libraries (a browser) and for tests. Nothing else differs. Frame's thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lyre/features/abi.h"
#include "lyre/features/feature_error.h"

namespace lyre::features {

class Registrar;  // registrar.h

// A module's one exported constant. Its first two members never change place or meaning; the others are as these say.
struct ModuleEntry {
    std::uint32_t abi_number = 0;  // kAbiNumber of the library
    std::uint32_t bytes = 0;       // of this struct, there
    std::uint64_t abi_hash = 0;
    const char* abi = nullptr;  // what the hash is over, for people
    const char* feature = nullptr;
    const char* version = nullptr;
    void (*setup)(Registrar& feature) = nullptr;
};
inline constexpr const char* kModuleSymbol = "lyre_feature_entry";

inline constexpr std::size_t kMaxModuleName = 100;  // bytes, as of a feature's id
bool is_module_name(std::string_view text);         // letters, digits, _ and -

struct ModuleRequest {
    Name feature;
    std::string version;
    std::string name{};    // of the module: libNAME.so
    std::string folder{};  // of the feature
};

// An open module. Destroying it without ModuleLoader::close leaves it open for good.
class Module {
public:
    virtual ~Module() = default;
    Module(const Module&) = delete;
    Module& operator=(const Module&) = delete;
    const ModuleEntry& entry() const { return *entry_; }
    const std::string& path() const { return path_; }

protected:
    Module(const ModuleEntry& entry, std::string path) : entry_(&entry), path_(std::move(path)) {}
    const ModuleEntry* entry_;
    std::string path_;
};

// The bytes of a module that was open, so that it can be opened again though its file has changed.
class ModuleImage {
public:
    virtual ~ModuleImage() = default;
};

struct ModuleFailure {
    ErrorCode code = ErrorCode::None;
    std::string text{};

    bool is_none() const { return code == ErrorCode::None; }
};
struct OpenedModule {
    std::unique_ptr<Module> module{};  // null: failure says why, and nothing is left open
    ModuleFailure failure{};
};

// Modules and images go to the loader they came from.
class ModuleLoader {
public:
    virtual ~ModuleLoader() = default;
    virtual OpenedModule open(const ModuleRequest& request) = 0;
    virtual OpenedModule open_again(const ModuleRequest& request, const ModuleImage& image) = 0;
    virtual std::shared_ptr<const ModuleImage> image(const Module& module) const = 0;
    // None: it has left memory. ModuleStillMapped: closed, and yet there; the text has the likely reason.
    virtual ModuleFailure close(std::unique_ptr<Module> module) = 0;
    virtual std::size_t open_count() const = 0;  // opened and not closed

protected:
    // ModuleNoEntry (null), ModuleAbi or ModuleWrongFeature; None if it fits.
    static ModuleFailure check(const ModuleEntry* entry, const ModuleRequest& request, const std::string& path);
};

class LinkedModules final : public ModuleLoader {
public:
    static constexpr std::size_t kMaxEntries = 4096;

    // The entry outlives this. A second one of a feature takes the place of the first, for those who open it later.
    Status add(const ModuleEntry& entry);
    OpenedModule open(const ModuleRequest& request) override;
    OpenedModule open_again(const ModuleRequest& request, const ModuleImage& image) override;
    std::shared_ptr<const ModuleImage> image(const Module& module) const override;
    ModuleFailure close(std::unique_ptr<Module> module) override;
    std::size_t open_count() const override { return open_; }

private:
    OpenedModule open(const ModuleEntry& entry, const ModuleRequest& request);

    std::map<Name, const ModuleEntry*> entries_;
    std::size_t open_ = 0;
};

}  // namespace lyre::features
