#include "lyre/core/delegate.h"

#include <cctype>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <new>
#include <string_view>

#include "lyre/core/subscriptions.h"

namespace lyre::inline core {
namespace detail {
namespace {

bool is_tracked(const ListenerNode& node) {
    return node.owner.kind == OwnerKind::Feature || node.owner.kind == OwnerKind::Experience;
}

// The callbacks of features, of all threads. The lock is held for looking things up only.
struct Subscriptions {
    struct Entry {
        ListenerList* list;
        ListenerNode* node;
        Owner owner;
        SubscriptionInfo info;
    };
    std::mutex mutex;
    std::map<std::uint64_t, Entry> entries;  // by registration
};

// Never destroyed: delegates of other statics may go after it.
Subscriptions& subscriptions() {
    static Subscriptions* const all = new Subscriptions;
    return *all;
}

// Cuts what ends in "::" off the end: a namespace, also an unnamed one, or a class with its arguments.
void drop_qualifier(std::string& text) {
    const auto drop_brackets = [&](char open, char close) {
        if (text.empty() || text.back() != close) return;
        int depth = 0;
        do {
            depth += text.back() == close ? 1 : text.back() == open ? -1 : 0;
            text.pop_back();
        } while (depth > 0 && !text.empty());
    };
    drop_brackets('<', '>');
    drop_brackets('{', '}');
    drop_brackets('(', ')');
    while (!text.empty() && (std::isalnum(static_cast<unsigned char>(text.back())) != 0 || text.back() == '_'))
        text.pop_back();
}

// "Delegate<Actor&, EndReason>" of "... [with Args = {lyre::world::Actor&, lyre::world::EndReason}]".
std::string signature_of(std::string_view pretty) {
    constexpr std::string_view kMark = "Args = ";
    const std::size_t mark = pretty.rfind(kMark);
    if (mark == std::string_view::npos) return "Delegate";
    std::string_view list = pretty.substr(mark + kMark.size());
    std::string text;
    int depth = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
        const char c = list[i];
        depth += c == '<' || c == '{' ? 1 : c == '>' || c == '}' ? -1 : 0;
        if (depth == 0) break;
        if (i == 0) continue;
        if (list.substr(i, 2) == "::") {
            drop_qualifier(text);
            ++i;
        } else if (!(c == ' ' && i + 1 < list.size() && (list[i + 1] == '&' || list[i + 1] == '*'))) {
            text += c;  // one compiler writes "Actor &"
        }
    }
    return fmt::format("Delegate<{}>", text);
}

void track(ListenerList* list, ListenerNode* node, const ListenerPlace& place) {
    SubscriptionInfo info{node->registered, signature_of(place.signature),
                          fmt::format("{}:{}", place.file, place.line)};
    Subscriptions& all = subscriptions();
    const std::lock_guard lock(all.mutex);
    all.entries.emplace(node->registered, Subscriptions::Entry{list, node, node->owner, std::move(info)});
}

void untrack(const ListenerNode& node) {
    Subscriptions& all = subscriptions();
    const std::lock_guard lock(all.mutex);
    all.entries.erase(node.registered);
}

// By nobody's code but this: what the node was made with may have been unloaded.
void dispose(ListenerNode* node) {
    if (node->alignment > __STDCPP_DEFAULT_NEW_ALIGNMENT__)
        ::operator delete(node, std::align_val_t(node->alignment));
    else
        ::operator delete(node);
}

}  // namespace

void ListenerList::insert(ListenerNode* node, const ListenerPlace& place) {
    node->registered = newest_ = next_registration();
    node->owner = Owner::current();
    if (is_tracked(*node)) track(this, node, place);
    ListenerNode* before = last_;
    while (before != nullptr && before->priority > node->priority) before = before->previous;
    node->previous = before;
    node->next = before == nullptr ? first_ : before->next;
    (before == nullptr ? first_ : before->next) = node;
    (node->next == nullptr ? last_ : node->next->previous) = node;
    ++count_;
}

void ListenerList::remove(ListenerNode* node) {
    if (node->removed) return;
    node->removed = true;
    --count_;
    if (depth_ == 0) {
        unlink(node);
        retire(node);
    } else {
        sweep_needed_ = true;
    }
}

void ListenerList::unwatch(ListenerNode* node) {
    remove(node);
    node->watched = false;
    if (!node->linked) dispose(node);
}

void ListenerList::remove_all() {
    const std::uint32_t depth = begin_broadcast();  // dropping a callable may release the last reference held outside
    for (ListenerNode* node = first_; node != nullptr; node = node->next) remove(node);
    end_broadcast(depth);
}

void ListenerList::finish() {
    ++depth_;
    while (sweep_needed_) sweep();  // a callable's destructor may remove more
    if (--depth_ == 0 && references_ == 0) delete this;
}

void ListenerList::unlink(ListenerNode* node) {
    (node->previous == nullptr ? first_ : node->previous->next) = node->next;
    (node->next == nullptr ? last_ : node->next->previous) = node->previous;
}

// An unlinked node's callable goes; its destructor may come back here, so the node itself goes after.
void ListenerList::retire(ListenerNode* node) {
    std::exchange(node->drop, nullptr)(node);
    if (is_tracked(*node)) untrack(*node);
    node->linked = false;
    if (!node->watched) dispose(node);
}

// Takes every removed node out first and drops their callables after, since a callable's destructor may change the
// list.
void ListenerList::sweep() {
    sweep_needed_ = false;
    ListenerNode* dead = nullptr;
    for (ListenerNode* node = first_; node != nullptr;) {
        ListenerNode* next = node->next;
        if (node->removed) {
            unlink(node);
            node->next = dead;
            dead = node;
        }
        node = next;
    }
    while (dead != nullptr) retire(std::exchange(dead, dead->next));
}

}  // namespace detail

Connection::Connection(detail::ListenerList* list, detail::ListenerNode* node) : list_(list), node_(node) {
    list_->acquire();
}

void Connection::disconnect() {
    if (node_ == nullptr) return;
    auto* list = std::exchange(list_, nullptr);
    list->unwatch(std::exchange(node_, nullptr));
    list->release();
}

std::vector<SubscriptionInfo> subscriptions_of(const Owner& owner) {
    std::vector<SubscriptionInfo> theirs;
    detail::Subscriptions& all = detail::subscriptions();
    const std::lock_guard lock(all.mutex);
    for (const auto& [registered, entry] : all.entries)
        if (entry.owner == owner) theirs.push_back(entry.info);
    return theirs;
}

bool remove_subscription(std::uint64_t registered) {
    detail::ListenerList* list = nullptr;
    detail::ListenerNode* node = nullptr;
    {
        detail::Subscriptions& all = detail::subscriptions();
        const std::lock_guard lock(all.mutex);
        const auto found = all.entries.find(registered);
        if (found == all.entries.end()) return false;
        list = found->second.list;
        node = found->second.node;
    }
    list->acquire();  // what the callable holds may destroy the delegate and the last Connection
    list->remove(node);
    list->release();
    return true;
}

}  // namespace lyre::inline core
