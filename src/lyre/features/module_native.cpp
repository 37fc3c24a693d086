#include "lyre/features/module_native.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "lyre/core/suggest.h"

namespace lyre::features {
namespace {

// Which file it is, whatever its name.
struct FileIdentity {
    dev_t device = 0;
    ino_t inode = 0;

    static FileIdentity of(const struct stat& stat) { return {stat.st_dev, stat.st_ino}; }
    friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

std::string error_text(int error) {
    return std::generic_category().message(error);
}

std::string loader_text() {
    const char* text = ::dlerror();
    return text != nullptr ? text : "the system's loader gave no reason";
}

// The loader keeps its lock while static objects of a library are made, and has no handler that gives it back: another
// thread that opens a library, or makes its first thread_local, would wait for ever. Among the loader's own data it is
// known by being this thread's. False: it was not found.
bool give_back_loader_lock() {
#ifdef __GLIBC__
    Dl_info info{};
    const ElfW(Sym)* symbol = nullptr;
    void* const data = ::dlsym(RTLD_DEFAULT, "_rtld_global");
    if (data == nullptr ||
        ::dladdr1(data, &info, const_cast<void**>(reinterpret_cast<const void**>(&symbol)), RTLD_DL_SYMENT) == 0 ||
        symbol == nullptr)
        return false;
    for (std::size_t at = 0; at + sizeof(pthread_mutex_t) <= symbol->st_size; at += alignof(pthread_mutex_t)) {
        auto* mutex = reinterpret_cast<pthread_mutex_t*>(static_cast<char*>(data) + at);
        const auto& state = mutex->__data;
        if (state.__kind == PTHREAD_MUTEX_RECURSIVE_NP && state.__owner == ::gettid() && state.__count > 0)
            return ::pthread_mutex_unlock(mutex) == 0;
    }
#endif
    return false;
}

struct LoadedLibrary {
    void* handle = nullptr;
    std::string failure{};  // there may be a handle all the same: for closing it
};

// What a static object of the library throws goes through dlopen like through any call, though that is declared never
// to throw: so it is called where the compiler cannot see which function it is. The library stays mapped, open once.
LoadedLibrary load_library(const std::string& path, const std::string& open_as) {
    void* (*volatile open)(const char*, int) = &::dlopen;
    std::string threw;
    try {
        if (void* handle = open(open_as.c_str(), RTLD_NOW | RTLD_LOCAL); handle != nullptr) return {handle};
        return {nullptr, loader_text()};
    } catch (const std::exception& error) {
        threw = error.what();
    } catch (...) {
        threw = "an exception";
    }
    const bool is_unlocked = give_back_loader_lock();
    void* again = ::dlopen(open_as.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    if (again != nullptr) ::dlclose(again);
    return {again, fmt::format("{}: a static object threw while it was opened: {}; let the LYRE_FEATURE block do what "
                               "may fail{}",
                               path, threw,
                               is_unlocked ? "" : ", and start the program again: the system's loader is locked now")};
}

// What the headers of a library speak of is not all there: the system's loader would map it all the same, and the first
// touch of what is missing ends the process. What is no library at all is left to the loader to tell.
bool is_cut_short(int fd, off_t size) {
    const auto is_inside = [size](std::uint64_t begin, std::uint64_t length) {
        const auto end = static_cast<std::uint64_t>(size);
        return begin <= end && length <= end - begin;
    };
    ElfW(Ehdr) head;
    if (::pread(fd, &head, sizeof head, 0) != static_cast<ssize_t>(sizeof head)) return false;
    if (std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_phentsize != sizeof(ElfW(Phdr))) return false;
    if (!is_inside(head.e_shoff, std::uint64_t{head.e_shnum} * head.e_shentsize)) return true;
    for (std::uint64_t i = 0; i < head.e_phnum; ++i) {
        ElfW(Phdr) part;
        const std::uint64_t at = head.e_phoff + i * sizeof part;
        if (!is_inside(at, sizeof part)) return true;
        if (::pread(fd, &part, sizeof part, static_cast<off_t>(at)) != static_cast<ssize_t>(sizeof part)) return true;
        if (part.p_type == PT_LOAD && !is_inside(part.p_offset, part.p_filesz)) return true;
    }
    return false;
}

OpenedModule open_failure(std::string text) {
    return {nullptr, {ErrorCode::ModuleOpenFailed, std::move(text)}};
}

// The tables of a library in memory, for finding out why it is still there.
class LoadedTables {
public:
    explicit LoadedTables(const dl_phdr_info& info) : base_(info.dlpi_addr) {
        for (int i = 0; i < info.dlpi_phnum; ++i)
            if (info.dlpi_phdr[i].p_type == PT_DYNAMIC)
                read(reinterpret_cast<const ElfW(Dyn)*>(base_ + info.dlpi_phdr[i].p_vaddr));
    }

    std::string likely_reason() const {
        if ((flags_ & DF_1_NODELETE) != 0) return "it was linked with -z nodelete";
        if (symbols_ == nullptr || strings_ == nullptr || hash_ == nullptr) return unknown_reason();
        if (const char* unique = find_unique(); unique != nullptr)
            return fmt::format("it has unique symbols ({}): compile it with -fno-gnu-unique, as lyre_feature does",
                               demangled(unique));
        if (imports("__cxa_thread_atexit") || imports("__cxa_thread_atexit_impl"))
            return "it has a thread_local with a destructor, and a thread that used it still runs";
        return unknown_reason();
    }

private:
    static std::string unknown_reason() { return "somebody else in this process has it open or links to it"; }
    static std::string demangled(const char* name) {
        int status = 0;
        const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name, nullptr, nullptr, &status),
                                                               &std::free);
        return text != nullptr ? text.get() : name;
    }

