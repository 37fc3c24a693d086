#include "lyre/core/delegate.h"

namespace lyre::inline core {
namespace detail {

void ListenerList::insert(ListenerNode* node) {
    node->sequence = ++last_sequence_;
    node->owner = Owner::current();
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
    if (!node->linked) node->dispose(node);
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
    node->drop(node);
    node->linked = false;
    if (!node->watched) node->dispose(node);
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

}  // namespace lyre::inline core
