#include "lyre/core/trace.h"

#include <algorithm>

#include "lyre/core/assert.h"
#include "lyre/core/hash.h"

namespace lyre::inline core {

std::string TraceLine::to_string() const {
    return fmt::format("{:>12} {} {} {}: {}", time_us, side, kind, subject, detail);
}

Trace::Trace(const Clock& clock, std::size_t capacity) : clock_(clock), capacity_(capacity) {
    LYRE_ASSERT(capacity > 0, "to trace nothing leave the level Off");
}

void Trace::write(Name side, Name kind, std::string subject, std::string detail) {
    if (lines_.size() == capacity_) lines_.pop_front();
    const TraceLine& line =
        lines_.emplace_back(TraceLine{clock_.now_us(), side, kind, std::move(subject), std::move(detail)});
    ++written_;
    Hasher hasher;
    hasher.value(hash_);
    hasher.value(line.time_us);
    hasher.text(side.text());
    hasher.text(kind.text());
    hasher.text(line.subject);
    hasher.text(line.detail);
    hash_ = hasher.finish();
}

std::size_t Trace::count(Name kind) const {
    return static_cast<std::size_t>(
        std::count_if(lines_.begin(), lines_.end(), [kind](const TraceLine& line) { return line.kind == kind; }));
}

}  // namespace lyre::inline core
