// core/clock.h: what time it is, from somebody who was handed in.
//
// Monotonic microseconds are for everything that waits, measures or expires; wall-clock seconds are for people and
// tokens, and may jump. A match in a simulation and every test run on a VirtualClock, which moves only when told to;
// RealClock is the one place in the library that reads the system's clocks. Any thread may ask either.
#pragma once

#include <atomic>
#include <cstdint>

namespace lyre::inline core {

class Clock {
public:
    virtual ~Clock() = default;
    virtual std::int64_t now_us() const = 0;        // never goes back; counts from an arbitrary start
    virtual std::int64_t wall_seconds() const = 0;  // since 1970-01-01 UTC

protected:
    Clock() = default;
    Clock(const Clock&) = delete;
    Clock& operator=(const Clock&) = delete;
};

// Counts from its making.
class RealClock final : public Clock {
public:
    RealClock();
    std::int64_t now_us() const override;
    std::int64_t wall_seconds() const override;

private:
    std::int64_t start_us_;
};

// Starts at 0 and 1970. The wall clock runs along with advance().
class VirtualClock final : public Clock {
public:
    void advance(std::int64_t us);                // not below 0
    void set_wall_seconds(std::int64_t seconds);  // the monotonic time stays
    std::int64_t now_us() const override { return now_us_.load(std::memory_order_relaxed); }
    std::int64_t wall_seconds() const override;

private:
    std::atomic<std::int64_t> now_us_{0};
    std::atomic<std::int64_t> wall_offset_{0};  // s, wall minus monotonic
};

}  // namespace lyre::inline core
