#include "lyre/assets/folder_source.h"

#include <algorithm>
#include <map>

#include "lyre/assets/asset_codes.h"
#include "lyre/assets/content_walk.h"
#include "lyre/assets/toml.h"
#include "lyre/core/suggest.h"

namespace lyre::assets {
namespace {

constexpr std::string_view kToml = "toml";

std::string lower(std::string_view text) {
    std::string result(text);
    for (char& c : result)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return result;
}

// "red_yard" for "Red  Yard!": what a name outside of a-z, 0-9, '_' may have meant.
std::string valid_name(std::string_view text) {
    std::string result;
    for (char c : lower(text))
        if (is_asset_name({&c, 1}))
            result += c;
        else if (!result.empty() && result.back() != '_')
            result += '_';
    while (!result.empty() && result.back() == '_') result.pop_back();
    return result.substr(0, kMaxAssetName);
}

// Hidden, or left behind by an editor: in any folder on the way.
bool is_passed_over(std::string_view path) {
    return path.front() == '.' || path.find("/.") != std::string_view::npos || path.back() == '~';
}

// A file's name in its parts: "yard" of type map, "flag" of extension png.
struct FileName {
    std::string_view name, type;
    bool is_toml = false;
};
FileName split(std::string_view file) {
    const std::size_t dot = file.rfind('.');
    if (dot == std::string_view::npos) return {file, {}, false};
    if (lower(file.substr(dot + 1)) != kToml) return {file.substr(0, dot), file.substr(dot + 1), false};
    const std::string_view stem = file.substr(0, dot);
    const std::size_t before = stem.rfind('.');
    if (before == std::string_view::npos) return {stem, {}, true};
    return {stem.substr(0, before), stem.substr(before + 1), true};
}

// Sorts what a folder lists into assets and problems.
class Listing {
public:
    Listing(const DecodeSchema& schema, Problems& problems, const std::string& root, Name label)
        : schema_(schema), problems_(problems), root_(root), label_(label) {}

    void add(const FileInfo& file) {
        if (leads_out(file.path) || file.kind == FileKind::LinkOut)
            return problem(kOutsideOfRoot, file.path, fmt::format("{} leads out of {}", full(file.path), root_),
                           "put what it leads to into the folder");
        if (is_passed_over(file.path)) return;
        const std::string_view base = std::string_view(file.path).substr(file.path.rfind('/') + 1);
        if (base == "lyre.toml" || base == "feature.toml") return;
        const FileName parts = split(base);
        const ContentType* type = type_of(parts, file.path);
        if (type == nullptr) return;
        if (file.kind != FileKind::Regular)
            return problem(kUnreadableFile, file.path,
                           fmt::format("{} is no file: a link that leads nowhere, or a pipe", full(file.path)),
                           "take it away, or put the file there");
        take(*type, base, parts, file);
    }

