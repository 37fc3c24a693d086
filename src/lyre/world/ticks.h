// world/ticks.h: which objects of one class tick, in which order.
//
// The order is that of actor ids (components: of their actors, then of making), kept sorted as objects come and go, so
// that a tick is a walk over an array. What is added while the list runs ticks from the next tick on; what is removed
// or switched off is skipped at once. Objects with an interval tick when it is over, with the time since their last
// tick.
#pragma once

#include <cstdint>
#include <vector>

#include "lyre/world/class_info.h"

namespace lyre::inline world {

class TickList {
public:
    explicit TickList(const ClassInfo& info) : info_(info) {}

    void add(Object* object, float interval, double now);
    void remove(Object* object);
    void set_interval(Object* object, float seconds, double now);  // does nothing for one that does not tick

    // Calls all that are due. `failed(object, what)` is told of one that threw; it is out of the list then. No object:
    // it had left the list before it threw.
    void run(float dt, double now, const std::function<void(const Object*, const std::string& what)>& failed);

private:
    struct Entry {
        void* object;  // the whole one, as hooks take it
        float interval;
        double last;
    };
    void settle();
    void run_with_intervals(float dt, double now, std::size_t& at);
    std::uint32_t& index_of(const Object* object) const;
    Object* part(void* whole) const {
        return reinterpret_cast<Object*>(static_cast<char*>(whole) + info_.object_offset);
    }
    bool is_before(void* a, void* b) const;

    const ClassInfo& info_;
    // Index 0 stays empty: an object's tick index 0 means it does not tick. Indices of added_ have the top bit set.
    std::vector<void*> objects_;    // in order; null where one has gone
    std::vector<float> intervals_;  // beside objects_, with lasts_; both empty while nobody has an interval
    std::vector<double> lasts_;
    std::vector<Entry> added_;
    std::size_t gone_ = 0;
};

}  // namespace lyre::inline world
