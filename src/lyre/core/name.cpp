#include "lyre/core/name.h"

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>

#include "lyre/core/hash.h"

namespace lyre::inline core {
namespace {

struct Entry {
    std::string text;
    std::uint64_t hash = 0;
};

constexpr std::uint32_t kBlockSize = 4096;

// Entries sit in blocks that never move, so reading a name's text takes no lock.
struct Table {
    std::shared_mutex mutex;
    std::unordered_map<std::string_view, std::uint32_t> ids;
    std::array<std::atomic<Entry*>, Name::kMaxNames / kBlockSize> blocks{};
    std::atomic<std::uint32_t> count{1};  // entry 0 is the empty name

    Table() {
        blocks[0] = new Entry[kBlockSize];
        at(0).hash = hash64(std::string_view());
    }
    Entry& at(std::uint32_t id) { return blocks[id / kBlockSize].load(std::memory_order_acquire)[id % kBlockSize]; }
};

// Never destroyed: names are read by destructors of other statics.
Table& table() {
    static Table* const table = new Table;
    return *table;
}

}  // namespace

Name::Name(std::string_view text) {
    if (text.empty() || text.size() > kMaxLength) return;
    *this = find(text);
    if (id_ != 0) return;
    Table& names = table();
    std::unique_lock lock(names.mutex);
    if (auto found = names.ids.find(text); found != names.ids.end()) {
        id_ = found->second;
        return;
    }
    const std::uint32_t id = names.count.load(std::memory_order_relaxed);
    if (id == kMaxNames) return;
    auto& block = names.blocks[id / kBlockSize];
    if (block.load(std::memory_order_relaxed) == nullptr) block.store(new Entry[kBlockSize], std::memory_order_release);
    Entry& entry = names.at(id);
    entry.text = text;
    entry.hash = hash64(text);
    names.ids.emplace(entry.text, id);
    names.count.store(id + 1, std::memory_order_release);
    id_ = id;
}

Name Name::find(std::string_view text) {
    Name name;
    if (text.empty()) return name;
    Table& names = table();
    std::shared_lock lock(names.mutex);
    if (auto found = names.ids.find(text); found != names.ids.end()) name.id_ = found->second;
    return name;
}

std::uint32_t Name::count() {
    return table().count.load(std::memory_order_acquire) - 1;
}

std::string_view Name::text() const {
    return table().at(id_).text;
}

std::uint64_t Name::hash() const {
    return table().at(id_).hash;
}

}  // namespace lyre::inline core
