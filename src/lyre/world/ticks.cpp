#include "lyre/world/ticks.h"

#include <algorithm>
#include <exception>

namespace lyre::inline world {
namespace {

constexpr std::uint32_t kAdded = 0x80000000u;

}  // namespace

std::uint32_t& TickList::index_of(const Object* object) const {
    auto* mutable_object = const_cast<Object*>(object);
    return info_.is_actor ? static_cast<Actor*>(mutable_object)->tick_index_
                          : static_cast<Component*>(mutable_object)->tick_index_;
}

bool TickList::is_before(void* a, void* b) const {
    if (info_.is_actor) return static_cast<Actor*>(part(a))->id_ < static_cast<Actor*>(part(b))->id_;
    auto* x = static_cast<Component*>(part(a));
    auto* y = static_cast<Component*>(part(b));
    if (x->actor_ != y->actor_) return x->actor_->id_ < y->actor_->id_;
    return x->generation_ < y->generation_;
}

void TickList::add(Object* object, float interval, double now) {
    std::uint32_t& index = index_of(object);
    if (index != 0) return;
    index = kAdded | static_cast<std::uint32_t>(added_.size());
    added_.push_back({reinterpret_cast<char*>(object) - info_.object_offset, interval, now});
}

void TickList::remove(Object* object) {
    std::uint32_t& index = index_of(object);
    if (index == 0) return;
    if ((index & kAdded) != 0) {
        added_[index & ~kAdded].object = nullptr;
    } else {
        objects_[index] = nullptr;
        ++gone_;
    }
    index = 0;
}

void TickList::set_interval(Object* object, float seconds, double now) {
    const std::uint32_t index = index_of(object);
    if (index == 0) return;
    if ((index & kAdded) != 0) {
        added_[index & ~kAdded].interval = seconds;
        return;
    }
    if (intervals_.empty()) {
        intervals_.resize(objects_.size());
        lasts_.resize(objects_.size());
    }
    intervals_[index] = seconds;
    lasts_[index] = now;
}

// Takes in what was added and closes the gaps, so that the array is in order again. Costs nothing when nothing changed.
void TickList::settle() {
    if (added_.empty() && gone_ * 2 <= objects_.size()) return;
    std::vector<Entry> added;
    for (Entry& entry : added_)
        if (entry.object != nullptr) added.push_back(entry);
    added_.clear();
    std::sort(added.begin(), added.end(),
              [&](const Entry& a, const Entry& b) { return is_before(a.object, b.object); });
    if (objects_.empty()) objects_.push_back(nullptr);

    const bool timed =
        !intervals_.empty() || std::any_of(added.begin(), added.end(), [](const Entry& e) { return e.interval > 0; });
    const bool at_the_end = gone_ * 2 <= objects_.size() &&
                            (objects_.size() == 1 || (objects_.back() != nullptr &&
                                                      (added.empty() || is_before(objects_.back(), added[0].object))));
    const auto append = [&](const Entry& entry) {
        index_of(part(entry.object)) = static_cast<std::uint32_t>(objects_.size());
        objects_.push_back(entry.object);
        if (timed) {
            intervals_.push_back(entry.interval);
            lasts_.push_back(entry.last);
        }
    };
    if (timed && intervals_.empty()) {
        intervals_.resize(objects_.size());
        lasts_.resize(objects_.size());
    }
    if (at_the_end) {
        for (const Entry& entry : added) append(entry);
        return;
    }
    std::vector<Entry> all;
    for (std::size_t i = 1; i < objects_.size(); ++i)
        if (objects_[i] != nullptr) all.push_back({objects_[i], timed ? intervals_[i] : 0, timed ? lasts_[i] : 0});
    const auto middle = static_cast<std::ptrdiff_t>(all.size());
    all.insert(all.end(), added.begin(), added.end());
    std::inplace_merge(all.begin(), all.begin() + middle, all.end(),
                       [&](const Entry& a, const Entry& b) { return is_before(a.object, b.object); });
    objects_.resize(1);
    if (timed) {
        intervals_.resize(1);
        lasts_.resize(1);
    }
    gone_ = 0;
    for (const Entry& entry : all) append(entry);
}

void TickList::run(float dt, double now, const std::function<void(const Object*, const std::string&)>& failed) {
    settle();
    std::size_t at = 1;
    while (at < objects_.size()) {
        std::string what = "an exception";
        try {
            if (intervals_.empty()) {
                info_.hooks.tick(objects_.data(), objects_.size(), dt, at);
            } else {
                run_with_intervals(dt, now, at);
            }
            return;
        } catch (const std::exception& error) {
            what = error.what();
        } catch (...) {
        }
        Object* object = objects_[at] != nullptr ? part(objects_[at]) : nullptr;
        if (object != nullptr) remove(object);
        failed(object, what);
        ++at;
    }
}

void TickList::run_with_intervals(float dt, double now, std::size_t& at) {
    for (; at < objects_.size(); ++at) {
        if (objects_[at] == nullptr) continue;
        float since = dt;
        if (at < intervals_.size() && intervals_[at] > 0) {
            // A thousandth of a tick of tolerance: sums of dt are not exact.
            if (now - lasts_[at] < static_cast<double>(intervals_[at]) - static_cast<double>(dt) * 0.001) continue;
            since = static_cast<float>(now - lasts_[at]);
            lasts_[at] = now;
        }
        std::size_t one = at;
        info_.hooks.tick(objects_.data(), at + 1, since, one);
    }
}

}  // namespace lyre::inline world
