// features/module_native.h: modules that are shared libraries.
//
//     NativeModules modules({"build/release/features"});    // where a build tree puts its libraries
//
// libNAME.so is taken from the feature's folder, else from the folders handed in, in their order. All its symbols are
// bound at once and nobody else sees them. Whatever is wrong with it, it is closed again before that is told.
//
// Closing does not believe the system, which says "closed" in any case, and looks whether the library is gone. What
// keeps one in memory is a mistake of its build, or a thread_local with a destructor in a thread that still runs;
// lyre_feature (cmake/LyreFeature.cmake) builds libraries that leave. One that stayed stays for good: opening its file
// again gives the same library, and a newer file at its path is refused.
//
// While a module is open its file may be replaced by renaming another over it, never by writing into it. The old bytes
// can be opened again through the image; libraries that an old one finds beside itself ($ORIGIN) must be loaded
// already.
//
// Static initialisers run before the entry is checked; they should do nothing. One that throws is a failed open, and
// the lock that the system's loader forgets then is given back (glibc; elsewhere the error says that it is not).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lyre/features/module.h"

namespace lyre::features {

class NativeModules final : public ModuleLoader {
public:
    static constexpr std::size_t kMaxFolders = 64;  // more are not looked into
    static constexpr std::size_t kMaxOpen = 4096;   // with those that stayed

    explicit NativeModules(std::vector<std::string> folders = {});
    ~NativeModules() override;                                    // modules that are open stay so
    void look_first_in(const std::vector<std::string>& folders);  // before those that were handed in
    NativeModules(const NativeModules&) = delete;
    NativeModules& operator=(const NativeModules&) = delete;

    OpenedModule open(const ModuleRequest& request) override;
    OpenedModule open_again(const ModuleRequest& request, const ModuleImage& image) override;
    std::shared_ptr<const ModuleImage> image(const Module& module) const override;
    // Of a file that is open twice the last close tells whether it has left.
    ModuleFailure close(std::unique_ptr<Module> module) override;
    std::size_t open_count() const override { return open_; }

private:
    class Image;
    class Library;
    struct Entry;  // one library in memory
    struct Found;
    Found find(const ModuleRequest& request) const;
    OpenedModule open(const ModuleRequest& request, std::shared_ptr<const Image> image, const std::string& open_as);
    ModuleFailure shut(void* handle, Entry& entry, const std::string& path);
    Entry& enter(std::uintptr_t base, const std::string& loaded_as, std::shared_ptr<const Image> image);

    std::vector<std::string> folders_;
    std::vector<std::unique_ptr<Entry>> entries_;
    std::size_t open_ = 0;
};

}  // namespace lyre::features