    void read(const ElfW(Dyn) * entry) {
        for (; entry->d_tag != DT_NULL; ++entry) {
            if (entry->d_tag == DT_FLAGS_1) flags_ = entry->d_un.d_val;
            if (entry->d_tag == DT_SYMTAB) symbols_ = at<ElfW(Sym)>(entry->d_un.d_ptr);
            if (entry->d_tag == DT_STRTAB) strings_ = at<char>(entry->d_un.d_ptr);
            if (entry->d_tag == DT_GNU_HASH) hash_ = at<std::uint32_t>(entry->d_un.d_ptr);
        }
    }
    // Some systems leave these addresses relative to the library.
    template <class T> const T* at(ElfW(Addr) address) const {
        return reinterpret_cast<const T*>(address < base_ ? base_ + address : address);
    }

    const char* name_of(std::uint32_t symbol) const { return strings_ + symbols_[symbol].st_name; }
    // Symbols that others may find stand behind first_exported(), in chains; the last of a chain has bit 0 set.
    std::uint32_t first_exported() const { return hash_[1]; }
    const char* find_unique() const {
        const std::uint32_t bucket_count = hash_[0];
        const std::uint32_t bloom_words = hash_[2] * (sizeof(ElfW(Addr)) / sizeof(std::uint32_t));
        const std::uint32_t* buckets = hash_ + 4 + bloom_words;
        const std::uint32_t* chains = buckets + bucket_count;
        for (std::uint32_t bucket = 0; bucket < bucket_count; ++bucket) {
            std::uint32_t symbol = buckets[bucket];
            if (symbol < first_exported()) continue;  // an empty one
            do {
                if (symbols_[symbol].st_info >> 4 == STB_GNU_UNIQUE) return name_of(symbol);
            } while ((chains[symbol++ - first_exported()] & 1) == 0);
        }
        return nullptr;
    }
    bool imports(const char* name) const {
        for (std::uint32_t symbol = 1; symbol < first_exported(); ++symbol)
            if (std::strcmp(name_of(symbol), name) == 0) return true;
        return false;
    }

    std::uintptr_t base_;
    ElfW(Xword) flags_ = 0;
    const ElfW(Sym) * symbols_ = nullptr;
    const char* strings_ = nullptr;
    const std::uint32_t* hash_ = nullptr;
};

struct MappedSearch {
    std::uintptr_t base;
    const std::string& loaded_as;
    std::string reason{};
};

int look_at_library(dl_phdr_info* info, std::size_t, void* data) {
    auto& search = *static_cast<MappedSearch*>(data);
    if (info->dlpi_addr != search.base || search.loaded_as != info->dlpi_name) return 0;
    search.reason = LoadedTables(*info).likely_reason();
    return 1;
}

// Why a library that was closed is still in memory; empty if it is not.
std::string reason_to_stay(std::uintptr_t base, const std::string& loaded_as) {
    MappedSearch search{base, loaded_as};
    ::dl_iterate_phdr(&look_at_library, &search);
    return std::move(search.reason);
}

}  // namespace

// Keeps the file open, so that its bytes stay when its name goes to another.
class NativeModules::Image final : public ModuleImage {
public:
    Image(int fd, FileIdentity identity, std::string path) : fd_(fd), identity_(identity), path_(std::move(path)) {}
    ~Image() override {
        if (!is_left_open_) ::close(fd_);
    }
    Image(const Image&) = delete;
    Image& operator=(const Image&) = delete;