    std::vector<AssetEntry> finish() {
        for (const Misnamed& file : misnamed_) refuse_name(file);
        std::sort(entries_.begin(), entries_.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
        return std::move(entries_);
    }

private:
    struct Misnamed {
        std::string key, path, name, wanted;
    };

    // Null: it is no asset, or a problem was added.
    const ContentType* type_of(const FileName& parts, const std::string& path) {
        if (parts.is_toml && parts.type.empty()) {
            problem(kMissingAssetType, path, fmt::format("{} does not say what type of content it is", full(path)),
                    fmt::format("call it {}.TYPE.toml", parts.name));
            return nullptr;
        }
        const ContentType* type = schema_.find(parts.type);
        if (!parts.is_toml) {
            if (type == nullptr) type = schema_.find(lower(parts.type));  // PNG is png, misnamed
            return type != nullptr && type->load ? type : nullptr;
        }
        if (type != nullptr && type->type != nullptr) return type;
        std::vector<std::string_view> names;
        for (const auto& [name, known] : schema_.types)
            if (known.type != nullptr) names.push_back(name.text());
        problem(kUnknownAssetType, path, fmt::format("{} is of unknown type {}", full(path), in_quotes(parts.type)),
                name_hint(parts.type, std::move(names)));
        return nullptr;
    }

    void take(const ContentType& type, std::string_view base, const FileName& parts, const FileInfo& file) {
        const std::string_view end = parts.is_toml ? ".toml" : "";
        std::string key = fmt::format("{}:{}", type.name, lower(parts.name));
        if (!is_asset_name(parts.name) || base != fmt::format("{}.{}{}", parts.name, type.name, end)) {
            const std::string wanted = valid_name(parts.name);
            misnamed_.push_back({std::move(key), file.path, std::string(parts.name),
                                 wanted.empty() ? "" : fmt::format("{}.{}{}", wanted, type.name, end)});
            return;
        }
        const auto [first, is_new] = seen_.try_emplace(std::move(key), file.path);
        if (!is_new)
            return problems_.add(duplicate_problem(first->first, full(first->second), full(file.path), label_.text()));
        entries_.push_back({{type.name, Name(parts.name)}, full(file.path), file.bytes, file.changed_ns});
    }

    void refuse_name(const Misnamed& file) {
        const auto [first, is_new] = seen_.try_emplace(file.key, file.path);
        if (!is_new)
            problem(kCaseCollision, file.path,
                    fmt::format("{} and {} differ in case only", full(first->second), full(file.path)),
                    "rename one of them");
        else if (file.name.size() > kMaxAssetName)
            problem(kInvalidAssetName, file.path,
                    fmt::format("the name of {} has {} bytes; {} are allowed", full(file.path), file.name.size(),
                                kMaxAssetName),
                    "shorten it");
        else
            problem(kInvalidAssetName, file.path,
                    fmt::format("the name of {} is not made of a-z, 0-9 and _", full(file.path)),
                    file.wanted.empty() ? "" : fmt::format("call it {}", file.wanted));
    }

    void problem(const ProblemCode& code, const std::string& path, std::string text, std::string hint) {
        problems_.add(file_problem(code, full(path), std::move(text), std::move(hint), label_.text()));
    }
    std::string full(const std::string& path) const { return fmt::format("{}/{}", root_, path); }

    const DecodeSchema& schema_;
    Problems& problems_;
    const std::string& root_;
    Name label_;
    std::vector<AssetEntry> entries_;
    std::vector<Misnamed> misnamed_;           // looked at last: whoever is named right stays
    std::map<std::string, std::string> seen_;  // paths by id in lower case
};

std::nullopt_t refuse(DecodedAsset& asset, const AssetEntry& entry, const ProblemCode& code, std::string text) {
    asset.object.reset();
    asset.reading.problems.add(file_problem(code, entry.path, std::move(text), {}, entry.id.to_string()));
    return std::nullopt;
}

// What lookups point into: also those of an asset with problems, which nobody is given.
struct Kept {
    Node tree;
    std::shared_ptr<void> object;
};

void decode_toml(DecodedAsset& asset, const AssetEntry& entry, const ContentType& content, const Bytes& bytes,
                 const PartKinds& kinds) {
    TomlDocument document = parse_toml(bytes.text(), entry.path);
    for (Problem problem : document.problems.all()) {
        if (problem.chain.empty()) problem.chain.push_back(entry.id.to_string());
        asset.reading.problems.add(std::move(problem));
    }
    if (!document.problems.is_empty()) return;
    std::shared_ptr<void> made(content.type->make(), [&type = *content.type](void* object) { type.unmake(object); });
    const auto kept = std::make_shared<Kept>(Kept{std::move(document.root), std::move(made)});
    void* object = kept->object.get();
    ReadOptions options;
    options.file = entry.path;
    options.subject = entry.id.to_string();
    options.name = entry.id.name.text();
    options.text = bytes.text();
    options.kinds = &kinds;
    asset.reading = read_record(kept->tree, *content.type, object, std::move(options));
    asset.kept = kept;
    if (!asset.reading.problems.is_empty()) return;
    ContentWalk walk = walk_content(*content.type, object, kept->tree, asset.reading);
    asset.type = content.type;
    asset.hash = walk.hash;
    asset.bytes = walk.bytes;
    asset.references = std::move(walk.references);
    asset.bundle_hooks = std::move(walk.bundle_hooks);
    asset.part_types = std::move(walk.part_types);
    asset.object = kept->object;
}

void load_bytes(DecodedAsset& asset, const AssetEntry& entry, const ContentType& content, const Bytes& bytes) {
    auto loaded = content.load(bytes, {entry.id, entry.path});
    if (loaded && loaded->object == nullptr) loaded = Status::failed("its loader made nothing of it");
    if (!loaded) {
        refuse(asset, entry, kLoaderFailed, fmt::format("{}: {}", entry.path, loaded.status().text()));
        return;
    }
    asset.hash = hash64(bytes.text());
    asset.bytes = loaded->bytes;
    asset.object = std::move(loaded->object);
}

}  // namespace

FolderSource::FolderSource(const Files& files, std::string path, Name label)
    : files_(files), path_(std::move(path)), label_(label) {
    while (path_.size() > 1 && path_.back() == '/') path_.pop_back();
}

std::string FolderSource::describe() const {
    return fmt::format("folder {}", path_);
}

Result<std::vector<AssetEntry>> FolderSource::list(const DecodeSchema& schema, Problems& problems) const {
    const auto files = files_.list(path_);
    if (!files) return Status(StatusCode::Unavailable, files.status().text());
    Listing listing(schema, problems, path_, label_);
    for (const FileInfo& file : *files) listing.add(file);
    return listing.finish();
}

DecodedAsset FolderSource::decode(const AssetEntry& entry, const DecodeSchema& schema) const {
    DecodedAsset asset;
    const ContentType* content = schema.find(entry.id.type.text());
    if (content == nullptr) {
        refuse(asset, entry, kUnknownAssetType, fmt::format("no content type \"{}\" is registered", entry.id.type));
        return asset;
    }
    asset.object_type = content->object_type;
    const bool is_toml = content->type != nullptr;
    auto bytes = read(entry, is_toml ? ContentTypes::kMaxTomlBytes : ContentTypes::kMaxFileBytes, asset);
    if (!bytes) return asset;
    try {  // loaders, constructors and hooks are the program's
        if (is_toml)
            decode_toml(asset, entry, *content, *bytes, schema.kinds);
        else
            load_bytes(asset, entry, *content, *bytes);
    } catch (const std::exception& thrown) {
        refuse(asset, entry, kLoaderFailed, fmt::format("reading {} threw \"{}\"", entry.path, thrown.what()));
    } catch (...) {
        refuse(asset, entry, kLoaderFailed, fmt::format("reading {} threw something that says nothing", entry.path));
    }
    return asset;
}

// Nothing: the asset has a problem that says why.
std::optional<Bytes> FolderSource::read(const AssetEntry& entry, std::uint64_t max_bytes, DecodedAsset& asset) const {
    if (!is_inside(entry.path))
        return refuse(asset, entry, kOutsideOfRoot, fmt::format("{} leads out of {}", entry.path, path_));
    const auto file = files_.look(entry.path);
    if (!file) return refuse(asset, entry, kUnreadableFile, file.status().text());
    asset.changed_ns = file->changed_ns;  // from before it is read: if it is written meanwhile, that will be noticed
    auto bytes = files_.read(entry.path, max_bytes);
    if (!bytes) {
        const bool is_large = bytes.status().code() == StatusCode::Capacity;
        return refuse(asset, entry, is_large ? kFileTooLarge : kUnreadableFile, bytes.status().text());
    }
    if (bytes->size() < file->bytes)  // what there is of it may well be TOML
        return refuse(asset, entry, kUnreadableFile,
                      fmt::format("{}: only {} of {} bytes are there", entry.path, bytes->size(), file->bytes));
    if (bytes->size() == 0) return refuse(asset, entry, kEmptyFile, fmt::format("{} is empty", entry.path));
    return *std::move(bytes);
}

std::int64_t FolderSource::changed_ns(const AssetEntry& entry) const {
    if (!is_inside(entry.path)) return 0;
    const auto file = files_.look(entry.path);
    return file ? file->changed_ns : 0;
}

bool FolderSource::is_inside(const std::string& path) const {
    return path.size() > path_.size() + 1 && path.starts_with(path_) && path[path_.size()] == '/' &&
           !leads_out(std::string_view(path).substr(path_.size() + 1));
}

}  // namespace lyre::assets
