#include "lyre/assets/registry.h"

#include <algorithm>
#include <climits>

#include "lyre/assets/asset_codes.h"
#include "lyre/assets/folder_source.h"
#include "lyre/core/suggest.h"

namespace lyre::assets {
namespace {

// A folder beside the missing one that is called nearly the same. Looks at all that is below their parent.
std::string nearest_folder(const Files& files, const std::string& missing) {
    const std::size_t slash = missing.find_last_of('/');
    if (slash == std::string::npos || slash == 0) return {};  // everything there is would have to be listed
    const std::string parent = missing.substr(0, slash + 1);
    const auto listed = files.list(missing.substr(0, slash));
    if (!listed) return {};
    Nearest search(std::string_view(missing).substr(slash + 1));
    for (const FileInfo& file : *listed)
        if (const std::size_t end = file.path.find('/'); end != std::string::npos)
            search.consider(std::string_view(file.path).substr(0, end));
    return search.best().empty() ? std::string() : parent + std::string(search.best());
}

bool are_same(const AssetEntry& a, const AssetEntry& b) {
    return a.path == b.path && a.bytes == b.bytes && a.changed_ns == b.changed_ns;
}

}  // namespace

AssetRegistry::AssetRegistry(ContentTypes& types, const Files& files, Log* log)
    : types_(types),
      files_(files),
      log_(log),
      types_changed_(types.changed.add([this] { is_stale_ = true; }, INT_MIN)) {}

Result<RootId> AssetRegistry::add_folder(std::string path, Name label) {
    while (path.size() > 1 && path.back() == '/') path.pop_back();
    if (const auto folder = files_.look(path); !folder || folder->kind != FileKind::Folder) {
        const std::string near = nearest_folder(files_, path);
        return Status::not_found("no folder {}{}", in_quotes(path), did_you_mean(near));
    }
    return add_source(std::make_shared<FolderSource>(files_, std::move(path), label), label);
}

Result<RootId> AssetRegistry::add_source(std::shared_ptr<const AssetSource> source, Name label) {
    LYRE_ASSERT(source != nullptr, "a root needs a source");
    std::string what = source->describe();
    const std::string added = fmt::format("{} comes", what);
    if (Status status = refuse_source(what); !status.is_ok()) return status;
    catch_up();
    Problems problems;
    auto entries = source->list(*types_.schema(), problems);
    if (!entries) return entries.status();
    const RootId id = roots_.add(
        {label, std::move(what), std::move(source), Owner::current(), next_registration(), std::move(problems)});
    order_.push_back(id);
    take(id, *std::move(entries));
    tell(log_, kCallbackFailed, added, root_added, id);
    return id;
}

Status AssetRegistry::refuse_source(const std::string& what) const {
    for (RootId id : order_)
        if (const AssetRoot* other = roots_.find(id); other->what == what)
            return Status::exists("{} is a root already, of {}", what, other->label);
    if (order_.size() >= kMaxRoots)
        return Status::capacity("there are {} roots already; {} is refused", kMaxRoots, what);
    return Status::ok();
}

bool AssetRegistry::remove_root(RootId root) {
    const AssetRoot* known = roots_.find(root);
    if (known == nullptr) return false;
    const std::string removed = fmt::format("{} goes", known->what);
    catch_up();
    forget(root);
    roots_.remove(root);
    std::erase(order_, root);
    show_hidden();
    tell(log_, kCallbackFailed, removed, root_removed, root);
    return true;
}

Result<std::vector<PrimaryAssetId>> AssetRegistry::rescan(RootId root) {
    catch_up();
    AssetRoot* known = roots_.find(root);
    if (known == nullptr) return Status::not_found("no root {}", root);
    Problems problems;
    auto entries = known->source->list(*types_.schema(), problems);
    if (!entries) return entries.status();
    const auto before = assets_;
    forget(root);
    known->problems = std::move(problems);
    take(root, *std::move(entries));
    show_hidden();

    std::vector<PrimaryAssetId> different;
    for (const auto& [id, info] : assets_) {
        const auto old = before.find(id);
        if (old == before.end() || !are_same(old->second.entry, info.entry)) different.push_back(id);
    }
    for (const auto& [id, info] : before)
        if (!assets_.contains(id)) different.push_back(id);
    std::sort(different.begin(), different.end());
    return different;
}

// Content types came or went: which files are assets is another question now.
void AssetRegistry::catch_up() const {
    if (!is_stale_) return;
    is_stale_ = false;
    assets_.clear();
    for (RootId id : order_) take(id, list(*roots_.find(id)));
}

// A place that cannot be listed any more has no assets, and says so among its problems.
std::vector<AssetEntry> AssetRegistry::list(AssetRoot& root) const {
    root.problems = {};
    auto entries = root.source->list(*types_.schema(), root.problems);
    if (entries) return *std::move(entries);
    root.problems.add(file_problem(kUnreadableFile, {},
                                   fmt::format("{} cannot be listed: {}", root.what, entries.status().text()), {},
                                   root.label.text()));
    return {};
}

void AssetRegistry::take(RootId id, std::vector<AssetEntry> entries) const {
    AssetRoot& root = *roots_.find(id);
    root.assets = root.hidden = 0;
    for (AssetEntry& entry : entries) {
        if (assets_.size() >= kMaxAssets) {
            root.problems.add(file_problem(
                kTooManyAssets, entry.path,
                fmt::format("{} and all after it do not fit: there are {} assets already", entry.id, kMaxAssets),
                fmt::format("{} has {}", root.what, entries.size()), root.label.text()));
            return;
        }
        const auto [known, is_new] = assets_.try_emplace(entry.id);
        if (is_new) {
            known->second = {std::move(entry), id};
            ++root.assets;
            continue;
        }
        const std::string& first = known->second.entry.path;
        root.problems.add(duplicate_problem(entry.id.to_string(), first, entry.path, root.label.text()));
        ++root.hidden;
    }
}

void AssetRegistry::forget(RootId id) const {
    std::erase_if(assets_, [id](const auto& known) { return known.second.root == id; });
}

// What another root had first may be seen now.
void AssetRegistry::show_hidden() const {
    for (RootId id : order_) {
        AssetRoot& root = *roots_.find(id);
        if (root.hidden == 0) continue;
        forget(id);
        take(id, list(root));
    }
}

const AssetRoot* AssetRegistry::root(RootId root) const {
    catch_up();
    return roots_.find(root);
}

std::vector<RootId> AssetRegistry::roots() const {
    return order_;
}

const AssetInfo* AssetRegistry::find(PrimaryAssetId id) const {
    catch_up();
    const auto found = assets_.find(id);
    return found == assets_.end() ? nullptr : &found->second;
}

Result<const AssetInfo*> AssetRegistry::get(PrimaryAssetId id) const {
    if (const AssetInfo* info = find(id)) return info;
    std::string near = nearest(id.type, id.name.text());
    if (!near.empty()) near = fmt::format("{}:{}", id.type, near);
    return Status::not_found("no asset {}{}", in_quotes(id.to_string()), did_you_mean(near));
}

std::vector<PrimaryAssetId> AssetRegistry::all() const {
    catch_up();
    std::vector<PrimaryAssetId> ids;
    ids.reserve(assets_.size());
    for (const auto& [id, info] : assets_) ids.push_back(id);
    std::sort(ids.begin(), ids.end());
    return ids;
}

std::vector<PrimaryAssetId> AssetRegistry::of_type(Name type) const {
    catch_up();
    std::vector<PrimaryAssetId> ids;
    for (const auto& [id, info] : assets_)
        if (id.type == type) ids.push_back(id);
    std::sort(ids.begin(), ids.end());
    return ids;
}

std::size_t AssetRegistry::count() const {
    catch_up();
    return assets_.size();
}

Problems AssetRegistry::problems() const {
    catch_up();
    Problems all;
    for (RootId id : order_) all.add_all(roots_.find(id)->problems);
    return all;
}

bool AssetRegistry::has_type(Name type) const {
    return types_.find(type) != nullptr;
}

bool AssetRegistry::has(Name type, std::string_view name) const {
    const Name known = Name::find(name);
    return !known.is_none() && find({type, known}) != nullptr;
}

bool AssetRegistry::has_class(std::string_view name) const {
    for (const ContentType* type : types_.all())
        if (type->makes == Makes::Classes && has(type->name, name)) return true;
    return false;
}

std::string AssetRegistry::nearest(Name type, std::string_view name) const {
    catch_up();
    Nearest search(name);
    for (const auto& [id, info] : assets_)
        if (id.type == type) search.consider(id.name.text());
    return std::string(search.best());
}

std::vector<std::string> AssetRegistry::names(Name type) const {
    std::vector<std::string> names;
    for (const PrimaryAssetId& id : of_type(type)) names.emplace_back(id.name.text());
    return names;
}

}  // namespace lyre::assets