    int fd() const { return fd_; }
    const FileIdentity& identity() const { return identity_; }
    const std::string& path() const { return path_; }
    void leave_open() const { is_left_open_ = true; }

private:
    int fd_;
    FileIdentity identity_;
    std::string path_;
    mutable bool is_left_open_ = false;
};

struct NativeModules::Entry {
    std::uintptr_t base = 0;
    std::string loaded_as;  // by this name the system's loader finds it again, whatever has become of the file
    std::shared_ptr<const Image> image;  // while it is in memory no other file may get its descriptor: see loaded_as
    std::size_t opens = 0;               // 0: it stayed
};

class NativeModules::Library final : public Module {
public:
    Library(const ModuleEntry& entry, const std::string& path, void* handle, Entry& of)
        : Module(entry, path), handle_(handle), of_(of), image_(of.image) {}
    void* handle() const { return handle_; }
    Entry& of() const { return of_; }
    const std::shared_ptr<const Image>& image() const { return image_; }

private:
    void* handle_;
    Entry& of_;
    std::shared_ptr<const Image> image_;
};

struct NativeModules::Found {
    std::shared_ptr<const Image> image;
    std::string failure{};
};

NativeModules::NativeModules(std::vector<std::string> folders) : folders_(std::move(folders)) {
    if (folders_.size() > kMaxFolders) folders_.resize(kMaxFolders);
}

void NativeModules::look_first_in(const std::vector<std::string>& folders) {
    folders_.insert(folders_.begin(), folders.begin(), folders.end());
    if (folders_.size() > kMaxFolders) folders_.resize(kMaxFolders);
}

NativeModules::~NativeModules() {
    for (const auto& entry : entries_) entry->image->leave_open();
}

OpenedModule NativeModules::open(const ModuleRequest& request) {
    if (!is_module_name(request.name))
        return open_failure(fmt::format("{} is no name of a module: at most {} letters, digits, '_' and '-'",
                                        in_quotes(request.name), kMaxModuleName));
    Found found = find(request);
    if (found.image == nullptr) return open_failure(std::move(found.failure));
    const std::string path = found.image->path();
    return open(request, std::move(found.image), path);
}

OpenedModule NativeModules::open_again(const ModuleRequest& request, const ModuleImage& image) {
    const auto& of = static_cast<const Image&>(image);
    const int fd = ::fcntl(of.fd(), F_DUPFD_CLOEXEC, 0);
    if (fd < 0) return open_failure(fmt::format("{}: {}", of.path(), error_text(errno)));
    return open(request, std::make_shared<const Image>(fd, of.identity(), of.path()),
                fmt::format("/proc/self/fd/{}", fd));
}

std::shared_ptr<const ModuleImage> NativeModules::image(const Module& module) const {
    return static_cast<const Library&>(module).image();
}

ModuleFailure NativeModules::close(std::unique_ptr<Module> module) {
    LYRE_ASSERT(module != nullptr && open_ != 0, "close what open() of this loader gave");
    --open_;
    const auto& library = static_cast<const Library&>(*module);
    return shut(library.handle(), library.of(), module->path());
}

NativeModules::Found NativeModules::find(const ModuleRequest& request) const {
    std::vector<std::string> folders{request.folder.empty() ? "." : request.folder};
    folders.insert(folders.end(), folders_.begin(), folders_.end());
    for (const std::string& folder : folders) {
        std::string path = fmt::format("{}/lib{}.so", folder, request.name);
        const int fd = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        if (fd < 0 && (errno == ENOENT || errno == ENOTDIR)) continue;
        if (fd < 0) return {nullptr, fmt::format("{}: {}", path, error_text(errno))};
        struct stat stat {};
        const bool is_known = ::fstat(fd, &stat) == 0;
        auto image = std::make_shared<const Image>(fd, FileIdentity::of(stat), path);  // closes it
        if (!is_known || !S_ISREG(stat.st_mode)) return {nullptr, fmt::format("{}: is not a file", path)};
        if (is_cut_short(fd, stat.st_size)) return {nullptr, fmt::format("{}: is cut short; build it again", path)};
        return {std::move(image)};
    }
    constexpr std::size_t kShown = 4;
    std::string places;
    for (std::size_t i = 0; i < std::min(kShown, folders.size()); ++i)
        places += (places.empty() ? "" : ", ") + in_quotes(folders[i]);
    if (folders.size() > kShown) places += fmt::format(" and {} more", folders.size() - kShown);
    const std::string own(request.feature.text());
    for (const std::string& folder : folders)
        if (own != request.name && ::access(fmt::format("{}/lib{}.so", folder, own).c_str(), F_OK) == 0)
            return {nullptr, fmt::format("lib{}.so: {}; {}/lib{}.so is there: write name = \"{}\" under [module]",
                                         request.name, error_text(ENOENT), folder, own, own)};
    return {nullptr,
            fmt::format("lib{0}.so: {1}; build the target feature_{0} (lyre_feature({0}) in the CMakeLists.txt "
                        "beside feature.toml); looked in {2}",
                        request.name, error_text(ENOENT), places)};
}

OpenedModule NativeModules::open(const ModuleRequest& request, std::shared_ptr<const Image> image,
                                 const std::string& open_as) {
    const std::string path = image->path();
    for (const auto& entry : entries_)  // the system would give that one
        if (entry->loaded_as == open_as && entry->image->identity() != image->identity())
            return open_failure(fmt::format("{} has changed, and the library it was is still {}", path,
                                            entry->opens != 0 ? "open" : "in memory: start the program again"));
    if (entries_.size() >= kMaxOpen)
        return open_failure(fmt::format("{}: {} libraries are open already", path, kMaxOpen));
    auto [handle, not_loaded] = load_library(path, open_as);
    if (handle == nullptr) return open_failure(std::move(not_loaded));

    link_map* map = nullptr;
    if (::dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr) {
        std::string text = loader_text();
        ::dlclose(handle);
        return open_failure(std::move(text));
    }
    const std::string loaded_as = map->l_name;
    Entry& of = enter(map->l_addr, loaded_as, image);
    const auto* entry = static_cast<const ModuleEntry*>(::dlsym(handle, kModuleSymbol));
    struct stat now {};
    ModuleFailure failure = not_loaded.empty() ? check(entry, request, path)
                                               : ModuleFailure{ErrorCode::ModuleOpenFailed, std::move(not_loaded)};
    if (::stat(open_as.c_str(), &now) != 0 || FileIdentity::of(now) != image->identity())
        failure = {ErrorCode::ModuleOpenFailed, fmt::format("{} was replaced while it was being opened", path)};
    ++of.opens;
    if (failure.is_none()) {
        ++open_;
        return {std::make_unique<Library>(*entry, path, handle, of), {}};
    }
    if (const ModuleFailure stayed = shut(handle, of, path); !stayed.is_none()) failure.text += "; and " + stayed.text;
    return {nullptr, std::move(failure)};
}

ModuleFailure NativeModules::shut(void* handle, Entry& entry, const std::string& path) {
    --entry.opens;
    if (::dlclose(handle) != 0)
        return {ErrorCode::ModuleStillMapped, fmt::format("{} could not be closed: {}", path, loader_text())};
    if (entry.opens != 0) return {};
    if (const std::string reason = reason_to_stay(entry.base, entry.loaded_as); !reason.empty())
        return {ErrorCode::ModuleStillMapped, fmt::format("{} was closed and is still in memory: {}", path, reason)};
    std::erase_if(entries_, [&](const auto& one) { return one.get() == &entry; });
    return {};
}

NativeModules::Entry& NativeModules::enter(std::uintptr_t base, const std::string& loaded_as,
                                           std::shared_ptr<const Image> image) {
    for (const auto& entry : entries_)
        if (entry->base == base && entry->loaded_as == loaded_as) return *entry;
    auto entry = std::make_unique<Entry>();
    entry->base = base;
    entry->loaded_as = loaded_as;
    entry->image = std::move(image);
    return *entries_.emplace_back(std::move(entry));
}

}  // namespace lyre::features
