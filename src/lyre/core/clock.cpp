#include "lyre/core/clock.h"

#include <chrono>

#include "lyre/core/assert.h"

namespace lyre::inline core {
namespace {

std::int64_t steady_us() {
    using namespace std::chrono;
    return duration_cast<microseconds>(steady_clock::now().time_since_epoch()).count();
}

}  // namespace

RealClock::RealClock() : start_us_(steady_us()) {}

std::int64_t RealClock::now_us() const {
    return steady_us() - start_us_;
}

std::int64_t RealClock::wall_seconds() const {
    using namespace std::chrono;
    return duration_cast<seconds>(system_clock::now().time_since_epoch()).count();
}

void VirtualClock::advance(std::int64_t us) {
    LYRE_ASSERT(us >= 0, "time does not go back: make a new clock for a new run");
    now_us_.fetch_add(us, std::memory_order_relaxed);
}

void VirtualClock::set_wall_seconds(std::int64_t seconds) {
    wall_offset_.store(seconds - now_us() / 1'000'000, std::memory_order_relaxed);
}

std::int64_t VirtualClock::wall_seconds() const {
    return wall_offset_.load(std::memory_order_relaxed) + now_us() / 1'000'000;
}

}  // namespace lyre::inline core
