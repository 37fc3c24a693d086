#include "lyre/features/module.h"

#include <algorithm>

#include "lyre/core/suggest.h"

namespace lyre::features {
namespace {

std::string_view text_of(const char* text) {
    return text != nullptr ? text : "";
}

class LinkedModule final : public Module {
public:
    LinkedModule(const ModuleEntry& entry, std::string path) : Module(entry, std::move(path)) {}
};

class LinkedImage final : public ModuleImage {
public:
    explicit LinkedImage(const ModuleEntry& entry) : entry_(entry) {}
    const ModuleEntry& entry() const { return entry_; }

private:
    const ModuleEntry& entry_;
};

}  // namespace

bool is_module_name(std::string_view text) {
    const auto is_fine = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    };
    return !text.empty() && text.size() <= kMaxModuleName && std::all_of(text.begin(), text.end(), is_fine);
}

ModuleFailure ModuleLoader::check(const ModuleEntry* entry, const ModuleRequest& request, const std::string& path) {
    if (entry == nullptr)
        return {ErrorCode::ModuleNoEntry,
                fmt::format("{} has no {}: write LYRE_FEATURE({}) {{ ... }} in one of its sources", path, kModuleSymbol,
                            request.feature)};
    if (entry->abi_number != kAbiNumber || entry->bytes != sizeof(ModuleEntry))
        return {ErrorCode::ModuleAbi,
                fmt::format("{} has an entry of ABI {} ({} bytes), this program of ABI {} ({} bytes); "
                            "build it again with this program's lyre",
                            path, entry->abi_number, entry->bytes, kAbiNumber, sizeof(ModuleEntry))};
    if (entry->abi_hash != kAbiHash)
        return {ErrorCode::ModuleAbi,
                fmt::format("{} was built for [{}] ({:016x}), this program is [{}] ({:016x})", path,
                            text_of(entry->abi), entry->abi_hash, static_cast<const char*>(kAbiText), kAbiHash)};
    if (text_of(entry->feature) != request.feature.text())
        return {
            ErrorCode::ModuleWrongFeature,
            fmt::format("{} is the code of feature {}, not of {}; its LYRE_FEATURE(...), id in feature.toml and name "
                        "of [module] go together: mend the one that is wrong",
                        path, in_quotes(text_of(entry->feature)), in_quotes(request.feature.text()))};
    if (text_of(entry->version) != request.version)
        return {ErrorCode::ModuleWrongFeature,
                fmt::format("{} is version {} of feature {}, the manifest is version {}; build it again", path,
                            in_quotes(text_of(entry->version)), request.feature, in_quotes(request.version))};
    if (entry->setup == nullptr)
        return {ErrorCode::ModuleNoEntry, fmt::format("the {} of {} has no function", kModuleSymbol, path)};
    return {};
}

Status LinkedModules::add(const ModuleEntry& entry) {
    const Name feature(text_of(entry.feature));
    if (feature.is_none()) return Status::invalid("a module without the id of its feature");
    if (entries_.size() >= kMaxEntries && !entries_.contains(feature))
        return Status::capacity("there are {} linked modules already; {} is refused", kMaxEntries, feature);
    entries_[feature] = &entry;
    return Status::ok();
}

OpenedModule LinkedModules::open(const ModuleRequest& request) {
    if (const auto found = entries_.find(request.feature); found != entries_.end())
        return open(*found->second, request);
    Nearest nearest(request.feature.text());
    for (const auto& [name, entry] : entries_) nearest.consider(name.text());
    const std::string hint =
        entries_.empty() ? "; NativeModules, handed to the project, opens libraries" : did_you_mean(nearest.best());
    return {nullptr,
            {ErrorCode::ModuleOpenFailed, fmt::format("no code of feature {} is linked into this program{}",
                                                      in_quotes(request.feature.text()), hint)}};
}

OpenedModule LinkedModules::open_again(const ModuleRequest& request, const ModuleImage& image) {
    return open(static_cast<const LinkedImage&>(image).entry(), request);
}

std::shared_ptr<const ModuleImage> LinkedModules::image(const Module& module) const {
    return std::make_shared<const LinkedImage>(module.entry());
}

ModuleFailure LinkedModules::close(std::unique_ptr<Module> module) {
    LYRE_ASSERT(module != nullptr && open_ != 0, "close what open() of this loader gave");
    --open_;
    return {};
}

OpenedModule LinkedModules::open(const ModuleEntry& entry, const ModuleRequest& request) {
    std::string path = fmt::format("the linked code of {}", request.feature);
    if (ModuleFailure failure = check(&entry, request, path); !failure.is_none()) return {nullptr, std::move(failure)};
    ++open_;
    return {std::make_unique<LinkedModule>(entry, std::move(path)), {}};
}

}  // namespace lyre::features
